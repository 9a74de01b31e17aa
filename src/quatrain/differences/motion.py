"""How two models move in the same random states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.model import WORLD, Model


def motion_apart(a: Model, b: Model, states: int) -> dict[str, tuple[float, str]]:
    """Largest differences in the same random states, by the names of coordinates."""
    rng = np.random.default_rng(0)
    q, v = _random_q(a, rng, states), rng.normal(size=(states, a.nv))
    q_there = q[:, [a.q_names.index(name) for name in b.q_names]]
    to_b = [a.v_names.index(name) for name in b.v_names]
    found = {}
    equations: dict[str, Callable[..., Any]] = {
        "mass matrix": dynamics.mass_matrix,
        "bias force": dynamics.bias_force,
    }
    for name, equation in equations.items():
        rates = name == "bias force"
        here, there = (
            _columns(equation(model, *map(list, (x.T, rate.T) if rates else (x.T,))), states)
            for model, x, rate in ((a, q, v), (b, q_there, v[:, to_b]))
        )
        here = here[:, to_b][:, :, to_b] if here.ndim == 3 else here[:, to_b]
        scale = max(float(np.max(np.abs([here, there]))), 1e-300)
        wrong = np.max(np.abs(here - there), axis=0) / scale
        worst = np.unravel_index(int(np.argmax(np.nan_to_num(wrong, nan=np.inf))), wrong.shape)
        at = " and ".join(dict.fromkeys(b.v_names[int(i)] for i in worst))
        found[name] = (float(wrong[worst]), at)
    here_p, there_p = (_places(model, x) for model, x in ((a, q), (b, q_there)))
    sizes = {
        name: float(np.max(np.abs(here_p[name] - there_p[name]))) for name in here_p.keys() & there_p.keys()
    }
    if sizes:
        worst_name = max(sorted(sizes), key=lambda name: sizes[name])
        found["places of bodies and frames [m]"] = (sizes[worst_name], worst_name)
    return found


def _random_q(model: Model, rng: np.random.Generator, states: int) -> np.ndarray:
    """Of any size; quaternions of unit norm."""
    q = rng.uniform(-1.0, 1.0, (states, model.nq))
    for body, start in zip(model.bodies, model.q_starts, strict=True):
        at = start
        for motion in body.joint.own_motions:
            if motion.kind == "ball":
                part = rng.normal(size=(states, 4))
                q[:, at : at + 4] = part / np.linalg.norm(part, axis=1, keepdims=True)
            at += motion.nq
    return q


def _columns(value: Any, states: int) -> np.ndarray:
    """Lists of scalars and columns as an array with the states first."""
    if isinstance(value, (list, tuple, Vec3)):
        return np.stack([_columns(one, states) for one in value], axis=1)
    return np.broadcast_to(np.asarray(value, float), (states,))


def _places(model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
    """Origins of bodies and frames in the world (states, 3)."""
    states = len(q)
    positions, quaternions = dynamics.poses(model, list(q.T))
    poses = {WORLD: Pose.identity()}
    for k, (p, turn) in enumerate(zip(positions, quaternions, strict=True)):
        poses[k] = Pose(Quaternion(*turn), Vec3(*p))
    found = {body.name: _columns(poses[k].p, states) for k, body in enumerate(model.bodies)}
    return found | {f.name: _columns((poses[f.body] @ f.X_BF).p, states) for f in model.frames}
