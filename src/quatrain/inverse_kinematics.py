"""Joint positions for the pose of a frame: damped least squares within limits, for a whole batch at once.

    found = robot.inverse_kinematics((position, quaternion), "hand", q0)
    found.q, found.reached

The damping follows the error (Levenberg–Marquardt in the form of T. Sugihara, Solvability-unconcerned inverse
kinematics by the Levenberg–Marquardt method, IEEE Trans. Robotics 27 (2011) 984): far away and at singular poses steps
are short, near the target they are Newton's. Coordinates at a limit that want to go beyond it stand still. Whoever
gets stuck starts again from a random configuration; whoever never arrives keeps the nearest pose that was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.arguments import floats
from quatrain.equations import dynamics
from quatrain.equations.pose_error import pose_error
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError

if TYPE_CHECKING:
    from quatrain.robot import Robot

STALLED = 1e-13
"""A step that lowers the cost by less than this share of it leads nowhere."""
_STUCK = 8
"""So many of them one after the other, and the search ends there."""


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """What was found, for each target of the batch."""

    q: Any
    """(..., nq): at the target, or as near to it as was found."""
    reached: Any
    """(...) whether both errors are within the tolerance."""
    distance: Any
    """(...) from the frame's origin to where it should be [m]."""
    angle: Any
    """(...) of the rotation that is missing [rad]; zero where only a position was asked for."""
    starts: Any
    """(...) how many configurations it was tried from."""
    at_limit: Any
    """(..., nq) which coordinates stand at a limit."""
    names: tuple[str, ...]

    @property
    def failed(self) -> Any:
        """Places in the batch that did not arrive (count, axes)."""
        return np.argwhere(~self.reached)

    def __bool__(self) -> bool:
        return bool(np.all(self.reached))

    def __str__(self) -> str:
        total, arrived = self.reached.size, int(np.sum(self.reached))
        lines = [f"{arrived} of {total} targets reached"]
        for place in self.failed[:10]:
            k = tuple(int(i) for i in place)
            held = [name for name, at in zip(self.names, self.at_limit[k], strict=True) if at]
            lines.append(
                f"  {list(k) if k else 'this one'}: {self.distance[k]:.3g} m and {self.angle[k]:.3g} rad away "
                f"after {int(self.starts[k])} starts"
                + (f", with {', '.join(held)} at the limit" if held else "")
            )
        if len(self.failed) > 10:
            lines.append(f"  … and {len(self.failed) - 10} more: see failed")
        return "\n".join(lines)


def inverse_kinematics(
    robot: Robot,
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
    """See `Robot.inverse_kinematics`."""
    rng = np.random.default_rng(0) if rng is None else rng
    _require_sensible(tolerance, starts, iterations, length)
    position, quaternion = _target(target)
    bounds = _bounds(robot, limits)
    batch = np.broadcast_shapes(
        position.shape[:-1],
        () if quaternion is None else quaternion.shape[:-1],
        () if q0 is None else np.shape(q0)[:-1],
    )
    count = int(np.prod(batch, dtype=int))
    wanted = np.broadcast_to(position, (*batch, 3)).reshape(count, 3)
    turned = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    if quaternion is not None:
        turned = np.broadcast_to(quaternion, (*batch, 4)).reshape(count, 4)
    weights = np.array([1.0] * 3 + [length if quaternion is not None else 0.0] * 3)
    search = _Search(robot, frame, bounds, weights, tolerance, iterations)
    q = bounds.sample(robot, rng, count)
    if q0 is not None:
        q = bounds.within(np.broadcast_to(_start(robot, q0), (*batch, robot.nq)).reshape(count, robot.nq))
    best, errors = search.run(q, wanted, turned)
    tried = np.ones(count, int)
    for _ in range(starts - 1):
        left = np.flatnonzero(~search.arrived(errors))
        if not left.size:
            break
        again, found = search.run(bounds.sample(robot, rng, left.size), wanted[left], turned[left])
        better = search.cost(found) < search.cost(errors[left])
        best[left[better]], errors[left[better]] = again[better], found[better]
        tried[left] += 1
    distance, angle = search.sizes(errors)
    return InverseKinematics(
        best.reshape(*batch, robot.nq),
        search.arrived(errors).reshape(batch),
        distance.reshape(batch),
        angle.reshape(batch),
        tried.reshape(batch),
        bounds.touched(best).reshape(*batch, robot.nq),
        robot.q_names,
    )


def _require_sensible(tolerance: float, starts: int, iterations: int, length: float) -> None:
    for name, value in (("starts", starts), ("iterations", iterations)):
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise ArgumentError(f"{name} is {value!r}", do="pass a whole number, 1 or more")
    for name, size in (("tolerance", tolerance), ("length", length)):
        if not (np.isreal(size) and 0.0 < size < np.inf):
            raise ArgumentError(f"{name} is {size!r}", do="pass a number above zero")


def _target(target: Any) -> tuple[Any, Any]:
    """Position and quaternion, or a position alone."""
    if isinstance(target, tuple) and len(target) == 2:
        position, quaternion = _finite(target[0], "position"), _finite(target[1], "quaternion")
        if position.shape[-1:] != (3,) or quaternion.shape[-1:] != (4,):
            raise ArgumentError(
                f"target has parts of shapes {position.shape} and {quaternion.shape}",
                do="pass (position (..., 3), quaternion (..., 4)), as robot.pose gives them, or a position alone",
            )
        norm = np.linalg.norm(quaternion, axis=-1, keepdims=True)
        if np.any(np.abs(norm - 1.0) > 1e-6):
            raise ArgumentError(
                f"target has a quaternion of norm {norm.ravel()[np.argmax(np.abs(norm - 1.0))]:.6g}",
                do="normalise it: order (w, x, y, z)",
            )
        return position, quaternion / norm
    position = _finite(target, "position")
    if position.shape[-1:] != (3,):
        raise ArgumentError(
            f"target has shape {position.shape}",
            do="pass a position (..., 3), or (position, quaternion) as robot.pose gives them",
        )
    return position, None


def _finite(part: Any, what: str) -> Any:
    array = floats(part, f"the {what} of target")
    if not np.all(np.isfinite(array)):
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ArgumentError(
            f"target has the {what} {array[place]} at index {place}", do="leave out what is not known"
        )
    return array


def _start(robot: Robot, q0: Any) -> Any:
    q0 = floats(q0, "q0")
    if q0.shape[-1:] != (robot.nq,):
        raise ArgumentError(
            f"q0 has shape {q0.shape}; this robot needs (..., {robot.nq})",
            do="pass a configuration to start from, or none for random ones",
        )
    if not np.all(np.isfinite(q0)):
        raise ArgumentError("q0 has entries that are not finite", do="start from a configuration of numbers")
    return q0


# ---- limits ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bounds:
    """Of each coordinate; −∞ and ∞ where there are none. Those of a quaternion have none."""

    lower: Any
    upper: Any
    places: tuple[tuple[int, int], ...]
    """(q, v) of every coordinate that is the integral of its velocity."""

    def within(self, q: Any) -> Any:
        return np.clip(q, self.lower, self.upper)

    def touched(self, q: Any) -> Any:
        return (q <= self.lower) | (q >= self.upper)

    def sample(self, robot: Robot, rng: np.random.Generator, count: int) -> Any:
        q = robot.random_configuration(rng, count)
        both = np.isfinite(self.lower) & np.isfinite(self.upper)
        drawn = rng.uniform(np.where(both, self.lower, 0.0), np.where(both, self.upper, 1.0), q.shape)
        return self.within(np.where(both, drawn, q))

    def held(self, q: Any, push: Any) -> Any:
        """Velocities (..., nv) that would lead beyond a limit."""
        found = np.zeros(push.shape, bool)
        for k, v in self.places:
            low, high = q[..., k] <= self.lower[k], q[..., k] >= self.upper[k]
            found[..., v] |= (low & (push[..., v] < 0)) | (high & (push[..., v] > 0))
        return found


def _bounds(robot: Robot, limits: Any) -> _Bounds:
    places = tuple(
        (s.q, s.v)
        for s in Tree.of(robot.model).segments
        if s.kind != "ball" and s.ratio == 1 and s.offset == 0
    )
    lower, upper = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    if isinstance(limits, str) and limits == "model":
        for k, (low, high) in enumerate(dynamics.bounds(robot.model)):
            lower[k], upper[k] = -np.inf if low is None else low, np.inf if high is None else high
    elif limits is not None:
        try:
            lower, upper = (np.broadcast_to(np.asarray(part, float), (robot.nq,)) for part in limits)
        except (TypeError, ValueError):
            raise ArgumentError(
                "limits are not two rows of numbers",
                do=f"pass (lower, upper) of {robot.nq} numbers each, 'model' for those of the model, or None",
            ) from None
    if np.any(lower > upper):
        name = robot.q_names[int(np.argmax(lower > upper))]
        raise ArgumentError(f"limits of {name!r} are the wrong way round", do="pass (lower, upper)")
    return _Bounds(lower, upper, places)


# ---- the search -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Search:
    robot: Robot
    frame: str
    bounds: _Bounds
    weights: Any
    tolerance: float
    iterations: int

    def look(self, q: Any, wanted: Any, turned: Any) -> tuple[Any, Any]:
        kernel = self.robot.kernel(pose_error, inputs={"position": 3, "quaternion": 4}, frame=self.frame)
        error, J = kernel(q, wanted, turned)
        return error, J

    def cost(self, error: Any) -> Any:
        return 0.5 * np.sum((error * self.weights) ** 2, axis=-1)

    def sizes(self, error: Any) -> tuple[Any, Any]:
        angle = np.linalg.norm(error[..., 3:], axis=-1)
        return np.linalg.norm(error[..., :3], axis=-1), angle * (self.weights[3] > 0.0)

    def arrived(self, error: Any) -> Any:
        distance, angle = self.sizes(error)
        return (distance <= self.tolerance) & (angle <= self.tolerance)

    def run(self, q: Any, wanted: Any, turned: Any) -> tuple[Any, Any]:
        """From these configurations: where it ends, and what is missing there (count, 6)."""
        q = np.array(q)
        error, J = self.look(q, wanted, turned)
        damping, idle = np.full(len(q), 1.0), np.zeros(len(q), int)
        for _ in range(self.iterations):
            active = np.flatnonzero(~self.arrived(error) & (idle < _STUCK))
            if not active.size:
                break
            step = self._step(q[active], error[active], J[active], damping[active])
            moved = self.bounds.within(self.robot.integrate(q[active], step, 1.0))
            new_error, new_J = self.look(moved, wanted[active], turned[active])
            before, after = self.cost(error[active]), self.cost(new_error)
            better = after < before
            idle[active] = np.where(before - after > STALLED * before, 0, idle[active] + 1)
            damping[active] = np.clip(
                np.where(better, damping[active] / 3.0, damping[active] * 4.0), 1e-8, 1e12
            )
            chosen = active[better]
            q[chosen], error[chosen], J[chosen] = moved[better], new_error[better], new_J[better]
        return q, error

    def _step(self, q: Any, error: Any, J: Any, damping: Any) -> Any:
        """(JᵀWJ + λ 1) step = JᵀW e, λ in proportion to the cost, for the coordinates that are free to move."""
        weighted = J * self.weights[:, None]
        push = np.einsum("nia,ni->na", weighted, error * self.weights)
        held = self.bounds.held(q, push)
        free = ~held
        H = np.einsum("nia,nib->nab", weighted, weighted) * (free[:, :, None] & free[:, None, :])
        diagonal = np.where(held, 1.0, (damping * self.cost(error) + 1e-15)[:, None])
        H[:, np.arange(H.shape[1]), np.arange(H.shape[1])] += diagonal
        return np.linalg.solve(H, np.where(held, 0.0, push)[..., None])[..., 0]
