"""States, forces, Jacobians and mass matrices to and from the conventions of other programs.

    theirs = qt.convert.pinocchio(robot)
    pin.rnea(model, data, theirs.q_to(q), theirs.v_to(q, v), theirs.a_to(q, v, a))     # = theirs.tau_to(q, tau)

Between their velocities and ours stands a matrix B(q) of rotations and exchanges, v' = B v; it is orthogonal, so that
forces go the same way, τ' = B τ, and J' = J Bᵀ, M' = B M Bᵀ. Of accelerations there is more, a' = B a + Ḃ v.

What each does otherwise than this program is in its `Convention`; the table is in docs/conventions.md.
Jacobians of Drake and RBDL have their angular rows first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quatrain.errors import ArgumentError
from quatrain.model import Body, Model


@dataclass(frozen=True)
class Convention:
    """What a program does otherwise than this one."""

    name: str
    scalar_last: bool = False
    """Quaternions are (x, y, z, w)."""
    scalar_at_end: bool = False
    """… and their w stand behind all other coordinates."""
    turning_first: bool = False
    """Of a free joint the quaternion before the position, ω before ṗ."""
    moving_in_body: bool = False
    """Linear velocities of free and planar joints are in the child."""
    turning_in_parent: bool = False
    """Angular velocities are in the parent."""
    circles: bool = False
    """Angles that go round are cosine and sine."""
    ball_in_angles: bool = False
    """A ball joint's q is roll, pitch and yaw."""
    angular_rows_first: bool = False
    without: tuple[str, ...] = ()
    """Kinds of joints it has not."""


PINOCCHIO = Convention("Pinocchio", scalar_last=True, moving_in_body=True, circles=True)
MUJOCO = Convention("MuJoCo", without=("helical",))
DRAKE = Convention(
    "Drake", turning_first=True, turning_in_parent=True, ball_in_angles=True, angular_rows_first=True
)
RBDL = Convention("RBDL", scalar_at_end=True, angular_rows_first=True)
ROS = Convention("ROS", scalar_last=True, moving_in_body=True)


def pinocchio(robot: Any, joints: Iterable[str] | None = None) -> Translation:
    """`joints`: names of the joints in their order (`model.names[1:]`), if it is not ours."""
    return Translation.of(robot, PINOCCHIO, joints)


def mujoco(robot: Any, joints: Iterable[str] | None = None) -> Translation:
    """`joints`: names of the joints in their order, if it is not ours."""
    return Translation.of(robot, MUJOCO, joints)


def drake(robot: Any, joints: Iterable[str] | None = None) -> Translation:
    """`joints`: names of the joints in their order, if it is not ours."""
    return Translation.of(robot, DRAKE, joints)


def rbdl(robot: Any, joints: Iterable[str] | None = None) -> Translation:
    """`joints`: names of the joints in their order, if it is not ours."""
    return Translation.of(robot, RBDL, joints)


def ros(robot: Any, joints: Iterable[str] | None = None) -> Translation:
    """`joints`: names of the joints in their order, if it is not ours."""
    return Translation.of(robot, ROS, joints)


@dataclass(frozen=True, eq=False)
class _Part:
    """One joint: where it stands here and there."""

    kind: str
    axes: Any
    """Of a free joint, as columns: position and linear velocity are along them."""
    q: slice
    v: slice
    q_there: list[int]
    v_there: slice

    def rotation(self, q: Any) -> Any:
        """R of the child in the parent (..., 3, 3), of a free or a ball joint; of a planar one that in its plane."""
        if self.kind == "planar":
            c, s = np.cos(q[..., self.q.stop - 1]), np.sin(q[..., self.q.stop - 1])
            return np.stack((np.stack((c, -s), -1), np.stack((s, c), -1)), -2)
        w, x, y, z = np.moveaxis(q[..., self.q.stop - 4 : self.q.stop], -1, 0)
        rows = (
            (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
        )
        return np.stack([np.stack(row, -1) for row in rows], -2)


@dataclass(frozen=True, eq=False)
class Translation:
    """Between one robot's arrays and those of another program; any leading batch axes."""

    convention: Convention
    model: Model
    parts: tuple[_Part, ...]
    nq: int
    """Of theirs."""

    @classmethod
    def of(cls, robot: Any, convention: Convention, joints: Iterable[str] | None = None) -> Translation:
        model: Model = getattr(robot, "model", robot)
        if not isinstance(model, Model):
            raise ArgumentError(f"robot is a {type(robot).__name__}", do="pass a Robot or a Model")
        own = [k for k, body in enumerate(model.bodies) if body.joint.nv]
        for k in own:
            if model.bodies[k].joint.kind in convention.without:
                joint = model.bodies[k].joint
                raise ArgumentError(
                    f"joint {joint.name!r} is {joint.kind}, which {convention.name} has not",
                    do="convert a robot without it",
                )
        order = _ordered(model, own, joints)
        parts: list[_Part] = []
        balls = sum(model.bodies[k].joint.kind in ("ball", "free") for k in order)
        there_q = there_v = 0
        body_q = sum(_size(model.bodies[k], convention) for k in order)
        end = body_q - balls if convention.scalar_at_end else body_q
        for k in order:
            joint = model.bodies[k].joint
            count = _size(model.bodies[k], convention)
            if convention.scalar_at_end and joint.kind in ("ball", "free"):
                places = [*range(there_q, there_q + count - 1), end]
                end += 1
            else:
                places = list(range(there_q, there_q + count))
            there_q += count - (convention.scalar_at_end and joint.kind in ("ball", "free"))
            q, v = model.q_starts[k], model.v_starts[k]
            axes = np.array([[float(x) for x in axis] for axis in joint.axes]).T
            parts.append(
                _Part(
                    joint.kind, axes, slice(q, q + joint.nq), slice(v, v + joint.nv),
                    places, slice(there_v, there_v + joint.nv),
                )
            )  # fmt: skip
            there_v += joint.nv
        return cls(convention, model, tuple(parts), body_q)

    # ---- configurations ---------------------------------------------------------------------------

    def q_to(self, q: Any) -> Any:
        """Theirs from ours (..., nq)."""
        q = self._array(q, self.model.nq, "q")
        found = np.empty((*q.shape[:-1], self.nq))
        for part in self.parts:
            found[..., part.q_there] = _q_to(part, q[..., part.q], self.convention)
        return found

    def q_from(self, q: Any) -> Any:
        """Ours from theirs; an angle from cosine and sine is in (−π, π], a quaternion from angles has w ≥ 0."""
        q = self._array(q, self.nq, "q")
        found = np.zeros((*q.shape[:-1], self.model.nq))
        for part in self.parts:
            found[..., part.q] = _q_from(part, q[..., part.q_there], self.convention)
        return found

    # ---- velocities, accelerations, forces ----------------------------------------------------------

    def matrix(self, q: Any) -> Any:
        """B(q) (..., nv, nv), orthogonal, with v' = B v; q is ours."""
        q = self._array(q, self.model.nq, "q")
        B = np.zeros((*q.shape[:-1], self.model.nv, self.model.nv))
        for part in self.parts:
            B[..., part.v_there, part.v] = _block(part, q, self.convention)
        return B

    def v_to(self, q: Any, v: Any) -> Any:
        """Theirs from ours (..., nv), at our q."""
        return self._turned(q, v, "v")

    def v_from(self, q: Any, v: Any) -> Any:
        """Ours from theirs, at our q."""
        return self._turned_back(q, v, "v")

    def a_to(self, q: Any, v: Any, a: Any) -> Any:
        """Derivatives of their velocities from those of ours: B a + Ḃ v."""
        return self._turned(q, a, "a") + self._rate(q, self.v_to(q, v))

    def a_from(self, q: Any, v: Any, a: Any) -> Any:
        """The reverse; q and v are ours, a is theirs."""
        return self._turned_back(q, np.asarray(a, float) - self._rate(q, self.v_to(q, v)), "a")

    def tau_to(self, q: Any, tau: Any) -> Any:
        """Theirs from ours (..., nv): forces that do the same work."""
        return self._turned(q, tau, "tau")

    def tau_from(self, q: Any, tau: Any) -> Any:
        return self._turned_back(q, tau, "tau")

    # ---- matrices -----------------------------------------------------------------------------------

    def jacobian_to(self, q: Any, J: Any) -> Any:
        """Theirs from ours (..., 6, nv): columns, and their order of rows."""
        J = self._array(J, self.model.nv, "J")
        return self._rows(J @ self.matrix(q).swapaxes(-1, -2))

    def jacobian_from(self, q: Any, J: Any) -> Any:
        J = self._array(J, self.model.nv, "J")
        return self._rows(J @ self.matrix(q))

    def mass_matrix_to(self, q: Any, M: Any) -> Any:
        """Theirs from ours (..., nv, nv)."""
        B, M = self.matrix(q), self._array(M, self.model.nv, "M")
        return B @ M @ B.swapaxes(-1, -2)

    def mass_matrix_from(self, q: Any, M: Any) -> Any:
        B, M = self.matrix(q), self._array(M, self.model.nv, "M")
        return B.swapaxes(-1, -2) @ M @ B

    # ---- of use above -------------------------------------------------------------------------------

    def _turned(self, q: Any, x: Any, name: str) -> Any:
        return np.einsum("...ab,...b->...a", self.matrix(q), self._array(x, self.model.nv, name))

    def _turned_back(self, q: Any, x: Any, name: str) -> Any:
        return np.einsum("...ba,...b->...a", self.matrix(q), self._array(x, self.model.nv, name))

    def _rate(self, q: Any, v: Any) -> Any:
        """Ḃ v: of velocities that are seen from the turning child, −ω × v'; v is theirs."""
        found = np.zeros_like(v)
        if self.convention.moving_in_body:
            for part in self.parts:
                own = v[..., part.v_there]
                if part.kind == "free":
                    found[..., part.v_there][..., :3] = -np.cross(own[..., 3:], own[..., :3])
                elif part.kind == "planar":
                    x, y, w = np.moveaxis(own, -1, 0)
                    found[..., part.v_there][..., :2] = np.stack((w * y, -w * x), -1)
        return found

    def _rows(self, J: Any) -> Any:
        if J.shape[-2] != 6:
            raise ArgumentError(f"J has shape {J.shape}", do="pass (..., 6, nv)")
        return J[..., [3, 4, 5, 0, 1, 2], :] if self.convention.angular_rows_first else J

    def _array(self, x: Any, size: int, name: str) -> Any:
        x = np.asarray(x, float)
        if x.shape[-1:] != (size,):
            raise ArgumentError(
                f"{name} has shape {x.shape}; here it is (..., {size})",
                do=f"pass that of {self.model.name!r}, with its coordinates along the last axis",
            )
        return x


def _ordered(model: Model, own: Sequence[int], joints: Iterable[str] | None) -> list[int]:
    """Bodies whose joints move, in the order of the other program."""
    if joints is None:
        return list(own)
    by_name = {model.bodies[k].joint.name: k for k in own}
    given = [name for name in joints if name in by_name]
    missing = [name for name in by_name if name not in given]
    if missing or len(given) != len(by_name):
        what = f"joints leaves out {missing[0]!r}" if missing else "joints names one twice"
        raise ArgumentError(what, do=f"name each of {', '.join(by_name)} once, in the other program's order")
    return [by_name[name] for name in given]


def _size(body: Body, convention: Convention) -> int:
    """Coordinates of a joint there."""
    kind = body.joint.kind
    if kind == "ball" and convention.ball_in_angles:
        return 3
    return int(body.joint.nq) + (convention.circles and kind in ("continuous", "planar"))


def _block(part: _Part, q: Any, convention: Convention) -> Any:
    """Of B, for one joint."""
    size = part.v.stop - part.v.start
    block = np.zeros((*q.shape[:-1], size, size))
    block[..., range(size), range(size)] = 1.0
    if part.kind == "ball" and convention.turning_in_parent:
        return part.rotation(q)
    if part.kind == "planar" and convention.moving_in_body:
        block[..., :2, :2] = part.rotation(q).swapaxes(-1, -2)
    if part.kind != "free":
        return block
    R = part.rotation(q)
    linear = R.swapaxes(-1, -2) @ part.axes if convention.moving_in_body else part.axes
    angular = R if convention.turning_in_parent else np.eye(3)
    if convention.turning_first:
        block[...] = 0.0
        block[..., :3, 3:], block[..., 3:, :3] = angular, linear
    else:
        block[..., :3, :3], block[..., 3:, 3:] = linear, angular
    return block


def _q_to(part: _Part, q: Any, convention: Convention) -> Any:
    if part.kind in ("continuous", "planar") and convention.circles:
        return np.concatenate((q[..., :-1], np.cos(q[..., -1:]), np.sin(q[..., -1:])), axis=-1)
    if part.kind == "ball" and convention.ball_in_angles:
        return _roll_pitch_yaw(q)
    if part.kind not in ("ball", "free"):
        return q
    quaternion = q[..., -4:]
    if convention.scalar_last or convention.scalar_at_end:
        quaternion = np.roll(quaternion, -1, axis=-1)
    position = q[..., :-4] if part.kind == "ball" else np.einsum("ij,...j->...i", part.axes, q[..., :3])
    pieces = (quaternion, position) if convention.turning_first else (position, quaternion)
    return np.concatenate(pieces, axis=-1)


def _q_from(part: _Part, q: Any, convention: Convention) -> Any:
    if part.kind in ("continuous", "planar") and convention.circles:
        angle = np.arctan2(q[..., -1:], q[..., -2:-1])
        return np.concatenate((q[..., :-2], angle), axis=-1)
    if part.kind == "ball" and convention.ball_in_angles:
        return _from_roll_pitch_yaw(q)
    if part.kind not in ("ball", "free"):
        return q
    first, last = (q[..., :4], q[..., 4:]) if convention.turning_first else (q[..., -4:], q[..., :-4])
    quaternion = np.roll(first, 1, axis=-1) if convention.scalar_last or convention.scalar_at_end else first
    position = last if part.kind == "ball" else np.einsum("ji,...j->...i", part.axes, last)
    return np.concatenate((position, quaternion), axis=-1)


def _roll_pitch_yaw(q: Any) -> Any:
    """Of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    roll = np.arctan2(2 * (w * x + y * z), w * w - x * x - y * y + z * z)
    # Both the sine and the cosine of pitch: near ±90° the sine alone knows half the digits.
    level = np.hypot(2 * (x * y + w * z), w * w + x * x - y * y - z * z)
    pitch = np.arctan2(2 * (w * y - x * z), level)
    yaw = np.arctan2(2 * (x * y + w * z), w * w + x * x - y * y - z * z)
    return np.stack((roll, pitch, yaw), axis=-1)


def _from_roll_pitch_yaw(angles: Any) -> Any:
    (cr, cp, cy), (sr, sp, sy) = (np.moveaxis(f(angles / 2), -1, 0) for f in (np.cos, np.sin))
    quaternion = np.stack(
        (
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ),
        axis=-1,
    )
    return np.where(quaternion[..., :1] < 0, -quaternion, quaternion)
