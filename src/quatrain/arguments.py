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
    """From −span to span, cut by the bounds; beside a bound that is further out, as wide.

    Bounds ten thousand spans away, with which files say that there are none, are none: at an angle of 1e16 no float
    knows where the joint is.
    """
    far = 1e4 * span
    lower = None if lower is not None and lower < -far else lower
    upper = None if upper is not None and upper > far else upper
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


def projected(q: Any, quaternions: Iterable[tuple[int, str]], name: str) -> Any:
    """A copy of q with its quaternions, where they begin and whose they are, divided by their norms."""
    q = np.array(q, np.float32 if q.dtype == np.float32 else float)
    for k, joint in quaternions:
        norm = np.linalg.norm(q[..., k : k + 4], axis=-1)
        if np.any(norm == 0):
            raise wrong_norm(name, norm, norm == 0, k, joint)
        q[..., k : k + 4] /= norm[..., None]
    return q


def wrong_norm(name: str, norm: Any, wrong: Any, first: int, joint: str) -> ArgumentError:
    """That a quaternion is no rotation: which one, in which state."""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return ArgumentError(
        f"{name} has a quaternion of norm {norm[place]:.9g} at joint {joint!r}, entries {first} to {first + 3}"
        f"{f', index {place}' if place else ''}",
        do="normalise it: order (w, x, y, z); quatrain.Quaternion.from_xyzw takes the other. A robot made with "
        'normalize="project" does it itself, but for zero',
    )
