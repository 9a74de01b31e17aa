"""Which inertial parameters of a robot a motion can tell, alone or in groups: its base parameters.

Columns of the regressor over many states are taken one after the other; one that depends on those before it
tells nothing new, and its parameter joins theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quatrain.errors import ArgumentError

TOLERANCE = 1e-9
"""Of a column of unit length, what must be left of it when all that the others can tell is taken off."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The groups that joint forces depend on: base = matrix @ π, π as `robot.inertial_parameters()` has them."""

    parameters: tuple[str, ...]
    """Names of π."""
    leaders: tuple[int, ...]
    """Of each group, which parameter it is named after: these columns of a regressor are independent."""
    matrix: Any
    """(rank, 10 nb): ones at the leaders, and how much of the others counts with them."""

    @property
    def rank(self) -> int:
        return len(self.leaders)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in the user's parameters: "forearm.Izz + 0.16 hand.m"."""
        return tuple(
            _sum(row, self.parameters, leader) for row, leader in zip(self.matrix, self.leaders, strict=True)
        )

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Parameters that no motion of this robot can tell."""
        told = np.any(self.matrix != 0.0, axis=0)
        return tuple(name for name, some in zip(self.parameters, told, strict=True) if not some)

    def values(self, parameters: Any) -> Any:
        """Of all ten parameters of each body (..., 10 nb) those of the groups (..., rank)."""
        given = np.asarray(parameters, float)
        if given.shape[-1:] != (len(self.parameters),):
            raise ArgumentError(
                f"parameters has shape {given.shape}; this robot needs (..., {len(self.parameters)})",
                do="pass ten for each body, as robot.inertial_parameters() gives them",
            )
        return given @ self.matrix.T

    def columns(self, regressor: Any) -> Any:
        """Of a regressor (..., 10 nb) the independent columns: times `values` they give what all of them give."""
        return np.asarray(regressor)[..., list(self.leaders)]

    def __str__(self) -> str:
        listed = "\n".join(f"  {name}" for name in self.names)
        return f"{self.rank} base parameters of {len(self.parameters)}:\n{listed}"


def base_parameters(stacked: Any, names: Sequence[str]) -> BaseParameters:
    """Of a regressor over many states (rows, 10 nb)."""
    lengths = np.linalg.norm(stacked, axis=0)
    largest = float(lengths.max(initial=0.0))
    leaders: list[int] = []
    basis = np.zeros((stacked.shape[0], 0))
    for k, column in enumerate(stacked.T):
        if lengths[k] <= TOLERANCE * largest:
            continue
        left = column / lengths[k]
        for _ in range(2):  # once more for what rounding left of the first time
            left = left - basis @ (basis.T @ left)
        if np.linalg.norm(left) > TOLERANCE:
            leaders.append(k)
            basis = np.column_stack((basis, left / np.linalg.norm(left)))
    matrix = np.zeros((len(leaders), stacked.shape[1]))
    # Columns of unit length, so that kilograms and kilogram square metres weigh alike.
    scale = np.where(lengths > TOLERANCE * largest, lengths, 1.0)
    told = np.linalg.lstsq(stacked[:, leaders] / scale[leaders], stacked / scale, rcond=None)[0]
    matrix = told * scale / scale[leaders][:, None]
    matrix[np.abs(told) < 1e-8] = 0.0
    matrix[:, leaders] = np.eye(len(leaders))
    return BaseParameters(tuple(names), tuple(leaders), matrix)


def _sum(row: Any, names: Sequence[str], leader: int) -> str:
    text = names[leader]
    for k, factor in enumerate(row):
        if factor == 0.0 or k == leader:
            continue
        size = f"{abs(factor):.6g}"
        text += f" {'+' if factor > 0 else '−'} {'' if size == '1' else size + ' '}{names[k]}"
    return text
