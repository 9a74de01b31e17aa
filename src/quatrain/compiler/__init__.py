"""From a function written over scalars to fast code. It knows no robot.

    from quatrain.compiler import trace
    from quatrain.scalar import sin

    program = trace(lambda x, y: sin(x) * y, {"x": float, "y": float})

What is imported here is small; what generates machine code is looked up when it is first used.
"""

from __future__ import annotations

from quatrain.compiler.delays import delay
from quatrain.compiler.graph import Graph, Loop
from quatrain.compiler.loops import Iterated, iterate, repeat
from quatrain.compiler.origin import Origin, TraceError
from quatrain.compiler.program import Port, Program
from quatrain.compiler.rollouts import Rollout, rollout, when

# After its module has been loaded, so that the name means the function.
from quatrain.compiler.trace import trace
from quatrain.compiler.traced import Condition, Traced

__all__ = [
    "Condition",
    "Graph",
    "Iterated",
    "Loop",
    "Origin",
    "Port",
    "Program",
    "Rollout",
    "TraceError",
    "Traced",
    "delay",
    "iterate",
    "repeat",
    "rollout",
    "trace",
    "when",
]
