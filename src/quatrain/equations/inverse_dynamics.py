"""The forces that a motion takes: the recursive Newton–Euler algorithm, two passes over the tree.

Velocities and accelerations go outwards, forces come back. What turning does to a point r of a body is the
one matrix U = [α]× + [ω]×[ω]×, its acceleration a + U r; so with the moments of `PseudoInertia`

    f = m a + U h,    t = h × a + vee(U Π)

where vee(X) = Σ eᵢ × X eᵢ takes the vector from the skew part of UΠ = ∫ U r rᵀ dm. Everything of a segment
is in its own frame S, about its origin; gravity is an acceleration of the ground, −g.

Balafoutis, Patel, Misra, Efficient modeling and computation of manipulator dynamics using orthogonal
Cartesian tensors, IEEE J. Robotics Automation 4 (1988) 665.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quatrain.equations.joints import Passage, forces_along, passage, passages, relative_rates
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.sweep import AT_REST, At, Sweep, kept_of, passed_again, sweep_of, zeros
from quatrain.equations.tree import Tree
from quatrain.geometry import Mat3, SymMat3, Vec3, cross
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar

ZERO = Vec3(0.0, 0.0, 0.0)

Wrench = tuple[Vec3, Vec3]
"""Force and torque."""

NO_FORCE: Wrench = (ZERO, ZERO)


def inverse_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    external: Mapping[str, Wrench] | None = None,
) -> list[Scalar]:
    """tau with M a + C v + g = tau + Jᵀ f: joint forces [N or N m] for these accelerations.

    `external`: by frame, the force on its body at the frame's origin and the torque, in world axes.
    """
    tree = Tree.of(model)
    sweep = None if external else sweep_of(tree, q)
    if sweep is not None:
        return looped(sweep, q, v, a)
    steps = passages(tree, q)
    pushed = pushes(model, tree, steps, q, external or {})
    return recursion(tree, steps, v, a, pushed, gravity=True)


def bias_force(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], external: Mapping[str, Wrench] | None = None
) -> list[Scalar]:
    """h = C v + g: what is left of tau without acceleration."""
    return inverse_dynamics(model, q, v, [0.0] * model.nv, external)


def gravity_force(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """g: what holds the joints still."""
    return bias_force(model, q, [0.0] * model.nv)


def recursion(
    tree: Tree,
    steps: Sequence[Passage],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    pushed: Mapping[int, Wrench],
    *,
    gravity: bool,
) -> list[Scalar]:
    """Both passes. `pushed`: by segment, the wrench on it about S's origin, in S."""
    motions: list[SegmentMotion] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        before = motions[segment.parent] if segment.parent != WORLD else ground(tree, gravity=gravity)
        motions.append(outward(step, before, v, a))
    forces = [ZERO] * len(motions)
    torques = [ZERO] * len(motions)
    tau: list[Scalar] = [0.0] * tree.nv
    for k in range(len(motions) - 1, -1, -1):
        segment, step = tree.segments[k], steps[k]
        f, t = motions[k].wrench(segment.inertia)
        f, t = f + forces[k], t + torques[k]
        if k in pushed:
            f, t = f - pushed[k][0], t - pushed[k][1]
        along = forces_along(segment, f, t)
        for i, (force, rotor) in enumerate(zip(along, segment.armature, strict=True), segment.v):
            tau[i] = tau[i] + force + a[i] * rotor
        if segment.parent != WORLD:
            f_P = step.to_parent(f)
            forces[segment.parent] = forces[segment.parent] + f_P
            torques[segment.parent] = torques[segment.parent] + step.to_parent(t) + cross(step.p, f_P)
    return tau


def looped(sweep: Sweep, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]) -> list[Scalar]:
    """Both passes over a tree of many bodies, as loops."""
    at_q, at_v, at_a = (sweep.row(values) for values in (q, v, a))

    def out(at: At, before: Any) -> Any:
        step = passage(at.segment, at.of_q(at_q))
        motion = outward(step, before, at.of_v(at_v), at.of_v(at_a))
        return motion, (motion.wrench(at.segment.inertia), kept_of(step))

    def back(at: At, hanging: Wrench) -> Any:
        own, kept = moved.of(at)
        step = passed_again(at, kept, at_q)
        f, t = own[0] + hanging[0], own[1] + hanging[1]
        along = zip(forces_along(at.segment, f, t), at.of_v(at_a), at.segment.armature, strict=True)
        f_P = step.to_parent(f)
        passed = f_P, step.to_parent(t) + cross(step.p, f_P)
        return passed, tuple(force + a_k * rotor for force, a_k, rotor in along)

    moved = sweep.outwards(ground(sweep.tree, gravity=True), lambda nv: (NO_FORCE, AT_REST), out)
    return sweep.by_velocity(sweep.inwards(NO_FORCE, zeros, back))


# ---- the motion of one segment ---------------------------------------------------------------------------


@dataclass(frozen=True)
class SegmentMotion:
    """Of frame S in the world, in S: angular velocity, U, angular acceleration, acceleration of the origin."""

    w: Vec3
    alpha: Vec3
    acceleration: Vec3
    U: Mat3

    def wrench(self, inertia: PseudoInertia) -> Wrench:
        """f = m a + U h and t = h × a + vee(U Π), about the origin."""
        f = self.acceleration * inertia.m + self.U @ inertia.h
        return f, cross(inertia.h, self.acceleration) + vee(self.U, inertia.Pi)


def turning(w: Vec3, alpha: Vec3) -> Mat3:
    """U = [α]× + [ω]×[ω]×: the acceleration of a point r of a body is a + U r."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
    return Mat3(
        *(-(yy + zz), xy - alpha.z, xz + alpha.y),
        *(xy + alpha.z, -(xx + zz), yz - alpha.x),
        *(xz - alpha.y, yz + alpha.x, -(xx + yy)),
    )


def vee(U: Mat3, Pi: SymMat3) -> Vec3:
    """∫ r × U r dm = ((UΠ)zy − (UΠ)yz, (UΠ)xz − (UΠ)zx, (UΠ)yx − (UΠ)xy)."""
    x, y, z = U.rows
    Px, Py, Pz = Pi.rows
    return Vec3(
        _dot(z, Py) - _dot(y, Pz),
        _dot(x, Pz) - _dot(z, Px),
        _dot(y, Px) - _dot(x, Py),
    )


def _dot(a: Vec3, b: Vec3) -> Scalar:
    return a.x * b.x + a.y * b.y + a.z * b.z


def ground(tree: Tree, *, gravity: bool) -> SegmentMotion:
    """The world: at rest, and accelerated against gravity."""
    return SegmentMotion(ZERO, ZERO, -tree.gravity if gravity else ZERO, turning(ZERO, ZERO))


def outward(step: Passage, before: SegmentMotion, v: Sequence[Scalar], a: Sequence[Scalar]) -> SegmentMotion:
    """From the parent's motion to the segment's:

    ω  = Rᵀ ω_P + ω_r
    α  = Rᵀ α_P + ω × ω_r + α_r
    a  = Rᵀ (a_P + U_P p) + 2 ω × v_r + a_r
    """
    w_r, v_r = relative_rates(step.segment, v)
    alpha_r, a_r = relative_rates(step.segment, a)
    w_P = step.to_child(before.w)
    w = w_P + w_r
    # Along one's own axis ω and ω − ω_r have the same products: the latter is the shorter where there is a choice.
    alpha = step.to_child(before.alpha) + cross(w_P, w_r) + alpha_r
    acceleration = step.to_child(before.acceleration + before.U @ step.p) + cross(w_P, v_r) * 2.0 + a_r
    return SegmentMotion(w, alpha, acceleration, turning(w, alpha))


# ---- forces from outside ---------------------------------------------------------------------------------


def pushes(
    model: Model,
    tree: Tree,
    steps: Sequence[Passage],
    q: Sequence[Scalar],
    external: Mapping[str, Wrench],
) -> dict[int, Wrench]:
    """External wrenches by segment, about S's origin, in S; those on the ground move nothing."""
    found: dict[int, Wrench] = {}
    for name, (f_W, t_W) in external.items():
        k, X_SF = tree.place_of(model, name)
        if k == WORLD:
            continue
        f_S, t_S = f_W, t_W
        for place in reversed(tree.path(k)):
            f_S, t_S = steps[place].to_child(f_S), steps[place].to_child(t_S)
        t_S = t_S + cross(X_SF.p, f_S)
        if k in found:
            f_S, t_S = f_S + found[k][0], t_S + found[k][1]
        found[k] = (f_S, t_S)
    return found
