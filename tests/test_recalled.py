"""Our own equations, found in the cache by what determines them: nothing is traced twice, nothing wrong is taken."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import quatrain as qt
import quatrain.kernel
from quatrain.compiler import sources
from quatrain.equations import dynamics

pytest.importorskip("llvmlite")

ARM = qt.examples.model("arm6")


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """A cache of its own, and the names of the programs that were traced since."""
    monkeypatch.setenv("QUATRAIN_CACHE", str(tmp_path / "cache"))
    names, trace = [], quatrain.kernel.trace

    def counting(function, inputs, **options):
        names.append(options["name"])
        return trace(function, inputs, **options)

    monkeypatch.setattr(quatrain.kernel, "trace", counting)
    return names


def states(model, seed=0, batch=5):
    rng = np.random.default_rng(seed)
    robot = qt.Robot(model)
    return robot.random_configuration(rng, batch), rng.normal(size=(batch, model.nv))


def test_the_second_robot_traces_nothing_and_gives_the_same_bits(traced):
    q, v = states(ARM)
    first = qt.Robot(ARM)
    calls = (
        lambda robot: robot.forward_dynamics(q, v, v),
        lambda robot: robot.mass_matrix(q),
        lambda robot: robot.jacobian(q, "hand"),
        lambda robot: np.concatenate(robot.pose(q, "hand", relative_to="link2"), axis=-1),
        lambda robot: robot.momentum(q, v),
        lambda robot: robot.inverse_dynamics(q, v, v, external={"hand": ((1, 2, 3), (4, 5, 6))}),
    )
    answers = [call(first) for call in calls]
    assert len(traced) == len(calls)
    again = qt.Robot(replace(ARM, name="another name"))
    for call, answer in zip(calls, answers, strict=True):
        np.testing.assert_array_equal(call(again), answer)
    assert len(traced) == 2 * len(calls)  # a name is part of the messages, so it is another program
    del traced[:]
    for call, answer in zip(calls, answers, strict=True):
        np.testing.assert_array_equal(call(qt.Robot(ARM)), answer)
    assert traced == []


def test_the_graph_is_traced_when_somebody_looks_at_it(traced):
    qt.compile(dynamics.gravity_force, ARM)
    kernel = qt.compile(dynamics.gravity_force, ARM)
    assert kernel.from_cache
    assert len(traced) == 1
    assert sum(kernel.operations.values()) > 100
    assert "gravity_force of arm6" in repr(kernel)
    assert len(traced) == 2
    assert len(kernel.source().splitlines()) > 10


def test_a_kernel_without_its_graph_pickles(traced):
    q, _ = states(ARM)
    qt.compile(dynamics.gravity_force, ARM)
    kernel = qt.compile(dynamics.gravity_force, ARM)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(q), kernel(q))


@pytest.mark.parametrize(
    "change",
    [
        lambda model: replace(model, gravity=qt.Vec3(0, 0, -1.62)),
        lambda model: replace(model, bodies=(replace(model.bodies[0], mass=9.0), *model.bodies[1:])),
        lambda model: replace(model, frames=tuple(replace(f, X_BF=qt.Pose.identity()) for f in model.frames)),
    ],
    ids=["gravity", "mass", "frame"],
)
def test_what_changes_the_answer_is_another_entry(traced, change):
    def asked(model):
        q, v = states(model)
        robot = qt.Robot(model)
        forces = robot.inverse_dynamics(q, v, v, external={"hand": ((1, 2, 3), (4, 5, 6))})
        return np.concatenate([forces, robot.bias_force(q, v), robot.center_of_mass(q)], axis=-1)

    before = asked(ARM)
    after = asked(change(ARM))
    assert np.max(np.abs(after - before)) > 1e-3
    os.environ["QUATRAIN_CACHE"] = "off"  # the fixture puts it back
    np.testing.assert_array_equal(after, asked(change(ARM)))


def test_options_and_what_varies_are_part_of_what_it_is_known_by(traced):
    q, _ = states(ARM)
    for axes in ("world", "body"):
        for _ in range(2):
            found = qt.compile(partial(dynamics.jacobian, frame="hand", axes=axes), ARM)(q)
            np.testing.assert_array_equal(found, qt.Robot(ARM).jacobian(q, "hand", axes=axes))
    heavier = qt.compile(dynamics.gravity_force, ARM, vary=["link3.mass"])
    assert heavier(q, np.array(7.0)).shape == q.shape
    assert qt.compile(dynamics.gravity_force, ARM)(q).shape == q.shape


def test_a_function_of_the_users_is_traced_every_time(traced):
    def weight(model, q):
        return dynamics.gravity_force(model, q)

    q, _ = states(ARM)
    for _ in range(2):
        np.testing.assert_array_equal(qt.compile(weight, ARM)(q), qt.compile(dynamics.gravity_force, ARM)(q))
    assert traced == ["weight of arm6", "gravity_force of arm6", "weight of arm6"]


def test_a_damaged_entry_is_made_again(traced, tmp_path):
    q, v = states(ARM)
    expected = qt.Robot(ARM).bias_force(q, v)
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(file.read_bytes()[:-3])
    np.testing.assert_array_equal(qt.Robot(ARM).bias_force(q, v), expected)
    assert len(traced) == 2


def test_sources_that_changed_since_the_process_began_have_a_hash_of_their_own(tmp_path, monkeypatch):
    file = tmp_path / "equation.py"
    file.write_text("a = 1\n")
    os.utime(file, (0, 0))
    assert sources.digest_of_sources([file]) == sources.digest_of_sources([file])
    assert sources.digest_of_sources([file], "x") != sources.digest_of_sources([file])
    monkeypatch.setattr(sources, "_BEGAN", -1.0)
    assert sources.digest_of_sources([file]) != sources.digest_of_sources([file])
