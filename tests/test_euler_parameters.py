"""Equations of motion in Euler parameters against a cloud of point masses, most of them in exact fractions.

With rational unit quaternions the algebra is exact: where two sides are compared with ==, the residual
is zero and not merely small.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from quatrain import Matrix, Quaternion, Vec3, dot, skew
from quatrain.equations import attitude, moving_frame, rotated_forms
from quatrain.equations import euler_parameter_forces as forces
from quatrain.equations import euler_parameter_moving_frame as in_frame
from quatrain.equations import euler_parameters as motion
from quatrain.equations.euler_parameter_forms import FORMS
from quatrain.equations.euler_parameter_loads import Load, MovingFrame
from quatrain.rotations import AngleConvention
from tests.truth import euler_parameters as truth
from tests.truth.euler_parameter_samples import (
    STILL,
    array,
    fractions,
    orbiting,
    same,
    sample,
    tangent,
)

SEEDS = range(4)


@pytest.fixture(params=SEEDS)
def body(request):
    return sample(request.param)


# ---- virtual work ---------------------------------------------------------------------------------


def test_the_virtual_rotation(body):
    """Proves: S(19), S(21)"""
    delta_q = tangent(body.q, 60)
    turn = body.R.T @ truth.slope(truth.homogeneous_matrix, array(body.q), array(delta_q))
    same(Matrix.of(skew(motion.virtual_rotation(body.q, delta_q))), turn)
    assert motion.sphere_violation(body.q, delta_q) == 0
    assert motion.sphere_violation(body.q, delta_q + body.q) == 1


def test_the_virtual_work_of_a_free_body(body):
    """Proves: S(18)"""
    a_o, delta_x, alpha = fractions(61, 3), fractions(62, 3), fractions(63, 3)
    delta_q = tangent(body.q, 64)
    # A second point with two opposite forces makes the torque more than that of f, by a couple.
    arm, couple = fractions(65, 3), fractions(66, 3)
    acting = [(array(body.f), array(body.u)), (couple, arm), (-couple, -arm)]
    tau = body.tau + Vec3(*(2 * np.cross(arm, body.R.T @ couple)))
    work = motion.virtual_work_of_free_body(
        body.cloud.masses.sum(),
        body.J,
        Vec3(*delta_x),
        motion.virtual_rotation(body.q, delta_q),
        Vec3(*a_o),
        body.w,
        Vec3(*alpha),
        body.f,
        tau,
    )
    assert work == body.cloud.virtual_work(body.moved(alpha), array(delta_q), acting, a_o, delta_x) != 0


def test_the_virtual_work_of_a_turning_body(body):
    """Proves: S(20), S(22), S(27), S(28), S(76), S(77), S(78), S(80), S(81)

    Any accelerations, also such that do not keep |q|; without λ for tangent δq.
    """
    q, dq, J, f, u = body.q, body.dq, body.J, body.f, body.u
    ddq, delta_q = Quaternion(*fractions(67, 4)), tangent(q, 68)
    expected = body.cloud.virtual_work(
        (array(q), array(dq), array(ddq)), array(delta_q), [(array(f), array(u))]
    )
    assert expected != 0
    E, L, H = attitude.E_matrix(q), attitude.L_matrix(q), forces.H_matrix(u)
    R = attitude.rotation_matrix(q)
    generalised = {
        76: L.T @ body.tau * 2,
        77: L.T @ (skew(u) @ (R.T @ f)) * 2,
        78: forces.B1_matrix(q, u).T @ f,
        80: H.T @ (E.T @ f) * 2 - q * (dot(u, L @ (E.T @ f)) * 2),
        81: H.T @ (E.T @ f) * 2,
    }
    for Q in generalised.values():
        assert motion.virtual_work(delta_q, q, dq, ddq, J, Q) == expected
        assert motion.virtual_work(delta_q, q, dq, ddq, J, Q, Fraction(5, 3)) == expected
        assert motion.virtual_work_of_cubic_form(delta_q, q, dq, ddq, J, Q) == expected
    # In motion, with λ, for a δq that leaves the sphere too.
    off = delta_q + q
    for number, multiplier in ((76, 0), (78, 0), (80, 0), (81, 2 * dot(f, R @ u))):
        Q = generalised[number]
        assert motion.virtual_work(off, q, dq, body.ddq, J, Q, multiplier) == 0
    same(motion.quintic_from_cubic_gyroscopic_force(q, dq, J), motion.quintic_gyroscopic_force(q, dq, J))


def test_the_inertia_blocks_in_everyday_terms(body):
    q, dq, J, w = body.q, body.dq, body.J, body.w
    L, dL = attitude.L_matrix(q), attitude.L_matrix(dq)
    Jw = array(J @ w)
    same(motion.quintic_gyroscopic_force(q, dq, J), L.T @ Vec3(*np.cross(array(w), Jw)) * 2)
    same(motion.cubic_gyroscopic_force(q, dq, J), dL.T @ (J @ w) * 4)
    four_T = 2 * (array(w) @ Jw)
    difference = motion.quintic_gyroscopic_force(q, dq, J) - motion.cubic_gyroscopic_force(q, dq, J)
    same(difference, q * four_T)
    assert motion.four_kinetic_energies(q, dq, J) == four_T
    # The kinetic energy of the points is ⅛ q̇ᵀ M q̇ · 4 = ½ q̇ᵀ M q̇.
    dR = truth.slope(truth.homogeneous_matrix, array(q), array(dq))
    velocities = [dR @ r for r in body.cloud.places]
    energy = sum(m * (v @ v) for m, v in zip(body.cloud.masses, velocities, strict=True)) / 2
    assert dot(dq, motion.inertia_matrix(q, J) @ dq) / 2 == energy == four_T / 4


# ---- equations of motion --------------------------------------------------------------------------


def test_the_equations_of_motion_and_their_multipliers(body):
    """Proves: S(23), S(24), S(29), S(30), S(37), S(79), S(82), D(21), D(22)"""
    q, dq, ddq, J, f, u = body.q, body.dq, body.ddq, body.J, body.f, body.u
    Ru = body.R @ array(u)
    four_T, virial, more = 2 * (array(body.w) @ array(J @ body.w)), array(f) @ Ru, dot(f, u)
    g5, g3 = motion.quintic_gyroscopic_force(q, dq, J), motion.cubic_gyroscopic_force(q, dq, J)
    table = [
        (attitude.L_matrix(q).T @ body.tau * 2, 0),
        (forces.B1_matrix(q, u).T @ f, 0),
        (forces.H_matrix(u).T @ (attitude.E_matrix(q).T @ f) * 2, 2 * virial),
        (forces.Q2_force(q, f, u), 2 * (virial + more)),
    ]
    for Q, multiplier in table:
        same(motion.quintic_residual(q, dq, ddq, J, Q, multiplier), STILL)
        same(motion.cubic_residual(q, dq, ddq, J, Q, multiplier + four_T), STILL)
        assert dot(q, motion.cubic_residual(q, dq, ddq, J, Q, multiplier + four_T + 1)) == 1
        assert motion.multiplier_of(q, g5, Q) == multiplier
        assert motion.multiplier_of(q, g3, Q) == multiplier + four_T
        assert dot(q, motion.quintic_residual(q, dq, ddq, J, Q, multiplier + 1)) == 1  # qᵀq λ = 0
    assert motion.cubic_multiplier(q, dq, J) == four_T
    # The multiplier of the Jacobian 2q of qᵀq = 1 is 2T, "twice the kinetic energy"; with q it is not.
    assert any(array(motion.cubic_residual(q, dq, ddq, J, table[0][0], four_T / 2)) != 0)
    # λ = 0 is not for S(23) alone, and Q₂ without 2 q uᵀ f is S(82) again, not a second new form.
    same(table[3][0] - q * (2 * more), table[2][0])


def test_the_projected_equations(body):
    """Proves: S(25), S(26), S(31), S(33)"""
    q, dq, ddq, J = body.q, body.dq, body.ddq, body.J
    same(motion.projected_residual(q, dq, ddq, J, body.tau), [0, 0, 0])
    assert motion.constraint_acceleration(q, dq, ddq) == 0
    same(motion.euler_residual(J, body.w, body.alpha, body.tau), [0, 0, 0])
    # With any acceleration they measure the moment of the cloud's inertia forces.
    alpha = fractions(69, 3)
    moving = body.moved(alpha)
    moment = body.cloud.moment_of_inertia_forces(moving)
    same(motion.euler_residual(J, body.w, Vec3(*alpha), body.tau), moment - array(body.tau))
    off = Quaternion(*moving[2])
    same(motion.projected_residual(q, dq, off, J, body.tau), 2 * (moment - array(body.tau)))
    # S(29) and S(23) times L.
    L, Q, lam = attitude.L_matrix(q), attitude.L_matrix(q).T @ body.tau * 2, Fraction(9, 4)
    for residual in (motion.cubic_residual, motion.quintic_residual):
        same(L @ residual(q, dq, off, J, Q, lam), motion.projected_residual(q, dq, off, J, body.tau))
    # The constraint's second derivative, from the norm along q + q̇ t + ½ q̈ t².
    norm = lambda p: np.array(p @ p)
    half = truth.second_derivative(norm, array(q), array(dq), array(off + q)) / 2
    assert motion.constraint_acceleration(q, dq, off + q) == half == 1


def test_the_equations_without_constraint_are_singular(body):
    """Proves: S(32)

    Rank three; qᵀ q̈ stays free, and the shortest q̈ leaves the sphere at once.
    """
    q, dq, ddq, J = body.q, body.dq, body.ddq, body.J
    Q = attitude.L_matrix(q).T @ body.tau * 2
    same(motion.quintic_residual(q, dq, ddq + q * Fraction(17, 3), J, Q, 0), STILL)
    assert truth.rank_and_determinant(array(motion.inertia_matrix(q, J)))[0] == 3
    shortest = motion.minimum_norm_acceleration(q, dq, J, Q)
    same(motion.quintic_residual(q, dq, shortest, J, Q, 0), STILL)
    assert dot(q, shortest) == 0
    assert motion.constraint_acceleration(q, dq, shortest) == dot(dq, dq)
    # λ = 0 of S(34) tells nothing: it holds for a q̇ that is no motion on the sphere, too.
    wrong = Quaternion(*fractions(70, 4))
    assert FORMS["s34"].solve(q * 2, wrong, J, Load(forces=((body.f, body.u),))).multiplier == 0


# ---- the augmented system and its solutions -------------------------------------------------------


def right_sides(body):
    q, dq, J = body.q, body.dq, body.J
    g5, g3 = motion.quintic_gyroscopic_force(q, dq, J), motion.cubic_gyroscopic_force(q, dq, J)
    tau = attitude.L_matrix(q).T @ body.tau * 2
    reduced = forces.H_matrix(body.u).T @ (attitude.E_matrix(q).T @ body.f) * 2
    virial = array(body.f) @ body.R @ array(body.u)
    return [(g5, tau, 0), (g3, tau, 2 * J.quadratic_form(body.w)), (g5, reduced, 2 * virial)]


def test_the_augmented_systems(body):
    """Proves: S(34), S(39), S(83)"""
    q, dq, J = body.q, body.dq, body.J
    K = array(motion.augmented_matrix(q, J))
    same(K[:4, :4], array(attitude.L_matrix(q).T) @ array(Matrix.of(J)) @ array(attitude.L_matrix(q)) * 4)
    for g, Q, multiplier in right_sides(body):
        b = motion.augmented_right_side(dq, g, Q)
        same(b, [*(Q - g), -dot(dq, dq)])
        same(truth.solve_exactly(K, b), [*body.ddq, multiplier])
        found = motion.solve_augmented(q, dq, J, g, Q)
        same(found.ddq, body.ddq)
        assert found.multiplier == multiplier


def test_the_inverse_of_the_augmented_matrix(body):
    """Proves: S(35)"""
    q, J = body.q, body.J
    K, inverse = motion.augmented_matrix(q, J), motion.augmented_inverse(q, J)
    same(K @ inverse, Matrix.identity(5))
    same(inverse @ K, Matrix.identity(5))
    assert truth.rank_and_determinant(array(K))[1] == -64 * J.determinant()
    # Off the sphere it is another, of determinant −64 s⁴ det J.
    p = q * Fraction(3, 2)
    s = p.norm_squared()
    K = motion.augmented_matrix(p, J)
    assert truth.rank_and_determinant(array(K))[1] == -64 * s**4 * J.determinant()
    assert (array(K @ motion.augmented_inverse(p, J)) != array(Matrix.identity(5))).any()


def test_systems_are_solved_off_the_sphere_as_well():
    body = sample(5)
    q, dq = Quaternion(*fractions(71, 4)), Quaternion(*fractions(72, 4))
    g, Q = Quaternion(*fractions(73, 4)), Quaternion(*fractions(74, 4))
    K, b = motion.augmented_matrix(q, body.J), motion.augmented_right_side(dq, g, Q)
    found = motion.solve_augmented(q, dq, body.J, g, Q)
    same([*found.ddq, found.multiplier], truth.solve_exactly(array(K), b))
    ddq = motion.solve_square(q, dq, body.J, body.tau)
    same(motion.projected_residual(q, dq, ddq, body.J, body.tau), [0, 0, 0])
    assert motion.constraint_acceleration(q, dq, ddq) == 0


def test_the_closed_forms(body):
    """Proves: S(36), S(37), S(38), S(40), S(84)"""
    q, dq, J = body.q, body.dq, body.J
    (g5, tau, _), _, (_, reduced, twice_virial) = right_sides(body)
    closed = motion.closed_inverse_form(q, dq, J, tau)
    same(closed.ddq, body.ddq)
    assert closed.multiplier == 0
    same(array(motion.augmented_inverse(q, J)) @ [*(tau - g5), -dot(dq, dq)], [*body.ddq, 0])
    same(motion.explicit_acceleration(q, dq, J, body.tau), body.ddq)
    found = motion.explicit_form_of_reduced_force(q, dq, J, reduced, Vec3(*[Fraction(0)] * 3))
    same(found.ddq, body.ddq)
    assert found.multiplier == twice_virial
    same(attitude.L_matrix(q) @ reduced / 2, body.tau)
    same(motion.unconstrained_acceleration(q, dq, J, body.tau), body.ddq)


# ---- forces ---------------------------------------------------------------------------------------


def test_torque_and_motion_of_the_point_of_a_force(body):
    """Proves: S(41), S(42), S(47), S(48), S(49)"""
    q, dq, u, f = body.q, body.dq, body.u, body.f
    R = attitude.rotation_matrix(q)
    same(forces.torque_of_force(R, f, u), body.tau)
    # The moment in space axes is Ru × f.
    same(R @ forces.torque_of_force(R, f, u), np.cross(body.R @ array(u), array(f)))
    x, v = Vec3(*fractions(75, 3)), Vec3(*fractions(76, 3))
    same(forces.point_position(x, R, u), array(x) + body.R @ array(u))
    dR = truth.slope(truth.homogeneous_matrix, array(q), array(dq))
    exact = array(v) + dR @ array(u)
    matrix = attitude.rotation_matrix_rate(R, body.w)
    same(forces.point_velocity_of_matrix_rate(v, matrix, u), exact)
    same(forces.point_velocity_of_body_rate(v, R, u, body.w), exact)
    same(skew(u) @ body.w, -(skew(body.w) @ u))


def test_velocity_and_displacement_by_either_matrix(body):
    """Proves: S(50), S(51), S(52), S(53), S(55), S(56)"""
    q, u = body.q, body.u
    v, delta_q = Vec3(*fractions(77, 3)), tangent(q, 78)
    for rate in (body.dq, delta_q):
        exact = array(v) + truth.slope(truth.homogeneous_matrix, array(q), array(rate)) @ array(u)
        same(forces.point_velocity(v, forces.B1_matrix(q, u), rate), exact)
        same(forces.point_velocity(v, forces.B2_matrix(q, u), rate), exact)


def test_B2_is_the_derivative_of_the_printed_rotation_matrix():
    """Proves: S(54), S(64), S(66), S(68)

    For any q; the derivative of R u with R = E Lᵀ is 2 E H instead.
    """
    q, u = Quaternion(*fractions(79, 4)), Vec3(*fractions(80, 3))
    units = np.array([[Fraction(int(i == k)) for i in range(4)] for k in range(4)])
    gradient = lambda R: np.array([truth.slope(R, array(q), unit) @ array(u) for unit in units]).T
    same(forces.B2_matrix(q, u), gradient(truth.matrix_S5))
    same(forces.B2_from_H(q, u), gradient(truth.matrix_S5))
    EH = attitude.E_matrix(q) @ forces.H_matrix(u)
    same(EH * 2, gradient(truth.homogeneous_matrix))
    # S(66), block by block.
    v, U, V = q.vector, skew(u), skew(q.vector)
    block = array_of_outer(u, v) - array(Matrix.of(V @ U)) + array_of_outer(v, u) - scaled(U, q.w)
    first = array(u * (2 * q.w) + V @ u)
    same(forces.B2_matrix(q, u), 2 * np.column_stack([first, block]))
    added = np.column_stack([array(u) * q.w, array_of_outer(u, v)])
    same(forces.B2_matrix(q, u), 2 * (array(EH) + added))


def array_of_outer(a, b):
    return np.outer(array(a), array(b))


def scaled(m, factor):
    return array(Matrix.of(m)) * factor


def test_B1_is_the_derivative_of_the_normalised_rotation_matrix(body):
    """Proves: S(73), S(74)"""
    q, u = body.q, body.u
    same(forces.B1_from_H(q, u), forces.B1_matrix(q, u))
    L, E, H = attitude.L_matrix(q), attitude.E_matrix(q), forces.H_matrix(u)
    R = E @ L.T
    radial = Matrix.of(R @ u) @ Matrix.of(q).T * 2
    same(R @ L @ H * 2 - radial, forces.B1_matrix(q, u))
    # Complex step: no truncation that a double could show.
    p = np.array(list(map(float, q)), dtype=complex)
    columns = []
    for unit in np.eye(4):
        moved = p + 1e-30j * unit
        columns.append(
            (truth.homogeneous_matrix(moved) / (moved @ moved) @ array(u).astype(float)).imag / 1e-30
        )
    exact = array(forces.B1_matrix(q, u)).astype(float)
    np.testing.assert_allclose(np.array(columns).T, exact, rtol=0, atol=1e-13)


def test_H_and_its_products():
    """Proves: S(65), S(67), S(71), S(72)"""
    q, u, y = Quaternion(*fractions(81, 4)), Vec3(*fractions(82, 3)), Vec3(*fractions(83, 3))
    H, L = forces.H_matrix(u), attitude.L_matrix(q)
    same(H @ q, truth.product(array(q), truth.pure(array(u))))
    same(H.T, -H)
    same(array(H)[1:, 1:], -array(Matrix.of(skew(u))))
    same(forces.product_of_skews(y, u), skew(y) @ skew(u))
    same(forces.L_times_H(q, u), L @ H)
    v, U, V = q.vector, skew(u), skew(q.vector)
    block = array_of_outer(v, u) + array(Matrix.of(V @ U)) - scaled(U, q.w)
    typed = np.column_stack([array(u * q.w - V @ u), block])
    same(L @ H, typed)
    same(array(U @ L) * -1 + np.column_stack([array(u) * q.w, array_of_outer(u, v)]), typed)


def test_the_two_jacobians_differ_by_what_no_motion_feels(body):
    """Proves: S(57)"""
    q, u = body.q, body.u
    B1, B2 = forces.B1_matrix(q, u), forces.B2_matrix(q, u)
    typed = 2 * np.outer(array(u) + body.R @ array(u), array(q))
    same(B2 - B1, typed)
    same(forces.B_difference(q, u), typed)
    assert (typed != 0).any()
    same((B2 - B1) @ tangent(q, 84), [0, 0, 0])
    # A half-turn with u at right angles to its axis: no difference, unlike printed.
    half_turn = Quaternion(*map(Fraction, (0, 1, 0, 0)))
    across = Vec3(Fraction(0), Fraction(3), Fraction(4))
    same(forces.B1_matrix(half_turn, across), forces.B2_matrix(half_turn, across))


def test_with_three_angles_the_two_jacobians_coincide():
    angles, u = Vec3(0.3, -0.4, 1.1), Vec3(0.3, -0.5, 0.8)
    convention = AngleConvention("XYZ")
    q = convention.to_quaternion(angles)
    B1, B2 = forces.B1_matrix(q, u), forces.B2_matrix(q, u)
    assert np.max(np.abs(array(B1 - B2))) > 0.1
    for unit in np.eye(3):
        h = Vec3(*(1e-5 * unit))
        by_angle = (convention.to_quaternion(angles + h) - convention.to_quaternion(angles - h)) / 2e-5
        # A difference of the quaternion is tangent to 1e-10, the truncation of the step.
        np.testing.assert_allclose(list(B1 @ by_angle), list(B2 @ by_angle), rtol=0, atol=1e-9)


def test_generalised_forces(body):
    """Proves: S(43), S(44), S(45), S(46), S(58), S(59), S(60), S(61), S(62)"""
    q, f, u = body.q, body.f, body.u
    Q = forces.force_of_torque(q, body.tau)
    delta_q, delta_x = tangent(q, 85), Vec3(*fractions(86, 3))
    displacement = truth.slope(truth.homogeneous_matrix, array(q), array(delta_q)) @ array(u)
    work = array(f) @ (array(delta_x) + displacement)
    assert forces.virtual_work_of_force(f, delta_x + Vec3(*displacement)) == work
    Q1, Q2 = forces.Q1_force(q, f, u), forces.Q2_force(q, f, u)
    for force in (Q, Q1, Q2, forces.reduced_force(q, f, u)):
        assert forces.virtual_work_of_generalised_force(f, delta_x, force, delta_q) == work
        same(attitude.L_matrix(q) @ force, body.tau * 2)
    L, R = attitude.L_matrix(q), attitude.rotation_matrix(q)
    same(Q1, L.T @ (skew(u) @ (R.T @ f)) * 2)
    same(Q1, forces.B1_matrix(q, u).T @ f)
    same(Q1, Q)
    same(Q2, forces.B2_matrix(q, u).T @ f)


def test_the_generalised_forces_split(body):
    """Proves: S(63), S(69), S(70), S(75), D(22)"""
    q, f, u = body.q, body.f, body.u
    E, L, H = attitude.E_matrix(q), attitude.L_matrix(q), forces.H_matrix(u)
    Q1, Q2, reduced = forces.Q1_force(q, f, u), forces.Q2_force(q, f, u), forces.reduced_force(q, f, u)
    same(reduced, H.T @ (E.T @ f) * 2)
    same(reduced, rotated_forms.gradient_of_rotated_form(q, f, u))
    same(Q1, reduced - q * (dot(u, L @ (E.T @ f)) * 2))
    same(forces.Q1_from_reduced(q, f, u), Q1)
    same(Q2, reduced + q * (dot(u, f) * 2))
    same(forces.Q2_from_reduced(q, f, u), Q2)
    # δW = 2 fᵀ E H δq + 2 fᵀu qᵀ δq for any δq.
    any_q = Quaternion(*fractions(87, 4))
    split = 2 * dot(f, E @ (H @ any_q)) + 2 * dot(f, u) * dot(q, any_q)
    assert dot(Q2, any_q) == dot(f, forces.B2_matrix(q, u) @ any_q) == split
    difference = 2 * (array(f) @ (body.R @ array(u) + array(u)))
    assert difference != 0
    same(Q2 - Q1, q * difference)
    same(forces.Q_difference(q, f, u), q * difference)
    # A force at right angles to (R + 1) u: no difference, unlike printed.
    across = Vec3(*np.cross(array(f), body.R @ array(u) + array(u)))
    same(forces.Q1_force(q, across, u), forces.Q2_force(q, across, u))


def test_the_reduced_force_and_Q2_are_linear_in_q_and_Q1_is_cubic():
    body, p = sample(6), Quaternion(*fractions(88, 4))
    two = p * 2
    same(forces.reduced_force(two, body.f, body.u), forces.reduced_force(p, body.f, body.u) * 2)
    same(forces.Q2_force(two, body.f, body.u), forces.Q2_force(p, body.f, body.u) * 2)
    same(forces.Q1_force(two, body.f, body.u), forces.Q1_force(p, body.f, body.u) * 8)


# ---- moving frames --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_equations_in_a_moving_frame(seed):
    """Proves: D(12), D(13)"""
    case = orbiting(seed)
    body, frame = case.body, (case.w_OF_F, case.alpha_OF_F)
    same(in_frame.inertial_rate(case.q, case.dq, case.w_OF_F), body.w)
    found = in_frame.inertial_acceleration(case.q, case.dq, case.ddq, *frame)
    same(found, body.alpha)
    same(motion.euler_residual(body.J, body.w, found, body.tau), [0, 0, 0])
    # With the term −ω × Rᵀ ω_o written out.
    w, alpha = (attitude.body_rate(case.q, rate) for rate in (case.dq, case.ddq))
    same(moving_frame.composed_acceleration(case.q, *frame, w, alpha), body.alpha)
    multiplier = 2 * body.J.quadratic_form(body.w)
    arguments = (case.q, case.dq, case.ddq, body.J, body.tau, *frame)
    same(in_frame.moving_frame_residual(*arguments, multiplier), STILL)
    solved = FORMS["d12"].solve(
        case.q, case.dq, body.J, Load(body.tau, frame=MovingFrame(case.w_OF_F, case.alpha_OF_F))
    )
    same(solved.ddq, case.ddq)
    assert solved.multiplier == multiplier


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradients_of_the_kinetic_energy_in_a_moving_frame(seed):
    """Proves: D(11)

    T has degree four in q: the five-point difference in fractions has no error. Any q and q̇.
    """
    body = sample(seed)
    q, dq, w_o = fractions(seed + 92, 4), fractions(seed + 93, 4), fractions(seed + 94, 3)
    J = body.cloud.inertia()

    def energy(p, dp):
        w = truth.homogeneous_matrix(p).T @ w_o + 2 * truth.product(truth.conjugate(p), dp)[1:]
        return w @ J @ w / 2

    def gradient(f):
        units = [np.array([Fraction(int(i == k)) for i in range(4)]) for k in range(4)]
        return [(8 * (f(e) - f(-e)) - f(2 * e) + f(-2 * e)) / 12 for e in units]

    found = in_frame.moving_frame_gradients(Quaternion(*q), Quaternion(*dq), body.J, Vec3(*w_o))
    same(found[0], gradient(lambda e: energy(q + e, dq)))
    same(found[1], gradient(lambda e: energy(q, dq + e)))
