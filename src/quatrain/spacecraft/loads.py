"""What users' functions answer: an external torque, and the torques that a control law asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from quatrain.compiler import structure
from quatrain.control import takes
from quatrain.errors import ArgumentError
from quatrain.geometry import Vec3
from quatrain.run_checks import fitted
from quatrain.simulation import Parameters

_VECTOR = structure.of_specification(Vec3, "torque")


def torque_of(load: Any, arguments: tuple[Any, ...], p: Parameters) -> Vec3:
    """Of a constant, a function of (t, q, w), or of (t, q, w, p)."""
    if load is None:
        return Vec3.zero()
    if isinstance(load, Vec3):
        return load
    value = load(*arguments, p) if takes(load, 4) else load(*arguments)
    found: Vec3 = fitted(_VECTOR, value, "what the function torque= returns")
    return found


def command_of(answer: Any, wheels: int, law: str) -> tuple[tuple[Any, ...], Vec3]:
    """Motor torques and the torque on the hub, from a law that gives the first or both."""
    both = isinstance(answer, (tuple, list)) and len(answer) == 2 and any(np.ndim(_plain(x)) for x in answer)
    motors, hub = answer if both else (answer, Vec3.zero())
    given = _plain(motors)
    count = len(given) if np.ndim(given) else None
    if count != wheels:
        found = "no numbers" if answer is None else "one number" if count is None else f"{count} numbers"
        raise ArgumentError(
            f"the control law {law} returns {found} for the wheels; this spacecraft has {wheels}",
            do="return one torque for each wheel, such as craft.allocate(torque), or a pair (wheel torques, "
            "torque on the hub)",
        )
    torque: Vec3 = fitted(_VECTOR, hub, f"the torque on the hub that the control law {law} returns")
    return tuple(given), torque


def _plain(value: Any) -> Any:
    """The entries of a vector, a sequence or an array, or a single number, as an array of objects."""
    if not isinstance(value, (tuple, list, Vec3)) and not (isinstance(value, np.ndarray) and value.ndim):
        return value
    entries = list(value)
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array
