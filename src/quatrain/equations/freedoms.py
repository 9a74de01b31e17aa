"""The motions of a model's joints one by one, with their places in q and v: for forces that act in joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quatrain.geometry import Quaternion
from quatrain.joint import Joint, Motion
from quatrain.model import Model
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Freedom:
    """One elementary motion of a joint. Of a joint that follows another: ratio · q + offset, ratio · v."""

    joint: Joint
    motion: Motion
    q: int
    """Its first entry of q."""
    v: int
    at_q: int
    """The first of its joint's coordinates."""
    at_v: int
    """The first of its joint's freedoms."""
    ratio: Scalar
    offset: Scalar

    def rates(self, v: Sequence[Scalar]) -> list[Scalar]:
        return [rate * self.ratio for rate in v[self.v : self.v + self.motion.nv]]

    def own(self, values: Sequence[Scalar]) -> Sequence[Scalar]:
        """Of numbers that the joint has one of for each freedom; zeros if it has none."""
        return values[self.at_v : self.at_v + self.motion.nv] or (0.0,) * self.motion.nv

    def displacement(self, q: Sequence[Scalar], rest: Sequence[Scalar] = ()) -> list[Scalar]:
        """How far it is from a place given by the joint's coordinates, or from zero: of a ball the rotation vector."""
        if self.motion.kind == "ball":
            here = Quaternion(*q[self.q : self.q + 4])
            there = rest[self.at_q : self.at_q + 4]
            return list((Quaternion(*there).conjugate() @ here if there else here).to_rotation_vector())
        coordinate = q[self.q] * self.ratio + self.offset
        return [coordinate - rest[self.at_q] if rest else coordinate]

    def add(self, forces: Sequence[Scalar], tau: list[Scalar]) -> None:
        """Its own forces to those of the velocities."""
        for i, force in enumerate(forces, self.v):
            tau[i] = tau[i] + force * self.ratio


def freedoms(model: Model) -> Iterator[Freedom]:
    """Of all joints, in the order of the bodies."""
    for body, drive, q, v in zip(model.bodies, model.drives, model.q_starts, model.v_starts, strict=True):
        at_q = at_v = 0
        for motion in body.joint.motions:
            yield Freedom(body.joint, motion, q + at_q, v + at_v, at_q, at_v, drive.ratio, drive.offset)
            at_q, at_v = at_q + motion.nq, at_v + motion.nv
