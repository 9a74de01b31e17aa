"""How the chain's rotations, and vectors that its bodies carry, change with one coordinate q^α."""

from __future__ import annotations

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.links import Link
from quatrain.equations.chain.rotations import composite_rotation
from quatrain.geometry import Quaternion, Vec3, cross
from quatrain.scalar import Scalar, cos, sin

ZERO = Quaternion(0, 0, 0, 0)


def joint_rotation_slope(link: Link, q: Scalar) -> Quaternion:
    """∂p_α/∂q^α = ½ ξ̄ (−sin ½ξ̄q + e cos ½ξ̄q), the definition differentiated.

    Equations: Z(42)
    """
    if link.prismatic:
        return ZERO
    return Quaternion.from_parts(-sin(q / 2), link.e * cos(q / 2)) / 2  # Z(42)


def joint_rotation_derivative(at: Configuration, k: int, alpha: int) -> Quaternion:
    """∂p_k/∂q^α: zero for k ≠ α, and ∂p_α/∂q^α = ½ ξ̄_α e_α^(α) ⊗ p_α, for −e ⊗ e = 1.

    Equations: Z(41), Z(43), Z(44)
    Corrected Z(44): repeated factors removed; it follows from Z(42), not from Z(43).
    """
    if k != alpha:
        return ZERO
    link = at.links[alpha]
    return Quaternion.pure(link.e) @ at.p[alpha] * link.xi_bar / 2  # Z(44)


def conjugate_joint_rotation_derivative(at: Configuration, alpha: int) -> Quaternion:
    """∂p*_α/∂q^α = −½ ξ̄_α p*_α ⊗ e_α^(α), by differentiating p* ⊗ p = 1.

    Equations: Z(45), Z(46), Z(47), Z(48)
    """
    link = at.links[alpha]
    return at.p[alpha].conjugate() @ Quaternion.pure(link.e) * -link.xi_bar / 2  # Z(48)


def composite_derivative(at: Configuration, k: int, alpha: int) -> Quaternion:
    """∂p_{0,k}/∂q^α = ½ ξ̄_α e_α ⊗ p_{0,k} for α ≤ k, else zero. Here k = 0 is body 1.

    Equations: Z(53)
    """
    if not alpha <= k:
        return ZERO
    return Quaternion.pure(at.e[alpha]) @ at.p_0[k + 1] * at.links[alpha].xi_bar / 2  # Z(53)


def conjugate_composite_derivative(at: Configuration, k: int, alpha: int) -> Quaternion:
    """∂p*_{0,k}/∂q^α = −½ ξ̄_α p*_{0,k} ⊗ e_α for α ≤ k, else zero.

    Equations: Z(54)
    """
    if not alpha <= k:
        return ZERO
    return at.p_0[k + 1].conjugate() @ Quaternion.pure(at.e[alpha]) * -at.links[alpha].xi_bar / 2  # Z(54)


def composite_derivative_as_product(at: Configuration, k: int, alpha: int) -> Quaternion:
    """The same before e_α is taken to the ground: ½ ξ̄_α p_{0,α−1} ⊗ e_α^(α) ⊗ p_{α−1,k}, α ≤ k.

    Equations: Z(50)
    """
    link = at.links[alpha]
    before, after = composite_rotation(at.p, 0, alpha), composite_rotation(at.p, alpha, k + 1)
    return before @ Quaternion.pure(link.e) @ after * link.xi_bar / 2  # Z(50)


def conjugate_composite_derivative_as_product(at: Configuration, k: int, alpha: int) -> Quaternion:
    """−½ ξ̄_α p*_{α−1,k} ⊗ e_α^(α) ⊗ p*_{0,α−1}, α ≤ k.

    Equations: Z(51)
    Corrected Z(51): the last factor of its first form is printed q*_1; it is p*_1.
    """
    link = at.links[alpha]
    before, after = composite_rotation(at.p, 0, alpha), composite_rotation(at.p, alpha, k + 1)
    return after.conjugate() @ Quaternion.pure(link.e) @ before.conjugate() * -link.xi_bar / 2  # Z(51)


def axis_in_own_body(at: Configuration, alpha: int) -> Vec3:
    """e_α^(α) = p*_{0,α−1} ⊗ e_α ⊗ p_{0,α−1}: from the ground's axes back to the constant of the model.

    Equations: Z(52)
    """
    return at.p_0[alpha].inverse_rotate(at.e[alpha])  # Z(52)


def carried_vector_derivative(at: Configuration, vector: Vec3, i: int, alpha: int) -> Vec3:
    """∂/∂q^α of any vector fixed in body i, in the ground's axes: ξ̄_α e_α × vector for α ≤ i, else zero."""
    if not alpha <= i:
        return Vec3.zero()
    return cross(at.e[alpha], vector) * at.links[alpha].xi_bar


def rho_next_derivative_by_product_rule(at: Configuration, k: int, alpha: int) -> Vec3:
    """∂ρ_kk/∂q^α = ∂p_{0,k}/∂q^α ⊗ ρ_kk^(k) ⊗ p*_{0,k} + p_{0,k} ⊗ ρ_kk^(k) ⊗ ∂p*_{0,k}/∂q^α.

    Equations: Z(49)
    Corrected Z(49): misprint of the copy used, ρ read as p.
    """
    constant, p = Quaternion.pure(at.links[k].rho_next), at.p_0[k + 1]
    first = composite_derivative(at, k, alpha) @ constant @ p.conjugate()
    return (first + p @ constant @ conjugate_composite_derivative(at, k, alpha)).vector  # Z(49)


def rho_next_derivative(at: Configuration, k: int, alpha: int) -> Vec3:
    """∂ρ_kk/∂q^α = ξ̄_α e_α × ρ_kk for α ≤ k, else zero.

    Equations: Z(55), Z(56)
    Corrected Z(55): a stray line of the copy used removed.
    """
    return carried_vector_derivative(at, at.rho_next[k], k, alpha)  # Z(55)


def axis_derivative(at: Configuration, k: int, alpha: int) -> Vec3:
    """∂e_k/∂q^α = ξ̄_α e_α × e_k for α ≤ k, which is zero at α = k, else zero.

    Equations: Z(57), Z(58)
    """
    return carried_vector_derivative(at, at.e[k], k, alpha)  # Z(57)


def rho_derivative(at: Configuration, i: int, alpha: int) -> Vec3:
    """∂ρ_i/∂q^α = ξ̄_α e_α × ρ_i for α ≤ i, else zero.

    Equations: Z(59), Z(60)
    Corrected Z(59): misprint of the copy used.
    """
    return carried_vector_derivative(at, at.rho[i], i, alpha)  # Z(59)
