"""The command `quatrain`: each of its commands is one function here.

What a command needs is imported inside it, so that the others start quickly. Answers go to standard
output, everything else to standard error. Exit codes: 0, it is done; 1, it could not be done and the
message says why; 2, the command was not written as its help says.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from quatrain.errors import QuatrainError

if TYPE_CHECKING:
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
