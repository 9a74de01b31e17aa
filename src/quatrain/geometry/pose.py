"""Where a frame stands: orientation and origin together."""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.errors import refuse_factor, require
from quatrain.geometry.mat3 import skew
from quatrain.geometry.matrix import Matrix
from quatrain.geometry.quaternion import Quaternion
from quatrain.geometry.vec3 import Vec3, cross


@dataclass(frozen=True, slots=True)
class Pose:
    """Frame B seen from A: `X_AB = Pose(q_AB, p_AB)`, so that `X_AC = X_AB @ X_BC`."""

    q: Quaternion
    p: Vec3

    def __post_init__(self) -> None:
        require(self.q, Quaternion, "q")
        require(self.p, Vec3, "p")

    @classmethod
    def identity(cls) -> Pose:
        return cls(Quaternion.identity(), Vec3.zero())

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            return refuse_factor(self, other, Pose)
        return Pose(self.q @ other.q, self.apply(other.p))

    def apply(self, r_B: Vec3) -> Vec3:
        """The point with coordinates r in B, in coordinates of A: r_A = r_o + R r_B.

        Equations: Y(38), Y(39), Y(40), S(1)
        Corrected S(1): superscript and overbar restored.
        """
        return self.p + self.q.rotate(r_B)

    def inverse(self) -> Pose:
        """Frame A seen from B."""
        return Pose(self.q.conjugate(), -self.q.inverse_rotate(self.p))

    def to_matrix(self) -> Matrix:
        """The homogeneous transform T = [R r_o; 0 1], with T⁻¹ = [Rᵀ −Rᵀr_o; 0 1] that of the inverse.

        Equations: Y(41)
        Corrected Y(41): lost in the copy used, restored.
        """
        rows = zip(self.q.to_matrix().rows, self.p, strict=True)
        return Matrix((*((*row, origin) for row, origin in rows), (0, 0, 0, 1)))

    def adjoint(self) -> Matrix:
        """6×6: takes the twist (linear, angular) of a body about B's origin, in B, to A's origin, in A.

        [R, [p]×R; 0, R]. Its inverse transpose takes a wrench (force, torque).
        """
        R = self.q.to_matrix()
        upper = zip(R.rows, (skew(self.p) @ R).rows, strict=True)
        lower = ((0, 0, 0, *row) for row in R.rows)
        return Matrix((*((*a, *b) for a, b in upper), *lower))

    def transform_twist(self, v_B: Vec3, w_B: Vec3) -> tuple[Vec3, Vec3]:
        """The adjoint applied: velocity about A's origin and angular velocity, both in A."""
        w_A = self.q.rotate(w_B)
        return self.q.rotate(v_B) + cross(self.p, w_A), w_A

    def transform_wrench(self, f_B: Vec3, t_B: Vec3) -> tuple[Vec3, Vec3]:
        """Force, and torque about A's origin, both in A, from force and torque about B's origin in B."""
        f_A = self.q.rotate(f_B)
        return f_A, self.q.rotate(t_B) + cross(self.p, f_A)
