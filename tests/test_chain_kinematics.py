"""Kinematics of an open chain, against homogeneous transforms whose matrices are differentiated exactly."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import ArgumentError, Quaternion, SymMat3, Vec3, cross
from quatrain.equations import chain as chains
from quatrain.equations.chain import Chain, Link, configuration, derivatives, quasi_basic, velocities
from tests.chain_samples import BATCH, case_of, close, columns, patterns


@pytest.fixture
def case(request):
    return case_of(request.param)


def matrix_derivative(derivative, p):
    """∂R/∂q from ∂p/∂q: R v = p ⊗ v ⊗ p*, column by column by the product rule."""
    columns_ = []
    for axis in np.eye(3):
        v = Quaternion.pure(Vec3(*axis))
        moved = derivative @ v @ p.conjugate() + p @ v @ derivative.conjugate()
        columns_.append(np.stack(np.broadcast_arrays(*moved.vector, np.zeros(BATCH))[:3], axis=-1))
    return np.stack(columns_, axis=-1)


# ---- geometry ------------------------------------------------------------------------------------


@patterns()
def test_points_and_axes_of_the_chain(case):
    """Proves: Z(35), Z(36), Z(37), Z(38), X(0)"""
    at, truth, placed = case.at, case.truth, case.placed
    for i in case.joints:
        R, steps = case.frames[i], truth.steps[i]
        origin = placed.point(i, np.zeros(3))
        close(at.p_0[i + 1].to_matrix(), R)
        close(at.r[i], placed.centre(i))
        close(at.rho_next[i], np.einsum("bij,j->bi", R, steps))
        close(at.rho[i], np.einsum("bij,j->bi", R, truth.clouds[i].centre - steps))
        close(at.e[i], np.einsum("bij,j->bi", R, truth.axes[i]))
        # The axis is the same in body i − 1, and the slide leads from o_i to O_i.
        close(at.e[i], (np.eye(3) if i == 0 else case.frames[i - 1]) @ truth.axes[i])
        before = np.zeros(3) if i == 0 else placed.point(i - 1, truth.steps[i - 1])
        close(at.o[i], before)
        close(chains.joint_origin(at, i), origin)
        close(chains.body_pose(at, i).apply(Vec3(0.1, 0.2, 0.3)), placed.point(i, np.array([0.1, 0.2, 0.3])))
    close(chains.tool_point(at), placed.point(case.n - 1, truth.steps[-1]))


def test_the_tool_vector_and_the_choice_of_the_mass_centre_vector():
    """Only ρ_nn + ρ_n enters the last body's dynamics; ρ_00 moves everything."""
    case = case_of((False, True, False))
    last = case.chain.links[-1]
    other = Link.from_centre(last.prismatic, last.e, Vec3(5.0, 6.0, 7.0), last.s, last.mass, last.J)
    moved = Chain((*case.chain.links[:-1], other), case.chain.gravity, Vec3(1.0, 2.0, 3.0))
    at = configuration(moved, case.q)
    close(at.r[-1], columns(case.at.r[-1]) + np.array([1.0, 2.0, 3.0]))
    close(chains.quasi_basic_vector(at, 0, 2), chains.quasi_basic_vector(case.at, 0, 2))


# ---- derivatives of rotations and of carried vectors -----------------------------------------------


@patterns(short=True)
def test_derivatives_of_one_joints_rotation(case):
    """Proves: Z(41), Z(42), Z(43), Z(44), Z(45), Z(46), Z(47), Z(48)"""
    at = case.at
    for alpha, link in enumerate(at.links):
        p, e = at.p[alpha], Quaternion.pure(link.e)
        slope = derivatives.joint_rotation_slope(link, at.q[alpha])
        by_alpha = derivatives.joint_rotation_derivative(at, alpha, alpha)
        conjugate = derivatives.conjugate_joint_rotation_derivative(at, alpha)
        # The truth: half-angle functions differentiated by a complex step, without a difference.
        h = 1e-30
        half = (at.q[alpha] + 1j * h) / 2 * link.xi_bar
        exact = np.stack([np.cos(half), *(np.array([*link.e])[:, None] * np.sin(half))], axis=-1).imag / h
        close(columns(slope, (4,)), exact)
        close(columns(by_alpha, (4,)), exact)
        close(columns(conjugate, (4,)), exact * [1, -1, -1, -1])
        close(-(e @ e), [1.0, 0.0, 0.0, 0.0])
        close(columns(p.conjugate() @ p, (4,)), np.tile([1.0, 0, 0, 0], (BATCH, 1)))
        close(columns(conjugate @ p + p.conjugate() @ by_alpha, (4,)), np.zeros((BATCH, 4)))
        close(columns(conjugate @ p, (4,)), columns(p.conjugate() @ e @ p * link.xi_bar / -2, (4,)))
        for k in case.joints:
            if k != alpha:
                assert derivatives.joint_rotation_derivative(at, k, alpha) == Quaternion(0, 0, 0, 0)


@patterns(short=True)
def test_derivatives_of_composite_rotations(case):
    """Proves: Z(50), Z(51), Z(52), Z(53), Z(54)"""
    at, placed = case.at, case.placed
    for k in case.joints:
        p = at.p_0[k + 1]
        for alpha in case.joints:
            derivative = derivatives.composite_derivative(at, k, alpha)
            close(matrix_derivative(derivative, p), placed.turn(k, (alpha,)))
            conjugate = derivatives.conjugate_composite_derivative(at, k, alpha)
            close(columns(conjugate, (4,)), columns(derivative.conjugate(), (4,)))
            if alpha <= k:
                product = derivatives.composite_derivative_as_product(at, k, alpha)
                close(columns(product, (4,)), columns(derivative, (4,)))
                product = derivatives.conjugate_composite_derivative_as_product(at, k, alpha)
                close(columns(product, (4,)), columns(conjugate, (4,)))
                # The first forms: the product of all p with one factor differentiated.
                factors = list(at.p[: k + 1])
                factors[alpha] = derivatives.joint_rotation_slope(at.links[alpha], at.q[alpha])
                close(columns(chains.composite_rotation(factors, 0, k + 1), (4,)), columns(derivative, (4,)))
            else:
                assert derivative == conjugate == Quaternion(0, 0, 0, 0)
        close(columns(derivatives.axis_in_own_body(at, k), (3,)), columns(at.links[k].e, (3,)))


@patterns()
def test_derivatives_of_carried_vectors(case):
    """Proves: Z(49), Z(55), Z(56), Z(57), Z(58), Z(59), Z(60)"""
    at, truth, placed = case.at, case.truth, case.placed
    for k in case.joints:
        for alpha in case.joints:
            turn = placed.turn(k, (alpha,))
            exact = np.einsum("bij,j->bi", turn, truth.steps[k])
            found = derivatives.rho_next_derivative(at, k, alpha)
            close(columns(found, (3,)), exact)
            close(columns(derivatives.rho_next_derivative_by_product_rule(at, k, alpha), (3,)), exact)
            rho = np.einsum("bij,j->bi", turn, truth.clouds[k].centre - truth.steps[k])
            close(columns(derivatives.rho_derivative(at, k, alpha), (3,)), rho)
            close(columns(derivatives.axis_derivative(at, k, alpha), (3,)), turn @ truth.axes[k])
            if not alpha <= k:
                assert found == derivatives.axis_derivative(at, k, alpha) == Vec3.zero()
        # Its own joint leaves the axis where it is.
        close(columns(derivatives.axis_derivative(at, k, k), (3,)), np.zeros((BATCH, 3)))


# ---- quasi-basic vectors ---------------------------------------------------------------------------


@patterns()
def test_quasi_basic_vectors(case):
    """Proves: Z(40), Z(61), Z(62), Z(64)"""
    at = case.at
    for i in case.joints:
        for alpha in case.joints:
            exact = case.placed.centre(i, (alpha,))
            close(columns(quasi_basic.quasi_basic_vector(at, alpha, i), (3,)), exact)
            if alpha <= i:
                close(columns(quasi_basic.quasi_basic_vector_as_sum(at, alpha, i), (3,)), exact)
                close(columns(quasi_basic.quasi_basic_vector_from_quaternions(at, alpha, i), (3,)), exact)
            else:
                assert quasi_basic.quasi_basic_vector(at, alpha, i) == Vec3.zero()


@patterns()
def test_their_derivatives(case):
    """Proves: Z(67), Z(69), Z(70), Z(71), Z(72), Z(73), Z(75), Z(76), Z(114)"""
    at = case.at
    for i in case.joints:
        for alpha in case.joints:
            for beta in case.joints:
                exact = case.placed.centre(i, (alpha, beta))
                found = columns(quasi_basic.quasi_basic_derivative(at, alpha, beta, i), (3,))
                close(found, exact)
                other = columns(quasi_basic.quasi_basic_derivative(at, beta, alpha, i), (3,))
                assert np.array_equal(found, other)
                if max(alpha, beta) <= i:
                    literal = quasi_basic.quasi_basic_derivative_from_quaternions(at, alpha, beta, i)
                    close(columns(literal, (3,)), exact)


@patterns()
def test_velocities_and_accelerations_of_mass_centres(case):
    """Proves: Z(39), Z(63), Z(65), Z(66), Z(68), Z(74), Z(86)"""
    at, dq, ddq = case.at, case.dq, case.ddq
    for i, motion in enumerate(case.motions):
        c = case.truth.clouds[i].centre
        place = lambda R, p, c=c: p + np.einsum("bij,j->bi", R, c)
        close(velocities.velocity(at, dq, i), place(motion.dR, motion.v))
        close(velocities.acceleration(at, dq, ddq, i), place(motion.ddR, motion.a))
        close(velocities.acceleration_from_rates(at, dq, ddq, i), place(motion.ddR, motion.a))
        # Each T's own rate, apart: its derivative along the motion is Σ ∂²r ∂q q̇.
        for alpha in range(i + 1):
            exact = sum(case.placed.centre(i, (alpha, b)) * dq[b][:, None] for b in range(i + 1))
            close(columns(velocities.quasi_basic_rate(at, dq, alpha, i), (3,)), exact)


@patterns()
def test_angular_velocities_and_accelerations(case):
    """Proves: Z(77), Z(78), Z(79), X(1), X(2)"""
    at, dq, ddq = case.at, case.dq, case.ddq
    together = velocities.turning(at, dq, ddq)
    for i, motion in enumerate(case.motions):
        w = velocities.angular_velocity(at, dq, i)
        close(columns(w, (3,)), motion.w)
        close(columns(velocities.angular_acceleration(at, dq, ddq, i), (3,)), motion.alpha)
        close(columns(together[i][0], (3,)), motion.w)
        close(columns(together[i][1], (3,)), motion.alpha)
        for alpha in case.joints:
            exact = case.placed.partial_turn(i, alpha)
            close(columns(velocities.partial_rotation(at, alpha, i), (3,)), exact)
        # The sum with every axis in its sandwich.
        literal = sum(
            (
                quasi_basic.in_ground(at, a, link.e) * (dq[a] * link.xi_bar)
                for a, link in enumerate(at.links[: i + 1])
            ),
            Vec3.zero(),
        )
        close(columns(literal, (3,)), motion.w)
        rate = velocities.orientation_rate(at, dq, i)
        close(matrix_derivative(rate, at.p_0[i + 1]), motion.dR)
        body = velocities.body_rate(at, dq, i)
        close(columns(body, (3,)), motion.to_body(motion.w))
        close(columns(at.p_0[i + 1].derivative(body), (4,)), columns(rate, (4,)))


# ---- printed forms that are wrong --------------------------------------------------------------------


def test_the_printed_form_of_76_fails_for_alpha_below_beta():
    """With α on the right of Z(76), Γ_αβ(i) is ξ̄_α e_α × T_α(i): right for α ≥ β alone."""
    case = case_of((False, False, False))
    exact = case.placed.centre(2, (0, 1))
    printed = cross(case.at.e[0], quasi_basic.quasi_basic_vector_from_quaternions(case.at, 0, 2))
    assert np.min(np.max(np.abs(columns(printed) - exact), axis=-1)) > 0.1


# ---- bad input ---------------------------------------------------------------------------------------

GOOD = {
    "prismatic": False,
    "e": Vec3(0.0, 0.0, 1.0),
    "rho_next": Vec3(1.0, 0.0, 0.0),
    "rho": Vec3(-0.5, 0.0, 0.0),
    "mass": 1.0,
    "J": SymMat3.diagonal(1.0, 1.0, 1.0),
}


@pytest.mark.parametrize(
    ("attempt", "says", "advises"),
    [
        (lambda: Link(**{**GOOD, "e": Vec3(0.0, 0.0, 2.0)}), r"axis e = \(0.0, 0.0, 2.0\)", "normalised"),
        (lambda: Link(**{**GOOD, "e": Vec3(0.0, 0.0, np.nan)}), "not a unit vector", "normalised"),
        (lambda: Link(**{**GOOD, "prismatic": "R"}), "prismatic is 'R'", "False for a revolute"),
        (lambda: Link(**{**GOOD, "rho": (0, 0, 1)}), "rho is .* needs a Vec3", r"Vec3\.from_array"),
        (lambda: Link(**{**GOOD, "J": np.eye(3)}), "J is .* needs a SymMat3", r"SymMat3\.from_array"),
        (lambda: Link.from_centre(False, GOOD["e"], GOOD["rho"], 1.0, 1.0, GOOD["J"]), "s is 1.0", "Vec3"),
        (lambda: Chain([]), "no links", "one Link for each body"),
        (lambda: Chain([1]), "element of links is 1", "pass a Link"),
        (lambda: Chain([Link(**GOOD)], (0, 0, -9.81)), "gravity is", "Vec3"),
        (
            lambda: configuration(Chain([Link(**GOOD)]), [0.1, 0.2]),
            "q has 2 elements.*1 joints",
            "one scalar",
        ),
        (lambda: configuration([Link(**GOOD)], [0.1]), "chain is .* needs a Chain", "pass a Chain"),
    ],
)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*{advises}"):
        attempt()


def test_at_the_reference_all_axes_are_those_of_the_model():
    case = case_of((False, True, False))
    at = configuration(case.chain, [0.0, 0.0, 0.0])
    assert [tuple(e) for e in at.e] == [tuple(link.e) for link in case.chain.links]
