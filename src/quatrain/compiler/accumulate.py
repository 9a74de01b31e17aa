"""The chain rule on a linearised graph: sums over paths of products of partial derivatives.

A linearised graph is a dict of edges: node -> {argument: weight}, in the order of the nodes, where a
weight is the number of the node that holds the partial derivative.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from quatrain.compiler import rules
from quatrain.compiler.graph import Graph, Mark

Edges: TypeAlias = dict[int, dict[int, int]]
Row: TypeAlias = dict[int, int]
"""Derivatives by direction."""

_ZERO = ("constant", 0.0)
_ONE = ("constant", 1.0)

# A choice within a choice within … is looked through this far; beyond, a product stays a product.
_DEEPEST = 4


def is_zero(graph: Graph, number: int) -> bool:
    return graph.nodes[number] == _ZERO


def is_unit(graph: Graph, number: int) -> bool:
    node = graph.nodes[number]
    return node[0] == "constant" and abs(node[1]) == 1.0


# ---- sums and products -------------------------------------------------------------------------------

_Choice: TypeAlias = tuple[int, bool]
"""Condition, and whether the value stands in its first branch; in the other one stands 0."""


def _choice(graph: Graph, number: int) -> tuple[_Choice, int] | None:
    """The parts of c ? x : 0 and of c ? 0 : x."""
    node = graph.nodes[number]
    if node[0] == "select":
        if is_zero(graph, node[3]):
            return (node[1], True), node[2]
        if is_zero(graph, node[2]):
            return (node[1], False), node[3]
    return None


def _chosen(graph: Graph, choice: _Choice, number: int) -> int:
    zero = graph.constant(0.0)
    condition, first = choice
    return rules.select(graph, condition, *((number, zero) if first else (zero, number)))


def times(graph: Graph, weight: int, value: int) -> int:
    """weight · value, where a weight c ? 1 : 0 chooses: (c ? 1 : 0) · x → c ? x : 0.

    So a branch that is not taken contributes 0 even where its derivative is NaN or infinite.
    """
    found = _choice(graph, weight)
    if found is not None and graph.nodes[found[1]] == _ONE:
        return _chosen(graph, found[0], value)
    return rules.multiply(graph, weight, value)


def times_within(graph: Graph, a: int, b: int) -> int:
    """a · b, where both may be choices: (c ? x : 0) · y → c ? x · y : 0.

    Backwards a choice comes first and the derivatives of its branch after it: the choice has to be
    moved behind each of them, else 0 · ∞ would make NaN of a branch that is not taken.
    """
    nodes = graph.nodes
    if nodes[a][0] != "select" and nodes[b][0] != "select":
        return rules.multiply(graph, a, b)
    choices: list[_Choice] = []
    factors = []
    for factor in (a, b):
        for _ in range(_DEEPEST):
            found = _choice(graph, factor)
            if found is None:
                break
            choices.append(found[0])
            factor = found[1]
        factors.append(factor)
    result = rules.multiply(graph, *factors)
    for choice in reversed(choices):
        result = _chosen(graph, choice, result)
    return result


def plus(graph: Graph, a: int, b: int) -> int:
    """a + b, where (c ? x : 0) + (c ? 0 : y) → c ? x : y."""
    if graph.nodes[a][0] != "select":
        return rules.add(graph, a, b)
    of_a, of_b = _choice(graph, a), _choice(graph, b)
    if of_a is None or of_b is None or of_a[0][0] != of_b[0][0]:
        return rules.add(graph, a, b)
    ((condition, first_a), x), ((_, first_b), y) = of_a, of_b
    if first_a == first_b:
        return _chosen(graph, (condition, first_a), rules.add(graph, x, y))
    return rules.select(graph, condition, *((x, y) if first_a else (y, x)))


def add_to(graph: Graph, row: Row, direction: int, term: int) -> None:
    if not is_zero(graph, term):
        row[direction] = plus(graph, row[direction], term) if direction in row else term


# ---- backwards -----------------------------------------------------------------------------------------


def pull(graph: Graph, edges: Edges, marks: Mapping[int, Mark], seeds: Mapping[int, Row]) -> dict[int, Row]:
    """Adjoints of all nodes, from those of the outputs: one pass against the direction of the edges."""
    adjoints: dict[int, Row] = {number: dict(row) for number, row in seeds.items()}
    for number in reversed(edges):
        row = adjoints.get(number)
        if row is None:
            continue
        graph.author = marks[number]
        for argument, weight in edges[number].items():
            target = adjoints.setdefault(argument, {})
            for direction, value in row.items():
                add_to(graph, target, direction, times_within(graph, weight, value))
    graph.author = None
    return adjoints


# ---- from both ends --------------------------------------------------------------------------------------


class _Network:
    """Edges in both directions, of which vertices are eliminated."""

    def __init__(self, graph: Graph, edges: Edges, outputs: Iterable[int]) -> None:
        self.graph = graph
        self.incoming: Edges = {number: dict(row) for number, row in edges.items()}
        self.users: dict[int, dict[int, None]] = {number: {} for number in edges}
        for number, row in edges.items():
            for argument in row:
                self.users[argument][number] = None
        # An output that others use as well gets an end of its own, so that no output is eliminated.
        self.ends: dict[int, int] = {}
        for number in outputs:
            if number in edges and number not in self.ends:
                self.ends[number] = end = -1 - number
                self.incoming[end] = {number: graph.constant(1.0)}
                self.users[end] = {}
                self.users[number][end] = None

    def growth(self, vertex: int) -> int:
        """By how many the number of edges grows when this vertex goes."""
        before, after = self.incoming[vertex], self.users[vertex]
        known = 0
        for user in after:
            known += len(before.keys() & self.incoming[user].keys())
        return len(before) * len(after) - known - len(before) - len(after)

    def eliminate(self, vertex: int) -> None:
        """Join each edge into this vertex with each edge out of it."""
        graph, before, after = self.graph, self.incoming.pop(vertex), self.users.pop(vertex)
        for user in after:
            row = self.incoming[user]
            outer = row.pop(vertex)
            for argument, inner in before.items():
                add_to(graph, row, argument, times_within(graph, outer, inner))
                if argument in row:
                    self.users[argument][user] = None
        for argument in before:
            del self.users[argument][vertex]


def eliminate(
    graph: Graph, edges: Edges, marks: Mapping[int, Mark], outputs: Iterable[int]
) -> dict[int, Row]:
    """Derivatives of the outputs by the inputs: the vertices between go one by one, in a good order.

    Forward and backward sweeps are two fixed orders. Where the graph is narrow in the middle others need
    far fewer products. Finding the best is NP-hard (Griewank and Walther, Evaluating Derivatives, 2nd ed.
    2008, ch. 9 and 10); here it is tried from the last vertex to the first whether it may go, which it may
    if that leaves fewer edges than before, and again; when none may go any more, a few edges more are allowed.
    """
    network = _Network(graph, edges, outputs)
    left = [number for number in reversed(edges) if edges[number]]
    allowed = -1
    while left:
        stay = []
        least = None
        for vertex in left:
            grows = network.growth(vertex)
            if grows <= allowed:
                graph.author = marks[vertex]
                network.eliminate(vertex)
            else:
                stay.append(vertex)
                least = grows if least is None else min(least, grows)
        if least is not None and len(stay) == len(left):
            # Where many must be allowed it does not matter how many exactly.
            allowed = max(least, allowed + 1 + allowed // 64)
        left = stay
    graph.author = None
    return {number: network.incoming[end] for number, end in network.ends.items()}
