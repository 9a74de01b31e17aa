"""CasADi's SX and MX expressions and DM numbers."""

from __future__ import annotations

from typing import Any

import casadi
from casadi import acos, asin, atan2, cos, exp, floor, if_else, log, power, sign, sin, sqrt, tan, tanh
from casadi import fabs as abs
from casadi import fmax as maximum
from casadi import fmin as minimum
from casadi import logic_and as logical_and
from casadi import logic_not as logical_not
from casadi import logic_or as logical_or

from quatrain.scalar._comparisons import equal, greater, greater_equal, less, less_equal, not_equal


def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    return if_else(condition, if_true, if_false)


def lookup(table: tuple[float, ...], index: Any) -> Any:
    # SX has no read at a computed place; a chain of choices means the same.
    value = table[-1]
    for place in range(len(table) - 2, -1, -1):
        value = if_else(index < place + 1, table[place], value)
    # index == index would be folded to true.
    return if_else(logical_or(index < 0, index >= 0), value, index)


def pi(like: Any) -> float:
    return float(casadi.pi)


def epsilon(like: Any) -> float:
    return 2.0**-52


def first_true(condition: Any) -> tuple[int, ...] | None:
    return None
