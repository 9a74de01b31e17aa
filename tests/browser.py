"""A browser without a window for tests of pages: the system's own Chromium, with the network off."""

from __future__ import annotations

import io
import shutil
import time

import numpy as np
import pytest

FLAGS = (
    *(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--window-size=1280,800",
        "--hide-scrollbars",
    ),
    # Drawn by the processor: machines that run tests have no graphics card.
    *("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"),
    # No name leads anywhere, but for this machine's own.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)


class Browser:
    """Opens pages, and says what is on them."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, page, ready="return !!window.quatrain && quatrain.frames > 1", patience=60.0):
        self.driver.get(page if "://" in str(page) else page.resolve().as_uri())
        self.wait(ready, patience)
        return self

    def wait(self, condition, patience=60.0):
        """Until a script returns true."""
        end = time.monotonic() + patience
        while not self.run(condition):
            if time.monotonic() > end:
                raise AssertionError(f"{condition} is not true after {patience} s: {self.errors()}")
            time.sleep(0.02)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def errors(self, level=""):
        """What the console holds since it was last asked, of this level if one is named."""
        return [e["message"] for e in self.driver.get_log("browser") if level in ("", e["level"])]

    def click(self, selector):
        self.driver.find_element("css selector", selector).click()

    def picture(self, selector=None):
        """(height, width, 3) of the window, or of an element."""
        image = pytest.importorskip("PIL.Image")
        shot = self.driver.find_element("css selector", selector) if selector else self.driver
        png = shot.screenshot_as_png if selector else self.driver.get_screenshot_as_png()
        return np.asarray(image.open(io.BytesIO(png)).convert("RGB"))


def opened():
    """A browser for a module's tests; they are skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("no browser is installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
