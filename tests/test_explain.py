"""Where a NaN comes from: by name, operation and line, backwards along what was taken."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain import Control, Vec3, where
from quatrain.compiler import compile, repeat
from quatrain.scalar import sqrt


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def test_the_operation_and_the_line_in_which_a_number_fails():
    def distance(x, y):
        inside = 1 - x * x
        root = sqrt(inside)
        return {"far": root + y, "near": y / 2}

    kernel = compile(distance, inputs={"x": float, "y": float})
    found = kernel.explain([0.5, 2.0], 3.0)
    assert found.quantities["near"].tolist() == [1.5, 1.5]
    assert found.fault.operation == "sqrt"
    assert found.fault.operands == (-3.0,)
    assert found.fault.element == (1,)
    assert found.fault.origin.line == line_of(distance, 2)
    assert (
        f"far of motion 1 is not finite: sqrt(-3) is nan, at tests/test_explain.py:{line_of(distance, 2)}"
        in str(found)
    )
    good = kernel.explain(0.5, 3.0)
    assert good.fault is None
    assert str(good).endswith("All numbers are finite.")


def test_a_side_that_is_not_taken_is_no_ones_fault():
    def safe(x):
        return where(x > 0, sqrt(x), 1 / x), 1 / (x - 2)

    kernel = compile(safe, inputs={"x": float})
    assert kernel.explain(-1.0).fault is None
    fault = kernel.explain(2.0).fault
    assert (fault.operation, fault.output) == ("divide", "out.1")
    assert fault.value == np.inf


def test_what_came_in_is_told_as_such_and_loops_are_gone_through():
    def looped(x, n):
        return repeat(lambda s, k: s * 0.5, sqrt(x), n)

    kernel = compile(looped, inputs={"x": float, "n": float})
    assert kernel.explain(-1.0, 3.0).fault.operation == "sqrt"
    assert "nan came in" in str(kernel.explain(np.nan, 3.0))
    within = compile(lambda x: repeat(lambda s, k: s / (k - 1), x, 3), inputs={"x": float})
    assert within.explain(1.0).fault.operation == "loop"


def test_a_vector_is_told_by_its_entry():
    kernel = compile(lambda v: v / v.x, inputs={"v": Vec3})
    fault = kernel.explain(np.array([0.0, 1.0, 2.0])).fault
    assert fault.output == "out[0]"
    assert fault.operation == "divide"


def test_a_run_explains_law_forces_and_acceleration():
    model = qt.examples.model("acrobot")

    def law(t, q, v, x, p):
        return [-p["k"] * q[0], sqrt(1 - v[1])]

    def wind(s):
        return {"tip": (Vec3(2.0, 0, 0), Vec3.zero())}

    run = qt.TreeSimulation(model, control=law, forces=[wind], parameters=["k"])
    found = run.explain([0.3, 0.1], [0.0, 0.5], parameters={"k": 4.0})
    names = list(found.quantities)
    assert names == ["control", "passive force", "force 0 wind, tip", "bias force", "acceleration"]
    assert found.quantities["control"] == pytest.approx([-1.2, np.sqrt(0.5)])
    assert found.quantities["force 0 wind, tip"].tolist() == [2.0, 0, 0, 0, 0, 0]
    robot = qt.Robot(model)
    expected = robot.forward_dynamics(
        [0.3, 0.1], [0.0, 0.5], [-1.2, np.sqrt(0.5)], external={"tip": ((2.0, 0, 0), (0, 0, 0))}
    )
    assert found.quantities["acceleration"] == pytest.approx(expected, rel=1e-12)
    assert found.fault is None
    bad = run.explain([0.3, 0.1], [0.0, 2.0], parameters={"k": 4.0})
    assert bad.fault.output == "control[1]"
    assert bad.fault.origin.line == line_of(law, 1)
    assert bad.fault.origin.function == "law"


def test_a_law_with_a_state_is_explained_from_its_start():
    law = Control(lambda t, q, v, x, p: ([x["i"] * 2, x["a"][1]], x), start={"i": 1.5, "a": [0.0, 4.0]})
    found = qt.TreeSimulation(qt.examples.model("acrobot"), control=law).explain([0.3, 0.1], [0.0, 0.5])
    assert found.quantities["control"].tolist() == [3.0, 4.0]
    assert "acceleration" in str(found)
