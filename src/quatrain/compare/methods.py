"""The steppers by name, with one signature for all: those with a memory, and those that need the body itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quatrain.compare.motion import Motion
from quatrain.equations import stepping
from quatrain.equations.stepping.nested import Nested
from quatrain.equations.stepping.system import System
from quatrain.errors import ArgumentError
from quatrain.scalar import Scalar

Step = Callable[[Motion, System, Scalar, Nested, Nested, Nested, Scalar], tuple[Nested, Nested, Nested]]
"""(motion, system, t, q, v, memory, h) → the next (q, v, memory)"""


@dataclass(frozen=True)
class Method:
    """One stepper."""

    name: str
    order: int
    step: Step
    remembers: bool = False
    """Whether accelerations go from step to step."""
    needs_body: bool = False
    """Whether it is made for Newton and Euler's equations in q and ω alone."""


def _plain(stepper: Callable[..., tuple[Nested, Nested]]) -> Step:
    def step(
        motion: Motion, system: System, t: Scalar, q: Nested, v: Nested, memory: Nested, h: Scalar
    ) -> tuple[Nested, Nested, Nested]:
        return (*stepper(system, t, q, v, h), memory)

    return step


def _variational(
    motion: Motion, system: System, t: Scalar, q: Any, v: Any, memory: Nested, h: Scalar
) -> tuple[Nested, Nested, Nested]:
    # A torque may depend on the rate; only then the correction is worth its work.
    corrections = 0 if motion.torque is None or motion.potential is not None else 1
    body = motion.rotating_body()
    return (*stepping.variational_rotation(body, t, q, v, h, corrections=corrections), memory)


def _alpha(
    motion: Motion, system: System, t: Scalar, q: Nested, v: Nested, memory: Any, h: Scalar
) -> tuple[Nested, Nested, Nested]:
    return stepping.generalized_alpha(system, t, q, v, memory, h)


_TABLE = (
    Method("semi_implicit_euler", 1, _plain(stepping.semi_implicit_euler)),
    Method("rk4", 4, _plain(stepping.rk4)),
    Method("rkmk4", 4, _plain(stepping.rkmk4)),
    Method("crouch_grossman3", 3, _plain(stepping.crouch_grossman3)),
    Method("crouch_grossman4", 4, _plain(stepping.crouch_grossman4)),
    Method("implicit_midpoint", 2, _plain(stepping.implicit_midpoint)),
    Method("variational", 2, _variational, needs_body=True),
    Method("generalized_alpha", 2, _alpha, remembers=True),
    Method("dopri5", 5, _plain(stepping.dopri5)),
    Method("dop853", 8, _plain(stepping.dop853)),
)

METHODS = {method.name: method for method in _TABLE}


def method_of(name: object) -> Method:
    """The stepper of that name."""
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    raise ArgumentError(f"there is no stepper {name!r}", do=f"choose among: {', '.join(METHODS)}")
