"""The two steppers that need no group: semi-implicit Euler, and Runge and Kutta's classical one."""

from __future__ import annotations

from quatrain.equations.stepping.nested import Nested, added, mapped
from quatrain.equations.stepping.system import System, field, moved
from quatrain.scalar import Scalar


def semi_implicit_euler(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> tuple[Nested, Nested]:
    """v₁ = v₀ + h v̇(t₀, q₀, v₀), then q₁ = q₀ ⊕ h v₁. Order 1; cheap, and it does not blow up easily."""
    v1 = added(v, system.acceleration(t, q, v), h)
    return system.space.project(moved(system, q, v1, h), v1)


def rk4(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> tuple[Nested, Nested]:
    """The classical method on (q, v) with quaternions as four numbers, projected after the step. Order 4.

    Within the step a quaternion leaves the unit sphere by O(h²); the rates go on there smoothly, so the
    order is kept. Kutta 1901; Hairer, Nørsett, Wanner, Solving ODEs I, table II.1.2.
    """
    y, half = (q, v), h / 2
    k1 = field(system, t, y)
    k2 = field(system, t + half, added(y, k1, half))
    k3 = field(system, t + half, added(y, k2, half))
    k4 = field(system, t + h, added(y, k3, h))
    sixth = h / 6
    q1, v1 = mapped(lambda x, a, b, c, d: x + (a + (b + c) * 2 + d) * sixth, y, k1, k2, k3, k4)
    return system.space.project(q1, v1)
