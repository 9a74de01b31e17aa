"""What of two models differs, part by part under one name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from quatrain.geometry import Pose, Quaternion, cross
from quatrain.joint import Joint, Limits
from quatrain.model import WORLD, Actuator, Model

KINDS = (
    "name",
    "tree",
    "joint",
    "place",
    "inertia",
    "limits",
    "frame",
    "actuator",
    "state",
    "gravity",
    "shape",
)
"""What a difference may be of."""

_ONE_SIDED = "is there"


@dataclass(frozen=True)
class Difference:
    """One thing that is not the same in two models."""

    kind: str
    """One of `KINDS`."""
    where: str
    """Whose it is: "body 'arm'"."""
    what: str
    a: Any
    """What it is in the first model; None where there is none."""
    b: Any

    @property
    def alone(self) -> str:
        """ "a" or "b", where only one of them has it."""
        return "" if self.what != _ONE_SIDED else "a" if self.a else "b"

    def __str__(self) -> str:
        if self.alone:
            return f"{self.where} is in the {'first' if self.a else 'second'} alone"
        return f"{self.where}: {self.what} {_shown(self.a)}, there {_shown(self.b)}"


class Sides:
    def __init__(self, a: Model, b: Model, tolerance: float) -> None:
        self.a, self.b, self.tolerance = a, b, tolerance

    def all(self) -> Iterator[Difference]:
        a, b = self.a, self.b
        yield from self.names("body", a.body_names, b.body_names)
        yield from self.numbers("gravity", "the model", "gravity", a.gravity, b.gravity)
        if {*a.q_names} == {*b.q_names} and a.q_names != b.q_names:
            yield Difference("name", "coordinates", "in another order,", [*a.q_names], [*b.q_names])
        others = {body.name: k for k, body in enumerate(b.bodies)}
        for k, body in enumerate(a.bodies):
            if body.name in others:
                yield from self.body(k, others[body.name])
        yield from self.frames()
        yield from self.actuators()
        yield from self.states()
        yield from self.shapes()

    def names(self, kind: str, a: Sequence[str], b: Sequence[str], of: str = "name") -> Iterator[Difference]:
        for name in a:
            if name not in {*b}:
                yield Difference(of, f"{kind} {name!r}", _ONE_SIDED, True, None)
        for name in b:
            if name not in {*a}:
                yield Difference(of, f"{kind} {name!r}", _ONE_SIDED, None, True)

    def numbers(
        self, kind: str, where: str, what: str, a: Any, b: Any, unit: float = 0.0
    ) -> Iterator[Difference]:
        """`unit`: what is compared to at least, where a number alone says nothing of its size."""
        x, y = np.ravel(np.array([*_flat(a)], float)), np.ravel(np.array([*_flat(b)], float))
        if x.shape == y.shape:
            finite = np.isfinite(x) & np.isfinite(y)
            scale = max(float(np.max(np.abs([x[finite], y[finite]]), initial=0.0)), unit)
            with np.errstate(invalid="ignore"):  # between infinities
                near = finite & (np.abs(x - y) <= self.tolerance * scale)
            if np.all((x == y) | near):
                return
        yield Difference(kind, where, what, _plain(x), _plain(y))

    def same(self, kind: str, where: str, what: str, a: Any, b: Any) -> Iterator[Difference]:
        if a != b:
            yield Difference(kind, where, what, a, b)

    def body(self, k: int, other: int) -> Iterator[Difference]:
        one, same = self.a.bodies[k], self.b.bodies[other]
        where = f"body {one.name!r}"
        yield from self.same("tree", where, "on", _carrier(self.a, one.parent), _carrier(self.b, same.parent))
        yield from self.numbers("inertia", where, "mass [kg]", one.mass, same.mass)
        if one.mass or same.mass:
            yield from self.numbers("inertia", where, "centre of mass [m]", one.p_BBcm, same.p_BBcm, 1.0)
        yield from self.numbers(
            "inertia", where, "inertia xx yy zz xy xz yz [kg m²]", one.I_Bcm_B, same.I_Bcm_B
        )
        yield from self.joint(one.joint, same.joint)

    def joint(self, one: Joint, same: Joint) -> Iterator[Difference]:
        where = f"joint {one.name!r}"
        yield from self.same("name", where, "is called", one.name, same.name)
        # A continuous joint is a revolute one without limits, which are compared for themselves.
        if one.motions != same.motions:
            yield Difference("joint", where, "is", one.kind, same.kind)
            return
        yield from self.pose("place", where, one.X_PJ @ one.X_MB, same.X_PJ @ same.X_MB)
        for at, motion in enumerate(one.motions):
            line, other = (_line(joint, at) for joint in (one, same))
            what = (
                "turns about the point [m]" if motion.kind == "ball" else "axis, in the body, and its moment"
            )
            yield from self.numbers("joint", where, what, line, other, 1.0)
        yield from self.numbers("joint", where, "pitch [m/rad]", one.pitch, same.pitch)
        for name in ("armature", "damping", "friction", "stiffness"):
            here, there = (getattr(joint, name) or (0.0,) * joint.freedoms for joint in (one, same))
            yield from self.numbers("joint", where, name, here, there)
        if any(one.stiffness):
            here, there = (joint.rest or joint.neutral for joint in (one, same))
            yield from self.numbers("joint", where, "rest of its spring", here, there, 1.0)
        yield from self.same(
            "joint", where, "follows", one.mimic and one.mimic.joint, same.mimic and same.mimic.joint
        )
        if one.mimic and same.mimic:
            here, there = ((m.ratio, m.offset) for m in (one.mimic, same.mimic))
            yield from self.numbers("joint", where, "ratio and offset", here, there)
        for at in range(one.freedoms):
            bounds = [_limits(joint.limits[at] if joint.limits else Limits()) for joint in (one, same)]
            for name in bounds[0]:
                yield from self.numbers("limits", where, name, bounds[0][name], bounds[1][name])

    def pose(self, kind: str, where: str, X: Pose, Y: Pose) -> Iterator[Difference]:
        yield from self.numbers(kind, where, "stands at [m]", X.p, Y.p, 1.0)
        same_side = Y.q if sum(x * y for x, y in zip(X.q, Y.q, strict=True)) >= 0 else -Y.q
        yield from self.numbers(kind, where, "is turned by the quaternion", X.q, same_side, 1.0)

    def frames(self) -> Iterator[Difference]:
        sides = [{frame.name: frame for frame in model.frames} for model in (self.a, self.b)]
        yield from self.names("frame", [*sides[0]], [*sides[1]], "frame")
        for name in sides[0].keys() & sides[1].keys():
            one, same = (side[name] for side in sides)
            where = f"frame {name!r}"
            yield from self.same(
                "frame", where, "on", _carrier(self.a, one.body), _carrier(self.b, same.body)
            )
            yield from self.pose("frame", where, one.X_BF, same.X_BF)

    def actuators(self) -> Iterator[Difference]:
        sides = [{one.name: one for one in model.actuators} for model in (self.a, self.b)]
        yield from self.names("actuator", [*sides[0]], [*sides[1]], "actuator")
        for name in sides[0].keys() & sides[1].keys():
            one, same = (side[name] for side in sides)
            for entry in fields(Actuator):
                values = getattr(one, entry.name), getattr(same, entry.name)
                check = self.numbers if entry.name in ("gear", "gain", "bias") else self.same
                yield from check("actuator", f"actuator {name!r}", entry.name, values[0], values[1])

    def states(self) -> Iterator[Difference]:
        sides = [{key.name: key for key in model.keyframes} for model in (self.a, self.b)]
        yield from self.names("state", [*sides[0]], [*sides[1]], "state")
        if self.a.q_names == self.b.q_names:
            for name in sides[0].keys() & sides[1].keys():
                for what in ("q", "v"):
                    here, there = (getattr(side[name], what) for side in sides)
                    yield from self.numbers("state", f"state {name!r}", what, here, there, 1.0)

    def shapes(self) -> Iterator[Difference]:
        counts = [_shapes(model) for model in (self.a, self.b)]
        for where in sorted(counts[0].keys() | counts[1].keys()):
            yield from self.same("shape", where, "shapes", counts[0].get(where, 0), counts[1].get(where, 0))


def _line(joint: Joint, at: int) -> list[float]:
    """A motion's axis seen from the body at rest: direction and moment about its origin; of a ball its centre."""
    motion, X_BM = joint.motions[at], joint.X_MB.inverse()
    if motion.kind == "ball":
        return [*map(float, X_BM.p), *_axes_of_ball(X_BM.q)]
    axis = X_BM.q.rotate(joint.axes[motion.axis])
    if motion.kind == "slide":
        return [*map(float, axis)]
    return [*map(float, axis), *map(float, cross(X_BM.p, axis))]


def _axes_of_ball(q: Quaternion) -> list[float]:
    """Its coordinates are measured in the joint's axes."""
    return [float(x) for row in q.to_matrix().rows for x in row]


def _limits(limits: Limits) -> dict[str, float]:
    """What is not bounded is bounded by infinity."""
    return {
        entry.name: float(-np.inf if entry.name == "lower" else np.inf) if value is None else float(value)
        for entry in fields(Limits)
        for value in (getattr(limits, entry.name),)
    }


def _shapes(model: Model) -> dict[str, int]:
    found: dict[str, int] = {}
    for shape in model.shapes:
        for role in ("visual", "collision") if shape.role == "both" else (shape.role,):
            where = f"{_carrier(model, shape.body)}, {role}, {shape.kind}"
            found[where] = found.get(where, 0) + 1
    return found


def _carrier(model: Model, number: int) -> str:
    return "world" if number == WORLD else model.bodies[number].name


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)):
        yield float(value)
    else:
        for one in value:
            yield from _flat(one)


def _plain(values: Any) -> Any:
    """For JSON, which knows no infinity."""
    listed = [x if np.isfinite(x) else None for x in values.tolist()]
    return listed[0] if len(listed) == 1 else listed


def _shown(value: Any) -> str:
    if isinstance(value, list):
        shown = ", ".join(map(_shown, value[:12])) + (" …" if len(value) > 12 else "")
        return f"({shown})"
    if value is None or value is True:
        return "none" if value is None else "yes"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
