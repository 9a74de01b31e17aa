"""The description of a time loop: one step of a system, done n times for a whole batch within one call.

    step(index, state, parameters, inputs) -> next state, outputs

`index` counts the steps from 0, `parameters` stay the same, `inputs` are read anew for each step.
`outputs` is a dict; its values are recorded every k steps, except events, which are written when they
happen. n and k are given when the loop is run. The meaning is `interpret.rollout`, in a few lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from quatrain.compiler import structure as structures
from quatrain.compiler.delays import lags, without_delays
from quatrain.compiler.origin import TraceError
from quatrain.compiler.program import Program
from quatrain.compiler.structure import Structure
from quatrain.compiler.trace import check_call, trace


@dataclass(frozen=True)
class Carried:
    """A part of the state: an output of one step that is an input of a later one."""

    source: str
    """Name of the output port."""
    target: str
    """Name of the input port, of the same shape."""
    lag: int = 1
    """How many steps later it is seen; until then the initial value is."""


@dataclass(frozen=True)
class Event:
    """Values that are written only at the steps where a condition holds."""

    name: str
    condition: str
    """Name of an output port of shape (); it holds where that is not zero."""
    values: tuple[str, ...]
    """Names of the output ports that are written."""
    most: int
    """How many times at most, for each element; what happens later is counted only."""


@dataclass(frozen=True)
class Rollout:
    """A step and how it is repeated.

    Every input port of the step has one role: index, state, sequence or parameter.
    """

    step: Program
    index: str | None
    carried: tuple[Carried, ...]
    sequences: tuple[str, ...]
    """Input ports that are given as arrays (..., n, *shape), one entry for each step."""
    records: tuple[str, ...]
    """Output ports recorded at the steps 0, k, 2k …"""
    events: tuple[Event, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Input ports that keep their value."""
        others = {self.index, *self.sequences, *(c.target for c in self.carried)}
        return tuple(port.name for port in self.step.inputs if port.name not in others)

    def digest(self) -> str:
        """The same for equal rollouts, in every process."""
        roles = (self.index, self.carried, self.sequences, self.records, self.events)
        return sha256(f"{self.step.digest()} {roles!r}".encode()).hexdigest()


@dataclass(frozen=True)
class When:
    """Among the outputs of a step: values to be written where a condition holds."""

    condition: Any
    values: Any
    most: int


def when(condition: Any, values: Any, *, most: int) -> When:
    """An output of a step that is written only where `condition` holds, at most `most` times per element."""
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise TraceError(f"an event with room for {most!r} entries", do="give a whole number from 1 up")
    return When(condition, values, most)


def rollout(
    step: Callable[[Any, Any, Any, Any], tuple[Any, dict[str, Any]]],
    *,
    state: Any,
    parameters: Any = (),
    inputs: Any = (),
    name: str | None = None,
    dtype: str = "float64",
    origins: bool = True,
) -> Rollout:
    """The time loop of `step(index, state, parameters, inputs) -> (next state, outputs)`.

    `state`, `parameters` and `inputs` are declared as for `trace`; a part of the state may be
    `delay(declaration, m)`, which the step sees m steps after it was written. `outputs` is a dict of what is
    to be recorded, and of `when(condition, values, most=…)`.
    """
    check_call(step, "step", "index", "state", "parameters", "inputs")
    declared, delays = without_delays(state, "state")
    events: dict[str, int] = {}
    title = name or str(getattr(step, "__name__", "step"))

    def traced_step(index: Any, state: Any, parameters: Any, inputs: Any) -> dict[str, Any]:
        following, outputs = _checked(step(index, state, parameters, inputs), title, _structure_of(declared))
        record = {key: value for key, value in outputs.items() if not isinstance(value, When)}
        happening = {key: value for key, value in outputs.items() if isinstance(value, When)}
        events.update({key: value.most for key, value in happening.items()})
        event = {key: {"when": value.condition, "value": value.values} for key, value in happening.items()}
        return {"next": following, "record": record, "event": event}

    specification = {"index": float, "state": declared, "parameters": parameters, "inputs": inputs}
    program = trace(traced_step, specification, name=title, dtype=dtype, origins=origins)
    return Rollout(
        program,
        "index",
        _carried(_structure_of(declared), delays),
        tuple(port.name for port in program.inputs if _within(port.name, "inputs")),
        tuple(port.name for port in program.outputs if _within(port.name, "record")),
        tuple(_event(program, name, most) for name, most in events.items()),
    )


def _structure_of(declared: Any) -> Structure:
    return structures.of_specification(declared, "state")


def _within(port: str, group: str) -> bool:
    return port == group or port.startswith(f"{group}.")


def _checked(result: Any, title: str, state: Structure) -> tuple[Any, dict[str, Any]]:
    if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)):
        raise TraceError(
            f"{title} returns {'nothing' if result is None else f'a {type(result).__name__}'}",
            do="return the next state and a dict of outputs: return next_state, {'energy': e}",
        )
    found = structures.of_value(result[0], "the next state")
    if found != state:
        came, wanted = structures.text(found), structures.text(state)
        raise TraceError(
            f"the next state of {title} is {came}, and its state is {wanted}",
            do="return the next state built like the declaration of the state",
        )
    return result


def _carried(state: Structure, delays: dict[str, int]) -> tuple[Carried, ...]:
    carried = []
    for (name, _), here in zip(structures.ports(state, "state"), lags(state, "state", delays), strict=True):
        if len(set(here)) > 1:
            raise TraceError(f"the fields of {name} have different delays", do="delay the whole record")
        carried.append(Carried(name.replace("state", "next", 1), name, here[0] if here else 1))
    return tuple(carried)


def _event(program: Program, name: str, most: int) -> Event:
    values = tuple(port.name for port in program.outputs if _within(port.name, f"event.{name}.value"))
    return Event(name, f"event.{name}.when", values, most)
