"""Frames, shapes, actuators and keyframes: what they belong to, their sizes and their names."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quatrain.equipment import SHAPE_ROLES, SHAPE_SIZES, Actuator, Keyframe, Shape
from quatrain.faults import POSE_REMEDY, Fault, finite, wrong_pose
from quatrain.faults.structure import repeated
from quatrain.model import WORLD, Model


def of_equipment(model: Model) -> Iterator[Fault]:
    for frame in model.frames:
        where = f"frame {frame.name!r}"
        yield from _carried(model, where, frame.body)
        wrong = wrong_pose(frame.X_BF)
        if wrong:
            yield Fault("error", where, f"X_BF {wrong}", POSE_REMEDY)
    for k, shape in enumerate(model.shapes):
        yield from _shape(model, f"shape {shape.name or k!r}", shape)
    yield from repeated("actuator", [actuator.name for actuator in model.actuators])
    for actuator in model.actuators:
        yield from _actuator(model, actuator)
    yield from repeated("keyframe", [key.name for key in model.keyframes])


def _carried(model: Model, where: str, body: int) -> Iterator[Fault]:
    if not (isinstance(body, int) and WORLD <= body < model.nb):
        what = f"it is on body number {body}, and there are {model.nb}"
        yield Fault("error", where, what, f"name one from 0 to {model.nb - 1}, or WORLD ({WORLD})")


def _shape(model: Model, where: str, shape: Shape) -> Iterator[Fault]:
    yield from _carried(model, where, shape.body)
    if shape.role not in SHAPE_ROLES:
        yield Fault("error", where, f"its role is {shape.role!r}", f"choose {', '.join(SHAPE_ROLES)}")
    wrong = wrong_pose(shape.X_BG)
    if wrong:
        yield Fault("error", where, f"X_BG {wrong}", POSE_REMEDY)
    if shape.kind not in SHAPE_SIZES:
        yield Fault("error", where, f"its kind is {shape.kind!r}", f"choose {', '.join(SHAPE_SIZES)}")
    elif len(shape.size) != len(SHAPE_SIZES[shape.kind]) or not finite(*shape.size):
        what = f"the size of a {shape.kind} is {shape.size}"
        yield Fault("error", where, what, f"give {', '.join(SHAPE_SIZES[shape.kind])}")
    elif shape.kind not in ("mesh", "plane") and min(shape.size) <= 0:
        yield Fault("error", where, f"the size of a {shape.kind} is {shape.size}", "give lengths above zero")
    if (shape.kind == "mesh") != bool(shape.mesh):
        what = f"its kind is {shape.kind!r} and its file {shape.mesh!r}"
        yield Fault("error", where, what, "give a file to a mesh, and to nothing else")


def _actuator(model: Model, actuator: Actuator) -> Iterator[Fault]:
    where = f"actuator {actuator.name!r}"
    if (actuator.joint is None) == (actuator.frame is None):
        what = f"it is on the joint {actuator.joint!r} and the frame {actuator.frame!r}"
        yield Fault("error", where, what, "name one of the two")
        return
    joints = {body.joint.name: body.joint for body in model.bodies}
    if actuator.joint is not None and actuator.joint not in joints:
        what = f"{model.name} has no joint {actuator.joint!r}"
        yield Fault("error", where, what, f"name one of {', '.join(joints)}")
        return
    if actuator.frame is not None and actuator.frame not in (*model.frame_names, "world"):
        what = f"{model.name} has no frame {actuator.frame!r}"
        yield Fault("error", where, what, f"name one of {', '.join(model.frame_names)}")
        return
    count = 6 if actuator.joint is None else joints[actuator.joint].freedoms
    if len(actuator.gear) != count or not finite(*actuator.gear):
        of = "force and torque" if actuator.joint is None else "one for each freedom of its joint"
        yield Fault("error", where, f"its gear is {actuator.gear}", f"give {count} finite numbers, {of}")
    if not finite(actuator.gain, *actuator.bias) or len(actuator.bias) != 3:
        what = f"its gain is {actuator.gain} and its bias {actuator.bias}"
        yield Fault("error", where, what, "give one and three finite numbers")
    for name, (lower, upper) in (("command", actuator.command), ("force", actuator.force)):
        if lower is not None and upper is not None and not lower <= upper:
            yield Fault("error", where, f"its {name} lies between {lower} and {upper}", "swap them")


def keyframes(model: Model) -> Iterator[Fault]:
    """Once it is certain what the coordinates are."""
    for key in model.keyframes:
        where = f"keyframe {key.name!r}"
        if len(key.q) != model.nq or len(key.v) != model.nv:
            what = f"q has {len(key.q)} entries and v {len(key.v)}, and {model.name} has nq {model.nq}, nv {model.nv}"
            yield Fault("error", where, what, "give one for each: see model.coordinates()")
        elif not finite(*key.q, *key.v):
            yield Fault("error", where, "it is not finite", "give finite numbers")
        else:
            yield from _quaternions(model, where, key)


def _quaternions(model: Model, where: str, key: Keyframe) -> Iterator[Fault]:
    for body, first in zip(model.bodies, model.q_starts, strict=True):
        place = first
        for motion in body.joint.own_motions:
            if motion.kind == "ball":
                norm = math.hypot(*map(float, key.q[place : place + 4]))
                if abs(norm - 1) > 1e-6:
                    what = f"the quaternion of joint {body.joint.name!r} has the norm {norm:.6g}"
                    yield Fault("error", where, what, "normalise it, in the order (w, x, y, z)")
            place += motion.nq
