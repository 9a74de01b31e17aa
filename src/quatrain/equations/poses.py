"""Where every body stands, from the ground outwards: one product of quaternions a joint.

Bodies keep their own frames here, in which axes of joints are most often coordinate axes, and joints that stand
square on their parents turn nothing: what is zero then falls out of the products.
"""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.alignment import aligned, snapped_quaternion
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.joint import Joint, Motion
from quatrain.model import AXES, WORLD, Drive, Model
from quatrain.scalar import Scalar, cos, sin

ZERO = Vec3(0.0, 0.0, 0.0)


def body_poses(model: Model, q: Sequence[Scalar]) -> list[Pose]:
    """X_WB of every body."""
    found: list[Pose] = []
    for k, body in enumerate(model.bodies):
        joint = body.joint
        X_WP = found[body.parent] if body.parent != WORLD else Pose.identity()
        X_WM = _moved(X_WP @ _snapped(joint.X_PJ), joint, model.drives[k], q[model.q_starts[k] :])
        found.append(X_WM @ _snapped(joint.X_MB))
    return found


def poses(model: Model, q: Sequence[Scalar]) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """Of every body's frame in the world: positions p_WB [m], and quaternions q_WB."""
    found = body_poses(model, q)
    return [list(X.p) for X in found], [list(X.q) for X in found]


def _moved(X_WJ: Pose, joint: Joint, drive: Drive, q: Sequence[Scalar]) -> Pose:
    """X_WM: one motion of the joint after the other."""
    X, at = X_WJ, 0
    for motion in joint.motions:
        if motion.kind == "ball":
            X = X @ Pose(Quaternion(*q[at : at + 4]), ZERO)
        else:
            X = X @ _motion(motion, joint, q[at] * drive.ratio + drive.offset)
        at += motion.nq
    return X


def _motion(motion: Motion, joint: Joint, x: Scalar) -> Pose:
    """How far a turn, a slide or a screw takes a frame."""
    axis = aligned(joint.axes[motion.axis]).rotate(AXES[2])  # to its last digit that of the segment in `tree`
    if motion.kind == "slide":
        return Pose(Quaternion.identity(), axis * x)
    half = x * 0.5
    turn = Quaternion.from_parts(cos(half), axis * sin(half))
    return Pose(turn, axis * (x * joint.pitch) if motion.kind == "screw" else ZERO)


def _snapped(X: Pose) -> Pose:
    return Pose(snapped_quaternion(X.q), X.p)
