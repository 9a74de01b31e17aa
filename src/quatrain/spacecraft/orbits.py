"""An orbit, as a user gives it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from quatrain.equations.orbit import CircularOrbit, EllipticOrbit, KeplerOrbit, OrbitPoint
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.rotations import AngleConvention
from quatrain.spacecraft import checks


@dataclass(frozen=True)
class Orbit:
    """A Kepler orbit about a planet of gravitational parameter mu [m³/s²]; of the Earth 3.986004418e14.

    Made by `Orbit.circular` or `Orbit.elliptic`. Its plane is the inertial xy plane, turned by the angles
    `node` (of the ascending node), `inclination` and `periapsis` (from the node to it) [rad].
    """

    path: KeplerOrbit

    @classmethod
    def circular(
        cls, mu: float, radius: float, *, start: float = 0.0, inclination: float = 0.0, node: float = 0.0
    ) -> Orbit:
        """`radius` [m] from the planet's centre; `start` [rad] is the angle from the node at t = 0."""
        mu, radius = (
            checks.number(mu, "mu", "m³/s²", above=0),
            checks.number(radius, "radius", "m", above=0),
        )
        return cls(
            CircularOrbit(mu, radius, _plane(node, inclination, 0.0), checks.number(start, "start", "rad"))
        )

    @classmethod
    def elliptic(
        cls,
        mu: float,
        semi_major_axis: float,
        eccentricity: float,
        *,
        start: float = 0.0,
        inclination: float = 0.0,
        node: float = 0.0,
        periapsis: float = 0.0,
    ) -> Orbit:
        """`semi_major_axis` [m], 0 ≤ `eccentricity` < 1; `start` [rad]: the mean anomaly at t = 0, from periapsis."""
        mu = checks.number(mu, "mu", "m³/s²", above=0)
        a = checks.number(semi_major_axis, "semi_major_axis", "m", above=0)
        e = checks.number(eccentricity, "eccentricity", "", least=0)
        if e >= 1:
            raise ArgumentError(
                f"eccentricity is {e:g}, which is no ellipse", do="pass a number from 0 up and below 1"
            )
        rounds = 3 if e <= 0.9 else 5 if e <= 0.999 else 9
        return cls(
            EllipticOrbit(
                mu, a, e, _plane(node, inclination, periapsis), checks.number(start, "start", "rad"), rounds
            )
        )

    @property
    def mean_motion(self) -> float:
        """n [rad/s]"""
        return float(self.path.mean_motion)

    @property
    def period(self) -> float:
        """[s]"""
        return 2 * math.pi / self.mean_motion

    def at(self, t: Any) -> OrbitPoint:
        """The orbital frame and its rate at a time or at columns of times [s]."""
        return self.path.at(t)


def _plane(node: float, inclination: float, periapsis: float) -> Quaternion:
    """q_IP"""
    angles = [
        checks.number(angle, name, "rad")
        for angle, name in ((node, "node"), (inclination, "inclination"), (periapsis, "periapsis"))
    ]
    return AngleConvention("ZXZ").to_quaternion(Vec3(*angles))
