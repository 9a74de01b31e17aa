"""How fast a robot is on this machine: its quantities and steps, beside MuJoCo and Pinocchio if installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from quatrain import convert, formats
from quatrain.errors import QuatrainError
from quatrain.formats.writing import Target
from quatrain.geometry import Pose
from quatrain.model import AXES, WORLD, Joint
from quatrain.robot import Robot
from quatrain.tree_simulation import TreeSimulation

QUANTITIES = (
    *(
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "bias_force",
        "gravity_force",
        "coriolis_matrix",
    ),
    *("poses", "center_of_mass", "momentum", "energy"),
)
METHODS = ("semi_implicit_euler", "linearly_implicit_euler", "rk4", "rkmk4", "implicit_midpoint", "dopri5")
"""If nobody names others; of an adaptive one a step is what is read, every millisecond."""
BATCHES = (1, 64, 4096)
PEERS = ("MuJoCo", "Pinocchio")
"""Whose calls for one state stand beside our quantities; of steps there are MuJoCo's alone."""
STEPS, DT = 50, 1e-3
LEAST = 0.05
"""Seconds for each figure, and three calls at least."""


@dataclass(frozen=True)
class Speed:
    """Nanoseconds for one state or one step of one motion, by what each column says; NaN: not measured."""

    name: str
    figures: tuple[float, ...]


def best(run: Callable[[], Any]) -> float:
    """Seconds of one call, the best of those that fit into a short while."""
    run()
    found, end, calls = float("inf"), time.perf_counter() + LEAST, 0
    while calls < 3 or time.perf_counter() < end:
        began = time.perf_counter()
        run()
        found, calls = min(found, time.perf_counter() - began), calls + 1
    return found


def states(robot: Robot, batch: int) -> tuple[Any, Any, Any]:
    """Random q, v, and a or tau."""
    rng = np.random.default_rng(0)
    v, a = rng.normal(size=(2, batch, robot.nv)) * 0.5
    return robot.random_configuration(rng, batch), v, a


def quantities(robot: Robot, batches: Sequence[int] = BATCHES) -> Iterator[Speed]:
    """Of each quantity the time for one state in batches of these sizes, one thread; last, calls of PEERS."""
    peers = (_mujoco_calls(robot), _pinocchio_calls(robot))
    for name in QUANTITIES:
        count = {"inverse_dynamics": 3, "forward_dynamics": 3, "bias_force": 2, "coriolis_matrix": 2}.get(
            name, 1
        )
        count = 2 if name in ("momentum", "energy") else count
        found = []
        for batch in batches:
            given = states(robot, batch)[:count]
            given = given if batch > 1 else tuple(array[0] for array in given)
            found.append(best(partial(getattr(robot, name), *given)) / batch * 1e9)
        theirs = [best(calls[name]) * 1e9 if name in calls else float("nan") for calls in peers]
        yield Speed(name, (*found, *theirs))


def methods(
    robot: Robot, names: Sequence[str] = METHODS, batch: int = BATCHES[-1], threads: int = -1
) -> Iterator[Speed]:
    """Of each method the time for a step: of one motion, of a batch on one thread, on more; MuJoCo's Euler and RK4."""
    rollouts = _mujoco_rollouts(robot)
    q, v, _ = states(robot, batch)
    for name in names:
        options: dict[str, Any] = {"method": name, "record": ("q",)}
        one = TreeSimulation(robot.model, **options)
        long: dict[str, Any] = {"duration": 1000 * DT, "dt": DT, "record_every": 1000}
        how: dict[str, Any] = {"duration": STEPS * DT, "dt": DT, "record_every": STEPS}
        alone = best(partial(one, q[0], v[0], **long)) / 1000 * 1e9
        many = best(partial(one, q, v, **how)) / STEPS / batch * 1e9
        every = TreeSimulation(robot.model, threads=threads, **options)
        on_all = best(partial(every, q, v, **how)) / STEPS / batch * 1e9
        peer = best(rollouts[name]) / STEPS / 16 * 1e9 if name in rollouts else float("nan")
        yield Speed(name, (alone, many, on_all, peer))


# ---- MuJoCo ----------------------------------------------------------------------------------------------


def mujoco_twin(robot: Robot) -> Any:
    """(the module, the machine as MuJoCo reads it from our MJCF, without constraints), or None."""
    try:
        import mujoco

        text = formats.write(robot.model, "mjcf", Target("twin.xml", None)).text
        model = mujoco.MjModel.from_xml_string(text)
    except (ImportError, QuatrainError, ValueError):
        return None
    if (model.nq, model.nv) != (robot.nq, robot.nv):
        return None
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.timestep = DT
    return mujoco, model


def _mujoco_calls(robot: Robot) -> dict[str, Callable[[], Any]]:
    twin = mujoco_twin(robot)
    if twin is None:
        return {}
    mujoco, model = twin
    data = mujoco.MjData(model)
    q, v, a = (array[0] for array in states(robot, 1))
    data.qpos[:], data.qvel[:], data.qacc[:], data.qfrc_applied[:] = q, v, a, a
    return {
        "inverse_dynamics": partial(mujoco.mj_inverse, model, data),
        "forward_dynamics": partial(mujoco.mj_forward, model, data),
        "poses": partial(mujoco.mj_kinematics, model, data),
    }


def _mujoco_rollouts(robot: Robot) -> dict[str, Callable[[], Any]]:
    twin = mujoco_twin(robot)
    if twin is None:
        return {}
    mujoco, model = twin
    from mujoco import rollout

    q, v, _ = states(robot, 16)
    data, size = mujoco.MjData(model), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((16, size))
    start[:, 1 : 1 + model.nq], start[:, 1 + model.nq : 1 + model.nq + model.nv] = q, v
    found: dict[str, Callable[[], Any]] = {}
    for name, integrator in (("semi_implicit_euler", "EULER"), ("rk4", "RK4")):
        own = mujoco.MjModel.from_xml_string(
            formats.write(robot.model, "mjcf", Target("twin.xml", None)).text
        )
        own.opt.disableflags, own.opt.timestep = model.opt.disableflags, DT
        own.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
        found[name] = partial(rollout.rollout, own, data, start, nstep=STEPS)
    return found


# ---- Pinocchio -------------------------------------------------------------------------------------------


def pinocchio_twin(robot: Robot) -> Any:
    """(the module, the machine as its model, joint by joint in our order), or None."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    there, places = (
        pin.Model(),
        {WORLD: (0, pin.SE3.Identity())},
    )  # of each body: its joint there, and B in that
    there.gravity.linear = np.array(list(robot.model.gravity))
    for k, body in enumerate(robot.model.bodies):
        joint, X = places[body.parent]
        X = X * _placement(pin, body.joint.X_PJ)
        if body.joint.kind != "fixed":
            kind = None if body.joint.mimic else _pinocchio_joint(pin, body.joint)
            if kind is None:
                return None
            joint, X = there.addJoint(joint, kind, X, body.joint.name), pin.SE3.Identity()
            first = there.joints[joint].idx_v
            for i, rotor in enumerate(body.joint.armature):
                there.armature[first + i] = rotor
        X = X * _placement(pin, body.joint.X_MB)
        places[k] = joint, X
        inertia = np.reshape(list(body.I_Bcm_B.to_mat3()), (3, 3))
        there.appendBodyToJoint(joint, pin.Inertia(body.mass, np.array(list(body.p_BBcm)), inertia), X)
    return pin, there


def _placement(pin: Any, X: Pose) -> Any:
    return pin.SE3(np.reshape(list(X.q.to_matrix()), (3, 3)), np.array(list(X.p)))


def _pinocchio_joint(pin: Any, joint: Joint) -> Any:
    """Its fastest of that kind; None where it has none with our coordinates or those of `convert.pinocchio`."""
    axes = [np.array(list(axis)) for axis in joint.axes]
    if joint.kind in ("free", "planar"):
        whole = pin.JointModelFreeFlyer if joint.kind == "free" else pin.JointModelPlanar
        return whole() if joint.axes == AXES else None
    if joint.kind == "ball":
        return pin.JointModelSpherical()
    along = {
        "revolute": ("R", pin.JointModelRevoluteUnaligned),
        "continuous": ("RUB", None),  # from Python its unbounded joint about any axis can be given none
        "prismatic": ("P", pin.JointModelPrismaticUnaligned),
    }
    if joint.kind in along:
        short, unaligned = along[joint.kind]
        for letter, axis in zip("XYZ", AXES, strict=True):
            if joint.axes[0] == axis:
                return getattr(pin, f"JointModel{short}{letter}")()
        return unaligned and unaligned(axes[0])
    return pin.JointModelUniversal(*axes) if joint.kind == "universal" else None


def _pinocchio_calls(robot: Robot) -> dict[str, Callable[[], Any]]:
    twin = pinocchio_twin(robot)
    if twin is None:
        return {}
    pin, model = twin
    data, there = model.createData(), convert.pinocchio(robot)
    ours, v, a = (array[0] for array in states(robot, 1))
    q, tau = there.q_to(ours), there.tau_to(ours, a)
    v, a = there.v_to(ours, v), there.a_to(ours, v, a)
    return {
        "inverse_dynamics": partial(pin.rnea, model, data, q, v, a),
        "forward_dynamics": partial(pin.aba, model, data, q, v, tau),
        "mass_matrix": partial(pin.crba, model, data, q),
        "bias_force": partial(pin.nonLinearEffects, model, data, q, v),
        "gravity_force": partial(pin.computeGeneralizedGravity, model, data, q),
        "coriolis_matrix": partial(pin.computeCoriolisMatrix, model, data, q, v),
        "poses": partial(pin.forwardKinematics, model, data, q),
        "center_of_mass": partial(pin.centerOfMass, model, data, q),
        "momentum": partial(pin.computeCentroidalMomentum, model, data, q, v),
        "energy": partial(pin.computeMechanicalEnergy, model, data, q, v),
    }
