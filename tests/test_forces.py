"""Forces on trees: exact solutions, the power they take, and what is said of a wrong argument."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import quatrain as qt
from quatrain import ArgumentError, forces
from tests.states import free_body, random_state, rate_along, slider, state_of


def run_of(robot, q0, v0, **options):
    return qt.simulate(robot, q0, v0, **{"dt": 1e-3, **options})


# ---- joints -----------------------------------------------------------------------------------------------


def test_a_spring_and_a_damper_make_the_damped_oscillator():
    m, k, d, rest = 2.0, 50.0, 3.0, 0.2
    run = run_of(
        slider(m), [0.5], [1.0], duration=3.0,
        forces=[forces.JointSpring("rail", k, rest=rest), forces.JointDamper("rail", d)],
    )  # fmt: skip
    decay, frequency = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2)
    x0, v0 = 0.5 - rest, 1.0
    wave = x0 * np.cos(frequency * run.t) + (v0 + decay * x0) / frequency * np.sin(frequency * run.t)
    # Runge-Kutta 4 at ω h = 0.005: (ω h)⁴ ω t / 120 is 1e-10.
    assert np.abs(run.q[:, 0] - rest - np.exp(-decay * run.t) * wave).max() < 1e-10


def test_a_balls_spring_turns_it_as_an_oscillator_about_one_axis():
    robot = qt.examples.load("tumbling_box")
    built = qt.ModelBuilder("held", gravity=(0, 0, 0))
    built.body("body", joint="ball", joint_name="pivot", mass=1.0, inertia=(1, 2, 3))
    robot = built.robot()
    half = 0.4
    q0 = [np.cos(half), np.sin(half), 0, 0]
    run = run_of(robot, q0, [0, 0, 0], duration=2.0, forces=[forces.JointSpring("pivot", 9.0)])
    assert np.abs(2 * np.arctan2(run.q[:, 1], run.q[:, 0]) - 0.8 * np.cos(3.0 * run.t)).max() < 1e-9
    assert robot.nv == 3


def test_dry_friction_slows_as_its_integral_says():
    """∫ √(v² + s²)/v dv = √(v² + s²) − s asinh(s/v), so that falls as F t/m."""
    m, F, s = 2.0, 3.0, 0.05
    run = run_of(slider(m), [0.0], [1.0], duration=0.8, forces=[forces.Friction("rail", F, slip=s)])
    passed = lambda v: np.sqrt(v**2 + s**2) - s * np.arcsinh(s / v)
    v = run.v[:, 0]
    assert np.abs(passed(v) - (passed(1.0) - F * run.t / m)).max() < 1e-8
    assert 0 < v[-1] < 0.02


def test_the_stribeck_curve_is_that_of_the_formula_in_more_digits():
    element = forces.Friction("rail", 2.0, static=3.5, stribeck_speed=0.15, viscous=0.7, slip=0.003)
    model = slider().model
    with mpmath.workdps(30):
        for speed in ("-2", "-0.1", "-0.001", "0", "0.0004", "0.02", "0.3", "5"):
            v = mpmath.mpf(speed)
            curve = mpmath.mpf(2) + (mpmath.mpf("3.5") - 2) * mpmath.exp(-((v / mpmath.mpf(0.15)) ** 2))
            expected = -curve * v / mpmath.sqrt(v**2 + mpmath.mpf(0.003) ** 2) - mpmath.mpf(0.7) * v
            (tau,) = element(state_of(model, [0.0], [float(v)]))
            assert abs(tau - expected) < 1e-14 * (1 + abs(expected))


def rebound(speed, dissipation):
    """Of Hunt and Crossley's force alone m v dv = −k δⁿ (1 + c v) dδ: G(v) = v/c − ln(1 + c v)/c² comes back equal."""
    c = mpmath.mpf(dissipation)
    held = lambda v: v / c - mpmath.log(1 + c * v) / c**2
    ends = (max(-speed, -(1 - 1e-9) / dissipation), -1e-6)
    return float(-mpmath.findroot(lambda v: held(v) - held(mpmath.mpf(speed)), ends, solver="anderson"))


@pytest.mark.parametrize(("speed", "dissipation"), [(0.5, 0.3), (2.0, 0.3), (1.0, 2.0)])
def test_a_stop_gives_back_the_speed_that_hunt_and_crossley_leave(speed, dissipation):
    stop = forces.JointLimits(1e5, dissipation, joint="rail", lower=-1.0, upper=0.3)
    run = run_of(slider(), [0.0], [speed], duration=1.0, dt=2e-5, record_every=500, forces=[stop])
    assert run.v[-1, 0] == pytest.approx(-rebound(speed, dissipation), rel=1e-8)
    assert run.q[-1, 0] < 0.3


def test_stops_of_a_model_act_beyond_them_and_nowhere_else():
    robot = qt.examples.load("arm6")
    stops = forces.JointLimits(1e4)
    inside = stops(state_of(robot.model, [2.79] * 6, [3.0] * 6))
    assert inside == [0.0] * 6
    beyond = stops(state_of(robot.model, [2.81, -2.81, 0, 0, 0, 0], [0.0] * 6))
    assert beyond[0] == pytest.approx(-1e4 * 0.01**1.5)
    assert beyond[1] == pytest.approx(1e4 * 0.01**1.5)
    assert beyond[2:] == [0.0] * 4


def test_stops_never_pull():
    stop = forces.JointLimits(1e4, 1.0, joint="rail", upper=0.0)
    (leaving,) = stop(state_of(slider().model, [0.01], [-50.0]))
    assert leaving == 0.0


STIFF = {
    "spring": forces.JointSpring("rail", 4e5, rest=0.1),
    "damper": forces.JointDamper("rail", 3e4, 5e3),
    "friction": forces.Friction("rail", 40.0, viscous=5.0, slip=1e-4),
    "stops": forces.JointLimits(4e6, 0.5, joint="rail", lower=-0.1, upper=0.1),
}


@pytest.mark.parametrize("name", STIFF)
@pytest.mark.parametrize("place", [(0.3, 0.4), (-0.15, -0.2), (0.12, 1e-5)])
def test_slopes_are_those_of_the_force(name, place):
    robot = slider()
    with mpmath.workdps(50):
        h, (q, v) = mpmath.mpf(10) ** -20, map(mpmath.mpf, place)
        at = lambda dq, dv: STIFF[name](state_of(robot.model, [q + dq], [v + dv]))[0]
        (K,), (D,) = STIFF[name].slopes(state_of(robot.model, [q], [v]))
        assert abs((at(h, 0) - at(-h, 0)) / (2 * h) + K) < 1e-9 * (1 + abs(K))
        assert abs((at(0, h) - at(0, -h)) / (2 * h) + D) < 1e-9 * (1 + abs(D))


@pytest.mark.parametrize("name", STIFF)
def test_stiff_joints_take_no_smaller_steps_by_the_linearly_implicit_method(name):
    """Where the explicit one flies off it stays within bounds; its error is of first order."""
    robot, options = slider(2.0), {"duration": 0.2, "forces": [STIFF[name]], "record": ["q", "v"]}
    start = ([0.08], [0.5])
    coarse = run_of(robot, *start, dt=5e-3, method="linearly_implicit_euler", **options)
    assert np.abs(coarse.q).max() < 0.25
    assert np.abs(coarse.v[20:]).max() < 0.51
    if name in ("spring", "damper"):
        with pytest.warns(qt.DivergenceWarning):
            run_of(robot, *start, dt=5e-3, method="semi_implicit_euler", **{**options, "duration": 1.0})
    exact = run_of(robot, *start, dt=2e-6, record_every=2500, **options)
    errors = []
    for dt, every in ((1e-5, 500), (5e-6, 1000)):
        run = run_of(robot, *start, dt=dt, method="linearly_implicit_euler", record_every=every, **options)
        errors.append(np.abs(run.q - exact.q).max())
    assert errors[1] < 0.6 * errors[0]
    assert errors[1] < 3e-3


# ---- power ------------------------------------------------------------------------------------------------


def machine():
    return qt.examples.load("humanoid")


CONSERVATIVE = {
    "joint spring": forces.JointSpring("left_elbow", 30.0, rest=-0.3),
    "ball spring": forces.JointSpring("left_hip", 25.0, rest=(0.8, 0.6, 0.0, 0.0)),
    "stops": forces.JointLimits(400.0, 0.0, joint="left_knee", lower=1e3),
    "spring": forces.Spring("left_hand", "right_sole", 80.0, 0.3, at=(0.1, 0, 0), to=(0, 0.2, 0)),
    "spring without length": forces.Spring("left_hand", stiffness=80.0, to=(0.5, 0, 1)),
    "bushing": forces.Bushing("left_hand", "right_sole", (10.0, 20.0, 30.0), turning_stiffness=4.0),
    "uniform gravity": forces.UniformGravity((1.0, -2.0, 0.5)),
    "point gravity": forces.PointGravity(50.0, (0, 0, -9.0)),
    "point gravity on solids": forces.PointGravity(50.0, (0, 0, -4.0), extended=True),
    "ground": forces.GroundContact(("left_sole", "right_hand"), 70.0, 0.0, friction=0.0, radius=8.0),
    "ground on a body": forces.GroundContact(
        "left_sole", 70.0, 0.0, friction=0.0, radius=8.0, plane=forces.Plane((0, 0.1, 0), (1, 1, 0), "right_hand")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_what_stores_energy_gives_back_just_that(name):
    """f·v = −dV/dt, in fifty digits."""
    force, robot = CONSERVATIVE[name], machine()
    for seed in range(2):
        q, v = random_state(robot, seed)
        rate = rate_along(robot, q, v, force.potential_energy)
        with mpmath.workdps(50):
            state = state_of(robot.model, [mpmath.mpf(x) for x in q], [mpmath.mpf(x) for x in v])
            power = forces.power(state, force)
            assert abs(rate) > 1e-3
            # A random quaternion has a norm that is 1 to sixteen digits; along a motion the error is as large.
            assert abs(power + rate) < 1e-12 * (1 + abs(rate))


LOSING = {
    "damper": forces.JointDamper("waist", (1.0, 2.0), 0.5),
    "friction": forces.Friction("left_elbow", 2.0, static=3.0),
    "damper between frames": forces.Spring("left_hand", "right_hand", damping=3.0),
    "bushing": forces.Bushing("left_hand", "head", damping=(1.0, 2.0, 3.0), turning_damping=2.0),
    "drag": forces.Drag("head", area=(0.1, 0.2, 0.3), linear=0.4, turning=0.1, at=(0.1, 0.2, 0.3)),
}


@pytest.mark.parametrize("name", LOSING)
def test_what_resists_takes_power(name):
    robot = machine()
    for seed in range(4):
        q, v = random_state(robot, seed)
        assert forces.power(state_of(robot.model, q, v), LOSING[name]) < 0


@pytest.mark.parametrize(
    "name", [name for name in CONSERVATIVE if "gravity" not in name and "world" not in name]
)
def test_forces_between_bodies_are_equal_and_opposite(name):
    """The whole machine feels nothing of what acts within it."""
    force, robot = CONSERVATIVE[name], machine()
    if name in ("spring without length", "ground"):
        return
    q, v = random_state(robot, 7)
    state = state_of(robot.model, q, v)
    push = force(state)
    if isinstance(push, dict):
        total_f = sum(np.array(list(f)) for f, _ in push.values())
        total_t = sum(
            np.array(list(t)) + np.cross(np.array(list(state.pose(frame).p)), np.array(list(f)))
            for frame, (f, t) in push.items()
        )
        assert np.abs(total_f).max() < 1e-12
        assert np.abs(total_t).max() < 1e-11


def test_energy_is_kept_in_a_run_with_springs():
    robot = machine()
    held = [CONSERVATIVE[name] for name in ("spring", "bushing", "joint spring", "ball spring")]
    q, v = random_state(robot, 3, 0.3)
    total = lambda s: qt.equations.dynamics.energy(s.model, s.q, s.v) + forces.stored_energy(s, held)
    run = run_of(
        robot, q, v, duration=0.2, forces=held, record={"total": total, "energy": None}, record_every=20
    )
    assert np.ptp(run["energy"]) > 1
    assert np.ptp(run["total"]) < 1e-6 * np.abs(run["total"]).max()


# ---- frames -----------------------------------------------------------------------------------------------


def test_a_spring_between_two_bodies_swings_with_their_reduced_mass():
    built = qt.ModelBuilder("two", gravity=(0, 0, 0))
    for name, mass in (("a", 1.0), ("b", 3.0)):
        built.body(name, joint="prismatic", joint_name=f"{name}_rail", axis="x", mass=mass, inertia=(1, 1, 1))
    run = run_of(
        built.robot(),
        [0.0, 0.7],
        [0.0, 0.0],
        duration=2.0,
        forces=[forces.Spring("b", "a", 40.0, length=0.5)],
    )
    frequency = np.sqrt(40.0 / 0.75)
    assert np.abs(run.q[:, 1] - run.q[:, 0] - 0.5 - 0.2 * np.cos(frequency * run.t)).max() < 1e-9


def test_a_bushing_holds_a_free_body_along_and_about_every_axis():
    held = forces.Bushing("body", stiffness=(8.0, 18.0, 32.0), turning_stiffness=10.0)
    for axis, frequency in enumerate((2.0, 3.0, 4.0)):
        q0 = np.array([0, 0, 0, 1.0, 0, 0, 0])
        q0[axis], q0[3], q0[4 + axis] = 0.1, np.cos(0.35), np.sin(0.35)
        run = run_of(free_body(), q0, np.zeros(6), duration=1.5, forces=[held])
        assert np.abs(run.q[:, axis] - 0.1 * np.cos(frequency * run.t)).max() < 1e-9
        angle = 2 * np.arctan2(run.q[:, 4 + axis], run.q[:, 3])
        assert np.abs(angle - 0.7 * np.cos(5.0 * run.t)).max() < 1e-9


def gripper():
    """Joints that follow, a screw, a fixed frame on the ground."""
    built = qt.ModelBuilder("gripper")
    built.body("palm", joint="helical", axis="z", pitch=0.1, mass=1.0, inertia=(1, 1, 1))
    built.body(
        "left", parent="palm", joint="prismatic", axis="y", at=(0, 0.01, 0.05), mass=0.05, inertia=(1, 1, 1)
    )
    built.body(
        "right",
        parent="palm",
        axis="x",
        at=(0, -0.01, 0.05),
        mass=0.05,
        inertia=(1, 1, 1),
        mimic=("left", 2.0),
    )
    built.frame("grip", body="right", at=qt.Pose(qt.Quaternion(0.8, 0.6, 0.0, 0.0), qt.Vec3(0.1, 0.2, 0.3)))
    return built.frame("post", body="world", at=(1, 2, 3)).robot()


def test_a_spring_of_a_joint_that_follows_is_felt_by_the_one_it_follows():
    robot = gripper()
    state = state_of(robot.model, [0.1, 0.03], [0.0, 0.0])
    assert forces.JointSpring("right", 5.0)(state) == pytest.approx([0.0, -2 * 2 * 5.0 * 0.03])
    assert forces.JointSpring("right", 5.0).potential_energy(state) == pytest.approx(5.0 * 0.06**2 / 2)


@pytest.mark.parametrize("make", [machine, gripper])
def test_elements_see_frames_where_the_robot_has_them(make):
    robot = make()
    q, v = random_state(robot, 8)
    state, point = state_of(robot.model, q, v), qt.Vec3(0.3, -0.2, 0.1)
    for frame in robot.model.frame_names[-4:]:
        place = state.moving.place(robot.model, frame)
        position, attitude = robot.pose(q, frame)
        assert np.abs(np.array([*place.p]) - position).max() < 1e-13
        turned = [*(place.R @ point)], [*qt.Quaternion(*attitude).rotate(point)]
        assert np.abs(np.subtract(*turned)).max() < 1e-13
        found = state.moving.velocity(robot.model, frame, point)
        expected = robot.velocity(q, v, frame, point=[*point])
        assert np.abs(np.array([[*x] for x in found]) - np.array(expected)).max() < 1e-12


# ---- gravity ----------------------------------------------------------------------------------------------


def test_uniform_gravity_is_that_of_a_model_that_has_it():
    heavy = machine()
    light = qt.Robot(qt.Model(**{**vars_of(heavy.model), "gravity": qt.Vec3(0.0, 0.0, 0.0)}))
    q, v = random_state(heavy, 1)
    push = forces.UniformGravity((0, 0, -9.81))(state_of(light.model, q, v))
    external = {frame: ([*f], [*t]) for frame, (f, t) in push.items()}
    a = light.forward_dynamics(q, v, np.zeros(heavy.nv), external=external)
    assert np.abs(a - heavy.forward_dynamics(q, v, np.zeros(heavy.nv))).max() < 1e-9


def vars_of(model):
    return {name: getattr(model, name) for name in model.__dataclass_fields__}


def test_a_point_that_attracts_makes_keplers_ellipse():
    mu, a, e = 2.0, 1.3, 0.4
    v0 = np.sqrt(mu / a * (1 + e) / (1 - e))
    run = run_of(
        free_body(), [a * (1 - e), 0, 0, 1, 0, 0, 0], [0, v0, 0, 0, 0, 0], duration=8.0, record_every=100,
        method="dop853", tolerance=1e-12, forces=[forces.PointGravity(mu)],
    )  # fmt: skip
    mean = np.sqrt(mu / a**3) * run.t
    E = np.array([float(mpmath.findroot(lambda E, M=M: E - e * mpmath.sin(E) - M, M)) for M in mean])
    assert np.abs(run.q[:, 0] - a * (np.cos(E) - e)).max() < 1e-9
    assert np.abs(run.q[:, 1] - a * np.sqrt(1 - e * e) * np.sin(E)).max() < 1e-9


def test_gravity_on_a_solid_is_that_on_its_points_to_second_order():
    """A rod with a point at each end; what is left out falls as the fourth power of its length."""
    mu, r = 3.0, np.array([2.0, 1.0, -1.5])
    u = np.array([1.0, 2.0, 2.0]) / 3
    errors = []
    for half in (0.1, 0.05):
        pull = [-mu * p / np.linalg.norm(p) ** 3 for p in (r + half * u, r - half * u)]
        force, torque = pull[0] + pull[1], np.cross(half * u, pull[0] - pull[1])
        inertia = 2 * half**2 * (np.eye(3) - np.outer(u, u))
        robot = free_body(2.0, inertia)
        push = forces.PointGravity(mu, extended=True)(state_of(robot.model, [*r, 1.0, 0, 0, 0], [0.0] * 6))
        f, t = push["body"]
        assert np.abs(np.array([*t]) - torque).max() < 5 * half**4
        errors.append(np.abs(np.array([*f]) - force).max())
    assert errors[0] < 1e-4 * np.linalg.norm(force)
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.05)


# ---- air --------------------------------------------------------------------------------------------------


def test_a_body_falls_to_its_terminal_speed():
    m, g, area, rho = 2.0, 9.81, 0.3, 1.2
    run = run_of(
        free_body(m, gravity=(0, 0, -g)), [0, 0, 0, 1, 0, 0, 0], np.zeros(6), duration=5.0,
        forces=[forces.Drag("body", area, rho)],
    )  # fmt: skip
    terminal = np.sqrt(2 * m * g / (rho * area))
    assert np.abs(run.v[:, 2] + terminal * np.tanh(g * run.t / terminal)).max() < 1e-10


def test_slow_flow_and_turning_decay_and_the_wind_carries_along():
    robot = free_body(2.0, (0.4, 0.4, 0.4))
    push = forces.Drag("body", linear=3.0, turning=0.8, wind=lambda t, p: (5.0, 0.0, p.x * 0.0))
    run = run_of(
        robot, [0, 0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 2.0], duration=2.0, forces=[push], record_every=10
    )
    decay = np.exp(-1.5 * run.t)
    assert np.abs(run.v[:, 0] - 5.0 * (1 - decay)).max() < 1e-10
    assert np.abs(run.v[:, 1] - decay).max() < 1e-10
    assert np.abs(run.v[:, 5] - 2.0 * np.exp(-2.0 * run.t)).max() < 1e-10


# ---- tables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9, 37])
@pytest.mark.parametrize("ends", ["natural", "clamped"])
def test_a_spline_is_scipys(count, ends):
    rng = np.random.default_rng(count)
    times = np.cumsum(rng.uniform(0.1, 1.0, count))
    values = rng.normal(size=(count, 2))
    table = forces.Table(times, values, "cubic", ends)
    t = np.linspace(times[0] + 1e-9, times[-1] - 1e-9, 200)
    spline = CubicSpline(times, values, bc_type=ends)
    for order, function in enumerate((table, table.rate, table.acceleration)):
        found = np.stack(np.broadcast_arrays(*function(t)), axis=-1)
        assert np.abs(found - spline(t, order)).max() < 1e-9
    assert table(times[0] - 5.0) == pytest.approx(values[0])
    assert table(times[-1] + 5.0) == pytest.approx(values[-1])
    assert table.rate(times[-1] + 5.0) == (0.0, 0.0)


def test_tables_that_hold_and_that_join_by_lines():
    times, values = [0.0, 1.0, 1.5, 4.0], [1.0, -2.0, 3.0, 0.0]
    t = np.linspace(-1, 5, 601) + 1e-4
    (line,) = forces.Table(times, values)(t)
    assert np.abs(line - np.interp(t, times, values)).max() < 1e-14
    (held,) = forces.Table(times, values, "hold")(t)
    place = np.clip(np.searchsorted(times, t, side="right") - 1, 0, 3)
    assert np.array_equal(held, np.array(values)[place])
    assert forces.Table([0.0], [[7.0, 8.0]])(3.0) == (7.0, 8.0)
    kernel = qt.compile(lambda t: forces.Table(times, values, "hold")(t)[0], inputs={"t": float})
    assert np.array_equal(kernel(t), held)


def test_a_push_in_time_gives_its_impulse():
    push = forces.Schedule("body", [0.0, 0.5, 1.0], force=[(0, 0, 0), (6, 0, 2), (0, 0, 0)])
    run = run_of(free_body(2.0), [0, 0, 0, 1, 0, 0, 0], np.zeros(6), duration=2.0, forces=[push])
    assert np.abs(run.v[-1, :3] - np.array([3.0, 0, 1.0]) / 2.0).max() < 1e-12


def test_a_push_in_body_axes_turns_with_the_body():
    push = forces.Schedule("body", [0.0], force=[(1.0, 0, 0)], torque=[(0, 0, 0.0)], axes="body")
    q0 = [0, 0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    f, _ = push(state_of(free_body().model, q0, [0.0] * 6))["body"]
    assert np.abs(np.array([*f]) - [0, 1, 0]).max() < 1e-15


def test_forces_of_joints_in_time():
    robot = qt.examples.load("tumbling_box")
    push = forces.JointSchedule("root", [0.0, 1.0], [[0] * 6, [0, 0, 1, 0, 0, 0]])
    assert push(state_of(robot.model, robot.neutral(), [0.0] * 6, t=0.25)) == [0, 0, 0.25, 0, 0, 0]


# ---- numbers of each motion --------------------------------------------------------------------------------


def test_a_number_by_name_is_each_motions_own():
    k = np.array([10.0, 40.0, 90.0])
    run = run_of(
        slider(1.0), np.ones((3, 1)), np.zeros((3, 1)), duration=1.0, parameters={"k": k},
        forces=[forces.JointSpring("rail", "k")],
    )  # fmt: skip
    assert np.abs(run.q[..., 0] - np.cos(np.sqrt(k)[:, None] * run.t)).max() < 1e-9


def test_a_users_own_force_is_a_function():
    def magnet(state):
        p = state.pose("body").p
        return {"body": (p * -4.0, qt.Vec3(0.0, 0.0, 0.0))}

    run = run_of(free_body(1.0), [1, 0, 0, 1, 0, 0, 0], np.zeros(6), duration=1.0, forces=[magnet])
    assert np.abs(run.q[:, 0] - np.cos(2 * run.t)).max() < 1e-10


def test_forces_on_a_pendulum_are_those_of_an_ode_solver():
    """Drag, a spring to the ceiling, friction and a stop together, against DOP853 on the equation written out."""
    robot = qt.examples.load("pendulum")
    acting = [
        forces.Drag("tip", area=0.5, density=1.0),
        forces.Spring("tip", "world", 5.0, 0.5, damping=0.2, to=(0, 0, 1)),
        forces.Friction("pivot", 0.3, slip=0.1),
        forces.JointLimits(2e3, 0.5, joint="pivot", upper=0.4),
    ]
    run = run_of(robot, [-1.0], [0.0], duration=2.0, forces=acting, dt=2.5e-4, record_every=100)

    def motion(t, y):
        th, w = y
        p, v = (
            np.array([-np.sin(th), -np.cos(th)]),
            np.array([-np.cos(th), np.sin(th)]) * w,
        )  # (x, z) of the tip
        f = -0.5 * 0.5 * np.linalg.norm(v) * v
        apart = p - np.array([0, 1.0])
        length = np.linalg.norm(apart)
        f = f - apart / length * (5.0 * (length - 0.5) + 0.2 * (apart @ v) / length)
        torque = -9.81 * np.sin(th) + f @ np.array([-np.cos(th), np.sin(th)])
        torque -= 0.3 * w / np.hypot(w, 0.1)
        depth = th - 0.4
        torque -= max(2e3 * depth**1.5 * (1 + 0.5 * w), 0.0) if depth > 0 else 0.0
        return [w, torque]

    exact = solve_ivp(
        motion, (0, 2), [-1.0, 0.0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-13, max_step=0.002
    )
    assert run.q.max() > 0.4
    assert np.abs(run.q[:, 0] - exact.y[0]).max() < 1e-7


# ---- what is said of a wrong argument ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: forces.JointSpring("rail", -1.0), "stiffness of JointSpring is -1.0"),
        (lambda: forces.JointSpring("rail", float("nan")), "stiffness of JointSpring is nan"),
        (lambda: forces.JointDamper("rail", None), "damping of JointDamper is None, which is no number"),
        (lambda: forces.Friction("rail", 1.0, slip=0.0), "slip of Friction is zero"),
        (lambda: forces.JointLimits(0.0), "stiffness of JointLimits is zero"),
        (lambda: forces.JointLimits(1.0, lower=0.0), "has bounds and no joint"),
        (lambda: forces.JointLimits(1.0, joint="rail", lower=1.0, upper=0.0), "the lower bound 1 above the upper, 0"),
        (lambda: forces.Spring("box", "box", 1.0), "Spring joins 'box' to itself"),
        (lambda: forces.Spring("box", stiffness=1.0, at=(1, 2)), "at of Spring is (1, 2)"),
        (lambda: forces.Drag("box", area=-0.1), "area of Drag is -0.1"),
        (lambda: forces.PointGravity(-1.0), "mu of PointGravity is -1.0"),
        (lambda: forces.UniformGravity(9.81), "acceleration of UniformGravity is 9.81"),
        (lambda: forces.Plane(normal=(0, 0, 0)), "normal of Plane is zero"),
        (lambda: forces.GroundContact((), 1e4), "GroundContact has no frames"),
        (lambda: forces.GroundContact("box", 1e4, friction=-1), "friction of GroundContact is -1"),
        (lambda: forces.GroundContact("box", 1e4, points=((0, 0),)), "points[0] of GroundContact is (0, 0)"),
        (lambda: forces.GroundContact("box", 1e4, plane="floor"), "plane of GroundContact is a str"),
        (lambda: forces.Schedule("box", [0.0]), "neither force nor torque"),
        (lambda: forces.Schedule("box", [0.0], force=[(1, 2)]), "force of Schedule has rows of 2"),
        (lambda: forces.Schedule("box", [0.0], force=[(1, 2, 3)], axes="hand"), "axes of Schedule is 'hand'"),
        (lambda: forces.Table([0, 1, 1], [1, 2, 3]), "1 follows 1 at entry 2"),
        (lambda: forces.Table([0, 1], [1, 2, 3]), "2 times and 3 values"),
        (lambda: forces.Table([0, 1], [1, "a"]), "values of a table holds 'a'"),
        (lambda: forces.Table([0, 1], [1, 2], "quintic"), "kind of a table is 'quintic'"),
        (lambda: forces.Table([0, 1], [1, 2], ends="free"), "ends of a table are 'free'"),
        (lambda: forces.Table([0, 1], [[1, 2], [3]]), "have not as many values"),
    ],
)  # fmt: skip
def test_a_wrong_number_is_refused_when_the_element_is_made(make, text):
    with pytest.raises(ArgumentError) as error:
        make()
    assert text in str(error.value)
    assert "To fix: " in str(error.value)


@pytest.mark.parametrize(
    ("force", "text"),
    [
        (forces.JointSpring("rale", 1.0), "slider has no joint 'rale' that moves"),
        (forces.JointSpring("rail", (1.0, 2.0)), "stiffness of JointSpring has 2 numbers, and there is 1 to act on"),
        (forces.JointSpring("rail", 1.0, rest=(0.0, 1.0)), "rest of JointSpring has 2 numbers"),
        (forces.JointLimits(1.0), "no joint of slider has limits"),
        (forces.Spring("hand", stiffness=1.0), "slider has no frame 'hand'"),
        (forces.Bushing("box", stiffness=(1.0, 2.0)), "stiffness of Bushing has 2 numbers"),
        (forces.UniformGravity((0, 0, 1), bodies=("bax",)), "slider has no body 'bax'"),
        (forces.JointSchedule("rail", [0.0], [[1.0, 2.0]]), "rows of 2, and joint 'rail' has 1 velocities"),
        (forces.JointSpring("rail", "k"), "takes its number from the parameter 'k'"),
        (lambda state: [1.0, 2.0], "gives 2 numbers"),
    ],
)  # fmt: skip
def test_a_force_that_does_not_fit_the_machine_is_refused_before_the_run(force, text):
    with pytest.raises(ArgumentError) as error:
        run_of(slider(), [0.0], [0.0], duration=0.01, forces=[force])
    assert text in str(error.value)
    assert "To fix: " in str(error.value)


def test_shapes_that_contact_does_not_know_are_named():
    built = qt.ModelBuilder("can")
    built.body("can", joint="free", solid=qt.Cylinder(0.1, 0.2), mass=1.0)
    with pytest.raises(ArgumentError, match="has a cylinder to collide with"):
        forces.GroundContact.of_shapes(built.model(), 1e4)
    with pytest.raises(ArgumentError, match="slider has no collision shapes"):
        forces.GroundContact.of_shapes(slider(), 1e4)
