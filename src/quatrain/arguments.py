"""What comes to the methods of a `Robot` beside states, brought to the form that kernels take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.errors import ArgumentError


def sight(frame: str, point: Any, axes: str, relative_to: str) -> dict[str, Any]:
    """What code is made for: whose motion, of which point, seen from where and in which axes."""
    if point is not None:
        given = floats([*point] if isinstance(point, Iterable) else [point], "point")
        point = dynamics.vector(given.tolist(), "point")
    return {"frame": frame, "point": point, "axes": axes, "relative_to": relative_to}


def spread(lower: float | None, upper: float | None, span: float) -> tuple[float, float]:
    """From −span to span, cut by the bounds; beside a bound that is further out, as wide."""
    if lower is not None and upper is not None:
        return lower, upper
    if lower is not None:
        return lower, span if lower < span else lower + 2 * span
    if upper is not None:
        return -span if upper > -span else upper - 2 * span, upper
    return -span, span


def wrench(given: Any, frame: str) -> Any:
    """Force and torque at a frame as one array (..., 6)."""
    parts = given if isinstance(given, (tuple, list)) else (given,)
    halves = [floats(part, f"external[{frame!r}]") for part in parts]
    if [half.shape[-1:] for half in halves] != [(3,), (3,)]:
        raise ArgumentError(
            f"external[{frame!r}] has parts of shape {', '.join(str(half.shape) for half in halves)}",
            do="give a force and a torque, of three numbers each, (..., 3)",
        )
    return np.concatenate(np.broadcast_arrays(*halves), axis=-1)


def floats(value: Any, name: str) -> Any:
    """As an array of them."""
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is {value!r}, no array of numbers", do="pass numbers") from error
