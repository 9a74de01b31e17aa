"""Programs in many digits, and how far from that a computation in floating point may be.

The bound is a running one: each value carries a bound of its error, each operation passes on the errors of
its arguments by its derivatives and adds its own rounding. It holds for fused operations too, which leave
a rounding out. Where an error decides a comparison, a floor or a branch the answer is `UnsureError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

from quatrain.compiler.graph import Graph, Loop
from quatrain.compiler.operations import OPERATIONS

DIGITS = 40


class UnsureError(Exception):
    """The value hangs on the side of a switch, or is not finite, or its error is too large for a first order."""


@dataclass(frozen=True)
class Value:
    exact: Any
    error: Any = 0


@dataclass(frozen=True)
class Arithmetic:
    """A floating-point format; errors of elementary functions in units in the last place."""

    dtype: str
    elementary: float

    @property
    def half_unit(self) -> Any:
        return mpf(float(np.finfo(self.dtype).eps)) / 2

    @property
    def tiny(self) -> Any:
        return mpf(float(np.finfo(self.dtype).smallest_subnormal))

    def number(self, value: float) -> Any:
        return mpf(float(np.dtype(self.dtype).type(value)))


def evaluate(graph: Graph, results: Sequence[int], inputs: Sequence[Value], kind: Arithmetic) -> list[Any]:
    """A `Value` for each real result, a bool for each condition."""
    needed = graph.needed(results)
    values: list[Any] = [None] * len(graph)
    for n, node in enumerate(graph.nodes):
        if needed[n]:
            values[n] = _node(graph, node, values, inputs, kind)
    return [values[n] for n in results]


def _node(graph: Graph, node: Any, values: list[Any], inputs: Sequence[Value], kind: Arithmetic) -> Any:
    operation = node[0]
    if operation == "input":
        return inputs[node[1]]
    if operation == "constant":
        return Value(kind.number(node[1]))
    if operation == "boolean":
        return node[1]
    if operation == "item":
        return values[node[1]][node[2]]
    if operation == "loop":
        return _loop(graph.loops[node[1]], [values[n] for n in node[2:]], kind)
    if operation == "lookup":
        table, index = graph.tables[node[1]], values[node[2]]
        place = min(max(int(_floor(index)), 0), len(table) - 1)
        return Value(kind.number(table[place]))
    return _operation(operation, [values[n] for n in node[1:]], kind)


def _loop(loop: Loop, given: list[Any], kind: Arithmetic) -> list[Any]:
    states = len(loop.lags)
    count, initial, invariants = given[0], given[1 : 1 + states], given[1 + states :]
    lines = [[value] * lag for value, lag in zip(initial, loop.lags, strict=True)]
    limit, index, converged = _floor(count), 0, False
    while True:
        inputs = [Value(mpf(index)), *[line[0] for line in lines], *invariants]
        if loop.stop is not None:
            (converged,) = evaluate(loop.body, [loop.stop], inputs, kind)
        if converged or not index < limit:
            break
        for line, value in zip(lines, evaluate(loop.body, loop.next, inputs, kind), strict=True):
            line.append(value)
            del line[0]
        index += 1
    return [*[line[-1] for line in lines], Value(mpf(index)), Value(mpf(int(converged)))]


def _floor(a: Value) -> Any:
    low, high = mp.floor(a.exact - a.error), mp.floor(a.exact + a.error)
    if low != high:
        raise UnsureError
    return low


def _difference(a: Value, b: Value) -> Any:
    """The sign of a − b is sure."""
    distance = a.exact - b.exact
    if abs(distance) <= a.error + b.error and a.error + b.error > 0:
        raise UnsureError
    return distance


_CONDITIONS = {
    "less": lambda a, b: _difference(a, b) < 0,
    "less_equal": lambda a, b: _difference(a, b) <= 0,
    "equal": lambda a, b: _difference(a, b) == 0,
    "not_equal": lambda a, b: _difference(a, b) != 0,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "select": lambda c, a, b: a if c else b,
    "floor": lambda a: Value(_floor(a)),
    "sign": lambda a: Value(mp.sign(_difference(a, Value(mpf(0))))),
    # These two are continuous: no side has to be sure.
    "minimum": lambda a, b: Value(min(a.exact, b.exact), max(a.error, b.error)),
    "maximum": lambda a, b: Value(max(a.exact, b.exact), max(a.error, b.error)),
    "abs": lambda a: Value(abs(a.exact), a.error),
    "negate": lambda a: Value(-a.exact, a.error),
}
_FUNCTIONS = {
    **{name: getattr(mp, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan2")},
    **{name: getattr(mp, name) for name in ("exp", "log", "tanh", "power")},
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
}
_ARITHMETIC = ("add", "subtract", "multiply", "divide", "sqrt")
# How far a function may be followed by its derivative: not farther than a small part of this.
_SCALES = {
    "sqrt": lambda x: x,
    "log": lambda x: x,
    "asin": lambda x: 1 - abs(x),
    "acos": lambda x: 1 - abs(x),
    "tan": lambda x: abs(mp.cos(x)),
    "divide": lambda a, b: abs(b),
    "atan2": lambda y, x: mp.hypot(y, x) if x > 0 or y != 0 else mpf(0),
    "power": lambda x, y: min(x, 1 / (1 + abs(y))) if x > 0 else mpf(0),
}
_NEAR = mpf(10) ** -4
# Where there is no finite value, where it hangs on the sign of a zero, or where mpmath would take for ever.
_OUTSIDE = {
    "divide": lambda a, b: b == 0,
    "sqrt": lambda x: x < 0,
    "log": lambda x: x <= 0,
    "asin": lambda x: abs(x) > 1,
    "acos": lambda x: abs(x) > 1,
    "atan2": lambda y, x: y == 0 and x <= 0,
    "exp": lambda x: abs(x) > 1000,
    "tanh": lambda x: abs(x) > 1000,
    "power": lambda x, y: x <= 0 or abs(y * mp.log(x)) > 1000,
}


def _operation(name: str, arguments: list[Any], kind: Arithmetic) -> Any:
    if name in _CONDITIONS:
        return _CONDITIONS[name](*arguments)
    exact = tuple(a.exact for a in arguments)
    errors = [a.error for a in arguments]
    if any(errors) or name not in _ARITHMETIC:
        scale = min(mpf(1), _SCALES[name](*exact)) if name in _SCALES else mpf(1)
        if name not in ("add", "subtract", "multiply") and sum(errors) > _NEAR * scale:
            raise UnsureError
    if name in _OUTSIDE and _OUTSIDE[name](*exact):
        raise UnsureError
    result = _FUNCTIONS[name](*exact)
    partials = OPERATIONS[name].partials
    error = sum(
        (abs(p(exact, result)) * e for p, e in zip(partials, errors, strict=True) if p is not None and e),
        mpf(0),
    )
    # Second order: what the derivative leaves out over so short a way.
    error = error * (1 + 10 * _NEAR) + sum(e * e for e in errors) * (1 + abs(result))
    units = 1 if name in _ARITHMETIC else 2 * kind.elementary
    error += units * kind.half_unit * (abs(result) + error) + kind.tiny
    if abs(result) + error > mpf(float(np.finfo(kind.dtype).max)) / 4:
        raise UnsureError
    return Value(result, error)
