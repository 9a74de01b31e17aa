"""What a run of a satellite consists of: its equations with loads and control, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.control import Control, Event
from quatrain.equations.gyrostat import Each, wheel_momenta
from quatrain.equations.spacecraft import Moment, Satellite
from quatrain.equations.stepping import System
from quatrain.equations.stepping.integrals import integrals, with_integrals
from quatrain.equations.stepping.nested import Nested
from quatrain.equations.wheel_control import motor_torque
from quatrain.geometry import Quaternion, SymMat3, Vec3
from quatrain.scalar import Scalar
from quatrain.simulation import Mechanism, Parameters
from quatrain.spacecraft.loads import command_of, torque_of
from quatrain.spacecraft.orbits import Orbit
from quatrain.spacecraft.rates import Rates
from quatrain.trajectory import QUATERNION, VECTOR, Quantity

if TYPE_CHECKING:
    from quatrain.spacecraft.craft import Spacecraft

FRAMES = {"inertial": "I", "orbital": "O"}
"""The letters of the frames that a run can be described in."""


@dataclass(frozen=True)
class Setting:
    """A satellite and where it is: all that a run's equations and records are made from.

    The state is q = q_FB, v = (w_FB_B, wheels), with `audit` v = ((w_FB_B, wheels), integrals).
    """

    craft: Spacecraft
    orbit: Orbit | None
    frame: str
    gravity: bool
    torque: Any
    state: str
    audit: bool
    controlled: bool

    def satellite(self, u: Nested, p: Parameters) -> Satellite:
        """With the torques that act: the motors' within their limits, and those from outside."""

        def torques(t: Scalar, q: Quaternion, w: Vec3, speeds: Each) -> tuple[Vec3, Each]:
            commands, hub = u if u is not None else ((0,) * len(speeds), Vec3.zero())
            motors = tuple(
                motor_torque(c, s, most=m.max_torque, fastest=m.max_speed, friction=m.friction)
                for c, s, m in zip(commands, speeds, self.craft.wheels, strict=True)
            )
            return torque_of(self.torque, (t, q, w), p) + hub, motors

        inertia = p.get("inertia", self.craft.inertia)
        return Satellite(
            self.craft.gyrostat_of(inertia),
            torques,
            None if self.orbit is None else self.orbit.path,
            self.frame == "orbital",
            self.gravity,
            self.state,
        )

    def system(self, u: Nested, p: Parameters) -> System:
        satellite = self.satellite(u, p)
        if not self.audit:
            return satellite.system()

        def rates(t: Scalar, q: Quaternion, v: Nested) -> Nested:
            return satellite.at(t, q, v).speeds, *satellite.balance_rates(t, q, v)

        return with_integrals(satellite.system(), rates)

    def moment(
        self, t: Scalar, q: Quaternion, v: Nested, u: Nested, p: Parameters
    ) -> tuple[Satellite, Moment]:
        satellite = self.satellite(u, p)
        return satellite, satellite.at(t, q, v[0] if self.audit else v)

    def rates(self, t: Scalar, q: Quaternion, v: Nested, p: Parameters) -> Rates:
        # What acts is not asked for here: a law that reads the rates is what decides it.
        quiet = replace(self.satellite(None, p), torques=lambda t, q, w, s: (Vec3.zero(), s))
        now = quiet.at(t, q, v[0] if self.audit else v)
        h = wheel_momenta(quiet.gyrostat, now.w_IB_B, now.speeds)
        return Rates(now.w_FB_B, _array_of(now.speeds), _array_of(h), now.w_IB_B)

    def declared_velocity(self) -> Any:
        wheels = (float,) * len(self.craft.wheels)
        return ((Vec3, wheels), (wheels, Vec3, float, float)) if self.audit else (Vec3, wheels)

    # ---- what is recorded ------------------------------------------------------------------------------

    @property
    def has_jacobi_integral(self) -> bool:
        return self.satellite(None, {}).has_jacobi_integral

    def quantities(self) -> tuple[Quantity, ...]:
        F, names = FRAMES[self.frame], self.craft.wheel_names
        free = self.torque is None and not self.controlled
        untouched = free and (self.orbit is None or not self.gravity)
        quiet = free and not any(wheel.friction for wheel in self.craft.wheels)
        found = [
            Quantity("q", "", f"of B in {F}", QUATERNION, "quaternion"),
            Quantity("w", "rad/s", f"of B in {F}, in B", VECTOR),
        ]
        if names:
            found += [
                Quantity("wheel_speeds", "rad/s", "relative to B", names),
                Quantity("wheel_momenta", "kg m²/s", "absolute, about their axes", names),
                Quantity("wheel_torques", "N m", "on the wheels", names),
            ]
        found += [
            Quantity("torque", "N m", "external, gravity's included, in B", VECTOR),
            Quantity("momentum", "kg m²/s", "about the centre of mass, in I", VECTOR, "momentum", untouched),
            Quantity("energy", "J", "of rotation, in I", (), "energy", untouched and quiet),
        ]
        if self.has_jacobi_integral:
            found.append(Quantity("jacobi_integral", "J", "in O", (), "", quiet))
        if self.audit:
            if names:
                found.append(Quantity("wheel_angles", "rad", "since the start", names))
            found.append(
                Quantity("momentum_balance", "kg m²/s", "less all impulse, in I", VECTOR, "audit", True)
            )
            found.append(Quantity("energy_balance", "J", "less all work", (), "audit", True))
            if self.has_jacobi_integral:
                found.append(Quantity("jacobi_balance", "J", "less all work, in O", (), "audit", True))
        return tuple(found)

    def observe(self, t: Scalar, q: Quaternion, v: Nested, u: Nested, p: Parameters) -> dict[str, Nested]:
        satellite, now = self.moment(t, q, v, u, p)
        momentum, energy = satellite.momentum(now), satellite.kinetic_energy(now)
        found: dict[str, Nested] = {
            "q": q,
            "w": now.w_FB_B,
            "torque": now.gravity_B + now.torque_B,
            "momentum": momentum,
            "energy": energy,
        }
        if self.craft.wheels:
            h = wheel_momenta(satellite.gyrostat, now.w_IB_B, now.speeds)
            of_each = {"wheel_speeds": now.speeds, "wheel_momenta": h, "wheel_torques": now.motors}
            found |= {name: _array_of(values) for name, values in of_each.items()}
        if self.has_jacobi_integral:
            found["jacobi_integral"] = satellite.jacobi_integral(now)
        if self.audit:
            angles, impulse, work, relative_work = integrals(v[1])
            found |= {"momentum_balance": momentum - impulse, "energy_balance": energy - work}
            if self.craft.wheels:
                found["wheel_angles"] = _array_of(angles)
            if self.has_jacobi_integral:
                found["jacobi_balance"] = found["jacobi_integral"] - relative_work
        return found

    # ---- for the run ---------------------------------------------------------------------------------------

    def mechanism(self, vary: tuple[str, ...]) -> Mechanism:
        return Mechanism(
            name="spacecraft",
            q=Quaternion,
            v=self.declared_velocity(),
            system=self.system,
            observe=self.observe,
            quantities=self.quantities(),
            input=((float,) * len(self.craft.wheels), Vec3) if self.controlled else None,
            seen=lambda q, v, p: (q, (v, p)),
            parameters=dict.fromkeys(vary, SymMat3),
        )

    def law(self, control: Control) -> Control:
        """The user's law, which sees `Rates` and answers in one of several ways."""

        @wraps(control.law)
        def law(t: Scalar, q: Quaternion, seen: Any, x: Any, p: Parameters) -> Any:
            answer = control.law(t, q, self.rates(t, q, *seen), x, p)
            name = str(getattr(control.law, "__name__", "law"))
            if control.start is None:
                return command_of(answer, len(self.craft.wheels), name)
            if not (isinstance(answer, tuple) and len(answer) == 2):
                return answer  # the run says what is wrong
            return command_of(answer[0], len(self.craft.wheels), name), answer[1]

        return replace(control, law=law)

    def event(self, event: Event | Callable[..., Scalar]) -> Event:
        """The user's event, which sees `Rates`."""
        one = event if isinstance(event, Event) else Event(event)
        return replace(one, watch=lambda t, q, seen: one.watch(t, q, self.rates(t, q, *seen)))

    def start(self, t: float, q: Quaternion, w: Vec3, speeds: Any, p: Mapping[str, Any]) -> Nested:
        """v of these starts, as arrays."""
        given = {k: SymMat3(*np.moveaxis(x, -1, 0)) if k == "inertia" else x for k, x in p.items()}
        columns = tuple(speeds[..., k] for k in range(len(self.craft.wheels)))
        wheels = self.satellite(None, given).wheels_in_state(t, q, w, columns)
        if not self.audit:
            return w, wheels
        return (w, wheels), (tuple(0.0 for _ in wheels), np.zeros(3), 0.0, 0.0)


def _array_of(values: Each) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
