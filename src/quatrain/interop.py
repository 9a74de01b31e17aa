"""Models from other libraries' objects."""

from __future__ import annotations

from typing import Any

from quatrain.errors import QuatrainError
from quatrain.geometry import Mat3, Pose, Quaternion, SymMat3, Vec3
from quatrain.model import AXES, WORLD, Body, Frame, Joint, Limits, Model

_AXIS = {"X": AXES[0], "Y": AXES[1], "Z": AXES[2]}
# Joints of Pinocchio's by what stands in their names after JointModel. The unbounded ones keep cosine and sine in q.
_WHOLE: dict[str, tuple[str, tuple[Vec3, ...]]] = {
    "FreeFlyer": ("free", AXES),
    "Spherical": ("ball", ()),
    "Planar": ("planar", AXES),
}
_ALONG = {"R": "revolute", "RUB": "continuous", "P": "prismatic", "H": "helical"}
_UNALIGNED = {f"{kind.capitalize()}Unaligned": kind for kind in ("revolute", "prismatic", "helical")}


class InteropError(QuatrainError):
    """Something of another library that has no counterpart here."""


def from_pinocchio(model: Any) -> Model:
    """The model of a `pinocchio.Model`. Bodies take the names of their joints; body frames stay frames.

    Joint damping, friction, limits and rotor inertia (armature) come along; mimic joints of Pinocchio are refused.
    Pinocchio's quaternions are (x, y, z, w), velocities of its free and planar joints are in the body, and angles
    without bounds stand there as cosine and sine: see `qt.convert`.
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
    own = joint.extract()
    pitch = float(getattr(own, "pitch", 0.0))
    if short in _WHOLE:
        return (*_WHOLE[short], pitch)
    if short[:-1] in _ALONG and short[-1] in _AXIS:
        return _ALONG[short[:-1]], (_AXIS[short[-1]],), pitch
    if short in _UNALIGNED:
        return _UNALIGNED[short], (Vec3(*_floats(own.axis)),), pitch
    if short == "Universal":
        return "universal", (Vec3(*_floats(own.axis1)), Vec3(*_floats(own.axis2))), pitch
    raise InteropError(
        f"joint {name!r} is a {joint.shortname()}, which has no counterpart here",
        do="put joints in its place that have one (" + ", ".join((*_WHOLE, *_UNALIGNED, "Universal")) + "), "
        "or leave it out: buildReducedModel",
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
    return tuple(Limits(*map(_bound, row)) for row in zip(*columns, strict=True))


def _bound(value: float) -> float | None:
    """Pinocchio means no bound by an infinite one, or by the largest number there is."""
    return value if abs(value) < 1e300 else None
