"""Trajectories in files, and as datasets of xarray's: each keeps units, frames and the order of components.

| suffix | needs | holds |
|---|---|---|
| `.zarr` | nothing | everything; each column in chunks, read when it is asked for |
| `.nc` | xarray, with netCDF4, h5netcdf or SciPy | columns and events |
| `.parquet` | pyarrow | columns, a row for each time of each motion; events in what is noted of it |
| `.csv` | nothing | the same, as text with all digits; the notes are its first line |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import asdict
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from quatrain.equations.stepping import Tolerance
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.locking import alone
from quatrain.run_files import described, flat, load_directory, occurrences, quantity_of
from quatrain.store import StorageError, Store
from quatrain.trajectory import Occurrences, Quantity, Trajectory

SUFFIXES = (".zarr", ".nc", ".parquet", ".csv")


def save(run: Trajectory, path: str | Path) -> None:
    """To a file of the kind that its suffix says; what was there is written over when the new one is whole."""
    path = Path(path)
    if path.suffix == ".zarr":
        with alone(path):
            return _to_zarr(run, path)
    writers = {".nc": _to_netcdf, ".parquet": _to_parquet, ".csv": _to_csv}
    if path.suffix not in writers:
        raise _unknown(path)
    beside = path.with_name(path.name + ".part")
    try:
        writers[path.suffix](run, beside)
        beside.replace(path)
    except OSError as error:
        raise StorageError(
            f"{path} could not be written: {error.strerror or error}",
            do="make room there, or give another place",
        ) from error
    return None


def load(path: str | Path) -> Trajectory:
    """What `save` has written, or a run that has been written as it went."""
    path = Path(path)
    if not path.exists():
        raise ArgumentError(f"there is no {path}", do="give the path of a run that was saved")
    if path.suffix == ".zarr" or path.is_dir():
        return load_directory(path)
    readers = {".nc": _from_netcdf, ".parquet": _from_parquet, ".csv": _from_csv}
    if path.suffix not in readers:
        raise _unknown(path)
    return readers[path.suffix](path)


def _unknown(path: Path) -> ArgumentError:
    return ArgumentError(
        f"{path.name} has the suffix {path.suffix!r}, which is no kind of file for runs",
        do=f"choose one of {', '.join(SUFFIXES)}",
    )


def _needed(what: str, package: str) -> QuatrainError:
    return QuatrainError(
        f"{what} need {package}, which is not installed", do='python -m pip install "quatrain[data]"'
    )


# ---- what is known besides the numbers -------------------------------------------------------------------


def plain_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that JSON can hold; arrays as lists, NaN as null."""
    found: dict[str, Any] = {}
    for name, value in facts.items():
        if isinstance(value, Tolerance):
            found[name] = asdict(value)
        elif isinstance(value, np.ndarray):
            found[name] = (
                value.tolist()
                if value.dtype.kind != "f"
                else np.where(np.isnan(value), np.array(None), value).tolist()
            )
        elif isinstance(value, np.generic):
            found[name] = value.item()
        else:
            found[name] = value
    return found


def _facts_again(facts: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(facts)
    if found.get("tolerance"):
        found["tolerance"] = Tolerance(**found["tolerance"])
    if "stopped_at" in found:
        found["stopped_at"] = np.array(found["stopped_at"], float)
        found["stopped_by"] = np.array(found["stopped_by"])
    return found


def _notes(run: Trajectory, events: Mapping[str, Any] | None = None) -> str:
    quantities = {name: described(run.quantities[name], (), (), "<f8").notes for name in run.columns}
    notes = {
        "name": run.name,
        "facts": plain_facts(run.facts),
        "batch": list(run.batch),
        "quantities": quantities,
        **({"events": events} if events else {}),
    }
    return json.dumps(notes, ensure_ascii=False)


def _from_notes(
    text: str, t: Any, columns: Mapping[str, Any], events: Mapping[str, Occurrences] | None = None
) -> Trajectory:
    notes = json.loads(text)
    quantities = {name: quantity_of(name, each) for name, each in notes["quantities"].items()}
    if events is None:
        events = {name: _happened(each) for name, each in notes.get("events", {}).items()}
    return Trajectory(notes["name"], t, columns, quantities, events, _facts_again(notes["facts"]))


# ---- events, which have no rows in a table ---------------------------------------------------------------


def _kept(count: Any, most: int) -> Any:
    """Which places of an event's arrays hold something; (..., most)."""
    return np.arange(most) < np.minimum(count, most)[..., None]


def _noted(each: Occurrences) -> dict[str, Any]:
    """An event as JSON: what happened, one after the other, without the places that are empty."""
    count, t = np.asarray(each.count), np.asarray(each.t)
    kept = _kept(count, t.shape[-1])
    values = {
        name: {"shape": np.shape(array)[t.ndim :], "numbers": np.asarray(array)[kept].tolist()}
        for name, array in each.values.items()
    }
    return {"most": t.shape[-1], "count": count.tolist(), "t": t[kept].tolist(), "values": values}


def _happened(noted: Mapping[str, Any]) -> Occurrences:
    count = np.array(noted["count"])
    kept = _kept(count, noted["most"])

    def placed(numbers: Any, shape: tuple[int, ...]) -> Any:
        array = np.full((*kept.shape, *shape), np.nan)
        array[kept] = np.reshape(numbers, (-1, *shape)) if numbers else np.empty((0, *shape))
        return array

    values = {name: placed(each["numbers"], tuple(each["shape"])) for name, each in noted["values"].items()}
    return Occurrences(count, placed(noted["t"], ()), values)


# ---- Zarr ------------------------------------------------------------------------------------------------


def _to_zarr(run: Trajectory, path: Path) -> None:
    columns = {}
    arrays = {name: np.asarray(run.columns[name]) for name in run.columns}
    axis = len(run.batch)
    for name, array in arrays.items():
        kind = "<f4" if array.dtype == np.float32 else "<f8"
        columns[name] = described(run.quantities[name], run.batch, array.shape[axis + 1 :], kind)
    notes = {
        "quatrain": {"name": run.name, "facts": plain_facts(run.facts), "record_every": 1, "culprits": []}
    }
    width = max(1, sum(column.width for column in columns.values()))
    per_chunk = max(1, min(len(run.t), (64 << 20) // width))
    store = Store(path, columns, len(run.t), per_chunk, notes)
    try:
        store.create(run.t)
        for number, first in enumerate(range(0, len(run.t), per_chunk)):
            here = (*(slice(None),) * axis, slice(first, first + per_chunk))
            store.write_chunk(number, {name: array[here] for name, array in arrays.items()})
        store.write_state(
            {**flat(run.events), "records": len(run.t), "diverged": run.diverged, "ended": True}
        )
    except OSError as error:
        raise StorageError(
            f"{path} could not be written: {error.strerror or error}",
            do="make room there, or give another place",
        ) from error


# ---- xarray and netCDF -----------------------------------------------------------------------------------


def to_xarray(run: Trajectory) -> Any:
    """An xarray.Dataset over the batch, `t`, and components by name."""
    try:
        import xarray
    except ImportError:
        raise _needed("datasets", "xarray") from None
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"t": ("t", run.t, {"unit": "s"})}
    for name in run.columns:
        quantity, array = run.quantities[name], np.asarray(run.columns[name])
        column = described(quantity, run.batch, array.shape[len(run.batch) + 1 :], "<f8")
        shown = {"unit": quantity.unit, "frame": quantity.frame}
        variables[name] = (column.dimensions, array, {key: value for key, value in shown.items() if value})
        if column.shape and quantity.components:
            coordinates[column.dimensions[-1]] = (column.dimensions[-1], np.array(quantity.components), {})
    for name, each in run.events.items():
        axes = (*described(Quantity(""), run.batch, (), "<f8").dimensions[:-1], f"event:{name}")
        for key, array in flat({name: each}).items():
            own = (*axes, f"{key.rpartition(':')[2]}_components")
            variables[key] = (own[: np.ndim(array)], np.asarray(array), {})
        variables[f"event:{name}:t"][2]["unit"] = "s"
    return xarray.Dataset(variables, coordinates, {"quatrain": _notes(run)})


def _to_netcdf(run: Trajectory, path: Path) -> None:
    to_xarray(run).to_netcdf(path)


def _from_netcdf(path: Path) -> Trajectory:
    try:
        import xarray
    except ImportError:
        raise _needed("netCDF files", "xarray") from None
    with xarray.open_dataset(path) as found:
        if "quatrain" not in found.attrs:
            raise StorageError(f"{path} is no run that quatrain has saved", do="open it with xarray itself")
        arrays = {str(name): np.asarray(found[name]) for name in found.data_vars}
        columns = {name: array for name, array in arrays.items() if not name.startswith("event:")}
        return _from_notes(found.attrs["quatrain"], np.asarray(found["t"]), columns, occurrences(arrays))


# ---- tables ----------------------------------------------------------------------------------------------


def table(run: Trajectory) -> dict[str, Any]:
    """A row for each time of each motion: `motion` (of a batch), `t`, and components as `q.elbow`."""
    count, times = prod(run.batch), len(run.t)
    found: dict[str, Any] = {}
    for k in range(len(run.batch)):
        name = "motion" if len(run.batch) == 1 else f"motion_{k}"
        found[name] = np.repeat(np.indices(run.batch)[k].ravel(), times)
    found["t"] = np.tile(run.t, count)
    for name in run.columns:
        array, components = np.asarray(run.columns[name]), run.quantities[name].components
        if not components:
            found[name] = array.reshape(count * times)
            continue
        rows = array.reshape(count * times, len(components))
        found |= {f"{name}.{component}": rows[:, k] for k, component in enumerate(components)}
    return found


def _from_table(text: str, rows: Mapping[str, Any]) -> Trajectory:
    notes = json.loads(text)
    batch = tuple(notes["batch"])
    times = len(rows["t"]) // max(1, prod(batch))
    columns = {}
    for name, each in notes["quantities"].items():
        parts = [rows[f"{name}.{c}"] for c in each["components"]] if each["components"] else [rows[name]]
        array = np.stack([np.asarray(part).reshape(*batch, times) for part in parts], axis=-1)
        columns[name] = array if each["components"] else array[..., 0]
    return _from_notes(text, np.asarray(rows["t"])[:times], columns)


def _table_notes(run: Trajectory) -> str:
    return _notes(run, {name: _noted(each) for name, each in run.events.items()})


def _to_parquet(run: Trajectory, path: Path) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise _needed("Parquet files", "pyarrow") from None
    made = pyarrow.table({name: np.ascontiguousarray(column) for name, column in table(run).items()})
    parquet.write_table(made.replace_schema_metadata({"quatrain": _table_notes(run)}), path)


def _from_parquet(path: Path) -> Trajectory:
    try:
        from pyarrow import parquet
    except ImportError:
        raise _needed("Parquet files", "pyarrow") from None
    found = parquet.read_table(path)
    notes = (found.schema.metadata or {}).get(b"quatrain")
    if notes is None:
        raise StorageError(f"{path} is no run that quatrain has saved", do="open it with pyarrow itself")
    return _from_table(notes.decode(), {name: found[name].to_numpy() for name in found.column_names})


def _to_csv(run: Trajectory, path: Path) -> None:
    """The first line is a comment with what is known besides; numbers have as many digits as they need."""
    rows = table(run)
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {_table_notes(run)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows)
        writer.writerows(zip(*(column.tolist() for column in rows.values()), strict=True))


def _from_csv(path: Path) -> Trajectory:
    with path.open(newline="", encoding="utf-8") as file:
        first = file.readline()
        if not first.startswith("# {"):
            raise StorageError(f"{path} is no run that quatrain has saved", do="read it with NumPy or pandas")
        header = next(csv.reader(io.StringIO(file.readline())))
        values = np.loadtxt(file, delimiter=",", ndmin=2) if header else np.empty((0, 0))
    return _from_table(first[2:], {name: values[:, k] for k, name in enumerate(header)})
