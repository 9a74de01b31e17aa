"""The short ways into machine code: for one state, and for a batch that lies in memory as one before did.

Both answer `UNPREPARED` where they do not serve; then `Kernel` goes the long way, with all its checks and
their messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quatrain.compiler import calls

if TYPE_CHECKING:
    from quatrain.compiler.kernel import Kernel

UNPREPARED = object()
NO_LOOP = (0,) * 5
"""The words of a frame that only time loops use."""

# ---- one state ---------------------------------------------------------------------------------------


def single_state(kernel: Kernel) -> Callable[[tuple[Any, ...]], Any]:
    """A function of a tuple of arguments: the answer if each is a plain array of one state.

    Arguments are copied to places whose addresses the machine code already has: a tenth of the time that
    asking an array for its address would take. Each thread has a function of its own, so places are not shared.
    """
    if kernel.native is None or not kernel.plain:
        return lambda arguments: UNPREPARED
    bench = _Bench(kernel)
    places, count, dtype, array = bench.inputs, len(bench.inputs), kernel.number_type, np.ndarray
    # A line of numbers goes through a view that refuses what is not of its length and its number type.
    lines = [memoryview(place.data) if place.ndim == 1 else None for place in places]
    # NumPy would warn of what is too large for single precision.
    numbers: list[Any] = [memoryview(place.data) if not place.ndim else None for place in places]
    native = kernel.native
    # A loop may take any time: others go on meanwhile.
    call = native.call_long if native.facts["repeats"] else native.call_short
    address, result = bench.frame.address, bench.result

    in_use: list[None] = []

    def single(arguments: tuple[Any, ...]) -> Any:
        # A signal's handler may call in between: it goes another way, and is done before this goes on.
        if len(arguments) != count or in_use:
            return UNPREPARED
        in_use.append(None)
        try:
            for argument, line, number, place in zip(arguments, lines, numbers, places):  # noqa: B905 equal, and hot
                if line is not None:
                    try:
                        line[:] = argument
                    except (TypeError, ValueError, BufferError):
                        return UNPREPARED
                elif number is not None and isinstance(argument, float):
                    number[()] = argument
                elif type(argument) is array and argument.shape == place.shape and argument.dtype is dtype:
                    place[...] = argument
                else:
                    return UNPREPARED
            call(address)
            return result()
        finally:
            in_use.clear()

    single.memory = bench  # type: ignore[attr-defined]  # which must stay as long as the function
    return single


class _Bench:
    """Places for one state's arguments and results, with the call prepared; one for each thread."""

    def __init__(self, kernel: Kernel) -> None:
        from quatrain.compiler.native import Frame

        native, program = kernel.native, kernel.program
        assert native is not None
        self.inputs = [np.zeros(port.shape, kernel.number_type) for port in program.inputs]
        self.outputs = [np.zeros(port.shape, kernel.number_type) for port in program.outputs]
        words: list[int] = []
        size, scratch = kernel.number_type.itemsize, native.facts["scratch"]
        for (_, count), array, place in zip(
            kernel.leaves, [*self.inputs, *self.outputs], scratch, strict=True
        ):
            words += (calls.address(array), 0, size, count, place, 0)
        self.frame = Frame(native)
        self.frame.fill(NO_LOOP, words)
        self.frame.words[1] = 1
        if calls.is_one_array(program):
            self.result: Callable[[], Any] = self.outputs[0].copy
            return
        # Of the program and not of the kernel, which would then be held by what it holds.
        outputs = self.outputs
        if calls.is_tuple_of_arrays(program):
            self.result = lambda: tuple([array.copy() for array in outputs])
        else:
            self.result = lambda: calls.result(program, [array.copy() for array in outputs])


# ---- a batch like one before -------------------------------------------------------------------------

_MOST_PLANS = 64


class _Plan(NamedTuple):
    """How arrays that lie in one certain way are handed to the machine code."""

    elements: int
    words: list[int]
    outputs: list[tuple[int, ...]]


class Repeated:
    """Plans by the shapes and strides of the arguments: what lies alike has passed all checks before."""

    def __init__(self, kernel: Kernel) -> None:
        self._runner = kernel.runner
        self._number_type = kernel.number_type
        self._program = kernel.program
        self._leaves = len(kernel.leaves)
        self._usable = kernel.plain and kernel.runner is not None
        self._plans: dict[tuple[Any, ...], _Plan] = {}

    def remember(
        self, arguments: tuple[Any, ...], out: Any, elements: int, words: list[int], outputs: Sequence[Any]
    ) -> None:
        """The words that described these arrays to the machine code."""
        key = self._layout(arguments, out)
        if key is not None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = _Plan(elements, words, [array.shape for array in outputs])

    def _layout(self, arguments: tuple[Any, ...], out: Any) -> tuple[Any, ...] | None:
        """Shapes and strides, if all are arrays of the kernel's type."""
        key: list[Any] = [out is None]
        for argument in arguments if out is None else (*arguments, out):
            if type(argument) is not np.ndarray or argument.dtype is not self._number_type:
                return None
            key += (argument.shape, argument.strides)
        return tuple(key)

    def __call__(self, arguments: tuple[Any, ...], out: Any) -> Any:
        key = self._layout(arguments, out) if self._usable else None
        plan = None if key is None else self._plans.get(key)
        if plan is None:
            return UNPREPARED
        if out is None:
            outputs = [calls.room(shape, self._number_type) for shape in plan.outputs]
        elif out.flags.writeable and not calls.overlaps(out, arguments):
            outputs = [out]
        else:
            return UNPREPARED
        words = plan.words.copy()
        words[:: len(words) // self._leaves] = [calls.address(a) for a in (*arguments, *outputs)]
        assert self._runner is not None
        self._runner.run(NO_LOOP, words, plan.elements)
        return calls.result(self._program, outputs) if out is None else out
