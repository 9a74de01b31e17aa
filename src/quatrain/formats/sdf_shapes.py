"""What SDF says of looks and contact: visuals and collisions."""

from __future__ import annotations

from collections.abc import Iterator

from quatrain.formats.reading import Notes
from quatrain.formats.sdf_frames import Spot, relative
from quatrain.formats.sdf_values import number, turning_z_to, vector, word
from quatrain.formats.source import Element
from quatrain.formats.urdf_shapes import no_extent
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.model import Shape

_ONE, _ZERO, _Z = Vec3(1.0, 1.0, 1.0), Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)
_LONG = ("cylinder", "capsule", "cone")
_KNOWN = ("box", "sphere", "ellipsoid", *_LONG, "plane", "mesh", "empty", "polyline", "heightmap", "image")


def shape_of(
    element: Element, body: int, link: Spot, stands: Spot, pose: Pose, notes: Notes
) -> Iterator[Shape]:
    """Of one visual or collision, which stands in a frame of the file."""
    geometry = element.child("geometry")
    given = geometry.others() if geometry is not None else []
    known = [one for one in given if one.tag in _KNOWN]
    given = known if len(known) == 1 else given  # what else is there is told as unread
    if len(given) != 1:
        notes.add(
            "warning", "ignored", element,
            f"{element.tag}{element.named()} of {link.label!r} has {len(given)} shapes: it is left out",
            "write one shape",
        )  # fmt: skip
        return
    (shape,) = given
    shape._taken = True
    X_BG = relative(link, stands) @ pose
    found = _size(shape, notes)
    if found is None:
        return
    kind, size, X_GS, mesh = found
    if no_extent(kind, size):
        what = f"a {kind} of link {link.label!r} has the size {size}: left out"
        notes.add("warning", "ignored", element, what)
        return
    color, material, texture = _look(element, notes)
    yield Shape(
        kind, size, body, X_BG if X_GS is None else X_BG @ X_GS, element.tag, element.get("name") or "", mesh,
        color, material, texture,
    )  # fmt: skip


def _size(shape: Element, notes: Notes) -> tuple[str, tuple[float, ...], Pose | None, str] | None:
    """Kind, size, where it stands in its own frame of the file, mesh file."""
    if shape.tag == "box":
        return "box", tuple(vector(shape, "size", _ONE)), None, ""
    if shape.tag == "sphere":
        return "sphere", (number(shape, "radius", 1.0),), None, ""
    if shape.tag == "ellipsoid":
        return "ellipsoid", tuple(vector(shape, "radii", _ONE)), None, ""
    if shape.tag in _LONG:
        radius, length = number(shape, "radius", 0.5), number(shape, "length", 1.0)
        # A cone stands on its middle in SDF, and on its centre of mass here.
        lower = Pose(Quaternion.identity(), Vec3(0.0, 0.0, -length / 4)) if shape.tag == "cone" else None
        return shape.tag, (radius, length), lower, ""
    if shape.tag == "plane":
        normal = vector(shape, "normal", _Z)
        if not normal.norm() > 0:
            shape.fail("the normal of a plane is zero", do="write <normal>0 0 1</normal>")
        given = shape.child("size")
        size = given.as_numbers(given.text(), 2, "text") if given is not None else (1.0, 1.0)
        return "plane", size, Pose(turning_z_to(normal), _ZERO), ""
    if shape.tag == "mesh":
        uri = word(shape, "uri")
        if not uri:
            shape.fail("a mesh has no <uri>", do="name its file")
        part = shape.child("submesh")
        if part is not None:
            notes.aside([part], "one part of a mesh is meant; the shape has all of it")
        return "mesh", tuple(vector(shape, "scale", _ONE)), None, uri
    if shape.tag != "empty":
        notes.aside([shape], "shapes of this kind are left out", "warning")
    return None


def _look(element: Element, notes: Notes) -> tuple[tuple[float, float, float, float] | None, str, str]:
    """Colour, name of the material, texture."""
    material = element.child("material")
    if material is None:
        return None, "", ""
    color = None
    for tag in ("diffuse", "ambient"):
        given = material.child(tag)
        if given is not None and color is None:
            found = given.as_numbers(given.text(), None, "text")
            if len(found) not in (3, 4):
                given.fail(f"a colour has {len(found)} numbers", do="write red, green, blue and opacity")
            color = (found[0], found[1], found[2], found[3] if len(found) == 4 else 1.0)
    script = material.child("script")
    name = script.children("name")[0].text() if script is not None and script.has_child("name") else ""
    texture = ""
    for pbr in material.children("pbr"):
        for flow in pbr.children("metal", "specular"):
            texture = texture or word(flow, "albedo_map")
    notes.aside([material], "of looks, the colour, the name and the texture are read")
    return color, name, texture
