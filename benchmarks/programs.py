"""Programs that the compiler is measured with, besides the chains: polynomials, and a body's time step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chains
import numpy as np

from quatrain import Quaternion, SymMat3, Vec3, cross
from quatrain.compiler import Program, Rollout, rollout, trace

Function = Callable[..., Any]


def chain_program(joints: int) -> Program:
    """Inverse dynamics of a serial chain; the result is one array, as a method of a robot gives it."""
    inverse_dynamics = chains.inverse_dynamics(chains.random_chain(joints))

    def torques(q: Any, v: Any, a: Any) -> Any:
        return inverse_dynamics(q, v, a)["tau"]

    return trace(torques, {"q": joints, "v": joints, "a": joints}, name=f"chain of {joints}")


def polynomials(count: int, degree: int) -> Program:
    """−log(1 − x) by its series, for several independent x at once: one product and one sum a term, no more."""

    def series(x: Any) -> Any:
        value = np.full(count, 1.0 / (degree + 1), dtype=object)
        for k in range(degree, 0, -1):
            value = value * x + 1.0 / k
        return value

    return trace(series, {"x": count}, name=f"{count} polynomials of degree {degree}")


# ---- a free rigid body -------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """Position and velocity in W, orientation and angular velocity of body B, or their rates: 13 numbers."""

    p_WB: Any
    q_WB: Any
    v_WB: Any
    w_WB_B: Any

    def __add__(self, other: State) -> State:
        return State(
            self.p_WB + other.p_WB,
            self.q_WB + other.q_WB,
            self.v_WB + other.v_WB,
            self.w_WB_B + other.w_WB_B,
        )

    def __mul__(self, factor: Any) -> State:
        return State(self.p_WB * factor, self.q_WB * factor, self.v_WB * factor, self.w_WB_B * factor)


STATE = State(Vec3, Quaternion, Vec3, Vec3)
MASS = 2.0
INERTIA = SymMat3(0.02, 0.03, 0.04, 0.001, -0.002, 0.003)
GRAVITY = Vec3(0.0, 0.0, -9.81)
TIME_STEP = 1e-3


def rate(x: State, thrust: Any, torque: Vec3) -> State:
    """Newton and Euler for a body driven by a thrust along its z axis and a torque, both in its frame.

    m v̇ = R (0, 0, thrust) + m g,   q̇ = ½ q ⊗ ω,   I ω̇ = τ − ω × I ω
    """
    acceleration = x.q_WB.rotate(Vec3(0, 0, thrust)) * (1 / MASS) + GRAVITY
    angular = INERTIA.inverse() @ (torque - cross(x.w_WB_B, INERTIA @ x.w_WB_B))
    return State(x.v_WB, x.q_WB.derivative(x.w_WB_B), acceleration, angular)


def rk4_step(x: State, thrust: Any, torque: Vec3) -> State:
    k1 = rate(x, thrust, torque)
    k2 = rate(x + k1 * (TIME_STEP / 2), thrust, torque)
    k3 = rate(x + k2 * (TIME_STEP / 2), thrust, torque)
    k4 = rate(x + k3 * TIME_STEP, thrust, torque)
    return x + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (TIME_STEP / 6)


def step_program() -> Program:
    """One step, as a program from arrays to arrays."""
    return trace(rk4_step, {"x": STATE, "thrust": float, "torque": Vec3}, name="one RK4 step")


def step_rollout() -> Rollout:
    """The same step over and over; the state is recorded."""

    def step(index: Any, state: State, parameters: dict[str, Any], inputs: Any) -> Any:
        following = rk4_step(state, parameters["thrust"], parameters["torque"])
        return following, {"state": following}

    return rollout(step, state=STATE, parameters={"thrust": float, "torque": Vec3}, name="RK4 steps")


def random_bodies(batch: int, seed: int = 0) -> dict[str, Any]:
    """Arrays by the names of the inputs of `step_program`."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(batch, 4))
    return {
        "x.p_WB": rng.normal(size=(batch, 3)),
        "x.q_WB": q / np.linalg.norm(q, axis=1, keepdims=True),
        "x.v_WB": rng.normal(size=(batch, 3)),
        "x.w_WB_B": rng.normal(size=(batch, 3)),
        "thrust": MASS * 9.81 + rng.normal(size=batch),
        "torque": 0.01 * rng.normal(size=(batch, 3)),
    }


def rollout_names(arrays: dict[str, Any]) -> dict[str, Any]:
    """The same arrays by the names of the inputs of `step_rollout`."""
    return {
        name.replace("x.", "state.", 1) if name.startswith("x.") else f"parameters.{name}": array
        for name, array in arrays.items()
    }
