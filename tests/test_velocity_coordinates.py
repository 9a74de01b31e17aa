"""The equations of motion in velocities of every kind: consistent with one another, and with what others say."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import quatrain as qt
from quatrain import Robot
from quatrain.equations import euler_angles, euler_parameters
from tests.truth.random_trees import random_state, random_tree

KINDS = [
    ("body", None),
    ("world", None),
    ("quaternion_rates", None),
    ("euler_rates", "ZYX"),
    ("euler_rates", "zxz"),
]
JOINTS = ("revolute", "prismatic", "ball", "planar", "free", "universal")


@cache
def robot(seed):
    return Robot(random_tree(seed, 5, JOINTS, root="free"))


def close(found, exact, tolerance=1e-12):
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * max(1.0, np.abs(exact).max()))


def map_of(robot, q, kind):
    """S(q) (..., nv, nu), column by column."""
    count = robot.nq if kind["velocity"] == "quaternion_rates" else robot.nv
    return np.stack([robot.to_mixed(q, unit, **kind) for unit in np.eye(count)], axis=-1)


def state(robot, seed, kind):
    """q, and u and u̇ with S u = v: of quaternions those that keep their norm."""
    q, v, a = random_state(robot.model, seed, 3)
    S = map_of(robot, q, kind)
    inverse = np.linalg.pinv(S)
    return q, v, a, S, np.einsum("nab,nb->na", inverse, v), inverse


@pytest.mark.parametrize(("velocity", "convention"), KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_all_of_them_say_the_same(seed, velocity, convention):
    """M' = Sᵀ M S, the force of a motion, energy, power, and the velocity of a frame."""
    machine, kind = robot(seed), {"velocity": velocity, "convention": convention}
    q, v, a, S, u, _ = state(machine, seed, kind)
    M, J, g = machine.mass_matrix(q), machine.jacobian(q, "f2"), machine.gravity_force(q)
    close(machine.to_mixed(q, u, **kind), v)
    close(machine.mass_matrix(q, **kind), S.swapaxes(1, 2) @ M @ S)
    close(machine.gravity_force(q, **kind), np.einsum("nba,nb->na", S, g))
    close(machine.jacobian(q, "f2", **kind), J @ S)
    # What the velocities' derivative is, from differences of S along the motion: good for 1e-9.
    h = 1e-3

    def rates(t):
        at = machine.integrate(q, v, t)
        return np.einsum("nab,nb->na", map_of(machine, at, kind), u)

    dS_u = (8 * (rates(h) - rates(-h)) - rates(2 * h) + rates(-2 * h)) / (12 * h)
    du = np.einsum("nab,nb->na", np.linalg.pinv(S), a - dS_u)
    tau = machine.inverse_dynamics(q, v, a)
    close(machine.inverse_dynamics(q, u, du, **kind), np.einsum("nba,nb->na", S, tau), 1e-8)


@pytest.mark.parametrize(("velocity", "convention"), KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_they_belong_together(seed, velocity, convention):
    """M u̇ + C u + g = τ, h = C u + g, and Ṁ − 2C is skew."""
    machine, kind = robot(seed), {"velocity": velocity, "convention": convention}
    q, v, _, S, u, _ = state(machine, seed, kind)
    du = np.random.default_rng(2).normal(size=u.shape)
    M, C = machine.mass_matrix(q, **kind), machine.coriolis_matrix(q, u, **kind)
    g, h = machine.gravity_force(q, **kind), machine.bias_force(q, u, **kind)
    turned = np.einsum("nab,nb->na", C, u)
    close(h, turned + g)
    close(machine.inverse_dynamics(q, u, du, **kind), np.einsum("nab,nb->na", M, du) + h)
    step = 1e-3

    def mass(t):
        return machine.mass_matrix(machine.integrate(q, v, t), **kind)

    rate = (8 * (mass(step) - mass(-step)) - mass(2 * step) + mass(-2 * step)) / (12 * step)
    close(rate, C + C.swapaxes(1, 2), 1e-8)  # what differences are good for near a singularity of the angles
    assert S.shape[-1] == M.shape[-1]


def test_of_one_body_in_quaternion_rates_it_is_s29():
    """M = 4 Lᵀ J L, singular along q, and the forces of velocities that go with it, g₅."""
    top = qt.examples.load("heavy_top")
    q, v, _ = random_state(top.model, 0, 1)
    M = top.mass_matrix(q, velocity="quaternion_rates")[0]
    I_O = top.mass_matrix(q)[0]
    inertia = qt.SymMat3(I_O[0, 0], I_O[1, 1], I_O[2, 2], I_O[0, 1], I_O[0, 2], I_O[1, 2])
    quaternion = qt.Quaternion(*q[0])
    exact = euler_parameters.inertia_matrix(quaternion, inertia)
    close(M / I_O[0, 0], np.array(exact.rows, float) / I_O[0, 0], 1e-14)
    np.testing.assert_allclose(M @ q[0], 0, atol=1e-18)
    rates = quaternion.derivative(qt.Vec3(*v[0]))
    turned = top.coriolis_matrix(q, [list(rates)], velocity="quaternion_rates")[0] @ np.array(list(rates))
    force = euler_parameters.quintic_gyroscopic_force(quaternion, rates, inertia)
    close(turned / I_O[0, 0], np.array(list(force)) / I_O[0, 0], 1e-13)


def test_of_one_body_in_angles_it_is_lagranges_form():
    """Y's M and C in three angles, in two conventions."""
    top = qt.examples.load("heavy_top")
    I_O = top.mass_matrix(top.neutral())
    inertia = qt.SymMat3(I_O[0, 0], I_O[1, 1], I_O[2, 2], I_O[0, 1], I_O[0, 2], I_O[1, 2])
    for name in ("ZXZ", "xyz"):
        convention = qt.AngleConvention(name)
        angles, rates = qt.Vec3(0.3, 0.8, -0.4), qt.Vec3(1.0, 2.0, -3.0)
        q = list(convention.to_quaternion(angles))
        M = top.mass_matrix(q, velocity="euler_rates", convention=name)
        exact = euler_angles.mass_matrix(convention, inertia, angles)
        close(M / I_O[0, 0], np.array([[float(x) for x in row] for row in exact.rows]) / I_O[0, 0], 1e-14)
        u = np.array(list(rates))
        turned = top.coriolis_matrix(q, u, velocity="euler_rates", convention=convention) @ u
        C = euler_angles.coriolis_matrix(convention, inertia, angles, rates)
        close(turned / I_O[0, 0], np.array(list(C @ rates)) / I_O[0, 0], 1e-13)


@pytest.mark.parametrize("name", ["anymal", "talos"])
def test_in_the_body_it_is_pinocchios_mass_matrix(name):
    pin = pytest.importorskip("pinocchio")
    from quatrain.interop import from_pinocchio
    from tests.truth.robots import pinocchio_model

    theirs = pinocchio_model(name)
    ours = Robot(from_pinocchio(theirs))
    q, _, _ = random_state(ours.model, 1, 1)
    there = qt.convert.pinocchio(ours)
    found = ours.mass_matrix(q, velocity="body")[0]
    upper = np.triu(pin.crba(theirs, theirs.createData(), there.q_to(q)[0]))
    close(found, upper + np.triu(upper, 1).T, 1e-13)


def test_in_the_world_a_free_body_turns_about_axes_of_the_world():
    """Whatever frame its joint stands in: the Jacobian is 1."""
    base = qt.Pose(qt.Quaternion(0.6, 0.0, 0.8, 0.0), qt.Vec3(1.0, 2.0, 3.0))
    built = qt.ModelBuilder("free")
    built.body("box", joint="free", mass=1.0, inertia=(1, 2, 3), at=base.p, rotation=base.q)
    machine = Robot(built.model())
    q = [0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5]
    close(machine.jacobian(q, "box", velocity="world"), np.eye(6), 1e-15)
    close(machine.jacobian(q, "box", axes="body", velocity="body"), np.eye(6), 1e-15)


def test_an_arm_knows_no_difference():
    arm = qt.examples.load("arm6")
    q, v, _ = random_state(arm.model, 0, 2)
    for velocity in ("body", "world", "quaternion_rates"):
        np.testing.assert_allclose(
            arm.mass_matrix(q, velocity=velocity), arm.mass_matrix(q), rtol=1e-15, atol=1e-16
        )
        close(arm.coriolis_matrix(q, v, velocity=velocity), arm.coriolis_matrix(q, v), 1e-15)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"velocity": "spin"}, r"velocity is 'spin'\.\n.*'mixed', 'body', 'world', 'quaternion_rates', 'euler_rates'"),
        ({"velocity": "euler_rates"}, r"euler_rates are of no convention\.\n.*convention='ZYX'"),
        ({"convention": "ZYX"}, r"convention is 'ZYX', and velocity 'mixed' knows no angles"),
        ({"velocity": "euler_rates", "convention": "ZZX"}, "turns twice in a row"),
    ],
)  # fmt: skip
def test_wrong_kinds_are_answered(options, text):
    with pytest.raises(qt.ArgumentError, match=f"(?s){text}"):
        qt.examples.load("heavy_top").mass_matrix([1, 0, 0, 0], **options)


def test_forces_from_outside_are_refused_with_the_way_to_add_them():
    top = qt.examples.load("heavy_top")
    pushed = {"top": ([0, 0, 1], [0, 0, 0])}
    with pytest.raises(qt.ArgumentError, match=r"external forces come with velocity='world'(?s:.*)Jᵀ f"):
        top.inverse_dynamics([1, 0, 0, 0], [0] * 3, [0] * 3, external=pushed, velocity="world")
