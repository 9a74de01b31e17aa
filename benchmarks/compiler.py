"""What the compiler reaches, each figure beside what it is compared with, measured in the same run.

    python benchmarks/compiler.py [--write docs/benchmarks.md] [--plot docs/images/compiler.svg]

It takes about two minutes; docs/benchmarks.md tells how each figure is measured. `--clock thread` is for a
machine that others use at the same time.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import compile_time
import run_time
from measuring import CLOCKS, HEADINGS, Row, Watch, cells, sentence, surroundings, table, write_between

FIGURES: dict[str, Callable[[Watch], Iterator[Row]]] = {
    "Arithmetic": run_time.polynomials,
    "Sine and cosine": run_time.trigonometry,
    "A program of a robot's size": run_time.inverse_dynamics,
    "Threads": run_time.threads,
    "One state": run_time.single_call,
    "Compile time": compile_time.over_size,
    "Cold and from the cache": compile_time.fresh_processes,
    "Tracing": compile_time.tracing,
    "A time loop": run_time.time_loop,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, help="a document to put the table into, between its markers")
    parser.add_argument(
        "--plot", type=Path, help="draw compile time and run time over program size, to this file"
    )
    parser.add_argument("--only", choices=[f.__name__ for f in FIGURES.values()], nargs="+", default=None)
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="thread: leave out other programs' time"
    )
    parser.add_argument("--patience", type=float, default=1.0, help="factor on the time of each measurement")
    options = parser.parse_args()
    os.environ["QUATRAIN_CACHE"] = "off"  # nothing comes from the disk but where that is measured
    logging.getLogger("quatrain").setLevel(logging.ERROR)  # what compiles for long would say so
    watch = Watch(CLOCKS[options.clock], options.patience)
    began = time.perf_counter()
    print(surroundings())
    rows: list[Row] = []
    sections = {}
    for title, figure in FIGURES.items():
        if options.only and figure.__name__ not in options.only:
            continue
        sections[title] = list(figure(watch))
        rows += sections[title]
        print(f"\n{title}\n\n{table(HEADINGS, map(cells, sections[title]))}", flush=True)
    if options.plot:
        compile_time.plot(watch, options.plot)
    print(f"\n{sentence(rows)} {time.perf_counter() - began:.0f} s.")
    if options.write:
        text = [f"Measured on {surroundings()}. {sentence(rows)}"]
        for title, found in sections.items():
            text.append(f"### {title}\n\n{table(HEADINGS, map(cells, found))}")
        write_between(options.write, "compiler", "\n\n".join(text))


if __name__ == "__main__":
    main()
