"""Models from other libraries' objects."""

from __future__ import annotations

from typing import Any

from quatrain.errors import QuatrainError
from quatrain.geometry import Mat3, Pose, Quaternion, SymMat3, Vec3
from quatrain.model import AXES, WORLD, Body, Frame, Joint, Limits, Model

_AXIS = {"X": AXES[0], "Y": AXES[1], "Z": AXES[2]}


class InteropError(QuatrainError):
    """Something of another library that has no counterpart here."""


def from_pinocchio(model: Any) -> Model:
    """The model of a `pinocchio.Model`. Bodies take the names of their joints; body frames stay frames.

    Joint damping, friction, limits and rotor inertia (armature) come along; mimic joints of Pinocchio are refused.
    Pinocchio's quaternions are (x, y, z, w), and velocities of its free joints are in the body: see `qt.convert`.
    """
    bodies = []
    for i in range(1, model.njoints):
        joint = model.joints[i]
        kind, axes, pitch = _joint_kind(joint, model.names[i])
        first, count = joint.idx_v, joint.nv
        inertia = model.inertias[i]
        bodies.append(
            Body(
                model.names[i],
                int(model.parents[i]) - 1 if model.parents[i] else WORLD,
                Joint(
                    model.names[i],
                    kind,
                    _pose(model.jointPlacements[i]),
                    axes=axes,
                    pitch=pitch,
                    armature=_floats(model.armature[first : first + count]),
                    damping=_floats(model.damping[first : first + count]),
                    friction=_floats(model.friction[first : first + count]),
                    limits=_limits(model, joint),
                ),
                float(inertia.mass),
                Vec3(*_floats(inertia.lever)),
                SymMat3.from_mat3(Mat3(*_floats(inertia.inertia.ravel()))),
            )
        )
    taken = {body.name for body in bodies}
    frames = []
    for frame in model.frames:
        if frame.name not in taken and frame.name not in ("universe", "world"):
            taken.add(frame.name)
            frames.append(Frame(frame.name, int(frame.parentJoint) - 1, _pose(frame.placement)))
    gravity = Vec3(*_floats(model.gravity.linear))
    return Model(str(model.name), tuple(bodies), tuple(frames), gravity)


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _pose(placement: Any) -> Pose:
    R = Mat3(*_floats(placement.rotation.ravel()))
    return Pose(Quaternion.from_matrix(R), Vec3(*_floats(placement.translation)))


def _joint_kind(joint: Any, name: str) -> tuple[str, tuple[Vec3, ...], float]:
    """Kind, axes and pitch of a joint of Pinocchio's."""
    short = joint.shortname().removeprefix("JointModel")
    if short == "FreeFlyer":
        return "free", AXES, 0.0
    if short.startswith("Spherical") and "ZYX" not in short:
        return "ball", (), 0.0
    if short == "Planar":
        return "planar", AXES, 0.0
    extracted = joint.extract() if hasattr(joint, "extract") else joint
    for stem, kind in (("RU", "revolute"), ("R", "revolute"), ("P", "prismatic"), ("H", "helical")):
        rest = short.removeprefix(stem)
        if rest == short:
            continue
        if rest in _AXIS:
            return kind, (_AXIS[rest],), float(getattr(extracted, "pitch", 0.0))
        if rest.endswith("evoluteUnaligned"):
            return "revolute", (Vec3(*_floats(extracted.axis)),), 0.0
        if rest.endswith("rismaticUnaligned"):
            return "prismatic", (Vec3(*_floats(extracted.axis)),), 0.0
    raise InteropError(
        f"joint {name!r} is a {joint.shortname()}, which has no counterpart here",
        do="build the model with bounded revolute joints, or leave the joint out: buildReducedModel",
    )


def _limits(model: Any, joint: Any) -> tuple[Limits, ...]:
    if joint.nq != joint.nv:
        return ()
    q, v = slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)
    columns = (
        _floats(model.lowerPositionLimit[q]),
        _floats(model.upperPositionLimit[q]),
        _floats(model.velocityLimit[v]),
        _floats(model.effortLimit[v]),
    )
    return tuple(Limits(*row) for row in zip(*columns, strict=True))
