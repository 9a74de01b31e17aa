"""Equality constraints, tendons and sensors of MJCF: kept with all their numbers, without effect on the dynamics.

Numbers are those of the compiled model, defaults filled in, in SI units and radians, and go by MuJoCo's names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from quatrain.formats.reading import Notes, extra_of
from quatrain.model import Extra

if TYPE_CHECKING:
    from quatrain.formats.mjcf import Compiled

Attributes = tuple[tuple[str, str], ...]


def extras_of(compiled: Compiled, notes: Notes) -> Iterator[Extra]:
    """Each is told with its line, where it has one."""
    made: dict[str, Callable[[Compiled, int, str], Extra]] = {
        "equality": _equality,
        "tendon": _tendon,
        "sensor": _sensor,
    }
    for kind, make in made.items():
        for k, name in enumerate(compiled.names[kind]):
            element = compiled.element(kind, name)
            extra = make(compiled, k, name)
            yield extra if element is None else replace(extra, where=str(element.place))
            severity = "warning" if kind == "equality" else "info"
            what = f"{kind} {name!r}{_told(extra)}: kept in model.extras, without effect on the dynamics"
            notes.add(severity, "kept", element, what)
            if kind == "tendon" and compiled["tendon_armature"][k]:
                what = f"tendon {name!r} has armature, which is not modelled here: M lacks its part"
                notes.add("warning", "ignored", element, what)
    if compiled.raw["counts"]["nflex"]:
        notes.add("warning", "ignored", compiled.walk.flexible, "flexible bodies are not modelled here")


def _told(extra: Extra) -> str:
    """Its type and what it acts on, for the report."""
    said = dict(extra.attributes)
    on = [name for key, name in said.items() if key.rstrip("12") in ("body", "site", "joint", "tendon")]
    on += list(dict.fromkeys(part.name for part in extra.parts if part.name))
    listed = ", ".join(map(repr, on[:4])) + (" …" if len(on) > 4 else "")
    return f" ({said['type']}{f': {listed}' if listed else ''})" if "type" in said else ""


# ---- constraints --------------------------------------------------------------------------------------


def _equality(compiled: Compiled, k: int, name: str) -> Extra:
    kind = compiled.raw["equalities"].get(str(compiled["eq_type"][k]), "unknown")
    data = compiled["eq_data"][k]
    # Only where bodies and sites are both possible the compiler says which.
    of = compiled.raw["kinds"].get(
        str(compiled["eq_objtype"][k]), kind.removesuffix("vert").removesuffix("strain")
    )
    ends = [
        (f"{of}{n}", _named(compiled, of, compiled[f"eq_obj{n}id"][k]))
        for n in (1, 2)
        if compiled[f"eq_obj{n}id"][k] >= 0
    ]
    attributes = (
        ("type", kind),
        ("active", "true" if compiled["eq_active0"][k] else "false"),
        *ends,
        *_data(kind, of, data),
        ("solref", _numbers(compiled["eq_solref"][k])),
        ("solimp", _numbers(compiled["eq_solimp"][k])),
    )
    return Extra("equality", name, attributes)


def _data(kind: str, of: str, data: list[float]) -> Attributes:
    """What MuJoCo keeps in one row of numbers, by name: anchors are points of body1 and of body2."""
    if kind == "connect" and of == "body":
        return ("anchor1", _numbers(data[:3])), ("anchor2", _numbers(data[3:6]))
    if kind == "weld" and of == "body":
        return (
            ("anchor1", _numbers(data[3:6])),
            ("anchor2", _numbers(data[:3])),
            ("relquat", _numbers(data[6:10])),
            ("torquescale", _numbers(data[10:11])),
        )
    if kind == "weld":  # of sites, which say the rest
        return (("torquescale", _numbers(data[10:11])),)
    if kind == "connect":
        return ()
    if kind in ("joint", "tendon"):
        return (("polycoef", _numbers(data[:5])),)
    return (("data", _numbers(data)),)


# ---- tendons ------------------------------------------------------------------------------------------


def _tendon(compiled: Compiled, k: int, name: str) -> Extra:
    """Its parts are its path: joints with coefficients; or sites, pulleys and the geoms that it wraps."""
    first, count = compiled["tendon_adr"][k], compiled["tendon_num"][k]
    parts = tuple(_wrap(compiled, n) for n in range(first, first + count))
    kind = "fixed" if parts and parts[0].kind == "joint" else "spatial"
    numbers = (
        (key, _numbers(values[k])) for key, values in compiled.raw["tendons"].items() if values[k] != []
    )
    return Extra("tendon", name, (("type", kind), *numbers), parts)


def _wrap(compiled: Compiled, n: int) -> Extra:
    kind = compiled.raw["wraps"].get(str(compiled["wrap_type"][n]), "unknown")
    which, number = compiled["wrap_objid"][n], compiled["wrap_prm"][n]
    if kind == "joint":
        return Extra("joint", _named(compiled, "joint", which), (("coef", _numbers([number])),))
    if kind == "pulley":
        return Extra("pulley", "", (("divisor", _numbers([number])),))
    if kind in ("sphere", "cylinder"):
        side = (("sidesite", _named(compiled, "site", round(number))),) if number >= 0 else ()
        return Extra("geom", _named(compiled, "geom", which), (("type", kind), *side))
    return Extra(kind, _named(compiled, kind, which))


# ---- sensors ------------------------------------------------------------------------------------------


def _sensor(compiled: Compiled, k: int, name: str) -> Extra:
    """As it is written: sensors have no defaults of classes."""
    element = compiled.element("sensor", name)
    if element is None:
        return Extra("sensor", name)
    written = extra_of(element)
    return Extra("sensor", name, (("type", element.tag), *written.attributes), written.parts)


# ---- texts --------------------------------------------------------------------------------------------


def _named(compiled: Compiled, kind: str, number: int) -> str:
    names = compiled.names.get(kind, [])
    return names[number] if 0 <= number < len(names) and names[number] else f"{kind}{number}"


def _numbers(values: Any) -> str:
    """All digits; a number alone, or several with blanks in between."""
    listed: Iterable[Any] = values if isinstance(values, list) else [values]
    return " ".join(str(x).lower() if isinstance(x, bool) else repr(x).removesuffix(".0") for x in listed)
