"""SDF that we write: read again it is the same machine, joints of every kind among it, and what it lacks is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quatrain as qt
from quatrain import Limits, Shape, Vec3, examples, formats
from quatrain.formats import FormatError
from quatrain.loading import load_model
from quatrain.model import WORLD
from tests.formats.furnished import furnished
from tests.formats.round_trips import moves_alike, plain, written_and_read
from tests.formats.test_urdf_corpus import HOME, READ
from tests.truth.random_trees import KINDS, random_tree

pytest.importorskip("pinocchio")  # whose package of robots it is


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_come_back(seed):
    """Of joints of every kind, one of which follows another."""
    tree = random_tree(seed, count=12)
    assert {body.joint.kind for body in tree.bodies} == {*KINDS}
    model = plain(furnished(tree, seed))
    back, _ = written_and_read(model, "sdf", merge_fixed=True)
    moves_alike(model, back)
    followers = [[b.joint.mimic for b in one.bodies if b.joint.mimic] for one in (model, back)]
    assert followers[0] == followers[1]
    assert len(followers[0]) == 1


def known_there(limits):
    """1e16 means no bound in SDF, and there is no more than a velocity and an effort."""
    lower, upper = (x if x is not None and abs(x) < 1e16 else None for x in (limits.lower, limits.upper))
    return Limits(lower, upper, limits.velocity, limits.effort)


@pytest.mark.parametrize("file", [file for file in READ if "alex_psyonic" not in file])
def test_robots_come_back(file):
    model, _ = load_model(HOME / file, inertia="warn", merge_fixed=False)
    back, written = written_and_read(model, "sdf")
    ground = [name for name in back.body_names if name not in {*model.body_names}]
    assert ground in ([], ["ground"])
    moves_alike(model, back)
    if not ground:
        assert back.body_names == model.body_names
    limits = {b.joint.name: b.joint.limits or (Limits(),) for b in model.bodies if b.joint.kind == "revolute"}
    for joint in (body.joint for body in back.bodies if body.joint.name in limits):
        assert (joint.limits or (Limits(),)) == tuple(map(known_there, limits[joint.name]))
    assert {one.severity for one in written.findings} <= {"info", "warning"}


def test_damping_springs_and_limits_come_back():
    model = furnished(random_tree(4, count=10, kinds=("revolute", "prismatic", "universal", "helical")), 4)
    back, _ = written_and_read(model, "sdf")
    for ours, theirs in zip(model.bodies, back.bodies, strict=True):
        for name in ("damping", "friction", "stiffness"):
            assert getattr(theirs.joint, name) == getattr(ours.joint, name)
        expected = tuple(
            replace(one, acceleration=None, deceleration=None, jerk=None) for one in ours.joint.limits
        )
        assert theirs.joint.limits == expected
        assert (theirs.mass, theirs.p_BBcm, theirs.I_Bcm_B) == (ours.mass, ours.p_BBcm, ours.I_Bcm_B)


def test_joints_that_have_the_names_of_links_come_back():
    """In SDF links, joints and frames share their names: where a link stands is then said by another link."""
    tree = plain(random_tree(3, count=8, kinds=("revolute", "ball", "prismatic")))
    same = [replace(body, joint=replace(body.joint, name=body.name)) for body in tree.bodies]
    model = replace(tree, bodies=tuple(same))
    moves_alike(model, written_and_read(model, "sdf")[0])


def test_what_floats_stands_where_its_state_says():
    box = examples.model("tumbling_box")
    half = 0.5**0.5
    key = qt.Keyframe("start", (1.0, 2.0, 3.0, half, 0.0, half, 0.0), (0.0,) * 6)
    back, written = written_and_read(replace(box, keyframes=(key,)), "sdf")
    assert "states" not in " ".join(one.what for one in written.findings)
    (found,) = back.keyframes
    np.testing.assert_allclose(found.q, key.q, atol=1e-15)


def test_gravity_and_frames_on_the_ground_make_a_world():
    model = examples.model("pendulum")
    assert "<world" not in formats.write(model, "sdf").text
    moon = replace(model, gravity=Vec3(0.0, 0.0, -1.62))
    assert written_and_read(moon, "sdf")[0].gravity == moon.gravity
    marked = replace(model, frames=(*model.frames, qt.Frame("mark", WORLD, qt.Pose.identity())))
    back = written_and_read(marked, "sdf")[0]
    assert (back.frame("mark").body, back.name) == (WORLD, "pendulum")


@pytest.mark.parametrize(
    "kind", ["box", "sphere", "ellipsoid", "cylinder", "capsule", "cone", "plane", "mesh"]
)
def test_shapes_come_back(kind):
    sizes = {"sphere": 1, "cylinder": 2, "capsule": 2, "cone": 2, "plane": 2}
    size = (0.1, 0.2, 0.3)[: sizes.get(kind, 3)]
    place = qt.Pose(qt.Quaternion(0.5, 0.5, 0.5, 0.5), Vec3(0.1, 0.2, 0.3))
    mesh = "model://a/b.stl" if kind == "mesh" else ""
    shape = Shape(kind, size, 0, place, "visual", "it", mesh, (0.1, 0.2, 0.3, 0.5))
    model = replace(examples.model("pendulum"), shapes=(shape,))
    (found,) = written_and_read(model, "sdf")[0].shapes
    np.testing.assert_allclose([*found.X_BG.p], [*place.p], atol=1e-15)
    assert replace(found, X_BG=place) == shape
    assert found.X_BG.q == place.q


def test_what_sdf_cannot_hold_is_named(tmp_path):
    model = furnished(random_tree(5, count=11), 5)
    report = qt.save(model, tmp_path / "r.sdf")
    told = [str(one) for one in report.warnings]
    for what in (
        "rotor inertias (",
        "numbers of damping of balls (",
        "limits of jerk (",
        "actuators (motor_",
        "states (state0, state1)",
        "tubes and planes without end (",
        "names of materials (steel)",
        "extras (gazebo of)",
    ):
        assert any(one.startswith(what) for one in told), what
    with pytest.raises(FormatError, match=r"s\.sdf: \d+ things stand in the way"):
        qt.save(model, tmp_path / "s.sdf", strict=True)
