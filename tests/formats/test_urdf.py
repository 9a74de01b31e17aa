"""What URDF says, and what becomes of it: read, kept as an extra, or named with its line."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import quatrain as qt
from quatrain.formats import FormatError
from quatrain.loading import load_model
from tests.formats.robots import ROBOT


def robot_of(body: str) -> str:
    return f'<robot name="r">\n{body}\n</robot>'


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
TWO = LINK.format("base") + LINK.format("arm")


def joint(kind: str = "revolute", inner: str = '<limit lower="-1" upper="1"/>', **names: str) -> str:
    name, parent, child = (names.get(k, v) for k, v in (("name", "j"), ("parent", "base"), ("child", "arm")))
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inner}</joint>'
    )


# ---- what it means ------------------------------------------------------------------------------------


def test_a_robot_with_a_little_of_everything():
    robot = qt.load(ROBOT)
    assert (robot.name, robot.nq, robot.body_names) == ("r", 1, ("arm", "finger"))
    assert robot.model.frame_names == ("arm", "finger", "base", "hand")
    arm, finger = robot.model.bodies
    assert (arm.mass, tuple(arm.p_BBcm)) == (2.0, (0.0, 0.0, 0.1))
    limits = arm.joint.limits[0]
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1, 1, 10, 2)
    assert (arm.joint.damping, arm.joint.friction) == ((0.1,), (0.2,))
    assert finger.joint.mimic == qt.Mimic("shoulder", 0.5, 0.01)
    visual, collision = robot.model.shapes
    assert (visual.kind, visual.size, visual.color, visual.role) == (
        "cylinder",
        (0.1, 1.0),
        (0, 0, 1, 1),
        "visual",
    )
    assert (collision.kind, collision.mesh) == ("mesh", "package://r/a.stl")
    (motor,) = robot.model.actuators
    assert (motor.name, motor.joint, motor.gear) == ("motor", "shoulder", (50.0,))
    assert [extra.kind for extra in robot.model.extras] == ["transmission"]
    assert robot.report.warnings == ()


def test_roll_pitch_and_yaw_are_about_fixed_axes():
    X = qt.load(
        robot_of(TWO + joint(inner='<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><limit lower="0" upper="1"/>'))
    )
    position, q = X.pose([0.0], "arm")
    r, p, y = 0.1, 0.2, 0.3
    Rx = [[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]]
    Ry = [[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]]
    Rz = [[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]]
    R = np.array(Rz) @ np.array(Ry) @ np.array(Rx)
    np.testing.assert_allclose(qt.Quaternion(*q).to_matrix().to_array(), R, atol=1e-15)
    assert tuple(position) == (1, 2, 3)


def test_a_quaternion_is_read_and_normalised_with_a_word():
    text = robot_of(TWO + joint(inner='<origin quat_xyzw="0 0 1 1"/><limit lower="0" upper="1"/>'))
    robot = qt.load(text)
    _, q = robot.pose([0.0], "arm")
    np.testing.assert_allclose(q, [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], atol=1e-15)
    assert "quat_xyzw has norm 1.41421: it is normalised" in str(robot.report)


def test_a_mimic_gripper_closes_as_its_file_says():
    robot = qt.load(ROBOT)
    for angle in (-0.5, 0.0, 0.8):
        position, _ = robot.pose([angle], "finger", relative_to="hand")
        np.testing.assert_allclose(position, [0.5 * angle + 0.01, 0, 0], atol=1e-15)
    free = qt.load(ROBOT, mimic="independent")
    assert free.nq == 2
    assert "joint 'grip' has a coordinate of its own, though it follows 'shoulder'" in str(free.report)
    # The same machine, held to its law: forces of the follower pass to the leader.
    q, v, a = [0.3], [0.7], [-0.4]
    full = free.inverse_dynamics([0.3, 0.16], [0.7, 0.35], [-0.4, -0.2])
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a)[0], full[0] + 0.5 * full[1], rtol=1e-14)


def test_an_axis_need_not_be_of_unit_length_and_is_x_by_default():
    short = qt.load(robot_of(TWO + joint(inner='<axis xyz="0 0 2"/><limit lower="0" upper="1"/>')))
    assert tuple(short.model.bodies[0].joint.axes[0]) == (0, 0, 1)
    assert "the axis of joint 'j' has length 2; its direction is taken" in str(short.report)
    default = qt.load(robot_of(TWO + joint()))
    assert tuple(default.model.bodies[0].joint.axes[0]) == (1, 0, 0)


def test_inertia_in_a_turned_frame():
    turned = '<origin rpy="0 0 1.5707963267948966"/>'
    text = robot_of(
        LINK.format("base")
        + f'<link name="arm"><inertial>{turned}<mass value="1"/><inertia ixx="1" iyy="2" izz="3"/></inertial></link>'
        + joint()
    )
    np.testing.assert_allclose([*qt.load(text).model.bodies[0].I_Bcm_B], [2, 1, 3, 0, 0, 0], atol=1e-15)


def test_floating_and_planar_joints():
    free = qt.load(robot_of(TWO + joint("floating", "")))
    assert (free.nq, free.nv) == (7, 6)
    flat = qt.load(robot_of(TWO + joint("planar", '<axis xyz="0 1 0"/>')))
    position, _ = flat.pose([0.3, 0.4, 1.0], "arm")
    assert position[1] == pytest.approx(0, abs=1e-16)  # the axis is the normal of the plane
    assert np.linalg.norm(position) == pytest.approx(0.5, rel=1e-15)


def test_bases():
    fixed = qt.load(ROBOT)
    assert "file" not in fixed.report.source
    assert "'base' is fixed to the ground, which a URDF does not say; base='floating' frees it" in str(
        fixed.report
    )
    floating = qt.load(ROBOT, base="floating")
    assert (floating.nq, floating.body_names) == (8, ("base", "arm", "finger"))
    assert floating.model.bodies[0].joint.name == "root"
    world = robot_of(
        '<link name="world"/>' + TWO + joint("fixed", "", name="w", parent="world", child="base") + joint()
    )
    assert qt.load(world).nq == 1
    with pytest.raises(FormatError, match="the base of this robot is the link 'world', which does not float"):
        qt.load(world, base="floating")


def test_bodies_on_fixed_joints_stay_if_asked():
    robot = qt.load(ROBOT, merge_fixed=False)
    assert robot.body_names == ("base", "arm", "hand", "finger")
    merged = qt.load(ROBOT)
    q, v, a = [0.4], [0.5], [0.6]
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), merged.inverse_dynamics(q, v, a), rtol=1e-14)


def test_what_joints_and_the_rest_of_a_file_say_besides_is_kept():
    text = robot_of(
        TWO
        + joint(
            inner='<limit lower="0" upper="1"/><safety_controller k_velocity="3"/><calibration rising="0.1"/>'
        )
        + '<gazebo reference="arm"><mu1>0.2</mu1></gazebo>'
    )
    model, report = load_model(text)
    kept = {extra.kind: extra for extra in model.extras}
    assert kept["safety_controller"]["k_velocity"] == "3"
    assert kept["calibration"].name == "j"
    assert kept["gazebo"].parts[0]["text"] == "0.2"
    assert "text:2: <gazebo>: kept in model.extras" in str(report)


def test_what_is_not_read_is_named_with_its_line():
    text = robot_of(
        TWO.replace("<inertial>", '<self_collide/>\n<inertial colour="red">', 1)
        + joint(inner='<limit lower="0" upper="1" torque="3"/>')
    )
    report = qt.load(text).report
    assert [str(finding) for finding in report.of("ignored")] == [
        "text:2: <self_collide> in <link> 'base' is not read",
        "text:3: attribute 'colour' of <inertial> is not read",
        "text:3: attribute 'torque' of <limit> is not read",
    ]


@pytest.mark.parametrize(
    ("kind", "inner", "message"),
    [
        ("revolute", "", "revolute joint 'j' has no <limit>: taken as without bounds"),
        ("revolute", '<limit effort="1"/>', "revolute joint 'j' has neither lower nor upper bound"),
        ("continuous", '<limit lower="0" upper="1"/>', "continuous joint 'j' has bounds: they are left out"),
        ("floating", '<limit lower="0" upper="1"/>', "<limit> of the floating joint 'j' has no effect"),
        ("fixed", '<mimic joint="j"/>', "<mimic> of the fixed joint 'j' has no effect"),
    ],
)
def test_limits_that_look_wrong_are_told(kind, inner, message):
    assert message in str(qt.load(robot_of(TWO + joint(kind, inner))).report)


def test_one_bound_alone_makes_the_other_zero():
    limits = qt.load(robot_of(TWO + joint(inner='<limit upper="2"/>'))).model.bodies[0].joint.limits[0]
    assert (limits.lower, limits.upper) == (0.0, 2.0)


def test_limits_of_version_1_2():
    inner = '<limit lower="0" upper="1" acceleration="3" deceleration="4" jerk="5"/>'
    limits = qt.load(robot_of(TWO + joint(inner=inner))).model.bodies[0].joint.limits[0]
    assert (limits.acceleration, limits.deceleration, limits.jerk) == (3, 4, 5)


# ---- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "text:1: the robot has no <link>"),
        (TWO, "text:2: 2 links hang on no joint: base (line 2), arm (line 2)"),
        (TWO + joint(child="hand"), "joint 'j' moves link 'hand', which is not in this file (links: base, arm)"),
        (TWO + joint(parent="leg"), "joint 'j' stands on link 'leg', which is not in this file"),
        (TWO + joint("hinge"), "joint 'j' has the type 'hinge'"),
        (TWO + joint(inner='<axis xyz="0 0 0"/>'), "the axis of joint 'j' is zero"),
        (TWO + joint() + joint(name="k"), "link 'arm' is moved by joint 'k' and by 'j' (line 2)"),
        (TWO + joint() + joint(), "a second joint is named 'j'; the first stands in line 2"),
        (TWO + LINK.format("arm") + joint(), "a second link is named 'arm'"),
        (TWO + '<joint name="j" type="fixed"><child link="arm"/></joint>', "<joint> 'j' has no <parent>"),
        ('<link name="b"/><link name="x"/><link name="y"/>' + joint("fixed", "", parent="x", child="y")
         + joint("fixed", "", name="k", parent="y", child="x"), "x, y: these links carry one another in a circle"),
        (TWO + joint(inner='<mimic joint="nobody"/>'), "joint 'j' follows joint 'nobody', which is not in this file"),
        (TWO + joint(inner='<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), "<origin> has both rpy and quat_xyzw"),
        (TWO + joint(inner='<origin quat_xyzw="0 0 0 0"/>'), "quat_xyzw is zero"),
        (TWO + joint(inner="<origin/><origin/>"), "<joint> 'j' has 2 <origin>, and one is meant"),
        (TWO.replace('"1"', '"heavy"', 1) + joint(), "attribute 'value' of <mass> is 'heavy'"),
        (TWO.replace(' iyy="1"', "", 1) + joint(), "<inertia> has no attribute 'iyy'"),
        (TWO.replace('mass value="1"', 'mass value="-1"') + joint(), "text:2: body 'arm': its mass is -1 kg"),
        (TWO.replace('ixx="1"', 'ixx="-1"') + joint(), "inertia has the principal moments -1, 1, 1"),
        (TWO + joint(inner='<limit lower="1" upper="0"/>'), "joint 'j': limits 1 > 0 are reversed"),
        ('<xacro:macro name="m"/>' + TWO, "<xacro:macro> is of xacro, which writes a URDF"),
    ],
)  # fmt: skip
def test_a_wrong_robot_is_refused_with_line_and_remedy(body, message):
    with pytest.raises(FormatError) as caught:
        qt.load(robot_of(body).replace("<robot ", '<robot xmlns:xacro="x" '))
    assert message in str(caught.value)
    assert "To fix: " in str(caught.value)


def test_all_faults_are_told_at_once():
    body = TWO + joint(parent="leg") + "\n" + joint(name="k", child="hand")
    with pytest.raises(FormatError) as caught:
        qt.load(robot_of(body))
    message = str(caught.value)
    assert message.startswith("text: 2 things are wrong:\n  - text:2: joint 'j' stands on link 'leg'")
    assert "\n  - text:3: joint 'k' moves link 'hand'" in message


def test_inertia_policies():
    text = robot_of(TWO.replace('ixx="1"', 'ixx="-1"') + joint())
    warned = qt.load(text, inertia="warn")
    assert "inertia has the principal moments -1, 1, 1" in str(warned.report)
    assert warned.model.bodies[0].I_Bcm_B.xx == -1
    mended = qt.load(text, inertia="repair")
    assert "the principal moments -1, 1, 1 are replaced by 0, 1, 1" in str(mended.report)
    assert min(np.linalg.eigvalsh(mended.model.bodies[0].I_Bcm_B.to_array())) >= 0


def test_other_roots_and_options_are_refused():
    with pytest.raises(FormatError, match="text:1: the outermost element is <html>, which begins no format"):
        qt.load("<html/>")
    with pytest.raises(qt.ArgumentError, match="base is 'free'"):
        qt.load(ROBOT, base="free")
    with pytest.raises(qt.ArgumentError, match="mimic is 'loose'"):
        qt.load(ROBOT, mimic="loose")
    with pytest.raises(qt.ArgumentError, match="inertia is 'guess'"):
        qt.load(ROBOT, inertia="guess")


def test_robot_and_report_pickle():
    robot = pickle.loads(pickle.dumps(qt.load(ROBOT)))
    assert str(robot.report) == str(qt.load(ROBOT).report)
    assert robot.report.as_dict()["held"] == {"links": 4, "joints": 3, "shapes": 2}


@pytest.mark.slow
def test_ten_thousand_links_load_in_seconds():
    """Measured in processor time: a chain and a star, the two extremes."""
    import time

    for parent in (lambda k: k - 1, lambda k: 0):
        links = "".join(LINK.format(f"l{k}") + "\n" for k in range(10_000))
        joints = "".join(
            joint(name=f"j{k}", parent=f"l{parent(k)}", child=f"l{k}") + "\n" for k in range(1, 10_000)
        )
        text = robot_of(links + joints)
        began = time.process_time()
        model, _ = load_model(text)
        assert model.nv == 9_999
        assert time.process_time() - began < 12  # three seconds on an idle machine of today


def test_a_spherical_joint_is_a_ball_and_it_is_told():
    robot = qt.load(robot_of(TWO + joint("spherical", "")))
    assert (robot.nq, robot.nv) == (4, 3)
    assert "joint 'j' is spherical, of no standard: a ball" in str(robot.report)


def test_a_shape_without_extent_is_left_out():
    visual = '<link name="base"><visual><geometry><sphere radius="0"/></geometry></visual></link>'
    robot = qt.load(robot_of(visual))
    assert robot.model.shapes == ()
    assert "a sphere of link 'base' has the size (0.0,): left out" in str(robot.report)


def test_a_reduction_in_words_makes_no_actuator():
    robot = qt.load(ROBOT.replace("<mechanicalReduction>50", "<mechanicalReduction>fifty"))
    assert robot.nu == 0
    assert "has a mechanicalReduction that is no number: no actuator is made" in str(robot.report)


def test_blank_lines_before_the_declaration_are_forgiven_and_counted(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text('\n\n<?xml version="1.0"?>\n<robot name="r">\n<link/></robot>')
    with pytest.raises(FormatError, match=r"^r.urdf:5: <link> has no attribute 'name'"):
        qt.load(file)


def test_the_greatest_float_is_no_bound():
    limits = '<limit lower="-1.7976931348623157e+308" upper="1" velocity="1e308"/>'
    found = qt.load(robot_of(TWO + joint(inner=limits))).model.bodies[-1].joint.limits[0]
    assert (found.lower, found.upper, found.velocity) == (None, 1.0, None)
