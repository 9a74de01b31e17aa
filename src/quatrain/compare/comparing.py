"""`compare`: every form, renormalisation and stepper asked for, on one motion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quatrain.compare.formulations import (
    DEFAULT,
    Formulation,
    Stabilisation,
    formulation_of,
    renormalisation_of,
)
from quatrain.compare.methods import Method, method_of
from quatrain.compare.motion import Motion, Potential, motion_of, refuse_unless_positive
from quatrain.compare.pointwise import agreement, multiplier_drift
from quatrain.compare.results import Comparison, Curves, Row, StepSizes, growth
from quatrain.compare.runs import Reference, Run, Track, reference
from quatrain.equations.euler_parameter_loads import Load
from quatrain.equations.stepping.bodies import Torque
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion

RECORDS = 400
MOST_STEPS = 20_000_000


def compare(
    body: object,
    q0: object,
    w0: object,
    *,
    duration: float,
    dt: float,
    forms: Iterable[str] | None = None,
    steppers: Iterable[str] = ("rk4",),
    renormalisation: Iterable[str] = ("none", "q", "both"),
    load: Load | None = None,
    torque: Torque | None = None,
    potential: Potential | None = None,
    baumgarte: tuple[float, float] | None = None,
    step_sizes: Sequence[float] | None = (),
    samples: int = 200,
    seed: int = 0,
    cost: bool = False,
) -> Comparison:
    """All forms of the equations of one rotating body on one motion: acceleration, multiplier, drift, order, cost.

    `body` is a rigid body, or its inertia about the centre of mass as a `SymMat3`; it turns about that centre.
    It starts at the attitude `q0` (`q_WB`) with the rate `w0` (`w_WB_B`, rad/s), and moves for `duration` in
    steps of `dt` [s], adjusted so that a whole number of them fills the duration.

    What acts: `load`, a couple constant in the body and forces constant in space at points of the body, which
    the forms treat each in its way; and `torque(t, q_WB, w_WB_B)`, in the body, with the `potential(q_WB)` whose
    torque it is, if there is one.

    `forms`: names such as "newton_euler", "s34", "d21", and three angles such as "ZYX"; all but the angles if
    nothing is said. `renormalisation`: of "none", "q", "both", "projected", "baumgarte", the last with `baumgarte`
    = (damping, stiffness) in 1/s, or 0.1/dt each. `steppers` by name. `step_sizes` are run besides, for the
    orders: 2 dt, dt and dt/2 if nothing is said, none for None. `samples` random states are asked for the
    acceleration. `cost` measures the time of a step.
    """
    motion = motion_of(body, q0, w0, duration, load, torque, potential)
    refuse_unless_positive(dt, "dt")
    methods = [method_of(name) for name in _names(steppers, "steppers")]
    formulations = _unique(formulation_of(name) for name in _names(forms, "forms", DEFAULT))
    wanted = [renormalisation_of(name) for name in _names(renormalisation, "renormalisation")]
    damping, stiffness = baumgarte or (0.1 / dt, 0.1 / dt)
    for formulation in formulations:
        formulation.start(motion)  # an attitude that these coordinates cannot describe is said at once
    steps = _whole_steps(duration, dt)
    sizes = () if step_sizes is None else tuple(step_sizes) or (2 * dt, dt, dt / 2)
    counts = sorted({_whole_steps(duration, h) for h in sizes})
    work = _Work(motion, steps, counts, cost)
    for formulation in formulations:
        for name in dict.fromkeys(filter(None, map(formulation.renormalisation, wanted))):
            for method in methods:
                if not method.needs_body or formulation.coordinates == "q, ω":
                    work.do(formulation, Stabilisation(name, damping, stiffness), method)
    return Comparison(
        motion,
        tuple(agreement(formulation, motion, samples, seed) for formulation in formulations),
        tuple(work.rows),
        tuple(work.sizes),
    )


class _Work:
    """The runs of one comparison; forms whose step is one and the same program are run once."""

    def __init__(self, motion: Motion, steps: int, counts: Sequence[int], cost: bool) -> None:
        self.motion, self.steps, self.counts, self.cost = motion, steps, counts, cost
        self.every = max(1, steps // RECORDS)
        self.truth: Reference = reference(motion, motion.duration / steps, steps, self.every)
        self.rows: list[Row] = []
        self.sizes: list[StepSizes] = []
        self.done: dict[tuple[str, str], _Done] = {}

    def do(self, formulation: Formulation, stabilisation: Stabilisation, method: Method) -> None:
        run = Run(self.motion, formulation, stabilisation, method)
        loop = run.program()
        key = (loop.digest(), formulation.coordinates)
        if key not in self.done:
            self.done[key] = self._run(run, loop)
        done = self.done[key]
        track, h = done.track, self.motion.duration / self.steps
        labels = (formulation.name, stabilisation.name, method.name)
        if done.sizes is not None:
            form, renormalisation, stepper = labels
            self.sizes.append(
                replace(done.sizes, form=form, renormalisation=renormalisation, stepper=stepper)
            )
        self.rows.append(
            Row(
                *labels,
                h,
                self.steps,
                track.worst["norm"],
                track.worst.get("energy"),
                track.worst.get("momentum"),
                done.attitude,
                growth(track.t, track.energy),
                growth(track.t, track.norm),
                None if done.sizes is None else done.sizes.order("attitude"),
                multiplier_drift(
                    formulation, self.motion, track.t, track.x, track.dx, self.truth.scale_of_energy
                ),
                track.worst.get("condition"),
                done.operations,
                done.nanoseconds,
                done.first,
                Curves(track.t, track.norm, track.energy, track.momentum, done.attitude_curve),
            )
        )

    def _run(self, run: Run, loop: Any) -> _Done:
        kernel, duration = run.kernel(), self.motion.duration
        tracks = {
            n: run.track(kernel, self.truth, duration / n, n, n if n != self.steps else self.every)
            for n in sorted({*self.counts, self.steps})
        }
        track = tracks[self.steps]
        return _Done(
            run.formulation.name,
            track,
            float(self._attitude_error(run, track.end, self.truth.q_end)),
            self._attitude_error(run, (track.x, track.dx), self.truth.q),
            self._sizes(run, [tracks[n] for n in self.counts]) if self.counts else None,
            run.operations(loop),
            run.nanoseconds(loop, duration / self.steps) if self.cost else None,
        )

    def _attitude_error(self, run: Run, state: tuple[Any, Any], right: Quaternion) -> Any:
        with np.errstate(all="ignore"):  # of a run that diverged it is not a number
            q, _, _ = run.formulation.attitude(*state)
            return q.geodesic_distance(right)

    def _sizes(self, run: Run, tracks: Sequence[Track]) -> StepSizes:
        def figures(name: str) -> tuple[float, ...] | None:
            return tuple(track.worst[name] for track in tracks) if name in tracks[0].worst else None

        return StepSizes(
            run.formulation.name,
            run.stabilisation.name,
            run.method.name,
            tuple(self.motion.duration / n for n in self.counts),
            tuple(track.worst["norm"] for track in tracks),
            figures("energy"),
            figures("momentum"),
            tuple(float(self._attitude_error(run, track.end, self.truth.q_end)) for track in tracks),
            run.formulation.name,
        )


@dataclass(frozen=True)
class _Done:
    """What is kept of a run that other forms share."""

    first: str
    track: Track
    attitude: float
    attitude_curve: Any
    sizes: StepSizes | None
    operations: int
    nanoseconds: float | None


def _names(given: Iterable[str] | None, argument: str, default: Sequence[str] = ()) -> Sequence[str]:
    if isinstance(given, str):
        raise ArgumentError(f"{argument} is the text {given!r}, not a list of names", do=f"pass [{given!r}]")
    names = tuple(default if given is None else given)
    if not names:
        raise ArgumentError(f"{argument} is empty", do="name at least one")
    return names


def _unique(formulations: Iterable[Formulation]) -> list[Formulation]:
    return list({formulation.name: formulation for formulation in formulations}.values())


def _whole_steps(duration: float, h: float) -> int:
    refuse_unless_positive(h, "a step size")
    steps = max(1, round(duration / h))
    if steps > MOST_STEPS:
        raise ArgumentError(
            f"steps of {h:g} s over {duration:g} s are {steps:,}, more than {MOST_STEPS:,}",
            do="take a larger dt or a shorter duration",
        )
    return steps
