"""The machine as plain data: bodies, the joints that carry them, and named frames.

A body stands after its parent. Numbers are floats; where a kernel keeps one as an input it is a traced
scalar, and nothing here minds. What must hold of a model is checked by `quatrain.checks`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from quatrain import description
from quatrain.description import Coordinate, Coordinates
from quatrain.equipment import Actuator, Extra, Keyframe, Shape
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, SymMat3, Vec3
from quatrain.joint import JOINT_KINDS, Joint, Limits, Mimic, Motion
from quatrain.scalar import Scalar

__all__ = [
    "AXES",
    "JOINT_KINDS",
    "STANDARD_GRAVITY",
    "WORLD",
    "Actuator",
    "Body",
    "Coordinate",
    "Coordinates",
    "Drive",
    "Extra",
    "Frame",
    "Joint",
    "Keyframe",
    "Limits",
    "Mimic",
    "Model",
    "Motion",
    "Shape",
]

WORLD = -1
"""The parent of a body that stands on the ground."""

STANDARD_GRAVITY = Vec3(0.0, 0.0, -9.81)
AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Body:
    """A rigid body, and the joint it hangs on."""

    name: str
    parent: int
    """Number of the body that carries it, or WORLD."""
    joint: Joint
    mass: Scalar
    p_BBcm: Vec3
    I_Bcm_B: SymMat3


@dataclass(frozen=True)
class Frame:
    """A named place on a body, or on the ground."""

    name: str
    body: int
    X_BF: Pose


@dataclass(frozen=True)
class Drive:
    """What moves a joint: the joint of which body, q = ratio · (its q) + offset."""

    body: int
    ratio: Scalar
    offset: Scalar


@dataclass(frozen=True, repr=False)
class Model:
    """A tree of bodies. Bodies stand depth-first, a parent before its children; q and v follow their joints."""

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Vec3 = STANDARD_GRAVITY
    """[m/s²], in the world."""
    actuators: tuple[Actuator, ...] = ()
    shapes: tuple[Shape, ...] = ()
    keyframes: tuple[Keyframe, ...] = ()
    extras: tuple[Extra, ...] = ()
    """What a file says and nobody here interprets."""
    folders: tuple[str, ...] = ()
    """Where files that it names, such as meshes, are looked for: the folder of its own file, if it has one, first."""
    unmerged: Model | None = field(default=None, compare=False, repr=False)
    """Its bodies, frames and shapes before bodies on fixed joints became parts of others; see `edit.split_fixed`."""

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.nb} bodies, nq {self.nq}, nv {self.nv}>"

    def _repr_html_(self) -> str:
        from quatrain.notebook import of_model

        return of_model(self)

    # ---- sizes and names --------------------------------------------------------------------------

    @property
    def nb(self) -> int:
        return len(self.bodies)

    @cached_property
    def nq(self) -> int:
        return sum(body.joint.nq for body in self.bodies)

    @cached_property
    def nv(self) -> int:
        return sum(body.joint.nv for body in self.bodies)

    @property
    def nu(self) -> int:
        """How many actuators, each of which takes one command."""
        return len(self.actuators)

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.bodies)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        return tuple(body.joint.name for body in self.bodies)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Everything that has a pose: bodies, then frames."""
        return (*self.body_names, *(frame.name for frame in self.frames))

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        return tuple(name for body in self.bodies for name in body.joint.q_names())

    @cached_property
    def v_names(self) -> tuple[str, ...]:
        return tuple(name for body in self.bodies for name in body.joint.v_names())

    @cached_property
    def drives(self) -> tuple[Drive, ...]:
        """Of each body's joint, what moves it: itself, or the joint that it follows, through others if need be."""
        numbers = {body.joint.name: k for k, body in enumerate(self.bodies)}
        return tuple(self._drive(k, numbers) for k in range(self.nb))

    def _drive(self, start: int, numbers: Mapping[str, int]) -> Drive:
        k, ratio, offset = start, 1, 0
        joint = self.bodies[k].joint
        passed = [joint.name]
        while joint.mimic is not None:
            follows, where = joint.mimic, f"{self.name}: joint {joint.name!r}"
            if follows.joint not in numbers:
                raise ArgumentError(
                    f"{where} follows {follows.joint!r}, which is no joint here", do="name one of its joints"
                )
            ratio, offset = ratio * follows.ratio, ratio * follows.offset + offset
            k = numbers[follows.joint]
            joint = self.bodies[k].joint
            if joint.name in passed:
                raise ArgumentError(
                    f"{where} follows {joint.name!r}, which follows it: {' → '.join([*passed, joint.name])}",
                    do="let one of them have a coordinate of its own",
                )
            for one in (self.bodies[start].joint, joint):
                if one.freedoms != 1:
                    raise ArgumentError(
                        f"{where} follows {joint.name!r}, and {one.name!r} is a {one.kind} joint",
                        do="let joints of one freedom follow one another",
                    )
            passed.append(joint.name)
        return Drive(k, ratio, offset)

    @cached_property
    def q_starts(self) -> tuple[int, ...]:
        """Where each body's joint begins in q; one that follows another reads what that one does."""
        own = _starts([body.joint.nq for body in self.bodies])
        return tuple(own[drive.body] for drive in self.drives)

    @cached_property
    def v_starts(self) -> tuple[int, ...]:
        own = _starts([body.joint.nv for body in self.bodies])
        return tuple(own[drive.body] for drive in self.drives)

    def keyframe(self, name: str) -> Keyframe:
        """A state by its name."""
        for key in self.keyframes:
            if key.name == name:
                return key
        known = _some([key.name for key in self.keyframes]) or "none"
        raise ArgumentError(f"{self.name} has no keyframe {name!r}", do=f"its keyframes: {known}")

    def frame(self, name: str) -> Frame:
        """A frame by its name; a body's name means its own frame, "world" the ground's."""
        if not isinstance(name, str):
            raise ArgumentError(
                f"a frame is named {name!r}, which is no text",
                do=f"pass its name, such as {_some(list(self.frame_names)[-1:])}",
            )
        if name in self._frames:
            return self._frames[name]
        near = [n for n in self.frame_names if name.lower() in n.lower()] or list(self.frame_names)
        raise ArgumentError(f"{self.name} has no frame {name!r}", do=f"name one of {_some(near)}, or 'world'")

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        ground = Frame("world", WORLD, Pose.identity())
        own = {body.name: Frame(body.name, k, Pose.identity()) for k, body in enumerate(self.bodies)}
        return {"world": ground, **own, **{frame.name: frame for frame in self.frames}}

    @cached_property
    def digest(self) -> str:
        """A hash of all that motion depends on, every number to its last bit: models of one digest move alike.

        Names, frames, limits, actuators, shapes, folders and keyframes are not in it, so what asks for a frame by its
        name is known by this and by `model.frame(name)`. The same on every machine and in every version of Python.
        """
        text = ";".join(_words(self))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    # ---- what the coordinates are -----------------------------------------------------------------

    def coordinates(self) -> Coordinates:
        """The entries of q, in order: name, unit, and what they are measured in; printed, a table."""
        return description.coordinates_of(self)

    def velocities(self) -> Coordinates:
        """The entries of v, likewise."""
        return description.velocities_of(self)

    def describe(self) -> str:
        """The tree and its joints, a body a line, for reading: `print(model.describe())`."""
        return description.description(self)

    @property
    def mass(self) -> Scalar:
        """Of all bodies [kg]."""
        return sum((body.mass for body in self.bodies), 0.0)


def _words(model: Model) -> Iterator[str]:
    """What `Model.digest` covers, in words that cannot be read in two ways: each list says how long it is."""

    def exact(*numbers: Scalar) -> str:
        return f"{len(numbers)}:" + ",".join(float(x).hex() for x in numbers)

    yield exact(*model.gravity)
    for k, body in enumerate(model.bodies):
        joint = body.joint
        yield str(body.parent)
        yield exact(*joint.X_PJ.q, *joint.X_PJ.p, *joint.X_MB.q, *joint.X_MB.p)
        for motion in joint.motions:
            yield motion.kind
            yield exact(*joint.axes[motion.axis]) if motion.kind != "ball" else ""
            yield exact(joint.pitch) if motion.kind == "screw" else ""
        for numbers in (joint.armature, joint.damping, joint.friction, joint.stiffness, joint.rest):
            yield exact(*numbers)
        if joint.mimic is not None:
            drive = model.drives[k]
            yield f"follows {drive.body}"
            yield exact(drive.ratio, drive.offset)
        yield exact(body.mass, *body.p_BBcm, *body.I_Bcm_B)


def _starts(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(accumulate(sizes, initial=0))[:-1]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} … ({len(names)} in all)"
