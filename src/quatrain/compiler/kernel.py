"""A function over scalars as a kernel: traced once, compiled once, called with arrays.

kernel = compile(lambda x, y: sin(x) * y, inputs={"x": float, "y": float})
kernel(np.linspace(0, 1, 1000), 2.0)
"""

from __future__ import annotations

import inspect
import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.compiler import calls, interpret, shortcuts
from quatrain.compiler.counts import operations
from quatrain.compiler.program import Port, Program
from quatrain.compiler.shortcuts import NO_LOOP, UNPREPARED
from quatrain.compiler.structure import Group, Record, Structure, of_value
from quatrain.compiler.trace import check_declaration, trace
from quatrain.errors import ArgumentError, QuatrainError

if TYPE_CHECKING:
    from quatrain.compiler.explain import Explanation
    from quatrain.compiler.llvm.blocks import Code
    from quatrain.compiler.llvm.target import Target
    from quatrain.compiler.native import Native, Runner

logger = logging.getLogger("quatrain")

DTYPES = {"float64": np.float64, "float32": np.float32}


def compile(
    function: Callable[..., Any] | Program,
    *,
    inputs: Mapping[str, Any] | None = None,
    device: str = "cpu",
    dtype: str = "float64",
    threads: int | None = None,
    name: str | None = None,
    vary: Iterable[str] = (),
    contract: bool = True,
) -> Kernel:
    """A kernel for a function over scalars, or for a program already traced.

    `inputs` declares the arguments by name as for `trace`: `float` for a number, 7 or (3, 3) for an array, a
    dataclass of scalars such as `Vec3`. Arguments with default values need no declaration: their values are
    folded into the code. Those named in `vary` stay inputs, shaped like their defaults, after the others.
    `threads`: None for one, −1 for all processors. `contract=False` keeps products and sums from being fused,
    which makes results equal to NumPy's bit for bit where no elementary function takes part.
    """
    if device != "cpu":
        raise ArgumentError(f"device is {device!r}", do="pass device='cpu', the only one there is so far")
    number_type(dtype)
    vary = (vary,) if isinstance(vary, str) else tuple(vary)
    if isinstance(function, Program):
        if vary:
            raise ArgumentError(
                "vary names arguments of a function, and a program that is traced already was given",
                do="pass the function itself, or trace it with these arguments among its inputs",
            )
        program = function
    elif inputs is None:
        raise ArgumentError(
            "the inputs of the function are not declared",
            do="pass inputs={'x': float, 'q': 7, …}, by argument name",
        )
    else:
        check_declaration(function, inputs)
        declared = {**inputs, **_varied(function, inputs, vary)}
        program = trace(function, declared, name=name, dtype=dtype)
    return Kernel(program, dtype=dtype, threads=threads, contract=contract)


def _varied(
    function: Callable[..., Any], inputs: Mapping[str, Any], vary: tuple[str, ...]
) -> dict[str, Structure]:
    """Declarations of the arguments that are to vary, after their default values."""
    if not vary:
        return {}
    parameters = inspect.signature(function).parameters
    choices = {n: p.default for n, p in parameters.items() if p.default is not p.empty and n not in inputs}
    for name in vary:
        if name not in choices:
            known = ", ".join(choices) or "(none)"
            raise ArgumentError(
                f"vary names {name!r}; arguments with a default value that are no inputs: {known}",
                do="name some of those, or declare the argument in inputs",
            )
    return {name: of_value(choices[name], name) for name in vary}


def number_type(dtype: str) -> Any:
    """NumPy's type of this name."""
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ArgumentError(f"dtype is {dtype!r}", do="pass 'float64' or 'float32'")
    return DTYPES[dtype]


def thread_count(threads: int | None) -> int:
    """None is one, −1 all processors."""
    if threads is None:
        return 1
    if not isinstance(threads, int) or isinstance(threads, bool) or threads == 0 or threads < -1:
        raise ArgumentError(
            f"threads is {threads!r}", do="pass a positive number, −1 for all processors, or None for one"
        )
    return threads if threads > 0 else os.cpu_count() or 1


def has_llvm(title: str) -> bool:
    """Whether llvmlite is there; if not, a notice that the interpreter does the work."""
    try:
        import llvmlite  # noqa: F401 only to know whether it is there
    except ImportError:
        logger.warning(
            "llvmlite is not installed: %s runs on the interpreter, much slower; pip install llvmlite", title
        )
        return False
    return True


def source(form: str, program: Program, native: Native | None, make: Callable[[Target], Code]) -> str:
    """A program as a listing, or the machine code that `make` makes of it, as text of either kind."""
    if form == "listing":
        from quatrain.compiler.text import listing

        return listing(program)
    if form not in ("llvm", "assembly"):
        raise ArgumentError(f"no source in the form {form!r}", do="ask for 'listing', 'llvm' or 'assembly'")
    if native is None:
        raise QuatrainError(
            f"{program.name} runs on the interpreter, so there is no machine code to show",
            do="install llvmlite: pip install llvmlite",
        )
    from quatrain.compiler.llvm import machine
    from quatrain.compiler.llvm.target import Target

    target = Target.host()
    text = make(target).text
    return text if form == "llvm" else machine.assembly(text, target)


def listed(ports: Iterable[Port]) -> str:
    """Names and shapes of ports, for a repr."""
    return ", ".join(f"{p.name}{list(p.shape) if p.shape else ''}" for p in ports)


def options(dtype: str, threads: int, native: Native | None) -> str:
    """What a kernel's code was made for, by whom and how long it took, for a repr."""
    where = "interpreter"
    if native is not None:
        origin = "from the cache" if native.from_cache else "compiled"
        cpu = native.target.cpu or "portable"
        where = f"{cpu}, {native.width} lanes, {origin} in {native.seconds:.2f} s"
    return f"{dtype}, {threads} thread{'s' if threads > 1 else ''}, {where}"


class Kernel:
    """A compiled program. Call it with arrays; leading axes are the batch and broadcast.

    Arguments come by position or by name, and are converted to the kernel's number type; a dataclass of scalars comes
    as an array (..., k), or as an instance that holds columns. Results are nested as the function nests them, a
    dataclass of scalars as an array (..., k); `out=` takes an array, or the like nesting of arrays, to write to.
    Arrays whose batch or value axes do not lie evenly in memory are copied first. Without llvmlite the interpreter does
    the work, and says so once.
    """

    def __init__(
        self, program: Program, *, dtype: str = "float64", threads: int | None = None, contract: bool = True
    ) -> None:
        self.program = program
        self.dtype = dtype
        self.threads = thread_count(threads)
        self.contract = contract
        self._kind = number_type(dtype)
        self._names = tuple(program.input_structure.names)
        # Ports and arguments are the same where no argument is nested.
        self.plain = self._names == tuple(port.name for port in program.inputs)
        self._as_given = self.plain and not any(isinstance(p, Record) for p in program.input_structure.parts)
        self.leaves = [(port.shape, len(port.numbers)) for port in (*program.inputs, *program.outputs)]
        self.number_type = np.dtype(self._kind)
        self._prepare()

    def _prepare(self) -> None:
        self.native: Native | None = None
        self.runner: Runner | None = None
        if has_llvm(self.program.name):
            self._load()
        else:
            self._interpreted = interpret.runner(self.program, self._kind)
        self.compile_seconds = 0.0 if self.native is None else self.native.seconds
        self._local = threading.local()
        self._repeated = shortcuts.Repeated(self)

    def _load(self) -> None:
        from quatrain.compiler.native import Native, Options, Runner

        def make(target: Target) -> Code:
            from quatrain.compiler.llvm.blocks import program_code

            return program_code(self.program, target, self.dtype, contract=self.contract)

        options = Options(self.dtype, self.contract)
        self.native = Native(self.program.digest(), self.program, make, options)
        self.runner = Runner(self.native, self.threads)

    # ---- calling ----------------------------------------------------------------------------------

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        if not named:
            if out is None:
                try:
                    result = self._local.single(arguments)
                except AttributeError:
                    self._local.single = shortcuts.single_state(self)
                    result = self._local.single(arguments)
                if result is not UNPREPARED:
                    return result
            result = self._repeated(arguments, out)
            if result is not UNPREPARED:
                return result
        values = calls.bound(self.program.name, self._names, arguments, named)
        flat = values if self._as_given else self.program.flatten(values)
        arrays = [calls.as_numbers(flat[port.name], port.name, self._kind) for port in self.program.inputs]
        batch = calls.batch_of(self.program.name, self.program.inputs, arrays)
        ports = self.program.outputs
        if out is None:
            outputs = fresh = [calls.room((*batch, *port.shape), self._kind) for port in ports]
        else:
            given = self._split_out(out)
            outputs = [calls.output(port, given[port.name], batch, self._kind) for port in ports]
            # What is written must not be what a later block, or the same one's later loads, still read.
            fresh = [np.empty_like(array) if calls.overlaps(array, arrays) else array for array in outputs]
        words = self._run(arrays, fresh, batch)
        for array, made in zip(outputs, fresh, strict=True):
            if array is not made:
                array[...] = made
        if words is not None and not named:
            self._repeated.remember(arguments, out, prod(batch), words, outputs)
        return calls.result(self.program, outputs) if out is None else out

    def explain(self, /, *arguments: Any, **named: Any) -> Explanation:
        """The results by name, and in which operation and line the first NaN or infinity arises; `print` it."""
        from quatrain.compiler.explain import explain

        values = calls.bound(self.program.name, self._names, arguments, named)
        flat = values if self.plain else self.program.flatten(values)
        given = {
            port.name: calls.as_numbers(flat[port.name], port.name, self._kind)
            for port in self.program.inputs
        }
        return explain(self.program, given, self._kind)

    def _run(self, arrays: list[Any], outputs: list[Any], batch: tuple[int, ...]) -> list[int] | None:
        """Computes the outputs. The words of the leaves, if they describe the arrays themselves and no copies."""
        count = prod(batch)
        if count == 0:
            return None
        if self.native is None or self.runner is None:
            results = self._interpreted(dict(zip((p.name for p in self.program.inputs), arrays, strict=True)))
            for port, array in zip(self.program.outputs, outputs, strict=True):
                array[...] = results[port.name]
            return None
        scratch = self.native.facts["scratch"]
        held: list[Any] = []
        words: list[int] = []
        everything = [*arrays, *outputs]
        for (shape, size), array, place in zip(self.leaves, everything, scratch, strict=True):
            flat, across, along = calls.leaf(shape, array, batch)
            held.append(flat)
            words += (calls.address(flat), across, along, size, place, flat.nbytes)
        self.runner.run(NO_LOOP, words, count)
        for array, flat in zip(outputs, held[len(arrays) :], strict=True):
            if flat is not array and not np.may_share_memory(flat, array):
                array[...] = flat.reshape(array.shape)
        as_it_stands = all(
            calls.address(flat) == calls.address(array) for flat, array in zip(held, everything, strict=True)
        )
        return words if as_it_stands else None

    def _split_out(self, out: Any) -> dict[str, Any]:
        structure = self.program.output_structure
        name = "" if isinstance(structure, Group) and structure.kind is dict else "out"
        return dict(calls.outputs_by_name(structure, name, out))

    # ---- what it is -------------------------------------------------------------------------------

    @cached_property
    def operations(self) -> dict[str, int]:
        """How many of each kind; those of a loop's body count once."""
        return operations(self.program)

    @property
    def from_cache(self) -> bool:
        """Whether the machine code came from the disk."""
        return self.native is not None and self.native.from_cache

    def source(self, form: str = "listing") -> str:
        """The program as a readable "listing", as "llvm" text or as "assembly"."""

        def make(target: Target) -> Code:
            from quatrain.compiler.llvm.blocks import program_code

            return program_code(self.program, target, self.dtype, contract=self.contract)

        return source(form, self.program, self.native, make)

    def __repr__(self) -> str:
        ports = f"{listed(self.program.inputs)}) -> {listed(self.program.outputs)}"
        return f"<Kernel {self.program.name}({ports}: {sum(self.operations.values()):,} operations, {self.runs_on}>"

    @property
    def runs_on(self) -> str:
        """Its numbers, threads and processor, and where its machine code came from."""
        return options(self.dtype, self.threads, self.native)

    def _repr_html_(self) -> str:
        from quatrain.compiler.notebook import of_kernel

        return of_kernel(self)

    # Machine code does not travel: the other process takes it from the cache or compiles.
    def __getstate__(self) -> dict[str, Any]:
        return {
            "program": self.program,
            "dtype": self.dtype,
            "threads": self.threads,
            "contract": self.contract,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]
