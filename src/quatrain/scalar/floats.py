"""Python's own numbers, with the results IEEE 754 gives where `math` would raise."""

from __future__ import annotations

import math

from quatrain.scalar._choices import (
    first_true,
    logical_and,
    logical_not,
    logical_or,
    lookup,
    maximum,
    minimum,
    sign,
    where,
)
from quatrain.scalar._comparisons import equal, greater, greater_equal, less, less_equal, not_equal

abs = abs
atan2 = math.atan2
tanh = math.tanh


def sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def sin(x: float) -> float:
    return math.sin(x) if math.isfinite(x) else math.nan


def cos(x: float) -> float:
    return math.cos(x) if math.isfinite(x) else math.nan


def tan(x: float) -> float:
    return math.tan(x) if math.isfinite(x) else math.nan


def asin(x: float) -> float:
    return math.asin(x) if -1 <= x <= 1 else math.nan


def acos(x: float) -> float:
    return math.acos(x) if -1 <= x <= 1 else math.nan


def exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(x: float) -> float:
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


def power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        odd = math.fmod(y, 2) in (1, -1)
        return -math.inf if x < 0 and odd else math.inf
    except ValueError:
        if x == 0 and y < 0:  # a pole, and of odd order it keeps the sign of the zero
            return math.copysign(math.inf, x) if math.fmod(y, 2) == -1 else math.inf
        return math.nan


def floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else x


def pi(like: float) -> float:
    return math.pi


def epsilon(like: float) -> float:
    return 2.0**-52
