"""The numbered equations of attitude, rates, moving frames, points and chains, each against something else."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from quatrain import ArgumentError, Mat3, Matrix, Quaternion, SymMat3, Vec3, cross, dot, skew
from quatrain.equations import attitude, chain, finite_rotations, moving_frame, point_motion, rotated_forms
from quatrain.rotations import AngleConvention
from tests.kinds import KINDS, PRECISE, on_mpmath, on_sympy
from tests.samples import quaternions, rng, rotations, unit_vectors, vectors
from tests.truth.rotations import cross_matrix, rodrigues

COUNT = 4000
ROUNDING = 1e-14  # sums of up to fifty products of numbers of order one


def array(value):
    """As an array with the entries of a matrix in the last two axes."""
    if isinstance(value, Matrix):
        entries = [np.stack(np.broadcast_arrays(*row), axis=-1) for row in value.rows]
        return np.stack(np.broadcast_arrays(*entries), axis=-2).astype(float)
    return value.to_array() if hasattr(value, "to_array") else np.asarray(value, dtype=float)


def close(a, b, tolerance=ROUNDING):
    a, b = array(a), array(b)
    scale = max(1.0, float(np.max(np.abs(b))))
    np.testing.assert_allclose(*np.broadcast_arrays(a, b), rtol=0, atol=tolerance * scale)


def tangent_rates(seed, q):
    """Rates that keep |q|: perpendicular to q."""
    dq = quaternions(seed, COUNT)
    return dq - q * (dot(q, dq) / q.norm_squared())


@pytest.fixture(scope="module")
def motion():
    q = rotations(1, COUNT)
    dq = tangent_rates(2, q)
    spin = 2 * np.einsum("nij,nkj->nik", matrix_rate(q, dq), array(attitude.rotation_matrix(q)))
    w_AB = Vec3.from_array(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1) / 2)
    return q, dq, w_AB


def matrix_rate(q, dq):
    """dR/dt from R(q), exactly: R is quadratic, so its derivative is a difference quotient without error."""
    return (array(attitude.rotation_matrix(q + dq)) - array(attitude.rotation_matrix(q - dq))) / 2


# ---- E and L -------------------------------------------------------------------------------------


def test_the_two_matrices_are_typed_as_printed():
    """Proves: S(8), S(9)"""
    q0, q1, q2, q3 = parts = quaternions(3, COUNT)
    q = Quaternion(*parts)
    E = [[-q1, q0, -q3, q2], [-q2, q3, q0, -q1], [-q3, -q2, q1, q0]]
    L = [[-q1, q0, q3, -q2], [-q2, -q3, q0, q1], [-q3, q2, -q1, q0]]
    close(attitude.E_matrix(q), np.moveaxis(np.array(E), -1, 0), 0)
    close(attitude.L_matrix(q), np.moveaxis(np.array(L), -1, 0), 0)
    blocks = np.concatenate(
        [-array(q.vector)[:, :, None], array(skew(q.vector)) + np.eye(3) * q0[:, None, None]], axis=2
    )
    close(attitude.E_matrix(q), blocks, 0)


def test_their_products():
    """Proves: S(10), S(11), S(12), G(38)"""
    q, dq = rotations(4, COUNT), quaternions(5, COUNT)
    E, L = attitude.E_matrix(q), attitude.L_matrix(q)
    for M, dM in ((E, attitude.E_matrix(dq)), (L, attitude.L_matrix(dq))):
        close(M @ M.T, np.eye(3))
        close(M.T @ M, attitude.tangent_projector(q))
        close(M @ q, np.zeros(3))
        close(dM @ dq, np.zeros(3))
    close(attitude.tangent_projector(q), np.eye(4) - np.einsum("ni,nj->nij", q.to_array(), q.to_array()))


def test_their_products_are_exact_in_fractions_and_off_the_sphere():
    """Section 8 of the reference: L Lᵀ = s 1, Lᵀ L = s 1 − q qᵀ, RᵀR = s² 1 for any q."""
    q = Quaternion(*(Fraction(n) for n in (2, -3, 1, 5)))
    s, E, L = q.norm_squared(), attitude.E_matrix(q), attitude.L_matrix(q)
    column = Matrix.of(q)
    assert E @ E.T == L @ L.T == Matrix.identity(3) * s
    assert E.T @ E == L.T @ L == Matrix.identity(4) * s - column @ column.T
    R = attitude.rotation_matrix(q)
    assert Mat3.identity() * s**2 == R.T @ R


def test_they_take_vector_parts_of_products():
    """Proves: G(20)"""
    q, p = quaternions(6, COUNT), quaternions(7, COUNT)
    close(attitude.E_matrix(q) @ p, (p @ q.conjugate()).vector)
    close(attitude.L_matrix(q) @ p, (q.conjugate() @ p).vector)


def test_the_rotation_matrix():
    """Proves: G(19), S(5), S(6), S(7), D(1)"""
    axis, angle = unit_vectors(8, COUNT), rng(8).uniform(-3, 3, COUNT)
    q = Quaternion.from_axis_angle(Vec3.from_array(axis), angle)
    R = attitude.rotation_matrix(q)
    close(R, rodrigues(axis, angle))
    close(R.T @ R, np.eye(3))
    close(attitude.L_matrix(q) @ attitude.E_matrix(q).T, R.T)
    v, w = vectors(9, COUNT), vectors(10, COUNT)
    close(skew(v) @ w, np.cross(v.to_array(), w.to_array()))
    close(skew(v), cross_matrix(v.to_array()), 0)
    # Off the sphere: E Lᵀ is |q|² times a rotation, and S(5) differs by (|q|² − 1) 1.
    scale = rng(11).uniform(0.5, 2, COUNT)
    p = q * scale
    close(attitude.rotation_matrix(p), rodrigues(axis, angle) * scale[:, None, None] ** 2)
    q0, u = p.w, p.vector
    printed_s5 = (
        (2 * q0**2 - 1)[:, None, None] * np.eye(3)
        + 2 * np.einsum("ni,nj->nij", array(u), array(u))
        + 2 * q0[:, None, None] * cross_matrix(array(u))
    )
    close(printed_s5, attitude.rotation_matrix(p).to_array() + (scale**2 - 1)[:, None, None] * np.eye(3))
    # In use is the form 1 − 2(…), equal to S(5) for |q| = 1.
    close(q.to_matrix(), rodrigues(axis, angle))


# ---- rates ---------------------------------------------------------------------------------------


def test_the_velocity_of_a_turned_vector(motion):
    """Proves: G(9), G(10)"""
    q, dq, w_AB = motion
    x_B = vectors(12, COUNT)
    exact = np.einsum("nij,nj->ni", matrix_rate(q, dq), x_B.to_array())
    close(attitude.velocity_of_turned_vector(q, dq, x_B), exact)
    # q̇ ∘ q̄ = (0, ν) = −q ∘ q̄̇ with ω = 2ν; the printed q̄ ∘ q̇ is not −(0, ν).
    nu = dq @ q.conjugate()
    close(nu.w, np.zeros(COUNT))
    close(q @ dq.conjugate(), -nu)
    close(nu.vector * 2, w_AB)
    assert np.max(np.abs(array(q.conjugate() @ dq + nu))) > 0.1
    # ẋ = 2 ν × x for every body-fixed x, although ω is not at right angles to x.
    close(cross(nu.vector, q.rotate(x_B)) * 2, exact)
    assert np.max(np.abs(dot(w_AB, q.rotate(x_B)))) > 0.1


def test_angular_velocity_in_both_frames(motion):
    """Proves: G(11), G(13), G(15), G(17), S(17)"""
    q, dq, w_AB = motion
    w_B = Vec3.from_array(np.einsum("nji,nj->ni", array(q.to_matrix()), array(w_AB)))
    close(attitude.space_rate(q, dq), w_AB)
    close((dq @ q.conjugate()).vector * 2, w_AB)
    close((attitude.E_matrix(dq) @ q) * -2, w_AB)
    close(attitude.body_rate(q, dq), w_B)
    close((q.conjugate() @ dq).vector * 2, w_B)
    close((attitude.L_matrix(dq) @ q) * -2, w_B)
    close((q.conjugate() @ Quaternion.pure(w_AB) @ q).vector, w_B)


def test_quaternion_rates_in_both_frames(motion):
    """Proves: G(12), G(14), G(16), G(18)"""
    q, dq, w_AB = motion
    w_B = attitude.body_rate(q, dq)
    close(q.derivative_from_space_rate(w_AB), dq)
    close(attitude.rate_from_space(q, w_AB), dq)
    close(q.derivative(w_B), dq)
    close(attitude.rate_from_body(q, w_B), dq)
    u = q.vector
    close(Quaternion.from_parts(-dot(w_AB, u), w_AB * q.w + cross(w_AB, u)) / 2, dq)
    close(Quaternion.from_parts(-dot(u, w_B), w_B * q.w + cross(u, w_B)) / 2, dq)


def test_the_matrix_of_the_body_rate(motion):
    """Proves: G(21), S(13), S(14), S(15), S(16)"""
    q, dq, w_AB = motion
    w_B = q.inverse_rotate(w_AB)
    close(attitude.body_rate_matrix(q, dq), cross_matrix(array(w_B)))
    close(attitude.L_matrix(dq) @ attitude.L_matrix(q).T * -2, cross_matrix(array(w_B)))
    R, dR = array(q.to_matrix()), matrix_rate(q, dq)
    product = np.swapaxes(R, -1, -2) @ dR
    close(product + np.swapaxes(product, -1, -2), np.zeros((3, 3)))
    close(product, cross_matrix(array(w_B)))
    close(attitude.body_rate_from_matrices(Mat3.from_array(R), Mat3.from_array(dR)), w_B)
    # The derivation's 4×4 product: rows (qᵀ, L) times columns (q̇, L̇ᵀ) on (0, v).
    v = vectors(13, COUNT)
    image = attitude.L_matrix(dq).T @ v
    close(dot(q, image) * 2, -dot(w_B, v))
    close((attitude.L_matrix(q) @ image) * 2, cross(w_B, v))
    dw, dx, dy, dz = dq
    typed = np.array([[dw, -dx, -dy, -dz], [dx, dw, -dz, dy], [dy, dz, dw, -dx], [dz, -dy, dx, dw]])
    close(
        np.concatenate([array(dq)[:, :, None], array(attitude.L_matrix(dq).T)], axis=2),
        np.moveaxis(typed, -1, 0),
        0,
    )


def test_the_rate_of_the_rotation_matrix(motion):
    """Proves: G(39), G(40), Y(49)"""
    q, dq, w_AB = motion
    R, w_B = q.to_matrix(), q.inverse_rotate(w_AB)
    dR = matrix_rate(q, dq)
    close(attitude.rotation_matrix_rate(R, w_B), dR)
    close((R @ skew(w_B).T) * -1, dR)
    close(-(skew(w_B) @ R.T), np.swapaxes(dR, -1, -2))
    close(skew(w_AB) @ R, dR)
    # Used on the way: E(a) L(b)ᵀ = E(b) L(a)ᵀ, so Ṙ = 2 Ė Lᵀ = 2 E L̇ᵀ.
    close(attitude.E_matrix(dq) @ attitude.L_matrix(q).T * 2, dR)


def test_the_rates_of_the_body_axes(motion):
    """Proves: Y(45), Y(46), Y(47), Y(48)"""
    q, dq, w_AB = motion
    dR = matrix_rate(q, dq)
    for i, axis in enumerate(q.to_matrix().columns):
        close(attitude.axis_rate(w_AB, axis), dR[:, :, i])


def test_worked_numbers():
    """Section 9 of the reference, to the digits printed."""
    q = Quaternion(1.0, 2.0, -1.0, 3.0) / 15**0.5
    w = Vec3(0.7, -1.1, 0.4)
    close(q.to_matrix() * 15.0, [[-5, -10, 10], [2, -11, -10], [14, -2, 5]])
    close(
        attitude.rate_from_body(q, w),
        [-0.477667946032, 0.464758001545, 0.025819888975, -0.142009389361],
        5e-13,
    )
    close(attitude.space_rate(q, q.derivative(w)), [0.766666666667, 0.633333333333, 0.933333333333], 5e-13)
    f, u = Vec3(0.4, 1.1, -2.0), Vec3(0.3, -0.5, 0.8)
    typed = [
        [-2.03, 0.12, 0.92, 0.53],
        [0.12, 2.27, 0.13, -0.28],
        [0.92, 0.13, 0.93, 1.88],
        [0.53, -0.28, 1.88, -1.17],
    ]
    close(rotated_forms.delta(f, u), typed)


# ---- rotated forms -------------------------------------------------------------------------------


def test_delta_is_the_matrix_of_the_rotated_form():
    """Proves: G(30)"""
    v, w, q = vectors(14, COUNT), vectors(15, COUNT), quaternions(16, COUNT)
    (v1, v2, v3), (w1, w2, w3) = v, w
    typed = np.array(
        [
            [w1 * v1 + w2 * v2 + w3 * v3, w2 * v3 - w3 * v2, w3 * v1 - w1 * v3, w1 * v2 - w2 * v1],
            [w2 * v3 - w3 * v2, w1 * v1 - w2 * v2 - w3 * v3, w1 * v2 + w2 * v1, w1 * v3 + w3 * v1],
            [w3 * v1 - w1 * v3, w1 * v2 + w2 * v1, -w1 * v1 + w2 * v2 - w3 * v3, w2 * v3 + w3 * v2],
            [w1 * v2 - w2 * v1, w1 * v3 + w3 * v1, w2 * v3 + w3 * v2, -w1 * v1 - w2 * v2 + w3 * v3],
        ]
    )
    delta = rotated_forms.delta(v, w)
    close(delta, np.moveaxis(typed, -1, 0))
    close(dot(q, delta @ q), dot(v, attitude.rotation_matrix(q) @ w))


def test_gradients_of_rotated_forms():
    """Proves: G(31), G(32), G(33)"""
    v, w, q = vectors(17, COUNT), vectors(18, COUNT), quaternions(19, COUNT)
    A = rng(20).normal(size=(3, 3))
    J = SymMat3.from_array(A @ A.T)

    def gradient(form):
        """Of a polynomial of degree four at most: this five-point difference has no truncation error."""
        columns = []
        for unit in (Quaternion(*row) for row in np.eye(4)):
            f = lambda h, unit=unit: form(q + unit * h)
            columns.append((8 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / 12)
        return np.stack(columns, axis=-1)

    R = attitude.rotation_matrix
    close(rotated_forms.gradient_of_rotated_form(q, v, w), gradient(lambda p: dot(v, R(p) @ w)), 1e-13)
    close(
        rotated_forms.gradient_of_inverse_rotated_form(q, v, w), gradient(lambda p: dot(v, R(p).T @ w)), 1e-13
    )
    quadratic = gradient(lambda p: J.quadratic_form(R(p).T @ v) / 2)
    close(rotated_forms.gradient_of_rotated_quadratic_form(q, v, J), quadratic, 1e-13)


def test_delta_is_linear_in_both():
    """Proves: G(34), G(35), G(36), G(37)"""
    v1, v2, w1, w2 = (vectors(s, 100) for s in range(21, 25))
    delta = rotated_forms.delta
    close(delta(v1 + v2, w1), delta(v1, w1) + delta(v2, w1))
    close(delta(v1, w1 + w2), delta(v1, w1) + delta(v1, w2))
    close(delta(v1 + v2, w1 + w2), delta(v1, w1) + delta(v1, w2) + delta(v2, w1) + delta(v2, w2))
    close(delta(v1 * 3.0, w1 * -0.7), delta(v1, w1) * (3.0 * -0.7))


# ---- moving frames -------------------------------------------------------------------------------


def test_rates_add_across_a_moving_frame():
    """Proves: G(41), G(42), A(20), A(21)"""
    q_OF, q_FB = rotations(25, COUNT), rotations(26, COUNT)
    w_OF_F, w_FB_B, a_F, a_B = (vectors(s, COUNT) for s in (27, 28, 29, 30))

    def at(t):
        """Both attitudes to second order in time, with the given rates and accelerations at t = 0."""
        frame = q_OF.integrate(w_OF_F * t + a_F * (t * t / 2))
        body = q_FB.integrate(w_FB_B * t + a_B * (t * t / 2))
        return moving_frame.composed_attitude(frame, body), body

    close(at(0.0)[0].to_matrix(), q_OF.to_matrix() @ q_FB.to_matrix())
    # Fourth-order differences: truncation dt⁴ times |ω|⁵ (up to 1e3), rounding 1e-16/dt.
    dt = 1e-3
    slope = lambda f, t: (8 * (f(t + dt) - f(t - dt)) - f(t + 2 * dt) + f(t - 2 * dt)) / (12 * dt)
    attitude_at = lambda t: at(t)[0].to_array()
    rate_at = lambda t: attitude.body_rate(at(t)[0], Quaternion.from_array(slope(attitude_at, t))).to_array()
    w_I = moving_frame.composed_rate(q_FB, w_OF_F, w_FB_B)
    close(w_I, rate_at(0.0), 1e-9)
    close(moving_frame.composed_acceleration(q_FB, w_OF_F, a_F, w_FB_B, a_B), slope(rate_at, 0.0), 1e-6)
    close(moving_frame.relative_quaternion_rate(q_FB, w_OF_F, w_I), q_FB.derivative(w_FB_B))
    close(
        moving_frame.relative_quaternion_rate(q_FB, w_OF_F, w_I),
        slope(lambda t: at(t)[1].to_array(), 0.0),
        1e-9,
    )


# ---- points --------------------------------------------------------------------------------------


def test_velocity_and_acceleration_of_points():
    """Proves: Y(42), Y(50), Y(51), Y(52), A(10)"""
    q = rotations(31, COUNT)
    v_o, a_o, w_B, alpha_B, r_B, v_r, a_r = (vectors(s, COUNT) for s in range(32, 39))

    def position(t):
        """r_o + R r_b with everything to second order in time; derivatives at t = 0 are the ones given."""
        turn = q.integrate(w_B * t + alpha_B * (t * t / 2))
        return (v_o * t + a_o * (t * t / 2) + turn.rotate(r_B + v_r * t + a_r * (t * t / 2))).to_array()

    dt = 2e-3
    velocity = (8 * (position(dt) - position(-dt)) - position(2 * dt) + position(-2 * dt)) / (12 * dt)
    second = 16 * (position(dt) + position(-dt)) - position(2 * dt) - position(-2 * dt) - 30 * position(0.0)
    acceleration = second / (12 * dt * dt)
    w, alpha, r, v, a = (q.rotate(x) for x in (w_B, alpha_B, r_B, v_r, a_r))
    close(point_motion.point_velocity(v_o, w, r, v), velocity, 1e-8)
    close(
        point_motion.point_velocity_from_body_components(v_o, w, q.to_matrix(), r_B, v_r),
        point_motion.point_velocity(v_o, w, r, v),
    )
    close(point_motion.point_velocity(v_o, w, r), point_motion.point_velocity(v_o, w, r, Vec3.zero()))
    close(point_motion.point_acceleration(a_o, w, alpha, r, v, a), acceleration, 1e-7)
    close(point_motion.point_acceleration(a_o, w, alpha, r), cross(w, cross(w, r)) + a_o + cross(alpha, r))


# ---- finite rotations ----------------------------------------------------------------------------


def test_rotated_vectors_and_triads():
    """Proves: Y(1), Y(2), Y(3), Y(5), Y(6), Y(7), Y(8)"""
    R = Mat3.from_array(rodrigues(unit_vectors(39, 100), rng(39).uniform(-3, 3, 100)))
    triad = Mat3.from_array(rodrigues(unit_vectors(40, 100), rng(40).uniform(-3, 3, 100)))
    r = vectors(41, 100)
    # Along any triad a vector is the sum of its components times the unit vectors.
    i, j, k = triad.columns
    close(finite_rotations.vector_of_components(triad, r), i * r.x + j * r.y + k * r.z)
    # A triad turned in its own components by R has the columns [i j k] R, and carries its vectors along.
    turned = triad @ R
    physical = triad @ R @ triad.T  # the same rotation as an operator on arrays
    before = finite_rotations.vector_of_components(triad, r)
    after = physical @ before
    close(finite_rotations.vector_of_components(turned, r), after)
    close(finite_rotations.vector_of_components(triad, finite_rotations.rotated(R, r)), after)
    # The same matrix in the turned frame: r′_x′y′z′ = r_xyz = R r_x′y′z′.
    in_turned = turned.T @ before
    close(turned.T @ after, r)
    close(finite_rotations.rotated(R, in_turned), r)
    close(finite_rotations.rotated(R, r).norm(), r.norm())
    close(R.determinant(), np.ones(100))
    # Norms alone allow a reflection, which is refused as a rotation.
    with pytest.raises(ArgumentError, match="reflection"):
        Quaternion.from_matrix(Mat3.identity() * -1)


@pytest.mark.parametrize("axes", ["zxz", "zyx", "xyz", "yxz"])
def test_turns_about_moved_and_fixed_axes(axes):
    """Proves: Y(16)–Y(30)"""
    angles = tuple(rng(42).uniform(-3, 3, (3, 50)))
    r = vectors(43, 50)
    # The physical way: each turn is a Rodrigues rotation about an axis that itself has been carried along.
    triad, moved = np.broadcast_to(np.eye(3), (50, 3, 3)), array(r)
    stages = []
    for axis, angle in zip(axes, angles, strict=True):
        turn = rodrigues(triad[:, :, "xyz".index(axis)], angle)
        triad, moved = turn @ triad, np.einsum("nij,nj->ni", turn, moved)
        stages.append(moved)
    found = finite_rotations.intrinsic_stages(axes, angles, r)
    for stage, expected in zip(found, stages, strict=True):
        close(stage, expected)
    # What has moved along has, in the moved frame, the components it began with.
    close(finite_rotations.components_in_moved_frame(axes, angles, found[2]), r)
    close(
        finite_rotations.components_in_moved_frame(axes, angles, r), np.einsum("nji,nj->ni", triad, array(r))
    )
    R = AngleConvention(axes.upper()).to_matrix(Vec3(*angles))
    close(R, triad)
    close(R @ r, found[2])
    # Fixed axes in the opposite order give the same rotation.
    fixed = finite_rotations.extrinsic_stages(axes[::-1], angles[::-1], r)
    close(fixed[2], found[2])
    moved = array(r)
    for stage, axis, angle in zip(fixed, axes[::-1], angles[::-1], strict=True):
        unit = np.broadcast_to(np.eye(3)["xyz".index(axis)], (50, 3))
        moved = np.einsum("nij,nj->ni", rodrigues(unit, angle), moved)
        close(stage, moved)
    close(AngleConvention(axes[::-1]).to_matrix(Vec3(*angles[::-1])), R)


# ---- chain ---------------------------------------------------------------------------------------


def random_chain(seed, n, count=50):
    xi = [int(x) for x in rng(seed).integers(0, 2, n)]
    e = [unit_vectors(seed + 100 + k, count) for k in range(n)]
    q = rng(seed + 1).uniform(-3, 3, (n, count))
    p = [
        chain.joint_rotation(x, Vec3.from_array(axis), angle) for x, axis, angle in zip(xi, e, q, strict=True)
    ]
    R = [
        np.broadcast_to(np.eye(3), (count, 3, 3)) if x else rodrigues(axis, angle)
        for x, axis, angle in zip(xi, e, q, strict=True)
    ]
    return xi, e, q, p, R


@pytest.mark.parametrize("seed", range(5))
def test_joint_rotations(seed):
    """Proves: Z(17), Z(19), Z(22), Z(23), Z(26), Z(29), Z(31)"""
    xi, e, _, p, R = random_chain(seed, 6)
    for x, axis, rotation, matrix in zip(xi, e, p, R, strict=True):
        close(rotation.to_matrix(), matrix)
        close(rotation.norm(), np.ones(50))
        close(rotation.rotate(Vec3.from_array(axis)), axis)
        if x == chain.PRISMATIC:
            close(rotation, [1.0, 0.0, 0.0, 0.0], 0)


@pytest.mark.parametrize("seed", range(5))
def test_composite_rotations(seed):
    """Proves: Z(16), Z(18), Z(20), Z(21), Z(25), Z(27), Z(28), Z(30), Z(32), Z(33), Z(34)"""
    n = 6
    xi, _, _, p, R = random_chain(seed, n)
    tau = vectors(44 + seed, 50)
    for j, kind in enumerate(xi, start=1):
        if kind == chain.PRISMATIC:
            close(chain.in_body(p, j - 1, j, tau), tau, 0)
    for i in range(n + 1):
        for j in range(i, n + 1):
            matrix = np.broadcast_to(np.eye(3), (50, 3, 3))
            for k in range(i, j):
                matrix = matrix @ R[k]
            composite = chain.composite_rotation(p, i, j)
            close(composite.to_matrix(), matrix)
            close(chain.in_body(p, i, j, tau), np.einsum("nij,nj->ni", matrix, array(tau)))
            whole = chain.composite_rotation(p, 0, i).conjugate() @ chain.composite_rotation(p, 0, j)
            close(composite, whole)
    assert chain.composite_rotation(p, 3, 3) == Quaternion.identity()
    # Two bodies, as products: r = q₁ ⊗ q₂ ⊗ r⁽²⁾ ⊗ q₂* ⊗ q₁*.
    product = p[0] @ p[1] @ Quaternion.pure(tau) @ p[1].conjugate() @ p[0].conjugate()
    close(product.vector, chain.in_body(p, 0, 2, tau))


def test_at_the_reference_configuration_all_components_are_equal():
    """Proves: Z(24)"""
    p = [chain.joint_rotation(k % 2, Vec3(0.6, 0.0, 0.8), 0.0) for k in range(5)]
    tau = Vec3(0.1, -0.2, 0.3)
    assert all(chain.in_body(p, i, j, tau) == tau for i in range(6) for j in range(i, 6))


def test_the_printed_forms_of_the_chain_fail():
    """Z(27) with p*_{2−1,j} as its last factor is no rotation of the vector."""
    p = [chain.joint_rotation(chain.REVOLUTE, Vec3(*unit_vectors(k, 1)[0]), 0.5 + k) for k in range(4)]
    tau = vectors(50, 50)
    printed = (
        chain.composite_rotation(p, 2, 4)
        @ Quaternion.pure(tau)
        @ chain.composite_rotation(p, 1, 4).conjugate()
    )
    assert np.max(np.abs(array(printed.vector - chain.in_body(p, 2, 4, tau)))) > 0.1


@pytest.mark.parametrize(
    ("attempt", "says", "advises"),
    [
        (lambda: chain.joint_rotation(2, Vec3(0, 0, 1), 0.1), "type ξ is 2", "REVOLUTE"),
        (
            lambda: chain.composite_rotation([Quaternion.identity()], 1, 0),
            "not defined in a chain of 1",
            "conjugate",
        ),
        (lambda: chain.composite_rotation([Quaternion.identity()], 0, 2), "not defined", "0 ≤ i ≤ j ≤ n"),
    ],
)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*({advises})"):
        attempt()


# ---- one meaning on every kind of scalar ---------------------------------------------------------


def everything(w, x, y, z, a, b, c, d, e, f):
    q = Quaternion(w, x, y, z).normalised()
    u, v = Vec3(a, b, c), Vec3(d, e, f)
    dq = attitude.rate_from_body(q, u)
    J = SymMat3(2, 3, 4, a, b, c)
    R = attitude.rotation_matrix(q)
    values = [
        *(dq, attitude.rate_from_space(q, u), attitude.space_rate(q, dq), attitude.body_rate(q, dq)),
        *(
            R,
            attitude.body_rate_matrix(q, dq),
            attitude.body_rate_from_matrices(R, attitude.rotation_matrix_rate(R, u)),
        ),
        *(attitude.velocity_of_turned_vector(q, dq, v), attitude.axis_rate(u, v)),
        *(
            rotated_forms.gradient_of_rotated_form(q, u, v),
            rotated_forms.gradient_of_inverse_rotated_form(q, u, v),
        ),
        *(rotated_forms.gradient_of_rotated_quadratic_form(q, u, J), moving_frame.composed_rate(q, u, v)),
        *(moving_frame.composed_acceleration(q, u, v, v, u), moving_frame.relative_quaternion_rate(q, u, v)),
        *(point_motion.point_velocity(u, v, u, v), point_motion.point_acceleration(u, v, u, v, u, v)),
        point_motion.point_velocity_from_body_components(u, v, R, u, v),
        *finite_rotations.intrinsic_stages("zxz", (a, b, c), v),
        *finite_rotations.extrinsic_stages("xyz", (a, b, c), v),
        finite_rotations.components_in_moved_frame("zyx", (a, b, c), v),
        chain.in_body([chain.joint_rotation(xi, v.normalised(), a) for xi in (0, 1, 0)], 0, 3, u),
    ]
    return [entry for value in values for entry in value]


@pytest.mark.parametrize("kind", KINDS)
def test_equations_on_every_kind_of_scalar(kind):
    rows = rng(51).normal(size=(30, 10))
    exact = on_mpmath(everything, rows).astype(float)
    scale = np.max(np.abs(exact))
    np.testing.assert_allclose(KINDS[kind](everything, rows), exact, rtol=0, atol=1e-14 * scale)


def test_sympy_expressions_mean_the_same():
    """Built from symbols, the numbers put in afterwards; a few rows, since SymPy takes its time."""

    def some(w, x, y, z, a, b, c, d, e, f):
        q, u, v = Quaternion(w, x, y, z).normalised(), Vec3(a, b, c), Vec3(d, e, f)
        convention, dq = AngleConvention("ZYX"), attitude.rate_from_body(q, u)
        values = [
            *(q.rotate(u), q.to_matrix(), q @ q.conjugate(), q.log(), q.to_modified_rodrigues()),
            *(q.to_rotation_vector(), Quaternion.from_rotation_vector(u), q.derivative(u)),
            *(convention.to_quaternion(u), convention.from_quaternion(q), convention.body_rate_map(u)),
            *(attitude.body_rate(q, dq), attitude.rotation_matrix(q), attitude.body_rate_matrix(q, dq)),
            *(rotated_forms.gradient_of_rotated_form(q, u, v), moving_frame.composed_rate(q, u, v)),
        ]
        return [entry for value in values for entry in value]

    rows = rng(53).normal(size=(3, 10))
    exact = on_mpmath(some, rows).astype(float)
    np.testing.assert_allclose(on_sympy(some, rows), exact, rtol=0, atol=ROUNDING)


def test_identities_hold_to_1e_45_at_fifty_digits():
    def identities(w, x, y, z, a, b, c, d, e, f):
        q, u, v = Quaternion(w, x, y, z).normalised(), Vec3(a, b, c), Vec3(d, e, f)
        E, L = attitude.E_matrix(q), attitude.L_matrix(q)
        dq = attitude.rate_from_body(q, u)
        differences = [
            *(E @ E.T - Mat3.identity()).rows,
            *(L.T @ L - attitude.tangent_projector(q)).rows,
            *(Matrix.of(attitude.body_rate_matrix(q, dq)) - skew(u)).rows,
            attitude.rotation_matrix(q) @ v - q.rotate(v),
            attitude.rotation_matrix(q) - q.to_matrix(),
            attitude.body_rate(q, dq) - u,
            attitude.space_rate(q, dq) - q.rotate(u),
            L @ q,
            attitude.velocity_of_turned_vector(q, dq, v) - q.rotate(cross(u, v)),
        ]
        return [entry for value in differences for entry in value]

    with mpmath.workdps(PRECISE):
        worst = max(abs(entry) for entry in on_mpmath(identities, rng(52).normal(size=(20, 10))).ravel())
        assert worst < mpmath.mpf(10) ** -45
