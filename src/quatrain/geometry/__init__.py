"""Vectors, matrices and quaternions of any scalar."""

from quatrain.geometry.mat3 import Mat3, outer, skew, skew_part
from quatrain.geometry.matrix import Matrix
from quatrain.geometry.pose import Pose
from quatrain.geometry.quaternion import Quaternion
from quatrain.geometry.symmat3 import SymMat3, symmetric_outer
from quatrain.geometry.vec3 import Vec3, cross, dot

__all__ = [
    "Mat3",
    "Matrix",
    "Pose",
    "Quaternion",
    "SymMat3",
    "Vec3",
    "cross",
    "dot",
    "outer",
    "skew",
    "skew_part",
    "symmetric_outer",
]
