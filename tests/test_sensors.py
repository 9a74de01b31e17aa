"""Sensors: against MuJoCo's and Pinocchio's, against laws; noise against whole numbers and statistics."""

from __future__ import annotations

from functools import partial

import mujoco
import numpy as np
import pytest
from scipy import stats

import quatrain as qt
from quatrain import ArgumentError, forces, interop, laws, sensors
from quatrain.equations import noise
from quatrain.equations.reactions import joint_reactions
from tests.states import free_body, random_state, slider, state_of
from tests.truth.robots import pinocchio_model

LIMB = """
<mujoco>
  <option gravity="0.5 -1 -9.81"/>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint name="root"/>
      <inertial pos="0.02 0.01 -0.03" mass="3" fullinertia="0.05 0.06 0.07 0.001 -0.002 0.003"/>
      <site name="chip" pos="0.1 0.2 0.05" quat="0.8 0.2 -0.4 0.4"/>
      <body name="upper" pos="0.1 0 0.1" quat="0.9 0.1 0.3 -0.2">
        <joint name="shoulder" axis="0.6 0 0.8" damping="0.3" stiffness="2" armature="0.02"/>
        <inertial pos="0 0.02 0.2" mass="1.5" diaginertia="0.03 0.02 0.01"/>
        <site name="gauge" pos="0.03 0.01 0.02" quat="0.5 0.5 0.5 0.5"/>
        <body name="lower" pos="0 0 0.4">
          <joint name="elbow" axis="0 1 0"/>
          <joint name="wrist" axis="1 0 0"/>
          <inertial pos="0.1 0 0.1" mass="0.8" diaginertia="0.004 0.005 0.006"/>
          <site name="tool" pos="0 0.1 0.3"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="m" joint="shoulder"/></actuator>
  <sensor>
    <accelerometer site="chip"/><gyro site="chip"/><accelerometer site="tool"/><gyro site="tool"/>
    <force site="gauge"/><torque site="gauge"/><force site="tool"/><torque site="tool"/>
  </sensor>
</mujoco>
"""


def test_what_instruments_read_is_what_mujocos_read(tmp_path):
    """Its sensors of force measure what the child does to its parent, at the site: ours the opposite."""
    (tmp_path / "limb.xml").write_text(LIMB, encoding="utf-8")
    robot = qt.load(tmp_path / "limb.xml")
    model = mujoco.MjModel.from_xml_string(LIMB)
    data = mujoco.MjData(model)
    push = np.array([3.0, -2.0, 5.0]), np.array([0.3, 0.1, -0.4])
    for seed in range(3):
        q, v = random_state(robot, seed, 2.0)
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, [0.7]
        data.xfrc_applied[:] = 0
        mujoco.mj_forward(model, data)
        at = data.body("lower").xipos - data.body("lower").xpos  # MuJoCo's act on the centre of mass
        data.xfrc_applied[model.body("lower").id] = np.concatenate(push)
        mujoco.mj_forward(model, data)

        f, t = qt.Vec3(*push[0]), qt.Vec3(*(push[1] + np.cross(at, push[0])))
        tau = [0.0] * 6 + [0.7, 0.0, 0.0]
        acting = sensors.Loads((partial(pushed, f, t),))
        state = sensors.State(robot.model, 0.0, *named(robot, q, v), {}, tau, acting)
        assert state.acceleration == pytest.approx(data.qacc, rel=1e-8, abs=1e-7)
        ours = [
            sensors.IMU("chip"),
            sensors.IMU("tool"),
            sensors.ForceTorque("gauge"),
            sensors.ForceTorque("tool"),
        ]
        read = np.array([float(x) for sensor in ours for x in sensor(state)])
        theirs = data.sensordata.copy()
        sign = 1 if np.dot(theirs[12:15], read[12:15]) > 0 else -1
        theirs[12:] *= sign
        assert read == pytest.approx(theirs, rel=1e-7, abs=1e-7)


def pushed(f, t, state):
    return {"lower": (f, t)}


def named(robot, q, v):
    state = state_of(robot.model, q, v)
    return state.q, state.v


@pytest.mark.parametrize("name", ["ur5", "anymal", "talos"])
def test_reactions_are_pinocchios_forces_of_joints(name):
    """Of every joint, in its body's frame; its bodies' frames are those of the joints."""
    pin = pytest.importorskip("pinocchio")
    theirs = pinocchio_model(name)
    robot = qt.Robot(interop.from_pinocchio(theirs))
    data, there = theirs.createData(), qt.convert.pinocchio(robot)
    q, v = random_state(robot, 1)
    a = np.random.default_rng(3).normal(size=robot.nv)
    pin.rnea(theirs, data, there.q_to(np.array(q)), there.v_to(q, v), there.a_to(q, v, a))
    _, attitudes = robot.poses(q)
    for k, (f, t) in enumerate(joint_reactions(robot.model, q, v, list(a))):
        attitude = qt.Quaternion(*attitudes[k])
        assert [*attitude.inverse_rotate(f)] == pytest.approx(data.f[k + 1].linear, rel=1e-10, abs=1e-9)
        assert [*attitude.inverse_rotate(t)] == pytest.approx(data.f[k + 1].angular, rel=1e-10, abs=1e-9)


def test_along_its_axis_a_joint_does_what_drives_it():
    """t·axis = τ + what springs and damping add, less what the rotor takes."""
    robot = qt.examples.load("arm6")
    q, v = random_state(robot, 2)
    tau = [1.0, -2.0, 3.0, -1.0, 0.5, 0.2]
    damper = forces.JointDamper("joint3", 0.7)
    drag = forces.Drag("hand", linear=2.0)
    state = sensors.State(robot.model, 0.0, *named(robot, q, v), {}, tau, sensors.Loads((damper, drag)))
    own, attitudes = damper(state), robot.poses(q)[1]
    for k, body in enumerate(robot.model.bodies):
        reaction = sensors.Reaction(body.joint.name)(state)
        axis = qt.Quaternion(*attitudes[k]).rotate(body.joint.axes[0])
        along = np.dot([*axis], reaction[3:])
        assert along == pytest.approx(
            tau[k] + own[k] - body.joint.armature[0] * state.acceleration[k], abs=1e-10
        )


def test_a_scale_reads_the_weight_of_what_rests_on_it():
    built = qt.ModelBuilder("scale")
    built.body("plate", joint="prismatic", joint_name="post", axis="z", mass=1.0, inertia=(1, 1, 1))
    built.body(
        "load",
        parent="plate",
        joint_name="pin",
        axis="y",
        at=(0.5, 0, 0),
        mass=4.0,
        com=(0, 0, -0.2),
        inertia=(1, 1, 1),
    )
    robot = built.robot()
    run = qt.simulate(
        robot, duration=0.01, control=laws.gravity_compensation(robot),
        record={"post": sensors.Reaction("post"), "pin": sensors.ForceTorque("load")},
    )  # fmt: skip
    assert run["post"][-1] == pytest.approx([0, 0, 5 * 9.81, 0, -0.5 * 4 * 9.81, 0], abs=1e-9)
    assert run["pin"][-1] == pytest.approx([0, 0, 4 * 9.81, 0, 0, 0], abs=1e-9)
    assert run.quantities["post"].components == ("fx", "fy", "fz", "tx", "ty", "tz")
    assert (
        str(run.quantities["post"])
        == "post (fx, fy, fz, tx, ty, tz) of joint post on its body, in W [N, N m]"
    )


def test_a_gauge_between_a_hand_and_its_tool_feels_the_tool_alone():
    """The tool is fixed to the hand; f = m (a − g) of its centre of mass."""
    built = qt.ModelBuilder("held")
    built.body("arm", joint_name="shoulder", axis="y", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    built.body(
        "tool",
        parent="arm",
        joint="fixed",
        joint_name="mount",
        at=(0, 0, -1),
        mass=0.5,
        com=(0.1, 0, 0),
        inertia=(0, 0, 0),
    )
    robot = built.robot(merge_fixed=False)
    run = qt.simulate(
        robot, [0.7], [1.5], duration=0.1,
        record={"q": None, "v": None, "acceleration": None, "gauge": sensors.Reaction("mount")},
    )  # fmt: skip
    a, _ = robot.acceleration(run.q, run.v, run["acceleration"], "tool", point=(0.1, 0, 0))
    assert np.abs(run["gauge"][:, :3] - 0.5 * (a + np.array([0, 0, 9.81]))).max() < 1e-12


def test_noise_in_single_precision_has_its_deviation():
    robot = slider()
    read = sensors.Measured(sensors.Encoder("rail"), noise=1.0, seed="seed")
    run = qt.simulate(
        robot, np.zeros((100, 1)), np.zeros((100, 1)), duration=0.3, record={"x": read}, dtype="float32",
        parameters={"seed": np.arange(100)},
    )  # fmt: skip
    assert run["x"].dtype == np.float32
    assert run["x"].std() == pytest.approx(1.0, rel=0.02)
    assert abs(run["x"].mean()) < 0.02


def test_a_body_in_free_fall_feels_nothing_and_one_at_rest_feels_g():
    robot = free_body(gravity=(0, 0, -9.81))
    falls = qt.simulate(
        robot, robot.neutral(), [0, 0, 0, 0, 0, 3.0], duration=0.1, record={"imu": sensors.IMU("body")}
    )
    assert np.abs(falls["imu"] - [0, 0, 0, 0, 0, 3.0]).max() < 1e-12
    held = forces.UniformGravity((0, 0, 9.81))
    rests = qt.simulate(
        robot, [0, 0, 0, np.sqrt(0.5), np.sqrt(0.5), 0, 0], np.zeros(6), duration=0.1, forces=[held],
        record={"imu": sensors.IMU("body")},
    )  # fmt: skip
    assert np.abs(rests["imu"] - [0, 9.81, 0, 0, 0, 0]).max() < 1e-12


def test_poses_velocities_momentum_and_energy_are_those_of_the_robot():
    robot = qt.examples.load("humanoid")
    q, v = random_state(robot, 4, 0.5)
    pull = forces.Spring("left_hand", "right_hand", 20.0)
    run = qt.simulate(
        robot, q, v, duration=0.02, forces=[pull],
        record={
            "q": None, "v": None, "hand": sensors.FramePose("left_hand", "chest"),
            "twist": sensors.FrameVelocity("left_hand", "body", "chest"), "energy": sensors.Energy(pull),
            "momentum": sensors.Momentum(), "power": sensors.Power(pull),
        },
    )  # fmt: skip
    position, attitude = robot.pose(run.q, "left_hand", "chest")
    assert np.abs(run["hand"] - np.concatenate([position, attitude], axis=-1)).max() < 1e-12
    linear, angular = robot.velocity(run.q, run.v, "left_hand", "body", relative_to="chest")
    assert np.abs(run["twist"] - np.concatenate([linear, angular], axis=-1)).max() < 1e-11
    assert np.abs(run["momentum"] - robot.momentum(run.q, run.v)).max() < 1e-10
    assert np.ptp(run["energy"]) < 1e-6 * np.abs(run["energy"]).max()
    gained = robot.energy(run.q, run.v)
    work = np.sum((run["power"][1:] + run["power"][:-1]) / 2) * 1e-3
    assert gained[-1] - gained[0] == pytest.approx(work, rel=1e-4)


# ---- instruments -------------------------------------------------------------------------------------------


def test_an_encoder_reads_whole_counts():
    robot = slider()
    run = qt.simulate(
        robot, [0.0], [0.3], duration=1.0,
        record={"exact": sensors.Encoder("rail"), "counts": sensors.Encoder("rail", 1000)},
    )  # fmt: skip
    assert run["counts"] == pytest.approx(np.floor(run["exact"] * 1000 + 0.5) / 1000)
    pendulum = qt.examples.load("pendulum")
    state = state_of(pendulum.model, [1.0], [0.0])
    assert sensors.Encoder("pivot", 4096)(state) == pytest.approx(
        np.round(1.0 / (2 * np.pi) * 4096) / 4096 * 2 * np.pi
    )


def test_a_range_and_a_resolution():
    state = state_of(slider().model, [0.0], [0.0])
    read = sensors.Measured(lambda s: [3.14, -20.0, 0.26], limit=10.0, resolution=0.5)(state)
    assert read == (3.0, -10.0, 0.5)


# ---- noise -------------------------------------------------------------------------------------------------


def drawn(seed, stream, channel, count):
    """The same in whole numbers of Python's."""
    split = lambda n: [n >> 12 * k & 4095 for k in range(3)]
    x, key = [*split(count), channel], [*split(seed), stream]
    for r in range(16):
        k0, k1 = key[2 * (r % 2)], key[2 * (r % 2) + 1]
        p, s = 3365 * x[0], 2477 * x[2]
        a = ((s >> 12) + x[1] + k0 + r * 2531) & 4095
        b = ((p >> 12) + x[3] + k1 + r * 3077) & 4095
        x = [a, s & 4095, b, p & 4095]
    return ((x[0] << 12 | x[1]) + 0.5) / 2**24, ((x[2] << 12 | x[3]) + 0.5) / 2**24


def test_random_numbers_are_those_of_whole_numbers_to_the_last_bit():
    rng = np.random.default_rng(1)
    for _ in range(200):
        seed, count = (int(x) for x in rng.integers(0, 2**36, 2))
        stream, channel = (int(x) for x in rng.integers(0, 4096, 2))
        assert noise.uniforms(float(seed), stream, channel, float(count)) == drawn(
            seed, stream, channel, count
        )
    kernel = qt.compile(
        lambda seed, count: noise.uniforms(seed, 77, 5, count), inputs={"seed": float, "count": float}
    )
    seeds, counts = rng.integers(0, 2**36, (2, 50))
    assert np.stack(kernel(seeds.astype(float), counts.astype(float)), -1).tolist() == [
        list(drawn(int(a), 77, 5, int(b))) for a, b in zip(seeds, counts, strict=True)
    ]


@pytest.mark.parametrize("over", ["count", "seed", "channel"])
def test_random_numbers_are_uniform_and_know_nothing_of_their_neighbours(over):
    n = np.arange(4096.0 if over == "channel" else 200_000.0)
    where = {"seed": 5.0, "stream": 9, "channel": 0, "count": 123456.0}
    if over == "channel":
        pairs = [noise.uniforms(5.0, 9, int(k), 123456.0) for k in n]
        u, w = (np.array(x) for x in zip(*pairs, strict=True))
    else:
        u, w = noise.uniforms(**{**where, over: n})
    for x in (u, w):
        assert stats.kstest(x, "uniform").pvalue > 1e-3
        assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 4 / np.sqrt(len(n))
    cells = 16 if over == "channel" else 64
    for a, b in ((u[:-1], u[1:]), (u, w)):
        counts = np.histogram2d(a, b, bins=cells, range=[[0, 1], [0, 1]])[0]
        assert stats.chisquare(counts.ravel()).pvalue > 1e-3


def test_one_bit_of_a_counter_turns_half_of_all_bits():
    base = np.random.default_rng(2).integers(0, 2**36, 20_000)
    bits = lambda x: (x * 2**24 - 0.5).astype(np.int64)
    for bit in (0, 1, 11, 12, 23, 35):
        pairs = zip(
            noise.uniforms(5.0, 9, 0, base.astype(float)),
            noise.uniforms(5.0, 9, 0, (base ^ 1 << bit).astype(float)),
            strict=True,
        )
        for a, b in pairs:
            turned = bits(a) ^ bits(b)
            shares = [np.mean(turned >> k & 1) for k in range(24)]
            assert np.abs(np.array(shares) - 0.5).max() < 5 * 0.5 / np.sqrt(len(base))


def noisy_run(robot, seeds, **options):
    seeds = np.asarray(seeds, float)
    gyro = sensors.Measured(sensors.IMU("body"), noise=(0.1,) * 3 + (0.01,) * 3, bias=0.05, seed="seed")
    return qt.simulate(
        robot, np.broadcast_to(robot.neutral(), (*seeds.shape, 7)), np.zeros((*seeds.shape, 6)), duration=0.5,
        record={"imu": gyro}, parameters={"seed": seeds}, **options,
    )  # fmt: skip


def test_the_same_seed_gives_the_same_bits_in_a_batch_and_alone_and_on_any_threads():
    robot = free_body(gravity=(0, 0, -9.81))
    together = noisy_run(robot, np.arange(37))["imu"]
    threads = noisy_run(robot, np.arange(37), threads=2)["imu"]
    assert np.array_equal(together, threads)
    for k in (0, 1, 17, 36):
        assert np.array_equal(noisy_run(robot, k)["imu"], together[k])
    assert np.array_equal(noisy_run(robot, [17, 5])["imu"], together[[17, 5]])
    coarse = noisy_run(robot, 3, record_every=10)["imu"]
    assert np.array_equal(coarse, together[3][::10])


def test_noise_has_its_deviation_and_bias_stays():
    robot = free_body(gravity=(0, 0, -9.81))
    read = noisy_run(robot, np.arange(400))["imu"]
    held = read.mean(axis=1)
    rest = read - held[:, None]
    for k, size in enumerate((0.1,) * 3 + (0.01,) * 3):
        assert rest[..., k].std() == pytest.approx(size, rel=0.01)
        assert stats.kstest(rest[::7, ::5, k].ravel() / size, "norm").pvalue > 1e-3
        assert held[:, k].std() == pytest.approx(np.hypot(0.05, size / np.sqrt(501)), rel=0.15)
    seen = np.corrcoef(rest.reshape(-1, 6).T)
    assert np.abs(seen - np.eye(6)).max() < 0.02


def test_two_sensors_of_one_seed_do_not_have_the_same_noise():
    robot = free_body()
    run = qt.simulate(
        robot, duration=0.5,
        record={
            "a": sensors.Measured(sensors.Gyroscope("body"), noise=1.0, seed=3),
            "b": sensors.Measured(sensors.FramePose("body"), noise=1.0, seed=3),
            "c": sensors.Measured(sensors.Gyroscope("body"), noise=1.0, seed=3, stream=1),
            "again": sensors.Measured(sensors.Gyroscope("body"), noise=1.0, seed=3),
        },
    )  # fmt: skip
    a, b, c = (run[name][:, 0] - run[name][:, 0].mean() for name in "abc")
    assert np.array_equal(run["a"], run["again"])
    for x, y in ((a, b), (a, c), (b, c)):
        assert abs(np.corrcoef(x, y)[0, 1]) < 0.2


def test_a_law_may_read_a_noisy_instrument():
    robot = slider(1.0)
    encoder = sensors.Measured(sensors.Encoder("rail"), noise=0.01, seed="seed")

    def law(t, q, v, x, p):
        read = encoder(sensors.State(robot.model, t, q, v, p))
        return [-4.0 * read]

    run = qt.simulate(
        robot, [[1.0], [1.0]], [[0.0], [0.0]], duration=0.3, control=law, parameters={"seed": [1, 2]},
        record={"q": None, "tau": None, "read": encoder},
    )  # fmt: skip
    assert np.abs(run["tau"][..., 0] + 4.0 * run["read"]).max() < 1e-12
    assert 0.005 < np.std(run["read"] - run.q[..., 0]) < 0.02


# ---- what is said of wrong arguments -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: sensors.Measured(3.0), "Measured was given a float, which is no sensor"),
        (lambda: sensors.Measured(sensors.IMU("body"), noise=-1), "noise of Measured is -1"),
        (lambda: sensors.Measured(sensors.IMU("body"), seed=0.5), "seed of Measured is 0.5"),
        (lambda: sensors.Measured(sensors.IMU("body"), seed=2**40), "seed of Measured is"),
        (lambda: sensors.Encoder("rail", 0), "counts of Encoder is 0"),
    ],
)
def test_a_wrong_number_is_refused_when_the_sensor_is_made(make, text):
    with pytest.raises(ArgumentError) as error:
        make()
    assert text in str(error.value)
    assert "To fix: " in str(error.value)


@pytest.mark.parametrize(
    ("sensor", "text"),
    [
        (sensors.IMU("head"), "free_body has no frame 'head'"),
        (sensors.Reaction("neck"), "free_body has no joint 'neck'"),
        (sensors.ForceTorque("world"), "which stands on the ground"),
        (sensors.Encoder("root"), "whose attitude is no count"),
        (sensors.Encoder("neck"), "free_body has no joint 'neck' that moves"),
        (
            sensors.Measured(sensors.IMU("body"), noise=(0.1, 0.2)),
            "noise of Measured has 2 numbers, and there are 6",
        ),
        (sensors.Measured(sensors.IMU("body"), seed="seed"), "takes its number from the parameter 'seed'"),
    ],
)
def test_a_sensor_that_does_not_fit_the_machine_is_refused_before_the_run(sensor, text):
    if isinstance(sensor, sensors.Measured) and sensor.seed == "seed":
        sensor = sensors.Measured(sensor.sensor, noise=0.1, seed="seed")
    with pytest.raises(ArgumentError) as error:
        qt.simulate(free_body(), duration=0.01, record={"sensor": sensor})
    assert text in str(error.value)


def test_a_law_that_asks_for_accelerations_is_told_why_there_are_none():
    robot = free_body()
    state = state_of(robot.model, robot.neutral(), [0.0] * 6)
    with pytest.raises(ArgumentError, match="what acts on it is not known"):
        sensors.Accelerometer("body")(state)
