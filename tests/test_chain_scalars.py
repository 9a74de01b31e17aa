"""The equations of the chain on every kind of scalar, through the compiler, in forty digits, and over a long run."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import SymMat3, Vec3, dot
from quatrain.compiler import compile
from quatrain.equations import chain as chains
from quatrain.equations.chain import (
    Chain,
    JointEffects,
    Link,
    Load,
    PlacedJoint,
    adapt,
    christoffel,
    composite,
    configuration,
    derivatives,
    forces,
    mass_elements,
    metric_tensor,
    motion,
    quasi_basic,
    velocities,
)
from quatrain.equations.rigid_body import Body
from quatrain.geometry import Pose, Quaternion
from tests.bodies import flat, on_graph
from tests.chain_samples import G, case_of, vec
from tests.kinds import KINDS, on_mpmath
from tests.samples import rng

RPR = (False, True, False)
RRPR = (False, False, True, False)


def everything(*numbers):
    """Something of each file, for a chain of three whose masses, inertias and coordinates are all scalars."""
    q, dq, ddq = numbers[:3], numbers[3:6], numbers[6:9]
    a, b, c, m = numbers[9:]
    x, y, z = Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)
    J = SymMat3(2 + a * a, 3, 4 + b * b, a / 4, b / 4, c / 4)
    step, centre = Vec3(a, b, 1), Vec3(c, 1, m)
    links = [
        Link.from_centre(prismatic, e, step, centre, 1 + m * m, J)
        for prismatic, e in zip(RPR, (z, y, x), strict=True)
    ]
    at = configuration(Chain(links, Vec3(a, b, -9)), q)
    elements = [[(m * m, Vec3(a, b, c)), (2, Vec3(c, 1, a))]] * 3
    load, effects = Load(1, Vec3(a, 1, 2), Vec3(b, 0, 1), centre), [JointEffects(1, a, 2, b, c * c)] * 3
    s, P = chains.joint_twists(at, about=step), chains.body_pseudo_inertias(at, about=step)
    u = motion.actuator_forces(at, dq, ddq, [load], effects)
    body = Body(1 + m * m, centre, J)
    turned = Pose(Quaternion(3, a, b, c).normalised(), step)
    adapted = adapt([PlacedJoint(kind, turned, z, body, turned, a) for kind in RPR], Vec3(a, b, -9))
    other = configuration(adapted.chain, adapted.coordinates(q))
    composed = composite.subtree_sums(P)
    rows = [
        *(at.r[2], at.o[2], chains.tool_point(at), chains.body_pose(at, 2).p),
        *(derivatives.joint_rotation_slope(links[0], q[0]), derivatives.composite_derivative(at, 2, 1)),
        derivatives.conjugate_composite_derivative_as_product(at, 2, 1),
        *(derivatives.rho_next_derivative_by_product_rule(at, 2, 0), derivatives.axis_in_own_body(at, 2)),
        *(
            quasi_basic.quasi_basic_vector_from_quaternions(at, 0, 2),
            quasi_basic.quasi_basic_vector(at, 2, 2),
        ),
        quasi_basic.quasi_basic_derivative(at, 2, 0, 2),
        *(velocities.velocity(at, dq, 2), velocities.acceleration(at, dq, ddq, 2)),
        *(velocities.angular_acceleration(at, dq, ddq, 2), velocities.orientation_rate(at, dq, 2)),
        *(
            mass_elements.energy_of_elements(at, dq, elements),
            mass_elements.energy_of_bodies(at, dq, elements),
        ),
        mass_elements.inertia_of_elements(elements[0]),
        *metric_tensor.metric(at).rows,
        metric_tensor.energy_by_inertia(at, dq),
        *(row for table in christoffel.christoffel_symbols(at) for row in table),
        christoffel.rotational_symbol_three_terms(at, 0, 2, 0),
        christoffel.rotational_symbol_of_elements(at, elements, 0, 2, 0),
        *(forces.energy(at, dq), tuple(u), tuple(motion.velocity_forces_by_bodies(at, dq))),
        tuple(motion.generalized_acceleration(at, dq, u, [load], effects)),
        *composite.metric_of_composites(s, P).rows,
        *(row for table in composite.christoffel_of_composites(s, P) for row in table),
        *composite.coriolis_of_composites(s, P, dq).rows,
        tuple(composite.forces_of_composites(s, P, dq, gravity=Vec3(a, b, -9))),
        tuple(composite.gravity_of_composites(s, P, Vec3(a, b, -9))),
        composite.christoffel_symbol_by_trace(s, composed, 0, 2, 0),
        *(adapted.model_pose(other, 2).p, *metric_tensor.metric(other).rows),
    ]
    return flat(rows)


SAMPLES = rng(90).normal(size=(3, 13))


@pytest.fixture(scope="module")
def exact():
    return on_mpmath(everything, SAMPLES).astype(float)


@pytest.mark.parametrize("kind", [*KINDS, "graph"])
def test_equations_on_every_kind_of_scalar(kind, exact):
    found = {**KINDS, "graph": on_graph}[kind](everything, SAMPLES)
    scale = np.max(np.abs(exact))  # the entries are of one kind of size, and their terms cancel
    np.testing.assert_allclose(found / scale, exact / scale, rtol=0, atol=1e-13)


def test_slides_alone_need_no_trigonometry():
    """With fractions the metric of three slides is exact: a_αβ = e_α·e_β times the mass of what both carry."""
    third, e = Fraction(1, 3), Vec3(Fraction(3, 5), Fraction(4, 5), Fraction(0))
    axes = [Vec3(Fraction(1), Fraction(0), Fraction(0)), e, Vec3(Fraction(0), Fraction(0), Fraction(1))]
    masses, J = [Fraction(1, 2), third, Fraction(2)], SymMat3.identity() * third
    step = Vec3(third, third, third)
    links = [Link(True, axis, step, step, m, J) for axis, m in zip(axes, masses, strict=True)]
    at = configuration(Chain(links, Vec3(Fraction(1), Fraction(2), Fraction(3))), [third, Fraction(5), third])
    exact = tuple(
        tuple(dot(a, b) * sum(masses[max(i, j) :]) for j, b in enumerate(axes)) for i, a in enumerate(axes)
    )
    assert chains.metric(at).rows == exact
    assert chains.christoffel_symbols(at) == (((0,) * 3,) * 3,) * 3
    s, P = chains.joint_twists(at), chains.body_pseudo_inertias(at)
    assert chains.metric_of_composites(s, P).rows == exact
    assert chains.christoffel_of_composites(s, P) == (((0,) * 3,) * 3,) * 3


# ---- compiled ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "equation",
    [
        lambda at: chains.metric(at).rows,
        chains.christoffel_symbols,
        lambda at: chains.christoffel_of_composites(chains.joint_twists(at), chains.body_pseudo_inertias(at)),
    ],
    ids=["metric", "christoffel symbols", "christoffel symbols of composites"],
)
def test_compiled_equations_give_what_floats_give(equation):
    chain = case_of(RRPR).chain
    kernel = compile(lambda q: np.array(equation(configuration(chain, q))), inputs={"q": 4})
    q = rng(91).normal(size=(50, 4))
    exact = np.array([np.array(equation(configuration(chain, row.tolist())), dtype=float) for row in q])
    # Fused products and sums: the last digits differ.
    np.testing.assert_allclose(kernel(q), exact, rtol=0, atol=1e-13 * np.max(np.abs(exact)))


def test_energy_is_kept_over_a_long_run():
    """Ten seconds of a chain with a slide under gravity: what an integrator told to keep 1e-12 loses."""
    case = case_of(RRPR)
    links = list(case.chain.links)
    chain, slack = Chain(links, vec(G)), [JointEffects(stiffness=40.0 * link.xi) for link in links]

    def rate(q, dq):
        at = configuration(chain, q)
        return np.array(chains.generalized_acceleration(at, dq, [0.0] * 4, effects=slack))

    kernel = compile(rate, inputs={"q": 4, "dq": 4})
    start = np.concatenate([case.q[:, 0], case.dq[:, 0]])
    f = lambda _, x: np.concatenate([x[4:], kernel(x[:4], x[4:])])
    run = solve_ivp(f, (0, 10), start, "DOP853", np.linspace(0, 10, 6), rtol=1e-12, atol=1e-12)
    at = configuration(chain, run.y[:4])
    spring = sum(effect.stiffness * q**2 / 2 for effect, q in zip(slack, run.y[:4], strict=True))
    E = chains.energy(at, run.y[4:]) + spring
    kinetic = chains.kinetic_energy(at, run.y[4:])
    assert np.ptp(kinetic) > 1
    np.testing.assert_allclose(E, E[0], rtol=0, atol=1e-9 * np.max(kinetic))


# ---- forty digits ------------------------------------------------------------------------------------

H = mpmath.mpf(10) ** -9


def quotient(f, x, k):
    """∂f/∂x_k by Richardson's central differences: the error is h⁴ f⁗ʹ/30 and the digits lost by h."""

    def shifted(times):
        moved = list(x)
        moved[k] = moved[k] + times * H
        return f(moved)

    return (8 * (shifted(1) - shifted(-1)) - (shifted(2) - shifted(-2))) / (12 * H)


def points_by_matrices(truth, q):
    """Positions of all points by Rodrigues' matrices in high precision, masses beside."""
    result, R, origin = [], mpmath.eye(3), mpmath.zeros(3, 1)
    for k, cloud in enumerate(truth.clouds):
        e = mpmath.matrix(truth.axes[k].tolist())
        e = e / mpmath.sqrt(sum(x * x for x in e))
        if truth.prismatic[k]:
            origin = origin + R * e * q[k]
        else:
            K = mpmath.matrix([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
            R = R * (mpmath.eye(3) + mpmath.sin(q[k]) * K + (1 - mpmath.cos(q[k])) * K * K)
        for m, x in zip(cloud.masses, cloud.points, strict=True):
            result += [mpmath.sqrt(mpmath.mpf(float(m))) * y for y in origin + R * mpmath.matrix(x.tolist())]
        origin = origin + R * mpmath.matrix(truth.steps[k].tolist())
    return mpmath.matrix(result)


def precise_chain(truth):
    """The model in high precision from the same points: axes are normalised, moments are summed there."""
    links = []
    for k, cloud in enumerate(truth.clouds):
        masses = [mpmath.mpf(float(m)) for m in cloud.masses]
        points = [Vec3(*(mpmath.mpf(float(y)) for y in x)) for x in cloud.points]
        body = Body.of_points(masses, points)
        e, step = (Vec3(*(mpmath.mpf(float(y)) for y in x)) for x in (truth.axes[k], truth.steps[k]))
        links.append(
            Link.from_centre(truth.prismatic[k], e.normalised(), step, body.p_BBcm, body.mass, body.I_Bcm_B)
        )
    return Chain(links)


def test_forty_digits_agree_with_difference_quotients():
    """a_αβ with positions of points, Γ_αβ,γ with a_αβ: Z(98) and Z(129) to 1e-27, which steps of 1e-9 can tell."""
    with mpmath.workdps(40):
        truth = case_of(RRPR).truth
        chain, q = precise_chain(truth), [mpmath.mpf(x) / 7 for x in (3, -5, 2, 8)]
        at, n = configuration(chain, q), range(4)
        tangents = [quotient(lambda x: points_by_matrices(truth, x), q, k) for k in n]
        exact = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in tangents] for a in tangents]
        a = chains.metric(at).rows
        assert max(abs(a[i][j] - exact[i][j]) for i in n for j in n) < mpmath.mpf(10) ** -27
        metric = lambda x: mpmath.matrix([list(row) for row in chains.metric(configuration(chain, x)).rows])
        da = [quotient(metric, q, k) for k in n]
        Gamma = chains.christoffel_symbols(at)
        fast = chains.christoffel_of_composites(chains.joint_twists(at), chains.body_pseudo_inertias(at))
        for i in n:
            for j in n:
                for k in n:
                    by_differences = (da[i][j, k] + da[j][k, i] - da[k][i, j]) / 2
                    assert abs(Gamma[i][j][k] - by_differences) < mpmath.mpf(10) ** -27
                    assert abs(Gamma[i][j][k] - fast[i][j][k]) < mpmath.mpf(10) ** -36
