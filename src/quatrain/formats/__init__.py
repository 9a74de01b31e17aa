"""Models from files: `read` gives what a file holds, unchecked; `quatrain.load` checks it and makes a `Robot`.

source.py    XML with files and lines, and what of it was read       report.py   findings
urdf.py, …   a reader for each format: root element → `Reading`      reading.py  what readers share
files.py        where a file lies that a model names
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from quatrain.formats.mjcf import read_mjcf
from quatrain.formats.reading import BASES, MIMICS, Choices, Reading
from quatrain.formats.report import Finding, LoadReport
from quatrain.formats.source import Element, FormatError, choose, parse, text_of
from quatrain.formats.urdf import read_urdf

__all__ = ["Finding", "FormatError", "LoadReport", "Reading", "read"]

_READERS: dict[str, Callable[[Element, Choices], Reading]] = {"robot": read_urdf, "mujoco": read_mjcf}
"""By the outermost element."""


def read(
    source: str | Path, *, base: str = "auto", mimic: str = "exact", roots: Iterable[str | Path] = ()
) -> tuple[Reading, str]:
    """What a file, or a text that is XML itself, holds; and its name for messages."""
    content, name, path = text_of(source)
    text = str(source) if path is None else ""
    folders = tuple(map(Path, roots))
    choices = Choices(choose(base, BASES, "base"), choose(mimic, MIMICS, "mimic"), path, text, folders)
    reading = read_content(content, name, choices)
    return replace(reading, model=replace(reading.model, folders=tuple(map(str, choices.allowed())))), name


def read_content(content: bytes, name: str, choices: Choices) -> Reading:
    """The same of bytes that are at hand."""
    root = parse(content, name)
    if root.tag not in _READERS:
        root.fail(
            f"the outermost element is <{root.tag}>, which begins no format that is known here",
            do=f"known are {', '.join(f'<{tag}>' for tag in _READERS)}",
        )
    return _READERS[root.tag](root, choices)
