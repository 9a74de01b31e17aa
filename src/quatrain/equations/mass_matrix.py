"""The mass matrix, by composite bodies: each segment with all it carries, as if it were one body.

M_ij is the force along i of the wrench that a unit acceleration of j takes, with i on the way from j to the
ground; Z(98) and X(10) say the same in world coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.inverse_dynamics import Wrench
from quatrain.equations.joints import Passage, forces_along, passages
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Segment, Tree
from quatrain.geometry import Vec3, cross
from quatrain.model import AXES, WORLD, Model
from quatrain.scalar import Scalar


def mass_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M, symmetric and positive: the metric tensor a_αβ of Z(98). [kg m², kg m, kg]"""
    tree = Tree.of(model)
    steps = passages(tree, q)
    composites = composites_of(tree, steps)
    M: list[list[Scalar]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    for k, segment in enumerate(tree.segments):
        for j, (f, t) in enumerate(unit_wrenches(segment, composites[k]), segment.v):
            place = k
            while place != WORLD:
                here = tree.segments[place]
                for i, force in enumerate(forces_along(here, f, t), here.v):
                    M[i][j] = M[i][j] + force
                    if place != k:
                        M[j][i] = M[j][i] + force
                f_P = steps[place].to_parent(f)
                t, f = steps[place].to_parent(t) + cross(steps[place].p, f_P), f_P
                place = here.parent
        for i, rotor in enumerate(segment.armature, segment.v):
            M[i][i] = M[i][i] + rotor
    return M


def composites_of(tree: Tree, steps: Sequence[Passage]) -> list[PseudoInertia]:
    """Of each segment with all it carries, about its origin, in its axes."""
    composites = [segment.inertia for segment in tree.segments]
    for k in range(len(steps) - 1, -1, -1):
        parent = tree.segments[k].parent
        if parent != WORLD:
            composites[parent] = composites[parent] + composites[k].moved(steps[k].matrix(), steps[k].p)
    return composites


def unit_wrenches(segment: Segment, inertia: PseudoInertia) -> list[Wrench]:
    """For each velocity the wrench about S's origin that a unit acceleration takes, from rest: f = m a + α × h,
    t = h × a + I α."""
    m, h, I_S = inertia.m, inertia.h, inertia.inertia()
    if segment.kind == "ball":
        return [(cross(e, h), column) for e, column in zip(AXES, I_S.rows, strict=True)]
    slide, turn = (Vec3(0.0, 0.0, 1.0) * m, Vec3(h.y, -h.x, 0.0)), (Vec3(-h.y, h.x, 0.0), I_S.rows[2])
    screw = turn[0] + slide[0] * segment.pitch, turn[1] + slide[1] * segment.pitch
    f, t = {"slide": slide, "turn": turn, "screw": screw}[segment.kind]
    return [(f * segment.ratio, t * segment.ratio)]
