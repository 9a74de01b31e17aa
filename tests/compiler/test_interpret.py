"""The interpreter defines what programs mean; here its operations meet mpmath, and its edges are tried."""

from __future__ import annotations

import math
import sys
import tracemalloc
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quatrain import scalar
from quatrain.compiler import trace
from quatrain.compiler.interpret import prepared, run, runner
from quatrain.compiler.operations import OPERATIONS, REAL
from quatrain.errors import ArgumentError

INF, NAN = math.inf, math.nan


# ---- meanings ----------------------------------------------------------------------------------------

EXACT = {
    "sqrt": mpmath.sqrt,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
    "abs": abs,
    "floor": mpmath.floor,
    "sign": mpmath.sign,
    "negate": lambda x: -x,
}
EXACT_OF_TWO = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: mpmath.power(abs(a), b),
    "atan2": mpmath.atan2,
    "minimum": min,
    "maximum": max,
}


def in_domain(name, x):
    if name in ("asin", "acos"):
        return np.tanh(x)
    return np.abs(x) + 1e-3 if name in ("sqrt", "log") else x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", [*EXACT, *EXACT_OF_TWO])
def test_an_operation_is_what_mpmath_says(name, dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.normal(size=(2, 200)) * 3).astype(dtype)
    a = in_domain(name, a).astype(dtype)
    arguments = (a,) if name in EXACT else ((np.abs(a) if name == "power" else a), b)
    result = OPERATIONS[name].meaning(*arguments)
    assert result.dtype == dtype
    exact = EXACT.get(name) or EXACT_OF_TWO[name]
    with mpmath.workprec(200):
        truth = np.array(
            [float(exact(*map(mpmath.mpf, map(float, each)))) for each in zip(*arguments, strict=True)]
        )
    # NumPy promises a few units in the last place for elementary functions, four at most.
    assert np.all(np.abs(result - truth) <= 4 * np.finfo(dtype).eps * np.abs(truth))


EDGE_CASES = [
    ("sqrt", (-1.0,), NAN),
    ("sqrt", (-0.0,), -0.0),
    ("log", (0.0,), -INF),
    ("log", (-1.0,), NAN),
    ("asin", (1.5,), NAN),
    ("exp", (1000.0,), INF),
    ("sin", (INF,), NAN),
    ("divide", (1.0, 0.0), INF),
    ("divide", (1.0, -0.0), -INF),
    ("divide", (0.0, 0.0), NAN),
    ("atan2", (0.0, -0.0), math.pi),
    ("atan2", (-0.0, -1.0), -math.pi),
    ("atan2", (0.0, 0.0), 0.0),
    ("power", (0.0, -1.0), INF),
    ("power", (-8.0, 1 / 3), NAN),
    ("power", (-2.0, 3.0), -8.0),
    ("power", (-0.0, 0.5), 0.0),
    ("power", (-INF, 0.5), INF),
    ("power", (NAN, 0.0), 1.0),
    ("sign", (-0.0,), 0.0),
    ("sign", (NAN,), NAN),
    ("floor", (-0.0,), -0.0),
    ("floor", (-0.5,), -1.0),
    ("floor", (INF,), INF),
    ("minimum", (NAN, 1.0), NAN),
    ("minimum", (1.0, NAN), NAN),
    ("minimum", (0.0, -0.0), -0.0),
    ("minimum", (-0.0, 0.0), 0.0),
    ("maximum", (NAN, 1.0), NAN),
    ("maximum", (1.0, NAN), NAN),
    ("maximum", (-0.0, 0.0), 0.0),
    ("maximum", (0.0, -0.0), -0.0),
    ("less", (NAN, 1.0), False),
    ("less_equal", (NAN, NAN), False),
    ("equal", (NAN, NAN), False),
    ("equal", (0.0, -0.0), True),
    ("not_equal", (NAN, NAN), True),
    ("select", (True, NAN, 1.0), NAN),
    ("select", (False, NAN, 1.0), 1.0),
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [1, 3, 33])
@pytest.mark.parametrize(("name", "arguments", "expected"), EDGE_CASES)
def test_an_operation_at_its_edges(name, arguments, expected, count, dtype):
    columns = [np.full(count, a, bool if isinstance(a, bool) else dtype) for a in arguments]
    with np.errstate(all="ignore"):
        result = np.asarray(OPERATIONS[name].meaning(*columns))
    wanted = np.full(count, expected, result.dtype)
    assert np.array_equal(result, wanted, equal_nan=result.dtype.kind == "f")
    if result.dtype.kind == "f" and not math.isnan(expected):
        assert np.array_equal(np.signbit(result), np.signbit(wanted))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lookup_floors_clamps_and_keeps_nan(dtype):
    table = (10.0, 20.0, 30.0)
    program = trace(lambda x: scalar.lookup(table, x), {"x": float})
    x = np.array([-INF, -1.0, -0.0, 0.999, 1.0, 2.5, 3.0, 1e30, INF, NAN])
    result = run(program, {"x": x}, dtype)["out"]
    assert result.dtype == dtype
    assert np.array_equal(result, [10, 10, 10, 10, 20, 30, 30, 30, 30, NAN], equal_nan=True)
    # Floats say the same, one by one.
    assert np.array_equal(result, [scalar.lookup(table, float(v)) for v in x], equal_nan=True)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_single_precision_stays_single(name):
    operation = OPERATIONS[name]
    if operation.meaning is None or name == "lookup":
        return
    for shape in ((), (1,), (5,)):
        columns = [np.ones(shape, np.float32 if k == REAL else bool) for k in operation.arguments]
        assert np.asarray(operation.meaning(*columns)).dtype == (
            np.float32 if operation.result == REAL else bool
        )


def test_floats_and_columns_have_one_meaning():
    values = [0.0, -0.0, 1.0, -2.5, 0.3, INF, -INF, NAN]
    program = trace(
        lambda x, y: {n: getattr(scalar, n)(x, y) for n in ("minimum", "maximum", "atan2", "power")},
        {"x": float, "y": float},
    )
    for x in values:
        for y in values:
            for name, result in run(program, {"x": x, "y": y}).items():
                expected = getattr(scalar, name)(x, y)
                if name in ("minimum", "maximum") and x == y == 0.0:
                    continue  # which of two zeros: the interpreter says the second, floats have no say
                assert np.allclose(result, expected, rtol=1e-15, equal_nan=True), (name, x, y)


# ---- derivatives beside the meanings -----------------------------------------------------------------

FUNCTIONS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negate": lambda a: -a,
}
DIFFERENTIABLE = [o for o in OPERATIONS.values() if o.partials and any(o.partials) and o.name != "select"]


@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("operation", DIFFERENTIABLE, ids=lambda o: o.name)
@given(data=st.data())
def test_a_partial_derivative_is_the_limit_of_differences(operation, data):
    numbers = st.floats(0.05, 0.95) if operation.name in ("asin", "acos") else st.floats(0.05, 4.0)
    signs = st.sampled_from((1.0,) if operation.name in ("sqrt", "log", "power") else (1.0, -1.0))
    point = [data.draw(numbers) * data.draw(signs) for _ in operation.arguments]
    if operation.name in ("minimum", "maximum") and abs(point[0] - point[1]) < 1e-3:
        point[1] += 1.0  # where both are equal there is no derivative
    function = FUNCTIONS.get(operation.name) or getattr(scalar, operation.name)
    with mpmath.workprec(200):
        at = tuple(map(mpmath.mpf, point))
        result = function(*at)
        for k, partial in enumerate(operation.partials):
            orders = tuple(1 if j == k else 0 for j in range(len(at)))
            truth = mpmath.diff(function, at, orders)
            assert mpmath.almosteq(partial(at, result), truth, 1e-20, 1e-20)
    as_float = function(*point)
    for k, partial in enumerate(operation.partials):
        with mpmath.workprec(200):
            truth = float(mpmath.diff(function, at, tuple(1 if j == k else 0 for j in range(len(at)))))
        assert partial(tuple(point), as_float) == pytest.approx(truth, rel=1e-12, abs=1e-15)


def partial_of(name, k, *arguments):
    operation = OPERATIONS[name]
    columns = tuple(np.asarray(a) for a in arguments)
    with np.errstate(all="ignore"):
        return float(operation.partials[k](columns, operation.meaning(*columns)))


@pytest.mark.parametrize(
    ("name", "k", "arguments", "expected"),
    [
        ("sqrt", 0, (0.0,), INF),
        ("sqrt", 0, (-1.0,), NAN),
        ("abs", 0, (0.0,), 0.0),
        ("abs", 0, (-3.0,), -1.0),
        ("asin", 0, (1.0,), INF),
        ("acos", 0, (1.0,), -INF),
        ("log", 0, (0.0,), INF),
        ("power", 0, (0.0, 0.0), 0.0),
        ("power", 0, (0.0, 1.0), 1.0),
        ("power", 0, (0.0, 2.5), 0.0),
        ("power", 0, (0.0, 0.5), INF),
        ("power", 0, (-2.0, 3.0), 12.0),
        ("power", 1, (0.0, 2.0), 0.0),
        ("power", 1, (0.0, -1.0), -INF),
        ("power", 1, (-2.0, 2.0), NAN),
        ("power", 1, (math.e, 2.0), math.e**2),
        ("tanh", 0, (400.0,), 0.0),
        ("minimum", 0, (1.0, 1.0), 0.0),
        ("minimum", 1, (1.0, 1.0), 1.0),
        ("maximum", 0, (2.0, 1.0), 1.0),
        ("maximum", 1, (2.0, 1.0), 0.0),
        ("maximum", 0, (1.0, 1.0), 0.0),
        ("maximum", 1, (1.0, 1.0), 1.0),
        ("select", 1, (True, 5.0, 6.0), 1.0),
        ("select", 2, (True, 5.0, 6.0), 0.0),
        ("select", 1, (False, 5.0, 6.0), 0.0),
        ("select", 2, (False, 5.0, 6.0), 1.0),
    ],
)
def test_a_partial_derivative_at_a_delicate_point(name, k, arguments, expected):
    assert partial_of(name, k, *arguments) == pytest.approx(expected, rel=1e-15, nan_ok=True)


def test_functions_of_steps_have_no_derivative_to_compute():
    for name in ("sign", "floor", "lookup", "less", "equal", "and", "not"):
        assert set(OPERATIONS[name].partials) == {None}
    assert OPERATIONS["select"].partials[0] is None


def test_derivatives_near_the_ends_of_their_domain_keep_their_digits():
    for x in (1 - 1e-9, -1 + 1e-12, 0.999999):
        with mpmath.workprec(200):
            truth = float(1 / mpmath.sqrt(1 - mpmath.mpf(x) ** 2))
        assert partial_of("asin", 0, x) == pytest.approx(truth, rel=1e-15)


# ---- batches and arguments ---------------------------------------------------------------------------


def law(x, q, R):
    return {"y": R @ q * x, "norm": np.sqrt(np.sum(q * q))}


@pytest.fixture(scope="module")
def program():
    return trace(law, {"x": float, "q": 3, "R": (2, 3)})


@pytest.mark.parametrize(
    ("x", "q", "R", "batch"),
    [
        ((), (), (), ()),
        ((4,), (), (), (4,)),
        ((4, 1), (3,), (1, 1), (4, 3)),
        ((0,), (), (), (0,)),
        ((2, 1), (0,), (1,), (2, 0)),
        ((1,), (1,), (1,), (1,)),
    ],
)
def test_leading_axes_broadcast(program, x, q, R, batch):
    rng = np.random.default_rng(6)
    arrays = {"x": rng.normal(size=x), "q": rng.normal(size=(*q, 3)), "R": rng.normal(size=(*R, 2, 3))}
    result = run(program, arrays)
    assert result["y"].shape == (*batch, 2)
    assert result["norm"].shape == batch
    expected = np.einsum("...ij,...j->...i", arrays["R"], arrays["q"]) * arrays["x"][..., None]
    assert np.allclose(result["y"], expected, rtol=1e-14)


def test_an_element_does_not_depend_on_its_batch(program):
    rng = np.random.default_rng(8)
    arrays = {"x": rng.normal(size=101), "q": rng.normal(size=(101, 3)), "R": rng.normal(size=(101, 2, 3))}
    together = run(program, arrays)
    for i in (0, 7, 100):
        alone = run(program, {name: array[i] for name, array in arrays.items()})
        for name, value in alone.items():
            assert np.array_equal(value, together[name][i])


def test_lists_integers_and_any_layout_are_accepted(program):
    columns = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    result = run(program, {"x": 2, "q": columns, "R": [[1, 0, 0], [0, 1, 1]]})
    assert np.array_equal(
        result["y"], np.stack([2 * columns[:, 0], 2 * (columns[:, 1] + columns[:, 2])], axis=-1)
    )
    reversed_rows = run(program, {"x": 2, "q": columns[::-1], "R": [[1, 0, 0], [0, 1, 1]]})
    assert np.array_equal(reversed_rows["y"], result["y"][::-1])


def test_single_precision_throughout(program):
    result = run(program, {"x": 2.0, "q": np.ones(3), "R": np.ones((2, 3))}, np.float32)
    assert {array.dtype for array in result.values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("arrays", "text"),
    [
        ({"x": 1.0, "q": [1, 2, 3, 4], "R": np.ones((2, 3))}, r"q has shape \(4,\); law needs \(..., 3\)"),
        ({"x": 1.0, "q": 1.0, "R": np.ones((2, 3))}, r"q has shape \(\); law needs \(..., 3\)"),
        ({"x": 1.0, "q": np.ones(3), "R": np.ones((3, 2))}, r"R has shape \(3, 2\); law needs \(..., 2, 3\)"),
        ({"x": 1.0, "q": np.ones(3)}, "'R' is missing from the inputs of law"),
        ({"x": 1.0, "q": np.ones(3), "R": np.ones((2, 3)), "z": 0}, "'z' is no input of law"),
        (
            {"x": np.ones(4), "q": np.ones((3, 3)), "R": np.ones((2, 3))},
            r"the leading axes of the arguments of law do not broadcast: x \(4,\), q \(3,\), R \(\)",
        ),
    ],
)
def test_wrong_arguments_are_answered_with_name_and_shape(program, arrays, text):
    with pytest.raises(ArgumentError, match=text):
        run(program, arrays)


def test_nothing_warns_and_nothing_traps():
    program = trace(
        lambda x: scalar.log(x) / x + scalar.sqrt(-x) + scalar.exp(x) * scalar.power(x, 0.5), {"x": float}
    )
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        run(program, {"x": [0.0, -1.0, 1e300, INF, NAN]})


def test_values_are_freed_after_their_last_use():
    def chain(x):
        for k in range(200):
            x = scalar.sin(x) + 0.1 * k
        return x

    evaluate = runner(trace(chain, {"x": float}))
    x = np.zeros(100_000)
    evaluate({"x": x[:10]})
    tracemalloc.start()
    evaluate({"x": x})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 400 columns pass by; a handful is alive at any time.
    assert peak < 8 * x.nbytes


def test_a_part_of_a_graph_is_run_alone():
    program = trace(lambda x, y: (scalar.sin(x), 1.0 / y), {"x": float, "y": float})
    (number,) = program.outputs[0].numbers
    (value,) = prepared(program.graph, [number])([np.array([0.5]), None])
    assert value == np.sin(0.5)


def test_the_interpreter_does_not_recurse():
    limit = sys.getrecursionlimit()
    program = trace(lambda x: sum_of(x, 3 * limit), {"x": float})
    assert run(program, {"x": 1.0})["out"] == pytest.approx(float(3 * limit + 1))


def sum_of(x, count):
    total = x
    for _ in range(count):
        total = x + total * 1.0
    return total
