"""A program as machine code that is called for a range of the batch.

The code has one function, `kernel(frame)`. A frame is an array of 64-bit words:

    0  first element of the batch     1  element after the last     2  address of the work area
    3 … 7  for time loops             then the leaves, `memory.WORDS` words each, inputs before outputs

It goes over the range in blocks of as many elements as a vector has lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quatrain.compiler.elementary import library
from quatrain.compiler.llvm import memory, results
from quatrain.compiler.llvm.module import PARAMETERS, Leaf, Module, pointer
from quatrain.compiler.llvm.regions import Region
from quatrain.compiler.llvm.target import TYPES, Target
from quatrain.compiler.llvm.text import Function, Lanes
from quatrain.compiler.program import Port, Program

HEAD_WORDS = 8


@dataclass(frozen=True)
class Code:
    """Text of a module, and what its caller must know of it."""

    text: str
    width: int
    """Elements of a block."""
    work_bytes: int
    """Size of the work area; each thread needs its own."""
    scratch: tuple[int, ...]
    """For each leaf the offset of its scratch area in the work area."""
    first_leaf: int = HEAD_WORDS
    repeats: bool = False
    """Whether there are loops, so that one element may take any time."""


def program_code(
    program: Program, target: Target, dtype: str, *, contract: bool = True, width: int | None = None
) -> Code:
    """The machine code of a program, as text.

    `contract` allows a product and a sum to be fused; `width` other than the target's is for tests.
    """
    module = Module(Lanes(width or target.width(dtype), TYPES[dtype]), dtype, contract, target.registers)
    ports = [*program.inputs, *program.outputs]
    # The pairs that blocks are described by stand first in the work area, then the scratch areas.
    module.allocate(-(-16 * max(1, len(ports)) // module.lanes.bytes))
    scratch = tuple(scratch_area(module, port) for port in program.inputs)
    sources = [Leaf(place, k) for place, port in enumerate(program.inputs) for k in range(len(port.numbers))]
    body = Function("body", PARAMETERS, module.lanes)
    region = Region(module, program.graph, sources, [program.results])
    cells = region.keep(0)
    others = [n for n in cells if n not in region.slots]
    for n, value in zip(others, region.emit(body, 0, others), strict=True):
        body.store(value, pointer(body, cells[n]))
    module.functions.append(body.text(notes="noinline #0"))
    tables = [
        (module.offsets([cells[n].offset for n in port.numbers]), _still(module, program, port))
        for port in program.outputs
    ]
    module.functions.append(_kernel(module, len(program.inputs), tables))
    text = module_text(module, target, results.routine(module.lanes))
    places = (*scratch, *(0 for _ in program.outputs))
    repeats = bool(program.graph.loops)
    return Code(text, module.lanes.width, module.work_bytes, places, repeats=repeats)


def scratch_area(module: Module, port: Port) -> int:
    return module.allocate(memory.scratch_scalars(len(port.numbers), module.lanes.width))


def _still(module: Module, program: Program, port: Port) -> str:
    """The flags of an output's tiles that hold one constant."""
    nodes = program.graph.nodes
    constants: list[object] = [n if nodes[n][0] == "constant" else None for n in port.numbers]
    flags = results.still_tiles(constants, module.lanes.width)
    return module.flags(flags) if any(flags) else "null"


def module_text(module: Module, target: Target, *more: str) -> str:
    """All the text: data, declarations, elementary functions, routines (`more` of them), functions."""
    lines = [f'target triple = "{target.triple}"', ""]
    number = module.lanes.number
    for values, name in module.tables.items():
        entries = ", ".join(f"{number} {module.lanes.literal(v)}" for v in values)
        lines.append(f"{name} = internal constant [{len(values)} x {number}] [{entries}]")
    for offsets, name in module.places.items():
        entries = ", ".join(f"i32 {offset}" for offset in offsets)
        lines.append(f"{name} = internal constant [{len(offsets)} x i32] [{entries}]")
    for flags, name in module.masks.items():
        entries = ", ".join(f"i8 {int(flag)}" for flag in flags)
        lines.append(f"{name} = internal constant [{len(flags)} x i8] [{entries}]")
    elementary = (
        library(width=module.lanes.width, dtype=module.dtype, fma=target.fma, names=module.elementary)
        if module.elementary
        else ""
    )
    known = set(elementary.splitlines())
    lines += [d for d in module.declarations if d not in known]
    lines += ["", elementary, memory.routines(module.lanes, *more), *module.functions]
    lines.append(f'attributes #0 = {{ nounwind {_stack(module.lanes)}"no-trapping-math"="true" }}')
    return "\n".join(lines) + "\n"


def _stack(lanes: Lanes) -> str:
    # Left to itself the stack lies on multiples of 16 bytes, and every vector that is put there for a while
    # may lie across two cache lines: that costs up to half the speed, by chance of where the caller's stack ends.
    return f"alignstack={lanes.bytes} " if lanes.bytes > 16 else ""


def _kernel(module: Module, inputs: int, tables: Sequence[tuple[str, str]]) -> str:
    def block(f: Function, work: str, element: str, n: str) -> None:
        for k in range(inputs):
            open_leaf(f, k, work, element, n, "0", is_input=True)
        f.do(f"call void @body(ptr {work}, ptr {work})")
        for k, (cells, still) in enumerate(tables, inputs):
            words = leaf_words(f, k)
            f.do(
                f"call void @qt.results(ptr {words}, ptr {work}, i64 {element}, i64 {n}, ptr {cells}, ptr {still})"
            )

    if not results.streams(module.lanes):
        return kernel_text(module.lanes, block)
    return kernel_text(module.lanes, block, last="call void @llvm.x86.sse.sfence()") + _SFENCE


# What is written past the caches is there for other threads only after this.
_SFENCE = "declare void @llvm.x86.sse.sfence()\n"


def kernel_text(lanes: Lanes, block: Callable[[Function, str, str, str], None], last: str = "") -> str:
    """The function that is called: a loop over blocks. `block` emits what is done with one, given the work area,
    its first element and how many it has; `last` is done at the end of several blocks."""
    f = Function("kernel", "ptr %frame", lanes)
    start, stop, work = frame_word(f, 0), frame_word(f, 1), frame_word(f, 2, "ptr")
    place = f.at_entry("alloca i64")
    f.store(start, place, "i64")
    test, body, after = f.label("test"), f.label("block"), f.label("after")
    f.jump(test)
    f.place(test)
    element = f.load(place, "i64")
    f.branch(f.new(f"icmp slt i64 {element}, {stop}"), body, after)
    f.place(body)
    block(f, work, element, lanes_left(f, element, stop))
    f.store(f.new(f"add i64 {element}, {lanes.width}"), place, "i64")
    f.jump(test)
    f.place(after)
    if last:
        several, done = f.label("several"), f.label("done")
        f.branch(f.new(f"icmp sgt i64 {f.new(f'sub i64 {stop}, {start}')}, {lanes.width}"), several, done)
        f.place(several)
        f.do(last)
        f.jump(done)
        f.place(done)
    return f.text(attributes="", notes="#0")


def frame_word(f: Function, word: int, kind: str = "i64") -> str:
    return f.at_entry(f"load {kind}, ptr {f.at_entry(f'getelementptr i8, ptr %frame, i64 {8 * word}')}")


def lanes_left(f: Function, element: str, stop: str) -> str:
    """How many elements this block has: the vector's width, or less at the end."""
    left = f.new(f"sub i64 {stop}, {element}")
    short = f.new(f"icmp slt i64 {left}, {f.lanes.width}")
    return f.new(f"select i1 {short}, i64 {left}, i64 {f.lanes.width}")


def leaf_words(f: Function, leaf: int) -> str:
    """Address of a leaf's words in the frame."""
    return f.new(f"getelementptr i8, ptr %frame, i64 {8 * (HEAD_WORDS + memory.WORDS * leaf)}")


def open_leaf(f: Function, leaf: int, work: str, element: str, n: str, extra: str, *, is_input: bool) -> None:
    """Makes a leaf's pair for this block; an input that is not read in place is packed."""
    words = leaf_words(f, leaf)
    pair = f.offset(work, 16 * leaf)
    flag = "true" if is_input else "false"
    f.do(
        f"call void @qt.open(ptr {words}, ptr {pair}, ptr {work}, i64 {element}, i64 {n}, i64 {extra}, i1 {flag})"
    )


def close_leaf(f: Function, leaf: int, work: str, element: str, n: str, extra: str) -> None:
    """Brings an output that was not written in place to where it belongs."""
    words = leaf_words(f, leaf)
    f.do(f"call void @qt.close(ptr {words}, ptr {work}, i64 {element}, i64 {n}, i64 {extra})")
