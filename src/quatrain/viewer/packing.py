"""A scene, and a motion if there is one, as one compressed block of bytes that the page unpacks.

Four bytes with the length of a header, the header as JSON, then arrays one after the other, each on a multiple of
eight; where the header means an array it has {"at": byte, "type": "f4", "shape": […]}.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.geometry import Pose
from quatrain.model import Model
from quatrain.viewer.mesh import Mesh
from quatrain.viewer.motion import Motion
from quatrain.viewer.scene import Part, Scene

_SINGLE = 1e-6
"""What may be lost of a coordinate by keeping it in single precision."""


def packed(scene: Scene, q: Any, motion: Motion | None = None) -> bytes:
    """Everything that the page needs: the scene, standing in q (nq), or moving."""
    arrays = _Arrays()
    model = scene.model
    box, follow = (scene.bounds(q), False) if motion is None else motion.box(scene)
    meshes = {id(mesh): k for k, mesh in enumerate(scene.meshes)}
    header = {
        "name": model.name,
        "bodies": list(_bodies(model)),
        "controls": list(controls(model)),
        "q": [float(x) for x in q],
        "keyframes": [{"name": key.name, "q": [float(x) for x in key.q]} for key in model.keyframes],
        "frames": [{"name": f.name, "body": f.body, "pose": _pose(f.X_BF)} for f in model.frames],
        "meshes": [_mesh(mesh, arrays) for mesh in scene.meshes],
        "parts": [_part(part, meshes[id(part.mesh)]) for part in scene.parts],
        "marked": [{"body": body, "pose": _pose(X)} for body, X in scene.marked],
        "notes": scene.notes,
        "bounds": [edge.tolist() for edge in box],
        "follow": follow,
        "run": None if motion is None else _run(motion, arrays),
    }
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 4) % 8)
    # Without the time of day, so that the same picture is the same file.
    return gzip.compress(len(text).to_bytes(4, "little") + text + bytes(arrays.data), 9, mtime=0)


class _Arrays:
    def __init__(self) -> None:
        self.data = bytearray()

    def add(self, values: Any, kind: str) -> dict[str, Any]:
        self.data += b"\0" * (-len(self.data) % 8)
        array = np.ascontiguousarray(values, "<" + kind)
        at = len(self.data)
        self.data += array.tobytes()
        return {"at": at, "type": kind, "shape": list(array.shape)}

    def add_states(self, values: Any) -> dict[str, Any]:
        """In single precision where that loses nothing that is seen."""
        with np.errstate(all="ignore"):
            lost = np.abs(values - np.asarray(values, np.float32))
        return self.add(values, "f4" if np.nanmax(lost, initial=0.0) < _SINGLE else "f8")


def _pose(X: Pose) -> list[float]:
    return [float(x) for x in (*X.q, *X.p)]


def _bodies(model: Model) -> Iterator[dict[str, Any]]:
    """What the page needs to find where each one stands."""
    for k, body in enumerate(model.bodies):
        joint, drive, at = body.joint, model.drives[k], model.q_starts[k]
        motions = []
        for motion in joint.motions:
            axis = [0.0, 0.0, 1.0] if motion.kind == "ball" else [*map(float, joint.axes[motion.axis])]
            motions.append({"kind": motion.kind, "axis": axis, "q": at})
            at += motion.nq
        yield {
            "name": body.name,
            "joint": joint.name,
            "parent": body.parent,
            "PJ": _pose(joint.X_PJ),
            "MB": _pose(joint.X_MB),
            "motions": motions,
            "ratio": float(drive.ratio),
            "offset": float(drive.offset),
            "pitch": float(joint.pitch),
            "mass": float(body.mass),
            "com": [*map(float, body.p_BBcm)],
        }


def controls(model: Model) -> Iterator[dict[str, Any]]:
    """What may be moved by hand: a coordinate within its limits, or an attitude."""
    bounds = dynamics.bounds(model)
    coordinates = model.coordinates()
    for body, start in zip(model.bodies, model.q_starts, strict=True):
        at = start
        for motion in body.joint.own_motions:
            if motion.kind == "ball":
                yield {"name": body.joint.name, "q": at, "kind": "attitude"}
            else:
                lower, upper = bounds[at]
                reach = 3.141592653589793 if coordinates[at].unit == "rad" else 1.0
                yield {
                    "name": coordinates[at].name,
                    "q": at,
                    "kind": "number",
                    "unit": coordinates[at].unit,
                    "lower": float(-reach if lower is None else lower),
                    "upper": float(reach if upper is None else upper),
                }
            at += motion.nq


def _part(part: Part, mesh: int) -> dict[str, Any]:
    return {
        "name": part.name,
        "body": part.body,
        "pose": _pose(part.X_BG),
        "mesh": mesh,
        "color": [round(c, 4) for c in part.color],
        "role": part.role,
    }


def _mesh(mesh: Mesh, arrays: _Arrays) -> dict[str, Any]:
    """Places to 1/65,535 of its size, normals to half a degree."""
    low, high = (edge.astype(float) for edge in mesh.bounds)
    size = np.where(high > low, high - low, 1.0)
    places = np.round((mesh.vertices - low) / size * 65535)
    small = len(mesh.vertices) < 65536
    return {
        "low": low.tolist(),
        "size": size.tolist(),
        "vertices": arrays.add(places, "u2"),
        "normals": arrays.add(np.round(mesh.normals * 127), "i1"),
        "faces": arrays.add(mesh.faces, "u2" if small else "u4"),
    }


def _run(motion: Motion, arrays: _Arrays) -> dict[str, Any]:
    return {
        "t": arrays.add(motion.t, "f8"),
        "q": arrays.add_states(motion.q),
        "labels": motion.labels,
        "trail": motion.trail,
        "curves": [
            {
                "name": curves.name,
                "unit": curves.unit,
                "components": curves.components,
                "values": arrays.add(curves.values, "f4"),
            }
            for curves in motion.curves
        ],
    }
