"""Trajectories at other times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion
from quatrain.interpolation import slerp

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory


def resampled(run: Trajectory, times: Any) -> Trajectory:
    """Numbers along straight lines between two records, quaternions along the shorter arc, at even speed."""
    times = np.asarray(times, float).ravel()
    if not len(run.t) or not np.all((times >= run.t[0]) & (times <= run.t[-1])):
        span = f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "empty"
        raise ArgumentError(
            f"times from {times.min():g} to {times.max():g} s of a run that is {span}",
            do="ask for times within it",
        )
    place = np.clip(np.searchsorted(run.t, times, side="right") - 1, 0, max(0, len(run.t) - 2))
    after = np.minimum(place + 1, len(run.t) - 1)
    gap = np.where(after > place, run.t[after] - run.t[place], 1.0)
    part = (times - run.t[place]) / gap
    columns = {name: _column(run, name, place, after, part) for name in run.columns}
    return replace(run, t=times, columns=columns)


def _column(run: Trajectory, name: str, place: Any, after: Any, part: Any) -> Any:
    quantity, axis = run.quantities[name], len(run.batch)
    values = np.asarray(run.columns[name])
    a, b = values.take(place, axis=axis), values.take(after, axis=axis)
    weight = part[:, None] if values.ndim > axis + 1 else part
    found = np.where(weight == 0, a, a + (b - a) * weight)
    for k in (0,) if quantity.role == "quaternion" else quantity.quaternions:
        own = slice(k, k + 4)
        first, last = (Quaternion.from_array(x[..., own]) for x in (a, b))
        found[..., own] = slerp(first, last, part).to_array()
    return found
