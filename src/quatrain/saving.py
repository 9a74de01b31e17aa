"""`quatrain.save`: a model to a file, whole or not at all, with a report of what the format could not hold."""

from __future__ import annotations

import os
from pathlib import Path

from quatrain import formats
from quatrain.checks import refuse_unsound
from quatrain.edit import split_fixed
from quatrain.errors import ArgumentError
from quatrain.formats import SUFFIXES, FormatError, SaveReport
from quatrain.formats.writing import Target, refuse
from quatrain.model import Model
from quatrain.robot import Robot


def save(
    model: Model | Robot, path: str | Path, *, format: str | None = None, strict: bool = False
) -> SaveReport:
    """Write a model or a robot to a file; the report names what the format could not hold.

    `format`: "json" (our own, which holds everything, every float to its last bit), "urdf", "mjcf" or "sdf"; if not
    given, what the name ends with says it: .json, .urdf, .xml or .mjcf, .sdf.
    `strict`: what would be left out is an error, and nothing is written.
    Bodies that had become parts of others are bodies again, each with what is its own.
    The file is there whole or not at all: it is written beside its place and then put there.
    """
    if isinstance(model, Robot):
        model = model.model
    if not isinstance(model, Model):
        raise ArgumentError(f"model is a {type(model).__name__}", do="pass a Model or a Robot")
    refuse_unsound(model)
    path = Path(path)
    format = format or _by_suffix(path)
    if format != "json":  # which holds what merged bodies were
        model = split_fixed(model)
    written = formats.write(model, format, Target(path.name, path.parent))
    if strict:
        refuse([one for one in written.findings if one.severity == "warning"], path.name)
    _put(path, written.text)
    return SaveReport(path.name, written.format, written.held, written.findings)


def _by_suffix(path: Path) -> str:
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        known = ", ".join(SUFFIXES)
        raise ArgumentError(
            f"{path.name!r} ends with {path.suffix!r}, which says no format that can be written",
            do=f"end it with one of {known}, or pass format=",
        )
    return found


def _put(path: Path, text: str) -> None:
    place = path.resolve()  # a link stays a link
    beside = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    except OSError as error:
        raise FormatError(
            f"{path} cannot be written: {error.strerror or error}",
            do="check its folder and your rights there",
        ) from None
    finally:
        beside.unlink(missing_ok=True)
