"""Compiled objects on disk, in a directory that only the user can change.

What lies here is machine code that will be run, so it is never taken on trust: the directory, the owner
of each file and a checksum are looked at first, and whatever is not as it was written counts as absent.
Nothing that happens to the disk raises: a cache that cannot be used costs a compilation, not an answer.

There is no lock. A file appears whole under its name or not at all (rename), may vanish at any time, and
holds the same object whoever wrote it, so that processes and threads need not know of one another.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from hashlib import sha256
from io import FileIO
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from quatrain.compiler.private_files import (
    Doubt,
    absolute,
    doubt_about,
    doubt_about_file,
    make_directory,
    open_to_read,
    open_to_write,
)
from quatrain.errors import ArgumentError, QuatrainError

PLACE = "QUATRAIN_CACHE"
LIMIT = "QUATRAIN_CACHE_LIMIT"
DEFAULT_LIMIT = 1 << 30
_ELSEWHERE = f"set {PLACE} to a directory of your own, or to off to do without"

_logger = logging.getLogger("quatrain")

_KEY = re.compile(r"[0-9a-f]{16,128}")
_ENTRY = ".quatrain"
_UNFINISHED = ".quatrain-part"
_OURS = re.compile(rf"{_KEY.pattern}({re.escape(_ENTRY)}|-[0-9a-f]{{16}}{re.escape(_UNFINISHED)})")

# Magic, version of this layout, bytes of the key, bytes of the payload, sha256 of the payload; then key
# and payload. sha256 is there in every Python (blake2 is not where only approved hashes are allowed) and
# takes 0.6 ms a megabyte with the processor's own instructions, 1.5 ms without.
_HEADER = Struct("<8sIIQ32s")
_MAGIC = b"quatrain"
_VERSION = 1

_HOUR = 3600.0


class Contents(NamedTuple):
    entries: int
    bytes: int


class Cache:
    """Byte strings under keys, in files of one directory.

    The key must determine the payload: two writers of one key are taken to write the same. `limit` is in
    bytes; many writers of small objects may pass it by a sixteenth or so for a while. A path of None makes
    a cache that holds nothing. A cache pickles as its path and its limit.
    """

    def __init__(self, path: str | os.PathLike[str] | None, limit: int = DEFAULT_LIMIT) -> None:
        # Links are followed once and here, so that what is checked later is what is used later.
        self.path = None if path is None else absolute(path)
        self.limit = limit
        self._trusted: bool | None = None  # None: not looked at yet, or there is no directory yet
        self._warned: dict[str, object] = {}

    @classmethod
    def open(cls, environment: Mapping[str, str] = os.environ) -> Cache:
        """The user's cache, or the one that the environment variables QUATRAIN_CACHE and _LIMIT tell of.

        Reads nothing from the disk and makes no directory: the first `put` does.
        """
        limit = _limit(environment.get(LIMIT, ""))
        try:
            return cls(_place(environment), limit)
        except RuntimeError:  # how pathlib says that it knows no home
            _logger.warning(
                "the cache of compiled code is not used: no home directory is known for this user.\n"
                "  To fix: %s.",
                _ELSEWHERE,
            )
            return cls(None, limit)

    def __repr__(self) -> str:
        return f"Cache({None if self.path is None else str(self.path)!r}, limit={self.limit})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.path, self.limit)

    def get(self, key: str) -> bytes | None:
        """What was put under the key, or None if it is not there just as it was written."""
        name = _file_name(key)
        if self.path is None or not self._usable():
            return None
        file = self.path / name
        try:
            with FileIO(file, "r", opener=open_to_read) as source:
                status = os.fstat(source.fileno())
                payload = _read_entry(source, status, key)
        except FileNotFoundError:
            return None
        except _ForeignError as reason:
            _discard(file, str(reason))
            return None
        except OSError as error:
            if os.path.islink(file):
                _discard(file, "it is a symbolic link")
            else:
                self._warn("cannot be read", error)
            return None
        if abs(time.time() - status.st_mtime) > _HOUR:
            # The time of change says what was used last. Once an hour, so that reading hardly ever writes.
            with suppress(OSError):
                os.utime(file)
        return payload

    def put(self, key: str, payload: bytes) -> bool:
        """Keep the payload under the key; False if that could not be done."""
        name = _file_name(key)
        size = _HEADER.size + len(key) + len(payload)
        if self.path is None or not self._usable(make=True):
            return False
        if size > _kept(self.limit):
            _logger.info(
                "an object of %d bytes is too large for the cache at %s (%s)", size, self.path, LIMIT
            )
            return False
        header = _HEADER.pack(_MAGIC, _VERSION, len(key), len(payload), sha256(payload).digest())
        try:
            if not self._write(name, header + key.encode(), payload):
                # Somebody cleared the cache meanwhile, or removed all of it: once more, from the start.
                self._trusted = None
                if not (self._usable(make=True) and self._write(name, header + key.encode(), payload)):
                    return False
        except PermissionError as error:
            # Windows replaces no file that somebody is reading. It holds the same object.
            if self.get(key) is not None:
                return True
            self._warn("cannot be written", error)
            return False
        except OSError as error:
            self._warn("cannot be written", error)
            return False
        if _room_is_due(key, size, self.limit):
            self._make_room(str(self.path / name))
        return True

    def contents(self) -> Contents:
        """How many objects there are and how many bytes their files take."""
        sizes = [status.st_size for file, status in self._files() if file.endswith(_ENTRY)]
        return Contents(len(sizes), sum(sizes))

    def size(self) -> int:
        """Bytes of all entries."""
        return self.contents().bytes

    def clear(self) -> Contents:
        """Remove all entries, and what killed writers left; says how much it was. Other files stay."""
        removed, left = [], 0
        for file, status in self._files():
            if not self._remove(file):
                left += 1
            elif file.endswith(_ENTRY):
                removed.append(status.st_size)
        if left:
            raise QuatrainError(
                f"{left} files could not be removed from {self.path}",
                do="see that you may write to this directory and that no other program reads them, then repeat",
            )
        return Contents(len(removed), sum(removed))

    def problem(self) -> QuatrainError | None:
        """Why this cache is not used, with what to do, if it is not; to be shown, or raised where it matters."""
        if self.path is None:
            return QuatrainError(
                "the cache of compiled code is switched off", do=f"unset {PLACE}, or set it to a directory"
            )
        try:
            doubt = doubt_about(self.path)
        except OSError as error:
            doubt = Doubt(f"cannot be looked at ({error.strerror})")
        return None if doubt is None else self._refused(doubt)

    def _refused(self, doubt: Doubt) -> QuatrainError:
        return QuatrainError(
            f"the cache of compiled code is not used: {self.path} {doubt.what}",
            do=f"{doubt.mend}; or {_ELSEWHERE}" if doubt.mend else _ELSEWHERE,
        )

    def _usable(self, *, make: bool = False) -> bool:
        """Whether there is a directory that only the user can change; `make` makes it."""
        if self._trusted is not None or self.path is None:
            return bool(self._trusted)
        problem = self.problem()
        if problem is None and make:
            try:
                make_directory(self.path)
            except OSError as error:
                problem = self._refused(Doubt(f"cannot be made ({error.strerror})"))
        there = os.path.isdir(self.path)
        if problem is None and there:
            problem = self.problem()  # once more, since another may have made it after the first look
        if problem is not None:
            self._trusted = False
            self._warn_once(str(problem))
        elif there:
            self._trusted = True
        return bool(self._trusted)

    def _write(self, name: str, header: bytes, payload: bytes) -> bool:
        """Under a name that no other writer has, then renamed; False if the file or the directory vanished.

        Without waiting for the disk: what a power failure leaves behind does not pass its checksum.
        """
        assert self.path is not None
        unfinished = self.path / f"{name.removesuffix(_ENTRY)}-{os.urandom(8).hex()}{_UNFINISHED}"
        try:
            with open(unfinished, "xb", opener=open_to_write) as target:
                target.write(header)
                target.write(payload)
            os.replace(unfinished, self.path / name)
        except FileNotFoundError:
            return False
        except BaseException:  # Ctrl-C too
            with suppress(OSError):
                unfinished.unlink()
            raise
        return True

    def _make_room(self, newest: str) -> None:
        """Sweep what killed writers left; if the limit is passed, remove what was not used for longest.

        It goes down to seven eighths, so that the next to come need not do the same.
        """
        entries, total, now = [], 0, time.time()
        for file, status in self._files():
            stale = file.endswith(_UNFINISHED) and now - status.st_mtime > _HOUR
            if stale and self._remove(file):
                continue
            total += status.st_size
            if file.endswith(_ENTRY) and file != newest:
                entries.append((status.st_mtime_ns, status.st_size, file))
        if total > self.limit:
            for _, size, file in sorted(entries):
                if total <= _kept(self.limit):
                    break
                if self._remove(file):
                    total -= size

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Our own files in the directory; those that vanish meanwhile are left out. Text, since they are many."""
        if self.path is None or not self._usable():
            return
        try:
            with os.scandir(self.path) as listing:
                found = [entry for entry in listing if _OURS.fullmatch(entry.name)]
        except FileNotFoundError:
            return
        except OSError as error:
            self._warn("cannot be listed", error)
            return
        for entry in found:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield entry.path, status

    def _remove(self, file: str) -> bool:
        """Whether the file is gone, by this or by another process."""
        try:
            os.unlink(file)
        except FileNotFoundError:
            return True
        except OSError as error:
            self._warn("has a file that cannot be removed", error)
            return False
        return True

    def _warn(self, what: str, error: OSError) -> None:
        text = f"the cache of compiled code at {self.path} {what} ({error.strerror or error})"
        self._warn_once(str(QuatrainError(text, do=_ELSEWHERE)))

    def _warn_once(self, message: str) -> None:
        """The first warning of this object is a warning; what follows would only repeat it."""
        token = object()
        first = self._warned.setdefault("said", token) is token  # one step, so one thread is the first
        _logger.log(logging.WARNING if first else logging.INFO, "%s", message)


class _ForeignError(Exception):
    """A file that is not the entry it should be; the text says why."""


def _read_entry(source: FileIO, status: os.stat_result, key: str) -> bytes:
    """The payload, if everything about the file is as `put` leaves it."""
    doubt = doubt_about_file(status)
    if doubt is not None:
        raise _ForeignError(doubt)
    header = source.read(_HEADER.size + len(key))
    if len(header) < _HEADER.size + len(key):
        raise _ForeignError("it is cut short")
    magic, version, key_length, length, checksum = _HEADER.unpack_from(header)
    if magic != _MAGIC or version != _VERSION:
        raise _ForeignError("it has another layout")
    if key_length != len(key) or header[_HEADER.size :] != key.encode():
        raise _ForeignError("it was written under another key")
    payload = source.readall()
    if len(payload) != length:
        raise _ForeignError("its length is wrong")
    if sha256(payload).digest() != checksum:
        raise _ForeignError("its checksum is wrong")
    return payload


def _discard(file: Path, reason: str) -> None:
    _logger.info("%s is removed from the cache and will be made again: %s", file, reason)
    with suppress(OSError):
        file.unlink()


def _file_name(key: str) -> str:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ArgumentError(
            f"key is {str(key)[:40]!r}; a key of the cache is 16 to 128 hexadecimal digits in lower case",
            do="pass the hexdigest() of a hash",
        )
    return key + _ENTRY


def _kept(limit: int) -> int:
    """What is left at most after the least recently used were removed."""
    return limit * 7 // 8


def _room_is_due(key: str, size: int, limit: int) -> bool:
    """Whether to look at every file after this one was written: by lot, since no process knows of the others.

    Once in a sixty-fourth of the limit, so that little is above it, and once in 64 files, so that what
    killed writers left does not stay for ever. The digits of a hash are as good as a die, and repeatable.
    """
    return int(key[-8:], 16) < max(1 / 64, 64 * size / limit) * 16**8


def _place(environment: Mapping[str, str]) -> Path | None:
    chosen = environment.get(PLACE)
    if chosen is None:
        from platformdirs import user_cache_dir

        return Path(user_cache_dir("quatrain", appauthor=False)).expanduser()
    if chosen.strip().lower() in ("", "0", "off"):
        return None
    if chosen.strip().lower() in ("1", "on", "yes", "no", "true", "false", "none"):
        raise ArgumentError(
            f"{PLACE} is {chosen!r}, which names no directory",
            do="set it to the path of a directory, or to off; unset it for the usual place",
        )
    return Path(chosen).expanduser()


_UNITS = (
    {"": 1, "B": 1}
    | {letter + "B": 1000**power for power, letter in enumerate("KMGT", 1)}
    | {letter + "IB": 1024**power for power, letter in enumerate("KMGT", 1)}
)


def _limit(text: str) -> int:
    """Bytes, from a number with or without a unit."""
    if not text.strip():
        return DEFAULT_LIMIT
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,18})?) ?([a-z]*)", text.strip(), re.IGNORECASE)
    if match is None or match[2].upper() not in _UNITS:
        raise ArgumentError(
            f"{LIMIT} is {text[:40]!r}, which is not a number of bytes",
            do="set it to a number of bytes such as 500000000, 500MB or 0.5GiB, or unset it for 1 GiB",
        )
    return int(Fraction(match[1]) * _UNITS[match[2].upper()])
