"""What notebooks show of models and runs: tables, and pages within the page."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from quatrain.model import Model
    from quatrain.trajectory import Trajectory

_MOST = 60
"""Rows of a table."""


class Inline:
    """A page, as the output of a notebook's cell; `str(inline)` is its text."""

    def __init__(self, page: str, height: int = 480) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        text = html.escape(self.page, quote=True)
        style = f"width: 100%; height: {int(self.height)}px; border: 1px solid #ccc"
        return f'<iframe srcdoc="{text}" style="{style}"></iframe>'

    def __str__(self) -> str:
        return self.page

    def __repr__(self) -> str:
        return f"<page of {len(self.page):,} characters, shown in notebooks>"


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]], after: Sequence[str] = ()) -> str:
    """Everything is text, and taken as such; the branches of a tree keep their places."""
    cell = 'style="text-align: left; padding: 1px 10px; white-space: pre"'
    listed = list(rows)
    lines = [f"<p><strong>{html.escape(title)}</strong></p>", "<table><thead><tr>"]
    lines += [f"<th {cell}>{html.escape(name)}</th>" for name in head]
    lines.append("</tr></thead><tbody>")
    for row in listed[:_MOST]:
        lines.append("<tr>" + "".join(f"<td {cell}>{html.escape(entry)}</td>" for entry in row) + "</tr>")
    lines.append("</tbody></table>")
    if len(listed) > _MOST:
        lines.append(f"<p>… and {len(listed) - _MOST} more</p>")
    return "\n".join([*lines, *(f"<p>{html.escape(note)}</p>" for note in after)])


def of_model(model: Model) -> str:
    """The tree of bodies."""
    from quatrain.description import rows_of

    head, *rows = rows_of(model)
    gravity = ", ".join(f"{x:g}" for x in model.gravity)
    title = f"{model.name}: nb {model.nb}, nq {model.nq}, nv {model.nv}, mass {model.mass:.6g} kg"
    counts = ((len(model.frames), "frames"), (model.nu, "actuators"), (len(model.shapes), "shapes"))
    held = ", ".join(f"{count} {name}" for count, name in counts if count)
    return table(title, head, rows, [f"gravity ({gravity}) m/s²{'; ' if held else ''}{held}"])


def of_trajectory(run: Trajectory) -> str:
    """The columns of a run: what they are, and between what they lie."""
    span = f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "no time"
    batch = f", {' × '.join(map(str, run.batch))} motions" if run.batch else ""
    rows = []
    for name in run.columns:
        quantity, values = run.quantities[name], np.asarray(run[name])
        finite = values[np.isfinite(values)]
        between = f"{finite.min():.5g} … {finite.max():.5g}" if finite.size else "–"
        components = ", ".join(quantity.components[:7]) + (" …" if len(quantity.components) > 7 else "")
        rows.append((name, quantity.unit, quantity.frame, components, between))
    made = [f"{name} {run.facts[name]}" for name in ("method", "dt") if run.facts.get(name) is not None]
    title = f"{run.name}: {len(run.t):,} times, {span}{batch}"
    return table(
        title, ("", "unit", "frame", "components", "between"), rows, [", ".join(made)] if made else []
    )
