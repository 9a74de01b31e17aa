"""Christoffel symbols and regressors: figures of the benchmark of dynamics.

Beside each figure stands the time that writing the result takes in the same run, and Pinocchio's: of Christoffel
symbols it has central differences of its mass matrix, of regressors an algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import peers
from measuring import Row, Watch
from robots import Subject

import quatrain as qt
from quatrain.equations.connection import christoffel
from quatrain.equations.regressor import regressor
from quatrain.kernel import compile

LARGEST = 256e6
"""A batch's result stays under this [bytes]."""
WRITING = 1.2
"""More than this times the writing is not asked."""
LIMITS = {"arm7": 0.5e-6, "snake(20)": 15e-6}
"""Christoffel symbols of chains, a state [s]."""
COMPILED = 20.0
"""The longer of the two is compiled in under so many seconds."""
TIMES = {"christoffel": 20.0, "regressor": 8.0}
"""Pinocchio's rate is asked for so many times."""


def christoffel_symbols(watch: Watch, names: Sequence[str]) -> Iterator[Row]:
    """Christoffel symbols of embedded chains, then of robots beside Pinocchio's differences."""
    for name, limit in LIMITS.items():
        yield from _of_chain(watch, name, limit)
    for name in names:
        yield _beside_pinocchio(watch, Subject(name), "christoffel")


def regressors(watch: Watch, names: Sequence[str]) -> Iterator[Row]:
    """Regressors of joint forces beside Pinocchio's."""
    for name in names:
        yield _beside_pinocchio(watch, Subject(name), "regressor")


def _of_chain(watch: Watch, name: str, limit: float) -> Iterator[Row]:
    robot = qt.examples.load(name)
    began = watch.clock()
    compiled = compile(christoffel, robot)
    batch = _batch(8 * robot.nv**3)
    given = (robot.random_configuration(np.random.default_rng(0), batch),)
    run, write = _runs(compiled, given)
    seconds = watch.clock() - began
    ours, writing = (s / batch for s in watch.together(run, write, seconds=0.8))
    allowed = max(limit, WRITING * writing)
    title = f"{robot.nv} joints, Christoffel symbols, {sum(compiled.operations.values()):,} operations"
    yield Row(
        title,
        f"{ours * 1e6:.2f} µs a state",
        f"{writing * 1e6:.2f} µs writing",
        ours / writing,
        f"≤ {allowed * 1e6:.3g} µs",
        ours <= allowed,
    )
    if robot.nv == 20:
        yield Row("– to compile", f"{seconds:.1f} s", required=f"< {COMPILED:g} s", met=seconds < COMPILED)


def _beside_pinocchio(watch: Watch, subject: Subject, what: str) -> Row:
    robot = subject.robot
    function = {"christoffel": christoffel, "regressor": regressor}[what]
    entries = robot.nv**3 if what == "christoffel" else 10 * robot.nv * robot.nb
    batch = _batch(8 * entries)
    q, v, a = subject.states(batch)
    compiled = compile(function, robot)
    run, write = _runs(compiled, (q,) if what == "christoffel" else (q, v, a))
    title = f"{subject.name}, {what.replace('christoffel', 'Christoffel symbols')}"
    few = min(batch, 64)
    try:
        loop = peers.PinocchioLoop(subject.pinocchio)
    except peers.Missing as reason:
        print(reason)
        ours, writing = (s / batch for s in watch.together(run, write, seconds=0.8))
        return Row(title, f"{ours * 1e6:.2f} µs a state", f"{writing * 1e6:.2f} µs writing")
    room = np.empty((few, entries))
    theirs = loop.run(what, subject.theirs(q[:few]), v[:few], a[:few], room)
    ours, writing, its = watch.together(run, write, theirs, seconds=1.0)
    ours, writing, its = ours / batch, writing / batch, its / few
    _same(subject, compiled, (q, v, a), room, what)
    allowed = max(its / TIMES[what], WRITING * writing)
    return Row(
        f"{title}, {sum(compiled.operations.values()):,} operations",
        f"{ours * 1e6:.2f} µs a state",
        f"{its * 1e6:.2f} µs Pinocchio in C++; {writing * 1e6:.2f} µs writing",
        its / ours,
        f"≤ {allowed * 1e6:.3g} µs",
        ours <= allowed,
    )


def _batch(bytes_a_state: int) -> int:
    """4,096 states, or as many as stay under the limit; whole blocks of lanes."""
    return int(min(4096, LARGEST // bytes_a_state) // 16 * 16)


def _runs(compiled: Any, given: tuple[Any, ...]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Into the same array again and again, and what writing it takes."""
    out = compiled(*given)
    return partial(compiled, *given, out=out), partial(out.fill, 1.0)


def _same(subject: Subject, compiled: Any, state: Any, room: Any, what: str) -> None:
    """Both did the same, where both know the same velocities: joints that turn or slide."""
    robot, few = subject.robot, len(room)
    if robot.model.bodies[0].joint.kind == "free":
        return
    if what == "christoffel":
        close = np.allclose(compiled(state[0][:few]).reshape(few, -1), room, rtol=0, atol=1e-6)
    else:
        found = compiled(*(x[:few] for x in state)).reshape(few, robot.nv, robot.nb, 10)
        theirs = room.reshape(few, robot.nb, 10, robot.nv).transpose(0, 3, 1, 2)
        close = np.allclose(found, theirs[..., [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]], rtol=1e-9, atol=1e-9)
    if not close:
        raise AssertionError(f"Pinocchio finds another {what}")


FIGURES: dict[str, Callable[[Watch, Sequence[str]], Iterator[Row]]] = {
    "Christoffel symbols": christoffel_symbols,
    "Regressors": regressors,
}
