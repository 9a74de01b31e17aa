"""Rates of the generated elementary functions on one thread, and their ratio to NumPy's in the same process.

    python benchmarks/elementary.py [--size 16384]

The columns lie in the cache. NumPy picks its own vector code for the processor (SVML on AVX-512 for most
functions); NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" shows it as it is on a machine with AVX2 only.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from quatrain.compiler.elementary import OPERATIONS, function_name, library, vector_type

NUMPY = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "pow": np.power,
}
RANGES = {
    "asin": [(-1, 1)],
    "acos": [(-1, 1)],
    "atan": [(-10, 10)],
    "atan2": [(-10, 10), (-10, 10)],
    "exp": [(-20, 20)],
    "log": [(0.01, 100)],
    "tanh": [(-5, 5)],
    "pow": [(0.01, 100), (-5, 5)],
}


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def loop(name: str, width: int, dtype: str) -> str:
    """LLVM IR of a function that applies `name` to columns whose length is a multiple of the width."""
    operation, vector = OPERATIONS[name], vector_type(width, dtype)
    scalar = "double" if dtype == "float64" else "float"
    arguments, results = range(operation.arguments), range(operation.results)
    kind = vector if operation.results == 1 else "{ " + ", ".join([vector] * operation.results) + " }"
    pointers = ", ".join([f"ptr noalias %a{k}" for k in arguments] + [f"ptr noalias %r{k}" for k in results])
    lines = [f"define void @column_{name}({pointers}, i64 %n) {{", "entry:", "  br label %body", "body:"]
    lines.append("  %i = phi i64 [ 0, %entry ], [ %next, %body ]")
    for k in arguments:
        lines.append(f"  %p{k} = getelementptr {scalar}, ptr %a{k}, i64 %i")
        lines.append(f"  %x{k} = load {vector}, ptr %p{k}, align 8")
    operands = ", ".join(f"{vector} %x{k}" for k in arguments)
    lines.append(f"  %y = call {kind} {function_name(name, width, dtype)}({operands})")
    for k in results:
        if operation.results > 1:
            lines.append(f"  %y{k} = extractvalue {kind} %y, {k}")
        lines.append(f"  %q{k} = getelementptr {scalar}, ptr %r{k}, i64 %i")
        lines.append(f"  store {vector} %y{k if operation.results > 1 else ''}, ptr %q{k}, align 8")
    lines += [f"  %next = add i64 %i, {width}", "  %more = icmp slt i64 %next, %n"]
    lines += ["  br i1 %more, label %body, label %done", "done:", "  ret void", "}"]
    return "\n".join(lines)


class Machine:
    """The functions compiled for one instruction set."""

    def __init__(self, title: str, cpu: str, features: str, register: int, fma: bool) -> None:
        self.title, self.cpu, self.features = title, cpu, features
        self.register, self.fma = register, fma

    def compiled(self, dtype: str) -> llvm.ExecutionEngine:
        width = self.register // (64 if dtype == "float64" else 32)
        text = library(width=width, dtype=dtype, fma=self.fma)
        text += "\n".join(loop(name, width, dtype) for name in OPERATIONS)
        module = llvm.parse_assembly(text)
        triple = llvm.get_process_triple()
        target = llvm.Target.from_triple(triple).create_target_machine(
            cpu=self.cpu, features=self.features, opt=3
        )
        module.triple, module.data_layout = triple, str(target.target_data)
        builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=3))
        builder.getModulePassManager().run(module, builder)
        engine = llvm.create_mcjit_compiler(module, target)
        engine.finalize_object()
        return engine


def machines() -> list[Machine]:
    host, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    flat = features.flatten()
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return [Machine("host", host, flat, 128, True)]
    found = []
    if features.get("avx512f"):
        found.append(Machine("AVX-512", host, flat, 512, True))
    if features.get("avx2") and features.get("fma"):
        found.append(Machine("AVX2", "x86-64-v3", "", 256, True))
    return [*found, Machine("SSE2", "x86-64", "", 128, False)]


def nanoseconds(run: Callable[[], object], size: int) -> float:
    """Per element, the best of many."""
    run()
    best = float("inf")
    for _ in range(25):
        start = time.perf_counter()
        for _ in range(5):
            run()
        best = min(best, (time.perf_counter() - start) / 5)
    return best / size * 1e9


def by_numpy(name: str, columns: list[np.ndarray], results: list[np.ndarray]) -> None:
    if name == "sincos":
        np.sin(*columns, out=results[0])
        np.cos(*columns, out=results[1])
    else:
        NUMPY[name](*columns, out=results[0])


def measure(dtype: str, size: int) -> None:
    rng = np.random.default_rng(0)
    sets = [(machine, machine.compiled(dtype)) for machine in machines()]
    print(f"\n{dtype}, ns per element, and times NumPy's rate\n")
    print(f"{'':8}{'NumPy':>9}" + "".join(f"{machine.title:>18}" for machine, _ in sets))
    for name, operation in OPERATIONS.items():
        columns = [rng.uniform(*ends, size).astype(dtype) for ends in RANGES.get(name, [(-100, 100)])]
        results = [np.empty(size, dtype) for _ in range(operation.results)]
        plain = nanoseconds(partial(by_numpy, name, columns, results), size)
        row = f"{name:8}{plain:9.3f}"
        for _, engine in sets:
            pointers = [array.ctypes.data for array in (*columns, *results)]
            kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers), ctypes.c_int64)
            function = kind(engine.get_function_address(f"column_{name}"))
            ours = nanoseconds(partial(function, *pointers, size), size)
            row += f"{ours:10.3f} ×{plain / ours:6.2f}"
        print(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=16384, help="elements of a column, a multiple of 16")
    size = parser.parse_args().size
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    print(
        f"{processor()} ({llvm.get_host_cpu_name()}); NumPy {np.__version__}; {size:,} elements, one thread"
    )
    for dtype in ("float64", "float32"):
        measure(dtype, size)


if __name__ == "__main__":
    main()
