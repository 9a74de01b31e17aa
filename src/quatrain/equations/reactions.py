"""What joints carry: the force and torque that a body's parent does to it, whatever moves and acts.

Of a body and all that hangs on it the forces sum to what its motion takes (Newton and Euler), from the leaves inwards:

    f = Σ m (a_cm − g) − Σ f_ext,    t = Σ (I α + ω × I ω + r × m (a_cm − g)) − Σ (t_ext + r × f_ext)

Springs, dampers and motors of the joints act within and need no term. A rotor given as `armature` has no body: what it
takes along its joint's axis is not in the reaction, which is that on the far side of the gear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quatrain.alignment import snapped
from quatrain.equations.inverse_dynamics import SegmentMotion, Wrench, ground, outward
from quatrain.equations.joints import passages
from quatrain.equations.kinematics import GROUND, Place, places
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Tree
from quatrain.geometry import Vec3, cross
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


def joint_reactions(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    external: Mapping[str, Wrench] | None = None,
) -> list[Wrench]:
    """Of every body, what its parent does to it: force, and torque about the body's origin, in axes of the world."""
    tree = Tree.of(model)
    steps = passages(tree, q)
    motions: list[SegmentMotion] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        before = motions[segment.parent] if segment.parent != WORLD else ground(tree, gravity=True)
        motions.append(outward(step, before, v, a))
    at = places(tree, steps)
    origins: list[Vec3] = []
    found: list[Wrench] = []
    for k, body in enumerate(model.bodies):
        segment_k, X_SB = tree.places[k]
        place, motion = _of_segment(tree, at, motions, segment_k)
        inertia = PseudoInertia.of_body(body.mass, body.p_BBcm, body.I_Bcm_B)
        f_S, t_S = motion.wrench(inertia.moved(snapped(X_SB.q.to_matrix()), X_SB.p))
        origins.append(place.p + place.R @ X_SB.p)
        found.append(moved((place.R @ f_S, place.R @ t_S), -(place.R @ X_SB.p)))
    for name, (f, t) in (external or {}).items():
        frame = model.frame(name)
        if frame.body != WORLD:
            segment_k, X_SB = tree.places[frame.body]
            place, _ = _of_segment(tree, at, motions, segment_k)
            arm = place.R @ (X_SB.apply(frame.X_BF.p) - X_SB.p)
            found[frame.body] = _sum(found[frame.body], (-f, -t - cross(arm, f)))
    for k in range(model.nb - 1, -1, -1):
        parent = model.bodies[k].parent
        if parent != WORLD:
            found[parent] = _sum(found[parent], moved(found[k], origins[k] - origins[parent]))
    return found


def moved(wrench: Wrench, arm: Vec3) -> Wrench:
    """About another point, as seen from which the first one is at `arm`."""
    force, torque = wrench
    return force, torque + cross(arm, force)


def _sum(a: Wrench, b: Wrench) -> Wrench:
    return a[0] + b[0], a[1] + b[1]


def _of_segment(
    tree: Tree, at: Sequence[Place], motions: Sequence[SegmentMotion], segment: int
) -> tuple[Place, SegmentMotion]:
    """Where it is and how it moves; what is fixed to the ground stands there."""
    return (GROUND, ground(tree, gravity=True)) if segment == WORLD else (at[segment], motions[segment])
