"""Connection coefficients: the Christoffel symbols of a tree, for every type of joint.

Velocities of ball and free joints are no rates of coordinates, so the symbols are those of the Levi-Civita
connection in a moving basis e_a; where all joints turn or slide they are exactly Z(110). Every point x of the
machine moves by ∂x/∂a = A_a x, with the twist's matrix A = [[w]× u; 0 0] of X(8), and the connection is what
remains of their derivatives along the motions that the joints allow:

    Γ[a, b, c] = Σ ⟨∂/∂a ∂x/∂b, ∂x/∂c⟩ dm = tr(A_first A_second P A_cᵀ)

X(10), where of a and b that one is first which stands nearer to the ground (in one ball a, as its axes turn with
it), and P is the composite pseudo-inertia of the outermost of the three. Of joints that are not on one way to the
ground the symbols are zero. Metric compatibility, M_bc ∂a = Γ[a, b, c] + Γ[a, c, b], gives half of the others.

Rotors count as flywheels that turn at the joint's velocity: their inertia is constant and adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quatrain.equations.coriolis import Twist, coriolis_matrix, twists
from quatrain.equations.forward_dynamics import forward_dynamics
from quatrain.equations.joints import passages
from quatrain.equations.kinematics import places_from_first_bodies
from quatrain.equations.mass_matrix import mass_matrix
from quatrain.equations.mass_matrix_inverse import Factors, couplings
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Tree
from quatrain.geometry import Mat3, Vec3, cross, dot, outer, skew
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar

Symbols = list[list[list[Scalar]]]
"""By a, b and c."""


def christoffel(model: Model, q: Sequence[Scalar]) -> Symbols:
    """Γ[a, b, c] = ⟨∇_a e_b, e_c⟩, of the first kind; a differentiates. C[c, b] = Σ_a Γ[a, b, c] v[a].

    Equations: X(10)
    """
    tree = Tree.of(model)
    found: Symbols = [[[0.0] * tree.nv for _ in range(tree.nv)] for _ in range(tree.nv)]
    for (a, b, c), value in _independent(tree, q):
        found[a][b][c] = found[a][b][c] + value
    return found


def christoffel_second_kind(model: Model, q: Sequence[Scalar]) -> Symbols:
    """Γ[a, b, k] with ∇_a e_b = Σ_k Γ[a, b, k] e_k: those of the first kind times M⁻¹."""
    solve = Factors.of(mass_matrix(model, q), couplings(Tree.of(model))).solve
    return [[solve(row) for row in rows] for rows in christoffel(model, q)]


def structure_constants(model: Model) -> Symbols:
    """c[a, b, k] of [e_a, e_b] = Σ_k c[a, b, k] e_k: zero, but εabk among the angular velocities of a ball.

    The connection has no torsion: ∇_a e_b − ∇_b e_a = [e_a, e_b].
    """
    c: Symbols = [[[0.0] * model.nv for _ in range(model.nv)] for _ in range(model.nv)]
    for segment in Tree.of(model).segments:
        if segment.kind == "ball":
            for n in range(3):
                a, b, k = (segment.v + (n + m) % 3 for m in range(3))
                c[a][b][k], c[b][a][k] = 1.0, -1.0
    return c


# ---- along a motion -----------------------------------------------------------------------------------


def covariant_derivative(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], u: Sequence[Scalar], du: Sequence[Scalar]
) -> list[Scalar]:
    """∇_v u of velocities u that change by du/dt along a motion v: u̇ᵏ + Γ[a, b, k] vᵃ uᵇ = u̇ + M⁻¹ C(q, v) u.

    Of u = v it is what forces make of a motion, M⁻¹ (tau − g); velocities with ∇_v u = 0 are carried along parallel.
    """
    C = coriolis_matrix(model, q, v)
    turned = [sum((entry * rate for entry, rate in zip(row, u, strict=True)), 0.0) for row in C]
    found = Factors.of(mass_matrix(model, q), couplings(Tree.of(model))).solve(turned)
    return [rate + change for rate, change in zip(du, found, strict=True)]


def geodesic_acceleration(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """a with ∇_v v = 0, a = −M⁻¹ C v: how the machine goes on without forces and without gravity."""
    weightless = replace(model, gravity=Vec3(0.0, 0.0, 0.0))
    return forward_dynamics(weightless, q, v, [0.0] * model.nv)


# ---- the entries --------------------------------------------------------------------------------------


def _independent(tree: Tree, q: Sequence[Scalar]) -> Iterator[tuple[tuple[int, int, int], Scalar]]:
    """Every entry that is not zero by structure, with its place: computed once for all that it equals.

    k belongs to the outermost segment K, j and i to those on its way to the ground. Γ[j, k, i] is computed, and

        Γ[k, j, i] =   Γ[j, k, i]     where j is not of K                        XS(1)
        Γ[j, i, k] = − Γ[j, k, i]     where j is not beyond i                    XS(3)
        Γ[i, j, k] =   Γ[j, i, k]     where i and j are of different segments    XS(1)

    Equations: XS(1), XS(2), XS(3), XS(4)
    """
    axes, composites = in_moving_frame(tree, q)
    for K, segment in enumerate(tree.segments):
        path = tree.path(K)[::-1]  # from the ground
        freedoms = [_Freedom(s, tree.segments[s].v + n, axis) for s in path for n, axis in enumerate(axes[s])]
        own = len(freedoms) - segment.nv
        turning = [j for j in freedoms if tree.segments[j.segment].kind != "slide"]  # XS(4)
        for place in range(own, len(freedoms)):
            k = freedoms[place]
            push = _Push.of(k.axis, composites[K])
            # Γ[j, k, i] is antisymmetric in k and i when both are of K; a joint of one freedom has none: XS(2).
            for i in (*freedoms[:own], *freedoms[place + 1 :]):
                row = push.along(i.axis)
                for j in turning:
                    value = dot(row, j.axis.w)  # X(10)
                    yield (j.v, k.v, i.v), value
                    if j.segment != K:
                        yield (k.v, j.v, i.v), value
                    if i.segment == K or (j.segment != K and j.segment <= i.segment):
                        yield (j.v, i.v, k.v), -value
                        if j.segment != i.segment:
                            yield (i.v, j.v, k.v), -value


@dataclass(frozen=True)
class _Freedom:
    segment: int
    v: int
    axis: Twist


@dataclass(frozen=True)
class _Push:
    """A_k P of one motion and what lies beyond it: of tr(A_j A_k P A_iᵀ) = w_j · (p × u_i + (tr X 1 − X)ᵀ w_i), X its
    3×3 part and p its last column."""

    Y: Mat3
    """tr X 1 − Xᵀ"""
    p: Vec3

    @classmethod
    def of(cls, A: Twist, P: PseudoInertia) -> _Push:
        X = skew(A.w) @ P.Pi.to_mat3() + outer(A.u, P.h)
        tr = X.xx + X.yy + X.zz
        Y = Mat3(tr - X.xx, -X.yx, -X.zx, -X.xy, tr - X.yy, -X.zy, -X.xz, -X.yz, tr - X.zz)
        return cls(Y, cross(A.w, P.h) + A.u * P.m)

    def along(self, A: Twist) -> Vec3:
        return cross(self.p, A.u) + self.Y @ A.w


# ---- the frame of the equations -----------------------------------------------------------------------


def in_moving_frame(tree: Tree, q: Sequence[Scalar]) -> tuple[list[list[Twist]], list[PseudoInertia]]:
    """Twists and composite pseudo-inertias X(9), all in the frame of the first body on the way from the ground.

    Traces do not depend on the frame they are taken in, and in this one the first joints are plain numbers:
    nothing depends on where the whole machine stands. Machines that share only the ground have a frame each.
    """
    steps = passages(tree, q)
    at = places_from_first_bodies(tree, steps)
    axes = [twists(segment, place) for segment, place in zip(tree.segments, at, strict=True)]
    P = [segment.inertia.moved(place.R, place.p) for segment, place in zip(tree.segments, at, strict=True)]
    for k in range(len(P) - 1, -1, -1):
        parent = tree.segments[k].parent
        if parent != WORLD:
            P[parent] = P[parent] + P[k]
    return axes, P
