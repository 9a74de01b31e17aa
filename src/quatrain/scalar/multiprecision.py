"""mpmath numbers, at the precision of the context they belong to."""

from __future__ import annotations

from typing import Any

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


def _real(value: Any, context: Any) -> Any:
    """mpmath leaves the real line where IEEE arithmetic gives NaN; so do not we."""
    return context.nan if isinstance(value, context.mpc) else value


def sqrt(x: Any) -> Any:
    return _real(x.context.sqrt(x), x.context)


def sin(x: Any) -> Any:
    return x.context.sin(x)


def cos(x: Any) -> Any:
    return x.context.cos(x)


def tan(x: Any) -> Any:
    return x.context.tan(x)


def asin(x: Any) -> Any:
    return _real(x.context.asin(x), x.context)


def acos(x: Any) -> Any:
    return _real(x.context.acos(x), x.context)


def atan2(y: Any, x: Any) -> Any:
    context = getattr(y, "context", None) or x.context
    return context.atan2(y, x)


def exp(x: Any) -> Any:
    return x.context.exp(x)


def log(x: Any) -> Any:
    return x.context.ninf if x == 0 else _real(x.context.log(x), x.context)


def tanh(x: Any) -> Any:
    return x.context.tanh(x)


def power(x: Any, y: Any) -> Any:
    context = getattr(x, "context", None) or y.context
    if x == 0 and y < 0:
        return context.inf
    return _real(context.power(x, y), context)


def floor(x: Any) -> Any:
    return x.context.floor(x)


def pi(like: Any) -> Any:
    return +like.context.pi


def epsilon(like: Any) -> Any:
    return +like.context.eps
