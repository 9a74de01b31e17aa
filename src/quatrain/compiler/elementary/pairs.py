"""Sums of two numbers: `high` a result as the format holds it, `low` what it lacks.

T. J. Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971).
"""

from __future__ import annotations

from typing import NamedTuple

from quatrain.compiler.elementary.emitter import Emitter, Mask, Real


class Pair(NamedTuple):
    """high + low, unevaluated."""

    high: Real
    low: Real


def fast_sum(a: Real | float, b: Real) -> Pair:
    """a + b exactly, if |a| ≥ |b|, or a = 0, or a is a multiple of the last place of b."""
    high = a + b
    return Pair(high, (a - high) + b)


def product(e: Emitter, a: Real, b: Real) -> Pair:
    """a b exactly, unless it or its error leaves the range of exponents."""
    high = a * b
    return Pair(high, -residual(e, high, a, b))


def residual(e: Emitter, c: Real, a: Real, b: Real) -> Real:
    """c - a b for c near a b: one rounding at most."""
    if e.fused:
        return e.fma(-a, b, c)
    # Veltkamp's splitting: the products of halves are exact, and so are the sums, taken from the largest.
    a_high, a_low = halves(e, a)
    b_high, b_low = halves(e, b)
    high = a * b
    error = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return (c - high) - error


def halves(e: Emitter, a: Real) -> Pair:
    """a as a sum of two numbers of half as many digits."""
    scaled = a * (2.0 ** (e.format.digits - e.format.half_digits) + 1.0)
    high = scaled - (scaled - a)
    return Pair(high, a - high)


def quotient(e: Emitter, a: Pair, b: Pair) -> Pair:
    """a / b, with an error of about the square of a rounding. 1 / b.high must be a normal number.

    q = a.high (1/b.high) is off by a few roundings; the remainder a - q b, divided in its turn, mends them.
    """
    inverse = 1.0 / b.high
    q = a.high * inverse
    remainder = residual(e, a.high, q, b.high) + e.fma(-q, b.low, a.low)
    return Pair(q, remainder * inverse)


def select_pair(e: Emitter, mask: Mask, yes: Pair, no: Pair) -> Pair:
    return Pair(e.select(mask, yes.high, no.high), e.select(mask, yes.low, no.low))
