"""The generalised-α method on a Lie group: of order 2, with the damping of high frequencies at choice."""

from __future__ import annotations

from dataclasses import dataclass

from quatrain.equations.stepping.nested import Nested, mapped
from quatrain.equations.stepping.solving import Solver, fixed_point
from quatrain.equations.stepping.system import System, moved
from quatrain.errors import ArgumentError
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class AlphaParameters:
    """The four parameters from ρ∞ in [0, 1], the factor per step of an infinitely fast oscillation.

    ρ∞ = 1 damps nothing, ρ∞ = 0 removes what is too fast within one step.
    Chung, Hulbert, J. Appl. Mech. 60 (1993) 371.
    """

    spectral_radius: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.spectral_radius <= 1:
            raise ArgumentError(
                f"spectral_radius is {self.spectral_radius!r}, which is not between 0 and 1",
                do="pass 1 for no numerical damping, 0 for the most, 0.9 for little",
            )

    @property
    def alpha_m(self) -> float:
        return (2 * self.spectral_radius - 1) / (self.spectral_radius + 1)

    @property
    def alpha_f(self) -> float:
        return self.spectral_radius / (self.spectral_radius + 1)

    @property
    def gamma(self) -> float:
        return 0.5 + self.alpha_f - self.alpha_m

    @property
    def beta(self) -> float:
        return 0.25 * (self.gamma + 0.5) ** 2


Memory = tuple[Nested, Nested]
"""Acceleration v̇ and the algorithm's own one a, which go from step to step."""


def generalized_alpha_start(system: System, t: Scalar, q: Nested, v: Nested) -> Memory:
    """The memory for a first step: both are v̇(t, q, v)."""
    dv = system.acceleration(t, q, v)
    return dv, dv


def generalized_alpha(
    system: System,
    t: Scalar,
    q: Nested,
    v: Nested,
    memory: Memory,
    h: Scalar,
    *,
    parameters: AlphaParameters | None = None,
    solve: Solver | None = None,
) -> tuple[Nested, Nested, Memory]:
    """One step of Arnold and Brüls's method; order 2 with α, γ as they are.

        (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀                 v̇₁ = v̇(t₁, q₁, v₁)
        q₁ = q₀ ⊕ h (v₀ + h ((½ − β) a₀ + β a₁))
        v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)

    Arnold, Brüls, Multibody Syst. Dyn. 18 (2007) 185; Brüls, Cardona, Arnold, Mech. Mach. Theory 48 (2012) 121.
    `solve` finds a₁; for stiff systems pass `newton()`.
    """
    p = parameters or AlphaParameters()
    dv0, a0 = memory
    beta, gamma, f, m = p.beta, p.gamma, p.alpha_f, p.alpha_m

    def state(a1: Nested) -> tuple[Nested, Nested]:
        shift = mapped(lambda v0, a, b: v0 + (a * (0.5 - beta) + b * beta) * h, v, a0, a1)
        v1 = mapped(lambda v0, a, b: v0 + (a * (1 - gamma) + b * gamma) * h, v, a0, a1)
        return system.space.project(moved(system, q, shift, h), v1)

    def following(a1: Nested) -> Nested:
        dv1 = system.acceleration(t + h, *state(a1))
        return mapped(lambda x, y, z: (x * (1 - f) + y * f - z * m) / (1 - m), dv1, dv0, a0)

    a1 = (solve or fixed_point())(following, a0)
    q1, v1 = state(a1)
    return q1, v1, (system.acceleration(t + h, q1, v1), a1)
