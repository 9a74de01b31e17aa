"""Centre of mass, and momentum about it, of all bodies that can move."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.coriolis import twists
from quatrain.equations.joints import passages
from quatrain.equations.kinematics import places
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Tree
from quatrain.geometry import Vec3, cross
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


def center_of_mass(model: Model, q: Sequence[Scalar]) -> Vec3:
    """p_WC of the bodies that can move [m]"""
    tree = Tree.of(model)
    whole = _whole(tree, q)
    return whole.h / whole.m


def momentum(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    """Linear momentum [N s] and angular momentum about the centre of mass [N m s], in the world."""
    matrix = centroidal_momentum_matrix(model, q)
    rows = [sum((entry * rate for entry, rate in zip(row, v, strict=True)), 0.0) for row in matrix]
    return Vec3(*rows[:3]), Vec3(*rows[3:])


def centroidal_momentum_matrix(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """A_G (6, nv) with (p, L) = A_G v, L about the centre of mass."""
    tree = Tree.of(model)
    at = places(tree, passages(tree, q))
    composites = [s.inertia.moved(place.R, place.p) for s, place in zip(tree.segments, at, strict=True)]
    for k in range(len(composites) - 1, -1, -1):
        parent = tree.segments[k].parent
        if parent != WORLD:
            composites[parent] = composites[parent] + composites[k]
    whole = _sum([c for c, s in zip(composites, tree.segments, strict=True) if s.parent == WORLD])
    center = whole.h / whole.m
    columns: list[list[Scalar]] = [[0.0] * 6 for _ in range(tree.nv)]
    for segment, place, carried in zip(tree.segments, at, composites, strict=True):
        for j, axis in enumerate(twists(segment, place), segment.v):
            linear = cross(axis.w, carried.h) + axis.u * carried.m
            about_origin = carried.inertia() @ axis.w + cross(carried.h, axis.u)
            own = *linear, *(about_origin - cross(center, linear))
            columns[j] = [before + entry for before, entry in zip(columns[j], own, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _whole(tree: Tree, q: Sequence[Scalar]) -> PseudoInertia:
    at = places(tree, passages(tree, q))
    return _sum([s.inertia.moved(place.R, place.p) for s, place in zip(tree.segments, at, strict=True)])


def _sum(parts: Sequence[PseudoInertia]) -> PseudoInertia:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
