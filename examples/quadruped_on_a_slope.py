"""Sixteen quadrupeds on a slope, each with its own friction: who stands, who slides.

    python examples/quadruped_on_a_slope.py

The slope is 20°, so feet with less friction than tan 20° = 0.364 cannot hold. All sixteen are one call: the number
"mu" of the ground is a parameter of the run. Legs are held by PD with the efforts that their motors have, a gyroscope
on the trunk is read with its noise, and each foot tells what it carries.
"""

from __future__ import annotations

import math

import numpy as np

import quatrain as qt
from quatrain import forces, laws, sensors

SLOPE = math.radians(20)
FRICTION = np.linspace(0.1, 0.85, 16)
DOG = qt.examples.load("quadruped")
FEET = ("FL_foot", "FR_foot", "HL_foot", "HR_foot")
GROUND = forces.GroundContact(
    FEET,
    stiffness=3e5,
    friction="mu",
    slip=0.02,
    plane=forces.Plane(normal=(math.sin(SLOPE), 0, math.cos(SLOPE))),
)


def simulate() -> qt.Trajectory:
    start = np.array(DOG.model.keyframe("standing").q)
    tilt = qt.Quaternion.from_axis_angle(qt.Vec3(0.0, 1.0, 0.0), SLOPE)
    start[:3], start[3:7] = [*tilt.rotate(qt.Vec3(*start[:3]))], [*tilt]
    return qt.simulate(
        DOG,
        np.tile(start, (len(FRICTION), 1)),
        duration=2.0,
        dt=1e-4,
        method="semi_implicit_euler",
        record_every=200,
        control=laws.pd(DOG, 300.0, 6.0, "standing", limit=60.0),
        forces=[GROUND],
        parameters={"mu": FRICTION, "seed": np.arange(len(FRICTION))},
        record={
            "trunk.position": None,
            "load": GROUND.normal_forces,
            "gyro": sensors.Measured(sensors.Gyroscope("trunk"), noise=0.01, bias=0.02, seed="seed"),
        },
    )


def main() -> None:
    run = simulate()
    downhill = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
    slid = (run["trunk.position"][:, -1] - run["trunk.position"][:, 0]) @ downhill
    print(f"cone of friction: mu = tan 20° = {math.tan(SLOPE):.3f}\n\n   mu   slid [m]   feet carry [N]")
    for mu, distance, load in zip(FRICTION, slid, run["load"][:, -1], strict=True):
        print(f" {mu:.2f} {distance:10.3f}   {' '.join(f'{f:6.1f}' for f in load)}")
    print(f"\nweight across the slope: {DOG.model.mass * 9.81 * math.cos(SLOPE):.1f} N")


if __name__ == "__main__":
    main()
