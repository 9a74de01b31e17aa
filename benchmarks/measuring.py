"""What the benchmarks share: timing, the name of the processor, tables, and documents that hold them."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numpy as np

Run = Callable[[], object]
Clock = Callable[[], float]

CLOCKS: dict[str, Clock] = {"wall": time.perf_counter, "thread": time.thread_time}


@dataclass(frozen=True)
class Watch:
    """How runs are timed: which clock, and how patiently.

    On the wall it is what a user waits. The clock of the thread leaves out the time in which other programs
    had the processor, so that a busy machine gives usable figures; what ran beside still took caches and turbo.
    """

    clock: Clock = time.perf_counter
    patience: float = 1.0
    """Factor on the time that is given to each measurement."""

    def best(self, run: Run, *, seconds: float = 0.5) -> float:
        """Seconds of one run, the best of as many as fit in the time given."""
        return self.together(run, seconds=seconds)[0]

    def together(self, *runs: Run, seconds: float = 1.0, least: int = 3) -> list[float]:
        """The same for several runs in turn, so that a change of the processor's frequency meets all of them."""
        for run in runs:
            run()
        found = [float("inf")] * len(runs)
        end = time.perf_counter() + seconds * self.patience
        rounds = 0
        while rounds < least or time.perf_counter() < end:
            rounds += 1
            for k, run in enumerate(runs):
                began = self.clock()
                run()
                found[k] = min(found[k], self.clock() - began)
        return found

    def typical(self, run: Run, *, calls: int = 100, seconds: float = 0.5) -> float:
        """Seconds of one short call: the median over many groups of calls, the loop around them taken off."""
        groups, empty = [], []
        end = time.perf_counter() + seconds * self.patience
        while len(groups) < 20 or time.perf_counter() < end:
            groups.append(self._group(run, calls))
            empty.append(self._group(_nothing, calls))
        return max(0.0, statistics.median(groups) - statistics.median(empty))

    def _group(self, run: Run, calls: int) -> float:
        began = self.clock()
        for _ in range(calls):
            run()
        return (self.clock() - began) / calls


def _nothing() -> None:
    pass


# ---- where it was measured ---------------------------------------------------------------------------


def processor() -> str:
    """The processor's name, as the operating system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def surroundings() -> str:
    """Processor and versions, in a line."""
    version = ".".join(str(part) for part in llvm.llvm_version_info)
    return (
        f"{processor()} ({llvm.get_host_cpu_name()}), {platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, llvmlite {llvmlite.__version__} (LLVM {version})"
    )


# ---- results -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, what beside it in the same run, and what is asked."""

    what: str
    measured: str
    reference: str = ""
    ratio: float | None = None
    required: str = ""
    met: bool | None = None
    """None where nothing is asked."""

    @classmethod
    def at_least(cls, what: str, measured: str, reference: str, ratio: float, limit: float) -> Row:
        return cls(what, measured, reference, ratio, f"ratio ≥ {limit:g}", ratio >= limit)

    @classmethod
    def at_most(cls, what: str, measured: str, reference: str, ratio: float, limit: float) -> Row:
        return cls(what, measured, reference, ratio, f"ratio ≤ {limit:g}", ratio <= limit)


HEADINGS = ("what", "measured", "reference in the same run", "ratio", "required", "met")


def cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}" if row.ratio < 10 else f"{row.ratio:.1f}"
    met = "" if row.met is None else "yes" if row.met else "**no**"
    return row.what, row.measured, row.reference, ratio, row.required, met


def table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Markdown, with columns of equal width so that it reads well as plain text too."""
    everything = [tuple(headings), *map(tuple, lines)]
    widths = [max(len(line[k]) for line in everything) for k in range(len(headings))]

    def text(line: Sequence[str], fill: str = " ") -> str:
        return "| " + " | ".join(cell.ljust(w, fill) for cell, w in zip(line, widths, strict=True)) + " |"

    rule = text(["-" * w for w in widths])
    return "\n".join([text(everything[0]), rule, *map(text, everything[1:])])


def sentence(rows: Iterable[Row]) -> str:
    asked = [row for row in rows if row.met is not None]
    met = sum(bool(row.met) for row in asked)
    return f"{met} of {len(asked)} figures reach what is required of them."


def write_between(path: Path, name: str, text: str) -> None:
    """Replaces what stands in a document between the comments `begin: name` and `end: name`."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    old = path.read_text(encoding="utf-8")
    before, found, rest = old.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{path} has no place for the results: put the lines {begin} and {end} into it")
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
