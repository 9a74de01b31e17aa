"""What the README and the documentation show, runs; what the README says that an example prints, it prints."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path

import pytest

import quatrain as qt

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(path, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


CODE = [(path, i, block) for path in PAGES for i, block in enumerate(blocks(path, "python"))]


@pytest.mark.parametrize(("path", "i", "block"), CODE, ids=[f"{p.name}-{i}" for p, i, _ in CODE])
def test_every_block_of_code_runs(path, i, block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    exec(compile(block, f"{path.name} block {i}", "exec"), {})


def printed_blocks(path):
    """Blocks of code that are followed at once by a block of text: what they print."""
    pattern = r"^```python\n((?:(?!^```).)*?)^```\n\n```text\n(.*?)^```"
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


PRINTED = [
    pair for name in ("trees", "files") for pair in printed_blocks(ROOT / "docs" / "guides" / f"{name}.md")
]


@pytest.mark.parametrize(("code", "text"), PRINTED)
def test_what_the_guides_to_machines_and_files_show_is_what_their_code_prints(code, text, capsys):
    assert len(PRINTED) == 3
    exec(compile(code, "guide", "exec"), {})
    assert text in capsys.readouterr().out


def test_the_figures_in_the_readme_are_what_its_first_command_prints(capsys):
    runpy.run_path(str(ROOT / "examples" / "through_gimbal_lock.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    (shown,) = blocks(ROOT / "README.md", "text")

    def coarse(line):
        """Errors of the order of rounding differ between machines: their digits are left out."""
        return re.sub(r"\d\.\de-1[0-9]", "tiny", line)

    assert {coarse(line) for line in shown.splitlines()} <= {coarse(line) for line in printed}


def test_the_reference_shows_every_public_name():
    """By the module's line in docs/reference.md, and where it lists members, by the name in the list."""
    shown = set()
    for block in re.split(r"^::: ", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), flags=re.M)[
        1:
    ]:
        module = importlib.import_module(block.split()[0])
        listed = re.search(r"members: \[([^\]]*)\]", block)
        names = listed[1].split(", ") if listed else [n for n in vars(module) if not n.startswith("_")]
        assert [name for name in names if not hasattr(module, name)] == []
        shown |= {module.__name__.removeprefix("quatrain."), *names}
    assert set(qt.__all__) - shown == {"__version__", "equations"}  # the second is a room of many modules


def test_the_package_has_the_files_it_promises():
    for name in ("LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "src/quatrain/py.typed"):
        assert (ROOT / name).exists(), name
