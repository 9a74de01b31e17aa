"""The graph: one flat list of immutable, numbered, deduplicated nodes, and the loops among them.

A node is a tuple `(operation, *words)` and is named by its number, its place in `Graph.nodes`; the
arguments of a node have smaller numbers than the node. For most operations the words are the numbers
of the arguments, as many as the operation has in `operations.OPERATIONS`. The others are

    ("constant", value)                 a float; NaN is one constant, 0.0 and -0.0 are two
    ("boolean", truth)                  True or False, a constant condition
    ("input", k)                        the k-th input of the graph, a real number
    ("lookup", t, index)                reads graph.tables[t] at the value of node `index`
    ("loop", l, *numbers)               runs graph.loops[l]; arguments as described at `Loop`
    ("item", loop, k)                   k-th result of node `loop`, a real number
    ("series", *numbers)                these real numbers in a row
    ("trail", loop, k)                  state k of node `loop`: its initial value, and what each iteration made of it
    ("past", k)                         in the body of a loop, the trail of its state k up to this iteration
    ("given", j)                        in the body of a loop, the j-th series that it is given
    ("read", series, index)             reads a series at the value of node `index`, as a lookup reads a table

`arguments(node)` gives the numbers of the arguments of any of them.

Nodes are made through `rules.make` (or the rule functions themselves), which fold and simplify; what
comes out of `Graph.add` is stored as it is, once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import copysign, inf
from struct import pack
from types import CodeType, FrameType
from typing import Any, TypeAlias

from quatrain.compiler.operations import OPERATIONS
from quatrain.compiler.origin import Origin, is_carrier, origin_of

Node: TypeAlias = tuple[Any, ...]

# The code and the instruction that made a node, or after unpickling the line found from them.
Mark: TypeAlias = tuple[CodeType, int] | Origin | None

_LEAVES = frozenset(("constant", "boolean", "input", "past", "given"))
_PARTS = frozenset(("item", "trail"))
# Those whose words are not all numbers of arguments.
_SPECIAL = _LEAVES | _PARTS | {"lookup", "loop"}


def arguments(node: Node) -> tuple[int, ...]:
    """Numbers of the nodes that this node needs."""
    operation = node[0]
    if operation not in _SPECIAL:
        return node[1:]
    if operation in _LEAVES:
        return ()
    return node[1:2] if operation in _PARTS else node[2:]


def with_arguments(node: Node, numbers: Iterable[int]) -> Node:
    """The same node with other arguments."""
    operation = node[0]
    if operation not in _SPECIAL:
        return (operation, *numbers)
    if operation in _LEAVES:
        return node
    return (operation, *numbers, node[2]) if operation in _PARTS else (*node[:2], *numbers)


def trails_of(graph: Graph, loop: int) -> list[int]:
    """Of a loop node: the states whose trails are read, after it or within its body."""
    after = {node[2] for node in graph.nodes if node[0] == "trail" and node[1] == loop}
    body = graph.loops[graph.nodes[loop][1]].body
    return sorted(after | {node[1] for node in body.nodes if node[0] == "past"})


def _key(node: Node) -> Node:
    """What the index holds for a node: special for -0.0, which equals 0.0, and for NaN, unequal to itself."""
    if node[0] == "constant":
        if node[1] != node[1]:
            return ("constant", "nan")
        if node[1] == 0.0 and copysign(1.0, node[1]) < 0.0:
            return ("constant", "-0.0")
    return node


class Graph:
    """A list of nodes that grows, and for each node the line that made it.

    `origins=False` switches the latter off. A graph with an `outer` graph is the body of a loop
    while it is being traced: values of the outer graph that it mentions become inputs of its own.
    """

    __slots__ = (
        *("nodes", "tables", "loops", "outer", "captured", "author", "epsilon", "looped_from"),
        *("_index", "_constants", "_tables", "_loops", "_origins", "_files", "_carrier", "_found"),
    )

    def __init__(self, *, origins: bool = True, outer: Graph | None = None) -> None:
        self.nodes: list[Node] = []
        self.tables: list[tuple[float, ...]] = []
        self.loops: list[Loop] = []
        self.outer = outer
        self.captured: dict[int, int] = {}
        """Number in the outer graph -> number of the input or given series here, while a loop's body is traced."""
        self._index: dict[Node, int] | None = {}  # None: to be made when the graph is continued
        self._constants: dict[float, int] = {}
        self._tables: dict[bytes, int] = {}
        self._loops: dict[Loop, int] = {}
        self.author: Mark = None
        """If set, new nodes are ascribed to it, not to the line that is running."""
        self.epsilon = 2.0**-52
        """Distance from 1 to the next number, for the functions that are traced into this graph."""
        self.looped_from = inf
        """From so many repetitions on such a function had better make a loop of them."""
        self._origins: list[Mark] | None = [] if origins else None
        self._files: dict[str, bool] = {}
        self._carrier: FrameType | None = None
        self._found: Mark = None

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        return f"<Graph of {len(self.nodes)} nodes>"

    # ---- making nodes -----------------------------------------------------------------------------

    def add(self, node: Node) -> int:
        """The number of this node, which is stored if it is new; no rule is applied.

        Constants are made by `constant`, and the arguments of a commutative operation stand in order.
        """
        index = self._index
        if index is None:
            index = self._index = {_key(known): place for place, known in enumerate(self.nodes)}
        number = index.get(node)
        if number is not None:
            return number
        nodes = self.nodes
        number = index[node] = len(nodes)
        nodes.append(node)
        origins = self._origins
        if origins is not None:
            if self.author is not None:
                origins.append(self.author)
            else:
                # Only the place of the instruction is kept: its line is looked up when asked for. The
                # callers of this function, a rule and an operator of a traced value, are no authors.
                try:
                    frame = sys._getframe(3)
                except ValueError:
                    frame = sys._getframe(1)
                if frame is not self._carrier:
                    self._find_author(frame)
                origins.append(self._found)
        return number

    def _find_author(self, frame: FrameType) -> None:
        """The nearest frame outwards that is no carrier. While a carrier runs, its author stays where it is."""
        inner, files = frame, self._files
        while files.get((code := frame.f_code).co_filename) or self._is_carrier(code.co_filename):
            outer = frame.f_back
            if outer is None:
                break
            frame = outer
        self._found = (code, frame.f_lasti)
        self._carrier = None if frame is inner else inner

    def _is_carrier(self, file: str) -> bool:
        known = self._files.get(file)
        if known is None:
            known = self._files[file] = is_carrier(file)
        return known

    def constant(self, value: float) -> int:
        """A real constant. Every NaN is the same one; 0.0 and -0.0 are different."""
        if value:
            number = self._constants.get(value)  # a constant is mentioned again and again
            if number is not None:
                return number
        node = ("constant", float(value))
        number = self.add(_key(node))
        if value == 0.0 or value != value:
            self.nodes[number] = node
        else:
            self._constants[value] = number
        return number

    def boolean(self, truth: bool) -> int:
        return self.add(("boolean", bool(truth)))

    def input(self, k: int) -> int:
        return self.add(("input", k))

    def table(self, values: Sequence[float]) -> int:
        """The place in `tables` of these numbers, stored once."""
        numbers = tuple(float(v) for v in values)
        key = pack(f"<{len(numbers)}d", *numbers)
        place = self._tables.get(key)
        if place is None:
            place = self._tables[key] = len(self.tables)
            self.tables.append(numbers)
        return place

    def loop(self, loop: Loop) -> int:
        """The place in `loops` of this loop, stored once."""
        place = self._loops.get(loop)
        if place is None:
            place = self._loops[loop] = len(self.loops)
            self.loops.append(loop)
        return place

    # ---- asking about nodes -----------------------------------------------------------------------

    def kind(self, number: int) -> str:
        """REAL, BOOLEAN or SERIES."""
        return OPERATIONS[self.nodes[number][0]].result

    def value(self, number: int) -> float | bool | None:
        """The value of a constant, else None."""
        node = self.nodes[number]
        return node[1] if node[0] == "constant" or node[0] == "boolean" else None

    @property
    def has_origins(self) -> bool:
        return self._origins is not None

    def origin(self, number: int) -> Origin | None:
        """The line that made this node first, or None where that is not remembered."""
        mark = self.mark(number)
        return origin_of(*mark) if type(mark) is tuple else mark  # type: ignore[return-value]

    def mark(self, number: int) -> Mark:
        """What stands for the author of this node: assign it to `author` of a graph derived from this one."""
        return None if self._origins is None else self._origins[number]

    # ---- copies -----------------------------------------------------------------------------------

    def copy(self) -> Graph:
        """A graph with the same nodes under the same numbers, to be continued."""
        result = Graph(origins=self.has_origins)
        result.epsilon = self.epsilon
        result.nodes = list(self.nodes)
        result.tables = list(self.tables)
        result.loops = list(self.loops)
        result._index = None if self._index is None else dict(self._index)
        result._tables = dict(self._tables)
        result._loops = dict(self._loops)
        if self._origins is not None:
            result._origins = list(self._origins)
        return result

    def extract(
        self,
        outputs: Sequence[int],
        inputs: dict[int, int] | None = None,
        given: dict[int, int] | None = None,
    ) -> tuple[Graph, tuple[int, ...]]:
        """A graph of only what these nodes need, in the same order, and their numbers in it.

        `inputs` renumbers inputs (old k -> new k), `given` the series of a body; without it they keep their numbers.
        """
        self._carrier = None  # it would keep all that it mentions, this graph as well
        needed = self.needed(outputs)
        result = Graph(origins=self.has_origins)
        result.epsilon = self.epsilon
        numbers = [-1] * len(self.nodes)
        nodes = result.nodes
        for new, old in enumerate(compress(range(len(numbers)), needed)):
            numbers[old] = new
            node = self.nodes[old]
            operation = node[0]
            if operation not in _SPECIAL:
                # Spelt out: this is much of the time of tracing a large program.
                if len(node) == 3:
                    node = (operation, numbers[node[1]], numbers[node[2]])
                elif len(node) == 2:
                    node = (operation, numbers[node[1]])
                else:
                    node = (operation, *[numbers[n] for n in node[1:]])
            elif operation == "input":
                node = node if inputs is None else ("input", inputs[node[1]])
            elif operation == "lookup":
                node = (operation, result.table(self.tables[node[1]]), numbers[node[2]])
            elif operation == "loop":
                node = (operation, result.loop(self.loops[node[1]]), *[numbers[n] for n in node[2:]])
            elif operation in _PARTS:
                node = (operation, numbers[node[1]], node[2])
            elif operation == "given":
                node = node if given is None else ("given", given[node[1]])
            nodes.append(node)
        result._index = None
        if self._origins is not None:
            result._origins = list(compress(self._origins, needed))
        return result, tuple(numbers[n] for n in outputs)

    def needed(self, outputs: Iterable[int]) -> bytearray:
        """For each node 1 if one of these nodes needs it (or is it), else 0."""
        flags = bytearray(len(self.nodes))
        for number in outputs:
            flags[number] = 1
        nodes = self.nodes
        # Arguments come before the nodes that need them: one pass backwards meets every user first.
        for number in range(len(nodes) - 1, -1, -1):
            if flags[number]:
                node = nodes[number]
                for argument in node[1:] if node[0] not in _SPECIAL else arguments(node):
                    flags[argument] = 1
        return flags

    # ---- pickling ---------------------------------------------------------------------------------

    def __getstate__(self) -> Any:
        from quatrain.compiler.encoding import packed, packed_origins

        return packed(self), packed_origins(self._origins), self.loops

    def __setstate__(self, state: Any) -> None:
        from quatrain.compiler.encoding import unpack, unpacked_origins

        words, origins, loops = state
        self.__init__(origins=origins is not None)  # type: ignore[misc]
        for loop in loops:
            self.loop(loop)
        unpack(words, self)
        self._origins = unpacked_origins(origins)


@dataclass(frozen=True)
class Loop:
    """A part of a graph that is done again and again; its own graph is `body`.

    One iteration turns the states into the next states:

        inputs of the body    0: the index of the iteration, 0, 1, 2 …
                              1 … S: the states, S = len(lags)
                              S+1 …: invariants, values that stay the same
        results of the body   `next`: numbers of the S next states; `stop`: number of a condition, or None

    A state of lag 1 is ordinary. One of lag m is a delay line: the body sees what was written m
    iterations before, and in the first m iterations the initial value.

    In its body ("past", k) is the trail of state k as far as it goes, and ("given", j) the j-th of the series that
    stand after the invariants.

    The node `("loop", l, count, *initial states, *invariants, *series)` runs it, each element of the batch by itself:

        i = 0
        while True:
            converged = stop(i, states)            # False if there is no stop
            if converged or not i < floor(count):  # NaN counts as 0
                break
            states = next(i, states)
            i = i + 1

    `("item", loop, k)` reads the results: k < S the last value written to state k (the initial value if
    i stayed 0), k = S the number i of iterations done, k = S + 1 the number 1 or 0 for `converged`.
    An element that has ended keeps the bits of its states while others go on. A loop whose trail is read has a
    constant count and no stop; ("trail", loop, k) are count + 1 numbers.
    """

    body: Graph
    lags: tuple[int, ...]
    next: tuple[int, ...]
    stop: int | None
    invariants: int
    """How many."""
    series: int = 0
    """How many it is given."""

    @property
    def results(self) -> tuple[int, ...]:
        """What an iteration computes: the next states and, last, the stop condition if there is one."""
        return self.next if self.stop is None else (*self.next, self.stop)

    @cached_property
    def key(self) -> bytes:
        """The same for equal loops, whatever lines they come from."""
        from quatrain.compiler.encoding import digest_of_loop

        return digest_of_loop(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "key"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loop) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)
