"""Orders of computation: complete, arguments first, companions together; and what is counted along them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from quatrain import scalar
from quatrain.compiler import iterate, repeat, trace
from quatrain.compiler.graph import arguments
from quatrain.compiler.schedule import LEAVES, Liveness, cost, liveness, order, parts
from tests.compiler.random_graphs import program_of, some_tape, tapes

quickly = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def needed_nodes(graph, results):
    """By a search from the results, which does not know that arguments have smaller numbers."""
    found, pending = set(), list(results)
    while pending:
        n = pending.pop()
        if n not in found:
            found.add(n)
            pending.extend(arguments(graph.nodes[n]))
    return {n for n in found if graph.nodes[n][0] not in LEAVES}


def assert_in_order(graph, numbers):
    place = {n: k for k, n in enumerate(numbers)}
    for n in numbers:
        for a in arguments(graph.nodes[n]):
            assert graph.nodes[a][0] in LEAVES or place[a] < place[n]


def companions(graph, numbers):
    """Groups of nodes that are made at once: a loop and its items; sin and cos of one angle."""
    groups = {}
    for n in numbers:
        node = graph.nodes[n]
        if node[0] in ("sin", "cos"):
            groups.setdefault(("angle", node[1]), []).append(n)
        elif node[0] == "loop":
            groups.setdefault(("loop", n), []).append(n)
        elif node[0] == "item":
            groups.setdefault(("loop", node[1]), []).append(n)
    return [group for group in groups.values() if len(group) > 1]


@quickly
@given(tapes(120, elementary=True))
def test_every_order_is_complete_and_has_arguments_first(tape):
    program = program_of(tape)
    for graph, results in [
        (program.graph, program.results),
        (program.graph, program.results[:1]),
        *((loop.body, loop.results) for loop in program.graph.loops),
    ]:
        numbers = order(graph, results)
        assert len(set(numbers)) == len(numbers)
        assert set(numbers) == needed_nodes(graph, results)
        assert_in_order(graph, numbers)


@quickly
@given(tapes(120, elementary=True))
def test_companions_stand_together_and_in_one_part(tape):
    program = program_of(tape)
    graph, numbers = program.graph, order(program.graph, program.results)
    place = {n: k for k, n in enumerate(numbers)}
    for group in companions(graph, numbers):
        places = sorted(place[n] for n in group)
        assert places == list(range(places[0], places[0] + len(group)))
        assert graph.nodes[numbers[places[0]]][0] != "item"
    for size in (1, 3, 10):
        home = {n: k for k, part in enumerate(parts(graph, numbers, size)) for n in part}
        assert all(len({home[n] for n in group}) == 1 for group in companions(graph, numbers))


@quickly
@given(tapes(120, elementary=True))
def test_parts_are_the_order_cut_into_pieces_of_the_size_asked_for(tape):
    program = program_of(tape)
    graph, numbers = program.graph, order(program.graph, program.results)
    longest = max([len(group) for group in companions(graph, numbers)], default=1)
    for size in (1, 2, 7, 50, 10_000):
        pieces = parts(graph, numbers, size)
        assert [n for piece in pieces for n in piece] == numbers
        assert all(0 < len(piece) < size + longest for piece in pieces)
        # Of about equal length: as few pieces as the size allows.
        assert len(pieces) <= -(-len(numbers) // size)


def counted(graph, numbers, results):
    """Values that are known after each node was computed and still wanted then or by this very node."""
    counts = []
    for place in range(len(numbers)):
        later = set(results).union(*(arguments(graph.nodes[n]) for n in numbers[place:]))
        counts.append(len((set(numbers[:place]) & later) | {numbers[place]}))
    return Liveness(max(counts, default=0), sum(counts) / max(1, len(counts)))


@quickly
@given(tapes(60, elementary=True))
def test_liveness_is_what_one_counts_by_hand(tape):
    program = program_of(tape)
    graph, results = program.graph, program.results
    traced = sorted(needed_nodes(graph, results))
    for numbers in (traced, order(graph, results)):
        found, expected = liveness(graph, numbers, results), counted(graph, numbers, results)
        assert found.peak == expected.peak
        assert found.mean == pytest.approx(expected.mean, rel=1e-12)


def test_liveness_of_a_chain_and_of_a_fan():
    chain = trace(lambda x: scalar.sqrt(scalar.floor(scalar.sqrt(x))), {"x": float})
    numbers = order(chain.graph, chain.results)
    # While a node is computed its argument is alive beside it.
    assert liveness(chain.graph, numbers, chain.results) == Liveness(2, 5 / 3)
    fan = trace(lambda x: [scalar.sqrt(x + float(k)) for k in range(1, 5)], {"x": float})
    assert liveness(fan.graph, order(fan.graph, fan.results), fan.results).peak == 5
    assert liveness(fan.graph, [], ()) == Liveness(0, 0.0)


def test_the_better_of_two_orders_is_taken():
    """All products first and then all sums, as traced, would keep every product alive."""

    def law(x):
        products = [x[k] * x[k + 1] for k in range(200)]
        total = products[0]
        for product in products[1:]:
            total = total + product
        return total

    program = trace(law, {"x": 201})
    graph, results = program.graph, program.results
    traced = sorted(needed_nodes(graph, results))
    assert liveness(graph, traced, results).peak >= 200
    assert liveness(graph, order(graph, results), results).peak <= 4


def test_orders_of_deep_graphs_need_no_recursion():
    def law(x):
        for _ in range(20_000):
            x = scalar.sqrt(x) + 1.0
        return x

    program = trace(law, {"x": float}, origins=False)
    numbers = order(program.graph, program.results)
    assert len(numbers) == 40_000
    assert_in_order(program.graph, numbers)


def test_the_cost_of_a_graph_counts_the_bodies_of_its_loops():
    def law(x):
        inner = lambda s, i: repeat(lambda t, j: scalar.sqrt(t) + 1.0, s, 3) * 2.0
        return iterate(inner, x, until=lambda s: s > 3.0, most=5).state

    program = trace(law, {"x": float})
    # sqrt, add | loop, item, multiply, less | loop, item
    assert cost(program.graph, program.results) == 2 + 4 + 2
    assert cost(program.graph, ()) == 0


def test_a_large_program_keeps_no_more_values_alive_than_it_was_traced_with():
    program = program_of(some_tape(3, 2000, elementary=True, depth=0))
    graph, results = program.graph, program.results
    traced, chosen = sorted(needed_nodes(graph, results)), order(graph, results)
    # Companions that move up may live a little longer.
    assert liveness(graph, chosen, results).mean <= 1.01 * liveness(graph, traced, results).mean
    assert np.unique(chosen).size == len(traced)


# ---- gaps between dependent nodes --------------------------------------------------------------------


def chains_of_sums(count, length):
    """Sums that wait for one another, one chain after the other."""

    def function(x):
        results = []
        for k in range(count):
            value = x[k]
            for n in range(length):
                value = value + (1.0 + n)
            results.append(value)
        return np.array(results, object)

    return trace(function, {"x": count})


def distances(graph, numbers):
    """From each node to the nearest of its arguments in the order."""
    place = {n: k for k, n in enumerate(numbers)}
    return [
        min(k - place[a] for a in arguments(graph.nodes[n]) if a in place)
        for n, k in place.items()
        if any(a in place for a in arguments(graph.nodes[n]))
    ]


def test_independent_chains_take_turns():
    program = chains_of_sums(8, 30)
    found = distances(program.graph, order(program.graph, program.results))
    # Two are started in a cycle and each waits four: eight chains fill all gaps but a few at the end.
    assert np.mean(np.array(found) >= 8) > 0.9


def test_one_chain_alone_stays_as_it_is():
    program = chains_of_sums(1, 30)
    assert set(distances(program.graph, order(program.graph, program.results))) == {1}


@pytest.mark.parametrize("registers", [8, 16])
def test_no_more_chains_take_turns_than_registers_hold(registers):
    program = chains_of_sums(40, 12)
    numbers = order(program.graph, program.results, registers)
    finished = dict.fromkeys(program.results)
    # Values in the middle of a chain; a finished one may stay in memory until it is written.
    alive, most, place = 0, 0, {n: k for k, n in enumerate(numbers)}
    last = {}
    for n in numbers:
        for a in arguments(program.graph.nodes[n]):
            last[a] = place[n]
    for n in numbers:
        alive += n not in finished
        alive -= sum(last[a] == place[n] for a in arguments(program.graph.nodes[n]) if a in place)
        most = max(most, alive)
    assert most <= registers


def test_a_product_stands_before_the_sum_it_is_fused_into():
    program = trace(lambda x: np.array([x[k] * x[k + 1] + x[k + 2] for k in range(20)], object), {"x": 22})
    graph, numbers = program.graph, order(program.graph, program.results)
    for first, second in zip(numbers[::2], numbers[1::2], strict=True):
        assert (graph.nodes[first][0], graph.nodes[second][0]) == ("multiply", "add")
        assert first in arguments(graph.nodes[second])
