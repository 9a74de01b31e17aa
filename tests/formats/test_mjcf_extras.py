"""MJCF: constraints, tendons and sensors keep all their numbers, and whatever is told has its line."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain.formats import FormatError
from quatrain.loading import load_model

mujoco = pytest.importorskip("mujoco")

BODY = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MACHINE = f"""<mujoco>
  <compiler angle="degree"/>
  <default><equality solref="0.03 0.9"/><tendon stiffness="7"/></default>
  <worldbody>
    <site name="hook" pos="0 0 2"/>
    <body name="a" pos="0 0 1" euler="10 20 30">{BODY}
      <geom name="drum" type="cylinder" size="0.1 0.1"/>
      <site name="on_a" pos="0.3 0 0"/>
      <body name="b" pos="1 0 0" euler="0 40 0">{BODY}
        <joint name="jb" axis="0 1 0"/><site name="on_b" pos="0.3 0.2 0"/>
      </body>
      <joint name="ja" axis="0 0 1"/>
    </body>
    <body pos="0 3 0">{BODY}<joint/><site name="on_c"/></body>
  </worldbody>
  <tendon>
    <fixed name="pair" range="-10 20" limited="true" damping="0.5" frictionloss="0.1" springlength="0.2">
      <joint joint="ja" coef="2"/><joint joint="jb" coef="-0.5"/>
    </fixed>
    <spatial stiffness="11">
      <site site="hook"/><geom geom="drum" sidesite="on_a"/><site site="on_b"/>
      <pulley divisor="2"/><site site="hook"/><site site="on_c"/>
    </spatial>
  </tendon>
  <equality>
    <connect name="loop" body1="a" body2="b" anchor="0.4 0.1 0.2"/>
    <weld body1="b" body2="a" torquescale="3" anchor="0.1 0.2 0.3" solimp="0.8 0.9 0.01 0.4 3" active="false"/>
    <joint name="ratio" joint1="ja" joint2="jb" polycoef="0.1 2 0.3 0 0"/>
    <tendon name="held" tendon1="pair" polycoef="0.5 0 0 0 0"/>
    <connect name="pinned" site1="hook" site2="on_c"/>
  </equality>
  <sensor><jointpos name="angle" joint="ja" noise="0.02"/></sensor>
</mujoco>"""


@pytest.fixture(scope="module")
def machine():
    model, report = load_model(MACHINE)
    return {extra.name: extra for extra in model.extras}, report


def numbers(text):
    return [float(word) for word in text.split()]


def line_of(text, part):
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


def test_constraints_keep_what_they_join_and_their_numbers(machine):
    kept, _ = machine
    loop, ratio, held, weld = kept["loop"], kept["ratio"], kept["held"], kept["equality1"]
    assert [loop[key] for key in ("type", "active", "body1", "body2")] == ["connect", "true", "a", "b"]
    assert numbers(loop["solref"]) == [0.03, 0.9]  # of the default class
    assert (ratio["joint1"], ratio["joint2"], ratio["polycoef"]) == ("ja", "jb", "0.1 2 0.3 0 0")
    assert (held["tendon1"], held["polycoef"]) == ("pair", "0.5 0 0 0 0")
    assert "tendon2" not in dict(held.attributes)
    assert (weld["body1"], weld["active"], weld["torquescale"]) == ("b", "false", "3")
    assert numbers(weld["solimp"]) == [0.8, 0.9, 0.01, 0.4, 3]
    assert (kept["pinned"]["site1"], kept["pinned"]["site2"]) == ("hook", "on_c")


def test_anchors_are_one_point_of_both_bodies_where_the_file_puts_them(machine):
    """By MuJoCo's own poses of the bodies; a weld also keeps how they are turned."""
    theirs = mujoco.MjModel.from_xml_string(MACHINE)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    for name, anchor in (("loop", ("anchor1", (0.4, 0.1, 0.2))), ("equality1", ("anchor2", (0.1, 0.2, 0.3)))):
        extra = machine[0][name]
        assert numbers(extra[anchor[0]]) == pytest.approx(anchor[1], abs=1e-15)
        one, two = (data.body(extra[f"body{n}"]) for n in (1, 2))
        points = [
            body.xpos + body.xmat.reshape(3, 3) @ numbers(extra[f"anchor{n}"])
            for n, body in ((1, one), (2, two))
        ]
        np.testing.assert_allclose(*points, rtol=0, atol=1e-14)
    R = qt.Quaternion(*numbers(extra["relquat"])).to_matrix().to_array()
    np.testing.assert_allclose(one.xmat.reshape(3, 3) @ R, two.xmat.reshape(3, 3), rtol=0, atol=1e-14)


def test_tendons_keep_their_paths_and_their_numbers(machine):
    pair, rope = machine[0]["pair"], machine[0]["tendon1"]
    assert (pair["type"], pair["limited"], pair["damping"], pair["frictionloss"]) == (
        "fixed",
        "true",
        "0.5",
        "0.1",
    )
    assert (pair["stiffness"], rope["stiffness"]) == ("7", "11")
    assert numbers(pair["range"]) == [-10, 20]  # lengths: no angles
    assert numbers(pair["lengthspring"]) == [0.2, 0.2]
    assert [(part.kind, part.name, part["coef"]) for part in pair.parts] == [
        ("joint", "ja", "2"),
        ("joint", "jb", "-0.5"),
    ]
    assert rope["type"] == "spatial"
    assert [(part.kind, part.name) for part in rope.parts] == [
        ("site", "hook"), ("geom", "drum"), ("site", "on_b"), ("pulley", ""), ("site", "hook"), ("site", "on_c"),
    ]  # fmt: skip
    assert rope.parts[1].attributes == (("type", "cylinder"), ("sidesite", "on_a"))
    assert rope.parts[3]["divisor"] == "2"
    theirs = mujoco.MjModel.from_xml_string(MACHINE)
    assert float(rope["length0"]) == theirs.tendon_length0[1]


def test_sensors_are_kept_as_they_are_written(machine):
    angle = machine[0]["angle"]
    assert dict(angle.attributes) == {"type": "jointpos", "name": "angle", "joint": "ja", "noise": "0.02"}


def test_each_is_named_with_its_line_also_without_a_name(machine):
    kept, report = machine
    told = str(report)
    for name, part, text in (
        ("loop", '"loop"', "equality 'loop' (connect: 'a', 'b')"),
        ("equality1", "<weld", "equality 'equality1' (weld: 'b', 'a')"),
        ("pinned", '"pinned"', "equality 'pinned' (connect: 'hook', 'on_c')"),
        ("pair", '"pair"', "tendon 'pair' (fixed: 'ja', 'jb')"),
        ("tendon1", "<spatial", "tendon 'tendon1' (spatial: 'hook', 'drum', 'on_b', 'on_c')"),
    ):
        where = f"text:{line_of(MACHINE, part)}"
        assert kept[name].where == where
        assert f"{where}: {text}: kept in model.extras, without effect on the dynamics" in told


def test_what_is_kept_survives_our_own_format(machine, tmp_path):
    model, _ = load_model(MACHINE)
    qt.save(model, tmp_path / "m.json")
    assert load_model(tmp_path / "m.json")[0].extras == model.extras


# ---- lines --------------------------------------------------------------------------------------------


def test_findings_of_named_things_have_their_lines():
    text = MACHINE.replace(
        "<compiler", '<option\n density="2"/><asset><mesh name="m" file="no.stl"/></asset><compiler'
    )
    text = text.replace('<body name="b"', '<body\n gravcomp="1" name="b"')
    text = text.replace('<fixed name="pair"', '\n<fixed armature="0.1" name="pair"')
    text = text.replace(
        "<sensor>", '<actuator><muscle name="flesh" joint="ja"\nlengthrange="0 1"/></actuator><sensor>'
    )
    text = text.replace('<body pos="0 3 0">', '<body name="c" mocap="true"/>\n<body pos="0 3 0">')
    _, report = load_model(text)
    told = str(report)
    for part, what in (
        ("<option", "the medium has density 2"),
        ('<mesh name="m"', "mesh 'no.stl' lies outside the folders of the model"),
        ("<body\n", "body 'b' is held against gravity"),
        ("<fixed armature", "tendon 'pair' has armature"),
        ("<muscle", "actuator 'flesh' is of a kind"),
        ("mocap", "body 'c' is moved from outside"),
    ):
        line = text[: text.index(part)].count("\n") + 1
        assert f"text:{line}: {what}" in told


def test_faults_stand_where_the_body_or_joint_does():
    """By the order of the file, where there is no name; of a body's joint also where a child stands before it."""
    text = """<mujoco><worldbody>
      <body>
        <body><joint axis="1 0 0" range="2 1" limited="true"/><geom size="0.1"/></body>
        <joint axis="0 0 1"/>
        <geom size="0.1"/>
      </body>
      <body name="light"><inertial pos="9 0 0" mass="1" diaginertia="1 1 1"/>
        <joint name="x" type="slide"/><joint
          name="y" type="slide" axis="1 0 0"/><geom size="0.1" mass="0"/></body>
    </worldbody></mujoco>""".replace('range="2 1" limited="true"', 'range="1 2"')
    from quatrain.formats import read

    places = {key: str(place) for key, place in read(text)[0].places.items()}
    assert places["body 'body1'"] == "text:2"
    assert places["joint 'joint0'"] == "text:4"
    assert places["joint 'joint1'"] == places["body 'body2'"] == "text:3"
    assert places["body 'light/x'"] == places["joint 'x'"] == places["joint 'y'"] == "text:8"
    _, report = load_model(text)
    (slip,) = report.of("units")
    assert str(slip).startswith("text:7: body 'light': its centre of mass is")


def test_lines_are_of_the_file_that_is_included(tmp_path):
    (tmp_path / "rest.xml").write_text(
        "<mujocoinclude>\n<joint\nname='ratio' joint1='j' polycoef='1 0 0 0 0'/></mujocoinclude>"
    )
    (tmp_path / "m.xml").write_text(
        f'<mujoco><worldbody><body>{BODY}<joint name="j"/></body></worldbody>\n'
        '<equality>\n<include file="rest.xml"/></equality></mujoco>'
    )
    model, report = load_model(tmp_path / "m.xml")
    assert model.extras[0].where == "rest.xml:2"
    assert str(report).splitlines()[0].endswith(": 1 body, 1 joint, 0 shapes")
    assert "rest.xml:2: equality 'ratio' (joint: 'j'): kept" in str(report)
    (tmp_path / "rest.xml").write_text(
        '<mujocoinclude><compiler meshdir="parts"/><asset>\n<mesh file="no.stl"/></asset></mujocoinclude>'
    )
    (tmp_path / "n.xml").write_text(
        f'<mujoco><include file="rest.xml"/><worldbody><body>{BODY}<joint/></body></worldbody></mujoco>'
    )
    (finding,) = load_model(tmp_path / "n.xml")[1].of("shapes")
    assert str(finding).startswith("rest.xml:2: mesh ")
    (tmp_path / "rest.xml").write_text("<mujocoinclude>\n<weld/></mujocoinclude>")
    with pytest.raises(FormatError) as caught:
        load_model(tmp_path / "m.xml")
    assert str(caught.value).startswith(
        "m.xml: MuJoCo's compiler refuses it"
    )  # which file it means, it does not say


def test_what_the_compiler_refuses_has_its_line():
    text = "<mujoco><worldbody>\n\n<bodyy/></worldbody></mujoco>"
    with pytest.raises(FormatError, match=r"^text:3: MuJoCo's compiler refuses it: .*'bodyy', line 3"):
        load_model(text)


def test_what_is_replicated_keeps_its_line_where_a_name_leads_to_it():
    text = f"""<mujoco><worldbody><replicate count="2" offset="1 0 0"><body name="r">{BODY}<joint/></body></replicate>
      <body name="last" gravcomp="1">{BODY}<joint/></body></worldbody></mujoco>"""
    _, report = load_model(text)
    assert "text:2: body 'last' is held against gravity" in str(report)
