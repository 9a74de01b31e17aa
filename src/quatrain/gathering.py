"""The pieces of a run put together: records one after the other, events, and which motions were stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.trajectory import Occurrences, Trajectory

if TYPE_CHECKING:
    from quatrain.simulation import Simulation


@dataclass(frozen=True)
class Progress:
    """A run in pieces of `size` steps, and what is told after each: `tell(steps done, steps in all)`."""

    size: int
    tell: Callable[[int, int], None]


class InterruptedRun(KeyboardInterrupt):
    """A run that was stopped from outside; `run` is what had been done until then."""

    def __init__(self, run: Trajectory) -> None:
        super().__init__(
            f"interrupted at t = {run.t[-1]:g} s; what was done is in the attribute run of this exception"
        )
        self.run = run


class Gathered:
    """Pieces as they come, and the trajectory that they make."""

    def __init__(
        self, simulation: Simulation, start: float, dt: float, steps: int, record_every: int
    ) -> None:
        self.simulation, self.start, self.dt, self.steps = simulation, start, dt, steps
        self.record_every = record_every
        self.records: list[Any] = []
        self.indices: list[Any] = []
        self.stops: Any = None

    def add(self, first: int, count: int, rolled: Any) -> None:
        self.records.append(rolled)
        self.indices.append(np.arange(first, first + count, self.record_every))
        self.stops = rolled.final.get("state.stop")

    def trajectory(self) -> Trajectory:
        simulation, m = self.simulation, self.simulation.mechanism
        index = np.concatenate(self.indices)
        columns = {name: self._column(name) for name in simulation.record}
        end = self.start + float(index[-1]) * self.dt
        facts = {
            "method": simulation.marching.name,
            "dt": self.dt,
            "duration": end - self.start,
            "steps": int(index[-1]),
            "tolerance": simulation.marching.tolerance,
        }
        quantities = {quantity.name: quantity for quantity in m.quantities}
        occurrences = {name: self._occurrences(name, end) for name in simulation.events}
        return Trajectory(
            m.name,
            self.start + index * self.dt,
            columns,
            quantities,
            occurrences,
            {**facts, **self._stopped(end)},
        )

    def _column(self, name: str) -> Any:
        parts = [rolled.records[f"record.{name}"] for rolled in self.records]
        if len(parts) == 1:
            return parts[0]
        port = self.simulation.kernel.rollout.step.output_port(f"record.{name}")
        return np.concatenate(parts, axis=-1 - len(port.shape))

    def _occurrences(self, name: str, end: float) -> Occurrences:
        found = [self._piece_of(name, rolled) for rolled in self.records]
        result = found[0] if len(found) == 1 else _joined(found)
        after = result.t > end  # of the step that only makes the last record
        return Occurrences(
            result.count - after.sum(axis=-1), np.where(after, np.nan, result.t), result.values
        )

    def _piece_of(self, name: str, rolled: Any) -> Occurrences:
        count, values = rolled.events[name]
        values = {port.removeprefix(f"event.{name}.value."): array for port, array in values.items()}
        return Occurrences(count, values.pop("t"), values)

    def _stopped(self, end: float) -> dict[str, Any]:
        """When and why motions were stopped, if any were."""
        if self.stops is None:
            return {}
        culprit = np.asarray(self.stops[..., 1]).astype(int)
        names = np.array([*self.simulation.mechanism.culprits, ""], dtype=object)
        return {
            "stopped_at": np.where(culprit >= 0, self.stops[..., 0], np.nan),
            "stopped_by": names[culprit],
        }


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
