"""What comes into a run, checked: durations, starts, and what control laws return."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from quatrain.compiler import Program, structure
from quatrain.compiler.traced import is_scalar
from quatrain.equations.stepping.nested import Nested, parts, rebuilt
from quatrain.errors import ArgumentError, with_article
from quatrain.scalar import where


def whole_steps(duration: float, dt: float, record_every: int) -> int:
    """How many steps of dt there are in the duration, which must be a whole number of records."""
    for name, value in (("dt", dt), ("duration", duration)):
        if not isinstance(value, (int, float, np.integer, np.floating)) or isinstance(value, bool):
            raise ArgumentError(f"{name} is {value!r}, not a number", do="pass seconds as a number")
    if not (math.isfinite(dt) and dt > 0):
        raise ArgumentError(f"dt is {dt} s", do="pass a step size above zero, such as dt=1e-3")
    if not (math.isfinite(duration) and duration >= 0):
        raise ArgumentError(f"duration is {duration} s", do="pass a finite time from zero up")
    if not isinstance(record_every, (int, np.integer)) or record_every < 1:
        raise ArgumentError(
            f"record_every is {record_every!r}",
            do="pass a whole number of steps from 1 up between two records",
        )
    steps = round(duration / dt)
    if abs(steps * dt - duration) > 1e-6 * dt:
        raise ArgumentError(
            f"a duration of {duration} s is {duration / dt:.6g} steps of {dt} s, not a whole number",
            do=f"pass duration={steps * dt:.12g}, or dt={duration / max(steps, 1):.12g}",
        )
    if steps % record_every:
        best = next(k for k in range(record_every, 0, -1) if steps % k == 0)
        raise ArgumentError(
            f"{steps} steps recorded every {record_every} would leave out the end",
            do=f"pass a record_every that divides {steps}, such as {best}",
        )
    return steps


def one_batch(**shapes: tuple[int, ...]) -> None:
    """An error where the leading axes of what begins a run are not those of one batch."""
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items() if shape)
        raise ArgumentError(
            f"the leading axes of the starts do not fit together: {listed}",
            do="give as many of each, or one for all",
        ) from None


def unit_quaternions(array: Any, name: str, normalize: str) -> Any:
    """Quaternions (..., 4) of unit norm; an error that names the worst, or the nearest ones."""
    if normalize not in ("check", "project"):
        raise ArgumentError(f"normalize is {normalize!r}", do='pass "check" or "project"')
    values = np.asarray(array)
    if values.ndim < 1 or values.shape[-1] != 4:
        return values  # the kernel says what is wrong with the shape
    if values.dtype != np.float32:
        values = values.astype(float)
    norm = np.sqrt((values.astype(float) ** 2).sum(axis=-1))
    if normalize == "project":
        if np.any(norm == 0) or not np.all(np.isfinite(norm)):
            raise ArgumentError(
                f"{name} holds a quaternion of norm zero, NaN or infinity", do="pass rotations"
            )
        return values / norm[..., None].astype(values.dtype)
    off = ~(np.abs(norm - 1) <= (1e-5 if values.dtype == np.float32 else 1e-9))
    if np.any(off):
        place = tuple(int(i) for i in np.argwhere(off)[0])
        at = f"[{', '.join(map(str, place))}]" if place else ""
        raise ArgumentError(
            f"{name}{at} has the norm {norm[place]:.12g}; a rotation needs a unit quaternion (w, x, y, z)",
            do='divide it by its norm, or pass normalize="project"',
        )
    return values


def refuse_unread(step: Program, prefix: str, names: Iterable[str]) -> None:
    """An error where a parameter of the user's own goes into the step and nothing in it needs it: a name misspelt."""
    needed = {node[1] for node in step.graph.nodes if node[0] == "input"}
    for name in names:
        if needed.isdisjoint(step.input_port(prefix + name).numbers):
            raise ArgumentError(
                f"the parameter {name!r} is read by no force, torque, law or event of this run",
                do=f"read it as p[{name!r}] in one of them, check how it is spelt, or leave it out",
            )


class Given(dict[str, Any]):
    """The parameters of a run as laws and forces see them: one that nobody gave is told by its name."""

    def __missing__(self, name: str) -> Any:
        there = ", ".join(self) or "none"
        raise ArgumentError(
            f"the parameter {name!r} is read, and was not given; given are: {there}",
            do=f"name it where the run is made: parameters={{{name!r}: …}}, or parameters=[{name!r}] of a simulation",
        )


def declaration_of(value: Any) -> Any:
    """How a value without batch axes is declared to the compiler."""
    inner = structure.parts_of(value) if not isinstance(value, list) else None
    if inner is not None:
        kind, names, parts = inner
        return structure.rebuilt(kind, names, [declaration_of(part) for part in parts])
    shape = np.shape(value)
    return float if shape == () else shape


def fitted(declared: structure.Structure, value: Any, what: str) -> Nested:
    """A value as declared; arrays, lists and tuples of the right length serve for a record."""
    given = _entries(value)
    if isinstance(declared, structure.Number) and is_scalar(value):
        return value
    if isinstance(declared, structure.Record):
        if isinstance(value, declared.kind):
            return value
        if given is not None and len(given) == len(declared.fields) and all(is_scalar(x) for x in given):
            return declared.kind(*given)
    if isinstance(declared, structure.Array) and np.shape(np.asarray(value, dtype=object)) == declared.shape:
        return np.asarray(value, dtype=object)
    if isinstance(declared, structure.Group) and isinstance(value, Mapping):
        given = [value[name] for name in declared.names] if set(value) == set(declared.names) else []
    if isinstance(declared, structure.Group) and given is not None and len(given) == len(declared.parts):
        parts = [fitted(part, x, what) for part, x in zip(declared.parts, given, strict=True)]
        return structure.rebuilt(declared.kind, declared.names, parts)
    raise ArgumentError(
        f"{what} is {_described(value, given)}; it must be {structure.text(declared)}",
        do="return just that; its numbers may be traced values or plain ones",
    )


def _described(value: Any, given: list[Any] | None) -> str:
    if value is None:
        return "None"
    if given is None:
        return "one number" if is_scalar(value) else with_article(type(value))
    return f"{with_article(type(value))} of {len(given)} values"


def tuples(value: Nested) -> Nested:
    """Arrays of scalars as tuples, which steppers can take apart."""
    if isinstance(value, np.ndarray):
        return tuple(tuples(part) for part in value) if value.ndim else value[()]
    inner = parts(value)
    return value if inner is None else rebuilt(value, [tuples(part) for part in inner])


def renewed(declared: structure.Structure, fresh: Any, new: Nested, old: Nested) -> Nested:
    """The new value where `fresh` holds, else the old one; both as declared."""
    pairs = zip(structure.scalars(declared, new), structure.scalars(declared, old), strict=True)
    return structure.assemble(declared, iter([where(fresh, a, b) for a, b in pairs]))


def _entries(value: Any) -> list[Any] | None:
    """What a value consists of; None for a number."""
    if isinstance(value, np.ndarray):
        return list(value) if value.ndim else None
    if isinstance(value, Mapping):
        return list(value.values())
    inner = structure.parts_of(value)
    return None if inner is None else list(inner[2])
