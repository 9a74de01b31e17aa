"""What a robot shows of itself: pages, pictures and plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quatrain.model import Model

if TYPE_CHECKING:
    from quatrain.notebook import Inline
    from quatrain.viewer.live import Viewer


class Seen(ABC):
    """Methods of `Robot` for the eye."""

    @property
    @abstractmethod
    def model(self) -> Model:
        """The machine."""

    def to_html(self, path: str | Path, q: Any = None) -> Path:
        """A page of its own with the robot in the state q (nq), by default at zero, and sliders for its joints."""
        from quatrain.viewer.page import still_page, written

        return written(still_page(self.model, q), path)

    def still(self, q: Any = None, *, height: int = 480) -> Inline:
        """The same page within a notebook: let it be the last line of a cell."""
        from quatrain.notebook import Inline
        from quatrain.viewer.page import still_page

        return Inline(still_page(self.model, q), height)

    def _repr_html_(self) -> str:
        from quatrain.notebook import of_model

        return of_model(self.model)

    def to_png(self, path: str | Path, q: Any = None, **options: Any) -> Path:
        """A picture of the robot in the state q (nq), or in several side by side (n, nq); by default at zero.

        Options: `width`, `height`; `azimuth` and `elevation` of the camera in degrees, `zoom`.
        """
        from quatrain.viewer.pictures import still_picture, write_png

        return write_png(still_picture(self.model, q, **options), path)

    def plot_mass_matrix(self, q: Any = None) -> Any:
        """A figure of M(q) (nq), by default at zero; it needs matplotlib."""
        from quatrain.machine_plots import plot_mass_matrix

        return plot_mass_matrix(self.model, q)

    def view(
        self, q: Any = None, *, host: str = "127.0.0.1", port: int = 8080, wait: bool | None = None
    ) -> Viewer:
        """The robot in a browser, with sliders for its joints; `viewer.show(q)` moves it, `viewer.stop()` ends it.

        `q` (nq) or (n, nq), which stand side by side. It listens on this machine alone, unless `host` says otherwise,
        at `port` or the next that is free. `wait`: until Ctrl-C, as scripts do by default; a console goes on.
        """
        from quatrain.viewer.live_panels import view_robot

        return view_robot(self.model, q, host=host, port=port, wait=wait)
