"""Columns over time in a directory, in the format Zarr 2: numbers as they are, chunk after chunk along the time.

The descriptions are complete from the beginning, for the length that the columns are going to have; a chunk that is not
there yet is NaN to every reader. So a directory can be read at any moment, whatever happened to who wrote it: a chunk
is written beside its place and moved there when it is whole. What else belongs to it, such as how far it has come, is
in one file more, `state.npz`, replaced the same way.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from quatrain.errors import QuatrainError

_KINDS: dict[str, Any] = {"<f8": np.dtype("<f8"), "<f4": np.dtype("<f4")}


class StorageError(QuatrainError):
    """Something could not be written to a disk, or is not what it should be there."""


@dataclass(frozen=True)
class Column:
    """One array: (*batch, times, *shape)."""

    batch: tuple[int, ...]
    shape: tuple[int, ...]
    kind: str
    """"<f8" or "<f4"."""
    dimensions: tuple[str, ...]
    notes: Mapping[str, Any]

    @property
    def width(self) -> int:
        """Bytes of one time."""
        return prod(self.batch) * prod(self.shape) * _KINDS[self.kind].itemsize


class Store:
    """A directory of columns of `times` times, `per_chunk` of them in a file."""

    def __init__(
        self,
        path: Path,
        columns: Mapping[str, Column],
        times: int,
        per_chunk: int,
        notes: Mapping[str, Any],
    ) -> None:
        self.path, self.columns, self.times, self.per_chunk = path, columns, times, per_chunk
        self.notes = notes

    # ---- writing ---------------------------------------------------------------------------------------

    def create(self, t: Any) -> None:
        """An empty one in place of whatever was there; the times are written at once."""
        needed = sum(column.width for column in self.columns.values()) * self.times
        if self.path.exists():
            self._refuse_foreign()
            shutil.rmtree(self.path)
        self.path.mkdir(parents=True)
        free = shutil.disk_usage(self.path).free
        if needed > free:
            shutil.rmtree(self.path)
            raise StorageError(
                f"{self.path} would take {_size(needed)}, and {_size(free)} are free on its disk",
                do="record fewer quantities, or less often: record=, record_every=",
            )
        described: dict[str, Any] = {".zgroup": {"zarr_format": 2}, ".zattrs": dict(self.notes)}
        time = Column((), (), "<f8", ("t",), {"unit": "s"})
        for name, column in {"t": time, **self.columns}.items():
            place, per_chunk = _folder(name), self.times if name == "t" else self.per_chunk
            (self.path / place).mkdir()
            described[f"{place}/.zarray"] = self._description(column, per_chunk)
            described[f"{place}/.zattrs"] = {"_ARRAY_DIMENSIONS": list(column.dimensions), **column.notes}
        for name, content in described.items():
            self._write(name, json.dumps(content, indent=1).encode())
        together = {"zarr_consolidated_format": 1, "metadata": described}
        self._write(".zmetadata", json.dumps(together).encode())
        self._write("t/0", np.ascontiguousarray(t, "<f8").tobytes())

    def _refuse_foreign(self) -> None:
        """What is not ours is not removed."""
        try:
            ours = "quatrain" in json.loads((self.path / ".zattrs").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            ours = False
        if not ours:
            raise StorageError(
                f"{self.path} exists, and is no run of quatrain's",
                do="give another place, or remove it yourself",
            )

    def _description(self, column: Column, per_chunk: int) -> dict[str, Any]:
        return {
            "zarr_format": 2,
            "shape": [*column.batch, self.times, *column.shape],
            "chunks": [*column.batch, per_chunk, *column.shape],
            "dtype": column.kind,
            "compressor": None,
            "filters": None,
            "fill_value": "NaN",
            "order": "C",
            "dimension_separator": ".",
        }

    def write_chunk(self, number: int, arrays: Mapping[str, Any]) -> None:
        """Some times of every column, at most as many as a chunk has; the rest of the last chunk is NaN."""
        for name, column in self.columns.items():
            values = np.asarray(arrays[name], _KINDS[column.kind])
            axis = len(column.batch)
            missing = self.per_chunk - values.shape[axis]
            if missing:
                room = [(0, 0)] * values.ndim
                room[axis] = (0, missing)
                values = np.pad(values, room, constant_values=np.nan)
            self._write(f"{_folder(name)}/{_key(column, number)}", np.ascontiguousarray(values).data)

    def write_state(self, arrays: Mapping[str, Any]) -> None:
        beside = self.path / "state.npz.part"
        with beside.open("wb") as file:
            np.savez(file, **dict(arrays))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path / "state.npz")

    def _write(self, name: str, content: Any) -> None:
        place = self.path / name
        beside = place.with_name(place.name + ".part")
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)

    # ---- reading ---------------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: Path) -> Store:
        try:
            notes = json.loads((path / ".zattrs").read_text(encoding="utf-8"))
            described = json.loads((path / ".zmetadata").read_text(encoding="utf-8"))["metadata"]
        except (OSError, ValueError, KeyError):
            raise StorageError(
                f"{path} is no run that quatrain has written", do="give the directory of one"
            ) from None
        columns = {}
        times, per_chunk = described["t/.zarray"]["shape"][0], 1
        for entry, array in described.items():
            name, _, what = entry.rpartition("/")
            if what == ".zarray" and name != "t":
                attributes = described[f"{name}/.zattrs"]
                dimensions = tuple(attributes.pop("_ARRAY_DIMENSIONS"))
                axis = dimensions.index("t")
                per_chunk = array["chunks"][axis]
                batch, shape = tuple(array["shape"][:axis]), tuple(array["shape"][axis + 1 :])
                columns[unquote(name)] = Column(batch, shape, array["dtype"], dimensions, attributes)
        return cls(path, columns, times, per_chunk, notes)

    def t(self) -> Any:
        return np.fromfile(self.path / "t" / "0", "<f8")

    def state(self) -> dict[str, Any]:
        """What `write_state` has written last; nothing if it never has."""
        try:
            with np.load(self.path / "state.npz", allow_pickle=False) as found:
                return dict(found)
        except FileNotFoundError:
            return {}

    def read(self, name: str, times: int) -> Any:
        """The first so many times of a column."""
        column = self.columns[name]
        axis = len(column.batch)
        found: Any = np.full((*column.batch, times, *column.shape), float("nan"), dtype=column.kind)
        for number, first in enumerate(range(0, times, self.per_chunk)):
            place = self.path / _folder(name) / _key(column, number)
            if not place.exists():
                continue
            values = np.fromfile(place, column.kind)
            values = values.reshape((*column.batch, self.per_chunk, *column.shape))
            last = min(times, first + self.per_chunk)
            index = (slice(None),) * axis
            found[(*index, slice(first, last))] = values[(*index, slice(0, last - first))]
        return found


@dataclass(frozen=True)
class StoredColumns(Mapping[str, Any]):
    """Columns that are read when they are asked for, each time anew: memory is the reader's."""

    store: Store
    times: int
    diverged: Any = None
    """For each motion the first time at which a number is not finite, where that is known."""

    @property
    def batch(self) -> tuple[int, ...]:
        for column in self.store.columns.values():
            return column.batch
        return ()

    def __getitem__(self, name: str) -> Any:
        if name not in self.store.columns:
            raise KeyError(name)
        return self.store.read(name, self.times)

    def __iter__(self) -> Iterator[str]:
        return iter(self.store.columns)

    def __len__(self) -> int:
        return len(self.store.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.store.columns


def _folder(name: str) -> str:
    """Frames may have names such as left/hand."""
    return quote(name, safe=" ()[],")


def _key(column: Column, number: int) -> str:
    return ".".join(["0"] * len(column.batch) + [str(number)] + ["0"] * len(column.shape))


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"
