"""What a stepper must know of a mechanical system: where it can be, how that moves, and its acceleration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quatrain.equations.stepping.nested import Nested, added, mapped, scaled
from quatrain.geometry import Pose, Quaternion, Vec3, cross
from quatrain.geometry.series import arctangent_quotient
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Space:
    """A space of configurations q, locally a group, with velocities v of its algebra in the body's axes.

    A velocity and an increment are built alike: q moves by `advance(q, v dt)`.
    """

    advance: Callable[[Nested, Nested], Nested]
    """(q, δ) → q ⊕ δ, the exact motion for unit time with the constant velocity δ."""
    rate: Callable[[Nested, Nested], Nested]
    """(q, v) → q̇ as numbers, built like q."""
    project: Callable[[Nested, Nested], tuple[Nested, Nested]]
    """(q, v) → the nearest (q, v) that is allowed; every step ends with it."""
    bracket: Callable[[Nested, Nested], Nested]
    """(u, v) → [u, v], the Lie bracket of the algebra: u × v of rotations, zero of a vector space."""
    cayley: Callable[[Nested], Nested]
    """δ → the increment whose exact motion is the Cayley map of δ; the midpoint rule needs it."""


@dataclass(frozen=True)
class System:
    """A space and the acceleration v̇(t, q, v), built like v."""

    space: Space
    acceleration: Callable[[Scalar, Nested, Nested], Nested]


def _as_they_are(q: Nested, v: Nested) -> tuple[Nested, Nested]:
    return q, v


def _zero(u: Nested, v: Nested) -> Nested:
    return mapped(lambda _: 0, v)


LINEAR = Space(
    advance=added, rate=lambda q, v: v, project=_as_they_are, bracket=_zero, cayley=lambda delta: delta
)
"""A vector space: q and v are built alike, of whatever parts."""


def unit(q: Quaternion) -> Quaternion:
    """q/|q| without a check: in a batch one element that has diverged must not stop the others."""
    return q / q.norm()


def rotation_cayley(turn: Vec3) -> Vec3:
    """The rotation vector of cay φ = (1 − ½[φ]×)⁻¹ (1 + ½[φ]×): along φ, by the angle 2 atan ½|φ|."""
    return turn * arctangent_quotient(turn.norm_squared() / 4, 1.0)


ROTATIONS = Space(
    advance=Quaternion.integrate,
    rate=Quaternion.derivative,
    project=lambda q, w: (unit(q), w),
    bracket=cross,
    cayley=rotation_cayley,
)
"""q: `q_WB`, v: `w_WB_B`."""


POSES = Space(
    advance=lambda X, d: Pose(X.q.integrate(d[1]), X.p + d[0]),
    rate=lambda X, v: Pose(X.q.derivative(v[1]), v[0]),
    project=lambda X, v: (Pose(unit(X.q), X.p), v),
    bracket=lambda u, v: (Vec3.zero(), cross(u[1], v[1])),
    cayley=lambda d: (d[0], rotation_cayley(d[1])),
)
"""q: `X_WB`, v: (`v_WB`, `w_WB_B`): the origin's velocity in the parent, the turning in the body.

Position and attitude move side by side, ℝ³ × SO(3), as the velocities of a free joint are defined.
"""


def product(*spaces: Space) -> Space:
    """Configurations and velocities are tuples, with an entry for each space."""

    def each(verb: str) -> Callable[..., Any]:
        verbs = [getattr(space, verb) for space in spaces]
        return lambda *values: tuple(f(*args) for f, *args in zip(verbs, *values, strict=True))

    project = each("project")

    def projected(q: Nested, v: Nested) -> tuple[Nested, Nested]:
        pairs = project(q, v)
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)

    return Space(each("advance"), each("rate"), projected, each("bracket"), each("cayley"))


def field(system: System, t: Scalar, y: tuple[Nested, Nested]) -> tuple[Nested, Nested]:
    """ẏ = (q̇, v̇) of y = (q, v), with q as numbers."""
    q, v = y
    return system.space.rate(q, v), system.acceleration(t, q, v)


def moved(system: System, q: Nested, v: Nested, h: Scalar) -> Nested:
    """q ⊕ v h"""
    return system.space.advance(q, scaled(v, h))
