"""A gyrostat: a rigid hub with N wheels, each symmetric about its axis, in an inertial frame I.

Only three things of it matter to the rotation: J, the inertia of hub and complete wheels about the common
centre of mass, the unit axes a_k in the hub's frame B, and the axial inertias j_k. Speeds Ω_k are those of
the wheels relative to the hub; `momenta` are h_k = j_k (Ω_k + a_k·ω), their absolute axial momenta. ω is
`w_IB_B`. Torques u_k, of motor and bearing together, act as +u_k on the wheel and −u_k a_k on the hub.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quatrain.equations.rigid_body import Body, point_inertia
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Quaternion, SymMat3, Vec3, cross, dot, symmetric_outer
from quatrain.scalar import Scalar

Each = tuple[Scalar, ...]
"""One number for each wheel."""


@dataclass(frozen=True, slots=True)
class WheelBody:
    """A wheel as a body of its own: where it sits, and both its moments of inertia about its centre of mass."""

    axis: Vec3
    axial_inertia: Scalar
    transverse_inertia: Scalar
    mass: Scalar
    p_Bcm: Vec3
    """From the origin of the hub's frame to the wheel's centre of mass, which is on its axis."""


@dataclass(frozen=True, slots=True)
class Gyrostat:
    """J, all a_k, all j_k."""

    inertia: SymMat3
    """J: hub and complete wheels, about their common centre of mass, in B. [kg m²]"""
    axes: tuple[Vec3, ...] = ()
    """Unit vectors."""
    axial_inertias: Each = ()
    """[kg m²]"""

    def __post_init__(self) -> None:
        require(self.inertia, SymMat3, "inertia")
        if len(self.axes) != len(self.axial_inertias):
            raise ArgumentError(
                f"{len(self.axes)} axes and {len(self.axial_inertias)} axial inertias were given",
                do="give one of each for every wheel",
            )

    @classmethod
    def of_bodies(cls, hub: Body, wheels: Sequence[WheelBody]) -> Gyrostat:
        """J = Σ (I_body + m (d·d 1 − d dᵀ)), of a wheel I = j_t (1 − a aᵀ) + j a aᵀ, d from the common centre."""
        bodies = [hub]
        for wheel in wheels:
            along, about = symmetric_outer(wheel.axis), SymMat3.identity()
            spin, tilt = wheel.axial_inertia, wheel.transverse_inertia
            bodies.append(Body(wheel.mass, wheel.p_Bcm, (about - along) * tilt + along * spin))
        mass, moment = hub.mass, hub.p_BBcm * hub.mass
        for body in bodies[1:]:
            mass, moment = mass + body.mass, moment + body.p_BBcm * body.mass
        centre, total = moment / mass, SymMat3.diagonal(0, 0, 0)
        for body in bodies:
            total = total + body.I_Bcm_B + point_inertia(body.mass, body.p_BBcm - centre)
        return cls(total, tuple(w.axis for w in wheels), tuple(w.axial_inertia for w in wheels))

    @property
    def reduced_inertia(self) -> SymMat3:
        """J_r = J − Σ j_k a_k a_kᵀ: what resists ω̇ while the wheels are free to spin."""
        result = self.inertia
        for axis, j in self.wheels():
            result = result - symmetric_outer(axis) * j
        return result

    def wheels(self) -> Iterable[tuple[Vec3, Scalar]]:
        """a_k and j_k, wheel by wheel."""
        return zip(self.axes, self.axial_inertias, strict=True)

    def along_axes(self, of_each: Sequence[Scalar]) -> Vec3:
        """A x = Σ x_k a_k: numbers along the axes, as one vector."""
        total = Vec3.zero()
        for axis, x in zip(self.axes, of_each, strict=True):
            total = total + axis * x
        return total

    def about_axes(self, v_B: Vec3) -> Each:
        """Aᵀ v: the component of a vector along each axis."""
        return tuple(dot(axis, v_B) for axis in self.axes)


# ---- momentum and energy ---------------------------------------------------------------------------


def relative_momentum(gyrostat: Gyrostat, speeds: Each) -> Vec3:
    """b = A D Ω = Σ j_k Ω_k a_k: momentum of the wheels' motion relative to the hub."""
    return gyrostat.along_axes([j * s for j, s in zip(gyrostat.axial_inertias, speeds, strict=True)])


def wheel_momenta(gyrostat: Gyrostat, w_IB_B: Vec3, speeds: Each) -> Each:
    """h_k = j_k (Ω_k + a_k·ω)."""
    carried = gyrostat.about_axes(w_IB_B)
    return tuple(j * (s + c) for j, s, c in zip(gyrostat.axial_inertias, speeds, carried, strict=True))


def wheel_speeds(gyrostat: Gyrostat, w_IB_B: Vec3, momenta: Each) -> Each:
    """Ω_k = h_k/j_k − a_k·ω."""
    carried = gyrostat.about_axes(w_IB_B)
    return tuple(h / j - c for j, h, c in zip(gyrostat.axial_inertias, momenta, carried, strict=True))


def angular_momentum(gyrostat: Gyrostat, w_IB_B: Vec3, speeds: Each) -> Vec3:
    """h = J ω + b, in all about the centre of mass, in B. [kg m²/s]

    Equations: A(22)
    """
    return gyrostat.inertia @ w_IB_B + relative_momentum(gyrostat, speeds)  # A(22)


def angular_momentum_of_momenta(gyrostat: Gyrostat, w_IB_B: Vec3, momenta: Each) -> Vec3:
    """h = J_r ω + Σ h_k a_k.

    Equations: A(22)
    """
    return gyrostat.reduced_inertia @ w_IB_B + gyrostat.along_axes(momenta)  # A(22)


def kinetic_energy(gyrostat: Gyrostat, w_IB_B: Vec3, speeds: Each) -> Scalar:
    """T = ½ ωᵀ J ω + ω·b + ½ Σ j_k Ω_k², the rotation's. [J]

    Equations: A(26)
    """
    own = sum(j * s * s for j, s in zip(gyrostat.axial_inertias, speeds, strict=True))
    b = relative_momentum(gyrostat, speeds)
    return gyrostat.inertia.quadratic_form(w_IB_B) / 2 + dot(w_IB_B, b) + own / 2  # A(26)


def kinetic_energy_of_momenta(gyrostat: Gyrostat, w_IB_B: Vec3, momenta: Each) -> Scalar:
    """T = ½ ωᵀ J_r ω + ½ Σ h_k²/j_k.

    Equations: A(26)
    """
    own = sum(h * h / j for j, h in zip(gyrostat.axial_inertias, momenta, strict=True))
    return (gyrostat.reduced_inertia.quadratic_form(w_IB_B) + own) / 2  # A(26)


# ---- equations of motion ---------------------------------------------------------------------------


def external_torque(
    gyrostat: Gyrostat, w_IB_B: Vec3, alpha_IB_B: Vec3, speeds: Each, speed_rates: Each
) -> Vec3:
    """T_ext = J ω̇ + A D Ω̇ + ω × (J ω + b): what the motion of hub and wheels takes from outside.

    Equations: A(23)
    """
    h_rate = gyrostat.inertia @ alpha_IB_B + relative_momentum(gyrostat, speed_rates)
    return h_rate + cross(w_IB_B, angular_momentum(gyrostat, w_IB_B, speeds))  # A(23)


def motor_torques(gyrostat: Gyrostat, alpha_IB_B: Vec3, speed_rates: Each) -> Each:
    """u_k = ḣ_k = j_k (Ω̇_k + a_k·ω̇).

    Equations: A(24)
    """
    return wheel_momenta(gyrostat, alpha_IB_B, speed_rates)  # A(24)


def acceleration(
    gyrostat: Gyrostat, w_IB_B: Vec3, speeds: Each, torques: Each, t_B: Vec3
) -> tuple[Vec3, Each]:
    """ω̇ and Ω̇_k under motor torques u_k and the external torque T, in B.

        J_r ω̇ = T − ω × (J ω + b) − A u,   Ω̇_k = u_k/j_k − a_k·ω̇

    With −ω × (J_r ω + b) it would lose ω × Σ j_k a_k (a_k·ω).

    Equations: A(25)
    """
    return acceleration_under_momentum(
        gyrostat, w_IB_B, angular_momentum(gyrostat, w_IB_B, speeds), torques, t_B
    )


def acceleration_of_momenta(
    gyrostat: Gyrostat, w_IB_B: Vec3, momenta: Each, torques: Each, t_B: Vec3
) -> tuple[Vec3, Each]:
    """ω̇ and ḣ_k from the state (ω, h_k): J_r ω̇ = T − ω × (J_r ω + Σ h_k a_k) − A u, ḣ_k = u_k.

    Equations: A(25)
    """
    h_B = angular_momentum_of_momenta(gyrostat, w_IB_B, momenta)
    return acceleration_under_momentum(gyrostat, w_IB_B, h_B, torques, t_B)[0], tuple(torques)  # A(25)


def acceleration_under_momentum(
    gyrostat: Gyrostat, w_IB_B: Vec3, h_B: Vec3, torques: Each, t_B: Vec3
) -> tuple[Vec3, Each]:
    """The same from the total momentum h, by whichever state it is known.

    Equations: A(25)
    """
    resisting = cross(w_IB_B, h_B) + gyrostat.along_axes(torques)
    alpha = gyrostat.reduced_inertia.inverse() @ (t_B - resisting)  # A(25)
    return alpha, wheel_speeds(gyrostat, alpha, torques)  # A(25)


def acceleration_with_driven_speeds(
    gyrostat: Gyrostat, w_IB_B: Vec3, speeds: Each, speed_rates: Each, t_B: Vec3
) -> tuple[Vec3, Each]:
    """ω̇, and the torques u_k it takes, where drives impose the relative speeds Ω_k(t).

        J ω̇ = T − ω × (J ω + b) − A D Ω̇

    Equations: A(25)
    """
    resisting = cross(w_IB_B, angular_momentum(gyrostat, w_IB_B, speeds))
    driven = relative_momentum(gyrostat, speed_rates)
    alpha = gyrostat.inertia.inverse() @ (t_B - resisting - driven)  # A(25)
    return alpha, motor_torques(gyrostat, alpha, speed_rates)


# ---- what is kept ----------------------------------------------------------------------------------


def momentum_rate(q_IB: Quaternion, t_B: Vec3) -> Vec3:
    """d(R h)/dt = R T: in inertial axes only the external torque changes the momentum.

    Equations: A(27)
    """
    return q_IB.rotate(t_B)  # A(27)


def power(w_IB_B: Vec3, t_B: Vec3, speeds: Each, torques: Each) -> Scalar:
    """dT/dt = ω·T + Σ u_k Ω_k. [W]

    Equations: A(27)
    """
    return dot(w_IB_B, t_B) + sum(u * s for u, s in zip(torques, speeds, strict=True))  # A(27)


def free_integrals(gyrostat: Gyrostat, w_IB_B: Vec3, momenta: Each) -> tuple[Scalar, Scalar]:
    """½ ωᵀ J_r ω and |J_r ω + Σ h_k a_k|²; both constant, and every h_k, where T = 0 and u = 0.

    Equations: A(28)
    """
    h_B = angular_momentum_of_momenta(gyrostat, w_IB_B, momenta)
    return gyrostat.reduced_inertia.quadratic_form(w_IB_B) / 2, h_B.norm_squared()  # A(28)


def rate_at_zero_momentum(gyrostat: Gyrostat, speeds: Each) -> Vec3:
    """ω = −J⁻¹ b: how the hub turns while the total momentum is zero; it rests exactly when b = 0.

    Equations: A(29)
    """
    return -(gyrostat.inertia.inverse() @ relative_momentum(gyrostat, speeds))  # A(29)


def turn_of_hub(gyrostat: Gyrostat, wheel: int, turn_of_wheel: Scalar) -> Scalar:
    """Δ_hub = −(j/J_axis) Δ_wheel: a slew from rest by one wheel along a principal axis, angle for angle.

    Δ_wheel is the wheel's angle relative to the hub, J_axis = aᵀ J a.

    Equations: A(29)
    """
    axis, j = gyrostat.axes[wheel], gyrostat.axial_inertias[wheel]
    return -turn_of_wheel * j / gyrostat.inertia.quadratic_form(axis)  # A(29)
