"""Triangles, and normals at their corners: smooth over gentle bends, apart at sharp ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

CREASE = np.cos(np.radians(35.0))
"""Cosine of the angle beyond which two faces meet in an edge that is seen."""

_MOST_PAIRS = 2_000_000


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles, counter-clockwise as seen from outside; one mesh may be drawn in many places."""

    vertices: Any
    """(n, 3) [m]"""
    normals: Any
    """(n, 3), unit vectors out of the surface."""
    faces: Any
    """(m, 3), numbers of vertices."""

    @classmethod
    def of(cls, vertices: Any, faces: Any) -> Mesh:
        """From points and triangles; points that coincide become one, triangles without area go."""
        vertices = np.asarray(vertices, float).reshape(-1, 3)
        faces = np.asarray(faces, np.int64).reshape(-1, 3)
        if not len(faces):
            return cls(
                np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32)
            )
        first, place = _merged(vertices)
        vertices, faces = vertices[first], place[faces]
        across = np.cross(
            vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]]
        )
        area = np.linalg.norm(across, axis=1)
        kept = area > 1e-12 * max(area.max(), 1e-300)
        faces, across, area = faces[kept], across[kept], area[kept]
        normals = _corner_normals(faces, across, across / area[:, None])
        return cls(*_split(vertices, faces, normals))

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The least and the greatest coordinates, (3,) each."""
        if not len(self.vertices):
            return np.zeros(3), np.zeros(3)
        return self.vertices.min(axis=0), self.vertices.max(axis=0)


def _merged(vertices: Any) -> tuple[Any, Any]:
    """One vertex of each place, and for every vertex which one that is."""
    low = vertices.min(axis=0)
    size = max(float((vertices.max(axis=0) - low).max()), 1e-12)
    grid = np.round((vertices - low) * ((1 << 20) / size)).astype(np.int64)
    _, first, place = np.unique(
        (grid[:, 0] << 42) | (grid[:, 1] << 21) | grid[:, 2], return_index=True, return_inverse=True
    )
    return first, place


def _corner_normals(faces: Any, across: Any, normals: Any) -> Any:
    """(m, 3, 3): at each corner the mean over the faces there that bend away gently, by their areas."""
    corners = faces.ravel()
    order = np.argsort(corners, kind="stable")
    face = order // 3
    counts = np.bincount(corners, minlength=int(corners.max()) + 1)
    found = np.empty((len(corners), 3))
    for start, stop, own in _portions(counts):
        # Every corner beside every other one of its vertex.
        size = np.repeat(own, own)
        begin = np.repeat(np.cumsum(own) - own, own)
        mine = np.repeat(np.arange(stop - start), size)
        other = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size) + np.repeat(begin, size)
        a, b = face[start:stop][mine], face[start:stop][other]
        near = np.einsum("ij,ij->i", normals[a], normals[b]) > CREASE
        total = np.empty((stop - start, 3))
        for k in range(3):
            total[:, k] = np.bincount(mine[near], across[b[near], k], stop - start)
        found[order[start:stop]] = total
    length = np.linalg.norm(found, axis=1)
    return (found / np.where(length > 0, length, 1)[:, None]).reshape(-1, 3, 3)


def _portions(counts: Any) -> Iterator[tuple[int, int, Any]]:
    """Stretches of the sorted corners, whole vertices in each: start, stop, and how many corners a vertex has."""
    pairs, corners = np.cumsum(counts**2), np.cumsum(counts)
    first = 0
    while first < len(counts):
        done = pairs[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(pairs, done + _MOST_PAIRS)))
        last = min(last, len(counts))
        yield int(corners[first - 1]) if first else 0, int(corners[last - 1]), counts[first:last]
        first = last


def _split(vertices: Any, faces: Any, normals: Any) -> tuple[Any, Any, Any]:
    """One vertex for each place and normal."""
    coarse = np.round((normals.reshape(-1, 3) + 1) * 60).astype(np.int64)
    key = (faces.ravel() << 21) | (coarse[:, 0] << 14) | (coarse[:, 1] << 7) | coarse[:, 2]
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return (
        vertices[faces.ravel()[first]].astype(np.float32),
        normals.reshape(-1, 3)[first].astype(np.float32),
        place.reshape(-1, 3).astype(np.uint32),
    )
