"""Joints of SDF as joints here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quatrain.formats.reading import Choices, Notes
from quatrain.formats.sdf_frames import Scope, Spot, body_of, relative
from quatrain.formats.sdf_values import bound, flag, number, size
from quatrain.formats.source import Element
from quatrain.geometry import Quaternion, Vec3
from quatrain.joint import Joint, Limits, Mimic

KINDS = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "ball",
    "screw": "helical",
    "universal": "universal",
    "revolute2": "universal",
}
GEARBOX = "gearbox"
_AXES = {"fixed": (), "ball": (), "universal": ("axis", "axis2")}
_Z = Vec3(0.0, 0.0, 1.0)
_TURN = 6.283185307179586


@dataclass(eq=False)
class Joined:
    """A joint of the file, with the frames that it joins."""

    element: Element
    spot: Spot
    scope: Scope
    home: Spot
    version: tuple[int, int]
    parent: Spot
    child: Spot

    @property
    def kind(self) -> str:
        said = self.element.string("type").strip().lower()
        if said not in (*KINDS, GEARBOX):
            self.element.fail(
                f"joint{self.element.named()} has the type {said!r}",
                do=f"the types of SDF are {', '.join((*KINDS, GEARBOX))}",
            )
        return said


def joint_of(joined: Joined, choices: Choices, notes: Notes) -> Joint:
    """As the file has it, from the parent's link to the child's."""
    element = joined.element
    kind = KINDS[joined.kind]
    tags = _AXES.get(kind, ("axis",))
    for tag in ("axis", "axis2"):
        if tag not in tags and element.has_child(tag):
            notes.aside(element.children(tag), f"a {joined.kind} joint has none: it has no effect", "warning")
    given = [element.child(tag) for tag in tags]
    joint = Joint(
        joined.spot.label,
        kind,
        relative(body_of(joined.parent), joined.spot),
        relative(joined.spot, body_of(joined.child)),
        axes=tuple(_axis(one, joined, notes) for one in given),
        pitch=_pitch(element, notes) if kind == "helical" else 0.0,
    )
    return _mimic(_numbers(joint, given, notes), given, joined, choices, notes)


def _axis(given: Element | None, joined: Joined, notes: Notes) -> Vec3:
    """In the joint's frame."""
    where = f"joint {joined.spot.label!r}"
    if given is None:
        notes.add("warning", "axis", joined.element, f"{where} lacks an <axis>: z is taken")
        return _Z
    xyz = given.child("xyz")
    v = Vec3(*xyz.as_numbers(xyz.text(), 3, "text")) if xyz is not None else _Z
    length = v.norm()
    if not length > 0:
        (xyz or given).fail(f"the axis of {where} is zero", do="write a direction such as <xyz>0 0 1</xyz>")
    if abs(length - 1) > 1e-3:
        notes.add("info", "axis", xyz, f"the axis of {where} has length {length:.4g}; its direction is taken")
    v = v if length == 1 else v / length
    within = (xyz.get("expressed_in") or "").strip() if xyz is not None else ""
    # Until 1.4 an axis stood in the model's frame, in 1.5 and 1.6 if it said so, since 1.7 by name.
    if joined.version < (1, 7) and flag(given, "use_parent_model_frame", joined.version < (1, 5)):
        frame = joined.home
    elif within:
        frame = joined.scope.find(within, joined.home, xyz or given, f"the axis of {where} is expressed in")
    else:
        return v
    q = relative(joined.spot, frame).q
    return v if q == Quaternion.identity() else q.rotate(v)


def _pitch(element: Element, notes: Notes) -> float:
    """Advance by angle [m/rad]. The older of the two numbers is radians by metre of a left-handed thread."""
    old = element.child("thread_pitch")
    if element.has_child("screw_thread_pitch") or old is None:
        if old is not None:
            notes.aside([old], "screw_thread_pitch is meant instead")
        return number(element, "screw_thread_pitch", 1.0) / _TURN
    value = number(element, "thread_pitch", 1.0)
    if value == 0:
        old.fail("thread_pitch is zero", do="write radians by metre, or metres by turn as screw_thread_pitch")
    return -1 / value


def _numbers(joint: Joint, given: Sequence[Element | None], notes: Notes) -> Joint:
    """Limits, damping, friction and springs, an entry for each axis."""
    limits, columns = [], []
    for axis in given:
        dynamics = axis.child("dynamics") if axis is not None else None
        limit = axis.child("limit") if axis is not None else None
        tags = ("damping", "friction", "spring_stiffness", "spring_reference")
        columns.append([0.0 if dynamics is None else number(dynamics, tag, 0.0) for tag in tags])
        limits.append(_limits(joint, limit, notes))
        if axis is not None and number(axis, "initial_position", 0.0):
            what = "initial_position is not taken over: all joints start at zero"
            notes.add("warning", "ignored", axis.child("initial_position"), what)
    if not columns:
        return joint
    damping, friction, stiffness, rest = (tuple(column) for column in zip(*columns, strict=True))
    return replace(
        joint,
        damping=damping if any(damping) else (),
        friction=friction if any(friction) else (),
        stiffness=stiffness if any(stiffness) else (),
        rest=rest if any(rest) and any(stiffness) else (),
        limits=tuple(limits) if any(one != Limits() for one in limits) else (),
    )


def _limits(joint: Joint, limit: Element | None, notes: Notes) -> Limits:
    if limit is None:
        return Limits()
    notes.aside(
        limit.children("stiffness", "dissipation"), "stops at the end of a joint are not modelled here"
    )
    lower, upper = bound(limit, "lower"), bound(limit, "upper")
    if joint.kind == "continuous" and (lower, upper) != (None, None):
        what = f"continuous joint {joint.name!r} has bounds: they are left out"
        notes.add("warning", "limits", limit, what, "make it revolute, if they are meant")
        lower = upper = None
    return Limits(lower, upper, size(limit, "velocity"), size(limit, "effort"))


def _mimic(
    joint: Joint, given: Sequence[Element | None], joined: Joined, choices: Choices, notes: Notes
) -> Joint:
    """follower = multiplier · (leader − reference) + offset."""
    for axis in given:
        said = axis.child("mimic") if axis is not None else None
        if said is None:
            continue
        name = said.string("joint")
        ratio, offset = number(said, "multiplier", 1.0), number(said, "offset", 0.0)
        offset -= ratio * number(said, "reference", 0.0)
        which = said.get("axis") or "axis"
        if choices.mimic != "exact":
            what = f"joint {joint.name!r} has a coordinate of its own, though it follows {name!r}"
            notes.add("info", "assumed", said, what)
            continue
        leader = joined.scope.joints.get(name) or joined.scope.find(
            name, joined.home, said, f"joint {joint.name!r} follows a joint that"
        )
        if which != "axis" or joint.freedoms != 1:
            what = f"joint {joint.name!r} follows {name!r} by one of two axes, which is not modelled here"
            notes.add("warning", "ignored", said, what)
            continue
        notes.add("info", "merged", said, f"joint {joint.name!r} follows {name!r} and has no coordinate")
        joint = replace(joint, mimic=Mimic(leader.label, ratio, offset))
    return joint


def turned(joint: Joint) -> Joint:
    """The joint seen from its other side: the same coordinates move the same way apart.

    A ball's quaternion is then the conjugate, a universal joint's second angle comes first.
    """
    order = slice(None, None, -1)
    return replace(
        joint,
        X_PJ=joint.X_MB.inverse(),
        X_MB=joint.X_PJ.inverse(),
        axes=tuple(-axis for axis in joint.axes[order]),
        damping=joint.damping[order],
        friction=joint.friction[order],
        stiffness=joint.stiffness[order],
        rest=joint.rest[order],
        limits=joint.limits[order],
    )
