"""SymPy expressions."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Abs as abs
from sympy import And as logical_and
from sympy import Eq as equal
from sympy import Ge as greater_equal
from sympy import Gt as greater
from sympy import Le as less_equal
from sympy import Lt as less
from sympy import Max as maximum
from sympy import Min as minimum
from sympy import Ne as not_equal
from sympy import Not as logical_not
from sympy import Or as logical_or
from sympy import Pow as power
from sympy import acos, asin, atan2, cos, exp, floor, log, sign, sin, sqrt, tan, tanh


def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    return sympy.Piecewise((if_true, condition), (if_false, True))


def lookup(table: tuple[float, ...], index: Any) -> Any:
    steps = [(value, index < place + 1) for place, value in enumerate(table[:-1])]
    return sympy.Piecewise(*steps, (table[-1], True))


def pi(like: Any) -> Any:
    return sympy.pi


def epsilon(like: Any) -> float:
    return 0.0


def first_true(condition: Any) -> tuple[int, ...] | None:
    return () if condition in (True, sympy.true) else None
