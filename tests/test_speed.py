"""`quatrain bench`: figures for every quantity and method, and MuJoCo's and Pinocchio's of the same machine."""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec

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
    assert max(map(len, lines)) < 80
    assert lines[2].split()[-2:] == ["MuJoCo", "Pinocchio"]
    named = [line[:23].strip() for line in lines]
    assert {name.replace("_", " ") for name in speed.QUANTITIES} <= set(named)
    assert {"rk4", "semi implicit euler"} <= set(named)
    assert all("s" in line[23:38] for line in lines if line.startswith(("inverse dynamics", "rk4")))
    assert "one step" not in bench("pendulum", "--batch", "8", "--methods", "none")


def test_figures_are_times_of_one():
    rows = {row.name: row.figures for row in speed.quantities(qt.examples.load("acrobot"), (1, 64))}
    assert all(0 < figure < 1e8 for row in rows.values() for figure in row[:2])
    assert math.isnan(rows["coriolis_matrix"][2])  # MuJoCo has none


def test_mujocos_machine_is_the_same():
    pytest.importorskip("mujoco")
    robot = qt.examples.load("arm6")
    mujoco, model = speed.mujoco_twin(robot)
    data = mujoco.MjData(model)
    q, v, _ = (array[0] for array in speed.states(robot, 1))
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    assert data.qacc == pytest.approx(robot.forward_dynamics(q, v, np.zeros(6)), rel=1e-9)


@pytest.mark.parametrize("name", ["arm6", "quadruped", "satellite", "cart_pole", "spherical_pendulum"])
def test_pinocchios_machine_is_the_same(name):
    pin = pytest.importorskip("pinocchio")
    robot = qt.examples.load(name)
    _, model = speed.pinocchio_twin(robot)
    there = qt.convert.pinocchio(robot)
    q, v, tau = (array[0] for array in speed.states(robot, 1))
    found = pin.aba(model, model.createData(), there.q_to(q), there.v_to(q, v), there.tau_to(q, tau))
    a = robot.forward_dynamics(q, v, tau)
    assert found == pytest.approx(there.a_to(q, v, a), rel=1e-9, abs=1e-9 * np.abs(a).max())
    calls = speed._pinocchio_calls(robot)
    assert set(calls) == set(speed.QUANTITIES)
    assert calls["forward_dynamics"]() == pytest.approx(found, rel=1e-12, abs=1e-12 * np.abs(a).max())
    M = robot.mass_matrix(q)
    full = np.triu(calls["mass_matrix"]())
    assert full + np.triu(full, 1).T == pytest.approx(there.mass_matrix_to(q, M), abs=1e-12 * np.abs(M).max())
    assert calls["energy"]() == pytest.approx(robot.energy(q, v), rel=1e-12)


@pytest.mark.skipif(find_spec("pinocchio") is None, reason="without Pinocchio")
def test_pinocchio_gets_joints_of_every_kind_that_it_has():
    built, matter = qt.ModelBuilder("all"), {"mass": 1.0, "com": (0.1, 0.2, 0.0), "inertia": (1.0, 1.2, 0.9)}
    built.body("planar", joint="planar", axis=("x", "y", "z"), **matter)
    built.body("crank", parent="planar", axis=(1, 2, 2), at=(0, 0, 1), armature=0.5, **matter)
    built.body("held", parent="crank", joint="fixed", at=(0.3, 0, 0), **matter)
    built.body("cross", parent="held", joint="universal", axis=("y", "z"), at=(0, 0.2, 0), **matter)
    built.body("wheel", parent="cross", joint="continuous", axis="y", body_at=(0, 0, 0.3), **matter)
    robot = built.body("slide", parent="crank", joint="prismatic", axis=(0, 3, 4), **matter).robot()
    pin, model = speed.pinocchio_twin(robot)
    there, (q, v, tau) = qt.convert.pinocchio(robot), (array[0] for array in speed.states(robot, 1))
    found = pin.aba(model, model.createData(), there.q_to(q), there.v_to(q, v), there.tau_to(q, tau))
    a = there.a_to(q, v, robot.forward_dynamics(q, v, tau))
    assert found == pytest.approx(a, rel=0, abs=1e-12 * np.abs(a).max())


def test_a_machine_that_a_peer_has_not_is_measured_alone(monkeypatch):
    rail = (
        qt.ModelBuilder("rail")
        .body("car", joint="cylindrical", axis="x", mass=1.0, inertia=(1, 1, 1))
        .robot()
    )
    assert speed.pinocchio_twin(rail) is None
    assert not speed._pinocchio_calls(rail)
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    assert speed.pinocchio_twin(qt.examples.load("arm6")) is None


def test_a_method_that_is_none_is_told():
    with pytest.raises(ArgumentError, match="there is no method 'rk5'"):
        bench("pendulum", "--methods", "rk5", "--batch", "8")
