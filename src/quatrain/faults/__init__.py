"""What can be wrong with a model, a room for each part of it; `quatrain.checks` asks them all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from quatrain.geometry import Pose

UNIT = 1e-9
"""How far an axis or a quaternion of a model may be from unit length."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a model."""

    severity: str
    """"error" or "warning"."""
    where: str
    """Whose it is: "joint 'elbow'"."""
    what: str
    do: str
    policy: str = ""
    """"inertia", where that policy says whether it is an error."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. To fix: {self.do}."


def finite(*values: Any) -> bool:
    """Whether all are numbers, and none NaN or infinite."""
    try:
        return all(math.isfinite(value) for value in values)
    except TypeError:
        return False


def wrong_pose(pose: Pose) -> str:
    """What is wrong with it, or nothing."""
    if not finite(*pose.q, *pose.p):
        return f"is not finite: quaternion {tuple(pose.q)}, point {tuple(pose.p)}"
    norm = pose.q.norm()
    return "" if abs(norm - 1) < UNIT else f"has a quaternion of norm {norm:.6g}"


POSE_REMEDY = "give a unit quaternion, in the order (w, x, y, z), and a finite point [m]"
