"""The satellite with wheels and the tree of a hub and its wheels are one thing, moved by two sets of equations.

The gyrostat knows J, the axes and the axial inertias alone; the tree has every wheel as a body on a joint of its own,
and the recursions of trees know nothing of symmetric wheels.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import quatrain as qt
from quatrain import Quaternion, SymMat3, Vec3
from quatrain.equations import gyrostat
from quatrain.geometry import symmetric_outer
from tests.bodies import array
from tests.samples import rng
from tests.truth.wheels_as_bodies import Parts

COUNT = 50
# Inertias of these bodies have condition numbers of some ten, and sums run over up to five of them.
ROUNDING = 1e-13


def tree_of(parts: Parts) -> qt.Robot:
    """A free hub whose origin is anywhere, and each wheel on a joint at its own centre."""
    built = qt.ModelBuilder("satellite", gravity=(0, 0, 0))
    built.body("hub", joint="free", mass=parts.masses[0], com=parts.centres[0], inertia=parts.inertias[0])
    for k, (axis, centre) in enumerate(zip(parts.axes, parts.centres[1:], strict=True), 1):
        built.body(
            f"wheel{k}", parent="hub", joint="continuous", axis=tuple(axis), at=centre,
            mass=parts.masses[k], inertia=parts.inertias[k],
        )  # fmt: skip
    return built.robot()


def craft_of(parts: Parts) -> qt.Spacecraft:
    hub = qt.RigidBody(parts.masses[0], parts.inertias[0], parts.centres[0])
    wheels = [
        qt.Wheel(axis, j, mass=m, position=centre, transverse_inertia=across)
        for axis, j, m, centre, across in zip(
            parts.axes, parts.axial, parts.masses[1:], parts.centres[1:], parts.transverse, strict=True
        )
    ]
    return qt.Spacecraft.assembled(hub, wheels)


def states(robot: qt.Robot, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return robot.random_configuration(rng(seed), COUNT), rng(seed + 1).normal(size=(COUNT, robot.nv))


def as_rates(v: np.ndarray) -> tuple[Vec3, tuple[np.ndarray, ...]]:
    """ω of the hub and Ω of the wheels, out of the velocities or accelerations of the tree."""
    return Vec3.from_array(v[:, 3:6]), tuple(np.moveaxis(v[:, 6:], -1, 0))


@pytest.fixture(params=[(1, 201), (3, 203), (6, 205)], ids=lambda p: f"{p[0]} wheels")
def both(request):
    wheels, seed = request.param  # of a hub that matter can have
    parts = Parts.random(rng(seed), wheels)
    return tree_of(parts), craft_of(parts).gyrostat, parts


def test_hub_and_wheels_accelerate_as_the_tree_does(both):
    """Under motor torques and a couple on the hub; the wheels turn and the hub stands in any way."""
    robot, gyro, _ = both
    q, v = states(robot, 300)
    tau = rng(302).normal(size=(COUNT, robot.nv))
    tau[:, :3] = 0  # no force, so that the couple is the whole torque about the centre of mass
    w, speeds = as_rates(v)
    couple, motors = as_rates(tau)
    alpha, speed_rates = as_rates(robot.forward_dynamics(q, v, tau))
    found, found_rates = gyrostat.acceleration(gyro, w, speeds, motors, couple)
    scale = np.abs(array(alpha)).max()
    np.testing.assert_allclose(array(found), array(alpha), rtol=0, atol=ROUNDING * scale)
    np.testing.assert_allclose(found_rates, speed_rates, rtol=0, atol=ROUNDING * np.abs(speed_rates).max())


def test_momentum_and_energy_are_those_of_the_tree(both):
    """In space, about the centre of mass; beside the energy of the rotation stands that of the flight."""
    robot, gyro, parts = both
    q, v = states(robot, 303)
    w, speeds = as_rates(v)
    q_WB = Quaternion.from_array(q[:, 3:7])
    momentum = robot.momentum(q, v)
    h = array(q_WB.rotate(gyrostat.angular_momentum(gyro, w, speeds)))
    np.testing.assert_allclose(h, momentum[:, 3:], rtol=0, atol=ROUNDING * np.abs(h).max())
    flight = np.sum(momentum[:, :3] ** 2, axis=-1) / (2 * parts.masses.sum())
    np.testing.assert_allclose(
        gyrostat.kinetic_energy(gyro, w, speeds) + flight, robot.energy(q, v), rtol=ROUNDING
    )


def test_a_run_of_the_satellite_is_one_of_the_tree():
    """The tree by SciPy to 1e-12; the satellite in Runge–Kutta steps of 2 ms, 1e-10 at rates of about one."""
    parts = Parts.random(rng(203), 3)
    robot, craft = tree_of(parts), craft_of(parts)
    motors, couple, w0, speeds0 = (0.3, 0.2, -0.1), (0.1, -0.2, 0.3), (0.3, -0.2, 0.5), (1.0, 2.0, -3.0)
    q0 = Quaternion(1.0, 2.0, -1.0, 0.5).normalised()
    tau = np.array([0, 0, 0, *couple, *motors])

    def rates(t, y):
        q, v = y[: robot.nq], y[robot.nq :]
        turning = Quaternion(*q[3:7]).normalised()
        place = np.concatenate([q[:3], turning.to_array(), q[7:]])
        dq = np.concatenate([v[:3], turning.derivative(Vec3(*v[3:6])).to_array(), v[6:]])
        return np.concatenate([dq, robot.forward_dynamics(place, v, tau)])

    start = np.concatenate([[0, 0, 0], q0.to_array(), [0, 0, 0], [0, 0, 0], w0, speeds0])
    end = solve_ivp(rates, (0, 4.0), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    run = craft.simulate(
        q0, w0, speeds0, duration=4.0, dt=2e-3, torque=couple, control=lambda t, q, v, x, p: motors,
        record_every=2000,
    )  # fmt: skip
    np.testing.assert_allclose(run.w[-1], end[robot.nq + 3 : robot.nq + 6], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.wheel_speeds[-1], end[robot.nq + 6 :], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.wheel_angles[-1], end[7 : robot.nq], rtol=0, atol=1e-9)
    found, exact = Quaternion(*run.q[-1]), Quaternion(*end[3:7]).normalised()
    assert found.geodesic_distance(exact) < 1e-9


def test_the_embedded_satellite_with_its_panels_held_is_a_hub_with_three_wheels():
    """Held panels are parts of the hub, at whatever angle they stand: their drives take what it takes."""
    robot = qt.examples.load("satellite")
    panels = [k for k, name in enumerate(robot.v_names) if "drive" in name]
    wheels = [k for k, name in enumerate(robot.v_names) if "spin" in name]
    assert (len(panels), len(wheels)) == (2, 3)
    q, v = states(robot, 306)
    a = rng(308).normal(size=(COUNT, robot.nv))
    v[:, panels] = a[:, panels] = 0
    # Their centres of mass lie on the axis they turn about: that of the whole stays in the middle of the hub.
    a[:, :3] = 0
    pose = qt.Pose(Quaternion.from_array(q[:, 3:7]), Vec3.from_array(q[:, :3]))
    J = SymMat3.from_array(np.zeros((COUNT, 3, 3)))
    positions, turns = robot.poses(q)
    for k, body in enumerate(robot.model.bodies):
        # Everything about the hub's origin, in its axes: the wheels' own inertia does not change as they spin.
        X = pose.inverse() @ qt.Pose(Quaternion.from_array(turns[:, k]), Vec3.from_array(positions[:, k]))
        r = X.apply(body.p_BBcm)
        steiner = (SymMat3.identity() * r.norm_squared() - symmetric_outer(r)) * body.mass
        J = J + body.I_Bcm_B.rotated(X.q.to_matrix()) + steiner
    axes = tuple(Vec3(*row) for row in np.eye(3))
    spinning = [robot.model.bodies[1 + k].I_Bcm_B.zz for k in range(3)]
    gyro = gyrostat.Gyrostat(J, axes, tuple(spinning))
    w, alpha = Vec3.from_array(v[:, 3:6]), Vec3.from_array(a[:, 3:6])
    speeds, speed_rates = (tuple(x[:, k] for k in wheels) for x in (v, a))
    tau = robot.inverse_dynamics(q, v, a)
    torque = array(gyrostat.external_torque(gyro, w, alpha, speeds, speed_rates))
    scale = np.abs(torque).max()
    np.testing.assert_allclose(tau[:, 3:6], torque, rtol=0, atol=ROUNDING * scale)
    motors = gyrostat.motor_torques(gyro, alpha, speed_rates)
    np.testing.assert_allclose(tau[:, wheels].T, motors, rtol=0, atol=ROUNDING * scale)
