"""Writes LLVM IR: values with operators, so that an equation of numerics is one readable line.

`high = r - n * c` on values appends two instructions to a function's body. A Python float becomes a vector
of constants. Nothing is reassociated or contracted, here or later: no instruction carries a fast-math flag.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quatrain.compiler.elementary.formats import FLOAT64, Format

if TYPE_CHECKING:
    from quatrain.compiler.elementary.assembly import Assembly


@dataclass
class Body:
    """The lines of one function, shared by the emitters that write it."""

    lines: list[str] = field(default_factory=list)
    names: int = 0
    block: str = "entry"

    def fresh(self) -> str:
        self.names += 1
        return f"%v{self.names}"


@dataclass(frozen=True, eq=False)
class Value:
    """A vector in the function being written: `text` is its name or the constant itself."""

    e: Emitter
    text: str

    @property
    def type(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Real(Value):
    """A vector of floating-point numbers."""

    @property
    def type(self) -> str:
        return self.e.real_type

    def __add__(self, other: Real | float) -> Real:
        return self.e.real_op("fadd", self, other)

    def __radd__(self, other: float) -> Real:
        return self.e.real_op("fadd", other, self)

    def __sub__(self, other: Real | float) -> Real:
        return self.e.real_op("fsub", self, other)

    def __rsub__(self, other: float) -> Real:
        return self.e.real_op("fsub", other, self)

    def __mul__(self, other: Real | float) -> Real:
        return self.e.real_op("fmul", self, other)

    def __rmul__(self, other: float) -> Real:
        return self.e.real_op("fmul", other, self)

    def __truediv__(self, other: Real | float) -> Real:
        return self.e.real_op("fdiv", self, other)

    def __rtruediv__(self, other: float) -> Real:
        return self.e.real_op("fdiv", other, self)

    def __neg__(self) -> Real:
        return Real(self.e, self.e.emit(f"fneg {self.type} {self.text}"))

    def __lt__(self, other: Real | float) -> Mask:
        return self.e.compare("fcmp olt", self, self.e.real(other))

    def __gt__(self, other: Real | float) -> Mask:
        return self.e.compare("fcmp ogt", self, self.e.real(other))

    def __ge__(self, other: Real | float) -> Mask:
        return self.e.compare("fcmp oge", self, self.e.real(other))

    def equals(self, other: Real | float) -> Mask:
        return self.e.compare("fcmp oeq", self, self.e.real(other))

    def is_nan(self) -> Mask:
        return self.e.compare("fcmp uno", self, self)

    def bits(self) -> Bits:
        return Bits(self.e, self.e.emit(f"bitcast {self.type} {self.text} to {self.e.bits_type}"))

    def flip_sign(self, signs: Bits) -> Real:
        """Negated where the top bit of `signs` is set; its other bits must be clear."""
        return (self.bits() ^ signs).real()

    def absolute(self) -> Real:
        return (self.bits() & (self.e.format.sign_bit - 1)).real()

    def sign(self) -> Bits:
        """The sign bit alone, in place."""
        return self.bits() & self.e.format.sign_bit

    def is_negative(self) -> Mask:
        """The sign bit is set: true of -0."""
        return self.bits().top_bit()


@dataclass(frozen=True, eq=False)
class Bits(Value):
    """A vector of integers of the same size as the floating-point numbers."""

    @property
    def type(self) -> str:
        return self.e.bits_type

    def __add__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("add", self, other)

    def __sub__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("sub", self, other)

    def __mul__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("mul", self, other)

    def __and__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("and", self, other)

    def __or__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("or", self, other)

    def __xor__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("xor", self, other)

    def __lshift__(self, other: Bits | int) -> Bits:
        return self.e.bits_op("shl", self, other)

    def __rshift__(self, other: Bits | int) -> Bits:
        """Logical: the sign is not kept (there is no arithmetic shift of 64 bits before AVX-512)."""
        return self.e.bits_op("lshr", self, other)

    def top_bit(self) -> Mask:
        return self.e.compare("icmp slt", self, self.e.integer(0))

    def is_odd(self) -> Mask:
        return Mask(self.e, self.e.emit(f"trunc {self.type} {self.text} to {self.e.mask_type}"))

    def real(self) -> Real:
        return Real(self.e, self.e.emit(f"bitcast {self.type} {self.text} to {self.e.real_type}"))


@dataclass(frozen=True, eq=False)
class Mask(Value):
    """A vector of truth values."""

    @property
    def type(self) -> str:
        return self.e.mask_type

    def __and__(self, other: Mask) -> Mask:
        return Mask(self.e, self.e.emit(f"and {self.type} {self.text}, {other.text}"))

    def __or__(self, other: Mask) -> Mask:
        return Mask(self.e, self.e.emit(f"or {self.type} {self.text}, {other.text}"))

    def __xor__(self, other: Mask) -> Mask:
        return Mask(self.e, self.e.emit(f"xor {self.type} {self.text}, {other.text}"))

    def __invert__(self) -> Mask:
        return Mask(self.e, self.e.emit(f"xor {self.type} {self.text}, splat (i1 true)"))


@dataclass(frozen=True)
class Emitter:
    """Writes instructions on vectors of one format into a body."""

    assembly: Assembly
    format: Format
    body: Body

    @property
    def fused(self) -> bool:
        return self.assembly.fma

    @property
    def real_type(self) -> str:
        return f"<{self.assembly.width} x {self.format.real}>"

    @property
    def bits_type(self) -> str:
        return f"<{self.assembly.width} x {self.format.integer}>"

    @property
    def mask_type(self) -> str:
        return f"<{self.assembly.width} x i1>"

    def emit(self, instruction: str) -> str:
        name = self.body.fresh()
        self.body.lines.append(f"  {name} = {instruction}")
        return name

    def real(self, value: Real | float) -> Real:
        """A constant in every lane, rounded to the format."""
        if isinstance(value, Real):
            return value
        # LLVM writes a float by the bits of the double of the same value.
        return Real(self, f"splat ({self.format.real} 0x{FLOAT64.pattern(self.format.rounded(value)):016X})")

    def integer(self, value: Bits | int) -> Bits:
        return value if isinstance(value, Bits) else Bits(self, f"splat ({self.format.integer} {value})")

    def real_op(self, operation: str, a: Real | float, b: Real | float) -> Real:
        return Real(self, self.emit(f"{operation} {self.real_type} {self.real(a).text}, {self.real(b).text}"))

    def bits_op(self, operation: str, a: Bits, b: Bits | int) -> Bits:
        return Bits(self, self.emit(f"{operation} {self.bits_type} {a.text}, {self.integer(b).text}"))

    def compare(self, condition: str, a: Value, b: Value) -> Mask:
        return Mask(self, self.emit(f"{condition} {a.type} {a.text}, {b.text}"))

    def fma(self, a: Real | float, b: Real | float, c: Real | float) -> Real:
        """a b + c: one rounding where the machine has it, else two."""
        a, b, c = self.real(a), self.real(b), self.real(c)
        return self.intrinsic("fma", a, b, c) if self.fused else a * b + c

    def sqrt(self, a: Real) -> Real:
        return self.intrinsic("sqrt", a)

    def intrinsic(self, name: str, *operands: Real) -> Real:
        full = f"@llvm.{name}.v{self.assembly.width}{self.format.suffix}"
        self.assembly.declare(f"declare {self.real_type} {full}({', '.join(v.type for v in operands)})")
        return Real(self, self.emit(f"call {self.real_type} {full}({_arguments(operands)})"))

    def select(self, mask: Mask, yes: Real | float, no: Real | float) -> Real:
        return Real(self, self._select(mask, self.real(yes), self.real(no)))

    def select_bits(self, mask: Mask, yes: Bits | int, no: Bits | int) -> Bits:
        return Bits(self, self._select(mask, self.integer(yes), self.integer(no)))

    def _select(self, mask: Mask, yes: Value, no: Value) -> str:
        return self.emit(f"select {mask.type} {mask.text}, {yes.type} {yes.text}, {no.type} {no.text}")

    def minimum(self, a: Real, bound: float) -> Real:
        """The smaller; NaN stays NaN."""
        return self.select(a > bound, bound, a)

    def maximum(self, a: Real, bound: float) -> Real:
        return self.select(a < bound, bound, a)

    def polynomial(self, t: Real, coefficients: Sequence[float]) -> Real:
        """Σ c[k] t^k. Interleaved Horner schemes: the fastest by measurement, for each length.

        Up to seven terms in two, of the even and the odd powers; more in blocks of four terms.
        """
        t2 = t * t
        if len(coefficients) < 8:
            return self.fma(t, self.horner(t2, coefficients[1::2]), self.horner(t2, coefficients[::2]))
        blocks = [coefficients[k : k + 4] for k in range(0, len(coefficients), 4)]
        sums = [
            self.fma(t2, self.horner(t, c[2:]), self.horner(t, c[:2])) if len(c) > 2 else self.horner(t, c)
            for c in blocks
        ]
        return self.horner(t2 * t2, sums)

    def horner(self, t: Real, coefficients: Sequence[Real | float]) -> Real:
        total = self.real(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.fma(total, t, c)
        return total

    def power_of_two(self, n: Bits) -> Real:
        """2^n, for n in the low bits (the others may hold anything) and in the range of normal exponents."""
        return ((n + self.format.bias) << self.format.mantissa).real()

    def widened(self, a: Real, e64: Emitter) -> Real:
        return Real(e64, self.emit(f"fpext {self.real_type} {a.text} to {e64.real_type}"))

    def narrowed(self, a: Real) -> Real:
        """A float64 rounded to this format."""
        return Real(self, self.emit(f"fptrunc {a.type} {a.text} to {self.real_type}"))

    def narrowed_bits(self, a: Bits) -> Bits:
        return Bits(self, self.emit(f"trunc {a.type} {a.text} to {self.bits_type}"))

    def in_format(self, other: Format) -> Emitter:
        """The same body, written in another format."""
        return Emitter(self.assembly, other, self.body)

    def call(self, function: str, *operands: Real, results: int) -> list[Real]:
        """Call a function that returns a struct of so many vectors."""
        kind = self.struct(results)
        struct = self.emit(f"call {kind} {function}({_arguments(operands)})")
        return [Real(self, self.emit(f"extractvalue {kind} {struct}, {k}")) for k in range(results)]

    def struct(self, results: int) -> str:
        """LLVM's type of several results."""
        return "{ " + ", ".join([self.real_type] * results) + " }"

    def load(self, table: str, index: Bits) -> Bits:
        """table[index], lane by lane; for code that seldom runs."""
        kind, loaded = self.format.integer, "poison"
        for lane in range(self.assembly.width):
            i = self.emit(f"extractelement {self.bits_type} {index.text}, i32 {lane}")
            address = self.emit(f"getelementptr inbounds {kind}, ptr {table}, {kind} {i}")
            word = self.emit(f"load {kind}, ptr {address}")
            loaded = self.emit(f"insertelement {self.bits_type} {loaded}, {kind} {word}, i32 {lane}")
        return Bits(self, loaded)

    def repair(
        self, wrong: Mask, values: Sequence[Real], other_way: Callable[[], Sequence[Real]]
    ) -> list[Real]:
        """`values`, but `other_way()` in the lanes of `wrong`; it is only run when there is one.

        Each lane takes its own side: what the neighbours are decides the time, not the bits.
        """
        body, width = self.body, self.assembly.width
        reduction = f"@llvm.vector.reduce.or.v{width}i1"
        self.assembly.declare(f"declare i1 {reduction}({self.mask_type})")
        any_wrong = self.emit(f"call i1 {reduction}({wrong.type} {wrong.text})")
        before, repair, join = body.block, f"repair{body.names}", f"join{body.names}"
        body.lines += [f"  br i1 {any_wrong}, label %{repair}, label %{join}", f"{repair}:"]
        body.block = repair
        repaired = [self.select(wrong, new, old) for new, old in zip(other_way(), values, strict=True)]
        body.lines += [f"  br label %{join}", f"{join}:"]
        after, body.block = body.block, join
        return [
            Real(self, self.emit(f"phi {old.type} [ {old.text}, %{before} ], [ {new.text}, %{after} ]"))
            for old, new in zip(values, repaired, strict=True)
        ]


def _arguments(values: Sequence[Value]) -> str:
    return ", ".join(f"{v.type} {v.text}" for v in values)
