"""Derivatives of programs, as programs.

    forward(program)     Jacobian-vector products:  d_<output> = Σ ∂output/∂input · d_<input>
    reverse(program)     vector-Jacobian products:  gradient_<input> = Σ seed_<output> · ∂output/∂input
    jacobian(program)    dense Jacobians <output>_by_<input>, of shape (*output, *input)
    hessian(program)     <output>_by_<input>_by_<input>
    sparsity(program)    which entries of the Jacobians are not zero for good

What comes out is a program like any other: forward(jacobian(p)), jacobian(reverse(p)) … are programs too.
`of` and `by` name output and input ports, or groups of ports ("state" for state.q and state.v); without
them all are meant. The inputs of the program stay inputs, whether or not its derivative needs them.

Each operation has its rule in operations.py. What is zero for good makes no node, and an entry of a
Jacobian that is zero for good is a constant.

Where values are chosen (`where`, `minimum`, `maximum`), derivatives are chosen and not multiplied by 0 or
1: a NaN or an infinite derivative in the branch that is not taken stays there (in all but forward sweeps
through at most four choices within one another).

Loops. Forward, a loop carries tangents of its states (delay lines included) as further states, and ends
when it ended before: `iterate` is differentiated through the iterations that it does. Backward, a loop of
at most 16 iterations (and 20,000 operations in all), if their number is a constant and there is no stop
condition, is written out. Any other would need the memory of all its states, which a program does not
have: it counts as one step, whose derivatives by each of its arguments are carried forward.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quatrain.compiler import structure as structures
from quatrain.compiler.accumulate import Row, add_to, eliminate, pull
from quatrain.compiler.counts import literal_count, operations, operations_of
from quatrain.compiler.graph import Graph
from quatrain.compiler.linearise import Copying, linearise, push, unrolled
from quatrain.compiler.origin import TraceError
from quatrain.compiler.ports import (
    Names,
    Parts,
    Ports,
    beside,
    chosen_inputs,
    chosen_outputs,
    free_prefix,
    numbers_of,
    parts_of,
    prefixed,
)
from quatrain.compiler.program import Port, Program
from quatrain.compiler.rollouts import Carried, Rollout
from quatrain.compiler.sparsity import dependencies, dependents, products
from quatrain.compiler.structure import Group
from quatrain.errors import ArgumentError

METHODS = ("auto", "forward", "reverse", "elimination")

_UNROLLED = 16
"""Up to this constant count a loop is written out before a backward sweep …"""

_WRITTEN_OUT = 20_000
"""… if it has no more operations then."""

_FEW = 300_000
"""Up to this many products `auto` tries several methods and counts; above, it estimates."""

_ITERATIONS = 100
"""What `auto` takes for the number of iterations of a loop where it is not known."""


# ---- products with vectors -------------------------------------------------------------------------------


def forward(program: Program, by: Names = None, of: Names = None, *, values: bool = True) -> Program:
    """Jacobian-vector products: by how much the outputs change when the inputs change by `d_<input>`.

    With `values` the outputs themselves come out too. Where a port d_… exists the prefix is d2_, d3_ …
    """
    inputs, outputs = chosen_inputs(program, by), chosen_outputs(program, of)
    prefix = free_prefix("d", (*inputs, *outputs), (*program.inputs, *program.outputs))
    copying = _copying(program, outputs)
    seeds = beside(program, prefix, inputs)
    directions = zip(numbers_of(inputs), numbers_of(seeds), strict=True)
    tangents = push(copying, {k: {0: copying.target.input(seed)} for k, seed in directions})
    zero = copying.target.constant(0.0)
    results = [
        Port(prefix + port.name, port.shape, tuple(tangents.get(n, {}).get(0, zero) for n in port.numbers))
        for port in outputs
    ]
    return _derived(
        program,
        "forward",
        copying,
        (seeds, prefixed(prefix, parts_of(program.input_structure), inputs)),
        (results, prefixed(prefix, parts_of(program.output_structure), outputs)),
        values,
    )


def reverse(program: Program, of: Names = None, by: Names = None, *, values: bool = True) -> Program:
    """Vector-Jacobian products: the gradient of the sum of `seed_<output>` times the output, over all outputs.

    With `values` the outputs themselves come out too. Where a name is taken: seed2_…, gradient2_… and so on.
    """
    program = _without_short_loops(program, of, by)
    inputs, outputs = chosen_inputs(program, by), chosen_outputs(program, of)
    copying = _copying(program, outputs)
    edges, marks = linearise(copying, set(numbers_of(inputs)))
    prefix = free_prefix("seed", outputs, program.inputs)
    seeds = beside(program, prefix, outputs)
    start: dict[int, Row] = {}
    for number, k in zip(numbers_of(outputs), numbers_of(seeds), strict=True):
        add_to(copying.target, start.setdefault(number, {}), 0, copying.target.input(k))
    adjoints = pull(copying.target, edges, marks, start)
    zero = copying.target.constant(0.0)
    nodes = _input_nodes(program.graph)
    gradient = free_prefix("gradient", inputs, program.outputs)
    results = [
        Port(
            gradient + port.name,
            port.shape,
            tuple(adjoints.get(nodes.get(k, -1), {}).get(0, zero) for k in port.numbers),
        )
        for port in inputs
    ]
    return _derived(
        program,
        "reverse",
        copying,
        (seeds, prefixed(prefix, parts_of(program.output_structure), outputs)),
        (results, prefixed(gradient, parts_of(program.input_structure), inputs)),
        values,
    )


def forward_rollout(rollout: Rollout, by: Names = None) -> Rollout:
    """The rollout that carries tangents along: of its state, and of the parameters and inputs in `by`.

    Its further ports are called as those of `forward(rollout.step)`: d_state, d_parameters … go in, the
    tangents of the recorded outputs come out as d_record …; events are as before.
    """
    states = {c.target for c in rollout.carried}
    chosen = tuple(
        port
        for port in chosen_inputs(rollout.step, by)
        if port.name != rollout.index and port.name not in states
    )
    inputs = tuple(p for p in rollout.step.inputs if p.name in states or p in chosen)
    outputs = tuple(
        rollout.step.output_port(name) for name in (*(c.source for c in rollout.carried), *rollout.records)
    )
    step = forward(rollout.step, [p.name for p in inputs], [p.name for p in outputs])
    prefix = free_prefix("d", (*inputs, *outputs), (*rollout.step.inputs, *rollout.step.outputs))
    return replace(
        rollout,
        step=step,
        carried=(
            *rollout.carried,
            *(Carried(prefix + c.source, prefix + c.target, c.lag) for c in rollout.carried),
        ),
        sequences=(*rollout.sequences, *(prefix + p.name for p in chosen if p.name in rollout.sequences)),
        records=(*rollout.records, *(prefix + name for name in rollout.records)),
    )


# ---- matrices ----------------------------------------------------------------------------------------------


def jacobian(
    program: Program, of: Names = None, by: Names = None, *, method: str = "auto", values: bool = False
) -> Program:
    """Dense Jacobians: one output `<output>_by_<input>` of shape (*output, *input) for each pair of ports.

    With `values` the outputs themselves come out too. The method is

        "forward"      one sweep that carries a column for each scalar input
        "reverse"      one sweep back that carries a row for each scalar output
        "elimination"  from both ends, in the order that keeps the graph of derivatives small
        "auto"         the one of these that takes the fewest operations; of very large programs
                       only the two sweeps are considered, and their products estimated
    """
    if method not in METHODS:
        raise ArgumentError(f"method is {method!r}", do=f"choose one of {', '.join(map(repr, METHODS))}")
    methods = _promising(program, of, by) if method == "auto" else (method,)
    candidates = [_jacobian(program, of, by, its, values) for its in methods]
    return min(candidates, key=lambda p: sum(operations(p, iterations=_ITERATIONS).values()))


def hessian(
    program: Program, of: Names = None, by: Names = None, *, method: str = "auto", values: bool = False
) -> Program:
    """Second derivatives `<output>_by_<input>_by_<input>`, of shape (*output, *input, *input).

    Of each pair of equal entries one is computed. With `values` outputs and Jacobians come out too.
    """
    first = jacobian(program, of, by, method=method, values=values)
    names = [f"{o.name}_by_{i.name}" for o in chosen_outputs(program, of) for i in chosen_inputs(program, by)]
    second = jacobian(first, names, by, method=method, values=values)
    return _symmetric(replace(second, name=f"{program.name}_hessian"), program, of, by)


def sparsity(program: Program, of: Names = None, by: Names = None) -> dict[str, Any]:
    """For each Jacobian by its name the boolean array (*output, *input) of the entries that may not be zero."""
    _refuse_series(program)
    inputs, outputs = chosen_inputs(program, by), chosen_outputs(program, of)
    found = dependencies(program.graph, {k: 1 << k for k in numbers_of(inputs)})
    return {
        f"{o.name}_by_{i.name}": np.array(
            [bool(found[n] >> k & 1) for n in o.numbers for k in i.numbers], dtype=bool
        ).reshape((*o.shape, *i.shape))
        for o in outputs
        for i in inputs
    }


def _promising(program: Program, of: Names, by: Names) -> tuple[str, ...]:
    """The methods that may be the best for this program."""
    inputs = {k: 1 << place for place, k in enumerate(numbers_of(chosen_inputs(program, by)))}
    outputs: dict[int, int] = {}
    for place, number in enumerate(numbers_of(chosen_outputs(program, of))):
        outputs[number] = outputs.get(number, 0) | 1 << place
    columns, rows = products(program.graph, inputs, outputs)
    sweeps = ("forward", "reverse") if columns <= rows else ("reverse", "forward")
    fewer, more = sorted((columns, rows))
    if fewer > _FEW:
        return sweeps[:1]
    # Loops are not in the estimate: there all methods are tried.
    close = more <= 2 * fewer or any(node[0] == "loop" for node in program.graph.nodes)
    return (*sweeps[: 2 if close else 1], "elimination")


def _jacobian(program: Program, of: Names, by: Names, method: str, values: bool) -> Program:
    if method != "forward":
        program = _without_short_loops(program, of, by)
    inputs, outputs = chosen_inputs(program, by), chosen_outputs(program, of)
    copying = _copying(program, outputs)
    rows = _rows(copying, list(numbers_of(inputs)), list(numbers_of(outputs)), method)
    zero = copying.target.constant(0.0)
    results = [
        Port(
            f"{o.name}_by_{i.name}",
            (*o.shape, *i.shape),
            tuple(rows.get(n, {}).get(k, zero) for n in o.numbers for k in i.numbers),
        )
        for o in outputs
        for i in inputs
    ]
    parts: Parts = [(port.name, structures.Array(port.shape)) for port in results]
    return _derived(program, "jacobian", copying, ((), []), (results, parts), values)


def _rows(copying: Copying, inputs: list[int], outputs: list[int], method: str) -> dict[int, Row]:
    """Derivatives by output node and by k of the input."""
    one = copying.target.constant(1.0)
    if method == "forward":
        return push(copying, {k: {k: one} for k in inputs})
    edges, marks = linearise(copying, set(inputs))
    nodes = copying.source.nodes
    if method == "elimination":
        found = eliminate(copying.target, edges, marks, outputs)
        return {n: {nodes[i][1]: number for i, number in row.items()} for n, row in found.items()}
    rows: dict[int, Row] = {n: {} for n in outputs}
    for number, row in pull(copying.target, edges, marks, {n: {n: one} for n in outputs}).items():
        if nodes[number][0] == "input":
            for n, value in row.items():
                rows[n][nodes[number][1]] = value
    return rows


def _symmetric(second: Program, program: Program, of: Names, by: Names) -> Program:
    """Both halves of each matrix of second derivatives from one of them."""
    inputs = chosen_inputs(program, by)
    entries: dict[tuple[str, int, int, int], int] = {}

    def keys(o: Port, a: Port, b: Port) -> Iterator[tuple[str, int, int, int]]:
        return ((o.name, e, i, j) for e in range(len(o.numbers)) for i in a.numbers for j in b.numbers)

    triples = [(o, a, b) for o in chosen_outputs(program, of) for a in inputs for b in inputs]
    ports = {port.name: port for port in second.outputs}
    for o, a, b in triples:
        numbers = ports[f"{o.name}_by_{a.name}_by_{b.name}"].numbers
        for (name, e, i, j), number in zip(keys(o, a, b), numbers, strict=True):
            key = (name, e, min(i, j), max(i, j))
            # A constant is the better half: the other one would have to be computed.
            if key not in entries or second.graph.nodes[number][0] == "constant":
                entries[key] = number
    for o, a, b in triples:
        name = f"{o.name}_by_{a.name}_by_{b.name}"
        chosen = (entries[name_, e, min(i, j), max(i, j)] for name_, e, i, j in keys(o, a, b))
        ports[name] = replace(ports[name], numbers=tuple(chosen))
    return Program.make(
        second.name,
        second.graph,
        second.inputs,
        tuple(ports.values()),
        second.input_structure,
        second.output_structure,
    )


# ---- programs -----------------------------------------------------------------------------------------------


def _derived(
    program: Program,
    suffix: str,
    copying: Copying,
    added: tuple[Ports, Parts],
    results: tuple[Sequence[Port], Parts],
    values: bool,
) -> Program:
    """The program with further inputs, and these results, beside its own outputs or in place of them."""
    ports, parts = list(results[0]), list(results[1])
    if values:
        kept = [replace(p, numbers=tuple(copying.numbers[n] for n in p.numbers)) for p in program.outputs]
        ports, parts = [*kept, *ports], [*parts_of(program.output_structure), *parts]
    names = [port.name for port in ports]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(
                f"the {suffix} of {program.name} has two outputs named {name!r}", do="rename a port"
            )
    inputs = [*parts_of(program.input_structure), *added[1]]
    return Program.make(
        f"{program.name}_{suffix}",
        copying.target,
        (*program.inputs, *added[0]),
        tuple(ports),
        Group(dict, *zip(*inputs, strict=True)) if inputs else Group(dict, (), ()),
        Group(dict, *zip(*parts, strict=True)) if parts else Group(dict, (), ()),
    )


# ---- graphs ----------------------------------------------------------------------------------------------------


def _copying(program: Program, outputs: Ports) -> Copying:
    _refuse_series(program)
    target = Graph(origins=program.graph.has_origins)
    target.epsilon = program.graph.epsilon
    inputs = [target.input(k) for k in range(program.input_count)]
    return Copying(program.graph, target, inputs, list(numbers_of(outputs)))


def _refuse_series(program: Program) -> None:
    if _reads_series(program.graph):
        raise TraceError(
            f"{program.name} reads numbers in a row or what a loop has left, of which no derivatives are made",
            do="have the repetitions written out: compile(equation, robot, looped=False); or use repeat, not scan",
        )


def _reads_series(graph: Graph) -> bool:
    within = any(_reads_series(loop.body) for loop in graph.loops)
    return within or any(node[0] == "read" for node in graph.nodes)


def _input_nodes(graph: Graph) -> dict[int, int]:
    return {node[1]: number for number, node in enumerate(graph.nodes) if node[0] == "input"}


def _is_short(graph: Graph, number: int) -> bool:
    loop = graph.nodes[number]
    times = literal_count(graph, loop)
    if times is None or times > _UNROLLED:
        return False
    return times * sum(operations_of(graph.loops[loop[1]].body).values()) <= _WRITTEN_OUT


def _without_short_loops(program: Program, of: Names, by: Names) -> Program:
    """The program with those loops written out that a backward sweep had better go through step by step."""
    while True:
        graph = program.graph
        if all(node[0] != "loop" for node in graph.nodes):
            return program
        moving = dependencies(graph, dict.fromkeys(numbers_of(chosen_inputs(program, by)), 1))
        of_use = dependents(graph, dict.fromkeys(numbers_of(chosen_outputs(program, of)), 1))
        chosen = set()
        for number, node in enumerate(graph.nodes):
            if node[0] == "item" and moving[number] and of_use[number]:
                chosen.add(node[1])
        chosen = {number for number in chosen if _is_short(graph, number)}
        if not chosen:
            return program
        target, numbers = unrolled(graph, program.results, chosen)
        places = iter(numbers)
        outputs = tuple(replace(p, numbers=tuple(next(places) for _ in p.numbers)) for p in program.outputs)
        program = Program.make(
            program.name, target, program.inputs, outputs, program.input_structure, program.output_structure
        )
