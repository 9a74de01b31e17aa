"""All that acts on a machine at once, in one run: the same bits in a batch and alone, on threads, and after a stop."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt
from quatrain import forces, laws, sensors
from quatrain.gathering import InterruptedRun

DOG = qt.examples.load("quadruped")
FEET = ("FL_foot", "FR_foot", "HL_foot", "HR_foot")
MOTION, COUNT = DOG.model.keyframe("standing").q, 5


def legs():
    """PID through motors for two knees, asked every fifth step, late by two; gains of each motion."""
    held = laws.pid(DOG, "stiffness", 40.0, 4.0, "standing", limit=50.0, every=5)
    late = qt.Control(held.law, held.start, held.every, delay=2)
    motor = laws.Motor(torque_constant=0.1, resistance=0.3, inductance=2e-4, voltage=24.0, gear=9.0)
    return laws.motorised(DOG, late, {"FL_knee": motor, "HR_knee": motor})


def acting():
    return [
        forces.GroundContact(FEET, 2e5, friction="mu", slip=0.05),
        forces.Drag("trunk", area=0.1, wind=lambda t, p: (5.0 * qt.scalar.sin(t), 0.0, 0.0)),
        forces.Schedule("trunk", [0.0, 0.02, 0.04], force=[(0, 0, 0), (0, 30, 0), (0, 0, 0)], axes="body"),
        forces.JointLimits(1e3),
        forces.Friction("FR_knee", 0.2, static=0.4),
        forces.Spring("FL_foot", "HL_foot", 50.0, 0.4, damping=1.0),
    ]


def seen(seed="seed"):
    instrument = sensors.Measured(sensors.IMU("trunk"), noise=0.1, bias=0.05, seed=seed)
    return {"q": None, "v": None, "tau": None, "imu": instrument, "knee": sensors.ForceTorque("FL_shank")}


@pytest.fixture(scope="module")
def simulation():
    return qt.TreeSimulation(
        DOG.model, method="semi_implicit_euler", control=legs(), forces=acting(), record=seen(),
        parameters=("mu", "stiffness", "seed"),
    )  # fmt: skip


def parameters(which=slice(None)):
    k = np.arange(COUNT)
    return {"mu": (0.3 + 0.1 * k)[which], "stiffness": (150.0 + 20.0 * k)[which], "seed": k[which]}


def starts(which=slice(None)):
    q = np.tile(MOTION, (COUNT, 1))
    q[:, 2] += 0.01 * np.arange(COUNT)
    return q[which]


HOW = {"duration": 0.06, "dt": 2e-4, "record_every": 10}


def same(a, b):
    assert set(a.columns) == set(b.columns)
    return all(np.array_equal(a[name], b[name]) for name in a.columns)


def test_a_motion_has_the_same_bits_in_a_batch_and_alone(simulation):
    whole = simulation(starts(), **HOW, parameters=parameters())
    assert np.all(np.isfinite(whole["knee"]))
    for k in (0, 3):
        alone = simulation(starts(k), **HOW, parameters=parameters(k))
        assert all(np.array_equal(alone[name], whole[name][k]) for name in alone.columns)
    threaded = qt.TreeSimulation(
        DOG.model, method="semi_implicit_euler", control=legs(), forces=acting(), record=seen(), threads=2,
        parameters=("mu", "stiffness", "seed"),
    )  # fmt: skip
    assert same(whole, threaded(starts(), **HOW, parameters=parameters()))


def test_a_run_that_was_stopped_goes_on_to_the_same_bits(simulation, tmp_path):
    whole = simulation(starts(), **HOW, parameters=parameters())

    def stop(done, steps):
        if done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRun):
        simulation(
            starts(), **HOW, parameters=parameters(), out=tmp_path / "run.zarr", chunk=50, progress=stop
        )
    again = simulation(
        starts(), **HOW, parameters=parameters(), out=tmp_path / "run.zarr", chunk=50, resume=True
    )
    assert same(whole, again)
