"""The command, read as its user reads it: the text, where it goes, and the exit code."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from quatrain.cli import app, main
from quatrain.compiler.cache import Cache

posix = pytest.mark.skipif(os.name != "posix", reason="owners, modes and terminals of POSIX")
KEYS = [f"{i:064x}" for i in range(3)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / "the [red] cache"))
    monkeypatch.delenv("QUATRAIN_CACHE_LIMIT", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path / "the [red] cache"


@pytest.fixture
def filled(folder):
    for key in KEYS:
        Cache(folder).put(key, bytes(100_000))
    return folder


def run(*arguments):
    result = CliRunner().invoke(app, ["cache", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def whole(*arguments, monkeypatch, capsys):
    """Through `main`, as the installed command runs it."""
    monkeypatch.setattr(sys, "argv", ["quatrain", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, *capsys.readouterr()


def test_path_prints_the_directory_and_nothing_else(folder):
    assert run("path") == (0, f"{folder}\n", "")
    assert not folder.exists()


def test_a_long_path_is_printed_on_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / ("long " * 40)))
    assert run("path") == (0, f"{tmp_path / ('long ' * 40)}\n", "")


def test_size_of_a_cache_that_is_not_there_yet(folder):
    assert run("size") == (0, "0 compiled objects, 0 bytes of at most 1.1 GB\n", "")
    assert run("size", "--bytes") == (0, "0\n", "")
    assert not folder.exists()


def test_size_of_a_cache(filled, monkeypatch):
    assert run("size") == (0, "3 compiled objects, 300.4 kB of at most 1.1 GB\n", "")
    monkeypatch.setenv("QUATRAIN_CACHE_LIMIT", "500MB")
    assert run("size")[1].endswith("of at most 500.0 MB\n")
    assert run("size", "--bytes") == (0, f"{Cache(filled).size()}\n", "")


def test_clear(filled):
    assert run("clear") == (0, "removed 3 compiled objects, 300.4 kB\n", "")
    assert list(filled.iterdir()) == []
    assert run("clear") == (0, "removed 0 compiled objects, 0 bytes\n", "")
    Cache(filled).put(KEYS[0], b"code")
    assert run("clear")[1].startswith("removed 1 compiled object, ")


@pytest.mark.parametrize("command", ["path", "size", "clear"])
def test_a_cache_that_is_switched_off(command, monkeypatch, capsys):
    monkeypatch.setenv("QUATRAIN_CACHE", "off")
    code, out, error = whole("cache", command, monkeypatch=monkeypatch, capsys=capsys)
    assert (code, out) == (1, "")
    assert error == (
        "quatrain: the cache of compiled code is switched off.\n"
        "  To fix: unset QUATRAIN_CACHE, or set it to a directory.\n"
    )


@posix
@pytest.mark.parametrize("command", ["size", "clear"])
def test_a_cache_that_others_can_change(command, filled, monkeypatch, capsys):
    filled.chmod(0o777)
    code, out, error = whole("cache", command, monkeypatch=monkeypatch, capsys=capsys)
    assert (code, out) == (1, "")
    assert error.startswith(
        f"quatrain: the cache of compiled code is not used: {filled} can be written to by others"
    )
    assert f"To fix: chmod go-w {filled}; or set QUATRAIN_CACHE" in error
    assert len(list(filled.iterdir())) == 3


@posix
def test_path_of_a_cache_that_others_can_change(filled, monkeypatch, capsys):
    filled.chmod(0o777)
    code, out, error = whole("cache", "path", monkeypatch=monkeypatch, capsys=capsys)
    assert (code, out) == (0, f"{filled}\n")
    assert "can be written to by others" in error


@pytest.mark.parametrize("command", ["path", "size", "clear"])
def test_a_limit_that_is_no_number(command, filled, monkeypatch, capsys):
    monkeypatch.setenv("QUATRAIN_CACHE_LIMIT", "plenty")
    code, out, error = whole("cache", command, monkeypatch=monkeypatch, capsys=capsys)
    assert (code, out) == (1, "")
    assert error.startswith(
        "quatrain: QUATRAIN_CACHE_LIMIT is 'plenty', which is not a number of bytes.\n  To fix: "
    )


@pytest.mark.parametrize("arguments", [("nonsense",), ("cache", "nonsense"), ("cache", "size", "--nonsense")])
def test_a_command_that_is_not_there_is_a_mistake_of_use(folder, arguments, monkeypatch, capsys):
    code, out, error = whole(*arguments, monkeypatch=monkeypatch, capsys=capsys)
    assert (code, out) == (2, "")
    assert "nonsense" in error
    assert "Usage: quatrain" in error


def test_the_help_names_every_command(folder, monkeypatch, capsys):
    code, out, _ = whole("--help", monkeypatch=monkeypatch, capsys=capsys)
    assert code == 0
    assert "Rigid-body and multibody dynamics in quaternions." in out
    code, out, _ = whole("cache", "--help", monkeypatch=monkeypatch, capsys=capsys)
    assert code == 0
    assert {"path", "size", "clear"} <= set(re.findall(r"\w+", out))
    code, out, _ = whole("compare", "--help", monkeypatch=monkeypatch, capsys=capsys)
    assert code == 0
    assert {"inertia", "rate", "time", "dt", "forms", "method", "json", "plot"} <= set(
        re.findall(r"\w+", out)
    )


# ---- compare -----------------------------------------------------------------------------------------

SHORT = ("--time", "5", "--forms", "g29,s38", "--step-sizes", "none")


def compare(*arguments, monkeypatch, capsys):
    """The command's answer; it must succeed in silence."""
    code, out, error = whole("compare", *arguments, monkeypatch=monkeypatch, capsys=capsys)
    assert (code, error) == (0, "")
    return out


def test_compare_prints_tables_for_a_pipe(folder, monkeypatch, capsys):
    out = compare(*SHORT, monkeypatch=monkeypatch, capsys=capsys)
    lines = out.splitlines()
    assert lines[0] == "torque-free, 5 s, 100 steps of 0.05 s"
    assert lines[1] == "J = diag(1, 2, 3) kg m²"
    assert lines[2] == "q(0) = (0.258199, 0.516398, -0.258199, 0.774597), ω(0) = (1, 1.2, 0.8) rad/s"
    assert lines[4] == "Drift, rk4"
    assert max(map(len, lines)) <= 100
    assert [line.split()[:2] for line in lines if line.startswith(("newton_euler", "s38"))] == [
        ["newton_euler", "none"],
        ["s38", "none"],
        ["newton_euler", "G(29)"],
        ["s38", "S(38)"],
    ]
    assert "\x1b[" not in out


def test_compare_as_json_with_a_body_of_ones_own(folder, monkeypatch, capsys):
    body = ("--inertia", "1.3,2.1,2.7,0.2,-0.1,0.3", "--rate", "0.3,2,-0.2", "--attitude", "1,0,0,0")
    chosen = ("--renormalise", "both", "--method", "rkmk4,dopri5", "--dt", "0.1", "--step-sizes", "0.2,0.1")
    out = compare(*SHORT[:4], *body, *chosen, "--json", monkeypatch=monkeypatch, capsys=capsys)
    data = json.loads(out)
    assert data["inertia"] == [1.3, 2.1, 2.7, 0.2, -0.1, 0.3]
    assert (data["q0"], data["w0"], data["duration"]) == ([1, 0, 0, 0], [0.3, 2, -0.2], 5)
    assert [(row["form"], row["renormalisation"], row["stepper"]) for row in data["rows"]] == [
        ("newton_euler", "q", "rkmk4"),
        ("newton_euler", "q", "dopri5"),
        ("s38", "both", "rkmk4"),
        ("s38", "both", "dopri5"),
    ]
    assert data["step_sizes"][0]["h"] == [0.2, 0.1]
    assert all(row["nanoseconds"] is None for row in data["rows"])


def test_compare_measures_cost_and_writes_a_picture_when_asked(folder, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    file = tmp_path / "drift.png"
    out = compare(*SHORT, "--cost", "--plot", str(file), monkeypatch=monkeypatch, capsys=capsys)
    assert "  ns\n" in out
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written_takes_no_figures_along(folder, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    nowhere = str(tmp_path / "nowhere" / "drift.png")
    code, out, error = whole("compare", *SHORT, "--plot", nowhere, monkeypatch=monkeypatch, capsys=capsys)
    assert code == 1
    assert "Drift, rk4" in out
    assert error.startswith("quatrain: the picture cannot be written to ")
    assert "To fix: name a file in a folder that is there" in error


@pytest.mark.parametrize(
    ("arguments", "says", "advises"),
    [
        (("--inertia", "1,2,5"), "1, 2, 5", "check the units of each moment"),
        (("--inertia", "1,2"), "--inertia is '1,2', 2 numbers; this needs 3 or 6", "separate them by commas"),
        (("--inertia", "a,b,c"), "'a,b,c', which is not a list of numbers", "like --inertia 1,2,3"),
        (("--attitude", "0,0,0,0"), "--attitude", "norm"),
        (("--forms", "s99"), "no form 's99'", "choose among: newton_euler, unconstrained, s34"),
        (("--method", "euler"), "no stepper 'euler'", "choose among: semi_implicit_euler, rk4"),
        (("--renormalise", "twice"), "no renormalisation 'twice'", "choose among: none, "),
        (("--forms", "ZYX", "--attitude", "1,0,1,0"), "'ZYX' cannot start at q0", "or use 'ZYZ'"),
        (("--dt", "0"), "dt is 0.0, not a positive number of seconds", "give dt in seconds"),
    ],
)
def test_compare_answers_mistakes_with_what_to_do(folder, arguments, says, advises, monkeypatch, capsys):
    code, out, error = whole("compare", *arguments, monkeypatch=monkeypatch, capsys=capsys)
    assert (code, out) == (1, "")
    assert error.startswith("quatrain: ")
    assert says in error
    assert advises in error.split("To fix: ")[1]


def shell(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "quatrain", *arguments], capture_output=True, text=True, check=False, **options
    )


def test_the_command_as_a_process_of_its_own(filled):
    result = shell("cache", "size")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "3 compiled objects, 300.4 kB of at most 1.1 GB\n"
    result = shell("cache", "clear", env={**os.environ, "QUATRAIN_CACHE": "off"})
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("quatrain: the cache of compiled code is switched off.\n")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("asked", ["", "cp1252"])
def test_a_pipe_that_is_told_no_encoding_gets_unicode_and_no_letter_stops_the_command(folder, asked):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LC_", "LANG"))}
    environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment |= {"PYTHONIOENCODING": asked} if asked else {}
    environment |= {k: v for k, v in os.environ.items() if k == "PYTHONPATH"}
    arguments = ("compare", "--forms", "g29", "--time", "1", "--step-sizes", "none")
    command = [sys.executable, "-m", "quatrain", *arguments]
    result = subprocess.run(command, capture_output=True, check=False, env=environment)
    # On a busy machine the notice of a compilation of over a second may stand in stderr.
    assert result.returncode == 0
    assert b"Error" not in result.stderr
    shown = result.stdout.decode(asked or "utf-8")
    assert "J = diag(1, 2, 3) kg m²" in shown
    assert ("?(0) = (1, 1.2, 0.8)" if asked else "ω(0) = (1, 1.2, 0.8)") in shown


def on_a_terminal(environment, *arguments):
    """What a terminal of 80 columns is sent."""
    import pty

    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "quatrain", *arguments]
    process = subprocess.Popen(command, stdout=end, stdin=end, env=environment | {"COLUMNS": "80"})
    os.close(end)
    shown = b""
    # Read while it writes: a terminal holds little. At the end there is nothing, or on Linux an error.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 10_000):
            shown += part
    os.close(terminal)
    assert process.wait() == 0
    return shown.decode()


@posix
def test_colours_are_for_terminals(filled):
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"}
    shown = on_a_terminal(environment, "cache", "size")
    assert "\x1b[" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).strip() == "3 compiled objects, 300.4 kB of at most 1.1 GB"
    assert "\x1b[" not in shell("cache", "size", env=environment).stdout


@posix
def test_compare_on_a_terminal_fits_its_width(folder):
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"}
    shown = on_a_terminal(environment, "compare", "--time", "2", "--forms", "g29", "--step-sizes", "none")
    assert "\x1b[" in shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert lines[0] == "torque-free, 2 s, 40 steps of 0.05 s"
    assert any(line.strip() == "Drift, rk4" for line in lines)
    assert max(map(len, lines)) <= 81
