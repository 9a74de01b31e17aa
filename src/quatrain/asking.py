"""The input of each step: a law asked at its own rate, its answer held in between, and late where it shall be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from quatrain.compiler import repeat, structure
from quatrain.control import Control, PythonLaw
from quatrain.equations.stepping.nested import Nested
from quatrain.errors import ArgumentError
from quatrain.run_checks import Given, declaration_of, fitted
from quatrain.scalar import Scalar, equal, floor, where

if TYPE_CHECKING:
    from quatrain.simulation import Mechanism

CARRIED = ("u", "late", "x")
"""What a loop carries for a law: its answer, answers on their way, its own state."""


class Asking:
    """How a mechanism's input comes about."""

    def __init__(
        self, mechanism: Mechanism, control: Control | PythonLaw | Callable[..., Any] | None
    ) -> None:
        if not (control is None or isinstance(control, (Control, PythonLaw))):
            control = Control(control)
        if control is not None and mechanism.input is None:
            raise ArgumentError(f"{mechanism.name} takes no control", do="leave out control=")
        self.mechanism, self.control = mechanism, control
        self.traced = control if isinstance(control, Control) else None
        self.python = control if isinstance(control, PythonLaw) else None

    # ---- what the loop must carry ------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        if self.traced is None:
            return {}
        found: dict[str, Any] = {"u": self.mechanism.input}
        if self.traced.delay:
            found["late"] = (self.mechanism.input,) * self.traced.delay
        if self.traced.start is not None:
            found["x"] = declaration_of(self.traced.start)
        return found

    def parameters(self) -> dict[str, Any]:
        return {} if self.python is None else {"held": self.mechanism.input}

    def rest(self) -> dict[str, Any]:
        """What the law's own state begins with, by port."""
        if self.traced is None or self.traced.start is None:
            return {}
        described = structure.of_specification(declaration_of(self.traced.start), "x")
        return {f"state.{k}": a for k, a in structure.split(described, "x", self.traced.start)}

    # ---- one step ----------------------------------------------------------------------------------------

    def input(
        self,
        index: Scalar,
        t: Scalar,
        state: Mapping[str, Nested],
        following: dict[str, Nested],
        parameters: Mapping[str, Any],
    ) -> Nested:
        """What acts in this step; what goes on is put into `following`."""
        if self.python is not None:
            return fitted(self._declared, parameters["held"], "what the control law returns")
        if self.traced is None:
            return None
        following.update(self._asked(index, t, state, Given(parameters.get("given", {}))))
        if not self.traced.delay:
            return following["u"]
        first, *others = state["late"]
        following["late"] = (*others, following["u"])
        return fitted(self._declared, first, "a delayed input")

    @property
    def _declared(self) -> structure.Structure:
        return structure.of_specification(self.mechanism.input, "input")

    def _asked(
        self, index: Scalar, t: Scalar, state: Mapping[str, Nested], p: Mapping[str, Any]
    ) -> dict[str, Nested]:
        """The law's answer, and its next state, of this step or of the last one in which it was asked."""
        assert self.traced is not None
        declared = {"u": self._declared}
        if "x" in state:
            declared["x"] = structure.of_specification(declaration_of(self.traced.start), "x")
        every = self.traced.every
        if every == 1:
            return self._answer(t, state, p)

        def flat(values: Mapping[str, Nested]) -> tuple[Scalar, ...]:
            return tuple(x for name, each in declared.items() for x in structure.scalars(each, values[name]))

        # The law is computed in the steps only in which it is asked.
        due = where(equal(index, floor(index / every) * every), 1.0, 0.0)
        before = {**state, "u": fitted(self._declared, state["u"], "u")}
        held = iter(repeat(lambda old, k: flat(self._answer(t, state, p)), flat(before), due))
        return {name: structure.assemble(each, held) for name, each in declared.items()}

    def _answer(self, t: Scalar, state: Mapping[str, Nested], p: Mapping[str, Any]) -> dict[str, Nested]:
        assert self.traced is not None
        law, m = self.traced.law, self.mechanism
        q, v = m.seen(state["q"], state["v"], p)
        name = str(getattr(law, "__name__", "law"))
        answer, found = law(t, q, v, state.get("x"), p), {}
        if "x" in state:
            if not (isinstance(answer, tuple) and len(answer) == 2):
                raise ArgumentError(
                    f"the control law {name} has a state and returns a {type(answer).__name__}",
                    do="return two values: the input, and the law's next state",
                )
            answer, x = answer
            declared = structure.of_specification(declaration_of(self.traced.start), "x")
            found["x"] = fitted(declared, x, f"the next state that the control law {name} returns")
        found["u"] = fitted(self._declared, m.read_input(answer), f"what the control law {name} returns")
        return found
