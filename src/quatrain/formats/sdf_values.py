"""Values of SDF, which stand as text between tags: numbers, flags, names, poses."""

from __future__ import annotations

import math

from quatrain.formats.reading import Notes, rotation_of_rpy, unit_of_xyzw
from quatrain.formats.source import Element
from quatrain.geometry import Pose, Quaternion, Vec3

_ZERO = Vec3(0.0, 0.0, 0.0)
ENDLESS = 1e16
"""From here on a bound means that there is none."""


def number(owner: Element, tag: str, default: float) -> float:
    given = owner.child(tag)
    return default if given is None else given.as_numbers(given.text(), 1, "text")[0]


def bound(owner: Element, tag: str) -> float | None:
    """A number, or None where none is written or an endless one."""
    given = owner.child(tag)
    if given is None:
        return None
    try:
        value = float(given.text())
    except ValueError:
        value = math.nan
    if math.isnan(value):
        given.fail(f"text of <{tag}> is {given.text()[:60]!r}", do="write a number, or inf")
    return None if abs(value) >= ENDLESS else value


def size(owner: Element, tag: str) -> float | None:
    """The same of what is bounded in size; below zero means that it is not."""
    value = bound(owner, tag)
    return None if value is None or value < 0 else value


def vector(owner: Element, tag: str, default: Vec3) -> Vec3:
    given = owner.child(tag)
    return default if given is None else Vec3(*given.as_numbers(given.text(), 3, "text"))


def word(owner: Element, tag: str, default: str = "") -> str:
    given = owner.child(tag)
    return default if given is None else given.text()


def flag(owner: Element, tag: str, default: bool = False) -> bool:
    given = owner.child(tag)
    return default if given is None else _truth(given, given.text(), f"text of <{tag}>", default)


def attribute_flag(owner: Element, name: str) -> bool:
    return _truth(owner, owner.get(name) or "", f"attribute {name!r} of <{owner.tag}>", False)


def _truth(element: Element, text: str, what: str, default: bool) -> bool:
    said = text.strip().lower()
    if said in ("", "1", "true", "0", "false"):
        return said in ("1", "true") if said else default
    return element.fail(f"{what} is {text[:60]!r}", do="write true or false")


def pose(owner: Element, notes: Notes) -> tuple[Pose, str]:
    """<pose>, and the name of the frame that it is measured in; nothing, if it says none."""
    given = owner.child("pose")
    if given is None:
        return Pose.identity(), ""
    within = (given.get("relative_to") or given.get("frame") or "").strip()
    return written_pose(given, notes), within


def written_pose(given: Element, notes: Notes) -> Pose:
    form = given.get("rotation_format") or "euler_rpy"
    if form not in ("euler_rpy", "quat_xyzw"):
        given.fail(f"rotation_format is {form!r}", do="write euler_rpy or quat_xyzw")
    degrees = attribute_flag(given, "degrees")
    text = given.text()
    if not text:
        return Pose.identity()
    if form == "quat_xyzw":
        x = given.as_numbers(text, 7, "text")
        return Pose(unit_of_xyzw(x[3:], given, notes), Vec3(*x[:3]))
    x = given.as_numbers(text, 6, "text")
    rpy = Vec3(*x[3:])
    return Pose(rotation_of_rpy(rpy * (math.pi / 180) if degrees else rpy), Vec3(*x[:3]))


def turning_z_to(normal: Vec3) -> Quaternion:
    """The shortest turn that takes z there."""
    n = normal / normal.norm()
    if n.z < -1 + 1e-12:
        return Quaternion(0.0, 1.0, 0.0, 0.0)
    return Quaternion(1 + n.z, -n.y, n.x, 0.0).normalised()
