"""The xacro library at work in a process of its own, which opens no file outside the folders that it is told.

In: a job as JSON on standard input. Out: {"text": …, "notes": […]} or {"error": …} as JSON on standard output.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from xml.dom import minidom

_DECLARED = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")


def main() -> None:
    job, notes = json.load(sys.stdin), list[str]()
    try:
        with redirect_stdout(sys.stderr):
            result = {"text": written_out(job, notes), "notes": list(dict.fromkeys(notes))}
    except BaseException as error:  # whatever it is, the other process tells it
        result = {"error": "; ".join([f"{error}".strip() or type(error).__name__, *dict.fromkeys(notes)])}
    json.dump(result, sys.stdout)


def written_out(job: dict[str, Any], notes: list[str]) -> str:
    """The job: "path", "arguments" by name, "roots": folders that may be read besides the package around the file."""
    import xacro
    from xacro import substitution_args

    path = Path(job["path"])
    packages = Packages(path.parent, [Path(root) for root in job["roots"]], notes)
    xacro.open = packages.open
    substitution_args._eval_find = packages.find
    xacro.warning = lambda *words, **_: notes.append(" ".join(map(str, words)))
    try:
        document = xacro.process_file(str(path), mappings=dict(job["arguments"]))
    except xacro.XacroException as error:
        files = [file for file in getattr(xacro, "filestack", []) or [] if file]
        where = f" (in {Path(files[-1]).name})" if files and files[-1] != str(path) else ""
        raise ValueError(f"{error}{where}") from None
    text: str = document.toprettyxml(indent="  ")
    return text


class Packages:
    """Where packages are, and what may be opened."""

    def __init__(self, folder: Path, roots: list[Path], notes: list[str]) -> None:
        self.own = package_around(folder)
        self.allowed = [self.own, folder, *roots]
        self.roots, self.notes = roots, notes
        self.known: dict[str, Path] = {}

    def find(self, name: str) -> str:
        if name not in self.known:
            self.known[name] = self._search(name)
            self.allowed.append(self.known[name])
        return str(self.known[name])

    def _search(self, name: str) -> Path:
        for place in self._places(name):
            if place.is_dir() and (place.name == name or named(place) == name):
                return place
        if "/" in name or name in ("", ".", ".."):
            raise ValueError(f"{name!r} is no package's name")
        self.notes.append(
            f"package {name!r} is not found: {self.own.name!r}, which holds the file, is taken for it"
        )
        return self.own

    def _places(self, name: str) -> Iterator[Path]:
        """The package around the file and those beside it, then those that are declared."""
        yield from (self.own, *self.own.parents)
        yield from (folder / name for folder in (self.own, *list(self.own.parents)[:3]))
        for root in self.roots:
            yield from (root, root / name)
        for variable in _DECLARED:
            for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                yield from (Path(entry) / name, Path(entry) / "share" / name)

    def open(self, file: Any, *args: Any, **kwargs: Any) -> Any:
        """In place of `open`, within xacro alone."""
        path = Path(file).resolve()
        if not any(path.is_relative_to(folder.resolve()) for folder in self.allowed):
            raise ValueError(f"it reads {str(file)!r}, which lies outside the packages of the model")
        content = path.read_bytes()
        if b"<!ENTITY" in content:
            raise ValueError(f"{path.name} declares entities, which are not read")
        return io.StringIO(content.decode("utf-8-sig"))


def package_around(folder: Path) -> Path:
    """What a package.xml marks; else the folder above `urdf` and the like."""
    for one in (folder, *list(folder.parents)[:4]):
        if (one / "package.xml").is_file():
            return one
    holds_models = folder.name.lower() in ("urdf", "xacro", "robots", "robot")
    return folder.parent if holds_models else folder


def named(folder: Path) -> str:
    """What its package.xml calls it."""
    file = folder / "package.xml"
    if not file.is_file():
        return ""
    try:
        (name,) = minidom.parse(str(file)).getElementsByTagName("name")
        return "".join(part.data for part in name.childNodes if isinstance(part, minidom.Text)).strip()
    except Exception:  # of one that is not well-formed nothing is known
        return ""


if __name__ == "__main__":
    main()
