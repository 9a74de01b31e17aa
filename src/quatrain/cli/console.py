"""What commands share: where they print, and how lists stand in an option."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from rich.console import Console

from quatrain.errors import ArgumentError


def speak_unicode() -> None:
    """Tables and units need more letters than a pipe of Windows has, which is told no encoding: then it is UTF-8.

    Where an encoding was asked for it is kept, and what it lacks becomes a question mark.
    """
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, TextIOWrapper) or stream.encoding.lower().startswith("utf"):
            continue
        if os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8")


def console(*, to_error: bool = False) -> Console:
    """Numbers in colour on a terminal, plain text in a pipe; a path is printed as it is, brackets and all."""
    return Console(stderr=to_error, markup=False, emoji=False, soft_wrap=True)


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def numbers(text: str, option: str, counts: Sequence[int] | None) -> list[float]:
    """Numbers with commas between them, as many as one of the counts."""
    try:
        found = [float(word) for word in words(text)]
    except ValueError:
        raise ArgumentError(
            f"{option} is {text!r}, which is not a list of numbers", do=f"write it like {option} 1,2,3"
        ) from None
    if counts is not None and len(found) not in counts:
        wanted = " or ".join(map(str, counts))
        raise ArgumentError(
            f"{option} is {text!r}, {len(found)} numbers; this needs {wanted}",
            do="separate them by commas, without spaces",
        )
    return found
