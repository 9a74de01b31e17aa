"""Rotations of a model's own frames, free of rounding where they can be: numbers that are known, not traced."""

from __future__ import annotations

from quatrain.geometry import Mat3, Quaternion, Vec3, cross
from quatrain.scalar import Scalar

_HALF = 0.5
# To frames whose z axis is x, y, z, −x, −y, −z: half turns, and third turns about the diagonals, which are exact.
_KNOWN = (
    (Vec3(1, 0, 0), Quaternion(_HALF, _HALF, _HALF, _HALF)),
    (Vec3(0, 1, 0), Quaternion(_HALF, -_HALF, -_HALF, -_HALF)),
    (Vec3(0, 0, 1), Quaternion(1.0, 0.0, 0.0, 0.0)),
    (Vec3(-1, 0, 0), Quaternion(_HALF, _HALF, -_HALF, -_HALF)),
    (Vec3(0, -1, 0), Quaternion(_HALF, _HALF, _HALF, -_HALF)),
    (Vec3(0, 0, -1), Quaternion(0.0, 1.0, 0.0, 0.0)),
)


def aligned(axis: Vec3) -> Quaternion:
    """A rotation that takes z to this unit vector (numbers, not traced); without rounding along coordinate axes."""
    for known, q in _KNOWN:
        if all(a == b for a, b in zip(axis, known, strict=True)):
            return q
    if axis.z < -0.5:  # the half turn about x first: far from the pole of the formula below
        return Quaternion(0.0, 1.0, 0.0, 0.0) @ aligned(Vec3(axis.x, -axis.y, -axis.z))
    # Half way between z and the axis.
    turn = cross(Vec3(0.0, 0.0, 1.0), axis)
    return Quaternion(1 + axis.z, turn.x, turn.y, turn.z).normalised()


def snapped(R: Mat3) -> Mat3:
    """Entries within rounding of 0, 1 or −1 are these, so that they fold; traced ones stay as they are."""
    return Mat3(*(_snapped(entry) for entry in R))


def snapped_quaternion(q: Quaternion) -> Quaternion:
    """The same for the components of a quaternion."""
    return Quaternion(*(_snapped(entry) for entry in q))


def _snapped(entry: Scalar) -> Scalar:
    if not isinstance(entry, float):
        return entry
    nearest = float(round(entry))
    return nearest if -4e-16 < entry - nearest < 4e-16 else entry
