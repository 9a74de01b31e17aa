"""The equations of trees with forty digits, against themselves and against the compiled kernels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import mpmath
import numpy as np
import pytest

import quatrain as qt
from quatrain import Vec3
from quatrain.equations import dynamics
from tests.truth.precise_trees import (
    DIGITS,
    as_numbers,
    condition,
    lifted,
    objects,
    precisely,
    rate,
    unit_quaternions,
    worst,
)
from tests.truth.random_trees import KINDS, random_state, random_tree

BATCH = 3


# ---- one function of everything ------------------------------------------------------------------------


def everything(model, q, v, a):
    """All quantities of a state; a stands for accelerations, and for joint forces where these are asked for."""
    frame = model.frames[0].name
    pushed = {frame: (Vec3(*a[:3]), Vec3(*v[:3]))}
    X = dynamics.frame_pose(model, q, frame)
    return {
        "mass_matrix": dynamics.mass_matrix(model, q),
        "coriolis_matrix": dynamics.coriolis_matrix(model, q, v),
        "gravity_force": dynamics.gravity_force(model, q),
        "bias_force": dynamics.bias_force(model, q, v),
        "inverse_dynamics": dynamics.inverse_dynamics(model, q, v, a, pushed),
        "forward_dynamics": dynamics.forward_dynamics(model, q, v, a, pushed),
        "pose": [*X.p, *X.q],
        "jacobian": dynamics.jacobian(model, q, frame),
        "velocity": [x for half in dynamics.frame_velocity(model, q, v, frame) for x in half],
        "acceleration": [x for half in dynamics.frame_acceleration(model, q, v, a, frame) for x in half],
        "energies": [dynamics.kinetic_energy(model, q, v), dynamics.potential_energy(model, q)],
        "center_of_mass": list(dynamics.center_of_mass(model, q)),
        "momentum": [x for half in dynamics.momentum(model, q, v) for x in half],
        "rates": dynamics.coordinate_rates(model, q, v),
        "integrated": dynamics.integrate(model, q, v, 0.01),
        "difference": dynamics.difference(model, q, dynamics.integrate(model, q, v, 0.01)),
    }


# ---- trees ---------------------------------------------------------------------------------------------


def wild(seed: int, count: int):
    """Masses from a gram to ten tons in one tree, angles near zero, near a half turn and far around."""
    model, rng = random_tree(seed, count), np.random.default_rng([7, seed])
    factors = 10.0 ** rng.uniform(-3, 4, count)
    bodies = [
        replace(body, mass=body.mass * float(x), I_Bcm_B=body.I_Bcm_B * float(x))
        for body, x in zip(model.bodies, factors, strict=True)
    ]
    q, v, a = random_state(model, seed, BATCH)
    special = np.array([1e-9, np.pi - 1e-9, 1e3])
    for k, coordinate in enumerate(model.coordinates()):
        if coordinate.unit == "rad":
            q[k % BATCH, k] = special[k % 3]
    return replace(model, bodies=tuple(bodies)), q, v * 3, a


def tame(seed: int, count: int):
    model = random_tree(seed, count)
    return model, *random_state(model, seed, BATCH)


QUICK = [(wild, 1, len(KINDS))]
SLOW = [(tame, 0, len(KINDS)), (tame, 2, 40), (wild, 4, 40)]
cases = pytest.mark.parametrize(
    "case",
    [*QUICK, *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW)],
    ids=lambda case: f"{case[0].__name__}-{case[1]}-{case[2]}",
)


@cache
def prepared(case):
    """Model, state, and what forty digits say of it."""
    kind, seed, count = case
    model, q, v, a = kind(seed, count)
    with mpmath.workdps(DIGITS):
        return model, (q, v, a), precisely(everything, model, q, v, a)


@cases
def test_kernels_are_right_to_rounding(case):
    """What is a sum of products is right to some ten roundings; accelerations, which M is solved for, to κ(M) of them.

    The issue's bound is 1e-12 κ(M); this is a thousandth of it, and of 1e-12 where there is nothing to solve.
    """
    model, state, exact = prepared(case)
    found = qt.compile(everything, model)(*state)
    for k, truth in enumerate(exact):
        kappa = condition(truth["mass_matrix"])
        for name, value in truth.items():
            # A difference of coordinates is right to the rounding of these.
            least = max(1, np.max(np.abs(state[0][k]))) if name == "difference" else 1
            bound = 1e-15 * kappa if name == "forward_dynamics" else 1e-14
            assert worst(found[name][k], value, least) < bound, name


@cases
def test_accelerations_solve_an_equation_that_is_off_by_rounding_only(case):
    """Backward error: for the accelerations of the kernel, forces are right to 1e-12 of M a and h, whatever κ is."""
    model, (q, v, tau), exact = prepared(case)
    a = qt.compile(everything, model)(q, v, tau)["forward_dynamics"]
    with mpmath.workdps(DIGITS):
        needed = precisely(forces_for, model, q, v, a, tau)
    for k, truth in enumerate(exact):
        M, h = np.array(truth["mass_matrix"], dtype=float), np.array(truth["bias_force"], dtype=float)
        size = np.max(np.abs(M) @ np.abs(a[k]) + np.abs(h) + np.abs(tau[k]))
        assert worst(needed[k], [mpmath.mpf(x) for x in tau[k]], size) < 1e-12


def forces_for(model, q, v, a, tau):
    """Joint forces for the accelerations a, under the external forces of `everything`."""
    pushed = {model.frames[0].name: (Vec3(*tau[:3]), Vec3(*v[:3]))}
    return dynamics.inverse_dynamics(model, q, v, a, pushed)


@cases
def test_equations_agree_with_one_another_to_thirty_digits(case):
    """Independent algorithms, so far from rounding that agreement means equality."""
    model, state, _ = prepared(case)
    with mpmath.workdps(DIGITS):
        unit = lifted(model, unit=True)
        for q, v, a in zip(*(as_numbers(x) for x in state), strict=True):
            q = unit_quaternions(model, q)
            truth = everything(unit, q, v, a)
            value = {name: objects(x) for name, x in truth.items()}
            M, J, v, a = value["mass_matrix"], value["jacobian"], np.array(v), np.array(a)
            tiny = 1e-30
            assert worst(M, M.T) < tiny
            assert worst(value["coriolis_matrix"] @ v + value["gravity_force"], value["bias_force"]) < tiny
            wrench = np.concatenate([a[:3], v[:3]])
            assert worst(M @ a + value["bias_force"] - J.T @ wrench, value["inverse_dynamics"]) < tiny
            needed = forces_for(unit, q, v, truth["forward_dynamics"], a)
            assert worst(needed, a) < tiny * condition(truth["mass_matrix"])
            assert worst(v @ M @ v / 2, value["energies"][0]) < tiny
            assert worst(J @ v, value["velocity"]) < tiny
            bent = rate(lambda model, q: dynamics.jacobian(model, q, model.frames[0].name), unit, q, v)
            assert worst(J @ a + bent @ v, value["acceleration"]) < 1e-22
            assert worst(value["difference"], v * mpmath.mpf(0.01), max(map(abs, q))) < tiny
