"""What a kernel is called with: arrays that fit its ports, their batch axes broadcast, seen as (batch, scalars)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import c_void_p
from math import prod
from typing import Any

import numpy as np

from quatrain.compiler import structure as structures
from quatrain.compiler.program import Port, Program
from quatrain.compiler.structure import Group, Structure
from quatrain.errors import ArgumentError


def _address_by_numpy(array: Any) -> int:
    return int(array.ctypes.data)


def _address_by_layout(array: Any) -> int:
    # The address of the numbers stands first after the head that every Python object has: NumPy's C interface
    # promises it, and reading it there takes a tenth of the time of the attribute `ctypes`.
    return _pointer_at(id(array) + object.__basicsize__).value or 0


_pointer_at = c_void_p.from_address


def _quickest_address() -> Callable[[Any], int]:
    """Reading it in place where `id` is an address, that is, in CPython."""
    if sys.implementation.name != "cpython":
        return _address_by_numpy
    probe = np.zeros(3)
    right = _address_by_layout(probe[1:]) == _address_by_numpy(probe[1:])
    return _address_by_layout if right else _address_by_numpy


address: Callable[[Any], int] = _quickest_address()
"""Where an array's first number stands in memory."""


def bound(
    title: str, names: Sequence[str], arguments: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments by name, from those given by position and those given by name."""
    wanted = f"{title}({', '.join(names)})"
    if len(arguments) > len(names):
        raise ArgumentError(
            f"{len(arguments)} arguments came for {wanted}",
            do=f"pass at most {len(names)}, in that order or by name",
        )
    given = dict(zip(names, arguments, strict=False))
    if not named and len(given) == len(names):
        return given
    for name in named:
        if name in given:
            raise ArgumentError(
                f"{name!r} came twice for {wanted}", do="pass it by position or by name, not both"
            )
        if name not in names:
            raise ArgumentError(f"{name!r} is no argument of {wanted}", do="use one of those names")
    given.update(named)
    missing = [name for name in names if name not in given]
    if missing:
        raise ArgumentError(
            f"{wanted} was called without {', '.join(map(repr, missing))}",
            do="pass every argument, by position or by name",
        )
    return {name: given[name] for name in names}


# Kinds of NumPy's types that are no real numbers, and what to do about them.
_NO_NUMBERS = {
    "c": ("complex numbers", "pass real and imaginary parts as two arguments, or numpy.real({0})"),
    "U": ("text", "convert it first: numpy.asarray({0}, float)"),
    "S": ("text", "convert it first: numpy.asarray({0}, float)"),
    "O": ("Python objects", "pass plain numbers: numpy.asarray({0}, float), if they can be converted"),
    "M": ("dates", "pass the seconds since some moment"),
    "m": ("spans of time", "pass seconds: {0} / numpy.timedelta64(1, 's')"),
    "V": ("records", "pass their fields one by one"),
}


def as_numbers(value: Any, name: str, dtype: Any) -> Any:
    """An array of the kernel's number type; whole numbers, bools, lists and the other float type are converted."""
    if type(value) is np.ndarray and value.dtype == dtype:
        return value
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{name} is not an array ({error})", do="pass numbers in a regular array"
        ) from None
    if array.dtype.kind not in "fiub":
        found, do = _NO_NUMBERS.get(array.dtype.kind, (array.dtype.name, "pass floats"))
        raise ArgumentError(f"{name} holds {found}, not real numbers", do=do.format(name))
    with np.errstate(all="ignore"):  # what is too large for single precision becomes infinite
        return array.astype(dtype, copy=False)


def batch_of(title: str, ports: Sequence[Port], arrays: Sequence[Any]) -> tuple[int, ...]:
    """The batch axes that all arrays broadcast to, after their shapes have been checked."""
    batches = []
    for port, array in zip(ports, arrays, strict=True):
        split = array.ndim - len(port.shape)
        if split < 0 or array.shape[split:] != port.shape:
            wanted = ", ".join(["...", *map(str, port.shape)])
            raise ArgumentError(
                f"{port.name} has shape {array.shape}; {title} needs ({wanted})",
                do="put the axes of the batch first and those of the value last",
            )
        batches.append(array.shape[:split])
    if batches and all(batch == batches[0] for batch in batches):
        return batches[0]
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{p.name} {b}" for p, b in zip(ports, batches, strict=True))
        raise ArgumentError(
            f"the leading axes of the arguments of {title} do not broadcast: {shapes}",
            do="make them equal, or 1 where a value serves all",
        ) from None


def leaf(shape: tuple[int, ...], array: Any, batch: tuple[int, ...]) -> tuple[Any, int, int]:
    """An array of values of this shape seen as (batch, scalars): what holds the memory, and its two strides in bytes.

    The array itself or a view where the batch axes lie evenly in memory and the value's axes do; otherwise a copy.
    """
    size = prod(shape)
    own = array.shape[: array.ndim - len(shape)]
    if prod(own) == 1:
        flat = array.reshape(1, size)
        return flat, 0, flat.strides[1]
    if own != batch:
        array = np.broadcast_to(array, (*batch, *shape))
    elif array.flags.c_contiguous:
        return array, size * array.itemsize, array.itemsize
    elif len(batch) == len(shape) == 1:
        return array, *array.strides
    flat = array.reshape(prod(batch), size)
    return flat, flat.strides[0], flat.strides[1]


def outputs_by_name(structure: Structure, name: str, out: Any) -> Iterator[tuple[str, Any]]:
    """The arrays of `out`, which is nested as the result is, by the names of their ports."""
    if not isinstance(structure, Group):
        yield name, out
        return
    found = structures.parts_of(out)
    by_key = structure.kind is dict
    if (
        found is None
        or isinstance(out, Mapping) != by_key
        or (set(found[1]) != set(structure.names) if by_key else len(found[1]) != len(structure.names))
    ):
        keys = f" with {', '.join(found[1]) or 'nothing in it'}" if found else ""
        raise ArgumentError(
            f"{name or 'out'} is of type {type(out).__name__}{keys}; the result is {structures.text(structure)}",
            do="pass arrays to write to, nested as the result is",
        )
    by_name = dict(zip(found[1] if by_key else structure.names, found[2], strict=True))
    for part_name, part in zip(structure.names, structure.parts, strict=True):
        yield from outputs_by_name(part, f"{name}.{part_name}" if name else part_name, by_name[part_name])


def output(port: Port, given: Any, batch: tuple[int, ...], dtype: Any) -> Any:
    """The array that an output goes to: a new one, row by row, or the one given, checked."""
    shape = (*batch, *port.shape)
    if given is None:
        return room(shape, dtype)
    if type(given) is not np.ndarray:
        raise ArgumentError(
            f"out for {port.name} is a {type(given).__name__}", do="pass a NumPy array to write to"
        )
    if given.shape != shape or given.dtype != dtype:
        raise ArgumentError(
            f"out for {port.name} has shape {given.shape} and type {given.dtype}; "
            f"this call gives {shape} and {np.dtype(dtype)}",
            do=f"pass numpy.empty({shape}, {np.dtype(dtype).name!r})",
        )
    if not given.flags.writeable:
        raise ArgumentError(f"out for {port.name} is read-only", do="pass an array that may be written to")
    return given


_LINE = 64
_LARGE = 1 << 20


def room(shape: tuple[int, ...], dtype: Any) -> Any:
    """A new array; a large one begins with a cache line, as NumPy's own do not."""
    count = prod(shape)
    size = count * np.dtype(dtype).itemsize
    if size < _LARGE:
        return np.empty(shape, dtype)
    raw = np.empty(size + _LINE, np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + size].view(dtype).reshape(shape)


def overlaps(array: Any, others: Sequence[Any]) -> bool:
    """Whether an array may share memory with one of the others."""
    return any(np.may_share_memory(array, other) for other in others)


def is_one_array(program: Program) -> bool:
    """Whether the result is an array by itself, nested in nothing."""
    return len(program.outputs) == 1 and not isinstance(program.output_structure, Group)


def is_tuple_of_arrays(program: Program) -> bool:
    """Whether the result is a plain tuple with nothing nested in it."""
    structure = program.output_structure
    return (
        isinstance(structure, Group)
        and structure.kind is tuple
        and not any(isinstance(part, Group) for part in structure.parts)
    )


def result(program: Program, outputs: Sequence[Any]) -> Any:
    """The arrays of the output ports, nested as the function nests its results."""
    if is_one_array(program):
        return outputs[0]
    arrays = dict(zip((port.name for port in program.outputs), outputs, strict=True))
    return program.unflatten(arrays, records=False)
