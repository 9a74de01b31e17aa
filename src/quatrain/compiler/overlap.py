"""An order in which the processor need not wait: gaps between dependent nodes are filled with what follows.

A sum waits about four cycles for the sum before it, and a processor that starts two a cycle looks only some
fifty nodes ahead for other work. So the order is played through on a simple model of it: in every cycle the
first nodes of the given order whose arguments are there by then, as long as no more values are alive than
registers can hold. Where nothing has to wait, the order stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from quatrain.compiler.graph import Graph, arguments

STARTED_IN_A_CYCLE = 2
LATENCY = 4
"""Cycles until a result is there, of sums and products."""
CALL_LATENCY = 40
"""Of an elementary function or a loop."""
CALLS = frozenset(
    ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh", "power", "lookup", "loop")
)
CANDIDATES = 2
"""So many are tried in a cycle for one that needs no further register."""


def overlapped(graph: Graph, numbers: Sequence[int], results: Sequence[int], alive: int) -> list[int]:
    """The same nodes, arguments before users, with at most about so many values alive."""
    units = _Units(graph, numbers, results)
    return [n for unit in _play(units, alive) for n in units.nodes[unit]]


class _Units:
    """What is started as one, by place in the given order: a node, or a sum with the product fused into it."""

    def __init__(self, graph: Graph, numbers: Sequence[int], results: Sequence[int]) -> None:
        nodes = graph.nodes
        inside, kept = set(numbers), set(results)
        needs = {n: [a for a in dict.fromkeys(arguments(nodes[n])) if a in inside] for n in numbers}
        count = dict.fromkeys(numbers, 0)
        for found in needs.values():
            for a in found:
                count[a] += 1
        sum_of: dict[int, int] = {}
        for n in numbers:
            if nodes[n][0] in ("add", "subtract"):
                products = (a for a in needs[n] if nodes[a][0] == "multiply" and count[a] == 1)
                for a in products:
                    if a not in kept:
                        sum_of[a] = n
                        break
        product_of = {n: a for a, n in sum_of.items()}
        alone = [n for n in numbers if n not in sum_of]
        place = {n: k for k, n in enumerate(alone)}
        self.nodes = [(product_of[n], n) if n in product_of else (n,) for n in alone]
        self.needs = [
            [place[a] for a in dict.fromkeys(a for n in unit for a in needs[n] if a in place)]
            for unit in self.nodes
        ]
        self.users: list[list[int]] = [[] for _ in alone]
        for k, found in enumerate(self.needs):
            for a in found:
                self.users[a].append(k)
        self.uses = [len(users) + (n in kept) for n, users in zip(alone, self.users, strict=True)]
        self.latency = [_latency(nodes[n][0]) for n in alone]


def _latency(operation: str) -> int:
    if operation == "item":
        return 0
    return CALL_LATENCY if operation in CALLS else LATENCY


def _play(units: _Units, most_alive: int) -> list[int]:
    """The order in which units are started. In each cycle those that are ready, first come, first served."""
    needs, users, uses = units.needs, units.users, units.uses
    missing = [len(found) for found in needs]
    earliest = [0] * len(missing)
    ready = [k for k, count in enumerate(missing) if not count]  # sorted, and so a heap
    waiting: list[tuple[int, int]] = []  # (cycle, unit)
    started = bytearray(len(missing) + 1)
    order: list[int] = []
    clock, slots, alive, first = 0, STARTED_IN_A_CYCLE, 0, 0

    def choice() -> int | None:
        passed: list[int] = []
        chosen = None
        while ready and len(passed) < CANDIDATES:
            k = heappop(ready)
            # The first of all goes on in any case; others if there is a register, or if they free one.
            if k == first or alive < most_alive or any(uses[a] == 1 for a in needs[k]):
                chosen = k
                break
            passed.append(k)
        for k in passed:
            heappush(ready, k)
        return chosen

    while len(order) < len(missing):
        while waiting and waiting[0][0] <= clock:
            heappush(ready, heappop(waiting)[1])
        while started[first]:
            first += 1
        chosen = choice() if slots else None
        if chosen is None and slots == STARTED_IN_A_CYCLE and not waiting:
            chosen = heappop(ready)  # no later cycle would be better
        if chosen is None:
            clock = clock + 1 if ready or not waiting else max(clock + 1, waiting[0][0])
            slots = STARTED_IN_A_CYCLE
            continue
        slots -= 1
        started[chosen] = 1
        order.append(chosen)
        alive += 1
        for a in needs[chosen]:
            uses[a] -= 1
            alive -= not uses[a]
        there = clock + units.latency[chosen]
        for k in users[chosen]:
            missing[k] -= 1
            if there > earliest[k]:
                earliest[k] = there
            if not missing[k]:
                heappush(waiting, (earliest[k], k))
    return order
