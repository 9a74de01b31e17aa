"""Steps of the size that a tolerance allows: attempts without a branch, and a loop over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quatrain.equations.stepping.dormand_prince import DOPRI5, Pair
from quatrain.equations.stepping.embedded import State, Step, Tolerance, error_norm, step
from quatrain.equations.stepping.nested import Nested, added, chosen, difference, length, records
from quatrain.equations.stepping.solving import Loop
from quatrain.equations.stepping.system import System, field
from quatrain.scalar import (
    Condition,
    Scalar,
    abs,
    equal,
    less_equal,
    logical_and,
    maximum,
    minimum,
    power,
    sign,
    sqrt,
    where,
)


@dataclass(frozen=True)
class Control:
    """How the next step follows from the last error; the values of the authors' codes.

    factor = safety · e^−(1/order − 0.75 β) · e_before^β, within its bounds. β > 0 calms the sequence of steps
    where stability limits them: Hairer, Wanner, Solving ODEs II, section IV.2.
    """

    safety: float
    slowest: float
    """The least factor from one attempt to the next."""
    fastest: float
    beta: float


CONTROL = {5: Control(0.9, 0.2, 10.0, 0.04), 8: Control(0.9, 0.333, 6.0, 0.0)}
"""By the order of the pair."""


@dataclass(frozen=True)
class Progress:
    """A run between two attempts."""

    t: Scalar
    q: Nested
    v: Nested
    slope: State
    """The derivative there."""
    h: Scalar
    """The size to try next; its sign does not matter."""
    error: Scalar
    """Error norm of the last good step."""
    refused: Scalar
    """1 after an attempt that failed, else 0."""
    accepted: Scalar
    """How many steps were good."""


def begin(
    pair: Pair,
    system: System,
    t: Scalar,
    q: Nested,
    v: Nested,
    tolerance: Tolerance,
    h: Scalar | None = None,
) -> Progress:
    """A run before its first attempt, with a first step of size h, or of the size `first_step` proposes."""
    slope = field(system, t, (q, v))
    h = first_step(pair, system, t, (q, v), slope, tolerance) if h is None else h
    return Progress(t, q, v, slope, h, t * 0 + 1e-4, t * 0, t * 0)


def first_step(pair: Pair, system: System, t: Scalar, y: State, slope: State, tolerance: Tolerance) -> Scalar:
    """A cautious size from the first two derivatives: Hairer, Nørsett, Wanner I, section II.4."""
    d0, d1 = _size(y, y, tolerance), _size(slope, y, tolerance)
    tiny = less_equal(minimum(d0, d1), 1e-5)
    h0 = where(tiny, 1e-6, d0 / where(tiny, 1.0, d1) / 100)
    there = field(system, t + h0, added(y, slope, h0))
    d2 = _size(difference(there, slope), y, tolerance) / h0
    largest = maximum(d1, d2)
    small = less_equal(largest, 1e-15)
    h1 = power(where(small, 1.0, 0.01 / where(small, 1.0, largest)), 1 / pair.order)
    return minimum(h0 * 100, where(small, maximum(h0 / 1000, 1e-6), h1))


def _size(y: State, scale: State, tolerance: Tolerance) -> Scalar:
    total: Scalar = 0
    columns = list(zip(records(y), records(scale), strict=True))
    for part, reference in columns:
        ratio = length(part) / (tolerance.absolute + length(reference) * tolerance.relative)
        total = total + ratio * ratio
    return sqrt(total / len(columns))


def step_factor(control: Control, pair: Pair, error: Scalar, before: Scalar) -> Scalar:
    """By how much the step may change after an attempt with this error norm; NaN shrinks it most."""
    known = equal(error, error)
    positive = maximum(where(known, error, 1.0), 1e-10)
    raw = power(positive, 0.75 * control.beta - 1 / pair.order) * power(before, control.beta)
    bounded = minimum(maximum(raw * control.safety, control.slowest), control.fastest)
    return where(known, bounded, control.slowest)


@dataclass(frozen=True)
class Attempt:
    """What was tried, whether it is good, and where the run stands after it."""

    step: Step
    good: Condition
    after: Progress


def attempt(
    pair: Pair,
    system: System,
    run: Progress,
    end: Scalar,
    tolerance: Tolerance,
    control: Control | None = None,
) -> Attempt:
    """One step towards the time `end`: taken where its error is within the tolerance, else tried smaller next."""
    control = control or CONTROL[pair.order]
    left = end - run.t
    last = less_equal(abs(left), abs(run.h) * (1 + 1e-12))
    h = where(last, left, abs(run.h) * sign(left))
    made = step(pair, system, run.t, run.q, run.v, h, run.slope)
    error = error_norm(pair, made, tolerance)
    good = less_equal(error, 1.0)
    # A failure never makes the step grow, nor does the first success after one.
    growth = where(logical_and(good, equal(run.refused, 0)), control.fastest, 1.0)
    proposed = abs(h) * minimum(step_factor(control, pair, error, run.error), growth)
    after = Progress(
        t=where(good, where(last, end, run.t + h), run.t),
        q=chosen(good, made.end[0], run.q),
        v=chosen(good, made.end[1], run.v),
        slope=chosen(good, made.slopes[-1], run.slope),
        # A size that only the end of the run has cut short is not forgotten.
        h=where(logical_and(good, last), abs(run.h), proposed),
        error=where(good, maximum(error, 1e-4), run.error),
        refused=where(good, 0.0, 1.0),
        accepted=run.accepted + where(good, 1.0, 0.0),
    )
    return Attempt(made, good, after)


def integrate(
    system: System,
    t: Scalar,
    q: Nested,
    v: Nested,
    end: Scalar,
    *,
    iterate: Loop,
    pair: Pair = DOPRI5,
    tolerance: Tolerance | None = None,
    h: Scalar | None = None,
    most: int = 100_000,
) -> Any:
    """From t to `end`, forwards or backwards, each element of a batch in steps of its own.

    `iterate` is the loop, `quatrain.compiler.iterate`; what it gives is returned: `.state` is a `Progress`,
    `.count` the number of attempts, and `.converged` says whether the end was reached within `most` of them.
    """
    chosen_tolerance = tolerance or Tolerance()
    run = begin(pair, system, t, q, v, chosen_tolerance, h)
    return iterate(
        lambda state, index: attempt(pair, system, state, end, chosen_tolerance).after,
        run,
        until=lambda state: equal(state.t, end),
        most=most,
    )
