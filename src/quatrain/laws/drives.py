"""What stands between a law and the joints: bounds, actuators of the model, motors. Each takes a law and gives one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from quatrain.control import Control, PythonLaw
from quatrain.equations import dynamics
from quatrain.equations.motors import Motor, motor_places
from quatrain.equations.tree_motion import places_of
from quatrain.errors import ArgumentError
from quatrain.laws.targets import Driven, bounded, bounds_of, model_of
from quatrain.scalar import Scalar, equal, greater_equal, where

Law = Control | Callable[..., Any]


def saturated(robot: Any, law: Law, limit: Any = "model") -> Control:
    """A law whose forces are kept within ± `limit`: numbers, a dict by joints, or the efforts of the model's limits."""
    model, inner = model_of(robot), as_control(law)
    bounds = bounds_of(Driven(model, "saturated", tuple(model.v_names)), limit)

    def bound(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> Any:
        tau, following = _asked(inner, t, q, v, x, p)
        found = bounded(_by_velocity(model, tau), bounds, p)
        return found if inner.start is None else (found, following)

    return replace(inner, law=bound)


def actuated(robot: Any, law: Law) -> Control:
    """A law that gives commands of the model's actuators, nu numbers or a dict by their names: gains, gears, servo
    terms and limits of commands and forces as the model has them. The servo terms too are held between two calls.
    """
    model, inner = model_of(robot), as_control(law)
    names = [actuator.name for actuator in model.actuators]
    if not names:
        raise ArgumentError(f"{model.name} has no actuators", do="give joint forces, without actuated(…)")

    def drive(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> Any:
        answer, following = _asked(inner, t, q, v, x, p)
        tau = dynamics.actuator_force(model, q, v, _commands(model.name, names, answer))
        return tau if inner.start is None else (tau, following)

    return replace(inner, law=drive)


def motorised(
    robot: Any, law: Law, motors: Mapping[str, Motor], *, command: str = "torque", every: int = 1
) -> Control:
    """A law whose joints are driven by motors; other joints get the law's forces as they are.

    What the law gives for a motor's joint is a `command`: "torque", the force of the joint that its drive tries to make
    as far as voltage and current go, or "voltage". The motor is stepped every `every` steps, whatever the law's own
    rate, with the exact solution of its circuit for a joint that keeps its rate; put its rotor into the model that is
    run with `with_rotors`.
    """
    model, inner = model_of(robot), as_control(law)
    if command not in ("torque", "voltage"):
        raise ArgumentError(f"command of motorised is {command!r}", do="pass 'torque' or 'voltage'")
    if not motors or not all(isinstance(motor, Motor) for motor in motors.values()):
        raise ArgumentError(
            f"motors is {type(motors).__name__} of {[type(m).__name__ for m in motors.values()] or 'nothing'}",
            do="pass a dict of joints and Motor(…)",
        )
    places, every_motor = motor_places(model, motors), tuple(motors.values())
    start: dict[str, Any] = {
        "current": np.zeros(len(places)), "settled": np.zeros(len(places)), "t": 0.0, "seen": 0.0
    }  # fmt: skip
    if inner.start is not None:
        start["law"] = inner.start
    if inner.every > 1:
        start |= {"command": np.zeros(model.nv), "count": 0.0}
    if inner.delay:
        start["coming"] = np.zeros((inner.delay, model.nv))

    def drive(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> Any:
        answer, following = _asked(inner, t, q, v, x.get("law"), p)
        asked = _by_velocity(model, answer)
        kept: dict[str, Any] = {"t": t, "seen": 1.0}
        if inner.every > 1:
            fresh = equal(x["count"], 0.0)
            asked = [where(fresh, new, old) for new, old in zip(asked, x["command"], strict=True)]
            following = _chosen(fresh, following, x.get("law"))
            count = x["count"] + 1.0
            kept |= {"command": asked, "count": where(greater_equal(count, float(inner.every)), 0.0, count)}
        if inner.start is not None:
            kept["law"] = following
        if inner.delay:
            coming = [asked, *x["coming"]]
            asked, kept["coming"] = list(coming.pop()), [list(row) for row in coming]
        passed = (t - x["t"]) * x["seen"]
        tau, currents, settled = list(asked), [], []
        for i, (k, motor) in enumerate(zip(places, every_motor, strict=True)):
            voltage = asked[k] if command == "voltage" else motor.commanded(asked[k], v[k])
            towards = motor.settled(voltage, v[k])
            now = (
                towards if motor.inductance == 0.0 else motor.later(x["current"][i], x["settled"][i], passed)
            )
            tau[k] = motor.torque(now)
            currents.append(now)
            settled.append(towards)
        return tau, {**kept, "current": currents, "settled": settled}

    return Control(drive, start, every)


def together(robot: Any, *laws: Law) -> Control:
    """The sum of several laws, each with its own state: a table of forces with PD about it. They have one rate."""
    model, parts = model_of(robot), [as_control(law) for law in laws]
    rates = {(part.every, part.delay) for part in parts}
    if len(rates) != 1:
        raise ArgumentError(
            f"together was given {len(parts)} laws with the rates and delays {sorted(rates)}",
            do="give one law or more, asked equally often: every=…",
        )
    start = {f"law{k}": part.start for k, part in enumerate(parts) if part.start is not None}

    def summed(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> Any:
        tau: list[Scalar] = [0.0] * model.nv
        following = {}
        for k, part in enumerate(parts):
            name = f"law{k}"
            answer, after = _asked(part, t, q, v, x[name] if name in start else None, p)
            tau = [a + b for a, b in zip(tau, _by_velocity(model, answer), strict=True)]
            if name in start:
                following[name] = after
        return (tau, following) if start else tau

    return replace(parts[0], law=summed, start=start or None)


# ---- the law inside ------------------------------------------------------------------------------------------


def as_control(law: Law) -> Control:
    if isinstance(law, PythonLaw):
        raise ArgumentError(
            "a law in plain Python was to be put behind a drive, which is traced into the kernel",
            do="write the law for tracing, or have the Python law itself do what the drive does",
        )
    return law if isinstance(law, Control) else Control(law)


def _asked(inner: Control, t: Scalar, q: Any, v: Any, x: Any, p: Any) -> tuple[Any, Any]:
    answer = inner.law(t, q, v, x, p)
    if inner.start is None:
        return answer, None
    if not (isinstance(answer, tuple) and len(answer) == 2):
        name = getattr(inner.law, "__name__", "law")
        raise ArgumentError(
            f"the control law {name} has a state and returns a {type(answer).__name__}",
            do="return two values: the input, and the law's next state",
        )
    return answer


def _by_velocity(model: Any, answer: Any) -> list[Scalar]:
    """nv numbers, from as many or from a dict by joints."""
    if isinstance(answer, Mapping):
        at_v: Mapping[str, Any] = places_of(model)[1]
        tau: list[Any] = [0.0] * model.nv
        for name, value in answer.items():
            if name not in at_v:
                raise ArgumentError(
                    f"the control law gives a force for {name!r}, which is no velocity of {model.name}",
                    do=f"name some of {', '.join(list(at_v)[:8])}",
                )
            tau[at_v[name]] = value if isinstance(at_v[name], int) else list(value)
        return tau
    values = list(answer)
    if len(values) != model.nv:
        raise ArgumentError(
            f"the control law gives {len(values)} forces; {model.name} has nv = {model.nv}",
            do="return one for each velocity, or a dict by names of joints",
        )
    return values


def _commands(name: str, actuators: list[str], answer: Any) -> list[Scalar]:
    if isinstance(answer, Mapping):
        for actuator in answer:
            if actuator not in actuators:
                raise ArgumentError(
                    f"the control law commands {actuator!r}, which is no actuator of {name}",
                    do=f"name some of {', '.join(actuators[:8])}",
                )
        return [answer.get(actuator, 0.0) for actuator in actuators]
    values = list(answer)
    if len(values) != len(actuators):
        raise ArgumentError(
            f"the control law gives {len(values)} commands; {name} has nu = {len(actuators)}",
            do="return one for each actuator, or a dict by their names",
        )
    return values


def _chosen(fresh: Any, new: Any, old: Any) -> Any:
    """Entry by entry, of nested dicts, tuples and arrays."""
    if new is None:
        return None
    if isinstance(new, Mapping):
        return {name: _chosen(fresh, new[name], old[name]) for name in new}
    if isinstance(new, (tuple, list)) or np.ndim(new):
        return [_chosen(fresh, a, b) for a, b in zip(new, old, strict=True)]
    return where(fresh, new, old)
