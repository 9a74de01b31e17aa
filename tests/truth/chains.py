"""Open chains and trees of point masses by homogeneous transforms: no quaternion, no axis in space, no cross product.

The frame of body k stands in its joint point. A joint is the 4×4 matrix G_k(q) = [R, 0; 0, 1] (a turn by Rodrigues'
formula) or [1, e q; 0, 1] (a slide), and the step to the next joint a constant one. G is differentiated by q as a
matrix, so every partial derivative of a product, of any order, is exact. Columns: q is (n, batch).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.truth import point_masses
from tests.truth.point_masses import Cloud, transposed, vector_of
from tests.truth.rotations import cross_matrix, rodrigues


@dataclass(frozen=True)
class PointChain:
    """Joints by kind and axis (n, 3), steps (n, 3) from joint to joint, a cloud of points for each body."""

    prismatic: tuple[bool, ...]
    axes: np.ndarray
    steps: np.ndarray
    clouds: tuple[Cloud, ...]
    start: np.ndarray
    placements: np.ndarray | None = None  # (n, 3, 3): turns before the joints, 1 if none
    parents: tuple[int, ...] | None = (
        None  # of a tree, −1 for the ground; joint k stands at steps[k − 1] of its parent
    )

    @classmethod
    def random(cls, rng: np.random.Generator, prismatic: tuple[bool, ...]) -> PointChain:
        n = len(prismatic)
        axes = rng.normal(size=(n, 3))
        axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
        clouds = tuple(Cloud.random(rng, count=5) for _ in range(n))
        return cls(prismatic, axes, rng.normal(size=(n, 3)), clouds, np.zeros(3))

    @property
    def n(self) -> int:
        return len(self.prismatic)

    def path(self, i: int) -> list[int]:
        """From the ground to body i."""
        if self.parents is None:
            return list(range(i + 1))
        return [] if i == -1 else [*self.path(self.parents[i]), i]

    def joint(self, k: int, q: np.ndarray, order: int = 0) -> np.ndarray:
        """d^order G_k / dq^order, (batch, 4, 4)."""
        G, e = np.zeros((len(q), 4, 4)), self.axes[k]
        if self.prismatic[k]:
            G[:, :3, 3] = e * q[:, None] if order == 0 else e if order == 1 else 0
            G[:, :3, :3] = np.eye(3) if order == 0 else 0
        else:
            G[:, :3, :3] = np.linalg.matrix_power(cross_matrix(e), order) @ rodrigues(e, q)
        G[:, 3, 3] = 1 if order == 0 else 0
        return G

    def step(self, k: int) -> np.ndarray:
        """From the frame of the body before to joint k before it moves; of the first, from the ground."""
        G = np.eye(4)
        G[:3, 3] = self.start if k == 0 else self.steps[k - 1]
        if self.placements is not None:
            G[:3, :3] = self.placements[k]
        return G


@dataclass(frozen=True)
class Placed:
    """The chain at q, (n, batch). Everything may be differentiated by coordinates: `by=(α, β)`."""

    chain: PointChain
    q: np.ndarray
    known: dict = field(default_factory=dict)

    def frame(self, i: int, by: tuple[int, ...] = ()) -> np.ndarray:
        """Frame of body i in the ground, (batch, 4, 4)."""
        key = i, tuple(sorted(by))
        if key not in self.known:
            self.known[key] = self._frame(*key)
        return self.known[key]

    def _frame(self, i: int, by: tuple[int, ...]) -> np.ndarray:
        path = self.chain.path(i)
        if any(k not in path for k in by):
            return np.zeros((self.q.shape[1], 4, 4))
        H = self.frame(path[-2], tuple(k for k in by if k != i)) if len(path) > 1 else np.eye(4)
        return H @ self.chain.step(i) @ self.chain.joint(i, self.q[i], by.count(i))

    def turn(self, i: int, by: tuple[int, ...] = ()) -> np.ndarray:
        return self.frame(i, by)[:, :3, :3]

    def partial_turn(self, i: int, alpha: int) -> np.ndarray:
        """The vector of ∂R/∂q^α Rᵀ."""
        return vector_of(self.turn(i, (alpha,)) @ transposed(self.turn(i)))

    def point(self, i: int, x: np.ndarray, by: tuple[int, ...] = ()) -> np.ndarray:
        """A point of body i, or points (points, 3), in the ground: (batch, …, 3)."""
        H = self.frame(i, by)
        shift = H[:, :3, 3].reshape(-1, *([1] * (np.ndim(x) - 1)), 3)
        return np.einsum("bij,...j->b...i", H[:, :3, :3], x) + shift

    def centre(self, i: int, by: tuple[int, ...] = ()) -> np.ndarray:
        return self.point(i, self.chain.clouds[i].centre, by)

    def offset(self, i: int, by: tuple[int, ...] = ()) -> np.ndarray:
        """Vectors ϱ from the mass centre to the points, (batch, points, 3)."""
        cloud = self.chain.clouds[i]
        return np.einsum("bij,pj->bpi", self.turn(i, by), cloud.points - cloud.centre)

    def motion(self, dq: np.ndarray, ddq: np.ndarray, i: int) -> point_masses.Motion:
        """Of body i along q + q̇ t + ½ q̈ t² at t = 0, by the product rule in time."""
        zero = np.zeros((self.q.shape[1], 4, 4))
        H = (np.eye(4) + zero, zero, zero)
        for k in self.chain.path(i):
            G, dG, ddG = (self.chain.joint(k, self.q[k], m) for m in range(3))
            rate, change = dq[k][:, None, None], ddq[k][:, None, None]
            H = point_masses.product(H, (self.chain.step(k), zero, zero))
            H = point_masses.product(H, (G, dG * rate, dG * change + ddG * rate**2))
        places = (X[:, :3, 3] for X in H)
        turns = (X[:, :3, :3] for X in H)
        return point_masses.Motion(*places, *turns)

    def potential(self, g: np.ndarray, by: tuple[int, ...] = ()) -> np.ndarray:
        clouds = enumerate(self.chain.clouds)
        return -sum(cloud.masses @ (self.point(i, cloud.points, by) @ g).T for i, cloud in clouds)

    # ---- metric and its derivatives ----------------------------------------------------------------

    def _masses(self, part: str, i: int, by: tuple[int, ...]) -> np.ndarray:
        """√m x of the mass centre ("tr"), of the offsets ("rot"), or of the points: (batch, …)."""
        cloud = self.chain.clouds[i]
        if part == "tr":
            return np.sqrt(cloud.mass) * self.centre(i, by)
        x = self.offset(i, by) if part == "rot" else self.point(i, cloud.points, by)
        return (np.sqrt(cloud.masses)[:, None] * x).reshape(len(x), -1)

    def metric(self, part: str = "whole") -> np.ndarray:
        """Σ m ∂x/∂q^α·∂x/∂q^β as (n, n, batch)."""
        joints = range(self.chain.n)
        bodies = (np.array([self._masses(part, i, (a,)) for a in joints]) for i in joints)
        return sum(np.einsum("akx,bkx->abk", D, D) for D in bodies)

    def metric_derivatives(self, part: str = "whole") -> np.ndarray:
        """da[γ, α, β] = ∂a_αβ/∂q^γ as (n, n, n, batch)."""
        joints, mixed = range(self.chain.n), 0  # mixed: Σ m ∂_γ∂_αx·∂_βx
        for i in joints:
            D = np.array([self._masses(part, i, (a,)) for a in joints])
            DD = np.array([[self._masses(part, i, (c, a)) for a in joints] for c in joints])
            mixed = mixed + np.einsum("cakx,bkx->cabk", DD, D)
        return mixed + mixed.swapaxes(1, 2)

    def tensor_metric(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Σ_i W_αᵀ J_i W_β and its derivatives, W_α the vector of Rᵀ ∂R/∂q^α; J (n, 3, 3) need be no body's."""
        joints = range(self.chain.n)
        a, da = 0, 0
        for i in joints:
            Rt, first = transposed(self.turn(i)), [self.turn(i, (k,)) for k in joints]
            second = lambda c, k, i=i, Rt=Rt, first=first: (
                transposed(first[c]) @ first[k] + Rt @ self.turn(i, (c, k))
            )
            W = np.array([vector_of(Rt @ d) for d in first])
            dW = np.array([[vector_of(second(c, k)) for k in joints] for c in joints])
            a = a + np.einsum("aki,ij,bkj->abk", W, J[i], W)
            half = np.einsum("caki,ij,bkj->cabk", dW, J[i], W)
            da = da + half + half.swapaxes(1, 2)
        return a, da


def symbols(da: np.ndarray) -> np.ndarray:
    """Γ[α, β, γ] = ½ (∂_α a_βγ + ∂_β a_γα − ∂_γ a_αβ) from da[γ, α, β], the definition."""
    return (da + np.einsum("bca...->abc...", da) - np.einsum("cab...->abc...", da)) / 2
