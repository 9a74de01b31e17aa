"""The machine as plain data: bodies, the joints that carry them, and named frames.

A body stands after its parent. Numbers are floats; where a kernel keeps one as an input it is a traced
scalar, and nothing here minds. What must hold of a model is checked by `quatrain.checks`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, SymMat3, Vec3
from quatrain.joint import JOINT_KINDS, Joint, Limits, Mimic, Motion
from quatrain.scalar import Scalar

__all__ = [
    "AXES",
    "JOINT_KINDS",
    "STANDARD_GRAVITY",
    "WORLD",
    "Body",
    "Coordinate",
    "Drive",
    "Frame",
    "Joint",
    "Limits",
    "Mimic",
    "Model",
    "Motion",
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
class Coordinate:
    """One entry of q or v: what `model.coordinates()` lists."""

    index: int
    name: str
    unit: str
    frame: str


@dataclass(frozen=True)
class Drive:
    """What moves a joint: the joint of which body, q = ratio · (its q) + offset."""

    body: int
    ratio: Scalar
    offset: Scalar


@dataclass(frozen=True)
class Model:
    """A tree of bodies. Bodies stand depth-first, a parent before its children; q and v follow their joints."""

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Vec3 = STANDARD_GRAVITY
    """[m/s²], in the world."""

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
        k, ratio, offset = start, 1.0, 0.0
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

    def frame(self, name: str) -> Frame:
        """A frame by its name; a body's name means its own frame, "world" the ground's."""
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

        Names, frames, limits and the model's name are not in it, so what asks for a frame by its name is known by this
        and by `model.frame(name)`. The same on every machine and in every version of Python.
        """
        text = ";".join(_words(self))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    # ---- what the coordinates are -----------------------------------------------------------------

    def coordinates(self) -> tuple[Coordinate, ...]:
        """The entries of q, in order: name, unit, and what they are measured in."""
        return self._listed(quaternions=True)

    def velocities(self) -> tuple[Coordinate, ...]:
        """The entries of v, likewise."""
        return self._listed(quaternions=False)

    def _listed(self, *, quaternions: bool) -> tuple[Coordinate, ...]:
        found: list[Coordinate] = []
        for body in self.bodies:
            parent = "world" if body.parent == WORLD else self.bodies[body.parent].name
            names = body.joint.q_names() if quaternions else body.joint.v_names()
            for motion in body.joint.own_motions:
                unit, where = _measured(motion, parent, body.name, quaternions=quaternions)
                for _ in range(motion.nq if quaternions else motion.nv):
                    found.append(Coordinate(len(found), next(names), unit, where))
        return tuple(found)

    def describe(self) -> str:
        """The tree, a body a line, for reading."""
        lines = [f"{self.name}: {self.nb} bodies, nq {self.nq}, nv {self.nv}, mass {self.mass:.6g} kg"]
        children: dict[int, list[int]] = {}
        for k, body in enumerate(self.bodies):
            children.setdefault(body.parent, []).append(k)

        def walk(parent: int, indent: str) -> None:
            own = children.get(parent, [])
            for k in own:
                body, last = self.bodies[k], k == own[-1]
                follows = f" follows {body.joint.mimic.joint!r}" if body.joint.mimic else ""
                lines.append(
                    f"{indent}{'└─' if last else '├─'} {body.name}  "
                    f"[{body.joint.kind} {body.joint.name!r}{follows}]  {body.mass:.4g} kg"
                )
                walk(k, indent + ("   " if last else "│  "))

        walk(WORLD, "")
        return "\n".join(lines)

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
    return tuple(sum(sizes[:k]) for k in range(len(sizes)))


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} … ({len(names)} in all)"


def _measured(motion: Motion, parent: str, body: str, *, quaternions: bool) -> tuple[str, str]:
    """Unit and frame of the entries of one motion."""
    if motion.kind == "ball":
        if quaternions:
            return "", f"of {body} in {parent}, (w, x, y, z)"
        return "rad/s", f"of {body} in {parent}, in {body}"
    unit = "m" if motion.kind == "slide" else "rad"
    return unit if quaternions else f"{unit}/s", f"of {body} in {parent}"
