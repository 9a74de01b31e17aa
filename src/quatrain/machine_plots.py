"""Plots of what only machines have: energies, phase portraits, ways of axes on the sphere, mass matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.errors import ArgumentError
from quatrain.model import Model
from quatrain.plot import COLOURS, OTHERS, figure_module, tidy

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory


def plot_energy(run: Trajectory) -> Any:
    """Kinetic, potential and spring energy and their sum; below, how the sum departs from its start.

    From q and v by the equations, whether energies were recorded or not. Of a batch the first motion.
    """
    model, q, v = _states(run)
    parts = {
        "kinetic": dynamics.kinetic_energy(model, q, v),
        "potential": dynamics.potential_energy(model, q),
        "springs": dynamics.spring_energy(model, q),
    }
    filled = {name: np.broadcast_to(np.asarray(part, float), run.t.shape) for name, part in parts.items()}
    if not np.any(filled["springs"]):
        del filled["springs"]
    total = np.sum(list(filled.values()), axis=0)
    figure = figure_module().Figure(figsize=(8, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for colour, (name, part) in zip(OTHERS, filled.items(), strict=False):
        above.plot(run.t, part, color=colour, linewidth=1.2, label=name)
    above.plot(run.t, total, color="black", linewidth=1.6, label="sum")
    above.set_ylabel("energy [J]")
    above.set_title(run.name, loc="left")
    above.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    below.plot(run.t, total - total[0], color="black", linewidth=1.2)
    below.set_ylabel("change of the sum [J]")
    below.set_xlabel("t [s]")
    tidy(above, below)
    return figure


def plot_phase(run: Trajectory, *names: str) -> Any:
    """Velocity over coordinate, a panel for each joint named; by default the first six with one coordinate.

    Of a batch the first dozen motions, faint behind the first.
    """
    model = _model(run)
    places = {
        name: (k, model.v_names.index(name))
        for k, name in enumerate(model.q_names)
        if name in model.v_names  # not those of quaternions
    }
    chosen = names or tuple(places)[:6]
    if not chosen:
        raise ArgumentError(
            f"{model.name} has no joint of one coordinate", do="draw the way of its axes: run.plot_sphere()"
        )
    for name in chosen:
        if name not in places:
            raise ArgumentError(
                f"{model.name} has no coordinate {name!r} with a velocity of its name",
                do=f"name some of {', '.join(list(places)[:8])}",
            )
    q, v = (
        np.asarray(run[n], float).reshape(-1, len(run.t), size)
        for n, size in (("q", model.nq), ("v", model.nv))
    )
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    figure = figure_module().Figure(figsize=(3.2 * columns, 2.9 * rows), layout="constrained")
    panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    units = {c.name: c.unit for c in (*model.velocities(), *model.coordinates())}
    for panel, name in zip(panels, chosen, strict=False):
        i, j = places[name]
        for k in reversed(range(min(12, len(q)))):
            first = k == 0
            panel.plot(
                q[k, :, i],
                v[k, :, j],
                color=OTHERS[0],
                linewidth=1.2 if first else 0.6,
                alpha=1 if first else 0.3,
            )
        panel.plot(q[0, 0, i], v[0, 0, j], "o", color=OTHERS[1], markersize=4)
        panel.set_xlabel(f"{name} [{units[name]}]")
        panel.set_ylabel(f"its velocity [{units[name]}/s]")
    for panel in panels[len(chosen) :]:
        panel.remove()
    tidy(*panels[: len(chosen)])
    return figure


def plot_sphere(run: Trajectory, frame: str | None = None, axes: str = "xyz") -> Any:
    """The ways that the axes of a body or a frame take on the unit sphere, as seen in the world.

    Without a frame: of the run's own attitude, or of the last body. Of a batch the first motion.
    """
    if not axes or set(axes) - set("xyz"):
        raise ArgumentError(f"axes is {axes!r}", do="pass some of 'x', 'y' and 'z'")
    quaternions, name = _attitudes(run, frame)
    figure = figure_module().Figure(figsize=(5.4, 5.2), layout="constrained")
    panel = figure.add_subplot(projection="3d")
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 37), np.linspace(0, np.pi, 19))
    sphere = np.stack([np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)])
    panel.plot_surface(*sphere, color="#eef1f5", alpha=0.35, linewidth=0, shade=False)
    panel.plot_wireframe(*sphere, rstride=3, cstride=3, color="#c4cbd2", linewidth=0.4)
    for axis in axes:
        way = _turned(quaternions, np.eye(3)["xyz".index(axis)])
        panel.plot(*way.T, color=COLOURS[axis], linewidth=1.3, label=axis)
        panel.plot(*way[:1].T, "o", color=COLOURS[axis], markersize=4)
    panel.set_box_aspect((1, 1, 1))
    panel.set(xlabel="x", ylabel="y", zlabel="z", xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[-1, 0, 1])
    panel.set_title(f"axes of {name} in the world", loc="left")
    panel.legend(frameon=False)
    return figure


def plot_mass_matrix(model: Model, q: Any = None) -> Any:
    """M(q) as a picture: its entries, each over the root of the two on the diagonal, so that they lie between ±1."""
    state = np.asarray(dynamics.neutral(model) if q is None else q, float)
    if state.shape != (model.nq,):
        raise ArgumentError(
            f"q has shape {state.shape}; this needs one state, ({model.nq},)", do="give one state"
        )
    if not model.nv:
        raise ArgumentError(f"{model.name} has no joint that moves", do="take a machine that moves")
    M = np.array([[float(x) for x in row] for row in dynamics.mass_matrix(model, [float(x) for x in state])])
    root = np.sqrt(np.maximum(np.diag(M), 1e-300))
    size = min(10.0, 2.4 + 0.28 * model.nv)
    figure = figure_module().Figure(figsize=(size + 1.2, size), layout="constrained")
    panel = figure.subplots()
    shown = panel.imshow(M / np.outer(root, root), cmap="RdBu_r", vmin=-1, vmax=1)
    if model.nv <= 40:
        panel.set_xticks(range(model.nv), model.v_names, rotation=90, fontsize=7)
        panel.set_yticks(range(model.nv), model.v_names, fontsize=7)
    if model.nv <= 10:
        for i in range(model.nv):
            for j in range(model.nv):
                ink = "white" if abs(M[i, j]) > 0.7 * root[i] * root[j] else "black"
                if M[i, j]:
                    panel.text(j, i, f"{M[i, j]:.2g}", ha="center", va="center", fontsize=7, color=ink)
    figure.colorbar(shown, ax=panel, label="M[i, j] / √(M[i, i] M[j, j])", shrink=0.8)
    panel.set_title(f"{model.name}: mass matrix", loc="left")
    return figure


# ---- of a run ------------------------------------------------------------------------------------------


def _model(run: Trajectory) -> Model:
    if run.model is None or not {"q", "v"} <= set(run.columns):
        lacks = "does not know its model" if run.model is None else "has not recorded q and v"
        raise ArgumentError(
            f"this run of {run.name} {lacks}",
            do="record q and v in qt.simulate(robot, …); to a run from a file give its robot: run.with_model(robot)",
        )
    return run.model


def _states(run: Trajectory) -> tuple[Model, list[Any], list[Any]]:
    """The model, and q and v of the first motion as columns over time."""
    model = _model(run)
    first = (0,) * len(run.batch)
    q, v = (np.asarray(run[name], float)[first] for name in ("q", "v"))
    return model, [q[:, i] for i in range(model.nq)], [v[:, i] for i in range(model.nv)]


def _attitudes(run: Trajectory, frame: str | None) -> tuple[Any, str]:
    """Quaternions (R, 4) of the first motion, and of what."""
    first = (0,) * len(run.batch)
    if run.model is None:
        own = [name for name, quantity in run.quantities.items() if quantity.role == "quaternion"]
        own = [name for name in own if name in run.columns and frame in (None, name)]
        if not own:
            raise ArgumentError(
                f"this run of {run.name} has recorded no attitude{f' {frame!r}' if frame else ''}",
                do="record a quaternion, or give a run of a tree",
            )
        return np.asarray(run[own[0]], float)[first], run.name
    model, q, _ = _states(run)
    name = model.body_names[-1] if frame is None else model.frame(frame).name
    _, attitude = dynamics.pose(model, q, name, "world")
    return np.stack([np.broadcast_to(np.asarray(x, float), run.t.shape) for x in attitude], axis=-1), name


def _turned(q: Any, direction: Any) -> Any:
    w, u = q[:, :1], q[:, 1:]
    across = 2 * np.cross(u, direction)
    return direction + w * across + np.cross(u, across)
