"""How fast a robot is on this machine: its quantities, its steps, and MuJoCo beside them where that is installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from quatrain import formats
from quatrain.errors import QuatrainError
from quatrain.formats.writing import Target
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
    """Of each quantity the time for one state in batches of these sizes, one thread; last, MuJoCo's call."""
    theirs = _mujoco_calls(robot)
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
        peer = best(theirs[name]) * 1e9 if name in theirs else float("nan")
        yield Speed(name, (*found, peer))


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
