"""What a joint is: the elementary motions it is made of, and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quatrain.geometry import Pose, Vec3
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Motion:
    """One elementary motion of a joint: a turn about an axis, a slide along it, a screw, or a ball's turning."""

    kind: str
    """"turn", "slide", "screw" or "ball"."""
    axis: int = 0
    """Which of the joint's axes."""

    @property
    def nq(self) -> int:
        return 4 if self.kind == "ball" else 1

    @property
    def nv(self) -> int:
        return 3 if self.kind == "ball" else 1


_TURN, _SLIDE, _BALL = Motion("turn"), Motion("slide"), Motion("ball")

JOINT_KINDS: dict[str, tuple[Motion, ...]] = {
    "fixed": (),
    "revolute": (_TURN,),
    "continuous": (_TURN,),  # as a revolute joint, without limits
    "prismatic": (_SLIDE,),
    "helical": (Motion("screw"),),
    "cylindrical": (_TURN, _SLIDE),
    "universal": (Motion("turn", 0), Motion("turn", 1)),
    "ball": (_BALL,),
    "planar": (Motion("slide", 0), Motion("slide", 1), Motion("turn", 2)),
    "free": (Motion("slide", 0), Motion("slide", 1), Motion("slide", 2), _BALL),
}
"""Every joint is these motions one after the other, seen from the parent; their order is that of the coordinates.

A new type of joint is a line here and one in `_SUFFIXES`.
"""

_SUFFIXES = {
    "cylindrical": (".angle", ".distance"),
    "universal": (".1", ".2"),
    "planar": (".x", ".y", ".angle"),
    "free": (".x", ".y", ".z", ""),
}


@dataclass(frozen=True)
class Limits:
    """Bounds on one velocity and the coordinate it moves; None where there is none."""

    lower: Scalar | None = None
    upper: Scalar | None = None
    velocity: Scalar | None = None
    effort: Scalar | None = None
    acceleration: Scalar | None = None
    deceleration: Scalar | None = None
    jerk: Scalar | None = None


@dataclass(frozen=True)
class Mimic:
    """How a joint follows another one: its coordinate is the other's times `ratio` plus `offset`.

    Both have one freedom; the other may follow a third. A joint that follows has no entry in q and v.
    """

    joint: str
    ratio: Scalar = 1.0
    offset: Scalar = 0.0


@dataclass(frozen=True)
class Joint:
    """How a body moves on its parent P: frame J stands in P, moves to M, and M carries the body B."""

    name: str
    kind: str
    X_PJ: Pose = field(default_factory=Pose.identity)
    X_MB: Pose = field(default_factory=Pose.identity)
    axes: tuple[Vec3, ...] = ()
    """Unit vectors in J, at rest. Ball joints have none, free and planar ones three that are perpendicular."""
    pitch: Scalar = 0.0
    """Of a helical joint: advance along the axis [m/rad]."""
    armature: tuple[Scalar, ...] = ()
    """Inertia of the rotor as the joint feels it, gear ratio squared included: one for each freedom [kg m² or kg].

    See `reflected_inertia`.
    """
    damping: tuple[Scalar, ...] = ()
    """Force per velocity, one for each freedom [N m s/rad or N s/m]."""
    friction: tuple[Scalar, ...] = ()
    """Force against any motion, one for each freedom [N m or N]."""
    stiffness: tuple[Scalar, ...] = ()
    """Of a spring, one for each freedom [N m/rad or N/m]."""
    rest: tuple[Scalar, ...] = ()
    """Where the spring is slack: one for each coordinate, four for a ball's quaternion; none means at zero."""
    limits: tuple[Limits, ...] = ()
    mimic: Mimic | None = None
    """Another joint that this one follows; numbers above are then about its own motion."""

    @property
    def motions(self) -> tuple[Motion, ...]:
        return JOINT_KINDS[self.kind]

    @property
    def own_motions(self) -> tuple[Motion, ...]:
        """Those that have coordinates of their own: none of a joint that follows another."""
        return self.motions if self.mimic is None else ()

    @property
    def nq(self) -> int:
        return sum(motion.nq for motion in self.own_motions)

    @property
    def nv(self) -> int:
        return sum(motion.nv for motion in self.own_motions)

    @property
    def freedoms(self) -> int:
        """How many ways it moves, whether with velocities of its own or not."""
        return sum(motion.nv for motion in self.motions)

    @property
    def neutral(self) -> tuple[Scalar, ...]:
        """Its coordinates at zero; a quaternion is then (1, 0, 0, 0)."""
        return tuple(
            x
            for motion in self.own_motions
            for x in ((1.0, 0.0, 0.0, 0.0) if motion.kind == "ball" else (0.0,))
        )

    def q_names(self) -> Iterator[str]:
        for motion, suffix in zip(self.own_motions, _SUFFIXES.get(self.kind, ("",)), strict=False):
            stem = self.name + suffix
            yield from (f"{stem}.q{c}" for c in "wxyz") if motion.kind == "ball" else (stem,)

    def v_names(self) -> Iterator[str]:
        for motion, suffix in zip(self.own_motions, _SUFFIXES.get(self.kind, ("",)), strict=False):
            stem = self.name + suffix
            yield from (f"{stem}.w{c}" for c in "xyz") if motion.kind == "ball" else (stem,)


def reflected_inertia(rotor: Scalar, gear: Scalar) -> Scalar:
    """A rotor's inertia as the joint feels it through a gear: gear² · rotor, for `Joint.armature`.

    gear: turns of the rotor for one of the joint; for a slide, radians of the rotor per metre. The rotor is taken to
    turn with the joint's own rate alone: what the motion of the body that carries it adds to its spin (gear · rotor
    times that body's turning about the rotor's axis) is left out, and its mass counts with that body's. The part
    left out is 1/gear of what is kept. [kg m² or kg]
    """
    return rotor * gear * gear
