"""The implicit midpoint rule on the group."""

from __future__ import annotations

from quatrain.equations.stepping.nested import Nested, added, mapped, scaled
from quatrain.equations.stepping.solving import Solver, fixed_point
from quatrain.equations.stepping.system import System
from quatrain.scalar import Scalar


def implicit_midpoint(
    system: System, t: Scalar, q: Nested, v: Nested, h: Scalar, *, solve: Solver | None = None
) -> tuple[Nested, Nested]:
    """v₁ = v₀ + h v̇(t + ½h, q_m, v_m), q₁ = q₀ ⊕ cay(h v_m), with v_m = ½(v₀ + v₁), q_m half-way. Order 2.

    It is symmetric in time. Of a torque-free body it keeps the energy and all three components of the
    angular momentum in space to rounding, at any step: J(ω₁ − ω₀) = h J ω_m × ω_m says J ω₁ = cay(h ω_m)ᵀ J ω₀,
    which is the turn of q. With the exponential in place of the Cayley map only its length would be kept.
    Lewis, Simo, J. Nonlinear Sci. 4 (1994) 253; Austin, Krishnaprasad, Wang, J. Comput. Phys. 107 (1993) 105.

    `solve` finds v_m (see `solving`); it must converge to rounding for the laws to hold to rounding.
    """
    space = system.space

    def following(v_m: Nested) -> Nested:
        q_m = space.advance(q, scaled(space.cayley(scaled(v_m, h)), 0.5))
        return added(v, system.acceleration(t + h / 2, q_m, v_m), h / 2)

    v_m = (solve or fixed_point())(following, v)
    v1 = mapped(lambda m, v0: m * 2 - v0, v_m, v)
    return space.project(space.advance(q, space.cayley(scaled(v_m, h))), v1)
