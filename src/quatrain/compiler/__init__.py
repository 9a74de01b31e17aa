"""From a function written over scalars to fast code. It knows no robot.

    from quatrain.compiler import compile
    from quatrain.scalar import sin

    kernel = compile(lambda x, y: sin(x) * y, inputs={"x": float, "y": float})
    kernel(np.linspace(0, 1, 1000), 2.0)

Names are looked up when they are first used: what makes machine code, and llvmlite, load only then.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# At once, so that the name means the function and not the module it stands in.
from quatrain.compiler.trace import trace

if TYPE_CHECKING:
    from quatrain.compiler.cache import Cache
    from quatrain.compiler.delays import delay
    from quatrain.compiler.derivative import forward, forward_rollout, hessian, jacobian, reverse
    from quatrain.compiler.graph import Graph, Loop
    from quatrain.compiler.kernel import Kernel, compile
    from quatrain.compiler.loops import Iterated, iterate, repeat
    from quatrain.compiler.origin import Origin, TraceError
    from quatrain.compiler.program import Port, Program
    from quatrain.compiler.rollout_kernel import RolloutKernel
    from quatrain.compiler.rollouts import Rollout, rollout, when
    from quatrain.compiler.text import listing
    from quatrain.compiler.traced import Condition, Traced
    from quatrain.compiler.trails import row, scan

__all__ = [
    "Cache",
    "Condition",
    "Graph",
    "Iterated",
    "Kernel",
    "Loop",
    "Origin",
    "Port",
    "Program",
    "Rollout",
    "RolloutKernel",
    "TraceError",
    "Traced",
    "compile",
    "delay",
    "forward",
    "forward_rollout",
    "hessian",
    "iterate",
    "jacobian",
    "listing",
    "repeat",
    "reverse",
    "rollout",
    "row",
    "scan",
    "trace",
    "when",
]

# Module -> the names above that live in it.
_HOMES = {
    "cache": ("Cache",),
    "delays": ("delay",),
    "derivative": ("forward", "forward_rollout", "hessian", "jacobian", "reverse"),
    "graph": ("Graph", "Loop"),
    "kernel": ("Kernel", "compile"),
    "loops": ("Iterated", "iterate", "repeat"),
    "origin": ("Origin", "TraceError"),
    "program": ("Port", "Program"),
    "rollout_kernel": ("RolloutKernel",),
    "rollouts": ("Rollout", "rollout", "when"),
    "text": ("listing",),
    "traced": ("Condition", "Traced"),
    "trails": ("row", "scan"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"quatrain.compiler.{module}"), name)
    raise AttributeError(f"module 'quatrain.compiler' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
