"""Symmetric matrices of three rows: inertias and their kin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from quatrain.errors import ArgumentError, refuse_factor
from quatrain.geometry.mat3 import Mat3, refuse_singular
from quatrain.geometry.vec3 import Vec3, cross, dot
from quatrain.scalar import Scalar, abs, first_true


@dataclass(frozen=True, slots=True)
class SymMat3:
    """A symmetric 3×3 matrix by its six entries. An inertia's products carry their minus sign inside."""

    xx: Scalar
    yy: Scalar
    zz: Scalar
    xy: Scalar
    xz: Scalar
    yz: Scalar

    __array_ufunc__ = None

    @classmethod
    def identity(cls) -> SymMat3:
        return cls.diagonal(1, 1, 1)

    @classmethod
    def diagonal(cls, xx: Scalar, yy: Scalar, zz: Scalar) -> SymMat3:
        return cls(xx, yy, zz, 0, 0, 0)

    @classmethod
    def from_mat3(cls, m: Mat3) -> SymMat3:
        """The symmetric part ½(m + mᵀ)."""
        return cls(m.xx, m.yy, m.zz, (m.xy + m.yx) / 2, (m.xz + m.zx) / 2, (m.yz + m.zy) / 2)

    @classmethod
    def from_array(cls, array: Any, *, name: str = "array", tolerance: float = 1e-9) -> SymMat3:
        """From an array (..., 3, 3), which must be symmetric to `tolerance` times its largest entry."""
        m = Mat3.from_array(array, name=name)
        largest = sum(abs(entry) for entry in m)
        for a, b in (("xy", "yx"), ("xz", "zx"), ("yz", "zy")):
            place = first_true(abs(getattr(m, a) - getattr(m, b)) > largest * tolerance)
            if place is not None:
                raise ArgumentError(
                    f"{name} is not symmetric: its entries {a} and {b} differ",
                    do="pass ½(A + Aᵀ) if that is meant",
                )
        return cls.from_mat3(m)

    def to_array(self) -> Any:
        """As an array (..., 3, 3)."""
        return self.to_mat3().to_array()

    def to_mat3(self) -> Mat3:
        return Mat3.from_rows(*self.rows)

    def __iter__(self) -> Iterator[Scalar]:
        """The six entries: the diagonal, then xy, xz, yz."""
        yield from (self.xx, self.yy, self.zz, self.xy, self.xz, self.yz)

    @property
    def rows(self) -> tuple[Vec3, Vec3, Vec3]:
        return (
            Vec3(self.xx, self.xy, self.xz),
            Vec3(self.xy, self.yy, self.yz),
            Vec3(self.xz, self.yz, self.zz),
        )

    def __add__(self, other: SymMat3) -> SymMat3:
        if not isinstance(other, SymMat3):
            return NotImplemented
        return SymMat3(*(a + b for a, b in zip(self, other, strict=True)))

    def __sub__(self, other: SymMat3) -> SymMat3:
        if not isinstance(other, SymMat3):
            return NotImplemented
        return SymMat3(*(a - b for a, b in zip(self, other, strict=True)))

    def __neg__(self) -> SymMat3:
        return SymMat3(*(-a for a in self))

    def __mul__(self, factor: Scalar) -> SymMat3:
        return SymMat3(*(a * factor for a in self))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> SymMat3:
        return SymMat3(*(a / divisor for a in self))

    @overload
    def __matmul__(self, other: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, other: Mat3 | SymMat3) -> Mat3: ...
    def __matmul__(self, other: Vec3 | Mat3 | SymMat3) -> Vec3 | Mat3:
        if isinstance(other, Vec3):
            return Vec3(*(dot(row, other) for row in self.rows))
        if isinstance(other, SymMat3):
            return self.to_mat3() @ other.to_mat3()
        if isinstance(other, Mat3):
            return self.to_mat3() @ other
        return refuse_factor(self, other, Vec3)

    def quadratic_form(self, v: Vec3) -> Scalar:
        """vᵀ S v"""
        return dot(v, self @ v)

    def rotated(self, R_AB: Mat3) -> SymMat3:
        """R S Rᵀ: the same tensor in axes A, given in axes B."""
        x, y, z = R_AB.rows
        Sx, Sy, Sz = self @ x, self @ y, self @ z
        return SymMat3(dot(x, Sx), dot(y, Sy), dot(z, Sz), dot(x, Sy), dot(x, Sz), dot(y, Sz))

    def trace(self) -> Scalar:
        return self.xx + self.yy + self.zz

    def determinant(self) -> Scalar:
        x, y, z = self.rows
        return dot(x, cross(y, z))

    def inverse(self) -> SymMat3:
        x, y, z = self.rows
        yz, zx, xy = cross(y, z), cross(z, x), cross(x, y)
        determinant = dot(x, yz)
        refuse_singular(determinant)
        return SymMat3(yz.x, zx.y, xy.z, yz.y, yz.z, zx.z) / determinant


def symmetric_outer(v: Vec3) -> SymMat3:
    """The dyad v vᵀ."""
    return SymMat3(v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z)
