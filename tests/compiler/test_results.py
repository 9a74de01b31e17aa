"""Results that stand in several places, are constants or inputs, or are fewer or more than a vector has lanes."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import scalar
from quatrain.compiler import interpret, trace
from quatrain.compiler.kernel import Kernel
from quatrain.compiler.llvm.regions import STRAIGHT
from tests.compiler.machines import vectors_of

pytest.importorskip("llvmlite")

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 33)


def mixed(x):
    """Arrays of many sizes whose entries repeat: computed once, an input, a constant."""
    computed = x[0] * x[1] + 1.5
    kinds = [computed, x[1], 2.0, computed - x[0], 0.0, computed, x[1], 2.0, 2.0]
    return {f"of{n}": np.array([kinds[(k * k) % 9] for k in range(n)], dtype=object) for n in SIZES}


def long(x):
    """More operations than one function holds; the results repeat and some are made early."""
    values = [x[0], x[1]]
    for k in range(STRAIGHT):
        values.append(values[-1] * 0.5 + values[-2 - k % 2])
    return {
        "some": np.array([values[5], values[-1], values[5], x[0], values[-7], values[2000]] * 3, dtype=object)
    }


@pytest.mark.parametrize("lanes", [None, 1, 2, 4, 8])
@pytest.mark.parametrize("layout", ["rows", "columns", "every other"])
@pytest.mark.parametrize("function", [mixed, long])
def test_results_are_the_interpreters_in_every_layout_and_nothing_else_is_written(function, lanes, layout):
    program = trace(function, {"x": 2})
    x = np.random.default_rng(1).normal(size=(19, 2))
    expected = interpret.run(program, {"x": x})
    if lanes is None:
        kernel = Kernel(program, contract=False)
    else:
        with vectors_of(lanes):
            kernel = Kernel(program, contract=False)
    for batch in (1, 7, 8, 16, 19):  # whole blocks, parts of one, both
        whole = {name: laid(layout, batch, value.shape[-1]) for name, value in expected.items()}
        out = {name: views for name, (_, views) in whole.items()}
        kernel(x[:batch], out=out)
        for name, value in expected.items():
            np.testing.assert_array_equal(out[name], value[:batch])
            out[name][...] = 9.0
            assert np.all(whole[name][0] == 9.0), "numbers beside the array were written"


def laid(layout, batch, count):
    """A piece of memory full of nines, and the part of it that is to be written."""
    if layout == "rows":
        memory = np.full((batch + 2, count), 9.0)
        return memory, memory[1:-1]
    if layout == "columns":
        memory = np.full((count, batch + 16), 9.0)
        return memory, memory[:, 8:-8].T
    memory = np.full((2 * batch, 2 * count), 9.0)
    return memory, memory[::2, ::2]


def test_a_result_does_not_depend_on_what_else_is_asked_for():
    """Bit for bit, though cells and tiles differ."""
    x = np.random.default_rng(2).normal(size=(40, 2))
    together = Kernel(trace(mixed, {"x": 2}))(x)
    for n in SIZES:
        alone = Kernel(trace(lambda x, n=n: mixed(x)[f"of{n}"], {"x": 2}))(x)
        np.testing.assert_array_equal(alone, together[f"of{n}"])


def test_sine_stands_in_a_matrix_and_its_transpose_once():
    """A symmetric matrix takes as many operations as its half."""

    def half(x):
        return np.array([scalar.sin(x[0]), x[0] * x[1], x[1]], dtype=object)

    def whole(x):
        a, b, c = half(x)
        return np.array([[a, b], [b, c]], dtype=object)

    assert sum(Kernel(trace(whole, {"x": 2})).operations.values()) == 2
