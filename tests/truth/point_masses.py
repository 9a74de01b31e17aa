"""A rigid body as a cloud of point masses in a prescribed motion: sums over points, no formula of rigid bodies.

The motion's first and second derivatives are exact: a turn about a fixed axis is differentiated as a
matrix, and products of turns by the product rule. Arrays of motions are (n, …), of points (n, points, …).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.truth.rotations import cross_matrix, rodrigues


@dataclass(frozen=True)
class Motion:
    """Where a body is: origin and rotation matrix, with first and second derivatives by time."""

    p: np.ndarray
    v: np.ndarray
    a: np.ndarray
    R: np.ndarray
    dR: np.ndarray
    ddR: np.ndarray

    @property
    def w(self) -> np.ndarray:
        """Angular velocity in W: the skew matrix Ṙ Rᵀ."""
        return vector_of(self.dR @ transposed(self.R))

    @property
    def alpha(self) -> np.ndarray:
        """Its derivative: d/dt Ṙ Rᵀ = R̈ Rᵀ + Ṙ Ṙᵀ, whose second part is symmetric."""
        return vector_of(self.ddR @ transposed(self.R))

    def to_body(self, vector: np.ndarray) -> np.ndarray:
        return np.einsum("nji,nj->ni", self.R, vector)


def transposed(matrix: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrix, -1, -2)


def vector_of(matrix: np.ndarray) -> np.ndarray:
    """The vector of a matrix's skew part."""
    skew = (matrix - transposed(matrix)) / 2
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)


def turn(axis: np.ndarray, angle: np.ndarray, rate: np.ndarray, acceleration: np.ndarray) -> tuple:
    """A turn about a fixed unit axis and its two derivatives."""
    K, R = cross_matrix(axis), rodrigues(axis, angle)
    rate, acceleration = rate[:, None, None], acceleration[:, None, None]
    return R, K @ R * rate, K @ R * acceleration + K @ K @ R * rate**2


def product(first: tuple, second: tuple) -> tuple:
    """Of two matrices with their derivatives, by the product rule."""
    A, dA, ddA = first
    B, dB, ddB = second
    return A @ B, dA @ B + A @ dB, ddA @ B + 2 * dA @ dB + A @ ddB


def turns(letters: str, angles: np.ndarray, rates: np.ndarray, accelerations: np.ndarray) -> tuple:
    """Turns about coordinate axes one after the other, capitals about moved axes, small letters about fixed ones."""
    result = None
    for k, letter in enumerate(letters.lower()):
        axis = np.broadcast_to(np.eye(3)["xyz".index(letter)], angles.shape)
        one = turn(axis, angles[:, k], rates[:, k], accelerations[:, k])
        if result is None:
            result = one
        elif letters.isupper():
            result = product(result, one)
        else:
            result = product(one, result)
    return result


def random_motion(rng: np.random.Generator, count: int) -> Motion:
    """Three turns about random axes with random rates and accelerations."""
    result = None
    for _ in range(3):
        axis = rng.normal(size=(count, 3))
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        one = turn(axis, rng.uniform(-3, 3, count), *rng.normal(size=(2, count)))
        result = one if result is None else product(result, one)
    return Motion(*rng.normal(size=(3, count, 3)), *result)


@dataclass(frozen=True)
class Cloud:
    """Point masses (points,) at (points, 3) in the body."""

    masses: np.ndarray
    points: np.ndarray

    @classmethod
    def random(cls, rng: np.random.Generator, *, count: int = 6, centred: bool = False) -> Cloud:
        masses, points = rng.uniform(0.2, 1.0, count), rng.normal(size=(count, 3))
        if centred:
            points = points - masses @ points / masses.sum()
        return cls(masses, points)

    @property
    def mass(self) -> float:
        return float(self.masses.sum())

    @property
    def centre(self) -> np.ndarray:
        return self.masses @ self.points / self.masses.sum()

    def inertia(self, about: np.ndarray) -> np.ndarray:
        """∫ [y² + z², −xy, −xz; …] dm, entry by entry."""
        x, y, z = (self.points - about).T
        total = lambda density: float(self.masses @ density)
        xy, xz, yz = total(x * y), total(x * z), total(y * z)
        return np.array(
            [
                [total(y * y + z * z), -xy, -xz],
                [-xy, total(x * x + z * z), -yz],
                [-xz, -yz, total(x * x + y * y)],
            ]
        )

    def at(self, motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations of the points in W, each (n, points, 3)."""
        return tuple(
            o[:, None] + np.einsum("nij,kj->nki", R, self.points)
            for o, R in ((motion.p, motion.R), (motion.v, motion.dR), (motion.a, motion.ddR))
        )

    def total(self, vectors: np.ndarray) -> np.ndarray:
        """Σ m_k x_k of vectors or numbers (n, points, …)."""
        return np.einsum("k,nk...->n...", self.masses, vectors)


@dataclass(frozen=True)
class AnglePartials:
    """R of three angles with all its first and second partial derivatives by them, exactly.

    Along a straight line in the angles R has the derivatives Σ u_j ∂_jR and Σ u_j u_k ∂_j∂_kR.
    """

    R: np.ndarray
    first: list[np.ndarray]
    second: list[list[np.ndarray]]

    @classmethod
    def of(cls, letters: str, angles: np.ndarray) -> AnglePartials:
        def along(direction: np.ndarray) -> tuple:
            u = np.broadcast_to(direction, angles.shape)
            return turns(letters, angles, u, np.zeros_like(u))

        e = np.eye(3)
        single = [along(e[j]) for j in range(3)]
        mixed = lambda j, k: (along(e[j] + e[k])[2] - single[j][2] - single[k][2]) / 2
        second = [[mixed(j, k) for k in range(3)] for j in range(3)]
        return cls(single[0][0], [d for _, d, _ in single], second)

    def rate_map(self) -> np.ndarray:
        """Columns are the vectors of Rᵀ ∂_jR: body rates per angle rate."""
        return np.stack([vector_of(transposed(self.R) @ d) for d in self.first], axis=-1)

    def rate_map_partial(self, x: int) -> np.ndarray:
        columns = [
            vector_of(transposed(self.first[x]) @ d + transposed(self.R) @ self.second[x][j])
            for j, d in enumerate(self.first)
        ]
        return np.stack(columns, axis=-1)

    def mass_matrix(self, cloud: Cloud) -> np.ndarray:
        """Σ m ∂_jr·∂_kr: the kinetic energy's matrix for the turning about the origin."""
        return np.array([[self._product(cloud, a, b) for b in self.first] for a in self.first]).transpose(
            2, 0, 1
        )

    def mass_matrix_partial(self, cloud: Cloud, x: int) -> np.ndarray:
        rows = [
            [
                self._product(cloud, self.second[x][j], b) + self._product(cloud, a, self.second[x][k])
                for k, b in enumerate(self.first)
            ]
            for j, a in enumerate(self.first)
        ]
        return np.array(rows).transpose(2, 0, 1)

    @staticmethod
    def _product(cloud: Cloud, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """Σ m (A r)·(B r)"""
        turned = (np.einsum("nij,kj->nki", M, cloud.points) for M in (A, B))
        return cloud.total(np.sum(np.multiply(*turned), axis=-1))
