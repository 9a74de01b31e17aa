"""What acts on the chain: gravity, loads on bodies, actuators, friction and springs. One scalar for each joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.metric_tensor import kinetic_energy
from quatrain.equations.chain.quasi_basic import quasi_basic_vector
from quatrain.equations.chain.velocities import Rates, partial_rotation
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Vec3, cross, dot
from quatrain.scalar import Scalar, sign

Forces = list[Scalar]


def potential_energy(at: Configuration) -> Scalar:
    """U = −Σ_i m_i g·r_i [J]"""
    return -sum(dot(at.chain.gravity, r) * link.mass for r, link in zip(at.r, at.links, strict=True))


def energy(at: Configuration, dq: Rates) -> Scalar:
    """E_k + U [J]"""
    return kinetic_energy(at, dq) + potential_energy(at)


def gravity_forces(at: Configuration) -> Forces:
    """Q_γ^g = −∂U/∂q^γ = Σ_{i ≥ γ} m_i (g){T_γ(i)}

    Equations: X(3)
    """
    g = at.chain.gravity
    return [
        sum(dot(g, quasi_basic_vector(at, c, i)) * at.links[i].mass for i in range(c, at.n))
        for c in range(at.n)
    ]  # X(3)


@dataclass(frozen=True, slots=True)
class Load:
    """Force F and free torque M on body i, both in the ground's axes; F acts at C_i + b, b in the body's axes."""

    i: int
    force: Vec3
    torque: Vec3 = field(default=Vec3(0, 0, 0))
    b: Vec3 = field(default=Vec3(0, 0, 0))

    def __post_init__(self) -> None:
        for name in ("force", "torque", "b"):
            require(getattr(self, name), Vec3, name)


def load_forces(at: Configuration, load: Load) -> Forces:
    """Q_γ^ext = (F){T_γ(i) + Ω_γ(i) × b} + (M){Ω_γ(i)}, zero for γ > i. Several loads add.

    Equations: X(4)
    """
    if load.i not in range(at.n):
        raise ArgumentError(
            f"the load acts on body index {load.i}; the chain has {at.n} bodies",
            do=f"give an index from 0 (body 1) to {at.n - 1} (body {at.n})",
        )
    b = at.p_0[load.i + 1].rotate(load.b)
    forces: Forces = []
    for gamma in range(at.n):
        T, Omega = quasi_basic_vector(at, gamma, load.i), partial_rotation(at, gamma, load.i)
        forces.append(dot(load.force, T + cross(Omega, b)) + dot(load.torque, Omega))  # X(4)
    return forces


@dataclass(frozen=True, slots=True)
class JointEffects:
    """What a joint itself adds: −b q̇ − f sgn q̇ − k (q − q_0), and the reflected rotor inertia A."""

    viscous: Scalar = 0  # b [N m s/rad, N s/m]
    dry: Scalar = 0  # f [N m, N]
    stiffness: Scalar = 0  # k [N m/rad, N/m]
    rest: Scalar = 0  # q_0 [rad, m]
    rotor_inertia: Scalar = 0  # A, gear ratio squared times rotor inertia [kg m², kg]

    def force(self, q: Scalar, dq: Scalar) -> Scalar:
        return -(self.viscous * dq) - self.dry * sign(dq) - self.stiffness * (q - self.rest)


def effects_of(at: Configuration, effects: Sequence[JointEffects]) -> Sequence[JointEffects]:
    if not effects:
        return (JointEffects(),) * at.n
    if len(effects) != at.n:
        raise ArgumentError(
            f"{len(effects)} joint effects were given; the chain has {at.n} joints",
            do="give one JointEffects for each joint, or none at all",
        )
    return effects


def applied_forces(
    at: Configuration,
    dq: Rates,
    u: Sequence[Scalar],
    loads: Sequence[Load] = (),
    effects: Sequence[JointEffects] = (),
) -> Forces:
    """Q_γ: actuators u_γ, gravity, loads, friction and springs together.

    Equations: X(5)
    """
    total = [x + g for x, g in zip(u, gravity_forces(at), strict=True)]
    for load in loads:
        total = [x + y for x, y in zip(total, load_forces(at, load), strict=True)]
    rows = zip(total, effects_of(at, effects), at.q, dq, strict=True)
    return [x + effect.force(q, rate) for x, effect, q, rate in rows]  # X(5)
