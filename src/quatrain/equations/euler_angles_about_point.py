"""Lagrange's equations in three angles with the origin at any body point: six coupled coordinates.

Coordinates are q = (`p_WB`, `angles`), the position of the origin o in W and the angles of any
convention; W is the body rate map, S(·) the matrix of the vector product, c = `p_BBcm`. Six by six
matrices are written in blocks of the two.
"""

from __future__ import annotations

from quatrain.equations.euler_angles import (
    coriolis_matrix_closed,
    mass_matrix,
    mass_matrix_partials,
    rate_map,
    rate_map_partials,
)
from quatrain.equations.newton_euler import six_by_six
from quatrain.equations.rigid_body import Body
from quatrain.geometry import Mat3, Matrix, Vec3, cross, skew
from quatrain.rotations import AngleConvention


def coupled_mass_matrix(convention: AngleConvention, body: Body, angles: Vec3) -> Matrix:
    """M = [m 1, −m R S(c) W; m Wᵀ S(c) Rᵀ, Wᵀ I_o W], symmetric.

    Equations: A(18)
    """
    coupling = _coupling(convention, body, angles)
    M2 = mass_matrix(convention, body.I_Bo_B, angles).to_mat3()
    return six_by_six(Mat3.identity() * body.mass, coupling, coupling.T, M2)  # A(18)


def coupled_bias(convention: AngleConvention, body: Body, angles: Vec3, rates: Vec3) -> tuple[Vec3, Vec3]:
    """C q̇ = (−m R (S(ω) S(c) W + S(c) Ẇ) q̇₂, Wᵀ (I_o Ẇ + S(ω) I_o W) q̇₂).

    Equations: A(18)
    """
    R, c, I_o = convention.to_matrix(angles), body.p_BBcm, body.I_Bo_B
    W = rate_map(convention, angles)
    w, dW_rates = W @ rates, convention.body_rate_map_derivative(angles, rates) @ rates
    linear = R @ (cross(w, cross(c, w)) + cross(c, dW_rates)) * -body.mass  # A(18)
    angular = W.T @ (I_o @ dW_rates + cross(w, I_o @ w))  # A(18)
    return linear, angular


def coupled_forces(
    convention: AngleConvention, body: Body, angles: Vec3, f_W: Vec3, t_Bo_B: Vec3, g_W: Vec3
) -> tuple[Vec3, Vec3]:
    """τ = (Σ F_i + m g, Wᵀ (Σ S(r_ib) F_i + m S(c) Rᵀ g)), gravity included; forces in W, their moment in B.

    Equations: A(18)
    """
    R = convention.to_matrix(angles)
    weight_moment = cross(body.p_BBcm, R.T @ g_W) * body.mass
    return f_W + g_W * body.mass, rate_map(convention, angles).T @ (t_Bo_B + weight_moment)  # A(18)


def coupled_accelerations(
    convention: AngleConvention, body: Body, angles: Vec3, rates: Vec3, tau1: Vec3, tau2: Vec3
) -> tuple[Vec3, Vec3]:
    """The solution (r̈_o, q̈₂) of M q̈ + C q̇ = τ; an error at the singularity where that is known.

    r̈_o is eliminated; what remains before q̈₂ is Wᵀ (I_o + m S(c)²) W = Wᵀ I_c W.

    Equations: A(18)
    """
    R, c = convention.to_matrix(angles), body.p_BBcm
    W, W_inverse = rate_map(convention, angles), convention.inverse_body_rate_map(angles)
    bias1, bias2 = coupled_bias(convention, body, angles, rates)
    force, moment = tau1 - bias1, W_inverse.T @ (tau2 - bias2)
    ddq2 = W_inverse @ (body.I_Bcm_B.inverse() @ (moment - cross(c, R.T @ force)))  # A(18)
    return force / body.mass + R @ cross(c, W @ ddq2), ddq2  # A(18), first row


def coupled_mass_matrix_partials(
    convention: AngleConvention, body: Body, angles: Vec3
) -> tuple[Matrix, Matrix, Matrix]:
    """∂M/∂x for the three angles, with ∂R/∂x = R S(n), n being the axis of that angle in the body. By r_o it is zero.

    Equations: A(18)
    """
    R, W, S = convention.to_matrix(angles), rate_map(convention, angles), skew(body.p_BBcm)
    partials = zip(
        W.columns,
        rate_map_partials(convention, angles),
        mass_matrix_partials(convention, body.I_Bo_B, angles),
        strict=True,
    )
    zero = Mat3.identity() * 0
    first, second, third = (
        six_by_six(zero, coupling, coupling.T, M2_x.to_mat3())
        for n, W_x, M2_x in partials
        for coupling in (R @ (skew(n) @ (S @ W) + S @ W_x) * -body.mass,)
    )
    return first, second, third


def coupled_coriolis_matrix(
    convention: AngleConvention, body: Body, angles: Vec3, v_WB: Vec3, rates: Vec3
) -> Matrix:
    """C = ½ (Ṁ + D − Dᵀ) with D's columns (∂M/∂q_k) q̇ for all six coordinates; Ṁ − 2 C is skew.

    Equations: A(18)
    """
    velocities = Matrix.from_columns([(*v_WB, *rates)])
    partials = coupled_mass_matrix_partials(convention, body, angles)
    still = (0, 0, 0, 0, 0, 0)
    D = Matrix.from_columns([still, still, still, *((M_x @ velocities).T.rows[0] for M_x in partials)])
    by_first, by_second, by_third = (M_x * rate for M_x, rate in zip(partials, rates, strict=True))
    dM = by_first + by_second + by_third
    return Matrix(tuple(tuple(entry / 2 for entry in row) for row in (dM + D - D.T).rows))  # A(18)


def coupled_coriolis_matrix_closed(
    convention: AngleConvention, body: Body, angles: Vec3, rates: Vec3
) -> Matrix:
    """[0, −m R (S(ω) S(c) W + S(c) Ẇ); 0, Wᵀ I_o Ẇ − Wᵀ S(I_o ω) W]: the same C q̇, Ṁ − 2 C skew, no partials.

    Its lower corner is A(16). The upper one is the whole rate of M's, which is why the left one is empty.

    Equations: A(18)
    """
    R, W, S = convention.to_matrix(angles), rate_map(convention, angles), skew(body.p_BBcm)
    dW = convention.body_rate_map_derivative(angles, rates)
    zero = Mat3.identity() * 0
    coupling_rate = R @ (skew(W @ rates) @ (S @ W) + S @ dW) * -body.mass
    return six_by_six(
        zero, coupling_rate, zero, coriolis_matrix_closed(convention, body.I_Bo_B, angles, rates)
    )


def _coupling(convention: AngleConvention, body: Body, angles: Vec3) -> Mat3:
    """−m R S(c) W"""
    R, W = convention.to_matrix(angles), rate_map(convention, angles)
    return R @ (skew(body.p_BBcm) @ W) * -body.mass
