"""A reaction wheel, as a user gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quatrain.body import vector
from quatrain.equations.gyrostat import WheelBody
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3
from quatrain.spacecraft import checks


@dataclass(frozen=True)
class Wheel:
    """A wheel that turns about an axis fixed in the hub.

    `axis` is a direction in the hub, of any length but zero; `inertia` is the axial one, j [kg m²]. What its motor and
    bearing can do: `friction` [N m s/rad] times the speed, `max_torque` [N m], and `max_speed` [rad/s],
    beyond which the motor does not speed it up. `mass` [kg], `position` of its centre of mass in the hub's
    frame [m] and `transverse_inertia` [kg m²] matter to `Spacecraft.assembled` alone.
    """

    axis: Any
    inertia: float
    name: str = ""
    friction: float = 0.0
    max_torque: float | None = None
    max_speed: float | None = None
    mass: float | None = None
    position: Any = None
    transverse_inertia: float | None = None

    def __post_init__(self) -> None:
        of = f"wheel {self.name!r}: " if self.name else "a wheel's "

        def set_(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)  # frozen, so past its own guard

        set_("axis", checks.direction(self.axis, f"{of}axis"))
        set_("inertia", checks.number(self.inertia, f"{of}inertia", "kg m²", above=0))
        set_("friction", checks.number(self.friction, f"{of}friction", "N m s/rad", least=0))
        for name, unit in (
            ("max_torque", "N m"),
            ("max_speed", "rad/s"),
            ("mass", "kg"),
            ("transverse_inertia", "kg m²"),
        ):
            if getattr(self, name) is not None:
                set_(name, checks.number(getattr(self, name), f"{of}{name}", unit, above=0))
        if self.position is not None:
            set_("position", vector(self.position, f"{of}position"))
        if self.transverse_inertia is not None and self.inertia > 2 * self.transverse_inertia:
            raise ArgumentError(
                f"{of}inertia {self.inertia:g} kg m² is more than twice its transverse_inertia "
                f"{self.transverse_inertia:g}, which no body has",
                do="of a thin disc the axial inertia is just twice the transverse one",
            )

    def body(self, index: int) -> WheelBody:
        """As a body of its own, which needs all its data."""
        missing = [n for n in ("mass", "position", "transverse_inertia") if getattr(self, n) is None]
        if missing:
            raise ArgumentError(
                f"{self.title(index)} has no {' and no '.join(missing)}",
                do="give them, or give Spacecraft(inertia, …) the inertia of hub and complete wheels",
            )
        return WheelBody(self.axis, self.inertia, self.transverse_inertia, self.mass, self.position)

    def title(self, index: int) -> str:
        return f"wheel {index} ({self.name})" if self.name else f"wheel {index}"

    @property
    def direction(self) -> Vec3:
        """The axis, of length 1."""
        axis: Vec3 = self.axis
        return axis
