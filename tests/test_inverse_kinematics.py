"""Inverse kinematics: random reachable poses within limits, and what is said of those out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain import Robot
from tests.truth.random_trees import random_q, random_tree


def reachable(robot, count, seed):
    rng = np.random.default_rng(seed)
    return robot.pose(robot.random_configuration(rng, count), "hand"), rng


def assert_at(robot, found, target, frame, tolerance):
    """The poses themselves, not what the search says of them."""
    position, quaternion = robot.pose(found.q[found.reached], frame)
    wanted, turned = (part[found.reached] for part in target)
    assert np.abs(position - wanted).max() < tolerance
    # Not by the dot product, which is flat at 1: the vector part of the difference says it to first order.
    apart = (qt.Quaternion(*turned.T) @ qt.Quaternion(*quaternion.T).conjugate()).to_array()[..., 1:]
    assert np.abs(2 * apart).max() < tolerance


@pytest.mark.parametrize("name", ["arm6", "arm7"])
@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_poses_are_reached_from_random_starts_within_limits(name, count):
    """At least 98 of 100, to 1e-10; the others are named."""
    robot = qt.examples.load(name)
    target, rng = reachable(robot, count, 1)
    found = robot.inverse_kinematics(target, "hand", robot.random_configuration(rng, count))
    assert found.reached.mean() >= 0.98
    assert_at(robot, found, target, "hand", 1.1e-10)
    assert np.all(np.abs(found.q) <= 2.8)
    missed = ~found.reached
    assert np.all((found.distance[missed] > 1e-10) | (found.angle[missed] > 1e-10))
    np.testing.assert_array_equal(found.failed[:, 0], np.flatnonzero(missed))


def test_from_a_start_nearby_it_arrives_at_once():
    robot = qt.examples.load("arm7")
    rng = np.random.default_rng(0)
    q = 0.6 * robot.random_configuration(rng, 50)
    target = robot.pose(q, "hand")
    found = robot.inverse_kinematics(target, "hand", q + 0.02 * rng.normal(size=q.shape), starts=1)
    assert found
    assert np.abs(found.q - q).max() < 0.5


def test_a_target_out_of_reach_gets_the_nearest_pose_and_says_so():
    """A point far away: the arm stretches towards it, from the shoulder 0.15 m above ground, 0.98 m long."""
    robot = qt.examples.load("arm6")
    point = np.array([[3.0, 0.0, 0.15], [1.0, 2.0, 1.0], [0.0, 0.3, 0.5]])
    found = robot.inverse_kinematics(point, "hand")
    assert list(found.reached) == [False, False, True]
    assert not found
    beyond = np.linalg.norm(point[:2] - [0, 0, 0.15], axis=1) - 0.98
    np.testing.assert_allclose(found.distance[:2], beyond, rtol=1e-9)
    np.testing.assert_array_equal(found.angle, 0.0)
    text = str(found)
    assert text.startswith("1 of 3 targets reached\n  [0]: 2.02 m and 0 rad away after 20 starts")


def test_joints_at_a_limit_are_named():
    """An elbow that bends by half a radian at most."""
    robot = qt.examples.load("double_pendulum")
    found = robot.inverse_kinematics([0.0, 0.0, -0.5], "tip", limits=([-3, -0.5], [3, 0.5]), starts=5)
    assert not found
    assert abs(abs(found.q[1]) - 0.5) == 0.0
    # Two rods of 1 m at an angle of 0.5 reach 2 cos 0.25 at best inwards.
    np.testing.assert_allclose(found.distance, 2 * np.cos(0.25) - 0.5, rtol=1e-9)
    assert "with elbow at the limit" in str(found)


def test_limits_may_be_left_out():
    robot = qt.examples.load("double_pendulum")
    found = robot.inverse_kinematics([0.0, 0.0, -0.5], "tip", limits=None)
    assert found
    assert str(found) == "1 of 1 targets reached"


def test_the_batch_may_have_any_axes():
    robot = qt.examples.load("arm7")
    (position, quaternion), _ = reachable(robot, 6, 3)
    target = (position.reshape(2, 3, 3), quaternion.reshape(2, 3, 4))
    found = robot.inverse_kinematics(target, "hand", robot.neutral() + 0.5)
    assert found.q.shape == (2, 3, 7)
    assert found.reached.shape == found.distance.shape == found.angle.shape == (2, 3)


@pytest.mark.parametrize("seed", range(3))
def test_trees_with_ball_and_free_joints_are_no_exception(seed):
    robot = Robot(random_tree(seed, 6, root="free"))
    q = random_q(robot.model, np.random.default_rng(seed), 20)
    frame = robot.model.frames[1].name
    target = robot.pose(q, frame)
    found = robot.inverse_kinematics(target, frame)
    assert found
    assert_at(robot, found, target, frame, 1.1e-10)


def test_the_other_sign_of_a_quaternion_is_the_same_target():
    robot = qt.examples.load("arm7")
    (position, quaternion), _ = reachable(robot, 20, 5)
    q0 = np.zeros(7) + 0.3
    one = robot.inverse_kinematics((position, quaternion), "hand", q0)
    other = robot.inverse_kinematics((position, -quaternion), "hand", q0)
    np.testing.assert_allclose(one.q, other.q, atol=1e-9)


@pytest.mark.parametrize(
    ("target", "options", "text"),
    [
        ([1.0, 2.0], {}, r"target has shape \(2,\)\.\n.*pass a position \(\.\.\., 3\), or \(position, quaternion\)"),
        (([0, 0, 1], [1, 0, 0]), {}, r"target has parts of shapes \(3,\) and \(3,\)"),
        (([0, 0, 1], [2, 0, 0, 0]), {}, r"target has a quaternion of norm 2\.\n.*normalise it"),
        ([0, 0, 1], {"q0": [0.0]}, r"q0 has shape \(1,\); this robot needs \(\.\.\., 6\)"),
        ([0, 0, 1], {"limits": 3}, r"limits are not two rows of numbers\.\n.*of 6 numbers each"),
        ([0, 0, 1], {"limits": ([1] * 6, [0] * 6)}, r"limits of 'joint1' are the wrong way round"),
        ([0, 0, 1], {"frame": "paw"}, r"no frame 'paw'"),
        ([0, np.nan, 1], {}, r"target has the position nan at index \(1,\)\.\n.*leave out"),
        (([0, 0, 1], [np.inf, 0, 0, 0]), {}, r"target has the quaternion inf at index \(0,\)"),
        ("there", {}, r"the position of target is 'there', no array of numbers"),
        ([0, 0, 1], {"q0": [np.nan] * 6}, "q0 has entries that are not finite"),
        ([0, 0, 1], {"starts": 0}, r"starts is 0\.\n.*1 or more"),
        ([0, 0, 1], {"starts": 2.5}, r"starts is 2\.5\.\n.*a whole number"),
        ([0, 0, 1], {"iterations": 0}, r"iterations is 0"),
        ([0, 0, 1], {"tolerance": -1e-10}, r"tolerance is -1e-10\.\n.*above zero"),
        ([0, 0, 1], {"length": 0.0}, r"length is 0\.0"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_answered_with_what_and_what_to_do(target, options, text):
    robot = qt.examples.load("arm6")
    with pytest.raises(qt.ArgumentError, match=f"(?s){text}"):
        robot.inverse_kinematics(target, **{"frame": "hand", **options})
