"""Explicit Runge–Kutta methods whose stages stay on the group: by its algebra, and by products of motions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from quatrain.equations.stepping.nested import Nested, added, mapped, number, scaled, weighted_sum
from quatrain.equations.stepping.system import Space, System
from quatrain.scalar import Scalar


def inverse_of_right_jacobian(space: Space, theta: Nested, v: Nested) -> Nested:
    """Θ̇ of q = q₀ ⊕ Θ that moves with body velocity v, to second order in Θ: v + ½[Θ, v] + ¹⁄₁₂[Θ, [Θ, v]].

    It is dexp⁻¹ at −Θ, because v stands on the right, Σ Bₖ/k! (−1)ᵏ adᵏ. What is left out is of fourth
    order, since B₃ = 0.
    """
    once = space.bracket(theta, v)
    twice = space.bracket(theta, once)
    return mapped(lambda a, b, c: a + b / 2 + c / 12, v, once, twice)


def rkmk4(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> tuple[Nested, Nested]:
    """Runge–Kutta–Munthe-Kaas: the classical method on the algebra, q₁ = q₀ ⊕ Θ. Order 4.

    The truncated dexp⁻¹ leaves an error of O(h⁴) in Θ̇, so O(h⁵) in a step. Munthe-Kaas, Appl. Numer.
    Math. 29 (1999) 115; Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8.
    """
    space, half = system.space, h / 2

    def slope(c: Scalar, theta: Nested, u: Nested) -> tuple[Nested, Nested]:
        acceleration = system.acceleration(t + c, space.advance(q, theta), u)
        return inverse_of_right_jacobian(space, theta, u), acceleration

    def stage(k: tuple[Nested, Nested], c: Scalar) -> tuple[Nested, Nested]:
        return slope(c, scaled(k[0], c), added(v, k[1], c))

    k1 = (v, system.acceleration(t, q, v))
    k2 = stage(k1, half)
    k3 = stage(k2, half)
    k4 = stage(k3, h)
    sixth = h / 6
    theta, dv = mapped(lambda a, b, c, d: (a + (b + c) * 2 + d) * sixth, k1, k2, k3, k4)
    return space.project(space.advance(q, theta), added(v, dv))


# Crouch and Grossman, J. Nonlinear Sci. 3 (1993) 1: three stages, order 3; here the solution that is
# printed in Hairer, Lubich, Wanner, Geometric Numerical Integration, table IV.8.1 (second).
_ORDER_3 = (
    ((), (Fraction(3, 4),), (Fraction(119, 216), Fraction(17, 108))),
    (Fraction(13, 51), Fraction(-2, 3), Fraction(24, 17)),
)

# Jackiewicz, Marthinsen, Owren, Adv. Comput. Math. 13 (2000) 405; Owren, Marthinsen, BIT 39 (1999) 116:
# five stages, order 4, to the sixteen digits that are printed.
_ORDER_4 = (
    (
        (),
        (Fraction("0.8177227988124852"),),
        (Fraction("0.3199876375476427"), Fraction("0.0659864263556022")),
        (Fraction("0.9214417194464946"), Fraction("0.4997857776773573"), Fraction("-1.0969984448371582")),
        (
            Fraction("0.3552358559023322"),
            Fraction("0.2390958372307326"),
            Fraction("1.3918565724203246"),
            Fraction("-1.1092979392113465"),
        ),
    ),
    (
        Fraction("0.1370831520630755"),
        Fraction("-0.0183698531564020"),
        Fraction("0.7397813985370780"),
        Fraction("-0.1907142565505889"),
        Fraction("0.3322195591068374"),
    ),
)


def _crouch_grossman(
    tableau: tuple[Sequence[Sequence[Fraction]], Sequence[Fraction]],
    system: System,
    t: Scalar,
    q: Nested,
    v: Nested,
    h: Scalar,
) -> tuple[Nested, Nested]:
    """Each stage is a product of motions, q ⊕ h aᵢ₁V₁ ⊕ h aᵢ₂V₂ …; velocities of the body multiply on the right."""
    rows, weights = tableau
    velocities: list[Nested] = []
    accelerations: list[Nested] = []

    def at(coefficients: Sequence[Fraction]) -> tuple[Nested, Nested]:
        place, speed = q, v
        for a, velocity in zip(coefficients, velocities, strict=True):
            place = system.space.advance(place, scaled(velocity, number(a, h) * h))
        if coefficients:
            speed = added(v, weighted_sum(coefficients, accelerations, h))
        return place, speed

    for row in rows:
        place, speed = at(row)
        acceleration = system.acceleration(t + number(Fraction(sum(row)), h) * h, place, speed)
        velocities.append(speed)
        accelerations.append(acceleration)
    return system.space.project(*at(weights))


def crouch_grossman3(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> tuple[Nested, Nested]:
    """Crouch and Grossman's method of order 3, three stages and six motions."""
    return _crouch_grossman(_ORDER_3, system, t, q, v, h)


def crouch_grossman4(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> tuple[Nested, Nested]:
    """Crouch and Grossman's method of order 4, five stages and fifteen motions."""
    return _crouch_grossman(_ORDER_4, system, t, q, v, h)
