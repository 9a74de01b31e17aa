"""The curvature of the configuration space, with the mass matrix for its metric.

The machine's points are a surface in the flat space of all their places, so Gauss's equation gives the curvature
without derivatives of the connection:

    R[a, b, c, d] = ⟨R(e_a, e_b) e_c, e_d⟩ = ⟨N_bc, N_ad⟩ − ⟨N_ac, N_bd⟩

where N_bc is the part of ∂/∂b ∂x/∂c that no joint allows. Its products are those of the second derivatives
themselves, tr(A_b A_c P A_dᵀ A_aᵀ), less Γ[b, c, ·] M⁻¹ Γ[a, d, ·].

There are nv⁴ entries: a kernel of more than some ten freedoms takes long to compile.

M. do Carmo, Riemannian Geometry (1992), chapter 6; R(X, Y) = ∇_X ∇_Y − ∇_Y ∇_X − ∇_[X,Y].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from quatrain.equations.connection import christoffel, in_moving_frame
from quatrain.equations.coriolis import Twist
from quatrain.equations.mass_matrix import mass_matrix
from quatrain.equations.mass_matrix_inverse import Factors, couplings
from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equations.tree import Tree
from quatrain.geometry import Mat3, Vec3, dot, outer, skew
from quatrain.model import Model
from quatrain.scalar import Scalar

Pair = tuple[int, int]


def curvature(model: Model, q: Sequence[Scalar]) -> list[list[list[list[Scalar]]]]:
    """R[a, b, c, d] = ⟨R(e_a, e_b) e_c, e_d⟩, antisymmetric in a and b, and in c and d.

    R[a, b, b, a] is the sectional curvature times the squared area of e_a and e_b.
    """
    tree, n = Tree.of(model), model.nv
    outside = _products(tree, q)
    first = christoffel(model, q)
    solve = Factors.of(mass_matrix(model, q), couplings(tree)).solve
    second = [[solve(row) for row in rows] for rows in first]

    def normal(b: int, c: int, a: int, d: int) -> Scalar:
        """⟨N_bc, N_ad⟩"""
        within = sum((x * y for x, y in zip(first[b][c], second[a][d], strict=True)), 0.0)
        return outside[(b, c), (a, d)] - within

    R: list[list[list[list[Scalar]]]] = [[[[0.0] * n for _ in range(n)] for _ in range(n)] for _ in range(n)]
    for a, b in combinations(range(n), 2):
        for c, d in combinations(range(n), 2):
            value = normal(b, c, a, d) - normal(a, c, b, d)
            R[a][b][c][d] = R[b][a][d][c] = value
            R[b][a][c][d] = R[a][b][d][c] = -value
    return R


@dataclass(frozen=True)
class _Second:
    """∂/∂b ∂x/∂c = B x of all that lies beyond a segment, B = [X y; 0 0], and the (b, c) it belongs to."""

    X: Mat3
    y: Vec3
    segment: int
    pairs: tuple[Pair, ...]

    @classmethod
    def of(cls, first: Twist, second: Twist, segment: int, pairs: tuple[Pair, ...]) -> _Second:
        """A_first A_second"""
        w = skew(first.w)
        return cls(w @ skew(second.w), w @ second.u, segment, pairs)

    def times(self, P: PseudoInertia) -> tuple[Mat3, Vec3]:
        """B P: its 3×3 part and its last column."""
        return self.X @ P.Pi.to_mat3() + outer(self.y, P.h), self.X @ P.h + self.y * P.m


def _products(tree: Tree, q: Sequence[Scalar]) -> dict[tuple[Pair, Pair], Scalar]:
    """⟨∂/∂b ∂x/∂c, ∂/∂a ∂x/∂d⟩ by (b, c) and (a, d); 0 where none is listed."""
    axes, P = in_moving_frame(tree, q)
    seconds = []
    for K, segment in enumerate(tree.segments):
        for J in tree.path(K):
            for j, one in enumerate(axes[J], tree.segments[J].v):
                for k, other in enumerate(axes[K], segment.v):
                    pairs = ((j, k),) if J == K else ((j, k), (k, j))
                    seconds.append(_Second.of(one, other, K, pairs))
    found: dict[tuple[Pair, Pair], Scalar] = defaultdict(float)
    for one_second in seconds:
        way = set(tree.path(one_second.segment))
        X, y = one_second.times(P[one_second.segment])
        # Those on the same way to the ground that do not lie further out; of equals each pair both ways.
        for other_second in seconds:
            if other_second.segment in way:
                rows = zip(X.rows, other_second.X.rows, strict=True)
                value = sum((dot(x, z) for x, z in rows), 0.0) + dot(y, other_second.y)
                for pair in one_second.pairs:
                    for partner in other_second.pairs:
                        found[pair, partner] = found[pair, partner] + value
                        if other_second.segment != one_second.segment:
                            found[partner, pair] = found[partner, pair] + value
    return found
