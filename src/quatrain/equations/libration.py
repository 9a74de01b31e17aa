"""Small and large swings of a satellite about its rest in the orbital frame, on a circular orbit.

I = (I_x, I_y, I_z) are the principal moments of J about the body axes that at rest coincide with x_o (roll),
y_o (pitch) and z_o (yaw); φ, θ, ψ the small angles; n the orbit's rate. H = `momentum` is the constant
wheel momentum relative to the hub along +y_o, zero with the wheels locked: H < 0 turns with the orbit.
"""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.geometry import Vec3
from quatrain.scalar import Scalar, cos, maximum, pi, sin, sqrt

# Each round of the arithmetic–geometric mean doubles the digits once both are near; from 1 and 1e-16 four come
# before that, and six more make fifty digits.
_ROUNDS = 12


def pitch_frequency(moments: Vec3, n: Scalar, *, free_wheel: Scalar = 0) -> Scalar:
    """n √(3 (I_x − I_z)/I_y) of the pitch equation I_y θ̈ + 3 n² (I_x − I_z) θ = 0; NaN where I_x < I_z, unstable.

    A wheel about y keeps its speed, or, if it turns without torque, takes its axial inertia `free_wheel` off I_y.

    Equations: A(37), A(39)
    """
    return n * sqrt(3 * (moments.x - moments.z) / (moments.y - free_wheel))  # A(37)


@dataclass(frozen=True, slots=True)
class RollYaw:
    """I_x φ̈ + a₁ φ − d ψ̇ = 0 and I_z ψ̈ + a₃ ψ + d φ̇ = 0."""

    moments: Vec3
    roll_stiffness: Scalar
    """a₁"""
    yaw_stiffness: Scalar
    """a₃"""
    coupling: Scalar
    """d"""

    def characteristic(self) -> tuple[Scalar, Scalar]:
        """p and c of s⁴ + p s² + c = 0: p = a₁/I_x + a₃/I_z + d²/(I_x I_z), c = a₁ a₃/(I_x I_z).

        Equations: A(37), A(39)
        """
        product = self.moments.x * self.moments.z
        a1, a3, d = self.roll_stiffness, self.yaw_stiffness, self.coupling
        return a1 / self.moments.x + a3 / self.moments.z + d * d / product, a1 * a3 / product  # A(39)

    def frequencies(self) -> tuple[Scalar, Scalar]:
        """The slower and the faster frequency; NaN where the rest is not stable.

        Equations: A(37), A(39)
        """
        p, c = self.characteristic()
        # (s₁ ± s₂)² = p ± 2 √c; and the slower one from the product, without cancellation.
        fast = (sqrt(p + 2 * sqrt(c)) + sqrt(p - 2 * sqrt(c))) / 2
        return sqrt(c) / fast, fast

    def stability_margins(self) -> tuple[Scalar, Scalar]:
        """c = a₁ a₃/(I_x I_z) and p − 2 √c: stable, without damping, where both are positive.

        Equations: A(37), A(39)
        """
        p, c = self.characteristic()
        return c, p - 2 * _root(c)  # A(39)


def roll_yaw(moments: Vec3, n: Scalar, momentum: Scalar = 0) -> RollYaw:
    """a₁ = 4 n² (I_y − I_z) − n H, a₃ = n² (I_y − I_x) − n H, d = n (I_x − I_y + I_z) + H.

    A large enough H < 0 makes a₁ and a₃ positive, so stabilises roll and yaw whatever the moments are.

    Equations: A(37), A(39)
    """
    x, y, z = moments
    nH = n * momentum
    return RollYaw(
        moments, 4 * n * n * (y - z) - nH, n * n * (y - x) - nH, n * (x - y + z) + momentum
    )  # A(37), A(39)


def gravity_stability_margins(moments: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """σ₁ − σ₃, σ₁ σ₃ and 1 + 3σ₁ + σ₁σ₃ − 4 √(σ₁σ₃), σ₁ = (I_y − I_z)/I_x, σ₃ = (I_y − I_x)/I_z: stable where all > 0.

    With the wheels locked; σ₁ > σ₃ means I_x > I_z, the pitch. Both σ positive is Lagrange's region I_y > I_x > I_z,
    which damping leaves stable; both negative is DeBra and Delp's, I_x > I_z > I_y, which it does not.

    Equations: A(37)
    """
    x, y, z = moments
    s1, s3 = (y - z) / x, (y - x) / z
    return s1 - s3, s1 * s3, 1 + 3 * s1 + s1 * s3 - 4 * _root(s1 * s3)  # A(37)


def _root(x: Scalar) -> Scalar:
    """√x, and zero below zero, where another margin has said already that the rest is unstable."""
    return sqrt(maximum(x, 0))


# ---- large pitch -----------------------------------------------------------------------------------


def pitch_acceleration(
    moments: Vec3, pitch: Scalar, gradient: Scalar, anomaly_acceleration: Scalar = 0
) -> Scalar:
    """θ̈ of I_y θ̈ + 3 (μ/r³) (I_x − I_z) sin θ cos θ = I_y ν̈: planar, any amplitude, any orbit.

    `gradient` is μ/r³; on a circular orbit n², and ν̈ = 0.

    Equations: A(38)
    """
    restoring = 3 * gradient * (moments.x - moments.z) * sin(pitch) * cos(pitch)
    return anomaly_acceleration - restoring / moments.y  # A(38)


def pitch_period(moments: Vec3, n: Scalar, amplitude: Scalar) -> Scalar:
    """4 K(m)/(n √(3 (I_x − I_z)/I_y)), m = sin² θ₀, for a planar pitch of amplitude |θ₀| < ½π on a circular orbit.

    The complete elliptic integral is π over twice the arithmetic–geometric mean of 1 and cos θ₀.

    Equations: A(38)
    """
    a, g = 1, cos(amplitude)
    for _ in range(_ROUNDS):
        a, g = (a + g) / 2, sqrt(a * g)
    return 2 * pi(a) / (a * pitch_frequency(moments, n))  # A(38)


def pitch_rate_at_bottom(moments: Vec3, n: Scalar, amplitude: Scalar) -> Scalar:
    """n √(3 (I_x − I_z)/I_y) sin θ₀: the rate with which a planar pitch of amplitude θ₀ passes through θ = 0.

    Equations: A(38)
    """
    return pitch_frequency(moments, n) * sin(amplitude)  # A(38)
