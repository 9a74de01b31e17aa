"""Lagrange's equations in three angles, in all 24 conventions, against point masses and against the quaternion's."""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import AngleConvention, ArgumentError, Mat3, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.equations import euler_angles, newton_euler, quaternion_lagrangian, rigid_body
from quatrain.equations import euler_angles_about_point as about_point
from quatrain.equations.rigid_body import Body
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
from tests.samples import rng
from tests.test_rotations import LETTERS, sample
from tests.truth.point_masses import AnglePartials, Cloud, Motion, transposed, turns
from tests.truth.rotations import cross_matrix

MARGIN = 0.3  # of the middle angle from the singularity [rad]; what is inverted loses up to 1/sin² 0.3 = 11
G = np.array([0.3, -0.2, -9.7])
RPY, ZXZ = AngleConvention("rpy"), AngleConvention("ZXZ")


@dataclass
class Case:
    """A cloud whose angles move with given rates and accelerations, and R's partial derivatives by them."""

    letters: str
    centred: bool = True

    def __post_init__(self):
        seed = LETTERS.index(self.letters)
        self.convention = AngleConvention(self.letters)
        self.cloud = Cloud.random(rng(seed), centred=self.centred)
        self.body = body_of(self.cloud)
        angles = sample(self.letters, seed, COUNT, MARGIN)
        random = rng(seed + 100)
        p, v, a, rates, accelerations = random.normal(size=(5, COUNT, 3))
        R, dR, ddR = turns(self.letters, angles, rates, accelerations)
        self.motion = Motion(p, v, a, R, dR, ddR)
        self.partials = AnglePartials.of(self.letters, angles)
        self.r, self.dr, self.ddr = self.cloud.at(self.motion)
        self.rates_array = rates
        self.angles, self.rates, self.accelerations = vec(angles), vec(rates), vec(accelerations)
        self.p, self.v, self.a, self.g = vec(p), vec(v), vec(a), Vec3(*G)
        self.I_B = self.body.I_Bo_B

    def point_partials(self):
        """∂r/∂q_k of the points in W, for all six coordinates: (6, n, points, 3)."""
        shape = self.r.shape
        moved = [np.broadcast_to(e, shape) for e in np.eye(3)]
        turned = [np.einsum("nij,kj->nki", d, self.cloud.points) for d in self.partials.first]
        return np.array([*moved, *turned])

    def generalised(self, forces):
        """Σ F·∂r/∂q_k of forces (n, points, 3) in W on the points, for all six coordinates: (n, 6)."""
        return np.einsum("nki,qnki->nq", forces, self.point_partials())

    def needed(self):
        """The forces besides weight that give the points their accelerations, in W."""
        return self.cloud.masses[:, None] * (self.ddr - G)

    def resultant(self, forces):
        """Their sum in W, and their moment about the origin in the body."""
        moment = np.sum(np.cross(self.r - self.motion.p[:, None], forces), axis=1)
        return vec(np.sum(forces, axis=1)), vec(transposed_times(self.motion.R, moment))

    def mass_matrix_partials(self):
        return [self.partials.mass_matrix_partial(self.cloud, x) for x in range(3)]


CASES = {letters: Case(letters) for letters in LETTERS}
OFF_CENTRE = {letters: Case(letters, centred=False) for letters in LETTERS}


@pytest.fixture(params=LETTERS)
def case(request):
    return CASES[request.param]


@pytest.fixture(params=LETTERS)
def off_centre(request):
    return OFF_CENTRE[request.param]


# ---- the rate map and the mass matrix ------------------------------------------------------------


def test_partials_of_the_rate_map(case):
    """Proves: Y(91)"""
    close(euler_angles.rate_map(case.convention, case.angles), case.partials.rate_map())
    for x, found in enumerate(euler_angles.rate_map_partials(case.convention, case.angles)):
        close(found, case.partials.rate_map_partial(x))


def test_the_mass_matrix_is_that_of_the_points(case):
    """Proves: Y(85), Y(86), Y(89), Y(91), A(17)"""
    M = euler_angles.mass_matrix(case.convention, case.I_B, case.angles)
    close(M, case.partials.mass_matrix(case.cloud))
    determinant = euler_angles.mass_matrix_determinant(case.convention, case.I_B, case.angles)
    close(determinant, np.linalg.det(array(M)))
    middle = np.sin if case.letters[0] == case.letters[2] else np.cos
    printed = np.linalg.det(case.cloud.inertia(np.zeros(3))) * middle(array(case.angles)[:, 1]) ** 2
    close(determinant, printed)
    assert np.min(np.linalg.eigvalsh(array(M))) > 0
    energy = case.cloud.total(np.sum(case.dr**2, axis=-1)) / 2
    found = euler_angles.kinetic_energy(
        case.convention, case.body.mass, case.I_B, case.v, case.angles, case.rates
    )
    close(found, energy)
    exact = case.mass_matrix_partials()
    partials = euler_angles.mass_matrix_partials(case.convention, case.I_B, case.angles)
    for one, typed in zip(partials, exact, strict=True):
        close(one, typed)
    rate = euler_angles.mass_matrix_rate(case.convention, case.I_B, case.angles, case.rates)
    close(rate, np.einsum("xnij,nx->nij", exact, case.rates_array))


# ---- Lagrange's equations ------------------------------------------------------------------------


def test_the_lagrangian_and_its_derivatives(case):
    """Proves: Y(83), Y(85), Y(87), Y(88), Y(89), Y(90)"""
    mass, convention, cloud = case.body.mass, case.convention, case.cloud
    args = convention, mass, case.I_B
    found = euler_angles.lagrangian(*args, case.p, case.v, case.angles, case.rates, case.g)
    close(found, cloud.total(np.sum(case.dr**2, axis=-1)) / 2 + cloud.total(case.r @ G))
    # ∂T/∂q̇_k = Σ m v·∂r/∂q_k, because ∂v/∂q̇_k = ∂r/∂q_k.
    momenta = case.generalised(cloud.masses[:, None] * case.dr)
    p1, p2 = euler_angles.generalised_momenta(*args, case.v, case.angles, case.rates)
    close(p1, momenta[:, :3])
    close(p2, momenta[:, 3:])
    # ∂L/∂q_k = Σ m (v·∂v/∂q_k + g·∂r/∂q_k), with ∂v/∂x = Σ_j q̇_j ∂_x∂_jR r.
    by_position = case.generalised(np.broadcast_to(cloud.masses[:, None] * G, case.r.shape))
    velocity_partials = np.einsum("nj,xjnab,kb->xnka", case.rates_array, case.partials.second, cloud.points)
    by_angle = np.einsum("k,nka,xnka->nx", cloud.masses, case.dr, velocity_partials)
    L1, L2 = euler_angles.lagrangian_gradients(*args, case.angles, case.rates, case.g)
    close(L1, by_position[:, :3])
    close(by_position[:, 3:], np.zeros(3), 1e-13)  # weight has no moment about the centre of mass
    close(L2, by_angle)
    # d/dt of the momenta: Σ m (a·∂r/∂q_k + v·∂v/∂q_k).
    dp1, dp2 = euler_angles.generalised_momentum_rates(
        *args, case.a, case.angles, case.rates, case.accelerations
    )
    inertial = case.generalised(cloud.masses[:, None] * case.ddr)
    close(dp1, inertial[:, :3])
    close(dp2, inertial[:, 3:] + by_angle)
    # Printed, Y(88) has g in body components.
    differs(cloud.mass * transposed_times(case.motion.R, np.broadcast_to(G, (COUNT, 3))), by_position[:, :3])


def test_lagranges_equations_are_dalemberts_principle(case):
    """Proves: Y(84), Y(92), Y(93), Y(97), Y(98)"""
    exact = case.generalised(case.needed())
    f, t = case.resultant(case.needed())
    args = case.convention, case.body.mass, case.I_B, case.a, case.angles, case.rates, case.accelerations
    tau1, tau2 = euler_angles.lagrange_equations(*args, case.g)
    close(tau1, exact[:, :3])
    close(tau2, exact[:, 3:])
    forces = euler_angles.generalised_forces(case.convention, case.angles, f, t)
    close(forces[0], exact[:, :3])
    close(forces[1], exact[:, 3:])
    arguments = case.convention, case.I_B, case.angles, case.rates
    close(euler_angles.angle_forces(*arguments, case.accelerations), exact[:, 3:])
    close(euler_angles.angle_accelerations(*arguments, forces[1]), case.accelerations, 1e-12)
    # Printed, τ₁ and the weight are in body components: both wrong by a rotation.
    differs(transposed_times(case.motion.R, array(f)), exact[:, :3])
    printed = case.cloud.mass * (case.motion.a - case.motion.to_body(np.broadcast_to(G, (COUNT, 3))))
    differs(printed, exact[:, :3])
    # Corrected, Y(92) is Y(73): the world's axes. Rᵀ times it is Y(77).
    world = newton_euler.world_wrench(
        case.body, Mat3.from_array(case.motion.R), vec(case.motion.w), vec(case.motion.alpha), case.a, case.g
    )
    close(tau1, world[0])


def test_virtual_work(case):
    """Proves: Y(94), Y(95), Y(96), Y(97)"""
    random = rng(200)
    forces = random.normal(size=case.r.shape)  # in W
    dp, dangles = random.normal(size=(2, COUNT, 3))
    displaced = np.einsum("qnki,nq->nki", case.point_partials(), np.concatenate([dp, dangles], axis=-1))
    for k, r_B in enumerate(case.cloud.points):
        relative = transposed_times(case.motion.R, displaced[:, k] - dp)
        found = euler_angles.virtual_displacement(case.convention, case.angles, Vec3(*r_B), vec(dangles))
        close(found, relative)
    work = np.sum(forces * displaced, axis=(1, 2))
    f, t = case.resultant(forces)
    close(euler_angles.virtual_work(case.convention, case.angles, f, t, vec(dp), vec(dangles)), work)
    tau = case.generalised(forces)
    tau1, tau2 = euler_angles.generalised_forces(case.convention, case.angles, f, t)
    close(tau1, tau[:, :3])
    close(tau2, tau[:, 3:])
    close(dot(tau1, vec(dp)) + dot(tau2, vec(dangles)), work)
    # τ₂ as printed, −Wᵀ Σ S(r_ib)ᵀ F_i, is right.
    W = euler_angles.rate_map(case.convention, case.angles)
    moments = [
        times(-transposed(cross_matrix(r_B)), case.motion.to_body(forces[:, k]))
        for k, r_B in enumerate(case.cloud.points)
    ]
    close(tau2, transposed_times(W, sum(moments)))
    # Printed: (δr_o)_B = δq₁, and the forces of the first term in body components.
    in_body = np.sum(transposed_times(case.motion.R, array(f)) * dp, axis=-1) + array(dot(tau2, vec(dangles)))
    differs(in_body, work)


# ---- C and the equations of motion ---------------------------------------------------------------


def test_coriolis_matrices(case):
    """Proves: Y(98), Y(99), Y(100), Y(101), A(16), A(17)"""
    arguments = case.convention, case.I_B, case.angles, case.rates
    M_x = case.mass_matrix_partials()
    dM = np.einsum("xnij,nx->nij", M_x, case.rates_array)
    D = np.einsum("xnij,nj->nix", M_x, case.rates_array)
    close(euler_angles.mass_matrix_partials_times_rates(*arguments), D)
    close(times(dM, case.rates_array), times(D, case.rates_array))
    C, closed = euler_angles.coriolis_matrix(*arguments), euler_angles.coriolis_matrix_closed(*arguments)
    close(C, (dM + D - transposed(D)) / 2)
    close(dM - 2 * array(C), transposed(D) - D)
    # d'Alembert without accelerations: what is left of Σ m a·∂r/∂q_k.
    M = case.partials.mass_matrix(case.cloud)
    exact = case.generalised(case.cloud.masses[:, None] * case.ddr)[:, 3:] - times(
        M, array(case.accelerations)
    )
    for matrix in (C, closed):
        close(matrix @ case.rates, exact)
        rest = dM - 2 * array(matrix)
        close(rest, -transposed(rest))
    differs(closed, C, 0.01)
    # The tempting Wᵀ (I Ẇ + S(ω) I W) gives the same force, and no skew matrix.
    W = case.partials.rate_map()
    dW = array(case.convention.body_rate_map_derivative(case.angles, case.rates))
    I, w = case.cloud.inertia(np.zeros(3)), case.motion.to_body(case.motion.w)  # noqa: E741
    tempting = transposed(W) @ (I @ dW + cross_matrix(w) @ I @ W)
    close(times(tempting, case.rates_array), exact)
    rest = dM - 2 * tempting
    differs(rest, -transposed(rest))


def test_torque_in_the_body_and_the_quaternions_equations(case):
    """Proves: Y(82), Y(93), Y(98)"""
    arguments = case.convention, case.I_B, case.angles, case.rates
    _, torque = case.resultant(case.cloud.masses[:, None] * case.ddr)
    close(euler_angles.body_torque(*arguments, case.accelerations), torque)
    # Y(93) is Wᵀ times Y(82).
    W = euler_angles.rate_map(case.convention, case.angles)
    close(W.T @ torque, euler_angles.angle_forces(*arguments, case.accelerations))
    # The same state as quaternion and ω gives the same ω̇, for any torque.
    load = vec(rng(201).normal(size=(COUNT, 3)))
    q = case.convention.to_quaternion(case.angles)
    w = W @ case.rates
    dq, alpha = quaternion_lagrangian.euler_equations(q, w, case.I_B, load)
    ddq2 = euler_angles.angle_accelerations(*arguments, W.T @ load)
    dW = case.convention.body_rate_map_derivative(case.angles, case.rates)
    close(W @ ddq2 + dW @ case.rates, alpha, 1e-12)
    close(dq, q.derivative(w))
    _, alpha = newton_euler.body_acceleration(
        Body(case.body.mass, Vec3.zero(), case.I_B), case.v, w, load, load, Vec3.zero()
    )
    close(W @ ddq2 + dW @ case.rates, alpha, 1e-12)


# ---- the typed-out formulas of the reference -----------------------------------------------------


def columns(rows):
    """Typed rows of columns as an array (n, 3, 3)."""
    zero = np.zeros(COUNT)
    return np.moveaxis(np.array([[entry + zero for entry in row] for row in rows]), -1, 0)


def test_roll_pitch_yaw_as_printed():
    """Proves: Y(82), Y(86), Y(91)"""
    random = rng(202)
    (phi, theta, psi), (dphi, dtheta, dpsi) = (
        random.uniform(-1.3, 1.3, (3, COUNT)),
        random.normal(size=(2, 3, COUNT))[0],
    )
    angles, rates = Vec3(phi, theta, psi), Vec3(dphi, dtheta, dpsi)
    S, C = (np.sin(phi), np.sin(theta)), (np.cos(phi), np.cos(theta))
    (sf, st), (cf, ct) = S, C
    close(euler_angles.rate_map(RPY, angles), columns([[1, 0, -st], [0, cf, sf * ct], [0, -sf, cf * ct]]))
    dW = columns(
        [
            [0, 0, -dtheta * ct],
            [0, -dphi * sf, dphi * cf * ct - dtheta * sf * st],
            [0, -dphi * cf, -dphi * sf * ct - dtheta * cf * st],
        ]
    )
    close(RPY.body_rate_map_derivative(angles, rates), dW)
    omega = [dphi - dpsi * st, dtheta * cf + dpsi * sf * ct, -dtheta * sf + dpsi * cf * ct]
    close(euler_angles.rate_map(RPY, angles) @ rates, np.stack(omega, axis=-1))
    by_phi, by_theta, by_psi = euler_angles.rate_map_partials(RPY, angles)
    close(by_phi, columns([[0, 0, 0], [0, -sf, cf * ct], [0, -cf, -sf * ct]]))
    close(by_theta, columns([[0, 0, -ct], [0, 0, -sf * st], [0, 0, -cf * st]]))
    close(by_psi, np.zeros((3, 3)), 0)
    I1, I2, I3 = 1.3, 2.1, 2.7
    typed = columns(
        [
            [I1, 0, -I1 * st],
            [0, I2 * cf**2 + I3 * sf**2, (I2 - I3) * sf * cf * ct],
            [-I1 * st, (I2 - I3) * sf * cf * ct, I1 * st**2 + (I2 * sf**2 + I3 * cf**2) * ct**2],
        ]
    )
    close(euler_angles.mass_matrix(RPY, SymMat3.diagonal(I1, I2, I3), angles), typed)
    close(
        euler_angles.mass_matrix_determinant(RPY, SymMat3.diagonal(I1, I2, I3), angles), I1 * I2 * I3 * ct**2
    )
    # Y(82) as typed, with S(ω) of the typed ω.
    I, W = np.diag([I1, I2, I3]), array(euler_angles.rate_map(RPY, angles))  # noqa: E741
    q, ddq = array(rates), random.normal(size=(COUNT, 3))
    omega = cross_matrix(np.stack(omega, axis=-1))
    typed = times(I @ W, ddq) + times(I @ dW, q) + times(omega @ I @ W, q)
    close(euler_angles.body_torque(RPY, SymMat3.diagonal(I1, I2, I3), angles, rates, vec(ddq)), typed)


def test_z_x_z_as_printed():
    """Proves: A(17)"""
    random = rng(203)
    alpha, beta, gamma = random.uniform(0.3, 2.8, (3, COUNT))
    da, db, dc = random.normal(size=(3, COUNT))
    angles, rates = Vec3(alpha, beta, gamma), Vec3(da, db, dc)
    sb, cb, sc, cc = np.sin(beta), np.cos(beta), np.sin(gamma), np.cos(gamma)
    B = columns([[sb * sc, cc, 0], [sb * cc, -sc, 0], [cb, 0, 1]])
    dB = columns(
        [
            [db * cb * sc + dc * sb * cc, -dc * sc, 0],
            [db * cb * cc - dc * sb * sc, -dc * cc, 0],
            [-db * sb, 0, 0],
        ]
    )
    I1, I2, I3 = 1.3, 2.1, 2.7
    typed = columns(
        [
            [(I1 * sc**2 + I2 * cc**2) * sb**2 + I3 * cb**2, (I1 - I2) * sb * sc * cc, I3 * cb],
            [(I1 - I2) * sb * sc * cc, I1 * cc**2 + I2 * sc**2, 0],
            [I3 * cb, 0, I3],
        ]
    )
    I_B = SymMat3.diagonal(I1, I2, I3)
    close(euler_angles.mass_matrix(ZXZ, I_B, angles), typed)
    close(euler_angles.mass_matrix_determinant(ZXZ, I_B, angles), I1 * I2 * I3 * sb**2)
    I, w = np.diag([I1, I2, I3]), times(B, array(rates))  # noqa: E741
    closed = transposed(B) @ I @ dB - transposed(B) @ cross_matrix(w @ I) @ B
    close(euler_angles.coriolis_matrix_closed(ZXZ, I_B, angles, rates), closed)


# ---- about any body point ------------------------------------------------------------------------


def coupled(case):
    return case.convention, case.body, case.angles


def test_the_coupled_mass_matrix_is_that_of_the_points(off_centre):
    """Proves: A(18)"""
    case = off_centre
    steps = case.point_partials()
    exact = np.einsum("k,pnki,qnki->npq", case.cloud.masses, steps, steps)
    M = about_point.coupled_mass_matrix(*coupled(case))
    close(M, exact)
    assert np.min(np.linalg.eigvalsh(array(M))) > 0
    # Its partials: second derivatives of the points' positions.
    second = np.zeros((6, 6, *case.r.shape))
    second[3:, 3:] = np.einsum("xjnab,kb->xjnka", case.partials.second, case.cloud.points)
    products = np.einsum("k,xpnki,qnki->xnpq", case.cloud.masses, second, steps)
    M_x = products + transposed(products)
    for found, partial in zip(about_point.coupled_mass_matrix_partials(*coupled(case)), M_x[3:], strict=True):
        close(found, partial)
    # C = ½ (Ṁ + D − Dᵀ) with all six coordinates, and the closed one with the same C q̇.
    velocities = np.concatenate([case.motion.v, case.rates_array], axis=-1)
    dM = np.einsum("xnpq,nx->npq", M_x, velocities)
    D = np.einsum("xnpq,nq->npx", M_x, velocities)
    C = about_point.coupled_coriolis_matrix(*coupled(case), case.v, case.rates)
    close(C, (dM + D - transposed(D)) / 2)
    bias = about_point.coupled_bias(*coupled(case), case.rates)
    accelerations = np.concatenate([case.motion.a, array(case.accelerations)], axis=-1)
    inertial = case.generalised(case.cloud.masses[:, None] * case.ddr)
    exact = inertial - times(array(M), accelerations)
    close(np.concatenate([array(x) for x in bias], axis=-1), exact)
    for matrix in (C, about_point.coupled_coriolis_matrix_closed(*coupled(case), case.rates)):
        close(times(matrix, velocities), exact)
        rest = dM - 2 * array(matrix)
        close(rest, -transposed(rest))


def test_lagranges_equations_about_any_body_point(off_centre):
    """Proves: A(18)"""
    case = off_centre
    forces = case.needed()
    f, t = case.resultant(forces)
    weights = np.broadcast_to(case.cloud.masses[:, None] * G, case.r.shape)
    exact = case.generalised(forces + weights)
    tau = about_point.coupled_forces(*coupled(case), f, t, case.g)
    close(np.concatenate([array(x) for x in tau], axis=-1), exact)
    a, ddq2 = about_point.coupled_accelerations(*coupled(case), case.rates, *tau)
    close(a, case.a, 1e-12)
    close(ddq2, case.accelerations, 1e-12)
    # The same motion by Newton and Euler, in the world's axes.
    R = case.convention.to_matrix(case.angles)
    w = R @ (euler_angles.rate_map(case.convention, case.angles) @ case.rates)
    world = newton_euler.world_acceleration(case.body, R, w, f, R @ t, case.g)
    close(a, world[0], 1e-12)


# ---- motions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("letters", ["xyz", "ZXZ"])
def test_a_free_body_keeps_energy_and_momentum(letters):
    """Proves: Y(98), A(16)

    And it moves as the one that is carried by a quaternion, until the angles come near their singularity.
    """
    convention, I_B = AngleConvention(letters), SymMat3(1.3, 2.1, 2.7, 0.2, -0.1, 0.3)
    start, rates = Vec3(0.4, 0.9, -0.3), Vec3(0.5, 0.4, 0.6)
    w0 = convention.body_rate_map(start) @ rates
    closed = letters == "ZXZ"

    def by_angles(_, state):
        angles, rates = Vec3(*state[:3].tolist()), Vec3(*state[3:].tolist())
        if not closed:
            return [*rates, *euler_angles.angle_accelerations(convention, I_B, angles, rates, Vec3.zero())]
        force = euler_angles.coriolis_matrix_closed(convention, I_B, angles, rates) @ rates
        M = euler_angles.mass_matrix(convention, I_B, angles)
        return [*rates, *(M.inverse() @ -force)]

    def by_quaternion(_, state):
        q, w = Quaternion(*state[:4].tolist()), Vec3(*state[4:].tolist())
        dq, alpha = quaternion_lagrangian.euler_equations(q, w, I_B, Vec3.zero())
        return [*dq, *alpha]

    stops = np.linspace(0, 1.5, 4)
    solve = lambda rate, y: solve_ivp(rate, (0, 1.5), y, "DOP853", stops, rtol=1e-13, atol=1e-14).y.T
    along = solve(by_angles, [*start, *rates])
    other = solve(by_quaternion, [*convention.to_quaternion(start), *w0])
    E0 = I_B.quadratic_form(w0) / 2
    H0 = convention.to_matrix(start) @ (I_B @ w0)
    for row, peer in zip(along, other, strict=True):
        angles, rates = Vec3(*row[:3]), Vec3(*row[3:])
        assert euler_angles.distance_from_singularity(convention, angles) > 0.1
        R, w = convention.to_matrix(angles), convention.body_rate_map(angles) @ rates
        energy = euler_angles.kinetic_energy(convention, 1.0, I_B, Vec3.zero(), angles, rates)
        # Errors of an integrator told to keep 1e-13 a step.
        close(energy, E0, 1e-12)
        close(R @ (I_B @ w), H0, 1e-12)
        close(R, Quaternion(*peer[:4]).normalised().to_matrix(), 1e-12)
        close(w, peer[4:], 1e-12)


# ---- the singularity -----------------------------------------------------------------------------


@pytest.mark.parametrize("letters", LETTERS)
def test_at_the_singularity_the_mass_matrix_is_only_semidefinite(letters):
    """Proves: Y(86)"""
    convention, I_B = AngleConvention(letters), SymMat3(1.3, 2.1, 2.7, 0.2, -0.1, 0.3)
    singular = 0.0 if letters[0] == letters[2] else np.pi / 2
    M = array(euler_angles.mass_matrix(convention, I_B, Vec3(0.3, singular, -0.8)))
    values = np.linalg.eigvalsh(M)
    assert abs(values[0]) < 1e-15 * values[2]
    assert values[1] > 0.1
    for away in (0.0, 1e-9, 1e-3, 0.7, np.pi / 2):
        for side in (-away, away):
            found = euler_angles.distance_from_singularity(convention, Vec3(0.3, singular + side, -0.8))
            close(found, away, 2e-16)
    with pytest.raises(ArgumentError, match=r"(?s)stand at their singularity.*To fix: carry .* quaternion"):
        euler_angles.angle_accelerations(
            convention, I_B, Vec3(0.3, singular, -0.8), Vec3(1.0, 1.0, 1.0), Vec3.zero()
        )


def test_how_angles_and_their_accelerations_grow_near_the_singularity():
    I_B, w = SymMat3.diagonal(1.0, 2.0, 3.0), Vec3(0.5, 1.0, 0.7)
    size = {}
    for gap in (1e-2, 1e-3):
        angles = Vec3(0.2, np.pi / 2 - gap, 0.1)
        rates = RPY.inverse_body_rate_map(angles) @ w
        accelerations = euler_angles.angle_accelerations(RPY, I_B, angles, rates, Vec3.zero())
        determinant = euler_angles.mass_matrix_determinant(RPY, I_B, angles)
        size[gap] = np.array([rates.norm(), accelerations.norm(), determinant])
    np.testing.assert_allclose(size[1e-3] / size[1e-2], [10, 100, 0.01], rtol=0.02)


# ---- one meaning on every kind of scalar ---------------------------------------------------------


def everything(convention):
    def values(q0, q1, q2, m, a, b, c, *rest):
        angles = Vec3(q0, q1, q2)
        rates, accelerations, v, f, t = (Vec3(*rest[i : i + 3]) for i in (0, 3, 6, 9, 12))
        points = [Vec3(a, b, c), Vec3(b, -c, a), Vec3(-c, a, b), Vec3(1, 2, a), Vec3(b, 0, 3)]
        body = Body.of_points([1 + m * m, 2, 1, 3, 1 + a * a], points)
        g, I_B, whole = Vec3(0.5, -1, -9), body.I_Bo_B, (convention, body, angles)
        state = convention, I_B, angles, rates
        massive = convention, body.mass, I_B
        return flat(
            [
                *euler_angles.rate_map_partials(convention, angles),
                euler_angles.distance_from_singularity(convention, angles),
                euler_angles.mass_matrix(convention, I_B, angles),
                euler_angles.mass_matrix_determinant(convention, I_B, angles),
                *euler_angles.mass_matrix_partials(convention, I_B, angles),
                euler_angles.mass_matrix_rate(*state),
                euler_angles.lagrangian(*massive, f, v, angles, rates, g),
                *euler_angles.generalised_momenta(*massive, v, angles, rates),
                *euler_angles.lagrange_equations(*massive, v, angles, rates, accelerations, g),
                euler_angles.virtual_displacement(convention, angles, f, v),
                euler_angles.virtual_work(convention, angles, f, t, v, rates),
                *euler_angles.generalised_forces(convention, angles, f, t),
                euler_angles.coriolis_matrix(*state),
                euler_angles.coriolis_matrix_closed(*state),
                euler_angles.angle_forces(*state, accelerations),
                euler_angles.angle_accelerations(*state, t),
                euler_angles.body_torque(*state, accelerations),
                *about_point.coupled_mass_matrix(*whole).rows,
                *about_point.coupled_bias(*whole, rates),
                *about_point.coupled_forces(*whole, f, t, g),
                *about_point.coupled_accelerations(*whole, rates, f, t),
                *about_point.coupled_coriolis_matrix(*whole, v, rates).rows,
                *about_point.coupled_coriolis_matrix_closed(*whole, rates).rows,
            ]
        )

    return values


def samples(letters, count, width):
    return np.concatenate([sample(letters, 7, count, 0.5), rng(204).normal(size=(count, width))], axis=-1)


@pytest.mark.parametrize("letters", ["xyz", "ZXZ"])
@pytest.mark.parametrize("kind", [*KINDS, "graph"])
def test_equations_on_every_kind_of_scalar(kind, letters):
    function, rows = everything(AngleConvention(letters)), samples(letters, 6, 19)
    exact = on_mpmath(function, rows).astype(float)
    found = {**KINDS, "graph": on_graph}[kind](function, rows)
    scale = np.maximum(1, np.max(np.abs(exact), axis=0))
    # Accelerations are divided by sin² 0.5 and by the smallest moment of inertia.
    np.testing.assert_allclose(found / scale, exact / scale, rtol=0, atol=1e-12)


@pytest.mark.parametrize("letters", LETTERS)
def test_identities_hold_to_1e_45_at_fifty_digits(letters):
    convention = AngleConvention(letters)

    def identities(q0, q1, q2, *rest):
        angles = Vec3(q0, q1, q2)
        rates, accelerations, v, a, c = (Vec3(*rest[i : i + 3]) for i in (0, 3, 6, 9, 12))
        points = [c, Vec3(c.y, -c.z, c.x), Vec3(-c.z, c.x, c.y), Vec3(1, 2, c.x)]
        body = Body.of_points([1, 2, 1, 3], points)
        I_B, g = body.I_Bo_B, Vec3(0.5, -1, -9)
        state = convention, I_B, angles, rates
        R, W = convention.to_matrix(angles), euler_angles.rate_map(convention, angles)
        w, alpha = W @ rates, W @ accelerations + convention.body_rate_map_derivative(angles, rates) @ rates
        torque = euler_angles.body_torque(*state, accelerations)
        forces = euler_angles.angle_forces(*state, accelerations)
        closed = euler_angles.coriolis_matrix_closed(*state)
        rest = euler_angles.mass_matrix_rate(*state).to_mat3() - closed * 2
        D = euler_angles.mass_matrix_partials_times_rates(*state)
        f_W, t_W = newton_euler.world_wrench(body, R, R @ w, R @ alpha, a, g)
        tau = about_point.coupled_forces(convention, body, angles, f_W, R.T @ t_W, g)
        solved = about_point.coupled_accelerations(convention, body, angles, rates, *tau)
        twice = rigid_body.kinetic_energy(body, R, v, w) * 2
        M = about_point.coupled_mass_matrix(convention, body, angles).rows
        velocities = (*v, *rates)
        return flat(
            [
                torque - (I_B @ alpha + cross(w, I_B @ w)),
                forces - W.T @ torque,
                euler_angles.angle_accelerations(*state, forces) - accelerations,
                closed @ rates - euler_angles.coriolis_matrix(*state) @ rates,
                rest + rest.T,
                D @ rates - euler_angles.mass_matrix_rate(*state) @ rates,
                *(solved[0] - a, solved[1] - accelerations),
                dot(velocities, [dot(row, velocities) for row in M]) - twice,
            ]
        )

    with mpmath.workdps(PRECISE):
        worst = max(map(abs, on_mpmath(identities, samples(letters, 2, 15)).ravel()))
        assert worst < mpmath.mpf(10) ** -45


def test_partial_derivatives_at_fifty_digits():
    """Proves: Y(90), Y(91)

    Fourth-order differences with a step of 1e-10: truncation 1e-40, rounding 1e-40.
    """

    def differences(q0, q1, q2, *rest):
        start, rates = [q0, q1, q2], Vec3(*rest[:3])
        I_B = SymMat3(2, 3, 4, *(x / 4 for x in (q0, q1, q2)))
        h = mpmath.mpf(10) ** -10

        def partial(function, x):
            at = lambda step: function(Vec3(*(s + (h * step if i == x else 0) for i, s in enumerate(start))))
            return ((at(1) - at(-1)) * 8 - (at(2) - at(-2))) / (12 * h)

        angles, out = Vec3(*start), []
        for convention in (RPY, ZXZ):
            energy = lambda q, c=convention: euler_angles.kinetic_energy(c, 1, I_B, Vec3.zero(), q, rates)
            _, gradient = euler_angles.lagrangian_gradients(convention, 1, I_B, angles, rates, Vec3.zero())
            maps = euler_angles.rate_map_partials(convention, angles)
            matrices = euler_angles.mass_matrix_partials(convention, I_B, angles)
            for x in range(3):
                out += [
                    maps[x] - partial(convention.body_rate_map, x),
                    matrices[x] - partial(lambda q, c=convention: euler_angles.mass_matrix(c, I_B, q), x),
                    tuple(gradient)[x] - partial(energy, x),
                ]
        return flat(out)

    with mpmath.workdps(PRECISE):
        worst = max(map(abs, on_mpmath(differences, samples("ZXZ", 2, 3)).ravel()))
        assert worst < mpmath.mpf(10) ** -36


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda: euler_angles.mass_matrix(RPY, np.eye(3), Vec3.zero()), "I_B is .* needs a SymMat3"),
        (
            lambda: euler_angles.rate_map("xyz", Vec3.zero()),
            "convention is 'xyz', .* needs an AngleConvention",
        ),
        (lambda: euler_angles.rate_map(RPY, [0, 0, 0]), "angles is .* needs a Vec3"),
        (lambda: euler_angles.distance_from_singularity("xyz", Vec3.zero()), "needs an AngleConvention"),
        (
            lambda: euler_angles.mass_matrix_rate(RPY, SymMat3.identity(), Vec3.zero(), [1, 0, 0]),
            "rates is .* needs a Vec3",
        ),
    ],
)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: pass"):
        attempt()
