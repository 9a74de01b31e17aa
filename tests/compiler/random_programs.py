"""Random functions over scalars, for tests that compare what is made of a program with the function itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import mpmath
import numpy as np
from hypothesis import strategies as st

from quatrain import scalar
from quatrain.compiler import delay, iterate, repeat

# Each takes two earlier values and keeps away from poles, so that no result grows out of bounds.
STEPS = {
    "add": lambda a, b: a + b * 0.5,
    "subtract": lambda a, b: a - b,
    "negate": lambda a, b: -a,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / (b * b + 1.0),
    "reciprocal": lambda a, b: -1.5 / (a * a + 0.5),
    "sqrt": lambda a, b: scalar.sqrt(a * a + scalar.abs(b) + 0.25),
    "power": lambda a, b: scalar.power(a * a + 0.5, scalar.tanh(b)),
    "cube": lambda a, b: scalar.power(a, 3.0) * 0.125,
    "root": lambda a, b: scalar.power(b * b + 0.5, 0.75),
    "sin": lambda a, b: scalar.sin(a),
    "cos": lambda a, b: scalar.cos(b - a),
    "tan": lambda a, b: scalar.tan(scalar.sin(a)),
    "asin": lambda a, b: scalar.asin(scalar.tanh(a) * 0.875),
    "acos": lambda a, b: scalar.acos(scalar.sin(b) * 0.875),
    "atan2": lambda a, b: scalar.atan2(a, b * b + 0.5),
    "exp": lambda a, b: scalar.exp(scalar.tanh(a)),
    "log": lambda a, b: scalar.log(a * a + b * b + 0.125),
    "tanh": lambda a, b: scalar.tanh(a * b),
    "abs": lambda a, b: scalar.abs(a) - 0.5,
    "sign": lambda a, b: scalar.sign(a) * b,
    "floor": lambda a, b: a - scalar.floor(a * 4.0) * 0.25,
    "minimum": lambda a, b: scalar.minimum(a, b * 1.25),
    "maximum": lambda a, b: scalar.maximum(a, b - 0.125),
    "where": lambda a, b: scalar.where(scalar.logical_and(a < b, b < 1.0), a * 0.75, scalar.sin(b)),
    "where_other": lambda a, b: scalar.where(scalar.logical_not(scalar.less_equal(a, 0.25)), b, -0.5),
    "lookup": lambda a, b: b * scalar.lookup((1.0, -0.5, 2.0), scalar.sin(a) * 2.0 + 1.0),
}

SMOOTH = tuple(
    name
    for name in STEPS
    if name not in ("abs", "sign", "floor", "minimum", "maximum", "where", "where_other", "lookup")
)


def run_steps(plan: list[tuple[str, int, int]], values: list[Any]) -> list[Any]:
    """The values and, after them, what the steps make of them."""
    values = list(values)
    for name, p, q in plan:
        values.append(STEPS[name](values[p % len(values)], values[q % len(values)]))
    return values


def plans(steps: tuple[str, ...] = tuple(STEPS), *, most: int = 12) -> st.SearchStrategy[Any]:
    place = st.integers(0, 30)
    return st.lists(st.tuples(st.sampled_from(steps), place, place), min_size=1, max_size=most)


CONSTANTS = [1.0, -0.75]


def straight(plan: list[tuple[str, int, int]], outputs: int = 2) -> Any:
    """f(x) for an array x: the last values of a random straight-line program."""

    def function(x: Any) -> Any:
        values = run_steps(plan, [*x, *CONSTANTS])
        return values[-outputs:]

    return function


@st.composite
def straight_functions(draw: Any, steps: tuple[str, ...] = tuple(STEPS)) -> Any:
    return straight(draw(plans(steps)))


@st.composite
def looping_functions(draw: Any) -> Any:
    """f(x) with a loop in it: fixed or stopping, with delays, around a random body that reads x."""
    states = draw(st.integers(1, 3))
    body_plan = draw(plans(SMOOTH, most=5))
    after = draw(plans(SMOOTH, most=3))
    lags = draw(st.lists(st.integers(1, 3), min_size=states, max_size=states))
    count = draw(st.integers(0, 20))
    stops = draw(st.booleans())
    nested = draw(st.booleans())
    return partial(_looping, body_plan, after, tuple(lags), count, stops, nested)


def _looping(
    body_plan: Any, after: Any, lags: tuple[int, ...], count: int, stops: bool, nested: bool, x: Any
) -> Any:
    def body(state: Any, index: Any) -> Any:
        values = run_steps(body_plan, [*state, index * 0.125, *x])
        made = values[-len(lags) :]
        if nested:
            made[0] = repeat(lambda s, i: scalar.sin(s + x[0]) * 0.5 + made[-1], made[0] + state[0], 2)
        return tuple(scalar.tanh(value) for value in made)

    start = tuple(delay(scalar.sin(x[k % len(x)] + float(k)), lag) for k, lag in enumerate(lags))
    if stops:
        final, done, _ = iterate(body, start, until=lambda s: s[0] < -0.25, most=count)
        final = (*final, done * 0.5)
    else:
        final = repeat(body, start, count)
    return run_steps(after, [*final, *x])[-2:]


# ---- truth ---------------------------------------------------------------------------------------------


def on_mpmath(function: Any, x: Any) -> list[Any]:
    with mpmath.workdps(60):
        return [mpmath.mpf(y) for y in function([mpmath.mpf(v) for v in x])]


def differences(function: Any, x: Any) -> Any:
    """The Jacobian by differences in 60 digits; NaN where it is not the same from both sides."""
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -20
        at = [mpmath.mpf(float(v)) for v in x]
        columns = []
        for k in range(len(at)):
            moved = [[v + (h if j == k else 0) * side for j, v in enumerate(at)] for side in (-1, 0, 1)]
            below, here, above = ([mpmath.mpf(y) for y in function(m)] for m in moved)
            rows = []
            for b, m, a in zip(below, here, above, strict=True):
                left, right = (m - b) / h, (a - m) / h
                same = abs(left - right) < mpmath.mpf(10) ** -10 * (1 + abs(left))
                rows.append(float((left + right) / 2) if same else float("nan"))
            columns.append(rows)
    return np.array(columns).T
