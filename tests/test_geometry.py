"""Vectors, matrices and quaternions: algebra, exponential, and the ways into and out of them."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from quatrain import (
    ArgumentError,
    Mat3,
    Matrix,
    Pose,
    Quaternion,
    SymMat3,
    Vec3,
    cross,
    dot,
    outer,
    random_unit_quaternions,
    skew,
)
from quatrain.geometry import skew_part, symmetric_outer
from tests.kinds import KINDS, PRECISE, on_mpmath
from tests.samples import COUNT, DELICATE_ANGLES, quaternions, rng, rotations, unit_vectors, vectors
from tests.truth.rotations import ONE, I, J, K, as_complex_matrix, cross_matrix, rodrigues

# A sum of a dozen products of numbers of order one.
ROUNDING = 4e-15


def close(a, b, tolerance=ROUNDING):
    """Arrays, or anything with to_array, equal relative to the size of their largest entry."""
    a, b = (x.to_array() if hasattr(x, "to_array") else np.asarray(x, dtype=float) for x in (a, b))
    scale = max(1.0, float(np.max(np.abs(b))))
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)


# ---- vectors and matrices ------------------------------------------------------------------------


def test_vectors_agree_with_numpy():
    """Proves: Y(43), Y(44)"""
    a, b = vectors(1), vectors(2)
    A, B = a.to_array(), b.to_array()
    close(a + b, A + B)
    close(a - b, A - B)
    close(-a, -A)
    close(a * 2.5, 2.5 * A)
    close(2.5 * a, 2.5 * A)
    close(a / 2.5, A / 2.5)
    close(dot(a, b), np.sum(A * B, axis=-1))
    close(cross(a, b), np.cross(A, B))
    close(skew(a) @ b, np.cross(A, B))
    close(a.norm(), np.linalg.norm(A, axis=-1))
    close(a.normalised().norm(), np.ones(COUNT))


def test_matrices_agree_with_numpy():
    r = rng(3)
    A, B = r.normal(size=(2, 500, 3, 3))
    v = vectors(4, 500)
    a, b = Mat3.from_array(A), Mat3.from_array(B)
    close(a @ b, A @ B)
    close(a @ v, np.einsum("nij,nj->ni", A, v.to_array()))
    close(a.T, np.swapaxes(A, -1, -2))
    close(a + b - a * 3.0 + (-b) / 2.0, A + B - 3 * A - B / 2)
    close(a.determinant(), np.linalg.det(A))
    close(a.trace(), np.trace(A, axis1=-2, axis2=-1))
    # The condition number of a matrix drawn like this is seldom above 1e3, at worst 1e4 here.
    close(a.inverse() @ a, np.broadcast_to(np.eye(3), (500, 3, 3)), 1e-10)
    close(outer(v, v), np.einsum("ni,nj->nij", v.to_array(), v.to_array()))
    close(skew_part(skew(v)), v.to_array())


def test_symmetric_matrices_agree_with_full_ones():
    A = rng(5).normal(size=(500, 3, 3))
    A = A @ np.swapaxes(A, -1, -2) + np.eye(3)
    s, v = SymMat3.from_array(A), vectors(6, 500)
    R = rotations(7, 500).to_matrix()
    close(s, A)
    close(s @ v, Mat3.from_array(A) @ v)
    close(s @ R, Mat3.from_array(A) @ R)
    close(s @ s, A @ A, 1e-14)
    close(s.quadratic_form(v), np.einsum("ni,nij,nj->n", v.to_array(), A, v.to_array()), 1e-14)
    close(s.rotated(R), R @ Mat3.from_array(A) @ R.T, 1e-14)
    close(s.inverse() @ s, np.broadcast_to(np.eye(3), (500, 3, 3)), 1e-12)
    close(s.determinant(), np.linalg.det(A), 1e-13)
    close(s.trace(), np.trace(A, axis1=-2, axis2=-1))
    close(s + s - s * 2.0 + (-s) / 1.0 + s, np.zeros((500, 3, 3)), 1e-13)
    close(symmetric_outer(v), outer(v, v))
    close(SymMat3.identity() @ v, v)
    close(SymMat3.from_mat3(Mat3.from_array(A)), A)


def test_matrices_of_any_shape_agree_with_numpy():
    A, B = rng(8).normal(size=(3, 4)), rng(9).normal(size=(4, 5))
    a, b = (Matrix(tuple(map(tuple, m))) for m in (A, B))
    q = Quaternion.from_array(rng(10).normal(size=4))
    np.testing.assert_allclose((a @ b).rows, A @ B, rtol=1e-14)
    np.testing.assert_allclose((a @ q).to_array(), A @ q.to_array(), rtol=1e-14)
    np.testing.assert_allclose((a.T @ (a @ q)).to_array(), A.T @ (A @ q.to_array()), rtol=1e-14)
    assert isinstance(a @ q, Vec3)
    assert isinstance(a.T @ (a @ q), Quaternion)
    assert (b.T @ q)[4] == pytest.approx(float((B.T @ q.to_array())[4]), rel=1e-14)
    np.testing.assert_allclose((a + a - a * 3.0).rows, -A, rtol=1e-14)
    np.testing.assert_allclose((Mat3.identity() @ Matrix.of(Mat3.identity())).rows, np.eye(3))
    assert Matrix.identity(3).to_mat3() == Mat3.identity()
    assert Matrix.from_columns(a.T.rows) == a
    assert (-a).rows[0][0] == -A[0, 0]


def test_a_triad_of_columns_is_the_rotation_matrix():
    """Proves: Y(4)"""
    axis, angle = unit_vectors(11), rng(11).uniform(-np.pi, np.pi, COUNT)
    R = rodrigues(axis, angle)
    triad = [Vec3.from_array(R @ unit) for unit in np.eye(3)]
    close(Mat3.from_columns(*triad), R)
    assert all(
        np.array_equal(a.to_array(), b.to_array())
        for a, b in zip(Mat3.from_array(R).columns, triad, strict=True)
    )


# ---- quaternion algebra --------------------------------------------------------------------------


def test_the_units_multiply_as_hamilton_said():
    """Proves: Z(1), G(1), G(2)"""
    one, i, j, k = (Quaternion(*row) for row in np.eye(4, dtype=int).tolist())
    minus = -one
    assert i @ i == j @ j == k @ k == i @ j @ k == minus
    assert (i @ j, j @ k, k @ i) == (k, i, j)
    assert (j @ i, k @ j, i @ k) == (-k, -i, -j)
    assert np.array_equal(I @ J, K)
    assert np.array_equal(I @ I, -ONE)


def test_quaternions_multiply_as_complex_matrices_do():
    """Proves: Z(2), Z(4), Z(5), Z(6), G(3), S(2)"""
    p, q, r = quaternions(1), quaternions(2), quaternions(3)
    P, Q = as_complex_matrix(p.to_array()), as_complex_matrix(q.to_array())
    np.testing.assert_allclose(as_complex_matrix((p @ q).to_array()), P @ Q, atol=3e-14)
    np.testing.assert_allclose(as_complex_matrix((p + q - p * 3.0).to_array()), P + Q - 3 * P, atol=1e-14)
    close((p @ q) @ r, p @ (q @ r), 1e-14)
    close(p @ (q + r), p @ q + p @ r, 1e-14)
    close(p @ Quaternion.identity(), p)
    close(p @ p.inverse(), np.broadcast_to([1.0, 0, 0, 0], (COUNT, 4)))
    close((-p) / 2.0, p * -0.5)


def test_parts_of_a_quaternion():
    """Proves: Z(3), Z(11), Z(12), Z(13)"""
    v = vectors(4)
    assert Quaternion.pure(v).vector is not None
    close(Quaternion.pure(v).to_array()[:, 1:], v)
    assert np.array_equal(Quaternion.pure(v).to_array()[:, 0], np.zeros(COUNT))
    close(Quaternion.from_parts(2.0, v).vector, v)


def test_conjugate_norm_and_inverse():
    """Proves: Z(7), Z(8), Z(9), Z(10), G(4), G(5), G(6), G(7)"""
    p, q, unit = quaternions(5), quaternions(6), rotations(7)
    close((p @ q).conjugate(), q.conjugate() @ p.conjugate())
    close((p @ q).norm(), p.norm() * q.norm())
    close((p @ p.conjugate()).w, p.norm() ** 2)
    close((p.conjugate() @ p).vector, np.zeros((COUNT, 3)))
    close(unit @ unit.conjugate(), np.broadcast_to([1.0, 0, 0, 0], (COUNT, 4)))
    close(p.norm(), np.linalg.norm(p.to_array(), axis=-1))
    close(p.inverse() @ p, np.broadcast_to([1.0, 0, 0, 0], (COUNT, 4)))
    np.testing.assert_allclose(
        as_complex_matrix(p.inverse().to_array()),
        np.linalg.inv(as_complex_matrix(p.to_array())),
        rtol=1e-12,
        atol=1e-12,
    )


def test_fractions_make_the_algebra_exact():
    """Proves: S(3), S(4), Z(14)"""
    a = Quaternion(*(Fraction(n) for n in (3, -1, 4, 2)))
    q = a @ a / a.norm_squared()
    assert q.unit_violation() == 0
    assert q.norm() == 1
    assert q @ q.conjugate() == Quaternion(1, 0, 0, 0)
    v = Vec3(Fraction(1, 3), Fraction(-2), Fraction(5, 7))
    assert q.rotate(v) == (q @ Quaternion.pure(v) @ q.conjugate()).vector == q.to_matrix() @ v
    assert q.inverse_rotate(q.rotate(v)) == v
    assert Quaternion.from_matrix(q.to_matrix()) in (q, -q)
    assert q**3 == q @ q @ q
    assert q**-2 == (q @ q).conjugate()
    assert Quaternion.from_modified_rodrigues(q.to_modified_rodrigues()) in (q, -q)


def test_not_unit_is_told_by_its_square():
    """Proves: S(3), S(4)"""
    assert Quaternion(1.0, 1.0, 1.0, 1.0).unit_violation() == 3.0


# ---- exponential and logarithm -------------------------------------------------------------------


def test_exponential_agrees_with_that_of_complex_matrices():
    for row in quaternions(8, 50).to_array():
        q = Quaternion(*map(float, row))
        np.testing.assert_allclose(
            as_complex_matrix(q.exp().to_array()), expm(as_complex_matrix(row)), atol=2e-14
        )
        np.testing.assert_allclose(
            as_complex_matrix(q.log().to_array()), logm(as_complex_matrix(row)), atol=2e-14
        )


@pytest.mark.parametrize("seed", range(3))
def test_rotation_vectors_make_the_round_trip(seed):
    directions = unit_vectors(seed, len(DELICATE_ANGLES))
    turn = directions * DELICATE_ANGLES[:, None]
    back = Quaternion.from_rotation_vector(Vec3.from_array(turn)).to_rotation_vector().to_array()
    # Near π the sign of the axis hangs on the last bit of w: the vectors ±πe are one rotation.
    sign = np.where(np.sum(back * turn, axis=-1) < 0, -1.0, 1.0)[:, None]
    assert np.all(sign[np.pi - 1e-14 > DELICATE_ANGLES] == 1)
    # Half of the smallest number there is rounds to zero.
    np.testing.assert_allclose(sign * back, turn, atol=5e-324, rtol=1.6e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1.0, np.pi - 1e-9, np.pi])
def test_exponential_and_logarithm_undo_each_other_to_1e_15_of_the_turn(angle):
    """In thousands of directions; at π, where e and −e are one rotation, up to the sign of the axis."""
    turn = unit_vectors(71) * angle
    back = Quaternion.from_rotation_vector(Vec3.from_array(turn)).to_rotation_vector().to_array()
    sign = np.where((np.sum(back * turn, axis=-1) < 0) & (angle == np.pi), -1.0, 1.0)[:, None]
    assert np.max(np.linalg.norm(sign * back - turn, axis=-1)) <= 1e-15 * angle
    q = Quaternion.from_rotation_vector(Vec3.from_array(turn))
    assert np.max(np.linalg.norm((q.log().exp() - q).to_array(), axis=-1)) <= 1e-15


def test_rotation_vectors_of_thousands_of_rotations():
    turn = unit_vectors(12) * rng(12).uniform(0, np.pi, (COUNT, 1))
    q = Quaternion.from_rotation_vector(Vec3.from_array(turn))
    np.testing.assert_allclose(q.to_rotation_vector().to_array(), turn, atol=2e-15)
    np.testing.assert_allclose((-q).to_rotation_vector().to_array(), turn, atol=2e-15)
    np.testing.assert_allclose(
        Rotation.from_rotvec(turn).as_matrix(), q.to_matrix().to_array(), atol=ROUNDING
    )


def test_logarithm_of_any_quaternion_is_undone_by_the_exponential():
    q = quaternions(13)
    close(q.log().exp(), q)
    # With a small or large vector part beside a scalar part of either sign.
    for w in (1.0, -1.0):
        for n in (0.0, 1e-200, 1e-12, 1e-3, 0.1, 1e3, 1e9):
            p = Quaternion(w, 0.6 * n, 0.0, 0.8 * n)
            close(p.log().exp(), p, 1e-15 * max(1.0, np.log(1 + n) / 3))


def test_logarithm_at_its_special_points():
    assert Quaternion.identity().log() == Quaternion(0.0, 0.0, 0.0, 0.0)
    assert Quaternion(-1.0, 0.0, 0.0, 0.0).log() == Quaternion(0.0, np.pi, 0.0, 0.0)
    assert Quaternion(0.0, 0.0, 0.0, 0.0).log().w == -np.inf


def test_powers():
    q = rotations(14)
    close(q**3, q @ q @ q, 1e-14)
    close(q**-1, q.conjugate())
    close(q**0, [1.0, 0, 0, 0])
    close((q**0.5) @ (q**0.5), q)
    close((q**0.3) @ (q**0.7), q)
    close(q**3.0, q @ q @ q, 1e-14)


def test_series_take_over_where_the_precision_of_the_scalar_says():
    """At fifty digits the identities hold to 1e-45, on both sides of the place where a series ends."""
    turns = [
        [f"{a}e-{n}", f"{b}e-{n}", f"-{a + b}e-{n}"] for n in range(0, 60, 3) for a, b in ((1, 2), (7, 1))
    ]

    def there_and_back(x, y, z):
        turn = Vec3(x, y, z)
        return (Quaternion.from_rotation_vector(turn).to_rotation_vector() - turn) / turn.norm()

    def exponential_by_its_series(x, y, z):
        q = Quaternion(x, y, z, x - y)
        total = term = Quaternion.identity() + q * 0
        for n in range(1, 120):
            term = term @ q / n
            total = total + term
        return q.exp() - total

    small = [[str(float(x) / 10) for x in row] for row in turns]
    with mpmath.workdps(PRECISE):
        for function, rows in ((there_and_back, small), (exponential_by_its_series, turns)):
            assert max(abs(x) for x in on_mpmath(function, rows).ravel()) < mpmath.mpf(10) ** -45


# ---- rotation ------------------------------------------------------------------------------------


def test_rotation_agrees_with_rodrigues():
    """Proves: Z(14), Z(15), G(8), S(5)"""
    axis, angle = unit_vectors(15), rng(15).uniform(-4, 4, COUNT)
    q = Quaternion.from_axis_angle(Vec3.from_array(axis * 3), angle)
    R = rodrigues(axis, angle)
    v = vectors(16)
    turned = np.einsum("nij,nj->ni", R, v.to_array())
    close(q.rotate(v), turned)
    close((q @ Quaternion.pure(v) @ q.conjugate()).vector, turned)
    close(q.to_matrix(), R)
    close(q.inverse_rotate(q.rotate(v)), v)
    close(q.rotate(Vec3.from_array(axis)), axis)


def test_the_expanded_inverse_rotation_is_a_turn_back():
    """The corrected reading of section 1.4: q̄ ∘ x ∘ q turns by −φ, and the printed reading by +φ fails."""
    q = Quaternion.from_axis_angle(Vec3(0.0, 0.0, 1.0), 0.3)
    x = (q.conjugate() @ Quaternion.pure(Vec3(1.0, 0.0, 0.0)) @ q).vector
    close(x, [np.cos(0.3), -np.sin(0.3), 0.0])
    assert abs(x.y - np.sin(0.3)) > 0.5


def test_rotations_are_a_group():
    a, b, c = rotations(17), rotations(18), rotations(19)
    close((a @ b) @ c, a @ (b @ c))
    close(a @ a.conjugate(), np.broadcast_to([1.0, 0, 0, 0], (COUNT, 4)))
    close((a @ b).norm(), np.ones(COUNT))
    v, w = vectors(20), vectors(21)
    close((a @ b).rotate(v), a.rotate(b.rotate(v)))
    close(dot(a.rotate(v), a.rotate(w)), dot(v, w))
    close(cross(a.rotate(v), a.rotate(w)), a.rotate(cross(v, w)))
    close((a @ b).to_matrix(), a.to_matrix() @ b.to_matrix())


def test_matrices_become_quaternions_everywhere():
    half_turns = np.concatenate([np.zeros((200, 1)), unit_vectors(22, 200)], axis=-1)
    nearly = half_turns + np.array([1e-9, 0, 0, 0])
    quarter = np.array(
        [[w, x, y, z] for w in (0, 1) for x in (0, 1) for y in (0, -1) for z in (0, 1) if w + x - y + z]
    )
    rows = np.concatenate([random_unit_quaternions(rng(23), COUNT), half_turns, nearly, quarter])
    rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
    q = Quaternion.from_array(rows)
    again = Quaternion.from_matrix(q.to_matrix())
    close(again.aligned_with(q), q)
    assert np.all(np.max(again.to_array(), axis=-1) >= 0.5 - 1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_other_descriptions_make_the_round_trip(kind):
    rows = np.concatenate([random_unit_quaternions(rng(24), 60), np.eye(4), -np.eye(4)])

    def round_trips(w, x, y, z):
        q = Quaternion(w, x, y, z)
        ways = (
            Quaternion.from_matrix(q.to_matrix()),
            Quaternion.from_axis_angle(*q.to_axis_angle()),
            Quaternion.from_rotation_vector(q.to_rotation_vector()),
            Quaternion.from_modified_rodrigues(q.to_modified_rodrigues()),
            q.log().exp(),
        )
        return [part for way in ways for part in way.aligned_with(q) - q]

    assert np.max(np.abs(KINDS[kind](round_trips, rows))) < ROUNDING


def test_other_descriptions_agree_with_scipy():
    q = rotations(25)
    peer = Rotation.from_quat(q.to_array(), scalar_first=True)
    close(q.to_rotation_vector(), peer.as_rotvec())
    close(q.to_modified_rodrigues(), peer.as_mrp())
    close(q.to_matrix(), peer.as_matrix())
    axis, angle = q.to_axis_angle()
    close(angle, peer.magnitude())
    close(axis.norm(), np.ones(COUNT))
    close(q.geodesic_distance(Quaternion.identity()), peer.magnitude())


def test_the_axis_of_no_turn_is_x():
    assert Quaternion.identity().to_axis_angle() == (Vec3(1.0, 0.0, 0.0), 0.0)


def test_geodesic_distance_is_accurate_at_both_ends():
    q = rotations(26, len(DELICATE_ANGLES))
    turn = unit_vectors(27, len(DELICATE_ANGLES)) * DELICATE_ANGLES[:, None]
    other = q.integrate(Vec3.from_array(turn))
    np.testing.assert_allclose(q.geodesic_distance(other), DELICATE_ANGLES, atol=1e-15)
    np.testing.assert_allclose(q.geodesic_distance(-other), DELICATE_ANGLES, atol=1e-15)


def test_comparison_up_to_sign():
    q = rotations(28)
    assert np.all(q.is_same_rotation_as(-q, tolerance=0.0))
    assert not np.any(q.is_same_rotation_as(q.integrate(Vec3(1e-6, 0.0, 0.0)), tolerance=1e-8))
    close((-q).aligned_with(q), q)


def test_rates_and_their_integral():
    """Proves: G(12), G(14)"""
    q, w = rotations(29, 200), vectors(30, 200)
    dt = 1e-5
    # Central difference: error (|w| dt)²/24 of the derivative, and rounding 1e-16/dt.
    slope = (q.integrate(w * dt) - q.integrate(w * -dt)) / (2 * dt)
    close(q.derivative(w), slope, 1e-9)
    close(q.derivative_from_space_rate(q.rotate(w)), q.derivative(w))
    turn = w / (w.norm() + 1.0) * 3.0
    close(q.difference(q.integrate(turn)), turn)
    close(q.integrate(q.difference(rotations(31, 200))).aligned_with(rotations(31, 200)), rotations(31, 200))


def test_uniform_rotations_are_uniform():
    """Mean of q qᵀ is 1/4, and the angle has the density (1 − cos θ)/π."""
    q = random_unit_quaternions(rng(32), 200_000)
    np.testing.assert_allclose(q.T @ q / len(q), np.eye(4) / 4, atol=5 / np.sqrt(len(q)))
    angle = 2 * np.arccos(np.abs(q[:, 0]))
    for limit in (0.5, 1.0, 2.0, 3.0):
        share = (limit - np.sin(limit)) / np.pi
        assert np.mean(angle < limit) == pytest.approx(share, abs=5 * np.sqrt(share / len(q)))
    assert random_unit_quaternions(rng(0)).shape == (4,)
    assert random_unit_quaternions(rng(0), (2, 3)).shape == (2, 3, 4)


# ---- poses ---------------------------------------------------------------------------------------


def test_poses_compose_as_homogeneous_transforms():
    """Proves: Y(38), Y(39), Y(40), Y(41), S(1)"""
    for seed in range(20):
        X_AB, X_BC = (Pose(rotations(40 + i, 100), vectors(50 + i, 100)) for i in (seed, seed + 1))

        def matrix(X):
            T = np.zeros((100, 4, 4))
            T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = X.q.to_matrix().to_array(), X.p.to_array(), 1
            return T

        def rows(X):
            return np.moveaxis(
                [[np.broadcast_to(entry, 100) for entry in row] for row in X.to_matrix().rows], -1, 0
            )

        close(rows(X_AB), matrix(X_AB))
        close(rows(X_AB @ X_BC), matrix(X_AB) @ matrix(X_BC))
        close(rows(X_AB.inverse()), np.linalg.inv(matrix(X_AB)))
        r = vectors(seed, 100)
        homogeneous = np.concatenate([r.to_array(), np.ones((100, 1))], axis=-1)
        close(X_AB.apply(r), np.einsum("nij,nj->ni", matrix(X_AB), homogeneous)[:, :3])
        close((X_AB @ Pose.identity()).p, X_AB.p)


def test_the_adjoint_moves_twists_and_wrenches():
    X = Pose(rotations(60, 1), vectors(61, 1))
    X = Pose(Quaternion(*(float(c[0]) for c in X.q)), Vec3(*(float(c[0]) for c in X.p)))
    adjoint = np.array(X.adjoint().rows, dtype=float)
    v, w, f, t = (vectors(s, 1).to_array()[0] for s in (62, 63, 64, 65))
    twist = np.concatenate([v, w])
    # [ν]: the 4×4 matrix of a twist, moved by T [ν] T⁻¹.
    T = np.array(X.to_matrix().rows, dtype=float)
    screw = np.zeros((4, 4))
    screw[:3, :3], screw[:3, 3] = cross_matrix(w), v
    moved = T @ screw @ np.linalg.inv(T)
    close((adjoint @ twist)[:3], moved[:3, 3])
    close(cross_matrix((adjoint @ twist)[3:]), moved[:3, :3])
    v_A, w_A = X.transform_twist(Vec3(*v), Vec3(*w))
    close(np.concatenate([v_A.to_array(), w_A.to_array()]), adjoint @ twist)
    f_A, t_A = X.transform_wrench(Vec3(*f), Vec3(*t))
    wrench = np.concatenate([f_A.to_array(), t_A.to_array()])
    close(wrench, np.linalg.inv(adjoint).T @ np.concatenate([f, t]))
    assert wrench @ (adjoint @ twist) == pytest.approx(np.concatenate([f, t]) @ twist, rel=1e-13)


# ---- arrays in and out ---------------------------------------------------------------------------


def test_orders_of_components_go_by_name():
    rows = rng(70).normal(size=(2, 3, 4))
    q = Quaternion.from_array(rows)
    assert q.w.shape == (2, 3)
    assert np.array_equal(q.to_array(), rows)
    assert np.array_equal(q.to_array(order="xyzw"), rows[..., [1, 2, 3, 0]])
    assert np.array_equal(Quaternion.from_array(q.to_array(order="xyzw"), order="xyzw").to_array(), rows)
    assert Quaternion.from_xyzw(1, 2, 3, 4) == Quaternion(4, 1, 2, 3)
    assert Quaternion(4, 1, 2, 3).to_xyzw() == (1, 2, 3, 4)


def test_components_broadcast_against_one_another():
    v = Vec3(np.ones((5, 1)), np.zeros(3), 2.0)
    assert v.to_array().shape == (5, 3, 3)
    assert Quaternion.identity().rotate(v).to_array().shape == (5, 3, 3)
    assert Vec3.from_array(np.ones((2, 3), np.float32)).x.dtype == np.float32
    assert Vec3.from_array([1, 2, 3]).y == 2.0


def test_an_array_on_the_left_of_a_vector_scales_it():
    close(np.arange(3.0) * Vec3(1.0, 2.0, 3.0), np.outer(np.arange(3.0), [1, 2, 3]))
    close(np.float64(2.0) * Vec3(1.0, 2.0, 3.0), [2.0, 4.0, 6.0])


BAD = [
    (lambda: Quaternion(0.0, 0.0, 0.0, 0.0).normalised(), "quaternion is zero", "positive finite"),
    (lambda: Quaternion(0.0, 0.0, 0.0, 0.0).inverse(), "quaternion is zero", "positive finite"),
    (lambda: Quaternion(np.nan, 0.0, 0.0, 1.0).normalised(), "holds NaN", "positive finite"),
    (lambda: Quaternion(np.inf, 0.0, 0.0, 1.0).normalised(), "infinite", "positive finite"),
    (
        lambda: Quaternion.from_array(np.eye(4) * [[1], [1], [0], [1]]).normalised(),
        "at index 2 is zero",
        "positive",
    ),
    (
        lambda: Quaternion(*map(mpmath.mpf, (0, 0, 0, 0))).normalised(),
        "quaternion is zero",
        "positive finite",
    ),
    (
        lambda: Quaternion(0.0, 0.0, 0.0, 0.0).to_axis_angle(),
        "quaternion is zero, so it is no rot",
        "positive",
    ),
    (lambda: Quaternion(0.0, 0.0, 0.0, 0.0).to_rotation_vector(), "quaternion is zero", "positive finite"),
    (lambda: Quaternion(0.0, 0.0, 0.0, 0.0).to_modified_rodrigues(), "quaternion is zero", "positive"),
    (
        lambda: Quaternion.from_array([[1.0, 0, 0, 0], [0, 0, 0, 0]]).geodesic_distance(
            Quaternion.identity()
        ),
        "one of the two quaternions at index 1 is zero",
        "positive",
    ),
    (
        lambda: Vec3.from_array(None, name="v"),
        "v is not an array of real numbers .it is None",
        "pass numbers",
    ),
    (
        lambda: Vec3(np.zeros(3), np.zeros(4), 0.0).to_array(),
        r"shapes \(3,\), \(4,\), \(\) do not",
        "one length",
    ),
    (lambda: Vec3(0.0, 0.0, 0.0).normalised(), "vector is zero", "positive finite"),
    (lambda: Quaternion.from_axis_angle(Vec3(0.0, 0.0, 0.0), 1.0), "axis is zero", "positive finite"),
    (lambda: Quaternion.from_array([1.0, np.nan, 0, 0], name="q"), r"q\[1\] is nan", "not finite"),
    (
        lambda: Quaternion.from_array(np.ones((4, 3)), name="q"),
        r"q has shape \(4, 3\); .* \(..., 4\)",
        "moveaxis",
    ),
    (lambda: Quaternion.from_array(np.ones((2, 3)), name="q"), r"shape \(2, 3\)", r"shape \(..., 4\)"),
    (lambda: Quaternion.from_array(1.0, name="q"), "q is a single number", r"\(..., 4\)"),
    (lambda: Quaternion.from_array(["a", "b", "c", "d"]), "not an array of real numbers", "pass numbers"),
    (lambda: Quaternion.from_array([1j, 0, 0, 0]), "not an array of real numbers", "pass numbers"),
    (
        lambda: Quaternion.from_array([1, 0, 0, 0], order="wzyx"),
        "'wxyz' or 'xyzw'",
        "which component stands first",
    ),
    (lambda: Quaternion.identity().to_array(order="WXYZ"), "'wxyz' or 'xyzw'", "which component"),
    (lambda: Quaternion.identity().rotate(1.0), "v is 1.0, of type float; this needs a Vec3", "Vec3"),
    (
        lambda: Quaternion.identity().rotate(np.zeros((100, 3))),
        "of type ndarray; this needs a Vec3",
        "from_array",
    ),
    (lambda: Quaternion.from_rotation_vector(0.1), "turn is 0.1", "Vec3"),
    (lambda: Quaternion.from_modified_rodrigues(0.1), "p is 0.1", "Vec3"),
    (lambda: Quaternion.identity() @ Vec3.zero(), "multiplied with a vector", "rotate"),
    (
        lambda: Quaternion.identity().derivative(0.3),
        "w_AB_B is 0.3, of type float; this needs a Vec3",
        "Vec3",
    ),
    (lambda: Quaternion.identity().derivative_from_space_rate([0, 0, 1]), "w_AB is .*list", "from_array"),
    (lambda: Quaternion.identity().difference((1, 0, 0, 0)), r"other is \(1, 0, 0, 0\)", "Quaternion"),
    (lambda: Quaternion.identity().geodesic_distance(1.0), "other is 1.0", "Quaternion"),
    (lambda: Quaternion.identity().aligned_with(np.zeros(4)), "other is array", "Quaternion.from_array"),
    (lambda: cross(Vec3.zero(), 2.0), r"b of cross\(a, b\) is 2.0", "Vec3"),
    (lambda: cross([1, 2, 3], Vec3.zero()), r"a of cross\(a, b\) is \[1, 2, 3\]", "Vec3.from_array"),
    (lambda: dot(Vec3.zero(), Quaternion.identity()), "asked of a Vec3 and a Quaternion", "two Vec3"),
    (lambda: dot(Vec3.zero(), 2.0), "asked of a Vec3 and a float", "two Vec3"),
    (lambda: skew(0.5), r"v of skew\(v\) is 0.5", "Vec3"),
    (lambda: Quaternion.identity() @ np.zeros(4), "right factor of a Quaternion is array", "from_array"),
    (lambda: Quaternion.identity() @ 2.0, "right factor of a Quaternion is 2.0", "Quaternion"),
    (lambda: Mat3.identity() @ [1, 2, 3], r"right factor of a Mat3 is \[1, 2, 3\]", "Vec3.from_array"),
    (lambda: SymMat3.identity() @ 1.0, "right factor of a SymMat3 is 1.0", "Vec3"),
    (lambda: Pose.identity() @ Quaternion.identity(), "right factor of a Pose is Quaternion", "Pose"),
    (lambda: Quaternion.identity() * Quaternion.identity(), "multiplied with \\*", "p @ q"),
    (lambda: Vec3.zero() * Vec3.zero(), "two vectors", "cross"),
    (lambda: Quaternion.from_matrix(Mat3.identity() * 1.1), "R is not a rotation matrix", "orthonormalise"),
    (lambda: Quaternion.from_matrix(-Mat3.identity()), "R is a reflection", "right-handed"),
    (
        lambda: Quaternion.from_matrix(Mat3.identity() * np.nan),
        "R is not a rotation matrix",
        "orthonormalise",
    ),
    (lambda: Quaternion.from_matrix(np.eye(3)), "R is array.* this needs a Mat3", "from_array"),
    (lambda: Mat3.from_array(np.ones(3)), r"shape \(3,\); this needs matrices", r"\(..., 3, 3\)"),
    (lambda: Mat3.from_array(np.ones((3, 2))), r"shape \(3, 2\)|shape \(2,\)", r"\(..., 3"),
    (lambda: (Mat3.identity() * 0.0).inverse(), "no inverse", "zero or repeated row"),
    (lambda: SymMat3.diagonal(1.0, 0.0, 1.0).inverse(), "no inverse", "zero or repeated row"),
    (lambda: SymMat3.from_array([[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric: .* xy and yx", "½"),
    (lambda: Pose(Vec3.zero(), Vec3.zero()), "q is Vec3.*needs a Quaternion", "Quaternion"),
    (lambda: Pose(Quaternion.identity(), 0.0), "p is 0.0", "Vec3"),
    (lambda: Matrix.of(1.0), "a float is not a matrix", "Vec3"),
    (lambda: Matrix.identity(3) @ Matrix.identity(4), "do not multiply", "columns"),
    (lambda: Matrix.identity(3) + Matrix.identity(4), "do not add", "one shape"),
    (lambda: Matrix.identity(4).to_mat3(), "not 3×3", "block"),
    (lambda: random_unit_quaternions(0), "rng is int", "default_rng"),
    (lambda: random_unit_quaternions(rng(0), -1), "shape is -1", "whole number from zero up"),
    (lambda: random_unit_quaternions(rng(0), (2, 1.5)), r"shape is \(2, 1.5\)", "whole number"),
]


@pytest.mark.parametrize(("attempt", "says", "advises"), BAD)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*({advises})"):
        attempt()


def test_normalising_where_no_value_is_known_gives_nan():
    import casadi

    w = casadi.SX.sym("w")
    f = casadi.Function("f", [w], [casadi.vertcat(*Quaternion(w, 0.0, 0.0, 0.0).normalised())])
    assert np.isnan(float(f(0.0)[0]))
