"""An MJCF file before MuJoCo's compiler sees it: elements, files that it would open, numbers, what is left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from quatrain.formats.reading import Choices, Notes
from quatrain.formats.source import MOST_ELEMENTS, Element, FormatError, parse, text_of

_INCLUDES = ("include", "model")
"""Whose files are MJCF too."""
_OPENED = ("hfield", "flexcomp")
"""Whose files the compiler opens by itself; meshes and textures are looked at where they are needed."""
_IN_WORDS = ("name", "class", "childclass", "file", "model", "data", "value", "text")
_ASIDE = {
    "camera": "it has no effect on the dynamics",
    "light": "it has no effect on the dynamics",
    "visual": "it has no effect on the dynamics",
    "custom": "it has no effect on the dynamics",
    "contact": "contacts are not modelled here",
}
_KINDS = {"body": "body", "joint": "joint", "freejoint": "joint", "site": "site"}
_SECTIONS = ("equality", "tendon", "sensor", "actuator", "keyframe")
"""Whose elements are of one kind, whatever their tags."""
_ATTACHED, _DEEPER = "attached", "inside"
_FORCES = ("gravity", "density", "viscosity")


@dataclass
class Walk:
    """Elements by what they are in the compiled model, in the order of the document."""

    elements: dict[str, list[Element]] = field(default_factory=dict)
    owners: list[int] = field(default_factory=list)
    """Of each joint, the number of its body among the bodies."""
    meshes: dict[str, Element] = field(default_factory=dict)
    """By their files."""
    options: dict[str, Element] = field(default_factory=dict)
    """By attribute; of several the last one counts."""
    flexible: Element | None = None
    alone: bool = True
    """Whether there is no other file, so that a line that the compiler names is one of this file."""

    def of(self, kind: str) -> list[Element]:
        return self.elements.get(kind, [])

    def mesh(self, file: str) -> Element | None:
        """By its file, of which the compiler may have completed the path."""
        alike = [e for named, e in self.meshes.items() if Path(named).name == Path(file).name]
        return self.meshes.get(file) or (alike[0] if len(alike) == 1 else None)

    def take(self, element: Element, section: str, owner: int) -> None:
        """An element that stands in this section, or directly in a body."""
        kind = _KINDS.get(element.tag, "")
        if section in _SECTIONS:
            kind = section
        elif section:
            kind = f"{section} {kind}" if kind and section == _ATTACHED else ""
        if kind == "joint":
            self.owners.append(owner)
        if kind:
            self.elements.setdefault(kind, []).append(element)
        if element.tag == "mesh" and (file := element.get("file")):
            self.meshes.setdefault(file, element)
        elif element.tag == "option":
            self.options |= {name: element for name, _ in element.everything()}
        elif element.tag in ("flex", "flexcomp") and self.flexible is None:
            self.flexible = element


def walked(root: Element, choices: Choices, notes: Notes) -> Walk:
    """What stands where, in this file and in those that it includes, which must lie in allowed folders."""
    walk = Walk()
    seen = {choices.path.resolve()} if choices.path is not None else set()
    pending, count = [(root, "", -1)], 0
    tops = {id(root): root}  # whose tags say nothing; kept, so that no other element gets the same number
    meshdir = _mesh_folder(root)
    while pending:
        element, section, owner = pending.pop()
        count += 1
        if count > MOST_ELEMENTS:
            root.fail(
                f"with what it includes it has more than {MOST_ELEMENTS:,} elements",
                do="check that it is a model",
            )
        _refuse_endless(element)
        if element.tag in _INCLUDES and element.has("file"):
            walk.alone = False
            path = _file(element, choices, Path())
            if path not in seen:
                seen.add(path)
                inside = section if element.tag == "include" else _ATTACHED
                opened = _opened(element, path)
                tops[id(opened)] = opened
                pending.append((opened, inside, owner))
        elif element.tag in _OPENED and element.has("file"):
            for folder in {Path(), meshdir}:
                _file(element, choices, folder)
        if element.tag in _ASIDE and element is not root:
            notes.aside([element], _ASIDE[element.tag])
        elif element.tag == "option":
            _tell_of_options(element, notes)
        if id(element) not in tops and element.tag not in _INCLUDES:
            walk.take(element, section, owner)
            section = _within(element, section)
            owner = len(walk.of("body")) - 1 if element.tag == "body" else owner
        pending += [(child, section, owner) for child in reversed(element.others())]
    return walk


def _within(element: Element, section: str) -> str:
    """The section of what is in it: nothing for bodies of the model itself."""
    apart = element.tag in (*_SECTIONS, "default")
    if section:
        return _DEEPER if section in _SECTIONS or apart else section
    return element.tag if apart else ""


def _mesh_folder(root: Element) -> Path:
    folders = [e.get("meshdir") or e.get("assetdir") for e in root.children("compiler")]
    return Path(next((folder for folder in folders if folder), ""))


def _refuse_endless(element: Element) -> None:
    """NaN and infinity, with which the compiler may never end."""
    for name, value in element.everything():
        if name not in _IN_WORDS and "n" in value.lower() and not all(map(math.isfinite, _numbers(value))):
            element.fail(
                f"attribute {name!r} of <{element.tag}>{element.named()} is {value[:60]!r}",
                do="write finite numbers",
            )


def _numbers(text: str) -> Iterator[float]:
    """All of them, if these are numbers and nothing else."""
    try:
        yield from [float(word) for word in text.split()]
    except ValueError:
        return


def _file(element: Element, choices: Choices, folder: Path) -> Path:
    """What it names, if that may be opened."""
    file = element.string("file")
    if choices.path is None:
        element.fail(
            f"a text includes the file {file!r}", do="load it from a file, so that its folder is known"
        )
    if "\0" in file:
        element.fail(f"it includes the file {file!r}", do="name a file")
    path = (choices.path.parent / folder / file).resolve()
    if not any(path.is_relative_to(root) for root in choices.allowed()):
        element.fail(
            f"it includes {file!r}, which lies outside the model's folder",
            do=f"allow that folder: load(…, roots=[{str(path.parent)!r}])",
        )
    return path


def _opened(element: Element, path: Path) -> Element:
    try:
        content, shown, _ = text_of(path)
    except FormatError as error:
        element.fail(f"it includes a file: {error.what}", do=error.do)
    return parse(content, shown)


def _tell_of_options(element: Element, notes: Notes) -> None:
    """Gravity is read, a medium is told; others are about the simulator."""
    others = [name for name, _ in element.everything() if name not in _FORCES]
    if "wind" in others:
        notes.add("warning", "ignored", element, "wind is not modelled here")
        others.remove("wind")
    if others:
        notes.add(
            "info", "ignored", element, f"options of the simulator are not used here: {', '.join(others)}"
        )
