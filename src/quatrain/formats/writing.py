"""What writers of formats share: a text, what it could not hold, and how XML is made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from quatrain.formats.report import Finding, LoadReport
from quatrain.formats.source import FormatError, some
from quatrain.model import Extra
from quatrain.scalar import Scalar

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class SaveReport(LoadReport):
    """Of a file that was written: what it holds, and what it could not."""


@dataclass(frozen=True)
class Target:
    """Where a text will stand."""

    name: str = "text"
    folder: Path | None = None
    """In which files are looked for that the text names."""


@dataclass
class WriteNotes:
    """What a format cannot hold, gathered, one finding for a kind of thing."""

    format: str
    _owners: dict[tuple[str, str, str, str, str], dict[str, None]] = field(default_factory=dict)

    @property
    def findings(self) -> list[Finding]:
        """Of each kind of thing one, with the names of those that it concerns."""
        return [
            Finding(severity, code, f"{what} ({some(owners, 5)}) {how}", do)
            for (severity, code, what, how, do), owners in self._owners.items()
        ]

    def lost(self, what: str, owners: Iterable[str], do: str = "") -> None:
        """Left out, of whom."""
        self._note("warning", "lost", what, owners, f"have no place in {self.format} and are left out", do)

    def reworded(self, what: str, owners: Iterable[str], how: str) -> None:
        """Said in other words, which mean the same."""
        self._note("info", "reworded", what, owners, how, "")

    def changed(self, what: str, owners: Iterable[str], how: str) -> None:
        """Said as well as it can be, and not the same."""
        self._note("warning", "changed", what, owners, how, "")

    def impossible(self, what: str, owners: Iterable[str], do: str) -> None:
        """Without it there is no file."""
        self._note("error", "impossible", what, owners, f"cannot be said in {self.format}", do)

    def _note(self, severity: str, code: str, what: str, owners: Iterable[str], how: str, do: str) -> None:
        listed = dict.fromkeys(owners)
        if listed:
            self._owners.setdefault((severity, code, what, how, do), {}).update(listed)

    def stop_on_errors(self, where: str) -> None:
        refuse([finding for finding in self.findings if finding.severity == "error"], where)


def refuse(findings: list[Finding], where: str) -> None:
    """One error for what stands in the way of a file, if anything does."""
    if len(findings) == 1:
        raise FormatError(findings[0].what, do=findings[0].do or "choose another format", where=where)
    if findings:
        listed = "\n".join(f"  - {finding}" for finding in findings)
        raise FormatError(
            f"{len(findings)} things stand in the way:\n{listed}\n", do="mend all of them", where=where
        )


@dataclass(frozen=True)
class Written:
    """A text and what is to be said of it."""

    text: str
    format: str
    held: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...] = ()


# ---- XML ----------------------------------------------------------------------------------------------


def number(x: Scalar) -> str:
    """The shortest text that is read as the same float."""
    text = repr(float(x) + 0.0)  # no sign of zero
    return text.removesuffix(".0")


def numbers(values: Iterable[Scalar]) -> str:
    return " ".join(map(number, values))


def add(
    parent: Element | None, tag: str, attributes: Mapping[str, Any] | None = None, text: Any = ""
) -> Element:
    """A child; numbers and lists of them become text, and what is None is left out."""
    said = {key: _said(value) for key, value in (attributes or {}).items() if value is not None}
    made = Element(tag, said) if parent is None else ElementTree.SubElement(parent, tag, said)
    made.text = _said(text) or None
    return made


def _said(value: Any) -> str:
    if not isinstance(value, str):
        return numbers(value) if isinstance(value, Iterable) else number(value)
    if _NOT_IN_XML.search(value):
        raise FormatError(f"{value!r} has characters that XML cannot hold", do="choose another name")
    return value


def add_extra(parent: Element, extra: Extra) -> None:
    """What was kept of a file, as it stood there."""
    attributes = dict(extra.attributes)
    text = attributes.pop("text", "")
    made = add(parent, extra.kind, attributes, text)
    for part in extra.parts:
        add_extra(made, part)


def document(root: Element) -> str:
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
