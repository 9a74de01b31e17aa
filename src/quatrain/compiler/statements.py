"""A program as statements: what every printed form of it is made from.

A value that is used once, on the line that made it, stands within the expression that uses it, as long
as the printer says that the expression fits. Every other value gets a name, from the function that made
it and a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from quatrain.compiler.graph import Graph, Node, arguments
from quatrain.compiler.origin import Origin
from quatrain.compiler.program import Port, Program


@dataclass(frozen=True, slots=True)
class Constant:
    value: float | bool


@dataclass(frozen=True, slots=True)
class Name:
    """A port or one entry of it, a value, or something of a loop."""

    base: str
    part: str = ""
    """Of a loop: its index, its count, or whether it has converged."""
    index: tuple[int, ...] = ()

    def __str__(self) -> str:
        part = f".{self.part}" if self.part else ""
        return f"{self.base}{part}{list(self.index) if self.index else ''}"


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on expressions; of a lookup, in this table."""

    operation: str
    arguments: tuple[Expression, ...]
    table: int = -1
    depth: int = 1


Expression: TypeAlias = Constant | Name | Apply
Fits: TypeAlias = Callable[[Expression], bool]


@dataclass(frozen=True, slots=True)
class Assignment:
    name: Name
    expression: Expression
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class State:
    """A state of a loop: what stands in it before and after an iteration, and when that is seen."""

    name: Name
    start: Expression
    next: Expression
    lag: int


@dataclass(frozen=True, slots=True)
class Repetition:
    """A loop; afterwards the names of its states stand for what was written to them last."""

    name: Name
    count: Expression
    states: tuple[State, ...]
    kept: tuple[Name, ...]
    """Values from outside that the body mentions."""
    body: tuple[Statement, ...]
    stop: Expression | None
    origin: Origin | None


Statement: TypeAlias = Assignment | Repetition


@dataclass(frozen=True, slots=True)
class Statements:
    program: Program
    tables: tuple[tuple[float, ...], ...]
    """Of the program and of all its loops; `Apply.table` is a place here."""
    body: tuple[Statement, ...]
    results: tuple[tuple[Name, Expression], ...]
    """For each scalar output."""


# Deeper expressions are cut, however short they are.
_DEEPEST = 40


def statements(program: Program, fits: Fits, *, origins: bool = True) -> Statements:
    """The program in the order of its nodes; without origins all values are called value.1, value.2 …"""
    inputs: dict[int, Expression] = {}
    for port in program.inputs:
        inputs.update(zip(port.numbers, entries(port), strict=True))
    names = _Names((*program.inputs, *program.outputs))
    tables: dict[tuple[float, ...], int] = {}
    writer = _Writer(program.graph, inputs, names, tables, fits, origins)
    expressions = writer.write(program.results)
    targets = (name for port in program.outputs for name in entries(port))
    return Statements(
        program, tuple(tables), tuple(writer.statements), tuple(zip(targets, expressions, strict=True))
    )


def entries(port: Port) -> list[Name]:
    """A name for each scalar of a port."""
    return [Name(port.name, "", tuple(map(int, place))) for place in np.ndindex(port.shape)]


class _Names:
    """Names that are short, distinct from those of ports, and the same on every run."""

    def __init__(self, ports: Iterable[Port]) -> None:
        self._taken = {port.name.partition(".")[0] for port in ports}
        self._counts: Counter[str] = Counter()

    def new(self, origin: Origin | None) -> Name:
        word = origin.function.strip("<>") if origin else "value"
        while word in self._taken:
            word += "_"
        self._counts[word] += 1
        return Name(f"{word}.{self._counts[word]}")


class _Writer:
    """Turns one graph, that of the program or of the body of a loop, into statements."""

    def __init__(
        self,
        graph: Graph,
        inputs: Mapping[int, Expression],
        names: _Names,
        tables: dict[tuple[float, ...], int],
        fits: Fits,
        origins: bool,
    ) -> None:
        self.graph = graph
        self.inputs = inputs
        self.names = names
        self.tables = tables
        self.fits = fits
        self.origins = origins
        self.statements: list[Statement] = []
        self.rows: Mapping[str, Sequence[Expression]] = {}
        """What the series of a body are called."""
        self._found: list[Expression] = []
        """For each node so far what stands for it: a name, a constant, or an expression not yet named."""

    def write(self, results: Sequence[int]) -> list[Expression]:
        """Add the statements; the expressions of the results."""
        nodes = self.graph.nodes
        users: list[int | None] = [None] * len(nodes)  # the only user; -1: several
        for number, node in enumerate(nodes):
            for argument in arguments(node):
                users[argument] = number if users[argument] is None else -1
        nowhere = len(nodes)
        for number in results:
            users[number] = nowhere if users[number] is None else -1
        places = [self._origin(number) for number in range(len(nodes))]
        for number, node in enumerate(nodes):
            self._found.append(self._expression(number, node))
            user = users[number]
            if user is None or user == -1 or places[number] != (None if user == nowhere else places[user]):
                self._named(number)
        return [self._found[number] for number in results]

    def _origin(self, number: int) -> Origin | None:
        return self.graph.origin(number) if self.origins else None

    def _named(self, number: int) -> None:
        """Give the value a name, unless it has one or needs none."""
        expression = self._found[number]
        if isinstance(expression, Apply):
            origin = self._origin(number)
            self._found[number] = name = self.names.new(origin)
            self.statements.append(Assignment(name, expression, origin))

    def _expression(self, number: int, node: Node) -> Expression:
        operation = node[0]
        if operation == "constant" or operation == "boolean":
            return Constant(node[1])
        if operation == "input":
            return self.inputs[node[1]]
        if operation == "loop":
            return self._loop(number, node)
        if operation == "item":
            return self._item(node)
        if operation in ("past", "given"):
            return self.rows[operation][node[1]]
        if operation == "trail":
            return Name(self._name_of(node[1]).base, "trail", (node[2],))
        table = -1
        if operation == "lookup":
            table = self.tables.setdefault(self.graph.tables[node[1]], len(self.tables))
        return self._applied(operation, arguments(node), table)

    def _applied(self, operation: str, numbers: Sequence[int], table: int) -> Expression:
        """The operation on the expressions of these nodes, of which some are named if it would be too long."""
        while True:
            its = tuple(self._found[n] for n in numbers)
            depths = [e.depth if isinstance(e, Apply) else 0 for e in its]
            result = Apply(operation, its, table, 1 + max(depths))
            if not any(depths) or (result.depth <= _DEEPEST and self.fits(result)):
                return result
            self._named(numbers[depths.index(max(depths))])

    # ---- loops ------------------------------------------------------------------------------------

    def _name_of(self, number: int) -> Name:
        name = self._found[number]
        assert isinstance(name, Name)
        return name

    def _item(self, node: Node) -> Expression:
        loop = self.graph.loops[self.graph.nodes[node[1]][1]]
        name = self._name_of(node[1])
        states = len(loop.lags)
        if node[2] < states:
            return Name(name.base, "", (node[2],))
        return Name(name.base, "count" if node[2] == states else "converged")

    def _loop(self, number: int, node: Node) -> Expression:
        loop = self.graph.loops[node[1]]
        states = len(loop.lags)
        count, *values = arguments(node)
        for argument in values[states:]:
            self._named(argument)
        origin = self._origin(number)
        name = self.names.new(origin)
        kept = [self._found[argument] for argument in values[states:]]
        series = kept[loop.invariants :]
        targets = [Name(name.base, "", (k,)) for k in range(states)]
        inputs = dict(enumerate((Name(name.base, "index"), *targets, *kept)))
        inner = _Writer(loop.body, inputs, self.names, self.tables, self.fits, self.origins)
        inner.rows = {"given": series, "past": [Name(name.base, "past", (k,)) for k in range(states)]}
        results = inner.write(loop.results)
        self.statements.append(
            Repetition(
                name,
                self._found[count],
                tuple(
                    State(target, self._found[value], following, lag)
                    for target, value, following, lag in zip(
                        targets, values[:states], results[:states], loop.lags, strict=True
                    )
                ),
                tuple(dict.fromkeys(e for e in kept if isinstance(e, Name))),
                tuple(inner.statements),
                None if loop.stop is None else results[-1],
                origin,
            )
        )
        return name
