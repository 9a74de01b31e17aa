"""A model as SDF: every link stands in the frame of its joint, every joint in that of the link which carries it.

Rotations are written as quaternions, so that they come back as they were.
"""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

from quatrain.formats.lowering import IDENTITY, single_motions
from quatrain.formats.writing import Target, WriteNotes, Written, add, document
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3
from quatrain.model import AXES, STANDARD_GRAVITY, WORLD, Body, Joint, Limits, Model, Shape
from quatrain.scalar import Scalar

VERSION = "1.11"
_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "ball": "ball",
    "helical": "screw",
    "universal": "universal",
}
_SEVERAL = ("cylindrical", "planar")
_NOTHING = SymMat3(*(0.0,) * 6)
_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
_START = "start"
"""The state in which the links of a file stand, as the reader calls it."""


def write_sdf(model: Model, target: Target, notes: WriteNotes) -> Written:
    """The text; there is a place in it for every joint."""
    lowered = single_motions(model, lambda joint: joint.kind in _SEVERAL)
    frees = {b.joint.name for b in lowered.bodies if b.joint.kind == "free" and not _floats(b)}
    lowered = single_motions(lowered, lambda joint: joint.name in frees)
    added = [name for name in lowered.body_names if name not in {*model.body_names}]
    notes.reworded("joints of several motions", added, "are several joints there, and links without mass")
    return _Writer(lowered, notes).write(model)


def _floats(body: Body) -> bool:
    """A link that no joint holds; nothing resists it."""
    joint = body.joint
    resisted = any((*joint.damping, *joint.friction, *joint.stiffness))
    return (
        body.parent == WORLD and joint.axes == AXES and joint.X_PJ == joint.X_MB == IDENTITY and not resisted
    )


class _Writer:
    def __init__(self, model: Model, notes: WriteNotes) -> None:
        self.model, self.notes = model, notes
        self.links: dict[int, Element] = {}
        self.taken = {*model.frame_names}
        self.start = self._start()

    def write(self, original: Model) -> Written:
        root = add(None, "sdf", {"version": VERSION})
        ground = any(frame.body == WORLD for frame in self.model.frames)
        owner = root
        if ground or tuple(self.model.gravity) != tuple(STANDARD_GRAVITY):
            owner = add(root, "world", {"name": "world"})
            add(owner, "gravity", text=self.model.gravity)
        element = add(owner, "model", {"name": self.model.name})
        if any(shape.body == WORLD for shape in self.model.shapes):
            self._add_ground(element)
        for k, body in enumerate(self.model.bodies):
            self._add_link(element, k, body)
        for body in self.model.bodies:
            if body.joint.kind != "free":
                self._add_joint(element, body)
        for frame in self.model.frames:
            scope = owner if frame.body == WORLD else element
            said = {
                "name": frame.name,
                "attached_to": None if frame.body == WORLD else self._carrier(frame.body),
            }
            _add_pose(add(scope, "frame", said), frame.X_BF)
        shapes = sum(self._add_shape(k, shape) for k, shape in enumerate(self.model.shapes))
        self._name_losses(original)
        joints = len(element.findall("joint"))
        held = (("links", len(element.findall("link"))), ("joints", joints), ("shapes", shapes))
        return Written(document(root), f"SDF {VERSION}", held, tuple(self.notes.findings))

    def _start(self) -> dict[str, Pose]:
        """Where links that float are placed: in the state of that name, if nothing else is moved in it."""
        keys = [key for key in self.model.keyframes if key.name == _START and not any(key.v)]
        found: dict[str, Pose] = {}
        for key in keys[:1]:
            for body, at in zip(self.model.bodies, self.model.q_starts, strict=True):
                own = key.q[at : at + body.joint.nq]
                if body.joint.kind == "free":
                    found[body.name] = Pose(Quaternion(*own[3:]), Vec3(*own[:3]))
                elif own != body.joint.neutral:
                    return {}
        return found

    def _carrier(self, number: int) -> str:
        return "__model__" if number == WORLD else self.model.bodies[number].name

    # ---- links and joints -------------------------------------------------------------------------

    def _add_ground(self, model: Element) -> None:
        """A link on the world that carries what is to be seen there."""
        name = "ground"
        while name in self.taken:
            name += "_"
        self.links[WORLD] = add(model, "link", {"name": name})
        _add_inertial(self.links[WORLD], Body(name, WORLD, Joint("", "fixed"), 0.0, Vec3.zero(), _NOTHING))
        joint = add(model, "joint", {"name": f"{name}_fixed", "type": "fixed"})
        add(joint, "parent", text="world")
        add(joint, "child", text=name)
        self.notes.reworded("shapes on the ground", [name], "are on a link of this name, fixed to the world")

    def _add_link(self, model: Element, k: int, body: Body) -> None:
        element = add(model, "link", {"name": body.name})
        joint = body.joint
        if joint.kind == "free":
            _add_pose(element, self.start.get(body.name, IDENTITY))
        elif joint.name in self.taken:  # a joint's name would mean the link or frame of that name
            _add_pose(element, joint.X_PJ @ joint.X_MB, self._carrier(body.parent))
        else:
            _add_pose(element, joint.X_MB, joint.name)
        _add_inertial(element, body)
        self.links[k] = element

    def _add_joint(self, model: Element, body: Body) -> None:
        joint = body.joint
        element = add(model, "joint", {"name": joint.name, "type": _TYPES[joint.kind]})
        _add_pose(element, joint.X_PJ, self._carrier(body.parent))
        add(element, "parent", text="world" if body.parent == WORLD else self._carrier(body.parent))
        add(element, "child", text=body.name)
        if joint.kind == "helical":
            add(element, "screw_thread_pitch", text=joint.pitch * (2 * math.pi))
        for at, axis in enumerate(joint.axes):
            self._add_axis(add(element, "axis2" if at else "axis"), joint, at, axis)

    def _add_axis(self, element: Element, joint: Joint, at: int, axis: Vec3) -> None:
        add(element, "xyz", text=axis)
        numbers: dict[str, Scalar] = {}
        for name, theirs in (
            ("damping", "damping"),
            ("friction", "friction"),
            ("stiffness", "spring_stiffness"),
        ):
            values = getattr(joint, name)
            if values and values[at]:
                numbers[theirs] = values[at]
        if "spring_stiffness" in numbers:
            numbers["spring_reference"] = joint.rest[at] if joint.rest else 0.0
        if numbers:
            dynamics = add(element, "dynamics")
            for tag, value in numbers.items():
                add(dynamics, tag, text=value)
        limits = joint.limits[at] if joint.limits else Limits()
        bounds = {name: getattr(limits, name) for name in ("lower", "upper", "effort", "velocity")}
        if any(value is not None for value in bounds.values()):
            limit = add(element, "limit")
            for tag, value in bounds.items():
                if value is not None:
                    add(limit, tag, text=value)
        if joint.mimic is not None:
            mimic = add(element, "mimic", {"joint": joint.mimic.joint})
            for tag, value in (
                ("multiplier", joint.mimic.ratio),
                ("offset", joint.mimic.offset),
                ("reference", 0.0),
            ):
                add(mimic, tag, text=value)

    # ---- shapes -----------------------------------------------------------------------------------

    def _add_shape(self, k: int, shape: Shape) -> int:
        if shape.kind == "tube" or (shape.kind == "plane" and not all(shape.size)):
            self.notes.lost("tubes and planes without end", [shape.name or shape.kind])
            return 0
        roles = ("visual", "collision") if shape.role == "both" else (shape.role,)
        link = self.links[shape.body]
        for role in roles:
            name, others = shape.name or f"{role}{k}", {one.get("name") for one in link.findall(role)}
            while name in others:
                name += "_"
            element = add(link, role, {"name": name})
            # A cone stands on its middle in SDF, and on its centre of mass here.
            middle = Pose(IDENTITY.q, Vec3(0.0, 0.0, shape.size[1] / 4)) if shape.kind == "cone" else IDENTITY
            _add_pose(element, shape.X_BG @ middle)
            _add_geometry(element, shape)
            if role == "visual" and (shape.color is not None or shape.texture):
                material = add(element, "material")
                if shape.color is not None:
                    add(material, "ambient", text=shape.color)
                    add(material, "diffuse", text=shape.color)
                if shape.texture:
                    add(add(add(material, "pbr"), "metal"), "albedo_map", text=shape.texture)
        return len(roles)

    def _name_losses(self, original: Model) -> None:
        notes, joints = self.notes, [body.joint for body in self.model.bodies]
        notes.lost("rotor inertias", (j.name for j in joints if any(j.armature)))
        for what in ("damping", "friction", "stiffness"):
            balls = (j.name for j in joints if j.kind == "ball" and any(getattr(j, what)))
            notes.lost(f"numbers of {what} of balls", balls)
        for what in ("acceleration", "deceleration", "jerk"):
            of = (j.name for j in joints if any(getattr(one, what) is not None for one in j.limits))
            notes.lost(f"limits of {what}", of)
        bounded = (j.name for j in joints if j.kind in ("ball", "free") and {*j.limits} - {Limits()})
        notes.lost("limits of free and ball joints", bounded)
        notes.lost("actuators", (actuator.name for actuator in original.actuators))
        kept = {_START} if self.start else set()
        notes.lost("states", (key.name for key in original.keyframes if key.name not in kept))
        notes.lost("names of materials", (s.material for s in original.shapes if s.material))
        notes.lost("extras", (f"{extra.kind} {extra.name}".strip() for extra in original.extras))
        frees = [b for b in self.model.bodies if b.joint.kind == "free"]
        named = (b.joint.name for b in frees if b.joint.name not in ("root", f"{b.name}_root"))
        notes.reworded("names of free joints", named, "are not said: links there float without a joint")
        light = (body.name for body in self.model.bodies if body.mass == 0)
        notes.reworded("links without mass", light, "are written so; Gazebo asks for some")


def _add_inertial(link: Element, body: Body) -> None:
    """Always: a link that says nothing of it has 1 kg and 1 kg m²."""
    inertial = add(link, "inertial")
    if any(body.p_BBcm):
        _add_pose(inertial, Pose(IDENTITY.q, body.p_BBcm))
    add(inertial, "mass", text=body.mass)
    inertia, I_B = add(inertial, "inertia"), body.I_Bcm_B
    for tag, value in zip(_ENTRIES, (I_B.xx, I_B.yy, I_B.zz, I_B.xy, I_B.xz, I_B.yz), strict=True):
        add(inertia, tag, text=value)


def _add_pose(element: Element, X: Pose, within: str | None = None) -> None:
    if X == IDENTITY and within is None:
        return
    if IDENTITY.q == X.q:
        add(element, "pose", {"relative_to": within}, [*X.p, 0.0, 0.0, 0.0])
        return
    said = {"relative_to": within, "rotation_format": "quat_xyzw"}
    add(element, "pose", said, [*X.p, *X.q.to_xyzw()])


def _add_geometry(element: Element, shape: Shape) -> None:
    made = add(add(element, "geometry"), shape.kind)
    size = shape.size
    if shape.kind == "box":
        add(made, "size", text=size)
    elif shape.kind == "sphere":
        add(made, "radius", text=size[0])
    elif shape.kind == "ellipsoid":
        add(made, "radii", text=size)
    elif shape.kind == "plane":
        add(made, "normal", text=(0.0, 0.0, 1.0))
        add(made, "size", text=size)
    elif shape.kind == "mesh":
        add(made, "uri", text=shape.mesh)
        add(made, "scale", text=size)
    else:
        add(made, "radius", text=size[0])
        add(made, "length", text=size[1])
