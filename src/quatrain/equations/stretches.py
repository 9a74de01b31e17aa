"""Which segments of a tree one loop goes over, and how many of them are one iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quatrain.equations.tree import Segment
from quatrain.model import WORLD

SHORT = 8
"""Stretches of fewer rounds than this are written out."""

WORTH_IT = 6
"""So many numbers less a segment must be read if more segments are to be one iteration."""

LONGEST_PERIOD = 4
"""So many segments of a chain are one iteration at most."""


@dataclass(frozen=True)
class Stretch:
    """Neighbouring segments that are gone over alike: balls, or turns, slides and screws.

    An iteration of the loop over them does `period` segments of a chain whose numbers come again, such as axes that
    alternate: what is the same in all its rounds folds into the code.
    """

    first: int
    segments: tuple[Segment, ...]
    period: int = 1

    @property
    def rounds(self) -> int:
        return len(self.segments) // self.period

    @property
    def looped(self) -> bool:
        return self.rounds >= SHORT

    @property
    def is_chain(self) -> bool:
        return _is_chain(self.first, self.segments)

    @property
    def nv(self) -> int:
        return self.segments[0].nv

    @property
    def parents(self) -> tuple[int, ...]:
        return tuple(segment.parent for segment in self.segments)

    @property
    def outside(self) -> list[int]:
        """Parents that stand in other stretches, and the ground."""
        return [p for p in dict.fromkeys(self.parents) if not self.holds(p)]

    def holds(self, k: int) -> bool:
        return k - self.first in range(len(self.segments))

    def within(self, k: int) -> list[int]:
        """The segments here with this parent, by their places in the stretch."""
        return [place for place, parent in enumerate(self.parents) if parent == k]


def stretches_of(segments: Sequence[Segment]) -> list[Stretch]:
    """All segments, in order."""
    found: list[Stretch] = []
    start = 0
    for k in range(1, len(segments) + 1):
        if k == len(segments) or (segments[k].kind == "ball") != (segments[start].kind == "ball"):
            alike = tuple(segments[start:k])
            period = _period(start, alike)
            rest = len(alike) % period
            found.append(Stretch(start, alike[: len(alike) - rest], period))
            if rest:
                found.append(Stretch(k - rest, alike[len(alike) - rest :]))
            start = k
    return found


def _is_chain(first: int, segments: Sequence[Segment]) -> bool:
    return all(segment.parent == k for k, segment in enumerate(segments[1:], first))


def _period(first: int, segments: Sequence[Segment]) -> int:
    """After how many segments of a chain most of its numbers come again."""
    best = 1
    longest = min(LONGEST_PERIOD, len(segments) // SHORT) if _is_chain(first, segments) else 1
    for period in range(2, longest + 1):
        spared = _reads(segments, best) - _reads(segments, period)
        if spared >= WORTH_IT:
            best = period
    return best


def _reads(segments: Sequence[Segment], period: int) -> int:
    """How many numbers a segment takes from tables, on average."""
    found: list[bool] = []

    def note(*entries: Any) -> None:
        first = entries[0]
        plain = all(isinstance(entry, (int, float, str)) for entry in entries)
        found.append(not plain or any(entry != first for entry in entries))

    for turn in range(period):
        alike = [replace(segment, parent=WORLD, q=0, v=0) for segment in segments[turn::period]]
        combined(note, *alike_of(alike))
    return sum(found) // period


def alike_of(segments: Sequence[Segment]) -> Sequence[Segment]:
    """Turns and slides beside one another as screws that only turn or only slide."""
    if all(segment.kind == segments[0].kind for segment in segments):
        return segments
    return [
        replace(segment, kind="screw", turning=0.0, pitch=1.0)
        if segment.kind == "slide"
        else replace(segment, kind="screw")
        for segment in segments
    ]


def combined(function: Callable[..., Any], *values: Any) -> Any:
    """A value built like all of these, each of its scalars made from theirs."""
    first = values[0]
    if hasattr(first, "__dataclass_fields__"):
        parts = {name: [getattr(value, name) for value in values] for name in first.__dataclass_fields__}
        return type(first)(**{name: combined(function, *its) for name, its in parts.items()})
    if isinstance(first, (tuple, list)):
        return type(first)(combined(function, *its) for its in zip(*values, strict=True))
    return function(*values)
