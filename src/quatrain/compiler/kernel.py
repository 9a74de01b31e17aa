"""A function over scalars as a kernel: traced once, compiled once, called with arrays.

kernel = compile(lambda x, y: sin(x) * y, inputs={"x": float, "y": float})
kernel(np.linspace(0, 1, 1000), 2.0)
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from quatrain.compiler import calls, interpret
from quatrain.compiler.program import Program
from quatrain.compiler.structure import Group
from quatrain.compiler.trace import trace
from quatrain.errors import ArgumentError, QuatrainError

if TYPE_CHECKING:
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
    contract: bool = True,
) -> Kernel:
    """A kernel for a function over scalars, or for a program already traced.

    `inputs` declares the arguments by name as for `trace`: `float` for a number, 7 or (3, 3) for an array, a
    dataclass of scalars such as `Vec3`. `threads`: None for one, −1 for all processors. `contract=False`
    keeps products and sums from being fused, which makes results equal to NumPy's bit for bit where no
    elementary function takes part.
    """
    if device != "cpu":
        raise ArgumentError(f"device is {device!r}", do="pass device='cpu', the only one there is so far")
    number_type(dtype)
    if isinstance(function, Program):
        program = function
    elif inputs is None:
        raise ArgumentError(
            "the inputs of the function are not declared",
            do="pass inputs={'x': float, 'q': 7, …}, by argument name",
        )
    else:
        program = trace(function, inputs, name=name, dtype=dtype)
    return Kernel(program, dtype=dtype, threads=threads, contract=contract)


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


class Kernel:
    """A compiled program. Call it with arrays; leading axes are the batch and broadcast.

    Arguments come by position or by name, and are converted to the kernel's number type. Results are nested as
    the function nests them, a dataclass of scalars as an array (..., k); `out=` takes an array, or the like
    nesting of arrays, to write to. Arrays whose batch or value axes do not lie evenly in memory are
    copied first. Without llvmlite the interpreter does the work, and says so once.
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
        self._plain = self._names == tuple(port.name for port in program.inputs)
        self._prepare()

    def _prepare(self) -> None:
        from quatrain.compiler.text import operations

        self.operations: dict[str, int] = operations(self.program)
        self._native: Native | None = None
        self._runner: Runner | None = None
        if has_llvm(self.program.name):
            self._load()
        else:
            self._interpreted = interpret.runner(self.program, self._kind)
        self.compile_seconds = 0.0 if self._native is None else self._native.seconds
        self._local = threading.local()

    def _load(self) -> None:
        from quatrain.compiler.native import Native, Options, Runner

        def make(target: Target) -> Code:
            from quatrain.compiler.llvm.blocks import program_code

            return program_code(self.program, target, self.dtype, contract=self.contract)

        options = Options(self.dtype, self.contract)
        count = sum(self.operations.values())
        self._native = Native(
            self.program.digest(),
            self.program.name,
            count,
            make,
            options,
        )
        self._runner = Runner(self._native, self.threads)

    # ---- calling ----------------------------------------------------------------------------------

    def __call__(self, /, *arguments: Any, out: Any = None, **named: Any) -> Any:
        if out is None and not named:
            try:
                single = self._local.single
            except AttributeError:
                single = self._local.single = self._single()
            result = single(arguments)
            if result is not _NOT_SINGLE:
                return result
        values = calls.bound(self.program.name, self._names, arguments, named)
        flat = values if self._plain else self.program.flatten(values)
        arrays = [calls.as_numbers(flat[port.name], port.name, self._kind) for port in self.program.inputs]
        batch = calls.batch_of(self.program.name, self.program.inputs, arrays)
        given = self._split_out(out)
        outputs = [
            calls.output(port, given.get(port.name), batch, self._kind) for port in self.program.outputs
        ]
        self._run(arrays, outputs, batch)
        named_outputs = {port.name: array for port, array in zip(self.program.outputs, outputs, strict=True)}
        return out if out is not None else self._joined(named_outputs)

    def _run(self, arrays: list[Any], outputs: list[Any], batch: tuple[int, ...]) -> None:
        count = prod(batch)
        if count == 0:
            return
        if self._native is None or self._runner is None:
            results = self._interpreted(dict(zip((p.name for p in self.program.inputs), arrays, strict=True)))
            for port, array in zip(self.program.outputs, outputs, strict=True):
                array[...] = results[port.name]
            return
        ports = [*self.program.inputs, *self.program.outputs]
        held, words, copies = [], [], []
        for port, array, is_output in zip(
            ports, [*arrays, *outputs], [False] * len(arrays) + [True] * len(outputs), strict=True
        ):
            if is_output and any(np.may_share_memory(array, other) for other in arrays):
                # A block must not write what a later one, or its own later loads, still read.
                fresh = np.empty(array.shape, array.dtype)
                copies.append((array, fresh))
                array = fresh
            flat, across, along = calls.leaf(port.shape, array, batch)
            if is_output:
                across = flat.strides[0]
                if not np.may_share_memory(flat, array):
                    copies.append((array, flat))
            held.append(flat)
            words += [
                flat.ctypes.data,
                across,
                along,
                flat.shape[1],
                self._native.facts["scratch"][len(held) - 1],
                0,
            ]
        self._runner.run((0,) * 5, words, count)
        for array, fresh in copies:
            array[...] = fresh.reshape(array.shape)

    def _joined(self, arrays: Mapping[str, Any]) -> Any:
        return self.program.unflatten(arrays, records=False)

    def _split_out(self, out: Any) -> dict[str, Any]:
        if out is None:
            return {}
        structure = self.program.output_structure
        name = "" if isinstance(structure, Group) and structure.kind is dict else "out"
        return dict(calls.outputs_by_name(structure, name, out))

    # ---- one state, quickly -----------------------------------------------------------------------

    def _single(self) -> Callable[[tuple[Any, ...]], Any]:
        """A function of a tuple of arguments: the answer if each is a plain array of one state, else `_NOT_SINGLE`.

        Arguments are copied to places whose addresses the machine code already has: a tenth of the time that
        asking an array for its address would take. Each thread has a function of its own, so places are not shared.
        """
        if self._native is None or not self._plain:
            return lambda arguments: _NOT_SINGLE
        bench = _Bench(self)
        places, shapes = bench.inputs, [place.shape for place in bench.inputs]
        count, dtype, array = len(places), bench.dtype, np.ndarray
        call, address, result = self._native.call_short, bench.frame.address, bench.result

        def single(arguments: tuple[Any, ...]) -> Any:
            if len(arguments) != count:
                return _NOT_SINGLE
            for argument, place, shape in zip(arguments, places, shapes):  # noqa: B905 lengths are equal, and it is hot
                if type(argument) is array:
                    if argument.shape != shape or argument.dtype is not dtype:
                        return _NOT_SINGLE
                elif shape or type(argument) is not float:
                    return _NOT_SINGLE
                place[...] = argument
            call(address)
            return result()

        single.memory = bench  # type: ignore[attr-defined]  # which must stay as long as the function
        return single

    # ---- what it is -------------------------------------------------------------------------------

    @property
    def from_cache(self) -> bool:
        """Whether the machine code came from the disk."""
        return self._native is not None and self._native.from_cache

    def source(self, form: str = "listing") -> str:
        """The program as a readable "listing", as "llvm" text or as "assembly"."""
        if form == "listing":
            from quatrain.compiler.text import listing

            return listing(self.program)
        if form not in ("llvm", "assembly"):
            raise ArgumentError(
                f"no source in the form {form!r}", do="ask for 'listing', 'llvm' or 'assembly'"
            )
        if self._native is None:
            raise QuatrainError(
                f"{self.program.name} runs on the interpreter, so there is no machine code to show",
                do="install llvmlite: pip install llvmlite",
            )
        from quatrain.compiler.llvm import machine
        from quatrain.compiler.llvm.blocks import program_code
        from quatrain.compiler.llvm.target import Target

        target = Target.host()
        text = program_code(self.program, target, self.dtype, contract=self.contract).text
        return text if form == "llvm" else machine.assembly(text, target)

    def __repr__(self) -> str:
        def listed(ports: Any) -> str:
            return ", ".join(f"{p.name}{list(p.shape) if p.shape else ''}" for p in ports)

        where = "interpreter"
        if self._native is not None:
            target = self._native.target
            origin = "from the cache" if self.from_cache else "compiled"
            where = f"{target.cpu or 'portable'}, {self._native.width} lanes, {origin} in {self.compile_seconds:.2f} s"
        return (
            f"<Kernel {self.program.name}({listed(self.program.inputs)}) -> {listed(self.program.outputs)}: "
            f"{sum(self.operations.values()):,} operations, {self.dtype}, {self.threads} thread"
            f"{'s' if self.threads > 1 else ''}, {where}>"
        )

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


_NOT_SINGLE = object()


class _Bench:
    """Places for one state's arguments and results, with the call prepared; one for each thread."""

    def __init__(self, kernel: Kernel) -> None:
        from quatrain.compiler.native import Frame

        native, program = kernel._native, kernel.program
        assert native is not None
        self.dtype = np.dtype(kernel._kind)
        self.inputs = [np.zeros(port.shape, self.dtype) for port in program.inputs]
        self.outputs = [np.zeros(port.shape, self.dtype) for port in program.outputs]
        words: list[int] = []
        size = self.dtype.itemsize
        ports = [*program.inputs, *program.outputs]
        for k, (port, array) in enumerate(zip(ports, [*self.inputs, *self.outputs], strict=True)):
            words += [array.ctypes.data, 0, size, len(port.numbers), native.facts["scratch"][k], 0]
        self.frame = Frame(native, (0,) * 5, words)
        self.frame.words[1] = 1
        names = [port.name for port in program.outputs]
        structure = program.output_structure
        if len(names) == 1 and not isinstance(structure, Group):
            (only,) = self.outputs
            self.result: Callable[[], Any] = only.copy
        else:
            # Of the program and not of the kernel, which would then be held by what it holds.
            outputs, joined = self.outputs, program.unflatten
            self.result = lambda: joined(
                {name: array.copy() for name, array in zip(names, outputs, strict=True)}, records=False
            )
