"""A satellite with wheels as a system for any stepper, in the inertial frame I or in the orbital frame O.

    q = q_FB,   v = (w_FB_B, Ω)   or   v = (w_FB_B, h)

F is the frame of the run, I or O; h_k = j_k (Ω_k + a_k·ω) holds the inertial rate ω in both. The angles of the
wheels play no part in the motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quatrain.equations import gyrostat as gyrostats
from quatrain.equations.gyrostat import Each, Gyrostat
from quatrain.equations.gyrostat_in_orbit import in_frame, jacobi_integral
from quatrain.equations.moving_frame import composed_rate
from quatrain.equations.orbit import CircularOrbit, KeplerOrbit, OrbitPoint, gravity_gradient_torque, nadir
from quatrain.equations.stepping.integrals import carrying
from quatrain.equations.stepping.system import ROTATIONS, System
from quatrain.geometry import Quaternion, Vec3
from quatrain.scalar import Scalar

SPEEDS, MOMENTA = "speeds", "momenta"

Velocity = tuple[Vec3, Each]

Torques = Callable[[Scalar, Quaternion, Vec3, Each], tuple[Vec3, Each]]
"""(t, q_FB, w_FB_B, Ω) → the external torque on the hub besides gravity's, in B, and the motors' torques u."""


def no_torques(t: Scalar, q_FB: Quaternion, w_FB_B: Vec3, speeds: Each) -> tuple[Vec3, Each]:
    return Vec3.zero(), tuple(0 for _ in speeds)


@dataclass(frozen=True, slots=True)
class Moment:
    """A satellite at one moment: how it turns, and what acts on it."""

    q_FB: Quaternion
    w_FB_B: Vec3
    here: OrbitPoint | None
    w_IB_B: Vec3
    speeds: Each
    momentum_B: Vec3
    """h, in all."""
    gravity_B: Vec3
    """The gravity gradient's torque."""
    torque_B: Vec3
    """Any other external torque on the hub."""
    motors: Each
    """u"""


@dataclass(frozen=True)
class Satellite:
    """A gyrostat, the orbit it is on if any, the frame it is described in, and what acts on it."""

    gyrostat: Gyrostat
    torques: Torques = no_torques
    orbit: KeplerOrbit | None = None
    orbital: bool = False
    """Whether F is the orbital frame; else it is the inertial one."""
    gravity: bool = True
    """Whether the gravity gradient acts, where there is an orbit."""
    state: str = SPEEDS
    """What stands for the wheels in v: SPEEDS Ω or MOMENTA h."""

    def system(self) -> System:
        """A(25) in the inertial frame, A(33) in the orbital one."""
        return System(carrying(ROTATIONS), self.acceleration)

    def acceleration(self, t: Scalar, q_FB: Quaternion, v: Velocity) -> Velocity:
        now = self.at(t, q_FB, v)
        alpha_B, speed_rates = gyrostats.acceleration_under_momentum(
            self.gyrostat, now.w_IB_B, now.momentum_B, now.motors, now.gravity_B + now.torque_B
        )
        if self.orbital and now.here is not None:
            alpha_B = in_frame(q_FB, v[0], now.here.w_IO_O, now.here.alpha_IO_O, alpha_B)
        return alpha_B, speed_rates if self.state == SPEEDS else now.motors

    def at(self, t: Scalar, q_FB: Quaternion, v: Velocity) -> Moment:
        w_FB_B, wheels = v
        here = None if self.orbit is None else self.orbit.at(t)
        w_IB_B = self._inertial_rate(here, q_FB, w_FB_B)
        if self.state == SPEEDS:
            speeds, h_B = wheels, gyrostats.angular_momentum(self.gyrostat, w_IB_B, wheels)
        else:
            speeds = gyrostats.wheel_speeds(self.gyrostat, w_IB_B, wheels)
            h_B = gyrostats.angular_momentum_of_momenta(self.gyrostat, w_IB_B, wheels)
        t_B, motors = self.torques(t, q_FB, w_FB_B, speeds)
        return Moment(q_FB, w_FB_B, here, w_IB_B, speeds, h_B, self._gravity_torque(here, q_FB), t_B, motors)

    def _inertial_rate(self, here: OrbitPoint | None, q_FB: Quaternion, w_FB_B: Vec3) -> Vec3:
        if not self.orbital or here is None:
            return w_FB_B
        return composed_rate(q_FB, here.w_IO_O, w_FB_B)

    def _gravity_torque(self, here: OrbitPoint | None, q_FB: Quaternion) -> Vec3:
        if here is None or not self.gravity:
            return Vec3.zero()
        q_OB = q_FB if self.orbital else here.q_IO.conjugate() @ q_FB
        return gravity_gradient_torque(self.gyrostat.inertia, nadir(q_OB), here.gradient)

    def wheels_in_state(self, t: Scalar, q_FB: Quaternion, w_FB_B: Vec3, speeds: Each) -> Each:
        """What stands for the speeds Ω in v."""
        if self.state == SPEEDS:
            return speeds
        here = None if self.orbit is None else self.orbit.at(t)
        return gyrostats.wheel_momenta(self.gyrostat, self._inertial_rate(here, q_FB, w_FB_B), speeds)

    # ---- what is kept ------------------------------------------------------------------------------------

    def momentum(self, now: Moment) -> Vec3:
        """R h: the angular momentum about the centre of mass, in I."""
        return self._in_inertial_axes(now, now.momentum_B)

    def kinetic_energy(self, now: Moment) -> Scalar:
        return gyrostats.kinetic_energy(self.gyrostat, now.w_IB_B, now.speeds)

    @property
    def has_jacobi_integral(self) -> bool:
        """In the orbital frame of a circular orbit, under the gravity gradient."""
        return self.orbital and self.gravity and isinstance(self.orbit, CircularOrbit)

    def jacobi_integral(self, now: Moment) -> Scalar:
        """𝓗 of A(35)."""
        assert now.here is not None
        o, gradient = now.here.w_IO_O, now.here.gradient
        return jacobi_integral(self.gyrostat, now.q_FB, now.w_FB_B, now.speeds, o, gradient)

    def balance_rates(self, t: Scalar, q_FB: Quaternion, v: Velocity) -> tuple[Vec3, Scalar, Scalar]:
        """Rates of the momentum R h, A(27) and A(36); of the kinetic energy, A(27); of 𝓗, A(35).

        For the last an external torque works along the turning relative to O.
        """
        now = self.at(t, q_FB, v)
        external_B = now.gravity_B + now.torque_B
        impulse = self._in_inertial_axes(now, external_B)
        work = gyrostats.power(now.w_IB_B, external_B, now.speeds, now.motors)
        return impulse, work, gyrostats.power(now.w_FB_B, now.torque_B, now.speeds, now.motors)

    def _in_inertial_axes(self, now: Moment, v_B: Vec3) -> Vec3:
        v_F = now.q_FB.rotate(v_B)
        return now.here.q_IO.rotate(v_F) if self.orbital and now.here is not None else v_F
