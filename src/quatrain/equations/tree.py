"""A tree of bodies as elementary motions: the form in which the recursions see a model.

A joint of several freedoms is several segments one after the other, of which only the last has mass. The
frame S of a segment stands in its moved body with z along its axis, so that every turn is about z. A ball
turns about all three. Bodies that are fixed to one another share a segment.
"""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.alignment import aligned, snapped
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.geometry import Mat3, Pose, Quaternion, Vec3
from quatrain.model import AXES, WORLD, Model
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Segment:
    """One elementary motion, and what it carries."""

    parent: int
    """The segment before it, or WORLD."""
    kind: str
    """"turn", "slide", "screw" or "ball"."""
    R_PS0: Mat3
    """S at rest, in the parent's frame."""
    p_PS0: Vec3
    q_PS0: Quaternion
    pitch: Scalar
    armature: tuple[Scalar, ...]
    """As its velocities feel it."""
    inertia: PseudoInertia
    """About S's origin, in S."""
    q: int
    """Its first entry of q."""
    v: int
    ratio: Scalar = 1
    offset: Scalar = 0
    """Of a joint that follows another one: its coordinate is ratio · q + offset. They are 1 and 0 of all others."""
    turning: Scalar = 1
    """Of a screw: angle for each unit of its coordinate, as pitch is the advance. 0 makes a slide of it."""

    @property
    def nv(self) -> int:
        return 3 if self.kind == "ball" else 1


@dataclass(frozen=True)
class Tree:
    """Segments, a parent before its children, and where bodies stand in them."""

    segments: tuple[Segment, ...]
    gravity: Vec3
    places: tuple[tuple[int, Pose], ...]
    """Of each body: its segment (or WORLD), and its frame B there, X_SB."""
    nq: int
    nv: int

    @property
    def shared(self) -> bool:
        """Whether segments share a velocity, as joints that follow others do."""
        return sum(segment.nv for segment in self.segments) > self.nv

    @classmethod
    def of(cls, model: Model) -> Tree:
        segments: list[Segment] = []
        places: list[tuple[int, Pose]] = []
        loads: dict[int, PseudoInertia] = {}
        for k, body in enumerate(model.bodies):
            start, X_SP = (WORLD, Pose.identity()) if body.parent == WORLD else places[body.parent]
            place, X_SM = start, X_SP @ body.joint.X_PJ
            at_q, at_v, drive = model.q_starts[k], model.v_starts[k], model.drives[k]
            for motion in body.joint.motions:
                axis = body.joint.axes[motion.axis] if motion.kind != "ball" else AXES[2]
                q_MS = aligned(axis) if motion.kind != "ball" else Quaternion.identity()
                rest = Pose(X_SM.q @ q_MS, X_SM.p)
                first = at_v - model.v_starts[k]
                rotors = body.joint.armature[first : first + motion.nv] or (0.0,) * motion.nv
                armature = tuple(rotor * drive.ratio * drive.ratio for rotor in rotors)
                pitch = body.joint.pitch if motion.kind == "screw" else 0.0
                segments.append(
                    Segment(
                        place, motion.kind, snapped(rest.q.to_matrix()), rest.p, rest.q,
                        pitch, armature, PseudoInertia.zero(), at_q, at_v,
                        drive.ratio, drive.offset,
                    )
                )  # fmt: skip
                place, X_SM = len(segments) - 1, Pose(q_MS.conjugate(), Vec3.zero())
                at_q, at_v = at_q + motion.nq, at_v + motion.nv
            X_SB = X_SM @ body.joint.X_MB
            places.append((place, X_SB))
            if place != WORLD:
                own = PseudoInertia.of_body(body.mass, body.p_BBcm, body.I_Bcm_B)
                moved = own.moved(snapped(X_SB.q.to_matrix()), X_SB.p)
                loads[place] = loads[place] + moved if place in loads else moved
        carried = tuple(
            _with_load(segment, loads[k]) if k in loads else segment for k, segment in enumerate(segments)
        )
        return cls(carried, model.gravity, tuple(places), model.nq, model.nv)

    def place_of(self, model: Model, frame: str) -> tuple[int, Pose]:
        """Segment and pose there of a named frame."""
        found = model.frame(frame)
        if found.body == WORLD:
            return WORLD, found.X_BF
        segment, X_SB = self.places[found.body]
        return segment, X_SB @ found.X_BF

    def path(self, segment: int) -> list[int]:
        """The segments from this one down to the ground, itself first."""
        found = []
        while segment != WORLD:
            found.append(segment)
            segment = self.segments[segment].parent
        return found


def _with_load(segment: Segment, inertia: PseudoInertia) -> Segment:
    fields = {name: getattr(segment, name) for name in segment.__dataclass_fields__}
    return Segment(**{**fields, "inertia": inertia})
