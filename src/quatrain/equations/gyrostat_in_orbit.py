"""The gyrostat in a frame O that turns, such as an orbital frame: what is kept there, and where it can rest.

ω_r = `w_OB_B` is the hub's rate relative to O in the body B, ω_o = `w_IO_O` the frame's own in its axes,
ω_c = R_OBᵀ ω_o. The wheels feel the inertial rate ω = ω_r + ω_c.
"""

from __future__ import annotations

from quatrain.equations.attitude import L_matrix, body_rate, rotation_matrix
from quatrain.equations.gyrostat import (
    Each,
    Gyrostat,
    acceleration_under_momentum,
    angular_momentum,
    angular_momentum_of_momenta,
    kinetic_energy,
)
from quatrain.equations.moving_frame import composed_attitude, composed_rate
from quatrain.equations.orbit import gravity_gradient_energy, nadir
from quatrain.equations.rotated_forms import delta
from quatrain.geometry import Quaternion, SymMat3, Vec3, cross, dot
from quatrain.scalar import Scalar

# ---- equations of motion ---------------------------------------------------------------------------


def relative_acceleration(
    gyrostat: Gyrostat,
    q_OB: Quaternion,
    w_OB_B: Vec3,
    speeds: Each,
    w_IO_O: Vec3,
    alpha_IO_O: Vec3,
    torques: Each,
    t_B: Vec3,
) -> tuple[Vec3, Each]:
    """ω̇_r and Ω̇_k under motor torques u_k and the external torque T, the gravity gradient's within it.

        ω = ω_r + ω_c,   J_r ω̇ = T − ω × (J ω + b) − A u
        ω̇_r = ω̇ + ω_r × ω_c − R_OBᵀ ω̇_o,   Ω̇_k = u_k/j_k − a_k·ω̇

    Equations: A(33)
    """
    w_IB_B = composed_rate(q_OB, w_IO_O, w_OB_B)
    h_B = angular_momentum(gyrostat, w_IB_B, speeds)
    alpha_IB_B, speed_rates = acceleration_under_momentum(gyrostat, w_IB_B, h_B, torques, t_B)
    return in_frame(q_OB, w_OB_B, w_IO_O, alpha_IO_O, alpha_IB_B), speed_rates  # A(33)


def relative_acceleration_of_momenta(
    gyrostat: Gyrostat,
    q_OB: Quaternion,
    w_OB_B: Vec3,
    momenta: Each,
    w_IO_O: Vec3,
    alpha_IO_O: Vec3,
    torques: Each,
    t_B: Vec3,
) -> tuple[Vec3, Each]:
    """ω̇_r and ḣ_k from the state (ω_r, h_k).

    Equations: A(33)
    """
    w_IB_B = composed_rate(q_OB, w_IO_O, w_OB_B)
    h_B = angular_momentum_of_momenta(gyrostat, w_IB_B, momenta)
    alpha_IB_B, _ = acceleration_under_momentum(gyrostat, w_IB_B, h_B, torques, t_B)
    return in_frame(q_OB, w_OB_B, w_IO_O, alpha_IO_O, alpha_IB_B), tuple(torques)  # A(33)


def in_frame(q_OB: Quaternion, w_OB_B: Vec3, w_IO_O: Vec3, alpha_IO_O: Vec3, alpha_IB_B: Vec3) -> Vec3:
    """ω̇_r = ω̇ + ω_r × ω_c − R_OBᵀ ω̇_o, each derivative taken in the frame the vector is given in.

    Equations: A(33)
    """
    w_c, alpha_c = q_OB.inverse_rotate(w_IO_O), q_OB.inverse_rotate(alpha_IO_O)
    return alpha_IB_B + cross(w_OB_B, w_c) - alpha_c  # A(33)


# ---- by Lagrange -----------------------------------------------------------------------------------


def torque_of_rotated_form(q: Quaternion, v: Vec3, w_B: Vec3) -> Vec3:
    """L Δ[v, w] q = w × (Rᵀ v): half the gradient of vᵀ R w, along the turns of the body.

    Equations: A(19)
    """
    return cross(w_B, q.inverse_rotate(v))  # A(19)


def lagrangian(gyrostat: Gyrostat, q_OB: Quaternion, dq: Quaternion, speeds: Each, w_IO_O: Vec3) -> Scalar:
    """The rotation's kinetic energy A(26), with ω = Rᵀ ω_o + 2 L q̇ and R = E Lᵀ, which is not normalised."""
    return kinetic_energy(gyrostat, _rate(q_OB, dq, w_IO_O), speeds)


def lagrangian_gradients(
    gyrostat: Gyrostat, q_OB: Quaternion, dq: Quaternion, speeds: Each, w_IO_O: Vec3
) -> tuple[Quaternion, Quaternion]:
    """∂T/∂q = −2 L̇ᵀ h + 2 Δ[ω_o, h] q and ∂T/∂q̇ = 2 Lᵀ h, with h = J ω + b, for any q.

    Equations: A(34)
    """
    h_B = angular_momentum(gyrostat, _rate(q_OB, dq, w_IO_O), speeds)
    by_q = L_matrix(dq).T @ h_B * -2 + delta(w_IO_O, h_B) @ q_OB * 2  # A(34)
    return by_q, L_matrix(q_OB).T @ h_B * 2  # A(34)


def lagrange_residual(
    gyrostat: Gyrostat,
    q_OB: Quaternion,
    dq: Quaternion,
    alpha_IB_B: Vec3,
    speeds: Each,
    speed_rates: Each,
    w_IO_O: Vec3,
    t_B: Vec3,
    multiplier: Scalar,
) -> Quaternion:
    """d/dt ∂T/∂q̇ − ∂T/∂q − 2 Lᵀ T + λ q, zero in motion: 4 L̇ᵀ h + 2 Lᵀ ḣ − 2 Δ[ω_o, h] q = 2 Lᵀ T − λ q.

    Times ½ L, with A(19), it is Euler's equation with the inertial rate, ḣ + ω × h = T. In motion
    λ = 2 ω·h, as follows from times q.

    Equations: A(34)
    """
    L, dL = L_matrix(q_OB), L_matrix(dq)
    h_B = angular_momentum(gyrostat, _rate(q_OB, dq, w_IO_O), speeds)
    dh_B = angular_momentum(gyrostat, alpha_IB_B, speed_rates)
    by_q, _ = lagrangian_gradients(gyrostat, q_OB, dq, speeds, w_IO_O)
    momentum_rate = dL.T @ h_B * 2 + L.T @ dh_B * 2
    return momentum_rate - by_q - L.T @ t_B * 2 + q_OB * multiplier  # A(34)


def _rate(q_OB: Quaternion, dq: Quaternion, w_IO_O: Vec3) -> Vec3:
    return rotation_matrix(q_OB).T @ w_IO_O + body_rate(q_OB, dq)


# ---- what is kept ----------------------------------------------------------------------------------


def jacobi_integral(
    gyrostat: Gyrostat, q_OB: Quaternion, w_OB_B: Vec3, speeds: Each, w_IO_O: Vec3, gradient: Scalar
) -> Scalar:
    """𝓗 = ½ ω_rᵀJω_r + ω_r·b + ½ Σ j_k Ω_k² − ½ ω_cᵀJω_c + (3/2) n² ĉᵀJĉ, the energy in the orbital frame.

    On a circular orbit, without other torques, d𝓗/dt = Σ u_k Ω_k. `gradient` is n² = μ/r³.

    Equations: A(35)
    """
    J, w_c = gyrostat.inertia, q_OB.inverse_rotate(w_IO_O)
    motion = kinetic_energy(gyrostat, w_OB_B, speeds)
    return motion - J.quadratic_form(w_c) / 2 + gravity_gradient_energy(J, nadir(q_OB), gradient)  # A(35)


def jacobi_integral_of_momenta(
    gyrostat: Gyrostat, q_OB: Quaternion, w_OB_B: Vec3, momenta: Each, w_IO_O: Vec3, gradient: Scalar
) -> Scalar:
    """𝓗_r = ½ ω_rᵀJ_rω_r − ½ ω_cᵀJ_rω_c − ω_c·Σ h_k a_k + (3/2) n² ĉᵀJĉ: constant, and every h_k, while u = 0.

    Equations: A(35)
    """
    J_r, w_c = gyrostat.reduced_inertia, q_OB.inverse_rotate(w_IO_O)
    motion = J_r.quadratic_form(w_OB_B) - J_r.quadratic_form(w_c)
    held = dot(w_c, gyrostat.along_axes(momenta))
    return motion / 2 - held + gravity_gradient_energy(gyrostat.inertia, nadir(q_OB), gradient)  # A(35)


def momentum_rate(q_IO: Quaternion, q_OB: Quaternion, t_B: Vec3) -> Vec3:
    """d(R_IO R_OB h)/dt = R_IO R_OB T, T being the gravity gradient's torque and all others.

    Equations: A(36)
    """
    return composed_attitude(q_IO, q_OB).rotate(t_B)  # A(36)


# ---- rest in the orbital frame ---------------------------------------------------------------------


def holding_momentum(inertia_O: SymMat3, mean_motion: Scalar, pitch_momentum: Scalar) -> Vec3:
    """b_o = (n J_xy, any, 4 n J_yz): the constant wheel momentum, in O, that holds an attitude on a circular orbit.

    J_o = `inertia_O` = R_OB J R_OBᵀ is the inertia in orbital axes. The attitude can be held only if its entry
    xz is zero: a constant gravity torque about the orbit's normal has no balance in constant wheel momentum.

    Equations: A(40)
    """
    n = mean_motion
    return Vec3(n * inertia_O.xy, pitch_momentum, 4 * n * inertia_O.yz)  # A(40)


def unbalanced_pitch_torque(inertia_O: SymMat3, mean_motion: Scalar) -> Scalar:
    """3 n² (J_o)_xz: the torque about y_o, against the orbit's normal, that no constant wheel momentum holds.

    Equations: A(40)
    """
    return 3 * mean_motion * mean_motion * inertia_O.xz  # A(40)
