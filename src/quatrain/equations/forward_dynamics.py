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
from dataclasses import dataclass

from quatrain.equations.inverse_dynamics import ZERO, Wrench, pushes, turning
from quatrain.equations.joints import Passage, passages, relative_rates
from quatrain.equations.mass_matrix_inverse import accelerations
from quatrain.equations.pseudo_inertia import PseudoInertia
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
    steps = passages(tree, q)
    pushed = pushes(model, tree, steps, q, external or {})
    swings = _swings(tree, steps, v)
    yielding = _inward(tree, steps, swings, tau, pushed)
    return _outward(tree, steps, swings, yielding)


# ---- what velocities do ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Swing:
    """Of a segment, in S: angular velocity, and the accelerations that velocities alone would give it."""

    w: Vec3
    alpha: Vec3
    acceleration: Vec3


def _swings(tree: Tree, steps: Sequence[Passage], v: Sequence[Scalar]) -> list[_Swing]:
    swings: list[_Swing] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        w_before = swings[segment.parent].w if segment.parent != WORLD else ZERO
        w_r, v_r = relative_rates(segment, v)
        w_P = step.to_child(w_before)
        centripetal = step.to_child(turning(w_before, ZERO) @ step.p)
        swings.append(_Swing(w_P + w_r, cross(w_P, w_r), centripetal + cross(w_P, v_r) * 2.0))
    return swings


def _gyroscopic(w: Vec3, inertia: PseudoInertia) -> Wrench:
    """f₀ = [ω]×[ω]× h and t₀ = ω × I ω of a free body."""
    return cross(w, cross(w, inertia.h)), cross(w, inertia.inertia() @ w)


# ---- inwards --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Articulated:
    """f = M a + G α + f0 and t = Gᵀ a + J α + t0, about one point, in one frame."""

    M: SymMat3
    G: Mat3
    J: SymMat3
    f0: Vec3
    t0: Vec3

    @classmethod
    def of_body(cls, inertia: PseudoInertia, w: Vec3) -> _Articulated:
        f0, t0 = _gyroscopic(w, inertia)
        m = inertia.m
        return cls(SymMat3(m, m, m, 0.0, 0.0, 0.0), -skew(inertia.h), inertia.inertia(), f0, t0)

    def __add__(self, other: _Articulated) -> _Articulated:
        return _Articulated(
            self.M + other.M, self.G + other.G, self.J + other.J, self.f0 + other.f0, self.t0 + other.t0
        )

    def answer(self, a: Vec3, alpha: Vec3) -> Wrench:
        f = self.M @ a + self.G @ alpha + self.f0
        return f, self.G.T @ a + self.J @ alpha + self.t0

    def at_parent(self, step: Passage) -> _Articulated:
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
        return _Articulated(M, G, J, f0, step.to_parent(self.t0) + cross(step.p, f0))


@dataclass(frozen=True)
class _Yield:
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
    swings: Sequence[_Swing],
    tau: Sequence[Scalar],
    pushed: Mapping[int, Wrench],
) -> list[_Yield]:
    bodies = [
        _Articulated.of_body(segment.inertia, swing.w)
        for segment, swing in zip(tree.segments, swings, strict=True)
    ]
    for k, (f, t) in pushed.items():
        own = bodies[k]
        bodies[k] = _Articulated(own.M, own.G, own.J, own.f0 - f, own.t0 - t)
    yields: list[_Yield] = []
    for k in range(len(bodies) - 1, -1, -1):
        segment = tree.segments[k]
        given, left = _released(segment, bodies[k], swings[k], tau)
        yields.append(given)
        if segment.parent != WORLD:
            bodies[segment.parent] = bodies[segment.parent] + left.at_parent(steps[k])
    return yields[::-1]


def _released(
    segment: Segment, body: _Articulated, swing: _Swing, tau: Sequence[Scalar]
) -> tuple[_Yield, _Articulated]:
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
        U = (turn[0] + slide[0] * segment.pitch, turn[1] + slide[1] * segment.pitch)
        pushed_along = body.t0.z + body.f0.z * segment.pitch
        D = U[1].z + U[0].z * segment.pitch
    rotor = segment.armature[0]
    Dinv = 1.0 / (D + rotor)
    u = tau[segment.v] - pushed_along
    Uf, Ut = U[0] * Dinv, U[1] * Dinv
    left = _Articulated(
        M - _dyad(Uf, U[0]),
        Mat3.from_columns(*(g - U[0] * e for g, e in zip(G.columns, Ut, strict=True))),
        J - _dyad(Ut, U[1]),
        body.f0 + Uf * u,
        body.t0 + Ut * u,
    )
    if isinstance(rotor, float) and rotor == 0.0:
        left = _let_go(segment, left, tau[segment.v])
    f0, t0 = left.answer(swing.acceleration, swing.alpha)
    locked = _Yield((U,), Dinv, (u,))
    return locked, _Articulated(left.M, left.G, left.J, f0, t0)


def _let_go(segment: Segment, left: _Articulated, tau: Scalar) -> _Articulated:
    """Without a rotor nothing is felt along the joint but its own force: zeros that rounding would only blur."""
    zero = 0.0
    if segment.kind == "turn":
        x, y, _ = left.G.columns
        J = SymMat3(left.J.xx, left.J.yy, zero, left.J.xy, zero, zero)
        t0 = Vec3(left.t0.x, left.t0.y, tau)
        return _Articulated(left.M, Mat3.from_columns(x, y, Vec3(zero, zero, zero)), J, left.f0, t0)
    if segment.kind == "slide":
        x, y, _ = left.G.rows
        M = SymMat3(left.M.xx, left.M.yy, zero, left.M.xy, zero, zero)
        f0 = Vec3(left.f0.x, left.f0.y, tau)
        return _Articulated(M, Mat3.from_rows(x, y, Vec3(zero, zero, zero)), left.J, f0, left.t0)
    return left


def _released_ball(
    segment: Segment, body: _Articulated, swing: _Swing, tau: Sequence[Scalar]
) -> tuple[_Yield, _Articulated]:
    k = segment.v
    D = body.J + SymMat3.diagonal(*segment.armature)
    Dinv = D.inverse()
    u = Vec3(*tau[k : k + 3]) - body.t0
    columns = tuple(zip(body.G.columns, body.J.rows, strict=True))
    W = Mat3.from_rows(*(Dinv @ row for row in body.G.rows))  # G D⁻¹
    V = body.J @ Dinv
    if all(isinstance(rotor, float) and rotor == 0.0 for rotor in segment.armature):
        zero = Mat3(*(0.0,) * 9)
        left = _Articulated(
            _symmetric_product(body.M, W, body.G),
            zero,
            SymMat3(*(0.0,) * 6),
            body.f0 + W @ u,
            Vec3(*tau[k : k + 3]),
        )
    else:
        left = _Articulated(
            _symmetric_product(body.M, W, body.G),
            body.G - W @ body.J.to_mat3(),
            SymMat3.from_mat3(body.J.to_mat3() - V @ body.J.to_mat3()),
            body.f0 + W @ u,
            body.t0 + V @ u,
        )
    f0, t0 = left.answer(swing.acceleration, swing.alpha)
    return _Yield(columns, Dinv, tuple(u)), _Articulated(left.M, left.G, left.J, f0, t0)


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
    tree: Tree, steps: Sequence[Passage], swings: Sequence[_Swing], yielding: Sequence[_Yield]
) -> list[Scalar]:
    motions: list[tuple[Vec3, Vec3]] = []
    accelerations: list[Scalar] = [0.0] * tree.nv
    for k, (segment, step) in enumerate(zip(tree.segments, steps, strict=True)):
        a_P, alpha_P = motions[segment.parent] if segment.parent != WORLD else (-tree.gravity, ZERO)
        a = step.to_child(a_P + cross(alpha_P, step.p)) + swings[k].acceleration
        alpha = step.to_child(alpha_P) + swings[k].alpha
        own = yielding[k].acceleration(a, alpha)
        accelerations[segment.v : segment.v + segment.nv] = own
        alpha_r, a_r = relative_rates(segment, accelerations)
        motions.append((a + a_r, alpha + alpha_r))
    return accelerations
