"""What acts in joints: springs, dampers, friction and stops, besides those that the model's own joints have.

A joint is named, or one coordinate of it, such as "root.x". Numbers are one for all its freedoms, or one for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from quatrain.equations.dynamics import bounds
from quatrain.equations.forces.numbers import (
    Number,
    for_each,
    given,
    motions_of,
    own_numbers,
    refuse_below,
    refuse_zero,
)
from quatrain.equations.forces.pressing import against, pressed_energy, pressing, pressing_slopes
from quatrain.equations.freedoms import Freedom, freedoms
from quatrain.equations.tree_motion import State
from quatrain.errors import ArgumentError
from quatrain.model import Model
from quatrain.scalar import Scalar, abs, exp, sqrt

Slopes: TypeAlias = tuple[list[Scalar], list[Scalar]]
"""−∂τ/∂q and −∂τ/∂v of each velocity by itself, for the stepper that takes these forces at the end of its step."""


@dataclass(frozen=True)
class JointSpring:
    """τ = −k (q − rest); of a ball along the rotation vector from its rest, with one k. [N m/rad or N/m]"""

    joint: str
    stiffness: Number | tuple[Number, ...]
    rest: tuple[float, ...] | float = ()
    """Where it is slack: one for each coordinate of the joint, four of a ball; zero if none is given."""

    def __post_init__(self) -> None:
        own_numbers(self, "stiffness", "rest")
        refuse_below(self, 0.0, "stiffness")

    def __call__(self, state: State) -> list[Scalar]:
        tau: list[Scalar] = [0.0] * state.model.nv
        for motion, stiffness, stretches in self._stretched(state):
            motion.add([-(stiffness * stretch) for stretch in stretches], tau)
        return tau

    def slopes(self, state: State) -> Slopes:
        K, D = [0.0] * state.model.nv, [0.0] * state.model.nv
        for motion, stiffness, stretches in self._stretched(state):
            motion.add([stiffness * motion.ratio for _ in stretches], K)
        return K, D

    def potential_energy(self, state: State) -> Scalar:
        """½ Σ k (q − rest)² [J]"""
        squares = [k * x * x for _, k, stretches in self._stretched(state) for x in stretches]
        return sum(squares, 0.0) * 0.5

    def _stretched(self, state: State) -> list[tuple[Freedom, Scalar, list[Scalar]]]:
        motions = motions_of(state.model, self.joint)
        stiffness = for_each(self.stiffness, len(motions), self, "stiffness")
        rest = self._rest(motions)
        return [
            (motion, given(state.p, k), motion.displacement(state.q, rest))
            for motion, k in zip(motions, stiffness, strict=True)
        ]

    def _rest(self, motions: list[Freedom]) -> tuple[float, ...]:
        rest = self.rest if isinstance(self.rest, tuple) else (self.rest,)
        alone = len(motions) == 1 and motions[0].motion.nq == 1
        if alone and len(rest) == 1:
            return (0.0,) * motions[0].at_q + rest
        count = sum(motion.motion.nq for motion in motions)
        if rest and len(rest) != count:
            raise ArgumentError(
                f"rest of JointSpring has {len(rest)} numbers, and joint {self.joint!r} has {count} coordinates",
                do="give one for each, of a ball the quaternion (w, x, y, z)",
            )
        return rest


@dataclass(frozen=True)
class JointDamper:
    """τ = −d v − e v |v|. [N m s/rad or N s/m]"""

    joint: str
    damping: Number | tuple[Number, ...]
    quadratic: Number | tuple[Number, ...] = 0.0
    """e [N m s²/rad² or N s²/m²]"""

    def __post_init__(self) -> None:
        own_numbers(self, "damping", "quadratic")
        refuse_below(self, 0.0, "damping", "quadratic")

    def __call__(self, state: State) -> list[Scalar]:
        tau: list[Scalar] = [0.0] * state.model.nv
        for motion, d, e in self._damped(state):
            motion.add([-(rate * (d + abs(rate) * e)) for rate in motion.rates(state.v)], tau)
        return tau

    def slopes(self, state: State) -> Slopes:
        K, D = [0.0] * state.model.nv, [0.0] * state.model.nv
        for motion, d, e in self._damped(state):
            motion.add([(d + abs(rate) * e * 2.0) * motion.ratio for rate in motion.rates(state.v)], D)
        return K, D

    def _damped(self, state: State) -> list[tuple[Freedom, Scalar, Scalar]]:
        motions = motions_of(state.model, self.joint)
        first = for_each(self.damping, len(motions), self, "damping")
        second = for_each(self.quadratic, len(motions), self, "quadratic")
        return [
            (motion, given(state.p, d), given(state.p, e))
            for motion, d, e in zip(motions, first, second, strict=True)
        ]


@dataclass(frozen=True)
class Friction:
    """Dry friction that sets in smoothly, with a Stribeck curve where `static` is given:

        τ = −(F_c + (F_s − F_c) exp(−(v/v_s)²)) v/√(v² + slip²) − d v

    Below `slip` a joint creeps where a real one would stick.
    """

    joint: str
    coulomb: Number
    """F_c, when it moves [N m or N]."""
    static: Number | None = None
    """F_s, when it begins to."""
    stribeck_speed: Number = 0.1
    """v_s [rad/s or m/s]"""
    viscous: Number = 0.0
    """d [N m s/rad or N s/m]"""
    slip: Number = 0.01
    """[rad/s or m/s]"""

    def __post_init__(self) -> None:
        refuse_below(self, 0.0, "coulomb", "viscous")
        refuse_zero(self, "slip", "stribeck_speed")
        if self.static is not None:
            refuse_below(self, 0.0, "static")

    def __call__(self, state: State) -> list[Scalar]:
        tau: list[Scalar] = [0.0] * state.model.nv
        for motion in motions_of(state.model, self.joint):
            motion.add([-self.against(rate, state) for rate in motion.rates(state.v)], tau)
        return tau

    def slopes(self, state: State) -> Slopes:
        """That of the change of sign and of the viscous part; where the curve falls, its fall is left out."""
        K, D = [0.0] * state.model.nv, [0.0] * state.model.nv
        slip, viscous = given(state.p, self.slip), given(state.p, self.viscous)
        for motion in motions_of(state.model, self.joint):
            rates = motion.rates(state.v)
            smooth = [rate * rate + slip * slip for rate in rates]
            rises = [
                self._dry(v, state) * slip * slip / (x * sqrt(x)) for v, x in zip(rates, smooth, strict=True)
            ]
            motion.add([(rise + viscous) * motion.ratio for rise in rises], D)
        return K, D

    def against(self, rate: Scalar, state: State) -> Scalar:
        """How much it resists at a velocity."""
        return self._dry(rate, state) * against(rate, given(state.p, self.slip)) + rate * given(
            state.p, self.viscous
        )

    def _dry(self, rate: Scalar, state: State) -> Scalar:
        dry = given(state.p, self.coulomb)
        if self.static is not None:
            slow = rate / given(state.p, self.stribeck_speed)
            dry = dry + (given(state.p, self.static) - dry) * exp(-(slow * slow))
        return dry


@dataclass(frozen=True)
class JointLimits:
    """Stops that are stiff and smooth: beyond its bounds a coordinate is pushed back by k δⁿ (1 + c δ̇).

    Without names, of all joints that have limits in the model. A ball has none.
    """

    stiffness: Number
    """[N m/radⁿ or N/mⁿ]"""
    dissipation: Number = 1.0
    """c [s/rad or s/m]"""
    joint: str | None = None
    lower: Number | None = None
    upper: Number | None = None
    """Instead of the model's, for the joint that is named."""
    exponent: float = 1.5

    def __post_init__(self) -> None:
        refuse_zero(self, "stiffness", "exponent")
        refuse_below(self, 0.0, "dissipation")
        if self.joint is None and not (self.lower is None and self.upper is None):
            raise ArgumentError(
                "JointLimits has bounds and no joint", do="name the joint they are of: joint='elbow'"
            )
        if isinstance(self.lower, (int, float)) and isinstance(self.upper, (int, float)):
            lower, upper = float(self.lower), float(self.upper)
            if not lower <= upper:
                raise ArgumentError(
                    f"JointLimits has the lower bound {lower:g} above the upper, {upper:g}",
                    do="exchange them",
                )

    def __call__(self, state: State) -> list[Scalar]:
        tau: list[Scalar] = [0.0] * state.model.nv
        k, c = given(state.p, self.stiffness), given(state.p, self.dissipation)
        for q, v, lower, upper in self._bounded(state.model):
            x, rate = state.q[q], state.v[v]
            if lower is not None:
                tau[v] = tau[v] + pressing(given(state.p, lower) - x, -rate, k, c, self.exponent)
            if upper is not None:
                tau[v] = tau[v] - pressing(x - given(state.p, upper), rate, k, c, self.exponent)
        return tau

    def slopes(self, state: State) -> Slopes:
        K, D = [0.0] * state.model.nv, [0.0] * state.model.nv
        k, c = given(state.p, self.stiffness), given(state.p, self.dissipation)
        for q, v, lower, upper in self._bounded(state.model):
            x, rate = state.q[q], state.v[v]
            for bound, sign in ((lower, -1.0), (upper, 1.0)):
                if bound is not None:
                    depth = (x - given(state.p, bound)) * sign
                    by_depth, by_rate = pressing_slopes(depth, rate * sign, k, c, self.exponent)
                    K[v], D[v] = K[v] + by_depth, D[v] + by_rate
        return K, D

    def potential_energy(self, state: State) -> Scalar:
        """What the stops that are pressed hold. [J]"""
        total: Scalar = 0.0
        k = given(state.p, self.stiffness)
        for q, _, lower, upper in self._bounded(state.model):
            if lower is not None:
                total = total + pressed_energy(given(state.p, lower) - state.q[q], k, self.exponent)
            if upper is not None:
                total = total + pressed_energy(state.q[q] - given(state.p, upper), k, self.exponent)
        return total

    def _bounded(self, model: Model) -> list[tuple[int, int, Number | None, Number | None]]:
        """Entry of q, entry of v, bounds."""
        every = bounds(model)
        chosen = list(freedoms(model)) if self.joint is None else motions_of(model, self.joint)
        found = {}
        for one in chosen:
            if one.motion.kind != "ball" and one.joint.mimic is None:
                own = every[one.q] if self.lower is None and self.upper is None else (self.lower, self.upper)
                if own != (None, None):
                    found[one.q] = (one.q, one.v, *own)
        if not found:
            whose = "no joint of" if self.joint is None else f"joint {self.joint!r} of"
            raise ArgumentError(
                f"{whose} {model.name} has limits that could act",
                do="give them: JointLimits(…, joint='name', lower=…, upper=…), of a joint that turns or slides",
            )
        return list(found.values())
