"""Trees of many bodies, gone over by loops: what they are written out, what Pinocchio says, laws at 1,000 joints."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import ModelBuilder, Quaternion, Robot, Vec3, compile, examples, kernel
from quatrain.compiler import TraceError, forward, interpret, trails
from quatrain.equations import dynamics, stretches, sweep
from quatrain.equations import forward_dynamics as forward_recursion
from quatrain.equations import inverse_dynamics as inverse_recursion
from quatrain.equations.tree import Tree
from tests.truth.random_trees import KINDS, SINGLE, on_columns, random_state, random_tree

EQUATIONS = (
    dynamics.inverse_dynamics,
    dynamics.forward_dynamics,
    dynamics.bias_force,
    dynamics.gravity_force,
)
BY_NAME = pytest.mark.parametrize("equation", EQUATIONS, ids=lambda e: e.__name__)


def random_chain(seed, joints, kinds=("revolute", "prismatic")):
    """A serial chain in general position: no parallel axes, no zero offsets, no diagonal inertias."""
    rng = np.random.default_rng([20260401, seed])
    built, parent = ModelBuilder(f"chain{seed}"), "world"
    for k in range(joints):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        planar = R @ np.diag(rng.uniform(0.002, 0.02, 3)) @ R.T
        built.body(
            f"b{k}", parent=parent, joint=str(rng.choice(kinds)), at=tuple(rng.uniform(-0.1, 0.1, 3).tolist()),
            rotation=Quaternion(*rng.normal(size=4).tolist()).normalised(), mass=float(rng.uniform(0.5, 2.0)),
            com=tuple(rng.uniform(-0.1, 0.1, 3).tolist()), inertia=np.trace(planar) * np.eye(3) - planar,
            armature=float(rng.uniform(0.01, 0.1)),
        )  # fmt: skip
        parent = f"b{k}"
    return built.model()


def arguments_of(equation, state):
    return state[: {"bias_force": 2, "gravity_force": 1}.get(equation.__name__, 3)]


def loops_in(found):
    return sum(node[0] == "loop" for node in found.program.graph.nodes)


def agree(found, expected, tolerance):
    """To so many parts of the largest entry of each element of the batch."""
    scale = np.abs(expected).max(axis=-1, keepdims=True)
    assert (np.abs(found - expected) / scale).max() < tolerance


# ---- the same as written out ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_on_plain_numbers_the_passes_of_a_chain_are_the_recursion_bit_for_bit(kind):
    """Of one kind, so that nothing is done in another order."""
    model = random_chain(1, 20, (kind,))
    q, v, a = (list(map(float, x[0])) for x in random_state(model, 1))
    over = sweep.Sweep(Tree.of(model), trails)
    assert any(stretch.looped for stretch in over.stretches)
    assert inverse_recursion.looped(over, q, v, a) == dynamics.inverse_dynamics(model, q, v, a)
    assert forward_recursion.looped(over, q, v, a) == dynamics.forward_dynamics(model, q, v, a)


TREES = [
    *[(seed, 40, SINGLE, None) for seed in range(3)],
    *[(seed, 30, KINDS, None) for seed in range(3, 6)],
    (6, 50, ("revolute", "continuous"), "free"),
    (7, 25, ("ball",), None),
    (8, 30, ("prismatic", "ball"), "free"),
]


@pytest.mark.parametrize("short", [stretches.SHORT, 2])
@pytest.mark.parametrize(("seed", "count", "kinds", "root"), TREES)
def test_on_trees_the_passes_are_the_recursion(seed, count, kinds, root, short, monkeypatch):
    """Every kind of joint, branches, and long stretches of one sort on several parents.

    Only the order of sums over children differs: some roundings each, carried through forty bodies. The forward
    dynamics of random trees multiplies them by the condition of the mass matrix, up to 1e5 here.
    """
    monkeypatch.setattr(stretches, "SHORT", short)
    model = random_tree(seed, count, kinds, root)
    q, v, a = random_state(model, seed)
    columns = [list(x.T) for x in (q, v, a)]
    over = sweep.Sweep(Tree.of(model), trails)
    assert short > 2 or any(stretch.looped for stretch in over.stretches)
    for function, equation, tolerance in (
        (inverse_recursion.looped, dynamics.inverse_dynamics, 1e-13),
        (forward_recursion.looped, dynamics.forward_dynamics, 1e-9),
    ):
        found = np.stack(np.broadcast_arrays(*function(over, *columns)), axis=-1)
        agree(found, on_columns(equation, model, q, v, a), tolerance)


@BY_NAME
@pytest.mark.parametrize(
    ("seed", "count", "kinds", "root"),
    [(0, 40, SINGLE, None), (3, 30, KINDS, None), (6, 50, ("revolute",), "free"), (7, 25, ("ball",), None)],
)
def test_a_looped_kernel_is_the_one_that_is_written_out(equation, seed, count, kinds, root):
    """To round-off, as above; fused products with sums differ between the two."""
    model = random_tree(seed, count, kinds, root)
    state = arguments_of(equation, random_state(model, seed, 19))
    looped, written = (compile(equation, model, looped=flag) for flag in (True, False))
    assert (loops_in(looped) > 0, loops_in(written)) == (True, 0)
    agree(looped(*state), written(*state), 1e-9 if equation is dynamics.forward_dynamics else 1e-12)


@BY_NAME
def test_a_looped_kernel_is_its_program_on_the_interpreter(equation):
    """Bit for bit but for sine and cosine, which are within a unit in the last place of NumPy's."""
    model = random_tree(1, 30, SINGLE)
    state = arguments_of(equation, random_state(model, 1, 9))
    found = compile(equation, model, looped=True, contract=False)
    names = [port.name for port in found.program.inputs]
    expected = interpret.run(found.program, dict(zip(names, state, strict=True)))["out"]
    agree(found(*state), expected, 1e-9 if equation is dynamics.forward_dynamics else 1e-12)


def test_numbers_that_come_again_fold_into_the_code():
    """Axes that alternate: two segments of a snake are one iteration; on its middle stands a chain on a ball."""
    snake = Tree.of(examples.model("snake(33)"))
    parts = sweep.Sweep(snake, trails).stretches
    assert [(part.first, part.rounds, part.period) for part in parts] == [(0, 16, 2), (32, 1, 1)]
    built, parent = ModelBuilder("branched"), "world"
    for k in range(46):
        parent = "b11" if k == 24 else parent
        kind = {"joint": "ball"} if k == 24 else {"axis": "zyx"[k % (2 if k < 24 else 3)]}
        built.body(
            f"b{k}", parent=parent, at=(0.1, 0.02, 0), mass=1.0, com=(0.05, 0, 0.01),
            inertia=(0.01, 0.012, 0.008), **kind,
        )  # fmt: skip
        parent = f"b{k}"
    model = built.model()
    parts = sweep.Sweep(Tree.of(model), trails).stretches
    assert [(part.first, part.rounds, part.period) for part in parts] == [(0, 12, 2), (24, 1, 1), (25, 21, 1)]
    state = random_state(model, 11, 5)
    for equation in (dynamics.inverse_dynamics, dynamics.forward_dynamics):
        looped, written = (compile(equation, model, looped=flag) for flag in (True, False))
        agree(looped(*state), written(*state), 1e-10)
    # Without folding it would be 2.7 times the arithmetic of what is written out.
    folded = compile(dynamics.inverse_dynamics, examples.model("snake(64)"), looped=True)
    written = compile(dynamics.inverse_dynamics, examples.model("snake(64)"), looped=False)
    arithmetic = [
        sum(n for name, n in each.operations.items() if name not in ("read", "lookup"))
        for each in (folded, written)
    ]
    assert arithmetic[0] < 1.5 * arithmetic[1]


def test_joints_that_follow_others_are_looped_too():
    """Their forces add up in the velocity they share."""
    built, parent = ModelBuilder("fingers"), "world"
    for k in range(24):
        follows = {"mimic": ("b0", 0.5 + 0.1 * k, 0.2)} if k % 3 == 2 else {}
        built.body(
            f"b{k}", parent=parent, axis="xyz"[k % 3], at=(0.1, 0.02, 0), mass=1.0, com=(0.05, 0, 0.01),
            inertia=(0.01, 0.012, 0.008), **follows,
        )  # fmt: skip
        parent = f"b{k}"
    model = built.model()
    assert model.nv == 16
    state = random_state(model, 2, 5)
    agree(
        compile(dynamics.inverse_dynamics, model, looped=True)(*state),
        compile(dynamics.inverse_dynamics, model, looped=False)(*state),
        1e-12,
    )


def test_what_varies_is_an_input_of_a_looped_kernel():
    model = random_chain(3, 20)
    q, v, a = random_state(model, 3, 6)
    mass, gravity = np.linspace(0.5, 3.0, 6), np.random.default_rng(3).normal(size=(6, 3))
    vary = ["b7.mass", "gravity", "b4.position"]
    found, expected = (
        compile(dynamics.inverse_dynamics, model, vary=vary, looped=flag)(
            q, v, a, mass, gravity, np.array([0.3, -0.2, 0.1])
        )
        for flag in (True, False)
    )
    agree(found, expected, 1e-12)


def test_external_forces_act_on_large_models():
    """A large model with forces from outside is written out: they come by other ways."""
    model = random_chain(4, kernel.LOOPED_FROM + 4)
    robot, (q, v, a) = Robot(model), random_state(model, 4, 3)
    force, torque = np.random.default_rng(4).normal(size=(2, 3, 3))
    push = {f"b{kernel.LOOPED_FROM}": (force, torque)}
    J = robot.jacobian(q, f"b{kernel.LOOPED_FROM}")
    expected = robot.inverse_dynamics(q, v, a) - np.einsum(
        "kij,ki->kj", J, np.concatenate([force, torque], axis=-1)
    )
    agree(robot.inverse_dynamics(q, v, a, push), expected, 1e-11)


# ---- when --------------------------------------------------------------------------------------------------


def test_models_of_many_joints_are_looped_and_others_are_not():
    few, many = (examples.model(f"snake({n})") for n in (kernel.LOOPED_FROM - 1, kernel.LOOPED_FROM))
    assert loops_in(compile(dynamics.inverse_dynamics, few)) == 0
    assert loops_in(compile(dynamics.inverse_dynamics, many)) == 2
    assert loops_in(compile(dynamics.forward_dynamics, many)) == 3
    assert loops_in(compile(dynamics.forward_dynamics, many, looped=False)) == 0
    assert loops_in(compile(lambda model, q: dynamics.gravity_force(model, q), many)) == 2


def test_the_cache_tells_looped_kernels_from_others():
    """Our own equations are found by their names and options, without a trace."""
    model = random_chain(5, 12)
    for flag in (True, False, True):
        again = compile(dynamics.bias_force, model, looped=flag)
        assert (loops_in(again) > 0) == flag


def test_a_looped_equation_has_no_derivative_and_says_what_has():
    model = random_chain(6, 12)
    with pytest.raises(TraceError, match="of which no derivatives are made") as caught:
        forward(compile(dynamics.inverse_dynamics, model, looped=True).program)
    assert "compile(equation, robot, looped=False)" in str(caught.value)
    forward(compile(dynamics.inverse_dynamics, model, looped=False).program)


# ---- other programs, and laws -----------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [("revolute",), ("revolute", "prismatic")], ids=["turns", "mixed"])
def test_chains_of_200_joints_agree_with_pinocchio(kinds):
    """Inverse dynamics to 1e-11 of the largest force: sums over 200 bodies, some hundred roundings each way.

    Forward dynamics is held by what it is for: Pinocchio's inverse dynamics gives the forces back. The accelerations
    alone are worth less: the mass matrix of such a chain has a condition of 1e6 and more.
    """
    pytest.importorskip("pinocchio")
    from tests.truth.trees_elsewhere import PinocchioTree

    model = random_chain(7, 200, kinds)
    there = PinocchioTree(model)
    q, v, tau = random_state(model, 7, 3)
    inverse, forwards = (compile(e, model) for e in (dynamics.inverse_dynamics, dynamics.forward_dynamics))
    assert (loops_in(inverse), loops_in(forwards)) == (2, 3)
    found, a = inverse(q, v, tau), forwards(q, v, tau)
    for k in range(3):
        expected = there.inverse_dynamics(q[k], v[k], tau[k])
        assert np.abs(found[k] - expected).max() < 1e-11 * np.abs(expected).max()
        bias = there.inverse_dynamics(q[k], v[k], np.zeros(model.nv))
        again = there.inverse_dynamics(q[k], v[k], a[k])
        assert np.abs(again - tau[k]).max() < 1e-9 * np.abs(bias).max()


THOUSAND = random_chain(8, 1000)


@pytest.fixture(scope="module")
def thousand():
    """Kernels and a state of a chain of a thousand joints."""
    state = random_state(THOUSAND, 8, 9)
    return {equation.__name__: compile(equation, THOUSAND) for equation in EQUATIONS}, state


def test_a_thousand_joints_compile_in_under_a_minute(monkeypatch):
    """The time of this process alone, since the machine does other things too; the cache is not asked."""
    import time

    monkeypatch.setenv("QUATRAIN_CACHE", "off")
    for equation in (dynamics.inverse_dynamics, dynamics.forward_dynamics):
        began = time.process_time()
        compile(equation, THOUSAND)
        assert time.process_time() - began < 60


def test_forces_of_a_thousand_joints_do_the_work_that_the_energy_shows(thousand):
    """v · (tau(q, v, a) − g − (what velocities take)) is the rate of ½ vᵀ M v for fixed q: vᵀ M a, which is symmetric.

    With M u = tau(q, 0, u) − g: vᵀ M a = aᵀ M v to round-off of sums of a thousand products, and ½ vᵀ M v is the
    kinetic energy, which another recursion sums over the bodies.
    """
    kernels, (q, v, a) = thousand
    inverse, gravity = kernels["inverse_dynamics"], kernels["gravity_force"]
    g, still = gravity(q), np.zeros_like(v)
    M_v, M_a = inverse(q, still, v) - g, inverse(q, still, a) - g
    sizes = np.abs(v * M_a).sum(-1) + np.abs(v * g).sum(-1)
    assert (np.abs((v * M_a - a * M_v).sum(-1)) / sizes).max() < 1e-11
    energy = on_columns(dynamics.kinetic_energy, THOUSAND, q, v)
    assert (np.abs(0.5 * (v * M_v).sum(-1) - energy) / energy).max() < 1e-11


def test_power_balance_of_a_thousand_joints(thousand):
    """d/dt (T + V) = tau · v along a motion with these accelerations.

    The rate is a central difference with steps of 1e-6 s. Its error is that of the energy, 1e-16 of it, over the
    step, and the square of the step times the third derivative; 1e-6 of the powers' sizes holds both.
    """
    kernels, (q, v, a) = thousand
    v, a, h = v * 0.1, a * 0.1, 1e-6

    def energy(t):
        moved = q + v * t + a * (t * t / 2)  # all joints are turns and slides
        return on_columns(dynamics.energy, THOUSAND, moved, v + a * t)

    rate = (energy(h) - energy(-h)) / (2 * h)
    power = v * kernels["inverse_dynamics"](q, v, a)
    size = np.abs(power).sum(-1) + np.abs(energy(0.0)) * 1e-3
    assert (np.abs(power.sum(-1) - rate) / size).max() < 1e-6


def test_a_thousand_joints_forward_and_back(thousand):
    """inverse(forward(tau)) = tau: to 1e-9 of the forces that velocities and gravity take at the same joints."""
    kernels, (q, v, tau) = thousand
    a = kernels["forward_dynamics"](q, v, tau)
    scale = np.abs(kernels["bias_force"](q, v)).max(axis=-1, keepdims=True)
    assert (np.abs(kernels["inverse_dynamics"](q, v, a) - tau) / scale).max() < 1e-9
    without = kernels["inverse_dynamics"](q, v, np.zeros_like(v))
    assert (np.abs(kernels["bias_force"](q, v) - without) / scale).max() < 1e-12


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@BY_NAME
def test_results_do_not_depend_on_batch_thread_or_place(equation, dtype):
    model = random_chain(9, 60)
    state = [x.astype(dtype) for x in arguments_of(equation, random_state(model, 9, 1025))]
    whole = compile(equation, model, dtype=dtype)(*state)
    found = compile(equation, model, dtype=dtype)
    for start, stop in ((0, 1), (3, 4), (5, 13), (8, 25), (100, 1025)):
        assert np.array_equal(found(*(x[start:stop] for x in state)), whole[start:stop])
    assert np.array_equal(found(*(np.asfortranarray(x) for x in state)), whole)
    assert np.array_equal(compile(equation, model, dtype=dtype, threads=2)(*state), whole)


def test_a_rope_of_balls_hangs_by_its_weight():
    """A chain of 300 balls rests where it hangs; held out straight, it takes its weight at half its length."""
    built, parent = ModelBuilder("rope"), "world"
    for k in range(300):
        built.body(
            f"b{k}", parent=parent, joint="ball", at=(0, 0, -0.1 if k else 0), mass=0.2, com=(0, 0, -0.05),
            inertia=(1e-3, 1e-3, 1e-4),
        )  # fmt: skip
        parent = f"b{k}"
    robot = built.robot()
    q = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), 300)
    v = np.zeros(robot.nv)
    assert np.abs(robot.forward_dynamics(q, v, v)).max() == 0.0
    turned = Quaternion.from_axis_angle(Vec3(0, 1, 0), np.pi / 2)
    q[:4] = list(turned)
    # The whole rope held out straight: its weight at half its length; 300 bodies' sums, each rounded.
    assert robot.gravity_force(q)[1] == pytest.approx(60 * 9.81 * 15.0, rel=1e-13)
