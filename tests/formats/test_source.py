"""XML with lines: what is read, what is told to be unread, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

import quatrain as qt
from quatrain.errors import QuatrainError
from quatrain.formats import read_content, source
from quatrain.formats.reading import Choices
from quatrain.formats.source import FormatError, parse
from tests.formats.robots import ROBOT


def root(text: str, **kwargs):
    return parse(text.encode(), "file.xml")


def test_what_nobody_asked_for_is_known_with_its_line():
    element = root('<a x="1" y="2">\n <b z="3"/>\n <c>text</c>\n\n <d/></a>')
    element.get("x")
    element.child("b")
    element.child("c")
    assert [(place.line, what) for place, what in element.unread()] == [
        (1, "attribute 'y' of <a>"),
        (2, "attribute 'z' of <b>"),
        (3, "text 'text' in <c>"),
        (5, "<d> in <a>"),
    ]


def test_a_declaration_of_namespaces_is_no_finding():
    assert list(root('<a xmlns:xacro="http://www.ros.org/wiki/xacro"/>').unread()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a><b></a>", "file.xml:1: this is not well-formed XML: mismatched tag"),
        ("<a>", "file.xml:1: this is not well-formed XML: no element found"),
        ("", "not well-formed XML: no element found"),
        ("<a/>\n<b/>", "file.xml:2: this is not well-formed XML: junk after document element"),
        ("<a>\n&lol;</a>", "file.xml:2: this is not well-formed XML: undefined entity"),
        ('<a x="1" x="2"/>', "duplicate attribute"),
        (
            '<?xml version="1.0" encoding="klingon"?><a/>',
            "file.xml:1: its characters cannot be read: unknown encoding: klingon",
        ),
    ],
)
def test_what_is_no_xml_is_refused_with_its_line(text, message):
    with pytest.raises(FormatError) as caught:
        root(text)
    assert message in str(caught.value)


LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l "lol">'
    + "".join(f'<!ENTITY l{k} "{f"&l{k - 1 if k else chr(0)[:0]};" * 10}">' for k in range(1, 10))
    + "]><a>&l9;</a>"
)


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://localhost/p.dtd"> %p;]><a/>',
        LAUGHS,
    ],
    ids=["external", "parameter", "laughs"],
)
def test_entities_are_refused(text):
    with pytest.raises(FormatError, match=r"declares the entity"):
        root(text)


def test_an_external_grammar_is_not_fetched():
    assert root('<!DOCTYPE a SYSTEM "http://localhost:1/a.dtd"><a/>').tag == "a"


def test_depth_and_number_of_elements_are_bounded(monkeypatch):
    with pytest.raises(FormatError, match="elements beyond 256 levels deep"):
        root("<a>" * 300 + "</a>" * 300)
    monkeypatch.setattr(source, "MOST_ELEMENTS", 100)
    with pytest.raises(FormatError, match="elements beyond 100 elements"):
        root("<a>" + "<b/>" * 101 + "</a>")


def test_a_file_that_is_too_large_is_not_read(monkeypatch, tmp_path):
    monkeypatch.setattr(source, "MOST_BYTES", 100)
    file = tmp_path / "long.urdf"
    file.write_text("<a>" + " " * 200 + "</a>")
    with pytest.raises(FormatError, match=r"has 207 bytes, and at most 100 are read"):
        source.text_of(file)


@pytest.mark.parametrize(
    ("make", "message"),
    [(lambda p: p / "none.urdf", "cannot be read: No such file"), (lambda p: p, "is a folder")],
    ids=["missing", "folder"],
)
def test_a_file_that_is_not_there_says_so(tmp_path, make, message):
    with pytest.raises(FormatError) as caught:
        qt.load(make(tmp_path))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["1 2", "1 2 3 4", "1 2 x", "1 2 nan", "1 2 inf", "1,2,3", ""])
def test_numbers_are_checked(text):
    with pytest.raises(FormatError) as caught:
        root(f'<a>\n<b name="n" xyz="{text}"/></a>').needed("b").vector("xyz")
    expected = "has an empty attribute 'xyz'" if not text else f"attribute 'xyz' of <b> 'n' is {text!r}"
    assert expected in str(caught.value)
    assert str(caught.value).startswith("file.xml:2: ")


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: ('<?xml version="1.0" encoding="utf-16"?>' + text).encode("utf-16"),
        lambda text: ('<?xml version="1.0" encoding="iso-8859-1"?>' + text).encode("latin-1"),
    ],
    ids=["byte-order mark", "Windows", "UTF-16", "Latin-1"],
)
def test_encodings_and_line_ends(encode):
    found = parse(encode('<a>\n<!-- é -->\n<b name="ü"/></a>'), "file.xml").needed("b")
    assert (found.string("name"), found.place.line) == ("ü", 3)


def test_mutated_files_give_a_model_or_our_error_and_nothing_else():
    """A robot with bytes changed, cut out and doubled, mostly within its values: no traceback but ours."""
    rng = np.random.default_rng(7)
    within = [match.span(1) for match in re.finditer(rb'="([^"]*)"', ROBOT.encode())]
    tokens = (
        b"-",
        b"nan",
        b"1e999",
        b"&#0;",
        b"\xff",
        b"world",
        b"",
        b" 0 ",
        b"base",
        b"arm",
        b"shoulder",
        b"<",
        b'"',
    )
    loaded = 0
    for _ in range(1000):
        changed = bytearray(ROBOT.encode())
        for _ in range(rng.integers(1, 3)):
            a, b = within[rng.integers(len(within))] if rng.random() < 0.8 else cut(rng, len(changed))
            changed[a:b] = tokens[rng.integers(len(tokens))] if rng.random() < 0.7 else changed[a:b] * 2
        try:
            read_content(bytes(changed), "file.xml", Choices())
            loaded += 1
        except QuatrainError as error:
            if "To fix: " not in str(error):
                raise
    assert 100 < loaded < 900


def cut(rng: np.random.Generator, length: int) -> tuple[int, int]:
    a = int(rng.integers(length))
    return a, a + int(rng.integers(30))
