"""A smooth one-sided force: what two bodies that press on one another do, be it a foot on the ground or a stop.

    f = k δⁿ (1 + c δ̇) while δ > 0 and f > 0, else 0

δ is how far one is in the other. It begins and ends at zero, so nothing jumps, and takes energy at every blow: for
slow ones the restitution is 1 − ⅔ c v.

K. H. Hunt, F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Applied Mechanics
42 (1975) 440.
"""

from __future__ import annotations

from quatrain.scalar import Scalar, greater, logical_and, maximum, power, sqrt, where


def pressing(depth: Scalar, rate: Scalar, stiffness: Scalar, dissipation: Scalar, exponent: float) -> Scalar:
    """f for a depth δ [m or rad] and its rate."""
    touching = greater(depth, 0.0)
    # A depth of 1 where there is none, so that derivatives exist on the side that is not taken.
    force = _to_the(where(touching, depth, 1.0), exponent) * stiffness
    return where(touching, maximum(force * (rate * dissipation + 1.0), 0.0), 0.0)


def pressing_slopes(
    depth: Scalar, rate: Scalar, stiffness: Scalar, dissipation: Scalar, exponent: float
) -> tuple[Scalar, Scalar]:
    """∂f/∂δ and ∂f/∂δ̇."""
    touching = greater(depth, 0.0)
    inside = where(touching, depth, 1.0)
    force = _to_the(inside, exponent) * stiffness
    factor = rate * dissipation + 1.0
    pushes = logical_and(touching, greater(factor, 0.0))
    return where(pushes, force * factor * exponent / inside, 0.0), where(pushes, force * dissipation, 0.0)


def pressed_energy(depth: Scalar, stiffness: Scalar, exponent: float) -> Scalar:
    """k δⁿ⁺¹/(n + 1): what it holds. [J]"""
    touching = greater(depth, 0.0)
    inside = where(touching, depth, 1.0)
    return where(touching, _to_the(inside, exponent) * inside * stiffness / (exponent + 1.0), 0.0)


def _to_the(x: Scalar, exponent: float) -> Scalar:
    if exponent == 1.0:
        return x
    if exponent == 1.5:
        return x * sqrt(x)
    return x * x if exponent == 2.0 else power(x, exponent)


def against(speed: Scalar, slip: Scalar) -> Scalar:
    """v/√(v² + s²): the sign of v but for a smooth change, 99.5 % of it at ten times the speed s."""
    return speed / sqrt(speed * speed + slip * slip)
