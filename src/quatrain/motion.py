"""The equations of motion of a robot as arrays, in velocities of any kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from quatrain.arguments import sight
from quatrain.equations import dynamics
from quatrain.errors import ArgumentError
from quatrain.model import Model
from quatrain.rotations import AngleConvention


class Motion(ABC):
    """Methods of `Robot`. `velocity` says what the velocities are that v, forces and columns belong to: "mixed" is v as
    it is, "body", "world", "quaternion_rates" and "euler_rates" (which takes a `convention`) are in
    `quatrain.equations.velocity_coordinates`.
    """

    @property
    @abstractmethod
    def model(self) -> Model:
        """What the equations are of."""

    @abstractmethod
    def _of(
        self, function: Callable[..., Any], q: Any, *rest: Any, inputs: Any = None, **options: Any
    ) -> Any:
        """An equation of the model at q, compiled when it is first asked for."""

    @abstractmethod
    def _pushed(
        self, function: Callable[..., Any], external: Mapping[str, tuple[Any, Any]], *state: Any
    ) -> Any:
        """The same with wrenches at frames."""

    def mass_matrix(
        self, q: Any, velocity: str = "mixed", convention: AngleConvention | str | None = None
    ) -> Any:
        """M(q) (..., nv, nv); of quaternion_rates (..., nq, nq), singular along the quaternions."""
        if velocity == "mixed" and convention is None:
            return self._of(dynamics.mass_matrix, q)
        return self._in("mass_matrix_in", velocity, convention, q)

    def coriolis_matrix(
        self, q: Any, v: Any, velocity: str = "mixed", convention: AngleConvention | str | None = None
    ) -> Any:
        """C(q, v) (..., nv, nv) with C v = c and Ṁ − 2C skew; v are velocities of this kind."""
        if velocity == "mixed" and convention is None:
            return self._of(dynamics.coriolis_matrix, q, v)
        return self._in("coriolis_matrix_in", velocity, convention, q, v)

    def gravity_force(
        self, q: Any, velocity: str = "mixed", convention: AngleConvention | str | None = None
    ) -> Any:
        """g(q) (..., nv): what holds the joints still."""
        if velocity == "mixed" and convention is None:
            return self._of(dynamics.gravity_force, q)
        return self._in("gravity_force_in", velocity, convention, q)

    def bias_force(
        self, q: Any, v: Any, velocity: str = "mixed", convention: AngleConvention | str | None = None
    ) -> Any:
        """h = C v + g (..., nv)"""
        if velocity == "mixed" and convention is None:
            return self._of(dynamics.bias_force, q, v)
        return self._in("bias_force_in", velocity, convention, q, v)

    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        a: Any,
        external: Mapping[str, tuple[Any, Any]] | None = None,
        velocity: str = "mixed",
        convention: AngleConvention | str | None = None,
    ) -> Any:
        """tau (..., nv) with M a + C v + g = tau + Jᵀ f.

        `external`: by frame, the force on its body at the frame's origin and the torque, (..., 3), in world axes.
        """
        if velocity != "mixed" or convention is not None:
            if external:
                raise ArgumentError(
                    f"external forces come with velocity={velocity!r}",
                    do="leave one of them out: forces at a frame are Jᵀ f, with jacobian(…, velocity=…)",
                )
            return self._in("inverse_dynamics_in", velocity, convention, q, v, a)
        if external:
            return self._pushed(dynamics.inverse_dynamics_under, external, q, v, a)
        return self._of(dynamics.inverse_dynamics, q, v, a)

    def jacobian(
        self,
        q: Any,
        frame: str,
        point: Any = None,
        axes: str = "world",
        relative_to: str = "world",
        velocity: str = "mixed",
        convention: AngleConvention | str | None = None,
    ) -> Any:
        """J (..., 6, nv): velocity of the frame's origin (or of a point fixed to it, in the frame), then its turning.

        `axes`: "world" (also called "mixed"), at that point in axes of the world; "body", there in the frame's own;
        "spatial", of what moves with the frame where the world's origin is, in axes of the world. `relative_to`: the
        frame that takes the world's place.
        """
        seen = sight(frame, point, axes, relative_to)
        if velocity == "mixed" and convention is None:
            return self._of(dynamics.jacobian, q, **seen)
        return self._in("jacobian_in", velocity, convention, q, **seen)

    def to_mixed(self, q: Any, v: Any, velocity: str, convention: AngleConvention | str | None = None) -> Any:
        """v (..., nv) as the other methods know it, of velocities of another kind."""
        return self._in("to_mixed", velocity, convention, q, v)

    def _in(
        self,
        name: str,
        velocity: str,
        convention: AngleConvention | str | None,
        q: Any,
        *rest: Any,
        **options: Any,
    ) -> Any:
        from quatrain.equations import velocity_coordinates

        known = velocity_coordinates.checked(velocity, convention)
        count = velocity_coordinates.velocity_count(self.model, velocity)
        inputs = dict.fromkeys(("v", "a")[: len(rest)], count)
        function = getattr(velocity_coordinates, name)
        return self._of(function, q, *rest, inputs=inputs, velocity=velocity, convention=known, **options)
