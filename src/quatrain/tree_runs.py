"""What a run of a tree of bodies consists of: its equations under loads, and what can be recorded of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from quatrain import varying
from quatrain.compiler import structure
from quatrain.equations import dynamics
from quatrain.equations.forces.balance import power as force_power
from quatrain.equations.stepping import System
from quatrain.equations.stepping.nested import Nested, scalars
from quatrain.equations.tree import Tree
from quatrain.equations.tree_motion import (
    Loads,
    Named,
    State,
    linearly_implicit_euler,
    places_of,
    tree_system,
)
from quatrain.errors import ArgumentError
from quatrain.model import WORLD, Body, Model
from quatrain.scalar import Scalar, abs, equal, less_equal, logical_and, where
from quatrain.simulation import Mechanism, Parameters
from quatrain.trajectory import QUATERNION, VECTOR, Quantity

RUNAWAY = 1e12
"""A velocity or a law's force beyond this, or one that is no number, ends a motion, if nobody says another bound."""

Sensor = Callable[[State], Any]
"""Anything that a state tells: a number, a vector, a quaternion, or a sequence of numbers."""


@dataclass(frozen=True)
class Recorded:
    """A quantity of a run, and where it comes from."""

    quantity: Quantity
    value: Sensor | None
    """None of what is summed up over the steps."""


def known_quantities(model: Model, loads: Loads, *, controlled: bool) -> dict[str, Recorded]:
    """What can be recorded of every tree, by name."""
    alone = not (controlled or loads.forces or (loads.passive and _loses(model)))
    drifts = alone and not any(model.gravity) and _floats(model)
    moment = ("px", "py", "pz", "Lx", "Ly", "Lz")

    def energy(s: State) -> Scalar:
        stored = dynamics.spring_energy(s.model, s.q) if loads.passive else 0.0
        return dynamics.energy(s.model, s.q, s.v) + stored

    found = [
        Recorded(Quantity("q", "", "", model.q_names, quaternions=_quaternions(model)), lambda s: s.q),
        Recorded(Quantity("v", "", "", model.v_names), lambda s: s.v),
        Recorded(Quantity("energy", "J", "", (), "energy", alone), energy),
        Recorded(Quantity("kinetic_energy", "J"), lambda s: dynamics.kinetic_energy(s.model, s.q, s.v)),
        Recorded(Quantity("potential_energy", "J"), lambda s: dynamics.potential_energy(s.model, s.q)),
        Recorded(
            Quantity(
                "momentum", "kg m/s, kg m²/s", "about the centre of mass, in W", moment, "momentum", drifts
            ),
            lambda s: dynamics.momentum_rows(s.model, s.q, s.v),
        ),
        Recorded(
            Quantity("center_of_mass", "m", "in W", VECTOR), lambda s: dynamics.center_of_mass(s.model, s.q)
        ),
        Recorded(
            Quantity("acceleration", "", "", model.v_names),
            lambda s: s.acceleration,
        ),
    ]
    found.append(Recorded(Quantity("work", "J", "of all that energy does not count", (), "work"), None))
    if controlled:
        found.append(Recorded(Quantity("tau", "", "of the control law", model.v_names), lambda s: s.tau))
    return {recorded.quantity.name: recorded for recorded in found}


def _quaternions(model: Model) -> tuple[int, ...]:
    return tuple(segment.q for segment in Tree.of(model).segments if segment.kind == "ball")


def _floats(model: Model) -> bool:
    """Whether nothing of it is held by the ground."""
    return all(body.joint.kind == "free" for body in model.bodies if body.parent == WORLD)


def _loses(model: Model) -> bool:
    return any(any(body.joint.damping) or any(body.joint.friction) for body in model.bodies)


def recorded(
    model: Model, names: Iterable[str] | Mapping[str, Any], loads: Loads, *, controlled: bool
) -> dict[str, Recorded]:
    """What a run is asked to record: names of known quantities, `"<frame>.position"` and the like, sensors by name."""
    known = known_quantities(model, loads, controlled=controlled)
    if isinstance(names, str):
        names = (names,)
    wanted = names if isinstance(names, Mapping) else dict.fromkeys(names)
    found = {}
    for name, sensor in wanted.items():
        if callable(sensor):
            found[name] = sensor if isinstance(sensor, Recorded) else _of_sensor(name, sensor)
        elif name in known:
            found[name] = known[name]
        else:
            found[name] = _of_frame(model, name, known)
    return found


def _of_sensor(name: str, sensor: Sensor) -> Recorded:
    quantity = getattr(sensor, "quantity", None)
    if callable(quantity):
        quantity = quantity(name)
    unit, frame, components = getattr(sensor, "unit", ""), getattr(sensor, "frame", ""), ()
    return Recorded(quantity or Quantity(name, unit, frame, components), sensor)


def _of_frame(model: Model, name: str, known: Mapping[str, Any]) -> Recorded:
    """`"hand.position"`, `"hand.attitude"`, `"hand.velocity"`, `"hand.rate"`."""
    frame, _, what = name.rpartition(".")
    if what not in _OF_FRAMES or frame not in ("world", *model.frame_names):
        places = ", ".join(f"<frame>.{what}" for what in _OF_FRAMES)
        raise ArgumentError(
            f"{model.name} has no quantity {name!r} to record",
            do=f"choose from {', '.join(known)}, {places}, or give a function of the state: "
            "record={'name': lambda s: …}",
        )
    make, value = _OF_FRAMES[what]
    return Recorded(make(name), lambda s: value(s, frame))


_OF_FRAMES: dict[str, tuple[Callable[[str], Quantity], Callable[[State, str], Any]]] = {
    "position": (lambda n: Quantity(n, "m", "in W", VECTOR), lambda s, f: s.pose(f).p),
    "attitude": (lambda n: Quantity(n, "", "in W", QUATERNION, "quaternion"), lambda s, f: s.pose(f).q),
    "velocity": (lambda n: Quantity(n, "m/s", "of its origin, in W", VECTOR), lambda s, f: s.velocity(f)[0]),
    "rate": (lambda n: Quantity(n, "rad/s", "in W", VECTOR), lambda s, f: s.velocity(f)[1]),
}


# ---- the mechanism ---------------------------------------------------------------------------------------


def tree_mechanism(
    model: Model,
    loads: Loads,
    record: Mapping[str, Recorded],
    vary: tuple[str, ...],
    *,
    controlled: bool,
    runaway: float | Mapping[str, float] = RUNAWAY,
) -> Mechanism:
    """q and v are those of the model; `vary` names parts of it that p holds; `runaway` bounds velocities."""
    at_q, at_v = places_of(model)
    bounds = (*velocity_bounds(model, runaway), *[RUNAWAY] * model.nv)

    def model_in(p: Parameters) -> Model:
        return varying.put(model, {name: p[name] for name in vary})

    def state(t: Scalar, q: Nested, v: Nested, u: Nested, p: Parameters) -> State:
        return State(model_in(p), t, Named.of(q, at_q), Named.of(v, at_v), p, u, loads)

    def system(u: Nested, p: Parameters) -> System:
        return tree_system(model_in(p), loads, u, p)

    def observe(t: Scalar, q: Nested, v: Nested, u: Nested, p: Parameters) -> dict[str, Nested]:
        here = state(t, q, v, u, p)
        return {name: _as_recorded(each.value(here), name) for name, each in record.items() if each.value}

    def power(t: Scalar, q: Nested, v: Nested, u: Nested, p: Parameters) -> Scalar:
        """Of the law, of losses in joints, and of every force."""
        here = state(t, q, v, u, p)
        loose = replace(here.model, bodies=tuple(_unsprung(body) for body in here.model.bodies))
        total = sum((force_power(here, force) for force in loads.forces), 0.0)
        given = [u] if u is not None else []
        given += [dynamics.passive_force(loose, q, v)] if loads.passive else []
        return total + sum((a * b for tau in given for a, b in zip(tau, v, strict=True)), 0.0)

    def sound(q: Nested, v: Nested, u: Nested) -> tuple[Any, Scalar]:
        good: Any = True
        culprit: Scalar = 0.0
        velocities = list(enumerate(v))
        given = [x.item() if isinstance(x, np.generic) else x for x in (() if u is None else u)]
        inputs = list(enumerate(given, model.nv))
        # The last that is found counts: of several velocities the first, and before these what the law gave.
        for k, x in (*reversed(velocities), *reversed(inputs)):
            bounded = less_equal(abs(x), bounds[k])
            good, culprit = (
                logical_and(good, bounded),
                where(bounded, culprit, where(equal(x, x), k, k + 0.5)),
            )
        return good, culprit * 2

    return Mechanism(
        name=model.name,
        q=structure.Array((model.nq,)),
        v=structure.Array((model.nv,)),
        system=system,
        observe=observe,
        quantities=tuple(each.quantity for each in record.values()),
        input=structure.Array((model.nv,)) if controlled else None,
        read_input=partial(joint_forces, model),
        seen=lambda q, v, p: (Named.of(q, at_q), Named.of(v, at_v)),
        steppers={"linearly_implicit_euler": lambda u, p: linearly_implicit_euler(model_in(p), loads, u, p)},
        sound=sound,
        integrals={"work": power} if "work" in record else {},
        culprits=tuple(
            f"{name} was {how}"
            for name, bound in zip(
                (*model.v_names, *(f"the control law's {name}" for name in model.v_names)),
                bounds,
                strict=True,
            )
            for how in (f"beyond {bound:g}".replace("+", ""), "NaN")
        ),
        parameters={name: varying.Part.named(model, name).shape for name in vary},
    )


def velocity_bounds(model: Model, runaway: Any) -> list[float]:
    """Of each velocity the magnitude that ends a motion: one for all, or by the names of velocities or joints."""
    _, places = places_of(model)
    found = [RUNAWAY] * model.nv
    for name, bound in (runaway if isinstance(runaway, Mapping) else {"": runaway}).items():
        if name and name not in places:
            raise ArgumentError(
                f"runaway bounds {name!r}, which is no velocity of {model.name}",
                do=f"name some of {', '.join(list(places)[:8])}",
            )
        if not isinstance(bound, (int, float)) or isinstance(bound, bool) or not 0 < bound < math.inf:
            raise ArgumentError(
                f"runaway{f' of {name!r}' if name else ''} is {bound!r}",
                do="pass the speed at which a motion is given up, finite and above zero, in rad/s or m/s",
            )
        for k in np.arange(model.nv)[places[name] if name else slice(None)].ravel():
            found[k] = float(bound)
    return found


def _unsprung(body: Body) -> Body:
    return replace(body, joint=replace(body.joint, stiffness=()))


def _as_recorded(value: Any, name: str) -> Any:
    """A number, or an array of numbers."""
    if isinstance(value, (tuple, list)):
        return np.array(list(scalars(tuple(value))), dtype=object)
    if isinstance(value, np.ndarray):
        return value.ravel()
    return value


def joint_forces(model: Model, answer: Any) -> Any:
    """A law's answer as an array: nv numbers, or a dict by the names of velocities or joints, others zero."""
    if not isinstance(answer, Mapping):
        return np.array(list(answer), dtype=object) if isinstance(answer, (tuple, list)) else answer
    _, places = places_of(model)
    found = np.array([0.0] * model.nv, dtype=object)
    for name, value in answer.items():
        if name not in places:
            raise ArgumentError(
                f"the control law gives a force for {name!r}, which is no velocity of {model.name}",
                do=f"name some of {', '.join(list(places)[:8])}",
            )
        found[places[name]] = list(value) if isinstance(value, (tuple, list)) else value
    return found
