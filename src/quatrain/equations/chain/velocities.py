"""Velocities and accelerations of the mass centres, angular velocities and accelerations of the bodies."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.quasi_basic import quasi_basic_derivative, quasi_basic_vector
from quatrain.geometry import Quaternion, Vec3, cross
from quatrain.scalar import Scalar

Rates = Sequence[Scalar]


def velocity(at: Configuration, dq: Rates, i: int) -> Vec3:
    """V_i = Σ_α T_α(i) q̇^α, of the mass centre of body i. [m/s]

    Equations: Z(39), Z(63), Z(86)
    Corrected Z(86): misprint of the copy used.
    """
    return sum((quasi_basic_vector(at, a, i) * dq[a] for a in range(i + 1)), Vec3.zero())  # Z(39)


def quasi_basic_rate(at: Configuration, dq: Rates, alpha: int, i: int) -> Vec3:
    """dT_α(i)/dt = Σ_β ∂T_α(i)/∂q^β q̇^β.

    Equations: Z(66)
    """
    return sum((quasi_basic_derivative(at, alpha, b, i) * dq[b] for b in range(i + 1)), Vec3.zero())  # Z(66)


def acceleration_from_rates(at: Configuration, dq: Rates, ddq: Rates, i: int) -> Vec3:
    """a_i = Σ_α (T_α(i) q̈^α + dT_α(i)/dt q̇^α).

    Equations: Z(65)
    """
    terms = (
        quasi_basic_vector(at, a, i) * ddq[a] + quasi_basic_rate(at, dq, a, i) * dq[a] for a in range(i + 1)
    )
    return sum(terms, Vec3.zero())  # Z(65)


def acceleration(at: Configuration, dq: Rates, ddq: Rates, i: int) -> Vec3:
    """a_i = Σ_α T_α(i) q̈^α + Σ_αβ Γ_αβ(i) q̇^α q̇^β, of the mass centre of body i. [m/s²]

    Equations: Z(68), Z(74)
    Corrected Z(68), Z(74): misprint of the copy used; the first term has q̈.
    """
    joints = range(i + 1)
    linear = (quasi_basic_vector(at, a, i) * ddq[a] for a in joints)
    quadratic = (quasi_basic_derivative(at, a, b, i) * (dq[a] * dq[b]) for a in joints for b in joints)
    return sum(linear, Vec3.zero()) + sum(quadratic, Vec3.zero())  # Z(68)


# ---- turning ---------------------------------------------------------------------------------------


def partial_rotation(at: Configuration, alpha: int, i: int) -> Vec3:
    """Ω_α(i) = ξ̄_α e_α for α ≤ i, else zero.

    Equations: Z(78)
    """
    if not alpha <= i:
        return Vec3.zero()
    return at.e[alpha] * at.links[alpha].xi_bar  # Z(78)


def angular_velocity(at: Configuration, dq: Rates, i: int) -> Vec3:
    """ω_i = Σ_α Ω_α(i) q̇^α, in the ground's axes. [rad/s]

    Equations: Z(77), Z(78), Z(79)
    Corrected Z(77): misprint of the copy used; the upper limit is i.
    """
    return sum((partial_rotation(at, a, i) * dq[a] for a in range(i + 1)), Vec3.zero())  # Z(77)


def angular_acceleration(at: Configuration, dq: Rates, ddq: Rates, i: int) -> Vec3:
    """ε_i = Σ_α ξ̄_α e_α q̈^α + Σ_{α<β≤i} ξ̄_α ξ̄_β (e_α × e_β) q̇^α q̇^β. [rad/s²]

    Equations: X(1)
    """
    Omega = [partial_rotation(at, a, i) for a in range(i + 1)]
    linear = (Omega[a] * ddq[a] for a in range(i + 1))
    pairs = (cross(Omega[a], Omega[b]) * (dq[a] * dq[b]) for a in range(i + 1) for b in range(a + 1, i + 1))
    return sum(linear, Vec3.zero()) + sum(pairs, Vec3.zero())  # X(1)


def orientation_rate(at: Configuration, dq: Rates, i: int) -> Quaternion:
    """dp_{0,i}/dt = ½ ω_i ⊗ p_{0,i}.

    Equations: X(2)
    """
    return at.p_0[i + 1].derivative_from_space_rate(angular_velocity(at, dq, i))  # X(2)


def body_rate(at: Configuration, dq: Rates, i: int) -> Vec3:
    """ω_i^(i) = p*_{0,i} ⊗ ω_i ⊗ p_{0,i}: in the body's own axes, with dp_{0,i}/dt = ½ p_{0,i} ⊗ ω_i^(i).

    Equations: X(2)
    """
    return at.p_0[i + 1].inverse_rotate(angular_velocity(at, dq, i))  # X(2)


def turning(at: Configuration, dq: Rates, ddq: Rates) -> list[tuple[Vec3, Vec3]]:
    """(ω_i, ε_i) of all bodies, each from the one before: O(n).

    ω_i = ω_{i−1} + ξ̄_i e_i q̇^i and ε_i = ε_{i−1} + ξ̄_i (e_i q̈^i + ω_{i−1} × e_i q̇^i).

    Equations: X(1)
    """
    w, epsilon, result = Vec3.zero(), Vec3.zero(), []
    for i in range(at.n):
        e = partial_rotation(at, i, i)
        epsilon = epsilon + e * ddq[i] + cross(w, e) * dq[i]
        w = w + e * dq[i]
        result.append((w, epsilon))
    return result
