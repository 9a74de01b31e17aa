"""atan, atan2, asin and acos."""

from __future__ import annotations

import math

from quatrain.compiler.elementary.emitter import Bits, Emitter, Real
from quatrain.compiler.elementary.formats import Format, parts, pi
from quatrain.compiler.elementary.pairs import Pair, fast_sum, quotient, residual


def first_quadrant_angle(e: Emitter, a: Real, b: Real, behind: Bits | None = None) -> Real:
    """The angle of the point (b, a), a and b ≥ 0; π minus it where the sign bits `behind` are set.

    By the ratio a/b it is k π/4 + atan t, with an exact numerator and |t| ≤ 1/2:

        a/b ≤ 1/2: k = 0, t = a/b        up to 2: k = 1, t = (a - b)/(a + b)        beyond: k = 2, t = -b/a

        atan(t + dt) = t + z (t p(z) - 4/5 dt) + dt        z = t²; 1 - 4/5 z is 1/(1 + z) to 1/75

    Multiples of π/4 are exact in `high`, so the sum with t is rounded once.
    """
    middle, steep = a > b * 0.5, a > b * 2.0
    swapped = a > b
    total = fast_sum(e.select(swapped, a, b), e.select(swapped, b, a))
    top = e.select(steep, -b, e.select(middle, a - b, a))
    bottom = e.select(steep, a, e.select(middle, total.high, b))
    bottom_low = e.select(middle & ~steep, total.low, 0.0)
    t, dt = quotient(e, Pair(top, e.real(0.0)), Pair(bottom, bottom_low))
    z = t * t
    p = e.polynomial(z, e.format.polynomials.arctangent)
    tail = e.fma(z, e.fma(t, p, dt * -0.8), dt)

    eighths = e.select(steep, 2.0, e.select(middle, 1.0, 0.0))
    if behind is not None:
        eighths = e.select(behind.top_bit(), 4.0 - eighths, eighths)
        t, tail = t.flip_sign(behind), tail.flip_sign(behind)
    high, low = parts(pi() / 4, e.format.digits - 2, e.format.digits)
    angle = fast_sum(eighths * high, t)
    return angle.high + (angle.low + e.fma(eighths, low, tail))


def atan(e: Emitter, x: Real) -> tuple[Real]:
    # Beyond 2^(digits + 10) the angle is π/2 to the last digit.
    a = e.minimum(x.absolute(), 2.0 ** (e.format.digits + 10))
    return (first_quadrant_angle(e, a, e.real(1.0)).flip_sign(x.sign()),)


def atan2(e: Emitter, y: Real, x: Real) -> tuple[Real]:
    """The angle of the point (x, y), from -π to π; -0 is a negative number."""
    a, b = y.absolute(), x.absolute()
    angle = first_quadrant_angle(e, a, b, x.sign())

    # Where a quotient's remainder or inverse might leave the range of exponents.
    least_smaller, least, greatest = _safe(e.format)
    swapped = a > b
    larger, smaller = e.select(swapped, a, b), e.select(swapped, b, a)
    unsafe = ~(larger < greatest) | (larger < least) | ((smaller < least_smaller) & (smaller > 0.0))

    def rare() -> list[Real]:
        return e.call(e.assembly.define("atan2_rare", e.format, 2, _rare_angle, rare=True), y, x, results=1)

    (repaired,) = e.repair(unsafe, [angle], rare)
    return (repaired.flip_sign(y.sign()),)


def _safe(f: Format) -> tuple[float, float, float]:
    """Least `smaller` other than 0, least and greatest `larger` of the common way."""
    return f.choose(2.0**-900, 2.0**-90), f.choose(2.0**-500, 2.0**-60), f.choose(2.0**900, 2.0**100)


def _rare_angle(e: Emitter, y: Real, x: Real) -> tuple[Real]:
    """|atan2(y, x)| where something is infinite, zero, huge or tiny: that of numbers brought into range."""
    a, b = y.absolute(), x.absolute()

    # Two infinities are like two ones; an infinity and a number, and two zeros, like one and zero.
    a_infinite, b_infinite = a.equals(math.inf), b.equals(math.inf)
    infinite = a_infinite | b_infinite
    a = e.select(infinite, e.select(a_infinite, 1.0, a * 0.0), a)
    b = e.select(infinite, e.select(b_infinite, 1.0, b * 0.0), b)
    b = e.select(a.equals(0.0) & b.equals(0.0), 1.0, b)

    # The same power of two on both; what underflows here is a quotient that rounds to 0.
    _, least, greatest = _safe(e.format)
    down, up = e.format.choose(2.0**-200, 2.0**-30), e.format.choose(2.0**600, 2.0**80)
    larger = e.select(a > b, a, b)
    scale = e.select(larger < least, up, e.select(larger < greatest, 1.0, down))
    a, b = a * scale, b * scale
    angle = first_quadrant_angle(e, a, b, x.sign())

    # atan t = t to the last digit; the quotient rounds once, gradual underflow included.
    tiny = (a < b * 2.0 ** e.format.choose(-30, -14)) & ~x.is_negative()
    return (e.select(tiny, a / b, angle),)


def _root_half_complement(e: Emitter, a: Real) -> tuple[Real, Pair]:
    """z = (1 - a)/2, exact for a ≥ 1/2, and √z as a pair; NaN for a > 1."""
    z = e.fma(a, -0.5, 0.5)
    root = e.sqrt(z)
    # The smallest √z but 0 is far above the guard, which only keeps 0/0 away.
    guard = e.format.smallest_normal
    return z, Pair(root, residual(e, z, root, root) / (root + root + guard))


def asin(e: Emitter, x: Real) -> tuple[Real]:
    """s + s z p(z) with z = s²: s = |x| up to a half, beyond it π/2 - 2 asin √((1 - |x|)/2)."""
    a = x.absolute()
    big = a > 0.5
    z_big, root = _root_half_complement(e, a)
    half_pi, half_pi_low = parts(pi() / 2, e.format.digits, e.format.digits)
    z = e.select(big, z_big, a * a)
    s = e.select(big, root.high * -2.0, a)
    constant = e.select(big, half_pi, 0.0)
    low = e.select(big, e.fma(root.low, -2.0, half_pi_low), 0.0)
    tail = e.fma(s * z, e.polynomial(z, e.format.polynomials.arcsine), low)
    total = fast_sum(constant, s)
    return ((total.high + (total.low + tail)).flip_sign(x.sign()),)


def acos(e: Emitter, x: Real) -> tuple[Real]:
    """π/2 - asin x; beyond ±1/2 this is 2 asin √((1 - |x|)/2), or π minus it for negative x."""
    a = x.absolute()
    big = a > 0.5
    z_big, root = _root_half_complement(e, a)
    pi_high, pi_low = parts(pi(), e.format.digits, e.format.digits)
    z = e.select(big, z_big, a * a)
    s = e.select(big, (root.high * 2.0).flip_sign(x.sign()), -x)
    behind = x.is_negative()
    constant = e.select(big, e.select(behind, pi_high, 0.0), pi_high / 2.0)
    root_low = (root.low * 2.0).flip_sign(x.sign())
    low = e.select(big, e.select(behind, root_low + pi_low, root_low), pi_low / 2.0)
    tail = e.fma(s * z, e.polynomial(z, e.format.polynomials.arcsine), low)
    total = fast_sum(constant, s)
    return (total.high + (total.low + tail),)
