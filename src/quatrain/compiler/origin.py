"""Which line of whose code made a value: for listings, error messages and the search for a NaN."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import NamedTuple

import numpy

from quatrain.errors import QuatrainError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Frames of these files only carry out what another line has asked for.
_CARRIERS = (
    *(os.path.join(_PACKAGE, name) for name in ("compiler", "scalar", "geometry", "arrays.py")),
    os.path.dirname(os.path.abspath(numpy.__file__)) + os.sep,
)


class Origin(NamedTuple):
    """The place in the source that made a value."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        shown = os.path.relpath(self.file) if self.file.startswith(os.getcwd() + os.sep) else self.file
        return f"{shown}:{self.line} in {self.function}"


def is_carrier(file: str) -> bool:
    """Whether code in this file is passed over when the author of a value is looked for."""
    return file.startswith(_CARRIERS)


def _is_generated(code: CodeType) -> bool:
    """A method that `dataclass` has written, such as the comparison of all fields."""
    return code.co_filename == "<string>" and code.co_name.startswith("__")


def line_at(code: CodeType, instruction: int) -> int:
    """The line of an instruction: found when asked, since looking it up for every node is slow."""
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return line
    return code.co_firstlineno


def origin_of(code: CodeType, instruction: int) -> Origin:
    return Origin(code.co_name, code.co_filename, line_at(code, instruction))


def users_origin() -> Origin:
    """The nearest line, outwards from the caller, that is not merely carrying out another's."""
    frame: FrameType | None = sys._getframe(1)
    last = frame
    while frame is not None and (is_carrier(frame.f_code.co_filename) or _is_generated(frame.f_code)):
        last, frame = frame, frame.f_back
    found = frame or last
    assert found is not None
    return origin_of(found.f_code, found.f_lasti)


def origin_of_error(error: BaseException) -> Origin | None:
    """The innermost line that an error passed through and that is not merely carrying out another's."""
    found, step = None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if not is_carrier(code.co_filename):
            found = Origin(code.co_name, code.co_filename, step.tb_lineno)
        step = step.tb_next
    return found


class TraceError(QuatrainError, TypeError):
    """A function that cannot be traced, with the line of it that says why."""


def trace_error(what: str, do: str) -> TraceError:
    """An error at the user's line that is running."""
    return TraceError(what, do=do, where=users_origin())
