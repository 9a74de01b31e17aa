"""What a value that has no number yet cannot be used as, and what to write instead."""

from __future__ import annotations

from typing import Any, NoReturn

from quatrain.compiler.origin import trace_error


def _refuse(use: str, do: str) -> NoReturn:
    raise trace_error(f"a traced value has no number yet, so it cannot be used as {use}", do)


INDEX = (
    "use quatrain.lookup(table, index) to read from a table, quatrain.where(condition, a, b) to "
    "choose, and quatrain.repeat(body, state, count) for a loop whose length depends on a value"
)
_SHAPE = "declare the input with a shape, such as inputs={'q': (7,)}"


class Unknown:
    """Base of traced values: every use that needs the number is an error at the user's line."""

    __slots__ = ()

    def __bool__(self) -> bool:
        _refuse(
            "a truth value (by `if`, `while`, `and`, `or`, `not`, `a < b < c`, min or max)",
            "use quatrain.where(condition, a, b), which computes both and chooses one; `&`, `|` and `~` "
            "combine conditions; quatrain.minimum and quatrain.maximum take the place of min and max",
        )

    def __float__(self) -> float:
        _refuse("a float", "use quatrain.sin … in place of math.sin …, and no float(…)")

    def __complex__(self) -> complex:
        _refuse("a complex number", "use real arithmetic only")

    def __int__(self) -> int:
        _refuse("an int", "use quatrain.floor, and quatrain.where(condition, a, b) to choose by the value")

    def __round__(self, digits: int | None = None) -> Any:
        _refuse("an int", "use quatrain.floor(x + 0.5)")

    def __index__(self) -> int:
        _refuse("an index or a count", INDEX)

    def __format__(self, specification: str) -> str:
        if not specification:
            return str(self)
        _refuse(f"text of the form {specification!r}", "print it as it is, or return it to see its numbers")

    def __len__(self) -> int:
        _refuse("a sequence", _SHAPE)

    def __iter__(self) -> Any:
        _refuse("a sequence", _SHAPE)

    def __floordiv__(self, other: Any) -> Any:
        _refuse("an operand of //", "write quatrain.floor(x / y)")

    def __mod__(self, other: Any) -> Any:
        _refuse("an operand of %", "write x - y * quatrain.floor(x / y)")

    __rfloordiv__, __rmod__ = __floordiv__, __mod__
