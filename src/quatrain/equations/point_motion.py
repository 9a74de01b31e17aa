"""Velocity and acceleration of a point that moves with, or in, a moving body.

o is the body's origin, r_b the point seen from it; all vectors in the axes of one frame, whichever it
is, except where a name says otherwise.
"""

from __future__ import annotations

from quatrain.geometry import Mat3, Vec3, cross, skew


def point_velocity(v_o: Vec3, w: Vec3, r_b: Vec3, v_r: Vec3 | None = None) -> Vec3:
    """v = ṙ_o + ω × r_b + v_r; without v_r the velocity of a point of the body.

    Equations: Y(42), Y(51), Y(52)
    Corrected Y(51): labels of its braces restored.
    """
    v = v_o + cross(w, r_b)
    return v if v_r is None else v + v_r


def point_velocity_from_body_components(v_o: Vec3, w: Vec3, R: Mat3, r_b_B: Vec3, v_r_B: Vec3) -> Vec3:
    """v = ṙ_o + S(ω) R r_b + R v_r in reference axes, with r_b and v_r = dr_b/dt in body components.

    Equations: Y(50)
    """
    return v_o + skew(w) @ (R @ r_b_B) + R @ v_r_B


def point_acceleration(
    a_o: Vec3, w: Vec3, alpha: Vec3, r_b: Vec3, v_r: Vec3 | None = None, a_r: Vec3 | None = None
) -> Vec3:
    """a = r̈_o + ω̇ × r_b + ω × (ω × r_b) + 2 ω × v_r + a_r.

    Equations: A(10)
    """
    a = a_o + cross(alpha, r_b) + cross(w, cross(w, r_b))
    a = a if v_r is None else a + cross(w, v_r) * 2
    return a if a_r is None else a + a_r
