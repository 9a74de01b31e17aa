"""What a new process takes to have a robot's quantities: cold, and from the cache. Run by `dynamics.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

CACHED = 3
"""So many processes start from a full cache; the best of them counts."""


def report(name: str, quantities: Sequence[str]) -> None:
    """Prints how long each quantity of a robot took until it could be called."""
    from robots import Subject

    from quatrain.compiler.llvm.machine import binding
    from quatrain.equations import dynamics
    from quatrain.kernel import compile

    model = Subject(name).robot.model
    last, found = model.body_names[-1], {}
    binding()  # llvmlite is imported and knows the processor; that is not counted
    for what in quantities:
        # A Jacobian is of a frame, which the robot's method binds; its kernel is traced, and then found by its graph.
        equation = (
            (lambda m, q: dynamics.jacobian(m, q, last)) if what == "jacobian" else getattr(dynamics, what)
        )
        began = time.perf_counter()
        compile(equation, model)
        found[what] = time.perf_counter() - began
    print(json.dumps(found))


def processes(name: str, quantities: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """By quantity, seconds in a process with an empty cache, and in one with a full cache."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        first, *again = (_in_new_process(name, quantities, folder) for _ in range(1 + CACHED))
    return first, {what: min(run[what] for run in again) for what in quantities}


def _in_new_process(name: str, quantities: Sequence[str], folder: str) -> dict[str, float]:
    here = str(Path(__file__).resolve().parent)
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "QUATRAIN_CACHE": folder, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-c", f"import cold; cold.report({name!r}, {tuple(quantities)!r})"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))
