"""Gravity besides the model's own: another field, or a centre that attracts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quatrain.equations.forces.numbers import Number, given, own_vector, refuse_below
from quatrain.equations.inverse_dynamics import Wrench
from quatrain.equations.tree_motion import State
from quatrain.errors import ArgumentError
from quatrain.geometry import SymMat3, Vec3, cross, dot
from quatrain.model import Body
from quatrain.scalar import Scalar, sqrt


@dataclass(frozen=True)
class UniformGravity:
    """m g on every body, or on those that are named; it adds to the model's own."""

    acceleration: Any
    """g, in W [m/s²]"""
    bodies: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        own_vector(self, "acceleration")

    def __call__(self, state: State) -> dict[str, Wrench]:
        return {
            body.name: (self.acceleration * body.mass, cross(arm, self.acceleration * body.mass))
            for body, _, arm in _heavy(state, self.bodies)
        }

    def potential_energy(self, state: State) -> Scalar:
        """−Σ m g·p [J]"""
        return -sum((dot(self.acceleration, p) * body.mass for body, p, _ in _heavy(state, self.bodies)), 0.0)


@dataclass(frozen=True)
class PointGravity:
    """A centre attracts every body, or those that are named: of r from it to a centre of mass,

        f = −μ m r/|r|³

    and with `extended` also what the sizes of bodies do, to second order (MacCullagh): from the potential
    V₂ = −½ μ (tr I − 3 uᵀ I u)/|r|³, u = r/|r|, a further force and the gravity gradient's torque 3 μ u × I u/|r|³.
    Set the model's own gravity to zero where there is none besides.
    """

    mu: Number
    """[m³/s²]"""
    center: Any = (0.0, 0.0, 0.0)
    """In W [m]."""
    bodies: tuple[str, ...] | None = None
    extended: bool = False

    def __post_init__(self) -> None:
        refuse_below(self, 0.0, "mu")
        own_vector(self, "center")

    def __call__(self, state: State) -> dict[str, Wrench]:
        mu, found = given(state.p, self.mu), {}
        for body, p, arm in _heavy(state, self.bodies):
            r = p - self.center
            near = 1.0 / sqrt(dot(r, r))
            u, cube = r * near, near * near * near
            f, t = -(u * (mu * body.mass * near * near)), Vec3(0.0, 0.0, 0.0)
            if self.extended:
                inertia = self._inertia(state, body)
                Iu = inertia @ u
                swell = inertia.xx + inertia.yy + inertia.zz - dot(u, Iu) * 5.0
                f = f - (u * swell + Iu * 2.0) * (mu * cube * near * 1.5)
                t = cross(u, Iu) * (mu * cube * 3.0)
            found[body.name] = (f, t + cross(arm, f))
        return found

    def potential_energy(self, state: State) -> Scalar:
        """−Σ μ m/|r|, and V₂ with `extended`. [J]"""
        mu, total = given(state.p, self.mu), 0.0
        for body, p, _ in _heavy(state, self.bodies):
            r = p - self.center
            near = 1.0 / sqrt(dot(r, r))
            total = total - mu * body.mass * near
            if self.extended:
                inertia, u = self._inertia(state, body), r * near
                trace = inertia.xx + inertia.yy + inertia.zz
                total = total - (trace - dot(u, inertia @ u) * 3.0) * (mu * near * near * near * 0.5)
        return total

    @staticmethod
    def _inertia(state: State, body: Body) -> SymMat3:
        """About the centre of mass, in W."""
        return body.I_Bcm_B.rotated(state.moving.place(state.model, body.name).R)


def _heavy(state: State, names: tuple[str, ...] | None) -> list[tuple[Body, Vec3, Vec3]]:
    """Bodies with mass, where their centres of mass are in W, and these as seen from their origins."""
    chosen = {body.name: body for body in state.model.bodies}
    if names is not None:
        for name in names:
            if name not in chosen:
                raise ArgumentError(
                    f"{state.model.name} has no body {name!r}",
                    do=f"name some of {', '.join(list(chosen)[:8])}",
                )
        chosen = {name: chosen[name] for name in names}
    found = []
    for body in chosen.values():
        if isinstance(body.mass, (int, float)) and body.mass == 0:
            continue
        standing = state.moving.place(state.model, body.name)
        arm = standing.R @ body.p_BBcm
        found.append((body, standing.p + arm, arm))
    return found
