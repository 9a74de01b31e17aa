"""What a closed mesh encloses: volume, centre and inertia by signed volumes; open and inverted meshes are told.

Each triangle makes a tetrahedron with the origin; their volumes carry the sign of the side that the triangle shows to
it, so that outside the mesh they cancel. Mirtich, Fast and accurate computation of polyhedral mass properties (1996).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quatrain.equations.rigid_body import Body
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.geometry import SymMat3, Vec3


@dataclass(frozen=True)
class MeshSolid:
    """A mesh full of matter of density 1, in the mesh's own frame."""

    body: Body
    """Its mass is the volume [m³]."""
    findings: tuple[str, ...]
    """What is wrong with it: nothing, of a closed mesh with its faces outwards."""


def solid_of_triangles(vertices: Any, faces: Any) -> MeshSolid:
    """vertices: (n, 3) [m]; faces: (m, 3) numbers of vertices, counter-clockwise from outside."""
    vertices, faces = np.asarray(vertices, float), np.asarray(faces)
    if (
        vertices.ndim != 2
        or vertices.shape[-1] != 3
        or faces.ndim != 2
        or faces.shape[-1] != 3
        or not len(faces)
    ):
        raise ArgumentError(
            f"vertices have the shape {vertices.shape} and faces {faces.shape}", do="pass (n, 3) and (m, 3)"
        )
    vertices, faces = _merged(vertices, faces)
    findings = _open_edges(faces)
    middle = vertices.mean(axis=0)  # nearby, so that what cancels is small
    a, b, c = (vertices[faces] - middle).transpose(1, 0, 2)
    sixfold = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(sixfold.sum() / 6)
    if volume < 0:
        findings.append("its faces look inwards: they are turned over")
        sixfold, volume = -sixfold, -volume
    extent = np.ptp(vertices, axis=0).prod()
    if not volume > 1e-9 * extent:
        raise ArgumentError(
            f"the mesh encloses {volume:.3g} m³", do="take a mesh that is closed and not flat"
        )
    together = a + b + c
    centre = (sixfold[:, None] * together).sum(axis=0) / (24 * volume)
    # ∫ x xᵀ over a tetrahedron with a corner in the origin: (Σ of the corners' squares + that of their sum) det/120.
    second = sum(np.einsum("i,ij,ik->jk", sixfold, x, x) for x in (a, b, c, together)) / 120
    second = second - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    return MeshSolid(
        Body(volume, Vec3(*map(float, centre + middle)), SymMat3.from_array((inertia + inertia.T) / 2)),
        tuple(findings),
    )


def solid_of_file(path: str | Path, scale: Sequence[float] = (1.0, 1.0, 1.0)) -> MeshSolid:
    """The same of a file: STL, OBJ, PLY, COLLADA and what else trimesh reads."""
    try:
        import trimesh
    except ImportError:
        raise QuatrainError(
            "meshes are read by trimesh, which is not installed", do='pip install "quatrain[mesh]"'
        ) from None
    try:
        vertices, faces = _triangles(trimesh.load_scene(path, process=False))
    except Exception as error:  # whatever a damaged file makes of the library
        what = " ".join(str(error).split())[:120] or type(error).__name__
        raise ArgumentError(f"mesh {Path(path).name} cannot be read: {what}", do="check the file") from None
    if np.prod(scale) < 0:
        faces = faces[:, ::-1]  # mirrored: turned over
    return solid_of_triangles(vertices * np.asarray(scale, float), faces)


def _triangles(scene: Any) -> tuple[Any, Any]:
    """Of all parts, where the file places them, in metres: COLLADA says its unit of length."""
    vertices, faces, count = [], [], 0
    for node in scene.graph.nodes_geometry:
        T, name = scene.graph[node]
        part = scene.geometry[name]
        if not len(getattr(part, "faces", ())):
            continue
        unit = re.fullmatch(r"\s*([0-9.eE+-]+)\s*\*\s*meters", str(part.metadata.get("units", "")))
        placed = (part.vertices @ T[:3, :3].T + T[:3, 3]) * (float(unit[1]) if unit else 1.0)
        turned = part.faces if np.linalg.det(T[:3, :3]) > 0 else part.faces[:, ::-1]
        vertices.append(placed)
        faces.append(turned + count)
        count += len(placed)
    if not faces:
        raise ValueError("it holds no triangles")
    return np.concatenate(vertices), np.concatenate(faces)


def _merged(vertices: Any, faces: Any) -> tuple[Any, Any]:
    """Corners in one place are one: files of triangles name each apart. Triangles without area are gone."""
    places, which = np.unique(vertices, axis=0, return_inverse=True)
    faces = which.reshape(-1)[faces]
    a, b, c = faces.T
    return places, faces[(a != b) & (b != c) & (c != a)]


def _open_edges(faces: Any) -> list[str]:
    """A closed mesh passes each edge once each way."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forth = edges[:, 0] < edges[:, 1]
    undirected, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    which = which.reshape(-1)
    count = np.bincount(which, minlength=len(undirected))
    balance = np.bincount(which, weights=np.where(forth, 1.0, -1.0), minlength=len(undirected))
    findings = []
    lonely = int((count == 1).sum())
    if lonely:
        findings.append(
            f"it is open: {lonely:,} of its {len(undirected):,} edges have a face on one side alone"
        )
    twisted = int(((count > 1) & (balance != 0)).sum())
    if twisted:
        findings.append(f"faces beside one another look to different sides at {twisted:,} edges")
    return findings
