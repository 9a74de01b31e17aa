"""Forces on other scalars, and their derivatives: CasADi's against ours, at rest and in motion."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import quatrain as qt
from quatrain import forces
from quatrain.compiler import jacobian, trace
from quatrain.compiler.interpret import run
from tests.states import random_state, state_of
from tests.test_forces import CONSERVATIVE, LOSING

ROBOT = qt.examples.load("humanoid")
ELEMENTS = {
    **CONSERVATIVE,
    **LOSING,
    "schedule": forces.Schedule(
        "left_hand", [0.0, 0.5, 1.0], force=[(0, 0, 0), (1, 2, 3), (0, 0, 0)], axes="body", kind="cubic"
    ),
    "rubbing ground": forces.GroundContact(("left_sole", "right_hand"), 70.0, 0.2, friction=0.8, radius=8.0),
    "ground far below": forces.GroundContact("left_sole", 70.0, plane=forces.Plane((0, 0, -99))),
}


def numbers(force, q, v):
    push = force(state_of(ROBOT.model, q, v, t=0.3))
    if isinstance(push, dict):
        return [x for f, t in push.values() for x in (*f, *t)]
    return list(push)


@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_and_its_derivatives_are_casadis(name):
    """At rest too, where norms are zero: all is smooth."""
    force, model = ELEMENTS[name], ROBOT.model
    Q, V = casadi.SX.sym("q", model.nq), casadi.SX.sym("v", model.nv)
    entries = [Q[i] for i in range(model.nq)], [V[i] for i in range(model.nv)]
    values = casadi.vertcat(*[casadi.SX(x) for x in numbers(force, *entries)])
    theirs = casadi.Function("f", [Q, V], [values, casadi.jacobian(values, Q), casadi.jacobian(values, V)])
    program = trace(
        lambda q, v: {"y": np.array(numbers(force, q, v), dtype=object)}, {"q": model.nq, "v": model.nv}
    )
    slopes = jacobian(program, method="forward")
    for speed in (1.0, 0.0):
        q, v = random_state(ROBOT, 3, speed)
        y, by_q, by_v = (np.array(x) for x in theirs(q, v))
        assert np.abs(np.array(numbers(force, q, v)) - y.ravel()).max() < 1e-12 * (1 + np.abs(y).max())
        found = run(slopes, {"q": np.array(q), "v": np.array(v)})
        for ours, other in ((found["y_by_q"], by_q), (found["y_by_v"], by_v)):
            assert np.all(np.isfinite(ours))
            assert np.abs(ours - other).max() < 1e-10 * (1 + np.abs(other).max())


def test_a_ball_bounces_in_single_precision_and_with_steps_of_its_own():
    built = qt.ModelBuilder("ball")
    built.body("ball", joint="free", joint_name="root", solid=qt.Sphere(0.1), mass=1.0)
    robot = built.robot()
    ground = forces.GroundContact("ball", 1e5, 0.3, radius=0.1)
    start = [0, 0, 0.3, 1, 0, 0, 0]
    options = {"duration": 0.6, "forces": [ground], "record": ["q"]}
    fine = qt.simulate(robot, start, np.zeros(6), dt=1e-5, record_every=1000, **options)
    single = qt.simulate(robot, start, np.zeros(6), dt=1e-4, record_every=100, dtype="float32", **options)
    assert np.abs(single.q[:, 2] - fine.q[:, 2]).max() < 2e-4
    chosen = qt.simulate(robot, start, np.zeros(6), dt=1e-2, method="dopri5", tolerance=1e-9, **options)
    assert np.abs(chosen.q[:, 2] - fine.q[:, 2]).max() < 1e-6
