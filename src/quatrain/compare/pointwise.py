"""Whether all forms say the same of one state: the acceleration, and the multiplier beside its closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from quatrain.arrays import random_unit_quaternions
from quatrain.compare.formulations import Formulation, QuaternionForm, second_derivative
from quatrain.compare.motion import Motion
from quatrain.compare.results import Agreement
from quatrain.equations.euler_parameter_loads import torque_on_attitude
from quatrain.equations.quaternion_lagrangian import euler_equations
from quatrain.geometry import Quaternion, Vec3


def agreement(formulation: Formulation, motion: Motion, samples: int, seed: int) -> Agreement:
    """At the start, and on random attitudes and rates of the size of the motion's; G(29) is what counts as right."""
    start = _difference(formulation, motion, motion.q_WB, motion.w_WB_B)
    rng = np.random.default_rng(seed)
    q = Quaternion.from_array(random_unit_quaternions(rng, samples))
    size = float(motion.w_WB_B.norm()) or 1.0
    w = Vec3.from_array(rng.standard_normal((samples, 3)) * size)
    regular = np.broadcast_to(formulation.is_regular(q), samples)
    q, w = Quaternion(*(x[regular] for x in q)), Vec3(*(x[regular] for x in w))
    return Agreement(
        formulation.name,
        formulation.equation,
        formulation.coordinates,
        start,
        _difference(formulation, motion, q, w),
        formulation.multiplier,
        _multiplier_error(formulation, motion, q, w),
        int(np.count_nonzero(regular)),
    )


def _difference(formulation: Formulation, motion: Motion, q: Quaternion, w: Vec3) -> float:
    """Largest |q̈ − q̈ of G(29)|, relative to the latter."""
    tau_B = torque_on_attitude(q, motion.load_at(0.0, q, w))
    _, alpha = euler_equations(q, w, motion.inertia, tau_B)
    right = second_derivative(q, w, alpha)
    found, _, _ = formulation.second_derivative(motion, 0.0, q, w)
    size = np.maximum(right.norm(), np.finfo(float).tiny)
    return float(np.max((found - right).norm() / size, initial=0.0))


def _multiplier_error(formulation: Formulation, motion: Motion, q: Quaternion, w: Vec3) -> float | None:
    """Largest deviation, relative to the larger of 4T and λ itself."""
    _, solved, closed = formulation.second_derivative(motion, 0.0, q, w)
    if solved is None or closed is None:
        return None
    size = np.maximum(motion.kinetic_energy(w) * 4, np.abs(closed))
    return float(np.max(np.abs(solved - closed) / size, initial=0.0))


def multiplier_drift(
    formulation: Formulation, motion: Motion, t: Any, x: Any, dx: Any, scale: float
) -> float | None:
    """Largest deviation along a run, where the norm is no longer one, in units of four kinetic energies."""
    if not isinstance(formulation, QuaternionForm):
        return None
    with np.errstate(all="ignore"):  # a run that diverges
        solved, closed = formulation.multipliers(motion, t, x, dx)
        if solved is None or closed is None:
            return None
        return float(np.max(np.abs(solved - closed), initial=0.0)) / (4 * scale)
