"""Rotations of the chain: p_j of one joint, p_{i,j} of several, and a vector's components in another body."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.scalar import Scalar, cos, sin

REVOLUTE = 0  # ξ = 0, ξ̄ = 1
PRISMATIC = 1  # ξ = 1, ξ̄ = 0


def joint_rotation(xi: int, e: Vec3, q: Scalar) -> Quaternion:
    """p_j = cos ½ξ̄q + e sin ½ξ̄q: the turn of body j in body j − 1; 1 for a prismatic joint.

    e is the unit vector of the joint's axis, in body j or, equally, in body j − 1.

    Equations: Z(17), Z(19), Z(22), Z(23), Z(26), Z(29), Z(31)
    """
    if xi not in (REVOLUTE, PRISMATIC):
        raise ArgumentError(f"the joint's type ξ is {xi!r}", do="pass REVOLUTE (0) or PRISMATIC (1)")
    if xi == PRISMATIC:
        return Quaternion.identity()
    half = q / 2
    return Quaternion.from_parts(cos(half), e * sin(half))


def composite_rotation(p: Sequence[Quaternion], i: int, j: int) -> Quaternion:
    """p_{i,j} = p_{i+1} ⊗ … ⊗ p_j for 0 ≤ i ≤ j: takes components in body j to components in body i.

    p_{j,j} = 1, and p_{i,j} = p*_{0,i} ⊗ p_{0,j}.

    Equations: Z(21), Z(28), Z(33), Z(34)
    Corrected Z(28), Z(34): misprints of the copy used.
    """
    if not 0 <= i <= j <= len(p):
        raise ArgumentError(
            f"p_{{{i},{j}}} is not defined in a chain of {len(p)} bodies",
            do="ask for 0 ≤ i ≤ j ≤ n; for the opposite direction take the conjugate of p_{j,i}",
        )
    return reduce(lambda a, b: a @ b, p[i:j], Quaternion.identity())


def in_body(p: Sequence[Quaternion], i: int, j: int, tau_j: Vec3) -> Vec3:
    """τ^(i) = p_{i,j} ⊗ τ^(j) ⊗ p*_{i,j}: a vector's components in body i from those in body j.

    i = 0 gives components in the ground's axes; at the reference configuration all are equal.

    Equations: Z(16), Z(18), Z(20), Z(24), Z(25), Z(27), Z(30), Z(32)
    Corrected Z(27): the last factor is printed p*_{2−1,j}; it is p*_{j−2,j}.
    Corrected Z(32): the second ⊗ is missing in print.
    """
    return composite_rotation(p, i, j).rotate(tau_j)
