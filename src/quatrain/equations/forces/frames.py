"""Springs and dampers between two places: along the line between them, or in all six directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quatrain.equations.forces.numbers import (
    Number,
    for_each,
    given,
    own_numbers,
    own_vector,
    refuse_below,
)
from quatrain.equations.inverse_dynamics import Wrench
from quatrain.equations.kinematics import frame_pose, frame_velocity
from quatrain.equations.tree_motion import State
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3, cross, dot
from quatrain.scalar import Scalar, greater, sqrt, where


@dataclass(frozen=True)
class Place:
    """A point fixed to a frame: where it is in W, how fast, and its arm from the frame's origin."""

    p: Vec3
    v: Vec3
    arm: Vec3
    w: Vec3


def place(state: State, frame: str, at: Vec3) -> Place:
    """Of the point that has the coordinates `at` in the frame."""
    standing = state.moving.place(state.model, frame)
    arm = standing.R @ at
    v, w = state.moving.velocity(state.model, frame, at)
    return Place(standing.p + arm, v, arm, w)


@dataclass(frozen=True)
class Spring:
    """Pulls two points together along their line: f = k (l − length) + d l̇. [N]"""

    frame: str
    other: str = "world"
    stiffness: Number = 0.0
    """k [N/m]"""
    length: Number = 0.0
    """Where it is slack [m]."""
    damping: Number = 0.0
    """d [N s/m]"""
    at: Any = (0.0, 0.0, 0.0)
    """The point on the frame, and on the other one."""
    to: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _refuse_one_frame(self)
        refuse_below(self, 0.0, "stiffness", "length", "damping")
        own_vector(self, "at")
        own_vector(self, "to")

    def __call__(self, state: State) -> dict[str, Wrench]:
        here, there = place(state, self.frame, self.at), place(state, self.other, self.to)
        apart, length, direction = self._apart(state)
        rate = dot(direction, here.v - there.v)
        stiffness, damping = given(state.p, self.stiffness), given(state.p, self.damping)
        if isinstance(self.length, (int, float)) and self.length == 0:
            f = -(apart * stiffness + direction * (rate * damping))
        else:
            f = -(direction * (stiffness * (length - given(state.p, self.length)) + rate * damping))
        return {self.frame: (f, cross(here.arm, f)), self.other: (-f, -cross(there.arm, f))}

    def potential_energy(self, state: State) -> Scalar:
        """½ k (l − length)² [J]"""
        stretch = self._apart(state)[1] - given(state.p, self.length)
        return given(state.p, self.stiffness) * stretch * stretch * 0.5

    def _apart(self, state: State) -> tuple[Vec3, Scalar, Vec3]:
        """From the other point to this one: vector, length, direction; without length there is no direction."""
        apart = place(state, self.frame, self.at).p - place(state, self.other, self.to).p
        square = dot(apart, apart)
        some = greater(square, 0.0)
        length = sqrt(where(some, square, 1.0))
        return apart, where(some, length, 0.0), apart / length


@dataclass(frozen=True)
class Bushing:
    """Holds frame B near frame A in every direction, by springs and dampers in A's axes:

        f = −K p − D ṗ on B at its origin,    t = −k_r θ − d_r ω

    p is where B's origin is seen from A, θ the rotation vector of B in A, ω its rate. A feels the opposite.
    """

    frame: str
    """B"""
    other: str = "world"
    """A"""
    stiffness: Number | tuple[Number, ...] = 0.0
    """K: one number, or one for each axis of A [N/m]."""
    damping: Number | tuple[Number, ...] = 0.0
    """D [N s/m]"""
    turning_stiffness: Number = 0.0
    """k_r [N m/rad]"""
    turning_damping: Number = 0.0
    """d_r [N m s/rad]"""

    def __post_init__(self) -> None:
        _refuse_one_frame(self)
        own_numbers(self, "stiffness", "damping")
        refuse_below(self, 0.0, "stiffness", "damping", "turning_stiffness", "turning_damping")

    def __call__(self, state: State) -> dict[str, Wrench]:
        model, q, v, p = state.model, state.q, state.v, state.p
        X_WA, X_AB = state.pose(self.other), frame_pose(model, q, self.frame, self.other)
        rate, w = frame_velocity(model, q, v, self.frame, relative_to=self.other)
        K, D = self._each(state, "stiffness"), self._each(state, "damping")
        f_A = -(Vec3(*(k * x for k, x in zip(K, X_AB.p, strict=True))))
        f_A = f_A - Vec3(*(d * x for d, x in zip(D, rate, strict=True)))
        turn = X_AB.q.to_rotation_vector()
        t_A = -(turn * given(p, self.turning_stiffness)) - w * given(p, self.turning_damping)
        f, t = X_WA.q.rotate(f_A), X_WA.q.rotate(t_A)
        back = X_WA.q.rotate(t_A + cross(X_AB.p, f_A))
        return {self.frame: (f, t), self.other: (-f, -back)}

    def potential_energy(self, state: State) -> Scalar:
        """½ pᵀ K p + ½ k_r |θ|² [J]"""
        X_AB = frame_pose(state.model, state.q, self.frame, self.other)
        K = self._each(state, "stiffness")
        linear = sum((k * x * x for k, x in zip(K, X_AB.p, strict=True)), 0.0)
        angular = X_AB.q.to_rotation_vector().norm_squared() * given(state.p, self.turning_stiffness)
        return (linear + angular) * 0.5

    def _each(self, state: State, name: str) -> list[Scalar]:
        return [given(state.p, x) for x in for_each(getattr(self, name), 3, self, name)]


def _refuse_one_frame(element: Spring | Bushing) -> None:
    if element.frame == element.other:
        raise ArgumentError(
            f"{type(element).__name__} joins {element.frame!r} to itself", do="name two frames"
        )
