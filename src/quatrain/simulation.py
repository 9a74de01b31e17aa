"""Runs: a mechanism, a stepper and a control law, traced together, and the time loop inside one kernel.

    simulation = Simulation(mechanism, method="rk4", control=law)
    run = simulation(q0, v0, duration=5.0, dt=1e-3, record_every=10)

The step i begins at t₀ + i dt, so that no rounding adds up, and records begin with the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from quatrain import python_laws
from quatrain.asking import CARRIED, Asking
from quatrain.compiler import RolloutKernel, rollout, structure, when
from quatrain.compiler.kernel import number_type
from quatrain.control import Control, Event, PythonLaw
from quatrain.equations.stepping import Tolerance, cubic
from quatrain.equations.stepping.nested import Nested, mapped
from quatrain.equations.stepping.system import System
from quatrain.errors import ArgumentError
from quatrain.gathering import Gathered, InterruptedRun, Progress, Tell, say_what_diverged
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.progress import watching
from quatrain.python_laws import Account
from quatrain.run_checks import (
    Given,
    fitted,
    refuse_unread,
    tuples,
    unit_quaternions,
    whole_steps,
)
from quatrain.run_files import RunFile, piece_size
from quatrain.scalar import Scalar, logical_and, logical_not, logical_or, where
from quatrain.steppers import Marching, marching
from quatrain.trajectory import Quantity, Trajectory

POSE: Any = Pose(Quaternion(*4 * [float]), Vec3(*3 * [float]))
"""The declaration of a pose; that of a quaternion is `Quaternion`."""

Parameters = Mapping[str, Any]
Stepper = Callable[[System, Scalar, Nested, Nested, Scalar], tuple[Nested, Nested]]


_NUMBER = structure.of_specification(float, "number")


def _no_input(value: Any) -> Nested:
    return value


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """What a run must know of what moves: its equations, and what of it is to be recorded.

    `q`, `v`, `input` and `parameters` are declarations as `quatrain.compiler.trace` takes them: `Quaternion`,
    `POSE`, `(Vec3, Vec3)`, 7, `float`.
    """

    name: str
    q: Any
    v: Any
    system: Callable[[Nested, Parameters], System]
    """(input u, parameters p) → the equations of motion; u is None where nothing controls."""
    observe: Callable[[Scalar, Nested, Nested, Nested, Parameters], dict[str, Nested]]
    """(t, q, v, u, p) → what is recorded, by the names of `quantities`."""
    quantities: tuple[Quantity, ...]
    input: Any = None
    """What a control law gives; None: it takes none."""
    read_input: Callable[[Any], Any] = _no_input
    """From what a law returned to something that fits `input`."""
    seen: Callable[[Nested, Nested, Parameters], tuple[Any, Any]] = lambda q, v, p: (q, v)
    """(q, v, p) → (q, v) as control laws and events see them."""
    steppers: Mapping[str, Callable[[Nested, Parameters], Stepper]] = field(default_factory=dict)
    """Steps that need more than the equations, by the name of the method, such as "variational": (u, p) → stepper."""
    sound: Callable[[Nested, Nested, Nested], tuple[Any, Scalar]] | None = None
    """(q, v, u) after a step → whether the motion may go on, and if not the number of what is wrong in `culprits`."""
    culprits: tuple[str, ...] = ()
    integrals: Mapping[str, Callable[..., Scalar]] = field(default_factory=dict)
    """Rates (t, q, v, u, p) → number by the names of quantities, which are recorded as their integrals over time."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What `system`, `observe` and laws find in p, by name; a value for each element of a batch."""


@dataclass(frozen=True)
class Stop:
    """Of a motion that has been stopped: when, and the number of its culprit; −1 while it goes on."""

    t: Scalar
    culprit: Scalar


class Simulation:
    """A mechanism, a method and a law, compiled; call it with starts and a duration, as often as you like."""

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        method: str | Stepper = "rk4",
        control: Control | PythonLaw | Callable[..., Any] | None = None,
        events: Mapping[str, Event | Callable[..., Scalar]] | None = None,
        record: Iterable[str] | None = None,
        tolerance: Tolerance | None = None,
        substeps: int = 1,
        parameters: Iterable[str] = (),
        dtype: str = "float64",
        threads: int | None = None,
    ) -> None:
        """`record` names the quantities to keep, all by default. `parameters` are names of your own, a number for
        each motion, that laws find in p. `tolerance` is for the adaptive methods, "dopri5" and "dop853".
        """
        number_type(dtype)
        self.mechanism = mechanism
        self.asking = Asking(mechanism, control)
        if not isinstance(events or {}, Mapping):
            raise ArgumentError(
                f"events is a {type(events).__name__}",
                do="give each a name: events={'down': lambda t, q, v: …}",
            )
        self.events = {k: e if isinstance(e, Event) else Event(e) for k, e in (events or {}).items()}
        self.marching: Marching = marching(
            method, mechanism, tolerance, held=self.asking.control is not None, substeps=substeps
        )
        self.record = self._names(record)
        self.parameters = {**mechanism.parameters, **dict.fromkeys(parameters, float)}
        loop = self._rollout(dtype)
        refuse_unread(
            loop.step, "parameters.given.", [n for n in self.parameters if n not in mechanism.parameters]
        )
        self.kernel = RolloutKernel(loop, dtype=dtype, threads=threads)

    def _names(self, record: Iterable[str] | None) -> tuple[str, ...]:
        known = [quantity.name for quantity in self.mechanism.quantities]
        names = tuple(known) if record is None else tuple(record)
        for name in names:
            if name not in known:
                raise ArgumentError(
                    f"{self.mechanism.name} has no quantity {name!r} to record",
                    do=f"choose from {', '.join(known)}",
                )
        return names

    # ---- the loop, traced ------------------------------------------------------------------------------

    def _rollout(self, dtype: str) -> Any:
        m = self.mechanism
        state: dict[str, Any] = {"q": m.q, "v": m.v, **self.marching.memory(m), **self.asking.state()}
        if m.sound is not None:
            state["stop"] = Stop(float, float)
        if m.integrals:
            state["sums"] = dict.fromkeys(m.integrals, float)
        parameters = {"first": float, "dt": float, "start": float, "end": float, "given": self.parameters}
        parameters |= self.asking.parameters()
        if not self.parameters:
            del parameters["given"]
        self.state = {name: structure.of_specification(declared, name) for name, declared in state.items()}
        return rollout(
            self._step,
            state=state,
            parameters=parameters,
            name=m.name.replace(" ", "_"),
            dtype=dtype,
            origins=False,
        )

    def _step(
        self, index: Scalar, state: dict[str, Nested], parameters: dict[str, Any], inputs: Any
    ) -> tuple[dict[str, Nested], dict[str, Any]]:
        m, h, p = self.mechanism, parameters["dt"], Given(parameters.get("given", {}))
        index = index + parameters["first"]
        state = {name: value if name == "x" else tuples(value) for name, value in state.items()}
        t, q, v = parameters["start"] + index * h, state["q"], state["v"]
        following = dict(state)
        u = self.asking.input(index, t, state, following, parameters)
        system = m.system(u, p)
        outputs = {name: value for name, value in m.observe(t, q, v, u, p).items() if name in self.record}
        memory = {k: x for k, x in state.items() if k not in ("q", "v", "stop", "sums", *CARRIED)}
        moved = self.marching.step(index, system, (u, p), t, q, v, h, parameters["end"], memory)
        following.update(moved.memory)
        following["q"], following["v"] = moved.q, moved.v
        if m.integrals:
            outputs |= {name: x for name, x in state["sums"].items() if name in self.record}
            following["sums"] = self._summed(
                state["sums"], system, (t, h), (q, v), (moved.q, moved.v), (u, p)
            )
        for name, event in self.events.items():
            watch = lambda t, q, v, n=name, e=event: fitted(
                _NUMBER, e.watch(t, *m.seen(q, v, p)), f"what the event {n!r} returns"
            )
            found = moved.locate(watch, event.direction)
            q_e, v_e = found.q, found.v
            values = {k: x for k, x in m.observe(found.t, q_e, v_e, u, p).items() if k in self.record}
            outputs[name] = when(found.happened, {"t": found.t, **values}, most=event.most)
        if m.sound is not None:
            self._stop(t + h, following)
        fit = {
            name: fitted(self.state[name], x, f"the next {name}")
            for name, x in following.items()
            if name != "x"
        }
        return {**following, **fit}, outputs

    def _summed(
        self,
        sums: Nested,
        system: System,
        time: tuple[Scalar, Scalar],
        start: Any,
        end: Any,
        given: tuple[Any, Any],
    ) -> dict[str, Scalar]:
        """Integrals at the end of the step, by Simpson's rule along a cubic: the input does not jump within a step."""
        (t, h), middle = time, cubic(system, *time, start, end).at(0.5)
        found = {}
        for name, rate in self.mechanism.integrals.items():
            first, between, last = (
                rate(t + h * part, *state, *given)
                for part, state in ((0.0, start), (0.5, middle), (1.0, end))
            )
            found[name] = sums[name] + (first + between * 4 + last) * (h / 6)
        return found

    def _stop(self, t: Scalar, following: dict[str, Nested]) -> None:
        """A motion that cannot go on is NaN from here, and what was wrong is kept; the others do not feel it."""
        assert self.mechanism.sound is not None
        before: Stop = following["stop"]
        sound, culprit = self.mechanism.sound(following["q"], following["v"], following.get("u"))
        going = before.culprit < 0
        following["stop"] = Stop(
            where(logical_or(sound, logical_not(going)), before.t, t),
            where(logical_or(sound, logical_not(going)), before.culprit, culprit),
        )
        on = logical_and(going, sound)
        for name in ("q", "v"):
            following[name] = mapped(lambda x: where(on, x, float("nan")), following[name])

    # ---- a run -----------------------------------------------------------------------------------------

    def __call__(
        self,
        q0: Nested,
        v0: Nested,
        *,
        duration: float,
        dt: float = 1e-3,
        record_every: int = 1,
        start: float = 0.0,
        parameters: Mapping[str, Any] | None = None,
        normalize: str = "check",
        progress: Progress | Tell | bool = False,
        out: str | Path | None = None,
        resume: bool = False,
        chunk: int | None = None,
    ) -> Trajectory:
        """The motions from these starts: nested as declared, of arrays whose leading axes are the batch.

        With `out` the run is written to that directory as it goes, in pieces of `chunk` steps, and read from there:
        see `quatrain.run_files`. With `progress` it is made in pieces as well.
        """
        steps = whole_steps(duration, dt, record_every)
        arrays = self.start(q0, v0, dict(parameters or {}), normalize)
        arrays |= {"parameters.dt": dt, "parameters.start": start, "parameters.end": start + steps * dt}
        watched = watching(progress)
        size = chunk or (watched.size if watched else 0)
        if self.asking.python is not None:
            _refuse_on_disk(out)
        elif not size and (watched or out is not None):
            size = piece_size(self.kernel, arrays, steps, record_every)
        sink: Gathered | RunFile
        if out is None:
            if resume:
                raise ArgumentError("resume=True goes on with a run on disk", do="name it: out='run.zarr'")
            sink = Gathered(self, start, dt, record_every)
        else:
            sink = RunFile(self, Path(out), start, dt, steps, record_every, size, resume=resume)
        begin = sink.begin(arrays)
        account = Account()
        todo: Iterable[tuple[int, int, Any]] = ()
        if self.asking.python is not None:
            todo = python_laws.pieces(self, arrays, steps, record_every, account)
        elif begin is not None:
            todo = self.pieces(arrays, steps, record_every, size or None, begin)
        try:
            for first, count, rolled in todo:
                sink.add(first, count, rolled, arrays)
                if watched and first < steps:
                    watched.tell(min(first + count, steps), steps)
        except MemoryError:
            raise ArgumentError(
                f"{steps // record_every + 1:,} records of this run do not fit into memory",
                do="write it to disk as it goes, with out='run.zarr'; or keep fewer, with record_every= or record=",
            ) from None
        except KeyboardInterrupt:
            done = sink.trajectory()
            if done is None:
                raise
            raise InterruptedRun(done, sink.path) from None
        finally:
            sink.leave()
        run = sink.trajectory()
        assert run is not None
        say_what_diverged(run)
        return run if self.asking.python is None else account.told(run, self.asking.python)

    def pieces(
        self, arrays: dict[str, Any], steps: int, record_every: int, size: int | None, first: int = 0
    ) -> Iterator[tuple[int, int, Any]]:
        """(first step, how many, what was rolled out), of at most `size` steps each; the bits are those of one piece.

        One step more than needed is made: its record is the end. In pieces it is a piece by itself, and `arrays`
        holds the state before it: what is to be known to go on.
        """
        if size is None:
            yield 0, steps + 1, self.kernel({**arrays, "parameters.first": 0.0}, steps + 1, record_every)
            return
        size = max(1, size // record_every) * record_every
        while True:
            count = min(size, steps - first) or 1
            rolled = self.kernel({**arrays, "parameters.first": float(first)}, count, record_every)
            ended = first == steps
            if not ended:
                arrays.update(rolled.final)
            yield first, count, rolled
            if ended:
                return
            first += count

    def start(self, q0: Nested, v0: Nested, given: dict[str, Any], normalize: str) -> dict[str, Any]:
        m = self.mechanism
        arrays: dict[str, Any] = {}
        for name, declared, value in (("q", m.q, q0), ("v", m.v, v0)):
            described = structure.of_specification(declared, name)
            for port, array in structure.split(described, name, value):
                arrays[f"state.{port}"] = array
            for port, leaf in structure.ports(described, name):
                if isinstance(leaf, structure.Record) and leaf.kind is Quaternion:
                    arrays[f"state.{port}"] = unit_quaternions(arrays[f"state.{port}"], f"{port}0", normalize)
        for name, declared in self.parameters.items():
            if name not in given:
                raise ArgumentError(
                    f"the parameter {name!r} is missing", do=f"pass parameters={{{name!r}: …}}"
                )
            described = structure.of_specification(declared, name)
            arrays |= {f"parameters.given.{k}": a for k, a in structure.split(described, name, given[name])}
        unknown = [name for name in given if name not in self.parameters]
        if unknown:
            known = ", ".join(self.parameters) or "none"
            raise ArgumentError(
                f"this run has no parameter {unknown[0]!r}", do=f"its parameters are: {known}"
            )
        for name, value in self._rest().items():
            arrays.setdefault(name, value)
        return arrays

    def _rest(self) -> dict[str, Any]:
        """What else the loop carries: the law's state, and zeros for what the first step makes."""
        rest: dict[str, Any] = {}
        for port in self.kernel.rollout.step.inputs:
            if port.name.startswith("state."):
                rest[port.name] = np.zeros(port.shape)
        if self.mechanism.sound is not None:
            rest["state.stop"] = np.array([0.0, -1.0])
        return rest | self.asking.rest()


def _refuse_on_disk(out: Any) -> None:
    if out is not None:
        raise ArgumentError(
            "a run under a Python law cannot be written as it goes: what the law remembers is not known",
            do="save the run afterwards, run.save('run.zarr'), or write the law so that it is traced",
        )
