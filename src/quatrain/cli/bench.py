"""`quatrain bench`: how fast a robot is on this machine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from quatrain.cli.console import words
from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quatrain.speed import Speed


def bench(
    model: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    methods: Annotated[
        str | None, typer.Option(help="Such as rk4,dop853; if not said, the usual ones. 'none' for none.")
    ] = None,
    batch: Annotated[int, typer.Option(help="Of the largest batch.")] = 4096,
    threads: Annotated[int, typer.Option(help="Of the last figures; -1: all.")] = -1,
    base: Annotated[str, typer.Option(help="auto (as the file says), fixed or floating.")] = "auto",
) -> None:
    """Measure a robot on this machine: its quantities and its steps, beside MuJoCo and Pinocchio if installed."""
    from quatrain import speed
    from quatrain.loading import named_model
    from quatrain.robot import Robot

    if batch < 1:
        raise ArgumentError(f"--batch is {batch}", do="measure batches of 1 state or more")
    found, _ = named_model(model, **({"base": base} if base != "auto" else {}))
    robot = Robot(found)
    sizes = tuple(sorted({1, min(64, batch), batch}))
    typer.echo(f"{robot.name}: {robot.nb} bodies, nv {robot.nv}. The best of several calls, from Python.\n")
    typer.echo(_line("one state in batches of", [f"{size:,}" for size in sizes], speed.PEERS))
    _print(speed.quantities(robot, sizes), len(speed.PEERS))
    chosen = speed.METHODS if methods is None else () if methods == "none" else words(methods)
    if chosen:
        many = "all threads" if threads == -1 else f"{threads} threads"
        typer.echo(
            "\n" + _line("one step of a method", ["one motion", f"{batch:,} motions", many], ("MuJoCo",))
        )
        _print(speed.methods(robot, tuple(chosen), batch, threads), 1)


def _print(rows: Iterable[Speed], peers: int) -> None:
    for row in rows:
        times = [_time(figure) for figure in row.figures]
        typer.echo(_line(row.name.replace("_", " "), times[:-peers], times[-peers:]))


def _line(name: str, ours: Sequence[str], peers: Sequence[str]) -> str:
    """Of 79 characters, if there are three columns of ours."""
    width = (79 - 23 - 10 * len(peers)) // 3
    return (
        f"{name:<23}"
        + "".join(f"{text:>{width}}" for text in ours)
        + "".join(f"{text:>10}" for text in peers)
    )


def _time(nanoseconds: float) -> str:
    if math.isnan(nanoseconds):
        return "–"
    return f"{nanoseconds:.1f} ns" if nanoseconds < 1000 else f"{nanoseconds / 1000:.2f} µs"
