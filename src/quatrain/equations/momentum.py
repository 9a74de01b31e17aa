"""Centre of mass, and momentum about it with its rate, of all bodies that can move."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.coriolis import STILL, Twist, twists
from quatrain.equations.inverse_dynamics import ZERO, SegmentMotion, ground, outward
from quatrain.equations.joints import passages
from quatrain.equations.kinematics import Place, first_bodies, places, places_about_first_body
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Tree
from quatrain.geometry import SymMat3, Vec3, cross, outer, skew
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


def center_of_mass(model: Model, q: Sequence[Scalar]) -> Vec3:
    """p_WC of the bodies that can move [m]"""
    tree = Tree.of(model)
    whole = _sum(_in_world(tree, places(tree, passages(tree, q))))
    return whole.h / whole.m


def momentum(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    """Linear momentum [N s] and angular momentum about the centre of mass [N m s], in the world."""
    matrix = centroidal_momentum_matrix(model, q)
    rows = [sum((entry * rate for entry, rate in zip(row, v, strict=True)), 0.0) for row in matrix]
    return Vec3(*rows[:3]), Vec3(*rows[3:])


def momentum_rate(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> tuple[Vec3, Vec3]:
    """d/dt of the linear momentum [N] and of the angular momentum about the centre of mass [N m], in the world.

    What all forces from outside, gravity and the ground's among them, must be together: A_G a + Ȧ_G v.
    """
    tree = Tree.of(model)
    steps = passages(tree, q)
    motions: list[SegmentMotion] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        before = motions[segment.parent] if segment.parent != WORLD else ground(tree, gravity=False)
        motions.append(outward(step, before, v, a))
    near, firsts = places_about_first_body(tree, steps), first_bodies(tree)
    massless = {k for path in firsts.values() for k in path[1:]}
    # One place more than segments: the ground's, which WORLD = -1 finds.
    forces, torques, moments = ([ZERO] * (len(motions) + 1) for _ in range(3))
    masses: list[Scalar] = [0.0] * (len(motions) + 1)
    for k in range(len(motions) - 1, -1, -1):
        if k in massless:  # passed over: sums are taken where the first body is
            continue
        segment, step = tree.segments[k], steps[k]
        f, t = motions[k].wrench(segment.inertia)
        m = segment.inertia.m + masses[k]
        f, t, h = f + forces[k], t + torques[k], segment.inertia.h + moments[k]
        if k in firsts:
            P, p, (f_P, t_P, h_P) = WORLD, near[k].p, (near[k].R @ x for x in (f, t, h))
        else:
            P, p, (f_P, t_P, h_P) = segment.parent, step.p, (step.to_parent(x) for x in (f, t, h))
        forces[P], torques[P] = forces[P] + f_P, torques[P] + t_P + cross(p, f_P)
        moments[P], masses[P] = moments[P] + h_P + p * m, masses[P] + m
    center = moments[WORLD] / masses[WORLD]
    return forces[WORLD], torques[WORLD] - cross(center, forces[WORLD])


def centroidal_momentum_bias(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    """Ȧ_G v: the rate of momentum without accelerations."""
    return momentum_rate(model, q, v, [0.0] * model.nv)


def centroidal_momentum_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """A_G (6, nv) with (p, L) = A_G v, L about the centre of mass."""
    tree = Tree.of(model)
    at = places_about_first_body(tree, passages(tree, q))
    P, whole = _composites(tree, _in_world(tree, at))
    center = whole.h / whole.m
    columns: list[list[Scalar]] = [[0.0] * 6 for _ in range(tree.nv)]
    for segment, place, carried in zip(tree.segments, at, P, strict=True):
        for j, axis in enumerate(twists(segment, place), segment.v):
            own = _of(axis, carried)
            _add(columns[j], own.u, own.w - cross(center, own.u))
    return [list(row) for row in zip(*columns, strict=True)]


def centroidal_momentum_matrix_rate(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Ȧ_G (6, nv) with d/dt (p, L) = A_G a + Ȧ_G v.

    A twist A is carried along by that of its body, Ȧ = [V, A]; a body's matrix by Ṗ = V P + P Vᵀ.
    """
    tree = Tree.of(model)
    at = places_about_first_body(tree, passages(tree, q))
    axes = [twists(segment, place) for segment, place in zip(tree.segments, at, strict=True)]
    bodies = _in_world(tree, at)
    rates: list[Twist] = []
    for k, segment in enumerate(tree.segments):
        V = rates[segment.parent] if segment.parent != WORLD else STILL
        for j, axis in enumerate(axes[k], segment.v):
            V = V + axis * v[j]
        rates.append(V)
    P, whole = _composites(tree, bodies)
    Pdot, changing = _composites(tree, [_rate(body, V) for body, V in zip(bodies, rates, strict=True)])
    center, velocity = whole.h / whole.m, changing.h / whole.m
    columns: list[list[Scalar]] = [[0.0] * 6 for _ in range(tree.nv)]
    for k, segment in enumerate(tree.segments):
        for j, axis in enumerate(axes[k], segment.v):
            own, own_rate = _of(axis, P[k]).u, _of(rates[k].bracket(axis), P[k]) + _of(axis, Pdot[k])
            about_center = own_rate.w - cross(velocity, own) - cross(center, own_rate.u)
            _add(columns[j], own_rate.u, about_center)
    return [list(row) for row in zip(*columns, strict=True)]


# ---- parts of them --------------------------------------------------------------------------------------


def _in_world(tree: Tree, at: Sequence[Place]) -> list[PseudoInertia]:
    """Of every segment's own matter, about the origin that places are measured from."""
    return [s.inertia.moved(place.R, place.p) for s, place in zip(tree.segments, at, strict=True)]


def _composites(tree: Tree, bodies: Sequence[PseudoInertia]) -> tuple[list[PseudoInertia], PseudoInertia]:
    """Of every segment with all it carries, and of everything."""
    found = list(bodies)
    for k in range(len(found) - 1, -1, -1):
        parent = tree.segments[k].parent
        if parent != WORLD:
            found[parent] = found[parent] + found[k]
    return found, _sum([P for P, s in zip(found, tree.segments, strict=True) if s.parent == WORLD])


def _of(A: Twist, P: PseudoInertia) -> Twist:
    """The momentum of P moving by A, linear and about the origin: p = w × h + m u, L = I w + h × u."""
    return Twist(cross(A.w, P.h) + A.u * P.m, P.inertia() @ A.w + cross(P.h, A.u))


def _rate(P: PseudoInertia, V: Twist) -> PseudoInertia:
    """Ṗ = V P + P Vᵀ of a body that moves by V."""
    X = skew(V.w) @ P.Pi.to_mat3() + outer(V.u, P.h)
    Pi = SymMat3(X.xx + X.xx, X.yy + X.yy, X.zz + X.zz, X.xy + X.yx, X.xz + X.zx, X.yz + X.zy)
    return PseudoInertia(0.0, cross(V.w, P.h) + V.u * P.m, Pi)


def _add(column: list[Scalar], linear: Vec3, angular: Vec3) -> None:
    column[:] = [before + entry for before, entry in zip(column, (*linear, *angular), strict=True)]


def _sum(parts: Sequence[PseudoInertia]) -> PseudoInertia:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
