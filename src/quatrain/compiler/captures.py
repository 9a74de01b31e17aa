"""Values of a graph that are mentioned within the body of a loop: they become inputs of the body.

While a body is traced it has a graph of its own, whose `outer` is the graph around it. When the body is
done `outer` is None, so that a value that has left the body is found out.
"""

from __future__ import annotations

from collections.abc import Iterable

from quatrain.compiler import rules
from quatrain.compiler.graph import Graph
from quatrain.compiler.operations import BOOLEAN, SERIES
from quatrain.compiler.origin import TraceError, trace_error, users_origin


def innermost(graphs: Iterable[Graph]) -> Graph:
    """The one of these graphs that all others are around."""
    found: Graph | None = None
    for graph in graphs:
        if graph is found:
            continue
        if found is None or _is_around(found, graph):
            found = graph
        elif not _is_around(graph, found):
            raise _strangers(found, graph)
    assert found is not None
    return found


def _is_around(outer: Graph, inner: Graph) -> bool:
    graph: Graph | None = inner
    while graph is not None:
        if graph is outer:
            return True
        graph = graph.outer
    return False


class StrangersError(TraceError):
    """Values of two graphs of which neither is around the other."""

    graphs: tuple[Graph, ...] = ()


def _strangers(*graphs: Graph) -> StrangersError:
    error = StrangersError(
        "values that belong to different traces meet in one operation",
        do="return what is made inside the body of a loop through its state, and what is made inside a traced "
        "function as its output; keep no traced value from an earlier call",
        where=users_origin(),
    )
    error.graphs = graphs
    return error


def within(outer: Graph, graphs: Iterable[Graph]) -> Graph | None:
    """One of these graphs that is the body of a loop in `outer`, or in such a body."""
    return next((graph for graph in graphs if graph is not outer and _is_around(outer, graph)), None)


def local(graph: Graph, source: Graph, number: int) -> int:
    """Number in `graph` of a value of `source`, which is it or around it: an input of every body between."""
    if source is graph:
        return number
    bodies = [graph]
    while (outer := bodies[-1].outer) is not source:
        if outer is None:
            raise _strangers(graph, source)
        bodies.append(outer)
    for body in reversed(bodies):
        number, source = _captured(body, source, number), body
    return number


def _captured(body: Graph, source: Graph, number: int) -> int:
    node = source.nodes[number]
    if node[0] == "constant":
        return body.constant(node[1])
    if node[0] == "boolean":
        return body.boolean(node[1])
    if source.kind(number) == BOOLEAN:
        # Inputs are real numbers: a condition goes in as 1 or 0.
        as_number = rules.select(source, number, source.constant(1.0), source.constant(0.0))
        return rules.not_equal(body, _captured(body, source, as_number), body.constant(0.0))
    known = body.captured.get(number)
    if known is None and source.kind(number) == SERIES:
        if node[0] == "past":
            raise trace_error(
                "what a loop has left so far is read within a loop inside it",
                "read it before the inner loop, and let the inner loop mention what was read",
            )
        known = body.captured[number] = body.add(("given", -1 - len(body.captured)))
    elif known is None:
        # Numbered below zero until the body is done and it is known which are used.
        known = body.captured[number] = body.input(-1 - len(body.captured))
    return known
