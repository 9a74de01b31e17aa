"""What of a run is shown: the states of a few motions at times close enough for the eye, and curves beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError
from quatrain.model import Model

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory

FRAMES_PER_SECOND = 60.0
MOST_MOTIONS = 16


@dataclass(frozen=True, eq=False)
class Curves:
    """A quantity over time."""

    name: str
    unit: str
    components: tuple[str, ...]
    """Empty for a number."""
    values: Any
    """(motions, R, components or 1)"""


@dataclass(frozen=True, eq=False)
class Motion:
    """Motions of one model at common times."""

    model: Model
    name: str
    t: Any
    """(R,) [s]"""
    q: Any
    """(motions, R, nq)"""
    labels: tuple[str, ...]
    """Of the motions: their places in the batch."""
    curves: tuple[Curves, ...]
    trail: str = ""
    """The frame whose way is drawn."""

    @classmethod
    def of(
        cls,
        run: Trajectory,
        *,
        frames_per_second: float = FRAMES_PER_SECOND,
        motions: Sequence[int | tuple[int, ...]] | None = None,
        plots: Sequence[str] | None = None,
        trail: str | None = None,
    ) -> Motion:
        """Of a run of a tree. `motions`: which of a batch, by default the first sixteen; `plots`: which columns."""
        model = getattr(run, "model", None)
        if model is None or "q" not in run.columns or run.quantities["q"].components != model.q_names:
            lacks = "does not know its model" if model is None else "has not recorded q"
            raise ArgumentError(
                f"this run of {run.name} {lacks}, and a picture needs the states of a model",
                do="run a tree of bodies, with qt.simulate(robot, …), and record q",
            )
        if not len(run.t):
            raise ArgumentError(f"this run of {run.name} is empty", do="show a stretch that has some times")
        if not frames_per_second > 0:
            raise ArgumentError(f"frames_per_second is {frames_per_second}", do="pass a number above zero")
        # Every so many records, that steps are even, and the last.
        rate = (len(run.t) - 1) / max(float(run.t[-1] - run.t[0]), 1e-300)
        every = max(1, round(rate / frames_per_second))
        kept = np.unique([*range(0, len(run.t), every), len(run.t) - 1])
        chosen = _places(run.batch, motions)
        names = [n for n in run.columns if n != "q"] if plots is None else list(plots)
        return cls(
            model,
            run.name,
            np.asarray(run.t, float)[kept],
            _rows(run, "q", chosen, kept),
            tuple("" if not place else ", ".join(map(str, place)) for place in chosen),
            tuple(_curves(run, name, chosen, kept) for name in names),
            model.frame(trail).name if trail else "",
        )


def _places(batch: tuple[int, ...], motions: Sequence[Any] | None) -> list[tuple[int, ...]]:
    """Which motions, as indices of the batch."""
    if motions is None:
        return [tuple(map(int, place)) for place in list(np.ndindex(*batch))[:MOST_MOTIONS]]
    found = []
    for one in motions:
        place = tuple(one) if isinstance(one, (tuple, list)) else (int(one),)
        if len(place) != len(batch) or not all(-n <= i < n for i, n in zip(place, batch, strict=True)):
            raise ArgumentError(
                f"there is no motion {one} in a batch of shape {batch}", do="give indices within it"
            )
        found.append(tuple(i % n for i, n in zip(place, batch, strict=True)))
    if not found:
        raise ArgumentError("no motion is to be shown", do="name one at least")
    return found


def _rows(run: Trajectory, name: str, chosen: Sequence[tuple[int, ...]], kept: Any) -> Any:
    column = np.asarray(run[name], float)
    return np.stack([column[place][kept] for place in chosen])


def _curves(run: Trajectory, name: str, chosen: Sequence[tuple[int, ...]], kept: Any) -> Curves:
    values, quantity = _rows(run, name, chosen, kept), run.quantities[name]
    if not quantity.components:
        values = values[..., None]
    return Curves(name, quantity.unit, tuple(quantity.components), values)
