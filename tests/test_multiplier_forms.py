"""Forms in q and q̇ over time: with nothing done about the norm, renormalised, projected, and Baumgarte's way."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from quatrain.compiler import RolloutKernel, rollout
from quatrain.equations.attitude import body_rate, rate_from_body
from quatrain.equations.euler_parameter_forms import FORMS
from quatrain.equations.euler_parameter_loads import Load
from quatrain.equations.stepping import (
    LINEAR,
    RotatingBody,
    System,
    baumgarte,
    dop853,
    plain,
    position_renormalised,
    projected,
    renormalised,
    rk4,
)
from quatrain.geometry import Quaternion, SymMat3, Vec3, cross, dot
from quatrain.scalar import sin

J = SymMat3(1.3, 2.1, 2.7, 0.2, -0.1, 0.3)
Q0 = Quaternion(1.0, 2.0, -1.0, 3.0) / 15**0.5
W0 = Vec3(0.7, -1.1, 0.4)
F, U = Vec3(0.4, 1.1, -2.0), Vec3(0.3, -0.5, 0.8)
PUSHED = Load(forces=((F, U),))

# Those whose steps differ; the others are one of these with another name for the force or the multiplier.
DIFFERENT = ["newton_euler", "s34", "s25", "s39", "s36", "s38", "s79", "s82", "d21", "s84", "s29_q2"]
SOLVED, LITERAL = ("s34", "s25", "s39"), ("s36", "s38")


def restoring(form):
    return baumgarte(form, damping=4.0, stiffness=4.0)


WAYS = {
    "plain": plain,
    "renormalised": renormalised,
    "position_renormalised": position_renormalised,
    "projected": projected,
    "baumgarte": restoring,
}


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


def form_of(name, inertia=J, load=None):
    """(t, q, q̇) → q̈ of one form and load."""
    return lambda t, q, dq: FORMS[name].solve(q, dq, inertia, load or Load()).ddq


def march(stepper, system, q, v, duration, steps, every=None):
    """(q, q̇) at the end, or recorded, as quaternions of columns; one kernel."""
    kinds = {"q": type(q), "v": type(v)}

    def one(index, at, parameters, inputs):
        h = parameters["h"]
        q, v = stepper(system, index * h, at["q"], at["v"], h)
        return {"q": q, "v": v}, {"q": q, "v": v}

    kernel = RolloutKernel(rollout(one, state=kinds, parameters={"h": float}, origins=False))
    start = {"state.q": q.to_array(), "state.v": v.to_array(), "parameters.h": duration / steps}
    done = kernel(start, steps, every or steps)
    found = done.final if every is None else done.records
    names = ("state.q", "state.v") if every is None else ("record.q", "record.v")
    return tuple(kind.from_array(found[name]) for kind, name in zip(kinds.values(), names, strict=True))


@cache
def reference(loaded):
    """Newton and Euler's equations in q and ω, far inside the errors below."""
    torque = (lambda t, q, w: cross(U, q.inverse_rotate(F))) if loaded else None
    body = RotatingBody(J, torque) if torque else RotatingBody(J)
    return march(dop853, body.system(), Q0, W0, 2.0, 400)


# ---- orders ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", DIFFERENT)
def test_order_of_every_form_in_every_way(name, way):
    """RK4 under a force, attitude and rate at t = 2: order 4; an h⁵ that is still to be seen raises it a little."""
    q_exact, w_exact = reference(True)
    errors = []
    for steps in (40, 80):
        q, dq = march(rk4, WAYS[way](form_of(name, load=PUSHED)), Q0, rate_from_body(Q0, W0), 2.0, steps)
        w = body_rate(q, dq) / q.norm_squared()
        errors.append(float((q / q.norm()).geodesic_distance(q_exact) + (w - w_exact).norm()))
    order = math.log2(errors[0] / errors[1])
    assert 3.8 < order < 4.8
    assert errors[1] < 1e-5


@pytest.mark.parametrize("way", ["plain", "renormalised", "projected", "baumgarte"])
@pytest.mark.parametrize("name", ["s34", "s39", "s38"])
def test_every_way_leads_to_the_motion(name, way):
    """At order 8 to 1e-12, torque-free; so no restoring or projecting pulls a motion off that is right."""
    q_exact, w_exact = reference(False)
    q, dq = march(dop853, WAYS[way](form_of(name)), Q0, rate_from_body(Q0, W0), 2.0, 200)
    assert float(q.geodesic_distance(q_exact)) < 1e-12
    assert float((body_rate(q, dq) - w_exact).norm()) < 1e-12


# ---- what each way does ------------------------------------------------------------------------------

OFF_Q, OFF_DQ = Q0 * 1.02, rate_from_body(Q0, W0) * 1.02 + Q0 * 0.05


def test_renormalised_projects_position_and_velocity_together():
    q, dq = renormalised(form_of("s38")).space.project(OFF_Q, OFF_DQ)
    assert (q - Q0).norm() < 1e-15
    assert abs(dot(q, dq)) < 1e-16
    # Only what lies along q is taken away: 2 L q̇ is not divided.
    assert (dq - rate_from_body(Q0, W0) * 1.02).norm() < 1e-15


def test_position_renormalised_leaves_the_rate_of_the_norm():
    q, dq = position_renormalised(form_of("s38")).space.project(OFF_Q, OFF_DQ)
    assert (q - Q0).norm() < 1e-15
    assert dq == OFF_DQ
    assert dot(q, dq) == pytest.approx(0.05)


def test_plain_and_baumgarte_leave_the_state_alone():
    for system in (plain(form_of("s38")), restoring(form_of("s38"))):
        assert system.space.project(OFF_Q, OFF_DQ) == (OFF_Q, OFF_DQ)


@pytest.mark.parametrize("way", ["renormalised", "projected"])
def test_both_constraints_hold_to_rounding_after_every_step(way):
    q, dq = march(rk4, WAYS[way](form_of("s34")), Q0, rate_from_body(Q0, W0), 50.0, 1000, every=1)
    assert np.abs(q.norm() - 1).max() < 4e-16
    assert np.abs(dot(q, dq)).max() < 4e-16


def test_projected_never_asks_a_form_off_the_sphere():
    asked = []

    def form(t, q, dq):
        asked.append((abs(q.norm() - 1), abs(dot(q, dq))))
        return form_of("s34")(t, q, dq)

    q, dq = OFF_Q, OFF_DQ
    for k in range(5):
        q, dq = rk4(projected(form), 0.1 * k, q, dq, 0.1)
    assert len(asked) == 20
    assert np.max(asked) < 5e-16


def test_projected_forms_have_one_motion():
    """To the rounding of a thousand steps; with their own projection only at the end of a step they differ."""
    start = Q0, rate_from_body(Q0, W0)
    ends = {
        way: [
            march(rk4, WAYS[way](form_of(name)), *start, 50.0, 1000)[0]
            for name in ("s34", "s39", "s36", "s38")
        ]
        for way in ("projected", "renormalised")
    }
    gap = {way: max(float((q - found[0]).norm()) for q in found) for way, found in ends.items()}
    assert gap["projected"] < 1e-12
    assert gap["renormalised"] > 1e-7


def test_what_is_no_quaternion_is_not_touched():
    """Absolute coordinates: places beside attitudes, in tuples to any depth."""

    def form(t, q, dq):
        (place, attitude), x = q
        return (place * -1.0, form_of("s38")(t, attitude, dq[0][1])), -x + sin(t)

    q, dq = ((Vec3(1.0, 2.0, 3.0), OFF_Q), 0.5), ((Vec3(0.1, 0.2, 0.3), OFF_DQ), -0.25)
    for way, system in {name: make(form) for name, make in WAYS.items()}.items():
        (place, p), x = system.space.project(q, dq)[0]
        (rate, dp), dx = system.space.project(q, dq)[1]
        assert (place, x, rate, dx) == (q[0][0], 0.5, dq[0][0], -0.25)
        assert (p == OFF_Q) is (way in ("plain", "baumgarte"))
        assert (dp == OFF_DQ) is (way not in ("renormalised", "projected"))
        acceleration = system.acceleration(0.3, q, dq)
        assert (acceleration[0][0], acceleration[1]) == (Vec3(-1.0, -2.0, -3.0), -0.5 + math.sin(0.3))
        rate = system.space.rate(q, dq)
        assert (rate[0][0], rate[1]) == (dq[0][0], -0.25)


# ---- off the sphere, over time -----------------------------------------------------------------------


def off_sphere_start(size=1.02, along=0.01):
    """|q| = size and qᵀq̇ = along, with ω = 2 L q̇ / s as given."""
    q = Q0 * size
    return q, rate_from_body(Q0, W0) * size + Q0 * (along / size)


@pytest.mark.parametrize("name", ["newton_euler", *SOLVED, *LITERAL, "s40"])
def test_the_constants_of_the_flow_off_the_sphere_are_kept_by_the_stepper(name):
    """Section 8: |q| = 1.02, qᵀq̇ = 0.01, torque-free. DOP853 at 0.05 s keeps each constant to rounding's 1e-12."""
    q, dq = off_sphere_start()
    assert dot(q, dq) == pytest.approx(0.01)
    q, dq = march(dop853, plain(form_of(name)), q, dq, 20.0, 400, every=4)
    s, T = q.norm_squared(), J.quadratic_form(body_rate(q, dq)) / 2
    constant = FORMS[name].off_sphere.first_integral(T, s)
    np.testing.assert_allclose(constant, constant[0], rtol=2e-12)
    assert np.ptp(s) > 0.05
    assert np.ptp(T / s**2) / T[0] > 0.01 or name == "newton_euler"


@pytest.mark.parametrize(
    ("name", "a", "b"), [("newton_euler", 0, 0), ("s34", 1, -1), ("s25", 1, -1), ("s39", 0, -1)]
)
def test_the_coefficients_of_the_turning_off_the_sphere(name, a, b):
    """Section 8: with qᵀq̇ = 0 these keep s, so Ẇ = −sᵃ J⁻¹ (W × J W) + sᵇ J⁻¹ τ for all time, τ in the body."""
    tau, (q, dq) = Vec3(0.5, -0.3, 0.2), off_sphere_start(along=0.0)
    s = 1.02**2
    q, dq = march(dop853, plain(form_of(name, load=Load(tau))), q, dq, 5.0, 500)
    assert float(q.norm_squared()) == pytest.approx(s, rel=1e-12)

    def rate(t, x, w):
        return J.inverse() @ (tau * s**b - cross(w, J @ w) * s**a)

    _, w = march(dop853, System(LINEAR, rate), Vec3(0.0, 0.0, 0.0), W0, 5.0, 500)
    assert float((body_rate(q, dq) / s - w).norm()) < 1e-11


@pytest.mark.parametrize("name", SOLVED)
def test_the_norm_of_solved_forms_runs_away_evenly(name):
    """s̈ = 0: s = s₀ + 2 qᵀq̇ t."""
    q, _ = march(dop853, plain(form_of(name)), *off_sphere_start(), 10.0, 400, every=1)
    t = 10.0 / 400 * np.arange(1, 401)
    np.testing.assert_allclose(q.norm_squared(), 1.02**2 + 0.02 * t, rtol=0, atol=1e-12)


BALL = SymMat3.diagonal(2.0, 2.0, 2.0)
"""Its |q̇|² is constant to first order, so the norm obeys an equation with constant coefficients."""
EPSILON = 1e-7


def violation(way, name, along=0.0, inertia=BALL, size=1 + EPSILON):
    """½ (s − 1) over five seconds."""
    q, _ = march(dop853, way(form_of(name, inertia)), *off_sphere_start(size, along), 5.0, 500, every=1)
    return 0.01 * np.arange(1, 501), (q.norm_squared() - 1) / 2


@pytest.mark.parametrize("name", LITERAL)
def test_the_norm_of_literal_forms_swings_by_itself(name):
    """Section 8: frequency √2 |q̇| = |ω|/√2, to first order in the violation, of which some tens are left."""
    t, c = violation(plain, name)
    frequency = float(W0.norm()) / 2**0.5
    np.testing.assert_allclose(c / EPSILON, np.cos(frequency * t), rtol=0, atol=5e-6)


# ---- Baumgarte ---------------------------------------------------------------------------------------


def decay(t, c0, dc0, damping, square):
    """c̈ + 2γ ċ + k c = 0, from c₀ and ċ₀."""
    gap = damping**2 - square
    root = math.sqrt(abs(gap))
    if root == 0:
        even, odd = np.ones_like(t), t
    elif gap < 0:
        even, odd = np.cos(root * t), np.sin(root * t) / root
    else:
        even, odd = np.cosh(root * t), np.sinh(root * t) / root
    return np.exp(-damping * t) * (c0 * even + (dc0 + damping * c0) * odd)


@pytest.mark.parametrize(
    ("damping", "stiffness"), [(3.0, 3.0), (0.5, 4.0), (5.0, 2.0), (0.0, 3.0), (2.0, 0.0)]
)
@pytest.mark.parametrize("name", SOLVED)
def test_a_violation_decays_as_baumgarte_says(name, damping, stiffness):
    """Exactly, for the forms that keep c̈ = 0: far from the sphere, for any body; |q| = 1.02, qᵀq̇ = 0.01."""
    way = lambda form: baumgarte(form, damping=damping, stiffness=stiffness)
    t, c = violation(way, name, 0.01, J, 1.02)
    expected = decay(t, (1.02**2 - 1) / 2, 0.01, damping, stiffness**2)
    np.testing.assert_allclose(c, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", LITERAL)
def test_baumgarte_adds_to_what_literal_forms_do_themselves(name):
    """c̈ + 2γ ċ + (κ² + 2|q̇|²) c = 0 to first order."""
    t, c = violation(lambda form: baumgarte(form, damping=1.0, stiffness=2.0), name)
    square = 4.0 + float(W0.norm_squared()) / 2
    np.testing.assert_allclose(c / EPSILON, decay(t, 1.0, 0.0, 1.0, square), rtol=0, atol=5e-6)


def test_baumgarte_with_nothing_to_restore_is_the_form_itself():
    """On the sphere, and with both numbers zero."""
    q, dq = Quaternion(0.5, -0.5, 0.5, 0.5), Quaternion(0.5, 0.5, -0.5, 0.5)
    form = form_of("s39")
    assert dot(q, dq) == 0
    assert baumgarte(form, damping=7.0, stiffness=9.0).acceleration(0.0, q, dq) == form(0.0, q, dq)
    still = baumgarte(form, damping=0.0, stiffness=0.0)
    assert still.acceleration(0.0, OFF_Q, OFF_DQ) == form(0.0, OFF_Q, OFF_DQ)


def test_baumgarte_changes_the_acceleration_along_q_only():
    q, dq = off_sphere_start()
    added = restoring(form_of("s34")).acceleration(0.0, q, dq) - form_of("s34")(0.0, q, dq)
    s = dot(q, q)
    assert (added - q * (dot(added, q) / s)).norm() < 1e-16
    assert dot(added, q) == pytest.approx(-(2 * 4.0 * dot(q, dq) + 16.0 * (s - 1) / 2), rel=1e-12)
