"""One rigid body: mass properties that can be, equations in every form, and motions against exact solutions."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import (
    AngleConvention,
    ArgumentError,
    Control,
    Event,
    Mat3,
    Quaternion,
    RigidBody,
    SymMat3,
    Vec3,
    Wrench,
    cross,
    dot,
)
from quatrain.compiler import TraceError
from quatrain.equations.euler_parameter_forms import FORMS
from quatrain.equations.rigid_body import Body
from quatrain.equations.stepping import Tolerance
from quatrain.equations.stepping.first_integrals import turned_to
from quatrain.scalar import sin
from quatrain.steppers import METHODS
from tests.truth import torque_free


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


FULL = np.array([[1.3, 0.2, -0.1], [0.2, 2.1, 0.3], [-0.1, 0.3, 2.7]])
ODD = RigidBody(2.5, FULL, com=(0.3, -0.2, 0.4))
"""Its origin is no special point, its axes no principal ones."""
BOX = RigidBody(1.0, (1.0, 2.0, 3.0))


def same_rotation(q, expected):
    return float(min(np.abs(q - expected).max(), np.abs(q + expected).max()))


# ---- mass properties ---------------------------------------------------------------------------------


def test_an_inertia_may_be_given_in_three_ways():
    for inertia in (FULL, FULL.tolist(), SymMat3.from_array(FULL), Mat3.from_array(FULL)):
        assert np.array_equal(RigidBody(2.5, inertia).inertia.to_array(), FULL)
    for moments in ((1, 2, 3), np.array([1.0, 2, 3]), Vec3(1, 2, 3)):
        assert RigidBody(1, moments) == BOX


def test_the_inertia_about_other_points_is_that_of_point_masses():
    rng = np.random.default_rng(2)
    masses, points = rng.uniform(0.1, 1.0, 12), rng.normal(size=(12, 3))
    about = lambda o: sum(
        m * (np.eye(3) * (d @ d) - np.outer(d, d)) for m, d in zip(masses, points - o, strict=True)
    )
    centre = masses @ points / masses.sum()
    body = RigidBody(masses.sum(), about(np.zeros(3)), com=centre, about=(0, 0, 0))
    assert np.abs(body.inertia.to_array() - about(centre)).max() < 1e-13
    for point in ([0.0, 0, 0], [1.0, -2.0, 0.5]):
        assert np.abs(body.inertia_about(point).to_array() - about(np.array(point))).max() < 1e-13


def test_principal_axes_are_those_of_numpy():
    moments, R_BP = ODD.principal_axes()
    assert list(moments) == pytest.approx(np.linalg.eigvalsh(FULL), rel=1e-14)
    R = R_BP.to_array()
    assert np.abs(R.T @ FULL @ R - np.diag(list(moments))).max() < 1e-14
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_a_flat_body_and_one_measured_to_six_digits_are_possible():
    RigidBody(1.0, (1.0, 2.0, 3.0))
    RigidBody(1.0, (0.1, 0.2, 0.1 + 0.2))  # more than the sum by a rounding
    assert RigidBody.from_body(ODD.body) == ODD
    assert ODD.body == Body(2.5, Vec3(0.3, -0.2, 0.4), SymMat3.from_array(FULL))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: RigidBody(0, (1, 1, 1)), "mass is 0 kg.\n  To fix: pass a finite mass above zero"),
        (lambda: RigidBody(-2.0, (1, 1, 1)), r"mass is -2\.0 kg"),
        (lambda: RigidBody(float("inf"), (1, 1, 1)), "mass is inf kg"),
        (lambda: RigidBody([1, 2], (1, 1, 1)), r"mass is \[1, 2\], not a number"),
        (
            lambda: RigidBody(1, (1, 2, 4)),
            "moments 1, 2, 4 kg m², and the greatest is more than the sum 3 of the others",
        ),
        (lambda: RigidBody(1, (1, -2, 4)), "moments -2, 1, 4 kg m²; all must be above zero"),
        (lambda: RigidBody(1, (1, 0, 1)), "moments 0, 1, 1 kg m²; all must be above zero"),
        (lambda: RigidBody(1, (1, math.nan, 1)), "inertia holds nan"),
        (
            lambda: RigidBody(1, [[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
            "inertia is not symmetric: its entries xy and yx",
        ),
        (lambda: RigidBody(1, np.eye(4)), r"inertia has shape \(4, 4\)"),
        (lambda: RigidBody(1, 5), "inertia is 5.\n  To fix: pass three principal moments"),
        (lambda: RigidBody(1, (1, 2, "x")), r"inertia is \(1, 2, 'x'\)"),
        (lambda: RigidBody(1, [[1, 2], [3]]), r"inertia is \[\[1, 2\], \[3\]\]"),
        (lambda: RigidBody.from_solid(5, density=1), "an int is no solid.\n  To fix: pass Box, Sphere"),
        (lambda: RigidBody(1, (1, 1, 1), com=(1, 2)), r"com is \(1, 2\)"),
        (lambda: RigidBody(1, (1, 1, 1), com=(1, 2, math.inf)), "not finite"),
        (
            lambda: RigidBody(20, (5, 5, 1), com=(0, 0, 1), about=(0, 0, 0)),
            "centre of mass has the principal moments -15",
        ),
    ],
)
def test_impossible_bodies_are_refused(make, text):
    with pytest.raises(ArgumentError, match=text) as caught:
        make()
    assert "To fix:" in str(caught.value)


# ---- equations ---------------------------------------------------------------------------------------


def sample(seed):
    rng = np.random.default_rng(seed)
    vec = lambda scale=1.0: Vec3(*(rng.normal(size=3) * scale))
    q = Quaternion(*rng.normal(size=4)).normalised()
    return q, vec(), vec(), [(vec(), vec()), (vec(), vec())]


@pytest.mark.parametrize("name", [name for name in FORMS if name not in ("newton_euler", "s32")])
def test_every_form_in_euler_parameters_gives_the_acceleration_of_newton_and_euler(name):
    """q̈ = ½ (q̇ ∘ ω + q ∘ ω̇); "s32", the shortest q̈, leaves the part along q open and is shown for that."""
    for seed in range(5):
        q, w, torque, forces = sample(seed)
        alpha = ODD.equations()(q, w, torque, forces=forces).acceleration
        dq = q.derivative(w)
        found = ODD.equations(name)(q, dq, torque, forces=forces)
        expected = dq.derivative(w) + q.derivative(alpha)
        assert (found.acceleration - expected).norm() < 1e-12 * (1 + expected.norm())
        assert (found.multiplier is None) == (FORMS[name].closed_multiplier is None)


@pytest.mark.parametrize("convention", ["ZYX", "xyz", "ZXZ", "rpy", "yzy"])
def test_three_angles_give_the_acceleration_of_newton_and_euler(convention):
    """ω = W q̇₂, so ω̇ = W q̈₂ + Ẇ q̇₂."""
    angles_of = AngleConvention(convention)
    for seed in range(5):
        q, w, torque, forces = sample(seed)
        angles = angles_of.from_quaternion(q)
        rates = angles_of.inverse_body_rate_map(angles) @ w
        found = ODD.equations(f"euler_angles:{convention}")(angles, rates, torque, forces=forces)
        alpha = angles_of.body_rate_map(angles) @ found.acceleration
        alpha = alpha + angles_of.body_rate_map_derivative(angles, rates) @ rates
        expected = ODD.equations()(q, w, torque, forces=forces).acceleration
        assert (alpha - expected).norm() < 1e-10 * angles_of.condition_number(angles)
        assert found.multiplier is None


def test_equations_run_on_fractions_and_fifty_digits():
    exact = RigidBody(1, (1, 2, 3)).equations()
    q = Quaternion(Fraction(3, 5), Fraction(4, 5), Fraction(0), Fraction(0))
    alpha = exact(q, Vec3(Fraction(1), Fraction(1, 2), Fraction(1, 3))).acceleration
    assert [Fraction(a).limit_denominator(1000) for a in alpha] == [
        Fraction(-1, 6),
        Fraction(1, 3),
        Fraction(-1, 6),
    ]
    with mpmath.workdps(50):
        w = Vec3(*(mpmath.mpf(x) / 3 for x in (1, 2, 3)))
        alpha = exact(Quaternion(*map(mpmath.mpf, (1, 0, 0, 0))), w).acceleration
        assert abs(alpha.y - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -49


def test_about_a_fixed_point_the_inertia_is_that_about_it():
    w = Vec3(0.3, -0.2, 0.5)
    I_Q = ODD.inertia_about((1, 0, 0))
    alpha = ODD.equations(fixed_point=(1, 0, 0))(Quaternion.identity(), w).acceleration
    assert (I_Q @ alpha + cross(w, I_Q @ w)).norm() < 1e-15


def test_equations_say_what_they_are():
    assert "J ω̇ = τ − ω × J ω" in str(BOX.equations())
    assert "angles ZYX [rad]" in str(BOX.equations("euler_angles:ZYX"))
    assert BOX.equations("lagrange").form == "s39"


def test_forms_that_are_not_there():
    with pytest.raises(
        ArgumentError,
        match=r"there is no form 'euler'.*\n  To fix: choose 'newton_euler', 'euler_angles:ZYX'",
    ):
        BOX.equations("euler")
    with pytest.raises(ArgumentError, match="needs a convention"):
        BOX.equations("euler_angles")
    with pytest.raises(ArgumentError, match="the convention 'ZZX' turns twice"):
        BOX.equations("euler_angles:ZZX")
    gimbal = AngleConvention("rpy"), Vec3(0.0, math.pi / 2, 0.0)
    assert gimbal[0].condition_number(gimbal[1]) > 1e15
    with pytest.raises(ArgumentError, match=r"the position, q_WB, is Vec3.*needs a Quaternion"):
        BOX.equations("s34")(Vec3(1.0, 0.0, 0.0), Quaternion.identity())
    with pytest.raises(ArgumentError, match=r"the velocity, q̇, is Vec3.*needs a Quaternion"):
        BOX.equations("s39")(Quaternion.identity(), Vec3(1.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match=r"the velocity, w_WB_B, is Quaternion.*needs a Vec3"):
        BOX.equations()(Quaternion.identity(), Quaternion.identity())
    for form, velocity in (("newton_euler", Vec3.zero()), ("s38", Quaternion(0.0, 0.0, 0.0, 0.0))):
        with pytest.raises(ArgumentError, match=r"the torque is \[0, 0, 1\].*needs a Vec3"):
            BOX.equations(form)(Quaternion.identity(), velocity, [0, 0, 1])
    with pytest.raises(ArgumentError, match="singular"):
        BOX.equations("euler_angles:ZXZ")(Vec3(0.1, 0.0, 0.2), Vec3(1.0, 0.0, 0.0))


# ---- motions that are known ----------------------------------------------------------------------------


def test_tumbling_box_keeps_energy_and_momentum():
    """10 s at 1 ms with the default method: relative errors below 1e-12, the direction of the momentum included."""
    run = BOX.simulate(w0=(0.01, 5.0, 0.01), duration=10.0)
    assert run.drift("energy")[1] < 1e-12
    assert run.drift("angular_momentum")[1] < 1e-12
    assert run.drift("q")[0] < 1e-15
    assert run.drift("linear_momentum")[0] == 0.0
    # It tumbles: the middle axis turns over.
    assert run.w[:, 1].min() < -4.9


def test_the_momentum_is_kept_without_moving_the_rest():
    """Turning the attitude by what is missing of the momentum changes it by no more than its own error, O(h⁴)."""
    start = {"w0": (0.01, 5.0, 0.01), "duration": 10.0, "record_every": 100}
    kept, plain = BOX.simulate(**start), BOX.simulate(**start, keep_momentum=False)
    exact = BOX.simulate(**start, method="dop853", tolerance=1e-14)
    assert np.array_equal(kept.w, plain.w)
    assert plain.drift("angular_momentum")[1] == pytest.approx(6.4e-12, rel=0.2)
    errors = [np.abs(run.q - exact.q).max() for run in (kept, plain)]
    assert errors[0] < 1.1 * errors[1] + 1e-12


@pytest.mark.parametrize("method", [m for m in METHODS if m != "linearly_implicit_euler"])
def test_every_method_moves_a_free_body(method):
    """Momentum where nothing exerts a torque; adaptive ones to their tolerance, the first-order one as it can."""
    run = ODD.simulate(
        w0=(0.3, 0.5, -0.2), v0=(1.0, 2.0, 3.0), p0=(1.0, 1.0, 1.0), duration=1.0, dt=0.01, method=method
    )
    rough = {"semi_implicit_euler": 1e-2, "generalized_alpha": 1e-5, "crouch_grossman3": 1e-8}
    assert run.drift("linear_momentum")[1] < 1e-14
    assert run.drift("angular_momentum")[1] < rough.get(method, 1e-8)
    assert run.drift("energy")[1] < rough.get(method, 1e-8)


@pytest.mark.parametrize("method", ["rk4", "variational", "dopri5"])
def test_a_pinned_body_turns_about_its_fixed_point(method):
    pinned = ODD.simulate(
        w0=(0.3, 0.5, -0.2), duration=1.0, dt=0.01, method=method, fixed_point=(0.0, 0.0, 0.0)
    )
    assert pinned.drift("angular_momentum")[1] < 1e-8
    assert np.abs(pinned.p).max() == 0.0


def test_triaxial_body_against_elliptic_functions():
    """Jacobi's solution at random moments and rates in both regimes, over some turns."""
    for moments, w0 in (((1.0, 2.0, 2.5), (0.4, 0.3, 0.7)), ((1.0, 1.7, 2.2), (1.1, 0.2, 0.3))):
        body = RigidBody(1.0, moments)
        run = body.simulate(w0=w0, duration=4.0, dt=2.0, method="dop853", tolerance=1e-13)
        with mpmath.workdps(20):
            exact = torque_free.motion(moments, w0)
            for i, t in enumerate(run.t[1:], start=1):
                assert np.abs(run.w[i] - np.array(exact.angular_velocity(t), float)).max() < 1e-11
                R = np.array(exact.attitude(t).tolist(), float)
                assert np.abs(Quaternion.from_array(run.q[i]).to_matrix().to_array() - R).max() < 1e-11


def test_symmetric_body_against_its_closed_form():
    """Benchmark 1.2; rk4 at 1 ms and about 1 rad/s is exact to its rounding."""
    run = RigidBody(1.0, (2.0, 2.0, 1.0)).simulate(w0=(0.3, 0.0, 1.2), duration=100.0, record_every=100)
    w, q = torque_free.symmetric_top(2.0, 1.0, (0.3, 0.0, 1.2), run.t)
    assert np.abs(run.w - w).max() < 1e-11
    assert np.abs(run.q - q).max() < 1e-11
    expected = [0.670213729514896406, 0.0586545227732470146, 0.375701644543878534, 0.63735506432050971]
    assert run.q[-1] == pytest.approx(expected, abs=1e-11)


def test_the_tumbling_brick_of_the_nesc_check_cases():
    """Benchmark 1.3, NASA/TM-2015-218675 case 2, in deg/s; 1e-9 is the tolerance of the reference."""
    slug_ft2 = 1.3558179483314004
    brick = RigidBody(
        0.155404754 * 14.593902937206364, np.array([0.001894220, 0.006211019, 0.007194665]) * slug_ft2
    )
    run = brick.simulate(w0=np.radians([10.0, 20.0, 30.0]), duration=30.0, record_every=10_000)
    assert np.degrees(run.w[1]) == pytest.approx(
        [-2.418902221692877, -23.5525695195605, 28.12859263004144], abs=1e-9
    )
    assert np.degrees(run.w[2]) == pytest.approx(
        [-5.422734680068388, 22.71593057645249, 28.60828174731663], abs=1e-9
    )
    assert np.degrees(run.w[3]) == pytest.approx(
        [12.61839077591422, -17.39747476161139, 31.11958888694434], abs=1e-9
    )
    q10 = [-0.838405866829093125, 0.542762934807965475, -0.0478879834937783292, 0.0138108689842746084]
    q30 = [-0.88114718531042352, 0.47018252776669253, 0.0117282523248711814, 0.0486875394720837703]
    assert same_rotation(run.q[1], np.array(q10)) < 1e-11
    assert same_rotation(run.q[3], np.array(q30)) < 1e-11


FAST_TOP = {
    0.2: (
        [-2.6915909121434086214, 150.0, 4.9172609898939944171],
        [-0.70827915297431256211, 0.43878108812658189737, 0.54572839614541767341, 0.089399752824005010462],
        [0.60555056137711977014, 0.59895768179491915768, -0.52398302743000318478],
    ),
    1.0: (
        [-0.82207810168270445626, 150.0, -5.9232913481173361861],
        [0.73294398067971363715, -0.27828571933761267852, 0.53182461133416261792, -0.32017614273624928141],
        [0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948],
    ),
    2.0: (
        [0.12223321949739423679, 150.0, -5.8556245892054577283],
        [0.1229471350415334671, -0.4910798925500270147, 0.35043003034362096184, -0.78798688755048566932],
        [-0.15041682274564175981, -0.72416559163689565075, -0.67302226956044409605],
    ),
}


def test_the_fast_heavy_top():
    """Benchmark 2.1 within its tolerances, 1e-9 at 0.2 s and 1e-8 at 2 s; the pivot is the origin of the body."""
    top = RigidBody(15.0, (0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    run = top.simulate(
        w0=(0, 150, -4.61538),
        gravity=(0, 0, -9.81),
        fixed_point=(0, 0, 0),
        duration=2.0,
        record_every=200,
        method="dop853",
        tolerance=1e-13,
    )
    for t, (w, q, centre) in FAST_TOP.items():
        i, allowed = round(t / 0.2), 1e-9 if t < 0.5 else 1e-8
        assert np.abs(run.w[i] - w).max() < allowed
        assert same_rotation(run.q[i], np.array(q)) < allowed
        found = Quaternion.from_array(run.q[i]).rotate(Vec3(0, 1, 0)).to_array()
        assert np.abs(found - centre).max() < allowed
    assert run.energy()[0] == pytest.approx(5435.696790865546875, rel=1e-15)
    assert run.drift("energy")[1] < 1e-11
    assert np.abs(run.w[:, 1] - 150).max() < 1e-9


def test_the_lagrange_top():
    """Benchmark 2.2: inertia (5, 5, 1) about the pivot and m g l = 20, here of a body that can be: 2 kg at 10 m/s²."""
    top = RigidBody(2.0, (5, 5, 1), com=(0, 0, 1), about=(0, 0, 0))
    assert list(top.inertia)[:3] == [3.0, 3.0, 1.0]
    run = top.simulate(
        (math.cos(0.15), math.sin(0.15), 0, 0),
        (0, 0, 50),
        gravity=(0, 0, -10),
        fixed_point=(0, 0, 0),
        duration=10.0,
        record_every=1000,
        method="dop853",
        tolerance=1e-13,
    )
    q1 = [0.97932510076809217636, 0.14020692739051612824, 0.082137412821683161892, -0.12048987481210627169]
    q10 = [0.33852151631668276873, 0.10390086392275632083, -0.12136733643593152721, -0.92729594149505807244]
    assert same_rotation(run.q[1], np.array(q1)) < 1e-9
    assert same_rotation(run.q[10], np.array(q10)) < 1e-9
    assert run.w[10] == pytest.approx([-0.16505112365229953625, 0.15445632918441698179, 50.0], abs=1e-9)
    assert run.energy()[0] == pytest.approx(1269.106729782512120393, rel=1e-15)


def test_the_nutation_of_the_lagrange_top():
    """Benchmark 2.2: its lowest angle and its period, roots and an integral of the top's cubic, by fourteen swings."""
    top = RigidBody(2.0, (5, 5, 1), com=(0, 0, 1), about=(0, 0, 0))
    rising = lambda t, X, v: X.q.rotate(cross(v.w, Vec3(0, 0, 1))).z  # rate of the height of the axis
    run = top.simulate(
        (math.cos(0.15), math.sin(0.15), 0, 0),
        (0, 0, 50),
        gravity=(0, 0, -10),
        fixed_point=(0, 0, 0),
        duration=10.0,
        dt=2e-4,
        record_every=100,
        events={"lowest": Event(rising, direction=1), "highest": Event(rising, direction=-1)},
    )
    period = 0.68225601583118194
    lowest, highest = run.events["lowest"], run.events["highest"]
    assert (int(lowest.count), int(highest.count)) == (15, 14)
    # RK4 in steps of a hundredth of a radian: 1.5e-9 s after ten seconds; 39 times as much at steps of 0.5 ms.
    assert lowest.t[:15] == pytest.approx((np.arange(15) + 0.5) * period, abs=3e-9)
    assert highest.t[:14] == pytest.approx(np.arange(1, 15) * period, abs=3e-9)
    for found, angle, count in ((lowest, 0.32673371464485402109, 15), (highest, 0.3, 14)):
        axis = Quaternion.from_array(found.values["q"][:count]).rotate(Vec3(0.0, 0.0, 1.0))
        assert np.arccos(axis.z) == pytest.approx(np.full(count, angle), abs=1e-10)


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
@pytest.mark.parametrize("driven", [False, True], ids=["free", "driven"])
def test_events_within_steps_of_their_own_size_are_as_exact_as_the_steps(method, driven):
    """The zeros of sn at known times, whether an interval between records holds many steps or a part of one.

    At a tolerance of 1e-12 errors grow to some 1e-10 in forty seconds.
    """
    moments, w0 = (1.0, 2.0, 2.5), (0.4, 0.3, 0.7)
    with mpmath.workdps(20):
        exact = torque_free.motion(moments, w0)
        K = mpmath.ellipk(exact.parameter)
        times = [float((2 * K * k - exact.phase) / exact.rate) for k in range(-3, 12)]
    times = [t for t in times if 0 < t < 40]
    assert len(times) >= 4
    simulation = RigidBody(1.0, moments).simulation(
        fixed_point=(0, 0, 0),
        method=method,
        tolerance=1e-12,
        control=(lambda t, q, v, x, p: Vec3.zero()) if driven else None,
        events={"zero": lambda t, X, v: v.w.y},
        record=["w"],
    )
    for dt in (0.05, 0.4, 2.0):  # none of them lets two zeros fall between two records
        found = simulation(w0=w0, duration=40.0, dt=dt).events["zero"]
        assert int(found.count) == len(times)
        assert found.t[: len(times)] == pytest.approx(times, abs=1e-9)
        assert np.abs(found.values["w"][: len(times), 1]).max() < 1e-10


def test_the_centre_of_mass_of_a_thrown_body_flies_a_parabola():
    """However it turns; and energy and the momentum about its centre are kept."""
    run = ODD.simulate(w0=(1.0, 3.0, -2.0), v0=(1, 2, 10), p0=(0, 0, 1), gravity=(0, 0, -9.81), duration=2.0)
    R = Quaternion.from_array(run.q)
    centre = run.p + R.rotate(ODD.com).to_array()
    v_cm = run.v[0] + cross(Vec3(1.0, 3.0, -2.0), ODD.com).to_array()
    t = run.t[:, None]
    assert np.abs(centre - (centre[0] + v_cm * t + [0, 0, -9.81 / 2] * t**2)).max() < 1e-12
    assert run.drift("energy")[1] < 1e-10
    assert run.drift("angular_momentum")[1] < 1e-10
    # p and v belong together: v is the derivative of p, by central differences to h² |p⃛|/6.
    assert np.abs((run.p[2:] - run.p[:-2]) / 2e-3 - run.v[1:-1]).max() < 1e-4


def test_forces_and_torques_against_scipy():
    """A force at an origin that is not the centre of mass, a torque in the body, drag; Newton-Euler in NumPy."""
    torque = lambda t, q, w: Vec3(0.3 * sin(t * 2), 0.1, 0.0) - w * 0.2
    force = lambda t, X, v: Vec3(1.0, 0.0, 0.5) - v.v * 0.4 - X.p * 0.3
    run = ODD.simulate(
        w0=(0.2, -0.1, 0.3),
        v0=(0.5, 0, 0),
        torque=torque,
        force=force,
        gravity=(0, 0, -1.5),
        duration=3.0,
        dt=0.01,
        record_every=100,
        method="dop853",
        tolerance=1e-12,
    )
    c, inverse = np.array([0.3, -0.2, 0.4]), np.linalg.inv(FULL)

    def slope(t, y):
        R = Quaternion(*y[:4]).to_matrix().to_array()
        p, v, w = y[4:7], y[7:10], y[10:]
        f = np.array([1.0, 0, 0.5]) - 0.4 * v - 0.3 * p
        tau = np.array([0.3 * math.sin(2 * t), 0.1, 0]) - 0.2 * w
        alpha = inverse @ (tau - np.cross(c, R.T @ f) - np.cross(w, FULL @ w))
        a = f / 2.5 + [0, 0, -1.5] - R @ (np.cross(alpha, c) + np.cross(w, np.cross(w, c)))
        dq = Quaternion(*y[:4]).derivative(Vec3(*w)).to_array()
        return np.concatenate([dq, v, a, alpha])

    start = [1, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 0.2, -0.1, 0.3]
    found = solve_ivp(slope, (0, 3), start, method="DOP853", rtol=1e-12, atol=1e-13)
    end = np.concatenate([run.q[-1], run.p[-1], run.v[-1], run.w[-1]])
    assert np.abs(end - found.y[:, -1]).max() < 1e-9


def test_a_force_at_the_fixed_point_does_nothing():
    runs = [
        ODD.simulate(
            w0=(0.2, -0.1, 0.3), force=force, torque=(0.1, 0, 0), fixed_point=(0, 0, 0), duration=1.0, dt=0.1
        )
        for force in (None, lambda t, X, v: Vec3(1.0, 0.0, 0.5) - v.v * 0.4 - X.p * 0.3)
    ]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-15
    elsewhere = ODD.simulate(
        w0=(0.2, -0.1, 0.3), force=(0, 0, 1), fixed_point=(0.5, 0, 0), duration=1.0, dt=0.1
    )
    assert np.abs(elsewhere.q - runs[0].q).max() > 1e-3
    # Work of the force at the origin is the gain of energy.
    work = elsewhere.p[-1, 2] - elsewhere.p[0, 2]
    assert elsewhere.energy()[-1] - elsewhere.energy()[0] == pytest.approx(work, abs=1e-6)


def test_power_of_the_loads_is_the_change_of_energy():
    """E(t) − E(0) = ∫ (f·v + τ·ω) dt, by Simpson's rule over the records, good to h⁴."""
    f, tau = np.array([0.3, -0.2, 0.1]), np.array([0.1, 0.2, -0.3])
    run = ODD.simulate(w0=(0.2, 0.5, 0.3), force=f, torque=tau, gravity=(0, 0, -9.81), duration=1.0, dt=1e-3)
    power = run.v @ f + run.w @ tau
    weights = np.where(np.arange(1001) % 2, 4, 2).astype(float)
    weights[[0, -1]] = 1
    assert run.energy()[-1] - run.energy()[0] == pytest.approx(weights @ power * 1e-3 / 3, abs=1e-11)


# ---- runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"fixed_point": (0.1, 0, 0), "gravity": (0, 0, -9.81)}, {"method": "variational"}]
)
def test_a_batch_is_its_motions_one_by_one_bit_for_bit(options):
    rng = np.random.default_rng(1)
    simulation = ODD.simulation(**options)
    q0 = rng.normal(size=(7, 4))
    w0 = rng.normal(size=(7, 3))
    together = simulation(q0, w0, duration=0.5, dt=1e-2, normalize="project")
    for i in range(7):
        alone = simulation(q0[i], w0[i], duration=0.5, dt=1e-2, normalize="project")
        for name in together.columns:
            assert np.array_equal(alone[name], together[name][i]), name


def test_bodies_that_differ_within_a_batch():
    moments = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [1.5, 1.5, 1.5]])
    masses = np.array([1.0, 2.0, 3.0])
    run = BOX.simulate(
        w0=(0.3, 0.5, 0.2),
        v0=(1, 0, 0),
        gravity=(0, 0, -9.81),
        duration=1.0,
        dt=0.01,
        parameters={"moments": moments, "mass": masses, "com": (0.1, 0, 0)},
    )
    for i in range(3):
        alone = RigidBody(masses[i], moments[i], com=(0.1, 0, 0)).simulate(
            w0=(0.3, 0.5, 0.2), v0=(1, 0, 0), gravity=(0, 0, -9.81), duration=1.0, dt=0.01
        )
        for name in run.columns:
            assert np.abs(run[name][i] - alone[name]).max() < 1e-13
    with pytest.raises(ArgumentError, match=r"inertia\[1\] has the principal moments 1, 1, 3"):
        BOX.simulate(duration=1.0, parameters={"moments": [[1, 2, 3], [1, 1, 3]]})
    matrices = np.stack([FULL, np.diag([1.0, 2, 3])])
    run = BOX.simulate(w0=(0.3, 0.5, 0.2), duration=1.0, dt=0.01, parameters={"inertia": matrices})
    alone = RigidBody(1.0, FULL).simulate(w0=(0.3, 0.5, 0.2), duration=1.0, dt=0.01)
    assert np.abs(run.w[0] - alone.w).max() < 1e-15


def test_a_control_law_points_the_body():
    """A torque −k vec(q) − d ω brings it to rest at the identity; gains of the user's own, one for each motion."""

    def law(t, X, v, x, p):
        return X.q.vector * -p["stiffness"] - v.w * p["damping"]

    run = BOX.simulate(
        Quaternion.from_axis_angle(Vec3(1.0, 2.0, 3.0), 2.0),
        (0.1, 0.2, 0.3),
        control=law,
        duration=60.0,
        dt=0.01,
        record_every=100,
        parameters={"stiffness": [2.0, 4.0], "damping": 3.0},
    )
    assert np.abs(run.q[:, -1, 1:]).max() < 1e-3
    assert np.abs(run.w[:, -1]).max() < 1e-3
    assert run.control_torque.shape == (2, 61, 3)
    expected = -np.array([[2.0], [4.0]]) * run.q[:, 0, 1:] - 3.0 * run.w[:, 0]
    assert np.abs(run.control_torque[:, 0] - expected).max() < 1e-15
    assert np.abs(run.control_force).max() == 0
    assert "driven" in run.report()


def test_a_law_may_push_as_well():
    """Wrench(force, torque): here a force that carries the weight."""
    hover = Control(lambda t, X, v, x, p: Wrench(Vec3(0.0, 0.0, 9.81), Vec3.zero()))
    run = BOX.simulate(control=hover, gravity=(0, 0, -9.81), duration=1.0, dt=0.1)
    assert np.abs(run.p).max() < 1e-15


def test_events_see_the_origin_and_its_velocity():
    """Thrown up with 9.81 m/s the body is highest after 1 s and back after 2 s."""
    events = {"top": Event(lambda t, X, v: v.v.z), "back": Event(lambda t, X, v: X.p.z, direction=-1)}
    run = BOX.simulate(v0=(1, 0, 9.81), gravity=(0, 0, -9.81), duration=3.0, dt=0.01, events=events)
    assert run.events["top"].t[0] == pytest.approx(1.0, abs=1e-12)
    assert run.events["back"].t[0] == pytest.approx(2.0, abs=1e-12)
    assert run.events["back"].values["p"][0] == pytest.approx([2.0, 0, 0], abs=1e-11)


def test_load_functions_take_parameters_if_they_want():
    run = BOX.simulate(
        torque=lambda t, q, w, p: Vec3(p["push"], 0.0, 0.0),
        duration=1.0,
        dt=0.01,
        parameters={"push": [1.0, 2.0]},
    )
    assert run.w[:, -1, 0] == pytest.approx([1.0, 2.0], abs=1e-13)


def test_a_body_at_rest_stays_and_is_not_divided_by_zero():
    run = ODD.simulate(duration=0.1)
    assert np.abs(run.w).max() == 0
    assert np.array_equal(run.q[-1], [1, 0, 0, 0])
    assert "largest change" in run.report()


def test_runs_that_cannot_be():
    with pytest.raises(ArgumentError, match=r"q0 has the norm 0\.5"):
        BOX.simulate((0.5, 0, 0, 0), duration=1.0)
    assert np.array_equal(BOX.simulate((0.5, 0, 0, 0), duration=0.01, normalize="project").q[0], [1, 0, 0, 0])
    with pytest.raises(ArgumentError, match=r"w0 has shape \(2,\)"):
        BOX.simulate(w0=(1, 2), duration=1.0)
    with pytest.raises(ArgumentError, match="dt is 0 s"):
        BOX.simulate(duration=1.0, dt=0)
    with pytest.raises(ArgumentError, match="p0 or v0 was given for a body with a fixed point"):
        BOX.simulate(p0=(1, 0, 0), fixed_point=(0, 0, 0), duration=1.0)
    with pytest.raises(
        ArgumentError, match="what the function torque= returns is one number; it must be a Vec3"
    ):
        BOX.simulate(torque=lambda t, q, w: w.x, duration=1.0)
    with pytest.raises(
        ArgumentError, match="the control law <lambda> returns is one number; it must be a Vec3"
    ):
        BOX.simulate(control=lambda t, q, v, x, p: t, duration=1.0)
    with pytest.raises(ArgumentError, match=r"gravity is -9\.81"):
        BOX.simulate(gravity=-9.81, duration=1.0)
    with pytest.raises(ArgumentError, match=r"the parameter 'moments' has shape \(2,\)"):
        BOX.simulate(duration=1.0, parameters={"moments": [1.0, 2.0]})
    with pytest.raises(ArgumentError, match=r"the parameter 'inertia' has shape \(3,\)"):
        BOX.simulate(duration=1.0, parameters={"inertia": [1.0, 2.0, 3.0]})
    with pytest.raises(ArgumentError, match="'inertia' and 'moments' were both given"):
        BOX.simulate(duration=1.0, parameters={"inertia": FULL, "moments": [1.0, 2.0, 3.0]})


@pytest.mark.parametrize(
    ("options", "says", "advises"),
    [
        (
            {"q0": np.tile([1.0, 0, 0, 0], (3, 1)), "w0": np.zeros((4, 3))},
            r"starts do not fit together: q0 \(3,\), w0 \(4,\)",
            "one for all",
        ),
        (
            {"w0": np.zeros((4, 3)), "parameters": {"mass": [1.0, 2.0]}},
            r"w0 \(4,\), mass \(2,\)",
            "as many of each",
        ),
        (
            {"control": lambda t, X: Vec3.zero()},
            r"the control law <lambda> takes \(t, X\), and is called with \(t, q, v, x, p\)",
            r"arguments \(t, q, v, x, p\)",
        ),
        (
            {"torque": lambda t: Vec3.zero()},
            r"the function torque= <lambda> takes \(t\), and is called with \(t, q, w\) or \(t, q, w, p\)",
            r"\(t, q, w\)",
        ),
        ({"force": lambda: Vec3.zero()}, r"force= <lambda> takes \(\)", r"\(t, X, v\)"),
        ({"events": {"up": 3}}, "an event is an int", r"\(t, q, v\)"),
        ({"events": {"up": lambda t: t}}, r"an event <lambda> takes \(t\)", r"\(t, q, v\)"),
        (
            {"events": {"up": lambda t, X, v: v}},
            "what the event 'up' returns is a Velocity of 2 values; it must be a number",
            "just that",
        ),
        (
            {"control": lambda t, X, v, x, p: (1.0, 2.0)},
            "the control law <lambda> returns is a tuple of 2 values; it must be a Vec3",
            "just that",
        ),
        ({"parameters": {"mass": [2.0, -1.0]}}, r"the parameter 'mass'\[1\] is -1 kg", "above zero"),
        ({"parameters": {"mass": math.nan}}, "the parameter 'mass' is nan kg", "above zero"),
        (
            {"parameters": {"mas": [1.0, 2.0]}},
            "the parameter 'mas' is read by no force, torque, law or event",
            r"p\['mas'\].*how it is spelt",
        ),
        (
            {"torque": lambda t, q, w: Vec3.from_array(np.array([w.x, w.y, w.z]))},
            "a traced value has no number yet, so it cannot be used as a float",
            "no float",
        ),
        ({"method": "dopri5", "tolerance": -1.0}, "tolerance is -1 of the value", "from zero up"),
        ({"method": "dopri5", "tolerance": 0.0}, "tolerance is 0 of the value and 0 besides", "above it"),
        ({"method": "dopri5", "tolerance": math.nan}, "tolerance is nan", "from zero up"),
        ({"method": "dopri5", "tolerance": "fine"}, "tolerance is 'fine'", "Tolerance"),
        ({"dtype": "float16"}, "dtype is 'float16'", "'float64' or 'float32'"),
        (
            {"duration": 1e9, "dt": 1e-6},
            "1,000,000,000,000,001 records of this run do not fit into memory",
            "record_every",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_a_run_cannot_do_is_answered_with_what_and_what_to_do(options, says, advises):
    with pytest.raises((ArgumentError, TraceError), match=rf"(?s){says}.*To fix: .*{advises}"):
        BOX.simulate(**{"duration": 0.1, **options})


def test_a_tolerance_may_be_one_number():
    run = BOX.simulate(w0=(0.1, 1, 0.1), duration=1.0, dt=0.1, method="dopri5", tolerance=1e-6)
    assert run.facts["tolerance"] == Tolerance(1e-6, 1e-6)
    assert dot(Vec3.from_array(run.w[-1]), Vec3.from_array(run.w[-1])) > 0


def test_a_body_compares_the_formulations_of_its_motion():
    found = BOX.compare(
        Quaternion.identity(), Vec3(0.1, 1.0, 0.2), duration=0.1, dt=0.01, forms=["newton_euler", "s39"]
    )
    assert {row.form for row in found.rows} == {"newton_euler", "s39"}


def test_single_precision():
    run = BOX.simulate(w0=(0.01, 5.0, 0.01), duration=1.0, dtype="float32")
    assert run.q.dtype == np.float32
    assert run.drift("angular_momentum")[1] < 1e-4


# ---- the projection on the momentum --------------------------------------------------------------------


def test_the_least_turn_brings_one_direction_upon_another():
    rng = np.random.default_rng(4)
    q = Quaternion.from_array(rng.normal(size=(100, 4))).normalised()
    a, b = (Vec3.from_array(rng.normal(size=(100, 3))) for _ in range(2))
    turned = turned_to(q, a, b)
    assert np.abs(turned.norm() - 1).max() < 1e-15
    assert np.abs((turned.rotate(a) / a.norm() - b / b.norm()).norm()).max() < 1e-14
    # Least: by the angle between the two, and no more.
    before = q.rotate(a)
    angle = np.arccos(dot(before, b) / (before.norm() * b.norm()))
    assert turned.geodesic_distance(q) == pytest.approx(angle, abs=1e-7)


def test_there_is_no_turn_to_or_from_nothing():
    q = Quaternion(0.5, 0.5, -0.5, 0.5)
    for a, b in ((Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0)), (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))):
        with np.errstate(all="ignore"):
            columns = Vec3.from_array([list(a)]), Vec3.from_array([list(b)])
            assert np.array_equal(turned_to(q, *columns).to_array()[0], q.to_array())


@pytest.mark.slow
def test_the_variational_method_shows_no_drift_of_energy_over_a_million_steps():
    """Of the Lagrange top the energy swings by O(h²), and its mean stays; of the free box it is kept to rounding.

    The rounding of a million steps, each by chance: an error of J⁻¹ that were the same in each would be 6e-12.
    """
    top = RigidBody(2.0, (5, 5, 1), com=(0, 0, 1), about=(0, 0, 0))
    start, options = (
        ((math.cos(0.15), math.sin(0.15), 0, 0), (0, 0, 50)),
        {"method": "variational", "record": ["energy"]},
    )
    hung = {"gravity": (0, 0, -10), "fixed_point": (0, 0, 0)}
    energy = top.simulate(*start, duration=4000.0, dt=4e-3, record_every=10, **hung, **options).energy()
    tenths = energy[1:].reshape(10, -1).mean(axis=1)
    assert abs(tenths[-1] - tenths[0]) < 1e-3 * np.ptp(energy[:10_000])
    box = BOX.simulate(w0=(0.01, 5.0, 0.01), duration=1000.0, dt=1e-3, record_every=1000, **options)
    assert box.drift("energy")[1] < 1e-12
