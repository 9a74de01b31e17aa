"""Attitude and its rate in Euler parameters: the matrices E and L, angular velocity in both frames.

q is `q_AB` as a column of four, q̇ its derivative; ω is the angular velocity of B in A, in components of
B (`w_AB_B`) or of A (`w_AB`). Two papers call different matrices G; here E is the one of the space
side, L the one of the body side.
"""

from __future__ import annotations

from quatrain.geometry import Mat3, Matrix, Quaternion, Vec3, skew, skew_part


def E_matrix(q: Quaternion) -> Matrix:
    """E(q) = [−q, q₀ 1 + [q]×], so that E(q) p is the vector part of p ∘ q̄ for any p.

    E Eᵀ = 1 on the unit sphere; E q = 0 and Ė q̇ = 0 everywhere.

    Equations: S(8), S(10), S(12), G(20)
    Corrected S(8): tilde restored.
    """
    w, x, y, z = q
    return Matrix(((-x, w, -z, y), (-y, z, w, -x), (-z, -y, x, w)))


def L_matrix(q: Quaternion) -> Matrix:
    """L(q) = [−q, q₀ 1 − [q]×], so that L(q) p is the vector part of q̄ ∘ p for any p.

    L Lᵀ = 1 on the unit sphere; L q = 0 and L̇ q̇ = 0 everywhere.

    Equations: S(9), S(10), S(12), G(20)
    Corrected S(9): tilde and bar restored.
    """
    w, x, y, z = q
    return Matrix(((-x, w, z, -y), (-y, -z, w, x), (-z, y, -x, w)))


def rotation_matrix(q: Quaternion) -> Mat3:
    """R = E Lᵀ, and R⁻¹ = Rᵀ = L Eᵀ, quadratic in q: off the unit sphere it is |q|² times a rotation.

    `Quaternion.to_matrix` is S(5), which differs from it by (|q|² − 1) 1: D(1).

    Equations: G(19), S(7), D(1)
    """
    return (E_matrix(q) @ L_matrix(q).T).to_mat3()


def tangent_projector(q: Quaternion) -> Matrix:
    """Eᵀ E = Lᵀ L = 1 − q qᵀ: takes a column of four to its part along the unit sphere.

    Equations: G(38), S(11)
    """
    column = Matrix.of(q)
    return Matrix.identity(4) - column @ column.T


def velocity_of_turned_vector(q: Quaternion, dq: Quaternion, x_B: Vec3) -> Vec3:
    """ẋ = q̇ ∘ q̄ ∘ x + x ∘ q ∘ q̄̇ for a vector x fixed in the body; with q̇ ∘ q̄ = (0, ν) it is 2 ν × x.

    Equations: G(9), G(10)
    Corrected G(9): section 1.5.1 prints a minus between the two terms, and that ν and ω are at right angles to x;
        it is a plus, and only ẋ is at right angles to x and to ω.
    Corrected G(10): printed q̄ ∘ q̇ = (0, −ν); it is q ∘ q̄̇ that equals (0, −ν), while q̄ ∘ q̇ = (0, ½ω).
    """
    x = Quaternion.pure(q.rotate(x_B))
    return (dq @ q.conjugate() @ x + x @ q @ dq.conjugate()).vector


def space_rate(q: Quaternion, dq: Quaternion) -> Vec3:
    """ω in components of A: 2 q̇ ∘ q̄ = 2 E q̇ = −2 Ė q.

    Equations: G(11), G(15)
    Corrected G(15): Ė restored.
    """
    return E_matrix(q) @ dq * 2


def body_rate(q: Quaternion, dq: Quaternion) -> Vec3:
    """ω in components of B: 2 q̄ ∘ q̇ = 2 L q̇ = −2 L̇ q.

    Equations: G(13), G(17), S(17)
    Corrected G(13): misprint of the copy used.
    """
    return L_matrix(q) @ dq * 2


def rate_from_space(q: Quaternion, w_AB: Vec3) -> Quaternion:
    """q̇ = ½ Eᵀ ω = ½ (−ω·q, q₀ ω + ω × q), ω in components of A. Needs |q| = 1.

    Equations: G(16)
    """
    return E_matrix(q).T @ (w_AB / 2)


def rate_from_body(q: Quaternion, w_AB_B: Vec3) -> Quaternion:
    """q̇ = ½ Lᵀ ω = ½ (−q·ω, q₀ ω + q × ω), ω in components of B. Needs |q| = 1.

    Equations: G(18)
    """
    return L_matrix(q).T @ (w_AB_B / 2)


def body_rate_matrix(q: Quaternion, dq: Quaternion) -> Mat3:
    """[ω]× = 2 L L̇ᵀ = −2 L̇ Lᵀ, ω in components of B.

    Equations: G(21), S(16)
    Corrected G(21): signs of the 4×4 matrices in its derivation restored; in the summary's (0, ω) ∘ (0, v) the left
        factor is ω in B, ω′.
    """
    return (L_matrix(q) @ L_matrix(dq).T * 2).to_mat3()


def body_rate_from_matrices(R: Mat3, dR: Mat3) -> Vec3:
    """ω in components of B from [ω]× = Rᵀ Ṙ, which is skew because Rᵀ R = 1 is constant.

    Equations: S(13), S(14), S(15)
    """
    return skew_part(R.T @ dR)


def rotation_matrix_rate(R: Mat3, w_AB_B: Vec3) -> Mat3:
    """Ṙ = R [ω]× = −R [ω]×ᵀ with ω in components of B; transposed, Ṙᵀ = −[ω]× Rᵀ; and Ṙ = [R ω]× R.

    Equations: G(39), G(40), Y(49)
    Corrected Y(49): dots on the second bracket restored.
    Corrected G(39): in its derivation (section A.2) the term 2 Ġ q qᵀ Eᵀ has a plus sign; it is zero.
    """
    return R @ skew(w_AB_B)


def axis_rate(w_AB: Vec3, axis: Vec3) -> Vec3:
    """Rate of a body-fixed axis, ω × i, in whichever frame both are given.

    Equations: Y(45), Y(46), Y(47), Y(48)
    """
    return skew(w_AB) @ axis
