"""`quatrain simulate` as its user reads it, and the starts and curves that it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import quatrain as qt
from quatrain import ArgumentError, QuatrainError, Trajectory
from quatrain.cli import app
from quatrain.curves import chart, curve
from quatrain.starts import SHOWN, starts


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def simulate(*words):
    result = CliRunner().invoke(app, ["simulate", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_gyroscope_is_worth_seeing_at_once():
    result = simulate("gyroscope")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [lines[k].split()[0] for k in (0, 3, 6)] == ["precession", "nutation", "spin"]
    assert all(any("\u2801" <= letter <= "\u28ff" for letter in line) for line in lines[:9])
    assert max(map(len, lines)) <= 80
    assert "gyroscope: 0 to 5 s; rk4, 5,000 steps of 0.001 s; 501 records" in result.output
    assert "energy [J]" in result.output


@pytest.mark.parametrize("name", [*SHOWN, "arm6", "humanoid"])
def test_every_example_begins_with_something_that_moves(name):
    robot = qt.examples.load(name)
    q0, v0 = starts(robot)
    assert np.any(v0) or np.abs(robot.forward_dynamics(q0, v0, np.zeros(robot.nv))).max() > 0.1


def test_the_command_and_python_give_the_same_bits(tmp_path):
    out = tmp_path / "run.zarr"
    simulate(
        "arm6",
        "--batch",
        5,
        "--seed",
        3,
        "--time",
        0.2,
        "--method",
        "semi_implicit_euler",
        "--out",
        out,
        "--threads",
        2,
    )
    robot = qt.examples.load("arm6")
    run = robot.simulate(*starts(robot, batch=5, seed=3), duration=0.2, dt=1e-3, method="semi_implicit_euler")
    stored = Trajectory.load(out)
    assert np.array_equal(stored.q, run.q)
    assert np.array_equal(stored.v, run.v)
    again = simulate(
        "arm6",
        "--batch",
        5,
        "--seed",
        3,
        "--time",
        0.2,
        "--method",
        "semi_implicit_euler",
        "--out",
        out,
        "--resume",
    )
    assert again.exit_code == 0


def test_coordinates_velocities_and_parts_are_set(tmp_path):
    out = tmp_path / "run.csv"
    result = simulate(
        "spherical_pendulum", "--time", 0.1, "--out", out, "--set", "pivot=0.6,0.8,0,0", "--set", "v.pivot=0,0,1.5",
        "--set", "bob.mass=2", "--set", "pivot.damping=0.1,0.1,0.1",
    )  # fmt: skip
    assert result.output.rstrip().endswith(f"written: {out}")
    run = Trajectory.load(out)
    assert run.q[0].tolist() == [0.6, 0.8, 0.0, 0.0]
    assert run.v[0].tolist() == [0.0, 0.0, 1.5]


def test_held_and_floating_arms_stay(tmp_path):
    for control in ("hold", "gravity"):
        out = tmp_path / f"{control}.csv"
        simulate("arm6", "--control", control, "--time", 0.5, "--out", out)
        run = Trajectory.load(out)
        assert np.abs(run.q - run.q[0]).max() < 1e-9


def test_a_law_from_a_file(tmp_path):
    file, out = tmp_path / "swing.py", tmp_path / "run.csv"
    file.write_text("def law(t, q, v, x, p):\n    return [2.0 - v[0]]\n")
    simulate("pendulum", "--control", f"{file}:law", "--time", 0.1, "--out", out)
    assert Trajectory.load(out)["tau"][0, 0] == 2.0


def test_pictures_and_pages_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    simulate("pendulum", "--time", 0.1, "--plot", tmp_path / "run.png", "--html", tmp_path / "run.html")
    assert (tmp_path / "run.png").stat().st_size > 1000
    assert (tmp_path / "run.html").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing"], "there is no file 'nothing', and no such example"),
        (["arm6", "--set", "joint9=1"], r"--set names 'joint9', which is nothing of arm6.\n.*joint1, joint2"),
        (["arm6", "--set", "joint1"], r"--set 'joint1' is not a name and numbers"),
        (["spherical_pendulum", "--set", "pivot=1,2"], r"gives 2 numbers for 4"),
        (["arm6", "--control", "magic"], r"--control is 'magic'.\n.*gravity, hold, or a function in a file"),
        (["arm6", "--control", "nowhere.py:law"], "nowhere.py cannot be read"),
        (["arm6", "--method", "rk5"], "there is no method 'rk5'"),
        (["arm6", "--batch", "0"], "a batch of 0"),
        (["arm6", "--dt", "0"], "dt is 0.0 s"),
    ],
)
def test_what_cannot_be_is_told(words, says):
    with pytest.raises(QuatrainError, match=says):
        simulate(*words)


def test_curves_go_where_their_values_go():
    rising = curve(np.linspace(0, 1, 50), width=10, height=2)
    assert [len(line) for line in rising] == [10, 10]
    assert rising[0][:4] == "\u2800" * 4
    assert rising[1][-4:] == "\u2800" * 4
    assert rising[0][-1] != "\u2800" != rising[1][0]
    assert curve([1.0, 1.0], width=3, height=1) == ["\u2824" * 3]
    assert curve([np.nan, np.nan], width=3, height=1) == ["   "]
    half = curve([0.0] * 50 + [np.nan] * 50, width=10, height=1)[0]
    assert half[-4:] == "\u2800" * 4
    lines = chart([0.0, 2.0], [("angle of the very long joint", "rad", [0.0, 3.0])], width=60)
    assert lines[0].startswith("angle of the very… ")
    assert lines[0].endswith(" 3")
    assert lines[1].startswith("rad ")
    assert lines[-1].split() == ["0", "2", "s"]


def test_starts_that_cannot_be():
    with pytest.raises(ArgumentError, match="a batch of 0"):
        starts(qt.examples.load("arm6"), batch=0)
