"""A model as MJCF: bodies in bodies, several joints in one, such that MuJoCo's qpos and qvel are q and v here.

MuJoCo moves a body from its place in the file by one joint after the other, each about an axis and a point in the
body's own frame; so a body whose joint stands elsewhere needs no other one beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from quatrain.faults.inertias import nearest_moments
from quatrain.formats.lowering import IDENTITY, bodies_at_joints, independent, single_motions
from quatrain.formats.mjcf_writer_parts import (
    add_actuators,
    add_equalities,
    add_keyframes,
    add_shapes,
    add_sites,
    both_ends,
    place_of,
)
from quatrain.formats.writing import Target, WriteNotes, Written, add, document
from quatrain.geometry import Mat3, Pose, Quaternion, SymMat3, Vec3
from quatrain.model import AXES, WORLD, Body, Joint, Limits, Model
from quatrain.scalar import Scalar

_TYPES = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "ball", "free": "free"}
_SEVERAL = ("cylindrical", "universal", "planar")
_PER_FREEDOM = ("armature", "damping", "friction", "stiffness")

LEAST = 2e-15
"""MuJoCo wants of bodies that move more mass and inertia than 1e-15."""
_DEEPEST = 240
_MOST_FREEDOMS = 6
"""Of one body."""


def write_mjcf(model: Model, target: Target, notes: WriteNotes) -> Written:
    """The text; an error names what no MJCF can say."""
    helical = [body.joint.name for body in model.bodies if body.joint.kind == "helical"]
    notes.impossible("helical joints", helical, "write JSON, or put joints in their place that MJCF knows")
    notes.stop_on_errors(target.name)
    followers = [body for body in model.bodies if body.joint.mimic is not None]
    notes.changed(
        "joints that follow others",
        (body.joint.name for body in followers),
        "have coordinates of their own in MJCF, and constraints that hold them",
    )
    whole = independent(model)
    whole = single_motions(whole, lambda joint: joint.kind in _SEVERAL)
    frees = {
        body.joint.name for body in whole.bodies if body.joint.kind == "free" and not _is_free_there(body)
    }
    whole = single_motions(whole, lambda joint: joint.name in frees)
    whole = bodies_at_joints(whole, lambda joint: joint.kind == "ball" and joint.X_MB.q != IDENTITY.q)
    return _Writer(whole, model, notes, target).write(followers, model)


def _is_free_there(body: Body) -> bool:
    """A free joint of MuJoCo's is in the world's axes, and feels all directions alike."""
    joint = body.joint
    alike = all(len({*getattr(joint, name)}) < 2 for name in _PER_FREEDOM)
    return alike and body.parent == WORLD and joint.axes == AXES and joint.X_PJ == joint.X_MB == IDENTITY


@dataclass(frozen=True)
class _Step:
    """One of the joints of a body there: Z is where the body stands in the joint's moved frame, in the reference."""

    joint: Joint
    X_MB: Pose
    reference: tuple[Scalar, ...]


class _Writer:
    def __init__(self, model: Model, original: Model, notes: WriteNotes, target: Target) -> None:
        self.model, self.notes, self.target = model, notes, target
        self.children: dict[int, list[int]] = {}
        for k, body in enumerate(model.bodies):
            self.children.setdefault(body.parent, []).append(k)
        self.carrying = {frame.body for frame in model.frames} | {shape.body for shape in model.shapes}
        self.named = {a.frame for a in model.actuators}
        self.reference = self._reference()
        self.elements: dict[int, Element] = {}
        self.light: list[str] = []
        self.mended: list[str] = []
        self.names = {*original.body_names}

    def write(self, followers: list[Body], original: Model) -> Written:
        root = add(None, "mujoco", {"model": self.model.name})
        said = {
            "angle": "radian",
            "autolimits": "false",
            "inertiafromgeom": "false",
            "balanceinertia": "false",
        }
        add(root, "compiler", said)
        add(root, "option", {"gravity": self.model.gravity})
        asset = add(root, "asset")
        self.elements[WORLD] = add(root, "worldbody")
        pending = [(self.elements[WORLD], k, 1) for k in reversed(self.children.get(WORLD, []))]
        while pending:
            parent, first, depth = pending.pop()
            if depth > _DEEPEST:
                names = [self.model.bodies[first].name]
                self.notes.impossible(f"bodies nested deeper than {_DEEPEST}", names, "write JSON")
                self.notes.stop_on_errors(self.target.name)
            element, last = self._add_body(parent, first)
            pending += [(element, k, depth + 1) for k in reversed(self.children.get(last, []))]
        shapes = add_shapes(self.model, self.elements, asset, self.notes, self.target)
        sites = add_sites(self.model, self.elements)
        add_actuators(root, self.model, original, sites, self.notes)
        add_equalities(root, followers)
        add_keyframes(root, self.model, self.reference, self.notes)
        if not len(asset):
            root.remove(asset)
        self._name_losses(original)
        bodies, joints = len(root.findall(".//body")), len(self.elements[WORLD].findall(".//joint"))
        held = (("bodies", bodies), ("joints", joints), ("shapes", shapes))
        return Written(document(root), "MJCF", held, tuple(self.notes.findings))

    def _reference(self) -> dict[str, tuple[Scalar, ...]]:
        """By joint, the coordinates at which the file's poses are: of the state "qpos0", or zero."""
        found = {body.joint.name: body.joint.neutral for body in self.model.bodies}
        for body in self.model.bodies:
            if body.joint.kind == "free" and any(body.joint.stiffness) and body.joint.rest:
                found[body.joint.name] = body.joint.rest  # its spring is slack where the file has it
        for key in self.model.keyframes:
            if key.name == "qpos0":
                for body, at in zip(self.model.bodies, self.model.q_starts, strict=True):
                    if body.joint.kind != "ball":  # whose reference is (1, 0, 0, 0)
                        found[body.joint.name] = key.q[at : at + body.joint.nq]
        return found

    # ---- bodies -----------------------------------------------------------------------------------

    def _add_body(self, parent: Element, first: int) -> tuple[Element, int]:
        """The element of a body, or of several where only the last of them has mass; and the last one's number."""
        chain = [first]
        while self._folds(chain):
            chain.append(self.children[chain[-1]][0])
        number = chain[-1]
        last = self.model.bodies[number]
        X_PB, steps = self._steps(chain)
        element = add(parent, "body", {"name": last.name, **place_of(X_PB)})
        self._add_inertial(element, number, moves=bool(steps))
        for step in steps:
            self._add_joint(element, step)
        self.elements[number] = element
        return element, number

    def _folds(self, chain: list[int]) -> bool:
        """Whether the last of the chain is nothing but a joint before the next one."""
        k = chain[-1]
        body, after = self.model.bodies[k], self.children.get(k, [])
        nothing = body.mass == 0 and not any(body.I_Bcm_B)
        if not nothing or len(after) != 1 or k in self.carrying or body.name in self.named:
            return False
        joint, following = body.joint, self.model.bodies[after[0]].joint
        # Only what the reader names so again, and what was added here.
        whose = body.name.removesuffix(f"/{joint.name}")
        again = whose != body.name and f"{self.model.bodies[after[0]].name}/".startswith(f"{whose}/")
        if body.name in self.names and not again:
            return False
        if {joint.kind, following.kind} & {"free", "fixed"}:
            return False
        if sum(self.model.bodies[i].joint.nv for i in (*chain, *after)) > _MOST_FREEDOMS:
            return False
        # A ball turns in the axes of the body that is left: these must be its own.
        _, steps = self._steps([*chain, *after])
        return all(step.joint.kind != "ball" or step.X_MB.q == IDENTITY.q for step in steps)

    def _steps(self, chain: list[int]) -> tuple[Pose, list[_Step]]:
        """Where the last body stands in the parent of the first, in the reference, and its joints."""
        X, steps = IDENTITY, []
        for k in reversed(chain):
            joint = self.model.bodies[k].joint
            X = joint.X_MB @ X
            q = self.reference[joint.name]
            if joint.kind != "fixed":
                steps.append(_Step(joint, X, q))
            X = joint.X_PJ @ _moved(joint, q) @ X
        return X, steps[::-1]

    def _add_inertial(self, element: Element, number: int, *, moves: bool) -> None:
        body = self.model.bodies[number]
        moments, axes, mended = _principal(body.I_Bcm_B)
        mass = float(body.mass)
        light = mass < LEAST or min(moments) < LEAST
        if light and moves and not self._held_by_fixed(number):
            self.light.append(body.name)
            mass, moments = max(mass, LEAST), [max(x, LEAST) for x in moments]
        elif mass == 0 and not any(moments):
            return
        if mended:
            self.mended.append(body.name)
        said = {"pos": body.p_BBcm, "mass": mass, "diaginertia": moments}
        add(element, "inertial", said | ({} if axes == IDENTITY.q else {"quat": axes}))

    def _held_by_fixed(self, number: int) -> bool:
        """Whether a body fixed to it has the mass that MuJoCo asks for."""
        pending = [*self.children.get(number, [])]
        while pending:
            one = self.model.bodies[k := pending.pop()]
            if one.joint.kind == "fixed":
                if one.mass >= LEAST and min(_principal(one.I_Bcm_B)[0]) >= LEAST:
                    return True
                pending += self.children.get(k, [])
        return False

    # ---- joints -----------------------------------------------------------------------------------

    def _add_joint(self, element: Element, step: _Step) -> None:
        joint, kind = step.joint, _TYPES[step.joint.kind]
        said: dict[str, object] = {"name": joint.name, "type": kind}
        if kind != "free":
            p = step.X_MB.inverse().p
            said["pos"] = p if any(p) else None
        if kind in ("hinge", "slide"):
            said["axis"] = step.X_MB.q.inverse_rotate(joint.axes[0])
            said["ref"] = step.reference[0] or None
            said |= self._limits(joint)
        for name, theirs in (("armature", "armature"), ("damping", "damping"), ("friction", "frictionloss")):
            said[theirs] = self._common(joint, name)
        stiffness = self._common(joint, "stiffness")
        if stiffness:
            said["stiffness"] = stiffness
            if kind in ("hinge", "slide"):
                said["springref"] = joint.rest[0] if joint.rest else 0.0
            elif joint.rest and joint.rest != self.reference[joint.name]:
                self.notes.lost("springs that are slack elsewhere", [joint.name])
        add(element, "joint", said)

    def _common(self, joint: Joint, name: str) -> Scalar | None:
        values = getattr(joint, name)
        if len({*values}) > 1:
            self.notes.lost(f"numbers of {name} that differ between directions", [joint.name])
            return None
        return values[0] if values and values[0] else None

    def _limits(self, joint: Joint) -> dict[str, object]:
        (given,) = joint.limits or (Limits(),)
        said: dict[str, object] = {}
        bounds = both_ends(given.lower, given.upper)
        if bounds is not None and not bounds[0] < bounds[1]:
            self.notes.lost("bounds that leave no room", [joint.name])
        elif bounds is not None:
            said = {"limited": "true", "range": bounds}
        if given.effort:
            said |= {"actuatorfrclimited": "true", "actuatorfrcrange": (-given.effort, given.effort)}
        return said

    def _name_losses(self, original: Model) -> None:
        joints = [body.joint for body in original.bodies]
        self.notes.lost(
            "greatest efforts of zero", (j.name for j in joints if any(one.effort == 0 for one in j.limits))
        )
        for what in ("velocity", "acceleration", "deceleration", "jerk"):
            of = (j.name for j in joints if any(getattr(one, what) is not None for one in j.limits))
            self.notes.lost(f"limits of {what}", of)
        several = (j.name for j in joints if j.kind in ("free", "ball") and {*j.limits} - {Limits()})
        self.notes.lost("limits of free and ball joints", several)
        fixed = (
            b.joint.name
            for b in original.bodies
            if b.joint.kind == "fixed" and b.joint.name != f"{b.name}_fixed"
        )
        self.notes.reworded(
            "names of fixed joints", fixed, "are not said: bodies there are fixed without a joint"
        )
        least = f"have {LEAST:g} of what is missing: MuJoCo moves no body without mass or inertia"
        self.notes.reworded("bodies", self.light, least)
        self.notes.changed(
            "inertias",
            self.mended,
            "break the triangle inequality, which MuJoCo refuses: the nearest that do not stand there",
        )
        self.notes.lost("extras", (f"{extra.kind} {extra.name}".strip() for extra in original.extras))


def _moved(joint: Joint, q: Iterable[Scalar]) -> Pose:
    """The joint's motion at its coordinates."""
    values = list(q)
    if joint.kind == "free":
        return Pose(Quaternion(*values[3:]), Vec3(*values[:3]))
    if joint.kind in ("ball", "fixed") or not values[0]:
        return IDENTITY
    if joint.kind == "prismatic":
        return Pose(IDENTITY.q, joint.axes[0] * values[0])
    return Pose(Quaternion.from_axis_angle(joint.axes[0], values[0]), Vec3.zero())


def _principal(I_B: SymMat3) -> tuple[list[float], Quaternion, bool]:
    """Moments, the axes that they are about, and whether they are other ones: those given could not be."""
    if not any((I_B.xy, I_B.xz, I_B.yz)):
        moments, axes = [float(I_B.xx), float(I_B.yy), float(I_B.zz)], IDENTITY.q
    else:
        values, vectors = np.linalg.eigh(I_B.to_array())
        vectors[:, 2] *= np.sign(np.linalg.det(vectors))  # a rotation, not a reflection
        moments, axes = values.tolist(), Quaternion.from_matrix(Mat3(*map(float, vectors.ravel())))
    excess = _excess(moments)
    changed = excess > 1e-12 * max(map(abs, moments), default=0.0)
    if changed:
        moments = nearest_moments(np.array(moments)).tolist()
    while _excess(moments) > 0:  # by rounding
        greatest = moments.index(max(moments))
        moments[greatest] = math.nextafter(moments[greatest], 0.0)
    return moments, axes, changed


def _excess(moments: list[float]) -> float:
    """How far a moment is beyond the sum of the two others, or below zero."""
    a, b, c = sorted(moments)
    return max(c - (a + b), -a) if c > a + b or a < 0 else 0.0
