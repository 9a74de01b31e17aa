"""One text of LLVM IR: the functions asked for, and the declarations and tables they turn out to need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from quatrain.compiler.elementary.emitter import Body, Emitter, Real
from quatrain.compiler.elementary.formats import Format


@dataclass
class Assembly:
    """Collects functions for vectors of one width, on machines with or without fused multiply-add."""

    width: int
    fma: bool
    declarations: dict[str, None] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)

    def declare(self, line: str) -> None:
        self.declarations[line] = None

    def table(self, name: str, kind: str, values: Sequence[int]) -> str:
        """A table of constants, and its name in the text."""
        full = f"@qt.{name}.x{self.width}"
        entries = ", ".join(f"{kind} {v}" for v in values)
        self.tables[full] = f"{full} = private unnamed_addr constant [{len(values)} x {kind}] [{entries}]"
        return full

    def define(
        self,
        name: str,
        number_format: Format,
        parameters: int,
        equations: Callable[..., Sequence[Real]],
        *,
        rare: bool = False,
    ) -> str:
        """Write the function `name` once, and give its name in the text.

        `equations(e, x, y, …)` gives its results: one is returned as it is, several (or those of a rare
        function) in a struct. A rare function is kept out of line, and the way to it out of the main path.
        """
        full = f"@qt.{name}.{number_format.suffix}x{self.width}"
        if full in self.functions:
            return full
        body = Body()
        e = Emitter(self, number_format, body)
        arguments = [Real(e, f"%x{k}") for k in range(parameters)]
        results = equations(e, *arguments)
        if len(results) == 1 and not rare:
            kind, result = e.real_type, results[0].text
        else:
            kind, result = e.struct(len(results)), "poison"
            for k, r in enumerate(results):
                result = e.emit(f"insertvalue {kind} {result}, {r.type} {r.text}, {k}")
        signature = ", ".join(f"{e.real_type} {a.text}" for a in arguments)
        attributes = "nounwind willreturn memory(none)" + (" cold noinline" if rare else "")
        self.functions[full] = "\n".join(
            [
                f"define internal {kind} {full}({signature}) {attributes} {{",
                "entry:",
                *body.lines,
                f"  ret {kind} {result}",
                "}",
            ]
        )
        return full

    def text(self) -> str:
        blocks = ["\n".join(self.declarations), "\n".join(self.tables.values()), *self.functions.values()]
        return "\n\n".join(block for block in blocks if block) + "\n"
