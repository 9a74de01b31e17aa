"""Models from files: `read` gives what a file holds, unchecked; `quatrain.load` checks it and makes a `Robot`.
And files from models: `write` gives the text, `quatrain.save` puts it into a file.

source.py    XML with files and lines, and what of it was read       report.py   findings
urdf.py, mjcf.py, sdf.py: readers, root element → `Reading`        reading.py  what readers share
files.py     where a file lies that a model names
native.py    our own format, both ways (json_values.py: dataclasses as JSON)
…_writer.py  a writer for each other format: model → `Written`       writing.py  what writers share
xacro.py     xacro written out as URDF, by its own library
lowering.py  the same machine with joints that a format knows
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from quatrain.errors import ArgumentError
from quatrain.formats import xacro
from quatrain.formats.mjcf import read_mjcf
from quatrain.formats.mjcf_writer import write_mjcf
from quatrain.formats.native import read_native, write_native
from quatrain.formats.reading import BASES, MIMICS, Choices, Reading
from quatrain.formats.report import Finding, LoadReport
from quatrain.formats.sdf import read_sdf
from quatrain.formats.sdf_writer import write_sdf
from quatrain.formats.source import Element, FormatError, choose, parse, text_of
from quatrain.formats.urdf import read_urdf
from quatrain.formats.urdf_writer import write_urdf
from quatrain.formats.writing import SaveReport, Target, WriteNotes, Written
from quatrain.model import Model

__all__ = ["SUFFIXES", "Finding", "FormatError", "LoadReport", "Reading", "SaveReport", "read", "write"]

_READERS: dict[str, Callable[[Element, Choices], Reading]] = {
    "robot": read_urdf,
    "mujoco": read_mjcf,
    "sdf": read_sdf,
}
"""By the outermost element."""

_WRITERS: dict[str, Callable[[Model, Target, WriteNotes], Written]] = {
    "json": write_native,
    "urdf": write_urdf,
    "mjcf": write_mjcf,
    "sdf": write_sdf,
}

SUFFIXES = {".json": "json", ".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf", ".world": "sdf"}
"""What a file is, by how its name ends."""


def read(
    source: str | Path,
    *,
    base: str = "auto",
    mimic: str = "exact",
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
) -> tuple[Reading, str]:
    """What a file, or a text that is XML or JSON itself, holds; and its name for messages."""
    content, name, path = text_of(source)
    text = str(source) if path is None else ""
    folders = tuple(map(Path, roots))
    choices = Choices(choose(base, BASES, "base"), choose(mimic, MIMICS, "mimic"), path, text, folders)
    told: list[Finding] = []
    if path is not None and path.suffix.lower() == xacro.SUFFIX:
        content, name, told = xacro.written_out(path, content, arguments or {}, choices.allowed())
    elif arguments:
        raise ArgumentError(
            f"{name} is no .xacro, and arguments came", do="leave them out: only xacro has a use for them"
        )
    reading = read_content(content, name, choices)
    reading = replace(reading, findings=(*told, *reading.findings))
    return replace(reading, model=replace(reading.model, folders=tuple(map(str, choices.allowed())))), name


def read_content(content: bytes, name: str, choices: Choices) -> Reading:
    """The same of bytes that are at hand."""
    with uncollected():
        return _read(content, name, choices)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the garbage collector, which would go over a large file's objects again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _read(content: bytes, name: str, choices: Choices) -> Reading:
    if content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return read_native(content, name, choices)
    root = parse(content, name)
    if root.tag not in _READERS:
        root.fail(
            f"the outermost element is <{root.tag}>, which begins no format that is known here",
            do=f"known are {', '.join(f'<{tag}>' for tag in _READERS)}",
        )
    return _READERS[root.tag](root, choices)


def write(model: Model, format: str, target: Target | None = None) -> Written:
    """The text of a file of this format, and what it could not hold."""
    writer = _WRITERS[choose(format, _WRITERS, "format")]
    target = target or Target()
    notes = WriteNotes(format.upper())
    return writer(model, target, notes)
