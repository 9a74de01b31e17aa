"""Runs of trees of bodies, all of a run in one kernel: `qt.simulate(robot, …)`, `robot.simulation(…)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.compiler import structure
from quatrain.control import Control, Event, PythonLaw
from quatrain.equations import dynamics
from quatrain.equations.stepping import Tolerance
from quatrain.equations.tree import Tree
from quatrain.equations.tree_motion import Force, Loads
from quatrain.errors import ArgumentError
from quatrain.gathering import Progress, Tell
from quatrain.model import Model
from quatrain.run_checks import unit_quaternions
from quatrain.simulation import Simulation, Stepper
from quatrain.steppers import ORDER
from quatrain.trajectory import Quantity, Trajectory
from quatrain.tree_runs import RUNAWAY, Sensor, recorded, tree_mechanism
from quatrain.varying import Part

if TYPE_CHECKING:
    from quatrain.compiler.explain import Explanation
    from quatrain.robot import Robot

RECORDED = ("q", "v", "energy")
"""What is recorded if nobody says what; and tau, where there is a control law."""


class TreeSimulation:
    """A model, a method, forces and a law, compiled; call it with starts and a duration, as often as you like."""

    def __init__(
        self,
        model: Model,
        *,
        method: str | Stepper = "rk4",
        control: Control | PythonLaw | Callable[..., Any] | None = None,
        forces: Iterable[Force] | Force = (),
        passive: bool = True,
        record: Iterable[str] | Mapping[str, Sensor | None] | None = None,
        events: Mapping[str, Event | Callable[..., Any]] | None = None,
        vary: Iterable[str] = (),
        parameters: Iterable[str] = (),
        tolerance: float | Tolerance | None = None,
        substeps: int = 1,
        runaway: float | Mapping[str, float] = RUNAWAY,
        device: str = "cpu",
        dtype: str = "float64",
        threads: int | None = None,
    ) -> None:
        """`vary` names parts of the model that each call gives, as for `qt.compile`; `parameters` are names of your
        own, which laws and forces find in p. The other arguments are those of `simulate`.
        """
        if not model.nv:
            raise ArgumentError(
                f"{model.name} has no joint that moves", do="give it one, or load it with base='floating'"
            )
        if device != "cpu":
            raise ArgumentError(
                f"device is {device!r}", do="pass device='cpu', the only one there is for runs so far"
            )
        forces = (forces,) if callable(forces) else tuple(forces)
        for force in forces:
            if not callable(force):
                raise ArgumentError(
                    f"a force is a {type(force).__name__}, which cannot be called",
                    do="pass functions of the state, such as quatrain.forces.Spring(…)",
                )
        self._options: dict[str, Any] = {
            "method": method,
            "control": control,
            "forces": forces,
            "passive": passive,
            "record": record,
            "vary": vary,
            "parameters": tuple(parameters),
            "substeps": substeps,
            "runaway": runaway,
            "dtype": dtype,
            "threads": threads,
        }
        self._halved: TreeSimulation | None = None
        controlled = control is not None
        loads = Loads(forces, passive)
        names = record if record is not None else (*RECORDED, "tau") if controlled else RECORDED
        wanted = recorded(model, names, loads, controlled=controlled)
        self.loads = loads
        self.model, self.vary = model, (vary,) if isinstance(vary, str) else tuple(vary)
        mechanism = tree_mechanism(model, loads, wanted, self.vary, controlled=controlled, runaway=runaway)
        if isinstance(tolerance, (int, float)):
            tolerance = Tolerance(float(tolerance), 1e-3 * float(tolerance))
        self.simulation = Simulation(
            mechanism,
            method=method,
            control=control,
            events=events,
            tolerance=tolerance,
            substeps=substeps,
            parameters=self._options["parameters"],
            dtype=dtype,
            threads=threads,
        )
        self.simulation.mechanism = replace(mechanism, quantities=tuple(self._measured(mechanism.quantities)))

    def explain(
        self, q: Any, v: Any, *, t: float = 0.0, parameters: Mapping[str, Any] | None = None
    ) -> Explanation:
        """What law, forces and dynamics give in a state, and in which line the first NaN arises; `print` it."""
        from quatrain.explaining import explained

        q, v = self._shaped(q, "q", self.model.nq), self._shaped(v, "v", self.model.nv)
        return explained(self, q, v, t, parameters or {})

    def truncation(self, q0: Any = None, v0: Any = None, *, duration: float, **how: Any) -> dict[str, Any]:
        """How far the steps have led astray: for each column and motion the largest error, as half the step tells.

        Two runs are made, the second with twice the sub-steps under the same answers of the law; of order p, their
        difference times 2ᵖ/(2ᵖ − 1) is the error of the first. It says nothing where the motion is chaotic.
        """
        method = self.simulation.marching.name
        if method not in ORDER:
            raise ArgumentError(
                f"the truncation error of {method} cannot be had by halving its steps",
                do=f"take one of {', '.join(ORDER)}; of an adaptive method run once more with another tolerance",
            )
        if self._halved is None:
            substeps = 2 * self._options["substeps"]
            self._halved = TreeSimulation(self.model, **{**self._options, "substeps": substeps})
        coarse, fine = (run(q0, v0, duration=duration, **how) for run in (self, self._halved))
        factor = 2.0 ** ORDER[method] / (2.0 ** ORDER[method] - 1)
        found = {}
        for name in coarse.columns:
            apart = np.abs(np.asarray(coarse[name]) - np.asarray(fine[name])) * factor
            found[name] = apart.max(axis=tuple(range(len(coarse.batch), apart.ndim)))
        return found

    def _measured(self, quantities: Iterable[Quantity]) -> Iterable[Quantity]:
        """With the names of the components that sensors turned out to have."""
        outputs: Any = self.simulation.kernel.rollout.step.output_structure
        record = next(
            part for name, part in zip(outputs.names, outputs.parts, strict=True) if name == "record"
        )
        leaves = dict(structure.ports(record, ""))
        for quantity in quantities:
            leaf = leaves.get(quantity.name)
            if quantity.components or leaf is None or not leaf.shape:
                yield quantity
            elif isinstance(leaf, structure.Record):
                yield replace(quantity, components=leaf.fields)
            else:
                yield replace(quantity, components=tuple(map(str, range(leaf.shape[0]))))

    @property
    def operations(self) -> dict[str, int]:
        """Of one step, how many of each kind."""
        return self.simulation.kernel.operations

    @property
    def compile_seconds(self) -> float:
        return self.simulation.kernel.compile_seconds

    def __call__(
        self,
        q0: Any = None,
        v0: Any = None,
        *,
        duration: float,
        dt: float = 1e-3,
        record_every: int = 1,
        start: float = 0.0,
        parameters: Mapping[str, Any] | None = None,
        normalize: str = "check",
        progress: Progress | Tell | bool = False,
        out: str | Path | None = None,
        resume: bool = False,
        chunk: int | None = None,
    ) -> Trajectory:
        """The motions from these starts, arrays (..., nq) and (..., nv); without them from neutral, at rest."""
        q0 = np.array(dynamics.neutral(self.model), float) if q0 is None else q0
        v0 = np.zeros(self.model.nv) if v0 is None else v0
        q0, v0 = self._shaped(q0, "q0", self.model.nq), self._shaped(v0, "v0", self.model.nv)
        for name, values in (parameters or {}).items():
            if name.endswith(".mass") and name in self.vary and not np.all(np.asarray(values, float) >= 0):
                raise ArgumentError(
                    f"the parameter {name!r} has a mass below zero", do="give masses of 0 kg or more"
                )
        run = self.simulation(
            self._unit(q0, normalize),
            v0,
            duration=duration,
            dt=dt,
            record_every=record_every,
            start=start,
            parameters=parameters,
            progress=progress,
            out=out,
            resume=resume,
            chunk=chunk,
        )
        return replace(run, model=self.model)

    def _shaped(self, values: Any, name: str, size: int) -> Any:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise ArgumentError(f"{name} holds {array.dtype}, not numbers", do="pass an array of floats")
        if array.shape[-1:] != (size,):
            raise ArgumentError(
                f"{name} has shape {array.shape}; {self.model.name} needs (..., {size})",
                do="print robot.coordinates() to see what its entries are",
            )
        return array

    def _unit(self, q0: Any, normalize: str) -> Any:
        """q0 with quaternions of unit norm, or an error that names the joint."""
        names = self.model.q_names
        for segment in Tree.of(self.model).segments:
            if segment.kind == "ball":
                own = slice(segment.q, segment.q + 4)
                joint = names[segment.q].removesuffix(".qw")
                unit = unit_quaternions(
                    q0[..., own], f"q0 at joint {joint!r}, entries {own.start} to {own.stop - 1},", normalize
                )
                if normalize == "project":
                    q0 = np.array(q0, float)
                    q0[..., own] = unit
        return q0


def simulate(
    robot: Robot | Model,
    q0: Any = None,
    v0: Any = None,
    *,
    duration: float,
    dt: float = 1e-3,
    method: str | Stepper = "rk4",
    control: Control | PythonLaw | Callable[..., Any] | None = None,
    forces: Iterable[Force] | Force = (),
    passive: bool = True,
    parameters: Mapping[str, Any] | None = None,
    record: Iterable[str] | Mapping[str, Sensor | None] | None = None,
    record_every: int = 1,
    events: Mapping[str, Event | Callable[..., Any]] | None = None,
    tolerance: float | Tolerance | None = None,
    substeps: int = 1,
    runaway: float | Mapping[str, float] = RUNAWAY,
    start: float = 0.0,
    normalize: str = "check",
    progress: Progress | Tell | bool = False,
    out: str | Path | None = None,
    resume: bool = False,
    chunk: int | None = None,
    truncation: bool = False,
    device: str = "cpu",
    dtype: str | None = None,
    threads: int | None = None,
) -> Trajectory:
    """The motions of a robot from q0 (..., nq) and v0 (..., nv), for a batch of any size in one call of compiled code.

    `method`: "semi_implicit_euler", "linearly_implicit_euler" (springs, damping and friction of joints taken at the
    end of the step), "rk4", "rkmk4", "crouch_grossman3", "crouch_grossman4", "implicit_midpoint", "generalized_alpha";
    "dopri5" and "dop853" take steps that `tolerance` allows, and are read every dt.
    `substeps`: so many steps of the method in each dt, under one answer of the law.
    `control`: a law (t, q, v, x, p) → joint forces, (nv) or a dict by the names of joints; `Control` gives it a state
    x of its own, a rate and a delay; `python_law` one that is not traced; ready ones are in `quatrain.laws`.
    `forces`: functions of the state, see `quatrain.forces`. `passive`: whether springs, damping and friction of the
    joints act. `parameters`: by name, a number for each motion; parts of the model such as "link3.mass" vary so, other
    names are for laws and forces. `record`: names of quantities, "<frame>.position", or a dict of sensors, functions
    of the state. `events`: functions of (t, q, v) that pass through zero.
    `runaway`: a motion of which a velocity exceeds this, or is NaN, is stopped there, alone; or a dict of bounds by
    the names of joints [rad/s or m/s].
    `progress`: a line in the terminal, or a function (steps done, steps in all). `out`: a directory that the run is
    written to as it goes, in pieces of `chunk` steps, and read from; the same call with `resume=True` goes on with one
    that was stopped, to the same bits. `truncation`: estimate the error by halving the step, for the report.
    To run the same several times, compile it once: `robot.simulation(…)`.
    """
    model = robot if isinstance(robot, Model) else getattr(robot, "model", None)
    if not isinstance(model, Model):
        raise ArgumentError(f"robot is a {type(robot).__name__}", do="pass a Robot or a Model")
    kind = dtype or str(getattr(robot, "dtype", "float64"))
    threads = threads if threads is not None else getattr(robot, "threads", None)
    given = dict(parameters or {})
    varied = [name for name in given if Part.is_named(model, name)]
    simulation = TreeSimulation(
        model,
        method=method,
        control=control,
        forces=forces,
        passive=passive,
        record=record,
        events=events,
        vary=varied,
        parameters=[name for name in given if name not in varied],
        tolerance=tolerance,
        substeps=substeps,
        runaway=runaway,
        device=device,
        dtype=kind,
        threads=threads,
    )
    how: dict[str, Any] = {"dt": dt, "record_every": record_every, "start": start, "parameters": given}
    run = simulation(
        q0,
        v0,
        duration=duration,
        **how,
        normalize=normalize,
        progress=progress,
        out=out,
        resume=resume,
        chunk=chunk,
    )
    if not truncation:
        return run
    errors = simulation.truncation(q0, v0, duration=duration, normalize=normalize, **how)
    return replace(
        run, facts={**run.facts, "truncation": {name: float(np.max(e)) for name, e in errors.items()}}
    )
