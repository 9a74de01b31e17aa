"""Equations of motion of one rigid body in Euler parameters, with the multiplier of qᵀq = 1.

q is `q_WB` as a column of four, q̇ and q̈ its derivatives; ω = 2 L q̇ is the body's angular velocity, in the
body; T = ½ ωᵀ J ω. The inertia J and the torque τ, both in the body, are about the mass centre, or about
a point of the body that is fixed in space. Q is a generalised force, a column of four
(`euler_parameter_forces`), and λ the multiplier that belongs to the Jacobian qᵀ and stands on the left.

Three blocks make up every form:

    M = 4 Lᵀ J L      g₅ = 8 Lᵀ L L̇ᵀ J L q̇      g₃ = 8 L̇ᵀ J L q̇

The functions are polynomials as printed, so off the unit sphere they are what the printed forms are
there; `euler_parameter_forms` lists the forms by name and says what each does off the sphere.
"""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.equations.attitude import L_matrix, body_rate
from quatrain.geometry import Matrix, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.scalar import Scalar


@dataclass(frozen=True, slots=True)
class Acceleration:
    """What a form is solved for: q̈, and the multiplier λ or None where the form has none."""

    ddq: Quaternion
    multiplier: Scalar | None


# ---- inertia --------------------------------------------------------------------------------------


def inertia_matrix(q: Quaternion, J: SymMat3) -> Matrix:
    """M = 4 Lᵀ J L, of rank three: M q = 0 for any q."""
    L = L_matrix(q)
    return L.T @ J @ L * 4


def quintic_gyroscopic_force(q: Quaternion, dq: Quaternion, J: SymMat3) -> Quaternion:
    """g₅ = 8 Lᵀ L L̇ᵀ J L q̇, on the unit sphere 2 Lᵀ (ω × J ω)."""
    L, dL = L_matrix(q), L_matrix(dq)
    return L.T @ (L @ (dL.T @ (J @ (L @ dq)))) * 8


def cubic_gyroscopic_force(q: Quaternion, dq: Quaternion, J: SymMat3) -> Quaternion:
    """g₃ = 8 L̇ᵀ J L q̇ = 4 L̇ᵀ J ω, on the unit sphere g₅ − 4 T q."""
    L, dL = L_matrix(q), L_matrix(dq)
    return dL.T @ (J @ (L @ dq)) * 8


def quintic_from_cubic_gyroscopic_force(q: Quaternion, dq: Quaternion, J: SymMat3) -> Quaternion:
    """g₃ − 8 q qᵀ L̇ᵀ J L q̇, which is g₅ on the unit sphere because there Lᵀ L = 1 − q qᵀ.

    Equations: S(27)
    """
    g3 = cubic_gyroscopic_force(q, dq, J)
    return g3 - q * dot(q, g3)  # S(27)


# ---- virtual work ---------------------------------------------------------------------------------


def virtual_rotation(q: Quaternion, delta_q: Quaternion) -> Vec3:
    """δθ = 2 L δq, in the body.

    Equations: S(19)
    """
    return L_matrix(q) @ delta_q * 2  # S(19)


def sphere_violation(q: Quaternion, delta_q: Quaternion) -> Scalar:
    """δqᵀ q, zero for a δq that keeps |q|.

    Equations: S(21)
    """
    return dot(delta_q, q)  # S(21)


def virtual_work_of_free_body(
    m: Scalar,
    J: SymMat3,
    delta_x_W: Vec3,
    delta_theta_B: Vec3,
    a_W: Vec3,
    w_B: Vec3,
    alpha_B: Vec3,
    f_W: Vec3,
    tau_B: Vec3,
) -> Scalar:
    """δx_oᵀ (m ẍ_o − f) + δθᵀ (J ω̇ + ω × J ω − τ), zero for every δx_o and δθ; the origin is the mass centre.

    A pure couple adds to τ.

    Equations: S(18)
    """
    return dot(delta_x_W, a_W * m - f_W) + dot(delta_theta_B, euler_residual(J, w_B, alpha_B, tau_B))  # S(18)


def virtual_work(
    delta_q: Quaternion,
    q: Quaternion,
    dq: Quaternion,
    ddq: Quaternion,
    J: SymMat3,
    Q: Quaternion,
    multiplier: Scalar = 0,
) -> Scalar:
    """δqᵀ (M q̈ + g₅ − Q + q λ), zero in motion: without λ for tangent δq, with it for every δq.

    Q is 2 Lᵀ τ, 2 Lᵀ [u]× Rᵀ f, B₁ᵀ f, 2 Hᵀ Eᵀ f − 2 q uᵀ L Eᵀ f or, since tangent δq do not feel what is
    parallel to q, 2 Hᵀ Eᵀ f alone.

    Equations: S(20), S(22), S(76), S(77), S(78), S(80), S(81)
    Corrected S(77), S(80): overbar and superscript of u restored.
    """
    return dot(delta_q, quintic_residual(q, dq, ddq, J, Q, multiplier))  # S(22)


def virtual_work_of_cubic_form(
    delta_q: Quaternion, q: Quaternion, dq: Quaternion, ddq: Quaternion, J: SymMat3, Q: Quaternion
) -> Scalar:
    """δqᵀ (M q̈ + g₃ − Q), zero in motion for tangent δq: g₃ and g₅ differ by a multiple of q.

    Equations: S(28)
    """
    return dot(delta_q, cubic_residual(q, dq, ddq, J, Q, 0))  # S(28)


# ---- equations of motion --------------------------------------------------------------------------


def euler_residual(J: SymMat3, w_B: Vec3, alpha_B: Vec3, tau_B: Vec3) -> Vec3:
    """J ω̇ + ω × J ω − τ.

    Equations: S(26)
    """
    return J @ alpha_B + cross(w_B, J @ w_B) - tau_B  # S(26)


def quintic_residual(
    q: Quaternion, dq: Quaternion, ddq: Quaternion, J: SymMat3, Q: Quaternion, multiplier: Scalar
) -> Quaternion:
    """M q̈ + g₅ + q λ − Q. With Q = 2 Lᵀ τ = B₁ᵀ f λ is 0, with 2 Hᵀ Eᵀ f it is 2 fᵀRu, with B₂ᵀ f 2 fᵀ(R + 1)u.

    Without q λ three of its four rows are independent: qᵀ q̈ stays undetermined.

    Equations: S(23), S(32), S(79), S(82), D(21)
    Corrected S(23): the text calls q the transposed Jacobian of qᵀq = 1, which is 2q; with 2q every λ halves.
    Corrected S(32): λ = 0 is no measure of quality; in S(34) it holds for any q and q̇, since L q = 0.
    Corrected S(79): λ = 0 here as well, not only for S(23).
    Corrected S(82): section 4.3 ends with two further forms from Q₂; one is new, D(21), and the other is S(82).
    """
    M, g5 = inertia_matrix(q, J), quintic_gyroscopic_force(q, dq, J)
    return M @ ddq + g5 + q * multiplier - Q  # S(23)


def cubic_residual(
    q: Quaternion, dq: Quaternion, ddq: Quaternion, J: SymMat3, Q: Quaternion, multiplier: Scalar
) -> Quaternion:
    """M q̈ + g₃ + q λ − Q; every λ is that of `quintic_residual` plus 4T.

    Equations: S(29)
    """
    M, g3 = inertia_matrix(q, J), cubic_gyroscopic_force(q, dq, J)
    return M @ ddq + g3 + q * multiplier - Q  # S(29)


def projected_residual(q: Quaternion, dq: Quaternion, ddq: Quaternion, J: SymMat3, tau_B: Vec3) -> Vec3:
    """4 J L q̈ + 8 L L̇ᵀ J L q̇ − 2 τ: S(23) as well as S(29) times L. Three equations; the fourth is S(33).

    Equations: S(25), S(31)
    """
    L, dL = L_matrix(q), L_matrix(dq)
    return J @ (L @ ddq) * 4 + L @ (dL.T @ (J @ (L @ dq))) * 8 - tau_B * 2  # S(25)


def constraint_acceleration(q: Quaternion, dq: Quaternion, ddq: Quaternion) -> Scalar:
    """qᵀ q̈ + q̇ᵀ q̇, half the second derivative of qᵀ q.

    Equations: S(33)
    """
    return dot(q, ddq) + dot(dq, dq)  # S(33)


# ---- the multiplier -------------------------------------------------------------------------------


def multiplier_of(q: Quaternion, g: Quaternion, Q: Quaternion) -> Scalar:
    """λ of M q̈ + g + q λ = Q from qᵀq λ = qᵀ (Q − g), since qᵀ M = 0. Any q.

    With g₅ and 2 Lᵀ τ, both at right angles to q, it is zero.

    Equations: S(24), S(37)
    """
    return dot(q, Q - g) / q.norm_squared()  # S(24)


def cubic_multiplier(q: Quaternion, dq: Quaternion, J: SymMat3) -> Scalar:
    """λ = −8 qᵀ L̇ᵀ J L q̇ of S(29), which for any q and q̇ is 2 ωᵀ J ω = 4 T.

    Equations: S(30)
    """
    L, dL = L_matrix(q), L_matrix(dq)
    return dot(q, dL.T @ (J @ (L @ dq))) * -8  # S(30)


def four_kinetic_energies(q: Quaternion, dq: Quaternion, J: SymMat3) -> Scalar:
    """4 T = 2 ωᵀ J ω, the closed form of `cubic_multiplier`."""
    return J.quadratic_form(body_rate(q, dq)) * 2


# ---- the augmented system -------------------------------------------------------------------------


def augmented_matrix(q: Quaternion, J: SymMat3) -> Matrix:
    """[M, q; qᵀ, 0]: the left side of S(34), S(39) and S(83), of determinant −64 (qᵀq)⁴ det J.

    Equations: S(34), S(39), S(83)
    """
    rows = zip(inertia_matrix(q, J).rows, q, strict=True)
    return Matrix((*((*row, entry) for row, entry in rows), (*q, 0)))  # S(34)


def augmented_right_side(dq: Quaternion, g: Quaternion, Q: Quaternion) -> tuple[Scalar, ...]:
    """(−g + Q, −q̇ᵀ q̇): with g₅ and 2 Lᵀ τ that of S(34), with g₃ and it S(39), with g₅ and 2 Hᵀ Eᵀ f S(83).

    Equations: S(34), S(39), S(83)
    """
    return (*(Q - g), -dot(dq, dq))  # S(34)


def augmented_inverse(q: Quaternion, J: SymMat3) -> Matrix:
    """[¼ Lᵀ J⁻¹ L, q; qᵀ, 0], the inverse of `augmented_matrix` on the unit sphere.

    Equations: S(35)
    """
    L = L_matrix(q)
    rows = zip((L.T @ J.inverse() @ L).rows, q, strict=True)
    return Matrix((*((*(entry / 4 for entry in row), x) for row, x in rows), (*q, 0)))  # S(35)


def solve_augmented(q: Quaternion, dq: Quaternion, J: SymMat3, g: Quaternion, Q: Quaternion) -> Acceleration:
    """The solution q̈, λ of [M, q; qᵀ, 0] (q̈, λ) = (−g + Q, −q̇ᵀ q̇), for any q but zero.

    With s = qᵀq the inverse is [Lᵀ J⁻¹ L / 4s², q/s; qᵀ/s, 0].
    """
    L, s = L_matrix(q), q.norm_squared()
    tangent = L.T @ (J.inverse() @ (L @ (Q - g))) / (4 * s * s)
    return Acceleration(tangent - q * (dot(dq, dq) / s), multiplier_of(q, g, Q))


def solve_square(q: Quaternion, dq: Quaternion, J: SymMat3, tau_B: Vec3) -> Quaternion:
    """q̈ from S(25) and S(33) together, four equations without multiplier, for any q but zero.

    With s = qᵀq the inverse of [4 J L; qᵀ] is [Lᵀ J⁻¹ / 4s, q/s].
    """
    L, s = L_matrix(q), q.norm_squared()
    at_rest = projected_residual(q, dq, Quaternion(0, 0, 0, 0), J, tau_B)
    return L.T @ (J.inverse() @ -at_rest) / (4 * s) - q * (dot(dq, dq) / s)


def minimum_norm_acceleration(q: Quaternion, dq: Quaternion, J: SymMat3, Q: Quaternion) -> Quaternion:
    """The shortest q̈ with M q̈ + g₅ = Q, which leaves the sphere at once: S(32) taken alone."""
    L, s = L_matrix(q), q.norm_squared()
    force = Q - quintic_gyroscopic_force(q, dq, J)
    return L.T @ (J.inverse() @ (L @ force)) / (4 * s * s)


# ---- closed forms ---------------------------------------------------------------------------------


def closed_inverse_form(q: Quaternion, dq: Quaternion, J: SymMat3, Q: Quaternion) -> Acceleration:
    """S(36) as printed: the inverse of the unit sphere times the right side of S(34).

    Equations: S(36)
    """
    inverse = augmented_inverse(q, J)
    right_side = augmented_right_side(dq, quintic_gyroscopic_force(q, dq, J), Q)
    *ddq, multiplier = (dot(row, right_side) for row in inverse.rows)  # S(36)
    return Acceleration(Quaternion(*ddq), multiplier)


def explicit_acceleration(q: Quaternion, dq: Quaternion, J: SymMat3, tau_B: Vec3) -> Quaternion:
    """q̈ = −2 Lᵀ J⁻¹ L L̇ᵀ J L q̇ + ½ Lᵀ J⁻¹ τ − q q̇ᵀ q̇, as printed.

    In S(40) it stands beside λ = −8 qᵀ L̇ᵀ J L q̇, in S(38) beside λ = 0.

    Equations: S(38), S(40)
    """
    L, dL, K = L_matrix(q), L_matrix(dq), J.inverse()
    gyroscopic = L.T @ (K @ (L @ (dL.T @ (J @ (L @ dq))))) * -2
    return gyroscopic + L.T @ (K @ tau_B) / 2 - q * dot(dq, dq)  # S(38)


def explicit_form_of_reduced_force(
    q: Quaternion, dq: Quaternion, J: SymMat3, reduced: Quaternion, tau_B: Vec3
) -> Acceleration:
    """S(84) as printed, `reduced` being 2 Hᵀ Eᵀ f of all forces and τ a couple beside them.

        q̈ = −2 Lᵀ J⁻¹ L L̇ᵀ J L q̇ + ½ Lᵀ J⁻¹ L Hᵀ Eᵀ f − q q̇ᵀ q̇,   λ = 2 qᵀ Hᵀ Eᵀ f

    Equations: S(84)
    """
    torque = L_matrix(q) @ reduced / 2 + tau_B  # L Hᵀ Eᵀ f = u × Rᵀ f
    return Acceleration(explicit_acceleration(q, dq, J, torque), dot(q, reduced))  # S(84)


def unconstrained_acceleration(q: Quaternion, dq: Quaternion, J: SymMat3, tau_B: Vec3) -> Quaternion:
    """q̈ for which the attitude q/|q| obeys Euler's equations exactly, at any norm and any rate of it.

    W = 2 L q̇ / s is that attitude's rate and s = qᵀq; then s grows evenly, s̈ = 0, and no multiplier is
    needed. On the sphere q̈ = ½ Lᵀ ω̇ + ½ L̇ᵀ ω = ½ Lᵀ ω̇ − ¼ |ω|² q.
    """
    s, ds = q.norm_squared(), dot(q, dq) * 2
    W = body_rate(q, dq) / s
    dW = J.inverse() @ (tau_B - cross(W, J @ W))
    return L_matrix(q).T @ (dW + W * (ds / s)) / 2 - q * (dot(dq, dq) / s)
