"""What a process does that has just begun; run by `compiler.py`, several times."""

from __future__ import annotations

import json

import programs
from measuring import CLOCKS

from quatrain.compiler.kernel import Kernel
from quatrain.compiler.llvm.machine import binding


def report(joints: int, clock: str) -> None:
    """Prints how long a chain took to trace, and to make a kernel of, where the cache may have it."""
    binding()  # llvmlite is imported and knows the processor; that is not counted
    began = CLOCKS[clock]()
    program = programs.chain_program(joints)
    traced = CLOCKS[clock]()
    kernel = Kernel(program)
    done = CLOCKS[clock]()
    found = {
        "operations": sum(kernel.operations.values()),
        "cached": kernel.from_cache,
        "trace": traced - began,
        "kernel": done - traced,
    }
    print(json.dumps(found))
