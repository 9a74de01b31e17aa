"""The command `quatrain`: a file for each group of its commands, where each command is one function.

What a command needs is imported inside it, so that the others start quickly. Answers go to standard
output, everything else to standard error. Exit codes: 0, it is done; 1, it could not be done and the
message says why; 2, the command was not written as its help says. `check` answers 1 if it finds errors;
`diff` answers as diff does: 0, the same; 1, different; 2, it could not be done.

console.py   what commands share     bench.py, cache.py, compare.py, models.py, simulate.py, view.py   the commands
"""

from __future__ import annotations

import sys

import typer

from quatrain.cli import bench, cache, compare, models, simulate, view
from quatrain.cli.console import console, speak_unicode
from quatrain.errors import QuatrainError

app = typer.Typer(
    name="quatrain",
    help="Rigid-body and multibody dynamics in quaternions.",
    no_args_is_help=True,
    # Frames and colours are for a reader, not for a pipe.
    rich_markup_mode="rich" if sys.stdout.isatty() else None,
    # A fault of ours is shown as Python shows it; an error of the library is caught in `main`.
    pretty_exceptions_enable=False,
)
app.command()(simulate.simulate)
app.command()(bench.bench)
app.command()(models.info)
app.command()(models.check)
app.command()(models.convert)
app.command()(models.diff)
app.command()(view.view)
app.command()(compare.compare)

_cache = typer.Typer(no_args_is_help=True, help="The compiled code that is kept on disk.")
_cache.command()(cache.path)
_cache.command()(cache.size)
_cache.command()(cache.clear)
app.add_typer(_cache, name="cache")


def main() -> None:
    """Run the command; an error that the library raises on purpose is shown as its text."""
    speak_unicode()
    try:
        app(prog_name="quatrain")  # under `python -m` too
    except QuatrainError as error:
        console(to_error=True).print(f"quatrain: {error}", style="red")
        raise SystemExit(1) from None
