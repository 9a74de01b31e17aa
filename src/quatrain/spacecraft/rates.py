"""How a satellite turns, as control laws and events see it."""

from __future__ import annotations

from typing import Any, NamedTuple

from quatrain.geometry import Vec3


class Rates(NamedTuple):
    """Rates of hub and wheels; of the wheels an array with an entry for each."""

    w: Vec3
    """Relative to the frame of the run, in the body."""
    wheel_speeds: Any
    """Relative to the hub [rad/s]."""
    wheel_momenta: Any
    """Absolute, about their axes [kg m²/s]."""
    w_inertial: Vec3
    """Relative to the inertial frame, in the body."""
