"""Passes over a tree of many bodies: loops over long stretches of segments, and the rest written out.

A pass is given what is done at one segment, from what its parent has (outwards) or from what its children pass on
together (inwards). In a loop the numbers of the segment, and where it stands in q and v, are read from tables at the
loop's index; what stands at other segments is read from the loop's trail. So the code does not grow with the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Generic, TypeVar

from quatrain.equations.joints import Passage, passage
from quatrain.equations.stretches import Stretch, alike_of, combined, stretches_of
from quatrain.equations.tree import Segment, Tree
from quatrain.geometry import Vec3
from quatrain.model import WORLD
from quatrain.scalar import Scalar, loops, where

X = TypeVar("X")
Z = TypeVar("Z")


@dataclass(frozen=True)
class At:
    """One segment, by a number that is known or by the index of a loop."""

    stretch: Stretch
    round: Scalar
    """Which of the stretch; where it is written out, the place in it."""
    turn: int
    """Which segment of the round."""
    segment: Segment
    """With q and v at 0: `of_q` and `of_v` bring its own entries there."""
    q: Scalar
    v: Scalar

    def of_q(self, row: Any) -> list[Scalar]:
        return [row.at(self.q + k) for k in range(4 if self.segment.kind == "ball" else 1)]

    def of_v(self, row: Any) -> list[Scalar]:
        return [row.at(self.v + k) for k in range(self.segment.nv)]


class Found(Generic[Z]):
    """What a pass has left at every segment."""

    def __init__(self, *, inwards: bool) -> None:
        self._inwards = inwards
        self._written: dict[int, Z] = {}
        self._trails: list[tuple[Stretch, Any]] = []

    def put(self, k: int, value: Z) -> None:
        self._written[k] = value

    def put_trail(self, stretch: Stretch, trail: Any) -> None:
        self._trails.append((stretch, trail))

    def number(self, k: int) -> Z:
        """What was left at the segment of this number."""
        if k in self._written:
            return self._written[k]
        stretch, trail = next(known for known in self._trails if known[0].holds(k))
        return self._read(trail, stretch, *divmod(k - stretch.first, stretch.period))

    def of(self, at: At) -> Z:
        if isinstance(at.round, int):
            return self.number(at.stretch.first + at.round)
        return self._read(self._trail_of(at.stretch), at.stretch, at.round, at.turn)

    def _trail_of(self, stretch: Stretch) -> Any:
        return next(trail for known, trail in self._trails if known.first == stretch.first)

    def _read(self, trail: Any, stretch: Stretch, round: Scalar, turn: int) -> Z:
        done = stretch.rounds - round if self._inwards else round + 1
        return trail.at(done)[1][turn]


@dataclass(frozen=True)
class Sweep:
    """The passes over one tree; `code` has `scan` and `row`, as `quatrain.scalar.loops` gives them."""

    tree: Tree
    code: Any
    stretches: tuple[Stretch, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stretches", tuple(stretches_of(self.tree.segments)))

    def row(self, values: Sequence[Scalar]) -> Any:
        return self.code.row(values)

    def _at(self, stretch: Stretch, round: Scalar, turn: int = 0) -> At:
        if isinstance(round, int):
            segment = stretch.segments[round]
        else:
            alike = alike_of(stretch.segments[turn :: stretch.period])
            segment = combined(lambda *entries: self._entry(entries, round), *alike)
        return At(stretch, round, turn, replace(segment, parent=WORLD, q=0, v=0), segment.q, segment.v)

    def _entry(self, entries: Sequence[Any], place: Scalar) -> Any:
        """The entry at this place: a number where all are equal or follow one another, else read."""
        first, *others = entries
        step = others[0] - first if others and isinstance(first, int) and isinstance(others[0], int) else 0
        plain = all(isinstance(entry, (int, float, str)) for entry in entries)
        if plain and all(entry == first for entry in others):
            return first
        if step and all(
            isinstance(entry, int) and entry == first + step * k for k, entry in enumerate(entries)
        ):
            return place * step + first
        return self.code.row([float(entry) if plain else entry for entry in entries]).at(place)

    def by_velocity(self, found: Found[tuple[Scalar, ...]]) -> list[Scalar]:
        """What was left at the segments, in the order of v; where several share an entry it is their sum."""
        values: list[Scalar] = [0.0] * self.tree.nv
        for k, segment in enumerate(self.tree.segments):
            for j, value in enumerate(found.number(k), segment.v):
                values[j] = values[j] + value
        return values

    # ---- outwards ----------------------------------------------------------------------------------------

    def outwards(
        self, ground: X, blank: Callable[[int], Z], step: Callable[[At, X], tuple[X, Z]]
    ) -> Found[Z]:
        """`step` at each segment, from what its parent has: what it has itself, and what it leaves.

        `blank` is something like what is left at a segment of so many velocities.
        """
        found: Found[Z] = Found(inwards=False)
        has: Found[X] = Found(inwards=False)

        def parent(k: int) -> X:
            return ground if k == WORLD else has.number(k)

        for stretch in self.stretches:
            if stretch.looped:
                trail = self._loop_outwards(stretch, [parent(k) for k in stretch.outside], blank, step)
                found.put_trail(stretch, trail)
                has.put_trail(stretch, _Firsts(trail))
                continue
            for place, segment in enumerate(stretch.segments):
                own, left = step(self._at(stretch, place), parent(segment.parent))
                has.put(stretch.first + place, own)
                found.put(stretch.first + place, left)
        return found

    def _loop_outwards(self, stretch: Stretch, before: list[X], blank: Any, step: Any) -> Any:
        first, outside = stretch.first, stretch.outside
        inside = [parent - first + 1 if stretch.holds(parent) else 0 for parent in stretch.parents]
        which = [outside.index(p) if p in outside else 0 for p in stretch.parents]
        is_chain, period = stretch.is_chain, stretch.period

        def parent(index: Scalar, past: Any) -> X:
            at_parent = self._entry(inside, index)
            (found,) = past.at(at_parent)[0]
            if not before[1:]:
                return found
            group = self._entry(which, index)
            return combined(
                lambda entry, *others: where(at_parent == 0.0, self.code.row(others).at(group), entry),
                *(found, *before),
            )

        def body(state: Any, index: Scalar, past: Any) -> Any:
            own, left = [state[0][-1] if is_chain else parent(index, past)], []
            for turn in range(period):
                has, leaves = step(self._at(stretch, index, turn), own[-1])
                own.append(has)
                left.append(leaves)
            return tuple(own[1:]), tuple(left)

        start = (before[0],) * period, (blank(stretch.nv),) * period
        return self.code.scan(body, start, stretch.rounds).trail

    # ---- inwards -----------------------------------------------------------------------------------------

    def inwards(
        self, nothing: X, blank: Callable[[int], Z], step: Callable[[At, X], tuple[X, Z]]
    ) -> Found[Z]:
        """`step` at each segment, from the sum of what its children pass on: what it passes on, and what it leaves."""
        found: Found[Z] = Found(inwards=True)
        hanging: dict[int, X] = {}

        def pass_on(to: int, what: X) -> None:
            hanging[to] = combined(_sum, hanging[to], what) if to in hanging else what

        for stretch in reversed(self.stretches):
            if stretch.looped:
                self._loop_inwards(stretch, nothing, blank, step, hanging, found, pass_on)
                continue
            for place in range(len(stretch.segments) - 1, -1, -1):
                k = stretch.first + place
                passed, left = step(self._at(stretch, place), hanging.pop(k, nothing))
                found.put(k, left)
                pass_on(stretch.segments[place].parent, passed)
        return found

    def _loop_inwards(
        self,
        stretch: Stretch,
        nothing: Any,
        blank: Any,
        step: Any,
        hanging: dict[int, Any],
        found: Any,
        pass_on: Any,
    ) -> None:
        """From the last segment to the first. What brothers pass on is added from the last to the first of them, so
        that a parent reads one sum: that of its first child."""
        count, period, rounds = len(stretch.segments), stretch.period, stretch.rounds
        # After how many iterations the sum that a child or a brother passes on is there; 0: there is none.
        child, brother = [0] * count, [0] * count
        for parent in dict.fromkeys(stretch.parents):
            places = stretch.within(parent)
            if stretch.holds(parent):
                child[parent - stretch.first] = count - places[0]
            for place, following in pairwise(places):
                brother[place] = count - following
        others = [k for k in hanging if stretch.holds(k)]
        beside = [nothing, *(hanging.pop(k) for k in others)]
        numbers = range(stretch.first, stretch.first + count)
        which = [others.index(k) + 1 if k in others else 0 for k in numbers]
        is_chain = stretch.is_chain

        def body(state: Any, index: Scalar, past: Any) -> Any:
            place = (rounds - 1.0) - index
            passed, left = state[0] if is_chain else past.at(self._entry(child, place))[0], []
            for turn in range(period - 1, -1, -1):
                if others:
                    group = self._entry(which[turn::period], place)
                    more = combined(lambda *entries, at=group: self.code.row(entries).at(at), *beside)
                    passed = combined(_sum, passed, more)
                passed, leaves = step(self._at(stretch, place, turn), passed)
                left.append(leaves)
            if any(brother):
                passed = combined(_sum, passed, past.at(self._entry(brother, place))[0])
            return passed, tuple(left[::-1])

        done = self.code.scan(body, (nothing, (blank(stretch.nv),) * period), rounds)
        found.put_trail(stretch, done.trail)
        for parent in stretch.outside:
            root = stretch.within(parent)[0]
            pass_on(parent, done.state[0] if root == 0 else done.trail.at(count - root)[0])


@dataclass(frozen=True)
class _Firsts:
    """A trail of pairs, read as that of what each segment has itself."""

    trail: Any

    def at(self, index: Scalar) -> Any:
        return None, self.trail.at(index)[0]


def sweep_of(tree: Tree, q: Sequence[Scalar]) -> Sweep | None:
    """The passes over this tree by loops, if this kind of scalar has them and they are worth it."""
    found = loops(q[0], len(tree.segments)) if tree.segments else None
    sweep = None if found is None else Sweep(tree, found)
    return sweep if sweep and any(stretch.looped for stretch in sweep.stretches) else None


def _sum(a: Scalar, b: Scalar) -> Scalar:
    return a + b


# ---- passages ----------------------------------------------------------------------------------------------

Kept = tuple[Scalar, Scalar, Any]
"""What of a passage is kept for later passes: cosine, sine, and the place of S in its parent."""

AT_REST: Kept = (1.0, 0.0, Vec3(0.0, 0.0, 0.0))


def kept_of(step: Passage) -> Kept:
    return step.c, step.s, step.p


def passed_again(at: At, kept: Kept, q: Any) -> Passage:
    """The passage at a segment from what was kept of it, or for a ball, which takes no sine, from q."""
    if at.segment.kind == "ball":
        return passage(at.segment, at.of_q(q))
    c, s, p = kept
    return Passage(at.segment, None, c, s, at.segment.p_PS0 if at.segment.kind == "turn" else p)


def zeros(nv: int) -> tuple[Scalar, ...]:
    return (0.0,) * nv
