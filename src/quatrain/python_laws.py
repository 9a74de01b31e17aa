"""Runs under a law in plain Python: the kernel stops each time that the law is due, and it is asked for the batch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.compiler import interpret
from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from quatrain.control import PythonLaw
    from quatrain.simulation import Simulation
    from quatrain.trajectory import Trajectory


@dataclass
class Account:
    """How often a law was asked, and how long that took."""

    calls: int = 0
    seconds: float = 0.0

    def told(self, run: Trajectory, law: PythonLaw) -> Trajectory:
        """The run, whose facts say it."""
        name = str(getattr(law.law, "__name__", "law"))
        told = {"python_law": name, "python_law_calls": self.calls, "python_law_seconds": self.seconds}
        return replace(run, facts={**run.facts, **told})


def pieces(
    simulation: Simulation, arrays: dict[str, Any], steps: int, record_every: int, account: Account
) -> Iterator[tuple[int, int, Any]]:
    """(first step, how many, what was rolled out): from one question to the next, or to the next record."""
    law = simulation.asking.python
    assert law is not None
    given = {name: np.asarray(array, float) for name, array in arrays.items()}
    size = tuple(simulation.kernel.rollout.step.input_port("parameters.held").shape)
    probe = {**given, "parameters.first": np.zeros(()), "parameters.held": np.zeros(size)}
    batch = interpret.check_rollout(simulation.kernel.rollout, probe, 1, 1)
    for name in ("state.q", "state.v"):
        arrays[name] = np.broadcast_to(arrays[name], (*batch, *arrays[name].shape[-1:]))
    p = {
        name.removeprefix("parameters.given."): x
        for name, x in arrays.items()
        if name.startswith("parameters.given.")
    }
    x, u, first = law.start, None, 0
    while first <= steps:
        if first % law.every == 0:
            began = time.perf_counter()
            t = float(arrays["parameters.start"]) + first * float(arrays["parameters.dt"])
            answer = law.law(t, arrays["state.q"], arrays["state.v"], x, p)
            u, x = _read(law, answer, (*batch, *size))
            account.calls, account.seconds = account.calls + 1, account.seconds + time.perf_counter() - began
        ends = (first - first % law.every + law.every, first - first % record_every + record_every, steps)
        count = max(1, min(ends) - first)
        rolled = simulation.kernel(
            {**arrays, "parameters.first": float(first), "parameters.held": u}, count, record_every=count
        )
        if first < steps:
            arrays.update(rolled.final)
        yield first, count, rolled
        first += count


def _read(law: Any, answer: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    name = getattr(law.law, "__name__", "law")
    x = None
    if law.start is not None:
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise ArgumentError(
                f"the Python law {name} has a state and returns a {type(answer).__name__}",
                do="return two values: the joint forces, and the law's next state",
            )
        answer, x = answer
    try:
        values = np.asarray(answer, float)
    except (TypeError, ValueError):
        values = np.empty(0)
    try:
        return np.broadcast_to(values, shape), x
    except ValueError:
        raise ArgumentError(
            f"the Python law {name} returns {_what(answer)}; it is asked for {_all(shape)} at once",
            do=f"return an array of the shape {shape}, or one that broadcasts to it",
        ) from None


def _what(answer: Any) -> str:
    shape = np.shape(answer) if isinstance(answer, (np.ndarray, list, tuple)) else ()
    return f"an array of shape {shape}" if shape else f"a {type(answer).__name__}"


def _all(shape: tuple[int, ...]) -> str:
    return f"all {int(np.prod(shape[:-1])):,} motions" if shape[:-1] else "one motion"
