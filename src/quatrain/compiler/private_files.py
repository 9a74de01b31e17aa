"""Files and directories that only the user can change, and what makes one doubtful.

Looked at where the system has owners and modes (POSIX). On Windows a profile is its user's own, and
nothing is looked at.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Doubt(NamedTuple):
    """Why a directory is not used, as the end of a sentence that begins with it, and a command that mends it."""

    what: str
    mend: str = ""


def _user() -> int | None:
    return os.geteuid() if hasattr(os, "geteuid") else None


def doubt_about(directory: Path) -> Doubt | None:
    """What lets somebody else change the files of this directory; None if nothing does, or it is not there."""
    user = _user()
    if user is None:
        return None
    for parent in directory.parents:
        with suppress(FileNotFoundError):
            mode = parent.stat().st_mode
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                return Doubt(
                    f"could be replaced by anyone, since all may write to {parent}", f"chmod o-w {parent}"
                )
    try:
        status = directory.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return Doubt("is not a directory")
    if status.st_uid != user:
        return Doubt(f"belongs to another user (number {status.st_uid}; this is {user})")
    if status.st_mode & _OTHERS_WRITE:
        return Doubt(
            f"can be written to by others ({stat.filemode(status.st_mode)})", f"chmod go-w {directory}"
        )
    return None


def doubt_about_file(status: os.stat_result) -> str | None:
    """Why a file that was opened is not one that the user alone has written."""
    if not stat.S_ISREG(status.st_mode):
        return "it is not a file"
    user = _user()
    if user is not None and status.st_uid != user:
        return "it belongs to another user"
    if user is not None and status.st_mode & _OTHERS_WRITE:
        return "others can write to it"
    return None


def make_directory(directory: Path) -> None:
    """With what is missing above it, all for the user alone."""
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def absolute(path: str | os.PathLike[str]) -> Path:
    """With all links followed, so that what is checked later is what is used later."""
    # Windows would turn the letter of a network drive into a name that its owner does not recognise.
    return Path(os.path.abspath(path) if _user() is None else os.path.realpath(path))


def open_to_read(path: str, flags: int) -> int:
    """For `opener=`: follows no link, and does not wait for a writer if the name is that of a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def open_to_write(path: str, flags: int) -> int:
    """For `opener=`: for the user alone, whatever the umask."""
    return os.open(path, flags, 0o600)
