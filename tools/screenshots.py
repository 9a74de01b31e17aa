"""Makes the pictures of pages and plots in docs/images, in the system's own Chromium: python tools/screenshots.py

Needs what tests/test_pages.py needs, and robots from the package example-robot-data.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import quatrain as qt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def gyroscope(path: Path) -> Path:
    """A disc at 300 revolutions a minute in its gimbals, knocked."""
    robot = qt.examples.load("gyroscope")
    record = ("q", "v", "energy", "momentum")
    run = qt.simulate(robot, [0.3, 0.5, 0.0], [1.5, 0.0, 31.4], duration=6, record_every=5, record=record)
    return run.to_html(path, plots=["v", "momentum", "energy"])


def panda(path: Path) -> Path:
    """An arm with meshes, and sliders."""
    import pinocchio

    share = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    robot = qt.load(share / "panda_description" / "urdf" / "panda.urdf")
    return robot.to_html(path, robot.configuration(panda_joint2=-0.4, panda_joint4=-2.0, panda_joint6=1.7))


def pendulums(path: Path) -> Path:
    """Nine double pendulums that begin a thousandth of a radian apart."""
    robot = qt.examples.load("double_pendulum")
    q0 = np.array([2.2, 0.5]) + 1e-3 * np.arange(9)[:, None]
    return qt.simulate(robot, q0, duration=12, record_every=10).to_html(path, trail="tip")


PAGES: dict[str, tuple[Callable[[Path], Path], float | None]] = {
    "page_gyroscope": (gyroscope, 2.4),
    "page_panda": (panda, None),
    "page_pendulums": (pendulums, 9.0),
}
"""And the time at which a run is shown."""


def plots() -> None:
    """The plots of machines, on one sheet."""
    import io

    from PIL import Image

    def drawn(figure: Any, dpi: int) -> Any:
        content = io.BytesIO()
        figure.savefig(content, dpi=dpi)
        return Image.open(content).convert("RGB")

    gyro, double = qt.examples.load("gyroscope"), qt.examples.load("double_pendulum")
    run = qt.simulate(gyro, [0.3, 0.5, 0.0], [1.5, 0.0, 31.4], duration=2, record_every=5)
    swing = qt.simulate(double, [2.0, 1.0], duration=5, record_every=5)
    sphere, phase = drawn(run.plot_sphere(axes="xz"), 80), drawn(run.plot_phase(), 80)
    energy = drawn(swing.plot_energy(), 70)
    matrix = drawn(qt.examples.load("arm6").plot_mass_matrix([0, 0.5, 0.5, 0, 1, 0]), 70)
    upper, width = (
        max(sphere.height, energy.height),
        max(sphere.width + energy.width, phase.width + matrix.width),
    )
    sheet = Image.new("RGB", (width, upper + max(phase.height, matrix.height)), "white")
    sheet.paste(sphere, (0, 0))
    sheet.paste(energy, (sphere.width, (sphere.height - energy.height) // 2))
    sheet.paste(phase, (0, upper + 20))
    sheet.paste(matrix, (phase.width, upper))
    sheet.quantize(128).save(ROOT / "docs" / "images" / "plots_of_machines.png")


def main() -> None:
    from tests.browser import opened

    pages = opened()
    browser = next(pages)
    browser.driver.set_window_size(1120, 700)
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, time) in PAGES.items():
            browser.open(make(Path(folder) / "page.html"))
            if time is not None:
                browser.run("quatrain.replay.go(arguments[0])", time)
            browser.wait("return !quatrain.stage.stale")
            browser.driver.save_screenshot(str(ROOT / "docs" / "images" / f"{name}.png"))
            print(f"docs/images/{name}.png", *browser.errors())
    pages.close()
    plots()


if __name__ == "__main__":
    main()
