"""SDF: poses by way of frames, nesting and includes; joints of every type; what is assumed, kept and refused."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.formats import FormatError
from quatrain.loading import load_model
from tests.truth.random_trees import on_columns, random_q

INERTIAL = (
    "<inertial><pose>0.01 0.02 0.03 0.1 0.2 0.3</pose><mass>0.5</mass>"
    "<inertia><ixx>0.01</ixx><iyy>0.02</iyy><izz>0.015</izz><ixy>0.001</ixy></inertia></inertial>"
)


def sdf(content, version="1.9", name="machine"):
    return f'<sdf version="{version}"><model name="{name}">{content}</model></sdf>'


def link(name, pose="", inside=INERTIAL):
    return f'<link name="{name}">{pose}{inside}</link>'


def joint(name, kind, parent, child, inside="<axis><xyz>0 0 1</xyz></axis>"):
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'
    )


def T(x, y, z, r, p, w):
    """A pose as a matrix, by other code than ours."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = Rotation.from_euler("xyz", [r, p, w]).as_matrix(), (x, y, z)
    return found


def written(X):
    return " ".join(
        map(repr, [*X[:3, 3].tolist(), *Rotation.from_matrix(X[:3, :3]).as_euler("xyz").tolist()])
    )


def dynamics_of(model, seed=3):
    rng = np.random.default_rng(seed)
    q, v = random_q(model, rng, 1), rng.normal(size=(1, model.nv))
    return on_columns(dynamics.mass_matrix, model, q)[0], on_columns(dynamics.bias_force, model, q, v)[0]


HAND = sdf(
    '<frame name="grip"><pose relative_to="palm">0.1 0.2 0.3 0.4 0.5 0.6</pose></frame>'
    '<frame name="tip" attached_to="finger"><pose degrees="true">0 0 0.1 10 20 30</pose></frame>'
    + link("palm", "<pose>0.01 0.02 0.03 0.1 0.2 0.3</pose>")
    + link("finger", '<pose relative_to="grip">0.05 0 0 0 0.3 0</pose>')
    + '<joint name="slide" type="prismatic"><pose relative_to="grip">0 0 0.01 0.2 0 0</pose>'
    "<parent>palm</parent><child>tip</child><axis><xyz expressed_in='grip'>0 0.6 0.8</xyz></axis></joint>",
    name="hand",
)

ROBOT = """<sdf version="1.11"><model name="robot" placement_frame="foot"><pose>1 2 3 0.1 0.2 0.3</pose>
  <frame name="foot" attached_to="base"><pose>0 0 -0.5 0 0 0.7</pose></frame>
  <link name="base"><pose>0.1 0 0 0 0 0.4</pose>{I}</link>
  <link name="upper"><pose relative_to="shoulder">0 0 0.3 0 0 0</pose>{I}</link>
  <joint name="shoulder" type="universal"><pose relative_to="base">0 0.2 0.1 0 0.3 0</pose>
    <parent>base</parent><child>upper</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
  <include><uri>model://hand</uri><name>right</name><pose relative_to="upper">0 0 0.2 0 0.1 0</pose>
    <placement_frame>grip</placement_frame></include>
  <joint name="mount" type="continuous"><parent>upper</parent><child>right::palm</child>
    <axis><xyz expressed_in="right">0 0 1</xyz></axis></joint>
  <include merge="true"><uri>model://hand</uri><name>extra</name>
    <pose relative_to="upper">0.3 0 0 0 0.1 0</pose></include>
  <joint name="weld" type="fixed"><parent>upper</parent><child>palm</child></joint>
  <model name="box"><pose relative_to="right::tip">0 0 0.1 0 0 0</pose>
    <link name="b"><pose>0.1 0.1 0 0.3 0 0</pose>{I}</link></model>
  <joint name="hold" type="revolute"><parent>right::finger</parent><child>box</child>
    <axis><xyz expressed_in="__model__">0.6 0 0.8</xyz></axis></joint>
</model></sdf>""".replace("{I}", INERTIAL)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "hand.sdf").write_text(HAND)
    (tmp_path / "hand" / "model.config").write_text(
        '<model><sdf version="1.4">none.sdf</sdf><sdf version="1.9">hand.sdf</sdf></model>'
    )
    (tmp_path / "robot.sdf").write_text(ROBOT)
    return tmp_path


def in_plain_words():
    """The same robot with every pose in the model's own frame, as matrices multiply."""
    base = T(0.1, 0, 0, 0, 0, 0.4)
    foot = base @ T(0, 0, -0.5, 0, 0, 0.7)  # measured in what it is attached to
    M = T(1, 2, 3, 0.1, 0.2, 0.3) @ np.linalg.inv(foot)
    shoulder = base @ T(0, 0.2, 0.1, 0, 0.3, 0)
    upper = shoulder @ T(0, 0, 0.3, 0, 0, 0)
    palm = T(0.01, 0.02, 0.03, 0.1, 0.2, 0.3)  # in the hand
    grip = palm @ T(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    finger, slide = grip @ T(0.05, 0, 0, 0, 0.3, 0), grip @ T(0, 0, 0.01, 0.2, 0, 0)
    right = upper @ T(0, 0, 0.2, 0, 0.1, 0) @ np.linalg.inv(grip)
    extra = upper @ T(0.3, 0, 0, 0, 0.1, 0)
    box = right @ finger @ T(0, 0, 0.1, *np.radians([10, 20, 30])) @ T(0, 0, 0.1, 0, 0, 0)
    block = box @ T(0.1, 0.1, 0, 0.3, 0, 0)
    links = {"base": base, "upper": upper, "r_palm": right @ palm, "r_finger": right @ finger,
             "palm": extra @ palm, "finger": extra @ finger, "block": block}  # fmt: skip

    def moves(name, kind, parent, child, at, *axes):
        """The joint's frame from the child's; the axes given in the model's frame."""
        R = at[:3, :3].T
        lines = [f"<xyz>{' '.join(map(repr, (R @ axis).tolist()))}</xyz>" for axis in axes]
        tags = "".join(f"<axis{k}>{line}</axis{k}>" for k, line in zip(("", "2"), lines, strict=False))
        where = f"<pose>{written(np.linalg.inv(links[child]) @ at)}</pose>"
        return joint(name, kind, parent, child, where + tags)

    along = np.array([0, 0.6, 0.8])
    joints = [
        moves("shoulder", "universal", "base", "upper", shoulder, shoulder[:3, 0], shoulder[:3, 1]),
        moves("mount", "continuous", "upper", "r_palm", links["r_palm"], right[:3, 2]),
        moves(
            "right::slide", "prismatic", "r_palm", "r_finger", right @ slide, (right @ grip)[:3, :3] @ along
        ),
        moves("hold", "revolute", "r_finger", "block", box, np.array([0.6, 0, 0.8])),
        moves("weld", "fixed", "upper", "palm", links["palm"]),
        moves("slide", "prismatic", "palm", "finger", extra @ slide, (extra @ grip)[:3, :3] @ along),
    ]
    links_text = "".join(link(name, f"<pose>{written(X)}</pose>") for name, X in links.items())
    return sdf(f"<pose>{written(M)}</pose>{links_text}{''.join(joints)}", name="robot"), M @ base


def test_frames_nesting_merging_and_placement_are_the_poses_that_matrices_give(folder):
    model, report = load_model(folder / "robot.sdf")
    plain, X_WB = in_plain_words()
    same, _ = load_model(plain)
    assert model.v_names == same.v_names
    for ours, theirs in zip(dynamics_of(model), dynamics_of(same), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-13)
    start = model.keyframe("start").q
    np.testing.assert_allclose(start[:3], X_WB[:3, 3], atol=1e-14)
    np.testing.assert_allclose(qt.Quaternion(*start[3:7]).to_matrix().to_array(), X_WB[:3, :3], atol=1e-14)
    assert {frame.name for frame in model.frames} >= {"foot", "right::grip", "tip", "box", "palm"}
    assert "'base' floats, as it is neither static nor joined to the world" in str(report)
    assert report.warnings == ()


def test_joints_are_those_of_a_urdf():
    urdf = """<robot name="r"><link name="a"/>
      <link name="b"><inertial><origin xyz="0.01 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="0.5"/>
        <inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0.001"/></inertial></link>
      <joint name="j" type="revolute"><origin xyz="1 2 3" rpy="0.4 0.5 0.6"/><parent link="a"/><child link="b"/>
        <axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2" effort="3" velocity="4"/>
        <dynamics damping="0.3" friction="0.2"/></joint></robot>"""
    axis = (
        "<axis><xyz>0 0.6 0.8</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort>"
        "<velocity>4</velocity></limit><dynamics><damping>0.3</damping><friction>0.2</friction></dynamics></axis>"
    )
    text = sdf(
        link("a") + link("b", "<pose>1 2 3 0.4 0.5 0.6</pose>") + joint("j", "revolute", "a", "b", axis)
    )
    ours, theirs = load_model(text, base="fixed")[0], load_model(urdf)[0]
    for one, other in zip(dynamics_of(ours), dynamics_of(theirs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    for name in ("limits", "damping", "friction", "axes"):
        assert getattr(ours.bodies[0].joint, name) == getattr(theirs.bodies[0].joint, name)


def two(inside, kind="revolute", version="1.9"):
    return sdf(
        link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") + joint("j", kind, "a", "b", inside), version
    )


def only_joint(text, **options):
    model, report = load_model(text, base="fixed", **options)
    return model.bodies[-1].joint, report


def test_springs_and_limits_without_end():
    inside = (
        "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>inf</upper><effort>-1</effort></limit>"
        "<dynamics><spring_stiffness>2</spring_stiffness><spring_reference>0.3</spring_reference></dynamics></axis>"
    )
    found, _ = only_joint(two(inside))
    assert (found.limits, found.stiffness, found.rest) == ((), (2.0,), (0.3,))


@pytest.mark.parametrize(
    ("thread", "pitch"),
    [
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / math.tau),
        ("<thread_pitch>-20</thread_pitch>", 0.05),  # radians by metre of a left-handed thread
        ("", 1 / math.tau),
    ],
)
def test_a_screw_advances_by_its_pitch(thread, pitch):
    found, _ = only_joint(two(thread + "<axis><xyz>0 0 1</xyz></axis>", "screw"))
    assert found.kind == "helical"
    assert found.pitch == pytest.approx(pitch, rel=1e-15)


@pytest.mark.parametrize(
    ("version", "flag", "turned"), [("1.4", "", True), ("1.5", "", False), ("1.6", "1", True)]
)
def test_axes_of_old_versions_stand_in_the_models_frame_where_they_did(version, flag, turned):
    said = f"<use_parent_model_frame>{flag}</use_parent_model_frame>" if flag else ""
    text = two(f"<axis><xyz>1 0 0</xyz>{said}</axis>", version=version).replace(
        "0 0 1 0 0 0", f"0 0 1 0 0 {math.pi / 2!r}"
    )
    found, report = only_joint(text)
    np.testing.assert_allclose(list(found.axes[0]), [0, -1, 0] if turned else [1, 0, 0], atol=1e-15)
    assert report.warnings == ()


MIMIC = sdf(
    link("palm") + link("left", "<pose>0 0.1 0 0 0 0</pose>") + link("right", "<pose>0 -0.1 0 0 0 0</pose>")
    + joint("l", "prismatic", "palm", "left", "<axis><xyz>0 1 0</xyz></axis>")
    + joint(
        "r", "prismatic", "palm", "right",
        '<axis><xyz>0 -1 0</xyz><mimic joint="l"><multiplier>2</multiplier><offset>0.01</offset>'
        "<reference>0.03</reference></mimic></axis>",
    ),
    "1.11",
)  # fmt: skip


def test_a_gripper_closes_as_its_file_says():
    robot = qt.load(MIMIC, base="fixed")
    assert robot.nq == 1
    position, _ = robot.pose([0.05], "right")
    assert position[1] == pytest.approx(-0.1 - (2 * (0.05 - 0.03) + 0.01), rel=1e-15)
    free = qt.load(MIMIC, base="fixed", mimic="independent")
    assert free.nq == 2
    assert "'r' has a coordinate of its own, though it follows 'l'" in str(free.report)


def test_a_joint_that_is_passed_from_its_child_moves_the_same_way_apart():
    """B hangs on A and on C by joints of which it is the child: C is reached through B."""
    chain = [link(n, f"<pose>0 0 {k} 0 0 0.{k}</pose>") for k, n in enumerate("abc")]
    away = "<pose>0.1 0 0 0 0.2 0</pose>"
    text = sdf(
        "".join(chain)
        + joint("ab", "fixed", "a", "b", "")
        + joint("cb", "revolute", "c", "b", away + "<axis><xyz>0 1 0</xyz></axis>")
    )
    model, report = load_model(text, base="fixed")
    other, _ = load_model(
        sdf("".join(chain) + joint("ab", "fixed", "a", "b", "")
            + joint("cb", "revolute", "b", "c", '<pose relative_to="b">0.1 0 0 0 0.2 0</pose>'
                    '<axis><xyz>0 -1 0</xyz></axis>')),
        base="fixed",
    )  # fmt: skip
    for one, same in zip(dynamics_of(model), dynamics_of(other), strict=True):
        np.testing.assert_allclose(one, same, atol=1e-14)
    assert "joint 'cb' is read from its child to its parent" in str(report)


def test_loops_and_gearboxes_are_kept_and_told():
    square = "".join(link(n, f"<pose>{k} 0 0 0 0 0</pose>") for k, n in enumerate("abc"))
    text = sdf(
        square + joint("ab", "revolute", "a", "b") + joint("bc", "revolute", "b", "c")
        + joint("ac", "revolute", "a", "c")
        + joint("g", "gearbox", "a", "b", "<gearbox_reference_body>c</gearbox_reference_body>")
    )  # fmt: skip
    model, report = load_model(text, base="fixed")
    assert model.nv == 2
    assert "joint 'ac' closes a loop, which the tree here leaves open" in str(report)
    assert "joint 'g' is a gearbox between joints, which is not modelled here" in str(report)
    assert [extra.name for extra in model.extras] == ["g", "ac"]


EVERYTHING = f"""<sdf version="1.11"><model name="m" canonical_link="a"><pose degrees="true">1 2 3 10 20 30</pose>
  <frame name="f" attached_to="b"><pose relative_to="a" rotation_format="quat_xyzw">1 2 3 0 0 0 1</pose></frame>
  {link("a")}{link("b", '<pose relative_to="a">0 0 1 0 0 0</pose>')}{link("c")}{link("d")}{link("e")}
  {joint("ab", "universal", "a", "f", '<axis><xyz>1 0 0</xyz></axis><axis2><xyz expressed_in="f">0 1 0</xyz></axis2>')}
  {joint("cb", "screw", "c", "b", "<thread_pitch>3</thread_pitch><axis><xyz>0 0 1</xyz></axis>")}
  {joint("cd", "ball", "c", "d", "")}{joint("da", "revolute", "d", "a")}
  {joint("ea", "prismatic", "e", "a", '<axis><mimic joint="cb"><multiplier>2</multiplier></mimic></axis>')}
  <link name="auto"><inertial auto="true"><density>3</density></inertial><collision name="v">
    <pose relative_to="f"/><geometry><cone><radius>1</radius><length>2</length></cone></geometry></collision></link>
  <model name="n"><pose relative_to="auto"/><link name="x"/><frame name="g"/></model>
  <joint name="gb" type="gearbox"><parent>a</parent><child>b</child></joint>
</model></sdf>"""


# ---- worlds -------------------------------------------------------------------------------------------

WORLD = f"""<sdf version="1.7"><world name="yard"><gravity>0 0 -1.6</gravity>
  <model name="floor"><static>true</static>
    <link name="slab"><collision name="c"><geometry><plane/></geometry></collision></link></model>
  <model name="cart"><pose>1 2 3 0 0 0</pose>{link("body")}</model>
  <model name="ball">{link("body")}</model><light name="sun" type="point"/>
  <include><uri>model://ground_plane</uri></include></world></sdf>"""


def test_a_world_is_one_machine_of_all_its_models():
    model, report = load_model(WORLD)
    assert model.body_names == ("cart::body", "ball::body")
    assert (model.name, model.nq, tuple(model.gravity)) == ("yard", 14, (0, 0, -1.6))
    assert model.keyframe("start").q == (1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
    told = str(report)
    assert "3 models are read as one machine: floor, cart, ball; names in them begin with model::" in told
    assert "'model://ground_plane' is scenery, and not here: it is left out" in told
    assert "<light>: kept in model.extras" in told
    assert load_model(WORLD, base="fixed")[0].nv == 0


def test_a_world_that_does_not_say_its_gravity_has_that_of_sdf():
    text = WORLD.replace("<gravity>0 0 -1.6</gravity>", "")
    model, report = load_model(text)
    assert tuple(model.gravity) == (0, 0, -9.8)
    assert "gravity is 9.8 m/s², as in every world of SDF that does not say it" in str(report)


def test_bases():
    fixed = sdf("<static>true</static>" + link("a"))
    assert load_model(fixed)[0].nv == 0
    assert load_model(fixed, base="floating")[0].nv == 6
    joined = sdf(link("a") + joint("ground", "fixed", "world", "a", ""))
    assert load_model(joined)[0].nv == 0
    with pytest.raises(FormatError, match="nothing in this file floats: a joint holds it to the world"):
        load_model(joined, base="floating")


# ---- masses and shapes --------------------------------------------------------------------------------


def test_a_link_without_inertia_has_what_sdf_gives_it_and_it_is_told():
    model, report = load_model(sdf(link("a", inside="")))
    assert (model.mass, list(model.bodies[0].I_Bcm_B)[:3]) == (1.0, [1.0, 1.0, 1.0])
    assert "link 'a' has no <inertial>: 1 kg and 1 kg m² are taken, as in SDF" in str(report)


@pytest.mark.parametrize(
    ("shape", "volume", "moment"),
    [
        ("<box><size>1 2 3</size></box>", 6.0, 6 * (1 + 4) / 12),
        ("<sphere><radius>0.5</radius></sphere>", math.pi / 6, math.pi / 6 * 0.4 * 0.25),
        ("<cylinder><radius>0.5</radius><length>2</length></cylinder>", math.pi / 2, math.pi / 2 * 0.125),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", 8 * math.pi, 8 * math.pi * (1 + 4) / 5),
        ("<cone><radius>1</radius><length>3</length></cone>", math.pi, math.pi * 0.3),
    ],
)
def test_an_inertia_that_is_found_from_shapes(shape, volume, moment):
    inside = f"<pose>1 0 0 0 0 0</pose><density>10</density><geometry>{shape}</geometry>"
    collision = f'<collision name="c">{inside}</collision>'
    model, report = load_model(sdf(link("a", inside=f'{collision}<inertial auto="true"/>')))
    body = model.bodies[0]
    assert body.mass == pytest.approx(10 * volume, rel=1e-14)
    assert body.I_Bcm_B.zz == pytest.approx(10 * moment, rel=1e-14)
    below = -0.75 if "cone" in shape else 0  # it stands on the middle of its height
    np.testing.assert_allclose(list(body.p_BBcm), [1, 0, below], atol=1e-15)
    assert "the mass and inertia of link 'a' are those of its collisions" in str(report)
    heavy, _ = load_model(
        sdf(link("a", inside=f'{collision}<inertial auto="true"><mass>2</mass></inertial>'))
    )
    assert heavy.bodies[0].I_Bcm_B.zz == pytest.approx(2 * moment / volume, rel=1e-14)


def test_shapes_have_their_places_and_colours():
    visual = (
        '<visual name="v"><pose relative_to="other">0 0 1 0 0 0</pose><geometry><mesh><uri>model://m/a.dae</uri>'
        "<scale>2 2 2</scale></mesh></geometry><material><diffuse>1 0.5 0 1</diffuse><specular>1 1 1</specular>"
        "</material></visual>"
    )
    frame = '<frame name="other"><pose>0 3 0 0 0 0</pose></frame>'
    model, report = load_model(sdf(frame + link("a", "<pose>1 0 0 0 0 0</pose>", visual + INERTIAL)))
    (shape,) = model.shapes
    assert (shape.kind, shape.size, shape.mesh, shape.color) == (
        "mesh", (2, 2, 2), "model://m/a.dae", (1, 0.5, 0, 1),
    )  # fmt: skip
    assert list(shape.X_BG.p) == [-1, 3, 1]
    assert "<material>: of looks, the colour, the name and the texture are read" in str(report)


# ---- what is refused, and what is told ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<sdf version="2.0"><model name="m"/></sdf>', "its version is '2.0'"),
        ('<sdf version="1.7"/>', "there is no <model>"),
        ('<sdf version="1.7"><world name="a"/><world name="b"/></sdf>', "the file has 2 worlds: a, b"),
        (sdf(link("a") + link("a")), "a second link is named 'a'; the first stands in line 1"),
        (sdf(link("a") + joint("j", "hinge", "world", "a")), "joint 'j' has the type 'hinge'"),
        (sdf(link("a") + joint("j", "fixed", "b", "a")), "the parent of joint 'j' is 'b', which is not in 'machine'"),
        (sdf(link("a") + '<joint name="j" type="fixed"><child>a</child></joint>'), "joint 'j' has no <parent>"),
        (two("<axis><xyz>0 0 0</xyz></axis>"), "the axis of joint 'j' is zero"),
        (two("<axis><xyz>0 0</xyz></axis>"), "text of <xyz> is '0 0'"),
        (two("<axis><limit><lower>low</lower></limit></axis>"), "text of <lower> is 'low'"),
        (sdf(link("a", "<pose>1 2 3</pose>")), "text of <pose> is '1 2 3'"),
        (sdf(link("a", '<pose rotation_format="axis">1 2 3</pose>')), "rotation_format is 'axis'"),
        (sdf("<static>maybe</static>" + link("a")), "text of <static> is 'maybe'"),
        (
            sdf('<frame name="f"><pose relative_to="g"/></frame>'
                '<frame name="g"><pose relative_to="f"/></frame>' + link("a")),
            "frames lean on one another in a circle, as each one's pose is measured from the next: f → g → f",
        ),
        (
            sdf('<frame name="f" attached_to="g"><pose relative_to="a"/></frame>'
                '<frame name="g" attached_to="f"><pose relative_to="a"/></frame>' + link("a")),
            "in a circle, as each one's frame is attached to the next: f → g → f",
        ),
        (sdf("<include><uri>http://x/y</uri></include>"), "it includes 'http://x/y'; nothing is fetched"),
        (
            sdf("<include><uri>model://arm</uri></include>"),
            "it includes 'model://arm', which is nowhere: this is a text, which has no folder",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text, message):
    with pytest.raises(FormatError) as caught:
        load_model(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("text:")


def test_a_file_outside_the_models_folder_is_included_only_when_allowed(folder):
    inside = folder / "robots"
    inside.mkdir()
    file = inside / "r.sdf"
    file.write_text(sdf("<include><uri>../hand/hand.sdf</uri></include>"))
    with pytest.raises(
        FormatError, match=r"it includes '../hand/hand.sdf', which lies outside the model's folder"
    ):
        load_model(file)
    assert load_model(file, roots=[folder / "hand"])[0].nv == 7


def test_files_that_include_one_another_are_refused(folder):
    (folder / "a.sdf").write_text(sdf("<include><uri>b.sdf</uri></include>"))
    (folder / "b.sdf").write_text(sdf("<include><uri>a.sdf</uri></include>"))
    with pytest.raises(FormatError, match=r"files include files more than 16 deep"):
        load_model(folder / "a.sdf")


def test_files_that_grow_by_including_others_are_refused(folder, monkeypatch):
    monkeypatch.setattr("quatrain.formats.sdf_sources.MOST_ELEMENTS", 1000)
    for k in range(8):
        twice = "".join(f"<include><uri>{k + 1}.sdf</uri><name>n{i}</name></include>" for i in range(10))
        (folder / f"{k}.sdf").write_text(sdf(twice if k < 7 else link("a")))
    with pytest.raises(FormatError, match=r"with what it includes, this file has more than 1,000 elements"):
        load_model(folder / "0.sdf")


def test_what_changes_a_motion_and_is_not_modelled_is_told():
    inside = (
        "<gravity>false</gravity><kinematic>1</kinematic><velocity_decay><linear>1</linear></velocity_decay>"
    )
    _, report = load_model(
        sdf(link("a", inside=INERTIAL + inside) + "<glow/><plugin name='p' filename='f'/>")
    )
    told = str(report)
    for what in (
        "is without gravity in the file",
        "is moved from outside",
        "is slowed down by velocity_decay",
    ):
        assert f"link 'a' {what}" in told
    assert "<plugin>: kept in model.extras" in told
    assert "<glow>: kept in model.extras" in told


def test_ten_thousand_links_load_in_three_seconds():
    """Of this thread's own time, so that what else the machine does matters little."""
    links = "".join(link(f"l{i}", f"<pose>0 0 {0.2 * i} 0 0 0</pose>") for i in range(10_000))
    joints = "".join(joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}") for i in range(9_999))
    text = sdf(links + joints)
    start = time.thread_time()
    model, _ = load_model(text)
    assert time.thread_time() - start < 3
    assert model.nv == 10_005


def test_a_link_that_is_called_world_is_the_ground():
    seen = '<visual name="v"><geometry><box><size>1 1 1</size></box></geometry></visual>'
    model, report = load_model(
        sdf(link("world", inside=seen) + link("a") + joint("j", "revolute", "world", "a"))
    )
    assert (model.body_names, model.nv, model.shapes[0].body) == (("a",), 1, -1)
    assert "link 'world' is the ground" in str(report)
