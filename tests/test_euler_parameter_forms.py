"""Every form of the equations of motion by name: on the unit sphere all agree, off it each does what it says."""

from __future__ import annotations

from types import SimpleNamespace

import casadi
import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from quatrain import ArgumentError, Matrix, Quaternion, SymMat3, Vec3, dot, skew
from quatrain.equations import attitude
from quatrain.equations import euler_parameter_forces as forces
from quatrain.equations import euler_parameter_loads as loads
from quatrain.equations import euler_parameter_moving_frame as in_frame
from quatrain.equations import euler_parameters as motion
from quatrain.equations.euler_parameter_forms import FORMS, form_of
from quatrain.equations.euler_parameter_loads import Load, MovingFrame
from tests.kinds import KINDS, PRECISE, on_mpmath
from tests.samples import rng
from tests.truth import euler_parameters as truth
from tests.truth.euler_parameter_samples import STILL, array, fractions, same, sample

COUNT = 1000
ON_THE_SPHERE = [name for name in FORMS if name != "s32"]


@pytest.fixture(params=range(4))
def body(request):
    return sample(request.param)


# ---- every form -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ON_THE_SPHERE)
def test_every_form_gives_the_acceleration_of_the_cloud_exactly(name, body):
    force_and_couple = Load(forces=((body.f, body.u),))
    found = FORMS[name].solve(body.q, body.dq, body.J, force_and_couple)
    same(found.ddq, body.ddq)


def random_bodies(seed):
    """Wild inertias, motions and loads in columns of doubles."""
    column = lambda k, n: rng(seed + k).normal(size=(n, COUNT))
    q = Quaternion(*column(0, 4)).normalised()
    dq = q.derivative(Vec3(*column(1, 3)) * 3.0)
    masses, places = rng(seed + 2).uniform(0.1, 2, (COUNT, 6)), rng(seed + 3).normal(size=(COUNT, 6, 3))
    squares = np.einsum("nk,nki,nkj->nij", masses, places, places)
    J = np.trace(squares, axis1=1, axis2=2)[:, None, None] * np.eye(3) - squares
    pairs = tuple((Vec3(*column(k, 3)) * 5.0, Vec3(*column(k + 1, 3))) for k in (4, 6, 8))
    return q, dq, SymMat3.from_array(J), Load(Vec3(*column(10, 3)), pairs)


@pytest.mark.parametrize("name", ON_THE_SPHERE)
def test_all_forms_agree_on_random_bodies_and_loads(name):
    """Three forces and a couple at a time; the multiplier is its closed form, summed over the forces."""
    q, dq, J, load = random_bodies(100)
    R = truth.homogeneous_matrix(np.array(list(q)))
    tau = np.array(list(load.couple_B)) + sum(
        np.cross(np.array(list(u)), np.einsum("jin,jn->in", R, np.array(list(f))), axis=0)
        for f, u in load.forces
    )
    w = attitude.body_rate(q, dq)
    matrices, w_array = J.to_array(), w.to_array()
    moment = tau.T - np.cross(w_array, np.einsum("nij,nj->ni", matrices, w_array))
    alpha = np.linalg.solve(matrices, moment[..., None])[..., 0]
    exact = ((q @ Quaternion.pure(Vec3.from_array(alpha)) + dq @ Quaternion.pure(w)) / 2).to_array()
    found = FORMS[name].solve(q, dq, J, load)
    scale = np.linalg.norm(exact, axis=-1).max()
    # Condition numbers of these inertias reach a hundred.
    np.testing.assert_allclose(found.ddq.to_array(), exact, rtol=0, atol=1e-12 * scale)

    four_T = 2 * np.einsum("ni,nij,nj->n", w_array, matrices, w_array)
    virial = sum(np.einsum("in,ijn,jn->n", np.array(list(f)), R, np.array(list(u))) for f, u in load.forces)
    more = sum(dot(f, u) for f, u in load.forces)
    closed = {
        "0": 0,
        "4T": four_T,
        "2 ω_Iᵀ J ω_I": four_T,
        "2 fᵀRu": 2 * virial,
        "2 fᵀ(R + 1)u": 2 * (virial + more),
        "4T + 2 fᵀRu": four_T + 2 * virial,
        "4T + 2 fᵀ(R + 1)u": four_T + 2 * (virial + more),
    }
    form = FORMS[name]
    if form.multiplier == "none":
        assert found.multiplier is None
        assert form.closed_multiplier is None
    else:
        # λ is a sum of terms as large as q̈ times the largest entry of M.
        bound = 1e-12 * scale * 4 * np.abs(matrices).max()
        expected = np.broadcast_to(closed[form.multiplier], COUNT)
        for multiplier in (found.multiplier, form.closed_multiplier(q, dq, J, load)):
            np.testing.assert_allclose(np.broadcast_to(multiplier, COUNT), expected, rtol=0, atol=bound)


def test_the_table_covers_all_six_combinations_of_inertia_and_force():
    """Two gyroscopic terms by three forces, with six multipliers."""
    solved = [form for form in FORMS.values() if form.off_sphere.kind == "solved"]
    pairs = {
        (g, f)
        for form in solved
        for g in "₅₃"
        for f in ("2 Lᵀ τ", "2 Hᵀ Eᵀ f", "B₂ᵀ f")
        if form.formula == f"M q̈ + g{g} + q λ = {f}"
    }
    assert len(pairs) == 6
    assert {form.multiplier for form in FORMS.values()} == {
        *("none", "0", "4T", "2 fᵀRu", "2 fᵀ(R + 1)u", "4T + 2 fᵀRu", "4T + 2 fᵀ(R + 1)u", "2 ω_Iᵀ J ω_I"),
    }


ORDERS = {"s34": 5, "s25": 4, "s39": 3, "s36": 7, "s38": 5, "s84": 5}


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_a_form_is_the_degree_of_its_inertia_terms(name):
    """Doubling q and q̇ multiplies what depends on J by two to that power, of a solution times L once more."""
    body = sample(7)
    q, dq = Quaternion(*fractions(110, 4)), Quaternion(*fractions(111, 4))

    def terms(q, dq):
        if name == "s34":
            return motion.quintic_residual(q, dq, STILL, body.J, STILL, 0)
        if name == "s39":
            return motion.cubic_residual(q, dq, STILL, body.J, STILL, 0)
        if name == "s25":
            return motion.projected_residual(q, dq, STILL, body.J, STILL.vector)
        # L q = 0 takes out −q |q̇|², which does not hold J.
        return attitude.L_matrix(q) @ FORMS[name].solve(q, dq, body.J).ddq

    of_L = 1 if name in ("s36", "s38", "s84") else 0
    same(terms(q * 2, dq * 2), array(terms(q, dq)) * 2 ** (ORDERS[name] + of_L))
    assert FORMS[name].order == ORDERS[name]


def test_forms_answer_to_name_and_alias():
    names = [name for form in FORMS.values() for name in (form.name, *form.aliases)]
    assert len(names) == len(set(names))
    assert all(form_of(alias) is form for form in FORMS.values() for alias in (form.name, *form.aliases))
    with pytest.raises(ArgumentError, match=r"(?s)no form 'euler'.*To fix: choose one of: newton_euler/g29"):
        form_of("euler")


def test_a_moving_frame_is_refused_where_it_would_be_forgotten():
    body = sample(8)
    load = Load(frame=MovingFrame(Vec3(0, 1, 0), Vec3.zero()))
    with pytest.raises(ArgumentError, match=r"(?s)'s34' holds in an inertial frame.*To fix: use form 'd12'"):
        FORMS["s34"].solve(body.q, body.dq, body.J, load)


def test_a_body_without_load_is_free():
    body = sample(9)
    same(
        FORMS["s34"].solve(body.q, body.dq, body.J).ddq,
        FORMS["s38"].solve(body.q, body.dq, body.J, Load()).ddq,
    )


# ---- off the unit sphere --------------------------------------------------------------------------


# Powers of s in a and b, b for a force at a point, and s̈ / |q̇|².
SOLVED, LITERAL, ALONE = lambda s: 0, lambda s: 2 * (1 - s), lambda s: 2
OFF_THE_SPHERE = {
    "newton_euler": (0, 0, 0, SOLVED),
    **dict.fromkeys(("s34", "s25", "s79"), (1, -1, 0, SOLVED)),
    **dict.fromkeys(("s82", "d21"), (1, -1, -1, SOLVED)),
    **dict.fromkeys(("s39", "d12"), (0, -1, 0, SOLVED)),
    **dict.fromkeys(("s29_reduced", "s29_q2"), (0, -1, -1, SOLVED)),
    "s36": (3, 1, 2, LITERAL),
    **dict.fromkeys(("s38", "s40", "s84"), (2, 0, 1, LITERAL)),
    "s32": (1, -1, 0, ALONE),
}


@pytest.mark.parametrize("name", FORMS)
def test_how_a_form_turns_off_the_sphere(name):
    """Section 8: Ẇ = −a J⁻¹ (W × J W) + b J⁻¹ τ while qᵀq̇ = 0, and s̈ as said.

    The torque of a force is formed with the attitude q/|q|: a form that uses E Lᵀ has another factor s.
    """
    body, form = sample(10), FORMS[name]
    q, W, J = Quaternion(*fractions(113, 4)), array(body.w), body.cloud.inertia()
    s = q.norm_squared()
    dq = Quaternion(*(truth.product(array(q), truth.pure(W)) / 2))
    R = truth.homogeneous_matrix(array(q)) / s
    f, u = array(body.f), array(body.u)
    a, b, b_of_force, constraint = OFF_THE_SPHERE[name]
    for power, load, tau in (
        (b, Load(body.f), f),
        (b_of_force, Load(forces=((body.f, body.u),)), np.cross(u, R.T @ f)),
    ):
        ddq = form.solve(q, dq, body.J, load).ddq
        dW = array(attitude.body_rate(q, ddq)) / s
        same(dW, truth.solve_exactly(J, tau * s**power - np.cross(W, J @ W) * s**a))
        assert 2 * (dot(dq, dq) + dot(q, ddq)) == constraint(s) * dot(dq, dq)
    off = form.off_sphere
    assert (off.power_of_a, off.power_of_b, off.power_of_b_for_forces) == (a, b, b_of_force)
    assert off.constraint_acceleration(s, dot(dq, dq)) == constraint(s) * dot(dq, dq)


# c and k of the torque-free ω̇ = −c J⁻¹ (ω × J ω) − k ṡ ω at any q and q̇, from the table of section 8.
TORQUE_FREE = {
    "newton_euler": (lambda s: 1 / s, lambda s: -1 / s),
    "s34": (lambda s: 1, lambda s: 1),
    "s25": (lambda s: 1, lambda s: 1),
    "s32": (lambda s: 1, lambda s: 1),
    "s39": (lambda s: 1 / s, lambda s: 1 / s),
    "s36": (lambda s: s**2, lambda s: s**2),
    "s38": (lambda s: s, lambda s: s),
    "s40": (lambda s: s, lambda s: s),
}
CONSTANTS = {
    "newton_euler": ("T_ω / s²", lambda T, s: T / s**2),
    **dict.fromkeys(("s34", "s25", "s32"), ("T_ω e^{2s}", lambda T, s: T * np.exp(2 * s))),
    "s39": ("T_ω s²", lambda T, s: T * s**2),
    "s36": ("T_ω e^{2s³/3}", lambda T, s: T * np.exp(2 * s**3 / 3)),
    **dict.fromkeys(("s38", "s40"), ("T_ω e^{s²}", lambda T, s: T * np.exp(s**2))),
}


@pytest.mark.parametrize("name", TORQUE_FREE)
def test_torque_free_rates_off_the_sphere_at_any_rate_of_the_norm(name):
    body, form = sample(11), FORMS[name]
    q, dq = Quaternion(*fractions(114, 4)), Quaternion(*fractions(115, 4))
    s, ds, w = q.norm_squared(), 2 * dot(q, dq), attitude.body_rate(q, dq)
    dw = attitude.body_rate(q, form.solve(q, dq, body.J).ddq)
    c, k = TORQUE_FREE[name]
    gyroscopic = truth.solve_exactly(body.cloud.inertia(), np.cross(array(w), array(body.J @ w)))
    same(dw, -gyroscopic * c(s) - array(w) * (k(s) * ds))
    # So T_ω falls as 2 k ṡ T_ω, and the constant of the table is one: its derivative along the flow.
    with mpmath.workdps(PRECISE):
        T = mpmath.mpf(1)
        along = lambda h: form.off_sphere.first_integral(T - 2 * k(s_) * T * h, s_ + h)
        s_ = mpmath.mpf(s.numerator) / s.denominator
        assert abs(mpmath.diff(along, 0)) < mpmath.mpf(10) ** -20 * along(0)


@pytest.mark.parametrize("name", TORQUE_FREE)
def test_an_error_of_the_norm_costs_eight_times_as_much_in_energy(name):
    """At s = 1 every constant but the exact one gives δT_W / T = −4 δs = −8 δ|q|, for T_W = T_ω / s²."""
    with mpmath.workdps(PRECISE):
        constant = lambda s: mpmath.log(FORMS[name].off_sphere.first_integral(s**2, s))
        slope = mpmath.diff(constant, mpmath.mpf(1))
    assert slope == pytest.approx(0 if name == "newton_euler" else 4, abs=1e-15)


def in_doubles(function, count):
    """As a compiled function of `count` numbers, through CasADi."""
    symbols = casadi.SX.sym("x", count)
    compiled = casadi.Function("f", [symbols], [casadi.vertcat(*function(*casadi.vertsplit(symbols)))])
    return lambda x: np.array(compiled(x)).ravel()


J_FULL = SymMat3(1.3, 2.1, 2.7, 0.2, -0.1, 0.3)


def integrate(form, load, start, duration):
    def rates(*x):
        q, dq = Quaternion(*x[:4]), Quaternion(*x[4:])
        return [*dq, *form.solve(q, dq, J_FULL, load).ddq]

    compiled = in_doubles(rates, 8)
    # At its own steps: what it interpolates between them is less accurate.
    run = solve_ivp(lambda t, x: compiled(x), (0, duration), start, method="DOP853", rtol=1e-13, atol=1e-13)
    assert run.success
    return Quaternion(*run.y[:4]), Quaternion(*run.y[4:])


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_constants_of_the_torque_free_flow_off_the_sphere(name):
    """Section 8, from |q| = 1.02 and qᵀq̇ = 0.01, to the integrator's tolerance."""
    form = FORMS[name]
    q0 = Quaternion(1.0, 2.0, -1.0, 3.0) / 15**0.5 * 1.02
    dq0 = q0.derivative(Vec3(0.7, -1.1, 0.4)) + q0 * (0.01 / 1.02**2)
    assert dot(q0, dq0) == pytest.approx(0.01)
    q, dq = integrate(form, Load(), [*q0, *dq0], 1.0 if name == "s32" else 8.0)
    s, T = q.norm_squared(), J_FULL.quadratic_form(attitude.body_rate(q, dq)) / 2
    words, formula = CONSTANTS[name]
    assert form.off_sphere.constant == words
    constant = formula(T, s)
    np.testing.assert_allclose(constant, constant[0], rtol=1e-11)
    np.testing.assert_allclose(form.off_sphere.first_integral(T, s), constant, rtol=1e-14)
    assert np.ptp(s) > 1e-2  # something did move
    ds = 2 * dot(q, dq)
    if form.off_sphere.kind in ("solved", "exact"):
        np.testing.assert_allclose(ds, ds[0], rtol=0, atol=1e-11)  # s̈ = 0: the norm runs away evenly
    elif form.off_sphere.kind == "literal":
        assert np.max(np.abs(s - 1)) < 0.06  # it stabilises itself
        assert np.min(s) < 1
    else:
        rate = np.sqrt(dot(dq, dq))[0]
        assert s[-1] - s[0] == pytest.approx(rate**2, rel=0.5)  # |q|² ≈ s₀ + |q̇|² t²
        assert s[-1] > 1.4


@pytest.mark.parametrize("name", ["newton_euler", "s34", "s38", "s82", "d21", "s29_q2", "s84"])
def test_trajectories_under_a_constant_force_agree(name):
    """T − fᵀRu is constant, and the attitude is that of the rotation-matrix equation Ṙ = R [ω]×."""
    f, u = Vec3(0.4, 1.1, -2.0), Vec3(0.3, -0.5, 0.8)
    q0, w0 = Quaternion(1.0, 2.0, -1.0, 3.0) / 15**0.5, Vec3(0.7, -1.1, 0.4)
    q, dq = integrate(FORMS[name], Load(forces=((f, u),)), [*q0, *q0.derivative(w0)], 4.0)
    T = J_FULL.quadratic_form(attitude.body_rate(q, dq)) / 2
    energy = T - dot(f, q.rotate(u))
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-11)
    J = J_FULL.to_array()

    def newton_euler(t, x):
        R, w = x[:9].reshape(3, 3), x[9:]
        spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        tau = np.cross(array(u).astype(float), R.T @ array(f).astype(float))
        return [*(R @ spin).ravel(), *np.linalg.solve(J, tau - np.cross(w, J @ w))]

    start = [*q0.to_matrix().to_array().ravel(), *w0]
    run = solve_ivp(newton_euler, (0, 4.0), start, method="DOP853", rtol=1e-13, atol=1e-13)
    final = q.to_matrix().to_array()[-1]
    np.testing.assert_allclose(final, run.y[:9, -1].reshape(3, 3), rtol=0, atol=1e-11)


# ---- worked numbers -------------------------------------------------------------------------------


def test_worked_numbers():
    """Section 9 of the reference, to the digits printed."""
    q = Quaternion(1.0, 2.0, -1.0, 3.0) / 15**0.5
    dq = q.derivative(Vec3(0.7, -1.1, 0.4))
    u, f = Vec3(0.3, -0.5, 0.8), Vec3(0.4, 1.1, -2.0)
    R = attitude.rotation_matrix(q)
    tau, load = forces.torque_of_force(R, f, u), Load(forces=((f, u),))
    digits = 6e-13  # half of the last one printed

    def printed(value, numbers):
        np.testing.assert_allclose(list(value), numbers, rtol=0, atol=digits)

    printed(tau, [1.212, -1.142666666667, -1.168666666667])
    ddq = [-0.404799268083, 0.094103022885, 0.440115126348, -0.381409635775]
    for name in ON_THE_SPHERE:
        printed(FORMS[name].solve(q, dq, J_FULL, load).ddq, ddq)
    alpha = attitude.body_rate(q, FORMS["s38"].solve(q, dq, J_FULL, load).ddq)
    printed(alpha, [0.951533811331, -0.521464923380, -0.072990299452])
    printed(
        [motion.four_kinetic_energies(q, dq, J_FULL) / 4, forces.virial(q, f, u), dot(f, u)],
        [1.491, -1.059333333333, -2.03],
    )
    Q1 = [-0.031328131956, 2.999582568489, 2.494545540144, -1.157763821626]
    printed(forces.Q1_force(q, f, u), Q1)
    printed(forces.force_of_torque(q, tau), Q1)
    reduced = [-0.578365513034, 1.905507806334, 3.041582921222, -2.798875964859]
    printed(forces.reduced_force(q, f, u), reduced)
    printed(forces.Q2_force(q, f, u), [-1.626653005407, -0.191067178413, 4.089870413595, -5.943738441980])
    multipliers = {
        "s34": 0,
        "s79": 0,
        "s82": -2.118666666667,
        "s84": -2.118666666667,
        "d21": -6.178666666667,
        "s39": 5.964,
        "s40": 5.964,
        "s29_reduced": 3.845333333333,
        "s29_q2": -0.214666666667,
    }
    for name, multiplier in multipliers.items():
        # 1e-12: half of the last digit printed, doubled by the factor 2 of the virial's own.
        assert FORMS[name].solve(q, dq, J_FULL, load).multiplier == pytest.approx(multiplier, abs=1e-12)


# ---- one meaning on every kind of scalar ----------------------------------------------------------


def numbers_of(w, x, y, z, a, b, c, d, e, f, g, h, i):
    q = Quaternion(w, x, y, z)
    J = SymMat3(3 + a * a, 3 + b * b, 3 + c * c, a / 4, b / 4, c / 4)
    return SimpleNamespace(
        q=q,
        unit=q.normalised(),
        J=J,
        w=Vec3(a, b, c),
        f=Vec3(d, e, f),
        u=Vec3(g, h, i),
        load=Load(Vec3(c, a, b), ((Vec3(d, e, f), Vec3(g, h, i)), (Vec3(i, d, e), Vec3(f, g, h)))),
        frame=MovingFrame(Vec3(e, f, d), Vec3(h, i, g)),
    )


def everything(*numbers):
    n = numbers_of(*numbers)
    q, J, w, f, u = n.q, n.J, n.w, n.f, n.u
    dq, ddq = q.derivative(w) + q / 10, Quaternion(*f, u.x)
    off = [form.off_sphere.first_integral(w.x, u.y) for form in FORMS.values()]
    solved = [form.solve(q, dq, J, n.load) for form in FORMS.values()]
    solved.append(FORMS["d12"].solve(q, dq, J, Load(w, n.load.forces, n.frame)))
    closed = [form.closed_multiplier(q, dq, J, n.load) for form in FORMS.values() if form.closed_multiplier]
    Q = loads.Q2(q, n.load)
    values = [
        *(x for found in solved for x in found.ddq),
        *(found.multiplier for found in solved if found.multiplier is not None),
        *closed,
        *off,
        *motion.quintic_residual(q, dq, ddq, J, Q, w.x),
        *motion.cubic_residual(q, dq, ddq, J, Q, w.x),
        *motion.projected_residual(q, dq, ddq, J, f),
        motion.constraint_acceleration(q, dq, ddq),
        *(x for row in motion.augmented_matrix(q, J).rows for x in row),
        *(x for row in motion.augmented_inverse(q, J).rows for x in row),
        *motion.augmented_right_side(dq, Q, ddq),
        *motion.quintic_from_cubic_gyroscopic_force(q, dq, J),
        motion.virtual_work(ddq, q, dq, ddq, J, Q, w.y),
        motion.virtual_work_of_cubic_form(ddq, q, dq, ddq, J, Q),
        motion.virtual_work_of_free_body(w.x, J, f, u, f, w, u, w, f),
        *motion.virtual_rotation(q, ddq),
        motion.sphere_violation(q, ddq),
        *forces.Q1_from_reduced(q, f, u),
        *forces.Q2_from_reduced(q, f, u),
        *forces.Q_difference(q, f, u),
        *(x for row in forces.B1_from_H(q, u).rows for x in row),
        *(x for row in forces.B2_from_H(q, u).rows for x in row),
        *(x for row in forces.L_times_H(q, u).rows for x in row),
        *(x for row in forces.B_difference(q, u).rows for x in row),
        *forces.product_of_skews(f, u),
        *forces.point_velocity(f, forces.B2_matrix(q, u), dq),
        *forces.point_velocity_of_matrix_rate(f, skew(w), u),
        *forces.point_velocity_of_body_rate(f, skew(w), u, w),
        *forces.point_position(f, skew(w), u),
        forces.virtual_work_of_force(f, u),
        forces.virtual_work_of_generalised_force(f, u, q, dq),
        *(x for side in in_frame.moving_frame_gradients(q, dq, J, w) for x in side),
        *in_frame.moving_frame_residual(q, dq, ddq, J, f, w, u, w.z),
    ]
    return [value + 0 * w.x for value in values]  # zeros and ones become scalars of the kind


@pytest.mark.parametrize("kind", KINDS)
def test_equations_on_every_kind_of_scalar(kind):
    rows = rng(120).normal(size=(20, 13))
    exact = on_mpmath(everything, rows).astype(float)
    scale = 1 + np.max(np.abs(exact), axis=1, keepdims=True)
    # Divided by the largest number of its row: |q| may be small, and g₅ divided by its fourth power.
    np.testing.assert_array_less(np.abs(KINDS[kind](everything, rows) - exact) / scale, 1e-13)


def test_identities_hold_to_1e_45_at_fifty_digits():
    def identities(*numbers):
        n = numbers_of(*numbers)
        q, J, f, u = n.unit, n.J, n.f, n.u
        dq = q.derivative(n.w)
        reference = FORMS["newton_euler"].solve(q, dq, J, n.load).ddq
        differences = [FORMS[name].solve(q, dq, J, n.load).ddq - reference for name in ON_THE_SPHERE[1:]]
        entries = [entry for value in differences for entry in value]
        for form in FORMS.values():
            if form.closed_multiplier is not None:
                closed = form.closed_multiplier(q, dq, J, n.load)
                entries.append(form.solve(q, dq, J, n.load).multiplier - closed)
        for difference in (
            motion.augmented_matrix(q, J) @ motion.augmented_inverse(q, J) - Matrix.identity(5),
            forces.B1_matrix(q, u) - forces.B1_from_H(q, u),
            forces.B2_matrix(q, u) - forces.B2_from_H(q, u),
            forces.B2_matrix(q, u) - forces.B1_matrix(q, u) - forces.B_difference(q, u),
            forces.L_times_H(q, u) - attitude.L_matrix(q) @ forces.H_matrix(u),
        ):
            entries += [entry for row in difference.rows for entry in row]
        entries += [*(forces.Q1_force(q, f, u) - forces.Q1_from_reduced(q, f, u))]
        return entries

    with mpmath.workdps(PRECISE):
        worst = max(abs(entry) for entry in on_mpmath(identities, rng(121).normal(size=(10, 13))).ravel())
        assert worst < mpmath.mpf(10) ** -45
