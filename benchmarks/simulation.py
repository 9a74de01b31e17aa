"""Runs of trees of bodies: how many steps in a second, beside MuJoCo's rollouts of the same machine.

    python benchmarks/simulation.py [--write docs/benchmarks.md] [--robots panda talos] [--clock thread]

docs/benchmarks.md tells how each figure is measured and what must be installed.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import peers
from measuring import CLOCKS, HEADINGS, Row, Watch, cells, sentence, surroundings, table, write_between
from robots import ARM, FILES, HUMANOID, QUADRUPED, Subject

import quatrain as qt

Rows = Iterator[Row]

BATCH, STEPS = 4096, 100
FEW = 128
"""Motions of MuJoCo's, whose rate does not depend on how many there are."""
DT = 1e-4
"""Random velocities are wild: at this step size nothing flies apart."""
REQUIRED = {ARM: 25.0, QUADRUPED: 12.0, HUMANOID: 8.0}
"""How many times the rate of `mujoco.rollout` is asked for."""
ONE_RUN = 0.020
"""Seconds for 10 s of one arm at 1 ms."""


def simulation(subject: Subject, method: str = "semi_implicit_euler", **options: Any) -> qt.TreeSimulation:
    return qt.TreeSimulation(
        subject.robot.model, method=method, passive=False, **{"record": ("q", "v"), **options}
    )


def batch_run(
    subject: Subject, method: str = "semi_implicit_euler", **options: Any
) -> Callable[[], qt.Trajectory]:
    """A run of the batch that records its start and its end."""
    q, v, _ = subject.states(BATCH)
    made = simulation(subject, method, **options)
    return partial(made, q, v, duration=STEPS * DT, dt=DT, record_every=STEPS)


def rollout(subject: Subject, integrator: str = "EULER") -> Callable[[], Any]:
    """MuJoCo's own loop over steps and motions, on one thread, without what it could detect besides."""
    model = peers.mujoco_model(subject.robot.model)
    import mujoco
    from mujoco import rollout as rollouts

    model.opt.timestep = DT
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    q, v, _ = (array[:FEW] for array in subject.states(BATCH))
    data, size = mujoco.MjData(model), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((FEW, size))
    start[:, 1 : 1 + model.nq], start[:, 1 + model.nq : 1 + model.nq + model.nv] = q, v
    return partial(rollouts.rollout, model, data, start, nstep=STEPS)


# ---- a batch -------------------------------------------------------------------------------------------------


def rates(watch: Watch, names: Sequence[str]) -> Rows:
    """Semi-implicit Euler against MuJoCo's, and what Runge–Kutta and a law cost besides."""
    for name in names:
        subject = Subject(name)
        euler = batch_run(subject)
        try:
            theirs = rollout(subject)
        except peers.Missing as reason:
            print(reason)
            continue
        _same_motion(subject, euler(), theirs())
        ours, its = watch.together(euler, theirs, seconds=2.0)
        step, other = ours / BATCH / STEPS * 1e9, its / FEW / STEPS * 1e9
        operations = sum(simulation(subject).operations.values())
        yield Row.at_least(
            f"{name}, semi-implicit Euler, {operations:,} operations",
            f"{step:.1f} ns a step",
            f"{other:,.0f} ns, mujoco.rollout",
            other / step,
            REQUIRED[subject.kind],
        )
        runs = [euler, batch_run(subject, "rk4")]
        if subject.kind == ARM:
            law = qt.laws.computed_torque(subject.robot, 100.0, 20.0, subject.robot.neutral())
            runs.append(batch_run(subject, control=law, record=("q", "v")))
        free, rk4, *driven = (seconds / BATCH / STEPS * 1e9 for seconds in watch.together(*runs, seconds=2.0))
        yield Row.at_least(
            f"{name}, rk4", f"{rk4:.1f} ns a step", f"{free:.1f} ns, our Euler", free / rk4, 0.2
        )
        for seconds in driven:
            yield Row.at_least(
                f"{name}, computed torque",
                f"{seconds:.1f} ns a step",
                f"{free:.1f} ns without it",
                free / seconds,
                0.5,
            )


def _same_motion(subject: Subject, run: qt.Trajectory, theirs: Any) -> None:
    states, nq = theirs[0], subject.robot.nq
    last = np.asarray(states)[:, -1, 1 : 1 + nq]
    if not np.allclose(run.q[:FEW, -1], last, rtol=1e-6, atol=1e-6):
        raise AssertionError(f"MuJoCo moves {subject.name} elsewhere")


# ---- one motion ----------------------------------------------------------------------------------------------


def one_motion(watch: Watch, names: Sequence[str]) -> Rows:
    """10 s at 1 ms from Python, recorded every 10 ms, after compiling."""
    for name in names:
        subject = Subject(name)
        if name != "panda":
            continue
        # A little damping, as fingers without stops would be flung away.
        made = simulation(subject, forces=[lambda s: [-rate for rate in s.v]])
        q, v = subject.robot.neutral(), np.full(subject.robot.nv, 0.1)
        seconds = watch.best(partial(made, q, v, duration=10.0, dt=1e-3, record_every=10), seconds=1.0)
        yield Row(
            f"{name}, 10 s at 1 ms, semi-implicit Euler",
            f"{seconds * 1e3:.1f} ms",
            required=f"< {ONE_RUN * 1e3:g} ms",
            met=seconds < ONE_RUN,
        )


# ---- records -------------------------------------------------------------------------------------------------

WIDE = 4096
"""Motions whose every step is recorded; their records are a good deal larger than any cache."""


def records(watch: Watch, names: Sequence[str]) -> Rows:
    """What it costs to record q, v and energy of every step, against writing as much memory and nothing else."""
    for name in names:
        subject = Subject(name)
        if name != "panda":
            continue
        q, v, _ = subject.states(WIDE)
        made = simulation(subject, record=("q", "v", "energy"))
        call = partial(made, q, v, duration=STEPS * DT, dt=DT)
        run = call(record_every=1)
        size = sum(run[column].nbytes for column in run.columns)
        del run

        def write(size: int = size) -> Any:
            return np.full(size // 8, 1.0)

        every, again, none, writing = watch.together(
            partial(call, record_every=1),
            _over(made, q, v),
            partial(call, record_every=STEPS),
            write,
            seconds=1.5,
        )
        for what, seconds in (("into new memory", every), ("over the records of the run before", again)):
            yield Row(
                f"{name}, every step recorded, {size / 1e6:.0f} MB {what}",
                f"{seconds / WIDE / STEPS * 1e9:.1f} ns a step",
                f"{none / WIDE / STEPS * 1e9:.1f} ns without; {writing / WIDE / STEPS * 1e9:.1f} ns new memory filled",
                max(0.0, seconds - none) / writing,
            )


def _over(made: qt.TreeSimulation, q: Any, v: Any) -> Callable[[], Any]:
    """The same steps into memory that the system has handed out before."""
    kernel = made.simulation.kernel
    arrays = {
        "state.q": q,
        "state.v": v,
        "parameters.first": 0.0,
        "parameters.dt": DT,
        "parameters.start": 0.0,
    }
    arrays |= {"parameters.end": STEPS * DT, "state.stop": np.array([0.0, -1.0])}
    out = kernel(arrays, STEPS)
    return lambda: kernel(arrays, STEPS, out=out)


# ----------------------------------------------------------------------------------------------------------------

FIGURES: dict[str, Callable[[Watch, Sequence[str]], Rows]] = {
    "Steps of a batch": rates,
    "One motion from Python": one_motion,
    "Records of every step": records,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, help="a document to put the tables into, between its markers")
    parser.add_argument("--robots", nargs="+", choices=FILES, default=list(FILES))
    parser.add_argument("--only", choices=[f.__name__ for f in FIGURES.values()], nargs="+", default=None)
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="thread: leave out other programs' time"
    )
    parser.add_argument("--patience", type=float, default=1.0, help="factor on the time of each measurement")
    options = parser.parse_args()
    os.environ.setdefault("QUATRAIN_CACHE", "off")
    logging.getLogger("quatrain").setLevel(logging.ERROR)  # what compiles for long would say so
    watch = Watch(CLOCKS[options.clock], options.patience)
    began = time.perf_counter()
    print(surroundings())
    sections = {}
    for title, figure in FIGURES.items():
        if options.only and figure.__name__ not in options.only:
            continue
        rows = list(figure(watch, options.robots))
        if rows:
            sections[title] = rows
            print(f"\n{title}\n\n{table(HEADINGS, map(cells, rows))}", flush=True)
    every = [row for rows in sections.values() for row in rows]
    print(f"\n{sentence(every)} {time.perf_counter() - began:.0f} s.")
    if options.write:
        text = [f"Measured on {surroundings()}. {sentence(every)}"]
        text += [f"### {title}\n\n{table(HEADINGS, map(cells, rows))}" for title, rows in sections.items()]
        write_between(options.write, "simulation", "\n\n".join(text))


if __name__ == "__main__":
    main()
