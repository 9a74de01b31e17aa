"""The roads that `verify` compares: recursions, the covariant form, sums over bodies, and differences.

Derivatives are central differences of eighth order. With a step of 1/500 s and rates of some radians a second they
are good to 1e-12. What is summed over bodies knows their poses and Jacobians alone, and no recursion.

A sum of terms of size A is wrong by rounding, ε A, and a difference quotient of it by ε A / step, however small it is
itself: where weights nearly balance, V is large and ∂V next to nothing, and 1e-12 of ∂V is more than any difference
can tell; the solution of M a = τ − h is such a sum too, through M⁻¹. So such a comparison also names A, the size of
its terms before they cancel. Its scale is the largest number of the state, as in every comparison, but not less than
what makes this rounding the 1e-12 from above. At a tolerance of 1e-10 differences are then asked to be right to 1e-11
A per second: what is wrong by 1e-8 is found where a thousandth of A is left, and a wrong sign nearly always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quatrain.equations.tree import Tree

if TYPE_CHECKING:
    from quatrain.robot import Robot

STEP = 2e-3
"""Of differences [s]."""
_OF_SUMS = float(np.finfo(float).eps) / 1e-12
"""What is summed up, times this, is the least scale of the sum."""
_OF_DIFFERENCES = _OF_SUMS / STEP
"""What is subtracted, times this, is the least scale of the quotient [1/s]: about 1/9."""
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


class Comparison(NamedTuple):
    """All but the first axis of the sides are of velocities; of `OF_BODIES` the second one is of bodies, with six
    numbers of each.
    """

    title: str
    quantities: tuple[str, ...]
    sides: tuple[Any, Any]
    """(states, …)."""
    places: Sequence[str]
    """Joints that the axes stand for."""
    least: Any = 0.0
    """Scale (states) below which there is only rounding of the terms that one side is made of."""


def comparisons(robot: Robot, s: Sample) -> Iterator[Comparison]:
    """All of them, one after the other."""
    by_v, by_body = _joints_of_velocities(robot), [body.joint.name for body in robot.model.bodies]
    q, v, a = s.q, s.v, s.a
    turned = np.einsum("nabc,na,nb->nc", s.G, v, v)
    masses = _OF_DIFFERENCES * np.abs(s.M).max(axis=(1, 2))
    weights = _OF_DIFFERENCES * _weights(robot, q)
    T = robot.kinetic_energy(q, v)
    yield Comparison(
        "inverse dynamics = covariant form M a + Γ(v, v) + g",
        ("inverse_dynamics", "mass_matrix", "christoffel", "gravity_force"),
        (s.tau, _times(s.M, a) + turned + s.g),
        by_v,
    )
    yield Comparison(
        "inverse dynamics = Newton–Euler by bodies",
        ("inverse_dynamics", "jacobian", "poses"),
        (s.tau, _by_bodies(s)),
        by_v,
        _OF_DIFFERENCES * _momenta_of_joints(s),
    )
    yield Comparison(
        "forward dynamics of inverse dynamics",
        ("forward_dynamics", "inverse_dynamics"),
        (robot.forward_dynamics(q, v, s.tau), a),
        by_v,
        _OF_SUMS * _forces_through_masses(s),
    )
    yield Comparison("inverse dynamics = M a + bias force", (
        "inverse_dynamics", "mass_matrix", "bias_force"), (s.tau, _times(s.M, a) + s.h), by_v)  # fmt: skip
    yield Comparison(
        "bias force = C v + g",
        ("bias_force", "coriolis_matrix", "gravity_force"),
        (s.h, _times(s.C, v) + s.g),
        by_v,
        _OF_SUMS * _weights_on_joints(s),
    )
    yield Comparison("C = Γ(v)", ("coriolis_matrix", "christoffel"), (
        s.C, np.einsum("nabc,na->ncb", s.G, v)), by_v)  # fmt: skip
    rate = s.along(lambda q, v: robot.mass_matrix(q))
    yield Comparison(
        "Ṁ − 2C is skew",
        ("coriolis_matrix", "mass_matrix"),
        (rate, s.C + s.C.swapaxes(1, 2)),
        by_v,
        masses,
    )
    slopes = s.gradient(robot.mass_matrix)
    yield Comparison(
        "∂M of differences = Γ + Γᵀ",
        ("christoffel", "mass_matrix"),
        (slopes, s.G + s.G.swapaxes(2, 3)),
        by_v,
        masses,
    )
    yield Comparison("M = Σ Jᵀ M J of bodies", (
        "mass_matrix", "jacobian", "poses"), (s.M, _metric_of_bodies(s)), by_v)  # fmt: skip
    inverse = _inverse(s.M)
    yield Comparison(
        "M⁻¹ is the inverse of M",
        ("mass_matrix", "mass_matrix_inverse"),
        (robot.mass_matrix_inverse(q), inverse),
        by_v,
        _OF_SUMS * _finite((np.abs(inverse) @ np.abs(s.M) @ np.abs(inverse)).max(axis=(1, 2))),
    )
    yield Comparison(
        "g = ∂V of differences",
        ("gravity_force", "potential_energy"),
        (s.g, s.gradient(robot.potential_energy)),
        by_v,
        weights,
    )
    yield Comparison(
        "T = ½ vᵀ M v",
        ("kinetic_energy", "mass_matrix"),
        (T, np.einsum("na,na->n", v, _times(s.M, v)) / 2),
        (),
    )
    yield Comparison(
        "power: dE/dt = τ·v",
        ("inverse_dynamics", "energy"),
        (s.along(robot.energy), np.einsum("na,na->n", s.tau, v)),
        (),
        weights + _OF_DIFFERENCES * np.abs(T),
    )
    yield Comparison("energy = T + V", ("energy", "kinetic_energy", "potential_energy"), (
        robot.energy(q, v), T + robot.potential_energy(q)), ())  # fmt: skip
    yield Comparison(
        OF_BODIES,
        ("jacobian", "poses"),
        (
            np.einsum("nbia,na->nbi", s.J, v),
            s.along(lambda q, v: _centers(robot, q)) + _turning(s),
        ),
        by_body,
        _OF_DIFFERENCES * np.maximum(np.abs(_centers(robot, q)).max(axis=(1, 2)), 1.0),  # rotations: up to 1
    )
    yield Comparison(
        "momentum = Σ m v of bodies",
        ("momentum", "jacobian", "poses"),
        (robot.momentum(q, v), _momentum_of_bodies(s)),
        (),
    )
    yield Comparison("centre of mass of poses", ("center_of_mass", "poses"), (
        robot.center_of_mass(q), _center(robot, q)), ())  # fmt: skip


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


def _weights(robot: Robot, q: Any) -> Any:
    """Σ m |g| |p| (states): the terms of V, none of which cancels another."""
    gravity = np.linalg.norm([float(x) for x in robot.model.gravity])
    masses = np.array([float(body.mass) for body in robot.model.bodies])
    return np.linalg.norm(_centers(robot, q)[..., :3], axis=-1) @ masses * gravity


def _weights_on_joints(s: Sample) -> Any:
    """Σ |J|ᵀ m |g| (states), the largest of a state: the terms of g."""
    gravity = np.linalg.norm([float(x) for x in s.robot.model.gravity])
    masses, _ = _inertias(s.robot, s.q)
    levers = np.linalg.norm(s.J[..., :3, :], axis=-2)
    return np.einsum("b,nba->na", masses, levers).max(axis=1) * gravity


def _forces_through_masses(s: Sample) -> Any:
    """|M⁻¹| (|M| |a| + |h|) (states), the largest of a state: the terms of M⁻¹ (τ − h), large if M is nearly singular.

    Skeel's condition of the solution. Higham, Accuracy and Stability of Numerical Algorithms (2002), ch. 7.
    """
    forces = _times(np.abs(s.M), np.abs(s.a)) + np.abs(s.h)
    return _finite(_times(np.abs(_inverse(s.M)), forces).max(axis=1))


def _finite(scales: Any) -> Any:
    return np.where(np.isfinite(scales), scales, 0.0)


def _momenta_of_joints(s: Sample) -> Any:
    """Σ |J|ᵀ |m J v| (states), the largest of a state: what the rates of J v are multiplied from."""
    masses, inertias = _inertias(s.robot, s.q)
    rates = np.abs(np.einsum("nbia,na->nbi", s.J, s.v))
    linear = masses[:, None] * rates[..., :3]
    angular = np.einsum("nbij,nbj->nbi", np.abs(inertias), rates[..., 3:])
    of_joints = np.einsum("nbia,nbi->na", np.abs(s.J), np.concatenate((linear, angular), axis=-1))
    return of_joints.max(axis=1)


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
