"""The basic metric tensor a_αβ, which is the mass matrix, with its translational and rotational parts."""

from __future__ import annotations

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.quasi_basic import quasi_basic_vector
from quatrain.equations.chain.velocities import Rates, angular_velocity, velocity
from quatrain.geometry import Matrix, Vec3, dot
from quatrain.scalar import Scalar


def axis_in_body(at: Configuration, alpha: int, i: int) -> Vec3:
    """e_α^(i) = p*_{α,i} ⊗ e_α^(α) ⊗ p_{α,i}, components of axis α in body i, α ≤ i.

    Equations: Z(102), Z(103)
    """
    p_alpha_i = at.p_0[alpha + 1].conjugate() @ at.p_0[i + 1]
    return p_alpha_i.inverse_rotate(at.links[alpha].e)  # Z(102)


def axes_in_bodies(at: Configuration) -> list[list[Vec3]]:
    """All e_α^(i) with α ≤ i as [i][α], each from the body before: e_α^(i) = p*_i ⊗ e_α^(i−1) ⊗ p_i. O(n²).

    Equations: Z(102)
    """
    table: list[list[Vec3]] = []
    for i, link in enumerate(at.links):
        before = table[-1] if table else []
        table.append([*(at.p[i].inverse_rotate(e) for e in before), link.e])
    return table


def translational_metric_entry(at: Configuration, alpha: int, beta: int) -> Scalar:
    """a_αβ^tr = Σ_{i ≥ sup(α,β)} m_i (T_α(i)){T_β(i)}

    Equations: Z(92), Z(99)
    """
    return sum(
        dot(quasi_basic_vector(at, alpha, i), quasi_basic_vector(at, beta, i)) * at.links[i].mass
        for i in range(max(alpha, beta), at.n)
    )  # Z(99)


def rotational_metric_entry(at: Configuration, alpha: int, beta: int) -> Scalar:
    """a_αβ^rot = Σ_{i ≥ sup(α,β)} ξ̄_α ξ̄_β (e_α^(i)) [J_Ci] {e_β^(i)}

    Equations: Z(100)
    """
    both = at.links[alpha].xi_bar * at.links[beta].xi_bar
    return sum(
        dot(axis_in_body(at, alpha, i), at.links[i].J @ axis_in_body(at, beta, i)) * both
        for i in range(max(alpha, beta), at.n)
    )  # Z(100)


def rotational_metric_entry_in_ground(at: Configuration, alpha: int, beta: int) -> Scalar:
    """The same with every factor in the ground's axes: Σ ξ̄_α ξ̄_β (e_α) [R J R^T] {e_β}.

    Equations: Z(95)
    Corrected Z(95): a minus sign is missing in print, and the sums start at sup(α, β).
    """
    both = at.links[alpha].xi_bar * at.links[beta].xi_bar
    return sum(
        dot(at.e[alpha], at.links[i].J.rotated(at.p_0[i + 1].to_matrix()) @ at.e[beta]) * both
        for i in range(max(alpha, beta), at.n)
    )  # Z(95)


def metric_entry(at: Configuration, alpha: int, beta: int) -> Scalar:
    """a_αβ = a_αβ^tr + a_αβ^rot

    Equations: Z(97), Z(98)
    Corrected Z(97): its second sum is printed from i = 1, where e_α^(i) is not defined.
    """
    return translational_metric_entry(at, alpha, beta) + rotational_metric_entry(at, alpha, beta)  # Z(98)


def metric(at: Configuration) -> Matrix:
    """[a_αβ], symmetric; n × n. [kg m², kg m, kg]

    Equations: Z(98), Z(101)
    """
    lower = [[metric_entry(at, a, b) for b in range(a + 1)] for a in range(at.n)]
    joints = range(at.n)
    return Matrix(tuple(tuple(lower[max(a, b)][min(a, b)] for b in joints) for a in joints))  # Z(101)


def kinetic_energy(at: Configuration, dq: Rates) -> Scalar:
    """E_k = ½ Σ_αβ a_αβ q̇^α q̇^β [J]

    Equations: Z(90)
    """
    joints = range(at.n)
    return sum(metric_entry(at, a, b) * dq[a] * dq[b] for a in joints for b in joints) / 2  # Z(90)


def energy_by_inertia(at: Configuration, dq: Rates) -> Scalar:
    """E_k = ½ Σ_i (m_i V_i² + ω_i^(i)·[J_Ci] ω_i^(i)): the same without the metric.

    Equations: Z(85)
    """
    total: Scalar = 0
    for i, link in enumerate(at.links):
        w = at.p_0[i + 1].inverse_rotate(angular_velocity(at, dq, i))
        total = total + velocity(at, dq, i).norm_squared() * link.mass + link.J.quadratic_form(w)
    return total / 2  # Z(85)
