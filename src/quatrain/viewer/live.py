"""A viewer in the browser that Python drives, through viser: it shows states as they come.

It listens on this machine alone unless it is told otherwise, takes the next port where one is taken, and ends with
the script, with `stop()`, or with Ctrl-C while it waits.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.geometry import Pose
from quatrain.model import WORLD, Model
from quatrain.viewer.scene import Part, Scene, poses_of, rotated, scene_of, side_by_side

HOST = "127.0.0.1"
PORT = 8080


class Viewer:
    """A machine, or several of one model side by side, in a page at `url`."""

    def __init__(
        self,
        model: Model,
        q: Any = None,
        *,
        scene: Scene | None = None,
        box: tuple[Any, Any] | None = None,
        host: str = HOST,
        port: int = PORT,
    ) -> None:
        """`q`: a state (nq), or one for each of several machines (n, nq); by default at zero.

        `box`: the least and the greatest coordinates (3,) of what is to be seen of one; by default as it stands.
        """
        states = np.array(dynamics.neutral(model), float) if q is None else np.asarray(q, float)
        self.model = model
        self.scene = scene or scene_of(model)
        self.q = self._states(states)
        self._server = _server(host, port, model.name)
        try:
            self.host, self.port = host, int(self._server.get_port())
            self._ended = threading.Event()
            self._alongside: list[threading.Thread] = []
            self._box = box or self.scene.bounds(self.q)
            self.size = max(float(np.linalg.norm(self._box[1] - self._box[0])), 1e-3)
            self._offsets, _ = side_by_side(self._box, len(self.q))
            self._machines = [_Machine(self, k) for k in range(len(self.q))]
            self._surroundings()
            self._looks()
            self.show(self.q)
        except BaseException:
            self._server.stop()
            raise

    @property
    def url(self) -> str:
        """Where it is to be seen."""
        shown = "localhost" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{shown}:{self.port}"

    @property
    def server(self) -> Any:
        """viser's own server, for anything else that is to be drawn or asked."""
        return self._server

    # ---- what is shown ----------------------------------------------------------------------------

    def show(self, q: Any) -> None:
        """Moves the machines to these states, (nq) or (machines, nq); those that are not finite are hidden."""
        states = self._states(q)
        if len(states) != len(self._machines):
            raise ArgumentError(
                f"{len(states)} states came, and {len(self._machines)} machines are shown",
                do="give as many as the viewer was begun with",
            )
        self.q = states
        finite = np.all(np.isfinite(states), axis=1)
        positions, quaternions = poses_of(self.model, np.where(finite[:, None], states, 0.0))
        with self._server.atomic():
            for machine, seen, p, q_WB in zip(self._machines, finite, positions, quaternions, strict=True):
                machine.move(bool(seen), p, q_WB)

    def arrows(
        self, name: str, points: Any, vectors: Any, color: tuple[int, int, int] = (213, 94, 0)
    ) -> None:
        """Arrows of this name: points (n, 3) and vectors (n, 3) in the world [m]; none of them removes the arrows."""
        points, vectors = np.reshape(points, (-1, 3)), np.reshape(vectors, (-1, 3))
        ends = np.stack([points, points + vectors], axis=1)
        ends = ends[np.linalg.norm(vectors, axis=1) > 1e-4 * self.size]
        sizes = {"shaft_radius": 0.006, "head_radius": 0.016, "head_length": 0.035}
        if len(ends):
            scaled = {key: factor * self.size for key, factor in sizes.items()}
            self._server.scene.add_arrows(f"/arrows/{name}", ends, color, **scaled)
        else:
            self._server.scene.remove_by_name(f"/arrows/{name}")

    def line(self, name: str, points: Any, color: tuple[int, int, int] = (0, 114, 178)) -> None:
        """A line of this name through points (n, 3) of the world [m]."""
        points = np.asarray(points, float)
        segments = np.stack([points[:-1], points[1:]], axis=1)
        if len(segments):
            self._server.scene.add_line_segments(
                f"/lines/{name}", segments, color, thickness=2.0, thickness_units="screen"
            )

    def offset(self, machine: int) -> Any:
        """Where a machine's world has its origin (3,)."""
        return self._offsets[machine]

    def _states(self, q: Any) -> Any:
        array = np.asarray(q, float)
        if array.shape[-1:] != (self.model.nq,) or array.ndim > 2:
            raise ArgumentError(
                f"q has shape {array.shape}; this needs ({self.model.nq},) or (machines, {self.model.nq})",
                do="give one state, or one for each machine",
            )
        return array.reshape(-1, self.model.nq) if array.ndim == 2 else array[None]

    def _surroundings(self) -> None:
        scene, (low, high) = self._server.scene, self._box
        scene.set_up_direction("+z")
        floor = (
            min(low[2], 0.0) if -0.02 * self.size < low[2] < 0.5 * self.size else low[2] - 0.04 * self.size
        )
        cell = 10 ** np.floor(np.log10(self.size))
        self._ground = scene.add_grid(
            "/ground", infinite_grid=True, cell_size=cell, section_size=5 * cell, position=(0.0, 0.0, floor),
            fade_distance=30 * self.size,
        )  # fmt: skip
        reach = 1.6 * (self.size + np.linalg.norm(self.offset(0)))
        self._server.initial_camera.look_at = (low + high) / 2
        self._server.initial_camera.position = (low + high) / 2 + reach * np.array([0.75, 0.5, 0.35])

    def _looks(self) -> None:
        """Boxes to tick for what is drawn."""
        gui = self._server.gui
        with gui.add_folder("view", expand_by_default=False):
            self._box_for(gui, "ground", True, lambda yes: setattr(self._ground, "visible", yes))
            for what in ("frames", "axes of joints", "centre of mass", "inertia", "collision", "names"):
                if any(machine.has(what) for machine in self._machines):
                    self._box_for(gui, what, False, lambda yes, w=what: self._mark(w, yes))
        if self.scene.notes:
            gui.add_markdown("\n\n".join(self.scene.notes))

    def _box_for(self, gui: Any, label: str, start: bool, act: Any) -> None:
        box = gui.add_checkbox(label, start)
        box.on_update(lambda _: act(box.value))

    def _mark(self, what: str, yes: bool) -> None:
        for machine in self._machines:
            machine.mark(what, yes)

    # ---- its end ----------------------------------------------------------------------------------

    def wait(self) -> None:
        """Until Ctrl-C, or until something else stops it."""
        try:
            while not self._ended.wait(0.5):
                pass
        except KeyboardInterrupt:
            self.stop()

    def stop(self) -> None:
        """Ends it: its port is free again, and no thread is left. Twice does no harm."""
        if not self._ended.is_set():
            self._ended.set()
            for thread in self._alongside:
                if thread is not threading.current_thread():
                    thread.join(timeout=5.0)
            self._server.stop()

    def alongside(self, work: Callable[[], None], name: str) -> None:
        """Does work in a thread of its own, which must return soon after `ended`; `stop` waits for it."""
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._alongside.append(thread)
        thread.start()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Viewer of {self.model.name}, {'ended' if self.ended else self.url}>"


def presented(viewer: Viewer, wait: bool | None) -> Viewer:
    """Waits for the viewer's end: in a script, unless told otherwise. Where it is, viser prints."""
    by_hand = hasattr(sys, "ps1") or "IPython" in sys.modules
    if wait or (wait is None and not by_hand):
        try:
            sys.stderr.write(f"{viewer.model.name} is shown at {viewer.url}; Ctrl-C ends it\n")
            viewer.wait()
        except KeyboardInterrupt:  # before it waited
            viewer.stop()
    return viewer


def _server(host: str, port: int, label: str) -> Any:
    """viser's, on this port or the next that is free."""
    try:
        import viser
    except ImportError:
        raise QuatrainError(
            "the live viewer needs viser, which is not installed", do='python -m pip install "quatrain[view]"'
        ) from None
    return viser.ViserServer(host=host, port=port, label=label, verbose=False)


class _Machine:
    """The nodes of one machine: a frame for each body, with its parts on it."""

    def __init__(self, viewer: Viewer, number: int) -> None:
        self.model, scene = viewer.model, viewer._server.scene
        root = f"/machine{number}"
        length = 0.1 * viewer.size
        self.root = scene.add_frame(root, show_axes=False, position=viewer.offset(number))
        self.bodies = [
            scene.add_frame(f"{root}/{k}", axes_length=length, axes_radius=0.04 * length, show_axes=False)
            for k in range(self.model.nb)
        ]
        self.marks: dict[str, list[Any]] = {}
        for k, part in enumerate(viewer.scene.parts):
            self._part(scene, f"{_on(root, part.body)}/part{k}", part)
        for k, (body, X) in enumerate(viewer.scene.marked):
            scene.add_frame(
                f"{_on(root, body)}/marked{k}", axes_length=length, axes_radius=0.04 * length, **_at(X)
            )
        for k, frame in enumerate(self.model.frames):
            node = scene.add_frame(
                f"{_on(root, frame.body)}/frame{k}", axes_length=0.6 * length, axes_radius=0.03 * length,
                visible=False, **_at(frame.X_BF),
            )  # fmt: skip
            self._add("frames", node)
        for k, name in enumerate(self.model.body_names):
            self._add("names", scene.add_label(f"{root}/{k}/name", name, visible=False))
        self._axes(scene, root, 1.5 * length)
        ball = scene.add_icosphere(f"{root}/com", radius=0.18 * length, color=(20, 20, 20), visible=False)
        self.com = ball
        self._add("centre of mass", ball)

    def _part(self, scene: Any, name: str, part: Part) -> None:
        r, g, b, a = part.color
        node = scene.add_mesh_simple(
            name,
            part.mesh.vertices,
            part.mesh.faces,
            color=(round(255 * r), round(255 * g), round(255 * b)),
            opacity=None
            if part.role == "visual" and a == 1
            else min(a, 0.35 if part.role != "visual" else a),
            visible=part.role == "visual",
            **_at(part.X_BG),
        )
        if part.role != "visual":
            self._add(part.role, node)

    def _axes(self, scene: Any, root: str, length: float) -> None:
        """Of joints, on the body that they move: of the last motions, whose axes stand in it."""
        for k, body in enumerate(self.model.bodies):
            for i, motion in enumerate(body.joint.motions):
                rest = body.joint.motions[i + 1 :]
                if motion.kind == "ball" or any(one.kind != "slide" for one in rest):
                    continue
                X_BM = body.joint.X_MB.inverse()
                along = np.array([*X_BM.q.rotate(body.joint.axes[motion.axis])], float) * length
                start = np.array([*X_BM.p], float)
                color = (0, 158, 115) if motion.kind == "slide" else (213, 94, 0)
                node = scene.add_line_segments(
                    f"{root}/{k}/axis{i}", np.array([[start - along, start + along]]), color,
                    thickness=3.0, thickness_units="screen", visible=False,
                )  # fmt: skip
                self._add("axes of joints", node)

    def _add(self, what: str, node: Any) -> None:
        self.marks.setdefault(what, []).append(node)

    def has(self, what: str) -> bool:
        return what in self.marks or (what == "frames" and bool(self.bodies))

    def mark(self, what: str, yes: bool) -> None:
        for node in self.marks.get(what, ()):
            node.visible = yes
        if what == "frames":
            for body in self.bodies:
                body.show_axes = yes

    def move(self, seen: bool, positions: Any, quaternions: Any) -> None:
        self.root.visible = seen
        total, sum_ = 0.0, np.zeros(3)
        for node, body, p, q in zip(self.bodies, self.model.bodies, positions, quaternions, strict=True):
            node.position, node.wxyz = p, q
            mass = float(body.mass)
            total += mass
            sum_ += mass * (p + rotated(q, np.array([*body.p_BBcm], float)))
        self.com.position = sum_ / (total or 1.0)


def _on(root: str, body: int) -> str:
    return root if body == WORLD else f"{root}/{body}"


def _at(X: Pose) -> dict[str, Any]:
    return {"wxyz": np.array([*X.q], float), "position": np.array([*X.p], float)}
