"""How many operations a program has, by kind."""

from __future__ import annotations

from collections import Counter
from math import floor

from quatrain.compiler.graph import Graph, Node
from quatrain.compiler.operations import OPERATIONS
from quatrain.compiler.program import Program

# They hold or name values, and compute nothing themselves.
_FREE = frozenset(("input", "constant", "boolean", "item", "loop", "series", "trail", "past", "given"))


def operations(program: Program, *, iterations: int = 1) -> dict[str, int]:
    """How many operations of each kind one evaluation takes, in the order of the table of operations.

    What is done within a loop counts once for each iteration if their number is a constant and the loop
    has no stop condition. In every other loop it counts `iterations` times.
    """
    found = operations_of(program.graph, iterations)
    return {name: found[name] for name in OPERATIONS if found[name]}


def operations_of(graph: Graph, iterations: int = 1) -> Counter[str]:
    """The same for all nodes of a graph, in any order."""
    found = Counter(node[0] for node in graph.nodes if node[0] not in _FREE)
    for node in graph.nodes:
        if node[0] == "loop":
            times = literal_count(graph, node)
            within = operations_of(graph.loops[node[1]].body, iterations)
            for name, number in within.items():
                found[name] += number * (iterations if times is None else times)
    return found


def literal_count(graph: Graph, node: Node) -> int | None:
    """How many iterations a loop node does, where that is known without its inputs, else None."""
    count = graph.nodes[node[2]]
    if count[0] != "constant" or graph.loops[node[1]].stop is not None:
        return None
    return max(0, floor(count[1])) if abs(count[1]) < 2**53 else 0 if not count[1] > 0 else None
