"""URDF 1.0 to 1.2: links and joints, as http://wiki.ros.org/urdf/XML and the urdfdom library define them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from quatrain.builder_options import axes_of
from quatrain.formats.reading import Choices, Notes, Reading, inertia_in_body, rotation_of_rpy, unit_of_xyzw
from quatrain.formats.source import Element, Place, by_name, some
from quatrain.formats.urdf_shapes import Materials, shapes_of
from quatrain.geometry import Pose, SymMat3, Vec3
from quatrain.model import AXES, WORLD, Actuator, Body, Joint, Limits, Mimic, Model, Shape

_KINDS = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
    "spherical": "ball",  # of no standard, but of Bullet's
}
_KNOWN = ("link", "joint", "material", "transmission")
_ZERO = Vec3(0.0, 0.0, 0.0)
_X = Vec3(1.0, 0.0, 0.0)


def read_urdf(root: Element, choices: Choices) -> Reading:
    """The model of a <robot>."""
    if root.tag != "robot":
        root.fail(f"the outermost element is <{root.tag}>", do="a URDF is a <robot name=…>")
    return _Urdf(root, choices).read()


@dataclass(frozen=True)
class _Move:
    """A joint of the file: the link it moves and the link it stands on."""

    element: Element
    joint: Joint
    parent: str
    child: str


class _Urdf:
    def __init__(self, root: Element, choices: Choices) -> None:
        self.root, self.choices, self.notes = root, choices, Notes()
        self.name = root.get("name") or "robot"
        root.get("version")
        self.links = by_name(root.children("link"), "link")
        self.joint_elements = by_name(root.children("joint"), "joint")
        self.places: dict[str, Place] = {
            **{f"body {name!r}": element.place for name, element in self.links.items()},
            **{f"joint {name!r}": element.place for name, element in self.joint_elements.items()},
        }

    def read(self) -> Reading:
        materials = Materials(self.root, list(self.links.values()))
        moves = [self._move(name, element) for name, element in self.joint_elements.items()]
        self.notes.stop_on_errors()
        base = self._base(moves)
        self.notes.stop_on_errors()
        bodies, shapes = self._bodies(base, moves, materials)
        actuators = tuple(self._actuators())
        others = [e for e in self.root.others("link", "joint", "material") if not e._taken]
        extras = self.notes.kept([*others, *self._beside_joints()])
        self.notes.ignored(self.root)
        model = Model(self.name, tuple(bodies), actuators=actuators, shapes=tuple(shapes), extras=extras)
        held = (("links", len(self.links)), ("joints", len(moves)), ("shapes", len(shapes)))
        return Reading(model, "URDF", held, tuple(self.notes.findings), self.places)

    # ---- joints -----------------------------------------------------------------------------------

    def _move(self, name: str, element: Element) -> _Move:
        kind = element.string("type")
        if kind not in _KINDS:
            element.fail(
                f"joint {name!r} has the type {kind!r}", do=f"the types of URDF are {', '.join(_KINDS)}"
            )
        if kind == "spherical":
            self.notes.add("info", "assumed", element, f"joint {name!r} is {kind}, of no standard: a ball")
        ends = [element.needed(end).string("link") for end in ("parent", "child")]
        for end, link in zip(("stands on", "moves"), ends, strict=True):
            if link not in self.links:
                self.notes.error(
                    element,
                    f"joint {name!r} {end} link {link!r}, which is not in this file (links: {some(self.links)})",
                    f"name an existing link, or add <link name={link!r}>",
                )
        joint = Joint(
            name,
            _KINDS[kind],
            origin_of(element, self.notes),
            axes=self._axes(name, kind, element),
            limits=self._limits(kind, element),
        )  # fmt: skip
        joint = self._dynamics(joint, element)
        return _Move(element, self._mimic(joint, element), *ends)

    def _axes(self, name: str, kind: str, element: Element) -> tuple[Vec3, ...]:
        given = element.child("axis")
        axis = given.vector("xyz", _X) if given else _X
        if kind == "floating":
            return AXES
        if kind in ("fixed", "spherical"):
            return ()
        size = axis.norm()
        if not size > 0:
            (given or element).fail(
                f"the axis of joint {name!r} is zero", do='write a direction such as xyz="0 0 1"'
            )
        if abs(size - 1) > 1e-3:
            self.notes.add(
                "info",
                "axis",
                given,
                f"the axis of joint {name!r} has length {size:.4g}; its direction is taken",
            )
        return axes_of(_KINDS[kind], axis if kind == "planar" else axis / size, name)

    def _limits(self, kind: str, element: Element) -> tuple[Limits, ...]:
        limit = element.child("limit")
        if kind not in ("revolute", "continuous", "prismatic"):
            self._without_effect(limit, kind, element)
            return ()
        said = f"{kind} joint{element.named()}"
        if limit is None:
            if kind != "continuous":
                self.notes.add(
                    "warning", "limits", element, f"{said} has no <limit>: taken as without bounds"
                )
            return ()

        lower, upper = limit.bound("lower"), limit.bound("upper")
        said_so = limit.has("lower") or limit.has("upper")  # beyond all bounds, maybe
        if kind == "continuous":
            if (lower, upper) != (None, None):
                what = f"{said} has bounds: they are left out"
                self.notes.add("warning", "limits", limit, what, "make it revolute, if they are meant")
            lower = upper = None
        elif not said_so:
            what = f"{said} has neither lower nor upper bound: taken as without bounds"
            self.notes.add("warning", "limits", limit, what, "write lower and upper, or make it continuous")
        else:
            # What URDF says of one that is not written.
            lower = lower if limit.has("lower") else 0.0
            upper = upper if limit.has("upper") else 0.0
        rest = {
            name: limit.bound(name) for name in ("velocity", "effort", "acceleration", "deceleration", "jerk")
        }
        return (Limits(lower, upper, **rest),)

    def _dynamics(self, joint: Joint, element: Element) -> Joint:
        given = element.child("dynamics")
        if joint.kind == "fixed" or given is None:
            self._without_effect(given, joint.kind, element)
            return joint
        damping, friction = given.number("damping", 0.0), given.number("friction", 0.0)
        n = joint.freedoms
        return replace(
            joint, damping=(damping,) * n if damping else (), friction=(friction,) * n if friction else ()
        )

    def _mimic(self, joint: Joint, element: Element) -> Joint:
        given = element.child("mimic")
        if given is None:
            return joint
        leader, exact = given.string("joint"), self.choices.mimic == "exact"
        ratio, offset = given.number("multiplier", 1.0), given.number("offset", 0.0)
        if joint.freedoms == 0:
            self._without_effect(given, joint.kind, element)
            return joint
        if leader not in self.joint_elements and exact:
            self.notes.error(
                given,
                f"joint {joint.name!r} follows joint {leader!r}, which is not in this file",
                f"name one of {some(self.joint_elements)}; or load it with mimic='independent'",
            )
        if not exact:
            what = f"joint {joint.name!r} has a coordinate of its own, though it follows {leader!r}"
            self.notes.add("info", "assumed", given, what)
            return joint
        self.notes.add(
            "info", "merged", given, f"joint {joint.name!r} follows {leader!r} and has no coordinate"
        )
        return replace(joint, mimic=Mimic(leader, ratio, offset))

    def _without_effect(self, given: Element | None, kind: str, joint: Element) -> None:
        """What a joint of this kind cannot have; it is said, and changes nothing."""
        if given is None:
            return
        dict(given.everything())
        what = f"<{given.tag}> of the {kind} joint{joint.named()} has no effect"
        self.notes.add("info" if kind == "fixed" else "warning", "ignored", given, what)

    def _beside_joints(self) -> Iterator[Element]:
        """What is said of joints and not interpreted."""
        for name, element in self.joint_elements.items():
            for child in element.children("safety_controller", "calibration"):
                child._attributes.setdefault("name", name)
                yield child

    # ---- the tree ---------------------------------------------------------------------------------

    def _base(self, moves: list[_Move]) -> str:
        """The one link that no joint moves."""
        macros = [e for e in self.root.others(*_KNOWN) if e.tag.startswith("xacro:")]
        if macros:
            macros[0].fail(
                f"<{macros[0].tag}> is of xacro, which writes a URDF, and this file was read as a URDF",
                do="name the file .xacro, or write the URDF with xacro first",
            )
        if not self.links:
            self.root.fail("the robot has no <link>", do="a robot is made of links and joints")
        by_child: dict[str, _Move] = {}
        for move in moves:
            if move.child in by_child:
                first = by_child[move.child].element
                self.notes.error(
                    move.element,
                    f"link {move.child!r} is moved by joint {move.joint.name!r} and by "
                    f"{by_child[move.child].joint.name!r} (line {first.place.line})",
                    "a link hangs on one joint; close loops with a constraint instead",
                )
            by_child[move.child] = move
        roots = [name for name in self.links if name not in by_child]
        if len(roots) > 1:
            listed = some(f"{name} (line {self.links[name].place.line})" for name in roots)
            self.notes.error(
                self.links[roots[1]],
                f"{len(roots)} links hang on no joint: {listed}",
                "join all but one to the rest with joints (fixed ones, if they do not move)",
            )
        self.notes.stop_on_errors()
        lost = sorted({*self.links} - {*_reached(roots, moves)}, key=list(self.links).index)
        if lost:
            self.notes.error(
                self.links[lost[0]],
                f"{some(lost)}: these links carry one another in a circle",
                "let one of them hang on the rest of the robot",
            )
            self.notes.stop_on_errors()
        return roots[0]

    def _bodies(self, base: str, moves: list[_Move], materials: Materials) -> tuple[list[Body], list[Shape]]:
        """Depth-first, children in the order of their joints in the file."""
        hanging = _by_parent(moves)
        bodies: list[Body] = []
        shapes: list[Shape] = []

        def add(link: str, parent: int, joint: Joint) -> int:
            bodies.append(self._body(link, parent, joint))
            number = len(bodies) - 1
            shapes.extend(shapes_of(self.links[link], number, materials, self.notes))
            return number

        ground, first = self._on_the_ground(base)
        pending: list[tuple[int, _Move]] = []
        if first is None:
            shapes.extend(shapes_of(self.links[base], WORLD, materials, self.notes))
            self.links[base].children("inertial")
        number = add(base, WORLD, first) if first is not None else ground
        pending += [(number, move) for move in reversed(hanging.get(base, []))]
        while pending:
            parent, move = pending.pop()
            number = add(move.child, parent, move.joint)
            pending += [(number, after) for after in reversed(hanging.get(move.child, []))]
        return bodies, shapes

    def _on_the_ground(self, base: str) -> tuple[int, Joint | None]:
        """How the base stands on the ground; a link "world" is the ground."""
        element = self.links[base]
        if base == "world":
            if self.choices.base == "floating":
                element.fail(
                    "the base of this robot is the link 'world', which does not float",
                    do="make its first joint a floating one, or leave out base='floating'",
                )
            return WORLD, None
        taken = {*self.joint_elements}
        name = next(n for n in ("root", f"{base}_root", f"{base}_root_") if n not in taken)
        if self.choices.base == "floating":
            self.notes.add("info", "assumed", element, f"{base!r} floats: joint {name!r} is free, as asked")
            return WORLD, Joint(name, "free", axes=AXES)
        how = (
            "as asked"
            if self.choices.base == "fixed"
            else "which a URDF does not say; base='floating' frees it"
        )
        self.notes.add("info", "assumed", element, f"{base!r} is fixed to the ground, {how}")
        return WORLD, Joint(name, "fixed")

    def _body(self, link: str, parent: int, joint: Joint) -> Body:
        element = self.links[link]
        inertial = element.child("inertial")
        if inertial is None:
            return Body(link, parent, joint, 0.0, _ZERO, SymMat3(*(0.0,) * 6))
        X_BC = origin_of(inertial, self.notes)
        mass = inertial.needed("mass").number("value")
        given = inertial.child("inertia")
        if given is None:
            self.notes.add(
                "warning", "inertia", inertial, f"link {link!r} has a mass and no <inertia>: taken as zero"
            )
            return Body(link, parent, joint, mass, X_BC.p, SymMat3(*(0.0,) * 6))
        xx, yy, zz = (given.number(key) for key in ("ixx", "iyy", "izz"))
        xy, xz, yz = (given.number(key, 0.0) for key in ("ixy", "ixz", "iyz"))
        I_C = SymMat3(xx, yy, zz, xy, xz, yz)
        return Body(link, parent, joint, mass, X_BC.p, inertia_in_body(I_C, X_BC.q))

    # ---- actuators --------------------------------------------------------------------------------

    def _actuators(self) -> Iterator[Actuator]:
        """Of transmissions that are one gear between one motor and one joint; others are kept as extras."""
        for element in self.root.children("transmission"):
            kind = element.child("type")
            said = (kind.text() if kind else element.get("type")) or ""
            joints, motors = element.children("joint"), element.children("actuator")
            element._taken = False  # an extra besides, with its interfaces
            if len(joints) != 1 or len(motors) != 1 or "simple" not in said.lower():
                continue
            name = joints[0].string("name")
            if name not in self.joint_elements:
                self.notes.add(
                    "warning",
                    "ignored",
                    joints[0],
                    f"transmission{element.named()} is of joint {name!r}, which is not here",
                )
                continue
            if self.joint_elements[name].get("type") == "fixed":
                self._without_effect(joints[0], "fixed", self.joint_elements[name])
                continue
            gear = _reduction(motors[0], element, joints[0])
            if gear is None:
                what = f"transmission{element.named()} has a mechanicalReduction that is no number: no actuator is made"
                self.notes.add("warning", "ignored", element, what, "write a number")
                continue
            yield Actuator(motors[0].string("name"), joint=name, gear=(gear,))


def _by_parent(moves: list[_Move]) -> dict[str, list[_Move]]:
    found: dict[str, list[_Move]] = {}
    for move in moves:
        found.setdefault(move.parent, []).append(move)
    return found


def _reached(roots: list[str], moves: list[_Move]) -> Iterator[str]:
    """All links that hang on these."""
    hanging, pending = _by_parent(moves), [*roots]
    while pending:
        link = pending.pop()
        yield link
        pending += [move.child for move in hanging.get(link, ())]


def _reduction(*owners: Element) -> float | None:
    """Turns of the motor for one of the joint: said of the motor, of the whole, or of the joint. None: in words."""
    for owner in owners:
        given = owner.child("mechanicalReduction")
        if given is not None:
            try:
                value = float(given.text())
            except ValueError:
                return None
            return value if math.isfinite(value) else None
    return 1.0


def origin_of(element: Element, notes: Notes) -> Pose:
    """<origin xyz= rpy= or quat_xyzw=>; where there is none, no displacement."""
    given = element.child("origin")
    if given is None:
        return Pose.identity()
    p = given.vector("xyz", _ZERO)
    if not given.has("quat_xyzw"):
        return Pose(rotation_of_rpy(given.vector("rpy", _ZERO)), p)
    if given.has("rpy"):
        given.fail("<origin> has both rpy and quat_xyzw", do="keep one of them")
    return Pose(unit_of_xyzw(given.numbers("quat_xyzw", 4), given, notes), p)
