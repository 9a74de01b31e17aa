"""Rotations by three angles, in all 24 conventions, and their rates.

A convention is named by SciPy's letters: capitals turn about the axes of the moved body (intrinsic),
small letters about the fixed axes of the reference frame (extrinsic). Angles stand in the order of
the letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from quatrain.errors import ArgumentError, require
from quatrain.geometry import Mat3, Quaternion, Vec3, cross, dot
from quatrain.geometry.vec3 import refuse_zero
from quatrain.scalar import Scalar, abs, atan2, cos, epsilon, first_true, pi, sin, sqrt, where

# Names that say what the angles mean, and their letters.
NAMED = {
    # Roll, pitch, yaw of a robot's file or an aircraft: about fixed x, then y, then z.
    "rpy": "xyz",
    # The same three in the opposite order.
    "ypr": "ZYX",
    # Vehicle axes forward-right-down in north-east-down: roll, pitch (nose up positive), yaw (clockwise
    # from north).
    "ned": "xyz",
    # Vehicle axes forward-left-up in east-north-up: roll, pitch (nose down positive), yaw
    # (anticlockwise from east).
    "enu": "xyz",
    # Precession, nutation, spin of a top.
    "gyroscope": "ZXZ",
}

_UNIT = {"x": Vec3(1, 0, 0), "y": Vec3(0, 1, 0), "z": Vec3(0, 0, 1)}

# Fixed turns between the two pairs of vehicle axes. They are half-turns, so they are their own inverses
# up to sign.
_HALF = 0.5**0.5
_NED_FROM_ENU = Quaternion(0, _HALF, _HALF, 0)
_FLU_FROM_FRD = Quaternion(0, 1, 0, 0)


def principal_rotation(axis: str, angle: Scalar) -> Mat3:
    """R_x, R_y or R_z: the turn by an angle about a coordinate axis.

    Equations: Y(9), Y(10), Y(11), Y(12)
    """
    c, s = cos(angle), sin(angle)
    matrices = {
        "x": Mat3(1, 0, 0, 0, c, -s, 0, s, c),
        "y": Mat3(c, 0, s, 0, 1, 0, -s, 0, c),
        "z": Mat3(c, -s, 0, s, c, 0, 0, 0, 1),
    }
    if axis not in matrices:
        raise ArgumentError(f"axis is {axis!r}, not 'x', 'y' or 'z'", do="name one coordinate axis")
    return matrices[axis]


def principal_orientation(axis: str, angle: Scalar) -> Mat3:
    """Ω_x, Ω_y or Ω_z: takes components of a fixed vector to a frame turned about a coordinate axis.

    Equations: Y(15)
    Corrected Y(15): a lost column separator restored.
    """
    return orientation_matrix(principal_rotation(axis, angle))


def orientation_matrix(R_AB: Mat3) -> Mat3:
    """Ω = R⁻¹ = Rᵀ: takes components in A of a fixed vector to components in B.

    Equations: Y(13), Y(14)
    Corrected Y(13): Ω is used for two matrices, here for Rᵀ; that of Y(37) is a rate map.
    """
    return R_AB.T


def attitude_in_ned(q_ENU_FLU: Quaternion) -> Quaternion:
    """The attitude of forward-right-down axes in north-east-down, from forward-left-up in east-north-up."""
    return _NED_FROM_ENU @ q_ENU_FLU @ _FLU_FROM_FRD


def attitude_in_enu(q_NED_FRD: Quaternion) -> Quaternion:
    """The attitude of forward-left-up axes in east-north-up, from forward-right-down in north-east-down."""
    return _NED_FROM_ENU.conjugate() @ q_NED_FRD @ _FLU_FROM_FRD.conjugate()


@dataclass(frozen=True)
class AngleConvention:
    """Three angles about coordinate axes, such as "ZYX", "xyz", "ZXZ", or a name from `NAMED`.

    Three letters, x, y or z, no two neighbours equal, all capital (intrinsic, about the moved axes)
    or all small (extrinsic, about the fixed ones). Angles and their rates are a `Vec3` in the order
    of the letters. The middle angle lies in [0, π] where the outer letters agree and in [−π/2, π/2]
    where they differ; the others lie in (−π, π].
    """

    name: str

    def __post_init__(self) -> None:
        require(self.name, str, "the convention")
        letters = self.letters
        problem = None
        if len(letters) != 3 or not set(letters.lower()) <= set("xyz"):
            problem = "is not three letters of x, y, z"
        elif not (letters.islower() or letters.isupper()):
            problem = "mixes capitals (about moved axes) and small letters (about fixed axes)"
        elif any(a == b for a, b in pairwise(letters)):
            problem = "turns twice in a row about one axis"
        if problem:
            raise ArgumentError(
                f"the convention {self.name!r} {problem}",
                do="write three letters such as 'ZYX' (moved axes) or 'xyz' (fixed axes), neighbours "
                f"different, or one of the names {', '.join(sorted(NAMED))}",
            )

    @property
    def letters(self) -> str:
        return NAMED.get(self.name, self.name)

    @property
    def is_intrinsic(self) -> bool:
        return self.letters.isupper()

    @property
    def _axes(self) -> str:
        """The axes in intrinsic order: R = R₁(a₁) R₂(a₂) R₃(a₃).

        Intrinsic turns multiply from the right, extrinsic ones from the left.
        """
        return self.letters.lower() if self.is_intrinsic else self.letters[::-1]

    @property
    def _handedness(self) -> float:
        """1 if first axis, second axis and the one left over (or last) are right-handed, else −1."""
        first, second, _ = tuple(self._axes)
        return 1.0 if (first + second) in "xyzx" else -1.0

    @property
    def _outer_axes_agree(self) -> bool:
        return self._axes[0] == self._axes[2]

    def _in_order(self, triple: Vec3) -> Vec3:
        """Between the order of the letters and intrinsic order; its own inverse."""
        return triple if self.is_intrinsic else Vec3(triple.z, triple.y, triple.x)

    # ---- angles -----------------------------------------------------------------------------------

    def to_quaternion(self, angles: Vec3) -> Quaternion:
        """The rotation by three angles.

        Equations: A(5), A(6), G(C)
        """
        require(angles, Vec3, "angles")
        q = Quaternion.identity()
        for axis, angle in zip(self._axes, self._in_order(angles), strict=True):
            half = angle / 2
            q = q @ Quaternion.from_parts(cos(half), _UNIT[axis] * sin(half))
        return q

    def to_matrix(self, angles: Vec3) -> Mat3:
        """The rotation matrix R₁ R₂ R₃ of three angles.

        Equations: Y(22), Y(23), Y(24), Y(30), Y(31)
        Corrected Y(23): section 3.1 calls the angles unique modulo 2π; (α + π, −β, γ + π) is the same rotation, so β
            is kept in [0, π].
        Corrected Y(31): the sign of pitch is that of sin θ = −k·ĩ.
        """
        require(angles, Vec3, "angles")
        a = self._in_order(angles)
        first, second, third = (principal_rotation(x, angle) for x, angle in zip(self._axes, a, strict=True))
        return first @ second @ third

    def from_quaternion(self, q: Quaternion) -> Vec3:
        """The three angles of a rotation; any norm of q but zero will do.

        With the half sum u and half difference v of the outer angles and b the middle one, where the
        outer axes agree (axis 1 twice, axis 2 between, 3 = 1 × 2),
            q₀ + i q₁ = cos ½b (cos u + i sin u),   q₂ + i q₃ = sin ½b (cos v + i sin v)
        so the angles come without a threshold and q is reproduced to rounding everywhere. Where the
        outer axes differ, a quarter turn about axis 2 brings the last onto the first.

        At the singularity only u or only v is determined; the choice of A(4) is made: the last angle in
        intrinsic order is zero. That is done where it costs no more than the rounding of q.

        Equations: A(1), A(1′), A(2), A(2′), A(4), A(5), A(6)
        """
        require(q, Quaternion, "q")
        refuse_zero(q.norm_squared(), "q")
        part = dict(zip("xyz", q.vector, strict=True))
        first, second, _ = tuple(self._axes)
        (left_over,) = set("xyz") - {first, second}
        q0, q1, q2, q3 = q.w, part[first], part[second], part[left_over] * self._handedness
        if not self._outer_axes_agree:
            q0, q1, q2, q3 = q0 - q2, q1 - q3, q2 + q0, q3 + q1
        cosine, sine = sqrt(q0 * q0 + q1 * q1), sqrt(q2 * q2 + q3 * q3)
        rounding = 8 * epsilon(cosine)
        u = atan2(q1, q0)
        v = where(sine <= cosine * rounding, u, atan2(q3, q2))
        u = where(cosine <= sine * rounding, v, u)
        middle, last = atan2(sine, cosine) * 2, u - v
        if not self._outer_axes_agree:
            middle, last = middle - pi(middle) / 2, last * -self._handedness
        return self._in_order(Vec3(_wrapped(u + v), middle, _wrapped(last)))

    def from_matrix(self, R: Mat3) -> Vec3:
        """The three angles of a rotation matrix."""
        require(R, Mat3, "R")
        return self.from_quaternion(Quaternion.from_matrix(R))

    def other_branch(self, angles: Vec3) -> Vec3:
        """The second triple that gives the same rotation; its middle angle lies outside the range.

        Equations: A(3)
        """
        require(angles, Vec3, "angles")
        half_turn = pi(angles.y)
        middle = -angles.y if self._outer_axes_agree else half_turn - angles.y
        return Vec3(_wrapped(angles.x + half_turn), middle, _wrapped(angles.z + half_turn))

    # ---- rates ------------------------------------------------------------------------------------

    def _turning_axes(self, angles: Vec3) -> tuple[Vec3, Vec3, Vec3]:
        """The three axes of turning in intrinsic order, in components of the reference frame."""
        require(angles, Vec3, "angles")
        a = self._in_order(angles)
        n1, n2, n3 = (_UNIT[axis] for axis in self._axes)
        R1, R2 = (
            principal_rotation(axis, angle) for axis, angle in zip(self._axes[:2], (a.x, a.y), strict=True)
        )
        return n1, R1 @ n2, R1 @ (R2 @ n3)

    def _columns(self, n1: Vec3, n2: Vec3, n3: Vec3) -> Mat3:
        columns = (n1, n2, n3) if self.is_intrinsic else (n3, n2, n1)
        return Mat3.from_columns(*columns)

    def space_rate_map(self, angles: Vec3) -> Mat3:
        """The matrix that takes angle rates to angular velocity in components of the reference frame.

        Equations: Y(32), Y(33), Y(35), Y(36)
        Corrected Y(33): a lost column separator restored.
        """
        return self._columns(*self._turning_axes(angles))

    def body_rate_map(self, angles: Vec3) -> Mat3:
        """The matrix that takes angle rates to angular velocity in components of the body.

        Equations: Y(34), Y(37)
        Corrected Y(37): the label of its brace restored.
        """
        return self.to_matrix(angles).T @ self.space_rate_map(angles)

    def inverse_space_rate_map(self, angles: Vec3) -> Mat3:
        """The matrix that takes angular velocity in the reference frame to angle rates; singular as the angles are."""
        self._refuse_singular(angles)
        return _inverse_of_axes(self.space_rate_map(angles))

    def inverse_body_rate_map(self, angles: Vec3) -> Mat3:
        """The matrix that takes angular velocity in the body to angle rates; singular as the angles are.

        Equations: A(8)
        """
        self._refuse_singular(angles)
        return _inverse_of_axes(self.body_rate_map(angles))

    def space_rate_map_derivative(self, angles: Vec3, rates: Vec3) -> Mat3:
        """Time derivative of `space_rate_map`: each axis is turned by the rates before it."""
        require(rates, Vec3, "rates")
        n1, n2, n3 = self._turning_axes(angles)
        da = self._in_order(rates)
        w1 = n1 * da.x
        w2 = w1 + n2 * da.y
        return self._columns(Vec3.zero(), cross(w1, n2), cross(w2, n3))

    def body_rate_map_derivative(self, angles: Vec3, rates: Vec3) -> Mat3:
        """Time derivative of `body_rate_map`: seen from the body, each axis is turned back by the rates after it.

        Equations: A(9)
        """
        require(rates, Vec3, "rates")
        R = self.to_matrix(angles)
        n1, n2, n3 = (R.T @ n for n in self._turning_axes(angles))
        da = self._in_order(rates)
        w3 = n3 * da.z
        w2 = w3 + n2 * da.y
        return self._columns(cross(n1, w2), cross(n2, w3), Vec3.zero())

    def inverse_body_rate_map_derivative(self, angles: Vec3, rates: Vec3) -> Mat3:
        """Time derivative of `inverse_body_rate_map`: −W⁻¹ Ẇ W⁻¹."""
        inverse = self.inverse_body_rate_map(angles)
        return -(inverse @ self.body_rate_map_derivative(angles, rates) @ inverse)

    def inverse_space_rate_map_derivative(self, angles: Vec3, rates: Vec3) -> Mat3:
        """Time derivative of `inverse_space_rate_map`."""
        inverse = self.inverse_space_rate_map(angles)
        return -(inverse @ self.space_rate_map_derivative(angles, rates) @ inverse)

    # ---- singularity ------------------------------------------------------------------------------

    def determinant(self, angles: Vec3) -> Scalar:
        """Determinant of both rate maps: ±cos or ±sin of the middle angle; zero at the singularity.

        Equations: A(7)
        """
        require(angles, Vec3, "angles")
        reversed_order = 1.0 if self.is_intrinsic else -1.0
        if self._outer_axes_agree:
            return sin(angles.y) * -reversed_order
        return cos(angles.y) * (self._handedness * reversed_order)

    def condition_number(self, angles: Vec3) -> Scalar:
        """Condition of both rate maps, 1 at best, infinite at the singularity: √((1 + c)/(1 − c)).

        c is the cosine between the outer axes. Angular velocity to angle rates amplifies errors by this.
        """
        require(angles, Vec3, "angles")
        c = abs(cos(angles.y) if self._outer_axes_agree else sin(angles.y))
        return (1 + c) / abs(self.determinant(angles))

    def _refuse_singular(self, angles: Vec3) -> None:
        margin = abs(self.determinant(angles))
        place = first_true(margin <= 8 * epsilon(margin))
        if place is not None:
            raise ArgumentError(
                f"the angles {self.name!r}{f' at index {place}' if place else ''} stand at their singularity: "
                f"the middle one is {'a multiple of π' if self._outer_axes_agree else 'an odd multiple of π/2'}, "
                "and no rates of the three give every angular velocity there",
                do="carry the attitude as a quaternion (q.derivative(w)), or use a convention whose middle angle "
                "stays away from that value",
            )


def _inverse_of_axes(columns: Mat3) -> Mat3:
    """Inverse of a matrix of three unit columns, the middle one at right angles to both others.

    Its rows are the reciprocal vectors (n₂×n₃, n₃×n₁, n₁×n₂)/det, and the middle one is n₂ itself.
    """
    n1, n2, n3 = columns.columns
    across = cross(n2, n3)
    determinant = dot(n1, across)
    return Mat3.from_rows(across / determinant, n2, cross(n1, n2) / determinant)


def _wrapped(angle: Scalar) -> Scalar:
    """An angle of at most one turn either way, brought into (−π, π]."""
    half_turn = pi(angle)
    return angle + where(angle > half_turn, -2 * half_turn, where(angle <= -half_turn, 2 * half_turn, 0))
