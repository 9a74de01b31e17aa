"""A graph as a few byte strings: for its digest and for pickling, quickly and without recursion.

Two graphs have the same bytes exactly if they have the same nodes in the same order, constants bit for
bit. The lines that made the nodes are encoded apart, so that they change no digest.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Sequence
from hashlib import sha256
from operator import itemgetter
from struct import pack, unpack_from
from typing import TYPE_CHECKING, Any

from quatrain.compiler.operations import OPERATIONS
from quatrain.compiler.origin import Origin, origin_of

if TYPE_CHECKING:
    from quatrain.compiler.graph import Graph, Loop, Node

# Part of every digest: the encoding and the names and order of the operations define the bytes.
_SCHEME = ("quatrain graph 3 " + " ".join(OPERATIONS)).encode()
_CODES = {name: code for code, name in enumerate(OPERATIONS)}
_NAMES = tuple(OPERATIONS)
_OF_ANY_LENGTH = frozenset((_CODES["loop"], _CODES["series"]))
_CONSTANT = _CODES["constant"]
_BOOLEAN = _CODES["boolean"]
# How many words follow the code of an operation, where that is fixed.
_LENGTHS = tuple(
    {"input": 1, "boolean": 1, "item": 2, "lookup": 2, "trail": 2, "past": 1, "given": 1}.get(
        o.name, len(o.arguments)
    )
    for o in OPERATIONS.values()
)


def _little_endian(words: array[Any]) -> bytes:
    import sys

    if sys.byteorder == "big":
        words = words[:]
        words.byteswap()
    return words.tobytes()


def packed(graph: Graph) -> tuple[bytes, bytes, bytes, tuple[bytes, ...]]:
    """Codes of the operations, their words, the constants bit for bit, and the tables."""
    nodes = graph.nodes
    codes = bytes(map(_CODES.__getitem__, map(itemgetter(0), nodes)))
    constants = array("d", [node[1] for node in nodes if node[0] == "constant"])
    if not _OF_ANY_LENGTH.isdisjoint(codes):
        words = array("q", [word for node in nodes for word in _words(node)])
    else:
        words = array("q", [word for node in nodes if node[0] != "constant" for word in node[1:]])
    tables = tuple(map(_numbers, graph.tables))
    return codes, _little_endian(words), _little_endian(constants), tables


def _numbers(table: Sequence[float]) -> bytes:
    return pack(f"<{len(table)}d", *table)


def _words(node: Node) -> Node:
    """What follows the code of an operation; some say how much that is, a constant stands elsewhere."""
    if node[0] == "loop" or node[0] == "series":
        return (len(node) - 1, *node[1:])
    return () if node[0] == "constant" else node[1:]


def unpack(state: tuple[bytes, bytes, bytes, tuple[bytes, ...]], graph: Graph) -> None:
    """Fill an empty graph with what `packed` gave."""
    codes, word_bytes, constant_bytes, tables = state
    words = unpack_from(f"<{len(word_bytes) // 8}q", word_bytes)
    constants = unpack_from(f"<{len(constant_bytes) // 8}d", constant_bytes)
    for table in tables:
        graph.table(unpack_from(f"<{len(table) // 8}d", table))
    nodes, names, lengths, place = graph.nodes, _NAMES, _LENGTHS, 0
    following_constant = iter(constants)
    for code in codes:
        if code == _CONSTANT:
            nodes.append(("constant", next(following_constant)))
            continue
        if code in _OF_ANY_LENGTH:
            length = words[place]
            place += 1
        else:
            length = lengths[code]
        content = words[place : place + length]
        place += length
        if code == _BOOLEAN:
            content = (bool(content[0]),)
        nodes.append((names[code], *content))
    graph._index = None


def packed_origins(origins: Any) -> Any:
    """Each different origin once, by function, file and line, and the place of each node's in that list."""
    if origins is None:
        return None
    places: dict[Any, int] = {}
    indices = array("l", (places.setdefault(origin, len(places)) for origin in origins))
    plain = [origin_of(*o) if type(o) is tuple else o for o in places]
    return [tuple(o) if o is not None else None for o in plain], indices


def unpacked_origins(state: Any) -> Any:
    if state is None:
        return None
    plain, indices = state
    different = [None if o is None else Origin(*o) for o in plain]
    return [different[i] for i in indices]


def digest_of_graph(graph: Graph, *more: bytes) -> bytes:
    """sha256 over all nodes of the graph in their order, and over `more`."""
    result = sha256(_SCHEME)
    # For a large program this is most of the time of finding it in the cache; marshal takes a third of what `packed`
    # does. Its second format writes equal values alike, floats bit for bit, whatever else refers to them.
    nodes, tables = marshal.dumps(graph.nodes, 2), tuple(map(_numbers, graph.tables))
    counts = pack("<2q", len(tables), len(graph.loops))
    parts = (counts, nodes, *tables, *(loop.key for loop in graph.loops), *more)
    for part in parts:
        # The length first, so that no two lists of parts give the same stream of bytes.
        result.update(pack("<q", len(part)))
        result.update(part)
    return result.digest()


def digest_of_loop(loop: Loop) -> bytes:
    stop = -1 if loop.stop is None else loop.stop
    numbers = (len(loop.lags), *loop.lags, *loop.next, stop, loop.invariants, loop.series)
    return digest_of_graph(loop.body, pack(f"<{len(numbers)}q", *numbers))
