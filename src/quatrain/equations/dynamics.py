"""All that is asked of a tree of bodies, in one place: `function(model, q, v, …)` over any scalar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from quatrain.equations import joints
from quatrain.equations.actuators import actuation, actuator_force
from quatrain.equations.coriolis import coriolis_matrix
from quatrain.equations.energy import energy, kinetic_energy, potential_energy
from quatrain.equations.forward_dynamics import forward_dynamics
from quatrain.equations.inverse_dynamics import bias_force, gravity_force, inverse_dynamics
from quatrain.equations.kinematics import (
    bias_acceleration,
    frame_acceleration,
    frame_pose,
    frame_velocity,
    jacobian,
)
from quatrain.equations.mass_matrix import mass_matrix
from quatrain.equations.mass_matrix_inverse import mass_matrix_inverse
from quatrain.equations.momentum import (
    center_of_mass,
    centroidal_momentum_bias,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_rate,
    momentum,
    momentum_rate,
)
from quatrain.equations.passive_forces import passive_force, spring_energy
from quatrain.equations.poses import poses
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.model import Model
from quatrain.scalar import Scalar, sign


def integrate(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
    """q ⊕ v dt"""
    return joints.integrate(Tree.of(model), q, v, dt)


def difference(model: Model, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """The velocity that leads from q0 to q1 in unit time."""
    return joints.difference(Tree.of(model), q0, q1)


def coordinate_rates(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """q̇ = N(q) v"""
    return joints.coordinate_rates(Tree.of(model), q, v)


def pose(model: Model, q: Sequence[Scalar], frame: str, relative_to: str) -> tuple[Vec3, Quaternion]:
    """Position and quaternion of a frame, seen from another."""
    X = frame_pose(model, q, frame, relative_to)
    return X.p, X.q


def momentum_rows(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Linear, then angular momentum about the centre of mass."""
    linear, angular = momentum(model, q, v)
    return [*linear, *angular]


def momentum_rate_rows(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """Rates of both: force, then torque about the centre of mass."""
    force, torque = momentum_rate(model, q, v, a)
    return [*force, *torque]


def centroidal_momentum_bias_rows(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """The same without accelerations."""
    force, torque = centroidal_momentum_bias(model, q, v)
    return [*force, *torque]


# ---- wrenches as rows of six, force first, one for each of some frames -----------------------------------


def inverse_dynamics_under(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Sequence[Sequence[Scalar]],
    frames: Sequence[str],
) -> list[Scalar]:
    return inverse_dynamics(model, q, v, a, _at(frames, wrenches))


def forward_dynamics_under(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Sequence[Sequence[Scalar]],
    frames: Sequence[str],
) -> list[Scalar]:
    return forward_dynamics(model, q, v, tau, _at(frames, wrenches))


def _at(frames: Sequence[str], wrenches: Sequence[Sequence[Scalar]]) -> dict[str, tuple[Vec3, Vec3]]:
    return {name: (Vec3(*w[:3]), Vec3(*w[3:])) for name, w in zip(frames, wrenches, strict=True)}


def neutral(model: Model) -> list[Scalar]:
    """All joints at zero, quaternions (1, 0, 0, 0)."""
    return joints.neutral(Tree.of(model))


def bounds(model: Model) -> list[tuple[Scalar | None, Scalar | None]]:
    """Lower and upper limit of each coordinate, None where there is none; within those of joints that follow it."""
    found: list[tuple[Scalar | None, Scalar | None]] = [(None, None)] * model.nq
    for body, drive, start in zip(model.bodies, model.drives, model.q_starts, strict=True):
        joint, ratio = body.joint, drive.ratio
        entries = sum(motion.nq for motion in joint.motions)
        if not (ratio and len(joint.limits) == joint.freedoms == entries):
            continue
        for k, limit in enumerate(joint.limits, start):
            ends = [None if x is None else (x - drive.offset) / ratio for x in (limit.lower, limit.upper)]
            lower, upper = ends[:: int(sign(ratio))]  # the other way round where it moves the other way
            found[k] = (
                max((x for x in (found[k][0], lower) if x is not None), default=None),
                min((x for x in (found[k][1], upper) if x is not None), default=None),
            )
    return found


def vector(values: Iterable[Any], name: str) -> Vec3:
    """Three scalars as a vector."""
    if isinstance(values, Vec3):
        return values
    entries = tuple(values)
    if len(entries) != 3:
        raise ArgumentError(f"{name} has {len(entries)} entries", do="give three")
    return Vec3(*entries)


__all__ = [
    "actuation",
    "actuator_force",
    "bias_acceleration",
    "bias_force",
    "bounds",
    "center_of_mass",
    "centroidal_momentum_bias",
    "centroidal_momentum_bias_rows",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_rate",
    "coordinate_rates",
    "coriolis_matrix",
    "difference",
    "energy",
    "forward_dynamics",
    "forward_dynamics_under",
    "frame_acceleration",
    "frame_pose",
    "frame_velocity",
    "gravity_force",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_under",
    "jacobian",
    "kinetic_energy",
    "mass_matrix",
    "mass_matrix_inverse",
    "momentum",
    "momentum_rate",
    "momentum_rate_rows",
    "momentum_rows",
    "neutral",
    "passive_force",
    "pose",
    "poses",
    "potential_energy",
    "spring_energy",
    "vector",
]
