"""Conventions of other programs: agreement with the programs themselves, round trips, and what every one must keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quatrain as qt
from quatrain import Robot, convert
from quatrain.interop import from_pinocchio
from quatrain.joint import JOINT_KINDS
from quatrain.model import AXES
from tests.truth.random_trees import random_state, random_tree
from tests.truth.robots import pinocchio_model
from tests.truth.trees_elsewhere import MujocoTree

ALL = (convert.pinocchio, convert.mujoco, convert.drake, convert.rbdl, convert.ros)


def close(found, exact, tolerance=1e-13):
    np.testing.assert_allclose(found, exact, rtol=0, atol=tolerance * max(1.0, np.abs(exact).max()))


def trees(to):
    """Of every joint the program has."""
    without = to(qt.examples.model("arm6")).convention.without
    return [random_tree(seed, 10, [kind for kind in JOINT_KINDS if kind not in without]) for seed in range(4)]


# ---- the programs themselves ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["panda", "kinova", "anymal", "talos"])
def test_pinocchio_computes_the_same_with_its_own_numbers(name):
    """Inverse dynamics, mass matrix, Jacobian and integration of its own, from states that were converted."""
    pin = pytest.importorskip("pinocchio")
    model = pinocchio_model(name)
    data, robot = model.createData(), Robot(from_pinocchio(model))
    there = convert.pinocchio(robot)
    q, v, a = random_state(robot.model, 3, 4)
    q_there, v_there, a_there = there.q_to(q), there.v_to(q, v), there.a_to(q, v, a)
    assert q_there.shape == (4, model.nq)
    tau = there.tau_to(q, robot.inverse_dynamics(q, v, a) - rotors(robot) * a)
    M = there.mass_matrix_to(q, robot.mass_matrix(q) - np.diag(rotors(robot)))
    frame = robot.body_names[-1]
    J = there.jacobian_to(q, robot.jacobian(q, frame))
    moved = there.q_to(robot.integrate(q, np.eye(robot.nv)[-1], 0.1))
    model.armature = np.zeros(model.nv)
    for k in range(4):
        close(tau[k], pin.rnea(model, data, q_there[k], v_there[k], a_there[k]))
        upper = np.triu(pin.crba(model, data, q_there[k]))
        close(M[k], upper + np.triu(upper, 1).T)
        pin.computeJointJacobians(model, data, q_there[k])
        number = model.getJointId(frame)
        exact = pin.getJointJacobian(model, data, number, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        close(J[k], exact)
        close(moved[k], pin.integrate(model, q_there[k], 0.1 * np.eye(model.nv)[-1]))


def rotors(robot):
    from quatrain.equations.tree import Tree

    found = np.zeros(robot.nv)
    for segment in Tree.of(robot.model).segments:
        found[segment.v : segment.v + segment.nv] += segment.armature
    return found


def test_pinocchios_planar_joint_moves_in_its_own_axes():
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelPlanar(), pin.SE3.Identity(), "sled")
    inertia = pin.Inertia(2.0, np.array([0.3, -0.2, 0.1]), np.diag([0.1, 0.2, 0.3]))
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    built = qt.ModelBuilder("sled")
    built.body("sled", joint="planar", mass=2.0, com=(0.3, -0.2, 0.1), inertia=(0.1, 0.2, 0.3))
    robot = Robot(built.model())
    there = convert.pinocchio(robot)
    q, v, a = random_state(robot.model, 1, 1)
    found = there.tau_to(q, robot.inverse_dynamics(q, v, a))[0]
    theirs = (there.q_to(q)[0], there.v_to(q, v)[0], there.a_to(q, v, a)[0])
    close(found, pin.rnea(model, model.createData(), *theirs))


@pytest.mark.parametrize("name", ["panda", "solo12", "go2"])
def test_mujoco_computes_the_same_with_its_own_numbers(name):
    pytest.importorskip("mujoco")
    robot = Robot(from_pinocchio(pinocchio_model(name)))
    twin = MujocoTree(robot.model)
    there = convert.mujoco(robot)
    q, v, a = random_state(robot.model, 3, 3)
    q_there, v_there = there.q_to(q), there.v_to(q, v)
    M, tau = there.mass_matrix_to(q, robot.mass_matrix(q)), there.tau_to(q, robot.inverse_dynamics(q, v, a))
    J = there.jacobian_to(q, robot.jacobian(q, robot.body_names[-1]))
    a_there = there.a_to(q, v, a)
    for k in range(3):
        close(M[k], twin.mass_matrix(q_there[k]))
        close(tau[k], twin.inverse_dynamics(q_there[k], v_there[k], a_there[k]))
        close(J[k], twin.jacobian(q_there[k], robot.body_names[-1]))


@pytest.mark.parametrize("name", ["arm7", "quadruped", "tree0", "tree1", "tree2"])
def test_drake_computes_the_same_with_its_own_numbers(name):
    """Of every joint that both have; Drake sorts joints in its own way."""
    pytest.importorskip("pydrake")
    from tests.truth.drake_plants import KINDS, DrakePlant

    def plain(joint):
        axes = joint.axes if len(joint.axes) < 2 else AXES[: len(joint.axes)]
        return replace(joint, armature=(), axes=axes)

    model = random_tree(int(name[4:]), 10, KINDS) if name.startswith("tree") else qt.examples.model(name)
    model = replace(model, bodies=tuple(replace(b, joint=plain(b.joint)) for b in model.bodies))
    robot, plant = Robot(model), DrakePlant(model)
    there = convert.drake(robot, joints=plant.joints)
    q, v, a = random_state(model, 4, 2)
    M, tau = robot.mass_matrix(q), robot.inverse_dynamics(q, v, a)
    J = robot.jacobian(q, robot.body_names[-1])
    for k in range(2):
        plant.set_state(there.q_to(q)[k], there.v_to(q, v)[k])
        close(there.mass_matrix_to(q, M)[k], plant.mass_matrix())
        close(there.tau_to(q, tau)[k], plant.inverse_dynamics(there.a_to(q, v, a)[k]))
        close(there.jacobian_to(q, J)[k], plant.jacobian(robot.body_names[-1]))


def test_joints_may_stand_in_another_order():
    """The tree as a file has it, and as Pinocchio sorts it."""
    pin = pytest.importorskip("pinocchio")
    model = pinocchio_model("talos")
    ours = from_pinocchio(model)
    rng = np.random.default_rng(0)
    # Limbs in reverse order.
    roots = [k for k, body in enumerate(ours.bodies) if body.parent == 0]
    limbs = [range(first, last) for first, last in zip(roots, [*roots[1:], ours.nb], strict=True)]
    order = [0, *(k for limb in reversed(limbs) for k in limb)]
    place = {k: n for n, k in enumerate(order)}
    bodies = tuple(replace(ours.bodies[k], parent=place.get(ours.bodies[k].parent, -1)) for k in order)
    robot = Robot(replace(ours, bodies=bodies, frames=()))
    there = convert.pinocchio(robot, joints=list(model.names)[1:])
    q = robot.random_configuration(rng)
    v, a = rng.normal(size=(2, robot.nv))
    tau = there.tau_to(q, robot.inverse_dynamics(q, v, a) - rotors(robot) * a)
    model.armature = np.zeros(model.nv)
    close(tau, pin.rnea(model, model.createData(), there.q_to(q), there.v_to(q, v), there.a_to(q, v, a)))


# ---- what every convention keeps ------------------------------------------------------------------------


@pytest.mark.parametrize("to", ALL)
def test_round_trips(to):
    for model in trees(to):
        there = to(model)
        q, v, a = random_state(model, 2, 8)
        rng = np.random.default_rng(1)
        J, M = rng.normal(size=(8, 6, model.nv)), rng.normal(size=(8, model.nv, model.nv))
        back = there.q_from(there.q_to(q))
        for body, start in zip(model.bodies, model.q_starts, strict=True):
            if body.joint.kind == "ball" and there.convention.ball_in_angles:
                own = back[:, start : start + 4]  # up to the sign
                own *= np.sign(np.sum(own * q[:, start : start + 4], axis=1))[:, None]
        close(back, q, 1e-14)
        close(there.v_from(q, there.v_to(q, v)), v, 1e-14)
        close(there.a_from(q, v, there.a_to(q, v, a)), a, 1e-14)
        close(there.tau_from(q, there.tau_to(q, v)), v, 1e-14)
        close(there.jacobian_from(q, there.jacobian_to(q, J)), J, 1e-14)
        close(there.mass_matrix_from(q, there.mass_matrix_to(q, M)), M, 1e-14)


@pytest.mark.parametrize("to", ALL)
def test_energy_power_and_velocities_of_frames_are_the_same(to):
    for model in trees(to):
        robot, there = Robot(model), to(model)
        q, v, a = random_state(model, 5, 3)
        M, tau, J = (
            robot.mass_matrix(q),
            robot.inverse_dynamics(q, v, a),
            robot.jacobian(q, model.frames[0].name),
        )
        w, u = there.v_to(q, v), there.tau_to(q, tau)
        close(np.einsum("na,nab,nb->n", w, there.mass_matrix_to(q, M), w), np.einsum("na,nab,nb->n", v, M, v))
        close(np.sum(u * w, axis=1), np.sum(tau * v, axis=1))
        rows = [3, 4, 5, 0, 1, 2] if there.convention.angular_rows_first else list(range(6))
        close(np.einsum("nia,na->ni", there.jacobian_to(q, J), w)[:, rows], np.einsum("nia,na->ni", J, v))


@pytest.mark.parametrize("to", ALL)
def test_their_accelerations_are_derivatives_of_their_velocities(to):
    """Differences of fourth order; 1e-9 is what they are good for."""
    h = 1e-3
    for model in trees(to):
        robot, there = Robot(model), to(model)
        q, v, a = random_state(model, 6, 3)

        def velocity(t, robot=robot, there=there, q=q, v=v, a=a):
            return there.v_to(robot.integrate(q, v, t), v + a * t)

        rate = (8 * (velocity(h) - velocity(-h)) - velocity(2 * h) + velocity(-2 * h)) / (12 * h)
        close(there.a_to(q, v, a), rate, 1e-9)


# ---- what stands where ------------------------------------------------------------------------------------


def carriage():
    """A free base, an arm on it, a ball at its end."""
    built = qt.ModelBuilder("carriage")
    built.body("base", joint="free", joint_name="base", mass=1.0, inertia=(1, 1, 1))
    built.body("arm", parent="base", joint_name="arm", axis="z", mass=1.0, inertia=(1, 1, 1))
    built.body("hand", parent="arm", joint="ball", joint_name="wrist", mass=1.0, inertia=(1, 1, 1))
    return built.model()


QUARTER = (0.5**0.5, 0.0, 0.0, 0.5**0.5)  # about z
Q = [1, 2, 3, *QUARTER, 0.4, 0.6, 0, 0.8, 0]
V = [10, 20, 30, 0.1, 0.2, 0.3, 7, 0.4, 0.5, 0.6]
r = QUARTER[0]


@pytest.mark.parametrize(
    ("to", "q", "v"),
    [
        (convert.mujoco, Q, V),
        (convert.pinocchio, [1, 2, 3, 0, 0, r, r, 0.4, 0, 0.8, 0, 0.6], [20, -10, 30, 0.1, 0.2, 0.3, 7, 0.4, 0.5, 0.6]),
        (convert.ros, [1, 2, 3, 0, 0, r, r, 0.4, 0, 0.8, 0, 0.6], [20, -10, 30, 0.1, 0.2, 0.3, 7, 0.4, 0.5, 0.6]),
        (convert.rbdl, [1, 2, 3, 0, 0, r, 0.4, 0, 0.8, 0, r, 0.6], V),
        (
            convert.drake,
            # A turn of 2 acos 0.6 about y: beyond a quarter turn, pitch comes back and roll and yaw are half turns.
            [r, 0, 0, r, 1, 2, 3, 0.4, np.pi, np.pi - 2 * np.arccos(0.6), np.pi],
            [-0.2, 0.1, 0.3, 10, 20, 30, 7, 0.4 * -0.28 + 0.6 * 0.96, 0.5, -0.4 * 0.96 + 0.6 * -0.28],
        ),
    ],
)  # fmt: skip
def test_every_number_stands_where_the_program_looks_for_it(to, q, v):
    there = to(carriage())
    np.testing.assert_allclose(there.q_to(Q), q, atol=1e-15)
    np.testing.assert_allclose(there.v_to(Q, V), v, atol=1e-14)


def test_unbounded_angles_are_cosine_and_sine_for_pinocchio():
    model = qt.ModelBuilder("wheel").body("wheel", joint="continuous", mass=1.0, inertia=(1, 1, 1)).model()
    there = convert.pinocchio(model)
    np.testing.assert_allclose(there.q_to([[0.3], [7.0]]), [[np.cos(x), np.sin(x)] for x in (0.3, 7.0)])
    np.testing.assert_allclose(there.q_from(there.q_to([7.0])), [7.0 - 2 * np.pi], atol=1e-15)
    assert convert.ros(model).nq == 1


def test_axes_of_a_free_joint_may_be_any():
    model = random_tree(0, 3, ("revolute",), root="free")
    turned = replace(model.bodies[0], joint=replace(model.bodies[0].joint, axes=(AXES[1], AXES[2], AXES[0])))
    model = replace(model, bodies=(turned, *model.bodies[1:]))
    q = np.zeros(model.nq)
    q[:7] = [1, 2, 3, 1, 0, 0, 0]
    np.testing.assert_array_equal(convert.ros(model).q_to(q)[:3], [3, 1, 2])


# ---- mistakes -------------------------------------------------------------------------------------------


def test_mistakes_are_answered():
    arm = qt.examples.model("arm6")
    with pytest.raises(qt.ArgumentError, match="robot is a str"):
        convert.ros("arm6")
    with pytest.raises(qt.ArgumentError, match=r"q has shape \(3,\); here it is \(\.\.\., 6\)"):
        convert.ros(arm).q_to([1, 2, 3])
    with pytest.raises(qt.ArgumentError, match=r"joints leaves out 'joint6'.\n.*each of joint1, joint2"):
        convert.ros(arm, joints=[f"joint{k}" for k in range(1, 6)])
    with pytest.raises(qt.ArgumentError, match="joints names one twice"):
        convert.ros(arm, joints=["joint1", *(f"joint{k}" for k in range(1, 7))])
    with pytest.raises(qt.ArgumentError, match=r"J has shape \(3, 6\)"):
        convert.drake(arm).jacobian_to(np.zeros(6), np.zeros((3, 6)))
    screw = random_tree(1, 2, ("helical",))
    with pytest.raises(qt.ArgumentError, match="joint 'j0' is helical, which MuJoCo has not"):
        convert.mujoco(screw)
