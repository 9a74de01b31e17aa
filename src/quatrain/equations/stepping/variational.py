"""A rigid body by a discrete Lagrangian: Moser and Veselov's rotation, Verlet's translation.

What it keeps, whatever the step: angular momentum in space when nothing acts, linear momentum, and the
symplectic form; so the energy of forces from a potential swings by O(h²) and does not drift. It is
symmetric in time and of order 2. It does not keep the energy itself: the implicit midpoint rule does,
of a torque-free body.

Moser, Veselov, Commun. Math. Phys. 139 (1991) 217; Lee, Leok, McClamroch, Comput. Methods Appl. Mech.
Eng. 196 (2007) 2907; McLachlan, Zanna, Found. Comput. Math. 5 (2005) 87.
"""

from __future__ import annotations

from collections.abc import Callable

from quatrain.equations.stepping.bodies import FreeBody, RotatingBody
from quatrain.equations.stepping.nested import Nested, added
from quatrain.equations.stepping.system import POSES, ROTATIONS
from quatrain.geometry import Mat3, Pose, Quaternion, SymMat3, Vec3, cross, dot, outer, skew
from quatrain.scalar import Scalar, sqrt


def turn_of_momentum(J: SymMat3, g: Vec3, *, rounds: int = 5) -> Quaternion:
    """The turn p over a step that the momentum impulse g = h Π carries: g = 2 (p₀ J p + p × J p), |p| = 1.

    It is F J_d − J_d Fᵀ = [g]× with F = R(p), J_d = ½ tr(J) 1 − J. With Rodrigues's x = p/p₀ it is a
    quadratic equation, J x + x × J x = ½ (1 + |x|²) g, solved by Newton's method from x = ½ J⁻¹ g. Each round
    squares the error, which begins near (½ h |ω|)²: five rounds serve turns up to about a radian per step.
    """
    x = J.inverse() @ g / 2
    for _ in range(rounds):
        J_x = J @ x
        residual = J_x + cross(x, J_x) - g * ((1 + dot(x, x)) / 2)
        x = x - _solved(J.to_mat3() + skew(x) @ J.to_mat3() - skew(J_x) - outer(g, x), residual)
    return Quaternion.from_parts(1, x) / sqrt(1 + dot(x, x))


def _solved(A: Mat3, b: Vec3) -> Vec3:
    """A⁻¹ b by Cramer's rule; a singular A gives what division by zero gives, for one element of a batch."""
    first, second, third = A.columns
    across = cross(second, third)
    minors = Vec3(dot(across, b), dot(cross(third, first), b), dot(cross(first, second), b))
    return minors / dot(first, across)


def _rate(J: SymMat3, inverse: SymMat3, momentum: Vec3) -> Vec3:
    """ω of J ω, refined once: the rounding of J⁻¹ is one and the same in every step, and would add up to a drift."""
    w = inverse @ momentum
    return w + inverse @ (momentum - J @ w)


def _kicked(kick: Callable[[Nested], Nested], start: Nested, half: Scalar, corrections: int) -> Nested:
    """start + ½h kick(start); again with the momentum it gives, where forces depend on velocity."""
    result = added(start, kick(start), half)
    for _ in range(corrections):
        result = added(start, kick(result), half)
    return result


def variational_rotation(
    body: RotatingBody,
    t: Scalar,
    q: Quaternion,
    w: Vec3,
    h: Scalar,
    *,
    corrections: int = 0,
    rounds: int = 5,
) -> tuple[Quaternion, Vec3]:
    """One step of a rotating body: half a kick, the discrete free rotation, half a kick.

    `corrections=1` keeps order 2 where the torque depends on ω; from a potential it needs none.
    """
    J, half = body.inertia, h / 2
    inverse = J.inverse()
    momentum = J @ w + body.torque(t, q, w) * half
    turn = turn_of_momentum(J, momentum * h, rounds=rounds)
    q1 = q @ turn
    momentum = _kicked(
        lambda m: body.torque(t + h, q1, _rate(J, inverse, m)),
        turn.inverse_rotate(momentum),
        half,
        corrections,
    )
    return ROTATIONS.project(q1, _rate(J, inverse, momentum))


def variational(
    free: FreeBody,
    t: Scalar,
    X: Pose,
    v: tuple[Vec3, Vec3],
    h: Scalar,
    *,
    corrections: int = 0,
    rounds: int = 5,
) -> tuple[Pose, tuple[Vec3, Vec3]]:
    """One step of a free body; its centre of mass is stepped, whatever point is the origin.

    `corrections=1` keeps order 2 where forces depend on velocities; from a potential they need none.
    """
    mass, c, inertia, half = free.body.mass, free.body.p_BBcm, free.body.I_Bcm_B, h / 2
    inverse = inertia.inverse()

    def kick(time: Scalar, X: Pose, v: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
        """Rates of the centre's velocity and of the angular momentum about it."""
        f_W, t_B = free.wrench(time, X, v)
        return f_W / mass, t_B - cross(c, X.q.inverse_rotate(f_W))

    start = (v[0] + X.q.rotate(cross(v[1], c)), inertia @ v[1])
    v_cm, momentum = added(start, kick(t, X, v), half)
    turn = turn_of_momentum(inertia, momentum * h, rounds=rounds)
    q1 = X.q @ turn
    X1 = Pose(q1, X.apply(c) + v_cm * h - q1.rotate(c))

    def velocities(state: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
        w1 = _rate(inertia, inverse, state[1])
        return state[0] - q1.rotate(cross(w1, c)), w1

    end = _kicked(
        lambda state: kick(t + h, X1, velocities(state)),
        (v_cm, turn.inverse_rotate(momentum)),
        half,
        corrections,
    )
    return POSES.project(X1, velocities(end))
