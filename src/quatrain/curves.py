"""Curves in a terminal, of Braille dots: eight in each letter, two across and four down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


def curve(values: Any, *, width: int = 50, height: int = 3) -> list[str]:
    """Lines of text with the values over their whole length; what is not finite leaves a gap."""
    values = np.asarray(values, float)
    across, down = 2 * width, 4 * height
    finite = values[np.isfinite(values)]
    if not len(finite):
        return [" " * width] * height
    low, high = finite.min(), finite.max()
    span = high - low or 1.0
    dots = np.zeros((down, across), bool)
    places = np.linspace(0, len(values) - 1, max(4 * across, len(values)))
    fine = np.interp(places, np.arange(len(values)), values)  # so that steep parts have no holes
    columns = np.minimum((places / max(1, len(values) - 1) * across).astype(int), across - 1)
    good = np.isfinite(fine)
    rows = np.round((high - fine[good]) / span * (down - 1)).astype(int)
    if high == low:
        rows[:] = down // 2
    dots[rows, columns[good]] = True
    for k in range(across):  # between two neighbours the line goes on
        both = [np.flatnonzero(dots[:, j]) for j in (k, k - 1) if j >= 0]
        if len(both) == 2 and all(map(len, both)) and both[0].min() > both[1].max() + 1:
            dots[both[1].max() : both[0].min(), k] = True
        elif len(both) == 2 and all(map(len, both)) and both[1].min() > both[0].max() + 1:
            dots[both[0].max() : both[1].min(), k] = True
    letters = (dots.reshape(height, 4, width, 2) * _DOTS[None, :, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + int(code)) for code in line) for line in letters]


def chart(t: Any, named: Sequence[tuple[str, str, Any]], *, width: int = 80) -> list[str]:
    """One curve below the other: (name, unit, values), with the largest and the smallest value beside it."""
    label = min(18, max((len(name) for name, _, _ in named), default=0))
    room = width - label - 12
    height = 3 if len(named) <= 4 else 2 if len(named) <= 8 else 1
    lines = []
    for name, unit, values in named:
        finite = np.asarray(values, float)[np.isfinite(values)]
        ends = (f"{finite.max():.4g}", f"{finite.min():.4g}") if len(finite) else ("", "")
        rows = curve(values, width=room, height=height)
        for k, row in enumerate(rows):
            left = (
                (name if len(name) <= label else name[: label - 1] + "…")
                if k == 0
                else unit
                if k == 1
                else ""
            )
            right = ends[0] if k == 0 else ends[1] if k == height - 1 else ""
            if height == 1:
                right = f"{ends[1]} … {ends[0]}"[:11]
            lines.append(f"{left:<{label}} {row} {right}".rstrip())
    lines.append(f"{'':<{label}} {t[0]:<{room // 2}g}{f'{t[-1]:g} s':>{room - room // 2}}".rstrip())
    return lines
