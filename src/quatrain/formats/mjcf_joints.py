"""Joints of MJCF as joints here: a body's own, one after the other, each about its own point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from quatrain.formats.reading import Choices, Notes
from quatrain.formats.source import FormatError
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.model import AXES, Joint, Limits

if TYPE_CHECKING:
    from quatrain.formats.mjcf import Compiled

_KINDS = ("free", "ball", "prismatic", "revolute")
"""By MuJoCo's numbers."""
_NQ = {"free": 7, "ball": 4, "prismatic": 1, "revolute": 1}
GREATEST = 1e10
_IDENTITY = Quaternion.identity()


def joints_of(compiled: Compiled, body: int, choices: Choices, notes: Notes) -> Iterator[Joint]:
    """Of one body: at least one; a body without any is fixed to its parent."""
    X_PB, of_body = compiled.pose("body", body), compiled.element("body", compiled.names["body"][body])
    count, first = compiled["body_jntnum"][body], compiled["body_jntadr"][body]
    if count == 0:
        name = f"{compiled.names['body'][body]}_fixed"
        if choices.base == "floating" and compiled["body_parentid"][body] == 0 and body == 1:
            notes.add(
                "info", "assumed", of_body, f"{compiled.names['body'][body]!r} floats: it is free, as asked"
            )
            yield Joint("root", "free", X_PB, axes=AXES)
            return
        yield Joint(name, "fixed", X_PB)
        return
    for j in range(first, first + count):
        joint = _joint(compiled, j, X_PB)
        if joint.kind == "ball" and compiled["jnt_limited"][j]:
            what = f"the limit of ball joint {joint.name!r}, an angle from its rest, is not taken over"
            notes.add("warning", "ignored", compiled.element("joint", joint.name), what)
        if joint.kind == "free" and choices.base == "fixed":
            start = compiled["jnt_qposadr"][j]
            at = compiled["qpos0"][start : start + 7]
            what = f"{compiled.names['body'][body]!r} is fixed to the ground, as asked"
            notes.add("info", "assumed", of_body, what)
            yield Joint(joint.name, "fixed", Pose(Quaternion(*at[3:]).normalised(), Vec3(*at[:3])))
            return
        yield joint
        X_PB = Pose.identity()  # the next stands in the body that this one moves


def _joint(compiled: Compiled, j: int, X_PB: Pose) -> Joint:
    kind = _KINDS[compiled["jnt_type"][j]]
    name = compiled.names["joint"][j]
    at_q, at_v = compiled["jnt_qposadr"][j], compiled["jnt_dofadr"][j]
    n = {"free": 6, "ball": 3}.get(kind, 1)  # freedoms
    p, axis = Vec3(*compiled["jnt_pos"][j]), Vec3(*compiled["jnt_axis"][j])
    spring = (compiled["jnt_stiffness"][j],) * n

    def of_freedoms(theirs: str) -> tuple[float, ...]:
        values = tuple(compiled[theirs][at_v : at_v + n])
        return values if any(values) else ()

    joint = Joint(
        name,
        kind,
        armature=of_freedoms("dof_armature"),
        damping=of_freedoms("dof_damping"),
        friction=of_freedoms("dof_frictionloss"),
        stiffness=spring if any(spring) else (),
        rest=tuple(compiled["qpos_spring"][at_q : at_q + _NQ[kind]]) if any(spring) else (),
        limits=_limits(compiled, j),
    )
    if kind == "free":
        # Its coordinates are those of the body in the world, wherever the file has put it.
        return replace(joint, axes=AXES)
    here, back = Pose(_IDENTITY, p), Pose(_IDENTITY, -p)
    if kind == "ball":
        return replace(joint, X_PJ=X_PB @ here, X_MB=back)
    if not axis.norm() > 0:
        element = compiled.element("joint", name)
        where = None if element is None else element.place
        raise FormatError(f"the axis of joint {name!r} is zero", do="give it a direction", where=where)
    axis = axis if axis.norm() == 1 else axis / axis.norm()
    ref = compiled["qpos0"][at_q]  # the file's poses are those at this coordinate
    if kind == "prismatic":
        start = Pose(_IDENTITY, p - axis * ref) if ref else here
    else:
        start = Pose(Quaternion.from_axis_angle(axis, -ref), p) if ref else here
    return replace(joint, X_PJ=X_PB @ start, X_MB=back, axes=(axis,))


def _limits(compiled: Compiled, j: int) -> tuple[Limits, ...]:
    """Of a hinge or slide. A ball's is a cone, which has no lower end."""
    if _KINDS[compiled["jnt_type"][j]] not in ("prismatic", "revolute"):
        return ()
    lower, upper = ends(compiled["jnt_range"][j]) if compiled["jnt_limited"][j] else (None, None)
    effort = None
    if compiled["jnt_actfrclimited"][j]:
        effort = max(abs(x) for x in compiled["jnt_actfrcrange"][j])
    return () if (lower, effort) == (None, None) else (Limits(lower, upper, effort=effort),)


def ends(given: list[float]) -> tuple[float | None, float | None]:
    """A range; what MuJoCo takes for the greatest number bounds nothing."""
    lower, upper = (None if abs(x) >= GREATEST else x for x in given)
    return lower, upper
