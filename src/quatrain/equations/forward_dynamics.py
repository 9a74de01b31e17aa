"""Accelerations from forces: the articulated-body algorithm, three passes over the tree.

Seen from its parent, a segment with all that hangs on it answers an acceleration with a wrench,

    f = M a + G α + f₀        t = Gᵀ a + J α + t₀

("articulated inertia"): joints give way, so it is less than the composite body's. From the leaves inwards each
joint takes away what it lets go; from the ground outwards accelerations follow.

R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7; with the accelerations of points, not of
spatial vectors, so that what velocities do enters as a + U r, as in `inverse_dynamics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quatrain.equations.inverse_dynamics import NO_FORCE, ZERO, Wrench, pushes, turning
from quatrain.equations.joints import Passage, passage, passages, relative_rates
from quatrain.equations.mass_matrix_inverse import accelerations
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.sweep import AT_REST, At, Sweep, kept_of, passed_again, sweep_of, zeros
from quatrain.equations.tree import Segment, Tree
from quatrain.geometry import Mat3, SymMat3, Vec3, cross, dot, skew
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


def forward_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    external: Mapping[str, Wrench] | None = None,
) -> list[Scalar]:
    """a with M a + C v + g = tau + Jᵀ f: joint accelerations [rad/s² or m/s²]."""
    tree = Tree.of(model)
    if tree.shared:  # forces of one velocity act at several places, and no joint yields alone
        return accelerations(model, q, v, tau, external)
    sweep = None if external else sweep_of(tree, q)
    if sweep is not None:
        return looped(sweep, q, v, tau)
    steps = passages(tree, q)
    pushed = pushes(model, tree, steps, q, external or {})
    swings = _swings(tree, steps, v)
    yielding = _inward(tree, steps, swings, tau, pushed)
    return _outward(tree, steps, swings, yielding)


# ---- what velocities do ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Swing:
    """Of a segment, in S: angular velocity, and the accelerations that velocities alone would give it."""

    w: Vec3
    alpha: Vec3
    acceleration: Vec3


def _swings(tree: Tree, steps: Sequence[Passage], v: Sequence[Scalar]) -> list[Swing]:
    swings: list[Swing] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        w_before = swings[segment.parent].w if segment.parent != WORLD else ZERO
        swings.append(swing(step, w_before, v))
    return swings


def swing(step: Passage, w_before: Vec3, v: Sequence[Scalar]) -> Swing:
    """Of one segment, from the angular velocity of its parent."""
    w_r, v_r = relative_rates(step.segment, v)
    w_P = step.to_child(w_before)
    centripetal = step.to_child(turning(w_before, ZERO) @ step.p)
    return Swing(w_P + w_r, cross(w_P, w_r), centripetal + cross(w_P, v_r) * 2.0)


def _gyroscopic(w: Vec3, inertia: PseudoInertia) -> Wrench:
    """f₀ = [ω]×[ω]× h and t₀ = ω × I ω of a free body."""
    return cross(w, cross(w, inertia.h)), cross(w, inertia.inertia() @ w)


# ---- inwards --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Articulated:
    """f = M a + G α + f0 and t = Gᵀ a + J α + t0, about one point, in one frame."""

    M: SymMat3
    G: Mat3
    J: SymMat3
    f0: Vec3
    t0: Vec3

    @classmethod
    def of_body(cls, inertia: PseudoInertia, w: Vec3) -> Articulated:
        f0, t0 = _gyroscopic(w, inertia)
        m = inertia.m
        return cls(SymMat3(m, m, m, 0.0, 0.0, 0.0), -skew(inertia.h), inertia.inertia(), f0, t0)

    def __add__(self, other: Articulated) -> Articulated:
        return Articulated(
            self.M + other.M, self.G + other.G, self.J + other.J, self.f0 + other.f0, self.t0 + other.t0
        )

    def answer(self, a: Vec3, alpha: Vec3) -> Wrench:
        f = self.M @ a + self.G @ alpha + self.f0
        return f, self.G.T @ a + self.J @ alpha + self.t0

    def at_parent(self, step: Passage) -> Articulated:
        """About P's origin in P. With a_S = a_P − p × α there:

        M' = R M Rᵀ,   G' = R G Rᵀ − M' [p]×,   J' = R J Rᵀ + [p]× G' + ([p]× R G Rᵀ)ᵀ
        """
        R, P = step.matrix(), skew(step.p)
        M = self.M.rotated(R)
        G_S = R @ self.G @ R.T
        G = G_S - M @ P
        both = P @ G + (P @ G_S).T
        J = self.J.rotated(R) + SymMat3(both.xx, both.yy, both.zz, both.xy, both.xz, both.yz)
        f0 = step.to_parent(self.f0)
        return Articulated(M, G, J, f0, step.to_parent(self.t0) + cross(step.p, f0))


@dataclass(frozen=True)
class Yield:
    """What a joint answers: q̈ = D⁻¹ (u − Uᵀ(a, α)) for an acceleration of S as if the joint were locked."""

    U: tuple[Wrench, ...]
    """A column (f, t) for each velocity."""
    Dinv: SymMat3 | Scalar
    u: tuple[Scalar, ...]

    def acceleration(self, a: Vec3, alpha: Vec3) -> list[Scalar]:
        left = [u - dot(f, a) - dot(t, alpha) for u, (f, t) in zip(self.u, self.U, strict=True)]
        if isinstance(self.Dinv, SymMat3):
            return list(self.Dinv @ Vec3(*left))
        return [left[0] * self.Dinv]


def _inward(
    tree: Tree,
    steps: Sequence[Passage],
    swings: Sequence[Swing],
    tau: Sequence[Scalar],
    pushed: Mapping[int, Wrench],
) -> list[Yield]:
    bodies = [
        Articulated.of_body(segment.inertia, swing.w)
        for segment, swing in zip(tree.segments, swings, strict=True)
    ]
    for k, (f, t) in pushed.items():
        own = bodies[k]
        bodies[k] = Articulated(own.M, own.G, own.J, own.f0 - f, own.t0 - t)
    yields: list[Yield] = []
    for k in range(len(bodies) - 1, -1, -1):
        segment = tree.segments[k]
        given, left = released(segment, bodies[k], swings[k], tau)
        yields.append(given)
        if segment.parent != WORLD:
            bodies[segment.parent] = bodies[segment.parent] + left.at_parent(steps[k])
    return yields[::-1]


def released(
    segment: Segment, body: Articulated, swing: Swing, tau: Sequence[Scalar]
) -> tuple[Yield, Articulated]:
    """How the joint answers, and what its parent feels of the segment: I − U D⁻¹ Uᵀ, and the bias with ζ in it."""
    if segment.kind == "ball":
        return _released_ball(segment, body, swing, tau)
    z = 2  # every motion is along z
    G, J, M = body.G, body.J, body.M
    turn = (G.columns[z], J.rows[z])
    slide = (M.rows[z], G.rows[z])
    if segment.kind == "turn":
        U, pushed_along, D = turn, body.t0.z, J.zz
    elif segment.kind == "slide":
        U, pushed_along, D = slide, body.f0.z, M.zz
    else:
        by_turn, by_slide = segment.turning, segment.pitch
        U = (turn[0] * by_turn + slide[0] * by_slide, turn[1] * by_turn + slide[1] * by_slide)
        pushed_along = body.t0.z * by_turn + body.f0.z * by_slide
        D = U[1].z * by_turn + U[0].z * by_slide
    rotor = segment.armature[0]
    Dinv = 1.0 / (D + rotor)
    u = tau[segment.v] - pushed_along
    Uf, Ut = U[0] * Dinv, U[1] * Dinv
    left = Articulated(
        M - _dyad(Uf, U[0]),
        Mat3.from_columns(*(g - U[0] * e for g, e in zip(G.columns, Ut, strict=True))),
        J - _dyad(Ut, U[1]),
        body.f0 + Uf * u,
        body.t0 + Ut * u,
    )
    if isinstance(rotor, float) and rotor == 0.0:
        left = _let_go(segment, left, tau[segment.v])
    f0, t0 = left.answer(swing.acceleration, swing.alpha)
    locked = Yield((U,), Dinv, (u,))
    return locked, Articulated(left.M, left.G, left.J, f0, t0)


def _let_go(segment: Segment, left: Articulated, tau: Scalar) -> Articulated:
    """Without a rotor nothing is felt along the joint but its own force: zeros that rounding would only blur."""
    zero = 0.0
    if segment.kind == "turn":
        x, y, _ = left.G.columns
        J = SymMat3(left.J.xx, left.J.yy, zero, left.J.xy, zero, zero)
        t0 = Vec3(left.t0.x, left.t0.y, tau)
        return Articulated(left.M, Mat3.from_columns(x, y, Vec3(zero, zero, zero)), J, left.f0, t0)
    if segment.kind == "slide":
        x, y, _ = left.G.rows
        M = SymMat3(left.M.xx, left.M.yy, zero, left.M.xy, zero, zero)
        f0 = Vec3(left.f0.x, left.f0.y, tau)
        return Articulated(M, Mat3.from_rows(x, y, Vec3(zero, zero, zero)), left.J, f0, left.t0)
    return left


def _released_ball(
    segment: Segment, body: Articulated, swing: Swing, tau: Sequence[Scalar]
) -> tuple[Yield, Articulated]:
    k = segment.v
    D = body.J + SymMat3.diagonal(*segment.armature)
    Dinv = D.inverse()
    u = Vec3(*tau[k : k + 3]) - body.t0
    columns = tuple(zip(body.G.columns, body.J.rows, strict=True))
    W = Mat3.from_rows(*(Dinv @ row for row in body.G.rows))  # G D⁻¹
    V = body.J @ Dinv
    if all(isinstance(rotor, float) and rotor == 0.0 for rotor in segment.armature):
        zero = Mat3(*(0.0,) * 9)
        left = Articulated(
            _symmetric_product(body.M, W, body.G),
            zero,
            SymMat3(*(0.0,) * 6),
            body.f0 + W @ u,
            Vec3(*tau[k : k + 3]),
        )
    else:
        left = Articulated(
            _symmetric_product(body.M, W, body.G),
            body.G - W @ body.J.to_mat3(),
            SymMat3.from_mat3(body.J.to_mat3() - V @ body.J.to_mat3()),
            body.f0 + W @ u,
            body.t0 + V @ u,
        )
    f0, t0 = left.answer(swing.acceleration, swing.alpha)
    return Yield(columns, Dinv, tuple(u)), Articulated(left.M, left.G, left.J, f0, t0)


def _symmetric_product(M: SymMat3, W: Mat3, G: Mat3) -> SymMat3:
    """M − W Gᵀ, of which the upper half is computed."""
    x, y, z = W.rows
    a, b, c = G.rows
    return M - SymMat3(dot(x, a), dot(y, b), dot(z, c), dot(x, b), dot(x, c), dot(y, c))


def _dyad(a: Vec3, b: Vec3) -> SymMat3:
    """a bᵀ of parallel vectors."""
    return SymMat3(a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z)


# ---- outwards -------------------------------------------------------------------------------------------


def _outward(
    tree: Tree, steps: Sequence[Passage], swings: Sequence[Swing], yielding: Sequence[Yield]
) -> list[Scalar]:
    motions: list[tuple[Vec3, Vec3]] = []
    found: list[Scalar] = [0.0] * tree.nv
    for k, (segment, step) in enumerate(zip(tree.segments, steps, strict=True)):
        before = motions[segment.parent] if segment.parent != WORLD else (-tree.gravity, ZERO)
        motion, own = followed(step, swings[k], yielding[k], before)
        found[segment.v : segment.v + segment.nv] = own
        motions.append(motion)
    return found


def followed(
    step: Passage, swing: Swing, yielding: Yield, before: tuple[Vec3, Vec3]
) -> tuple[tuple[Vec3, Vec3], list[Scalar]]:
    """Acceleration and angular acceleration of one segment from its parent's, and those of its joint."""
    a_P, alpha_P = before
    a = step.to_child(a_P + cross(alpha_P, step.p)) + swing.acceleration
    alpha = step.to_child(alpha_P) + swing.alpha
    own = yielding.acceleration(a, alpha)
    alpha_r, a_r = relative_rates(replace(step.segment, v=0), own)
    return (a + a_r, alpha + alpha_r), own


# ---- many bodies ----------------------------------------------------------------------------------------


def looped(sweep: Sweep, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
    """The three passes over a tree of many bodies, as loops."""
    at_q, at_v, at_tau = (sweep.row(values) for values in (q, v, tau))

    def out(at: At, w_before: Vec3) -> Any:
        step = passage(at.segment, at.of_q(at_q))
        own = swing(step, w_before, at.of_v(at_v))
        return own.w, (own, kept_of(step))

    def back(at: At, hanging: Articulated) -> Any:
        own, kept = swung.of(at)
        body = Articulated.of_body(at.segment.inertia, own.w) + hanging
        given, left = released(at.segment, body, own, at.of_v(at_tau))
        return left.at_parent(passed_again(at, kept, at_q)), given

    def follow(at: At, before: tuple[Vec3, Vec3]) -> Any:
        own, kept = swung.of(at)
        motion, found = followed(passed_again(at, kept, at_q), own, yielding.of(at), before)
        return motion, tuple(found)

    still = Swing(ZERO, ZERO, ZERO)
    swung = sweep.outwards(ZERO, lambda nv: (still, AT_REST), out)
    none = SymMat3(*(0.0,) * 6)
    nothing = Articulated(none, Mat3(*(0.0,) * 9), none, ZERO, ZERO)
    yielding = sweep.inwards(nothing, _locked, back)
    return sweep.by_velocity(sweep.outwards((-sweep.tree.gravity, ZERO), zeros, follow))


def _locked(nv: int) -> Yield:
    """Of a joint that does not answer."""
    return Yield((NO_FORCE,) * nv, 0.0 if nv == 1 else SymMat3(*(0.0,) * 6), zeros(nv))
