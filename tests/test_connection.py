"""Connection coefficients of trees, against derivatives of the mass matrix in forty digits and against others."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest

import quatrain as qt
from quatrain.equations import chain, dynamics
from quatrain.equations.connection import (
    christoffel,
    christoffel_second_kind,
    covariant_derivative,
    geodesic_acceleration,
    structure_constants,
)
from quatrain.equations.curvature import curvature
from quatrain.equations.tree import Tree
from tests.truth.random_trees import KINDS, on_columns, random_q, random_state, random_tree

# Entries are a few to some hundred units in size; sums of some hundred products round to 1e-14 of the largest.
TOLERANCE = 1e-12
TREES = (*range(8), *((100 + k, kind) for k, kind in enumerate(KINDS) if kind != "fixed"))


@cache
def tree(case):
    """Twelve bodies with joints of all kinds; or three with one kind on the ground and at the tip."""
    if isinstance(case, int):
        return random_tree(case, 12)
    seed, kind = case
    return random_tree(seed, 3, (kind, "revolute"), root=kind)


def rotors(model):
    """The part of the mass matrix that flywheels make."""
    found = np.zeros(model.nv)
    for segment in Tree.of(model).segments:
        for k, rotor in enumerate(segment.armature, segment.v):
            found[k] += rotor
    return np.diag(found)


def close(found, exact, tolerance=TOLERANCE):
    scale = max(1.0, float(np.max(np.abs(exact), initial=0.0)))
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * scale)


@cache
def derivatives(case):
    """At one state: M without rotors, and its derivatives dM[a, b, c] along e_a, from differences of mpmath numbers.

    A step of 1e-13 in 45 digits leaves an error of 1e-26.
    """
    model = tree(case)
    q = random_q(model, np.random.default_rng(7), 1)[0]
    with mpmath.workdps(45):
        exact = [mpmath.mpf(float(x)) for x in q]
        for segment in Tree.of(model).segments:
            if segment.kind == "ball":
                part = exact[segment.q : segment.q + 4]
                norm = mpmath.sqrt(sum(x * x for x in part))
                exact[segment.q : segment.q + 4] = [x / norm for x in part]
        step = mpmath.mpf(10) ** -13

        def matrix(a, way):
            unit = [mpmath.mpf(int(k == a)) for k in range(model.nv)]
            moved = dynamics.integrate(model, exact, unit, way * step)
            return np.array(dynamics.mass_matrix(model, moved), dtype=object)

        dM = [(matrix(a, 1) - matrix(a, -1)) / (2 * step) for a in range(model.nv)]
        M = np.array(dynamics.mass_matrix(model, exact), dtype=object).astype(float)
    return [float(x) for x in exact], M - rotors(model), np.array(dM).astype(float)


def symbols(case):
    q, M, dM = derivatives(case)
    model = tree(case)
    return np.array(christoffel(model, q), float), np.array(structure_constants(model)), M, dM


@pytest.mark.parametrize("case", TREES, ids=str)
def test_the_symbols_are_those_of_koszul(case):
    """2 ⟨∇_a e_b, e_c⟩ from derivatives of the metric and the structure constants alone."""
    Gamma, c, M, dM = symbols(case)
    c = c @ M
    twice = (
        dM + dM.transpose(1, 0, 2) - dM.transpose(1, 2, 0) + c - c.transpose(0, 2, 1) - c.transpose(2, 0, 1)
    )
    close(Gamma, twice / 2)


@pytest.mark.parametrize("case", TREES, ids=str)
def test_the_connection_is_compatible_with_the_metric(case):
    """∂_a M_bc = Γ[a, b, c] + Γ[a, c, b]"""
    Gamma, _, _, dM = symbols(case)
    close(Gamma + Gamma.transpose(0, 2, 1), dM)


@pytest.mark.parametrize("case", TREES, ids=str)
def test_the_connection_has_no_torsion(case):
    """Γ[a, b, c] − Γ[b, a, c] = ⟨[e_a, e_b], e_c⟩; zero where all joints turn or slide."""
    Gamma, c, M, _ = symbols(case)
    close(Gamma - Gamma.transpose(1, 0, 2), c @ M)
    if not any(segment.kind == "ball" for segment in Tree.of(tree(case)).segments):
        assert not c.any()
        np.testing.assert_array_equal(Gamma, Gamma.transpose(1, 0, 2))


@pytest.mark.parametrize("case", TREES, ids=str)
def test_contracted_with_velocities_they_are_the_velocity_forces(case):
    """Γ(v, v) = bias − gravity, and Γ(v) = C with Ṁ − 2C skew."""
    model = tree(case)
    q, v, _ = random_state(model, 3)
    Gamma = on_columns(christoffel, model, q)
    C = np.einsum("nabc,na->ncb", Gamma, v)
    close(C, on_columns(dynamics.coriolis_matrix, model, q, v))
    bias, gravity = on_columns(dynamics.bias_force, model, q, v), on_columns(dynamics.gravity_force, model, q)
    close(np.einsum("ncb,nb->nc", C, v), bias - gravity)
    exact, _, dM = derivatives(case)
    C = np.einsum("abc,a->cb", np.array(christoffel(model, exact), float), v[0])
    rate = np.einsum("abc,a->bc", dM, v[0])
    close(rate - 2 * C, -(rate - 2 * C).T)


@pytest.mark.parametrize("pattern", ["RRRRRR", "RPRRPR", "PRPPR"])
def test_of_a_chain_they_are_those_of_the_literal_form(pattern):
    """Z(129) on the same chain.

    Proves: X(10), XS(1), XS(2), XS(3), XS(4)
    """
    kinds = ["prismatic" if letter == "P" else "revolute" for letter in pattern]
    model = serial(kinds)
    q = random_q(model, np.random.default_rng(3), 1)[0]
    joints = [
        chain.PlacedJoint(
            body.joint.kind == "prismatic",
            body.joint.X_PJ,
            body.joint.axes[0],
            qt.equations.rigid_body.Body(body.mass, body.p_BBcm, body.I_Bcm_B),
            body.joint.X_MB,
        )
        for body in model.bodies
    ]
    adapted = chain.adapt(joints, model.gravity)
    at = chain.configuration(adapted.chain, adapted.coordinates(q))
    close(np.array(christoffel(model, q), float), np.array(chain.christoffel_symbols(at), float))


def serial(kinds):
    """A random chain: a body on the one before it."""
    from dataclasses import replace

    model = random_tree(11, len(kinds), ("revolute",))
    bodies = tuple(
        replace(body, parent=k - 1, joint=replace(body.joint, kind=kind))
        for k, (body, kind) in enumerate(zip(model.bodies, kinds, strict=True))
    )
    return replace(model, bodies=bodies)


def test_of_a_double_pendulum_they_are_those_of_the_textbook():
    """Γ_122 = Γ_112 … = ∓ m l² sin q₂: points of 1 kg on rods of 1 m."""
    model = qt.examples.model("double_pendulum")
    Gamma = np.array(christoffel(model, [0.4, 0.7]), float)
    exact = np.zeros((2, 2, 2))
    exact[0, 1, 0] = exact[1, 0, 0] = exact[1, 1, 0] = -np.sin(0.7)
    exact[0, 0, 1] = np.sin(0.7)
    np.testing.assert_allclose(Gamma, exact, atol=2e-16)


def test_of_a_spherical_joint_they_are_eulers_equations():
    """c = ω × I ω about the point of a ball joint."""
    model = qt.examples.model("heavy_top")
    q, v, _ = random_state(model, 0)
    I_O = np.array(dynamics.mass_matrix(model, q[0]), float)
    Gamma = np.array(christoffel(model, q[0]), float)  # the same wherever the top stands
    turned = np.einsum("abc,na,nb->nc", Gamma, v, v)
    np.testing.assert_allclose(turned, np.cross(v, v @ I_O), rtol=1e-14, atol=1e-18)


# ---- of the second kind, and along a motion -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_those_of_the_second_kind_give_back_the_first(seed):
    model = random_tree(seed, 6)
    q, _, _ = random_state(model, seed)
    second, M = on_columns(christoffel_second_kind, model, q), on_columns(dynamics.mass_matrix, model, q)
    close(np.einsum("nabk,nkc->nabc", second, M), on_columns(christoffel, model, q))


@pytest.mark.parametrize("seed", range(4))
def test_the_covariant_derivative_of_a_motion_is_what_forces_make(seed):
    """M ∇_v v = tau − g"""
    model = random_tree(seed, 8)
    q, v, a = random_state(model, seed)
    tau, gravity = (
        on_columns(dynamics.inverse_dynamics, model, q, v, a),
        on_columns(dynamics.gravity_force, model, q),
    )
    derivative = on_columns(covariant_derivative, model, q, v, v, a)
    M = on_columns(dynamics.mass_matrix, model, q)
    close(np.einsum("nab,nb->na", M, derivative), tau - gravity)


def test_vectors_carried_along_keep_their_lengths_and_angles():
    """d/dt ⟨u, w⟩ = ⟨∇u, w⟩ + ⟨u, ∇w⟩ along a motion, by differences of fourth order."""
    model = random_tree(2, 6)
    q, v, u = random_state(model, 5, batch=1)
    _, w, du = random_state(model, 6, batch=1)

    def product(time):
        at = on_columns(dynamics.integrate, model, q, v, dt=time)
        M = on_columns(dynamics.mass_matrix, model, at)
        return np.einsum("na,nab,nb->n", u + du * time, M, w)

    h = 1e-3
    rate = (8 * (product(h) - product(-h)) - product(2 * h) + product(-2 * h)) / (12 * h)
    M = on_columns(dynamics.mass_matrix, model, q)
    along = [on_columns(covariant_derivative, model, q, v, x, dx) for x, dx in ((u, du), (w, 0 * w))]
    exact = np.einsum("na,nab,nb->n", along[0], M, w) + np.einsum("na,nab,nb->n", u, M, along[1])
    np.testing.assert_allclose(rate, exact, rtol=1e-9)  # h⁴ times a fifth derivative of order 100


@pytest.mark.parametrize("seed", range(4))
def test_along_a_geodesic_the_velocity_stays_parallel(seed):
    model = random_tree(seed, 8)
    q, v, _ = random_state(model, seed)
    a = on_columns(geodesic_acceleration, model, q, v)
    remains = on_columns(covariant_derivative, model, q, v, v, a)
    assert np.abs(remains).max() < 1e-11 * np.abs(a).max()


# ---- curvature ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kinds", [("ball", "revolute"), ("revolute",), ("universal", "helical"), ("prismatic", "revolute")]
)
def test_the_curvature_is_that_of_its_definition(kinds):
    """R(a, b) c = ∇_a ∇_b c − ∇_b ∇_a c − ∇_[a,b] c, derivatives by differences of mpmath numbers."""
    model = random_tree(20, 3, kinds)
    n = model.nv
    with mpmath.workdps(40):
        q = [mpmath.mpf(float(x)) for x in random_q(model, np.random.default_rng(1), 1)[0]]
        q = dynamics.integrate(model, q, [mpmath.mpf(0)] * n, mpmath.mpf(0))
        step = mpmath.mpf(10) ** -12

        def second(at):
            return np.array(christoffel_second_kind(model, at), dtype=object)

        def moved(a, way):
            unit = [mpmath.mpf(int(k == a)) for k in range(n)]
            return second(dynamics.integrate(model, q, unit, way * step))

        slopes = np.array([(moved(a, 1) - moved(a, -1)) / (2 * step) for a in range(n)]).astype(float)
        G = second(q).astype(float)
        M = np.array(dynamics.mass_matrix(model, q), dtype=object).astype(float)
        found = np.array(curvature(model, q), dtype=object).astype(float)
    c = np.array(structure_constants(model))
    nested = slopes + np.einsum("bck,akd->abcd", G, G)
    raised = nested - nested.transpose(1, 0, 2, 3) - np.einsum("abk,kcd->abcd", c, G)
    close(found, raised @ M, 1e-11)


def test_a_spherical_pendulum_of_a_point_has_the_curvature_of_its_sphere():
    """A point of mass m on a rod of length l moves on a sphere: R[0, 1, 1, 0] = m² l⁴ sin²θ · 1/(m l²)."""
    built = qt.ModelBuilder("pendulum")
    built.body("yoke", joint_name="around", axis="z", mass=0.0, inertia=(0, 0, 0))
    built.body("bob", parent="yoke", axis="y", mass=2.0, com=(0, 0, 0.7), inertia=(0, 0, 0))
    model = built.model()
    R = np.array(curvature(model, [0.3, 0.9]), float)
    np.testing.assert_allclose(R[0, 1, 1, 0], 2.0 * 0.7**2 * np.sin(0.9) ** 2, rtol=1e-14)


# ---- other programs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["panda", "anymal", "talos"])
def test_contracted_they_are_pinocchios_coriolis_matrix_on_its_basis(name):
    """Pinocchio's is of the Christoffel symbols where joints turn or slide; the free base is compared in C v."""
    pin = pytest.importorskip("pinocchio")
    from quatrain.interop import from_pinocchio
    from tests.truth.robots import pinocchio_model

    theirs = pinocchio_model(name)
    data, model = theirs.createData(), from_pinocchio(theirs)
    rng = np.random.default_rng(5)
    q, v = random_q(model, rng, 1)[0], rng.normal(size=model.nv)
    C = np.einsum("abc,a->cb", np.array(christoffel(model, q), float), v)
    first = 6 if model.bodies[0].joint.kind == "free" else 0
    if first:
        v[:6] = 0.0
        C = np.einsum("abc,a->cb", np.array(christoffel(model, q), float), v)
        q = np.concatenate((q[:3], q[4:7], q[3:4], q[7:]))  # their quaternions are (x, y, z, w)
    pin.computeCoriolisMatrix(theirs, data, q, v)
    close(C[first:, first:], data.C[first:, first:], 1e-13)


@pytest.mark.parametrize("name", ["arm7", "quadruped"])
def test_the_kernel_gives_what_the_equations_give(name):
    robot = qt.examples.load(name)
    q, _, _ = random_state(robot.model, 1, 9)
    close(robot.christoffel(q), on_columns(christoffel, robot.model, q), 1e-14)
    close(
        np.einsum("nabk,nkc->nabc", robot.christoffel(q, kind="second"), robot.mass_matrix(q)),
        robot.christoffel(q),
    )


# ---- joints that follow others --------------------------------------------------------------------------


def test_joints_that_follow_others_keep_all_of_it():
    """Their symbols are those of the tree without the constraint, contracted with q = T z + t: Γ' = Γ T T T."""
    from dataclasses import replace

    free = random_tree(31, 6, ("revolute", "prismatic", "helical"))
    follows = {
        1: qt.Mimic(free.bodies[0].joint.name, -0.7, 0.3),
        4: qt.Mimic(free.bodies[2].joint.name, 2.0, -0.1),
    }
    bodies = tuple(
        replace(body, joint=replace(body.joint, mimic=follows.get(k))) for k, body in enumerate(free.bodies)
    )
    model = replace(free, bodies=bodies)
    assert model.nv == 4
    T, t = np.zeros((6, 4)), np.zeros(6)
    for place, k in enumerate(k for k in range(6) if k not in follows):
        T[k, place] = 1.0
    T[1], t[1] = -0.7 * T[0], 0.3
    T[4], t[4] = 2.0 * T[2], -0.1
    z = np.random.default_rng(0).uniform(-1, 1, (5, 4))
    whole = on_columns(christoffel, free, z @ T.T + t)
    close(on_columns(christoffel, model, z), np.einsum("nabc,ai,bj,ck->nijk", whole, T, T, T))
    # The curvature of the smaller surface is its own: it is compared with its definition.
    R, G = on_columns(curvature, model, z[:1]), on_columns(christoffel_second_kind, model, z[:1])
    h = 1e-3
    slopes = np.zeros((1, 4, 4, 4, 4))
    for weight, n in ((8, 1), (-1, 2)):
        for a in range(4):
            ahead, behind = (
                on_columns(christoffel_second_kind, model, z[:1] + s * n * h * np.eye(4)[a]) for s in (1, -1)
            )
            slopes[:, a] += weight * (ahead - behind) / (12 * h)
    nested = slopes + np.einsum("nbck,nakd->nabcd", G, G)
    raised = nested - nested.transpose(0, 2, 1, 3, 4)
    M = on_columns(dynamics.mass_matrix, model, z[:1])
    close(R, np.einsum("nabck,nkd->nabcd", raised, M), 1e-8)  # what differences of fourth order are good for
