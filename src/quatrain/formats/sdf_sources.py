"""Where models of SDF come from: the file itself, and the files that it includes, which lie in allowed folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from quatrain.formats.reading import Choices, Notes
from quatrain.formats.sdf_values import flag, word
from quatrain.formats.source import MOST_ELEMENTS, Element, FormatError, parse, text_of

MOST_INCLUDES = 16
"""So deep may files include files."""

_SCENERY = ("sun", "ground_plane")
"""Of the library that comes with the simulator: a light, and a floor that does not move."""


Version = tuple[int, int]


@dataclass(eq=False)
class Source:
    """A <model>, and what an <include> says of it instead of its own file."""

    element: Element
    version: Version
    folder: Path | None
    include: Element | None = None
    depth: int = 0

    @property
    def name(self) -> str:
        given = word(self.include, "name") if self.include is not None else ""
        return given or self.element.string("name")

    @property
    def placed_by(self) -> Element:
        """Whose <pose> holds."""
        if self.include is not None and self.include.has_child("pose"):
            self.element.child("pose")  # replaced
            return self.include
        return self.element

    @property
    def placement(self) -> str:
        own = self.element.get("placement_frame") or ""
        if self.include is None:
            return own
        said = word(self.include, "placement_frame")
        return said or ("" if self.placed_by is self.include else own)

    @property
    def static(self) -> bool:
        own = flag(self.element, "static")
        return own if self.include is None else flag(self.include, "static", own)


@dataclass
class Files:
    """What may be opened, and what was."""

    choices: Choices
    notes: Notes
    roots: list[Element] = field(default_factory=list)
    elements: int = 0

    def included(self, include: Element, within: Source) -> Source | None:
        """The model that an <include> names, if it is one."""
        uri = include.needed("uri").text()
        depth = within.depth + 1
        if depth > MOST_INCLUDES:
            include.fail(
                f"files include files more than {MOST_INCLUDES} deep",
                do="check whether one of them includes itself",
            )
        file = self._file(include, uri, within.folder)
        if file is None:
            return None
        content, shown, _ = text_of(file)
        root = parse(content, shown)
        self.elements += root.size()
        if self.elements > MOST_ELEMENTS:
            include.fail(
                f"with what it includes, this file has more than {MOST_ELEMENTS:,} elements",
                do="check that this is a model",
            )
        self.roots.append(root)
        models = [] if root.tag != "sdf" else root.children("model")
        if root.tag != "sdf":
            include.fail(f"{uri!r} is <{root.tag}>, not SDF", do="write it as SDF, or include another file")
        if len(models) != 1:
            if not models and root.children("light", "actor"):
                self.notes.add(
                    "info", "ignored", include, f"{uri!r} is no model: it has no effect on the dynamics"
                )
                return None
            include.fail(f"{uri!r} has {len(models)} models, and one is meant", do="include a file of one")
        return Source(models[0], version_of(root, self.notes), file.parent, include, depth)

    def _file(self, include: Element, uri: str, folder: Path | None) -> Path | None:
        scheme, colon, rest = uri.partition("://")
        if colon and scheme not in ("model", "file", "package"):
            include.fail(f"it includes {uri!r}; nothing is fetched", do="save it beside this file")
        name = rest if colon else uri
        if "\0" in name:
            include.fail(f"it includes {uri!r}", do="name a file")
        homes = [*([] if folder is None else [folder]), *self.choices.roots]
        found, outside = self._found(name, homes)
        if found is not None:
            return found
        if name.strip("/") in _SCENERY and scheme == "model":
            self.notes.add("info", "ignored", include, f"{uri!r} is scenery, and not here: it is left out")
            return None
        if outside is not None:
            include.fail(
                f"it includes {uri!r}, which lies outside the model's folder",
                do=f"allow that folder: load(…, roots=[{str(outside.parent)!r}])",
            )
        listed = ", ".join(map(str, homes))
        where = f"not in {listed}" if listed else "nowhere: this is a text, which has no folder"
        return include.fail(
            f"it includes {uri!r}, which is {where}",
            do="name the folder that holds it: load(…, roots=[…])",
        )

    def _found(self, name: str, homes: list[Path]) -> tuple[Path | None, Path | None]:
        """The file, and one that lies where nothing is opened."""
        outside = None
        allowed = self.choices.allowed()
        for home in homes:
            path = (home / name).resolve()
            if not any(path.is_relative_to(root) for root in allowed):
                outside = outside or path
                continue
            for file in _of_folder(path, self.notes) if path.is_dir() else (path,):
                if file.is_file() and any(file.resolve().is_relative_to(root) for root in allowed):
                    return file, None
        return None, outside if outside is not None and outside.exists() else None


def _of_folder(folder: Path, notes: Notes) -> Iterator[Path]:
    """The SDF that a model's folder means: the newest that its model.config names, or model.sdf."""
    config = folder / "model.config"
    if config.is_file():
        content, shown, _ = text_of(config)
        named = parse(content, shown).children("sdf")
        for element in sorted(named, key=lambda e: _numbers(e.get("version") or ""), reverse=True):
            yield folder / element.text()
    yield folder / "model.sdf"


def _numbers(text: str) -> Version:
    parts = text.strip().split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) == 2 and all(p.isdecimal() for p in parts) else (0, 0)


def version_of(root: Element, notes: Notes) -> Version:
    """Of an <sdf>."""
    said = root.get("version") or ""
    version = _numbers(said)
    if version[0] != 1:
        raise FormatError(
            f"its version is {said[:20]!r}", do='write one such as version="1.7"', where=root.place
        )
    if version < (1, 4):
        notes.add("warning", "version", root, f"SDF {said} is read by the rules of 1.4")
    return version
