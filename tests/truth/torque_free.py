"""Torque-free rotation in closed form, in mpmath.

Landau and Lifshitz, Mechanics (3rd ed.), section 37: angular velocity in Jacobi's elliptic functions, the
attitude by Euler's angles about the fixed angular momentum, of which the precession is a quadrature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np


@dataclass(frozen=True)
class Motion:
    """ω = amplitude · (cn, sn, dn) of rate · t + phase, on three axes."""

    inertia: tuple[Any, ...]
    start: tuple[Any, ...]
    axes: tuple[int, int, int]
    amplitudes: tuple[Any, ...]
    parameter: Any
    rate: Any
    phase: Any

    @property
    def period(self) -> Any:
        return 4 * mpmath.ellipk(self.parameter) / self.rate

    def angular_velocity(self, t: Any) -> list[Any]:
        u, w = self.rate * t + self.phase, [mpmath.mpf(0)] * 3
        for name, axis, amplitude in zip(("cn", "sn", "dn"), self.axes, self.amplitudes, strict=True):
            w[axis] = amplitude * mpmath.ellipfun(name, u, m=self.parameter)
        return w

    def attitude(self, t: Any) -> Any:
        """The rotation matrix body → space, from the identity at t = 0."""
        I = self.inertia  # noqa: E741
        L = mpmath.sqrt(sum((i * w) ** 2 for i, w in zip(I, self.start, strict=True)))

        def precession(s: Any) -> Any:
            a, b, _ = self.angular_velocity(s)
            return L * (I[0] * a**2 + I[1] * b**2) / ((I[0] * a) ** 2 + (I[1] * b) ** 2)

        pieces = mpmath.linspace(0, t, 2 + int(2 * t / self.period))
        phi = mpmath.quad(precession, pieces, method="gauss-legendre")
        return self._in_momentum_axes(0, 0, L).T * self._in_momentum_axes(t, phi, L)

    def _in_momentum_axes(self, t: Any, phi: Any, L: Any) -> Any:
        """R_z(φ) R_x(θ) R_z(ψ): body → axes with z along the angular momentum."""
        a, b, c = (i * w / L for i, w in zip(self.inertia, self.angular_velocity(t), strict=True))
        theta, psi = mpmath.atan2(mpmath.sqrt(a * a + b * b), c), mpmath.atan2(a, b)
        return _about_z(phi) * _about_x(theta) * _about_z(psi)


def motion(inertia: Any, start: Any) -> Motion:
    """For moments in ascending order, all different, and none of the separatrix."""
    I, w = [mpmath.mpf(x) for x in inertia], [mpmath.mpf(x) for x in start]  # noqa: E741
    twice_E = sum(i * x**2 for i, x in zip(I, w, strict=True))
    square_L = sum((i * x) ** 2 for i, x in zip(I, w, strict=True))
    # Where L² < 2 E I₂ the first and the third axis change places.
    a, b, c = axes = (0, 1, 2) if square_L > twice_E * I[1] else (2, 1, 0)
    up, down = twice_E * I[c] - square_L, square_L - twice_E * I[a]
    amplitudes = [
        mpmath.sqrt(up / (I[a] * (I[c] - I[a]))),
        mpmath.sqrt(up / (I[b] * (I[c] - I[b]))),
        mpmath.sqrt(down / (I[c] * (I[c] - I[a]))),
    ]
    sign = 1 if w[c] >= 0 else -1  # of dn, which has none; that of sn follows from Euler's equations
    amplitudes[1], amplitudes[2] = amplitudes[1] * sign, amplitudes[2] * sign
    parameter = (I[b] - I[a]) * up / ((I[c] - I[b]) * down)
    rate = mpmath.sqrt((I[c] - I[b]) * down / (I[0] * I[1] * I[2]))
    phase = mpmath.ellipf(mpmath.atan2(w[b] / amplitudes[1], w[a] / amplitudes[0]), parameter)
    return Motion(tuple(I), tuple(w), axes, tuple(amplitudes), parameter, rate, phase)


def _about_z(angle: Any) -> Any:
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    return mpmath.matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _about_x(angle: Any) -> Any:
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    return mpmath.matrix([[1, 0, 0], [0, c, -s], [0, s, c]])


def symmetric_top(transverse: float, axial: float, start: Any, t: Any) -> tuple[np.ndarray, np.ndarray]:
    """ω and q at t of a body with moments (transverse, transverse, axial), from the identity; ω₂(0) = 0.

    q = exp(½ L t/I_t) exp(½ e₃ (ω₃ − I₃ω₃/I_t) t), L in the axes at the start.
    """
    t = np.asarray(t, float)
    w1, _, w3 = start
    L = np.array([transverse * w1, 0.0, axial * w3])
    nutation = (transverse - axial) / transverse * w3 * t
    w = np.stack([w1 * np.cos(nutation), -w1 * np.sin(nutation), np.full_like(t, w3)], axis=-1)
    size = np.linalg.norm(L)
    half, spin = size * t / transverse / 2, nutation / 2
    a = np.concatenate([np.cos(half)[..., None], np.sin(half)[..., None] * L / size], axis=-1)
    zero = np.zeros_like(t)
    b = np.stack([np.cos(spin), zero, zero, np.sin(spin)], axis=-1)
    return w, _hamilton(a, b)


def _hamilton(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    a, b, c, d = np.moveaxis(p, -1, 0)
    e, f, g, h = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )
