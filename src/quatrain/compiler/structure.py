"""How the values that go in and out of a program hang together: nested tuples, dataclasses, arrays.

A structure is a small tree of frozen descriptions. Its leaves are the ports of a program, each an array
(..., *shape): `Number` ( ), `Array` (*shape) and `Record`, a dataclass of k scalars, (k,).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from quatrain.compiler.origin import TraceError
from quatrain.compiler.traced import Traced, TracedArray, is_scalar


@dataclass(frozen=True)
class Number:
    """One scalar."""

    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Array:
    """An array of scalars; functions that are traced see an array of objects."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Record:
    """A dataclass whose fields are all scalars, such as a vector."""

    kind: type

    @property
    def fields(self) -> tuple[str, ...]:
        return _field_names(self.kind)

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.fields),)


@dataclass(frozen=True)
class Group:
    """A tuple, list, dict or dataclass of structures."""

    kind: type
    names: tuple[str, ...]
    parts: tuple[Structure, ...]


Structure: TypeAlias = Number | Array | Record | Group
Leaf: TypeAlias = Number | Array | Record

NUMBER = Number()


def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


def _is_instance_of_dataclass(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, type)


def of_specification(specification: Any, name: str) -> Structure:
    """The structure of an input declared as `float`, a shape, a dataclass or an instance, or a nesting."""
    s = specification
    if isinstance(s, (Number, Array, Record, Group)):
        return s
    if s is float:
        return NUMBER
    if isinstance(s, int) and not isinstance(s, bool) and s > 0:
        return Array((s,))
    if (
        isinstance(s, tuple)
        and s
        and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in s)
    ):
        return Array(s)
    if isinstance(s, type) and is_dataclass(s):
        return Record(s)
    group = parts_of(s)
    if group is None:
        raise TraceError(
            f"input {name!r} is declared as {s!r}",
            do="declare float for a number, 7 or (3, 3) for an array of that shape, a frozen dataclass of "
            "scalars, a tuple or dict of these, or an instance of a dataclass that holds these",
        )
    kind, names, values = group
    parts = tuple(of_specification(v, f"{name}.{n}") for n, v in zip(names, values, strict=True))
    if _is_instance_of_dataclass(s) and parts and all(part == NUMBER for part in parts):
        return Record(kind)
    return Group(kind, names, parts)


def of_value(value: Any, name: str, *, columns: bool = False) -> Structure:
    """The structure of a value; with `columns` a NumPy array of numbers is one scalar."""
    if is_scalar(value):
        return NUMBER
    if isinstance(value, np.ndarray):
        return NUMBER if (columns and value.dtype != object) or value.ndim == 0 else Array(value.shape)
    group = parts_of(value)
    if group is None:
        # Another library's scalar (mpmath, fractions, CasADi) is one number as well.
        if columns:
            return NUMBER
        raise _unknown(value, name)
    kind, names, values = group
    parts = tuple(
        of_value(v, f"{name}.{n}" if name else n, columns=columns) for n, v in zip(names, values, strict=True)
    )
    if _is_instance_of_dataclass(value) and parts and all(part == NUMBER for part in parts):
        return Record(kind)
    return Group(kind, names, parts)


def _unknown(value: Any, name: str) -> TraceError:
    if value is None:
        return TraceError(
            f"{name} is None" if name != "out" else "the function returns None",
            do="return the values that are wanted: numbers, arrays, dataclasses, tuples or dicts of these",
        )
    return TraceError(
        f"{name} is a {type(value).__name__}, which holds no numbers that are known here",
        do="return numbers, arrays, dataclasses of numbers, or tuples, lists and dicts of these",
    )


def parts_of(value: Any) -> tuple[type, tuple[str, ...], tuple[Any, ...]] | None:
    """Kind, names and parts of a value that has parts, else None."""
    kind = type(value)
    if isinstance(value, (tuple, list)):
        names = getattr(kind, "_fields", None) or tuple(map(str, range(len(value))))
        return kind, names, tuple(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not key:
                raise TraceError(f"a dict has the key {key!r}", do="use names, such as {'force': f}")
        return dict, tuple(value), tuple(value.values())
    if _is_instance_of_dataclass(value):
        names = _field_names(kind)
        return kind, names, tuple(getattr(value, n) for n in names)
    return None


def rebuilt(kind: type, names: tuple[str, ...], values: Iterable[Any]) -> Any:
    if issubclass(kind, dict):
        return dict(zip(names, values, strict=True))
    if is_dataclass(kind):
        return kind(**dict(zip(names, values, strict=True)))
    if hasattr(kind, "_fields"):
        return kind(*values)
    return kind(values)  # type: ignore[call-arg]


def ports(structure: Structure, name: str) -> Iterator[tuple[str, Leaf]]:
    """The leaves in order, each with its name: `name`, `name.0`, `name.x` …"""
    if isinstance(structure, Group):
        for part_name, part in zip(structure.names, structure.parts, strict=True):
            yield from ports(part, f"{name}.{part_name}" if name else part_name)
    else:
        yield name, structure


def size(structure: Structure) -> int:
    """How many scalars it holds."""
    return sum(prod(leaf.shape) for _, leaf in ports(structure, ""))


def scalars(structure: Structure, value: Any) -> list[Any]:
    """The scalars of a value of this structure, in order; arrays row by row."""
    if isinstance(structure, Number):
        return [value]
    if isinstance(structure, Array):
        return list(np.asarray(value, dtype=object).reshape(-1))
    if isinstance(structure, Record):
        return [getattr(value, n) for n in structure.fields]
    group = parts_of(value)
    assert group is not None
    return [s for part, v in zip(structure.parts, group[2], strict=True) for s in scalars(part, v)]


def assemble(structure: Structure, values: Iterator[Any]) -> Any:
    """A value of this structure from its scalars in order."""
    if isinstance(structure, Number):
        return next(values)
    if isinstance(structure, Array):
        entries = [next(values) for _ in range(prod(structure.shape))]
        traced = any(isinstance(entry, Traced) for entry in entries)
        flat: Any = np.empty(len(entries), dtype=object if traced or not entries else None)
        flat[:] = entries
        array = flat.reshape(structure.shape).view(TracedArray if flat.dtype == object else np.ndarray)
        array.flags.writeable = False
        return array
    if isinstance(structure, Record):
        names = structure.fields
        return rebuilt(structure.kind, names, [next(values) for _ in names])
    return rebuilt(structure.kind, structure.names, [assemble(part, values) for part in structure.parts])


def split(structure: Structure, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Arrays (..., *shape) by the names of the ports, from a nested value that holds arrays for its leaves.

    A record may be given as an instance that holds columns, or as an array whose last axis counts its fields.
    """
    if isinstance(structure, Record) and isinstance(value, structure.kind):
        columns = np.broadcast_arrays(*scalars(structure, value))
        yield name, np.stack(columns, axis=-1)
    elif isinstance(structure, Group):
        group = parts_of(value)
        names_fit = group is not None and (
            set(group[1]) == set(structure.names)
            if isinstance(value, Mapping)
            else len(group[1]) == len(structure.names)
        )
        if group is None or not names_fit:
            keys = f" with {', '.join(value) or 'nothing in it'}" if isinstance(value, Mapping) else ""
            raise TraceError(
                f"{name} is a {type(value).__name__}{keys}; this needs a {structure.kind.__name__} "
                f"with {', '.join(structure.names) or 'nothing in it'}",
                do="pass values nested like the specification of the input",
            )
        by_name = dict(zip(group[1], group[2], strict=True))
        for part_name, part, v in zip(structure.names, structure.parts, group[2], strict=True):
            # A dict is read by its keys, everything else by place.
            value_of_part = by_name[part_name] if isinstance(value, Mapping) else v
            yield from split(part, f"{name}.{part_name}" if name else part_name, value_of_part)
    else:
        try:
            yield name, np.asarray(value)
        except ValueError as error:
            raise TraceError(
                f"{name} is not an array ({error})", do="pass numbers in a regular array"
            ) from None


def join(structure: Structure, name: str, arrays: Mapping[str, Any], *, records: bool = True) -> Any:
    """The nested value of these arrays; a record holds columns, or with `records=False` is an array."""
    if isinstance(structure, Record) and records:
        array = arrays[name]
        names = structure.fields
        return rebuilt(structure.kind, names, [array[..., k] for k in range(len(names))])
    if isinstance(structure, Group):
        named = zip(structure.names, structure.parts, strict=True)
        parts = [join(part, f"{name}.{n}" if name else n, arrays, records=records) for n, part in named]
        return rebuilt(structure.kind, structure.names, parts)
    return arrays[name]


def text(structure: Structure) -> str:
    """For messages: (number, Vec3, array 3×3)."""
    if isinstance(structure, Number):
        return "a number"
    if isinstance(structure, Array):
        return f"an array of shape {structure.shape}"
    if isinstance(structure, Record):
        return f"a {structure.kind.__name__}"
    named = structure.kind not in (tuple, list)
    parts = [
        f"{n}: {text(p)}" if named else text(p) for n, p in zip(structure.names, structure.parts, strict=True)
    ]
    return f"a {structure.kind.__name__} of ({', '.join(parts)})"
