"""Machine code means what the interpreter says, operation by operation and on whole random programs.

Without contraction and elementary functions every bit is the same. Otherwise both are held against many
digits: each operation alone within a unit in the last place, and programs within a running bound of their
error (see `error_bounds`).
"""

from __future__ import annotations

import math
import time
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from quatrain import scalar
from quatrain.compiler import Program, delay, interpret, iterate, repeat, trace
from quatrain.compiler.graph import Graph
from quatrain.compiler.kernel import Kernel, compile
from quatrain.compiler.llvm import blocks, machine
from quatrain.compiler.llvm.target import Target
from quatrain.compiler.llvm.text import UNBROKEN
from quatrain.compiler.operations import OPERATIONS, REAL
from quatrain.compiler.program import Port
from tests.compiler.error_bounds import DIGITS, Arithmetic, UnsureError, Value, evaluate
from tests.compiler.exact_functions import PRECISIONS, sample
from tests.compiler.machines import parts_of, plain_processor, vectors_of
from tests.compiler.random_graphs import arguments, numbers, program_of, same_bits, some_tape, tapes

pytest.importorskip("llvmlite.binding")

DTYPES = ("float64", "float32")
INF, NAN = math.inf, math.nan


def examples(count):
    return settings(max_examples=count, deadline=None, derandomize=True, database=None)


# ---- one operation -----------------------------------------------------------------------------------

PLAIN = [o for o in OPERATIONS.values() if o.meaning is not None and o.name != "lookup"]
ELEMENTARY = {
    **{name: name for name in ("sin", "cos", "tan", "asin", "acos", "atan2", "exp", "log", "tanh")},
    "power": "pow",
}
EXACT = [o for o in PLAIN if o.name not in ELEMENTARY]


def one_operation(name):
    """The bare node between ports, no rule applied: conditions come and go as numbers."""
    operation, graph = OPERATIONS[name], Graph()
    inputs = [graph.input(k) for k in range(len(operation.arguments))]
    zero, one = graph.constant(0.0), graph.constant(1.0)
    given = [
        n if kind == REAL else graph.add(("not_equal", n, zero))
        for n, kind in zip(inputs, operation.arguments, strict=True)
    ]
    result = graph.add((name, *given))
    if operation.result != REAL:
        result = graph.add(("select", result, one, zero))
    ports = tuple(Port(f"a{k}", (), (k,)) for k in range(len(inputs)))
    return Program.make(name, graph, ports, (Port("out", (), (result,)),))


@cache
def kernel_of(name, dtype, **options):
    return Kernel(one_operation(name), dtype=dtype, **options)


def columns_of(count, dtype):
    """Every combination of special values, and random ones of all sizes."""
    special = np.array(PRECISIONS[dtype].special, dtype)
    grid = [column.ravel() for column in np.meshgrid(*[special] * count)]
    rng = np.random.default_rng([3, count])
    info = np.finfo(dtype)
    wild = rng.normal(size=(count, 300)) * np.exp2(rng.uniform(info.minexp, info.maxexp - 2, (count, 300)))
    tame = np.round(rng.normal(size=(count, 300)) * 4, 1)
    return [np.concatenate(parts).astype(dtype) for parts in zip(grid, wild, tame, strict=True)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", EXACT, ids=lambda o: o.name)
def test_an_exact_operation_is_the_interpreters_bit_for_bit(operation, dtype):
    columns = columns_of(min(2, len(operation.arguments)), dtype)
    columns += [columns[0][::-1]] * (len(operation.arguments) - len(columns))
    program = one_operation(operation.name)
    expected = interpret.run(program, {f"a{k}": c for k, c in enumerate(columns)}, dtype)["out"]
    assert same_bits(kernel_of(operation.name, dtype)(*columns)["out"], expected)
    # One by one, through the way that single states take.
    kernel = kernel_of(operation.name, dtype)
    for k in range(0, len(columns[0]), 37):
        assert same_bits(kernel(*(np.array(c[k]) for c in columns))["out"], expected[k])


EXACTLY = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b if b else None,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACTLY)
def test_arithmetic_is_rounded_correctly(name, dtype):
    """Within half a unit of the exact rational number, subnormal results included."""
    a, b = columns_of(2, dtype)
    results = kernel_of(name, dtype)(a, b)["out"]
    precision, checked = PRECISIONS[dtype], 0
    for x, y, result in zip(a.tolist(), b.tolist(), results.tolist(), strict=True):
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(result)):
            continue
        exact = EXACTLY[name](Fraction(x), Fraction(y))
        if exact is None:
            continue
        exponent = math.frexp(result)[1] if result else -(10**4)
        unit = Fraction(2) ** max(exponent - precision.digits, precision.least_unit)
        assert abs(Fraction(result) - exact) <= unit / 2
        checked += 1
    assert checked > 500


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_square_root_is_rounded_correctly(dtype):
    (x,) = columns_of(1, dtype)
    results = kernel_of("sqrt", dtype)(x)["out"]
    digits = PRECISIONS[dtype].digits
    for value, result in zip(x.tolist(), results.tolist(), strict=True):
        if value > 0 and math.isfinite(value):
            with mp.workprec(300):
                unit = mpf(2) ** (math.frexp(result)[1] - digits)
                assert abs(mpf(result) - mp.sqrt(mpf(value))) <= unit / 2
        elif value < 0:
            assert math.isnan(result)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ELEMENTARY)
def test_an_elementary_function_is_within_one_unit_in_the_last_place(name, dtype):
    truth = sample(ELEMENTARY[name], dtype, 60)
    errors = truth.errors(kernel_of(name, dtype)(*truth.arguments)["out"])
    worst = int(errors.argmax())
    assert errors[worst] < 1, tuple(float(a[worst]).hex() for a in truth.arguments)
    for k in range(0, len(errors), 101):
        one = kernel_of(name, dtype)(*(np.array(a[k]) for a in truth.arguments))["out"]
        assert same_bits(one, kernel_of(name, dtype)(*(a[k : k + 1] for a in truth.arguments))["out"][0])


EDGES = [
    ("sqrt", (-0.0,), -0.0),
    ("sqrt", (-1.0,), NAN),
    ("sqrt", (-5e-324,), NAN),
    ("floor", (-0.0,), -0.0),
    ("floor", (0.3,), 0.0),
    ("floor", (-0.3,), -1.0),
    ("floor", (1e300,), 1e300),
    ("floor", (-(2.0**51) - 0.5,), -(2.0**51) - 1.0),
    ("floor", (-INF,), -INF),
    ("sign", (-0.0,), 0.0),
    ("sign", (-5e-324,), -1.0),
    ("sign", (NAN,), NAN),
    ("abs", (-0.0,), 0.0),
    ("abs", (-INF,), INF),
    ("negate", (0.0,), -0.0),
    ("minimum", (0.0, -0.0), -0.0),
    ("minimum", (-0.0, 0.0), 0.0),
    ("minimum", (NAN, 1.0), NAN),
    ("minimum", (1.0, NAN), NAN),
    ("maximum", (0.0, -0.0), -0.0),
    ("maximum", (-0.0, 0.0), 0.0),
    ("maximum", (NAN, -INF), NAN),
    ("maximum", (INF, NAN), NAN),
    ("add", (-0.0, -0.0), -0.0),
    ("add", (INF, -INF), NAN),
    ("subtract", (0.0, 0.0), 0.0),
    ("multiply", (0.0, -3.0), -0.0),
    ("multiply", (0.0, INF), NAN),
    ("divide", (1.0, -0.0), -INF),
    ("divide", (0.0, 0.0), NAN),
    ("divide", (5e-324, 2.0), 0.0),
    ("less", (NAN, NAN), 0.0),
    ("less", (-0.0, 0.0), 0.0),
    ("less_equal", (NAN, 1.0), 0.0),
    ("less_equal", (-0.0, 0.0), 1.0),
    ("equal", (0.0, -0.0), 1.0),
    ("equal", (NAN, NAN), 0.0),
    ("not_equal", (NAN, NAN), 1.0),
    ("not_equal", (INF, INF), 0.0),
    ("select", (NAN, 1.0, 2.0), 1.0),
    ("select", (-0.0, 1.0, 2.0), 2.0),
    ("select", (1.0, NAN, 2.0), NAN),
    ("select", (0.0, NAN, -0.0), -0.0),
    ("and", (1.0, NAN), 1.0),
    ("or", (0.0, -0.0), 0.0),
    ("not", (NAN,), 0.0),
]


@pytest.mark.parametrize(("name", "given", "expected"), EDGES)
def test_an_operation_at_its_edges(name, given, expected):
    columns = [np.full(11, value) for value in given]
    assert same_bits(kernel_of(name, "float64")(*columns)["out"], np.full(11, expected))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "table", [(5.0,), (1.0, -2.0), (0.25, -0.0, 1e-300, INF, NAN, 7.0), tuple(range(300))]
)
def test_a_table_is_read_as_the_interpreter_reads_it(table, dtype):
    program = trace(lambda x: scalar.lookup(table, x), {"x": float})
    ends = [k + d for k in (0, 1, 5, 6, 299, 300) for d in (-1.0, -1e-9, 0.0, 1e-9, 0.999999)]
    places = [*ends, -0.0, -INF, INF, NAN, 1e30, -1e30, 1e300, -1e300, 2.0**31, 2.0**63, 2.0**64]
    with np.errstate(all="ignore"):
        x = np.array(places).astype(dtype)
    expected = interpret.run(program, {"x": x}, dtype)["out"]
    for lanes in (1, 2, 4, 8):
        with vectors_of(lanes):
            assert same_bits(Kernel(program, dtype=dtype)(x), expected)


def test_constants_keep_every_bit():
    values = [0.0, -0.0, 5e-324, 1e-310, 0.1, 1 / 3, 1e300, INF, -INF, NAN, 2.0**-149, 3.4028236e38, 1e39]
    for dtype in DTYPES:
        program = trace(lambda x: [*values, x], {"x": float})
        expected = interpret.run(program, {"x": np.ones(3)}, dtype)
        found = Kernel(program, dtype=dtype)(np.ones(3))
        assert all(same_bits(a, b) for a, b in zip(found, expected.values(), strict=True))


# ---- whole programs, bit for bit ---------------------------------------------------------------------


def assert_equal_bits(program, given, dtype="float64", **options):
    expected = program.unflatten(interpret.run(program, given, dtype))
    found = Kernel(program, dtype=dtype, contract=False, **options)(**given)
    if not isinstance(expected, dict):
        found, expected = {"out": found}, {"out": expected}
    for name, array in expected.items():
        assert same_bits(found[name], array), name


@examples(60)
@given(tapes(300))
def test_random_programs_equal_the_interpreter_bit_for_bit(tape):
    assert_equal_bits(program_of(tape), arguments((19,)))


@examples(25)
@given(tapes(200))
def test_random_programs_in_single_precision_equal_the_interpreter_bit_for_bit(tape):
    assert_equal_bits(program_of(tape, "float32"), arguments((37,), "float32"), "float32")


@pytest.mark.parametrize("seed", range(6))
def test_large_random_programs_equal_the_interpreter_bit_for_bit(seed):
    assert_equal_bits(program_of(some_tape(seed, 400)), arguments((19,)))


@examples(25)
@given(tapes(120), st.integers(1, 12))
def test_programs_cut_into_parts_equal_the_interpreter_bit_for_bit(tape, size):
    with parts_of(size):
        assert_equal_bits(program_of(tape), arguments((19,)))


@examples(15)
@given(tapes(120), st.sampled_from([1, 2, 4, 8, 16]), st.sampled_from(DTYPES))
def test_vectors_of_any_width_equal_the_interpreter_bit_for_bit(tape, lanes, dtype):
    with vectors_of(lanes):
        assert_equal_bits(program_of(tape, dtype), arguments((37,), dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_loops_count_in_vectors_of_any_width(lanes, dtype):
    """A counter has 64 bits, which the vector of a single lane in single precision has not."""

    def counted(x, n):
        return repeat(lambda s, i: s * 0.5 + i, x, n), iterate(
            lambda s, i: s + i, x, until=lambda s: s > 30, most=20
        ).state

    program = trace(counted, {"x": float, "n": float})
    with vectors_of(lanes):
        assert_equal_bits(program, {"x": np.linspace(0, 4, 37), "n": np.arange(37.0) % 7}, dtype)


@examples(10)
@given(tapes(120))
def test_a_plain_processor_gives_the_same_bits(tape):
    with plain_processor():
        assert_equal_bits(program_of(tape), arguments((19,)))


@examples(10)
@given(tapes(80, elementary=True))
def test_elementary_functions_too_give_the_same_bits_for_any_width_and_in_parts(tape):
    """Without contraction; with it LLVM decides what is fused, and may decide otherwise beyond a cut."""
    program, given_values = program_of(tape), arguments((19,))
    expected = Kernel(program, contract=False)(**given_values)
    for context in (vectors_of(1), vectors_of(2), vectors_of(4), parts_of(5)):
        with context:
            found = Kernel(program, contract=False)(**given_values)
        assert all(same_bits(found[name], expected[name]) for name in expected)


@pytest.mark.slow
@examples(600)
@given(tapes(300), st.sampled_from([None, 3, 40]), st.sampled_from(DTYPES), st.sampled_from([2, 8]))
def test_many_more_random_programs_equal_the_interpreter_bit_for_bit(tape, size, dtype, lanes):
    with vectors_of(lanes):
        program, given_values = program_of(tape, dtype), arguments((37,), dtype)
        if size is None:
            assert_equal_bits(program, given_values, dtype)
        else:
            with parts_of(size):
                assert_equal_bits(program, given_values, dtype)


# ---- whole programs, within a bound ------------------------------------------------------------------


def assert_within_bounds(tape, dtype, lanes=10):
    """Kernel, fused or not, and interpreter against 40 digits; how many values could be compared."""
    program = program_of(tape, dtype)
    given_values = arguments((lanes,), dtype, special=False)
    columns = np.column_stack([given_values["x"], given_values["y"]])
    # An elementary function of ours errs by less than a unit, NumPy's by four at most.
    answers = [
        (Kernel(program, dtype=dtype)(**given_values), 1.0),
        (Kernel(program, dtype=dtype, contract=False)(**given_values), 1.0),
        (interpret.run(program, given_values, dtype), 4.0),
    ]
    compared = 0
    for answer, elementary in answers:
        flat = np.concatenate([answer[port.name].reshape(lanes, -1) for port in program.outputs], axis=1)
        for row, found in zip(columns.tolist(), flat.tolist(), strict=True):
            for number, value in zip(program.results, found, strict=True):
                try:
                    with mp.workdps(DIGITS):
                        inputs = [Value(mpf(v)) for v in row]
                        (truth,) = evaluate(program.graph, [number], inputs, Arithmetic(dtype, elementary))
                        assert abs(mpf(value) - truth.exact) <= truth.error
                    compared += 1
                except UnsureError:
                    continue
    return compared


@examples(20)
@given(tapes(30, elementary=True, depth=1))
def test_random_programs_stay_within_their_error_bound(tape):
    assume(assert_within_bounds(tape, "float64", lanes=4))


@examples(8)
@given(tapes(20, elementary=True, depth=1))
def test_random_programs_in_single_precision_stay_within_their_error_bound(tape):
    assume(assert_within_bounds(tape, "float32", lanes=4))


def test_the_error_bounds_are_no_wider_than_they_must_be():
    """A bound that held anything would hide a wrong function; this one is a few units of the result."""
    program = trace(lambda x: scalar.sin(x) * scalar.exp(x) + scalar.sqrt(x) / 3.0, {"x": float})
    with mp.workdps(DIGITS):
        (found,) = evaluate(
            program.graph, program.results, [Value(mpf("0.7"))], Arithmetic("float64", elementary=1.0)
        )
        assert found.error < 8 * 2.0**-53 * found.exact
        steep = trace(lambda x: scalar.floor(x), {"x": float})
        for at, sure in ((mpf(1), False), (mpf("1.5"), True)):
            value = Value(at, mpf(10) ** -20)
            if sure:
                (found,) = evaluate(steep.graph, steep.results, [value], Arithmetic("float64", 1.0))
                assert found == Value(mpf(1))
            else:
                with pytest.raises(UnsureError):
                    evaluate(steep.graph, steep.results, [value], Arithmetic("float64", 1.0))


def test_contraction_fuses_where_the_processor_can_and_only_if_it_is_allowed():
    program = trace(lambda x, y, z: x * y - z, {"x": float, "y": float, "z": float})
    x = np.linspace(0.1, 3.0, 40)
    product = x * x
    plain = Kernel(program, contract=False)(x, x, product)
    assert (plain == 0).all()
    fused = Kernel(program)(x, x, product)
    if Target.host().fma:
        exact = [
            float(Fraction(v) ** 2 - Fraction(p)) for v, p in zip(x.tolist(), product.tolist(), strict=True)
        ]
        assert fused.tolist() == exact
    else:
        assert (fused == 0).all()


# ---- loops -------------------------------------------------------------------------------------------


def newton(a, start):
    return iterate(
        lambda x, i: 0.5 * (x + a / x), start, until=lambda x: scalar.abs(x * x - a) < 1e-13 * a, most=40
    )


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_an_element_that_ends_early_or_diverges_leaves_its_neighbours_alone(lanes):
    a = np.array([4.0, NAN, 2.0, -1.0, INF, 0.0, 5e-324, 9.0, 1e300, -0.0, 1.7**2, 3.0, 1e-300, -INF, 7.0])
    program = trace(lambda a: tuple(newton(a, 1.7)), {"a": float})
    with vectors_of(lanes):
        kernel = Kernel(program, contract=False)
    expected = interpret.run(program, {"a": a})
    together = kernel(a)
    rng = np.random.default_rng(2)
    for shuffled in (np.arange(15), np.arange(15)[::-1], *(rng.permutation(15) for _ in range(6))):
        found = kernel(a[shuffled])
        assert all(same_bits(f, t[shuffled]) for f, t in zip(found, together, strict=True))
    assert all(same_bits(t, e) for t, e in zip(together, expected.values(), strict=True))


def test_a_state_that_stands_still_keeps_every_bit():
    """The body would turn -0.0 into 0.0 and NaN into a number."""
    body = lambda s, i: (s[0] + 0.0 + i * 0.0 * s[1], s[1] + 1.0)
    program = trace(
        lambda x, n: iterate(body, (x, 0.0), until=lambda s: s[1] >= n, most=9).state,
        {"x": float, "n": float},
    )
    x = np.tile([-0.0, NAN, 1.5, 5e-324], 4)
    n = np.where(np.arange(16) % 3 == 0, 5.0, 0.0)
    found = Kernel(program, contract=False)(x, n)
    assert same_bits(found[0], interpret.run(program, {"x": x, "n": n})["out.0"])
    assert found[0][n == 0].tobytes() == x[n == 0].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_of_every_kind(dtype):
    counts = [0.0, -0.0, 1.0, 0.999, 2.9, 7.0, -3.0, -INF, NAN, 5e-324, 30.0]
    program = trace(
        lambda x, n: repeat(lambda s, i: s * 0.5 + i, x, n), {"x": float, "n": float}, dtype=dtype
    )
    given_values = {"x": numbers((11,), 4, dtype), "n": np.array(counts).astype(dtype)}
    assert_equal_bits(program, given_values, dtype)
    for count in (0, 1, 6, -2, 0.5, 3.7):
        fixed = trace(lambda x, n=count: repeat(lambda s, i: s * 0.5 + i, x, n), {"x": float})
        assert_equal_bits(fixed, {"x": numbers((11,), 4)})


def test_iterations_are_counted_beyond_what_single_precision_can_add_up():
    many = 2.0**24 + 6
    count = compile(
        lambda x: iterate(lambda s, i: s, x, until=lambda s: s < 0.0, most=many).count,
        inputs={"x": float},
        dtype="float32",
    )
    assert count(np.ones(3, np.float32)).tolist() == [many] * 3


@pytest.mark.parametrize("size", [None, 2])
@pytest.mark.parametrize("lags", [(1,), (2,), (5, 1, 3)])
def test_delays_within_loops(lags, size):
    def law(x, n):
        def body(state, i):
            return tuple(value * 0.5 - state[k - 1] + i * x for k, value in enumerate(state))

        start = tuple(delay(x + float(k), lag) for k, lag in enumerate(lags))
        free = iterate(body, start, until=lambda s: s[0] < -3.0, most=n)
        return (*repeat(body, start, n), *free.state, free.count, free.converged)

    program = trace(law, {"x": float, "n": float})
    given_values = {"x": numbers((29,), 1), "n": np.arange(29.0) % 9}
    names = [port.name for port in program.outputs]
    with parts_of(size) if size else vectors_of(4):
        found = Kernel(program, contract=False)(**given_values)
    expected = interpret.run(program, given_values)
    assert all(same_bits(f, expected[n]) for f, n in zip(found, names, strict=True))


def test_an_element_that_has_ended_does_not_count_on_in_the_dark():
    """Its delayed state would double at each iteration of its neighbours, and an inner loop counts by it."""

    def law(n):
        def body(s, i):
            inner = repeat(lambda t, j: t + 1.0, 0.0, s[1])
            return s[0] + inner, scalar.where(n > 50.0, s[1], s[1] * 2.0 + 1.0)

        return repeat(body, (0.0, delay(1.0, 2)), n)

    kernel = Kernel(trace(law, {"n": float}))
    began = time.perf_counter()
    found = kernel(np.array([2.0, 60.0]))
    assert time.perf_counter() - began < 2  # and not ten
    assert found[0].tolist() == [2.0, 60.0]
    assert found[1].tolist() == [3.0, 1.0]


def test_a_loop_within_a_loop_starts_afresh_each_time():
    def law(x):
        def outer(s, i):
            inner = repeat(lambda t, j: (t[0] + t[1], t[0]), (s, delay(x, 3)), i + 1.0)
            return inner[0] * 0.25 + inner[1] * 0.5

        return repeat(outer, x, 6)

    for context in (vectors_of(8), parts_of(1)):
        with context:
            assert_equal_bits_of_one(law)


def assert_equal_bits_of_one(law):
    program, x = trace(law, {"x": float}), numbers((13,), 5)
    assert same_bits(Kernel(program, contract=False)(x), interpret.run(program, {"x": x})["out"])


# ---- the text ----------------------------------------------------------------------------------------


def test_what_nobody_needs_is_not_in_the_code():
    def law(x, unused):
        scalar.sin(unused[0])
        return x + 1.0

    text = compile(law, inputs={"x": float, "unused": 3}).source("llvm")
    assert "qt.sin" not in text
    assert text.count("fadd") == 1


@pytest.mark.parametrize(
    ("cpu", "features", "size"), [("haswell", "+avx2,+fma", 32), ("skylake-avx512", "", 64)]
)
def test_vectors_on_the_stack_lie_within_one_cache_line(cpu, features, size):
    def crowded(x):
        values = [x[k % 8] * (1.0 + k) for k in range(60)]
        return [values[k] * values[(7 * k) % 60] + values[(k * k) % 60] for k in range(60)]

    if not Target.host().triple.startswith("x86_64"):
        pytest.skip("the words below are those of x86")
    program = trace(lambda x: sum(crowded(crowded(x))), {"x": 8})
    target = Target(Target.host().triple, cpu, features, size, True)
    text = machine.assembly(blocks.program_code(program, target, "float64").text, target)
    body = text[text.index("\nbody:") :].split("\nkernel:")[0]
    on_stack = [line for line in body.splitlines() if "(%rsp)" in line and "mm" in line]
    assert len(on_stack) > 20
    assert f"andq\t$-{size}, %rsp" in body
    assert not [line for line in on_stack if "movup" in line]  # all are known to be aligned


def many_results(count):
    return trace(lambda x: x * x[::-1], {"x": count})


def many_states(count):
    def body(state, index):
        return np.array([state[k] * 0.5 + state[k - 1] for k in range(count)], object)

    return trace(lambda x: repeat(body, x, 5), {"x": count})


@pytest.mark.parametrize("program", [many_results(1000), many_states(400), many_states(1500)])
def test_no_more_accesses_to_memory_stand_in_a_row_than_llvm_takes_quickly(program):
    longest = row = 0
    for line in blocks.program_code(program, Target.host(), "float64").text.splitlines():
        stays = line.endswith(":") or line.startswith(("  call void", "  br ", "define"))
        row = 0 if stays else row + (" = load " in line or line.startswith("  store "))
        longest = max(longest, row)
    assert 0 < longest <= UNBROKEN


@pytest.mark.slow
@pytest.mark.parametrize("program", [many_results, many_states])
def test_programs_of_many_results_or_states_compile_in_linear_time(program):
    def seconds(count):
        text = blocks.program_code(program(count), Target.host(), "float64").text
        began = time.thread_time()
        machine.object_code(text, Target.host())
        return time.thread_time() - began

    few, many = (min(seconds(count) for _ in range(2)) for count in (500, 2000))
    assert many < 8 * few  # four times as much work; with the square of their number it was 20 to 30 times


def test_contraction_is_the_only_freedom_of_the_optimiser():
    def law(x, y):
        return repeat(lambda s, i: scalar.sin(s) * x + y / s - scalar.power(x, s), x, y)

    program = trace(law, {"x": float, "y": float})
    for contract in (True, False):
        text = blocks.program_code(program, Target.host(), "float64", contract=contract).text
        flags = {"fast", "nnan", "ninf", "nsz", "arcp", "reassoc", "afn"}
        assert not flags & set(text.split())
        # The elementary functions say themselves what is fused.
        body = text[text.index("define internal void @body") :]
        assert ("contract" in body) is contract
    assert "contract" not in text
