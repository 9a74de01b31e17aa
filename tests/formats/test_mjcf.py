"""MJCF: the same coordinates, the same physics as in MuJoCo, and what is told of the rest."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.formats import FormatError
from quatrain.loading import load_model
from tests.truth.random_trees import on_columns, random_q

mujoco = pytest.importorskip("mujoco")

MACHINE = """<mujoco model="machine">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <default>
    <joint damping="0.1" armature="0.02"/>
    <default class="stiff"><joint stiffness="3" springref="20" frictionloss="0.05"/>
      <default class="stiffer"><joint stiffness="7"/></default></default>
  </default>
  <asset><material name="red" rgba="1 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 3 1"/>
    <body name="base" pos="0.1 0.2 1" euler="10 20 30">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.2 0.3" density="500" material="red"/>
      <site name="imu" pos="0 0 0.1" quat="0.5 0.5 0.5 0.5"/>
      <body name="arm" pos="0 0.3 0" axisangle="1 0 0 40">
        <joint name="yaw" axis="0 0 1" pos="0.05 0 0" range="-90 90"/>
        <joint name="pitch" axis="0 1 0.2" ref="15" class="stiffer"/>
        <joint name="reach" type="slide" axis="1 0 0" ref="0.1" pos="0 0.1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
        <body pos="0.4 0 0">
          <joint type="ball" pos="0 0.02 0"/>
          <inertial pos="0.01 0.02 0.03" mass="0.5" fullinertia="0.01 0.02 0.015 0.001 0.002 0.003"/>
          <body name="tip" pos="0.1 0 0" xyaxes="0 1 0 -1 0 0">
            <geom type="sphere" size="0.05" pos="0 0 0.1" contype="0" conaffinity="0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="turn" joint="yaw" gear="50" ctrlrange="-1 1"/>
    <position name="servo" joint="pitch" kp="20"/>
    <motor name="jet" site="imu" gear="0 0 1 0 0 0.1"/>
    <muscle name="flesh" joint="reach" lengthrange="0.1 0.2"/>
  </actuator>
  <equality><connect name="loop" body1="base" body2="tip" anchor="0 0 0" active="false"/></equality>
  <sensor><accelerometer name="acc" site="imu"/></sensor>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2 0.3 1 0 0 0"/></keyframe>
</mujoco>"""


def compared(text_or_path, **options):
    """Our model and MuJoCo's data in a random state of the same coordinates, contacts and constraints off."""
    model, report = load_model(text_or_path, **options)
    is_text = str(text_or_path).lstrip().startswith("<")
    make = mujoco.MjModel.from_xml_string if is_text else mujoco.MjModel.from_xml_path
    theirs = make(str(text_or_path))
    assert (model.nq, model.nv) == (theirs.nq, theirs.nv)
    off = mujoco.mjtDisableBit
    theirs.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_CONSTRAINT)
    rng = np.random.default_rng(3)
    q, v = random_q(model, rng, 1), rng.normal(size=(1, model.nv))
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = q[0], v[0]
    mujoco.mj_forward(theirs, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(theirs, data, M)
    np.testing.assert_allclose(
        on_columns(dynamics.mass_matrix, model, q)[0], M, rtol=0, atol=1e-12 * np.abs(M).max()
    )
    h = on_columns(dynamics.bias_force, model, q, v)[0]
    forces = max(np.abs(h).max(), 10 * np.abs(M).max())  # what may cancel
    np.testing.assert_allclose(h, data.qfrc_bias, rtol=0, atol=1e-12 * forces)
    return model, report, theirs, data, q[0], v[0]


def test_a_machine_with_a_little_of_everything_moves_as_in_mujoco():
    model, report, theirs, data, q, _ = compared(MACHINE)
    positions, quaternions = dynamics.poses(model, list(q))
    for name in ("base", "arm", "tip"):
        number = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, name)
        if name in model.body_names:
            k = model.body_names.index(name)
            np.testing.assert_allclose(positions[k], data.xpos[number], atol=1e-13)
            R = qt.Quaternion(*quaternions[k]).to_matrix().to_array()
            np.testing.assert_allclose(R.ravel(), data.xmat[number], atol=1e-13)
    p, _ = dynamics.pose(model, list(q), "imu", "world")
    np.testing.assert_allclose(list(p), data.site_xpos[0], atol=1e-13)
    assert model.keyframe("home").q == (0, 0, 1, 1, 0, 0, 0, 0.1, 0.2, 0.3, 1, 0, 0, 0)
    np.testing.assert_array_equal(model.keyframe("qpos0").q, theirs.qpos0)
    told = str(report)
    assert "actuator 'flesh' is of a kind that is not modelled here" in told
    kept = "equality 'loop' (connect: 'base', 'tip'): kept in model.extras, without effect on the dynamics"
    assert kept in told
    assert {(extra.kind, extra.name) for extra in model.extras} >= {("equality", "loop"), ("sensor", "acc")}


def test_a_body_with_several_joints_hangs_on_bodies_without_mass():
    model, _ = load_model(MACHINE)
    assert model.body_names[:4] == ("base", "arm/yaw", "arm/pitch", "arm")
    assert [body.mass for body in model.bodies[1:3]] == [0, 0]
    assert model.v_names[6:9] == ("yaw", "pitch", "reach")


def test_springs_dampers_and_limits_come_with_their_units():
    model, _ = load_model(MACHINE)
    joints = {body.joint.name: body.joint for body in model.bodies}
    np.testing.assert_allclose(
        (joints["yaw"].limits[0].lower, joints["yaw"].limits[0].upper), np.radians([-90, 90])
    )
    assert (joints["pitch"].stiffness, joints["pitch"].damping, joints["pitch"].friction) == (
        (7,),
        (0.1,),
        (0.05,),
    )
    np.testing.assert_allclose(joints["pitch"].rest, np.radians([20]))


def test_passive_forces_are_mujocos():
    model, _, _, data, q, v = compared(MACHINE.replace('frictionloss="0.05"', ""))
    ours = on_columns(dynamics.passive_force, model, q[None], v[None])[0]
    np.testing.assert_allclose(ours, data.qfrc_passive, atol=1e-12)


def test_actuators_are_mujocos():
    text = MACHINE.replace('<muscle name="flesh" joint="reach" lengthrange="0.1 0.2"/>', "")
    model, _, theirs, data, q, v = compared(text)
    u = np.array([0.3, 0.4, 0.5])
    data.ctrl[:] = u
    mujoco.mj_forward(theirs, data)
    motors = {motor.name: motor for motor in model.actuators}
    assert motors["turn"].command == (-1, 1)
    yaw, pitch = model.v_names.index("yaw"), model.v_names.index("pitch")
    q_pitch = q[model.q_names.index("pitch")]
    assert data.qfrc_actuator[yaw] == pytest.approx(50 * 0.3, rel=1e-14)
    servo = motors["servo"]
    force = servo.gain * u[1] + servo.bias[0] + servo.bias[1] * q_pitch + servo.bias[2] * v[pitch]
    assert data.qfrc_actuator[pitch] == pytest.approx(force, rel=1e-13)
    assert motors["jet"].frame == "imu"


def test_shapes_have_full_sizes_and_their_materials():
    model, _ = load_model(MACHINE)
    floor, box, capsule, ball = model.shapes
    assert (floor.kind, floor.size, floor.body) == ("plane", (4, 6), -1)
    np.testing.assert_allclose(box.size, (0.2, 0.4, 0.6))
    assert (box.material, box.color, box.role) == ("red", (1, 0, 0, 1), "both")
    np.testing.assert_allclose(capsule.size, (0.04, 0.4))
    assert ball.role == "visual"


@pytest.mark.parametrize(("base", "nv"), [("auto", 12), ("floating", 12), ("fixed", 6)])
def test_bases(base, nv):
    model, report = load_model(MACHINE, base=base)
    assert model.nv == nv
    assert ("is fixed to the ground, as asked" in str(report)) == (base == "fixed")
    fixed = MACHINE.replace('<freejoint name="root"/>', "").replace("0 0 1 1 0 0 0 0.1", "0.1")
    assert load_model(fixed, base=base)[0].nv == (12 if base == "floating" else 6)


MESHES = """<mujoco><asset><mesh name="seen" file="seen.stl"/></asset><worldbody>
  <body name="b"><joint/>{}<geom type="mesh" mesh="seen"/></body></worldbody></mujoco>"""


def test_a_mesh_that_is_not_there_is_needed_only_where_an_inertia_comes_from_it(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(MESHES.format('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'))
    model, report = load_model(file)
    assert model.bodies[0].mass == 1
    assert model.shapes[0].mesh == "seen.stl"
    assert "mesh 'seen.stl' is not there: it is not needed for the dynamics" in str(report)
    file.write_text(MESHES.format(""))
    with pytest.raises(FormatError) as caught:
        load_model(file)
    assert "an inertia comes from the mesh 'seen.stl', which is not there" in str(caught.value)


def test_an_inertia_from_a_mesh_is_mujocos_and_the_shape_stands_where_the_file_puts_it(tmp_path):
    corners = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "seen.obj").write_text("\n".join(lines))
    file = tmp_path / "m.xml"
    text = MESHES.format("").replace("seen.stl", "seen.obj").replace('mesh="seen"', 'mesh="seen" pos="1 2 3"')
    file.write_text(text)
    model, _, *_ = compared(file)
    assert model.bodies[0].mass == pytest.approx(1000, rel=1e-6)  # 6 m³ / 6 of water
    np.testing.assert_allclose(
        list(model.shapes[0].X_BG.p), (1, 2, 3), atol=1e-7
    )  # meshes are single precision
    np.testing.assert_allclose(list(model.bodies[0].p_BBcm), (1.25, 2.5, 3.75), atol=1e-7)


def test_files_include_others_within_their_folders(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "arm.xml").write_text(
        '<mujocoinclude><body name="b"><joint name="j"/><geom size="1"/></body></mujocoinclude>'
    )
    text = '<mujoco><worldbody><include file="{}"/></worldbody></mujoco>'
    (home / "m.xml").write_text(text.format("arm.xml"))
    assert load_model(home / "m.xml")[0].body_names == ("b",)
    (tmp_path / "arm.xml").write_text((home / "arm.xml").read_text())
    (home / "out.xml").write_text(text.format("../arm.xml"))
    with pytest.raises(
        FormatError, match=r"out.xml:1: it includes '../arm.xml', which lies outside the model's folder"
    ):
        load_model(home / "out.xml")
    assert load_model(home / "out.xml", roots=[tmp_path])[0].nv == 1
    with pytest.raises(FormatError, match="a text includes the file"):
        load_model(text.format("arm.xml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco><worldbody><bodyy/></worldbody></mujoco>", "text:1: MuJoCo's compiler refuses it: XML Error"),
        ('<mujoco><worldbody><body><joint type="screw"/></body></worldbody></mujoco>', "invalid keyword: 'screw'"),
        ('<mujoco><worldbody><body name="a"/><body name="a"/></worldbody></mujoco>', "repeated name 'a' in body"),
        ('<mujoco><worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/><joint/></body></worldbody>'
         "</mujoco>", "inertia must satisfy A + B >= C"),
    ],
)  # fmt: skip
def test_what_mujoco_refuses_is_refused_in_its_words(text, message):
    with pytest.raises(FormatError) as caught:
        qt.load(text)
    assert message in str(caught.value)


def test_gravity_can_be_switched_off_and_a_medium_is_told():
    text = MACHINE.replace("-9.7", '-9.7" density="1000').replace(
        "<default>", '<option><flag gravity="disable"/></option><default>', 1
    )
    model, report = load_model(text)
    assert tuple(model.gravity) == (0, 0, 0)
    assert "the medium has density 1000: its forces are not modelled here" in str(report)


def test_things_without_names_get_names_that_are_free():
    body = '<body><joint/><joint name="joint0" axis="1 0 0"/><geom size="1"/></body>'
    model, _ = load_model(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert model.joint_names == ("joint0_", "joint0")


def test_what_has_no_effect_here_is_told_once_for_each_kind():
    text = MACHINE.replace(
        "<worldbody>", '<option integrator="RK4" wind="1 0 0"/><worldbody><camera/><light/><light/>'
    )
    text = text.replace('joint type="ball"', 'joint type="ball" limited="true" range="0 40"')
    text = text.replace("<equality>", '<contact><exclude body1="base" body2="tip"/></contact><equality>')
    text = text.replace("</worldbody>", '<body name="hand" mocap="true"/></worldbody>')
    text = text.replace("<keyframe>", "<!--").replace("</keyframe>", "-->")
    _, report = load_model(text)
    told = str(report)
    for what in (
        "options of the simulator are not used here: integrator",
        "wind is not modelled here",
        "<light>, 2 times: it has no effect on the dynamics",
        "<camera>: it has no effect on the dynamics",
        "<contact>: contacts are not modelled here",
        "an angle from its rest, is not taken over",
        "body 'hand' is moved from outside (mocap); here it stands where the file puts it",
    ):
        assert what in told


def test_frames_replicas_and_inertias_of_several_shapes_are_mujocos():
    text = """<mujoco><compiler angle="radian" eulerseq="XYZ"/><worldbody>
      <frame pos="1 2 3" euler="0.1 0.2 0.3"><body name="a" euler="0.4 0.5 0.6"><joint name="j" axis="1 2 3"/>
        <geom type="box" size="0.1 0.2 0.3" pos="0.5 0 0"/><geom type="ellipsoid" size="0.1 0.2 0.3" mass="2"/>
        <replicate count="3" offset="0.2 0 0" euler="0.3 0 0"><body><joint type="slide"/>
          <geom type="cylinder" size="0.05 0.2"/></body></replicate>
        <frame name="f" childclass="main" quat="0.5 0.5 0.5 0.5"><site name="s" pos="0 0 1"/>
          <body name="b"><joint type="ball"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 1"/></body></frame>
      </body></frame></worldbody></mujoco>"""
    model, report, _, data, q, _ = compared(text)
    assert (model.nq, model.nv) == (8, 7)
    p, _ = dynamics.pose(model, list(q), "s", "world")
    np.testing.assert_allclose(list(p), data.site_xpos[0], atol=1e-13)
    assert report.warnings == ()


def test_a_file_may_end_with_mjcf(tmp_path):
    corners = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"
    (tmp_path / "seen.obj").write_text(corners)
    file = tmp_path / "m.mjcf"
    file.write_text(MESHES.format("").replace("seen.stl", "seen.obj"))
    assert load_model(file)[0].bodies[0].mass == pytest.approx(1000, rel=1e-6)
    (tmp_path / "arm.xml").write_text("<mujocoinclude/>")
    file.write_text('<mujoco><include file="arm.xml"/></mujoco>')
    with pytest.raises(FormatError, match=r"its name does not end with .xml: call it so"):
        load_model(file)
