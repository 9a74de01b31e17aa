"""Pages in a browser: they open without a network, the machine is seen, its poses are the library's, time plays."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import quatrain as qt
from tests.browser import opened

browser = pytest.fixture(scope="module")(opened)


def every_joint():
    """A machine with a joint of every kind, and one that follows another."""
    built = qt.ModelBuilder("every joint")
    parent = "world"
    for kind in (
        "free",
        "revolute",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
        "ball",
        "planar",
        "continuous",
    ):
        options = {"pitch": 0.1} if kind == "helical" else {}
        built.body(
            kind, parent=parent, joint=kind, joint_name=f"j_{kind}", at=(0.1, 0.02, 0.2), mass=1.0,
            rotation=qt.Quaternion.from_axis_angle(qt.Vec3(0.6, 0.0, 0.8), 0.3), body_at=(0.0, 0.05, 0.0),
            inertia=(0.1, 0.1, 0.1), **options,
        )  # fmt: skip
        parent = kind
    built.body(
        "follower",
        parent=parent,
        joint_name="j_follower",
        axis="y",
        mimic=("j_revolute", -2.0, 0.3),
        mass=1.0,
    )
    return built.robot()


def real(name):
    """A robot with meshes from the package example-robot-data."""
    pin = pytest.importorskip("pinocchio")
    pytest.importorskip("collada")
    path = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots" / name
    if not path.exists():
        pytest.skip("example-robot-data is not installed")
    return qt.load(path)


ROBOTS = {
    "gyroscope": lambda: qt.examples.load("gyroscope"),
    "humanoid": lambda: qt.examples.load("humanoid"),
    "every joint": every_joint,
    "panda": lambda: real("panda_description/urdf/panda.urdf"),
    "go2": lambda: real("go2_description/urdf/go2.urdf"),
}


def moved_by_sliders(browser, values):
    """Puts every slider to where it is asked, as a hand does."""
    script = """
      const sliders = [...document.querySelectorAll("#panel input[type=range]")];
      sliders.forEach((slider, k) => {
        const low = Number(slider.min), high = Number(slider.max);
        slider.value = low + (high - low) * arguments[0][k % arguments[0].length];
        slider.dispatchEvent(new Event("input"));
      });
      return sliders.length;"""
    return browser.run(script, values)


def same_poses(page, robot, q, tolerance):
    positions, quaternions = robot.poses(np.asarray(q))
    page = np.array(page)
    np.testing.assert_allclose(page[:, 4:], positions, atol=tolerance)
    sign = np.sign(np.sum(page[:, :4] * quaternions, axis=1, keepdims=True))
    np.testing.assert_allclose(page[:, :4] * sign, quaternions, atol=tolerance)


def colours(picture):
    """How many differ from the background, which is the commonest."""
    pixels = picture.reshape(-1, 3).astype(int) @ (1, 256, 65536)
    values, counts = np.unique(pixels, return_counts=True)
    return int(counts.sum() - counts.max()), len(values)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in ("panda", "go2") else n for n in ROBOTS]
)
def test_sliders_move_the_joints_to_the_poses_that_the_library_computes(browser, tmp_path, name):
    robot = ROBOTS[name]()
    browser.open(robot.to_html(tmp_path / "robot.html"))
    assert browser.errors() == []
    count, different = colours(browser.picture("#view"))
    assert count > 3000
    assert different > 50
    same_poses(browser.run("return quatrain.poses()"), robot, robot.neutral(), 1e-12)
    for values in ([0.3, 0.8, 0.55, 0.1, 0.72], [0.9, 0.45, 0.2, 0.62]):
        sliders = moved_by_sliders(browser, values)
        assert sliders == robot.nv
        q = browser.run("return quatrain.q()")
        assert np.abs(np.array(q) - robot.neutral()).max() > 0.01
        same_poses(browser.run("return quatrain.poses()"), robot, q, 1e-12)
        drawn = browser.run(
            "return quatrain.stage.machines[0].bodies.map((b) => [b.quaternion.w, b.quaternion.x, b.quaternion.y,"
            " b.quaternion.z, b.position.x, b.position.y, b.position.z])"
        )
        same_poses(drawn, robot, q, 1e-12)
    assert browser.errors() == []


def test_a_slider_keeps_to_the_limits_and_the_picture_changes(browser, tmp_path):
    robot = qt.examples.load("arm6")
    browser.open(robot.to_html(tmp_path / "arm.html", robot.model.keyframe("bent").q))
    low, high = browser.run("const s = document.querySelector('#panel input'); return [s.min, s.max]")
    assert (float(low), float(high)) == (-2.8, 2.8)
    assert browser.run("return quatrain.q()") == list(robot.model.keyframe("bent").q)
    before = browser.picture("#view")
    moved_by_sliders(browser, [0.9])
    browser.wait("return !quatrain.stage.stale")
    assert np.mean(np.any(before != browser.picture("#view"), axis=-1)) > 0.005


def gyroscope_run(**options):
    robot = qt.examples.load("gyroscope")
    run = qt.simulate(
        robot,
        [0.1, 0.4, 0.0],
        [0.5, 0.0, 30.0],
        duration=2.0,
        record_every=5,
        record=("q", "v", "energy"),
        **options,
    )
    return robot, run


def test_a_replay_plays_from_a_file_and_its_plots_follow(browser, tmp_path):
    robot, run = gyroscope_run()
    path = run.to_html(tmp_path / "run.html")
    assert path.stat().st_size < 3e6
    browser.open(path)
    assert browser.errors() == []
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert colours(browser.picture("#view"))[0] > 3000
    marks = "return quatrain.replay.plots.filter((p) => p.figure.isConnected).map((p) => p.marked)"
    start = browser.run(marks)
    assert len(start) == 2
    still, panel = browser.picture("#view"), browser.picture("#panel")
    browser.click("#play")
    browser.wait("return quatrain.replay.time > 0.5")
    browser.click("#play")
    browser.wait("return !quatrain.stage.stale")
    assert all(mark > first + 20 for mark, first in zip(browser.run(marks), start, strict=True))
    assert np.any(still != browser.picture("#view"))
    assert np.any(panel != browser.picture("#panel"))
    assert (
        browser.run("return document.getElementById('clock').value")
        == f"{browser.run('return quatrain.replay.time'):.3f} s"
    )
    # At every record that the page holds, the machine stands where the library has it.
    kept = browser.run("return Array.from(quatrain.replay.t)")
    assert len(kept) == 135  # each third of 401, and the last
    for k in (0, 17, 134):
        browser.run("quatrain.replay.go(arguments[0])", kept[k])
        at = int(np.argmin(np.abs(run.t - kept[k])))
        same_poses(browser.run("return quatrain.poses()"), robot, run.q[at], 1e-6)
    assert browser.errors() == []


def test_the_time_line_steps_record_by_record_and_a_click_on_a_plot_goes_there(browser, tmp_path):
    _, run = gyroscope_run()
    browser.open(run.to_html(tmp_path / "run.html"))
    times = browser.run("return Array.from(quatrain.replay.t)")
    for _ in range(3):
        browser.click("#forth")
    assert browser.run("return quatrain.replay.time") == times[3]
    browser.click("#back")
    assert browser.run("return quatrain.replay.time") == times[2]
    browser.run(
        "const p = quatrain.replay.plots[0], box = p.canvas.getBoundingClientRect(), f = p.frame;"
        "p.canvas.setPointerCapture = () => {};"
        "const place = {clientX: box.left + f.left + f.width / 2, clientY: box.top + 9};"
        "p.canvas.dispatchEvent(new PointerEvent('pointerdown', place))"
    )
    assert browser.run("return quatrain.replay.time") == pytest.approx(1.0, abs=0.02)
    browser.run(
        "const s = document.getElementById('speed'); s.value = 50; s.dispatchEvent(new Event('change'))"
    )
    browser.run("document.getElementById('loop').checked = false")
    browser.click("#play")
    browser.wait("return !quatrain.replay.playing")
    assert browser.run("return quatrain.replay.time") == times[-1]


def test_between_records_attitudes_go_the_shorter_way(browser, tmp_path):
    robot = qt.examples.load("tumbling_box")
    run = qt.simulate(robot, None, [0, 0, 0, 0, 0, 2.0], duration=2.0, record_every=500, record=("q",))
    run.q[2] = np.concatenate([run.q[2][:3], -run.q[2][3:]])  # the same attitude by its other sign
    browser.open(run.to_html(tmp_path / "box.html"))
    for time in (0.25, 0.75, 1.25):
        browser.run("quatrain.replay.go(arguments[0])", time)
        (pose,) = browser.run("return quatrain.poses()")
        assert abs(pose[0]) == pytest.approx(np.cos(time), abs=0.02)
        assert np.linalg.norm(pose[:4]) == pytest.approx(1.0, abs=1e-12)


def test_motions_of_a_batch_stand_side_by_side_and_one_that_diverged_is_not_drawn(browser, tmp_path):
    robot = qt.examples.load("double_pendulum")
    q0 = np.array([[1.0, 0.0], [1.1, 0.0], [1.2, 0.0]])
    run = qt.simulate(robot, q0, duration=0.5, record_every=10)
    run.q[1, 20:] = np.nan
    browser.open(run.to_html(tmp_path / "three.html"))
    browser.run("quatrain.replay.go(0.4)")
    seen = browser.run(
        "return quatrain.stage.machines.map((m) => [m.root.visible, m.root.position.x, m.root.position.y])"
    )
    assert [visible for visible, _, _ in seen] == [True, False, True]
    places = np.array([place for _, *place in seen])
    assert np.linalg.norm(places[0] - places[1]) > 1.0
    for e in (0, 2):
        same_poses(browser.run("return quatrain.poses(arguments[0])", e), robot, run.q[e, 40], 1e-6)
    one = run.to_html(tmp_path / "one.html", motions=[2], plots=["energy"], trail="tip")
    browser.open(one)
    assert browser.run("return quatrain.replay.trails.length") == 1
    assert browser.run("return quatrain.header.run.labels") == ["2"]
    assert browser.errors() == []


def test_looks_trails_and_views_can_be_changed(browser, tmp_path):
    _, run = gyroscope_run()
    browser.open(run.to_html(tmp_path / "run.html"))
    browser.click("#looks summary")
    for look in ("frames", "axes", "com", "inertia", "names", "ground"):
        browser.wait("return !quatrain.stage.stale")
        before = browser.picture("#stage")
        browser.click(f"#looks input[data-look={look}]")
        browser.wait("return !quatrain.stage.stale")
        assert np.any(before != browser.picture("#stage")), look
    for k in range(1, 5):
        browser.click(f"#looks div button:nth-child({k})")
    browser.run(
        "const s = document.getElementById('trail'); s.value = 2; s.dispatchEvent(new Event('change'))"
    )
    assert browser.run("return quatrain.replay.trails[0].geometry.attributes.position.count") == 135
    browser.click("#follow")
    assert browser.errors() == []


def test_a_note_on_the_page_says_which_mesh_is_missing(browser, tmp_path):
    text = '<robot name="r"><link name="a"><visual><geometry><mesh filename="package://x/lost.stl"/></geometry></visual></link></robot>'
    browser.open(qt.load(text).to_html(tmp_path / "r.html"))
    assert browser.run("return document.getElementById('notes').textContent") == (
        "mesh 'package://x/lost.stl': the model knows no folder; its frame is drawn"
    )
    assert browser.errors() == []


@pytest.mark.slow
def test_a_minute_of_a_humanoid_with_meshes_stays_small(browser, tmp_path):
    real("g1_description/urdf/g1_29dof_rev_1_0.urdf")
    path = (
        Path(pytest.importorskip("pinocchio").__file__).parents[4] / "share" / "example-robot-data" / "robots"
    )
    robot = qt.load(path / "g1_description/urdf/g1_29dof_rev_1_0.urdf", base="floating")
    v0 = np.random.default_rng(0).normal(0, 0.2, robot.nv)
    run = qt.simulate(
        robot, v0=v0, duration=60, record_every=10, method="semi_implicit_euler", record=("q", "v", "energy")
    )
    page = run.to_html(tmp_path / "g1.html")
    assert page.stat().st_size < 30e6
    browser.open(page)
    browser.run("quatrain.replay.play(true)")
    browser.wait("return quatrain.replay.time > 1")
    assert browser.errors() == []


# ---- what needs no browser ---------------------------------------------------------------------------------


def test_a_page_refers_to_nothing_outside(tmp_path):
    robot = qt.examples.load("pendulum")
    text = robot.to_html(tmp_path / "p.html").read_text(encoding="utf-8")
    assert text == robot.to_html(tmp_path / "q.html").read_text(encoding="utf-8")
    assert re.findall(r"""(?:src|href)\s*=\s*["'](?!data:)""", text) == []
    assert set(re.findall(r"https?://[^\s\"'`)]+", text)) <= {"http://www.w3.org/1999/xhtml"}
    assert len(text) < 1e6


def test_names_are_text_and_not_markup(tmp_path):
    model = qt.ModelBuilder("<b>&").body("</script><img>", mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1)).robot()
    text = model.to_html(tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<title>&lt;b&gt;&amp;</title>" in text
    assert "<img>" not in text


def test_what_cannot_be_shown_says_why(tmp_path):
    body = qt.RigidBody(1.0, (1.0, 2.0, 3.0))
    with pytest.raises(
        qt.ArgumentError, match="does not know its model, and a picture needs the states of a model"
    ):
        body.simulate(duration=0.1).to_html(tmp_path / "x.html")
    robot = qt.examples.load("pendulum")
    run = qt.simulate(robot, duration=0.1, record=("v",))
    with pytest.raises(qt.ArgumentError, match="has not recorded q"):
        run.to_html(tmp_path / "x.html")
    run = qt.simulate(robot, np.zeros((3, 1)), duration=0.1)
    with pytest.raises(qt.ArgumentError, match=r"there is no motion 3 in a batch of shape \(3,\)"):
        run.to_html(tmp_path / "x.html", motions=[3])
    with pytest.raises(qt.ArgumentError, match="no motion is to be shown"):
        run.to_html(tmp_path / "x.html", motions=[])
    with pytest.raises(qt.ArgumentError, match="frames_per_second is 0"):
        run.to_html(tmp_path / "x.html", frames_per_second=0)
    with pytest.raises(qt.ArgumentError, match="this run has no 'heat'"):
        run.to_html(tmp_path / "x.html", plots=["heat"])
    with pytest.raises(qt.ArgumentError, match="pendulum has no frame 'nose'"):
        run.to_html(tmp_path / "x.html", trail="nose")
    with pytest.raises(qt.ArgumentError, match="is empty"):
        run[:0].to_html(tmp_path / "x.html")
    with pytest.raises(qt.ArgumentError, match=r"q has shape \(3, 1\); this needs one state, \(1,\)"):
        robot.to_html(tmp_path / "x.html", np.zeros((3, 1)))
