"""How far a frame is from where it should be, and how the joints change that."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.kinematics import frame_pose, jacobian
from quatrain.geometry import Quaternion, Vec3
from quatrain.model import Model
from quatrain.scalar import Scalar


def pose_error(
    model: Model, q: Sequence[Scalar], position: Sequence[Scalar], quaternion: Sequence[Scalar], *, frame: str
) -> tuple[list[Scalar], list[list[Scalar]]]:
    """What is missing of frame F to a pose of the world: p − p_WF [m] and the rotation vector of q q_WF* [rad] (6); and
    J (6, nv) of F, by which a small motion takes it away.
    """
    X_WF = frame_pose(model, q, frame)
    turned = (Quaternion(*quaternion) @ X_WF.q.conjugate()).to_rotation_vector()
    return [*(Vec3(*position) - X_WF.p), *turned], jacobian(model, q, frame)
