"""What the numbers of an element may be: plain ones, checked when it is made, or names of parameters of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from quatrain.equations.freedoms import Freedom, freedoms
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3
from quatrain.model import Model
from quatrain.scalar import Scalar

Number: TypeAlias = Any
"""A scalar, or the name of a parameter of the run, of which each motion of a batch has its own."""


def given(p: Mapping[str, Any], value: Number) -> Scalar:
    """The number itself, or what the run's parameters hold under this name."""
    if not isinstance(value, str):
        return value
    if value not in p:
        raise ArgumentError(
            f"an element takes its number from the parameter {value!r}, which this run does not have",
            do=f"pass parameters={{{value!r}: …}} to the run",
        )
    return p[value]


def refuse_below(owner: object, least: float, *names: str) -> None:
    """An error if a number of an element is no number, or below what makes sense."""
    for name in names:
        for value in _numbers(getattr(owner, name)):
            if isinstance(value, str):
                continue
            if isinstance(value, (list, dict, bool)) or value is None:
                raise ArgumentError(
                    f"{name} of {_kind(owner)} is {value!r}, which is no number",
                    do="pass a number, or the name of a parameter of the run",
                )
            if isinstance(value, (int, float)) and not value >= least:
                raise ArgumentError(
                    f"{name} of {_kind(owner)} is {value!r}",
                    do="pass a number from zero up" if least == 0 else f"pass a number from {least:g} up",
                )


def refuse_zero(owner: object, *names: str) -> None:
    """An error if a number of an element is not above zero."""
    refuse_below(owner, 0.0, *names)
    for name in names:
        if any(isinstance(value, (int, float)) and value == 0 for value in _numbers(getattr(owner, name))):
            raise ArgumentError(f"{name} of {_kind(owner)} is zero", do="pass a number above zero")


def _numbers(value: Any) -> tuple[Any, ...]:
    return tuple(plain(x) for x in value) if isinstance(value, (tuple, Vec3)) else (plain(value),)


def _kind(owner: object) -> str:
    return type(owner).__name__


def own_vector(owner: object, name: str) -> Vec3:
    """The field as a vector, put in its place."""
    value = getattr(owner, name)
    entries = tuple(value) if isinstance(value, (Vec3, Iterable)) and not isinstance(value, str) else ()
    if len(entries) != 3:
        raise ArgumentError(f"{name} of {_kind(owner)} is {value!r}", do="give three numbers")
    vector = value if isinstance(value, Vec3) else Vec3(*(plain(x) for x in entries))
    object.__setattr__(owner, name, vector)
    return vector


def own_numbers(owner: object, *names: str) -> None:
    """Lists and arrays in these fields as tuples of plain numbers."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, (str, tuple, Vec3)) and isinstance(value, Iterable):
            object.__setattr__(owner, name, tuple(plain(x) for x in value))


def plain(x: Any) -> Any:
    """An array's entry as a number of Python's, anything else as it is."""
    return x.item() if hasattr(x, "item") and not getattr(x, "shape", None) else x


# ---- joints by name ----------------------------------------------------------------------------------------


def motions_of(model: Model, name: str) -> list[Freedom]:
    """Those of the joint of that name, or the one that a coordinate of that name belongs to."""
    every = list(freedoms(model))
    found = [one for one in every if one.joint.name == name]
    if not found and name in model.q_names:
        place = model.q_names.index(name)
        found = [one for one in every if one.q == place and one.joint.mimic is None and one.motion.nq == 1]
    if not found:
        known = [body.joint.name for body in model.bodies if body.joint.motions]
        near = [one for one in known if name.lower() in one.lower()] or known
        raise ArgumentError(
            f"{model.name} has no joint {name!r} that moves", do=f"name one of {', '.join(near[:8])}"
        )
    return found


def for_each(value: Number | Sequence[Number], count: int, owner: object, name: str) -> Sequence[Number]:
    """One number for each of so many, from one for all of them or from just as many."""
    if not isinstance(value, tuple):
        return (value,) * count
    if len(value) != count:
        there = "there is 1" if count == 1 else f"there are {count}"
        raise ArgumentError(
            f"{name} of {_kind(owner)} has {len(value)} numbers, and {there} to act on",
            do=f"give one number, or {count}",
        )
    return value
