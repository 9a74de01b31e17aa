"""From a function written over scalars to a program: the function is called once, with traced values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from math import inf, prod
from typing import Any

from quatrain.compiler import structure as structures
from quatrain.compiler.graph import Graph
from quatrain.compiler.origin import TraceError, origin_of_error, trace_error
from quatrain.compiler.program import Port, Program
from quatrain.compiler.structure import Group
from quatrain.compiler.traced import Traced, number_of
from quatrain.compiler.unknown import INDEX

_EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23}


def trace(
    function: Callable[..., Any],
    inputs: Mapping[str, Any],
    *,
    name: str | None = None,
    dtype: str = "float64",
    origins: bool = True,
    looped_from: float = inf,
) -> Program:
    """The program of what `function` does to named inputs.

    Each input is declared as

        float                          a number
        7, (3, 3)                      an array of that shape; the function sees a read-only array of objects
        Vec3                           a dataclass whose fields are all scalars: one port of shape (k,)
        (float, 3), {"a": float}       a tuple or dict of such declarations, nested as one likes
        State(pose=Pose, speed=float)  an instance of a dataclass that holds such declarations

    and is passed by its name. What the function returns may be nested likewise, of traced values and
    plain numbers; its ports are named `out`, `out.0`, `out.x` …, those of a dict by its keys. A condition
    comes out as the number 1 or 0.

    `dtype` only sets what `quatrain.scalar.epsilon` answers meanwhile. `origins=False` does not
    remember which line made which node. From `looped_from` repetitions on, functions that ask
    (`quatrain.scalar.loops`) make a loop of them.
    """
    check_declaration(function, inputs)
    if dtype not in _EPSILON:
        raise TraceError(f"dtype is {dtype!r}", do="pass 'float64' or 'float32'")
    graph = Graph(origins=origins)
    graph.epsilon, graph.looped_from = _EPSILON[dtype], looped_from
    specification = structures.of_specification(dict(inputs), "inputs")
    assert isinstance(specification, Group)
    title = name or str(getattr(function, "__name__", type(function).__name__))
    ports = _input_ports(specification)
    _check_names(ports, f"{title} has two inputs")
    flat = iter([Traced(graph, graph.input(k)) for k in range(sum(prod(p.shape) for p in ports))])
    arguments = structures.assemble(specification, flat)
    result = _called(function, title, arguments)
    out = "" if isinstance(result, Mapping) else "out"
    shape = structures.of_value(result, out)
    numbers = iter([number_of(graph, value) for value in structures.scalars(shape, result)])
    outputs = []
    for port_name, leaf in structures.ports(shape, out):
        outputs.append(Port(port_name, leaf.shape, tuple(next(numbers) for _ in range(prod(leaf.shape)))))
    if not outputs:
        raise TraceError(
            f"{title} returns nothing that holds a number",
            do="return the values that are wanted: numbers, arrays, dataclasses, tuples or dicts of these",
        )
    _check_names(outputs, f"{title} has two outputs")
    return Program.make(title, graph, ports, tuple(outputs), specification, shape)


def check_declaration(function: Any, inputs: Any) -> None:
    """An error if this is no function, or if no names are declared."""
    if not callable(function):
        raise TraceError(
            f"the function is {str(function)[:40]}, of type {type(function).__name__}",
            do="pass a function of the inputs, such as lambda x, y: sin(x) * y",
        )
    if not isinstance(inputs, Mapping):
        raise TraceError(
            f"inputs is of type {type(inputs).__name__}",
            do="declare each argument by its name: inputs={'x': float, 'q': 7}",
        )


def check_call(function: Any, what: str, *names: str) -> None:
    """An error if a function that is asked for as `what(*names)` cannot be called so."""
    try:
        inspect.signature(function).bind(*names)
    except ValueError:
        return  # it does not say how it is called, as some of NumPy's own
    except TypeError as error:
        call = f"{what}({', '.join(names)})"
        raise trace_error(
            f"what is called as {call} cannot be called so ({error})", f"write it as def {call}: …"
        ) from None


def _input_ports(specification: Group) -> tuple[Port, ...]:
    ports, start = [], 0
    for name, leaf in structures.ports(specification, ""):
        stop = start + prod(leaf.shape)
        ports.append(Port(name, leaf.shape, tuple(range(start, stop))))
        start = stop
    return tuple(ports)


def _called(function: Callable[..., Any], title: str, arguments: dict[str, Any]) -> Any:
    """The function's result. What NumPy says of an index without a number is said in other words."""
    try:
        return _called_by_name(function, title, arguments)
    except IndexError as error:
        # NumPy asks a traced value for an index and drops its answer, an error, in favour of its own.
        if not ("only integers" in str(error) or "must be of integer" in str(error)):
            raise
        raise TraceError(
            "an index of an array is no whole number, and a traced value cannot be one: it has no number yet",
            do=INDEX,
            where=origin_of_error(error),
        ) from error


def _called_by_name(function: Callable[..., Any], title: str, arguments: dict[str, Any]) -> Any:
    """By name, so that the order of the declarations does not matter."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(*arguments.values())
    by_place = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]
    by_name = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if not set(by_place) <= set(arguments):
        # Names that no caller can use, such as those of NumPy's own functions: the declared order counts.
        by_place = [name for name in arguments if name not in by_name][: len(by_place)]
    kinds = {p.kind for p in parameters}
    rest = [name for name in arguments if name not in by_place and name not in by_name]
    if inspect.Parameter.VAR_POSITIONAL in kinds and inspect.Parameter.VAR_KEYWORD not in kinds:
        before = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name in arguments]
        by_place, rest = [*by_place, *before, *rest], []
    missing = [
        p.name for p in parameters if p.name in by_name and p.default is p.empty and p.name not in arguments
    ]
    if missing or (rest and inspect.Parameter.VAR_KEYWORD not in kinds):
        known = [p.name for p in parameters]
        raise TraceError(
            f"{title} takes the arguments {_listed(known)}, and the inputs are {_listed(arguments)}",
            do="declare one input for each argument, under its name",
        )
    named = {n: v for n, v in arguments.items() if n not in by_place}
    return function(*(arguments[n] for n in by_place), **named)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "(none)"


def _check_names(ports: Iterable[Port], what: str) -> None:
    seen: set[str] = set()
    for port in ports:
        if port.name in seen:
            raise TraceError(f"{what} named {port.name!r}", do="choose keys without dots")
        seen.add(port.name)
