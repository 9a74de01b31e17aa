"""A heavy top, fast and slow: its axis goes round, precession, and nods on the way, nutation.

    python examples/heavy_top.py --save heavy_top.png

Released with its axis at rest, a top falls a little, speeds up sideways and rises again, in cusps. Pushed on
it goes in waves, pushed back in loops. The faster it spins, the smaller and the quicker it nods.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np

import quatrain as qt
from quatrain.plot import figure_module

TOP = qt.RigidBody.from_solid(
    [qt.Cylinder(0.05, 0.012).at((0, 0, 0.05)), qt.Cylinder(0.003, 0.1).at((0, 0, 0.05))], density=2700.0
)
"""A disc on a pin, which stands on its lower end: the origin. Its axis is z."""
TILT = math.radians(35)
GRAVITY = 9.81

MOTIONS = (
    ("fast, let go", 300.0, 0.0, "#0072B2"),
    ("slow, let go", 110.0, 0.0, "#D55E00"),
    ("slow, pushed on", 110.0, 2.0, "#009E73"),
    ("slow, pushed back", 110.0, -5.0, "#CC79A7"),
)
"""Name, spin about the axis, rate of precession at the start [rad/s], colour."""


def spin_in_body(spin: float, precession: float) -> list[float]:
    """ω in the body of z-x-z angles with nutation TILT and the third angle zero at the start."""
    return [0.0, precession * math.sin(TILT), spin]


def simulate() -> qt.Trajectory:
    """All four in one call."""
    tilted = (math.cos(TILT / 2), math.sin(TILT / 2), 0.0, 0.0)
    return TOP.simulate(
        tilted,
        [spin_in_body(spin, precession) for _, spin, precession, _ in MOTIONS],
        gravity=(0, 0, -GRAVITY),
        fixed_point=(0, 0, 0),
        duration=1.6,
        dt=1e-4,
        record_every=20,
    )


def lowest(spin: float, precession: float) -> float:
    """The other end of the nutation: the cubic (α − βu)(1 − u²) = (b − au)² in u = cos θ, without its known root."""
    A, C = TOP.inertia_about((0, 0, 0)).xx, TOP.inertia.zz
    weight = TOP.mass * GRAVITY * TOP.com.z
    u0 = math.cos(TILT)
    a = C * spin / A
    b = a * u0 + precession * (1 - u0 * u0)
    beta = 2 * weight / A
    alpha = precession**2 * (1 - u0 * u0) + beta * u0
    roots = np.roots([beta, -(alpha + a * a), 2 * a * b - beta, alpha - b * b])
    inside = sorted(
        u.real for u in roots if abs(u.imag) < 1e-9 and abs(u.real) <= 1 and abs(u.real - u0) > 1e-9
    )
    return math.acos(inside[0])


def draw_path(panel: Any, tip: Any, name: str, colour: str) -> None:
    """The tip of the axis on its sphere, seen obliquely from above."""
    view = qt.AngleConvention("ZYX").to_quaternion(qt.Vec3(-0.6, -0.85, 0.0))

    def on_paper(points: Any) -> Any:
        eye = view.inverse_rotate(qt.Vec3.from_array(points))
        return eye.y, eye.z

    circle = np.linspace(0, 2 * np.pi, 361)
    for theta in (TILT, TILT / 2):
        ring = [
            np.cos(circle) * math.sin(theta),
            np.sin(circle) * math.sin(theta),
            0 * circle + math.cos(theta),
        ]
        panel.plot(*on_paper(np.stack(ring, axis=-1)), color="#c4cad0", linewidth=0.7)
    foot, top = np.zeros(3), np.array([0.0, 0.0, 1.0])
    panel.plot(*on_paper(np.stack([foot, top])), color="#c4cad0", linewidth=0.7)
    panel.plot(*on_paper(np.stack([foot, tip[0]])), color="#666666", linewidth=1.2)
    panel.plot(*on_paper(tip), color=colour, linewidth=1.5)
    panel.plot(*on_paper(tip[:1]), "o", color=colour, markersize=4.5)
    panel.set_aspect("equal")
    panel.set_xlim(-0.82, 0.82)
    panel.set_ylim(-0.24, 1.1)
    panel.set_axis_off()
    panel.set_title(name, color=colour, y=0.93)


def draw(run: qt.Trajectory) -> Any:
    figure = figure_module().Figure(figsize=(10, 5.2), layout="constrained")
    grid = figure.add_gridspec(2, 4, height_ratios=(1.15, 1))
    tip = qt.Quaternion.from_array(run.q).rotate(qt.Vec3(0.0, 0.0, 1.0)).to_array()
    nutation = figure.add_subplot(grid[1, :])
    for k, (name, spin, precession, colour) in enumerate(MOTIONS):
        draw_path(figure.add_subplot(grid[0, k]), tip[k], name, colour)
        nutation.plot(run.t, np.degrees(np.arccos(tip[k, :, 2])), color=colour)
        nutation.axhline(
            math.degrees(lowest(spin, precession)), color=colour, linewidth=0.8, linestyle=(0, (4, 4))
        )
    nutation.set_xlim(0, 0.6)
    nutation.invert_yaxis()  # down is down
    nutation.set_xlabel("t [s]")
    nutation.set_ylabel("axis from the vertical [°]")
    nutation.set_title("nutation; dashed: its exact end, a root of the top's cubic", fontsize=10)
    nutation.grid(color="#e4e4e4", linewidth=0.6)
    nutation.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--save", default="heavy_top.png", help="the picture's file; its ending says the format"
    )
    path = parser.parse_args().save
    run = simulate()
    print(run.report())
    draw(run).savefig(path, dpi=100)
    print(f"\nThe picture is in {path}.")


if __name__ == "__main__":
    main()
