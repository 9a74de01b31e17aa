"""A rollout as a kernel: the whole time loop of a batch in one call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.compiler import calls, interpret
from quatrain.compiler.counts import operations
from quatrain.compiler.interpret import Rolled
from quatrain.compiler.kernel import has_llvm, listed, number_type, options, source, thread_count
from quatrain.compiler.program import Port
from quatrain.compiler.rollouts import Rollout
from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from quatrain.compiler.llvm.target import Target
    from quatrain.compiler.llvm.timeloops import Timeloop
    from quatrain.compiler.native import Native


class RolloutKernel:
    """A compiled time loop; what it computes is defined by `interpret.rollout`.

    Records are (..., R, *shape) in memory too: what an element writes next lies beside what it wrote before. With
    the batch as the last axis a record could be written as it stands in the registers, but every number
    of it would go to another page of the memory, which costs several times what transposing does.
    """

    def __init__(
        self, rollout: Rollout, *, dtype: str = "float64", threads: int | None = None, contract: bool = True
    ) -> None:
        if not isinstance(rollout, Rollout):
            raise ArgumentError(
                f"rollout is of type {type(rollout).__name__}",
                do="pass what quatrain.compiler.rollout(step, state=…) gives",
            )
        self.rollout = rollout
        self.dtype = dtype
        self.threads = thread_count(threads)
        self.contract = contract
        self._kind = number_type(dtype)
        self.key = object()  # by which it knows its own results again
        self._native: Native | None = None
        if has_llvm(rollout.step.name):
            self._load()
        self.compile_seconds = 0.0 if self._native is None else self._native.seconds

    def _load(self) -> None:
        from quatrain.compiler.native import Native, Options, StepRunner

        loop = self.rollout
        roles = repr((loop.index, loop.carried, loop.sequences, loop.records, loop.events))
        self._native = Native(
            f"{loop.step.digest()} {roles}",
            loop.step,
            self._code,
            Options(self.dtype, self.contract),
        )
        self._runner = StepRunner(self._native, self.threads)

    def _code(self, target: Target) -> Timeloop:
        from quatrain.compiler.llvm.timeloops import rollout_code

        return rollout_code(self.rollout, target, self.dtype, contract=self.contract)

    @cached_property
    def operations(self) -> dict[str, int]:
        """Of one step, how many of each kind."""
        return operations(self.rollout.step)

    def __call__(
        self, arrays: Mapping[str, Any], steps: int, record_every: int = 1, *, out: Rolled | None = None
    ) -> Rolled:
        """`steps` steps; arrays by the names of the step's input ports, as for `interpret.rollout`.

        `out`, the result of an earlier call of the same size, is written over: memory that a system has just
        handed out costs more than the records.
        """
        if not isinstance(arrays, Mapping):
            raise ArgumentError(
                f"arrays is of type {type(arrays).__name__}",
                do="pass a dict of arrays by the names of the inputs",
            )
        known = {port.name for port in self.rollout.step.inputs}
        given = {n: calls.as_numbers(a, n, self._kind) if n in known else a for n, a in arrays.items()}
        if self._native is None:
            return interpret.rollout(self.rollout, given, steps, record_every, self._kind)
        batch = interpret.check_rollout(self.rollout, given, steps, record_every)
        count = prod(batch)
        size = (batch, -(-steps // record_every))
        old = {} if out is None else _arrays_of(out, self, size)
        if old:
            given = {n: a.copy() if calls.overlaps(a, list(old.values())) else a for n, a in given.items()}
        memory = _Memory(self, given, batch, steps, size[1], old)
        if count:
            runner = self._runner
            runner.run_steps(steps, record_every, memory.words, count)
        return memory.rolled()

    def source(self, form: str = "listing") -> str:
        """The step as a readable "listing", or the whole loop as "llvm" text or as "assembly"."""
        return source(form, self.rollout.step, self._native, self._code)

    def __repr__(self) -> str:
        loop = self.rollout
        inputs = [port for port in loop.step.inputs if port.name != loop.index]
        events = [f"event {event.name}" for event in loop.events]
        outputs = [listed(loop.step.output_port(name) for name in loop.records), *events]
        return (
            f"<RolloutKernel {loop.step.name}({listed(inputs)}) -> {', '.join(filter(None, outputs)) or 'state'}: "
            f"{sum(self.operations.values()):,} operations a step, "
            f"{options(self.dtype, self.threads, self._native)}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {
            "rollout": self.rollout,
            "dtype": self.dtype,
            "threads": self.threads,
            "contract": self.contract,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


_Key = tuple[str, str, str]
"""Role, name and event of a leaf."""


def _arrays_of(out: Rolled, kernel: RolloutKernel, size: tuple[tuple[int, ...], int]) -> dict[_Key, Any]:
    """The memory of an earlier result, checked to be of the same kernel and the same size."""
    if type(out) is not Rolled or out.memory is None or out.memory[0] is not kernel.key:
        raise ArgumentError(
            f"out is no earlier result of {kernel.rollout.step.name}",
            do="pass what this kernel has returned before, or leave it out",
        )
    if out.memory[1] != size:
        batch, records = out.memory[1]
        raise ArgumentError(
            f"out is for the batch {batch} with {records} records; this run has the batch {size[0]} with {size[1]}",
            do="pass the result of a run of the same size, or leave it out",
        )
    arrays: dict[_Key, Any] = out.memory[2]
    return arrays


class _Memory:
    """The arrays of one run, and the words that describe them to the machine code."""

    def __init__(
        self,
        kernel: RolloutKernel,
        given: Mapping[str, Any],
        batch: tuple[int, ...],
        steps: int,
        records: int,
        old: dict[_Key, Any],
    ) -> None:
        self.kernel, self.batch, self.count, self.held = kernel, batch, prod(batch), list[Any]()
        self.records, self.old = records, old
        self.arrays: dict[_Key, Any] = {}
        step = kernel.rollout.step
        self.most = {event.name: event.most for event in kernel.rollout.events}
        words: list[int] = []
        assert kernel._native is not None
        scratch = kernel._native.facts["scratch"]
        for leaf, offset in zip(kernel._native.facts["leaves"], scratch, strict=True):
            key = role, name, _ = leaf["role"], leaf["name"], leaf["event"]
            if role == "count":
                counts = self._array(key, (self.count,), np.int64, 0)
                words += [counts.ctypes.data, 8, 8, 1, 0, 0]
                continue
            port = step.output_port(name) if role in ("record", "event") else step.input_port(name)
            flat, across, along, stride = self._place(role, key, port, given, steps)
            self.held.append(flat)
            words += [flat.ctypes.data, across, along, len(port.numbers), offset, stride]
        self.words = words

    def _place(
        self,
        role: str,
        key: _Key,
        port: Port,
        given: Mapping[str, Any],
        steps: int,
    ) -> tuple[Any, int, int, int]:
        """A leaf's memory and its strides in bytes: over the batch, over scalars, over steps or entries."""
        size, kind = len(port.numbers), self.kernel._kind
        width = np.dtype(kind).itemsize
        if role in ("input", "initial"):
            return (*calls.leaf(port.shape, given[port.name], self.batch), 0)
        if role == "sequence":
            flat, across, along = calls.leaf((steps, *port.shape), given[port.name], self.batch)
            return flat, across, along, along * size
        if role == "final":
            array = self._array(key, (self.count, size), kind)
            return array, size * width, width, 0
        if role == "record":
            array = self._array(key, (self.count, self.records, size), kind)
            return array, self.records * size * width, width, size * width
        most = self.most[key[2]]
        array = self._array(key, (self.count, most, size), kind, np.nan)
        return array, most * size * width, width, size * width

    def _array(self, key: _Key, shape: tuple[int, ...], kind: Any, filled_with: Any = None) -> Any:
        array = self.arrays[key] = self.old[key] if key in self.old else np.empty(shape, kind)
        if filled_with is not None:
            array[...] = filled_with
        return array

    def rolled(self) -> Rolled:
        step, batch = self.kernel.rollout.step, self.batch
        final: dict[str, Any] = {}
        records: dict[str, Any] = {}
        values: dict[str, dict[str, Any]] = {event.name: {} for event in self.kernel.rollout.events}
        counts: dict[str, Any] = {}
        for (role, name, event), array in self.arrays.items():
            if role == "final":
                final[name] = array.reshape((*batch, *step.input_port(name).shape))
            elif role == "record":
                records[name] = array.reshape((*batch, self.records, *step.output_port(name).shape))
            elif role == "event":
                values[event][name] = array.reshape((*batch, self.most[event], *step.output_port(name).shape))
            else:
                counts[name] = array.reshape(batch)
        events = {name: (counts[name], values[name]) for name in counts}
        return Rolled(final, records, events, (self.kernel.key, (batch, self.records), self.arrays))
