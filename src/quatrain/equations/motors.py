"""A direct-current motor behind a gear: from voltage to the force of its joint, and what bounds it.

    L di/dt + R i + k N ω = u,    τ = N k i                        (1)

ω is the joint's rate and N the gear. With |u| no more than the supply gives, the torque at standstill is N k u/R and
falls in a line to zero at the speed u/(k N): the torque–speed curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quatrain.equations.forces.numbers import refuse_below, refuse_zero
from quatrain.errors import ArgumentError
from quatrain.joint import reflected_inertia
from quatrain.model import Model
from quatrain.scalar import Scalar, exp, maximum, minimum


@dataclass(frozen=True, kw_only=True)
class Motor:
    """What a data sheet says."""

    torque_constant: float
    """k [N m/A], and as much [V s/rad]."""
    resistance: float
    """R [Ω]"""
    voltage: float
    """Of the supply, the greatest |u| [V]."""
    gear: float = 1.0
    """N: turns of the rotor for one of the joint, radians for a metre of a slide."""
    inductance: float = 0.0
    """L [H]"""
    rotor: float = 0.0
    """Inertia of the rotor [kg m²]; `with_rotors` puts it into a model."""
    current: float | None = None
    """The greatest that the drive asks for [A]."""

    def __post_init__(self) -> None:
        refuse_zero(self, "torque_constant", "resistance", "voltage", "gear")
        refuse_below(self, 0.0, "inductance", "rotor")
        if self.current is not None:
            refuse_below(self, 0.0, "current")

    @classmethod
    def of_curve(
        cls,
        *,
        stall_torque: float,
        no_load_speed: float,
        gear: float = 1.0,
        time_constant: float = 0.0,
        rotor: float = 0.0,
    ) -> Motor:
        """From the ends of the torque–speed curve of the motor itself, and its electrical time constant L/R [s].

        Voltages are then in parts of the supply: 1 is all of it.
        """
        for name, value in (("stall_torque", stall_torque), ("no_load_speed", no_load_speed)):
            if value == 0 or not value >= 0:
                raise ArgumentError(f"{name} of Motor.of_curve is {value!r}", do="pass a number above zero")
        k = 1.0 / no_load_speed
        R = k / stall_torque
        return cls(
            torque_constant=k, resistance=R, voltage=1.0, gear=gear, inductance=time_constant * R, rotor=rotor
        )

    @property
    def armature(self) -> Scalar:
        """The rotor's inertia as the joint feels it."""
        return reflected_inertia(self.rotor, self.gear)

    @property
    def time_constant(self) -> float:
        """L/R [s]"""
        return self.inductance / self.resistance

    def commanded(self, torque: Scalar, rate: Scalar) -> Scalar:
        """u that would make a torque of the joint at its rate, as far as current allows: R i + k N ω."""
        current = torque / (self.gear * self.torque_constant)
        if self.current is not None:
            current = _within(current, self.current)
        return current * self.resistance + rate * (self.torque_constant * self.gear)

    def settled(self, voltage: Scalar, rate: Scalar) -> Scalar:
        """The current that a voltage leads to, the supply permitting: (u − k N ω)/R."""
        back = rate * (self.torque_constant * self.gear)
        return (_within(voltage, self.voltage) - back) / self.resistance

    def later(self, current: Scalar, settled: Scalar, passed: Scalar) -> Scalar:
        """The current after a time in which what it settles to was constant: (1) solved exactly."""
        if self.inductance == 0.0:
            return settled
        return settled + (current - settled) * exp(-(passed / self.time_constant))

    def torque(self, current: Scalar) -> Scalar:
        """Of the joint [N m or N]."""
        return current * (self.gear * self.torque_constant)


def with_rotors(model: Model, motors: Mapping[str, Motor]) -> Model:
    """The model with the motors' rotors on its joints, besides what armature these have."""
    bodies = list(model.bodies)
    numbers = {body.joint.name: k for k, body in enumerate(bodies)}
    for name, motor in motors.items():
        joint = bodies[_number(model, numbers, name)].joint
        armature = tuple(x + motor.armature for x in joint.armature or (0.0,))
        bodies[numbers[name]] = replace(bodies[numbers[name]], joint=replace(joint, armature=armature))
    return replace(model, bodies=tuple(bodies))


def _number(model: Model, numbers: Mapping[str, int], name: str) -> int:
    """Of the body whose joint a motor may drive: one that moves one way, by itself."""
    if name not in numbers or model.bodies[numbers[name]].joint.nv != 1:
        able = [body.joint.name for body in model.bodies if body.joint.nv == 1]
        raise ArgumentError(
            f"a motor is to drive {name!r}, which is no joint of {model.name} with one velocity",
            do=f"name some of {', '.join(able[:8])}",
        )
    return numbers[name]


def motor_places(model: Model, motors: Mapping[str, Motor]) -> list[int]:
    """Their entries of v."""
    numbers = {body.joint.name: k for k, body in enumerate(model.bodies)}
    return [model.v_starts[_number(model, numbers, name)] for name in motors]


def _within(x: Scalar, most: float) -> Scalar:
    return minimum(maximum(x, -most), most)
