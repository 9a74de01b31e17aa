"""Small matrices of any shape, for equations that are written with 3×4 and 4×4 matrices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, overload

from quatrain.errors import ArgumentError, with_article
from quatrain.geometry.mat3 import Mat3
from quatrain.geometry.quaternion import Quaternion
from quatrain.geometry.symmat3 import SymMat3
from quatrain.geometry.vec3 import Vec3, dot
from quatrain.scalar import Scalar

_COLUMNS = {3: Vec3, 4: Quaternion}


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix by its rows. Columns of three are `Vec3`, columns of four are `Quaternion`.

    So with E of shape 3×4, `E @ q` is a Vec3 and `E.T @ v` a Quaternion, as the equations read.
    """

    rows: tuple[tuple[Scalar, ...], ...]

    __array_ufunc__ = None

    @classmethod
    def of(cls, value: Any) -> Matrix:
        """A Mat3 or SymMat3 as it is; a Vec3 or Quaternion as a single column."""
        if isinstance(value, Matrix):
            return value
        if isinstance(value, (Mat3, SymMat3)):
            return cls(tuple(tuple(row) for row in value.rows))
        if isinstance(value, (Vec3, Quaternion)):
            return cls(tuple((entry,) for entry in value))
        raise ArgumentError(
            f"{with_article(type(value))} is not a matrix",
            do="pass a Matrix, Mat3, SymMat3, Vec3 or Quaternion",
        )

    @classmethod
    def from_columns(cls, columns: Iterable[Iterable[Scalar]]) -> Matrix:
        return cls(tuple(zip(*columns, strict=True)))

    @classmethod
    def identity(cls, size: int) -> Matrix:
        return cls(tuple(tuple(1 if i == j else 0 for j in range(size)) for i in range(size)))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])

    @property
    def T(self) -> Matrix:
        return Matrix(tuple(zip(*self.rows, strict=True)))

    @overload
    def __matmul__(self, other: Matrix | Mat3 | SymMat3) -> Matrix: ...
    @overload
    def __matmul__(self, other: Vec3 | Quaternion) -> Any: ...
    def __matmul__(self, other: Matrix | Mat3 | SymMat3 | Vec3 | Quaternion) -> Any:
        if isinstance(other, (Vec3, Quaternion)):
            kind = _COLUMNS.get(self.shape[0], tuple)
            entries = [dot(row, tuple(other)) for row in self.rows]
            return kind(*entries) if kind is not tuple else tuple(entries)
        right = Matrix.of(other)
        if self.shape[1] != right.shape[0]:
            raise ArgumentError(
                f"matrices of shapes {self.shape} and {right.shape} do not multiply",
                do="the first one's columns must be as many as the second one's rows",
            )
        return Matrix(tuple(tuple(dot(row, column) for column in right.T.rows) for row in self.rows))

    def __rmatmul__(self, other: Any) -> Matrix:
        return Matrix.of(other) @ self

    def _elementwise(self, other: Any, combine: Any) -> Matrix:
        right = Matrix.of(other)
        if self.shape != right.shape:
            raise ArgumentError(
                f"matrices of shapes {self.shape} and {right.shape} do not add", do="bring them to one shape"
            )
        pairs = zip(self.rows, right.rows, strict=True)
        return Matrix(tuple(tuple(combine(a, b) for a, b in zip(p, q, strict=True)) for p, q in pairs))

    def __add__(self, other: Any) -> Matrix:
        return self._elementwise(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Matrix:
        return self._elementwise(other, lambda a, b: a - b)

    def __neg__(self) -> Matrix:
        return self * -1

    def __mul__(self, factor: Scalar) -> Matrix:
        return Matrix(tuple(tuple(entry * factor for entry in row) for row in self.rows))

    __rmul__ = __mul__

    def to_mat3(self) -> Mat3:
        if self.shape != (3, 3):
            raise ArgumentError(f"a matrix of shape {self.shape} is not 3×3", do="take a 3×3 block of it")
        return Mat3(*(entry for row in self.rows for entry in row))
