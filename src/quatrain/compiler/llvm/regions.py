"""The nodes of a graph as code: straight where they are few, in parts where they are many.

Compiling takes more than linear time in the length of a function, so a long graph becomes several
functions ("parts"). What one part computes and another needs goes through the work area, a piece of
memory that stays in the first-level cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quatrain.compiler import schedule
from quatrain.compiler.counts import literal_count
from quatrain.compiler.elementary import function_name
from quatrain.compiler.graph import Graph, Node, arguments, trails_of
from quatrain.compiler.llvm import nodes
from quatrain.compiler.llvm.looping import Looping
from quatrain.compiler.llvm.module import PARAMETERS, Cell, Module, Source, as_number, pointer, read
from quatrain.compiler.llvm.rows import Places, Row, Trail, Within, gathered, leaf_row
from quatrain.compiler.llvm.text import Function, Lanes
from quatrain.compiler.operations import BOOLEAN, OPERATIONS, SERIES

# A graph longer than this is cut into parts of at most PART nodes.
STRAIGHT = 2500
PART = 1200


class Region:
    """A graph whose inputs come from given sources, computed in one or more sections.

    Each section has its results; a later one may use what earlier ones computed, and may be skipped.
    """

    def __init__(
        self,
        module: Module,
        graph: Graph,
        sources: Sequence[Source],
        sections: Sequence[Sequence[int]],
        within: Within | None = None,
    ) -> None:
        self.module = module
        self.graph = graph
        self.sources = sources
        self.within = within
        self.places = Places(module, graph, within)
        self.results = [tuple(section) for section in sections]
        every = [n for section in self.results for n in section]
        self.orders: list[list[int]] = []
        before: set[int] = set()
        items = _items(graph, every)
        for section in self.results:
            found = []
            for n in schedule.order(graph, section, module.registers, self.places.free):
                # A loop hands over its results where it is run, those for later sections too.
                for made in (n, *items.get(n, ())):
                    if made not in before:
                        before.add(made)
                        found.append(made)
            self.orders.append(found)
        self.angles: dict[tuple[str, int], list[int]] = {}
        for n in before:
            node = graph.nodes[n]
            if node[0] in ("sin", "cos"):
                self.angles.setdefault((node[0], node[1]), []).append(n)
        self.rows: dict[int, Row] = {}
        """By node, where a series stands."""
        self.areas: dict[int, dict[int, Trail]] = {}
        """By loop node, the trails of those of its states that are read."""
        for n, flag in enumerate(graph.needed(every)):
            if flag:
                self._lay(n, graph.nodes[n])
        self.straight = schedule.cost(graph, every) <= STRAIGHT
        self.slots: dict[int, Cell] = {}
        """By node, where its value is stored as soon as it is computed."""
        self._section = _Straight(self)
        if not self.straight:
            self._plan()

    def emit(self, f: Function, section: int, wanted: Sequence[int] | None = None) -> Iterator[str]:
        """Code for one section, in function `f`; the values of its results (or of those that are wanted), to be taken
        one after the other."""
        results = self.results[section] if wanted is None else wanted
        if self.straight:
            return self._section.emit(f, self.orders[section], results)
        for name in self._emit_parts(section):
            f.do(f"call void @{name}(ptr %leaves, ptr %work)")
        reader = _Straight(self)
        return (reader.value(f, n) for n in results)

    def keep(self, section: int) -> dict[int, Cell]:
        """A place in the work area for each distinct result; what is computed here is stored there at once."""
        computed, cells = set(self.orders[section]), dict(self.slots)
        for n in dict.fromkeys(self.results[section]):
            if n not in cells:
                cells[n] = Cell(self.module.allocate(1))
                if n in computed and self._crosses(n):
                    self.slots[n] = cells[n]
        return {n: cells[n] for n in self.results[section]}

    def _lay(self, n: int, node: Node) -> None:
        """Finds or makes room for a series, and for the trails of a loop."""
        lanes, allocate = self.module.lanes, self.module.allocate
        if node[0] == "series":
            inputs = [self.graph.nodes[a] for a in node[1:]]
            known = all(its[0] == "input" for its in inputs)
            row = leaf_row([self.sources[its[1]] for its in inputs]) if known else None
            count = len(inputs)
            self.rows[n] = row or Trail(allocate(count), lanes.bytes, 0, count)
        elif node[0] == "loop" and (states := trails_of(self.graph, n)):
            times = literal_count(self.graph, node)
            assert times is not None, "the trail of a loop whose count is not known"
            step = len(states) * lanes.bytes
            area = allocate((times + 1) * len(states))
            self.areas[n] = {
                k: Trail(area, step, column * lanes.bytes, times + 1) for column, k in enumerate(states)
            }
        elif node[0] == "trail":
            self.rows[n] = self.areas[node[1]][node[2]]
        elif node[0] in ("past", "given"):
            assert self.within is not None
            self.rows[n] = self.within.past[node[1]] if node[0] == "past" else self.within.given[node[1]]

    # ---- parts ------------------------------------------------------------------------------------

    def _plan(self) -> None:
        """Cuts the orders, and gives a place in the work area to every value that crosses a cut."""
        graph = self.graph
        self.parts = [schedule.parts(graph, numbers, PART) for numbers in self.orders]
        flat = [part for parts in self.parts for part in parts]
        home = {n: k for k, part in enumerate(flat) for n in part}
        last_use: dict[int, int] = {}
        for k, part in enumerate(flat):
            for n in part:
                for a in arguments(graph.nodes[n]):
                    if home.get(a, k) != k and self._crosses(a):
                        last_use[a] = k
        for section in self.results:
            for n in section:
                if n in home and self._crosses(n):
                    last_use[n] = len(flat)
        ends: dict[int, list[int]] = {}
        free: list[int] = []
        place: dict[int, int] = {}
        size = 0
        for k, part in enumerate(flat):
            for n in part:
                if n in last_use:
                    if free:
                        place[n] = free.pop()
                    else:
                        place[n] = size
                        size += 1
                    ends.setdefault(last_use[n], []).append(place[n])
            free.extend(ends.pop(k, ()))
        start = self.module.allocate(size)
        self.slots = {n: Cell(start + p * self.module.lanes.bytes) for n, p in place.items()}

    def _crosses(self, n: int) -> bool:
        """Whether a value must be kept for other parts: not if it is read where it is used, or is no value."""
        is_value = self.graph.nodes[n][0] != "loop" and self.graph.kind(n) != SERIES
        return is_value and n not in self.places.late

    def _emit_parts(self, section: int) -> list[str]:
        names = []
        for part in self.parts[section]:
            name = self.module.name("part")
            self.module.functions.append("")  # keeps the place; filled below, after the parts within
            place = len(self.module.functions) - 1
            f = Function(name, PARAMETERS, self.module.lanes)
            straight = _Straight(self)
            straight.emit(f, part, ())
            self.module.functions[place] = f.text(notes="noinline #0")
            names.append(name)
        return names


def _items(graph: Graph, results: Sequence[int]) -> dict[int, list[int]]:
    """By loop, the items of it that these results need."""
    found: dict[int, list[int]] = {}
    for n, flag in enumerate(graph.needed(results)):
        if flag and graph.nodes[n][0] == "item":
            found.setdefault(graph.nodes[n][1], []).append(n)
    return found


class _Straight:
    """Nodes in a row within one function."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.module = region.module
        self.graph = region.graph
        self.values: dict[int, str] = {}
        self.known: dict[object, str] = {}
        """Places in rows, and addresses of rows."""

    def emit(self, f: Function, numbers: Sequence[int], results: Sequence[int]) -> Iterator[str]:
        graph, values = self.graph, self.values
        present = set(numbers)
        slots = self.region.slots
        for n in numbers:
            if n not in values and n not in self.region.places.late:
                self._compute(f, n, graph.nodes[n], present)
            if n in slots:
                self._store(f, n, slots[n])
        return (self.value(f, n) for n in results)

    def _compute(self, f: Function, n: int, node: Node, present: set[int]) -> None:
        operation = node[0]
        if self.graph.kind(n) == SERIES:
            if operation == "series":
                self._lay(f, n)
            return
        if operation == "loop":
            items = self._loop(f, n, node)
            for other in present:
                if self.graph.nodes[other][0] == "item" and self.graph.nodes[other][1] == n:
                    self.values[other] = items[self.graph.nodes[other][2]]
            self.values[n] = ""
            return
        if n in self.region.places.late and operation in ("lookup", "read"):
            self.values[n] = self._in_row(f, n, node)
            return
        if operation == "read":
            row = self.region.rows[node[1]]
            limit = self._iteration(f) if self.graph.nodes[node[1]][0] == "past" else None
            self.values[n] = gathered(f, row, self.value(f, node[2]), limit, self.module)
            return
        arguments_of_node = [self.value(f, a) for a in arguments(node)]
        if operation == "lookup":
            table = self.graph.tables[node[1]]
            name = self.module.table(table)
            self.values[n] = nodes.lookup(f, name, len(table), arguments_of_node[0], self.module.use)
        elif operation in nodes.ELEMENTARY:
            self._call(f, n, node, arguments_of_node, present)
        else:
            self.values[n] = nodes.emit(
                f, operation, arguments_of_node, contract=self.module.contract, use=self.module.use
            )

    def _in_row(self, f: Function, n: int, node: Node) -> str:
        """What is read at a place that is the same in all lanes."""
        places = self.region.places
        if node[0] == "lookup":
            return places.lookup(f, self.known, n)
        return places.read(f, self.known, self.region.rows[node[1]], n)

    def _iteration(self, f: Function) -> str:
        assert self.region.within is not None
        return f.load(pointer(f, self.region.within.counter), "i64")

    def _lay(self, f: Function, n: int) -> None:
        """Numbers in a row, unless they stand in one."""
        row = self.region.rows[n]
        if isinstance(row, Trail):
            for k, a in enumerate(arguments(self.graph.nodes[n])):
                f.store(self.value(f, a), pointer(f, Cell(row.area + k * row.step)))

    def _loop(self, f: Function, n: int, node: Node) -> list[str]:
        """Code that runs a loop, and the values of its items."""
        module, loop = self.module, self.graph.loops[node[1]]
        states = len(loop.lags)
        first_series = len(node) - loop.series
        count, *values = (self.value(f, a) for a in node[2:first_series])
        rows = tuple(self.region.rows[a] for a in node[first_series:])
        in_parts = schedule.cost(loop.body, loop.results) > STRAIGHT
        trails = self.region.areas.get(n, {})
        known = literal_count(self.graph, node)

        def body(looping: Looping) -> list[str]:
            within = Within(looping.counter, known, rows, trails)
            return [*Region(module, loop.body, looping.sources, [loop.results], within).emit(f, 0)]

        mark = module.allocate(0)
        try:
            looping = Looping(module, f, loop, values[:states], values[states:], in_parts, trails)
            return looping.run(count, body) if known is None else looping.run_counted(known, body)
        finally:
            module.release(mark)

    def _call(self, f: Function, n: int, node: Node, values: list[str], present: set[int]) -> None:
        """An elementary function; sin and cos of one angle in one call."""
        real, lanes = f.lanes.real, f.lanes
        given = ", ".join(f"{real} {v}" for v in values)
        if node[0] in ("sin", "cos"):
            other = next((m for m in self._partners(node) if m in present and m not in self.values), None)
            if other is not None:
                name = self._elementary("sincos", lanes)
                both = f.new(f"call {{ {real}, {real} }} {name}({given})")
                sine = f.new(f"extractvalue {{ {real}, {real} }} {both}, 0")
                cosine = f.new(f"extractvalue {{ {real}, {real} }} {both}, 1")
                for number, operation in ((n, node[0]), (other, self.graph.nodes[other][0])):
                    self.values[number] = sine if operation == "sin" else cosine
                return
        name = self._elementary(nodes.ELEMENTARY[node[0]], lanes)
        self.values[n] = f.new(f"call {real} {name}({given})")

    def _partners(self, node: Node) -> list[int]:
        index = self.region.angles
        return index.get(("cos" if node[0] == "sin" else "sin", node[1]), [])

    def _elementary(self, name: str, lanes: Lanes) -> str:
        self.module.elementary.add(name)
        return function_name(name, lanes.width, self.module.dtype)

    # ---- values -----------------------------------------------------------------------------------

    def value(self, f: Function, n: int) -> str:
        """The operand that stands for a node here; read from its place if it is computed elsewhere."""
        node = self.graph.nodes[n]
        if node[0] == "constant":
            return f.lanes.constant(node[1])
        if node[0] == "boolean":
            return "splat (i1 true)" if node[1] else "zeroinitializer"
        if n not in self.values:
            if node[0] == "input":
                self.values[n] = read(f, self.region.sources[node[1]])
            elif n in self.region.places.late:
                self._compute(f, n, node, set())
            else:
                self.values[n] = self._loaded(f, n)
        return self.values[n]

    def _loaded(self, f: Function, n: int) -> str:
        value = read(f, self.region.slots[n])
        if OPERATIONS[self.graph.nodes[n][0]].result == BOOLEAN:
            return f.new(f"fcmp une {f.lanes.real} {value}, {f.lanes.constant(0.0)}")
        return value

    def _store(self, f: Function, n: int, cell: Cell) -> None:
        value = self.values[n]
        if OPERATIONS[self.graph.nodes[n][0]].result == BOOLEAN:
            value = as_number(f, value)
        f.store(value, pointer(f, cell))
