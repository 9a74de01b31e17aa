"""Twists of joints and pseudo-inertias of bodies about one point, in which the chain's formulas become short.

Everything is in the ground's axes, about one point for all: the ground's origin unless `about` says otherwise.
Choose a nearby point for a chain far from the origin, or digits cancel.
"""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.equations.chain.geometry import Configuration
from quatrain.equations.chain.mass_elements import planar_moment
from quatrain.equations.chain.velocities import partial_rotation
from quatrain.geometry import Mat3, Matrix, SymMat3, Vec3, cross, dot, outer, skew, symmetric_outer
from quatrain.scalar import Scalar

ORIGIN = Vec3(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Moment about the point, and force; a momentum likewise. It pairs with twists to power."""

    moment: Vec3
    force: Vec3

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment + other.moment, self.force + other.force)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.moment - other.moment, self.force - other.force)


@dataclass(frozen=True, slots=True)
class Twist:
    """s = (w, u): angular velocity, and velocity of the body's point that stands in the point of reference."""

    w: Vec3
    u: Vec3

    @classmethod
    def zero(cls) -> Twist:
        return cls(Vec3.zero(), Vec3.zero())

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.w + other.w, self.u + other.u)

    def __mul__(self, factor: Scalar) -> Twist:
        return Twist(self.w * factor, self.u * factor)

    def cross(self, other: Twist) -> Twist:
        """s_a × s_b = (w_a × w_b, w_a × u_b + u_a × w_b)"""
        return Twist(cross(self.w, other.w), cross(self.w, other.u) + cross(self.u, other.w))

    def cross_dual(self, momentum: Wrench) -> Wrench:
        """s ×* f, with (s ×* f)·t = −f·(s × t): rate of a momentum that is carried along."""
        moment = cross(self.w, momentum.moment) + cross(self.u, momentum.force)
        return Wrench(moment, cross(self.w, momentum.force))

    def power(self, wrench: Wrench) -> Scalar:
        """sᵀ f"""
        return dot(self.w, wrench.moment) + dot(self.u, wrench.force)

    def matrix(self) -> Matrix:
        """A = [[w^d], u; 0, 0]: velocity of the point x is A (x, 1).

        Equations: X(8)
        """
        rows = zip(skew(self.w).rows, self.u, strict=True)
        return Matrix((*((*row, u) for row, u in rows), (0, 0, 0, 0)))  # X(8)


@dataclass(frozen=True, slots=True)
class PseudoInertia:
    """P = [S, h; hᵀ, m]: second moments ∫ x xᵀ dm, first moments ∫ x dm and mass. Those of several bodies add."""

    S: SymMat3
    h: Vec3
    m: Scalar

    def __add__(self, other: PseudoInertia) -> PseudoInertia:
        return PseudoInertia(self.S + other.S, self.h + other.h, self.m + other.m)

    def matrix(self) -> Matrix:
        """The 4 × 4 matrix.

        Equations: X(9)
        """
        rows = zip(self.S.rows, self.h, strict=True)
        return Matrix((*((*row, h) for row, h in rows), (*self.h, self.m)))  # X(9)

    def momentum(self, s: Twist) -> Wrench:
        """I s, with the spatial inertia I = [tr(S) 1 − S, [h^d]; −[h^d], m 1].

        Equations: X(11)
        """
        turning = s.w * self.S.trace() - self.S @ s.w
        return Wrench(turning + cross(self.h, s.u), s.u * self.m - cross(self.h, s.w))  # X(11)

    def spatial_matrix(self) -> Matrix:
        """The 6 × 6 spatial inertia, angular part first.

        Equations: X(11)
        """
        upper = SymMat3.identity() * self.S.trace() - self.S
        h, m = skew(self.h), Mat3.identity() * self.m
        left = zip(upper.rows, (-h).rows, strict=True)
        right = zip(h.rows, m.rows, strict=True)
        (a, c), (b, d) = zip(*left, strict=True), zip(*right, strict=True)
        top = ((*row, *more) for row, more in zip(a, b, strict=True))
        bottom = ((*row, *more) for row, more in zip(c, d, strict=True))
        return Matrix((*top, *bottom))  # X(11)


@dataclass(frozen=True, slots=True)
class VelocityProduct:
    """B(I, v) = ½ [(v ×*) I − I (v ×) + (I v) ×̄*], in twelve numbers: B s = (D w, w × t). B's of several bodies add.

    As the quadratic term of accelerations gives it: ∂²x/∂q^α∂q^β = A_inf A_sup x is with v = s_sup
    the integrand of s_γᵀ B s_inf = tr(A_inf (A_v P) A_γᵀ), D and t being the parts of A_v P that matter.
    Echeandia and Wensing, J. Comput. Nonlinear Dynam. 16(9), 2021.
    """

    D: Mat3
    t: Vec3

    @classmethod
    def of(cls, P: PseudoInertia, v: Twist) -> VelocityProduct:
        """D = (u·h) 1 − [w^d] S − {u}(h), t = w × h + m u."""
        swing = Mat3.from_columns(*(cross(v.w, column) for column in P.S.rows))  # S is symmetric
        D = Mat3.identity() * dot(v.u, P.h) - swing - outer(v.u, P.h)
        return cls(D, cross(v.w, P.h) + v.u * P.m)

    def __add__(self, other: VelocityProduct) -> VelocityProduct:
        return VelocityProduct(self.D + other.D, self.t + other.t)

    def __matmul__(self, s: Twist) -> Wrench:
        """B s"""
        return Wrench(self.D @ s.w, cross(s.w, self.t))

    def transposed_times(self, s: Twist) -> Wrench:
        """Bᵀ s"""
        return Wrench(self.D.T @ s.w + cross(self.t, s.u), Vec3.zero())


# ---- of a chain ----------------------------------------------------------------------------------------


def joint_twist(at: Configuration, alpha: int, *, about: Vec3 = ORIGIN) -> Twist:
    """s_α = (ξ̄_α e_α, ξ̄_α o_α × e_α + ξ_α e_α)

    Equations: X(8)
    """
    w, link = partial_rotation(at, alpha, alpha), at.links[alpha]
    return Twist(w, cross(at.o[alpha] - about, w) + at.e[alpha] * link.xi)  # X(8)


def body_pseudo_inertia(at: Configuration, i: int, *, about: Vec3 = ORIGIN) -> PseudoInertia:
    """P_i with R_i Π_i R_iᵀ + m_i r_i r_iᵀ, m_i r_i, m_i

    Equations: X(9)
    """
    link, r = at.links[i], at.r[i] - about
    turned = planar_moment(link.J).rotated(at.p_0[i + 1].to_matrix())
    return PseudoInertia(turned + symmetric_outer(r) * link.mass, r * link.mass, link.mass)  # X(9)


def joint_twists(at: Configuration, *, about: Vec3 = ORIGIN) -> list[Twist]:
    """s_1 … s_n"""
    return [joint_twist(at, alpha, about=about) for alpha in range(at.n)]


def body_pseudo_inertias(at: Configuration, *, about: Vec3 = ORIGIN) -> list[PseudoInertia]:
    """P_1 … P_n"""
    return [body_pseudo_inertia(at, i, about=about) for i in range(at.n)]
