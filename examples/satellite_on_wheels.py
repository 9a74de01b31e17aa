"""A satellite with a boom goes round the Earth four times, described in its orbital frame.

First it is left alone and librates: gravity pulls its boom towards the Earth. Then four wheels bring it to rest
there; then they hold it at 45° to the vertical, against gravity, and run up; at last they bring it back, while
magnetic coils unload them.

    python examples/satellite_on_wheels.py --save satellite_on_wheels.png
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np

import quatrain as qt
from quatrain.equations.wheel_control import allocation, attitude_feedback, pyramid, unloading
from quatrain.spacecraft import Orbit, Rates, Spacecraft, Wheel

PHASES = ("left to gravity", "held upright", "held at 45°", "upright again, unloading")

craft = Spacecraft(
    inertia=(60.0, 62.0, 8.0),  # slender, so that it comes to hang on the vertical z [kg m²]
    wheels=[Wheel(axis, 0.01, max_torque=0.02) for axis in pyramid(math.radians(35))],
)
orbit = Orbit.elliptic(mu=3.986004418e14, semi_major_axis=6.9e6, eccentricity=0.01)
rows = allocation(craft.gyrostat.axes)
upright = qt.Quaternion.identity()
inclined = qt.Quaternion.from_axis_angle(qt.Vec3(0.0, 1.0, 0.0), math.radians(45))


def law(t: Any, q_OB: qt.Quaternion, rates: Rates, x: Any, p: Any) -> Any:
    """Torques for the wheels, and for the coils on the hub."""
    phase = t / orbit.period
    third = qt.scalar.logical_and(phase >= 2, phase < 3)
    target = qt.Quaternion(*(qt.where(third, a, b) for a, b in zip(inclined, upright, strict=True)))
    turn = attitude_feedback(target.conjugate() @ q_OB, rates.w, stiffness=0.05, damping=2.0)
    wheels = np.array(craft.allocate(turn)) * qt.where(phase < 1, 0.0, 1.0)
    coils, handed_on = unloading(craft.gyrostat, rows, tuple(rates.wheel_momenta), rate=1e-3)
    last = qt.where(phase < 3, 0.0, 1.0)
    return wheels + np.array(handed_on) * last, coils * last


def fly() -> Any:
    start = qt.AngleConvention("rpy").to_quaternion(qt.Vec3(0.15, 0.6, -0.2))
    dt = orbit.period / 5400
    return craft.simulate(
        start,
        duration=21600 * dt,
        dt=dt,
        orbit=orbit,
        frame="orbital",
        control=law,
        state="momenta",
        record_every=10,
    )


# ---- the picture -----------------------------------------------------------------------------------

# From above the orbit's plane, a little from the side; the third component comes towards the eye.
TILT = math.radians(35)
CAMERA = np.array([[1, 0, 0], [0, math.cos(TILT), math.sin(TILT)], [0, -math.sin(TILT), math.cos(TILT)]])
SIZE, BOOM = 0.13, 3.0
PARTS = (
    # colour, sides along x, y, z, place along z
    ("#d9a53a", (1.0, 1.0, 1.0), 0.0),
    ("#35507a", (0.7, 4.6, 0.06), 0.0),
    ("#8a6d3b", (0.45, 0.45, 0.45), BOOM),
)


def faces(sides: tuple[float, ...]) -> Any:
    """Corners and outward normal of each face of a box."""
    for axis in range(3):
        for side in (-1, 1):
            corners = np.array([[side, a, b] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) / 2
            yield np.roll(corners, axis, axis=1) * sides, side * np.eye(3)[axis]


def draw_satellite(panel: Any, place: np.ndarray, R_IB: np.ndarray) -> None:
    """The faces that look at the camera, the far ones first, shaded by their direction."""
    from matplotlib.colors import to_rgb

    boom = np.stack([place, place + R_IB @ [0, 0, BOOM * SIZE]]) @ CAMERA.T
    panel.plot(boom[:, 0], boom[:, 1], color="#555555", linewidth=1.0, zorder=3)
    visible = []
    for colour, sides, along in PARTS:
        for corners, normal in faces(sides):
            towards_us = (CAMERA @ R_IB @ normal)[2]
            if towards_us > 0:
                points = (place + (corners + np.array([0, 0, along])) @ R_IB.T * SIZE) @ CAMERA.T
                visible.append(
                    (points[:, 2].mean(), points, np.array(to_rgb(colour)) * (0.5 + 0.5 * towards_us))
                )
    for _, points, shade in sorted(visible, key=lambda face: face[0]):
        panel.fill(points[:, 0], points[:, 1], facecolor=shade, edgecolor="white", linewidth=0.2, zorder=4)


def draw_orbit(panel: Any, run: Any, number: int) -> None:
    """Nine times the satellite during one revolution, larger than life."""
    from matplotlib.patches import Circle

    angle = np.linspace(0, 2 * np.pi, 200)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1) @ CAMERA.T
    panel.plot(ring[:, 0], ring[:, 1], color="#aaaaaa", linewidth=0.8, zorder=1)
    for k in range(12):
        blue = (0.62 + 0.02 * k, 0.78 + 0.014 * k, 0.92)
        panel.add_patch(Circle((0, 0), 0.36 * (1 - k / 12), color=blue, zorder=2))
    for k in range(9):
        i = round((number + (k + 0.5) / 9) * (len(run.t) - 1) / 4)
        here = orbit.at(run.t[i])
        R_IB = (here.q_IO @ qt.Quaternion(*run.q[i])).to_matrix().to_array()
        draw_satellite(panel, here.p_I.to_array() / here.radius, R_IB)
    panel.set_aspect("equal")
    panel.set_axis_off()
    panel.set(xlim=(-1.2, 1.2), ylim=(-1.05, 1.05))
    panel.set_title(PHASES[number], fontsize=10)


def picture(run: Any) -> Any:
    from quatrain.plot import figure_module

    figure = figure_module().Figure(figsize=(10, 7), layout="constrained")
    grid = figure.add_gridspec(3, 4, height_ratios=(1.05, 1, 1))
    for number in range(4):
        draw_orbit(figure.add_subplot(grid[0, number]), run, number)
    below = figure.add_subplot(grid[2, :])
    above = figure.add_subplot(grid[1, :], sharex=below)
    orbits = run.t / orbit.period
    angles = qt.AngleConvention("rpy").from_quaternion(qt.Quaternion.from_array(run.q))
    for angle, name, colour in zip(
        angles, ("roll", "pitch", "yaw"), ("#D55E00", "#009E73", "#0072B2"), strict=True
    ):
        above.plot(orbits, np.degrees(angle), color=colour, linewidth=1.4, label=name)
    for k, colour in enumerate(("#444444", "#56B4E9", "#CC79A7", "#E69F00")):
        below.plot(orbits, run.wheel_speeds[:, k], color=colour, linewidth=1.4, label=f"wheel {k}")
    above.set_ylabel("attitude in the\norbital frame [deg]")
    above.tick_params(labelbottom=False)
    below.set(ylabel="wheel speed [rad/s]", xlabel="orbits", xlim=(0, 4))
    for panel in (above, below):
        for number in (1, 3):
            panel.axvspan(number, number + 1, color="#f1f1f1", linewidth=0, zorder=0)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--save", default="satellite_on_wheels.png", help="the picture's file; its ending says the format"
    )
    path = parser.parse_args().save
    run = fly()
    print(run.report())
    picture(run).savefig(path, dpi=100)
    print(f"\nThe picture is in {path}.")


if __name__ == "__main__":
    main()
