"""Equations of motion in Euler parameters relative to a moving frame, such as an orbital one.

q is `q_FB`, the attitude of the body B in a frame F that turns; ω_o is F's angular velocity in its own
axes, ω̇_o its derivative there. ω_I = Rᵀ ω_o + ω is the body's inertial rate in the body, ω = 2 L q̇ the
relative one. R = E Lᵀ is not normalised. J and τ are about the mass centre, in the body.
"""

from __future__ import annotations

from quatrain.equations.attitude import E_matrix, L_matrix, body_rate, rotation_matrix
from quatrain.equations.euler_parameters import Acceleration, solve_augmented
from quatrain.equations.rotated_forms import delta
from quatrain.geometry import Quaternion, SymMat3, Vec3
from quatrain.scalar import Scalar


def moving_frame_gradients(
    q: Quaternion, dq: Quaternion, J: SymMat3, w_OF_F: Vec3
) -> tuple[Quaternion, Quaternion]:
    """∂T/∂q and ∂T/∂q̇ of T = ½ ω_Iᵀ J ω_I; any q, with R = E Lᵀ not normalised.

        ∂T/∂q = 2 Δ[ω_o, J ω_I] q − 2 L̇ᵀ J ω_I,   ∂T/∂q̇ = 2 Lᵀ J ω_I

    Equations: D(11)
    """
    h_B = J @ inertial_rate(q, dq, w_OF_F)
    by_q = delta(w_OF_F, h_B) @ q * 2 - L_matrix(dq).T @ h_B * 2  # D(11)
    return by_q, L_matrix(q).T @ h_B * 2


def moving_frame_residual(
    q: Quaternion,
    dq: Quaternion,
    ddq: Quaternion,
    J: SymMat3,
    tau_B: Vec3,
    w_OF_F: Vec3,
    alpha_OF_F: Vec3,
    multiplier: Scalar,
) -> Quaternion:
    """4 L̇ᵀ J ω_I + 2 Lᵀ J ω̇_I − 2 Δ[ω_o, J ω_I] q − 2 Lᵀ τ + λ q, with λ = 2 ω_Iᵀ J ω_I in motion.

    Equations: D(12)
    """
    L, dL = L_matrix(q), L_matrix(dq)
    h_B = J @ inertial_rate(q, dq, w_OF_F)
    dh_B = J @ inertial_acceleration(q, dq, ddq, w_OF_F, alpha_OF_F)
    momentum_rate = dL.T @ h_B * 4 + L.T @ dh_B * 2
    return momentum_rate - delta(w_OF_F, h_B) @ q * 2 - L.T @ tau_B * 2 + q * multiplier  # D(12)


def moving_frame_form(
    q: Quaternion, dq: Quaternion, J: SymMat3, tau_B: Vec3, w_OF_F: Vec3, alpha_OF_F: Vec3
) -> Acceleration:
    """q̈ and λ from D(12) together with S(33)."""
    at_rest = Quaternion(0, 0, 0, 0)
    g = moving_frame_residual(q, dq, at_rest, J, tau_B, w_OF_F, alpha_OF_F, 0)
    return solve_augmented(q, dq, J, g, at_rest)


def inertial_rate(q: Quaternion, dq: Quaternion, w_OF_F: Vec3) -> Vec3:
    """ω_I = Rᵀ ω_o + 2 L q̇ with R = E Lᵀ."""
    return rotation_matrix(q).T @ w_OF_F + body_rate(q, dq)


def inertial_acceleration(
    q: Quaternion, dq: Quaternion, ddq: Quaternion, w_OF_F: Vec3, alpha_OF_F: Vec3
) -> Vec3:
    """ω̇_I = ω̇ + Rᵀ ω̇_o − ω × Rᵀ ω_o, written with ω̇ = 2 L q̈ and Ṙᵀ = 2 L̇ Eᵀ; then J ω̇_I + ω_I × J ω_I = τ.

    Equations: D(13)
    """
    R_rate = (L_matrix(dq) @ E_matrix(q).T * 2).to_mat3()  # Ṙᵀ = −[ω]× Rᵀ
    return body_rate(q, ddq) + rotation_matrix(q).T @ alpha_OF_F + R_rate @ w_OF_F  # D(13)
