"""The same machine in fewer words: models whose joints are of the kinds that a format knows.

Coordinates keep their names, order and meaning; bodies that are added have no mass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from quatrain.geometry import Mat3, Pose, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.model import AXES, Body, Joint, Keyframe, Model
from quatrain.scalar import Scalar

_KINDS = {"turn": "revolute", "slide": "prismatic", "screw": "helical", "ball": "ball"}
_NOTHING = (0.0, Vec3(0.0, 0.0, 0.0), SymMat3(*(0.0,) * 6))

IDENTITY = Pose.identity()


def single_motions(model: Model, asked: Callable[[Joint], bool]) -> Model:
    """Joints of several motions as one joint after the other, where that is asked for."""
    return _expanded(model, lambda body: _one_by_one(body) if asked(body.joint) else [body])


def _one_by_one(body: Body) -> list[Body]:
    joints = list(_motions(body.joint))
    carriers = [Body(f"{body.name}/{joint.name}", body.parent, joint, *_NOTHING) for joint in joints[:-1]]
    return [*carriers, replace(body, joint=joints[-1])]


def _motions(joint: Joint) -> Iterator[Joint]:
    names = list(joint.q_names())
    at_q = at_v = 0
    for k, motion in enumerate(joint.motions):
        q, v = slice(at_q, at_q + motion.nq), slice(at_v, at_v + motion.nv)
        ball = motion.kind == "ball"
        yield Joint(
            names[at_q].removesuffix(".qw") if ball else names[at_q],
            _KINDS[motion.kind],
            joint.X_PJ if k == 0 else IDENTITY,
            joint.X_MB if k == len(joint.motions) - 1 else IDENTITY,
            () if ball else (joint.axes[motion.axis],),
            joint.pitch if motion.kind == "screw" else 0.0,
            joint.armature[v],
            joint.damping[v],
            joint.friction[v],
            joint.stiffness[v],
            joint.rest[q],
            joint.limits[v],
        )
        at_q, at_v = at_q + motion.nq, at_v + motion.nv


def bodies_at_joints(model: Model, asked: Callable[[Joint], bool]) -> Model:
    """Where that is asked for, what moves stands in the joint's frame, and carries the body on a fixed joint."""
    return _expanded(
        model, lambda body: _at_joint(body) if body.joint.X_MB != IDENTITY and asked(body.joint) else [body]
    )


def _at_joint(body: Body) -> list[Body]:
    joint = body.joint
    name = f"{body.name}/{joint.name}"
    carrier = Body(name, body.parent, replace(joint, X_MB=IDENTITY), *_NOTHING)
    return [carrier, replace(body, joint=Joint(f"{name}_fixed", "fixed", joint.X_MB))]


def planes_upright(model: Model) -> Model:
    """Planar joints whose axes are x, y and z of the joint's frame, where those that they have can be turned so."""
    return _expanded(
        model,
        lambda body: [replace(body, joint=_upright(body.joint))] if body.joint.kind == "planar" else [body],
    )


def _upright(joint: Joint) -> Joint:
    x, y, z = joint.axes
    if joint.axes == AXES or dot(cross(x, y), z) < 0:
        return joint
    turn = Pose(Quaternion.from_matrix(Mat3.from_columns(x, y, z)), Vec3.zero())
    return replace(joint, X_PJ=joint.X_PJ @ turn, X_MB=turn.inverse() @ joint.X_MB, axes=AXES)


def independent(model: Model) -> Model:
    """Every joint has coordinates of its own; states stay the states they were."""
    if all(body.joint.mimic is None for body in model.bodies):
        return model
    bodies = tuple(replace(body, joint=replace(body.joint, mimic=None)) for body in model.bodies)
    freed = replace(model, bodies=bodies, keyframes=())
    keyframes = tuple(
        Keyframe(key.name, _written_out(model, key.q, rates=False), _written_out(model, key.v, rates=True))
        for key in model.keyframes
    )
    return replace(freed, keyframes=keyframes)


def _written_out(model: Model, values: tuple[Scalar, ...], *, rates: bool) -> tuple[Scalar, ...]:
    """Entries of all joints, those that follow included."""
    found: list[Scalar] = []
    starts = model.v_starts if rates else model.q_starts
    for body, drive, start in zip(model.bodies, model.drives, starts, strict=True):
        if body.joint.mimic is not None:
            found.append(values[start] * drive.ratio + (0.0 if rates else drive.offset))
        else:
            found += values[start : start + (body.joint.nv if rates else body.joint.nq)]
    return tuple(found)


def _expanded(model: Model, split: Callable[[Body], list[Body]]) -> Model:
    """Each body as a chain of bodies, of which the last takes its place."""
    bodies: list[Body] = []
    numbers = {-1: -1}
    for k, body in enumerate(model.bodies):
        parent = numbers[body.parent]
        for one in split(body):
            bodies.append(replace(one, parent=parent))
            parent = len(bodies) - 1
        numbers[k] = parent
    if tuple(bodies) == model.bodies:
        return model
    frames = tuple(replace(frame, body=numbers[frame.body]) for frame in model.frames)
    shapes = tuple(replace(shape, body=numbers[shape.body]) for shape in model.shapes)
    return replace(model, bodies=tuple(bodies), frames=frames, shapes=shapes)
