"""The live viewer: it shows what the library computes, listens on this machine alone, and leaves nothing behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import quatrain as qt
from tests.browser import opened
from tests.test_pages import colours

pytest.importorskip("viser", reason="viser is not installed")

from quatrain.viewer.live import Viewer

browser = pytest.fixture(scope="module")(opened)


@pytest.fixture
def shown():
    """Begins viewers, and ends them."""
    begun = []

    def begin(what, *args, **options):
        begun.append(what.view(*args, wait=False, **options))
        return begun[-1]

    yield begin
    for viewer in begun:
        viewer.stop()


def body_poses(viewer, machine=0):
    """Where viser has the bodies: positions, quaternions."""
    nodes = viewer._machines[machine].bodies
    return np.array([node.position for node in nodes]), np.array([node.wxyz for node in nodes])


def same_poses(viewer, robot, q, machine=0):
    for seen, known in zip(body_poses(viewer, machine), robot.poses(np.asarray(q)), strict=True):
        np.testing.assert_allclose(seen, known, atol=1e-12)


def eventually(condition, patience=20.0):
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def listening(port):
    """The addresses that processes of this machine listen on at this port, as the kernel lists them."""
    found = []
    for table in ("tcp", "tcp6"):
        path = Path("/proc/net") / table
        if not path.exists():
            pytest.skip("this system has no /proc/net")
        for line in path.read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, at = local.split(":")
            if int(at, 16) == port and state == "0A":
                found.append(address)
    return found


def test_a_viewer_shows_the_poses_that_the_library_computes(shown):
    robot = qt.examples.load("humanoid")
    viewer = shown(robot)
    same_poses(viewer, robot, robot.neutral())
    q = robot.random_configuration(np.random.default_rng(0))
    viewer.show(q)
    same_poses(viewer, robot, q)
    with pytest.raises(qt.ArgumentError, match=r"q has shape \(3,\); this needs \(37,\) or \(machines, 37\)"):
        viewer.show([1, 2, 3])
    with pytest.raises(qt.ArgumentError, match="2 states came, and 1 machines are shown"):
        viewer.show([q, q])


def test_states_of_a_batch_stand_side_by_side_and_what_is_not_finite_is_hidden(shown):
    robot = qt.examples.load("double_pendulum")
    q = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    viewer = shown(robot, q)
    for k in range(3):
        same_poses(viewer, robot, q[k], k)
    assert len({tuple(viewer.offset(k)) for k in range(3)}) == 3
    viewer.show([[0.1, 0.2], [np.nan, 0.0], [0.5, 0.6]])
    assert [machine.root.visible for machine in viewer._machines] == [True, False, True]


def test_a_run_is_shown_at_its_times_with_arrows_and_trails(shown):
    robot = qt.examples.load("gyroscope")
    run = qt.simulate(robot, [0.1, 0.4, 0.0], [0.5, 0.0, 30.0], duration=1.0, record_every=5)
    from quatrain.viewer.live_panels import Timeline
    from quatrain.viewer.motion import Motion

    viewer = shown(robot)
    motion = Motion.of(run, trail="disc")
    line = Timeline(viewer, motion)
    line.go(motion.t[30])
    same_poses(viewer, robot, motion.q[0, 30])
    line.step(1)
    assert line.time == motion.t[31]
    # Velocities of centres of mass, against differences of their places.
    found = motion.velocities()[0]
    positions, quaternions = robot.poses(motion.q[0])
    centres = np.array([[*body.p_BBcm] for body in robot.model.bodies])
    from quatrain.viewer.scene import rotated

    places = positions + rotated(quaternions, centres)
    slow = (places[2:] - places[:-2]) / (motion.t[2:] - motion.t[:-2])[:, None, None]
    np.testing.assert_allclose(found[1:-1], slow, atol=2e-2 * np.abs(found).max() + 1e-12)
    line.trail("disc")
    viewer.arrows("mine", [[0, 0, 0]], [[0, 0, 1]])
    viewer.arrows("mine", [], [])


def test_between_records_a_motion_goes_along_lines_and_shorter_arcs():
    robot = qt.examples.load("spherical_pendulum")
    run = qt.simulate(robot, [1, 0, 0, 0], [0, 0, 1.0], duration=1.0, record_every=500, record=("q",))
    run.q[1] *= -1  # the same attitude
    from quatrain.viewer.motion import Motion

    motion = Motion.of(run)
    ((w, _, _, z),) = motion.at(0.25)
    assert (abs(w), abs(z)) == pytest.approx((np.cos(0.125), np.sin(0.125)), abs=1e-3)
    assert motion.at(-1.0) == pytest.approx(motion.q[:, 0])
    assert abs(motion.at(9.0)) == pytest.approx(abs(motion.q[:, -1]))


def test_a_busy_port_takes_the_next_and_only_this_machine_can_look(shown):
    robot = qt.examples.load("pendulum")
    first = shown(robot, port=18080)
    second = shown(robot, port=18080)
    assert second.port > first.port
    assert second.url == f"http://127.0.0.1:{second.port}"
    for viewer in (first, second):
        assert listening(viewer.port) == ["0100007F"]  # 127.0.0.1, its bytes the other way round


def test_ten_viewers_in_a_row_leave_no_thread_and_no_port():
    robot = qt.examples.load("pendulum")
    before = set(threading.enumerate())
    ports = set()
    for _ in range(10):
        with robot.view(wait=False, port=18200) as viewer:
            ports.add(viewer.port)
        viewer.stop()  # once more does no harm
        assert viewer.ended
    assert len(ports) == 1
    eventually(lambda: set(threading.enumerate()) <= before)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", 18200))
    assert repr(viewer) == "<Viewer of pendulum, ended>"


def test_a_viewer_that_cannot_begin_leaves_its_port(monkeypatch):
    monkeypatch.setattr(Viewer, "_looks", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        qt.examples.load("pendulum").view(wait=False, port=18300)
    assert listening(18300) == []


def test_without_viser_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(qt.QuatrainError, match=r'viser, which is not installed(?s:.*)"quatrain\[view\]"'):
        qt.examples.load("pendulum").view(wait=False)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_ends_a_script_that_shows_something():
    command = [sys.executable, "-m", "quatrain", "view", "pendulum", "--port", "18400"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        assert line == "pendulum is shown at http://127.0.0.1:18400; Ctrl-C ends it\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
        assert (process.returncode, error) == (0, "")


def test_the_command_writes_a_page(tmp_path):
    path = tmp_path / "arm.html"
    command = [sys.executable, "-m", "quatrain", "view", "arm6", "--state", "bent", "--html", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}\n", "")
    assert path.stat().st_size > 500_000


# ---- in a browser ------------------------------------------------------------------------------------------

PLAY = """
const label = [...document.querySelectorAll("label")].find((one) => one.textContent.trim() === "play");
const box = label && document.evaluate(
  "following::input[@type='checkbox'][1]", label, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
if (box && !box.checked) box.click();
"""


def test_in_a_browser_sliders_move_the_joints_and_time_plays(browser, shown):
    robot = qt.examples.load("gyroscope")
    viewer = shown(robot)
    browser.open(viewer.url, "return document.querySelectorAll('[role=slider]').length >= 3")
    eventually(lambda: colours(browser.picture("canvas"))[1] > 100)
    before = browser.picture("canvas")
    end, home, right = "\ue010", "\ue011", "\ue014"
    sliders = browser.driver.find_elements("css selector", "[role=slider]")
    expected = [np.pi, -np.pi, 2 * np.pi / 2000]
    for k, (slider, key) in enumerate(zip(sliders, (end, home, right), strict=True)):
        slider.send_keys(key)
        # viser's client rounds to seven digits after the point.
        eventually(lambda k=k: abs(viewer.q[0, k] - expected[k]) < 1e-6)
    same_poses(viewer, robot, viewer.q[0])
    eventually(lambda: np.mean(np.any(before != browser.picture("canvas"), axis=-1)) > 0.0005)
    run = qt.simulate(robot, [0.1, 0.4, 0.0], [0.5, 0.0, 30.0], duration=1.0, record_every=5)
    replay = shown(run)
    browser.open(replay.url, "return document.querySelectorAll('input[type=checkbox]').length >= 2")
    start = replay.q.copy()

    def playing():
        browser.run(PLAY)  # the client builds its panel piece by piece: until it is there, nothing is pressed
        return np.abs(replay.q - start).max() > 1.0

    eventually(playing, patience=60.0)
    assert browser.errors("SEVERE") == []
