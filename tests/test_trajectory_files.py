"""Trajectories in files of every kind, read again and by other programs; and at other times."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import quatrain as qt
from quatrain import ArgumentError, Quaternion, Trajectory
from quatrain.store import StorageError
from quatrain.trajectory import Occurrences


@pytest.fixture(scope="module")
def run():
    """Three motions of a body on a ball, and a crowd of columns."""
    model = qt.examples.model("spherical_pendulum")
    q0 = Quaternion.from_rotation_vector(qt.Vec3(0.7, 0.1, 0.3)).to_array()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        return qt.simulate(
            model, q0, [[0.0, 0.5, 3.0], [0.0, 1.0, 1.0], [2.0, 0.0, 0.0]], duration=1.0, dt=0.01, record_every=5,
            record=("q", "v", "energy", "tip.position", "tip.attitude"), events={"low": lambda t, q, v: q[1]},
        )  # fmt: skip


def same(a, b):
    assert (a.name, a.batch, list(a.columns)) == (b.name, b.batch, list(b.columns))
    assert np.array_equal(a.t, b.t)
    for name in a.columns:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
        assert a.quantities[name] == b.quantities[name]
    assert {k: b.facts[k] for k in ("method", "dt", "steps")} == {
        k: a.facts[k] for k in ("method", "dt", "steps")
    }


@pytest.mark.parametrize(
    ("suffix", "package"), [(".zarr", None), (".csv", None), (".nc", "xarray"), (".parquet", "pyarrow")]
)
def test_what_is_saved_is_read_again_to_the_last_bit(run, tmp_path, suffix, package):
    if package:
        pytest.importorskip(package)
    for k, some in enumerate((run, run.motion(1), run["energy", "q"])):
        path = tmp_path / f"run{k}{suffix}"
        some.save(path)
        some.save(path)  # writes over it
        again = Trajectory.load(path)
        same(some, again)
        assert np.array_equal(again.facts["stopped_at"], run.facts["stopped_at"], equal_nan=True)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    ("suffix", "package"), [(".zarr", None), (".csv", None), (".nc", "xarray"), (".parquet", "pyarrow")]
)
def test_events_and_reports_come_back_from_every_file(run, tmp_path, suffix, package):
    if package:
        pytest.importorskip(package)
    quiet = replace(run, events={"never": Occurrences(np.zeros(3, int), np.full((3, 4), np.nan), {})})
    for k, some in enumerate((run, run.motion(1), run["energy", "q"], quiet)):
        path = tmp_path / f"run{k}{suffix}"
        some.save(path)
        again = Trajectory.load(path)
        assert again.report() == some.report()
        assert list(again.events) == list(some.events)
        for name, event in some.events.items():
            found = again.events[name]
            assert np.array_equal(event.count, found.count)
            assert np.array_equal(event.t, found.t, equal_nan=True)
            happened = np.isfinite(event.t)
            assert happened.any() or name == "never"
            assert list(event.values) == list(found.values)
            for quantity, array in event.values.items():
                assert found.values[quantity].shape == array.shape
                assert np.array_equal(array[happened], found.values[quantity][happened])


def test_a_dataset_has_an_events_times_by_motion(run):
    pytest.importorskip("xarray")
    found = run.to_xarray()
    assert found["event:low:t"].dims == ("batch", "event:low")
    assert found["event:low:t"].attrs == {"unit": "s"}
    assert found["event:low:value:v"].dims == ("batch", "event:low", "v_components")
    assert np.array_equal(found["event:low:count"], run.events["low"].count)


def test_zarr_itself_reads_it(run, tmp_path):
    zarr = pytest.importorskip("zarr")
    run.save(tmp_path / "run.zarr")
    group = zarr.open(str(tmp_path / "run.zarr"), mode="r")
    assert np.array_equal(group["q"][:], run.q)
    assert np.array_equal(group["tip.position"][:], run["tip.position"])
    assert group["q"].attrs["components"] == list(run.quantities["q"].components)


def test_datasets_have_units_frames_and_names_of_components(run):
    pytest.importorskip("xarray")
    found = run.to_xarray()
    assert found["q"].dims == ("batch", "t", "q_components")
    assert found["tip.position"].attrs == {"unit": "m", "frame": "in W"}
    assert np.array_equal(
        found["tip.position"].sel({"tip.position_components": "z", "batch": 1}), run["tip.position"][1, :, 2]
    )


def test_a_table_has_a_row_for_each_time_of_each_motion(run, tmp_path):
    run["tip.position", "energy"].save(tmp_path / "run.csv")
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert lines[1] == "motion,t,tip.position.x,tip.position.y,tip.position.z,energy"
    assert len(lines) == 2 + 3 * 21
    assert lines[2].startswith(
        f"0,0.0,{run['tip.position'][0, 0, 0]!r}".replace("np.float64(", "").replace(")", "")
    )


def test_other_times_are_on_lines_and_arcs(run):
    times = np.array([0.0, 0.012, 0.5, 0.333, 1.0])
    found = run.resample(times)
    assert np.array_equal(found.energy()[:, 0], run.energy()[:, 0])
    assert found.v[0, :, 2] == pytest.approx(np.interp(times, run.t, run.v[0, :, 2]), abs=1e-15)
    for name in ("q", "tip.attitude"):
        arcs = Slerp(run.t, Rotation.from_quat(run[name][0], scalar_first=True))(times)
        apart = arcs.inv() * Rotation.from_quat(found[name][0], scalar_first=True)
        assert apart.magnitude().max() < 1e-7  # of an arc cosine near 1
        assert np.linalg.norm(found[name], axis=-1) == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(ArgumentError, match="times from 0 to 2 s of a run that is 0 to 1 s"):
        run.resample([0.0, 2.0])


def test_a_stretch_of_time(run):
    part = run.between(0.2, 0.5)
    assert part.t == pytest.approx(np.arange(0.2, 0.501, 0.05))
    assert np.array_equal(part.q, run.q[:, 4:11])


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        (
            "run.xls",
            ArgumentError,
            r"run.xls has the suffix '.xls', .*\n.*choose one of .zarr, .nc, .parquet, .csv",
        ),
        ("nowhere/run.csv", StorageError, "could not be written: No such file"),
    ],
)
def test_files_that_cannot_be_written(run, tmp_path, path, error, says):
    with pytest.raises(error, match=says):
        run.save(tmp_path / path)


def test_files_that_are_no_runs(tmp_path):
    with pytest.raises(ArgumentError, match=r"there is no .*run.zarr"):
        Trajectory.load(tmp_path / "run.zarr")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(StorageError, match="is no run that quatrain has saved"):
        Trajectory.load(tmp_path / "other.csv")
    (tmp_path / "other.doc").write_text("")
    with pytest.raises(ArgumentError, match="no kind of file for runs"):
        Trajectory.load(tmp_path / "other.doc")


def test_nan_is_kept(run, tmp_path):
    broken = Trajectory(
        run.name,
        run.t,
        {"energy": np.where(run.t > 0.5, math.nan, run.energy()[0])},
        run.quantities,
        {},
        run.facts,
    )
    for name in ("run.csv", "run.zarr"):
        broken.save(tmp_path / name)
        assert np.array_equal(Trajectory.load(tmp_path / name)["energy"], broken["energy"], equal_nan=True)
