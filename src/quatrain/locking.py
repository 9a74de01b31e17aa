"""The right to write to a place: one run's at a time.

The operating system keeps the lock, and lets it go when the process ends, by kill −9 too: nothing is left behind that
somebody would have to remove. A file beside the place says who holds it. Where a file system has no locks, none is
held.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from quatrain.store import StorageError

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 20  # a locked byte cannot be read there by others; who holds it stands before

    def _lock(file: FileIO) -> bool:
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _release(file: FileIO, beside: Path) -> None:
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
        file.close()
        beside.unlink()  # refused where another has it open by now, who keeps it

else:

    def _lock(file: FileIO) -> bool:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(file: FileIO, beside: Path) -> None:
        beside.unlink()  # while it is still ours: who waits with the old file open sees that it is not there
        file.close()


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Within this nobody else writes to the path; an error if somebody does."""
    place = path.resolve()
    beside = place.with_name(f".{place.name}.lock")
    file = _taken(beside, path)
    try:
        yield
    finally:
        if file is not None:
            with suppress(OSError):
                _release(file, beside)
            file.close()


def _taken(beside: Path, path: Path) -> FileIO | None:
    while True:
        try:
            beside.parent.mkdir(parents=True, exist_ok=True)
            file = FileIO(beside, "a+")
        except OSError:  # what cannot be written there will be told by who writes
            return None
        try:
            free = _lock(file)
        except (OSError, ImportError):
            file.close()
            return None
        if not free:
            _refuse(file, path)
        if _stands(file, beside):
            with suppress(OSError):
                file.truncate(0)
                file.write(f"process {os.getpid()} on {platform.node()}".encode())
            return file
        file.close()


def _stands(file: FileIO, beside: Path) -> bool:
    """Whether the file is still the one of that name: who had it may have removed it while it was opened here."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), beside.stat())
    except FileNotFoundError:
        return False


def _refuse(file: FileIO, path: Path) -> None:
    with file:
        file.seek(0)
        who = file.read(200).decode(errors="replace")
    raise StorageError(
        f"{path} is being written by another run{f', {who}' if who else ''}",
        do="give this one another place, or wait until that one has ended, and call again with resume=True "
        "if it was to go on",
    )
