"""Mathematics on any scalar: one function per operation, which asks its argument what it is.

A scalar is a float, a NumPy column, an mpmath number, a fraction, a CasADi or SymPy expression, a
node of the compiler's graph, or anything else whose class says where its functions are. The
equations of this library are written with Python's operators and with these functions alone, so one
definition serves them all. Nothing is imported on behalf of a scalar that never comes.

A new kind of scalar is added in one place:

* a class of ours or of a user's carries an attribute `__scalar_functions__`, an object (a module will
  do) that offers every name in `FUNCTIONS`;
* a kind from a library that knows nothing of us gets a module beside this file and its line in
  `_ADAPTERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from quatrain.errors import ScalarError

Scalar: TypeAlias = Any
"""Anything with arithmetic operators and functions in the sense of this module."""

Condition: TypeAlias = Any
"""What a comparison of scalars gives: a bool, a column of them, an expression."""

# Top-level package of a scalar's type -> the module beside this file that holds its functions.
_ADAPTERS = {
    "builtins": "floats",
    "numpy": "columns",
    "mpmath": "multiprecision",
    "fractions": "rationals",
    "casadi": "casadi_expressions",
    "sympy": "sympy_expressions",
}

# What every adapter offers, under these names.
FUNCTIONS = (
    *("sqrt", "sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh", "power"),
    *("abs", "sign", "floor", "minimum", "maximum", "where", "lookup"),
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
    *("logical_and", "logical_or", "logical_not"),
    *("pi", "epsilon", "first_true"),
)


def _find_functions(kind: type) -> Any:
    for base in kind.__mro__:
        own = base.__dict__.get("__scalar_functions__")
        if own is not None:
            return own
        package = base.__module__.partition(".")[0]
        if package == "builtins" and base not in (float, int, bool):
            continue
        if package in _ADAPTERS:
            return import_module(f"{__name__}.{_ADAPTERS[package]}")
    raise ScalarError(
        f"a value of type {kind.__module__}.{kind.__qualname__} is not a scalar that is known here",
        do="pass floats, NumPy arrays, mpmath numbers, fractions, CasADi SX or SymPy expressions, "
        "or give the class the attribute __scalar_functions__ (see quatrain.scalar)",
    )


_functions_of: Callable[[type], Any] = cache(_find_functions)


def _functions(*scalars: Scalar) -> Any:
    """The functions that serve all of `scalars`: plain numbers mix with any one other kind."""
    plain = chosen = _functions_of(float)
    for scalar in scalars:
        its = _functions_of(type(scalar))
        if its is chosen or its is plain:
            continue
        if chosen is not plain:
            return _functions_of_mixed(scalars)
        chosen = its
    return chosen


def _functions_of_mixed(scalars: tuple[Scalar, ...]) -> Any:
    """The same where two kinds have met: single NumPy numbers are plain numbers beside another kind."""
    kinds = {}
    for scalar in scalars:
        its = _functions_of(type(scalar))
        if its is not _functions_of(float) and not getattr(its, "is_single_number", lambda _: False)(scalar):
            kinds[its] = type(scalar)
    if len(kinds) == 1:
        return next(iter(kinds))
    names = sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds.values())
    raise ScalarError(
        f"scalars of different kinds meet in one operation: {', '.join(names)}",
        do="convert all of them to one kind first",
    )


def sqrt(x: Scalar) -> Scalar:
    """√x; NaN below zero (SymPy: the imaginary root)."""
    return _functions_of(type(x)).sqrt(x)


def sin(x: Scalar) -> Scalar:
    return _functions_of(type(x)).sin(x)


def cos(x: Scalar) -> Scalar:
    return _functions_of(type(x)).cos(x)


def tan(x: Scalar) -> Scalar:
    return _functions_of(type(x)).tan(x)


def asin(x: Scalar) -> Scalar:
    """Arc sine in [−π/2, π/2]; NaN outside [−1, 1]."""
    return _functions_of(type(x)).asin(x)


def acos(x: Scalar) -> Scalar:
    """Arc cosine in [0, π]; NaN outside [−1, 1]."""
    return _functions_of(type(x)).acos(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y) in [−π, π]; zero for (0, 0), where a kind has signed zeros π for (0, −0)."""
    return _functions(y, x).atan2(y, x)


def exp(x: Scalar) -> Scalar:
    return _functions_of(type(x)).exp(x)


def log(x: Scalar) -> Scalar:
    """Natural logarithm; −∞ at zero, NaN below it."""
    return _functions_of(type(x)).log(x)


def tanh(x: Scalar) -> Scalar:
    return _functions_of(type(x)).tanh(x)


def power(x: Scalar, y: Scalar) -> Scalar:
    """x to the real power y; NaN for a negative x and a y that is not whole."""
    return _functions(x, y).power(x, y)


def abs(x: Scalar) -> Scalar:
    return _functions_of(type(x)).abs(x)


def sign(x: Scalar) -> Scalar:
    """−1, 0 or 1; NaN stays NaN."""
    return _functions_of(type(x)).sign(x)


def floor(x: Scalar) -> Scalar:
    """The greatest whole number that is not above x, as a scalar of x's kind."""
    return _functions_of(type(x)).floor(x)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two; NaN if one is NaN (CasADi: the other one)."""
    return _functions(a, b).minimum(a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two; NaN if one is NaN (CasADi: the other one)."""
    return _functions(a, b).maximum(a, b)


def where(condition: Condition, if_true: Scalar, if_false: Scalar) -> Scalar:
    """`if_true` where the condition holds, else `if_false`: the only branch an equation may take.

    Both values have been computed before, so both must be free of division by zero.
    """
    return _functions(condition, if_true, if_false).where(condition, if_true, if_false)


def lookup(table: tuple[float, ...], index: Scalar) -> Scalar:
    """`table[floor(index)]`, the first or last entry beyond the ends; NaN for a NaN index."""
    if len(table) == 0:
        raise ScalarError("lookup reads from an empty table", do="give at least one number")
    return _functions_of(type(index)).lookup(table, index)


def less(a: Scalar, b: Scalar) -> Condition:
    return _functions(a, b).less(a, b)


def less_equal(a: Scalar, b: Scalar) -> Condition:
    return _functions(a, b).less_equal(a, b)


def greater(a: Scalar, b: Scalar) -> Condition:
    return _functions(a, b).greater(a, b)


def greater_equal(a: Scalar, b: Scalar) -> Condition:
    return _functions(a, b).greater_equal(a, b)


def equal(a: Scalar, b: Scalar) -> Condition:
    return _functions(a, b).equal(a, b)


def not_equal(a: Scalar, b: Scalar) -> Condition:
    return _functions(a, b).not_equal(a, b)


def logical_and(a: Condition, b: Condition) -> Condition:
    return _functions(a, b).logical_and(a, b)


def logical_or(a: Condition, b: Condition) -> Condition:
    return _functions(a, b).logical_or(a, b)


def logical_not(a: Condition) -> Condition:
    return _functions_of(type(a)).logical_not(a)


def pi(like: Scalar) -> Scalar:
    """π to the precision of the given scalar's kind."""
    return _functions_of(type(like)).pi(like)


def epsilon(like: Scalar) -> float:
    """Distance from 1 to the next number of the given scalar's kind; 0 where numbers are exact."""
    return _functions_of(type(like)).epsilon(like)


def loops(like: Scalar, repetitions: int) -> Any | None:
    """What repeats an operation so often in less code than writing it out: an object with `scan` and `row` as in
    `quatrain.compiler`. None where it is written out: by kinds of scalars without loops, and few times by others.
    """
    find = getattr(_functions_of(type(like)), "loops", None)
    return None if find is None else find(like, repetitions)


def first_true(condition: Condition) -> tuple[int, ...] | None:
    """Index of the first element for which the condition holds, or None if there is none.

    Also None when the kind cannot tell (expressions, graph nodes): checks of values at the edge are
    made with this, and are skipped where there is no value yet.
    """
    return _functions_of(type(condition)).first_true(condition)
