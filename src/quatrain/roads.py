"""The roads that `verify` compares: recursions, the covariant form, sums over bodies, and differences.

Derivatives are central differences of eighth order. With a step of 1/500 s and rates of some radians a second they
are good to 1e-12. What is summed over bodies knows their poses and Jacobians alone, and no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.equations.tree import Tree

if TYPE_CHECKING:
    from quatrain.robot import Robot

STEP = 2e-3
"""Of differences [s]."""
_WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


# ---- one state after the other ------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Random states, and what several checks ask for there."""

    robot: Robot
    q: Any
    v: Any
    a: Any
    M: Any
    G: Any
    C: Any
    g: Any
    h: Any
    tau: Any
    J: Any
    """Of the bodies' centres of mass (states, nb, 6, nv)."""

    @classmethod
    def of(cls, robot: Robot, states: int, rng: np.random.Generator) -> Sample:
        q = robot.random_configuration(rng, states)
        v, a = rng.normal(size=(2, states, robot.nv))
        return cls(
            robot, q, v, a, robot.mass_matrix(q), robot.christoffel(q), robot.coriolis_matrix(q, v),
            robot.gravity_force(q), robot.bias_force(q, v), robot.inverse_dynamics(q, v, a), jacobians(robot, q),
        )  # fmt: skip

    def along(self, function: Callable[[Any, Any], Any]) -> Any:
        """d/dt of function(q, v) in the motion with these velocities and accelerations."""
        total = 0.0
        for n, weight in enumerate(_WEIGHTS, 1):
            ahead, behind = (
                function(self.robot.integrate(self.q, self.v, t), self.v + self.a * t)
                for t in (n * STEP, -n * STEP)
            )
            total = total + (ahead - behind) * (weight / STEP)
        return total

    def gradient(self, function: Callable[[Any], Any]) -> Any:
        """(states, nv, …): derivatives of function(q) along each velocity."""
        units = np.eye(self.robot.nv)
        q = np.repeat(self.q[:, None], self.robot.nv, axis=1)
        total = 0.0
        for n, weight in enumerate(_WEIGHTS, 1):
            ahead, behind = (function(self.robot.integrate(q, units, t)) for t in (n * STEP, -n * STEP))
            total = total + (ahead - behind) * (weight / STEP)
        return total


def jacobians(robot: Robot, q: Any) -> Any:
    """Of every body's centre of mass, in world axes (..., nb, 6, nv)."""
    return np.stack(
        [robot.jacobian(q, body.name, point=tuple(body.p_BBcm)) for body in robot.model.bodies], axis=-3
    )


OF_BODIES = "J v of differences of poses"
"""The check whose joints are those of the bodies it compares."""

Comparison = tuple[str, tuple[str, ...], tuple[Any, Any], Sequence[str]]


def comparisons(robot: Robot, s: Sample) -> Iterator[Comparison]:
    """Title, quantities, the two sides (states, …), and the joints that their axes stand for.

    All but the first axis are of velocities; of `OF_BODIES` the second one is of bodies, with six numbers of each.
    """
    by_v, by_body = _joints_of_velocities(robot), [body.joint.name for body in robot.model.bodies]
    q, v, a = s.q, s.v, s.a
    turned = np.einsum("nabc,na,nb->nc", s.G, v, v)
    yield (
        "inverse dynamics = covariant form M a + Γ(v, v) + g",
        ("inverse_dynamics", "mass_matrix", "christoffel", "gravity_force"),
        (s.tau, _times(s.M, a) + turned + s.g),
        by_v,
    )
    yield (
        "inverse dynamics = Newton–Euler by bodies",
        ("inverse_dynamics", "jacobian", "poses"),
        (s.tau, _by_bodies(s)),
        by_v,
    )
    yield "forward dynamics of inverse dynamics", (
        "forward_dynamics", "inverse_dynamics"), (robot.forward_dynamics(q, v, s.tau), a), by_v  # fmt: skip
    yield "inverse dynamics = M a + bias force", (
        "inverse_dynamics", "mass_matrix", "bias_force"), (s.tau, _times(s.M, a) + s.h), by_v  # fmt: skip
    yield "bias force = C v + g", ("bias_force", "coriolis_matrix", "gravity_force"), (
        s.h, _times(s.C, v) + s.g), by_v  # fmt: skip
    yield "C = Γ(v)", ("coriolis_matrix", "christoffel"), (s.C, np.einsum("nabc,na->ncb", s.G, v)), by_v
    rate = s.along(lambda q, v: robot.mass_matrix(q))
    yield "Ṁ − 2C is skew", ("coriolis_matrix", "mass_matrix"), (rate, s.C + s.C.swapaxes(1, 2)), by_v
    slopes = s.gradient(robot.mass_matrix)
    yield (
        "∂M of differences = Γ + Γᵀ",
        ("christoffel", "mass_matrix"),
        (slopes, s.G + s.G.swapaxes(2, 3)),
        by_v,
    )
    yield "M = Σ Jᵀ M J of bodies", (
        "mass_matrix", "jacobian", "poses"), (s.M, _metric_of_bodies(s)), by_v  # fmt: skip
    yield "M⁻¹ is the inverse of M", ("mass_matrix", "mass_matrix_inverse"), (
        robot.mass_matrix_inverse(q), _inverse(s.M)), by_v  # fmt: skip
    yield "g = ∂V of differences", ("gravity_force", "potential_energy"), (
        s.g, s.gradient(robot.potential_energy)), by_v  # fmt: skip
    T = robot.kinetic_energy(q, v)
    yield (
        "T = ½ vᵀ M v",
        ("kinetic_energy", "mass_matrix"),
        (T, np.einsum("na,na->n", v, _times(s.M, v)) / 2),
        (),
    )
    yield "power: dE/dt = τ·v", ("inverse_dynamics", "energy"), (
        s.along(robot.energy), np.einsum("na,na->n", s.tau, v)), ()  # fmt: skip
    yield "energy = T + V", ("energy", "kinetic_energy", "potential_energy"), (
        robot.energy(q, v), T + robot.potential_energy(q)), ()  # fmt: skip
    yield OF_BODIES, ("jacobian", "poses"), (
        np.einsum("nbia,na->nbi", s.J, v), s.along(lambda q, v: _centers(robot, q)) + _turning(s)), by_body  # fmt: skip
    yield (
        "momentum = Σ m v of bodies",
        ("momentum", "jacobian", "poses"),
        (robot.momentum(q, v), _momentum_of_bodies(s)),
        (),
    )
    yield "centre of mass of poses", ("center_of_mass", "poses"), (
        robot.center_of_mass(q), _center(robot, q)), ()  # fmt: skip


def _joints_of_velocities(robot: Robot) -> list[str]:
    """For each entry of v the joint it belongs to."""
    found = [""] * robot.nv
    for body, first in zip(robot.model.bodies, robot.model.v_starts, strict=True):
        if getattr(body.joint, "mimic", None) is None:
            found[first : first + body.joint.nv] = [body.joint.name] * body.joint.nv
    return found


# ---- bodies -------------------------------------------------------------------------------------------


def _times(M: Any, x: Any) -> Any:
    return np.einsum("nab,nb->na", M, x)


def _inverse(M: Any) -> Any:
    """Of each matrix; no number if one of them has none."""
    try:
        return np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return np.full_like(M, np.nan)


def _inertias(robot: Robot, q: Any) -> tuple[Any, Any]:
    """Masses (nb) and inertias about the centres of mass in world axes (..., nb, 3, 3); none of what stands still."""
    _, quaternions = robot.poses(q)
    R = _matrices(quaternions)
    moving = np.array([float(k in _moving(robot)) for k in range(robot.nb)])
    masses = np.array([float(body.mass) for body in robot.model.bodies]) * moving
    own = np.array(
        [np.reshape([float(x) for x in body.I_Bcm_B.to_mat3()], (3, 3)) for body in robot.model.bodies]
    )
    return masses, R @ (own * moving[:, None, None]) @ R.swapaxes(-1, -2)


def _moving(robot: Robot) -> set[int]:
    """Bodies with a joint that moves on their way to the ground."""
    found: set[int] = set()
    for k, body in enumerate(robot.model.bodies):
        if body.joint.motions or body.parent in found:
            found.add(k)
    return found


def _matrices(quaternions: Any) -> Any:
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _centers(robot: Robot, q: Any) -> Any:
    """Of the bodies' masses, with room for their turning (..., nb, 6)."""
    positions, quaternions = robot.poses(q)
    levers = np.array([[float(x) for x in body.p_BBcm] for body in robot.model.bodies])
    centers = positions + np.einsum("...ij,...j->...i", _matrices(quaternions), levers)
    return np.concatenate((centers, np.zeros_like(centers)), axis=-1)


def _turning(s: Sample) -> Any:
    """Angular velocities of the bodies from Ṙ Rᵀ of differences (states, nb, 6), with no linear part."""
    R = _matrices(s.robot.poses(s.q)[1])
    dR = s.along(lambda q, v: _matrices(s.robot.poses(q)[1]))
    W = dR @ R.swapaxes(-1, -2)
    w = (
        np.stack((W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]), -1)
        / 2
    )
    return np.concatenate((np.zeros_like(w), w), axis=-1)


def _center(robot: Robot, q: Any) -> Any:
    masses, _ = _inertias(robot, q)
    return np.einsum("b,nbi->ni", masses, _centers(robot, q)[..., :3]) / masses.sum()


def _metric_of_bodies(s: Sample) -> Any:
    """Σ m J_vᵀ J_v + J_wᵀ I J_w, and the rotors."""
    masses, inertias = _inertias(s.robot, s.q)
    linear, angular = s.J[..., :3, :], s.J[..., 3:, :]
    of_masses = np.einsum("b,nbia,nbic->nac", masses, linear, linear)
    return (
        of_masses + np.einsum("nbia,nbij,nbjc->nac", angular, inertias, angular) + np.diag(_rotors(s.robot))
    )


def _rotors(robot: Robot) -> Any:
    found = np.zeros(robot.nv)
    for segment in Tree.of(robot.model).segments:
        for k, rotor in enumerate(segment.armature, segment.v):
            found[k] += float(rotor)
    return found


def _by_bodies(s: Sample) -> Any:
    """Σ J_vᵀ m (a − g) + J_wᵀ (I α + ω × I ω), accelerations from differences of J v, and the rotors."""
    masses, inertias = _inertias(s.robot, s.q)
    rates = np.einsum("nbia,na->nbi", s.J, s.v)
    changes = s.along(lambda q, v: np.einsum("nbia,na->nbi", jacobians(s.robot, q), v))
    w, spin = rates[..., 3:], np.einsum("nbij,nbj->nbi", inertias, rates[..., 3:])
    gravity = np.array([float(x) for x in s.robot.model.gravity])
    force = masses[:, None] * (changes[..., :3] - gravity)
    torque = np.einsum("nbij,nbj->nbi", inertias, changes[..., 3:]) + np.cross(w, spin)
    wrench = np.concatenate((force, torque), axis=-1)
    return np.einsum("nbia,nbi->na", s.J, wrench) + _rotors(s.robot) * s.a


def _momentum_of_bodies(s: Sample) -> Any:
    """Σ m v and, about the centre of mass, Σ r × m v + I ω."""
    masses, inertias = _inertias(s.robot, s.q)
    rates = np.einsum("nbia,na->nbi", s.J, s.v)
    linear = masses[:, None] * rates[..., :3]
    arms = _centers(s.robot, s.q)[..., :3] - _center(s.robot, s.q)[:, None]
    angular = np.cross(arms, linear) + np.einsum("nbij,nbj->nbi", inertias, rates[..., 3:])
    return np.concatenate((linear.sum(axis=1), angular.sum(axis=1)), axis=-1)
