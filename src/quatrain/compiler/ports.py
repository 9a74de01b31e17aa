"""Ports by name: those that are chosen among a program's, and those that a derived program adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import TypeAlias

from quatrain.compiler import structure as structures
from quatrain.compiler.program import Port, Program
from quatrain.compiler.structure import Group, Structure
from quatrain.errors import ArgumentError

Names: TypeAlias = str | Iterable[str] | None
Ports: TypeAlias = tuple[Port, ...]
Parts: TypeAlias = list[tuple[str, Structure]]


def chosen_inputs(program: Program, names: Names) -> Ports:
    return _chosen(program.inputs, names, f"input of {program.name}")


def chosen_outputs(program: Program, names: Names) -> Ports:
    return _chosen(program.outputs, names, f"output of {program.name}")


def _chosen(ports: Ports, names: Names, what: str) -> Ports:
    """The ports of these names and within groups of these names, in the order of the program."""
    if names is None:
        return ports
    wanted = (names,) if isinstance(names, str) else tuple(names)
    found = set()
    for name in wanted:
        within = [port.name for port in ports if port.name == name or port.name.startswith(f"{name}.")]
        if not within:
            raise ArgumentError(
                f"{name!r} is no {what}", do=f"choose among {', '.join(port.name for port in ports)}"
            )
        found.update(within)
    return tuple(port for port in ports if port.name in found)


def numbers_of(ports: Iterable[Port]) -> Iterator[int]:
    return chain.from_iterable(port.numbers for port in ports)


def free_prefix(word: str, ports: Iterable[Port], others: Iterable[Port]) -> str:
    """d_, d2_, d3_ …: the first that gives these ports names which no other port has."""
    names, taken = [port.name for port in ports], {port.name for port in others}
    prefixes = (f"{word}{n if n > 1 else ''}_" for n in count(1))
    return next(prefix for prefix in prefixes if not any(prefix + name in taken for name in names))


def beside(program: Program, prefix: str, ports: Ports) -> Ports:
    """New input ports, one beside each of these."""
    numbers = count(program.input_count)
    return tuple(Port(prefix + p.name, p.shape, tuple(next(numbers) for _ in p.numbers)) for p in ports)


def parts_of(structure: Structure) -> Parts:
    """The parts of a dict by name; any other value is `out`."""
    if isinstance(structure, Group) and structure.kind is dict:
        return list(zip(structure.names, structure.parts, strict=True))
    return [("out", structure)]


def prefixed(prefix: str, parts: Parts, ports: Ports) -> Parts:
    """The parts of which all ports are among these, under new names; of the others those ports."""
    chosen = {port.name for port in ports}
    result: Parts = []
    for name, part in parts:
        leaves = list(structures.ports(part, name))
        if leaves and all(leaf in chosen for leaf, _ in leaves):
            result.append((prefix + name, part))
        else:
            result += [(prefix + leaf, its) for leaf, its in leaves if leaf in chosen]
    return result
