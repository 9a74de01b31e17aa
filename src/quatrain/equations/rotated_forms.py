"""Derivatives of bilinear and quadratic forms in the rotation matrix by the Euler parameters.

Here R = E Lᵀ, not normalised; then everything holds for any q. Gradients are columns of four.
"""

from __future__ import annotations

from quatrain.equations.attitude import rotation_matrix
from quatrain.geometry import Matrix, Quaternion, SymMat3, Vec3, cross, dot, outer
from quatrain.geometry.mat3 import Mat3


def delta(v: Vec3, w: Vec3) -> Matrix:
    """Δ[v, w], the symmetric matrix of the form vᵀ R w = qᵀ Δ[v, w] q; linear in v and in w.

        Δ[v, w] = ⎡ w·v    (w × v)ᵀ              ⎤
                  ⎣ w × v  w vᵀ + v wᵀ − (w·v) 1 ⎦

    Equations: G(30), G(34), G(35), G(36), G(37)
    Corrected G(30): the expanded matrix, lost in the copy used, restored.
    """
    c, n = dot(w, v), cross(w, v)
    block = outer(w, v) + outer(v, w) - Mat3.identity() * c
    return Matrix(((c, *n), *((a, *row) for a, row in zip(n, block.rows, strict=True))))


def gradient_of_rotated_form(q: Quaternion, v: Vec3, w: Vec3) -> Quaternion:
    """∂(vᵀ R w)/∂q = 2 Δ[v, w] q.

    Equations: G(31)
    """
    return delta(v, w) @ q * 2


def gradient_of_inverse_rotated_form(q: Quaternion, v: Vec3, w: Vec3) -> Quaternion:
    """∂(vᵀ Rᵀ w)/∂q = 2 Δ[w, v] q.

    Equations: G(32)
    """
    return gradient_of_rotated_form(q, w, v)


def gradient_of_rotated_quadratic_form(q: Quaternion, u: Vec3, J: SymMat3) -> Quaternion:
    """½ ∂(uᵀ R J Rᵀ u)/∂q = 2 Δ[u, J Rᵀ u] q.

    Equations: G(33)
    """
    return gradient_of_rotated_form(q, u, J @ (rotation_matrix(q).T @ u))
