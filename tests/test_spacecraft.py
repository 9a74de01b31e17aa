"""Runs of a satellite with wheels: against closed forms, SciPy on separate bodies, and one motion in both frames."""

from __future__ import annotations

import math
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import ArgumentError, Quaternion, SymMat3, Vec3, where
from quatrain.body import RigidBody
from quatrain.control import Control, Event
from quatrain.equations import gyrostat, gyrostat_in_orbit, libration, wheel_control
from quatrain.equations.gyrostat import Gyrostat
from quatrain.spacecraft import Orbit, Spacecraft, Wheel
from quatrain.steppers import METHODS
from tests.bodies import array, close
from tests.samples import rng
from tests.truth.wheels_as_bodies import Parts


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


def pyramid(inertia=(3.0, 4.0, 5.0), j=0.05, **limits):
    return Spacecraft(
        inertia, [Wheel(a, j, name=f"w{k}", **limits) for k, a in enumerate(wheel_control.pyramid(0.6))]
    )


def unit(*components):
    q = np.array(components, float)
    return q / np.linalg.norm(q)


def assembled(wheels):
    """A satellite of separate bodies, as truth and as ours."""
    parts = Parts.random(rng(200 + wheels), wheels)
    hub = RigidBody(parts.masses[0], parts.inertias[0], parts.centres[0])
    given = [
        Wheel(
            parts.axes[k],
            parts.axial[k],
            mass=parts.masses[k + 1],
            position=parts.centres[k + 1],
            transverse_inertia=parts.transverse[k],
        )
        for k in range(wheels)
    ]
    return parts, Spacecraft.assembled(hub, given)


GENTLE = {"duration": 6.0, "dt": 0.01}

# ---- against others --------------------------------------------------------------------------------


def test_one_wheel_as_in_the_closed_form():
    """Benchmark 5.1: a motor torque of 0.2 N m from 5 s on."""
    j = 100 / (6000 * 2 * math.pi / 60)
    craft = Spacecraft((2.0, 2.0, 2.0 + j), [Wheel((0, 0, 1), j)])

    def motor(t, q, v, x, p):
        return [where(t >= 5.0, 0.2, 0.0)]

    speed = 100 * 2 * math.pi / 60
    run = craft.simulate(w0=(0, 0, 0.35), wheel_speeds=[speed], duration=10.0, dt=0.01, control=motor)
    assert run.w[-1, 2] == pytest.approx(-0.15, abs=1e-13)
    assert 2 * math.atan2(run.q[-1, 3], run.q[-1, 0]) == pytest.approx(2.25, abs=1e-12)
    assert run.wheel_speeds[-1, 0] == pytest.approx(17.255160819145566, abs=1e-12)
    # The wheel's angle: its speed grows by (2 + j) 0.2/(2 j) per second for five seconds.
    growth = (2 + j) * 0.2 / (2 * j)
    assert run.wheel_angles[-1, 0] == pytest.approx(10 * speed + growth * 12.5, abs=1e-10)
    assert run.drift("momentum")[1] < 1e-13


@pytest.mark.parametrize("wheels", [1, 3])
def test_a_run_is_that_of_separate_bodies(wheels):
    """Hub and wheels in maximal coordinates, integrated by SciPy, under motors, a force and a couple."""
    parts, craft = assembled(wheels)
    motors, force = 0.3 * np.arange(1, wheels + 1), np.array([0.4, -0.2, 0.3])

    def rates(t, y):
        q, w, speeds = Quaternion(*y[:4]), y[4:7], y[7:]
        alpha, speed_rates = parts.accelerations(w, speeds, motors * np.cos(t), force, force * np.sin(t))
        return [*q.derivative(Vec3(*w)), *alpha, *speed_rates]

    y0 = np.concatenate([unit(1, 2, -1, 0.5), [0.3, -0.2, 0.5], np.linspace(1, 2, wheels)])
    truth = solve_ivp(rates, (0, 2.0), y0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    def torque(t, q, w):
        from quatrain.scalar import sin

        moment = np.cross(parts.centres[0] - parts.centre, force)
        return Vec3(*force) * sin(t) + Vec3(*moment)

    def motor_torques(t, q, v, x, p):
        from quatrain.scalar import cos

        return tuple(float(m) * cos(t) for m in motors)

    def stepped(dt):
        """A law is asked once a step: the middle of it would be of order 2, its start is of order 1."""
        return craft.simulate(
            y0[:4],
            y0[4:7],
            y0[7:],
            duration=2.0,
            dt=dt,
            torque=torque,
            control=motor_torques,
            record_every=int(2 / dt),
        )

    # Two extrapolations of Richardson's take the orders 1 and 2 of the held input away.
    coarse, middle, fine = (
        np.concatenate([run.w[-1], run.wheel_speeds[-1]]) for run in map(stepped, (0.004, 0.002, 0.001))
    )
    first, second = 2 * middle - coarse, 2 * fine - middle
    np.testing.assert_allclose((4 * second - first) / 3, truth[4:] / 1, atol=2e-9)


@pytest.mark.parametrize(("eccentricity", "state"), [(0.0, "speeds"), (0.2, "momenta")])
def test_both_frames_give_one_motion(eccentricity, state):
    """Proves: A(33)

    Over three orbits, with the gravity gradient and an external torque that is fixed in the body.
    """
    craft, orbit = (
        pyramid((3.0, 4.5, 5.0)),
        Orbit.elliptic(1.0, 1.1, eccentricity, inclination=0.7, node=0.3, start=0.5),
    )
    here, options = orbit.at(0.0), {"duration": 18.0, "dt": 5e-3, "orbit": orbit, "record_every": 600}
    q_OB, w_OB = Quaternion(*unit(0.7, 0.3, -0.5, 0.4)), Vec3(0.2, -0.1, 0.15)
    w_IB = w_OB + q_OB.inverse_rotate(here.w_IO_O)
    speeds, torque = [2.0, -1.0, 0.5, 3.0], (0.01, -0.02, 0.015)
    inertial = craft.simulate(here.q_IO @ q_OB, w_IB, speeds, torque=torque, state=state, **options)
    orbital = craft.simulate(q_OB, w_OB, speeds, torque=torque, state=state, frame="orbital", **options)
    frame = orbit.at(orbital.t)
    q_IB = frame.q_IO @ Quaternion.from_array(orbital.q)
    # RK4 in steps of 5 ms at rates of about one: 1e-10 per unit of time at most.
    assert np.max(q_IB.geodesic_distance(Quaternion.from_array(inertial.q))) < 2e-9
    for name in ("wheel_speeds", "wheel_momenta", "momentum", "energy", "momentum_balance"):
        np.testing.assert_allclose(orbital[name], inertial[name], atol=5e-9)
    w = array(Vec3.from_array(orbital.w) + Quaternion.from_array(orbital.q).inverse_rotate(frame.w_IO_O))
    np.testing.assert_allclose(w, inertial.w, atol=5e-9)


@pytest.mark.parametrize("frame", ["inertial", "orbital"])
def test_wheels_and_body_keep_their_momentum_to_rounding(frame):
    """Proves: A(27), A(36)

    Motors turn wheels and hub about; nothing acts from outside.
    """
    craft, orbit = pyramid(), Orbit.circular(1.0, 1.2)

    def law(t, q, v, x, p):
        return craft.allocate(q.vector * 0.4 + v.w * 0.5)

    run = craft.simulate(
        unit(0.8, 0.3, -0.4, 0.2),
        (0.2, -0.1, 0.15),
        [2.0, -1.0, 0.5, 3.0],
        duration=10.0,
        dt=2e-3,
        orbit=orbit,
        frame=frame,
        gravity=False,
        control=law,
        record_every=50,
    )
    absolute, relative = run.drift("momentum")
    assert relative < 1e-13
    assert run.drift("energy")[1] > 0.05  # the motors work
    assert run.drift("momentum_balance")[0] == absolute
    assert run.drift("energy_balance")[0] < 1e-12


@pytest.mark.parametrize("state", ["speeds", "momenta"])
def test_the_midpoint_rule_keeps_momentum_at_any_step(state):
    """The total momentum is linear in ω and h, and each step turns it exactly as it turns the hub, motors or not.

    The iteration ends at the rounding of the largest number, which in `speeds` is that of wheels at some 50 rad/s.
    """
    craft = pyramid()

    def law(t, q, v, x, p):
        return craft.allocate(v.w * 0.5 + q.vector)

    run = craft.simulate(
        unit(0.8, 0.3, -0.4, 0.2),
        (0.6, -0.4, 0.5),
        3.0,
        duration=40.0,
        dt=0.2,
        method="implicit_midpoint",
        state=state,
        control=law,
    )
    assert run.drift("momentum")[1] < {"speeds": 2e-12, "momenta": 1e-13}[state]
    free = craft.simulate(
        w0=(0.6, -0.4, 0.5), wheel_speeds=3.0, duration=40.0, dt=0.2, method="implicit_midpoint"
    )
    assert free.drift("energy")[1] < 2e-14


def test_a_slew_at_zero_momentum_turns_the_hub_angle_for_angle():
    """Proves: A(29)"""
    craft = Spacecraft((3.0, 4.0, 5.0), [Wheel((0, 1, 0), 0.2)])

    def there_and_stop(t, q, v, x, p):
        return [where(t < 2.0, 0.3, where(t < 4.0, -0.3, 0.0))]

    run = craft.simulate(duration=5.0, dt=0.01, control=there_and_stop)
    hub = 2 * np.arctan2(run.q[:, 2], run.q[:, 0])
    np.testing.assert_allclose(hub, -0.2 / 4.0 * run.wheel_angles[:, 0], atol=1e-12)
    assert hub[-1] == pytest.approx(
        gyrostat.turn_of_hub(craft.gyrostat, 0, run.wheel_angles[-1, 0]), abs=1e-12
    )
    assert hub[-1] < -0.2
    assert np.abs(run.w[-1]).max() < 1e-14


def test_a_free_gyrostat_keeps_what_it_must():
    """Proves: A(28)"""
    craft = pyramid()
    run = craft.simulate(
        w0=(0.6, -0.4, 0.5),
        wheel_speeds=(5.0, 3.0, -2.0, 1.0),
        duration=10.0,
        dt=1e-3,
        state="momenta",
        record_every=100,
    )
    assert np.all(run.wheel_momenta == run.wheel_momenta[0]) or run.drift("wheel_momenta")[0] < 1e-15
    integrals = gyrostat.free_integrals(
        craft.gyrostat, Vec3.from_array(run.w), tuple(np.moveaxis(run.wheel_momenta, -1, 0))
    )
    for values in integrals:
        assert np.ptp(values) < 1e-12 * values[0]
    assert run.drift("momentum")[1] < 1e-12
    assert run.drift("energy")[1] < 1e-12


def test_states_of_speeds_and_of_momenta_are_one_motion():
    craft, orbit = pyramid(friction=0.003), Orbit.elliptic(1.0, 1.3, 0.3)

    def law(t, q, v, x, p):
        return tuple(0.1 * v.wheel_momenta), Vec3(0.01, 0.0, 0.02)

    runs = [
        craft.simulate(
            unit(1, 1, 0, 0),
            (0.1, 0.2, 0.3),
            [1, 2, 3, 4],
            orbit=orbit,
            frame="orbital",
            control=law,
            state=s,
            **GENTLE,
        )
        for s in ("speeds", "momenta")
    ]
    for name in ("q", "w", "wheel_speeds", "wheel_momenta", "wheel_angles", "momentum", "energy_balance"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9)


@pytest.mark.parametrize("method", [m for m in METHODS if m != "linearly_implicit_euler"])
def test_every_method_balances_momentum_and_energy(method):
    """What is left is each method's error over six seconds."""
    craft, orbit = Spacecraft((3.0, 4.0, 5.0), [Wheel((1, 2, 2), 0.05)]), Orbit.circular(1.0, 1.2)
    options = {"orbit": orbit, "frame": "orbital", "torque": (0.02, 0.0, -0.01), "method": method}
    start = unit(1, 1, 0, 0), (0.1, 0.2, 0.3), [5.0]
    if method == "variational":
        with pytest.raises(ArgumentError, match=r"spacecraft has no step of the method .variational"):
            craft.simulate(*start, **GENTLE, **options)
        return
    run = craft.simulate(*start, **GENTLE, **options)
    most = {"semi_implicit_euler": 0.05, "implicit_midpoint": 1e-3, "generalized_alpha": 1e-3}.get(
        method, 1e-6
    )
    for name in ("momentum_balance", "energy_balance"):
        assert run.drift(name)[1] < most


# ---- in orbit --------------------------------------------------------------------------------------


def test_librations_have_the_frequencies_of_the_linear_theory():
    """Proves: A(37), A(39)

    A swing of 1e-8 rad is linear to 1e-16, and a sum of waves of three known frequencies: a fit with these
    leaves the rounding of some thousand steps. A frequency wrong by 1e-6 would leave 4e-13.
    """
    moments, n = (0.9, 1.0, 0.4), 1.1
    orbit = Orbit.circular(n * n * 8.0, 2.0)
    for H in (0.0, -0.3):
        craft = Spacecraft(moments, [Wheel((0, 1, 0), 0.02, name="bias")])
        # The wheel is free: its absolute momentum is constant, and pitch is lighter by it.
        run = craft.simulate(
            unit(1.0, 1e-8, 2e-8, -1.5e-8),
            (1e-8, -2e-8, 1e-8),
            [H / 0.02],
            duration=40.0,
            dt=0.01,
            orbit=orbit,
            frame="orbital",
            record_every=10,
        )
        assert run.drift("jacobi_integral")[0] < 1e-13
        angles = 2 * run.q[:, 1:]
        lateral = libration.roll_yaw(Vec3(*moments), n, H).frequencies()
        pitch = libration.pitch_frequency(Vec3(*moments), n, free_wheel=0.02)
        for columns, frequencies in ((angles[:, [0, 2]], lateral), (angles[:, [1]], (pitch,))):
            waves = [f(w * run.t) for w in frequencies for f in (np.cos, np.sin)]
            # A free wheel moves the mean of pitch a little: the constant.
            basis = np.stack([*waves, np.ones_like(run.t)], axis=-1)
            left = columns - basis @ np.linalg.lstsq(basis, columns, rcond=None)[0]
            assert np.max(np.abs(left)) < 1e-13


def test_a_large_pitch_swings_with_the_elliptic_period():
    """Proves: A(38)"""
    moments, n, amplitude = Vec3(2.1, 2.0, 0.9), 0.7, 1.1
    period = libration.pitch_period(moments, n, amplitude)
    run = Spacecraft(tuple(moments)).simulate(
        (math.cos(amplitude / 2), 0.0, math.sin(amplitude / 2), 0.0),
        duration=period,
        dt=period / 4000,
        record_every=1000,
        orbit=Orbit.circular(n * n, 1.0),
        frame="orbital",
    )
    pitch = 2 * np.arctan2(run.q[:, 2], run.q[:, 0])
    np.testing.assert_allclose(pitch, amplitude * np.array([1, 0, -1, 0, 1]), atol=1e-11)
    bottom = libration.pitch_rate_at_bottom(moments, n, amplitude)
    np.testing.assert_allclose(run.w[:, 1], bottom * np.array([0, -1, 0, 1, 0]), atol=1e-11)
    assert run.drift("jacobi_integral")[1] < 1e-12


def test_the_energy_in_the_orbital_frame_balances_the_motors_work():
    """Proves: A(35)"""
    craft, orbit = pyramid((3.0, 4.5, 2.0)), Orbit.circular(1.0, 1.0)

    def law(t, q, v, x, p):
        return craft.allocate(v.w * 0.3 + q.vector * 0.2)

    options = {"duration": 20.0, "dt": 1e-3, "orbit": orbit, "frame": "orbital", "record_every": 200}
    start = unit(0.9, 0.3, -0.4, 0.2), (0.2, -0.1, 0.15), [2.0, -1.0, 0.5, 3.0]
    driven = craft.simulate(*start, control=law, torque=(0.01, 0.0, 0.02), **options)
    assert driven.drift("jacobi_balance")[0] < 1e-12
    assert driven.drift("jacobi_integral")[0] > 0.1
    assert driven.drift("energy_balance")[0] < 1e-12
    assert driven.drift("momentum_balance")[0] < 1e-12
    free = craft.simulate(*start, state="momenta", **options)
    assert free.drift("jacobi_integral")[0] < 1e-12
    w_IO = orbit.at(0.0).w_IO_O
    reduced = gyrostat_in_orbit.jacobi_integral_of_momenta(
        craft.gyrostat,
        Quaternion.from_array(free.q),
        Vec3.from_array(free.w),
        tuple(np.moveaxis(free.wheel_momenta, -1, 0)),
        w_IO,
        1.0,
    )
    assert np.ptp(reduced) < 1e-12


def test_a_momentum_that_holds_an_attitude_holds_it():
    """Proves: A(40)"""
    n, pitch_momentum = 0.8, -2.0
    J_O = SymMat3(3.0, 4.0, 2.0, 0.4, 0.0, -0.3)
    q_OB = Quaternion(*unit(0.9, 0.2, -0.3, 0.1))
    J = J_O.rotated(q_OB.conjugate().to_matrix())
    craft = Spacecraft(J, [Wheel(a, 0.01) for a in np.eye(3)])
    b = q_OB.inverse_rotate(gyrostat_in_orbit.holding_momentum(J_O, n, pitch_momentum))
    run = craft.simulate(
        q_OB,
        wheel_speeds=[x / 0.01 for x in b],
        duration=2.0,
        dt=1e-3,
        orbit=Orbit.circular(n * n, 1.0),
        frame="orbital",
    )
    # Rounding of 1e-16, which an unstable attitude lets grow by some powers of e.
    assert np.max(np.abs(run.w)) < 1e-13
    assert run.drift("wheel_speeds")[0] < 1e-11


# ---- control ---------------------------------------------------------------------------------------


def test_quaternion_feedback_slews_to_rest():
    """Proves: A(31)

    V never grows, and falls at the rate of the damping; the momentum stays, and moves into the wheels.
    """
    craft, k_p, k_d = pyramid(), 0.8, 2.0

    def to_the_target(t, q, v, x, p):
        return craft.allocate(wheel_control.attitude_feedback(q, v.w, k_p, k_d))

    run = craft.simulate(
        unit(-0.1, 0.7, -0.5, 0.4),
        (0.1, -0.2, 0.05),
        duration=90.0,
        dt=0.005,
        control=to_the_target,
        record_every=10,
    )
    q, w = Quaternion.from_array(run.q), Vec3.from_array(run.w)
    V = wheel_control.feedback_energy(craft.gyrostat, q, w, k_p)
    assert np.all(np.diff(V) < 1e-12)
    loss = k_d * w.norm_squared()
    # Simpson's rule over the records; a law held for 5 ms is late by half of it, some 1e-3 of V.
    lost = np.sum((loss[:-2:2] + 4 * loss[1:-1:2] + loss[2::2]) * (0.05 / 3))
    assert V[0] - V[-1] == pytest.approx(lost, rel=5e-3)
    assert q.vector.norm()[-1] < 1e-4
    assert run.q[-1, 0] < 0  # the shorter way leads to −1 from here
    assert run.drift("momentum")[1] < 1e-11


def test_unloading_empties_the_wheels_and_leaves_the_attitude():
    craft, rate = pyramid(), 0.1
    rows = wheel_control.allocation(craft.gyrostat.axes)

    def unload(t, q, v, x, p):
        thrusters, motors = wheel_control.unloading(craft.gyrostat, rows, tuple(v.wheel_momenta), rate)
        return motors, thrusters

    # Speeds without a null part: those of an allocated momentum.
    speeds = np.array(craft.allocate((0.4, -0.2, 0.3))) / 0.05
    run = craft.simulate(wheel_speeds=speeds, duration=50.0, dt=0.01, control=unload, record_every=100)
    assert np.max(np.abs(run.w)) < 1e-14
    np.testing.assert_allclose(run.q, np.broadcast_to([1.0, 0, 0, 0], run.q.shape), atol=1e-13)
    # The held law multiplies by 1 − c dt in each step.
    expected = speeds * (1 - rate * 0.01) ** (run.t / 0.01)[:, None]
    np.testing.assert_allclose(run.wheel_speeds, expected, atol=1e-12)
    assert run.drift("momentum_balance")[0] < 1e-13


def test_motors_have_limits_and_bearings_have_friction():
    craft = Spacecraft((3.0, 4.0, 5.0), [Wheel((0, 0, 1), 0.1, max_torque=0.2, max_speed=8.0)])
    ask = lambda t, q, v, x, p: [1.0]
    run = craft.simulate(duration=8.0, dt=0.01, control=ask)
    assert np.max(run.wheel_torques) == 0.2
    growth = 0.2 / 0.1 + 0.2 / (5.0 - 0.1)
    early = run.t < 3.5
    np.testing.assert_allclose(run.wheel_speeds[early, 0], growth * run.t[early], atol=1e-12)
    assert 8.0 <= np.max(run.wheel_speeds) < 8.0 + growth * 0.01
    assert run.wheel_torques[-1, 0] == 0.0
    # Friction: two bodies that drag one another, (1/j + 1/(J − j)) c is the rate.
    rough = Spacecraft((3.0, 4.0, 5.0), [Wheel((0, 0, 1), 0.1, friction=0.05)])
    run = rough.simulate(wheel_speeds=[10.0], duration=4.0, dt=0.01, record_every=100)
    np.testing.assert_allclose(run.wheel_speeds[:, 0], 10 * np.exp(-0.05 * (10 + 1 / 4.9) * run.t), rtol=1e-9)
    assert run.drift("momentum")[1] < 1e-14
    assert run.drift("energy_balance")[1] < 1e-9


def test_a_law_with_a_state_and_parameters_and_events():
    """An integral term of the law's own, gains by parameters, and the instant at which the rate has halved."""
    craft = pyramid()

    def law(t, q, v, x, p):
        error = q.vector
        return craft.allocate(error * p["gain"] + v.w * 2.0 + x * 0.02), x + error * 0.1

    run = craft.simulate(
        unit(0.9, 0.3, 0.2, 0.1),
        duration=30.0,
        dt=0.01,
        control=Control(law, start=Vec3(0.0, 0.0, 0.0), every=10),
        parameters={"gain": np.array([0.5, 1.0])},
        events={"half": Event(lambda t, q, v: q.w - 0.97, direction=1)},
        record_every=100,
    )
    assert run.batch == (2,)
    assert np.all(run.events["half"].count >= 1)
    first = run.events["half"].t[:, 0]
    assert first[1] < first[0]
    np.testing.assert_allclose(run.events["half"].values["q"][:, 0, 0], 0.97, atol=1e-7)


def test_a_batch_is_bit_for_bit_its_motions():
    craft, orbit = pyramid(), Orbit.elliptic(1.0, 1.2, 0.1)
    random = rng(210)
    q = random.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    w, speeds, inertias = (
        random.normal(size=(5, 3)),
        random.normal(size=(5, 4)),
        np.array([[3.0, 4.0, 5.0]]) * np.linspace(1, 1.2, 5)[:, None],
    )
    made = craft.simulation(orbit=orbit, frame="orbital", state="momenta", parameters=("inertia",))
    options = {"duration": 1.0, "dt": 0.01, "record_every": 20}
    run = made(q, w, speeds, parameters={"inertia": inertias}, **options)
    for k in range(5):
        single = made(q[k], w[k], speeds[k], parameters={"inertia": inertias[k]}, **options)
        for name in run.columns:
            assert np.array_equal(run.motion(k)[name], single[name])
    other = Spacecraft(inertias[3], craft.wheels).simulate(
        q[3], w[3], speeds[3], orbit=orbit, frame="orbital", state="momenta", **options
    )
    np.testing.assert_allclose(other.q, run.motion(3).q, atol=1e-14)
    assert run.drift("momentum_balance")[1].max() < 1e-7


def test_the_example_flies_and_draws(tmp_path, monkeypatch, capsys):
    """It librates, is caught and held to a tenth of a degree, and ends with empty wheels."""
    pytest.importorskip("matplotlib")
    path = tmp_path / "picture.png"
    script = Path(__file__).resolve().parent.parent / "examples" / "satellite_on_wheels.py"
    monkeypatch.setattr(sys, "argv", [str(script), "--save", str(path)])
    names = runpy.run_path(str(script), run_name="__main__")
    assert path.stat().st_size > 20_000
    assert "spacecraft" in capsys.readouterr().out
    run, orbit = names["fly"](), names["orbit"]
    turns = run.t / orbit.period
    away = 2 * np.degrees(np.arccos(np.minimum(np.abs(run.q[:, 0]), 1.0)))
    assert np.max(away[turns < 1]) > 30
    assert np.max(away[(turns > 1.2) & (turns < 2)]) < 0.1
    np.testing.assert_allclose(away[(turns > 2.2) & (turns < 3)], 45.0, atol=0.3)
    assert np.max(np.abs(run.wheel_speeds[turns < 3])) > 30
    assert np.max(np.abs(run.wheel_speeds[-1])) < 0.3
    for name in ("momentum_balance", "energy_balance"):
        assert run.drift(name)[0] < 1e-6


# ---- what it is made of ----------------------------------------------------------------------------


def test_assembled_from_parts():
    parts, craft = assembled(3)
    w, speeds = np.array([0.3, -0.4, 0.2]), np.array([1.0, 2.0, -3.0])
    h = gyrostat.angular_momentum(craft.gyrostat, Vec3(*w), tuple(speeds))
    close(h, parts.momentum(w, speeds))
    same = Spacecraft(craft.inertia.to_array(), craft.wheels)
    close(same.inertia, craft.inertia, 1e-15)


def test_axes_are_directions():
    wheel = Wheel((0.0, 3.0, 4.0), 0.1)
    assert tuple(wheel.direction) == pytest.approx((0.0, 0.6, 0.8))
    assert Spacecraft((1, 1, 1), [wheel, Wheel((1, 0, 0), 0.1, name="roll")]).wheel_names == ("0", "roll")


def test_a_satellite_without_wheels_is_a_rigid_body():
    body, craft = RigidBody(1.0, (1.0, 2.0, 3.0)), Spacecraft((1.0, 2.0, 3.0))
    options = {"duration": 2.0, "dt": 0.01}
    ours, theirs = (
        craft.simulate(w0=(0.1, 2.0, 0.1), **options),
        body.simulate(w0=(0.1, 2.0, 0.1), keep_momentum=False, **options),
    )
    np.testing.assert_allclose(ours.q, theirs.q, atol=1e-13)
    np.testing.assert_allclose(ours.w, theirs.w, atol=1e-13)
    assert "wheel_speeds" not in ours.columns


def test_the_report_says_what_was_kept():
    run = pyramid().simulate(w0=(0.1, 0.2, 0.3), wheel_speeds=2.0, duration=1.0)
    text = run.report()
    assert "spacecraft: 0 to 1 s" in text
    assert "momentum" in text


# ---- errors ----------------------------------------------------------------------------------------


def nothing(t, q, v, x, p):
    return None


REFUSED = {
    "zero axis": (lambda: Wheel((0, 0, 0), 0.1, name="z"), "wheel 'z': axis is", "an axis that is not zero"),
    "axis of two": (lambda: Wheel((1, 0), 0.1), "a wheel's axis is", "pass three numbers"),
    "no inertia": (
        lambda: Wheel((1, 0, 0), 0.0, name="x"),
        "wheel 'x': inertia is 0 kg m²",
        "a number above 0",
    ),
    "NaN inertia": (
        lambda: Wheel((1, 0, 0), math.nan),
        "a wheel's inertia is nan",
        "a finite number in kg m²",
    ),
    "negative friction": (
        lambda: Wheel((1, 0, 0), 0.1, friction=-1),
        "friction is -1 N m s/rad",
        "from 0 up",
    ),
    "no torque": (lambda: Wheel((1, 0, 0), 0.1, max_torque=0), "max_torque is 0 N m", "above 0"),
    "too flat": (
        lambda: Wheel((1, 0, 0), 0.3, transverse_inertia=0.1),
        "more than twice its transverse_inertia",
        "of a thin disc",
    ),
    "not a wheel": (
        lambda: Spacecraft((1, 1, 1), [(1, 0, 0)]),
        r"wheels\[0\] is a tuple",
        "Wheel(axis, inertia)",
    ),
    "impossible inertia": (
        lambda: Spacecraft((1, 1, 5)),
        "principal moments 1, 1, 5 kg m²",
        "check the units",
    ),
    "too large a wheel": (
        lambda: Spacecraft((1, 1, 1), [Wheel((1, 0, 0), 0.1), Wheel((0, 1, 0), 1.5, name="pitch")]),
        r"wheel 1 \(pitch\) has the axial inertia 1.5 kg m², .* room for less than 1",
        "J of hub and complete wheels together",
    ),
    "too large wheels": (
        lambda: Spacecraft((1, 1, 1), [Wheel((1, 0, 0), 0.6), Wheel((1, 0, 0), 0.6)]),
        "with wheel 1, axial inertia 0.6 kg m², the wheels up to it take all",
        "J of hub and complete wheels together",
    ),
    "bare wheels": (
        lambda: Spacecraft.assembled(RigidBody(1.0, (1, 1, 1)), [Wheel((1, 0, 0), 0.1, mass=0.2)]),
        "wheel 0 has no position and no transverse_inertia",
        "the inertia of hub and complete wheels",
    ),
    "no hub": (lambda: Spacecraft.assembled((1, 1, 1), []), "hub is a tuple", "of the hub alone"),
    "two wheels": (
        lambda: Spacecraft((1, 1, 1), [Wheel((1, 0, 0), 0.1), Wheel((0, 1, 0), 0.1)]).allocate((1, 0, 0)),
        "the axes of 2 wheels do not span space",
        "three wheels whose axes do not lie in one plane",
    ),
    "no planet": (lambda: Orbit.circular(0.0, 7e6), "mu is 0 m³/s²", "a number above 0"),
    "no radius": (lambda: Orbit.circular(1.0, -1), "radius is -1 m", "a number above 0"),
    "hyperbola": (
        lambda: Orbit.elliptic(1.0, 1.0, 1.2),
        "eccentricity is 1.2, which is no ellipse",
        "below 1",
    ),
    "tilt": (
        lambda: Orbit.circular(1.0, 1.0, inclination="steep"),
        "inclination is 'steep'",
        "a finite number in rad",
    ),
    "frame": (
        lambda: pyramid().simulate(frame="lvlh", **GENTLE),
        "frame is 'lvlh'",
        '"inertial" or "orbital"',
    ),
    "no orbit": (
        lambda: pyramid().simulate(frame="orbital", **GENTLE),
        "there is no orbit",
        "Orbit.circular(mu, radius)",
    ),
    "orbit": (
        lambda: pyramid().simulate(orbit=7e6, **GENTLE),
        "orbit is a float",
        "Orbit.circular(mu, radius)",
    ),
    "state": (
        lambda: pyramid().simulate(state="angles", **GENTLE),
        "state is 'angles'",
        '"speeds" or "momenta"',
    ),
    "speeds": (
        lambda: pyramid().simulate(wheel_speeds=[1, 2, 3], **GENTLE),
        r"wheel_speeds has shape \(3,\); this spacecraft needs \(..., 4\): it has 4 wheels",
        "one speed for each wheel",
    ),
    "law of three": (
        lambda: pyramid().simulate(control=lambda t, q, v, x, p: q.vector, **GENTLE),
        "the control law <lambda> returns 3 numbers for the wheels; this spacecraft has 4",
        "craft.allocate(torque)",
    ),
    "law of none": (
        lambda: pyramid().simulate(control=nothing, **GENTLE),
        "the control law nothing returns no numbers for the wheels",
        "one torque for each wheel",
    ),
    "hub torque": (
        lambda: pyramid().simulate(control=lambda t, q, v, x, p: ([0.0] * 4, [1.0, 2.0]), **GENTLE),
        "the torque on the hub that the control law <lambda> returns",
        "return just that",
    ),
    "torque": (
        lambda: pyramid().simulate(torque=lambda t, q, w: 3.0, **GENTLE),
        "what the function torque= returns",
        "return just that",
    ),
    "words for speeds": (
        lambda: pyramid().simulate(wheel_speeds="fast", **GENTLE),
        "wheel_speeds is 'fast'",
        "one number for each wheel",
    ),
    "a torque of two": (lambda: pyramid().allocate((1.0, 2.0)), r"torque is \(1.0, 2.0\)", "three numbers"),
    "a torque of one": (lambda: pyramid().allocate(5.0), "torque is 5.0", "three numbers, or a Vec3"),
    "no wheel": (lambda: Spacecraft((3.0, 4.0, 5.0), 5), r"wheels\[0\] is an int", "Wheel(axis, inertia)"),
    "arguments of a torque": (
        lambda: pyramid().simulate(torque=lambda t: 3.0, **GENTLE),
        r"the function torque= <lambda> takes \(t\), and is called with \(t, q, w\)",
        "with the arguments (t, q, w)",
    ),
    "starts of two batches": (
        lambda: pyramid().simulate(w0=np.zeros((2, 3)), wheel_speeds=np.zeros((3, 4)), **GENTLE),
        r"the starts do not fit together: w0 \(2,\), wheel_speeds \(3,\)",
        "one for all",
    ),
    "inertia of a batch": (
        lambda: pyramid().simulate(parameters={"inertia": [[3, 4, 5], [0.06, 0.06, 0.06]]}, **GENTLE),
        r"the parameter 'inertia'\[1\] leaves no room for the wheels",
        "J of hub and complete wheels",
    ),
    "shape of inertia": (
        lambda: pyramid().simulate(parameters={"inertia": [1.0, 2.0]}, **GENTLE),
        r"the parameter 'inertia' has shape \(2,\)",
        "principal moments (..., 3)",
    ),
    "norm": (lambda: pyramid().simulate((1, 1, 0, 0), **GENTLE), "q0 has the norm", 'normalize="project"'),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_with_the_remedy(case):
    make, what, remedy = REFUSED[case]
    with pytest.raises(ArgumentError, match=what) as caught:
        make()
    assert remedy in str(caught.value)


def test_one_wheel_serves_for_a_list_of_one():
    wheel = Wheel((0, 0, 1), 0.1)
    assert Spacecraft((3.0, 4.0, 5.0), wheel).wheels == (wheel,)


def test_a_law_that_branches_on_a_value_is_told_where():
    def law(t, q, v, x, p):
        return [0.0] * 4 if v.w.x < 0 else [0.1] * 4

    with pytest.raises(Exception, match="where") as caught:
        pyramid().simulate(control=law, **GENTLE)
    assert "test_spacecraft.py" in str(caught.value)


def test_gyrostats_of_other_inertia_share_the_wheels():
    craft = pyramid()
    assert craft.gyrostat_of(SymMat3.identity()) == Gyrostat(
        SymMat3.identity(), craft.gyrostat.axes, craft.gyrostat.axial_inertias
    )
