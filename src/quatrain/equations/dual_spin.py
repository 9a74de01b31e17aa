"""Stability of a hub that spins at ω₃ about its principal axis 3, with a rotor along it, away from gravity.

H is the rotor's momentum relative to the hub, held constant; I = (I₁, I₂, I₃) the moments of all of it,
a damper included. K_i = (I₃ − I_i) ω₃ + H.
"""

from __future__ import annotations

from quatrain.geometry import Vec3
from quatrain.scalar import Scalar


def nutation_stiffness(moments: Vec3, spin: Scalar, momentum: Scalar) -> tuple[Scalar, Scalar]:
    """K₁ and K₂.

    Equations: A(41)
    """
    x, y, z = moments
    return (z - x) * spin + momentum, (z - y) * spin + momentum  # A(41)


def nutation_frequency_squared(moments: Vec3, spin: Scalar, momentum: Scalar) -> Scalar:
    """−λ² = K₁ K₂/(I₁ I₂): without dissipation the spin is stable where this is positive.

    Equations: A(41)
    """
    k1, k2 = nutation_stiffness(moments, spin, momentum)
    return k1 * k2 / (moments.x * moments.y)  # A(41)


def damped_stability_margins(moments: Vec3, spin: Scalar, momentum: Scalar) -> tuple[Scalar, Scalar]:
    """K₁ h₃ and K₂ h₃, h₃ = I₃ ω₃ + H: with dissipation in the hub the spin is stable where both are positive.

    The sign that counts is that of the total axial momentum h₃, not of ω₃.

    Equations: A(41)
    """
    k1, k2 = nutation_stiffness(moments, spin, momentum)
    h3 = moments.z * spin + momentum
    return k1 * h3, k2 * h3  # A(41)
