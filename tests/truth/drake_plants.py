"""A model as a `MultibodyPlant` of Drake's, with its own joints: for conventions of states, forces and Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quatrain import Model, Pose, Vec3
from quatrain.model import WORLD, Joint

KINDS = ("revolute", "continuous", "prismatic", "helical", "universal", "ball", "planar", "free")
"""What both have: of two turns or of a plane along x, y and z of the joint, as Drake's are."""


class DrakePlant:
    """Rotors are left out."""

    def __init__(self, model: Model) -> None:
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.multibody.tree import FixedOffsetFrame, RotationalInertia, SpatialInertia

        self.plant = plant = MultibodyPlant(0.0)
        for body in model.bodies:
            moments = RotationalInertia(*body.I_Bcm_B)
            own = SpatialInertia.MakeFromCentralInertia(body.mass, array(body.p_BBcm), moments)
            plant.AddRigidBody(body.name, own)
        for body in model.bodies:
            parent = plant.world_frame()
            if body.parent != WORLD:
                parent = plant.GetFrameByName(model.body_names[body.parent])
            child = plant.GetFrameByName(body.name)
            J = plant.AddFrame(FixedOffsetFrame(f"{body.name} J", parent, transform(body.joint.X_PJ)))
            M = plant.AddFrame(
                FixedOffsetFrame(f"{body.name} M", child, transform(body.joint.X_MB.inverse()))
            )
            plant.AddJoint(joint_of(body.joint, J, M))
        plant.mutable_gravity_field().set_gravity_vector(array(model.gravity))
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        names = [body.joint.name for body in model.bodies]
        self.joints = sorted(names, key=lambda name: plant.GetJointByName(name).velocity_start())

    def set_state(self, q: np.ndarray, v: np.ndarray) -> None:
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)

    def mass_matrix(self) -> np.ndarray:
        return self.plant.CalcMassMatrixViaInverseDynamics(self.context)

    def inverse_dynamics(self, a: np.ndarray) -> np.ndarray:
        from pydrake.multibody.tree import MultibodyForces

        forces = self.plant.CalcInverseDynamics(self.context, a, MultibodyForces(self.plant))
        return forces - self.plant.CalcGravityGeneralizedForces(self.context)

    def jacobian(self, body: str) -> np.ndarray:
        from pydrake.multibody.tree import JacobianWrtVariable

        world, frame = self.plant.world_frame(), self.plant.GetFrameByName(body)
        return self.plant.CalcJacobianSpatialVelocity(
            self.context, JacobianWrtVariable.kV, frame, np.zeros(3), world, world
        )


def joint_of(joint: Joint, J: Any, M: Any) -> Any:
    from pydrake.multibody import tree

    axis = array(joint.axes[0]) if joint.axes else None
    made: dict[str, Callable[[], Any]] = {
        "revolute": lambda: tree.RevoluteJoint(joint.name, J, M, axis),
        "continuous": lambda: tree.RevoluteJoint(joint.name, J, M, axis),
        "prismatic": lambda: tree.PrismaticJoint(joint.name, J, M, axis),
        "helical": lambda: tree.ScrewJoint(joint.name, J, M, axis, joint.pitch * 2 * np.pi, 0.0),
        "universal": lambda: tree.UniversalJoint(joint.name, J, M),
        "ball": lambda: tree.BallRpyJoint(joint.name, J, M),
        "planar": lambda: tree.PlanarJoint(joint.name, J, M),
        "free": lambda: tree.QuaternionFloatingJoint(joint.name, J, M),
    }
    return made[joint.kind]()


def transform(X: Pose) -> Any:
    from pydrake.math import RigidTransform, RotationMatrix

    return RigidTransform(RotationMatrix(X.q.to_matrix().to_array().astype(float)), array(X.p))


def array(v: Vec3) -> np.ndarray:
    return np.array([*v], float)
