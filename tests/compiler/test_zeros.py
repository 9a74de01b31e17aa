"""Results that are zero whatever comes in: written, but not computed."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import scalar
from quatrain.compiler import interpret, trace
from quatrain.compiler.kernel import Kernel
from tests.compiler.machines import vectors_of

pytest.importorskip("llvmlite")


def sparse(x):
    """41 numbers, most of them zero; one zero is negative."""
    made = [0.0] * 41
    made[3], made[8], made[20], made[40] = scalar.sin(x[0]), -0.0, x[0] - x[1], x[0] * x[1]
    return {"some": np.array(made, dtype=object), "none": np.array([0.0] * 9, dtype=object)}


def program():
    return trace(sparse, {"x": 2})


@pytest.mark.parametrize("lanes", [None, 1, 2, 4, 8])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("layout", ["rows", "columns", "every other"])
def test_zeros_are_written_in_every_layout(lanes, dtype, layout):
    x = np.random.default_rng(1).normal(size=(19, 2)).astype(dtype)
    expected = interpret.run(program(), {"x": x}, dtype)
    kernel = Kernel(program(), dtype=dtype) if lanes is None else None
    if kernel is None:
        with vectors_of(lanes):
            kernel = Kernel(program(), dtype=dtype)
    for batch in (1, 7, 8, 16, 19):  # whole blocks, parts of one, both
        out = {name: laid(layout, batch, value.shape[-1], dtype) for name, value in expected.items()}
        kernel(x[:batch], out=out)
        for name, value in expected.items():
            # sin differs from the interpreter's in the last place.
            np.testing.assert_allclose(out[name], value[:batch], rtol=3e-7 if dtype == "float32" else 4e-16)
            np.testing.assert_array_equal(np.signbit(out[name]), np.signbit(value[:batch]))


def laid(layout, batch, count, dtype):
    """An array full of other numbers."""
    if layout == "rows":
        return np.full((batch, count), 9.0, dtype)
    if layout == "columns":
        return np.full((count, batch), 9.0, dtype).T
    return np.full((2 * batch, 2 * count), 9.0, dtype)[::2, ::2]


def test_tiles_that_hold_one_constant_are_known():
    from quatrain.compiler.llvm.results import still_tiles

    zero, one, moving = 0, 1, None
    assert still_tiles([zero] * 8 + [zero, one] * 4 + [one] * 8, 8) == (True, False, True)
    assert still_tiles([moving] * 8 + [zero] * 7 + [moving], 8) == (False, False)
