"""Which element of an MJCF file became which thing of the compiled model, by name or by order."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.formats.mjcf_walk import Walk
from quatrain.formats.source import Element


def found_elements(
    walk: Walk, given: dict[str, list[str]], shown: dict[str, list[str]]
) -> dict[str, Element]:
    """Elements by kind and name, "body 'arm'": names as `given` in the file, and as they are `shown` here."""
    found: dict[str, Element] = {}
    for kind in ("body", "joint", "site", "actuator", "equality", "tendon", "sensor", "key"):
        elements = walk.of("keyframe" if kind == "key" else kind)
        if kind == "joint":
            # The compiler has those of a body together, also where a child stands between them.
            elements = [elements[k] for k in sorted(range(len(elements)), key=walk.owners.__getitem__)]
        if kind == "site":  # by name alone: their order is that of the compiler's bodies
            pairs: Sequence[tuple[str, Element]] = _by_name(elements)
        else:
            first = kind == "body"  # the world, which is no <body>
            pairs = _matched(elements, given[kind][first:], shown[kind][first:])
        for name, element in (*_by_name(walk.of(f"attached {kind}")), *pairs):
            found[f"{kind} {name!r}"] = element
    return found


def _by_name(elements: Sequence[Element]) -> list[tuple[str, Element]]:
    return [(name, element) for element in elements if (name := element.get("name"))]


def _matched(
    elements: Sequence[Element], given: Sequence[str], shown: Sequence[str]
) -> list[tuple[str, Element]]:
    """One by one where the names agree in their order; else, where something was replicated or made, by name."""
    if [element.get("name") or "" for element in elements] == list(given):
        return list(zip(shown, elements, strict=True))
    return _by_name(elements)
