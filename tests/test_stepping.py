"""Steppers: their orders on motions that are known exactly, the laws they keep, and one result on all roads."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial

import mpmath
import numpy as np
import pytest
from scipy.integrate import RK45
from scipy.integrate._ivp import dop853_coefficients

from quatrain import scalar
from quatrain.compiler import iterate, rollout
from quatrain.compiler.rollout_kernel import RolloutKernel
from quatrain.equations.rigid_body import Body
from quatrain.equations.stepping import (
    DOP853,
    DOPRI5,
    LINEAR,
    POSES,
    ROTATIONS,
    AlphaParameters,
    FreeBody,
    RotatingBody,
    System,
    Tolerance,
    crouch_grossman3,
    crouch_grossman4,
    dop853,
    dopri5,
    fixed_point,
    generalized_alpha,
    generalized_alpha_start,
    implicit_midpoint,
    integrate,
    newton,
    product,
    rk4,
    rkmk4,
    semi_implicit_euler,
    settled,
    variational,
    variational_rotation,
)
from quatrain.equations.stepping.lie import _ORDER_3, inverse_of_right_jacobian
from quatrain.equations.stepping.nested import scalars
from quatrain.equations.stepping.system import rotation_cayley
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross
from tests.truth import prescribed_motion, torque_free
from tests.truth.rotations import cross_matrix


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


IDENTITY = Quaternion(1.0, 0.0, 0.0, 0.0)

# ---- running -----------------------------------------------------------------------------------------


ORDERS = {
    semi_implicit_euler: 1,
    rk4: 4,
    rkmk4: 4,
    crouch_grossman3: 3,
    crouch_grossman4: 4,
    implicit_midpoint: 2,
    dopri5: 5,
    dop853: 8,
}


def march(stepper, system, q, v, duration, steps):
    """The state after so many equal steps."""
    h = duration / steps
    for k in range(steps):
        q, v = stepper(system, k * h, q, v, h)
    return q, v


def march_alpha(system, q, v, duration, steps, **options):
    h, memory = duration / steps, generalized_alpha_start(system, 0.0, q, v)
    for k in range(steps):
        q, v, memory = generalized_alpha(system, k * h, q, v, memory, h, **options)
    return q, v


def of_body(body, variational_step):
    """The variational step as a stepper like the others."""
    return lambda system, t, q, v, h: variational_step(body, t, q, v, h)


def observed_order(error, steps):
    """From the errors at two step sizes, the second half of the first."""
    return math.log2(error(steps) / error(2 * steps))


def distance(state, reference):
    """Of (q, v) from exact arrays, up to the sign of q."""
    q, v = (np.array(list(scalars(part)), float) for part in state)
    return min(np.linalg.norm(q - reference[0]), np.linalg.norm(q + reference[0])) + np.linalg.norm(
        v - reference[1]
    )


def rollout_kernel(stepper, system, records=lambda t, q, v: {"q": q, "v": v}, state=(Quaternion, Vec3)):
    """The time loop of a stepper in one kernel: call with (q, v, h, steps, record_every)."""

    def one(index, at, parameters, inputs):
        h = parameters["h"]
        q, v = stepper(system, index * h, at["q"], at["v"], h)
        return {"q": q, "v": v}, records(index * h + h, q, v)

    kernel = RolloutKernel(
        rollout(one, state={"q": state[0], "v": state[1]}, parameters={"h": float}, origins=False)
    )
    return lambda q, v, h, steps, every: kernel({"state.q": q, "state.v": v, "parameters.h": h}, steps, every)


# ---- exact motions -----------------------------------------------------------------------------------

TRIAXIAL = SymMat3.diagonal(1.0, 2.0, 4.0)
TRIAXIAL_START = (0.4, 0.3, 0.7)


@cache
def torque_free_state(t):
    """Of the triaxial body: (q, ω) to twenty digits."""
    with mpmath.workdps(20):
        exact = torque_free.motion((1, 2, 4), TRIAXIAL_START)
        R = np.array(exact.attitude(t).tolist(), float)
        return Quaternion.from_matrix(_mat3(R)).to_array(), np.array(exact.angular_velocity(t), float)


def _mat3(array):
    from quatrain.geometry import Mat3

    return Mat3.from_array(array)


def test_the_exact_torque_free_motion_is_that_of_the_benchmarks():
    """Benchmark 1.1, to the rounding of the doubles 0.4, 0.3, 0.7 over 20 s."""
    exact = torque_free.motion((1, 2, 4), TRIAXIAL_START)
    assert abs(exact.parameter - mpmath.mpf("0.0693069306930693069")) < 1e-15
    assert abs(exact.period - mpmath.mpf("5.1968110346692954199")) < 1e-14
    q, w = torque_free_state(20.0)
    expected = [0.26217977467844294926, 0.11630677070375551743, 0.057902475050202898279, 0.9562331327772983]
    assert np.abs(q - expected).max() < 1e-14
    assert np.abs(w - [0.51253869111327787942, -0.11392132190207281226, 0.70910999762802237034]).max() < 1e-14


def heavy_top(inertia, weight, centre):
    """About its fixed point, under gravity along −z; `weight` is m g."""

    def torque(t, q_WB, w):
        return cross(centre, q_WB.inverse_rotate(Vec3(0.0, 0.0, -weight)))

    def energy(q_WB, w):
        return inertia.quadratic_form(w) / 2 + q_WB.rotate(centre).z * weight

    return RotatingBody(inertia, torque), energy


FAST_TOP, FAST_TOP_ENERGY = heavy_top(
    SymMat3.diagonal(15.234375, 0.46875, 15.234375), 15 * 9.81, Vec3(0.0, 1.0, 0.0)
)
FAST_TOP_START = Vec3(0.0, 150.0, -4.61538)
# Benchmark 2.1: time -> q, ω.
FAST_TOP_VALUES = {
    0.2: (
        [-0.70827915297431256211, 0.43878108812658189737, 0.54572839614541767341, 0.089399752824005010462],
        [-2.6915909121434086214, 150.0, 4.9172609898939944171],
    ),
    1.0: (
        [0.73294398067971363715, -0.27828571933761267852, 0.53182461133416261792, -0.32017614273624928141],
        [-0.82207810168270445626, 150.0, -5.9232913481173361861],
    ),
    2.0: (
        [0.1229471350415334671, -0.4910798925500270147, 0.35043003034362096184, -0.78798688755048566932],
        [0.12223321949739423679, 150.0, -5.8556245892054577283],
    ),
}

LAGRANGE_TOP, LAGRANGE_TOP_ENERGY = heavy_top(SymMat3.diagonal(5.0, 5.0, 1.0), 20.0, Vec3(0.0, 0.0, 1.0))
LAGRANGE_TOP_START = Quaternion(math.cos(0.15), math.sin(0.15), 0.0, 0.0), Vec3(0.0, 0.0, 50.0)
# Benchmark 2.2: time -> q, ω.
LAGRANGE_TOP_VALUES = {
    1.0: (
        [0.97932510076809217636, 0.14020692739051612824, 0.082137412821683161892, -0.12048987481210627169],
        [-0.13410072753645736978, 0.2172130314974356976, 50.0],
    ),
    2.0: (
        [0.95942279096691304962, 0.068668005216605640791, 0.13343367810485635161, -0.23872173503944056819],
        [-0.024580320862289111601, -0.049042666316650086528, 50.0],
    ),
    5.0: (
        [0.80812278985042164759, -0.14090501411229607455, 0.074258424215355272554, -0.56707055994420767732],
        [-0.080967469360567558816, -0.20501894305926465481, 50.0],
    ),
    10.0: (
        [0.33852151631668276873, 0.10390086392275632083, -0.12136733643593152721, -0.92729594149505807244],
        [-0.16505112365229953625, 0.15445632918441698179, 50.0],
    ),
}

# ---- orders of convergence ---------------------------------------------------------------------------

# Steps over the span, such that errors lie well above rounding and in the range of the leading term.
STEPS = {semi_implicit_euler: 80, dop853: 4}


@pytest.mark.parametrize("stepper", ORDERS, ids=lambda f: f.__name__)
def test_order_on_the_torque_free_body(stepper):
    """Observed orders differ from the true ones by the next term of the error, O(h): a tenth is ample."""
    system, reference = RotatingBody(TRIAXIAL).system(), torque_free_state(2.0)

    def error(steps):
        return distance(march(stepper, system, IDENTITY, Vec3(*TRIAXIAL_START), 2.0, steps), reference)

    slack = 0.2 if stepper is dop853 else 0.1
    assert observed_order(error, STEPS.get(stepper, 40)) == pytest.approx(ORDERS[stepper], abs=slack)


def test_order_of_the_variational_rotation():
    body, reference = RotatingBody(TRIAXIAL), torque_free_state(2.0)
    stepper = of_body(body, variational_rotation)

    def error(steps):
        return distance(march(stepper, None, IDENTITY, Vec3(*TRIAXIAL_START), 2.0, steps), reference)

    assert observed_order(error, 20) == pytest.approx(2, abs=0.02)


@pytest.mark.parametrize("radius", [0.0, 0.5, 0.9, 1.0])
def test_order_of_generalized_alpha(radius):
    """The start with a = v̇ disturbs the first steps at order 2, hence the slack for strong damping."""
    system, reference = RotatingBody(TRIAXIAL).system(), torque_free_state(2.0)

    def error(steps):
        state = march_alpha(
            system,
            IDENTITY,
            Vec3(*TRIAXIAL_START),
            2.0,
            steps,
            parameters=AlphaParameters(radius),
            solve=fixed_point(8),
        )
        return distance(state, reference)

    assert observed_order(error, 40) == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("stepper", [f for f in ORDERS if f is not dop853], ids=lambda f: f.__name__)
def test_order_on_the_fast_heavy_top(stepper):
    """Benchmark 2.1, 0.2 s: 30 rad/s² of spin, 0.15 rad a step of 1 ms."""
    run = rollout_kernel(stepper, FAST_TOP.system())
    start, reference = FAST_TOP_START.to_array(), FAST_TOP_VALUES[0.2]

    def error(steps):
        final = run(IDENTITY.to_array(), start, 0.2 / steps, steps, steps).final
        return np.linalg.norm(final["state.q"] - reference[0])

    steps = 6400 if stepper is semi_implicit_euler else 400
    assert observed_order(error, steps) == pytest.approx(ORDERS[stepper], abs=0.05)


def test_order_of_the_variational_rotation_on_a_heavy_top():
    run = rollout_kernel(of_body(FAST_TOP, variational_rotation), None)
    start, reference = FAST_TOP_START.to_array(), FAST_TOP_VALUES[0.2]

    def error(steps):
        final = run(IDENTITY.to_array(), start, 0.2 / steps, steps, steps).final
        return np.linalg.norm(final["state.q"] - reference[0])

    assert observed_order(error, 400) == pytest.approx(2, abs=0.02)


def free_body():
    """The body of `prescribed_motion` with its wrench, and feedback that is zero on the exact motion.

    So the force depends on time, place, attitude and velocities.
    """
    truth = prescribed_motion

    def wrench(t, X, v):
        force, torque = (Vec3(*map(float, part)) for part in truth.wrench(t))
        p, dp, _ = (Vec3(*map(float, part)) for part in truth.place(t))
        q_exact, _, w_exact, _ = truth.turning(t)
        tilt = (Quaternion(*map(float, q_exact)).conjugate() @ X.q).vector
        force = force - (X.p - p) * 2.0 - (v[0] - dp) * 3.0
        torque = torque - tilt * 1.5 - (v[1] - Vec3(*map(float, w_exact))) * 0.8
        return force, torque

    I = truth.INERTIA  # noqa: E741
    inertia = SymMat3(*map(float, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])))
    return FreeBody(Body(truth.MASS, Vec3(*truth.CENTRE.tolist()), inertia), wrench)


def exact_state(t):
    """(q, p) and (v, w) of the prescribed motion as flat arrays in the order of Pose and of its velocity."""
    p, dp, _ = prescribed_motion.place(t)
    q, _, w, _ = prescribed_motion.turning(t)
    return np.concatenate([q, p]), np.concatenate([dp, w])


def free_start():
    x, v = exact_state(0.0)
    return Pose(Quaternion(*x[:4].tolist()), Vec3(*x[4:].tolist())), (
        Vec3(*v[:3].tolist()),
        Vec3(*v[3:].tolist()),
    )


@pytest.mark.parametrize("stepper", ORDERS, ids=lambda f: f.__name__)
def test_order_on_a_free_body_with_forces(stepper):
    system, reference = free_body().system(), exact_state(1.5)

    def error(steps):
        return distance(march(stepper, system, *free_start(), 1.5, steps), reference)

    slack = 0.3 if stepper is dop853 else 0.1
    steps = {semi_implicit_euler: 160, dop853: 6, dopri5: 60}.get(stepper, 30)
    assert observed_order(error, steps) == pytest.approx(ORDERS[stepper], abs=slack)


def test_order_of_the_variational_free_body():
    """Forces depend on velocity here: without the correction the order is 1, with it 2."""
    body, reference = free_body(), exact_state(1.5)
    for corrections, order in ((1, 2), (0, 1)):

        def stepper(system, t, X, v, h, corrections=corrections):
            return variational(body, t, X, v, h, corrections=corrections)

        def error(steps, stepper=stepper):
            return distance(march(stepper, None, *free_start(), 1.5, steps), reference)

        assert observed_order(error, 40 if order == 2 else 160) == pytest.approx(order, abs=0.15)


def test_a_ball_and_a_slider_side_by_side_move_as_each_alone():
    """A tree's configuration is a tuple with an entry for each joint."""
    ball, slider = FAST_TOP.system(), System(LINEAR, lambda t, x, v: scalar.sin(t) - x * 4.0)

    def acceleration(t, q, v):
        return ball.acceleration(t, q[0], v[0]), slider.acceleration(t, q[1], v[1])

    both = System(product(ROTATIONS, LINEAR), acceleration)
    for stepper in ORDERS:
        q, v = march(stepper, both, (IDENTITY, 0.3), (FAST_TOP_START, -1.0), 0.01, 5)
        q_ball, v_ball = march(stepper, ball, IDENTITY, FAST_TOP_START, 0.01, 5)
        x, dx = march(stepper, slider, 0.3, -1.0, 0.01, 5)
        assert list(scalars((q, v))) == list(scalars(((q_ball, x), (v_ball, dx)))), stepper.__name__


# ---- published and exact values ----------------------------------------------------------------------


def test_fast_heavy_top_to_its_digits():
    """Benchmark 2.1 with tolerances 1e-9 and 1e-8; DOP853 at h = 1 ms is far inside."""
    run = rollout_kernel(dop853, FAST_TOP.system())
    rolled = run(IDENTITY.to_array(), FAST_TOP_START.to_array(), 1e-3, 2000, 1)
    for t, (q, w) in FAST_TOP_VALUES.items():
        at = round(t * 1000) - 1
        found_q, found_w = rolled.records["record.q"][at], rolled.records["record.v"][at]
        assert min(np.abs(found_q - q).max(), np.abs(found_q + q).max()) < 1e-11
        assert np.abs(found_w - w).max() < 1e-10
    energy = FAST_TOP_ENERGY(
        Quaternion.from_array(rolled.records["record.q"]), Vec3.from_array(rolled.records["record.v"])
    )
    assert np.abs(energy / 5435.696790865546875 - 1).max() < 1e-13


def test_fast_heavy_top_as_published_for_runge_kutta_4():
    """EXUDYN's test suite, RK4, t = 0.2: the five digits it prints."""
    run = rollout_kernel(rk4, FAST_TOP.system())
    final = run(IDENTITY.to_array(), FAST_TOP_START.to_array(), 1e-4, 2000, 2000).final["state.q"]
    assert np.round(final, 5).tolist() == [-0.70828, 0.43878, 0.54573, 0.0894]


def test_lagrange_top_to_its_digits():
    """Benchmark 2.2, adaptive: at tolerance 1e-13 errors grow to some 1e-11 over ten seconds of 50 rad/s."""
    system, (q, v), t = LAGRANGE_TOP.system(), LAGRANGE_TOP_START, 0.0
    for end, (q_exact, w_exact) in LAGRANGE_TOP_VALUES.items():
        done = integrate(
            system, t, q, v, end, iterate=iterate, pair=DOP853, tolerance=Tolerance(1e-13, 1e-13)
        )
        assert done.converged
        t, q, v = end, done.state.q, done.state.v
        assert distance((q, v), (q_exact, w_exact)) < 2e-10
    assert LAGRANGE_TOP_ENERGY(q, v) == pytest.approx(1269.106729782512120393, rel=1e-12)


def test_symmetric_top_to_its_digits():
    """Benchmark 1.2 at t = 10, and its closed form at every step."""
    inertia = SymMat3.diagonal(2.0, 2.0, 1.0)
    run = rollout_kernel(dop853, RotatingBody(inertia).system())
    rolled = run(IDENTITY.to_array(), [0.3, 0.0, 1.2], 0.05, 200, 1)
    w, q = torque_free.symmetric_top(2.0, 1.0, (0.3, 0.0, 1.2), 0.05 * np.arange(1, 201))
    assert np.abs(rolled.records["record.v"] - w).max() < 1e-12
    assert np.abs(rolled.records["record.q"] - q).max() < 1e-12
    expected = [0.994344187302528473, 0.0933794104640638466, 0.0133109121559663447, 0.0488133434281468296]
    assert np.abs(rolled.records["record.q"][-1] - expected).max() < 1e-12


# ---- what is kept ------------------------------------------------------------------------------------

BOX = SymMat3.diagonal(1.0, 2.0, 3.0)


def box_figures(stepper, h=1e-3, duration=10.0):
    """Largest relative errors of the tumbling box: energy, length of momentum, momentum in space; and of |q|."""
    run = rollout_kernel(stepper, RotatingBody(BOX).system())
    start = Vec3(0.01, 5.0, 0.01)
    rolled = run(IDENTITY.to_array(), start.to_array(), h, round(duration / h), 1)
    q, w = Quaternion.from_array(rolled.records["record.q"]), Vec3.from_array(rolled.records["record.v"])
    L0 = BOX @ start
    energy = BOX.quadratic_form(w) / BOX.quadratic_form(start) - 1
    length = (BOX @ w).norm() / L0.norm() - 1
    momentum = (q.rotate(BOX @ w) - L0).norm() / L0.norm()
    return tuple(float(np.abs(x).max()) for x in (energy, length, momentum, q.norm() - 1))


def test_tumbling_box_with_runge_kutta_4():
    """10 s at 1 ms. The direction of the momentum is the worst: its O(h⁴) is 6.4e-12, as of plain RK4 in NumPy."""
    energy, length, momentum, norm = box_figures(rk4)
    assert energy < 1e-12
    assert length < 1e-12
    assert momentum < 1e-11
    assert norm < 5e-16
    assert box_figures(rk4, h=5e-4)[2] < 1e-12


def test_tumbling_box_with_dormand_prince():
    """One and a half times the work of RK4, and at 1 ms everything is kept to the rounding of 10⁴ steps."""
    assert max(box_figures(dopri5)) < 1e-13


@pytest.mark.parametrize(
    "stepper",
    [implicit_midpoint, of_body(RotatingBody(BOX), variational_rotation)],
    ids=["midpoint", "variational"],
)
def test_energy_and_momentum_of_a_torque_free_body_are_kept_at_any_step(stepper):
    """To the rounding of the steps, at 1 ms and at 50 ms, a quarter of a radian each."""
    assert max(box_figures(stepper)) < 1e-12
    assert max(box_figures(stepper, h=0.05, duration=500.0)) < 1e-11


@pytest.mark.parametrize("solve", [settled(iterate), newton(6, jacobians=4)], ids=["settled", "newton"])
def test_the_midpoint_rule_keeps_them_at_a_large_step(solve):
    """Two radians a step, where twelve rounds of x ← f(x) are too few; the tolerance is rounding."""
    system, w = RotatingBody(BOX).system(), Vec3(0.3, 2.0, 0.4)
    q, v = IDENTITY, w
    for _ in range(40):
        q, v = implicit_midpoint(system, 0.0, q, v, 0.5, solve=solve)
    assert BOX.quadratic_form(v) == pytest.approx(BOX.quadratic_form(w), rel=1e-13)
    assert (q.rotate(BOX @ v) - BOX @ w).norm() < 1e-13


@pytest.mark.parametrize(
    "stepper", [implicit_midpoint, of_body(FAST_TOP, variational_rotation)], ids=["midpoint", "variational"]
)
def test_symmetric_steppers_go_back_the_way_they_came(stepper):
    """A step of −h undoes a step of h, to the rounding of 150 rad/s; the implicit equation solved to that."""
    system = FAST_TOP.system()
    if stepper is implicit_midpoint:
        stepper = partial(implicit_midpoint, solve=settled(iterate))
    q, v = march(stepper, system, IDENTITY, FAST_TOP_START, 0.02, 10)
    q, v = march(stepper, system, q, v, -0.02, 10)
    assert distance((q, v), (list(IDENTITY), list(FAST_TOP_START))) < 1e-11


@pytest.mark.parametrize("stepper", ORDERS, ids=lambda f: f.__name__)
def test_quaternions_stay_on_the_unit_sphere(stepper):
    q, _ = march(stepper, FAST_TOP.system(), IDENTITY, FAST_TOP_START, 0.1, 50)
    assert abs(q.norm() - 1) < 5e-16


def test_a_free_body_keeps_its_momentum_under_the_variational_step():
    """Origin away from the centre of mass; over 200 steps of half a radian, to rounding."""
    inertia = SymMat3(1.3, 2.1, 2.7, 0.2, -0.1, 0.3)
    body = Body(2.5, Vec3(0.3, -0.2, 0.4), inertia)
    X, v = Pose(IDENTITY, Vec3(1.0, 2.0, 3.0)), (Vec3(0.4, -0.3, 0.2), Vec3(0.5, 2.0, -0.7))

    def momenta(X, v):
        v_cm = v[0] + X.q.rotate(cross(v[1], body.p_BBcm))
        spin = X.q.rotate(inertia @ v[1])
        return v_cm * body.mass, spin + cross(X.apply(body.p_BBcm), v_cm * body.mass)

    before = momenta(X, v)
    X, v = march(of_body(FreeBody(body), variational), None, X, v, 50.0, 200)
    after = momenta(X, v)
    assert (after[0] - before[0]).norm() < 1e-13
    # The place grows to 30 m and multiplies the rounding of the velocity.
    assert (after[1] - before[1]).norm() < 1e-11


@pytest.mark.slow
def test_the_variational_step_shows_no_drift_of_energy_over_a_million_steps():
    """A heavy top: the energy swings by O(h²), and its mean stays; the classical method drifts at the same step."""
    start = [list(part) for part in LAGRANGE_TOP_START]
    drift, swing = {}, {}
    for name, stepper in (("variational", of_body(LAGRANGE_TOP, variational_rotation)), ("rk4", rk4)):
        run = rollout_kernel(
            stepper, LAGRANGE_TOP.system(), lambda t, q, v: {"energy": LAGRANGE_TOP_ENERGY(q, v)}
        )
        rolled = run(*start, 4e-3, 1_000_000, 10)
        energy = rolled.records["record.energy"] / LAGRANGE_TOP_ENERGY(*LAGRANGE_TOP_START) - 1
        tenths = energy.reshape(10, -1).mean(axis=1)
        drift[name], swing[name] = abs(tenths[-1] - tenths[0]), np.ptp(energy[:10_000])
    assert drift["variational"] < 1e-3 * swing["variational"]
    # The classical method loses its way by as much in each tenth of the run.
    assert drift["rk4"] > 8 * swing["rk4"]


# ---- the group's parts -------------------------------------------------------------------------------


def test_the_cayley_map_is_that_of_the_matrices():
    turn = Vec3(0.3, -1.2, 0.7)
    half = cross_matrix(np.array(list(turn))) / 2
    expected = np.linalg.solve(np.eye(3) - half, np.eye(3) + half)
    assert np.abs(IDENTITY.integrate(rotation_cayley(turn)).to_matrix().to_array() - expected).max() < 1e-15


def test_the_truncated_series_misses_the_inverse_jacobian_by_its_fourth_order_term():
    """Θ̇ of q₀ ⊕ Θ by differences in fifty digits: halving Θ divides what is missing by sixteen."""

    def missing(size):
        theta, v = (Vec3(*map(mpmath.mpf, x)) for x in (("0.3", "-0.5", "0.2"), ("1", "0.4", "-0.8")))
        theta, tiny = theta * size, mpmath.mpf("1e-20")
        q0 = Quaternion(*map(mpmath.mpf, (1, 0, 0, 0)))
        moved = [q0.integrate(theta).integrate(v * s).to_rotation_vector() for s in (tiny / 2, -tiny / 2)]
        rate = (moved[0] - moved[1]) / tiny
        return (rate - inverse_of_right_jacobian(ROTATIONS, theta, v)).norm()

    with mpmath.workdps(60):
        ratio = missing(mpmath.mpf(1)) / missing(mpmath.mpf("0.5"))
    assert float(ratio) == pytest.approx(16, rel=0.02)


def test_the_rate_is_the_derivative_of_the_motion():
    X = Pose(Quaternion(0.5, 0.5, -0.5, 0.5), Vec3(1.0, 2.0, 3.0))
    v, h = (Vec3(0.3, 0.1, -0.2), Vec3(0.7, -0.4, 0.9)), 1e-4
    there, back = (POSES.advance(X, (v[0] * s, v[1] * s)) for s in (h, -h))
    slope = [(a - b) / (2 * h) for a, b in zip(scalars(there), scalars(back), strict=True)]
    # Central differences are good to h² times the third derivative, and to rounding over h.
    assert np.abs(np.subtract(slope, list(scalars(POSES.rate(X, v))))).max() < 1e-8


# ---- coefficients ------------------------------------------------------------------------------------


def as_table(rows, width):
    return np.array([[float(a) for a in row] + [0.0] * (width - len(row)) for row in rows])


def test_coefficients_of_order_8_are_the_published_ones():
    c = dop853_coefficients
    assert np.array_equal(as_table(DOP853.stages, 16), c.A[:12])
    assert np.array_equal(as_table(DOP853.extra_stages, 16), c.A[13:])
    assert np.array_equal(as_table([DOP853.weights], 12)[0], c.B)
    assert np.abs(as_table(DOP853.errors, 13) - [c.E5, c.E3]).max() < 1e-16
    assert np.array_equal(as_table(DOP853.dense, 16), c.D)
    assert np.abs(as_table([(*DOP853.nodes, 1, *DOP853.extra_nodes)], 16)[0] - c.C).max() < 1e-16


def test_coefficients_of_order_5_are_the_published_ones():
    assert np.abs(as_table(DOPRI5.stages, 5) - RK45.A).max() < 1e-15
    assert np.abs(as_table([DOPRI5.weights], 6)[0] - RK45.B).max() < 1e-16
    assert np.abs(as_table(DOPRI5.errors, 7)[0] + RK45.E).max() < 1e-16


@pytest.mark.parametrize("pair", [DOPRI5, DOP853], ids=["dopri5", "dop853"])
def test_rows_sum_to_their_nodes(pair):
    """To the thirty digits that are printed; those of order 5 exactly."""
    every = (
        *zip(pair.nodes, pair.stages, strict=True),
        *zip(pair.extra_nodes, pair.extra_stages, strict=True),
    )
    allowed = 0 if pair is DOPRI5 else Fraction(1, 10**26)
    assert all(abs(sum(row) - c) <= allowed for c, row in every)
    assert abs(sum(pair.weights) - 1) <= allowed
    assert all(abs(sum(row)) <= allowed for row in pair.errors)


def test_the_third_order_conditions_of_crouch_and_grossman_hold_exactly():
    """Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8: one more than the classical ones."""
    rows, b = _ORDER_3
    c = [sum(row, Fraction(0)) for row in rows]
    assert sum(b) == 1
    assert sum(x * y for x, y in zip(b, c, strict=True)) == Fraction(1, 2)
    assert sum(x * y * y for x, y in zip(b, c, strict=True)) == Fraction(1, 3)
    assert b[2] * rows[2][1] * c[1] == Fraction(1, 6)
    own = sum(x * x * y for x, y in zip(b, c, strict=True))
    pairs = sum(b[i] * c[i] * b[j] for j in range(3) for i in range(j))
    assert own + 2 * pairs == Fraction(1, 3)
