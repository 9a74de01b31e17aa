"""What a law steers to, and for which joints: targets, gains and bounds as users give them, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from quatrain.equations import dynamics
from quatrain.equations.forces.numbers import given, plain
from quatrain.equations.freedoms import freedoms
from quatrain.equations.tables import Table
from quatrain.equations.tree_motion import places_of
from quatrain.errors import ArgumentError
from quatrain.model import Model
from quatrain.scalar import Scalar, maximum, minimum

Aim: TypeAlias = tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]]
"""Configuration, velocities, accelerations."""

Target: TypeAlias = Any
"""A configuration (nq), a dict of joints, the name of a keyframe, a `Table` with a column for each velocity that is
driven, or a function of time that gives q, (q, v) or (q, v, a)."""

Gains: TypeAlias = Any
"""One number, one for each velocity that is driven, or a dict by names of joints; of names of parameters likewise."""


def model_of(robot: Any) -> Model:
    """Of a robot, or the model itself."""
    model = robot if isinstance(robot, Model) else getattr(robot, "model", None)
    if not isinstance(model, Model):
        raise ArgumentError(
            f"a law was asked for a {type(robot).__name__}", do="pass a Robot or a Model first"
        )
    return model


# ---- who is driven -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Driven:
    """The velocities that a law gives forces to: those of the joints named, or all but those of free joints."""

    model: Model
    law: str
    joints: tuple[str, ...] | None = None

    @cached_property
    def places(self) -> tuple[int, ...]:
        at_v = places_of(self.model)[1]
        if self.joints is None:
            free = [body.joint.name for body in self.model.bodies if body.joint.kind == "free"]
            passive = {k for name in free for k in _indices(at_v[name])}
            return tuple(k for k in range(self.model.nv) if k not in passive)
        for name in self.joints:
            if name not in at_v:
                raise ArgumentError(
                    f"{self.law} is to drive {name!r}, which is no joint of {self.model.name} with a velocity",
                    do=f"name some of {', '.join(list(at_v)[:8])}",
                )
        return tuple(sorted(k for name in self.joints for k in _indices(at_v[name])))

    def numbers(self, value: Any, name: str, *, least: float | None = 0.0) -> list[Any]:
        """One for each velocity, zero for those that are not driven."""
        found: list[Any] = [0.0] * self.model.nv
        for k, x in zip(self.places, self._each(value, name), strict=True):
            self._refuse(x, name, least)
            found[k] = x
        return found

    def _each(self, value: Any, name: str) -> Sequence[Any]:
        if isinstance(value, Mapping):
            return self._by_name(value, name)
        if isinstance(value, str) or not isinstance(value, Iterable):
            return (value,) * len(self.places)
        entries = [plain(x) for x in value]
        if len(entries) == self.model.nv:
            return [entries[k] for k in self.places]
        if len(entries) != len(self.places):
            raise ArgumentError(
                f"{name} of {self.law} has {len(entries)} numbers; it drives {len(self.places)} velocities",
                do=f"give one number, {len(self.places)}, or a dict by names of joints",
            )
        return entries

    def _by_name(self, value: Mapping[str, Any], name: str) -> Sequence[Any]:
        at_v = places_of(self.model)[1]
        found: dict[int, Any] = dict.fromkeys(self.places, 0.0)
        for joint, x in value.items():
            if joint not in at_v or not set(_indices(at_v[joint])) <= set(found):
                names = [n for n, place in at_v.items() if set(_indices(place)) <= set(found)]
                raise ArgumentError(
                    f"{name} of {self.law} names {joint!r}, which it does not drive",
                    do=f"name some of {', '.join(names[:8])}",
                )
            found |= dict.fromkeys(_indices(at_v[joint]), plain(x))
        return [found[k] for k in self.places]

    def _refuse(self, x: Any, name: str, least: float | None) -> None:
        if isinstance(x, str):
            return
        if x is None or isinstance(x, (bool, list, tuple)):
            raise ArgumentError(
                f"{name} of {self.law} holds {x!r}, which is no number",
                do="pass numbers, or names of parameters of the run",
            )
        if isinstance(x, (int, float)) and (x != x or (least is not None and x < least)):
            raise ArgumentError(
                f"{name} of {self.law} holds {x!r}", do=f"pass numbers from {least or 0:g} up"
            )


def _indices(place: int | slice) -> range:
    return range(place, place + 1) if isinstance(place, int) else range(place.start, place.stop)


# ---- bounds ------------------------------------------------------------------------------------------------


def bounds_of(driven: Driven, limit: Any) -> list[Any] | None:
    """Of forces: None, numbers, or "model": the effort that its joints allow."""
    if limit is None:
        return None
    if limit == "model" if isinstance(limit, str) else False:
        found: list[Any] = [None] * driven.model.nv
        for body, start in zip(driven.model.bodies, driven.model.v_starts, strict=True):
            if body.joint.mimic is None:
                for k, own in enumerate(body.joint.limits, start):
                    found[k] = own.effort
        if all(x is None for x in found):
            raise ArgumentError(
                f"limit of {driven.law} is 'model', and no joint of {driven.model.name} has a limit of effort",
                do="give the limits as numbers",
            )
        return found
    return driven.numbers(limit, "limit")


def bounded(tau: Sequence[Scalar], bounds: Sequence[Any] | None, p: Mapping[str, Any]) -> list[Scalar]:
    """Each force within ± its bound."""
    if bounds is None:
        return list(tau)
    return [
        x if most is None else minimum(maximum(x, -given(p, most)), given(p, most))
        for x, most in zip(tau, bounds, strict=True)
    ]


# ---- targets -----------------------------------------------------------------------------------------------


def aim_of(driven: Driven, target: Target) -> Callable[[Scalar], Aim]:
    """t → (q, v, a), whatever a user gave."""
    model, law = driven.model, driven.law
    rest = (0.0,) * model.nv
    if isinstance(target, Table):
        return _along(driven, target)
    if callable(target):
        return lambda t: _completed(model, target(t), law)
    q = _configuration(model, target, law)
    return lambda t: (q, rest, rest)


def _along(driven: Driven, table: Table) -> Callable[[Scalar], Aim]:
    """Of a table with a column for each velocity that is driven; the other coordinates stay at zero."""
    model = driven.model
    single = {motion.v: motion.q for motion in freedoms(model) if motion.motion.nq == 1}
    if not set(driven.places) <= set(single):
        raise ArgumentError(
            f"{driven.law} is to follow a table with joints whose quaternions splines do not join",
            do="name in joints= those that turn or slide, or give a function of time",
        )
    if table.size != len(driven.places):
        raise ArgumentError(
            f"the table that {driven.law} is to follow has {table.size} columns; "
            f"it drives {len(driven.places)} velocities",
            do="give one column for each, or name in joints= which the table is for",
        )
    neutral, rest = dynamics.neutral(model), [0.0] * model.nv

    def placed(base: Sequence[Scalar], places: Iterable[int], values: Sequence[Scalar]) -> list[Scalar]:
        found = list(base)
        for k, value in zip(places, values, strict=True):
            found[k] = value
        return found

    return lambda t: (
        placed(neutral, [single[k] for k in driven.places], table(t)),
        placed(rest, driven.places, table.rate(t)),
        placed(rest, driven.places, table.acceleration(t)),
    )


def _configuration(model: Model, target: Any, law: str) -> tuple[float, ...]:
    if isinstance(target, str):
        return model.keyframe(target).q
    if isinstance(target, Mapping):
        at_q, q = places_of(model)[0], list(dynamics.neutral(model))
        for name, value in target.items():
            if name not in at_q:
                raise ArgumentError(
                    f"the target of {law} names {name!r}, which is no joint of {model.name} with coordinates",
                    do=f"name some of {', '.join(list(at_q)[:8])}",
                )
            q[at_q[name]] = value if isinstance(at_q[name], int) else [plain(x) for x in value]
        target = q
    entries = tuple(plain(x) for x in target) if isinstance(target, Iterable) else ()
    if len(entries) != model.nq:
        came = f"has {len(entries)} numbers" if entries else f"is {target!r}"
        raise ArgumentError(
            f"the target of {law} {came}; {model.name} has nq = {model.nq}",
            do="give a configuration, a dict of joints, the name of a keyframe, a Table or a function of time",
        )
    return entries


def _completed(model: Model, found: Any, law: str) -> Aim:
    """q, (q, v) or (q, v, a) that a user's function gave."""
    parts = found if isinstance(found, tuple) and found and _is_list(found[0]) else (found,)
    lists = [tuple(part) if _is_list(part) else () for part in parts]
    sizes = (model.nq, model.nv, model.nv)
    if len(lists) > 3 or any(len(x) != n for x, n in zip(lists, sizes, strict=False)):
        raise ArgumentError(
            f"the target of {law} gives lists of {', '.join(str(len(x)) for x in lists)} numbers",
            do=f"return q ({model.nq}), or (q, v) or (q, v, a) with v and a ({model.nv})",
        )
    rest = (0.0,) * model.nv
    q, v, a = (*lists, rest, rest)[:3]
    return q, v, a


def _is_list(x: Any) -> bool:
    return hasattr(x, "__len__") and not isinstance(x, str)
