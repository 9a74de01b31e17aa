"""Regressors in the inertial parameters, and what motions can tell of these."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.equations.regressor import (
    energy_regressor,
    inertial_parameters,
    momentum_regressor,
    parameter_names,
    regressor,
)
from quatrain.equations.tree import Tree
from tests.truth.random_trees import on_columns, random_state, random_tree


def close(found, exact, tolerance=1e-13):
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * np.abs(exact).max())


def rotors(model):
    found = np.zeros(model.nv)
    for segment in Tree.of(model).segments:
        for k, rotor in enumerate(segment.armature, segment.v):
            found[k] += rotor
    return found


@pytest.mark.parametrize("seed", range(8))
def test_times_the_parameters_they_give_forces_energy_and_momentum(seed):
    model = random_tree(seed, 14, root="free" if seed % 2 else None)
    q, v, a = random_state(model, seed)
    pi = np.array(inertial_parameters(model), float)
    tau = on_columns(dynamics.inverse_dynamics, model, q, v, a)
    close(on_columns(regressor, model, q, v, a) @ pi + rotors(model) * a, tau)
    energy = on_columns(dynamics.energy, model, q, v) - 0.5 * (rotors(model) * v**2).sum(axis=1)
    close(on_columns(energy_regressor, model, q, v) @ pi, energy)
    p, L = on_columns(dynamics.momentum, model, q, v)
    about_origin = L + np.cross(on_columns(dynamics.center_of_mass, model, q), p)
    close(on_columns(momentum_regressor, model, q, v) @ pi, np.concatenate((p, about_origin), axis=1))


def test_they_hold_for_parameters_that_no_body_could_have():
    """Linear in each of them: also where masses are negative."""
    model = random_tree(3, 8)
    q, v, a = random_state(model, 3)
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 10 * model.nb))
    Y = on_columns(regressor, model, q, v, a)
    found = [forces(model, pi, q, v, a) for pi in (first, second, first + second)]
    close(Y @ first + rotors(model) * a, found[0], 1e-12)
    close(found[0] + found[1] - rotors(model) * a, found[2], 1e-12)


def forces(model, pi, q, v, a):
    """Inverse dynamics of the same tree with bodies of these parameters."""
    from dataclasses import replace

    bodies = []
    for body, (m, hx, hy, hz, xx, yy, zz, xy, xz, yz) in zip(
        model.bodies, pi.reshape(-1, 10).tolist(), strict=True
    ):
        c = qt.Vec3(hx, hy, hz) / m
        steiner = [[0.0] * 3 for _ in range(3)]
        for i, x in enumerate(c):
            for j, y in enumerate(c):
                steiner[i][j] = m * (qt.dot(c, c) * (i == j) - x * y)
        I_cm = qt.SymMat3(
            xx - steiner[0][0], yy - steiner[1][1], zz - steiner[2][2],
            xy - steiner[0][1], xz - steiner[0][2], yz - steiner[1][2],
        )  # fmt: skip
        bodies.append(replace(body, mass=m, p_BBcm=c, I_Bcm_B=I_cm))
    return on_columns(dynamics.inverse_dynamics, replace(model, bodies=tuple(bodies)), q, v, a)


@pytest.mark.parametrize("name", ["panda", "go2"])
def test_pinocchio_has_the_same_torque_regressor(name):
    pin = pytest.importorskip("pinocchio")
    from quatrain.interop import from_pinocchio
    from tests.truth.robots import pinocchio_model

    theirs = pinocchio_model(name)
    model = from_pinocchio(theirs)
    q, v, a = (x[0] for x in random_state(model, 2, 1))
    q_theirs, v_theirs, a_theirs = q, v, a
    rows = slice(None)
    if model.bodies[0].joint.kind == "free":
        # At rest and upright, but accelerated: their base's velocities are in the body, and so are the forces.
        q[3:7] = (1.0, 0.0, 0.0, 0.0)
        v[:6] = 0.0
        q_theirs = np.concatenate((q[:3], q[4:7], q[3:4], q[7:]))
    found = np.array(regressor(model, q, v, a), float)[rows].reshape(model.nv, model.nb, 10)
    exact = pin.computeJointTorqueRegressor(theirs, theirs.createData(), q_theirs, v_theirs, a_theirs)
    order = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]  # theirs: m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    close(found, exact.reshape(model.nv, model.nb, 10)[:, :, order])


# ---- base parameters --------------------------------------------------------------------------------------


def test_an_arm_of_six_turning_joints_has_36_base_parameters():
    """7 n − 4 β − 2 with the first axis upright and one joint before the direction changes.

    H. Mayeda, K. Yoshida, K. Osuka, Base parameters of manipulator dynamic models, IEEE Trans. Robotics
    Automation 6 (1990) 312.
    """
    assert qt.examples.load("arm6").base_parameters().rank == 7 * 6 - 4 - 2
    assert qt.examples.load("arm7").base_parameters().rank == 7 * 7 - 4 - 2


def test_a_quadruped_on_a_free_base_has_ten_and_seven_for_each_joint():
    """K. Ayusawa, G. Venture, Y. Nakamura, Identifiability and identification of inertial parameters using the
    underactuated base-link dynamics for legged multibody systems, Int. J. Robotics Research 33 (2014) 446."""
    base = qt.examples.load("quadruped").base_parameters()
    assert base.rank == 10 + 7 * 12
    assert base.without_effect == ()  # whoever floats feels all of them


@pytest.mark.parametrize("name", ["arm6", "quadruped", "gyroscope"])
def test_base_parameters_give_the_forces_that_all_parameters_give(name):
    robot = qt.examples.load(name)
    q, v, a = random_state(robot.model, 4, 20)
    base = robot.base_parameters()
    Y, pi = robot.regressor(q, v, a), robot.inertial_parameters()
    close(base.columns(Y) @ base.values(pi), Y @ pi, 1e-9)
    # Independent of the states that were tried.
    again = robot.base_parameters(np.random.default_rng(8))
    assert again.leaders == base.leaders
    close(again.matrix, base.matrix, 1e-9)


def test_base_parameters_are_named_in_the_parameters_of_the_model():
    """A pendulum about y: its moment of inertia there, and where its weight pulls."""
    robot = qt.examples.load("pendulum")
    base = robot.base_parameters()
    assert base.names == ("bob.hx", "bob.hz", "bob.Iyy")
    assert "bob.m" in base.without_effect
    assert len(base.without_effect) == 7
    assert str(base).splitlines()[0] == "3 base parameters of 10:"


def test_groups_are_written_with_their_factors():
    """The second rod of a double pendulum hangs 1 m below: its mass counts in the first one's inertia and weight."""
    robot = qt.examples.load("double_pendulum")
    names = robot.base_parameters().names
    assert "upper.hz − lower.m" in names
    assert "upper.Iyy + lower.m" in names
    assert robot.parameter_names[:4] == ("upper.m", "upper.hx", "upper.hy", "upper.hz")
    assert list(robot.parameter_names) == parameter_names(robot.model)


def test_parameters_of_another_length_are_answered():
    base = qt.examples.load("pendulum").base_parameters()
    with pytest.raises(qt.ArgumentError, match=r"shape \(3,\); this robot needs \(\.\.\., 10\)"):
        base.values([1.0, 2.0, 3.0])
