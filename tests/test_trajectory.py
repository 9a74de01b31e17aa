"""Trajectories: how they are read, cut and accounted for."""

from __future__ import annotations

import numpy as np
import pytest

from quatrain import ArgumentError, Quantity, Trajectory
from quatrain.trajectory import QUATERNION, VECTOR

QUANTITIES = {
    "q": Quantity("q", "", "of B in W", QUATERNION, "quaternion"),
    "w": Quantity("w", "rad/s", "of B in W, in B", VECTOR),
    "energy": Quantity("energy", "J", role="energy", kept=True),
    "linear_momentum": Quantity("linear_momentum", "kg m/s", "in W", VECTOR, "momentum"),
    "angular_momentum": Quantity("angular_momentum", "kg m²/s", "in W", VECTOR, "momentum", True),
}


def made(batch=(), times=5):
    rng = np.random.default_rng(3)
    q = np.zeros((*batch, times, 4))
    q[..., 0] = 1.0
    columns = {
        "q": q,
        "w": rng.normal(size=(*batch, times, 3)),
        "energy": np.full((*batch, times), 2.0),
        "linear_momentum": rng.normal(size=(*batch, times, 3)),
        "angular_momentum": np.ones((*batch, times, 3)),
    }
    facts = {"method": "rk4", "dt": 0.1, "steps": times - 1, "tolerance": None}
    return Trajectory("a body", 0.1 * np.arange(times), columns, QUANTITIES, {}, facts)


def test_columns_by_attribute_and_by_name():
    run = made()
    assert run.w is run["w"]
    assert run["t"] is run.t
    assert {"w", "energy", "t"} <= set(dir(run))
    assert len(run) == 5
    assert repr(run) == (
        "<Trajectory of a body: 5 times, 0 to 0.4 s; q, w, energy, linear_momentum, angular_momentum>"
    )


def test_stretches_of_time_some_columns_one_time_and_one_motion():
    run = made((4, 2))
    assert run.batch == (4, 2)
    part = run[1:4]
    assert part.t.tolist() == run.t[1:4].tolist()
    assert np.array_equal(part.w, run.w[:, :, 1:4])
    assert np.array_equal(run["q", "w"][::2].w, run.w[:, :, ::2])
    assert list(run["q", "w"].columns) == ["q", "w"]
    assert np.array_equal(run[-1]["energy"], run["energy"][..., -1])
    one = run.motion(2, 1)
    assert one.batch == ()
    assert np.array_equal(one.w, run.w[2, 1])
    assert run.motion(2).batch == (2,)
    assert repr(run).startswith("<Trajectory of a body: 5 times, 0 to 0.4 s, 4 × 2 motions;")


def test_energy_and_momentum_linear_rows_first():
    run = made((3,))
    assert np.array_equal(run.energy(), run["energy"])
    assert run.momentum().shape == (3, 5, 6)
    assert np.array_equal(run.momentum()[..., :3], run["linear_momentum"])


def test_drift_is_the_largest_change_and_relative_to_the_start():
    run = made((2,))
    run["energy"][1] = [2.0, 2.5, 1.0, 2.0, 2.0]
    absolute, relative = run.drift("energy")
    assert absolute.tolist() == [0.0, 1.0]
    assert relative.tolist() == [0.0, 0.5]
    run["angular_momentum"][0, 3] = [1.0, 1.0, 4.0]
    assert run.drift("angular_momentum")[0].tolist() == [3.0, 0.0]
    assert run.drift("angular_momentum")[1][0] == pytest.approx(3 / np.sqrt(3))
    run["q"][0, 2] *= 1.25
    assert run.drift("q")[0].tolist() == [0.25, 0.0]


def test_a_motion_that_starts_with_zero_is_measured_by_its_largest_value():
    run = made()
    run["linear_momentum"][:] = np.arange(5)[:, None] * [3.0, 4.0, 0.0]
    assert run.drift("linear_momentum") == (20.0, 1.0)


def test_what_has_diverged_is_told_with_its_time():
    run = made((3,))
    assert np.isnan(run.diverged).all()
    run["w"][1, 2:] = np.nan
    run["energy"][2, 4] = np.inf
    assert run.diverged.tolist()[1:] == [run.t[2], run.t[4]]
    assert "2 of 3 motions became infinite or NaN, seen first at t = 0.2 s." in run.report()
    # The drift of the others is still told.
    assert "energy [J]" in run.report()


def test_the_report_fits_a_terminal_and_names_units():
    for run in (made(), made((7,))):
        text = run.report()
        assert max(map(len, text.splitlines())) <= 80
        for word in ("rk4", "4 steps of 0.1 s", "energy [J]", "angular momentum [kg m²/s]", "norm of q − 1"):
            assert word in text
    assert "driven" in made().report()  # the linear momentum is not kept


def test_a_quantity_reads_as_a_line():
    assert str(QUANTITIES["w"]) == "w (x, y, z) of B in W, in B [rad/s]"
    assert str(QUANTITIES["energy"]) == "energy [J]"


def test_what_is_not_there_is_said():
    run = made()
    with pytest.raises(AttributeError, match="no 'spin'; it has t, q, w"):
        run.spin  # noqa: B018 looking it up is the test
    with pytest.raises(ArgumentError, match=r"no 'spin'.*\n  To fix: ask for one of t, q, w"):
        run["spin"]
    with pytest.raises(ArgumentError, match=r"indexed with 1\.5"):
        run[1.5]
    with pytest.raises(ArgumentError, match=r"motion\(0,\) of a batch of shape \(\)"):
        run.motion(0)
    with pytest.raises(ArgumentError, match="recorded no energy"):
        run["q", "w"].energy()
