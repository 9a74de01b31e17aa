"""One step of an embedded pair: the new state, its error, and the state anywhere within the step.

Stages are in numbers, as in `rk4`; the end is projected, and the derivative there is taken after that.
The norm that a projection mends is as small as the error of the step, so no order is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from quatrain.equations.stepping.dormand_prince import DOP853, DOPRI5, Pair
from quatrain.equations.stepping.nested import (
    Nested,
    added,
    difference,
    length,
    mapped,
    number,
    records,
    scaled,
    weighted_sum,
)
from quatrain.equations.stepping.system import System, field
from quatrain.scalar import Scalar, maximum, sqrt, where

State = tuple[Nested, Nested]
"""(q, v)"""


@dataclass(frozen=True)
class Step:
    """What one step has found out."""

    t: Scalar
    h: Scalar
    start: State
    end: State
    slopes: tuple[State, ...]
    """Derivatives of the stages; the first is at the start, the last at the end."""


def step(
    pair: Pair, system: System, t: Scalar, q: Nested, v: Nested, h: Scalar, first_slope: State | None = None
) -> Step:
    """A step of size h. `first_slope` is the last of the step before, if it is at hand."""
    y = (q, v)
    slopes = [field(system, t, y) if first_slope is None else first_slope]
    for c, row in zip(pair.nodes[1:], pair.stages[1:], strict=True):
        slopes.append(_slope(system, t, y, h, c, row, slopes))
    end = system.space.project(*added(y, weighted_sum(pair.weights, slopes, h)))
    slopes.append(field(system, t + h, end))
    return Step(t, h, y, end, tuple(slopes))


def _slope(
    system: System, t: Scalar, y: State, h: Scalar, c: Fraction, row: Sequence[Fraction], slopes: list[State]
) -> State:
    return field(system, t + number(c, h) * h, added(y, weighted_sum(row, slopes, h)))


def dopri5(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> State:
    """One step of fixed size of Dormand and Prince's method of order 5."""
    return step(DOPRI5, system, t, q, v, h).end


def dop853(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> State:
    """One step of fixed size of Dormand and Prince's method of order 8."""
    return step(DOP853, system, t, q, v, h).end


# ---- error -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tolerance:
    """An error is allowed up to `absolute + relative · |x|`, for each x that stands by itself.

    A vector or a quaternion counts by its length, so turning the world changes no step.
    """

    relative: Scalar = 1e-6
    absolute: Scalar = 1e-9


def error_norm(pair: Pair, made: Step, tolerance: Tolerance) -> Scalar:
    """The step's error in units of the tolerance: a step is good where it is at most 1.

    Two estimates combine to e₅²/√(e₅² + 0.01 e₃²): Hairer, Nørsett, Wanner I, section II.10.
    """
    norms = [_norm(weighted_sum(weights, made.slopes, made.h), made, tolerance) for weights in pair.errors]
    if len(norms) == 1:
        return norms[0]
    fifth, third = norms
    square = fifth * fifth + third * third / 100
    return fifth * fifth / sqrt(where(square > 0, square, 1.0))


def _norm(error: State, made: Step, tolerance: Tolerance) -> Scalar:
    """Root of the mean square over the records of the state."""
    total: Scalar = 0
    columns = list(zip(records(error), records(made.start), records(made.end), strict=True))
    for e, before, after in columns:
        size = maximum(length(before), length(after))
        ratio = length(e) / (tolerance.absolute + size * tolerance.relative)
        total = total + ratio * ratio
    return sqrt(total / len(columns))


# ---- within the step ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dense:
    """The state as a polynomial in θ, which goes from 0 to 1 over the step; projected where it is read."""

    system: System
    t: Scalar
    h: Scalar
    start: State
    end: State
    """To the bit, where θ = 1 gives it to rounding: the next step starts from it."""
    coefficients: tuple[State, ...]

    def at(self, theta: Scalar) -> State:
        """(q, v) at t + θ h.

        y₀ + θ (F₀ + (1 − θ) (F₁ + θ (F₂ + (1 − θ) (F₃ + …))))
        """
        rest, total = 1 - theta, None
        for k in reversed(range(len(self.coefficients))):
            here = self.coefficients[k] if total is None else added(self.coefficients[k], total)
            total = scaled(here, theta if k % 2 == 0 else rest)
        q, v = self.system.space.project(*added(self.start, total))
        return q, v


def dense(pair: Pair, system: System, made: Step) -> Dense:
    """The pair's own continuous extension, of order 4 for DOPRI5 and 7 for DOP853, with continuous derivative.

    For DOP853 it costs three more derivatives.
    """
    slopes = list(made.slopes)
    for c, row in zip(pair.extra_nodes, pair.extra_stages, strict=True):
        slopes.append(_slope(system, made.t, made.start, made.h, c, row, slopes))
    higher = (weighted_sum(row, slopes, made.h) for row in pair.dense)
    return Dense(system, made.t, made.h, made.start, made.end, (*_hermite(made), *higher))


def cubic(system: System, t: Scalar, h: Scalar, start: State, end: State) -> Dense:
    """Hermite's cubic through both ends of a step of any other stepper; its error is O(h⁴)."""
    slopes = (field(system, t, start), field(system, t + h, end))
    return Dense(system, t, h, start, end, _hermite(Step(t, h, start, end, slopes)))


def _hermite(made: Step) -> tuple[State, State, State]:
    """Δy, h ẏ₀ − Δy, 2 Δy − h (ẏ₀ + ẏ₁)"""
    move = difference(made.end, made.start)
    first = mapped(lambda slope, d: slope * made.h - d, made.slopes[0], move)
    second = mapped(lambda d, slope, f: d - slope * made.h - f, move, made.slopes[-1], first)
    return move, first, second
