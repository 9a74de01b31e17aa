"""Text of the routines that write events: values that are kept only where a condition holds."""

from __future__ import annotations

from quatrain.compiler.llvm.text import Lanes


def routines(lanes: Lanes) -> str:
    return _ROUTINES.replace("$NUMBER", lanes.number).replace("$WIDTH", str(lanes.width))


# Writes, for each element of the block where an event happens, its scalars to the next free entry; then
# counts. Events are rare, so this goes number by number.
_ROUTINES = """
define internal void @qt.event(
    ptr %leaf, ptr %work, ptr %counts, i64 %element, i64 %n, i64 %bits, i64 %most
) noinline nounwind {
entry:
  %p1 = getelementptr i8, ptr %leaf, i64 8
  %p2 = getelementptr i8, ptr %leaf, i64 16
  %p3 = getelementptr i8, ptr %leaf, i64 24
  %p4 = getelementptr i8, ptr %leaf, i64 32
  %p5 = getelementptr i8, ptr %leaf, i64 40
  %array = load ptr, ptr %leaf
  %across = load i64, ptr %p1
  %along = load i64, ptr %p2
  %scalars = load i64, ptr %p3
  %place = load i64, ptr %p4
  %stride = load i64, ptr %p5
  %scratch = getelementptr i8, ptr %work, i64 %place
  br label %lane
lane:
  %r = phi i64 [ 0, %entry ], [ %next, %skip ]
  %inside = icmp slt i64 %r, %n
  br i1 %inside, label %look, label %done
look:
  %shifted = lshr i64 %bits, %r
  %bit = and i64 %shifted, 1
  %set = icmp eq i64 %bit, 1
  %which = add i64 %element, %r
  %slot = getelementptr i64, ptr %counts, i64 %which
  %count = load i64, ptr %slot
  %free = icmp slt i64 %count, %most
  %write = and i1 %set, %free
  br i1 %write, label %scalar, label %skip
scalar:
  %s = phi i64 [ 0, %look ], [ %s.next, %copy ]
  %more = icmp slt i64 %s, %scalars
  br i1 %more, label %copy, label %skip
copy:
  %base = mul i64 %s, $WIDTH
  %from.place = add i64 %base, %r
  %from = getelementptr $NUMBER, ptr %scratch, i64 %from.place
  %number = load $NUMBER, ptr %from
  %o1 = mul i64 %which, %across
  %o2 = mul i64 %count, %stride
  %o3 = mul i64 %s, %along
  %o4 = add i64 %o1, %o2
  %o5 = add i64 %o4, %o3
  %to = getelementptr i8, ptr %array, i64 %o5
  store $NUMBER %number, ptr %to
  %s.next = add i64 %s, 1
  br label %scalar
skip:
  %next = add i64 %r, 1
  br label %lane
done:
  ret void
}

define internal void @qt.count(ptr %counts, i64 %element, i64 %n, i64 %bits) noinline nounwind {
entry:
  br label %lane
lane:
  %r = phi i64 [ 0, %entry ], [ %next, %look ]
  %inside = icmp slt i64 %r, %n
  br i1 %inside, label %look, label %done
look:
  %shifted = lshr i64 %bits, %r
  %bit = and i64 %shifted, 1
  %which = add i64 %element, %r
  %slot = getelementptr i64, ptr %counts, i64 %which
  %old = load i64, ptr %slot
  %new = add i64 %old, %bit
  store i64 %new, ptr %slot
  %next = add i64 %r, 1
  br label %lane
done:
  ret void
}
"""
