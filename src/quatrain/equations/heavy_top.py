"""A heavy symmetric top on a fixed point: steady precession, and the upright sleeping top.

`weight_moment` is m g l, l being the distance of the centre of mass from the pivot; `transverse` and
`axial` are the moments of inertia about the pivot, A and C. The angles are those of "ZXZ": α̇ is the rate
of precession, β the nutation (zero upright), and ω₃ = γ̇ + α̇ cos β the rate about the top's own axis.
"""

from __future__ import annotations

from quatrain.scalar import Scalar, cos, sqrt, where


def steady_precession_residual(
    weight_moment: Scalar, transverse: Scalar, axial: Scalar, w3: Scalar, precession: Scalar, nutation: Scalar
) -> Scalar:
    """C ω₃ α̇ − A α̇² cos β − m g l: zero where the top precesses steadily at constant β.

    Equations: A(15)
    """
    return (
        axial * w3 * precession - transverse * precession * precession * cos(nutation) - weight_moment
    )  # A(15)


def steady_precession_spin(
    weight_moment: Scalar, transverse: Scalar, axial: Scalar, precession: Scalar, nutation: Scalar
) -> Scalar:
    """The ω₃ with which the top precesses steadily at the rate α̇, not zero, and constant β.

    Equations: A(15)
    """
    return (weight_moment / precession + transverse * precession * cos(nutation)) / axial  # A(15)


def slow_precession(
    weight_moment: Scalar, transverse: Scalar, axial: Scalar, w3: Scalar, nutation: Scalar
) -> Scalar:
    """Of the two rates α̇ of steady precession at ω₃ and β the slow one, near m g l / C ω₃ for a fast top.

    NaN where the top is too slow to precess steadily at this β. The fast one is m g l / (A cos β α̇).

    Equations: A(15)
    """
    momentum = axial * w3
    root = sqrt(momentum * momentum - 4 * transverse * weight_moment * cos(nutation))
    return 2 * weight_moment / (momentum + where(momentum < 0, -root, root))  # A(15)


def sleeping_top_margin(weight_moment: Scalar, transverse: Scalar, axial: Scalar, w3: Scalar) -> Scalar:
    """C² ω₃² − 4 A m g l: the upright top is stable where this is positive.

    Equations: A(15)
    """
    return axial * axial * w3 * w3 - 4 * transverse * weight_moment  # A(15)
