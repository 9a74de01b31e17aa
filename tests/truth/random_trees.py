"""Random trees of bodies with joints of every kind, and random states of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from quatrain import Body, Frame, Joint, Limits, Model, Pose, Quaternion, SymMat3, Vec3
from quatrain.model import AXES, JOINT_KINDS, WORLD

KINDS = tuple(JOINT_KINDS)
SINGLE = ("revolute", "continuous", "prismatic", "helical")
"""Kinds of one freedom."""

_AXES_OF = {"universal": 2, "planar": 3, "free": 3, "ball": 0, "fixed": 0}


def random_tree(seed: int, count: int = 12, kinds: Sequence[str] = KINDS, root: str | None = None) -> Model:
    """`count` bodies; every kind of joint occurs when there are enough. `root`: the only joint on the ground."""
    rng = np.random.default_rng([20260202, seed])
    order = list(islice(_shuffled(rng, kinds), count))
    if root is not None:
        order[0] = root
    bodies: list[Body] = []
    for k, kind in enumerate(order):
        # A child of the last body or of one that carries it: depth-first, as the model asks for.
        parents = _up_to_ground(bodies) if root is None or k == 0 else _up_to_ground(bodies)[:-1]
        parent = parents[0] if rng.random() < 0.6 else parents[rng.integers(len(parents))]
        bodies.append(_body(rng, f"b{k}", parent, random_joint(rng, f"j{k}", kind)))
    frames = [Frame(f"f{k}", k, random_pose(rng)) for k in range(0, count, 2)]
    frames.append(Frame("mark", WORLD, random_pose(rng)))
    gravity = Vec3(*map(float, rng.normal(size=3) * 6))
    return Model(f"tree{seed}", tuple(bodies), tuple(frames), gravity)


def _shuffled(rng, kinds):
    while True:
        yield from rng.permutation(np.array(kinds)).tolist()


def _up_to_ground(bodies: Sequence[Body]) -> list[int]:
    found = [len(bodies) - 1] if bodies else []
    while found and found[-1] != WORLD:
        found.append(bodies[found[-1]].parent)
    return found or [WORLD]


def random_joint(rng: np.random.Generator, name: str, kind: str) -> Joint:
    joint = Joint(name, kind)
    nv = joint.nv
    return replace(
        joint,
        X_PJ=random_pose(rng),
        X_MB=random_pose(rng),
        axes=random_axes(rng, _AXES_OF.get(kind, 1)),
        pitch=float(rng.normal() * 0.2) if kind == "helical" else 0.0,
        armature=_some(rng, nv),
        limits=(Limits(-1.2, 0.7),) * nv if kind in ("revolute", "prismatic") else (),
    )


def _some(rng: np.random.Generator, nv: int) -> tuple[float, ...]:
    """Rotor inertias: given, zero, or not there at all."""
    choice = rng.integers(3)
    return () if choice == 0 else tuple(float(x * (choice == 1)) for x in rng.uniform(0.05, 0.5, nv))


def random_axes(rng: np.random.Generator, count: int) -> tuple[Vec3, ...]:
    """Perpendicular; half of them along the coordinate axes, of either sign."""
    if rng.random() < 0.5:
        places, signs = rng.permutation(3), rng.choice((-1.0, 1.0), 3)
        found = [AXES[k] * float(sign) for k, sign in zip(places, signs, strict=True)]
    else:
        found = list(random_rotation(rng).to_matrix().columns)
    return tuple(found[:count])


def random_rotation(rng: np.random.Generator) -> Quaternion:
    return Quaternion(*map(float, rng.normal(size=4))).normalised()


def random_pose(rng: np.random.Generator) -> Pose:
    """Half of them along the axes, where much is zero."""
    along = rng.random() < 0.5
    q = Quaternion.identity() if along else random_rotation(rng)
    p = rng.uniform(-0.5, 0.5, 3) * (rng.integers(0, 2, 3) if along else 1)
    return Pose(q, Vec3(*map(float, p)))


def random_inertia(rng: np.random.Generator, mass: float) -> SymMat3:
    """About the centre of mass, of a body that could exist: its planar moments are positive."""
    R = random_rotation(rng).to_matrix()
    Pi = SymMat3.diagonal(*map(float, rng.uniform(0.01, 0.1, 3) * mass)).rotated(R)
    half = Pi.trace()
    return SymMat3.diagonal(half, half, half) - Pi


def _body(rng: np.random.Generator, name: str, parent: int, joint: Joint) -> Body:
    mass = float(rng.uniform(0.3, 3.0))
    com = Vec3(*map(float, rng.normal(size=3) * 0.2))
    return Body(name, parent, joint, mass, com, random_inertia(rng, mass))


# ---- states -------------------------------------------------------------------------------------------


def random_q(model: Model, rng: np.random.Generator, batch: int) -> np.ndarray:
    """Angles up to half a turn, lengths up to a metre, attitudes of either sign (batch, nq)."""
    q = rng.uniform(-1.0, 1.0, (batch, model.nq))
    for k, body in enumerate(model.bodies):
        place = model.q_starts[k]
        for motion in body.joint.motions:
            part = q[:, place : place + motion.nq]
            if motion.kind == "ball":
                part[:] = rng.normal(size=part.shape)
                part /= np.linalg.norm(part, axis=-1, keepdims=True)
            elif motion.kind != "slide":
                part *= np.pi
            place += motion.nq
    return q


def random_state(model: Model, seed: int, batch: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q (batch, nq), v and a (batch, nv)"""
    rng = np.random.default_rng([20260203, seed])
    q = random_q(model, rng, batch)
    return q, rng.normal(size=(batch, model.nv)), rng.normal(size=(batch, model.nv)) * 3


# ---- evaluation ---------------------------------------------------------------------------------------


def on_columns(function, model, *states, **options):
    """An equation on a whole batch at once: every entry of a state (..., n) as one NumPy column."""
    batch = np.shape(states[0])[:-1]
    columns = (list(np.moveaxis(np.asarray(x), -1, 0)) for x in states)
    return stacked(function(model, *columns, **options), batch)


def stacked(value, batch):
    """Nested scalars and columns as an array with the batch first; tuples of them as tuples."""
    if isinstance(value, tuple):
        return tuple(stacked(part, batch) for part in value)
    if isinstance(value, Pose):
        return stacked(value.p, batch), stacked(value.q, batch)
    if isinstance(value, (list, Vec3, Quaternion)):
        parts = [stacked(part, batch) for part in value]
        return np.stack(parts, axis=len(batch)) if parts else np.zeros((*batch, 0))
    return np.broadcast_to(np.asarray(value, float), batch)
