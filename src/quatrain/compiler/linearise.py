"""Partial derivatives of each node, tangents pushed forward through a graph, and through its loops.

A graph is written anew, node by node, into another one, and what its derivatives need beside it: a loop
whose tangents are wanted is replaced by one that carries them as further states.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from quatrain.compiler import rules
from quatrain.compiler.accumulate import Edges, Row, add_to, is_zero, times
from quatrain.compiler.graph import Graph, Loop, Mark, arguments
from quatrain.compiler.inline import inline
from quatrain.compiler.operations import BOOLEAN, OPERATIONS
from quatrain.compiler.sparsity import closed, dependents, read_by
from quatrain.compiler.traced import Condition, Traced, number_of

Inputs: TypeAlias = Sequence[int] | Mapping[int, int]
"""Number in the target for each k of ("input", k) in the source."""

# What an operation has derivatives by: places of arguments and rules.
_PARTIALS = {
    o.name: tuple((j, partial) for j, partial in enumerate(o.partials) if partial is not None)
    for o in OPERATIONS.values()
}
_KINDS = {
    o.name: tuple(Condition if kind == BOOLEAN else Traced for kind in o.arguments)
    for o in OPERATIONS.values()
}


class Copying:
    """A graph that is written anew into another, one node after the other."""

    def __init__(self, source: Graph, target: Graph, inputs: Inputs, outputs: Iterable[int]) -> None:
        self.source = source
        self.target = target
        self.inputs = inputs
        """Number in the target of each input of the source."""
        self.numbers: list[int] = []
        """Number in the target of each node so far."""
        self.useful = dependents(source, dict.fromkeys(outputs, 1))
        """Whether the outputs have a derivative by a node."""
        self.extended: dict[int, Extended] = {}
        """By loop node: the loop that carries tangents in its stead."""
        self._wanted: dict[int, set[int]] = {}
        for number, node in enumerate(source.nodes):
            if node[0] == "item" and self.useful[number]:
                self._wanted.setdefault(node[1], set()).add(node[2])

    def copy(self, old: int) -> None:
        """Write the next node. A loop comes in by `extend` instead where tangents go through it."""
        node = self.source.nodes[old]
        target, numbers = self.target, self.numbers
        operation = node[0]
        target.author = self.source.mark(old)
        if operation == "input":
            number = self.inputs[node[1]]
        elif operation == "lookup":
            number = rules.lookup(target, target.table(self.source.tables[node[1]]), numbers[node[2]])
        elif operation == "loop":
            place = target.loop(self.source.loops[node[1]])
            number = target.add((operation, place, *[numbers[n] for n in node[2:]]))
        elif operation == "item":
            extended = self.extended.get(node[1])
            place = node[2] if extended is None else extended.place(node[2])
            number = target.add((operation, numbers[node[1]], place))
        elif operation == "constant" or operation == "boolean":
            number = rules.make(target, *node)
        else:
            number = rules.make(target, operation, *[numbers[n] for n in node[1:]])
        numbers.append(number)

    def partials(self, old: int, active: Container[int]) -> Row:
        """Derivatives of a node by those of its arguments that are active."""
        operation, *words = self.source.nodes[old]
        if operation == "item":
            extended = self.extended.get(words[0])
            return {} if extended is None else extended.tangents(words[1])
        found: Row = {}
        target = self.target
        values: tuple[Any, ...] = ()
        for j, partial in _PARTIALS[operation]:
            if words[j] not in active:
                continue
            if not values:
                result = Traced(target, self.numbers[old])
                kinds = _KINDS[operation]
                values = tuple([kind(target, self.numbers[n]) for kind, n in zip(kinds, words, strict=True)])
            weight = number_of(target, partial(values, result))
            add_to(target, found, words[j], weight)
        return found

    def extend(self, old: int, tangents: Mapping[int, Row]) -> None:
        """Write a loop that carries the tangents of its arguments along."""
        node = self.source.nodes[old]
        self.target.author = self.source.mark(old)
        values = [self.numbers[n] for n in node[2:]]
        its = [tangents.get(n, {}) for n in node[3:]]
        extended = extend(self.target, self.source.loops[node[1]], values, its, self._wanted.get(old, ()))
        self.numbers.append(extended.number)
        self.extended[old] = extended


# ---- loops -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extended:
    """A loop that carries tangents of its states as further states."""

    graph: Graph
    number: int
    states: int
    carried: tuple[tuple[int, int], ...]
    """State and direction of each tangent."""

    def place(self, k: int) -> int:
        """The item that was item k of the plain loop."""
        return k if k < self.states else k + len(self.carried)

    def tangents(self, k: int) -> Row:
        """Of a final state, by direction."""
        return {
            direction: self.graph.add(("item", self.number, self.states + place))
            for place, (state, direction) in enumerate(self.carried)
            if state == k
        }


def extend(
    target: Graph, loop: Loop, values: Sequence[int], tangents: Sequence[Row], wanted: Iterable[int]
) -> Extended:
    """The loop node for these arguments that also carries tangents, where they are not zero for good.

    `values` are count, initial states and invariants; `tangents` are those of states and invariants.
    The tangent of a state is carried if a wanted state depends on it. How many iterations are done is
    decided as before.
    """
    read = read_by(loop)
    of_use = closed(read, sum(1 << state for state in set(wanted) if state < len(read)), through_state=True)
    tangents = [row if of_use >> j & 1 else {} for j, row in enumerate(tangents)]
    carried = _carried(read, tangents, of_use)
    longer, more = _longer(target, loop, tangents, carried)
    first = 1 + len(loop.lags)  # of the invariants
    none = target.constant(0.0)
    moving = [tangents[state].get(direction, none) for state, direction in carried]
    number = target.add(("loop", target.loop(longer), *values[:first], *moving, *values[first:], *more))
    return Extended(target, number, len(loop.lags), carried)


def _longer(
    target: Graph, loop: Loop, tangents: Sequence[Row], carried: Sequence[tuple[int, int]]
) -> tuple[Loop, list[int]]:
    """The loop with more states, and what it needs as further invariants: tangents of those it has."""
    states = len(loop.lags)
    first = 1 + states + len(carried)
    inner = Graph(origins=target.has_origins)
    inner.epsilon = target.epsilon
    inputs = [inner.input(k) for k in (*range(1 + states), *range(first, first + loop.invariants))]
    seeds: dict[int, Row] = {1 + k: {} for k in range(states + loop.invariants)}
    for place, (state, direction) in enumerate(carried):
        seeds[1 + state][direction] = inner.input(1 + states + place)
    more: dict[int, int] = {}  # number in the target -> input of the body
    for k, row in enumerate(tangents[states:], start=1 + states):
        for direction, number in row.items():
            if target.nodes[number][0] == "constant":
                seeds[k][direction] = inner.constant(target.nodes[number][1])
            else:
                place = more.setdefault(number, first + loop.invariants + len(more))
                seeds[k][direction] = inner.input(place)
    copying = Copying(loop.body, inner, inputs, [loop.next[state] for state, _ in carried])
    found = push(copying, seeds)
    zero = inner.constant(0.0)
    following = [copying.numbers[n] for n in loop.next]
    following += [found.get(loop.next[state], {}).get(direction, zero) for state, direction in carried]
    stop = [] if loop.stop is None else [copying.numbers[loop.stop]]
    body, numbers = inner.extract([*following, *stop])
    lags = (*loop.lags, *(loop.lags[state] for state, _ in carried))
    ends = numbers[: len(following)], numbers[-1] if stop else None
    return Loop(body, lags, *ends, loop.invariants + len(more)), list(more)


def _carried(read: list[int], tangents: Sequence[Row], of_use: int) -> tuple[tuple[int, int], ...]:
    """Which states have a tangent in which direction that is not zero for good and that is of use."""
    moved: dict[int, int] = {}  # by direction: the set of arguments that move
    for j, row in enumerate(tangents):
        for direction in row:
            moved[direction] = moved.get(direction, 0) | 1 << j
    pairs = []
    for direction, start in moved.items():
        reached = closed(read, start, through_state=False)
        pairs += [(state, direction) for state in range(len(read)) if (reached & of_use) >> state & 1]
    return tuple(sorted(pairs))


# ---- whole graphs ----------------------------------------------------------------------------------------


def push(copying: Copying, seeds: Mapping[int, Row]) -> dict[int, Row]:
    """Tangents of the nodes of the source, by direction, from those of its inputs.

    A loop carries the tangents themselves, or, where fewer, its derivatives by each of its arguments.
    """
    target, source = copying.target, copying.source
    tangents: dict[int, Row] = {}
    direct: set[int] = set()
    for old, node in enumerate(source.nodes):
        if node[0] == "loop":
            if _push_through(copying, old, tangents):
                direct.add(old)
            continue
        copying.copy(old)
        if not copying.useful[old]:
            continue
        if node[0] == "input":
            row = dict(seeds.get(node[1], {}))
        elif node[0] == "item" and node[1] in direct:
            row = copying.partials(old, tangents)
        else:
            row = {}
            for argument, weight in copying.partials(old, tangents).items():
                for direction, value in tangents[argument].items():
                    add_to(target, row, direction, times(target, weight, value))
        row = {direction: number for direction, number in row.items() if not is_zero(target, number)}
        if row:
            tangents[old] = row
    target.author = None
    return tangents


def _push_through(copying: Copying, old: int, tangents: Mapping[int, Row]) -> bool:
    """Write a loop; whether it carries the tangents in the directions of `tangents`."""
    moving = {n: tangents[n] for n in arguments(copying.source.nodes[old])[1:] if n in tangents}
    directions = {direction for row in moving.values() for direction in row}
    if not moving:
        copying.copy(old)
    elif len(directions) <= len(moving):
        copying.extend(old, moving)
        return True
    else:
        copying.extend(old, _units(copying.target, moving))
    return False


def _units(target: Graph, arguments: Iterable[int]) -> dict[int, Row]:
    """A direction for each argument by itself."""
    return {argument: {argument: target.constant(1.0)} for argument in arguments}


def linearise(copying: Copying, varied: Container[int]) -> tuple[Edges, dict[int, Mark]]:
    """The edges of the source between the inputs in `varied` and its outputs, and the author of each node.

    A loop counts as one step: its derivatives by each of its arguments are carried forward within it.
    """
    source = copying.source
    edges: Edges = {}
    for old, node in enumerate(source.nodes):
        if node[0] == "loop":
            moving = [n for n in arguments(node)[1:] if n in edges]
            if moving:
                copying.extend(old, _units(copying.target, dict.fromkeys(moving)))
            else:
                copying.copy(old)
            continue
        copying.copy(old)
        if not copying.useful[old]:
            continue
        if node[0] == "input":
            if node[1] in varied:
                edges[old] = {}
        elif row := copying.partials(old, edges):
            edges[old] = row
    copying.target.author = None
    return edges, {number: source.mark(number) for number in edges}


# ---- unrolled loops --------------------------------------------------------------------------------------


def unrolled(source: Graph, outputs: Sequence[int], wanted: Container[int]) -> tuple[Graph, list[int]]:
    """The graph with the iterations of the wanted loops, of constant count, written out one by one."""
    target = Graph(origins=source.has_origins)
    target.epsilon = source.epsilon
    inputs = {node[1]: target.input(node[1]) for node in source.nodes if node[0] == "input"}
    copying = Copying(source, target, inputs, outputs)
    ends: dict[int, list[int]] = {}
    for old, node in enumerate(source.nodes):
        if old in wanted:
            loop, values = source.loops[node[1]], [copying.numbers[n] for n in node[3:]]
            ends[old] = _iterated(target, loop, values, int(source.nodes[node[2]][1]))
            copying.numbers.append(-1)
        elif node[0] == "item" and node[1] in ends:
            copying.numbers.append(ends[node[1]][node[2]])
        else:
            copying.copy(old)
    target.author = None
    return target, [copying.numbers[n] for n in outputs]


def _iterated(target: Graph, loop: Loop, values: Sequence[int], count: int) -> list[int]:
    """Numbers of the items of a loop of `count` iterations without a stop condition, written out."""
    states = len(loop.lags)
    lines = [[number] * lag for number, lag in zip(values[:states], loop.lags, strict=True)]
    for index in range(count):
        inputs = [target.constant(float(index)), *(line[0] for line in lines), *values[states:]]
        for line, number in zip(lines, inline(target, loop.body, loop.next, inputs), strict=True):
            line.append(number)
            del line[0]
    return [*(line[-1] for line in lines), target.constant(float(count)), target.constant(0.0)]
