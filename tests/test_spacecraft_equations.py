"""The satellite with wheels, equation by equation: each against bodies, particles or series that know none of it."""

from __future__ import annotations

import math
from functools import cache

import casadi
import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import ArgumentError, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.equations import (
    dual_spin,
    gyrostat,
    gyrostat_in_orbit,
    libration,
    moving_frame,
    orbit,
    wheel_control,
)
from quatrain.equations.attitude import L_matrix
from quatrain.equations.gyrostat import Gyrostat, WheelBody
from quatrain.equations.rigid_body import Body
from quatrain.equations.rotated_forms import delta
from quatrain.rotations import AngleConvention
from tests.bodies import array, close, on_graph
from tests.kinds import KINDS, as_float, on_mpmath
from tests.samples import rng, rotations, vectors
from tests.truth.rotating_frame import Particles
from tests.truth.rotations import cross_matrix, rodrigues
from tests.truth.wheels_as_bodies import Parts

COUNT = 40


def symmetric(matrix):
    return SymMat3.from_array(np.asarray(matrix))


def numbers(values):
    return tuple(float(x) for x in values)


def point(values):
    return Vec3(*numbers(values))


def gyrostat_of(parts: Parts) -> Gyrostat:
    hub = Body(parts.masses[0], point(parts.centres[0]), symmetric(parts.inertias[0]))
    wheels = [
        WheelBody(point(parts.axes[k]), j, t, parts.masses[k + 1], point(parts.centres[k + 1]))
        for k, (j, t) in enumerate(zip(parts.axial, parts.transverse, strict=True))
    ]
    return Gyrostat.of_bodies(hub, wheels)


def random_gyrostat(seed, wheels):
    return gyrostat_of(Parts.random(rng(seed), wheels))


# ---- hub and wheels as bodies ----------------------------------------------------------------------


@pytest.fixture(params=[0, 1, 3, 4, 6], ids=lambda n: f"{n} wheels")
def bodies(request):
    """Parts, their gyrostat, and (ω, Ω, u, force, couple) of random states."""
    parts = Parts.random(rng(60 + request.param), request.param)
    random, n = rng(70 + request.param), request.param
    states = [
        (random.normal(size=3), *random.normal(size=(2, n)), *random.normal(size=(2, 3)))
        for _ in range(COUNT)
    ]
    return parts, gyrostat_of(parts), states


def test_momentum_and_energy_are_the_sums_over_the_bodies(bodies):
    """Proves: A(22), A(26), A(28)"""
    parts, g, states = bodies
    for w, speeds, *_ in states:
        w_B, omega = point(w), numbers(speeds)
        h = gyrostat.wheel_momenta(g, w_B, omega)
        close(gyrostat.angular_momentum(g, w_B, omega), parts.momentum(w, speeds))
        close(gyrostat.angular_momentum_of_momenta(g, w_B, h), parts.momentum(w, speeds))
        energy = parts.energy(w, speeds)
        assert gyrostat.kinetic_energy(g, w_B, omega) == pytest.approx(energy, rel=1e-13)
        assert gyrostat.kinetic_energy_of_momenta(g, w_B, h) == pytest.approx(energy, rel=1e-13)
        np.testing.assert_allclose(gyrostat.wheel_speeds(g, w_B, h), omega, atol=1e-14)
        # What stays of the energy beside the wheels' own, and the momentum's length: the free gyrostat's integrals.
        rest, square = gyrostat.free_integrals(g, w_B, h)
        assert rest == pytest.approx(energy - np.sum(np.square(h) / parts.axial) / 2, rel=1e-12, abs=1e-13)
        assert square == pytest.approx(np.sum(parts.momentum(w, speeds) ** 2), rel=1e-13)
        own = np.einsum("ki,kij,kj->k", parts.axes, parts.inertias[1:], parts.rates(w, speeds)[1:])
        np.testing.assert_allclose(h, own, atol=1e-14)


def test_equations_of_motion_are_those_of_separate_bodies(bodies):
    """Proves: A(23), A(24), A(25)

    The torque about the common centre is the couple and the moment of the force that acts at the hub's.
    """
    parts, g, states = bodies
    for w, speeds, motors, force, couple in states:
        alpha, rates = parts.accelerations(w, speeds, motors, force, couple)
        T = couple + np.cross(parts.centres[0] - parts.centre, force)
        w_B, omega, u = point(w), numbers(speeds), numbers(motors)
        found, found_rates = gyrostat.acceleration(g, w_B, omega, u, point(T))
        close(found, alpha, 1e-13)
        np.testing.assert_allclose(found_rates, rates, atol=1e-12)
        h = gyrostat.wheel_momenta(g, w_B, omega)
        found, h_rates = gyrostat.acceleration_of_momenta(g, w_B, h, u, point(T))
        close(found, alpha, 1e-13)
        assert h_rates == u
        truth = point(alpha), omega, numbers(rates)
        close(gyrostat.external_torque(g, w_B, *truth), T, 1e-12)
        np.testing.assert_allclose(gyrostat.motor_torques(g, truth[0], truth[2]), motors, atol=1e-13)
        driven, needed = gyrostat.acceleration_with_driven_speeds(g, w_B, omega, truth[2], point(T))
        close(driven, alpha, 1e-12)
        np.testing.assert_allclose(needed, motors, atol=1e-12)


def test_balances_of_momentum_and_energy(bodies):
    """Proves: A(27)

    Along the line (ω + s ω̇, Ω + s Ω̇) energy is quadratic in s and momentum linear, so that symmetric
    differences are exact; ω × h is what the turning of the axes adds.
    """
    parts, _, states = bodies
    q = Quaternion.from_axis_angle(Vec3(0.6, 0.0, 0.8), 1.3)
    R = array(q.to_matrix())
    for w, speeds, motors, force, couple in states:
        alpha, rates = parts.accelerations(w, speeds, motors, force, couple)
        T = couple + np.cross(parts.centres[0] - parts.centre, force)
        after, before = ((w + s * alpha, speeds + s * rates) for s in (0.5, -0.5))
        change = parts.energy(*after) - parts.energy(*before)
        assert gyrostat.power(point(w), point(T), numbers(speeds), numbers(motors)) == pytest.approx(
            change, rel=1e-12, abs=1e-12
        )
        in_body = parts.momentum(*after) - parts.momentum(*before) + np.cross(w, parts.momentum(w, speeds))
        close(gyrostat.momentum_rate(q, point(T)), R @ in_body, 1e-12)


def test_a_force_and_a_torque_on_a_wheelless_satellite_are_a_rigid_bodys():
    parts = Parts.random(rng(80), 0)
    g = gyrostat_of(parts)
    assert (g.axes, g.axial_inertias, g.reduced_inertia) == ((), (), g.inertia)


def test_leaving_the_wheels_share_out_of_the_gyroscopic_term_is_wrong():
    """What the reference warns of: −ω × (J_r ω + b) loses ω × Σ j_k a_k (a_k·ω)."""
    g = random_gyrostat(81, 3)
    w, speeds = Vec3(0.4, -0.3, 0.8), (1.0, 2.0, -0.5)
    right, _ = gyrostat.acceleration(g, w, speeds, (0.0,) * 3, Vec3.zero())
    b = gyrostat.relative_momentum(g, speeds)
    wrong = g.reduced_inertia.inverse() @ -cross(w, g.reduced_inertia @ w + b)
    lost = cross(w, gyrostat.relative_momentum(g, g.about_axes(w)))
    close(g.reduced_inertia @ (wrong - right), lost, 1e-14)
    assert lost.norm() > 0.01


def test_a_free_gyrostat_keeps_its_integrals():
    """Proves: A(28)

    Their rates along the motion vanish.
    """
    for n in (1, 3, 4):
        g = random_gyrostat(82 + n, n)
        for seed in range(COUNT):
            random = rng(1000 * n + seed)
            w, h = point(random.normal(size=3)), numbers(random.normal(size=n))
            alpha, _ = gyrostat.acceleration_of_momenta(g, w, h, (0.0,) * n, Vec3.zero())
            energy, square = (
                (after - before)
                for after, before in zip(
                    gyrostat.free_integrals(g, w + alpha * 0.5, h),
                    gyrostat.free_integrals(g, w - alpha * 0.5, h),
                    strict=True,
                )
            )
            # Both are quadratic in ω, so the symmetric difference is the exact rate.
            scale = 1 + abs(alpha.norm()) * 30
            assert abs(energy) < 1e-13 * scale
            assert abs(square) < 1e-12 * scale


def test_slews_at_zero_momentum():
    """Proves: A(29)"""
    g = random_gyrostat(90, 4)
    speeds = (3.0, -1.0, 2.0, 0.5)
    w = gyrostat.rate_at_zero_momentum(g, speeds)
    close(gyrostat.angular_momentum(g, w, speeds), np.zeros(3), 1e-14)
    # No momentum, no turning: wheel speeds in the null space of A D.
    four = Gyrostat(SymMat3.diagonal(3.0, 4.0, 5.0), wheel_control.pyramid(0.6), (0.1,) * 4)
    assert gyrostat.rate_at_zero_momentum(four, (5.0, -5.0, 5.0, -5.0)).norm() < 1e-15
    # One wheel along a principal axis, speeds from rest: the angles are as the rates.
    single = Gyrostat(SymMat3.diagonal(3.0, 4.0, 5.0), (Vec3(0.0, 1.0, 0.0),), (0.2,))
    close(gyrostat.rate_at_zero_momentum(single, (7.0,)), [0.0, gyrostat.turn_of_hub(single, 0, 7.0), 0.0])
    assert gyrostat.turn_of_hub(single, 0, 7.0) == pytest.approx(-0.2 / 4 * 7, rel=1e-15)


# ---- control ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 6])
def test_allocation_is_the_pseudo_inverse(n):
    """Proves: A(30)"""
    random = rng(100 + n)
    for _ in range(COUNT):
        axes = random.normal(size=(n, 3))
        axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
        rows = wheel_control.allocation([point(a) for a in axes])
        inverse = np.linalg.pinv(axes.T)
        # By A Aᵀ, whose condition is that of A squared.
        rounding = 1e-15 * np.linalg.cond(axes) ** 2
        close(np.array([list(row) for row in rows]), inverse, rounding)
        tau = random.normal(size=3)
        u = np.array(wheel_control.allocated(rows, point(tau)))
        close(axes.T @ u, tau, 10 * rounding)
        x = random.normal(size=n)
        silent = np.array(wheel_control.without_net_torque([point(a) for a in axes], numbers(x)))
        close(axes.T @ silent, np.zeros(3), 10 * rounding)
        close(silent, x - inverse @ axes.T @ x, 10 * rounding)


def test_the_pyramid_and_what_it_does_not_feel():
    """Proves: A(30)"""
    elevation = 0.61
    axes = wheel_control.pyramid(elevation)
    for k, axis in enumerate(axes):
        quarter = k * math.pi / 2
        c, s = math.cos(elevation), math.sin(elevation)
        close(axis, [c * math.cos(quarter), c * math.sin(quarter), s], 1e-15)
    silent = wheel_control.without_net_torque(axes, (1.0, -1.0, 1.0, -1.0))
    np.testing.assert_allclose(silent, (1, -1, 1, -1), atol=1e-15)


def test_wheels_in_a_plane_cannot_be_allocated():
    plane = [Vec3(math.cos(a), math.sin(a), 0.0) for a in (0.1, 0.9, 2.2, 4.0)]
    tilted = [Quaternion.from_axis_angle(Vec3(1.0, 2.0, 3.0), 0.7).rotate(a) for a in plane]
    for axes in (plane[:1], plane[:2], plane, tilted):
        with pytest.raises(ArgumentError, match="do not span space") as caught:
            wheel_control.allocation(axes)
        assert "at least three wheels whose axes do not lie in one plane" in str(caught.value)


def test_the_feedback_takes_its_energy_out_at_the_rate_of_the_damping():
    """Proves: A(31)

    V̇ by a difference quotient in forty digits, along the exact accelerations: −k_d |ω|² from the other side.
    """
    with mpmath.workdps(40):
        mpf = mpmath.mpf
        parts = random_gyrostat(110, 4)
        g = Gyrostat(
            SymMat3(*map(mpf, parts.inertia)),
            tuple(Vec3(*map(mpf, a)) for a in parts.axes),
            tuple(map(mpf, parts.axial_inertias)),
        )
        rows = wheel_control.allocation(g.axes)
        stiffness, damping, step = mpf("1.3"), mpf("0.7"), mpf(10) ** -18
        for seed in range(10):
            random = rng(120 + seed)
            q = Quaternion(*map(mpf, random.normal(size=4))).normalised()
            w = Vec3(*map(mpf, random.normal(size=3)))
            h = tuple(map(mpf, random.normal(size=4)))
            tau = wheel_control.attitude_feedback(q, w, stiffness, damping)
            u = wheel_control.allocated(rows, tau)
            alpha, _ = gyrostat.acceleration_of_momenta(g, w, h, u, Vec3.zero())
            V = [
                wheel_control.feedback_energy(
                    g, (q + q.derivative(w) * s).normalised(), w + alpha * s, stiffness
                )
                for s in (step, -step)
            ]
            assert abs((V[0] - V[1]) / (2 * step) + damping * w.norm_squared()) < mpf(10) ** -15
            # q and −q are the same attitude and get the same torque.
            again = wheel_control.attitude_feedback(-q, w, stiffness, damping)
            assert (again - tau).norm() == 0


def test_unloading_is_not_felt_by_the_hub():
    g = random_gyrostat(111, 4)
    rows = wheel_control.allocation(g.axes)
    w, h = Vec3(0.1, -0.2, 0.05), (1.0, 2.0, -0.5, 0.3)
    t_B, u = wheel_control.unloading(g, rows, h, 0.2)
    quiet, _ = gyrostat.acceleration_of_momenta(g, w, h, (0.0,) * 4, Vec3.zero())
    unloaded, rates = gyrostat.acceleration_of_momenta(g, w, h, u, t_B)
    close(unloaded, quiet, 1e-14)
    close(g.along_axes(rates), g.along_axes(h) * -0.2, 1e-14)


# ---- the orbit -------------------------------------------------------------------------------------

EARTH = 3.986004418e14


def two_body(start, duration):
    """Position and velocity by Newton's law of gravitation."""

    def rates(t, y):
        return [*y[3:], *(-EARTH * y[:3] / np.linalg.norm(y[:3]) ** 3)]

    solution = solve_ivp(rates, (0, duration), start, method="DOP853", rtol=3e-14, atol=1e-6)
    return solution.y[:, -1]


@pytest.mark.parametrize("eccentricity", [None, 0.0, 0.2, 0.7])
def test_orbits_follow_newtons_law(eccentricity):
    """The frame from position and velocity: z to the planet, y against the momentum, its rate |r × v|/r²."""
    q_IP = Quaternion.from_axis_angle(Vec3(1.0, -2.0, 0.5), 1.1)
    a = 7.0e6
    path = (
        orbit.CircularOrbit(EARTH, a, q_IP, 0.4)
        if eccentricity is None
        else orbit.EllipticOrbit(EARTH, a, eccentricity, q_IP, 0.4)
    )
    step = 1e-3 / path.mean_motion

    def velocity(t):
        """By differences of order 6."""
        p = [array(path.at(t + k * step).p_I) for k in (-3, -2, -1, 1, 2, 3)]
        return np.array([-1, 9, -45, 45, -9, 1]) @ np.array(p) / (60 * step)

    start = np.concatenate([array(path.at(0.0).p_I), velocity(0.0)])
    for revolutions in (0.13, 1.0, 2.6):
        t = revolutions * 2 * math.pi / path.mean_motion
        p, here = two_body(start, t)[:3], path.at(t)
        close(array(here.p_I) / a, p / a, 3e-10)  # ten digits of the velocity by differences, over 16 radians
        momentum = np.cross(array(here.p_I), velocity(t))
        r = np.linalg.norm(p)
        z, y = -p / r, -momentum / np.linalg.norm(momentum)
        close(here.q_IO.to_matrix(), np.stack([np.cross(y, z), y, z], axis=-1), 3e-10)
        assert here.radius == pytest.approx(r, rel=3e-10)
        assert here.gradient == pytest.approx(EARTH / r**3, rel=1e-9)
        rate = np.linalg.norm(momentum) / r**2
        close(array(here.w_IO_O) / rate, [0, -1, 0], 1e-9)
        change = [-path.at(t + k * step).w_IO_O.y for k in (-3, -2, -1, 1, 2, 3)]
        acceleration = np.array([-1, 9, -45, 45, -9, 1]) @ change / (60 * step)
        assert -here.alpha_IO_O.y / rate**2 == pytest.approx(acceleration / rate**2, abs=1e-9)
        # The frame turns as it says: q̇ = ½ q ∘ (0, ω_o), continuous from one revolution to the next.
        q = [np.array(list(path.at(t + k * step).q_IO)) for k in (-3, -2, -1, 1, 2, 3)]
        close(
            here.q_IO.derivative(here.w_IO_O) / rate,
            np.array([-1, 9, -45, 45, -9, 1]) @ np.array(q) / (60 * step) / rate,
            1e-9,
        )


def test_keplers_equation_is_solved_for_every_ellipse():
    M = np.concatenate([np.linspace(-20, 20, 4001), [0.0, 1e-12, -1e-9, np.pi, 1e-3]])
    for e, rounds in (
        (0.0, 3),
        (1e-9, 3),
        (0.1, 3),
        (0.5, 3),
        (0.9, 3),
        (0.99, 5),
        (0.999, 5),
        (0.999999, 9),
    ):
        E = orbit.eccentric_anomaly(M, e, rounds=rounds)
        # An error of E is an error of M times (1 − e cos E), to the rounding of M up to 20.
        assert np.max(np.abs(E - e * np.sin(E) - M)) < 2e-14
    with mpmath.workdps(50):
        M, e = mpmath.mpf(2) / 7, mpmath.mpf("0.6")
        E = orbit.eccentric_anomaly(M, e)
        assert abs(E - e * mpmath.sin(E) - M) < mpmath.mpf(10) ** -48


def test_the_orbital_frame_as_printed():
    for angle in (0.0, 0.7, 3.0, 5.5):
        s, c = math.sin(angle), math.cos(angle)
        R = orbit.orbital_frame(math.cos(angle / 2), math.sin(angle / 2)).to_matrix()
        close(R, [[-s, 0, -c], [c, 0, -s], [0, -1, 0]], 1e-15)


def test_the_gravity_gradient_is_that_of_newtons_attraction_on_a_cloud():
    """Proves: A(32)

    Exact inverse-square forces in sixty digits on a cloud of size/r = 1e-18; what A(32) leaves out is of that size.
    """
    with mpmath.workdps(60):
        mpf = mpmath.mpf
        random = rng(130)
        for _ in range(5):
            masses = [mpf(m) for m in random.uniform(0.2, 1.0, 8)]
            points = [Vec3(*map(mpf, p)) for p in random.normal(size=(8, 3))]
            total = sum(masses)
            centre = Vec3(
                *(
                    sum(m * c for m, c in zip(masses, column, strict=True)) / total
                    for column in zip(*points, strict=True)
                )
            )
            arms = [p - centre for p in points]
            inertia = Body.of_points(masses, points).I_Bcm_B
            mu, far = mpf(3), mpf(10) ** 18
            c = Vec3(*map(mpf, random.normal(size=3))).normalised()
            torque = Vec3.zero()
            for m, arm in zip(masses, arms, strict=True):
                from_planet = arm - c * far
                pull = from_planet * (-mu * m / from_planet.norm() ** 3)
                torque = torque + cross(arm, pull)
            found = orbit.gravity_gradient_torque(inertia, c, mu / far**3)
            assert (found - torque).norm() < 100 / far * torque.norm()
    # Of principal axes, and by roll, pitch and yaw, as printed.
    J, (roll, pitch, yaw) = (2.0, 3.0, 5.0), (0.3, -0.4, 1.0)
    c = orbit.nadir(AngleConvention("rpy").to_quaternion(Vec3(roll, pitch, yaw)))
    close(c, [-math.sin(pitch), math.cos(pitch) * math.sin(roll), math.cos(pitch) * math.cos(roll)], 1e-15)
    T = orbit.gravity_gradient_torque(SymMat3.diagonal(*J), c, 0.5)
    close(
        T, [1.5 * (J[2] - J[1]) * c.y * c.z, 1.5 * (J[0] - J[2]) * c.z * c.x, 1.5 * (J[1] - J[0]) * c.x * c.y]
    )


# ---- in a turning frame ----------------------------------------------------------------------------


@pytest.mark.parametrize("wheels", [0, 1, 3, 4])
def test_the_motion_in_a_turning_frame_is_that_of_particles(wheels):
    """Proves: A(33)

    The frame turns in any way, not only as an orbital one; hub and rings feel Coriolis's, centrifugal, Euler's
    and tidal forces, particle by particle.
    """
    for seed in range(COUNT):
        random = rng(2000 * (wheels + 1) + seed)
        cloud = Particles.random(random, wheels)
        g = Gyrostat(
            symmetric(cloud.inertia()), tuple(map(point, cloud.axes)), numbers(cloud.axial_inertias())
        )
        w, T, o, do = random.normal(size=(4, 3))
        speeds, u = random.normal(size=(2, wheels))
        q = Quaternion(*numbers(random.normal(size=4))).normalised()
        gradient = 0.7
        gravity = orbit.gravity_gradient_torque(g.inertia, orbit.nadir(q), gradient)
        alpha, rates = gyrostat_in_orbit.relative_acceleration(
            g, q, point(w), numbers(speeds), point(o), point(do), numbers(u), gravity + point(T)
        )
        R = array(q.to_matrix())
        forces = cloud.forces(R, w, array(alpha), speeds, np.array(rates), o, do, gradient)
        close(cloud.torque(forces), T, 1e-12)
        for k in range(wheels):
            assert cloud.motor_torque(k, forces) == pytest.approx(u[k], abs=1e-13)
        # From the state of momenta: the same acceleration.
        h = gyrostat.wheel_momenta(g, moving_frame.composed_rate(q, point(o), point(w)), numbers(speeds))
        again, h_rates = gyrostat_in_orbit.relative_acceleration_of_momenta(
            g, q, point(w), h, point(o), point(do), numbers(u), gravity + point(T)
        )
        close(again, alpha, 1e-12)
        assert h_rates == numbers(u)


def test_a_rotated_form_and_its_torque():
    """Proves: A(19)

    d/dθ vᵀ R exp(θ [e]×) w, by Rodrigues's formula with the derivative of sin and cos, for every direction e.
    """
    q, v, w = rotations(140, COUNT), vectors(141, COUNT), vectors(142, COUNT)
    found = gyrostat_in_orbit.torque_of_rotated_form(q, v, w)
    R = array(q.to_matrix())
    for k, e in enumerate(np.eye(3)):
        slope = np.einsum("ni,nij,jk,nk->n", array(v), R, cross_matrix(e), array(w))
        close(array(found)[:, k], slope)
        quotient = (rodrigues(e, np.float64(1e-5)) - rodrigues(e, np.float64(-1e-5))) / 2e-5
        close(slope, np.einsum("ni,nij,jk,nk->n", array(v), R, quotient, array(w)), 1e-9)
    for i in range(COUNT):
        one = [type(x)(*(float(c[i]) for c in x)) for x in (q, v, w)]
        close(L_matrix(one[0]) @ (delta(one[1], one[2]) @ one[0]), array(found)[i])


def test_lagranges_equations_are_eulers_with_the_inertial_rate():
    """Proves: A(34)

    Gradients by complex steps through the energy; then the residual is zero on the motion of A(33).
    """
    g = random_gyrostat(150, 3)
    random = rng(151)
    for _ in range(COUNT):
        any_q, dq = random.normal(size=(2, 4))
        o, do, T, w = random.normal(size=(4, 3))
        speeds, u = random.normal(size=(2, 3))
        by_q, by_dq = gyrostat_in_orbit.lagrangian_gradients(
            g, Quaternion(*any_q), Quaternion(*dq), numbers(speeds), point(o)
        )
        for k in range(4):
            nudge = np.zeros(4, complex)
            nudge[k] = 1e-30j
            for found, a, b in ((by_q, any_q + nudge, dq), (by_dq, any_q, dq + nudge)):
                T_k = gyrostat_in_orbit.lagrangian(g, Quaternion(*a), Quaternion(*b), tuple(speeds), Vec3(*o))
                assert tuple(found)[k] == pytest.approx(T_k.imag / 1e-30, rel=1e-12, abs=1e-11)
        q = Quaternion(*numbers(any_q)).normalised()
        alpha_r, rates = gyrostat_in_orbit.relative_acceleration(
            g, q, point(w), numbers(speeds), point(o), point(do), numbers(u), point(T)
        )
        alpha = moving_frame.composed_acceleration(q, point(o), point(do), point(w), alpha_r)
        rate = moving_frame.composed_rate(q, point(o), point(w))
        multiplier = 2 * dot(rate, gyrostat.angular_momentum(g, rate, numbers(speeds)))
        residual = gyrostat_in_orbit.lagrange_residual(
            g, q, q.derivative(point(w)), alpha, numbers(speeds), rates, point(o), point(T), multiplier
        )
        assert residual.norm() < 1e-12 * (1 + abs(multiplier))


def test_energy_and_momentum_balance_in_the_orbital_frame():
    """Proves: A(35), A(36)

    Rates along the motion by a difference quotient in forty digits.
    """
    with mpmath.workdps(40):
        mpf = mpmath.mpf
        plain, n, step = random_gyrostat(160, 3), mpf("0.6"), mpf(10) ** -18
        g = Gyrostat(
            SymMat3(*map(mpf, plain.inertia)),
            tuple(Vec3(*map(mpf, a)) for a in plain.axes),
            tuple(map(mpf, plain.axial_inertias)),
        )
        o, zero = Vec3(mpf(0), -n, mpf(0)), Vec3(mpf(0), mpf(0), mpf(0))
        for seed in range(8):
            random = rng(161 + seed)
            q = Quaternion(*map(mpf, random.normal(size=4))).normalised()
            w = Vec3(*map(mpf, random.normal(size=3)))
            speeds, u = (tuple(map(mpf, x)) for x in random.normal(size=(2, 3)))
            for motors in (u, (mpf(0),) * 3):
                T = orbit.gravity_gradient_torque(g.inertia, orbit.nadir(q), n * n)
                alpha, rates = gyrostat_in_orbit.relative_acceleration(g, q, w, speeds, o, zero, motors, T)
                q_IO = Quaternion(*map(mpf, random.normal(size=4))).normalised()

                def at(s, *, q=q, w=w, speeds=speeds, alpha=alpha, rates=rates, q_IO=q_IO):
                    q_s = (q + q.derivative(w) * s).normalised()
                    w_s = w + alpha * s
                    speeds_s = tuple(x + r * s for x, r in zip(speeds, rates, strict=True))
                    rate = moving_frame.composed_rate(q_s, o, w_s)
                    h = gyrostat.wheel_momenta(g, rate, speeds_s)
                    q_IO_s = (q_IO + q_IO.derivative(o) * s).normalised()
                    momentum = (q_IO_s @ q_s).rotate(gyrostat.angular_momentum(g, rate, speeds_s))
                    return (
                        gyrostat_in_orbit.jacobi_integral(g, q_s, w_s, speeds_s, o, n * n),
                        gyrostat_in_orbit.jacobi_integral_of_momenta(g, q_s, w_s, h, o, n * n),
                        momentum,
                    )

                (H1, R1, h1), (H0, R0, h0) = at(step), at(-step)
                work = sum(a * b for a, b in zip(motors, speeds, strict=True))
                assert abs((H1 - H0) / (2 * step) - work) < mpf(10) ** -15
                if motors is not u:
                    assert abs(R1 - R0) / (2 * step) < mpf(10) ** -15
                expected = gyrostat_in_orbit.momentum_rate(q_IO, q, T)
                assert ((h1 - h0) / (2 * step) - expected).norm() < mpf(10) ** -15


# ---- libration -------------------------------------------------------------------------------------


@cache
def linearisation(wheel_is_free):
    """(I, n, H, j) → the matrix of (φ, θ, ψ, and rates) and the rates at rest, by exact derivatives of A(33)."""
    moments, n, H, j = casadi.SX.sym("I", 3), *map(casadi.SX.sym, ("n", "H", "j"))
    g = Gyrostat(SymMat3.diagonal(moments[0], moments[1], moments[2]), (Vec3(0.0, 1.0, 0.0),), (j,))
    x = casadi.SX.sym("x", 6)
    q = AngleConvention("rpy").to_quaternion(Vec3(x[0], x[1], x[2]))
    w, o, zero = Vec3(x[3], x[4], x[5]), Vec3(0.0, -n, 0.0), Vec3.zero()
    T = orbit.gravity_gradient_torque(g.inertia, orbit.nadir(q), n * n)
    if wheel_is_free:
        # Its absolute momentum is constant: that of the rest, where ω = (0, −n, 0).
        alpha, _ = gyrostat_in_orbit.relative_acceleration_of_momenta(
            g, q, w, (H - j * n,), o, zero, (0.0,), T
        )
    else:
        rate = moving_frame.composed_rate(q, o, w)
        inertial, _ = gyrostat.acceleration_with_driven_speeds(g, rate, (H / j,), (0.0,), T)
        alpha = gyrostat_in_orbit.in_frame(q, w, o, zero, inertial)
    # Near the rest the rates of the angles are ω_r, but for terms of second order.
    field = casadi.vertcat(x[3:6], *alpha)
    return casadi.Function("A", [x, moments, n, H, j], [casadi.jacobian(field, x), field])


def linearised(moments, n, H, *, free_wheel=None):
    """With a wheel of momentum H along y, its speed held, or turning freely with this axial inertia."""
    A, rest = linearisation(free_wheel is not None)(np.zeros(6), moments, n, H, free_wheel or 0.01)
    assert np.max(np.abs(np.array(rest))) < 1e-14 * (1 + abs(H))
    return np.array(A)


def random_moments(random):
    """Of a random cloud, so that the triangle inequality holds."""
    x, y, z = random.uniform(0.1, 2.0, 3)
    return y + z, x + z, x + y


@pytest.mark.parametrize("biased", [False, True], ids=["wheels locked", "with momentum"])
def test_small_librations(biased):
    """Proves: A(37), A(39)

    Coefficients, characteristic polynomial, frequencies and the verdict on stability, each from the eigenvalues of
    the linearised A(33).
    """
    random, n, verdicts = rng(170 + biased), 0.8, []
    for _ in range(200):
        moments = random_moments(random)
        H = float(random.normal() * 2) if biased else 0.0
        A, I = linearised(moments, n, H), Vec3(*moments)  # noqa: E741 the name it has in every book
        motion = libration.roll_yaw(I, n, H)
        x, y, z = moments
        expected = np.zeros((6, 6))
        expected[:3, 3:] = np.eye(3)
        expected[3, 0], expected[3, 5] = -motion.roll_stiffness / x, motion.coupling / x
        expected[5, 2], expected[5, 3] = -motion.yaw_stiffness / z, -motion.coupling / z
        expected[4, 1] = -3 * n * n * (x - z) / y
        close(A, expected, 1e-14)
        p, c = motion.characteristic()
        lateral = np.poly(A[np.ix_([0, 2, 3, 5], [0, 2, 3, 5])])
        close(lateral, [1, 0, p, 0, c], 1e-13)
        eigenvalues = np.linalg.eigvals(A)
        growth = float(np.max(eigenvalues.real))
        stable = all(m > 0 for m in motion.stability_margins()) and x > z
        verdicts.append(stable)
        assert stable == (growth < 1e-7)
        if not biased:
            assert stable == all(m > 0 for m in libration.gravity_stability_margins(I))
        if stable:
            found = sorted([*motion.frequencies(), libration.pitch_frequency(I, n)])
            np.testing.assert_allclose(found, np.sort(eigenvalues.imag)[3:], rtol=1e-11)
    assert 20 < sum(verdicts) < 180


def test_lagrange_and_debra_delp():
    """Proves: A(37)"""
    lagrange, debra_delp, unstable = Vec3(0.9, 1.0, 0.3), Vec3(1.0, 0.5, 0.55), Vec3(0.5, 0.6, 1.0)
    assert all(m > 0 for m in libration.gravity_stability_margins(lagrange))
    assert not all(m > 0 for m in libration.gravity_stability_margins(unstable))
    x, y, z = debra_delp
    s1, s3 = (y - z) / x, (y - x) / z
    assert s1 < 0
    assert s3 < 0
    assert all(m > 0 for m in libration.gravity_stability_margins(debra_delp))


def test_momentum_stabilises_any_satellite_and_a_free_wheel_lightens_pitch():
    """Proves: A(39)"""
    n, moments = 0.8, (1.2, 1.0, 0.9)
    for H, stable in ((0.0, False), (-8.0, True)):
        margins = libration.roll_yaw(Vec3(*moments), n, H).stability_margins()
        assert all(m > 0 for m in margins) == stable
        lateral = linearised(moments, n, H)[np.ix_([0, 2, 3, 5], [0, 2, 3, 5])]
        assert (np.max(np.linalg.eigvals(lateral).real) < 1e-9) == stable
    for j in (0.05, 0.3):
        A = linearised(moments, n, -8.0, free_wheel=j)
        assert libration.pitch_frequency(Vec3(*moments), n, free_wheel=j) == pytest.approx(
            math.sqrt(-A[4, 1]), rel=1e-14
        )


def test_planar_pitch():
    """Proves: A(38)

    The acceleration is the y part of A(33) in planar attitudes; the period by mpmath's elliptic integral, and by
    Newton's law through SciPy.
    """
    moments, n = Vec3(2.1, 2.0, 0.9), 0.7
    frequency = libration.pitch_frequency(moments, n)
    for amplitude in (0.01, 0.5, 1.2, 1.57):
        period = libration.pitch_period(moments, n, amplitude)
        with mpmath.workdps(30):
            exact = 4 * mpmath.ellipk(mpmath.sin(amplitude) ** 2) / frequency
        assert period == pytest.approx(float(exact), rel=1e-15)
        bottom = libration.pitch_rate_at_bottom(moments, n, amplitude)
        if amplitude < 1.5:
            y = solve_ivp(
                lambda t, y: [y[1], libration.pitch_acceleration(moments, y[0], n * n)],
                (0, period / 4),
                [0.0, bottom],
                method="DOP853",
                rtol=1e-13,
                atol=1e-14,
            ).y[:, -1]
            np.testing.assert_allclose(y, [amplitude, 0.0], atol=2e-12)
    g, path = (
        Gyrostat(SymMat3.diagonal(*moments)),
        orbit.EllipticOrbit(1.0, 1.3, 0.3, Quaternion.identity(), 0.2),
    )
    for t, pitch, rate in ((0.4, 0.3, -0.2), (3.0, -1.2, 0.7)):
        here = path.at(t)
        q = Quaternion.from_axis_angle(Vec3(0.0, 1.0, 0.0), pitch)
        T = orbit.gravity_gradient_torque(g.inertia, orbit.nadir(q), here.gradient)
        alpha, _ = gyrostat_in_orbit.relative_acceleration(
            g, q, Vec3(0.0, rate, 0.0), (), here.w_IO_O, here.alpha_IO_O, (), T
        )
        expected = libration.pitch_acceleration(moments, pitch, here.gradient, -here.alpha_IO_O.y)
        close(alpha, [0.0, expected, 0.0], 1e-15)
    with mpmath.workdps(50):
        one = mpmath.mpf(1)
        found = libration.pitch_period(Vec3(2 * one, 2 * one, one), one, one)
        exact = 4 * mpmath.ellipk(mpmath.sin(one) ** 2) / mpmath.sqrt(one * 3 / 2)
        assert abs(found - exact) < mpmath.mpf(10) ** -47


def test_wheel_momentum_that_holds_an_attitude():
    """Proves: A(40)"""
    n = 0.6
    for seed in range(COUNT):
        random = rng(180 + seed)
        A = random.normal(size=(3, 3))
        J = A @ A.T + 2 * np.eye(3)
        q = Quaternion(*numbers(random.normal(size=4))).normalised()
        R = array(q.to_matrix())
        pitch = float(random.normal())
        for held in (True, False):
            J[0, 2] = J[2, 0] = 0.0 if held else 0.4
            J_O = symmetric(J)
            b_O = gyrostat_in_orbit.holding_momentum(J_O, n, pitch)
            J_B, b = symmetric(R.T @ J_O.to_array() @ R), q.inverse_rotate(b_O)
            # One wheel along b carries it, with j so small that J is not touched by it.
            g = Gyrostat(J_B, (b.normalised(),), (1e-3,))
            T = orbit.gravity_gradient_torque(J_B, orbit.nadir(q), n * n)
            o = Vec3(0.0, -n, 0.0)
            rate = q.inverse_rotate(o)
            alpha, _ = gyrostat.acceleration_with_driven_speeds(g, rate, (b.norm() / 1e-3,), (0.0,), T)
            torque = q.rotate(J_B @ alpha)
            left = gyrostat_in_orbit.unbalanced_pitch_torque(J_O, n)
            close(torque, [0.0, left, 0.0], 1e-13)
            assert (abs(left) < 1e-14) == held


# ---- dual spin -------------------------------------------------------------------------------------


@cache
def spin_linearisation():
    """(I, ω₃, H, I_d, c) → the matrix of (ω₁, ω₂) and of the relative rate of an internal sphere.

    The moments contain the sphere's, I_d. d(I_d (ω + v))/dt + ω × I_d (ω + v) = −c v, and the hub feels +c v.
    """
    moments, spin, momentum, sphere, drag = casadi.SX.sym("I", 3), *map(casadi.SX.sym, "sHdc")
    x = casadi.SX.sym("x", 4)
    w, v = Vec3(x[0], x[1], spin), Vec3(x[2], x[3], 0.0)
    hub = SymMat3.diagonal(*(moments[k] - sphere for k in range(3)))
    alpha = hub.inverse() @ (v * drag - cross(w, hub @ w + Vec3(0.0, 0.0, momentum)))
    slip = -alpha - cross(w, w + v) - v * (drag / sphere)
    field = casadi.vertcat(alpha.x, alpha.y, slip.x, slip.y)
    return casadi.Function("A", [x, moments, spin, momentum, sphere, drag], [casadi.jacobian(field, x)])


def spin_matrix(moments, spin, momentum, *, sphere=1e-300, drag=0.0):
    return np.array(spin_linearisation()(np.zeros(4), moments, spin, momentum, sphere, drag))


def test_dual_spin_with_and_without_a_damper():
    """Proves: A(41)

    Eigenvalues of the spin, alone and with a viscously coupled sphere inside.
    """
    random, seen = rng(190), {True: 0, False: 0}
    for _ in range(400):
        moments = random_moments(random)
        spin, momentum = float(random.normal()), float(random.normal())
        I = Vec3(*moments)  # noqa: E741 the name it has in every book
        squared = dual_spin.nutation_frequency_squared(I, spin, momentum)
        free = np.linalg.eigvals(spin_matrix(moments, spin, momentum)[:2, :2])
        np.testing.assert_allclose(np.prod(free), squared, rtol=1e-10, atol=1e-13)
        assert (np.max(free.real) < 1e-9) == (squared > 0)
        sphere = 0.3 * min(moments)
        damped = spin_matrix(moments, spin, momentum, sphere=sphere, drag=0.2 * sphere)
        growth = float(np.max(np.linalg.eigvals(damped).real))
        stable = all(m > 0 for m in dual_spin.damped_stability_margins(I, spin, momentum))
        assert abs(growth) > 1e-9
        assert (growth < 0) == stable
        seen[stable] += 1
    assert min(seen.values()) > 50


# ---- kinds of scalars ------------------------------------------------------------------------------


def everything(*x):
    """Accelerations in the orbital frame and what is kept, of a state given as scalars."""
    q, w, o = Quaternion(*x[:4]), Vec3(*x[4:7]), Vec3(x[7], x[8], x[9])
    speeds, u, t = x[10:13], x[13:16], x[16]
    axes = wheel_control.pyramid(0.5)[:3]
    g = Gyrostat(SymMat3(3.0, 4.0, 5.0, 0.1, -0.2, 0.3), axes, (0.1, 0.2, 0.3))
    here = orbit.EllipticOrbit(1.3, 1.1, 0.2, Quaternion.identity(), 0.3).at(t)
    T = orbit.gravity_gradient_torque(g.inertia, orbit.nadir(q), here.gradient)
    alpha, rates = gyrostat_in_orbit.relative_acceleration(g, q, w, speeds, o, here.alpha_IO_O, u, T)
    feedback = wheel_control.attitude_feedback(q, w, 1.5, 0.5)
    return [
        *alpha,
        *rates,
        *here.q_IO,
        *wheel_control.allocated(wheel_control.allocation(axes), feedback),
        wheel_control.motor_torque(u[0], speeds[0], most=0.5, fastest=1.0, friction=0.1),
        gyrostat_in_orbit.jacobi_integral(g, q, w, speeds, o, here.gradient),
        libration.pitch_period(Vec3(2.0, 2.5, 1.0), here.radius, t / 10),
    ]


def test_the_equations_run_on_every_kind_of_scalar():
    """To the rounding of numbers of order ten."""
    rows = rng(195).normal(size=(20, 17))
    rows[:, 16] = np.abs(rows[:, 16])
    exact = as_float(on_mpmath(everything, rows))
    for name, on_kind in KINDS.items():
        np.testing.assert_allclose(on_kind(everything, rows), exact, rtol=1e-12, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(on_graph(everything, rows), exact, rtol=1e-12, atol=1e-12)


# ---- errors ----------------------------------------------------------------------------------------


def test_a_gyrostat_of_ill_matched_wheels_is_refused():
    with pytest.raises(ArgumentError, match="2 axes and 1 axial inertias") as caught:
        Gyrostat(SymMat3.identity(), (Vec3(1, 0, 0), Vec3(0, 1, 0)), (0.1,))
    assert "one of each for every wheel" in str(caught.value)
    with pytest.raises(ArgumentError, match="this needs a SymMat3"):
        Gyrostat(3.0)
