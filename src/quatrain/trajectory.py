"""What a run gives: named arrays over time, each with its unit and frame, and an account of what was kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from quatrain.model import Model
    from quatrain.notebook import Inline
    from quatrain.robot import Robot
    from quatrain.viewer.live import Viewer


class DivergenceWarning(UserWarning):
    """Some motions of a run have become infinite or NaN; the others are as they should be."""


@dataclass(frozen=True)
class Quantity:
    """What the numbers of a column are."""

    name: str
    unit: str = ""
    frame: str = ""
    """Whose axes the components are in, and of what in what: "of B in W, in B"."""
    components: tuple[str, ...] = ()
    """Their names in order, ("w", "x", "y", "z") for a quaternion; empty for a number."""
    role: str = ""
    """"quaternion", "energy" or "momentum" where `report`, `energy()` or `momentum()` shall know it."""
    kept: bool = False
    """Whether the exact motion keeps it."""
    quaternions: tuple[int, ...] = ()
    """Of a column that holds quaternions among other things: where they begin."""

    def __str__(self) -> str:
        parts = [self.name, f"({', '.join(self.components)})" if self.components else "", self.frame]
        return " ".join(part for part in parts if part) + (f" [{self.unit}]" if self.unit else "")


QUATERNION = ("w", "x", "y", "z")
VECTOR = ("x", "y", "z")


@dataclass(frozen=True)
class Occurrences:
    """When an event happened; the times of a motion beyond its count are NaN."""

    count: Any
    """How often, (...); more than there was room for is counted but not kept."""
    t: Any
    """(..., most) [s]"""
    values: Mapping[str, Any]
    """The state's parts at those times, (..., most, *shape), by the names of the quantities."""


@dataclass(frozen=True)
class Trajectory:
    """Motions over time: `run.q`, `run["w"]`; `run[10:20]` is a stretch of time, `run["q", "w"]` some columns.

    Every array is (..., R, *shape): the axes of the batch, the R times of `t`, the components.
    """

    name: str
    t: Any
    """(R,) [s]"""
    columns: Mapping[str, Any]
    quantities: Mapping[str, Quantity]
    events: Mapping[str, Occurrences]
    facts: Mapping[str, Any]
    """How it was made: method, dt and the like."""
    model: Model | None = None
    """Of a run of a tree of bodies, the machine that q and v are of: with it the run can be shown."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "columns":
            raise AttributeError(name)
        if name in self.columns:
            return self.columns[name]
        raise AttributeError(f"this run has no {name!r}; it has t, {', '.join(self.columns)}")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.columns})

    def __getitem__(self, key: Any) -> Any:
        """A column by its name; some of them, or a stretch of time, as a trajectory; one time as a dict."""
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, tuple) and key and all(isinstance(name, str) for name in key):
            return replace(self, columns={name: self._column(name) for name in key})
        if isinstance(key, (int, np.integer)):
            return {"t": self.t[key], **{name: self._over_time(name, key) for name in self.columns}}
        if isinstance(key, slice):
            return replace(
                self, t=self.t[key], columns={name: self._over_time(name, key) for name in self.columns}
            )
        raise ArgumentError(
            f"a run was indexed with {key!r}",
            do='give a name, run["q"]; some names, run["q", "w"]; a number or a slice of times, run[:100]; '
            "one motion of a batch is run.motion(index)",
        )

    def _column(self, name: str) -> Any:
        if name == "t":
            return self.t
        if name not in self.columns:
            known = ", ".join(["t", *self.columns])
            raise ArgumentError(f"this run has no {name!r}", do=f"ask for one of {known}")
        return self.columns[name]

    def _over_time(self, name: str, key: Any) -> Any:
        return self.columns[name][(*(slice(None),) * len(self.batch), key)]

    def __len__(self) -> int:
        return len(self.t)

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes; () for one motion."""
        if hasattr(self.columns, "batch"):  # of a run on disk it is known without reading
            return tuple(self.columns.batch)
        for name, column in self.columns.items():
            components = self.quantities[name].components
            return tuple(np.shape(column)[: np.ndim(column) - 1 - bool(components)])
        return ()

    def motion(self, *index: int) -> Trajectory:
        """One motion of the batch, or an axis less of it."""
        if len(index) > len(self.batch):
            raise ArgumentError(
                f"motion{index} of a batch of shape {self.batch}",
                do="give one index for each axis of the batch, or fewer",
            )
        return replace(
            self,
            columns={name: column[index] for name, column in self.columns.items()},
            events={
                name: Occurrences(e.count[index], e.t[index], {k: a[index] for k, a in e.values.items()})
                for name, e in self.events.items()
            },
        )

    # ---- what is kept ----------------------------------------------------------------------------------

    def energy(self) -> Any:
        """Total energy, (..., R) [J]."""
        return self._by_role("energy")[0]

    def momentum(self) -> Any:
        """Linear momentum, then angular: (..., R, 6) [kg m/s], [kg m²/s]; or the angular alone, (..., R, 3)."""
        return np.concatenate(self._by_role("momentum"), axis=-1)

    def _by_role(self, role: str) -> list[Any]:
        found = [
            self.columns[name]
            for name, q in self.quantities.items()
            if q.role == role and name in self.columns
        ]
        if not found:
            raise ArgumentError(
                f"this run has recorded no {role}", do=f"record it, or use columns of {list(self.columns)}"
            )
        return found

    def drift(self, name: str) -> tuple[Any, Any]:
        """The largest change of a column since the start, for each motion: absolute, and relative to its size.

        Of a vector, the length of its change; of a unit quaternion the departure of its norm from 1. Its size is
        that at the start, or the largest one where it starts with zero or next to it.
        """
        values, quantity = np.asarray(self._column(name), float), self.quantities[name]
        axis = len(self.batch)
        with np.errstate(all="ignore"):
            if quantity.role == "quaternion":
                change = np.abs(np.linalg.norm(values, axis=-1) - 1)
                return change.max(axis=axis), change.max(axis=axis)
            if not quantity.components:
                values = values[..., None]
            start = np.take(values, [0], axis=axis)
            change = np.linalg.norm(values - start, axis=-1).max(axis=axis)
            sizes = np.linalg.norm(values, axis=-1)
            first = np.take(sizes, 0, axis=axis)
            largest = sizes.max(axis=axis)
            size = np.where(first > 1e-9 * largest, first, largest)
            return change, change / np.where(size > 0, size, 1.0)

    @property
    def diverged(self) -> Any:
        """For each motion the first recorded time at which a number is no longer finite; NaN if all are, (...)."""
        known = getattr(self.columns, "diverged", None)
        if known is not None:
            return known
        finite = np.ones((*self.batch, len(self.t)), bool)
        for name, column in self.columns.items():
            good = np.isfinite(column)
            finite &= good.all(axis=-1) if self.quantities[name].components else good
        if not len(self.t):
            return np.full(self.batch, np.nan)
        first = np.argmin(finite, axis=-1)
        return np.where(finite.all(axis=-1), np.nan, self.t[first])

    # ---- other times, other places ---------------------------------------------------------------------

    def between(self, first: float, last: float) -> Trajectory:
        """The records from the time `first` to the time `last`, both included."""
        return self[int(np.searchsorted(self.t, first)) : int(np.searchsorted(self.t, last, side="right"))]

    def resample(self, times: Any) -> Trajectory:
        """At other times within it: numbers along straight lines, quaternions along the shorter arc."""
        from quatrain.resampling import resampled

        return resampled(self, times)

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the batch, `t` and components by name, with units and frames; needs xarray."""
        from quatrain.trajectory_files import to_xarray

        return to_xarray(self)

    def save(self, path: str | Path) -> None:
        """To a file of the kind that the suffix says: .zarr, .nc (netCDF), .parquet or .csv."""
        from quatrain.trajectory_files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """What `save` has written, or a run that was written as it went, as far as it has come."""
        from quatrain.trajectory_files import load

        return load(path)

    # ---- for people ------------------------------------------------------------------------------------

    def report(self) -> str:
        """An account in words and numbers, 80 columns wide: `print(run.report())`."""
        from quatrain.report import of_trajectory

        return of_trajectory(self)

    def plot(self, *names: str, motion: tuple[int, ...] | int | None = None) -> Any:
        """A figure with one panel for each column named; needs matplotlib."""
        from quatrain.plot import plot_trajectory

        return plot_trajectory(self, *names, motion=motion)

    def plot_energy(self) -> Any:
        """A figure of the kinetic, the potential and the whole energy of a machine, and of what the whole changes."""
        from quatrain.machine_plots import plot_energy

        return plot_energy(self)

    def plot_phase(self, *names: str) -> Any:
        """A figure with a phase portrait, velocity over coordinate, for each joint named."""
        from quatrain.machine_plots import plot_phase

        return plot_phase(self, *names)

    def plot_sphere(self, frame: str | None = None, axes: str = "xyz") -> Any:
        """A figure of the ways that the axes of a body or a frame take on the unit sphere."""
        from quatrain.machine_plots import plot_sphere

        return plot_sphere(self, frame, axes)

    def to_html(
        self,
        path: str | Path,
        *,
        plots: Sequence[str] | None = None,
        motions: Sequence[int | tuple[int, ...]] | None = None,
        trail: str | None = None,
        frames_per_second: float = 60.0,
    ) -> Path:
        """A page of its own in which the run plays, with a time line and curves: it opens anywhere, without a network.

        `plots`: columns to draw curves of, by default all but q. `motions`: which of a batch stand side by side, by
        default the first sixteen. `trail`: the body or frame whose way is drawn. Records closer together than
        `frames_per_second` are left out.
        """
        from quatrain.viewer.page import replay_page, written

        options = {"motions": motions, "plots": plots, "trail": trail, "frames_per_second": frames_per_second}
        return written(replay_page(self, **options), path)

    def replay(self, *, height: int = 480, **options: Any) -> Inline:
        """The same page within a notebook: let it be the last line of a cell. Options as of `to_html`."""
        from quatrain.notebook import Inline
        from quatrain.viewer.page import replay_page

        return Inline(replay_page(self, **options), height)

    def to_png(self, path: str | Path, t: float | None = None, **options: Any) -> Path:
        """A picture of the run at the time t, by default at its end; it needs neither a display nor a graphics card.

        Options: `motions` and `trail` as of `to_html`; `width`, `height`; `azimuth` and `elevation` of the camera in
        degrees, `zoom`.
        """
        from quatrain.viewer.pictures import Film, write_png

        film = Film(self, **options)
        return write_png(film.picture(float(film.motion.t[-1]) if t is None else float(t)), path)

    def to_gif(
        self, path: str | Path, *, frames_per_second: float = 20.0, speed: float = 1.0, **options: Any
    ) -> Path:
        """A film for places that show pictures only; it begins again at its end. Options as of `to_png`."""
        from quatrain.viewer.pictures import Film, write_gif

        return write_gif(Film(self, **options).pictures(frames_per_second, speed), path, frames_per_second)

    def to_mp4(
        self, path: str | Path, *, frames_per_second: float = 30.0, speed: float = 1.0, **options: Any
    ) -> Path:
        """A film that every browser plays. Options as of `to_png`."""
        from quatrain.viewer.pictures import Film, write_mp4

        return write_mp4(Film(self, **options).pictures(frames_per_second, speed), path, frames_per_second)

    def view(
        self, *, host: str = "127.0.0.1", port: int = 8080, wait: bool | None = None, **options: Any
    ) -> Viewer:
        """The run in a browser, with a time line; options are those of `to_html` and `Robot.view`."""
        from quatrain.viewer.live_panels import view_run

        return view_run(self, host=host, port=port, wait=wait, **options)

    def with_model(self, machine: Robot | Model) -> Trajectory:
        """The run with the machine that its q and v are of, which one from a file does not know."""
        from quatrain.model import Model

        model = machine if isinstance(machine, Model) else machine.model
        for name, known in (("q", model.q_names), ("v", model.v_names)):
            if name in self.quantities and self.quantities[name].components != known:
                raise ArgumentError(
                    f"{name} of this run is of {', '.join(self.quantities[name].components[:4])} …, "
                    f"and that of {model.name} of {', '.join(known[:4])} …",
                    do="give the robot that was run",
                )
        return replace(self, model=model)

    def _repr_html_(self) -> str:
        from quatrain.notebook import of_trajectory

        return of_trajectory(self)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "empty"
        batch = f", {' × '.join(map(str, self.batch))} motions" if self.batch else ""
        return f"<Trajectory of {self.name}: {len(self.t)} times, {span}{batch}; {', '.join(self.columns)}>"
