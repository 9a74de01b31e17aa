"""x^y = exp(y log x), the logarithm in pairs, and the special cases of C99 (annex F.9.4.4)."""

from __future__ import annotations

import math

from quatrain.compiler.elementary.emitter import Emitter, Mask, Real
from quatrain.compiler.elementary.exponential import reduced_exponent, scaled_exponential
from quatrain.compiler.elementary.logarithm import is_normal, log_pair, split, split_any
from quatrain.compiler.elementary.pairs import Pair, product


def power(e: Emitter, x: Real, y: Real) -> tuple[Real]:
    def rare() -> list[Real]:
        return e.call(e.assembly.define("pow_rare", e.format, 2, _rare_power, rare=True), x, y, results=1)

    usual = is_normal(e, x) & (y.absolute() < _exponent_bound(e))
    (result,) = e.repair(~usual, [_finite_power(e, log_pair(e, split(e, x)), y)], rare)
    return (result,)


def _exponent_bound(e: Emitter) -> float:
    """|log x| ≥ 2^-digits unless x = 1: a larger |y| than this gives 0, 1 or infinity, and so does this."""
    return 2.0 ** (e.format.digits + 11)


def _rare_power(e: Emitter, x: Real, y: Real) -> tuple[Real]:
    """Of any x and y."""
    base = x.absolute()
    bound = _exponent_bound(e)
    exponent = e.maximum(e.minimum(y, bound), -bound)
    magnitude = _finite_power(e, log_pair(e, split_any(e, base)), exponent)

    # 0 and infinity to a power: 0 or infinity.
    infinite = base.equals(math.inf)
    extreme = base.equals(0.0) | infinite
    magnitude = e.select(extreme, e.select((y > 0.0) ^ infinite, 0.0, math.inf), magnitude)

    # Of a negative base: the sign of an odd power; NaN, if finite, for a power that is no integer.
    whole = is_integer(e, y)
    odd = whole & ~is_integer(e, y * 0.5)
    sign = e.select_bits(odd, x.sign(), 0)
    undefined = ((x < 0.0) & ~extreme & ~whole) | x.is_nan() | y.is_nan()
    result = e.select(undefined, math.nan, magnitude.flip_sign(sign))
    return (e.select(y.equals(0.0) | x.equals(1.0), 1.0, result),)


def _finite_power(e: Emitter, log: Pair, y: Real) -> Real:
    """exp(y log)."""
    exact = product(e, y, log.high)
    low = e.fma(y, log.low, exact.low)
    # Bounds beyond which the result is 0 or infinite. The low part there matters no more, but must be small.
    bound = e.format.choose(1000.0, 150.0)
    high = e.maximum(e.minimum(exact.high, bound), -bound)
    low = e.maximum(e.minimum(low, 2.0**-10), -(2.0**-10))
    return scaled_exponential(e, reduced_exponent(e, high, low))


def is_integer(e: Emitter, y: Real) -> Mask:
    """Infinity counts as one, and an even one."""
    a = y.absolute()
    big = 2.0**e.format.mantissa
    return ~(a < big) | ((a + big) - big).equals(a)
