"""The inverse of the mass matrix from tree-sparse factors: against dense inverses, more digits, and Pinocchio."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from quatrain import examples
from quatrain.compiler import trace
from quatrain.compiler.counts import operations
from quatrain.equations import dynamics
from quatrain.equations.mass_matrix_inverse import Factors, accelerations, couplings
from quatrain.equations.tree import Tree
from quatrain.kernel import as_arrays
from quatrain.robot import Robot
from tests.truth.precise_trees import DIGITS, as_numbers, lifted
from tests.truth.random_trees import on_columns, random_state, random_tree
from tests.truth.robots import pinocchio_model
from tests.truth.trees_elsewhere import PinocchioTree

BATCH = 3
EPSILON = 2.0**-52


def close(found, exact, tolerance):
    found, exact = np.broadcast_arrays(found, exact)
    assert np.max(np.abs(found - exact)) < tolerance * np.max(np.abs(exact))


@pytest.fixture(params=[(seed, count) for seed in range(3) for count in (1, 5, 14)], ids=str)
def tree(request):
    seed, count = request.param
    model = random_tree(seed, count)
    return (model, *random_state(model, seed, BATCH))


def test_it_is_the_inverse(tree):
    """M M⁻¹ = 1 and as NumPy's, to the condition of M."""
    model, q, _, _ = tree
    if not model.nv:
        pytest.skip("nothing moves")
    M = on_columns(dynamics.mass_matrix, model, q)
    found = on_columns(dynamics.mass_matrix_inverse, model, q)
    bound = 10 * model.nv * EPSILON * np.max(np.linalg.cond(M))
    close(found, np.linalg.inv(M), bound)
    np.testing.assert_allclose(M @ found, np.broadcast_to(np.eye(model.nv), M.shape), atol=bound)
    assert np.array_equal(found, found.transpose(0, 2, 1))


def test_accelerations_by_factors_are_those_of_articulated_bodies(tree):
    """Two algorithms that share nothing but the bodies."""
    model, q, v, tau = tree
    exact = on_columns(dynamics.forward_dynamics, model, q, v, tau)
    M = on_columns(dynamics.mass_matrix, model, q)
    bound = 10 * max(1, model.nv) * EPSILON * np.max(np.linalg.cond(M), initial=1.0)
    found = on_columns(accelerations, model, q, v, tau)
    assert np.max(np.abs(found - exact), initial=0.0) <= bound * np.max(np.abs(exact), initial=1.0)


def test_forty_digits_agree():
    """The equation over mpmath's numbers, with mpmath's own LU decomposition; to the condition, which is below 1e4."""
    model = random_tree(5, 6)
    q, _, _ = random_state(model, 5, 1)
    with mpmath.workdps(DIGITS):
        exactly, state = lifted(model), as_numbers(q)[0]
        found = mpmath.matrix(dynamics.mass_matrix_inverse(exactly, state))
        exact = mpmath.inverse(mpmath.matrix(dynamics.mass_matrix(exactly, state)))
        assert mpmath.mnorm(found - exact, 1) < mpmath.mpf(10) ** (4 - DIGITS) * mpmath.mnorm(exact, 1)


# ---- sparsity -------------------------------------------------------------------------------------------


def test_factors_of_a_tree_fill_no_zero():
    """L has entries only for velocities between a joint and the ground, which are those of M."""
    tree = Tree.of(examples.model("quadruped"))
    M = dynamics.mass_matrix(examples.model("quadruped"), dynamics.neutral(examples.model("quadruped")))
    factors = Factors.of(M, couplings(tree))
    legs = [factors.L[i] for i in range(6, 18)]
    for k, row in enumerate(legs):
        assert sorted(row) == [*range(6), *range(6 + k // 3 * 3, 6 + k)]
    for i, row in enumerate(factors.L):
        assert all(j < i for j in row)


@pytest.mark.parametrize("name", ["arm7", "quadruped", "humanoid"])
def test_operations_beyond_the_mass_matrix_are_those_of_the_factors(name):
    """Of the d velocities on the way of each one to the ground: its row of L takes a division, d products, and a
    product and a difference for each pair of them; its row of L⁻¹ likewise; and M⁻¹ two for each common one.
    """
    model = examples.model(name)

    def counted(equation):
        return sum(operations(trace(lambda q: as_arrays(equation(model, q)), {"q": model.nq})).values())

    ways = [{*lower, i} for i, lower in enumerate(couplings(Tree.of(model)))]
    factors = sum(len(way) * (len(way) - 1) + len(way) for way in ways)
    inverses = sum(2 * (len(ways[k]) - 1) + 1 for i, way in enumerate(ways) for k in way - {i})
    products = sum(2 * len(one & other) for i, one in enumerate(ways) for other in ways[: i + 1])
    beyond = counted(dynamics.mass_matrix_inverse) - counted(dynamics.mass_matrix)
    scaled = sum(map(len, ways))
    assert beyond <= factors + inverses + scaled + products


# ---- elsewhere ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_pinocchio_has_the_same_inverse(seed):
    pin = pytest.importorskip("pinocchio")
    model = random_tree(seed, 12)
    there = PinocchioTree(model, universal=False)
    q, _, _ = random_state(model, seed, BATCH)
    found = on_columns(dynamics.mass_matrix_inverse, model, q)
    M = on_columns(dynamics.mass_matrix, model, q)
    for k in range(BATCH):
        upper = np.triu(pin.computeMinverse(there.model, there.data, there.q(q[k])))
        bound = 10 * model.nv * EPSILON * np.linalg.cond(M[k])
        close(found[k], upper + np.triu(upper, 1).T, bound)


@pytest.mark.parametrize("name", ["panda", "anymal"])
def test_kernels_of_real_robots_invert_their_mass_matrices(name):
    from quatrain.interop import from_pinocchio

    robot = Robot(from_pinocchio(pinocchio_model(name)))
    q = robot.random_configuration(np.random.default_rng(3), 5)
    M = robot.mass_matrix(q)
    bound = 10 * robot.nv * EPSILON * np.max(np.linalg.cond(M))
    close(robot.mass_matrix_inverse(q), np.linalg.inv(M), bound)
