"""From commands to joint forces: s = gain u + b₀ + b₁ l + b₂ l̇ of each actuator, and its gear to the joints."""

from __future__ import annotations

from collections.abc import Sequence

from quatrain.equations.freedoms import freedoms
from quatrain.equations.kinematics import jacobian
from quatrain.equipment import Actuator
from quatrain.model import Model
from quatrain.scalar import Scalar, maximum, minimum


def actuation(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """B (nv, nu) with joint forces τ = B u: how commands act, within their limits and apart from what `bias` adds."""
    columns = [[entry * a.gain for entry in _column(model, q, a)] for a in model.actuators]
    return [[column[i] for column in columns] for i in range(model.nv)]


def actuator_force(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], u: Sequence[Scalar]
) -> list[Scalar]:
    """τ of all actuators at the commands u, with limits of commands and of forces. [N m or N]

    Of an actuator on a joint l is gear · q, of one on a frame 0; l̇ is the velocity along which it pushes.
    """
    tau: list[Scalar] = [0.0] * model.nv
    for actuator, command in zip(model.actuators, u, strict=True):
        column = _column(model, q, actuator)
        constant, by_length, by_rate = actuator.bias
        force = _within(command, actuator.command) * actuator.gain + constant
        force = force + _length(model, q, actuator) * by_length
        force = force + sum((entry * rate for entry, rate in zip(column, v, strict=True)), 0.0) * by_rate
        force = _within(force, actuator.force)
        tau = [before + entry * force for before, entry in zip(tau, column, strict=True)]
    return tau


def _column(model: Model, q: Sequence[Scalar], actuator: Actuator) -> list[Scalar]:
    """∂l̇/∂v, so the joint forces that a unit of its force makes."""
    if actuator.frame is not None:
        J = jacobian(model, q, actuator.frame, axes="body")
        rows = zip(actuator.gear, J, strict=True)
        parts = [[entry * gear for entry in row] for gear, row in rows]
        return [sum(entries, 0.0) for entries in zip(*parts, strict=True)]
    found: list[Scalar] = [0.0] * model.nv
    for freedom in freedoms(model):
        if freedom.joint.name == actuator.joint:
            freedom.add(freedom.own(actuator.gear), found)
    return found


def _length(model: Model, q: Sequence[Scalar], actuator: Actuator) -> Scalar:
    total: Scalar = 0.0
    for freedom in freedoms(model):
        if actuator.frame is None and freedom.joint.name == actuator.joint:
            pairs = zip(freedom.own(actuator.gear), freedom.displacement(q), strict=True)
            total = sum((gear * length for gear, length in pairs), total)
    return total


def _within(x: Scalar, ends: tuple[Scalar | None, Scalar | None]) -> Scalar:
    lower, upper = ends
    x = x if lower is None else maximum(x, lower)
    return x if upper is None else minimum(x, upper)
