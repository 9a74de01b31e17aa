"""What a comparison has found: rows of numbers, with words for how to read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import isfinite, log, log2
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quatrain.compare.motion import Motion

DIVERGED = 1.0
"""A norm that is off by more has left the sphere for good."""


@dataclass(frozen=True)
class Agreement:
    """One form at single states, beside G(29) and the closed form of its multiplier."""

    form: str
    equation: str
    coordinates: str
    at_start: float
    """Relative difference of q̈ at the start."""
    at_random: float
    """The largest on random attitudes and rates."""
    multiplier: str
    """Its closed form."""
    multiplier_error: float | None
    """Largest deviation of λ from it on the random states, relative to 4T or to λ; None where there is no λ."""
    samples: int
    """How many random states; those near the singularity of angles are left out."""


@dataclass(frozen=True)
class Curves:
    """Over time: the largest deviations so far, and the angle error there and then. Arrays."""

    t: Any
    norm: Any
    energy: Any
    momentum: Any
    attitude: Any


@dataclass(frozen=True)
class Row:
    """One form with one renormalisation and stepper, over the whole time."""

    form: str
    renormalisation: str
    stepper: str
    h: float
    steps: int
    norm: float
    """max ||q| − 1|"""
    energy: float | None
    """max |δE| over the largest kinetic energy; None where no energy is kept."""
    momentum: float | None
    """max ‖δ(R J W)‖ over its size; None where something acts."""
    attitude: float
    """Angle to the reference at the end. [rad]"""
    growth: float | None
    """Power of time of the energy error, over the second half of the run."""
    norm_growth: float | None
    order: float | None
    """Power of h of the attitude error; None for one step size alone."""
    multiplier_drift: float | None
    """max |λ − its closed form| on the way, where |q| is not one, in units of 4T."""
    condition: float | None
    """The most by which angles amplified errors on the way; None for quaternions."""
    operations: int
    """Of arithmetic, in one step."""
    nanoseconds: float | None
    """For one step of one body, on one thread in a batch; None where that was not measured."""
    same_as: str
    """The first of the forms whose step is the same program to the last operation."""
    curves: Curves = field(compare=False, repr=False)

    @property
    def diverged(self) -> bool:
        return not (self.norm <= DIVERGED and isfinite(self.attitude))


@dataclass(frozen=True)
class StepSizes:
    """The same run at several step sizes, from the largest."""

    form: str
    renormalisation: str
    stepper: str
    h: tuple[float, ...]
    norm: tuple[float, ...]
    energy: tuple[float, ...] | None
    momentum: tuple[float, ...] | None
    attitude: tuple[float, ...]
    same_as: str

    def order(self, quantity: str) -> float | None:
        """The power of h between the two smallest steps; None at rounding, or where there is no such quantity."""
        errors = getattr(self, quantity)
        if errors is None or len(errors) < 2:
            return None
        coarse, fine = errors[-2:]
        if not (isfinite(coarse) and fine > 1e-14):
            return None
        return log(coarse / fine) / log(self.h[-2] / self.h[-1])


@dataclass(frozen=True)
class Comparison:
    """All forms side by side; print it, or take its rows."""

    motion: Motion
    agreements: tuple[Agreement, ...]
    rows: tuple[Row, ...]
    step_sizes: tuple[StepSizes, ...]

    def row(self, form: str, renormalisation: str = "none", stepper: str | None = None) -> Row:
        """One of the rows."""
        return _only(self.rows, form, renormalisation, stepper)

    def sizes(self, form: str, renormalisation: str = "none", stepper: str | None = None) -> StepSizes:
        """One of the rows over step sizes."""
        return _only(self.step_sizes, form, renormalisation, stepper)

    def to_dict(self, *, curves: bool = False) -> dict[str, Any]:
        """Plain numbers, texts, lists and dicts, for JSON; what diverged to no number is None."""
        motion = self.motion
        rows = []
        for row in self.rows:
            entry = {name: value for name, value in vars(row).items() if name != "curves"}
            if curves:
                entry["curves"] = {
                    name: None if value is None else value.tolist()
                    for name, value in vars(row.curves).items()
                }
            rows.append(entry | {"diverged": row.diverged})
        orders = ("norm", "energy", "momentum", "attitude")
        sizes = [asdict(s) | {"order": {name: s.order(name) for name in orders}} for s in self.step_sizes]
        return _finite(
            {
                "inertia": list(motion.inertia),
                "q0": list(motion.q_WB),
                "w0": list(motion.w_WB_B),
                "duration": motion.duration,
                "agreements": [asdict(a) for a in self.agreements],
                "rows": rows,
                "step_sizes": sizes,
            }
        )

    def table(self) -> str:
        """As plain text of at most 100 columns."""
        from quatrain.compare.report import text

        return text(self)

    def __str__(self) -> str:
        return self.table()

    def plot(self, path: Any = None) -> Any:
        """Drift against time, as a figure of matplotlib; written to `path` if one is given."""
        from quatrain.compare.picture import draw

        return draw(self, path)


def growth(t: Any, worst: Any) -> float | None:
    """Power of time between the middle and the end; None where there is nothing to tell it from."""
    if worst is None or len(t) < 2:
        return None
    middle = min(range(len(t)), key=lambda k: abs(t[k] - t[-1] / 2))
    early, late = float(worst[middle]), float(worst[-1])
    if not (isfinite(early) and isfinite(late) and early > 0):
        return None
    return log2(late / early) / log2(t[-1] / t[middle])


def _only(rows: Iterable[Any], form: str, renormalisation: str, stepper: str | None) -> Any:
    from quatrain.errors import ArgumentError

    every = list(rows)
    for row in every:
        if (row.form, row.renormalisation) == (form, renormalisation) and stepper in (None, row.stepper):
            return row
    known = ", ".join(dict.fromkeys(f"({row.form!r}, {row.renormalisation!r})" for row in every)) or "none"
    raise ArgumentError(
        f"this comparison has no row ({form!r}, {renormalisation!r})", do=f"ask for one of: {known}"
    )


def _finite(value: Any) -> Any:
    """JSON has no number for what is infinite or none."""
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value
