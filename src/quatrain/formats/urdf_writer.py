"""A model as URDF: frames become links without mass, joints of several motions stand one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from quatrain.formats.lowering import IDENTITY, bodies_at_joints, planes_upright, single_motions
from quatrain.formats.writing import Target, WriteNotes, Written, add, add_extra, document, numbers
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3
from quatrain.model import AXES, STANDARD_GRAVITY, WORLD, Actuator, Body, Extra, Joint, Limits, Model, Shape
from quatrain.rotations import AngleConvention
from quatrain.scalar import Scalar

_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "free": "floating",
    "planar": "planar",
}
_BOUNDED = ("revolute", "continuous", "prismatic")
_NO_LIMIT = 1e308
"""URDF wants greatest velocities and forces, and of a slide both bounds; this bounds nothing."""

_RPY = AngleConvention("rpy")
_FOREIGN = ("equality", "tendon", "sensor")
"""What readers of other formats keep by name alone."""
_OF_ACTUATORS = {"gain": "gains", "bias": "biases", "command": "limits", "force": "greatest forces"}
_OF_JOINTS = ("safety_controller", "calibration")


def write_urdf(model: Model, target: Target, notes: WriteNotes) -> Written:
    """The text; an error names what no URDF can say."""
    helical = [body.joint.name for body in model.bodies if body.joint.kind == "helical"]
    balls = [body.joint.name for body in model.bodies if body.joint.kind == "ball"]
    turned = [b.joint.name for b in model.bodies if b.joint.kind == "free" and b.joint.axes != AXES]
    do = "write JSON, or put joints in their place that URDF knows"
    notes.impossible("helical joints", helical, do)
    notes.impossible("ball joints", balls, do.replace("JSON", "JSON or MJCF"))
    notes.impossible("free joints with axes of their own", turned, "give them the axes x, y and z")
    notes.stop_on_errors(target.name)
    lowered = _lowered(model)
    added = [name for name in lowered.body_names if name not in {*model.body_names}]
    notes.reworded(
        "joints of several motions, or whose body stands off its joint",
        added,
        "are several joints there, and links without mass",
    )
    return _Writer(lowered, notes).write()


def _lowered(model: Model) -> Model:
    model = planes_upright(model)
    model = single_motions(
        model,
        lambda joint: (
            joint.kind in ("cylindrical", "universal") or (joint.kind == "planar" and joint.axes != AXES)
        ),
    )
    return bodies_at_joints(model, lambda joint: joint.kind != "fixed")


class _Writer:
    def __init__(self, model: Model, notes: WriteNotes) -> None:
        self.model, self.notes = model, notes
        self.root = add(None, "robot", {"name": model.name})
        self.links: dict[int, Element] = {}
        self.joints: dict[str, Element] = {}
        self.joint_names = {*model.joint_names}

    def write(self) -> Written:
        base = self._base()
        if base is None:
            self.links[WORLD] = add(self.root, "link", {"name": "world"})
        for k, body in enumerate(self.model.bodies):
            self.links[k] = add(self.root, "link", {"name": body.name})
            _add_inertial(self.links[k], body)
        shapes = sum(self._add_shape(shape) for shape in self.model.shapes)
        for k, body in enumerate(self.model.bodies):
            if k != base:
                self._add_joint(body)
        for frame in self.model.frames:
            add(self.root, "link", {"name": frame.name})
            name = self._free_name(f"{frame.name}_fixed")
            self._connect(name, "fixed", frame.body, frame.name, frame.X_BF)
        self._add_actuators_and_extras()
        self._name_losses()
        held = (("links", len(self.root.findall("link"))), ("joints", len(self.joints)), ("shapes", shapes))
        return Written(document(self.root), "URDF", held, tuple(self.notes.findings))

    def _base(self) -> int | None:
        """The body that stands on the ground as a URDF's first link does, if there is one."""
        on_ground = [k for k, body in enumerate(self.model.bodies) if body.parent == WORLD]
        besides = WORLD in [frame.body for frame in self.model.frames] + [
            shape.body for shape in self.model.shapes
        ]
        if len(on_ground) != 1 or besides:
            return None
        body = self.model.bodies[on_ground[0]]
        still = body.joint.kind == "fixed" and body.joint.X_PJ @ body.joint.X_MB == IDENTITY
        return on_ground[0] if still and body.joint.name in ("root", f"{body.name}_root") else None

    def _free_name(self, name: str) -> str:
        while name in self.joint_names:
            name += "_"
        self.joint_names.add(name)
        return name

    def _carrier(self, number: int) -> str:
        return "world" if number == WORLD else self.model.bodies[number].name

    # ---- joints -----------------------------------------------------------------------------------

    def _connect(self, name: str, kind: str, parent: int, child: str, X_PC: Pose) -> Element:
        element = add(self.root, "joint", {"name": name, "type": kind})
        _add_origin(element, X_PC)
        add(element, "parent", {"link": self._carrier(parent)})
        add(element, "child", {"link": child})
        self.joints[name] = element
        return element

    def _add_joint(self, body: Body) -> None:
        joint = body.joint
        X_PC = joint.X_PJ @ joint.X_MB  # both where it is fixed; else the second is none
        element = self._connect(joint.name, self._type(joint), body.parent, body.name, X_PC)
        if joint.kind in _BOUNDED:
            add(element, "axis", {"xyz": joint.axes[0]})
            self._add_limit(element, joint)
        elif joint.kind == "planar":
            add(element, "axis", {"xyz": joint.axes[2]})
        damping, friction = _common(joint.damping), _common(joint.friction)
        if damping or friction:
            add(element, "dynamics", {"damping": damping or 0.0, "friction": friction or 0.0})
        if joint.mimic is not None:
            follows = joint.mimic
            said = {"joint": follows.joint, "multiplier": follows.ratio, "offset": follows.offset}
            add(element, "mimic", said)

    def _type(self, joint: Joint) -> str:
        if joint.kind not in ("revolute", "continuous"):
            return _TYPES[joint.kind]
        (limits,) = joint.limits or (Limits(),)
        return "continuous" if limits.lower is None and limits.upper is None else "revolute"

    def _add_limit(self, element: Element, joint: Joint) -> None:
        given = joint.limits[0] if joint.limits else Limits()
        if element.get("type") == "continuous" and given == Limits():
            return
        said: dict[str, Scalar | None] = {"effort": given.effort, "velocity": given.velocity}
        if element.get("type") != "continuous":
            lower, upper = given.lower, given.upper
            said |= {
                "lower": -_NO_LIMIT if lower is None else lower,
                "upper": _NO_LIMIT if upper is None else upper,
            }
        said = {key: _NO_LIMIT if value is None else value for key, value in said.items()}
        said |= {key: getattr(given, key) for key in ("acceleration", "deceleration", "jerk")}
        add(element, "limit", said)

    # ---- shapes -----------------------------------------------------------------------------------

    def _add_shape(self, shape: Shape) -> int:
        """How many there are of it then."""
        said = _geometry(shape)
        if said is None:
            return 0
        roles = ("visual", "collision") if shape.role == "both" else (shape.role,)
        for role in roles:
            element = add(self.links[shape.body], role, {"name": shape.name or None})
            _add_origin(element, shape.X_BG)
            add(add(element, "geometry"), *said)
            if shape.color is not None or shape.material or shape.texture:
                material = add(element, "material", {"name": shape.material})
                if shape.color is not None:
                    add(material, "color", {"rgba": shape.color})
                if shape.texture:
                    add(material, "texture", {"filename": shape.texture})
        return len(roles)

    # ---- the rest ---------------------------------------------------------------------------------

    def _add_actuators_and_extras(self) -> None:
        extras = [extra for extra in self.model.extras if not _is_foreign(extra)]
        simple = [a for a in self.model.actuators if a.joint is not None and len(a.gear) == 1]
        simple = [a for a in simple if a.joint in self.joints]
        ours = [a for a in simple if not any(_says(extra, a) for extra in extras)]
        named = {actuator.name for actuator in ours}
        for extra in extras:
            if extra.kind == "transmission" and named & {*_actuators_in(extra)}:
                continue  # the actuator has another gear by now
            if extra.kind in _OF_JOINTS and extra.name in self.joints:
                rest = tuple(pair for pair in extra.attributes if pair[0] != "name")
                add_extra(self.joints[extra.name], replace(extra, attributes=rest))
            else:
                add_extra(self.root, extra)
        for actuator in ours:
            _add_transmission(self.root, actuator)
        self._name_lost_actuators(simple)

    def _name_lost_actuators(self, simple: list[Actuator]) -> None:
        left = (actuator.name for actuator in self.model.actuators if actuator not in simple)
        self.notes.lost("actuators on frames, or of several gears", left)
        plain = Actuator("")
        for field, what in _OF_ACTUATORS.items():
            of = (a.name for a in simple if getattr(a, field) != getattr(plain, field))
            self.notes.lost(f"{what} of actuators", of)

    def _name_losses(self) -> None:
        model, notes = self.model, self.notes
        joints = [body.joint for body in model.bodies]
        if tuple(model.gravity) != tuple(STANDARD_GRAVITY):
            notes.lost(
                "the three numbers of gravity",
                [str(tuple(model.gravity))],
                "pass it to the program that reads the file",
            )
        notes.lost("rotor inertias", (j.name for j in joints if any(j.armature)))
        notes.lost("springs", (j.name for j in joints if any(j.stiffness)))
        for what in ("damping", "friction"):
            several = (j.name for j in joints if any(getattr(j, what)) and _common(getattr(j, what)) is None)
            notes.lost(f"numbers of {what} that differ between directions", several)
        bounded = (j.name for j in joints if j.kind not in _BOUNDED and {*j.limits} - {Limits()})
        notes.lost("limits of free and planar joints", bounded)
        notes.lost("states", (key.name for key in model.keyframes))
        notes.lost("shapes", (s.name or s.kind for s in model.shapes if _geometry(s) is None))
        foreign = (f"{e.kind} {e.name}".strip() for e in model.extras if _is_foreign(e))
        notes.lost("what other formats have besides", foreign)


def _common(values: tuple[Scalar, ...]) -> Scalar | None:
    """The one number of all freedoms, if it is one."""
    return values[0] if values and all(value == values[0] for value in values) else None


def _add_inertial(link: Element, body: Body) -> None:
    I_B = body.I_Bcm_B
    if body.mass == 0 and not any(I_B):
        return
    inertial = add(link, "inertial")
    _add_origin(inertial, Pose(Quaternion.identity(), body.p_BBcm))
    add(inertial, "mass", {"value": body.mass})
    add(inertial, "inertia", _products(I_B))


def _products(I_B: SymMat3) -> dict[str, Scalar]:
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    return dict(zip(names, (I_B.xx, I_B.yy, I_B.zz, I_B.xy, I_B.xz, I_B.yz), strict=True))


def _add_origin(element: Element, X: Pose) -> None:
    if X == IDENTITY:
        return
    rpy = Vec3(0.0, 0.0, 0.0) if X.q == IDENTITY.q else _RPY.from_quaternion(X.q)
    add(element, "origin", {"xyz": X.p, "rpy": rpy})


def _geometry(shape: Shape) -> tuple[str, dict[str, object]] | None:
    """Tag and attributes, if URDF knows it."""
    if shape.kind == "box":
        return "box", {"size": shape.size}
    if shape.kind == "sphere":
        return "sphere", {"radius": shape.size[0]}
    if shape.kind in ("cylinder", "capsule"):
        return shape.kind, {"radius": shape.size[0], "length": shape.size[1]}
    if shape.kind == "mesh":
        return "mesh", {"filename": shape.mesh, "scale": shape.size}
    return None


# ---- transmissions ------------------------------------------------------------------------------------


def _add_transmission(root: Element, actuator: Actuator) -> None:
    element = add(root, "transmission", {"name": f"{actuator.name}_transmission"})
    add(element, "type", text="transmission_interface/SimpleTransmission")
    add(element, "joint", {"name": actuator.joint})
    motor = add(element, "actuator", {"name": actuator.name})
    add(motor, "mechanicalReduction", text=numbers(actuator.gear))


def _is_foreign(extra: Extra) -> bool:
    return extra.kind in _FOREIGN and not extra.parts and "name" not in dict(extra.attributes)


def _says(extra: Extra, actuator: Actuator) -> bool:
    """Whether a transmission of the file is still what the actuator is."""
    joints = [part.name for part in extra.parts if part.kind == "joint"]
    same = extra.kind == "transmission" and joints == [actuator.joint]
    if not same or [*_actuators_in(extra)] != [actuator.name]:
        return False
    reductions = [
        dict(part.attributes).get("text", "1") for part in _all(extra) if part.kind == "mechanicalReduction"
    ]
    return float((reductions or ["1"])[0]) == actuator.gear[0]


def _actuators_in(extra: Extra) -> Iterator[str]:
    return (part.name for part in extra.parts if part.kind == "actuator")


def _all(extra: Extra) -> Iterator[Extra]:
    for part in extra.parts:
        yield part
        yield from _all(part)
