"""Matrices of three rows and three columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from quatrain import arrays
from quatrain.errors import SingularError, refuse_factor, require
from quatrain.geometry.vec3 import Vec3, cross, dot
from quatrain.scalar import Scalar, abs, first_true, logical_not


@dataclass(frozen=True, slots=True)
class Mat3:
    """A 3×3 matrix by its entries, row by row."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yx: Scalar
    yy: Scalar
    yz: Scalar
    zx: Scalar
    zy: Scalar
    zz: Scalar

    __array_ufunc__ = None

    @classmethod
    def identity(cls) -> Mat3:
        return cls(1, 0, 0, 0, 1, 0, 0, 0, 1)

    @classmethod
    def from_rows(cls, x: Vec3, y: Vec3, z: Vec3) -> Mat3:
        return cls(*x, *y, *z)

    @classmethod
    def from_columns(cls, x: Vec3, y: Vec3, z: Vec3) -> Mat3:
        """The matrix whose columns are three vectors.

        With the body's axes, in components of the reference frame, it is the rotation matrix
        [i′ j′ k′] = [i j k] R.

        Equations: Y(4)
        """
        return cls(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z)

    @classmethod
    def from_array(cls, array: Any, *, name: str = "array") -> Mat3:
        """From an array (..., 3, 3)."""
        rows = arrays.rows(array, 3, name=name)
        return cls(*(entry for row in rows for entry in arrays.components(row, 3, name=name)))

    def to_array(self) -> Any:
        """As an array (..., 3, 3)."""
        flat = arrays.stacked(self)
        return flat.reshape(*flat.shape[:-1], 3, 3)

    def __iter__(self) -> Iterator[Scalar]:
        """The nine entries, row by row."""
        yield from (self.xx, self.xy, self.xz, self.yx, self.yy, self.yz, self.zx, self.zy, self.zz)

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        return (
            Vec3(self.xx, self.xy, self.xz),
            Vec3(self.yx, self.yy, self.yz),
            Vec3(self.zx, self.zy, self.zz),
        )

    @property
    def columns(self) -> tuple[Vec3, Vec3, Vec3]:
        return self.T.rows

    @property
    def T(self) -> Mat3:
        """The transpose."""
        return Mat3.from_columns(*self.rows)

    def __add__(self, other: Mat3) -> Mat3:
        if not isinstance(other, Mat3):
            return NotImplemented
        return Mat3(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: Mat3) -> Mat3:
        if not isinstance(other, Mat3):
            return NotImplemented
        return Mat3(*(a - b for a, b in zip(self, other, strict=True)))

    def __neg__(self) -> Mat3:
        return Mat3(*(-a for a in self))

    def __mul__(self, factor: Scalar) -> Mat3:
        return Mat3(*(a * factor for a in self))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Mat3:
        return Mat3(*(a / divisor for a in self))

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3) -> Mat3: ...
    def __matmul__(self, other: Vec3 | Mat3) -> Vec3 | Mat3:
        if isinstance(other, Vec3):
            return Vec3(*(dot(row, other) for row in self.rows))
        if isinstance(other, Mat3):
            return Mat3.from_columns(*(self @ column for column in other.columns))
        return refuse_factor(self, other, Vec3)

    def trace(self) -> Scalar:
        return self.xx + self.yy + self.zz

    def determinant(self) -> Scalar:
        x, y, z = self.rows
        return dot(x, cross(y, z))

    def inverse(self) -> Mat3:
        x, y, z = self.rows
        determinant = self.determinant()
        refuse_singular(determinant)
        return Mat3.from_columns(cross(y, z), cross(z, x), cross(x, y)) / determinant


def outer(a: Vec3, b: Vec3) -> Mat3:
    """The dyad a bᵀ."""
    return Mat3.from_rows(b * a.x, b * a.y, b * a.z)


def skew(v: Vec3) -> Mat3:
    """[v]× = S(v), the matrix of the vector product: [v]× w = v × w.

    Equations: Y(43), Y(47), S(6)
    """
    require(v, Vec3, "v of skew(v)")
    return Mat3(0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0)


def skew_part(m: Mat3) -> Vec3:
    """The vector v whose [v]× is the skew part ½(m − mᵀ)."""
    return Vec3(m.zy - m.yz, m.xz - m.zx, m.yx - m.xy) / 2


def refuse_singular(determinant: Scalar) -> None:
    """An error where a determinant is known to be zero or NaN."""
    place = first_true(logical_not(abs(determinant) > 0))
    if place is not None:
        raise SingularError(
            f"a matrix{f' at index {place}' if place else ''} has determinant zero or NaN and no inverse",
            do="check the matrix for a zero or repeated row",
        )
