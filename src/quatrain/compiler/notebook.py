"""What notebooks show of a kernel."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quatrain.compiler.kernel import Kernel


def of_kernel(kernel: Kernel) -> str:
    """Its inputs and outputs, how many operations it takes, and what it runs on."""
    cell = 'style="text-align: left; padding: 1px 10px"'
    rows = [("in", port.name, port.shape) for port in kernel.program.inputs]
    rows += [("out", port.name, port.shape) for port in kernel.program.outputs]
    lines = [f"<p><strong>{html.escape(kernel.program.name)}</strong></p>", "<table><tbody>"]
    for kind, name, shape in rows:
        size = f"(…, {', '.join(map(str, shape))})" if shape else "(…)"
        lines.append(
            f"<tr><td {cell}>{kind}</td><td {cell}>{html.escape(name)}</td><td {cell}>{size}</td></tr>"
        )
    counts = sorted(kernel.operations.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{count:,} {name}" for name, count in counts[:6])
    total = f"{sum(kernel.operations.values()):,} operations" + (f": {listed}" if listed else "")
    more = " …" if len(counts) > 6 else ""
    return "\n".join(
        [*lines, "</tbody></table>", f"<p>{total}{more}</p>", f"<p>{html.escape(kernel.runs_on)}</p>"]
    )
