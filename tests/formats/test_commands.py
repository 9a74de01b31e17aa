"""`quatrain info`: what its user reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quatrain.cli import app, main
from tests.formats.robots import ROBOT


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_info_shows_a_robot_and_what_became_of_its_file(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT)
    text = shown("info", str(file))
    assert text.startswith("r: 2 bodies, nq 1, nv 1, mass 2 kg")
    assert "r.urdf (URDF): 4 links, 3 joints, 2 shapes" in text
    assert "info [assumed] r.urdf:4: 'base' is fixed to" in text
    assert max(map(len, text.splitlines())) <= 80
    told = json.loads(shown("info", str(file), "--base", "floating", "--json"))
    assert (told["nq"], told["nu"], told["bodies"][1]["parent"]) == (8, 1, "base")
    assert {finding["line"] for finding in told["report"]["findings"]} >= {4}


def test_info_of_an_example_and_of_nothing(monkeypatch, capsys):
    assert shown("info", "arm6").startswith("arm6: 6 bodies")
    monkeypatch.setattr("sys.argv", ["quatrain", "info", "arm66"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    message = capsys.readouterr().err
    assert "there is no file 'arm66', and no such example.\n  To fix: choose one of pendulum" in message


def ended(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


WRONG = """<robot name="w"><link name="a"/>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="-0.5"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/>
    <limit lower="1" upper="-1" effort="1" velocity="-3"/></joint></robot>"""


@pytest.fixture
def wrong(tmp_path):
    file = tmp_path / "w.urdf"
    file.write_text(WRONG)
    return file


@pytest.fixture
def robot(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT)
    return file


def test_check_of_a_sound_file(robot):
    code, text = ended("check", robot)
    assert code == 0
    assert text.startswith("r.urdf (URDF): 4 links, 3 joints, 2 shapes\n")
    assert "0 errors, 0 warnings\n" in text
    assert "comparisons of its equations agree, on 4 random states, to 1e-10\n" in text
    assert max(map(len, text.splitlines())) <= 80
    code, text = ended("check", robot, "--no-verify")
    assert (code, "its equations were not compared: not asked for" in text) == (0, True)


def test_check_tells_all_that_is_wrong_with_lines_and_remedies(wrong):
    code, text = ended("check", wrong)
    assert code == 1
    flat = " ".join(text.split())
    assert "error [model] w.urdf:2: body 'b': inertia has the principal moments -0.5, 1, 1: no matter" in flat
    assert "error [model] w.urdf:3: joint 'j': limits 1 > -1 are reversed. To fix: swap them" in flat
    assert "2 errors, 0 warnings its equations were not compared: the model has errors" in flat
    told = json.loads(ended("check", wrong, "--json")[1])
    assert (told["passed"], told["counts"]["error"]) == (False, 2)
    assert [one["line"] for one in told["findings"] if one["severity"] == "error"] == [2, 3]


def test_check_of_a_file_that_cannot_be_read(tmp_path):
    file = tmp_path / "x.urdf"
    file.write_text('<robot name="x">\n<link name="a"/><joint name="j" type="bendy"/></robot>')
    code, text = ended("check", file)
    assert code == 1
    flat = " ".join(text.split())
    assert "error [structure] x.urdf:2: joint 'j' has the type 'bendy'. To fix: the types of URDF are" in flat
    assert "its equations were not compared: the file could not be read" in flat
    file.write_text(
        ROBOT.replace('<child link="arm"/>', '<child link="arn"/>').replace(
            'link="hand"/><child', 'link="hnd"/><child'
        )
    )
    told = json.loads(ended("check", file, "--json")[1])
    assert told["format"] == ""
    assert len([one for one in told["findings"] if one["severity"] == "error"]) == 2
    assert all(one["line"] for one in told["findings"])
    assert ended("check", tmp_path / "none.urdf")[0] == 1


def test_check_can_take_warnings_for_errors(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT.replace("<robot ", '<robot mood="good" '))
    assert ended("check", file, "--no-verify")[0] == 0
    assert ended("check", file, "--no-verify", "--strict")[0] == 1


def test_check_writes_a_mended_copy_and_says_every_change(wrong, tmp_path):
    copy = tmp_path / "mended.urdf"
    code, text = ended("check", wrong, "--repair", copy)
    assert code == 1  # of the file that was checked
    flat = " ".join(text.split())
    assert f"written to {copy}, with 3 changes" in flat
    assert "joint 'j': limits 1 and -1 have changed places" in flat
    assert "joint 'j': greatest velocity -3 became 3" in flat
    assert "body 'b': the principal moments -0.5, 1, 1 are replaced by" in flat
    code, text = ended("check", copy)
    assert (code, "0 errors" in text) == (0, True)
    told = json.loads(ended("check", wrong, "--repair", copy, "--json")[1])
    assert len(told["repaired"]["changes"]) == 3


def test_convert_there_and_back(robot, tmp_path):
    code, text = ended("convert", robot, tmp_path / "r.json")
    assert code == 0
    assert "r.json (JSON, version 1): 4 bodies, 0 frames, 2 shapes" in text
    assert ended("diff", robot, tmp_path / "r.json")[0] == 0
    assert ended("convert", tmp_path / "r.json", tmp_path / "back.urdf")[0] == 0
    assert ended("diff", robot, tmp_path / "back.urdf", "--no-merge-fixed")[0] == 0
    told = json.loads(ended("convert", robot, tmp_path / "r.txt", "--to", "urdf", "--json")[1])
    assert told["written"]["findings"] == []
    assert told["read"]["format"] == "URDF"


def test_convert_writes_nothing_where_anything_would_be_lost(tmp_path, monkeypatch, capsys):
    target = tmp_path / "q.urdf"
    monkeypatch.setattr("sys.argv", ["quatrain", "convert", "arm6", str(target), "--strict"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert (
        "rotor inertias (joint1, joint2, joint3, joint4, joint5 … (6 in all)) have no place in URDF"
        in capsys.readouterr().err
    )
    assert not target.exists()


def test_diff_answers_as_diff_does(robot, tmp_path):
    other = tmp_path / "o.urdf"
    other.write_text(ROBOT.replace('<mass value="2"/>', '<mass value="2.5"/>'))
    assert ended("diff", robot, robot)[0] == 0
    code, text = ended("diff", robot, other)
    assert code == 1
    assert text.startswith("r.urdf and o.urdf differ, to 1e-09 of what is compared\n")
    assert "  [inertia] body 'arm': mass [kg] 2, there 2.5\n" in text
    assert "mass matrix: " in text
    assert ended("diff", robot, other, "--tolerance", "0.5")[0] == 0
    code, text = ended("diff", robot, tmp_path / "none.urdf")
    assert code == 2
    assert "To fix: check the name" in text
    told = json.loads(ended("diff", robot, other, "--json")[1])
    assert (told["same"], told["differences"][0]["a"], told["differences"][0]["b"]) == (False, 2.0, 2.5)


# ---- what is promised of the JSON, and of 80 columns --------------------------------------------------

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "files.md"


def documented(command: str) -> tuple[set[str], set[str]]:
    """Keys of the whole, and those inside of it, as the guide lists them in the table after a command's name."""
    text = GUIDE.read_text(encoding="utf-8").split(f"\n{command}", 1)[1]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|$", text.split("\n\n")[1], re.MULTILINE)
    return (
        {key for keys, _ in rows for key in re.findall(r"`([^`]+)`", keys)},
        {key for _, means in rows for key in re.findall(r"`([a-z]+)`", means)},
    )


def inner(value):
    """Keys of the objects in lists and objects, at any depth."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = {*value} if isinstance(value, dict) else set()
    return own.union(*map(inner, parts))


def test_the_documented_keys_are_those_that_come(robot, wrong, tmp_path):
    report, finding = documented("A report, here and below")
    finding -= {"error", "warning", "info"}  # values
    told = json.loads(ended("info", robot, "--json")[1])
    keys, of_bodies = documented("`info`")
    assert {*told} == keys
    assert {*told["bodies"][0]} == of_bodies - {"null"}
    assert {*told["report"]} == report
    assert all({*one} == finding for one in told["report"]["findings"])

    keys, details = documented("`check`: the keys of a report, and")
    told = json.loads(ended("check", robot, "--json", "--repair", tmp_path / "m.urdf")[1])
    assert {*told} == report | keys
    assert {*told["counts"]} == {"error", "warning", "info"}
    assert inner(told["verification"]) | {*told["repaired"]} == details - {"null"}
    assert json.loads(ended("check", wrong, "--json")[1])["verification"] is None

    told = json.loads(ended("convert", robot, tmp_path / "r.json", "--json")[1])
    assert [*told] == ["read", "written"]
    assert {*told["written"]} == report

    keys, details = documented("`diff`")
    told = json.loads(ended("diff", robot, "arm6", "--json")[1])
    assert {*told} == keys
    assert {*told["differences"][0]} < details
    told = json.loads(ended("diff", "arm6", "arm6", "--json")[1])
    assert all({*one} == {"largest", "where"} for one in told["motion"].values())
    assert "`mass matrix`, `bias force`, `places of bodies and frames [m]`" in GUIDE.read_text(
        encoding="utf-8"
    )
    assert [*told["motion"]] == ["mass matrix", "bias force", "places of bodies and frames [m]"]


@pytest.mark.parametrize("file", ["panda.urdf", "go2.urdf", "g1_29dof_rev_1_0.urdf", "pr2.urdf"])
def test_robots_fit_80_columns(file, tmp_path):
    pytest.importorskip("pinocchio")
    from tests.formats.test_urdf_corpus import HOME

    path = next(HOME.rglob(file))
    copy = tmp_path / "copy.xml"
    for arguments in (
        ("info", path),
        ("check", path, "--no-verify"),
        ("convert", path, copy),
        ("diff", path, copy),
        ("diff", path, copy, "--mimic", "independent"),
    ):
        code, text = ended(*arguments)
        assert code == (arguments[0] == "diff")
        assert max(map(len, text.splitlines())) <= 80, arguments
