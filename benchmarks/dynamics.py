"""Trees of bodies: how fast their quantities are, beside Pinocchio in C++ and from Python, MuJoCo, and CasADi's C.

    python benchmarks/dynamics.py [--write docs/benchmarks.md] [--plot docs/images/dynamics.svg] [--robots panda talos]

docs/benchmarks.md tells how each figure is measured and what must be installed. `--clock thread` is for a machine that
others use at the same time.
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

import cold
import connection
import long_chains
import numpy as np
import peers
from measuring import CLOCKS, HEADINGS, Row, Watch, cells, sentence, surroundings, table, write_between
from robots import ARM, FILES, HUMANOID, QUADRUPED, Subject

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.kernel import compile

Rows = Iterator[Row]

BATCH = 4096
REQUIRED = {
    "inverse_dynamics": {ARM: 20, QUADRUPED: 14, HUMANOID: 10},
    "forward_dynamics": {ARM: 20, QUADRUPED: 14, HUMANOID: 10},
    "coriolis_matrix": {ARM: 15, QUADRUPED: 10, HUMANOID: 8},
    "mass_matrix": {ARM: 8, QUADRUPED: 8, HUMANOID: 8},
    "poses": {ARM: 8, QUADRUPED: 8, HUMANOID: 8},
    "jacobian": {ARM: 8, QUADRUPED: 8, HUMANOID: 8},
}
"""How many times Pinocchio's rate in C++ is asked for."""
WRITTEN = ("mass_matrix", "poses", "jacobian")
"""Of these more is not asked than writing the results alone would reach."""
LIGHT = ("inverse_dynamics", "mass_matrix", "poses", "jacobian")
"""One state of these may take a little more from Python than Pinocchio's call does."""
MORE = 3e-6


# ---- a batch -------------------------------------------------------------------------------------------------


def arguments(what: str, q: Any, v: Any, a: Any) -> tuple[Any, ...]:
    """What a quantity takes of a state and accelerations or forces."""
    return (q, v, a)[: {"inverse_dynamics": 3, "forward_dynamics": 3, "coriolis_matrix": 2}.get(what, 1)]


def method(robot: qt.Robot, what: str) -> Callable[..., Any]:
    """The robot's own, a Jacobian of its last body."""
    found: Callable[..., Any] = getattr(robot, what)
    return partial(found, frame=robot.body_names[-1]) if what == "jacobian" else found


def kernel(robot: qt.Robot, what: str) -> Any:
    if what != "jacobian":
        return robot.kernel(getattr(dynamics, what))

    def jacobian(model: Any, q: Any) -> Any:
        return dynamics.jacobian(model, q, robot.body_names[-1])

    return compile(jacobian, robot)


def batches(watch: Watch, names: Sequence[str]) -> Rows:
    """Every quantity of every robot, for a batch of states."""
    for name in names:
        subject = Subject(name)
        try:
            loop = peers.PinocchioLoop(subject.pinocchio)
        except peers.Missing as reason:
            print(reason)
            loop = None
        for what in REQUIRED:
            yield _batch(watch, subject, loop, what)


def _batch(watch: Watch, subject: Subject, loop: peers.PinocchioLoop | None, what: str) -> Row:
    q, v, a = subject.states(BATCH)
    compiled, given = kernel(subject.robot, what), arguments(what, q, v, a)
    out = compiled(*given)
    arrays = out if isinstance(out, tuple) else (out,)

    def write() -> None:
        for array in arrays:
            array.fill(1.0)

    theirs = subject.theirs(q)
    room = np.empty(BATCH * max(subject.robot.nv**2, 7 * subject.pinocchio.njoints, 6 * subject.robot.nv))
    runs: list[Callable[[], Any]] = [partial(compiled, *given, out=out), write]
    runs += [loop.run(what, theirs, v, a, room)] if loop else []
    ours, writing, *cpp = (seconds / BATCH * 1e9 for seconds in watch.together(*runs, seconds=0.8))
    call = peers.pinocchio_call(subject.pinocchio, what, theirs[0], v[0], a[0])
    python = watch.typical(call, seconds=0.1) * 1e9
    if loop and subject.kind == ARM:
        _same(compiled(*given), room, what)
    operations = sum(compiled.operations.values())
    row = partial(
        Row, f"{subject.name}, {what.replace('_', ' ')}, {operations:,} operations", f"{ours:.1f} ns a state"
    )
    beside = f"{python:,.0f} ns its call from Python; {writing:.1f} ns writing"
    if not cpp:
        return row(beside)
    asked = float(REQUIRED[what][subject.kind])
    if what in WRITTEN:
        asked = min(asked, cpp[0] / writing)
    ratio = cpp[0] / ours
    return row(f"{cpp[0]:,.0f} ns Pinocchio in C++; {beside}", ratio, f"ratio ≥ {asked:.3g}", ratio >= asked)


def _same(found: Any, room: Any, what: str) -> None:
    """Both did the same; poses are compared by their positions."""
    if what == "poses":
        count = found[0].shape[1]
        theirs, ours = room[: BATCH * count * 7].reshape(BATCH, count, 7)[..., :3], found[0]
    else:
        theirs, ours = room[: found.size].reshape(found.shape), found
        if what in ("coriolis_matrix", "jacobian"):  # matrices stand column by column there
            theirs = room[: found.size].reshape(BATCH, found.shape[2], found.shape[1]).swapaxes(1, 2)
        if what == "coriolis_matrix":  # there are many; C v is one, but that is tested elsewhere
            return
    if not np.allclose(ours, theirs, rtol=1e-8, atol=1e-8):
        raise AssertionError(f"Pinocchio finds another {what}")


def of_kind(kind: str) -> Callable[[Watch, Sequence[str]], Rows]:
    def figure(watch: Watch, names: Sequence[str]) -> Rows:
        return batches(watch, [name for name in names if FILES[name][0] == kind])

    figure.__name__ = f"{kind}s"
    return figure


# ---- other programs --------------------------------------------------------------------------------------------


def others(watch: Watch, names: Sequence[str]) -> Rows:
    """CasADi's generated C for seven joints, and MuJoCo's calls."""
    if "panda" in names:
        yield from _casadi(watch, Subject("panda"))
    for name in names:
        if FILES[name][0] != ARM or name == "panda":
            yield from _mujoco(watch, Subject(name))


def _casadi(watch: Watch, panda: Subject) -> Rows:
    joints = [f"panda_joint{k}" for k in range(1, 8)]
    try:
        over = peers.casadi_forward_dynamics(panda.file, joints)
    except peers.Missing as reason:
        print(reason)
        return
    import pinocchio

    fingers = [panda.pinocchio.getJointId(f"panda_finger_joint{k}") for k in (1, 2)]
    reduced = pinocchio.buildReducedModel(panda.pinocchio, fingers, pinocchio.neutral(panda.pinocchio))
    arm = qt.Robot(qt.interop.from_pinocchio(reduced))
    rng = np.random.default_rng(0)
    q, (v, tau) = arm.random_configuration(rng, BATCH), rng.normal(size=(2, BATCH, 7))
    compiled = kernel(arm, "forward_dynamics")
    out, room = compiled(q, v, tau), np.empty((BATCH, 7))
    run = over(q, v, tau, room)
    ours, theirs = (
        s / BATCH * 1e9 for s in watch.together(partial(compiled, q, v, tau, out=out), run, seconds=0.8)
    )
    if not np.allclose(out, room, rtol=1e-6, atol=1e-6):
        raise AssertionError("CasADi's C finds other accelerations")
    yield Row(
        "panda without fingers, forward dynamics",
        f"{ours:.1f} ns a state",
        f"{theirs:,.0f} ns, CasADi's generated C (adam-robotics)",
        theirs / ours,
    )


def _mujoco(watch: Watch, subject: Subject) -> Rows:
    try:
        calls = peers.mujoco_calls(subject.robot.model)
    except peers.Missing as reason:
        print(reason)
        return
    q, v, a = subject.states(BATCH)
    for what, call in calls(q[0], v[0], a[0]).items():
        compiled, given = kernel(subject.robot, what), arguments(what, q, v, a)
        out = compiled(*given)
        ours = watch.best(partial(compiled, *given, out=out), seconds=0.2) / BATCH * 1e9
        theirs = watch.typical(call, seconds=0.1) * 1e9
        yield Row(
            f"{subject.name}, {what.replace('_', ' ')}",
            f"{ours:.1f} ns a state",
            f"{theirs:,.0f} ns, MuJoCo's calls for it",
            theirs / ours,
        )


# ---- one state -------------------------------------------------------------------------------------------------


def one_state(watch: Watch, names: Sequence[str]) -> Rows:
    """A robot's method for one state, against Pinocchio's call from Python."""
    for name in names:
        if name not in ("panda", "talos"):
            continue
        subject = Subject(name)
        q, v, a = (array[0] for array in subject.states(1))
        for what in REQUIRED:
            ours = partial(method(subject.robot, what), *arguments(what, q, v, a))
            theirs = peers.pinocchio_call(subject.pinocchio, what, subject.theirs(q), v, a)
            ours()
            mine, its = watch.typical(ours, seconds=0.2), watch.typical(theirs, seconds=0.2)
            limit = its + MORE if what in LIGHT else its
            yield Row(
                f"{name}, {what.replace('_', ' ')}",
                f"{mine * 1e6:.2f} µs",
                f"{its * 1e6:.2f} µs, Pinocchio's call",
                mine / its,
                "≤ theirs + 3 µs" if what in LIGHT else "≤ theirs",
                mine <= limit,
            )
        yield from _where_time_goes(watch, subject, q, v, a)


def _where_time_goes(watch: Watch, subject: Subject, q: Any, v: Any, a: Any) -> Rows:
    robot = subject.robot
    compiled = robot.kernel(dynamics.forward_dynamics)
    whole = watch.typical(lambda: robot.forward_dynamics(q, v, a), seconds=0.2)
    called = watch.typical(lambda: compiled(q, v, a), seconds=0.2)
    address = compiled.native.call_short
    from quatrain.compiler.shortcuts import single_state

    bench = single_state(compiled).memory  # type: ignore[attr-defined]
    code = watch.typical(lambda: address(bench.frame.address), seconds=0.2)
    for what, seconds in (
        ("the method: checks of quaternions, the look for the kernel", whole - called),
        ("the kernel: checking and copying arguments and result", called - code),
        ("the machine code, called through ctypes", code),
    ):
        share = max(0.0, seconds / whole)
        yield Row(f"– forward dynamics: {what}", f"{max(0.0, seconds) * 1e6:.2f} µs", "of the whole", share)


# ---- compiling -------------------------------------------------------------------------------------------------


def compiling(watch: Watch, names: Sequence[str]) -> Rows:
    """Cold, and from the cache, each in a process of its own."""
    for name in names:
        if name not in ("panda", "talos"):
            continue
        first, again = cold.processes(name, tuple(REQUIRED))
        for what in REQUIRED:
            seconds, cached = first[what], again[what]
            limit = 1.0 if FILES[name][0] == ARM else 30.0 if what == "coriolis_matrix" else 5.0
            title = f"{name}, {what.replace('_', ' ')}"
            yield Row(f"{title}, cold", f"{seconds:.2f} s", required=f"< {limit:g} s", met=seconds < limit)
            yield Row(
                f"{title}, from the cache", f"{cached * 1e3:.1f} ms", required="< 50 ms", met=cached < 0.05
            )


# ----------------------------------------------------------------------------------------------------------------

FIGURES: dict[str, Callable[[Watch, Sequence[str]], Rows]] = {
    "Arms": of_kind(ARM),
    "Quadrupeds": of_kind(QUADRUPED),
    "Humanoids": of_kind(HUMANOID),
    "Other programs": others,
    "One state of a robot": one_state,
    **connection.FIGURES,
    "Serial chains": long_chains.serial_chains,
    "A thousand joints": long_chains.long_chains,
    "Compiling a robot's quantities": compiling,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, help="a document to put the tables into, between its markers")
    parser.add_argument(
        "--plot", type=Path, help="where to draw cost and compile time over the length of a chain"
    )
    parser.add_argument("--robots", nargs="+", choices=FILES, default=list(FILES))
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
    sections = {}
    for title, figure in FIGURES.items():
        if options.only and figure.__name__ not in options.only:
            continue
        rows = list(figure(watch, options.robots))
        if rows:
            sections[title] = rows
            print(f"\n{title}\n\n{table(HEADINGS, map(cells, rows))}", flush=True)
    if options.plot:
        long_chains.plot(watch, options.plot)
    every = [row for rows in sections.values() for row in rows]
    print(f"\n{sentence(every)} {time.perf_counter() - began:.0f} s.")
    if options.write:
        text = [f"Measured on {surroundings()}. {sentence(every)}"]
        text += [f"### {title}\n\n{table(HEADINGS, map(cells, rows))}" for title, rows in sections.items()]
        write_between(options.write, "dynamics", "\n\n".join(text))


if __name__ == "__main__":
    main()
