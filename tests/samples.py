"""Random and delicate rotations for the tests."""

from __future__ import annotations

import numpy as np

from quatrain import Quaternion, Vec3, random_unit_quaternions

COUNT = 4000


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng([20260101, seed])


def vectors(seed: int, count: int = COUNT) -> Vec3:
    return Vec3.from_array(rng(seed).normal(size=(count, 3)))


def rotations(seed: int, count: int = COUNT) -> Quaternion:
    return Quaternion.from_array(random_unit_quaternions(rng(seed), count))


def quaternions(seed: int, count: int = COUNT) -> Quaternion:
    """Of any norm."""
    return Quaternion.from_array(rng(seed).normal(size=(count, 4)))


def unit_vectors(seed: int, count: int = COUNT) -> np.ndarray:
    directions = rng(seed).normal(size=(count, 3))
    return directions / np.linalg.norm(directions, axis=-1, keepdims=True)


_SMALL = [0.0, 5e-324, 1e-200, 1e-160, 1e-154, 1e-100, 1e-16, 1e-12, 1e-9, 1e-8, 1e-5, 1e-3]
_MIDDLE = [0.1, 0.27, 0.5, 1.0, 2.0, 3.0]
_NEAR_PI = [np.pi - gap for gap in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0)]
DELICATE_ANGLES = np.array(_SMALL + _MIDDLE + _NEAR_PI)
