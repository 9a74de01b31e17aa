"""Finite rotations of vectors and triads, step by step, in components.

A triad is a matrix whose columns are its three unit vectors, in components of the frame at hand. R is
the matrix of a rotation about a fixed point; the triad that it turns has the columns of R.
"""

from __future__ import annotations

from quatrain.geometry import Mat3, Vec3
from quatrain.rotations import orientation_matrix, principal_rotation
from quatrain.scalar import Scalar


def vector_of_components(triad: Mat3, components: Vec3) -> Vec3:
    """r = [i j k] r_xyz: the vector with given components along a triad.

    With the turned triad [i′ j′ k′] = [i j k] R it reads r = [i j k] R r_x′y′z′.

    Equations: Y(2), Y(3), Y(5)
    Corrected Y(5): second row of the matrix restored.
    """
    return triad @ components


def rotated(R: Mat3, r: Vec3) -> Vec3:
    """r′ = R r, the vector after the rotation, in the components r is given in.

    The same matrix serves in the old and in the turned frame, and it takes components in the turned
    frame to components in the old one: r_xyz = R r_x′y′z′.

    Equations: Y(1), Y(6), Y(7), Y(8)
    Corrected Y(1): a rotation needs det R = +1 besides Rᵀ R = 1; norms alone allow reflections.
    Corrected Y(6): two equations that had run together.
    Corrected Y(8): the text after it takes rᵀ Rᵀ R r for the norm of R r; it is its square.
    """
    return R @ r


def intrinsic_stages(
    axes: str, angles: tuple[Scalar, Scalar, Scalar], r_xyz: Vec3
) -> tuple[Vec3, Vec3, Vec3]:
    """r′, r″ and r̃ in reference components: turns about the axes of the moved body, one after the other.

    In the frame that each turn starts from, its matrix is that of a principal rotation; so the turns
    multiply from the right: r̃ = R₁ R₂ R₃ r.

    Equations: Y(16), Y(17), Y(18), Y(19), Y(20)
    Corrected Y(18): a line break restored.
    """
    R_to_frame = Mat3.identity()
    stages = []
    for axis, angle in zip(axes, angles, strict=True):
        turn_in_frame = principal_rotation(axis, angle)
        r_in_frame = orientation_matrix(R_to_frame) @ r_xyz
        r_xyz = R_to_frame @ (turn_in_frame @ r_in_frame)
        stages.append(r_xyz)
        R_to_frame = R_to_frame @ turn_in_frame
    first, second, third = stages
    return first, second, third


def components_in_moved_frame(axes: str, angles: tuple[Scalar, Scalar, Scalar], r_xyz: Vec3) -> Vec3:
    """Ω₃ Ω₂ Ω₁ r: components in the moved frame of a vector given in the reference frame.

    For the vector that has moved along they are what its components were before: r̃_x̃ỹz̃ = r_xyz.

    Equations: Y(21), Y(24)
    Corrected Y(21): primes; the copy used ends in r″_x′y′z′ = r″_xyz, which is false.
    """
    for axis, angle in zip(axes, angles, strict=True):
        r_xyz = orientation_matrix(principal_rotation(axis, angle)) @ r_xyz
    return r_xyz


def extrinsic_stages(
    axes: str, angles: tuple[Scalar, Scalar, Scalar], r_xyz: Vec3
) -> tuple[Vec3, Vec3, Vec3]:
    """r′, r″ and r̃ in reference components: turns about the fixed axes, one after the other.

    They multiply from the left: r̃ = R₃ R₂ R₁ r.

    Equations: Y(25), Y(26), Y(27), Y(28), Y(29), Y(30)
    """
    stages = []
    for axis, angle in zip(axes, angles, strict=True):
        r_xyz = principal_rotation(axis, angle) @ r_xyz
        stages.append(r_xyz)
    first, second, third = stages
    return first, second, third
