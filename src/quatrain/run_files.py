"""Runs on disk, written in pieces as they go.

    run = qt.simulate(robot, q0, v0, duration=3600.0, out="run.zarr")
    run = qt.simulate(robot, q0, v0, duration=3600.0, out="run.zarr", resume=True)  # the rest of it, if it was stopped

The directory is a Zarr group (`quatrain.store`). After each piece, `state.npz` says how far the run is, and holds all
that the steps after it need, bit by bit: what goes on from there is the run that had not been stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.compiler import interpret
from quatrain.equations.stepping import Tolerance
from quatrain.errors import ArgumentError
from quatrain.gathering import Findings, facts_of, stopped, until
from quatrain.locking import alone
from quatrain.store import Column, StorageError, Store, StoredColumns
from quatrain.trajectory import Occurrences, Quantity, Trajectory

if TYPE_CHECKING:
    from quatrain.compiler import RolloutKernel
    from quatrain.simulation import Simulation

PIECE_BYTES = 64 << 20
"""Records of a piece take no more memory than this, if one of all motions takes less."""
FEWEST_STEPS, MOST_PIECES = 1000, 100
"""A piece has at least so many steps, unless memory says otherwise; and there are so many of them, not more."""


def piece_size(kernel: RolloutKernel, arrays: Mapping[str, Any], steps: int, record_every: int) -> int:
    """Steps of a piece, a multiple of `record_every`."""
    given = {name: np.asarray(array, float) for name, array in arrays.items()}
    batch = interpret.check_rollout(kernel.rollout, {**given, "parameters.first": np.zeros(())}, 1, 1)
    step = kernel.rollout.step
    numbers = sum(len(step.output_port(name).numbers) for name in kernel.rollout.records)
    width = max(1, prod(batch) * numbers * np.dtype(kernel.dtype).itemsize)
    fitting = max(1, PIECE_BYTES // width) * record_every
    wanted = max(FEWEST_STEPS, -(-steps // MOST_PIECES))
    return int(min(fitting, -(-wanted // record_every) * record_every))


class RunFile:
    """Pieces as they come, on their way to a directory."""

    def __init__(
        self,
        simulation: Simulation,
        path: Path,
        start: float,
        dt: float,
        steps: int,
        record_every: int,
        size: int,
        *,
        resume: bool,
    ) -> None:
        self.simulation, self.path = simulation, path
        self.start, self.dt, self.steps, self.record_every = start, dt, steps, record_every
        self.resume = resume
        self.per_chunk = max(1, size // record_every)
        self.findings = Findings(simulation)
        self.held = ExitStack()
        self.store: Store | None = None
        self.waiting: list[dict[str, Any]] = []  # records that do not fill a chunk yet
        self.written = 0
        self.diverged: Any = None

    # ---- going on ----------------------------------------------------------------------------------------

    def begin(self, arrays: dict[str, Any]) -> int | None:
        """The step that the run begins with, None if all are done; `arrays` are then those before it."""
        self.held.enter_context(alone(self.path))
        try:
            return self._begun(arrays)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Others may write there now."""
        self.held.close()

    def _begun(self, arrays: dict[str, Any]) -> int | None:
        self.identity = self._identity(arrays)
        if not self.resume or not (self.path / "state.npz").exists():
            return 0
        self.store = Store.open(self.path)
        self._refuse_others(self.store.notes["quatrain"]["identity"])
        self.per_chunk = self.store.per_chunk
        state = self.store.state()
        arrays.update({name: array for name, array in state.items() if name.startswith("state.")})
        self.written = int(state["records"])
        self.diverged = state["diverged"]
        self.findings.occurrences = occurrences(state)
        self.findings.stops = state.get("state.stop")
        return None if state["ended"] else int(state["next"])

    def _identity(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """What a run is known by when it is to go on."""
        starts = sha256()
        for name in sorted(arrays):
            starts.update(name.encode() + np.ascontiguousarray(arrays[name], float).tobytes())
        return {
            "equations, forces, law, method and records": self.simulation.kernel.rollout.digest(),
            "starts and parameters": starts.hexdigest(),
            "dt": self.dt,
            "number of steps": self.steps,
            "record_every": self.record_every,
            "dtype": self.simulation.kernel.dtype,
        }

    def _refuse_others(self, there: Mapping[str, Any]) -> None:
        other = [name for name, value in self.identity.items() if there.get(name) != value]
        if other:
            raise ArgumentError(
                f"{self.path} holds another run: it differs in {'; '.join(other)}",
                do="call with what it was begun with, or begin a new one: resume=False writes over it",
            )

    # ---- pieces ------------------------------------------------------------------------------------------

    def add(self, first: int, count: int, rolled: Any, arrays: Mapping[str, Any]) -> None:
        self.findings.add(rolled)
        self.waiting.append({name: rolled.records[f"record.{name}"] for name in self.simulation.record})
        ended = first == self.steps
        records = sum(len(np.moveaxis(piece[next(iter(piece))], self._axis(), 0)) for piece in self.waiting)
        if records < self.per_chunk and not ended:
            return
        try:
            self._write(first + count, records, arrays, ended=ended)
        except OSError as error:
            self._refused(error)

    def _axis(self) -> int:
        return len(self._batch())

    def _batch(self) -> tuple[int, ...]:
        name = self.simulation.record[0]
        port = self.simulation.kernel.rollout.step.output_port(f"record.{name}")
        array = self.waiting[-1][name]
        return tuple(array.shape[: array.ndim - 1 - len(port.shape)])

    def _write(self, following: int, records: int, arrays: Mapping[str, Any], *, ended: bool) -> None:
        if self.store is None:
            self.store = self._created()
        axis = self._axis()
        whole = {
            name: np.concatenate([piece[name] for piece in self.waiting], axis=axis)
            for name in self.simulation.record
        }
        for part, at in enumerate(range(0, records, self.per_chunk)):
            here = (slice(None),) * axis
            some = {name: array[(*here, slice(at, at + self.per_chunk))] for name, array in whole.items()}
            self.store.write_chunk(self.written // self.per_chunk + part, some)
        self._look_for_divergence(whole, records)
        self.written += records
        self.waiting = []
        state = {name: np.asarray(array) for name, array in arrays.items() if name.startswith("state.")}
        self.store.write_state(
            {
                **state,
                **flat(self.findings.occurrences),
                "next": self.steps if ended else following,
                "records": self.written,
                "diverged": self.diverged,
                "ended": ended,
            }
        )

    def _look_for_divergence(self, columns: Mapping[str, Any], records: int) -> None:
        """The first time at which a number is not finite, kept over the pieces."""
        axis = self._axis()
        finite = np.ones((*self._batch(), records), bool)
        for column in columns.values():
            good = np.isfinite(column)
            finite &= good.all(axis=tuple(range(axis + 1, good.ndim))) if good.ndim > axis + 1 else good
        first = np.argmin(finite, axis=-1)
        t = self.start + (self.written + first) * self.record_every * self.dt
        here = np.where(finite.all(axis=-1), np.nan, t)
        self.diverged = (
            here if self.diverged is None else np.where(np.isnan(self.diverged), here, self.diverged)
        )

    def _created(self) -> Store:
        simulation, batch = self.simulation, self._batch()
        kind = "<f4" if simulation.kernel.dtype == "float32" else "<f8"
        columns = {}
        for quantity in simulation.mechanism.quantities:
            if quantity.name not in simulation.record:
                continue
            shape = tuple(simulation.kernel.rollout.step.output_port(f"record.{quantity.name}").shape)
            columns[quantity.name] = described(quantity, batch, shape, kind)
        facts = facts_of(simulation, self.start, self.dt, self.steps)
        notes = {
            "quatrain": {
                "name": simulation.mechanism.name,
                "facts": {**facts, "tolerance": facts["tolerance"] and asdict(facts["tolerance"])},
                "record_every": self.record_every,
                "culprits": list(simulation.mechanism.culprits),
                "identity": self.identity,
            }
        }
        times = self.steps // self.record_every + 1
        store = Store(self.path, columns, times, self.per_chunk, notes)
        store.create(self.start + np.arange(times) * self.record_every * self.dt)
        return store

    def _refused(self, error: OSError) -> None:
        reached = self.start + (self.written - 1) * self.record_every * self.dt
        held = f"It holds the run up to t = {reached:g} s" if self.written else "Nothing of the run is in it"
        raise StorageError(
            f"{self.path} could not be written: {error.strerror or error}. {held}",
            do="make room on its disk, and call the same with resume=True: the run goes on from there",
        ) from error

    def trajectory(self) -> Trajectory | None:
        return load_directory(self.path) if self.store is not None else None


# ---- reading, and writing of what is in memory -----------------------------------------------------------


def described(quantity: Quantity, batch: tuple[int, ...], shape: tuple[int, ...], kind: str) -> Column:
    """A column of the store, with what is known of its numbers."""
    axes = ("batch",) if len(batch) == 1 else tuple(f"batch_{k}" for k in range(len(batch)))
    own = (f"{quantity.name}_components",) if shape else ()
    notes = {
        "unit": quantity.unit,
        "frame": quantity.frame,
        "components": list(quantity.components),
        "role": quantity.role,
        "kept": quantity.kept,
        "quaternions": list(quantity.quaternions),
    }
    return Column(batch, shape, kind, (*axes, "t", *own), notes)


def quantity_of(name: str, notes: Mapping[str, Any]) -> Quantity:
    return Quantity(
        name,
        notes["unit"],
        notes["frame"],
        tuple(notes["components"]),
        notes["role"],
        notes["kept"],
        tuple(notes["quaternions"]),
    )


def load_directory(path: Path) -> Trajectory:
    """A run on disk, as far as it has come; a column is read when it is asked for."""
    store = Store.open(path)
    own, state = store.notes["quatrain"], store.state()
    times = int(state["records"]) if "records" in state else store.times
    t = store.t()[:times]
    facts = dict(own["facts"])
    if facts.get("tolerance"):
        facts["tolerance"] = Tolerance(**facts["tolerance"])
    if "ended" in state and not state["ended"]:
        facts |= {
            "unfinished": True,
            "steps": (times - 1) * own["record_every"],
            "duration": float(t[-1] - t[0]),
        }
    end = float(t[-1]) if times else 0.0
    if "state.stop" in state:
        facts |= stopped(state["state.stop"], own["culprits"], end + facts["dt"] / 2)
    elif "stopped_at" in facts:
        facts["stopped_at"] = np.array(facts["stopped_at"], float)
        facts["stopped_by"] = np.array(facts["stopped_by"])
    return Trajectory(
        own["name"],
        t,
        StoredColumns(store, times, state.get("diverged")),
        {name: quantity_of(name, column.notes) for name, column in store.columns.items()},
        until(occurrences(state), end),
        facts,
    )


def flat(occurrences: Mapping[str, Occurrences]) -> dict[str, Any]:
    """Arrays by names that tell the event and the quantity."""
    found: dict[str, Any] = {}
    for name, each in occurrences.items():
        found |= {f"event:{name}:count": each.count, f"event:{name}:t": each.t}
        found |= {f"event:{name}:value:{k}": array for k, array in each.values.items()}
    return found


def occurrences(state: Mapping[str, Any]) -> dict[str, Occurrences]:
    """Back from `flat`; other arrays are passed over."""
    names = [key.split(":")[1] for key in state if key.startswith("event:") and key.endswith(":count")]
    found = {}
    for name in names:
        start = f"event:{name}:value:"
        values = {key.removeprefix(start): array for key, array in state.items() if key.startswith(start)}
        found[name] = Occurrences(state[f"event:{name}:count"], state[f"event:{name}:t"], values)
    return found
