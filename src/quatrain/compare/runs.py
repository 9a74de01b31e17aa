"""One formulation over time, as one compiled loop in which the largest deviations are kept."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from quatrain.compare.formulations import Formulation, Stabilisation
from quatrain.compare.methods import Method
from quatrain.compare.motion import Motion
from quatrain.compiler import RolloutKernel, iterate, rollout
from quatrain.compiler.counts import operations
from quatrain.equations.stepping import DOP853, ROTATIONS, Tolerance, generalized_alpha_start, integrate
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.scalar import Scalar, abs, maximum

TIGHT = Tolerance(1e-13, 1e-15)
MOST_ATTEMPTS = 2000
"""Within one interval of the reference."""


@dataclass(frozen=True)
class Reference:
    """The motion as it is: attitude and rate at the recorded times and at the end."""

    t: Any
    q: Quaternion
    w: Vec3
    q_end: Quaternion
    scale_of_energy: float
    """The largest kinetic energy on the way."""


@dataclass(frozen=True)
class Track:
    """What one run left: largest deviations so far at the recorded times, and the state there."""

    t: Any
    x: Any
    dx: Any
    norm: Any
    energy: Any
    momentum: Any
    end: tuple[Any, Any]
    worst: dict[str, float]


def recorded_times(h: float, steps: int, every: int) -> Any:
    """The kernel records after the steps 0, k, 2k …"""
    return h * (np.arange(0, steps, every) + 1)


def reference(motion: Motion, h: float, steps: int, every: int) -> Reference:
    """Newton and Euler's equations by DOP853 at a tolerance near rounding, from one record to the next."""
    system = motion.rotating_body().system()

    def one(index: Scalar, at: Any, parameters: Any, inputs: Any) -> Any:
        h = parameters["h"]
        t = index * h
        done = integrate(
            system,
            t,
            at["q"],
            at["w"],
            t + h,
            iterate=iterate,
            pair=DOP853,
            tolerance=TIGHT,
            h=h,
            most=MOST_ATTEMPTS,
        )
        q, w = ROTATIONS.project(done.state.q, done.state.v)
        reached = at["reached"] * done.converged
        energy = maximum(at["energy"], motion.kinetic_energy(w))
        return {"q": q, "w": w, "reached": reached, "energy": energy}, {"q": q, "w": w, "reached": reached}

    loop = rollout(
        one,
        state={"q": Quaternion, "w": Vec3, "reached": float, "energy": float},
        parameters={"h": float},
        name="reference",
        origins=False,
    )
    start = {
        "state.q": motion.q_WB.to_array(),
        "state.w": motion.w_WB_B.to_array(),
        "state.reached": 1.0,
        "state.energy": float(motion.kinetic_energy(motion.w_WB_B)),
        "parameters.h": h,
    }
    done = RolloutKernel(loop)(start, steps, every)
    q, w = done.records["record.q"], done.records["record.w"]
    t = recorded_times(h, steps, every)
    if not done.final["state.reached"]:
        late = t[np.argmin(done.records["record.reached"])]
        raise ArgumentError(
            f"the reference solution does not get past a time before t = {late:.6g} s: more than {MOST_ATTEMPTS} "
            f"steps at a relative tolerance of {TIGHT.relative:g} within {h:g} s",
            do="see whether the torque is finite and smooth there; or compare over a shorter duration",
        )
    return Reference(
        t,
        Quaternion.from_array(q),
        Vec3.from_array(w),
        Quaternion(*done.final["state.q"]),
        float(done.final["state.energy"]),
    )


@dataclass(frozen=True)
class Run:
    """A formulation with a stepper and what is done about the norm, on one motion, ready to go."""

    motion: Motion
    formulation: Formulation
    stabilisation: Stabilisation
    method: Method

    def program(self) -> Any:
        """The step alone, with nothing measured."""
        system = self.formulation.system(self.motion, self.stabilisation)
        kinds = self._kinds()

        def step(index: Scalar, at: Any, parameters: Any, inputs: Any) -> Any:
            return self._advanced(system, index, at, parameters["h"]), {}

        return rollout(step, state=kinds, parameters={"h": float}, name=self.title, origins=False)

    @property
    def title(self) -> str:
        return f"{self.formulation.name} {self.stabilisation.name} {self.method.name}"

    def kernel(self) -> RolloutKernel:
        """The step, and the largest deviations so far."""
        system, motion = self.formulation.system(self.motion, self.stabilisation), self.motion
        watched = [name for name, kept in self._kept().items() if kept]

        def step(index: Scalar, at: Any, parameters: Any, inputs: Any) -> Any:
            after = self._advanced(system, index, at, parameters["h"])
            q, w, norm = self.formulation.attitude(after["x"], after["dx"])
            deviation: dict[str, Any] = {"norm": abs(norm - 1)}
            if "energy" in watched:
                deviation["energy"] = abs(motion.energy(q, w) - parameters["energy"])
            if "condition" in watched:
                deviation["condition"] = self.formulation.condition(after["x"])
            if "momentum" in watched:
                deviation["momentum"] = (motion.momentum(q, w) - parameters["momentum"]).norm()
            worst = {name: maximum(at[name], deviation[name]) for name in watched}
            return {**after, **worst}, {"x": after["x"], "dx": after["dx"], **worst}

        loop = rollout(
            step,
            state={**self._kinds(), **dict.fromkeys(watched, float)},
            parameters={"h": float, "energy": float, "momentum": Vec3},
            name=self.title,
            origins=False,
        )
        return RolloutKernel(loop)

    def track(self, kernel: RolloutKernel, truth: Reference, h: float, steps: int, every: int) -> Track:
        """One run of a kernel of ours."""
        motion, kept = self.motion, self._kept()
        momentum = motion.momentum(motion.q_WB, motion.w_WB_B)
        arrays = {
            **self._start(),
            **{f"state.{name}": 0.0 for name in kept if kept[name]},
            "parameters.h": h,
            "parameters.energy": float(motion.energy(motion.q_WB, motion.w_WB_B)),
            "parameters.momentum": momentum.to_array(),
        }
        done = kernel(_only_known(kernel, arrays), steps, every)
        scale = {
            "norm": 1.0,
            "energy": truth.scale_of_energy,
            "momentum": float(momentum.norm()) or 1.0,
            "condition": 1.0,
        }
        curves = {name: done.records[f"record.{name}"] / scale[name] for name in kept if kept[name]}
        worst = {name: float(done.final[f"state.{name}"]) / scale[name] for name in curves}
        kinds = self._kinds()
        return Track(
            recorded_times(h, steps, every),
            kinds["x"](*np.moveaxis(done.records["record.x"], -1, 0)),
            kinds["dx"](*np.moveaxis(done.records["record.dx"], -1, 0)),
            curves["norm"],
            curves.get("energy"),
            curves.get("momentum"),
            (kinds["x"](*done.final["state.x"]), kinds["dx"](*done.final["state.dx"])),
            worst,
        )

    def operations(self, loop: Any) -> int:
        """Arithmetic operations of one step."""
        return sum(operations(loop.step, iterations=1).values())

    def nanoseconds(self, loop: Any, h: float, *, elements: int = 256, steps: int = 200) -> float:
        """Of one step of one body, in a batch on one thread; the best of five runs."""
        kernel = RolloutKernel(loop)
        start = {
            name: np.broadcast_to(value, (elements, *np.shape(value)))
            for name, value in self._start().items()
        }
        arrays = _only_known(kernel, {**start, "parameters.h": h})
        times = []
        for _ in range(6):
            begin = perf_counter()
            kernel(arrays, steps, steps)
            times.append(perf_counter() - begin)
        return min(times[1:]) / (elements * steps) * 1e9

    # ---- parts --------------------------------------------------------------------------------------

    def _kept(self) -> dict[str, bool]:
        x, _ = self.formulation.start(self.motion)
        return {
            "norm": True,
            "energy": self.motion.keeps_energy,
            "momentum": self.motion.is_free,
            "condition": self.formulation.condition(x) is not None,
        }

    def _kinds(self) -> dict[str, Any]:
        x, dx = self.formulation.start(self.motion)
        kinds: dict[str, Any] = {"x": type(x), "dx": type(dx)}
        return {**kinds, "dv": type(dx), "a": type(dx)} if self.method.remembers else kinds

    def _start(self) -> dict[str, Any]:
        x, dx = self.formulation.start(self.motion)
        arrays = {"state.x": x.to_array(), "state.dx": dx.to_array()}
        if self.method.remembers:
            system = self.formulation.system(self.motion, self.stabilisation)
            dv, a = generalized_alpha_start(system, 0.0, x, dx)
            arrays |= {"state.dv": dv.to_array(), "state.a": a.to_array()}
        return arrays

    def _advanced(self, system: Any, index: Scalar, at: Any, h: Scalar) -> dict[str, Any]:
        memory = (at["dv"], at["a"]) if self.method.remembers else ()
        x, dx, memory = self.method.step(self.motion, system, index * h, at["x"], at["dx"], memory, h)
        after = {"x": x, "dx": dx}
        return {**after, "dv": memory[0], "a": memory[1]} if self.method.remembers else after


def _only_known(kernel: RolloutKernel, arrays: dict[str, Any]) -> dict[str, Any]:
    """Without the arrays for what the program turned out not to need."""
    known = {port.name for port in kernel.rollout.step.inputs}
    return {name: array for name, array in arrays.items() if name in known}
