"""What a newcomer writes first works, and what he gets wrong first is answered."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain.checking import repair
from quatrain.cli.bench import bench
from quatrain.equations.tree_motion import Named


def test_coordinates_are_added_and_multiplied_entry_by_entry():
    q, v = (Named.of(values, {"elbow": 1}) for values in ((1.0, 2.0), (0.5, -4.0)))
    assert -10 * q - v == (-10.5, -16.0)
    assert (q - 0.5) / 2 == (0.25, 0.75)
    assert -q + [1.0, 1.0] == (0.0, -1.0)
    assert [1.0, 1.0] - q == (1.0, 1.0) - q == (0.0, -1.0)
    ones = (1.0, 1.0)
    assert ones + q == 1 + q == (2.0, 3.0)
    assert (2 * q)["elbow"] == 4.0
    assert q * (3.0, 5.0) == (3.0, 10.0)
    with pytest.raises(
        qt.ArgumentError, match=r"2 numbers are combined with 3.\n  To fix: take entries by index"
    ):
        q - (1.0, 2.0, 3.0)


def test_the_first_law_that_everyone_writes():
    robot = qt.examples.load("double_pendulum")
    found = [
        robot.simulate([0.3, 0.2], duration=0.5, dt=1e-2, control=law)
        for law in (
            lambda t, q, v, x, p: -10 * q - v,
            lambda t, q, v, x, p: [-10 * q[k] - v[k] for k in (0, 1)],
        )
    ]
    assert np.array_equal(found[0].q, found[1].q)


def test_a_parameter_that_nobody_gave_is_named():
    robot = qt.examples.load("pendulum")
    with pytest.raises(
        qt.ArgumentError, match="the parameter 'k' is read, and was not given; given are: none"
    ) as told:
        robot.simulate([0.1], duration=0.1, control=lambda t, q, v, x, p: [-p["k"] * q[0]])
    assert "parameters={'k': …}" in str(told.value)


def test_a_frame_by_number_and_events_without_a_name():
    robot = qt.examples.load("arm6")
    with pytest.raises(
        qt.ArgumentError, match=r"a frame is named 3, which is no text.\n  To fix: pass its name, such as "
    ):
        robot.jacobian(robot.neutral(), 3)
    with pytest.raises(qt.ArgumentError, match=r"events is a function.\n  To fix: give each a name"):
        robot.simulate(duration=0.1, events=lambda t, q, v: q[0])


def test_a_page_into_a_folder_that_is_not_there(tmp_path):
    robot = qt.examples.load("pendulum")
    with pytest.raises(qt.ArgumentError, match=r"the page cannot be written to .*No such file"):
        robot.to_html(tmp_path / "nowhere" / "page.html")


def test_a_batch_of_nothing_is_not_measured():
    with pytest.raises(qt.ArgumentError, match="--batch is 0"):
        bench("arm6", batch=0)


def test_a_file_is_not_repaired_into_itself(tmp_path):
    file = tmp_path / "arm.urdf"
    qt.save(qt.examples.model("arm6"), file)
    before = file.read_bytes()
    with pytest.raises(qt.ArgumentError, match=r"arm.urdf would be written over, and lose its comments"):
        repair(file, file)
    assert file.read_bytes() == before


def test_a_mass_below_zero_is_refused_as_a_parameter():
    robot = qt.examples.load("pendulum")
    with pytest.raises(qt.ArgumentError, match=r"the parameter 'bob.mass' has a mass below zero"):
        robot.simulate([0.1], duration=0.1, parameters={"bob.mass": [1.0, -2.0]})
