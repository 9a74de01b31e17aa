"""Lagrange's equations of a turning body in Euler parameters, and Euler's equations that follow from them.

q is `q_WB` as a column of four, q̇ its derivative and ω = 2 L q̇ the body's angular velocity, in the body.
J is the inertia and τ the torque, both about the centre of mass or about a fixed pivot, in the body.
The multiplier λ_C belongs to ∂C/∂q = 2q and stands on the right side; elsewhere (`euler_parameters`) it
is λ = −2 λ_C, to the Jacobian qᵀ and on the left.
"""

from __future__ import annotations

from quatrain.equations.attitude import L_matrix, body_rate, rate_from_body
from quatrain.geometry import Quaternion, SymMat3, Vec3, cross, dot
from quatrain.scalar import Scalar


def lagrangian(q: Quaternion, dq: Quaternion, J: SymMat3) -> Scalar:
    """T = ½ ωᵀ J ω = 2 q̇ᵀ (Lᵀ J L) q̇ = 2 qᵀ (L̇ᵀ J L̇) q, for any q.

    Equations: G(22)
    """
    return J.quadratic_form(body_rate(q, dq)) / 2  # G(22)


def lagrangian_gradients(q: Quaternion, dq: Quaternion, J: SymMat3) -> tuple[Quaternion, Quaternion]:
    """∂T/∂q = 4 L̇ᵀ J L̇ q = −2 L̇ᵀ J ω, and ∂T/∂q̇ = 4 Lᵀ J L q̇ = 2 Lᵀ J ω, for any q.

    Equations: G(24)
    """
    Jw = J @ body_rate(q, dq)
    return L_matrix(dq).T @ Jw * -2, L_matrix(q).T @ Jw * 2  # G(24)


def momentum_rate(q: Quaternion, dq: Quaternion, J: SymMat3, alpha_B: Vec3) -> Quaternion:
    """d/dt ∂T/∂q̇ = 2 L̇ᵀ J ω + 2 Lᵀ J ω̇.

    Equations: G(25)
    """
    return L_matrix(dq).T @ (J @ body_rate(q, dq)) * 2 + L_matrix(q).T @ (J @ alpha_B) * 2  # G(25)


def virtual_work(axis: Vec3, tau: Vec3, angle: Scalar) -> Scalar:
    """δW = (n·τ) δφ of a torque in a small turn about a unit axis, both in one frame.

    Equations: G(26)
    """
    return dot(axis, tau) * angle  # G(26)


def following_turn(q: Quaternion, delta_q: Quaternion) -> Quaternion:
    """q_δ = (1, 0) + q̄ ∘ δq, the small turn (1, ½ δθ) in the body that leads from q to q + δq = q ∘ q_δ.

    Equations: G(27)
    """
    return Quaternion.identity() + q.conjugate() @ delta_q  # G(27)


def generalised_torque(q: Quaternion, tau_B: Vec3) -> Quaternion:
    """F_q = 2 Lᵀ τ, so that δW = F_qᵀ δq.

    Equations: G(28)
    Corrected G(28): section 1.6 calls the torque momentum.
    """
    return L_matrix(q).T @ tau_B * 2  # G(28)


def lagrange_residual(
    q: Quaternion, dq: Quaternion, J: SymMat3, alpha_B: Vec3, tau_B: Vec3, multiplier_C: Scalar
) -> Quaternion:
    """d/dt ∂T/∂q̇ − ∂T/∂q − F_q − 2 λ_C q, zero in motion: 4 L̇ᵀ J ω + 2 Lᵀ J ω̇ = 2 Lᵀ τ + 2 λ_C q.

    Equations: G(23)
    Corrected G(23): in section 1.6.3 λ ∂C/∂q is printed λ q; it is 2 λ_C q.
    """
    by_q, _ = lagrangian_gradients(q, dq, J)
    rate = momentum_rate(q, dq, J, alpha_B)
    return rate - by_q - generalised_torque(q, tau_B) - q * (2 * multiplier_C)  # G(23)


def lagrange_multiplier(J: SymMat3, w_B: Vec3) -> Scalar:
    """λ_C = −ωᵀ J ω = −2T of G(23)."""
    return -J.quadratic_form(w_B)


def euler_equations(q: Quaternion, w_B: Vec3, J: SymMat3, tau_B: Vec3) -> tuple[Quaternion, Vec3]:
    """q̇ = ½ Lᵀ ω and ω̇ = J⁻¹ τ − J⁻¹ (ω × J ω): G(23) times L, which takes λ_C out.

    Equations: G(29)
    """
    return rate_from_body(q, w_B), J.inverse() @ (tau_B - cross(w_B, J @ w_B))  # G(29)
