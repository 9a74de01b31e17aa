"""Errors that say what was wrong, where, and what to do."""

from __future__ import annotations

from typing import Any


class QuatrainError(Exception):
    """Base of every error that this library raises on purpose.

    `what` says what was wrong (with the argument, joint or index, what came and what was
    expected), `do` says how to mend it, `where` is a place such as a file and line.
    """

    def __init__(self, what: str, *, do: str, where: object = None) -> None:
        self.what = what
        self.do = do
        self.where = where
        super().__init__(what)

    def __str__(self) -> str:
        place = "" if self.where is None else f"{self.where}: "
        return f"{place}{self.what}.\n  To fix: {self.do}."

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions rebuild themselves from `args` alone, which would lose the keywords.
        return _rebuild, (type(self), self.what, self.do, self.where)


def _rebuild(kind: type[QuatrainError], what: str, do: str, where: object) -> QuatrainError:
    return kind(what, do=do, where=where)


class ArgumentError(QuatrainError, ValueError):
    """A value that the function cannot use."""


class SingularError(ArgumentError, ZeroDivisionError):
    """A matrix that has no inverse: to divide by it is to divide by zero."""


class ScalarError(QuatrainError, TypeError):
    """A scalar of a kind that an operation does not know, or two kinds that do not mix."""


def with_article(kind: type) -> str:
    """Its name with the article that is said with it: "a float", "an int"."""
    return f"{'an' if kind.__name__[0].lower() in 'aeiou' else 'a'} {kind.__name__}"


def require(value: object, kind: type, name: str) -> None:
    """An error if the argument `name` is not of the class it must be."""
    if not isinstance(value, kind):
        shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}…"
        raise ArgumentError(
            f"{name} is {shown}, of type {type(value).__name__}; this needs {with_article(kind)}",
            do=f"pass {kind.__name__}(…), or {kind.__name__}.from_array(…) for an array of components"
            if hasattr(kind, "from_array")
            else f"pass {with_article(kind)}",
        )


def refuse_factor(left: object, right: object, kind: type) -> Any:
    """What `left @ right` comes to where right is not of the class it must be: an error that says so.

    NotImplemented where right may know how to be multiplied from the left; NumPy's arrays claim to.
    """
    own = getattr(type(right), "__rmatmul__", None) is not None
    if own and getattr(type(right), "__array_ufunc__", None) is None:
        return NotImplemented
    require(right, kind, f"the right factor of {with_article(type(left))}")
    return NotImplemented
