"""Numbers that a user gives, each checked once."""

from __future__ import annotations

import math
from typing import Any

from quatrain.body import vector
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3


def number(
    value: Any, name: str, unit: str, *, above: float | None = None, least: float | None = None
) -> float:
    """A finite number, above or not below a bound."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    if not math.isfinite(result):
        raise ArgumentError(f"{name} is {value!r}", do=f"pass a finite number{f' in {unit}' if unit else ''}")
    if above is not None and not result > above:
        raise ArgumentError(f"{name} is {result:g} {unit}".rstrip(), do=f"pass a number above {above:g}")
    if least is not None and not result >= least:
        raise ArgumentError(f"{name} is {result:g} {unit}".rstrip(), do=f"pass a number from {least:g} up")
    return result


def direction(value: Any, name: str) -> Vec3:
    """The unit vector along three numbers, of which one at least is not zero."""
    v = vector(value, name)
    length = math.hypot(*v)
    if not (0 < length < math.inf):
        raise ArgumentError(
            f"{name} is {tuple(v)}, which has no direction", do="pass an axis that is not zero"
        )
    return v / length
