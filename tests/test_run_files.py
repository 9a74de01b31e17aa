"""Runs on disk: the same bits in memory, in pieces, stopped and gone on; and what a user sees of every accident."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import quatrain as qt
from quatrain import ArgumentError, Control, Event, Trajectory
from quatrain.gathering import InterruptedRun
from quatrain.locking import alone
from quatrain.progress import Bar
from quatrain.run_files import RunFile
from quatrain.scalar import where
from quatrain.store import StorageError

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def integrating(t, q, v, x, p):
    """A law with a state, and a rate of its own."""
    return [-4.0 * a - b - x[k] for k, (a, b) in enumerate(zip(q, v, strict=True))], [
        x[k] + 0.01 * a for k, a in enumerate(q)
    ]


def acrobot(method="rk4", **options):
    return qt.TreeSimulation(
        qt.examples.model("acrobot"),
        method=method,
        control=Control(integrating, start=[0.0, 0.0], every=3),
        events={"down": Event(lambda t, q, v: q[0], most=5)},
        **options,
    )


STARTS = np.random.default_rng(0).normal(size=(4, 2))
HOW = {"duration": 2.0, "dt": 1e-2, "record_every": 2}


def same(a, b):
    assert np.array_equal(a.t, b.t)
    for name in a.columns:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
    for name, event in a.events.items():
        assert np.array_equal(event.count, b.events[name].count)
        assert np.array_equal(event.t, b.events[name].t, equal_nan=True)
        for k, array in event.values.items():
            assert np.array_equal(array, b.events[name].values[k], equal_nan=True)


# ---- the same bits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4", "generalized_alpha", "dopri5"])
def test_a_run_in_pieces_on_disk_is_the_run_in_memory(method, tmp_path):
    simulation = acrobot(method)
    whole = simulation(STARTS, **HOW)
    for chunk in (14, 200, 1000):
        stored = simulation(STARTS, **HOW, out=tmp_path / "run.zarr", chunk=chunk)
        same(whole, stored)
        assert stored.batch == (4,)
    same(whole, simulation(STARTS, **HOW, progress=lambda done, steps: None))


@pytest.mark.parametrize("method", ["rk4", "generalized_alpha", "dop853"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bits(method, tmp_path):
    simulation, path = acrobot(method), tmp_path / "run.zarr"
    whole = simulation(STARTS, **HOW)

    def stop(done, steps):
        if done >= 60:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRun, match=r"interrupted at t = 0.58 s.*resume=True goes on") as caught:
        simulation(STARTS, **HOW, out=path, chunk=20, progress=stop)
    part = caught.value.run
    assert len(part.t) == 30
    assert np.array_equal(part.q, whole.q[:, :30])
    assert "Not finished: the same call with resume=True" in part.report()
    again = simulation(STARTS, **HOW, out=path, resume=True, progress=lambda done, steps: None)
    same(whole, again)
    same(whole, simulation(STARTS, **HOW, out=path, resume=True))  # there is nothing left to do


def test_a_thousand_motions_are_a_thousand_runs_of_one_on_any_number_of_threads():
    model = qt.examples.model("arm6")
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=(1000, 6)), rng.normal(size=(1000, 6))
    how = {"duration": 0.02, "dt": 2e-3, "record_every": 5}
    together = qt.TreeSimulation(model, method="semi_implicit_euler")(q, v, **how)
    threaded = qt.TreeSimulation(model, method="semi_implicit_euler", threads=3)(q, v, **how)
    same(together, threaded)
    alone = qt.TreeSimulation(model, method="semi_implicit_euler")
    for k in range(1000):
        run = alone(q[k], v[k], **how)
        assert np.array_equal(run.q, together.q[k])
        assert np.array_equal(run.v, together.v[k])


# ---- accidents -----------------------------------------------------------------------------------------

SCRIPT = """
import numpy as np, sys, time
import quatrain as qt
simulation = qt.TreeSimulation(qt.examples.model("arm6"), method="rk4")
starts = np.random.default_rng(0).normal(size=(64, 6))
def tell(done, steps):
    print(done, flush=True)
    time.sleep(0.02)
run = simulation(starts, duration=10.0, dt=1e-2, out=sys.argv[1], chunk=20, resume="resume" in sys.argv, progress=tell)
np.save(sys.argv[1] + ".npy", run.q)
"""


def started(path, *words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(path), *words],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_in_its_middle_is_readable_and_goes_on(tmp_path, ending):
    path = tmp_path / "run.zarr"
    child = started(path)
    while int(child.stdout.readline()) < 200:
        pass
    time.sleep(0.013)  # somewhere within a piece
    child.send_signal(ending)
    _, errors = child.communicate(timeout=60)
    assert child.returncode != 0
    if ending == signal.SIGINT:
        assert "InterruptedRun: interrupted at t =" in errors
        assert "run.zarr holds it; the same call with resume=True goes on" in errors
    part = Trajectory.load(path)
    assert part.facts["unfinished"]
    assert 200 <= len(part.t) < 1000
    assert np.isfinite(part.q).all()
    goes_on = started(path, "resume")
    output, errors = goes_on.communicate(timeout=120)
    assert goes_on.returncode == 0, errors
    assert int(output.split()[0]) > 200  # what had been done was not done again
    whole = qt.TreeSimulation(qt.examples.model("arm6"), method="rk4")(
        np.random.default_rng(0).normal(size=(64, 6)), duration=10.0, dt=1e-2
    )
    assert np.array_equal(np.load(f"{path}.npy"), whole.q)
    assert np.array_equal(part.q, whole.q[:, : len(part.t)])


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    simulation, path = acrobot(), tmp_path / "run.zarr"
    whole = simulation(STARTS, **HOW)
    written, sync = [], os.fsync

    def full(file):
        written.append(file)
        if len(written) > 40:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        StorageError, match=r"No space left on device. It holds the run up to t = [\d.]+ s"
    ) as caught:
        simulation(STARTS, **HOW, out=path, chunk=20)
    assert "make room on its disk, and call the same with resume=True" in str(caught.value)
    part = Trajectory.load(path)
    assert np.array_equal(part.q, whole.q[:, : len(part.t)])
    monkeypatch.undo()
    same(whole, simulation(STARTS, **HOW, out=path, resume=True))


def test_a_disk_that_is_too_small_is_told_before(tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(StorageError, match=r"would take [\d.]+ kB, and 1 kB are free"):
        acrobot()(STARTS, **HOW, out=tmp_path / "run.zarr", chunk=20)
    assert not (tmp_path / "run.zarr").exists()


def test_a_law_that_gives_nan_at_three_seconds_stops_that_motion_alone(tmp_path):
    def law(t, q, v, x, p):
        return [where(t > 3.0, p["poison"], 0.0) - v[0]]

    model = qt.examples.model("pendulum")
    how = {"duration": 4.0, "dt": 1e-2, "control": law}
    poison = np.array([0.0, np.nan, 0.0])
    with pytest.warns(
        qt.DivergenceWarning, match=r"1 of 3 motions .* motion 1 .* the control law's pivot was NaN first"
    ):
        run = qt.simulate(model, [[0.1], [0.2], [0.3]], parameters={"poison": poison}, **how)
    good = qt.simulate(model, [[0.1], [0.2], [0.3]], parameters={"poison": 0.0}, **how)
    assert run.facts["stopped_at"][1] == pytest.approx(3.02)
    assert np.isnan(run.facts["stopped_at"][[0, 2]]).all()
    assert run.facts["stopped_by"].tolist() == ["", "the control law's pivot was NaN", ""]
    assert np.array_equal(run.q[[0, 2]], good.q[[0, 2]])
    assert np.isfinite(run.q[1, :302]).all()
    with pytest.warns(qt.DivergenceWarning):
        stored = qt.simulate(
            model,
            [[0.1], [0.2], [0.3]],
            parameters={"poison": poison},
            **how,
            out=tmp_path / "run.zarr",
            chunk=50,
        )
    same(run, stored)
    assert np.array_equal(stored.diverged, run.diverged, equal_nan=True)
    assert stored.facts["stopped_by"].tolist() == run.facts["stopped_by"].tolist()


def test_a_step_far_too_large_is_told_with_the_joint_and_the_time():
    built = qt.ModelBuilder("spring", gravity=(0, 0, 0))
    built.body(
        "car",
        joint="prismatic",
        joint_name="rail",
        axis="x",
        mass=1.0,
        com=(0, 0, 0),
        inertia=(1, 1, 1),
        stiffness=1e6,
    )
    with pytest.warns(
        qt.DivergenceWarning, match=r"at t = [\d.]+ s, where rail was beyond 1e\+?12 first.*\n.*smaller dt"
    ):
        run = qt.simulate(built.model(), [1.0], duration=10.0, dt=0.1, method="semi_implicit_euler")
    assert run.facts["stopped_by"] == "rail was beyond 1e12"
    assert np.isnan(run.q[-1]).all()


def test_a_velocity_beyond_what_is_said_stops_that_motion_alone_with_its_joint():
    """A damper with the wrong sign: v = eᵗ v₀ without gravity reaches 10 at ln(10 / v₀)."""
    built = qt.ModelBuilder("cars", gravity=(0, 0, 0))
    for name in ("slow", "fast"):
        built.body(name, joint="prismatic", axis="x", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1))
    how = {"duration": 4.0, "dt": 0.01, "forces": lambda s: list(s.v)}
    v0 = np.array([[0.5, 0.1], [0.5, 1.0], [0.1, 0.1]])
    free = qt.simulate(built.model(), None, v0, **how)
    assert np.isnan(free.facts["stopped_at"]).all()
    with pytest.warns(
        qt.DivergenceWarning, match="1 of 3 motions .* motion 1 .* where fast was beyond 10 first"
    ):
        run = qt.simulate(built.model(), None, v0, **how, runaway={"fast": 10.0})
    assert run.facts["stopped_by"].tolist() == ["", "fast was beyond 10", ""]
    assert run.facts["stopped_at"][1] == pytest.approx(np.log(10), abs=0.01)
    assert np.array_equal(run.v[[0, 2]], free.v[[0, 2]])
    with pytest.warns(qt.DivergenceWarning, match="2 of 3 motions .* where slow was beyond 20 first"):
        assert qt.simulate(built.model(), None, v0, **how, runaway=20.0).facts["stopped_by"][2] == ""


@pytest.mark.parametrize(
    ("runaway", "says"),
    [
        (0.0, r"runaway is 0.0.\n.*the speed at which a motion is given up"),
        ({"hip": 1.0}, r"runaway bounds 'hip', which is no velocity of acrobot.\n.*name some of"),
        ({"elbow": float("nan")}, "runaway of 'elbow' is nan"),
    ],
)
def test_a_bound_that_cannot_be_is_told(runaway, says):
    with pytest.raises(ArgumentError, match=says):
        qt.simulate(qt.examples.model("acrobot"), duration=1.0, runaway=runaway)


@pytest.mark.slow
def test_memory_of_a_run_on_disk_is_that_of_a_piece(tmp_path):
    script = """
import numpy as np, resource, sys
import quatrain as qt, quatrain.run_files as files
files.PIECE_BYTES = 4 << 20
simulation = qt.TreeSimulation(qt.examples.model("arm6"), method="semi_implicit_euler", record=("q", "v"))
starts = np.random.default_rng(0).normal(size=(1000, 6))
how = {"dt": 1e-3, "out": sys.argv[1]}
simulation(starts, duration=0.1, **how)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
simulation(starts, duration=2.5, **how)   # 240 MB of records
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    result = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "run.zarr")], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert int(result.stdout) < 24_000  # kB: some pieces' worth, and a tenth of the records


# ---- what cannot be ------------------------------------------------------------------------------------


def test_another_run_is_not_gone_on_with(tmp_path):
    path, simulation = tmp_path / "run.zarr", acrobot()
    simulation(STARTS, **HOW, out=path, chunk=20)
    with pytest.raises(
        ArgumentError, match=r"run.zarr holds another run: it differs in starts and parameters"
    ):
        simulation(STARTS + 1, **HOW, out=path, resume=True)
    with pytest.raises(ArgumentError, match=r"it differs in equations, forces, law, method and records"):
        acrobot("semi_implicit_euler")(STARTS, **HOW, out=path, resume=True)
    with pytest.raises(ArgumentError, match="resume=True goes on with a run on disk"):
        simulation(STARTS, **HOW, resume=True)


def test_what_is_not_ours_is_not_written_over(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("1")
    with pytest.raises(StorageError, match=r"thesis exists, and is no run of quatrain's"):
        acrobot()(STARTS, **HOW, out=tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter").exists()
    with pytest.raises(StorageError, match=r"thesis is no run that quatrain has written"):
        Trajectory.load(tmp_path / "thesis")


def test_two_runs_into_one_place_at_a_time_are_refused(tmp_path):
    """By the other process's number; killed without mercy it holds nothing any more."""
    path, simulation = tmp_path / "run.zarr", acrobot()
    whole = simulation(STARTS, **HOW)
    child = started(path)
    while int(child.stdout.readline()) < 200:
        pass
    child.send_signal(signal.SIGSTOP)  # it stays in its middle, however long the rest takes here
    for resume in (False, True):
        with pytest.raises(
            StorageError, match=rf"run.zarr is being written by another run, process {child.pid} on"
        ) as caught:
            simulation(STARTS, **HOW, out=path, resume=resume)
        assert "give this one another place, or wait until that one has ended" in str(caught.value)
    with pytest.raises(StorageError, match="is being written by another run"):
        whole.save(path)
    child.kill()
    child.communicate(timeout=60)
    assert len(Trajectory.load(path).t) >= 200
    same(whole, simulation(STARTS, **HOW, out=path))
    assert not list(tmp_path.glob(".*"))


def test_a_place_is_free_again_after_an_error_and_within_one_process(tmp_path):
    path, simulation = tmp_path / "deep" / "run.zarr", acrobot()
    simulation(STARTS, **HOW, out=path)
    with alone(path), pytest.raises(StorageError, match=f"another run, process {os.getpid()} on"):
        simulation(STARTS, **HOW, out=path)
    with pytest.raises(ArgumentError, match="holds another run"):
        simulation(STARTS + 1, **HOW, out=path, resume=True)
    simulation(STARTS, **HOW, out=path)
    assert not list(path.parent.glob(".*"))


def test_a_file_system_without_locks_is_written_to_all_the_same(tmp_path, monkeypatch):
    def unsupported(file):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("quatrain.locking._lock", unsupported)
    assert len(acrobot()(STARTS, **HOW, out=tmp_path / "run.zarr").t) == 101


def test_a_chunk_of_a_column_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    """Between the chunks of a piece and its state the run can end: what is read is what the state says."""
    path, simulation = tmp_path / "run.zarr", acrobot()
    write, count = RunFile._write, []

    def dying(self, *args, **options):
        count.append(1)
        if len(count) == 4:
            self.store.write_state = lambda state: (_ for _ in ()).throw(KeyboardInterrupt)
        write(self, *args, **options)

    monkeypatch.setattr(RunFile, "_write", dying)
    with pytest.raises(InterruptedRun):
        simulation(STARTS, **HOW, out=path, chunk=20)
    assert len(Trajectory.load(path).t) == 30
    monkeypatch.undo()
    same(simulation(STARTS, **HOW), simulation(STARTS, **HOW, out=path, resume=True))


def test_the_line_of_progress():
    class Stream:
        text = ""

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    clock = iter([0.0, 1.0, 1.0, 2.0, 3.0])
    bar = Bar(stream=Stream(), clock=lambda: next(clock))
    for done in (250, 500, 1000):
        bar(done, 1000)
    lines = bar.stream.text.split("\r")
    assert lines[2] == "██████████████··············  50 %  250 steps/s  2 s left "
    assert lines[3].startswith("█" * 28 + " 100 %")
    assert lines[3].endswith("\n")
    with pytest.raises(ArgumentError, match="progress is a str"):
        acrobot()(STARTS, **HOW, progress="yes")
