"""A smooth motion of a rigid body in closed form, and the wrench that it takes.

The wrench follows from the inertia about the body's origin and the rate of the momentum there, in
matrices; so it shares no formula with an acceleration that is computed from the centre of mass.
"""

from __future__ import annotations

import math

import numpy as np

from tests.truth.rotations import cross_matrix

MASS = 2.5
CENTRE = np.array([0.3, -0.2, 0.4])
INERTIA = np.array([[1.3, 0.2, -0.1], [0.2, 2.1, 0.3], [-0.1, 0.3, 2.7]])
"""About the centre of mass."""


def place(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The origin's position, velocity and acceleration."""
    return (
        np.array([math.sin(t), math.cos(0.7 * t), 0.3 * t * t]),
        np.array([math.cos(t), -0.7 * math.sin(0.7 * t), 0.6 * t]),
        np.array([-math.sin(t), -0.49 * math.cos(0.7 * t), 0.6]),
    )


def turning(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Quaternion and matrix of R_z(a) R_x(b), angular velocity and its derivative in the body."""
    a, da, dda = 1.1 * t + 0.5 * math.sin(t), 1.1 + 0.5 * math.cos(t), -0.5 * math.sin(t)
    b, db, ddb = 0.8 * math.sin(1.3 * t), 1.04 * math.cos(1.3 * t), -1.352 * math.sin(1.3 * t)
    ca, sa, cb, sb = math.cos(a / 2), math.sin(a / 2), math.cos(b / 2), math.sin(b / 2)
    q = np.array([ca * cb, ca * sb, sa * sb, sa * cb])
    c, s = math.cos(b), math.sin(b)
    Rz = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    Rx = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    w = np.array([db, da * s, da * c])
    dw = np.array([ddb, dda * s + da * db * c, dda * c - da * db * s])
    return q, Rz @ Rx, w, dw


def wrench(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Force on the body in space, and torque about its origin in the body."""
    _, _, a = place(t)
    _, R, w, dw = turning(t)
    C = cross_matrix(CENTRE)
    force = MASS * (a + R @ (cross_matrix(dw) + cross_matrix(w) @ cross_matrix(w)) @ CENTRE)
    about_origin = INERTIA - MASS * C @ C
    torque = about_origin @ dw + cross_matrix(w) @ about_origin @ w + MASS * C @ R.T @ a
    return force, torque
