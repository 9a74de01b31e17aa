"""Quotients that are 0/0 at zero, as smooth functions of a square: no root, no division there.

Near zero a power series takes over. Ten terms serve every precision: the place where they take over
moves with the scalar's epsilon, and leaves enough room for two derivatives to be exact as well. The
side that is not taken is kept free of division by zero.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from quatrain.scalar import Scalar, atan2, cos, epsilon, less_equal, logical_and, sin, sqrt, where

_TERMS = 10
_COSINE = [Fraction((-1) ** k, factorial(2 * k)) for k in range(_TERMS)]
_SINE = [Fraction((-1) ** k, factorial(2 * k + 1)) for k in range(_TERMS)]
_ARCTANGENT = [Fraction((-1) ** k, 2 * k + 1) for k in range(_TERMS)]


def cosine_and_sine_quotient(square: Scalar) -> tuple[Scalar, Scalar]:
    """cos(a) and sin(a)/a as functions of a²; the series hold to epsilon below a² = (20! epsilon)^(1/10)."""
    small = less_equal(square, 37 * epsilon(square) ** (1 / _TERMS))
    a = sqrt(where(small, 1.0, square))
    near_zero = where(small, square, 0.0)
    return where(small, _series(_COSINE, near_zero), cos(a)), where(
        small, _series(_SINE, near_zero), sin(a) / a
    )


def arctangent_quotient(square: Scalar, x: Scalar) -> Scalar:
    """atan2(a, x)/a as a function of a² and x, where a ≥ 0; π at a = 0 and x < 0, where it has no limit.

    Near a = 0 and x > 0 it is (1/x)(1 − t/3 + t²/5 − …) with t = (a/x)²; the series holds to epsilon
    below t = (21 epsilon)^(1/10), and half of that is taken.
    """
    limit = 0.6 * epsilon(square * x) ** (1 / _TERMS)
    small = logical_and(x > 0, less_equal(square, limit * x * x))
    safe_x = where(small, x, 1.0)
    a = sqrt(where(small, 1.0, where(square > 0, square, 1.0)))
    angle = atan2(where(square > 0, a, 0.0), x)
    return where(
        small, _series(_ARCTANGENT, where(small, square, 0.0) / (safe_x * safe_x)) / safe_x, angle / a
    )


def _series(coefficients: list[Fraction], t: Scalar) -> Scalar:
    """Σ cₖ tᵏ. Fractions are divided in the scalar's own arithmetic, so that no precision is lost."""
    one = t * 0 + 1
    total = one * coefficients[-1].numerator / coefficients[-1].denominator
    for c in reversed(coefficients[:-1]):
        total = total * t + one * c.numerator / c.denominator
    return total
