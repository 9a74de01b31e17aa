"""What looks like a slip of units: masses, inertias and centres of mass beside the size of what carries them.

Only where the size is known: from boxes, balls and the like, or from where joints stand. Nothing here is certain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from quatrain.equipment import Shape
from quatrain.faults import Fault
from quatrain.faults.inertias import principal_moments
from quatrain.geometry import Vec3
from quatrain.model import Body, Model
from quatrain.solids import solid_of

_DENSE, _THIN = 3e5, 0.02
"""[kg/m³] Beyond ten times the densest metal, and below a hundredth of what foam has, nothing is built."""
_WIDE = 20.0
"""So many times the machine's size a radius of gyration is too large."""
_NARROW = 1e-3
"""Such a part of a body's least extent it is too small."""
_FAR = 3.0
"""So many diagonals of its shapes a centre of mass is far outside."""


@dataclass(frozen=True)
class _Extent:
    """Of a body's shapes: a box around them, and how much they enclose together."""

    low: Vec3
    high: Vec3
    volume: float
    least: float
    """The least extent of the largest of them."""

    @property
    def diagonal(self) -> float:
        return (self.high - self.low).norm()

    def distance(self, p: Vec3) -> float:
        """From outside to the box."""
        gaps = [max(a - x, x - b, 0.0) for a, x, b in zip(self.low, p, self.high, strict=True)]
        return math.hypot(*gaps)


def slips(model: Model) -> Iterator[Fault]:
    """Warnings, for the report of a file."""
    by_body: dict[int, list[Shape]] = {}
    for shape in model.shapes:
        by_body.setdefault(shape.body, []).append(shape)
    size = max((x for body in model.bodies for x in _lengths(body)), default=0.0)
    for k, body in enumerate(model.bodies):
        extent = _extent(by_body.get(k, []))
        if body.mass > 0:
            yield from _of_body(body, extent, size)


def _lengths(body: Body) -> Iterator[float]:
    """Distances that a machine is as large as: from joint to joint."""
    yield body.joint.X_PJ.p.norm()
    yield body.joint.X_MB.p.norm()


def _of_body(body: Body, extent: _Extent | None, size: float) -> Iterator[Fault]:
    where = f"body {body.name!r}"
    gyration = math.sqrt(max(principal_moments(body.I_Bcm_B)[2], 0.0) / body.mass)
    widest = max(size, extent.diagonal if extent else 0.0)
    if widest > 0 and gyration > _WIDE * widest:
        what = f"its radius of gyration is {gyration:.3g} m, and the machine about {widest:.3g} m large"
        yield Fault(
            "warning", where, what, "check the unit of its inertia: kg m², of which 1 kg mm² is a millionth"
        )
    if extent is None:
        return
    if 0 < gyration < _NARROW * extent.least:
        what = f"its radius of gyration is {gyration:.3g} m, and its shapes are {extent.diagonal:.3g} m large"
        yield Fault("warning", where, what, "check the unit of its inertia, or write that of its shapes")
    if extent.volume > 0 and not _THIN < body.mass / extent.volume < _DENSE:
        what = f"its mass is {body.mass:.4g} kg, and its shapes enclose {extent.volume:.3g} m³"
        yield Fault("warning", where, what, "check the unit of its mass and of its lengths: kg and m")
    away = extent.distance(body.p_BBcm)
    if away > _FAR * extent.diagonal:
        what = (
            f"its centre of mass is {away:.3g} m outside its shapes, which are {extent.diagonal:.3g} m large"
        )
        yield Fault("warning", where, what, "check its place, and the unit of its lengths")


def _extent(shapes: list[Shape]) -> _Extent | None:
    """Of those that collide, or else of those that are seen; None if there is a mesh among them, or nothing."""
    chosen = [shape for shape in shapes if shape.role != "visual"] or shapes
    corners: list[Vec3] = []
    volume, largest, least = 0.0, 0.0, 0.0
    for shape in chosen:
        solid = solid_of(shape.kind, shape.size)
        if solid is None:
            return None
        half = _half_sides(shape)
        R = shape.X_BG.q.to_matrix()
        reach = Vec3(*(sum(abs(x) * h for x, h in zip(row, half, strict=True)) for row in R.rows))
        corners += [shape.X_BG.p - reach, shape.X_BG.p + reach]
        if solid.volume > largest:
            largest, least = solid.volume, 2 * min(half)
        volume += solid.volume
    if not corners:
        return None
    low, high = (Vec3(*map(pick, zip(*corners, strict=True))) for pick in (min, max))
    return _Extent(low, high, volume, least)


def _half_sides(shape: Shape) -> tuple[float, float, float]:
    """Of a box around it in its own axes; a cone stands a quarter lower."""
    size = [float(x) for x in shape.size]
    if shape.kind == "box":
        return size[0] / 2, size[1] / 2, size[2] / 2
    if shape.kind == "ellipsoid":
        return size[0], size[1], size[2]
    if shape.kind == "sphere":
        return size[0], size[0], size[0]
    along = size[1] / 2 + (size[0] if shape.kind == "capsule" else 0.0)
    return size[0], size[0], along * (1.5 if shape.kind == "cone" else 1.0)
