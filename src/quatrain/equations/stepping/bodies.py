"""Newton and Euler's equations of one rigid body, as a system for any stepper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quatrain.equations.rigid_body import Body
from quatrain.equations.stepping.system import POSES, ROTATIONS, System
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross
from quatrain.scalar import Scalar

Torque = Callable[[Scalar, Quaternion, Vec3], Vec3]
"""(t, q_WB, w_WB_B) → torque on the body about its fixed point or centre of mass, in B."""

Wrench = Callable[[Scalar, Pose, tuple[Vec3, Vec3]], tuple[Vec3, Vec3]]
"""(t, X_WB, (v_WB, w_WB_B)) → the force on the body in W and the torque about its origin in B.

They are dual to the velocities: f·v_WB + t·w_WB_B is their power.
"""


def no_torque(t: Scalar, q_WB: Quaternion, w_WB_B: Vec3) -> Vec3:
    return Vec3.zero()


def no_wrench(t: Scalar, X_WB: Pose, velocity: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
    return Vec3.zero(), Vec3.zero()


@dataclass(frozen=True)
class RotatingBody:
    """A body that turns about a fixed point, or whose centre of mass does not matter: `q_WB`, `w_WB_B`."""

    inertia: SymMat3
    """About the fixed point, or about the centre of mass; in B."""
    torque: Torque = no_torque

    def system(self) -> System:
        """J ω̇ = τ − ω × J ω."""
        J, inverse = self.inertia, self.inertia.inverse()

        def acceleration(t: Scalar, q_WB: Quaternion, w: Vec3) -> Vec3:
            return inverse @ (self.torque(t, q_WB, w) - cross(w, J @ w))

        return System(ROTATIONS, acceleration)


@dataclass(frozen=True)
class FreeBody:
    """A body that moves freely: `X_WB`, (`v_WB`, `w_WB_B`)."""

    body: Body
    wrench: Wrench = no_wrench

    def system(self) -> System:
        """Newton–Euler about the origin o of B, with c from there to the centre of mass:

        I ω̇ = τ − c × Rᵀf − ω × I ω
        v̇   = f/m − R (ω̇ × c + ω × (ω × c))
        """
        c, inertia = self.body.p_BBcm, self.body.I_Bcm_B
        inverse, mass = inertia.inverse(), self.body.mass

        def acceleration(t: Scalar, X_WB: Pose, v: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
            f_W, t_B = self.wrench(t, X_WB, v)
            w = v[1]
            t_cm_B = t_B - cross(c, X_WB.q.inverse_rotate(f_W))
            alpha = inverse @ (t_cm_B - cross(w, inertia @ w))
            a_swing_B = cross(alpha, c) + cross(w, cross(w, c))
            return f_W / mass - X_WB.q.rotate(a_swing_B), alpha

        return System(POSES, acceleration)
