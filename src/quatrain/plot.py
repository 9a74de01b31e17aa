"""Pictures of trajectories, with matplotlib."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.errors import ArgumentError, QuatrainError

if TYPE_CHECKING:
    from quatrain.trajectory import Quantity, Trajectory

# Okabe and Ito's colours, told apart by everyone; in the order of x, y, z, and w last.
COLOURS = {"x": "#D55E00", "y": "#009E73", "z": "#0072B2", "w": "#444444"}
OTHERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A6D3B", "#444444")
_MOST_MOTIONS = 12
_MOST_CURVES = 8
"""In a panel of a machine's coordinates."""


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

    Coordinates, velocities and forces of a machine have a panel for each attitude and each unit, of eight at most.

    Of a batch the first dozen motions are drawn, faint behind the first, or the one named by `motion`.
    """
    figures = figure_module()
    if motion is not None:
        run = run.motion(*(motion if isinstance(motion, tuple) else (motion,)))
    chosen = names or tuple(run.columns)
    if not chosen:
        raise ArgumentError("there is nothing to plot", do="record some quantities, or name those to plot")
    panels = [panel for name in chosen for panel in _panels(run, name)]
    figure = figures.Figure(figsize=(8, 0.6 + 1.7 * len(panels)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
    for one, panel in zip(axes, panels, strict=True):
        _drawn(one, run, panel)
    axes[-1].set_xlabel("t [s]")
    axes[0].set_title(run.name, loc="left")
    tidy(*axes)
    return figure


@dataclass(frozen=True)
class _Panel:
    """Some components of a column."""

    label: str
    components: tuple[str, ...]
    values: Any
    """(motions, R, components)"""


def _panels(run: Trajectory, name: str) -> list[_Panel]:
    """One for a column; for coordinates and the like of a machine one for each attitude and each unit."""
    values = _motions(run, name)
    quantity = run.quantities[name]
    title = name.replace("_", " ")
    groups = _groups(run, quantity)
    if groups is None:
        unit = f" [{quantity.unit}]" if quantity.unit else ""
        return [_Panel(f"{title}{unit}", quantity.components, values)]
    found = []
    for label, unit, components, places in groups:
        own = f"{title} {label}".strip() + (f"\n[{unit}]" if unit else "")
        found.append(_Panel(own, components, values[..., list(places)]))
    return found


def _groups(
    run: Trajectory, quantity: Quantity
) -> list[tuple[str, str, tuple[str, ...], tuple[int, ...]]] | None:
    """What belongs together of a machine's coordinates, velocities or forces: label, unit, names, places."""
    model = run.model
    if model is None or quantity.components not in (model.q_names, model.v_names):
        return None
    # Of a machine of turning joints alone both have the same names.
    are_coordinates = quantity.name == "q" or quantity.components != model.v_names
    listed = model.coordinates() if are_coordinates else model.velocities()
    units = {"tau": {"rad/s": "N m", "m/s": "N"}, "acceleration": {"rad/s": "rad/s²", "m/s": "m/s²"}}.get(
        quantity.name, {}
    )
    found: list[tuple[str, str, tuple[str, ...], tuple[int, ...]]] = []
    by_unit: dict[str, list[int]] = {}
    for entry in listed:
        if entry.unit:
            by_unit.setdefault(units.get(entry.unit, entry.unit), []).append(entry.index)
        elif entry.name.endswith(".qw"):
            places = tuple(range(entry.index, entry.index + 4))
            found.append((f"of {entry.name.removesuffix('.qw')}", "", ("w", "x", "y", "z"), places))
    for unit, own in by_unit.items():
        for start in range(0, len(own), _MOST_CURVES):
            part = tuple(own[start : start + _MOST_CURVES])
            found.append(("", unit, tuple(quantity.components[k] for k in part), part))
    return found


def _motions(run: Trajectory, name: str) -> Any:
    """(motions, R, components), at most a dozen motions."""
    values = np.asarray(run[name])  # says what there is if this is not
    components = run.quantities[name].components
    shape = (-1, len(run.t), len(components) or 1)
    return values.reshape(shape)[:_MOST_MOTIONS]


def _drawn(axes: Any, run: Trajectory, panel: _Panel) -> None:
    components = panel.components or ("",)
    for k, component in enumerate(components):
        colour = COLOURS.get(component, OTHERS[k % len(OTHERS)]) if component else OTHERS[0]
        for i, motion in reversed(list(enumerate(panel.values))):
            axes.plot(
                run.t,
                motion[:, k],
                color=colour,
                linewidth=1.4 if i == 0 else 0.7,
                alpha=1.0 if i == 0 else 0.3,
                label=component if i == 0 and component else None,
            )
    axes.set_ylabel(panel.label)
    if panel.components:
        small = "small" if len(components) > 4 else None
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=small)


def tidy(*panels: Any) -> None:
    """A faint grid, and no frame above and on the right."""
    for panel in panels:
        panel.grid(color="#dddddd", linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
