"""One rigid body: inertia, momentum, energy, Newton–Euler, each against a cloud of point masses or a known motion."""

from __future__ import annotations

import casadi
import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import ArgumentError, Pose, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.equations import heavy_top, newton_euler, quaternion_lagrangian, rigid_body
from quatrain.equations.principal_axes import principal_axes
from quatrain.equations.rigid_body import Body
from quatrain.rotations import AngleConvention
from tests.bodies import (
    COUNT,
    array,
    body_of,
    close,
    differs,
    flat,
    on_graph,
    times,
    transposed_times,
    vec,
)
from tests.kinds import KINDS, PRECISE, on_mpmath
from tests.samples import quaternions, rng, rotations, vectors
from tests.truth.point_masses import Cloud, Motion, random_motion, transposed, turns
from tests.truth.rotations import cross_matrix, rodrigues

G = np.array([0.3, -0.2, -9.7])  # a field along no axis


class Case:
    """A cloud in a random motion: its points, their accelerations, and forces on them that cause these."""

    def __init__(self, seed, *, centred):
        random = rng(seed)
        self.cloud = Cloud.random(random, centred=centred)
        self.body = body_of(self.cloud)
        self.motion = random_motion(random, COUNT)
        self.r, self.dr, self.ddr = self.cloud.at(self.motion)
        # What each point needs besides its weight, and pairs of opposite forces along the lines between.
        forces = self.cloud.masses[:, None] * (self.ddr - G)
        for i, j in ((0, 1), (2, 4), (5, 1)):
            pull = (self.r[:, i] - self.r[:, j]) * random.normal(size=(COUNT, 1))
            forces[:, i] += pull
            forces[:, j] -= pull
        self.forces = forces
        m = self.motion
        self.R, self.p, self.v, self.a, self.w, self.alpha = (
            value.from_array(x)
            for value, x in (
                (rigid_body.Mat3, m.R),
                *((Vec3, x) for x in (m.p, m.v, m.a, m.w, m.alpha)),
            )
        )
        self.w_B, self.alpha_B, self.v_B, self.a_B = (vec(m.to_body(x)) for x in (m.w, m.alpha, m.v, m.a))
        self.g, self.g_B = Vec3(*G), vec(m.to_body(np.broadcast_to(G, m.p.shape)))

    def contact(self, *, in_body=False):
        """The forces with their points from the origin, as the equations take them."""
        arms = self.r - self.motion.p[:, None]
        for k in range(len(self.cloud.masses)):
            pair = self.forces[:, k], arms[:, k]
            yield tuple(vec(self.motion.to_body(x) if in_body else x) for x in pair)


@pytest.fixture(scope="module", params=[False, True], ids=["any origin", "centre of mass"])
def case(request):
    return Case(1 + request.param, centred=request.param)


# ---- inertia -------------------------------------------------------------------------------------


def test_the_inertia_of_points():
    """Proves: Y(58), Y(59), Y(67), A(11)"""
    cloud = Cloud.random(rng(3))
    masses, points = list(map(float, cloud.masses)), [Vec3(*map(float, r)) for r in cloud.points]
    body = Body.of_points(masses, points)
    close(body.mass, cloud.mass)
    close(body.p_BBcm, cloud.centre)
    close(body.I_Bcm_B, cloud.inertia(cloud.centre))
    close(body.I_Bo_B, cloud.inertia(np.zeros(3)))
    total = sum(
        (rigid_body.point_inertia(m, r) for m, r in zip(masses, points, strict=True)), SymMat3(*[0] * 6)
    )
    close(total, cloud.inertia(np.zeros(3)))
    S = cross_matrix(cloud.points)
    close(total, np.einsum("k,kji,kjl->il", cloud.masses, S, S))
    for Q in rng(4).normal(size=(20, 3)):
        close(body.inertia_about(Vec3(*Q)), cloud.inertia(Q))
    # As printed in A(11): I_o = I_c − m S(c)².
    C = cross_matrix(cloud.centre)
    close(body.I_Bo_B, cloud.inertia(cloud.centre) - cloud.mass * C @ C)


def test_a_body_in_another_frame_is_the_same_body():
    cloud = Cloud.random(rng(5))
    q, p = Quaternion.from_axis_angle(Vec3(0.6, 0.0, 0.8), 1.1), Vec3(0.4, -1.0, 0.7)
    moved = Cloud(cloud.masses, transposed_times(q.to_matrix(), cloud.points - array(p)))
    found, expected = body_of(cloud).in_frame(Pose(q, p)), body_of(moved)
    for name in ("mass", "p_BBcm", "I_Bcm_B", "I_Bo_B"):
        close(getattr(found, name), getattr(expected, name))


def test_products_of_vectors():
    """Proves: Y(56), Y(57), Y(65), Y(66)"""
    a, b, c = (vectors(s, COUNT) for s in (6, 7, 8))
    nested = np.cross(array(a), np.cross(array(b), array(c)))
    close(rigid_body.triple_product(a, b, c), nested)
    close(rigid_body.point_spin(b, a), np.cross(array(a), np.cross(array(b), array(a))))
    swing = np.cross(array(b), array(a))
    close(rigid_body.point_swing(b, a), swing)
    close(rigid_body.point_swing_squared(b, a), np.sum(swing**2, axis=-1))


def test_the_inertia_in_world_axes_is_that_of_the_turned_points(case):
    """Proves: Y(63), Y(76)"""
    I_W = rigid_body.world_inertia(case.body.I_Bo_B, case.R)
    arms = case.r - case.motion.p[:, None]
    S = cross_matrix(arms)
    close(I_W, case.cloud.total(transposed(S) @ S))
    # Its rate by the product rule, with the exact Ṙ.
    I, R, dR = case.cloud.inertia(np.zeros(3)), case.motion.R, case.motion.dR  # noqa: E741
    rate = newton_euler.world_inertia_rate(I_W, case.w)
    close(rate, dR @ I @ transposed(R) + R @ I @ transposed(dR))
    close(rate @ case.w, cross(case.w, I_W @ case.w))


def inertias():
    """Symmetric matrices by name: random, of equal moments, nearly diagonal, of very unequal size."""
    random = rng(9)
    A = random.normal(size=(COUNT, 3, 3))
    R = rotations(10, COUNT).to_matrix().to_array()
    spread = 10.0 ** random.uniform(-8, 8, size=(COUNT, 3, 1))
    yield "indefinite", A + transposed(A)
    yield "positive", A @ transposed(A)
    for gap in (0.0, 1e-15, 1e-8, 1e-3):
        moments = np.stack([np.ones(COUNT), np.full(COUNT, 1 + gap), random.uniform(0.1, 2, COUNT)], axis=-1)
        yield f"gap {gap}", R @ (moments[:, :, None] * transposed(R))
    yield "nearly diagonal", np.diag([1.0, 3.0, 2.0]) + 1e-9 * (A + transposed(A))
    yield "unequal", spread * (A + transposed(A)) * transposed(spread)
    yield "whole numbers", np.rint(A + transposed(A))


INERTIAS = dict(inertias())


@pytest.mark.parametrize("name", INERTIAS)
def test_principal_axes(name):
    """Proves: Y(60), Y(61)"""
    matrices = INERTIAS[name]
    matrices = (matrices + transposed(matrices)) / 2
    size = np.maximum(np.max(np.abs(matrices), axis=(1, 2)), 1e-300)
    I_B = SymMat3.from_array(matrices)
    peer = np.linalg.eigvalsh(matrices)
    for ascending in (False, True):
        moments, R_BP = principal_axes(I_B, ascending=ascending)
        U, diagonal = array(R_BP), array(moments)
        # Eighteen turns, each rounding by one or two units of the last place.
        close(np.max(np.abs(np.sort(diagonal) - peer), axis=-1) / size, 0, 1e-14)
        off = transposed(U) @ matrices @ U - diagonal[:, :, None] * np.eye(3)
        close(np.max(np.abs(off), axis=(1, 2)) / size, 0, 1e-14)
        close(transposed(U) @ U, np.eye(3), 1e-14)
        close(np.linalg.det(U), 1, 1e-14)
    assert np.all(np.diff(diagonal) >= 0)


def test_principal_axes_of_a_diagonal_matrix_are_the_given_ones():
    moments, R_BP = principal_axes(SymMat3.diagonal(3.0, 1.0, 2.0))
    assert (tuple(moments), R_BP) == ((3.0, 1.0, 2.0), rigid_body.Mat3.identity())
    moments, R_BP = principal_axes(SymMat3.diagonal(3.0, 1.0, 2.0), ascending=True)
    assert tuple(moments) == (1.0, 2.0, 3.0)
    close(R_BP.determinant(), 1, 0)
    moments, R_BP = principal_axes(SymMat3(*[0.0] * 6))
    assert (tuple(moments), R_BP) == ((0.0, 0.0, 0.0), rigid_body.Mat3.identity())


def test_principal_axes_at_fifty_digits():
    """Proves: Y(60), Y(61)"""

    def residual(*entries):
        I_B = SymMat3(*entries)
        moments, R_BP = principal_axes(I_B)
        D = R_BP.T @ (I_B @ R_BP)
        return [
            D.xx - moments.x,
            D.yy - moments.y,
            D.zz - moments.z,
            D.xy,
            D.xz,
            D.yz,
            R_BP.determinant() - 1,
        ]

    rows = np.concatenate([rng(11).normal(size=(10, 6)), 10.0 ** rng(12).uniform(-15, 0, size=(10, 6))])
    with mpmath.workdps(PRECISE):
        assert max(map(abs, on_mpmath(residual, rows).ravel())) < mpmath.mpf(10) ** -47


def test_a_left_handed_triad_is_no_body_frame(case):
    """Proves: Y(61)

    Diagonal is the matrix in it as well, but the vector product changes sign there, and with it Euler's equations.
    """
    moments, R_BP = principal_axes(case.body.I_Bo_B)
    torque = case.body.I_Bo_B @ case.alpha_B + cross(case.w_B, case.body.I_Bo_B @ case.w_B)
    along = lambda U, x: U.T @ x
    found = newton_euler.principal_torque(moments, along(R_BP, case.w_B), along(R_BP, case.alpha_B))
    close(found, along(R_BP, torque))
    x, y, z = R_BP.columns
    mirrored = rigid_body.Mat3.from_columns(x, y, -z)
    D = array(mirrored.T @ (case.body.I_Bo_B @ mirrored))
    close(D, np.diag(array(moments)))
    wrong = newton_euler.principal_torque(moments, along(mirrored, case.w_B), along(mirrored, case.alpha_B))
    differs(wrong, along(mirrored, torque))


# ---- momentum and energy -------------------------------------------------------------------------


def test_momentum_is_the_sum_over_the_points(case):
    """Proves: Y(53), Y(54), Y(55), Y(58), Y(62)"""
    cloud, body = case.cloud, case.body
    close(rigid_body.linear_momentum(body, case.R, case.v, case.w_B), cloud.total(case.dr))
    for Q in (np.zeros(3), np.array([0.7, -2.0, 1.3])):
        H = rigid_body.angular_momentum(body, case.R, vec(case.motion.p - Q), case.v, case.w_B)
        close(H, cloud.total(np.cross(case.r - Q, case.dr)))
    # About the centre of mass only I_c ω remains, whatever the origin does.
    to_origin = -(case.R @ body.p_BBcm)
    about_cm = rigid_body.angular_momentum(body, case.R, to_origin, case.v, case.w_B)
    centre = cloud.total(case.r)[:, None] / cloud.mass
    close(about_cm, cloud.total(np.cross(case.r - centre, case.dr)))
    close(about_cm, case.R @ (body.I_Bcm_B @ case.w_B))
    # The motion about the origin alone.
    arms, swings = case.r - case.motion.p[:, None], case.dr - case.motion.v[:, None]
    H_b = cloud.total(np.cross(arms, swings))
    close(case.R @ rigid_body.spin_momentum(body, case.w_B), H_b)
    close(rigid_body.spin_momentum_in_world(body, case.R, case.w), H_b)
    printed = cloud.mass * np.cross(case.motion.p, case.motion.v) + H_b
    H = cloud.total(np.cross(case.r, case.dr))
    if np.max(np.abs(cloud.centre)) < 1e-12:
        close(printed, H)
    else:
        differs(printed, H)


def test_energy_is_the_sum_over_the_points(case):
    """Proves: Y(64), Y(67), Y(68)"""
    cloud, body = case.cloud, case.body
    T = cloud.total(np.sum(case.dr**2, axis=-1)) / 2
    close(rigid_body.kinetic_energy(body, case.R, case.v, case.w_B), T)
    close(rigid_body.potential_energy(body, case.R, case.p, case.g), -cloud.total(case.r @ G))
    I, w = cloud.inertia(np.zeros(3)), array(case.w_B)  # noqa: E741
    printed = (cloud.mass * np.sum(case.motion.v**2, axis=-1) + np.einsum("ni,ij,nj->n", w, I, w)) / 2
    if np.max(np.abs(cloud.centre)) < 1e-12:
        close(printed, T)
        close(-cloud.mass * case.motion.p @ G, -cloud.total(case.r @ G))
    else:
        differs(printed, T)


# ---- Newton and Euler ----------------------------------------------------------------------------


def test_rates_of_momentum_are_the_applied_forces(case):
    """Proves: Y(69), Y(70), Y(71), Y(72), Y(74), Y(78), Y(79), A(12), A(14)"""
    cloud, body = case.cloud, case.body
    f, t = newton_euler.resultant(case.contact())
    close(f, np.sum(case.forces, axis=1))
    dL = newton_euler.momentum_rate(body, case.R, case.w, case.alpha, case.a)
    close(dL, cloud.total(case.ddr))
    close(dL, f + case.g * cloud.mass)
    dH = newton_euler.angular_momentum_rate(body, case.R, case.p, case.w, case.alpha, case.a)
    close(dH, cloud.total(np.cross(case.r, case.ddr)))
    close(dH, newton_euler.moment_about_world(body, case.R, case.p, f, t, case.g))
    close(cross(case.p, f) + t, np.sum(np.cross(case.r, case.forces), axis=1))
    # The second half of Y(71), of the printed kind: Σ r_i × F_i = r_o × (m r̈_o − m g) + Σ r_ib × F_i.
    printed = np.cross(case.motion.p, cloud.mass * (case.motion.a - G)) + array(t)
    # About the origin: d/dt ∫ r_b × (ω × r_b) dm with accelerations relative to the origin.
    arms, relative = case.r - case.motion.p[:, None], case.ddr - case.motion.a[:, None]
    dH_b = cloud.total(np.cross(arms, relative))
    close(newton_euler.moment_about_origin(body, case.R, case.a, t, case.g), dH_b)
    close(newton_euler.spin_momentum_rate_in_world(body, case.R, case.w, case.alpha), dH_b)
    close(case.R @ newton_euler.spin_momentum_rate(body, case.w_B, case.alpha_B), dH_b)
    I_w = np.einsum("ij,nj->ni", cloud.inertia(np.zeros(3)), array(case.w_B))
    triad = np.einsum("nij,nj->ni", case.motion.dR, I_w)
    close(
        triad + times(case.R, array(body.I_Bo_B @ case.alpha_B)), dH_b
    )  # Y(78), with dĩ/dt … from the motion
    if np.max(np.abs(cloud.centre)) < 1e-12:
        close(printed, np.sum(np.cross(case.r, case.forces), axis=1))
        close(t, dH_b)
    else:
        differs(printed, np.sum(np.cross(case.r, case.forces), axis=1))
        differs(t, dH_b)


def test_the_moment_about_the_origin_needs_no_correction_when_the_origin_falls_freely(case):
    """Proves: A(14), Y(72)"""
    t = vectors(13, COUNT)
    falling = newton_euler.moment_about_origin(case.body, case.R, case.g, t, case.g)
    close(falling, t, 0)
    along_c = case.g - case.R @ case.body.p_BBcm * 3.0
    close(newton_euler.moment_about_origin(case.body, case.R, along_c, t, case.g), t)
    pivot = newton_euler.moment_about_origin(case.body, case.R, Vec3.zero(), t, case.g)
    arm = times(case.motion.R, np.broadcast_to(case.cloud.centre, case.motion.p.shape))
    close(pivot, array(t) + case.cloud.mass * np.cross(arm, G))


def test_newton_euler_in_world_axes(case):
    """Proves: Y(69), Y(73), Y(75), A(12)"""
    f, t = newton_euler.resultant(case.contact())
    found = newton_euler.world_wrench(case.body, case.R, case.w, case.alpha, case.a, case.g)
    close(found[0], f)
    close(found[1], t)
    a, alpha = newton_euler.world_acceleration(case.body, case.R, case.w, f, t, case.g)
    close(a, case.a, 1e-13)
    close(alpha, case.alpha, 1e-13)


def test_newton_euler_in_body_axes(case):
    """Proves: Y(77), Y(79), Y(80), A(13)"""
    couple = vectors(14, COUNT)
    f, t = newton_euler.resultant(case.contact(in_body=True))
    close(newton_euler.resultant(case.contact(in_body=True), couple)[1], t + couple)
    found = newton_euler.body_wrench(case.body, case.w_B, case.alpha_B, case.a_B, case.g_B)
    close(found[0], f)
    close(found[1], t)
    dv, alpha = newton_euler.body_acceleration(case.body, case.v_B, case.w_B, f, t, case.g_B)
    # ν = Rᵀ ṙ_o, differentiated by the product rule with the exact Ṙ.
    exact = transposed_times(case.motion.dR, case.motion.v) + transposed_times(case.motion.R, case.motion.a)
    close(dv, exact, 1e-13)
    close(alpha, case.alpha_B, 1e-13)
    close(newton_euler.origin_acceleration(case.v_B, dv, case.w_B), case.a_B, 1e-13)
    # Read as second derivatives of body components, Y(77) is another equation.
    differs(dv, case.a_B)


def test_the_six_by_six_form(case):
    """Proves: A(13)"""
    f, t = newton_euler.resultant(case.contact(in_body=True))
    M = array(newton_euler.spatial_inertia(case.body))
    close(M, M.T, 0)
    assert np.min(np.linalg.eigvalsh(M)) > 0
    bias = np.concatenate(
        [array(x) for x in newton_euler.spatial_bias(case.body, case.v_B, case.w_B)], axis=-1
    )
    mg = case.g_B * case.cloud.mass
    load = np.concatenate([array(f + mg), array(t + cross(case.body.p_BBcm, mg))], axis=-1)
    solved = np.linalg.solve(M, (load - bias).T).T
    dv, alpha = newton_euler.body_acceleration(case.body, case.v_B, case.w_B, f, t, case.g_B)
    close(np.concatenate([array(dv), array(alpha)], axis=-1), solved, 1e-13)
    twist = np.concatenate([array(case.v_B), array(case.w_B)], axis=-1)
    energy = rigid_body.kinetic_energy(case.body, case.R, case.v, case.w_B)
    close(np.einsum("ni,ij,nj->n", twist, M, twist) / 2, energy)


def test_eulers_equations_in_principal_axes():
    """Proves: Y(81)"""
    cloud = Cloud.random(rng(15), centred=True)
    # Principal axes by NumPy, made right-handed; the cloud is turned into them.
    moments, U = np.linalg.eigh(cloud.inertia(np.zeros(3)))
    U[:, 0] *= np.linalg.det(U)
    cloud = Cloud(cloud.masses, cloud.points @ U)
    motion = random_motion(rng(16), COUNT)
    r, _, ddr = cloud.at(motion)
    torque = motion.to_body(cloud.total(np.cross(r - motion.p[:, None], ddr)))
    w, alpha = motion.to_body(motion.w), motion.to_body(motion.alpha)
    found = newton_euler.principal_torque(Vec3(*moments), vec(w), vec(alpha))
    close(found, torque)
    # Typed out from the reference.
    (I1, I2, I3), (wx, wy, wz), (dwx, dwy, dwz) = moments, w.T, alpha.T
    typed = [I1 * dwx + (I3 - I2) * wy * wz, I2 * dwy + (I1 - I3) * wz * wx, I3 * dwz + (I2 - I1) * wx * wy]
    close(found, np.stack(typed, axis=-1))
    close(newton_euler.body_wrench(body_of(cloud), vec(w), vec(alpha), Vec3.zero(), Vec3.zero())[1], torque)


# ---- Lagrange in Euler parameters ----------------------------------------------------------------


@pytest.fixture(scope="module")
def turning():
    """A cloud about its centre, turning by a quaternion: q on the sphere, q̇ tangent to it."""
    cloud = Cloud.random(rng(17), centred=True)
    q, w = rotations(18, COUNT), vectors(19, COUNT)
    return cloud, body_of(cloud).I_Bcm_B, q, q.derivative(w), w


def turned(q, dq):
    """R(q) and its derivative along q̇, exactly, by Hamilton's products of the unit vectors."""

    def matrix(q):
        columns = [(q @ Quaternion(0, *e) @ q.conjugate()).vector.to_array() for e in np.eye(3)]
        return np.stack(columns, axis=-1)

    return matrix(q), (matrix(q + dq) - matrix(q - dq)) / 2


def units():
    return [Quaternion(*map(float, e)) for e in np.eye(4)]


def test_the_lagrangian_in_euler_parameters(turning):
    """Proves: G(22)"""
    cloud, J, q, dq, _ = turning
    velocities = np.einsum("nij,kj->nki", turned(q, dq)[1], cloud.points)
    close(quaternion_lagrangian.lagrangian(q, dq, J), cloud.total(np.sum(velocities**2, axis=-1)) / 2)
    # The three printed forms, for any q and q̇.
    q, dq = quaternions(20, COUNT), quaternions(21, COUNT)
    w = (q.conjugate() @ dq).vector * 2
    L, dL = (array(quaternion_lagrangian.L_matrix(x)) for x in (q, dq))
    second = 2 * np.einsum("ni,nji,jk,nkl,nl->n", array(dq), L, array(J), L, array(dq))
    third = 2 * np.einsum("ni,nji,jk,nkl,nl->n", array(q), dL, array(J), dL, array(q))
    for form in (J.quadratic_form(w) / 2, second, third):
        close(quaternion_lagrangian.lagrangian(q, dq, J), form)


def test_gradients_of_the_lagrangian(turning):
    """Proves: G(24)"""
    J, q, dq = turning[1], quaternions(22, COUNT), quaternions(23, COUNT)
    T = quaternion_lagrangian.lagrangian
    # Quadratic in q and in q̇: these differences have no truncation error.
    by_q = np.stack([(T(q + e, dq, J) - T(q - e, dq, J)) / 2 for e in units()], axis=-1)
    by_dq = np.stack([(T(q, dq + e, J) - T(q, dq - e, J)) / 2 for e in units()], axis=-1)
    found = quaternion_lagrangian.lagrangian_gradients(q, dq, J)
    close(found[0], by_q)
    close(found[1], by_dq)
    L, dL = (array(quaternion_lagrangian.L_matrix(x)) for x in (q, dq))
    close(found[0], 4 * np.einsum("nji,jk,nkl,nl->ni", dL, array(J), dL, array(q)))
    close(found[1], 4 * np.einsum("nji,jk,nkl,nl->ni", L, array(J), L, array(dq)))


def test_the_rate_of_the_generalised_momentum(turning):
    """Proves: G(25)"""
    _, J, q, dq, w = turning
    alpha = vectors(24, COUNT)
    ddq = dq @ Quaternion.pure(w) / 2 + q.derivative(alpha)  # the product rule on ½ q ∘ ω
    momentum = lambda t: array(
        quaternion_lagrangian.lagrangian_gradients(q + dq * t + ddq * (t * t / 2), dq + ddq * t, J)[1]
    )
    # Of degree five in t: this seven-point difference has no truncation error.
    odd = lambda h: momentum(h) - momentum(-h)
    h = 0.25
    exact = (45 * odd(h) - 9 * odd(2 * h) + odd(3 * h)) / (60 * h)
    close(quaternion_lagrangian.momentum_rate(q, dq, J, alpha), exact, 1e-13)


def test_virtual_work_in_euler_parameters(turning):
    """Proves: G(26), G(27), G(28)"""
    cloud, _, q, _, _ = turning
    forces = rng(25).normal(size=(COUNT, *cloud.points.shape))  # in W
    delta_q = q.derivative(vectors(26, COUNT))
    R, dR = turned(q, delta_q)
    work = np.einsum("nki,nij,kj->n", forces, dR, cloud.points)
    torque = transposed_times(R, np.sum(np.cross(np.einsum("nij,kj->nki", R, cloud.points), forces), axis=1))
    close(dot(quaternion_lagrangian.generalised_torque(q, vec(torque)), delta_q), work)
    # q + δq = q ∘ q_δ, and q_δ = (1, ½ δθ): its vector is half the small turn.
    small = quaternion_lagrangian.following_turn(q, delta_q)
    close(q @ small, q + delta_q)
    close(small.w, np.ones(COUNT))
    close(cross_matrix(array(small.vector) * 2), transposed(R) @ dR)  # S(δθ)
    turn = array(small.vector) * 2
    angle = np.linalg.norm(turn, axis=-1)
    close(quaternion_lagrangian.virtual_work(vec(turn / angle[:, None]), vec(torque), angle), work)


def test_lagranges_equations_with_the_multiplier(turning):
    """Proves: G(23), G(29)"""
    cloud, J, q, dq, w = turning
    alpha = vectors(27, COUNT)
    # The torque of the cloud's accelerations Ω̇ × r + Ω × (Ω × r).
    r = cloud.points[None]
    W, A = array(w)[:, None], array(alpha)[:, None]
    tau = vec(cloud.total(np.cross(r, np.cross(A, r) + np.cross(W, np.cross(W, r)))))
    found = quaternion_lagrangian.euler_equations(q, w, J, tau)
    close(found[0], dq)
    close(found[1], alpha, 1e-13)
    multiplier = quaternion_lagrangian.lagrange_multiplier(J, w)
    close(multiplier, quaternion_lagrangian.lagrangian(q, dq, J) * -2)
    residual = quaternion_lagrangian.lagrange_residual(q, dq, J, alpha, tau, multiplier)
    size = float(np.max(np.abs(array(quaternion_lagrangian.generalised_torque(q, tau)))))
    close(array(residual) / size, np.zeros(4))
    # As printed, with λ q in place of 2 λ q, it does not balance with the multiplier of ∂C/∂q = 2q.
    printed = array(residual + q * multiplier)
    close(printed, array(q * multiplier))
    assert np.min(np.linalg.norm(printed, axis=-1)) > 1e-3
    # No other multiplier will do: along q the balance is that of λ alone.
    without = quaternion_lagrangian.lagrange_residual(q, dq, J, alpha, tau, 0.0)
    close(dot(q, without), multiplier * 2)


# ---- heavy top -----------------------------------------------------------------------------------


def tops(seed):
    """m g l, A, C of tops that can be: C < 2A."""
    random = rng(seed)
    A = random.uniform(0.5, 2, COUNT)
    return random.uniform(0.5, 3, COUNT), A, A * random.uniform(0.1, 1.9, COUNT)


def test_steady_precession_needs_no_torque_about_the_pivot():
    """Proves: A(15)"""
    mgl, A, C = tops(28)
    random = rng(29)
    beta, rate = (
        random.uniform(0.1, 3.0, COUNT),
        random.uniform(0.3, 3, COUNT) * random.choice([-1, 1], COUNT),
    )
    spin = heavy_top.steady_precession_spin(mgl, A, C, rate, beta)
    close(heavy_top.steady_precession_residual(mgl, A, C, spin, rate, beta), np.zeros(COUNT), 1e-13)
    # The exact steady motion in z-x-z angles, by turning matrices; a mass of m = 2 at l on the axis.
    angles = np.stack([random.uniform(-3, 3, COUNT), beta, random.uniform(-3, 3, COUNT)], axis=-1)
    rates = np.stack([rate, np.zeros(COUNT), spin - rate * np.cos(beta)], axis=-1)
    R, dR, ddR = turns("ZXZ", angles, rates, np.zeros((COUNT, 3)))
    still = np.zeros((COUNT, 3))
    motion = Motion(still, still, still, R, dR, ddR)
    m, g = 2.0, 9.81
    l = mgl / (m * g)  # noqa: E741
    body = Body(m, Vec3(0, 0, l), SymMat3.diagonal(A - m * l * l, A - m * l * l, C))
    _, t_Bo = newton_euler.world_wrench(
        body, rigid_body.Mat3.from_array(R), vec(motion.w), vec(motion.alpha), Vec3.zero(), Vec3(0, 0, -g)
    )
    close(t_Bo, np.zeros(3), 1e-13)
    # Of both rates that belong to a spin the slow one is found; the other follows from their product.
    slow = heavy_top.slow_precession(mgl, A, C, spin, beta)
    fast = mgl / (A * np.cos(beta) * slow)
    nearest = np.minimum(np.abs(slow - rate), np.abs(fast - rate)) / np.abs(rate)
    assert np.max(nearest) < 1e-7  # where both nearly agree, half the digits go
    assert np.median(nearest) < 1e-15
    assert np.all(np.abs(slow) <= np.abs(fast) * (1 + 1e-7))


def test_a_top_too_slow_to_precess_gives_nan():
    assert np.isnan(heavy_top.slow_precession(1.0, 1.0, 1.0, 0.1, 0.2))


def test_a_sleeping_top_falls_when_its_margin_is_negative():
    """Proves: A(15)"""
    mgl, A, C = tops(30)
    w3 = rng(31).uniform(-6, 6, COUNT)
    p = casadi.SX.sym("p", 4)
    x = casadi.SX.sym("x", 6)  # angular velocity and the direction of gravity, in the body
    w, down = Vec3(*(x[i] for i in range(3))), Vec3(*(x[i] for i in range(3, 6)))
    J = SymMat3.diagonal(p[1], p[1], p[2])
    tau = cross(Vec3(0.0, 0.0, 1.0), down) * p[0]
    _, alpha = quaternion_lagrangian.euler_equations(Quaternion(1.0, 0.0, 0.0, 0.0), w, J, tau)
    rate = casadi.vertcat(*alpha, *(-cross(w, down)))
    linear = casadi.Function("A", [x, p], [casadi.jacobian(rate, x)])
    margin = heavy_top.sleeping_top_margin(mgl, A, C, w3)
    for k in range(COUNT):
        upright = np.array(linear([0, 0, w3[k], 0, 0, -1], [mgl[k], A[k], C[k], 0]))
        growth = np.max(np.linalg.eigvals(upright).real)
        # A pair λ = (…) ± √−margin / 2A; the zero eigenvalues come out to the root of rounding.
        close(growth, np.sqrt(max(-margin[k], 0)) / (2 * A[k]), 1e-6)
    assert 0.2 < np.mean(margin > 0) < 0.8


# ---- motions -------------------------------------------------------------------------------------


def simulated(rate, start, times):
    solution = solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=1e-13, atol=1e-14)
    return solution.y.T


def pivoted(body, g):
    """A body on a fixed point: state q, ω; weight acts at the centre of mass."""

    def rate(_, state):
        q, w = Quaternion(*state[:4].tolist()), Vec3(*state[4:].tolist())
        tau = cross(body.p_BBcm, q.normalised().inverse_rotate(g)) * body.mass
        return [x for part in quaternion_lagrangian.euler_equations(q, w, body.I_Bo_B, tau) for x in part]

    return rate


def test_a_free_body_follows_its_parabola_and_keeps_its_spin():
    """Proves: A(13), G(29)"""
    body, g = body_of(Cloud.random(rng(32))), Vec3(0.5, -1.0, -3.0)

    def parts(state):
        numbers = list(map(float, state))
        return Vec3(*numbers[:3]), Quaternion(*numbers[3:7]), Vec3(*numbers[7:10]), Vec3(*numbers[10:])

    def rate(_, state):
        _, q, v_B, w_B = parts(state)
        unit = q.normalised()
        dv, alpha = newton_euler.body_acceleration(
            body, v_B, w_B, Vec3.zero(), Vec3.zero(), unit.inverse_rotate(g)
        )
        return [*unit.rotate(v_B), *q.derivative(w_B), *dv, *alpha]

    start = np.array([0.3, 0.1, -0.4, 0.5, 0.5, -0.5, 0.5, 1.0, -2.0, 0.7, 1.5, -0.8, 2.0])
    times = np.linspace(0, 4, 5)
    rows = simulated(rate, start, times)

    def watched(state):
        p, q, v_B, w_B = parts(state)
        q = q.normalised()
        R, v = q.to_matrix(), q.rotate(v_B)
        centre = p + R @ body.p_BBcm
        E = rigid_body.kinetic_energy(body, R, v, w_B) + rigid_body.potential_energy(body, R, p, g)
        H = rigid_body.angular_momentum(body, R, -(R @ body.p_BBcm), v, w_B)
        return array(centre), array(rigid_body.linear_momentum(body, R, v, w_B)), E, array(H)

    centre0, L0, E0, H0 = watched(start)
    for t, row in zip(times, rows, strict=True):
        centre, L, E, H = watched(row)
        # Errors of an integrator told to keep 1e-13 a step, over some hundred steps.
        close(centre, centre0 + L0 / body.mass * t + array(g) * t * t / 2, 1e-11)
        close(L, L0 + array(g) * body.mass * t, 1e-11)
        close(E, E0, 1e-11)
        close(H, H0, 1e-11)


def test_a_top_precesses_steadily():
    """Proves: A(15)"""
    body, g = Body(2.0, Vec3(0.0, 0.0, 0.4), SymMat3.diagonal(0.5, 0.5, 0.3)), 9.81
    A, C, mgl, beta = body.I_Bo_B.xx, 0.3, 2.0 * 0.4 * g, 0.7
    slow = heavy_top.slow_precession(mgl, A, C, 25.0, beta)
    spin = 25.0 - slow * np.cos(beta)
    convention = AngleConvention("ZXZ")
    angles = lambda t: Vec3(slow * t, beta, spin * t)
    w0 = convention.body_rate_map(angles(0.0)) @ Vec3(slow, 0.0, spin)
    close(w0.z, 25.0)
    start = [*convention.to_quaternion(angles(0.0)), *w0]
    times = np.array([0.0, 1.0, 3.0])
    for t, row in zip(times, simulated(pivoted(body, Vec3(0.0, 0.0, -g)), start, times), strict=True):
        turn = lambda axis, angle: rodrigues(np.eye(3)[axis], np.array(angle))
        exact = turn(2, slow * t) @ turn(0, beta) @ turn(2, spin * t)
        close(Quaternion(*row[:4]).to_matrix(), exact, 1e-11)


@pytest.mark.parametrize(
    ("body", "q", "w", "t", "w_then", "centre_then"),
    [
        (
            Body(15.0, Vec3(0.0, 1.0, 0.0), SymMat3.diagonal(0.234375, 0.46875, 0.234375)),
            (1.0, 0.0, 0.0, 0.0),
            (0.0, 150.0, -4.61538),
            0.2,
            (-2.6915909121434086214, 150.0, 4.9172609898939944171),
            (0.60555056137711977014, 0.59895768179491915768, -0.52398302743000318478),
        ),
        (
            Body(1.0, Vec3(0.0, 0.0, 1.0), SymMat3.diagonal(4.0, 4.0, 1.0)),
            (np.cos(0.15), np.sin(0.15), 0.0, 0.0),
            (0.0, 0.0, 50.0),
            1.0,
            (-0.13410072753645736978, 0.2172130314974356976, 50.0),
            (0.12709142991870377342, -0.29440977976675337415, 0.9471909258533418736),
        ),
    ],
    ids=["Geradin and Cardona", "Simo and Wong"],
)
def test_heavy_tops_of_the_literature(body, q, w, t, w_then, centre_then):
    """References of 18 digits, from 128-bit Taylor integration. The second one has m g l = 20."""
    g = 9.81 if body.mass == 15.0 else 20.0
    row = simulated(pivoted(body, Vec3(0.0, 0.0, -g)), [*q, *w], np.array([0.0, t]))[-1]
    close(row[4:], w_then, 1e-11)
    close(Quaternion(*row[:4]).normalised().rotate(body.p_BBcm), centre_then, 1e-10)


# ---- one meaning on every kind of scalar ---------------------------------------------------------


def a_body(a, b, c, m):
    """An inertia that is positive definite for any numbers, a centre of mass off the origin."""
    points = [Vec3(a, b, c), Vec3(b, -c, a), Vec3(-c, a, b), Vec3(1, 2, a), Vec3(b, 0, 3)]
    return Body.of_points([1 + m * m, 2, 1, 3, 1 + a * a], points)


def everything(q0, q1, q2, q3, a, b, c, m, *rest):
    q, body = Quaternion(q0, q1, q2, q3).normalised(), a_body(a, b, c, m)
    w, alpha, v, f = (Vec3(*rest[i : i + 3]) for i in (0, 3, 6, 9))
    R, g, J = q.to_matrix(), Vec3(0.5, -1, -9), body.I_Bcm_B
    dq = q.derivative(w)
    moments, R_BP = principal_axes(body.I_Bo_B)
    ordered, _ = principal_axes(J, ascending=True)
    return flat(
        [
            *(body.mass, body.p_BBcm, body.I_Bo_B, body.in_frame(Pose(q, v)).I_Bo_B, moments, R_BP, ordered),
            *(
                rigid_body.point_spin(w, v),
                rigid_body.point_swing(w, v),
                rigid_body.point_swing_squared(w, v),
            ),
            *(rigid_body.linear_momentum(body, R, v, w), rigid_body.angular_momentum(body, R, f, v, w)),
            *(rigid_body.spin_momentum(body, w), rigid_body.spin_momentum_in_world(body, R, w)),
            *(rigid_body.kinetic_energy(body, R, v, w), rigid_body.potential_energy(body, R, f, g)),
            *newton_euler.resultant([(f, v), (v, w)], alpha),
            newton_euler.angular_momentum_rate(body, R, f, w, alpha, v),
            newton_euler.moment_about_world(body, R, v, f, w, g),
            newton_euler.moment_about_origin(body, R, v, f, g),
            newton_euler.spin_momentum_rate(body, w, alpha),
            *newton_euler.world_wrench(body, R, w, alpha, v, g),
            *newton_euler.world_acceleration(body, R, w, f, v, g),
            newton_euler.origin_acceleration(v, f, w),
            *newton_euler.body_wrench(body, w, alpha, v, g),
            *newton_euler.body_acceleration(body, v, w, f, alpha, g),
            *newton_euler.spatial_inertia(body).rows,
            *newton_euler.spatial_bias(body, v, w),
            newton_euler.principal_torque(moments, w, alpha),
            quaternion_lagrangian.lagrangian(q, dq, J),
            *quaternion_lagrangian.lagrangian_gradients(q, dq, J),
            quaternion_lagrangian.lagrange_residual(q, dq, J, alpha, f, m),
            quaternion_lagrangian.following_turn(q, dq),
            quaternion_lagrangian.virtual_work(v, f, m),
            *quaternion_lagrangian.euler_equations(q, w, J, f),
            heavy_top.steady_precession_residual(a, b, c, m, a, b),
            heavy_top.steady_precession_spin(a, 1 + b * b, 1 + c * c, 1 + m * m, b),
            heavy_top.slow_precession(a * a, 1 + b * b, 1, 9 + a * a, b),
            heavy_top.sleeping_top_margin(a, b, c, m),
        ]
    )


SAMPLES = rng(33).normal(size=(20, 20))


@pytest.mark.parametrize("kind", [*KINDS, "graph"])
def test_equations_on_every_kind_of_scalar(kind):
    exact = on_mpmath(everything, SAMPLES).astype(float)
    found = {**KINDS, "graph": on_graph}[kind](everything, SAMPLES)
    scale = np.maximum(1, np.max(np.abs(exact), axis=0))
    np.testing.assert_allclose(found / scale, exact / scale, rtol=0, atol=1e-13)


def test_identities_hold_to_1e_45_at_fifty_digits():
    """Momenta, energy and rates are sums over points, and each solved form undoes its counterpart."""

    def identities(q0, q1, q2, q3, a, b, c, m, *rest):
        q = Quaternion(q0, q1, q2, q3).normalised()
        masses = [1 + m * m, 2, 1, 3]
        points = [Vec3(a, b, c), Vec3(b, -c, a), Vec3(-c, a, b), Vec3(1, 2, a)]
        body = Body.of_points(masses, points)
        w, alpha, v, acc = (Vec3(*rest[i : i + 3]) for i in (0, 3, 6, 9))
        R, g, p = q.to_matrix(), Vec3(0.5, -1, -9), alpha
        w_W, alpha_W = R @ w, R @ alpha
        L = H = dL = dH = Vec3.zero()
        T = 0
        for mass, r_B in zip(masses, points, strict=True):
            r = R @ r_B
            velocity = v + cross(w_W, r)
            acceleration = acc + cross(alpha_W, r) + cross(w_W, cross(w_W, r))
            L, H = L + velocity * mass, H + cross(p + r, velocity) * mass
            dL, dH = dL + acceleration * mass, dH + cross(p + r, acceleration) * mass
            T = T + velocity.norm_squared() * mass / 2
        f_W, t_W = newton_euler.world_wrench(body, R, w_W, alpha_W, acc, g)
        f_B, t_B = newton_euler.body_wrench(body, w, alpha, R.T @ acc, R.T @ g)
        a_back, alpha_back = newton_euler.world_acceleration(body, R, w_W, f_W, t_W, g)
        dv, alpha_B = newton_euler.body_acceleration(body, R.T @ v, w, f_B, t_B, R.T @ g)
        return flat(
            [
                rigid_body.linear_momentum(body, R, v, w) - L,
                rigid_body.angular_momentum(body, R, p, v, w) - H,
                newton_euler.momentum_rate(body, R, w_W, alpha_W, acc) - dL,
                newton_euler.angular_momentum_rate(body, R, p, w_W, alpha_W, acc) - dH,
                newton_euler.moment_about_world(body, R, p, f_W, t_W, g) - dH,
                rigid_body.kinetic_energy(body, R, v, w) - T,
                *(f_W - R @ f_B, t_W - R @ t_B, a_back - acc, alpha_back - alpha_W, alpha_B - alpha),
                newton_euler.origin_acceleration(R.T @ v, dv, w) - R.T @ acc,
            ]
        )

    with mpmath.workdps(PRECISE):
        assert max(map(abs, on_mpmath(identities, SAMPLES).ravel())) < mpmath.mpf(10) ** -45


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "says", "advises"),
    [
        (lambda: Body(1.0, [0, 0, 0], SymMat3.identity()), r"p_BBcm is \[0, 0, 0\]", r"Vec3\.from_array"),
        (lambda: Body(1.0, Vec3.zero(), np.eye(3)), "I_Bcm_B is .* needs a SymMat3", r"SymMat3\.from_array"),
        (lambda: Body.of_points([1.0], []), "1 masses and 0 points", "as many masses as points"),
        (lambda: Body.of_points([], []), "0 masses and 0 points", "at least one"),
        (lambda: Body(1, Vec3.zero(), SymMat3.identity()).in_frame(np.eye(4)), "X_BN is", "Pose"),
        (lambda: principal_axes(np.eye(3)), "I_B is .* needs a SymMat3", r"SymMat3\.from_array"),
        (lambda: rigid_body.world_inertia(np.eye(3), np.eye(3)), "I_B is", r"SymMat3\.from_array"),
    ],
)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*{advises}"):
        attempt()
