"""Pictures without a window, a graphics card or a library for it: triangles to pixels, on NumPy.

Each triangle is compared with all pixels of the box around it, the nearest of a pixel is kept, and the pixels that are
seen get their light. A second such picture, from the sun, says what lies in shadow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_MOST = 3_000_000
"""How many pairs of a triangle and a pixel are looked at together."""
SKY = np.array([0.933, 0.945, 0.961])
_SUN = np.array([0.42, 0.28, 0.88]) / np.linalg.norm([0.42, 0.28, 0.88])


@dataclass(frozen=True, eq=False)
class Triangles:
    """What is drawn: corners (m, 3, 3) and normals there (m, 3, 3) in the world, colours (m, 4)."""

    corners: Any
    normals: Any
    colors: Any


@dataclass(frozen=True)
class Camera:
    """Where it is seen from."""

    eye: Any
    target: Any
    angle: float = 38.0
    """Of view from the lower edge to the upper one [degrees]."""

    def axes(self) -> Any:
        """Right, down and ahead, the rows of a rotation (3, 3)."""
        ahead = np.asarray(self.target, float) - self.eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        if np.linalg.norm(right) < 1e-9:
            right = np.array([0.0, -1.0, 0.0])
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(ahead, right), ahead])


class View:
    """A camera before empty ground; `picture` puts something into it. Made once for many pictures."""

    def __init__(
        self, camera: Camera, width: int, height: int, *, floor: float, cell: float, finer: int = 2
    ) -> None:
        """`floor`: the ground's height; `cell`: the distance of its lines. `finer`: pixels are drawn so many times
        finer, and their means taken.
        """
        self.width, self.height, self.finer, self.floor = width, height, finer, floor
        self.w, self.h = width * finer, height * finer
        self.focus = 0.5 * self.h / np.tan(np.radians(camera.angle) / 2)
        self.R, self.eye = camera.axes(), np.asarray(camera.eye, float)
        column, row = np.meshgrid(np.arange(self.w) + 0.5, np.arange(self.h) + 0.5)
        across = np.stack(
            [(column - self.w / 2) / self.focus, (row - self.h / 2) / self.focus, np.ones_like(row)], -1
        )
        self.rays = across.reshape(-1, 3) @ self.R
        self._lay_ground(np.asarray(camera.target, float), cell)

    def _lay_ground(self, target: Any, cell: float) -> None:
        """The sky, and the ground with its lines, which fade with distance; where on it each pixel looks."""
        self.empty = np.empty((len(self.rays), 3))
        self.empty[:] = SKY
        with np.errstate(all="ignore"):
            far = (self.floor - self.eye[2]) / self.rays[:, 2]
        meets = np.flatnonzero((far > 0) & np.isfinite(far))
        points = self.eye + self.rays[meets] * far[meets, None]
        reach = 2.2 * np.linalg.norm(target - self.eye)
        fade = np.exp(-(np.sum((points[:, :2] - target[:2]) ** 2, axis=1) / reach**2))
        near = fade > 0.02
        self.meets, self.points, self.fade = meets[near], points[near], fade[near]
        thick = 0.0011 * np.linalg.norm(self.points - self.eye, axis=1)
        line = np.zeros(len(self.points))
        for k in (0, 1):
            whole = np.round(self.points[:, k] / cell)
            away = np.abs(self.points[:, k] - whole * cell)
            line = np.maximum(line, np.where(whole % 5 == 0, 0.30, 0.15) * np.clip(1.5 - away / thick, 0, 1))
        self.empty[self.meets] *= (1 - line * self.fade)[:, None]

    def on_screen(self, points: Any) -> Any:
        """Pixels across and down, and distance ahead; NaN behind the camera."""
        seen = (points - self.eye) @ self.R.T
        ahead = np.where(seen[..., 2] > 1e-6, seen[..., 2], np.nan)
        across = seen[..., :2] * (self.focus / ahead[..., None]) + [self.w / 2, self.h / 2]
        return np.concatenate([across, ahead[..., None]], axis=-1)

    def picture(self, drawn: Triangles, lines: Sequence[tuple[Any, Any]] = ()) -> Any:
        """(height, width, 3) of bytes. `lines`: points (n, 3) and a colour each."""
        screen = self.on_screen(drawn.corners)
        nearest, which, weights = _nearest(screen, self.w, self.h, opacity=drawn.colors[:, 3])
        sun, image = _Sun(drawn, min(1024, self.w)), self.empty.copy()
        self._shade_ground(image, which, sun)
        hit = np.flatnonzero(which >= 0)
        triangle, b = which[hit], weights[hit]
        normals = np.einsum("nk,nki->ni", b, drawn.normals[triangle])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        away = np.einsum("ni,ni->n", normals, self.rays[hit]) > 0
        normals[away] *= -1  # the inside of what is open
        points = np.einsum("nk,nki->ni", b, drawn.corners[triangle])
        image[hit] = _lit(drawn.colors[triangle, :3], normals, sun.at(points + 0.004 * sun.size * normals))
        for path, color in lines:
            _line(
                image,
                nearest,
                self.on_screen(np.asarray(path, float)),
                color,
                self.w,
                self.h,
                1.5 * self.finer,
            )
        means = image.reshape(self.height, self.finer, self.width, self.finer, 3).mean(axis=(1, 3))
        return np.round(255 * np.clip(means, 0, 1)).astype(np.uint8)

    def _shade_ground(self, image: Any, which: Any, sun: _Sun) -> None:
        """Shadows, where they can fall and nothing stands before them."""
        foot = sun.centre - _SUN * ((sun.centre[2] - self.floor) / _SUN[2])
        near = np.sum((self.points - foot) ** 2, axis=1) < (0.8 * sun.size / _SUN[2]) ** 2
        near = np.flatnonzero(near & (which[self.meets] < 0))
        dark = 1 - sun.at(self.points[near] + [0.0, 0.0, 0.004 * sun.size])
        image[self.meets[near]] *= (1 - 0.20 * dark * np.minimum(1.0, 2 * self.fade[near]))[:, None]


def _lit(color: Any, normal: Any, sun: Any) -> Any:
    """Light of the sky from above, of the ground from below, and of the sun where it comes to."""
    sky = 0.5 + 0.5 * normal[:, 2:]
    direct = np.maximum(normal @ _SUN, 0.0)[:, None] * sun[:, None]
    return color * (0.56 * sky + 0.34 * (1 - sky) + 0.50 * direct) + 0.03 * direct


class _Sun:
    """What the sun sees, so that it is known what it does not."""

    def __init__(self, drawn: Triangles, pixels: int) -> None:
        """`pixels`: of its picture, along a side."""
        corners = drawn.corners.reshape(-1, 3)
        low, high = (corners.min(axis=0), corners.max(axis=0)) if len(corners) else (np.zeros(3), np.zeros(3))
        self.centre = (low + high) / 2
        self.size = max(float(np.linalg.norm(high - low)), 1e-9)
        self.pixels = pixels
        self.R, self.scale = Camera(_SUN, np.zeros(3)).axes(), 0.98 * pixels / self.size
        self.depth, _, _ = _nearest(self._seen(drawn.corners), pixels, pixels)

    def _seen(self, points: Any) -> Any:
        across = (points - self.centre) @ (self.R.T * self.scale)
        across += np.array([self.pixels / 2, self.pixels / 2, 4.0 * self.pixels])
        return across

    def at(self, points: Any) -> Any:
        """How much of the sun comes to points (n, 3): from 0 to 1, by a few places around each."""
        x, y, z = self._seen(points).T
        light = np.zeros(len(points))
        for dx, dy in ((-0.8, -0.3), (0.3, -0.8), (0.8, 0.3), (-0.3, 0.8)):
            column, row = np.floor(x + dx).astype(int), np.floor(y + dy).astype(int)
            inside = (column >= 0) & (column < self.pixels) & (row >= 0) & (row < self.pixels)
            place = np.where(inside, row * self.pixels + column, 0)
            light += ~inside | (z <= self.depth[place] + 1.5)
        return light / 4


def _nearest(screen: Any, w: int, h: int, *, opacity: Any = None) -> tuple[Any, Any, Any]:
    """Of each pixel the depth of what is nearest, which triangle that is (−1: none), and its weights of the corners."""
    nearest = np.full(w * h, np.inf)
    which = np.full(w * h, -1)
    weights = np.zeros((w * h, 3))
    for triangle, column, row in _pairs(screen, w, h):
        a, b, c = (screen[triangle, k] for k in range(3))
        x, y = column + 0.5, row + 0.5
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        with np.errstate(all="ignore"):
            u = ((b[:, 0] - x) * (c[:, 1] - y) - (b[:, 1] - y) * (c[:, 0] - x)) / area
            v = ((c[:, 0] - x) * (a[:, 1] - y) - (c[:, 1] - y) * (a[:, 0] - x)) / area
        inside = (u >= 0) & (v >= 0) & (u + v <= 1)
        if opacity is not None:  # part of the pixels of what is seen through
            inside &= (column % 2 + 2 * (row % 2) + 0.5) / 4 < opacity[triangle]
        triangle, u, v = triangle[inside], u[inside], v[inside]
        place = (row[inside] * w + column[inside]).astype(np.int64)
        part = np.stack([u, v, 1 - u - v], axis=-1)
        # What is a line in space is one on the screen for 1/depth.
        part /= screen[triangle, :, 2]
        depth = 1 / part.sum(axis=1)
        part *= depth[:, None]
        np.minimum.at(nearest, place, depth)
        first = depth == nearest[place]
        which[place[first]], weights[place[first]] = triangle[first], part[first]
    return nearest, which, weights


def _pairs(screen: Any, w: int, h: int) -> Iterator[tuple[Any, Any, Any]]:
    """Triangles, and the columns and rows of all pixels of the boxes around them, a few millions at a time."""
    with np.errstate(all="ignore"):
        low = np.floor(np.clip(screen[..., :2].min(axis=1), 0, [w, h]) - 0.5)
        high = np.ceil(np.clip(screen[..., :2].max(axis=1), 0, [w, h]) - 0.5)
    low = np.maximum(low, 0)
    size = np.minimum(high, [w - 1, h - 1]) - low + 1
    seen = np.flatnonzero(np.all(np.isfinite(size), axis=1) & np.all(size > 0, axis=1))
    low, size = low[seen].astype(np.int64), size[seen].astype(np.int64)
    counts = size[:, 0] * size[:, 1]
    ends = np.cumsum(counts)
    first = 0
    while first < len(seen):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _MOST)))
        own = counts[first:last]
        among = np.repeat(np.arange(first, last), own)
        at = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
        across = size[among, 0]
        yield seen[among], low[among, 0] + at % across, low[among, 1] + at // across
        first = last


def _line(image: Any, nearest: Any, screen: Any, color: Any, w: int, h: int, thick: float) -> None:
    """A line through points of the screen, where nothing is before it."""
    a, b = screen[:-1], screen[1:]
    good = np.all(np.isfinite(a) & np.isfinite(b), axis=1)
    a, b = a[good], b[good]
    counts = np.ceil(np.minimum(np.linalg.norm((b - a)[:, :2], axis=1), 4 * (w + h))).astype(int) + 1
    among = np.repeat(np.arange(len(a)), counts)
    part = (np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)) / np.repeat(
        counts, counts
    )
    points = a[among] + (b - a)[among] * part[:, None]
    r = int(np.ceil(thick / 2))
    for dx in range(-r, r + 1):
        for dy in range(-r, r + 1):
            if dx * dx + dy * dy > thick * thick / 4:
                continue
            column, row = np.floor(points[:, 0]).astype(int) + dx, np.floor(points[:, 1]).astype(int) + dy
            inside = (column >= 0) & (column < w) & (row >= 0) & (row < h)
            place = row[inside] * w + column[inside]
            seen = points[inside, 2] < 1.002 * nearest[place]
            image[place[seen]] = color
