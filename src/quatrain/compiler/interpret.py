"""Runs programs on NumPy columns: the definition that every backend is tested against.

A scalar of the program is a column: one number for each element of the batch, whatever its axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from quatrain.compiler import calls
from quatrain.compiler.graph import Graph, Loop, trails_of
from quatrain.compiler.operations import OPERATIONS
from quatrain.compiler.program import Port, Program
from quatrain.compiler.rollouts import Event, Rollout
from quatrain.errors import ArgumentError

Columns = Callable[[Sequence[Any]], list[Any]]
"""Columns of all inputs -> columns of the outputs."""


def run(program: Program, arrays: Mapping[str, Any], dtype: Any = np.float64) -> dict[str, Any]:
    """Arrays (..., *shape) by the names of the outputs, from arrays by the names of the inputs.

    The leading axes of all inputs broadcast; every output has them all.
    """
    return runner(program, dtype)(arrays)


def runner(program: Program, dtype: Any = np.float64) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """`run` for this program, prepared once for many calls."""
    with np.errstate(all="ignore"):
        evaluate = prepared(program.graph, program.results, dtype)

    def run_once(arrays: Mapping[str, Any]) -> dict[str, Any]:
        with np.errstate(all="ignore"):
            columns, batch = input_columns(program, arrays, dtype)
            results = evaluate(columns)
        return output_arrays(program.outputs, results, batch, dtype)

    return run_once


def input_columns(
    program: Program, arrays: Mapping[str, Any], dtype: Any
) -> tuple[list[Any], tuple[int, ...]]:
    """One column for each scalar input, and the batch's axes."""
    _check_names(program, arrays, program.inputs)
    given = [np.asarray(arrays[port.name], dtype=dtype) for port in program.inputs]
    batch = calls.batch_of(program.name, program.inputs, given)
    columns: list[Any] = []
    for port, array in zip(program.inputs, given, strict=True):
        flat = array.reshape((*array.shape[: array.ndim - len(port.shape)], len(port.numbers)))
        columns += [flat[..., k] for k in range(len(port.numbers))]
    return columns, batch


def _check_names(program: Program, arrays: Mapping[str, Any], ports: Sequence[Port]) -> None:
    names = [port.name for port in ports]
    for name in arrays:
        if name not in names:
            raise ArgumentError(
                f"{name!r} is no input of {program.name}", do=f"its inputs are {', '.join(names)}"
            )
    for name in names:
        if name not in arrays:
            raise ArgumentError(
                f"{name!r} is missing from the inputs of {program.name}", do=f"pass all of {', '.join(names)}"
            )


def output_arrays(
    ports: Sequence[Port], columns: Sequence[Any], batch: tuple[int, ...], dtype: Any
) -> dict[str, Any]:
    results, place = {}, 0
    for port in ports:
        array = np.empty((*batch, len(port.numbers)), dtype)
        for k in range(len(port.numbers)):
            array[..., k] = columns[place]
            place += 1
        results[port.name] = array.reshape((*batch, *port.shape))
    return results


_MEANINGS = {
    operation.name: operation.meaning for operation in OPERATIONS.values() if operation.meaning is not None
}


# ---- graphs on columns -----------------------------------------------------------------------------


def prepared(graph: Graph, outputs: Sequence[int], dtype: Any = np.float64) -> Columns:
    """A function that runs this part of the graph, made once for the many times a loop calls it."""
    numbers, functions, needs, dead = _plan(graph, outputs, np.dtype(dtype).type)
    size = len(graph.nodes)

    def evaluate(inputs: Sequence[Any]) -> list[Any]:
        values: list[Any] = [None] * size
        values.append(inputs)  # number -1
        for number, function, needed, last in zip(numbers, functions, needs, dead, strict=True):
            values[number] = function(*[values[n] for n in needed])
            for n in last:
                values[n] = None
        return [values[n] for n in outputs]

    return evaluate


def _plan(
    graph: Graph, outputs: Sequence[int], kind: Any
) -> tuple[list[int], list[Any], list[Any], list[Any]]:
    """The nodes to compute, what to call for each, with which values, and which of those nobody needs
    afterwards: memory is held for live columns only."""
    numbers = [number for number, flag in enumerate(graph.needed(outputs)) if flag]
    functions, needs = [], []
    for number in numbers:
        function, needed = meaning_of(graph, number, kind)
        functions.append(function)
        needs.append(needed)
    seen = bytearray(len(graph.nodes) + 1)
    seen[-1] = 1  # the inputs stay
    for number in outputs:
        seen[number] = 1
    dead: list[tuple[int, ...]] = []
    for needed in reversed(needs):
        last: tuple[int, ...] = ()
        for n in needed:
            if not seen[n]:
                seen[n] = 1
                last = (*last, n)
        dead.append(last)
    return numbers, functions, needs, dead[::-1]


def meaning_of(graph: Graph, number: int, kind: Any) -> tuple[Callable[..., Any], tuple[int, ...]]:
    """What to call for a node, and the numbers of the values to call it with; -1 is the list of inputs."""
    node = graph.nodes[number]
    operation = node[0]
    meaning = _MEANINGS.get(operation)
    if meaning is not None and operation != "lookup":
        return meaning, node[1:]
    if operation == "input":
        return itemgetter(node[1]), (-1,)
    if operation == "constant":
        return partial(kind, node[1]), ()
    if operation == "boolean":
        return partial(np.bool_, node[1]), ()
    if operation == "lookup":
        return partial(_MEANINGS["lookup"], np.asarray(graph.tables[node[1]], kind)), node[2:]
    if operation == "loop":
        return _looping(graph.loops[node[1]], kind, trails_of(graph, number)), node[2:]
    if operation == "item":
        return itemgetter(node[2]), node[1:2]
    if operation == "series":
        return lambda *values: values, node[1:]
    if operation == "trail":
        return lambda results: results[-1][node[2]], node[1:2]
    if operation in ("given", "past"):
        # They stand last among what the body of a loop is called with.
        return lambda inputs: inputs[-1][operation][node[1]], (-1,)
    return _read, node[1:]


def _read(series: Sequence[Any], index: Any) -> Any:
    """series[floor(index)], the first or last entry beyond the ends; NaN for NaN: as `lookup` reads a table."""
    known = index == index
    place = np.clip(np.floor(np.where(known, index, 0)), 0, len(series) - 1).astype(np.intp)
    if place.ndim == 0:
        return np.where(known, series[int(place)], index)
    *columns, places = np.broadcast_arrays(*series, place)
    return np.where(known, np.take_along_axis(np.stack(columns), places[None], 0)[0], index)


def _looping(loop: Loop, kind: Any, trails: Iterable[int]) -> Callable[..., list[Any]]:
    body = prepared(loop.body, loop.results, kind)
    states = len(loop.lags)
    fixed = states + loop.invariants

    def repeat(count: Any, *values: Any) -> list[Any]:
        batch = np.broadcast_shapes(*(np.shape(v) for v in (count, *values[:fixed])))
        initial, invariants = values[:states], values[states:fixed]
        # lines[s][j]: what state s was j iterations before the one to come; [-1] is the newest.
        lines = [[np.broadcast_to(v, batch)] * lag for v, lag in zip(initial, loop.lags, strict=True)]
        past = {k: [np.broadcast_to(initial[k], batch)] for k in trails}
        rows = {"given": values[fixed:], "past": past}
        limit = np.broadcast_to(np.floor(np.where(count == count, count, 0)), batch)
        active = np.ones(batch, bool)
        converged = np.zeros(batch, bool)
        done = np.zeros(batch, np.int64)
        index = 0
        while True:
            if loop.stop is None and not (active & (index < limit)).any():
                break
            following = body([kind(index), *[line[0] for line in lines], *invariants, rows])
            if loop.stop is not None:
                stop = following.pop()
                converged |= active & stop
                active &= ~stop
            active &= index < limit
            if not active.any():
                break
            for line, value in zip(lines, following, strict=True):
                # np.where copies bits: an element that has ended keeps its own.
                line.append(np.where(active, value, line[-1]))
                del line[0]
            for k, trail in past.items():
                trail.append(lines[k][-1])
            done += active
            index += 1
        return [*[line[-1] for line in lines], done.astype(kind), converged.astype(kind), past]

    return repeat


# ---- time loops ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rolled:
    """What a rollout gives; all arrays begin with the axes of the batch."""

    final: dict[str, Any]
    """The state after the last step, by the input ports that carry it: (..., *shape); of a delayed part
    what was written last."""
    records: dict[str, Any]
    """By output port: (..., R, *shape), R = ⌈n / k⌉ records of the steps 0, k, 2k …"""
    events: dict[str, tuple[Any, dict[str, Any]]]
    """By event: how often it happened (...), and by output port (..., most, *shape), NaN where unwritten."""
    memory: Any = field(default=None, repr=False, compare=False)
    """What a kernel writes the next run of the same size to, if it is told to."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "memory"}


def rollout(
    loop: Rollout, arrays: Mapping[str, Any], steps: int, record_every: int = 1, dtype: Any = np.float64
) -> Rolled:
    """`steps` steps for the whole batch.

    `arrays` gives by input port the initial state, the parameters, and for each step its inputs,
    (..., steps, *shape). What is recorded are the outputs of the steps 0, k, 2k …, made from the state before
    the step; the state after the last step is `final`.
    """
    batch = check_rollout(loop, arrays, steps, record_every)
    step = runner(loop.step, dtype)
    with np.errstate(all="ignore"):
        given = {name: np.asarray(array, dtype) for name, array in arrays.items()}
    shapes = {port.name: port.shape for port in (*loop.step.inputs, *loop.step.outputs)}
    # lines[t][j]: what was written for input t some steps ago; the step sees [0], and [-1] is the newest.
    lines = {
        c.target: [np.broadcast_to(given[c.target], (*batch, *shapes[c.target]))] * c.lag
        for c in loop.carried
    }
    records = {
        name: np.empty((-(-steps // record_every), *batch, *shapes[name]), dtype) for name in loop.records
    }
    counts = {event.name: np.zeros(batch, np.int64) for event in loop.events}
    written = {
        event.name: {v: np.full((*batch, event.most, *shapes[v]), np.nan, dtype) for v in event.values}
        for event in loop.events
    }
    for i in range(steps):
        seen = {name: given[name] for name in loop.parameters}
        seen.update({target: line[0] for target, line in lines.items()})
        seen.update({name: np.take(given[name], i, axis=-1 - len(shapes[name])) for name in loop.sequences})
        if loop.index is not None:
            seen[loop.index] = np.asarray(i, dtype)
        results = step(seen)
        if i % record_every == 0:
            for name, record in records.items():
                record[i // record_every] = results[name]
        for event in loop.events:
            _write(event, results, counts[event.name], written[event.name])
        for c in loop.carried:
            lines[c.target] = [
                *lines[c.target][1:],
                np.broadcast_to(results[c.source], (*batch, *shapes[c.source])),
            ]
    final = {target: np.array(line[-1]) for target, line in lines.items()}
    axis = len(batch)
    moved = {name: np.moveaxis(record, 0, axis) for name, record in records.items()}
    return Rolled(
        final, moved, {event.name: (counts[event.name], written[event.name]) for event in loop.events}
    )


def _write(event: Event, results: Mapping[str, Any], count: Any, written: dict[str, Any]) -> None:
    """One step's part of an event: values go to the next free place of the elements where it happens."""
    happens = np.broadcast_to(results[event.condition] != 0, count.shape)
    free = happens & (count < event.most)
    for name, array in written.items():
        shape = array.shape[count.ndim + 1 :]
        # (batch, *shape) against (batch, most): the value goes to the place that the count names.
        value = np.expand_dims(np.broadcast_to(results[name], (*count.shape, *shape)), count.ndim)
        here = free[..., None] & (np.arange(event.most) == count[..., None])
        np.copyto(array, value, where=here.reshape(*here.shape, *(1,) * len(shape)))
    count += happens


def check_rollout(loop: Rollout, arrays: Mapping[str, Any], steps: int, record_every: int) -> tuple[int, ...]:
    """The batch's axes, if the arguments fit."""
    whole = all(isinstance(n, (int, np.integer)) for n in (steps, record_every))
    if not whole or steps < 0 or record_every < 1:
        raise ArgumentError(
            f"{steps} steps recorded every {record_every}",
            do="give whole numbers, steps from 0 and record_every from 1 up",
        )
    if loop.index in arrays:
        raise ArgumentError(
            f"{loop.index!r} is the number of the step, which is counted", do="leave it out of the arrays"
        )
    _check_names(loop.step, arrays, [port for port in loop.step.inputs if port.name != loop.index])
    ones = {}
    for name, array in arrays.items():
        if name in loop.sequences:
            axis = -1 - len(loop.step.input_port(name).shape)
            if np.ndim(array) < -axis or np.shape(array)[axis] != steps:
                raise ArgumentError(
                    f"{name} has shape {np.shape(array)}; {steps} steps need one entry each, on axis {axis}",
                    do="give one entry for each step, after the axes of the batch",
                )
            array = np.zeros(np.delete(np.shape(array), axis))
        ones[name] = array
    if loop.index is not None:
        ones[loop.index] = np.zeros(())
    return input_columns(loop.step, ones, np.float64)[1]
