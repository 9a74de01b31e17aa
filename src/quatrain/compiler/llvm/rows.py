"""Numbers in a row of which one is read: where they stand, and the place if it is the same in all lanes.

The index of a loop's iteration is the same in all lanes, and so is what is looked up at it in a table of whole
numbers. Such places are computed once, as a 64-bit integer; what is read there is an operand in memory. Tables that
are read at one place are laid side by side, row by row, and so are the states in a loop's trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quatrain.compiler.graph import Graph
from quatrain.compiler.llvm import nodes
from quatrain.compiler.llvm.module import Cell, Leaf, Local, Module, Source, leaf_pair, pointer, splat
from quatrain.compiler.llvm.text import Function

# Whole numbers up to this are exact in single precision too, so that integers and lanes agree.
LARGEST = 2**24

_WHOLE = {"add": "add", "subtract": "sub", "multiply": "mul"}


@dataclass(frozen=True)
class Trail:
    """Vectors in the work area at equal distances: one state in the trail of a loop, or a series laid there."""

    area: int
    """Offset of the first row of the area that it stands in."""
    step: int
    """Bytes from one row to the next."""
    column: int
    """Its offset in a row."""
    length: int


@dataclass(frozen=True)
class LeafRow:
    """Neighbouring scalars of an array that goes in."""

    pair: int
    scalar: int
    length: int


Row = Trail | LeafRow


@dataclass(frozen=True)
class Within:
    """What the body of a loop knows besides its inputs."""

    counter: Cell | Local
    """Where the number of the iteration stands as an integer."""
    count: int | None
    """How many iterations there are, if that is known."""
    given: tuple[Row, ...] = ()
    past: Mapping[int, Row] = field(default_factory=dict)
    """By state."""


def leaf_row(sources: list[Source]) -> LeafRow | None:
    """These sources as neighbours in one array, if they are."""
    first = sources[0]
    if not isinstance(first, Leaf):
        return None
    there = all(s == Leaf(first.pair, first.scalar + k) for k, s in enumerate(sources))
    return LeafRow(first.pair, first.scalar, len(sources)) if there else None


class Places:
    """The nodes of a graph that are whole numbers, the same in all lanes, between known bounds."""

    def __init__(self, module: Module, graph: Graph, within: Within | None) -> None:
        self.module, self.graph, self.within = module, graph, within
        self.bounds: dict[int, tuple[int, int]] = {}
        if any(node[0] in ("read", "lookup") for node in graph.nodes):
            for n in range(len(graph.nodes)):
                bounds = self._bounds(n)
                if bounds is not None and bounds[0] >= -LARGEST and bounds[1] <= LARGEST:
                    self.bounds[n] = bounds
        self.late = {
            n
            for n, node in enumerate(graph.nodes)
            if (node[0] in ("lookup", "read") and node[2] in self.bounds)
            or (node[0] in ("add", "subtract", "multiply") and n in self.bounds)
        }
        """Read or made where they are used."""
        self.free = {n for n in self.late if graph.nodes[n][0] != "read" or self._is_ready(n)}
        """Those that can be had at any time."""
        self._beside: dict[tuple[int, int], list[int]] = {}
        for node in graph.nodes:
            if node[0] == "lookup" and node[2] in self.bounds:
                tables = self._beside.setdefault((node[2], len(graph.tables[node[1]])), [])
                if node[1] not in tables:
                    tables.append(node[1])

    def _is_ready(self, n: int) -> bool:
        return self.graph.nodes[self.graph.nodes[n][1]][0] in ("past", "given")

    def _bounds(self, n: int) -> tuple[int, int] | None:
        operation, *words = self.graph.nodes[n]
        if operation == "constant":
            value = words[0]
            return (int(value), int(value)) if abs(value) <= LARGEST and value == int(value) else None
        if operation == "input":
            known = words[0] == 0 and self.within is not None and self.within.count
            return (0, known - 1) if known else None
        if operation == "lookup" and words[1] in self.bounds:
            table = self.graph.tables[words[0]]
            whole = all(abs(value) <= LARGEST and value == int(value) for value in table)
            return (int(min(table)), int(max(table))) if whole else None
        if operation in ("add", "subtract", "multiply") and all(word in self.bounds for word in words):
            (a, b), (c, d) = self.bounds[words[0]], self.bounds[words[1]]
            if operation == "multiply":
                ends = (a * c, a * d, b * c, b * d)
                return min(ends), max(ends)
            return (a + c, b + d) if operation == "add" else (a - d, b - c)
        return None

    # ---- in one function ----------------------------------------------------------------------------

    def place(self, f: Function, known: dict[object, str], n: int) -> str:
        """The integer that a node is."""
        if n not in known:
            known[n] = self._place(f, known, n)
        return known[n]

    def _place(self, f: Function, known: dict[object, str], n: int) -> str:
        operation, *words = self.graph.nodes[n]
        if operation == "constant":
            return str(int(words[0]))
        if operation == "input":
            assert self.within is not None
            return f.load(pointer(f, self.within.counter), "i64")
        if operation == "lookup":
            number = f.lanes.number
            entry = f.load(self._entry(f, known, words[0], words[1]), number)
            return f.new(f"fptosi {number} {entry} to i64")
        a, b = (self.place(f, known, word) for word in words)
        return f.new(f"{_WHOLE[operation]} i64 {a}, {b}")

    def _clamped(self, f: Function, known: dict[object, str], n: int, length: int) -> str:
        place, (low, high) = self.place(f, known, n), self.bounds[n]
        if low < 0:
            place = _limited(f, place, "sgt", "0")
        return place if high < length else _limited(f, place, "slt", str(length - 1))

    def _entry(self, f: Function, known: dict[object, str], table: int, index: int) -> str:
        """Where a table's entry stands, in the row that it shares with others."""
        length = len(self.graph.tables[table])
        tables = self._beside[index, length]
        key = ("tables", index, length)
        if key not in known:
            columns = [self.graph.tables[t] for t in tables]
            name = self.module.table(tuple(value for row in zip(*columns, strict=True) for value in row))
            place = self._clamped(f, known, index, length)
            known[key] = f.new(f"getelementptr [{len(tables)} x {f.lanes.number}], ptr {name}, i64 {place}")
        column = tables.index(table)
        return (
            f.new(f"getelementptr {f.lanes.number}, ptr {known[key]}, i64 {column}") if column else known[key]
        )

    def lookup(self, f: Function, known: dict[object, str], n: int) -> str:
        """An entry of a table in every lane."""
        _, table, index = self.graph.nodes[n]
        return splat(f, f.load(self._entry(f, known, table, index), f.lanes.number))

    def read(self, f: Function, known: dict[object, str], row: Row, n: int) -> str:
        """A vector of a row."""
        _, series, index = self.graph.nodes[n]
        place = self._clamped(f, known, index, row.length)
        if self.graph.nodes[series][0] == "past":  # which ends with what this iteration began with
            assert self.within is not None
            place = _limited(f, place, "slt", f.load(pointer(f, self.within.counter), "i64"))
        return f.load(address(f, row, place))


def gathered(f: Function, row: Row, index: str, limit: str | None, module: Module) -> str:
    """The meaning of `read` lane by lane: row[floor(index)] within the row, up to `limit`; NaN for NaN."""
    lanes = f.lanes
    real, boolean, whole = lanes.real, lanes.boolean, f"<{lanes.width} x i64>"
    floor = nodes.emit(f, "floor", [index], contract=False, use=module.use)
    zero, last = lanes.constant(0.0), lanes.constant(float(row.length - 1))
    above = f.new(f"fcmp ogt {real} {floor}, {zero}")  # false for NaN too, which reads the first entry
    place = f.new(f"select {boolean} {above}, {real} {floor}, {real} {zero}")
    below = f.new(f"fcmp olt {real} {place}, {last}")
    place = f.new(f"select {boolean} {below}, {real} {place}, {real} {last}")
    places = f.new(f"fptoui {real} {place} to {whole}")
    value = "poison"
    for lane in range(lanes.width):
        one = f.new(f"extractelement {whole} {places}, i64 {lane}")
        if limit is not None:
            one = _limited(f, one, "slt", limit)
        there = f.offset(address(f, row, one), lane * lanes.bytes // lanes.width)
        entry = f.load(there, lanes.number)
        value = f.new(f"insertelement {real} {value}, {lanes.number} {entry}, i64 {lane}")
    known = f.new(f"fcmp ord {real} {index}, {index}")
    return f.new(f"select {boolean} {known}, {real} {value}, {real} {index}")


def _limited(f: Function, place: str, order: str, limit: str) -> str:
    holds = f.new(f"icmp {order} i64 {place}, {limit}")
    return f.new(f"select i1 {holds}, i64 {place}, i64 {limit}")


def address(f: Function, row: Row, place: str) -> str:
    """Where the vector at this place of a row stands."""
    if isinstance(row, Trail):
        first = pointer(f, Cell(row.area + row.column))
        return f.offset(first, f.new(f"mul i64 {place}, {row.step}"))
    first, stride = leaf_pair(f, row.pair)
    scalar = f.new(f"add i64 {place}, {row.scalar}") if row.scalar else place
    return f.offset(first, f.new(f"mul i64 {stride}, {scalar}"))
