"""What an MJCF has besides its tree of bodies: shapes, sites, actuators, constraints and states."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from quatrain.formats.files import NotFound, locate
from quatrain.formats.lowering import IDENTITY
from quatrain.formats.writing import Target, WriteNotes, add
from quatrain.geometry import Pose
from quatrain.model import WORLD, Actuator, Body, Model, Shape
from quatrain.scalar import Scalar

_MESHES = (".stl", ".obj", ".msh")
"""What MuJoCo reads."""
_NO_BOUND = 1e10
"""What MuJoCo takes for the greatest number; a bound there bounds nothing."""


# ---- shapes and frames --------------------------------------------------------------------------------


def add_shapes(
    model: Model, elements: Mapping[int, Element], asset: Element, notes: WriteNotes, target: Target
) -> int:
    """Geoms, and their meshes and materials; how many."""
    assets = _Assets(asset, model, target)
    taken: set[str] = set()
    still = _still(model)
    count = 0
    for shape in model.shapes:
        what = shape.name or f"{shape.kind} of {_carrier(model, shape.body)}"
        said = _geom(shape)
        if shape.kind == "mesh":
            mesh = assets.mesh(shape)
            if mesh.startswith("!"):
                do = f"MuJoCo reads {', '.join(_MESHES)}; load the model from its file, so that meshes are found"
                notes.lost(f"meshes that {mesh[1:]}", [Path(shape.mesh).name], do)
                continue
            said = {"type": "mesh", "mesh": mesh}
        if said is None:
            notes.lost("shapes", [what])
            continue
        if shape.kind == "plane" and shape.body not in still:
            notes.lost("planes on bodies that move", [what])
            continue
        if shape.name and shape.name not in taken:
            taken.add(shape.name)
            said["name"] = shape.name
        elif shape.name:
            notes.reworded("names of shapes that others have too", [shape.name], "are left out")
        if shape.role == "visual":
            said |= {"contype": "0", "conaffinity": "0", "group": "2"}
        elif shape.role == "collision":
            said |= {"group": "3"}  # which MuJoCo does not show
        if shape.texture:
            notes.lost("textures", [shape.texture])
        if shape.material:
            said["material"] = assets.material(shape)
        elif shape.color is not None:
            said["rgba"] = shape.color
        add(elements[shape.body], "geom", said | place_of(shape.X_BG))
        count += 1
    return count


def _still(model: Model) -> set[int]:
    """The ground and what is fixed to it."""
    found = {WORLD}
    for k, body in enumerate(model.bodies):
        if body.joint.kind == "fixed" and body.parent in found:
            found.add(k)
    return found


def _geom(shape: Shape) -> dict[str, object] | None:
    """Type and size: half sides and half heights."""
    a, b, c = (*shape.size, 0.0, 0.0, 0.0)[:3]
    sizes: dict[str, tuple[Scalar, ...]] = {
        "plane": (a / 2, b / 2, 1.0),
        "sphere": (a,),
        "capsule": (a, b / 2),
        "cylinder": (a, b / 2),
        "ellipsoid": (a, b, c),
        "box": (a / 2, b / 2, c / 2),
    }
    return {"type": shape.kind, "size": sizes[shape.kind]} if shape.kind in sizes else None


class _Assets:
    """Meshes and materials, each once."""

    def __init__(self, element: Element, model: Model, target: Target) -> None:
        self.element, self.model, self.target = element, model, target
        self.meshes: dict[tuple[object, ...], str] = {}
        self.materials: dict[tuple[object, ...], str] = {}

    def mesh(self, shape: Shape) -> str:
        """Its name there; or, after an exclamation mark, what is wrong with it."""
        key = (shape.mesh, shape.size)
        if key not in self.meshes:
            self.meshes[key] = self._new_mesh(shape)
        return self.meshes[key]

    def _new_mesh(self, shape: Shape) -> str:
        if Path(shape.mesh).suffix.lower() not in _MESHES:
            return "!MuJoCo does not read"
        try:
            found = locate(shape.mesh, self.model.folders)
        except NotFound:
            return "!are not found"
        if found.suffix.lower() == ".stl" and not _is_binary_stl(found):
            return "!MuJoCo does not read"
        file = self._relative(found)
        name = _unused(Path(shape.mesh).stem, {*self.meshes.values()})
        # A mesh may be open: its volume is not asked for, inertias stand with the bodies.
        add(self.element, "mesh", {"name": name, "file": file, "scale": shape.size, "inertia": "shell"})
        return name

    def _relative(self, file: Path) -> str:
        """From the folder of the new file, if it lies in it; else where it is."""
        folder = None if self.target.folder is None else self.target.folder.resolve()
        inside = folder is not None and file.is_relative_to(folder)
        return os.fspath(file.relative_to(folder) if folder is not None and inside else file)

    def material(self, shape: Shape) -> str:
        key = (shape.material, shape.color)
        if key not in self.materials:
            name = _unused(shape.material, {*self.materials.values()})
            self.materials[key] = name
            add(self.element, "material", {"name": name, "rgba": shape.color})
        return self.materials[key]


def _is_binary_stl(file: Path) -> bool:
    """Of the size that its count of triangles says, and of no more of them than MuJoCo takes."""
    with file.open("rb") as opened:
        count = int.from_bytes(opened.read(84)[80:], "little")
    return 1 <= count <= 200_000 and file.stat().st_size == 84 + 50 * count


def add_sites(model: Model, elements: Mapping[int, Element]) -> dict[str, str]:
    """Frames; and, by the name of a frame or a body, the site that an actuator on it pushes."""
    sites = {frame.name: frame.name for frame in model.frames}
    for frame in model.frames:
        add(elements[frame.body], "site", {"name": frame.name, **place_of(frame.X_BF)})
    for actuator in model.actuators:
        if actuator.frame is not None and actuator.frame not in sites:
            place = model.frame(actuator.frame)
            sites[actuator.frame] = _unused(f"{actuator.frame}_site", {*sites.values()})
            add(elements[place.body], "site", {"name": sites[actuator.frame]})
    return sites


# ---- actuators, constraints, states -------------------------------------------------------------------


def add_actuators(
    root: Element, model: Model, original: Model, sites: Mapping[str, str], notes: WriteNotes
) -> None:
    """As MuJoCo's general ones: gain and bias are the same there."""
    joints = {body.joint.name for body in model.bodies}
    element = None
    for actuator in model.actuators:
        said: dict[str, object] = {"name": actuator.name}
        if actuator.frame is not None:
            said |= {"site": sites[actuator.frame], "gear": actuator.gear}
        elif actuator.joint in joints:
            said |= {"joint": actuator.joint, "gear": (*actuator.gear, *(0.0,) * 6)[:6]}
        else:
            on_one = _on_one_motion(actuator, original)
            if on_one is None:
                notes.lost("actuators on several motions of a joint", [actuator.name])
                continue
            said |= {"joint": on_one[0], "gear": (on_one[1], *(0.0,) * 5)}
        said |= {"gaintype": "fixed", "gainprm": actuator.gain}
        if any(actuator.bias):
            said |= {"biastype": "affine", "biasprm": actuator.bias}
        for theirs, ends in (("ctrl", actuator.command), ("force", actuator.force)):
            bounds = both_ends(*ends)
            if bounds is not None and bounds[0] < bounds[1]:
                said |= {f"{theirs}limited": "true", f"{theirs}range": bounds}
            elif bounds is not None:
                notes.lost("limits of actuators that leave no room", [actuator.name])
        element = add(root, "actuator") if element is None else element
        add(element, "general", said)


def _on_one_motion(actuator: Actuator, original: Model) -> tuple[str, Scalar] | None:
    """The one of a joint's motions that it moves, and by which gear, where these are joints of their own."""
    pushes = [k for k, gear in enumerate(actuator.gear) if gear]
    joint = next(body.joint for body in original.bodies if body.joint.name == actuator.joint)
    if len(pushes) != 1 or joint.kind == "free":
        return None
    return [*joint.v_names()][pushes[0]], actuator.gear[pushes[0]]


def add_equalities(root: Element, followers: list[Body]) -> None:
    """Joints that follow others."""
    if not followers:
        return
    element = add(root, "equality")
    for joint in (body.joint for body in followers):
        follows = joint.mimic
        assert follows is not None
        said = {"joint1": joint.name, "joint2": follows.joint}
        add(element, "joint", {**said, "polycoef": (follows.offset, follows.ratio, 0.0, 0.0, 0.0)})


def add_keyframes(
    root: Element, model: Model, reference: Mapping[str, tuple[Scalar, ...]], notes: WriteNotes
) -> None:
    """States; the one that is called "qpos0" is where the bodies of the file stand."""
    at_reference = tuple(x for body in model.bodies for x in reference[body.joint.name])
    element = None
    for key in model.keyframes:
        name = key.name
        if name == "qpos0":
            if key.q == at_reference and not any(key.v):
                continue
            name = "qpos0_"
            notes.reworded("states", ["qpos0"], "is called qpos0_: there is one of that name in every MJCF")
        element = add(root, "keyframe") if element is None else element
        add(element, "key", {"name": name, "qpos": key.q, "qvel": key.v})


def place_of(X: Pose) -> dict[str, object]:
    """Attributes that say it."""
    return {"pos": X.p if any(X.p) else None, "quat": X.q if IDENTITY.q != X.q else None}


def both_ends(lower: Scalar | None, upper: Scalar | None) -> tuple[Scalar, Scalar] | None:
    """None where there is neither."""
    if lower is None and upper is None:
        return None
    return -_NO_BOUND if lower is None else lower, _NO_BOUND if upper is None else upper


def _carrier(model: Model, number: int) -> str:
    return "world" if number == WORLD else model.bodies[number].name


def _unused(name: str, taken: set[str]) -> str:
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    return found
