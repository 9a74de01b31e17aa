"""One rigid body: its mass and inertia, and the momentum and energy of its motion.

The origin o of the body's frame B is any point of the body. c = `p_BBcm` leads from there to the centre
of mass (r_cb in the source); what holds for c = 0 only is not used here. The motion is given by the
attitude `R_WB`, the origin's position `p_WB` and velocity `v_WB`, and the angular velocity `w_WB_B`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quatrain.errors import ArgumentError, require
from quatrain.geometry import Mat3, Pose, SymMat3, Vec3, cross, dot, skew, symmetric_outer
from quatrain.scalar import Scalar


@dataclass(frozen=True, slots=True)
class Body:
    """Mass [kg], centre of mass from the origin [m], inertia about the centre of mass [kg m²].

    The products of inertia in `I_Bcm_B` carry their minus sign: I_xy = −∫xy dm.
    """

    mass: Scalar
    p_BBcm: Vec3
    I_Bcm_B: SymMat3

    def __post_init__(self) -> None:
        require(self.p_BBcm, Vec3, "p_BBcm")
        require(self.I_Bcm_B, SymMat3, "I_Bcm_B")

    @classmethod
    def of_points(cls, masses: Sequence[Scalar], points_B: Sequence[Vec3]) -> Body:
        """Point masses fixed to one another; the integrals of the source are these sums.

        Equations: Y(58), Y(59)
        """
        if not masses or len(masses) != len(points_B):
            raise ArgumentError(
                f"{len(masses)} masses and {len(points_B)} points were given",
                do="give as many masses as points, and at least one",
            )
        mass, moment = masses[0], points_B[0] * masses[0]
        for m, r in zip(masses[1:], points_B[1:], strict=True):
            mass, moment = mass + m, moment + r * m
        c = moment / mass
        inertia = point_inertia(masses[0], points_B[0] - c)
        for m, r in zip(masses[1:], points_B[1:], strict=True):
            inertia = inertia + point_inertia(m, r - c)
        return cls(mass, c, inertia)

    @property
    def I_Bo_B(self) -> SymMat3:
        """Inertia about the origin."""
        return self.inertia_about(Vec3.zero())

    def inertia_about(self, p_BQ: Vec3) -> SymMat3:
        """Inertia about a body point Q, in axes B: parallel axes, I_Q = I_c + m (d·d 1 − d dᵀ), d = c − p_BQ.

        Equations: A(11)
        """
        return self.I_Bcm_B + point_inertia(self.mass, self.p_BBcm - p_BQ)  # A(11)

    def in_frame(self, X_BN: Pose) -> Body:
        """The same body, described in another frame N that is fixed to it."""
        require(X_BN, Pose, "X_BN")
        R_NB = X_BN.q.to_matrix().T
        return Body(self.mass, R_NB @ (self.p_BBcm - X_BN.p), self.I_Bcm_B.rotated(R_NB))


# ---- inertia ---------------------------------------------------------------------------------------


def point_inertia(mass: Scalar, r: Vec3) -> SymMat3:
    """m (r·r 1 − r rᵀ) = m S(r)ᵀ S(r): inertia of a point mass at r about the origin, in r's frame.

    Equations: Y(58), Y(59), Y(67)
    Corrected Y(58): matrix entries restored and a stray symbol taken out.
    """
    return (SymMat3.identity() * r.norm_squared() - symmetric_outer(r)) * mass  # Y(58)


def world_inertia(I_B: SymMat3, R_WB: Mat3) -> SymMat3:
    """I_W = R I Rᵀ: an inertia in world axes; it changes as the body turns.

    Equations: Y(63)
    """
    require(I_B, SymMat3, "I_B")
    return I_B.rotated(R_WB)  # Y(63)


def triple_product(a: Vec3, b: Vec3, c: Vec3) -> Vec3:
    """a × (b × c) = (a·c) b − (a·b) c.

    Equations: Y(56)
    """
    return b * dot(a, c) - c * dot(a, b)  # Y(56)


def point_spin(w: Vec3, r: Vec3) -> Vec3:
    """r × (ω × r) = (r·r) ω − (r·ω) r: angular momentum of a unit mass carried at r, about the origin.

    Equations: Y(57)
    """
    return triple_product(r, w, r)  # Y(57)


def point_swing(w: Vec3, r: Vec3) -> Vec3:
    """ω × r = −S(r) ω: velocity at r of a body that turns about the origin.

    Equations: Y(65)
    """
    return -(skew(r) @ w)  # Y(65)


def point_swing_squared(w: Vec3, r: Vec3) -> Scalar:
    """|ω × r|² = ωᵀ S(r)ᵀ S(r) ω.

    Equations: Y(66)
    Corrected Y(66): a lost factor restored.
    """
    return dot(w, skew(r).T @ (skew(r) @ w))  # Y(66)


# ---- momentum --------------------------------------------------------------------------------------


def linear_momentum(body: Body, R_WB: Mat3, v_WB: Vec3, w_WB_B: Vec3) -> Vec3:
    """L = m ṙ_o + ω × m r_cb, in W. [kg m/s]

    Equations: Y(53)
    """
    return (v_WB + R_WB @ cross(w_WB_B, body.p_BBcm)) * body.mass  # Y(53)


def angular_momentum(body: Body, R_WB: Mat3, p_QB_W: Vec3, v_WB: Vec3, w_WB_B: Vec3) -> Vec3:
    """About a point Q that rests in W, in W: `p_QB_W` leads from Q to B's origin. [kg m²/s]

        H = r_o × m ṙ_o + r_o × (ω × m r_cb) + m r_cb × ṙ_o + I_o ω

    With `p_WB` it is the one about W's origin, with −R c the one about the centre of mass, I_c ω.

    Equations: Y(54), Y(55)
    Corrected Y(55): printed without the terms in r_cb, it holds only where o is the centre of mass.
    """
    mc = R_WB @ body.p_BBcm * body.mass
    w = R_WB @ w_WB_B
    H_b = R_WB @ spin_momentum(body, w_WB_B)
    return cross(p_QB_W, v_WB * body.mass) + cross(p_QB_W, cross(w, mc)) + cross(mc, v_WB) + H_b  # Y(54)


def spin_momentum(body: Body, w_WB_B: Vec3) -> Vec3:
    """H_b = ∫ r_b × (ω × r_b) dm = I_o ω, in B: the motion about B's origin alone.

    Equations: Y(55), Y(58)
    """
    return body.I_Bo_B @ w_WB_B  # Y(58)


def spin_momentum_in_world(body: Body, R_WB: Mat3, w_WB: Vec3) -> Vec3:
    """H_b = I_W ω, in W.

    Equations: Y(62)
    """
    return world_inertia(body.I_Bo_B, R_WB) @ w_WB  # Y(62)


# ---- energy ----------------------------------------------------------------------------------------


def kinetic_energy(body: Body, R_WB: Mat3, v_WB: Vec3, w_WB_B: Vec3) -> Scalar:
    """T = ½ (m ṙ_o·ṙ_o + 2 ṙ_o·(ω × m r_cb) + ωᵀ I_o ω). [J]

    Equations: Y(64), Y(67)
    Corrected Y(67): printed without the term in r_cb, it holds only where o is the centre of mass.
    """
    mc = body.p_BBcm * body.mass
    v_WB_B = R_WB.T @ v_WB
    translation = v_WB_B.norm_squared() * body.mass
    coupling = dot(v_WB_B, cross(w_WB_B, mc)) * 2
    return (translation + coupling + body.I_Bo_B.quadratic_form(w_WB_B)) / 2  # Y(64)


def potential_energy(body: Body, R_WB: Mat3, p_WB: Vec3, g_W: Vec3) -> Scalar:
    """P = −m g·(r_o + r_cb) in a uniform field g, zero with the centre of mass in W's origin. [J]

    Equations: Y(68)
    Corrected Y(68): printed without r_cb, it holds only where o is the centre of mass.
    """
    return -dot(g_W, p_WB + R_WB @ body.p_BBcm) * body.mass  # Y(68)
