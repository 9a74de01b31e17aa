"""Programs found again without being traced: what the disk keeps of one under words that determine it.

An entry holds the ports, the nesting and the digest, by which the machine code is found; the graph is traced
only when somebody looks at it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib import import_module
from typing import Any

from quatrain.compiler.cache import LIMIT, PLACE
from quatrain.compiler.program import Port, Program
from quatrain.compiler.structure import NUMBER, Array, Group, Number, Record, Structure

_PLAIN: dict[str, type] = {kind.__name__: kind for kind in (tuple, list, dict)}


def recalled(words: Iterable[str], make: Callable[[], Program]) -> Program:
    """The program that `make` traces, known from the disk if these words were used before.

    The words must determine the program: the caller answers for that. Without llvmlite there is no cache, and it is
    traced.
    """
    try:
        from quatrain.compiler.native import fingerprint, shared_cache

        compiler = fingerprint()
    except ImportError:
        return make()
    store = shared_cache(os.environ.get(PLACE), os.environ.get(LIMIT))
    key = sha256("\n".join(["program", compiler, *words]).encode()).hexdigest()
    entry = store.get(key)
    if entry is not None:
        try:
            return RecalledProgram.of_entry(json.loads(entry), make)
        except (AttributeError, ImportError, KeyError, TypeError, ValueError):
            pass  # of another version: it is written anew
    program = make()
    store.put(key, json.dumps(_entry(program)).encode())
    return program


class RecalledProgram(Program):
    """A program whose graph is traced when it is first looked at."""

    @classmethod
    def of_entry(cls, entry: dict[str, Any], make: Callable[[], Program]) -> RecalledProgram:
        found = cls.__new__(cls)
        inputs, outputs = (
            tuple(Port(name, tuple(shape), tuple(numbers)) for name, shape, numbers in entry[side])
            for side in ("inputs", "outputs")
        )
        structures = {key: _structure(entry[key]) for key in ("input_structure", "output_structure")}
        digest = bytes.fromhex(entry["digest"])
        found.__dict__.update(
            name=entry["name"], inputs=inputs, outputs=outputs, **structures, _digest=digest, _make=make
        )
        return found

    def __getattr__(self, name: str) -> Any:
        # Asked only for what is not there yet: the graph.
        if name != "graph" or "_make" not in self.__dict__:
            raise AttributeError(name)
        traced = self._make()
        if traced.digest() != self.digest():
            raise AssertionError(
                f"{self.name} was traced again and is another program than the cache says: "
                "the words that it is known by do not determine it"
            )
        self.__dict__["graph"] = traced.graph
        return traced.graph

    def __reduce__(self) -> tuple[Any, ...]:
        plain = (
            self.name,
            self.graph,
            self.inputs,
            self.outputs,
            self.input_structure,
            self.output_structure,
        )
        return Program, plain


# ---- on disk --------------------------------------------------------------------------------------------


def _entry(program: Program) -> dict[str, Any]:
    return {
        "name": program.name,
        "digest": program.digest(),
        "inputs": [(port.name, port.shape, port.numbers) for port in program.inputs],
        "outputs": [(port.name, port.shape, port.numbers) for port in program.outputs],
        "input_structure": _described(program.input_structure),
        "output_structure": _described(program.output_structure),
    }


def _described(structure: Structure) -> Any:
    if isinstance(structure, Number):
        return "number"
    if isinstance(structure, Array):
        return ["array", *structure.shape]
    if isinstance(structure, Record):
        return {"record": _name(structure.kind)}
    parts = [_described(part) for part in structure.parts]
    return {"group": _name(structure.kind), "names": structure.names, "parts": parts}


def _structure(described: Any) -> Any:
    if described == "number":
        return NUMBER
    if isinstance(described, list):
        return Array(tuple(described[1:]))
    if "record" in described:
        return Record(_kind(described["record"]))
    parts = tuple(_structure(part) for part in described["parts"])
    return Group(_kind(described["group"]), tuple(described["names"]), parts)


def _name(kind: type) -> str:
    return kind.__name__ if kind in _PLAIN.values() else f"{kind.__module__}:{kind.__qualname__}"


def _kind(name: str) -> Any:
    if name in _PLAIN:
        return _PLAIN[name]
    module, _, path = name.partition(":")
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found
