"""Choices for the kinds whose conditions are plain truth values: one number at a time."""

from __future__ import annotations

from typing import Any


def where(condition: bool, if_true: Any, if_false: Any) -> Any:
    return if_true if condition else if_false


def sign(x: Any) -> Any:
    if x != x:
        return x
    return type(x)((x > 0) - (x < 0))


def minimum(a: Any, b: Any) -> Any:
    return a if a < b or a != a else b


def maximum(a: Any, b: Any) -> Any:
    return a if a > b or a != a else b


def lookup(table: tuple[float, ...], index: Any) -> Any:
    if index != index:
        return index
    last = len(table) - 1
    # Compared before rounding: infinity has no integer part.
    return table[0] if index <= 0 else table[last] if index >= last else table[int(index)]


def logical_and(a: bool, b: bool) -> bool:
    return a and b


def logical_or(a: bool, b: bool) -> bool:
    return a or b


def logical_not(a: bool) -> bool:
    return not a


def first_true(condition: bool) -> tuple[int, ...] | None:
    return () if condition else None
