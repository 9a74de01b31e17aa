"""Planar machines of two links, as books print their equations. Angles may be NumPy columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TwoLinkArm:
    """In a vertical plane, q1 from the horizontal, q2 from the first link's direction.

    M. W. Spong, Swing up control of the Acrobot, Proc. IEEE Int. Conf. Robotics and Automation (1994) 2356, equations
    (1), (2) and the terms after them.
    """

    m1: float
    m2: float
    l1: float
    lc1: float
    lc2: float
    I1: float
    I2: float
    g: float

    def mass_matrix(self, q1, q2):
        d12 = self.m2 * (self.lc2**2 + self.l1 * self.lc2 * np.cos(q2)) + self.I2
        d22 = self.m2 * self.lc2**2 + self.I2
        reach = self.l1**2 + self.lc2**2 + 2 * self.l1 * self.lc2 * np.cos(q2)
        d11 = self.m1 * self.lc1**2 + self.m2 * reach + self.I1 + self.I2
        return np.array([[d11, d12], [d12, d22 + 0 * q2]])

    def velocity_forces(self, q1, q2, dq1, dq2):
        k = self.m2 * self.l1 * self.lc2 * np.sin(q2)
        return np.array([-k * dq2**2 - 2 * k * dq2 * dq1, k * dq1**2])

    def gravity_forces(self, q1, q2):
        outer = self.m2 * self.lc2 * self.g * np.cos(q1 + q2)
        return np.array([(self.m1 * self.lc1 + self.m2 * self.l1) * self.g * np.cos(q1) + outer, outer])


@dataclass(frozen=True)
class DoublePendulum:
    """Two points on massless rods; both angles from the vertical, hanging down at zero.

    The Lagrangian of L. D. Landau and E. M. Lifshitz, Mechanics, 3rd ed. (1976), § 5, problem 1, p. 11:

        L = ½ (m1 + m2) l1² φ̇1² + ½ m2 l2² φ̇2² + m2 l1 l2 φ̇1 φ̇2 cos(φ1 − φ2) + (m1 + m2) g l1 cos φ1 + m2 g l2 cos φ2
    """

    m1: float
    m2: float
    l1: float
    l2: float
    g: float

    def energies(self, f1, f2, df1, df2):
        """T and V."""
        m, cross = self.m1 + self.m2, self.m2 * self.l1 * self.l2
        T = (
            m * self.l1**2 * df1**2 / 2
            + self.m2 * self.l2**2 * df2**2 / 2
            + cross * df1 * df2 * np.cos(f1 - f2)
        )
        return T, -m * self.g * self.l1 * np.cos(f1) - self.m2 * self.g * self.l2 * np.cos(f2)

    def accelerations(self, f1, f2, df1, df2):
        """φ̈1, φ̈2 of the free pendulum: d/dt ∂L/∂φ̇ = ∂L/∂φ, solved by Cramer's rule."""
        m, cross = self.m1 + self.m2, self.m2 * self.l1 * self.l2
        a, d, b = m * self.l1**2, self.m2 * self.l2**2, cross * np.cos(f1 - f2)
        s = cross * np.sin(f1 - f2)
        e = -s * df2**2 - m * self.g * self.l1 * np.sin(f1)
        f = s * df1**2 - self.m2 * self.g * self.l2 * np.sin(f2)
        return (d * e - b * f) / (a * d - b * b), (a * f - b * e) / (a * d - b * b)
