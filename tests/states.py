"""States of machines for the tests of what acts on them: on any scalar, at random places."""

from __future__ import annotations

import mpmath
import numpy as np

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.equations.tree_motion import Named, State, places_of


def state_of(model, q, v, t=0.0, p=None, tau=None):
    at_q, at_v = places_of(model)
    return State(model, t, Named.of(list(q), at_q), Named.of(list(v), at_v), p or {}, tau)


def random_state(robot, seed=0, speed=1.0):
    rng = np.random.default_rng([20260714, seed])
    q = robot.random_configuration(rng)
    return [float(x) for x in q], [float(x) for x in speed * rng.normal(size=robot.nv)]


def rate_along(robot, q, v, function, digits=50):
    """d/dt of a function of a state, along the motion with the velocities v, to half the digits."""
    with mpmath.workdps(digits):
        q, v = [mpmath.mpf(x) for x in q], [mpmath.mpf(x) for x in v]
        h = mpmath.mpf(10) ** (-digits // 3)
        ends = [
            function(state_of(robot.model, dynamics.integrate(robot.model, q, v, s * h), v)) for s in (1, -1)
        ]
        return (ends[0] - ends[1]) / (2 * h)


def slider(mass=2.0, axis="x", gravity=(0, 0, 0)):
    """A box on a rail."""
    built = qt.ModelBuilder("slider", gravity=gravity)
    built.body("box", joint="prismatic", joint_name="rail", axis=axis, mass=mass, inertia=(1, 1, 1))
    return built.robot()


def free_body(mass=2.0, inertia=(0.4, 0.4, 0.4), gravity=(0, 0, 0)):
    built = qt.ModelBuilder("free_body", gravity=gravity)
    built.body("body", joint="free", joint_name="root", mass=mass, inertia=inertia)
    return built.robot()
