"""Control laws: what each promises of the motion, discrete solutions written out, and what is said of wrong gains."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.linalg import solve_continuous_are

import quatrain as qt
from quatrain import ArgumentError, laws
from quatrain.equations import dynamics
from quatrain.equations.tree_motion import Named, places_of
from tests.states import random_state, slider


def asked(control, robot, q, v, t=0.0, p=None, x=None):
    """What a law gives for one state, in plain numbers."""
    at_q, at_v = places_of(robot.model)
    return control.law(t, Named.of(q, at_q), Named.of(v, at_v), x, p or {})


def run_of(robot, q0, v0, control, **options):
    return qt.simulate(robot, q0, v0, control=control, **{"dt": 1e-3, **options})


def arm():
    return qt.examples.load("arm7")


# ---- PD and PID -------------------------------------------------------------------------------------------


def test_pd_on_a_mass_is_the_recursion_of_a_held_force():
    m, K, D, h, every = 2.0, 30.0, 6.0, 1e-3, 5
    robot = slider(m)
    run = run_of(robot, [0.4], [0.0], laws.pd(robot, K, D, [1.0], every=every), duration=1.0)
    x, v, found = 0.4, 0.0, []
    for k in range(1001):
        if k % every == 0:
            f = K * (1.0 - x) - D * v
        found.append((x, v))
        x, v = x + v * h + f / m * h * h / 2, v + f / m * h
    assert np.abs(run.q[:, 0] - np.array(found)[:, 0]).max() < 1e-13
    assert np.abs(run.v[:, 0] - np.array(found)[:, 1]).max() < 1e-13


@pytest.mark.parametrize("every", [1, 4])
def test_pid_is_its_recursion_and_leaves_no_error(every):
    m, K, Ki, D, h, load = 2.0, 60.0, 80.0, 15.0, 1e-3, -9.81 * 2.0
    robot = slider(m, axis="z", gravity=(0, 0, -9.81))
    control = laws.pid(robot, K, Ki, D, [0.5], every=every)
    run = run_of(robot, [0.0], [0.0], control, duration=6.0)
    x, v, total, last, found = 0.0, 0.0, 0.0, None, []
    for k in range(6001):
        if k % every == 0:
            total += Ki * (0.5 - x) * (0.0 if last is None else (k - last) * h)
            last, f = k, K * (0.5 - x) + total - D * v + load
        found.append(x)
        x, v = x + v * h + f / m * h * h / 2, v + f / m * h
    assert np.abs(run.q[:, 0] - found).max() < 1e-9
    assert run.q[-1, 0] == pytest.approx(0.5, abs=1e-3)
    without = run_of(robot, [0.0], [0.0], laws.pd(robot, K, D, [0.5]), duration=6.0)
    assert without.q[-1, 0] == pytest.approx(0.5 - 9.81 * 2.0 / K, abs=1e-3)


def test_an_integral_stands_still_while_the_force_is_at_its_limit():
    robot = slider(2.0)
    gains = (20.0, 30.0, 8.0)
    wound = run_of(robot, [0.0], [0.0], laws.pid(robot, *gains, [3.0]), duration=8.0)
    tamed = run_of(robot, [0.0], [0.0], laws.pid(robot, *gains, [3.0], limit=5.0), duration=8.0)
    assert np.abs(tamed["tau"]).max() == 5.0
    assert tamed.q.max() < wound.q.max()
    assert tamed.q[-1, 0] == pytest.approx(3.0, abs=0.05)
    capped = run_of(
        robot, [0.0], [0.0], laws.pid(robot, 0.0, 30.0, 0.0, [1.0], integral_limit=0.25), duration=1.0
    )
    assert np.abs(capped["tau"]).max() == 0.25


def test_pd_turns_a_ball_joint_the_shorter_way_and_a_free_joint_gets_nothing():
    robot = qt.examples.load("humanoid")
    q, v = random_state(robot, 2)
    tau = np.array(asked(laws.pd(robot, 10.0, 0.0, robot.neutral()), robot, q, v))
    expected = 10.0 * robot.difference(q, robot.neutral())
    assert np.abs(tau[6:] - expected[6:]).max() < 1e-12
    assert np.all(tau[:6] == 0)


def test_gains_and_targets_by_name_are_those_in_order():
    robot = qt.examples.load("quadruped")
    q, v = random_state(robot, 4)
    names = [name for name in robot.model.joint_names if name != "root"]
    listed = laws.pd(robot, np.arange(1.0, 13.0), 2.0, "standing", limit=20.0)
    by_name = laws.pd(
        robot, dict(zip(names, range(1, 13), strict=True)), dict.fromkeys(names, 2.0),
        dict(zip(names, robot.model.keyframe("standing").q[7:], strict=True)), limit=20.0,
    )  # fmt: skip
    assert asked(listed, robot, q, v) == asked(by_name, robot, q, v)
    whole = laws.pd(
        robot,
        [0.0] * 6 + list(np.arange(1.0, 13.0)),
        2.0,
        lambda t: robot.model.keyframe("standing").q,
        limit=20,
    )
    assert asked(whole, robot, q, v) == asked(listed, robot, q, v)
    one = laws.pd(robot, 5.0, 0.0, "standing", joints=["FL_knee"])
    assert np.flatnonzero(asked(one, robot, q, v)).tolist() == [8]


def test_a_gain_by_the_name_of_a_parameter_is_each_motions_own():
    robot = slider(1.0)
    k = np.array([4.0, 9.0])
    run = run_of(
        robot, [[1.0], [1.0]], [[0.0], [0.0]], laws.pd(robot, "k", 0.0, [0.0]), duration=0.2, dt=1e-5,
        parameters={"k": k}, record_every=1000,
    )  # fmt: skip
    assert np.abs(run.q[..., 0] - np.cos(np.sqrt(k)[:, None] * run.t)).max() < 1e-4


# ---- laws that know the machine ------------------------------------------------------------------------------


def test_gravity_compensation_holds_an_arm_where_it_is():
    robot = arm()
    q, _ = random_state(robot, 1)
    run = run_of(
        robot, q, np.zeros(7), laws.gravity_compensation(robot, damping=0.5), duration=1.0, record_every=100
    )
    assert np.abs(run.q - q).max() < 1e-9


def reference(t):
    """Of seven joints, in time: with its rates written out."""
    wave = [(0.3 * k, 0.5 + 0.1 * k) for k in range(7)]
    q = [a * mpmath_sin(w * t) for a, w in wave]
    v = [a * w * mpmath_cos(w * t) for a, w in wave]
    return q, v, [-a * w * w * mpmath_sin(w * t) for a, w in wave]


def mpmath_sin(x):
    return qt.scalar.sin(x)


def mpmath_cos(x):
    return qt.scalar.cos(x)


def test_computed_torque_gives_each_joint_the_error_equation_it_promises():
    robot = arm()
    K, D = np.arange(1.0, 8.0), np.arange(3.0, 10.0)
    control = laws.computed_torque(robot, K, D, lambda t: tuple(reference(t)))
    for seed in range(3):
        q, v = random_state(robot, seed)
        tau = asked(control, robot, q, v, t=0.7)
        q_d, v_d, a_d = (np.array(x) for x in reference(0.7))
        wanted = a_d + K * (q_d - q) + D * (v_d - v)
        assert np.abs(robot.forward_dynamics(q, v, tau) - wanted).max() < 1e-9


def test_computed_torque_follows_a_spline():
    robot = arm()
    knots = np.random.default_rng(5).uniform(-1, 1, (5, 7))
    knots[0] = 0
    times = [0, 0.5, 1.2, 1.6, 2.0]
    follow = laws.Table(times, knots, "cubic", "clamped")
    control = laws.computed_torque(robot, 400.0, 40.0, follow)
    errors = []
    for dt in (2e-4, 1e-4):
        run = run_of(robot, robot.neutral(), np.zeros(7), control, duration=2.0, dt=dt, record_every=100)
        errors.append(np.abs(run.q - CubicSpline(times, knots, bc_type="clamped")(run.t)).max())
    # The force is held for a step, and so late by half of it.
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)


def test_pd_plus_lets_its_energy_fall_by_the_damping_alone():
    """V̇ = −ėᵀ D ė along the motion, in forty digits, for a target that moves."""
    robot, K, D = arm(), 12.0, 3.0
    control = laws.pd_plus(robot, K, D, lambda t: tuple(reference(t)))

    def energy(t, q, v):
        q_d, v_d, _ = reference(t)
        M = dynamics.mass_matrix(robot.model, q)
        e, de = ([b - a for a, b in zip(x, y, strict=True)] for x, y in ((q, q_d), (v, v_d)))
        kinetic = sum(x * M[i][j] * y for i, x in enumerate(de) for j, y in enumerate(de))
        return (kinetic + K * sum(x * x for x in e)) / 2

    with mpmath.workdps(40):
        q, v = ([mpmath.mpf(x) for x in y] for y in random_state(robot, 3))
        t = mpmath.mpf("0.4")
        a = dynamics.forward_dynamics(robot.model, q, v, asked(control, robot, q, v, t))
        h = mpmath.mpf(10) ** -13
        move = lambda s: (
            t + s,
            [x + s * y for x, y in zip(q, v, strict=True)],
            [x + s * y for x, y in zip(v, a, strict=True)],
        )
        rate = (energy(*move(h)) - energy(*move(-h))) / (2 * h)
        error = [a - b for a, b in zip(reference(t)[1], v, strict=True)]
        assert abs(rate + D * sum(x * x for x in error)) < 1e-12


@pytest.mark.parametrize("turning", [False, True])
def test_operational_space_gives_the_frame_the_error_equation_it_promises(turning):
    robot, K, D = arm(), 30.0, 7.0
    goal = qt.Quaternion.from_axis_angle(qt.Vec3(0.0, 0.6, 0.8), 0.9)
    control = laws.operational_space(
        robot, "hand", K, D, position=lambda t: ((0.3, 0.1 * t, 0.5), (0.0, 0.1, 0.0)), posture={"joint2": 0.5},
        posture_gains=(4.0, 2.0), attitude=goal if turning else None,
    )  # fmt: skip
    for seed in range(3):
        q, v = random_state(robot, seed)
        a = robot.forward_dynamics(q, v, asked(control, robot, q, v, t=2.0))
        linear, angular = robot.acceleration(q, v, a, "hand")
        p, attitude = robot.pose(q, "hand")
        dp, w = robot.velocity(q, v, "hand")
        assert np.abs(linear - (K * (np.array([0.3, 0.2, 0.5]) - p) + D * ([0, 0.1, 0] - dp))).max() < 1e-7
        if turning:
            missing = (goal @ qt.Quaternion(*attitude).conjugate()).to_rotation_vector()
            assert np.abs(angular - (K * np.array([*missing]) - D * w)).max() < 1e-7


def test_operational_space_brings_a_hand_to_its_place():
    robot = arm()
    q0 = robot.model.keyframe("bent").q
    way = laws.Table([0, 1], [robot.pose(q0, "hand")[0], (0.3, 0.2, 0.7)], "cubic", "clamped")
    control = laws.operational_space(robot, "hand", 100.0, 20.0, position=way)
    run = run_of(robot, q0, np.zeros(7), control, duration=2.0, record=["hand.position"], record_every=100)
    assert np.abs(run["hand.position"][-1] - [0.3, 0.2, 0.7]).max() < 1e-4


# ---- arrays ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid", "softplus", "elu"])
def test_a_network_is_its_matrices(activation):
    bend = {
        "tanh": np.tanh, "relu": lambda x: np.maximum(x, 0), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "softplus": lambda x: np.log1p(np.exp(x)), "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    }[activation]  # fmt: skip
    robot, rng = qt.examples.load("acrobot"), np.random.default_rng(1)
    W = [rng.normal(size=s) for s in ((8, 4), (5, 8), (1, 5))]
    b = [rng.normal(size=len(w)) for w in W]
    control = laws.neural_network(robot, W, b, activation=activation, joints="elbow", scale=0.5, limit=0.7)
    run = run_of(robot, [0.3, -0.2], [0.1, 0.5], control, duration=0.5)
    o = np.concatenate([run.q, run.v], axis=-1)
    tau = 0.5 * (bend(bend(o @ W[0].T + b[0]) @ W[1].T + b[1]) @ W[2].T + b[2])
    assert np.abs(run["tau"] - np.concatenate([0 * tau, np.clip(tau, -0.7, 0.7)], axis=-1)).max() < 1e-12


def test_a_network_sees_what_it_is_shown():
    robot = qt.examples.load("cart_pole")
    W = [np.array([[1.0, 2.0, 3.0]])]
    control = laws.neural_network(
        robot, W, joints="slide", observe=lambda t, q, v, p: [qt.scalar.sin(q["hinge"]), v["slide"], t]
    )
    tau = asked(control, robot, [0.4, 0.5], [0.6, 0.7], t=2.0)
    assert tau == pytest.approx([np.sin(0.5) + 1.2 + 6.0, 0.0])


def test_forces_from_a_table_are_its_spline():
    robot = qt.examples.load("acrobot")
    times, values = [0.0, 0.3, 0.5, 1.0], [0.0, 1.0, -1.0, 0.0]
    run = run_of(robot, None, None, laws.table(robot, times, values, joints="elbow"), duration=1.0)
    assert np.abs(run["tau"][:, 1] - CubicSpline(times, values, bc_type="natural")(run.t)).max() < 1e-12


def test_feedback_of_the_state_from_an_lqr_keeps_the_pole_up():
    robot = qt.examples.load("cart_pole")
    M, h = robot.mass_matrix([0, 0]), 1e-6
    g = np.stack(
        [(robot.gravity_force(h * e) - robot.gravity_force(-h * e)) / (2 * h) for e in np.eye(2)], axis=-1
    )
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, g), np.zeros((2, 2))]])
    B = np.concatenate([np.zeros(2), np.linalg.solve(M, [1.0, 0.0])])[:, None]
    gain = B.T @ solve_continuous_are(A, B, np.eye(4), np.eye(1))
    control = laws.state_feedback(robot, np.vstack([gain, np.zeros((1, 4))]), [0.0, 0.0])
    run = run_of(robot, [0.3, 0.25], [0.0, 0.0], control, duration=15.0, record_every=100)
    assert np.abs(run.q[-1]).max() < 1e-4


def test_laws_add_up_each_with_its_state():
    robot = slider(1.0)
    feed = laws.table(robot, [0.0, 0.5, 1.0], [0.0, 2.0, 0.0])
    both = laws.together(
        robot, laws.pid(robot, 30.0, 20.0, 5.0, [0.2]), feed, laws.pid(robot, 1.0, 2.0, 0.0, [0.1])
    )
    run = run_of(robot, [0.0], [0.0], both, duration=1.0)
    gap = (
        (30.0 * 0.2 + 1.0 * 0.1)
        + (20.0 * 0.2 + 2.0 * 0.1) * run.t
        + np.array([feed.law(t, 0, 0, 0, 0)[0] for t in run.t])
    )
    integral = np.concatenate([[0], -22.0 * np.cumsum(run.q[1:, 0]) * 1e-3])
    expected = gap - 31.0 * run.q[:, 0] - 5.0 * run.v[:, 0] + integral
    assert np.abs(run["tau"][:, 0] - expected).max() < 1e-9


def test_the_legs_of_a_free_machine_follow_a_table():
    robot = qt.examples.load("quadruped")
    values = np.random.default_rng(0).uniform(-1, 1, (4, 12))
    way = laws.Table([0.0, 1.0, 2.0, 3.0], values, "cubic")
    q, v = random_state(robot, 6)
    tau = np.array(asked(laws.pd(robot, 7.0, 2.0, way), robot, q, v, t=1.3))
    spline = CubicSpline([0, 1, 2, 3], values, bc_type="natural")
    assert tau[6:] == pytest.approx(7.0 * (spline(1.3) - q[7:]) + 2.0 * (spline(1.3, 1) - v[6:]))
    assert np.all(tau[:6] == 0)


# ---- bounds, actuators, motors ----------------------------------------------------------------------------------


def test_forces_stay_within_the_efforts_of_a_model():
    built = qt.ModelBuilder("weak", gravity=(0, 0, 0))
    built.body(
        "a", joint_name="one", axis="y", mass=1, inertia=(1, 1, 1), limits=qt.Limits(-1, 1, effort=2.0)
    )
    built.body("b", joint_name="two", axis="y", mass=1, inertia=(1, 1, 1))
    robot = built.robot()
    law = lambda t, q, v, x, p: {"one": 5.0, "two": -7.0}
    assert asked(laws.saturated(robot, law), robot, [0, 0], [0, 0]) == [2.0, -7.0]
    assert asked(laws.saturated(robot, law, [1.0, 3.0]), robot, [0, 0], [0, 0]) == [1.0, -3.0]
    assert asked(laws.pd(robot, 100.0, 0.0, [1, -1], limit="model"), robot, [0, 0], [0, 0]) == [2.0, -100.0]


def test_commands_go_through_the_actuators_of_a_model():
    built = qt.ModelBuilder("geared", gravity=(0, 0, 0))
    built.body("a", joint_name="one", axis="y", mass=1, inertia=(1, 1, 1))
    built.actuator("motor", joint="one", gear=30.0, limits=(-0.5, 0.5))
    robot = built.robot()
    for law in (lambda t, q, v, x, p: [2.0], lambda t, q, v, x, p: {"motor": 2.0}):
        tau = asked(laws.actuated(robot, law), robot, [0.1], [0.2])
        assert tau == pytest.approx(robot.actuator_force([0.1], [0.2], [2.0]))
        assert tau == pytest.approx([15.0])


def curve():
    return laws.Motor.of_curve(stall_torque=0.8, no_load_speed=300.0, gear=20.0)


def test_a_motors_torque_falls_in_a_line_to_its_free_speed():
    robot, motor = slider(1.0), curve()
    drive = laws.motorised(robot, lambda t, q, v, x, p: [1e9], {"rail": motor})
    x = drive.start
    for speed in (0.0, 5.0, 15.0, 20.0):
        (tau,), _ = asked(drive, robot, [0.0], [speed], x=x)
        expected = 0.8 * 20.0 * (1 - speed * 20.0 / 300.0)
        assert tau == pytest.approx(expected, abs=1e-12)
    modest = laws.motorised(robot, lambda t, q, v, x, p: [3.0], {"rail": motor})
    assert asked(modest, robot, [0.0], [4.0], x=x)[0] == pytest.approx([3.0])
    braking = asked(drive, robot, [0.0], [-5.0], x=x)[0]
    assert braking == pytest.approx([16.0 * (1 + 1 / 3)])


def test_a_current_limit_bounds_the_torque():
    motor = laws.Motor(torque_constant=0.05, resistance=0.5, voltage=24.0, gear=10.0, current=4.0)
    drive = laws.motorised(slider(), lambda t, q, v, x, p: [1e9], {"rail": motor})
    assert asked(drive, slider(), [0.0], [0.0], x=drive.start)[0] == pytest.approx([0.05 * 10 * 4.0])


def test_the_current_of_a_motor_that_is_held_rises_with_its_time_constant():
    motor = laws.Motor(torque_constant=0.05, resistance=0.5, voltage=24.0, gear=10.0, inductance=1e-3)
    robot = slider(1e15)
    drive = laws.motorised(robot, lambda t, q, v, x, p: [12.0], {"rail": motor}, command="voltage")
    run = run_of(robot, [0.0], [0.0], drive, duration=0.02)
    expected = 0.05 * 10 * 24.0 * (1 - np.exp(-run.t / 2e-3))
    assert np.abs(run["tau"][:, 0] - expected).max() < 1e-9


def test_a_motor_and_its_load_are_those_of_an_ode_solver():
    """The circuit sees the rate of a step's start, so it is of first order: half the step, half the error."""
    motor = laws.Motor(
        torque_constant=0.05, resistance=0.5, voltage=24.0, gear=10.0, inductance=5e-3, rotor=1e-3
    )
    robot = qt.Robot(laws.with_rotors(slider(0.2).model, {"rail": motor}))
    assert robot.mass_matrix([0.0])[0, 0] == pytest.approx(0.2 + 0.1)
    made = solve_ivp(
        lambda t, y: [y[1], 0.5 * y[2] / 0.3, (12.0 - 0.5 * y[2] - 0.5 * y[1]) / 5e-3], (0, 0.1), [0, 0, 0], "DOP853",
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    errors = []
    for dt in (4e-4, 2e-4, 1e-4):
        drive = laws.motorised(robot, lambda t, q, v, x, p: [12.0], {"rail": motor}, command="voltage")
        run = run_of(robot, [0.0], [0.0], drive, duration=0.1, dt=dt)
        errors.append(abs(run.v[-1, 0] - made.y[1, -1]))
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2, rel=0.1)
    assert errors[2] < 2e-3 * made.y[1, -1]


def test_a_motor_is_stepped_between_the_calls_of_its_law():
    robot, motor = (
        slider(1.0),
        laws.Motor(torque_constant=0.05, resistance=0.5, voltage=24.0, gear=10.0, inductance=1e-3),
    )
    slow = laws.pid(robot, 40.0, 5.0, 8.0, [0.3], every=7)
    fast = laws.motorised(robot, slow, {"rail": motor})
    run = run_of(robot, [0.0], [0.0], fast, duration=0.2)
    assert len(set(np.round(run["tau"][:21, 0], 12))) > 15
    assert run.q[-1, 0] > 0.1
    # A motor that does whatever is asked leaves the law as it is.
    strong = laws.Motor(torque_constant=1.0, resistance=1.0, voltage=1e9)
    a = run_of(robot, [0.0], [0.0], laws.motorised(robot, slow, {"rail": strong}), duration=0.2)
    b = run_of(robot, [0.0], [0.0], slow, duration=0.2)
    assert np.abs(a.q - b.q).max() < 1e-12


def test_a_delay_of_a_law_goes_through_what_stands_behind_it():
    robot = slider(1.0)
    late = qt.Control(laws.pd(robot, 40.0, 8.0, [0.3]).law, every=3, delay=5)
    strong = laws.Motor(torque_constant=1.0, resistance=1.0, voltage=1e9)
    plain = run_of(robot, [0.0], [0.1], late, duration=0.1)
    assert np.all(plain["tau"][:5] == 0)
    for drive in (laws.motorised(robot, late, {"rail": strong}), laws.saturated(robot, late, 1e9)):
        run = run_of(robot, [0.0], [0.1], drive, duration=0.1)
        assert np.abs(run["tau"] - plain["tau"]).max() < 1e-12


# ---- what is said of wrong arguments ----------------------------------------------------------------------------


def weak():
    return qt.examples.load("quadruped")


def still(t, q, v, x, p):
    return [0.0]


def of_arm(control):
    return asked(control, arm(), [0] * 7, [0] * 7)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: laws.pd("arm", 1.0, 1.0, None), "a law was asked for a str"),
        (lambda: laws.pd(arm(), [1.0, 2.0], 1.0, [0] * 7),
         "stiffness of pd has 2 numbers; it drives 7 velocities"),
        (lambda: laws.pd(arm(), -1.0, 1.0, [0] * 7), "stiffness of pd holds -1.0"),
        (lambda: laws.pd(arm(), 1.0, float("nan"), [0] * 7), "damping of pd holds nan"),
        (lambda: laws.pd(arm(), 1.0, None, [0] * 7), "damping of pd holds None, which is no number"),
        (lambda: laws.pd(arm(), {"elbow": 1.0}, 1.0, [0] * 7),
         "stiffness of pd names 'elbow', which it does not drive"),
        (lambda: laws.pd(weak(), {"root": 1.0}, 1.0, "standing"), "names 'root', which it does not drive"),
        (lambda: laws.pd(arm(), 1.0, 1.0, [0] * 6), "the target of pd has 6 numbers; arm7 has nq = 7"),
        (lambda: laws.pd(arm(), 1.0, 1.0, 3.0), "the target of pd is 3.0"),
        (lambda: laws.pd(arm(), 1.0, 1.0, {"elbow": 1}), "the target of pd names 'elbow'"),
        (lambda: laws.pd(arm(), 1.0, 1.0, "asleep"), "has no keyframe 'asleep'"),
        (lambda: laws.pd(arm(), 1.0, 1.0, [0] * 7, joints=["elbow"]), "pd is to drive 'elbow'"),
        (lambda: laws.pd(arm(), 1.0, 1.0, [0] * 7, limit="model"), "no joint of arm7 has a limit of effort"),
        (lambda: laws.pd(arm(), 1.0, 1.0, [0] * 7, every=0), "asked every 0 steps"),
        (lambda: laws.pd(weak(), 1.0, 1.0, laws.Table([0, 1], np.zeros((2, 19)))),
         "has 19 columns; it drives 12 velocities"),
        (lambda: laws.pd(qt.examples.load("humanoid"), 1, 1, laws.Table([0, 1], [0, 1])),
         "whose quaternions splines do not join"),
        (lambda: laws.saturated(slider(), qt.python_law(still), 1.0),
         "a law in plain Python was to be put behind a drive"),
        (lambda: laws.together(slider(), qt.Control(still), qt.Control(still, every=2)),
         "the rates and delays [(1, 0), (2, 0)]"),
        (lambda: laws.together(slider()), "together was given 0 laws"),
        (lambda: of_arm(laws.pd(arm(), 1.0, 1.0, lambda t: [0] * 6)), "gives lists of 6 numbers"),
        (lambda: laws.computed_torque(weak(), 1.0, 1.0, "standing"), "joint 'root' of quadruped is free"),
        (lambda: laws.pd_plus(weak(), 1.0, 1.0, "standing"), "pd_plus needs a force for every velocity"),
        (lambda: laws.operational_space(arm(), "fist", 1, 1, position=(0, 0, 0)), "has no frame 'fist'"),
        (lambda: laws.operational_space(arm(), "hand", 1, 1, position=(0, 0)),
         "position of operational_space is (0, 0)"),
        (lambda: laws.operational_space(arm(), "hand", 1, 1, position=(0, 0, 0), attitude=(1, 0)),
         "attitude of operational_space is (1, 0)"),
        (lambda: laws.state_feedback(arm(), np.zeros((7, 7)), [0] * 7),
         "gain of state_feedback has shape (7, 7)"),
        (lambda: laws.table(arm(), [0, 1], [1.0, 2.0]), "the table of forces has 1 columns; it drives 7"),
        (lambda: laws.neural_network(arm(), []), "neural_network has no layers"),
        (lambda: laws.neural_network(arm(), [np.zeros((7, 3))]), "has 3 inputs; arm7 has nq + nv = 14"),
        (lambda: laws.neural_network(arm(), [np.zeros((8, 14))]), "has 8 outputs; it drives 7"),
        (lambda: laws.neural_network(arm(), [np.zeros((8, 14)), np.zeros((7, 9))]),
         "weights[1] of neural_network has shape (7, 9); it needs (…, 8)"),
        (lambda: laws.neural_network(arm(), [np.zeros((7, 14))], [np.zeros(6)]),
         "biases of neural_network have shapes [(6,)]"),
        (lambda: laws.neural_network(arm(), [np.zeros((7, 14))], activation="swish"),
         "activation of neural_network is 'swish'"),
        (lambda: laws.neural_network(arm(), [np.full((7, 14), np.nan)]), "hold NaN or infinity"),
        (lambda: of_arm(laws.neural_network(arm(), [np.zeros((7, 3))], observe=lambda t, q, v, p: [t])),
         "observe of neural_network gives 1 numbers, and its first layer has 3 inputs"),
        (lambda: laws.operational_space(arm(), "hand", 1, 1, position=laws.Table([0, 1], [[0, 0], [1, 1]])),
         "position of operational_space is a table of 2 columns"),
        (lambda: of_arm(laws.operational_space(arm(), "hand", 1, 1, position=lambda t: 3.0)),
         "position of operational_space is 3.0"),
        (lambda: laws.motorised(weak(), still, {"root": curve()}), "a motor is to drive 'root'"),
        (lambda: laws.motorised(slider(), still, {}), "motors is dict of nothing"),
        (lambda: of_arm(laws.saturated(arm(), lambda t, q, v, x, p: {"elbow": 1.0}, 1.0)),
         "gives a force for 'elbow', which is no velocity of arm7"),
        (lambda: of_arm(laws.saturated(arm(), qt.Control(lambda t, q, v, x, p: [0.0] * 7, start=0.0), 1.0)),
         "the control law <lambda> has a state and returns a list"),
        (lambda: laws.actuated(slider(), still), "slider has no actuators"),
        (lambda: of_arm(laws.actuated(arm(), still)), "gives 1 commands; arm7 has nu = 7"),
        (lambda: of_arm(laws.actuated(arm(), lambda t, q, v, x, p: {"m": 0.0})),
         "commands 'm', which is no actuator"),
        (lambda: of_arm(laws.saturated(arm(), still, 1.0)), "gives 1 forces; arm7 has nv = 7"),
        (lambda: laws.motorised(slider(), still, {"rale": curve()}), "a motor is to drive 'rale'"),
        (lambda: laws.motorised(slider(), still, {"rail": 3}), "pass a dict of joints and Motor"),
        (lambda: laws.motorised(slider(), still, {"rail": curve()}, command="speed"),
         "command of motorised is 'speed'"),
        (lambda: laws.Motor(torque_constant=0.0, resistance=1, voltage=1), "torque_constant of Motor is zero"),
        (lambda: laws.Motor(torque_constant=1, resistance=1, voltage=1, inductance=-1),
         "inductance of Motor is -1"),
        (lambda: laws.Motor.of_curve(stall_torque=0, no_load_speed=1), "stall_torque of Motor.of_curve is 0"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_refused(make, text):
    with pytest.raises(ArgumentError) as error:
        make()
    assert text in str(error.value)
    assert "To fix: " in str(error.value)


def test_a_parameter_that_a_gain_is_named_after_must_be_there():
    robot = slider()
    with pytest.raises(ArgumentError, match="takes its number from the parameter 'k'"):
        run_of(robot, [0.0], [0.0], laws.pd(robot, "k", 0.0, [0.0]), duration=0.1)
