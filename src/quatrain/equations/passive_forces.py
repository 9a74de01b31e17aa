"""What joints do by themselves: springs, damping and friction, which `inverse_dynamics` leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.freedoms import freedoms
from quatrain.model import Model
from quatrain.scalar import Scalar, sqrt

SLIP = 0.01
"""[rad/s or m/s]"""


def passive_force(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], slip: Scalar = SLIP
) -> list[Scalar]:
    """τ = −K (q − q_rest) − D v − F v/√(v² + slip²), to be added to the joint forces. [N m or N]

    A ball's spring pulls along the rotation vector from its rest; with equal stiffness about all axes it has the
    energy of `spring_energy`. Friction is Coulomb's but for a smooth change of sign: at ten times the speed `slip` it
    has 99.5 % of its size, and below that a joint creeps where a real one would stick.
    """
    tau: list[Scalar] = [0.0] * model.nv
    for freedom in freedoms(model):
        joint, rates = freedom.joint, freedom.rates(v)
        parts = (joint.stiffness, joint.damping, joint.friction)
        stretches = freedom.displacement(q, joint.rest) if joint.stiffness else [0.0] * len(rates)
        forces = [
            -(stiffness * stretch + damping * rate + friction * rate / sqrt(rate * rate + slip * slip))
            for stiffness, damping, friction, stretch, rate in zip(
                *map(freedom.own, parts), stretches, rates, strict=True
            )
        ]
        freedom.add(forces, tau)
    return tau


def spring_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """½ (q − q_rest)ᵀ K (q − q_rest), of a ball with the rotation vector. [J]"""
    doubled: Scalar = 0.0
    for freedom in freedoms(model):
        if freedom.joint.stiffness:
            stretches = freedom.displacement(q, freedom.joint.rest)
            for stiffness, stretch in zip(freedom.own(freedom.joint.stiffness), stretches, strict=True):
                doubled = doubled + stiffness * stretch * stretch
    return doubled * 0.5
