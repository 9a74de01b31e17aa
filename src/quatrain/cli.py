"""The command `quatrain`: each of its commands is one function here.

What a command needs is imported inside it, so that the others start quickly. Answers go to standard
output, everything else to standard error. Exit codes: 0, it is done; 1, it could not be done and the
message says why; 2, the command was not written as its help says.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from quatrain.errors import ArgumentError, QuatrainError

if TYPE_CHECKING:
    from quatrain.compare.report import Table
    from quatrain.compiler.cache import Cache

app = typer.Typer(
    name="quatrain",
    help="Rigid-body and multibody dynamics in quaternions.",
    no_args_is_help=True,
    # Frames and colours are for a reader, not for a pipe.
    rich_markup_mode="rich" if sys.stdout.isatty() else None,
    # A fault of ours is shown as Python shows it; an error of the library is caught in `main`.
    pretty_exceptions_enable=False,
)
cache = typer.Typer(no_args_is_help=True, help="The compiled code that is kept on disk.")
app.add_typer(cache, name="cache")


def main() -> None:
    """Run the command; an error that the library raises on purpose is shown as its text."""
    try:
        app(prog_name="quatrain")  # under `python -m` too
    except QuatrainError as error:
        _console(to_error=True).print(f"quatrain: {error}", style="red")
        raise SystemExit(1) from None


@cache.command("path")
def cache_path() -> None:
    """Print the directory of the cache, which may not exist yet."""
    from quatrain.compiler.cache import Cache

    opened = Cache.open()
    problem = opened.problem()
    if opened.path is None and problem is not None:
        raise problem
    typer.echo(opened.path)  # as it is: neither wrapped nor coloured
    if problem is not None:
        _console(to_error=True).print(f"quatrain: {problem}", style="yellow")


@cache.command("size")
def cache_size(
    in_bytes: Annotated[bool, typer.Option("--bytes", help="Only the number of bytes.")] = False,
) -> None:
    """Print how much is in the cache, and how much may be."""
    opened = _usable_cache()
    count, size = opened.contents()
    if in_bytes:
        typer.echo(size)
    else:
        _console().print(f"{_objects(count)}, {_size(size)} of at most {_size(opened.limit)}")


@cache.command("clear")
def cache_clear() -> None:
    """Remove everything from the cache; it is compiled again when it is needed."""
    opened = _usable_cache()
    count, size = opened.clear()
    _console().print(f"removed {_objects(count)}, {_size(size)}")


@app.command("info")
def info(
    model: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    base: Annotated[str, typer.Option(help="auto (as the file says), fixed or floating.")] = "auto",
    mimic: Annotated[str, typer.Option(help="Joints that follow others: exact or independent.")] = "exact",
    inertia: Annotated[str, typer.Option(help="Impossible inertias: error, warn or repair.")] = "warn",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what a robot's file holds, and what was assumed, merged, kept and not read."""
    from quatrain.loading import named_model, summary

    found, report = named_model(model, base=base, mimic=mimic, inertia=inertia)
    if as_json:
        typer.echo(json.dumps(summary(found, report), indent=1, ensure_ascii=False, allow_nan=False))
        return
    typer.echo(found.describe())
    if report is not None:
        typer.echo()
        for line in report.lines():
            typer.echo(textwrap.fill(line, 80, subsequent_indent="      ", break_on_hyphens=False))


@app.command("compare")
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

    moments = _numbers(inertia, "--inertia", (3, 6))
    body = RigidBody(1.0, SymMat3(*moments, *([0.0] * (6 - len(moments)))))
    q0 = Quaternion(*_numbers(attitude, "--attitude", (4,))).normalised(name="--attitude")
    sizes = None if step_sizes == "none" else _numbers(step_sizes, "--step-sizes", None) if step_sizes else ()
    found = compare_forms(
        body,
        q0,
        Vec3(*_numbers(rate, "--rate", (3,))),
        duration=time,
        dt=dt,
        forms=None if forms is None else _words(forms),
        renormalisation=_words(renormalise),
        steppers=_words(method),
        step_sizes=sizes,
        cost=cost,
    )
    if plot is not None:
        found.plot(plot)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False))
    elif sys.stdout.isatty():
        _print_tables(report.heading(found.motion, found.rows[0]), report.tables(found))
    else:
        typer.echo(found.table())


def _print_tables(heading: str, tables: Iterable[Table]) -> None:
    from rich import box
    from rich.table import Table as Shown

    console = _console()
    console.print(heading, highlight=False)
    for table in tables:
        shown = Shown(title=table.title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for k, name in enumerate(table.header):
            side: Literal["left", "right"] = "left" if k < table.words else "right"
            shown.add_column(name, justify=side, overflow="fold")
        for row in table.rows:
            shown.add_row(*row)
        console.print()
        # A table must know the width that is there; a line of text must not be broken.
        console.print(shown, soft_wrap=False)
        if table.note:
            console.print(table.note, style="dim", highlight=False, soft_wrap=False)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(text: str, option: str, counts: Sequence[int] | None) -> list[float]:
    """Numbers with commas between them, as many as one of the counts."""
    try:
        found = [float(word) for word in _words(text)]
    except ValueError:
        raise ArgumentError(
            f"{option} is {text!r}, which is not a list of numbers", do=f"write it like {option} 1,2,3"
        ) from None
    if counts is not None and len(found) not in counts:
        wanted = " or ".join(map(str, counts))
        raise ArgumentError(
            f"{option} is {text!r}, {len(found)} numbers; this needs {wanted}",
            do="separate them by commas, without spaces",
        )
    return found


def _usable_cache() -> Cache:
    from quatrain.compiler.cache import Cache

    opened = Cache.open()
    problem = opened.problem()
    if problem is not None:
        raise problem
    return opened


def _objects(count: int) -> str:
    return f"{count} compiled {'object' if count == 1 else 'objects'}"


def _size(count: int) -> str:
    from rich.filesize import decimal

    return decimal(count)


def _console(*, to_error: bool = False) -> Console:
    """Numbers in colour on a terminal, plain text in a pipe; a path is printed as it is, brackets and all."""
    return Console(stderr=to_error, markup=False, emoji=False, soft_wrap=True)
