"""Commands about robots' files: what one holds, what is wrong with it, another format for it, another one beside it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from quatrain.cli.console import console
from quatrain.errors import ArgumentError, QuatrainError

Base = Annotated[str, typer.Option(help="auto (as the file says), fixed or floating.")]
Mimic = Annotated[str, typer.Option(help="Joints that follow others: exact or independent.")]
Inertia = Annotated[str, typer.Option(help="Impossible inertias: error, warn or repair.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
Roots = Annotated[
    list[Path] | None,
    typer.Option("--root", help="A further folder that the file may refer to; several times."),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="An argument of a .xacro; several times."),
]


def info(
    model: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    base: Base = "auto",
    mimic: Mimic = "exact",
    inertia: Inertia = "warn",
    root: Roots = None,
    arg: Arguments = None,
    as_json: AsJson = False,
) -> None:
    """Show what a robot's file holds, and what was assumed, merged, kept and not read."""
    from quatrain.loading import named_model, summary

    options = _options(base, mimic, root, arg)
    found, report = named_model(model, **options, inertia=inertia)
    if as_json:
        _print_json(summary(found, report))
        return
    typer.echo(found.describe())
    if report is not None:
        typer.echo()
        _print_lines(report.lines())


def check(
    file: Annotated[Path, typer.Argument(help="A robot's file.")],
    base: Base = "auto",
    mimic: Mimic = "exact",
    root: Roots = None,
    arg: Arguments = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    verify: Annotated[bool, typer.Option(help="Compare the robot's equations by several roads.")] = True,
    repair: Annotated[
        Path | None, typer.Option(help="Write a mended copy to this file, and say every change.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with a robot's file, with lines and remedies. Exit code 1 if there are errors."""
    from quatrain.checking import check as check_file
    from quatrain.checking import repair as repair_file

    options = _options(base, mimic, root, arg)
    report = check_file(file, **options, verify=verify)
    told = report.as_dict()
    if not as_json:
        _print_lines(report.lines())
    if repair is not None:
        changes, saved = repair_file(file, repair, **options)
        told["repaired"] = {"changes": [one.as_dict() for one in changes], "report": saved.as_dict()}
        if not as_json:
            typer.echo(
                f"\nwritten to {repair}, with {len(changes) or 'no'} change{'s' * (len(changes) != 1)}"
            )
            _print_lines(f"  {change.what}" for change in changes)
            _print_lines(f"  {finding.severity} [{finding.code}] {finding}" for finding in saved.findings)
    if as_json:
        _print_json(told)
    if not report.passed or (strict and report.load.warnings):
        raise typer.Exit(1)


def convert(
    source: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    target: Annotated[Path, typer.Argument(help="The new file: .json, .urdf, .xml (MJCF) or .sdf.")],
    to: Annotated[
        str | None, typer.Option(help="json, urdf, mjcf or sdf, if the name does not say it.")
    ] = None,
    base: Base = "auto",
    mimic: Mimic = "exact",
    inertia: Inertia = "warn",
    root: Roots = None,
    arg: Arguments = None,
    merge_fixed: Annotated[
        bool, typer.Option("--merge-fixed", help="Bodies on fixed joints become parts of their parents.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if anything would be lost.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a robot's file in another format, and name what that format cannot hold."""
    from quatrain.loading import named_model
    from quatrain.saving import save

    options = _options(base, mimic, root, arg)
    model, report = named_model(source, **options, inertia=inertia, merge_fixed=merge_fixed)
    saved = save(model, target, format=to, strict=strict)
    if as_json:
        _print_json({"read": None if report is None else report.as_dict(), "written": saved.as_dict()})
        return
    if report is not None:
        _print_lines(report.lines())
        typer.echo()
    _print_lines(saved.lines())


def diff(
    a: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    b: Annotated[str, typer.Argument(help="Another one.")],
    base: Base = "auto",
    mimic: Mimic = "exact",
    inertia: Inertia = "warn",
    root: Roots = None,
    arg: Arguments = None,
    merge_fixed: Annotated[
        bool, typer.Option(help="Compare bodies with all that is fixed to them, or every body for itself.")
    ] = True,
    tolerance: Annotated[
        float, typer.Option(help="What is not more than this is the same, relatively.")
    ] = 1e-9,
    states: Annotated[int, typer.Option(help="How many random states to move them through.")] = 8,
    as_json: AsJson = False,
) -> None:
    """Compare two robots: names, places, inertias, limits, motion. Exit code 0: the same; 1: different; 2: trouble."""
    from quatrain.differences import differences
    from quatrain.loading import named_model

    try:
        # A xacro beside what was made of it: they are the xacro's.
        takers = [name for name in (a, b) if name.lower().endswith(".xacro")] or [a, b]
        first, second = (
            named_model(
                name,
                **_options(base, mimic, root, arg if name in takers else None),
                inertia=inertia,
                merge_fixed=merge_fixed,
            )[0]
            for name in (a, b)
        )
        short = (Path(a).name, Path(b).name)
        names = short if short[0] != short[1] else (a, b)
        found = differences(first, second, tolerance=tolerance, states=states, names=names)
    except QuatrainError as error:
        console(to_error=True).print(f"quatrain: {error}", style="red")
        raise typer.Exit(2) from None
    if as_json:
        _print_json(found.as_dict())
    else:
        _print_lines(found.lines())
    raise typer.Exit(0 if found.same else 1)


def _options(base: str, mimic: str, root: list[Path] | None, arg: list[str] | None) -> dict[str, Any]:
    """Of every reader."""
    return {"base": base, "mimic": mimic, "roots": root or (), "arguments": _arguments(arg)}


def _arguments(given: list[str] | None) -> dict[str, str] | None:
    """Of NAME=VALUE, with any text as the value."""
    found: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not (equals and name.strip()):
            raise ArgumentError(f"--arg is {text!r}", do="write --arg NAME=VALUE")
        if name in found:
            raise ArgumentError(f"--arg gives {name!r} twice", do="give it once")
        found[name] = value
    return found or None


def _print_json(told: Any) -> None:
    typer.echo(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))


def _print_lines(lines: Iterable[str]) -> None:
    """Each of 80 columns at most, where its words allow it."""
    for line in lines:
        typer.echo(textwrap.fill(line, 80, subsequent_indent="      ", break_on_hyphens=False))
