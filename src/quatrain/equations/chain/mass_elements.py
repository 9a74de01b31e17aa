"""Kinetic energy from the body's mass elements, as the metric is derived.

A body's elements are pairs (dm, ϱ): mass, and vector from its mass centre in the body's axes (printed ρ_i, a
symbol that already has another meaning). The integrals over a body are sums over them; `elements` holds
those of bodies 1 … n. Nothing but the derivation and its tests needs them: inertia tensors hold the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from quatrain.equations.chain.derivatives import carried_vector_derivative
from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.quasi_basic import quasi_basic_vector
from quatrain.equations.chain.velocities import Rates, angular_velocity, partial_rotation, velocity
from quatrain.geometry import SymMat3, Vec3, cross, dot, skew, symmetric_outer
from quatrain.scalar import Scalar

Element: TypeAlias = tuple[Scalar, Vec3]
Elements: TypeAlias = Sequence[Element]


def element_energy(dm: Scalar, V_M: Vec3) -> Scalar:
    """dE_k = ½ dm V_M²

    Equations: Z(80)
    """
    return dm * V_M.norm_squared() / 2  # Z(80)


def element_velocity(at: Configuration, dq: Rates, i: int, varrho_i: Vec3) -> Vec3:
    """V_M = V_C + ω_i × ϱ_i, of the element at ϱ_i in the body's axes.

    Equations: Z(81)
    Corrected Z(81): printed with "= V_i" in between, but V_i is the mass centre's velocity; and here, up to Z(96), as
        in Z(123)–(128), ρ_i is the vector to the element, ϱ_i, not that of Z(35).
    """
    varrho = at.p_0[i + 1].rotate(varrho_i)
    return velocity(at, dq, i) + cross(angular_velocity(at, dq, i), varrho)  # Z(81)


def body_energy_of_elements(at: Configuration, dq: Rates, i: int, elements: Elements) -> Scalar:
    """E_k(i) = ½ ∫ (V_C + ω × ϱ)·(V_C + ω × ϱ) dm

    Equations: Z(82)
    """
    return sum(element_energy(dm, element_velocity(at, dq, i, varrho)) for dm, varrho in elements)  # Z(82)


def first_moment(elements: Elements) -> Vec3:
    """∫ ϱ dm, zero because ϱ is measured from the mass centre.

    Equations: Z(83)
    """
    return sum((varrho * dm for dm, varrho in elements), Vec3.zero())  # Z(83)


def turning_velocity(at: Configuration, dq: Rates, i: int, varrho_i: Vec3) -> Vec3:
    """ω_i × ϱ_i = Σ_α (Ω_α(i) × ϱ_i) q̇^α = Σ_α ∂ϱ_i/∂q^α q̇^α.

    Equations: Z(88)
    """
    varrho = at.p_0[i + 1].rotate(varrho_i)
    terms = (cross(partial_rotation(at, a, i), varrho) * dq[a] for a in range(i + 1))
    return sum(terms, Vec3.zero())  # Z(88)


def body_energy(at: Configuration, dq: Rates, i: int, elements: Elements) -> Scalar:
    """E_k(i) = ½ m V_C·V_C + ½ ∫ (ω × ϱ)·(ω × ϱ) dm

    Equations: Z(84)
    """
    translation = velocity(at, dq, i).norm_squared() * at.links[i].mass
    rotation = sum(dm * turning_velocity(at, dq, i, varrho).norm_squared() for dm, varrho in elements)
    return (translation + rotation) / 2  # Z(84)


def energy_of_bodies(at: Configuration, dq: Rates, elements: Sequence[Elements]) -> Scalar:
    """E_k = Σ_i E_k(i)

    Equations: Z(85)
    """
    return sum(body_energy(at, dq, i, elements[i]) for i in range(at.n))  # Z(85)


def speed_squared(at: Configuration, dq: Rates, i: int) -> Scalar:
    """V_C·V_C = Σ_αβ ∂r_C/∂q^α·∂r_C/∂q^β q̇^α q̇^β

    Equations: Z(87)
    """
    T = [quasi_basic_vector(at, a, i) for a in range(at.n)]
    joints = range(at.n)
    return sum(dot(T[a], T[b]) * dq[a] * dq[b] for a in joints for b in joints)  # Z(87)


def element_derivative(at: Configuration, varrho_i: Vec3, i: int, alpha: int) -> Vec3:
    """∂ϱ_i/∂q^α: zero for α > i, since ϱ is fixed in body i."""
    return carried_vector_derivative(at, at.p_0[i + 1].rotate(varrho_i), i, alpha)


def turning_metric_of_elements(
    at: Configuration, elements: Sequence[Elements], alpha: int, beta: int
) -> Scalar:
    """Σ_i ∫ ∂ϱ_i/∂q^α·∂ϱ_i/∂q^β dm: half its contraction with q̇^α q̇^β is the energy of turning.

    Equations: Z(89)
    """
    return sum(
        dm * dot(element_derivative(at, varrho, i, alpha), element_derivative(at, varrho, i, beta))
        for i in range(at.n)
        for dm, varrho in elements[i]
    )  # Z(89)


def metric_of_elements(at: Configuration, elements: Sequence[Elements], alpha: int, beta: int) -> Scalar:
    """a_αβ = Σ_i m_i ∂r_C/∂q^α·∂r_C/∂q^β + Σ_i ∫ ∂ϱ_i/∂q^α·∂ϱ_i/∂q^β dm

    Equations: Z(91)
    """
    translation = sum(
        dot(quasi_basic_vector(at, alpha, i), quasi_basic_vector(at, beta, i)) * at.links[i].mass
        for i in range(at.n)
    )
    return translation + turning_metric_of_elements(at, elements, alpha, beta)  # Z(91)


def energy_of_elements(at: Configuration, dq: Rates, elements: Sequence[Elements]) -> Scalar:
    """E_k = ½ Σ_αβ a_αβ q̇^α q̇^β with a_αβ from the elements.

    Equations: Z(90)
    """
    joints = range(at.n)
    terms = (metric_of_elements(at, elements, a, b) * dq[a] * dq[b] for a in joints for b in joints)
    return sum(terms) / 2  # Z(90)


def rotational_metric_of_elements(
    at: Configuration, elements: Sequence[Elements], alpha: int, beta: int
) -> Scalar:
    """Σ_{i ≥ sup(α,β)} ∫ ξ̄_α ξ̄_β (e_α × ϱ_i)·(e_β × ϱ_i) dm

    Equations: Z(93)
    Corrected Z(93): printed as a sum from i = 1; bodies before sup(α, β) do not turn with both joints.
    """
    both = at.links[alpha].xi_bar * at.links[beta].xi_bar
    total: Scalar = 0
    for i in range(max(alpha, beta), at.n):
        for dm, varrho_i in elements[i]:
            varrho = at.p_0[i + 1].rotate(varrho_i)
            total = total + dot(cross(at.e[alpha], varrho), cross(at.e[beta], varrho)) * dm * both  # Z(93)
    return total


# ---- tensors of one body -----------------------------------------------------------------------------


def product_of_swings(a: Vec3, b: Vec3, varrho: Vec3) -> Scalar:
    """(a × ϱ)·(b × ϱ) = −(a) [ϱ^d]² {b}, with the dual object [ϱ^d] {b} = ϱ × b.

    Equations: Z(94)
    Corrected Z(94): the last vector is printed e_α; it is e_β.
    """
    return -dot(a, skew(varrho) @ (skew(varrho) @ b))  # Z(94)


def inertia_of_elements(elements: Elements) -> SymMat3:
    """[J_C] = −∫ [ϱ^d]² dm = ∫ (ϱ² [I] − {ϱ}(ϱ)) dm, in the body's axes.

    Equations: Z(96), Z(123)
    Corrected Z(96): the minus sign of its first form is missing in print; the matrix is right.
    """
    zero = SymMat3.diagonal(0, 0, 0)
    terms = (
        (SymMat3.identity() * varrho.norm_squared() - symmetric_outer(varrho)) * dm for dm, varrho in elements
    )
    return sum(terms, zero)  # Z(123)


def planar_moment_of_elements(elements: Elements) -> SymMat3:
    """[Π] = ∫ {ϱ}(ϱ) dm

    Equations: Z(128)
    """
    return sum((symmetric_outer(varrho) * dm for dm, varrho in elements), SymMat3.diagonal(0, 0, 0))  # Z(128)


def planar_moment(J: SymMat3) -> SymMat3:
    """[Π] = ½ tr(J) [I] − [J]; and [J] = tr(Π) [I] − [Π].

    Equations: Z(128)
    """
    return SymMat3.identity() * (J.trace() / 2) - J  # Z(128)
