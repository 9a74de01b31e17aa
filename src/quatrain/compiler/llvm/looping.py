"""A loop node as code: each lane stops by itself, and the code when all have.

A loop's states are registers if its body is short, and stand in the work area if the body itself is cut
into parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from quatrain.compiler.graph import Loop
from quatrain.compiler.llvm import nodes
from quatrain.compiler.llvm.module import Cell, Local, Module, Source, Value, as_number, pointer, splat
from quatrain.compiler.llvm.rows import Trail, address
from quatrain.compiler.llvm.text import Function

Body = Callable[["Looping"], list[str]]
"""Emits the body, whose inputs come from the loop's sources; the values of the loop's results."""


class Looping:
    """One loop in one function: see `graph.Loop` for what it means."""

    def __init__(
        self,
        module: Module,
        f: Function,
        loop: Loop,
        initial: Sequence[str],
        invariants: Sequence[str],
        in_parts: bool,
        trails: Mapping[int, Trail],
    ) -> None:
        self.module, self.f, self.loop, self.in_parts, self.trails = module, f, loop, in_parts, trails
        self.index = self._cell()
        self.counter = self._counter()
        self.states = [self._cell() for _ in loop.lags]  # what was written last
        self.rings = [Cell(module.allocate(lag)) if lag > 1 else None for lag in loop.lags]
        self.seen: list[Cell | Local] = [
            state if ring is None else self._cell()
            for state, ring in zip(self.states, self.rings, strict=True)
        ]
        for state, ring, lag, value in zip(self.states, self.rings, loop.lags, initial, strict=True):
            f.store(value, pointer(f, state))
            for k in range(lag if ring is not None else 0):
                assert ring is not None
                f.store(value, pointer(f, Cell(ring.offset + k * f.lanes.bytes)))
        for k, trail in trails.items():
            f.store(initial[k], address(f, trail, "0"))
        held: list[Source] = []
        for value in invariants:
            if self.in_parts:
                cell = self._cell()
                f.store(value, pointer(f, cell))
                held.append(cell)
            else:
                held.append(Value(value))
        self.sources: list[Source] = [self.index, *self.seen, *held]

    def _cell(self) -> Cell | Local:
        if self.in_parts:
            return Cell(self.module.allocate(1))
        return Local(self.f.at_entry(f"alloca {self.f.lanes.real}, align {self.f.lanes.bytes}"))

    def _counter(self) -> Cell | Local:
        """A place for 64 bits; the vector of a single lane may have fewer."""
        if self.in_parts:
            return Cell(self.module.allocate(-(-8 // self.f.lanes.bytes)))
        return Local(self.f.at_entry("alloca i64"))

    def run_counted(self, count: int, body: Body) -> list[str]:
        """The values of the items after so many iterations in every lane."""
        f, lanes = self.f, self.f.lanes
        f.store("0", pointer(f, self.counter), "i64")
        test, again, after = (f.label(stem) for stem in ("test", "body", "after"))
        f.jump(test)
        f.place(test)
        f.branch(f.new(f"icmp slt i64 {f.load(pointer(f, self.counter), 'i64')}, {count}"), again, after)
        f.place(again)
        i = self._begin()
        self._write(i, body(self), None)
        f.store(f.new(f"add i64 {i}, 1"), pointer(f, self.counter), "i64")
        f.jump(test)
        f.place(after)
        final = [f.load(pointer(f, state)) for state in self.states]
        return [*final, lanes.constant(float(count)), lanes.constant(0.0)]

    def _begin(self) -> str:
        """The number of the iteration, which the body sees in every lane, with what delayed states were."""
        f = self.f
        i = f.load(pointer(f, self.counter), "i64")
        f.store(splat(f, f.new(f"sitofp i64 {i} to {f.lanes.number}")), pointer(f, self.index))
        self._look_back(i)
        return i

    def run(self, count: str, body: Body) -> list[str]:
        """The values of the items; each lane ends by itself."""
        f, loop, lanes = self.f, self.loop, self.f.lanes
        real, boolean = lanes.real, lanes.boolean
        active = f.at_entry(f"alloca {boolean}")
        done = f.at_entry(f"alloca {real}, align {lanes.bytes}")
        converged = f.at_entry(f"alloca {boolean}")
        f.store("0", pointer(f, self.counter), "i64")
        f.store("splat (i1 true)", active, boolean)
        f.store(lanes.constant(0.0), done)
        f.store("zeroinitializer", converged, boolean)
        limit = nodes.emit(f, "floor", [count], contract=False, use=self.module.use)
        test, again, advance, after = (f.label(stem) for stem in ("test", "body", "advance", "after"))
        f.jump(test)
        f.place(test)
        i = self._begin()
        index = f.load(pointer(f, self.index))
        # Without a stop condition it is known before the body whether anybody goes on.
        if loop.stop is None:
            going = f.new(f"fcmp olt {real} {index}, {limit}")
            before = f.load(active, boolean)
            mask = f.new(f"and {boolean} {before}, {going}")
            f.branch(f.any(mask), again, after)
            f.place(again)
            following = body(self)
        else:
            f.jump(again)
            f.place(again)
            *following, stop = body(self)
            before = f.load(active, boolean)
            now = f.new(f"and {boolean} {before}, {stop}")
            f.store(f.new(f"or {boolean} {f.load(converged, boolean)}, {now}"), converged, boolean)
            still = f.new(f"xor {boolean} {now}, {before}")
            going = f.new(f"fcmp olt {real} {index}, {limit}")
            mask = f.new(f"and {boolean} {still}, {going}")
            f.branch(f.any(mask), advance, after)
            f.place(advance)
        f.store(mask, active, boolean)
        self._write(i, following, mask)
        # From the whole number, since adding 1 comes to a stand at 2²⁴ in single precision.
        more = splat(f, f.new(f"sitofp i64 {f.new(f'add i64 {i}, 1')} to {lanes.number}"))
        f.store(f.new(f"select {boolean} {mask}, {real} {more}, {real} {f.load(done)}"), done)
        f.store(f.new(f"add i64 {i}, 1"), pointer(f, self.counter), "i64")
        f.jump(test)
        f.place(after)
        final = [f.load(pointer(f, state)) for state in self.states]
        return [*final, f.load(done), as_number(f, f.load(converged, boolean))]

    def _look_back(self, i: str) -> None:
        """Brings to the body what delayed states were some iterations ago."""
        f = self.f
        for seen, ring, lag in zip(self.seen, self.rings, self.loop.lags, strict=True):
            if ring is not None:
                f.store(f.load(self._in_ring(ring, lag, i)), pointer(f, seen))

    def _in_ring(self, ring: Cell, lag: int, i: str) -> str:
        place = self.f.new(f"urem i64 {i}, {lag}")
        return self.f.offset(pointer(self.f, ring), self.f.new(f"mul i64 {place}, {self.f.lanes.bytes}"))

    def _write(self, i: str, following: Sequence[str], mask: str | None) -> None:
        """The next states; an element that has ended keeps the bits of its own."""
        f, real, boolean = self.f, self.f.lanes.real, self.f.lanes.boolean
        for state, ring, lag, value in zip(self.states, self.rings, self.loop.lags, following, strict=True):
            if mask is not None:
                old = f.load(pointer(f, state))
                value = f.new(f"select {boolean} {mask}, {real} {value}, {real} {old}")
            if ring is not None:
                # The frozen value: the body runs on for its neighbours, and might count by what it reads here.
                f.store(value, self._in_ring(ring, lag, i))
            f.store(value, pointer(f, state))
        for k, trail in self.trails.items():
            f.store(following[k], address(f, trail, f.new(f"add i64 {i}, 1")))
