"""A graph done within another: for derivatives, and wherever a program becomes part of a larger one."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.compiler.graph import Graph
from quatrain.compiler.rules import lookup, make


def inline(target: Graph, source: Graph, outputs: Sequence[int], inputs: Sequence[int]) -> list[int]:
    """Do what `source` does within `target`, rules applied; the numbers of the outputs there.

    `inputs` gives for each input of `source` the number of its value in `target`.
    """
    needed = source.needed(outputs)
    numbers: dict[int, int] = {}
    before = target.author
    for old, node in enumerate(source.nodes):
        if not needed[old]:
            continue
        operation = node[0]
        target.author = source.mark(old)
        if operation == "input":
            numbers[old] = inputs[node[1]]
        elif operation == "constant" or operation == "boolean":
            numbers[old] = make(target, *node)
        elif operation == "lookup":
            numbers[old] = lookup(target, target.table(source.tables[node[1]]), numbers[node[2]])
        elif operation == "loop":
            place = target.loop(source.loops[node[1]])
            numbers[old] = target.add((operation, place, *(numbers[n] for n in node[2:])))
        elif operation == "item" or operation == "trail":
            numbers[old] = target.add((operation, numbers[node[1]], node[2]))
        else:
            numbers[old] = make(target, operation, *(numbers[n] for n in node[1:]))
    target.author = before
    return [numbers[n] for n in outputs]
