"""Figures of compiled code at work: arithmetic, a program of a robot's size, threads, one state, a time loop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import chains
import numpy as np
import programs
from machine_loops import MultiplyAdds, StepAlone, kernel_for, processors, targets
from measuring import CLOCKS, Row, Watch

from quatrain import scalar
from quatrain.compiler import interpret
from quatrain.compiler.kernel import Kernel, compile
from quatrain.compiler.llvm import machine
from quatrain.compiler.llvm.target import Target
from quatrain.compiler.rollout_kernel import RolloutKernel
from quatrain.compiler.shortcuts import single_state

BATCH = 4096
LARGE_BATCH = 1_000_000
ARM = 7  # joints

Rows = Iterator[Row]


# ---- arithmetic --------------------------------------------------------------------------------------


def polynomials(watch: Watch) -> Rows:
    """Eight series of degree 63 in Horner's form against a loop of FMAs that touches no memory."""
    program = programs.polynomials(8, 63)
    batch, rounds = 20_000, 20_000
    for name, target in targets().items():
        if not target.fma:
            continue
        kernel, peak = kernel_for(target, program), MultiplyAdds(target)
        x = np.asfortranarray(np.random.default_rng(0).uniform(-0.9, 0.9, (batch, 8)))
        out = np.empty((8, batch)).T
        ours, best = watch.together(partial(kernel, x, out=out), peak.runner(rounds))
        rate = sum(kernel.operations.values()) * batch / ours / 1e9
        limit = peak.flops(rounds) / best / 1e9
        yield Row.at_least(
            f"eight polynomials of degree 63, {name}",
            f"{rate:.1f} Gflop/s",
            f"{limit:.1f} Gflop/s, FMAs alone",
            rate / limit,
            0.6,
        )


def trigonometry(watch: Watch) -> Rows:
    """A million angles, into arrays that exist already."""
    size = 1_000_000
    x = np.random.default_rng(0).uniform(-100, 100, size)
    results = np.empty(size), np.empty(size)
    sin = compile(lambda x: scalar.sin(x), inputs={"x": float})
    cos = compile(lambda x: scalar.cos(x), inputs={"x": float})
    both = compile(lambda x: (scalar.sin(x), scalar.cos(x)), inputs={"x": float})

    def both_by_numpy() -> None:
        np.sin(x, out=results[0])
        np.cos(x, out=results[1])

    for name, ours, numpys in (
        ("sin", partial(sin, x, out=results[0]), partial(np.sin, x, out=results[1])),
        ("cos", partial(cos, x, out=results[0]), partial(np.cos, x, out=results[1])),
        ("sin and cos", partial(both, x, out=results), both_by_numpy),
    ):
        mine, theirs = (seconds / size * 1e9 for seconds in watch.together(ours, numpys))
        yield Row.at_least(
            f"{name} of a million numbers",
            f"{mine:.2f} ns each",
            f"{theirs:.2f} ns, NumPy",
            theirs / mine,
            4,
        )


# ---- a program of a robot's size ---------------------------------------------------------------------


def states(batch: int, joints: int = ARM) -> list[Any]:
    """Random q, v, a, row by row."""
    return list(np.random.default_rng(0).normal(size=(3, batch, joints)))


def inverse_dynamics(watch: Watch) -> Rows:
    """The program of an arm: on AVX2 and on the processor as it is, in columns and in rows."""
    program = programs.chain_program(ARM)
    rows = states(BATCH)
    columns = [np.asfortranarray(array) for array in rows]
    by_rows, by_columns = np.empty((BATCH, ARM)), np.empty((ARM, BATCH)).T
    interpreted = interpret.runner(program)
    given = dict(zip("qva", columns, strict=True))
    for name, target in targets().items():
        kernel = kernel_for(target, program)
        what = f"inverse dynamics, {sum(kernel.operations.values()):,} operations, {name}"
        seconds = watch.together(
            partial(kernel, *columns, out=by_columns), partial(kernel, *rows, out=by_rows), seconds=2
        )
        in_columns, in_rows = (s / BATCH * 1e9 for s in seconds)
        plain = watch.best(partial(interpreted, given), seconds=0.3) / BATCH * 1e9
        asked = {"required": "≤ 100 ns", "met": in_columns <= 100} if name == "AVX2" else {}
        yield Row(what, f"{in_columns:.1f} ns a state", f"{plain:.0f} ns, NumPy", plain / in_columns, **asked)
        yield Row.at_most(
            f"the same, row-major against columns, {name}",
            f"{in_rows:.1f} ns",
            f"{in_columns:.1f} ns, columns",
            in_rows / in_columns,
            1.25,
        )


def threads(watch: Watch) -> Rows:
    """One kernel on two threads and on one; and what the machine gives to two loops of FMAs at that time."""
    if processors() < 2:
        return
    watch = Watch(CLOCKS["wall"], watch.patience)
    program, rows = programs.chain_program(ARM), states(LARGE_BATCH)
    out = np.empty((LARGE_BATCH, ARM))
    one, two = (Kernel(program, threads=n) for n in (1, 2))
    peak = MultiplyAdds(Target.host())
    alone, beside = peak.runner(20_000_000), peak.runner(20_000_000)

    def two_loops() -> None:
        helper = threading.Thread(target=beside)
        helper.start()
        alone()
        helper.join()

    seconds = watch.together(
        partial(one, *rows, out=out), partial(two, *rows, out=out), alone, two_loops, seconds=4
    )
    single, double = (LARGE_BATCH / s * 1e-6 for s in seconds[:2])
    yield Row.at_least(
        f"two threads, {LARGE_BATCH:,} states",
        f"{double:.1f} million states/s",
        f"{single:.1f} million/s, one thread",
        double / single,
        1.8,
    )
    gain = 2 * seconds[2] / seconds[3]
    yield Row("the machine itself: FMAs alone on two threads", f"{gain:.2f} times one", ratio=gain)


# ---- one state ---------------------------------------------------------------------------------------


def single_call(watch: Watch) -> Rows:
    """One state from Python, arguments checked, and where the time goes."""
    kernel = Kernel(programs.chain_program(ARM))
    q, v, a = arguments = tuple(array[0] for array in states(1))
    single, native = single_state(kernel), kernel.native
    bench = single.memory  # type: ignore[attr-defined]
    empty = machine.Loaded(
        machine.object_code("define void @nothing(ptr %frame) {\n  ret void\n}\n", Target.host()), "nothing"
    )
    nothing = type(native.call_short)(empty.address)

    whole = watch.typical(lambda: kernel(q, v, a))
    inner = watch.typical(lambda: single(arguments))
    call = watch.typical(lambda: native.call_short(bench.frame.address))
    crossing = watch.typical(lambda: nothing(bench.frame.address))
    result = watch.typical(lambda: bench.result())
    library = pinocchio_call(watch)
    yield Row(
        "a call with one state, three arguments",
        f"{whole * 1e6:.2f} µs",
        *(("", None) if library is None else (f"{library * 1e6:.2f} µs, Pinocchio's", whole / library)),
        "≤ 4 µs",
        whole <= 4e-6,
    )
    for what, seconds in (
        ("the call of the object, binding", whole - inner),
        ("checking and copying the arguments", inner - call - result),
        ("into machine code and back (ctypes)", crossing),
        ("the machine code", call - crossing),
        ("the result, a new array", result),
    ):
        yield Row(f"– {what}", f"{max(0.0, seconds) * 1e6:.2f} µs", "of the whole", max(0.0, seconds / whole))
    several = states(8)
    batch = watch.typical(lambda: kernel(*several))
    yield Row(
        "a call with eight states", f"{batch * 1e6:.1f} µs", f"{whole * 1e6:.2f} µs, one", batch / whole
    )


def pinocchio_call(watch: Watch) -> float | None:
    """The same call of Pinocchio's, for the same chain; None where it is not installed."""
    try:
        import pinocchio
    except ImportError:
        return None
    model = chains.pinocchio_model(chains.random_chain(ARM))
    data = model.createData()
    q, v, a = (array[0] for array in states(1))
    ours = Kernel(programs.chain_program(ARM))(q, v, a)
    if not np.allclose(ours, pinocchio.rnea(model, data, q, v, a), rtol=1e-9, atol=1e-9):
        raise AssertionError("Pinocchio finds other torques for this chain")
    return watch.typical(lambda: pinocchio.rnea(model, data, q, v, a))


# ---- a time loop -------------------------------------------------------------------------------------


def time_loop(watch: Watch) -> Rows:
    """A thousand steps of a rigid body within one call, against its step called over and over."""
    steps, every, several = 1000, 100, 8
    program, loop = programs.step_program(), programs.step_rollout()
    bodies = programs.random_bodies(BATCH)
    given = programs.rollout_names(bodies)
    kernel, step = RolloutKernel(loop), StepAlone(program, Target.host())
    rolled = kernel(given, steps, every)
    rounds = BATCH // step.width * steps  # as many steps as in the loop, so that all take about as long
    seconds = watch.together(
        partial(kernel, given, steps, every, out=rolled),
        partial(kernel, given, steps, steps, out=kernel(given, steps, steps)),
        step.runner(bodies, 1, rounds),
        step.runner(bodies, several, rounds // several),
        seconds=6,
    )
    looped, unrecorded, chained, independent = (s / BATCH / steps * 1e9 for s in seconds)
    written = sum(a.nbytes for arrays in (rolled.records, rolled.final) for a in arrays.values())
    what = f"RK4 step, {sum(kernel.operations.values())} operations, in a loop of {steps:,}"
    measured, waiting = f"{looped:.2f} ns a state", f"{chained:.2f} ns, one block, step upon step"
    free = f"{independent:.2f} ns, {several} blocks in turn"
    yield Row.at_most(what, measured, waiting, looped / chained, 1.1)
    yield Row.at_most("the same", measured, free, looped / independent, 1.1)
    yield Row(
        "– with one record instead of ten", f"{unrecorded:.2f} ns a state", free, unrecorded / independent
    )
    every_state = 8 * 13 * BATCH * steps
    yield Row(
        "– written to memory, records and last states",
        f"{written / 1e6:.1f} MB",
        f"{every_state / 1e6:.0f} MB, every state",
        written / every_state,
    )
