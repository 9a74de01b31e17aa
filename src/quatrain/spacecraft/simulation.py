"""Runs of a satellite, compiled once and called many times: `craft.simulation(…)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.body import refuse_impossible, vector
from quatrain.control import Control, Event, refuse_other_arguments
from quatrain.equations.spacecraft import MOMENTA, SPEEDS
from quatrain.equations.stepping import Tolerance
from quatrain.errors import ArgumentError, with_article
from quatrain.geometry import Quaternion, SymMat3, Vec3
from quatrain.run_checks import one_batch, unit_quaternions
from quatrain.simulation import Simulation
from quatrain.spacecraft.mechanism import FRAMES, Setting
from quatrain.spacecraft.orbits import Orbit
from quatrain.trajectory import Trajectory

if TYPE_CHECKING:
    from quatrain.spacecraft.craft import Spacecraft


class SpacecraftSimulation:
    """The options of `Spacecraft.simulate`, compiled; call it with starts, a duration and parameters."""

    def __init__(
        self,
        craft: Spacecraft,
        *,
        orbit: Orbit | None = None,
        frame: str = "inertial",
        gravity: bool = True,
        torque: Any = None,
        control: Control | Callable[..., Any] | None = None,
        method: str | Callable[..., Any] = "rk4",
        state: str = SPEEDS,
        audit: bool = True,
        events: Mapping[str, Event | Callable[..., Any]] | None = None,
        record: Iterable[str] | None = None,
        parameters: Iterable[str] = (),
        tolerance: Tolerance | float | None = None,
        threads: int | None = None,
        dtype: str = "float64",
    ) -> None:
        _refuse_unknown(orbit, frame, state)
        names = tuple(parameters)
        load = torque if torque is None or callable(torque) else vector(torque, "torque")
        if callable(load):
            refuse_other_arguments(load, "the function torque=", "t, q, w", "t, q, w, p")
        vary = tuple(name for name in names if name == "inertia")
        self.setting = Setting(craft, orbit, frame, gravity, load, state, audit, control is not None)
        if control is not None:
            control = self.setting.law(control if isinstance(control, Control) else Control(control))
        if isinstance(tolerance, (int, float)):
            tolerance = Tolerance(float(tolerance), float(tolerance))
        self.simulation = Simulation(
            self.setting.mechanism(vary),
            method=method,
            control=control,
            events={name: self.setting.event(event) for name, event in (events or {}).items()},
            record=record,
            tolerance=tolerance,
            parameters=[name for name in names if name not in vary],
            threads=threads,
            dtype=dtype,
        )

    def __call__(
        self,
        q0: Any = (1.0, 0.0, 0.0, 0.0),
        w0: Any = (0.0, 0.0, 0.0),
        wheel_speeds: Any = 0.0,
        *,
        duration: float,
        dt: float = 1e-3,
        record_every: int = 1,
        parameters: Mapping[str, Any] | None = None,
        start: float = 0.0,
        normalize: str = "check",
    ) -> Trajectory:
        """The motions; arguments as those of `Spacecraft.simulate`."""
        attitude = Quaternion.from_array(unit_quaternions(_array(q0), "q0", normalize), name="q0")
        rate = Vec3.from_array(_array(w0), name="w0")
        speeds = _speeds(wheel_speeds, self.setting.craft)
        given = {name: self._parameter(name, value) for name, value in (parameters or {}).items()}
        one_batch(
            q0=np.shape(attitude.w),
            w0=np.shape(rate.x),
            wheel_speeds=speeds.shape[:-1],
            **({"inertia": given["inertia"].shape[:-1]} if "inertia" in given else {}),
        )
        v0 = self.setting.start(start, attitude, rate, speeds, given)
        return self.simulation(
            attitude,
            v0,
            duration=duration,
            dt=dt,
            record_every=record_every,
            start=start,
            parameters=given,
        )

    def _parameter(self, name: str, value: Any) -> Any:
        if name != "inertia":
            return np.asarray(value)
        entries = inertia_entries(value)
        rest = self.setting.craft.gyrostat_of(SymMat3(*np.moveaxis(entries, -1, 0))).reduced_inertia
        bad = np.argwhere(np.linalg.eigvalsh(rest.to_array())[..., 0] <= 0)
        if len(bad):
            place = f"[{', '.join(map(str, bad[0]))}]" if bad.shape[1] else ""
            raise ArgumentError(
                f"the parameter 'inertia'{place} leaves no room for the wheels: J − Σ j a aᵀ is not positive definite",
                do="give J of hub and complete wheels together, and check the units of both inertias",
            )
        return entries


def inertia_entries(value: Any) -> Any:
    """Principal moments (..., 3) or matrices (..., 3, 3) as arrays (..., 6) of their six entries, checked."""
    array = np.asarray(value.to_array() if isinstance(value, SymMat3) else value, float)
    if array.shape[-2:] == (3, 3):
        J = SymMat3.from_array(array, name="inertia")
    elif array.shape[-1:] == (3,):
        J = SymMat3.diagonal(*np.moveaxis(array, -1, 0))
    else:
        raise ArgumentError(
            f"the parameter 'inertia' has shape {array.shape}",
            do="pass principal moments (..., 3) or matrices (..., 3, 3), the batch first",
        )
    refuse_impossible(J, "inertia")
    return np.stack(np.broadcast_arrays(*J), axis=-1).astype(float)


def _array(value: Any) -> Any:
    return value.to_array() if isinstance(value, (Quaternion, Vec3)) else np.asarray(value)


def _speeds(value: Any, craft: Spacecraft) -> Any:
    """(..., N); one number serves every wheel."""
    n = len(craft.wheels)
    try:
        speeds = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"wheel_speeds is {value!r}", do="pass one number for each wheel [rad/s], or a single one for all"
        ) from None
    if speeds.ndim == 0:
        speeds = np.full(n, float(speeds))
    if speeds.shape[-1] != n:
        raise ArgumentError(
            f"wheel_speeds has shape {speeds.shape}; this spacecraft needs (..., {n}): it has "
            f"{n} wheel{'' if n == 1 else 's'}",
            do="give one speed for each wheel along the last axis, or a single number for all",
        )
    return speeds


def _refuse_unknown(orbit: Any, frame: str, state: str) -> None:
    if frame not in FRAMES:
        raise ArgumentError(f"frame is {frame!r}", do='pass "inertial" or "orbital"')
    if state not in (SPEEDS, MOMENTA):
        raise ArgumentError(f"state is {state!r}", do='pass "speeds" or "momenta"')
    if orbit is not None and not isinstance(orbit, Orbit):
        raise ArgumentError(
            f"orbit is {with_article(type(orbit))}", do="pass Orbit.circular(mu, radius) or Orbit.elliptic(…)"
        )
    if frame == "orbital" and orbit is None:
        raise ArgumentError(
            'frame is "orbital", and there is no orbit',
            do="pass orbit=Orbit.circular(mu, radius) or Orbit.elliptic(mu, semi_major_axis, eccentricity)",
        )
