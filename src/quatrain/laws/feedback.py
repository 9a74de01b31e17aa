"""Laws that need no more than gains: PD, PID, feedback of the whole state, forces from a table in time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from quatrain.control import Control
from quatrain.equations import dynamics
from quatrain.equations.forces.numbers import given
from quatrain.equations.tables import Table
from quatrain.errors import ArgumentError
from quatrain.laws.targets import Driven, Gains, Target, aim_of, bounded, bounds_of, model_of
from quatrain.scalar import Scalar, abs, greater, logical_and, maximum, minimum, where


def pd(
    robot: Any,
    stiffness: Gains,
    damping: Gains,
    target: Target,
    *,
    gravity: bool = False,
    limit: Any = None,
    joints: Iterable[str] | None = None,
    every: int = 1,
) -> Control:
    """τ = K (q_d ⊖ q) + D (v_d − v), and with `gravity` + g(q); of a ball the difference is the rotation vector.

    `limit`: the greatest force, one number, one for each, or "model": the effort of its joints' limits.
    """
    model = model_of(robot)
    driven = Driven(model, "pd", _names(joints))
    K, D = driven.numbers(stiffness, "stiffness"), driven.numbers(damping, "damping")
    aim, bounds, own = aim_of(driven, target), bounds_of(driven, limit), set(driven.places)

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        q_d, v_d, _ = aim(t)
        error = dynamics.difference(model, q, q_d)
        tau = [
            given(p, k) * e + given(p, d) * (w_d - w)
            for k, d, e, w_d, w in zip(K, D, error, v_d, v, strict=True)
        ]
        if gravity:
            held = dynamics.gravity_force(model, q)
            tau = [a + (b if k in own else 0.0) for k, (a, b) in enumerate(zip(tau, held, strict=True))]
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def pid(
    robot: Any,
    stiffness: Gains,
    integral: Gains,
    damping: Gains,
    target: Target,
    *,
    gravity: bool = False,
    limit: Any = None,
    integral_limit: Any = None,
    joints: Iterable[str] | None = None,
    every: int = 1,
) -> Control:
    """τ = K e + I ∫e dt + D (v_d − v), e = q_d ⊖ q.

    The integral is summed at the law's rate. It stands still where the force is at its `limit` and e would drive it
    further, and I ∫e dt stays within ± `integral_limit`.
    """
    model = model_of(robot)
    driven = Driven(model, "pid", _names(joints))
    names = ("stiffness", "integral", "damping")
    K, Ki, D = (
        driven.numbers(x, name) for name, x in zip(names, (stiffness, integral, damping), strict=True)
    )
    aim, bounds, own = aim_of(driven, target), bounds_of(driven, limit), set(driven.places)
    most = None if integral_limit is None else driven.numbers(integral_limit, "integral_limit")

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> tuple[list[Scalar], Any]:
        q_d, v_d, _ = aim(t)
        error = dynamics.difference(model, q, q_d)
        # The first call has no time before it, and adds nothing.
        passed = (t - x["t"]) * x["seen"]
        held = dynamics.gravity_force(model, q) if gravity else [0.0] * model.nv
        tau, sums = [], []
        for k in range(model.nv):
            gain, before = given(p, Ki[k]), x["sum"][k]
            after = before + gain * error[k] * passed
            if most is not None:
                after = minimum(maximum(after, -given(p, most[k])), given(p, most[k]))
            rest = (
                given(p, K[k]) * error[k] + given(p, D[k]) * (v_d[k] - v[k]) + (held[k] if k in own else 0.0)
            )
            if bounds is not None and bounds[k] is not None:
                wound = greater(abs(rest + after), given(p, bounds[k]))
                after = where(logical_and(wound, greater((rest + after) * error[k], 0.0)), before, after)
            tau.append(rest + after)
            sums.append(after)
        return bounded(tau, bounds, p), {"sum": sums, "t": t, "seen": 1.0}

    return Control(law, start={"sum": np.zeros(model.nv), "t": 0.0, "seen": 0.0}, every=every)


def state_feedback(
    robot: Any, gain: Any, target: Target, *, feedforward: Any = None, limit: Any = None, every: int = 1
) -> Control:
    """τ = τ₀ − K (q ⊖ q_d, v − v_d) with K (nv, 2 nv), as an LQR design gives it."""
    model = model_of(robot)
    rows = np.asarray(gain, float)
    if rows.shape != (model.nv, 2 * model.nv):
        raise ArgumentError(
            f"gain of state_feedback has shape {rows.shape}; {model.name} needs ({model.nv}, {2 * model.nv})",
            do="give a row for each velocity, with columns for the errors of q, then of v",
        )
    K = [[float(x) for x in row] for row in rows]
    driven = Driven(model, "state_feedback", tuple(model.v_names))
    constant = driven.numbers(0.0 if feedforward is None else feedforward, "feedforward", least=None)
    aim, bounds = aim_of(driven, target), bounds_of(driven, limit)

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        q_d, v_d, _ = aim(t)
        error = [*dynamics.difference(model, q, q_d), *(b - a for a, b in zip(v, v_d, strict=True))]
        tau = [given(p, c) + _product(row, error) for c, row in zip(constant, K, strict=True)]
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def table(
    robot: Any,
    times: Any,
    values: Any,
    *,
    kind: str = "cubic",
    ends: str = "natural",
    joints: Iterable[str] | None = None,
    limit: Any = None,
    every: int = 1,
) -> Control:
    """Joint forces in time: values (n, m) at times (n), for the m velocities that are driven; see `Table`."""
    model = model_of(robot)
    driven = Driven(model, "table", _names(joints))
    forces = Table(times, values, kind, ends)
    if forces.size != len(driven.places):
        raise ArgumentError(
            f"the table of forces has {forces.size} columns; it drives {len(driven.places)} velocities",
            do=f"give as many columns, or name in joints= which of {model.name} it is for",
        )
    bounds = bounds_of(driven, limit)

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        tau: list[Scalar] = [0.0] * model.nv
        for k, force in zip(driven.places, forces(t), strict=True):
            tau[k] = force
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def _product(row: Sequence[float], x: Sequence[Scalar]) -> Scalar:
    return sum((entry * y for entry, y in zip(row, x, strict=True) if entry), 0.0)


def _names(joints: Iterable[str] | None) -> tuple[str, ...] | None:
    if joints is None:
        return None
    return (joints,) if isinstance(joints, str) else tuple(joints)
