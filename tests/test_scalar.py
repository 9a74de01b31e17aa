"""One function per operation, the same answer on every kind of scalar."""

from __future__ import annotations

import math
from fractions import Fraction

import casadi
import mpmath
import numpy as np
import pytest
import sympy

from quatrain import ScalarError, scalar
from tests.kinds import KINDS, on_mpmath, on_sympy

UNARY = ["sqrt", "sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh", "abs", "sign", "floor"]
BINARY = ["atan2", "power", "minimum", "maximum"]
COMPARISONS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
LOGIC = ["logical_and", "logical_or"]
POINTS = np.array([[0.3, 0.7], [0.9, -1.5], [0.5, 0.5], [1e-5, 3.0], [0.25, -0.125]])


def one_by_one(names):
    return lambda a, b: [getattr(scalar, name)(a) for name in names]


def pairs(a, b):
    chosen = [getattr(scalar, name)(a, b) for name in BINARY]
    compared = [scalar.where(getattr(scalar, name)(a, b), a, b) for name in COMPARISONS]
    joined = [scalar.where(getattr(scalar, name)(a < b, b < 1), a, b) for name in LOGIC]
    return [*chosen, *compared, *joined, scalar.where(scalar.logical_not(a < b), a, b)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", [one_by_one(UNARY), pairs], ids=["unary", "binary"])
def test_every_kind_agrees_with_fifty_digits(kind, function):
    exact = on_mpmath(function, POINTS).astype(float)
    # Each function is one operation: a few units in the last place, for the worst library.
    np.testing.assert_allclose(KINDS[kind](function, POINTS), exact, rtol=1e-15, atol=0)


def test_sympy_agrees_with_fifty_digits():
    for function in (one_by_one(UNARY), pairs):
        exact = on_mpmath(function, POINTS).astype(float)
        np.testing.assert_allclose(on_sympy(function, POINTS), exact, rtol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_lookup_reads_the_floor_and_stays_within_the_table(kind):
    table = (10.0, 20.0, 30.0)
    rows = np.array([[-5.0], [0.0], [0.99], [1.0], [2.0], [7.5], [-math.inf], [math.inf], [math.nan]])
    values = KINDS[kind](lambda i: [scalar.lookup(table, i)], rows)[:, 0]
    np.testing.assert_array_equal(values, [10, 10, 10, 20, 30, 30, 10, 30, math.nan])


def test_lookup_on_the_other_kinds():
    table = (10.0, 20.0, 30.0)
    assert scalar.lookup(table, Fraction(3, 2)) == 20
    assert scalar.lookup(table, mpmath.mpf("1.5")) == 20
    i = sympy.Symbol("i", real=True)
    read = scalar.lookup(table, i)
    assert [float(read.subs(i, n)) for n in (-1, 0.5, 1, 9)] == [10, 10, 20, 30]


def test_lookup_in_an_empty_table_is_an_error():
    with pytest.raises(ScalarError, match="at least one number"):
        scalar.lookup((), 0.0)


# Arguments at the border of each function, and what IEEE 754 and C say of them.
BORDERS = [
    ("sqrt", (-1.0,), math.nan),
    ("sqrt", (math.inf,), math.inf),
    ("sin", (math.inf,), math.nan),
    ("cos", (-math.inf,), math.nan),
    ("tan", (math.inf,), math.nan),
    ("asin", (1.5,), math.nan),
    ("acos", (-1.5,), math.nan),
    ("exp", (1e4,), math.inf),
    ("exp", (-math.inf,), 0.0),
    ("log", (0.0,), -math.inf),
    ("log", (-1.0,), math.nan),
    ("log", (math.inf,), math.inf),
    ("power", (-8.0, 1 / 3), math.nan),
    ("power", (10.0, 400.0), math.inf),
    ("power", (-10.0, 401.0), -math.inf),
    ("power", (0.0, -1.0), math.inf),
    ("power", (-0.0, -1.0), -math.inf),
    ("power", (-0.0, -2.0), math.inf),
    ("power", (math.nan, 0.0), 1.0),
    ("floor", (math.inf,), math.inf),
    ("floor", (math.nan,), math.nan),
    ("sign", (math.nan,), math.nan),
    ("sign", (-0.0,), 0.0),
    ("minimum", (math.nan, 1.0), math.nan),
    ("minimum", (1.0, math.nan), math.nan),
    ("maximum", (math.nan, 1.0), math.nan),
    ("maximum", (1.0, math.nan), math.nan),
    ("atan2", (0.0, 0.0), 0.0),
    ("atan2", (0.0, -0.0), math.pi),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), BORDERS, ids=lambda v: str(v))
def test_floats_and_columns_agree_at_the_borders(name, arguments, expected):
    function = getattr(scalar, name)
    on_float = function(*arguments)
    with np.errstate(all="ignore"):
        on_column = function(*(np.array([a]) for a in arguments))
    np.testing.assert_array_equal([on_float, on_column[0]], [expected, expected])


def test_mpmath_stays_on_the_real_line():
    minus = mpmath.mpf(-1)
    assert all(mpmath.isnan(f(minus * 2)) for f in (scalar.sqrt, scalar.asin, scalar.acos, scalar.log))
    assert scalar.log(mpmath.mpf(0)) == -mpmath.inf
    assert mpmath.isnan(scalar.power(mpmath.mpf(-8), mpmath.mpf("0.5")))
    assert scalar.power(mpmath.mpf(0), -1) == mpmath.inf
    assert scalar.power(2, mpmath.mpf(3)) == 8
    assert scalar.atan2(1, mpmath.mpf(0)) == +mpmath.pi / 2
    assert mpmath.isnan(scalar.sign(mpmath.nan))


def test_fractions_stay_exact_or_are_refused():
    assert scalar.sqrt(Fraction(4, 9)) == Fraction(2, 3)
    assert scalar.power(Fraction(2, 3), -2) == Fraction(9, 4)
    assert scalar.floor(Fraction(-1, 2)) == -1
    assert scalar.sign(Fraction(-1, 2)) == -1
    assert scalar.epsilon(Fraction(1)) == 0
    for attempt in (
        lambda: scalar.sqrt(Fraction(2)),
        lambda: scalar.sqrt(Fraction(-4)),
        lambda: scalar.sin(Fraction(1, 2)),
        lambda: scalar.atan2(Fraction(1), 2),
        lambda: scalar.power(Fraction(2), Fraction(1, 2)),
        lambda: scalar.pi(Fraction(1)),
    ):
        with pytest.raises(ScalarError, match=r"is not a fraction[\s\S]*convert to float"):
            attempt()


def test_constants_have_the_precision_of_their_kind():
    assert scalar.epsilon(1.0) == np.finfo(float).eps
    assert scalar.epsilon(np.zeros(3, np.float32)) == np.finfo(np.float32).eps
    assert scalar.epsilon(np.arange(3)) == np.finfo(float).eps
    with mpmath.workdps(50):
        assert scalar.epsilon(mpmath.mpf(1)) < mpmath.mpf(10) ** -49
        assert abs(mpmath.sin(scalar.pi(mpmath.mpf(1)))) < mpmath.mpf(10) ** -49
    assert scalar.pi(sympy.Symbol("x")) is sympy.pi
    assert scalar.epsilon(casadi.SX.sym("x")) == np.finfo(float).eps
    assert scalar.pi(casadi.SX.sym("x")) == scalar.pi(np.ones(2)) == math.pi


def test_first_true_names_the_place():
    assert scalar.first_true(True) == ()
    assert scalar.first_true(False) is None
    assert scalar.first_true(np.array([[False, False], [False, True]])) == (1, 1)
    assert scalar.first_true(np.array([False])) is None
    assert scalar.first_true(casadi.SX.sym("x") < 0) is None
    assert scalar.first_true(sympy.Symbol("x") < 0) is None
    assert scalar.first_true(sympy.Integer(-1) < 0) == ()


def test_every_adapter_offers_every_function():
    for example in (1.0, np.ones(1), mpmath.mpf(1), Fraction(1), casadi.SX(1), sympy.Integer(1)):
        functions = scalar._functions_of(type(example))
        assert [name for name in scalar.FUNCTIONS if not hasattr(functions, name)] == []


def test_an_unknown_kind_is_named():
    with pytest.raises(ScalarError, match=r"builtins\.str is not a scalar[\s\S]*__scalar_functions__"):
        scalar.sin("0.5")
    with pytest.raises(ScalarError, match=r"builtins\.complex"):
        scalar.sqrt(1j)


def test_kinds_do_not_mix_in_silence():
    with pytest.raises(ScalarError, match=r"different kinds[\s\S]*convert"):
        scalar.atan2(np.ones(2), mpmath.mpf(1))


def test_single_numpy_numbers_are_plain_numbers():
    half, one = np.float32(0.5), np.float64(1.0)
    assert scalar.atan2(one, mpmath.mpf(1)) == scalar.atan2(1, mpmath.mpf(1))
    assert scalar.maximum(mpmath.mpf(2), half) == 2
    assert scalar.where(np.bool_(True), mpmath.mpf(2), half) == 2
    assert scalar.minimum(half, Fraction(3, 4)) == 0.5


class Interval:
    """A user's own kind of scalar, as CONTRIBUTING describes it."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    class __scalar_functions__:
        @staticmethod
        def sqrt(x):
            return Interval(math.sqrt(x.low), math.sqrt(x.high))

        @staticmethod
        def maximum(a, b):
            return "intervals serve"


def test_a_class_of_the_user_brings_its_own_functions():
    root = scalar.sqrt(Interval(4.0, 9.0))
    assert (root.low, root.high) == (2.0, 3.0)
    assert scalar.maximum(2.0, Interval(0.0, 1.0)) == "intervals serve"


def test_a_subclass_of_float_is_a_float():
    class Metres(float):
        pass

    assert scalar.sqrt(Metres(4.0)) == 2.0
