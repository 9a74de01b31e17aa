"""A satellite with reaction wheels, as a user has it: its inertia and wheels, checked, and its motion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.body import RigidBody, refuse_impossible, symmetric
from quatrain.equations.gyrostat import Each, Gyrostat
from quatrain.equations.wheel_control import allocated, allocation
from quatrain.errors import ArgumentError, with_article
from quatrain.geometry import SymMat3, Vec3
from quatrain.spacecraft.wheels import Wheel

if TYPE_CHECKING:
    from quatrain.control import Control, Event
    from quatrain.equations.stepping import Tolerance
    from quatrain.spacecraft.orbits import Orbit
    from quatrain.spacecraft.simulation import SpacecraftSimulation
    from quatrain.trajectory import Trajectory


@dataclass(frozen=True, init=False)
class Spacecraft:
    """A rigid hub with N reaction wheels about any axes.

    `inertia` is J of hub **and complete wheels** about the common centre of mass [kg m²]: three principal moments,
    an array (3, 3) or a `SymMat3`. `Spacecraft.assembled` computes it from the parts.
    """

    inertia: SymMat3
    wheels: tuple[Wheel, ...]

    def __init__(self, inertia: Any, wheels: Iterable[Wheel] = ()) -> None:
        J, given = symmetric(inertia, "inertia"), _listed(wheels)
        for k, wheel in enumerate(given):
            if not isinstance(wheel, Wheel):
                raise ArgumentError(
                    f"wheels[{k}] is {with_article(type(wheel))}",
                    do="pass Wheel(axis, inertia) for each wheel",
                )
        refuse_impossible(J, "inertia")
        _refuse_too_large_wheels(J, given)
        object.__setattr__(self, "inertia", J)
        object.__setattr__(self, "wheels", given)

    @classmethod
    def assembled(cls, hub: RigidBody, wheels: Iterable[Wheel]) -> Spacecraft:
        """From the hub without wheels, and wheels with `mass`, `position` and `transverse_inertia`."""
        if not isinstance(hub, RigidBody):
            raise ArgumentError(
                f"hub is {with_article(type(hub))}", do="pass RigidBody(mass, inertia, com) of the hub alone"
            )
        given = _listed(wheels)
        total = Gyrostat.of_bodies(hub.body, [wheel.body(k) for k, wheel in enumerate(given)])
        return cls(total.inertia, given)

    @property
    def gyrostat(self) -> Gyrostat:
        """As the equations take it."""
        return self.gyrostat_of(self.inertia)

    def gyrostat_of(self, inertia: SymMat3) -> Gyrostat:
        """The same wheels in a satellite of another inertia."""
        return Gyrostat(
            inertia, tuple(w.direction for w in self.wheels), tuple(w.inertia for w in self.wheels)
        )

    @property
    def wheel_names(self) -> tuple[str, ...]:
        """Their names, or numbers for those without."""
        return tuple(wheel.name or str(k) for k, wheel in enumerate(self.wheels))

    def allocate(self, torque: Any) -> Each:
        """Wheel torques u with Σ u_k a_k = `torque`, the shortest; the hub feels −torque. Three wheels or more."""
        rows = allocation([wheel.direction for wheel in self.wheels])
        if not isinstance(torque, Vec3):
            parts = tuple(torque) if isinstance(torque, Iterable) else ()
            if len(parts) != 3:
                raise ArgumentError(f"torque is {torque!r}", do="pass three numbers, or a Vec3")
            torque = Vec3(*parts)
        return allocated(rows, torque)

    def simulation(self, **options: Any) -> SpacecraftSimulation:
        """The run of `simulate`, compiled, to be called many times with starts, a duration and parameters."""
        from quatrain.spacecraft.simulation import SpacecraftSimulation

        return SpacecraftSimulation(self, **options)

    def simulate(
        self,
        q0: Any = (1.0, 0.0, 0.0, 0.0),
        w0: Any = (0.0, 0.0, 0.0),
        wheel_speeds: Any = 0.0,
        *,
        duration: float,
        dt: float = 1e-3,
        orbit: Orbit | None = None,
        frame: str = "inertial",
        gravity: bool = True,
        torque: Any = None,
        control: Control | Callable[..., Any] | None = None,
        method: str | Callable[..., Any] = "rk4",
        state: str = "speeds",
        audit: bool = True,
        events: Mapping[str, Event | Callable[..., Any]] | None = None,
        record: Iterable[str] | None = None,
        record_every: int = 1,
        parameters: Mapping[str, Any] | None = None,
        tolerance: Tolerance | float | None = None,
        start: float = 0.0,
        normalize: str = "check",
        threads: int | None = None,
        dtype: str = "float64",
    ) -> Trajectory:
        """The motion from the attitude `q0`, the rate `w0` in the body, and wheel speeds relative to the hub.

        Leading axes of these are a batch. With `frame="inertial"` they are q_IB and w_IB_B; with "orbital" q_OB
        and w_OB_B, relative to the frame that goes round on `orbit`: z to the planet, y against the orbit's normal.

        - `gravity`: whether the gravity gradient acts, where there is an orbit;
        - `torque`: external, on the hub in B [N m], constant or a function (t, q, w), of p too if it takes four;
        - `control`: a law (t, q, v, x, p), v a `Rates`: the wheels' torques, or a pair (these, torque on the hub);
        - `state`: what is integrated for the wheels, their "speeds" or their absolute axial "momenta";
        - `audit`: also integrate impulse and work, so that the report says how well momentum and energy balance.

        `parameters` gives values for each motion: of "inertia", or names of your own. The rest is as in
        `quatrain.simulation.Simulation`.
        """
        run = self.simulation(
            orbit=orbit,
            frame=frame,
            gravity=gravity,
            torque=torque,
            control=control,
            method=method,
            state=state,
            audit=audit,
            events=events,
            record=record,
            parameters=tuple(parameters or ()),
            tolerance=tolerance,
            threads=threads,
            dtype=dtype,
        )
        return run(
            q0,
            w0,
            wheel_speeds,
            duration=duration,
            dt=dt,
            record_every=record_every,
            parameters=parameters,
            start=start,
            normalize=normalize,
        )


def _listed(wheels: Any) -> tuple[Any, ...]:
    """One wheel serves for a list of one."""
    return tuple(wheels) if isinstance(wheels, Iterable) else (wheels,)


def _refuse_too_large_wheels(J: SymMat3, wheels: Sequence[Wheel]) -> None:
    """J_r = J − Σ j a aᵀ must be positive definite; of one wheel alone that is j aᵀ J⁻¹ a < 1."""
    inverse, rest = J.inverse(), J.to_array().astype(float)
    for k, wheel in enumerate(wheels):
        a = wheel.direction
        room = 1 / inverse.quadratic_form(a)
        rest = rest - wheel.inertia * np.outer(tuple(a), tuple(a))
        advice = "give J of hub and complete wheels together, and check the units of both inertias"
        if not wheel.inertia < room:
            raise ArgumentError(
                f"{wheel.title(k)} has the axial inertia {wheel.inertia:g} kg m², and about its axis the whole "
                f"satellite leaves room for less than {room:.6g}",
                do=advice,
            )
        if not np.linalg.eigvalsh(rest)[0] > 0:
            raise ArgumentError(
                f"with {wheel.title(k)}, axial inertia {wheel.inertia:g} kg m², the wheels up to it take all of the "
                "satellite's inertia about some axis: J − Σ j a aᵀ is not positive definite",
                do=advice,
            )
