"""Where things are and how they move: poses, velocities, accelerations and Jacobians of frames.

Linear rows come first, then angular ones. `axes`: "world" (at the frame's origin, in axes of the world) or
"body" (at the same point, in the frame's own axes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quatrain.equations.inverse_dynamics import ZERO, SegmentMotion, ground, outward
from quatrain.equations.joints import Passage, attitude, passages
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError
from quatrain.geometry import Mat3, Pose, Quaternion, Vec3, cross
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Place:
    """Of a segment's frame in the world."""

    R: Mat3
    p: Vec3


GROUND = Place(Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))


def places(tree: Tree, steps: Sequence[Passage]) -> list[Place]:
    """R_WS and p_WS of every segment."""
    found: list[Place] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        before = found[segment.parent] if segment.parent != WORLD else GROUND
        found.append(Place(before.R @ step.matrix(), before.p + before.R @ step.p))
    return found


def poses(model: Model, q: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """Of every body's frame in the world: positions p_WB [m], and quaternions q_WB."""
    found = [frame_pose(model, q, name) for name in model.body_names]
    return [list(X.p) for X in found], [list(X.q) for X in found]


def frame_pose(model: Model, q: Sequence[Scalar], frame: str, relative_to: str = "world") -> Pose:
    """X_AF of a frame F, seen from the frame A."""
    tree = Tree.of(model)
    steps = passages(tree, q)

    def in_world(name: str) -> Pose:
        k, X_SF = tree.place_of(model, name)
        X = X_SF
        while k != WORLD:
            R_P, q_PS = steps[k].to_parent(X.p), attitude(tree.segments[k], q)
            X = Pose(q_PS @ X.q, steps[k].p + R_P)
            k = tree.segments[k].parent
        return X

    X_WF = in_world(frame)
    return X_WF if relative_to == "world" else in_world(relative_to).inverse() @ X_WF


# ---- Jacobians ------------------------------------------------------------------------------------------


def jacobian(
    model: Model, q: Sequence[Scalar], frame: str, point: Vec3 | None = None, axes: str = "world"
) -> list[list[Scalar]]:
    """J (6, nv) with (v_F, w_F) = J v: velocity of the frame's origin (or of a point fixed in it), and its turning."""
    _check_axes(axes)
    tree = Tree.of(model)
    steps = passages(tree, q)
    k, X_SF = tree.place_of(model, frame)
    target = X_SF.p if point is None else X_SF.apply(point)
    columns: list[list[Scalar]] = [[0.0] * 6 for _ in range(tree.nv)]
    # Seen from the frame's own segment, twists need no composition of all the rotations below it.
    R_WS = places(tree, steps)[k].R if k != WORLD else GROUND.R
    R_OS = X_SF.q.conjugate().to_matrix() if axes == "body" else R_WS
    for j, (linear, angular) in twists_from(tree, steps, k, target).items():
        columns[j] = [*(R_OS @ linear), *(R_OS @ angular)]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(6)]


def twists_from(
    tree: Tree, steps: Sequence[Passage], segment: int, p_S: Vec3
) -> dict[int, tuple[Vec3, Vec3]]:
    """By velocity, what it does to the point p of a segment: linear and angular velocity, in S's axes."""
    found: dict[int, tuple[Vec3, Vec3]] = {}

    def add(j: int, linear: Vec3, angular: Vec3) -> None:
        before = found.get(j, (ZERO, ZERO))
        found[j] = before[0] + linear, before[1] + angular

    R: Mat3 | None = None  # from the segment on the way to S; None for S itself
    arm = p_S  # from that segment's origin to the point, in its axes
    k = segment
    while k != WORLD:
        here = tree.segments[k]
        x, y, z = R.columns if R is not None else GROUND.R.columns
        if here.kind == "ball":
            for j, (axis, unit) in enumerate(zip((x, y, z), GROUND.R.columns, strict=True), here.v):
                lever = cross(unit, arm)
                add(j, lever if R is None else R @ lever, axis)
        else:
            lever = Vec3(-arm.y, arm.x, 0.0)  # z × arm
            turned = lever if R is None else R @ lever
            if here.kind == "slide":
                add(here.v, z * here.ratio, ZERO)
            else:
                add(here.v, (turned + z * here.pitch) * here.ratio, z * here.ratio)
        step = steps[k]
        arm = step.p + step.to_parent(arm)
        back = step.matrix().T
        R = back if R is None else R @ back
        k = here.parent
    return found


def _check_axes(axes: str) -> None:
    if axes not in ("world", "body"):
        raise ArgumentError(f"axes is {axes!r}", do="pass 'world' or 'body'")


# ---- velocities and accelerations --------------------------------------------------------------------------


def frame_velocity(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], frame: str, axes: str = "world"
) -> tuple[Vec3, Vec3]:
    """Velocity of the frame's origin and its angular velocity."""
    _check_axes(axes)
    J = jacobian(model, q, frame, axes=axes)
    rows = [sum((entry * rate for entry, rate in zip(row, v, strict=True)), 0.0) for row in J]
    return Vec3(*rows[:3]), Vec3(*rows[3:])


def frame_acceleration(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    frame: str,
    axes: str = "world",
) -> tuple[Vec3, Vec3]:
    """Acceleration of the frame's origin (of the point, gravity left out) and its angular acceleration.

    With a = 0 it is J̇ v.
    """
    _check_axes(axes)
    tree = Tree.of(model)
    steps = passages(tree, q)
    k, X_SF = tree.place_of(model, frame)
    if k == WORLD:
        return Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    motion = motion_of(tree, steps, v, a, k)
    R = X_SF.q.conjugate().to_matrix() if axes == "body" else places(tree, steps)[k].R
    return R @ (motion.acceleration + motion.U @ X_SF.p), R @ motion.alpha


def motion_of(
    tree: Tree, steps: Sequence[Passage], v: Sequence[Scalar], a: Sequence[Scalar], segment: int
) -> SegmentMotion:
    """Of one segment, from the ground outwards along its path."""
    motion = ground(tree, gravity=False)
    for k in reversed(tree.path(segment)):
        motion = outward(steps[k], motion, v, a)
    return motion


def attitudes(model: Model, q: Sequence[Scalar]) -> list[Quaternion]:
    """q_WB of every body."""
    return [frame_pose(model, q, name).q for name in model.body_names]
