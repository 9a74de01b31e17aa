"""A comparison as tables of words: for a terminal, a pipe, a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from textwrap import fill
from typing import TypeVar

from quatrain.compare.motion import Motion
from quatrain.compare.results import DIVERGED, Agreement, Comparison, Row, StepSizes

T = TypeVar("T", Row, StepSizes)

ROUNDING = 1e-12
"""A drift that is smaller has no growth worth a name."""
WIDTH = 98
NONE = "–"

NOTES = {
    "norm": "norm: max ||q| − 1|; energy, momentum: largest relative change; attitude: angle to the reference at the "
    "end [rad]; growth: power of time of the energy error over the second half",
    "order": "order: power of the step size of the attitude error",
    "work": "work: arithmetic operations of a step",
    "ns": "ns: time of a step of one body, in a batch on one thread",
}
SHARED = "Forms in one row do the same operations here."


@dataclass(frozen=True)
class Table:
    """Texts in columns; the first `words` columns are words, the others numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int
    note: str = ""


def text(comparison: Comparison) -> str:
    """All tables as plain text."""
    parts = [heading(comparison.motion, comparison.rows[0] if comparison.rows else None)]
    parts += ["\n".join([t.title, *_lines(t), *_wrapped(t.note)]) for t in tables(comparison)]
    return "\n\n".join(parts)


def heading(motion: Motion, row: Row | None) -> str:
    """What was compared on."""
    J = list(motion.inertia)
    inertia = f"diag({_list(J[:3])})" if not any(J[3:]) else f"[xx yy zz xy xz yz] = ({_list(J)})"
    acts = "torque-free" if motion.is_free else "with a load"
    steps = f", {row.steps} steps of {row.h:g} s" if row else ""
    return (
        f"{acts}, {motion.duration:g} s{steps}\nJ = {inertia} kg m²\n"
        f"q(0) = ({_list(motion.q_WB)}), ω(0) = ({_list(motion.w_WB_B)}) rad/s"
    )


def tables(comparison: Comparison) -> list[Table]:
    """Drift, then drift against step size, then what all forms say of single states."""
    found: list[Table] = []
    for stepper in dict.fromkeys(row.stepper for row in comparison.rows):
        rows = [row for row in comparison.rows if row.stepper == stepper]
        sizes = [s for s in comparison.step_sizes if s.stepper == stepper]
        drift = _drift(stepper, rows)
        # What the columns mean is said once.
        found += [replace(drift, note="") if found else drift]
        found += [_sizes(stepper, sizes, rows)] if sizes else []
    angles = [row for row in comparison.rows if row.condition is not None]
    return [*found, *([_singularity(angles)] if angles else []), _agreements(comparison.agreements)]


# ---- the tables -------------------------------------------------------------------------------------


def _drift(stepper: str, rows: Sequence[Row]) -> Table:
    timed = any(row.nanoseconds is not None for row in rows)
    ordered = any(row.order is not None for row in rows)
    header: tuple[str, ...] = ("form", "renorm.", "norm", "energy", "momentum", "attitude", "growth")
    header += (*(["order"] if ordered else []), "work", *(["ns"] if timed else []))
    lines: list[tuple[str, ...]] = []
    label = ""
    for names, row in grouped(rows):
        cells = [names if names != label else "", row.renormalisation, *_figures(row)]
        cells += [_growth(row.growth, row.energy), *([_order(row.order)] if ordered else [])]
        cells += [str(row.operations), *([_number(row.nanoseconds, "{:.1f}")] if timed else [])]
        lines.append(tuple(cells))
        label = names
    note = "; ".join(text for name, text in NOTES.items() if name in header) + "."
    shared = any(row.same_as != row.form for row in rows)
    return Table(f"Drift, {stepper}", header, tuple(lines), 2, f"{note} {SHARED}" if shared else note)


def _figures(row: Row) -> list[str]:
    if row.diverged:
        return ["diverges", NONE, NONE, NONE]
    norm = None if row.condition is not None else row.norm
    return [_small(norm), _small(row.energy), _small(row.momentum), _small(row.attitude)]


def _sizes(stepper: str, sizes: Sequence[StepSizes], rows: Sequence[Row]) -> Table:
    """Of the norm where it is left alone, else of the attitude."""
    growths = {(row.form, row.renormalisation): row for row in rows}
    free = [s for s in sizes if s.renormalisation == "none" and growths[s.form, "none"].condition is None]
    if not free:
        lines = [
            (names, s.renormalisation, *map(_small, s.attitude), _order(s.order("attitude"), "h^"))
            for names, s in grouped(sizes)
        ]
        header = ("form", "renorm.", *_sizes_in_words(sizes[0]), "order")
        return Table(f"Attitude error against step size, {stepper}", header, tuple(lines), 2)
    lines = []
    for names, s in grouped(free):
        row = growths[s.form, "none"]
        figures = (_small(value, DIVERGED) for value in s.norm)
        lines.append((names, *figures, _order(s.order("norm"), "h^"), _growth(row.norm_growth, row.norm)))
    header = ("form", *_sizes_in_words(free[0]), "order", "in time")
    return Table(f"Norm against step size, nothing renormalised, {stepper}", header, tuple(lines), 1)


def _sizes_in_words(s: StepSizes) -> tuple[str, ...]:
    return tuple(f"h = {h:g}" for h in s.h)


def _singularity(rows: Sequence[Row]) -> Table:
    lines = tuple((row.form, row.stepper, _number(row.condition, "{:.0f}")) for row in rows)
    note = "factor: the most by which the angles amplified errors of the rate on the way; 1 is best."
    return Table(
        "How near the angles came to their singularity", ("form", "stepper", "factor"), lines, 2, note
    )


def _agreements(agreements: Sequence[Agreement]) -> Table:
    lines = tuple(
        (
            a.form,
            a.equation,
            a.multiplier,
            _small(a.at_start),
            _small(a.at_random),
            _small(a.multiplier_error),
        )
        for a in agreements
    )
    header = ("form", "equation", "λ", "q̈ at start", "q̈ at random", "λ error")
    note = (
        "q̈: largest relative difference from G(29), at the start and on random attitudes and rates; λ error: "
        "largest deviation of the multiplier from its closed form."
    )
    alone = " s32 leaves out the constraint, and with it q̈ along q."
    note += alone if any(a.form == "s32" for a in agreements) else ""
    return Table("The same acceleration", header, lines, 3, note)


def grouped(rows: Iterable[T]) -> list[tuple[str, T]]:
    """Rows of forms whose step is one program, as one row under all their names."""
    groups: dict[tuple[str, str, str], list[T]] = {}
    for row in rows:
        groups.setdefault((row.same_as, row.renormalisation, row.stepper), []).append(row)
    return [(" ".join(row.form for row in group), group[0]) for group in groups.values()]


# ---- cells ------------------------------------------------------------------------------------------


def _small(value: float | None, most: float = float("inf")) -> str:
    if value is None:
        return NONE
    if not (isfinite(value) and value <= most):
        return "diverges"
    return "0" if value == 0 else f"{value:.1e}"


def _number(value: float | None, form: str) -> str:
    if value is None:
        return NONE
    return form.format(value) if isfinite(value) else "infinite"


def _order(value: float | None, before: str = "") -> str:
    return NONE if value is None else f"{before}{value:.1f}"


def _growth(power: float | None, error: float | None) -> str:
    if power is None or error is None or not ROUNDING < error < float("inf"):
        return NONE
    return "bounded" if power < 0.05 else f"t^{power:.1f}"


def _list(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def _wrapped(note: str) -> list[str]:
    return [fill(note, WIDTH)] if note else []


def _lines(table: Table) -> list[str]:
    columns = list(zip(table.header, *table.rows, strict=True))
    widths = [max(map(_width, column)) for column in columns]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [_line(cells, widths, table.words) for cells in (table.header, *table.rows)]
    return [rule, lines[0], rule, *lines[1:], rule]


def _line(cells: Sequence[str], widths: Sequence[int], words: int) -> str:
    padded = (
        cell + " " * (width - _width(cell)) if k < words else " " * (width - _width(cell)) + cell
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()


def _width(cell: str) -> int:
    """Places on a terminal: a dot that stands over a letter takes none."""
    from unicodedata import combining

    return sum(1 for character in cell if not combining(character))
