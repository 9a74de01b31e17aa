"""Fractions: exact algebra. A function whose value is not a fraction is refused, never rounded."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor as _floor
from math import isqrt
from typing import Any, NoReturn

from quatrain.errors import ScalarError
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


def _refuse(expression: str) -> NoReturn:
    raise ScalarError(
        f"{expression} is not a fraction",
        do="convert to float, or to mpmath.mpf for more digits, before this step",
    )


def _irrational(name: str) -> Callable[..., NoReturn]:
    def function(*arguments: Any) -> NoReturn:
        _refuse(f"{name}({', '.join(str(a) for a in arguments)})")

    return function


sin = _irrational("sin")
cos = _irrational("cos")
tan = _irrational("tan")
asin = _irrational("asin")
acos = _irrational("acos")
atan2 = _irrational("atan2")
exp = _irrational("exp")
log = _irrational("log")
tanh = _irrational("tanh")


def sqrt(x: Fraction) -> Fraction:
    if x >= 0:
        root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        if root * root == x:
            return root
    _refuse(f"the square root of {x}")


def power(x: Fraction, y: Fraction) -> Fraction:
    if y == int(y) and (x != 0 or y >= 0):
        return Fraction(x) ** int(y)
    _refuse(f"{x} to the power {y}")


def floor(x: Fraction) -> Fraction:
    return Fraction(_floor(x))


def pi(like: Fraction) -> NoReturn:
    _refuse("π")


def epsilon(like: Fraction) -> float:
    return 0.0
