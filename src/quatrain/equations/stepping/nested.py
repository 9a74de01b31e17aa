"""Linear algebra of nested values: tuples and frozen dataclasses, to any depth, of scalars.

A configuration may be one quaternion, a pose, or a tuple with an entry for each joint; its velocity is
built in its own way. A derivative is built like what it is the derivative of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from quatrain.scalar import Condition, Scalar, abs, epsilon, maximum, sqrt, where

Nested: TypeAlias = Any
"""A scalar, or a tuple or frozen dataclass of nested values."""


def parts(value: Nested) -> tuple[Nested, ...] | None:
    """What a value consists of; None for a scalar."""
    if isinstance(value, tuple):
        return value
    if is_dataclass(value):
        return tuple(getattr(value, field.name) for field in fields(value))
    return None


def rebuilt(like: Nested, new_parts: Sequence[Nested]) -> Nested:
    """A value of the kind of `like` from its parts."""
    if isinstance(like, tuple) and not hasattr(like, "_make"):
        return tuple(new_parts)
    return type(like)(*new_parts)


def mapped(function: Callable[..., Scalar], *values: Nested) -> Nested:
    """The function applied to corresponding scalars of values that are built alike."""
    first = parts(values[0])
    if first is None:
        return function(*values)
    others = zip(*(parts(value) or () for value in values), strict=True)
    return rebuilt(values[0], [mapped(function, *entries) for entries in others])


def scalars(value: Nested) -> Iterator[Scalar]:
    """All scalars of a value, in order."""
    inner = parts(value)
    if inner is None:
        yield value
    else:
        for part in inner:
            yield from scalars(part)


def with_scalars(like: Nested, new: Iterator[Scalar]) -> Nested:
    """A value built like `like`, of other scalars."""
    inner = parts(like)
    return next(new) if inner is None else rebuilt(like, [with_scalars(part, new) for part in inner])


def added(a: Nested, b: Nested, factor: Scalar = 1) -> Nested:
    """a + b · factor"""
    return mapped(lambda x, y: x + y * factor, a, b)


def difference(a: Nested, b: Nested) -> Nested:
    return mapped(lambda x, y: x - y, a, b)


def scaled(a: Nested, factor: Scalar) -> Nested:
    return mapped(lambda x: x * factor, a)


def chosen(condition: Condition, if_true: Nested, if_false: Nested) -> Nested:
    """`where`, scalar by scalar."""
    return mapped(lambda a, b: where(condition, a, b), if_true, if_false)


def number(exact: Fraction, like: Scalar) -> Scalar:
    """A fraction in the arithmetic of a scalar: a float where that is as good, else a quotient of its own."""
    if epsilon(like) in (2.0**-52, 2.0**-23):
        return float(exact)
    return (like * 0 + exact.numerator) / exact.denominator


def weighted_sum(weights: Sequence[Fraction], values: Sequence[Nested], h: Scalar) -> Nested:
    """h Σ wᵢ xᵢ; weights of zero cost nothing."""
    used = [(number(w, h), x) for w, x in zip(weights, values, strict=True) if w != 0]

    def total(*column: Scalar) -> Scalar:
        result = column[0] * used[0][0]
        for (w, _), x in zip(used[1:], column[1:], strict=True):
            result = result + x * w
        return result * h

    return mapped(total, *(x for _, x in used))


def records(value: Nested) -> Iterator[tuple[Scalar, ...]]:
    """The smallest groups of scalars that a change of axes mixes: the dataclasses of scalars; else each scalar."""
    inner = parts(value)
    if inner is None:
        yield (value,)
    elif not isinstance(value, tuple) and all(parts(part) is None for part in inner):
        yield inner
    else:
        for part in inner:
            yield from records(part)


def length(record: Sequence[Scalar]) -> Scalar:
    """Euclidean norm."""
    if len(record) == 1:
        return abs(record[0])
    return sqrt(sum((x * x for x in record[1:]), record[0] * record[0]))


def greatest(value: Nested) -> Scalar:
    """The largest absolute value of all scalars."""
    result: Scalar = None
    for x in scalars(value):
        result = abs(x) if result is None else maximum(result, abs(x))
    return result
