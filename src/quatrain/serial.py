"""Serial chains: each body on the one before, given as rows of options, or as a Denavit–Hartenberg table."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from math import cos, sin
from typing import Any

from quatrain.builder import ModelBuilder
from quatrain.builder_options import factors
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, Quaternion, Vec3
from quatrain.model import STANDARD_GRAVITY

_OPTIONS = tuple(
    name for name in inspect.signature(ModelBuilder.body).parameters if name not in ("self", "parent")
)
_DH = ("a", "alpha", "d", "theta")


def serial_chain(
    name: str,
    links: Iterable[Mapping[str, Any]],
    *,
    parent: str = "world",
    gravity: Any = STANDARD_GRAVITY,
    builder: ModelBuilder | None = None,
) -> ModelBuilder:
    """Links one after the other: dicts with the options of `ModelBuilder.body`, of which the parent follows.

    Links are called link1, link2 … and their joints joint1, joint2 … unless they have names. With a `builder` the
    chain is added to its machine, on a `parent` there.
    """
    built = builder or ModelBuilder(name, gravity=gravity)
    carrier = parent
    for k, link in enumerate(links, 1):
        unknown = [key for key in link if key not in _OPTIONS]
        if unknown:
            raise ArgumentError(
                f"link {k} of {name} has {unknown[0]!r}, which is no option of a body",
                do=f"there are {', '.join(_OPTIONS)}",
            )
        own = {"name": f"link{k}", **link}
        if "name" not in link:
            own.setdefault("joint_name", f"joint{k}")
        built.body(parent=carrier, **own)
        carrier = own["name"]
    return built


def from_dh(
    name: str,
    rows: Iterable[Mapping[str, Any]],
    *,
    modified: bool = False,
    gravity: Any = STANDARD_GRAVITY,
) -> ModelBuilder:
    """A serial chain from Denavit–Hartenberg rows: dicts with a [m], alpha [rad], d [m], theta [rad], what is constant
    of them, and the options of `ModelBuilder.body` (mass, com, inertia, limits …) in the link's own DH frame.

    `joint`: "revolute" (default) adds q to theta, "prismatic" to d. Standard rows are Rz(theta) Tz(d) Tx(a) Rx(alpha);
    `modified` ones Rx(alpha) Tx(a) Rz(theta) Tz(d). Names are those of `serial_chain`.
    """
    return serial_chain(
        name, [_link(name, k, row, modified) for k, row in enumerate(rows, 1)], gravity=gravity
    )


def _link(name: str, k: int, row: Mapping[str, Any], modified: bool) -> dict[str, Any]:
    """A row as the options of a body: what stands before the joint's motion, its axis, and what stands after."""
    a, alpha, d, theta = (
        factors(row.get(key, 0.0), f"{key} of row {k} of {name}", one=True)[0] for key in _DH
    )
    joint = row.get("joint", "revolute")
    if joint not in ("revolute", "continuous", "prismatic"):
        raise ArgumentError(
            f"joint of row {k} of {name} is {joint!r}", do="pass revolute, continuous or prismatic"
        )
    along = Pose(_about(2, theta), Vec3(0.0, 0.0, d))
    across = Pose(_about(0, alpha), Vec3(a, 0.0, 0.0))
    before, after = (across @ along, Pose.identity()) if modified else (along, across)
    given = {key: value for key, value in row.items() if key not in _DH}
    return {**given, "axis": "z", "at": before, "body_at": after}


def _about(axis: int, angle: float) -> Quaternion:
    parts = [cos(angle / 2), 0.0, 0.0, 0.0]
    parts[axis + 1] = sin(angle / 2)
    return Quaternion(*parts)
