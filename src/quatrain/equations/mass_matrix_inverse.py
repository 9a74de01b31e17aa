"""The inverse of the mass matrix, and accelerations by it, from factors that are as sparse as the tree.

M = Lᵀ D L, with ones on the diagonal of the lower triangular L and D diagonal. Taken from the leaves inwards no
zero is filled: L[i, j] is there only for velocities j on the way from i to the ground. Joints that follow others
couple branches, and then some are; the factors hold whatever arises.

R. Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quatrain.equations.inverse_dynamics import Wrench, bias_force
from quatrain.equations.mass_matrix import mass_matrix
from quatrain.equations.tree import Tree
from quatrain.model import Model
from quatrain.scalar import Scalar


def mass_matrix_inverse(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M⁻¹, symmetric and positive: what unit forces accelerate. [1/(kg m²), 1/(kg m), 1/kg]"""
    return Factors.of(mass_matrix(model, q), couplings(Tree.of(model))).inverse()


def accelerations(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    external: Mapping[str, Wrench] | None = None,
) -> list[Scalar]:
    """a = M⁻¹ (tau + Jᵀ f − C v − g), for trees in which joints follow others."""
    h = bias_force(model, q, v, external)
    left = [force - bias for force, bias in zip(tau, h, strict=True)]
    return Factors.of(mass_matrix(model, q), couplings(Tree.of(model))).solve(left)


def couplings(tree: Tree) -> list[list[int]]:
    """For each velocity the lower ones that its row of M can have entries for."""
    found: list[set[int]] = [set() for _ in range(tree.nv)]
    for k, segment in enumerate(tree.segments):
        for place in tree.path(k):
            here = tree.segments[place]
            for i in range(segment.v, segment.v + segment.nv):
                for j in range(here.v, here.v + here.nv):
                    found[max(i, j)].add(min(i, j))
    return [sorted(lower - {i}) for i, lower in enumerate(found)]


@dataclass(frozen=True)
class Factors:
    """L without its ones, by rows, and D⁻¹."""

    L: list[dict[int, Scalar]]
    Dinv: list[Scalar]

    @classmethod
    def of(cls, M: Sequence[Sequence[Scalar]], coupled: Sequence[Sequence[int]]) -> Factors:
        """Of a symmetric matrix whose entries left of the diagonal are zero where `coupled` does not list them."""
        left = [{j: M[i][j] for j in lower} for i, lower in enumerate(coupled)]
        D = [M[i][i] for i in range(len(M))]
        L: list[dict[int, Scalar]] = [{} for _ in M]
        Dinv: list[Scalar] = [0.0] * len(M)
        for i in range(len(M) - 1, -1, -1):
            row, Dinv[i] = left[i], 1.0 / D[i]
            L[i] = {j: entry * Dinv[i] for j, entry in row.items()}
            for j, factor in L[i].items():
                D[j] = D[j] - factor * row[j]
                for k in (k for k in row if k < j):
                    left[j][k] = left[j].get(k, 0.0) - factor * row[k]
        return cls(L, Dinv)

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x with M x = b: first Lᵀ, then D, then L."""
        x = list(b)
        for i in range(len(x) - 1, -1, -1):
            for j, factor in self.L[i].items():
                x[j] = x[j] - factor * x[i]
        x = [entry * inverse for entry, inverse in zip(x, self.Dinv, strict=True)]
        for i in range(len(x)):
            for j, factor in self.L[i].items():
                x[i] = x[i] - factor * x[j]
        return x

    def inverse(self) -> list[list[Scalar]]:
        """X_ij = Σ_k W_ik W_jk / D_k with W = L⁻¹: over the k that both i and j have on their way to the ground."""
        W = self.inverse_of_L()
        scaled = [{k: entry * self.Dinv[k] for k, entry in row.items()} for row in W]
        X: list[list[Scalar]] = [[0.0] * len(W) for _ in W]
        for i, row in enumerate(W):
            for j in range(i + 1):
                common = (entry * scaled[j][k] for k, entry in row.items() if k in scaled[j])
                X[i][j] = X[j][i] = sum(common, 0.0)
        return X

    def inverse_of_L(self) -> list[dict[int, Scalar]]:
        """L⁻¹ by rows, as sparse as L is in a tree: W_i = e_i − Σ_k L_ik W_k."""
        W: list[dict[int, Scalar]] = []
        for i, row in enumerate(self.L):
            own: dict[int, Scalar] = {i: 1}
            for k, factor in row.items():
                for j, entry in W[k].items():
                    own[j] = own.get(j, 0.0) - factor * entry
            W.append(own)
        return W
