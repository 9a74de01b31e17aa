"""Laws of mechanics on random trees of every joint. Rates are taken with forty digits: see `precise_trees.rate`."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from quatrain import ModelBuilder, Pose, Quaternion, Vec3, cross
from quatrain.edit import merged_fixed
from quatrain.equations import dynamics
from quatrain.equations.connection import christoffel
from quatrain.equations.regressor import regressor
from quatrain.model import AXES, WORLD
from tests.truth.precise_trees import (
    DIGITS,
    as_numbers,
    condition,
    lifted,
    objects,
    rate,
    unit_quaternions,
    worst,
)
from tests.truth.random_trees import KINDS, on_columns, random_rotation, random_state, random_tree
from tests.truth.textbook_arms import DoublePendulum, TwoLinkArm

EXACT = 1e-20  # of rates: their steps leave 1e-26, times what derivatives of third order there are
ROUNDING = 3e-14  # of columns: a hundred roundings, relative to the largest number of the answer

MOVING = [kind for kind in KINDS if kind != "fixed"]
MIXED = [(f"mixed{k}", k, 10, KINDS) for k in range(2)]
LONG = [(f"long{k}", 20 + k, 40, KINDS) for k in range(3)]
CASES = [(kind, 10 + k, 3, (kind,)) for k, kind in enumerate(MOVING)] + MIXED
trees = pytest.mark.parametrize(
    ("seed", "count", "kinds"),
    [*(pytest.param(*case, id=name) for name, *case in CASES)]
    + [pytest.param(*case, id=name, marks=pytest.mark.slow) for name, *case in LONG],
)


@pytest.fixture(autouse=True)
def _forty_digits():
    with mpmath.workdps(DIGITS):
        yield


def precise(seed, count, kinds, **options):
    """A model and one state of it in numbers of forty digits: q, v and a."""
    model = random_tree(seed, count, kinds, **options)
    q, v, a = (as_numbers(x)[0] for x in random_state(model, seed, 1))
    return lifted(model, unit=True), unit_quaternions(model, q), v, a


def ways(v, a):
    """Velocities to go along: each alone, or two at random where there are many."""
    n = len(v)
    return [[mpmath.mpf(k == i) for i in range(n)] for k in range(n)] if n < 10 else [v, a]


def close(found, exact, tolerance=ROUNDING):
    found, exact = np.asarray(found), np.asarray(exact)
    size = max(1.0, float(np.max(np.abs(exact), initial=0.0)))
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * size)


# ---- energy ----------------------------------------------------------------------------------------------


@trees
def test_power_is_the_rate_of_energy(seed, count, kinds):
    """Of joint forces and of a force from outside: d/dt (T + V) = τ·v + f·v_F + t·ω_F."""
    model, q, v, tau = precise(seed, count, kinds)
    frame = model.frames[0].name
    f, t = Vec3(1.5, -2.0, 0.5), Vec3(0.3, 0.2, -0.7)
    a = dynamics.forward_dynamics(model, q, v, tau, {frame: (f, t)})
    linear, angular = dynamics.frame_velocity(model, q, v, frame)
    power = objects(tau) @ objects(v) + objects(f) @ objects(linear) + objects(t) @ objects(angular)
    assert worst(rate(dynamics.energy, model, q, v, a), power) < EXACT


@trees
def test_gravity_force_is_the_slope_of_potential_energy(seed, count, kinds):
    model, q, v, a = precise(seed, count, kinds)
    g = objects(dynamics.gravity_force(model, q))
    for along in ways(v, a):
        assert worst(rate(dynamics.potential_energy, model, q, along), g @ objects(along)) < EXACT


@trees
def test_kinetic_energy_is_half_of_v_m_v(seed, count, kinds):
    model, q, v, _ = precise(seed, count, kinds)
    M, v = objects(dynamics.mass_matrix(model, q)), objects(v)
    assert worst(dynamics.kinetic_energy(model, q, v), v @ M @ v / 2) < 1e-36
    assert worst(dynamics.energy(model, q, v), v @ M @ v / 2 + dynamics.potential_energy(model, q)) < 1e-36


@trees
def test_mass_matrices_are_symmetric_and_positive(seed, count, kinds):
    model = random_tree(seed, count, kinds)
    M = on_columns(dynamics.mass_matrix, model, random_state(model, seed, 8)[0])
    assert np.array_equal(M, np.swapaxes(M, 1, 2))
    assert np.all(np.linalg.eigvalsh(M) > 0)


# ---- the Coriolis matrix -----------------------------------------------------------------------------------


@trees
def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(seed, count, kinds):
    model, q, v, _ = precise(seed, count, kinds)
    C = objects(dynamics.coriolis_matrix(model, q, v))
    Mdot = rate(dynamics.mass_matrix, model, q, v)
    assert worst(C + C.T, Mdot) < EXACT


@trees
def test_coriolis_matrix_times_v_is_the_force_of_velocities(seed, count, kinds):
    """And it is linear in v: C(v) w, symmetric in v and w up to the torsion of balls."""
    model, q, v, a = precise(seed, count, kinds)
    weightless = replace(model, gravity=Vec3.zero())
    C = objects(dynamics.coriolis_matrix(model, q, v))
    assert worst(C @ objects(v), dynamics.bias_force(weightless, q, v)) < 1e-36
    both = objects(dynamics.coriolis_matrix(model, q, [x + 2 * y for x, y in zip(v, a, strict=True)]))
    assert worst(both, C + 2 * objects(dynamics.coriolis_matrix(model, q, a))) < 1e-36


# ---- forward and inverse -----------------------------------------------------------------------------------


@trees
def test_forces_give_the_accelerations_that_take_these_forces(seed, count, kinds):
    model, q, v, tau = precise(seed, count, kinds)
    external = {frame.name: (Vec3(*v[:3]), Vec3(1, 2, 3)) for frame in model.frames} if model.nv > 2 else {}
    a = dynamics.forward_dynamics(model, q, v, tau, external)
    kappa = condition(dynamics.mass_matrix(model, q))
    assert worst(dynamics.inverse_dynamics(model, q, v, a, external), tau) < 1e-36 * kappa
    tau = dynamics.inverse_dynamics(model, q, v, v, external)
    assert worst(dynamics.forward_dynamics(model, q, v, tau, external), v) < 1e-36 * kappa


@trees
def test_forces_are_mass_times_acceleration_and_what_velocities_gravity_and_others_do(seed, count, kinds):
    model, q, v, a = precise(seed, count, kinds)
    frame = model.frames[0].name
    wrench = Vec3(1.5, -2.0, 0.5), Vec3(0.3, 0.2, -0.7)
    M, C = objects(dynamics.mass_matrix(model, q)), objects(dynamics.coriolis_matrix(model, q, v))
    pushed = objects(dynamics.jacobian(model, q, frame)).T @ objects([*wrench[0], *wrench[1]])
    exact = M @ objects(a) + C @ objects(v) + objects(dynamics.gravity_force(model, q)) - pushed
    assert worst(dynamics.inverse_dynamics(model, q, v, a, {frame: wrench}), exact) < 1e-36


def test_forces_on_one_body_add_up_and_forces_on_the_ground_do_nothing():
    model, q, v, a = precise(3, 6, KINDS)
    f, t = Vec3(1.0, 2.0, 3.0), Vec3(-1.0, 0.5, 2.0)
    body = model.body_names[model.frames[1].body]
    apart = [dynamics.inverse_dynamics(model, q, v, a, {n: (f, t)}) for n in (body, model.frames[1].name)]
    both = dynamics.inverse_dynamics(model, q, v, a, dict.fromkeys((body, model.frames[1].name), (f, t)))
    none = dynamics.inverse_dynamics(model, q, v, a)
    assert worst(objects(apart[0]) + objects(apart[1]) - objects(none), both) < 1e-36
    assert model.frame("mark").body == WORLD
    assert dynamics.inverse_dynamics(model, q, v, a, {"mark": (f, t), "world": (f, t)}) == none


# ---- symmetries --------------------------------------------------------------------------------------------


def moved(model, X: Pose):
    """The whole robot elsewhere: all that stands on the ground, and gravity."""
    bodies = tuple(
        replace(b, joint=replace(b.joint, X_PJ=X @ b.joint.X_PJ)) if b.parent == WORLD else b
        for b in model.bodies
    )
    frames = tuple(replace(f, X_BF=X @ f.X_BF) if f.body == WORLD else f for f in model.frames)
    return replace(model, bodies=bodies, frames=frames, gravity=X.q.rotate(model.gravity))


@trees
def test_turning_and_moving_the_robot_with_gravity_changes_nothing(seed, count, kinds):
    model = random_tree(seed, count, kinds)
    q, v, a = random_state(model, seed)
    random = np.random.default_rng(seed)
    X = Pose(random_rotation(random), Vec3(*map(float, random.normal(size=3))))
    there = moved(model, X)
    R = X.q.to_matrix().to_array()
    for function, state in (
        (dynamics.mass_matrix, (q,)),
        (dynamics.coriolis_matrix, (q, v)),
        (dynamics.gravity_force, (q,)),
        (dynamics.inverse_dynamics, (q, v, a)),
        (dynamics.kinetic_energy, (q, v)),
    ):
        close(on_columns(function, there, *state), on_columns(function, model, *state))
    kappa = np.max(np.linalg.cond(on_columns(dynamics.mass_matrix, model, q)))
    found, exact = (on_columns(dynamics.forward_dynamics, m, q, v, a) for m in (there, model))
    close(found, exact, 1e-15 * kappa)
    lift = model.mass * np.dot(R @ list(model.gravity), list(X.p))
    V = on_columns(dynamics.potential_energy, model, q)
    close(on_columns(dynamics.potential_energy, there, q), V - lift * _share_that_moves(model))
    frame = model.frames[0].name
    for function in (dynamics.frame_velocity, dynamics.momentum):
        options = {"frame": frame} if function is dynamics.frame_velocity else {}
        found, exact = (on_columns(function, m, q, v, **options) for m in (there, model))
        for one, other in zip(found, exact, strict=True):
            close(one, other @ R.T)
    close(
        on_columns(dynamics.center_of_mass, there, q),
        on_columns(dynamics.center_of_mass, model, q) @ R.T + list(X.p),
    )
    close(
        on_columns(dynamics.jacobian, there, q, frame=frame, axes="body"),
        on_columns(dynamics.jacobian, model, q, frame=frame, axes="body"),
    )


def _share_that_moves(model) -> float:
    """Of the mass: bodies that are fixed to the ground have no part in energies."""
    still = []
    for body in model.bodies:
        still.append(body.joint.kind == "fixed" and (body.parent == WORLD or still[body.parent]))
    return sum(b.mass for b, rests in zip(model.bodies, still, strict=True) if not rests) / model.mass


@pytest.mark.parametrize("seed", range(3))
def test_bodies_fixed_to_one_another_are_as_one(seed):
    model = random_tree(seed, 12, ("fixed", "revolute", "ball", "prismatic"))
    merged = merged_fixed(model)
    assert merged.nb < model.nb
    q, v, a = random_state(model, seed)
    close(on_columns(dynamics.mass_matrix, merged, q), on_columns(dynamics.mass_matrix, model, q))
    exact = on_columns(dynamics.inverse_dynamics, model, q, v, a)
    close(on_columns(dynamics.inverse_dynamics, merged, q, v, a), exact)


# ---- momentum ----------------------------------------------------------------------------------------------


def free_machine(seed, count=7):
    """On a free joint that has no rotors; gravity, a state, and joint forces that leave the free joint alone."""
    model, q, v, tau = precise(seed, count, KINDS, root="free")
    root = model.bodies[0]
    root = replace(root, joint=replace(root.joint, armature=()))
    model = replace(model, bodies=(root, *model.bodies[1:]))
    return model, q, v, [mpmath.mpf(0)] * 6 + tau[6:]


machines = pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 9))]
)


@machines
def test_free_robots_keep_linear_and_angular_momentum(seed):
    """Whatever their joints do, and with rotors in them."""
    model, q, v, tau = free_machine(seed)
    model = replace(model, gravity=Vec3.zero())
    a = dynamics.forward_dynamics(model, q, v, tau)
    p, L = dynamics.momentum(model, q, v)
    for change, size in zip(rate(dynamics.momentum, model, q, v, a), (p, L), strict=True):
        assert worst(change, 0 * change, max(map(abs, size))) < EXACT


@machines
def test_momentum_changes_by_the_wrench_from_outside(seed):
    """ṗ = m g + f, and about the centre of mass L̇ = t + (p_F − p_C) × f."""
    model, q, v, tau = free_machine(seed)
    frame, f, t = model.frames[1].name, Vec3(1.5, -2.0, 0.5), Vec3(0.3, 0.2, -0.7)
    a = dynamics.forward_dynamics(model, q, v, tau, {frame: (f, t)})
    linear, angular = rate(dynamics.momentum, model, q, v, a)
    arm = dynamics.frame_pose(model, q, frame).p - dynamics.center_of_mass(model, q)
    assert worst(linear, model.gravity * model.mass + f) < EXACT
    assert worst(angular, t + cross(arm, f)) < EXACT


@trees
def test_momentum_is_mass_times_the_rate_of_the_centre_of_mass(seed, count, kinds):
    model, q, v, _ = precise(seed, count, kinds)
    p, _ = dynamics.momentum(model, q, v)
    m = model.mass * _share_that_moves(model)
    assert worst(rate(dynamics.center_of_mass, model, q, v) * m, p) < EXACT


# ---- kinematics --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_far_from_the_origin_nothing_is_lost(seed):
    """A thousand kilometres away, as a machine on a map is: what does not depend on the place is the same to rounding.

    It stands at sixteenths of a metre, which are numbers there as here.
    """
    model = random_tree(seed, 6, root="free")
    model = replace(model, bodies=(replace(model.bodies[0], joint=_at_the_origin(model)), *model.bodies[1:]))
    q, v, a = random_state(model, seed, 3)
    q[:, :3] = np.round(q[:, :3] * 16) / 16
    far = q + np.eye(model.nq)[:3].T @ [1e6, -5e5, 2e5]
    cases = {
        dynamics.mass_matrix: (),
        dynamics.mass_matrix_inverse: (),
        dynamics.coriolis_matrix: (v,),
        christoffel: (),
        dynamics.bias_force: (v,),
        dynamics.inverse_dynamics: (v, a),
        dynamics.forward_dynamics: (v, a),
        dynamics.momentum_rows: (v,),
        dynamics.momentum_rate_rows: (v, a),
        dynamics.centroidal_momentum_matrix: (),
        dynamics.centroidal_momentum_matrix_rate: (v,),
        regressor: (v, a),
    }
    for function, rest in cases.items():
        here, there = (on_columns(function, model, at, *rest) for at in (q, far))
        assert np.abs(here - there).max() < ROUNDING * np.abs(here).max(), function.__name__


def _at_the_origin(model):
    return replace(model.bodies[0].joint, X_PJ=Pose.identity(), axes=AXES)


@trees
def test_jacobians_are_the_rates_of_poses(seed, count, kinds):
    """The velocity of a point, and 2 q̇ q*."""
    model, q, v, a = precise(seed, count, kinds)
    for frame, point in ((model.frames[-2].name, Vec3.zero()), (model.body_names[-1], Vec3(0.3, -0.2, 0.5))):
        X = dynamics.frame_pose(model, q, frame)
        J = objects(dynamics.jacobian(model, q, frame, point))
        motion = lambda m, at, n=frame, r=point: _point_and_attitude(dynamics.frame_pose(m, at, n), r)
        for along in ways(v, a):
            change, found = rate(motion, model, q, along), J @ objects(along)
            assert worst(found[:3], change[:3]) < EXACT
            turning = Quaternion(*change[3:]) @ X.q.conjugate()
            assert worst(found[3:], [2 * turning.x, 2 * turning.y, 2 * turning.z]) < EXACT
        R = objects(X.q.to_matrix().rows)
        body = objects(dynamics.jacobian(model, q, frame, point, axes="body"))
        assert worst(R @ body[:3], J[:3]) < 1e-36
        assert worst(R @ body[3:], J[3:]) < 1e-36


def _point_and_attitude(X, point):
    return [*X.apply(point), *X.q]


@trees
def test_accelerations_are_the_rates_of_velocities(seed, count, kinds):
    model, q, v, a = precise(seed, count, kinds)
    frame = model.frames[-2].name
    velocity = lambda m, at, rates: dynamics.frame_velocity(m, at, rates, frame)
    J = objects(dynamics.jacobian(model, q, frame))
    assert worst(velocity(model, q, v), (J @ objects(v)).reshape(2, 3)) < 1e-36
    found = dynamics.frame_acceleration(model, q, v, a, frame)
    assert worst(found, rate(velocity, model, q, v, a)) < EXACT
    R = dynamics.frame_pose(model, q, frame).q.to_matrix()
    turned = [R @ x for x in dynamics.frame_acceleration(model, q, v, a, frame, axes="body")]
    assert worst(turned, found) < 1e-36
    turned = [R @ x for x in dynamics.frame_velocity(model, q, v, frame, axes="body")]
    assert worst(turned, velocity(model, q, v)) < 1e-36


def test_a_pose_is_seen_from_any_frame():
    model, q, _, _ = precise(5, 8, KINDS)
    first, last = model.frames[0].name, model.frames[-2].name
    seen = dynamics.frame_pose(model, q, last, relative_to=first)
    whole = dynamics.frame_pose(model, q, first) @ seen
    exact = dynamics.frame_pose(model, q, last)
    assert worst(whole.p, exact.p) < 1e-36
    assert worst(whole.q, exact.q) < 1e-36
    assert worst(dynamics.frame_pose(model, q, last, relative_to=last).p, Vec3.zero()) < 1e-36


# ---- coordinates -------------------------------------------------------------------------------------------


@trees
def test_coordinate_rates_are_those_of_integrate(seed, count, kinds):
    model, q, v, _ = precise(seed, count, kinds)
    itself = lambda m, at: at
    assert worst(dynamics.coordinate_rates(model, q, v), rate(itself, model, q, v)) < EXACT


@trees
def test_difference_undoes_integrate(seed, count, kinds):
    """While no ball turns by more than half a turn."""
    model, q, v, _ = precise(seed, count, kinds)
    dt = mpmath.mpf("0.4")
    after = dynamics.integrate(model, q, v, dt)
    assert worst(dynamics.difference(model, q, after), objects(v) * dt) < 1e-36
    assert worst(dynamics.integrate(model, q, v, mpmath.mpf(0)), q) < 1e-36
    assert worst(dynamics.integrate(model, after, v, -dt), q) < 1e-36
    assert worst(unit_quaternions(model, after), after) < 1e-36  # norms are kept


@trees
def test_integrate_leads_where_difference_says(seed, count, kinds):
    """To the same attitude: quaternions may come with the other sign, for the way is the shorter one."""
    model = random_tree(seed, count, kinds)
    q0, q1 = (random_state(model, s, 16)[0] for s in (seed, seed + 1))
    v = on_columns(dynamics.difference, model, q0, q1)
    there = on_columns(lambda m, q, v: dynamics.integrate(m, q, v, 1.0), model, q0, v)
    for found, exact in zip(*(on_columns(dynamics.poses, model, q) for q in (there, q1)), strict=True):
        signs = np.sign(np.sum(found * exact, axis=-1, keepdims=True)) if found.shape[-1] == 4 else 1.0
        close(found * signs, exact)
    for k, name in enumerate(model.v_names):
        if name.endswith(".wx"):
            assert np.all(np.linalg.norm(v[:, k : k + 3], axis=-1) < np.pi + 1e-12)


def test_neutral_is_zero_and_identity():
    model = random_tree(0, 10)
    q = dynamics.neutral(model)
    assert len(q) == model.nq
    for value, name in zip(q, model.q_names, strict=True):
        assert value == (1.0 if name.endswith(".qw") else 0.0)


# ---- textbooks -----------------------------------------------------------------------------------------------


def test_a_two_link_arm_is_that_of_the_literature():
    """About −y, so that angles go up from the horizontal x axis."""
    book = TwoLinkArm(m1=1.3, m2=0.7, l1=1.1, lc1=0.4, lc2=0.6, I1=0.2, I2=0.15, g=9.8)
    arm = ModelBuilder("arm", gravity=(0, 0, -book.g))
    arm.body("upper", axis="-y", mass=book.m1, com=(book.lc1, 0, 0), inertia=(0.1, book.I1, 0.15))
    arm.body(
        "lower", parent="upper", axis="-y", at=(book.l1, 0, 0),
        mass=book.m2, com=(book.lc2, 0, 0), inertia=(0.1, book.I2, 0.15),
    )  # fmt: skip
    model = arm.model()
    q, v = np.random.default_rng(1).uniform(-3, 3, (2, 50, 2))
    M, c, g = book.mass_matrix(*q.T), book.velocity_forces(*q.T, *v.T), book.gravity_forces(*q.T)
    close(on_columns(dynamics.mass_matrix, model, q), np.moveaxis(M, -1, 0))
    close(on_columns(dynamics.gravity_force, model, q), g.T)
    close(on_columns(dynamics.bias_force, model, q, v), (c + g).T)
    C = on_columns(dynamics.coriolis_matrix, model, q, v)
    close(np.einsum("bij,bj->bi", C, v), c.T)


def test_a_double_pendulum_is_that_of_the_literature():
    """Its angles are both from the vertical; ours are one from the other."""
    book = DoublePendulum(m1=1.3, m2=0.7, l1=1.1, l2=0.9, g=9.8)
    built = ModelBuilder("pendulum", gravity=(0, 0, -book.g))
    built.body("upper", axis="y", mass=book.m1, com=(0, 0, -book.l1), inertia=(0, 0, 0))
    built.body(
        "lower", parent="upper", axis="y", at=(0, 0, -book.l1),
        mass=book.m2, com=(0, 0, -book.l2), inertia=(0, 0, 0),
    )  # fmt: skip
    model = built.model()
    f, df = np.random.default_rng(2).uniform(-3, 3, (2, 50, 2))
    q, v = (np.stack([x[:, 0], x[:, 1] - x[:, 0]], axis=1) for x in (f, df))
    T, V = book.energies(*f.T, *df.T)
    close(on_columns(dynamics.kinetic_energy, model, q, v), T)
    close(on_columns(dynamics.potential_energy, model, q), V)
    a = on_columns(dynamics.forward_dynamics, model, q, v, np.zeros_like(v))
    close(np.stack([a[:, 0], a[:, 0] + a[:, 1]]), book.accelerations(*f.T, *df.T), 1e-13)
