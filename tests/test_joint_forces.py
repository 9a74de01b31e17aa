"""Springs, damping and friction of joints, rotors behind gears, and actuators: laws, and MuJoCo."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest

from quatrain import ArgumentError, Body, Frame, Joint, Mimic, Model, Pose, Quaternion, Robot, SymMat3, Vec3
from quatrain.equations import dynamics
from quatrain.examples import load
from quatrain.joint import reflected_inertia
from quatrain.model import AXES, WORLD, Actuator
from tests.truth.precise_trees import DIGITS, as_numbers, lifted, objects, rate, unit_quaternions, worst
from tests.truth.random_trees import SINGLE, on_columns, random_q, random_state, random_tree

BATCH = 4
TOLERANCE = 1e-13
"""Some ten roundings, relative to the largest number of the answer; a rotation vector near half a turn loses more."""
EXACT = 1e-24
"""Of a derivative with forty digits: its step squared, and what is left of the digits after division by it."""


def close(found, exact, tolerance=TOLERANCE):
    found, exact = np.broadcast_arrays(found, exact)
    assert np.max(np.abs(found - exact)) < tolerance * max(1.0, np.max(np.abs(exact)))


def with_joints(model: Model, change) -> Model:
    return replace(model, bodies=tuple(replace(b, joint=change(b.joint)) for b in model.bodies))


def sprung(seed: int, count: int = 14) -> Model:
    """Springs, damping and friction in most joints; a ball's spring is as stiff about all axes."""
    random = np.random.default_rng([20260403, seed])

    def change(joint: Joint) -> Joint:
        n = joint.freedoms
        if random.random() < 0.2 or not n:
            return joint
        stiffness = random.uniform(1, 5, n)
        if joint.kind in ("ball", "free"):
            stiffness[-3:] = stiffness[-1]
        alone = Model("alone", (Body("body", WORLD, joint, 1.0, Vec3.zero(), SymMat3.identity()),))
        rest = random_q(alone, random, 1)[0] if random.random() < 0.7 else ()
        numbers = (stiffness, random.uniform(0, 2, n), random.uniform(0, 2, n), rest)
        stiffness, damping, friction, rest = (tuple(map(float, x)) for x in numbers)
        return replace(joint, stiffness=stiffness, damping=damping, friction=friction, rest=rest)

    return with_joints(random_tree(seed, count), change)


seeds = pytest.mark.parametrize("seed", range(4))


# ---- springs, damping, friction --------------------------------------------------------------------------


@seeds
def test_springs_take_what_their_energy_loses(seed):
    """d/dt V = −τ·v without damping and friction, for every joint."""
    with mpmath.workdps(DIGITS):
        model = with_joints(sprung(seed), lambda j: replace(j, damping=(), friction=()))
        q, v, _ = (as_numbers(x)[0] for x in random_state(model, seed, 1))
        model, q = lifted(model, unit=True), unit_quaternions(model, q)
        power = objects(dynamics.passive_force(model, q, v)) @ objects(v)
        lost = rate(lambda model, q: dynamics.spring_energy(model, q), model, q, v)
        assert worst(-power, lost) < EXACT


@seeds
def test_nothing_pulls_at_rest(seed):
    """At the springs' rest, without velocity."""
    model = sprung(seed)
    rest = np.concatenate([b.joint.rest or b.joint.neutral for b in model.bodies])[None]
    still = np.zeros((1, model.nv))
    close(on_columns(dynamics.passive_force, model, rest, still), 0.0)
    assert np.max(np.abs(on_columns(dynamics.spring_energy, model, rest))) < 1e-25


@seeds
def test_damping_and_friction_only_take(seed):
    """Against each velocity, and the same in both directions."""
    model = with_joints(sprung(seed), lambda j: replace(j, stiffness=()))
    q, v, _ = random_state(model, seed, BATCH)
    force = on_columns(dynamics.passive_force, model, q, v)
    assert np.all(force * v <= 0)
    close(on_columns(dynamics.passive_force, model, q, -v), -force)


def slider(**numbers) -> Model:
    joint = Joint("rail", "prismatic", axes=(AXES[0],), **numbers)
    return Model("slider", (Body("slider", WORLD, joint, 2.0, Vec3.zero(), SymMat3.identity()),))


def test_friction_is_coulombs_beyond_the_slip():
    model = slider(friction=(3.0,))
    for speed, slip, exact in (
        (0.1, 0.01, 3 * 10 / np.sqrt(101)),
        (1.0, 1e-6, 3.0),
        (0.01, 0.01, 3 / 2**0.5),
    ):
        (force,) = dynamics.passive_force(model, [0.0], [speed], slip=slip)
        np.testing.assert_allclose(force, -exact, rtol=1e-12)


@seeds
def test_joints_that_follow_pass_their_forces_on(seed):
    """Tᵀ τ, and the energy of their springs."""
    free = sprung(seed)
    single = [b.joint.name for b in free.bodies if b.joint.kind in SINGLE]
    mimic = Mimic(single[0], -1.7, 0.4)
    model = with_joints(free, lambda j: replace(j, mimic=mimic) if j.name == single[1] else j)
    z, v, _ = random_state(model, seed, BATCH)
    leads, follows = (free.v_names.index(name) for name in single[:2])
    T = np.insert(np.eye(model.nv), follows, 0.0, axis=0)
    T[follows] = mimic.ratio * T[leads]
    place = dict(zip(free.joint_names, free.q_starts, strict=True))
    q = np.insert(z, place[single[1]], 0.0, axis=1)
    q[:, place[single[1]]] = q[:, place[single[0]]] * mimic.ratio + mimic.offset
    exact = on_columns(dynamics.passive_force, free, q, v @ T.T) @ T
    close(on_columns(dynamics.passive_force, model, z, v), exact)
    exact = on_columns(dynamics.spring_energy, free, q)
    close(on_columns(dynamics.spring_energy, model, z), exact)


def test_kernels_agree_with_the_equations():
    robot = Robot(sprung(1))
    q, v, _ = random_state(robot.model, 1, BATCH)
    close(robot.passive_force(q, v), on_columns(dynamics.passive_force, robot.model, q, v))
    other = on_columns(dynamics.passive_force, robot.model, q, v, slip=0.5)
    close(robot.passive_force(q, v, slip=0.5), other)
    close(robot.spring_energy(q), on_columns(dynamics.spring_energy, robot.model, q))


# ---- rotors ---------------------------------------------------------------------------------------------


def test_a_rotor_is_felt_as_one_that_turns_behind_its_gear():
    """On a stator at rest exactly: as a body of its own that follows the joint gear times as fast."""
    inertia, gear = 2e-4, -60.0
    link = Joint("elbow", "revolute", axes=(AXES[1],))
    arm = Body("arm", WORLD, link, 3.0, Vec3(0.1, 0.0, 0.4), SymMat3.diagonal(0.2, 0.3, 0.1))
    spin = Joint("spin", "revolute", axes=(AXES[0],), mimic=Mimic("elbow", gear))
    rotor = Body("rotor", WORLD, spin, 0.5, Vec3.zero(), SymMat3.diagonal(inertia, 1e-4, 1e-4))
    explicit = Model("explicit", (arm, rotor))
    armed = replace(arm, joint=replace(link, armature=(reflected_inertia(inertia, gear),)))
    lumped = Model("lumped", (armed,))
    for function, states in (
        (dynamics.mass_matrix, ([0.3],)),
        (dynamics.inverse_dynamics, ([0.3], [1.1], [-2.0])),
        (dynamics.forward_dynamics, ([0.3], [1.1], [0.7])),
    ):
        np.testing.assert_allclose(function(lumped, *states), function(explicit, *states), rtol=1e-14)


# ---- actuators ------------------------------------------------------------------------------------------


WORKSHOP = """
<mujoco>
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="base">
      <joint name="root" type="free" stiffness="2.5" damping="0.3"/>
      <inertial pos="0.1 0 0.05" mass="3" diaginertia="0.2 0.3 0.4"/>
      <site name="nozzle" pos="0.3 -0.2 0.1" quat="0.5 0.5 -0.5 0.5"/>
      <body name="arm" pos="0.2 0 0.3">
        <joint name="elbow" type="hinge" axis="0 0.6 0.8" stiffness="4" springref="0.3" damping="0.7"/>
        <inertial pos="0 0 0.2" mass="1" diaginertia="0.02 0.03 0.01"/>
        <body name="rod" pos="0 0 0.4">
          <joint name="rail" type="slide" axis="1 0 0" stiffness="9" springref="-0.1" damping="1.5"/>
          <inertial pos="0 0.1 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
          <body name="ball" pos="0.1 0 0">
            <joint name="socket" type="ball" stiffness="1.5" damping="0.2"/>
            <inertial pos="0 0 -0.1" mass="0.2" diaginertia="0.01 0.02 0.01"/>
            <site name="fan" pos="0 0.1 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="motor" joint="elbow" gear="-30" ctrlrange="-1 1"/>
    <position name="servo" joint="rail" gear="2" kp="40" kv="3" forcerange="-60 60"/>
    <velocity name="drive" joint="elbow" kv="0.8"/>
    <general name="twist" joint="socket" gear="1 -2 0.5" gainprm="1.5"
             biastype="affine" biasprm="0.2 -0.7 -0.1"/>
    <motor name="jet" site="nozzle" gear="5 1 0 0 0.2 -0.1"/>
    <general name="fan" site="fan" gear="0 0 1 0 0 0.3" gainprm="2" biastype="affine" biasprm="0.1 -4 -0.6"/>
  </actuator>
</mujoco>
"""


def workshop() -> Model:
    """The same, typed out by hand."""

    def body(name, parent, joint, at, mass, center, moments):
        joint = replace(joint, X_PJ=Pose(Quaternion.identity(), Vec3(*at)))
        return Body(name, parent, joint, mass, Vec3(*center), SymMat3.diagonal(*moments))

    root = Joint("root", "free", axes=AXES, stiffness=(2.5,) * 6, damping=(0.3,) * 6)
    elbow = Joint(
        "elbow", "revolute", axes=(Vec3(0.0, 0.6, 0.8),), stiffness=(4.0,), rest=(0.3,), damping=(0.7,)
    )
    rail = Joint("rail", "prismatic", axes=(AXES[0],), stiffness=(9.0,), rest=(-0.1,), damping=(1.5,))
    socket = Joint("socket", "ball", stiffness=(1.5,) * 3, damping=(0.2,) * 3)
    return Model(
        "workshop",
        (
            body("base", WORLD, root, (0.0, 0.0, 0.0), 3.0, (0.1, 0.0, 0.05), (0.2, 0.3, 0.4)),
            body("arm", 0, elbow, (0.2, 0.0, 0.3), 1.0, (0.0, 0.0, 0.2), (0.02, 0.03, 0.01)),
            body("rod", 1, rail, (0.0, 0.0, 0.4), 0.5, (0.0, 0.1, 0.0), (0.01, 0.01, 0.01)),
            body("ball", 2, socket, (0.1, 0.0, 0.0), 0.2, (0.0, 0.0, -0.1), (0.01, 0.02, 0.01)),
        ),
        (
            Frame("nozzle", 0, Pose(Quaternion(0.5, 0.5, -0.5, 0.5), Vec3(0.3, -0.2, 0.1))),
            Frame("fan", 3, Pose(Quaternion.identity(), Vec3(0.0, 0.1, 0.0))),
        ),
        actuators=(
            Actuator("motor", "elbow", gear=(-30.0,), command=(-1.0, 1.0)),
            Actuator("servo", "rail", gear=(2.0,), gain=40.0, bias=(0.0, -40.0, -3.0), force=(-60.0, 60.0)),
            Actuator("drive", "elbow", gain=0.8, bias=(0.0, 0.0, -0.8)),
            Actuator("twist", "socket", gear=(1.0, -2.0, 0.5), gain=1.5, bias=(0.2, -0.7, -0.1)),
            Actuator("jet", frame="nozzle", gear=(5.0, 1.0, 0.0, 0.0, 0.2, -0.1)),
            Actuator(
                "fan", frame="fan", gear=(0.0, 0.0, 1.0, 0.0, 0.0, 0.3), gain=2.0, bias=(0.1, -4.0, -0.6)
            ),
        ),
    )


def test_mujoco_has_the_same_springs_and_actuators():
    """Commands and forces within their limits and beyond them."""
    mujoco = pytest.importorskip("mujoco")
    model, there = workshop(), mujoco.MjModel.from_xml_string(WORKSHOP)
    # The springs of the free joint and of the ball are slack at their poses in the file, which are not turned.
    data = mujoco.MjData(there)
    q, v, _ = random_state(model, 3, 20)
    u = np.random.default_rng(4).normal(size=(20, 6)) * 1.5
    passive = on_columns(dynamics.passive_force, model, q, v)
    forces = on_columns(dynamics.actuator_force, model, q, v, u)
    limited = np.zeros(2, int)
    for k in range(20):
        data.qpos, data.qvel, data.ctrl = q[k], v[k], u[k]
        mujoco.mj_forward(there, data)
        close(passive[k], data.qfrc_spring + data.qfrc_damper)
        close(forces[k], data.qfrc_actuator)
        limited += (abs(u[k, 0]) > 1, abs(data.actuator_force[1]) == 60)
    assert np.all((limited > 2) & (limited < 18))


def test_commands_act_through_the_actuation():
    """∂τ/∂u within the limits, and all of it without bias."""
    model = workshop()
    model = replace(
        model, actuators=tuple(replace(a, command=(None, None), force=(None, None)) for a in model.actuators)
    )
    q, v, _ = random_state(model, 5, BATCH)
    u = np.random.default_rng(6).normal(size=(BATCH, 6))
    B = on_columns(dynamics.actuation, model, q)
    assert B.shape == (BATCH, model.nv, 6)
    without = on_columns(dynamics.actuator_force, model, q, v, 0 * u)
    close(np.einsum("nij,nj->ni", B, u), on_columns(dynamics.actuator_force, model, q, v, u) - without)


def test_actuators_push_joints_that_follow():
    """gear · ratio on the velocity of the joint that leads; the servo sees its own joint's angle."""
    lead = Joint("left", "prismatic", axes=(AXES[0],))
    follow = Joint("right", "prismatic", axes=(AXES[0],), mimic=Mimic("left", -2.0, 0.1))
    fingers = [Body(j.name, WORLD, j, 1.0, Vec3.zero(), SymMat3.identity()) for j in (lead, follow)]
    servo = Actuator("servo", "right", gear=(3.0,), gain=10.0, bias=(0.0, -10.0, 0.0))
    hand = Model("hand", tuple(fingers), actuators=(servo,))
    assert dynamics.actuation(hand, [0.2]) == [[-60.0]]
    (force,) = dynamics.actuator_force(hand, [0.2], [0.0], [0.5])
    np.testing.assert_allclose(force, -2.0 * 3.0 * 10.0 * (0.5 - 3.0 * (-2.0 * 0.2 + 0.1)), rtol=1e-15)


def test_robots_that_differ_in_their_actuators_have_kernels_of_their_own():
    model = workshop()
    q, v, _ = random_state(model, 7, BATCH)
    u = np.random.default_rng(8).normal(size=(BATCH, 6))
    for gain in (1.0, 7.0):
        changed = replace(model, actuators=(*model.actuators[:5], replace(model.actuators[5], gain=gain)))
        robot = Robot(changed)
        assert robot.nu == 6
        assert changed.digest == model.digest
        close(robot.actuation(q), on_columns(dynamics.actuation, changed, q))
        close(robot.actuator_force(q, v, u), on_columns(dynamics.actuator_force, changed, q, v, u))


def test_a_robot_without_actuators_says_so():
    robot = load("pendulum")
    for call in (lambda: robot.actuation([0.0]), lambda: robot.actuator_force([0.0], [0.0], [])):
        with pytest.raises(ArgumentError, match="pendulum has no actuators") as caught:
            call()
        assert "give its model some" in caught.value.do
