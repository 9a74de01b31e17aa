"""Elementary functions for the LLVM backend, as text: vectors of any width, float64 and float32.

    text = library(width=8, dtype="float64", fma=True, names={"sincos", "exp"})

holds `define internal` functions `@qt.sincos.f64x8`, … on vectors `<8 x double>` (width 1: `<1 x double>`),
and what they need, under names that begin with `@qt.`. `sincos` returns `{ sine, cosine }`. Declarations
stand one to a line at the top, so that a text with the same ones can drop them.

Every result is within 1 ulp of the exact value, for every argument: huge and subnormal ones, signed zeros,
infinities and NaN included. A lane's result depends on that lane's arguments alone. sin, cos and sincos agree
to the bit. Nothing is assumed of the code around, but that it rounds to nearest and keeps subnormal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from quatrain.compiler.elementary.assembly import Assembly
from quatrain.compiler.elementary.emitter import Real
from quatrain.compiler.elementary.exponential import exp, tanh
from quatrain.compiler.elementary.formats import FORMATS, Format
from quatrain.compiler.elementary.inverse import acos, asin, atan, atan2
from quatrain.compiler.elementary.logarithm import log
from quatrain.compiler.elementary.power import power
from quatrain.compiler.elementary.sine import cos, sin, sincos, tan

WIDTHS = (1, 2, 4, 8, 16, 32)


class Operation(NamedTuple):
    """A function's equations and the number of its arguments and results."""

    arguments: int
    results: int
    equations: Callable[..., Sequence[Real]]


OPERATIONS = {
    "sin": Operation(1, 1, sin),
    "cos": Operation(1, 1, cos),
    "sincos": Operation(1, 2, sincos),
    "tan": Operation(1, 1, tan),
    "asin": Operation(1, 1, asin),
    "acos": Operation(1, 1, acos),
    "atan": Operation(1, 1, atan),
    "atan2": Operation(2, 1, atan2),
    "exp": Operation(1, 1, exp),
    "log": Operation(1, 1, log),
    "tanh": Operation(1, 1, tanh),
    "pow": Operation(2, 1, power),
}


def library(*, width: int, dtype: str = "float64", fma: bool, names: Collection[str] | None = None) -> str:
    """LLVM IR of the named operations (all, if none are named).

    `fma` says that the machine has fused multiply-add. Without it nothing calls `llvm.fma`, which would end
    in a call of the C library; results may then differ in the last place.
    """
    number_format = _format(dtype)
    if width not in WIDTHS:
        raise ValueError(f"width is {width}; it must be one of {', '.join(map(str, WIDTHS))}")
    unknown = sorted(set(names or ()) - OPERATIONS.keys())
    if unknown:
        raise ValueError(f"no operation {unknown[0]!r}; there are {', '.join(OPERATIONS)}")
    assembly = Assembly(width, fma)
    for name, operation in OPERATIONS.items():
        if names is None or name in names:
            assembly.define(name, number_format, operation.arguments, operation.equations)
    return assembly.text()


def function_name(name: str, width: int, dtype: str) -> str:
    """The function's name in the text: `@qt.sin.f64x8`."""
    if name not in OPERATIONS:
        raise ValueError(f"no operation {name!r}; there are {', '.join(OPERATIONS)}")
    return f"@qt.{name}.{_format(dtype).suffix}x{width}"


def vector_type(width: int, dtype: str) -> str:
    """The type of arguments and results: `<8 x double>`."""
    return f"<{width} x {_format(dtype).real}>"


def _format(dtype: str) -> Format:
    if dtype not in FORMATS:
        raise ValueError(f"dtype is {dtype!r}; it must be one of {', '.join(FORMATS)}")
    return FORMATS[dtype]


__all__ = ["OPERATIONS", "WIDTHS", "Operation", "function_name", "library", "vector_type"]
