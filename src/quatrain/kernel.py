"""Where physics and compiler meet: an equation, traced for one model, as a kernel."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from quatrain.compiler import Kernel, Program, trace
from quatrain.compiler import compile as compile_function
from quatrain.compiler.kernel import number_type
from quatrain.compiler.recalled import recalled
from quatrain.compiler.sources import digest_of_sources
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.model import Model
from quatrain.varying import Part

LOOPED_FROM = 64
"""Joints, freedom by freedom, from which on loops over them are better than code that is written out: in general
position as fast from about 32 on (`benchmarks/long_chains.py`), and compiled in a tenth of the time. Below, what is
zero in a robot of parallel axes folds where it is written out."""

# Names of arguments whose shape the model knows.
_SIZES = {"q": "nq", "v": "nv", "a": "nv", "tau": "nv", "u": "nu", "q0": "nq", "q1": "nq"}


def compile(
    function: Callable[..., Any] | Program,
    robot: Any = None,
    *,
    inputs: Mapping[str, Any] | None = None,
    vary: Iterable[str] = (),
    device: str = "cpu",
    dtype: str = "float64",
    threads: int | None = None,
    name: str | None = None,
    contract: bool = True,
    looped: bool | None = None,
) -> Kernel:
    """A kernel: of any function over scalars, or of an equation for one robot.

    With a robot (or its `Model`) the function is called as `function(model, q, v, …)`; the shapes of q, v, a and tau
    follow from the model, those of other arguments are declared in `inputs`. All that the model says folds into the
    code, but what `vary` names stays an input: `"gravity"`, `"<body>.mass"`, `"<body>.com"`, `"<body>.inertia"`
    (xx, yy, zz, xy, xz, yz about the centre of mass), `"<joint>.position"` in its parent, and `"<joint>.armature"`,
    `.damping`, `.friction` and `.stiffness`, a number for each freedom, and `.rest`; `"<frame>.position"` on its body;
    `"<actuator>.gain"`, `.gear` and `.bias`. Options of an equation are set with
    `functools.partial(jacobian, frame="hand")`.

    Models of many joints are gone over by loops, so that the code stays short: inverse and forward dynamics, bias and
    gravity forces, from `LOOPED_FROM` joints on. `looped` says otherwise; what is looped has no derivatives.

    Our own equations are found in the cache by what determines them, and not traced again; a function of yours is.

    Without one it is `quatrain.compiler.compile`, where the other options are explained.
    """
    options: dict[str, Any] = {"device": device, "dtype": dtype, "threads": threads, "contract": contract}
    if robot is None:
        return compile_function(function, inputs=inputs, vary=vary, name=name, **options)
    model = robot if isinstance(robot, Model) else getattr(robot, "model", None)
    if not isinstance(model, Model) or isinstance(function, Program):
        raise ArgumentError(
            f"robot is a {type(robot).__name__}" if not isinstance(model, Model) else "function is a Program",
            do="pass a Robot or a Model, and the function that takes it",
        )
    if not model.nq:
        raise ArgumentError(
            f"{model.name} has no joint that moves, so there is nothing to compute",
            do="give it one: ModelBuilder.body(…, joint='free') lets a body go; a file is loaded with base='floating'",
        )
    number_type(dtype)
    varied = {path: Part.named(model, path) for path in ((vary,) if isinstance(vary, str) else vary)}
    declared = {**_declared(function, model, inputs or {}), **{p: part.shape for p, part in varied.items()}}

    def applied(**arguments: Any) -> Any:
        used = model
        for path, part in varied.items():
            used = part.put(used, arguments.pop(path))
        return as_arrays(function(used, **arguments))

    equation, _ = _unwrapped(function)
    title = name or f"{getattr(equation, '__name__', 'function')} of {model.name}"
    words = _words(function, model, declared, dtype)
    looped_from = LOOPED_FROM if looped is None else 0 if looped else inf

    def traced() -> Program:
        return trace(applied, declared, name=title, dtype=dtype, looped_from=looped_from)

    program = traced() if words is None else recalled((*words, repr(looped_from), title), traced)
    return compile_function(program, **options)


def _declared(function: Callable[..., Any], model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Shapes of the function's arguments after the model, in their order."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    found: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.name in inputs:
            found[parameter.name] = inputs[parameter.name]
        elif parameter.name in _SIZES and parameter.default is parameter.empty:
            found[parameter.name] = getattr(model, _SIZES[parameter.name])
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            raise ArgumentError(
                f"the shape of the argument {parameter.name!r} is not known",
                do=f"declare it: inputs={{{parameter.name!r}: float}}, or a shape; known are {', '.join(_SIZES)}",
            )
    unknown = [name for name in inputs if name not in found]
    if unknown:
        raise ArgumentError(
            f"inputs declares {unknown[0]!r}, and the function takes {', '.join(p.name for p in parameters)}",
            do="declare only arguments of the function that come after the model",
        )
    return {name: shape for name, shape in found.items() if shape != 0}


def as_arrays(result: Any) -> Any:
    """Lists of scalars become arrays, and so do vectors; tuples and dicts stay what they are."""
    if isinstance(result, tuple):
        return tuple(as_arrays(part) for part in result)
    if isinstance(result, dict):
        return {name: as_arrays(part) for name, part in result.items()}
    if isinstance(result, list):
        return np.array(
            [as_arrays(part) if isinstance(part, list) else part for part in result], dtype=object
        )
    return result


# ---- what an equation is known by ------------------------------------------------------------------------

_ROOMS = (
    *("scalar", "geometry", "rotations.py", "joint.py", "equipment.py", "model.py", "alignment.py"),
    *("equations", "kernel.py", "varying.py"),
)
"""What the trace of an equation can depend on; `tests/test_architecture.py` holds that it imports nothing else."""


@cache
def _physics() -> str:
    """Of the equations themselves, so that an entry of another version of them is not taken."""
    rooms = [Path(__file__).parent / room for room in _ROOMS]
    return digest_of_sources(
        path for room in rooms for path in (sorted(room.rglob("*.py")) if room.is_dir() else [room])
    )


def _unwrapped(function: Callable[..., Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A function and the options that `functools.partial` has set."""
    if isinstance(function, partial) and not function.args:
        return function.func, function.keywords
    return function, {}


def _words(
    function: Callable[..., Any], model: Model, declared: Mapping[str, Any], dtype: str
) -> list[str] | None:
    """What determines the program of one of our own equations; None for a function that we do not know."""
    equation, options = _unwrapped(function)
    module, name = getattr(equation, "__module__", ""), getattr(equation, "__qualname__", "")
    own = module.startswith("quatrain.equations.") and getattr(sys.modules[module], name, None) is equation
    if not own or not all(map(_is_plain, options.values())):
        return None
    places = repr((model.body_names, model.joint_names, model.frames, model.actuators))
    settings = repr((sorted(options.items()), list(declared.items()), dtype))
    return [_physics(), module, name, settings, model.digest, places]


def _is_plain(value: Any) -> bool:
    """Whether its repr tells all of it."""
    if isinstance(value, (tuple, Vec3, Quaternion)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (str, int, float))
