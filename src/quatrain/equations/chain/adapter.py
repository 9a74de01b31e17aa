"""Any chain of revolute and prismatic joints brought to the form of `Chain`, and its poses brought back.

The coordinates stay, but for a constant: so metric, Christoffel symbols and forces are those of the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quatrain.equations.chain.geometry import Configuration, body_pose
from quatrain.equations.chain.links import Chain, Link
from quatrain.equations.rigid_body import Body
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.scalar import Scalar


@dataclass(frozen=True, slots=True)
class PlacedJoint:
    """A joint as robot models describe it, with the body that it moves.

    prismatic    a sliding joint, else a revolute one
    X_PJ         the joint's frame in the frame of the body before, where the joint reads `reading`
    axis_J       unit vector of its axis, in the joint's frame
    body         mass, mass centre and inertia, in the body's frame B
    X_JB         frame B in the joint's frame after the motion
    """

    prismatic: bool
    X_PJ: Pose
    axis_J: Vec3
    body: Body
    X_JB: Pose = field(default=Pose(Quaternion(1, 0, 0, 0), Vec3(0, 0, 0)))
    reading: Scalar = 0

    def __post_init__(self) -> None:
        require(self.X_PJ, Pose, "X_PJ")
        require(self.axis_J, Vec3, "axis_J")
        require(self.body, Body, "body")
        require(self.X_JB, Pose, "X_JB")


@dataclass(frozen=True, slots=True)
class AdaptedChain:
    """The chain in the form of the equations, and what leads from its bodies' frames to those of the model.

    Q holds the orientation of each model frame B_k at the reference, so that it is p_{0,k} ⊗ Q_k at q; d its
    origin from O_k in the chain's body axes.
    """

    chain: Chain
    Q: tuple[Quaternion, ...]
    d: tuple[Vec3, ...]
    readings: tuple[Scalar, ...]

    def coordinates(self, q: Iterable[Scalar]) -> tuple[Scalar, ...]:
        """q^k = what joint k reads, less its reading at the reference."""
        q = tuple(q)
        if len(q) != len(self.chain):
            raise ArgumentError(
                f"q has {len(q)} elements; the chain has {len(self.chain)} joints",
                do="give one scalar, or one NumPy column, for each joint",
            )
        return tuple(x - reading for x, reading in zip(q, self.readings, strict=True))

    def model_pose(self, at: Configuration, i: int) -> Pose:
        """X_WB of the model's body i (0 is the first)."""
        return body_pose(at, i) @ Pose(self.Q[i], self.d[i])


def adapt(joints: Iterable[PlacedJoint], gravity: Vec3, *, tool_B: Vec3 | None = None) -> AdaptedChain:
    """A chain whose bodies' axes are parallel to the ground's at q = 0, from one whose are not.

    With Q_k the orientation at the reference, axes become Q_k ⊗ a_k ⊗ Q*_k, vectors likewise, and
    inertias R(Q_k) J R(Q_k)ᵀ. `tool_B` is a point of the last body that ρ_nn leads to.
    """
    joints = tuple(joints)
    for joint in joints:
        require(joint, PlacedJoint, "an element of joints")
    if not joints:
        raise ArgumentError("there are no joints", do="give one PlacedJoint for each body, from base to tip")
    Q_WB, links, Qs, ds = Quaternion.identity(), [], [], []
    for k, joint in enumerate(joints):
        Q_WJ = Q_WB @ joint.X_PJ.q
        Q_WB = Q_WJ @ joint.X_JB.q
        body, d = joint.body, Q_WJ.rotate(joint.X_JB.p)
        end_B = joints[k + 1].X_PJ.p if k + 1 != len(joints) else tool_B
        rho_next = Vec3.zero() if end_B is None else d + Q_WB.rotate(end_B)
        links.append(
            Link.from_centre(
                joint.prismatic,
                Q_WJ.rotate(joint.axis_J),
                rho_next,
                d + Q_WB.rotate(body.p_BBcm),
                body.mass,
                body.I_Bcm_B.rotated(Q_WB.to_matrix()),
            )
        )
        Qs.append(Q_WB)
        ds.append(d)
    chain = Chain(tuple(links), gravity, joints[0].X_PJ.p)
    return AdaptedChain(chain, tuple(Qs), tuple(ds), tuple(joint.reading for joint in joints))
