"""The equations of motion in other velocities u, with v = S(q) u:

    M' = Sᵀ M S    C' = Sᵀ (C S + M Ṡ)    g' = Sᵀ g    τ' = Sᵀ τ    J' = J S    a = S u̇ + Ṡ u

so that M' u̇ + C' u + g' = τ', the power τ'·u is τ·v, and Ṁ' − 2C' is skew again. Kinds of u, by name:

    mixed               v itself: linear in the parent, angular in the child
    body                all in the child: also the linear velocities of free and planar joints
    world               all in the parent body, which for a joint on the ground is the world: also angular ones
    quaternion_rates    q̇, with four entries for every ball: M' is of the form of S(29), 4 Lᵀ J L, singular along q
    euler_rates         rates of three angles for every ball, in a convention; singular where they are

Joints that turn about fixed axes or slide have the same velocities in all of them; a planar joint's have the axes of
its plane, turned with the child in "body".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quatrain.equations.coriolis import coriolis_matrix
from quatrain.equations.inverse_dynamics import gravity_force, inverse_dynamics
from quatrain.equations.kinematics import jacobian
from quatrain.equations.mass_matrix import mass_matrix
from quatrain.errors import ArgumentError
from quatrain.geometry import Mat3, Quaternion, Vec3, skew
from quatrain.model import Body, Model
from quatrain.rotations import AngleConvention
from quatrain.scalar import Scalar, cos, sin

KINDS = ("mixed", "body", "world", "quaternion_rates", "euler_rates")

Rows = list[list[Scalar]]


def velocity_count(model: Model, velocity: str) -> int:
    """How many entries u has."""
    return model.nq if velocity == "quaternion_rates" else model.nv


def checked(velocity: str, convention: AngleConvention | str | None) -> AngleConvention | None:
    """The convention of the angles, where there are any."""
    if velocity not in KINDS:
        raise ArgumentError(f"velocity is {velocity!r}", do=f"pass one of {', '.join(map(repr, KINDS))}")
    if velocity == "euler_rates" and convention is None:
        raise ArgumentError("euler_rates are of no convention", do="pass convention='ZYX', or another one")
    if velocity != "euler_rates" and convention is not None:
        raise ArgumentError(
            f"convention is {convention!r}, and velocity {velocity!r} knows no angles",
            do="pass velocity='euler_rates', or no convention",
        )
    return AngleConvention(convention) if isinstance(convention, str) else convention


# ---- the equations --------------------------------------------------------------------------------------


def mass_matrix_in(
    model: Model, q: Sequence[Scalar], *, velocity: str, convention: AngleConvention | None
) -> Rows:
    """M' = Sᵀ M S"""
    S = _Map.of(model, q, velocity, convention)
    return S.left(S.right(mass_matrix(model, q)))


def coriolis_matrix_in(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    velocity: str,
    convention: AngleConvention | None,
) -> Rows:
    """C' = Sᵀ (C S + M Ṡ); v are the velocities u."""
    S = _Map.of(model, q, velocity, convention)
    dS = S.rate(v)
    C, M = coriolis_matrix(model, q, S.times(v)), mass_matrix(model, q)
    both = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(S.right(C), dS.right(M), strict=True)]
    return S.left(both)


def gravity_force_in(
    model: Model, q: Sequence[Scalar], *, velocity: str, convention: AngleConvention | None
) -> list[Scalar]:
    """g' = Sᵀ g"""
    return _Map.of(model, q, velocity, convention).back(gravity_force(model, q))


def bias_force_in(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    velocity: str,
    convention: AngleConvention | None,
) -> list[Scalar]:
    """h' = C' u + g', v being u."""
    return inverse_dynamics_in(model, q, v, [0.0] * len(v), velocity=velocity, convention=convention)


def inverse_dynamics_in(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    *,
    velocity: str,
    convention: AngleConvention | None,
) -> list[Scalar]:
    """τ' = M' u̇ + C' u + g'; v are the velocities u, a their derivatives."""
    S = _Map.of(model, q, velocity, convention)
    accelerations = [x + y for x, y in zip(S.times(a), S.rate(v).times(v), strict=True)]
    return S.back(inverse_dynamics(model, q, S.times(v), accelerations))


def jacobian_in(
    model: Model,
    q: Sequence[Scalar],
    *,
    velocity: str,
    convention: AngleConvention | None,
    frame: str,
    point: Vec3 | None = None,
    axes: str = "world",
    relative_to: str = "world",
) -> Rows:
    """J' = J S"""
    return _Map.of(model, q, velocity, convention).right(jacobian(model, q, frame, point, axes, relative_to))


def to_mixed(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    velocity: str,
    convention: AngleConvention | None,
) -> list[Scalar]:
    """v = S u of velocities u of this kind."""
    return _Map.of(model, q, velocity, convention).times(v)


# ---- S --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """Of S, for one joint: rows from v on, columns from u on; and what its derivative is for rates of u."""

    v: int
    u: int
    rows: Rows
    rate: Callable[[Sequence[Scalar]], Rows] | None
    """None: S does not change."""


@dataclass(frozen=True)
class _Map:
    blocks: tuple[_Block, ...]
    nv: int
    nu: int

    @classmethod
    def of(cls, model: Model, q: Sequence[Scalar], velocity: str, convention: AngleConvention | None) -> _Map:
        blocks: list[_Block] = []
        u = 0
        for body, at_q, at_v in zip(model.bodies, model.q_starts, model.v_starts, strict=True):
            joint = body.joint
            own = q[at_q : at_q + joint.nq]
            if joint.nv:
                rows, rate = _rows(body, own, velocity, convention)
                blocks.append(_Block(at_v, u, rows, rate))
                u += len(rows[0])
        return cls(tuple(blocks), model.nv, u)

    def rate(self, v: Sequence[Scalar]) -> _Map:
        """Ṡ in a motion with velocities u."""
        found = []
        for block in self.blocks:
            count = len(block.rows[0])
            zero: Rows = [[0.0] * count for _ in block.rows]
            rows = zero if block.rate is None else block.rate(v[block.u : block.u + count])
            found.append(_Block(block.v, block.u, rows, None))
        return _Map(tuple(found), self.nv, self.nu)

    def times(self, u: Sequence[Scalar]) -> list[Scalar]:
        """S u"""
        v: list[Scalar] = [0.0] * self.nv
        for block in self.blocks:
            for k, row in enumerate(block.rows, block.v):
                v[k] = _sum(row, u[block.u : block.u + len(row)])
        return v

    def back(self, force: Sequence[Scalar]) -> list[Scalar]:
        """Sᵀ f"""
        found: list[Scalar] = [0.0] * self.nu
        for block in self.blocks:
            own = force[block.v : block.v + len(block.rows)]
            for k, column in enumerate(zip(*block.rows, strict=True), block.u):
                found[k] = _sum(column, own)
        return found

    def right(self, X: Rows) -> Rows:
        """X S"""
        return [self.back(row) for row in X]

    def left(self, X: Rows) -> Rows:
        """Sᵀ X"""
        columns = [self.back(column) for column in zip(*X, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]


def _sum(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


Rate = Callable[[Sequence[Scalar]], Rows]


def _rows(
    body: Body, q: Sequence[Scalar], velocity: str, convention: AngleConvention | None
) -> tuple[Rows, Rate | None]:
    """Of one joint: S, and Ṡ as a function of its u."""
    joint = body.joint
    if joint.kind == "planar" and velocity in ("body", "world"):
        return _planar(body, q[2], velocity)
    if joint.kind not in ("ball", "free"):
        return _identity(joint.nv), None
    quaternion = Quaternion(*q[-4:])
    if velocity == "quaternion_rates":
        turning, turning_rate = _of_quaternion_rates(quaternion)
    elif velocity == "euler_rates" and convention is not None:
        turning, turning_rate = _of_angle_rates(quaternion, convention)
    elif velocity == "world":
        turning, turning_rate = _in_parent(body, quaternion)
    else:
        turning, turning_rate = _identity(3), None
    if joint.kind == "ball":
        return turning, turning_rate
    sliding, sliding_rate = _linear(body, quaternion, velocity)
    if sliding_rate is None and turning_rate is None:
        return _beside(sliding, turning), None
    count = len(turning[0])

    def rate(u: Sequence[Scalar]) -> Rows:
        still: Rows = [[0.0] * 3 for _ in range(3)]
        fixed: Rows = [[0.0] * count for _ in range(3)]
        return _beside(
            still if sliding_rate is None else sliding_rate(u),
            fixed if turning_rate is None else turning_rate(u[3:]),
        )

    return _beside(sliding, turning), rate


def _identity(size: int) -> Rows:
    return [[float(i == j) for j in range(size)] for i in range(size)]


def _beside(a: Rows, b: Rows) -> Rows:
    """Along the diagonal."""
    right, left = [0.0] * len(b[0]), [0.0] * len(a[0])
    return [[*row, *right] for row in a] + [[*left, *row] for row in b]


def _listed(matrix: Mat3) -> Rows:
    return [list(row) for row in matrix.rows]


def _axes_in_joint(body: Body) -> Mat3:
    """Aᵀ, by which a vector of frame J is measured along the axes of the joint."""
    return Mat3.from_rows(*body.joint.axes)


def _from_parent(body: Body) -> Mat3:
    """From axes of the parent body, or of the world, to those of frame J."""
    return body.joint.X_PJ.q.conjugate().to_matrix()


def _linear(body: Body, quaternion: Quaternion, velocity: str) -> tuple[Rows, Rate | None]:
    """Of a free joint's linear velocity."""
    A = _axes_in_joint(body)
    if velocity == "world":
        return _listed(A @ _from_parent(body)), None
    if velocity != "body":
        return _identity(3), None
    # ṗ = Aᵀ R u, and Ṙ = R [ω]×
    R = quaternion.to_matrix()
    return _listed(A @ R), lambda u: _listed(A @ R @ skew(Vec3(*u[3:])))


def _in_parent(body: Body, quaternion: Quaternion) -> tuple[Rows, Rate | None]:
    """ω_child = Rᵀ ω; of it Rᵀ changes, Ṙᵀ = −[ω_child]× Rᵀ = −Rᵀ [ω]×"""
    back = quaternion.to_matrix().T
    turn = _from_parent(body)
    return _listed(back @ turn), lambda u: _listed(-(back @ skew(turn @ Vec3(*u))) @ turn)


def _planar(body: Body, angle: Scalar, velocity: str) -> tuple[Rows, Rate | None]:
    if velocity == "world":
        # Of three axes in space only two are the joint's: its velocities are left as they are.
        return _identity(3), None
    c, s = cos(angle), sin(angle)
    rows: Rows = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
    return rows, lambda u: [[-s * u[2], -c * u[2], 0.0], [c * u[2], -s * u[2], 0.0], [0.0, 0.0, 0.0]]


def _of_quaternion_rates(q: Quaternion) -> tuple[Rows, Rate | None]:
    """ω = 2 (q* ⊗ q̇), its vector part: S = 2 L."""

    def rows(of: Quaternion) -> Rows:
        w, x, y, z = (entry * 2.0 for entry in of)
        return [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]

    return rows(q), lambda u: rows(Quaternion(*u))


def _of_angle_rates(q: Quaternion, convention: AngleConvention) -> tuple[Rows, Rate | None]:
    """ω = W(angles) u"""
    angles = convention.from_quaternion(q)
    W = convention.body_rate_map(angles)
    return _listed(W), lambda u: _listed(convention.body_rate_map_derivative(angles, Vec3(*u)))
