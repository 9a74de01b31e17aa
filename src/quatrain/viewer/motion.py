"""What of a run is shown: the states of a few motions at times close enough for the eye, and curves beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.equations.kinematics import frame_velocity
from quatrain.errors import ArgumentError
from quatrain.model import WORLD, Model
from quatrain.viewer.scene import Scene, poses_of, rotated

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory

FRAMES_PER_SECOND = 60.0
MOST_MOTIONS = 16
FAR = 4.0
"""How many times its own size a machine moves before the camera follows it."""


@dataclass(frozen=True, eq=False)
class Curves:
    """A quantity over time."""

    name: str
    unit: str
    components: tuple[str, ...]
    """Empty for a number."""
    values: Any
    """(motions, R, components or 1)"""


@dataclass(frozen=True, eq=False)
class Motion:
    """Motions of one model at common times."""

    model: Model
    name: str
    t: Any
    """(R,) [s]"""
    q: Any
    """(motions, R, nq)"""
    labels: tuple[str, ...]
    """Of the motions: their places in the batch."""
    curves: tuple[Curves, ...]
    v: Any
    """(motions, R, nv), where they were recorded; None."""
    trail: str = ""
    """The frame whose way is drawn."""

    @classmethod
    def of(
        cls,
        run: Trajectory,
        *,
        frames_per_second: float = FRAMES_PER_SECOND,
        motions: Sequence[int | tuple[int, ...]] | None = None,
        plots: Sequence[str] | None = None,
        trail: str | None = None,
    ) -> Motion:
        """Of a run of a tree. `motions`: which of a batch, by default the first sixteen; `plots`: which columns."""
        model = getattr(run, "model", None)
        if model is None or "q" not in run.columns or run.quantities["q"].components != model.q_names:
            lacks = "does not know its model" if model is None else "has not recorded q"
            raise ArgumentError(
                f"this run of {run.name} {lacks}, and a picture needs the states of a model",
                do="record q in qt.simulate(robot, …); to a run from a file give its robot: run.with_model(robot)",
            )
        if not len(run.t):
            raise ArgumentError(f"this run of {run.name} is empty", do="show a stretch that has some times")
        if not frames_per_second > 0:
            raise ArgumentError(f"frames_per_second is {frames_per_second}", do="pass a number above zero")
        # Every so many records, that steps are even, and the last.
        rate = (len(run.t) - 1) / max(float(run.t[-1] - run.t[0]), 1e-300)
        every = max(1, round(rate / frames_per_second))
        kept = np.unique([*range(0, len(run.t), every), len(run.t) - 1])
        chosen = _places(run.batch, motions)
        names = [n for n in run.columns if n != "q"] if plots is None else list(plots)
        return cls(
            model,
            run.name,
            np.asarray(run.t, float)[kept],
            _rows(run, "q", chosen, kept),
            tuple("" if not place else ", ".join(map(str, place)) for place in chosen),
            tuple(_curves(run, name, chosen, kept) for name in names),
            _rows(run, "v", chosen, kept) if "v" in run.columns else None,
            model.frame(trail).name if trail else "",
        )

    def box(self, scene: Scene) -> tuple[tuple[Any, Any], bool]:
        """The box that the camera begins with, and whether it goes along: with what goes far."""
        every = max(1, len(self.t) // 50)
        states = self.q[:, ::every].reshape(-1, self.model.nq)
        states = states[np.all(np.isfinite(states), axis=1)]
        whole = scene.bounds(states if len(states) else np.array(dynamics.neutral(self.model), float))
        first = self.q[0, 0]
        if not np.all(np.isfinite(first)):
            return whole, False
        own = scene.bounds(first)
        far = bool(np.linalg.norm(whole[1] - whole[0]) > FAR * np.linalg.norm(own[1] - own[0]))
        return (own, True) if far else (whole, False)

    def at(self, time: float) -> Any:
        """The states (motions, nq) at a time, between records along a line; attitudes go the shorter way round."""
        k = int(np.clip(np.searchsorted(self.t, time) - 1, 0, max(len(self.t) - 2, 0)))
        if len(self.t) == 1:
            return self.q[:, 0]
        part = float(np.clip((time - self.t[k]) / (self.t[k + 1] - self.t[k]), 0.0, 1.0))
        before, after = self.q[:, k], self.q[:, k + 1].copy()
        for start in _attitudes(self.model):
            own = slice(start, start + 4)
            turned = np.sum(before[:, own] * after[:, own], axis=1, keepdims=True) < 0
            after[:, own] = np.where(turned, -after[:, own], after[:, own])
        found = before + (after - before) * part
        for start in _attitudes(self.model):
            own = slice(start, start + 4)
            found[:, own] /= np.linalg.norm(found[:, own], axis=1, keepdims=True)
        return found

    def way(self, frame: str) -> Any:
        """Where a body or a frame was at all times, (motions, R, 3), in the world."""
        place = self.model.frame(frame)
        point = np.array([*place.X_BF.p], float)
        if place.body == WORLD:
            return np.broadcast_to(point, (*self.q.shape[:2], 3))
        positions, quaternions = poses_of(self.model, self.q)
        return positions[..., place.body, :] + rotated(quaternions[..., place.body, :], point)

    def velocities(self) -> Any:
        """Of the bodies' centres of mass, (motions, R, nb, 3), in the world [m/s]."""
        q, v = ([array[..., i] for i in range(array.shape[-1])] for array in (self.q, self.v))
        found = np.zeros((*self.q.shape[:2], self.model.nb, 3))
        for k, body in enumerate(self.model.bodies):
            linear, _ = frame_velocity(self.model, q, v, body.name, point=body.p_BBcm)
            for i, x in enumerate(linear):
                found[:, :, k, i] = x
        return found


def _attitudes(model: Model) -> list[int]:
    """Where quaternions begin in q."""
    found = []
    for body, start in zip(model.bodies, model.q_starts, strict=True):
        at = start
        for motion in body.joint.own_motions:
            found += [at] if motion.kind == "ball" else []
            at += motion.nq
    return found


def _places(batch: tuple[int, ...], motions: Sequence[Any] | None) -> list[tuple[int, ...]]:
    """Which motions, as indices of the batch."""
    if motions is None:
        return [tuple(map(int, place)) for place in list(np.ndindex(*batch))[:MOST_MOTIONS]]
    found = []
    for one in motions:
        place = tuple(one) if isinstance(one, (tuple, list)) else (int(one),)
        if len(place) != len(batch) or not all(-n <= i < n for i, n in zip(place, batch, strict=True)):
            raise ArgumentError(
                f"there is no motion {one} in a batch of shape {batch}", do="give indices within it"
            )
        found.append(tuple(i % n for i, n in zip(place, batch, strict=True)))
    if not found:
        raise ArgumentError("no motion is to be shown", do="name one at least")
    return found


def _rows(run: Trajectory, name: str, chosen: Sequence[tuple[int, ...]], kept: Any) -> Any:
    column = np.asarray(run[name], float)
    return np.stack([column[place][kept] for place in chosen])


def _curves(run: Trajectory, name: str, chosen: Sequence[tuple[int, ...]], kept: Any) -> Curves:
    values, quantity = _rows(run, name, chosen, kept), run.quantities[name]
    if not quantity.components:
        values = values[..., None]
    return Curves(name, quantity.unit, tuple(quantity.components), values)
