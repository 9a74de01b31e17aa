"""Lagrange's equations of a rigid body in three angles, in any convention.

Coordinates are q₁ = `p_WB`, the position of the origin in W, and q₂ = `angles`, in the order of the
convention's letters. W is its body rate map, ω_B = W q̇₂. The body's origin is its centre of mass, so
that the two kinds of coordinates do not couple (`euler_angles_about_point` has any other origin), and
`I_B` is the inertia about it, any symmetric one. The equations in q₂ alone hold as well with the inertia
about a pivot that is fixed in space.

The source has one convention, roll, pitch, yaw ("xyz", Y(31)); z-x-z is "ZXZ". At the singularity M₂
loses a rank: `distance_from_singularity`, and `AngleConvention.determinant` and `condition_number`.
"""

from __future__ import annotations

from quatrain.errors import require
from quatrain.geometry import Mat3, SymMat3, Vec3, cross, dot, skew
from quatrain.rotations import AngleConvention
from quatrain.scalar import Scalar, abs, asin

# ---- the rate map ----------------------------------------------------------------------------------


def rate_map(convention: AngleConvention, angles: Vec3) -> Mat3:
    """W of ω_B = W q̇₂; its columns are the three axes of turning, in the body."""
    require(convention, AngleConvention, "convention")
    return convention.body_rate_map(angles)


def rate_map_partials(convention: AngleConvention, angles: Vec3) -> tuple[Mat3, Mat3, Mat3]:
    """∂W/∂x for the three angles. Seen from the body, an axis of turning is turned back by the turns after it.

    Equations: Y(91)
    """
    axes = rate_map(convention, angles).columns
    n1, n2, n3 = axes if convention.is_intrinsic else axes[::-1]
    rest = Vec3.zero()
    turns = ((rest, rest, rest), (cross(n1, n2), rest, rest), (cross(n1, n3), cross(n2, n3), rest))  # Y(91)
    # Turns in intrinsic order; the letters of an extrinsic convention stand the other way round.
    order = 1 if convention.is_intrinsic else -1
    first, second, third = (Mat3.from_columns(*columns[::order]) for columns in turns[::order])
    return first, second, third


def distance_from_singularity(convention: AngleConvention, angles: Vec3) -> Scalar:
    """How far the middle angle is from where the angles are singular, in [0, π/2]. [rad]

    With s its sine, the rates of the angles grow as 1/s, their accelerations as 1/s², and det M₂ falls as s².
    """
    require(convention, AngleConvention, "convention")
    return asin(abs(convention.determinant(angles)))


# ---- the mass matrix -------------------------------------------------------------------------------


def mass_matrix(convention: AngleConvention, I_B: SymMat3, angles: Vec3) -> SymMat3:
    """M₂ = Wᵀ I W; positive definite but at the singularity.

    Equations: Y(86), A(17)
    Corrected Y(86): the text claims that M₂ is definite throughout; at the singularity it is only semi-definite.
    """
    require(I_B, SymMat3, "I_B")
    return I_B.rotated(rate_map(convention, angles).T)  # Y(86)


def mass_matrix_determinant(convention: AngleConvention, I_B: SymMat3, angles: Vec3) -> Scalar:
    """det M₂ = det I (det W)²: det I cos²θ where the outer axes differ, det I sin²β where they agree.

    Equations: Y(86), A(17)
    """
    require(I_B, SymMat3, "I_B")
    determinant = convention.determinant(angles)
    return I_B.determinant() * determinant * determinant  # Y(86)


def mass_matrix_partials(
    convention: AngleConvention, I_B: SymMat3, angles: Vec3
) -> tuple[SymMat3, SymMat3, SymMat3]:
    """∂M₂/∂x = (∂W/∂x)ᵀ I W + Wᵀ I (∂W/∂x) for the three angles.

    Equations: Y(91)
    Corrected Y(91): ∂ restored in the numerators, and the number.
    """
    require(I_B, SymMat3, "I_B")
    W = rate_map(convention, angles)
    by_angle = (
        SymMat3.from_mat3(W_x.T @ (I_B @ W) + W.T @ (I_B @ W_x))  # Y(91)
        for W_x in rate_map_partials(convention, angles)
    )
    first, second, third = by_angle
    return first, second, third


def mass_matrix_rate(convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3) -> SymMat3:
    """Ṁ₂ = Ẇᵀ I W + Wᵀ I Ẇ.

    Equations: Y(89)
    """
    require(I_B, SymMat3, "I_B")
    W = rate_map(convention, angles)
    dW = convention.body_rate_map_derivative(angles, rates)
    return SymMat3.from_mat3(dW.T @ (I_B @ W) + W.T @ (I_B @ dW))  # Y(89)


# ---- Lagrange's equations --------------------------------------------------------------------------


def kinetic_energy(
    convention: AngleConvention, mass: Scalar, I_B: SymMat3, v_WB: Vec3, angles: Vec3, rates: Vec3
) -> Scalar:
    """T = ½ (m q̇₁ᵀ q̇₁ + q̇₂ᵀ M₂ q̇₂). [J]

    Equations: Y(85)
    Corrected Y(85): it holds only where o is the centre of mass; A(18) otherwise.
    """
    rotation = mass_matrix(convention, I_B, angles).quadratic_form(rates)
    return (v_WB.norm_squared() * mass + rotation) / 2  # Y(85)


def lagrangian(
    convention: AngleConvention,
    mass: Scalar,
    I_B: SymMat3,
    p_WB: Vec3,
    v_WB: Vec3,
    angles: Vec3,
    rates: Vec3,
    g_W: Vec3,
) -> Scalar:
    """L = T − P with P = −m g·q₁.

    Equations: Y(83)
    """
    return kinetic_energy(convention, mass, I_B, v_WB, angles, rates) + dot(g_W, p_WB) * mass  # Y(83)


def generalised_momenta(
    convention: AngleConvention, mass: Scalar, I_B: SymMat3, v_WB: Vec3, angles: Vec3, rates: Vec3
) -> tuple[Vec3, Vec3]:
    """∂L/∂q̇₁ = m q̇₁ and ∂L/∂q̇₂ = M₂ q̇₂.

    Equations: Y(87), Y(89)
    """
    return v_WB * mass, mass_matrix(convention, I_B, angles) @ rates  # Y(87), Y(89)


def generalised_momentum_rates(
    convention: AngleConvention,
    mass: Scalar,
    I_B: SymMat3,
    a_WB: Vec3,
    angles: Vec3,
    rates: Vec3,
    accelerations: Vec3,
) -> tuple[Vec3, Vec3]:
    """d/dt ∂L/∂q̇₁ = m q̈₁ and d/dt ∂L/∂q̇₂ = M₂ q̈₂ + Ṁ₂ q̇₂.

    Equations: Y(87), Y(89)
    """
    M = mass_matrix(convention, I_B, angles)
    dM = mass_matrix_rate(convention, I_B, angles, rates)
    return a_WB * mass, M @ accelerations + dM @ rates  # Y(87), Y(89)


def lagrangian_gradients(
    convention: AngleConvention, mass: Scalar, I_B: SymMat3, angles: Vec3, rates: Vec3, g_W: Vec3
) -> tuple[Vec3, Vec3]:
    """∂L/∂q₁ = −∂P/∂q₁ = m g_W and ∂L/∂q₂ = ½ (q̇₂ᵀ (∂M₂/∂x) q̇₂) for the three angles x.

    Equations: Y(88), Y(90)
    Corrected Y(88): printed with g in body components; P = −m g·q₁ has it in those of W.
    Corrected Y(90): ∂ restored in the numerators.
    """
    partials = mass_matrix_partials(convention, I_B, angles)
    return g_W * mass, Vec3(*(M_x.quadratic_form(rates) for M_x in partials)) / 2  # Y(88), Y(90)


def lagrange_equations(
    convention: AngleConvention,
    mass: Scalar,
    I_B: SymMat3,
    a_WB: Vec3,
    angles: Vec3,
    rates: Vec3,
    accelerations: Vec3,
    g_W: Vec3,
) -> tuple[Vec3, Vec3]:
    """d/dt ∂L/∂q̇ − ∂L/∂q, the generalised forces τ₁ and τ₂ that the motion needs besides gravity.

        m q̈₁ − m g_W = τ₁,   M₂ q̈₂ + Ṁ₂ q̇₂ − ½ (q̇₂ᵀ (∂M₂/∂x) q̇₂) = τ₂

    Equations: Y(84), Y(92), Y(93)
    Corrected Y(84): the text after it calls φ, θ, ψ yaw, pitch, roll; they are roll, pitch, yaw.
    Corrected Y(92): printed with g in body components; it is that of W. So it is the same as Y(73), not Y(77).
    Corrected Y(93): ∂ restored in the numerators.
    """
    dp1, dp2 = generalised_momentum_rates(convention, mass, I_B, a_WB, angles, rates, accelerations)
    L1, L2 = lagrangian_gradients(convention, mass, I_B, angles, rates, g_W)
    return dp1 - L1, dp2 - L2  # Y(84), Y(92), Y(93)


# ---- virtual work ----------------------------------------------------------------------------------


def virtual_displacement(convention: AngleConvention, angles: Vec3, r_B: Vec3, delta_angles: Vec3) -> Vec3:
    """−S(r_ib) W δq₂: by how much small changes of the angles move a body point against the origin, in B.

    Equations: Y(94), Y(95)
    """
    return -(skew(r_B) @ (rate_map(convention, angles) @ delta_angles))  # Y(94), Y(95)


def virtual_work(
    convention: AngleConvention,
    angles: Vec3,
    f_W: Vec3,
    t_Bo_B: Vec3,
    delta_p_WB: Vec3,
    delta_angles: Vec3,
) -> Scalar:
    """δW = Σ F_iᵀ δq₁ + (Σ S(r_ib) F_i)ᵀ W δq₂, from the sum of forces in W and their moment about o in B.

    Equations: Y(96)
    Corrected Y(96): δq₁ is the displacement of o in components of W, so its forces are in W too; printed in
        body components, and with a stray minus sign.
    """
    return dot(f_W, delta_p_WB) + dot(t_Bo_B, rate_map(convention, angles) @ delta_angles)  # Y(96)


def generalised_forces(
    convention: AngleConvention, angles: Vec3, f_W: Vec3, t_Bo_B: Vec3
) -> tuple[Vec3, Vec3]:
    """τ₁ = Σ F_i in W and τ₂ = Wᵀ Σ S(r_ib) F_i with the forces in B.

    Equations: Y(97)
    Corrected Y(97): τ₁ is printed in body components; it is in those of W.
    """
    return f_W, rate_map(convention, angles).T @ t_Bo_B  # Y(97)


# ---- the equations of motion -----------------------------------------------------------------------


def mass_matrix_partials_times_rates(
    convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3
) -> Mat3:
    """D, whose columns are (∂M₂/∂x) q̇₂ for the three angles x; Ṁ₂ q̇₂ = D q̇₂.

    Equations: Y(99), Y(100)
    Corrected Y(100): ∂ restored in the numerators.
    """
    partials = mass_matrix_partials(convention, I_B, angles)
    return Mat3.from_columns(*(M_x @ rates for M_x in partials))  # Y(99), Y(100)


def coriolis_matrix(convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3) -> Mat3:
    """C₂ = ½ (Ṁ₂ + D − Dᵀ), of the Christoffel symbols; Ṁ₂ − 2 C₂ = Dᵀ − D is skew.

    Equations: Y(99), Y(101)
    Corrected Y(99), Y(101): ∂ restored in the numerators.
    """
    dM = mass_matrix_rate(convention, I_B, angles, rates).to_mat3()
    D = mass_matrix_partials_times_rates(convention, I_B, angles, rates)
    return (dM + D - D.T) / 2  # Y(99)


def coriolis_matrix_closed(convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3) -> Mat3:
    """C₂′ = Wᵀ I Ẇ − Wᵀ S(I ω) W: another matrix with C₂′ q̇₂ = C₂ q̇₂ and Ṁ₂ − 2 C₂′ skew, without partials.

    With + S(ω) I in place of − S(I ω) the product stays and the skewness goes.

    Equations: A(16), A(17)
    """
    require(I_B, SymMat3, "I_B")
    W = rate_map(convention, angles)
    dW = convention.body_rate_map_derivative(angles, rates)
    return W.T @ (I_B @ dW) - W.T @ (skew(I_B @ (W @ rates)) @ W)  # A(16)


def angle_forces(
    convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3, accelerations: Vec3
) -> Vec3:
    """M₂ q̈₂ + C₂ q̇₂ = τ₂: the generalised forces of a motion.

    Equations: Y(98)
    """
    M = mass_matrix(convention, I_B, angles)
    C = coriolis_matrix(convention, I_B, angles, rates)
    return M @ accelerations + C @ rates  # Y(98)


def angle_accelerations(
    convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3, tau2: Vec3
) -> Vec3:
    """q̈₂ = M₂⁻¹ (τ₂ − C₂ q̇₂) with M₂⁻¹ = W⁻¹ I⁻¹ W⁻ᵀ; an error at the singularity where that is known.

    Equations: Y(98)
    """
    bias = coriolis_matrix(convention, I_B, angles, rates) @ rates
    W_inverse = convention.inverse_body_rate_map(angles)
    return W_inverse @ (I_B.inverse() @ (W_inverse.T @ (tau2 - bias)))  # Y(98)


def body_torque(
    convention: AngleConvention, I_B: SymMat3, angles: Vec3, rates: Vec3, accelerations: Vec3
) -> Vec3:
    """I W q̈₂ + I Ẇ q̇₂ + S(ω) I W q̇₂ = Σ S(r_ib) F_i: the torque about o, in B, of a motion.

    Wᵀ times it is Y(93).

    Equations: Y(82)
    Corrected Y(82): second and third row of the right side restored.
    """
    require(I_B, SymMat3, "I_B")
    W = rate_map(convention, angles)
    dW = convention.body_rate_map_derivative(angles, rates)
    w_WB_B = W @ rates
    return I_B @ (W @ accelerations) + I_B @ (dW @ rates) + skew(w_WB_B) @ (I_B @ w_WB_B)  # Y(82)
