"""Quaternions: Hamilton product, scalar first, active rotation from body to reference frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quatrain import arrays
from quatrain.errors import ArgumentError, refuse_factor, require
from quatrain.geometry.mat3 import Mat3
from quatrain.geometry.series import arctangent_quotient, cosine_and_sine_quotient
from quatrain.geometry.vec3 import Vec3, cross, dot, refuse_unusable_norm, refuse_zero
from quatrain.scalar import (
    Condition,
    Scalar,
    abs,
    atan2,
    cos,
    equal,
    exp,
    first_true,
    log,
    logical_and,
    logical_not,
    pi,
    sin,
    sqrt,
    where,
)

ORDERS = {"wxyz": (0, 1, 2, 3), "xyzw": (3, 0, 1, 2)}


@dataclass(frozen=True, slots=True)
class Quaternion:
    """q = w + x i + y j + z k. Of unit norm it is a rotation: `q_AB` takes components in B to A.

    q and −q are the same rotation; nothing here changes the sign of a quaternion unless it says so.

    Equations: Z(2), S(2)
    """

    w: Scalar
    x: Scalar
    y: Scalar
    z: Scalar

    __array_ufunc__ = None

    @classmethod
    def identity(cls) -> Quaternion:
        return cls(1, 0, 0, 0)

    @classmethod
    def from_parts(cls, scalar: Scalar, vector: Vec3) -> Quaternion:
        return cls(scalar, vector.x, vector.y, vector.z)

    @classmethod
    def pure(cls, vector: Vec3) -> Quaternion:
        """The quaternion (0, r) of a vector r.

        Equations: Z(11), Z(12), Z(13)
        Corrected Z(12): the first coordinate restored, ξ.
        """
        return cls.from_parts(0, vector)

    @property
    def vector(self) -> Vec3:
        """The vector part (x, y, z).

        Equations: Z(3)
        """
        return Vec3(self.x, self.y, self.z)

    def __iter__(self) -> Iterator[Scalar]:
        """The components w, x, y, z."""
        yield self.w
        yield self.x
        yield self.y
        yield self.z

    # ---- in and out -------------------------------------------------------------------------------

    @classmethod
    def from_array(cls, array: Any, *, order: str = "wxyz", name: str = "array") -> Quaternion:
        """From an array (..., 4) whose last axis is in the given order; the norm is left as it is."""
        place = _places(order)
        parts = arrays.components(array, 4, name=name)
        return cls(*(parts[i] for i in place))

    def to_array(self, *, order: str = "wxyz") -> Any:
        """As an array (..., 4) with the last axis in the given order."""
        _places(order)
        return arrays.stacked(self) if order == "wxyz" else arrays.stacked((self.x, self.y, self.z, self.w))

    @classmethod
    def from_xyzw(cls, x: Scalar, y: Scalar, z: Scalar, w: Scalar) -> Quaternion:
        return cls(w, x, y, z)

    def to_xyzw(self) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        return self.x, self.y, self.z, self.w

    # ---- algebra ----------------------------------------------------------------------------------

    def __add__(self, other: Quaternion) -> Quaternion:
        """Equations: Z(4)"""
        if not isinstance(other, Quaternion):
            return NotImplemented
        return Quaternion(self.w + other.w, self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Quaternion) -> Quaternion:
        if not isinstance(other, Quaternion):
            return NotImplemented
        return Quaternion(self.w - other.w, self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Quaternion:
        return Quaternion(-self.w, -self.x, -self.y, -self.z)

    def __mul__(self, factor: Scalar) -> Quaternion:
        """Equations: Z(5)"""
        if isinstance(factor, (Quaternion, Vec3)):
            raise ArgumentError(
                "a quaternion was multiplied with *",
                do="write p @ q for the Hamilton product, q.rotate(v) to turn a vector, dot(p, q) for pᵀq",
            )
        return Quaternion(self.w * factor, self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Quaternion:
        return Quaternion(self.w / divisor, self.x / divisor, self.y / divisor, self.z / divisor)

    def __matmul__(self, other: Quaternion) -> Quaternion:
        """Hamilton product: p ∘ q = (p₀q₀ − p·q, p₀q + q₀p + p×q), so that q_AC = q_AB @ q_BC.

        Equations: Z(1), Z(6), G(1), G(2), G(3)
        """
        if isinstance(other, Vec3):
            raise ArgumentError(
                "a quaternion was multiplied with a vector",
                do="write q.rotate(v) to turn it, or q @ Quaternion.pure(v) for the product itself",
            )
        if not isinstance(other, Quaternion):
            return refuse_factor(self, other, Quaternion)
        p, q = self, other
        return Quaternion(
            p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
            p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
            p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
        )

    def conjugate(self) -> Quaternion:
        """q̄ = (q₀, −q); it reverses products, and q ∘ q̄ = |q|², which is 1 for a rotation.

        Equations: Z(7), Z(8), G(4), G(5), G(6)
        Corrected G(4): section 1.5.6 and the summary print q ∘ q̄ = (|q|, 0); it is (|q|², 0).
        """
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def norm_squared(self) -> Scalar:
        """|q|² = qᵀq, the scalar part of q ∘ q̄."""
        return dot(self, self)

    def norm(self) -> Scalar:
        """|q|; the norm of a product is the product of the norms.

        Equations: Z(9), G(7)
        """
        return sqrt(self.norm_squared())

    def inverse(self) -> Quaternion:
        """q̄ / |q|²; an error for zero, NaN where no value is known.

        Equations: Z(10)
        """
        norm_squared = self.norm_squared()
        refuse_unusable_norm(norm_squared, "quaternion")
        return self.conjugate() / norm_squared

    def normalised(self, *, name: str = "quaternion") -> Quaternion:
        """q / |q|; an error for zero, infinity or NaN, and NaN where no value is known."""
        norm = self.norm()
        refuse_unusable_norm(norm, name)
        return self / norm

    def unit_violation(self) -> Scalar:
        """qᵀq − 1, which is zero for a rotation.

        Equations: S(3), S(4)
        Corrected S(3), S(4): the square of e₀ restored.
        """
        return self.norm_squared() - 1

    # ---- exponential ------------------------------------------------------------------------------

    def exp(self) -> Quaternion:
        """e^q = e^w (cos|v|, v sin|v|/|v|)."""
        cosine, quotient = cosine_and_sine_quotient(self.vector.norm_squared())
        return Quaternion.from_parts(cosine, self.vector * quotient) * exp(self.w)

    def log(self) -> Quaternion:
        """(log|q|, v/|v| · atan2(|v|, w)): the logarithm whose vector part is no longer than π.

        Of a negative real number it has no direction; x is taken.
        """
        square = self.vector.norm_squared()
        v = self.vector * arctangent_quotient(square, self.w)
        half_turn = where(logical_and(equal(square, 0), self.w < 0), pi(self.w), 0)
        return Quaternion(log(self.norm()), v.x + half_turn, v.y, v.z)

    def __pow__(self, exponent: Scalar) -> Quaternion:
        """q to a real power, exp(t log q): of a rotation, t times its turn. Whole powers by products."""
        if not isinstance(exponent, int):
            return (self.log() * exponent).exp()
        base = self if exponent >= 0 else self.inverse()
        result = Quaternion(1, 0, 0, 0)
        for digit in f"{exponent if exponent >= 0 else -exponent:b}":
            result = result @ result
            result = result @ base if digit == "1" else result
        return result

    # ---- rotation ---------------------------------------------------------------------------------

    def rotate(self, v: Vec3) -> Vec3:
        """q ∘ v ∘ q̄ for a unit q: with `q_AB`, components in B become components in A.

        Multiplied out, v + 2 q × (q × v + q₀ v).

        Equations: Z(14), G(8)
        Corrected G(8): the expanded q̄ ∘ x ∘ q of its section 1.4 is the turn by −φ as an active map, not by φ; in
            its real part (q × x)·q has a plus sign, and is zero.
        """
        require(v, Vec3, "v")
        u = self.vector
        t = cross(u, v) * 2
        return v + t * self.w + cross(u, t)

    def inverse_rotate(self, v: Vec3) -> Vec3:
        """q̄ ∘ v ∘ q for a unit q: with `q_AB`, components in A become components in B."""
        return self.conjugate().rotate(v)

    def geodesic_distance(self, other: Quaternion) -> Scalar:
        """Angle in [0, π] of the turn between two rotations; accurate for small angles and near π."""
        require(other, Quaternion, "other")
        turn = self.conjugate() @ other
        refuse_zero(turn.norm_squared(), "one of the two quaternions")
        return atan2(turn.vector.norm(), abs(turn.w)) * 2

    def aligned_with(self, other: Quaternion) -> Quaternion:
        """This rotation with the sign that brings it nearer to `other`: q or −q."""
        require(other, Quaternion, "other")
        return self * where(dot(self, other) < 0, -1, 1)

    def is_same_rotation_as(self, other: Quaternion, *, tolerance: float) -> Condition:
        """Whether the two differ by at most `tolerance` in norm, up to sign."""
        return (self.aligned_with(other) - other).norm() <= tolerance

    # ---- rates ------------------------------------------------------------------------------------

    def derivative(self, w_AB_B: Vec3) -> Quaternion:
        """q̇ = ½ q ∘ ω of `q_AB`, from the angular velocity in body components.

        Equations: G(14)
        """
        require(w_AB_B, Vec3, "w_AB_B")
        return self @ Quaternion.pure(w_AB_B / 2)

    def derivative_from_space_rate(self, w_AB: Vec3) -> Quaternion:
        """q̇ = ½ ω ∘ q of `q_AB`, from the angular velocity in components of A.

        Equations: G(12)
        Corrected G(12): the dot over q restored.
        """
        require(w_AB, Vec3, "w_AB")
        return Quaternion.pure(w_AB / 2) @ self

    def integrate(self, turn_B: Vec3) -> Quaternion:
        """q ∘ exp(½ φ): the rotation after a further turn by the vector φ = ω dt in body components."""
        return self @ Quaternion.from_rotation_vector(turn_B)

    def difference(self, other: Quaternion) -> Vec3:
        """The shortest φ with `self.integrate(φ)` the rotation of `other`."""
        require(other, Quaternion, "other")
        return (self.conjugate() @ other).to_rotation_vector()

    # ---- other descriptions of a rotation ---------------------------------------------------------

    @classmethod
    def from_axis_angle(cls, axis: Vec3, angle: Scalar) -> Quaternion:
        """cos ½θ + e sin ½θ: a right-handed turn by the angle about the axis, which need not be a unit vector.

        Equations: Z(15)
        """
        require(axis, Vec3, "axis")
        half = angle / 2
        return cls.from_parts(cos(half), axis.normalised(name="axis") * sin(half))

    def to_axis_angle(self) -> tuple[Vec3, Scalar]:
        """Unit axis, and angle in [0, π]; of the identity the axis is not determined and x is taken."""
        refuse_zero(self.norm_squared(), "quaternion")
        norm = self.vector.norm()
        some = norm > 0
        direction = self.vector * (where(self.w < 0, -1, 1) / where(some, norm, 1))
        axis = Vec3(where(some, direction.x, 1), direction.y, direction.z)
        return axis, atan2(norm, abs(self.w)) * 2

    @classmethod
    def from_rotation_vector(cls, turn: Vec3) -> Quaternion:
        """exp(½ φ): the turn by |φ| about φ."""
        require(turn, Vec3, "turn")
        return cls.pure(turn / 2).exp()

    def to_rotation_vector(self) -> Vec3:
        """Axis times angle, no longer than π: the shortest turn that is this rotation."""
        square = self.vector.norm_squared()
        refuse_zero(square + self.w * self.w, "quaternion")
        quotient = arctangent_quotient(square, abs(self.w))
        return self.vector * (quotient * where(self.w < 0, -2, 2))

    @classmethod
    def from_modified_rodrigues(cls, p: Vec3) -> Quaternion:
        """From p = e tan ¼θ: ((1 − |p|²), 2p) / (1 + |p|²)."""
        require(p, Vec3, "p")
        square = p.norm_squared()
        return cls.from_parts(1 - square, p * 2) / (1 + square)

    def to_modified_rodrigues(self) -> Vec3:
        """e tan ¼θ, no longer than 1: of the two sets that belong to q and −q the shorter."""
        refuse_zero(self.norm_squared(), "quaternion")
        return self.vector / (self.w + where(self.w < 0, -1, 1))

    @classmethod
    def from_matrix(cls, R: Mat3, *, tolerance: float = 1e-6, name: str = "R") -> Quaternion:
        """From a rotation matrix, accurate everywhere; its largest component is positive.

        4 q qᵀ is linear in R; the column with the greatest diagonal entry is far from zero, and its
        direction is q. A matrix that is known not to be a rotation to `tolerance` is an error.
        """
        require(R, Mat3, name)
        _refuse_no_rotation(R, tolerance, name)
        t = R.trace()
        diagonal = (1 + t, 1 + 2 * R.xx - t, 1 + 2 * R.yy - t, 1 + 2 * R.zz - t)
        wx, wy, wz = R.zy - R.yz, R.xz - R.zx, R.yx - R.xy
        xy, xz, yz = R.xy + R.yx, R.xz + R.zx, R.yz + R.zy
        return direction_of_outer_product(
            cls(diagonal[0], wx, wy, wz),
            cls(wx, diagonal[1], xy, xz),
            cls(wy, xy, diagonal[2], yz),
            cls(wz, xz, yz, diagonal[3]),
        )

    def to_matrix(self) -> Mat3:
        """Rotation matrix of a unit quaternion, (2q₀² − 1) 1 + 2 (q qᵀ + q₀ [q]×); columns are the body's axes.

        Equations: S(5)
        """
        w, x, y, z = self
        return Mat3(
            *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )


def direction_of_outer_product(*columns: Quaternion) -> Quaternion:
    """The unit q, largest component positive, from the four columns of a positive multiple of q qᵀ."""
    best, largest = columns[0], columns[0].w
    for column, entry in zip(columns[1:], (columns[1].x, columns[2].y, columns[3].z), strict=True):
        better = entry > largest
        largest = where(better, entry, largest)
        best = Quaternion(*(where(better, new, old) for new, old in zip(column, best, strict=True)))
    return best.normalised()


def _places(order: str) -> tuple[int, int, int, int]:
    if order not in ORDERS:
        raise ArgumentError(
            f"order is {order!r}, not 'wxyz' or 'xyzw'", do="say which component stands first"
        )
    return ORDERS[order]


def _refuse_no_rotation(R: Mat3, tolerance: float, name: str) -> None:
    gram = R.T @ R - Mat3.identity()
    place = first_true(logical_not(dot(gram, gram) <= tolerance**2))
    if place is not None:
        raise ArgumentError(
            f"{name}{f' at index {place}' if place else ''} is not a rotation matrix: its columns are not unit "
            f"vectors at right angles to {tolerance:g}",
            do="orthonormalise it first, or pass a larger tolerance if it is only roughly known",
        )
    place = first_true(R.determinant() < 0)
    if place is not None:
        raise ArgumentError(
            f"{name}{f' at index {place}' if place else ''} is a reflection: its determinant is −1",
            do="check the order and the sign of the axes; a rotation keeps a right-handed triad right-handed",
        )
