"""`quatrain simulate`: a motion of a robot, in the terminal and in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from quatrain.control import Control
    from quatrain.robot import Robot
    from quatrain.trajectory import Trajectory

CURVES = 12
"""As many coordinates are drawn."""


def simulate(
    model: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    time: Annotated[float, typer.Option(help="How long. [s]")] = 5.0,
    dt: Annotated[float, typer.Option(help="Step size. [s]")] = 1e-3,
    method: Annotated[str, typer.Option(help="Such as rk4, semi_implicit_euler, dop853.")] = "rk4",
    control: Annotated[
        str, typer.Option(help="none, gravity (floats), hold (stays where it is), or file.py:law.")
    ] = "none",
    assign: Annotated[
        list[str] | None,
        typer.Option("--set", help="joint=0.3, v.joint=2 (several numbers: joint=0,0,1) or link3.mass=2."),
    ] = None,
    batch: Annotated[int | None, typer.Option(help="So many motions from random starts.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the random start or starts.")] = None,
    record_every: Annotated[
        int | None, typer.Option(help="Steps between records; if not said, about 500 records.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="One if not said; -1: all.")] = None,
    base: Annotated[str, typer.Option(help="auto (as the file says), fixed or floating.")] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Write the run: .zarr (as it goes), .nc, .parquet or .csv.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of it.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page in which it plays.")] = None,
) -> None:
    """Let a robot move, show it, and keep it."""
    from quatrain.loading import named_model
    from quatrain.robot import Robot
    from quatrain.starts import starts
    from quatrain.tree_simulation import simulate as run_of

    found, _ = named_model(model, **({"base": base} if base != "auto" else {}))
    robot = Robot(found)
    q0, v0 = starts(robot, batch=batch, seed=seed)
    parameters = _assigned(robot, assign or [], q0, v0)
    stored = out is not None and out.suffix == ".zarr"
    run = run_of(
        robot,
        q0,
        v0,
        duration=time,
        dt=dt,
        method=method,
        control=_law(control, robot, q0),
        parameters=parameters,
        record_every=record_every or _every(time, dt),
        progress=sys.stderr.isatty(),
        out=out if stored else None,
        resume=resume,
        threads=threads,
        normalize="project",
    )
    _show(run)
    written = []
    if out is not None:
        if not stored:
            run.save(out)
        written.append(out)
    if plot is not None:
        run.plot().savefig(plot)
        written.append(plot)
    if html is not None:
        run.to_html(html)
        written.append(html)
    for path in written:
        typer.echo(f"written: {path}")


def _every(time: float, dt: float) -> int:
    """Steps between records: the divisor of their number that leaves nearest to 500 of them."""
    steps = round(time / dt) if dt > 0 else 0
    wanted = max(1, steps // 500)
    return next((k for k in range(wanted, 0, -1) if steps % k == 0), 1)


def _assigned(robot: Robot, assigned: list[str], q0: Any, v0: Any) -> dict[str, Any]:
    """Writes into q0 and v0; gives the parts of the model that are to be others."""
    from quatrain.equations.tree_motion import places_of
    from quatrain.varying import Part

    at_q, at_v = places_of(robot.model)
    parameters: dict[str, Any] = {}
    for text in assigned:
        name, equals, given = text.partition("=")
        try:
            values = [float(word) for word in given.split(",")]
        except ValueError:
            values = []
        if not equals or not values:
            raise ArgumentError(
                f"--set {text!r} is not a name and numbers", do="write it like --set elbow=0.3"
            )
        of_v = name.removeprefix("v.")
        if name in at_q:
            _put(q0, at_q[name], values, text)
        elif name.startswith("v.") and of_v in at_v:
            _put(v0, at_v[of_v], values, text)
        elif Part.is_named(robot.model, name):
            parameters[name] = (
                values[0] if len(values) == 1 and Part.named(robot.model, name).shape is float else values
            )
        else:
            raise ArgumentError(
                f"--set names {name!r}, which is nothing of {robot.name}",
                do=f"name a coordinate ({', '.join(robot.q_names[:6])} …), v. and a velocity, or a part like link.mass",
            )
    return parameters


def _put(array: Any, place: int | slice, values: list[float], text: str) -> None:
    count = 1 if isinstance(place, int) else place.stop - place.start
    if len(values) != count:
        raise ArgumentError(
            f"--set {text!r} gives {len(values)} numbers for {count}", do="separate them by commas"
        )
    array[..., place] = values[0] if isinstance(place, int) else values


def _law(control: str, robot: Robot, q0: Any) -> Control | Any:
    from quatrain import laws

    if control == "none":
        return None
    if control == "gravity":
        return laws.gravity_compensation(robot, damping=0.1)
    if control == "hold":
        target = q0 if q0.ndim == 1 else q0[0]
        return laws.pd(robot, 100.0, 10.0, target, gravity=True)
    file, colon, name = control.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise ArgumentError(
            f"--control is {control!r}", do="write none, gravity, hold, or a function in a file: file.py:law"
        )
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"{file} cannot be read: {error.strerror}", do="give the path of a file of Python"
        ) from None
    inside: dict[str, Any] = {"__name__": "law", "__file__": file}
    exec(compile(text, file, "exec"), inside)
    if name not in inside:
        raise ArgumentError(
            f"{file} has no {name!r}", do="name a function (t, q, v, x, p) of it, or a Control"
        )
    return inside[name]


def _show(run: Trajectory) -> None:
    from quatrain.curves import chart

    first = run.motion(*(0,) * len(run.batch)) if run.batch else run
    names = first.quantities["q"].components
    named = [(name, "", first.q[:, k]) for k, name in enumerate(names[:CURVES])]
    title = "" if not run.batch else f"The first of {run.batch[0]:,} motions:"
    for line in [*([title] if title else []), *chart(first.t, named)]:
        typer.echo(line)
    if len(names) > CURVES:
        typer.echo(f"… and {len(names) - CURVES} coordinates more")
    typer.echo()
    typer.echo(run.report())
