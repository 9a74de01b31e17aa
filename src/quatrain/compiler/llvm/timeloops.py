"""A rollout as machine code: all steps of a block of elements in a row, the state in registers or near.

The frame is that of `blocks`, and its words 3 … 6 say

    3  first step     4  step after the last     5  record every     6  address of the store, or 0

A long run is called in pieces. Between them the state of each block, delay lines included, is kept in the
store, `Timeloop.store_bytes` for each block; a run in one piece needs none. Leaves stand in the order of
`Timeloop.leaves`. Events write entry after entry; their counts are 64-bit integers in an array of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from quatrain.compiler import schedule
from quatrain.compiler.llvm import events, memory, regions
from quatrain.compiler.llvm.blocks import (
    Code,
    close_leaf,
    frame_word,
    kernel_text,
    leaf_words,
    module_text,
    open_leaf,
    scratch_area,
)
from quatrain.compiler.llvm.module import Cell, Leaf, Local, Module, Source, leaf_pair, pointer, read, splat
from quatrain.compiler.llvm.regions import Region
from quatrain.compiler.llvm.target import TYPES, Target
from quatrain.compiler.llvm.text import Function, Lanes
from quatrain.compiler.program import Port
from quatrain.compiler.rollouts import Carried, Event, Rollout

PAIRED = 2000
"""Steps of up to so many instructions are done for two vectors at once. One step waits for the one before, so that a
processor has too little to do with one vector; two cost a single trajectory a tenth, and give a batch a third."""


@dataclass(frozen=True)
class LeafRole:
    """What an array of a rollout is for: "input", "initial", "sequence", "final", "record", "event" or "count"."""

    role: str
    name: str
    """Of the port; of a count the name of the event."""
    event: str = ""


@dataclass(frozen=True)
class Timeloop(Code):
    """The text of a rollout, and what its caller must know of it."""

    leaves: tuple[LeafRole, ...] = ()
    store_bytes: int = 0
    """Of one block of elements."""


def rollout_code(
    rollout: Rollout, target: Target, dtype: str, *, contract: bool = True, width: int | None = None
) -> Timeloop:
    """The machine code of a time loop, as text."""
    step = rollout.step
    at_once = 2 if schedule.cost(step.graph, step.results) <= PAIRED else 1
    lanes = Lanes(width or at_once * target.width(dtype), TYPES[dtype])
    module = Module(lanes, dtype, contract, target.registers)
    leaves = leaves_of(rollout)
    module.allocate(-(-16 * max(1, len(leaves)) // module.lanes.bytes))
    scratch = tuple(_scratch(module, rollout, leaf) for leaf in leaves)
    block = _Block(module, rollout, leaves, scratch)
    module.functions.append(block.text())
    module.functions.append(_kernel(module.lanes, leaves))
    return Timeloop(
        module_text(module, target) + events.routines(module.lanes),
        module.lanes.width,
        module.work_bytes,
        scratch,
        leaves=leaves,
        store_bytes=block.store_bytes,
    )


def leaves_of(rollout: Rollout) -> tuple[LeafRole, ...]:
    carried = {c.target for c in rollout.carried}

    def role(name: str) -> str:
        return "initial" if name in carried else "sequence" if name in rollout.sequences else "input"

    inputs = [LeafRole(role(p.name), p.name) for p in rollout.step.inputs if p.name != rollout.index]
    finals = [LeafRole("final", c.target) for c in rollout.carried]
    records = [LeafRole("record", name) for name in rollout.records]
    events = [LeafRole("event", name, e.name) for e in rollout.events for name in e.values]
    counts = [LeafRole("count", e.name, e.name) for e in rollout.events]
    return (*inputs, *finals, *records, *events, *counts)


def _port(rollout: Rollout, leaf: LeafRole) -> Port:
    if leaf.role in ("record", "event"):
        return rollout.step.output_port(leaf.name)
    return rollout.step.input_port(leaf.name)


def _scratch(module: Module, rollout: Rollout, leaf: LeafRole) -> int:
    return 0 if leaf.role == "count" else scratch_area(module, _port(rollout, leaf))


@dataclass
class _State:
    """One scalar that is carried from step to step."""

    newest: Cell
    """Where it is kept between pieces."""
    ring: Cell | None
    lag: int
    written: Cell | Local
    """What was written last."""
    seen: Cell | Local
    """What the step sees."""


@dataclass
class _Block:
    """The function that runs the steps for one block: block(frame, leaves, work, element, n)."""

    module: Module
    rollout: Rollout
    leaves: tuple[LeafRole, ...]
    scratch: tuple[int, ...]
    store_bytes: int = 0
    states: dict[str, list[_State]] = field(default_factory=dict)

    def text(self) -> str:
        parameters = "ptr %frame, ptr %leaves, ptr %work, i64 %element, i64 %n"
        f = Function("block", parameters, self.module.lanes)
        step = self.rollout.step
        ports = {port.name: port for port in (*step.inputs, *step.outputs)}
        self.in_parts = schedule.cost(step.graph, step.results) > regions.STRAIGHT
        self._allocate(f, ports)
        index = self._cell(f)
        sources = self._sources(index, ports)
        every_step = [n for c in self.rollout.carried for n in ports[c.source].numbers]
        for event in self.rollout.events:
            every_step += [n for name in (event.condition, *event.values) for n in ports[name].numbers]
        recorded = [n for name in self.rollout.records for n in ports[name].numbers]
        region = Region(self.module, step.graph, sources, [every_step, recorded])
        self._begin(f)
        counter = f.at_entry("alloca i64")
        f.store(frame_word(f, 3), counter, "i64")
        end, every = frame_word(f, 4), frame_word(f, 5)
        due = self._first_record(f, every)
        test, body, after = f.label("step"), f.label("body"), f.label("after")
        f.jump(test)
        f.place(test)
        i = f.load(counter, "i64")
        f.branch(f.new(f"icmp slt i64 {i}, {end}"), body, after)
        f.place(body)
        one = f.new(f"sitofp i64 {i} to {f.lanes.number}")
        f.store(splat(f, one), pointer(f, index))
        self._look_back(f, i)
        self._open_sequences(f, i)
        values = iter(region.emit(f, 0))
        following = [[next(values) for _ in ports[c.source].numbers] for c in self.rollout.carried]
        self._events(f, values, ports)
        if self.rollout.records:
            self._record(f, region, i, every, due, ports)
        for carried, written in zip(self.rollout.carried, following, strict=True):
            self._write(f, i, carried, written)
        f.store(f.new(f"add i64 {i}, 1"), counter, "i64")
        f.jump(test)
        f.place(after)
        self._end(f)
        return f.text(notes="noinline #0")

    # ---- where things stand -----------------------------------------------------------------------

    def _cell(self, f: Function) -> Cell | Local:
        if self.in_parts:
            return Cell(self.module.allocate(1))
        return Local(f.at_entry(f"alloca {f.lanes.real}, align {f.lanes.bytes}"))

    def _allocate(self, f: Function, ports: dict[str, Port]) -> None:
        """Places for the states; those that outlive a piece lie together."""
        scalars = [(c, len(ports[c.target].numbers)) for c in self.rollout.carried]
        vectors = sum(n * (1 + (c.lag if c.lag > 1 else 0)) for c, n in scalars)
        self.store_start = start = self.module.allocate(vectors)
        self.store_bytes = vectors * f.lanes.bytes
        for c, count in scalars:
            self.states[c.target] = []
            for _ in range(count):
                newest = Cell(start)
                ring = Cell(start + f.lanes.bytes) if c.lag > 1 else None
                start += f.lanes.bytes * (1 + (c.lag if ring else 0))
                written = self._cell(f)
                seen = self._cell(f) if ring else written
                self.states[c.target].append(_State(newest, ring, c.lag, written, seen))

    def _sources(self, index: Cell | Local, ports: dict[str, Port]) -> list[Source]:
        sources: list[Source] = []
        place = {leaf.name: k for k, leaf in enumerate(self.leaves) if leaf.role in _INPUT_ROLES}
        for port in self.rollout.step.inputs:
            if port.name == self.rollout.index:
                sources.append(index)
            elif port.name in self.states:
                sources += [state.seen for state in self.states[port.name]]
            else:
                sources += [Leaf(place[port.name], k) for k in range(len(port.numbers))]
        return sources

    def _each(self, *roles: str) -> Iterator[tuple[int, LeafRole]]:
        return ((k, leaf) for k, leaf in enumerate(self.leaves) if leaf.role in roles)

    # ---- before the first step and after the last -------------------------------------------------

    def _begin(self, f: Function) -> None:
        """States from the initial arrays, or, where a run goes on, from the store."""
        first, store = frame_word(f, 3), frame_word(f, 6, "ptr")
        fresh, resumed, ready = f.label("fresh"), f.label("resumed"), f.label("ready")
        f.branch(f.new(f"icmp eq i64 {first}, 0"), fresh, resumed)
        f.place(fresh)
        for k, leaf in self._each("initial"):
            for scalar, state in enumerate(self.states[leaf.name]):
                value = read(f, Leaf(k, scalar))
                f.store(value, pointer(f, state.newest))
                for back in range(state.lag if state.ring else 0):
                    assert state.ring is not None
                    f.store(value, pointer(f, Cell(state.ring.offset + back * f.lanes.bytes)))
        f.jump(ready)
        f.place(resumed)
        self._copy(f, self._stored(f, store), kept_to_work=True)
        f.jump(ready)
        f.place(ready)
        for state in self._all_states():
            f.store(f.load(pointer(f, state.newest)), pointer(f, state.written))

    def _end(self, f: Function) -> None:
        """States to the final arrays and, where the run will go on, to the store."""
        for state in self._all_states():
            f.store(f.load(pointer(f, state.written)), pointer(f, state.newest))
        for k, leaf in self._each("final"):
            at, stride = leaf_pair(f, k)
            for scalar, state in enumerate(self.states[leaf.name]):
                where = f.offset(at, f.new(f"mul i64 {stride}, {scalar}"))
                f.store(f.load(pointer(f, state.written)), where)
        store = frame_word(f, 6, "ptr")
        keep, done = f.label("keep"), f.label("done")
        f.branch(f.new(f"icmp ne ptr {store}, null"), keep, done)
        f.place(keep)
        self._copy(f, self._stored(f, store), kept_to_work=False)
        f.jump(done)
        f.place(done)

    def _all_states(self) -> Iterator[_State]:
        for states in self.states.values():
            yield from states

    def _stored(self, f: Function, store: str) -> str:
        block = f.new(f"sdiv i64 %element, {f.lanes.width}")
        return f.offset(store, f.new(f"mul i64 {block}, {self.store_bytes}"))

    def _copy(self, f: Function, kept: str, *, kept_to_work: bool) -> None:
        here = f.new(f"getelementptr i8, ptr %work, i64 {self.store_start}")
        target, source = (here, kept) if kept_to_work else (kept, here)
        self.module.use("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        f.do(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {self.store_bytes}, i1 false)"
        )

    # ---- one step ---------------------------------------------------------------------------------

    def _look_back(self, f: Function, i: str) -> None:
        for state in self._all_states():
            if state.ring is not None:
                f.store(f.load(self._in_ring(f, state, i)), pointer(f, state.seen))

    def _in_ring(self, f: Function, state: _State, i: str) -> str:
        assert state.ring is not None
        place = f.new(f"urem i64 {i}, {state.lag}")
        return f.offset(pointer(f, state.ring), f.new(f"mul i64 {place}, {f.lanes.bytes}"))

    def _write(self, f: Function, i: str, carried: Carried, values: Sequence[str]) -> None:
        for state, value in zip(self.states[carried.target], values, strict=True):
            if state.ring is not None:
                f.store(value, self._in_ring(f, state, i))
            f.store(value, pointer(f, state.written))

    def _open_sequences(self, f: Function, i: str) -> None:
        for k, _ in self._each("sequence"):
            stride = f.load(f.offset(leaf_words(f, k), 8 * (memory.WORDS - 1)), "i64")
            open_leaf(f, k, "%work", "%element", "%n", f.new(f"mul i64 {i}, {stride}"), is_input=True)
            self._know_pair(f, k)

    def _know_pair(self, f: Function, k: int) -> tuple[str, str]:
        """A leaf's pair as it is now, for the code that follows."""
        at = f.offset("%leaves", 16 * k)
        pair = (f.load(at, "ptr"), f.load(f.offset(at, 8), "i64"))
        f.known[f"leaf {k}"] = pair
        return pair

    def _first_record(self, f: Function, every: str) -> str:
        """A counter with the next step that is recorded: a division in every step would take a tenth of it."""
        due, first = f.at_entry("alloca i64"), frame_word(f, 3)
        before = f.new(f"add i64 {first}, {f.new(f'sub i64 {every}, 1')}")
        f.store(f.new(f"sub i64 {before}, {f.new(f'urem i64 {before}, {every}')}"), due, "i64")
        return due

    def _record(
        self, f: Function, region: Region, i: str, every: str, due: str, ports: dict[str, Port]
    ) -> None:
        """What only the records need is computed in the steps that are recorded."""
        record, done = f.label("record"), f.label("recorded")
        f.branch(f.new(f"icmp eq i64 {i}, {f.load(due, 'i64')}"), record, done)
        f.place(record)
        f.store(f.new(f"add i64 {i}, {every}"), due, "i64")
        values = iter(region.emit(f, 1))
        number = f.new(f"udiv i64 {i}, {every}")
        for k, leaf in self._each("record"):
            stride = f.load(f.offset(leaf_words(f, k), 8 * (memory.WORDS - 1)), "i64")
            extra = f.new(f"mul i64 {number}, {stride}")
            open_leaf(f, k, "%work", "%element", "%n", extra, is_input=False)
            at, apart = self._know_pair(f, k)
            for scalar in range(len(ports[leaf.name].numbers)):
                f.store(next(values), f.offset(at, f.new(f"mul i64 {apart}, {scalar}")))
            close_leaf(f, k, "%work", "%element", "%n", extra)
        f.jump(done)
        f.place(done)

    def _events(self, f: Function, values: Iterator[str], ports: dict[str, Port]) -> None:
        for event in self.rollout.events:
            condition = next(values)
            written = {name: [next(values) for _ in ports[name].numbers] for name in event.values}
            self._event(f, event, condition, written)

    def _event(self, f: Function, event: Event, condition: str, written: dict[str, list[str]]) -> None:
        width, lanes = f.lanes.width, f.lanes
        happens = f.new(f"fcmp une {lanes.real} {condition}, {lanes.constant(0.0)}")
        bits = f.new(f"bitcast {lanes.boolean} {happens} to i{width}")
        wide = bits if width == 64 else f.new(f"zext i{width} {bits} to i64")
        some, none = f.label("event"), f.label("no_event")
        f.branch(f.new(f"icmp ne i64 {wide}, 0"), some, none)
        f.place(some)
        counts = next(k for k, leaf in self._each("count") if leaf.event == event.name)
        array = f.load(leaf_words(f, counts), "ptr")
        for k, leaf in self._each("event"):
            if leaf.event == event.name:
                for scalar, value in enumerate(written[leaf.name]):
                    f.store(value, pointer(f, Cell(self.scratch[k] + scalar * lanes.bytes)))
                words = leaf_words(f, k)
                f.do(
                    f"call void @qt.event(ptr {words}, ptr %work, ptr {array}, i64 %element, i64 %n, "
                    f"i64 {wide}, i64 {event.most})"
                )
        f.do(f"call void @qt.count(ptr {array}, i64 %element, i64 %n, i64 {wide})")
        f.jump(none)
        f.place(none)


_INPUT_ROLES = ("input", "initial", "sequence")


def _kernel(lanes: Lanes, leaves: Sequence[LeafRole]) -> str:
    def block(f: Function, work: str, element: str, n: str) -> None:
        for k, leaf in enumerate(leaves):
            if leaf.role in ("input", "initial", "final"):
                open_leaf(f, k, work, element, n, "0", is_input=leaf.role != "final")
        f.do(f"call void @block(ptr %frame, ptr {work}, ptr {work}, i64 {element}, i64 {n})")
        for k, leaf in enumerate(leaves):
            if leaf.role == "final":
                close_leaf(f, k, work, element, n, "0")

    return kernel_text(lanes, block)
