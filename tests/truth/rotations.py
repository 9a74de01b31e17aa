"""Rotations by ways that share nothing with quaternions of this library."""

from __future__ import annotations

import numpy as np


def rodrigues(axis: np.ndarray, angle: float) -> np.ndarray:
    """I + sin θ [e]× + (1 − cos θ) [e]×²: the turn by θ about a unit axis e. Works on columns (n, 3), (n,)."""
    e = np.asarray(axis, dtype=float)
    K = cross_matrix(e)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * K + (1 - c) * (K @ K)


def cross_matrix(v: np.ndarray) -> np.ndarray:
    v = np.asarray(v, dtype=float)
    K = np.zeros((*v.shape[:-1], 3, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return K - np.swapaxes(K, -1, -2)


# i, j, k as 2×2 complex matrices: a faithful picture of the quaternions, with matrix product for ∘.
ONE = np.eye(2, dtype=complex)
I = np.array([[1j, 0], [0, -1j]])  # noqa: E741 the name it has in every book
J = np.array([[0, 1], [-1, 0]], dtype=complex)
K = np.array([[0, 1j], [1j, 0]])


def as_complex_matrix(q: np.ndarray) -> np.ndarray:
    """w + x i + y j + z k of an array (..., 4)."""
    q = np.asarray(q)[..., None, None]
    return q[..., 0, :, :] * ONE + q[..., 1, :, :] * I + q[..., 2, :, :] * J + q[..., 3, :, :] * K
