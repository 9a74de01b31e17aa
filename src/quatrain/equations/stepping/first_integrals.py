"""Projection on a first integral: of a body without torque the angular momentum in space is known beforehand.

A stepper of order n loses it by O(hⁿ), although nothing acts. After each step the attitude is turned, by as
little as that, until the momentum that the body's rates give points where it must: the order stays, and the
direction is kept to rounding. Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.4.
"""

from __future__ import annotations

from quatrain.equations.stepping.nested import Nested
from quatrain.equations.stepping.system import ROTATIONS, Space, System, unit
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.scalar import sqrt, where


def turned_to(q_WB: Quaternion, a_B: Vec3, b_W: Vec3) -> Quaternion:
    """The nearest attitude in which R a_B points along b_W; q itself where either is zero.

    The least turn from a to b is (|a||b| + a·b, a × b), normalised.
    """
    a_W = q_WB.rotate(a_B)
    size = sqrt(a_W.norm_squared() * b_W.norm_squared())
    turn = Quaternion.from_parts(size + dot(a_W, b_W), cross(a_W, b_W))
    turned = turn @ q_WB
    return Quaternion(*(where(size > 0, x, y) for x, y in zip(unit(turned), q_WB, strict=True)))


def keeping_momentum(system: System, inertia: SymMat3) -> System:
    """The system of a rotating or free body without torque, its configuration (q, H) or (X, H), with H_W constant.

    `inertia` is about the point that the momentum is taken about, the fixed point or the centre of mass, and
    the origin of X must be that point.
    """
    space = system.space

    def project(q: Nested, v: Nested) -> tuple[Nested, Nested]:
        H_W = q[1]
        done, rates = space.project(q[0], v)
        if space is ROTATIONS:
            return (turned_to(done, inertia @ rates, H_W), H_W), rates
        return (Pose(turned_to(done.q, inertia @ rates[1], H_W), done.p), H_W), rates

    carried = Space(
        advance=lambda q, d: (space.advance(q[0], d), q[1]),
        rate=lambda q, v: (space.rate(q[0], v), Vec3.zero()),
        project=project,
        bracket=space.bracket,
        cayley=space.cayley,
    )
    return System(carried, lambda t, q, v: system.acceleration(t, q[0], v))
