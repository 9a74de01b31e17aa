"""Runs: the time loop with laws, events and steps of its own size, against loops in Python, SciPy and closed forms."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import ArgumentError, Control, DivergenceWarning, Event, Quantity, Quaternion, SymMat3, Vec3
from quatrain.compiler import TraceError
from quatrain.equations.stepping import LINEAR, POSES, RotatingBody, System, Tolerance, rk4
from quatrain.scalar import cos, exp, sin, where
from quatrain.simulation import POSE, Mechanism, Simulation
from quatrain.steppers import ADAPTIVE, METHODS, OF_SOME
from quatrain.trajectory import QUATERNION, VECTOR


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


def oscillator(stiffness=4.0, **options):
    """ẍ = u − k x, with what a law gives as u."""

    def system(u, p):
        k = p.get("k", stiffness)
        return System(LINEAR, lambda t, x, v: (0.0 if u is None else u) - x * k)

    def observe(t, x, v, u, p):
        found = {"x": x, "v": v, "energy": (v * v + x * x * p.get("k", stiffness)) / 2, "clock": t}
        return found if u is None else {**found, "u": u}

    names = [("x", "m"), ("v", "m/s"), ("clock", "s"), ("u", "N")]
    return Mechanism(
        name="oscillator",
        q=float,
        v=float,
        system=system,
        observe=observe,
        quantities=(
            *(Quantity(n, unit) for n, unit in names),
            Quantity("energy", "J", role="energy", kept=True),
        ),
        input=float,
        **options,
    )


TRIAXIAL = SymMat3.diagonal(1.0, 2.0, 4.0)
PLAIN = ("x", "v", "energy", "clock")


def spinner(inertia=TRIAXIAL):
    def system(u, p):
        return RotatingBody(
            p.get("inertia", inertia), lambda t, q, w: Vec3.zero() if u is None else u
        ).system()

    return Mechanism(
        name="spinner",
        q=Quaternion,
        v=Vec3,
        system=system,
        observe=lambda t, q, w, u, p: {"q": q, "w": w},
        quantities=(
            Quantity("q", "", "of B in W", QUATERNION, "quaternion"),
            Quantity("w", "rad/s", "of B in W, in B", VECTOR),
        ),
        input=Vec3,
    )


# ---- the loop ----------------------------------------------------------------------------------------


def test_records_begin_with_the_start_and_end_with_the_end():
    run = Simulation(oscillator(), record=PLAIN)(1.0, 0.0, duration=0.5, dt=0.1)
    assert run.t.tolist() == [0.0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5]
    assert (run.x[0], run.v[0]) == (1.0, 0.0)
    assert run.x[-1] == pytest.approx(math.cos(1.0), abs=2e-5)  # the error of rk4 at h ω = 0.2
    assert Simulation(oscillator(), record=PLAIN)(1.0, 0.0, duration=0.0).x.tolist() == [1.0]


def test_a_step_begins_at_its_number_times_dt():
    """No rounding adds up: the clock of step i is start + i dt to the last bit."""
    run = Simulation(oscillator(), record=PLAIN)(
        1.0, 0.0, duration=1000.0, dt=0.1, record_every=100, start=5.0
    )
    assert np.array_equal(run.clock, 5.0 + np.arange(0, 10_001, 100) * 0.1)
    assert np.array_equal(run.t, run.clock)


def test_the_loop_does_what_the_stepper_does_step_by_step():
    """Fused multiply-adds are allowed in the kernel: they differ from Python's sums by rounding."""
    run = Simulation(spinner())([1.0, 0, 0, 0], [0.4, 0.3, 0.7], duration=1.0, dt=0.05)
    q, w, system = Quaternion.identity(), Vec3(0.4, 0.3, 0.7), RotatingBody(TRIAXIAL).system()
    for i in range(20):
        q, w = rk4(system, i * 0.05, q, w, 0.05)
    assert np.abs(run.q[-1] - q.to_array()).max() < 1e-15
    assert np.abs(run.w[-1] - w.to_array()).max() < 1e-15


@pytest.mark.parametrize("method", [m for m in METHODS if m not in OF_SOME])
def test_a_batch_is_its_motions_one_by_one_bit_for_bit(method):
    simulation = Simulation(spinner(), method=method)
    w0 = np.random.default_rng(0).normal(size=(5, 3))
    together = simulation([1.0, 0, 0, 0], w0, duration=1.0, dt=0.05)
    assert together.batch == (5,)
    for i in range(5):
        alone = simulation([1.0, 0, 0, 0], w0[i], duration=1.0, dt=0.05)
        assert np.array_equal(alone.q, together.q[i])
        assert np.array_equal(alone.w, together.motion(i).w)


def test_leading_axes_broadcast_and_threads_change_nothing():
    k = np.array([[1.0], [4.0], [9.0]])
    x0 = np.linspace(0.5, 1.0, 40)
    runs = [
        Simulation(oscillator(parameters={"k": float}), record=PLAIN, threads=n)(
            x0, 0.0, duration=1.0, dt=0.01, record_every=50, parameters={"k": k}
        )
        for n in (1, 2)
    ]
    assert runs[0].x.shape == (3, 40, 3)
    assert np.array_equal(runs[0].x, runs[1].x)
    assert runs[0].x[..., -1] == pytest.approx(x0 * np.cos(np.sqrt(k)), abs=1e-7)


def test_a_batch_of_inertias():
    moments = np.array([[1.0, 2.0, 2.5, 0, 0, 0], [2.0, 2.0, 1.0, 0, 0, 0]])
    mechanism = spinner()
    varied = Mechanism(**{**vars(mechanism), "parameters": {"inertia": SymMat3}})
    run = Simulation(varied)(
        [1.0, 0, 0, 0], [0.4, 0.3, 0.7], duration=1.0, dt=0.05, parameters={"inertia": moments}
    )
    for i in range(2):
        fixed = Simulation(spinner(SymMat3(*moments[i])))(
            [1.0, 0, 0, 0], [0.4, 0.3, 0.7], duration=1.0, dt=0.05
        )
        assert np.abs(run.w[i] - fixed.w).max() < 1e-15


def test_single_precision_and_a_stepper_of_ones_own():
    def midpoint(system, t, x, v, h):
        x_m, v_m = x + v * (h / 2), v + system.acceleration(t, x, v) * (h / 2)
        return x + v_m * h, v + system.acceleration(t + h / 2, x_m, v_m) * h

    run = Simulation(oscillator(), method=midpoint, record=PLAIN, dtype="float32")(
        1.0, 0.0, duration=1.0, dt=0.01
    )
    assert run.x.dtype == np.float32
    assert run.facts["method"] == "midpoint"
    assert run.x[-1] == pytest.approx(math.cos(2.0), abs=2e-4)


# ---- control -----------------------------------------------------------------------------------------


def test_a_law_is_asked_once_a_step_and_its_answer_held():
    """ẍ = u with u = −x at the start of each step, held: x₁ = x + v h + ½ u h², exactly."""

    def law(t, x, v, state, p):
        return -p["gain"] * x

    run = Simulation(oscillator(0.0), control=law, parameters=["gain"])(
        1.0, 0.5, duration=2.0, dt=0.1, parameters={"gain": 1.5}
    )
    x, v = 1.0, 0.5
    for i in range(20):
        u = -1.5 * x
        assert run.u[i] == pytest.approx(u, abs=1e-15)
        x, v = x + v * 0.1 + u * 0.005, v + u * 0.1
    assert run.x[-1] == pytest.approx(x, abs=1e-14)


def test_a_law_with_a_state_of_its_own_asked_every_third_step():
    """A delay by one sample and an integral, in a dict; in between the answer and the state are held."""

    def law(t, x, v, state, p):
        following = {"before": x, "sum": state["sum"] + x}
        return -2.0 * state["before"] - 0.1 * state["sum"], following

    control = Control(law, start={"before": 0.0, "sum": 0.0}, every=3)
    run = Simulation(oscillator(0.0), control=control)(1.0, 0.0, duration=2.0, dt=0.1)
    x, v, u, before, total = 1.0, 0.0, 0.0, 0.0, 0.0
    for i in range(20):
        if i % 3 == 0:
            u, before, total = -2.0 * before - 0.1 * total, x, total + x
        assert run.u[i] == pytest.approx(u, abs=1e-14)
        x, v = x + v * 0.1 + u * 0.005, v + u * 0.1
    assert run.x[-1] == pytest.approx(x, abs=1e-14)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_an_adaptive_method_sees_the_jumps_of_a_held_input(method):
    """Between two jumps the motion is a polynomial, which both are exact for."""

    def law(t, x, v, state, p):
        return where(x > 0, -1.0, 1.0) - 0.3 * v

    loop = Simulation(oscillator(0.0), control=law, method=method)(1.0, 0.5, duration=4.0, dt=0.1)
    exact = Simulation(oscillator(0.0), control=law)(1.0, 0.5, duration=4.0, dt=0.1)
    assert np.abs(loop.x - exact.x).max() < 1e-13


def test_a_law_may_give_a_vector_as_three_numbers():
    laws = (
        lambda t, q, w, x, p: w * -0.5,
        lambda t, q, w, x, p: (w.x * -0.5, w.y * -0.5, w.z * -0.5),
        lambda t, q, w, x, p: np.array([-0.5 * c for c in w]),
    )
    start = [1.0, 0, 0, 0], [0.4, 0.3, 0.7]
    runs = [Simulation(spinner(), control=law)(*start, duration=1.0, dt=0.05) for law in laws]
    assert all(np.array_equal(run.w, runs[0].w) for run in runs)


def test_a_law_that_branches_on_a_value_is_told_its_line():
    def law(t, x, v, state, p):
        if x > 0:
            return -1.0
        return 1.0

    with pytest.raises(TraceError) as caught:
        Simulation(oscillator(), control=law)
    line = law.__code__.co_firstlineno + 1
    assert f"test_simulation.py:{line} in law" in str(caught.value)
    assert "where" in str(caught.value)


def test_a_law_that_gives_the_wrong_thing_is_told_what_is_wanted():
    for mechanism, law, text in (
        (spinner(), lambda t, q, w, x, p: w.x, "returns is one number; it must be a Vec3"),
        (spinner(), lambda t, q, w, x, p: (w.x, w.y), "returns is a tuple of 2 values; it must be a Vec3"),
        (oscillator(), lambda t, q, v, x, p: (q, v), "returns is a tuple of 2 values; it must be a number"),
        (oscillator(), lambda t, q, v, x, p: None, "returns is None; it must be a number"),
    ):
        with pytest.raises(ArgumentError, match=text):
            Simulation(mechanism, control=law)
    with pytest.raises(ArgumentError, match="has a state and returns a Traced"):
        Simulation(oscillator(), control=Control(lambda t, q, v, x, p: q, start=0.0))
    with pytest.raises(ArgumentError, match="next state that the control law <lambda> returns"):
        Simulation(oscillator(), control=Control(lambda t, q, v, x, p: (q, (x, x)), start=0.0))


def test_controls_that_cannot_be():
    with pytest.raises(ArgumentError, match="the control law is a float, which cannot be called"):
        Control(1.0)
    with pytest.raises(ArgumentError, match="asked every 0 steps"):
        Control(lambda t, q, v, x, p: 0, every=0)
    passive = Mechanism(**{**vars(oscillator()), "input": None})
    with pytest.raises(ArgumentError, match="oscillator takes no control"):
        Simulation(passive, control=lambda t, q, v, x, p: 0.0)


# ---- steps of their own size -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ADAPTIVE)
def test_adaptive_steps_meet_the_tolerance_at_every_time_asked_for(method):
    """Against cos; a hundred records within steps of about half a radian, from the continuous extension."""
    simulation = Simulation(oscillator(1.0), method=method, record=PLAIN, tolerance=Tolerance(1e-10, 1e-10))
    run = simulation(1.0, 0.0, duration=20.0, dt=0.02)
    assert np.abs(run.x - np.cos(run.t)).max() < 3e-9
    assert np.abs(run.v + np.sin(run.t)).max() < 3e-9


def test_adaptive_steps_are_scipys_where_the_motion_is_not_smooth():
    """A kick of 0.1 s on a slow body: the same motion as SciPy at the same tolerance, each element by itself."""

    def system(u, p):
        return System(LINEAR, lambda t, x, v: exp(-(((t - p["when"]) * 30) ** 2)) * 100 - v * 0.2 - sin(x))

    kicked = Mechanism(**{**vars(oscillator()), "system": system, "parameters": {"when": float}})
    times = np.array([1.0, 2.5])
    run = Simulation(kicked, method="dop853", record=PLAIN, tolerance=Tolerance(1e-10, 1e-12))(
        0.3, 0.0, duration=5.0, dt=0.1, parameters={"when": times}
    )
    for i, when in enumerate(times):

        def slope(t, y, when=when):
            return [y[1], math.exp(-(((t - when) * 30) ** 2)) * 100 - 0.2 * y[1] - math.sin(y[0])]

        found = solve_ivp(slope, (0, 5), [0.3, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, max_step=0.02)
        assert run.x[i, -1] == pytest.approx(found.y[0, -1], abs=1e-7)


def test_a_singular_motion_ends_in_nan_and_the_others_go_on():
    """ẍ = 6 x², x = 1/(t − T)², leaves every bound at T; the element that starts at −1 does not."""

    def system(u, p):
        return System(LINEAR, lambda t, x, v: x * x * 6)

    escaping = Mechanism(**{**vars(oscillator()), "system": system})
    simulation = Simulation(escaping, method="dopri5", record=("x", "v"))
    with pytest.warns(
        DivergenceWarning, match=r"1 of 2 motions have become infinite or NaN, motion 0 first seen"
    ):
        run = simulation([1.0, -0.01], [2.0, 0.0], duration=2.0, dt=0.1)
    assert run.x[0, :9] == pytest.approx(1 / (1 - run.t[:9]) ** 2, rel=1e-6)
    assert run.diverged[0] == pytest.approx(1.0, abs=0.11)
    assert np.isfinite(run.x[1]).all()


# ---- events ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "implicit_midpoint"])
def test_events_are_found_within_steps(method):
    """cos t = 0, rising and either way; rk4 is late by t h⁴/120, 1.4e-9 at the last, the midpoint rule by t h²/12."""
    events = {"up": Event(lambda t, x, v: x, direction=1), "any": lambda t, x, v: x}
    run = Simulation(oscillator(1.0), method=method, events=events, record=PLAIN)(
        [1.0, 2.0], 0.0, duration=20.0, dt=0.01, record_every=100
    )
    assert run.events["up"].count.tolist() == [3, 3]
    error = 3e-9 if method == "rk4" else 2e-4
    assert run.events["up"].t[:, :3] == pytest.approx(
        np.tile([4.5, 10.5, 16.5], (2, 1)) / 3 * np.pi, abs=error
    )
    assert run.events["any"].t[0, :6] == pytest.approx((np.arange(6) + 0.5) * np.pi, abs=error)
    assert np.isnan(run.events["any"].t[0, 6:]).all()
    assert run.events["any"].values["v"][1, 0] == pytest.approx(-2.0, abs=1e-4)
    assert run.motion(1).events["any"].count == 6
    assert "Event up: 6 times, first at t = 4.71" in run.report()


def test_an_event_after_the_end_does_not_count():
    """x = 0 at 1.5708; the run ends at 1.57."""
    run = Simulation(oscillator(1.0), events={"zero": lambda t, x, v: x}, record=PLAIN)(
        1.0, 0.0, duration=1.57, dt=0.01
    )
    assert run.events["zero"].count == 0
    assert np.isnan(run.events["zero"].t).all()


# ---- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"dt": 0.0}, "dt is 0.0 s"),
        ({"dt": -1e-3}, "dt is -0.001 s"),
        ({"dt": float("nan")}, "dt is nan s"),
        ({"dt": "1 ms"}, "dt is '1 ms', not a number"),
        ({"duration": float("inf")}, "duration is inf s"),
        ({"duration": -1.0}, r"duration is -1\.0 s"),
        (
            {"dt": 0.3},
            r"3\.33333 steps of 0\.3 s, not a whole number.\n  To fix: pass duration=0\.9, or dt=0\.33333",
        ),
        ({"record_every": 0}, "record_every is 0"),
        ({"dt": 0.1, "record_every": 4}, "10 steps recorded every 4 would leave out the end.\n.*such as 2"),
        ({"normalize": "please"}, "normalize is 'please'"),
        ({"parameters": {"spring": 1.0}}, "no parameter 'spring'"),
    ],
)
def test_runs_that_cannot_be(options, text):
    simulation = Simulation(spinner())
    with pytest.raises(ArgumentError, match=text):
        simulation([1.0, 0, 0, 0], [0.0, 0, 1.0], **{"duration": 1.0, **options})


def test_a_quaternion_that_is_not_of_unit_norm():
    simulation = Simulation(spinner())
    q = np.array([[1.0, 0, 0, 0], [0.9, 0.1, 0, 0]])
    with pytest.raises(ArgumentError, match=r"q0\[1\] has the norm 0\.9055.*unit quaternion"):
        simulation(q, [0.0, 0, 1.0], duration=1.0)
    run = simulation(q, [0.0, 0, 1.0], duration=1.0, normalize="project")
    assert run.q[1, 0] == pytest.approx(q[1] / np.hypot(0.9, 0.1), abs=1e-16)
    with pytest.raises(ArgumentError, match="norm zero"):
        simulation(q * 0, [0.0, 0, 1.0], duration=1.0, normalize="project")


def test_wrong_shapes_and_missing_parameters():
    simulation = Simulation(spinner())
    with pytest.raises(ArgumentError, match=r"state.v has shape \(2,\)"):
        simulation([1.0, 0, 0, 0], [0.0, 1.0], duration=1.0)
    with pytest.raises(ArgumentError, match="do not broadcast"):
        simulation(np.tile([1.0, 0, 0, 0], (3, 1)), np.zeros((2, 3)), duration=1.0)
    with pytest.raises(ArgumentError, match="the parameter 'k' is missing"):
        Simulation(oscillator(parameters={"k": float}), record=PLAIN)(1.0, 0.0, duration=1.0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "euler"}, "no method 'euler'.\n  To fix: choose one of semi_implicit_euler, rk4"),
        ({"method": "variational"}, "oscillator has no step of the method 'variational'"),
        ({"tolerance": Tolerance(1e-6)}, "has a fixed step, and takes no tolerance"),
        ({"record": ["spin"]}, "no quantity 'spin' to record"),
    ],
)
def test_simulations_that_cannot_be(options, text):
    with pytest.raises(ArgumentError, match=text):
        Simulation(oscillator(), **options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"direction": 2}, "the direction of an event is 2.*1, rising; -1, falling; or 0"),
        ({"most": 0}, "an event is counted 0 times at most.*from 1 up"),
    ],
)
def test_events_that_cannot_be(options, says):
    with pytest.raises(ArgumentError, match=f"(?s){says}"):
        Event(lambda t, q, v: t, **options)


def test_divergence_is_a_warning_with_its_time():
    unstable = oscillator(-1e4)
    with pytest.warns(
        DivergenceWarning, match=r"the motion has become infinite or NaN, seen at t = \d"
    ) as said:
        run = Simulation(unstable, method="semi_implicit_euler", record=PLAIN)(
            1.0, 0.0, duration=20.0, dt=0.01
        )
    assert np.isfinite(run.diverged)
    assert said[0].filename == __file__  # the line that asked for the run, not one of ours
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Simulation(oscillator(), record=PLAIN)(1.0, 0.0, duration=1.0)


def test_poses_go_in_and_out():
    from quatrain import Pose

    drifting = Mechanism(
        name="drifting",
        q=POSE,
        v=(Vec3, Vec3),
        system=lambda u, p: System(POSES, lambda t, X, v: (Vec3(0.0, cos(t), 0.0), Vec3.zero())),
        observe=lambda t, X, v, u, p: {"p": X.p, "q": X.q},
        quantities=(Quantity("p", "m", "", VECTOR), Quantity("q", "", "", QUATERNION, "quaternion")),
    )
    start = Pose(Quaternion.identity(), Vec3(1.0, 2.0, 3.0))
    run = Simulation(drifting)(start, (np.array([1.0, 0, 0]), Vec3(0.0, 0.0, 1.0)), duration=1.0, dt=0.01)
    assert run.p[-1] == pytest.approx([2.0, 3.0 - math.cos(1.0), 3.0], abs=1e-10)
    assert run.q[-1] == pytest.approx([math.cos(0.5), 0, 0, math.sin(0.5)], abs=1e-11)
