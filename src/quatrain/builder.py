"""A model from Python, a body a line:

arm = qt.ModelBuilder("arm")
arm.body("upper", joint="revolute", axis="y", at=(0, 0, 1), mass=2.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.001))
arm.body("lower", parent="upper", axis="y", at=(0, 0, -0.4), solid=qt.Cylinder(0.02, 0.4), density=2700)
arm.frame("hand", body="lower", at=(0, 0, -0.4))
robot = arm.robot()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from quatrain.builder_options import (
    axes_of,
    bounds,
    factors,
    inertia_of,
    joint_limits,
    mimic_of,
    numbers,
    pose_of,
    three,
)
from quatrain.checks import Fault, checked
from quatrain.edit import depth_first, merged_fixed
from quatrain.equations.rigid_body import point_inertia
from quatrain.equipment import SHAPE_SIZES, Actuator, Keyframe, Shape
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, SymMat3, Vec3
from quatrain.joint import JOINT_KINDS, Joint, reflected_inertia
from quatrain.model import STANDARD_GRAVITY, WORLD, Body, Frame, Model
from quatrain.solids import Cylinder, Part, Solid, body_of, parts_of

if TYPE_CHECKING:
    from quatrain.robot import Robot

Color = tuple[float, float, float] | tuple[float, float, float, float]


class ModelBuilder:
    """A machine, described body by body; a parent comes before its children, all else in any order."""

    def __init__(self, name: str, *, gravity: Any = STANDARD_GRAVITY) -> None:
        self.name = name
        self.gravity = three(gravity, "gravity")
        self._bodies: list[Body] = []
        self._numbers: dict[str, int] = {"world": WORLD}
        self._frames: list[Frame] = []
        self._shapes: list[Shape] = []
        self._actuators: list[Actuator] = []
        self._keyframes: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = []
        self._faults: list[Fault] = []
        """What no model can hold, for the report: it is not told before all is said."""

    def body(
        self,
        name: str,
        *,
        parent: str = "world",
        joint: str = "revolute",
        joint_name: str | None = None,
        axis: Any = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Quaternion | None = None,
        body_at: Any = (0.0, 0.0, 0.0),
        body_rotation: Quaternion | None = None,
        mass: float | None = None,
        com: Any = (0.0, 0.0, 0.0),
        inertia: Any = None,
        about: Any = None,
        solid: Solid | Part | Sequence[Any] | None = None,
        density: float | None = None,
        color: Color | None = None,
        pitch: float = 0.0,
        limits: Any = None,
        rotor: tuple[float, float] | None = None,
        armature: Any = (),
        damping: Any = (),
        friction: Any = (),
        stiffness: Any = (),
        rest: Any = (),
        mimic: Any = None,
    ) -> ModelBuilder:
        """A body on a joint that stands `at` a point of its parent (or in a `Pose` there), turned by `rotation`.

        - `joint`: revolute, continuous, prismatic, helical (with `pitch` [m/rad]), cylindrical, universal, ball,
          planar, free or fixed. `axis`: "x", "y", "z", "-x" …, a vector, or several for joints of several axes.
        - `mass` [kg], `com` [m] and `inertia` [kg m²] about it (or `about` another point) in the body's frame; three
          principal moments or a matrix; without one, a point mass. Or a `solid`, or several, with a density or a mass:
          they are also what is seen of the body, in `color`.
        - `body_at`, `body_rotation`: the body's own frame in the moved joint, where it is another.
        - `limits`: (lower, upper), or `Limits`. `damping`, `friction`, `stiffness`, `rest`: one for each freedom.
        - `rotor`: inertia of a motor's rotor and its gear ratio; or `armature`, which is inertia · gear².
        - `mimic`: the joint that this one follows; or (joint, ratio), or (joint, ratio, offset).
        """
        where = f"body {name!r}"
        if joint not in JOINT_KINDS:
            raise ArgumentError(
                f"joint of {where} is {joint!r}", do=f"choose one of {', '.join(JOINT_KINDS)}"
            )
        parts = parts_of(solid) if solid is not None else []
        m, c, I_B = _matter(where, mass, com, inertia, about, parts, density)
        made = Joint(
            joint_name or name,
            joint,
            pose_of(at, rotation, f"at of {where}"),
            pose_of(body_at, body_rotation, f"body_at of {where}"),
            axes_of(joint, axis, where),
            factors(pitch, f"pitch of {where}", one=True)[0],
            _armature(where, armature, rotor),
            factors(damping, f"damping of {where}"),
            factors(friction, f"friction of {where}"),
            factors(stiffness, f"stiffness of {where}"),
            factors(rest, f"rest of {where}"),
            joint_limits(limits, where),
            mimic_of(mimic, where),
        )
        carrier = self._number(parent, where)
        self._numbers.setdefault(name, len(self._bodies))
        self._bodies.append(Body(name, carrier, made, m, c, I_B))
        for part in parts:
            if not part.hole:
                self._shape_of(part, len(self._bodies) - 1, color, bore=_bore(part, parts))
        return self

    def frame(
        self, name: str, *, body: str = "world", at: Any = (0.0, 0.0, 0.0), rotation: Quaternion | None = None
    ) -> ModelBuilder:
        """A named place on a body."""
        where = f"frame {name!r}"
        pose = pose_of(at, rotation, f"at of {where}")
        self._frames.append(Frame(name, self._number(body, where), pose))
        return self

    def actuator(
        self,
        name: str,
        *,
        joint: str | None = None,
        frame: str | None = None,
        gear: Any = 1.0,
        gain: float = 1.0,
        bias: Sequence[float] = (0.0, 0.0, 0.0),
        limits: tuple[float | None, float | None] = (None, None),
        force_limits: tuple[float | None, float | None] = (None, None),
    ) -> ModelBuilder:
        """What drives a joint, or pushes at a frame: see `Actuator`. `limits` are those of its command u."""
        where = f"actuator {name!r}"
        self._actuators.append(
            Actuator(
                name,
                joint,
                frame,
                factors(gear, f"gear of {where}"),
                factors(gain, f"gain of {where}", one=True)[0],
                numbers(bias, 3, f"bias of {where}"),
                bounds(limits, f"limits of {where}"),
                bounds(force_limits, f"force_limits of {where}"),
            )
        )
        return self

    def shape(
        self,
        what: Solid | str,
        *,
        body: str = "world",
        at: Any = (0.0, 0.0, 0.0),
        rotation: Quaternion | None = None,
        role: str = "both",
        name: str = "",
        scale: Any = 1.0,
        color: Color | None = None,
    ) -> ModelBuilder:
        """Something to be seen ("visual"), to collide with ("collision") or "both": a solid, or a mesh's file.

        It adds no mass.
        """
        where = f"shape {name or what!r}"
        pose, carrier = pose_of(at, rotation, f"at of {where}"), self._number(body, where)
        if isinstance(what, str):
            size = numbers(
                scale if isinstance(scale, (tuple, list)) else (scale,) * 3, 3, f"scale of {where}"
            )
            made = Shape("mesh", size, carrier, pose, role, name, mesh=what, color=_rgba(color))
            self._shapes.append(made)
        else:
            self._shape_of(Part(what, pose), carrier, color, role, name)
        return self

    def keyframe(
        self, name: str, q: Mapping[str, Any] | None = None, v: Mapping[str, Any] | None = None
    ) -> ModelBuilder:
        """A state with a name, by joints: `keyframe("bent", {"elbow": 0.3})`. Joints that are not named are at zero."""
        self._keyframes.append((name, q or {}, v or {}))
        return self

    def _number(self, parent: str, child: str) -> int:
        if parent in self._numbers:
            return self._numbers[parent]
        known = ", ".join(body.name for body in self._bodies) or "none yet"
        what = f"it stands on {parent!r}, which is no body of {self.name} (bodies: {known})"
        self._faults.append(Fault("error", child, what, "add the parent first, or name 'world'"))
        return WORLD

    def _shape_of(
        self,
        part: Part,
        body: int,
        color: Color | None,
        role: str = "both",
        name: str = "",
        bore: float | None = None,
    ) -> None:
        kind, size = type(part.solid).__name__.lower(), astuple(part.solid)
        if bore is not None:
            kind, size = "tube", (size[0], bore, size[1])
        if kind in SHAPE_SIZES:
            self._shapes.append(Shape(kind, size, body, part.X_BP, role, name, color=_rgba(color)))

    # ---- the result -------------------------------------------------------------------------------

    def model(self, *, inertia: str = "error", merge_fixed: bool = True) -> Model:
        """The model, checked: every fault is told at once. `inertia`: "error", "warn" or "repair".

        Bodies on fixed joints become part of their parents, and frames of their names, unless `merge_fixed=False`.
        """
        parts = (tuple(self._frames), self.gravity, tuple(self._actuators), tuple(self._shapes))
        model = depth_first(Model(self.name, tuple(self._bodies), *parts))
        states, faults = [], [*self._faults]
        for name, q, v in self._keyframes:
            try:
                states.append(_state(model, name, q, v))
            except ArgumentError as error:
                faults.append(Fault("error", f"keyframe {name!r}", error.what, error.do))
        model = checked(replace(model, keyframes=tuple(states)), inertia=inertia, also=faults)
        return merged_fixed(model) if merge_fixed else model

    def robot(self, *, inertia: str = "error", merge_fixed: bool = True, **options: Any) -> Robot:
        """The same as a `Robot`, whose options are dtype, threads and normalize."""
        from quatrain.robot import Robot

        return Robot(self.model(inertia=inertia, merge_fixed=merge_fixed), **options)


def _matter(
    where: str, mass: Any, com: Any, inertia: Any, about: Any, parts: Sequence[Part], density: Any
) -> tuple[float, Vec3, SymMat3]:
    """Mass, centre of mass and inertia about it. Whether they can be is for the checks to say."""
    if parts:
        for name, given in (("inertia", inertia), ("about", about)):
            if given is not None:
                raise ArgumentError(f"{where} has both a solid and {name}=", do="give one of them")
        try:
            found = body_of(parts, density=density, mass=mass)
        except ArgumentError as error:
            raise ArgumentError(error.what, do=error.do, where=where) from None
        return found.mass, found.p_BBcm, found.I_Bcm_B
    if density is not None:
        raise ArgumentError(f"{where} has a density and no solid", do="pass solid=, or mass= and inertia=")
    m = 0.0 if mass is None else factors(mass, f"mass of {where}", one=True)[0]
    c = three(com, f"com of {where}")
    I_B = SymMat3(*(0.0,) * 6) if inertia is None else inertia_of(inertia, f"inertia of {where}")
    if inertia is not None and about is not None:
        I_B = I_B - point_inertia(m, c - three(about, f"about of {where}"))
    return m, c, I_B


def _bore(part: Part, parts: Sequence[Part]) -> float | None:
    """The radius of a hole that goes through a cylinder along its axis."""
    for hole in parts:
        if hole.hole and isinstance(part.solid, Cylinder) and isinstance(hole.solid, Cylinder):
            through = hole.X_BP == part.X_BP and hole.solid.height >= part.solid.height
            if through and hole.solid.radius < part.solid.radius:
                return hole.solid.radius
    return None


def _armature(where: str, armature: Any, rotor: Any) -> tuple[float, ...]:
    given = factors(armature, f"armature of {where}")
    if rotor is None:
        return given
    if given:
        raise ArgumentError(f"{where} has both a rotor and an armature", do="give one of them")
    inertia, gear = numbers(rotor, 2, f"rotor of {where}")
    return (reflected_inertia(inertia, gear),)


def _rgba(color: Color | None) -> tuple[float, float, float, float] | None:
    if color is None:
        return None
    if len(color) not in (3, 4) or not all(0 <= part <= 1 for part in color):
        raise ArgumentError(f"color is {color!r}", do="pass red, green, blue and opacity, from 0 to 1")
    return (*color, 1.0) if len(color) == 3 else color


def _state(model: Model, name: str, q: Mapping[str, Any], v: Mapping[str, Any]) -> Keyframe:
    """A keyframe from what was said of some joints."""
    joints = {body.joint.name: body.joint for body in model.bodies}
    for joint in (*q, *v):
        if joint not in joints:
            raise ArgumentError(
                f"it names a joint {joint!r}",
                do=f"name some of {', '.join(joints)}",
            )
    all_q: list[float] = []
    all_v: list[float] = []
    for joint, own in joints.items():
        what = f"joint {joint!r}"
        all_q += numbers(q[joint], own.nq, what) if joint in q else own.neutral
        all_v += numbers(v[joint], own.nv, what) if joint in v else (0.0,) * own.nv
    return Keyframe(name, tuple(all_q), tuple(all_v))
