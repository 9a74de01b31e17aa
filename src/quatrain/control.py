"""What a user says of a run besides its start: control laws, events, and loads on a body. It loads nothing heavy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from quatrain.errors import ArgumentError, with_article
from quatrain.geometry import Vec3
from quatrain.scalar import Scalar

RISING, FALLING, EITHER = 1, -1, 0
"""Directions of an event, as those of `quatrain.equations.stepping`."""

LONGEST_DELAY = 1000
"""Of a law's answer, in steps: all that are on their way are carried from step to step."""


@dataclass(frozen=True)
class Control:
    """A control law and how it is run: asked every so many steps, its answer held in between.

    `law(t, q, v, x, p)` gives the input, or with a state of its own (input, next x). x begins with `start`:
    a number, an array, or a tuple or dict of these. p holds the run's parameters by name.
    """

    law: Callable[..., Any]
    start: Any = None
    every: int = 1
    delay: int = 0
    """Steps from when it is asked until its answer acts; before the first one the input is zero."""

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise ArgumentError(
                f"the control law is {with_article(type(self.law))}, which cannot be called",
                do="pass a function law(t, q, v, x, p) that gives the input",
            )
        refuse_other_arguments(self.law, "the control law", "t, q, v, x, p")
        if not isinstance(self.every, int) or self.every < 1:
            raise ArgumentError(
                f"a control law asked every {self.every!r} steps", do="give a whole number of steps from 1 up"
            )
        if not isinstance(self.delay, int) or not 0 <= self.delay <= LONGEST_DELAY:
            raise ArgumentError(
                f"a control law whose answer acts {self.delay!r} steps later",
                do=f"give a whole number of steps from 0 to {LONGEST_DELAY}",
            )


@dataclass(frozen=True)
class PythonLaw:
    """A law in plain Python, which may branch, print and call anything: see `python_law`."""

    law: Callable[..., Any]
    start: Any = None
    every: int = 1


def python_law(law: Callable[..., Any], *, start: Any = None, every: int = 1) -> PythonLaw:
    """A control law that is not traced: it is called in Python every so many steps, with arrays of the whole batch.

    `law(t, q, v, x, p)` is given q (..., nq) and v (..., nv), and gives joint forces (..., nv); with a state of its
    own, any object that begins as `start`, it gives (joint forces, next x). The kernel stops for each call, which takes
    some tens of microseconds besides the law's own time; `run.report()` says how long the law took.
    """
    Control(law, None, every)  # the same is refused
    return PythonLaw(law, start, every)


@dataclass(frozen=True)
class Event:
    """When `watch(t, q, v)` passes through zero: rising, falling or either way; at most so often for each motion."""

    watch: Callable[..., Scalar]
    direction: int = EITHER
    most: int = 64

    def __post_init__(self) -> None:
        if not callable(self.watch):
            raise ArgumentError(
                f"an event is {with_article(type(self.watch))}, which cannot be called",
                do="pass a function (t, q, v) whose value passes through zero when it happens",
            )
        refuse_other_arguments(self.watch, "an event", "t, q, v")
        if self.direction not in (RISING, FALLING, EITHER):
            raise ArgumentError(
                f"the direction of an event is {self.direction!r}",
                do="pass 1, rising; -1, falling; or 0, either",
            )
        if not isinstance(self.most, int) or self.most < 1:
            raise ArgumentError(
                f"an event is counted {self.most!r} times at most", do="give a whole number from 1 up"
            )


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a function can be called with so many arguments; one without a signature cannot be asked."""
    try:
        inspect.signature(function).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return True


def refuse_other_arguments(function: Callable[..., Any], what: str, *lists: str) -> None:
    """An error if a function takes none of these lists of arguments, where Python knows what it takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    if not any(takes(function, len(names.split(", "))) for names in lists):
        name = getattr(function, "__name__", type(function).__name__)
        asked = " or ".join(f"({names})" for names in lists)
        raise ArgumentError(
            f"{what} {name} takes {signature}, and is called with {asked}",
            do=f"write it with the arguments ({lists[0]}), used or not",
        )


class Velocity(NamedTuple):
    """`v`: the origin's velocity in W; `w`: the angular velocity in the body."""

    v: Vec3
    w: Vec3


class Wrench(NamedTuple):
    """`force` on the body in W, at its origin; `torque` about its origin in the body."""

    force: Vec3
    torque: Vec3
