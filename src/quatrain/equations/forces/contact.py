"""Smooth contact of points and spheres with planes: Hunt and Crossley's force, and friction that sets in smoothly.

    f_n = k δⁿ (1 + c δ̇)                        (1)
    f_t = −μ f_n u/√(|u|² + slip²)              (2)

u is the velocity along the plane where they touch. Nothing sticks: what stands on a slope of the angle θ below the
cone of friction creeps at the speed slip tan θ/√(μ² − tan² θ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from quatrain.equations.forces.frames import Place, place
from quatrain.equations.forces.numbers import (
    Number,
    given,
    own_vector,
    plain,
    refuse_below,
    refuse_zero,
)
from quatrain.equations.forces.pressing import pressed_energy, pressing
from quatrain.equations.inverse_dynamics import ZERO, Wrench
from quatrain.equations.tree_motion import State
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3, cross, dot
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar, sqrt


@dataclass(frozen=True)
class Plane:
    """A half-space: its surface goes through a point, and its normal points out of it. It may stand on a body."""

    point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    frame: str = "world"

    def __post_init__(self) -> None:
        own_vector(self, "point")
        normal = own_vector(self, "normal")
        object.__setattr__(self, "normal", normal.normalised(name="normal of Plane"))


@dataclass(frozen=True)
class Touch:
    """At one point: how deep, how hard, and where."""

    depth: Scalar
    normal_force: Scalar
    force: Vec3
    """Of the ground on the body, in W: normal force and friction."""
    here: Place
    """The point that touches, fixed to the body."""


@dataclass(frozen=True)
class GroundContact:
    """Points of frames that a plane holds up, or spheres about them with a `radius`."""

    frames: str | tuple[str, ...]
    stiffness: Number
    """k [N/mⁿ]; what presses with f at rest is (f/k)^(1/n) deep."""
    dissipation: Number = 1.0
    """c [s/m]; the restitution of slow blows is 1 − ⅔ c v, whatever n."""
    friction: Number = 0.8
    """μ"""
    slip: Number = 0.01
    """[m/s]"""
    radius: Number = 0.0
    """[m]"""
    points: tuple[Any, ...] = ((0.0, 0.0, 0.0),)
    """In each of the frames [m]."""
    plane: Plane = field(default_factory=Plane)
    exponent: float = 1.5
    """n; 1.5 is Hertz's, of a sphere."""

    def __post_init__(self) -> None:
        frames = (self.frames,) if isinstance(self.frames, str) else tuple(self.frames)
        if not frames:
            raise ArgumentError("GroundContact has no frames", do="name those that may touch the ground")
        object.__setattr__(self, "frames", frames)
        refuse_zero(self, "stiffness", "slip", "exponent")
        refuse_below(self, 0.0, "dissipation", "friction", "radius")
        if not isinstance(self.plane, Plane):
            raise ArgumentError(
                f"plane of GroundContact is a {type(self.plane).__name__}", do="pass forces.Plane(…)"
            )
        points = []
        for k, point in enumerate(self.points):
            entries = (
                tuple(plain(x) for x in point) if isinstance(point, (Vec3, Sequence)) else _entries(point)
            )
            if len(entries) != 3:
                raise ArgumentError(
                    f"points[{k}] of GroundContact is {point!r}", do="give each point three coordinates"
                )
            points.append(Vec3(*entries))
        object.__setattr__(self, "points", tuple(points))

    @classmethod
    def of_shapes(
        cls, model: Model, stiffness: Number, *, bodies: Sequence[str] | None = None, **options: Any
    ) -> tuple[GroundContact, ...]:
        """From the collision shapes of a model, or of some bodies: spheres, ends of capsules, corners of boxes."""
        model = getattr(model, "model", model)
        found: dict[tuple[str, float], list[Vec3]] = {}
        for shape in model.shapes:
            if shape.body == WORLD or shape.role == "visual":
                continue
            body = model.bodies[shape.body].name
            if bodies is None or body in bodies:
                radius, points = _touching_points(model, body, shape)
                found.setdefault((body, radius), []).extend(shape.X_BG.apply(point) for point in points)
        if not found:
            raise ArgumentError(
                f"{model.name} has no collision shapes{' on these bodies' if bodies is not None else ''}",
                do="give points: GroundContact(frames, stiffness, points=…)",
            )
        return tuple(
            cls(body, stiffness, radius=radius, points=tuple(points), **options)
            for (body, radius), points in found.items()
        )

    def __call__(self, state: State) -> dict[str, Wrench]:
        found: dict[str, Wrench] = {}
        ground = self._plane(state)
        for frame, touch in self._touches(state, ground):
            _add(found, frame, touch.force, cross(touch.here.arm, touch.force))
            if self.plane.frame != "world":
                origin = ground.p - ground.arm
                _add(found, self.plane.frame, -touch.force, -cross(touch.here.p - origin, touch.force))
        return found

    def touches(self, state: State) -> list[Touch]:
        """One for each point of each frame, touching or not."""
        return [touch for _, touch in self._touches(state, self._plane(state))]

    def normal_forces(self, state: State) -> list[Scalar]:
        """f_n of each point; to be recorded: record={"contact": ground.normal_forces}. [N]"""
        return [touch.normal_force for touch in self.touches(state)]

    def potential_energy(self, state: State) -> Scalar:
        """What is pressed holds. [J]"""
        k = given(state.p, self.stiffness)
        return sum((pressed_energy(touch.depth, k, self.exponent) for touch in self.touches(state)), 0.0)

    def _plane(self, state: State) -> Place:
        return place(state, self.plane.frame, self.plane.point)

    def _touches(self, state: State, ground: Place) -> list[tuple[str, Touch]]:
        normal = self.plane.normal
        if self.plane.frame != "world":
            normal = state.moving.place(state.model, self.plane.frame).R @ normal
        p = state.p
        k, c, mu, slip, radius = (
            given(p, x) for x in (self.stiffness, self.dissipation, self.friction, self.slip, self.radius)
        )
        found = []
        for frame in self.frames:
            for point in self.points:
                here = _lowered(place(state, frame, point), normal * radius)
                apart = here.p - ground.p
                relative = here.v - ground.v - cross(ground.w, apart)
                depth, rate = -dot(normal, apart), -dot(normal, relative)
                f_n = pressing(depth, rate, k, c, self.exponent)  # (1)
                along = relative + normal * rate
                f = normal * f_n - along * (mu * f_n / sqrt(dot(along, along) + slip * slip))  # (2)
                found.append((frame, Touch(depth, f_n, f, here)))
        return found


def _lowered(center: Place, down: Vec3) -> Place:
    """The point of a sphere's surface that is nearest to the plane, as it moves with the body."""
    return Place(center.p - down, center.v - cross(center.w, down), center.arm - down, center.w)


def _add(found: dict[str, Wrench], frame: str, f: Vec3, t: Vec3) -> None:
    f0, t0 = found.get(frame, (ZERO, ZERO))
    found[frame] = (f0 + f, t0 + t)


def _entries(point: Any) -> tuple[Any, ...]:
    try:
        return tuple(plain(x) for x in point)
    except TypeError:
        return ()


def _touching_points(model: Model, body: str, shape: Any) -> tuple[float, list[Vec3]]:
    """Radius and centres, in the shape's frame."""
    if shape.kind == "sphere":
        return shape.size[0], [Vec3(0.0, 0.0, 0.0)]
    if shape.kind == "capsule":
        half = shape.size[1] / 2
        return shape.size[0], [Vec3(0.0, 0.0, half), Vec3(0.0, 0.0, -half)]
    if shape.kind == "box":
        x, y, z = (side / 2 for side in shape.size)
        return 0.0, [Vec3(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    raise ArgumentError(
        f"body {body!r} of {model.name} has a {shape.kind} to collide with, of which contact knows nothing",
        do="name bodies with spheres, capsules and boxes in bodies=, and give points of others yourself",
    )
