"""The closed set of operations: for each its meaning on NumPy columns and its derivative.

The meaning is one line, and that line is the definition: constants fold with it, the interpreter runs
it, and every backend is tested against it. The partial derivatives stand beside it, written on any
scalar, so that forward and reverse sweeps share one rule and tests can run it on plain numbers.

Where a function has no derivative, the rule is:

* `abs` at 0 and `sign`, `floor`, `lookup` everywhere: 0.
* `minimum`, `maximum`, `select`: the derivative of the branch whose value is taken; where both are
  equal, minimum and maximum take the second (as their meaning does).
* `sqrt` at 0 is infinite, as the limit is; `asin` and `acos` at ±1 likewise.
* `power` at x = 0: by x the limit (0, 1 or infinite), by y 0 for y > 0.

A sweep multiplies by these factors, so an infinite factor in a branch that `select` does not take
gives 0·∞ = NaN: both branches must be safe, as everywhere in this library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quatrain import scalar

REAL = "real"
BOOLEAN = "boolean"
SERIES = "series"

Partial = Callable[[tuple[Any, ...], Any], Any]
"""`partial(arguments, result)` -> derivative of the result by one argument, a scalar of their kind."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the graph."""

    name: str
    arguments: tuple[str, ...]
    """Kind of each argument, REAL, BOOLEAN or SERIES; its length is the arity."""
    result: str
    """Kind of the result."""
    meaning: Callable[..., Any] | None
    """The result on NumPy columns; None where the interpreter's own code says it (input, loop …)."""
    partials: tuple[Partial | None, ...] = ()
    """One for each argument, called only where it is needed; None: the derivative is zero everywhere."""
    commutes: bool = False
    """Whether the two arguments may change places without changing a bit of the result."""


# ---- meanings that need more than a name of NumPy's ------------------------------------------------


def _minimum(a: Any, b: Any) -> Any:
    # Not np.minimum: which of 0.0 and -0.0 it returns depends on the processor.
    return np.where((a < b) | (a != a), a, b)


def _maximum(a: Any, b: Any) -> Any:
    return np.where((a > b) | (a != a), a, b)


def _power(x: Any, y: Any) -> Any:
    # Not np.power: it replaces some exponents by functions that differ from pow at -0.0 and -inf.
    return np.float_power(x, y).astype(np.result_type(x, y))


def _lookup(table: Any, index: Any) -> Any:
    known = index == index
    place = np.clip(np.floor(np.where(known, index, 0)), 0, len(table) - 1).astype(np.intp)
    return np.where(known, np.asarray(table, dtype=np.result_type(index))[place], index)


# ---- derivatives that need more than a line --------------------------------------------------------


def _power_by_base(arguments: tuple[Any, ...], result: Any) -> Any:
    x, y = arguments
    # y = 0 apart: 0 · 0^(-1) would be NaN at x = 0.
    flat = scalar.equal(y, 0.0)
    return scalar.where(flat, 0.0, y * scalar.power(x, y - 1.0))


def _power_by_exponent(arguments: tuple[Any, ...], result: Any) -> Any:
    x, y = arguments
    # x^y log x → 0 as x → 0 for y > 0, where the product would be 0 · (-inf).
    vanishes = scalar.logical_and(scalar.equal(x, 0.0), scalar.less(0.0, y))
    return result * scalar.where(vanishes, 0.0, scalar.log(scalar.where(vanishes, 1.0, x)))


def _atan2_by_y(arguments: tuple[Any, ...], result: Any) -> Any:
    y, x = arguments
    return x / (x * x + y * y)


def _atan2_by_x(arguments: tuple[Any, ...], result: Any) -> Any:
    y, x = arguments
    return -y / (x * x + y * y)


def _asin(arguments: tuple[Any, ...], result: Any) -> Any:
    (x,) = arguments
    # Factored: 1 - x² would lose its digits near ±1.
    return 1.0 / scalar.sqrt((1.0 - x) * (1.0 + x))


def _chosen(condition: Any) -> Any:
    return scalar.where(condition, 1.0, 0.0)


def _unary(name: str, meaning: Callable[..., Any], partial: Partial | None) -> Operation:
    return Operation(name, (REAL,), REAL, meaning, (partial,))


def _binary(name: str, meaning: Callable[..., Any], *partials: Partial, commutes: bool = False) -> Operation:
    return Operation(name, (REAL, REAL), REAL, meaning, partials, commutes)


def _comparison(name: str, meaning: Callable[..., Any], commutes: bool = False) -> Operation:
    return Operation(name, (REAL, REAL), BOOLEAN, meaning, (None, None), commutes)


_TABLE = (
    # ---- where values come from; the words in their nodes are not numbers of nodes (see graph.py)
    Operation("input", (), REAL, None),
    Operation("constant", (), REAL, None),
    Operation("boolean", (), BOOLEAN, None),
    # ---- arithmetic: one IEEE operation each
    _binary("add", np.add, lambda a, r: 1.0, lambda a, r: 1.0, commutes=True),
    _binary("subtract", np.subtract, lambda a, r: 1.0, lambda a, r: -1.0),
    _binary("multiply", np.multiply, lambda a, r: a[1], lambda a, r: a[0], commutes=True),
    _binary("divide", np.divide, lambda a, r: 1.0 / a[1], lambda a, r: -r * (1.0 / a[1])),
    _unary("negate", np.negative, lambda a, r: -1.0),
    _unary("sqrt", np.sqrt, lambda a, r: 0.5 / r),
    # ---- elementary functions
    _binary("power", _power, _power_by_base, _power_by_exponent),
    _unary("sin", np.sin, lambda a, r: scalar.cos(a[0])),
    _unary("cos", np.cos, lambda a, r: -scalar.sin(a[0])),
    _unary("tan", np.tan, lambda a, r: 1.0 + r * r),
    _unary("asin", np.arcsin, _asin),
    _unary("acos", np.arccos, lambda a, r: -_asin(a, r)),
    _binary("atan2", np.arctan2, _atan2_by_y, _atan2_by_x),
    _unary("exp", np.exp, lambda a, r: r),
    _unary("log", np.log, lambda a, r: 1.0 / a[0]),
    _unary("tanh", np.tanh, lambda a, r: (1.0 - r) * (1.0 + r)),
    # ---- pieces
    _unary("abs", np.abs, lambda a, r: scalar.sign(a[0])),
    _unary("sign", np.sign, None),
    _unary("floor", np.floor, None),
    _binary(
        "minimum",
        _minimum,
        lambda a, r: _chosen(scalar.less(a[0], a[1])),
        lambda a, r: scalar.where(scalar.less(a[0], a[1]), 0.0, 1.0),
    ),
    _binary(
        "maximum",
        _maximum,
        lambda a, r: _chosen(scalar.less(a[1], a[0])),
        lambda a, r: scalar.where(scalar.less(a[1], a[0]), 0.0, 1.0),
    ),
    Operation(
        "select",
        (BOOLEAN, REAL, REAL),
        REAL,
        np.where,
        (None, lambda a, r: _chosen(a[0]), lambda a, r: scalar.where(a[0], 0.0, 1.0)),
    ),
    Operation("lookup", (REAL,), REAL, _lookup, (None,)),
    # ---- conditions: a comparison with NaN is false, except not_equal
    _comparison("less", np.less),
    _comparison("less_equal", np.less_equal),
    _comparison("equal", np.equal, commutes=True),
    _comparison("not_equal", np.not_equal, commutes=True),
    Operation("and", (BOOLEAN, BOOLEAN), BOOLEAN, np.logical_and, (None, None), commutes=True),
    Operation("or", (BOOLEAN, BOOLEAN), BOOLEAN, np.logical_or, (None, None), commutes=True),
    Operation("not", (BOOLEAN,), BOOLEAN, np.logical_not, (None,)),
    # ---- repetition: see loops.py; any number of real arguments
    Operation("loop", (), REAL, None),
    Operation("item", (REAL,), REAL, None),
    # ---- numbers in a row, of which one is read at a computed place: see loops.py
    Operation("series", (), SERIES, None),
    Operation("trail", (REAL,), SERIES, None),
    Operation("past", (), SERIES, None),
    Operation("given", (), SERIES, None),
    Operation("read", (SERIES, REAL), REAL, None, (None, None)),
)

OPERATIONS = {operation.name: operation for operation in _TABLE}
"""The table by name. `greater` is `less` with its arguments exchanged, which is exact for NaN too."""
