"""What depends on what, found by one pass over a graph with sets of inputs as bits of whole numbers.

Only dependence that has a derivative counts: not by way of `sign`, `floor`, a condition or the index of
a table.
"""

from __future__ import annotations

from collections.abc import Mapping

from quatrain.compiler.graph import Graph, Loop, Node, arguments
from quatrain.compiler.operations import OPERATIONS

# For each operation the places of the arguments by which it has a derivative.
_PLACES = {
    operation.name: tuple(j for j, partial in enumerate(operation.partials) if partial is not None)
    for operation in OPERATIONS.values()
}


def dependencies(graph: Graph, inputs: Mapping[int, int]) -> list[int]:
    """For each node the union of the sets that `inputs` gives for the inputs k it depends on."""
    found = [0] * len(graph.nodes)
    through = LoopDependencies(graph)
    for number, node in enumerate(graph.nodes):
        operation = node[0]
        if operation == "input":
            found[number] = inputs.get(node[1], 0)
        elif operation == "item":
            for argument in through.arguments(node):
                found[number] |= found[argument]
        else:
            for j in _PLACES[operation]:
                found[number] |= found[node[1 + j]]
    return found


def dependents(graph: Graph, outputs: Mapping[int, int]) -> list[int]:
    """For each node the union of the sets that `outputs` gives for the nodes that depend on it."""
    found = [0] * len(graph.nodes)
    for number, its in outputs.items():
        found[number] = its
    through = LoopDependencies(graph)
    for number in range(len(graph.nodes) - 1, -1, -1):
        its = found[number]
        if its:
            node = graph.nodes[number]
            operation = node[0]
            if operation == "item":
                for argument in through.arguments(node):
                    found[argument] |= its
            else:
                for j in _PLACES[operation]:
                    found[node[1 + j]] |= its
    return found


class LoopDependencies:
    """For the loops of one graph: on which arguments each of their results depends."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._found: dict[int, list[int]] = {}

    def arguments(self, item: Node) -> list[int]:
        """Numbers of the arguments of the loop that this item of it depends on."""
        node = self._graph.nodes[item[1]]
        loop = self._graph.loops[node[1]]
        if item[2] >= len(loop.lags):  # how many iterations were done, and whether it converged
            return []
        reached = self._found.get(node[1])
        if reached is None:
            reached = self._found[node[1]] = reached_by(loop)
        return [n for j, n in enumerate(arguments(node)[1:]) if reached[item[2]] >> j & 1]


def read_by(loop: Loop) -> list[int]:
    """For each next state the set of what it is made from: bit j for state j, bit S + i for invariant i."""
    size = len(loop.lags) + loop.invariants
    found = dependencies(loop.body, {1 + j: 1 << j for j in range(size)})
    return [found[number] for number in loop.next]


def reached_by(loop: Loop) -> list[int]:
    """For each final state the set of arguments it depends on, after any number of iterations."""
    read = read_by(loop)
    # A loop may do nothing: then the final state is the initial one.
    return [closed(read, 1 << state, through_state=True) for state in range(len(read))]


def closed(read: list[int], start: int, *, through_state: bool) -> int:
    """The set `start` grown until nothing more belongs to it.

    With `through_state` by all that its states are made from; else by all states that are made from it.
    """
    found, before = start, 0
    while found != before:
        before = found
        for state, its in enumerate(read):
            if through_state and found >> state & 1:
                found |= its
            elif not through_state and its & found:
                found |= 1 << state
    return found


def products(graph: Graph, inputs: Mapping[int, int], outputs: Mapping[int, int]) -> tuple[int, int]:
    """How many products with partial derivatives the sweeps for a Jacobian ask for: forward, backward."""
    from_inputs, to_outputs = dependencies(graph, inputs), dependents(graph, outputs)
    forward = backward = 0
    for number, node in enumerate(graph.nodes):
        if to_outputs[number] and from_inputs[number] and node[0] != "item":
            for j in _PLACES[node[0]]:
                if its := from_inputs[node[1 + j]]:
                    forward += its.bit_count()
                    backward += to_outputs[number].bit_count()
    return forward, backward
