"""XML read with care: elements that know their file and line, and that know what of them has been read.

Readers ask an element for its attributes and children; what nobody asked for is told in the load report, so that
nothing that a file says is dropped in silence. Entities, external references, absurd sizes and depths are refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from quatrain.errors import ArgumentError, QuatrainError
from quatrain.geometry import Vec3

MOST_BYTES = 64 << 20
MOST_DEPTH = 256
MOST_ELEMENTS = 1_000_000
LARGEST = 1e100
"""No number of a machine is larger, in any unit."""


class FormatError(QuatrainError):
    """A file that cannot be read as what it should be; `where` is its name and line.

    `findings`: what is wrong, one by one, where several things are.
    """

    def __init__(self, what: str, *, do: str, where: object = None, findings: Sequence[Any] = ()) -> None:
        super().__init__(what, do=do, where=where)
        self.findings = tuple(findings)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.what, self.do, self.where, self.findings)


def _rebuild(what: str, do: str, where: object, findings: Sequence[Any]) -> FormatError:
    return FormatError(what, do=do, where=where, findings=findings)


@dataclass(frozen=True)
class Place:
    """A file and a line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Element:
    """A tag with its attributes, children and text."""

    # A file may hold a million of these: what most do not have is made when it is needed.
    __slots__ = (
        "_aside", "_attributes", "_children", "_file", "_line", "_read", "_taken", "_text", "_text_read", "tag",
    )  # fmt: skip

    def __init__(self, tag: str, file: str, line: int, attributes: dict[str, str]) -> None:
        self.tag, self._file, self._line = tag, file, line
        self._attributes = attributes
        self._children: list[Element] = []
        self._text: list[str] | None = None
        self._read: set[str] = set()
        self._taken = self._text_read = self._aside = False

    @property
    def place(self) -> Place:
        return Place(self._file, self._line)

    # ---- what it holds ----------------------------------------------------------------------------

    def children(self, *tags: str) -> list[Element]:
        """Those of these tags, in the order of the file; they count as read."""
        found = [child for child in self._children if child.tag in tags]
        for child in found:
            child._taken = True
        return found

    def child(self, tag: str) -> Element | None:
        """The one child of this tag, if there is one."""
        found = self.children(tag)
        if len(found) > 1:
            found[1].fail(
                f"<{self.tag}>{self.named()} has {len(found)} <{tag}>, and one is meant "
                f"(the first in line {found[0].place.line})",
                do="keep one of them",
            )
        return found[0] if found else None

    def has_child(self, tag: str) -> bool:
        return any(child.tag == tag for child in self._children)

    def needed(self, tag: str) -> Element:
        found = self.child(tag)
        if found is None:
            self.fail(f"<{self.tag}>{self.named()} has no <{tag}>", do=f"add <{tag} …/>")
        return found

    def others(self, *known: str) -> list[Element]:
        """Children of all other tags."""
        return [child for child in self._children if child.tag not in known]

    def text(self) -> str:
        """The text between the tags, white space at its ends left out."""
        self._text_read = True
        return "".join(self._text or ()).strip()

    def get(self, name: str, default: str | None = None) -> str | None:
        self._read.add(name)
        return self._attributes.get(name, default)

    def string(self, name: str) -> str:
        """An attribute that must be there, and not empty."""
        value = self.get(name)
        if value is None or not value.strip():
            state = "no" if value is None else "an empty"
            self.fail(f"<{self.tag}>{self.named()} has {state} attribute {name!r}", do=f'write {name}="…"')
        return value

    def has(self, name: str) -> bool:
        return name in self._attributes

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number; without a default it must be there."""
        (value,) = self.numbers(name, 1, None if default is None else (default,))
        return value

    def bound(self, name: str) -> float | None:
        """A number; None where none is written, or one that bounds nothing, such as the greatest float."""
        text = self.get(name)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        return None if abs(value) >= LARGEST else self.number(name)

    def vector(self, name: str, default: Vec3 | None = None) -> Vec3:
        return Vec3(*self.numbers(name, 3, None if default is None else tuple(default)))

    def numbers(
        self, name: str, count: int | None, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Numbers with white space between them; None for as many as there are."""
        if default is not None and name not in self._attributes:
            self._read.add(name)
            return default
        return self.as_numbers(self.string(name), count, f"attribute {name!r}")

    def as_numbers(self, text: str, count: int | None, what: str) -> tuple[float, ...]:
        """The numbers in a text of this element's."""
        try:
            found = tuple(map(float, text.split()))
        except ValueError:
            found = ()
        wrong = not found or (count is not None and len(found) != count)
        # Squares and cubes of larger ones are infinite; of no machine are they true.
        if wrong or not all(-LARGEST < x < LARGEST for x in found):
            wanted = "numbers" if count is None else "a number" if count == 1 else f"{count} numbers"
            shown = text if len(text) <= 60 else f"{text[:57]}…"
            self.fail(
                f"{what} of <{self.tag}>{self.named()} is {shown!r}",
                do=f"write {wanted}, finite, with a point for the decimals and blanks in between",
            )
        return found

    # ---- where it is ------------------------------------------------------------------------------

    def named(self) -> str:
        """For messages: its name in quotes, if it has one."""
        name = self._attributes.get("name")
        return "" if name is None else f" {name!r}"

    def fail(self, what: str, *, do: str) -> NoReturn:
        raise FormatError(what, do=do, where=self.place)

    def everything(self) -> Iterator[tuple[str, str]]:
        """All attributes; they count as read."""
        self._read.update(self._attributes)
        yield from self._attributes.items()

    def set_aside(self) -> None:
        """It is told of elsewhere, with all that is in it."""
        self._taken = self._aside = True

    def size(self) -> int:
        """How many elements it is, with all in it."""
        count, pending = 0, [self]
        while pending:
            element = pending.pop()
            count += 1
            pending += element._children
        return count

    def unread(self) -> Iterator[tuple[Place, str]]:
        """What nobody has asked for, outermost first."""
        if self._aside:
            return
        for name in self._attributes:
            if name not in self._read and not _is_housekeeping(name):
                yield self.place, f"attribute {name!r} of <{self.tag}>{self.named()}"
        if not self._text_read and (text := "".join(self._text or ()).strip()):
            yield self.place, f"text {text[:40]!r} in <{self.tag}>{self.named()}"
        for child in self._children:
            if child._taken:
                yield from child.unread()
            else:
                yield child.place, f"<{child.tag}>{child.named()} in <{self.tag}>{self.named()}"


def _is_housekeeping(attribute: str) -> bool:
    """What concerns XML itself."""
    return attribute.startswith(("xmlns", "xsi:"))


# ---- reading ------------------------------------------------------------------------------------------


def text_of(source: str | Path) -> tuple[bytes, str, Path | None]:
    """The bytes of a file, or of a text that is XML or JSON itself; its name for messages; its path, if it has one."""
    if isinstance(source, str) and (bare := source.lstrip("\ufeff \t\r\n")).startswith(("<", "{")):
        # Nothing may stand before a declaration; otherwise lines are counted from the first.
        return (bare if bare.startswith("<?") else source.lstrip("\ufeff")).encode(), "text", None
    path = Path(source)
    try:
        if path.is_dir():
            raise FormatError(f"{path} is a folder", do="name a file in it")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise FormatError(
                f"{path} has {size:,} bytes, and at most {MOST_BYTES:,} are read",
                do="check that it is a model and not a mesh or a log",
            )
        return path.read_bytes(), path.name, path
    except OSError as error:
        raise FormatError(
            f"{path} cannot be read: {error.strerror or error}", do="check the name and that you may read it"
        ) from None


def parse(content: bytes, name: str) -> Element:
    """The root element."""
    if len(content) > MOST_BYTES:
        raise FormatError(f"{name} has {len(content):,} bytes", do=f"at most {MOST_BYTES:,} are read")
    return _Reader(name).read(content)


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = self.above = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity
        self.parser.ExternalEntityRefHandler = self._external

    def read(self, content: bytes) -> Element:
        bare = content.lstrip(b" \t\r\n")
        if bare.startswith(b"<?xml"):  # blank lines before a declaration are forgiven, as elsewhere
            self.above = content[: len(content) - len(bare)].count(b"\n")
            content = bare
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            raise FormatError(
                f"this is not well-formed XML: {expat.errors.messages[error.code]} (column {error.offset + 1})",
                do="mend the line; an XML editor or `xmllint` shows what is open there",
                where=Place(self.name, error.lineno + self.above),
            ) from None
        except (UnicodeDecodeError, LookupError, ValueError) as error:
            raise FormatError(
                f"its characters cannot be read: {error}", do="save it as UTF-8", where=self.place
            ) from None
        assert self.root is not None  # expat refuses a file without an element
        return self.root

    @property
    def place(self) -> Place:
        return Place(self.name, self.parser.CurrentLineNumber + self.above)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.open) >= MOST_DEPTH or self.count > MOST_ELEMENTS:
            what = (
                f"{MOST_DEPTH} levels deep" if len(self.open) >= MOST_DEPTH else f"{MOST_ELEMENTS:,} elements"
            )
            raise FormatError(
                f"elements beyond {what} are not read", do="check that this is a model", where=self.place
            )
        element = Element(tag, self.name, self.parser.CurrentLineNumber + self.above, attributes)
        if self.open:
            self.open[-1]._children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _characters(self, text: str) -> None:
        element = self.open[-1]
        if element._text is None:
            element._text = [text]
        else:
            element._text.append(text)

    def _entity(self, name: str, *_: object) -> None:
        raise FormatError(
            f"it declares the entity {name!r}; entities can name other files and grow without end, and are not read",
            do="write out what the entity stands for",
            where=self.place,
        )

    def _external(self, *_: object) -> int:
        raise FormatError(
            "it refers to something outside the file", do="write it into the file", where=self.place
        )


# ---- names ----------------------------------------------------------------------------------------------


def by_name(elements: Iterable[Element], what: str) -> dict[str, Element]:
    """Elements by the attribute "name"; an error that names both lines if two have one name."""
    found: dict[str, Element] = {}
    for element in elements:
        name = element.string("name")
        if name in found:
            element.fail(
                f"a second {what} is named {name!r}; the first stands in line {found[name].place.line}",
                do="give each its own name",
            )
        found[name] = element
    return found


def some(names: Iterable[str], most: int = 8) -> str:
    """A few of these names, for a message."""
    listed = list(names)
    shown = ", ".join(listed[:most]) or "none"
    return shown if len(listed) <= most else f"{shown} … ({len(listed)} in all)"


def choose(value: str, known: Iterable[str], name: str) -> str:
    """The value, if it is one of those known."""
    listed = tuple(known)
    if value not in listed:
        raise ArgumentError(f"{name} is {value!r}", do=f"choose one of {', '.join(map(repr, listed))}")
    return value
