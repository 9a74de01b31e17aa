"""Quasi-basic vectors T_α(i) = ∂r_i/∂q^α, in three forms, and their derivatives Γ_αβ(i)."""

from __future__ import annotations

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.rotations import composite_rotation
from quatrain.geometry import Quaternion, Vec3, cross


def quasi_basic_vector(at: Configuration, alpha: int, i: int) -> Vec3:
    """T_α(i) = ξ̄_α e_α × (r_i − o_α) + ξ_α e_α for α ≤ i, else zero.

    Equations: Z(40), Z(61), Z(62)
    Corrected Z(40): misprint of the copy used.
    """
    if not alpha <= i:
        return Vec3.zero()  # Z(62)
    link, e = at.links[alpha], at.e[alpha]
    return cross(e, at.r[i] - at.o[alpha]) * link.xi_bar + e * link.xi  # Z(61)


def quasi_basic_vector_as_sum(at: Configuration, alpha: int, i: int) -> Vec3:
    """T_α(i) with its sum written out: ξ̄_α e_α × [Σ_{k=α}^i (ρ_kk + ξ_k e_k q^k) + ρ_i] + ξ_α e_α, α ≤ i.

    Equations: Z(61)
    """
    link, e = at.links[alpha], at.e[alpha]
    steps = (at.rho_next[k] + at.e[k] * (at.links[k].xi * at.q[k]) for k in range(alpha, i + 1))
    return cross(e, sum(steps, Vec3.zero()) + at.rho[i]) * link.xi_bar + e * link.xi  # Z(61)


def quasi_basic_vector_from_quaternions(at: Configuration, alpha: int, i: int) -> Vec3:
    """T_α(i) from the model's constants and p_1 … p_i alone, every vector in its sandwich, α ≤ i.

    Equations: Z(64)
    Corrected Z(64): misprint of the copy used, ρ read as p.
    """
    link = at.links[alpha]
    steps = (
        in_ground(at, k + 1, at.links[k].rho_next)
        + in_ground(at, k, at.links[k].e) * (at.links[k].xi * at.q[k])
        for k in range(alpha, i + 1)
    )
    arm = sum(steps, Vec3.zero()) + in_ground(at, i + 1, at.links[i].rho)
    e = in_ground(at, alpha, link.e)
    return cross(e, arm) * link.xi_bar + e * link.xi  # Z(64)


def in_ground(at: Configuration, j: int, vector: Vec3) -> Vec3:
    """p_{0,j} ⊗ vector ⊗ p*_{0,j} with both products carried out; frame j = 0 is the ground."""
    p = composite_rotation(at.p, 0, j)
    return (p @ Quaternion.pure(vector) @ p.conjugate()).vector


def quasi_basic_derivative(at: Configuration, alpha: int, beta: int, i: int) -> Vec3:
    """Γ_αβ(i) = ∂T_α(i)/∂q^β = ∂²r_i/∂q^α∂q^β = ξ̄_inf e_inf × T_sup(i), inf and sup of (α, β).

    Equations: Z(67), Z(69), Z(70), Z(71), Z(72), Z(73), Z(114)
    Corrected Z(72): misprint of the copy used.
    Corrected Z(114): the exponent of ∂² is missing in print.
    """
    lower, upper = min(alpha, beta), max(alpha, beta)
    return cross(at.e[lower], quasi_basic_vector(at, upper, i)) * at.links[lower].xi_bar  # Z(73)


def quasi_basic_derivative_from_quaternions(at: Configuration, alpha: int, beta: int, i: int) -> Vec3:
    """Γ_αβ(i) with e_inf and T_sup(i) in terms of the quaternions, α, β ≤ i.

    Equations: Z(75), Z(76)
    Corrected Z(76): printed with α on its right side; sup(α, β) stands there throughout.
    """
    lower, upper = min(alpha, beta), max(alpha, beta)
    e = in_ground(at, lower, at.links[lower].e)  # Z(75)
    return cross(e, quasi_basic_vector_from_quaternions(at, upper, i)) * at.links[lower].xi_bar  # Z(76)
