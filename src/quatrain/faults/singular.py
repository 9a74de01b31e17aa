"""Velocities that take no energy: the mass matrix is singular there, and forward dynamics has no answer.

The pivots of M from the leaves inwards are the inertias of articulated bodies: what a joint feels of all that it
moves, when the joints beyond it are let go. One that is zero makes M singular, and says where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from quatrain.equations.joints import Passage, neutral, passages
from quatrain.equations.mass_matrix import mass_matrix
from quatrain.equations.tree import Segment, Tree
from quatrain.faults import Fault
from quatrain.faults.inertias import principal_moments
from quatrain.geometry import Vec3, skew
from quatrain.model import WORLD, Body, Model

_ZERO = 1e-12
"""Relative to what the joint would feel with the joints beyond it held."""


def singular(model: Model) -> Iterator[Fault]:
    """At a configuration like any other, and where all joints are at zero."""
    if all(map(_resists, model.bodies)):
        return
    tree = Tree.of(model)
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            everywhere = _found(model, tree, _irregular(tree))
            at_zero = _found(model, tree, [float(x) for x in neutral(tree)])
    except (FloatingPointError, np.linalg.LinAlgError):
        what = "numbers of its bodies are too large or too different to tell whether it can be moved"
        yield Fault("warning", "the model", what, "check the units of masses, inertias and lengths")
        return
    both = {**at_zero, **everywhere}
    for joint in (name for name in model.joint_names if name in both):
        why = both[joint]
        place = "" if joint in everywhere else " where all joints are at zero"
        yield Fault(
            "warning",
            f"joint {joint!r}",
            f"{why}, so the mass matrix is singular{place} and forward dynamics has no answer there",
            "give the bodies beyond it mass and inertia, or the joint an armature",
        )


def _resists(body: Body) -> bool:
    """Whether no motion of it is without energy. Where all that move are so, M is positive everywhere."""
    if body.joint.kind == "fixed":
        return True
    least, _, greatest = principal_moments(body.I_Bcm_B)
    return body.mass > 0 and least > 1e-9 * greatest


def _irregular(tree: Tree) -> list[float]:
    """Coordinates that no machine is singular at by chance."""
    q = np.sin(1.0 + 2.1 * np.arange(tree.nq)) + 0.2
    for segment in tree.segments:
        if segment.kind == "ball":
            q[segment.q : segment.q + 4] /= np.linalg.norm(q[segment.q : segment.q + 4])
    return [float(x) for x in q]


def _found(model: Model, tree: Tree, q: Sequence[float]) -> dict[str, str]:
    """By joint, why its velocity takes no energy."""
    if tree.shared:  # joints that follow others: M is that of the velocities that are left
        return _by_eigenvalues(model, q)
    bodies = {
        v: body
        for body, first in zip(model.bodies, model.v_starts, strict=True)
        for v in range(first, first + body.joint.nv)
    }
    found: dict[str, str] = {}
    steps = passages(tree, q)
    held = [_spatial(segment) for segment in tree.segments]
    free = [one.copy() for one in held]
    for k in range(len(tree.segments) - 1, -1, -1):
        segment = tree.segments[k]
        S, rotors = _motion(segment), np.diag(np.array(segment.armature, float))
        felt = S.T @ free[k] @ S + rotors
        would_feel = S.T @ held[k] @ S + rotors
        size = held[k][0, 0] if segment.kind == "slide" else np.trace(held[k][3:, 3:])
        values, vectors = np.linalg.eigh(felt)
        zero = np.abs(values) <= _ZERO * max(abs(size), np.trace(rotors))
        if zero.any():
            lost = vectors[:, zero][:, 0]
            along = lost @ would_feel @ lost
            body = bodies[segment.v]
            found.setdefault(body.joint.name, _reason(segment, body.name, held[k][0, 0], size, along))
        keep = vectors[:, ~zero]
        U = free[k] @ S @ keep
        left = free[k] - (U / values[~zero]) @ U.T
        if segment.parent != WORLD:
            X = _to_child(steps[k])
            free[segment.parent] += X.T @ left @ X
            held[segment.parent] += X.T @ held[k] @ X
    return found


def _reason(segment: Segment, body: str, mass: float, size: float, along: float) -> str:
    if mass == 0 and size == 0:
        has = "no mass" if segment.kind == "slide" else "neither mass nor inertia"
        return f"body {body!r}, with all that it carries, has {has}"
    if abs(along) <= _ZERO * abs(size):
        return "all the mass that it moves lies on its axis, as points without inertia"
    return "the joints beyond it can undo its motion, as what is between them has neither mass nor inertia"


def _by_eigenvalues(model: Model, q: Sequence[float]) -> dict[str, str]:
    M = np.array(mass_matrix(model, q), float)
    joints = [body.joint.name for body in model.bodies for _ in range(body.joint.nv)]
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    none = {joints[i]: "what it moves has neither mass nor inertia" for i in range(len(M)) if not size[i] > 0}
    if none:
        return none
    values, vectors = np.linalg.eigh(M / np.outer(size, size))
    least = int(np.argmin(np.abs(values)))
    if abs(values[least]) > _ZERO:
        return {}
    return {joints[int(np.argmax(np.abs(vectors[:, least])))]: "the joints beyond it can undo its motion"}


# ---- six by six: linear, then angular -------------------------------------------------------------------


def _spatial(segment: Segment) -> np.ndarray:
    h = _matrix(segment.inertia.h)
    I_S = segment.inertia.inertia().to_array()
    return np.block([[np.eye(3) * float(segment.inertia.m), h.T], [h, I_S]]).astype(float)


def _motion(segment: Segment) -> np.ndarray:
    if segment.kind == "ball":
        return np.vstack([np.zeros((3, 3)), np.eye(3)])
    slide = {"slide": 1.0, "turn": 0.0, "screw": segment.pitch}[segment.kind]
    return np.array([[0.0, 0.0, slide, 0.0, 0.0, 0.0 if segment.kind == "slide" else 1.0]]).T


def _to_child(step: Passage) -> np.ndarray:
    """The parent's motion as the child's: v_S = Rᵀ (v + ω × p), ω_S = Rᵀ ω."""
    R = np.array([[float(x) for x in row] for row in step.matrix().rows])
    return np.block([[R.T, -R.T @ _matrix(step.p)], [np.zeros((3, 3)), R.T]])


def _matrix(v: Vec3) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in skew(v).rows])
