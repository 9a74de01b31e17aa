"""Which version of the source code is at work: part of every key of the cache."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

_BEGAN = time.time()


def digest_of_sources(paths: Iterable[Path], *words: str) -> str:
    """A hash of these files and words.

    Of a file that was changed after this process began, what is loaded is not what lies on the disk: then it is a hash
    that nobody else has, so that nothing is taken from the cache and nothing wrong is left there.
    """
    found = sha256("\n".join(words).encode())
    for path in paths:
        found.update(path.read_bytes())
        if path.stat().st_mtime > _BEGAN:
            found.update(os.urandom(32))
    return found.hexdigest()
