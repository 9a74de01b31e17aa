"""A serial chain of revolute joints, written over the geometry: the program that the compiler is measured with.

`inverse_dynamics` is the recursive Newton-Euler algorithm in body frames, about 1,500 operations for
seven joints in general position. `hand_derivatives` are its derivatives by q and v as they have been
derived by hand, to compare what the compiler derives with: the same numbers, by other equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quatrain import Mat3, Quaternion, SymMat3, Vec3, cross, dot, skew
from quatrain.scalar import cos, sin


@dataclass(frozen=True)
class Link:
    """A body B that turns about the z axis of a frame J fixed in its parent P; origins of J and B coincide."""

    R_PJ: Mat3
    p_PJ: Vec3
    mass: float
    p_BBcm: Vec3
    I_Bcm_B: SymMat3


@dataclass(frozen=True)
class Chain:
    links: tuple[Link, ...]
    gravity: Vec3

    def __len__(self) -> int:
        return len(self.links)


def random_chain(joints: int = 7, seed: int = 0) -> Chain:
    """Joints in general position: no parallel axes, no zero offsets, no diagonal inertias."""
    rng = np.random.default_rng(seed)
    links = []
    for _ in range(joints):
        w, x, y, z = rng.normal(size=4).tolist()
        a = rng.normal(size=(3, 3))
        links.append(
            Link(
                Quaternion(w, x, y, z).normalised().to_matrix(),
                Vec3(*rng.uniform(-0.5, 0.5, size=3).tolist()),
                float(rng.uniform(0.5, 5.0)),
                Vec3(*rng.uniform(-0.2, 0.2, size=3).tolist()),
                SymMat3(*(float(e) for e in SymMat3.from_array(0.01 * (a @ a.T + np.eye(3))))),
            )
        )
    return Chain(tuple(links), Vec3(0.0, 0.0, -9.81))


@dataclass(frozen=True)
class Turn:
    """A joint at an angle: takes components between body B and parent P."""

    R_PJ: Mat3
    c: Any
    s: Any

    def to_parent(self, v_B: Vec3) -> Vec3:
        v_J = Vec3(self.c * v_B.x - self.s * v_B.y, self.s * v_B.x + self.c * v_B.y, v_B.z)
        return self.R_PJ @ v_J

    def to_body(self, v_P: Vec3) -> Vec3:
        v_J = self.R_PJ.T @ v_P
        return Vec3(self.c * v_J.x + self.s * v_J.y, self.c * v_J.y - self.s * v_J.x, v_J.z)


def inverse_dynamics(chain: Chain) -> Callable[..., dict[str, Any]]:
    """tau from q, v and a, each a sequence of one scalar for each joint."""

    def torques(q: Sequence[Any], v: Sequence[Any], a: Sequence[Any]) -> dict[str, Any]:
        turns, wrenches = [], []
        w, alpha, acc = Vec3.zero(), Vec3.zero(), -chain.gravity  # of the body in W, in its own frame
        for link, q_i, v_i, a_i in zip(chain.links, q, v, a, strict=True):
            turn = Turn(link.R_PJ, cos(q_i), sin(q_i))
            acc_J = acc + cross(alpha, link.p_PJ) + cross(w, cross(w, link.p_PJ))
            w_P = turn.to_body(w)
            w = w_P + Vec3(0, 0, v_i)
            alpha = turn.to_body(alpha) + cross(w_P, Vec3(0, 0, v_i)) + Vec3(0, 0, a_i)
            acc = turn.to_body(acc_J)
            wrenches.append(_body_wrench(link, w, alpha, acc))
            turns.append(turn)
        result: list[Any] = []
        f, t = Vec3.zero(), Vec3.zero()
        for link, turn, (f_B, t_B) in reversed(list(zip(chain.links, turns, wrenches, strict=True))):
            f, t = f + f_B, t + t_B
            result.append(t.z)
            f = turn.to_parent(f)
            t = turn.to_parent(t) + cross(link.p_PJ, f)
        return {"tau": np.array(result[::-1], dtype=object)}

    return torques


def _body_wrench(link: Link, w: Vec3, alpha: Vec3, acc: Vec3) -> tuple[Vec3, Vec3]:
    """Newton-Euler: force on the body, and torque about its origin."""
    c = link.p_BBcm
    f = (acc + cross(alpha, c) + cross(w, cross(w, c))) * link.mass
    return f, link.I_Bcm_B @ alpha + cross(w, link.I_Bcm_B @ w) + cross(c, f)


# ---- derived by hand ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Motion:
    """A spatial motion vector about W's origin in W: angular and linear part."""

    w: Vec3
    v: Vec3

    def __add__(self, other: Motion) -> Motion:
        return Motion(self.w + other.w, self.v + other.v)

    def __mul__(self, factor: Any) -> Motion:
        return Motion(self.w * factor, self.v * factor)

    def crossed(self, other: Motion) -> Motion:
        """self × other"""
        return Motion(cross(self.w, other.w), cross(self.w, other.v) + cross(self.v, other.w))


@dataclass(frozen=True)
class Force:
    """A spatial force vector about W's origin in W: torque and force."""

    t: Vec3
    f: Vec3

    def __add__(self, other: Force) -> Force:
        return Force(self.t + other.t, self.f + other.f)

    def on(self, m: Motion) -> Any:
        return dot(self.t, m.w) + dot(self.f, m.v)


@dataclass(frozen=True)
class Composite:
    """What the bodies from a joint outwards add up to, about W's origin in W.

    The inertia I = [J, [h]×; −[h]×, m 1]; the matrix 2B = dI/dt + (I v) ×̄*, which is [E, 0; −2 [p]×, 0] with p
    the linear momentum; and the force f = I a + v ×* I v.
    """

    m: Any
    h: Vec3
    J: SymMat3
    E: Mat3
    p: Vec3
    f: Force

    def __add__(self, other: Composite) -> Composite:
        return Composite(
            *(self.m + other.m, self.h + other.h, self.J + other.J),
            *(self.E + other.E, self.p + other.p, self.f + other.f),
        )

    def inertia(self, m: Motion) -> Force:
        return _momentum(self.m, self.h, self.J, m)

    def twice_B(self, m: Motion) -> Force:
        return Force(self.E @ m.w, cross(self.p, m.w) * -2)

    def twice_B_transposed(self, m: Motion) -> Vec3:
        """Angular part; the linear part is zero."""
        return self.E.T @ m.w + cross(self.p, m.v) * 2


def _momentum(m: Any, h: Vec3, J: SymMat3, of: Motion) -> Force:
    return Force(J @ of.w + cross(h, of.v), of.v * m - cross(h, of.w))


def _composite(link: Link, R: Mat3, p_W: Vec3, vel: Motion, acc: Motion) -> Composite:
    c = p_W + R @ link.p_BBcm
    h = c * link.mass
    I_cm = link.I_Bcm_B.rotated(R)
    square = dot(c, h)
    J = I_cm + SymMat3(
        *(square - h.x * c.x, square - h.y * c.y, square - h.z * c.z),
        *(-(h.x * c.y), -(h.x * c.z), -(h.y * c.z)),
    )
    momentum, force = (_momentum(link.mass, h, J, of) for of in (vel, acc))
    L, p = momentum.t, momentum.f
    # dJ/dt = ω×J − J ω× − v× h× − h× v×, where (ω×J)ᵀ = −J ω× and (v× h×)ᵀ = h× v×.
    WJ = skew(vel.w) @ J.to_mat3()
    VH = skew(vel.v) @ skew(h)
    E = WJ + WJ.T - (VH + VH.T) - skew(L)
    f = force + Force(cross(vel.w, L) + cross(vel.v, p), cross(vel.w, p))
    return Composite(link.mass, h, J, E, p, f)


def hand_derivatives(chain: Chain) -> Callable[..., dict[str, Any]]:
    """tau, ∂tau/∂q, ∂tau/∂v by the equations of Singh, Russell and Wensing.

    Efficient Analytical Derivatives of Rigid-Body Dynamics using Spatial Vector Algebra, 2022,
    arXiv:2105.05102; here in world axes, about W's origin, as Pinocchio's computeRNEADerivatives does it,
    and the zeros of B are made use of:

        Ψ̇_j = v_λ × S_j,   Ψ̈_j = a_λ × S_j + v_λ × Ψ̇_j,   Ṡ_j = v_j × S_j
        ∂τ_i/∂q_j = S_iᵀ (2B_j Ψ̇_j + I_j Ψ̈_j + S_j ×* f_j)                 i ≤ j, the last term for i < j
        ∂τ_j/∂q_i = S_jᵀ (2B_j Ψ̇_i + I_j Ψ̈_i)                              i < j
        ∂τ_i/∂v_j = S_iᵀ (2B_j S_j + I_j (Ψ̇_j + Ṡ_j))                       i ≤ j
        ∂τ_j/∂v_i = S_jᵀ (2B_j S_i + I_j (Ψ̇_i + Ṡ_i))                       i < j

    I_j, B_j, f_j are those of all bodies from j outwards.
    """

    def derivatives(q: Sequence[Any], v: Sequence[Any], a: Sequence[Any]) -> dict[str, Any]:
        R, p_W = Mat3.identity(), Vec3.zero()
        vel, acc = Motion(Vec3.zero(), Vec3.zero()), Motion(Vec3.zero(), -chain.gravity)
        joints, composites = [], []
        for link, q_i, v_i, a_i in zip(chain.links, q, v, a, strict=True):
            c, s = cos(q_i), sin(q_i)
            p_W = p_W + R @ link.p_PJ
            x, y, z = (R @ link.R_PJ).columns
            R = Mat3.from_columns(x * c + y * s, y * c - x * s, z)
            S = Motion(z, cross(p_W, z))
            psi1 = vel.crossed(S)
            psi2 = acc.crossed(S) + vel.crossed(psi1)
            vel = vel + S * v_i
            # v × S is Ψ̇ here, since S × S = 0.
            acc = acc + S * a_i + psi1 * v_i
            joints.append((S, psi1, psi2, psi1 + psi1))
            composites.append(_composite(link, R, p_W, vel, acc))
        n = len(chain)
        tau = np.empty(n, dtype=object)
        by_q = np.empty((n, n), dtype=object)
        by_v = np.empty((n, n), dtype=object)
        body = None
        for j in range(n - 1, -1, -1):
            body = composites[j] if body is None else composites[j] + body
            S, psi1, psi2, psi3 = joints[j]
            tau[j] = body.f.on(S)
            turned = Force(cross(S.w, body.f.t) + cross(S.v, body.f.f), cross(S.w, body.f.f))
            column_q = body.twice_B(psi1) + body.inertia(psi2)
            above = column_q + turned
            column_v = body.twice_B(S) + body.inertia(psi3)
            row_I = body.inertia(S)
            row_B = body.twice_B_transposed(S)
            by_q[j, j] = column_q.on(S)
            by_v[j, j] = column_v.on(S)
            for i in range(j):
                S_i, psi1_i, psi2_i, psi3_i = joints[i]
                by_q[i, j] = above.on(S_i)
                by_q[j, i] = dot(row_B, psi1_i.w) + row_I.on(psi2_i)
                by_v[i, j] = column_v.on(S_i)
                by_v[j, i] = dot(row_B, S_i.w) + row_I.on(psi3_i)
        return {"tau": tau, "tau_by_q": by_q, "tau_by_v": by_v}

    return derivatives


# ---- the same for Pinocchio --------------------------------------------------------------------------


def pinocchio_model(chain: Chain) -> Any:
    """The chain as Pinocchio has it."""
    import pinocchio

    model, parent = pinocchio.Model(), 0
    for k, link in enumerate(chain.links):
        place = pinocchio.SE3(np.array(link.R_PJ.to_array(), float), np.array(link.p_PJ.to_array(), float))
        inertia = pinocchio.Inertia(
            link.mass, np.array(link.p_BBcm.to_array(), float), np.array(link.I_Bcm_B.to_array(), float)
        )
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), place, f"joint {k}")
        model.appendBodyToJoint(parent, inertia, pinocchio.SE3.Identity())
    model.gravity.linear = np.array(list(chain.gravity))
    return model
