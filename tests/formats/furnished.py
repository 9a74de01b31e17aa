"""Random trees with everything that a model can carry besides its bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quatrain import Actuator, Extra, Keyframe, Limits, Mimic, Model, Shape
from quatrain.equipment import SHAPE_SIZES
from quatrain.model import WORLD
from tests.truth.random_trees import SINGLE, random_pose, random_q


def furnished(model: Model, seed: int) -> Model:
    """The same tree with springs, damping, friction, limits, actuators, shapes, states, and a joint that follows."""
    rng = np.random.default_rng([20260909, seed])
    bodies = [replace(body, joint=_furnished_joint(body.joint, rng)) for body in model.bodies]
    singles = [k for k, body in enumerate(bodies) if body.joint.kind in SINGLE]
    if len(singles) > 2:
        leader, follower = bodies[singles[0]].joint, bodies[singles[-1]].joint
        follows = replace(follower, mimic=Mimic(leader.name, float(rng.normal()), float(rng.normal())))
        bodies[singles[-1]] = replace(bodies[singles[-1]], joint=follows)
    made = replace(model, bodies=tuple(bodies))
    keyframes = tuple(
        Keyframe(f"state{k}", tuple(q), tuple(rng.normal(size=made.nv).tolist()))
        for k, q in enumerate(random_q(made, rng, 2).tolist())
    )
    moving = [body.joint for body in bodies if body.joint.freedoms]
    actuators = (
        *(
            Actuator(f"motor_{j.name}", joint=j.name, gear=_numbers(rng, j.freedoms), command=(-1.0, 2.0))
            for j in moving
        ),
        Actuator("jet", frame=model.frames[0].name, gear=_numbers(rng, 6), gain=2.0, bias=(0.1, -3.0, -0.2)),
    )
    shapes = tuple(
        Shape(
            kind,
            tuple(rng.uniform(0.1, 1.0, len(sizes)).tolist()),
            int(rng.integers(WORLD, model.nb)),
            random_pose(rng),
            ("visual", "collision", "both")[k % 3],
            f"shape{k}",
            "package://here/a.stl" if kind == "mesh" else "",
            (0.1, 0.2, 0.3, 1.0) if k % 2 else None,
            "steel" if k % 2 else "",
        )
        for k, (kind, sizes) in enumerate(SHAPE_SIZES.items())
    )
    extras = (
        Extra("gazebo", "of", (("reference", "b0"),), (Extra("mu", "", (("text", "0.5"),)),), "a.urdf:3"),
    )
    return replace(made, keyframes=keyframes, actuators=actuators, shapes=shapes, extras=extras)


def _furnished_joint(joint, rng):
    n = joint.freedoms
    return replace(
        joint,
        damping=_numbers(rng, n, positive=True),
        friction=_numbers(rng, n, positive=True),
        stiffness=_numbers(rng, n, positive=True),
        rest=joint.neutral,
        limits=tuple(
            Limits(-1.0 - k, 1.0, *(rng.uniform(1.0, 9.0, 5).tolist() if k == 0 else ())) for k in range(n)
        )
        if joint.kind not in ("continuous", "free", "ball")
        else (),
    )


def _numbers(rng, count, *, positive=False):
    values = rng.normal(size=count)
    return tuple((np.abs(values) if positive else values).tolist())
