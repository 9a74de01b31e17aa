"""Newton's and Euler's equations of one rigid body, in world axes and in body axes, about any body point.

o is the origin of the body's frame and c = `p_BBcm` (r_cb in the source) leads from it to the centre of
mass. Where the source puts o there, c = 0; the equations here hold for every o. `a_WB` is the
acceleration of o, `f` the sum of the applied forces and `t_Bo` their moment about o (`resultant`);
gravity is apart, as the field g.
"""

from __future__ import annotations

from collections.abc import Iterable

from quatrain.equations.rigid_body import Body, world_inertia
from quatrain.geometry import Mat3, Matrix, SymMat3, Vec3, cross, skew


def resultant(forces: Iterable[tuple[Vec3, Vec3]], torque: Vec3 | None = None) -> tuple[Vec3, Vec3]:
    """Σ F_i and Σ r_ib × F_i of forces (F_i, r_ib), and a couple beside them; all in one frame's axes.

    r_ib leads from the origin to where the force acts. [N], [N m]
    """
    f, t = Vec3.zero(), Vec3.zero() if torque is None else torque
    for force, point in forces:
        f, t = f + force, t + cross(point, force)
    return f, t


# ---- rates of the momenta --------------------------------------------------------------------------


def momentum_rate(body: Body, R_WB: Mat3, w_WB: Vec3, alpha_WB: Vec3, a_WB: Vec3) -> Vec3:
    """dL/dt = m (r̈_o + ω̇ × r_cb + ω × (ω × r_cb)), in W; it equals m g + Σ F_i.

    Equations: Y(69), A(12)
    Corrected Y(69): printed without r_cb, m r̈_o, it holds only where o is the centre of mass; the text after it
        cites it as (65).
    """
    c = R_WB @ body.p_BBcm
    return (a_WB + cross(alpha_WB, c) + cross(w_WB, cross(w_WB, c))) * body.mass  # Y(69), A(12)


def angular_momentum_rate(body: Body, R_WB: Mat3, p_WB: Vec3, w_WB: Vec3, alpha_WB: Vec3, a_WB: Vec3) -> Vec3:
    """dH/dt = r_o × dL/dt + m r_cb × r̈_o + dH_b/dt about W's origin, in W; it equals `moment_about_world`.

    For c = 0 it is r_o × m r̈_o + dH_b/dt.

    Equations: Y(71)
    Corrected Y(71): printed without r_cb, it holds only where o is the centre of mass.
    """
    dL = momentum_rate(body, R_WB, w_WB, alpha_WB, a_WB)
    mc = R_WB @ body.p_BBcm * body.mass
    dH_b = spin_momentum_rate_in_world(body, R_WB, w_WB, alpha_WB)
    return cross(p_WB, dL) + cross(mc, a_WB) + dH_b  # Y(71)


def moment_about_world(body: Body, R_WB: Mat3, p_WB: Vec3, f_W: Vec3, t_Bo_W: Vec3, g_W: Vec3) -> Vec3:
    """(r_o + r_cb) × m g + Σ r_i × F_i about W's origin, in W, with Σ r_i × F_i = r_o × Σ F_i + Σ r_ib × F_i.

    Equations: Y(70), Y(71)
    Corrected Y(70): printed r_o × m g; general is (r_o + r_cb) × m g.
    """
    mg = g_W * body.mass
    return cross(p_WB + R_WB @ body.p_BBcm, mg) + cross(p_WB, f_W) + t_Bo_W  # Y(70)


def moment_about_origin(body: Body, R_WB: Mat3, a_WB: Vec3, t_Bo_W: Vec3, g_W: Vec3) -> Vec3:
    """Σ r_ib × F_i + m r_cb × (g − r̈_o), which equals dH_b/dt, in W. About a pivot at rest r̈_o = 0.

    Equations: Y(72), A(14)
    Corrected Y(72): dH_b/dt = Σ r_ib × F_i alone needs r_cb = 0, or r̈_o = g, or r_cb parallel to g − r̈_o; the text
        after it cites it as (69).
    """
    return t_Bo_W + cross(R_WB @ body.p_BBcm, g_W - a_WB) * body.mass  # A(14)


def spin_momentum_rate(body: Body, w_WB_B: Vec3, alpha_WB_B: Vec3) -> Vec3:
    """dH_b/dt, in B: I ω̇, and the triad [ĩ j̃ k̃] turning with S(ω) under I ω.

    Equations: Y(78), Y(79)
    Corrected Y(78): dots on the triad in its second term restored.
    """
    return body.I_Bo_B @ alpha_WB_B + skew(w_WB_B) @ (body.I_Bo_B @ w_WB_B)  # Y(79)


def spin_momentum_rate_in_world(body: Body, R_WB: Mat3, w_WB: Vec3, alpha_WB: Vec3) -> Vec3:
    """dH_b/dt = İ_W ω + I_W ω̇, in W.

    Equations: Y(74)
    """
    I_W = world_inertia(body.I_Bo_B, R_WB)
    return world_inertia_rate(I_W, w_WB) @ w_WB + I_W @ alpha_WB  # Y(74)


def world_inertia_rate(I_W: SymMat3, w_WB: Vec3) -> SymMat3:
    """İ_W = S(ω) I_W + I_W S(ω)ᵀ. The second part annihilates ω, so İ_W ω = ω × I_W ω.

    Equations: Y(76)
    """
    S, I = skew(w_WB), I_W.to_mat3()  # noqa: E741 the name it has in every book
    return SymMat3.from_mat3(S @ I + I @ S.T)  # Y(76)


# ---- in world axes ---------------------------------------------------------------------------------


def world_wrench(
    body: Body, R_WB: Mat3, w_WB: Vec3, alpha_WB: Vec3, a_WB: Vec3, g_W: Vec3
) -> tuple[Vec3, Vec3]:
    """Force and torque about o, in W, that give the body its motion besides gravity.

        Σ F_i        = m (r̈_o + ω̇ × r_cb + ω × (ω × r_cb)) − m g
        Σ r_ib × F_i = I_W ω̇ + ω × I_W ω + m r_cb × (r̈_o − g)

    Equations: Y(73), Y(75), A(12)
    """
    I_W = world_inertia(body.I_Bo_B, R_WB)
    mc = R_WB @ body.p_BBcm * body.mass
    f_W = momentum_rate(body, R_WB, w_WB, alpha_WB, a_WB) - g_W * body.mass  # Y(73)
    t_Bo_W = I_W @ alpha_WB + cross(w_WB, I_W @ w_WB) + cross(mc, a_WB - g_W)  # Y(75), A(12)
    return f_W, t_Bo_W


def world_acceleration(
    body: Body, R_WB: Mat3, w_WB: Vec3, f_W: Vec3, t_Bo_W: Vec3, g_W: Vec3
) -> tuple[Vec3, Vec3]:
    """The accelerations r̈_o and ω̇, in W, under force and torque about o: `world_wrench` solved.

    Equations: Y(73), Y(75), A(12)
    """
    c = R_WB @ body.p_BBcm
    I_W = world_inertia(body.I_Bcm_B, R_WB)
    alpha_WB = I_W.inverse() @ (t_Bo_W - cross(c, f_W) - cross(w_WB, I_W @ w_WB))  # Y(75) about c
    a_WB = f_W / body.mass + g_W - cross(alpha_WB, c) - cross(w_WB, cross(w_WB, c))  # Y(73), A(12)
    return a_WB, alpha_WB


# ---- in body axes ----------------------------------------------------------------------------------


def origin_acceleration(v_WB_B: Vec3, dv_WB_B: Vec3, w_WB_B: Vec3) -> Vec3:
    """Rᵀ r̈_o = ν̇ + ω × ν from the body components ν = Rᵀ ṙ_o of the velocity and their derivatives.

    Equations: Y(77)
    Corrected Y(77): r̈_ox̃ … are components of the inertial acceleration, not second derivatives of components.
    """
    return dv_WB_B + cross(w_WB_B, v_WB_B)  # Y(77)


def body_wrench(body: Body, w_WB_B: Vec3, alpha_WB_B: Vec3, a_WB_B: Vec3, g_B: Vec3) -> tuple[Vec3, Vec3]:
    """Force and torque about o, in B, that give the body its motion besides gravity.

        Σ F_i        = m (Rᵀ r̈_o + ω̇ × c + ω × (ω × c)) − m g_B
        Σ r_ib × F_i = I_o ω̇ + S(ω) I_o ω + m c × (Rᵀ r̈_o − g_B)

    Equations: Y(77), Y(80), A(13)
    Corrected Y(80): the column of forces restored.
    """
    c, I_o = body.p_BBcm, body.I_Bo_B
    swing = cross(alpha_WB_B, c) + cross(w_WB_B, cross(w_WB_B, c))
    f_B = (a_WB_B + swing - g_B) * body.mass  # Y(77)
    t_Bo_B = (
        I_o @ alpha_WB_B + cross(w_WB_B, I_o @ w_WB_B) + cross(c, a_WB_B - g_B) * body.mass
    )  # Y(80), A(13)
    return f_B, t_Bo_B


def body_acceleration(
    body: Body, v_WB_B: Vec3, w_WB_B: Vec3, f_B: Vec3, t_Bo_B: Vec3, g_B: Vec3
) -> tuple[Vec3, Vec3]:
    """ν̇ and ω̇, both in B, under force and torque about o: A(13) solved. Then ṙ_o = R ν, q̇ = ½ q ∘ (0, ω).

    Equations: Y(77), Y(80), A(13)
    """
    c, I_c = body.p_BBcm, body.I_Bcm_B
    alpha_WB_B = I_c.inverse() @ (t_Bo_B - cross(c, f_B) - cross(w_WB_B, I_c @ w_WB_B))  # Y(80) about c
    swing = cross(alpha_WB_B, c) + cross(w_WB_B, cross(w_WB_B, c))
    dv_WB_B = f_B / body.mass + g_B - swing - cross(w_WB_B, v_WB_B)  # A(13), first row
    return dv_WB_B, alpha_WB_B


def spatial_inertia(body: Body) -> Matrix:
    """The matrix of A(13) before (ν̇, ω̇), 6×6: [m 1, −m S(c); m S(c), I_o], symmetric and positive definite.

    Equations: A(13)
    """
    mS = skew(body.p_BBcm) * body.mass
    return six_by_six(Mat3.identity() * body.mass, -mS, mS, body.I_Bo_B.to_mat3())  # A(13)


def spatial_bias(body: Body, v_WB_B: Vec3, w_WB_B: Vec3) -> tuple[Vec3, Vec3]:
    """The terms of A(13) in the velocities: m ω × ν + m ω × (ω × c), and ω × I_o ω + m c × (ω × ν).

    Equations: A(13)
    """
    m, c, w_v = body.mass, body.p_BBcm, cross(w_WB_B, v_WB_B)
    linear = (w_v + cross(w_WB_B, cross(w_WB_B, c))) * m  # A(13)
    angular = cross(w_WB_B, body.I_Bo_B @ w_WB_B) + cross(c, w_v) * m  # A(13)
    return linear, angular


def principal_torque(moments: Vec3, w: Vec3, alpha: Vec3) -> Vec3:
    """Euler's equations in principal axes: the torque Σ r_ib × F_i about o for ω and ω̇ along these axes.

    Equations: Y(81)
    """
    I1, I2, I3 = moments
    return Vec3(
        I1 * alpha.x + (I3 - I2) * w.y * w.z,  # Y(81)
        I2 * alpha.y + (I1 - I3) * w.z * w.x,
        I3 * alpha.z + (I2 - I1) * w.x * w.y,
    )


def six_by_six(a: Mat3, b: Mat3, c: Mat3, d: Mat3) -> Matrix:
    """The matrix [a, b; c, d] of four blocks."""
    upper = zip(a.rows, b.rows, strict=True)
    lower = zip(c.rows, d.rows, strict=True)
    return Matrix((*((*x, *y) for x, y in upper), *((*x, *y) for x, y in lower)))
