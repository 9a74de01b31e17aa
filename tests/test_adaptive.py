"""Steps of chosen size: errors follow the tolerance, steps are SciPy's, output between steps and events are exact."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import scalar
from quatrain.compiler import compile, iterate
from quatrain.equations.stepping import (
    CONTROL,
    DOP853,
    DOPRI5,
    EITHER,
    FALLING,
    LINEAR,
    RISING,
    Control,
    RotatingBody,
    System,
    Tolerance,
    attempt,
    begin,
    cubic,
    dense,
    error_norm,
    first_step,
    integrate,
    locate,
    rk4,
    step,
    step_factor,
)
from quatrain.equations.stepping.nested import scalars
from quatrain.equations.stepping.system import field
from quatrain.geometry import Mat3, Quaternion, SymMat3, Vec3, cross
from tests.truth import torque_free

PAIRS = {"dopri5": DOPRI5, "dop853": DOP853}
both_pairs = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)

IDENTITY = Quaternion(1.0, 0.0, 0.0, 0.0)
TRIAXIAL, START = SymMat3.diagonal(1.0, 2.0, 4.0), Vec3(0.4, 0.3, 0.7)


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


def up_to_sign(q, exact):
    q, exact = np.asarray(q, float), np.asarray(exact, float)
    return np.minimum(np.linalg.norm(q - exact, axis=-1), np.linalg.norm(q + exact, axis=-1))


# ---- accuracy ----------------------------------------------------------------------------------------


@cache
def torque_free_state(t):
    with mpmath.workdps(20):
        exact = torque_free.motion((1, 2, 4), tuple(START))
        R = np.array(exact.attitude(t).tolist(), float)
        return Quaternion.from_matrix(Mat3.from_array(R)).to_array(), np.array(
            exact.angular_velocity(t), float
        )


def heavy_top(inertia, weight, centre):
    """About its fixed point, gravity along −z."""
    return RotatingBody(
        inertia, lambda t, q, w: cross(centre, q.inverse_rotate(Vec3(0.0, 0.0, -weight)))
    ).system()


FAST_TOP = heavy_top(SymMat3.diagonal(15.234375, 0.46875, 15.234375), 15 * 9.81, Vec3(0.0, 1.0, 0.0))
FAST_TOP_START = Vec3(0.0, 150.0, -4.61538)
# Benchmark 2.1 at t = 0.2.
FAST_TOP_END = [
    -0.70827915297431256211,
    0.43878108812658189737,
    0.54572839614541767341,
    0.089399752824005010462,
]


def integrating(system, pair, **options):
    """A kernel: (t, q, w, end, tolerance) → state, attempts, convergence; each element by its own steps."""

    def run(t, q, w, end, tolerance):
        done = integrate(
            system,
            t,
            q,
            w,
            end,
            iterate=iterate,
            pair=pair,
            tolerance=Tolerance(tolerance, tolerance),
            **options,
        )
        last = done.state
        return {"t": last.t, "q": last.q, "w": last.v, "attempts": done.count, "accepted": last.accepted} | {
            "converged": done.converged
        }

    inputs = {"t": float, "q": Quaternion, "w": Vec3, "end": float, "tolerance": float}
    return compile(run, inputs=inputs, name="integrating")


MOTIONS = {
    "torque-free": (RotatingBody(TRIAXIAL).system(), START, 5.0, lambda: torque_free_state(5.0)[0]),
    "heavy top": (FAST_TOP, FAST_TOP_START, 0.2, lambda: FAST_TOP_END),
}


@both_pairs
@pytest.mark.parametrize("motion", MOTIONS)
def test_errors_are_proportional_to_the_tolerance(pair, motion):
    """Eight powers of ten in one batch. The error of a motion is the sum of the steps', so some times the tolerance."""
    system, w, end, exact = MOTIONS[motion]
    tolerances = 10.0 ** -np.arange(4, 12)
    done = integrating(system, pair)(0.0, IDENTITY.to_array(), w.to_array(), end, tolerances)
    assert np.all(done["converged"])
    assert np.all(done["t"] == end)  # to the bit
    error = up_to_sign(done["q"], exact())
    slope, _ = np.polyfit(np.log(tolerances), np.log(error), 1)
    assert slope == pytest.approx(1, abs=0.15)
    assert np.all(error < 100 * tolerances)
    # A tenth of the tolerance costs 10^(1/5) or 10^(1/8) times the steps.
    work = np.polyfit(np.log10(tolerances[2:]), np.log10(done["accepted"][2:]), 1)[0]
    assert work == pytest.approx(-1 / pair.order, abs=0.04)


@both_pairs
def test_on_floats_it_does_what_the_kernel_does(pair):
    """Numbers go one road, traced values another; products and sums may be fused, so the last bits differ."""
    system, w, end, _ = MOTIONS["heavy top"]
    eager = integrate(
        system, 0.0, IDENTITY, w, end, iterate=iterate, pair=pair, tolerance=Tolerance(1e-8, 1e-8)
    )
    done = integrating(system, pair)(0.0, IDENTITY.to_array(), w.to_array(), end, 1e-8)
    assert (eager.converged, eager.count) == (True, done["attempts"])
    assert np.abs(eager.state.q.to_array() - done["q"]).max() < 1e-12


@both_pairs
def test_backwards_it_comes_back_to_the_start(pair):
    """The two ways are not each other's inverse; the tolerance 1e-11 is left, times the steps."""
    run = integrating(FAST_TOP, pair)
    there = run(0.0, IDENTITY.to_array(), FAST_TOP_START.to_array(), 0.2, 1e-11)
    back = run(0.2, there["q"], there["w"], 0.0, 1e-11)
    assert back["converged"]
    assert back["t"] == 0.0
    assert up_to_sign(back["q"], IDENTITY.to_array()) < 1e-9
    assert np.abs(back["w"] - FAST_TOP_START.to_array()).max() < 1e-7


def test_nothing_is_done_where_the_end_is_the_start():
    done = integrate(FAST_TOP, 0.3, IDENTITY, FAST_TOP_START, 0.3, iterate=iterate)
    assert (done.count, done.converged) == (0, True)
    assert done.state.q == IDENTITY


def test_too_few_attempts_are_said():
    done = integrate(FAST_TOP, 0.0, IDENTITY, FAST_TOP_START, 1.0, iterate=iterate, most=5)
    assert (done.count, done.converged) == (5, False)
    assert 0 < done.state.t < 1


# ---- the same steps as SciPy -------------------------------------------------------------------------

# Scalars each stand by themselves in the norm of the error, as all numbers do in SciPy's.
PENDULUM = System(LINEAR, lambda t, x, v: scalar.sin(x) * -4.0 - v * 0.1 + scalar.cos(t * 3.0))
# SciPy's control: the plain one, within its own bounds.
SCIPY = Control(safety=0.9, slowest=0.2, fastest=10.0, beta=0.0)


def attempts(pair, system, run, end, tolerance, control):
    """Every attempt up to the end."""
    made = []
    while run.t != end:
        made.append(attempt(pair, system, run, end, tolerance, control))
        run = made[-1].after
    return made


@pytest.mark.parametrize(("pair", "method"), [(DOPRI5, "RK45"), (DOP853, "DOP853")], ids=PAIRS)
@pytest.mark.parametrize(("relative", "end"), [(1e-3, 20.0), (1e-6, 20.0), (1e-10, 5.0), (1e-8, -7.0)])
def test_steps_are_those_of_scipy(pair, method, relative, end):
    """First step, errors, refusals, growth, last step: the same times and states."""
    tolerance, start = Tolerance(relative, relative / 10), (1.0, 0.5)
    rates = lambda t, y: [y[1], -4.0 * math.sin(y[0]) - 0.1 * y[1] + math.cos(3.0 * t)]
    theirs = solve_ivp(rates, (0.0, end), start, method=method, rtol=relative, atol=relative / 10)
    run = begin(pair, PENDULUM, 0.0, *start, tolerance)
    if end < 0:  # SciPy proposes a first step in the direction of time
        first = solve_ivp(rates, (0.0, end), start, method=method, rtol=relative, atol=relative / 10).t[1]
        run = begin(pair, PENDULUM, 0.0, *start, tolerance, h=abs(first))
    good = [a.after for a in attempts(pair, PENDULUM, run, end, tolerance, SCIPY) if a.good]
    assert len(good) == len(theirs.t) - 1
    assert good[-1].accepted == len(good)
    # Errors are known to the rounding of the state, so to that over the tolerance.
    np.testing.assert_allclose([r.t for r in good], theirs.t[1:], rtol=max(1e-9, 1e-14 / relative))
    np.testing.assert_allclose(
        [(r.q, r.v) for r in good], theirs.y.T[1:], rtol=0, atol=max(1e-9, 5e-14 / relative)
    )


@pytest.mark.parametrize("start", [(1.0, 0.5), (0.0, 0.5), (1e-3, 0.0), (300.0, -20.0)])
@both_pairs
def test_the_first_step_is_that_of_scipy(pair, start):
    from scipy.integrate import DOP853 as EIGHT
    from scipy.integrate import RK45

    rates = lambda t, y: np.array([y[1], -4.0 * math.sin(y[0]) - 0.1 * y[1] + math.cos(3.0 * t)])
    theirs = (RK45 if pair is DOPRI5 else EIGHT)(rates, 0.0, start, 1e3, rtol=1e-7, atol=1e-9)
    ours = first_step(pair, PENDULUM, 0.0, start, field(PENDULUM, 0.0, start), Tolerance(1e-7, 1e-9))
    assert ours == pytest.approx(theirs.h_abs, rel=1e-13)


def test_the_first_step_of_a_body_at_rest():
    """With all derivatives zero nothing says how long it should be: a thousandth of the second guess, and finite."""
    system = RotatingBody(TRIAXIAL).system()
    y = (IDENTITY, Vec3(0.0, 0.0, 0.0))
    assert first_step(DOPRI5, system, 0.0, y, field(system, 0.0, y), Tolerance()) == 1e-6
    done = integrate(system, 0.0, *y, 100.0, iterate=iterate)
    assert done.converged
    assert done.state.q == IDENTITY
    assert done.count < 15  # growing tenfold


def test_turning_the_world_changes_no_step():
    """Vectors and quaternions count by their length."""
    turn = Quaternion.from_axis_angle(Vec3(0.6, 0.0, 0.8), 1.1)
    system, counts = RotatingBody(SymMat3.diagonal(2.0, 2.0, 2.0), lambda t, q, w: w * -0.3).system(), []
    for q in (IDENTITY, turn):
        run = begin(DOPRI5, system, 0.0, q, START, Tolerance())
        counts.append([a.after.t for a in attempts(DOPRI5, system, run, 10.0, Tolerance(), CONTROL[5])])
    np.testing.assert_allclose(*counts, rtol=1e-6)  # errors are rounded, to a millionth of the tolerance


# ---- control -----------------------------------------------------------------------------------------


def kicked(t, q, w):
    """A torque that sets in at once."""
    return Vec3(scalar.where(t > 1.0, 60.0, 0.0), 0.0, 0.0)


@both_pairs
def test_a_refused_step_is_tried_smaller_and_the_next_does_not_grow(pair):
    system, tolerance = RotatingBody(SymMat3.diagonal(1.0, 1.0, 1.0), kicked).system(), Tolerance(1e-8, 1e-10)
    made = attempts(pair, system, begin(pair, system, 0.0, IDENTITY, START, tolerance), 2.0, tolerance, None)
    refused = [a for a in made if not a.good]
    assert len(refused) >= 5
    assert sum(1 for a in made if a.good) == made[-1].after.accepted
    for before, after in pairwise(made):
        if not before.good:
            assert before.after.t == before.step.t  # nothing has moved
            assert before.after.q is before.step.start[0] or before.after.q == before.step.start[0]
            assert before.after.refused == 1
            assert abs(after.step.h) < abs(before.step.h)
            if after.good:
                assert after.after.h <= abs(after.step.h) * (1 + 1e-15)
    # ω₁ = 0.4 + 60 (t − 1), the torque is constant but for its start.
    assert made[-1].after.v.x == pytest.approx(60.4, rel=1e-7)


def test_a_size_that_only_the_end_cuts_short_is_kept():
    system = RotatingBody(TRIAXIAL).system()
    run = begin(DOPRI5, system, 0.0, IDENTITY, START, Tolerance(1e-6, 1e-6), h=0.3)
    cut = attempt(DOPRI5, system, run, 0.01, Tolerance(1e-6, 1e-6))
    assert cut.good
    assert (cut.step.h, cut.after.t, cut.after.h) == (0.01, 0.01, 0.3)


def test_a_given_first_step_is_taken():
    system = RotatingBody(TRIAXIAL).system()
    for h in (0.01, -0.01):  # its sign does not matter
        made = attempt(
            DOPRI5, system, begin(DOPRI5, system, 0.0, IDENTITY, START, Tolerance(), h), 1.0, Tolerance()
        )
        assert made.step.h == 0.01


def test_the_factor_of_the_next_step():
    """0.9 e^(−1/5 + 0.03) e₀^0.04 within [0.2, 10], Hairer's own; NaN shrinks it most."""
    control = CONTROL[5]
    assert step_factor(control, DOPRI5, 0.5, 0.3) == pytest.approx(0.9 * 0.5**-0.17 * 0.3**0.04, rel=1e-14)
    assert step_factor(control, DOPRI5, 1e9, 1.0) == 0.2
    assert step_factor(control, DOPRI5, 0.0, 1.0) == 10.0
    assert step_factor(control, DOPRI5, math.nan, 1.0) == 0.2
    assert step_factor(CONTROL[8], DOP853, 0.5, 0.3) == pytest.approx(0.9 * 0.5**-0.125, rel=1e-14)


@both_pairs
def test_the_error_norm_is_one_where_the_error_is_the_tolerance(pair):
    """It is inversely proportional to the tolerance, and of the pair's order in the step."""
    system = RotatingBody(TRIAXIAL).system()
    norm = lambda h, tolerance: error_norm(pair, step(pair, system, 0.0, IDENTITY, START, h), tolerance)
    assert norm(0.1, Tolerance(1e-6, 1e-8)) == pytest.approx(10 * norm(0.1, Tolerance(1e-5, 1e-7)), rel=1e-12)
    h = 0.2 if pair is DOPRI5 else 0.6
    order = math.log2(norm(h, Tolerance()) / norm(h / 2, Tolerance()))
    assert order == pytest.approx(pair.order, abs=0.3)


# ---- batches -----------------------------------------------------------------------------------------


@both_pairs
def test_a_hard_neighbour_leaves_the_bits_of_the_others_alone(pair):
    """Each element stops by itself, after its own number of attempts."""
    run = integrating(RotatingBody(TRIAXIAL).system(), pair)
    rng = np.random.default_rng(5)
    w = rng.normal(size=(37, 3))
    alone = run(0.0, IDENTITY.to_array(), w, 3.0, 1e-9)
    w_hard, tolerance = w.copy(), np.full(37, 1e-9)
    hard = np.arange(0, 37, 5)
    w_hard[hard] *= 100
    tolerance[hard] = 1e-12
    mixed = run(0.0, IDENTITY.to_array(), w_hard, 3.0, tolerance)
    others = np.setdiff1d(np.arange(37), hard)
    for name in ("t", "q", "w", "attempts", "accepted"):
        assert np.array_equal(alone[name][others], mixed[name][others]), name
    assert mixed["attempts"][hard].min() > 10 * alone["attempts"].max()
    one = run(0.0, IDENTITY.to_array(), w[3], 3.0, 1e-9)
    assert np.array_equal(one["q"], alone["q"][3])
    assert len(np.unique(alone["attempts"])) > 3


def exploding(t, q, w):
    """Finite until t = 1, then the root of a negative number."""
    return Vec3(scalar.sqrt(1.0 - t * w.z), 0.0, 0.0)


@both_pairs
def test_a_motion_that_ends_in_nan_stops_before_it_and_says_so(pair):
    """It is never accepted: the steps shrink towards the wall, and the neighbours arrive."""
    system = RotatingBody(SymMat3.diagonal(1.0, 1.0, 1.0), exploding).system()
    rate = np.array([0.0, 1.0, 0.25, 0.0])  # the wall stands at 1 / rate
    w = np.stack([0 * rate, 0 * rate, rate], axis=-1)
    run = integrating(system, pair, most=400)
    done = run(0.0, IDENTITY.to_array(), w, 2.0, 1e-7)
    assert done["converged"].tolist() == [1, 0, 1, 1]
    assert done["t"][1] == pytest.approx(1.0, abs=1e-6)
    assert done["attempts"][1] == 400
    assert np.all(np.isfinite(done["q"]))
    assert np.all(np.isfinite(done["w"]))
    assert done["w"][0, 0] == pytest.approx(2.0, rel=1e-7)
    free = run(0.0, IDENTITY.to_array(), w[[0, 2, 3]], 2.0, 1e-7)
    assert np.array_equal(free["q"], done["q"][[0, 2, 3]])


def test_a_start_that_is_nan_does_not_converge():
    done = integrate(FAST_TOP, 0.0, IDENTITY, Vec3(math.nan, 0.0, 0.0), 1.0, iterate=iterate, most=20)
    assert (done.converged, done.state.accepted, done.state.t) == (False, 0, 0.0)


# ---- between the steps -------------------------------------------------------------------------------

DENSE_ORDERS = {"dopri5": 4, "dop853": 7, "cubic": 3}


def exact_precisely(t):
    """At the digits of the surrounding context."""
    exact = torque_free.motion((1, 2, 4), tuple(map(mpmath.mpf, ("0.4", "0.3", "0.7"))))
    R = exact.attitude(t)
    # The first turns are small: w > 0.
    w = mpmath.sqrt(1 + R[0, 0] + R[1, 1] + R[2, 2]) / 2
    q = [w, *((R[i, j] - R[j, i]) / (4 * w) for i, j in ((2, 1), (0, 2), (1, 0)))]
    return [*q, *exact.angular_velocity(t)]


def within_one_step(kind, h):
    """The interpolant over one step from the exact start, in mpmath's numbers."""
    J = SymMat3(*map(mpmath.mpf, (1, 2, 4, 0, 0, 0)))
    system = RotatingBody(J).system()
    q = Quaternion(*map(mpmath.mpf, (1, 0, 0, 0)))
    w = Vec3(*map(mpmath.mpf, ("0.4", "0.3", "0.7")))
    if kind == "cubic":
        exact_end = exact_precisely(h)
        end = (Quaternion(*exact_end[:4]), Vec3(*exact_end[4:]))
        return cubic(system, mpmath.mpf(0), h, (q, w), end), None
    made = step(PAIRS[kind], system, mpmath.mpf(0), q, w, h)
    return dense(PAIRS[kind], system, made), made


@pytest.mark.parametrize("kind", DENSE_ORDERS)
def test_the_order_of_the_output_between_steps(kind):
    """Within one step the error is O(h^(p+1)): halving h divides it by 2^(p+1), in forty digits."""

    def error(h):
        path, _ = within_one_step(kind, h)
        found = list(scalars(path.at(mpmath.mpf("0.4"))))
        return max(abs(a - b) for a, b in zip(found, exact_precisely(h * mpmath.mpf("0.4")), strict=True))

    with mpmath.workdps(40):
        h = mpmath.mpf("0.05")
        order = float(mpmath.log(error(h) / error(h / 2), 2))
    assert order == pytest.approx(DENSE_ORDERS[kind] + 1, abs=0.15)


@both_pairs
def test_the_output_joins_the_steps_with_their_slopes(pair):
    """At both ends it is the state, and its derivative the slopes: by differences in forty digits."""
    kind = "dopri5" if pair is DOPRI5 else "dop853"
    with mpmath.workdps(40):
        h, tiny = mpmath.mpf("0.1"), mpmath.mpf("1e-15")
        path, made = within_one_step(kind, h)
        assert path.at(mpmath.mpf(0)) == made.start
        ends = [list(scalars(path.at(mpmath.mpf(x)))) for x in (0, 1)]
        assert max(abs(a - b) for a, b in zip(ends[1], scalars(made.end), strict=True)) < 1e-38
        near = [list(scalars(path.at(x))) for x in (tiny, 1 - tiny)]
        for at_end, beside, slope, sign in (
            (ends[0], near[0], made.slopes[0], 1),
            (ends[1], near[1], made.slopes[-1], -1),
        ):
            quotient = [(b - a) / (sign * tiny * h) for a, b in zip(at_end, beside, strict=True)]
            assert max(abs(a - b) for a, b in zip(quotient, scalars(slope), strict=True)) < 1e-13


def test_output_between_steps_stays_on_the_unit_sphere():
    system = RotatingBody(TRIAXIAL).system()
    path = dense(DOPRI5, system, step(DOPRI5, system, 0.0, IDENTITY, START, 0.5))
    for theta in np.linspace(0, 1, 11).tolist():
        assert abs(path.at(theta)[0].norm() - 1) < 3e-16


# ---- events ------------------------------------------------------------------------------------------

G = 9.8125  # so that 10 − ½ g t² is exact in binary for round t
BALL = System(LINEAR, lambda t, x, v: x * 0 - G)
"""A thrown ball: every method of order two follows it exactly."""


def thrown(h, *, v=10.0, height=0.0, pair=DOP853, t=0.0):
    made = step(pair, BALL, t, height, v, h)
    return dense(pair, BALL, made)


@pytest.mark.parametrize("loop", [None, iterate], ids=["rounds", "iterate"])
@pytest.mark.parametrize("pair", [*PAIRS.values(), None], ids=[*PAIRS, "cubic"])
def test_an_event_is_located_to_rounding(pair, loop):
    """The ball falls through zero at √(2 h / g)."""
    if pair is None:
        end = rk4(BALL, 0.0, 5.0, 0.0, 1.5)
        path = cubic(BALL, 0.0, 1.5, (5.0, 0.0), end)
    else:
        path = thrown(1.5, v=0.0, height=5.0, pair=pair)
    found = locate(lambda t, x, v: x, path, iterate=loop)
    exact = math.sqrt(2 * 5.0 / G)
    assert found.happened
    assert found.t == pytest.approx(exact, rel=1e-15)
    assert abs(found.q) < 1e-14
    assert found.v == pytest.approx(-G * exact, rel=2e-15)


@pytest.mark.parametrize("loop", [None, iterate], ids=["rounds", "iterate"])
def test_only_the_direction_asked_for_counts(loop):
    """Up through 3 m at (10 − √(100 − 6 g))/g, down at (10 + √…)/g; one step holds the first, another both."""
    root = math.sqrt(100 - 6 * G)
    up, down = (10 - root) / G, (10 + root) / G
    height = lambda t, x, v: x - 3.0
    rising, falling = thrown(1.0), thrown(1.0, v=10 - G, height=10 - G / 2, t=1.0)
    for path, direction, wanted in (
        (rising, RISING, up),
        (rising, EITHER, up),
        (rising, FALLING, None),
        (falling, FALLING, down),
        (falling, EITHER, down),
        (falling, RISING, None),
        (thrown(0.1), EITHER, None),
        (thrown(1.9), EITHER, None),  # two within one step are not seen
    ):
        found = locate(height, path, direction=direction, iterate=loop)
        assert bool(found.happened) is (wanted is not None)
        if wanted is None:
            end = path.at(1.0)
            assert (found.t, found.q, found.v) == (path.t + path.h, *end)
        else:
            assert found.t == pytest.approx(wanted, rel=2e-15)


def test_an_event_on_the_border_of_two_steps_counts_once():
    """It belongs to the step that ends there: x = t − 1 through steps of a half."""
    still = System(LINEAR, lambda t, x, v: x * 0)
    happened = []
    for k in range(4):
        x = k * 0.5 - 1.0
        path = cubic(still, k * 0.5, 0.5, (x, 1.0), (x + 0.5, 1.0))
        found = locate(lambda t, x, v: x, path)
        happened.append((bool(found.happened), found.t))
    assert happened == [(False, 0.5), (True, 1.0), (False, 1.5), (False, 2.0)]


@pytest.mark.parametrize("last_bit", [1e-20, -1e-20, 0.0])
@pytest.mark.parametrize("sense", [1.0, -1.0], ids=["rising", "falling"])
def test_no_event_is_counted_twice_where_a_step_ends_next_to_it(sense, last_bit):
    """g is asked of the states that steps hand on: what lies between is known to rounding, here to zero."""
    still = System(LINEAR, lambda t, x, v: x * 0)
    states = [(sense * x, sense) for x in (-0.5, last_bit, 0.5)]
    paths = [cubic(still, 0.5 * k, 0.5, *pair) for k, pair in enumerate(pairwise(states))]
    for path, (_, end) in zip(paths, pairwise(states), strict=True):
        found = locate(lambda t, x, v: x, path)
        assert found.happened or (found.q, found.v) == end
    happened = [bool(locate(lambda t, x, v: x, path).happened) for path in paths]
    assert happened == ([True, False] if last_bit >= 0 else [False, True])


def test_events_of_a_steep_and_of_a_flat_function():
    """Ridders's steps do not depend on the scale, and a triple zero is still found, to a third of the digits."""
    path = thrown(1.5, v=0.0, height=5.0)
    exact = math.sqrt(2 * 5.0 / G)
    for watch, tolerance in (
        (lambda t, x, v: x * 1e200, 1e-15),
        (lambda t, x, v: x * 1e-200, 1e-15),
        (lambda t, x, v: scalar.exp(x * 4) - 1, 1e-14),
        (lambda t, x, v: x * x * x, 1e-4),
    ):
        found = locate(watch, path, iterate=iterate)
        assert found.happened
        assert found.t == pytest.approx(exact, rel=tolerance)


def test_events_in_a_batch_are_found_each_for_itself():
    """A kernel over heights: some balls fall through, one lands on the border, some do not."""

    def fall(height):
        found = locate(lambda t, x, v: x, thrown(1.0, v=0.0, height=height), iterate=iterate)
        return {"happened": scalar.where(found.happened, 1.0, 0.0), "t": found.t}

    heights = np.array([0.5, 1.0, 3.0, G / 2, 5.0, 20.0, math.nan])
    done = compile(fall, inputs={"height": float})(heights)
    assert done["happened"].tolist() == [1, 1, 1, 1, 0, 0, 0]
    np.testing.assert_allclose(done["t"][:4], np.sqrt(2 * heights[:4] / G), rtol=1e-14)
    assert np.array_equal(done["t"][4:6], [1.0, 1.0])


def test_the_zeros_of_a_torque_free_motion():
    """ω₂ of the triaxial body is zero at known times of sn; DOP853 in steps of 0.2 is good to 6e-12."""
    with mpmath.workdps(20):
        exact = torque_free.motion((1, 2, 4), tuple(START))
        # sn u = 0 at u = 2 K k.
        K = mpmath.ellipk(exact.parameter)
        times = [float((2 * K * k - exact.phase) / exact.rate) for k in range(-3, 8)]
    times = [t for t in times if 0 < t < 8]
    system, (q, w), found = RotatingBody(TRIAXIAL).system(), (IDENTITY, START), []
    for k in range(40):
        made = step(DOP853, system, k * 0.2, q, w, 0.2)
        event = locate(lambda t, q, w: w.y, dense(DOP853, system, made), iterate=iterate)
        found += [event.t] if event.happened else []
        q, w = made.end
    np.testing.assert_allclose(found, times, rtol=0, atol=1e-11)
    assert len(found) >= 3
