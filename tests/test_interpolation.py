"""Between rotations: constant rate, smooth joints, and means against an eigenvector."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from quatrain import ArgumentError, Quaternion, Vec3, slerp, squad, squad_control_point, weighted_mean
from tests.kinds import KINDS, PRECISE, on_mpmath
from tests.samples import DELICATE_ANGLES, rng, rotations, unit_vectors


def test_slerp_agrees_with_scipy():
    a, b = rotations(1, 200), rotations(2, 200)
    for t in (0.0, 0.25, 0.7, 1.0):
        found = slerp(a, b, t)
        for i in range(0, 200, 20):
            pair = Rotation.from_quat([a.to_array()[i], b.to_array()[i]], scalar_first=True)
            expected = Slerp([0, 1], pair)(t).as_quat(scalar_first=True)
            mine = found.to_array()[i]
            assert min(np.max(np.abs(mine - expected)), np.max(np.abs(mine + expected))) < 4e-15


def test_slerp_turns_at_constant_rate_over_any_distance():
    n = len(DELICATE_ANGLES)
    a = rotations(3, n)
    b = a.integrate(Vec3.from_array(unit_vectors(4, n) * DELICATE_ANGLES[:, None]))
    for t in (0.1, 0.5, 0.9):
        np.testing.assert_allclose(a.geodesic_distance(slerp(a, b, t)), t * DELICATE_ANGLES, atol=1e-15)
        np.testing.assert_allclose(b.geodesic_distance(slerp(a, b, t)), (1 - t) * DELICATE_ANGLES, atol=1e-15)


def test_slerp_takes_the_shorter_way_unless_told():
    a, b = rotations(5, 100), rotations(6, 100)
    short, other = slerp(a, b, 0.5), slerp(a, -b.aligned_with(a), 0.5, shortest=False)
    assert np.all(a.geodesic_distance(short) <= np.pi / 2)
    np.testing.assert_allclose(short.geodesic_distance(other), np.pi, atol=1e-7)
    np.testing.assert_allclose(slerp(a, b, 1.0, shortest=False).to_array(), b.to_array(), atol=4e-15)


def test_squad_passes_its_points_with_one_rate_from_both_sides():
    q = [Quaternion.from_rotation_vector(Vec3(*turn)) for turn in rng(7).normal(size=(5, 3)) * 0.5]
    for i in range(1, 5):
        q[i] = q[i].aligned_with(q[i - 1])
    s = [squad_control_point(q[i - 1], q[i], q[i + 1]) for i in range(1, 4)]
    left = lambda t: squad(q[1], q[2], s[0], s[1], t)
    right = lambda t: squad(q[2], q[3], s[1], s[2], t)
    np.testing.assert_allclose(left(0.0).to_array(), q[1].to_array(), atol=1e-15)
    np.testing.assert_allclose(left(1.0).to_array(), q[2].to_array(), atol=4e-15)
    h = 1e-4  # one-sided second order: error of order h²
    rate = lambda f, t, h: ((f(t + h) * 4 - f(t + 2 * h) - f(t) * 3) / (2 * h)).to_array()
    np.testing.assert_allclose(-rate(lambda t: left(1 - t), 0.0, h), rate(right, 0.0, h), atol=1e-6)


def test_the_mean_is_the_leading_eigenvector():
    for seed in range(20):
        spread = rng(seed).normal(size=(9, 3)) * 0.6
        q = [rotations(seed, 1).integrate(Vec3(*turn)) for turn in spread]
        q = [
            Quaternion(*(float(np.ravel(c)[0]) for c in part)) * sign
            for part, sign in zip(q, [1, -1] * 5, strict=False)
        ]
        weights = rng(seed + 100).uniform(0.1, 2, 9)
        K = sum(w * np.outer(p.to_array(), p.to_array()) for p, w in zip(q, weights, strict=True))
        leading = np.linalg.eigh(K)[1][:, -1]
        mean = weighted_mean(q, list(weights)).to_array()
        assert min(np.max(np.abs(mean - leading)), np.max(np.abs(mean + leading))) < 1e-14


def test_the_mean_of_one_is_itself_and_of_two_is_halfway():
    a, b = rotations(8, 50), rotations(9, 50)
    assert np.all(weighted_mean([a]).is_same_rotation_as(a, tolerance=4e-15))
    near = a.integrate(Vec3(0.2, -0.1, 0.5))
    assert np.all(weighted_mean([a, -near]).is_same_rotation_as(slerp(a, near, 0.5), tolerance=4e-15))
    assert np.all(weighted_mean([a, b], [1.0, 0.0]).is_same_rotation_as(a, tolerance=4e-15))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scalar_interpolates_alike(kind):
    rows = np.concatenate(
        [unit_vectors(10, 20), unit_vectors(11, 20) * 0.7, rng(12).uniform(0, 1, (20, 1))], axis=-1
    )

    def function(a, b, c, d, e, f, t):
        p, q = (Quaternion.from_rotation_vector(Vec3(*turn)) for turn in ((a, b, c), (d, e, f)))
        return [*slerp(p, q, t), *squad(p, q, p, q, t), *weighted_mean([p, q], [1 - t, t])]

    exact = on_mpmath(function, rows).astype(float)
    np.testing.assert_allclose(KINDS[kind](function, rows), exact, atol=1e-14)


def test_fifty_digits_hold_to_1e_45():
    def function(x, y, z, t):
        turn = Vec3(x, y, z)
        p = Quaternion.from_rotation_vector(turn)
        q = p.integrate(turn * 2)
        return [*(slerp(p, q, t) - p.integrate(turn * (2 * t))), *(weighted_mean([p, q]) - p.integrate(turn))]

    rows = [["0.1", "-0.3", "0.2", "0.25"], ["1e-8", "2e-9", "-1e-8", "0.7"]]
    with mpmath.workdps(PRECISE):
        assert max(abs(x) for x in on_mpmath(function, rows).ravel()) < mpmath.mpf(10) ** -45


IDENTITY, HALF_TURN = Quaternion.identity(), Quaternion(0.0, 1.0, 0.0, 0.0)
BAD = [
    (lambda: weighted_mean([]), "no rotations", "at least one"),
    (lambda: weighted_mean([IDENTITY], [1.0, 2.0]), "1 rotations and 2 weights", "one weight for each"),
    (lambda: weighted_mean([IDENTITY, HALF_TURN]), "not determined", "different weights"),
    (lambda: weighted_mean([IDENTITY, HALF_TURN], [0.0, 0.0]), "all weights are zero", "positive weight"),
    (lambda: weighted_mean([IDENTITY, HALF_TURN], [1.0, -1.0]), r"weights\[1\] is negative", "zero or more"),
    (lambda: weighted_mean([IDENTITY, 1.0]), r"rotations\[1\] is 1.0", "Quaternion"),
    (lambda: weighted_mean(IDENTITY), "rotations is one Quaternion", "a list of them"),
    (lambda: weighted_mean([IDENTITY], 2.0), "weights is 2.0, not a list", "for each rotation"),
    (
        lambda: weighted_mean([IDENTITY, Quaternion(0.0, 0.0, 0.0, 0.0)]),
        r"rotations\[1\] is zero",
        "positive",
    ),
    (
        lambda: slerp(IDENTITY, Quaternion(0.0, 0.0, 0.0, 0.0), 0.5),
        "b is zero, so it is no rotation",
        "positive",
    ),
    (lambda: slerp(IDENTITY, [1, 0, 0, 0], 0.5), r"b is \[1, 0, 0, 0\]", "Quaternion"),
]


@pytest.mark.parametrize(("attempt", "says", "advises"), BAD)
def test_bad_input_is_answered_with_what_and_what_to_do(attempt, says, advises):
    with pytest.raises(ArgumentError, match=rf"(?s){says}.*To fix: .*({advises})"):
        attempt()
