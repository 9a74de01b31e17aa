"""Links of SDF: their masses, and what they look like and collide with."""

from __future__ import annotations

from collections.abc import Iterator

from quatrain.formats.reading import Notes, inertia_in_body
from quatrain.formats.sdf_parts import Link
from quatrain.formats.sdf_shapes import shape_of
from quatrain.formats.sdf_values import attribute_flag, flag, number, pose, written_pose
from quatrain.formats.source import Element
from quatrain.geometry import Pose, SymMat3, Vec3
from quatrain.model import Body, Joint, Shape
from quatrain.solids import body_of, solid_of

_ZERO = Vec3(0.0, 0.0, 0.0)
_UNIT = SymMat3(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
_WATER = 1000.0
_WITHOUT_EFFECT = ("self_collide", "enable_wind", "must_be_base_link")
_OF_SHAPE = {
    "visual": ("cast_shadows", "transparency", "laser_retro", "meta", "visibility_flags", "plugin"),
    "collision": ("surface", "laser_retro", "max_contacts", "density", "auto_inertia_params"),
}


def shapes_of(link: Link, body: int, notes: Notes) -> Iterator[Shape]:
    for role in _OF_SHAPE:
        for element in link.element.children(role):
            X, within = pose(element, notes)
            stands = (
                link.scope.find(within, link.home, element, f"the frame of {role}{element.named()}")
                if within
                else link.spot
            )
            yield from shape_of(element, body, link.spot, stands, X, notes)
            notes.aside(element.children(*_OF_SHAPE[role]), "it has no effect on the dynamics")


def others_of(link: Link, notes: Notes) -> list[Element]:
    """What is in a link and not interpreted: sensors, lights …"""
    notes.aside(link.element.children(*_WITHOUT_EFFECT), "it has no effect on the dynamics")
    return [element for element in link.element.others() if not element._taken and ":" not in element.tag]


def body_of_link(link: Link, parent: int, joint: Joint, notes: Notes) -> Body:
    element, label = link.element, link.spot.label
    _tell_of_forces(element, label, notes)
    inertial = element.child("inertial")
    if inertial is None:
        if not link.static:
            what = f"link {label!r} has no <inertial>: 1 kg and 1 kg m² are taken, as in SDF"
            notes.add("warning", "inertia", element, what, "write it")
        return Body(label, parent, joint, 1.0, _ZERO, _UNIT)
    if attribute_flag(inertial, "auto"):
        return _of_shapes(link, inertial, parent, joint, notes)
    given = inertial.child("pose")
    X_LC = Pose.identity() if given is None else written_pose(given, notes)
    mass, inertia = number(inertial, "mass", 1.0), inertial.child("inertia")
    missing = [tag for tag in ("mass", "inertia") if not inertial.has_child(tag)]
    if missing:
        what = f"link {label!r} has no <{'> and no <'.join(missing)}>: 1 is taken, as in SDF"
        notes.add("warning", "inertia", inertial, what, "write it")
    if inertia is None:
        return Body(label, parent, joint, mass, X_LC.p, _UNIT)
    moments = (number(inertia, key, 1.0) for key in ("ixx", "iyy", "izz"))
    products = (number(inertia, key, 0.0) for key in ("ixy", "ixz", "iyz"))
    return Body(label, parent, joint, mass, X_LC.p, inertia_in_body(SymMat3(*moments, *products), X_LC.q))


def _tell_of_forces(element: Element, label: str, notes: Notes) -> None:
    """What a link says that changes its motion, and is not done here."""
    told = []
    if not flag(element, "gravity", True):
        told.append("is without gravity in the file, and has weight here")
    if flag(element, "kinematic"):
        told.append("is moved from outside in the file, and by forces here")
    decay = element.child("velocity_decay")
    if decay is not None and {number(decay, tag, 0.0) for tag in ("linear", "angular")} != {0.0}:
        told.append("is slowed down by velocity_decay in the file, and not here")
    for what in told:
        notes.add("warning", "ignored", element, f"link {label!r} {what}")


def _of_shapes(link: Link, inertial: Element, parent: int, joint: Joint, notes: Notes) -> Body:
    """<inertial auto="true">: of the collisions, full of matter."""
    label = link.spot.label
    notes.aside(
        inertial.children("pose", "inertia", "auto_inertia_params"), "the inertia is found from shapes"
    )
    density = number(inertial, "density", _WATER)
    parts = []
    for element in link.element.children("collision"):
        X, within = pose(element, notes)
        stands = (
            link.scope.find(within, link.home, element, "the frame of a collision") if within else link.spot
        )
        own = number(element, "density", density)
        for shape in shape_of(element, 0, link.spot, stands, X, notes):
            solid = solid_of(shape.kind, shape.size)
            if solid is None:
                notes.add(
                    "warning",
                    "inertia",
                    element,
                    f"the inertia of link {label!r} is found without its {shape.kind}",
                )
            else:
                parts.append(solid.at(shape.X_BG, density=own))
    if not parts:
        inertial.fail(
            f"the inertia of link {label!r} is to be found from its collisions, and it has none that is full of matter",
            do="give it one, or write its mass and inertia",
        )
    whole = body_of(parts)
    factor = number(inertial, "mass", whole.mass) / whole.mass
    what = f"the mass and inertia of link {label!r} are those of its collisions: {whole.mass * factor:.6g} kg"
    notes.add("info", "inertia", inertial, what)
    return Body(label, parent, joint, whole.mass * factor, whole.p_BBcm, whole.I_Bcm_B * factor)
