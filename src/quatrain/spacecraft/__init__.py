"""A satellite with reaction wheels: what it is made of, its orbit, and its runs."""

from quatrain.spacecraft.craft import Spacecraft
from quatrain.spacecraft.orbits import Orbit
from quatrain.spacecraft.rates import Rates
from quatrain.spacecraft.wheels import Wheel

__all__ = ["Orbit", "Rates", "Spacecraft", "Wheel"]
