"""Every robot's file in unpacked packages: does it load, and does it move as in Pinocchio and MuJoCo?

    pip download --no-deps -d wheels/pybullet pybullet && unzip -q wheels/pybullet/*.whl -d corpora/pybullet
    python tools/corpus.py corpora --markdown docs/corpora.md --json corpora.json

A folder in `corpora` is a package. Each file is read in a process that may take `--seconds`, with the whole package as
a root, so that files may include their neighbours.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from corpus_compare import compared

SUFFIXES = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf")
BEGINS = re.compile(rb"<\s*(robot|mujoco|sdf)[\s>/]")
"""An .xml is a robot's if its first element is one of these."""


PEERS = ("Pinocchio", "MuJoCo")


@dataclass
class Outcome:
    """Of one file."""

    package: str
    file: str
    kind: str
    state: str = "failed"
    """"loaded"; "inertia" (refused for inertias that no matter can have, loaded with inertia="warn"); "failed"."""
    why: str = ""
    warnings: list[str] = field(default_factory=list)
    peer: str = ""
    """Whom it was compared with, if anyone, or why not."""
    worst: float = 0.0
    """The greatest relative difference."""
    difference: str = ""
    """What differs by more than 1e-9, or is known to."""


def robots_of(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file()):
        kind = path.suffix.lower()[1:]
        if kind in ("xml", "mjcf"):
            begin = re.search(
                rb"<\s*[A-Za-z]\w*[\s>/]", re.sub(rb"<!--.*?-->", b"", path.read_bytes(), flags=re.S)
            )
            if begin is None or not BEGINS.match(begin.group()):
                continue
            kind = {b"robot": "urdf", b"mujoco": "mjcf", b"sdf": "sdf"}[BEGINS.match(begin.group()).group(1)]  # type: ignore[union-attr]
        yield path, kind


# ---- one file -----------------------------------------------------------------------------------------


def outcome_of(package: Path, path: Path, kind: str) -> Outcome:
    from quatrain.errors import QuatrainError
    from quatrain.loading import load_model

    found = Outcome(package.name, str(path.relative_to(package)), kind)
    options: dict[str, Any] = {"roots": [package]}
    try:
        _, report = load_model(path, **options)
        found.state = "loaded"
    except QuatrainError as error:
        found.why = str(error)
        try:
            _, report = load_model(path, inertia="warn", **options)
            found.state = "inertia"
        except QuatrainError:
            return found
    found.warnings = [str(finding) for finding in report.warnings]
    return found


def _work(pipe: Connection) -> None:
    """Files, one after the other, until there are none."""
    while (job := pipe.recv()) is not None:
        package, path, kind = job
        try:
            found = outcome_of(package, path, kind)
        except Exception as error:  # an error that is not ours is the one thing that may not come
            found = Outcome(package.name, str(path.relative_to(package)), kind)
            found.why = f"UNEXPECTED {type(error).__name__}: {error}"
        pipe.send(found)
        if found.state == "failed":
            continue
        try:
            found.peer, found.worst, found.difference = compared(path, kind, {"roots": [package]})
        except Exception as error:
            found.peer, found.difference = "?", f"DIFFERS: {type(error).__name__}: {error}"
        pipe.send(found)


class Worker:
    """A process that is replaced when it dies or takes too long."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def outcome(self, package: Path, path: Path, kind: str) -> Outcome:
        """Loaded first, then compared: what another library dies of is not held against the file."""
        self.pipe.send((package, path, kind))
        found = Outcome(package.name, str(path.relative_to(package)), kind)
        wrong = self._wait()
        if isinstance(wrong, str):
            found.why = f"UNEXPECTED: {wrong}"
            return found
        found = wrong
        if found.state == "failed":
            return found
        after = self._wait()
        if isinstance(after, str):
            found.peer = f"not compared: {after}"
            return found
        return after

    def _wait(self) -> Outcome | str:
        try:
            if self.pipe.poll(self.seconds):
                found: Outcome = self.pipe.recv()
                return found
            why = f"not done after {self.seconds:g} s"
        except EOFError:
            why = "the process died"
        self.process.kill()
        self._start()
        return why

    def stop(self) -> None:
        self.pipe.send(None)
        self.process.join(10)


_PREFACE = """
# Files of others

Every URDF, xacro, MJCF and SDF in the packages below, as they come from PyPI, each read in a process with a limit of
time. *Loaded*: as it stands. *Inertia*: refused for inertias that no matter can have, loaded with `inertia="warn"` or
`"repair"`. *Failed*: refused, for a reason below. *Compared*: loaded by Pinocchio (URDF) or MuJoCo (MJCF) too. *Agree*:
nq and nv, total mass, mass matrix, gravity and bias forces and all poses are the same to 1e-9 of the largest entry in a
random state; joints that follow others are kept independent, and conventions converted by `qt.convert`.

```sh
pip download --no-deps -d wheels/pybullet pybullet            # and so on, for each package
unzip -q wheels/pybullet/*.whl -d corpora/pybullet
python tools/corpus.py corpora --markdown docs/corpora.md --json corpora.json
```

Most MJCF files that failed are parts that other files include, which MuJoCo does not load alone either. Files load here
without their meshes where no inertia comes from these.
"""

_REFUSED = """
## What was refused

Numbers stand as #, names as ….
"""

_DIFFERENT = """
## What differs
"""


# ---- the table ----------------------------------------------------------------------------------------


def in_short(why: str) -> str:
    """The reason without what is particular to the file."""
    lines = why.split("\n")
    text = lines[1].lstrip(" -") if "things are wrong" in lines[0] and len(lines) > 1 else lines[0]
    text = text.split(". To fix:")[0]
    text = re.sub(r"^[^\s:]+( \(written out\))?(:\d+)?: ", "", text)
    text = re.sub(r"(?<!\w)'[^']*'|\"[^\"]*\"", "…", text)
    text = re.sub(r"/[^\s:]*/", "", text)
    text = text.split(" Element name")[0]
    text = re.sub(r"\(links: .*", "", text)
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "#", text).strip(" .:")[:110]


def versions_of(corpora: Path) -> dict[str, str]:
    """By the folders' names, as the wheels say them."""
    found = {folder.name: next(iter(folder.glob("*.dist-info")), None) for folder in corpora.iterdir()}
    return {name: info.stem.split("-")[1] for name, info in found.items() if info is not None}


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "&#124;")


def markdown(outcomes: list[Outcome], versions: dict[str, str]) -> str:
    agreeing = [one.worst for one in outcomes if one.peer in PEERS and not one.difference]
    worst = max(agreeing, default=0.0)
    lines = [
        *_PREFACE.strip().splitlines(),
        "",
        f"The greatest difference where they agree is {worst:.0e}.",
        "",
        "| package | files | loaded | inertia | failed | with warnings | compared | agree | explained | differ |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    packages = list(dict.fromkeys(one.package for one in outcomes))
    for name in [*packages, "all"]:
        mine = [one for one in outcomes if name in (one.package, "all")]
        states = Counter(one.state for one in mine)
        beside = [one for one in mine if one.peer in PEERS]
        agree = [one for one in beside if not one.difference]
        explained = [one for one in beside if one.difference and not one.difference.startswith("DIFFERS")]
        counts = (
            len(mine), states["loaded"], states["inertia"], states["failed"], sum(bool(one.warnings) for one in mine),
            len(beside), len(agree), len(explained), len(beside) - len(agree) - len(explained),
        )  # fmt: skip
        lines.append(f"| {name} {versions.get(name, '')} | {' | '.join(f'{count:,}' for count in counts)} |")
    lines += [
        "",
        *_REFUSED.strip().splitlines(),
        "",
        "| why | package | files | for example |",
        "|---|---|--:|---|",
    ]
    reasons: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        if one.state != "loaded":
            reasons.setdefault((in_short(one.why), one.package), []).append(one)
    for (why, package), those in sorted(reasons.items()):
        lines.append(f"| {_cell(why)} | {package} | {len(those)} | `{those[0].file.split('/')[-1]}` |")
    lines += [
        "",
        *_DIFFERENT.strip().splitlines(),
        "",
        "| what differs, and why | package | files | for example |",
        "|---|---|--:|---|",
    ]
    differences: dict[tuple[str, str], list[Outcome]] = {}
    for one in outcomes:
        if one.difference:
            differences.setdefault((in_short(one.difference), one.package), []).append(one)
    for (why, package), those in sorted(differences.items()):
        lines.append(f"| {_cell(why)} | {package} | {len(those)} | `{those[0].file.split('/')[-1]}` |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="packages")
    parser.add_argument("--kind", nargs="*", default=[], help="urdf, xacro, sdf, mjcf")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    worker = Worker(given.seconds)
    outcomes = []
    for package in sorted(p.resolve() for p in given.corpora.iterdir() if p.is_dir()):
        if given.only and package.name not in given.only:
            continue
        for path, kind in robots_of(package):
            if given.kind and kind not in given.kind:
                continue
            start = time.monotonic()
            found = worker.outcome(package, path, kind)
            outcomes.append(found)
            if found.state == "failed" or found.difference.startswith("DIFFERS"):
                what = found.why or found.difference
                print(f"{found.state} {package.name} {found.file}: {what[:200]}", flush=True)
            if time.monotonic() - start > 20:
                print(f"slow {package.name} {found.file}: {time.monotonic() - start:.0f} s", flush=True)
            if given.json:
                given.json.write_text(
                    json.dumps([asdict(one) for one in outcomes], indent=1), encoding="utf-8"
                )
    worker.stop()
    table = markdown(outcomes, versions_of(given.corpora))
    print(table)
    if given.markdown:
        given.markdown.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
