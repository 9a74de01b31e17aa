"""`quatrain info`: what its user reads."""

from __future__ import annotations

import json

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
