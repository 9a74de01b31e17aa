"""A robot's proof of itself: it passes on every kind of robot, and names what is broken on purpose."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import quatrain as qt
from quatrain import Robot
from quatrain.verify import verify
from tests.truth.random_trees import random_tree


@pytest.mark.parametrize("name", ["arm6", "quadruped", "humanoid", "gyroscope", "cart_pole"])
def test_every_road_leads_to_the_same_numbers(name):
    found = qt.examples.load(name).verify(states=6)
    assert found, str(found)
    assert found.suspects == ()
    assert max(check.figure for check in found.checks) < 1e-10
    assert found.smallest > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_also_on_trees_with_joints_of_every_kind(seed):
    found = Robot(random_tree(seed, 10)).verify(states=4)
    assert found, str(found)


# ---- differences ---------------------------------------------------------------------------------------

GRAVITY = "g = ∂V of differences"


def balance(excess):
    """Two weights of a ton on a beam, one of them a little farther out."""
    built = qt.ModelBuilder("balance")
    built.body("beam", joint="revolute", axis=(0, 1, 0), at=(0.0, 0.0, 2.0), mass=1.0, inertia=(1, 1, 1))
    for name, x in (("left", -1.0), ("right", 1.0 + excess)):
        built.body(name, parent="beam", joint="revolute", axis=(1, 0, 0),
            at=(x, 0.0, 0.0), mass=1000.0, inertia=(1, 1, 1))  # fmt: skip
    return built.model()


@pytest.mark.parametrize("excess", [0.0, 1e-9, 1e-6, 1e-3])
def test_weights_that_nearly_cancel_are_no_failure(excess):
    """The weights turn the beam with 10 kNm each: of g, and of differences of V, only rounding may be left."""
    found = Robot(balance(excess)).verify(states=8)
    assert found, str(found)


@pytest.mark.parametrize("name", ["arm6", "quadruped", "humanoid", "cart_pole"])
def test_an_error_of_one_in_a_hundred_million_is_found_by_differences(name):
    def lie(robot, value, *_):
        return value + 1e-8 * np.abs(value).max(axis=-1, keepdims=True)

    found = broken(name, "gravity_force", lie).verify(states=4)
    assert GRAVITY in [check.title for check in found.failures]
    assert found.suspects[0][0] == "gravity_force"


@pytest.mark.parametrize("excess", [1e-9, 1e-6, 1e-3])
def test_a_wrong_sign_is_found_by_differences_also_where_little_is_left(excess):
    class Broken(Robot):
        def gravity_force(self, q):
            return -np.array(super().gravity_force(q))

    found = Broken(balance(excess)).verify(states=8)
    assert GRAVITY in [check.title for check in found.failures]


def test_a_mass_matrix_that_is_nearly_singular_costs_digits_and_is_no_failure():
    """Two joints about one axis, with next to nothing in between: M⁻¹ takes the difference of nearly equal numbers."""
    built = qt.ModelBuilder("spindle")
    built.body("ring", axis=(0, 1, 0), mass=1e-3, inertia=(1e-7, 1e-7, 1e-7))
    built.body("wheel", parent="ring", axis=(0, 1, 0), mass=3.0, com=(0.3, 0.0, 0.1), inertia=(1, 1, 1))
    robot = Robot(built.model())
    found = robot.verify(states=8)
    assert found, str(found)
    assert found.smallest < 1e-7
    kind = type("Broken", (Robot,), {
        "forward_dynamics": lambda self, q, v, tau: -np.array(Robot.forward_dynamics(self, q, v, tau))})  # fmt: skip
    assert kind(robot.model).verify(states=8).suspects[0][0] == "forward_dynamics"


# ---- broken on purpose --------------------------------------------------------------------------------


def broken(name, method, lie):
    """A robot of which one method lies."""

    def lying(self, *arguments, **named):
        true = getattr(Robot, method)(self, *arguments, **named)
        return lie(self, np.array(true), *arguments, **named)

    return type("Broken", (Robot,), {method: lying})(model(name))


@cache
def model(name):
    return qt.examples.model(name)


def at(robot, joint):
    """Entries of v of a joint."""
    k = robot.model.joint_names.index(joint)
    first = robot.model.v_starts[k]
    return slice(first, first + robot.model.bodies[k].joint.nv)


def other_sign(joint):
    def lie(robot, value, *_, **__):
        value[..., at(robot, joint)] *= -1.0
        return value

    return lie


def a_hundredth_more(joint):
    """Of a row, which leaves M positive."""

    def lie(robot, value, *_, **__):
        value[..., at(robot, joint), :] *= 1.01
        return value

    return lie


def other_way(body):
    """A body's Jacobian with its linear rows reversed: M = Σ Jᵀ M J does not feel it."""

    def lie(robot, value, q, frame, *_, **__):
        if frame == body:
            value[..., :3, :] *= -1.0
        return value

    return lie


def without_row(joint):
    def lie(robot, value, *_, **__):
        value[..., at(robot, joint), :] = 0.0
        return value

    return lie


def in_other_axes(body):
    """Turned into the body's axes: the wrong frame."""

    def lie(robot, value, q, frame, *_, **__):
        if frame == body:
            value = Robot.jacobian(robot, q, frame, axes="body", point=robot.model.bodies[
                robot.body_names.index(body)].p_BBcm)  # fmt: skip
        return value

    return lie


def without_torsion(joint):
    """Symmetric in the first two, as if angular velocities were rates of coordinates."""

    def lie(robot, value, *_, **__):
        own = at(robot, joint)
        part = value[..., own, own, :]
        value[..., own, own, :] = (part + part.swapaxes(-3, -2)) / 2
        return value

    return lie


def about_the_origin(robot, value, q, v):
    """Angular momentum about the wrong point."""
    value[..., 3:] += np.cross(Robot.center_of_mass(robot, q), value[..., :3])
    return value


def without_gyroscopic_force(joint):
    def lie(robot, value, q, v, *_, **__):
        turned = np.einsum("...ab,...b->...a", Robot.coriolis_matrix(robot, q, v), v)
        value[..., at(robot, joint)] -= turned[..., at(robot, joint)]
        return value

    return lie


@pytest.mark.parametrize(
    ("name", "method", "lie", "joint"),
    [
        ("arm6", "gravity_force", other_sign("joint3"), "joint3"),
        ("arm6", "inverse_dynamics", without_gyroscopic_force("joint2"), "joint2"),
        ("arm6", "bias_force", without_gyroscopic_force("joint4"), "joint4"),
        ("arm6", "jacobian", in_other_axes("link4"), "joint4"),
        ("arm6", "christoffel", without_row("joint5"), "joint5"),
        ("arm6", "mass_matrix", without_row("joint6"), "joint6"),
        ("arm6", "mass_matrix", a_hundredth_more("joint2"), "joint2"),
        ("arm6", "mass_matrix_inverse", a_hundredth_more("joint3"), "joint3"),
        ("arm6", "jacobian", other_way("link5"), "joint5"),
        ("arm6", "forward_dynamics", other_sign("joint1"), "joint1"),
        ("arm6", "coriolis_matrix", without_row("joint3"), "joint3"),
        ("quadruped", "christoffel", without_torsion("root"), "root"),
        ("quadruped", "gravity_force", other_sign("FR_knee"), "FR_knee"),
        ("quadruped", "jacobian", other_way("FR_shank"), "FR_knee"),
        ("quadruped", "mass_matrix_inverse", without_row("HL_knee"), "HL_knee"),
        ("quadruped", "momentum", about_the_origin, ""),
    ],
)  # fmt: skip
def test_what_is_broken_is_named_with_its_joint(name, method, lie, joint):
    found = broken(name, method, lie).verify(states=4)
    assert not found
    assert found.suspects == ((method, joint),), str(found)
    said = f"{method} disagrees with all else" + (f", most at joint {joint!r}." if joint else ".")
    assert said in str(found)


def test_a_wrong_pose_is_named_with_its_joint():
    """Where a body is: its centre of mass, its velocity and its momentum feel it, its inertia does not."""

    class Broken(Robot):
        def poses(self, q):
            positions, quaternions = super().poses(q)
            positions = np.array(positions)
            positions[..., self.body_names.index("FL_shank"), 2] *= 1.001
            return positions, quaternions

    assert Broken(model("quadruped")).verify(states=4).suspects == (("poses", "FL_knee"),)


def test_two_faults_are_both_named():
    def lying(self, q):
        value = np.array(Robot.gravity_force(self, q))
        value[..., 2] *= -1.0
        return value

    def weightless(self, q, v):
        return 0.5 * Robot.kinetic_energy(self, q, v)

    kind = type("Broken", (Robot,), {"gravity_force": lying, "kinetic_energy": weightless})
    found = kind(model("arm6")).verify(states=4)
    assert {name for name, _ in found.suspects} == {"gravity_force", "kinetic_energy"}


def test_a_number_that_is_none_fails():
    found = broken("arm6", "bias_force", lambda robot, value, *_: value * np.nan).verify(states=2)
    assert found.suspects[0][0] == "bias_force"


# ---- the report -----------------------------------------------------------------------------------------


def test_the_report_fits_on_a_page_and_says_each_figure():
    found = qt.examples.load("arm6").verify(states=3)
    lines = str(found).splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) < 100
    assert lines[0] == "arm6: 18 checks on 3 random states"
    assert lines[-1] == "All agree to 1e-10, relative to the largest number of a state."
    for check in found.checks:
        assert any(check.title in line and f"{check.figure:.1e}" in line for line in lines)


def test_wrong_arguments_are_answered():
    robot = qt.examples.load("arm6")
    with pytest.raises(qt.ArgumentError, match=r"states is 0\.\n.*1 or more"):
        robot.verify(states=0)
    still = qt.ModelBuilder("rock").body("stone", joint="fixed", mass=1.0, inertia=(1, 1, 1)).model()
    with pytest.raises(qt.ArgumentError, match="rock cannot move"):
        verify(Robot(still))
