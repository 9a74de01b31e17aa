"""`quatrain compare`: all forms of the equations of one body, side by side."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from quatrain.cli.console import console, numbers, words

if TYPE_CHECKING:
    from quatrain.compare.report import Table


def compare(
    inertia: Annotated[
        str, typer.Option(help="About the centre of mass: xx,yy,zz or xx,yy,zz,xy,xz,yz. [kg m²]")
    ] = "1,2,3",
    attitude: Annotated[
        str, typer.Option(help="Quaternion w,x,y,z at the start, of any length.")
    ] = "1,2,-1,3",
    rate: Annotated[
        str, typer.Option(help="Angular velocity in the body at the start. [rad/s]")
    ] = "1,1.2,0.8",
    time: Annotated[float, typer.Option(help="How long. [s]")] = 200.0,
    dt: Annotated[float, typer.Option(help="Step size. [s]")] = 0.05,
    forms: Annotated[
        str | None,
        typer.Option(help="Such as newton_euler,s34,s39,ZYX; an unknown name is answered with the list."),
    ] = None,
    renormalise: Annotated[str, typer.Option(help="Of none, q, both, projected, baumgarte.")] = "none,q,both",
    method: Annotated[str, typer.Option(help="One stepper, or several.")] = "rk4",
    step_sizes: Annotated[
        str | None, typer.Option(help="For the orders; 2 dt, dt and dt/2 if not said; 'none' for none. [s]")
    ] = None,
    cost: Annotated[bool, typer.Option("--cost", help="Measure the time of a step as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Write a picture of drift against time to this file.")
    ] = None,
) -> None:
    """Compare all forms of the equations of one torque-free body: drift, order, cost."""
    from quatrain.body import RigidBody
    from quatrain.compare import compare as compare_forms
    from quatrain.compare import report
    from quatrain.geometry import Quaternion, SymMat3, Vec3

    moments = numbers(inertia, "--inertia", (3, 6))
    body = RigidBody(1.0, SymMat3(*moments, *([0.0] * (6 - len(moments)))))
    q0 = Quaternion(*numbers(attitude, "--attitude", (4,))).normalised(name="--attitude")
    sizes = None if step_sizes == "none" else numbers(step_sizes, "--step-sizes", None) if step_sizes else ()
    found = compare_forms(
        body,
        q0,
        Vec3(*numbers(rate, "--rate", (3,))),
        duration=time,
        dt=dt,
        forms=None if forms is None else words(forms),
        renormalisation=words(renormalise),
        steppers=words(method),
        step_sizes=sizes,
        cost=cost,
    )
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False))
    elif sys.stdout.isatty():
        _print_tables(report.heading(found.motion, found.rows[0]), report.tables(found))
    else:
        typer.echo(found.table())
    if plot is not None:  # last, so that what keeps the picture from being written takes no figures along
        found.plot(plot)


def _print_tables(heading: str, tables: Iterable[Table]) -> None:
    from rich import box
    from rich.table import Table as Shown

    terminal = console()
    terminal.print(heading, highlight=False)
    for table in tables:
        shown = Shown(title=table.title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for k, name in enumerate(table.header):
            side: Literal["left", "right"] = "left" if k < table.words else "right"
            shown.add_column(name, justify=side, overflow="fold")
        for row in table.rows:
            shown.add_row(*row)
        terminal.print()
        # A table must know the width that is there; a line of text must not be broken.
        terminal.print(shown, soft_wrap=False)
        if table.note:
            terminal.print(table.note, style="dim", highlight=False, soft_wrap=False)
