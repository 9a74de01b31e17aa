"""The steppers by name, each as a time loop needs it: what it remembers, one step, and the state within the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quatrain.compiler import iterate, repeat
from quatrain.equations import stepping
from quatrain.equations.stepping import Attempt, Located, Pair, Progress, System, Tolerance
from quatrain.equations.stepping.nested import Nested, chosen, mapped
from quatrain.errors import ArgumentError
from quatrain.scalar import Scalar, abs, epsilon, equal, logical_not, logical_or, minimum, where

if TYPE_CHECKING:
    from quatrain.simulation import Mechanism

EXPLICIT: Mapping[str, Callable[..., Any]] = {
    "semi_implicit_euler": stepping.semi_implicit_euler,
    "rk4": stepping.rk4,
    "rkmk4": stepping.rkmk4,
    "crouch_grossman3": stepping.crouch_grossman3,
    "crouch_grossman4": stepping.crouch_grossman4,
}
ADAPTIVE: Mapping[str, Pair] = {"dopri5": stepping.DOPRI5, "dop853": stepping.DOP853}
OF_SOME = ("variational", "linearly_implicit_euler")
"""Methods that need more than the equations; a mechanism that has them says so."""
METHODS = (*EXPLICIT, "implicit_midpoint", *OF_SOME, "generalized_alpha", *ADAPTIVE)

ORDER: Mapping[str, int] = {
    "semi_implicit_euler": 1,
    "linearly_implicit_euler": 1,
    "implicit_midpoint": 2,
    "crouch_grossman3": 3,
    **dict.fromkeys(("rk4", "rkmk4", "crouch_grossman4"), 4),
}
"""Of the methods whose steps can be divided."""

# An interval between two records that takes more attempts than this has met a singularity.
_MOST_ATTEMPTS = 100_000


@dataclass(frozen=True)
class Moved:
    """After a step: the state, what the stepper remembers, and the search for an event within it."""

    q: Nested
    v: Nested
    memory: dict[str, Nested]
    locate: Callable[..., Located]
    """(watch, direction) → the event, if there is one in the step."""


@dataclass(frozen=True)
class Marching:
    """A stepper for a time loop."""

    name: str
    memory: Callable[[Any], dict[str, Any]]
    """Mechanism → declarations of what the stepper carries besides q and v."""
    step: Callable[..., Moved]
    """(index, system, (u, p), t, q, v, h, end, memory) → `Moved`"""
    tolerance: Tolerance | None = None


def marching(
    method: str | Callable[..., Any],
    mechanism: Mechanism,
    tolerance: Tolerance | None,
    *,
    held: bool,
    substeps: int = 1,
) -> Marching:
    """The method of that name. `held`: its input is constant over each step, and jumps between two. `substeps`: so
    many steps of the method in each step of the run.
    """
    if not isinstance(substeps, int) or substeps < 1:
        raise ArgumentError(f"substeps is {substeps!r}", do="give a whole number from 1 up")
    if substeps > 1:
        return _divided(marching(method, mechanism, tolerance, held=held), substeps)
    if tolerance is not None:
        _refuse_tolerance(tolerance)
    if tolerance is not None and method not in ADAPTIVE:
        raise ArgumentError(
            f"method {method!r} has a fixed step, and takes no tolerance",
            do=f"choose an adaptive method, {' or '.join(ADAPTIVE)}, or leave tolerance out",
        )
    if not isinstance(method, str):
        return _of_stepper(str(getattr(method, "__name__", "stepper")), lambda u, p: method)
    if method in EXPLICIT:
        return _of_stepper(method, lambda u, p: EXPLICIT[method])
    if method == "implicit_midpoint":
        solve = stepping.settled(iterate)

        def midpoint(system: System, t: Scalar, q: Nested, v: Nested, h: Scalar) -> tuple[Nested, Nested]:
            return stepping.implicit_midpoint(system, t, q, v, h, solve=solve)

        return _of_stepper(method, lambda u, p: midpoint)
    if method == "generalized_alpha":
        return _generalized_alpha()
    if method in mechanism.steppers:
        return _of_stepper(method, mechanism.steppers[method])
    if method in OF_SOME:
        raise ArgumentError(
            f"{mechanism.name} has no step of the method {method!r}",
            do=f"choose one of {', '.join(m for m in METHODS if m not in OF_SOME or m in mechanism.steppers)}",
        )
    if method in ADAPTIVE:
        return _adaptive(method, tolerance or Tolerance(1e-9, 1e-12), held)
    raise ArgumentError(f"there is no method {method!r}", do=f"choose one of {', '.join(METHODS)}")


def _refuse_tolerance(tolerance: Any) -> None:
    if not isinstance(tolerance, Tolerance):
        raise ArgumentError(
            f"tolerance is {tolerance!r}", do="pass one number, or Tolerance(relative, absolute)"
        )
    parts = (tolerance.relative, tolerance.absolute)
    if not (all(0 <= part < float("inf") for part in parts) and any(parts)):
        raise ArgumentError(
            f"tolerance is {parts[0]:g} of the value and {parts[1]:g} besides",
            do="pass numbers from zero up, at least one above it, such as 1e-9",
        )


def _nothing(mechanism: Any) -> dict[str, Any]:
    return {}


def _of_stepper(name: str, stepper_of: Callable[[Nested, Any], Callable[..., Any]]) -> Marching:
    """A stepper that remembers nothing."""

    def step(
        index: Scalar,
        system: System,
        given: Any,
        t: Scalar,
        q: Nested,
        v: Nested,
        h: Scalar,
        end: Scalar,
        memory: Any,
    ) -> Moved:
        q1, v1 = stepper_of(*given)(system, t, q, v, h)
        return Moved(q1, v1, {}, _within_cubic(system, t, h, (q, v), (q1, v1)))

    return Marching(name, _nothing, step)


def _divided(whole: Marching, parts: int) -> Marching:
    if whole.name in (*ADAPTIVE, "generalized_alpha"):
        raise ArgumentError(
            f"method {whole.name!r} takes no substeps",
            do="leave substeps out: an adaptive method has steps of its own size"
            if whole.name in ADAPTIVE
            else "take a smaller dt, and a larger every= of Control and record_every=",
        )

    def step(
        index: Scalar,
        system: System,
        given: Any,
        t: Scalar,
        q: Nested,
        v: Nested,
        h: Scalar,
        end: Scalar,
        memory: Any,
    ) -> Moved:
        part = h / parts

        def small(state: tuple[Nested, Nested], k: Scalar) -> tuple[Nested, Nested]:
            moved = whole.step(index, system, given, t + part * k, *state, part, end, memory)
            return moved.q, moved.v

        q1, v1 = repeat(small, (q, v), parts)
        return Moved(q1, v1, {}, _within_cubic(system, t, h, (q, v), (q1, v1)))

    return Marching(whole.name, _nothing, step)


def _within_cubic(system: System, t: Scalar, h: Scalar, start: Any, end: Any) -> Callable[..., Located]:
    def locate(watch: Callable[..., Scalar], direction: int) -> Located:
        path = stepping.cubic(system, t, h, start, end)
        return stepping.locate(watch, path, direction=direction, iterate=iterate)

    return locate


def _at_first(index: Scalar, make: Callable[[], Nested], else_: Nested) -> Nested:
    """What `make` gives in the first step, else what is carried; it costs nothing in the other steps."""
    return repeat(
        lambda state, k: mapped(lambda new, old: new, make(), state), else_, where(equal(index, 0), 1.0, 0.0)
    )


def _generalized_alpha() -> Marching:
    solve = stepping.settled(iterate)

    def step(
        index: Scalar,
        system: System,
        given: Any,
        t: Scalar,
        q: Nested,
        v: Nested,
        h: Scalar,
        end: Scalar,
        memory: Any,
    ) -> Moved:
        carried = _at_first(
            index, lambda: stepping.generalized_alpha_start(system, t, q, v), memory["accelerations"]
        )
        q1, v1, carried = stepping.generalized_alpha(system, t, q, v, carried, h, solve=solve)
        return Moved(q1, v1, {"accelerations": carried}, _within_cubic(system, t, h, (q, v), (q1, v1)))

    return Marching("generalized_alpha", lambda m: {"accelerations": (m.v, m.v)}, step)


# ---- steps of their own size -------------------------------------------------------------------------


@dataclass(frozen=True)
class Last:
    """Where the last good step began, to do it again and read within it."""

    t: Scalar
    q: Nested
    v: Nested
    slope: Nested
    h: Scalar


def _adaptive(name: str, tolerance: Tolerance, held: bool) -> Marching:
    pair = ADAPTIVE[name]

    def memory(m: Any) -> dict[str, Any]:
        slope = (m.q, m.v)
        run = Progress(float, m.q, m.v, slope, float, float, float, float)
        return {"run": run} if held else {"run": run, "last": Last(float, m.q, m.v, slope, float)}

    def step(
        index: Scalar,
        system: System,
        given: Any,
        t: Scalar,
        q: Nested,
        v: Nested,
        h: Scalar,
        end: Scalar,
        memory: Any,
    ) -> Moved:
        run = _at_first(index, lambda: stepping.begin(pair, system, t, q, v, tolerance), memory["run"])
        target = minimum(t + h, end)
        if held:
            # The input has jumped: from here exactly to the next jump, with the derivative taken anew.
            slope = (system.space.rate(q, v), system.acceleration(t, q, v))
            before = replace(run, t=t, q=q, v=v, slope=slope)

            def to(time: Scalar) -> tuple[Nested, Progress]:
                there, _ = _reach(pair, system, before, None, time, time, tolerance)
                return (there.q, there.v), there

            state, run = to(target)
            reached = equal(run.t, target)
            q1, v1 = _or_nan(reached, state)
            path = Again(t, target - t, (q, v), (q1, v1), lambda time: to(time)[0])
            return Moved(q1, v1, {"run": _or_nan(reached, run)}, path.locate)
        first, last = run, _at_first(index, lambda: Last(t, run.q, run.v, run.slope, t * 0), memory["last"])

        def within(time: Scalar) -> tuple[Nested, Progress, Last]:
            there, step = _reach(pair, system, first, last, time, end, tolerance)
            assert step is not None
            return _read(pair, system, there, step, time), there, step

        state, run, done = within(target)
        reached = target <= run.t
        q1, v1 = _or_nan(reached, state)
        path = Again(t, target - t, (q, v), (q1, v1), lambda time: within(time)[0])
        return Moved(q1, v1, {"run": _or_nan(reached, run), "last": done}, path.locate)

    return Marching(name, memory, step, tolerance)


@dataclass(frozen=True)
class Again:
    """The states between two records, each by the same steps done once more up to its time.

    The steps of an interval are not kept; an event is seldom, and where there is none they are not done again.
    """

    t: Scalar
    h: Scalar
    start: tuple[Nested, Nested]
    end: tuple[Nested, Nested]
    state: Callable[[Scalar], tuple[Nested, Nested]]

    def at(self, theta: Scalar) -> tuple[Nested, Nested]:
        return self.state(self.t + self.h * theta)

    def locate(self, watch: Callable[..., Scalar], direction: int) -> Located:
        return stepping.locate(watch, self, direction=direction, iterate=iterate)


def _reach(
    pair: Pair,
    system: System,
    run: Progress,
    last: Last | None,
    target: Scalar,
    end: Scalar,
    tolerance: Tolerance,
) -> tuple[Progress, Last | None]:
    """Attempts until the time `target` lies within what has been done; none goes beyond `end`."""

    def attempted(state: Any, index: Scalar) -> Any:
        run, last = state
        tried: Attempt = stepping.attempt(pair, system, run, end, tolerance)
        before = Last(run.t, run.q, run.v, run.slope, tried.step.h)
        return tried.after, last if last is None else chosen(tried.good, before, last)

    def there(state: Any) -> Any:
        run = state[0]
        # A step below the rounding of the time leads nowhere. Asked so that NaN ends the loop as well.
        stuck = logical_not(abs(run.h) > abs(run.t) * epsilon(run.t))
        return logical_or(logical_not(run.t < target), stuck)

    if last is None:
        only = iterate(
            lambda s, k: (attempted((s[0], None), k)[0],), (run,), until=there, most=_MOST_ATTEMPTS
        ).state
        return only[0], None
    reached = iterate(attempted, (run, last), until=there, most=_MOST_ATTEMPTS).state
    return reached[0], reached[1]


def _read(pair: Pair, system: System, run: Progress, last: Last, target: Scalar) -> tuple[Nested, Nested]:
    """The state at `target`, in the last good step, from its continuous extension."""
    made = stepping.step(pair, system, last.t, last.q, last.v, last.h, last.slope)
    whole = equal(last.h, 0)
    theta = (target - last.t) / where(whole, 1.0, last.h)
    within = stepping.dense(pair, system, made).at(theta)
    return chosen(equal(run.t, target), (run.q, run.v), within)


def _or_nan(good: Any, value: Nested) -> Nested:
    """A motion that has met a singularity is NaN from there on, and costs nothing more."""
    return mapped(lambda x: where(good, x, float("nan")), value)
