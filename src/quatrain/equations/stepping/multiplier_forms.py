"""Systems in (q, q̇) from any form of the equations that gives q̈: Euler parameters, absolute coordinates.

Such a form keeps the quaternions on the unit sphere only as well as the stepper does, and the forms
differ in what they do off it (Euler parameters, section 8). Five ways to deal with that; each makes a
`System`, so that any stepper may follow.

q and q̇ are built alike: a quaternion, or tuples and dataclasses that hold quaternions among other things.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from quatrain.equations.stepping.nested import Nested, parts, rebuilt
from quatrain.equations.stepping.system import LINEAR, System, unit
from quatrain.geometry import Quaternion, dot
from quatrain.scalar import Scalar

Form = Callable[[Scalar, Nested, Nested], Nested]
"""(t, q, q̇) → q̈"""


def _at_quaternions(
    change: Callable[..., tuple[Nested, ...]], results: int, *values: Nested
) -> tuple[Nested, ...]:
    """The change applied to corresponding quaternions; everything else stays as it is."""
    if isinstance(values[0], Quaternion):
        return change(*values)
    inner = [parts(value) for value in values]
    if inner[0] is None:
        return values[:results]
    columns = zip(*(entries or () for entries in inner), strict=True)
    done = [_at_quaternions(change, results, *column) for column in columns]
    return tuple(rebuilt(values[k], [entry[k] for entry in done]) for k in range(results))


def on_unit_sphere(q: Nested, dq: Nested) -> tuple[Nested, Nested]:
    """q/|q|, and q̇ without its part along q: position and velocity together.

    |q̇| is not divided by |q| as well; that would keep the physical rate instead of 2 L q̇, at a few times
    the error in energy (section 8).
    """

    def both(p: Quaternion, dp: Quaternion) -> tuple[Quaternion, Quaternion]:
        u = unit(p)
        return u, dp - u * dot(u, dp)

    q1, dq1 = _at_quaternions(both, 2, q, dq)
    return q1, dq1


def position_on_unit_sphere(q: Nested, dq: Nested) -> tuple[Nested, Nested]:
    """q/|q| with q̇ as it is: far worse than nothing, and here to show it (section 13)."""
    (q1,) = _at_quaternions(lambda p: (unit(p),), 1, q)
    return q1, dq


def plain(form: Form) -> System:
    """Nothing is done about the norm."""
    return System(LINEAR, form)


def renormalised(form: Form) -> System:
    """Position and velocity are projected together after each step."""
    return System(replace(LINEAR, project=on_unit_sphere), form)


def position_renormalised(form: Form) -> System:
    """Position alone is projected after each step: the mistake to compare with."""
    return System(replace(LINEAR, project=position_on_unit_sphere), form)


def projected(form: Form) -> System:
    """Position and velocity are projected after each step and wherever the form is asked.

    Off the unit sphere it is never asked, so all forms give one and the same motion.
    """
    space = replace(LINEAR, rate=lambda q, dq: on_unit_sphere(q, dq)[1], project=on_unit_sphere)
    return System(space, lambda t, q, dq: form(t, *on_unit_sphere(q, dq)))


def baumgarte(form: Form, *, damping: Scalar, stiffness: Scalar) -> System:
    """The form with a restoring term along q: the violation c = ½(qᵀq − 1) is pulled to zero.

    q̈ − q (2γ ċ + κ² c)/qᵀq, with ċ = qᵀq̇; a form that keeps c̈ = 0 by itself, S(34) or S(39) solved, then
    has c̈ + 2γ ċ + κ² c = 0. γ is `damping`, κ `stiffness` [1/s]; γ = κ returns fastest without overshoot.
    Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972) 1.
    """

    def corrected(p: Quaternion, dp: Quaternion, ddp: Quaternion) -> tuple[Quaternion]:
        s = dot(p, p)
        return (ddp - p * ((dot(p, dp) * (2 * damping) + (s - 1) * (stiffness * stiffness / 2)) / s),)

    def stabilised(t: Scalar, q: Nested, dq: Nested) -> Nested:
        (ddq,) = _at_quaternions(lambda ddp, p, dp: corrected(p, dp, ddp), 1, form(t, q, dq), q, dq)
        return ddq

    return System(LINEAR, stabilised)
