"""A comparison as a picture: drift against time, on double logarithmic scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from quatrain.compare.report import grouped
from quatrain.compare.results import Comparison
from quatrain.errors import ArgumentError, QuatrainError

STYLES: dict[str, Any] = {
    "none": "-",
    "q": "--",
    "both": ":",
    "projected": "-.",
    "baumgarte": (0, (5, 1, 1, 1, 1, 1)),
}
PANELS = {
    "norm": "| |q| − 1 |",
    "energy": "relative energy error",
    "attitude": "attitude error [rad]",
}
LEAST = 2e-15
"""What stays below is rounding, and not drawn."""


def draw(comparison: Comparison, path: Any = None) -> Any:
    """A colour for each form, a kind of line for each renormalisation."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
    except ImportError as error:
        raise QuatrainError(
            "the picture needs matplotlib, which is not installed", do='pip install "quatrain[plot]"'
        ) from error

    rows = grouped(comparison.rows)
    names = list(dict.fromkeys(name for name, _ in rows))
    panels = [name for name in PANELS if any(getattr(row.curves, name) is not None for _, row in rows)]
    figure = Figure(figsize=(4.2 * len(panels), 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = np.atleast_1d(figure.subplots(1, len(panels)))
    for panel, at in zip(panels, axes, strict=True):
        for name, row in rows:
            curve = getattr(row.curves, panel)
            if curve is not None and np.nanmax(curve) > LEAST:
                largest = np.maximum.accumulate(curve)  # NaN from where the run diverged
                style = STYLES[row.renormalisation]
                at.plot(
                    row.curves.t, largest, linestyle=style, color=f"C{names.index(name) % 10}", linewidth=1.3
                )
        at.set(xscale="log", yscale="log", xlabel="time [s]", title=f"{PANELS[panel]}, largest so far")
        at.title.set_size("medium")
        low, high = at.get_ylim()
        at.set_ylim(max(low, LEAST), min(high, 10.0))
        at.grid(alpha=0.3)
    used = dict.fromkeys(row.renormalisation for _, row in rows)
    handles = [Line2D([], [], color=f"C{k % 10}", label=name) for k, name in enumerate(names)]
    handles += [
        Line2D([], [], color="grey", linestyle=STYLES[name], label=f"renormalised: {name}") for name in used
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize="small")
    if path is not None:
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:  # no such folder, or no such kind of picture
            raise ArgumentError(
                f"the picture cannot be written to {str(path)!r}: {error}",
                do="name a file in a folder that is there, ending in .png, .svg or .pdf",
            ) from error
    return figure
