"""Loops that leave a trail: a scan, and rows of numbers of which one is read at a computed place.

    walked = scan(body, state, 1000)            # state = body(state, index, past) for index = 0, 1 … 999
    walked.trail.at(k)                          # the state after k iterations, k from 0 to 1000

The body sees the trail up to its own iteration as `past`. A later scan reads it in any order, such as backwards.
Both run at once on floats and other scalars; where a traced value takes part a scan is a loop, and what is
read of it are nodes (see `graph.Loop`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from quatrain import scalar
from quatrain.compiler import captures, rules
from quatrain.compiler.graph import Graph
from quatrain.compiler.loops import State, TracedWithin, as_node, look_for_traced
from quatrain.compiler.traced import Condition, Traced, common_graph, number_of
from quatrain.errors import ArgumentError

Body = Callable[[Any, Any, "Trail"], Any]


class Trail:
    """What a state was, by the number of iterations done."""

    def __init__(self, state: State, rows: Sequence[Row]) -> None:
        self._state = state
        self._rows = rows

    def at(self, index: Any) -> Any:
        """The state after floor(index) iterations: the first or the last known one beyond the ends."""
        return self._state.assembled([row.at(index) for row in self._rows])


class Scanned(NamedTuple):
    """What `scan` gives."""

    state: Any
    """The last one."""
    trail: Trail


class Row:
    """Numbers in a row, known or traced."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def at(self, index: Any) -> Any:
        """The one at floor(index), the first or last beyond the ends; NaN for NaN."""
        first = self._values[0]
        if all(value is first for value in self._values):
            return first
        if isinstance(index, Traced):
            return scalar.lookup(tuple(self._values), index)
        if np.ndim(index) == 0:
            return self._values[int(min(max(scalar.floor(index), 0), len(self._values) - 1))]
        columns = np.stack(np.broadcast_arrays(*self._values, index)[:-1])
        place = np.clip(np.floor(index), 0, len(self._values) - 1).astype(np.intp)
        return np.take_along_axis(columns, np.broadcast_to(place, columns.shape[1:])[None], 0)[0]


class _Series(Row):
    """A row that is a node."""

    def __init__(self, graph: Graph, number: int, *, is_condition: bool = False) -> None:
        self._graph = graph
        self._number = number
        self._is_condition = is_condition

    def at(self, index: Any) -> Any:
        graph = self._graph
        if isinstance(index, Traced):
            graph = captures.innermost([graph, index.graph])
        series = captures.local(graph, self._graph, self._number)
        number = rules.read(graph, series, number_of(graph, index))
        if self._is_condition:
            return Condition(graph, rules.not_equal(graph, number, graph.constant(0.0)))
        return Traced(graph, number)


def row(values: Sequence[Any]) -> Row:
    """Numbers of which `row(values).at(index)` reads one, whether they or the index are traced or not."""
    if len(values) == 0:
        raise ArgumentError("a row of no numbers", do="give at least one")
    taken = list(values)
    if not any(isinstance(value, Traced) for value in taken):
        return Row(taken)
    graph = common_graph(taken)
    return _Series(graph, graph.add(("series", *[number_of(graph, value) for value in taken])))


def scan(body: Body, state: Any, count: int) -> Scanned:
    """`state = body(state, index, past)` for index = 0, 1 … count − 1, and the trail that the state leaves.

    `past.at(k)` is the state after k iterations as far as they are done: k from 0 to index. The state is any
    nesting of scalars, and the body returns the like. What of a trail nobody reads is not kept.
    """
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ArgumentError(
            f"a scan of {count!r} iterations", do="give a whole number, known while tracing, as a plain int"
        )
    taken = State(state, {}, columns=True)
    if not any(isinstance(value, Traced) for value in taken.initial):
        try:
            return _scan_at_once(body, taken, count)
        except TracedWithin as found:
            # The state began as numbers, but the body mentions traced values around it.
            return _scan_traced(body, State(state, {}, columns=False), count, found.graph)
    taken = State(state, {}, columns=False)
    return _scan_traced(body, taken, count, common_graph(taken.initial))


def _scan_at_once(body: Body, taken: State, count: int) -> Scanned:
    lines: list[list[Any]] = [[value] for value in taken.initial]
    trail = Trail(taken, [Row(line) for line in lines])
    for index in range(count):
        seen = taken.assembled([line[-1] for line in lines])
        following = taken.scalars_of(body(seen, float(index), trail))
        look_for_traced(following)
        for line, value in zip(lines, following, strict=True):
            line.append(value)
    return Scanned(taken.assembled([line[-1] for line in lines]), trail)


def _scan_traced(body: Body, taken: State, count: int, outer: Graph) -> Scanned:
    def with_past(seen: Any, index: Traced) -> Any:
        inner = index.graph
        rows = [
            _Series(inner, inner.add(("past", k)), is_condition=condition)
            for k, condition in enumerate(taken.conditions)
        ]
        return body(seen, index, Trail(taken, rows))

    node = as_node(with_past, taken, None, count, outer)
    rows = [
        _Series(node.graph, node.graph.add(("trail", node.number, k)), is_condition=condition)
        for k, condition in enumerate(taken.conditions)
    ]
    return Scanned(taken.assembled(node.states), Trail(taken, rows))
