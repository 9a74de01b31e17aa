"""What is linear in the inertial parameters: joint forces, energy and momentum as matrices times them.

Each body has ten, about the origin of its frame B and in B's axes, in the order of `PARAMETERS`: its mass, its first
moments h = m c, and its moments and products of inertia (I_xy = −∫xy dm) [kg, kg m, kg m²]. All of a model's
are π (10 nb), body after body. Rotors have none: what they take, armature times a, is not in the joint forces here.

A motion (u, w) of B's origin does the power u·f + w·t against the wrench that the body takes,

    f = m a + U h,    t = h × a + I α + ω × I ω

and of that each parameter's part is read off.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from quatrain.alignment import snapped
from quatrain.equations.coriolis import STILL, Twist, twists
from quatrain.equations.inverse_dynamics import SegmentMotion, ground, outward, turning
from quatrain.equations.joints import passages
from quatrain.equations.kinematics import Place, places, places_from_first_bodies
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Tree
from quatrain.geometry import Pose, Vec3, cross, dot
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar

PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")

Rows = list[list[Scalar]]


def inertial_parameters(model: Model) -> list[Scalar]:
    """π (10 nb) of the model as it is."""
    found: list[Scalar] = []
    for body in model.bodies:
        own = PseudoInertia.of_body(body.mass, body.p_BBcm, body.I_Bcm_B)
        I_B = own.inertia()
        found += [own.m, *own.h, I_B.xx, I_B.yy, I_B.zz, I_B.xy, I_B.xz, I_B.yz]
    return found


def parameter_names(model: Model) -> list[str]:
    """ "forearm.m", "forearm.hx", …"""
    return [f"{body.name}.{name}" for body in model.bodies for name in PARAMETERS]


def regressor(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]) -> Rows:
    """Y (nv, 10 nb) with M a + C v + g = Y π, but for what rotors take."""
    tree = Tree.of(model)
    steps = passages(tree, q)
    at = places_from_first_bodies(tree, steps)
    motions: list[SegmentMotion] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        before = motions[segment.parent] if segment.parent != WORLD else ground(tree, gravity=True)
        motions.append(outward(step, before, v, a))
    Y: Rows = [[0.0] * (10 * model.nb) for _ in range(model.nv)]
    for k, (S, X_SB) in enumerate(tree.places):
        if S == WORLD:
            continue
        motion, place = _of_body(motions[S], X_SB), _place(at[S], X_SB)
        for i in tree.path(S):
            for j, axis in enumerate(twists(tree.segments[i], at[i]), tree.segments[i].v):
                row = _powers(motion, _seen_from(axis, place))
                Y[j][10 * k : 10 * k + 10] = [x + y for x, y in zip(Y[j][10 * k :], row, strict=False)]
    return Y


def energy_regressor(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """(10 nb) with T + V = y·π, but for what rotors have:

    ½ m u·u + h · (u × ω) + ½ ω·I ω − g · (m p + R h)
    """
    tree = Tree.of(model)
    found: list[Scalar] = []
    for rate, place in _moving_bodies(tree, q, v):
        if rate is STILL:
            found += [0.0] * 10
            continue
        body = _seen_from(rate, place)
        u, w = body.u, body.w
        h = cross(u, w) - place.R.T @ tree.gravity
        squares = (w.x * w.x * 0.5, w.y * w.y * 0.5, w.z * w.z * 0.5)
        found += [
            dot(u, u) * 0.5 - dot(tree.gravity, place.p),
            *h,
            *squares,
            *(w.x * w.y, w.x * w.z, w.y * w.z),
        ]
    return found


def momentum_regressor(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Rows:
    """(6, 10 nb) with (p, L) = Y π: linear momentum and angular momentum about the world's origin, in the world.

    About the centre of mass L is not linear in the parameters.
    """
    columns: list[tuple[Vec3, Vec3]] = []
    none = Vec3(0.0, 0.0, 0.0)
    for rate, place in _moving_bodies(Tree.of(model), q, v):
        if rate is STILL:
            columns += [(none, none)] * 10
            continue
        x, y, z = place.R.columns
        w = place.R.T @ rate.w
        u = rate.u + cross(rate.w, place.p)
        columns.append((u, cross(place.p, u)))
        for axis in (x, y, z):
            linear = cross(rate.w, axis)
            columns.append((linear, cross(place.p, linear) + cross(axis, u)))
        columns += [(none, x * w.x), (none, y * w.y), (none, z * w.z)]
        columns += [(none, x * w.y + y * w.x), (none, x * w.z + z * w.x), (none, y * w.z + z * w.y)]
    return [list(row) for row in zip(*(chain(*column) for column in columns), strict=True)]


# ---- one body -----------------------------------------------------------------------------------------


def _moving_bodies(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[tuple[Twist, Place]]:
    """Of each body: its twist about the world's origin, STILL itself on the ground, and its frame B, in the world."""
    at = places(tree, passages(tree, q))
    rates: list[Twist] = []
    for segment, place in zip(tree.segments, at, strict=True):
        total = rates[segment.parent] if segment.parent != WORLD else STILL
        for j, axis in enumerate(twists(segment, place), segment.v):
            total = total + axis * v[j]
        rates.append(total)
    return [(STILL, _ON_GROUND) if S == WORLD else (rates[S], _place(at[S], X)) for S, X in tree.places]


_ON_GROUND = Place(snapped(Pose.identity().q.to_matrix()), Vec3(0.0, 0.0, 0.0))


def _place(at: Place, X_SB: Pose) -> Place:
    return Place(at.R @ snapped(X_SB.q.to_matrix()), at.p + at.R @ X_SB.p)


def _seen_from(twist: Twist, place: Place) -> Twist:
    """Velocity of B's origin and angular velocity, in B."""
    back = place.R.T
    return Twist(back @ (twist.u + cross(twist.w, place.p)), back @ twist.w)


def _of_body(motion: SegmentMotion, X_SB: Pose) -> SegmentMotion:
    """The motion of B, from that of the segment it belongs to."""
    back = snapped(X_SB.q.to_matrix()).T
    w, alpha = back @ motion.w, back @ motion.alpha
    return SegmentMotion(w, alpha, back @ (motion.acceleration + motion.U @ X_SB.p), turning(w, alpha))


def _powers(motion: SegmentMotion, along: Twist) -> list[Scalar]:
    """u·f + w·t, parameter by parameter: u·a; h · (Uᵀ u + a × w); and of w·I α + (w × ω)·I ω each entry of I."""
    a, alpha, o = motion.acceleration, motion.alpha, motion.w
    u, w = along.u, along.w
    h = motion.U.T @ u + cross(a, w)
    c = cross(w, o)
    return [
        dot(u, a),
        *h,
        w.x * alpha.x + c.x * o.x,
        w.y * alpha.y + c.y * o.y,
        w.z * alpha.z + c.z * o.z,
        w.x * alpha.y + w.y * alpha.x + c.x * o.y + c.y * o.x,
        w.x * alpha.z + w.z * alpha.x + c.x * o.z + c.z * o.x,
        w.y * alpha.z + w.z * alpha.y + c.y * o.z + c.z * o.y,
    ]
