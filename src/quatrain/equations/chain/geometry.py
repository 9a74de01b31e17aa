"""The chain at one configuration: orientations, axes and points, in the ground's axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quatrain.equations.chain.links import Chain, Link
from quatrain.equations.chain.rotations import joint_rotation
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.scalar import Scalar


@dataclass(frozen=True, slots=True)
class Configuration:
    """All that the other equations need of a chain at q. Made by `configuration`.

    p            p_1 … p_n
    p_0          p_{0,0} … p_{0,n}: numbered by frames, so p_0[0] is the ground's, 1
    e            e_1 … e_n, axes
    rho_next     ρ_11 … ρ_nn
    rho          ρ_1 … ρ_n
    o            o_1 … o_n, the points that the joints turn about
    r            r_1 … r_n, mass centres
    """

    chain: Chain
    q: tuple[Scalar, ...]
    p: tuple[Quaternion, ...]
    p_0: tuple[Quaternion, ...]
    e: tuple[Vec3, ...]
    rho_next: tuple[Vec3, ...]
    rho: tuple[Vec3, ...]
    o: tuple[Vec3, ...]
    r: tuple[Vec3, ...]

    @property
    def links(self) -> tuple[Link, ...]:
        return self.chain.links

    @property
    def n(self) -> int:
        return len(self.chain.links)


def configuration(chain: Chain, q: Iterable[Scalar]) -> Configuration:
    """The chain at the coordinates q: (n,) [rad, m], one scalar (or column) for each joint.

    Equations: Z(35), Z(36), Z(37), Z(38), X(0)
    Corrected Z(35): it is not said that ρ_i begins at the end of ρ_ii, and that the first joint stands at the origin.
    Corrected Z(37): it is not said that p_{0,0} = 1.
    """
    require(chain, Chain, "chain")
    q = tuple(q)
    if len(q) != len(chain):
        raise ArgumentError(
            f"q has {len(q)} elements; the chain has {len(chain)} joints",
            do="give one scalar, or one NumPy column, for each joint",
        )
    p, p_0 = [], [Quaternion.identity()]
    e, rho_next, rho, o, r = [], [], [], [chain.rho_00], []
    for link, q_k in zip(chain.links, q, strict=True):
        p.append(joint_rotation(link.xi, link.e, q_k))
        p_0.append(p_0[-1] @ p[-1])
        e.append(p_0[-2].rotate(link.e))  # Z(37)
        rho_next.append(p_0[-1].rotate(link.rho_next))  # Z(36)
        rho.append(p_0[-1].rotate(link.rho))  # Z(38)
        o.append(o[-1] + rho_next[-1] + e[-1] * (link.xi * q_k))  # X(0)
        r.append(o[-1] + rho[-1])  # Z(35)
    return Configuration(
        chain, q, tuple(p), tuple(p_0), tuple(e), tuple(rho_next), tuple(rho), tuple(o[:-1]), tuple(r)
    )


def joint_origin(at: Configuration, i: int) -> Vec3:
    """O_i, the joint point that is fixed in body i: o_i + ξ_i e_i q^i."""
    return at.o[i] + at.e[i] * (at.links[i].xi * at.q[i])


def tool_point(at: Configuration) -> Vec3:
    """O_{n+1} = C_n − ρ_n, the far end of ρ_nn."""
    return at.r[-1] - at.rho[-1]


def body_pose(at: Configuration, i: int) -> Pose:
    """Body i seen from the ground: p_{0,i}, and its origin O_i."""
    return Pose(at.p_0[i + 1], joint_origin(at, i))
