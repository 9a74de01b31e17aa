"""The command, read as its user reads it: the text, where it goes, and the exit code."""

from __future__ import annotations

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


@posix
def test_colours_are_for_terminals(filled):
    import pty

    terminal, end = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"}
    command = [sys.executable, "-m", "quatrain", "cache", "size"]
    subprocess.run(command, stdout=end, stdin=end, check=True, env=environment)
    os.close(end)
    shown = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert "\x1b[" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).strip() == "3 compiled objects, 300.4 kB of at most 1.1 GB"
    assert "\x1b[" not in shell("cache", "size", env=environment).stdout
