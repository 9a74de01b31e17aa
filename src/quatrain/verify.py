"""A robot against itself: every quantity by several roads, on random states, on the user's own model.

    print(robot.verify())

Covariant form, recursions, Newton–Euler body by body, and differences of positions, energies and the mass matrix
have to give the same numbers. Each check names the quantities it compares; when some fail, the quantity that
all of them share is named, with the joint where the largest figure stands.

Derivatives are central differences of eighth order. With a step of 1/500 s and rates of some radians a second they
are good to 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from quatrain.robot import Robot

STEP = 2e-3
"""Of differences [s]."""
_WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)


@dataclass(frozen=True)
class Check:
    """One comparison over all states."""

    title: str
    quantities: tuple[str, ...]
    """Methods of the robot that take part."""
    figure: float
    """Largest difference, divided by the largest entry of what is compared in that state."""
    joint: str
    """Where it stands; empty where the check is of a single number."""
    state: int
    tolerance: float

    @property
    def passed(self) -> bool:
        return self.figure <= self.tolerance  # NaN is no pass


@dataclass(frozen=True)
class Verification:
    """What `robot.verify()` found."""

    robot: str
    states: int
    checks: tuple[Check, ...]
    tolerance: float
    smallest: float
    """Least eigenvalue of the mass matrix, divided by its largest, over all states."""

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def failures(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.passed)

    @property
    def suspects(self) -> tuple[tuple[str, str], ...]:
        """Quantities that explain the failures, the likeliest first, each with a joint.

        A wrong quantity fails in every check that it takes part in; what one explains, no other is blamed for.
        """
        left = list(self.failures)
        found: list[tuple[str, str]] = []
        while left:
            names = {name for check in left for name in check.quantities}
            guilty = max(sorted(names), key=lambda name: self._suspicion(name, left))
            own = [check for check in left if guilty in check.quantities]
            found.append((guilty, _commonest([check.joint for check in own if check.joint])))
            left = [check for check in left if check not in own]
        return tuple(found)

    def _suspicion(self, name: str, left: Sequence[Check]) -> tuple[float, int]:
        """Share of its checks that fail, then how many of those left it explains."""
        with_it = [check for check in self.checks if name in check.quantities]
        failed = sum(not check.passed for check in with_it)
        return failed / len(with_it), sum(name in check.quantities for check in left)

    def __str__(self) -> str:
        lines = [f"{self.robot}: {len(self.checks)} checks on {self.states} random states", ""]
        width = max(len(check.title) for check in self.checks)
        for check in self.checks:
            verdict = "" if check.passed else "   FAILS"
            lines.append(f"  {check.title:<{width}}   {check.figure:8.1e}   {check.joint}{verdict}".rstrip())
        lines.append(f"  {'least eigenvalue of M over its largest':<{width}}   {self.smallest:8.1e}")
        lines.append("")
        if self.passed:
            lines.append(f"All agree to {self.tolerance:.0e}, relative to the largest number of a state.")
        for name, joint in self.suspects:
            lines.append(f"{name} disagrees with all else{f', most at joint {joint!r}' if joint else ''}.")
        return "\n".join(lines)


def _commonest(joints: Sequence[str]) -> str:
    return max(joints, key=joints.count, default="")


def verify(
    robot: Robot, states: int = 16, rng: np.random.Generator | None = None, tolerance: float = 1e-10
) -> Verification:
    """All checks on random states: configurations within limits, velocities and accelerations of order one."""
    if not isinstance(states, int) or states < 1:
        raise ArgumentError(f"states is {states!r}", do="pass how many random states to try, 1 or more")
    if robot.nv == 0:
        raise ArgumentError(
            f"{robot.name} cannot move", do="verify a robot with at least one joint that moves"
        )
    rng = np.random.default_rng(0) if rng is None else rng
    sample = _Sample.of(robot, states, rng)
    found = tuple(
        _checked(title, quantities, differences, places, tolerance)
        for title, quantities, differences, places in _comparisons(robot, sample)
    )
    eigenvalues = np.linalg.eigvalsh(sample.M)
    smallest = float(np.min(eigenvalues[:, 0] / eigenvalues[:, -1]))
    positive = Check("M is positive", ("mass_matrix",), float(not smallest > 0.0), "", 0, 0.0)
    return Verification(robot.name, states, (*found, positive), tolerance, smallest)


# ---- one state after the other ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sample:
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
    def of(cls, robot: Robot, states: int, rng: np.random.Generator) -> _Sample:
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


Comparison = tuple[str, tuple[str, ...], tuple[Any, Any], Sequence[str]]


def _comparisons(robot: Robot, s: _Sample) -> Iterator[Comparison]:
    """Title, quantities, the two sides (states, …), and the joints their last axes but those of vectors stand for."""
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
        ("inverse_dynamics", "jacobian"),
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
    yield "M = Σ Jᵀ M J of bodies", ("mass_matrix", "jacobian"), (s.M, _metric_of_bodies(s)), by_v
    yield "M M⁻¹ = 1", ("mass_matrix", "mass_matrix_inverse"), (
        s.M @ robot.mass_matrix_inverse(q), np.broadcast_to(np.eye(robot.nv), s.M.shape)), by_v  # fmt: skip
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
    yield "J v of differences of poses", ("jacobian", "poses"), (
        np.einsum("nbia,na->nbi", s.J, v), s.along(lambda q, v: _centers(robot, q)) + _turning(s)), by_body  # fmt: skip
    yield (
        "momentum = Σ m v of bodies",
        ("momentum", "jacobian"),
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


def _checked(
    title: str,
    quantities: tuple[str, ...],
    sides: tuple[Any, Any],
    places: Sequence[str],
    tolerance: float,
) -> Check:
    one, other = (np.asarray(side, float) for side in sides)
    if places and one.size == 0:
        return Check(title, quantities, 0.0, "", 0, tolerance)
    flat = np.maximum(np.abs(one), np.abs(other)).reshape(len(one), -1).max(axis=1)
    scale = np.where(flat > 0.0, flat, 1.0).reshape(-1, *(1,) * (one.ndim - 1))
    wrong = np.abs(one - other) / scale
    wrong = np.where(np.isnan(wrong), np.inf, wrong)
    worst = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    joint = places[int(worst[1])] if places else ""
    if places and not wrong[worst] <= tolerance:
        joint = _most_involved(np.where(wrong > tolerance, np.minimum(wrong, 1e6), 0.0), places)
    return Check(title, quantities, float(wrong[worst]), joint, int(worst[0]), tolerance)


def _most_involved(wrong: Any, places: Sequence[str]) -> str:
    """The joint whose entries, by whichever of the axes, hold the most of what is wrong."""

    def elsewhere(joint: str) -> float:
        left = wrong
        for axis in range(1, wrong.ndim):
            if wrong.shape[axis] == len(places):
                left = left.compress([place != joint for place in places], axis=axis)
        return float(left.sum())

    return min(dict.fromkeys(places), key=elsewhere)


# ---- bodies -------------------------------------------------------------------------------------------


def _times(M: Any, x: Any) -> Any:
    return np.einsum("nab,nb->na", M, x)


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


def _turning(s: _Sample) -> Any:
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


def _metric_of_bodies(s: _Sample) -> Any:
    """Σ m J_vᵀ J_v + J_wᵀ I J_w, and the rotors."""
    masses, inertias = _inertias(s.robot, s.q)
    linear, angular = s.J[..., :3, :], s.J[..., 3:, :]
    of_masses = np.einsum("b,nbia,nbic->nac", masses, linear, linear)
    return (
        of_masses + np.einsum("nbia,nbij,nbjc->nac", angular, inertias, angular) + np.diag(_rotors(s.robot))
    )


def _rotors(robot: Robot) -> Any:
    from quatrain.equations.tree import Tree

    found = np.zeros(robot.nv)
    for segment in Tree.of(robot.model).segments:
        for k, rotor in enumerate(segment.armature, segment.v):
            found[k] += float(rotor)
    return found


def _by_bodies(s: _Sample) -> Any:
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


def _momentum_of_bodies(s: _Sample) -> Any:
    """Σ m v and, about the centre of mass, Σ r × m v + I ω."""
    masses, inertias = _inertias(s.robot, s.q)
    rates = np.einsum("nbia,na->nbi", s.J, s.v)
    linear = masses[:, None] * rates[..., :3]
    arms = _centers(s.robot, s.q)[..., :3] - _center(s.robot, s.q)[:, None]
    angular = np.cross(arms, linear) + np.einsum("nbij,nbj->nbi", inertias, rates[..., 3:])
    return np.concatenate((linear.sum(axis=1), angular.sum(axis=1)), axis=-1)
