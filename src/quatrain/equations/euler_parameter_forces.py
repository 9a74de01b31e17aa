"""A force at a point of a body as a generalised force in Euler parameters, in all three ways.

q is `q_WB`; the force f is in space axes, its point u from the mass centre in body axes, the torque
τ = u × Rᵀ f in body axes. Three functions of q agree on the unit sphere, and f times their derivatives
are three generalised forces that differ by a multiple of q:

    R u with                    derivative on the sphere    generalised force
    R = E Lᵀ / |q|²             B₁ = 2 E H − 2 R u qᵀ       Q₁ = 2 Lᵀ τ, cubic in q
    R = E Lᵀ                    2 E H, for any q            2 Hᵀ Eᵀ f = 2 Δ[f, u] q, linear in q
    R of S(5)                   B₂ = 2 E H + 2 u qᵀ         Q₂, linear in q

They give the same motion and different multipliers; to compare them compare L Q, which is 2 τ for all.
In every function R is E Lᵀ, a polynomial, except where it is an argument or a name says S(5).
"""

from __future__ import annotations

from quatrain.equations.attitude import E_matrix, L_matrix, rotation_matrix
from quatrain.geometry import Mat3, Matrix, Quaternion, Vec3, cross, dot, outer, skew
from quatrain.scalar import Scalar

# ---- torque, positions, velocities ----------------------------------------------------------------


def torque_of_force(R: Mat3, f_W: Vec3, u_B: Vec3) -> Vec3:
    """τ = u × Rᵀ f, in the body.

    Equations: S(41)
    Corrected S(41): overbar and superscript of u restored.
    """
    return cross(u_B, R.T @ f_W)  # S(41)


def point_position(x_W: Vec3, R: Mat3, u_B: Vec3) -> Vec3:
    """r = x_o + R u.

    Equations: S(42)
    Corrected S(42): overbar and superscript of u restored.
    """
    return x_W + R @ u_B  # S(42)


def point_velocity_of_matrix_rate(v_W: Vec3, dR: Mat3, u_B: Vec3) -> Vec3:
    """ṙ = ẋ_o + Ṙ u.

    Equations: S(47)
    Corrected S(47): overbar and superscript of u restored.
    """
    return v_W + dR @ u_B  # S(47)


def point_velocity_of_body_rate(v_W: Vec3, R: Mat3, u_B: Vec3, w_B: Vec3) -> Vec3:
    """ṙ = ẋ_o − R [u]× ω, since [ω]× u = −[u]× ω.

    Equations: S(48), S(49)
    Corrected S(48): overbar and superscript of u restored.
    """
    return v_W - R @ (skew(u_B) @ w_B)  # S(48)


def point_velocity(v_W: Vec3, B: Matrix, dq: Quaternion) -> Vec3:
    """ṙ = ẋ_o + B q̇ with B₁ or B₂; with δx_o and a tangent δq for ẋ_o and q̇ it is δr.

    Equations: S(50), S(52), S(53), S(55), S(56)
    Corrected S(53): overbar and superscript of u restored.
    """
    return v_W + B @ dq  # S(50)


def virtual_work_of_force(f_W: Vec3, delta_r_W: Vec3) -> Scalar:
    """δW = fᵀ δr.

    Equations: S(45)
    """
    return dot(f_W, delta_r_W)  # S(45)


def virtual_work_of_generalised_force(
    Q_x: Vec3, delta_x_W: Vec3, Q: Quaternion, delta_q: Quaternion
) -> Scalar:
    """δW = Q_xᵀ δx_o + Qᵀ δq, where Q_x = f and Q is any of the three.

    Equations: S(46), S(61)
    """
    return dot(Q_x, delta_x_W) + dot(Q, delta_q)  # S(46)


# ---- the matrices B₁, B₂ and H --------------------------------------------------------------------


def H_matrix(u_B: Vec3) -> Matrix:
    """H = [0, −uᵀ; u, −[u]×] = −Hᵀ, so that H q = q ∘ (0, u).

    Equations: S(67)
    Corrected S(67): overbar and superscript of u restored.
    """
    x, y, z = u_B
    return Matrix(((0, -x, -y, -z), (x, 0, z, -y), (y, -z, 0, x), (z, y, -x, 0)))  # S(67)


def B1_matrix(q: Quaternion, u_B: Vec3) -> Matrix:
    """B₁ = −2 R [u]× L, from the angular velocity.

    Equations: S(51)
    Corrected S(51): overbar and superscript of u restored.
    """
    return rotation_matrix(q) @ (skew(u_B) @ L_matrix(q)) * -2  # S(51)


def B2_matrix(q: Quaternion, u_B: Vec3) -> Matrix:
    """B₂ = ∂(R u)/∂q of R from S(5): 2 [2 q₀ u + q × u, (qᵀu) 1 + q uᵀ − q₀ [u]×]. Any q.

    Equations: S(54), S(64)
    Corrected S(54), S(64): overbar and superscript of u restored.
    """
    v = q.vector
    first = u_B * (2 * q.w) + cross(v, u_B)
    block = Mat3.identity() * dot(v, u_B) + outer(v, u_B) - skew(u_B) * q.w
    return _with_first_column(first, block) * 2  # S(64)


def B1_from_H(q: Quaternion, u_B: Vec3) -> Matrix:
    """B₁ = 2 E Lᵀ L H − 2 E Lᵀ u qᵀ, and since E q = 0 on the sphere 2 E H − 2 E Lᵀ u qᵀ.

    Equations: S(73), S(74)
    Corrected S(73), S(74): overbar and superscript of u restored.
    """
    radial = _column_times_row(rotation_matrix(q) @ u_B, q)
    return (E_matrix(q) @ H_matrix(u_B) - radial) * 2  # S(74)


def B2_from_H(q: Quaternion, u_B: Vec3) -> Matrix:
    """B₂ = 2 E H + 2 u qᵀ; with [q]× [u]× = u qᵀ − (qᵀu) 1 its blocks are those of S(64). Any q.

    Equations: S(66), S(68)
    Corrected S(66), S(68): overbar and superscript of u restored.
    """
    return (E_matrix(q) @ H_matrix(u_B) + _column_times_row(u_B, q)) * 2  # S(68)


def product_of_skews(y: Vec3, z: Vec3) -> Mat3:
    """[y]× [z]× = z yᵀ − (yᵀz) 1.

    Equations: S(65)
    """
    return outer(z, y) - Mat3.identity() * dot(y, z)  # S(65)


def L_times_H(q: Quaternion, u_B: Vec3) -> Matrix:
    """L H = −[u]× L + u qᵀ. Any q.

    Equations: S(71), S(72)
    Corrected S(71), S(72): overbar and superscript of u restored.
    """
    return _column_times_row(u_B, q) - skew(u_B) @ L_matrix(q)  # S(72)


def B_difference(q: Quaternion, u_B: Vec3) -> Matrix:
    """B₂ − B₁ = 2 (R + 1) u qᵀ on the sphere: no tangent vector feels it.

    Equations: S(57)
    Corrected S(57): B₁ ≠ B₂ holds generically; they are equal where (R + 1) u = 0, a half-turn with u at
    right angles to its axis.
    """
    return _column_times_row(rotation_matrix(q) @ u_B + u_B, q) * 2  # S(57)


# ---- generalised forces ---------------------------------------------------------------------------


def force_of_torque(q: Quaternion, tau_B: Vec3) -> Quaternion:
    """Q = 2 Lᵀ τ.

    Equations: S(43)
    """
    return L_matrix(q).T @ tau_B * 2  # S(43)


def Q1_force(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Quaternion:
    """Q₁ = 2 Lᵀ [u]× Rᵀ f = 2 Lᵀ τ = B₁ᵀ f. Any q.

    Equations: S(44), S(58), S(59), S(60)
    Corrected S(44), S(59): overbar and superscript of u restored.
    """
    return force_of_torque(q, torque_of_force(rotation_matrix(q), f_W, u_B))  # S(59)


def reduced_force(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Quaternion:
    """2 Hᵀ Eᵀ f = 2 Δ[f, u] q: what Q₁ and Q₂ leave when their multiples of q are dropped. Any q.

    From Q₂ it gives S(82) once more, not a form of its own.

    Equations: D(22)
    """
    return H_matrix(u_B).T @ (E_matrix(q).T @ f_W) * 2  # D(22)


def Q2_force(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Quaternion:
    """Q₂ = B₂ᵀ f.

    Equations: S(62)
    """
    return B2_matrix(q, u_B).T @ f_W  # S(62)


def Q1_from_reduced(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Quaternion:
    """Q₁ = 2 Hᵀ Eᵀ f − 2 q uᵀ L Eᵀ f, on the sphere.

    Equations: S(75)
    Corrected S(75): overbar and superscript of u restored.
    """
    return reduced_force(q, f_W, u_B) - q * (virial(q, f_W, u_B) * 2)  # S(75)


def Q2_from_reduced(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Quaternion:
    """Q₂ = 2 Hᵀ Eᵀ f + 2 q uᵀ f; its second part does no work on a tangent δq. Any q.

    Equations: S(69), S(70)
    Corrected S(69), S(70): overbar and superscript of u restored.
    """
    return reduced_force(q, f_W, u_B) + q * (dot(u_B, f_W) * 2)  # S(69)


def Q_difference(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Quaternion:
    """Q₂ − Q₁ = 2 (fᵀ (R + 1) u) q on the sphere.

    Equations: S(63)
    Corrected S(63): Q₁ ≠ Q₂ holds generically; they are equal where fᵀ (R + 1) u = 0.
    """
    return q * ((virial(q, f_W, u_B) + dot(f_W, u_B)) * 2)  # S(63)


def virial(q: Quaternion, f_W: Vec3, u_B: Vec3) -> Scalar:
    """fᵀ R u, the virial of the force about the mass centre."""
    return dot(f_W, rotation_matrix(q) @ u_B)


def _column_times_row(column: Vec3, row: Quaternion) -> Matrix:
    return Matrix.of(column) @ Matrix.of(row).T


def _with_first_column(first: Vec3, block: Mat3) -> Matrix:
    return Matrix(tuple((a, *row) for a, row in zip(first, block.rows, strict=True)))
