"""Loops in functions over scalars: a fixed number of times, or until a condition holds.

They run at once on floats, on NumPy columns and on other scalars; where a traced value takes part they
become one node of the graph (see `graph.Loop`). Each element of a batch stops by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from quatrain import scalar
from quatrain.compiler import captures, rules
from quatrain.compiler import structure as structures
from quatrain.compiler.delays import delay, lags, without_delays
from quatrain.compiler.graph import Graph, Loop
from quatrain.compiler.origin import trace_error
from quatrain.compiler.structure import Structure
from quatrain.compiler.trace import check_call
from quatrain.compiler.traced import Condition, Traced, common_graph, number_of, truth_of
from quatrain.errors import ArgumentError

__all__ = ["Iterated", "delay", "iterate", "repeat"]

Body = Callable[[Any, Any], Any]
Until = Callable[[Any], Any]


class Iterated(NamedTuple):
    """What `iterate` gives."""

    state: Any
    count: Any
    """How many iterations were done."""
    converged: Any
    """Whether the condition holds for the final state."""


def repeat(body: Body, state: Any, count: Any) -> Any:
    """The state after `state = body(state, index)` for index = 0, 1 … count − 1.

    `count` may be any scalar; it is rounded down, and below zero (or NaN) means no iteration. The state
    is any nesting of scalars, and the body returns the like.
    """
    if not isinstance(count, Traced) and np.ndim(count) == 0 and not _is_finite(count):
        raise ArgumentError(f"a loop of {count} iterations", do="give a finite count")
    return _run(body, state, None, count).state


def iterate(body: Body, state: Any, *, until: Until, most: Any) -> Iterated:
    """`state = body(state, index)` until `until(state)` holds, and at most `most` times.

    The condition is asked before each iteration and once after the last, of the state that the body
    would see; where it holds at the start nothing is done. An element that has stopped keeps its state, bit
    for bit. `most` is rounded down like the count of `repeat`.
    """
    return _run(body, state, until, most)


def _is_finite(count: Any) -> bool:
    return not isinstance(count, float) or isfinite(count)


def _run(body: Body, state: Any, until: Until | None, most: Any) -> Iterated:
    plain, delays = without_delays(state, "state")
    taken = State(plain, delays, columns=True)
    if not any(isinstance(value, Traced) for value in (*taken.initial, most)):
        try:
            return _run_at_once(body, taken, until, most)
        except TracedWithin as found:
            # The state began as numbers, but the body mentions traced values around it.
            return _run_traced(body, State(plain, delays, columns=False), until, most, found.graph)
    taken = State(plain, delays, columns=False)
    return _run_traced(body, taken, until, most, common_graph([*taken.initial, most]))


class State:
    """The state of a loop taken apart: its structure, its scalars, and the lag of each."""

    def __init__(self, state: Any, delays: dict[str, int], *, columns: bool) -> None:
        self.columns = columns
        self.structure: Structure = structures.of_value(state, "the state", columns=columns)
        self.initial = structures.scalars(self.structure, state)
        self.lags = tuple(chain.from_iterable(lags(self.structure, "state", delays)))
        # The inputs of a body are real numbers: a condition goes round as 1 or 0.
        self.conditions = [isinstance(value, (Condition, bool, np.bool_)) for value in self.initial]

    def assembled(self, values: Sequence[Any]) -> Any:
        return structures.assemble(self.structure, iter(values))

    def scalars_of(self, result: Any) -> list[Any]:
        """The scalars of what the body returned, which must be built like the state."""
        found = structures.of_value(result, "the body's result", columns=self.columns)
        if found != self.structure:
            came, wanted = structures.text(found), structures.text(self.structure)
            raise trace_error(
                f"the body of a loop returns {came}, and its state is {wanted}",
                "return the next state, built like the state that comes in",
            )
        return structures.scalars(self.structure, result)


# ---- at once -----------------------------------------------------------------------------------------


class TracedWithin(Exception):
    """A way out of a loop on numbers; never seen by a user."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


def look_for_traced(values: Sequence[Any]) -> None:
    traced = [value for value in values if isinstance(value, Traced)]
    if traced:
        raise TracedWithin(common_graph(traced))


def _run_at_once(body: Body, taken: State, until: Until | None, most: Any) -> Iterated:
    # lines[s][j]: what scalar s was some iterations ago; the body sees [0], and [-1] is the newest.
    lines = [[value] * lag for value, lag in zip(taken.initial, taken.lags, strict=True)]
    limit = scalar.floor(most)
    active: Any = np.True_
    converged: Any = np.False_
    done: Any = 0
    index = 0
    while True:
        seen = taken.assembled([line[0] for line in lines])
        if until is not None:
            stop = until(seen)
            look_for_traced([stop])
            converged = converged | (active & np.asarray(stop, bool))
            active = active & ~np.asarray(stop, bool)
        active = active & np.asarray(index < limit, bool)
        if not np.any(active):
            break
        following = taken.scalars_of(body(seen, float(index)))
        look_for_traced(following)
        for line, value in zip(lines, following, strict=True):
            # np.where copies bits: an element that has stopped keeps its own.
            line.append(value if np.all(active) else np.where(active, value, line[-1]))
            del line[0]
        done = done + active * 1
        index += 1
    state = taken.assembled([line[-1] for line in lines])
    if np.ndim(active) == 0:
        return Iterated(state, int(done), bool(converged))
    return Iterated(
        state, np.broadcast_to(done, np.shape(active)), np.broadcast_to(converged, np.shape(active))
    )


# ---- as a node ---------------------------------------------------------------------------------------


class Made(NamedTuple):
    """A loop as a node, and its final states."""

    graph: Graph
    number: int
    states: list[Traced]


def _run_traced(body: Body, taken: State, until: Until | None, most: Any, outer: Graph) -> Iterated:
    outer, node, states = as_node(body, taken, until, most, outer)
    state = taken.assembled(states)
    if until is None:
        return Iterated(state, None, None)
    count, converged = (outer.add(("item", node, len(states) + k)) for k in range(2))
    return Iterated(state, Traced(outer, count), _value(outer, converged, True))


def as_node(body: Body, taken: State, until: Until | None, most: Any, outer: Graph) -> Made:
    """The loop as a node of `outer`, or of the innermost body around it whose values it turns out to mention."""
    while True:
        try:
            return _as_node(body, taken, until, most, outer)
        except captures.StrangersError as error:
            deeper = captures.within(outer, error.graphs)
            if deeper is None:
                raise
            outer = deeper


def _as_node(body: Body, taken: State, until: Until | None, most: Any, outer: Graph) -> Made:
    check_call(body, "body", "state", "index")
    if until is not None:
        check_call(until, "until", "state")
    inner = Graph(origins=outer.has_origins, outer=outer)
    inner.epsilon, inner.looped_from = outer.epsilon, outer.looped_from
    try:
        index = Traced(inner, inner.input(0))
        inputs = [_value(inner, inner.input(1 + k), is_one) for k, is_one in enumerate(taken.conditions)]
        seen = taken.assembled(inputs)
        stop = None if until is None else truth_of(inner, until(seen))
        following = [number_of(inner, value) for value in taken.scalars_of(body(seen, index))]
    finally:
        inner.outer = None  # from now on a value that has left the body is a mistake
    loop, mentioned = _closed(inner, taken.lags, following, stop)
    arguments = [number_of(outer, value) for value in (most, *taken.initial)]
    node = outer.add(("loop", outer.loop(loop), *arguments, *mentioned))
    items = [outer.add(("item", node, k)) for k in range(len(taken.initial))]
    return Made(outer, node, [_value(outer, n, c) for n, c in zip(items, taken.conditions, strict=True)])


def _value(graph: Graph, number: int, is_condition: bool) -> Traced:
    if is_condition:
        return Condition(graph, rules.not_equal(graph, number, graph.constant(0.0)))
    return Traced(graph, number)


def _closed(
    inner: Graph, lags: tuple[int, ...], following: list[int], stop: int | None
) -> tuple[Loop, list[int]]:
    """The loop of a traced body, and the outer numbers of the invariants and series that it really uses."""
    results = following if stop is None else [*following, stop]
    needed = inner.needed(results)
    used: dict[str, list[tuple[int, int]]] = {"input": [], "given": []}
    for outer, number in inner.captured.items():
        if needed[number]:
            operation, place = inner.nodes[number]
            used[operation].append((outer, place))
    invariants, series = used["input"], used["given"]
    places = {k: k for k in range(1 + len(lags))}
    places.update({old: 1 + len(lags) + new for new, (_, old) in enumerate(invariants)})
    graph, numbers = inner.extract(results, places, {old: new for new, (_, old) in enumerate(series)})
    end = None if stop is None else numbers[-1]
    loop = Loop(graph, lags, numbers[: len(lags)], end, len(invariants), len(series))
    return loop, [outer for outer, _ in (*invariants, *series)]
