"""An account of a run in words and numbers, for a terminal of 80 columns."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory


def of_trajectory(run: Trajectory) -> str:
    """How the run was made, what it kept and by how much it missed, and what has diverged."""
    lines = [_title(run), "", f"{'':<28}{'at the start':>15}{'largest change':>17}{'relative':>11}"]
    lines += [line for name in run.columns for line in _row(run, name)]
    lines += _balance(run)
    if run.batch:
        lines += [
            "",
            f"Start: of the first motion. Changes: the largest of all {np.prod(run.batch):,} motions.",
        ]
    for name, event in run.events.items():
        lines.append(f"Event {name}: {int(np.sum(event.count)):,} times, first at t = {_first(event.t)}.")
    if "truncation" in run.facts:
        listed = ", ".join(f"{name} {error:.1e}" for name, error in run.facts["truncation"].items())
        lines += ["", fill(f"Truncation error, by halving the step: {listed}.", 80)]
    if "python_law" in run.facts:
        calls, seconds = run.facts["python_law_calls"], run.facts["python_law_seconds"]
        name = run.facts["python_law"]
        lines += ["", f"The law {name} is plain Python: called {calls:,} times, {seconds:.3g} s within it."]
    if run.facts.get("unfinished"):
        lines += ["", "Not finished: the same call with resume=True goes on."]
    return "\n".join([*lines, *_diverged(run)])


def _first(times: object) -> str:
    known = np.asarray(times)[np.isfinite(times)]  # type: ignore[call-overload]
    return f"{known.min():.6g} s" if known.size else "–"


def _title(run: Trajectory) -> str:
    facts = run.facts
    span = f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "no time"
    parts = [f"{run.name}: {span}"]
    if "method" in facts:
        tolerance = facts.get("tolerance")
        steps = f"{facts['steps']:,} steps of {facts['dt']:g} s"
        within = (
            f"read at {facts['steps'] + 1:,} times, tolerance {tolerance.relative:g}" if tolerance else steps
        )
        parts.append(f"{facts['method']}, {within}")
    parts.append(f"{len(run.t):,} records")
    return fill("; ".join(parts), 80)


def _row(run: Trajectory, name: str) -> list[str]:
    quantity = run.quantities[name]
    if quantity.role not in ("quaternion", "energy", "momentum", "audit"):
        return []
    change, relative = (float(np.nanmax(x)) if np.size(x) else 0.0 for x in _finite(run.drift(name)))
    if quantity.role == "quaternion":
        return [f"{f'norm of {name} − 1':<28}{'':>15}{change:>17.1e}"]
    start = np.asarray(run.columns[name])[(0,) * len(run.batch)][0]
    size = float(np.linalg.norm(start))
    label = f"{name.replace('_', ' ')} [{quantity.unit}]"
    note = "" if quantity.kept else "  driven"
    return [f"{label:<28}{size:>15.9g}{change:>17.1e}{relative:>11.1e}{note}"]


def _balance(run: Trajectory) -> list[str]:
    """Energy less the work done: what the method has made or lost."""
    if not {"energy", "work"} <= set(run.columns):
        return []
    axis = len(run.batch)
    energy, work = (np.asarray(run.columns[name], float) for name in ("energy", "work"))
    missing = np.abs(energy - np.take(energy, [0], axis=axis) - work)
    largest = float(np.nanmax(np.abs(work))) if np.isfinite(work).any() else 0.0
    off = float(np.nanmax(missing)) if np.isfinite(missing).any() else 0.0
    return [f"{'energy − work [J]':<28}{'':>15}{off:>17.1e}{off / largest if largest else 0.0:>11.1e}"]


def _finite(values: tuple[object, object]) -> list[np.ndarray]:
    """Without the motions that have diverged; they are told apart."""
    arrays = [np.atleast_1d(np.asarray(value, float)) for value in values]
    return [np.where(np.isfinite(a), a, 0.0) for a in arrays]


def _diverged(run: Trajectory) -> list[str]:
    at = np.asarray(run.diverged)
    bad = np.isfinite(at)
    if not bad.any():
        return []
    count = f"{int(bad.sum()):,} of {bad.size:,} motions" if run.batch else "The motion"
    return [f"{count} became infinite or NaN, seen first at t = {at[bad].min():.6g} s."]
