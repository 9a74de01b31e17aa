"""The pieces of a run put together: records one after the other, events, and which motions were stopped."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.trajectory import DivergenceWarning, Occurrences, Trajectory

if TYPE_CHECKING:
    from quatrain.simulation import Simulation


Tell = Callable[[int, int], None]
"""(steps done, steps in all)"""


@dataclass(frozen=True)
class Progress:
    """A run in pieces of `size` steps, and what is told after each: `tell(steps done, steps in all)`."""

    size: int
    tell: Tell


class InterruptedRun(KeyboardInterrupt):
    """A run that was stopped from outside; `run` is what had been done until then."""

    def __init__(self, run: Trajectory, path: object = None) -> None:
        kept = (
            f"{path} holds it; the same call with resume=True goes on"
            if path
            else "it is in .run of this exception"
        )
        super().__init__(f"interrupted at t = {run.t[-1]:g} s. What was done until then is not lost: {kept}.")
        self.run = run


class Findings:
    """What is known of a run besides its records: events, and which motions were stopped, and by what."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.occurrences: dict[str, Occurrences] = {}
        self.stops: Any = None

    def add(self, rolled: Any) -> None:
        for name in self.simulation.events:
            count, values = rolled.events[name]
            values = {port.removeprefix(f"event.{name}.value."): array for port, array in values.items()}
            new = Occurrences(count, values.pop("t"), values)
            old = self.occurrences.get(name)
            self.occurrences[name] = new if old is None else _joined([old, new])
        self.stops = rolled.final.get("state.stop")


def until(occurrences: Mapping[str, Occurrences], end: float) -> dict[str, Occurrences]:
    """Without those of the step that only makes the last record."""
    found = {}
    for name, each in occurrences.items():
        after = each.t > end
        found[name] = Occurrences(
            each.count - after.sum(axis=-1), np.where(after, np.nan, each.t), each.values
        )
    return found


def stopped(stops: Any, culprits: Iterable[str], before: float) -> dict[str, Any]:
    """When and why motions were stopped, if any can be."""
    if stops is None:
        return {}
    at = np.asarray(stops[..., 0])
    culprit = np.where(at < before, stops[..., 1], -1.0).astype(int)
    names = np.array([*culprits, ""])
    return {"stopped_at": np.where(culprit >= 0, at, np.nan), "stopped_by": names[culprit]}


def facts_of(simulation: Simulation, start: float, dt: float, steps: int) -> dict[str, Any]:
    """How a run of so many steps was made."""
    return {
        "method": simulation.marching.name,
        "dt": dt,
        "duration": (start + float(steps) * dt) - start,
        "steps": steps,
        "tolerance": simulation.marching.tolerance,
    }


class Gathered:
    """Pieces as they come, in memory, and the trajectory that they make."""

    path = None

    def __init__(self, simulation: Simulation, start: float, dt: float, record_every: int) -> None:
        self.simulation, self.start, self.dt = simulation, start, dt
        self.record_every = record_every
        self.findings = Findings(simulation)
        self.records: list[Any] = []
        self.indices: list[Any] = []

    def begin(self, arrays: dict[str, Any]) -> int | None:
        """The step that the run begins with."""
        return 0

    def leave(self) -> None:
        """Nothing is held of what is in memory."""

    def add(self, first: int, count: int, rolled: Any, arrays: Mapping[str, Any]) -> None:
        self.findings.add(rolled)
        every = self.record_every
        if index := range(-(-first // every) * every, first + count, every):
            self.records.append(rolled.records)
            self.indices.append(np.array(index))

    def trajectory(self) -> Trajectory | None:
        """None before the first piece."""
        if not self.records:
            return None
        simulation, m = self.simulation, self.simulation.mechanism
        index = np.concatenate(self.indices)
        columns = {name: self._column(name) for name in simulation.record}
        end = self.start + float(index[-1]) * self.dt
        quantities = {quantity.name: quantity for quantity in m.quantities}
        facts = facts_of(simulation, self.start, self.dt, int(index[-1]))
        return Trajectory(
            m.name,
            self.start + index * self.dt,
            columns,
            quantities,
            until(self.findings.occurrences, end),
            {**facts, **stopped(self.findings.stops, m.culprits, end + self.dt / 2)},
        )

    def _column(self, name: str) -> Any:
        parts = [records[f"record.{name}"] for records in self.records]
        if len(parts) == 1:
            return parts[0]
        port = self.simulation.kernel.rollout.step.output_port(f"record.{name}")
        return np.concatenate(parts, axis=-1 - len(port.shape))


def _joined(pieces: list[Occurrences]) -> Occurrences:
    """The occurrences of pieces one after the other, as far as there is room."""
    most = pieces[0].t.shape[-1]
    count = np.zeros_like(pieces[0].count)
    t = np.full_like(pieces[0].t, np.nan)
    values = {name: np.full_like(array, np.nan) for name, array in pieces[0].values.items()}
    for piece in pieces:
        kept = np.arange(most) < np.minimum(piece.count, most)[..., None]
        places = np.arange(most) + count[..., None]
        *motion, entry = np.nonzero(kept & (places < most))
        target = (*motion, places[(*motion, entry)])
        t[target] = piece.t[(*motion, entry)]
        for name, array in values.items():
            array[target] = piece.values[name][(*motion, entry)]
        count = count + piece.count
    return Occurrences(count, t, values)


# ---- afterwards ---------------------------------------------------------------------------------------


def say_what_diverged(run: Trajectory) -> None:
    at = run.diverged
    bad = np.isfinite(at)
    if not np.any(bad):
        return
    which = tuple(int(i) for i in np.argwhere(bad)[0])
    first = f"motion {which if len(which) > 1 else which[0]} first seen" if which else "seen"
    count = f"{int(bad.sum())} of {bad.size} motions have" if which else "the motion has"
    by = np.asarray(run.facts.get("stopped_by", ""))
    reason = f", where {by[which]} first" if by.shape == bad.shape and by[which] else ""
    warnings.warn(
        f"{count} become infinite or NaN, {first} at t = {np.asarray(at)[which]:.6g} s{reason}.\n"
        "  To fix: take a smaller dt or another method, and look at forces that grow without bound.",
        DivergenceWarning,
        stacklevel=_first_line_outside(),
    )


def _first_line_outside() -> int:
    """The stacklevel of a warning from the function that asks, for the line of the user's that led to it."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "quatrain":
        level, frame = level + 1, frame.f_back
    return level
