"""Xacro: written out by its library, only when a file is called so; packages, arguments, and what it may not open."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import quatrain as qt
from quatrain.cli import app
from quatrain.errors import ArgumentError
from quatrain.formats import FormatError, xacro
from quatrain.loading import load_model

pytest.importorskip("xacro")

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="n" default="2"/>
  <xacro:property name="length" value="${0.5 * 2}"/>
  <xacro:include filename="$(find parts)/urdf/link.xacro"/>
  <link name="l0"/>
  <xacro:macro name="chain" params="k">
    <xacro:part name="l${k}" mass="${2 * k}"/>
    <joint name="j${k}" type="continuous"><origin xyz="0 0 ${length}"/><parent link="l${k - 1}"/>
      <child link="l${k}"/><axis xyz="0 1 0"/></joint>
    <xacro:if value="${k &lt; int('$(arg n)')}"><xacro:chain k="${k + 1}"/></xacro:if>
  </xacro:macro>
  <xacro:chain k="1"/>
</robot>"""

PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="part" params="name mass">
  <link name="${name}"><inertial><mass value="${mass}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
</xacro:macro></robot>"""


@pytest.fixture
def folder(tmp_path):
    for package in ("arm", "parts"):
        (tmp_path / package / "urdf").mkdir(parents=True)
    (tmp_path / "parts" / "urdf" / "link.xacro").write_text(PART)
    (tmp_path / "arm" / "urdf" / "arm.urdf.xacro").write_text(ARM)
    return tmp_path


def arm_of(folder):
    return folder / "arm" / "urdf" / "arm.urdf.xacro"


def test_macros_includes_and_expressions_become_a_robot(folder):
    model, report = load_model(arm_of(folder))
    assert [body.mass for body in model.bodies] == [2, 4]
    assert model.bodies[1].joint.X_PJ.p.z == 1
    assert report.source == "arm.urdf.xacro (written out)"
    assert report.warnings == ()


def test_arguments_are_those_of_the_file(folder):
    assert qt.load(arm_of(folder), arguments={"n": 4}).nv == 4


def test_arguments_on_the_command_line(folder, tmp_path):
    arm, copy = str(arm_of(folder)), str(tmp_path / "arm.urdf")

    def ended(*arguments):
        result = CliRunner().invoke(app, arguments)
        failed = isinstance(result.exception, ArgumentError)
        return result.exit_code, str(result.exception) if failed else result.output

    for command in ("info", "check"):
        assert "3 joints" in ended(command, arm, "--arg", "n=3")[1]
        assert "2 joints" in ended(command, arm)[1]
    assert ended("convert", arm, copy, "--arg", "n=3")[0] == 0
    assert qt.load(copy).nv == 3
    assert ended("diff", arm, copy, "--arg", "n=3")[0] == 0  # those of the xacro alone
    assert ended("diff", arm, copy, "--arg", "n=4")[0] == 1
    for wrong, message in (
        (("--arg", "n"), "--arg is 'n'.\n  To fix: write --arg NAME=VALUE."),
        (("--arg", "=3"), "--arg is '=3'."),
        (("--arg", "n=3", "--arg", "n=4"), "--arg gives 'n' twice"),
    ):
        code, text = ended("info", arm, *wrong)
        assert (code, message in text) == (1, True)
    assert "arm.urdf is no .xacro, and arguments came" in ended("info", copy, "--arg", "n=3")[1]
    assert "there is no file 'arm6', and arguments came" in ended("info", "arm6", "--arg", "n=3")[1]
    code, text = ended("diff", "arm6", "arm6", "--arg", "n=3")
    assert (code, "arguments came" in text) == (2, True)


def test_a_file_that_is_not_called_xacro_is_not_evaluated(folder):
    plain = folder / "arm" / "urdf" / "arm.urdf"
    plain.write_text(ARM)
    with pytest.raises(FormatError, match="<xacro:arg> is of xacro, which writes a URDF"):
        load_model(plain)
    with pytest.raises(ArgumentError, match=r"is no \.xacro, and arguments came"):
        load_model(plain, arguments={"n": 3})


def test_a_package_that_is_not_found_is_taken_to_be_the_files_own_and_it_is_told(folder):
    (folder / "parts" / "urdf" / "link.xacro").rename(folder / "arm" / "urdf" / "link.xacro")
    for name in ("urdf", "."):
        (folder / "parts" / name).rmdir()
    _, report = load_model(arm_of(folder))
    assert "package 'parts' is not found: 'arm', which holds the file, is taken for it" in str(report)


def test_a_package_may_be_anywhere_that_is_declared(folder, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "named_otherwise"
    (folder / "parts").rename(elsewhere)
    (elsewhere / "package.xml").write_text("<package><name>parts</name></package>")
    assert load_model(arm_of(folder), roots=[elsewhere])[0].nv == 2
    elsewhere.rename(elsewhere.parent / "parts")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(elsewhere.parent))
    assert load_model(arm_of(folder))[0].nv == 2


@pytest.mark.parametrize(
    ("was", "is_", "message"),
    [
        ("${0.5 * 2}", "${0.5 *}", "xacro cannot write it out:"),
        ('value="${0.5 * 2}"', 'value="${[].__class__}"', "Use of invalid name(s)"),
        ("$(find parts)/urdf/link.xacro", "/etc/passwd", "which lies outside the packages of the model"),
        (
            "$(find parts)/urdf/link.xacro",
            "../../../../../../etc/passwd",
            "lies outside the packages of the model",
        ),
        ("$(find parts)/urdf/link.xacro", "none.xacro", "No such file"),
        ('<xacro:chain k="1"/>', '<xacro:chains k="1"/>', "chains"),
        ('<robot name="arm"', '<!DOCTYPE a [<!ENTITY b "c">]><robot name="arm"', "declares the entity 'b'"),
    ],
)
def test_what_is_wrong_is_told(folder, was, is_, message):
    assert was in ARM
    arm_of(folder).write_text(ARM.replace(was, is_))
    with pytest.raises(FormatError) as caught:
        load_model(arm_of(folder))
    assert message in str(caught.value)
    assert str(caught.value).startswith("arm.urdf.xacro")


def test_entities_of_an_included_file_are_refused(folder):
    (folder / "parts" / "urdf" / "link.xacro").write_text('<!DOCTYPE a [<!ENTITY b "c">]>' + PART)
    with pytest.raises(FormatError, match=r"link\.xacro declares entities, which are not read"):
        load_model(arm_of(folder))


def test_macros_alone_are_no_robot(folder):
    with pytest.raises(FormatError, match="it defines macros for other files to use"):
        load_model(folder / "parts" / "urdf" / "link.xacro")


def test_an_evaluation_without_end_is_ended(folder, monkeypatch):
    monkeypatch.setattr(xacro, "SECONDS", 2)
    arm_of(folder).write_text(ARM.replace("${0.5 * 2}", "${9 ** 9 ** 9}"))
    with pytest.raises(FormatError, match="xacro was not done after 2 s"):
        load_model(arm_of(folder))
