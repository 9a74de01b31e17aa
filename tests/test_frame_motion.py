"""Jacobians of frames and points in every axes, seen from any frame: against finite differences and Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import ArgumentError, Robot, Vec3
from quatrain.equations import dynamics
from quatrain.equations.kinematics import AXES
from quatrain.examples import load
from tests.truth.random_trees import SINGLE, on_columns, random_state, random_tree
from tests.truth.trees_elsewhere import PinocchioTree

BATCH = 3
STEP = 1e-5
DIFFERENCES = 1e-8
"""Of central differences with that step: its square times third derivatives, and rounding of 1e-16 over the step."""
TOLERANCE = 1e-13
"""Some hundred roundings, relative to the largest number of the answer."""


class Case:
    """A tree, its states, and pairs of frames: on one branch, on two, on the ground."""

    def __init__(self, seed: int) -> None:
        self.model = random_tree(seed, 12)
        self.q, self.v, self.a = random_state(self.model, seed, BATCH)
        random = np.random.default_rng([20260402, seed])
        frames = [name for name in self.model.frame_names if name != "mark"]
        self.pairs = [(str(random.choice(frames)), "world"), (str(random.choice(frames)), "mark")]
        self.pairs += [("mark", str(random.choice(frames))), (frames[-1], frames[-1]), ("f0", "b0")]
        self.pairs += [tuple(map(str, random.choice(frames, 2, replace=False))) for _ in range(3)]
        self.point = Vec3(*map(float, random.normal(size=3)))

    def __call__(self, function, *states, **options):
        return on_columns(function, self.model, *states, **options)

    def at(self, t: float) -> np.ndarray:
        """q on a motion that has the velocities v + a t: a step by the mean of them, to second order."""
        return self(dynamics.integrate, self.q, self.v + self.a * (t / 2), dt=t)

    def rate(self, function, **options) -> np.ndarray:
        """d/dt on that motion of what depends on q and v."""
        ends = [function(self.at(t), self.v + self.a * t, **options) for t in (STEP, -STEP)]
        return (ends[0] - ends[1]) / (2 * STEP)


@pytest.fixture(params=range(4))
def case(request) -> Case:
    return Case(request.param)


def close(found, exact, tolerance=TOLERANCE):
    found, exact = np.broadcast_arrays(found, exact)
    assert np.max(np.abs(found - exact)) < tolerance * max(1.0, np.max(np.abs(exact)))


def rows(pair):
    """Linear and angular together (batch, 6)."""
    return np.concatenate(pair, axis=-1)


def rotation(q: np.ndarray) -> np.ndarray:
    """Matrices of quaternions (w, x, y, z) (batch, 3, 3)."""
    w, x, y, z = q.T
    return np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )


def pose(case: Case, q: np.ndarray, frame: str, seen_from: str, point: Vec3) -> tuple[np.ndarray, np.ndarray]:
    """Where the point is and how the frame stands, as matrices."""
    position, quaternion = case(dynamics.pose, q, frame=frame, relative_to=seen_from)
    R = rotation(quaternion)
    return position + R @ np.array(list(point)), R


def twist(case: Case, q: np.ndarray, v: np.ndarray, frame: str, seen_from: str, point: Vec3, axes: str):
    """From poses alone: ṗ and ω of Ṙ = [ω]× R, by differences along constant velocities."""
    ends = [pose(case, case(dynamics.integrate, q, v, dt=t), frame, seen_from, point) for t in (STEP, -STEP)]
    p, R = pose(case, q, frame, seen_from, point)
    linear = (ends[0][0] - ends[1][0]) / (2 * STEP)
    spin = (ends[0][1] - ends[1][1]) / (2 * STEP) @ R.transpose(0, 2, 1)
    angular = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
    if axes == "body":
        return np.concatenate([np.einsum("nji,nj->ni", R, x) for x in (linear, angular)], axis=-1)
    if axes == "spatial":
        linear = linear - np.cross(angular, p)
    return np.concatenate([linear, angular], axis=-1)


# ---- against poses --------------------------------------------------------------------------------------


@pytest.mark.parametrize("axes", AXES)
def test_jacobian_is_the_derivative_of_the_pose(case, axes):
    for frame, seen_from in case.pairs:
        J = case(dynamics.jacobian, case.q, frame=frame, point=case.point, axes=axes, relative_to=seen_from)
        exact = twist(case, case.q, case.v, frame, seen_from, case.point, axes)
        close(np.einsum("nij,nj->ni", J, case.v), exact, DIFFERENCES)


@pytest.mark.parametrize("axes", AXES)
def test_velocity_is_the_jacobian_times_v(case, axes):
    for frame, seen_from in case.pairs:
        options = {"frame": frame, "point": case.point, "axes": axes, "relative_to": seen_from}
        J = case(dynamics.jacobian, case.q, **options)
        found = rows(case(dynamics.frame_velocity, case.q, case.v, **options))
        close(found, np.einsum("nij,nj->ni", J, case.v))


@pytest.mark.parametrize("axes", AXES)
def test_rate_of_the_jacobian_times_v(case, axes):
    """d/dt(J v) = J a + J̇ v."""
    for frame, seen_from in case.pairs:
        options = {"frame": frame, "point": case.point, "axes": axes, "relative_to": seen_from}

        def velocity(q, v, options=options):
            return rows(case(dynamics.frame_velocity, q, v, **options))

        J = case(dynamics.jacobian, case.q, **options)
        bias = rows(case(dynamics.bias_acceleration, case.q, case.v, **options))
        close(np.einsum("nij,nj->ni", J, case.a) + bias, case.rate(velocity), DIFFERENCES)


def test_acceleration_is_the_second_derivative_of_the_place(case):
    """In the axes of the frame it is seen from, of which "body" are the components along the frame's own."""
    for frame, seen_from in case.pairs:
        options = {"frame": frame, "point": case.point, "relative_to": seen_from}

        def velocity(q, v, options=options):
            return rows(case(dynamics.frame_velocity, q, v, **options))

        found = rows(case(dynamics.frame_acceleration, case.q, case.v, case.a, **options))
        close(found, case.rate(velocity), DIFFERENCES)
        _, R = pose(case, case.q, frame, seen_from, case.point)
        own = case(dynamics.frame_acceleration, case.q, case.v, case.a, axes="body", **options)
        for world, body in zip((found[:, :3], found[:, 3:]), own, strict=True):
            close(np.einsum("nij,nj->ni", R, body), world)


def test_spatial_acceleration_is_the_rate_of_the_spatial_velocity(case):
    for frame, seen_from in case.pairs:
        options = {"frame": frame, "axes": "spatial", "relative_to": seen_from}

        def velocity(q, v, options=options):
            return rows(case(dynamics.frame_velocity, q, v, **options))

        found = rows(case(dynamics.frame_acceleration, case.q, case.v, case.a, **options))
        close(found, case.rate(velocity), DIFFERENCES)


def test_joints_that_carry_both_frames_do_not_count(case):
    """Exactly: their columns are zero."""
    for frame, seen_from in case.pairs:
        J = case(dynamics.jacobian, case.q, frame=frame, relative_to=seen_from)
        moving = np.any(J != 0.0, axis=(0, 1))
        carrying = [_way(case.model, name) for name in (frame, seen_from)]
        for k in set(carrying[0]) & set(carrying[1]):
            body = case.model.bodies[k]
            start = case.model.v_starts[k]
            assert not np.any(moving[start : start + body.joint.nv])


def _way(model, frame: str) -> list[int]:
    """The bodies from a frame to the ground."""
    k, found = model.frame(frame).body, []
    while k >= 0:
        found.append(k)
        k = model.bodies[k].parent
    return found


# ---- against Pinocchio ----------------------------------------------------------------------------------


THEIRS = {
    "world": "LOCAL_WORLD_ALIGNED",
    "mixed": "LOCAL_WORLD_ALIGNED",
    "body": "LOCAL",
    "spatial": "WORLD",
}


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("seed", range(3))
def test_axes_are_those_that_pinocchio_calls_otherwise(seed, axes):
    """Without joints that are composites there, in which its derivative of J (4.1) leaves out their inner motion."""
    pin = pytest.importorskip("pinocchio")
    model = random_tree(seed, 12, (*SINGLE, "ball", "fixed"))
    there, named = PinocchioTree(model), getattr(pin.ReferenceFrame, THEIRS[axes])
    frame = model.frame_names[-2]
    number = there.model.getFrameId(frame)
    q, v, a = random_state(model, seed, BATCH)
    J = on_columns(dynamics.jacobian, model, q, frame=frame, axes=axes)
    velocity = rows(on_columns(dynamics.frame_velocity, model, q, v, frame=frame, axes=axes))
    bias = rows(on_columns(dynamics.bias_acceleration, model, q, v, frame=frame, axes=axes))
    acceleration = rows(on_columns(dynamics.frame_acceleration, model, q, v, a, frame=frame, axes=axes))
    for k in range(BATCH):
        theirs = there.q(q[k])
        pin.computeJointJacobiansTimeVariation(there.model, there.data, theirs, v[k])
        pin.forwardKinematics(there.model, there.data, theirs, v[k], a[k])
        pin.updateFramePlacements(there.model, there.data)
        close(J[k], pin.getFrameJacobian(there.model, there.data, number, named))
        rate = pin.getFrameJacobianTimeVariation(there.model, there.data, number, named)
        close(bias[k], rate @ v[k])
        close(velocity[k], pin.getFrameVelocity(there.model, there.data, number, named).vector)
        kind = pin.getFrameAcceleration if axes == "spatial" else pin.getFrameClassicalAcceleration
        close(acceleration[k], kind(there.model, there.data, number, named).vector)


# ---- from arrays ----------------------------------------------------------------------------------------


def test_robot_answers_as_the_equations_do():
    robot = load("quadruped")
    q, v, a = random_state(robot.model, 0, BATCH)
    frame, base = robot.body_names[-1], robot.body_names[0]
    options = {"point": (0.1, -0.2, 0.3), "axes": "spatial", "relative_to": base}
    there = {**options, "frame": frame, "point": Vec3(0.1, -0.2, 0.3)}
    close(robot.jacobian(q, frame, **options), on_columns(dynamics.jacobian, robot.model, q, **there))
    for found, function, states in (
        (robot.velocity(q, v, frame, **options), dynamics.frame_velocity, (q, v)),
        (robot.acceleration(q, v, a, frame, **options), dynamics.frame_acceleration, (q, v, a)),
        (robot.bias_acceleration(q, v, frame, **options), dynamics.bias_acceleration, (q, v)),
    ):
        close(rows(found), rows(on_columns(function, robot.model, *states, **there)))


def test_other_axes_are_refused_by_name():
    robot: Robot = load("arm6")
    with pytest.raises(ArgumentError, match="axes is 'local'") as caught:
        robot.jacobian(robot.neutral(), robot.body_names[-1], axes="local")
    assert "'world', 'mixed', 'body', 'spatial'" in caught.value.do
