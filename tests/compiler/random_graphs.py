"""Random programs and time loops with everything they may hold, for comparing machine code with the interpreter.

A function is written on a tape of whole numbers, each of which is read as a row of decisions. Hypothesis
draws some hundred of them quickly, and shrinks a failure by leaving numbers out and making them smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from quatrain import scalar
from quatrain.compiler import Program, Rollout, delay, iterate, repeat, rollout, trace, when

T = TypeVar("T")

CONSTANTS = (0.5, -1.25, 3.0, 1e-3, -0.0, 7.0, -1e10)
TABLE = (0.25, -3.0, 1e-300, 5.0, -0.0)
EXACT_OF_ONE = (
    lambda a: -a,
    lambda a: scalar.sqrt(a),
    lambda a: scalar.abs(a),
    lambda a: scalar.sign(a),
    lambda a: scalar.floor(a),
    lambda a: a / (1.0 + scalar.abs(a)),
    lambda a: scalar.lookup(TABLE, a * 2.0),
)
EXACT_OF_TWO = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a * b + a,
    scalar.minimum,
    scalar.maximum,
)
ELEMENTARY_OF_ONE = (
    *(scalar.sin, scalar.cos, scalar.tan, scalar.exp, scalar.log, scalar.tanh, scalar.sqrt),
    lambda a: scalar.sin(a) * 2.0 + scalar.cos(a),
    lambda a: scalar.asin(a / (1.0 + scalar.abs(a))),
    lambda a: scalar.acos(a / (1.5 + scalar.abs(a))),
    lambda a: a / (1.0 + scalar.abs(a)),
    lambda a: a * 0.125,
)
ELEMENTARY_OF_TWO = (
    scalar.atan2,
    lambda a, b: scalar.power(scalar.abs(a) + 0.5, b / (1.0 + scalar.abs(b)) * 3.0),
    lambda a, b: a * b + a,
    lambda a, b: a - b * 0.75,
    lambda a, b: a / (0.5 + b * b),
    lambda a, b: (a + b) * 0.5,
)
COMPARISONS = (
    *(scalar.less, scalar.less_equal, scalar.greater, scalar.greater_equal),
    *(scalar.equal, scalar.not_equal),
)


class Reader:
    """Decisions from the words of a tape."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words, self.place, self.word = words, 0, 0

    def next(self) -> bool:
        """Goes on to the next word, if there is one."""
        if self.place == len(self.words):
            return False
        self.word = self.words[self.place]
        self.place += 1
        return True

    def take(self, count: int) -> Sequence[int]:
        """The next words, for a reader of their own."""
        taken = self.words[self.place : self.place + count]
        self.place += len(taken)
        return taken

    def below(self, limit: int) -> int:
        self.word, digit = divmod(self.word, limit)
        return digit

    def one_of(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def recent(self, options: Sequence[T]) -> T:
        """Mostly one of the last, so that values depend on one another in long chains."""
        return self.one_of(options[-6:] if self.below(3) else options)


@dataclass(frozen=True)
class Tape:
    """A random function. `depth` says how deep loops nest; 0: there are none."""

    words: tuple[int, ...]
    elementary: bool = False
    depth: int = 2

    def written(self, reals: list[Any], truths: list[Any]) -> None:
        """Appends the values that it makes from those at hand."""
        _write(Reader(self.words), reals, truths, self.elementary, self.depth)

    def __call__(self, x: Any, y: Any) -> dict[str, Any]:
        reals, truths = [x + y[1], *y, x], [x < y[0]]
        self.written(reals, truths)
        return {"last": reals[-1], "array": np.array(reals[-5:-1], object).reshape(2, 2), "truth": truths[-1]}


def _write(reader: Reader, reals: list[Any], truths: list[Any], elementary: bool, depth: int) -> None:
    of_one = ELEMENTARY_OF_ONE if elementary else EXACT_OF_ONE
    of_two = ELEMENTARY_OF_TWO if elementary else EXACT_OF_TWO
    while reader.next():
        kind = reader.below(16)
        if kind < 6:
            reals.append(reader.one_of(of_two)(reader.recent(reals), reader.recent(reals)))
        elif kind < 10:
            reals.append(reader.one_of(of_one)(reader.recent(reals)))
        elif kind == 10:
            reals.append(reader.recent(reals) * reader.one_of(CONSTANTS) + reader.one_of(CONSTANTS))
        elif kind == 11:
            truths.append(reader.one_of(COMPARISONS)(reader.recent(reals), reader.recent(reals)))
        elif kind == 12:
            truths.append(_logic(reader, truths))
        elif kind < 15 or depth == 0:
            reals.append(scalar.where(reader.recent(truths), reader.recent(reals), reader.recent(reals)))
        else:
            _loop(reader, reals, truths, elementary, depth - 1)


def _logic(reader: Reader, truths: list[Any]) -> Any:
    a, b = reader.recent(truths), reader.recent(truths)
    return reader.one_of((a & b, a | b, ~a, a ^ b))


def _loop(reader: Reader, reals: list[Any], truths: list[Any], elementary: bool, depth: int) -> None:
    """A loop whose body mentions what is around it, with delays, a condition among its states, and nesting."""
    lags = [1 + reader.below(3) * reader.below(2) for _ in range(1 + reader.below(3))]
    bounded = scalar.minimum(scalar.abs(reader.recent(reals)), 5.0)
    count = reader.one_of((bounded, bounded, float(reader.below(6)), bounded - 2.0))
    start = tuple(delay(reader.recent(reals), lag) if lag > 1 else reader.recent(reals) for lag in lags)
    stop_at, stops, has_truth = reader.recent(reals), reader.below(2), reader.below(2)
    start = (*start, reader.recent(truths)) if has_truth else start
    words = reader.take(1 + reader.below(10))

    def body(state: tuple[Any, ...], index: Any) -> tuple[Any, ...]:
        within = [*reals, *state[: len(lags)], index]
        conditions = [*truths, *state[len(lags) :]]
        _write(Reader(words), within, conditions, elementary, depth)
        return (*within[-len(lags) :], *([conditions[-1]] if has_truth else []))

    if stops:
        found = iterate(body, start, until=lambda state: state[0] > stop_at, most=count)
        final = found.state
        truths.append(found.converged)
        reals.append(found.count)
    else:
        final = repeat(body, start, count)
    reals.extend(final[: len(lags)])
    truths.extend(final[len(lags) :])


def words(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    word = st.integers(0, 2**62)
    lengths = st.integers(1, most)
    return lengths.flatmap(lambda n: st.lists(word, min_size=n, max_size=n)).map(tuple)


def tapes(most: int = 150, *, elementary: bool = False, depth: int = 2) -> st.SearchStrategy[Tape]:
    return words(most).map(lambda w: Tape(w, elementary, depth))


def some_tape(seed: int, length: int, *, elementary: bool = False, depth: int = 2) -> Tape:
    """Without hypothesis, for tests that need one large program."""
    drawn = np.random.default_rng(seed).integers(0, 2**62, length)
    return Tape(tuple(int(w) for w in drawn), elementary, depth)


def program_of(tape: Tape, dtype: str = "float64") -> Program:
    return trace(tape, {"x": float, "y": 3}, name="random", dtype=dtype, origins=False)


# ---- arguments -----------------------------------------------------------------------------------------

SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.5, 1e-310, 5e-324, 1e300, -1e300, np.inf, -np.inf, np.nan, 1e-30, 0.5)


def numbers(shape: tuple[int, ...], seed: int = 0, dtype: str = "float64", *, special: bool = True) -> Any:
    """Moderate numbers of a few digits, so that some are equal; among them special ones."""
    rng = np.random.default_rng([17, seed])
    array = np.round(rng.normal(size=shape) * 3, rng.integers(0, 4))
    if special:
        places = rng.random(shape) < 0.15
        array = np.where(places, rng.choice(SPECIAL, shape), array)
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def arguments(batch: tuple[int, ...], dtype: str = "float64", *, special: bool = True) -> dict[str, Any]:
    return {
        "x": numbers(batch, 1, dtype, special=special),
        "y": numbers((*batch, 3), 2, dtype, special=special),
    }


def same_bits(a: Any, b: Any) -> bool:
    """Whether two arrays are equal to the bit, but that one NaN is as good as another."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    kind = np.uint64 if a.dtype == np.float64 else np.uint32
    equal = np.ascontiguousarray(a).view(kind) == np.ascontiguousarray(b).view(kind)
    return bool(np.all(equal | (np.isnan(a) & np.isnan(b)).reshape(equal.shape)))


# ---- time loops ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A random step with delayed states, parameters, inputs, records and events."""

    tape: Tape
    lags: tuple[int, int]
    most: tuple[int, int]

    def __call__(self, index: Any, state: Any, parameters: Any, inputs: Any) -> tuple[Any, dict[str, Any]]:
        reals = [index, parameters["p"], *parameters["q"], inputs["u"], *inputs["w"]]
        reals += [state["a"], *state["b"], state["c"], *state["d"]]
        truths = [state["a"] < inputs["u"]]
        self.tape.written(reals, truths)
        ends = [value / (1.0 + scalar.abs(value)) * 4.0 for value in reals[-6:]]
        array = np.array(ends[1:3], object)
        following = {
            "a": ends[0] + inputs["u"],
            "b": array,
            "c": state["a"],
            "d": np.array(ends[3:5], object),
        }
        return following, {
            "plain": reals[-1],
            "root": scalar.sqrt(reals[-2]),
            "state": state["b"],
            "hit": when(truths[-1], {"at": index, "what": array}, most=self.most[0]),
            "rare": when((ends[0] > 0.5) & truths[0], ends[5], most=self.most[1]),
        }

    def rollout(self, dtype: str = "float64") -> Rollout:
        return rollout(
            self,
            state={"a": float, "b": 2, "c": delay(float, self.lags[0]), "d": delay(2, self.lags[1])},
            parameters={"p": float, "q": 2},
            inputs={"u": float, "w": (2,)},
            name="random_step",
            dtype=dtype,
            origins=False,
        )


@st.composite
def steps(draw: Callable[[Any], Any], most: int = 40) -> Step:
    lag, room = st.integers(1, 4), st.integers(1, 3)
    tape = Tape(draw(words(most)), elementary=False, depth=1)
    return Step(tape, (draw(lag), draw(lag)), (draw(room), draw(room)))


def step_arguments(batch: tuple[int, ...], count: int, dtype: str = "float64") -> dict[str, Any]:
    """Initial states, parameters and inputs of a `Step`; some without axes of the batch."""
    return {
        "state.a": numbers(batch, 3, dtype),
        "state.b": numbers((*batch, 2), 4, dtype),
        "state.c": numbers((), 5, dtype, special=False),
        "state.d": numbers((*batch, 2), 6, dtype),
        "parameters.p": numbers((), 7, dtype, special=False),
        "parameters.q": numbers((*batch, 2), 8, dtype),
        "inputs.u": numbers((*batch, count), 9, dtype, special=False),
        "inputs.w": numbers((count, 2), 10, dtype, special=False),
    }
