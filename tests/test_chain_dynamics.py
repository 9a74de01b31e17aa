"""Energy, metric, Christoffel symbols and motion of an open chain, against clouds of point masses."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import ArgumentError, Quaternion, SymMat3, Vec3, cross, dot, skew
from quatrain.equations import chain as chains
from quatrain.equations.chain import (
    Chain,
    JointEffects,
    Link,
    Load,
    configuration,
    forces,
    mass_elements,
    motion,
)
from quatrain.equations.chain import christoffel as symbols
from quatrain.equations.chain import metric_tensor as metric
from tests.chain_samples import (
    BATCH,
    TOLERANCE,
    G,
    case_of,
    close,
    columns,
    name_of,
    nested,
    patterns,
    spread,
    table,
    vec,
)
from tests.samples import rng, vectors
from tests.truth import chains as truths
from tests.truth.point_masses import Cloud, transposed


@pytest.fixture
def case(request):
    return case_of(request.param)


def energy_of_points(case, i):
    """½ Σ m |ẋ|² of the points of body i, by their velocities in time."""
    cloud = case.truth.clouds[i]
    _, dr, _ = cloud.at(case.motions[i])
    return cloud.total(np.sum(dr**2, axis=-1)) / 2


# ---- kinetic energy ----------------------------------------------------------------------------------


@patterns(short=True)
def test_the_energy_of_mass_elements(case):
    """Proves: Z(80), Z(81), Z(82), Z(83), Z(84), Z(85), Z(90)"""
    at, dq = case.at, case.dq
    total = 0
    for i, elements in enumerate(case.elements):
        cloud = case.truth.clouds[i]
        _, dr, _ = cloud.at(case.motions[i])
        for (dm, varrho), exact in zip(elements, np.moveaxis(dr, 1, 0), strict=True):
            V = mass_elements.element_velocity(at, dq, i, varrho)
            close(columns(V, (3,)), exact)
            close(mass_elements.element_energy(dm, V), dm * np.sum(exact**2, axis=-1) / 2)
        close(mass_elements.first_moment(elements), np.zeros(3))
        exact = energy_of_points(case, i)
        close(mass_elements.body_energy_of_elements(at, dq, i, elements), exact)
        close(mass_elements.body_energy(at, dq, i, elements), exact)
        total = total + exact
    close(mass_elements.energy_of_bodies(at, dq, case.elements), total)
    close(mass_elements.energy_of_elements(at, dq, case.elements), total)
    close(metric.kinetic_energy(at, dq), total)
    close(metric.energy_by_inertia(at, dq), total)


@patterns(short=True)
def test_the_terms_of_the_energy(case):
    """Proves: Z(86), Z(87), Z(88), Z(89), Z(91)"""
    at, dq, joints = case.at, case.dq, case.joints
    turning = 0
    for i, moved in enumerate(case.motions):
        cloud = case.truth.clouds[i]
        centre = moved.v + np.einsum("bij,j->bi", moved.dR, cloud.centre)
        close(mass_elements.speed_squared(at, dq, i), np.sum(centre**2, axis=-1))
        for dm, varrho in case.elements[i]:
            exact = np.einsum("bij,j->bi", moved.dR, np.array([*varrho]))
            close(columns(mass_elements.turning_velocity(at, dq, i, varrho), (3,)), exact)
            by_coordinates = sum(
                (mass_elements.element_derivative(at, varrho, i, a) * dq[a] for a in joints), Vec3.zero()
            )
            close(columns(by_coordinates, (3,)), exact)
            turning = turning + dm * np.sum(exact**2, axis=-1)
    entries = table(lambda a, b: mass_elements.turning_metric_of_elements(at, case.elements, a, b), case.n, 2)
    close(np.einsum("abk,ak,bk->k", entries, dq, dq), turning)
    entries = table(lambda a, b: mass_elements.metric_of_elements(at, case.elements, a, b), case.n, 2)
    close(entries, case.metric["whole"])


# ---- tensors and identities of one mass element ----------------------------------------------------------


def test_tensors_of_one_body():
    """Proves: Z(96), Z(123), Z(128)"""
    cloud = Cloud.random(rng(1), centred=True)
    elements = [(float(m), vec(x)) for m, x in zip(cloud.masses, cloud.points, strict=True)]
    J = mass_elements.inertia_of_elements(elements)
    close(J, cloud.inertia(np.zeros(3)))
    squares = sum((skew(x) @ skew(x) * -dm for dm, x in elements), skew(Vec3.zero()))
    close(squares, J)
    Pi = np.einsum("p,pi,pj->ij", cloud.masses, cloud.points, cloud.points)
    close(mass_elements.planar_moment_of_elements(elements), Pi)
    close(chains.planar_moment(J), Pi)
    close(SymMat3.identity() * np.trace(Pi) - chains.planar_moment(J), J)


def test_identities_of_one_mass_element():
    """Proves: Z(94), Z(125), Z(126)"""
    a, b, c, x = (vectors(k, 1000) for k in range(4))
    close(mass_elements.product_of_swings(a, b, x), dot(cross(a, x), cross(b, x)))
    A, B, C, X = (v.to_array() for v in (a, b, c, x))
    term = lambda p, q, r: np.sum(np.cross(p, r) * X, axis=-1) * np.sum(X * q, axis=-1)
    close(symbols.planar_pair(a, b, c, x), term(A, B, C) + term(B, A, C))
    close(symbols.planar_pair(a, b, c, x), symbols.planar_pair(b, a, c, x))
    # Products of five vectors of length about two: rounding of numbers up to some hundred.
    close(symbols.planar_term_from_others(a, b, c, x), term(B, A, C))


# ---- metric ------------------------------------------------------------------------------------------


@patterns()
def test_the_metric_and_its_parts(case):
    """Proves: Z(92), Z(93), Z(95), Z(97), Z(98), Z(99), Z(100), Z(101)"""
    at, exact = case.at, case.metric
    scale = np.max(np.abs(exact["whole"]))
    entries = lambda f: table(lambda a, b: f(at, a, b), case.n, 2)
    close(entries(metric.translational_metric_entry), exact["tr"], scale=scale)
    close(entries(metric.rotational_metric_entry), exact["rot"], scale=scale)
    close(entries(metric.rotational_metric_entry_in_ground), exact["rot"], scale=scale)
    by_elements = lambda at, a, b: mass_elements.rotational_metric_of_elements(at, case.elements, a, b)
    close(entries(by_elements), exact["rot"], scale=scale)
    close(entries(metric.metric_entry), exact["whole"])
    rows = nested(metric.metric(at).rows)
    close(rows, exact["whole"])
    assert np.array_equal(rows, rows.swapaxes(0, 1))
    assert np.all(np.linalg.eigvalsh(np.moveaxis(rows, -1, 0)) > 0)
    # The first coordinate turns or moves the whole chain: the metric does not know it.
    shifted = configuration(case.chain, [case.q[0] + 0.7, *case.q[1:]])
    close(nested(metric.metric(shifted).rows), exact["whole"])


@patterns()
def test_axes_in_the_bodies_frames(case):
    """Proves: Z(102), Z(103)"""
    rows = metric.axes_in_bodies(case.at)
    for i in case.joints:
        for alpha in range(i + 1):
            exact = np.einsum("bji,bj->bi", case.frames[i], case.frames[alpha] @ case.truth.axes[alpha])
            close(columns(metric.axis_in_body(case.at, alpha, i), (3,)), exact)
            close(columns(rows[i][alpha], (3,)), exact)


# ---- Christoffel symbols ---------------------------------------------------------------------------------


@patterns()
def test_christoffel_symbols_of_differentiated_metrics(case):
    """Proves: Z(110), Z(111), Z(112), Z(113)"""
    for part, da in case.metric_derivatives.items():
        close(nested(symbols.symbols_from_derivatives(da)), case.symbols[part])
    close(case.symbols["tr"] + case.symbols["rot"], case.symbols["whole"])


@patterns()
def test_christoffel_symbols_and_their_parts(case):
    """Proves: Z(111), Z(112), Z(115), Z(116), Z(127), Z(129)"""
    at, exact = case.at, case.symbols
    scale = np.max(np.abs(exact["whole"]))
    entries = lambda f: table(lambda a, b, c: f(at, a, b, c), case.n, 3)
    close(entries(symbols.translational_symbol), exact["tr"], scale=max(scale, 1))
    close(entries(symbols.rotational_symbol), exact["rot"], scale=max(scale, 1))
    close(nested(symbols.christoffel_symbols(at)), exact["whole"])
    derivative = lambda at, a, b, c: symbols.translational_metric_derivative(at, b, c, a)
    close(entries(derivative), case.metric_derivatives["tr"])


@patterns(short=True)
def test_the_steps_to_the_rotational_symbols(case):
    """Proves: Z(117), Z(120), Z(121), Z(122), Z(124)"""
    at = case.at
    entries = lambda f: table(lambda a, b, c: f(at, a, b, c), case.n, 3)
    for derivative in (symbols.rotational_metric_derivative, symbols.rotational_metric_derivative_by_axes):
        found = entries(lambda at, a, b, c, f=derivative: f(at, b, c, a))
        close(found, case.metric_derivatives["rot"])
    close(entries(symbols.rotational_symbol_six_terms), case.symbols["rot"])
    close(entries(symbols.rotational_symbol_three_terms), case.symbols["rot"])
    by_elements = lambda at, a, b, c: symbols.rotational_symbol_of_elements(at, case.elements, a, b, c)
    close(entries(by_elements), case.symbols["rot"])


@patterns()
def test_derivatives_of_axes_in_the_bodies_frames(case):
    """Proves: Z(118), Z(119)"""
    placed = case.placed
    for i in case.joints:
        for beta in range(i + 1):
            for alpha in case.joints:
                # (R_iᵀ R_β a_β) differentiated as a product of matrices.
                first = transposed(placed.turn(i, (alpha,))) @ case.frames[beta]
                second = transposed(case.frames[i]) @ placed.turn(beta, (alpha,))
                exact = (first + second) @ case.truth.axes[beta]
                close(columns(symbols.axis_in_body_derivative(case.at, beta, i, alpha), (3,)), exact)


@pytest.mark.parametrize("pattern", [(False,), (False, True, False), (False,) * 4], ids=name_of)
def test_tensors_that_no_body_has_obey_the_same_formulas(pattern):
    """Moments that break the triangle inequality, so that [Π] is indefinite: the identities are algebraic."""
    case = case_of(pattern)
    at, J = case.with_tensors()
    assert np.min(np.linalg.eigvalsh(np.trace(J, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3) - J)) < 0
    a, da = case.placed.tensor_metric(J)
    close(table(lambda a, b: metric.rotational_metric_entry(at, a, b), case.n, 2), a)
    for f in (
        symbols.rotational_symbol,
        symbols.rotational_symbol_three_terms,
        symbols.rotational_symbol_six_terms,
    ):
        close(table(lambda a, b, c, f=f: f(at, a, b, c), case.n, 3), truths.symbols(da))


# ---- motion --------------------------------------------------------------------------------------------


def forces_of_points(case, *, g=None):
    """Q_γ = Σ m ẍ·∂x/∂q^γ over all points: d'Alembert's principle, and nothing of rigid bodies."""
    total = np.zeros((case.n, BATCH))
    for i, cloud in enumerate(case.truth.clouds):
        _, _, ddr = cloud.at(case.motions[i])
        needed = ddr if g is None else ddr - g
        for gamma in case.joints:
            partial = case.placed.point(i, cloud.points, (gamma,))
            total[gamma] += cloud.total(np.sum(needed * partial, axis=-1))
    return total


@patterns()
def test_lagranges_equations(case):
    """Proves: Z(104), Z(105), Z(106), Z(107), Z(108), Z(109)"""
    at, dq, ddq = case.at, case.dq, case.ddq
    a, da = case.metric["whole"], case.metric_derivatives["whole"]
    momentum = motion.generalized_momentum(metric.metric(at), dq)
    exact = np.zeros((case.n, BATCH))  # ∂E_k/∂q̇^γ = Σ m ẋ·∂ẋ/∂q̇^γ, and ∂ẋ/∂q̇ = ∂x/∂q
    for i, cloud in enumerate(case.truth.clouds):
        _, dr, _ = cloud.at(case.motions[i])
        for gamma in case.joints:
            partial = case.placed.point(i, cloud.points, (gamma,))
            exact[gamma] += cloud.total(np.sum(dr * partial, axis=-1))
    close(nested(momentum), exact)
    halves = np.einsum("cb...,b...->c...", a, dq) / 2 + np.einsum("ac...,a...->c...", a, dq) / 2
    close(halves, exact)
    exact_forces = forces_of_points(case)
    # ∂E_k/∂q^γ = Σ m ẋ·∂ẋ/∂q^γ, ∂ẋ/∂q^γ = Σ ∂²x/∂q^γ∂q^α q̇^α.
    gradient = np.zeros((case.n, BATCH))
    for i, cloud in enumerate(case.truth.clouds):
        _, dr, _ = cloud.at(case.motions[i])
        for gamma in case.joints:
            moved = sum(
                case.placed.point(i, cloud.points, (gamma, b)) * dq[b][:, None, None] for b in case.joints
            )
            gradient[gamma] += cloud.total(np.sum(dr * moved, axis=-1))
    close(nested(motion.energy_gradient(da, dq)), gradient)
    close(nested(motion.momentum_rate(metric.metric(at), da, dq, ddq)), exact_forces + gradient)
    close(nested(motion.lagrange_forces(metric.metric(at), da, dq, ddq)), exact_forces)
    close(nested(motion.covariant_forces(at, dq, ddq)), exact_forces)


@patterns()
def test_gravity(case):
    """Proves: X(3)"""
    exact = np.array([-case.placed.potential(G, (gamma,)) for gamma in case.joints])
    close(nested(forces.gravity_forces(case.at)), exact)
    close(forces.potential_energy(case.at), case.placed.potential(G))


@patterns()
def test_loads_on_bodies(case):
    """Proves: X(4)"""
    random = rng(7)
    for i in case.joints:
        F, M, b = random.normal(size=(3, 3))
        cloud, placed = case.truth.clouds[i], case.placed
        exact = [
            placed.point(i, cloud.centre + b, (gamma,)) @ F + placed.partial_turn(i, gamma) @ M
            for gamma in case.joints
        ]
        close(nested(forces.load_forces(case.at, Load(i, vec(F), vec(M), vec(b)))), exact)


@patterns()
def test_the_coriolis_matrix(case):
    """Proves: X(6)"""
    exact = case.metric_derivatives["whole"]
    C = nested(motion.coriolis_matrix(chains.christoffel_symbols(case.at), case.dq).rows)
    da = np.einsum("cab...,c...->ab...", exact, case.dq)
    close(C + C.swapaxes(0, 1), da)
    skewed = da - 2 * C
    close(skewed, -skewed.swapaxes(0, 1))
    turned = np.einsum("ca...,a...->c...", C, case.dq)
    still = forces_of_points(case) - np.einsum("ab...,b...->a...", case.metric["whole"], case.ddq)
    close(turned, still, 2e-13)  # the difference of two sums


@patterns()
def test_velocity_forces_without_symbols(case):
    """Proves: X(7)"""
    by_symbols = motion.velocity_forces(case.symbols["whole"], case.dq)
    close(nested(motion.velocity_forces_by_bodies(case.at, case.dq)), by_symbols)


def effects_of(case):
    random = rng(8)
    return [JointEffects(*map(float, random.uniform(0.1, 1, 5))) for _ in case.joints]


@patterns()
def test_the_full_equation_of_a_robot(case):
    """Proves: X(5)"""
    at, dq, ddq = case.at, case.dq, case.ddq
    effects, load = effects_of(case), Load(case.n - 1, Vec3(1.0, -2.0, 0.5), Vec3(0.3, 0.2, -0.4))
    exact = forces_of_points(case, g=G) - nested(forces.load_forces(at, load))
    for gamma, effect in enumerate(effects):
        rest = at.q[gamma] - effect.rest
        exact[gamma] += effect.viscous * dq[gamma] + effect.dry * np.sign(dq[gamma])
        exact[gamma] += effect.stiffness * rest + effect.rotor_inertia * ddq[gamma]
    u = motion.actuator_forces(at, dq, ddq, [load], effects)
    close(nested(u), exact)
    # Back again: the error grows with the condition of the metric.
    back = motion.generalized_acceleration(at, dq, u, [load], effects)
    condition = np.max(np.linalg.cond(np.moveaxis(case.metric["whole"], -1, 0)))
    close(nested(back), ddq, 1e-14 * max(condition, 10))
    close(nested(motion.actuator_forces(at, dq, ddq)), forces_of_points(case, g=G))


@patterns()
def test_power_is_the_rate_of_the_energy(case):
    """d/dt (E_k + U) = Σ u_γ q̇^γ, with the rate of the points' energy."""
    u = nested(motion.actuator_forces(case.at, case.dq, case.ddq))
    rate = np.zeros(BATCH)
    for i, cloud in enumerate(case.truth.clouds):
        _, dr, ddr = cloud.at(case.motions[i])
        rate += cloud.total(np.sum(dr * (ddr - G), axis=-1))
    close(np.sum(u * case.dq, axis=0), rate)


# ---- printed forms that are wrong ------------------------------------------------------------------------


REVOLUTE = (False, False, False)


def far(found, exact):
    """By more than a tenth of the largest entry in every sample."""
    gap = np.max(np.abs(np.asarray(found) - np.asarray(exact)).reshape(-1, np.shape(exact)[-1]), axis=0)
    assert np.min(gap) > 0.1


def test_the_printed_signs_of_95_and_96_fail():
    """Without the minus sign the inertia tensor is negative."""
    cloud = Cloud.random(rng(1), centred=True)
    squares = sum(
        (skew(vec(x)) @ skew(vec(x)) * m for m, x in zip(cloud.masses, cloud.points, strict=True)),
        skew(Vec3.zero()),
    )
    far(squares.to_array()[..., None], cloud.inertia(np.zeros(3))[..., None])


def test_the_printed_form_of_94_fails():
    a, b, x = (vectors(k, 100) for k in range(3))
    printed = mass_elements.product_of_swings(a, a, x)
    assert np.median(np.abs(printed - dot(cross(a, x), cross(b, x)))) > 0.5


def test_the_printed_range_of_93_fails():
    """Summed from i = 1, bodies that the later joint does not turn take part."""
    case = case_of(REVOLUTE)

    def printed(a, b):
        total = 0
        for i in case.joints:
            for dm, varrho_i in case.elements[i]:
                varrho = case.at.p_0[i + 1].rotate(varrho_i)
                total = total + dot(cross(case.at.e[a], varrho), cross(case.at.e[b], varrho)) * dm
        return total

    far(table(printed, 3, 2), case.metric["rot"])


def test_the_printed_form_of_118_fails_for_alpha_below_beta():
    case = case_of(REVOLUTE)
    e = lambda k: metric.axis_in_body(case.at, k, 2)
    printed = cross(e(1), e(0))
    exact = symbols.axis_in_body_derivative(case.at, 1, 2, 0)
    assert np.min(np.max(np.abs(columns(printed, (3,)) - columns(exact, (3,))), axis=-1)) > 0.1


def test_the_printed_range_of_120_fails():
    """Summed from sup(β, γ), with e_α^(i) of the bodies before α taken as R_iᵀ e_α."""
    case = case_of(REVOLUTE)
    at = case.at

    def printed(a, b, c):
        total = 0
        for i in range(max(b, c), 3):
            e = lambda k, i=i: at.p_0[i + 1].inverse_rotate(at.e[k])
            J = at.links[i].J
            total = total + dot(cross(e(b), e(max(a, b))), J @ e(c))
            total = total + dot(e(b), J @ cross(e(c), e(max(a, c))))
        return total

    far(table(printed, 3, 3), case.metric_derivatives["rot"])


def test_a_factor_of_one_half_in_127_fails():
    case = case_of(REVOLUTE)
    halved = table(lambda a, b, c: symbols.rotational_symbol(case.at, a, b, c) / 2, 3, 3)
    far(halved, case.symbols["rot"])


# ---- closed forms ------------------------------------------------------------------------------------------


def test_one_revolute_body():
    """a_11 = eᵀJe + m |e × s|², and no Christoffel symbol."""
    case = case_of((False,))
    link = case.chain.links[0]
    exact = link.J.quadratic_form(link.e) + link.mass * cross(link.e, link.s).norm_squared()
    close(spread(chains.metric_entry(case.at, 0, 0)), exact)
    close(spread(chains.christoffel_symbol(case.at, 0, 0, 0)), 0.0)


def test_the_planar_double_pendulum():
    """Γ_12,1 = Γ_22,1 = −Γ_11,2 = −m₂ l₁ c₂ sin q², all others zero."""
    l1, c2, m2, up = 0.8, 0.3, 1.7, Vec3(0.0, 0.0, 1.0)
    links = [
        Link.from_centre(
            False, up, Vec3(l1, 0.0, 0.0), Vec3(0.5, 0.0, 0.0), 2.0, SymMat3.diagonal(0.1, 0.2, 0.3)
        ),
        Link.from_centre(
            False, up, Vec3(0.9, 0.0, 0.0), Vec3(c2, 0.0, 0.0), m2, SymMat3.diagonal(0.2, 0.2, 0.1)
        ),
    ]
    q = rng(9).uniform(-3, 3, (2, BATCH))
    Gamma = nested(chains.christoffel_symbols(configuration(Chain(links), q)))
    k = -m2 * l1 * c2 * np.sin(q[1])
    exact = np.zeros((2, 2, 2, BATCH))
    exact[0, 1, 0] = exact[1, 0, 0] = exact[1, 1, 0] = k
    exact[0, 0, 1] = -k
    close(Gamma, exact)


def test_a_body_on_three_revolute_joints_obeys_eulers_equations():
    """J ω̇ + ω × J ω of the last body, projected on the joints' axes; the bodies between have no mass."""
    random = rng(10)
    axes = random.normal(size=(3, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    zero, J = Vec3.zero(), SymMat3.diagonal(0.4, 0.7, 0.9)
    none = SymMat3.diagonal(0.0, 0.0, 0.0)
    links = [
        Link(False, vec(e), zero, zero, m, inertia)
        for e, m, inertia in zip(axes, (0.0, 0.0, 2.0), (none, none, J), strict=True)
    ]
    q, dq, ddq = random.normal(size=(3, 3, BATCH))
    at = configuration(Chain(links), q)
    w, epsilon = chains.angular_velocity(at, dq, 2), chains.angular_acceleration(at, dq, ddq, 2)
    w_B, alpha_B = at.p_0[3].inverse_rotate(w), at.p_0[3].inverse_rotate(epsilon)
    moment = at.p_0[3].rotate(J @ alpha_B + cross(w_B, J @ w_B))
    close(
        nested(motion.covariant_forces(at, dq, ddq)),
        np.array([dot(e, moment) for e in at.e]),
    )


def test_a_free_point_on_three_slides_moves_with_its_mass():
    """Three slides along the axes carry a point: the metric is m 1, gravity m g, and nothing turns."""
    axes = [Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)]
    zero, none = Vec3.zero(), SymMat3.diagonal(0.0, 0.0, 0.0)
    links = [Link(True, e, zero, zero, m, none) for e, m in zip(axes, (0.0, 0.0, 3.0), strict=True)]
    at = configuration(Chain(links, vec(G)), [0.1, 0.2, 0.3])
    close(nested(chains.metric(at).rows)[..., 0], 3.0 * np.eye(3))
    close(np.array(forces.gravity_forces(at)), 3.0 * G)
    close(nested(chains.christoffel_symbols(at)), np.zeros((3, 3, 3, BATCH)))
    assert at.p_0[3] == Quaternion.identity()


# ---- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attempt", "says", "advises"),
    [
        (lambda at: forces.load_forces(at, Load(3, Vec3.zero())), "body index 3.*has 3 bodies", "0 .body 1."),
        (lambda at: Load(0, [1, 2, 3]), "force is", r"Vec3\.from_array"),
        (
            lambda at: forces.applied_forces(at, [0] * 3, [0] * 3, effects=[JointEffects()]),
            "1 joint effects.*3 joints",
            "one JointEffects for each joint",
        ),
    ],
)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*{advises}"):
        attempt(case_of(REVOLUTE).at)


assert TOLERANCE <= 1e-13
