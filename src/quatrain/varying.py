"""Parts of a model by name, which a kernel or a run keeps as inputs: `"link3.mass"`, `"gravity"`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

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
        bodies = {body.name: k for k, body in enumerate(model.bodies)}
        joints = {body.joint.name: k for k, body in enumerate(model.bodies)}
        if owner in bodies and what in _OF_BODY:
            shape, change = _OF_BODY[what]
            return cls(shape, lambda m, x: _with_body(m, bodies[owner], **change(x)))
        if owner in joints and what in _OF_JOINT:
            joint = model.bodies[joints[owner]].joint
            shape, change_joint = _OF_JOINT[what]
            shape = joint.freedoms if shape is None else shape
            return cls(shape, lambda m, x: _with_joint(m, joints[owner], change_joint, x))
        raise ArgumentError(
            f"vary names {path!r}, which is no part of {model.name}",
            do=f"name gravity, <body>.{' or .'.join(_OF_BODY)} of {_few(bodies)}, "
            f"or <joint>.{' or .'.join(_OF_JOINT)} of {_few(joints)}",
        )


def put(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with these numbers in the parts of those names."""
    for path, value in values.items():
        model = Part.named(model, path).put(model, value)
    return model


def _per_freedom(name: str) -> tuple[Any, Callable[[Joint, Any], dict[str, Any]]]:
    return None, lambda joint, x: {name: tuple(x)}


_OF_BODY: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
    "mass": (float, lambda x: {"mass": x}),
    "com": (3, lambda x: {"p_BBcm": Vec3(*x)}),
    "inertia": (6, lambda x: {"I_Bcm_B": SymMat3(*x)}),
}
_OF_JOINT: dict[str, tuple[Any, Callable[[Joint, Any], dict[str, Any]]]] = {
    "position": (3, lambda joint, x: {"X_PJ": Pose(joint.X_PJ.q, Vec3(*x))}),
    **{name: _per_freedom(name) for name in ("armature", "damping", "friction", "stiffness")},
}


def _with_body(model: Model, k: int, **changes: Any) -> Model:
    bodies = list(model.bodies)
    bodies[k] = replace(bodies[k], **changes)
    return replace(model, bodies=tuple(bodies))


def _with_joint(model: Model, k: int, change: Callable[[Joint, Any], dict[str, Any]], x: Any) -> Model:
    joint = model.bodies[k].joint
    return _with_body(model, k, joint=replace(joint, **change(joint, x)))


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:6]) + (" …" if len(listed) > 6 else "")
