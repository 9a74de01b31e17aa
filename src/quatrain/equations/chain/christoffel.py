"""Christoffel symbols of the first kind Γ_αβ,γ, of the metric of the chain; they hold for every order of α, β, γ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.mass_elements import Elements, planar_moment
from quatrain.equations.chain.metric_tensor import axis_in_body
from quatrain.equations.chain.quasi_basic import quasi_basic_derivative, quasi_basic_vector
from quatrain.geometry import SymMat3, Vec3, cross, dot, skew, symmetric_outer
from quatrain.scalar import Scalar

Symbols: TypeAlias = tuple[tuple[tuple[Scalar, ...], ...], ...]
"""Γ[α][β][γ] = Γ_αβ,γ"""


def symbols_from_derivatives(da: Sequence[Sequence[Sequence[Scalar]]]) -> Symbols:
    """Γ_αβ,γ = ½ (∂a_βγ/∂q^α + ∂a_γα/∂q^β − ∂a_αβ/∂q^γ), from da[γ][α][β] = ∂a_αβ/∂q^γ.

    From the derivatives of a^tr or a^rot alone it gives that part of the symbols.

    Equations: Z(110), Z(112), Z(113)
    """
    return _table(len(da), lambda a, b, c: (da[a][b][c] + da[b][c][a] - da[c][a][b]) / 2)  # Z(110)


def christoffel_symbol(at: Configuration, alpha: int, beta: int, gamma: int) -> Scalar:
    """Γ_αβ,γ = Γ_αβ,γ^tr + Γ_αβ,γ^rot

    Equations: Z(111), Z(129)
    Corrected Z(129): misprint of the copy used; the last factor of its first sandwich is p_σ,i.
    """
    return translational_symbol(at, alpha, beta, gamma) + rotational_symbol(at, alpha, beta, gamma)  # Z(111)


def christoffel_symbols(at: Configuration) -> Symbols:
    """All n³ symbols, each from its own formula.

    Equations: Z(129)
    """
    return _table(at.n, lambda a, b, c: christoffel_symbol(at, a, b, c))


def _table(n: int, entry: Callable[[int, int, int], Scalar]) -> Symbols:
    joints = range(n)
    return tuple(tuple(tuple(entry(a, b, c) for c in joints) for b in joints) for a in joints)


# ---- translation -------------------------------------------------------------------------------------


def translational_metric_derivative(at: Configuration, beta: int, gamma: int, alpha: int) -> Scalar:
    """∂a_βγ^tr/∂q^α = Σ_{i ≥ sup} m_i (∂T_β(i)/∂q^α·T_γ(i) + T_β(i)·∂T_γ(i)/∂q^α)

    Equations: Z(112)
    """
    total: Scalar = 0
    for i in range(max(alpha, beta, gamma), at.n):
        first = dot(quasi_basic_derivative(at, beta, alpha, i), quasi_basic_vector(at, gamma, i))
        second = dot(quasi_basic_vector(at, beta, i), quasi_basic_derivative(at, gamma, alpha, i))
        total = total + (first + second) * at.links[i].mass
    return total


def translational_symbol(at: Configuration, alpha: int, beta: int, gamma: int) -> Scalar:
    """Γ_αβ,γ^tr = Σ_{i ≥ sup(α,β,γ)} m_i ξ̄_inf (e_inf × T_sup(i)){T_γ(i)}, inf and sup of (α, β).

    Equations: Z(115), Z(116)
    """
    return sum(
        dot(quasi_basic_derivative(at, alpha, beta, i), quasi_basic_vector(at, gamma, i)) * at.links[i].mass
        for i in range(max(alpha, beta, gamma), at.n)
    )  # Z(115)


# ---- rotation ----------------------------------------------------------------------------------------


def axis_in_body_derivative(at: Configuration, beta: int, i: int, alpha: int) -> Vec3:
    """∂e_β^(i)/∂q^α = ξ̄_α e_β^(i) × e_sup(α,β)^(i) for α, β ≤ i, zero for α > i.

    Equations: Z(118), Z(119)
    Corrected Z(118), Z(119): printed for α ≥ β alone; it is zero for α < β, and for α > i.
    """
    if not alpha <= i:
        return Vec3.zero()
    upper = axis_in_body(at, max(alpha, beta), i)
    return cross(axis_in_body(at, beta, i), upper) * at.links[alpha].xi_bar  # Z(118)


def rotational_metric_derivative(at: Configuration, beta: int, gamma: int, alpha: int) -> Scalar:
    """∂a_βγ^rot/∂q^α = Σ_{i ≥ sup(β,γ)} ξ̄_β ξ̄_γ ((∂e_β/∂q^α)[J]{e_γ} + (e_β)[J]{∂e_γ/∂q^α}), all in body i.

    Equations: Z(117)
    """
    both = at.links[beta].xi_bar * at.links[gamma].xi_bar
    total: Scalar = 0
    for i in range(max(beta, gamma), at.n):
        J = at.links[i].J
        first = dot(axis_in_body_derivative(at, beta, i, alpha), J @ axis_in_body(at, gamma, i))
        second = dot(axis_in_body(at, beta, i), J @ axis_in_body_derivative(at, gamma, i, alpha))
        total = total + (first + second) * both  # Z(117)
    return total


def rotational_metric_derivative_by_axes(at: Configuration, beta: int, gamma: int, alpha: int) -> Scalar:
    """The same with ∂e/∂q^α put in, so that only bodies i ≥ sup(α,β,γ) take part.

    Equations: Z(120)
    Corrected Z(120): its sums are printed from sup(β, γ); bodies before α do not change with q^α.
    """
    total: Scalar = 0
    for J, e in _turned_bodies(at, alpha, beta, gamma):
        first = dot(cross(e(beta), e(max(alpha, beta))), J @ e(gamma))
        second = dot(e(beta), J @ cross(e(gamma), e(max(alpha, gamma))))
        total = total + first + second  # Z(120)
    return total


def rotational_symbol_six_terms(at: Configuration, alpha: int, beta: int, gamma: int) -> Scalar:
    """Γ_αβ,γ^rot as the definition gives it, with the inertia tensor.

    Equations: Z(121)
    Corrected Z(121): scrambled in the copy used; and it follows from Z(113), not from Z(126).
    """
    total: Scalar = 0
    for J, e in _turned_bodies(at, alpha, beta, gamma):
        a, b, c = e(alpha), e(beta), e(gamma)
        ab, bc, ac = e(max(alpha, beta)), e(max(beta, gamma)), e(max(alpha, gamma))
        total = total + dot(cross(b, ab), J @ c) + dot(b, J @ cross(c, ac))
        total = total + dot(cross(c, bc), J @ a) + dot(c, J @ cross(a, ab))
        total = total - dot(cross(a, ac), J @ b) - dot(a, J @ cross(b, bc))
    return total / 2  # Z(121)


def rotational_symbol_three_terms(at: Configuration, alpha: int, beta: int, gamma: int) -> Scalar:
    """½ Σ ξ̄_α ξ̄_β ξ̄_γ ((e_inf × e_sup)[J]{e_γ} − (e_α × e_γ)[J]{e_β} − (e_β × e_γ)[J]{e_α})

    Equations: Z(122)
    """
    total: Scalar = 0
    for J, e in _turned_bodies(at, alpha, beta, gamma):
        a, b, c = e(alpha), e(beta), e(gamma)
        lower, upper = e(min(alpha, beta)), e(max(alpha, beta))
        total = total + dot(cross(lower, upper), J @ c) - dot(cross(a, c), J @ b) - dot(cross(b, c), J @ a)
    return total / 2  # Z(122)


def rotational_symbol(at: Configuration, alpha: int, beta: int, gamma: int) -> Scalar:
    """Γ_αβ,γ^rot = Σ_{i ≥ sup(α,β,γ)} ξ̄_α ξ̄_β ξ̄_γ (e_sup^(i) × e_γ^(i)) [Π_i] {e_inf^(i)}, inf, sup of (α, β).

    Equations: Z(127)
    Corrected Z(127): misprint of the copy used; there is no factor ½.
    """
    total: Scalar = 0
    for J, e in _turned_bodies(at, alpha, beta, gamma):
        lower, upper = e(min(alpha, beta)), e(max(alpha, beta))
        total = total + dot(cross(upper, e(gamma)), planar_moment(J) @ lower)  # Z(127)
    return total


def _turned_bodies(
    at: Configuration, alpha: int, beta: int, gamma: int
) -> list[tuple[SymMat3, Callable[[int], Vec3]]]:
    """[J_Ci] and α ↦ e_α^(i) of the bodies i ≥ sup(α,β,γ); none if one of the joints is prismatic (ξ̄_α ξ̄_β ξ̄_γ = 0)."""
    if any(at.links[k].prismatic for k in (alpha, beta, gamma)):
        return []
    bodies = range(max(alpha, beta, gamma), at.n)
    return [(at.links[i].J, lambda k, i=i: axis_in_body(at, k, i)) for i in bodies]  # type: ignore[misc]


# ---- from the six terms to one: for one mass element ---------------------------------------------------


def planar_pair(a: Vec3, b: Vec3, c: Vec3, varrho: Vec3) -> Scalar:
    """(a × c){ϱ}(ϱ){b} + (b × c){ϱ}(ϱ){a}: the same for (a, b) and (b, a), so for (inf, sup).

    Equations: Z(125)
    """
    return planar_term(a, b, c, varrho) + planar_term(b, a, c, varrho)  # Z(125)


def planar_term(a: Vec3, b: Vec3, c: Vec3, varrho: Vec3) -> Scalar:
    """(a × c){ϱ}(ϱ){b}"""
    return dot(cross(a, c), symmetric_outer(varrho) @ b)


def planar_term_from_others(lower: Vec3, upper: Vec3, c: Vec3, varrho: Vec3) -> Scalar:
    """−(e_inf × e_sup)[ϱ^d]²{e_γ} + (e_inf × e_γ){ϱ}(ϱ){e_sup}, which is (e_sup × e_γ){ϱ}(ϱ){e_inf}.

    Equations: Z(126)
    """
    swing = dot(cross(lower, upper), skew(varrho) @ (skew(varrho) @ c))
    return -swing + planar_term(lower, upper, c, varrho)  # Z(126)


def rotational_symbol_of_elements(
    at: Configuration, elements: Sequence[Elements], alpha: int, beta: int, gamma: int
) -> Scalar:
    """Γ_αβ,γ^rot from the bodies' mass elements.

    Equations: Z(124)
    """
    if any(at.links[k].prismatic for k in (alpha, beta, gamma)):
        return 0
    total: Scalar = 0
    for i in range(max(alpha, beta, gamma), at.n):
        a, b, c = (axis_in_body(at, k, i) for k in (alpha, beta, gamma))
        turn = cross(axis_in_body(at, min(alpha, beta), i), axis_in_body(at, max(alpha, beta), i))
        for dm, varrho in elements[i]:
            swing = dot(turn, skew(varrho) @ (skew(varrho) @ c))
            total = total + (planar_pair(a, b, c, varrho) - swing) * dm
    return total / 2  # Z(124)
