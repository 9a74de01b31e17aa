"""The recursions against the covariant formulation as it is printed: serial chains, and trees by composites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from quatrain import Frame, Model, Pose, Quaternion, Vec3
from quatrain.equations import chain, dynamics
from quatrain.equations.chain import JointEffects, Load, PlacedJoint
from quatrain.equations.rigid_body import Body
from quatrain.model import WORLD
from tests.truth.random_trees import on_columns, random_state, random_tree

KINDS = ("revolute", "prismatic", "continuous")
BATCH = 4
TOLERANCE = 3e-14  # a hundred roundings of either side, relative to the largest number of the answer
SEEDS = [(seed, 3 + seed) for seed in range(4)]
LONG = [pytest.param(10 + seed, 12, marks=pytest.mark.slow) for seed in range(4)]
cases = pytest.mark.parametrize(("seed", "count"), [*SEEDS, *LONG])


def serial(seed: int, count: int) -> Model:
    """A chain without branches, on the ground."""
    model = random_tree(seed, count, KINDS)
    return replace(model, bodies=tuple(replace(b, parent=k - 1) for k, b in enumerate(model.bodies)))


def placed(model: Model, k: int) -> PlacedJoint:
    """A joint with its body, in the words of the adapter."""
    body, joint = model.bodies[k], model.bodies[k].joint
    own = Body(body.mass, body.p_BBcm, body.I_Bcm_B)
    return PlacedJoint(joint.kind == "prismatic", joint.X_PJ, joint.axes[0], own, joint.X_MB)


def as_chain(model: Model, q):
    """In the words of the formulation, at these coordinates."""
    adapted = chain.adapt([placed(model, k) for k in range(model.nb)], model.gravity)
    return adapted, chain.configuration(adapted.chain, adapted.coordinates(q.T))


def close(found, exact, tolerance=TOLERANCE):
    """`exact` as the chain gives it, batch last; to the largest entry."""
    found, exact = np.moveaxis(found, 0, -1), table(exact)
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * max(1.0, np.max(np.abs(exact))))


def table(value):
    """Nested scalars, columns and vectors as an array with the batch last."""
    if not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return np.broadcast_to(value, (BATCH,)).astype(float)
    return np.array([table(part) for part in value])


# ---- serial chains -----------------------------------------------------------------------------------------


@cases
def test_chains_obey_the_covariant_equations(seed, count):
    """M is the metric, C its Christoffel symbols times v, g and forces as in the full equation of motion."""
    model = serial(seed, count)
    q, v, a = random_state(model, seed, BATCH)
    _, at = as_chain(model, q)
    Gamma = chain.christoffel_symbols(at)
    rotors = [body.joint.armature[0] if body.joint.armature else 0.0 for body in model.bodies]
    effects = [JointEffects(rotor_inertia=rotor) for rotor in rotors]

    M = on_columns(dynamics.mass_matrix, model, q)
    close(M - np.diag(rotors), chain.metric(at).rows)
    C = on_columns(dynamics.coriolis_matrix, model, q, v)
    close(C, chain.coriolis_matrix(Gamma, v.T).rows)
    close(-on_columns(dynamics.gravity_force, model, q), chain.gravity_forces(at))
    weightless = replace(model, gravity=Vec3.zero())
    close(on_columns(dynamics.bias_force, weightless, q, v), chain.velocity_forces(Gamma, v.T))
    kinetic = on_columns(dynamics.kinetic_energy, model, q, v)
    close(kinetic - 0.5 * v**2 @ rotors, chain.kinetic_energy(at, tuple(v.T)))
    close(on_columns(dynamics.potential_energy, model, q), chain.potential_energy(at))
    tau = on_columns(dynamics.inverse_dynamics, model, q, v, a)
    close(tau, chain.actuator_forces(at, tuple(v.T), tuple(a.T), effects=effects))
    found = on_columns(dynamics.forward_dynamics, model, q, v, a)
    # Both solve with M: rounding is felt up to κ(M) times.
    exact = chain.generalized_acceleration(at, tuple(v.T), tuple(a.T), effects=effects)
    close(found, exact, 1e-15 * np.max(np.linalg.cond(M)))


@cases
def test_bodies_of_chains_stand_and_move_as_the_formulation_says(seed, count):
    model = serial(seed, count)
    q, v, a = random_state(model, seed, BATCH)
    adapted, at = as_chain(model, q)
    positions, quaternions = on_columns(dynamics.poses, model, q)
    for k, body in enumerate(model.bodies):
        X_WB = adapted.model_pose(at, k)
        close(positions[:, k], X_WB.p)
        exact = table(X_WB.q)
        sign = np.sign(np.einsum("bi,ib->b", quaternions[:, k], exact))
        close(quaternions[:, k] * sign[:, None], exact)
        # The chain gives velocities and accelerations of mass centres.
        J = on_columns(dynamics.jacobian, model, q, frame=body.name, point=body.p_BBcm)
        for alpha in range(count):
            reached = alpha <= k
            T = chain.quasi_basic_vector(at, alpha, k) if reached else Vec3.zero()
            Omega = chain.partial_rotation(at, alpha, k) if reached else Vec3.zero()
            close(J[..., alpha], [*T, *Omega])
        linear, angular = on_columns(centre_acceleration, model, q, v, a, body=body)
        close(angular, chain.angular_acceleration(at, tuple(v.T), tuple(a.T), k))
        close(linear, chain.acceleration(at, tuple(v.T), tuple(a.T), k))


def centre_acceleration(model, q, v, a, body):
    """Of the mass centre, by a frame that stands there."""
    X_BF = Pose(Quaternion.identity(), body.p_BBcm)
    there = replace(model, frames=(Frame("centre", model.body_names.index(body.name), X_BF),))
    return dynamics.frame_acceleration(there, q, v, a, "centre")


@cases
def test_forces_on_bodies_of_chains_act_as_loads(seed, count):
    """At rest without gravity, the joints hold nothing else."""
    model = replace(serial(seed, count), gravity=Vec3.zero())
    q, v, _ = random_state(model, seed, BATCH)
    adapted, at = as_chain(model, q)
    f, t = (Vec3(*map(float, x)) for x in np.random.default_rng(seed).normal(size=(2, 3)))
    for k, body in enumerate(model.bodies):
        wrench = {body.name: (f, t)}
        held = on_columns(dynamics.inverse_dynamics, model, q, 0 * v, 0 * v, external=wrench)
        # A load acts at C_i + b, b in the chain's axes of body i: here at the origin of the model's frame.
        load = Load(k, f, t, -adapted.Q[k].rotate(body.p_BBcm))
        close(-held, chain.load_forces(at, load))


# ---- trees -------------------------------------------------------------------------------------------------


@cases
def test_trees_are_their_composites(seed, count):
    """Each joint's twist and each body's pseudo-inertia by the chain that leads to it; then composites on the tree."""
    model = random_tree(seed + 50, count, KINDS)
    parents = [body.parent for body in model.bodies]
    assert parents != [k - 1 for k in range(count)]
    q, v, _ = random_state(model, seed, BATCH)
    s, P = [], []
    for k in range(count):
        path = way_to(model, k)
        adapted = chain.adapt([placed(model, i) for i in path], model.gravity)
        at = chain.configuration(adapted.chain, adapted.coordinates(q.T[path]))
        s.append(chain.joint_twist(at, len(path) - 1))
        P.append(chain.body_pseudo_inertia(at, len(path) - 1))
    rotors = [body.joint.armature[0] if body.joint.armature else 0.0 for body in model.bodies]
    M = on_columns(dynamics.mass_matrix, model, q) - np.diag(rotors)
    close(M, chain.metric_of_composites(s, P, parents).rows)
    C = on_columns(dynamics.coriolis_matrix, model, q, v)
    close(C, chain.coriolis_of_composites(s, P, v.T, parents).rows)
    h = on_columns(dynamics.bias_force, model, q, v)
    close(h, chain.forces_of_composites(s, P, v.T, parents, gravity=model.gravity))
    g = on_columns(dynamics.gravity_force, model, q)
    close(-g, chain.gravity_of_composites(s, P, model.gravity, parents))


def way_to(model: Model, k: int) -> list[int]:
    """The bodies from the ground to one of them."""
    path = []
    while k != WORLD:
        path.append(k)
        k = model.bodies[k].parent
    return path[::-1]
