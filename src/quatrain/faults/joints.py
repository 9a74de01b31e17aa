"""A joint's kind, axes, places and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from quatrain.faults import POSE_REMEDY, UNIT, Fault, finite, wrong_pose
from quatrain.geometry import dot
from quatrain.joint import JOINT_KINDS, Joint, Limits


def of_joint(joint: Joint) -> Iterator[Fault]:
    where = f"joint {joint.name!r}"
    if joint.kind not in JOINT_KINDS:
        yield Fault("error", where, f"its kind is {joint.kind!r}", f"choose {', '.join(JOINT_KINDS)}")
        return
    yield from _axes(joint, where)
    for name in ("X_PJ", "X_MB"):
        wrong = wrong_pose(getattr(joint, name))
        if wrong:
            yield Fault("error", where, f"{name} {wrong}", POSE_REMEDY)
    yield from _numbers(joint, where)
    yield from _limits(joint, where)


def _axes(joint: Joint, where: str) -> Iterator[Fault]:
    needed = max((motion.axis + 1 for motion in joint.motions if motion.kind != "ball"), default=0)
    if len(joint.axes) != needed:
        what = f"a {joint.kind} joint has {needed} axes, and {len(joint.axes)} came"
        yield Fault("error", where, what, f"give {needed}")
        return
    bad = False
    for axis in joint.axes:
        if not finite(*axis):
            bad = True
            yield Fault("error", where, f"axis {tuple(axis)} is not finite", "give a unit vector")
        elif axis.norm() == 0:
            bad = True
            yield Fault("error", where, f"axis {tuple(axis)} has no direction", "give a unit vector")
        elif not abs(axis.norm() - 1) < UNIT:
            bad = True
            yield Fault(
                "error", where, f"axis {tuple(axis)} has length {axis.norm():.6g}", "give a unit vector"
            )
    if bad:
        return
    if joint.kind == "universal" and abs(dot(*joint.axes)) > 1 - 1e-12:
        what = "its two axes are parallel, so the mass matrix is singular"
        yield Fault("error", where, what, "give two directions, or a revolute joint")
    if joint.kind in ("planar", "free"):
        worst = max(abs(dot(joint.axes[i], joint.axes[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
        if worst > UNIT:
            yield Fault("error", where, "its axes are not perpendicular", "give three that are")


def _numbers(joint: Joint, where: str) -> Iterator[Fault]:
    counts = dict.fromkeys(("armature", "damping", "friction", "stiffness"), (joint.freedoms, "freedom"))
    counts["rest"] = (sum(motion.nq for motion in joint.motions), "coordinate")
    for name, (count, of) in counts.items():
        values = getattr(joint, name)
        if values and len(values) != count:
            what = f"{name} has {len(values)} entries, and a {joint.kind} joint {count} {of}{'' if count == 1 else 's'}"
            yield Fault("error", where, what, f"give {count}, or none" if count else "give none")
        elif not finite(*values):
            yield Fault("error", where, f"{name} is {values}", "give finite numbers")
        elif name != "rest" and any(value < 0 for value in values):
            yield Fault("error", where, f"{name} is {values}", "give numbers that are not below zero")
    if not finite(joint.pitch):
        yield Fault("error", where, f"its pitch is {joint.pitch}", "give metres per radian")


def _limits(joint: Joint, where: str) -> Iterator[Fault]:
    if joint.limits and len(joint.limits) != joint.freedoms:
        what = f"there are limits for {len(joint.limits)} freedoms, and it has {joint.freedoms}"
        yield Fault("error", where, what, "give them for each, or none")
    for limit in joint.limits:
        given = [value for value in _entries(limit) if value is not None]
        if any(value != value for value in given):
            yield Fault("error", where, f"a limit is NaN: {limit}", "leave out what is not known")
        elif limit.lower is not None and limit.upper is not None and limit.lower > limit.upper:
            yield Fault("error", where, f"limits {limit.lower:g} > {limit.upper:g} are reversed", "swap them")
        elif any(value < 0 for value in _entries(limit)[2:] if value is not None):
            yield Fault(
                "error", where, f"a greatest value is negative: {limit}", "give sizes, without a sign"
            )


def _entries(limit: Limits) -> tuple[float | None, ...]:
    """Bounds first, then what is only bounded in size."""
    return (
        limit.lower,
        limit.upper,
        limit.velocity,
        limit.effort,
        limit.acceleration,
        limit.deceleration,
        limit.jerk,
    )
