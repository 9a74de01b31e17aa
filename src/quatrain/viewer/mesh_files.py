"""Meshes from files (STL, OBJ, DAE and what else trimesh reads), with the colours that they bring along."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from quatrain.formats.files import NotFound, locate
from quatrain.viewer.mesh import Mesh

Color = tuple[float, float, float, float]

MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class Loaded:
    """A part of a mesh file: its triangles, and its own colour if it has one."""

    mesh: Mesh
    color: Color | None


def load_mesh(name: str, scale: Sequence[float], folders: Sequence[str]) -> tuple[Loaded, ...]:
    """The parts of the mesh of this name for a model in these folders; `NotFound` says why there are none."""
    if not name:
        raise NotFound("it names no file")
    path = locate(name, folders)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise NotFound(f"it has {size:,} bytes, and at most {MOST_BYTES:,} are read")
    return _loaded(path, scale)


def _loaded(path: Path, scale: Sequence[float]) -> tuple[Loaded, ...]:
    try:
        import trimesh
    except ImportError:
        raise NotFound('meshes are read by trimesh: python -m pip install "quatrain[mesh]"') from None
    try:
        scene = _without_broken_materials(path, trimesh.load_scene(path), trimesh)
        parts = list(_parts(scene, path.suffix.lower(), np.array(scale, float)))
    except ModuleNotFoundError as error:
        raise NotFound(f'{error.name} is needed to read it: python -m pip install "quatrain[mesh]"') from None
    except Exception as error:  # whatever a damaged file makes of the library, a picture goes on without it
        raise NotFound(f"it cannot be read: {' '.join(str(error).split())[:120]}") from None
    if not parts:
        raise NotFound("it holds no triangles")
    return tuple(parts)


def _without_broken_materials(path: Path, scene: Any, trimesh: Any) -> Any:
    """A COLLADA file again without its materials, if shapes are missing: a broken one takes them along."""
    if path.suffix.lower() != ".dae":
        return scene
    text = path.read_bytes()
    if len(scene.graph.nodes_geometry) >= text.count(b"<instance_geometry"):
        return scene
    bare = re.sub(rb"<bind_material>.*?</bind_material>", b"", text, flags=re.DOTALL)
    return trimesh.load_scene(BytesIO(bare), file_type="dae")


def _parts(scene: Any, suffix: str, scale: Any) -> Iterator[Loaded]:
    for node in scene.graph.nodes_geometry:
        T, name = scene.graph[node]
        part = scene.geometry[name]
        if not len(getattr(part, "faces", ())):
            continue
        # COLLADA says its unit of length. The axis that it calls up is left as it is, as ROS does.
        matrix = np.diag(scale * _unit(part)) @ T[:3]
        vertices = part.vertices @ matrix[:, :3].T + matrix[:, 3]
        faces = (
            part.faces if np.linalg.det(matrix[:, :3]) > 0 else part.faces[:, ::-1]
        )  # mirrored: turned over
        mesh = Mesh.of(vertices, faces)
        if len(mesh.faces):
            yield Loaded(mesh, _color(part, suffix))


def _unit(part: Any) -> float:
    """Metres in one of its lengths."""
    found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*\*\s*meters", str(part.metadata.get("units", "")))
    return float(found[1]) if found else 1.0


def _color(part: Any, suffix: str) -> Color | None:
    """Its own colour, of formats that have any."""
    if suffix == ".stl" or not part.visual.defined:
        return None
    if part.visual.kind == "texture":
        material = part.visual.material
        if suffix == ".obj" and getattr(material, "name", None) in (None, "", "material_0"):
            return None  # it names no material, and trimesh fills one in
        rgba = np.asarray(material.main_color, float)
    else:
        rgba = np.asarray(part.visual.main_color, float)
    r, g, b, a = (rgba / 255.0).tolist()
    return r, g, b, a if a > 0 else 1.0
