"""One function on every kind of scalar, so that tests can compare the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import casadi
import mpmath
import numpy as np
import sympy

Function = Callable[..., Iterable[Any]]
PRECISE = 50  # decimal digits of the mpmath runs


def on_floats(function: Function, rows: np.ndarray) -> np.ndarray:
    return np.array([[float(y) for y in function(*map(float, row))] for row in rows])


def on_columns(function: Function, rows: np.ndarray) -> np.ndarray:
    return np.stack(np.broadcast_arrays(*function(*np.asarray(rows).T)), axis=-1)


def on_mpmath(function: Function, rows: Iterable[Iterable[Any]]) -> np.ndarray:
    with mpmath.workdps(PRECISE):
        results = [list(function(*map(mpmath.mpf, map(_exact, row)))) for row in rows]
    table = np.empty((len(results), len(results[0])), dtype=object)
    table[:] = results
    return table


def _exact(value: Any) -> Any:
    return float(value) if isinstance(value, np.floating) else value


def on_casadi(function: Function, rows: np.ndarray) -> np.ndarray:
    symbols = [casadi.SX.sym(f"x{i}") for i in range(np.shape(rows)[1])]
    compiled = casadi.Function("f", symbols, [casadi.vertcat(*function(*symbols))])
    return np.array([np.array(compiled(*row)).ravel() for row in rows])


def on_sympy(function: Function, rows: np.ndarray) -> np.ndarray:
    symbols = sympy.symbols(f"x:{np.shape(rows)[1]}", real=True)
    results = [sympy.sympify(y) for y in function(*symbols)]
    table = [
        [y.subs(list(zip(symbols, map(sympy.Float, row), strict=True))).evalf(20) for y in results]
        for row in rows
    ]
    return np.array(table, dtype=float)


KINDS = {"floats": on_floats, "columns": on_columns, "casadi": on_casadi}


def as_float(table: np.ndarray) -> np.ndarray:
    return table.astype(float)
