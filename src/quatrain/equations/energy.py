"""Energies of a tree: kinetic, and potential in uniform gravity, zero at the world's origin."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.joints import passages, relative_rates
from quatrain.equations.kinematics import places
from quatrain.equations.tree import Tree
from quatrain.geometry import Vec3, cross, dot
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar


def energy(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """T + V [J]"""
    return kinetic_energy(model, q, v) + potential_energy(model, q)


def kinetic_energy(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """T = Σ ½ m ṗ·ṗ + ṗ · (ω × h) + ½ ω·I ω, and what the rotors have of their own: ½ vᵀ M v. [J]"""
    tree = Tree.of(model)
    steps = passages(tree, q)
    rates: list[tuple[Vec3, Vec3]] = []
    doubled: Scalar = 0.0
    for segment, step in zip(tree.segments, steps, strict=True):
        zero = Vec3(0.0, 0.0, 0.0)
        v_P, w_P = rates[segment.parent] if segment.parent != WORLD else (zero, zero)
        w_r, v_r = relative_rates(segment, v)
        v_S = step.to_child(v_P + cross(w_P, step.p)) + v_r
        w_S = step.to_child(w_P) + w_r
        rates.append((v_S, w_S))
        m, h, I_S = segment.inertia.m, segment.inertia.h, segment.inertia.inertia()
        doubled = doubled + dot(v_S, v_S * m + cross(w_S, h) * 2.0) + dot(w_S, I_S @ w_S)
        for j, rotor in enumerate(segment.armature, segment.v):
            doubled = doubled + v[j] * v[j] * rotor
    return doubled * 0.5


def potential_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """V = −Σ m g · p_cm over the bodies that can move [J]"""
    tree = Tree.of(model)
    at = places(tree, passages(tree, q))
    moment = Vec3(0.0, 0.0, 0.0)
    for segment, place in zip(tree.segments, at, strict=True):
        moment = moment + place.p * segment.inertia.m + place.R @ segment.inertia.h
    return -dot(tree.gravity, moment)
