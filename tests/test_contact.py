"""Smooth contact: exact blows, rolling, slopes, machines that stand; and MuJoCo's figures of the same."""

from __future__ import annotations

import re
import runpy
import warnings
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import quatrain as qt
from quatrain import forces
from tests.states import free_body, state_of
from tests.test_forces import rebound

G = 9.81


def ball(radius=0.1, mass=1.0, gravity=(0, 0, -G)):
    built = qt.ModelBuilder("ball", gravity=gravity)
    built.body("ball", joint="free", joint_name="root", solid=qt.Sphere(radius), mass=mass)
    return built.robot()


def run_of(robot, q0, v0, **options):
    return qt.simulate(robot, q0, v0, **{"dt": 1e-4, **options})


UP = (1.0, 0.0, 0.0, 0.0)


# ---- blows ------------------------------------------------------------------------------------------------


def test_a_ball_thrown_at_a_wall_comes_back_as_hunt_and_crossley_say():
    wall = forces.GroundContact("ball", 1e5, 0.4, radius=0.1, plane=forces.Plane((1, 0, 0), (-1, 0, 0)))
    run = run_of(
        ball(gravity=(0, 0, 0)), [0.5, 0, 0, *UP], [1.5, 0, 0, 0, 0, 0], duration=0.5, dt=2e-5, forces=[wall]
    )
    assert run.v[-1, 0] == pytest.approx(-rebound(1.5, 0.4), rel=1e-8)


def test_a_dropped_ball_loses_in_each_blow_what_quadrature_says():
    k, c, r, h = 2e5, 0.3, 0.1, 0.5
    ground = forces.GroundContact("ball", k, c, radius=r)
    run = run_of(
        ball(r), [0, 0, r + h, *UP], np.zeros(6), duration=1.5, dt=2e-5, record_every=50, forces=[ground]
    )

    def blow(t, y):
        depth, rate = y
        return [rate, G - max(k * max(depth, 0.0) ** 1.5 * (1 + c * rate), 0.0)]

    def out(t, y):
        return y[0]

    out.direction, out.terminal = -1, True
    speeds = [np.sqrt(2 * G * h)]
    for _ in range(2):
        made = solve_ivp(blow, (0, 0.1), [0.0, speeds[-1]], "DOP853", events=out, rtol=1e-12, atol=1e-15)
        speeds.append(-made.y_events[0][0, 1])
    heights = run.q[:, 2] - r
    # The energy between blows, from any record above the ground.
    energies = G * heights + run.v[:, 2] ** 2 / 2
    above = heights > 1e-3
    falls = np.split(energies[above], np.flatnonzero(np.diff(np.flatnonzero(above)) > 1) + 1)
    for energy, speed in zip(falls, speeds, strict=False):
        assert energy == pytest.approx(speed**2 / 2, rel=2e-7)
    assert len(falls) >= 3


def test_slow_blows_have_the_restitution_that_the_dissipation_is_chosen_by():
    assert rebound(0.01, 1.0) / 0.01 == pytest.approx(1 - 2 / 3 * 0.01, abs=1e-4)


def test_a_ball_at_rest_is_as_deep_as_its_weight_asks():
    ground = forces.GroundContact("ball", 1e4, 1.0, radius=0.1)
    run = run_of(
        ball(), [0, 0, 0.1, *UP], np.zeros(6), duration=20.0, dt=2e-4, record_every=1000, forces=[ground]
    )
    assert run.q[-1, 2] == pytest.approx(0.1 - (G / 1e4) ** (2 / 3), abs=1e-6)


# ---- rolling ----------------------------------------------------------------------------------------------


def resting(k, r, weight=G):
    return r - (weight / k) ** (2 / 3)


def test_a_ball_that_rolls_goes_on_rolling_without_slipping():
    k, r, speed = 1e4, 0.1, 0.7
    ground = forces.GroundContact("ball", k, radius=r, slip=0.01)
    run = run_of(
        ball(r), [0, 0, resting(k, r), *UP], [speed, 0, 0, 0, speed / r, 0], duration=2.0, record_every=100,
        forces=[ground], method="rkmk4",
    )  # fmt: skip
    assert np.abs(run.q[:, 0] - speed * run.t).max() < 1e-12
    assert np.abs(run.v[:, 4] - speed / r).max() < 1e-11


def test_a_ball_that_slides_ends_rolling_at_five_sevenths_of_its_speed():
    """Whatever the friction, the angular momentum about the place of contact is kept."""
    k, r, speed, mu = 1e4, 0.1, 1.4, 0.3
    ground = forces.GroundContact("ball", k, radius=r, slip=0.01, friction=mu)
    run = run_of(
        ball(r), [0, 0, resting(k, r), *UP], [speed, 0, 0, 0, 0, 0], duration=1.5, record_every=100,
        forces=[ground],
    )  # fmt: skip
    assert run.v[-1, 0] == pytest.approx(5 / 7 * speed, rel=1e-10)
    assert run.v[-1, 4] * r == pytest.approx(5 / 7 * speed, rel=1e-10)
    # While it slides it is slowed by μ g, all but the smoothing.
    assert run.v[10, 0] == pytest.approx(speed - mu * G * run.t[10], abs=1e-4)


def test_mujocos_ball_ends_rolling_at_the_same_speed():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option timestep="0.0005" cone="elliptic" impratio="10"/><worldbody>
        <geom type="plane" size="9 9 1" friction="0.3 0 0"/>
        <body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1" friction="0.3 0 0"/></body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.qvel[0] = 1.4
    while data.time < 1.5:
        mujoco.mj_step(model, data)
    assert data.qvel[0] == pytest.approx(1.0, rel=1e-2)


# ---- slopes -----------------------------------------------------------------------------------------------


def box_on_slope(angle, mu, slip, duration, **options):
    """A box on a plane that falls towards x; its own axes are those of the slope."""
    built = qt.ModelBuilder("box")
    built.body("box", joint="free", joint_name="root", solid=qt.Box(0.3, 0.2, 0.1), mass=2.0)
    robot = built.robot()
    along, normal = np.array([np.cos(angle), 0, -np.sin(angle)]), np.array([np.sin(angle), 0, np.cos(angle)])
    (contact,) = forces.GroundContact.of_shapes(
        robot, 1e6, dissipation=20.0, friction=mu, slip=slip, plane=forces.Plane(normal=normal)
    )
    depth = (2.0 * G * np.cos(angle) / 4 / 1e6) ** (2 / 3)
    q0 = [*(normal * (0.05 - depth)), np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    run = run_of(robot, q0, np.zeros(6), duration=duration, forces=[contact], **options)
    return run, run.v[:, :3] @ along


def test_a_box_within_the_cone_of_friction_rests_but_for_a_known_creep():
    angle, mu, slip = 0.4, 0.8, 1e-3
    run, speed = box_on_slope(angle, mu, slip, 1.0, dt=2e-5, record_every=1000)
    creep = slip * np.tan(angle) / np.sqrt(mu**2 - np.tan(angle) ** 2)
    assert speed[-1] == pytest.approx(creep, rel=1e-6)
    assert np.abs(run.v[-1, 3:]).max() < 1e-6


def test_a_box_beyond_the_cone_slides_as_galileo_says():
    angle, mu, slip = 0.6, 0.3, 1e-3
    run, speed = box_on_slope(angle, mu, slip, 1.0, dt=2e-5, record_every=1000)
    slide = G * (np.sin(angle) - mu * np.cos(angle))
    late = run.t > 0.5
    gained = np.polyfit(run.t[late], speed[late], 1)[0]
    assert gained == pytest.approx(slide, rel=1e-6)


def mujocos_box(angle, mu):
    """Its speeds down the slope at half a second and at one."""
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.0005" cone="elliptic" gravity="{G * np.sin(angle)} 0 {-G * np.cos(angle)}"/>
        <worldbody><geom type="plane" size="99 9 1" friction="{mu} 0 0"/>
        <body pos="0 0 0.05"><freejoint/><geom type="box" size="0.15 0.1 0.05" mass="2" friction="{mu} 0 0"/></body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    speeds = []
    for end in (0.5, 1.0):
        while data.time < end:
            mujoco.mj_step(model, data)
        speeds.append(data.qvel[0])
    return speeds


def test_mujocos_box_slides_with_the_same_acceleration():
    angle, mu = 0.6, 0.3
    speeds = mujocos_box(angle, mu)
    slide = G * (np.sin(angle) - mu * np.cos(angle))
    assert (speeds[1] - speeds[0]) / 0.5 == pytest.approx(slide, rel=2e-2)


def test_mujocos_box_within_the_cone_creeps_as_well():
    """Its contact is soft too: at rest within the cone it goes on at some millimetres a second."""
    _, speed = mujocos_box(0.4, 0.8)
    assert 1e-5 < speed < 2e-2


# ---- planes that move ---------------------------------------------------------------------------------------


def test_a_belt_takes_a_box_along():
    """The plane stands on a body that moves: friction is of the velocity against it, and acts back."""
    built = qt.ModelBuilder("belt")
    built.body("belt", joint="prismatic", joint_name="drive", axis="x", mass=5.0, inertia=(1, 1, 1))
    built.body("ball", joint="free", joint_name="root", mass=1.0, inertia=(1e9, 1e9, 1e9))
    robot = built.robot()
    belt = forces.GroundContact("ball", 1e4, friction=0.5, slip=0.01, plane=forces.Plane(frame="belt"))
    run = run_of(
        robot, [0, 0, 0, resting(1e4, 0.0), *UP], [1.2, 0, 0, 0, 0, 0, 0], duration=2.0, record_every=100,
        forces=[belt],
    )  # fmt: skip
    assert run.v[-1, 0] == pytest.approx(1.0, rel=1e-6)  # momentum: 5 · 1.2 = (5 + 1) · 1
    assert run.v[-1, 1] == pytest.approx(1.0, rel=1e-6)


def test_what_does_not_touch_feels_nothing():
    robot = free_body()
    touch = forces.GroundContact("body", 1e4, radius=0.1)
    (f, t) = touch(state_of(robot.model, [0, 0, 0.11, *UP], [1.0, 2, -3, 4, 5, 6]))["body"]
    assert (*f, *t) == (0.0,) * 6


# ---- machines that stand ------------------------------------------------------------------------------------

FEET = ("FL_foot", "FR_foot", "HL_foot", "HR_foot")


def standing(robot, feet, height, pose, contact, gains, *, duration=10.0, dt=1e-4):
    """Held by PD about a pose of its joints, its trunk free."""
    stiffness, damping = gains

    def law(t, q, v, x, p):
        held = [stiffness * (a - b) - damping * w for a, b, w in zip(pose, q[7:], v[6:], strict=True)]
        return [0.0] * 6 + held

    q0 = np.array([0, 0, height, *UP, *pose])
    return qt.simulate(
        robot, q0, np.zeros(robot.nv), duration=duration, dt=dt, method="semi_implicit_euler", control=law,
        forces=[contact], record_every=400,
        record={"q": None, "v": None, "tau": None, "contact": contact.normal_forces},
    )  # fmt: skip


def test_the_quadruped_stands_for_ten_seconds():
    robot = qt.examples.load("quadruped")
    contact = forces.GroundContact(FEET, 3e5, friction=0.8, slip=0.02)
    pose = robot.model.keyframe("standing").q[7:]
    run = standing(robot, FEET, 0.34, pose, contact, (300.0, 6.0))
    weight = robot.model.mass * G
    assert np.abs(run.v[-1]).max() < 5e-3  # it creeps, no faster than friction's smoothing
    assert run["contact"][-1].sum() == pytest.approx(weight, rel=1e-4)
    assert np.all(run["contact"][-1] > 0.2 * weight)
    assert 0.25 < run.q[-1, 2] < 0.34
    assert run.q[-1, 3] > 0.99


def test_joint_forces_of_the_standing_quadruped_hold_up_its_weight():
    """τ = g − Jᵀ f with the forces of contact that were recorded, as it hardly moves."""
    robot = qt.examples.load("quadruped")
    contact = forces.GroundContact(FEET, 3e5, friction=0.8, slip=0.02)
    pose = robot.model.keyframe("standing").q[7:]
    run = standing(robot, FEET, 0.34, pose, contact, (300.0, 6.0), duration=4.0)
    q, v, tau = run.q[-1], run.v[-1], run["tau"][-1]
    push = contact(state_of(robot.model, q, v))
    external = {frame: ([float(x) for x in f], [float(x) for x in t]) for frame, (f, t) in push.items()}
    a = robot.forward_dynamics(q, v, tau, external=external)
    assert np.abs(a).max() < 0.5
    assert np.abs(robot.inverse_dynamics(q, v, a * 0, external=external) - tau).max() < 0.05


def go2():
    """Its file, without meshes: no one's figures depend on them."""
    try:
        robots = distribution("example-robot-data").locate_file(
            "cmeel.prefix/share/example-robot-data/robots"
        )
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    text = (robots / "go2_description/urdf/go2.urdf").read_text(encoding="utf-8")
    return re.sub(r"<(visual|collision)\b.*?</\1>", "", text, flags=re.DOTALL)


GO2_FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
CROUCH = (0.0, 0.8, -1.6) * 4


def put_on_ground(spec, feet, radius):
    """A plane, and spheres on the feet, {body: place}; nothing else of the machine collides."""
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], friction=[0.8, 0, 0])
    for body, at in feet.items():
        spec.body(body).add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[radius, 0, 0], pos=at, mass=0, friction=[0.8, 0, 0]
        )
    spec.option.timestep = 5e-4
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = [0, 0, -G]
    return spec.compile()


def stands_in_mujoco(model, height, pose, gains):
    """Its state after ten seconds of the same law, and what its feet carry."""
    data = mujoco.MjData(model)
    data.qpos[:] = [0, 0, height, 1, 0, 0, 0, *pose]
    while data.time < 10.0:
        data.qfrc_applied[6:] = gains[0] * (np.array(pose) - data.qpos[7:]) - gains[1] * data.qvel[6:]
        mujoco.mj_step(model, data)
    pushes = [np.zeros(6) for _ in range(data.ncon)]
    for k, push in enumerate(pushes):
        mujoco.mj_contactForce(model, data, k, push)
    return data, np.array([push[0] for push in pushes])


def test_the_quadruped_stands_as_in_mujoco(tmp_path):
    """Ten seconds: the pose that it bends to, forces of joints and feet. Both creep; nearly as much."""
    robot, gains = qt.examples.load("quadruped"), (300.0, 6.0)
    pose = robot.model.keyframe("standing").q[7:]
    contact = forces.GroundContact(FEET, 1e6, radius=0.01, friction=0.8, slip=0.02)
    run = standing(robot, FEET, 0.35, pose, contact, gains)
    qt.save(robot, tmp_path / "quadruped.xml")
    spec = mujoco.MjSpec.from_file(str(tmp_path / "quadruped.xml"))
    model = put_on_ground(spec, {foot.replace("foot", "shank"): [0, 0, -0.22] for foot in FEET}, 0.01)
    data, loads = stands_in_mujoco(model, 0.35, pose, gains)
    assert np.abs(run.q[-1, 7:] - data.qpos[7:]).max() < 1e-4
    assert run.q[-1, 2] == pytest.approx(data.qpos[2], abs=2e-4)
    assert run["contact"][-1] == pytest.approx(loads, abs=0.1)  # of 49 N
    assert np.abs(run["tau"][-1] - data.qfrc_applied).max() < 0.02  # of 7 N m


def test_go2_stands_as_in_mujoco(tmp_path):
    """Ten seconds under PD: forces of the feet, of the joints, and the pose that they bend to."""
    text = go2()
    (tmp_path / "go2.urdf").write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = qt.load(tmp_path / "go2.urdf", base="floating")
    contact = forces.GroundContact(GO2_FEET, 1e6, radius=0.022, friction=0.8, slip=0.02)
    stiffness, damping = 60.0, 1.5
    run = standing(robot, GO2_FEET, 0.33, CROUCH, contact, (stiffness, damping), dt=5e-5)

    spec = mujoco.MjSpec.from_string(
        text.replace("<link", '<mujoco><compiler fusestatic="false"/></mujoco><link', 1)
    )
    spec.body("base").add_freejoint()
    model = put_on_ground(spec, {foot: [0, 0, 0] for foot in GO2_FEET}, 0.022)
    data, loads = stands_in_mujoco(model, 0.33, CROUCH, (stiffness, damping))
    weight = robot.model.mass * G
    assert run["contact"][-1].sum() == pytest.approx(weight, rel=1e-3)
    assert loads.sum() == pytest.approx(weight, rel=1e-3)
    assert run["contact"][-1] == pytest.approx(loads, abs=0.05 * weight)
    assert np.abs(run.q[-1, 7:] - data.qpos[7:]).max() < 0.01
    assert np.abs(run["tau"][-1] - data.qfrc_applied).max() < 0.3  # of 8 N m; both creep a little
    assert run.q[-1, 2] == pytest.approx(data.qpos[2], abs=0.005)


def test_the_example_slides_outside_the_cone_and_stands_within(capsys):
    script = Path(__file__).resolve().parent.parent / "examples" / "quadruped_on_a_slope.py"
    runpy.run_path(str(script), run_name="__main__")
    rows = re.findall(r"^ (0\.\d\d) +(\d+\.\d+) ((?: +\d+\.\d){4})$", capsys.readouterr().out, re.MULTILINE)
    assert len(rows) == 16
    for mu, slid, loads in rows:
        assert (float(slid) > 0.5) == (float(mu) < np.tan(np.radians(20)))
        assert sum(map(float, loads.split())) == pytest.approx(158.6, abs=0.5)
