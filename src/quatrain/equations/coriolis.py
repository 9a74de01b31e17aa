"""The Coriolis matrix of the Levi-Civita connection: C v = c, and Ṁ − 2C skew for every joint type.

In coordinates at rest a velocity moves a point x of its bodies by A x, with the twist's matrix A = [[w]× u; 0 0]
of X(8). With P the composite pseudo-inertia X(9) of a segment, and Q the sum of V P over what it carries, V the
twist of each body,

    C_γβ = Σ ⟨∂x/∂γ, d/dt(∂x/∂β)⟩ = tr((Ȧ_β P + A_β Q) A_γᵀ),   P, Q of the outer one of γ and β,

where Ȧ_β = [V, A_β] is the twist as its own joint carries it along. Each trace is the power of a wrench, whatever the
frame: it is taken in the one at rest in which the machine's first body is just now. There the first joints are plain
numbers, and no digits are lost where a machine is far from the world's origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quatrain.equations.joints import passages
from quatrain.equations.kinematics import Place, places_from_first_bodies
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Segment, Tree
from quatrain.geometry import Mat3, Vec3, cross, dot, outer, skew
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Twist:
    """What moves a point x by u + w × x: A x of X(8)."""

    u: Vec3
    w: Vec3

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.u + other.u, self.w + other.w)

    def __mul__(self, factor: Scalar) -> Twist:
        return Twist(self.u * factor, self.w * factor)

    def bracket(self, other: Twist) -> Twist:
        """[A, B], the twist by which another one changes when it is carried along."""
        return Twist(cross(self.w, other.u) + cross(self.u, other.w), cross(self.w, other.w))

    def power(self, wrench: Twist) -> Scalar:
        """tr(X Aᵀ), where the wrench (f, t) stands for X."""
        return dot(self.u, wrench.u) + dot(self.w, wrench.w)


STILL = Twist(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0))


def coriolis_matrix(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[list[Scalar]]:
    """C(q, v), with C[c, b] = Σ_a Γ[a, b, c] v[a]."""
    tree = Tree.of(model)
    steps = passages(tree, q)
    at = places_from_first_bodies(tree, steps)
    axes = [twists(segment, place) for segment, place in zip(tree.segments, at, strict=True)]
    rates = _rates(tree, axes, v)
    P, Q = _composites(tree, at, rates)
    C: list[list[Scalar]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    for k, segment in enumerate(tree.segments):
        for b, axis in enumerate(axes[k], segment.v):
            moving = rates[k].bracket(axis)
            inner = _of_pseudo_inertia(moving, P[k]) + _of_momentum(axis, Q[k])
            held, carried = _of_pseudo_inertia(axis, P[k]), _of_transpose(axis, Q[k])
            for i in tree.path(k):
                for c, other in enumerate(axes[i], tree.segments[i].v):
                    C[c][b] = C[c][b] + other.power(inner)
                    if i != k:
                        C[b][c] = C[b][c] + rates[i].bracket(other).power(held) + other.power(carried)
    return C


def twists(segment: Segment, place: Place) -> list[Twist]:
    """∂x/∂v of points beyond a segment, for each of its velocities, about what its place is measured from."""
    x, y, z = place.R.columns
    if segment.kind == "ball":
        return [Twist(cross(place.p, axis), axis) for axis in (x, y, z)]
    if segment.kind == "slide":
        return [Twist(z, Vec3(0.0, 0.0, 0.0)) * segment.ratio]
    turn = Twist(cross(place.p, z), z)
    return [(turn if segment.kind == "turn" else Twist(turn.u + z * segment.pitch, z)) * segment.ratio]


def _rates(tree: Tree, axes: Sequence[Sequence[Twist]], v: Sequence[Scalar]) -> list[Twist]:
    """V, the twist of each segment's body."""
    found: list[Twist] = []
    for k, segment in enumerate(tree.segments):
        total = found[segment.parent] if segment.parent != WORLD else STILL
        for j, axis in enumerate(axes[k], segment.v):
            total = total + axis * v[j]
        found.append(total)
    return found


@dataclass(frozen=True)
class Momentum:
    """Q = Σ V P: its 3×3 part and its last column; the last row is zero."""

    X: Mat3
    p: Vec3

    def __add__(self, other: Momentum) -> Momentum:
        return Momentum(self.X + other.X, self.p + other.p)


def _composites(
    tree: Tree, at: Sequence[Place], rates: Sequence[Twist]
) -> tuple[list[PseudoInertia], list[Momentum]]:
    P = [segment.inertia.moved(place.R, place.p) for segment, place in zip(tree.segments, at, strict=True)]
    Q = [
        Momentum(skew(V.w) @ body.Pi.to_mat3() + outer(V.u, body.h), cross(V.w, body.h) + V.u * body.m)
        for V, body in zip(rates, P, strict=True)
    ]
    for k in range(len(P) - 1, -1, -1):
        parent = tree.segments[k].parent
        if parent != WORLD:
            P[parent], Q[parent] = P[parent] + P[k], Q[parent] + Q[k]
    return P, Q


def _of_pseudo_inertia(A: Twist, P: PseudoInertia) -> Twist:
    """The wrench of A P: f = w × h + m u, t = I w + h × u."""
    return Twist(cross(A.w, P.h) + A.u * P.m, P.inertia() @ A.w + cross(P.h, A.u))


def _of_momentum(A: Twist, Q: Momentum) -> Twist:
    """The wrench of A Q: f = w × p, t = Σ eᵢ × (w × X eᵢ)ᵢ… = (tr(X) 1 − X) w, as columns of [w]× X."""
    return Twist(cross(A.w, Q.p), _vee(skew(A.w) @ Q.X))


def _of_transpose(A: Twist, Q: Momentum) -> Twist:
    """The wrench of A Qᵀ = [[w]× Xᵀ + u pᵀ, 0]: no force, only a torque."""
    return Twist(Vec3(0.0, 0.0, 0.0), _vee(skew(A.w) @ Q.X.T + outer(A.u, Q.p)))


def _vee(X: Mat3) -> Vec3:
    """t with tr(X [w]×ᵀ) = t · w."""
    return Vec3(X.zy - X.yz, X.xz - X.zx, X.yx - X.xy)
