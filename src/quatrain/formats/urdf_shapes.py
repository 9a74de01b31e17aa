"""What URDF says of looks: visual and collision shapes, and materials by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quatrain.formats.reading import Notes
from quatrain.formats.source import Element
from quatrain.geometry import Vec3
from quatrain.model import Shape

_SIZES = {"cylinder": ("radius", "length"), "capsule": ("radius", "length"), "sphere": ("radius",)}
_ONE = Vec3(1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Material:
    name: str = ""
    color: tuple[float, float, float, float] | None = None
    texture: str = ""


class Materials:
    """By name: those of the robot, and those that a link defines where it uses them."""

    def __init__(self, root: Element, links: list[Element]) -> None:
        self.known: dict[str, Material] = {}
        for element in root.children("material"):
            self._learn(element)
        for link in links:
            for visual in link.children("visual"):
                inner = visual.child("material")
                if inner is not None:
                    self._learn(inner)

    def _learn(self, element: Element) -> Material:
        color, texture = element.child("color"), element.child("texture")
        name = element.get("name") or ""
        found = Material(
            name,
            _rgba(color) if color is not None else None,
            (texture.get("filename") or "") if texture is not None else "",
        )
        if name and (color is not None or texture is not None):
            self.known.setdefault(name, found)
        return found

    def of(self, element: Element | None, notes: Notes) -> Material:
        if element is None:
            return Material()
        own = self._learn(element)
        if own.color is not None or own.texture:
            return own
        if own.name not in self.known:
            notes.add(
                "warning",
                "material",
                element,
                f"material {own.name!r} is nowhere defined: no colour is known",
            )
        return self.known.get(own.name, own)


def _rgba(element: Element) -> tuple[float, float, float, float]:
    r, g, b, a = element.numbers("rgba", 4)
    return r, g, b, a


def shapes_of(link: Element, body: int, materials: Materials, notes: Notes) -> Iterator[Shape]:
    """Of one link."""
    from quatrain.formats.urdf import origin_of

    for role in ("visual", "collision"):
        for element in link.children(role):
            found = _geometry(element, link, notes)
            if found is None:
                continue
            kind, size, mesh = found
            if no_extent(kind, size):
                notes.add(
                    "warning",
                    "ignored",
                    element,
                    f"a {kind} of link{link.named()} has the size {size}: left out",
                )
                continue
            look = materials.of(element.child("material"), notes)
            yield Shape(
                kind,
                size,
                body,
                origin_of(element, notes),
                role,
                element.get("name") or "",
                mesh,
                look.color,
                look.name,
                look.texture,
            )


def no_extent(kind: str, size: tuple[float, ...]) -> bool:
    """Whether there is nothing of it."""
    return kind not in ("mesh", "plane") and min(size) <= 0


def _geometry(element: Element, link: Element, notes: Notes) -> tuple[str, tuple[float, ...], str] | None:
    """Kind, size and mesh file."""
    geometry = element.child("geometry")
    given = geometry.others() if geometry is not None else []
    known = [shape for shape in given if shape.tag in ("box", "mesh", *_SIZES)]
    given = known if len(known) == 1 else given  # what else is there is told as unread
    if len(given) != 1:
        notes.add(
            "warning", "ignored", element,
            f"a <{element.tag}> of link{link.named()} has {len(given)} shapes in its <geometry>: it is left out",
            "write one shape",
        )  # fmt: skip
        return None
    (shape,) = given
    shape._taken = True
    if shape.tag == "box":
        return "box", shape.numbers("size", 3), ""
    if shape.tag in _SIZES:
        return shape.tag, tuple(shape.number(key) for key in _SIZES[shape.tag]), ""
    if shape.tag == "mesh":
        return "mesh", tuple(shape.vector("scale", _ONE)), shape.string("filename")
    shape._taken = False
    notes.add(
        "warning", "ignored", shape, f"link{link.named()} has a shape <{shape.tag}>, which is not of URDF",
        f"use box, sphere, mesh, {', '.join(_SIZES)}",
    )  # fmt: skip
    return None
