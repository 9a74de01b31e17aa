"""What a robot shows of itself: pages, pictures and plots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from quatrain.model import Model


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
