"""A program of ours in a process of its own, where what goes wrong cannot hurt: JSON in, JSON out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quatrain.formats.source import FormatError, Place

MOST_BYTES = 8 << 30
"""Of memory, where the system lets it be bounded."""
_BOUNDED = """
import runpy, sys
try:
    import resource
except ImportError:
    pass
else:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def answer_of(program: str, job: dict[str, Any], seconds: float, what: str, place: Place) -> dict[str, Any]:
    """What the program, a file beside this one, says of the job."""
    command = [sys.executable, "-P", "-c", _BOUNDED, str(Path(__file__).with_name(program)), str(MOST_BYTES)]
    try:
        with TemporaryDirectory() as folder:  # where it may leave a log
            done = subprocess.run(
                command,
                input=json.dumps(job).encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
                cwd=folder,
            )
    except subprocess.TimeoutExpired:
        raise FormatError(
            f"{what} was not done after {seconds:g} s", do=f"check the file with {what} itself", where=place
        ) from None
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise FormatError(
            f"{what} ended with code {done.returncode}: {last[0]}",
            do=f"check the file with {what} itself",
            where=place,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
