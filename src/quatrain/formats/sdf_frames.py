"""Named frames of SDF: each stands in another one, and a link carries it or the ground does.

What stands where is a tree (`Spot.base`), what carries what a second one (`Spot.carrier`); names are looked up within
the model that they stand in, and further in by `model::name`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quatrain.formats.source import Element, some
from quatrain.geometry import Pose


@dataclass(eq=False)
class Spot:
    """A named frame."""

    label: str
    """Its name, those of the models around it before it."""
    kind: str
    """"world", "model", "link", "joint" or "frame"."""
    element: Element | None = None
    pose: Pose = field(default_factory=Pose.identity)
    """In its base."""
    base: Spot | None = None
    carrier: Spot | None = None
    """What it is fixed to; links and the world carry themselves."""
    depth: int = -1


WORLD_NAME, MODEL_NAME = "world", "__model__"


@dataclass(eq=False)
class Scope:
    """The names of one model, or of the world."""

    prefix: str
    """Before the names of what is in it: "arm::hand::"."""
    home: Spot
    world: Spot
    static: bool = False
    spots: dict[str, Spot] = field(default_factory=dict)
    joints: dict[str, Spot] = field(default_factory=dict)
    inner: dict[str, Scope] = field(default_factory=dict)

    def declare(self, name: str, spot: Spot) -> Spot | None:
        """The one that has the name already, if one has."""
        if spot.kind == "joint":
            if name in self.joints:
                return self.joints[name]
            self.joints[name] = spot
        first = self.spots.setdefault(name, spot)
        return None if first is spot else first

    def find(self, name: str, home: Spot, element: Element, what: str) -> Spot:
        """By the name that an element says."""
        scope, rest = self, name
        while True:
            if rest == WORLD_NAME:
                return self.world
            if rest == MODEL_NAME:
                return home if scope is self else scope.home
            if rest in scope.spots:
                return scope.spots[rest]
            first, colons, after = rest.partition("::")
            if not colons or first not in scope.inner:
                element.fail(
                    f"{what} is {name!r}, which is not in {scope.home.label!r} (there are {some(scope.spots)})",
                    do="name a link, joint, frame or model beside it; one further in as model::name",
                )
            scope, rest = scope.inner[first], after


def settle(spots: Iterable[Spot]) -> None:
    """Depths in the tree of bases; an error if frames stand in one another, or carry one another, in a circle."""
    listed = list(spots)
    for spot in listed:
        path: list[Spot] = []
        on_path: set[int] = set()
        while spot.depth < 0 and spot.base is not None:
            if id(spot) in on_path:
                _in_a_circle(path[path.index(spot) :], "pose is measured from")
            path.append(spot)
            on_path.add(id(spot))
            spot = spot.base
        depth = max(spot.depth, 0)
        spot.depth = depth
        for one in reversed(path):
            depth += 1
            one.depth = depth
    for spot in listed:
        body_of(spot)


def _in_a_circle(ring: list[Spot], how: str) -> None:
    names = " → ".join(spot.label for spot in (*ring[:8], ring[0]))
    element = next(spot.element for spot in ring if spot.element is not None)
    element.fail(
        f"frames lean on one another in a circle, as each one's {how} the next: {names}",
        do="let one of them stand in the model's own frame",
    )


def body_of(spot: Spot) -> Spot:
    """The link that carries it, or the world."""
    path: list[Spot] = []
    seen: set[int] = set()
    while spot.carrier is not None:
        if id(spot) in seen:
            _in_a_circle(path[path.index(spot) :], "frame is attached to")
        path.append(spot)
        seen.add(id(spot))
        spot = spot.carrier
    for one in path:
        one.carrier = spot  # found once
    return spot


def relative(a: Spot, b: Spot) -> Pose:
    """Frame b seen from a, by way of the frame in which both stand in the end."""
    X_SA: Pose | None = None
    X_SB: Pose | None = None
    while a is not b:
        if a.depth >= b.depth:
            X_SA = a.pose if X_SA is None else a.pose @ X_SA
            a = _base(a)
        else:
            X_SB = b.pose if X_SB is None else b.pose @ X_SB
            b = _base(b)
    if X_SA is None:
        return X_SB or Pose.identity()
    return X_SA.inverse() if X_SB is None else X_SA.inverse() @ X_SB


def _base(spot: Spot) -> Spot:
    assert spot.base is not None  # two frames meet in the world at the latest
    return spot.base
