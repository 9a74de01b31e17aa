"""A robot against itself: every quantity by several roads, on random states, on the user's own model.

    print(robot.verify())

Covariant form, recursions, Newton–Euler body by body, and differences of positions, energies and the mass matrix
have to give the same numbers, to 1e-10 of the largest of the state. Where terms cancel, nobody can tell what is less
than their rounding: `roads.py` says how much that is. Each check names the quantities it compares; when some fail, the
fewest quantities that explain them all are named, each with the joint where it is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError
from quatrain.roads import OF_BODIES, Comparison, Sample, comparisons

if TYPE_CHECKING:
    from quatrain.robot import Robot


@dataclass(frozen=True)
class Check:
    """One comparison over all states."""

    title: str
    quantities: tuple[str, ...]
    """Methods of the robot that take part."""
    figure: float
    """Largest difference, divided by the largest entry of what is compared in that state, or its least scale."""
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

        As few as can be, for one wrong quantity is likelier than two; of equally many those whose checks fail most.
        """
        failures = self.failures
        names = sorted({name for check in failures for name in check.quantities})
        for count in range(1, len(names) + 1):
            explaining = [
                chosen
                for chosen in combinations(names, count)
                if all(any(name in check.quantities for name in chosen) for check in failures)
            ]
            if explaining:
                guilty = max(explaining, key=lambda chosen: sum(map(self._suspicion, chosen)))
                return tuple((name, self._joint(name)) for name in sorted(guilty, key=self._suspicion)[::-1])
        return ()

    def _suspicion(self, name: str) -> float:
        """Share of its checks that fail: a wrong quantity fails in most that it takes part in."""
        with_it = [check for check in self.checks if name in check.quantities]
        return sum(not check.passed for check in with_it) / len(with_it)

    def _joint(self, name: str) -> str:
        """Where a quantity is wrong; what is of a body, its pose or Jacobian, is best told by checks of bodies."""
        own = [check for check in self.failures if name in check.quantities and check.joint]
        of_bodies = [check for check in own if check.title == OF_BODIES]
        return _commonest([check.joint for check in of_bodies or own])

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
    sample = Sample.of(robot, states, rng)
    found = tuple(_checked(comparison, tolerance) for comparison in comparisons(robot, sample))
    eigenvalues = np.linalg.eigvalsh(sample.M)
    smallest = float(np.min(eigenvalues[:, 0] / eigenvalues[:, -1]))
    positive = Check("M is positive", ("mass_matrix",), float(not smallest > 0.0), "", 0, 0.0)
    return Verification(robot.name, states, (*found, positive), tolerance, smallest)


# ---- figures -----------------------------------------------------------------------------------------------


def _checked(comparison: Comparison, tolerance: float) -> Check:
    title, quantities, sides, places, least = comparison
    one, other = (np.asarray(side, float) for side in sides)
    if places and one.size == 0:
        return Check(title, quantities, 0.0, "", 0, tolerance)
    flat = np.maximum(np.abs(one), np.abs(other)).reshape(len(one), -1).max(axis=1)
    flat = np.maximum(flat, np.asarray(least))
    scale = np.where(flat > 0.0, flat, 1.0).reshape(-1, *(1,) * (one.ndim - 1))
    wrong = np.abs(one - other) / scale
    wrong = np.where(np.isnan(wrong), np.inf, wrong)
    worst = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    joint = places[int(worst[1])] if places else ""
    if places and not wrong[worst] <= tolerance:
        axes = range(1, 2 if title == OF_BODIES else wrong.ndim)
        joint = _most_involved(np.where(wrong > tolerance, np.minimum(wrong, 1e6), 0.0), places, axes)
    return Check(title, quantities, float(wrong[worst]), joint, int(worst[0]), tolerance)


def _most_involved(wrong: Any, places: Sequence[str], axes: Iterable[int]) -> str:
    """The joint whose entries, along whichever of the axes, hold the most of what is wrong."""

    def elsewhere(joint: str) -> float:
        left = wrong
        for axis in axes:
            left = left.compress([place != joint for place in places], axis=axis)
        return float(left.sum())

    return min(dict.fromkeys(places), key=elsewhere)
