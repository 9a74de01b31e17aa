"""What a robot gives beyond its equations of motion: runs, forces in its joints, the geometry that its mass matrix
makes of its configurations, and what of its forces, energy and momentum is linear in its inertial parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quatrain.base_parameters import BaseParameters, base_parameters
from quatrain.equations import connection, dynamics, regressor
from quatrain.equations.curvature import curvature
from quatrain.equations.passive_forces import SLIP
from quatrain.errors import ArgumentError
from quatrain.model import Model

if TYPE_CHECKING:
    from quatrain.inverse_kinematics import InverseKinematics
    from quatrain.robot import Robot
    from quatrain.trajectory import Trajectory
    from quatrain.tree_simulation import TreeSimulation
    from quatrain.verify import Verification


class Further(ABC):
    """Methods of `Robot`; arrays go in and come out, with any leading batch axes."""

    @property
    @abstractmethod
    def model(self) -> Model:
        """The machine."""

    @abstractmethod
    def _of(
        self, function: Callable[..., Any], q: Any, *rest: Any, inputs: Any = None, **options: Any
    ) -> Any:
        """An equation of the model at q, compiled when it is first asked for."""

    @abstractmethod
    def random_configuration(self, rng: np.random.Generator, batch: int | tuple[int, ...] = ()) -> Any: ...

    # ---- runs -------------------------------------------------------------------------------------

    def simulate(self, q0: Any = None, v0: Any = None, *, duration: float, **options: Any) -> Trajectory:
        """Motions from q0 (..., nq) and v0 (..., nv); the options are those of `quatrain.simulate`."""
        from quatrain.tree_simulation import simulate

        return simulate(cast("Robot", self), q0, v0, duration=duration, **options)

    def simulation(self, **options: Any) -> TreeSimulation:
        """A run that is compiled once and called often; the options are those of `quatrain.TreeSimulation`."""
        from quatrain.tree_simulation import TreeSimulation

        robot = cast("Robot", self)
        return TreeSimulation(self.model, **{"dtype": robot.dtype, "threads": robot.threads, **options})

    # ---- forces in joints -------------------------------------------------------------------------

    def passive_force(self, q: Any, v: Any, slip: float = SLIP) -> Any:
        """tau (..., nv) of springs, damping and friction, which `inverse_dynamics` leaves out: −K (q − rest) − D v − …

        Friction is Coulomb's, with a smooth change of sign within a few times the speed `slip` [rad/s or m/s].
        """
        return self._of(dynamics.passive_force, q, v, slip=float(slip))

    def spring_energy(self, q: Any) -> Any:
        """Of the springs in joints (...), which `energy` leaves out."""
        return self._of(dynamics.spring_energy, q)

    def actuation(self, q: Any) -> Any:
        """B (..., nv, nu) with joint forces tau = B u of commands u within their limits; see `actuator_force`."""
        self._need_actuators()
        return self._of(dynamics.actuation, q)

    def actuator_force(self, q: Any, v: Any, u: Any) -> Any:
        """tau (..., nv) of all actuators at commands u (..., nu): with limits, and what servos make of q and v."""
        self._need_actuators()
        return self._of(dynamics.actuator_force, q, v, u)

    def _need_actuators(self) -> None:
        if not self.model.nu:
            raise ArgumentError(f"{self.model.name} has no actuators", do="give its model some: Actuator")

    # ---- connection -------------------------------------------------------------------------------

    def christoffel(self, q: Any, kind: str = "first") -> Any:
        """Γ(q) (..., nv, nv, nv) with Γ[..., a, b, c] = ⟨∇_a e_b, e_c⟩; a differentiates.

        `kind="second"`: Γ[..., a, b, k] with ∇_a e_b = Σ_k Γ[a, b, k] e_k.
        """
        if kind not in ("first", "second"):
            raise ArgumentError(f"kind is {kind!r}", do="pass 'first' or 'second'")
        first = self._of(connection.christoffel, q)
        if kind == "first":
            return first
        # nv⁴ products: better one of matrices than code for each of them.
        inverse = self._of(dynamics.mass_matrix_inverse, q)
        return np.matmul(first, inverse[..., None, :, :])

    def structure_constants(self) -> Any:
        """c (nv, nv, nv) with [e_a, e_b] = Σ_k c[a, b, k] e_k; zero but for ball and free joints."""
        return np.array(connection.structure_constants(self.model), float)

    def covariant_derivative(self, q: Any, v: Any, u: Any, du: Any) -> Any:
        """∇_v u (..., nv) of velocities u that change by du/dt along the motion v: u̇ + M⁻¹ C(q, v) u."""
        inputs = {"u": self.model.nv, "du": self.model.nv}
        return self._of(connection.covariant_derivative, q, v, u, du, inputs=inputs)

    def geodesic_acceleration(self, q: Any, v: Any) -> Any:
        """a (..., nv) with ∇_v v = 0: the motion without forces and without gravity."""
        return self._of(connection.geodesic_acceleration, q, v)

    def curvature(self, q: Any) -> Any:
        """R (..., nv, nv, nv, nv) with R[..., a, b, c, d] = ⟨R(e_a, e_b) e_c, e_d⟩, in the metric M(q).

        It has nv⁴ entries: for machines of up to some ten freedoms.
        """
        return self._of(curvature, q)

    # ---- inertial parameters ----------------------------------------------------------------------

    def regressor(self, q: Any, v: Any, a: Any) -> Any:
        """Y (..., nv, 10 nb) with tau = Y π + armature · a, π = `inertial_parameters()`."""
        return self._of(regressor.regressor, q, v, a)

    def energy_regressor(self, q: Any, v: Any) -> Any:
        """y (..., 10 nb) with T + V = y·π, but for what rotors have."""
        return self._of(regressor.energy_regressor, q, v)

    def momentum_regressor(self, q: Any, v: Any) -> Any:
        """Y (..., 6, 10 nb) with (p, L) = Y π: linear momentum, and angular about the world's origin."""
        return self._of(regressor.momentum_regressor, q, v)

    def inertial_parameters(self) -> Any:
        """π (10 nb): of each body m, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about its frame's origin; h = m c."""
        return np.array(regressor.inertial_parameters(self.model), float)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Of π: "forearm.m", "forearm.hx", …"""
        return tuple(regressor.parameter_names(self.model))

    def base_parameters(self, rng: np.random.Generator | None = None) -> BaseParameters:
        """The groups of parameters that joint forces depend on, by the rank of the regressor over random states."""
        rng = np.random.default_rng(0) if rng is None else rng
        # Twice as many rows as there are parameters.
        states = max(30, -(-20 * self.model.nb // max(1, self.model.nv)))
        q = self.random_configuration(rng, states)
        v, a = rng.normal(size=(2, states, self.model.nv))
        stacked = self.regressor(q, 2 * v, 5 * a).reshape(-1, 10 * self.model.nb)
        return base_parameters(stacked, self.parameter_names)

    # ---- inverse kinematics -----------------------------------------------------------------------

    def inverse_kinematics(
        self,
        target: Any,
        frame: str,
        q0: Any = None,
        *,
        limits: Any = "model",
        tolerance: float = 1e-10,
        starts: int = 20,
        iterations: int = 100,
        length: float = 1.0,
        rng: np.random.Generator | None = None,
    ) -> InverseKinematics:
        """Configurations that bring a frame to a pose of the world, within limits; a batch of targets at once.

        `target`: (position (..., 3), quaternion (..., 4)), or a position alone. `q0` (..., nq) is where the search
        starts, at random if it is not given; who does not arrive starts again at random, `starts` times in all.
        `limits`: those of the "model", (lower, upper) for each coordinate, or None. Where no configuration is found,
        the one with the smallest distance² + (length · angle)² is given: `length` [m] is what a radian counts.
        """
        from quatrain.inverse_kinematics import inverse_kinematics

        return inverse_kinematics(
            cast("Robot", self), target, frame, q0, limits=limits, tolerance=tolerance, starts=starts,
            iterations=iterations, length=length, rng=rng,
        )  # fmt: skip

    # ---- proof ------------------------------------------------------------------------------------

    def verify(
        self, states: int = 16, rng: np.random.Generator | None = None, tolerance: float = 1e-10
    ) -> Verification:
        """Every quantity by several roads on random states of this robot: print what comes back. See `verify`."""
        from quatrain.verify import verify

        return verify(cast("Robot", self), states, rng, tolerance)
