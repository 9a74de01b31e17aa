"""`quatrain cache …`: the compiled code that is kept on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quatrain.cli.console import console

if TYPE_CHECKING:
    from quatrain.compiler.cache import Cache


def path() -> None:
    """Print the directory of the cache, which may not exist yet."""
    from quatrain.compiler.cache import Cache

    opened = Cache.open()
    problem = opened.problem()
    if opened.path is None and problem is not None:
        raise problem
    typer.echo(opened.path)  # as it is: neither wrapped nor coloured
    if problem is not None:
        console(to_error=True).print(f"quatrain: {problem}", style="yellow")


def size(
    in_bytes: Annotated[bool, typer.Option("--bytes", help="Only the number of bytes.")] = False,
) -> None:
    """Print how much is in the cache, and how much may be."""
    opened = _usable_cache()
    count, total = opened.contents()
    if in_bytes:
        typer.echo(total)
    else:
        console().print(f"{_objects(count)}, {_size(total)} of at most {_size(opened.limit)}")


def clear() -> None:
    """Remove everything from the cache; it is compiled again when it is needed."""
    opened = _usable_cache()
    count, total = opened.clear()
    console().print(f"removed {_objects(count)}, {_size(total)}")


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
