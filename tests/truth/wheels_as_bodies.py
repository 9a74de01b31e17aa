"""Hub and wheels as separate bodies in maximal coordinates, the forces and torques of their bearings as unknowns.

Newton's and Euler's equations are written out for each body, and for each bearing what it does to the motion.
Nothing is known here of a common inertia, of a reduced one, or of symmetric wheels: their inertias are
matrices like any other. Everything stands in the hub's axes at one moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.truth.rotations import cross_matrix


@dataclass(frozen=True)
class Parts:
    """Masses (1 + N,), centres of mass (1 + N, 3) and inertias (1 + N, 3, 3), the hub first; axes (N, 3)."""

    masses: np.ndarray
    centres: np.ndarray
    inertias: np.ndarray
    axes: np.ndarray
    axial: np.ndarray
    transverse: np.ndarray

    @classmethod
    def random(cls, rng: np.random.Generator, wheels: int) -> Parts:
        axes = rng.normal(size=(wheels, 3))
        axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
        axial, transverse = rng.uniform(0.2, 0.6, wheels), rng.uniform(0.3, 0.5, wheels)
        A = rng.normal(size=(3, 3))
        hub = A @ A.T + 2 * np.eye(3)
        along = axes[:, :, None] * axes[:, None, :]
        spinning = transverse[:, None, None] * (np.eye(3) - along) + axial[:, None, None] * along
        return cls(
            masses=np.concatenate([[3.0], rng.uniform(0.3, 0.9, wheels)]),
            centres=rng.normal(size=(1 + wheels, 3)),
            inertias=np.concatenate([hub[None], spinning]),
            axes=axes,
            axial=axial,
            transverse=transverse,
        )

    @property
    def count(self) -> int:
        return len(self.axes)

    @property
    def centre(self) -> np.ndarray:
        return self.masses @ self.centres / self.masses.sum()

    def rates(self, w: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """Angular velocities of all bodies, (1 + N, 3)."""
        return np.concatenate([w[None], w + speeds[:, None] * self.axes])

    def velocities(self, w: np.ndarray) -> np.ndarray:
        """Of all centres of mass, while the common one rests."""
        return np.cross(w, self.centres - self.centre)

    def momentum(self, w: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """About the common centre of mass: Σ r × m v + I ω."""
        arms, v = self.centres - self.centre, self.velocities(w)
        orbital = np.cross(arms, self.masses[:, None] * v).sum(axis=0)
        return orbital + np.einsum("kij,kj->i", self.inertias, self.rates(w, speeds))

    def energy(self, w: np.ndarray, speeds: np.ndarray) -> float:
        v, rates = self.velocities(w), self.rates(w, speeds)
        turning = np.einsum("ki,kij,kj->", rates, self.inertias, rates)
        return float(self.masses @ np.sum(v**2, axis=-1) + turning) / 2

    def accelerations(
        self,
        w: np.ndarray,
        speeds: np.ndarray,
        motors: np.ndarray,
        force: np.ndarray,
        couple: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """ω̇ and Ω̇ under motor torques, a force at the hub's centre of mass and a couple on the hub.

        Unknowns: acceleration a and angular acceleration α of each body; of each bearing a force f at the
        wheel's centre and a torque t, on the wheel; and Ω̇.
        """
        n = self.count
        size = 6 * (1 + n) + 7 * n
        rows: list[np.ndarray] = []
        right: list[np.ndarray] = []
        a = lambda k: slice(6 * k, 6 * k + 3)
        alpha = lambda k: slice(6 * k + 3, 6 * k + 6)
        f = lambda k: slice(6 * (1 + n) + 6 * (k - 1), 6 * (1 + n) + 6 * (k - 1) + 3)
        t = lambda k: slice(6 * (1 + n) + 6 * (k - 1) + 3, 6 * (1 + n) + 6 * k)
        speed_rate = lambda k: 6 * (1 + n) + 6 * n + k - 1
        one = np.eye(3)

        def equation(terms: list[tuple], value: np.ndarray) -> None:
            block = np.zeros((len(value), size))
            for place, matrix in terms:
                block[:, place] += matrix
            rows.append(block)
            right.append(np.asarray(value))

        rates = self.rates(w, speeds)
        gyroscopic = [-np.cross(rates[k], self.inertias[k] @ rates[k]) for k in range(1 + n)]
        arms = self.centres - self.centres[0]
        # The hub: the bearings act on it with −f and −t.
        equation([(a(0), self.masses[0] * one), *((f(k), one) for k in range(1, n + 1))], force)
        equation(
            [
                (alpha(0), self.inertias[0]),
                *((f(k), cross_matrix(arms[k])) for k in range(1, n + 1)),
                *((t(k), one) for k in range(1, n + 1)),
            ],
            couple + gyroscopic[0],
        )
        for k in range(1, n + 1):
            axis, swing = self.axes[k - 1], speeds[k - 1] * self.axes[k - 1]
            equation([(a(k), self.masses[k] * one), (f(k), -one)], np.zeros(3))
            equation([(alpha(k), self.inertias[k]), (t(k), -one)], gyroscopic[k])
            # The wheel's centre is fixed to the hub.
            equation(
                [(a(k), one), (a(0), -one), (alpha(0), cross_matrix(arms[k]))],
                np.cross(w, np.cross(w, arms[k])),
            )
            # It turns relative to the hub about its axis only, and the axis turns with the hub.
            equation(
                [
                    (alpha(k), one),
                    (alpha(0), -one),
                    (slice(speed_rate(k), speed_rate(k) + 1), -axis[:, None]),
                ],
                np.cross(w, swing),
            )
            equation([(t(k), axis[None])], motors[k - 1 : k])
        solution = np.linalg.solve(np.concatenate(rows), np.concatenate(right))
        return solution[alpha(0)], solution[6 * (1 + n) + 6 * n :]
