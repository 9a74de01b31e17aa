"""NumPy arrays, element by element, and NumPy's scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import (
    abs,
    cos,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    not_equal,
    sign,
    sin,
    sqrt,
    tan,
    tanh,
    where,
)
from numpy import arccos as acos
from numpy import arcsin as asin
from numpy import arctan2 as atan2
from numpy import float_power as _float_power


def is_single_number(x: Any) -> bool:
    """Whether this is a number such as numpy.float64, not an array."""
    return isinstance(x, np.generic)


def power(x: Any, y: Any) -> Any:
    # numpy.power refuses negative whole exponents of integer arrays; real powers are meant here.
    single = np.result_type(x, y) == np.float32
    return np.power(x, y) if single else _float_power(x, y)


def lookup(table: tuple[float, ...], index: Any) -> Any:
    known = ~np.isnan(index)
    place = np.clip(np.floor(np.where(known, index, 0)), 0, len(table) - 1).astype(np.intp)
    return np.where(known, np.asarray(table, dtype=np.result_type(index, np.float32))[place], np.nan)


def pi(like: Any) -> float:
    return float(np.pi)


def epsilon(like: Any) -> float:
    kind = np.asarray(like).dtype
    return float(np.finfo(kind if kind.kind == "f" else np.float64).eps)


def first_true(condition: Any) -> tuple[int, ...] | None:
    hits = np.argwhere(condition)
    return tuple(int(i) for i in hits[0]) if len(hits) else None
