"""Values that a stepper carries beside a motion: momenta of wheels, work done, impulse given."""

from __future__ import annotations

from collections.abc import Callable

from quatrain.equations.stepping.nested import Nested, mapped, scaled
from quatrain.equations.stepping.system import Space, System
from quatrain.scalar import Scalar


def carrying(space: Space) -> Space:
    """The same configurations with velocities (v, x): x has a rate and moves nothing."""

    def project(q: Nested, v: Nested) -> tuple[Nested, Nested]:
        q, first = space.project(q, v[0])
        return q, (first, v[1])

    return Space(
        advance=lambda q, delta: space.advance(q, delta[0]),
        rate=lambda q, v: space.rate(q, v[0]),
        project=project,
        bracket=lambda u, v: (space.bracket(u[0], v[0]), mapped(lambda _: 0, v[1])),
        cayley=lambda delta: (space.cayley(delta[0]), delta[1]),
    )


# Integrals may grow far beyond the motion's own numbers. They are carried this much smaller, exactly, so
# that they do not weigh where a tolerance or an iteration looks at the size of all numbers.
_SMALL = 2.0**-30


def with_integrals(system: System, rates: Callable[[Scalar, Nested, Nested], Nested]) -> System:
    """The system with integrals of rates(t, q, v) beside it: its velocity is (v, x), x read by `integrals`.

    Adaptive methods choose their steps by the motion alone.
    """

    def acceleration(t: Scalar, q: Nested, v: Nested) -> tuple[Nested, Nested]:
        return system.acceleration(t, q, v[0]), scaled(rates(t, q, v[0]), _SMALL)

    return System(carrying(system.space), acceleration)


def integrals(carried: Nested) -> Nested:
    """The integrals since the start, where x began with zeros."""
    return scaled(carried, 1 / _SMALL)
