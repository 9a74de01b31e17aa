"""What a live viewer is moved by: sliders for the joints of a robot, a time line for a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.geometry import Quaternion, Vec3
from quatrain.model import Model
from quatrain.viewer.live import HOST, PORT, Viewer, presented
from quatrain.viewer.motion import Motion
from quatrain.viewer.packing import controls
from quatrain.viewer.scene import poses_of, rotated, scene_of

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory

PICTURES_PER_SECOND = 40.0


def view_robot(
    model: Model, q: Any = None, *, host: str = HOST, port: int = PORT, wait: bool | None = None
) -> Viewer:
    """A viewer with a slider for each joint."""
    start = np.array(dynamics.neutral(model), float) if q is None else q
    viewer = Viewer(model, start, host=host, port=port)
    Sliders(viewer)
    return presented(viewer, wait)


def view_run(
    run: Trajectory, *, host: str = HOST, port: int = PORT, wait: bool | None = None, **options: Any
) -> Viewer:
    """A viewer with a time line; options are those of `Motion.of`."""
    motion = Motion.of(run, **options)
    scene = scene_of(motion.model)
    box, _ = motion.box(scene)
    viewer = Viewer(motion.model, motion.q[:, 0], scene=scene, box=box, host=host, port=port)
    Timeline(viewer, motion)
    return presented(viewer, wait)


class Sliders:
    """One for each coordinate; three, of the rotation vector, for an attitude. They move all that is shown."""

    def __init__(self, viewer: Viewer) -> None:
        self.viewer = viewer
        self.moving = False
        self.handles: list[tuple[Any, list[Any]]] = []
        gui = viewer.server.gui
        with gui.add_folder("joints"):
            for control in controls(viewer.model):
                self.handles.append((control, self._added(gui, control)))
        states = {"zero": dynamics.neutral(viewer.model), **{k.name: k.q for k in viewer.model.keyframes}}
        choice = gui.add_dropdown("state", list(states))
        choice.on_update(lambda _: self.put(np.array(states[choice.value], float)))

    def _added(self, gui: Any, control: Any) -> list[Any]:
        k, q = control["q"], self.viewer.q[0]
        if control["kind"] == "number":
            lower, upper = control["lower"], control["upper"]
            values = [(control["name"], lower, upper, float(np.clip(q[k], lower, upper)))]
        else:
            turn = _rotation_vector(q[k : k + 4])
            values = [
                (f"{control['name']} about {axis}", -np.pi, np.pi, x)
                for axis, x in zip("xyz", turn, strict=True)
            ]
        found = []
        for label, lower, upper, value in values:
            step = max((upper - lower) / 2000, 1e-9)
            handle = gui.add_slider(label, lower, upper, step, value)
            handle.on_update(lambda _: self._moved())
            found.append(handle)
        return found

    def _moved(self) -> None:
        if self.moving:
            return
        q = self.viewer.q.copy()
        for control, handles in self.handles:
            k = control["q"]
            if control["kind"] == "number":
                q[:, k] = handles[0].value
            else:
                q[:, k : k + 4] = [*Quaternion.from_rotation_vector(Vec3(*(float(h.value) for h in handles)))]
        self.viewer.show(q)

    def put(self, q: Any) -> None:
        """All sliders, and the machines with them."""
        self.moving = True
        for control, handles in self.handles:
            k = control["q"]
            values = [q[k]] if control["kind"] == "number" else _rotation_vector(q[k : k + 4])
            for handle, value in zip(handles, values, strict=True):
                handle.value = float(np.clip(value, handle.min, handle.max))
        self.moving = False
        self.viewer.show(np.broadcast_to(q, self.viewer.q.shape))


class Timeline:
    """Play, speed, step, arrows and trails for a motion. The clock is a thread, which ends with the viewer."""

    def __init__(self, viewer: Viewer, motion: Motion) -> None:
        self.viewer, self.motion = viewer, motion
        self.time = float(motion.t[0])
        self.speed = 1.0
        self.drawn: dict[str, Any] = {}
        gui = viewer.server.gui
        t = motion.t
        with gui.add_folder("time"):
            span = max(float(t[-1] - t[0]), 1e-9)
            self.slider = gui.add_slider("t [s]", self.time, self.time + span, span / 5000, self.time)
            self.playing = gui.add_checkbox("play", False)
            self.loop = gui.add_checkbox("loop", True)
            speed = gui.add_dropdown(
                "speed", ["0.05", "0.1", "0.25", "0.5", "1", "2", "5", "10"], initial_value="1"
            )
            step = gui.add_button_group("step", ["◀", "▶"])
        self.setting = False
        self.slider.on_update(lambda _: None if self.setting else self.go(self.slider.value))
        speed.on_update(lambda _: setattr(self, "speed", float(speed.value)))
        step.on_click(lambda _: self.step(1 if step.value == "▶" else -1))
        self._extras(gui)
        self.go(self.time)
        viewer.alongside(self._play, "clock of a viewer")

    def go(self, at: float) -> None:
        """Shows this time."""
        self.time = float(np.clip(at, self.motion.t[0], self.motion.t[-1]))
        self.viewer.show(self.motion.at(self.time))
        self.setting = True
        self.slider.value = self.time
        self.setting = False
        for name, vectors in self.drawn.items():
            self._arrows(name, vectors)

    def step(self, count: int) -> None:
        self.playing.value = False
        k = int(np.searchsorted(self.motion.t, self.time + 1e-9) - 1) + count
        self.go(self.motion.t[int(np.clip(k, 0, len(self.motion.t) - 1))])

    def _play(self) -> None:
        last = time.monotonic()
        while not self.viewer.ended:
            time.sleep(1 / PICTURES_PER_SECOND)
            now = time.monotonic()
            passed, last = now - last, now
            if not self.playing.value:
                continue
            start, end = float(self.motion.t[0]), float(self.motion.t[-1])
            at = self.time + passed * self.speed
            if at > end and self.loop.value and end > start:
                at = start + (at - end) % (end - start)
            elif at > end:
                self.playing.value = False
            self.go(at)

    # ---- arrows and trails ------------------------------------------------------------------------

    def _extras(self, gui: Any) -> None:
        with gui.add_folder("arrows and trails", expand_by_default=False):
            if self.motion.v is not None:
                self._box(gui, "velocities", self._velocities)
            self._box(gui, "weights", self._weights)
            model = self.motion.model
            names = ["none", *model.frame_names]
            trail = gui.add_dropdown("trail", names, initial_value=self.motion.trail or "none")
            trail.on_update(lambda _: self.trail(trail.value))
        if self.motion.trail:
            self.trail(self.motion.trail)

    def _box(self, gui: Any, name: str, vectors: Any) -> None:
        box = gui.add_checkbox(name, False)

        def changed(_: Any) -> None:
            if box.value:
                self.drawn[name] = vectors()
                self._arrows(name, self.drawn[name])
            else:
                self.drawn.pop(name, None)
                self.viewer.arrows(name, np.zeros((0, 3)), np.zeros((0, 3)))

        box.on_update(changed)

    def _velocities(self) -> Any:
        """Of centres of mass, as long as the machine for the fastest: (motions, R, nb, 3)."""
        found = self.motion.velocities()
        return found * (0.5 * self.viewer.size / max(float(np.nanmax(np.linalg.norm(found, axis=-1))), 1e-12))

    def _weights(self) -> Any:
        model = self.motion.model
        masses = np.array([float(body.mass) for body in model.bodies])
        found = masses[:, None] * np.array([*model.gravity], float)
        largest = max(float(np.linalg.norm(found, axis=-1).max(initial=0.0)), 1e-12)
        shape = (*self.motion.q.shape[:2], *found.shape)
        return np.broadcast_to(found * (0.4 * self.viewer.size / largest), shape)

    def _arrows(self, name: str, vectors: Any) -> None:
        k = int(np.clip(np.searchsorted(self.motion.t, self.time), 0, len(self.motion.t) - 1))
        model = self.motion.model
        centres = np.array([[*body.p_BBcm] for body in model.bodies], float)
        positions, quaternions = poses_of(model, self.viewer.q)
        at = positions + rotated(quaternions, centres)
        at += np.array([self.viewer.offset(e) for e in range(len(at))])[:, None]
        color = (213, 94, 0) if name == "velocities" else (0, 114, 178)
        finite = np.all(np.isfinite(at), axis=-1)
        self.viewer.arrows(name, at[finite], vectors[:, k][finite], color)

    def trail(self, name: str) -> None:
        """The ways of a body or a frame."""
        for e in range(len(self.viewer.q)):
            if name == "none":
                self.viewer.server.scene.remove_by_name(f"/lines/trail{e}")
                continue
            self.viewer.line(f"trail{e}", self.motion.way(name)[e] + self.viewer.offset(e))


def _rotation_vector(q: Any) -> Any:
    return [*Quaternion(*map(float, q)).to_rotation_vector()]
