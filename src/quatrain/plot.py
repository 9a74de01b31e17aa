"""Pictures of trajectories, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError, QuatrainError

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory

# Okabe and Ito's colours, told apart by everyone; in the order of x, y, z, and w last.
COLOURS = {"x": "#D55E00", "y": "#009E73", "z": "#0072B2", "w": "#444444"}
_OTHERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MOST_MOTIONS = 12


def figure_module() -> Any:
    """matplotlib.figure; an error that names what to install where it is missing. No window is opened by it."""
    try:
        from matplotlib import figure
    except ImportError:
        raise QuatrainError(
            "plots need matplotlib, which is not installed", do='python -m pip install "quatrain[plot]"'
        ) from None
    return figure


def plot_trajectory(run: Trajectory, *names: str, motion: tuple[int, ...] | int | None = None) -> Any:
    """A matplotlib figure with a panel for each column named, by default all; `figure.savefig(path)` writes it.

    Of a batch the first dozen motions are drawn, faint behind the first, or the one named by `motion`.
    """
    figures = figure_module()
    if motion is not None:
        run = run.motion(*(motion if isinstance(motion, tuple) else (motion,)))
    chosen = names or tuple(run.columns)
    if not chosen:
        raise ArgumentError("there is nothing to plot", do="record some quantities, or name those to plot")
    arrays = {name: _motions(run, name) for name in chosen}
    figure = figures.Figure(figsize=(8, 0.6 + 1.7 * len(chosen)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(len(chosen), 1, sharex=True))
    for panel, (name, values) in zip(panels, arrays.items(), strict=True):
        _panel(panel, run, name, values)
    panels[-1].set_xlabel("t [s]")
    panels[0].set_title(run.name, loc="left")
    return figure


def _motions(run: Trajectory, name: str) -> Any:
    """(motions, R, components), at most a dozen motions."""
    values = np.asarray(run[name])
    components = run.quantities[name].components
    shape = (-1, len(run.t), len(components) or 1)
    return values.reshape(shape)[:_MOST_MOTIONS]


def _panel(panel: Any, run: Trajectory, name: str, values: Any) -> None:
    quantity = run.quantities[name]
    components = quantity.components or ("",)
    for k, component in enumerate(components):
        colour = COLOURS.get(component, _OTHERS[k % len(_OTHERS)]) if component else _OTHERS[0]
        for i, motion in reversed(list(enumerate(values))):
            panel.plot(
                run.t,
                motion[:, k],
                color=colour,
                linewidth=1.4 if i == 0 else 0.7,
                alpha=1.0 if i == 0 else 0.3,
                label=component if i == 0 and component else None,
            )
    unit = f" [{quantity.unit}]" if quantity.unit else ""
    panel.set_ylabel(f"{name.replace('_', ' ')}{unit}")
    panel.grid(color="#dddddd", linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)
    if quantity.components:
        panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
