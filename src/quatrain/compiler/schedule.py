"""In which order the nodes of a graph are computed, and where a long order is cut into parts.

Registers are few: an order is good if few values are alive at a time. The order in which a function was
traced is often good; another is to finish one result after the other, deepest argument first. The one that
keeps fewer values alive on average is taken. In it, gaps are filled as far as registers last: see `overlap`.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from quatrain.compiler.graph import Graph, arguments
from quatrain.compiler.overlap import overlapped

# These are no instructions: inputs are read and constants written where they are used.
LEAVES = frozenset(("constant", "boolean", "input", "past", "given"))

_PAIRS = {"sin": "cos", "cos": "sin"}


@dataclass(frozen=True)
class Liveness:
    """How many values are alive along an order: at most, and on average."""

    peak: int
    mean: float


# Registers that operands from memory and constants pass through, not counted among those that hold values.
PASSING = 4


def order(graph: Graph, results: Sequence[int], registers: int = 16, free: Container[int] = ()) -> list[int]:
    """Numbers of the nodes that these results need, leaves left out, arguments before users.

    Nodes that are made together stand together: a loop and its items, sin and cos of one angle. Those that are
    `free` are leaves too.
    """
    needed = graph.needed(results)
    deep = [n for n in _depth_first(graph, results) if n not in free]
    traced = [
        n for n, flag in enumerate(needed) if flag and graph.nodes[n][0] not in LEAVES and n not in free
    ]
    better = min((traced, deep), key=lambda numbers: liveness(graph, numbers, results).mean)
    return _with_companions(graph, overlapped(graph, better, results, registers - PASSING))


def cost(graph: Graph, results: Sequence[int]) -> int:
    """Nodes that these results need, those of loops' bodies included."""
    total = 0
    pending = [(graph, tuple(results))]
    while pending:
        graph, results = pending.pop()
        for n, flag in enumerate(graph.needed(results)):
            node = graph.nodes[n]
            if flag and node[0] not in LEAVES:
                total += 1
                if node[0] == "loop":
                    loop = graph.loops[node[1]]
                    pending.append((loop.body, loop.results))
    return total


def _depth_first(graph: Graph, results: Sequence[int]) -> list[int]:
    nodes = graph.nodes
    done = bytearray(len(nodes))
    numbers: list[int] = []
    for result in results:
        stack = [result]
        while stack:
            n = stack[-1]
            if done[n] == 2:
                stack.pop()
                continue
            if done[n] == 1:
                done[n] = 2
                stack.pop()
                if nodes[n][0] not in LEAVES:
                    numbers.append(n)
                continue
            done[n] = 1
            # The argument that was made last is the deepest as a rule; it is finished first.
            stack.extend(a for a in sorted(arguments(nodes[n])) if not done[a])
    return numbers


def _with_companions(graph: Graph, numbers: list[int]) -> list[int]:
    nodes = graph.nodes
    wanted = set(numbers)
    partner: dict[int, int] = {}
    by_angle: dict[tuple[str, int], int] = {}
    items: dict[int, list[int]] = {}
    for n in numbers:
        node = nodes[n]
        if node[0] in _PAIRS:
            by_angle[node[0], node[1]] = n
        elif node[0] == "item":
            items.setdefault(node[1], []).append(n)
    for (operation, angle), n in by_angle.items():
        other = by_angle.get((_PAIRS[operation], angle))
        if other is not None:
            partner[n] = other
    result: list[int] = []
    for n in numbers:
        if n not in wanted:
            continue  # moved up already
        for companion in (n, *([partner[n]] if n in partner else ()), *items.get(n, ())):
            if companion in wanted:
                wanted.discard(companion)
                result.append(companion)
    return result


def liveness(graph: Graph, numbers: Sequence[int], results: Sequence[int]) -> Liveness:
    """Values alive while the nodes are computed in this order; leaves count nothing."""
    nodes = graph.nodes
    last = {n: len(numbers) for n in results}
    for place in range(len(numbers) - 1, -1, -1):
        for a in arguments(nodes[numbers[place]]):
            last.setdefault(a, place)
    ends = [0] * (len(numbers) + 1)
    alive = peak = total = 0
    computed = set(numbers)
    for n in computed:
        ends[last.get(n, 0)] += 1
    for place in range(len(numbers)):
        alive += 1
        peak = max(peak, alive)
        total += alive
        alive -= ends[place]
    return Liveness(peak, total / max(1, len(numbers)))


def parts(graph: Graph, numbers: Sequence[int], size: int) -> list[list[int]]:
    """The order cut into pieces of about equal length, no longer than `size` if companions allow it."""
    count = -(-len(numbers) // size)
    length = -(-len(numbers) // max(1, count))
    result: list[list[int]] = []
    for n in numbers:
        if not result or (len(result[-1]) >= length and not _follows(graph, n, result[-1][-1])):
            result.append([])
        result[-1].append(n)
    return result


def _follows(graph: Graph, number: int, before: int) -> bool:
    """Whether a node is made together with the one before it in the order."""
    node, previous = graph.nodes[number], graph.nodes[before]
    if node[0] == "item":
        return True
    return _PAIRS.get(node[0]) == previous[0] and node[1:] == previous[1:]
