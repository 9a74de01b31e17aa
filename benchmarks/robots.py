"""The robots that the benchmark of dynamics goes over, as Pinocchio reads their files, and states of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

import quatrain as qt
from quatrain.interop import from_pinocchio

ARM, QUADRUPED, HUMANOID = "arm", "quadruped", "humanoid"

FILES = {
    "panda": (ARM, "panda_description/urdf/panda.urdf"),  # with its fingers as joints of their own
    "ur5": (ARM, "ur_description/urdf/ur5_robot.urdf"),
    "kinova": (ARM, "kinova_description/robots/kinova.urdf"),
    "anymal": (QUADRUPED, "anymal_b_simple_description/robots/anymal.urdf"),
    "solo12": (QUADRUPED, "solo_description/robots/solo12.urdf"),
    "go2": (QUADRUPED, "go2_description/urdf/go2.urdf"),
    "talos": (HUMANOID, "talos_data/robots/talos_reduced.urdf"),
    "g1": (HUMANOID, "g1_description/urdf/g1_29dof_rev_1_0.urdf"),
}


@dataclass(frozen=True)
class Subject:
    """A robot of `FILES`; what walks is on a free joint."""

    name: str

    @property
    def kind(self) -> str:
        return FILES[self.name][0]

    @property
    def file(self) -> Path:
        folder = distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots"
        )
        return Path(str(folder)) / FILES[self.name][1]

    @cached_property
    def pinocchio(self) -> Any:
        import pinocchio

        root = () if self.kind == ARM else (pinocchio.JointModelFreeFlyer(),)
        return pinocchio.buildModelFromUrdf(str(self.file), *root)

    @cached_property
    def robot(self) -> qt.Robot:
        return qt.Robot(from_pinocchio(self.pinocchio))

    def states(self, batch: int) -> tuple[Any, Any, Any]:
        """Random q, v and accelerations (or forces), row by row."""
        rng = np.random.default_rng(0)
        v, a = rng.normal(size=(2, batch, self.robot.nv))
        return self.robot.random_configuration(rng, batch), v, a

    def theirs(self, q: Any) -> Any:
        """Configurations as Pinocchio has them: quaternions (x, y, z, w), angles without bounds as cosine and sine."""
        found, model = [], self.robot.model
        for joint, body, k in zip(list(self.pinocchio.joints)[1:], model.bodies, model.q_starts, strict=True):
            own = q[..., k : k + body.joint.nq]
            if body.joint.kind == "free":
                own = np.concatenate([own[..., :3], np.roll(own[..., 3:], -1, axis=-1)], axis=-1)
            elif joint.nq > body.joint.nq:
                own = np.concatenate([np.cos(own), np.sin(own)], axis=-1)
            found.append(own)
        return np.ascontiguousarray(np.concatenate(found, axis=-1))
