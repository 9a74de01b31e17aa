"""Writes docs/equations.md: every numbered equation, the function that holds it, the test that proves it.

A function holds the equations that a line `Equations: Z(6), G(1)` of its docstring names, and a test
proves those that its line `Proves: …` names; `Z(1)–Z(5)` is a range. Lines `Corrected G(10): …` say
where the form in use differs from the printed one. `--check` writes nothing and fails when the page
is stale, or when an equation that is due has no function or no test.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "equations.md"

SOURCES = {
    "Z": "Zorić, Lazarević, Simonović, *Multi-Body Kinematics and Dynamics in Terms of Quaternions: Lagrange "
    "Formulation in Covariant Form – Rodriguez Approach*, FME Transactions 38 (2010)",
    "X": "Added to Z: structure, composite forms and forces of the chain",
    "XS": "Added to Z: symmetries of the Christoffel symbols",
    "G": "B. Graf, *Quaternions and Dynamics* (2007)",
    "S": "K. Sherif, K. Nachbagauer, W. Steiner, *On the rotational equations of motion in rigid body dynamics "
    "when using Euler parameters*",
    "D": "Added to G and S: closed forms, moving frames, what holds off the unit sphere",
    "Y": "B. Yao, *Motion and Dynamics of a Rigid Body*",
    "A": "Added to Y: inverse maps, arbitrary body points, the satellite with wheels",
}


def _numbers(first: int, last: int) -> list[str]:
    return [str(n) for n in range(first, last + 1)]


ALL = {
    "Z": _numbers(1, 129),
    "X": _numbers(0, 11),
    "XS": _numbers(1, 4),
    "G": [*_numbers(1, 42), "C"],
    "S": _numbers(1, 84),
    "D": ["1", *_numbers(11, 13), "21", "22"],
    "Y": _numbers(1, 101),
    "A": ["1", "1′", "2", "2′", *_numbers(3, 41)],
}

# What the parts that exist must hold: everything. A source that is added adds here what of it is there.
DUE = ALL

_LABEL = r"(XS|[ZXGSDYA])\((\d+′?|C)\)"


@dataclass
class Entry:
    functions: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def labels(text: str) -> Iterator[tuple[str, str]]:
    """The equation numbers that a text names, ranges spread out."""
    for match in re.finditer(rf"{_LABEL}(?:\s*[–-]\s*{_LABEL})?", text):
        source, first, _, last = match.groups()
        if last is None:
            yield source, first
        else:
            yield from ((source, n) for n in _numbers(int(first), int(last)))


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """Qualified name and docstring of everything in a file."""

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                name = f"{prefix}{child.name}"
                yield name, ast.get_docstring(child) or ""
                yield from walk(child, f"{name}.")

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), "")


def _paragraphs(docstring: str, keyword: str) -> Iterator[str]:
    """Each line that begins with the keyword, with the lines that continue it."""
    lines = docstring.splitlines()
    for i, line in enumerate(lines):
        if line.startswith(keyword):
            rest = [line]
            for following in lines[i + 1 :]:
                if not following.strip() or re.match(r"(Equations|Proves|Corrected)\b", following):
                    break
                rest.append(following.strip())
            yield " ".join(rest)


def collect() -> dict[str, dict[str, Entry]]:
    found: dict[str, dict[str, Entry]] = {s: {n: Entry() for n in numbers} for s, numbers in ALL.items()}

    def entry(source: str, number: str, where: str) -> Entry:
        if number not in found[source]:
            raise SystemExit(f"{where} names {source}({number}), which no source has")
        return found[source][number]

    for path in sorted((ROOT / "src" / "quatrain").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
        for name, text in documented(path):
            where = f"{module}.{name}"
            for line in _paragraphs(text, "Equations:"):
                for source, number in labels(line):
                    entry(source, number, where).functions.append(where)
            for line in _paragraphs(text, "Corrected "):
                head, _, note = line.removeprefix("Corrected ").partition(": ")
                for source, number in labels(head):
                    entry(source, number, where).notes.append(note)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name, text in documented(path):
            where = f"{path.relative_to(ROOT / 'tests').as_posix()}::{name.replace('.', '::')}"
            for line in _paragraphs(text, "Proves:"):
                for source, number in labels(line):
                    entry(source, number, where).tests.append(where)
    return found


def missing(found: dict[str, dict[str, Entry]]) -> list[str]:
    """Faults: a number that is due without function or test, or held without a test."""
    faults = []
    for source, entries in found.items():
        for number, entry in entries.items():
            due = number in DUE.get(source, ())
            if (due or entry.tests) and not entry.functions:
                faults.append(f"{source}({number}) is held by no function")
            if (due or entry.functions) and not entry.tests:
                faults.append(f"{source}({number}) is proved by no test")
    return faults


def _ranges(numbers: list[str], every: list[str]) -> str:
    runs: list[list[str]] = []
    for number in numbers:
        if runs and every.index(number) == every.index(runs[-1][-1]) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def page(found: dict[str, dict[str, Entry]]) -> str:
    out = [
        "# Equations",
        "",
        "Every numbered equation of the four sources, and those added to them, with the function that holds "
        "it and the test that proves it. Where the printed form is wrong, or the copy in circulation damaged, "
        "the note says what is used instead.",
        "",
        "This page is written by `python tools/equations_page.py` from the docstrings.",
    ]
    for source, title in SOURCES.items():
        entries = found[source]
        held = {n: e for n, e in entries.items() if e.functions}
        out += ["", f"## {source}", "", title + ".", ""]
        if held:
            out += ["| | held by | proved by | note |", "|---|---|---|---|"]
            for number, entry in held.items():
                functions = "<br>".join(f"`{f.removeprefix('quatrain.')}`" for f in entry.functions)
                tests = "<br>".join(f"`{t}`" for t in entry.tests)
                notes = " ".join(entry.notes).replace("|", "&#124;")  # a bar would begin a new cell
                out.append(f"| {source}({number}) | {functions} | {tests} | {notes} |")
        open_numbers = [n for n in entries if n not in held]
        if open_numbers:
            out += ["", f"Open, for parts still to come: {_ranges(open_numbers, list(entries))}."]
    return "\n".join(out) + "\n"


def main() -> int:
    found = collect()
    text, faults = page(found), missing(found)
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            faults.append(f"{PAGE.relative_to(ROOT).as_posix()} is stale: run python tools/equations_page.py")
    else:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
