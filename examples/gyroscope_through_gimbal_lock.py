"""A gyroscope whose axis swings through the vertical, carried by three angles and by a quaternion.

    python examples/gyroscope_through_gimbal_lock.py --save gimbal_lock.png

Nothing acts on it: its axis goes round on a cone that is tilted by just its own half angle, so that once a turn
the axis points straight up. With yaw, pitch and roll (Z-Y-X) that is the singularity. The equations in angles and
the quaternion run with the same Runge-Kutta method and step; how near the axis comes is varied, in one call.
"""

from __future__ import annotations

import argparse
import math
import warnings
from typing import Any

import numpy as np

import quatrain as qt
from quatrain.equations.stepping import LINEAR, System
from quatrain.plot import figure_module
from quatrain.simulation import Mechanism, Simulation
from quatrain.trajectory import VECTOR

GYROSCOPE = qt.RigidBody.from_solid(
    [
        qt.Cylinder(0.05, 0.015).at(
            qt.Pose(qt.Quaternion(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0), qt.Vec3.zero())
        ),
        qt.Sphere(0.02),
    ],
    density=7800.0,
)
"""A disc with a hub; its axis is x, the one that yaw and pitch point and roll turns about."""
ANGLES = qt.AngleConvention("ZYX")
HALF_CONE = math.radians(30)
PRECESSION = 2 * math.pi  # the axis is up after half a second
MISSES = np.array([3e-2, 1e-3, 1e-5])
"""How near to the vertical the axis comes [rad]."""
DURATION, DT = 1.0, 1e-3
COLOURS = ("#0072B2", "#E69F00", "#D55E00")


def starts() -> tuple[Any, Any]:
    """Attitudes and angular velocities: the axis lowest, 2 · 30° from the vertical, going round the momentum.

    L/I_t is the rate of precession; the axis is 30° from L, and L is 30° + miss from the vertical.
    """
    axial, across = GYROSCOPE.inertia.xx, GYROSCOPE.inertia.yy
    L = across * PRECESSION
    w0 = qt.Vec3(L * math.cos(HALF_CONE) / axial, 0.0, L * math.sin(HALF_CONE) / across)
    # In the body L lies in the plane of x and z, 30° from x towards z; pitch is positive downwards.
    pitch = -(math.pi / 2 - 2 * HALF_CONE - MISSES)
    angles = qt.Vec3(0.0 * pitch + 0.3, pitch, 0.0 * pitch)
    return angles, w0


def in_angles() -> Mechanism:
    """Lagrange's equations in the three angles, as a mechanism of their own."""
    equations = GYROSCOPE.equations("euler_angles:ZYX")
    return Mechanism(
        name="gyroscope in angles",
        q=qt.Vec3,
        v=qt.Vec3,
        system=lambda u, p: System(LINEAR, lambda t, angles, rates: equations(angles, rates).acceleration),
        observe=lambda t, angles, rates, u, p: {"angles": angles},
        quantities=(qt.Quantity("angles", "rad", "yaw, pitch, roll", VECTOR),),
    )


def simulate() -> tuple[qt.Trajectory, qt.Trajectory, qt.Trajectory]:
    """By angles, by the quaternion, and as exactly as can be."""
    angles, w0 = starts()
    q0 = ANGLES.to_quaternion(angles).to_array()
    rates = ANGLES.inverse_body_rate_map(angles) @ w0
    span = {"duration": DURATION, "dt": DT}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qt.DivergenceWarning)  # that they are lost is what is to be seen
        by_angles = Simulation(in_angles())(angles, rates, **span)
    by_quaternion = GYROSCOPE.simulate(q0, w0.to_array(), **span)
    exact = GYROSCOPE.simulate(q0, w0.to_array(), method="dop853", tolerance=1e-14, **span)
    return by_angles, by_quaternion, exact


def attitude_of(run: qt.Trajectory) -> qt.Quaternion:
    """What the angles say; where they have become NaN they say nothing."""
    return ANGLES.to_quaternion(qt.Vec3(*np.moveaxis(run.angles, -1, 0)))


def errors(q: qt.Quaternion, exact: qt.Trajectory) -> Any:
    return np.maximum(q.geodesic_distance(qt.Quaternion.from_array(exact.q)), 1e-17)


def draw(by_angles: qt.Trajectory, by_quaternion: qt.Trajectory, exact: qt.Trajectory) -> Any:
    figure = figure_module().Figure(figsize=(10, 5.6), layout="constrained")
    up, turning, condition, error = figure.subplots(2, 2, sharex=True).ravel()
    truth = ANGLES.from_quaternion(qt.Quaternion.from_array(exact.q))
    carried = attitude_of(by_angles)
    wrong = errors(carried, exact)
    right = errors(qt.Quaternion.from_array(by_quaternion.q), exact)
    for k, (miss, colour) in enumerate(zip(MISSES, COLOURS, strict=True)):
        label = f"misses the vertical by {miss:g} rad"
        up.plot(exact.t, -np.degrees(truth.y[k]), color=colour, label=label)
        turning.plot(exact.t, np.degrees(np.unwrap(truth.x[k])), color=colour)
        condition.semilogy(exact.t, ANGLES.condition_number(qt.Vec3(*(a[k] for a in truth))), color=colour)
        error.semilogy(exact.t[1:], wrong[k, 1:], color=colour)
        error.semilogy(exact.t[1:], right[k, 1:], color="#444444", linewidth=0.9)
    up.set_ylabel("elevation of the axis [°]")
    figure.legend(*up.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    turning.set_ylabel("yaw [°]")
    condition.set_ylabel("condition of the angle rates")
    error.set_ylabel("error of the attitude [rad]")
    error.text(0.02, 0.9, "three angles, in colour", transform=error.transAxes)
    error.text(0.45, 0.08, "the quaternion, all three", color="#444444", transform=error.transAxes)
    error.set_ylim(1e-17, 10)
    for panel in (up, turning, condition, error):
        panel.set_xlim(0, DURATION)
        panel.grid(color="#e4e4e4", linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
    for panel in (condition, error):
        panel.set_xlabel("t [s]")
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--save", default="gimbal_lock.png", help="the picture's file; its ending says the format"
    )
    path = parser.parse_args().save
    runs = simulate()
    carried = attitude_of(runs[0])
    wrong, right = errors(carried, runs[2]), errors(qt.Quaternion.from_array(runs[1].q), runs[2])
    print("  nearest to the vertical   error after one turn: of the angles   of the quaternion")
    for k, miss in enumerate(MISSES):
        lost = float(runs[0].diverged[k])
        of_angles = f"lost at {lost:.3f} s" if np.isfinite(lost) else f"{wrong[k, -1]:.1e} rad"
        print(f"{miss:21.0e} rad{of_angles:>37}{right[k, -1]:16.1e} rad")
    draw(*runs).savefig(path, dpi=100)
    print(f"\nThe picture is in {path}.")


if __name__ == "__main__":
    main()
