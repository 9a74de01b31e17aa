"""What the functions of one piece of machine code share, and where vectors come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quatrain.compiler.llvm.text import Function, Lanes

PARAMETERS = "ptr %leaves, ptr %work"


@dataclass(frozen=True)
class Leaf:
    """A scalar of an array that goes in: the pair at this place of `leaves`, and which scalar of it."""

    pair: int
    scalar: int


@dataclass(frozen=True)
class Cell:
    """A vector in the work area, by its offset in bytes: known to every part."""

    offset: int


@dataclass(frozen=True)
class Local:
    """A vector in the memory of the function itself, which becomes a register; known to it alone."""

    pointer: str


@dataclass(frozen=True)
class Value:
    """A vector that the function has at hand."""

    operand: str


Source = Leaf | Cell | Local | Value


@dataclass
class Module:
    """All the functions of one piece of machine code, and what they share."""

    lanes: Lanes
    dtype: str
    contract: bool
    registers: int
    """Of the processor, for vectors."""
    functions: list[str] = field(default_factory=list)
    declarations: dict[str, None] = field(default_factory=dict)
    elementary: set[str] = field(default_factory=set)
    tables: dict[tuple[float, ...], str] = field(default_factory=dict)
    masks: dict[tuple[bool, ...], str] = field(default_factory=dict)
    places: dict[tuple[int, ...], str] = field(default_factory=dict)
    work_bytes: int = 0
    """Of the work area, as far as it is used."""
    _top: int = 0

    def allocate(self, vectors: int) -> int:
        """Offset of so many vectors in the work area; they stay until `release`."""
        offset = self._top
        self._top += vectors * self.lanes.bytes
        self.work_bytes = max(self.work_bytes, self._top)
        return offset

    def release(self, offset: int) -> None:
        """What was allocated from here on may be used again."""
        self._top = offset

    def use(self, declaration: str) -> None:
        self.declarations[declaration] = None

    def table(self, values: tuple[float, ...]) -> str:
        if values not in self.tables:
            self.tables[values] = f"@table{len(self.tables)}"
        return self.tables[values]

    def flags(self, values: tuple[bool, ...]) -> str:
        return self.masks.setdefault(values, f"@flags{len(self.masks)}")

    def offsets(self, values: Iterable[int]) -> str:
        return self.places.setdefault(tuple(values), f"@offsets{len(self.places)}")

    def name(self, stem: str) -> str:
        return f"{stem}{len(self.functions)}"


def pointer(f: Function, source: Cell | Local) -> str:
    if isinstance(source, Local):
        return source.pointer
    return f.new(f"getelementptr i8, ptr %work, i64 {source.offset}")


def as_number(f: Function, condition: str) -> str:
    """1 where a condition holds, else 0."""
    lanes = f.lanes
    one, zero = lanes.constant(1.0), lanes.constant(0.0)
    return f.new(f"select {lanes.boolean} {condition}, {lanes.real} {one}, {lanes.real} {zero}")


def read(f: Function, source: Source) -> str:
    if isinstance(source, Value):
        return source.operand
    if isinstance(source, Leaf):
        place, stride = leaf_pair(f, source.pair)
        if source.scalar:
            place = f.offset(place, f.new(f"mul i64 {stride}, {source.scalar}"))
        return f.load(place)
    return f.load(pointer(f, source))


def leaf_pair(f: Function, pair: int) -> tuple[str, str]:
    """Address of a leaf's first vector and the distance of its scalars, read once in a function."""
    key = f"leaf {pair}"
    if key not in f.known:
        at = f.at_entry(f"getelementptr i8, ptr %leaves, i64 {16 * pair}")
        beside = f.at_entry(f"getelementptr i8, ptr %leaves, i64 {16 * pair + 8}")
        f.known[key] = (f.at_entry(f"load ptr, ptr {at}"), f.at_entry(f"load i64, ptr {beside}"))
    return f.known[key]


def splat(f: Function, number: str) -> str:
    """One number in every lane."""
    lanes = f.lanes
    first = f.new(f"insertelement {lanes.real} poison, {lanes.number} {number}, i64 0")
    zeros = f"<{lanes.width} x i32> zeroinitializer"
    return f.new(f"shufflevector {lanes.real} {first}, {lanes.real} poison, {zeros}")
