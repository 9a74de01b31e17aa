"""Covariant equations of motion, from the metric and its Christoffel symbols.

    Σ_α (a_αγ + δ_αγ A_γ) q̈^α + Σ_αβ Γ_αβ,γ q̇^α q̇^β = Q_γ,    γ = 1 … n

Lists of forces hold one scalar for each joint [N m, N].
"""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.chain.christoffel import Symbols, christoffel_symbols
from quatrain.equations.chain.forces import Forces, JointEffects, Load, applied_forces, effects_of
from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.metric_tensor import metric
from quatrain.equations.chain.quasi_basic import quasi_basic_vector
from quatrain.equations.chain.velocities import Rates, acceleration, partial_rotation, turning
from quatrain.geometry import Matrix, cross, dot
from quatrain.scalar import Scalar

# ---- Lagrange's equations ------------------------------------------------------------------------------


def generalized_momentum(a: Matrix, dq: Rates) -> Forces:
    """∂E_k/∂q̇^γ = Σ_α a_αγ q̇^α, the two halves ½ Σ a_γβ q̇^β + ½ Σ a_αγ q̇^α being equal.

    Equations: Z(105), Z(106)
    Corrected Z(105), Z(106): the ∂ before q̇^γ is missing in print.
    """
    return [dot(row, dq) for row in a.rows]  # Z(106)


def momentum_rate(a: Matrix, da: Symbols, dq: Rates, ddq: Rates) -> Forces:
    """d/dt ∂E_k/∂q̇^γ = Σ_α a_αγ q̈^α + ½ Σ_αβ (∂a_αγ/∂q^β + ∂a_βγ/∂q^α) q̇^α q̇^β, da[γ][α][β] = ∂a_αβ/∂q^γ.

    Equations: Z(107)
    Corrected Z(107): the ∂ before q̇^γ is missing in print.
    """
    n = range(len(dq))
    quadratic = [sum((da[B][A][c] + da[A][B][c]) * dq[A] * dq[B] for A in n for B in n) / 2 for c in n]
    return [dot(row, ddq) + extra for row, extra in zip(a.rows, quadratic, strict=True)]  # Z(107)


def energy_gradient(da: Symbols, dq: Rates) -> Forces:
    """∂E_k/∂q^γ = ½ Σ_αβ ∂a_αβ/∂q^γ q̇^α q̇^β, da[γ][α][β] = ∂a_αβ/∂q^γ.

    Equations: Z(108)
    """
    n = range(len(dq))
    return [sum(da[c][A][B] * dq[A] * dq[B] for A in n for B in n) / 2 for c in n]  # Z(108)


def lagrange_forces(a: Matrix, da: Symbols, dq: Rates, ddq: Rates) -> Forces:
    """Q_γ = d/dt ∂E_k/∂q̇^γ − ∂E_k/∂q^γ, from the metric and its derivatives.

    Equations: Z(104)
    Corrected Z(104): Q_γ is left abstract; what it consists of are X(3), X(4) and X(5).
    """
    pairs = zip(momentum_rate(a, da, dq, ddq), energy_gradient(da, dq), strict=True)
    return [rate - gradient for rate, gradient in pairs]  # Z(104)


def velocity_forces(Gamma: Symbols, dq: Rates) -> Forces:
    """Σ_αβ Γ_αβ,γ q̇^α q̇^β"""
    n = range(len(dq))
    return [sum(Gamma[A][B][c] * dq[A] * dq[B] for A in n for B in n) for c in n]


def covariant_forces(at: Configuration, dq: Rates, ddq: Rates) -> Forces:
    """Q_γ = Σ_α a_αγ q̈^α + Σ_αβ Γ_αβ,γ q̇^α q̇^β: all that acts, for a given motion.

    Equations: Z(109)
    """
    turned = velocity_forces(christoffel_symbols(at), dq)
    return [dot(row, ddq) + force for row, force in zip(metric(at).rows, turned, strict=True)]  # Z(109)


def coriolis_matrix(Gamma: Symbols, dq: Rates) -> Matrix:
    """C_γα = Σ_β Γ_αβ,γ q̇^β, so that C q̇ = ΣΓq̇q̇, dA/dt = C + Cᵀ, and dA/dt − 2C is skew.

    Equations: X(6)
    """
    n = range(len(dq))
    return Matrix(tuple(tuple(sum(Gamma[A][B][c] * dq[B] for B in n) for A in n) for c in n))  # X(6)


def velocity_forces_by_bodies(at: Configuration, dq: Rates) -> Forces:
    """The same as Σ_αβ Γ_αβ,γ q̇^α q̇^β without Γ, from accelerations at q̈ = 0.

        Σ_{i ≥ γ} [m_i a_i·T_γ(i) + ([J_i] ε_i + ω_i × [J_i] ω_i)·Ω_γ(i)]

    Equations: X(7)
    """
    zero = [0] * at.n
    forces: Forces = [0] * at.n
    for i, (w, epsilon) in enumerate(turning(at, dq, zero)):
        link = at.links[i]
        J = link.J.rotated(at.p_0[i + 1].to_matrix())
        inertial = acceleration(at, dq, zero, i) * link.mass
        moment = J @ epsilon + cross(w, J @ w)
        for gamma in range(i + 1):
            force = dot(inertial, quasi_basic_vector(at, gamma, i))
            forces[gamma] = forces[gamma] + force + dot(moment, partial_rotation(at, gamma, i))  # X(7)
    return forces


# ---- the full equation of a robot ----


def actuator_forces(
    at: Configuration,
    dq: Rates,
    ddq: Rates,
    loads: Sequence[Load] = (),
    effects: Sequence[JointEffects] = (),
) -> Forces:
    """u_γ that a motion needs: the full equation solved for the actuators.

    Equations: X(5)
    """
    passive = applied_forces(at, dq, [0] * at.n, loads, effects)
    needed = covariant_forces(at, dq, ddq)
    rows = zip(needed, passive, effects_of(at, effects), ddq, strict=True)
    return [x - y + effect.rotor_inertia * rate for x, y, effect, rate in rows]  # X(5)


def generalized_acceleration(
    at: Configuration,
    dq: Rates,
    u: Sequence[Scalar],
    loads: Sequence[Load] = (),
    effects: Sequence[JointEffects] = (),
) -> Forces:
    """q̈^δ = a^δγ (Q_γ − Γ_αβ,γ q̇^α q̇^β): the contravariant form.

    Equations: X(5)
    """
    rows = [list(row) for row in metric(at).rows]
    for k, effect in enumerate(effects_of(at, effects)):
        rows[k][k] = rows[k][k] + effect.rotor_inertia
    turned = velocity_forces(christoffel_symbols(at), dq)
    applied = applied_forces(at, dq, u, loads, effects)
    return solve_symmetric(rows, [x - y for x, y in zip(applied, turned, strict=True)])  # X(5)


def solve_symmetric(a: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> Forces:
    """x with a x = b for a symmetric positive definite a, by a = L D Lᵀ; needs no root."""
    n = range(len(b))
    L: list[list[Scalar]] = [[0] * len(b) for _ in n]
    D: list[Scalar] = []
    for j in n:
        LD = [L[j][k] * D[k] for k in range(j)]
        D.append(a[j][j] - sum(L[j][k] * LD[k] for k in range(j)))
        for i in range(j + 1, len(b)):
            L[i][j] = (a[i][j] - sum(L[i][k] * LD[k] for k in range(j))) / D[j]
    y: list[Scalar] = []
    for i in n:
        y.append(b[i] - sum(L[i][k] * y[k] for k in range(i)))
    x: list[Scalar] = [0] * len(b)
    for i in reversed(n):
        x[i] = y[i] / D[i] - sum(L[k][i] * x[k] for k in range(i + 1, len(b)))
    return x
