"""What a run computes in one state, by name: law, forces, acceleration; and where the first number fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain import varying
from quatrain.compiler import trace
from quatrain.compiler.explain import Explanation, explain
from quatrain.equations import dynamics
from quatrain.equations.tree_motion import Named, State, places_of
from quatrain.run_checks import tuples

if TYPE_CHECKING:
    from quatrain.tree_simulation import TreeSimulation


def explained(run: TreeSimulation, q: Any, v: Any, t: float, parameters: Mapping[str, Any]) -> Explanation:
    """Traced once more, and run by the interpreter, which keeps every number."""
    simulation, model = run.simulation, run.model
    arrays = simulation.start(q, v, dict(parameters), "check")
    given = {name: arrays[name] for name in arrays if name.startswith("parameters.given.")}
    at_q, at_v = places_of(model)

    def quantities(t: Any, q: Any, v: Any, p: Any) -> dict[str, Any]:
        own = varying.put(model, {name: p[name] for name in run.vary})
        q, v = Named.of(tuples(q), at_q), Named.of(tuples(v), at_v)
        found: dict[str, Any] = {}
        law = simulation.asking.traced
        tau = None
        if law is not None:
            x = law.start
            x = np.asarray(x, dtype=object) if isinstance(x, (list, np.ndarray)) else x
            answer = law.law(t, q, v, x, p)
            tau = tuple(simulation.mechanism.read_input(answer[0] if law.start is not None else answer))
            found["control"] = tau
        state = State(own, t, q, v, p, tau, run.loads)
        if run.loads.passive:
            found["passive force"] = dynamics.passive_force(own, q, v)
        for k, force in enumerate(run.loads.forces):
            name = f"force {k} {getattr(force, '__name__', type(force).__name__)}"
            push = force(state)
            if isinstance(push, Mapping):
                found |= {f"{name}, {frame}": (*f, *torque) for frame, (f, torque) in push.items()}
            else:
                found[name] = push
        found["bias force"] = dynamics.bias_force(own, q, v)
        found["acceleration"] = state.acceleration
        return {name: np.array(list(value), dtype=object) for name, value in found.items()}

    declared: dict[str, Any] = {"t": float, "q": model.nq, "v": model.nv, "p": simulation.parameters}
    if not simulation.parameters:
        del declared["p"]
    function = quantities if simulation.parameters else lambda t, q, v: quantities(t, q, v, {})
    program = trace(function, declared, name=f"a step of {model.name}")
    values = {"t": t, "q": arrays["state.q"], "v": arrays["state.v"]}
    values |= {name.removeprefix("parameters.given."): array for name, array in given.items()}
    wanted = {port.name: port.name.removeprefix("p.") for port in program.inputs}
    return explain(program, {port: values[name] for port, name in wanted.items()})
