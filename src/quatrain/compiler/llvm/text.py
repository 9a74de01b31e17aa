"""A function of LLVM text under construction."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

UNBROKEN = 128
"""So many accesses to memory may stand in a row. LLVM looks at each together with all others that it might change
places with, which takes time as the square of their number; an instruction that does nothing, but stays where it is,
parts them."""
_BREAK = 'call void asm sideeffect "", ""()'


@dataclass(frozen=True)
class Lanes:
    """The vector that one scalar of a program is: its width and number type."""

    width: int
    number: str
    """"double" or "float"."""

    @property
    def real(self) -> str:
        return f"<{self.width} x {self.number}>"

    @property
    def boolean(self) -> str:
        return f"<{self.width} x i1>"

    @property
    def bytes(self) -> int:
        """Of one vector."""
        return self.width * (8 if self.number == "double" else 4)

    @property
    def suffix(self) -> str:
        """Of intrinsics: v4f64."""
        return f"v{self.width}f{64 if self.number == 'double' else 32}"

    def constant(self, value: float) -> str:
        """The same number in every lane."""
        return f"splat ({self.number} {self.literal(value)})"

    def literal(self, value: float) -> str:
        """A number bit for bit; LLVM writes single precision as the double of the same value."""
        if self.number == "float":
            value = struct.unpack("<f", _single(value))[0]
        if value != value:
            return "0x7FF8000000000000"
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _single(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:  # beyond the largest single: rounds to infinity
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


@dataclass
class Function:
    """Lines of one function; values are named %1, %2 … in the order they are made."""

    name: str
    parameters: str
    lanes: Lanes
    lines: list[str] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)
    """What stands before everything else: allocations and addresses used throughout."""
    count: int = 0
    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Addresses that were looked up at the entry."""
    accesses: int = 0
    """To memory, since the last label or break."""

    def new(self, instruction: str) -> str:
        """The value of an instruction."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def at_entry(self, instruction: str) -> str:
        self.count += 1
        name = f"%v{self.count}"
        self.entry.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def label(self, stem: str) -> str:
        """A name for a block, not yet placed."""
        self.count += 1
        return f"{stem}{self.count}"

    def place(self, label: str) -> None:
        """What follows is the block of this name."""
        self.lines.append(f"{label}:")
        self.accesses = 0

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def load(self, pointer: str, kind: str | None = None) -> str:
        self._access()
        return self.new(f"load {kind or self.lanes.real}, ptr {pointer}, align {self._alignment(kind)}")

    def store(self, value: str, pointer: str, kind: str | None = None) -> None:
        self._access()
        self.do(f"store {kind or self.lanes.real} {value}, ptr {pointer}, align {self._alignment(kind)}")

    def _access(self) -> None:
        self.accesses += 1
        if self.accesses == UNBROKEN:
            self.do(_BREAK)
            self.accesses = 0

    def _alignment(self, kind: str | None) -> int:
        return 8 if kind in ("i64", "ptr", "double") else 1 if kind == self.lanes.boolean else 4

    def offset(self, pointer: str, count: int | str) -> str:
        """A pointer so many bytes further."""
        return self.new(f"getelementptr i8, ptr {pointer}, i64 {count}")

    def any(self, mask: str) -> str:
        """Whether a lane of a mask is set, as i1."""
        width = self.lanes.width
        bits = self.new(f"bitcast {self.lanes.boolean} {mask} to i{width}")
        return bits if width == 1 else self.new(f"icmp ne i{width} {bits}, 0")

    def text(self, attributes: str = "internal", notes: str = "#0") -> str:
        return "\n".join(
            [
                f"define {attributes} void @{self.name}({self.parameters}) {notes} {{",
                "entry:",
                *self.entry,
                "  br label %begin",
                "begin:",
                *self.lines,
                "  ret void",
                "}",
                "",
            ]
        )
