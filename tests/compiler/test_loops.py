"""Loops mean what plain Python loops do, element by element: at once, as nodes, nested, delayed, stopping."""

from __future__ import annotations

import math
import pickle
from collections import deque
from dataclasses import dataclass
from typing import Any

import casadi
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quatrain import scalar
from quatrain.compiler import TraceError, delay, interpret, iterate, repeat, rollout, trace, when
from quatrain.compiler.interpret import run
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3, cross


def traced_and_at_once(function, **columns):
    """The results of the traced function and of the function on the columns themselves, checked to be equal."""
    program = trace(function, dict.fromkeys(columns, float))
    traced = program.unflatten(run(program, columns))
    at_once = function(**{name: np.asarray(column, float) for name, column in columns.items()})
    assert np.array_equal(*np.broadcast_arrays(traced, np.asarray(at_once, float)), equal_nan=True)
    return traced


# ---- a fixed number of times -------------------------------------------------------------------------


def test_repeat_counts_each_element_by_itself():
    counts = np.array([0.0, 1.0, 2.9, 7.0, -3.0, math.nan])
    result = traced_and_at_once(
        lambda x, n: repeat(lambda s, i: s * 2.0 + i, x, n), x=np.full(6, 3.0), n=counts
    )
    for value, count in zip(result, counts, strict=True):
        s = 3.0
        for i in range(0 if math.isnan(count) else max(0, math.floor(count))):
            s = s * 2.0 + i
        assert value == s


def test_a_literal_count_and_a_literal_state():
    assert repeat(lambda s, i: s + i, 0.0, 5) == 10.0
    program = trace(lambda x: repeat(lambda s, i: s + x * i, 0.0, 5), {"x": float})
    assert run(program, {"x": [1.0, 2.0]})["out"].tolist() == [10.0, 20.0]
    assert [node[0] for node in program.graph.nodes].count("loop") == 1


def test_a_loop_of_no_iteration_gives_its_initial_state():
    for count in (0, -2, 0.9):
        program = trace(lambda x, n=count: repeat(lambda s, i: 1.0 / (s - s), x, n), {"x": float})
        assert run(program, {"x": 3.0})["out"] == 3.0


def test_what_is_all_numbers_runs_while_tracing():
    program = trace(lambda x: x * repeat(lambda s, i: s * 0.5 + i, 1.0, 3), {"x": float})
    assert not program.graph.loops
    assert run(program, {"x": 1.0})["out"] == ((0.5) * 0.5 + 1) * 0.5 + 2


@dataclass(frozen=True)
class Body:
    position: Any
    attitude: Any
    steps: Any


def test_the_state_may_be_any_structure():
    def law(p, w):
        def step(state, index):
            spin = state["body"].attitude @ Quaternion.pure(w * 0.01)
            attitude = Quaternion(*[a + b for a, b in zip(state["body"].attitude, spin, strict=True)])
            moved = state["body"].position + cross(w, state["body"].position) * 0.01
            grown = np.asarray(state["history"], dtype=object)[::-1]
            return {"body": Body(moved, attitude, state["body"].steps + 1.0), "history": grown + index}

        history = np.array([p.x, 2.0], dtype=object)
        return repeat(step, {"body": Body(p, Quaternion.identity(), 0.0), "history": history}, 6)

    program = trace(law, {"p": Vec3, "w": Vec3})
    p, w = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]), np.array([0.3, -0.2, 0.9])
    traced = program.unflatten(run(program, {"p": p, "w": w}))
    for k in range(2):
        plain = law(Vec3(*map(float, p[k])), Vec3(*map(float, w)))
        assert traced["body"].steps[k] == 6.0
        assert np.array_equal([c[k] for c in traced["body"].position], list(plain["body"].position))
        assert np.array_equal([c[k] for c in traced["body"].attitude], list(plain["body"].attitude))
        assert np.array_equal(traced["history"][k], np.asarray(plain["history"], float))


def test_conditions_go_round_as_conditions():
    def law(x):
        def step(state, index):
            value, found, kept = state
            return value + x, found | (value > 2.0), kept & (value < 100.0)

        value, found, kept = repeat(step, (x, False, x > 0.0), 4)
        return scalar.where(found, value, -value) + scalar.where(kept, 0.0, 0.25)

    assert traced_and_at_once(law, x=np.array([0.1, 0.6, 3.0, -1.0])).tolist() == [
        -0.5,
        3.0,
        15.0,
        5.25,
    ]


# ---- until a condition holds -------------------------------------------------------------------------


def newton(a, start):
    return iterate(
        lambda x, i: 0.5 * (x + a / x), start, until=lambda x: scalar.abs(x * x - a) < 1e-13 * a, most=30
    )


def test_newton_stops_for_each_element_by_itself():
    a = np.array([1.0, 2.0, 1e6, 1e-6, 3.0])
    program = trace(lambda a: tuple(newton(a, a)), {"a": float})
    root, count, converged = program.unflatten(run(program, {"a": a}))
    assert np.allclose(root, np.sqrt(a), rtol=1e-13)
    assert converged.tolist() == [1.0] * 5
    assert count[0] == 0.0
    assert len(set(count.tolist())) > 2
    at_once = newton(a, a)
    assert np.array_equal(at_once.state, root)
    assert np.array_equal(at_once.count, count)
    assert at_once.converged.all()
    for k, value in enumerate(a):
        alone = newton(float(value), float(value))
        assert (alone.state, alone.count, alone.converged) == (root[k], count[k], True)


def test_an_element_that_stops_or_diverges_leaves_its_neighbours_alone():
    a = np.array([4.0, math.nan, 2.0, -1.0, math.inf, 0.0, 5e-324, 9.0, 1e300])
    program = trace(lambda a: tuple(newton(a, 1.7)), {"a": float})
    together = run(program, {"a": a})
    for k in range(len(a)):
        alone = run(program, {"a": a[k]})
        for name, value in alone.items():
            assert value.tobytes() == together[name][k].tobytes()
    assert together["out.2"][[0, 2, 7]].tolist() == [1.0, 1.0, 1.0]
    assert together["out.2"][[1, 3]].tolist() == [0.0, 0.0]
    assert together["out.1"][[1, 3]].tolist() == [30.0, 30.0]


def test_a_frozen_state_keeps_every_bit():
    """The body would turn a stopped element's -0.0 to 0.0 and its NaN to a number."""
    body = lambda s, i: (s[0] + 0.0 + i * 0.0 * s[1], s[1] + 1.0)
    program = trace(
        lambda x, n: iterate(body, (x, 0.0), until=lambda s: s[1] >= n, most=9).state,
        {"x": float, "n": float},
    )
    x = np.array([-0.0, math.nan, 1.5])
    frozen = run(program, {"x": x, "n": np.array([0.0, 0.0, 5.0])})["out.0"]
    assert frozen.tobytes() == x.tobytes()


def test_the_bound_may_differ_for_each_element():
    most = np.array([0.0, 1.0, 2.5, 100.0, -1.0])
    program = trace(
        lambda x, m: tuple(iterate(lambda s, i: s * 2.0, x, until=lambda s: s > 30.0, most=m)),
        {"x": float, "m": float},
    )
    state, count, converged = program.unflatten(run(program, {"x": 1.0, "m": most}))
    assert state.tolist() == [1.0, 2.0, 4.0, 32.0, 1.0]
    assert count.tolist() == [0.0, 1.0, 2.0, 5.0, 0.0]
    assert converged.tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]


def test_the_condition_is_asked_once_more_after_the_last_iteration():
    result = iterate(lambda s, i: s + 1.0, 0.0, until=lambda s: s >= 3.0, most=3)
    assert result == (3.0, 3, True)
    program = trace(
        lambda x: tuple(iterate(lambda s, i: s + 1.0, x, until=lambda s: s >= 3.0, most=3)), {"x": float}
    )
    assert program.unflatten(run(program, {"x": 0.0})) == (3.0, 3.0, 1.0)


def test_the_result_of_a_traced_iteration_is_a_condition():
    def law(x):
        done = iterate(lambda s, i: s * 2.0, x, until=lambda s: s > 10.0, most=3)
        return scalar.where(done.converged, done.state, -1.0)

    assert run(trace(law, {"x": float}), {"x": [1.0, 2.0, 20.0]})["out"].tolist() == [-1.0, 16.0, 20.0]


# ---- nesting and captures ----------------------------------------------------------------------------


def nested(x, y, n):
    shift = x * y
    positive = x > 0.0

    def outer(state, i):
        total, product = state
        scale = y + i

        def inner(s, j):
            return scalar.where(positive, s + scale * j + total, s - shift * 0.125 + 2.0)

        inside = repeat(inner, total, i + 1.0)
        root = iterate(
            lambda r, j: 0.5 * (r + 2.0 / r), 1.0 + scalar.abs(x), until=lambda r: r * r < 2.5, most=i
        )
        return inside * 0.5, product * 0.5 + root.state + shift

    total, product = repeat(outer, (x, 1.0), n)
    return total + 3.0 * product


def test_nested_loops_capture_what_they_mention():
    rng = np.random.default_rng(9)
    columns = {
        "x": rng.normal(size=40),
        "y": rng.normal(size=40),
        "n": rng.integers(0, 6, size=40).astype(float),
    }
    result = traced_and_at_once(nested, **columns)
    for k in range(40):
        assert result[k] == nested(*(float(columns[name][k]) for name in ("x", "y", "n")))


def test_invariant_work_stays_outside_the_loop():
    program = trace(
        lambda x, y: repeat(lambda s, i: s + scalar.sin(x) * scalar.cos(y), x, 5), {"x": float, "y": float}
    )
    assert {"sin", "cos", "multiply"} <= {node[0] for node in program.graph.nodes}
    (loop,) = program.graph.loops
    assert [node[0] for node in loop.body.nodes] == ["input", "input", "add"]
    assert loop.invariants == 1
    assert loop.lags == (1,)


def test_a_loop_takes_in_only_what_it_uses():
    def law(x, y):
        def body(s, i):
            scalar.exp(s + y)  # not used
            return s * x

        return repeat(body, x, 3)

    (loop,) = trace(law, {"x": float, "y": float}).graph.loops
    assert loop.invariants == 1
    assert len(loop.body) == 3


def test_the_same_loop_is_stored_once():
    body = lambda s, i: s * 0.5 + i
    program = trace(
        lambda x, y: (repeat(body, x, 5), repeat(body, y, 9), repeat(body, x, 5)), {"x": float, "y": float}
    )
    assert len(program.graph.loops) == 1
    assert [node[0] for node in program.graph.nodes].count("loop") == 2


def test_programs_with_loops_pickle_and_have_digests():
    names = ("x", "y", "n")
    program = trace(nested, dict.fromkeys(names, float))
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert again.digest() == trace(nested, dict.fromkeys(names, float)).digest()
    columns = {"x": [0.3, -1.0], "y": 0.7, "n": 4.0}
    assert np.array_equal(run(again, columns)["out"], run(program, columns)["out"])
    assert again.graph.loops[0].body.origin(0).function == program.graph.loops[0].body.origin(0).function


# ---- delays ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lag", [1, 2, 3, 7])
def test_a_delayed_state_is_seen_later(lag):
    def law(x, n):
        return repeat(lambda s, i: (s[0] * 0.5 + s[1], s[0] + i), (x, delay(x + 10.0, lag)), n)

    x, counts = np.array([1.0, -2.0, 0.25, 3.0]), np.array([0.0, 2.0, 5.0, 12.0])
    program = trace(law, {"x": float, "n": float})
    traced = program.unflatten(run(program, {"x": x, "n": counts}))
    at_once = law(x, counts)
    for k in range(4):
        a, line = float(x[k]), deque([float(x[k]) + 10.0] * lag)
        for i in range(int(counts[k])):
            seen = line.popleft()
            line.append(a + i)
            a = a * 0.5 + seen
        assert (traced[0][k], traced[1][k]) == (a, line[-1])
        assert (at_once[0][k], at_once[1][k]) == (a, line[-1])


def test_a_whole_vector_may_be_delayed():
    def law(p):
        position, _ = repeat(lambda s, i: (s[0] + s[1] * 0.5, s[0]), (p, delay(Vec3.zero(), 2)), 4)
        return position

    program = trace(law, {"p": Vec3})
    result = run(program, {"p": [1.0, 2.0, 3.0]})["out"]
    assert result.tolist() == list(law(Vec3(1.0, 2.0, 3.0)))
    assert program.graph.loops[0].lags == (1, 1, 1, 2, 2, 2)


def test_the_condition_sees_what_the_body_sees():
    law = lambda x: iterate(lambda s, i: s + 1.0, delay(x, 3), until=lambda s: s >= 2.0, most=50)
    program = trace(lambda x: tuple(law(x)), {"x": float})
    assert program.unflatten(run(program, {"x": 0.0})) == tuple(map(float, law(0.0))) == (2.0, 6.0, 1.0)


def test_a_delay_that_means_nothing_is_refused():
    for iterations in (0, -1, 2.0, True):
        with pytest.raises(ArgumentError, match=f"a delay of {iterations!r} iterations"):
            delay(1.0, iterations)
    with pytest.raises(ArgumentError, match=r"a delay within a delay, at state\.1"):
        repeat(lambda s, i: s, (1.0, delay(delay(1.0, 2), 3)), 2)
    with pytest.raises(ArgumentError, match="a loop of inf iterations"):
        repeat(lambda s, i: s, 1.0, math.inf)


# ---- other scalars -----------------------------------------------------------------------------------


def test_loops_run_on_other_scalars():
    with mpmath.workdps(50):
        root = newton(mpmath.mpf(2), mpmath.mpf(1))
        assert mpmath.almosteq(root.state, mpmath.sqrt(2), 1e-12)
    x = casadi.SX.sym("x")
    expression = repeat(lambda s, i: s * x + i, x, 3)
    value = casadi.Function("f", [x], [expression])(0.5)
    assert float(value) == repeat(lambda s, i: s * 0.5 + i, 0.5, 3)


def test_a_body_that_returns_another_structure_is_told_so_at_once_too():
    with pytest.raises(TraceError, match=r"the body of a loop returns a number, and its state is a tuple of"):
        repeat(lambda s, i: s[0], (1.0, 2.0), 3)


# ---- random bodies -----------------------------------------------------------------------------------

STEPS = (
    lambda values, p, q: values[p] * 0.5 + values[q],
    lambda values, p, q: values[p] - values[q] * 0.25,
    lambda values, p, q: scalar.minimum(values[p], values[q]),
    lambda values, p, q: scalar.where(values[p] < values[q], values[q] * 0.75, values[p] + 0.125),
    lambda values, p, q: values[p] / (1.0 + values[q] * values[q]),
    lambda values, p, q: scalar.sqrt(scalar.abs(values[p])) - values[q] * 0.5,
)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_loops_equal_plain_python_loops(data):
    """Against a loop over floats, element by element: no column, no mask, no node."""
    states = data.draw(st.integers(1, 3))
    place = st.integers(0, states + 4)
    plan = data.draw(st.lists(st.tuples(st.sampled_from(STEPS), place, place), min_size=states, max_size=6))
    lags = data.draw(st.lists(st.integers(1, 3), min_size=states, max_size=states))
    bound = data.draw(st.floats(-1.0, 2.0))

    def body(seen, index, x, y):
        values = [*seen, index, x, y, 0.5, -1.25]
        made = [step(values, p, q) for step, p, q in plan]
        return tuple(made[-states:])

    def law(x, y, n):
        state = tuple(delay(x * (k + 1.0), lag) for k, lag in enumerate(lags))
        fixed = repeat(lambda s, i: body(s, i, x, y), state, n)
        free = iterate(lambda s, i: body(s, i, x, y), state, until=lambda s: s[0] < bound, most=n + 2.0)
        return (*fixed, *free.state, free.count, free.converged * 1.0)

    def plain(x, y, n):
        def start():
            return [deque([x * (k + 1.0)] * lag) for k, lag in enumerate(lags)]

        def advance(lines, i):
            following = body(tuple(line[0] for line in lines), float(i), x, y)
            for line, value in zip(lines, following, strict=True):
                line.append(value)
                line.popleft()

        fixed, free = start(), start()
        for i in range(int(n)):
            advance(fixed, i)
        i = 0
        while not free[0][0] < bound and i < n + 2.0:
            advance(free, i)
            i += 1
        return [line[-1] for line in (*fixed, *free)] + [i, float(free[0][0] < bound)]

    rng = np.random.default_rng(11)
    x, y, n = rng.normal(size=12) * 2, rng.normal(size=12), rng.integers(0, 7, size=12).astype(float)
    program = trace(law, dict.fromkeys(("x", "y", "n"), float))
    traced = np.array(program.unflatten(run(program, {"x": x, "y": y, "n": n})))
    at_once = np.array(np.broadcast_arrays(*law(x, y, n)), float)
    expected = np.array([plain(*map(float, each)) for each in zip(x, y, n, strict=True)]).T
    assert np.array_equal(traced, expected)
    assert np.array_equal(at_once, expected)


# ---- time loops --------------------------------------------------------------------------------------


def oscillator(index, state, parameters, inputs):
    position, velocity, past = state
    stiffness, h = parameters
    force = inputs["force"]
    acceleration = position * (-stiffness) + Vec3(0.0, 0.0, 1.0) * force + past * 0.125
    following = velocity + acceleration * h
    moved = position + following * h
    outputs = {
        "t": index * h,
        "position": position,
        "crossing": when(position.x * moved.x < 0.0, {"t": index * h, "at": moved}, most=3),
    }
    return (moved, following, position), outputs


ROLLOUT = rollout(
    oscillator, state=(Vec3, Vec3, delay(Vec3, 4)), parameters=(float, float), inputs={"force": float}
)


def plain_oscillator(p, v, past, stiffness, h, force, every):
    """One element, one plain loop, on plain arrays."""
    records, events = [], []
    line = deque([past] * 4)
    for i, f in enumerate(force):
        if i % every == 0:
            records.append((i * h, p))
        a = p * -stiffness + np.array([0.0, 0.0, f]) + line.popleft() * 0.125
        line.append(p)
        v = v + a * h
        moved = p + v * h
        if p[0] * moved[0] < 0:
            events.append((i * h, moved))
        p = moved
    return p, v, line[-1], records, events


@pytest.mark.parametrize(("steps", "every"), [(60, 7), (60, 1), (60, 100), (1, 1), (0, 3)])
def test_a_rollout_is_a_plain_loop(steps, every):
    rng = np.random.default_rng(12)
    batch = 5
    arrays = {
        "state.0": rng.normal(size=(batch, 3)),
        "state.1": rng.normal(size=(batch, 3)),
        "state.2": rng.normal(size=3),
        "parameters.0": np.linspace(1.0, 90.0, batch),
        "parameters.1": np.array(0.05),
        "inputs.force": rng.normal(size=(batch, steps)),
    }
    result = interpret.rollout(ROLLOUT, arrays, steps, every)
    count = -(-steps // every)
    assert result.records["record.position"].shape == (batch, count, 3)
    assert result.records["record.t"].shape == (batch, count)
    happened, written = result.events["crossing"]
    assert written["event.crossing.value.at"].shape == (batch, 3, 3)
    for k in range(batch):
        p, v, past, records, events = plain_oscillator(
            arrays["state.0"][k],
            arrays["state.1"][k],
            arrays["state.2"],
            arrays["parameters.0"][k],
            0.05,
            arrays["inputs.force"][k],
            every,
        )
        for name, value in (("state.0", p), ("state.1", v), ("state.2", past)):
            assert np.array_equal(result.final[name][k], value)
        assert np.array_equal(result.records["record.t"][k], [t for t, _ in records])
        assert np.array_equal(
            result.records["record.position"][k], np.reshape([q for _, q in records], (count, 3))
        )
        assert happened[k] == len(events)
        for j in range(3):
            if j < len(events):
                assert written["event.crossing.value.t"][k, j] == events[j][0]
                assert np.array_equal(written["event.crossing.value.at"][k, j], events[j][1])
            else:
                assert np.isnan(written["event.crossing.value.t"][k, j])
                assert np.isnan(written["event.crossing.value.at"][k, j]).all()
    if steps == 60:
        assert happened.max() > 3  # more than there is room for, and counted


def test_a_rollout_says_the_role_of_each_port():
    assert ROLLOUT.index == "index"
    assert [(c.source, c.target, c.lag) for c in ROLLOUT.carried] == [
        ("next.0", "state.0", 1),
        ("next.1", "state.1", 1),
        ("next.2", "state.2", 4),
    ]
    assert ROLLOUT.parameters == ("parameters.0", "parameters.1")
    assert ROLLOUT.sequences == ("inputs.force",)
    assert ROLLOUT.records == ("record.t", "record.position")
    (event,) = ROLLOUT.events
    assert (event.name, event.condition, event.most) == ("crossing", "event.crossing.when", 3)
    assert event.values == ("event.crossing.value.t", "event.crossing.value.at")
    again = pickle.loads(pickle.dumps(ROLLOUT))
    assert again == ROLLOUT
    assert again.digest() == ROLLOUT.digest()
    other = rollout(lambda i, x, p, u: (x, {"x": x}), state=delay(float, 2))
    assert other.digest() != rollout(lambda i, x, p, u: (x, {"x": x}), state=delay(float, 3)).digest()


def test_a_rollout_in_single_precision_and_without_a_batch():
    loop = rollout(lambda i, x, k, u: (x + k * i, {"x": x}), state=float, parameters=float, name="sum")
    result = interpret.rollout(loop, {"state": 1.0, "parameters": 0.5}, 4, 2, np.float32)
    assert result.final["state"].dtype == np.float32
    assert result.final["state"] == 1.0 + 0.5 * 6
    assert result.records["record.x"].tolist() == [1.0, 1.5]


def test_a_rollout_may_hold_loops():
    def step(index, x, parameters, inputs):
        following = iterate(lambda s, i: s * 0.5, x + index, until=lambda s: s < 1.0, most=20).state
        return following, {"x": x}

    loop = rollout(step, state=float)
    x = np.array([0.5, 3.0, 100.0])
    result = interpret.rollout(loop, {"state": x}, 5)
    expected = x.tolist()
    for i in range(5):
        for k, value in enumerate(expected):
            value += i
            while not value < 1.0:
                value *= 0.5
            expected[k] = value
    assert result.final["state"].tolist() == expected


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (lambda i, x, p, u: x, "step returns a Traced"),
        (lambda i, x, p, u: None, "step returns nothing"),
        (
            lambda i, x, p, u: ((x, x), {}),
            "the next state of step is a tuple of (a number, a number), and its state",
        ),
    ],
)
def test_a_step_that_returns_something_else_is_told_so(step, text):
    with pytest.raises(TraceError) as caught:
        rollout(step, state=float, name="step")
    assert text in str(caught.value)
    assert "To fix: return the next state" in str(caught.value)


def test_wrong_arguments_of_a_rollout_are_answered():
    loop = rollout(lambda i, x, p, u: (x + u, {"x": x}), state=float, inputs=float, name="sum")
    with pytest.raises(
        ArgumentError, match=r"inputs has shape \(4,\); 5 steps need one entry each, on axis -1"
    ):
        interpret.rollout(loop, {"state": 0.0, "inputs": np.ones(4)}, 5)
    with pytest.raises(ArgumentError, match="5 steps recorded every 0"):
        interpret.rollout(loop, {"state": 0.0, "inputs": np.ones(5)}, 5, 0)
    with pytest.raises(ArgumentError, match="'state' is missing from the inputs of sum"):
        interpret.rollout(loop, {"inputs": np.ones(5)}, 5)
    with pytest.raises(TraceError, match="an event with room for 0 entries"):
        when(True, 1.0, most=0)
    with pytest.raises(TraceError, match="the fields of state have different delays"):
        rollout(lambda i, x, p, u: (x, {}), state=Vec3(delay(float, 2), float, float))


@pytest.mark.parametrize(
    ("law", "call"),
    [
        (lambda x: repeat(lambda s: s, x, 3), "body(state, index)"),
        (lambda x: repeat(lambda s, i, past: s, x, 3), "body(state, index)"),
        (lambda x: iterate(lambda s, i: s, x, until=lambda: True, most=3), "until(state)"),
        (lambda x: rollout(lambda s: s, state=float), "step(index, state, parameters, inputs)"),
    ],
)
def test_a_function_that_is_called_otherwise_is_told_how(law, call):
    with pytest.raises(TraceError) as caught:
        trace(law, {"x": float})
    assert f"test_loops.py:{law.__code__.co_firstlineno} in <lambda>: what is called as {call}" in str(
        caught.value
    )
    assert f"To fix: write it as def {call}: …" in str(caught.value)
