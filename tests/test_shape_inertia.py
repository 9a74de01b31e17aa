"""Inertias of shapes: solids exactly, meshes by signed volumes, beside other code; open and inverted meshes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import quatrain as qt
from quatrain.errors import ArgumentError
from quatrain.mesh_solids import solid_of_file, solid_of_triangles

trimesh = pytest.importorskip("trimesh")

CUBE = trimesh.creation.box(extents=(1.0, 2.0, 3.0))


def hull(seed):
    """A random convex body, its faces outwards."""
    points = np.random.default_rng(seed).normal(size=(30, 3)) + 5.0
    found = ConvexHull(points)
    faces = found.simplices.copy()
    for face, outwards in zip(faces, found.equations[:, :3], strict=True):
        a, b, c = points[face]
        if np.cross(b - a, c - a) @ outwards < 0:
            face[[1, 2]] = face[[2, 1]]
    return points, faces


def test_a_block_of_triangles_is_the_block():
    found = solid_of_triangles(CUBE.vertices + np.array([1, 2, 3]), CUBE.faces)
    assert found.findings == ()
    assert found.body.mass == pytest.approx(6, rel=1e-14)
    np.testing.assert_allclose(list(found.body.p_BBcm), (1, 2, 3), rtol=1e-14)
    gyration = qt.Box(1.0, 2.0, 3.0).gyration
    np.testing.assert_allclose(list(found.body.I_Bcm_B)[:3], [6 * x for x in gyration], rtol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_a_random_body_is_that_of_other_code(seed):
    points, faces = hull(seed)
    found, theirs = solid_of_triangles(points, faces), trimesh.Trimesh(points, faces).mass_properties
    assert found.body.mass == pytest.approx(theirs["mass"], rel=1e-12)
    assert found.body.mass == pytest.approx(ConvexHull(points).volume, rel=1e-12)
    np.testing.assert_allclose(list(found.body.p_BBcm), theirs["center_mass"], rtol=1e-12)
    np.testing.assert_allclose(found.body.I_Bcm_B.to_array(), theirs["inertia"], rtol=1e-9, atol=1e-9)
    assert found.findings == ()


def test_the_inertia_is_that_of_points_within():
    points, faces = hull(7)
    found, rng = solid_of_triangles(points, faces).body, np.random.default_rng(0)
    inside = rng.uniform(points.min(axis=0), points.max(axis=0), size=(200_000, 3))
    planes = ConvexHull(points).equations
    r = inside[(inside @ planes[:, :3].T + planes[:, 3] <= 0).all(axis=1)] - np.array([*found.p_BBcm])
    inertia = found.mass * (np.mean((r**2).sum(axis=1)) * np.eye(3) - r.T @ r / len(r))
    np.testing.assert_allclose(found.I_Bcm_B.to_array(), inertia, atol=0.02 * np.trace(inertia))  # 1/√n


def test_what_is_wrong_with_a_mesh_is_told():
    inwards = solid_of_triangles(CUBE.vertices, CUBE.faces[:, ::-1])
    assert inwards.findings == ("its faces look inwards: they are turned over",)
    assert inwards.body.mass == pytest.approx(6)
    gap = solid_of_triangles(CUBE.vertices, CUBE.faces[1:])
    assert gap.findings == ("it is open: 3 of its 18 edges have a face on one side alone",)
    twisted = CUBE.faces.copy()
    twisted[0] = twisted[0][::-1]
    assert solid_of_triangles(CUBE.vertices, twisted).findings == (
        "faces beside one another look to different sides at 3 edges",
    )
    with pytest.raises(ArgumentError, match="the mesh encloses 0 m³"):
        solid_of_triangles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    with pytest.raises(ArgumentError, match=r"vertices have the shape \(3,\)"):
        solid_of_triangles([0, 1, 2], [(0, 1, 2)])


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply"])
def test_files_and_scales(suffix, tmp_path):
    file = tmp_path / f"cube.{suffix}"
    CUBE.export(file)
    found = solid_of_file(file, (2.0, 1.0, -1.0))  # mirrored
    assert found.findings == ()
    assert found.body.mass == pytest.approx(12, rel=1e-6)
    (tmp_path / "bad.stl").write_text("nothing")
    with pytest.raises(ArgumentError, match=r"mesh bad.stl cannot be read: it holds no triangles"):
        solid_of_file(tmp_path / "bad.stl")


ROBOT = """<robot name="r"><link name="base"/><link name="a"><inertial><mass value="2"/></inertial>
  <collision><origin xyz="0 0 1" rpy="0.3 0.2 0.1"/><geometry><mesh filename="cube.stl"
    scale="0.1 0.1 0.1"/></geometry></collision>
  <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
  <visual><geometry><box size="9 9 9"/></geometry></visual></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>"""


def test_bodies_have_the_inertia_of_their_shapes(tmp_path):
    CUBE.export(tmp_path / "cube.stl")
    (tmp_path / "r.urdf").write_text(ROBOT)
    model = qt.load(tmp_path / "r.urdf", inertia="warn").model
    found = qt.inertias_from_shapes(model, keep_masses=False, density=500.0)
    rotation = qt.AngleConvention("rpy").to_quaternion(qt.Vec3(0.3, 0.2, 0.1))
    tube = qt.Cylinder(0.1, 0.5).at()
    block = qt.Box(0.1, 0.2, 0.3).at(qt.Pose(rotation, qt.Vec3(0.0, 0.0, 1.0)))
    whole = qt.RigidBody.from_solid([tube, block], density=500.0)
    body = found.model.bodies[0]
    assert body.mass == pytest.approx(whole.mass, rel=1e-6)  # STL has single precision
    np.testing.assert_allclose(list(body.p_BBcm), list(whole.com), rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(list(body.I_Bcm_B), list(whole.inertia), rtol=1e-5, atol=1e-7)
    kept = qt.inertias_from_shapes(model).model.bodies[0]
    assert kept.mass == 2
    np.testing.assert_allclose(list(kept.I_Bcm_B), [x * 2 / body.mass for x in body.I_Bcm_B], rtol=1e-12)
    assert found.findings == ()


def test_a_mesh_that_is_not_there_is_told(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    model = qt.load(tmp_path / "r.urdf", inertia="warn").model
    found = qt.inertias_from_shapes(model)
    assert found.findings == ("body 'a' without its mesh 'cube.stl': it is not there",)
    with pytest.raises(ArgumentError, match="r has no body 'b'"):
        qt.inertias_from_shapes(model, bodies=["b"])
