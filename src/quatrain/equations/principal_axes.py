"""Principal axes of an inertia: the eigenproblem of a symmetric 3×3 matrix, on any scalar."""

from __future__ import annotations

from quatrain.errors import require
from quatrain.geometry import Mat3, SymMat3, Vec3
from quatrain.scalar import Scalar, abs, sqrt, where

# Cyclic Jacobi turns three planes a sweep and converges quadratically in the end: four sweeps bring the worst
# matrices tried to 16 digits, five to 50. The number is fixed, so that nothing branches on a value.
_SWEEPS = 6

Triple = tuple[Scalar, Scalar, Scalar]
Axes = tuple[Vec3, Vec3, Vec3]


def principal_axes(I_B: SymMat3, *, ascending: bool = False) -> tuple[Vec3, Mat3]:
    """The principal moments and R_BP, whose columns are the principal axes: Uᵀ I U = diag(I₁, I₂, I₃), U = R_BP.

    R_BP is a rotation: every step is one, so det U = +1. A diagonal matrix comes back as it is, with the
    given axes. `ascending` sorts the moments, I₁ ≤ I₂ ≤ I₃, again by turning. Axes that belong to equal
    moments are any of those there are, and have no derivative.

    Equations: Y(60), Y(61)
    Corrected Y(61): U must also satisfy det U = +1; with −1 the new triad is left-handed.
    """
    require(I_B, SymMat3, "I_B")
    moments = (I_B.xx, I_B.yy, I_B.zz)
    products = (I_B.yz, I_B.xz, I_B.xy)
    axes = Mat3.identity().columns
    for _ in range(3 * _SWEEPS):
        moments, products, axes = _diagonal_in_one_plane(moments, products, axes)
    if ascending:
        for i in (0, 1, 0):
            moments, axes = _in_order(moments, axes, i)
    return Vec3(*moments), Mat3.from_columns(*axes)


def _diagonal_in_one_plane(moments: Triple, products: Triple, axes: Axes) -> tuple[Triple, Triple, Axes]:
    """Turns axes 1 and 2 so that I₁₂ vanishes, then calls axes 2, 3, 1 by the names 1, 2, 3.

    Of the two turns by θ, tan 2θ = 2 I₁₂ / (I₂ − I₁), it takes the one of at most 45°. Products stand
    in the order I₂₃, I₃₁, I₁₂.
    """
    (I1, I2, I3), (I23, I31, I12), (e1, e2, e3) = moments, products, axes
    size = abs(I2 - I1) + abs(I12)
    size = where(size > 0, size, 1.0)  # the quotients below neither overflow nor divide by zero
    difference, twice = (I2 - I1) / size, I12 * 2 / size
    square = difference * difference + twice * twice
    root = sqrt(where(square > 0, square, 1.0))
    t = where(difference < 0, -twice, twice) / (abs(difference) + root)
    c = 1 / sqrt(1 + t * t)
    s = t * c
    return (
        (I2 + I12 * t, I3, I1 - I12 * t),
        (I31 * c - I23 * s, 0, I31 * s + I23 * c),
        (e1 * s + e2 * c, e3, e1 * c - e2 * s),
    )


def _in_order(moments: Triple, axes: Axes, i: int) -> tuple[Triple, Axes]:
    """Where moment i is greater than the next, a quarter turn exchanges the two: (e, f) becomes (f, −e)."""
    m, e = list(moments), list(axes)
    (a, b), (p, q) = m[i : i + 2], e[i : i + 2]
    turn = a > b
    m[i], m[i + 1] = where(turn, b, a), where(turn, a, b)
    e[i] = Vec3(*(where(turn, new, old) for new, old in zip(q, p, strict=True)))
    e[i + 1] = Vec3(*(where(turn, -new, old) for new, old in zip(p, q, strict=True)))
    return (m[0], m[1], m[2]), (e[0], e[1], e[2])
