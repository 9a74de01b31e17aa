"""How laws are asked within runs of trees: rates, delays, sub-steps, laws in plain Python; against loops in Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import quatrain as qt
from quatrain import ArgumentError, Control
from quatrain.compiler import TraceError

MODEL = qt.examples.model("acrobot")
START = np.array([0.4, -0.2])
HOW = {"duration": 0.6, "dt": 0.02}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def spring_like(t, q, v, x, p):
    return [-20.0 * q[0] - 3.0 * v[0], -10.0 * q[1] - t]


def stepped(law, steps, dt, every=1, delay=0, x=None):
    """The same in Python: semi-implicit Euler with the robot's accelerations."""
    robot = qt.Robot(MODEL)
    q, v, held, queue, forces = START.copy(), np.zeros(2), np.zeros(2), [np.zeros(2)] * delay, []
    for i in range(steps):
        if i % every == 0:
            answer = law(i * dt, q, v, x, {})
            held, x = (answer, None) if x is None else answer
            held = np.array(held)
        queue.append(held)
        tau = queue.pop(0)
        forces.append(tau)
        v = v + dt * robot.forward_dynamics(q, v, tau + robot.passive_force(q, v))
        q = q + dt * v
    return q, v, np.array(forces)


@pytest.mark.parametrize(("every", "delay"), [(1, 0), (3, 0), (1, 2), (5, 4), (2, 1)])
def test_laws_are_asked_at_their_rate_and_act_after_their_delay(every, delay):
    q, v, forces = stepped(spring_like, 30, 0.02, every, delay)
    run = qt.simulate(
        MODEL,
        START,
        **HOW,
        method="semi_implicit_euler",
        control=Control(spring_like, every=every, delay=delay),
    )
    assert run.tau[:30] == pytest.approx(forces, abs=1e-11)
    assert run.q[-1] == pytest.approx(q, abs=1e-11)
    assert run.v[-1] == pytest.approx(v, abs=1e-11)


def with_memory(t, q, v, x, p):
    return [-20.0 * q[0] - x["sum"], -3.0 * v[1]], {"sum": x["sum"] + 0.5 * q[0], "last": [q[1], v[1]]}


def test_a_law_with_a_state_a_rate_and_a_delay():
    start = {"sum": 0.0, "last": [0.0, 0.0]}
    q, _, _ = stepped(with_memory, 30, 0.02, 3, 2, start)
    law = Control(with_memory, start=start, every=3, delay=2)
    run = qt.simulate(MODEL, START, **HOW, method="semi_implicit_euler", control=law)
    assert run.q[-1] == pytest.approx(q, abs=1e-11)
    stored = qt.simulate(
        MODEL, START, **HOW, method="semi_implicit_euler", control=law, progress=lambda a, b: None
    )
    assert np.array_equal(run.q, stored.q)


def test_a_delay_goes_on_over_pieces(tmp_path):
    simulation = qt.TreeSimulation(MODEL, control=Control(spring_like, every=2, delay=7))
    whole = simulation(START, **HOW)
    in_pieces = simulation(START, **HOW, out=tmp_path / "run.zarr", chunk=4)
    assert np.array_equal(whole.q, in_pieces.q)


@pytest.mark.parametrize(
    "method", ["semi_implicit_euler", "rk4", "implicit_midpoint", "linearly_implicit_euler"]
)
def test_substeps_are_steps_under_one_answer(method):
    fine = qt.simulate(
        MODEL,
        START,
        duration=0.6,
        dt=0.005,
        method=method,
        control=Control(spring_like, every=4),
        record_every=4,
    )
    coarse = qt.simulate(MODEL, START, **HOW, method=method, control=spring_like, substeps=4)
    assert coarse.t == pytest.approx(fine.t)
    assert coarse.q == pytest.approx(fine.q, abs=1e-12)  # times within a step are rounded in another order
    assert coarse.tau == pytest.approx(fine.tau, abs=1e-11)


# ---- plain Python ----------------------------------------------------------------------------------------


def in_python(t, q, v, x, p):
    return np.stack([-20.0 * q[..., 0] - 3.0 * v[..., 0], -10.0 * q[..., 1] - t], axis=-1)


@pytest.mark.parametrize(("every", "record_every"), [(1, 1), (3, 2), (2, 5), (10, 1)])
def test_a_python_law_moves_as_the_traced_one_does(every, record_every):
    starts = START + np.linspace(0, 1, 5)[:, None]
    how = {**HOW, "record_every": record_every}
    traced = qt.simulate(MODEL, starts, **how, control=Control(spring_like, every=every))
    plain = qt.simulate(MODEL, starts, **how, control=qt.python_law(in_python, every=every))
    assert np.array_equal(traced.t, plain.t)
    assert plain.q == pytest.approx(traced.q, abs=1e-12)
    assert plain.tau == pytest.approx(traced.tau, abs=1e-11)
    assert plain.facts["python_law_calls"] == 30 // every + 1
    assert f"The law in_python is plain Python: called {30 // every + 1:,} times" in plain.report()


def test_a_python_law_may_branch_and_remember_anything():
    seen = []

    def law(t, q, v, x, p):
        seen.append(x)
        return ([1.0, 0.0] if q[0] > 0 else [-1.0, 0.0]), f"{x}."

    run = qt.simulate(MODEL, START, duration=0.04, dt=0.02, control=qt.python_law(law, start="x"))
    assert seen == ["x", "x.", "x.."]
    assert run.tau[:2, 0].tolist() == [1.0, 1.0]


def test_events_are_found_under_a_python_law():
    how = {"duration": 2.0, "dt": 0.02, "events": {"down": lambda t, q, v: q[0]}}
    plain = qt.simulate(MODEL, START, **how, control=qt.python_law(in_python))
    traced = qt.simulate(MODEL, START, **how, control=spring_like)
    assert plain.events["down"].count == traced.events["down"].count > 1
    assert plain.events["down"].t == pytest.approx(traced.events["down"].t, abs=1e-9, nan_ok=True)


# ---- what cannot be --------------------------------------------------------------------------------------


def test_a_law_that_branches_is_told_its_line_and_the_way_out():
    def bang_bang(t, q, v, x, p):
        if q[0] > 0:
            return [-1.0, 0.0]
        return [1.0, 0.0]

    line = bang_bang.__code__.co_firstlineno + 1
    for every in (1, 4):
        with pytest.raises(
            TraceError, match=rf"test_run_control.py:{line} in bang_bang: .*\n.*quatrain.where"
        ):
            qt.simulate(MODEL, START, **HOW, control=Control(bang_bang, every=every))
    run = qt.simulate(MODEL, START, **HOW, control=qt.python_law(bang_bang))
    assert set(np.abs(run.tau[:, 0])) == {1.0}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"control": qt.python_law(lambda t, q, v, x, p: [1, 2, 3])}, r"an array of shape \(3,\); it is asked for one"),
        ({"control": qt.python_law(lambda t, q, v, x, p: "up")}, "returns a str"),
        ({"control": qt.python_law(lambda t, q, v, x, p: [0.0, 0.0], start=1)}, "has a state and returns a list"),
        ({"control": qt.python_law(in_python), "out": "run.zarr"}, "under a Python law cannot be written as it goes"),
        ({"substeps": 0}, "substeps is 0"),
        ({"substeps": 2, "method": "dopri5"}, "method 'dopri5' takes no substeps.\n.*steps of its own size"),
        ({"substeps": 2, "method": "generalized_alpha"}, "takes no substeps.\n.*take a smaller dt"),
        ({"device": "cuda"}, "device is 'cuda'"),
        ({"control": 3.0}, "the control law is a float"),
    ],
)  # fmt: skip
def test_runs_that_cannot_be(options, says):
    with pytest.raises(ArgumentError, match=says):
        qt.simulate(MODEL, START, **HOW, **options)


def test_delays_and_rates_that_cannot_be():
    with pytest.raises(ArgumentError, match="acts -1 steps later"):
        Control(spring_like, delay=-1)
    with pytest.raises(ArgumentError, match=r"acts 5000 steps later.\n.*0 to 1000"):
        Control(spring_like, delay=5000)
    with pytest.raises(ArgumentError, match="asked every 0 steps"):
        qt.python_law(in_python, every=0)
    with pytest.raises(ArgumentError, match="takes"):
        qt.python_law(math.sin)
