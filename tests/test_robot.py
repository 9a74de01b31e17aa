"""The methods of a robot on arrays: what they give, what they refuse, and that they are safe to share."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import quatrain as qt
import quatrain.robot
from quatrain import ArgumentError, Limits, Model, ModelBuilder, Robot, SymMat3, Vec3
from quatrain.equations import dynamics
from tests.truth.random_trees import on_columns, random_state, random_tree

MODEL = random_tree(3, 6, ("free", "ball", "helical", "revolute", "universal", "prismatic"))
FRAME, OTHER = MODEL.frames[1].name, MODEL.frames[0].name
POINT = (0.1, -0.2, 0.3)
F, T = (1.0, -2.0, 0.5), (0.3, 0.1, -0.4)


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory):
    """Apart from the user's; processes that are spawned share it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def robot() -> Robot:
    return Robot(MODEL)


@pytest.fixture(scope="module")
def state():
    return random_state(MODEL, 0, 6)


# ---- methods and equations ---------------------------------------------------------------------------------

d = dynamics
METHODS = {
    "mass_matrix": (lambda r, q, v, a: r.mass_matrix(q), lambda m, q, v, a: d.mass_matrix(m, q)),
    "coriolis_matrix": (lambda r, q, v, a: r.coriolis_matrix(q, v), lambda m, q, v, a: d.coriolis_matrix(m, q, v)),
    "gravity_force": (lambda r, q, v, a: r.gravity_force(q), lambda m, q, v, a: d.gravity_force(m, q)),
    "bias_force": (lambda r, q, v, a: r.bias_force(q, v), lambda m, q, v, a: d.bias_force(m, q, v)),
    "inverse_dynamics": (lambda r, *x: r.inverse_dynamics(*x), lambda m, *x: d.inverse_dynamics(m, *x)),
    "forward_dynamics": (lambda r, *x: r.forward_dynamics(*x), lambda m, *x: d.forward_dynamics(m, *x)),
    "inverse_dynamics, pushed": (
        lambda r, *x: r.inverse_dynamics(*x, external={FRAME: (F, T), OTHER: (T, F)}),
        lambda m, *x: d.inverse_dynamics(m, *x, {FRAME: (Vec3(*F), Vec3(*T)), OTHER: (Vec3(*T), Vec3(*F))}),
    ),
    "forward_dynamics, pushed": (
        lambda r, *x: r.forward_dynamics(*x, external={FRAME: (F, T)}),
        lambda m, *x: d.forward_dynamics(m, *x, {FRAME: (Vec3(*F), Vec3(*T))}),
    ),
    "poses": (lambda r, q, v, a: r.poses(q), lambda m, q, v, a: d.poses(m, q)),
    "pose": (lambda r, q, v, a: r.pose(q, FRAME), lambda m, q, v, a: d.frame_pose(m, q, FRAME)),
    "pose, relative": (
        lambda r, q, v, a: r.pose(q, FRAME, relative_to=OTHER),
        lambda m, q, v, a: d.frame_pose(m, q, FRAME, OTHER),
    ),
    "jacobian": (lambda r, q, v, a: r.jacobian(q, FRAME), lambda m, q, v, a: d.jacobian(m, q, FRAME)),
    "jacobian, of a point, in body axes": (
        lambda r, q, v, a: r.jacobian(q, FRAME, POINT, axes="body"),
        lambda m, q, v, a: d.jacobian(m, q, FRAME, Vec3(*POINT), "body"),
    ),
    "velocity": (lambda r, q, v, a: r.velocity(q, v, FRAME), lambda m, q, v, a: d.frame_velocity(m, q, v, FRAME)),
    "acceleration": (
        lambda r, q, v, a: r.acceleration(q, v, a, FRAME, axes="body"),
        lambda m, q, v, a: d.frame_acceleration(m, q, v, a, FRAME, "body"),
    ),
    "center_of_mass": (lambda r, q, v, a: r.center_of_mass(q), lambda m, q, v, a: d.center_of_mass(m, q)),
    "energy": (lambda r, q, v, a: r.energy(q, v), lambda m, q, v, a: d.energy(m, q, v)),
    "kinetic_energy": (lambda r, q, v, a: r.kinetic_energy(q, v), lambda m, q, v, a: d.kinetic_energy(m, q, v)),
    "potential_energy": (lambda r, q, v, a: r.potential_energy(q), lambda m, q, v, a: d.potential_energy(m, q)),
    "momentum": (
        lambda r, q, v, a: r.momentum(q, v),
        lambda m, q, v, a: [x for half in d.momentum(m, q, v) for x in half],
    ),
    "centroidal_momentum_matrix": (
        lambda r, q, v, a: r.centroidal_momentum_matrix(q),
        lambda m, q, v, a: d.centroidal_momentum_matrix(m, q),
    ),
    "integrate": (lambda r, q, v, a: r.integrate(q, v, 0.1), lambda m, q, v, a: d.integrate(m, q, v, 0.1)),
    "difference": (
        lambda r, q, v, a: r.difference(q, r.integrate(q, v, 0.1)),
        lambda m, q, v, a: d.difference(m, q, d.integrate(m, q, v, 0.1)),
    ),
}  # fmt: skip
methods = pytest.mark.parametrize("method", METHODS)


def parts(value):
    """One array, or those of a tuple."""
    return value if isinstance(value, tuple) else (value,)


@methods
def test_methods_are_the_equations(method, robot, state):
    """To some ten roundings; forward dynamics to κ(M) of them."""
    call, equation = METHODS[method]
    kappa = np.max(np.linalg.cond(on_columns(d.mass_matrix, MODEL, state[0])))
    tolerance = 1e-16 * kappa if method.startswith("forward") else 1e-14
    found, exact = parts(call(robot, *state)), parts(on_columns(equation, MODEL, *state))
    for one, other in zip(found, exact, strict=True):
        assert one.shape == other.shape
        assert one.dtype == np.float64
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * max(1, np.max(np.abs(other))))


@methods
def test_any_batch_axes_lead_and_change_no_bit(method, robot, state):
    call, _ = METHODS[method]
    whole = parts(call(robot, *state))
    boxed = parts(call(robot, *(x.reshape(2, 3, -1) for x in state)))
    alone = [parts(call(robot, *(x[k] for x in state))) for k in range(6)]
    listed = parts(call(robot, *(x[4].tolist() for x in state)))
    strided = parts(call(robot, *(np.asfortranarray(x)[::-2] for x in state)))
    none = parts(call(robot, *(x[:0] for x in state)))
    for i, part in enumerate(whole):
        assert np.array_equal(boxed[i], part.reshape(2, 3, *part.shape[1:]))
        assert np.array_equal([one[i] for one in alone], part)
        assert np.array_equal(listed[i], part[4])
        assert np.array_equal(strided[i], part[::-2])
        assert none[i].shape == (0, *part.shape[1:])


@methods
def test_one_state_that_is_not_a_number_spoils_only_its_own_answer(method, robot, state):
    call, _ = METHODS[method]
    q, v, a = (x.copy() for x in state)
    q[2], v[2], a[2] = np.nan, np.nan, np.nan
    whole = parts(call(robot, *state))
    for found, exact in zip(parts(call(robot, q, v, a)), whole, strict=True):
        rest = [0, 1, 3, 4, 5]
        assert np.array_equal(found[rest], exact[rest])
        assert np.any(np.isnan(found[2]))


def test_arguments_broadcast(robot, state):
    q, v, a = state
    found = robot.inverse_dynamics(q[0], v, a[:1])
    exact = robot.inverse_dynamics(np.repeat(q[:1], 6, axis=0), v, np.repeat(a[:1], 6, axis=0))
    assert np.array_equal(found, exact)
    times = np.array([0.0, 0.1, 0.2])
    found = robot.integrate(q[0], v[0], times)
    assert np.array_equal(found, [robot.integrate(q[0], v[0], dt) for dt in times])


def test_forces_at_frames_broadcast_and_may_come_in_any_order(robot, state):
    forces = np.random.default_rng(0).normal(size=(6, 3))
    found = robot.inverse_dynamics(*state, external={FRAME: (forces, T), OTHER: (F, T)})
    for k in range(6):
        external = {OTHER: (F, T), FRAME: (forces[k].tolist(), T)}
        exact = robot.inverse_dynamics(*(x[k] for x in state), external=external)
        np.testing.assert_allclose(found[k], exact, rtol=0, atol=1e-14 * np.max(np.abs(exact)))
    assert np.array_equal(robot.inverse_dynamics(*state, external={}), robot.inverse_dynamics(*state))


def test_answers_are_the_callers_own_and_arguments_stay(robot, state):
    before = [x.copy() for x in state]
    first = robot.mass_matrix(state[0])
    kept = first.copy()
    again = robot.mass_matrix(state[0][::-1])
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, again)
    again[:] = 0.0
    assert np.array_equal(robot.mass_matrix(state[0]), kept)
    assert all(np.array_equal(x, y) for x, y in zip(before, state, strict=True))


def test_other_number_types_are_taken(robot, state):
    q, v, a = (x.astype(np.float32) for x in state)
    for k, _ in robot._quaternions:
        q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=-1, keepdims=True)
    found = robot.inverse_dynamics(q, v, a)
    assert np.array_equal(found, robot.inverse_dynamics(*(x.astype(float) for x in (q, v, a))))
    whole = robot.neutral().astype(int)
    assert np.array_equal(robot.mass_matrix(whole), robot.mass_matrix(robot.neutral()))


def test_single_precision_is_right_to_its_own_rounding(robot, state):
    light = Robot(MODEL, dtype="float32")
    found, exact = light.inverse_dynamics(*state), robot.inverse_dynamics(*state)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-5 * np.max(np.abs(exact)))


def test_threads_change_no_bit(robot, state):
    many = [np.tile(x, (300, 1)) for x in state]
    assert np.array_equal(Robot(MODEL, threads=2).inverse_dynamics(*many), robot.inverse_dynamics(*many))


def test_a_kernel_is_compiled_once(robot):
    assert robot.kernel(d.mass_matrix) is robot.kernel(d.mass_matrix)
    first = robot.kernel(d.jacobian, frame=FRAME)
    assert first is robot.kernel(d.jacobian, frame=FRAME)
    assert first is not robot.kernel(d.jacobian, frame=OTHER)
    named = Robot(replace(MODEL, frames=(replace(MODEL.frames[0], name="body"),)))
    seen = named.kernel(d.jacobian, frame="b1", relative_to="body")
    assert seen is not named.kernel(d.jacobian, frame="b1", axes="body")


# ---- what is refused -----------------------------------------------------------------------------------------

Q, V = np.array(dynamics.neutral(MODEL)), np.zeros(MODEL.nv)
JOINT = next(body.joint.name for body in MODEL.bodies if body.joint.kind == "ball")
PLACE = next(k for k, name in enumerate(MODEL.q_names) if name == f"{JOINT}.qw")


def _with(entries):
    q = np.tile(Q, (2, 2, 1))
    q[1, 0, PLACE : PLACE + 4] = entries
    return q


@pytest.mark.parametrize(
    ("attempt", "says", "advises"),
    [
        (lambda r: Robot("robot"), "model is a str", "quatrain.Model"),
        (lambda r: Robot(MODEL, dtype="int8"), "dtype is 'int8'", "'float64' or 'float32'"),
        (lambda r: Robot(MODEL, threads=0), "threads is 0", "positive"),
        (lambda r: Robot(MODEL, normalize="always"), "normalize is 'always'", '"check" or "project"'),
        (lambda r: r.mass_matrix(Q[:-1]), rf"q has shape \({MODEL.nq - 1},\).*\(\.\.\., {MODEL.nq}\)", "batch first"),
        (lambda r: r.mass_matrix(1.0), r"q has shape \(\)", "batch first"),
        (lambda r: r.energy(Q, V[:2]), rf"v has shape \(2,\).*\(\.\.\., {MODEL.nv}\)", "batch first"),
        (lambda r: r.energy([Q] * 2, [V] * 3), r"do not broadcast: q \(2,\), v \(3,\)", "make them equal"),
        (lambda r: r.mass_matrix("angles"), "q holds text", "numpy.asarray"),
        (lambda r: r.mass_matrix(Q + 0j), "q holds complex numbers", "real and imaginary"),
        (lambda r: r.mass_matrix([[1, 2], [3]]), "q is not an array", "a regular array"),
        (lambda r: r.mass_matrix(None), "q holds Python objects", "plain numbers"),
        (
            lambda r: r.mass_matrix(_with((0.0, 0.0, 0.0, 2.0))),
            rf"q has a quaternion of norm 2 at joint '{JOINT}', entries {PLACE} to {PLACE + 3}, index \(1, 0\)",
            r"order \(w, x, y, z\).*normalize=\"project\"",
        ),
        (lambda r: r.mass_matrix(_with((0.0,) * 4)), "quaternion of norm 0", "normalise it"),
        (lambda r: r.mass_matrix(_with((1.0 + 2e-6, 0, 0, 0))), r"quaternion of norm 1\.000002", "normalise it"),
        (lambda r: r.difference(Q, _with((2.0, 0, 0, 0))), "q1 has a quaternion of norm 2", "normalise it"),
        (lambda r: r.integrate(Q, V, "soon"), "dt holds text", "numpy.asarray"),
        (lambda r: r.pose(Q, "hand"), "has no frame 'hand'", "name one of 'b0'"),
        (lambda r: r.pose(Q, FRAME, relative_to="hand"), "has no frame 'hand'", "name one of 'b0'"),
        (lambda r: r.pose(Q, "F1"), "has no frame 'F1'", "'world'"),
        (lambda r: r.jacobian(Q, FRAME, axes="odd"), "axes is 'odd'", "'world'.*'body'"),
        (lambda r: r.jacobian(Q, FRAME, point=(1, 2)), "point has 2 entries", "give three"),
        (lambda r: r.jacobian(Q, FRAME, point="tip"), "point is .*no array of numbers", "pass numbers"),
        (lambda r: r.jacobian(Q, FRAME, point=0.1), "point has 1 entries", "give three"),
        (lambda r: r.inverse_dynamics(Q, V, V, {"hand": (F, T)}), "has no frame 'hand'", "name one of 'b0'"),
        (
            lambda r: r.inverse_dynamics(Q, V, V, {FRAME: F}),
            rf"external\['{FRAME}'\] has parts of shape \(\), \(\), \(\)",
            "a force and a torque",
        ),
        (
            lambda r: r.forward_dynamics(Q, V, V, {FRAME: (F, T[:2])}),
            rf"external\['{FRAME}'\] has parts of shape \(3,\), \(2,\)",
            "a force and a torque",
        ),
        (
            lambda r: r.forward_dynamics(Q, V, V, {FRAME: (F, "much")}),
            rf"external\['{FRAME}'\] is 'much'",
            "numbers",
        ),
        (lambda r: r.configuration(elbow=1.0), "has no joint 'elbow'", "name some of j0"),
        (lambda r: r.configuration(**{JOINT: (1, 2)}), f"'{JOINT}' has 4 coordinates, and 2 came", "each"),
        (lambda r: r.configuration(**{JOINT: (2, 0, 0, 0)}), "quaternion of norm 2", "normalise it"),
        (lambda r: r.configuration(**{JOINT: "up"}), f"{JOINT} is 'up', no array", "numbers"),
        (lambda r: r.random_configuration(7), "rng is int", r"numpy\.random\.default_rng"),
        (lambda r: qt.compile(d.mass_matrix, "robot"), "robot is a str", "a Robot or a Model"),
        (lambda r: qt.compile(d.mass_matrix, r, vary=["b0.colour"]), "vary names 'b0.colour'", "<body>.mass"),
        (lambda r: qt.compile(d.mass_matrix, r, dtype="half"), "dtype is 'half'", "'float64'"),
        (lambda r: qt.compile(d.integrate, r), "shape of the argument 'dt' is not known", "inputs="),
        (lambda r: qt.compile(d.energy, r, inputs={"w": 3}), "inputs declares 'w'.*takes q, v", "arguments"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_answered_with_what_and_what_to_do(robot, attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*{advises}"):
        attempt(robot)


def test_quaternions_within_the_tolerance_are_taken(robot):
    robot.mass_matrix(_with((1.0 + 5e-7, 0, 0, 0)))
    robot.mass_matrix(_with((-1.0, 0, 0, 0)))


def test_quaternions_are_divided_by_their_norms_where_that_is_asked_for():
    """In a copy, of any type of number; their signs stay, and zero is no rotation."""
    robot, checking = Robot(MODEL, normalize="project"), Robot(MODEL)
    q = _with((-3.0, 0.0, 0.0, 4.0))
    kept = q.copy()
    np.testing.assert_array_equal(robot.mass_matrix(q), checking.mass_matrix(_with((-0.6, 0.0, 0.0, 0.8))))
    np.testing.assert_array_equal(q, kept)
    difference = robot.difference(Q, q)
    np.testing.assert_array_equal(difference, checking.difference(Q, _with((-0.6, 0.0, 0.0, 0.8))))
    whole = np.array(_with((2, 0, 0, 0)), int)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(robot)).poses(whole)[0], checking.poses([[Q] * 2] * 2)[0]
    )
    with pytest.raises(ArgumentError, match=rf"norm 0 at joint '{JOINT}'.*index \(1, 0\)"):
        robot.mass_matrix(_with((0.0,) * 4))


@pytest.mark.parametrize("merge_fixed", [True, False])
def test_a_robot_that_cannot_move_says_so(merge_fixed):
    built = ModelBuilder("table").body("top", joint="fixed", mass=1.0, inertia=(1, 1, 1))
    robot = built.robot(merge_fixed=merge_fixed)
    assert robot.neutral().shape == (0,)
    with pytest.raises(ArgumentError, match=r"(?s)table has no joint that moves.*To fix: .*base='floating'"):
        robot.mass_matrix([])


def test_a_ball_that_nothing_resists_is_named():
    built = ModelBuilder("leaf").body("arm", axis="z", mass=1.0, inertia=(1, 1, 1))
    robot = built.body("hand", parent="arm", joint="ball", joint_name="wrist", at=(1, 0, 0)).robot()
    q, v = robot.neutral(), np.zeros(4)
    assert not np.any(robot.inverse_dynamics(q, v, v)[1:])
    with pytest.raises(
        ArgumentError, match=r"(?s)forward_dynamics of leaf divides by zero.*'wrist'.*To fix: .*armature"
    ):
        robot.forward_dynamics(q, v, v)


# ---- configurations ------------------------------------------------------------------------------------------


def test_random_configurations_keep_within_limits_and_are_attitudes(robot):
    q = robot.random_configuration(np.random.default_rng(0), (40, 50))
    assert q.shape == (40, 50, robot.nq)
    for coordinate, (lower, upper) in zip(robot.coordinates(), dynamics.bounds(MODEL), strict=True):
        values = q[..., coordinate.index]
        if lower is not None:
            assert lower <= values.min() < lower + 0.1 * (upper - lower)
            assert upper >= values.max() > upper - 0.1 * (upper - lower)
        elif coordinate.unit == "rad":
            assert -np.pi <= values.min() < -3 < 3 < values.max() <= np.pi
        elif coordinate.unit == "m":
            assert -1 <= values.min() < -0.9 < 0.9 < values.max() <= 1
    for k, _ in robot._quaternions:
        np.testing.assert_allclose(np.linalg.norm(q[..., k : k + 4], axis=-1), 1, rtol=1e-15)
    assert robot.random_configuration(np.random.default_rng(0)).shape == (robot.nq,)
    assert np.array_equal(robot.random_configuration(np.random.default_rng(0), (40, 50)), q)


@pytest.mark.parametrize(
    ("limits", "low", "high"),
    [
        ((None, None), -1, 1),
        ((-0.2, None), -0.2, 1),
        ((None, 0.3), -1, 0.3),
        ((4.0, None), 4, 6),
        ((None, -4.0), -6, -4),
    ],
)
def test_a_limit_on_one_side_is_kept(limits, low, high):
    built = ModelBuilder("slide").body("cart", joint="prismatic", mass=1.0, limits=(Limits(*limits),))
    q = built.robot().random_configuration(np.random.default_rng(0), 1000)
    assert low <= q.min() < low + 0.1 < high - 0.1 < q.max() <= high


def test_configurations_by_name(robot):
    q = robot.configuration(**{JOINT: (0, 1, 0, 0)})
    expected = robot.neutral()
    expected[PLACE : PLACE + 4] = 0, 1, 0, 0
    assert np.array_equal(q, expected)
    assert np.array_equal(robot.configuration(), robot.neutral())


# ---- copies, threads, processes ------------------------------------------------------------------------------


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_equal_and_give_the_same_bits(twin_of, robot, state):
    model = twin_of(MODEL)
    assert model == MODEL
    assert hash(model) == hash(MODEL)
    twin = twin_of(Robot(MODEL, threads=2))
    assert twin.model == MODEL
    assert (twin.dtype, twin.threads, twin.name) == ("float64", 2, robot.name)
    assert np.array_equal(twin.inverse_dynamics(*state), robot.inverse_dynamics(*state))
    used = twin_of(robot)  # with kernels, which do not travel
    assert np.array_equal(used.mass_matrix(state[0]), robot.mass_matrix(state[0]))


@pytest.mark.parametrize("name", ["model", "dtype", "threads"])
def test_what_kernels_were_made_for_stays(robot, name):
    with pytest.raises(AttributeError):
        setattr(robot, name, getattr(robot, name))


def test_many_threads_may_call_first_at_once(monkeypatch, state):
    """Each kernel is compiled once, and each thread gets the answers for its own states."""
    compiled = []
    original = quatrain.robot.compile

    def counting(function, *rest, **options):
        compiled.append(function)
        return original(function, *rest, **options)

    monkeypatch.setattr(quatrain.robot, "compile", counting)
    robot, workers = Robot(MODEL), 12
    calls = [robot.mass_matrix, robot.gravity_force, robot.center_of_mass, robot.jacobian]
    start = threading.Barrier(workers)

    def work(k):
        start.wait()
        q = np.roll(state[0], k, axis=0)
        for _ in range(20):
            answers = [answer(call, q) for call in calls[k % 4 :] + calls[: k % 4]]
        return answers

    def answer(call, q):
        return call(q, FRAME) if call == robot.jacobian else call(q)

    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(work, range(workers)))
    assert len(compiled) == 4
    for k, answers in enumerate(results):
        for call, found in zip(calls[k % 4 :] + calls[: k % 4], answers, strict=True):
            assert np.array_equal(found, np.roll(answer(call, state[0]), k, axis=0))


def _in_another_process(robot: Robot, q: np.ndarray) -> tuple[Model, np.ndarray]:
    return robot.model, robot.mass_matrix(q)


def test_robots_travel_to_spawned_processes(robot, state):
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.starmap(_in_another_process, [(robot, state[0])] * 2)
    for model, M in results:
        assert model == MODEL
        assert np.array_equal(M, robot.mass_matrix(state[0]))


# ---- what varies ---------------------------------------------------------------------------------------------


def test_what_varies_is_taken_for_each_element_of_the_batch(state):
    """Against models that are built anew with these numbers."""
    random = np.random.default_rng(5)
    body, joint = MODEL.bodies[2], MODEL.bodies[1].joint
    k = 6
    values = {
        "gravity": random.normal(size=(k, 3)) * 5,
        f"{body.name}.mass": random.uniform(0.5, 2, k),
        f"{body.name}.com": random.normal(size=(k, 3)) * 0.2,
        f"{body.name}.inertia": np.array([0.2, 0.3, 0.25, 0.01, 0.02, -0.01]) * random.uniform(1, 2, (k, 1)),
        f"{joint.name}.position": random.normal(size=(k, 3)),
        f"{joint.name}.armature": random.uniform(0.1, 1, (k, joint.nv)),
    }
    kernels = {
        name: qt.compile(getattr(d, name), MODEL, vary=list(values))
        for name in ("mass_matrix", "forward_dynamics", "potential_energy")
    }
    q, v, tau = state
    found = {
        "mass_matrix": kernels["mass_matrix"](q, *values.values()),
        "forward_dynamics": kernels["forward_dynamics"](q, v, tau, *values.values()),
        "potential_energy": kernels["potential_energy"](q, *values.values()),
    }
    for i in range(k):
        gravity, mass, com, inertia, position, armature = (x[i].tolist() for x in values.values())
        changed = replace(body, mass=mass, p_BBcm=Vec3(*com), I_Bcm_B=SymMat3(*inertia))
        bodies = list(MODEL.bodies)
        bodies[2] = changed
        X_PJ = replace(joint.X_PJ, p=Vec3(*position))
        bodies[1] = replace(bodies[1], joint=replace(joint, X_PJ=X_PJ, armature=tuple(armature)))
        model = replace(MODEL, bodies=tuple(bodies), gravity=Vec3(*gravity))
        for name, state_of in (
            ("mass_matrix", (q,)),
            ("forward_dynamics", (q, v, tau)),
            ("potential_energy", (q,)),
        ):
            exact = on_columns(getattr(d, name), model, *(x[i : i + 1] for x in state_of))[0]
            np.testing.assert_allclose(found[name][i], exact, rtol=0, atol=1e-12 * np.max(np.abs(exact)))


def test_gains_springs_and_places_of_frames_vary():
    """Each against the model that is built with these numbers."""

    def machine(gain=2.0, gear=3.0, bias=(0.1, -4.0, -0.5), stiffness=5.0, rest=0.2, at=(0.0, 0.0, -0.3)):
        built = ModelBuilder("arm")
        built.body(
            "arm", joint_name="elbow", axis="y", mass=1.0, inertia=(1, 1, 1), stiffness=stiffness, rest=rest
        )
        built.actuator("servo", joint="elbow", gear=gear, gain=gain, bias=bias)
        return built.frame("tip", body="arm", at=at).robot()

    cases = [
        (d.actuator_force, [0.7], {"servo.gain": ("gain", 7.0), "servo.bias": ("bias", (0.2, -1.0, -2.0))}),
        (d.actuator_force, [0.7], {"servo.gear": ("gear", [1.5])}),
        (d.passive_force, None, {"elbow.stiffness": ("stiffness", [9.0]), "elbow.rest": ("rest", [-0.4])}),
        (partial(d.jacobian, frame="tip"), None, {"tip.position": ("at", (0.1, 0.2, -0.5))}),
    ]
    for function, u, changes in cases:
        state = [[0.3], [0.8]][: 1 if isinstance(function, partial) else 2] + ([u] if u else [])
        found = qt.compile(function, machine(), vary=list(changes))(*state, *(x for _, x in changes.values()))
        built = machine(**{name: x[0] if isinstance(x, list) else x for name, x in changes.values()})
        np.testing.assert_array_equal(found, qt.compile(function, built)(*state))
        assert not np.array_equal(found, qt.compile(function, machine())(*state))


def test_one_value_of_what_varies_serves_a_whole_batch(robot, state):
    kernel = qt.compile(d.gravity_force, robot, vary="gravity")
    assert np.array_equal(kernel(state[0], np.zeros(3)), np.zeros((6, robot.nv)))
    moon = kernel(state[0], gravity=(0.0, 0.0, -1.62))
    exact = on_columns(d.gravity_force, replace(MODEL, gravity=Vec3(0.0, 0.0, -1.62)), state[0])
    np.testing.assert_allclose(moon, exact, rtol=0, atol=1e-13 * np.max(np.abs(exact)))


# ---- names ---------------------------------------------------------------------------------------------------


def test_a_robot_knows_its_names_and_sizes(robot):
    assert repr(robot) == f"<Robot tree3: 6 bodies, nq {MODEL.nq}, nv {MODEL.nv}>"
    assert (robot.nb, robot.nq, robot.nv) == (6, MODEL.nq, MODEL.nv)
    assert len(robot.q_names) == robot.nq == len(robot.coordinates())
    assert len(robot.v_names) == robot.nv
    assert robot.body_names == tuple(f"b{k}" for k in range(6))
    position, quaternion = robot.pose(robot.neutral(), "world")
    assert position.tolist() == [0, 0, 0]
    assert quaternion.tolist() == [1, 0, 0, 0]


def test_kernels_of_other_inputs_are_other_kernels():
    def scaled(model, q, gain):
        return [x * gain[0] for x in q] if len(gain) == 1 else [gain[0] + gain[1]]

    robot = qt.examples.load("double_pendulum")
    one, two = (robot.kernel(scaled, inputs={"gain": n}) for n in (1, 2))
    np.testing.assert_array_equal(one([1.0, 2.0], [3.0]), [3, 6])
    np.testing.assert_array_equal(two([1.0, 2.0], [3.0, 4.0]), [7])
    assert robot.kernel(scaled, inputs={"gain": 1}) is one


def test_bounds_beyond_all_measure_are_none_for_random_configurations():
    """Files write ±1e16 for a rotor that turns without end; there is no angle to tell at 1e16."""
    built = qt.ModelBuilder("rotor")
    built.body("blade", axis="z", mass=1.0, inertia=(1, 1, 1), com=(0.1, 0, 0), limits=(-1e16, 1e16))
    robot = qt.Robot(built.model())
    assert np.abs(robot.random_configuration(np.random.default_rng(0), 50)).max() <= np.pi
    assert robot.verify(states=2)
