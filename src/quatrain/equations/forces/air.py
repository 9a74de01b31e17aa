"""Wind and drag on a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quatrain.equations.forces.frames import place
from quatrain.equations.forces.numbers import (
    Number,
    for_each,
    given,
    own_numbers,
    own_vector,
    refuse_below,
)
from quatrain.equations.inverse_dynamics import Wrench
from quatrain.equations.tree_motion import State
from quatrain.geometry import Vec3, cross, dot
from quatrain.scalar import Scalar, greater, sqrt, where

Wind = Callable[[Scalar, Vec3], Any]
"""(t, p) → three velocities in W, at the time t and the point p. [m/s]"""


@dataclass(frozen=True)
class Drag:
    """f = −½ ρ A |u| u − c u at a point of a frame, u its velocity against the air; and t = −c_r ω.

    A is the area times its drag coefficient: one number, or three for the frame's axes, f_i = −½ ρ A_i |u| u_i.
    """

    frame: str
    area: Number | tuple[Number, ...] = 0.0
    """A [m²]"""
    density: Number = 1.225
    """ρ [kg/m³]"""
    linear: Number = 0.0
    """c [N s/m], as in slow flow: 6π η r of a sphere."""
    turning: Number = 0.0
    """c_r [N m s/rad]"""
    wind: Any = (0.0, 0.0, 0.0)
    """Velocity of the air in W [m/s], or a function (t, p) of the time and the place."""
    at: Any = (0.0, 0.0, 0.0)
    """The point, in the frame."""

    def __post_init__(self) -> None:
        own_numbers(self, "area")
        refuse_below(self, 0.0, "area", "density", "linear", "turning")
        own_vector(self, "at")
        if not callable(self.wind):
            own_vector(self, "wind")

    def __call__(self, state: State) -> dict[str, Wrench]:
        here = place(state, self.frame, self.at)
        air = self.wind(state.t, here.p) if callable(self.wind) else self.wind
        u = here.v - (air if isinstance(air, Vec3) else Vec3(*air))
        square = dot(u, u)
        moving = greater(square, 0.0)
        speed = where(moving, sqrt(where(moving, square, 1.0)), 0.0)
        p, pressure = state.p, given(state.p, self.density) * speed * 0.5
        if isinstance(self.area, tuple):
            R = state.moving.place(state.model, self.frame).R
            areas = [given(p, x) for x in for_each(self.area, 3, self, "area")]
            u_F = R.T @ u
            f = -(R @ Vec3(*(a * x * pressure for a, x in zip(areas, u_F, strict=True))))
        else:
            f = -(u * (pressure * given(p, self.area)))
        f = f - u * given(p, self.linear)
        return {self.frame: (f, cross(here.arm, f) - here.w * given(p, self.turning))}
