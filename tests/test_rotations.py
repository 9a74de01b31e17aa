"""Three angles in every convention: to and from rotations, rates, and the singularity."""

from __future__ import annotations

import itertools
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from quatrain import AngleConvention, ArgumentError, Mat3, Quaternion, Vec3, rotations
from tests.kinds import KINDS, PRECISE, on_mpmath
from tests.samples import rng, unit_vectors
from tests.truth.rotations import rodrigues

LETTERS = [
    letters
    for order in map("".join, itertools.product("xyz", repeat=3))
    if order[0] != order[1] != order[2]
    for letters in (order, order.upper())
]
COUNT = 2000
ROUNDING = 4e-15


def middle_range(letters):
    return (0.0, np.pi) if letters[0] == letters[2] else (-np.pi / 2, np.pi / 2)


def sample(letters, seed=0, count=COUNT, margin=0.0):
    low, high = middle_range(letters)
    angles = rng(seed).uniform(-np.pi, np.pi, (count, 3))
    angles[:, 1] = rng(seed + 1).uniform(low + margin, high - margin, count)
    return angles


def up_to_sign(p, q):
    p, q = (x.to_array() if isinstance(x, Quaternion) else x for x in (p, q))
    return np.minimum(np.max(np.abs(p - q), axis=-1), np.max(np.abs(p + q), axis=-1))


def central_difference(function, t, dt):
    """Fourth order: error of relative size dt⁴ and rounding 1e-16/dt."""
    return (8 * (function(t + dt) - function(t - dt)) - function(t + 2 * dt) + function(t - 2 * dt)) / (
        12 * dt
    )


def test_there_are_twenty_four():
    assert len(LETTERS) == 24


@pytest.mark.parametrize("letters", LETTERS)
def test_angles_agree_with_scipy(letters):
    """Proves: Y(22), Y(23), Y(24), Y(30), Y(31)"""
    angles = sample(letters)
    convention, triple = AngleConvention(letters), Vec3.from_array(angles)
    peer = Rotation.from_euler(letters, angles)
    assert np.max(up_to_sign(convention.to_quaternion(triple), peer.as_quat(scalar_first=True))) < 1e-14
    np.testing.assert_allclose(convention.to_matrix(triple).to_array(), peer.as_matrix(), atol=1e-14)
    # Away from the singularity the angles themselves agree; they lose 1/sin of the distance to it.
    away = sample(letters, margin=0.1)
    q = convention.to_quaternion(Vec3.from_array(away))
    np.testing.assert_allclose(convention.from_quaternion(q).to_array(), away, atol=1e-14)
    np.testing.assert_allclose(
        Rotation.from_quat(q.to_array(), scalar_first=True).as_euler(letters), away, atol=1e-13
    )


@pytest.mark.parametrize("letters", LETTERS)
def test_angles_reproduce_the_rotation_everywhere(letters):
    """Proves: A(1), A(2), A(4), A(5), A(6)"""
    convention = AngleConvention(letters)
    low, high = middle_range(letters)
    offsets = np.array([0.0, 1e-17, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-6, 1e-4])
    angles = sample(letters, 5, 2 * 200 * len(offsets))
    angles[:, 1] = np.concatenate([np.repeat(low + offsets, 200), np.repeat(high - offsets, 200)])
    angles = np.concatenate([angles, sample(letters, 6)])
    for norm in (1.0, 7.0):
        q = convention.to_quaternion(Vec3.from_array(angles))
        found = convention.from_quaternion(q * norm)
        assert np.max(up_to_sign(convention.to_quaternion(found), q)) < 4e-15
        table = found.to_array()
        assert np.all((table[:, 1] >= low - 1e-15) & (table[:, 1] <= high + 1e-15))
        assert np.all(np.abs(table) <= np.pi)
        assert np.all(table[:, [0, 2]] > -np.pi)
    np.testing.assert_allclose(
        convention.to_matrix(convention.from_matrix(q.to_matrix())).to_array(),
        q.to_matrix().to_array(),
        atol=5e-15,
    )


@pytest.mark.parametrize("letters", LETTERS)
def test_at_the_singularity_the_last_intrinsic_angle_is_zero(letters):
    """Proves: A(4)"""
    convention = AngleConvention(letters)
    for middle in middle_range(letters):
        angles = sample(letters, 7)
        angles[:, 1] = middle
        q = convention.to_quaternion(Vec3.from_array(angles))
        found = convention.from_quaternion(q)
        last = found.z if letters.isupper() else found.x
        assert np.array_equal(np.abs(last), np.zeros(COUNT))
        assert np.max(up_to_sign(convention.to_quaternion(found), q)) < ROUNDING
        theirs = Rotation.from_quat(q.to_array(), scalar_first=True).as_matrix()
        np.testing.assert_allclose(convention.to_matrix(found).to_array(), theirs, atol=1e-14)


def printed_inverse_maps(name, R, q):
    """The angles of "rpy" or "gyroscope" as the reference prints them: plain, exact everywhere, from q."""
    r = lambda i, k: R[:, i - 1, k - 1]
    q0, q1, q2, q3 = q.T
    if name == "rpy":
        theta = np.arctan2(-r(3, 1), np.hypot(r(1, 1), r(2, 1)))
        plain = [np.arctan2(r(3, 2), r(3, 3)), theta, np.arctan2(r(2, 1), r(1, 1))]  # A(1)
        psi = np.arctan2(r(2, 1), r(1, 1))
        s, c = np.sin(psi), np.cos(psi)
        phi = np.arctan2(s * r(1, 3) - c * r(2, 3), -s * r(1, 2) + c * r(2, 2))
        exact = [phi, np.arctan2(-r(3, 1), c * r(1, 1) + s * r(2, 1)), psi]  # A(1′)
        phi = np.arctan2(2 * (q0 * q1 + q2 * q3), 1 - 2 * (q1**2 + q2**2))
        psi = np.arctan2(2 * (q0 * q3 + q1 * q2), 1 - 2 * (q2**2 + q3**2))
        from_q = [phi, np.arcsin(np.clip(2 * (q0 * q2 - q3 * q1), -1, 1)), psi]  # A(5)
    else:
        beta = np.arctan2(np.hypot(r(1, 3), r(2, 3)), r(3, 3))
        plain = [np.arctan2(r(1, 3), -r(2, 3)), beta, np.arctan2(r(3, 1), r(3, 2))]  # A(2)
        alpha = np.arctan2(r(1, 3), -r(2, 3))
        s, c = np.sin(alpha), np.cos(alpha)
        gamma = np.arctan2(-c * r(1, 2) - s * r(2, 2), c * r(1, 1) + s * r(2, 1))
        exact = [alpha, np.arctan2(s * r(1, 3) - c * r(2, 3), r(3, 3)), gamma]  # A(2′)
        u, v = np.arctan2(q3, q0), np.arctan2(q2, q1)
        wrap = lambda a: np.angle(np.exp(1j * a))
        from_q = [wrap(u + v), 2 * np.arctan2(np.hypot(q1, q2), np.hypot(q0, q3)), wrap(u - v)]  # A(6)
    return [np.stack(angles, axis=-1) for angles in (plain, exact, from_q)]


@pytest.mark.parametrize("name", ["rpy", "gyroscope"])
def test_the_printed_inverse_maps_give_the_same_angles(name):
    """Proves: A(1), A(1′), A(2), A(2′), A(5), A(6)

    Typed from the reference; all three away from the singularity, and at it the form that is exact there.
    """
    convention = AngleConvention(name)

    def maps(angles):
        q = convention.to_quaternion(Vec3.from_array(angles))
        return q, printed_inverse_maps(name, q.to_matrix().to_array(), q.to_array())

    away = sample(convention.letters, 20, margin=0.1)
    q, printed = maps(away)
    for found in (convention.from_quaternion(q), convention.from_matrix(q.to_matrix())):
        for expected in printed:  # the arc sine of A(5) loses a digit at 0.1 from the end of its range
            np.testing.assert_allclose(found.to_array(), expected, atol=2e-14)
    for end in middle_range(convention.letters):
        for gap in (0.0, 1e-16, 1e-12, 1e-8, 1e-4):
            near = sample(convention.letters, 21)
            near[:, 1] = end + (gap if end <= 0 else -gap)
            q, (_, exact, _) = maps(near)
            for angles in (Vec3.from_array(exact), convention.from_quaternion(q)):
                R = convention.to_matrix(angles).to_array()
                np.testing.assert_allclose(R, q.to_matrix().to_array(), atol=4e-15)


@pytest.mark.parametrize("letters", LETTERS)
def test_the_other_branch_is_the_same_rotation(letters):
    """Proves: A(3)"""
    convention, angles = AngleConvention(letters), Vec3.from_array(sample(letters, 8))
    other = convention.other_branch(angles)
    assert np.max(up_to_sign(convention.to_quaternion(other), convention.to_quaternion(angles))) < ROUNDING
    assert np.min(np.abs((other - angles).x)) > 3


@pytest.mark.parametrize("letters", ["ZYX", "xyz", "ZXZ", "xzx"])
@pytest.mark.parametrize("kind", KINDS)
def test_angles_on_every_kind_of_scalar(kind, letters):
    convention = AngleConvention(letters)
    rows = sample(letters, 9, 40, margin=0.05)
    rows[:2, 1] = middle_range(letters)

    def function(a, b, c):
        angles = Vec3(a, b, c)
        q = convention.to_quaternion(angles)
        again = convention.to_quaternion(convention.from_quaternion(q)).aligned_with(q)
        return [*q, *(again - q), *convention.body_rate_map(angles), convention.determinant(angles)]

    exact = on_mpmath(function, rows).astype(float)
    np.testing.assert_allclose(KINDS[kind](function, rows), exact, atol=ROUNDING)


def test_fifty_digits_hold_to_1e_45():
    convention = AngleConvention("ZYX")

    def function(a, b, c):
        q = convention.to_quaternion(Vec3(a, b, c))
        found = convention.from_quaternion(q)
        again = convention.to_quaternion(found).aligned_with(q) - q
        W = convention.body_rate_map(Vec3(a, b, c))
        unity = W @ convention.inverse_body_rate_map(Vec3(a, b, c)) - Mat3.identity()
        return [*again, *(Vec3(a, b, c) - found), *unity]

    # At 1.57 the map is inverted with a condition number of 2.5e3.
    rows = [
        ["0.3", "-1.2", "2.5"],
        ["-3.1", "1.5", "0.001"],
        ["1e-30", "1e-20", "1e-40"],
        ["2", "1.57", "-1"],
    ]
    with mpmath.workdps(PRECISE):
        assert max(abs(x) for x in on_mpmath(function, rows).ravel()) < mpmath.mpf(10) ** -45


# ---- formulas typed out --------------------------------------------------------------------------


def test_principal_rotations():
    """Proves: Y(9), Y(10), Y(11), Y(12), Y(13), Y(14), Y(15)"""
    angle = rng(10).uniform(-7, 7, 100)
    c, s = np.cos(angle), np.sin(angle)
    o, l = np.zeros(100), np.ones(100)  # noqa: E741 zero and one, as wide as the entries
    typed = {
        "x": [[l, o, o], [o, c, -s], [o, s, c]],
        "y": [[c, o, s], [o, l, o], [-s, o, c]],
        "z": [[c, -s, o], [s, c, o], [o, o, l]],
    }
    for name, unit in zip("xyz", np.eye(3), strict=True):
        R = rotations.principal_rotation(name, angle).to_array()
        np.testing.assert_allclose(R, np.moveaxis(np.array(typed[name]), -1, 0), atol=1e-16)
        np.testing.assert_allclose(R, rodrigues(np.broadcast_to(unit, (100, 3)), angle), atol=4e-16)
        omega = rotations.principal_orientation(name, angle).to_array()
        np.testing.assert_array_equal(omega, np.swapaxes(R, -1, -2))
        np.testing.assert_allclose(omega, np.linalg.inv(R), atol=4e-16)
    # Components of a fixed vector in the turned frame: its projections on the turned axes.
    R = rodrigues(unit_vectors(11, 100), angle)
    r = rng(12).normal(size=(100, 3))
    projections = np.einsum("nji,nj->ni", R, r)
    omega = rotations.orientation_matrix(Mat3.from_array(R))
    np.testing.assert_allclose((omega @ Vec3.from_array(r)).to_array(), projections, atol=4e-15)


def test_matrices_of_the_two_usual_triples():
    """Proves: Y(23), Y(31)"""
    a, b, g = rng(13).uniform(-3, 3, (3, 100))
    (Ca, Cb, Cg), (Sa, Sb, Sg) = np.cos([a, b, g]), np.sin([a, b, g])
    zxz = [
        [Ca * Cg - Sa * Cb * Sg, -Ca * Sg - Sa * Cb * Cg, Sa * Sb],
        [Sa * Cg + Ca * Cb * Sg, -Sa * Sg + Ca * Cb * Cg, -Ca * Sb],
        [Sb * Sg, Sb * Cg, Cb],
    ]
    found = AngleConvention("gyroscope").to_matrix(Vec3(a, b, g)).to_array()
    np.testing.assert_allclose(found, np.moveaxis(np.array(zxz), -1, 0), atol=1e-15)
    phi, theta, psi = a, b, g
    (Cf, Ct, Cp), (Sf, St, Sp) = np.cos([phi, theta, psi]), np.sin([phi, theta, psi])
    rpy = [
        [Cp * Ct, -Sp * Cf + Cp * St * Sf, Sp * Sf + Cp * St * Cf],
        [Sp * Ct, Cp * Cf + Sp * St * Sf, -Cp * Sf + Sp * St * Cf],
        [-St, Ct * Sf, Ct * Cf],
    ]
    for name, angles in (("rpy", Vec3(phi, theta, psi)), ("ypr", Vec3(psi, theta, phi))):
        found = AngleConvention(name).to_matrix(angles).to_array()
        np.testing.assert_allclose(found, np.moveaxis(np.array(rpy), -1, 0), atol=1e-15)


def half_angle_forms(f, t, p):
    (cf, ct, cp), (sf, st, sp) = np.cos([f / 2, t / 2, p / 2]), np.sin([f / 2, t / 2, p / 2])
    x_y_z = [cf * ct * cp - sf * st * sp, sf * ct * cp + cf * st * sp, cf * st * cp - sf * ct * sp]
    x_y_z += [cf * ct * sp + sf * st * cp]
    z_y_x = [cf * ct * cp + sf * st * sp, sf * ct * cp - cf * st * sp, cf * st * cp + sf * ct * sp]
    z_y_x += [cf * ct * sp - sf * st * cp]
    return np.array(x_y_z), np.array(z_y_x)


def test_quaternions_of_the_usual_triples():
    """Proves: A(5), A(6), G(C)"""
    f, t, p = rng(14).uniform(-3, 3, (3, 100))
    x_y_z, z_y_x = half_angle_forms(f, t, p)
    np.testing.assert_allclose(
        AngleConvention("XYZ").to_quaternion(Vec3(f, t, p)).to_array().T, x_y_z, atol=1e-15
    )
    np.testing.assert_allclose(
        AngleConvention("rpy").to_quaternion(Vec3(f, t, p)).to_array().T, z_y_x, atol=1e-15
    )
    zxz = [np.cos(t / 2) * np.cos((f + p) / 2), np.sin(t / 2) * np.cos((f - p) / 2)]
    zxz += [np.sin(t / 2) * np.sin((f - p) / 2), np.cos(t / 2) * np.sin((f + p) / 2)]
    np.testing.assert_allclose(
        AngleConvention("ZXZ").to_quaternion(Vec3(f, t, p)).to_array().T, zxz, atol=1e-15
    )
    # Intrinsic x-y-z is not the aerospace sequence; taking one for the other is off by a lot.
    assert np.max(np.abs(x_y_z - z_y_x)) > 0.5


def test_worked_numbers_of_the_angles():
    """The reference's section 9. Proves nothing new; digits as printed there."""
    angles = Vec3(0.3, -0.4, 1.1)
    x_y_z = [0.841666623622, 0.022184271873, -0.244021044053, 0.481205655433]
    z_y_x = [0.810630737834, 0.227536050148, -0.090916212758, 0.531826470777]
    np.testing.assert_allclose(AngleConvention("XYZ").to_quaternion(angles).to_array(), x_y_z, atol=5e-13)
    np.testing.assert_allclose(AngleConvention("rpy").to_quaternion(angles).to_array(), z_y_x, atol=5e-13)


def test_rate_maps_of_the_two_usual_triples():
    """Proves: Y(33), Y(34), Y(36), Y(37), A(8), A(9), A(7)"""
    a, b, g, da, db, dg = rng(15).uniform(0.2, 1.3, (6, 50))
    (Ca, Cb, Cg), (Sa, Sb, Sg) = np.cos([a, b, g]), np.sin([a, b, g])
    o, l = np.zeros(50), np.ones(50)  # noqa: E741 zero and one, as wide as the entries

    def same(found, typed):
        np.testing.assert_allclose(found.to_array(), np.moveaxis(np.array(typed), -1, 0), atol=2e-14)

    zxz, angles, rates = AngleConvention("ZXZ"), Vec3(a, b, g), Vec3(da, db, dg)
    same(zxz.space_rate_map(angles), [[o, Ca, Sa * Sb], [o, Sa, -Ca * Sb], [l, o, Cb]])
    same(zxz.body_rate_map(angles), [[Sb * Sg, Cg, o], [Sb * Cg, -Sg, o], [Cb, o, l]])
    same(
        zxz.inverse_body_rate_map(angles),
        [[Sg / Sb, Cg / Sb, o], [Cg, -Sg, o], [-Sg * Cb / Sb, -Cg * Cb / Sb, l]],
    )
    same(
        zxz.body_rate_map_derivative(angles, rates),
        [
            [db * Cb * Sg + dg * Sb * Cg, -dg * Sg, o],
            [db * Cb * Cg - dg * Sb * Sg, -dg * Cg, o],
            [-db * Sb, o, o],
        ],
    )
    np.testing.assert_allclose(zxz.determinant(angles), -Sb, atol=1e-16)

    (Cf, Ct, Cp), (Sf, St, Sp), (df, dt) = (Ca, Cb, Cg), (Sa, Sb, Sg), (da, db)
    Tt = St / Ct
    rpy = AngleConvention("rpy")
    same(rpy.space_rate_map(angles), [[Ct * Cp, -Sp, o], [Ct * Sp, Cp, o], [-St, o, l]])
    same(rpy.body_rate_map(angles), [[l, o, -St], [o, Cf, Sf * Ct], [o, -Sf, Cf * Ct]])
    same(rpy.inverse_body_rate_map(angles), [[l, Sf * Tt, Cf * Tt], [o, Cf, -Sf], [o, Sf / Ct, Cf / Ct]])
    same(
        rpy.body_rate_map_derivative(angles, rates),
        [
            [o, o, -dt * Ct],
            [o, -df * Sf, df * Cf * Ct - dt * Sf * St],
            [o, -df * Cf, -df * Sf * Ct - dt * Cf * St],
        ],
    )
    np.testing.assert_allclose(rpy.determinant(angles), Ct, atol=1e-16)


@pytest.mark.parametrize("letters", LETTERS)
def test_rates_are_the_derivatives_of_the_rotation(letters):
    """Proves: Y(32), Y(35), A(9)"""
    convention = AngleConvention(letters)
    angles, rates = sample(letters, 16, 200, margin=0.2), rng(17).normal(size=(200, 3))

    def at(t):
        return Vec3.from_array(angles + rates * t)

    now, speed, dt = at(0.0), Vec3.from_array(rates), 1e-3
    R = convention.to_matrix(now).to_array()
    dR = central_difference(lambda t: convention.to_matrix(at(t)).to_array(), 0.0, dt)
    spin = dR @ np.swapaxes(R, -1, -2)
    w_space = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)
    w_body = np.einsum("nji,nj->ni", R, w_space)
    # dt⁴ |ω|⁵/30 of truncation with rates up to 4.
    np.testing.assert_allclose((convention.space_rate_map(now) @ speed).to_array(), w_space, atol=1e-9)
    np.testing.assert_allclose((convention.body_rate_map(now) @ speed).to_array(), w_body, atol=1e-9)
    for name in ("space_rate_map", "body_rate_map", "inverse_space_rate_map", "inverse_body_rate_map"):
        slope = central_difference(lambda t, name=name: getattr(convention, name)(at(t)).to_array(), 0.0, dt)
        found = getattr(convention, f"{name}_derivative")(now, speed).to_array()
        np.testing.assert_allclose(found, slope, rtol=1e-8, atol=1e-7 if "inverse" in name else 1e-9)
    for frame in ("space", "body"):
        forth = getattr(convention, f"{frame}_rate_map")(now)
        back = getattr(convention, f"inverse_{frame}_rate_map")(now)
        np.testing.assert_allclose(
            (forth @ back).to_array(), np.broadcast_to(np.eye(3), (200, 3, 3)), atol=1e-14
        )


@pytest.mark.parametrize("letters", LETTERS)
def test_distance_to_the_singularity(letters):
    """Proves: A(7)"""
    convention = AngleConvention(letters)
    table = sample(letters, 18, 300, margin=1e-3)
    angles = Vec3.from_array(table)
    for rate_map in (convention.space_rate_map, convention.body_rate_map):
        matrix = rate_map(angles).to_array()
        np.testing.assert_allclose(np.linalg.det(matrix), convention.determinant(angles), atol=1e-15)
        # The smallest singular value is known to 1e-16 of the largest.
        np.testing.assert_allclose(np.linalg.cond(matrix), convention.condition_number(angles), rtol=1e-12)
    size = np.sin(table[:, 1]) if letters[0] == letters[2] else np.cos(table[:, 1])
    np.testing.assert_allclose(np.abs(convention.determinant(angles)), np.abs(size), rtol=1e-14)


def test_condition_numbers_of_the_reference():
    rpy = AngleConvention("rpy")
    for pitch, expected in ((1.40, 12), (1.55, 96), (1.57, 2.5e3)):
        assert rpy.condition_number(Vec3(0.0, pitch, 0.0)) == pytest.approx(expected, rel=0.05)


# ---- vehicle axes --------------------------------------------------------------------------------


def test_every_name_stands_in_the_conventions():
    page = (Path(__file__).resolve().parent.parent / "docs" / "conventions.md").read_text(encoding="utf-8")
    for name, letters in rotations.NAMED.items():
        assert f'| `"{name}"` | `{letters}` |' in page


def test_vehicle_axes_of_aircraft_and_robots():
    """A vehicle that heads north-east, level: 45° clockwise from north, 45° anticlockwise from east."""
    ned, enu = AngleConvention("ned"), AngleConvention("enu")
    q_ned = ned.to_quaternion(Vec3(0.0, 0.0, np.pi / 4))
    q_enu = enu.to_quaternion(Vec3(0.0, 0.0, np.pi / 4))
    assert rotations.attitude_in_enu(q_ned).is_same_rotation_as(q_enu, tolerance=1e-15)
    assert rotations.attitude_in_ned(q_enu).is_same_rotation_as(q_ned, tolerance=1e-15)
    # Nose up by 0.2: pitch +0.2 in north-east-down, −0.2 in east-north-up; heading north is yaw 0 and 90°.
    climbing = ned.to_quaternion(Vec3(0.0, 0.2, 0.0))
    assert climbing.rotate(Vec3(1.0, 0.0, 0.0)).z == pytest.approx(-np.sin(0.2))
    angles = enu.from_quaternion(rotations.attitude_in_enu(climbing))
    np.testing.assert_allclose(angles.to_array(), [0.0, -0.2, np.pi / 2], atol=1e-15)
    # The forward axis points one way on Earth in both: north, east, up components.
    forward = Vec3(1.0, 0.0, 0.0)
    n, e, d = q_ned.rotate(forward)
    east, north, up = q_enu.rotate(forward)
    np.testing.assert_allclose([n, e, -d], [north, east, up], atol=1e-15)
    # Right wing down by 0.3 is positive roll in both.
    rolled = rotations.attitude_in_enu(ned.to_quaternion(Vec3(0.3, 0.0, 0.7)))
    assert enu.from_quaternion(rolled).x == pytest.approx(0.3)


# ---- bad input -----------------------------------------------------------------------------------

BAD = [
    (lambda: AngleConvention("xyw"), "'xyw' is not three letters of x, y, z", "ZYX"),
    (lambda: AngleConvention("roll"), "'roll' is not three letters", "rpy"),
    (lambda: AngleConvention("Zyx"), "mixes capitals", "'ZYX'"),
    (lambda: AngleConvention("xxy"), "turns twice in a row about one axis", "neighbours different"),
    (lambda: AngleConvention(3), "the convention is 3, of type int; this needs a str", "pass a str"),
    (lambda: AngleConvention("xyz").to_quaternion(0.1), "angles is 0.1", "Vec3"),
    (lambda: AngleConvention("xyz").to_matrix((0, 0, 0)), r"angles is \(0, 0, 0\)", "Vec3"),
    (lambda: AngleConvention("xyz").from_quaternion(np.zeros(4)), "q is array", "Quaternion.from_array"),
    (lambda: AngleConvention("xyz").from_matrix(np.eye(3)), "R is array", "Mat3.from_array"),
    (
        lambda: AngleConvention("xyz").from_quaternion(Quaternion(0.0, 0.0, 0.0, 0.0)),
        "q is zero, so it is no rotation",
        "positive finite",
    ),
    (
        lambda: AngleConvention("ZYX").inverse_body_rate_map(Vec3(0.1, np.pi / 2, 0.2)),
        "'ZYX' stand at their singularity.*odd multiple of π/2",
        "quaternion",
    ),
    (
        lambda: AngleConvention("ZXZ").inverse_space_rate_map(Vec3(0.1, np.array([1.0, 0.0]), 0.2)),
        r"'ZXZ' at index \(1,\) stand at their singularity.*multiple of π",
        "quaternion",
    ),
    (lambda: rotations.principal_rotation("w", 0.1), "'w', not 'x', 'y' or 'z'", "coordinate axis"),
]


@pytest.mark.parametrize(("attempt", "says", "advises"), BAD)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*({advises})"):
        attempt()
