"""Calling kernels: any layout, batch and number of threads gives the same bits; bad input is answered kindly."""

from __future__ import annotations

import copy
import gc
import itertools
import logging
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quatrain import scalar
from quatrain.compiler import TraceError, interpret, iterate, native, repeat, trace
from quatrain.compiler.kernel import Kernel, compile
from quatrain.errors import ArgumentError, QuatrainError
from tests.compiler.machines import Guarded, parts_of, shortest_pieces, vectors_of
from tests.compiler.random_graphs import arguments, program_of, same_bits, some_tape

pytest.importorskip("llvmlite.binding")

ROOT = Path(__file__).resolve().parents[2]
DTYPES = ("float64", "float32")
MOST = 1025
SIZES = sorted(
    {*range(1, 18), *(m + d for m in (32, 64, 128, 256, 512, 1024) for d in (-1, 0, 1)), 100, 1000}
)


def law(s, v, m):
    """Numbers, vectors and matrices in and out; elementary functions; a loop of a different length for each."""
    sine, cosine = scalar.sin(s), scalar.cos(s)
    root = iterate(
        lambda x, i: 0.5 * (x + s * s / x), 1.0 + s * s, until=lambda x: x < 1.001, most=v[0] * 4.0
    )
    turned = np.array([v[0] * cosine - v[1] * sine, v[0] * sine + v[1] * cosine, v[2]], object)
    wide = np.array([[m[j, i] * turned[i] + sine for j in range(2)] for i in range(3)], object)
    return {"n": root.state + scalar.exp(-s * s), "w": m @ turned, "t": wide}


INPUTS = {"s": float, "v": 3, "m": (2, 3)}
SHAPES = {"s": (), "v": (3,), "m": (2, 3)}
RESULTS = {"n": (), "w": (2,), "t": (3, 2)}


@cache
def program(dtype="float64"):
    return trace(law, INPUTS, dtype=dtype)


@cache
def kernel(dtype="float64", lanes=None, threads=None):
    if lanes is None:
        return Kernel(program(dtype), dtype=dtype, threads=threads)
    with vectors_of(lanes):
        return Kernel(program(dtype), dtype=dtype, threads=threads)


@cache
def data(dtype="float64", count=MOST):
    rng = np.random.default_rng(12)
    arrays = {name: rng.normal(size=(count, *shape)).astype(dtype) for name, shape in SHAPES.items()}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


@cache
def truth(dtype="float64", lanes=None):
    """State by state: each alone, through the call for one."""
    rows = [kernel(dtype, lanes)(*(array[k] for array in data(dtype).values())) for k in range(MOST)]
    return {name: np.array([row[name] for row in rows]) for name in RESULTS}


def assert_same(found, expected, places=slice(None)):
    for name, array in expected.items():
        assert same_bits(found[name], array[places]), name


# ---- any number of elements, anywhere, by any number of threads --------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lanes", [None, 1, 2, 4, 8])
def test_any_size_of_the_batch_gives_the_same_bits(lanes, dtype):
    for count in SIZES:
        part = {name: array[:count] for name, array in data(dtype).items()}
        assert_same(kernel(dtype, lanes)(**part), truth(dtype, lanes), slice(count))


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_element_does_not_depend_on_its_place(dtype):
    rng = np.random.default_rng(3)
    for count in (1, 7, 8, 9, 64, 500):
        for start in (0, 1, 3, 8, 17, MOST - count):
            places = slice(start, start + count)
            part = {name: array[places] for name, array in data(dtype).items()}
            assert_same(kernel(dtype)(**part), truth(dtype), places)
        shuffled = rng.permutation(MOST)[:count]
        part = {name: array[shuffled] for name, array in data(dtype).items()}
        assert_same(kernel(dtype)(**part), truth(dtype), shuffled)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_any_number_of_threads_gives_the_same_bits(threads):
    chosen = kernel(threads=threads)
    assert_same(chosen(**data()), truth())
    with shortest_pieces():
        for count in (1, 8, 9, 100, MOST):
            part = {name: array[:count] for name, array in data().items()}
            assert_same(chosen(**part), truth(), slice(count))


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_vectors_of_any_width_give_the_same_bits_where_nothing_is_fused(lanes):
    expected = Kernel(program(), contract=False)(**data())
    with vectors_of(lanes):
        found = Kernel(program(), contract=False)(**data())
    assert_same(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_code_in_parts_depends_on_size_and_place_as_little(dtype):
    with parts_of(4):
        cut = Kernel(program(dtype), dtype=dtype)
    expected = cut(**data(dtype))
    for count in (1, 5, 8, 17, 256):
        part = {name: array[3 : 3 + count] for name, array in data(dtype).items()}
        assert_same(cut(**part), expected, slice(3, 3 + count))
    with parts_of(4):
        plain = Kernel(program(dtype), dtype=dtype, contract=False)
    straight = Kernel(program(dtype), dtype=dtype, contract=False)
    assert_same(plain(**data(dtype)), straight(**data(dtype)))


# ---- any layout --------------------------------------------------------------------------------------


def in_a_buffer(array, *slices):
    """The array as a view of a larger one; the rest is NaN. `slices` say where along each axis."""
    shape = [
        s.indices(10**9)[0] + 1 + (n - 1) * abs(s.step or 1) for s, n in zip(slices, array.shape, strict=True)
    ]
    shape = [n + 5 for n in shape]
    buffer = np.full(shape, np.nan, array.dtype)
    view = buffer[
        tuple(_stretched(s, n, size) for s, n, size in zip(slices, array.shape, shape, strict=True))
    ]
    view[...] = array
    return view


def _stretched(place, count, size):
    step = place.step or 1
    if step < 0:
        last = size - 2
        return slice(last, last + count * step if last + count * step >= 0 else None, step)
    start = place.start or 0
    return slice(start, start + (count - 1) * step + 1, step)


ALL = slice(0, None)


def batch_strided(array, step):
    return in_a_buffer(array, slice(2, None, step), *[ALL] * (array.ndim - 1))


def value_strided(array, step):
    return in_a_buffer(array, *[ALL] * (array.ndim - 1), slice(1, None, step))


def columns_first(array):
    """Each scalar of the value a contiguous column."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 0, -1)), -1, 0)


def off_boundary(array):
    """At an odd address."""
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": columns_first,
    "fortran": np.asfortranarray,
    "every third": lambda a: batch_strided(a, 3),
    "reversed": lambda a: batch_strided(a, -1),
    "every second backwards": lambda a: batch_strided(a, -2),
    "gaps within the value": lambda a: value_strided(a, 2),
    "value reversed": lambda a: value_strided(a, -1),
    "within larger rows": lambda a: in_a_buffer(a, *[slice(1, None)] * a.ndim),
    "columns within larger columns": lambda a: in_a_buffer(columns_first(a).T, *[slice(1, None)] * a.ndim).T,
    "odd address": off_boundary,
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arguments_may_lie_in_memory_as_they_like(layout, dtype):
    for count in (1, 3, 8, 21, 200):
        part = {name: array[:count] for name, array in data(dtype).items()}
        for chosen in ({"s"}, {"v"}, {"m"}, {"s", "v", "m"}):
            laid = {n: LAYOUTS[layout](a) if n in chosen else a for n, a in part.items()}
            assert all(np.array_equal(laid[n], part[n]) for n in part)
            assert_same(kernel(dtype)(**laid), truth(dtype), slice(count))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_may_lie_in_memory_as_they_like(layout, dtype):
    for count in (1, 3, 8, 21, 200):
        part = {name: array[:count] for name, array in data(dtype).items()}
        out = {n: LAYOUTS[layout](np.zeros((count, *shape), dtype)) for n, shape in RESULTS.items()}
        around = {n: outermost(array) for n, array in out.items()}
        assert kernel(dtype)(**part, out=out) is out
        assert_same(out, truth(dtype), slice(count))
        for name, array in out.items():
            array[...] = 0
            assert not np.nan_to_num(around[name].view(np.uint8 if layout == "odd address" else dtype)).any()


def outermost(array):
    while array.base is not None:
        array = array.base
    return array


def test_batches_have_any_axes_and_broadcast():
    s, v, m = data().values()
    expected = kernel()(s[:30], v[:30], m[:30])
    shaped = kernel()(s[:30].reshape(5, 3, 2), v[:30].reshape(5, 3, 2, 3), m[:30].reshape(5, 3, 2, 2, 3))
    for name, array in expected.items():
        assert same_bits(shaped[name], array.reshape(5, 3, 2, *RESULTS[name]))
    cases = [
        (s[0], v[:7], m[:7]),
        (s[:7], v[0], m[:1]),
        (s[:7, None], v[:5], m[0]),
        (s[:4].reshape(2, 1, 2), v[:3, None], m[:6].reshape(3, 2, 2, 3)[None]),
        (s[:1], v[:1], m[:1]),
        (s[:1, None], v[0], m[:1]),
    ]
    for case in cases:
        batch = np.broadcast_shapes(case[0].shape, case[1].shape[:-1], case[2].shape[:-2])
        full = [
            np.broadcast_to(a, (*batch, *shape)).reshape(-1, *shape)
            for a, shape in zip(case, SHAPES.values(), strict=True)
        ]
        one_by_one = [kernel()(*(a[k] for a in full)) for k in range(len(full[0]))]
        found = kernel()(*case)
        for name, shape in RESULTS.items():
            assert same_bits(found[name], np.array([r[name] for r in one_by_one]).reshape(*batch, *shape))


def test_strides_of_zero_are_read_and_never_written():
    s, v, m = data().values()
    spread = [np.broadcast_to(s[3], (50,)), np.broadcast_to(v[3], (50, 3)), np.broadcast_to(m[3], (50, 2, 3))]
    found = kernel()(*spread)
    assert_same(found, {name: np.broadcast_to(a[3], (50, *RESULTS[name])) for name, a in truth().items()})
    out = {n: np.broadcast_to(np.zeros(shape), (50, *shape)) for n, shape in RESULTS.items()}
    with pytest.raises(ArgumentError, match="out for n is read-only"):
        kernel()(*spread, out=out)


@pytest.mark.parametrize("batch", [(0,), (3, 0), (0, 2, 1)])
def test_a_batch_of_nothing_gives_nothing(batch):
    given = {name: np.zeros((*batch, *shape)) for name, shape in SHAPES.items()}
    found = kernel()(**given)
    assert {name: array.shape for name, array in found.items()} == {
        n: (*batch, *s) for n, s in RESULTS.items()
    }
    out = {name: np.full((*batch, *shape), 7.0) for name, shape in RESULTS.items()}
    assert kernel()(**given, out=out) is out


def test_a_value_may_be_of_no_numbers():
    empty = compile(lambda x, e: {"x": x + 1.0, "e": e}, inputs={"x": float, "e": (0,)})
    found = empty(np.arange(9.0), np.zeros((9, 0)))
    assert found["x"].tolist() == list(range(1, 10))
    assert found["e"].shape == (9, 0)


# ---- results that lie where arguments are ------------------------------------------------------------

turn = lambda v: np.array([v[1] - v[2], v[2] + v[0] * 0.5, scalar.sin(v[0])], object)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_result_may_be_written_over_an_argument(threads):
    turning = compile(turn, inputs={"v": 3}, threads=threads)
    v = data()["v"]
    for count, order in itertools.product(
        (1, 7, 8, 64, 1000), ("rows", "columns", "every third", "value reversed")
    ):
        expected = turning(v[:count])
        place = LAYOUTS[order](v[:count].copy())
        with shortest_pieces():
            assert turning(place, out=place) is place
        assert same_bits(place, expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shift", [1, 2, 3, 8, 24, 25, 300])
def test_a_result_may_overlap_an_argument(shift, threads):
    turning = compile(turn, inputs={"v": 3}, threads=threads)
    count = 200
    for backwards in (False, True):
        buffer = np.random.default_rng(5).normal(size=3 * count + shift)
        low, high = buffer[: 3 * count].reshape(count, 3), buffer[shift:].reshape(count, 3)
        source, target = (high, low) if backwards else (low, high)
        expected = turning(source.copy())
        with shortest_pieces():
            turning(source, out=target)
        assert same_bits(target, expected)
    flipped = buffer[: 3 * count].reshape(count, 3)
    expected = turning(flipped.copy())[::-1]
    turning(flipped, out=flipped[::-1])
    assert same_bits(flipped, expected)


def test_two_results_may_be_columns_of_one_array():
    both = compile(lambda x: (x + 1.0, x * 2.0), inputs={"x": float})
    table = np.zeros((100, 2))
    x = np.arange(100.0)
    both(x, out=(table[:, 0], table[:, 1]))
    assert same_bits(table, np.stack([x + 1.0, x * 2.0], axis=1))


# ---- nothing else is read or written -----------------------------------------------------------------


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_beside_the_results_is_written(dtype, lanes):
    for order in (np.ascontiguousarray, columns_first):
        for count in (1, 2, 7, 8, 9, 31):
            guard = Guarded()
            part = {n: guard.array(a[:count].shape, dtype, a[:count]) for n, a in data(dtype).items()}
            out = {n: guard.array((count, *shape), dtype) for n, shape in RESULTS.items()}
            if order is columns_first:
                out = {n: np.moveaxis(guard.array((*s, count), dtype), -1, 0) for n, s in RESULTS.items()}
            with guard.work_areas():
                kernel(dtype, lanes)(**part, out=out)
            assert guard.untouched()
            assert_same(out, truth(dtype, lanes), slice(count))
            assert_same(part, data(dtype), slice(count))


FENCE = """
import ctypes, mmap, sys
import numpy as np
from quatrain.compiler.kernel import Kernel
from tests.compiler.test_kernel import RESULTS, data, program
from tests.compiler.machines import vectors_of

libc = ctypes.CDLL(None, use_errno=True)
held = []

def before_a_fence(array, at_start):
    page = mmap.PAGESIZE
    pages = -(-array.nbytes // page)
    block = mmap.mmap(-1, (pages + 2) * page)
    held.append(block)
    raw = np.frombuffer(block, np.uint8)
    start = page if at_start else (pages + 1) * page - array.nbytes
    view = raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    view[...] = array
    for place in (0, pages + 1):
        if libc.mprotect(ctypes.c_void_p(raw.ctypes.data + place * page), ctypes.c_size_t(page), 0):
            sys.exit(3)
    return view

columns = lambda a: np.ascontiguousarray(np.moveaxis(a, 0, -1))
for dtype in ("float64", "float32"):
    for lanes in (1, 2, 4, 8, 16):
        with vectors_of(lanes):
            kernel = Kernel(program(dtype), dtype=dtype)
        for count in (1, 3, 8, 13, 17):
            for at_start in (True, False):
                part = {n: a[:count] for n, a in data(dtype).items()}
                expected = kernel(**part)
                rows = {n: before_a_fence(a, at_start) for n, a in part.items()}
                out = {n: before_a_fence(np.zeros((count, *s), dtype), at_start) for n, s in RESULTS.items()}
                kernel(**rows, out=out)
                assert all(np.array_equal(out[n], expected[n]) for n in out)
                given = {n: np.moveaxis(before_a_fence(columns(a), at_start), -1, 0) for n, a in part.items()}
                found = kernel(**given)
                assert all(np.array_equal(found[n], expected[n]) for n in out)
print("nothing beyond was touched")
"""


def in_another_process(code, *arguments, timeout=120, **environment):
    settings = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", **environment}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(
        command, env=settings, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pages are closed the way Linux does")
def test_not_a_byte_beyond_an_array_is_read():
    """Arrays end where a page ends, and the next page may not be touched."""
    done = in_another_process(FENCE)
    assert done.stdout == "nothing beyond was touched\n", done.stderr


# ---- arguments ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arm:
    x: Any
    y: Any


def test_arguments_come_by_place_or_by_name():
    divide = compile(lambda a, b: a / b, inputs={"a": float, "b": float})
    for found in (
        divide(6.0, 3.0),
        divide(6.0, b=3.0),
        divide(b=3.0, a=6.0),
        divide(np.float64(6), np.array(3)),
    ):
        assert found == 2.0


def test_names_that_python_uses_itself_are_no_obstacle():
    odd = compile(
        lambda self, arguments, named: self + arguments * named,
        inputs=dict.fromkeys(("self", "arguments", "named"), float),
    )
    assert odd(self=1.0, arguments=2.0, named=3.0) == odd(1.0, 2.0, 3.0) == 7.0


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_every_kind_are_converted(dtype):
    double = compile(lambda x, v: {"x": x * 2.0, "v": v}, inputs={"x": float, "v": 2}, dtype=dtype)
    kinds = [int, np.int8, np.uint64, np.float16, np.float32, np.float64, np.longdouble, bool, ">f8", "<f4"]
    for kind in kinds:
        found = double(np.array([1, 0, 1], kind), np.array([[1, 0]], kind))
        assert found["x"].dtype == found["v"].dtype == dtype
        assert found["x"].tolist() == [2.0, 0.0, 2.0]
        assert found["v"].tolist() == [[1.0, 0.0]] * 3
    for value in (
        3,
        True,
        3.0,
        [3],
        (3.0,),
        np.float32(3),
        np.int64(3),
        range(3, 4),
        [[3]],
        np.array([3.0]).view(np.recarray),
    ):
        assert (double(value, [0, 0])["x"] == (2.0 if value is True else 6.0)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_and_infinity_and_what_is_too_large_pass_without_a_warning(dtype):
    inverse = compile(lambda x: scalar.log(x) + 1.0 / x, inputs={"x": float}, dtype=dtype)
    with np.errstate(all="raise"):
        found = inverse(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e300, 1e-300]))
        one, large = inverse(0.0), inverse(1e300)
    assert np.isinf(large) == (dtype == "float32")
    assert np.isnan(found[[0, 2, 3, 5]]).all()  # at 0: -inf + inf
    assert found[[1, 4]].tolist() == [np.inf, -np.inf]
    assert np.isnan(one)
    assert np.isinf(found[6]) == (dtype == "float32")


def test_nested_arguments_and_results():
    def law(arm, state):
        a, b = state["pair"]
        return {"arm": Arm(arm.x + a, arm.y * b), "list": [a, {"deep": b}], "mean": state["mean"] * 0.5}

    inputs = {"arm": Arm, "state": {"pair": (float, float), "mean": 2}}
    nested = compile(law, inputs=inputs)
    x = np.arange(5.0)
    state = {"pair": (x, 2.0), "mean": np.ones(2)}
    found = nested(np.stack([x, x], axis=-1), state)
    assert same_bits(found["arm"], np.stack([x + x, x * 2.0], axis=-1))
    assert same_bits(found["list"][1]["deep"], np.full(5, 2.0))
    assert found["mean"].shape == (5, 2)
    again = nested(arm=Arm(x, x), state={"mean": [1, 1], "pair": [x, 2]})
    assert same_bits(again["arm"], found["arm"])
    out = {"arm": np.zeros((5, 2)), "list": [np.zeros(5), {"deep": np.zeros(5)}], "mean": np.zeros((5, 2))}
    assert nested(Arm(x, x), state, out=out) is out
    assert same_bits(out["arm"], found["arm"])
    assert same_bits(out["list"][0], x)
    assert same_bits(out["list"][1]["deep"], np.full(5, 2.0))


@pytest.mark.parametrize("x", [1.0, np.arange(5.0)])
def test_a_dataclass_of_scalars_comes_as_an_instance_or_as_an_array(x):
    law = compile(lambda arm, k: Arm(arm.y * k, arm.x), inputs={"arm": Arm, "k": float})
    expected = np.stack([np.full(np.shape(x), 6.0), np.asarray(x)], axis=-1)
    for _ in range(2):  # the second time by a shorter way, where there is one
        assert same_bits(law(Arm(x, 2.0), 3.0), expected)
        assert same_bits(law(np.stack(np.broadcast_arrays(x, 2.0), axis=-1), 3.0), expected)
    with pytest.raises(ArgumentError, match="arm holds Python objects, not real numbers"):
        law(object(), 3.0)


def test_results_are_new_arrays_each_time():
    double = compile(lambda x, v: (x * 2.0, v), inputs={"x": float, "v": 2})
    first, second = double(1.0, np.zeros(2)), double(2.0, np.ones(2))
    assert (first[0], second[0]) == (2.0, 4.0)
    assert first[1].tolist() == [0.0, 0.0]
    second[1][...] = 5.0
    assert double(2.0, np.ones(2))[1].tolist() == [1.0, 1.0]


def test_out_for_one_result_for_several_and_for_single_states():
    single = compile(lambda x: x + 1.0, inputs={"x": float})
    out = np.zeros(())
    assert single(2.0, out=out) is out
    assert out == 3.0
    grid = np.zeros((2, 3))
    single(np.ones((2, 3)), out=grid)
    assert (grid == 2.0).all()


def test_a_function_may_return_a_constant_or_take_nothing():
    seven = compile(lambda x: {"c": 7.0, "x": x}, inputs={"x": float})
    assert seven(np.zeros(3))["c"].tolist() == [7.0] * 3
    assert seven(0.0)["c"] == 7.0
    alone = compile(lambda x: -0.0, inputs={"x": float})
    assert same_bits(alone(np.zeros(9)), np.full(9, -0.0))
    assert compile(lambda: 3.0, inputs={})() == 3.0


def test_all_processors():
    assert compile(lambda x: x, inputs={"x": float}, threads=-1).threads == (os.cpu_count() or 1)


# ---- what cannot be done, and what is said -----------------------------------------------------------

total = lambda x, v: x + v


@cache
def small():
    return compile(total, inputs={"x": float, "v": 3}, name="total")


@cache
def keyed():
    return compile(lambda x: {"a": x, "b": (x, -x)}, inputs={"x": float}, name="keyed")


BAD_CALLS = [
    ((1, 2, 3), {}, r"3 arguments came for total\(x, v\)\.\n  To fix: pass at most 2"),
    ((1,), {}, r"total\(x, v\) was called without 'v'\.\n  To fix: pass every argument"),
    ((), {}, r"total\(x, v\) was called without 'x', 'v'"),
    ((1,), {"w": 3}, r"'w' is no argument of total\(x, v\)\.\n  To fix: use one of those names"),
    (
        (1, [1, 2, 3]),
        {"x": 3},
        r"'x' came twice for total\(x, v\)\.\n  To fix: pass it by position or by name, not",
    ),
    ((1, 2), {}, r"v has shape \(\); total needs \(\.\.\., 3\)\.\n  To fix: put the axes of the batch first"),
    ((1, np.ones((3, 2))), {}, r"v has shape \(3, 2\); total needs \(\.\.\., 3\)"),
    (
        (np.ones(4), np.ones((3, 3))),
        {},
        r"the leading axes of the arguments of total do not broadcast: x \(4,\), v \(3,\)\.\n  To fix: make them eq",
    ),
    (
        (1j, [1, 2, 3]),
        {},
        r"x holds complex numbers, not real numbers\.\n  To fix: pass real and imaginary parts",
    ),
    (
        ("abc", [1, 2, 3]),
        {},
        r"x holds text, not real numbers\.\n  To fix: convert it first: numpy.asarray\(x, float",
    ),
    ((b"abc", [1, 2, 3]), {}, r"x holds text, not real numbers"),
    ((None, [1, 2, 3]), {}, r"x holds Python objects, not real numbers\.\n  To fix: pass plain numbers"),
    ((1, [1, None, 3]), {}, r"v holds Python objects, not real numbers"),
    ((10**400, [1, 2, 3]), {}, r"x holds Python objects, not real numbers"),
    ((1, {"a": 1}), {}, r"v holds Python objects, not real numbers"),
    ((np.datetime64("2020-01-01"), [1, 2, 3]), {}, r"x holds dates, not real numbers"),
    ((np.timedelta64(3, "s"), [1, 2, 3]), {}, r"x holds spans of time, not real numbers"),
    ((np.zeros(2, "f8,f8"), [1, 2, 3]), {}, r"x holds records, not real numbers"),
    (
        ([[1, 2], [3]], [1, 2, 3]),
        {},
        r"x is not an array \(.*inhomogeneous.*\)\.\n  To fix: pass numbers in a regu",
    ),
    (
        (1, np.ones(3)),
        {"out": np.zeros(4)},
        r"out for out has shape \(4,\) and type float64; this call gives \(3,\) and float64\.\n"
        r"  To fix: pass numpy.empty\(\(3,\), 'float64'\)",
    ),
    (
        (np.ones(2), np.ones(3)),
        {"out": np.zeros(3)},
        r"out for out has shape \(3,\) .* gives \(2, 3\) and float64",
    ),
    ((1, np.ones(3)), {"out": np.zeros(3, np.float32)}, r"type float32; this call gives \(3,\) and float64"),
    ((1, np.ones(3)), {"out": np.zeros(3, ">f8")}, r"type >f8; this call gives \(3,\) and float64"),
    (
        (1, np.ones(3)),
        {"out": [0.0, 0.0, 0.0]},
        r"out for out is a list\.\n  To fix: pass a NumPy array to write to",
    ),
    ((1, np.ones(3)), {"out": np.zeros(3).view(np.recarray)}, r"out for out is a recarray"),
    (
        (1, np.ones(3)),
        {"out": np.broadcast_to(0.0, 3)},
        r"out for out is read-only\.\n  To fix: pass an array that may",
    ),
]


@pytest.mark.parametrize(("positional", "named", "text"), BAD_CALLS)
def test_a_call_that_does_not_fit_is_answered_with_what_came_and_what_is_wanted(positional, named, text):
    with pytest.raises(ArgumentError, match=text):
        small()(*positional, **named)


RESULT = r"the result is a dict of \(a: a number, b: a tuple of \(a number, a number\)\)"


@pytest.mark.parametrize(
    ("out", "text"),
    [
        (
            np.zeros(3),
            rf"out is of type ndarray; {RESULT}\.\n  To fix: pass arrays to write to, nested as the result",
        ),
        ((np.zeros(3), np.zeros(3)), rf"out is of type tuple with 0, 1; {RESULT}"),
        ({"a": np.zeros(3)}, rf"out is of type dict with a; {RESULT}"),
        ({"a": np.zeros(3), "c": np.zeros(3)}, rf"out is of type dict with a, c; {RESULT}"),
        (
            {"a": np.zeros(3), "b": np.zeros(3)},
            r"b is of type ndarray; the result is a tuple of \(a number, a number\)",
        ),
        (
            {"a": np.zeros(3), "b": [np.zeros(3)] * 3},
            r"b is of type list with 0, 1, 2; the result is a tuple of",
        ),
        (
            {"a": np.zeros(3), "b": [np.zeros(3), np.zeros(2)]},
            r"out for b\.1 has shape \(2,\) and type float64",
        ),
        ({"a": np.zeros(3), "b": [np.zeros(3), 0.0]}, r"out for b\.1 is a float"),
    ],
)
def test_an_out_of_another_nesting_is_answered_with_the_nesting_of_the_result(out, text):
    with pytest.raises(ArgumentError, match=text):
        keyed()(np.ones(3), out=out)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"p": 1, "z": 2}, r"a is a dict with p, z; this needs a dict with p, q"),
        ({"p": 1}, r"a is a dict with p; this needs a dict with p, q"),
        (3.0, r"a is a float; this needs a dict with p, q"),
        ({"p": [[1], [2, 3]], "q": 2}, r"a\.p is not an array \(.*inhomogeneous"),
        ({"p": "text", "q": 2}, r"a\.p holds text, not real numbers"),
        ({"p": [1, 2], "q": [1, 2, 3]}, r"do not broadcast: a\.p \(2,\), a\.q \(3,\)"),
    ],
)
def test_nested_arguments_that_do_not_fit_are_answered_with_their_names(given, text):
    nested = compile(lambda a: a["p"] + a["q"], inputs={"a": {"p": float, "q": float}})
    with pytest.raises(QuatrainError, match=text):
        nested(given)


BAD_COMPILATIONS = [
    ({"device": "cuda"}, r"device is 'cuda'\.\n  To fix: pass device='cpu'"),
    ({"dtype": "float16"}, r"dtype is 'float16'\.\n  To fix: pass 'float64' or 'float32'"),
    ({"dtype": np.float64}, r"dtype is <class 'numpy.float64'>"),
    ({"dtype": ["float64"]}, r"dtype is \['float64'\]"),
    (
        {"threads": 0},
        r"threads is 0\.\n  To fix: pass a positive number, −1 for all processors, or None for one",
    ),
    ({"threads": -2}, r"threads is -2"),
    ({"threads": 1.5}, r"threads is 1\.5"),
    ({"threads": True}, r"threads is True"),
    ({"threads": "2"}, r"threads is '2'"),
    (
        {"inputs": ["x"]},
        r"inputs is of type list\.\n  To fix: declare each argument by its name: inputs=\{'x': float",
    ),
    ({"inputs": None}, r"the inputs of the function are not declared\.\n  To fix: pass inputs=\{'x': float"),
]


@pytest.mark.parametrize(("options", "text"), BAD_COMPILATIONS)
def test_options_that_there_are_not_are_refused(options, text):
    with pytest.raises(QuatrainError, match=text):
        compile(lambda x: x, **{"inputs": {"x": float}, **options})


@pytest.mark.parametrize("options", [{}, {"vary": "gain"}])
def test_what_is_no_function_is_refused(options):
    with pytest.raises(
        TraceError, match=r"the function is 3, of type int\.\n  To fix: pass a function of the inputs"
    ):
        compile(3, inputs={"x": float}, **options)


def branching(x):
    if x > 0.0:
        return x
    return -x


def counting(x):
    return [x for _ in range(x)]


LINE = branching.__code__.co_firstlineno + 1
BAD_FUNCTIONS = [
    (
        branching,
        rf"test_kernel\.py:{LINE} in branching: a traced value .*\(by `if`.*\n  To fix: use quatrain\.where",
    ),
    (counting, rf"test_kernel\.py:{LINE + 6} in counting: a traced value .* as an index or a count"),
    (lambda x: None, r"the function returns None\.\n  To fix: return the values that are wanted"),
    (lambda x: (), r"<lambda> returns nothing that holds a number\.\n  To fix: return the values"),
    (lambda x: "text", r"out is a str, which holds no numbers"),
    (
        lambda x, y: x,
        r"<lambda> takes the arguments x, y, and the inputs are x\.\n  To fix: declare one input for each",
    ),
]


@pytest.mark.parametrize(("function", "text"), BAD_FUNCTIONS)
def test_a_function_that_cannot_be_compiled_is_answered_with_its_line(function, text):
    with pytest.raises(QuatrainError, match=text):
        compile(function, inputs={"x": float})


def test_there_are_three_forms_of_source():
    with pytest.raises(
        ArgumentError, match=r"no source in the form 'c'\.\n  To fix: ask for 'listing', 'llvm' or"
    ):
        small().source("c")


# ---- what a kernel tells of itself -------------------------------------------------------------------


def test_the_sources_of_a_kernel():
    wave = compile(lambda x, y: scalar.sin(x) * y + 2.0, inputs={"x": float, "y": float}, name="wave")
    listing = wave.source()
    assert listing == wave.source("listing")
    assert "sin" in listing
    text = wave.source("llvm")
    assert "void @kernel(ptr %frame)" in text
    assert "@qt.sin.f64" in text
    assembly = wave.source("assembly")
    assert "kernel:" in assembly
    assert str(ROOT) not in text + assembly


def test_a_kernel_tells_what_it_is():
    wave = compile(lambda x, v: scalar.sin(x) * v, inputs={"x": float, "v": 3}, name="wave", threads=2)
    shown = repr(wave)
    assert shown.startswith("<Kernel wave(x, v[3]) -> out[3]: 4 operations, float64, 2 threads, ")
    assert f"{wave.native.width} lanes, compiled in 0." in shown
    assert wave.operations == {"multiply": 3, "sin": 1}
    assert 0 < wave.compile_seconds < 60
    assert not wave.from_cache


def test_compiling_that_takes_long_is_told_once(monkeypatch, caplog):
    monkeypatch.setattr(native, "SAY_SECONDS", 1e-3)
    with caplog.at_level(logging.WARNING, "quatrain"):
        Kernel(program_of(some_tape(1, 300)))
    (record,) = caplog.records
    assert "compiling random: " in record.getMessage()
    assert "operations" in record.getMessage()
    caplog.clear()
    monkeypatch.setattr(native, "SAY_SECONDS", 60.0)
    with caplog.at_level(logging.INFO, "quatrain"):
        Kernel(program_of(some_tape(2, 30)))
    assert not caplog.records


# ---- threads, copies, other processes ----------------------------------------------------------------


def test_a_call_in_the_midst_of_a_call_spoils_neither():
    """As the handler of a signal may do, between any two lines."""
    product = compile(lambda x, y: x * y, inputs={"x": 2, "y": 2})
    three, five = np.full(2, 3.0), np.full(2, 5.0)
    product(three, three)
    within = []

    def tracer(frame, event, argument):
        if frame.f_code.co_name != "single":
            return None
        if event == "line":
            within.append(product(five, five))  # not traced itself
        return tracer

    previous = sys.gettrace()
    sys.settrace(tracer)
    try:
        found = product(three, three)
    finally:
        sys.settrace(previous)
    assert found.tolist() == [9.0, 9.0]
    assert len(within) > 5
    assert all(result.tolist() == [25.0, 25.0] for result in within)


def test_others_go_on_while_one_state_takes_long():
    spin = compile(lambda x, n: repeat(lambda s, i: scalar.sin(s) + x, x, n), inputs={"x": float, "n": float})
    spin(0.5, 10.0)
    done = threading.Event()
    seen = 0

    def count():
        nonlocal seen
        while not done.wait(1e-3):
            seen += 1

    other = threading.Thread(target=count)
    other.start()
    spin(0.5, 2e7)  # some tenths of a second
    done.set()
    other.join()
    assert seen > 20


def test_sixteen_threads_may_call_one_kernel():
    chosen = kernel(threads=2)

    def calls(seed):
        rng = np.random.default_rng(seed)
        for _ in range(40):
            k, count = int(rng.integers(0, 900)), int(rng.integers(1, 100))
            single = chosen(*(array[k] for array in data().values()))
            assert_same(single, truth(), k)
            part = {name: array[k : k + count] for name, array in data().items()}
            assert_same(chosen(**part), truth(), slice(k, k + count))
        return seed

    with shortest_pieces(), ThreadPoolExecutor(16) as pool:
        assert list(pool.map(calls, range(16))) == list(range(16))


def test_sixteen_threads_may_compile_at_once():
    def compiled(k):
        return compile(lambda x: scalar.sin(x) * float(k), inputs={"x": float})(np.ones(3))[0]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(compiled, range(1, 17)))
    assert np.allclose(found, np.sin(1.0) * np.arange(1, 17), rtol=1e-15)


def test_kernels_are_pickled_and_copied():
    original = Kernel(program("float32"), dtype="float32", threads=3, contract=False)
    expected = original(**data("float32"))
    for other in (pickle.loads(pickle.dumps(original)), copy.copy(original), copy.deepcopy(original)):
        assert (other.dtype, other.threads, other.contract) == ("float32", 3, False)
        assert other.program == original.program
        assert_same(other(**data("float32")), expected)


def test_a_kernel_goes_to_a_spawned_process_and_back():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(kernel(), [array[:50] for array in data().values()])
        (back,) = pool.map(copy.copy, [kernel()])
    assert_same(found, truth(), slice(50))
    assert_same(back(**data()), truth())


def test_kernels_that_nobody_holds_are_given_back():
    def cycle():
        holder = {"kernel": compile(lambda x, v: (x, v), inputs={"x": float, "v": 2})}
        holder["self"] = holder
        holder["kernel"](1.0, np.zeros(2))
        return weakref.ref(holder["kernel"])

    # The machine code goes in whatever order the collector likes; a crash would take this process along.
    references = [cycle() for _ in range(20)]
    gc.collect()
    assert all(reference() is None for reference in references)
    single = compile(lambda x, v: (x, v), inputs={"x": float, "v": 2})
    single(1.0, np.zeros(2))
    reference = weakref.ref(single)
    gc.disable()
    try:
        del single
        assert reference() is None  # at once: a kernel is in no cycle of its own
    finally:
        gc.enable()


INTERRUPTED = """
import signal, sys, time
import numpy as np
from quatrain import scalar
from quatrain.compiler import repeat, rollout, trace
from quatrain.compiler.kernel import Kernel
from quatrain.compiler.rollout_kernel import RolloutKernel

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin with it ignored
threads = int(sys.argv[1])
slow = lambda x: repeat(lambda y, i: scalar.sin(y) + x, x, x * 0.0 + 20000.0)
kernel = Kernel(trace(slow, {"x": float}), threads=threads)
step = lambda i, x, p, u: (slow(x), {"x": x})
rolled = RolloutKernel(rollout(step, state=float), threads=threads)
runs = [
    lambda n: kernel(np.zeros(n)),
    lambda n: kernel(np.zeros(n)),
    lambda n: rolled({"state": np.zeros(min(n, 500))}, n),
    lambda n: rolled({"state": np.zeros(())}, n * 100),
]
for run in runs:
    try:
        print("running", flush=True)
        run(1_000_000)
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
assert (kernel(np.zeros(9)) == 0).all() and (rolled({"state": np.zeros(3)}, 2).final["state"] == 0).all()
print("still usable", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_is_answered_within_a_tenth_of_a_second(threads):
    import signal
    import time

    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", INTERRUPTED, str(threads)]
    delays = []
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(4):
            assert process.stdout.readline() == "running\n"
            time.sleep(0.25)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            delays.append(float(process.stdout.readline()) - sent)
        assert process.stdout.readline() == "still usable\n"
    assert process.returncode == 0
    # The median: a busy machine may stop a process for longer.
    assert sorted(delays)[1] < 0.1


# ---- the cache ---------------------------------------------------------------------------------------


def test_the_second_kernel_takes_its_code_from_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / "cache"))
    first = Kernel(program())
    assert not first.from_cache
    expected = first(**data())
    again = Kernel(program())
    assert again.from_cache
    assert "from the cache in 0." in repr(again)
    assert_same(again(**data()), expected)
    for other in (copy.copy(first), pickle.loads(pickle.dumps(first))):
        assert other.from_cache
    # Whatever changes the code has another key.
    assert not Kernel(program(), contract=False).from_cache
    assert not Kernel(program("float32"), dtype="float32").from_cache
    assert not Kernel(trace(lambda x: x + 1.0, {"x": float})).from_cache
    assert Kernel(program(), threads=2).from_cache
    monkeypatch.setenv("QUATRAIN_CACHE", "off")
    assert not Kernel(program()).from_cache


CACHED = """
import numpy as np
from quatrain.compiler.kernel import Kernel
from tests.compiler.test_kernel import data, program
kernel = Kernel(program())
print(kernel.from_cache, *(array.tobytes().hex()[:64] for array in kernel(**data()).values()))
"""


def test_another_process_takes_the_code_from_the_cache(tmp_path):
    place = str(tmp_path / "cache")
    found = [in_another_process(CACHED, QUATRAIN_CACHE=place) for _ in range(2)]
    words = [done.stdout.split() for done in found]
    assert [w[:1] for w in words] == [["False"], ["True"]], found[0].stderr + found[1].stderr
    assert words[0][1:] == words[1][1:] == [truth()[name].tobytes().hex()[:64] for name in RESULTS]


def test_a_damaged_entry_of_the_cache_is_made_again(monkeypatch, tmp_path):
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / "cache"))
    expected = Kernel(program())(**data())
    for damage in (lambda b: b[:-100], lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b""):
        (entry,) = (tmp_path / "cache").iterdir()
        entry.write_bytes(damage(entry.read_bytes()))
        again = Kernel(program())
        assert not again.from_cache
        assert_same(again(**data()), expected)
        assert Kernel(program()).from_cache


# ---- without machine code ----------------------------------------------------------------------------


def test_without_llvmlite_the_interpreter_does_the_work_and_says_so_once(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    exact = program_of(some_tape(4, 60))
    with caplog.at_level(logging.WARNING, "quatrain"):
        slow = Kernel(exact)
        given = arguments((33,))
        found = slow(**given)
        out = {name: np.zeros_like(array) for name, array in found.items()}
        slow(**given, out=out)
        slow(np.array(1.0), np.zeros(3))
    (record,) = caplog.records
    assert record.getMessage() == (
        "llvmlite is not installed: random runs on the interpreter, much slower; pip install llvmlite"
    )
    expected = interpret.run(exact, given)
    for name, array in expected.items():
        assert same_bits(found[name], array)
        assert same_bits(out[name], array)
    assert "interpreter" in repr(slow)
    assert not slow.from_cache
    assert slow.source("listing")
    with pytest.raises(
        QuatrainError, match=r"random runs on the interpreter, so there is no machine code.*\n  To fix"
    ):
        slow.source("llvm")
    with pytest.raises(ArgumentError, match=r"y has shape \(2,\); random needs \(\.\.\., 3\)"):
        slow(1.0, [1.0, 2.0])


def test_without_llvmlite_a_result_may_overlap_an_argument(monkeypatch):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    slow, place = compile(turn, inputs={"v": 3}), data()["v"][:20].copy()
    expected = slow(place)
    slow(place, out=place)
    assert same_bits(place, expected)


WITHOUT = """
import sys
sys.modules["llvmlite"] = None
import numpy as np
from quatrain import scalar
from quatrain.compiler import rollout
from quatrain.compiler.kernel import compile
from quatrain.compiler.rollout_kernel import RolloutKernel
wave = compile(lambda x: scalar.sin(x) * 2.0, inputs={"x": float})
print(wave(0.0), wave(np.zeros(2)))
print(RolloutKernel(rollout(lambda i, x, p, u: (x + 1.0, {}), state=float))({"state": [1.0, 2.0]}, 3).final)
"""


def test_without_llvmlite_a_process_gets_along():
    done = in_another_process(WITHOUT)
    assert done.stdout == "0.0 [0. 0.]\n{'state': array([4., 5.])}\n", done.stderr


# ---- the work is cut into pieces ---------------------------------------------------------------------


def test_pieces_follow_from_what_an_element_has_taken():
    """At first a few elements, then as many as a piece has time for; whole blocks each time."""
    runner = Kernel(trace(lambda x: repeat(lambda y, i: y * 0.5 + x, x, 300), {"x": float})).runner
    width = runner.native.width
    assert runner._piece_size((0,) * 5, 10**6) == -(-native.ENOUGH_TO_MEASURE // width) * width
    for seconds in (1e-3, 1e-5, 1e-5):
        runner._learn(64 * seconds, 64)
    assert 1e-5 <= runner.seconds_per_element <= 1e-3
    size = runner._piece_size((0,) * 5, 10**6)
    assert size % width == 0
    assert 0 <= native.PIECE_SECONDS / runner.seconds_per_element - size < width
    runner._learn(10.0, 3)  # of too few elements nothing is learnt
    assert runner._piece_size((0,) * 5, 10**6) == size


def test_an_error_in_a_helping_thread_is_raised_where_the_call_is(monkeypatch):
    chosen = Kernel(program(), threads=3)
    before = native.Frame.__init__

    def failing(self, *arguments):
        before(self, *arguments)
        raise MemoryError("no memory for a work area")

    monkeypatch.setattr(native.Frame, "__init__", failing)
    with shortest_pieces(), pytest.raises(MemoryError, match="no memory for a work area"):
        chosen(**data())
    monkeypatch.undo()
    assert_same(chosen(**data()), truth())


# ---- past the caches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", [16, 20, 24, 36, 64, 13, 18])
def test_what_is_written_past_the_caches_has_the_same_bits(monkeypatch, dtype, count):
    """As large arrays are: here all of them, on boundaries of lines and off them, with rows apart, on two threads."""
    from quatrain.compiler.llvm import results
    from quatrain.compiler.native import aligned

    def numbers(x):
        return np.array([x[0] * k + x[1] if k % 3 else 7.0 * (k > 12) for k in range(count)], dtype=object)

    x = np.random.default_rng(count).normal(size=(67, 2)).astype(dtype)
    plain = compile(numbers, inputs={"x": 2}, dtype=dtype)(x)
    monkeypatch.setattr(results, "STREAMED", 0)
    size = plain.itemsize
    for threads in (1, 2):
        streaming = compile(numbers, inputs={"x": 2}, dtype=dtype, threads=threads)
        assert "icmp sge i64 %size, 0\n" in streaming.source("llvm")
        assert np.array_equal(streaming(x), plain)
        for start, apart in ((0, count), (1, count), (4, count), (0, count + 8), (32 // size, count + 3)):
            memory = aligned(size * (start + 67 * apart)).view(dtype)
            out = memory[start:].reshape(67, apart)[:, :count]
            assert np.array_equal(streaming(x, out=out), plain)
            memory[start:].reshape(67, apart)[:, :count] = 0.0
            assert not memory.any()  # nothing beside it was written


def test_large_results_begin_with_a_line():
    large = compile(lambda x: np.array([x, 2 * x, x, x], dtype=object), inputs={"x": float})(np.ones(50_000))
    assert large.ctypes.data % 64 == 0
    assert large.flags.writeable
    assert large.flags.c_contiguous


# ---- what may vary -----------------------------------------------------------------------------------


def _spring(x, stiffness=2.0, rest=(0.5, 0.25), matrix=np.eye(2)):  # noqa: B008 it is only read
    return stiffness * (matrix @ (x - np.array(rest)))


def test_default_values_fold_and_those_that_vary_stay_inputs():
    x = np.array([[1.0, 2.0], [3.0, -1.0]])
    folded = compile(_spring, inputs={"x": 2})
    varied = compile(_spring, inputs={"x": 2}, vary=["matrix", "stiffness"])
    assert [port.name for port in folded.program.inputs] == ["x"]
    assert [(p.name, p.shape) for p in varied.program.inputs] == [
        ("x", (2,)),
        ("matrix", (2, 2)),
        ("stiffness", ()),
    ]
    assert np.allclose(folded(x), [_spring(row) for row in x], rtol=1e-15)
    gains, turn = np.array([1.0, 10.0]), np.array([[0.0, -1.0], [1.0, 0.0]])
    expected = [_spring(row, stiffness=k, matrix=turn) for row, k in zip(x, gains, strict=True)]
    assert np.allclose(varied(x, turn, gains), expected, rtol=1e-15)
    assert np.allclose(varied(x, stiffness=gains, matrix=turn), expected, rtol=1e-15)
    parts = compile(_spring, inputs={"x": 2}, vary="rest")
    assert [port.name for port in parts.program.inputs] == ["x", "rest.0", "rest.1"]
    assert np.allclose(parts(x, (0.5, 0.25)), folded(x), rtol=1e-15)


@pytest.mark.parametrize("name", ["gain", "x"])
def test_only_arguments_with_a_default_vary(name):
    with pytest.raises(ArgumentError, match=f"vary names '{name}'; arguments .*: stiffness, rest, matrix"):
        compile(_spring, inputs={"x": 2}, vary=[name])
    with pytest.raises(ArgumentError, match="a program that is traced already"):
        compile(trace(_spring, {"x": 2}), vary=["stiffness"])


# ---- batches that lie as one before did --------------------------------------------------------------


def test_a_second_call_of_the_same_layout_is_checked_as_the_first_was():
    kernel = compile(lambda q, k: q * k, inputs={"q": 3, "k": float})
    q, k = np.arange(15.0).reshape(5, 3), np.arange(5.0)
    for _ in range(3):
        assert np.array_equal(kernel(q, k), q * k[:, None])
        assert np.array_equal(kernel(q[::-1], k), q[::-1] * k[:, None])
        out = np.empty((5, 3))
        assert kernel(q, k, out=out) is out
        assert np.array_equal(out, q * k[:, None])
        same = q.copy()
        assert np.array_equal(kernel(same, k, out=same), q * k[:, None])  # over its own argument
        for wrong in (np.empty((5, 4)), np.empty((5, 3), np.float32)):
            with pytest.raises(ArgumentError, match="out for out has shape"):
                kernel(q, k, out=wrong)
        frozen = np.empty((5, 3))
        frozen.flags.writeable = False
        with pytest.raises(ArgumentError, match="read-only"):
            kernel(q, k, out=frozen)
        # As many arrays as a call with out= has, and of the same shapes.
        with pytest.raises(ArgumentError, match="3 arguments came"):
            kernel(q, k, out)


def test_many_layouts_are_not_all_remembered():
    kernel = compile(lambda x: x + 1.0, inputs={"x": float})
    for n in range(1, 200):
        x = np.arange(float(n))
        assert np.array_equal(kernel(x), x + 1.0)
    assert len(kernel._repeated._plans) <= 64
