"""Rates of momentum and of its matrix: against derivatives with forty digits, Pinocchio, and Newton's second law."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from quatrain import Vec3
from quatrain.equations import dynamics
from quatrain.examples import load
from tests.truth.precise_trees import DIGITS, as_numbers, lifted, objects, rate, unit_quaternions, worst
from tests.truth.random_trees import on_columns, random_state, random_tree
from tests.truth.trees_elsewhere import PinocchioTree

BATCH = 3
TOLERANCE = 1e-13
"""Some hundred roundings, relative to the largest number of the answer."""
EXACT = 1e-24
"""Of a derivative with forty digits: its step squared, and what is left of the digits after division by it."""

seeds = pytest.mark.parametrize("seed", range(3))


def close(found, exact, tolerance=TOLERANCE):
    found, exact = np.broadcast_arrays(found, exact)
    assert np.max(np.abs(found - exact)) < tolerance * max(1.0, np.max(np.abs(exact)))


def rows(pair):
    return np.concatenate(pair, axis=-1)


def precise(seed):
    model = random_tree(seed, 9)
    q, v, a = (as_numbers(x)[0] for x in random_state(model, seed, 1))
    return lifted(model, unit=True), unit_quaternions(model, q), v, a


# ---- derivatives ----------------------------------------------------------------------------------------


@seeds
def test_rate_of_momentum_is_its_derivative(seed):
    with mpmath.workdps(DIGITS):
        model, q, v, a = precise(seed)
        found = objects(dynamics.momentum_rate(model, q, v, a))
        assert worst(found, rate(dynamics.momentum, model, q, v, a)) < EXACT


@seeds
def test_rate_of_the_matrix_is_its_derivative(seed):
    with mpmath.workdps(DIGITS):
        model, q, v, _ = precise(seed)
        found = dynamics.centroidal_momentum_matrix_rate(model, q, v)
        assert worst(found, rate(dynamics.centroidal_momentum_matrix, model, q, v)) < EXACT


@seeds
def test_rate_of_momentum_from_the_matrix_and_its_rate(seed):
    """A a + Ȧ v, by two recursions of their own."""
    model = random_tree(seed, 12)
    q, v, a = random_state(model, seed, BATCH)
    A = on_columns(dynamics.centroidal_momentum_matrix, model, q)
    Adot = on_columns(dynamics.centroidal_momentum_matrix_rate, model, q, v)
    bias = rows(on_columns(dynamics.centroidal_momentum_bias, model, q, v))
    close(bias, np.einsum("nij,nj->ni", Adot, v))
    found = rows(on_columns(dynamics.momentum_rate, model, q, v, a))
    close(found, np.einsum("nij,nj->ni", A, a) + bias)


# ---- laws -----------------------------------------------------------------------------------------------


@seeds
def test_forces_from_outside_change_the_momentum_of_a_free_machine(seed):
    """Weight at the centre of mass, and a force at a frame: nothing that joints do. The free joint has no rotor."""
    model = random_tree(seed, 12, root="free")
    root = model.bodies[0]
    root = replace(root, joint=replace(root.joint, armature=()))
    model = replace(model, bodies=(root, *model.bodies[1:]))
    q, v, tau = random_state(model, seed, BATCH)
    tau[:, :6] = 0.0
    frame, f, t = model.body_names[-1], Vec3(3.0, -2.0, 1.0), Vec3(0.4, 0.1, -0.7)
    a = on_columns(dynamics.forward_dynamics, model, q, v, tau, external={frame: (f, t)})
    point, _ = on_columns(dynamics.pose, model, q, frame=frame, relative_to="world")
    arm = point - on_columns(dynamics.center_of_mass, model, q)
    force, torque = (np.array(list(x)) for x in (f, t))
    weight = np.array(list(model.gravity)) * model.mass
    found = rows(on_columns(dynamics.momentum_rate, model, q, v, a))
    exact = rows((np.broadcast_to(force + weight, (BATCH, 3)), torque + np.cross(arm, force)))
    M = on_columns(dynamics.mass_matrix, model, q)
    close(found, exact, 1e-14 * np.max(np.linalg.cond(M)))


# ---- elsewhere ------------------------------------------------------------------------------------------


@seeds
def test_pinocchio_has_the_same_rates(seed):
    pin = pytest.importorskip("pinocchio")
    model = random_tree(seed, 12, ("revolute", "prismatic", "helical", "ball", "fixed"))
    there = PinocchioTree(model)
    q, v, a = random_state(model, seed, BATCH)
    matrix_rate = on_columns(dynamics.centroidal_momentum_matrix_rate, model, q, v)
    found = rows(on_columns(dynamics.momentum_rate, model, q, v, a))
    for k in range(BATCH):
        theirs = there.q(q[k])
        close(matrix_rate[k], pin.dccrba(there.model, there.data, theirs, v[k]))
        pin.computeCentroidalMomentumTimeVariation(there.model, there.data, theirs, v[k], a[k])
        close(found[k], there.data.dhg.vector)


# ---- from arrays ----------------------------------------------------------------------------------------


def test_robot_answers_as_the_equations_do():
    robot = load("quadruped")
    q, v, a = random_state(robot.model, 0, BATCH)
    here = on_columns(dynamics.momentum_rate, robot.model, q, v, a)
    close(robot.momentum_rate(q, v, a), rows(here))
    here = on_columns(dynamics.centroidal_momentum_bias, robot.model, q, v)
    close(robot.centroidal_momentum_bias(q, v), rows(here))
    here = on_columns(dynamics.centroidal_momentum_matrix_rate, robot.model, q, v)
    close(robot.centroidal_momentum_matrix_rate(q, v), here)
