"""What is drawn of a model: shapes against their solids, meshes against Pinocchio's own reading of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import quatrain as qt
from quatrain.formats.files import NotFound, locate
from quatrain.solids import Ellipsoid, body_of
from quatrain.viewer.mesh import Mesh
from quatrain.viewer.scene import poses_of, scene_of
from quatrain.viewer.tessellation import mesh_of_shape

URDF = """
<robot name="one"><link name="base">
  <inertial><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001"/></inertial>{shapes}
</link></robot>
"""
CUBE_STL = """solid cube
{facets}
endsolid
"""


def volume(mesh):
    """Signed: above zero where triangles run counter-clockwise as seen from outside."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def write_box(path, size=(1.0, 1.0, 1.0)):
    """A box as STL, by hand."""
    mesh = mesh_of_shape("box", size)
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*mesh.vertices[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in mesh.faces
    )
    path.write_text(CUBE_STL.format(facets=facets), encoding="ascii")


def visual(geometry, origin="", color=""):
    return f"<visual>{origin}<geometry>{geometry}</geometry>{color}</visual>"


def loaded(folder, shapes, **options):
    path = folder / "one.urdf"
    path.write_text(URDF.format(shapes=shapes), encoding="utf-8")
    return qt.load(path, base="floating", **options).model


SOLIDS = [
    ("box", qt.Box(1.0, 2.0, 3.0), 1e-6),
    ("sphere", qt.Sphere(0.5), 0.03),
    ("ellipsoid", qt.Ellipsoid(0.1, 0.2, 0.3), 0.03),
    ("cylinder", qt.Cylinder(0.3, 1.0), 0.01),
    ("capsule", qt.Capsule(0.3, 1.0), 0.02),
    ("cone", qt.Cone(0.3, 1.0), 0.01),
]


@pytest.mark.parametrize(
    ("kind", "solid", "tolerance"), SOLIDS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_triangles_of_a_solid_enclose_its_volume_about_its_centre_and_face_outwards(kind, solid, tolerance):
    """The tolerance is what 32 chords lack of a circle."""
    mesh = mesh_of_shape(kind, tuple(getattr(solid, name) for name in solid.__dataclass_fields__))
    assert volume(mesh) == pytest.approx(solid.volume, rel=tolerance)
    a, b, c = (mesh.vertices[mesh.faces[:, k]].astype(float) for k in range(3))
    weights = np.einsum("ij,ij->i", a, np.cross(b, c))[:, None]
    centre = ((a + b + c) / 4 * weights).sum(axis=0) / weights.sum()
    np.testing.assert_allclose(centre, 0, atol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-6)
    flat = np.cross(b - a, c - a)
    for k in range(3):
        assert np.all(np.einsum("ij,ij->i", flat, mesh.normals[mesh.faces[:, k]]) > 0)


def test_a_tube_is_a_cylinder_with_a_hole():
    tube = volume(mesh_of_shape("tube", (0.3, 0.2, 1.0)))
    whole, hole = (volume(mesh_of_shape("cylinder", (r, 1.0))) for r in (0.3, 0.2))
    assert tube == pytest.approx(whole - hole, rel=1e-6)


def test_edges_of_a_box_are_sharp_and_a_sphere_is_smooth():
    assert len(mesh_of_shape("box", (1, 1, 1)).vertices) == 24
    sphere = mesh_of_shape("sphere", (2.0,))
    np.testing.assert_allclose(sphere.normals, sphere.vertices / 2, atol=0.06)
    assert len(sphere.vertices) < 1200


def test_a_mesh_of_nothing_is_empty():
    mesh = Mesh.of(np.zeros((0, 3)), np.zeros((0, 3)))
    assert len(mesh.faces) == 0
    assert np.all(mesh.bounds[0] == 0)


def test_poses_are_those_of_the_compiled_kernels():
    robot = qt.examples.load("humanoid")
    q = robot.random_configuration(np.random.default_rng(0), 5)
    for mine, theirs in zip(poses_of(robot.model, q), robot.poses(q), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-13)
    with pytest.raises(qt.ArgumentError, match=r"q has shape \(3,\); humanoid needs \(\.\.\., 37\)"):
        poses_of(robot.model, np.zeros(3))


def test_a_body_without_a_shape_is_seen_as_the_ellipsoid_of_its_inertia(tmp_path):
    model = loaded(tmp_path, "")
    (part,) = scene_of(model).of("visual")
    body = model.bodies[0]
    axes = part.mesh.bounds[1].astype(float)
    solid = body_of(Ellipsoid(*map(float, axes)), mass=body.mass)
    again = solid.I_Bcm_B.rotated(part.X_BG.q.to_matrix())
    np.testing.assert_allclose([*again], [*body.I_Bcm_B], atol=1e-8)


def test_point_masses_on_rods_are_seen():
    roles = [part.name for part in scene_of(qt.examples.model("double_pendulum")).of("visual")]
    assert roles == ["rod of upper", "rod of upper", "mass of upper", "rod of lower", "mass of lower"]


def test_every_example_is_drawn_within_its_bounds():
    for name in (*qt.examples.names()[:-1], "snake(3)"):
        model = qt.examples.model(name)
        scene = scene_of(model)
        bodies = {part.body for part in scene.of("visual")}
        assert bodies >= {k for k, body in enumerate(model.bodies) if body.mass > 0}, name
        assert scene.notes == ()
        low, high = scene.bounds(qt.Robot(model).neutral())
        assert np.all(high >= low)


def test_the_rings_of_the_gyroscope_have_their_holes():
    shapes = qt.examples.model("gyroscope").shapes
    assert [shape.kind for shape in shapes] == ["tube", "tube", "cylinder"]
    assert shapes[0].size == (0.12, 0.11, 0.01)


# ---- meshes ----------------------------------------------------------------------------------------------


def test_a_mesh_that_is_missing_is_its_frame_with_a_note(tmp_path):
    origin = '<origin xyz="1 2 3"/>'
    model = loaded(tmp_path, visual('<mesh filename="package://one/nothing.stl"/>', origin))
    scene = scene_of(model)
    assert scene.notes == ("mesh 'package://one/nothing.stl': it is not there; its frame is drawn",)
    ((body, X_BF),) = scene.marked
    assert (body, [*X_BF.p]) == (0, [1, 2, 3])
    assert scene.of("visual") == ()


def test_a_mesh_that_is_damaged_is_its_frame_with_a_note(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "bad.stl").write_bytes(b"\x00" * 90)
    (note,) = scene_of(loaded(tmp_path, visual('<mesh filename="bad.stl"/>'))).notes
    assert note.startswith("mesh 'bad.stl': it ")
    assert note.endswith("its frame is drawn")


def test_a_mesh_in_millimetres_is_scaled(tmp_path):
    pytest.importorskip("trimesh")
    write_box(tmp_path / "box.stl", (100.0, 200.0, 300.0))
    mesh = '<mesh filename="box.stl" scale="0.001 0.001 0.001"/>'
    (part,) = scene_of(loaded(tmp_path, visual(mesh))).of("visual")
    np.testing.assert_allclose(part.mesh.bounds[1], [0.05, 0.1, 0.15], atol=1e-7)


def test_a_mirrored_mesh_still_faces_outwards(tmp_path):
    pytest.importorskip("trimesh")
    write_box(tmp_path / "box.stl", (1.0, 2.0, 3.0))
    mesh = '<mesh filename="box.stl" scale="1 -1 1"/>'
    (part,) = scene_of(loaded(tmp_path, visual(mesh))).of("visual")
    assert volume(part.mesh) == pytest.approx(6.0)


def test_an_stl_takes_the_colour_of_its_file(tmp_path):
    pytest.importorskip("trimesh")
    write_box(tmp_path / "box.stl")
    color = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
    (part,) = scene_of(loaded(tmp_path, visual('<mesh filename="box.stl"/>', "", color))).of("visual")
    assert part.color == (1.0, 0.0, 0.0, 0.5)


COLLADA = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="common"><lambert><diffuse>
<color>0 1 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 100 0 0 0 100 0</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 50</translate>
<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#m"/>
</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


def test_collada_brings_its_unit_its_places_and_its_colours(tmp_path):
    """A triangle with sides of 100 cm, 50 cm along z; the file's colour goes before that of the URDF."""
    pytest.importorskip("collada")
    (tmp_path / "t.dae").write_text(COLLADA, encoding="utf-8")
    color = '<material name="red"><color rgba="1 0 0 1"/></material>'
    (part,) = scene_of(loaded(tmp_path, visual('<mesh filename="t.dae"/>', "", color))).of("visual")
    np.testing.assert_allclose(part.mesh.bounds, [[0, 0, 0.5], [1, 1, 0.5]], atol=1e-7)
    assert part.color == (0.0, 1.0, 0.0, 1.0)


def test_a_broken_material_does_not_take_its_shape_along(tmp_path):
    pytest.importorskip("collada")
    (tmp_path / "t.dae").write_text(COLLADA.replace('url="#e"', 'url="#lost"'), encoding="utf-8")
    color = '<material name="red"><color rgba="1 0 0 1"/></material>'
    scene = scene_of(loaded(tmp_path, visual('<mesh filename="t.dae"/>', "", color)))
    (part,) = scene.of("visual")
    np.testing.assert_allclose(part.mesh.bounds, [[0, 0, 0.5], [1, 1, 0.5]], atol=1e-7)
    assert part.color == (1.0, 0.0, 0.0, 1.0)


def test_a_mesh_of_mjcf_lies_in_its_folder_of_meshes(tmp_path):
    pytest.importorskip("mujoco")
    pytest.importorskip("trimesh")
    (tmp_path / "assets").mkdir()
    write_box(tmp_path / "assets" / "box.stl", (0.1, 0.2, 0.3))
    path = tmp_path / "one.xml"
    path.write_text(
        '<mujoco><compiler meshdir="assets"/><asset><mesh name="b" file="box.stl" scale="2 2 2"/></asset>'
        '<worldbody><body><freejoint/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
        '<geom type="mesh" mesh="b" pos="1 0 0" rgba="0 0 1 1"/></body></worldbody></mujoco>',
        encoding="utf-8",
    )
    (part,) = scene_of(qt.load(path).model).of("visual")
    np.testing.assert_allclose(part.mesh.bounds[1], [0.1, 0.2, 0.3], atol=1e-6)
    np.testing.assert_allclose([*part.X_BG.p], [1, 0, 0], atol=1e-12)
    assert part.color == (0.0, 0.0, 1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "panda_description/urdf/panda.urdf",
        "go2_description/urdf/go2.urdf",
        "ur_description/urdf/ur5_robot.urdf",
    ],
)
def test_meshes_of_real_robots_lie_where_pinocchio_has_them_and_are_as_large(file):
    """Places to rounding; boxes around the meshes, which single precision keeps to 1e-7 of their size."""
    pin = pytest.importorskip("pinocchio")
    pytest.importorskip("collada")
    share = Path(pin.__file__).parents[4] / "share"
    path = share / "example-robot-data" / "robots" / file
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    theirs = pin.buildModelFromUrdf(str(path))
    with pytest.warns(UserWarning, match="package dir"):
        geometry = pin.buildGeomFromUrdf(theirs, str(path), pin.GeometryType.VISUAL, [str(share)])
    data = geometry.createData()
    pin.updateGeometryPlacements(theirs, theirs.createData(), geometry, data, pin.neutral(theirs))
    robot = qt.load(path, mimic="independent")
    scene = scene_of(robot.model)
    assert scene.notes == ()
    positions, quaternions = poses_of(robot.model, robot.neutral())
    assert len(geometry.geometryObjects) == sum(s.role != "collision" for s in robot.model.shapes)
    for seen, oM in zip(geometry.geometryObjects, data.oMg, strict=True):
        nearest = 1.0
        for part in scene.of("visual"):
            X_WB = qt.Pose.identity()
            if part.body >= 0:
                X_WB = qt.Pose(qt.Quaternion(*quaternions[part.body]), qt.Vec3(*positions[part.body]))
            X_WG = X_WB @ part.X_BG
            away = np.abs(np.array(X_WG.to_matrix().rows, float) - oM.homogeneous).max()
            if away < 1e-9:
                own = [
                    p.mesh.bounds for p in scene.of("visual") if (p.body, p.X_BG) == (part.body, part.X_BG)
                ]
                low, high = np.min([b[0] for b in own], axis=0), np.max([b[1] for b in own], axis=0)
                seen.geometry.computeLocalAABB()
                box = seen.geometry.aabb_local
                nearest = min(nearest, np.abs(low - box.min_).max(), np.abs(high - box.max_).max())
        assert nearest < 1e-6, seen.name


# ---- where files lie -------------------------------------------------------------------------------------


def test_files_are_found_in_the_model_its_package_and_declared_ones(tmp_path, monkeypatch):
    for place in ("robot/urdf", "robot/meshes", "other/meshes", "elsewhere/share/far"):
        (tmp_path / place).mkdir(parents=True)
    for place in (
        "robot/urdf/a.stl",
        "robot/meshes/b.stl",
        "other/meshes/c.stl",
        "elsewhere/share/far/d.stl",
    ):
        (tmp_path / place).touch()
    folders = [str(tmp_path / "robot" / "urdf")]
    for name in ("a.stl", "./a.stl", (tmp_path / "robot/urdf/a.stl").as_uri()):
        assert locate(name, folders).name == "a.stl"
    for name in (
        "package://robot/meshes/b.stl",
        "package:///robot/meshes/b.stl",
        "model://robot/meshes/b.stl",
    ):
        assert locate(name, folders).name == "b.stl"
    assert locate("package://renamed/meshes/b.stl", folders).name == "b.stl"
    assert locate("../meshes/b.stl", folders).name == "b.stl"
    assert locate("package://other/meshes/c.stl", [*folders, tmp_path]).name == "c.stl"
    for name in (
        "../../other/meshes/c.stl",
        str(tmp_path / "other/meshes/c.stl"),
        "package://robot/../other/meshes/c.stl",
    ):
        with pytest.raises(NotFound, match="it lies outside the folders of the model"):
            locate(name, folders)
    with pytest.raises(NotFound, match="it is not there"):
        locate("package://far/d.stl", folders)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "elsewhere"))
    assert locate("package://far/d.stl", folders).name == "d.stl"
    with pytest.raises(NotFound, match="the model knows no folder"):
        locate("a.stl", [])


def test_a_model_knows_its_folders_through_edits(tmp_path):
    model = loaded(tmp_path, "", roots=[tmp_path / "more"])
    assert model.folders == (str(tmp_path), str(tmp_path / "more"))
    joined = qt.edit.attach(qt.examples.model("pendulum"), model, to="tip", prefix="one_")
    assert joined.folders == model.folders
