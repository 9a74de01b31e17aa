"""What each elementary motion does: how components pass through it, and what its coordinates mean.

Every joint is made of these (`model.JOINT_KINDS`), and the recursions know nothing else about joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quatrain.equations.tree import Segment, Tree
from quatrain.geometry import Mat3, Quaternion, Vec3
from quatrain.scalar import Scalar, cos, sin

Z = Vec3(0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Passage:
    """From a segment's frame S to its parent's frame P, at some q."""

    segment: Segment
    R: Mat3 | None
    """Of a ball: its rotation matrix."""
    c: Scalar
    s: Scalar
    """Of a turn or a screw: cosine and sine of its angle."""
    p: Vec3
    """S's origin in P."""

    def to_parent(self, v_S: Vec3) -> Vec3:
        return self.segment.R_PS0 @ self._turned(v_S)

    def to_child(self, v_P: Vec3) -> Vec3:
        return self._turned_back(self.segment.R_PS0.T @ v_P)

    def _turned(self, v: Vec3) -> Vec3:
        if self.segment.kind == "slide":
            return v
        if self.R is not None:
            return self.R @ v
        return Vec3(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y, v.z)

    def _turned_back(self, v: Vec3) -> Vec3:
        if self.segment.kind == "slide":
            return v
        if self.R is not None:
            return self.R.T @ v
        return Vec3(self.c * v.x + self.s * v.y, self.c * v.y - self.s * v.x, v.z)

    def matrix(self) -> Mat3:
        """R_PS"""
        if self.segment.kind == "slide":
            return self.segment.R_PS0
        if self.R is not None:
            return self.segment.R_PS0 @ self.R
        x, y, z = self.segment.R_PS0.columns
        return Mat3.from_columns(x * self.c + y * self.s, y * self.c - x * self.s, z)


def passages(tree: Tree, q: Sequence[Scalar]) -> list[Passage]:
    """One for each segment."""
    return [passage(segment, q) for segment in tree.segments]


def passage(segment: Segment, q: Sequence[Scalar]) -> Passage:
    """Of one segment, which reads its own entries of q."""
    if segment.kind == "ball":
        R = Quaternion(*q[segment.q : segment.q + 4]).to_matrix()
        return Passage(segment, R, 1.0, 0.0, segment.p_PS0)
    angle = coordinate(segment, q)
    axis_P = segment.R_PS0.columns[2]
    if segment.kind == "slide":
        return Passage(segment, None, 1.0, 0.0, segment.p_PS0 + axis_P * angle)
    p = segment.p_PS0 if segment.kind == "turn" else segment.p_PS0 + axis_P * (angle * segment.pitch)
    turned = angle * segment.turning
    return Passage(segment, None, cos(turned), sin(turned), p)


def coordinate(segment: Segment, q: Sequence[Scalar]) -> Scalar:
    """The angle of a turn or a screw, the length of a slide."""
    return q[segment.q] * segment.ratio + segment.offset


# ---- rates --------------------------------------------------------------------------------------------


def relative_rates(segment: Segment, v: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    """Angular velocity of S in P, and velocity of its origin, both in S."""
    k = segment.v
    if segment.kind == "ball":
        return Vec3(*v[k : k + 3]), Vec3(0.0, 0.0, 0.0)
    rate = v[k] * segment.ratio
    if segment.kind == "slide":
        return Vec3(0.0, 0.0, 0.0), Z * rate
    return Z * (rate * segment.turning), Z * (rate * segment.pitch)


def forces_along(segment: Segment, f_S: Vec3, t_S: Vec3) -> list[Scalar]:
    """The part of a wrench at S's origin that does work in the motion: one for each velocity."""
    if segment.kind == "ball":
        return list(t_S)
    if segment.kind == "slide":
        return [f_S.z * segment.ratio]
    return [(t_S.z * segment.turning + f_S.z * segment.pitch) * segment.ratio]


# ---- integration ---------------------------------------------------------------------------------------
# Entries are written in their places: a joint that follows another writes what that one does.


def coordinate_rates(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """q̇ = N(q) v"""
    rates: list[Scalar] = [0.0] * tree.nq
    for segment in tree.segments:
        k, j = segment.q, segment.v
        if segment.kind == "ball":
            rates[k : k + 4] = Quaternion(*q[k : k + 4]).derivative(Vec3(*v[j : j + 3]))
        else:
            rates[k] = v[j]
    return rates


def integrate(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
    """q ⊕ v dt: where the joints are after the time dt at these velocities; quaternions stay of unit norm."""
    moved: list[Scalar] = [0.0] * tree.nq
    for segment in tree.segments:
        k, j = segment.q, segment.v
        if segment.kind == "ball":
            moved[k : k + 4] = Quaternion(*q[k : k + 4]).integrate(Vec3(*v[j : j + 3]) * dt)
        else:
            moved[k] = q[k] + v[j] * dt
    return moved


def difference(tree: Tree, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """The velocity that leads from q0 to q1 in unit time, by the shorter way for quaternions."""
    found: list[Scalar] = [0.0] * tree.nv
    for segment in tree.segments:
        k, j = segment.q, segment.v
        if segment.kind == "ball":
            between = Quaternion(*q0[k : k + 4]).conjugate() @ Quaternion(*q1[k : k + 4])
            found[j : j + 3] = between.to_rotation_vector()
        else:
            found[j] = q1[k] - q0[k]
    return found


def neutral(tree: Tree) -> list[Scalar]:
    """All joints at zero, quaternions (1, 0, 0, 0)."""
    found: list[Scalar] = [0.0] * tree.nq
    for segment in tree.segments:
        if segment.kind == "ball":
            found[segment.q] = 1.0
    return found
