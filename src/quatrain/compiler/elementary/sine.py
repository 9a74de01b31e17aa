"""sin, cos and tan: one reduction to |r| ≤ π/4, two polynomials, and the quadrant's choice between them."""

from __future__ import annotations

from typing import NamedTuple

from quatrain.compiler.elementary.emitter import Bits, Emitter, Real
from quatrain.compiler.elementary.pairs import Pair, fast_sum, product, quotient, select_pair
from quatrain.compiler.elementary.reduction import reduced_angle


class Turn(NamedTuple):
    """Sine and cosine of a reduced angle, as leading part and correction, and its quadrant."""

    sine: Pair
    cosine: Pair
    quadrant: Bits


def turn(e: Emitter, magnitude: Real) -> Turn:
    """With r = high + low and z = high²:

        sin r = high + z (high p(z) - low/2) + low           to the order low z²
        cos r = w + ((1 - w) - z/2) + z² q(z) - high low     w = 1 - z/2 rounded

    The corrections are at most a ninth (sine) and a twentieth (cosine) of the whole, and so are their errors.
    """
    high, low, quadrant = reduced_angle(e, magnitude)
    z = high * high
    p = e.polynomial(z, e.format.polynomials.sine)
    q = e.polynomial(z, e.format.polynomials.cosine)
    sine = Pair(high, e.fma(z, e.fma(high, p, low * -0.5), low))
    minus_half = high * -0.5
    w = e.fma(minus_half, high, 1.0)
    rounding = e.fma(minus_half, high, 1.0 - w)
    cosine = Pair(w, e.fma(z * z, q, e.fma(-high, low, rounding)))
    return Turn(sine, cosine, quadrant.bits())


def precise_turn(e: Emitter, magnitude: Real) -> Turn:
    """The same to a few more bits, for a quotient, where both have their errors: z and z high p as pairs."""
    high, low, quadrant = reduced_angle(e, magnitude)
    z, z_low = product(e, high, high)
    p = e.polynomial(z, e.format.polynomials.sine)
    q = e.polynomial(z, e.format.polynomials.cosine)
    cubic = high * p
    head = product(e, z, cubic)
    body = fast_sum(high, head.high)
    sine = Pair(body.high, body.low + (head.low + e.fma(z_low, cubic, e.fma(z * low, -0.5, low))))
    w = fast_sum(1.0, z * -0.5)
    cosine = fast_sum(w.high, e.fma(z * z, q, e.fma(-high, low, e.fma(z_low, -0.5, w.low))))
    return Turn(sine, cosine, quadrant.bits())


def sincos(e: Emitter, x: Real) -> tuple[Real, Real]:
    t = turn(e, x.absolute())
    sine, cosine = t.sine.high + t.sine.low, t.cosine.high + t.cosine.low
    # Quadrant n = 0, 1, 2, 3: sin = s, c, -s, -c and cos = c, -s, -c, s; sin is odd.
    odd = t.quadrant.is_odd()
    to_sign = e.format.size - 2
    sine_sign = ((t.quadrant << to_sign) & e.format.sign_bit) ^ x.sign()
    cosine_sign = ((t.quadrant + 1) << to_sign) & e.format.sign_bit
    return (
        e.select(odd, cosine, sine).flip_sign(sine_sign),
        e.select(odd, sine, cosine).flip_sign(cosine_sign),
    )


def sin(e: Emitter, x: Real) -> tuple[Real]:
    return (sincos(e, x)[0],)


def cos(e: Emitter, x: Real) -> tuple[Real]:
    return (sincos(e, x)[1],)


def tan(e: Emitter, x: Real) -> tuple[Real]:
    """sin/cos, or -cos/sin in the odd quadrants, of pairs: only the last sum rounds."""
    sine, cosine, quadrant = precise_turn(e, x.absolute())
    odd = quadrant.is_odd()
    tangent = quotient(e, select_pair(e, odd, cosine, sine), select_pair(e, odd, sine, cosine))
    sign = (quadrant << (e.format.size - 1)) ^ x.sign()
    return ((tangent.high + tangent.low).flip_sign(sign),)
