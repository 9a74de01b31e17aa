"""Rates across a moving frame: O inertial, F moving (an orbital frame, say), B body."""

from __future__ import annotations

from quatrain.geometry import Quaternion, Vec3, cross


def composed_attitude(q_OF: Quaternion, q_FB: Quaternion) -> Quaternion:
    """q_OB = q_OF ∘ q_FB.

    Equations: G(41)
    """
    return q_OF @ q_FB


def composed_rate(q_FB: Quaternion, w_OF_F: Vec3, w_FB_B: Vec3) -> Vec3:
    """ω_I = Rᵀ ω_o + ω: the body's inertial rate, in the body, from the frame's and the relative one.

    Equations: G(42)
    Corrected G(42): subscripts restored.
    """
    return q_FB.inverse_rotate(w_OF_F) + w_FB_B


def composed_acceleration(
    q_FB: Quaternion, w_OF_F: Vec3, alpha_OF_F: Vec3, w_FB_B: Vec3, alpha_FB_B: Vec3
) -> Vec3:
    """ω̇_I = ω̇ + Rᵀ ω̇_o − ω × Rᵀ ω_o, each derivative taken in the frame the vector is given in.

    Equations: A(20)
    """
    return alpha_FB_B + q_FB.inverse_rotate(alpha_OF_F) - cross(w_FB_B, q_FB.inverse_rotate(w_OF_F))


def relative_quaternion_rate(q_FB: Quaternion, w_OF_F: Vec3, w_OB_B: Vec3) -> Quaternion:
    """q̇_FB = ½ q ∘ (0, ω_I) − ½ (0, ω_o) ∘ q from both inertial rates.

    Equations: A(21)
    """
    return q_FB.derivative(w_OB_B) - q_FB.derivative_from_space_rate(w_OF_F)
