"""A box thrown into a spin about its middle axis turns over, again and again: the Dzhanibekov effect.

    python examples/tumbling_box.py --save tumbling_box.png

Nothing acts on it, so its energy and its angular momentum in space stay what they are. Seen from the body the
momentum moves on a sphere, along the curves where that is cut by the ellipsoid of equal energy: closed around
the long and the short axis, and crossing over at the middle one, which is why it cannot stay there.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import quatrain as qt
from quatrain.plot import figure_module

BOX = qt.RigidBody.from_solid(qt.Box(0.30, 0.20, 0.06), mass=2.0)
START = (0.01, 5.0, 0.01)  # rad/s in the body; y is the middle axis
SPINS = ("#D55E00", "#009E73", "#0072B2")


def neighbours() -> qt.Trajectory:
    """Forty other spins of the same momentum, in one call."""
    angle = np.linspace(0.05, np.pi / 2 - 0.05, 10)
    H = BOX.inertia.yy * 5.0 * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=-1)
    H = np.concatenate([H * [sx, 1, sz] for sx in (1, -1) for sz in (1, -1)])
    w0 = H / np.diag(BOX.inertia.to_array())
    return BOX.simulate(w0=w0, duration=8.0, dt=1e-3, record_every=10)


def momentum_in_body(run: qt.Trajectory) -> Any:
    """J ω on the unit sphere."""
    L = run.w * np.diag(BOX.inertia.to_array())
    return L / np.linalg.norm(L[..., :1, :], axis=-1, keepdims=True)


def on_paper(points: Any, elevation: float, azimuth: float) -> Any:
    """Seen from afar, from that direction: right, up, and towards the eye."""
    q = qt.AngleConvention("ZYX").to_quaternion(qt.Vec3(azimuth, -elevation, 0.0))
    eye = q.inverse_rotate(qt.Vec3.from_array(points))
    return eye.y, eye.z, eye.x


def draw_sphere(panel: Any, run: qt.Trajectory, others: qt.Trajectory) -> None:
    view = {"elevation": 0.42, "azimuth": 0.95}
    circle = np.linspace(0, 2 * np.pi, 361)
    panel.fill(np.cos(circle), np.sin(circle), color="#f5f6f8")
    panel.plot(np.cos(circle), np.sin(circle), color="#b8c0c8", linewidth=0.8)
    paths = [
        *((path, "#8b98a5", 0.8) for path in momentum_in_body(others)),
        (momentum_in_body(run), "#D55E00", 2.2),
    ]
    for path, colour, width in paths:
        x, y, depth = on_paper(path, **view)
        panel.plot(np.where(depth < 0, x, np.nan), y, color=colour, linewidth=0.6 * width, alpha=0.25)
        panel.plot(np.where(depth >= 0, x, np.nan), y, color=colour, linewidth=width, solid_capstyle="round")
    for axis, (name, colour) in enumerate(zip(("long", "middle", "short"), SPINS, strict=True)):
        x, y, _ = on_paper(np.outer((1.0, 1.16, 1.25), np.eye(3)[axis]), **view)
        panel.plot(x[:2], y[:2], color=colour, linewidth=2.5)
        panel.plot(x[:1], y[:1], "o", color=colour, markersize=4)
        where = "left" if x[2] > 0.3 else "right" if x[2] < -0.3 else "center"
        panel.text(x[2], y[2], name, color=colour, ha=where, va="center", weight="bold")
    panel.set_aspect("equal")
    panel.set_xlim(-1.4, 1.4)
    panel.set_axis_off()
    panel.set_title("angular momentum, seen from the box", pad=14)


def draw(run: qt.Trajectory, others: qt.Trajectory) -> Any:
    figure = figure_module().Figure(figsize=(10, 4.8), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.25))
    draw_sphere(figure.add_subplot(grid[:, 0]), run, others)
    spin, errors = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    for k, name in enumerate(("x, long", "y, middle", "z, short")):
        spin.plot(run.t, run.w[:, k], color=SPINS[k], label=name)
    spin.set_ylabel("ω in the box [rad/s]")
    E, L = run.energy(), run["angular_momentum"]
    size = np.linalg.norm(L[0])
    for values, label, colour in (
        (np.abs(E / E[0] - 1), "energy", "#444444"),
        (np.linalg.norm(L - L[0], axis=-1) / size, "angular momentum in space", "#CC79A7"),
    ):
        errors.semilogy(run.t[1:], np.maximum(values[1:], 1e-17), color=colour, label=label, linewidth=1)
    errors.set_ylim(1e-17, 1e-10)
    errors.set_ylabel("relative error")
    errors.set_xlabel("t [s]")
    for panel in (spin, errors):
        panel.set_xlim(run.t[0], run.t[-1])
        panel.grid(color="#e4e4e4", linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(loc="lower right", bbox_to_anchor=(1.0, 0.98), frameon=False, ncols=3)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--save", default="tumbling_box.png", help="the picture's file; its ending says the format"
    )
    path = parser.parse_args().save
    run = BOX.simulate(w0=START, duration=20.0, dt=1e-3, record_every=10)
    print(run.report())
    draw(run, neighbours()).savefig(path, dpi=100)
    print(f"\nThe picture is in {path}.")


if __name__ == "__main__":
    main()
