"""Runs of trees: against SciPy and MuJoCo, orders of convergence, laws, and what a user may say and not say."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import quatrain as qt
from quatrain import ArgumentError, Control, ModelBuilder, Quaternion
from quatrain.equations import joints
from quatrain.equations.tree import Tree
from quatrain.scalar import cos, sin
from quatrain.steppers import ADAPTIVE, METHODS
from tests.truth.random_trees import random_state, random_tree
from tests.truth.trees_elsewhere import MujocoTree

FIXED = tuple(m for m in METHODS if m not in (*ADAPTIVE, "variational"))
ORDERS = {"semi_implicit_euler": 1, "linearly_implicit_euler": 1, "rk4": 4, "rkmk4": 4, "crouch_grossman3": 3,
          "crouch_grossman4": 4, "implicit_midpoint": 2, "generalized_alpha": 2}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """Kernels that several tests use are compiled once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def jumper():
    """A free body with an arm on a ball, a hinge and a slide: every kind of coordinate."""
    built = ModelBuilder("jumper")
    built.body("hull", joint="free", mass=3.0, com=(0.02, 0, 0.01), inertia=(0.05, 0.08, 0.1))
    built.body(
        "arm",
        parent="hull",
        joint="ball",
        at=(0.1, 0, 0),
        mass=1.0,
        com=(0, 0, -0.2),
        inertia=(0.02, 0.03, 0.01),
    )
    built.body(
        "hand",
        parent="arm",
        joint="revolute",
        axis="y",
        at=(0, 0, -0.4),
        mass=0.5,
        com=(0, 0.05, -0.1),
        inertia=(0.01, 0.01, 0.004),
    )
    built.body(
        "slider",
        parent="hull",
        joint="prismatic",
        axis="x",
        at=(0, 0.1, 0),
        mass=0.4,
        com=(0, 0, 0.03),
        inertia=(0.002, 0.003, 0.002),
    )
    return built.model()  # fmt: skip


def solved_by_mujoco(model, q, v, t, force=None):
    """The motion with MuJoCo's accelerations and SciPy's DOP853 at 1e-13."""
    pytest.importorskip("mujoco")
    there, tree = MujocoTree(model), Tree.of(model)

    def rate(time, y):
        q, v = y[: model.nq], y[model.nq :]
        forces = np.zeros(model.nv) if force is None else force(time, q, v)
        a = there.at(q, v, forces).qacc.copy()
        return np.concatenate([joints.coordinate_rates(tree, q, v), a])

    found = solve_ivp(rate, (0, t), np.concatenate([q, v]), method="DOP853", rtol=1e-13, atol=1e-14)
    return found.y[: model.nq, -1], found.y[model.nq :, -1]


# ---- against others ------------------------------------------------------------------------------------


def test_a_double_pendulum_has_the_digits_of_the_reference():
    """Points of 1 kg on rods of 1 m, both horizontal at rest: angles from the vertical by 128-bit Taylor series."""
    exact = {
        1: (-0.62508769980639062995, -1.0345850856800123406, -3.9222795728879766169, -1.3030992486963312433),
        2: (-0.48297153425175437745, -1.3240487123023625488, 3.0652881920734013152, 2.949271547571618983),
        5: (-0.62718670506653073014, -1.3013155502098116779, 2.1254086738429106507, 3.8818887272656074393),
        10: (-0.56847466401595018878, -0.52639372793240469833, 6.0783848857619648548, -9.6813606817088787581),
    }
    tolerances = {1: 1e-10, 2: 1e-9, 5: 1e-8, 10: 1e-6}
    robot = qt.examples.load("double_pendulum")
    run = qt.simulate(robot, [math.pi / 2, 0.0], duration=10.0, dt=0.5, method="dop853", tolerance=1e-13)
    for t, values in exact.items():
        q, v = run.q[2 * t], run.v[2 * t]
        found = [q[0], q[0] + q[1], v[0], v[0] + v[1]]
        assert found == pytest.approx(values, rel=0, abs=tolerances[t])


@pytest.mark.parametrize("name", ["acrobot", "arm6", pytest.param("quadruped", marks=pytest.mark.slow)])
def test_a_motion_is_the_one_of_mujoco_and_scipy(name):
    """Joints of the machines move without springs and friction here, as MuJoCo's twin has none."""
    model = qt.examples.model(name)
    rng = np.random.default_rng(0)
    q = np.array(qt.Robot(model).neutral()) if name == "quadruped" else rng.normal(size=model.nq)
    v = rng.normal(size=model.nv)
    exact_q, exact_v = solved_by_mujoco(model, q, v, 0.3)
    run = qt.simulate(model, q, v, duration=0.3, dt=0.3, method="dop853", tolerance=1e-13, passive=False)
    scale = max(1.0, np.abs(exact_v).max())
    assert np.abs(run.q[-1] - exact_q).max() < 1e-10 * scale  # MuJoCo's own accelerations are good to 1e-12
    assert np.abs(run.v[-1] - exact_v).max() < 1e-10 * scale


def test_control_and_external_force_are_mujocos_applied_forces():
    model = qt.examples.model("arm6")
    q, v = np.full(6, 0.3), np.zeros(6)

    def push(t, q, v):
        return 3 * np.sin(4 * t + np.arange(6)) - 2 * v

    exact_q, exact_v = solved_by_mujoco(model, q, v, 0.2, push)
    run = qt.simulate(
        model, q, v, duration=0.2, dt=0.1, method="dop853", tolerance=1e-12, passive=False,
        forces=lambda s: [3 * sin(4 * s.t + i) - 2 * rate for i, rate in enumerate(s.v)],
    )  # fmt: skip
    assert np.abs(run.q[-1] - exact_q).max() < 1e-10
    assert np.abs(run.v[-1] - exact_v).max() < 1e-9


def test_the_semi_implicit_step_is_mujocos():
    """MuJoCo's Euler without damping: the same map, step by step, but for the rounding of either."""
    mujoco = pytest.importorskip("mujoco")
    model = qt.examples.model("arm6")
    there = MujocoTree(model)
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=6), rng.normal(size=6)
    there.model.opt.timestep, there.model.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_EULER
    there.at(q, v)
    for _ in range(200):
        mujoco.mj_step(there.model, there.data)
    run = qt.simulate(model, q, v, duration=0.2, dt=1e-3, method="semi_implicit_euler", passive=False)
    assert np.abs(run.q[-1] - there.data.qpos).max() < 1e-11
    assert np.abs(run.v[-1] - there.data.qvel).max() < 1e-10


# ---- laws ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", FIXED)
def test_orders_of_convergence_with_ball_and_free_joints(method):
    exact_q, exact_v = _end_of_jumper()
    order = ORDERS[method]
    simulation = qt.TreeSimulation(jumper(), method=method, passive=False, record=("q", "v"))
    errors = []
    for count in (32, 64) if order >= 3 else (128, 256):
        run = simulation(*_start_of_jumper(), duration=0.4, dt=0.4 / count, record_every=count)
        errors.append(max(np.abs(run.q[-1] - exact_q).max(), np.abs(run.v[-1] - exact_v).max()))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@cache
def _end_of_jumper():
    options = {"method": "dop853", "tolerance": 1e-13, "passive": False, "record": ("q", "v")}
    run = qt.simulate(jumper(), *_start_of_jumper(), duration=0.4, dt=0.4, **options)
    return run.q[-1], run.v[-1]


def _start_of_jumper():
    model = jumper()
    q = np.array(qt.Robot(model).neutral())
    q[3:7] = Quaternion(0.5, 0.1, -0.7, 0.3).normalised().to_array()
    q[7:11] = Quaternion(0.9, 0.3, 0.2, -0.1).normalised().to_array()
    v = np.array([0.3, -0.2, 2.0, 1.0, -2.0, 0.5, 2.0, 1.0, -1.0, 3.0, 0.2])
    return q, v


@pytest.mark.parametrize("method", ["rk4", "rkmk4", "dop853", "implicit_midpoint"])
def test_without_gravity_momentum_and_energy_are_kept(method):
    model = replace(jumper(), gravity=qt.Vec3(0, 0, 0))
    q, v = _start_of_jumper()
    run = qt.simulate(
        model, q, v, duration=2.0, dt=1e-3, record_every=100, method=method, record=("q", "v", "energy", "momentum")
    )  # fmt: skip
    bound = {"implicit_midpoint": 2e-5, "dop853": 1e-8}.get(method, 1e-10)
    assert run.drift("momentum")[1] < bound
    assert run.drift("energy")[1] < bound
    norms = [np.linalg.norm(run.q[:, k : k + 4], axis=-1) for k in (3, 7)]
    assert np.abs(np.array(norms) - 1).max() < 1e-15


@pytest.mark.parametrize("seed", range(3))
def test_power_of_all_forces_is_the_change_of_energy(seed):
    """Energy at the end is that at the start and the work of the joint forces, added up by Simpson's rule."""
    model = random_tree(seed, 10)
    q, v, _ = random_state(model, seed, 1)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    run = qt.simulate(
        model, q[0], v[0] * 0.3, duration=0.1, dt=5e-4, passive=False,
        control=lambda t, q, v, x, p: list(tau), record=("v", "energy"),
    )  # fmt: skip
    power = run.v @ tau
    from scipy.integrate import simpson

    work = simpson(power, x=run.t)
    assert run.energy()[-1] - run.energy()[0] == pytest.approx(work, rel=1e-6)


def test_stiff_springs_and_friction_want_no_small_steps_when_taken_implicitly():
    """A light hinge in stiff grease: against the exact solution of the linear equation, at h k ≫ 1."""
    built = ModelBuilder("door", gravity=(0, 0, 0))
    built.body(
        "leaf",
        joint_name="hinge",
        axis="z",
        mass=1.0,
        com=(0, 0, 0),
        inertia=(1, 1, 1),
        damping=5000.0,
        stiffness=1000.0,
    )
    run = qt.simulate(built.model(), [1.0], duration=20.0, dt=0.02, method="linearly_implicit_euler")  # fmt: skip
    slow = (-5000.0 + math.sqrt(5000.0**2 - 4000.0)) / 2
    assert run.q[-1, 0] == pytest.approx(math.exp(slow * 20.0), rel=1e-2)  # half of h k² t
    with pytest.warns(qt.DivergenceWarning, match="where hinge was beyond 1e12 first"):
        qt.simulate(built.model(), [1.0], duration=20.0, dt=0.02, method="semi_implicit_euler")


def test_a_model_without_passive_forces_is_stepped_alike_by_both_eulers():
    model, (q, v) = jumper(), _start_of_jumper()
    explicit, implicit = (
        qt.simulate(model, q, v, duration=0.1, dt=1e-2, method=m, passive=False)
        for m in ("semi_implicit_euler", "linearly_implicit_euler")
    )
    assert np.abs(explicit.v - implicit.v).max() < 1e-12


# ---- batches -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*FIXED, *ADAPTIVE])
def test_a_batch_is_its_motions_one_by_one_whatever_the_threads(method):
    simulation = qt.TreeSimulation(jumper(), method=method, threads=2)
    q, v = _start_of_jumper()
    v = v + np.random.default_rng(0).normal(size=(37, 11)) * 0.1
    together = simulation(q, v, duration=0.04, dt=0.01)
    alone = qt.TreeSimulation(jumper(), method=method)
    for k in (0, 7, 8, 36):
        single = alone(q, v[k], duration=0.04, dt=0.01)
        assert np.array_equal(single.q, together.q[k])
        assert np.array_equal(single.v, together.v[k])
        assert np.array_equal(single["energy"], together["energy"][k])


def test_axes_of_starts_and_parameters_broadcast():
    model = qt.examples.model("pendulum")
    run = qt.simulate(
        model, np.linspace(0.1, 1.0, 4)[:, None, None], np.zeros((3, 1)), duration=0.1, dt=0.01,
        parameters={"bob.mass": [1.0, 2.0, 3.0], "k": 0.5}, forces=lambda s: [-s.q["pivot"] * s.p["k"]],
    )  # fmt: skip
    assert run.batch == (4, 3)
    single = qt.simulate(
        model, [0.4], duration=0.1, dt=0.01, parameters={"bob.mass": 2.0, "k": 0.5},
        forces=lambda s: [-s.q["pivot"] * s.p["k"]],
    )  # fmt: skip
    assert np.array_equal(run.q[1, 1], single.q)


def test_a_varied_part_is_the_model_with_that_number():
    model = qt.examples.model("arm6")
    name = model.body_names[3]
    q, v = np.full((2, 6), 0.4), np.full(6, 0.5)
    varied = qt.simulate(model, q, v, duration=0.2, dt=0.01, parameters={f"{name}.mass": [1.5, 2.5]})
    bodies = list(model.bodies)
    bodies[3] = replace(bodies[3], mass=2.5)
    plain = qt.simulate(replace(model, bodies=tuple(bodies)), q[0], v, duration=0.2, dt=0.01)
    assert np.abs(varied.q[1] - plain.q).max() < 1e-12  # constants fold in another order


# ---- control, records ------------------------------------------------------------------------------------


def test_a_law_reads_coordinates_by_name_and_gives_forces_by_name():
    model = qt.examples.model("cart_pole")
    names = model.v_names

    def by_name(t, q, v, x, p):
        return {names[0]: -3.0 * q[names[0]] - v[0] + 2.0 * q[names[1]]}

    def by_index(t, q, v, x, p):
        return [-3.0 * q[0] - v[0] + 2.0 * q[1], 0.0]

    runs = [qt.simulate(model, [0.2, 0.1], duration=0.3, dt=0.01, control=law) for law in (by_name, by_index)]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert np.array_equal(runs[0].tau, runs[1].tau)


def test_a_law_at_its_own_rate_is_held_in_between():
    model = qt.examples.model("pendulum")
    run = qt.simulate(
        model, [0.3], duration=0.1, dt=0.01, control=Control(lambda t, q, v, x, p: [cos(t)], every=5), record=("tau",)
    )  # fmt: skip
    assert run.tau[:5, 0].tolist() == [1.0] * 5
    assert run.tau[5:10, 0] == pytest.approx(math.cos(0.05))


def test_anything_of_the_state_can_be_recorded():
    robot = qt.examples.load("arm6")
    hand = robot.model.frame_names[-1]
    run = qt.simulate(
        robot, np.full(6, 0.3), np.full(6, 0.2), duration=0.1, dt=0.05,
        record={
            **dict.fromkeys(("q", "v", f"{hand}.position", f"{hand}.velocity")),
            "far": lambda s: s.pose(hand).p.norm(),
        },
    )  # fmt: skip
    position, _ = robot.pose(run.q, hand)
    assert run[f"{hand}.position"] == pytest.approx(position, abs=1e-14)
    assert run.far == pytest.approx(np.linalg.norm(position, axis=-1), abs=1e-14)
    twist = np.einsum("...ij,...j->...i", robot.jacobian(run.q, hand), run.v)
    assert run[f"{hand}.velocity"] == pytest.approx(twist[..., :3], abs=1e-13)
    assert run[f"{hand}.velocity"].shape == (3, 3)


def test_events_of_each_element_are_found_between_the_steps():
    """Small swings of a pendulum cross the vertical a quarter of a period after release."""
    amplitude = np.array([0.1, 0.5, 1.0])
    run = qt.simulate(
        qt.examples.model("pendulum"), amplitude[:, None], duration=1.0, dt=0.01, method="rk4",
        events={"down": lambda t, q, v: q["pivot"]}, passive=False,
    )  # fmt: skip
    from scipy.special import ellipk

    quarter = ellipk(np.sin(amplitude / 2) ** 2) / math.sqrt(9.81)
    assert run.events["down"].t[:, 0] == pytest.approx(quarter, abs=1e-7)


# ---- what cannot be --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": "variational"}, "arm6 has no step of the method 'variational'"),
        ({"method": "rk5"}, "there is no method 'rk5'"),
        ({"record": ["torques"]}, "arm6 has no quantity 'torques' to record"),
        ({"forces": [1.0]}, "a force is a float, which cannot be called"),
        ({"forces": lambda s: [1.0]}, "gives 1 numbers"),
        ({"control": lambda t, q, v, x, p: {"nose": 1.0}}, "gives a force for 'nose'"),
        ({"control": lambda t, q, v, x, p: [q["nose"]] * 6}, "there is no coordinate 'nose'"),
        ({"v0": [1.0, 2.0]}, r"v0 has shape \(2,\); arm6 needs \(..., 6\)"),
        ({"q0": ["a"] * 6}, "q0 holds <U1, not numbers"),
    ],
)
def test_runs_that_cannot_be(options, says):
    with pytest.raises(ArgumentError, match=says):
        qt.simulate(qt.examples.model("arm6"), **{"duration": 0.1, "dt": 0.1, **options})


def test_an_attitude_that_is_no_rotation_names_its_joint():
    q, v = _start_of_jumper()
    q[7] = 1.3
    with pytest.raises(ArgumentError, match="q0 at joint 'arm', entries 7 to 10, has the norm"):
        qt.simulate(jumper(), q, v, duration=0.1, dt=0.1)
    qt.simulate(jumper(), q, v, duration=0.1, dt=0.1, normalize="project")


def test_a_number_is_no_robot():
    with pytest.raises(ArgumentError, match="robot is a float"):
        qt.simulate(1.0, duration=1.0)


# ---- the account ---------------------------------------------------------------------------------------


def test_energy_is_what_it_was_and_the_work_done():
    """A driven, braked, blown and sprung machine: of rk4 the balance closes with the fourth power of the step."""
    from quatrain import Vec3

    built = ModelBuilder("machine")
    built.body("a", axis="y", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1), damping=0.4, stiffness=3.0)
    built.body(
        "b", parent="a", axis="x", at=(0, 0, -1), mass=0.5, com=(0, 0, -0.3), inertia=(0.05, 0.04, 0.03)
    )
    simulation = qt.TreeSimulation(
        built.model(),
        control=Control(lambda t, q, v, x, p: [2 * cos(t), -q[1]], every=4),
        forces=[lambda s: {"b": (Vec3(sin(s.t), 0.2, 0), Vec3(0, 0.1, 0))}, lambda s: [-0.1 * s.v[0], 0.0]],
        record=("energy", "work"),
    )
    left = []
    for dt in (0.02, 0.01):
        run = simulation([1.0, 0.5], [0.0, 2.0], duration=2.0, dt=dt)
        assert np.abs(run.work).max() > 0.5
        left.append(np.abs(run.energy() - run.energy()[0] - run.work).max())
    assert left[0] < 1e-5
    assert math.log2(left[0] / left[1]) > 3.5
    assert "energy − work [J]" in run.report()
    stored = simulation([1.0, 0.5], [0.0, 2.0], duration=2.0, dt=0.01, progress=lambda done, steps: None)
    assert np.array_equal(stored.work, run.work)


@pytest.mark.parametrize("method", ["semi_implicit_euler", "implicit_midpoint", "crouch_grossman3", "rk4"])
def test_halving_the_step_tells_the_error(method):
    """Against the same motion by DOP853; a batch has an estimate for each motion."""
    model, q, v = qt.examples.model("acrobot"), [[0.4, -0.2], [0.1, 0.0]], [0.0, 1.0]
    law = Control(lambda t, q, v, x, p: [0.0, -q[1] - v[1]], every=2)
    options = {"control": law, "passive": False}
    how = {"duration": 0.5, "dt": 0.025, "record_every": 2}
    errors = qt.TreeSimulation(model, method=method, **options).truncation(q, v, **how)
    run = qt.simulate(model, q, v, method=method, **options, **how, truncation=True)
    exact = qt.simulate(model, q, v, method="dop853", tolerance=1e-13, **options, **how)
    for name in ("q", "v"):
        true = np.abs(run[name] - exact[name]).max(axis=(1, 2))
        assert errors[name].shape == (2,)
        assert errors[name] == pytest.approx(true, rel=0.4)
    assert run.facts["truncation"]["q"] == errors["q"].max()
    assert "Truncation error, by halving the step: q " in run.report()


def test_errors_of_adaptive_methods_are_not_had_by_halving():
    with pytest.raises(ArgumentError, match="the truncation error of dopri5 cannot be had"):
        qt.simulate(qt.examples.model("pendulum"), duration=0.1, dt=0.1, method="dopri5", truncation=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "solo12"])
def test_robots_from_files_move_as_mujoco_and_scipy_say(name):
    """An arm, and a quadruped in the air; from random configurations."""
    from quatrain.interop import from_pinocchio
    from tests.truth.robots import pinocchio_model

    model = from_pinocchio(pinocchio_model(name))
    rng = np.random.default_rng(0)
    q, v = qt.Robot(model).random_configuration(rng), 0.3 * rng.normal(size=model.nv)
    exact_q, exact_v = solved_by_mujoco(model, q, v, 0.1)
    run = qt.simulate(model, q, v, duration=0.1, dt=0.1, method="dop853", tolerance=1e-13, passive=False)
    scale = max(1.0, np.abs(exact_v).max())
    assert np.abs(run.q[-1] - exact_q).max() < 1e-9 * scale
    assert np.abs(run.v[-1] - exact_v).max() < 1e-8 * scale  # light feet magnify what rounding leaves
