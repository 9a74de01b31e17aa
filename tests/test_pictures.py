"""Pictures: what is drawn is where geometry says, near things hide far ones, and films have their frames."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain.viewer.pictures import Film, still_picture, write_png
from quatrain.viewer.raster import Camera, Triangles, View
from quatrain.viewer.tessellation import mesh_of_shape

RED, GREEN = (0.8, 0.0, 0.0, 1.0), (0.0, 0.8, 0.0, 1.0)


def ball(radius, centre, color):
    mesh = mesh_of_shape("sphere", (radius,))
    corners = mesh.vertices[mesh.faces].astype(float) + centre
    return Triangles(
        corners, mesh.normals[mesh.faces].astype(float), np.broadcast_to(color, (len(corners), 4))
    )


def together(*some):
    return Triangles(
        *(np.concatenate([getattr(one, n) for one in some]) for n in ("corners", "normals", "colors"))
    )


def view(**options):
    """From (5, 0, 0) along −x, far above the ground."""
    camera = Camera(np.array([5.0, 0.0, 0.0]), np.zeros(3))
    return View(camera, 200, 160, floor=-50.0, cell=1.0, **options)


def reddish(picture):
    r, g, b = (picture[..., k].astype(int) for k in range(3))
    return r > g + b


def greenish(picture):
    r, g, b = (picture[..., k].astype(int) for k in range(3))
    return g > r + b


def test_a_ball_covers_the_circle_that_perspective_says():
    """Its rim is where rays touch it: focus · r / √(d² − r²) from the middle. 48 chords lack 0.6 % of the area."""
    seen = reddish(view().picture(ball(1.0, (0, 0, 0), RED)))
    focus = 80 / np.tan(np.radians(19.0))
    assert seen.sum() == pytest.approx(np.pi * (focus / np.sqrt(24.0)) ** 2, rel=0.015)
    rows, columns = np.nonzero(seen)
    assert (rows.mean(), columns.mean()) == pytest.approx((79.5, 99.5), abs=0.3)


def test_up_is_up_and_left_is_left():
    """Seen from +x, y points to the right and z up."""
    picture = view().picture(together(ball(0.3, (0, 1.0, 0), RED), ball(0.3, (0, 0, 1.0), GREEN)))
    rows, columns = np.nonzero(reddish(picture))
    assert columns.mean() > 130
    assert rows.mean() == pytest.approx(79.5, abs=0.5)
    rows, columns = np.nonzero(greenish(picture))
    assert rows.mean() < 50
    assert columns.mean() == pytest.approx(99.5, abs=0.5)


def test_what_is_near_hides_what_is_far_in_any_order():
    near, far = ball(0.4, (1.0, 0, 0), RED), ball(0.4, (-1.0, 0, 0), GREEN)
    for scene in (together(near, far), together(far, near)):
        picture = view().picture(scene)
        assert reddish(picture)[80, 100]
        assert not greenish(picture).any()


def test_what_lies_behind_the_camera_is_not_drawn():
    picture = view().picture(ball(1.0, (9.0, 0, 0), RED))
    assert not reddish(picture).any()
    np.testing.assert_array_equal(
        picture, view().picture(Triangles(*(np.zeros((0, 3, 3)),) * 2, np.zeros((0, 4))))
    )


def test_one_looks_through_what_is_half_transparent():
    picture = view().picture(
        together(ball(0.4, (1.0, 0, 0), (*RED[:3], 0.5)), ball(0.5, (-1.0, 0, 0), GREEN))
    )
    r, g, _ = picture[70:90, 90:110].reshape(-1, 3).mean(axis=0)
    assert 0.4 < r / g < 2.5


def test_light_comes_from_above_and_shadow_falls_on_the_ground():
    camera = Camera(np.array([4.0, -3.0, 3.0]), np.zeros(3))
    over = View(camera, 160, 120, floor=-1.0, cell=10.0)
    picture, empty = over.picture(ball(0.5, (0, 0, 0.3), RED)), over.picture(ball(1e-3, (90.0, 90.0, 0), RED))
    seen = reddish(picture)
    rows, columns = np.nonzero(seen)
    upper = picture[rows.min() + 4, columns[rows == rows.min() + 4].mean().astype(int)]
    lower = picture[rows.max() - 2, columns[rows == rows.max() - 2].mean().astype(int)]
    assert upper.astype(int).sum() > 1.3 * lower.astype(int).sum()
    darker = empty.astype(int).sum(axis=-1) - picture.astype(int).sum(axis=-1) > 30
    assert (darker & ~seen).sum() > 150


def test_a_picture_is_the_same_again_and_a_png_holds_it(tmp_path):
    image = pytest.importorskip("PIL.Image")
    model = qt.examples.model("quadruped")
    picture = still_picture(model, width=120, height=90)
    np.testing.assert_array_equal(picture, still_picture(model, width=120, height=90))
    assert np.unique(picture.reshape(-1, 3), axis=0).shape[0] > 200
    with image.open(write_png(picture, tmp_path / "p.png")) as read:
        np.testing.assert_array_equal(np.asarray(read.convert("RGB")), picture)
    path = qt.Robot(model).to_png(tmp_path / "q.png", width=120, height=90)
    assert path.read_bytes() == (tmp_path / "p.png").read_bytes()


def pendulum_run(**options):
    robot = qt.examples.load("double_pendulum")
    return qt.simulate(robot, [[1.0, 0.0], [2.0, 0.0]], duration=1.0, record_every=10, **options)


def test_a_run_gives_a_picture_of_any_time_and_of_its_end(tmp_path):
    run = pendulum_run()
    small = {"width": 90, "height": 60}
    first, last = run.to_png(tmp_path / "a.png", 0.0, **small), run.to_png(tmp_path / "b.png", **small)
    assert first.read_bytes() != last.read_bytes()
    assert last.read_bytes() == run.to_png(tmp_path / "c.png", 1.0, **small).read_bytes()
    film = Film(run, trail="tip", **small)
    assert np.any(film.picture(0.5) != Film(run, **small).picture(0.5))
    run.q[1] = np.nan  # a motion that diverged is left out
    assert np.any(Film(run, **small).picture(0.5) != film.picture(0.5))


def test_the_camera_goes_along_with_what_goes_far():
    robot = qt.examples.load("tumbling_box")
    run = qt.simulate(robot, None, [40.0, 0, 0, 0, 0, 0], duration=2.0, record_every=100)
    film = Film(run, width=120, height=80)
    assert film.follow
    sky = film.studio._view.empty[0]
    for time in (0.0, 2.0):
        assert np.abs(film.picture(time)[40, 60] / 255 - sky).max() > 0.1


def test_films_have_their_frames(tmp_path):
    image = pytest.importorskip("PIL.Image")
    run, small = pendulum_run(), {"width": 64, "height": 48, "motions": [0]}
    with image.open(run.to_gif(tmp_path / "a.gif", frames_per_second=5, **small)) as film:
        assert (film.n_frames, film.size, film.info["duration"], film.info["loop"]) == (6, (64, 48), 200, 0)
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    frames, seconds = ffmpeg.count_frames_and_secs(
        str(run.to_mp4(tmp_path / "a.mp4", frames_per_second=5, speed=0.5, **small))
    )
    assert (frames, seconds) == (11, pytest.approx(2.2, abs=0.01))


def test_what_cannot_be_drawn_says_why(tmp_path, monkeypatch):
    import sys

    run = pendulum_run()
    with pytest.raises(qt.ArgumentError, match=r"a picture of 0 by 640 pixels with zoom 1\.0"):
        run.to_png(tmp_path / "a.png", width=0)
    with pytest.raises(qt.ArgumentError, match=r"frames_per_second is 10\.0 and speed 0"):
        run.to_gif(tmp_path / "a.gif", frames_per_second=10.0, speed=0)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(qt.QuatrainError, match=r'MP4 needs imageio-ffmpeg(?s:.*)"quatrain\[video\]"'):
        run.to_mp4(tmp_path / "a.mp4", width=64, height=48)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(qt.QuatrainError, match=r'GIF needs Pillow(?s:.*)"quatrain\[video\]"'):
        run.to_gif(tmp_path / "a.gif", width=64, height=48)
