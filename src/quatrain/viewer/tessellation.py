"""Triangles of the shapes that need no file. All but the box are turned on a lathe about z."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import numpy as np

from quatrain.viewer.mesh import Mesh

AROUND = 48
"""Into how many parts a circle is cut."""
ENDLESS = 20.0
"""The side of a plane without end [m]."""


def mesh_of_shape(kind: str, size: Sequence[float]) -> Mesh:
    """Of a shape of this kind, all but "mesh"; sizes as of `quatrain.Shape`."""
    if kind == "box":
        return _box(*size)
    if kind == "plane":
        return _plane(*(side if side > 0 else ENDLESS for side in size))
    if kind == "ellipsoid":
        points, faces = _lathe(_arc(1.0, 0.0, -pi / 2, pi / 2))
        return Mesh.of(points * np.asarray(size, float), faces)
    return Mesh.of(*_lathe(_PROFILES[kind](*size)))


def _arc(radius: float, z: float, start: float, end: float) -> list[tuple[float, float]]:
    """Of a circle about the point at height z on the axis."""
    count = max(2, round(AROUND * abs(end - start) / (2 * pi)))
    angles = (start + (end - start) * k / count for k in range(count + 1))
    return [(max(radius * cos(a), 0.0), z + radius * sin(a)) for a in angles]


def _cylinder(radius: float, height: float) -> list[tuple[float, float]]:
    h = height / 2
    return [(0, -h), (radius, -h), (radius, h), (0, h)]


def _capsule(radius: float, height: float) -> list[tuple[float, float]]:
    h = height / 2
    return [*_arc(radius, -h, -pi / 2, 0), *_arc(radius, h, 0, pi / 2)]


def _tube(radius: float, inner: float, height: float) -> list[tuple[float, float]]:
    h = height / 2
    return [(inner, -h), (radius, -h), (radius, h), (inner, h), (inner, -h)]


_PROFILES: dict[str, Any] = {
    "sphere": lambda radius: _arc(radius, 0.0, -pi / 2, pi / 2),
    "cylinder": _cylinder,
    "capsule": _capsule,
    "tube": _tube,
    # Its origin is its centre of mass, as that of `quatrain.Cone`.
    "cone": lambda radius, height: [(0, -height / 4), (radius, -height / 4), (0, height * 3 / 4)],
}
"""Outlines, from the lowest point to the highest with the axis on the left: radius and height of each point."""


def _lathe(outline: Sequence[tuple[float, float]]) -> tuple[Any, Any]:
    """The outline turned once about z."""
    r, z = np.array(outline, float).T
    angles = 2 * pi * np.arange(AROUND) / AROUND
    points = np.stack(
        [np.outer(r, np.cos(angles)), np.outer(r, np.sin(angles)), np.repeat(z[:, None], AROUND, 1)], -1
    )
    number = np.arange(len(r) * AROUND).reshape(len(r), AROUND)
    a, b = number[:-1], np.roll(number, -1, axis=1)[:-1]
    c, d = np.roll(number, -1, axis=1)[1:], number[1:]
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    return points.reshape(-1, 3), faces


def _box(x: float, y: float, z: float) -> Mesh:
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * [x / 2, y / 2, z / 2]
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Mesh.of(corners, [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))])


def _plane(x: float, y: float) -> Mesh:
    corners = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]]) / 2
    return Mesh.of(corners, [(0, 1, 2), (0, 2, 3)])
