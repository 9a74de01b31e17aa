"""What a robot gives beyond its equations of motion: the geometry that its mass matrix makes of its configurations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from quatrain.equations import connection, dynamics
from quatrain.equations.curvature import curvature
from quatrain.errors import ArgumentError
from quatrain.model import Model


class Further(ABC):
    """Methods of `Robot`; arrays go in and come out, with any leading batch axes."""

    model: Model

    @abstractmethod
    def _of(
        self, function: Callable[..., Any], q: Any, *rest: Any, inputs: Any = None, **options: Any
    ) -> Any:
        """An equation of the model at q, compiled when it is first asked for."""

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
