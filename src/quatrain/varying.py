"""Parts of a model by name, which a kernel or a run keeps as inputs: `"link3.mass"`, `"gravity"`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quatrain.equipment import Actuator
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, SymMat3, Vec3
from quatrain.joint import Joint
from quatrain.model import Model


@dataclass(frozen=True)
class Part:
    """One part of a model."""

    shape: Any
    """As it is declared to the compiler."""
    put: Callable[[Model, Any], Model]
    """The model with other numbers there."""

    @classmethod
    def is_named(cls, model: Model, path: str) -> bool:
        try:
            cls.named(model, path)
        except ArgumentError:
            return False
        return True

    @classmethod
    def named(cls, model: Model, path: str) -> Part:
        if path == "gravity":
            return cls(3, lambda m, x: replace(m, gravity=Vec3(*x)))
        owner, _, what = path.rpartition(".")
        bodies, joints = _numbered(model.body_names), _numbered(model.joint_names)
        frames = _numbered([frame.name for frame in model.frames])
        actuators = _numbered([actuator.name for actuator in model.actuators])
        if owner in bodies and what in _OF_BODY:
            shape, change = _OF_BODY[what]
            return cls(shape, lambda m, x: _with_body(m, bodies[owner], **change(x)))
        if owner in joints and what in _OF_JOINT:
            joint = model.bodies[joints[owner]].joint
            shape_of, change_joint = _OF_JOINT[what]
            return cls(shape_of(joint), lambda m, x: _with_joint(m, joints[owner], change_joint, x))
        if owner in frames and what == "position":
            return cls(3, lambda m, x: _with_frame(m, frames[owner], x))
        if owner in actuators and what in _OF_ACTUATOR:
            size, change_actuator = _OF_ACTUATOR[what](model.actuators[actuators[owner]])
            return cls(size, lambda m, x: _with_actuator(m, actuators[owner], change_actuator(x)))
        raise ArgumentError(
            f"vary names {path!r}, which is no part of {model.name}",
            do=f"name gravity, <body>.{' or .'.join(_OF_BODY)} of {_few(bodies)}, "
            f"<joint>.{' or .'.join(_OF_JOINT)} of {_few(joints)}, <frame>.position of {_few(frames) or 'none'}, "
            f"or <actuator>.{' or .'.join(_OF_ACTUATOR)} of {_few(actuators) or 'none'}",
        )


def put(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with these numbers in the parts of those names."""
    for path, value in values.items():
        model = Part.named(model, path).put(model, value)
    return model


_OF_BODY: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
    "mass": (float, lambda x: {"mass": x}),
    "com": (3, lambda x: {"p_BBcm": Vec3(*x)}),
    "inertia": (6, lambda x: {"I_Bcm_B": SymMat3(*x)}),
}


def _per_freedom(name: str) -> _OfJoint:
    return lambda joint: joint.freedoms, lambda joint, x: {name: tuple(x)}


_OfJoint = tuple[Callable[[Joint], Any], Callable[[Joint, Any], dict[str, Any]]]
"""What is declared, and the fields that change."""
_OF_JOINT: dict[str, _OfJoint] = {
    "position": (lambda joint: 3, lambda joint, x: {"X_PJ": Pose(joint.X_PJ.q, Vec3(*x))}),
    **{name: _per_freedom(name) for name in ("armature", "damping", "friction", "stiffness")},
    "rest": (lambda joint: sum(motion.nq for motion in joint.motions), lambda joint, x: {"rest": tuple(x)}),
}
_OF_ACTUATOR: dict[str, Callable[[Actuator], tuple[Any, Callable[[Any], dict[str, Any]]]]] = {
    "gain": lambda actuator: (float, lambda x: {"gain": x}),
    "gear": lambda actuator: (len(actuator.gear), lambda x: {"gear": tuple(x)}),
    "bias": lambda actuator: (len(actuator.bias), lambda x: {"bias": tuple(x)}),
}


def _with_body(model: Model, k: int, **changes: Any) -> Model:
    bodies = list(model.bodies)
    bodies[k] = replace(bodies[k], **changes)
    return replace(model, bodies=tuple(bodies))


def _with_joint(model: Model, k: int, change: Callable[[Joint, Any], dict[str, Any]], x: Any) -> Model:
    joint = model.bodies[k].joint
    return _with_body(model, k, joint=replace(joint, **change(joint, x)))


def _with_frame(model: Model, k: int, x: Any) -> Model:
    frames = list(model.frames)
    frames[k] = replace(frames[k], X_BF=Pose(frames[k].X_BF.q, Vec3(*x)))
    return replace(model, frames=tuple(frames))


def _with_actuator(model: Model, k: int, changes: dict[str, Any]) -> Model:
    actuators = list(model.actuators)
    actuators[k] = replace(actuators[k], **changes)
    return replace(model, actuators=tuple(actuators))


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: k for k, name in enumerate(names)}


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:6]) + (" …" if len(listed) > 6 else "")
