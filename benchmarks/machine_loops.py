"""Machine code beside the compiler's own, to compare with: what the processor can do at best.

Also kernels for another instruction set than the best that the processor has.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np

from quatrain.compiler import Program
from quatrain.compiler.kernel import Kernel
from quatrain.compiler.llvm import machine
from quatrain.compiler.llvm.blocks import module_text
from quatrain.compiler.llvm.module import PARAMETERS, Leaf, Module, leaf_pair
from quatrain.compiler.llvm.regions import Region
from quatrain.compiler.llvm.target import Target
from quatrain.compiler.llvm.text import Function, Lanes
from quatrain.compiler.native import aligned


def avx2() -> Target | None:
    """A processor with AVX2 and nothing later, if this one can stand in for it."""
    host = Target.host()
    features = host.features.split(",")
    if "+avx2" not in features or "+fma" not in features:
        return None
    return Target(host.triple, "haswell", "+avx2,+fma", 32, True)


def targets() -> dict[str, Target]:
    """What is measured, by name: AVX2 where there is, and the processor as it is."""
    host, narrow = Target.host(), avx2()
    title = {64: "AVX-512", 32: "AVX2"}.get(host.register_bytes, "host")
    found = {} if narrow is None else {"AVX2": narrow}
    return {**found, title if narrow is None or host.register_bytes > 32 else "host": host}


def kernel_for(target: Target, program: Program) -> Kernel:
    """A kernel for a processor that is named instead of found."""
    with patch.object(Target, "host", classmethod(lambda cls: target)):
        return Kernel(program)


# ---- fused multiply-adds and nothing else ------------------------------------------------------------

# Twice what hides the latency of four cycles on two units; with the two operands there are registers for
# all of them even where there are sixteen.
ACCUMULATORS = 12


class MultiplyAdds:
    """A loop of independent fused multiply-adds on registers: the peak that arithmetic is compared with."""

    def __init__(self, target: Target) -> None:
        self.width = target.width("float64")
        self._loaded = machine.Loaded(machine.object_code(self._text(target), target), "peak")
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(self._loaded.address)

    def runner(self, rounds: int) -> Callable[[], None]:
        """A run of so many rounds, with memory of its own."""
        memory = aligned(2 * 8 * self.width)
        memory.view(np.float64)[:] = 0.5
        address = memory.ctypes.data

        def run(keep: Any = memory) -> None:
            self._call(address, rounds)

        return run

    def flops(self, rounds: int) -> int:
        return 2 * ACCUMULATORS * self.width * rounds

    def _text(self, target: Target) -> str:
        real = f"<{self.width} x double>"
        fma = f"@llvm.fma.v{self.width}f64"
        several = range(ACCUMULATORS)
        starts = [f"  %x{k} = phi {real} [ splat (double {k}.0), %entry ], [ %y{k}, %body ]" for k in several]
        work = [f"  %y{k} = call {real} {fma}({real} %x{k}, {real} %a, {real} %b)" for k in several]
        # All results are used, so that none of the work is dropped.
        sums = [f"  %s{k} = fadd {real} %{f's{k - 1}' if k > 1 else 'y0'}, %y{k}" for k in several[1:]]
        lines = [
            f'target triple = "{target.triple}"',
            f"declare {real} {fma}({real}, {real}, {real})",
            "define void @peak(ptr %memory, i64 %rounds) {",
            "entry:",
            f"  %beside = getelementptr i8, ptr %memory, i64 {8 * self.width}",
            f"  %a = load {real}, ptr %memory, align 8",
            f"  %b = load {real}, ptr %beside, align 8",
            "  br label %body",
            "body:",
            "  %i = phi i64 [ 0, %entry ], [ %next, %body ]",
            *starts,
            *work,
            "  %next = add i64 %i, 1",
            "  %more = icmp slt i64 %next, %rounds",
            "  br i1 %more, label %body, label %done",
            "done:",
            *sums,
            f"  store {real} %s{ACCUMULATORS - 1}, ptr %memory, align 8",
            "  ret void",
            "}",
        ]
        return "\n".join(lines) + "\n"


# ---- a step of a time loop, alone --------------------------------------------------------------------

_AGAIN = """
define void @again(ptr %pairs, ptr %work, i64 %blocks, i64 %rounds) {
entry:
  br label %round
round:
  %r = phi i64 [ 0, %entry ], [ %r.next, %end ]
  br label %block
block:
  %b = phi i64 [ 0, %round ], [ %b.next, %block ]
  %place = mul i64 %b, $BYTES
  %leaves = getelementptr i8, ptr %pairs, i64 %place
  call void @body(ptr %leaves, ptr %work)
  %b.next = add i64 %b, 1
  %more = icmp slt i64 %b.next, %blocks
  br i1 %more, label %block, label %end
end:
  %r.next = add i64 %r, 1
  %again = icmp slt i64 %r.next, %rounds
  br i1 %again, label %round, label %done
done:
  ret void
}
"""


class StepAlone:
    """The code of a step called over and over, the next state written where the state was read.

    Nothing else is done: no loop of the compiler's, no records. Blocks of as many states as a vector has
    lanes take turns. With one block each step waits for the one before, as a trajectory does; with
    several the processor has independent work at any time. All lie in the first-level cache.
    """

    def __init__(self, program: Program, target: Target, state: tuple[str, str] = ("x.", "out.")) -> None:
        self.program, self.before, self.after = program, *state
        self.ports = [*program.inputs, *program.outputs]
        module = self._module(target)
        self.width = module.lanes.width
        text = module_text(module, target) + _AGAIN.replace("$BYTES", str(16 * len(self.ports)))
        self._loaded = machine.Loaded(machine.object_code(text, target), "again")
        kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        self._call = ctypes.CFUNCTYPE(None, *kinds)(self._loaded.address)
        self._work = aligned(module.work_bytes)

    def _module(self, target: Target) -> Module:
        """The step in a function: from where the inputs stand to where the outputs go, nothing in between."""
        module = Module(Lanes(target.width("float64"), "double"), "float64", True, target.registers)
        given, results = self.program.inputs, self.program.outputs
        sources = [Leaf(place, k) for place, port in enumerate(given) for k in range(len(port.numbers))]
        body = Function("body", PARAMETERS, module.lanes)
        values = iter(Region(module, self.program.graph, sources, [self.program.results]).emit(body, 0))
        for place, port in enumerate(results, len(given)):
            at, apart = leaf_pair(body, place)
            for k in range(len(port.numbers)):
                body.store(next(values), body.offset(at, body.new(f"mul i64 {apart}, {k}")))
        module.functions.append(body.text(notes="noinline #0"))
        return module

    def runner(self, arrays: Mapping[str, Any], blocks: int, rounds: int) -> Callable[[], None]:
        """A run of `rounds` steps of the first `blocks` blocks of the batch; each call starts afresh."""
        starts: list[tuple[Any, Any]] = []
        pairs = np.zeros((blocks, len(self.ports), 2), np.int64)
        for block in range(blocks):
            memory: dict[str, Any] = {}
            for k, port in enumerate(self.ports):
                size = len(port.numbers)
                if k < len(self.program.inputs):
                    rows = arrays[port.name][block * self.width : (block + 1) * self.width]
                    column = aligned(8 * size * self.width).view(np.float64).reshape(size, self.width)
                    starts.append((column, rows.reshape(self.width, size).T.copy()))
                    memory[port.name] = column
                else:
                    column = memory[port.name.replace(self.after, self.before, 1)]
                pairs[block, k] = column.ctypes.data, 8 * self.width
        addresses = pairs.ctypes.data, self._work.ctypes.data

        def run(keep: Any = pairs) -> None:
            for column, start in starts:
                column[...] = start
            self._call(*addresses, blocks, rounds)

        return run


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
