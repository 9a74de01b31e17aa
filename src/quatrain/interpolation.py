"""Between rotations: spherical interpolation, smooth splines, and means."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.errors import ArgumentError, require
from quatrain.geometry import Matrix, Quaternion
from quatrain.geometry.quaternion import direction_of_outer_product
from quatrain.geometry.vec3 import refuse_zero
from quatrain.scalar import Scalar, epsilon, first_true, logical_not


def slerp(a: Quaternion, b: Quaternion, t: Scalar, *, shortest: bool = True) -> Quaternion:
    """From a at t = 0 to b at t = 1 at constant angular velocity: a ∘ (ā ∘ b)^t.

    The shorter way unless `shortest=False`, which goes to b with the sign it has.
    """
    require(a, Quaternion, "a")
    require(b, Quaternion, "b")
    refuse_zero(a.norm_squared(), "a")
    refuse_zero(b.norm_squared(), "b")
    turn = a.conjugate() @ (b.aligned_with(a) if shortest else b)
    return a @ turn**t


def squad(a: Quaternion, b: Quaternion, s_a: Quaternion, s_b: Quaternion, t: Scalar) -> Quaternion:
    """A curve from a to b that joins its neighbours with continuous angular velocity.

    s_a and s_b are the control points at a and b (`squad_control_point`). Shoemake 1987.
    """
    straight = slerp(a, b, t, shortest=False)
    bent = slerp(s_a, s_b, t, shortest=False)
    return slerp(straight, bent, 2 * t * (1 - t), shortest=False)


def squad_control_point(before: Quaternion, here: Quaternion, after: Quaternion) -> Quaternion:
    """q ∘ exp(−¼ (log(q̄ ∘ q₊) + log(q̄ ∘ q₋))): the curve passes q with the mean of its neighbours' rates.

    The three must have the signs along which one is the nearest of the next (`aligned_with`).
    """
    back = here.conjugate()
    return here @ (((back @ after).log() + (back @ before).log()) / -4).exp()


def weighted_mean(rotations: Sequence[Quaternion], weights: Sequence[Scalar] | None = None) -> Quaternion:
    """The rotation with the least weighted sum of squared chordal distances; signs do not matter.

    It is the leading eigenvector of K = Σ w q qᵀ (Markley et al. 2007). Each squaring of K squares the
    ratio of its eigenvalues, until the leading one stands alone. Where it does not, because two
    directions are equally near to 1e-5 or so, the mean is not determined: an error where values are known.
    """
    if isinstance(rotations, Quaternion):
        raise ArgumentError(
            "rotations is one Quaternion",
            do="pass a list of them; those that hold columns are averaged row by row",
        )
    if len(rotations) == 0:
        raise ArgumentError("there are no rotations to average", do="pass at least one Quaternion")
    weights = [1.0] * len(rotations) if weights is None else weights
    if not hasattr(weights, "__len__"):
        raise ArgumentError(f"weights is {weights!r}, not a list", do="pass one weight for each rotation")
    if len(weights) != len(rotations):
        raise ArgumentError(
            f"there are {len(rotations)} rotations and {len(weights)} weights",
            do="pass one weight for each rotation",
        )
    K = Matrix(((0,) * 4,) * 4)
    for i, (q, weight) in enumerate(zip(rotations, weights, strict=True)):
        require(q, Quaternion, f"rotations[{i}]")
        refuse_zero(q.norm_squared(), f"rotations[{i}]")
        if first_true(logical_not(weight >= 0)) is not None:
            raise ArgumentError(f"weights[{i}] is negative or NaN", do="pass weights of zero or more")
        column = Matrix.of(q)
        K = K + column @ column.T * weight
    if first_true(logical_not(_trace(K) > 0)) is not None:
        raise ArgumentError("all weights are zero", do="give at least one rotation a positive weight")
    for _ in range(_SQUARINGS):
        K = K * (1 / _trace(K))  # so that its powers neither grow nor fade
        K = K @ K
    K = K * (1 / _trace(K))
    purity = _trace(K @ K)  # 1 for a matrix of rank one, less for any other
    place = first_true(logical_not(1 - purity <= 1000 * epsilon(purity)))
    if place is not None:
        raise ArgumentError(
            f"the mean of these rotations{f' at index {place}' if place else ''} is not determined: they spread "
            "so far that two directions are equally near",
            do="average rotations that lie nearer to one another, or give them different weights",
        )
    return direction_of_outer_product(*(Quaternion(*row) for row in K.rows))


_SQUARINGS = 20


def _trace(K: Matrix) -> Scalar:
    return K.rows[0][0] + K.rows[1][1] + K.rows[2][2] + K.rows[3][3]
