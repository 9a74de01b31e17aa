"""Sensors, recorded in the kernel of a run: `qt.simulate(robot, …, record={"imu": sensors.IMU("trunk")})`.

A sensor is a function of a `State`; any of your own will do. `Measured` makes of each one what an instrument would have
read: with noise, bias, steps of resolution and a range.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

from quatrain.equations import dynamics, noise
from quatrain.equations.forces import balance
from quatrain.equations.forces.numbers import (
    Number,
    for_each,
    given,
    motions_of,
    own_numbers,
    refuse_below,
)
from quatrain.equations.kinematics import frame_acceleration, frame_velocity
from quatrain.equations.reactions import joint_reactions, moved
from quatrain.equations.stepping.nested import scalars
from quatrain.equations.tree_motion import Force, Loads, State
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3
from quatrain.model import WORLD
from quatrain.scalar import Scalar, floor, maximum, minimum
from quatrain.trajectory import Quantity

__all__ = [
    "State",
    "Loads",
    "FramePose",
    "FrameVelocity",
    "Energy",
    "Power",
    "Momentum",
    "Reaction",
    "ForceTorque",
    "Accelerometer",
    "Gyroscope",
    "IMU",
    "Encoder",
    "Measured",
]

_AXES = ("x", "y", "z")
_WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")


# ---- the motion --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FramePose:
    """Where a frame is: three coordinates of its origin, then its quaternion, seen from another frame."""

    frame: str
    relative_to: str = "world"

    def __call__(self, state: State) -> tuple[Scalar, ...]:
        X = state.pose(self.frame, self.relative_to)
        return (*X.p, *X.q)

    def quantity(self, name: str) -> Quantity:
        names = (*_AXES, "qw", "qx", "qy", "qz")
        return Quantity(name, "m, 1", f"of {self.frame} in {_world(self.relative_to)}", names)


@dataclass(frozen=True)
class FrameVelocity:
    """Velocity of a frame's origin, then its angular velocity; axes as of `robot.velocity`."""

    frame: str
    axes: str = "world"
    relative_to: str = "world"

    def __call__(self, state: State) -> tuple[Scalar, ...]:
        v, w = frame_velocity(
            state.model, state.q, state.v, self.frame, axes=self.axes, relative_to=self.relative_to
        )
        return (*v, *w)

    def quantity(self, name: str) -> Quantity:
        seen = f"of {self.frame} from {_world(self.relative_to)}, axes {self.axes!r}"
        return Quantity(name, "m/s, rad/s", seen, ("vx", "vy", "vz", "wx", "wy", "wz"))


@dataclass(frozen=True)
class Energy:
    """Kinetic and potential energy, with what springs of the joints and these forces hold."""

    forces: tuple[Force, ...] = ()

    def __post_init__(self) -> None:
        if callable(self.forces):
            object.__setattr__(self, "forces", (self.forces,))
        elif not isinstance(self.forces, tuple) and isinstance(self.forces, Iterable):
            object.__setattr__(self, "forces", tuple(self.forces))

    def __call__(self, state: State) -> Scalar:
        held = balance.stored_energy(state, self.forces)
        if state.loads is None or state.loads.passive:
            held = held + dynamics.spring_energy(state.model, state.q)
        return dynamics.energy(state.model, state.q, state.v) + held

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "J", "", (), "energy")


@dataclass(frozen=True)
class Power:
    """What a force gives to the motion."""

    force: Force

    def __call__(self, state: State) -> Scalar:
        return balance.power(state, self.force)

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "W")


@dataclass(frozen=True)
class Momentum:
    """Linear, then angular momentum about the centre of mass."""

    def __call__(self, state: State) -> tuple[Scalar, ...]:
        return tuple(dynamics.momentum_rows(state.model, state.q, state.v))

    def quantity(self, name: str) -> Quantity:
        names = ("px", "py", "pz", "Lx", "Ly", "Lz")
        return Quantity(name, "kg m/s, kg m²/s", "about the centre of mass, in W", names)


# ---- forces ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reaction:
    """What a joint does to the body that it carries: force, and torque about the body's origin, in axes of the world.

    Along the ways that the joint moves it is what drives it, less what a rotor takes.
    """

    joint: str

    def __call__(self, state: State) -> tuple[Scalar, ...]:
        names = state.model.joint_names
        if self.joint not in names:
            raise ArgumentError(
                f"{state.model.name} has no joint {self.joint!r}", do=f"name one of {', '.join(names[:8])}"
            )
        f, t = _reaction(state, names.index(self.joint))
        return (*f, *t)

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "N, N m", f"of joint {self.joint} on its body, in W", _WRENCH)


@dataclass(frozen=True)
class ForceTorque:
    """What a sensor in the joint that carries a frame's body reads: force, and torque about the frame's origin.

    It is what the parent does to the body, in the frame's axes.
    """

    frame: str

    def __call__(self, state: State) -> tuple[Scalar, ...]:
        frame = state.model.frame(self.frame)
        if frame.body == WORLD:
            raise ArgumentError(
                f"ForceTorque is to measure at {self.frame!r}, which stands on the ground",
                do="name a frame of a body that moves",
            )
        body = state.moving.place(state.model, state.model.bodies[frame.body].name)
        here = state.moving.place(state.model, self.frame)
        f, t = moved(_reaction(state, frame.body), body.p - here.p)
        return (*(here.R.T @ f), *(here.R.T @ t))

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "N, N m", f"of its parent on the body of {self.frame}, there", _WRENCH)


def _reaction(state: State, body: int) -> tuple[Vec3, Vec3]:
    every = joint_reactions(state.model, state.q, state.v, state.acceleration, state.pushed[1])
    return every[body]


# ---- instruments ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Accelerometer:
    """Acceleration of a frame's origin less gravity, in the frame's axes: at rest g upwards."""

    frame: str

    def __call__(self, state: State) -> Vec3:
        a, _ = frame_acceleration(state.model, state.q, state.v, state.acceleration, self.frame)
        return state.moving.place(state.model, self.frame).R.T @ (a - state.model.gravity)

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "m/s²", f"of {self.frame} less gravity, in it", _AXES)


@dataclass(frozen=True)
class Gyroscope:
    """Angular velocity of a frame, in its axes."""

    frame: str

    def __call__(self, state: State) -> Vec3:
        return state.velocity(self.frame, "body")[1]

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "rad/s", f"of {self.frame}, in it", _AXES)


@dataclass(frozen=True)
class IMU:
    """What an accelerometer and a gyroscope at a frame read: six numbers."""

    frame: str

    def __call__(self, state: State) -> tuple[Scalar, ...]:
        return (*Accelerometer(self.frame)(state), *Gyroscope(self.frame)(state))

    def quantity(self, name: str) -> Quantity:
        names = ("ax", "ay", "az", "wx", "wy", "wz")
        return Quantity(name, "m/s², rad/s", f"of {self.frame}, in it", names)


@dataclass(frozen=True)
class Encoder:
    """The coordinates of a joint, in whole counts where `counts` says how many a turn (or a metre) has."""

    joint: str
    counts: Number | None = None

    def __post_init__(self) -> None:
        if self.counts is not None:
            refuse_below(self, 1.0, "counts")

    def __call__(self, state: State) -> tuple[Scalar, ...] | Scalar:
        found: list[Scalar] = []
        for motion in motions_of(state.model, self.joint):
            if motion.motion.kind == "ball":
                raise ArgumentError(
                    f"Encoder is to read joint {self.joint!r}, whose attitude is no count",
                    do="name a joint that turns or slides, or one of its coordinates; FramePose reads an attitude",
                )
            (x,) = motion.displacement(state.q)
            if self.counts is not None:
                whole = 1.0 if motion.motion.kind == "slide" else 2 * _PI
                x = _stepped(x, whole / given(state.p, self.counts))
            found.append(x)
        return found[0] if len(found) == 1 else tuple(found)

    def quantity(self, name: str) -> Quantity:
        return Quantity(name, "", f"of joint {self.joint}")


_PI = 3.141592653589793


@dataclass(frozen=True)
class Measured:
    """What an instrument would have read of a sensor: bias and noise added, then its range, then steps of resolution.

    `noise` is the standard deviation of each reading, `bias` that of an offset which stays for the run. Both are drawn
    by a counter from the seed, the time of the reading (to a microsecond) and the entry, so that a run has the same
    noise in a batch or alone, on any number of threads. Give each motion of a batch its own by naming a parameter,
    seed="seed". Other sensors have other streams; `stream` sets apart two that are alike.
    """

    sensor: Callable[[State], Any]
    noise: Number | tuple[Number, ...] = 0.0
    bias: Number | tuple[Number, ...] = 0.0
    seed: Number = 0
    resolution: Number | tuple[Number, ...] = 0.0
    limit: Number | tuple[Number, ...] | None = None
    stream: int = 0

    def __post_init__(self) -> None:
        if not callable(self.sensor):
            raise ArgumentError(
                f"Measured was given a {type(self.sensor).__name__}, which is no sensor",
                do="pass a sensor, such as sensors.IMU('trunk'), or a function of the state",
            )
        own_numbers(self, "noise", "bias", "resolution", "limit")
        refuse_below(self, 0.0, "noise", "bias", "resolution", "seed")
        if self.limit is not None:
            refuse_below(self, 0.0, "limit")
        if not isinstance(self.seed, str) and not (self.seed % 1 == 0 and self.seed < 2**36):
            raise ArgumentError(f"seed of Measured is {self.seed!r}", do="pass a whole number below 2³⁶")

    def __call__(self, state: State) -> Any:
        true = self.sensor(state)
        values = list(scalars(tuple(true) if isinstance(true, list) else true))
        if len(values) >= _CHANNELS:
            raise ArgumentError(
                f"Measured has {len(values)} values to add noise to",
                do=f"split it, below {_CHANNELS} in each",
            )
        read = self._disturbed(state, values)
        steps = self._each(state, "resolution", len(values))
        if self.limit is not None:
            ends = self._each(state, "limit", len(values))
            read = [minimum(maximum(x, -end), end) for x, end in zip(read, ends, strict=True)]
        read = [x if _is_zero(step) else _stepped(x, step) for x, step in zip(read, steps, strict=True)]
        return read[0] if len(read) == 1 else tuple(read)

    def _disturbed(self, state: State, values: list[Scalar]) -> list[Scalar]:
        seed, stream = given(state.p, self.seed), self._stream()
        # Some way off whole and half microseconds, where rounding of the time would decide.
        count = floor(state.t * 1e6 + 0.2718281828)
        for name, channel, at in (("bias", _CHANNELS, 0.0), ("noise", 0, count)):
            sizes = self._each(state, name, len(values))
            for k in range(0, len(values), 2):
                if all(_is_zero(size) for size in sizes[k : k + 2]):
                    continue
                drawn = noise.normals(seed, stream, channel + k // 2, at)
                for i, (size, deviation) in enumerate(zip(sizes[k : k + 2], drawn, strict=False), k):
                    values[i] = values[i] + size * deviation
        return values

    def _each(self, state: State, name: str, count: int) -> list[Scalar]:
        return [given(state.p, x) for x in for_each(getattr(self, name), count, self, name)]

    def _stream(self) -> int:
        sensor = self.sensor
        said = repr(sensor) if is_dataclass(sensor) else getattr(sensor, "__qualname__", "")
        said = re.sub(r" at 0x[0-9a-fA-F]+", "", said)  # where a function lies is of this process alone
        return (zlib.crc32(said.encode()) + self.stream) % int(noise.WORD)

    def quantity(self, name: str) -> Quantity:
        own = getattr(self.sensor, "quantity", None)
        if callable(own):
            return replace(own(name), role="")
        return Quantity(name, getattr(self.sensor, "unit", ""))


_CHANNELS = 2048


def _is_zero(x: Any) -> bool:
    return isinstance(x, (int, float)) and x == 0


def _stepped(x: Scalar, step: Scalar) -> Scalar:
    """The nearest whole number of steps."""
    return floor(x / step + 0.5) * step


def _world(frame: str) -> str:
    return "W" if frame == "world" else frame
