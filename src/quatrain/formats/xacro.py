"""Xacro: written out as URDF by the library of that name, in a process of its own; only for files that are called so.

What xacro evaluates are expressions of Python's that a file brings along. Nothing else here executes what is in a file.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quatrain.errors import QuatrainError
from quatrain.formats.child import answer_of
from quatrain.formats.report import Finding
from quatrain.formats.source import FormatError, Place, parse

SUFFIX = ".xacro"
SECONDS = 60
"""So long it may take."""


def written_out(
    path: Path, content: bytes, arguments: Mapping[str, str], roots: list[Path]
) -> tuple[bytes, str, list[Finding]]:
    """The URDF, what it is called in messages, and what is to be told."""
    parse(content, path.name)  # its size, its depth, entities
    if importlib.util.find_spec("xacro") is None:
        raise QuatrainError(
            f"{path.name} is written out by the xacro library, which is not installed",
            do='pip install "quatrain[xacro]"',
        )
    job = {
        "path": str(path.resolve()),
        "arguments": {str(name): str(value) for name, value in arguments.items()},
        "roots": [str(root) for root in roots],
    }
    result: dict[str, Any] = answer_of("xacro_process.py", job, SECONDS, "xacro", Place(path.name, 1))
    if "error" in result:
        message = " ".join(result["error"].split())
        raise FormatError(
            f"xacro cannot write it out: {message}",
            do="mend what it names; values are passed as load(…, arguments={…}) or --arg NAME=VALUE, "
            "folders of packages as roots=[…] or --root",
            where=path.name,
        )
    if "<link" not in result["text"] and "<robot" in result["text"]:
        raise FormatError(
            "written out it has no <link>: it defines macros for other files to use",
            do="load the file that includes it and calls them",
            where=path.name,
        )
    findings = [Finding("warning", "xacro", note, place=Place(path.name, 1)) for note in result["notes"]]
    return result["text"].encode(), f"{path.name} (written out)", findings
