"""Two models side by side: what of them differs, part by part under one name, and how they move in random states.

What is the same machine said otherwise is the same here: where a joint's frame stands does not matter, only the line
of its axis in the body and the place at zero; limits that are not there are limits that bound nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quatrain.differences.motion import motion_apart
from quatrain.differences.parts import KINDS, Difference, Sides
from quatrain.errors import ArgumentError
from quatrain.model import Model

__all__ = ["KINDS", "Comparison", "Difference", "differences"]


@dataclass(frozen=True)
class Comparison:
    """What `differences` found."""

    a: str
    b: str
    found: tuple[Difference, ...]
    motion: Mapping[str, tuple[float, str]]
    """Of M, bias forces and places the largest difference, relative to the largest entry [places: in m], and where."""
    unmoved: str
    """Why motion was not compared, if it was not."""
    tolerance: float
    states: int

    @property
    def same(self) -> bool:
        """Whether they are the same machine, to the tolerance."""
        return not self.found and not self.unmoved and self.moves_alike

    @property
    def moves_alike(self) -> bool:
        return all(size <= self.tolerance for size, _ in self.motion.values())

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "a": self.a,
            "b": self.b,
            "same": self.same,
            "tolerance": self.tolerance,
            "states": self.states,
            "differences": [
                {"kind": one.kind, "where": one.where, "what": one.what, "a": one.a, "b": one.b}
                for one in self.found
            ],
            "motion": {
                name: {"largest": size, "where": where} for name, (size, where) in self.motion.items()
            },
            "motion_not_compared": self.unmoved or None,
        }

    def lines(self, most: int = 12) -> Iterator[str]:
        """For reading: at most so many of one kind, and how many more there are."""
        verdict = "are the same machine" if self.same else "differ"
        yield f"{self.a} and {self.b} {verdict}, to {self.tolerance:g} of what is compared"
        for kind in KINDS:
            for side, file in (("a", self.a), ("b", self.b)):
                alone = [one.where for one in self.found if one.kind == kind and one.alone == side]
                if alone:
                    more = f" … ({len(alone)} in all)" if len(alone) > most else ""
                    yield f"  [{kind}] in {file} alone: {', '.join(alone[:most])}{more}"
            found = [one for one in self.found if one.kind == kind and not one.alone]
            for one in found[:most]:
                yield f"  [{kind}] {one}"
            if len(found) > most:
                yield f"  [{kind}] … and {len(found) - most} more like this"
        if self.unmoved:
            yield f"  motion is not compared: {self.unmoved}"
        for name, (size, where) in self.motion.items():
            at = f", most at {where}" if where and size > self.tolerance else ""
            yield f"  {name}: {size:.1e} in {self.states} random states{at}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def differences(
    a: Model,
    b: Model,
    *,
    tolerance: float = 1e-9,
    states: int = 8,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """All that differs by more than the tolerance, relative to the larger of two numbers or vectors, or to one."""
    if not tolerance >= 0:
        raise ArgumentError(
            f"tolerance is {tolerance}", do="pass a number that is not negative, such as 1e-9"
        )
    if states < 1:
        raise ArgumentError(f"states is {states}", do="pass how many random states to try, 1 or more")
    found = tuple(Sides(a, b, tolerance).all())
    unmoved = "" if {*a.v_names} == {*b.v_names} else "they have other coordinates"
    if not unmoved and {*a.q_names} != {*b.q_names}:
        unmoved = "they have other coordinates"
    if not unmoved and a.nv == 0:
        unmoved = "nothing moves"
    motion = {} if unmoved else motion_apart(a, b, states)
    if unmoved == "nothing moves":
        unmoved = ""
    return Comparison(*(names or (a.name, b.name)), found, motion, unmoved, tolerance, states)
