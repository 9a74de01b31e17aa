"""exp and tanh: x = n ln 2 + r, |r| ≤ ln(2)/2, and a polynomial in r."""

from __future__ import annotations

from typing import NamedTuple

from quatrain.compiler.elementary.emitter import Bits, Emitter, Real
from quatrain.compiler.elementary.formats import Format, ln2, parts
from quatrain.compiler.elementary.pairs import Pair, fast_sum, quotient


class Exponent(NamedTuple):
    """n (in the low bits) and r = high + low, with x = n ln 2 + r."""

    n: Bits
    high: Real
    low: Real


def ln2_parts(number_format: Format) -> tuple[float, float]:
    """ln 2 in two: the first so short that its product with an exponent is exact."""
    exponent_bits = number_format.bias.bit_length() + 1
    first, second = parts(ln2(), number_format.digits - exponent_bits, number_format.digits)
    return first, second


def reduced_exponent(e: Emitter, x: Real, low: Real | None = None) -> Exponent:
    """Of x, or of x + low where low is far smaller; n must have no more bits than an exponent."""
    n_in_low_bits = e.fma(x, parts(1 / ln2(), e.format.digits)[0], e.format.rounder)
    n = n_in_low_bits - e.format.rounder
    c1, c2 = ln2_parts(e.format)
    rest = e.fma(-n, c1, x)  # exact
    if low is None:
        high = e.fma(-n, c2, rest)
        error = e.fma(-n, c2, rest - high)
    else:
        # n c2 is so small that its last places do not count.
        high, error = fast_sum(rest, e.fma(-n, c2, low))
    return Exponent(n_in_low_bits.bits(), high, error)


def scaled_exponential(e: Emitter, exponent: Exponent) -> Real:
    """2ⁿ (1 + r + r² p(r)): the sum 1 + r is taken exactly, which leaves one rounding and small errors."""
    r = exponent.high
    p = e.polynomial(r, e.format.polynomials.exponential)
    one_plus_r = fast_sum(1.0, r)
    total = one_plus_r.high + (e.fma(r * r, p, one_plus_r.low) + exponent.low)
    # 2ⁿ in two factors: overflow, and the one rounding of gradual underflow, come with the last product.
    half = exponent.n >> 1
    return total * e.power_of_two(half) * e.power_of_two(exponent.n - half)


def exp(e: Emitter, x: Real) -> tuple[Real]:
    # Bounds beyond which exp is 0 and infinite, so that the exponent n stays in its bits.
    x = e.maximum(x, e.format.choose(-746.0, -104.0))
    x = e.minimum(x, e.format.choose(710.0, 89.0))
    return (scaled_exponential(e, reduced_exponent(e, x)),)


def tanh(e: Emitter, x: Real) -> tuple[Real]:
    """-E / (2 + E) with the pair E = exp(-2|x|) - 1 = (2ⁿ - 1) + 2ⁿ (exp(r) - 1)."""
    # tanh rounds to 1 from half of (digits + 1) ln 2 on.
    a = e.minimum(x.absolute(), e.format.choose(20.0, 10.0))
    exponent = reduced_exponent(e, a * -2.0)
    r = exponent.high
    square, *others = e.format.polynomials.exponential_less_one
    # r² apart from the higher powers: its error is all that counts.
    tail = e.fma(r * square, r, e.fma(r * r * r, e.polynomial(r, others), exponent.low))
    scale = e.power_of_two(exponent.n)
    step = fast_sum(-1.0, scale)
    head = fast_sum(step.high, r * scale)
    top = fast_sum(head.high, tail * scale)
    low = top.low + (head.low + step.low)
    bottom = fast_sum(2.0, top.high)
    result = quotient(e, Pair(top.high, low), Pair(bottom.high, bottom.low + low))
    # -(high + low), with the sign of x.
    return ((result.high + result.low).absolute().flip_sign(x.sign()),)
