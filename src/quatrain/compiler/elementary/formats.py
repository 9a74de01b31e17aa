"""The two floating-point formats, and π, 2/π and ln 2 to as many bits as their argument reductions need.

The constants come from series in integer arithmetic: exact to the last bit asked for, on every machine.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from quatrain.compiler.elementary.coefficients import FLOAT32 as FLOAT32_COEFFICIENTS
from quatrain.compiler.elementary.coefficients import FLOAT64 as FLOAT64_COEFFICIENTS
from quatrain.compiler.elementary.coefficients import Coefficients

_SERIES_BITS = 1400  # 2/π is read down to 2⁻¹²⁵⁰


@dataclass(frozen=True)
class Format:
    """A binary floating-point format of IEEE 754 and the integer of its size."""

    dtype: str  # as NumPy calls it
    suffix: str  # in the names of functions
    real: str  # LLVM's type
    integer: str  # LLVM's integer of the same size
    size: int  # [bits]
    digits: int  # significant bits, the hidden one included
    bias: int  # of the exponent; also the largest exponent
    polynomials: Coefficients

    @property
    def mantissa(self) -> int:
        """Bits of the stored fraction: where the exponent field begins."""
        return self.digits - 1

    @property
    def sign_bit(self) -> int:
        return 1 << (self.size - 1)

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def rounder(self) -> float:
        """Adding 1.5·2^mantissa rounds to an integer, which then stands in the low bits of the sum."""
        return 1.5 * 2.0**self.mantissa

    @property
    def half_digits(self) -> int:
        """Two numbers of this many bits have an exact product."""
        return self.digits // 2

    def choose(self, for_float64: float, for_float32: float) -> float:
        return for_float64 if self.size == 64 else for_float32

    def rounded(self, value: float) -> float:
        return value if self.size == 64 else float(struct.unpack("<f", struct.pack("<f", value))[0])

    def pattern(self, value: float) -> int:
        """The bits of a representable value, as an unsigned integer."""
        if self.size == 64:
            return int(struct.unpack("<Q", struct.pack("<d", value))[0])
        return int(struct.unpack("<I", struct.pack("<f", value))[0])


FLOAT64 = Format("float64", "f64", "double", "i64", 64, 53, 1023, FLOAT64_COEFFICIENTS)
FLOAT32 = Format("float32", "f32", "float", "i32", 32, 24, 127, FLOAT32_COEFFICIENTS)
FORMATS = {f.dtype: f for f in (FLOAT64, FLOAT32)}


@cache
def pi() -> Fraction:
    """π = 16 atan(1/5) - 4 atan(1/239) (Machin)."""
    return 16 * _inverse_series(5, -1) - 4 * _inverse_series(239, -1)


@cache
def ln2() -> Fraction:
    """ln 2 = 2 atanh(1/3)."""
    return 2 * _inverse_series(3, 1)


def _inverse_series(n: int, sign: int) -> Fraction:
    """Σ sign^k / ((2k + 1) n^(2k+1)): atan(1/n) for sign = -1, atanh(1/n) for sign = 1."""
    guard = 32
    power = (1 << (_SERIES_BITS + guard)) // n
    total, k = 0, 0
    while power:
        total += sign**k * (power // (2 * k + 1))
        power //= n * n
        k += 1
    return Fraction(total, 1 << (_SERIES_BITS + guard))


def rounded(value: Fraction, bits: int) -> Fraction:
    """The nearest number of `bits` significant bits."""
    if value == 0:
        return value
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    unit = Fraction(2) ** (exponent - bits)
    while abs(value) / unit >= 1 << bits:
        unit *= 2
    return round(value / unit) * unit


def parts(value: Fraction, *bits: int) -> tuple[float, ...]:
    """`value` as a sum of floats of so many bits, each rounding what the ones before it leave."""
    result = []
    for count in bits:
        part = rounded(value, count)
        result.append(float(part))
        value -= part
    return tuple(result)
