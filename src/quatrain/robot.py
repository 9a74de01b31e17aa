"""A robot: a model, and the kernels that have been compiled for it.

    robot = qt.examples.load("arm6")
    tau = robot.inverse_dynamics(q, v, a)        # (..., nv), any leading batch axes

A method compiles its kernel when it is first called. Arrays go in and come out; lists are accepted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.arguments import floats, projected, sight, spread, wrench, wrong_norm
from quatrain.arrays import random_unit_quaternions
from quatrain.checks import refuse_unsound
from quatrain.compiler import Kernel
from quatrain.compiler.kernel import number_type, thread_count
from quatrain.equations import dynamics
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError
from quatrain.faults.singular import singular
from quatrain.further import Further
from quatrain.kernel import compile
from quatrain.model import Coordinate, Model
from quatrain.motion import Motion
from quatrain.seen import Seen

if TYPE_CHECKING:
    from quatrain.formats.report import LoadReport

UNIT_TOLERANCE = 1e-6
"""How far the norm of a quaternion in a state may be from 1."""
NORMALIZE = ("check", "project")


class Robot(Motion, Further, Seen):
    """The quantities of a model as functions of arrays: q (..., nq), v (..., nv).

    `normalize`: quaternions in q are to be of unit norm, which "check" holds them to; "project" divides them by it.
    """

    def __init__(
        self,
        model: Model,
        *,
        dtype: str = "float64",
        threads: int | None = None,
        normalize: str = "check",
        report: LoadReport | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise ArgumentError(
                f"model is a {type(model).__name__}",
                do="pass a quatrain.Model, as ModelBuilder.model() gives",
            )
        refuse_unsound(model)
        number_type(dtype)  # what these refuse is told here, not at the first call
        thread_count(threads)
        if normalize not in NORMALIZE:
            raise ArgumentError(f"normalize is {normalize!r}", do='pass "check" or "project"')
        self._normalize = normalize
        self._model = model
        self._dtype = dtype
        self._threads = threads
        self.report = report
        """What was found when the model was read from a file."""
        self._prepare()

    def _prepare(self) -> None:
        self._kernels: dict[Any, Kernel] = {}
        self._lock = threading.Lock()
        balls = [(s, self._joint_of(s.v)) for s in Tree.of(self.model).segments if s.kind == "ball"]
        self._quaternions = [(segment.q, joint) for segment, joint in balls]

    def _joint_of(self, place: int) -> str:
        starts = self.model.v_starts
        k = max(k for k, body in enumerate(self.model.bodies) if body.joint.nv and starts[k] <= place)
        return self.model.bodies[k].joint.name

    # ---- what it is -------------------------------------------------------------------------------

    # Kernels are made for these three: to have others is to be another robot.

    @property
    def model(self) -> Model:
        return self._model

    @property
    def dtype(self) -> str:
        return self._dtype

    @property
    def threads(self) -> int | None:
        return self._threads

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        return self.model.nq

    @property
    def nv(self) -> int:
        return self.model.nv

    @property
    def nb(self) -> int:
        return self.model.nb

    @property
    def nu(self) -> int:
        return self.model.nu

    @property
    def q_names(self) -> tuple[str, ...]:
        return self.model.q_names

    @property
    def v_names(self) -> tuple[str, ...]:
        return self.model.v_names

    @property
    def body_names(self) -> tuple[str, ...]:
        return self.model.body_names

    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.model.coordinates()

    # ---- dynamics ---------------------------------------------------------------------------------

    def mass_matrix_inverse(self, q: Any) -> Any:
        """M⁻¹(q) (..., nv, nv)"""
        return self._of(dynamics.mass_matrix_inverse, q)

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any, external: Mapping[str, tuple[Any, Any]] | None = None
    ) -> Any:
        """a (..., nv) with M a + C v + g = tau + Jᵀ f; `external` as for `inverse_dynamics`."""
        if external:
            return self._pushed(dynamics.forward_dynamics_under, external, q, v, tau)
        return self._of(dynamics.forward_dynamics, q, v, tau)

    # ---- kinematics -------------------------------------------------------------------------------

    def poses(self, q: Any) -> tuple[Any, Any]:
        """Of all bodies' frames in the world: positions (..., nb, 3), quaternions (..., nb, 4)."""
        positions, quaternions = self._of(dynamics.poses, q)
        return positions, quaternions

    def pose(self, q: Any, frame: str, relative_to: str = "world") -> tuple[Any, Any]:
        """Of one frame, seen from another: position (..., 3), quaternion (..., 4)."""
        position, quaternion = self._of(dynamics.pose, q, frame=frame, relative_to=relative_to)
        return position, quaternion

    def velocity(
        self,
        q: Any,
        v: Any,
        frame: str,
        axes: str = "world",
        point: Any = None,
        relative_to: str = "world",
    ) -> tuple[Any, Any]:
        """J v, (..., 3) each: velocity of the frame's origin (or of the point), and its angular velocity."""
        linear, angular = self._of(dynamics.frame_velocity, q, v, **sight(frame, point, axes, relative_to))
        return linear, angular

    def acceleration(
        self,
        q: Any,
        v: Any,
        a: Any,
        frame: str,
        axes: str = "world",
        point: Any = None,
        relative_to: str = "world",
    ) -> tuple[Any, Any]:
        """Of the frame's origin (or of the point), and angular acceleration, (..., 3) each; gravity is left out."""
        seen = sight(frame, point, axes, relative_to)
        linear, angular = self._of(dynamics.frame_acceleration, q, v, a, **seen)
        return linear, angular

    def bias_acceleration(
        self,
        q: Any,
        v: Any,
        frame: str,
        axes: str = "world",
        point: Any = None,
        relative_to: str = "world",
    ) -> tuple[Any, Any]:
        """J̇ v, (..., 3) each, of the Jacobian for the same axes: d/dt(J v) = J a + J̇ v."""
        seen = sight(frame, point, axes, relative_to)
        linear, angular = self._of(dynamics.bias_acceleration, q, v, **seen)
        return linear, angular

    def center_of_mass(self, q: Any) -> Any:
        """Of all that can move (..., 3)"""
        return self._of(dynamics.center_of_mass, q)

    # ---- energy and momentum ----------------------------------------------------------------------

    def energy(self, q: Any, v: Any) -> Any:
        """T + V (...); V is zero at the world's origin."""
        return self._of(dynamics.energy, q, v)

    def kinetic_energy(self, q: Any, v: Any) -> Any:
        return self._of(dynamics.kinetic_energy, q, v)

    def potential_energy(self, q: Any) -> Any:
        return self._of(dynamics.potential_energy, q)

    def momentum(self, q: Any, v: Any) -> Any:
        """Linear, then angular about the centre of mass, in world axes (..., 6)"""
        return self._of(dynamics.momentum_rows, q, v)

    def centroidal_momentum_matrix(self, q: Any) -> Any:
        """A (..., 6, nv) with momentum = A v."""
        return self._of(dynamics.centroidal_momentum_matrix, q)

    def momentum_rate(self, q: Any, v: Any, a: Any) -> Any:
        """d/dt of the momentum (..., 6): the sum of all forces from outside, and of their torques."""
        return self._of(dynamics.momentum_rate_rows, q, v, a)

    def centroidal_momentum_bias(self, q: Any, v: Any) -> Any:
        """Ȧ v (..., 6), with momentum_rate = A a + Ȧ v."""
        return self._of(dynamics.centroidal_momentum_bias_rows, q, v)

    def centroidal_momentum_matrix_rate(self, q: Any, v: Any) -> Any:
        """Ȧ (..., 6, nv)"""
        return self._of(dynamics.centroidal_momentum_matrix_rate, q, v)

    # ---- configurations ---------------------------------------------------------------------------

    def integrate(self, q: Any, v: Any, dt: Any) -> Any:
        """q ⊕ v dt (..., nq): where constant velocities lead; quaternions stay of unit norm."""
        return self._of(dynamics.integrate, q, v, dt, inputs={"dt": float})

    def difference(self, q0: Any, q1: Any) -> Any:
        """The velocity (..., nv) that leads from q0 to q1 in unit time, by the shorter way."""
        q1 = self._checked(q1, "q1")
        return self._of(dynamics.difference, q0, q1)

    def neutral(self) -> Any:
        """All joints at zero (nq,)."""
        return np.array(dynamics.neutral(self.model), float)

    def random_configuration(self, rng: np.random.Generator, batch: int | tuple[int, ...] = ()) -> Any:
        """Within limits where there are any, angles in (−π, π], lengths in ±1 m, attitudes uniform (*batch, nq)."""
        shape = (batch,) if isinstance(batch, int) else tuple(batch)
        quaternions = random_unit_quaternions(rng, (*shape, len(self._quaternions)))
        q = rng.uniform(0.0, 1.0, (*shape, self.nq))
        for coordinate, bounds in zip(self.coordinates(), dynamics.bounds(self.model), strict=True):
            lower, upper = spread(*bounds, np.pi if coordinate.unit == "rad" else 1.0)
            q[..., coordinate.index] = lower + (upper - lower) * q[..., coordinate.index]
        for i, (k, _) in enumerate(self._quaternions):
            q[..., k : k + 4] = quaternions[..., i, :]
        return q

    def configuration(self, **joints: Any) -> Any:
        """Neutral but for the joints named: `robot.configuration(elbow=0.3)`."""
        q = self.neutral()
        starts = dict(zip(self.model.joint_names, self.model.q_starts, strict=True))
        sizes = {body.joint.name: body.joint.nq for body in self.model.bodies}
        for name, value in joints.items():
            if name not in starts:
                raise ArgumentError(
                    f"{self.name} has no joint {name!r}", do=f"name some of {', '.join(starts)}"
                )
            given = floats(value, name).ravel()
            follows = self.model.bodies[self.model.joint_names.index(name)].joint.mimic
            if follows is not None:
                raise ArgumentError(
                    f"joint {name!r} follows {follows.joint!r}", do="give that one, and this one goes along"
                )
            if given.size != sizes[name]:
                raise ArgumentError(
                    f"joint {name!r} has {sizes[name]} coordinates, and {given.size} came",
                    do="give one number for each",
                )
            q[starts[name] : starts[name] + sizes[name]] = given
        return self._checked(q, "q")

    # ---- kernels ----------------------------------------------------------------------------------

    def kernel(
        self, function: Callable[..., Any], *, inputs: Mapping[str, Any] | None = None, **options: Any
    ) -> Kernel:
        """The kernel of an equation for this robot, compiled when it is first asked for.

        `options` are arguments of the equation that its code is made for: `frame="hand"`.
        """
        declared = repr(sorted(inputs.items())) if inputs else ""
        return self._compiled((function, declared, *options.items()), function, inputs, options)

    def _compiled(
        self, key: Any, function: Callable[..., Any], inputs: Any, options: Mapping[str, Any]
    ) -> Kernel:
        found = self._kernels.get(key)
        if found is None:
            with self._lock:
                if key not in self._kernels:
                    chosen = partial(function, **options) if options else function
                    try:
                        self._kernels[key] = compile(
                            chosen, self.model, inputs=inputs, dtype=self.dtype, threads=self.threads
                        )
                    except ZeroDivisionError as error:
                        raise self._unresisted(function) from error
                found = self._kernels[key]
        return found

    def _unresisted(self, function: Callable[..., Any]) -> ArgumentError:
        """Why an equation divides by zero whatever the state: there are joints that nothing resists."""
        faults = tuple(singular(self.model))
        listed = "; ".join(f"{fault.where}: {fault.what}" for fault in faults)
        name = getattr(function, "__name__", "the function")
        return ArgumentError(
            f"{name} of {self.name} divides by zero in every state" + (f". {listed}" if faults else ""),
            do=faults[0].do if faults else "look for what it divides by",
        )

    def _of(
        self, function: Callable[..., Any], q: Any, *rest: Any, inputs: Any = None, **options: Any
    ) -> Any:
        if self._quaternions:
            q = self._checked(q, "q")
        # What a method of ours declares follows from the function and its options.
        key = (function, *options.items()) if options else function
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._compiled(key, function, inputs, options)
        return kernel(q, *rest)

    def _pushed(
        self, function: Callable[..., Any], external: Mapping[str, tuple[Any, Any]], *state: Any
    ) -> Any:
        frames = tuple(external)
        for name in frames:
            self.model.frame(name)
        both = [wrench(external[name], name) for name in frames]
        wrenches = np.stack(np.broadcast_arrays(*both), axis=-2)
        return self._of(function, *state, wrenches, inputs={"wrenches": (len(frames), 6)}, frames=frames)

    def _checked(self, q: Any, name: str) -> Any:
        """q, after its quaternions have been found to be of unit norm."""
        try:
            q = np.asarray(q)
        except ValueError:
            return q
        if q.shape[-1:] != (self.nq,) or q.dtype.kind not in "fiu":
            return q  # the kernel says what is wrong with it
        if self._normalize == "project":
            return projected(q, self._quaternions, name)
        for k, joint in self._quaternions:
            part = q[..., k : k + 4]
            if part.ndim == 1:  # of one state, whose call is short, plain numbers tell it sooner
                w, x, y, z = part.tolist()
                if abs(w * w + x * x + y * y + z * z - 1.0) <= UNIT_TOLERANCE:
                    continue
            norm = np.sqrt(np.sum(part * part, axis=-1))
            wrong = np.abs(norm - 1.0) > UNIT_TOLERANCE
            if np.any(wrong):
                raise wrong_norm(name, norm, wrong, k, joint)
        return q

    def __getstate__(self) -> dict[str, Any]:
        kept = {"model": self.model, "dtype": self.dtype, "threads": self.threads, "report": self.report}
        return {**kept, "normalize": self._normalize}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {self.nb} bodies, nq {self.nq}, nv {self.nv}>"
