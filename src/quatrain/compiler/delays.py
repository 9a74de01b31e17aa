"""Delay lines: a part of a loop's state that is seen only some iterations after it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from quatrain.compiler import structure as structures
from quatrain.compiler.structure import Record, Structure
from quatrain.errors import ArgumentError


@dataclass(frozen=True)
class Delayed:
    """A part of a state, and how many iterations later the body sees what it has written there."""

    value: Any
    iterations: int


def delay(value: Any, iterations: int) -> Delayed:
    """A delay line within the state of `repeat`, `iterate` or `rollout`.

    In its place the body sees what it returned there `iterations` (1 or more) iterations ago, and
    `value` before that; what it returns will be seen that much later. The final state holds what was
    written last. With `iterations=1` it is an ordinary part of the state.
    """
    if not isinstance(iterations, int) or isinstance(iterations, bool) or iterations < 1:
        raise ArgumentError(
            f"a delay of {iterations!r} iterations",
            do="give a whole number of iterations from 1 up, as a plain int",
        )
    return Delayed(value, iterations)


def without_delays(state: Any, path: str) -> tuple[Any, dict[str, int]]:
    """The state (or its declaration) with values in place of the delays, and the delays by their paths."""
    if isinstance(state, Delayed):
        plain, inner = without_delays(state.value, path)
        if inner:
            raise ArgumentError(
                f"a delay within a delay, at {path}",
                do="give the sum of both to one delay(value, iterations)",
            )
        return plain, {path: state.iterations}
    parts = structures.parts_of(state)
    if parts is None:
        return state, {}
    kind, names, values = parts
    plains = []
    found: dict[str, int] = {}
    for name, value in zip(names, values, strict=True):
        plain, inner = without_delays(value, f"{path}.{name}")
        plains.append(plain)
        found.update(inner)
    return (structures.rebuilt(kind, names, plains) if found else state), found


def lags(structure: Structure, path: str, delays: Mapping[str, int]) -> list[tuple[int, ...]]:
    """For each leaf of a state the lag of each of its scalars."""
    result = []
    for name, leaf in structures.ports(structure, path):
        if isinstance(leaf, Record):
            result.append(tuple(_lag(f"{name}.{field}", delays) for field in leaf.fields))
        else:
            result.append((_lag(name, delays),) * prod(leaf.shape))
    return result


def _lag(path: str, delays: Mapping[str, int]) -> int:
    for delayed, iterations in delays.items():
        if path == delayed or path.startswith(f"{delayed}."):
            return iterations
    return 1
