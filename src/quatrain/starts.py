"""Where a run begins if nobody says it: a motion worth seeing, or what a seed gives."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import Any

import numpy as np

from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.robot import Robot

_TILTED = tuple(Quaternion.from_axis_angle(Vec3(1.0, 0.0, 0.0), 0.4))

SHOWN: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "pendulum": ({"pivot": 2.8}, {}),
    "double_pendulum": ({"shoulder": pi / 2}, {}),
    "spherical_pendulum": ({"pivot": _TILTED}, {"pivot": (0.0, 1.2, 0.0)}),
    "gyroscope": ({"nutation": 0.4}, {"precession": 1.0, "spin": 12.0}),
    "heavy_top": ({"tip": _TILTED}, {"tip": (0.0, 0.0, 80.0)}),
    "tumbling_box": ({}, {"root": (0.0, 0.0, 0.0, 0.01, 3.0, 0.0)}),
    "cart_pole": ({"hinge": 0.05}, {}),
    "acrobot": ({"shoulder": 2.0}, {"elbow": 1.0}),
    "satellite": ({}, {"root": (0.0, 0.0, 0.0, 0.02, 0.3, 0.01), "spin_z": 50.0, "left_drive": 0.1}),
}
"""Of the embedded models: coordinates and velocities by joint, others zero."""


def starts(robot: Robot, *, batch: int | None = None, seed: int | None = None) -> tuple[Any, Any]:
    """q0 (batch, nq) and v0 (batch, nv), or of one motion where no batch is asked for.

    With a seed the configurations are random, within limits, and the velocities normally distributed with 0.5 rad/s
    or m/s. Without one: a motion worth seeing of an embedded model; the first keyframe; all joints at zero.
    """
    if batch is not None and batch < 1:
        raise ArgumentError(f"a batch of {batch}", do="ask for one motion or more")
    if seed is None and batch is not None:
        seed = 0
    if seed is not None:
        rng = np.random.default_rng(seed)
        shape = () if batch is None else (batch,)
        return robot.random_configuration(rng, shape), 0.5 * rng.normal(size=(*shape, robot.nv))
    model = robot.model
    if model.name not in SHOWN and model.keyframes:
        first = model.keyframes[0]
        return np.array(first.q, float), np.array(first.v or (0.0,) * robot.nv, float)
    coordinates, velocities = SHOWN.get(model.name, ({}, {}))
    known = set(model.joint_names)
    if not known.issuperset({*coordinates, *velocities}):  # a machine of the user's, of the same name
        return robot.neutral(), np.zeros(robot.nv)
    v = np.zeros(robot.nv)
    places = {
        body.joint.name: (k, body.joint.nv) for body, k in zip(model.bodies, model.v_starts, strict=True)
    }
    for name, value in velocities.items():
        first_entry, count = places[name]
        v[first_entry : first_entry + count] = value
    return robot.configuration(**coordinates), v
