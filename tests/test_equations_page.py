"""docs/equations.md is what the docstrings say, and no number that is due is missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "tools" / "equations_page.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("equations_page", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["equations_page"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_page_is_fresh_and_every_due_number_is_held_and_proved():
    result = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_every_test_it_names_exists(script):
    tests = Path(__file__).resolve().parent
    for entries in script.collect().values():
        for entry in entries.values():
            for name in entry.tests:
                file, function = name.split("::")
                assert f"def {function}(" in (tests / file).read_text(encoding="utf-8")


def test_a_number_without_function_or_test_is_a_fault(script):
    found = script.collect()
    found["Z"]["1"].functions.clear()
    found["G"]["3"].tests.clear()
    assert script.missing(found) == ["Z(1) is held by no function", "G(3) is proved by no test"]


def test_ranges_and_single_numbers_are_read(script):
    assert list(script.labels("Z(1)–Z(3), G(C), XS(2)")) == [
        ("Z", "1"),
        ("Z", "2"),
        ("Z", "3"),
        ("G", "C"),
        ("XS", "2"),
    ]
