"""Rows of arrays to vectors and back: text of the routines every kernel carries.

A leaf is an input or output array of a kernel, seen as (batch, scalars) with any strides. For a block of W
elements the body of the kernel wants, for each scalar, W neighbouring numbers. Where the array's batch
axis is contiguous it has them already. Otherwise `@qt.pack` lays them into a scratch area: for rows that are
contiguous by transposing W×W tiles in registers, else number by number. `@qt.unpack` does the reverse.

A leaf is described to the machine code by six words (`WORDS`); `@qt.open` and `@qt.close` act on them, and
leave for the body a pair (address of the first scalar's vector, bytes from one scalar to the next).
"""

from __future__ import annotations

from quatrain.compiler.llvm.text import Lanes

WORDS = 6
"""Of a leaf: address, bytes from one element of the batch to the next, from one scalar to the next, number of
scalars, offset of its scratch area in the work area, bytes from one step (or record) to the next; where there are no
steps, bytes of the whole array."""


def scratch_scalars(count: int, width: int) -> int:
    """Scalars that a leaf's scratch area must have room for: whole tiles."""
    return -(-count // width) * width


def routines(lanes: Lanes, *more: str) -> str:
    """Definitions of open, close, pack and unpack, and of `more`, for vectors of this kind."""
    tiles = lanes.width > 1
    texts = [_OPEN, _CLOSE, _pack(lanes, tiles), _unpack(lanes, tiles), *more]
    if tiles:
        texts.append(_declarations(lanes))
    size = 8 if lanes.number == "double" else 4
    result = "\n".join(texts)
    for name, value in (
        ("$VECTOR_BYTES", lanes.bytes),
        ("$SIZE", size),
        ("$WIDTH", lanes.width),
        ("$TWICE", 2 * lanes.width - 1),
        ("$NUMBER", lanes.number),
        ("$REAL", lanes.real),
        ("$BOOLEAN", lanes.boolean),
        ("$SUFFIX", lanes.suffix),
    ):
        result = result.replace(name, str(value))
    return result


_HEAD = """
  %p1 = getelementptr i8, ptr %leaf, i64 8
  %p2 = getelementptr i8, ptr %leaf, i64 16
  %p3 = getelementptr i8, ptr %leaf, i64 24
  %p4 = getelementptr i8, ptr %leaf, i64 32
  %array = load ptr, ptr %leaf
  %across = load i64, ptr %p1
  %along = load i64, ptr %p2
  %count = load i64, ptr %p3
  %place = load i64, ptr %p4
  %rows = mul i64 %element, %across
  %shift = add i64 %rows, %extra
  %source = getelementptr i8, ptr %array, i64 %shift
  %scratch = getelementptr i8, ptr %work, i64 %place
  %dense = icmp eq i64 %across, $SIZE
  %whole = icmp eq i64 %lanes, $WIDTH
  %direct = and i1 %dense, %whole
"""

# The body reads where the numbers stand if it can, else from the scratch area; an output is opened with
# %input false, which only leaves the pair.
_OPEN = (
    """
define internal void @qt.open(
    ptr %leaf, ptr %pair, ptr %work, i64 %element, i64 %lanes, i64 %extra, i1 %input
) noinline nounwind {
entry:
"""
    + _HEAD
    + """
  %pair1 = getelementptr i8, ptr %pair, i64 8
  br i1 %direct, label %in_place, label %through_scratch
in_place:
  store ptr %source, ptr %pair
  store i64 %along, ptr %pair1
  ret void
through_scratch:
  store ptr %scratch, ptr %pair
  store i64 $VECTOR_BYTES, ptr %pair1
  br i1 %input, label %fill, label %done
fill:
  %still = icmp eq i64 %across, 0
  %single = icmp eq i64 %lanes, 1
  %same = or i1 %still, %single
  br i1 %same, label %spread, label %pack
spread:
  call void @qt.spread(ptr %source, i64 %along, i64 %count, ptr %scratch)
  ret void
pack:
  call void @qt.pack(ptr %source, i64 %across, i64 %along, i64 %count, ptr %scratch, i64 %lanes)
  ret void
done:
  ret void
}
"""
)

_CLOSE = (
    """
define internal void @qt.close(ptr %leaf, ptr %work, i64 %element, i64 %lanes, i64 %extra) noinline nounwind {
entry:
"""
    + _HEAD
    + """
  br i1 %direct, label %done, label %through_scratch
through_scratch:
  call void @qt.unpack(ptr %source, i64 %across, i64 %along, i64 %count, ptr %scratch, i64 %lanes)
  ret void
done:
  ret void
}
"""
)


def counted(name: str, limit: str, body: str) -> str:
    """for name in 0 … limit − 1, within blocks named after it; the loop's own labels come first and last."""
    return f"""
  br label %{name}.before
{name}.before:
  br label %{name}.test
{name}.test:
  %{name} = phi i64 [ 0, %{name}.before ], [ %{name}.next, %{name}.end ]
  %{name}.more = icmp slt i64 %{name}, {limit}
  br i1 %{name}.more, label %{name}.body, label %{name}.after
{name}.body:
{body}
  br label %{name}.end
{name}.end:
  %{name}.next = add i64 %{name}, 1
  br label %{name}.test
{name}.after:
"""


_ADDRESSES = """
  %column = mul i64 %s, %along
  %into = mul i64 %s, $VECTOR_BYTES
  %slot0 = getelementptr i8, ptr %scratch, i64 %into
  %slot = getelementptr $NUMBER, ptr %slot0, i64 %r
  %row = mul i64 %from, %across
  %there0 = add i64 %row, %column
  %there = getelementptr i8, ptr %array, i64 %there0
"""


def _pack(lanes: Lanes, tiles: bool) -> str:
    # Lanes beyond the end of the batch repeat the last element, so that they raise no stray NaN.
    one = (
        "  %last = add i64 %lanes, -1\n  %inside = icmp slt i64 %r, %lanes\n"
        "  %from = select i1 %inside, i64 %r, i64 %last\n"
        + _ADDRESSES
        + "  %number = load $NUMBER, ptr %there\n  store $NUMBER %number, ptr %slot"
    )
    slow = counted("s", "%count", counted("r", "$WIDTH", one))
    return _routine("qt.pack", lanes, tiles, slow, _tile(lanes, load=True)) + _broadcast()


def _broadcast() -> str:
    parameters = "ptr %array, i64 %along, i64 %count, ptr %scratch"
    head = f"define internal void @qt.spread({parameters}) noinline nounwind {{\nentry:\n"
    return f"{head}{counted('s', '%count', _SPLAT)}  ret void\n}}\n"


def _unpack(lanes: Lanes, tiles: bool) -> str:
    one = (
        "  %from = add i64 %r, 0\n"
        + _ADDRESSES
        + "  %number = load $NUMBER, ptr %slot\n  store $NUMBER %number, ptr %there"
    )
    slow = counted("s", "%count", counted("r", "%lanes", one))
    return _routine("qt.unpack", lanes, tiles, slow, _tile(lanes, load=False))


# One element in all lanes: of an array without a batch axis, or of a batch of one.
_SPLAT = """
  %column = mul i64 %s, %along
  %there = getelementptr i8, ptr %array, i64 %column
  %number = load $NUMBER, ptr %there
  %first = insertelement $REAL poison, $NUMBER %number, i64 0
  %all = shufflevector $REAL %first, $REAL poison, <$WIDTH x i32> zeroinitializer
  %into = mul i64 %s, $VECTOR_BYTES
  %slot = getelementptr i8, ptr %scratch, i64 %into
  store $REAL %all, ptr %slot, align $SIZE
"""


def _routine(name: str, lanes: Lanes, tiles: bool, slow: str, tile: str) -> str:
    head = (
        f"define internal void @{name}(ptr %array, i64 %across, i64 %along, i64 %count, ptr %scratch, "
        "i64 %lanes) noinline nounwind {\nentry:\n"
    )
    if not tiles:
        return f"{head}{slow}  ret void\n}}\n"
    return f"""{head}  %rows_dense = icmp eq i64 %along, $SIZE
  %all_lanes = icmp eq i64 %lanes, $WIDTH
  %fast = and i1 %rows_dense, %all_lanes
  %rounded = add i64 %count, {lanes.width - 1}
  %tiles = sdiv i64 %rounded, $WIDTH
  br i1 %fast, label %by_tiles, label %by_numbers
by_tiles:
{counted("t", "%tiles", tile)}
  ret void
by_numbers:
{slow}
  ret void
}}
"""


def _tile(lanes: Lanes, *, load: bool) -> str:
    """A tile of W scalars of W elements: rows of the array are columns of the scratch area.

    The last tile may be narrower: a mask keeps its rows within the array. The scratch area has room for it.
    """
    width, real, number = lanes.width, lanes.real, lanes.number
    lines = [
        "  %first = mul i64 %t, $WIDTH",
        "  %left = sub i64 %count, %first",
        f"  %left1 = insertelement <{width} x i64> poison, i64 %left, i64 0",
        f"  %left2 = shufflevector <{width} x i64> %left1, <{width} x i64> poison, <{width} x i32> zeroinitializer",
        f"  %mask = icmp slt <{width} x i64> <{', '.join(f'i64 {k}' for k in range(width))}>, %left2",
        f"  %along_rows = mul i64 %first, {'8' if number == 'double' else '4'}",
        "  %along_scratch = mul i64 %first, $VECTOR_BYTES",
        "  %rows0 = getelementptr i8, ptr %array, i64 %along_rows",
        "  %columns0 = getelementptr i8, ptr %scratch, i64 %along_scratch",
    ]
    for k in range(width):
        lines.append(f"  %row_offset{k} = mul i64 %across, {k}")
        lines.append(f"  %row{k} = getelementptr i8, ptr %rows0, i64 %row_offset{k}")
        lines.append(f"  %column{k} = getelementptr i8, ptr %columns0, i64 {k * lanes.bytes}")
    values = []
    for k in range(width):
        if load:
            lines.append(
                f"  %a{k} = call {real} @llvm.masked.load.$SUFFIX.p0("
                f"ptr %row{k}, i32 $SIZE, $BOOLEAN %mask, {real} zeroinitializer)"
            )
        else:
            lines.append(f"  %a{k} = load {real}, ptr %column{k}, align $SIZE")
        values.append(f"%a{k}")
    values = transposed(lines, values, lanes)
    for k in range(width):
        if load:
            lines.append(f"  store {real} {values[k]}, ptr %column{k}, align $SIZE")
        else:
            lines.append(
                f"  call void @llvm.masked.store.$SUFFIX.p0("
                f"{real} {values[k]}, ptr %row{k}, i32 $SIZE, $BOOLEAN %mask)"
            )
    return "\n".join(lines)


def transposed(lines: list[str], rows: list[str], lanes: Lanes) -> list[str]:
    """Columns of a W×W tile from its rows: pairs that lie `step` apart exchange blocks of `step` numbers."""
    width, real = lanes.width, lanes.real
    step = 1
    while step < width:
        exchanged = list(rows)
        for low in range(width):
            if low & step:
                continue
            high = low | step
            for side, target in ((0, low), (1, high)):
                places = []
                for k in range(width):
                    from_high = bool(k & step)
                    source = (k & ~step) | (step if side else 0)
                    places.append(source + (width if from_high else 0))
                mask = ", ".join(f"i32 {p}" for p in places)
                name = f"%x{step}_{target}"
                lines.append(
                    f"  {name} = shufflevector {real} {rows[low]}, {real} {rows[high]}, <{width} x i32> <{mask}>"
                )
                exchanged[target] = name
        rows = exchanged
        step *= 2
    return rows


def _declarations(lanes: Lanes) -> str:
    return (
        f"declare {lanes.real} @llvm.masked.load.$SUFFIX.p0(ptr, i32, $BOOLEAN, {lanes.real})\n"
        f"declare void @llvm.masked.store.$SUFFIX.p0({lanes.real}, ptr, i32, $BOOLEAN)\n"
    )
