"""What acts on a body, as torque and as a generalised force in Euler parameters, summed over all forces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

from quatrain.equations.attitude import rotation_matrix
from quatrain.equations.euler_parameter_forces import (
    B1_matrix,
    Q1_force,
    Q2_force,
    force_of_torque,
    reduced_force,
    torque_of_force,
    virial,
)
from quatrain.geometry import Quaternion, Vec3, dot
from quatrain.scalar import Scalar


@dataclass(frozen=True, slots=True)
class MovingFrame:
    """Angular velocity [rad/s] of the frame that q refers to and its derivative [rad/s²], in that frame's axes."""

    w_OF_F: Vec3
    alpha_OF_F: Vec3


@dataclass(frozen=True, slots=True)
class Load:
    """What acts on the body: a couple [N·m] in the body, and forces, each a pair (f, u).

    f [N] is in the axes of the frame that q refers to, u [m] from the mass centre in the body. `frame` is
    given where that frame moves.
    """

    couple_B: Vec3 = field(default_factory=Vec3.zero)
    forces: tuple[tuple[Vec3, Vec3], ...] = ()
    frame: MovingFrame | None = None


def _sum_of(start: Quaternion, parts: Iterable[Quaternion]) -> Quaternion:
    return reduce(lambda a, b: a + b, parts, start)


def torque(q: Quaternion, load: Load) -> Vec3:
    """The couple and u × Rᵀ f of every force, R = E Lᵀ not normalised."""
    R = rotation_matrix(q)
    return reduce(lambda t, p: t + torque_of_force(R, *p), load.forces, load.couple_B)


def torque_on_attitude(q: Quaternion, load: Load) -> Vec3:
    """The same with R = E Lᵀ / |q|²."""
    R = rotation_matrix(q) / q.norm_squared()
    return reduce(lambda t, p: t + torque_of_force(R, *p), load.forces, load.couple_B)


def Q1(q: Quaternion, load: Load) -> Quaternion:
    """2 Lᵀ τ of couple and forces."""
    return _sum_of(force_of_torque(q, load.couple_B), (Q1_force(q, *pair) for pair in load.forces))


def Q1_by_B1(q: Quaternion, load: Load) -> Quaternion:
    """2 Lᵀ of the couple, and B₁ᵀ f of every force."""
    parts = (B1_matrix(q, u_B).T @ f_W for f_W, u_B in load.forces)
    return _sum_of(force_of_torque(q, load.couple_B), parts)


def reduced(q: Quaternion, load: Load) -> Quaternion:
    """2 Lᵀ of the couple, and 2 Hᵀ Eᵀ f of every force."""
    return _sum_of(force_of_torque(q, load.couple_B), (reduced_force(q, *pair) for pair in load.forces))


def Q2(q: Quaternion, load: Load) -> Quaternion:
    """2 Lᵀ of the couple, and B₂ᵀ f of every force."""
    return _sum_of(force_of_torque(q, load.couple_B), (Q2_force(q, *pair) for pair in load.forces))


def twice_virial(q: Quaternion, load: Load) -> Scalar:
    """2 fᵀ R u, summed."""
    return reduce(lambda total, pair: total + virial(q, *pair) * 2, load.forces, 0)


def twice_virial_of_R_plus_1(q: Quaternion, load: Load) -> Scalar:
    """2 fᵀ (R + 1) u, summed."""
    return reduce(lambda total, pair: total + dot(*pair) * 2, load.forces, twice_virial(q, load))
