"""What there is to be seen of a model: meshes on bodies, with colours. Every way of showing it begins here.

A mesh that cannot be had is a note, and its frame is drawn instead; a body without any shape is shown by the
ellipsoid of its inertia and by rods to what it carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from quatrain.alignment import aligned
from quatrain.equations.poses import body_poses
from quatrain.errors import ArgumentError
from quatrain.formats.files import NotFound
from quatrain.geometry import Mat3, Pose, Quaternion, Vec3
from quatrain.model import WORLD, Body, Model, Shape
from quatrain.viewer.mesh import Mesh
from quatrain.viewer.mesh_files import Color, Loaded, load_mesh
from quatrain.viewer.tessellation import mesh_of_shape

GREY: Color = (0.72, 0.74, 0.77, 1.0)
PALETTE: tuple[Color, ...] = (
    *((0.36, 0.51, 0.72, 1.0), (0.87, 0.57, 0.28, 1.0), (0.42, 0.65, 0.55, 1.0)),
    *((0.72, 0.42, 0.46, 1.0), (0.60, 0.53, 0.72, 1.0), (0.78, 0.70, 0.42, 1.0)),
)
"""Of bodies that nobody gave a colour, one after the other."""


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh on a body, or on the ground (WORLD)."""

    name: str
    body: int
    X_BG: Pose
    mesh: Mesh
    color: Color
    role: str
    """"visual", "collision", or "inertia": the ellipsoid that has the body's mass and inertia."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A model with everything that is drawn of it."""

    model: Model
    parts: tuple[Part, ...]
    marked: tuple[tuple[int, Pose], ...]
    """Frames drawn for meshes that are not there: body, X_BF."""
    notes: tuple[str, ...]
    """What could not be drawn, and why."""

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """Each once."""
        return tuple({id(part.mesh): part.mesh for part in self.parts}.values())

    def of(self, *roles: str) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.role in roles)

    def bounds(self, q: Any) -> tuple[Any, Any]:
        """The box around what is seen in these states q (..., nq): least and greatest coordinates, (3,) each."""
        states = np.asarray(q, float)
        states = states.reshape(prod(states.shape[:-1]), self.model.nq)  # of a machine that cannot move too
        positions, quaternions = poses_of(self.model, states)
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for body in range(self.model.nb):
            low = np.minimum(low, positions[:, body].min(axis=0))
            high = np.maximum(high, positions[:, body].max(axis=0))
        for part in self.of("visual"):
            corners = _corners(part)
            if part.body != WORLD:
                turned = rotated(quaternions[:, part.body, None], corners[None])
                corners = (turned + positions[:, part.body, None]).reshape(-1, 3)
            low, high = np.minimum(low, corners.min(axis=0)), np.maximum(high, corners.max(axis=0))
        if not np.all(np.isfinite(low)):
            return np.full(3, -0.5), np.full(3, 0.5)
        return low, high


def scene_of(model: Model) -> Scene:
    """Everything that is drawn of a model; meshes are looked for as its file's reader looks for files."""
    drawn = _Drawn(model)
    for shape in model.shapes:
        drawn.add(shape)
    for k, body in enumerate(model.bodies):
        drawn.stand_in(k, body)
    return Scene(model, tuple(drawn.parts), tuple(drawn.marked), tuple(dict.fromkeys(drawn.notes)))


def poses_of(model: Model, q: Any) -> tuple[Any, Any]:
    """Of all bodies in states q (..., nq): positions (..., nb, 3) and quaternions (..., nb, 4), by the equations."""
    q = np.asarray(q, float)
    if q.shape[-1:] != (model.nq,):
        raise ArgumentError(
            f"q has shape {q.shape}; {model.name} needs (..., {model.nq})",
            do="print model.coordinates() to see what its entries are",
        )
    positions = np.empty((*q.shape[:-1], model.nb, 3))
    quaternions = np.empty((*q.shape[:-1], model.nb, 4))
    for k, X in enumerate(body_poses(model, [q[..., i] for i in range(model.nq)])):
        for i, x in enumerate(X.p):
            positions[..., k, i] = x
        for i, x in enumerate(X.q):
            quaternions[..., k, i] = x
    return positions, quaternions


def side_by_side(box: tuple[Any, Any], count: int) -> tuple[Any, float]:
    """Where so many machines, of which one fills the box, have their worlds (count, 3), and how wide that is."""
    size = np.asarray(box[1], float) - box[0]
    apart = 1.15 * max(*size[:2].tolist(), 0.3 * float(np.linalg.norm(size)))
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    k = np.arange(count)
    places = np.stack([k // columns - (rows - 1) / 2, (columns - 1) / 2 - k % columns, 0.0 * k], axis=-1)
    return apart * places, apart * (columns - 1)


def rotated(q: Any, points: Any) -> Any:
    """Points (..., 3) turned by quaternions (..., 4)."""
    w, u = q[..., :1], q[..., 1:]
    across = 2 * np.cross(u, points)
    return points + w * across + np.cross(u, across)


def _corners(part: Part) -> Any:
    low, high = part.mesh.bounds
    box = np.array([[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)])
    return rotated(np.array([*part.X_BG.q]), box) + np.array([*part.X_BG.p])


class _Drawn:
    """Parts as they are gathered; a mesh that comes again is the same one."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.parts: list[Part] = []
        self.marked: list[tuple[int, Pose]] = []
        self.notes: list[str] = []
        self.known: dict[Any, tuple[Loaded, ...]] = {}
        seen = {shape.body for shape in model.shapes if shape.role != "collision"}
        self.both = {shape.body for shape in model.shapes} - seen
        """Bodies that have shapes to collide with and none to be seen: these are seen instead."""

    def add(self, shape: Shape) -> None:
        visible = shape.role != "collision" or shape.body in self.both
        roles = ["visual"] if visible else []
        roles += ["collision"] if shape.role != "visual" else []
        try:
            loaded = self._loaded(shape)
        except NotFound as why:
            # What nobody would see is not missed.
            if visible:
                self.notes.append(f"mesh {shape.mesh!r}: {why}; its frame is drawn")
                self.marked.append((shape.body, shape.X_BG))
            return
        for role in roles:
            for part in loaded:
                color = part.color or shape.color or self._own_color(shape.body)
                self.parts.append(
                    Part(shape.name or shape.kind, shape.body, shape.X_BG, part.mesh, color, role)
                )

    def _loaded(self, shape: Shape) -> tuple[Loaded, ...]:
        size = tuple(map(float, shape.size))
        key = (shape.kind, shape.mesh, size)
        if key not in self.known:
            if shape.kind == "mesh":
                self.known[key] = load_mesh(shape.mesh, size, self.model.folders)
            else:
                self.known[key] = (Loaded(mesh_of_shape(shape.kind, size), None),)
        return self.known[key]

    def _own_color(self, body: int) -> Color:
        return GREY if body == WORLD else PALETTE[body % len(PALETTE)]

    def stand_in(self, k: int, body: Body) -> None:
        """The ellipsoid of a body's inertia; where nothing else is to be seen of the body, rods as well."""
        bare = not any(part.body == k and part.role == "visual" for part in self.parts) and not any(
            marked == k for marked, _ in self.marked
        )
        color = self._own_color(k)
        ellipsoid = _ellipsoid(body)
        if ellipsoid is not None:
            X_BG, axes = ellipsoid
            part = Part(
                f"inertia of {body.name}", k, X_BG, mesh_of_shape("ellipsoid", axes), color, "inertia"
            )
            self.parts += [part, replace(part, role="visual")] if bare else [part]
        if bare:
            self.parts += self._rods(k, body, color)

    def _rods(self, k: int, body: Body, color: Color) -> Iterator[Part]:
        """From where the body hangs to its centre of mass and to where others hang on it; a ball for a point mass."""
        X_BM = body.joint.X_MB.inverse()
        start = X_BM.p
        ends = [one.joint.X_PJ.p for one in self.model.bodies if one.parent == k]
        if body.mass > 0:
            ends.append(body.p_BBcm)
        reach = max(((end - start).norm() for end in ends), default=0.0)
        for end in ends:
            along = end - start
            length = along.norm()
            if length > 1e-6:
                X_BG = Pose(aligned(along / length), start + along * 0.5)
                rod = mesh_of_shape("cylinder", (max(0.012 * reach, 1e-4), length))
                yield Part(f"rod of {body.name}", k, X_BG, rod, color, "visual")
        if body.mass > 0 and _ellipsoid(body) is None:
            ball = mesh_of_shape("sphere", (0.06 * reach if reach > 0 else 0.05,))
            X_BG = Pose(Quaternion.identity(), body.p_BBcm)
            yield Part(f"mass of {body.name}", k, X_BG, ball, color, "visual")


def _ellipsoid(body: Body) -> tuple[Pose, Sequence[float]] | None:
    """The solid ellipsoid of uniform density with the body's mass and inertia: its place, and its semi-axes [m]."""
    I_cm = body.I_Bcm_B.to_array()
    if not body.mass > 0 or not np.any(I_cm):
        return None
    moments, R = np.linalg.eigh(I_cm)
    # I_x = m (b² + c²) / 5, and so on around.
    squares = 5 / body.mass * (moments.sum() / 2 - moments)
    axes = np.sqrt(np.maximum(squares, 0.0))
    if not axes.max() > 0:
        return None
    axes = np.maximum(axes, 0.02 * axes.max())  # a rod is not invisible
    if np.linalg.det(R) < 0:
        R[:, 0] = -R[:, 0]
    q_BG = Quaternion.from_matrix(Mat3.from_array(R))
    return Pose(Quaternion(*map(float, q_BG)), Vec3(*map(float, body.p_BBcm))), tuple(axes.tolist())
