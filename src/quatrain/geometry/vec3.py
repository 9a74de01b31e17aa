"""Vectors of three components in one frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quatrain import arrays
from quatrain.errors import ArgumentError, require
from quatrain.scalar import Scalar, first_true, sqrt


@dataclass(frozen=True, slots=True)
class Vec3:
    """A vector by its components in some frame; the name of the variable says which.

    The components are any scalars, and NumPy columns broadcast against one another. Write the scalar
    on the right, `axis * angle`: on the left it works only where the scalar's own type steps aside.
    """

    x: Scalar
    y: Scalar
    z: Scalar

    # NumPy must not spread a vector over the elements of an array.
    __array_ufunc__ = None

    @classmethod
    def zero(cls) -> Vec3:
        return cls(0, 0, 0)

    @classmethod
    def from_array(cls, array: Any, *, name: str = "array") -> Vec3:
        """From an array (..., 3): columns over its leading axes."""
        return cls(*arrays.components(array, 3, name=name))

    def to_array(self) -> Any:
        """As an array (..., 3)."""
        return arrays.stacked(self)

    def __iter__(self) -> Iterator[Scalar]:
        yield self.x
        yield self.y
        yield self.z

    def __add__(self, other: Vec3) -> Vec3:
        if not isinstance(other, Vec3):
            return NotImplemented
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vec3) -> Vec3:
        if not isinstance(other, Vec3):
            return NotImplemented
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Vec3:
        if isinstance(factor, Vec3):
            raise ArgumentError(
                "two vectors were multiplied with *",
                do="use dot(a, b), cross(a, b) or outer(a, b), whichever product is meant",
            )
        return Vec3(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Vec3:
        return Vec3(self.x / divisor, self.y / divisor, self.z / divisor)

    def norm_squared(self) -> Scalar:
        return dot(self, self)

    def norm(self) -> Scalar:
        return sqrt(self.norm_squared())

    def normalised(self, *, name: str = "vector") -> Vec3:
        """The vector of length 1 in its direction; an error for a zero vector, NaN where no value is known."""
        norm = self.norm()
        refuse_unusable_norm(norm, name)
        return self / norm


def dot(a: Any, b: Any) -> Scalar:
    """Scalar product aᵀb of two vectors, or of two quaternions as columns of four."""
    try:
        pairs = tuple(zip(a, b, strict=True))
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"dot(a, b) was asked of a {type(a).__name__} and a {type(b).__name__}, which have not as many components",
            do="pass two Vec3, or two Quaternion as columns of four",
        ) from error
    total = None
    for p, q in pairs:
        total = p * q if total is None else total + p * q
    return total


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Vector product a × b; both in one frame, whichever it is.

    Equations: Y(43), Y(44)
    """
    require(a, Vec3, "a of cross(a, b)")
    require(b, Vec3, "b of cross(a, b)")
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


def refuse_zero(square: Scalar, name: str) -> None:
    """An error where the square of a norm is known to be zero."""
    place = first_true(square == 0)
    if place is not None:
        raise ArgumentError(
            f"{name}{_at(place)} is zero, so it is no rotation",
            do="pass one whose norm is a positive finite number",
        )


def refuse_unusable_norm(norm: Scalar, name: str) -> None:
    """An error where a norm is known to be zero, infinite or NaN."""
    for condition, what in (
        (norm == 0, "is zero"),
        (norm != norm, "holds NaN"),
        (norm == norm * 2, "is too large or infinite"),
    ):
        place = first_true(condition)
        if place is not None:
            raise ArgumentError(
                f"{name}{_at(place)} {what}, so it has no direction",
                do="pass one whose norm is a positive finite number",
            )


def _at(place: tuple[int, ...]) -> str:
    return f" at index {place if len(place) > 1 else place[0]}" if place else ""
