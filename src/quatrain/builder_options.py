"""What the builder takes for axes, poses, limits and numbers, as the model's own types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from quatrain.body import symmetric
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross
from quatrain.joint import JOINT_KINDS, Joint, Limits, Mimic
from quatrain.model import AXES

_NAMED_AXES = {"x": AXES[0], "y": AXES[1], "z": AXES[2], "-x": -AXES[0], "-y": -AXES[1], "-z": -AXES[2]}

# ---- axes ---------------------------------------------------------------------------------------------


def axes_of(kind: str, axis: Any, where: str) -> tuple[Vec3, ...]:
    """The unit axes of a joint, from what was said of them."""
    count = max((motion.axis + 1 for motion in JOINT_KINDS[kind] if motion.kind != "ball"), default=0)
    if count == 0:
        if axis is not None:
            raise ArgumentError(f"{where}: a {kind} joint has no axis", do="leave axis out")
        return ()
    if kind in ("planar", "free") and axis is None:
        return AXES
    if kind == "planar" and not _several(axis):  # the normal of the plane
        z = _unit(axis, where)
        if not abs(z.norm() - 1) < 1e-6:
            return (AXES[0], AXES[1], z)
        x = _perpendicular(z)
        return (x, cross(z, x), z)
    if axis is None:
        axis = "z" if count == 1 else ("x", "y")
    given = tuple(axis) if _several(axis) else (axis,)
    if len(given) != count:
        wanted = "one axis" if count == 1 else f"{count} axes"
        raise ArgumentError(
            f"{where}: a {kind} joint has {wanted}, and {len(given)} came",
            do='pass axis="y" or a vector' if count == 1 else 'pass axis=("x", "y") or as many vectors',
        )
    return tuple(_unit(one, where) for one in given)


def _several(axis: Any) -> bool:
    return isinstance(axis, (tuple, list)) and any(isinstance(one, (str, tuple, list, Vec3)) for one in axis)


def _unit(axis: Any, where: str) -> Vec3:
    if isinstance(axis, str):
        if axis not in _NAMED_AXES:
            raise ArgumentError(
                f"axis of {where} is {axis!r}", do="name x, y, z, -x, -y or -z, or give a vector"
            )
        return _NAMED_AXES[axis]
    v = three(axis, f"axis of {where}")
    if not 0 < v.norm() < math.inf:
        return v  # the checks say what is wrong with it
    return v if v.norm() == 1 else v / v.norm()


def _perpendicular(z: Vec3) -> Vec3:
    least = min(AXES, key=lambda axis: abs(axis.x * z.x + axis.y * z.y + axis.z * z.z))
    x = cross(cross(z, least), z)
    return x / x.norm()


# ---- places -------------------------------------------------------------------------------------------


def pose_of(at: Any, rotation: Any, name: str) -> Pose:
    """A pose from a point and a rotation, or from a pose."""
    if isinstance(at, Pose):
        if rotation is not None:
            raise ArgumentError(
                f"{name} is a Pose, and a rotation came as well", do="give a point, or no rotation"
            )
        return at
    if rotation is None:
        return Pose(Quaternion.identity(), three(at, name))
    require(rotation, Quaternion, f"rotation beside {name}")
    return Pose(rotation, three(at, name))


# ---- numbers ------------------------------------------------------------------------------------------
# Whether they are finite, the checks say, with all else that is wrong with the model.


def three(values: Any, name: str) -> Vec3:
    """A point or a direction."""
    try:
        return Vec3(*map(float, values))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {values!r}", do="pass three numbers, or a Vec3 of numbers") from None


def inertia_of(value: Any, name: str) -> SymMat3:
    """Principal moments or a matrix."""
    try:
        return symmetric(value, name)
    except ArgumentError:
        entries = np.asarray(value.to_array() if hasattr(value, "to_array") else value)
        if entries.dtype.kind == "f" and not np.all(np.isfinite(entries)):
            return SymMat3(*(math.nan,) * 6)
        raise


def factors(values: Any, name: str, *, one: bool = False) -> tuple[float, ...]:
    """One number, or several; whether they are possible, and as many as the joint has freedoms, the checks say."""
    try:
        listed = tuple(values) if getattr(values, "shape", True) and hasattr(values, "__len__") else (values,)
        if one and len(listed) != 1:
            raise TypeError
        return tuple(float(value) for value in listed)
    except (TypeError, ValueError):
        what = "one number" if one else "a number, or one for each freedom"
        raise ArgumentError(f"{name} is {values!r}", do=f"pass {what}") from None


def numbers(values: Any, count: int, name: str) -> Any:
    """As many as there must be."""
    found = factors(values, name)
    if len(found) != count:
        raise ArgumentError(f"{name} has {len(found)} entries", do=f"pass {count}")
    return found


def coordinates_of(joint: Joint, value: Any) -> tuple[float, ...]:
    """Where a joint is to stand."""
    name = f"the value of joint {joint.name!r}"
    q = factors(value, name)
    if len(q) != joint.nq:
        raise ArgumentError(
            f"joint {joint.name!r} has {joint.nq} coordinates, and {len(q)} came", do="give one for each"
        )
    if not all(map(math.isfinite, q)):
        raise ArgumentError(f"{name} is {value}", do="pass finite numbers")
    if joint.kind in ("ball", "free") and abs(math.hypot(*q[-4:]) - 1.0) > 1e-6:
        raise ArgumentError(
            f"{name} has a quaternion of norm {math.hypot(*q[-4:]):.9g}",
            do="normalise it, in the order (w, x, y, z)",
        )
    return q


def bounds(values: Any, name: str) -> tuple[float | None, float | None]:
    """The lower and the upper one, either of which may be None."""
    try:
        lower, upper = values
        return _bound(lower), _bound(upper)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{name} is {values!r}", do="pass (lower, upper), with None where there is none"
        ) from None


def _bound(value: Any) -> float | None:
    return None if value is None or math.isinf(value) else float(value)


def joint_limits(limits: Any, where: str) -> tuple[Limits, ...]:
    """`Limits`, several of them, or the bounds of a joint of one freedom."""
    if limits is None:
        return ()
    if isinstance(limits, Limits):
        return (limits,)
    if isinstance(limits, Sequence) and limits and all(isinstance(one, Limits) for one in limits):
        return tuple(limits)
    return (Limits(*bounds(limits, f"limits of {where}")),)


def mimic_of(mimic: Any, where: str) -> Mimic | None:
    """The joint that is followed, by name or with ratio and offset."""
    if mimic is None or isinstance(mimic, Mimic):
        return mimic
    given = (mimic,) if isinstance(mimic, str) else tuple(mimic)
    if not (1 <= len(given) <= 3 and isinstance(given[0], str)):
        raise ArgumentError(
            f"mimic of {where} is {mimic!r}",
            do="name a joint, or pass (joint, ratio) or (joint, ratio, offset)",
        )
    return Mimic(given[0], *factors(given[1:], f"ratio and offset of mimic of {where}"))
