"""A body's mass, first moment and planar moment about a point: all that dynamics asks of it.

The planar moment Π = ∫ r rᵀ dm of Z(128) takes the place of the inertia I = tr(Π) 1 − Π: it moves with its
body like the coordinates do, P → T P Tᵀ for the 4×4 matrix P = [Π h; hᵀ m] of X(9).
"""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.geometry import Mat3, SymMat3, Vec3, outer, symmetric_outer
from quatrain.scalar import Scalar


@dataclass(frozen=True, slots=True)
class PseudoInertia:
    """m = ∫ dm [kg], h = ∫ r dm [kg m], Π = ∫ r rᵀ dm [kg m²], r from the origin of a frame, in its axes."""

    m: Scalar
    h: Vec3
    Pi: SymMat3

    @classmethod
    def zero(cls) -> PseudoInertia:
        return cls(0.0, Vec3(0.0, 0.0, 0.0), SymMat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))

    @classmethod
    def of_body(cls, mass: Scalar, p_BBcm: Vec3, I_Bcm_B: SymMat3) -> PseudoInertia:
        """Π_cm = ½ tr(I_cm) 1 − I_cm, brought to the body's origin."""
        half = I_Bcm_B.trace() * 0.5
        Pi_cm = SymMat3.diagonal(half, half, half) - I_Bcm_B
        return cls(mass, p_BBcm * mass, Pi_cm + symmetric_outer(p_BBcm) * mass)

    def __add__(self, other: PseudoInertia) -> PseudoInertia:
        return PseudoInertia(self.m + other.m, self.h + other.h, self.Pi + other.Pi)

    def moved(self, R_PS: Mat3, p_PS: Vec3) -> PseudoInertia:
        """The same about P's origin in P, for a frame S that stands there so: P → T P Tᵀ."""
        h = R_PS @ self.h
        far = h + p_PS * (self.m * 0.5)
        mixed = outer(far, p_PS)
        both = SymMat3(
            *(mixed.xx + mixed.xx, mixed.yy + mixed.yy, mixed.zz + mixed.zz),
            *(mixed.xy + mixed.yx, mixed.xz + mixed.zx, mixed.yz + mixed.zy),
        )  # h pᵀ + p hᵀ + m p pᵀ
        return PseudoInertia(self.m, h + p_PS * self.m, self.Pi.rotated(R_PS) + both)

    def inertia(self) -> SymMat3:
        """I = tr(Π) 1 − Π, about the origin."""
        Pi = self.Pi
        return SymMat3(Pi.yy + Pi.zz, Pi.xx + Pi.zz, Pi.xx + Pi.yy, -Pi.xy, -Pi.xz, -Pi.yz)
