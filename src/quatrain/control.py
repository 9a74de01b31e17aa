"""What a user says of a run besides its start: control laws, events, and loads on a body. It loads nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3
from quatrain.scalar import Scalar

RISING, FALLING, EITHER = 1, -1, 0
"""Directions of an event, as those of `quatrain.equations.stepping`."""


@dataclass(frozen=True)
class Control:
    """A control law and how it is run: asked every so many steps, its answer held in between.

    `law(t, q, v, x, p)` gives the input, or with a state of its own (input, next x). x begins with `start`:
    a number, an array, or a tuple or dict of these. p holds the run's parameters by name.
    """

    law: Callable[..., Any]
    start: Any = None
    every: int = 1

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise ArgumentError(
                f"the control law is a {type(self.law).__name__}, which cannot be called",
                do="pass a function law(t, q, v, x, p) that gives the input",
            )
        if not isinstance(self.every, int) or self.every < 1:
            raise ArgumentError(
                f"a control law asked every {self.every!r} steps", do="give a whole number of steps from 1 up"
            )


@dataclass(frozen=True)
class Event:
    """When `watch(t, q, v)` passes through zero: rising, falling or either way; at most so often for each motion."""

    watch: Callable[..., Scalar]
    direction: int = EITHER
    most: int = 64


class Velocity(NamedTuple):
    """`v`: the origin's velocity in W; `w`: the angular velocity in the body."""

    v: Vec3
    w: Vec3


class Wrench(NamedTuple):
    """`force` on the body in W, at its origin; `torque` about its origin in the body."""

    force: Vec3
    torque: Vec3
