"""Time loops in machine code: every bit of `interpret.rollout`, for any batch, in any pieces, by any threads."""

from __future__ import annotations

import copy
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quatrain import scalar
from quatrain.compiler import delay, interpret, iterate, native, repeat, rollout, rollout_kernel, when
from quatrain.compiler.rollout_kernel import RolloutKernel
from quatrain.errors import ArgumentError, QuatrainError
from tests.compiler.machines import Guarded, parts_of, plain_processor, shortest_pieces, vectors_of
from tests.compiler.random_graphs import Step, numbers, same_bits, some_tape, step_arguments, steps

pytest.importorskip("llvmlite.binding")

DTYPES = ("float64", "float32")


def examples(count):
    return settings(max_examples=count, deadline=None, derandomize=True, database=None)


def assert_same(found, expected):
    assert found.final.keys() == expected.final.keys()
    assert found.records.keys() == expected.records.keys()
    assert found.events.keys() == expected.events.keys()
    for name, array in expected.final.items():
        assert same_bits(found.final[name], array), name
    for name, array in expected.records.items():
        assert same_bits(found.records[name], array), name
    for name, (count, values) in expected.events.items():
        assert same_bits(found.events[name][0], count), name
        assert found.events[name][1].keys() == values.keys()
        for port, array in values.items():
            assert same_bits(found.events[name][1][port], array), port


def assert_equals_the_interpreter(loop, given, count, every=1, dtype="float64", kernel=None):
    kernel = kernel or RolloutKernel(loop, dtype=dtype, contract=False)
    expected = interpret.rollout(loop, given, count, every, dtype)
    assert_same(kernel(given, count, every), expected)
    return kernel, expected


# ---- random steps ------------------------------------------------------------------------------------


@examples(30)
@given(steps(), st.integers(0, 12), st.integers(1, 5), st.sampled_from([(), (1,), (8,), (13,), (3, 5)]))
def test_random_rollouts_equal_the_interpreter_bit_for_bit(step, count, every, batch):
    loop, given_values = step.rollout(), step_arguments(batch, count)
    kernel, expected = assert_equals_the_interpreter(loop, given_values, count, every)
    with shortest_pieces():
        assert_same(kernel(given_values, count, every), expected)


@examples(10)
@given(steps(), st.integers(1, 6), st.sampled_from(DTYPES), st.sampled_from([1, 2, 4, 16]))
def test_random_rollouts_of_any_width_equal_the_interpreter(step, every, dtype, lanes):
    with vectors_of(lanes):
        kernel = RolloutKernel(step.rollout(dtype), dtype=dtype, contract=False)
    given_values = step_arguments((19,), 11, dtype)
    assert_equals_the_interpreter(step.rollout(dtype), given_values, 11, every, dtype, kernel)


@examples(10)
@given(steps(), st.integers(1, 9), st.integers(1, 3))
def test_random_rollouts_in_parts_equal_the_interpreter(step, size, every):
    with parts_of(size):
        kernel = RolloutKernel(step.rollout(), contract=False)
    for pieces in (vectors_of(8), shortest_pieces()):
        with pieces:
            assert_equals_the_interpreter(step.rollout(), step_arguments((11,), 7), 7, every, kernel=kernel)


@pytest.mark.slow
@examples(300)
@given(steps(150), st.integers(0, 20), st.integers(1, 7), st.integers(1, 40), st.sampled_from(DTYPES))
def test_many_more_random_rollouts_equal_the_interpreter(step, count, every, batch, dtype):
    loop, given_values = step.rollout(dtype), step_arguments((batch,), count, dtype)
    for context in (vectors_of(8), parts_of(7), plain_processor()):
        with context:
            kernel = RolloutKernel(loop, dtype=dtype, contract=False)
        _, expected = assert_equals_the_interpreter(loop, given_values, count, every, dtype, kernel)
        with shortest_pieces():
            assert_same(kernel(given_values, count, every), expected)


# ---- one system, with everything ---------------------------------------------------------------------


def swing(index, state, parameters, inputs):
    """A pendulum under a late force: elementary functions, a loop inside, delays, an event at each turn."""
    angle, speed = state["motion"]
    solved = iterate(
        lambda x, i: 0.5 * (x + (1.0 + angle * angle) / x),
        1.0 + scalar.abs(angle),
        until=lambda x: scalar.abs(x * x - 1.0 - angle * angle) < 1e-9,
        most=20,
    )
    pull = scalar.sin(angle) * parameters["stiffness"] + state["late"] * 0.125 - inputs["push"][0]
    after = speed - pull * parameters["h"] / solved.state
    following = np.array([angle + after * parameters["h"], after], object)
    turned = when(speed * after <= 0.0, {"t": index * parameters["h"], "angle": angle}, most=3)
    record = {"motion": state["motion"], "energy": speed * speed + scalar.cos(angle), "rounds": solved.count}
    return {"motion": following, "late": inputs["push"][1] * speed}, {**record, "turned": turned}


@cache
def swinging(dtype="float64"):
    return rollout(
        swing,
        state={"motion": 2, "late": delay(float, 3)},
        parameters={"stiffness": float, "h": float},
        inputs={"push": (2,)},
        dtype=dtype,
    )


@cache
def kernel(dtype="float64", lanes=None, threads=None, contract=True):
    if lanes is None:
        return RolloutKernel(swinging(dtype), dtype=dtype, threads=threads, contract=contract)
    with vectors_of(lanes):
        return RolloutKernel(swinging(dtype), dtype=dtype, threads=threads, contract=contract)


STEPS = 40


def given_for(batch, steps=STEPS, dtype="float64"):
    rng = np.random.default_rng(8)
    return {
        "state.motion": rng.normal(size=(100, 2)).astype(dtype)[:batch],
        "state.late": rng.normal(size=100).astype(dtype)[:batch],
        "parameters.stiffness": rng.uniform(1, 40, 100).astype(dtype)[:batch],
        "parameters.h": np.array(0.05, dtype),
        "inputs.push": rng.normal(size=(100, STEPS, 2)).astype(dtype)[:batch, :steps],
    }


def first(rolled, count):
    """Of a rollout only the first elements of the batch."""
    return interpret.Rolled(
        {name: array[:count] for name, array in rolled.final.items()},
        {name: array[:count] for name, array in rolled.records.items()},
        {
            name: (happened[:count], {port: array[:count] for port, array in values.items()})
            for name, (happened, values) in rolled.events.items()
        },
    )


@cache
def whole(dtype="float64", lanes=None, every=1):
    return kernel(dtype, lanes)(given_for(100, dtype=dtype), STEPS, every)


def test_it_is_near_the_interpreter():
    """Not bit for bit, as sines are ours and products are fused: over 40 steps of a tame system, to 1e-11."""
    given_values = given_for(100)
    expected = interpret.rollout(swinging(), given_values, STEPS, 7)
    found = kernel()(given_values, STEPS, 7)
    for name, array in expected.records.items():
        assert found.records[name].shape == array.shape
        if name != "record.rounds":
            assert np.allclose(found.records[name], array, rtol=0, atol=1e-11)
    assert np.array_equal(found.records["record.rounds"].max(), expected.records["record.rounds"].max())
    assert (found.events["turned"][0] > 3).any()
    assert np.isnan(found.events["turned"][1]["event.turned.value.t"]).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lanes", [None, 1, 2, 4])
def test_any_batch_gives_the_same_bits(lanes, dtype):
    for batch in (1, 2, 7, 8, 9, 15, 16, 17, 33, 99):
        found = kernel(dtype, lanes)(given_for(batch, dtype=dtype), STEPS)
        assert_same(found, first(whole(dtype, lanes), batch))


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_any_pieces_and_threads_give_the_same_bits(threads, monkeypatch):
    chosen = kernel(threads=threads)
    assert_same(chosen(given_for(100), STEPS), whole())
    with shortest_pieces():
        assert_same(chosen(given_for(100), STEPS), whole())
        assert_same(chosen(given_for(13), STEPS), first(whole(), 13))
        assert_same(chosen(given_for(13), STEPS, 7), first(whole(every=7), 13))
    for seconds in (1e-6, 1e-5, 1e-4):
        monkeypatch.setattr(native, "PIECE_SECONDS", seconds)
        assert_same(chosen(given_for(100), STEPS, 3), whole(every=3))


def test_one_element_alone_is_what_it_is_among_others():
    for k in (0, 1, 50):
        alone = {name: array[k] if array.ndim else array for name, array in given_for(100).items()}
        found, among = kernel()(alone, STEPS), whole()
        assert same_bits(found.final["state.motion"], among.final["state.motion"][k])
        assert same_bits(found.records["record.energy"], among.records["record.energy"][k])
        assert found.events["turned"][0] == among.events["turned"][0][k]


@pytest.mark.parametrize("every", [1, 2, 3, 39, 40, 41, 10**6])
def test_every_kth_step_is_recorded(every):
    found = kernel()(given_for(9), STEPS, every)
    for name, array in first(whole(), 9).records.items():
        assert same_bits(found.records[name], array[:, ::every])
    assert_same(
        interpret.Rolled(found.final, {}, found.events),
        interpret.Rolled(first(whole(), 9).final, {}, first(whole(), 9).events),
    )


def test_a_long_run_is_its_two_halves():
    """The state after the first half begins the second, delays aside: they would begin with one value."""

    def step(index, x, p, u):
        return np.array([x[1], -x[0] * 0.75 + p], object), {"x": x}

    loop = rollout(step, state=2, parameters=float)
    run = RolloutKernel(loop)
    start = {"state": numbers((21, 2), 3), "parameters": numbers((21,), 4)}
    together = run(start, 30)
    half = run(start, 17)
    rest = run({**start, "state": half.final["state"]}, 13)
    assert same_bits(rest.final["state"], together.final["state"])
    both = np.concatenate([half.records["record.x"], rest.records["record.x"]], axis=1)
    assert same_bits(both, together.records["record.x"])


def oscillator():
    def step(index, x, p, u):
        pushed = np.array([x[1], -x[0] * 0.75 + p], object)
        return pushed, {"x": x, "high": when(x[0] > 0, index, most=3)}

    return rollout(step, state=2, parameters=float)


@pytest.mark.parametrize("batch", [(), (21,), (3, 7)])
def test_what_an_element_records_lies_together(batch):
    """Scattered over the pages of a large array it takes several times the time of a small step."""
    result = RolloutKernel(oscillator())({"state": np.ones((*batch, 2)), "parameters": np.ones(batch)}, 12, 3)
    (record,) = result.records.values()
    assert record.shape == (*batch, 4, 2)
    assert record.flags.c_contiguous


@pytest.mark.parametrize("batch", [(21,), (3, 7)])
def test_a_result_may_be_written_over_by_the_next_run(batch):
    run = RolloutKernel(oscillator())
    first, second = (
        {
            "state": numbers((*batch, 2), seed, special=False),
            "parameters": numbers(batch, seed, special=False),
        }
        for seed in (3, 4)
    )
    result = run(first, 30, 2)
    places = [
        array.__array_interface__["data"] for array in (result.final["state"], result.records["record.x"])
    ]
    expected = run(second, 30, 2)
    again = run(second, 30, 2, out=result)
    assert_same(again, expected)
    assert places == [
        a.__array_interface__["data"] for a in (again.final["state"], again.records["record.x"])
    ]
    # It may go on from what it writes over, also where one state serves all.
    expected = run({**second, "state": expected.final["state"].copy()}, 30, 2)
    assert_same(run({**second, "state": again.final["state"]}, 30, 2, out=again), expected)
    one = again.final["state"].reshape(-1, 2)[0]
    expected = run({**second, "state": np.broadcast_to(one, (*batch, 2)).copy()}, 30, 2)
    assert_same(run({**second, "state": one}, 30, 2, out=again), expected)


def test_only_results_of_the_same_kernel_and_size_are_written_over():
    loop = oscillator()
    run, other = RolloutKernel(loop), RolloutKernel(loop, dtype="float32")
    given_values = {"state": numbers((5, 2), 3), "parameters": numbers((5,), 3)}
    result = run(given_values, 10)
    with pytest.raises(ArgumentError, match="out is no earlier result of step"):
        run(given_values, 10, out=other(given_values, 10))
    with pytest.raises(ArgumentError, match=r"out is for the batch \(5,\) with 10 records; .* \(5,\) with 4"):
        run(given_values, 10, 3, out=result)
    with pytest.raises(ArgumentError, match="out is no earlier result of step"):
        run(given_values, 10, out=pickle.loads(pickle.dumps(result)))


# ---- its edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(), (5,), (0,), (2, 3), (3, 0)])
@pytest.mark.parametrize("count", [0, 1])
def test_no_step_and_no_element(count, batch):
    step = Step(some_tape(5, 12, depth=1), (2, 3), (1, 2))
    loop, given_values = step.rollout(), step_arguments(batch, count)
    kernel, expected = assert_equals_the_interpreter(loop, given_values, count)
    for name in loop.records:
        assert expected.records[name].shape[: len(batch) + 1] == (*batch, count)
    with shortest_pieces():
        assert_same(kernel(given_values, count), expected)


def test_a_step_that_records_nothing_or_has_no_state():
    only_state = rollout(lambda i, x, p, u: (x + i, {}), state=float)
    assert_equals_the_interpreter(only_state, {"state": numbers((11,), 1)}, 9)
    only_output = rollout(lambda i, x, p, u: ((), {"y": u * p}), state=(), parameters=float, inputs=float)
    given_values = {"parameters": numbers((11,), 1), "inputs": numbers((11, 9), 2)}
    assert_equals_the_interpreter(only_output, given_values, 9)
    constant = rollout(lambda i, x, p, u: (x, {"one": 1.0, "i": i}), state=float)
    assert_equals_the_interpreter(constant, {"state": numbers((11,), 1)}, 9, 2)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_events_are_written_until_there_is_no_room_and_counted_on(most):
    def step(index, x, p, u):
        outputs = {
            "often": when(u > 0.0, {"i": index, "pair": np.array([u, x], object)}, most=most),
            "never": when(index < -1.0, index, most=1),
            "odd": when(u, -u, most=most),
        }
        return x + u, outputs

    loop = rollout(step, state=float, inputs=float)
    u = numbers((21, 12), 5, special=False)
    u[0], u[1], u[2, 3] = -1.0, 1.0, np.nan
    kernel, expected = assert_equals_the_interpreter(loop, {"state": numbers((21,), 1), "inputs": u}, 12)
    assert expected.events["often"][0].tolist() == (u > 0).sum(axis=1).tolist()
    with shortest_pieces():
        assert_same(kernel({"state": numbers((21,), 1), "inputs": u}, 12), expected)


@pytest.mark.parametrize("lag", [1, 2, 3, 8, 50])
def test_delays_longer_and_shorter_than_the_run_and_its_pieces(lag, monkeypatch):
    def step(index, state, p, u):
        x, late = state["x"], state["late"]
        return {"x": x * 0.5 + late[1], "late": np.array([x, index + late[0]], object)}, {"late": late}

    loop = rollout(step, state={"x": float, "late": delay(2, lag)})
    given_values = {"state.x": numbers((13,), 1), "state.late": numbers((13, 2), 2)}
    kernel, expected = assert_equals_the_interpreter(loop, given_values, 20, 3)
    for seconds in (0.0, 2e-6, 1e-5):
        monkeypatch.setattr(native, "ENOUGH_TO_MEASURE", 1)
        monkeypatch.setattr(native, "PIECE_SECONDS", seconds)
        assert_same(kernel(given_values, 20, 3), expected)


def test_states_are_exchanged_at_once():
    """What is written to one part of the state is not yet seen by the others in the same step."""
    loop = rollout(
        lambda i, x, p, u: ({"a": x["b"], "b": x["a"]}, {"a": x["a"]}), state={"a": float, "b": float}
    )
    given_values = {"state.a": numbers((9,), 1), "state.b": numbers((9,), 2)}
    assert_equals_the_interpreter(loop, given_values, 7)
    with parts_of(1):
        assert_equals_the_interpreter(loop, given_values, 7)


def test_what_a_loop_gives_may_be_recorded_while_the_state_needs_other_results_of_it():
    def step(index, x, p, u):
        solved = iterate(lambda y, i: 0.5 * (y + x / y), x + 1.0, until=lambda y: y * y - x < 1e-6, most=30)
        return solved.state + 0.5, {
            "count": solved.count,
            "converged": solved.converged,
            "sine": scalar.sqrt(x),
        }

    loop = rollout(step, state=float)
    given_values = {"state": np.abs(numbers((13,), 3))}
    for context in (vectors_of(8), parts_of(1), parts_of(3)):
        with context:
            assert_equals_the_interpreter(loop, given_values, 9, 2)


def test_what_only_records_need_is_left_out_of_the_other_steps():
    """A record that takes longer with each step is made at the first step only, where it takes no time."""

    def step(index, x, p, u):
        return x + 1.0, {"slow": repeat(lambda y, i: y + 1.0, 0.0, index * 2e7)}

    run = RolloutKernel(rollout(step, state=float))
    began = time.perf_counter()
    found = run({"state": np.zeros(9)}, 50, 100)
    assert time.perf_counter() - began < 5  # and not a minute
    assert (found.records["record.slow"] == 0).all()
    assert (found.final["state"] == 50).all()


def test_an_element_that_diverges_leaves_its_neighbours_alone():
    given_values = given_for(30)
    for bad in (np.nan, np.inf, 1e308):
        sick = {name: array.copy() for name, array in given_values.items()}
        sick["state.motion"][::4, 0] = bad
        found, healthy = kernel()(sick, STEPS), kernel()(given_values, STEPS)
        others = np.arange(30) % 4 != 0
        assert same_bits(found.final["state.motion"][others], healthy.final["state.motion"][others])
        assert same_bits(found.records["record.energy"][others], healthy.records["record.energy"][others])
        assert not np.isfinite(found.final["state.motion"][::4]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_index_counts_the_steps_across_pieces(dtype):
    loop = rollout(lambda i, x, p, u: (x + i, {"i": i}), state=float, dtype=dtype)
    kernel = RolloutKernel(loop, dtype=dtype)
    with shortest_pieces():
        found = kernel({"state": np.zeros(3)}, 20)
    assert found.records["record.i"].tolist() == [list(range(20))] * 3
    assert found.final["state"].tolist() == [190.0] * 3


# ---- memory ------------------------------------------------------------------------------------------


def test_arguments_may_have_any_axes_and_lie_anywhere():
    step = Step(some_tape(6, 25, depth=1), (2, 1), (2, 1))
    loop, count = step.rollout(), 6
    kernel = RolloutKernel(loop, contract=False)
    given_values = step_arguments((3, 5), count)
    cases = [
        given_values,
        {name: np.asfortranarray(array) for name, array in given_values.items()},
        {name: np.repeat(array[..., None], 2, axis=-1)[..., 0] for name, array in given_values.items()},
        {
            **given_values,
            "state.a": given_values["state.a"][:1],
            "parameters.q": given_values["parameters.q"][0],
        },
        {**given_values, "parameters.p": numbers((3, 1), 3), "inputs.w": numbers((5, count, 2), 4)},
        {**given_values, "inputs.u": np.moveaxis(numbers((count, 3, 5), 9), 0, -1)},
        {**given_values, "inputs.u": given_values["inputs.u"][::-1, ::-1, ::-1]},
        {name: array.tolist() for name, array in given_values.items()},
    ]
    for case in cases:
        assert_equals_the_interpreter(loop, case, count, 2, kernel=kernel)


class GuardedNumpy:
    """numpy, whose new arrays lie between guards."""

    def __init__(self, guard: Guarded) -> None:
        self.guard = guard

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def empty(self, shape: Any, dtype: Any) -> Any:
        return self.guard.array(shape, dtype)

    def full(self, shape: Any, value: Any, dtype: Any) -> Any:
        return self.guard.array(shape, dtype, value)

    def zeros(self, shape: Any, dtype: Any) -> Any:
        return self.guard.array(shape, dtype, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_nothing_but_the_results_is_written(dtype, lanes, monkeypatch):
    for batch in (1, 7, 8, 9, 19):
        for pieces in (vectors_of(8), shortest_pieces()):
            guard = Guarded()
            monkeypatch.setattr(rollout_kernel, "np", GuardedNumpy(guard))
            given_values = given_for(batch, dtype=dtype)
            kept = {name: array.copy() for name, array in given_values.items()}
            with guard.work_areas(), pieces:
                found = kernel(dtype, lanes)(given_values, STEPS, 3)
            assert guard.untouched()
            assert len(guard.blocks) >= 8  # final, records, events, counts, work areas
            monkeypatch.undo()
            assert_same(found, first(whole(dtype, lanes, every=3), batch))
            assert all(same_bits(given_values[name], kept[name]) for name in kept)


# ---- calls -------------------------------------------------------------------------------------------


def test_sixteen_threads_may_run_one_kernel_for_different_times():
    chosen = kernel(threads=2)
    long = whole()

    def runs(seed):
        rng = np.random.default_rng(seed)
        for _ in range(6):
            count, batch = int(rng.integers(1, STEPS + 1)), int(rng.integers(1, 60))
            found = chosen(given_for(batch, count), count)
            for name, array in found.records.items():
                assert same_bits(array, long.records[name][:batch, :count])
        return True

    with shortest_pieces(), ThreadPoolExecutor(16) as pool:
        assert all(pool.map(runs, range(16)))


def test_rollout_kernels_are_pickled_and_copied():
    original = kernel("float32", threads=2, contract=False)
    given_values = given_for(11, dtype="float32")
    expected = original(given_values, STEPS)
    for other in (pickle.loads(pickle.dumps(original)), copy.copy(original), copy.deepcopy(original)):
        assert (other.dtype, other.threads, other.contract) == ("float32", 2, False)
        assert_same(other(given_values, STEPS), expected)


def test_the_second_rollout_kernel_takes_its_code_from_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / "cache"))
    first_one = RolloutKernel(swinging())
    again = RolloutKernel(swinging())
    assert not first_one._native.from_cache
    assert again._native.from_cache
    assert_same(again(given_for(20), STEPS), first(whole(), 20))
    # The same step in another role has another key.
    other = rollout(lambda i, x, p, u: (x + p, {"x": x}), state=float, parameters=float, name="other")
    stepwise = rollout(lambda i, x, p, u: (x + u, {"x": x}), state=float, inputs=float, name="other")
    assert not RolloutKernel(other)._native.from_cache
    assert not RolloutKernel(stepwise)._native.from_cache


BAD_RUNS = [
    ({"steps": -1}, r"-1 steps recorded every 1\.\n  To fix: give whole numbers, steps from 0"),
    ({"steps": 2.5}, r"2\.5 steps recorded every 1"),
    ({"record_every": 0}, r"4 steps recorded every 0"),
    ({"record_every": 1.5}, r"4 steps recorded every 1\.5"),
    ({"steps": 5}, r"inputs\.push has shape \(3, 4, 2\); 5 steps need one entry each, on axis -2"),
    ({"inputs.push": np.zeros(2)}, r"inputs\.push has shape \(2,\); 4 steps need one entry each, on axis -2"),
    ({"state.motion": np.zeros((3, 3))}, r"state\.motion has shape \(3, 3\); swing needs \(\.\.\., 2\)"),
    (
        {"state.late": np.zeros(4)},
        r"the leading axes of the arguments of swing do not broadcast: .*state\.late \(4,\)",
    ),
    ({"state.late": None}, r"'state\.late' is missing from the inputs of swing"),
    ({"inputs.push": None}, r"'inputs\.push' is missing from the inputs of swing"),
    ({"pull": 1.0}, r"'pull' is no input of swing\.\n  To fix: its inputs are state\.motion, state\.late, "),
    ({"state": {"late": 1.0}}, r"'state' is no input of swing\.\n  To fix: its inputs are state\.motion"),
    ({"index": 1.0}, r"'index' is the number of the step, which is counted\.\n  To fix: leave it out"),
    ({"state.late": "text"}, r"state\.late holds text, not real numbers"),
    ({"state.late": 1j}, r"state\.late holds complex numbers, not real numbers"),
]


@pytest.mark.parametrize(("change", "text"), BAD_RUNS)
def test_a_run_that_does_not_fit_is_answered_with_what_is_wanted(change, text):
    arrays = given_for(3, 4)
    options = {"steps": 4, "record_every": 1}
    for name, value in change.items():
        (options if name in options else arrays)[name] = value
    arrays = {name: array for name, array in arrays.items() if array is not None}
    with pytest.raises(QuatrainError, match=text):
        kernel()(arrays, **options)


def test_what_is_no_rollout_and_what_are_no_arrays_is_told_so():
    with pytest.raises(
        ArgumentError, match=r"rollout is of type function\.\n  To fix: pass what .*rollout\(step"
    ):
        RolloutKernel(lambda x: x)
    with pytest.raises(ArgumentError, match=r"arrays is of type list\.\n  To fix: pass a dict of arrays"):
        kernel()([np.zeros(2)], 3)


def test_a_rollout_kernel_tells_what_it_is():
    text = repr(kernel())
    for part in ("RolloutKernel swing(state.motion[2], state.late", "record.", "event ", "operations a step"):
        assert part in text
    assert "index" not in text
    assert "float64, 1 thread, " in text
    assert " lanes, compiled in " in text
    assert "sin(" in kernel().source()
    assert "define internal void @block(" in kernel().source("llvm")
    with pytest.raises(ArgumentError, match="ask for 'listing', 'llvm' or 'assembly'"):
        kernel().source("c")


@pytest.mark.parametrize("options", [{"dtype": "float16"}, {"threads": 0}])
def test_options_that_there_are_not_are_refused(options):
    with pytest.raises(ArgumentError, match=r"(dtype is 'float16'|threads is 0)\.\n  To fix: pass"):
        RolloutKernel(swinging(), **options)


def test_without_llvmlite_the_interpreter_does_the_work(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    slow = RolloutKernel(swinging())
    (record,) = caplog.records
    assert record.getMessage().startswith("llvmlite is not installed: swing runs on the interpreter")
    found = slow(given_for(5), STEPS, 3)
    assert_same(found, interpret.rollout(swinging(), given_for(5), STEPS, 3))
    still = slow({**given_for(5, 0)}, 0)
    assert not np.shares_memory(still.final["state.motion"], given_for(5)["state.motion"])
    still.final["state.motion"][...] = 1.0
