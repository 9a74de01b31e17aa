"""The embedded models against formulas of textbooks, typed out here; and that they are whole."""

from __future__ import annotations

import math
from math import cos, pi, sin

import numpy as np
import pytest
from scipy.special import ellipk

import quatrain as qt
from quatrain.checks import find_faults
from quatrain.equations import dynamics

ROUNDING = 1e-13  # of sums of some ten products, relative to the largest
NAMES = (*qt.examples.names()[:-1], "snake(5)")
G = 9.81


def on(function, name, *state):
    """An equation of an example as floats."""
    return np.array(function(qt.examples.model(name), *(list(map(float, x)) for x in state)), float)


def close(found, expected, tolerance=ROUNDING):
    scale = max(1.0, float(np.max(np.abs(expected))))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


# ---- all of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_example_has_no_fault_and_its_mass_matrix_is_positive(name):
    model = qt.examples.model(name)
    assert find_faults(model) == []
    units = [coordinate.unit for coordinate in model.coordinates()]
    q = [x + 0.1 if unit else x for x, unit in zip(dynamics.neutral(model), units, strict=True)]
    assert np.linalg.eigvalsh(np.array(dynamics.mass_matrix(model, q), float))[0] > 0


@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_within_80_columns(name):
    model = qt.examples.model(name)
    for text in (model.describe(), str(model.coordinates()), str(model.velocities())):
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_keyframes_of_an_example_lie_within_its_limits(name):
    model = qt.examples.model(name)
    for key in model.keyframes:
        for x, (lower, upper) in zip(key.q, dynamics.bounds(model), strict=True):
            assert (-np.inf if lower is None else lower) <= x <= (np.inf if upper is None else upper)


def test_an_example_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(qt.ArgumentError, match=r"there is no example 'pendulun'(?s:.)*pendulum.*snake\(n\)"):
        qt.examples.load("pendulun")
    with pytest.raises(qt.ArgumentError, match="a snake of 0 joints"):
        qt.examples.load("snake(0)")


# ---- pendulums ----------------------------------------------------------------------------------------


def test_the_pendulum_has_the_period_of_the_elliptic_integral():
    """T = 4 √(l/g) K(sin²(θ₀/2)); Landau and Lifshitz, Mechanics (1976), § 11, problem 1.

    Classical Runge–Kutta with 4,000 steps a period: its error is of the order of 1e-12 there.
    """
    pendulum, start = qt.examples.load("pendulum"), 2.5
    period = 4 * math.sqrt(1 / G) * ellipk(math.sin(start / 2) ** 2)
    h = period / 4000

    def rate(x):
        return np.array([x[1], pendulum.forward_dynamics(x[:1], x[1:], [0.0])[0]])

    x = np.array([start, 0.0])
    for _ in range(1000):  # a quarter: to the bottom
        a = rate(x)
        b = rate(x + a * h / 2)
        c = rate(x + b * h / 2)
        x = x + (a + 2 * b + 2 * c + rate(x + c * h)) * h / 6
    # There all of its energy is kinetic: ½ v² = g (1 − cos θ₀).
    assert x == pytest.approx([0.0, -math.sqrt(2 * G * (1 - cos(start)))], abs=1e-11)


def two_links(m, a, c, inertia, q, v):
    """Mass matrix and bias force of two equal links that hang down, with relative angles.

    Spong, Hutchinson, Vidyasagar, Robot Modeling and Control (2006), ch. 7, planar elbow manipulator; gravity with
    angles from the vertical. a: length; c: centre of mass from the joint; inertia: about it.
    """
    d11 = m * c**2 + m * (a**2 + c**2 + 2 * a * c * cos(q[1])) + 2 * inertia
    d12 = m * (c**2 + a * c * cos(q[1])) + inertia
    d22 = m * c**2 + inertia
    h = -m * a * c * sin(q[1])
    phi2 = m * c * G * sin(q[0] + q[1])
    phi1 = m * (c + a) * G * sin(q[0]) + phi2
    bias = [h * v[1] * v[0] + h * (v[0] + v[1]) * v[1] + phi1, -h * v[0] ** 2 + phi2]
    return [[d11, d12], [d12, d22]], bias


@pytest.mark.parametrize(
    ("name", "c", "inertia"),
    [("double_pendulum", 1.0, 0.0), ("acrobot", 0.5, (3 * 0.02**2 + 1) / 12)],
)
def test_two_links_obey_the_equations_of_the_textbook(name, c, inertia):
    rng = np.random.default_rng(7)
    for q, v in rng.normal(size=(5, 2, 2)) * 2:
        M, h = two_links(1.0, 1.0, c, inertia, q, v)
        close(on(dynamics.mass_matrix, name, q), M)
        close(on(dynamics.bias_force, name, q, v), h)


def test_the_spherical_pendulum_has_the_inertia_of_a_ball_at_the_end_of_a_rod():
    m = 4 / 3 * pi * 0.05**3 * 7800
    own = 0.4 * m * 0.05**2
    close(on(dynamics.mass_matrix, "spherical_pendulum", [1, 0, 0, 0]), np.diag([own + m, own + m, own]))


def test_the_spherical_pendulum_goes_round_in_a_cone():
    """Ω² = m g l / ((I₁ − I₃) cos θ), with ω along the vertical; Goldstein, § 5.7, without spin."""
    theta = 0.6
    rate = math.sqrt(G / cos(theta))  # the ball turns with the rod, and I₁ − I₃ = m l² as for a point
    q = qt.Quaternion.from_axis_angle(qt.Vec3(0.0, 1.0, 0.0), theta)
    w = list(q.inverse_rotate(qt.Vec3(0.0, 0.0, rate)))
    close(on(dynamics.inverse_dynamics, "spherical_pendulum", list(q), w, [0, 0, 0]), np.zeros(3))


# ---- tops ---------------------------------------------------------------------------------------------


def test_the_heavy_top_precesses_steadily_where_the_formula_says():
    """I₃ (ψ̇ + Ω cos θ) Ω − I₁ Ω² cos θ = m g l; Goldstein, Classical Mechanics (2002), § 5.7."""
    top = qt.examples.model("heavy_top").bodies[0]
    along, theta, precession = top.p_BBcm.z, 0.4, 11.0
    I1, I3 = top.I_Bcm_B.xx + top.mass * along**2, top.I_Bcm_B.zz
    spin = (top.mass * G * along + (I1 - I3) * precession**2 * cos(theta)) / (I3 * precession)
    q = qt.Quaternion.from_axis_angle(qt.Vec3(1.0, 0.0, 0.0), theta)
    axis = q.rotate(qt.Vec3(0.0, 0.0, 1.0))
    vertical = qt.Vec3(0.0, 0.0, 1.0)
    w = q.inverse_rotate(vertical * precession + axis * spin)
    alpha = q.inverse_rotate(qt.cross(vertical, axis) * (precession * spin))
    assert spin > 50
    torque = on(dynamics.inverse_dynamics, "heavy_top", list(q), list(w), list(alpha))
    close(torque, np.zeros(3))
    assert abs(on(dynamics.inverse_dynamics, "heavy_top", list(q), list(w * 1.01), list(alpha))).max() > 1e-3


def test_the_gyroscope_has_the_kinetic_energy_of_gimbals():
    """T = ½ (I_oz + B_y s² + B_z c² + A c²) φ̇² + ½ (B_x + A) θ̇² + ½ C (ψ̇ + φ̇ s)², s and c of the inner gimbal's θ.

    The vertical has the components (0, s, c) in the inner gimbal; B is its inertia, A and C those of the disc.
    """
    outer, inner, disc = qt.examples.model("gyroscope").bodies
    A, C = disc.I_Bcm_B.xx, disc.I_Bcm_B.zz
    B = inner.I_Bcm_B
    theta, rates = 0.7, np.array([0.3, -1.2, 40.0])
    s, c = sin(theta), cos(theta)
    about_vertical = outer.I_Bcm_B.zz + B.yy * s**2 + B.zz * c**2 + A * c**2
    T = 0.5 * (
        about_vertical * rates[0] ** 2 + (B.xx + A) * rates[1] ** 2 + C * (rates[2] + rates[0] * s) ** 2
    )
    found = on(dynamics.kinetic_energy, "gyroscope", [0.4, theta, 1.1], rates)
    assert found == pytest.approx(T, rel=ROUNDING)
    m = disc.mass
    close([A, C], [m * (3 * 0.08**2 + 0.015**2) / 12, m * 0.08**2 / 2])


def test_the_tumbling_box_obeys_eulers_equations():
    w = np.array([0.3, 1.5, -0.7])
    a = on(dynamics.forward_dynamics, "tumbling_box", [1, 2, 3, 1, 0, 0, 0], [4, 5, 6, *w], np.zeros(6))
    close(a, [0, 0, 0, (2 - 3) / 1 * w[1] * w[2], (3 - 1) / 2 * w[2] * w[0], (1 - 2) / 3 * w[0] * w[1]])


# ---- arms and benches ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arm6", "arm7"])
def test_an_arm_stands_up_straight_and_weighs_what_its_cylinders_do(name):
    model = qt.examples.model(name)
    hand = dynamics.frame_pose(model, [0.0] * model.nq, "hand")
    heights = [body.joint.X_PJ.p.z for body in model.bodies]
    assert list(hand.p) == pytest.approx([0, 0, sum(heights) + 0.1], abs=1e-15)
    lengths = [*heights[1:], 0.1]
    masses = [pi * (0.06 - 0.04 * k / model.nb) ** 2 * length * 2700 for k, length in enumerate(lengths)]
    assert [body.mass for body in model.bodies] == pytest.approx(masses, rel=ROUNDING)
    # Upright nothing pulls at the joints; lying, the first across carries all that is beyond it.
    close(dynamics.gravity_force(model, [0.0] * model.nq), np.zeros(model.nq))
    lying = [pi / 2 if k == 1 else 0.0 for k in range(model.nq)]
    starts = np.cumsum(heights)
    arms = starts - starts[1] + np.array(lengths) / 2
    moment = np.dot(masses[1:], arms[1:])
    assert dynamics.gravity_force(model, lying)[1] == pytest.approx(-moment * G, rel=1e-12)
    assert model.nu == model.nv


def test_the_last_three_axes_of_arm6_meet_in_a_point():
    model = qt.examples.model("arm6")
    q = [0.3, -0.5, 0.8, 1.1, 0.6, -0.4]
    centre = dynamics.frame_pose(model, q, "link5").p
    moved = dynamics.frame_pose(model, [*q[:3], 2.0, -1.0, 0.5], "link5").p
    assert (centre - moved).norm() < 1e-15


def test_the_cart_pole_obeys_its_equations():
    """(M + m) ẍ + m l (θ̈ c − θ̇² s) = F and (I + m l²) θ̈ + m l ẍ c − m g l s = 0, θ from the upright, l to the middle.

    Florian, Correct equations for the dynamics of the cart-pole system (2007), without friction.
    """
    M, m, half = 1.0, 0.1, 0.5
    inertia = m * (3 * 0.01**2 + 1) / 12
    rng = np.random.default_rng(8)
    for theta, rate, force in rng.normal(size=(5, 3)) * 3:
        s, c = sin(theta), cos(theta)
        matrix = [[M + m, m * half * c], [m * half * c, inertia + m * half**2]]
        expected = np.linalg.solve(matrix, [force + m * half * rate**2 * s, m * G * half * s])
        close(on(dynamics.forward_dynamics, "cart_pole", [0.7, theta], [0.2, rate], [force, 0]), expected)


# ---- free machines ------------------------------------------------------------------------------------


def test_the_quadruped_stands_with_its_feet_under_its_hips():
    model = qt.examples.model("quadruped")
    q = list(model.keyframe("standing").q)
    assert model.mass == pytest.approx(10 + 4 * 1.8)
    assert (model.nq, model.nv, model.nu) == (19, 18, 12)
    for leg, x, y in (("FL", 0.2, 0.18), ("FR", 0.2, -0.18), ("HL", -0.2, 0.18), ("HR", -0.2, -0.18)):
        foot = dynamics.frame_pose(model, q, f"{leg}_foot").p
        # Thigh 0.21 at 0.7 rad, shank 0.22 at 0.7 − 1.4 rad.
        assert foot.x == pytest.approx(x - 0.21 * sin(0.7) + 0.22 * sin(0.7), abs=1e-14)
        assert foot.y == pytest.approx(y, abs=1e-14)
        assert foot.z == pytest.approx(0.34 - 0.43 * cos(0.7), abs=1e-14)


def test_the_humanoid_is_the_same_on_both_sides_and_carries_its_weight():
    model = qt.examples.model("humanoid")
    q = [float(x) for x in dynamics.neutral(model)]
    centre = dynamics.center_of_mass(model, q)
    assert abs(centre.y) < 1e-15
    for part in ("hand", "sole"):
        left, right = (dynamics.frame_pose(model, q, f"{side}_{part}").p for side in ("left", "right"))
        assert (left.x, left.y, left.z) == pytest.approx((right.x, -right.y, right.z), abs=1e-15)
    assert dynamics.gravity_force(model, q)[:3] == pytest.approx([0, 0, model.mass * G], rel=ROUNDING)
    assert 60 < model.mass < 80


def test_the_satellite_turns_against_its_wheel():
    """From rest, a torque on the wheel about z: the total angular momentum stays zero, and I_hub ω = −I_wheel Ω."""
    model = qt.examples.model("satellite")
    tau = [0.0] * model.nv
    tau[model.v_names.index("spin_z")] = 0.02
    q = [float(x) for x in dynamics.neutral(model)]
    a = dynamics.forward_dynamics(model, q, [0.0] * model.nv, tau)
    linear, angular = dynamics.momentum(model, q, a)
    assert max(map(abs, (*linear, *angular))) < 1e-15
    wheel = next(body for body in model.bodies if body.name == "wheel_z")
    at_rest = np.linalg.inv(on(dynamics.mass_matrix, "satellite", q))
    assert a[model.v_names.index("spin_z")] == pytest.approx(0.02 * at_rest[8, 8], rel=1e-12)
    spin = wheel.mass * 0.1**2 / 2
    assert a[5] * whole_about_z(model) == pytest.approx(-spin * a[8], rel=1e-12)


def whole_about_z(model):
    """Hub, wheels and panels, all held."""
    hub = 200 * (1 + 1) / 12
    disc = pi * 0.1**2 * 0.03 * 7800
    wheels = disc * 0.1**2 / 2 + 2 * disc * (3 * 0.1**2 + 0.03**2) / 12
    panels = 2 * 8 * ((0.8**2 + 2.0**2) / 12 + 1.5**2)
    return hub + wheels + panels


@pytest.mark.parametrize("joints", [1, 4, 40])
def test_a_straight_snake_turns_like_one_box(joints):
    length, mass = 0.1 * joints, 0.16 * joints
    model = qt.examples.model(f"snake({joints})")
    M = dynamics.mass_matrix(model, [0.0] * joints)
    assert M[0][0] == pytest.approx(mass * ((0.04**2 + length**2) / 12 + length**2 / 4), rel=1e-12)
    assert dynamics.frame_pose(model, [0.0] * joints, "nose").p.x == pytest.approx(length)
