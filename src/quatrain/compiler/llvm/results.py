"""Results to arrays: text of the routine that brings what a program has computed to where it belongs.

Every distinct result has one vector in the work area, its cell; a result that stands in an array several times,
and a constant, takes no more. A table gives for each scalar of an array the offset of its cell. From there
`@qt.results` writes a block of W elements: rows that are contiguous by transposing W×W tiles in registers, columns
vector by vector, anything else number by number.
"""

from __future__ import annotations

from quatrain.compiler.llvm.memory import counted, transposed
from quatrain.compiler.llvm.text import Lanes

AHEAD = 1024
"""So many bytes before they are written, the lines of rows are asked for. Where results go to memory and not to a
cache, a core would else wait for every line that a store touches first: matrices of a humanoid take a fifth longer."""


STREAMED = 1 << 25
"""Arrays from so many bytes on are written past the caches, if their rows stand on multiples of `LINE_PART` bytes: they
would only drive out what is in the caches, and a line need not be read before all of it is written. Matrices of a
humanoid then take a third less."""
LINE_PART = 32


def streams(lanes: Lanes) -> bool:
    """Whether vectors are whole parts of lines, which x86's alone are."""
    return lanes.bytes >= LINE_PART


def still_tiles(constant: list[object], width: int) -> tuple[bool, ...]:
    """Which tiles of an array hold one and the same constant; `constant` has for each scalar what it is, or None."""
    tiles = [constant[k : k + width] for k in range(0, len(constant), width)]
    return tuple(tile[0] is not None and len(set(tile)) == 1 for tile in tiles)


def routine(lanes: Lanes) -> str:
    """Definition of @qt.results for vectors of this kind."""
    text = _RESULTS.replace("$IN_ROWS", "%rows" if lanes.width > 1 else "false")
    text = text.replace("$PAST", "%past" if streams(lanes) else "false")
    parts = {
        "$REST": str(LINE_PART - 1),
        "$FROM": str(STREAMED),
        "$STREAM": counted("t", "%tiles", _tile(lanes, past_caches=streams(lanes))),
        "$COLUMNS": counted("c", "%count", _COLUMN),
        "$TILES": counted("t", "%tiles", _tile(lanes, past_caches=False)),
        "$NUMBERS": counted("s", "%count", _CELL + counted("r", "%lanes", _NUMBER)),
    }
    for name, value in parts.items():
        text = text.replace(name, value)
    return text + "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n!0 = !{i32 1}\n"


# The last tile ends with the last scalar: it begins within the one before and writes some numbers again.
_RESULTS = """
define internal void @qt.results(
    ptr %leaf, ptr %work, i64 %element, i64 %lanes, ptr %cells, ptr %still
) noinline nounwind {
entry:
  %p1 = getelementptr i8, ptr %leaf, i64 8
  %p2 = getelementptr i8, ptr %leaf, i64 16
  %p3 = getelementptr i8, ptr %leaf, i64 24
  %p5 = getelementptr i8, ptr %leaf, i64 40
  %array = load ptr, ptr %leaf
  %across = load i64, ptr %p1
  %along = load i64, ptr %p2
  %count = load i64, ptr %p3
  %size = load i64, ptr %p5
  %shift = mul i64 %element, %across
  %source = getelementptr i8, ptr %array, i64 %shift
  %whole = icmp eq i64 %lanes, $WIDTH
  %dense = icmp eq i64 %across, $SIZE
  %columns = and i1 %dense, %whole
  %rows_dense = icmp eq i64 %along, $SIZE
  %last = sub i64 %count, $WIDTH
  %enough = icmp sge i64 %last, 0
  %some_rows = and i1 %rows_dense, %whole
  %rows = and i1 %some_rows, %enough
  %rounded = add i64 %last, $TWICE
  %tiles = sdiv i64 %rounded, $WIDTH
  br i1 %columns, label %by_columns, label %not_columns
not_columns:
  br i1 $IN_ROWS, label %in_rows, label %by_numbers
in_rows:
  %address = ptrtoint ptr %array to i64
  %row = mul i64 %count, $SIZE
  %some_ends = or i64 %address, %across
  %ends = or i64 %some_ends, %row
  %rest = and i64 %ends, $REST
  %even = icmp eq i64 %rest, 0
  %large = icmp sge i64 %size, $FROM
  %past = and i1 %even, %large
  br i1 $PAST, label %by_streams, label %by_tiles
by_streams:
  call void @qt.stream(
    ptr %source, i64 %across, i64 %count, i64 %last, i64 %tiles, ptr %work, ptr %cells, ptr %still
  )
  ret void
by_columns:
$COLUMNS
  ret void
by_tiles:
$TILES
  ret void
by_numbers:
$NUMBERS
  ret void
}

define internal void @qt.stream(
    ptr %source, i64 %across, i64 %count, i64 %last, i64 %tiles, ptr %work, ptr %cells, ptr %still
) noinline nounwind {
entry:
$STREAM
  ret void
}
"""

_COLUMN = """
  %c_at = getelementptr i32, ptr %cells, i64 %c
  %c_offset = load i32, ptr %c_at
  %c_wide = zext i32 %c_offset to i64
  %c_cell = getelementptr i8, ptr %work, i64 %c_wide
  %c_value = load $REAL, ptr %c_cell, align $SIZE
  %c_shift = mul i64 %c, %along
  %c_there = getelementptr i8, ptr %source, i64 %c_shift
  store $REAL %c_value, ptr %c_there, align $SIZE
"""

_CELL = """
  %s_at = getelementptr i32, ptr %cells, i64 %s
  %s_offset = load i32, ptr %s_at
  %s_wide = zext i32 %s_offset to i64
  %s_cell = getelementptr i8, ptr %work, i64 %s_wide
  %s_shift = mul i64 %s, %along
  %s_there = getelementptr i8, ptr %source, i64 %s_shift
"""

_NUMBER = """
  %number_at = getelementptr $NUMBER, ptr %s_cell, i64 %r
  %number = load $NUMBER, ptr %number_at
  %row_shift = mul i64 %r, %across
  %number_to = getelementptr i8, ptr %s_there, i64 %row_shift
  store $NUMBER %number, ptr %number_to
"""


def _tile(lanes: Lanes, *, past_caches: bool) -> str:
    """W scalars of W elements. A tile that holds one constant takes no transposing."""
    width, real = lanes.width, lanes.real
    lines = [
        "  %next = mul i64 %t, $WIDTH",
        "  %within = icmp sle i64 %next, %last",
        "  %first = select i1 %within, i64 %next, i64 %last",
        "  %row_bytes = mul i64 %first, $SIZE",
        "  %row0 = getelementptr i8, ptr %source, i64 %row_bytes",
        *(f"  %row{k} = getelementptr i8, ptr %row{k - 1}, i64 %across" for k in range(1, width)),
        *([] if past_caches else _asked_ahead(width)),
    ]
    put = _streamed if past_caches else _stored
    values = []
    for k in range(width):
        lines += [
            f"  %place{k} = add i64 %first, {k}",
            f"  %at{k} = getelementptr i32, ptr %cells, i64 %place{k}",
            f"  %offset{k} = load i32, ptr %at{k}",
            f"  %wide{k} = zext i32 %offset{k} to i64",
            f"  %cell{k} = getelementptr i8, ptr %work, i64 %wide{k}",
        ]
        if k == 0:
            lines += [
                f"  %a0 = load {real}, ptr %cell0, align $SIZE",
                "  %some_still = icmp ne ptr %still, null",
                "  %asked = and i1 %some_still, %within",
                "  br i1 %asked, label %t.look, label %t.moving",
                "t.look:",
                "  %flag_at = getelementptr i8, ptr %still, i64 %t",
                "  %flag = load i8, ptr %flag_at",
                "  %constant = icmp ne i8 %flag, 0",
                "  br i1 %constant, label %t.still, label %t.moving",
                "t.still:",
                *(line for r in range(width) for line in put("%a0", r, lanes, "still")),
                "  br label %t.end",
                "t.moving:",
            ]
        else:
            lines.append(f"  %a{k} = load {real}, ptr %cell{k}, align $SIZE")
        values.append(f"%a{k}")
    values = transposed(lines, values, lanes)
    lines += [line for k in range(width) for line in put(values[k], k, lanes, "moving")]
    return "\n".join(lines)


def _stored(value: str, row: int, lanes: Lanes, _: str) -> list[str]:
    return [f"  store {lanes.real} {value}, ptr %row{row}, align $SIZE"]


def _streamed(value: str, row: int, lanes: Lanes, name: str) -> list[str]:
    """In parts of lines, one right after the other, so that they leave together."""
    each = LINE_PART * lanes.width // lanes.bytes
    lines = []
    for part in range(lanes.width // each):
        entries = ", ".join(f"i32 {k}" for k in range(part * each, (part + 1) * each))
        one = f"%{name}{row}.{part}"
        lines += [
            f"  {one} = shufflevector {lanes.real} {value}, {lanes.real} poison, <{each} x i32> <{entries}>",
            f"  {one}.at = getelementptr i8, ptr %row{row}, i64 {part * LINE_PART}",
            f"  store <{each} x {lanes.number}> {one}, ptr {one}.at, align {LINE_PART}, !nontemporal !0",
        ]
    return lines


def _asked_ahead(width: int) -> list[str]:
    """Lines that are written soon: of the same rows, or near their ends of the rows of the next block."""
    return [
        "  %bytes = mul i64 %count, $SIZE",
        "  %block = mul i64 %across, $WIDTH",
        f"  %further = add i64 %row_bytes, {AHEAD}",
        "  %beyond = icmp sge i64 %further, %bytes",
        "  %to_next = sub i64 %block, %bytes",
        "  %jump = select i1 %beyond, i64 %to_next, i64 0",
        "  %soon = add i64 %further, %jump",
        "  %ahead0 = getelementptr i8, ptr %source, i64 %soon",
        *(f"  %ahead{k} = getelementptr i8, ptr %ahead{k - 1}, i64 %across" for k in range(1, width)),
        *(f"  call void @llvm.prefetch.p0(ptr %ahead{k}, i32 1, i32 3, i32 1)" for k in range(width)),
    ]
