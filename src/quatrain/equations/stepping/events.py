"""When something happens within a step: a function of time and state passes through zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from quatrain.equations.stepping.embedded import State
from quatrain.equations.stepping.nested import Nested, chosen
from quatrain.equations.stepping.solving import Loop
from quatrain.scalar import (
    Condition,
    Scalar,
    abs,
    epsilon,
    equal,
    less_equal,
    logical_and,
    logical_or,
    maximum,
    sign,
    sqrt,
    where,
)

Watch = Callable[[Scalar, Nested, Nested], Scalar]
"""g(t, q, v), whose zero is the event."""

RISING, FALLING, EITHER = 1, -1, 0


class Path(Protocol):
    """What is known of the states within an interval: a step's `Dense` output, or a run done again up to a time."""

    @property
    def t(self) -> Scalar: ...
    @property
    def h(self) -> Scalar: ...
    @property
    def start(self) -> State: ...
    @property
    def end(self) -> State: ...
    def at(self, theta: Scalar) -> State:
        """(q, v) at t + θ h."""


@dataclass(frozen=True)
class Located:
    """An event, if there is one; where there is none, time and state are those of the step's end."""

    happened: Condition
    t: Scalar
    q: Nested
    v: Nested


def locate(
    watch: Watch, within: Path, *, direction: int = EITHER, rounds: int = 16, iterate: Loop | None = None
) -> Located:
    """The event within one step, by Ridders's method on what is known between its ends.

    It is seen where g has different signs at both ends, or is zero at the later one; two that fall within one
    step are not. Each round halves the interval at least, and near a simple zero doubles the digits: `rounds`
    of them are done, or with `iterate` (`quatrain.compiler.iterate`) as many as it takes, at most 100.

    Ridders, IEEE Trans. Circuits Syst. 26 (1979) 979.
    """

    def g(theta: Scalar) -> Scalar:
        return watch(within.t + within.h * theta, *within.at(theta))

    zero = within.t * 0
    first, last = zero, zero + 1
    # Of the states themselves: what rounding makes of them between would lose an event on a border, or count it twice.
    g_first, g_last = watch(within.t, *within.start), watch(within.t + within.h, *within.end)
    happened = _crossed(g_first, g_last, direction)
    # Where nothing happened there is nothing to narrow down.
    state = (first, g_first, where(happened, last, first), g_last)
    if iterate is None:
        for _ in range(rounds):
            state = _ridders(g, state)
    else:
        state = iterate(lambda s, index: _ridders(g, s), state, until=_narrow, most=100).state
    # The end at which |g| is less.
    root = where(less_equal(abs(state[1]), abs(state[3])), state[0], state[2])
    theta = where(happened, root, 1.0)
    q, v = chosen(happened, within.at(theta), within.end)
    return Located(happened, within.t + within.h * theta, q, v)


Bracket = tuple[Scalar, Scalar, Scalar, Scalar]
"""θ and g at two places between which the event lies."""


def _crossed(before: Scalar, after: Scalar, direction: int) -> Condition:
    up = logical_and(before < 0, after >= 0)
    down = logical_and(before > 0, after <= 0)
    return {RISING: up, FALLING: down, EITHER: logical_or(up, down)}[direction]


def _narrow(bracket: Bracket) -> Condition:
    a, g_a, b, g_b = bracket
    found = logical_or(equal(g_a, 0), equal(g_b, 0))
    return logical_or(found, less_equal(abs(b - a), 4 * epsilon(b)))


def _ridders(g: Callable[[Scalar], Scalar], bracket: Bracket) -> Bracket:
    """The point where g, straightened by an exponential through both ends and the middle, is zero."""
    a, g_a, b, g_b = bracket
    middle = (a + b) / 2
    g_m = g(middle)
    root = sqrt(maximum(g_m * g_m - g_a * g_b, 0.0))
    usable = root > 0
    shift = (middle - a) * sign(g_a - g_b) * g_m / where(usable, root, 1.0)
    point = where(usable, middle + shift, middle)
    g_p = g(point)
    # The narrowest of the four intervals between a, middle, point and b with a change of sign.
    left_m = _differ(g_a, g_m)
    a, g_a, b, g_b = (
        where(left_m, a, middle),
        where(left_m, g_a, g_m),
        where(left_m, middle, b),
        where(left_m, g_m, g_b),
    )
    left_p = _differ(g_a, g_p)
    inside = logical_and(point > a, point < b)
    return (
        where(inside, where(left_p, a, point), a),
        where(inside, where(left_p, g_a, g_p), g_a),
        where(inside, where(left_p, point, b), b),
        where(inside, where(left_p, g_p, g_b), g_b),
    )


def _differ(x: Scalar, y: Scalar) -> Condition:
    """Whether an interval with these values at its ends holds the zero; its end may be it."""
    return logical_or(logical_and(x < 0, y >= 0), logical_and(x > 0, y <= 0))
