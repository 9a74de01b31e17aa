"""A tree out of links and joints that may join them in any order, either way round, and in loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from quatrain.formats.sdf_frames import Spot, body_of
from quatrain.formats.sdf_joints import Joined


@dataclass(frozen=True)
class Step:
    """A link, what carries it, by which joint, and whether that is passed from its child to its parent."""

    link: Spot
    parent: Spot
    joined: Joined | None = None
    backwards: bool = False


@dataclass
class Tree:
    steps: list[Step]
    """Depth-first, children in the order of their joints in the file. Without a joint: a root."""
    loops: list[Joined] = field(default_factory=list)
    """Joints that close a loop."""


def tree_of(links: Sequence[Spot], joints: Sequence[Joined], world: Spot, held: Sequence[Spot]) -> Tree:
    """Joints are taken in the order of the file, unless one joins what is joined already.

    A tree stands on the ground, or on a link that is held there, if a joint says so; else its root is the first link
    that no joint moves.
    """
    tree = Tree([Step(link, world) for link in held])
    group = {id(link): world for link in held}  # union-find: towards what stands for all that are joined

    def first(spot: Spot) -> Spot:
        while (up := group.get(id(spot))) is not None:
            above = group.get(id(up))
            if above is not None:
                group[id(spot)] = above
            spot = up
        return spot

    beside: dict[int, list[tuple[Spot, Joined, bool]]] = {}
    moved: set[int] = set()
    for joined in joints:
        parent, child = body_of(joined.parent), body_of(joined.child)
        a, b = first(parent), first(child)
        if a is b:
            tree.loops.append(joined)
            continue
        group[id(b)] = a
        moved.add(id(child))
        beside.setdefault(id(parent), []).append((child, joined, False))
        beside.setdefault(id(child), []).append((parent, joined, True))
    reached = {id(world), *map(id, held)}
    for ground in (world, *held):
        tree.steps += _from(ground, beside, reached)
    for roots in ([link for link in links if id(link) not in moved], links):
        for link in roots:
            if id(link) not in reached:
                reached.add(id(link))
                tree.steps.append(Step(link, world))
                tree.steps += _from(link, beside, reached)
    return tree


def _from(
    root: Spot, beside: dict[int, list[tuple[Spot, Joined, bool]]], reached: set[int]
) -> Iterator[Step]:
    pending = [Step(there, root, joined, back) for there, joined, back in reversed(beside.get(id(root), ()))]
    while pending:
        step = pending.pop()
        if id(step.link) in reached:
            continue
        reached.add(id(step.link))
        yield step
        pending += [
            Step(there, step.link, joined, back)
            for there, joined, back in reversed(beside.get(id(step.link), ()))
            if id(there) not in reached
        ]
