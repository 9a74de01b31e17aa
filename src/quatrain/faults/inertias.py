"""Masses and inertias that no matter can have, and the nearest ones that it can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from quatrain.faults import Fault, finite
from quatrain.geometry import SymMat3
from quatrain.model import Body

_SLACK = 1e-6
"""Relative, for the triangle inequality: files print inertias with six digits."""


def of_body(body: Body) -> Iterator[Fault]:
    where = f"body {body.name!r}"
    numbers = {"mass": (body.mass,), "centre of mass": (*body.p_BBcm,), "inertia": (*body.I_Bcm_B,)}
    wrong = [name for name, values in numbers.items() if not finite(*values)]
    if wrong:
        what = f"its {' and '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} not finite"
        yield Fault("error", where, what, "give finite numbers")
        return
    if body.mass < 0:
        yield Fault("error", where, f"its mass is {body.mass:.6g} kg", "give one that is not negative")
    moments = principal_moments(body.I_Bcm_B)
    if _negative(moments, body.mass):
        what = f"inertia has the principal moments {listed(moments)}: no matter has a negative one"
        yield Fault("error", where, what, "correct it, or pass inertia='repair' or 'warn'", "inertia")
    elif _broken(moments):
        what = f"the principal moments {listed(moments)} break the triangle inequality"
        do = "check units, and that it is about the centre of mass; inertia='repair' takes the nearest that can be"
        yield Fault("warning", where, what, do)
    if body.mass == 0 and moments[2] > 0:
        yield Fault("warning", where, f"it has no mass but moments {listed(moments)}", "give it a mass")


def principal_moments(inertia: SymMat3) -> list[float]:
    """In ascending order."""
    xx, yy, zz, xy, xz, yz = inertia
    return np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float)).tolist()


def _negative(moments: list[float], mass: float) -> bool:
    """More than rounding leaves, of the moments themselves or of what the mass has at a radius of a micrometre."""
    return moments[0] < -1e-12 * max(abs(moments[0]), abs(moments[2]), mass)


def _broken(moments: list[float]) -> bool:
    """a + b < c: then the planar moment along c's axis, (a + b − c)/2, is negative."""
    return moments[0] + moments[1] < moments[2] * (1 - _SLACK)


def listed(moments: Iterable[float]) -> str:
    return ", ".join(f"{x:.6g}" for x in moments)


def repaired(body: Body) -> Body:
    """The body itself if its inertia can be; else with the nearest that can, in the sum of squares of its entries."""
    if not finite(*body.I_Bcm_B):
        return body
    found, axes = np.linalg.eigh(body.I_Bcm_B.to_array())
    moments = [float(x) for x in found]
    if not (_negative(moments, body.mass) or _broken(moments)):
        return body
    mended = nearest_moments(np.array(moments))
    entries = SymMat3.from_array((axes * mended) @ axes.T)
    return replace(body, I_Bcm_B=SymMat3(*map(float, entries)))


def nearest_moments(moments: np.ndarray) -> np.ndarray:
    """The nearest moments (y + z, x + z, x + y) of planar moments x, y, z that are not negative.

    Which of them are zero is not known: the best of all choices is taken.
    """
    size = np.abs(moments).max()
    if size > 0:
        moments = moments / size  # so that squares are finite
    of_planar = 1.0 - np.eye(3)
    best = np.zeros(3)
    for count in (1, 2, 3):
        for kept in combinations(range(3), count):
            columns = of_planar[:, list(kept)]
            planar = np.linalg.lstsq(columns, moments, rcond=None)[0]
            tried = columns @ planar
            if np.all(planar >= 0) and np.linalg.norm(tried - moments) < np.linalg.norm(best - moments):
                best = tried
    return best * size
