"""Solids: closed forms against sums over many points, quadrature, and moved and turned copies of themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from quatrain import (
    ArgumentError,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Pose,
    Quaternion,
    RigidBody,
    Sphere,
    Vec3,
)
from quatrain.solids import body_of

INSIDE = {
    Box(0.6, 1.0, 1.4): lambda x, y, z: (abs(x) <= 0.3) & (abs(y) <= 0.5) & (abs(z) <= 0.7),
    Sphere(0.8): lambda x, y, z: x**2 + y**2 + z**2 <= 0.64,
    Ellipsoid(0.5, 0.8, 1.1): lambda x, y, z: (x / 0.5) ** 2 + (y / 0.8) ** 2 + (z / 1.1) ** 2 <= 1,
    Cylinder(0.5, 1.6): lambda x, y, z: (x**2 + y**2 <= 0.25) & (abs(z) <= 0.8),
    Capsule(0.4, 1.0): lambda x, y, z: x**2 + y**2 + np.maximum(abs(z) - 0.5, 0) ** 2 <= 0.16,
    Cone(0.7, 1.2): lambda x, y, z: (z >= -0.3) & (z <= 0.9) & (np.hypot(x, y) <= 0.7 * (0.9 - z) / 1.2),
}


@pytest.mark.parametrize("solid", INSIDE, ids=lambda s: type(s).__name__)
def test_volume_centre_and_inertia_are_those_of_many_points(solid):
    """A million points of Sobol's sequence in a box around it: good to some parts in a thousand."""
    points = qmc.Sobol(3, scramble=False).random_base2(20) * 2.4 - 1.2
    r = points[INSIDE[solid](*points.T)]
    dm = 2.4**3 / len(points)
    inertia = dm * (np.eye(3) * (r**2).sum() - r.T @ r)
    body = body_of(solid, density=1.0)
    assert body.mass == pytest.approx(len(r) * dm, rel=2e-3)
    assert np.abs(dm * r.sum(axis=0)).max() < 2e-3 * body.mass
    assert np.abs(body.I_Bcm_B.to_array() - inertia).max() < 5e-3 * inertia.max()


def quadrature(solid):
    """Volume and moments of a solid of revolution by Gauss's rule over its height, exact for these profiles."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    pieces = {
        Sphere: lambda s: [(-s.radius, s.radius, lambda z: np.sqrt(s.radius**2 - z**2))],
        Cylinder: lambda s: [(-s.height / 2, s.height / 2, lambda z: s.radius + 0 * z)],
        Cone: lambda s: [(-s.height / 4, 3 * s.height / 4, lambda z: s.radius * (0.75 - z / s.height))],
        Capsule: lambda s: [
            (-s.height / 2, s.height / 2, lambda z: s.radius + 0 * z),
            (s.height / 2, s.height / 2 + s.radius, lambda z: np.sqrt(s.radius**2 - (z - s.height / 2) ** 2)),
            (
                -s.height / 2 - s.radius,
                -s.height / 2,
                lambda z: np.sqrt(s.radius**2 - (z + s.height / 2) ** 2),
            ),
        ],
    }
    total = np.zeros(4)
    for low, high, profile in pieces[type(solid)](solid):
        z = (low + high) / 2 + nodes * (high - low) / 2
        w, r2 = weights * (high - low) / 2 * np.pi, profile(z) ** 2
        total += [
            (w * r2).sum(),
            (w * r2 * z).sum(),
            (w * r2**2 / 2).sum(),
            (w * (r2**2 / 4 + r2 * z**2)).sum(),
        ]
    return total


@pytest.mark.parametrize(
    "solid", [Sphere(0.8), Cylinder(0.5, 1.6), Capsule(0.4, 1.0), Cone(0.7, 1.2)], ids=repr
)
def test_solids_of_revolution_agree_with_quadrature_to_rounding(solid):
    volume, first, axial, across = quadrature(solid)
    assert solid.volume == pytest.approx(volume, rel=1e-13)
    assert abs(first) < 1e-14
    moments = solid.gyration * solid.volume
    assert list(moments) == pytest.approx([across, across, axial], rel=1e-13)


def test_a_box_cut_in_unequal_turned_parts_is_the_box():
    whole = body_of(Box(1.0, 2.0, 3.0), density=5.0)
    quarter = Quaternion.from_axis_angle(Vec3(1.0, 0.0, 0.0), np.pi / 2)
    parts = body_of(
        [
            Box(1.0, 2.0, 1.0).at((0, 0, -1.0)),
            Box(1.0, 2.0, 2.0).at(Pose(quarter, Vec3(0.0, 0.0, 0.5))),
        ],
        density=5.0,
    )
    assert parts.mass == pytest.approx(whole.mass, rel=1e-15)
    assert parts.p_BBcm.norm() < 1e-15
    assert np.abs(parts.I_Bcm_B.to_array() - whole.I_Bcm_B.to_array()).max() < 1e-13


def test_a_hole_takes_away_what_a_part_would_add():
    tube = body_of([Cylinder(0.5, 1.0), Cylinder(0.4, 1.0).at(hole=True)], density=100.0)
    m = np.pi * (0.25 - 0.16) * 100
    assert tube.mass == pytest.approx(m, rel=1e-14)
    assert tube.I_Bcm_B.zz == pytest.approx(m * (0.25 + 0.16) / 2, rel=1e-14)
    assert tube.I_Bcm_B.xx == pytest.approx(m * (3 * (0.25 + 0.16) + 1) / 12, rel=1e-14)


def test_parts_of_their_own_density_and_the_mass_of_the_whole():
    dumbbell = body_of([Sphere(0.1).at((0, 0, 1), mass=2.0), Sphere(0.1).at((0, 0, -1), mass=1.0)])
    assert dumbbell.mass == 3.0
    assert dumbbell.p_BBcm.z == pytest.approx(1 / 3)
    # Two balls and the two-body formula m₁m₂/(m₁+m₂) d².
    assert dumbbell.I_Bcm_B.xx == pytest.approx(3 * 0.4 * 0.01 + 2 / 3 * 4, rel=1e-14)
    halved = body_of(
        [Box(1, 1, 1), (Box(1, 1, 1), Pose(Quaternion.identity(), Vec3(2.0, 0.0, 0.0)))], mass=8.0
    )
    assert halved.mass == 8.0
    assert halved.p_BBcm.x == 1.0


def test_a_rigid_body_from_a_solid():
    brick = RigidBody.from_solid(Box(0.1, 0.2, 0.3), mass=6.0)
    assert np.allclose(brick.inertia.to_array(), np.diag([0.065, 0.05, 0.025]), rtol=1e-15)
    assert RigidBody.from_solid(Sphere(1.0), density=3.0).mass == pytest.approx(4 * np.pi)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Box(1.0, -2.0, 3.0), "y of Box is -2.0"),
        (lambda: Sphere(float("nan")), "radius of Sphere is nan"),
        (lambda: body_of(Sphere(1.0)), "neither density nor mass"),
        (lambda: body_of(Sphere(1.0), density=1.0, mass=1.0), "both given"),
        (lambda: body_of(Sphere(1.0), density=-1.0), "density is -1.0"),
        (lambda: body_of([], mass=1.0), "a body of no solids"),
        (lambda: body_of(["ball"], mass=1.0), "a str is no solid"),
        (lambda: body_of([Sphere(1.0).at(mass=2.0)], mass=1.0), "of a part as well"),
        (lambda: body_of([Sphere(1.0).at(mass=2.0, density=1.0)]), "of a part were both"),
        (lambda: body_of([Sphere(1.0), Sphere(2.0).at(hole=True)], density=1.0), "holes leave a mass of"),
    ],
)
def test_impossible_solids_are_refused(make, text):
    with pytest.raises(ArgumentError, match=text) as caught:
        make()
    assert "To fix:" in str(caught.value)
