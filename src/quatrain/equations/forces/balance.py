"""What forces do and hold: their power in a motion, and the energy of those that store it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quatrain.equations.inverse_dynamics import ZERO
from quatrain.equations.tree_motion import Force, State
from quatrain.geometry import dot
from quatrain.scalar import Scalar


def power(state: State, force: Force) -> Scalar:
    """Σ f·v + t·ω over frames, or τ·v: what a force gives to the motion now. [W]"""
    found = force(state)
    if isinstance(found, Mapping):
        total: Scalar = 0.0
        for frame, (f, t) in found.items():
            v, w = state.moving.velocity(state.model, frame, ZERO)
            total = total + dot(f, v) + dot(t, w)
        return total
    return sum((tau * rate for tau, rate in zip(found, state.v, strict=True)), 0.0)


def stored_energy(state: State, forces: Iterable[Force]) -> Scalar:
    """Of those that have a `potential_energy(state)`: springs, gravity, stops, contact. [J]"""
    total: Scalar = 0.0
    for force in forces:
        own = getattr(force, "potential_energy", None)
        if own is not None:
            total = total + own(state)
    return total
