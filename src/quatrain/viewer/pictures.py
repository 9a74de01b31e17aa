"""Pictures and films of a model and of its runs: PNG by ourselves, GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.model import WORLD, Model
from quatrain.viewer.motion import Motion
from quatrain.viewer.raster import Camera, Triangles, View
from quatrain.viewer.scene import Scene, poses_of, rotated, scene_of, side_by_side

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory

_TRAILS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233))
"""Of the motions, one after the other."""


class Studio:
    """A scene with its light, its ground and a camera: `picture(q)` of a state."""

    def __init__(
        self,
        scene: Scene,
        box: tuple[Any, Any],
        *,
        machines: int = 1,
        width: int = 960,
        height: int = 640,
        azimuth: float = 37.0,
        elevation: float = 22.0,
        zoom: float = 1.0,
    ) -> None:
        """`azimuth` of the camera from the x axis, and its `elevation`, in degrees; `zoom` above 1 comes closer."""
        if not (0 < width <= 8192 and 0 < height <= 8192) or not zoom > 0:
            raise ArgumentError(
                f"a picture of {width} by {height} pixels with zoom {zoom}",
                do="give 1 to 8192, and a zoom above 0",
            )
        self.scene, self.width, self.height = scene, int(width), int(height)
        low, high = (np.asarray(edge, float) for edge in box)
        self.size = max(float(np.linalg.norm(high - low)), 1e-3)
        self.offsets, whole = side_by_side((low, high), machines)
        self.floor = (
            min(low[2], 0.0) if -0.02 * self.size < low[2] < 0.5 * self.size else low[2] - 0.04 * self.size
        )
        cell = float(10 ** np.floor(np.log10(self.size)))
        self.cell = cell / 2 if self.size / cell < 2.5 else cell
        a, e = np.radians([azimuth, elevation])
        way = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        self.target = (low + high) / 2
        self.away = way * 0.53 * (self.size + whole) / np.tan(np.radians(19.0)) / zoom
        parts = scene.of("visual")
        self.parts = [part for part in parts if len(part.mesh.faces)]

    def picture(self, q: Any, *, around: Any = None, lines: Any = ()) -> Any:
        """Of states (machines, nq): bytes (height, width, 3). `around`: looked at instead of the middle."""
        view = self._view if around is None else self._looking_at(around)
        return view.picture(self._triangles(q), lines)

    def _looking_at(self, target: Any) -> View:
        camera = Camera(target + self.away, target)
        return View(camera, self.width, self.height, floor=self.floor, cell=self.cell)

    @cached_property
    def _view(self) -> View:
        return self._looking_at(self.target)

    def _triangles(self, q: Any) -> Triangles:
        q = np.asarray(q, float)
        seen = np.all(np.isfinite(q), axis=1)
        positions, quaternions = poses_of(self.scene.model, q[seen])
        corners, normals, colors = [], [], []
        for part in self.parts:
            q_BG, p_BG = np.array([*part.X_BG.q], float), np.array([*part.X_BG.p], float)
            points, directions = rotated(q_BG, part.mesh.vertices) + p_BG, rotated(q_BG, part.mesh.normals)
            for p_WB, q_WB, offset in zip(positions, quaternions, self.offsets[: len(q)][seen], strict=True):
                if part.body != WORLD:
                    placed = rotated(q_WB[part.body], points) + p_WB[part.body] + offset
                    turned = rotated(q_WB[part.body], directions)
                else:
                    placed, turned = points + offset, directions
                corners.append(placed[part.mesh.faces])
                normals.append(turned[part.mesh.faces])
                colors.append(np.broadcast_to(part.color, (len(part.mesh.faces), 4)))
        if not corners:
            return Triangles(np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 4)))
        return Triangles(np.concatenate(corners), np.concatenate(normals), np.concatenate(colors))


class Film:
    """A run before the camera."""

    def __init__(
        self, run: Trajectory, *, motions: Any = None, trail: str | None = None, **options: Any
    ) -> None:
        self.motion = Motion.of(run, motions=motions, plots=(), trail=trail)
        scene = scene_of(self.motion.model)
        box, self.follow = self.motion.box(scene)
        self.studio = Studio(scene, box, machines=len(self.motion.q), **options)
        self.ways = self.motion.way(self.motion.trail) if self.motion.trail else None

    def picture(self, time: float) -> Any:
        """At this time."""
        q = self.motion.at(time)
        around = None
        if self.follow:
            middle = [sum(edge) / 2 for edge in zip(*self.studio.scene.bounds(q[:1]), strict=True)]
            around = np.array(middle) + self.studio.offsets[0]
        lines = []
        if self.ways is not None:
            until = int(np.searchsorted(self.motion.t, time)) + 1
            for e, way in enumerate(self.ways):
                points = way[: max(until, 2)] + self.studio.offsets[e]
                lines.append((points, np.array(_TRAILS[e % len(_TRAILS)]) / 255))
        return self.studio.picture(q, around=around, lines=lines)

    def pictures(self, frames_per_second: float, speed: float) -> Iterator[Any]:
        """One after the other, from the start to the end of the run."""
        if not (frames_per_second > 0 and speed > 0):
            raise ArgumentError(
                f"frames_per_second is {frames_per_second} and speed {speed}", do="pass numbers above zero"
            )
        start, end = float(self.motion.t[0]), float(self.motion.t[-1])
        count = max(1, round((end - start) / speed * frames_per_second) + 1)
        for k in range(count):
            yield self.picture(min(start + k * speed / frames_per_second, end))


def still_picture(model: Model, q: Any = None, **options: Any) -> Any:
    """Of a model in a state (nq), by default at zero, or in several side by side: bytes (height, width, 3)."""
    states = np.atleast_2d(np.asarray(dynamics.neutral(model) if q is None else q, float))
    scene = scene_of(model)
    return Studio(scene, scene.bounds(states), machines=len(states), **options).picture(states)


def write_png(picture: Any, path: str | Path) -> Path:
    """Bytes (height, width, 3) as a file."""
    height, width, _ = picture.shape
    # Each row begins with the number of its filter: 0, as it is.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    place = Path(path)
    place.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
    return place


def write_gif(pictures: Iterator[Any], path: str | Path, frames_per_second: float) -> Path:
    """A film that begins again at its end, for places that show pictures only; times are whole hundredths."""
    try:
        from PIL import Image
    except ImportError:
        raise QuatrainError(
            "GIF needs Pillow, which is not installed", do='python -m pip install "quatrain[video]"'
        ) from None
    images = [Image.fromarray(picture) for picture in pictures]
    # One palette for all, so that what stands still does not flicker.
    palette = images[0].quantize(128)
    few = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    few[0].save(path, save_all=True, append_images=few[1:], duration=round(1000 / frames_per_second), loop=0)
    return Path(path)


def write_mp4(pictures: Iterator[Any], path: str | Path, frames_per_second: float) -> Path:
    """A film, as H.264 in MP4, which every browser plays."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise QuatrainError(
            "MP4 needs imageio-ffmpeg, which is not installed", do='python -m pip install "quatrain[video]"'
        ) from None
    first = next(pictures)
    height, width, _ = first.shape
    writer = imageio_ffmpeg.write_frames(
        str(path), (width, height), fps=frames_per_second, codec="libx264", quality=8, macro_block_size=2
    )
    writer.send(None)
    try:
        writer.send(np.ascontiguousarray(first))
        for picture in pictures:
            writer.send(np.ascontiguousarray(picture))
    finally:
        writer.close()
    return Path(path)
