"""`quatrain bench`: figures for every quantity and method, and MuJoCo's of the same machine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from typer.testing import CliRunner

import quatrain as qt
from quatrain import ArgumentError, speed
from quatrain.cli import app


@pytest.fixture(autouse=True)
def hurried(monkeypatch, tmp_path):
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path))
    monkeypatch.setattr(speed, "LEAST", 0.0)


def bench(*words):
    result = CliRunner().invoke(app, ["bench", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_every_quantity_and_method_has_its_line():
    text = bench("acrobot", "--batch", "64", "--methods", "rk4,semi_implicit_euler")
    lines = text.splitlines()
    assert lines[0].startswith("acrobot: 2 bodies, nv 2.")
    named = [line[:26].strip() for line in lines]
    assert {name.replace("_", " ") for name in speed.QUANTITIES} <= set(named)
    assert {"rk4", "semi implicit euler"} <= set(named)
    assert all("s" in line[26:40] for line in lines if line.startswith(("inverse dynamics", "rk4")))
    assert "one step" not in bench("pendulum", "--batch", "8", "--methods", "none")


def test_figures_are_times_of_one():
    rows = {row.name: row.figures for row in speed.quantities(qt.examples.load("acrobot"), (1, 64))}
    assert all(0 < figure < 1e8 for row in rows.values() for figure in row[:2])
    assert math.isnan(rows["coriolis_matrix"][-1])


def test_mujocos_machine_is_the_same():
    pytest.importorskip("mujoco")
    robot = qt.examples.load("arm6")
    mujoco, model = speed.mujoco_twin(robot)
    data = mujoco.MjData(model)
    q, v, _ = (array[0] for array in speed.states(robot, 1))
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    assert data.qacc == pytest.approx(robot.forward_dynamics(q, v, np.zeros(6)), rel=1e-9)


def test_a_method_that_is_none_is_told():
    with pytest.raises(ArgumentError, match="there is no method 'rk5'"):
        bench("pendulum", "--methods", "rk5", "--batch", "8")
