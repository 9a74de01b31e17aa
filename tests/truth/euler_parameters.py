"""A turning body as a cloud of point masses, by d'Alembert's principle: no formula of rigid bodies is used.

Everything is polynomial and runs on arrays of fractions as well as of floats. Rotation matrices are
quadratic in q, so the differences below are derivatives without error.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

Array = np.ndarray


def homogeneous_matrix(q: Array) -> Array:
    """Direction cosines as Euler wrote them, |q|² times a rotation."""
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def matrix_S5(q: Array) -> Array:
    """(2q₀² − 1) 1 + 2 (q qᵀ + q₀ [q]×), a rotation on the unit sphere only."""
    w, x, y, z = q
    v = np.array([x, y, z])
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=v.dtype)
    return np.eye(3, dtype=int) * (2 * w * w - 1) + 2 * (np.outer(v, v) + w * skew)


def slope(quadratic: Any, q: Array, dq: Array) -> Array:
    """First derivative along dq."""
    return (quadratic(q + dq) - quadratic(q - dq)) / 2


def second_derivative(quadratic: Any, q: Array, dq: Array, ddq: Array) -> Array:
    """Second derivative in time along q(t) = q + q̇ t + ½ q̈ t²."""
    curvature = quadratic(q + dq) + quadratic(q - dq) - 2 * quadratic(q)
    return slope(quadratic, q, ddq) + curvature


def product(a: Array, b: Array) -> Array:
    """Hamilton's, by the table of i, j and k."""
    return np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
            a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
        ]
    )


def conjugate(a: Array) -> Array:
    return np.array([a[0], -a[1], -a[2], -a[3]])


def pure(v: Array) -> Array:
    return np.array([0 * v[0], *v])


def solve_exactly(A: Array, b: Array) -> Array:
    """A x = b by elimination in fractions, rows exchanged where a pivot is zero."""
    rows = [[*map(Fraction, row), Fraction(x)] for row, x in zip(A, b, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return np.array([row[-1] for row in rows], dtype=object)


def rank_and_determinant(A: Array) -> tuple[int, Fraction]:
    rows = [list(map(Fraction, row)) for row in A]
    determinant, rank = Fraction(1), 0
    for column in range(len(rows)):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column] != 0), None)
        if pivot is None:
            determinant = Fraction(0)
            continue
        if pivot != rank:
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            determinant = -determinant
        determinant *= rows[rank][column]
        for k in range(rank + 1, len(rows)):
            factor = rows[k][column] / rows[rank][column]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[rank], strict=True)]
        rank += 1
    return rank, determinant


@dataclass(frozen=True)
class Cloud:
    """Point masses and their places from the mass centre, in the body."""

    masses: Array
    places: Array

    @classmethod
    def about_its_centre(cls, masses: Array, places: Array) -> Cloud:
        return cls(masses, places - masses @ places / masses.sum())

    def inertia(self) -> Array:
        """Sums of m (r² 1 − r rᵀ), entry by entry."""
        x, y, z = self.places.T
        m = self.masses
        return np.array(
            [
                [m @ (y * y + z * z), -(m @ (x * y)), -(m @ (x * z))],
                [-(m @ (x * y)), m @ (x * x + z * z), -(m @ (y * z))],
                [-(m @ (x * z)), -(m @ (y * z)), m @ (x * x + y * y)],
            ]
        )

    def virtual_work(
        self,
        motion: tuple[Array, Array, Array],
        delta_q: Array,
        forces: list[tuple[Array, Array]],
        a_o: Array | None = None,
        delta_x: Array | None = None,
    ) -> Any:
        """Σ m δr·r̈ − Σ f·δr of the points that forces act on, r = x_o + R(q) r′."""
        still = np.array([Fraction(0)] * 3, dtype=object)
        a_o, delta_x = still if a_o is None else a_o, still if delta_x is None else delta_x
        q, dq, ddq = motion
        dR, ddR = slope(homogeneous_matrix, q, delta_q), second_derivative(homogeneous_matrix, q, dq, ddq)
        work = sum(
            m * ((delta_x + dR @ r) @ (a_o + ddR @ r)) for m, r in zip(self.masses, self.places, strict=True)
        )
        return work - sum(f @ (delta_x + dR @ u) for f, u in forces)

    def moment_of_inertia_forces(self, motion: tuple[Array, Array, Array]) -> Array:
        """Σ m r × r̈ in the body, on the unit sphere."""
        q, dq, ddq = motion
        R, ddR = homogeneous_matrix(q), second_derivative(homogeneous_matrix, q, dq, ddq)
        return sum(m * np.cross(r, R.T @ (ddR @ r)) for m, r in zip(self.masses, self.places, strict=True))
