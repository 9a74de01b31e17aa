"""Forces from outside as tables in time: a push on a frame, or forces of joints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quatrain.equations.forces.numbers import motions_of
from quatrain.equations.inverse_dynamics import ZERO, Wrench
from quatrain.equations.tables import Table
from quatrain.equations.tree_motion import State
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Schedule:
    """Force and torque at a frame's origin, (n, 3) each, in axes of the world or of the frame ("body").

    Before the first time and after the last they stay: begin and end with zeros for a push that passes.
    """

    frame: str
    times: Any
    force: Any = None
    torque: Any = None
    axes: str = "world"
    kind: str = "linear"
    """As of a table: "hold", "linear" or "cubic"."""

    def __post_init__(self) -> None:
        if self.axes not in ("world", "body"):
            raise ArgumentError(f"axes of Schedule is {self.axes!r}", do="pass 'world' or 'body'")
        if self.force is None and self.torque is None:
            raise ArgumentError("Schedule has neither force nor torque", do="give one of them, or both")
        for name, table in self._tables.items():
            if table.size != 3:
                raise ArgumentError(
                    f"{name} of Schedule has rows of {table.size}", do="give three components for each time"
                )
            object.__setattr__(self, "times", table.times)
            object.__setattr__(self, name, table.values)

    @cached_property
    def _tables(self) -> dict[str, Table]:
        parts = {"force": self.force, "torque": self.torque}
        return {name: Table(self.times, x, self.kind) for name, x in parts.items() if x is not None}

    def __call__(self, state: State) -> dict[str, Wrench]:
        parts = {name: Vec3(*table(state.t)) for name, table in self._tables.items()}
        if self.axes == "body":
            R = state.moving.place(state.model, self.frame).R
            parts = {name: R @ part for name, part in parts.items()}
        return {self.frame: (parts.get("force", ZERO), parts.get("torque", ZERO))}


@dataclass(frozen=True)
class JointSchedule:
    """Forces of a joint: one number for each time, or a row with one for each of its velocities. [N m or N]"""

    joint: str
    times: Any
    values: Any
    kind: str = "linear"

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", self._table.times)
        object.__setattr__(self, "values", self._table.values)

    @cached_property
    def _table(self) -> Table:
        return Table(self.times, self.values, self.kind)

    def __call__(self, state: State) -> list[Scalar]:
        motions = motions_of(state.model, self.joint)
        count = sum(motion.motion.nv for motion in motions)
        if self._table.size != count:
            raise ArgumentError(
                f"JointSchedule has rows of {self._table.size}, and joint {self.joint!r} has {count} velocities",
                do="give one force for each",
            )
        tau: list[Scalar] = [0.0] * state.model.nv
        values, at = self._table(state.t), 0
        for motion in motions:
            motion.add(values[at : at + motion.motion.nv], tau)
            at += motion.motion.nv
        return tau
