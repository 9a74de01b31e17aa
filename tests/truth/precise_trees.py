"""Trees and their states as numbers of mpmath's, for laws and errors far below rounding."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

import mpmath
import numpy as np

from quatrain import Quaternion
from quatrain.equations import dynamics
from quatrain.equations.tree import Tree

DIGITS = 40
STEP = 1e-13
"""Of central differences: with forty digits they are wrong by some 1e-26, from the step as from rounding."""


def lifted(value, *, unit=False):
    """A model with every number as one of mpmath's; `unit`: its quaternions of unit norm to the last digit."""
    if isinstance(value, float):
        return mpmath.mpf(float(value))
    if isinstance(value, Quaternion):
        precise = Quaternion(*map(mpmath.mpf, value))
        return precise.normalised() if unit else precise
    if is_dataclass(value):
        parts = {f.name: lifted(getattr(value, f.name), unit=unit) for f in fields(value) if f.init}
        return replace(value, **parts)
    return tuple(lifted(part, unit=unit) for part in value) if isinstance(value, tuple) else value


def as_numbers(rows):
    return [[mpmath.mpf(float(x)) for x in row] for row in rows]


def precisely(function, model, *states):
    """Of each state of a batch, with forty digits."""
    return [function(lifted(model), *state) for state in zip(*map(as_numbers, states), strict=True)]


def unit_quaternions(model, q):
    """A state whose quaternions are of unit norm to the last digit."""
    q = list(q)
    for segment in Tree.of(model).segments:
        if segment.kind == "ball":
            q[segment.q : segment.q + 4] = Quaternion(*q[segment.q : segment.q + 4]).normalised()
    return q


def rate(function, model, q, v, a=None):
    """d/dt of function(model, q, v) along the motion, or of function(model, q) if there is no a."""
    h, ends = mpmath.mpf(STEP), []
    for step in (h, -h):
        at = dynamics.integrate(model, q, v, step)
        rest = () if a is None else ([x + y * step for x, y in zip(v, a, strict=True)],)
        ends.append(objects(function(model, at, *rest)))
    return (ends[0] - ends[1]) / (2 * h)


def objects(value):
    """Nested numbers, vectors and quaternions as an array of mpmath's numbers."""
    if isinstance(value, np.ndarray):
        return value
    parts = [objects(part) for part in value] if hasattr(value, "__iter__") else value
    return np.array(parts, dtype=object)


def worst(found, exact, least=1):
    """Largest error, relative to the largest entry of the exact array or to `least`."""
    found, exact = objects(found), objects(exact)
    return float(np.max(np.abs(found - exact)) / max(least, np.max(np.abs(exact))))


def condition(M) -> float:
    return float(np.linalg.cond(objects(M).astype(float)))
