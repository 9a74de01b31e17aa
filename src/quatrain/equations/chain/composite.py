"""Metric, Christoffel symbols and forces from composite bodies: for chains and trees of one-coordinate joints.

They take the twists s_k of the joints and the pseudo-inertias P_k of the bodies, all about one point in the ground's
axes, and, for a tree, the index of each body's parent, −1 for the ground, parents before children. "i ≥ sup"
of the chain becomes "in the subtree of the deepest joint"; entries whose joints lie on different branches are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from quatrain.equations.chain.christoffel import Symbols
from quatrain.equations.chain.twists import PseudoInertia, Twist, VelocityProduct, Wrench
from quatrain.errors import ArgumentError
from quatrain.geometry import Matrix, Vec3, cross, dot
from quatrain.scalar import Scalar

Parents = Sequence[int] | None
Summed = TypeVar("Summed", PseudoInertia, VelocityProduct, Wrench)


def subtree_sums(parts: Sequence[Summed], parents: Parents = None) -> list[Summed]:
    """Each body's part and those of all that it carries: P^c_σ = Σ_{i ≥ σ} P_i. O(n) from tip to base.

    Equations: X(9)
    """
    sums = list(parts)
    ancestors = _parents(len(sums), parents)
    for k in reversed(range(len(sums))):
        if ancestors[k] >= 0:
            sums[ancestors[k]] = sums[ancestors[k]] + sums[k]  # X(9)
    return sums


def _parents(n: int, parents: Parents) -> Sequence[int]:
    if parents is None:
        return range(-1, n - 1)
    if len(parents) != n or any(parent not in range(-1, k) for k, parent in enumerate(parents)):
        raise ArgumentError(
            f"parents = {list(parents)} do not describe a tree of {n} bodies",
            do="give each body the index of its parent, which stands before it, or −1 for the ground",
        )
    return parents


def _path(k: int, parents: Sequence[int]) -> list[int]:
    """k and all that carries it, from k to the base."""
    path = []
    while k != -1:
        path.append(k)
        k = parents[k]
    return path


# ---- one entry, as written -----------------------------------------------------------------------------


def metric_entry_by_trace(s: Sequence[Twist], composite: Sequence[PseudoInertia], a: int, b: int) -> Scalar:
    """a_αβ = tr(A_α P^c_sup(α,β) A_βᵀ), of a chain.

    Equations: X(10)
    """
    return _trace(s[a].matrix() @ composite[max(a, b)].matrix() @ s[b].matrix().T)  # X(10)


def christoffel_symbol_by_trace(
    s: Sequence[Twist], composite: Sequence[PseudoInertia], a: int, b: int, c: int
) -> Scalar:
    """Γ_αβ,γ = tr(A_inf(α,β) A_sup(α,β) P^c_sup(α,β,γ) A_γᵀ), of a chain.

    Equations: X(10)
    """
    P = composite[max(a, b, c)].matrix()
    return _trace(s[min(a, b)].matrix() @ s[max(a, b)].matrix() @ P @ s[c].matrix().T)  # X(10)


def _trace(m: Matrix) -> Scalar:
    return sum(m.rows[k][k] for k in range(4))


def metric_entry_by_inertia(s: Sequence[Twist], composite: Sequence[PseudoInertia], a: int, b: int) -> Scalar:
    """a_αβ = s_αᵀ I^c_sup(α,β) s_β, of a chain.

    Equations: X(11)
    """
    return s[a].power(composite[max(a, b)].momentum(s[b]))  # X(11)


def christoffel_symbol_by_inertia(
    s: Sequence[Twist], composite: Sequence[PseudoInertia], a: int, b: int, c: int
) -> Scalar:
    """Γ_αβ,γ = ½ [(s_inf × s_sup)ᵀ I^c s_γ − (s_α × s_γ)ᵀ I^c s_β − (s_β × s_γ)ᵀ I^c s_α], of a chain.

    Equations: X(11)
    """
    I = composite[max(a, b, c)].momentum  # noqa: E741 the name it has in every book
    first = s[min(a, b)].cross(s[max(a, b)]).power(I(s[c]))
    return (first - s[a].cross(s[c]).power(I(s[b])) - s[b].cross(s[c]).power(I(s[a]))) / 2  # X(11)


# ---- everything, in the fewest operations --------------------------------------------------------------


def metric_of_composites(s: Sequence[Twist], P: Sequence[PseudoInertia], parents: Parents = None) -> Matrix:
    """[a_αβ] in O(n d), d the depth of the tree.

    Equations: X(10), X(11)
    """
    n, ancestors, composite = len(s), _parents(len(s), parents), subtree_sums(P, parents)
    a: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for j in range(n):
        f = composite[j].momentum(s[j])
        for i in _path(j, ancestors):
            a[i][j] = a[j][i] = s[i].power(f)  # X(11)
    return Matrix(tuple(map(tuple, a)))


def christoffel_of_composites(
    s: Sequence[Twist], P: Sequence[PseudoInertia], parents: Parents = None
) -> Symbols:
    """All Γ_αβ,γ as Γ[α][β][γ] in O(n d²): n (n² − 1)/3 of a chain are computed, the others follow by symmetry.

    With k the deepest of the three joints only Γ_jk,i = s_iᵀ B(I^c_k, s_k) s_j is needed, i ≠ k. Then

        Γ_αβ,γ = Γ_βα,γ;   Γ_αβ,γ = 0 for γ = sup(α,β);   Γ_αβ,γ = −Γ_αγ,β for α ≤ β, γ

    and it vanishes by itself where inf(α,β) is prismatic, for its w is zero.

    Equations: X(10), XS(1), XS(2), XS(3), XS(4)
    """
    n, ancestors, composite = len(s), _parents(len(s), parents), subtree_sums(P, parents)
    Gamma: list[list[list[Scalar]]] = [[[0] * n for _ in range(n)] for _ in range(n)]  # XS(2)
    for k in range(n):
        path = _path(k, ancestors)
        B = VelocityProduct.of(composite[k], s[k])
        for depth, j in enumerate(path):
            f = B @ s[j]
            for i in path[1:]:
                Gamma[j][k][i] = Gamma[k][j][i] = s[i].power(f)  # X(10), XS(1)
            for i in path[1 : depth + 1]:  # i between j and k: there −Γ_jk,i = Γ_ji,k
                Gamma[j][i][k] = Gamma[i][j][k] = -Gamma[j][k][i]  # XS(3)
    return tuple(tuple(map(tuple, rows)) for rows in Gamma)


def coriolis_of_composites(
    s: Sequence[Twist], P: Sequence[PseudoInertia], dq: Sequence[Scalar], parents: Parents = None
) -> Matrix:
    """C_γα = Σ_β Γ_αβ,γ q̇^β in O(n d), without the symbols; dA/dt − 2C is skew.

    Equations: X(6)
    """
    n, ancestors, composite = len(s), _parents(len(s), parents), subtree_sums(P, parents)
    v = velocities(s, dq, parents)
    B = subtree_sums([VelocityProduct.of(P_k, v_k) for P_k, v_k in zip(P, v, strict=True)], parents)
    ds = [v_k.cross(s_k) for v_k, s_k in zip(v, s, strict=True)]
    C: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for j in range(n):
        f = composite[j].momentum(ds[j]) + B[j] @ s[j]
        momentum, returned = composite[j].momentum(s[j]), B[j].transposed_times(s[j])
        C[j][j] = s[j].power(f)
        for i in _path(j, ancestors)[1:]:
            C[i][j] = s[i].power(f)
            C[j][i] = ds[i].power(momentum) + s[i].power(returned)
    return Matrix(tuple(map(tuple, C)))


def velocities(s: Sequence[Twist], dq: Sequence[Scalar], parents: Parents = None) -> list[Twist]:
    """v_k = v_parent + s_k q̇^k"""
    result: list[Twist] = []
    for k, parent in enumerate(_parents(len(s), parents)):
        own = s[k] * dq[k]
        result.append(own if parent == -1 else result[parent] + own)
    return result


def forces_of_composites(
    s: Sequence[Twist],
    P: Sequence[PseudoInertia],
    dq: Sequence[Scalar],
    parents: Parents = None,
    *,
    gravity: Vec3 | None = None,
) -> list[Scalar]:
    """Σ_αβ Γ_αβ,γ q̇^α q̇^β, less the gravity forces if a field is given, in O(n): Newton–Euler with q̈ = 0.

    Gravity enters as an acceleration −g of the ground.

    Equations: X(7)
    """
    v = velocities(s, dq, parents)
    a: list[Twist] = []
    ground = Twist.zero() if gravity is None else Twist(Vec3.zero(), -gravity)
    for k, parent in enumerate(_parents(len(s), parents)):
        before = ground if parent == -1 else a[parent]
        a.append(before + v[k].cross(s[k]) * dq[k])
    needed = [
        P_k.momentum(a_k) + v_k.cross_dual(P_k.momentum(v_k)) for P_k, a_k, v_k in zip(P, a, v, strict=True)
    ]
    return [s_k.power(f) for s_k, f in zip(s, subtree_sums(needed, parents), strict=True)]


def gravity_of_composites(
    s: Sequence[Twist], P: Sequence[PseudoInertia], gravity: Vec3, parents: Parents = None
) -> list[Scalar]:
    """Q_γ^g = ξ̄_γ e_γ·[(h^c_γ − m^c_γ o_γ) × g] + ξ_γ m^c_γ e_γ·g in O(n).

    Equations: X(3)
    """
    return [
        dot(s_k.w, cross(body.h, gravity)) + dot(s_k.u, gravity * body.m)
        for s_k, body in zip(s, subtree_sums(P, parents), strict=True)
    ]  # X(3)
