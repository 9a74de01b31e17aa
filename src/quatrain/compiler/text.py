"""A readable listing of a program, in the order in which its source functions made its values.

    print(listing(trace(lambda x, y: sin(x) * y + 2, {"x": float, "y": float})))

The expressions are Python over the functions of `quatrain.scalar`, and mean what the program does bit
for bit: no sum or product is put in another order. The number in the margin is the line of the source;
a heading names the function and its file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from quatrain.compiler.counts import operations
from quatrain.compiler.program import Port, Program
from quatrain.compiler.statements import (
    Assignment,
    Constant,
    Expression,
    Name,
    Repetition,
    Statement,
    statements,
)

__all__ = ["infix", "listing", "operations"]

# How much of a line is left to the margin and to the name, which begins with that of a function.
_BESIDE, _BESIDE_WITHOUT_ORIGINS = 30, 20

# Up to this many numbers of a table are shown.
_SHOWN = 8


def listing(program: Program, *, width: int = 100, origins: bool = True) -> str:
    """The program as lines of text, most of them no longer than `width`.

    A loop is a block: how its states start, which values from outside it keeps, its lines, where it
    stops, and what is next in its states, which change all at once. A state that is a delay line says
    after how many iterations the block sees what is next in it. After the block the states hold what was
    written last. `loop.past[k].at(n)` is what its k-th state was after n iterations as far as they are done,
    `loop.trail[k].at(n)` the same when all are; `row(…)` are numbers of which one is read likewise.

    Without `origins` there are no headings and no line numbers, and values used once stand within the
    expressions that use them as far as the width allows.
    """
    origins = origins and program.graph.has_origins
    longest = max(width - (_BESIDE if origins else _BESIDE_WITHOUT_ORIGINS), 20)
    found = statements(program, lambda expression: len(infix(expression)) <= longest, origins=origins)
    margin = _margin(found.body)
    lines = [f"{program.name}({', '.join(map(_port, program.inputs))})"]
    lines += [f"table{k} = {_table(table)}" for k, table in enumerate(found.tables)]
    lines += _block(found.body, 0, margin)
    lines += ["", "results"]
    lines += [f"{'':{margin}}  {name} = {infix(expression)}" for name, expression in found.results]
    return "\n".join(lines) + "\n"


def _port(port: Port) -> str:
    return f"{port.name}{list(port.shape) if port.shape else ''}"


def _table(table: tuple[float, ...]) -> str:
    shown = [_number(value) for value in table[:_SHOWN]]
    more = f", … {len(table)} numbers" if len(table) > _SHOWN else ""
    return f"({', '.join(shown)}{more})"


# ---- lines -----------------------------------------------------------------------------------------------


def _margin(body: Iterable[Statement]) -> int:
    """Width of the widest line number."""
    widths = [0]
    for statement in body:
        widths.append(len(str(statement.origin.line)) + 2 if statement.origin else 0)
        if isinstance(statement, Repetition):
            widths.append(_margin(statement.body))
    return max(widths)


def _block(body: Iterable[Statement], level: int, margin: int) -> Iterator[str]:
    """The lines of statements; a heading wherever the function changes."""
    indent = "    " * level
    before: tuple[str, ...] = ("nothing yet",)
    for statement in body:
        origin = statement.origin
        here = (origin.function, origin.file) if origin else ()
        if here != before:
            if level == 0:
                yield ""
            if origin:
                yield f"{indent}{origin.function}, {os.path.basename(origin.file)}"
        before = here
        line = f"{origin.line if origin else '':>{margin}}  {indent}"
        if isinstance(statement, Assignment):
            yield f"{line}{statement.name} = {infix(statement.expression)}"
        else:
            yield f"{line}{statement.name} repeats {_count(statement)}:"
            yield from _loop(statement, level + 1, margin)


def _count(loop: Repetition) -> str:
    count = loop.count
    whole = isinstance(count, Constant) and float(count.value).is_integer()
    times = infix(count) if whole else f"floor({infix(count)})"
    return f"{times} times" if loop.stop is None else f"at most {times} times"


def _loop(loop: Repetition, level: int, margin: int) -> Iterator[str]:
    start = f"{'':{margin}}  {'    ' * level}"
    for state in loop.states:
        lag = f", seen after {state.lag} iterations" if state.lag > 1 else ""
        yield f"{start}start {state.name} = {infix(state.start)}{lag}"
    if loop.kept:
        yield f"{start}keep {', '.join(map(str, loop.kept))}"
    yield from _block(loop.body, level, margin)
    if loop.stop is not None:
        yield f"{start}stop where {infix(loop.stop)}"
    for state in loop.states:
        yield f"{start}next {state.name} = {infix(state.next)}"


# ---- expressions ---------------------------------------------------------------------------------------

_Text: TypeAlias = tuple[str, int]
"""An expression in the notation of Python, and how tightly it holds together."""

# A signed expression is a minus sign before a product or an atom.
_JOINED, _NEGATED, _COMPARED, _SUM, _SIGNED, _PRODUCT, _ATOM = range(7)

_COMPARISONS = {"less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!="}


def infix(expression: Expression) -> str:
    """The expression in the notation of Python."""
    return _infix(expression)[0]


def _infix(expression: Expression) -> _Text:
    if isinstance(expression, Name):
        return str(expression), _ATOM
    if isinstance(expression, Constant):
        text = _number(expression.value)
        return text, _SIGNED if text.startswith("-") else _ATOM
    operation = expression.operation
    parts = [_infix(argument) for argument in expression.arguments]
    if operation == "add":
        return _sum(*parts)
    if operation == "subtract":
        return _difference(*parts)
    if operation == "multiply":
        return _product(*parts, b_is_number=isinstance(expression.arguments[1], Constant))
    if operation == "divide":
        return f"{_within(parts[0], _PRODUCT)}/{_within(parts[1], _ATOM)}", _PRODUCT
    if operation == "negate":
        return f"-{_within(parts[0], _PRODUCT)}", _SIGNED
    if operation in _COMPARISONS:
        return f"{_within(parts[0], _SUM)} {_COMPARISONS[operation]} {_within(parts[1], _SUM)}", _COMPARED
    if operation in ("and", "or"):
        return f"{_within(parts[0], _ATOM)} {operation} {_within(parts[1], _ATOM)}", _JOINED
    if operation == "not":
        return f"not {_within(parts[0], _ATOM)}", _NEGATED
    listed = ", ".join(text for text, _ in parts)
    if operation == "lookup":
        return f"table{expression.table}[{listed}]", _ATOM
    if operation == "read":
        return f"{parts[0][0]}.at({parts[1][0]})", _ATOM
    if operation == "series":
        names = [part for part, _ in parts]
        return f"row({', '.join(names if len(names) <= _SHOWN else [*names[:2], '…', names[-1]])})", _ATOM
    return f"{'where' if operation == 'select' else operation}({listed})", _ATOM


def _within(part: _Text, tightness: int) -> str:
    """In brackets if it holds together less tightly than this."""
    text, its = part
    return text if its >= tightness else f"({text})"


# Two terms or factors may change places, which changes no bit; but a + (b + c) is not (a + b) + c.


def _sum(a: _Text, b: _Text) -> _Text:
    if (a[1] == _SIGNED and b[1] != _SIGNED) or (b[1] == _SUM and a[1] > _SUM):
        a, b = b, a
    if b[1] == _SIGNED:  # x + (-2) is x - 2, exactly
        return f"{_within(a, _SUM)} - {b[0][1:]}", _SUM
    return f"{_within(a, _SUM)} + {_within(b, _PRODUCT)}", _SUM


def _difference(a: _Text, b: _Text) -> _Text:
    if b[1] == _SIGNED:
        return f"{_within(a, _SUM)} + {b[0][1:]}", _SUM
    return f"{_within(a, _SUM)} - {_within(b, _PRODUCT)}", _SUM


def _product(a: _Text, b: _Text, *, b_is_number: bool) -> _Text:
    if b_is_number or (b[1] == _PRODUCT and a[1] > _PRODUCT):
        a, b = b, a
    return f"{_within(a, _PRODUCT)}*{_within(b, _ATOM)}", _PRODUCT


def _number(value: float | bool) -> str:
    """The shortest text that is this number and no other."""
    text = repr(value)
    return text.removesuffix(".0") if text != "-0.0" else text
