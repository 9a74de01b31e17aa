"""A program: what a function does to its named inputs, as a graph between ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any

from quatrain.compiler.encoding import digest_of_graph
from quatrain.compiler.graph import Graph
from quatrain.compiler.structure import Array, Group, Structure, join, split


@dataclass(frozen=True)
class Port:
    """A place where an array (..., *shape) goes in or comes out."""

    name: str
    shape: tuple[int, ...]
    numbers: tuple[int, ...]
    """One for each scalar, row by row. Of an input: the k of the graph's ("input", k). Of an output:
    the number of the node that holds it, always a real number."""


@dataclass(frozen=True, eq=False)
class Program:
    """A graph without dead nodes, its ports, and the nesting of the values that pass through them.

    Two programs are equal if they compute the same in the same order between the same ports, whatever
    lines they were traced from. The graph is not to be changed: `graph.copy()` may be continued.
    """

    name: str
    graph: Graph
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    input_structure: Group
    """Of the dict that holds the arguments by name."""
    output_structure: Structure

    @classmethod
    def make(
        cls,
        name: str,
        graph: Graph,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        input_structure: Group | None = None,
        output_structure: Structure | None = None,
    ) -> Program:
        """A program of what the outputs need of a graph; without structures its values are dicts."""

        def flat(ports: tuple[Port, ...]) -> Group:
            return Group(dict, tuple(p.name for p in ports), tuple(Array(p.shape) for p in ports))

        extracted, numbers = graph.extract([n for port in outputs for n in port.numbers])
        places = iter(numbers)
        moved = tuple(replace(port, numbers=tuple(next(places) for _ in port.numbers)) for port in outputs)
        return cls(
            name, extracted, inputs, moved, input_structure or flat(inputs), output_structure or flat(moved)
        )

    @property
    def results(self) -> tuple[int, ...]:
        """Numbers of the nodes of all outputs, port after port."""
        return tuple(chain.from_iterable(port.numbers for port in self.outputs))

    @property
    def input_count(self) -> int:
        """How many scalars go in; ("input", k) has k below this."""
        return sum(prod(port.shape) for port in self.inputs)

    def input_port(self, name: str) -> Port:
        return _named(self.inputs, name)

    def output_port(self, name: str) -> Port:
        return _named(self.outputs, name)

    def flatten(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Arrays by the names of the input ports, from values nested like the arguments of the function."""
        return dict(split(self.input_structure, "", values))

    def unflatten(self, arrays: Mapping[str, Any], *, records: bool = True) -> Any:
        """What the function returns, holding arrays, from arrays by the names of the output ports.

        A dataclass of scalars holds columns; with `records=False` an array stands in its place.
        """
        name = (
            "" if isinstance(self.output_structure, Group) and self.output_structure.kind is dict else "out"
        )
        return join(self.output_structure, name, arrays, records=records)

    def digest(self) -> str:
        """The same for equal programs, in every process: over nodes, constants bit for bit, and ports."""
        return self._digest.hex()

    @cached_property
    def _digest(self) -> bytes:
        return digest_of_graph(self.graph, *_described(self.inputs), b"->", *_described(self.outputs))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_digest"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        def listed(ports: tuple[Port, ...]) -> str:
            return ", ".join(f"{p.name}{list(p.shape) if p.shape else ''}" for p in ports)

        return (
            f"<Program {self.name}: {listed(self.inputs)} -> {listed(self.outputs)}; {len(self.graph)} nodes>"
        )


def _named(ports: tuple[Port, ...], name: str) -> Port:
    for port in ports:
        if port.name == name:
            return port
    raise KeyError(f"{name!r} is none of {', '.join(p.name for p in ports)}")


def _described(ports: Iterable[Port]) -> Iterable[bytes]:
    for port in ports:
        yield repr((port.name, port.shape, port.numbers)).encode()
