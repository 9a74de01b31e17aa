"""Torques for N wheels: their allocation to the axes, attitude feedback, and unloading."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.gyrostat import Each, Gyrostat
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, SymMat3, Vec3, dot, symmetric_outer
from quatrain.scalar import Scalar, cos, first_true, logical_and, maximum, minimum, sin, where


def pyramid(elevation: Scalar) -> tuple[Vec3, Vec3, Vec3, Vec3]:
    """Axes of four wheels, a_k = (cos δ cos ½kπ, cos δ sin ½kπ, sin δ) for k = 0 … 3.

    Equations: A(30)
    """
    c, s = cos(elevation), sin(elevation)
    return Vec3(c, 0, s), Vec3(0, c, s), Vec3(-c, 0, s), Vec3(0, -c, s)  # A(30)


def allocation(axes: Sequence[Vec3]) -> tuple[Vec3, ...]:
    """The rows of A⁺ = Aᵀ (A Aᵀ)⁻¹, for N ≥ 3 wheels whose axes span space; u = A⁺ τ is the shortest with A u = τ.

    An error where the axes are known to lie in a plane.

    Equations: A(30)
    """
    gram = SymMat3.diagonal(0, 0, 0)
    for axis in axes:
        gram = gram + symmetric_outer(axis)
    # Of unit axes in a plane det A Aᵀ is zero but for rounding, some 1e-16 N³; of three that stand within a
    # thousandth of a radian of a plane it is 1e-6.
    place = first_true(gram.determinant() <= 1e-12)
    if place is not None:
        raise ArgumentError(
            f"the axes of {len(axes)} wheel{'' if len(axes) == 1 else 's'} do not span space: "
            "no torques of theirs give a torque about every axis",
            do="use at least three wheels whose axes do not lie in one plane",
        )
    inverse = gram.inverse()
    return tuple(inverse @ axis for axis in axes)  # A(30)


def allocated(rows: Sequence[Vec3], torque_B: Vec3) -> Each:
    """u = A⁺ τ, so that A u = τ; the hub feels −τ.

    Equations: A(30)
    """
    return tuple(dot(row, torque_B) for row in rows)  # A(30)


def without_net_torque(axes: Sequence[Vec3], of_each: Each) -> Each:
    """x − A⁺ A x: the part of wheel torques, or momenta, that the hub does not feel.

    Equations: A(30)
    """
    net = Gyrostat(SymMat3.identity(), tuple(axes), tuple(of_each)).along_axes(of_each)
    return tuple(x - felt for x, felt in zip(of_each, allocated(allocation(axes), net), strict=True))  # A(30)


def attitude_feedback(q_TB: Quaternion, w_TB_B: Vec3, stiffness: Scalar, damping: Scalar) -> Vec3:
    """τ = k_p q⃗ + k_d ω, to be given to the wheels: the hub feels −τ and turns to the target T, where q = ±1.

    Of q and −q, the same attitude, the one nearer to 1 is used, so that the way to the target is the
    shorter one.

    Equations: A(31)
    """
    nearer = where(q_TB.w < 0, -1, 1)
    return q_TB.vector * (stiffness * nearer) + w_TB_B * damping  # A(31)


def feedback_energy(gyrostat: Gyrostat, q_TB: Quaternion, w_TB_B: Vec3, stiffness: Scalar) -> Scalar:
    """V = ½ ωᵀ J_r ω + 2 k_p (1 − |q₀|): under the feedback, with T = 0 and T at rest, V̇ = −k_d |ω|².

    Equations: A(31)
    """
    nearer = where(q_TB.w < 0, -1, 1)
    return gyrostat.reduced_inertia.quadratic_form(w_TB_B) / 2 + 2 * stiffness * (
        1 - q_TB.w * nearer
    )  # A(31)


def unloading(gyrostat: Gyrostat, rows: Sequence[Vec3], momenta: Each, rate: Scalar) -> tuple[Vec3, Each]:
    """An external torque T = −c Σ h_k a_k, and motor torques that pass it on to the wheels: A u = T.

    While both act the hub feels nothing of it, T − A u = 0, and the wheels' common momentum decays as e^−ct.
    """
    t_B = gyrostat.along_axes(momenta) * -rate
    return t_B, allocated(rows, t_B)


def motor_torque(
    command: Scalar,
    speed: Scalar,
    *,
    most: Scalar | None = None,
    fastest: Scalar | None = None,
    friction: Scalar = 0,
) -> Scalar:
    """u: the commanded torque within the motor's limits, less the bearing's friction c Ω.

    It is no larger than `most`, and where the wheel turns at `fastest` or more it does not speed it up further.
    """
    torque = command if most is None else maximum(minimum(command, most), -most)
    if fastest is not None:
        torque = where(logical_and(speed >= fastest, torque > 0), 0, torque)
        torque = where(logical_and(speed <= -fastest, torque < 0), 0, torque)
    return torque - speed * friction
