"""`quatrain info`: what a robot's file holds."""

from __future__ import annotations

import json
import textwrap
from typing import Annotated

import typer


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
