"""Tables in time: values between samples held, joined by lines, or by a smooth cubic spline.

The place in the table is found by halving, so times need not be even, and a kernel of a long table stays short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from quatrain.errors import ArgumentError
from quatrain.scalar import (
    Scalar,
    greater_equal,
    less,
    logical_and,
    lookup,
    maximum,
    minimum,
    where,
)

KINDS = ("hold", "linear", "cubic")
ENDS = ("natural", "clamped")

Row = tuple[float, ...]


@dataclass(frozen=True)
class Table:
    """Values (n, m) at times (n); before the first and after the last it stays at these.

    `kind`: "hold", each value until the next; "linear"; "cubic", a spline with a continuous second derivative, that is
    straight at its `ends` ("natural") or flat ("clamped": it starts and ends at rest).
    """

    times: Any
    values: Any
    kind: str = "linear"
    ends: str = "natural"

    def __post_init__(self) -> None:
        times = tuple(_number(x, "times") for x in _listed(self.times, "times"))
        rows = [_listed(row, None) for row in _listed(self.values, "values")]
        values = tuple(tuple(_number(x, "values") for x in row) for row in rows)
        _refuse_uneven(times, values, self.kind, self.ends)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    @property
    def size(self) -> int:
        """How many values it gives."""
        return len(self.values[0])

    def __call__(self, t: Scalar) -> tuple[Scalar, ...]:
        """The values at a time."""
        place, s = self._place(t)
        return tuple(_cubic(place, s, column) for column in self._coefficients)

    def rate(self, t: Scalar) -> tuple[Scalar, ...]:
        """Their first derivative; zero before the first and after the last time."""
        place, s = self._place(t)
        return tuple(self._within(t, _cubic_rate(place, s, column)) for column in self._coefficients)

    def acceleration(self, t: Scalar) -> tuple[Scalar, ...]:
        """Their second derivative."""
        place, s = self._place(t)
        return tuple(self._within(t, _cubic_acceleration(place, s, column)) for column in self._coefficients)

    def _within(self, t: Scalar, value: Scalar) -> Scalar:
        inside = logical_and(greater_equal(t, self.times[0]), less(t, self.times[-1]))
        return where(inside, value, 0.0)

    def _place(self, t: Scalar) -> tuple[Scalar, Scalar]:
        """The interval that t is in, and how far."""
        last = len(self.times) - 1 if self.kind == "hold" else max(len(self.times) - 2, 0)
        place: Scalar = t * 0.0
        step = 1 << max(last.bit_length() - 1, 0)
        while step and last:
            further = place + float(step)
            found = logical_and(further <= float(last), greater_equal(t, lookup(self.times, further)))
            place = where(found, further, place)
            step >>= 1
        held = minimum(maximum(t, self.times[0]), self.times[-1])
        return place, held - lookup(self.times, place)

    @cached_property
    def _coefficients(self) -> tuple[tuple[Row, Row, Row, Row], ...]:
        """Of each column, by interval: a + s (b + s (c + s d))."""
        return tuple(self._column(column) for column in zip(*self.values, strict=True))

    def _column(self, y: Row) -> tuple[Row, Row, Row, Row]:
        n = len(self.times) - 1
        zeros = (0.0,) * max(n, 1)
        if self.kind == "hold" or n == 0:
            zeros = (0.0,) * (n + 1)
            return y, zeros, zeros, zeros
        h = [b - a for a, b in pairwise(self.times)]
        slopes = [(b - a) / gap for (a, b), gap in zip(pairwise(y), h, strict=True)]
        if self.kind == "linear":
            return y[:-1], tuple(slopes), zeros, zeros
        bent = _second_derivatives(h, slopes, clamped=self.ends == "clamped")
        pairs = list(pairwise(bent))
        b = tuple(
            slope - gap * (2 * m0 + m1) / 6 for slope, gap, (m0, m1) in zip(slopes, h, pairs, strict=True)
        )
        d = tuple((m1 - m0) / (6 * gap) for gap, (m0, m1) in zip(h, pairs, strict=True))
        return y[:-1], b, tuple(m / 2 for m in bent[:-1]), d


def _cubic(place: Scalar, s: Scalar, column: tuple[Row, Row, Row, Row]) -> Scalar:
    a, b, c, d = (_looked_up(row, place) for row in column)
    return a + s * (b + s * (c + s * d))


def _cubic_rate(place: Scalar, s: Scalar, column: tuple[Row, Row, Row, Row]) -> Scalar:
    _, b, c, d = (_looked_up(row, place) for row in column)
    return b + s * (c * 2.0 + s * (d * 3.0))


def _cubic_acceleration(place: Scalar, s: Scalar, column: tuple[Row, Row, Row, Row]) -> Scalar:
    _, _, c, d = (_looked_up(row, place) for row in column)
    return c * 2.0 + s * (d * 6.0)


def _looked_up(row: Row, place: Scalar) -> Scalar:
    return row[0] if len(set(row)) == 1 else lookup(row, place)


def _second_derivatives(h: Sequence[float], slopes: Sequence[float], *, clamped: bool) -> list[float]:
    """M of h_{k−1} M_{k−1} + 2 (h_{k−1} + h_k) M_k + h_k M_{k+1} = 6 (s_k − s_{k−1}), by elimination."""
    n = len(h)
    lower, middle, upper, right = ([0.0] * (n + 1) for _ in range(4))
    for k in range(1, n):
        lower[k], middle[k], upper[k] = h[k - 1], 2 * (h[k - 1] + h[k]), h[k]
        right[k] = 6 * (slopes[k] - slopes[k - 1])
    middle[0] = middle[n] = 1.0
    if clamped:
        middle[0], upper[0], right[0] = 2 * h[0], h[0], 6 * slopes[0]
        lower[n], middle[n], right[n] = h[-1], 2 * h[-1], -6 * slopes[-1]
    for k in range(1, n + 1):
        factor = lower[k] / middle[k - 1]
        middle[k] -= factor * upper[k - 1]
        right[k] -= factor * right[k - 1]
    found = [0.0] * (n + 2)
    for k in range(n, -1, -1):
        found[k] = (right[k] - upper[k] * found[k + 1]) / middle[k]
    return found[:-1]


# ---- checks ------------------------------------------------------------------------------------------------


def _listed(values: Any, name: str | None) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        if name is None:
            return [values]
        raise ArgumentError(f"{name} of a table is {values!r}", do="pass a list or an array") from None


def _number(x: Any, name: str) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{name} of a table holds {x!r}, which is no number", do="pass a list or an array of numbers"
        ) from None


def _refuse_uneven(times: Row, values: tuple[Row, ...], kind: str, ends: str) -> None:
    if kind not in KINDS:
        raise ArgumentError(f"kind of a table is {kind!r}", do=f"choose one of {', '.join(KINDS)}")
    if ends not in ENDS:
        raise ArgumentError(f"ends of a table are {ends!r}", do=f"choose one of {', '.join(ENDS)}")
    if not times or len(times) != len(values):
        raise ArgumentError(
            f"a table has {len(times)} times and {len(values)} values",
            do="give one row of values for each time",
        )
    wrong = [k for k in range(1, len(times)) if not times[k] > times[k - 1]]
    if wrong:
        k = wrong[0]
        raise ArgumentError(
            f"times of a table do not grow: {times[k]:g} follows {times[k - 1]:g} at entry {k}",
            do="sort them, and take out what comes twice",
        )
    if len({len(row) for row in values}) != 1:
        raise ArgumentError("rows of a table have not as many values", do="give each time as many")
