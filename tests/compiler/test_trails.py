"""Loops that leave a trail: on numbers, on the interpreter and as machine code the same, bit for bit."""

from __future__ import annotations

import pickle
from fractions import Fraction
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quatrain import scalar
from quatrain.compiler import (
    TraceError,
    forward,
    interpret,
    iterate,
    jacobian,
    listing,
    repeat,
    reverse,
    row,
    scan,
    trace,
)
from quatrain.compiler.derivative import sparsity
from quatrain.compiler.kernel import Kernel
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3, cross
from tests.compiler.machines import Guarded, parts_of, vectors_of
from tests.compiler.random_graphs import same_bits

TABLE = (2.0, 0.0, 1.0, 3.0, 1.0, 0.0, 2.0)
NOT_WHOLE = (0.5, -2.0, 7.25, 1.5, -0.0, 3.0, 1e-3)


def fibonacci(x, count):
    """Each number from those one and two iterations before."""
    return scan(lambda s, i, past: s + past.at(i - 1.0), x, count)


def test_a_scan_on_numbers_is_a_plain_loop():
    walked = fibonacci(1, 10)
    assert [walked.trail.at(k) for k in range(11)] == [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]
    assert walked.state == 144
    assert fibonacci(Fraction(1, 2), 4).state == Fraction(8, 2)


def test_beyond_its_ends_a_trail_gives_its_first_and_its_last():
    trail = fibonacci(1.0, 3).trail
    assert (trail.at(-5), trail.at(0.9), trail.at(2.5), trail.at(99)) == (1.0, 1.0, 3.0, 5.0)
    assert row([4.0, 5.0, 6.0]).at(-0.5) == 4.0
    assert np.array_equal(row([4.0, 5.0, 6.0]).at(np.array([2.0, 0.0, 7.0])), [6.0, 4.0, 6.0])


def test_no_iteration_leaves_the_initial_state():
    assert scan(lambda s, i, past: s + 1, 3.0, 0).trail.at(5) == 3.0
    program = trace(lambda x: scan(lambda s, i, past: s + 1, x, 0).trail.at(2.0), {"x": float})
    assert Kernel(program)(np.array([3.0, 4.0])).tolist() == [3.0, 4.0]


# ---- random programs ---------------------------------------------------------------------------------

STEPS = (
    lambda a, b: a + b * 0.5,
    lambda a, b: a - b,
    lambda a, b: a * b * 0.25,
    lambda a, b: scalar.sqrt(scalar.abs(a)) - b,
    lambda a, b: a / (1.0 + scalar.abs(b)),
    lambda a, b: scalar.where(a < b, a, b * 0.5),
    lambda a, b: scalar.minimum(a, 3.0 - b),
)


def index_of(kind, i, value):
    """An index: known while compiling, the same in all lanes, or another in each, and beyond the ends too."""
    return (
        lambda: i,
        lambda: i * 2.0 - 3.0,
        lambda: scalar.lookup(TABLE, i),
        lambda: 6.0 - scalar.lookup(TABLE, i) * i,
        lambda: scalar.lookup(NOT_WHOLE, i),
        lambda: 2.0,
        lambda: i - 2.0,
        lambda: value * 3.0,
        lambda: scalar.where(value < 0.0, i, value * 1e308 * 1e308),
    )[kind]()


@st.composite
def scanning(draw):
    """f(x, y): a row of inputs, two scans of which the second reads the first, loops within, a row of results."""
    words = draw(st.lists(st.integers(0, 2**30), min_size=24, max_size=24))
    counts = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))

    def function(x, y):
        given = row([*x, y, 0.5])

        def body_of(trails):
            def body(state, i, past):
                taken = iter(words[len(trails) :] * 8)  # the same decisions in every iteration

                def pick(options):
                    return options[next(taken) % len(options)]

                values = [*state, i * 0.125, y, scalar.lookup(NOT_WHOLE, i), scalar.lookup(TABLE, 2.0)]
                for _ in range(4):
                    values.append(given.at(index_of(next(taken) % 9, i, pick(values))))
                    values.append(past.at(index_of(next(taken) % 9, i, pick(values)))[next(taken) % 2])
                    for trail in trails:
                        values.append(trail.at(index_of(next(taken) % 9, i, pick(values)))[0])
                    values.append(pick(STEPS)(pick(values[-6:]), pick(values)))
                if next(taken) % 3 == 0:
                    inner = values[-1]
                    values.append(repeat(lambda s, j: s * 0.5 + given.at(j + i) + inner, values[-2], 2))
                return tuple(scalar.maximum(scalar.minimum(v, 9.0), -9.0) for v in values[-2:])

            return body

        first = scan(body_of([]), (y, 1.0), counts[0])
        second = scan(body_of([first.trail]), first.state, counts[1])
        read = [second.trail.at(float(k))[k % 2] for k in range(counts[1] + 2)]
        return {
            "state": np.array(second.state, object),
            "read": np.array(read, object),
            "other": first.trail.at(y * 4.0)[1] + row(read).at(x[0] * 3.0),
        }

    return function


def program_of(function, dtype="float64"):
    return trace(function, {"x": 5, "y": float}, name="scanning", dtype=dtype, origins=False)


def arguments(batch, dtype="float64", seed=1):
    rng = np.random.default_rng([seed, batch])
    x, y = (rng.normal(size=shape).astype(dtype) for shape in ((batch, 5), (batch,)))
    x[batch // 2, 1] = np.nan
    y[batch // 3] = np.inf
    return x, y


def plain(function, x, y):
    """The function on the plain numbers of one element."""
    with np.errstate(all="ignore"):
        found = function([np.float64(v) for v in x], np.float64(y))
    return {name: np.array(value, float) for name, value in found.items()}


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(scanning())
def test_random_scans_on_the_interpreter_equal_plain_python_loops(function):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4, 5)), rng.normal(size=4)
    found = interpret.run(program_of(function), {"x": x, "y": y})
    for k in range(4):
        for name, value in plain(function, x[k], y[k]).items():
            assert same_bits(found[name][k], value), name


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(scanning(), st.sampled_from(["float64", "float32"]), st.sampled_from([0, 6, 40]))
def test_random_scans_as_machine_code_are_the_interpreters_bit_for_bit(function, dtype, size):
    program = program_of(function, dtype)
    if size:
        with parts_of(size):
            kernel = Kernel(program, dtype=dtype, contract=False)
    else:
        kernel = Kernel(program, dtype=dtype, contract=False)
    for batch in (1, 7, 65):
        x, y = arguments(batch, dtype)
        expected = interpret.run(program, {"x": x, "y": y}, dtype)
        for given_x in (
            x,
            np.asfortranarray(x),
        ):  # rows are transposed first, columns are read where they stand
            found = kernel(given_x, y)
            for name in expected:
                assert same_bits(found[name], expected[name]), name


def some_scans(x, y):
    back = row([*x, y])

    def body(state, i, past):
        far = past.at(scalar.lookup(TABLE, i))
        return state[0] * 0.5 + back.at(i) - far[1], scalar.sin(state[1]) + back.at(4.0 - i) * far[0]

    first = scan(body, (y, x[2]), 7)
    return scan(lambda s, i, past: s * y + first.trail.at(7.0 - i)[1], x[0], 7).trail.at(5.0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_result_does_not_depend_on_batch_thread_or_place(dtype):
    program = program_of(some_scans, dtype)
    x, y = (np.random.default_rng(3).normal(size=shape).astype(dtype) for shape in ((1025, 5), (1025,)))
    whole = Kernel(program, dtype=dtype)(x, y)
    for batch in (1, 2, 3, 8, 17, 64, 1000):
        for start in (0, 5, 25):
            part = Kernel(program, dtype=dtype)(x[start : start + batch], y[start : start + batch])
            assert same_bits(part, whole[start : start + batch])
    assert same_bits(Kernel(program, dtype=dtype, threads=3)(x, y), whole)


@pytest.mark.parametrize("lanes", [1, 2, 4, 16])
def test_vectors_of_any_width_do(lanes):
    program = program_of(some_scans)
    x, y = arguments(33)
    with vectors_of(lanes):
        found = Kernel(program, contract=False)(x, y)
    # Only sin is no operation of its own here, and it is the same function for every width.
    assert same_bits(found, Kernel(program, contract=False)(x, y))


def test_nothing_is_read_or_written_beyond_the_arrays():
    program = trace(
        lambda x, k: {
            "a": row(list(x)).at(k),
            "b": scan(lambda s, i, past: s + past.at(k), x[0], 6).trail.at(k * 2.0),
        },
        {"x": 9, "k": float},
    )
    guards = Guarded()
    for k in (-1e300, -1.0, 0.0, 8.5, 1e300, np.inf, -np.inf, np.nan):
        with guards.work_areas():
            kernel = Kernel(program)
            x = guards.array((3, 9), float, np.random.default_rng(0).normal(size=(3, 9)))
            found = kernel(x, k)
        expected = interpret.run(program, {"x": x, "k": np.array(k)})
        assert all(same_bits(found[name], expected[name]) for name in found)
    assert guards.untouched()


# ---- what becomes of it --------------------------------------------------------------------------------


def test_the_code_does_not_grow_with_the_count():
    def program(count):
        return trace(
            lambda x: scan(lambda s, i, p: s + row(list(x)).at(i), 0.0, count).trail.at(3.0), {"x": 50}
        )

    pytest.importorskip("llvmlite")
    few, many = program(10), program(50)
    assert len(few.graph) == len(many.graph)
    sizes = [Kernel(one).native.size for one in (few, many)]
    assert abs(sizes[0] - sizes[1]) < 64


def test_only_what_is_read_of_a_trail_is_kept():
    def program(read):
        def function(x):
            walked = scan(lambda s, i, past: tuple(v + x for v in s), (x,) * 6, 1000)
            return sum(walked.trail.at(x)[k] for k in range(read))

        return trace(function, {"x": float})

    pytest.importorskip("llvmlite")
    one, three = (Kernel(program(read)).native for read in (1, 3))
    vector = 8 * one.width
    assert three.facts["work_bytes"] - one.facts["work_bytes"] == 2 * 1001 * vector


def test_vectors_and_conditions_are_scanned_too():
    def function(w, axis):
        def body(state, i, past):
            v, turned = state
            return cross(axis, v) + past.at(i - 1.0)[0] * 0.5, turned ^ (v.x < 0.0)

        walked = scan(body, (w, True), 6)
        v, turned = walked.trail.at(4.0)
        return {"v": v, "turned": scalar.where(turned, 1.0, -1.0), "last": walked.state[0]}

    program = trace(function, {"w": Vec3, "axis": Vec3})
    w, axis = np.random.default_rng(4).normal(size=(2, 20, 3))
    found = Kernel(program, contract=False)(w, axis)
    for k in range(20):
        expected = function(Vec3(*w[k].tolist()), Vec3(*axis[k].tolist()))
        assert found["v"][k].tolist() == list(expected["v"])
        assert found["last"][k].tolist() == list(expected["last"])
        assert found["turned"][k] == expected["turned"]


def test_a_scan_within_a_loop_starts_afresh_each_time():
    def function(x):
        def outer(s, i):
            inner = scan(lambda t, j, past: t * 0.5 + past.at(j - 1.0) + i, s, 4)
            return inner.trail.at(3.0) - inner.trail.at(i)

        return repeat(outer, x, 5)

    program = trace(function, {"x": float})
    x = np.random.default_rng(5).normal(size=40)
    assert Kernel(program, contract=False)(x).tolist() == [function(v) for v in x.tolist()]


def test_programs_with_trails_pickle_and_have_digests():
    program = program_of(some_scans)
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert again.digest() == program.digest() == program_of(some_scans).digest()
    assert fibonacci_program(8).digest() != fibonacci_program(9).digest()
    x, y = arguments(5)
    assert same_bits(Kernel(again)(x, y), Kernel(program)(x, y))


def fibonacci_program(count):
    return trace(lambda x: fibonacci(x, count).trail.at(2.0), {"x": float}, origins=False)


def test_rows_that_are_known_fold():
    assert len(trace(lambda x: row([3.0, 3.0, 3.0]).at(x), {"x": float}).graph) == 1
    program = trace(lambda x: row([x, x * 2.0, x * 3.0]).at(1.0), {"x": float})
    assert [node[0] for node in program.graph.nodes] == ["input", "constant", "multiply"]


def test_the_listing_shows_what_is_read():
    def function(x):
        walked = scan(lambda s, i, past: s * 0.5 + past.at(i - 1.0), x[0], 3)
        return walked.trail.at(x[1]) + row(list(x)).at(x[2])

    program = trace(function, {"x": 3}, origins=False)
    assert listing(program) == dedent("""\
        function(x[3])

          value.1 repeats 3 times:
              start value.1[0] = x[0]
              next value.1[0] = 0.5*value.1[0] + value.1.past[0].at(value.1.index - 1)

        results
          out = value.1.trail[0].at(x[1]) + row(x[0], x[1], x[2]).at(x[2])
        """)


# ---- mistakes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("derive", [forward, reverse, jacobian, sparsity])
def test_derivatives_are_refused(derive):
    with pytest.raises(TraceError) as caught:
        derive(fibonacci_program(5))
    assert "reads numbers in a row or what a loop has left, of which no derivatives are made" in str(
        caught.value
    )
    assert "looped=False" in str(caught.value)


def test_a_count_must_be_known():
    with pytest.raises(ArgumentError, match=r"a scan of 2\.5 iterations"):
        scan(lambda s, i, past: s, 1.0, 2.5)
    with pytest.raises(ArgumentError, match="known while tracing, as a plain int"):
        trace(lambda x: scan(lambda s, i, past: s, x, x).state, {"x": float})
    with pytest.raises(ArgumentError, match="a row of no numbers"):
        row([])


def test_the_past_of_a_loop_is_not_read_within_another():
    def function(x):
        def body(s, i, past):
            return iterate(lambda t, j: t + past.at(j), s, until=lambda t: t > 9.0, most=3).state

        return scan(body, x, 4).state

    with pytest.raises(TraceError, match="read within a loop inside it") as caught:
        trace(function, {"x": float})
    assert "read it before the inner loop" in str(caught.value)
