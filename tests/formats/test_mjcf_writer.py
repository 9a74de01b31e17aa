"""MJCF that we write: MuJoCo finds the mass matrix, bias forces and places that are here; what it lacks is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quatrain as qt
from quatrain import examples, formats
from quatrain.equations import dynamics
from quatrain.formats import FormatError
from quatrain.formats.lowering import independent
from quatrain.loading import load_model
from tests.formats.furnished import furnished
from tests.formats.round_trips import moves_alike, written_and_read
from tests.formats.test_mjcf import MACHINE
from tests.formats.test_urdf_corpus import HOME
from tests.truth.random_trees import KINDS, on_columns, random_q, random_tree

mujoco = pytest.importorskip("mujoco")

POSSIBLE = tuple(kind for kind in KINDS if kind != "helical")
ROBOTS = (
    "panda_description/urdf/panda.urdf",
    "go2_description/urdf/go2.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
)


def alike(model):
    """Rotors of balls and free bodies that feel every direction alike, as MJCF has them."""

    def joint(one):
        several = one.kind in ("ball", "free") and one.armature
        return replace(one, armature=(one.armature[0],) * one.nv) if several else one

    return replace(model, bodies=tuple(replace(b, joint=joint(b.joint)) for b in model.bodies))


def possible(seed, **options):
    return alike(random_tree(seed, count=12, kinds=POSSIBLE, **options))


def agrees_with_mujoco(model, theirs, tolerance=1e-12):
    """qpos and qvel are q and v."""
    theirs.opt.disableflags |= int(
        mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    )
    data, rng = mujoco.MjData(theirs), np.random.default_rng(3)
    q, v = random_q(model, rng, 1), rng.normal(size=(1, model.nv))
    data.qpos[:], data.qvel[:] = q[0], v[0]
    mujoco.mj_forward(theirs, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(theirs, M, data.qM) if mujoco.__version__ < "3.4" else mujoco.mj_fullM(theirs, data, M)
    for expected, found in (
        (on_columns(dynamics.mass_matrix, model, q)[0], M),
        (on_columns(dynamics.bias_force, model, q, v)[0], data.qfrc_bias),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))
    positions = np.array([[*map(float, p)] for p in dynamics.poses(model, list(q[0]))[0]])
    for name, p in zip(model.body_names, positions, strict=True):
        if (number := mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, name)) > 0:
            np.testing.assert_allclose(data.xpos[number], p, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_random_trees_move_in_mujoco_as_here(seed):
    """Joints of every kind but one, with bodies that stand off them, several in a body."""
    model = possible(seed)
    written = formats.write(model, "mjcf")
    assert {one.code for one in written.findings} <= {"reworded"}
    agrees_with_mujoco(model, mujoco.MjModel.from_xml_string(written.text))


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_random_trees_come_back(seed):
    model = furnished(possible(seed), seed)
    back, _ = written_and_read(model, "mjcf", merge_fixed=True)
    expected = independent(model)
    moves_alike(expected, back)
    assert [key.name for key in back.keyframes] == ["qpos0", "state0", "state1"]
    for ours, theirs in zip(expected.keyframes, back.keyframes[1:], strict=True):
        np.testing.assert_allclose(theirs.q, ours.q, rtol=0, atol=1e-15)
        np.testing.assert_allclose(theirs.v, ours.v, rtol=0, atol=1e-15)


def test_a_free_body_with_a_state_of_the_file_comes_back_as_it_was():
    model, _ = load_model(MACHINE, merge_fixed=False)
    back, written = written_and_read(model, "mjcf", merge_fixed=False)
    assert {one.what.split(" (")[0] for one in written.findings} == {"extras"}
    moves_alike(model, back)
    assert (back.body_names, back.joint_names) == (model.body_names, model.joint_names)
    assert [key.name for key in back.keyframes] == [key.name for key in model.keyframes]
    for ours, theirs in zip(model.keyframes, back.keyframes, strict=True):
        np.testing.assert_allclose(theirs.q, ours.q, rtol=0, atol=1e-15)
    assert back.actuators == model.actuators
    for ours, theirs in zip(model.bodies, back.bodies, strict=True):
        for name in ("damping", "friction", "stiffness", "limits", "armature"):
            assert getattr(theirs.joint, name) == getattr(ours.joint, name)
        np.testing.assert_allclose(theirs.joint.rest, ours.joint.rest, atol=1e-15)
    q, v = random_q(model, np.random.default_rng(0), 4), np.ones((4, model.nv))
    expected, found = (on_columns(dynamics.passive_force, one, q, v) for one in (model, back))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("file", ROBOTS)
def test_robots_move_in_mujoco_as_here(file, tmp_path):
    model, _ = load_model(HOME / file, merge_fixed=False, mimic="independent", inertia="warn")
    report = qt.save(model, tmp_path / "robot.xml")
    assert [one for one in report.findings if one.code == "changed"] == []
    agrees_with_mujoco(model, mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml")))
    back, _ = load_model(tmp_path / "robot.xml", merge_fixed=False, inertia="warn")
    assert back.body_names == model.body_names
    moves_alike(model, back)


@pytest.mark.parametrize("name", [*examples.names()[:-1], "snake(9)"])
def test_examples_move_in_mujoco_as_here(name):
    """Bodies without inertia or without mass get so little of it that nobody feels it."""
    model = examples.model(name)
    agrees_with_mujoco(model, mujoco.MjModel.from_xml_string(formats.write(model, "mjcf").text))


def test_what_mjcf_cannot_hold_is_named(tmp_path):
    model = furnished(random_tree(5, count=8, kinds=("revolute", "prismatic", "cylindrical", "ball")), 5)
    report = qt.save(model, tmp_path / "r.xml")
    told = [str(one) for one in report.warnings]
    for what in (
        "joints that follow others (j",
        "numbers of damping that differ between directions (j",
        "limits of velocity (j",
        "limits of jerk (j",
        "shapes (shape5, shape6) have no place in MJCF",
        "planes on bodies that move (shape7)",
        "meshes that are not found (a.stl)",
        "actuators on several motions of a joint (motor_j",
        "extras (gazebo of)",
    ):
        assert any(one.startswith(what) for one in told), what
    with pytest.raises(FormatError, match="things stand in the way"):
        qt.save(model, tmp_path / "s.xml", strict=True)
    with pytest.raises(FormatError, match=r"h\.xml: helical joints \(j0\) cannot be said in MJCF"):
        qt.save(random_tree(1, count=1, kinds=("helical",)), tmp_path / "h.xml")


def test_inertias_that_mujoco_refuses_are_replaced_and_named():
    model, _ = load_model(HOME / "allegro_hand_description/urdf/allegro_left_hand.urdf", merge_fixed=False)
    written = formats.write(model, "mjcf")
    (changed,) = (one for one in written.findings if one.code == "changed")
    assert changed.severity == "warning"
    assert changed.what.startswith("inertias (link_11.0, link_7.0, link_3.0, link_15.0) break the triangle")
    mujoco.MjModel.from_xml_string(written.text)


def test_one_sided_bounds_come_back():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="prismatic"><parent link="a"/>
      <child link="b"/><limit lower="0.5" upper="1e308" effort="7" velocity="1e308"/></joint></robot>"""
    model, _ = load_model(text, merge_fixed=False)
    assert model.bodies[1].joint.limits == (qt.Limits(0.5, None, effort=7.0),)
    assert written_and_read(model, "mjcf")[0].bodies[1].joint.limits == model.bodies[1].joint.limits


def test_a_chain_too_deep_for_its_readers_is_refused():
    with pytest.raises(
        FormatError, match=r"bodies nested deeper than 240 \(segment241\) cannot be said in MJCF"
    ):
        formats.write(examples.snake(300), "mjcf")
