"""Angles modulo a quarter turn: a = n π/2 + (high + low), |high| ≤ π/4 and a little.

Both ways keep high + low right to more than the digits of `high`, however near a is to a multiple of π/2: no
float64 but 0 comes nearer to one than 2⁻⁶² (relative to π/2), no float32 nearer than 2⁻³⁰.

W. J. Cody, W. Waite, Software Manual for the Elementary Functions (1980), ch. 8; M. H. Payne, R. N. Hanek,
Radian reduction for trigonometric functions, SIGNUM Newsletter 18 (1983) 19-24.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from quatrain.compiler.elementary.emitter import Bits, Emitter, Real
from quatrain.compiler.elementary.formats import FLOAT64, parts, pi
from quatrain.compiler.elementary.pairs import fast_sum, product

# The table of 2/π: windows of three words, one for every eight binary places.
_WORDS = 3
_LOWEST_EXPONENT = -64  # of a float64's last place, where the table begins
_HIGHEST_EXPONENT = 1023 - 52
_FRACTION_BITS = 64 * _WORDS - 2


class Angle(NamedTuple):
    """What is left of an angle, and the number of quarter turns taken: in the two low bits of `quadrant`."""

    high: Real
    low: Real
    quadrant: Real


def reduced_angle(e: Emitter, a: Real) -> Angle:
    """The angle a ≥ 0 modulo π/2; infinity and NaN give NaN."""
    limit = 1.5 * 2.0**e.format.half_digits
    return Angle(*e.repair(~(a < limit), _near(e, a), lambda: _far(e, a)))


def _near(e: Emitter, a: Real) -> Angle:
    """For n of half a format's digits: a - n (c1 + c2 + c3) with π/2 = c1 + c2 + c3 (Cody and Waite).

    a - n c1 is exact: a multiple of the last place of c1, or of a, and smaller than 1.
    """
    digits, half = e.format.digits, e.format.half_digits
    n_in_low_bits = e.fma(a, parts(2 / pi(), digits)[0], e.format.rounder)
    n = n_in_low_bits - e.format.rounder
    c1, c2, c3 = parts(pi() / 2, digits, digits, digits)
    if e.fused:
        rest = e.fma(-n, c1, a)
        correction = n * c2
        correction_low = e.fma(n, c2, -correction)
    else:
        # The products of n with half a constant are exact.
        c1_high, c1_low = parts(Fraction(c1), half, digits)
        c2_high, c2_low = parts(Fraction(c2), half, digits)
        rest = (a - n * c1_high) - n * c1_low
        correction = n * c2
        correction_low = (n * c2_high - correction) + n * c2_low
    high, error = fast_sum(rest, -correction)
    return Angle(high, e.fma(-n, c3, error - correction_low), n_in_low_bits)


def _far(e: Emitter, a: Real) -> Angle:
    """For any a above the limit; in float64, also for float32."""
    reduce_far = e.assembly.define("reduce_far", FLOAT64, 1, _far_equations, rare=True)
    e64 = e.in_format(FLOAT64)
    wide = a if e.format is FLOAT64 else e.widened(a, e64)
    wide_angle = Angle(*e64.call(reduce_far, wide, results=3))
    if e.format is FLOAT64:
        return wide_angle
    high = e.narrowed(wide_angle.high)
    low = e.narrowed(wide_angle.high - e.widened(high, e64))
    return Angle(high, low, e.narrowed_bits(wide_angle.quadrant.bits()).real())


def _table() -> list[int]:
    """Row j: 2^(8j - 64) · 2/π modulo 4, as an integer of 190 binary places in words from the highest."""
    rows = (_HIGHEST_EXPONENT - _LOWEST_EXPONENT) // 8 + 1
    scaled = [2 / pi() * Fraction(2) ** (8 * j + _LOWEST_EXPONENT + _FRACTION_BITS) for j in range(rows)]
    windows = [int(value) % (1 << (64 * _WORDS)) for value in scaled]
    shifts = [64 * (_WORDS - 1 - k) for k in range(_WORDS)]
    return [window >> shift & (1 << 64) - 1 for window in windows for shift in shifts]


def _far_equations(e: Emitter, a: Real) -> Angle:
    """a = m 2^k with an integer m: a (2/π) modulo 4 needs 2/π from its place -k on only (Payne and Hanek).

    190 binary places of the window times m < 2⁶⁰ leave 130 right ones, and at most 62 of them are lost when a
    is near a multiple of π/2.
    """
    table = e.assembly.table("two_over_pi", "i64", _table())
    bits = a.bits()
    place = (bits >> 52) - (1023 + 52 + _LOWEST_EXPONENT)
    # The table has no row for what other lanes may hold.
    row = e.select_bits((a > 1.0) & (a < float("inf")), place >> 3, 0) * _WORDS
    m = ((bits & (1 << 52) - 1) | 1 << 52) << (place & 7)

    # m times the window, modulo 2¹⁹², in digits of 32 bits: products of two digits fit a word.
    low32 = (1 << 32) - 1
    words = [e.load(table, row + k) for k in range(_WORDS)]
    window = [digit for word in reversed(words) for digit in (word & low32, word >> 32)]
    m0, m1 = m & low32, m >> 32
    columns: list[list[Bits]] = [[] for _ in range(2 * _WORDS + 2)]
    for k, digit in enumerate(window):
        for shift, factor in enumerate((m0, m1)):
            partial = digit * factor
            columns[k + shift].append(partial & low32)
            columns[k + shift + 1].append(partial >> 32)
    digits: list[Bits] = []
    carry = e.integer(0)
    for column in columns[: 2 * _WORDS]:
        for term in column:
            carry = carry + term
        digits.append(carry & low32)
        carry = carry >> 32
    top, middle, bottom = (digits[k] | digits[k + 1] << 32 for k in (4, 2, 0))

    # Two places before the point: the quadrant. The fraction, from -1/2 to 1/2, as sign and 128 places.
    fraction_high = top << 2 | middle >> 62
    fraction_low = middle << 2 | bottom >> 62
    quadrant = (top >> 62) + (fraction_high >> 63)
    negative = e.integer(0) - (fraction_high >> 63)
    fraction_high, fraction_low = fraction_high ^ negative, fraction_low ^ negative

    # Four digits of 32 bits to a pair of floats: each is exact, and they do not overlap.
    d1, d2, d3, d4 = (
        _to_real(e, digit) * 2.0 ** (-32 * (k + 1))
        for k, digit in enumerate(
            (fraction_high >> 32, fraction_high & low32, fraction_low >> 32, fraction_low & low32)
        )
    )
    head = fast_sum(d1, d2)
    turns = fast_sum(head.high, head.low + (d3 + d4))
    c1, c2 = parts(pi() / 2, 53, 53)
    exact = product(e, turns.high, e.real(c1))
    low = e.fma(turns.high, c2, e.fma(turns.low, c1, exact.low))
    sign = negative & e.format.sign_bit
    not_finite = a - a  # 0, or NaN for infinity and NaN
    return Angle(exact.high.flip_sign(sign) + not_finite, low.flip_sign(sign), quadrant.real())


def _to_real(e: Emitter, digit: Bits) -> Real:
    """An integer of at most 32 bits as a float64: set in the last places of 2⁵²."""
    return (digit | FLOAT64.pattern(2.0**52)).real() - 2.0**52
