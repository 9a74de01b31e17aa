"""Runs of one rigid body, compiled once and called many times: `body.simulation(…)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.body import refuse_impossible, vector
from quatrain.body_runs import BODY_PARAMETERS, Loads, free_mechanism, pinned_mechanism
from quatrain.control import Control, Event, refuse_other_arguments
from quatrain.equations.rigid_body import point_inertia
from quatrain.equations.stepping import Tolerance
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross
from quatrain.run_checks import one_batch, unit_quaternions
from quatrain.simulation import Simulation
from quatrain.steppers import ADAPTIVE
from quatrain.trajectory import Trajectory

if TYPE_CHECKING:
    from quatrain.body import RigidBody

# These keep the momentum to rounding by themselves, or as well as they are told to.
_LEFT_ALONE = ("implicit_midpoint", "variational", *ADAPTIVE)


class BodySimulation:
    """The options of `RigidBody.simulate`, compiled; call it with starts, a duration and parameters."""

    def __init__(
        self,
        body: RigidBody,
        *,
        method: str | Callable[..., Any] = "rk4",
        torque: Any = None,
        force: Any = None,
        control: Control | Callable[..., Any] | None = None,
        gravity: Any = None,
        fixed_point: Any = None,
        events: Mapping[str, Event | Callable[..., Any]] | None = None,
        record: Iterable[str] | None = None,
        parameters: Iterable[str] = (),
        tolerance: Tolerance | float | None = None,
        keep_momentum: bool = True,
        threads: int | None = None,
        dtype: str = "float64",
    ) -> None:
        names = tuple(dict.fromkeys("inertia" if name == "moments" else name for name in parameters))
        vary = tuple(name for name in names if name in BODY_PARAMETERS)
        g = None if gravity is None else vector(gravity, "gravity")
        g = None if g is None or not any(g) else g
        if "gravity" in vary:
            g = Vec3.zero() if g is None else g
        self.body, self.vary = body, vary
        self.loads = Loads(
            _load(torque, "torque", "t, q, w"), _load(force, "force", "t, X, v"), g, control is not None
        )
        self.fixed_point = None if fixed_point is None else vector(fixed_point, "fixed_point")
        no_torque = self.loads.is_nothing and (g is None or self.fixed_point is None)
        self.keeps_momentum = keep_momentum and no_torque and method not in _LEFT_ALONE
        if self.fixed_point is None:
            mechanism = free_mechanism(body.body, self.loads, vary, keep_momentum=self.keeps_momentum)
        else:
            mechanism = pinned_mechanism(
                body.body, self.fixed_point, self.loads, vary, keep_momentum=self.keeps_momentum
            )
        self.simulation = Simulation(
            mechanism,
            method=method,
            control=control,
            events=events,
            record=record,
            tolerance=Tolerance(float(tolerance), float(tolerance))
            if isinstance(tolerance, (int, float))
            else tolerance,
            parameters=[name for name in names if name not in vary],
            threads=threads,
            dtype=dtype,
        )

    def __call__(
        self,
        q0: Any = (1.0, 0.0, 0.0, 0.0),
        w0: Any = (0.0, 0.0, 0.0),
        p0: Any = (0.0, 0.0, 0.0),
        v0: Any = (0.0, 0.0, 0.0),
        *,
        duration: float,
        dt: float = 1e-3,
        record_every: int = 1,
        parameters: Mapping[str, Any] | None = None,
        start: float = 0.0,
        normalize: str = "check",
    ) -> Trajectory:
        """The motions; arguments as those of `RigidBody.simulate`."""
        q = Quaternion.from_array(unit_quaternions(_array(q0), "q0", normalize), name="q0")
        w = Vec3.from_array(_array(w0), name="w0")
        given = body_parameters(parameters or {})
        place, speed = self._start(q, w, _array(p0), _array(v0), given)
        return self.simulation(
            place,
            speed,
            duration=duration,
            dt=dt,
            record_every=record_every,
            start=start,
            parameters=given,
        )

    def _start(self, q: Quaternion, w: Vec3, p0: Any, v0: Any, given: Mapping[str, Any]) -> tuple[Any, Any]:
        """The start as the mechanism takes it, by the centre of mass or by the attitude alone."""
        body = self.body
        one_batch(
            q0=np.shape(q.w),
            w0=np.shape(w.x),
            p0=np.shape(p0)[:-1],
            v0=np.shape(v0)[:-1],
            **{
                name: np.shape(value)[: None if name == "mass" else -1]
                for name, value in given.items()
                if name in self.vary
            },
        )
        c = Vec3.from_array(given["com"]) if "com" in given else body.com
        inertia = SymMat3(*np.moveaxis(given["inertia"], -1, 0)) if "inertia" in given else body.inertia
        if self.fixed_point is not None:
            if np.any(p0) or np.any(v0):
                raise ArgumentError(
                    "p0 or v0 was given for a body with a fixed point",
                    do="leave them out: it rests in W's origin, and the rest follows",
                )
            arm = c - self.fixed_point
            about = inertia + point_inertia(given.get("mass", body.mass), arm)
            return ((q, q.rotate(about @ w)) if self.keeps_momentum else q), w
        p, v = Vec3.from_array(p0, name="p0"), Vec3.from_array(v0, name="v0")
        X = Pose(q, p + q.rotate(c))
        velocity = (v + q.rotate(cross(w, c)), w)
        if not self.keeps_momentum:
            return X, velocity
        return (X, q.rotate(inertia @ w)), velocity


def body_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as arrays; "inertia" (…, 3, 3) or principal "moments" (…, 3) as the six entries of an inertia."""
    given = {name: _array(value) for name, value in parameters.items()}
    if "mass" in given:
        _refuse_mass(given["mass"])
    if "moments" in given and "inertia" in given:
        raise ArgumentError("the parameters 'inertia' and 'moments' were both given", do="pass one of them")
    if "moments" in given:
        moments = _of_shape(given.pop("moments"), "moments", (3,), "principal moments")
        given["inertia"] = np.concatenate([moments, np.zeros_like(moments)], axis=-1)
    elif "inertia" in given:
        matrices = SymMat3.from_array(
            _of_shape(given["inertia"], "inertia", (3, 3), "matrices"), name="inertia"
        )
        given["inertia"] = np.stack(np.broadcast_arrays(*matrices), axis=-1)
    if "inertia" in given:
        refuse_impossible(SymMat3(*np.moveaxis(given["inertia"], -1, 0)), "inertia")
    return given


def _refuse_mass(mass: Any) -> None:
    bad = np.argwhere(~(np.isfinite(mass) & (mass > 0)))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        at = f"[{', '.join(map(str, place))}]" if place else ""
        raise ArgumentError(
            f"the parameter 'mass'{at} is {mass[place]:g} kg", do="pass finite masses above zero"
        )


def _of_shape(array: Any, name: str, shape: tuple[int, ...], what: str) -> Any:
    if array.shape[-len(shape) :] != shape:
        wanted = ", ".join(["...", *map(str, shape)])
        raise ArgumentError(
            f"the parameter {name!r} has shape {array.shape}", do=f"pass {what} ({wanted}), the batch first"
        )
    return array.astype(float)


def _array(value: Any) -> Any:
    return value.to_array() if isinstance(value, (Quaternion, Vec3)) else np.asarray(value)


def _load(value: Any, name: str, arguments: str) -> Any:
    if callable(value):
        refuse_other_arguments(value, f"the function {name}=", arguments, f"{arguments}, p")
    return value if value is None or callable(value) else vector(value, name)
