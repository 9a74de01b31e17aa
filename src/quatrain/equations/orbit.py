"""Kepler orbits, the orbital frame that goes round with them, and the gravity that differs across a satellite.

Frames: I inertial, P with the orbit in its xy plane and the periapsis on x, O orbital: z to the planet's
centre (nadir), y against the orbit's normal, x = y × z, on a circular orbit along the velocity; B the body.
ν is the true anomaly; of a circular orbit the angle from P's x axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from quatrain.geometry import Quaternion, SymMat3, Vec3, cross
from quatrain.scalar import Scalar, cos, floor, pi, sin, sqrt, where


@dataclass(frozen=True, slots=True)
class OrbitPoint:
    """Where a satellite on its orbit is at some time, and how the orbital frame turns there."""

    radius: Scalar
    q_IO: Quaternion
    w_IO_O: Vec3
    """(0, −ν̇, 0)"""
    alpha_IO_O: Vec3
    """(0, −ν̈, 0)"""
    gradient: Scalar
    """μ/r³ [1/s²]"""

    @property
    def p_I(self) -> Vec3:
        """Position from the planet's centre."""
        return self.q_IO.rotate(Vec3(0, 0, -self.radius))


@dataclass(frozen=True, slots=True)
class CircularOrbit:
    mu: Scalar
    """Gravitational parameter of the planet [m³/s²]."""
    radius: Scalar
    q_IP: Quaternion
    start: Scalar
    """Angle at t = 0."""

    @property
    def mean_motion(self) -> Scalar:
        """n = √(μ/r³)"""
        return sqrt(self.mu / (self.radius * self.radius * self.radius))

    def at(self, t: Scalar) -> OrbitPoint:
        n = self.mean_motion
        half = (self.start + n * t) / 2
        q_IO = self.q_IP @ orbital_frame(cos(half), sin(half))
        return OrbitPoint(self.radius, q_IO, Vec3(0, -n, 0), Vec3.zero(), n * n)


@dataclass(frozen=True, slots=True)
class EllipticOrbit:
    mu: Scalar
    """Gravitational parameter of the planet [m³/s²]."""
    semi_major_axis: Scalar
    eccentricity: Scalar
    """0 ≤ e < 1"""
    q_IP: Quaternion
    start: Scalar
    """Mean anomaly at t = 0."""
    rounds: int = 5
    """With which Kepler's equation is solved: see `eccentric_anomaly`."""

    @property
    def mean_motion(self) -> Scalar:
        """n = √(μ/a³)"""
        a = self.semi_major_axis
        return sqrt(self.mu / (a * a * a))

    def at(self, t: Scalar) -> OrbitPoint:
        """r = a (1 − e cos E), r² ν̇ = √(μ a (1 − e²)), ṙ = a e n sin E / (1 − e cos E), ν̈ = −2 ṙ ν̇/r."""
        a, e, n = self.semi_major_axis, self.eccentricity, self.mean_motion
        E = eccentric_anomaly(self.start + n * t, e, rounds=self.rounds)
        inverse = 1 / (1 - e * cos(E))
        r = a / inverse
        # tan ½ν = √((1 + e)/(1 − e)) tan ½E, in a form that goes on from one revolution to the next.
        scale = sqrt(inverse)
        half = cos(E / 2) * (sqrt(1 - e) * scale), sin(E / 2) * (sqrt(1 + e) * scale)
        rate = n * sqrt(1 - e * e) * inverse * inverse
        acceleration = -2 * rate * n * e * sin(E) * inverse * inverse
        return OrbitPoint(
            r,
            self.q_IP @ orbital_frame(*half),
            Vec3(0, -rate, 0),
            Vec3(0, -acceleration, 0),
            self.mu / (r * r * r),
        )


KeplerOrbit = CircularOrbit | EllipticOrbit


def eccentric_anomaly(mean: Scalar, eccentricity: Scalar, *, rounds: int = 5) -> Scalar:
    """E with E − e sin E = M, for 0 ≤ e < 1.

    From M + 0.85 e sign(sin M) by a method of order 4. For every M three rounds give double precision to
    e = 0.9, five to 0.999, nine to 0.999999. Danby, Celestial Mechanics 40 (1987) 303.
    """
    turns = floor(mean / (2 * pi(mean)) + 0.5) * (2 * pi(mean))
    M = mean - turns

    def round_of(E: Scalar, _: int) -> Scalar:
        s, c = eccentricity * sin(E), eccentricity * cos(E)
        f, f1 = E - s - M, 1 - c
        d1 = -f / f1
        d2 = -f / (f1 + d1 * s / 2)
        return E - f / (f1 + d2 * s / 2 + d2 * d2 * c / 6)

    first = M + where(M < 0, -eccentricity, eccentricity) * 0.85
    return turns + reduce(round_of, range(rounds), first)


def orbital_frame(cos_half: Scalar, sin_half: Scalar) -> Quaternion:
    """q_PO at the true anomaly ν, given by cos ½ν and sin ½ν: the turn by ν about z, after the one at ν = 0.

    R_PO = [[−sin ν, 0, −cos ν], [cos ν, 0, −sin ν], [0, −1, 0]]
    """
    q_start = Quaternion(0.5, -0.5, -0.5, 0.5)  # columns y, −z, −x of P
    return Quaternion(cos_half, 0, 0, sin_half) @ q_start


def nadir(q_OB: Quaternion) -> Vec3:
    """ĉ = Rᵀ e₃: the direction to the planet's centre, in the body."""
    return q_OB.inverse_rotate(Vec3(0, 0, 1))


def gravity_gradient_torque(inertia: SymMat3, nadir_B: Vec3, gradient: Scalar) -> Vec3:
    """T_gg = 3 (μ/r³) ĉ × J ĉ about the centre of mass, with the full J, wheels included; gradient is μ/r³.

    Of principal axes 3 (μ/r³) ((J_z − J_y) ĉ_y ĉ_z, (J_x − J_z) ĉ_z ĉ_x, (J_y − J_x) ĉ_x ĉ_y). It is the leading
    term; what is left out is smaller by size/r.

    Equations: A(32)
    """
    return cross(nadir_B, inertia @ nadir_B) * (3 * gradient)  # A(32)


def gravity_gradient_energy(inertia: SymMat3, nadir_B: Vec3, gradient: Scalar) -> Scalar:
    """(3/2) (μ/r³) ĉᵀ J ĉ: the part of the potential energy that depends on the attitude."""
    return inertia.quadratic_form(nadir_B) * gradient * 3 / 2
