"""Figures of compiling: its time over the size of the program, the cache, tracing; and their drawing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import programs
from measuring import CLOCKS, Row, Watch
from run_time import ARM, states

from quatrain.compiler.kernel import Kernel
from quatrain.compiler.llvm import machine
from quatrain.compiler.llvm.blocks import program_code
from quatrain.compiler.llvm.target import Target

# Joints of chains with about 1,000, 10,000, 100,000 and 15,000 operations.
SIZES, LARGE = (5, 39, 382), 58
PLOTTED = (1, 2, 5, 12, 39, 120, 382)

Rows = Iterator[Row]


# ---- compiling ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compiled:
    """What it takes to compile a chain: seconds, all and by stage."""

    operations: int
    nodes: int
    whole: float
    trace: float
    text: float
    llvm: float


def compiled(watch: Watch, joints: int, times: int) -> Compiled:
    """The best of several; the cache is off."""
    target, found = Target.host(), []
    for _ in range(times):
        began = watch.clock()
        program = programs.chain_program(joints)
        traced = watch.clock()
        kernel = Kernel(program)
        done = watch.clock()
        text = program_code(program, target, "float64").text
        written = watch.clock()
        machine.object_code(text, target)
        found.append((done - began, traced - began, written - done, watch.clock() - written))
    best = map(min, zip(*found, strict=True))
    return Compiled(sum(kernel.operations.values()), len(program.graph), *best)


def over_size(watch: Watch) -> Rows:
    """Tracing, text and machine code together, an operation, over the size of the program."""
    before: Compiled | None = None
    for joints, times in zip(SIZES, (10, 4, 2), strict=True):
        now = compiled(watch, joints, times)
        each = now.whole / now.operations * 1e6
        what = f"compiling {now.operations:,} operations, {now.whole:.2f} s"
        measured = f"{each:.1f} µs an operation"
        if before is None:
            yield Row(what, measured)
        else:
            smaller = before.whole / before.operations * 1e6
            reference = f"{smaller:.1f} µs, {before.operations:,}"
            # Five in a hundred are the noise of such a measurement.
            yield Row.at_most(what, measured, reference, each / smaller, 1.05)
        for stage in ("trace", "text", "llvm"):
            seconds = getattr(now, stage)
            yield Row(
                f"– of which {_STAGES[stage]}",
                f"{seconds / now.operations * 1e6:.1f} µs",
                "of the whole",
                seconds / now.whole,
            )
        before = now


_STAGES = {"trace": "tracing", "text": "writing LLVM's text", "llvm": "LLVM"}


def fresh_processes(watch: Watch) -> Rows:
    """In processes of their own: cold, then from a cache that the first one has filled."""
    for joints in (ARM, LARGE, SIZES[-1]):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o700)
            cold, *warm = (_in_fresh_process(watch, joints, folder) for _ in range(4))
        if cold["cached"] or not all(run["cached"] for run in warm):
            raise AssertionError("the cache did not do what it is for")
        operations = f"{cold['operations']:,} operations"
        seconds = cold["trace"] + cold["kernel"]
        asked = {"required": "≤ 4 s", "met": seconds <= 4} if joints == LARGE else {}
        yield Row(f"{operations}, cold, in a new process", f"{seconds:.2f} s", **asked)
        cached = min(run["kernel"] for run in warm)
        yield Row(
            f"{operations}, from the cache, in a new process",
            f"{cached * 1e3:.1f} ms",
            f"{cold['kernel'] * 1e3:.0f} ms, cold",
            cached / cold["kernel"],
            "≤ 30 ms",
            cached <= 0.030,
        )


def _in_fresh_process(watch: Watch, joints: int, folder: str) -> dict[str, Any]:
    clock = next(name for name, clock in CLOCKS.items() if clock is watch.clock)
    here = str(Path(__file__).resolve().parent)
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "QUATRAIN_CACHE": folder, "PYTHONPATH": os.pathsep.join(paths)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has been compiled by Python
    command = [sys.executable, "-c", f"import fresh; fresh.report({joints}, {clock!r})"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def tracing(watch: Watch) -> Rows:
    """Nodes of the finished program over the time to trace it: what is folded away or dropped counts nothing."""
    for joints in (ARM, LARGE):
        seconds = watch.best(partial(programs.chain_program, joints), seconds=1)
        nodes = len(programs.chain_program(joints).graph)
        rate = nodes / seconds
        yield Row(
            f"tracing a chain of {joints} joints, {nodes:,} nodes",
            f"{rate:,.0f} nodes/s",
            required="≥ 300,000 nodes/s",
            met=rate >= 300_000,
        )


# ---- over the size of the program --------------------------------------------------------------------


def plot(watch: Watch, path: Path) -> None:
    """Compile time and run time over the number of operations."""
    from matplotlib.figure import Figure

    batch, points = 512, []
    for joints in PLOTTED:
        now = compiled(watch, joints, 1)
        kernel, rows = Kernel(programs.chain_program(joints)), states(batch, joints)
        out = np.empty((batch, joints))
        run = watch.best(partial(kernel, *rows, out=out), seconds=0.2) / batch
        points.append((now.operations, now.whole, now.trace, now.text, now.llvm, run))
    sizes, whole, traced, text, llvm, run = np.array(points).T
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for values, name in ((whole, "all"), (llvm, "LLVM"), (text, "text"), (traced, "tracing")):
        left.loglog(sizes, values, marker="o", markersize=4, label=name)
    left.set(xlabel="operations", ylabel="s", title="Compile time")
    left.legend(frameon=False)
    right.loglog(sizes, run * 1e9, marker="o", markersize=4, label=f"batch {batch}, one thread")
    right.loglog(sizes, sizes * (run[-1] / sizes[-1]) * 1e9, "--", color="grey", label="in proportion")
    right.set(xlabel="operations", ylabel="ns a state", title="Run time")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
