"""Files as people write them: marks before the first byte, ends of lines, comments and unknown tags everywhere."""

from __future__ import annotations

import re

import pytest

from quatrain.loading import load_model
from tests.formats import test_mjcf, test_sdf
from tests.formats.robots import ROBOT

TEXTS = {"urdf": ROBOT, "sdf": test_sdf.EVERYTHING, "mjcf": test_mjcf.MACHINE}


def everywhere(text, inserted):
    """After every tag but the last."""
    text = re.sub(r"<\?xml.*?\?>", "", text)
    return re.sub(r"(?<=>)(?=\s*<(?!/sdf>|/robot>|/mujoco>))", inserted, text)


ODD = {
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "old Macintosh": lambda text: text.replace("\n", "\r").encode(),
    "one line": lambda text: text.replace("\n", " ").encode(),
    "comments": lambda text: everywhere(text, "<!-- <link name='none'/> -->").encode(),
    "instructions": lambda text: everywhere(text, "<?editor fold?>").encode(),
    "declaration": lambda text: (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        + re.sub(r"<\?xml.*?\?>", "", text).encode()
    ),
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("how", ODD)
def test_how_a_file_is_written_changes_nothing(kind, how, tmp_path):
    if kind == "mjcf":
        pytest.importorskip("mujoco")
        if how == "instructions":
            return  # its own parser refuses them
    file = tmp_path / f"robot.{kind}"
    file.write_bytes(ODD[how](TEXTS[kind]))
    found, report = load_model(file)
    plain, same = load_model(TEXTS[kind])
    assert found.digest == plain.digest
    assert sorted(f.what for f in report.warnings) == sorted(f.what for f in same.warnings)


@pytest.mark.parametrize("kind", ["urdf", "sdf"])
def test_unknown_tags_are_told_and_change_nothing(kind):
    text = everywhere(TEXTS[kind], "<unknown/>")
    found, report = load_model(text)
    plain, _ = load_model(TEXTS[kind])
    assert found.digest == plain.digest
    told = [f for f in report.findings if "<unknown>" in f.what]
    counted = sum(int(m[1]) if (m := re.search(r"<unknown>, (\d+) times", f.what)) else 1 for f in told)
    assert counted + sum(map(within, found.extras)) == text.count("<unknown/>")


def within(extra):
    """Of what is kept with all that is in it."""
    return sum((part.kind == "unknown") + within(part) for part in extra.parts)


@pytest.mark.parametrize(
    "kind", ["urdf", "sdf"]
)  # MuJoCo knows all that may be in its files, and refuses others
def test_attributes_of_other_programs_are_told(kind):
    _, report = load_model(TEXTS[kind].replace("<link ", '<link colour="red" ', 1))
    assert any("attribute 'colour' of <link>" in finding.what for finding in report.warnings)


def test_a_joint_without_origin_stands_where_its_parent_does():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1"/></inertial></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
    model, _ = load_model(text)
    assert type(model.bodies[0].joint.X_PJ).identity() == model.bodies[0].joint.X_PJ
    assert model.shapes == ()
