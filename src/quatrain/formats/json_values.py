"""Dataclasses as JSON and back, by the types of their fields: every float to its last bit, every mistake with its path.

An object stands for a dataclass, and leaves out what has its default value; vectors and quaternions are lists.
Numbers without a sign of infinity in JSON are the words "inf", "-inf" and "nan".
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from quatrain.formats.source import FormatError
from quatrain.geometry import Quaternion, Vec3

_LISTS = (Vec3, Quaternion)
_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_WIDTH = 100
_DEEPEST = 64
"""Objects in objects."""


# ---- out ----------------------------------------------------------------------------------------------


def encoded(value: Any, path: str = "", depth: int = 0) -> Any:
    """What JSON can hold of it."""
    if depth > _DEEPEST:
        raise FormatError(f"{path[:60]}… is nested too deeply", do="keep less of what is not interpreted")
    if isinstance(value, _LISTS):
        return [_number_out(x, f"{path}[{k}]") for k, x in enumerate(value)]
    if dataclasses.is_dataclass(value):
        found = {}
        for name, default in _defaults(value.__class__).items():
            part = encoded(getattr(value, name), f"{path}.{name}".lstrip("."), depth + 1)
            # Their text too: 0.0 and -0.0 are equal, and not the same.
            if default is None or part != default[0] or repr(part) != repr(default[0]):
                found[name] = part
        return found
    if isinstance(value, (tuple, list)):
        return [encoded(one, f"{path}[{k}]", depth) for k, one in enumerate(value)]
    if value is None or isinstance(value, str):
        return value
    return _number_out(value, path)


def _number_out(x: Any, path: str) -> float | str:
    try:
        number = float(x)
        exact = number == x or number != number
    except (TypeError, ValueError, OverflowError):
        exact = False
    if isinstance(x, bool) or not exact:
        raise FormatError(
            f"{path} is {x!r}, of type {type(x).__name__}, and a file holds floats",
            do="put the number that is meant in its place",
        )
    if math.isfinite(number):
        return number
    return next(word for word, value in _WORDS.items() if repr(value) == repr(number))


@cache
def _defaults(kind: Any) -> dict[str, tuple[Any] | None]:
    """By field, what stands for its default value, or None."""
    found: dict[str, tuple[Any] | None] = {}
    for one in dataclasses.fields(kind):
        if one.default is not dataclasses.MISSING:
            found[one.name] = (encoded(one.default),)
        elif one.default_factory is not dataclasses.MISSING:
            found[one.name] = (encoded(one.default_factory()),)
        else:
            found[one.name] = None
    return found


def laid_out(value: Any) -> str:
    """The JSON text: what fits on a line stands on one, the rest is indented by one blank a level."""
    return "\n".join(_lines(value, 0, 0)) + "\n"


def _lines(value: Any, depth: int, column: int) -> list[str]:
    if not isinstance(value, (dict, list)) or not value:
        return [json.dumps(value, ensure_ascii=False)]
    if isinstance(value, dict):
        heads = [json.dumps(key, ensure_ascii=False) + ": " for key in value]
        ends, parts = "{}", list(value.values())
    else:
        ends, heads, parts = "[]", [""] * len(value), value
    blocks = []
    for head, part in zip(heads, parts, strict=True):
        first, *others = _lines(part, depth + 1, depth + 1 + len(head))
        blocks.append([head + first, *others])
    whole = ", ".join(block[0] for block in blocks)
    if all(len(block) == 1 for block in blocks) and column + len(whole) + len("[],") <= _WIDTH:
        return [f"{ends[0]}{whole}{ends[1]}"]
    for block in blocks[:-1]:
        block[-1] += ","
    return [ends[0], *(f" {line}" for block in blocks for line in block), ends[1]]


# ---- in -----------------------------------------------------------------------------------------------


def parsed(content: bytes, name: str) -> Any:
    """The values of a JSON text; what JSON leaves open (a key that stands twice, NaN) is refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise FormatError(f"the key {twice!r} stands twice in one object", do="keep one", where=name)
        return found

    def constant(word: str) -> Any:
        raise FormatError(
            f"it holds {word}, which is not JSON", do=f"write {', '.join(map(repr, _WORDS))}", where=name
        )

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"its characters cannot be read: {error}", do="save it as UTF-8", where=name
        ) from None
    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"this is not well-formed JSON: {error.msg} (column {error.colno})",
            do="mend the line; a list and an object have no comma after their last entry",
            where=f"{name}:{error.lineno}",
        ) from None
    except (RecursionError, ValueError) as error:
        deep = isinstance(error, RecursionError)
        what = "its objects are nested too deeply" if deep else f"a number cannot be read: {error}"
        raise FormatError(what, do="check that this is a model", where=name) from None


class Decoder:
    """Values of JSON as what the types of fields ask for; `where` names the file."""

    def __init__(self, where: str) -> None:
        self.where = where

    def fail(self, path: str, came: Any, expected: str, do: str) -> FormatError:
        shown = json.dumps(came, ensure_ascii=False)
        shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
        what = f"{path or 'the whole'} is {shown}; this needs {expected}"
        return FormatError(what, do=do, where=self.where)

    def value(self, kind: Any, given: Any, path: str, depth: int = 0) -> Any:
        """The value of this type."""
        if kind is Any or kind is float:
            return self._number(given, path)
        if kind is str or kind is int:
            if not isinstance(given, kind) or isinstance(given, bool):
                noun = "a text" if kind is str else "a whole number"
                raise self.fail(path, given, noun, f"write {noun}")
            return given
        origin = get_origin(kind)
        if origin in (types.UnionType, Union):
            inner = next(one for one in get_args(kind) if one is not type(None))
            return None if given is None else self.value(inner, given, path, depth)
        if origin is tuple:
            return tuple(self._entries(get_args(kind), given, path, depth))
        if kind in _LISTS:
            names = [one.name for one in dataclasses.fields(kind)]
            return kind(*self._entries((float,) * len(names), given, path, depth))
        return self.object(kind, given, path, depth + 1)

    def object(self, kind: Any, given: Any, path: str, depth: int = 0) -> Any:
        """A dataclass from an object with its fields."""
        if depth > _DEEPEST:
            raise FormatError(
                f"{path[:60]}… is nested too deeply", do="check that this is a model", where=self.where
            )
        return kind(**self.fields(kind, given, path, depth))

    def fields(self, kind: Any, given: Any, path: str, depth: int = 0) -> dict[str, Any]:
        known, defaults = _hints(kind), _defaults(kind)
        self.keys(given, path, known, [name for name, default in defaults.items() if default is None])
        return {
            name: self.value(known[name], one, f"{path}.{name}".lstrip("."), depth)
            for name, one in given.items()
        }

    def keys(self, given: Any, path: str, known: Mapping[str, Any], needed: list[str]) -> None:
        """An error if it is no object with these keys."""
        if not isinstance(given, dict):
            raise self.fail(path, given, f"an object with {', '.join(known)}", "write {…}")
        unknown = [key for key in given if key not in known]
        if unknown:
            raise FormatError(
                f"{path or 'the whole'} has the key {unknown[0]!r}, which has no meaning there",
                do=f"known are {', '.join(known)}",
                where=self.where,
            )
        missing = [key for key in needed if key not in given]
        if missing:
            raise FormatError(
                f"{path or 'the whole'} has no {missing[0]!r}", do=f'add "{missing[0]}": …', where=self.where
            )

    def _entries(self, kinds: tuple[Any, ...], given: Any, path: str, depth: int) -> Iterator[Any]:
        any_number = len(kinds) == 2 and kinds[1] is Ellipsis
        count = None if any_number else len(kinds)
        if not isinstance(given, list) or (count is not None and len(given) != count):
            wanted = "a list" if count is None else f"a list of {count}"
            raise self.fail(path, given, wanted, "write […]")
        for k, one in enumerate(given):
            yield self.value(kinds[0] if any_number else kinds[k], one, f"{path}[{k}]", depth)

    def _number(self, given: Any, path: str) -> float:
        if isinstance(given, str) and given in _WORDS:
            return _WORDS[given]
        if isinstance(given, (int, float)) and not isinstance(given, bool) and abs(given) <= _GREATEST:
            return float(given)
        raise self.fail(path, given, "a number", "write a number, or one of " + ", ".join(map(repr, _WORDS)))


_GREATEST = 1.7976931348623157e308


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in dataclasses.fields(kind)}
