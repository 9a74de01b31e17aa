"""A page of its own: everything that it shows and does stands in one file, and nothing is fetched when it is opened."""

from __future__ import annotations

import base64
import html
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.equations import dynamics
from quatrain.errors import ArgumentError
from quatrain.model import Model
from quatrain.viewer.motion import Motion
from quatrain.viewer.packing import packed
from quatrain.viewer.scene import Scene, scene_of

if TYPE_CHECKING:
    from quatrain.trajectory import Trajectory


def still_page(model: Model, q: Any = None, *, scene: Scene | None = None) -> str:
    """The text of a page with the model in the state q (nq), by default at zero; sliders move its joints."""
    if q is None:
        q = dynamics.neutral(model)
    state = np.asarray(q, float)
    if state.shape != (model.nq,):
        raise ArgumentError(
            f"q has shape {state.shape}; this needs one state, ({model.nq},)",
            do="give one state of the batch, or show a run",
        )
    return _page(model.name, packed(scene or scene_of(model), state))


def replay_page(run: Trajectory, **options: Any) -> str:
    """The text of a page in which a run plays, with a time line and plots that follow it; options of `Motion.of`."""
    motion = Motion.of(run, **options)
    return _page(run.name, packed(scene_of(motion.model), motion.q[0, 0], motion))


def written(text: str, path: str | Path) -> Path:
    """The file that now holds the page."""
    place = Path(path)
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"the page cannot be written to {str(place)!r}: {error.strerror}",
            do="name a file in a folder that is there",
        ) from None
    return place


def _page(title: str, data: bytes) -> str:
    part = resources.files("quatrain.viewer.page").joinpath
    text = part("page.html").read_text(encoding="utf-8")
    scripts = ("kinematics.js", "plots.js", "scene.js", "page.js")
    parts = {
        "TITLE": html.escape(title),
        "STYLE": part("page.css").read_text(encoding="utf-8"),
        "THREE": part("three.min.js").read_text(encoding="utf-8"),
        "DATA": base64.b64encode(data).decode("ascii"),
        "SCRIPT": "\n".join(part(name).read_text(encoding="utf-8") for name in scripts),
    }
    # Cut at the marks rather than replaced, so that no part is searched for the marks of another.
    pieces = text.split("%%")
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))
