"""A program as machine code that is called for a range of the batch.

The code has one function, `kernel(frame)`. A frame is an array of 64-bit words:

    0  first element of the batch     1  element after the last     2  address of the work area
    3 … 7  for time loops             then the leaves, `memory.WORDS` words each, inputs before outputs

It goes over the range in blocks of as many elements as a vector has lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quatrain.compiler.elementary import library
from quatrain.compiler.llvm import memory
from quatrain.compiler.llvm.module import PARAMETERS, Leaf, Module, leaf_pair
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
    scratch = tuple(scratch_area(module, port) for port in ports)
    sources = [Leaf(place, k) for place, port in enumerate(program.inputs) for k in range(len(port.numbers))]
    body = Function("body", PARAMETERS, module.lanes)
    region = Region(module, program.graph, sources, [program.results])
    zeros = [zero_tiles(program, port, module.lanes.width) for port in program.outputs]
    write_outputs(body, program.outputs, len(program.inputs), region.emit(body, 0), zeros)
    module.functions.append(body.text(notes="noinline #0"))
    module.functions.append(_kernel(module, len(program.inputs), zeros))
    return Code(module_text(module, target), module.lanes.width, module.work_bytes, scratch)


def scratch_area(module: Module, port: Port) -> int:
    return module.allocate(memory.scratch_scalars(len(port.numbers), module.lanes.width))


def zero_tiles(program: Program, port: Port, width: int) -> tuple[bool, ...]:
    """Which tiles of an output, as many scalars each as a vector has lanes, are zero whatever comes in."""
    nodes = program.graph.nodes
    zero = [nodes[n][0] == "constant" and str(nodes[n][1]) == "0.0" for n in port.numbers]
    return tuple(all(zero[k : k + width]) for k in range(0, len(zero), width))


def write_outputs(
    f: Function,
    ports: tuple[Port, ...],
    first_pair: int,
    values: Iterable[str],
    zeros: Sequence[tuple[bool, ...]],
) -> None:
    """Every scalar where its vector belongs, but those of tiles that are zero."""
    following = iter(values)
    for place, port in enumerate(ports):
        at, stride = leaf_pair(f, first_pair + place)
        for k in range(len(port.numbers)):
            value = next(following)
            if not zeros[place][k // f.lanes.width]:
                f.store(value, at if k == 0 else f.offset(at, f.new(f"mul i64 {stride}, {k}")))


def module_text(module: Module, target: Target) -> str:
    """All the text: data, declarations, elementary functions, routines, functions."""
    lines = [f'target triple = "{target.triple}"', ""]
    number = module.lanes.number
    for values, name in module.tables.items():
        entries = ", ".join(f"{number} {module.lanes.literal(v)}" for v in values)
        lines.append(f"{name} = internal constant [{len(values)} x {number}] [{entries}]")
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
    lines += ["", elementary, memory.routines(module.lanes), *module.functions]
    lines.append(f'attributes #0 = {{ nounwind {_stack(module.lanes)}"no-trapping-math"="true" }}')
    return "\n".join(lines) + "\n"


def _stack(lanes: Lanes) -> str:
    # Left to itself the stack lies on multiples of 16 bytes, and every vector that is put there for a while
    # may lie across two cache lines: that costs up to half the speed, by chance of where the caller's stack ends.
    return f"alignstack={lanes.bytes} " if lanes.bytes > 16 else ""


def _kernel(module: Module, inputs: int, zeros: Sequence[tuple[bool, ...]]) -> str:
    masks = [module.flags(tiles) if any(tiles) else "null" for tiles in zeros]

    def block(f: Function, work: str, element: str, n: str) -> None:
        for k in range(inputs + len(masks)):
            open_leaf(f, k, work, element, n, "0", is_input=k < inputs)
        f.do(f"call void @body(ptr {work}, ptr {work})")
        for k, mask in enumerate(masks, inputs):
            close_leaf(f, k, work, element, n, "0", mask)

    return kernel_text(module.lanes, block)


def kernel_text(lanes: Lanes, block: Callable[[Function, str, str, str], None]) -> str:
    """The function that is called: a loop over blocks. `block` emits what is done with one, given the work area,
    its first element and how many it has."""
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


def close_leaf(
    f: Function, leaf: int, work: str, element: str, n: str, extra: str, zeros: str = "null"
) -> None:
    """Brings an output that was not written in place to where it belongs, and writes the tiles that are zero."""
    words = leaf_words(f, leaf)
    f.do(f"call void @qt.close(ptr {words}, ptr {work}, i64 {element}, i64 {n}, i64 {extra}, ptr {zeros})")
