"""What a model and the one that is read of its file have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quatrain import Pose, Quaternion, Vec3, formats
from quatrain.equations import dynamics
from quatrain.loading import load_model
from tests.truth.random_trees import on_columns, random_q


def written_and_read(model, format, **options):
    """The model that is read of the text, and what was said of the writing."""
    written = formats.write(model, format)
    return load_model(written.text, **{"inertia": "warn", "merge_fixed": False} | options)[0], written


def moves_alike(one, other, tolerance=1e-12, seed=0):
    """Coordinates of the same names; M, bias forces and places of all frames in random states of them."""
    assert (other.q_names, other.v_names) == (one.q_names, one.v_names)
    rng = np.random.default_rng(seed)
    q, v = random_q(one, rng, 3), rng.normal(size=(3, one.nv))
    if one.nv:
        for equation, states in ((dynamics.mass_matrix, (q,)), (dynamics.bias_force, (q, v))):
            expected, found = (on_columns(equation, model, *states) for model in (one, other))
            scale = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(scale, 1e-3))
    expected, found = places(one, q), places(other, q)
    for name, X in expected.items():
        same = found[name]
        np.testing.assert_allclose(np.array([*same.p]), np.array([*X.p]), rtol=0, atol=tolerance * 10)
        turned = np.abs(sum(a * b for a, b in zip(same.q, X.q, strict=True)))
        np.testing.assert_allclose(turned, 1.0, rtol=0, atol=tolerance)


def places(model, q):
    """Of every body and frame in the world, with columns for components."""
    positions, quaternions = dynamics.poses(model, list(q.T))
    zero = np.zeros(len(q))

    def pose(p, turn):
        return Pose(Quaternion(*(x + zero for x in turn)), Vec3(*(x + zero for x in p)))

    found = {name: pose(*two) for name, *two in zip(model.body_names, positions, quaternions, strict=True)}
    ground = pose((0, 0, 0), (1, 0, 0, 0))
    for frame in model.frames:
        found[frame.name] = (ground if frame.body < 0 else found[model.body_names[frame.body]]) @ frame.X_BF
    return found


def plain(model):
    """Without what URDF has no place for: rotors."""
    return replace(model, bodies=tuple(replace(b, joint=replace(b.joint, armature=())) for b in model.bodies))
