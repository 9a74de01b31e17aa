"""One node of the graph as instructions on vectors: the meaning of `operations.py`, a lane an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quatrain.compiler.llvm.text import Function

# Operations that are calls of the elementary functions, and their names there.
ELEMENTARY = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan2": "atan2",
    "exp": "exp",
    "log": "log",
    "tanh": "tanh",
    "power": "pow",
}

_ARITHMETIC = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv"}
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor"}
_COMPARISONS = {"less": "olt", "less_equal": "ole", "equal": "oeq", "not_equal": "une"}
_LOGIC = {"and": "and", "or": "or"}

Use = Callable[[str], None]
"""Notes that a declaration is needed."""


def emit(f: Function, operation: str, arguments: list[str], *, contract: bool, use: Use) -> str:
    """The value of a node whose arguments have these values. Not for leaves, lookups, loops or elementary functions."""
    real, boolean = f.lanes.real, f.lanes.boolean
    if operation in _ARITHMETIC:
        a, b = arguments
        flag = "contract " if contract else ""
        return f.new(f"{_ARITHMETIC[operation]} {flag}{real} {a}, {b}")
    if operation == "negate":
        return f.new(f"fneg {'contract ' if contract else ''}{real} {arguments[0]}")
    if operation in _INTRINSICS:
        name = f"@llvm.{_INTRINSICS[operation]}.{f.lanes.suffix}"
        use(f"declare {real} {name}({real})")
        return f.new(f"call {real} {name}({real} {arguments[0]})")
    if operation in _COMPARISONS:
        a, b = arguments
        return f.new(f"fcmp {_COMPARISONS[operation]} {real} {a}, {b}")
    if operation in _LOGIC:
        a, b = arguments
        return f.new(f"{_LOGIC[operation]} {boolean} {a}, {b}")
    if operation == "not":
        return f.new(f"xor {boolean} {arguments[0]}, splat (i1 true)")
    if operation == "select":
        condition, a, b = arguments
        return f.new(f"select {boolean} {condition}, {real} {a}, {real} {b}")
    return _CHOICES[operation](f, arguments)


def _smaller_or_larger(order: str) -> Callable[[Function, list[str]], str]:
    """a where a < b (or a > b) or a is NaN, else b."""

    def choose(f: Function, arguments: list[str]) -> str:
        a, b = arguments
        real, boolean = f.lanes.real, f.lanes.boolean
        before = f.new(f"fcmp {order} {real} {a}, {b}")
        unknown = f.new(f"fcmp uno {real} {a}, {a}")
        first = f.new(f"or {boolean} {before}, {unknown}")
        return f.new(f"select {boolean} {first}, {real} {a}, {real} {b}")

    return choose


def _sign(f: Function, arguments: list[str]) -> str:
    """1, −1, NaN for NaN, and +0 for both zeros."""
    (x,) = arguments
    real, boolean, lanes = f.lanes.real, f.lanes.boolean, f.lanes
    zero = lanes.constant(0.0)
    positive = f.new(f"fcmp ogt {real} {x}, {zero}")
    negative = f.new(f"fcmp olt {real} {x}, {zero}")
    unknown = f.new(f"fcmp uno {real} {x}, {x}")
    value = f.new(f"select {boolean} {unknown}, {real} {x}, {real} {zero}")
    value = f.new(f"select {boolean} {negative}, {real} {lanes.constant(-1.0)}, {real} {value}")
    return f.new(f"select {boolean} {positive}, {real} {lanes.constant(1.0)}, {real} {value}")


_CHOICES: dict[str, Callable[[Function, list[str]], str]] = {
    "minimum": _smaller_or_larger("olt"),
    "maximum": _smaller_or_larger("ogt"),
    "sign": _sign,
}


def lookup(f: Function, table: str, length: int, index: str, use: Use) -> str:
    """table[floor(index)], clamped to the ends; NaN where the index is NaN."""
    lanes = f.lanes
    real, boolean = lanes.real, lanes.boolean
    floor = emit(f, "floor", [index], contract=False, use=use)
    last = lanes.constant(float(length - 1))
    zero = lanes.constant(0.0)
    below = f.new(f"fcmp ogt {real} {floor}, {zero}")  # false for NaN too, which reads the first entry
    place = f.new(f"select {boolean} {below}, {real} {floor}, {real} {zero}")
    above = f.new(f"fcmp olt {real} {place}, {last}")
    place = f.new(f"select {boolean} {above}, {real} {place}, {real} {last}")
    integers = f"<{lanes.width} x i64>"
    where = f.new(f"fptoui {real} {place} to {integers}")
    value: Any = "poison"
    for lane in range(lanes.width):
        one = f.new(f"extractelement {integers} {where}, i64 {lane}")
        pointer = f.new(f"getelementptr {lanes.number}, ptr {table}, i64 {one}")
        entry = f.load(pointer, lanes.number)
        value = f.new(f"insertelement {real} {value}, {lanes.number} {entry}, i64 {lane}")
    known = f.new(f"fcmp ord {real} {index}, {index}")
    return f.new(f"select {boolean} {known}, {real} {value}, {real} {index}")
