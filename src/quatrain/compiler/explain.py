"""Why a program gives NaN or infinity: the operation in which it arises, by name and line.

It is looked for backwards, from a result that is not finite to what it was made of, along the side of each choice that
was taken; so a division by zero in a side that nobody takes is no one's fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quatrain.compiler import interpret
from quatrain.compiler.graph import Graph, arguments
from quatrain.compiler.origin import Origin
from quatrain.compiler.program import Port, Program

SHOWN = 8
"""Numbers of an array that are printed."""


@dataclass(frozen=True)
class Fault:
    """The operation in which a number ceased to be finite."""

    output: str
    """The result that is not finite, and which of its numbers."""
    element: tuple[int, ...]
    """Of the batch."""
    operation: str
    operands: tuple[float, ...]
    value: float
    origin: Origin | None

    def __str__(self) -> str:
        operands = ", ".join(f"{x:.6g}" for x in self.operands)
        said = f"{self.operation}({operands}) is {self.value}"
        if self.operation == "input":
            said = f"{self.value} came in"
        at = f", at {self.origin}" if self.origin and self.operation != "input" else ""
        where = f" of motion {', '.join(map(str, self.element))}" if self.element else ""
        return f"{self.output}{where} is not finite: {said}{at}"


@dataclass(frozen=True)
class Explanation:
    """What a program computes of a state, by name, and the first fault of it; `print` it."""

    quantities: Mapping[str, Any]
    fault: Fault | None

    def __str__(self) -> str:
        width = max((len(name) for name in self.quantities), default=0)
        lines = [f"{name:<{width}}  {_text(value)}" for name, value in self.quantities.items()]
        return "\n".join([*lines, "", str(self.fault) if self.fault else "All numbers are finite."])


def _text(value: Any) -> str:
    flat = np.asarray(value).ravel()
    shown = " ".join(f"{x: .6g}" for x in flat[:SHOWN])
    return shown + (f" … {flat.size} numbers" if flat.size > SHOWN else "")


def explain(program: Program, arrays: Mapping[str, Any], dtype: Any = np.float64) -> Explanation:
    """The results of a program, in the interpreter, with the first fault among them in their order."""
    columns, batch = interpret.input_columns(program, arrays, dtype)
    numbers = [n for port in program.outputs for n in port.numbers]
    with np.errstate(all="ignore"):
        values = _values(program.graph, columns, numbers, dtype)
    results = interpret.output_arrays(program.outputs, [values[n] for n in numbers], batch, dtype)
    return Explanation(results, _first_fault(program, values, results, batch))


def _values(graph: Graph, columns: list[Any], outputs: list[int], dtype: Any) -> dict[int, Any]:
    """Of every node that the outputs need."""
    kind = np.dtype(dtype).type
    values: dict[int, Any] = {-1: columns}
    for number, needed in enumerate(graph.needed(outputs)):
        if needed:
            function, operands = interpret.meaning_of(graph, number, kind)
            values[number] = function(*[values[n] for n in operands])
    return values


def _first_fault(
    program: Program, values: Mapping[int, Any], results: Mapping[str, Any], batch: tuple[int, ...]
) -> Fault | None:
    for port in program.outputs:
        array = np.asarray(results[port.name], float)
        bad = ~np.isfinite(array)
        if bad.any():
            place = tuple(int(i) for i in np.argwhere(bad)[0])
            element, inside = place[: len(batch)], place[len(batch) :]
            number = port.numbers[int(np.ravel_multi_index(inside, port.shape)) if inside else 0]
            return _culprit(program, values, number, element, _named(port, inside))
    return None


def _named(port: Port, inside: tuple[int, ...]) -> str:
    return f"{port.name}[{', '.join(map(str, inside))}]" if inside else port.name


def _culprit(
    program: Program, values: Mapping[int, Any], number: int, element: tuple[int, ...], output: str
) -> Fault:
    graph = program.graph

    def at(n: int) -> Any:
        """The value of a node for this element."""
        array = np.asarray(values[n])
        return array[tuple(0 if size == 1 else i for i, size in _aligned(array, element))]

    while True:
        node = graph.nodes[number]
        operands = arguments(node)
        if node[0] == "select":
            operands = (operands[1],) if at(operands[0]) else (operands[2],)
        worse = [n for n in operands if not _is_series(values[n]) and not np.isfinite(float(at(n)))]
        loops = [n for n in operands if _is_series(values[n])]
        if not worse and not loops:
            break
        number = (worse or loops)[0]
    shown = tuple(float(at(n)) for n in operands if not _is_series(values[n]))
    value = values[number]
    last = float("nan") if _is_series(value) else float(at(number))
    return Fault(output, element, str(node[0]), shown, last, graph.origin(number))


def _is_series(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _aligned(array: Any, element: tuple[int, ...]) -> list[tuple[int, int]]:
    """Indices of an element in a column that may have fewer axes, or axes of one."""
    own = element[len(element) - array.ndim :] if array.ndim else ()
    return list(zip(own, array.shape, strict=True))
