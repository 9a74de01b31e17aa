"""A satellite as particles in a turning frame: hub masses and wheels made of rotating rings of masses.

Newton's second law for each particle, in the frame's axes, with the apparent forces of Coriolis, centrifuge and Euler,
and the tidal field of a distant mass. Nothing here knows of inertia or angular momentum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.truth.rotations import cross_matrix


@dataclass(frozen=True)
class Particles:
    """Masses and places in the body, and to which wheel each belongs (−1: the hub)."""

    masses: np.ndarray
    points: np.ndarray
    wheel: np.ndarray
    axes: np.ndarray
    centres: np.ndarray

    @classmethod
    def random(cls, rng: np.random.Generator, wheels: int, *, ring: int = 5) -> Particles:
        """The common centre of mass is the origin. A ring of five is as symmetric as a disc, in second moments."""
        axes = rng.normal(size=(wheels, 3))
        axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
        centres = rng.normal(size=(wheels, 3)) * 0.5
        masses, points, wheel = [rng.uniform(0.3, 1.0, 7)], [rng.normal(size=(7, 3))], [np.full(7, -1)]
        for k in range(wheels):
            side = np.cross(axes[k], rng.normal(size=3))
            side /= np.linalg.norm(side)
            angle = 2 * np.pi * np.arange(ring) / ring
            across = np.cross(axes[k], side)
            circle = np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * across
            masses.append(np.full(ring, rng.uniform(0.05, 0.1)))
            points.append(centres[k] + circle * rng.uniform(0.6, 1.2))
            wheel.append(np.full(ring, k))
        m, r = np.concatenate(masses), np.concatenate(points)
        centre = m @ r / m.sum()
        return cls(m, r - centre, np.concatenate(wheel), axes, centres - centre)

    def inertia(self) -> np.ndarray:
        S = cross_matrix(self.points)
        return np.einsum("k,kji,kjl->il", self.masses, S, S)

    def axial_inertias(self) -> np.ndarray:
        return np.array(
            [
                self.masses[self.wheel == k]
                @ np.sum(np.cross(axis, self.points[self.wheel == k] - self.centres[k]) ** 2, axis=-1)
                for k, axis in enumerate(self.axes)
            ]
        )

    def forces(
        self,
        R: np.ndarray,
        w: np.ndarray,
        alpha: np.ndarray,
        speeds: np.ndarray,
        speed_rates: np.ndarray,
        frame_rate: np.ndarray,
        frame_acceleration: np.ndarray,
        gradient: float,
    ) -> np.ndarray:
        """What acts on each particle besides gravity, in body axes, if body and wheels move like this.

        R takes body to frame axes; w, alpha are relative to the frame, in body axes; the frame's own in its axes.
        The centre of mass falls freely, the attracting mass lies in the direction of the frame's z.
        """
        relative_v, relative_a = self.motion(w, alpha, speeds, speed_rates)
        x, v, a = ((R @ vectors.T).T for vectors in (self.points, relative_v, relative_a))
        o, do = frame_rate, frame_acceleration
        inertial = a + 2 * np.cross(o, v) + np.cross(do, x) + np.cross(o, np.cross(o, x))
        tide = gradient * (3 * x[:, 2:] * np.array([0.0, 0.0, 1.0]) - x)
        return (R.T @ (self.masses[:, None] * (inertial - tide)).T).T

    def motion(
        self, w: np.ndarray, alpha: np.ndarray, speeds: np.ndarray, speed_rates: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations relative to the frame, in body axes."""
        turning, wheels = np.cross(w, self.points), self.wheel
        spin, spin_rate, arms = (np.zeros_like(self.points) for _ in range(3))
        for k, axis in enumerate(self.axes):
            spin[wheels == k], spin_rate[wheels == k] = speeds[k] * axis, speed_rates[k] * axis
            arms[wheels == k] = self.points[wheels == k] - self.centres[k]
        own = np.cross(spin, arms)
        v = turning + own
        a = np.cross(alpha, self.points) + np.cross(w, turning)
        a = a + np.cross(spin_rate, arms) + np.cross(spin, own) + 2 * np.cross(w, own)
        return v, a

    def torque(self, forces: np.ndarray) -> np.ndarray:
        return np.cross(self.points, forces).sum(axis=0)

    def motor_torque(self, k: int, forces: np.ndarray) -> float:
        own = self.wheel == k
        return float(self.axes[k] @ np.cross(self.points[own] - self.centres[k], forces[own]).sum(axis=0))
