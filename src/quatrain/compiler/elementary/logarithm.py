"""log, and the logarithm in pairs that pow needs: x = 2^k m, √½ ≤ m < √2, and a series in (m - 1)/(m + 1)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from quatrain.compiler.elementary.emitter import Emitter, Mask, Real
from quatrain.compiler.elementary.exponential import ln2_parts
from quatrain.compiler.elementary.formats import parts
from quatrain.compiler.elementary.pairs import Pair, fast_sum, product, quotient


class Binary(NamedTuple):
    """x = 2^k m, √½ ≤ m < √2."""

    k: Real
    m: Real


def split(e: Emitter, x: Real) -> Binary:
    """Of a normal x > 0; of anything else, something."""
    f = e.format
    root_half = f.pattern(parts(Fraction(math.isqrt(2**121), 2**61), f.digits)[0])
    # Bits of x/√½, so to speak: its exponent field is k + bias, its fraction that of m above √½.
    shifted = x.bits() + (f.pattern(1.0) - root_half)
    m = ((shifted & ((1 << f.mantissa) - 1)) + root_half).real()
    counter = 2.0**f.mantissa
    k = ((shifted >> f.mantissa) | f.pattern(counter)).real()
    return Binary(k - (counter + f.bias), m)


def split_any(e: Emitter, x: Real) -> Binary:
    """Of any finite x > 0: a subnormal one is lifted first."""
    subnormal = x < e.format.smallest_normal
    lift = e.format.digits + 1
    k, m = split(e, e.select(subnormal, x * 2.0**lift, x))
    return Binary(e.select(subnormal, k - float(lift), k), m)


def is_normal(e: Emitter, x: Real) -> Mask:
    """Positive, normal and finite."""
    return (x >= e.format.smallest_normal) & (x < math.inf)


def log(e: Emitter, x: Real) -> tuple[Real]:
    def rare() -> list[Real]:
        return e.call(e.assembly.define("log_rare", e.format, 1, _rare_log, rare=True), x, results=1)

    (result,) = e.repair(~is_normal(e, x), [_log(e, split(e, x))], rare)
    return (result,)


def _rare_log(e: Emitter, x: Real) -> tuple[Real]:
    """Of zero and below, of subnormal numbers, infinity and NaN."""
    pole = e.select(x.equals(0.0), -math.inf, math.nan)
    finite = _log(e, split_any(e, x))
    return (e.select(x > 0.0, e.select(x < math.inf, finite, x), pole),)


def _log(e: Emitter, x: Binary) -> Real:
    """With f = m - 1 (exact) and s = f/(2 + f), log(1 + f) = 2 atanh s = 2s + s R, and 2s = f - s f:

        log x = k ln 2 + f - (f²/2 - s (f²/2 + R))

    k ln 2 + f is summed exactly, and the rest is at most a fourth of it.
    """
    k, m = x
    f = m - 1.0
    s = f / (m + 1.0)
    w = s * s
    tail = w * e.polynomial(w, e.format.polynomials.logarithm)
    half = f * 0.5
    c1, c2 = ln2_parts(e.format)
    head = fast_sum(k * c1, f)
    rest = e.fma(-half, f, e.fma(s, e.fma(half, f, tail), e.fma(k, c2, head.low)))
    return head.high + rest


def log_pair(e: Emitter, x: Binary) -> Pair:
    """log x, with a relative error below 2⁻⁶⁴ (float32: 2⁻³⁵).

    2 atanh s = 2s + 2/3 s w + s w² p(w), w = s²: the last term, a six-thousandth of the first, in one number.
    """
    k, m = x
    s = fast_sum(*quotient(e, Pair(m - 1.0, e.real(0.0)), fast_sum(1.0, m)))
    square = product(e, s.high, s.high)
    w = Pair(square.high, e.fma(s.high + s.high, s.low, square.low))
    cube = times(e, s, w)
    two_thirds = parts(Fraction(2, 3), e.format.digits, e.format.digits)
    second = times(e, Pair(*map(e.real, two_thirds)), cube)
    p = e.polynomial(w.high, e.format.polynomials.logarithm_tail)
    wp = w.high * p
    rest = cube.high * wp
    rest_low = e.fma(cube.low, wp, (cube.high * w.low) * p)
    c1, c2 = ln2_parts(e.format)
    head = fast_sum(k * c1, s.high + s.high)
    body = fast_sum(head.high, second.high)
    total = fast_sum(body.high, rest)
    low = e.fma(s.low, 2.0, second.low) + e.fma(k, c2, head.low + body.low)
    return Pair(total.high, total.low + (low + rest_low))


def times(e: Emitter, a: Pair, b: Pair) -> Pair:
    """a b, to about the square of a rounding."""
    high = product(e, a.high, b.high)
    return Pair(high.high, high.low + e.fma(a.high, b.low, a.low * b.high))
