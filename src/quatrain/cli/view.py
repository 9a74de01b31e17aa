"""`quatrain view`: a robot in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def view(
    model: Annotated[str, typer.Argument(help="A robot's file, or the name of an embedded example.")],
    state: Annotated[str | None, typer.Option(help="A keyframe of the model to begin with.")] = None,
    base: Annotated[str, typer.Option(help="auto (as the file says), fixed or floating.")] = "auto",
    html: Annotated[Path | None, typer.Option(help="Write a page of its own there, and end.")] = None,
    host: Annotated[str, typer.Option(help="Who may look: this machine, or 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Or the next that is free.")] = 8080,
) -> None:
    """Show a robot in the browser, with sliders for its joints; Ctrl-C ends it."""
    from quatrain.loading import named_model

    found, _ = named_model(model, base=base, inertia="warn")
    q = found.keyframe(state).q if state is not None else None
    if html is not None:
        from quatrain.viewer.page import still_page, written

        typer.echo(written(still_page(found, q), html))
        return
    from quatrain.viewer.live_panels import view_robot

    view_robot(found, q, host=host, port=port, wait=True)
