"""A model in words: its tree, and what its coordinates are, for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

from quatrain.geometry import Vec3
from quatrain.joint import Motion

if TYPE_CHECKING:
    from quatrain.model import Body, Model

_WIDTH = 80


@dataclass(frozen=True)
class Coordinate:
    """One entry of q or v: what `model.coordinates()` lists."""

    index: int
    name: str
    unit: str
    frame: str


class Coordinates(tuple[Coordinate, ...]):
    """The entries of q or v, in order; printed they are a table."""

    def __str__(self) -> str:
        rows = [("", "name", "unit", "of"), *((str(c.index), c.name, c.unit, c.frame) for c in self)]
        return "\n".join(_table(rows, right=(0,)))

    __repr__ = __str__


def coordinates_of(model: Model) -> Coordinates:
    """The entries of q."""
    return Coordinates(_listed(model, quaternions=True))


def velocities_of(model: Model) -> Coordinates:
    """The entries of v."""
    return Coordinates(_listed(model, quaternions=False))


def _listed(model: Model, *, quaternions: bool) -> Iterator[Coordinate]:
    index = 0
    for body in model.bodies:
        parent = "world" if body.parent < 0 else model.bodies[body.parent].name
        names = body.joint.q_names() if quaternions else body.joint.v_names()
        for motion in body.joint.own_motions:
            unit, where = _measured(motion, parent, body.name, quaternions=quaternions)
            for _ in range(motion.nq if quaternions else motion.nv):
                yield Coordinate(index, next(names), unit, where)
                index += 1


def _measured(motion: Motion, parent: str, body: str, *, quaternions: bool) -> tuple[str, str]:
    """Unit and frame of the entries of one motion."""
    if motion.kind == "ball":
        if quaternions:
            return "", f"{body} in {parent}, (w, x, y, z)"
        return "rad/s", f"{body} in {parent}, in its own axes"
    unit = "m" if motion.kind == "slide" else "rad"
    return unit if quaternions else f"{unit}/s", f"{body} in {parent}"


# ---- the tree -----------------------------------------------------------------------------------------


def rows_of(model: Model) -> list[tuple[str, ...]]:
    """A row for each body, after their titles. A body stands on the one above it in its column, or where its branch
    begins.
    """
    rows: list[tuple[str, ...]] = [("body", "joint", "kind", "q", "mass [kg]")]
    for branch, k in _branches(model):
        if k < 0:
            rows.append(("world", "", "", "", ""))
            continue
        body = model.bodies[k]
        rows.append(
            (branch + body.name, body.joint.name, _kind(body), _entries(model, k), f"{body.mass:.4g}")
        )
    return rows


def description(model: Model) -> str:
    """The tree, a body a line, and what else there is."""
    rows = rows_of(model)
    title = f"{model.name}: {_count(model.nb, 'body', 'bodies')}, nq {model.nq}, nv {model.nv}"
    gravity = ", ".join(f"{x:g}" for x in model.gravity)
    title = fill(
        f"{title}, mass {model.mass:.6g} kg, gravity ({gravity}) m/s²", _WIDTH, subsequent_indent="  "
    )
    lines = [title, "", *_fitting(rows)]
    named = {
        "Frames": [f"{f.name} on {_carrier(model, f.body)}" for f in model.frames],
        "Actuators": [f"{a.name} on {a.joint or a.frame}" for a in model.actuators],
        "Shapes": [_count(len(model.shapes), "shape", "shapes")] if model.shapes else [],
        "Keyframes": [key.name for key in model.keyframes],
        "Kept from the file, and not used": [f"{extra.kind} {extra.name}".strip() for extra in model.extras],
    }
    notes = [
        fill(f"{what}: {', '.join(names)}.", _WIDTH, subsequent_indent="  ")
        for what, names in named.items()
        if names
    ]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _fitting(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The table in 80 columns: closer together where names are long, or with a body's joint on a line of its own."""
    for title, gap in (("mass [kg]", "  "), ("[kg]", " ")):
        lines = list(_table([(*rows[0][:-1], title), *rows[1:]], (len(rows[0]) - 1,), gap))
        if max(map(len, lines)) <= _WIDTH:
            return iter(lines)
    (*_, joint, kind, q, _), *bodies = rows
    table = list(_table([(joint, kind, q, "[kg]"), *(row[1:] for row in bodies)], (3,), " "))
    named = (line for (name, *_), row in zip(bodies, table[1:], strict=True) for line in (name, f"    {row}"))
    return (line for line in (rows[0][0], f"    {table[0]}", *named) if line.strip())


def _branches(model: Model) -> Iterator[tuple[str, int]]:
    """The bodies, depth-first, each with the strokes before its name. Only where a tree forks does it move right.

    The world is a line of its own, number −1, where several bodies stand on it.
    """
    children: dict[int, list[int]] = {}
    for k, body in enumerate(model.bodies):
        children.setdefault(body.parent, []).append(k)
    roots = children.get(-1, [])
    pending = [("", "", roots[0] if len(roots) == 1 else -1)] if roots else []
    while pending:
        first, under, k = pending.pop()
        yield first, k
        own = children.get(k, [])
        if len(own) == 1:
            pending.append((under, under, own[0]))
        else:
            for child in reversed(own):
                strokes = ("└─ ", "   ") if child == own[-1] else ("├─ ", "│  ")
                pending.append((under + strokes[0], under + strokes[1], child))


def _kind(body: Body) -> str:
    joint = body.joint
    axes = " ".join(map(_axis, joint.axes)) if joint.kind not in ("free", "planar") else ""
    return f"{joint.kind} {axes}".strip()


def _axis(axis: Vec3) -> str:
    for name, entry in zip("xyz", axis, strict=True):
        if abs(entry) == 1:
            return name if entry > 0 else f"-{name}"
    return f"({', '.join(f'{entry:.3g}' for entry in axis)})"


def _entries(model: Model, k: int) -> str:
    """Which entries of q belong to its joint; of one that follows another, what it makes of the other's."""
    joint, first = model.bodies[k].joint, model.q_starts[k]
    if joint.mimic is not None:
        ratio, offset = model.drives[k].ratio, model.drives[k].offset
        return f"{ratio:g} × {first}" + (f" {offset:+g}" if offset else "")
    if joint.nq == 0:
        return "–"
    return str(first) if joint.nq == 1 else f"{first}…{first + joint.nq - 1}"


def _carrier(model: Model, body: int) -> str:
    return "world" if body < 0 else model.bodies[body].name


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), gap: str = "  ") -> Iterator[str]:
    """Columns of the width of their longest entry."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            entry.rjust(width) if i in right else entry.ljust(width)
            for i, (entry, width) in enumerate(zip(row, widths, strict=True))
        )
        yield gap.join(cells).rstrip()
