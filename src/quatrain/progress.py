"""How far a run is, in one line of a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from quatrain.errors import ArgumentError
from quatrain.gathering import Progress

WIDTH = 28
"""Of the bar, in characters."""


class Bar:
    """`bar(steps done, steps in all)` draws over the line that it has drawn before, on standard error."""

    def __init__(
        self, *, motions: int = 1, stream: Any = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.motions, self.stream, self.clock = motions, stream or sys.stderr, clock
        self.began = clock()
        self.first: int | None = None

    def __call__(self, done: int, steps: int) -> None:
        passed = self.clock() - self.began
        if self.first is None:  # what a resumed run had done before does not count
            self.first, self.began, passed = done, self.clock(), 0.0
        self.stream.write("\r" + self.line(done, steps, passed) + ("\n" if done == steps else ""))
        self.stream.flush()

    def line(self, done: int, steps: int, passed: float) -> str:
        part = done / steps if steps else 1.0
        full = round(part * WIDTH)
        text = f"{'█' * full}{'·' * (WIDTH - full)} {100 * part:3.0f} %"
        made = done - (self.first or 0)
        if passed > 0 and made > 0:
            rate = made / passed
            text += f"  {rate * self.motions:.3g} steps/s  {(steps - done) / rate:.0f} s left "
        return text


def watching(progress: Progress | Callable[[int, int], None] | bool) -> Progress | None:
    """What is told, and after how many steps; 0: as many as make a good piece."""
    if progress is False or progress is None:
        return None
    if progress is True:
        return Progress(0, Bar())
    if isinstance(progress, Progress):
        return progress
    if callable(progress):
        return Progress(0, progress)
    raise ArgumentError(
        f"progress is a {type(progress).__name__}",
        do="pass True, or a function of (steps done, steps in all)",
    )
