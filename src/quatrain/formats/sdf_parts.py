"""What a file of SDF holds, with what it includes and nests: links, joints, frames, and what leans on what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quatrain.formats.reading import Choices, Notes
from quatrain.formats.sdf_frames import WORLD_NAME, Scope, Spot, settle
from quatrain.formats.sdf_joints import Joined
from quatrain.formats.sdf_sources import Files, Source, Version, version_of
from quatrain.formats.sdf_values import attribute_flag, pose, word
from quatrain.formats.source import Element
from quatrain.geometry import Pose

MOST_NESTED = 64
_WITHOUT_EFFECT = ("self_collide", "allow_auto_disable", "enable_wind")


@dataclass(eq=False)
class Link:
    spot: Spot
    element: Element
    scope: Scope
    home: Spot
    static: bool


@dataclass
class Parts:
    """All there is, once `collect` has been over the file."""

    choices: Choices
    notes: Notes
    root: Element
    world: Spot = field(default_factory=lambda: Spot("world", "world"))
    links: list[Link] = field(default_factory=list)
    joints: list[Joined] = field(default_factory=list)
    frames: list[Spot] = field(default_factory=list)
    models: list[tuple[Spot, Source, Scope]] = field(default_factory=list)
    tops: list[Source] = field(default_factory=list)
    """Models that stand in no other."""
    grounds: list[Link] = field(default_factory=list)
    """Links that are the ground itself: what is to be seen of them stands there."""
    others: list[Element] = field(default_factory=list)
    """What is not interpreted."""
    _joints: list[tuple[Element, Spot, Scope, Spot, Version]] = field(default_factory=list)
    _names: list[tuple[Spot, str, str, Scope, Spot]] = field(default_factory=list)
    """Bases and carriers that are known by name until everything is there."""

    def __post_init__(self) -> None:
        self.files = Files(self.choices, self.notes, [self.root], self.root.size())
        self.version = version_of(self.root, self.notes)

    def collect(self, world: Element) -> None:
        """Of a <world>, or of an <sdf> of models."""
        scope = Scope("", self.world, self.world)
        folder = None if self.choices.path is None else self.choices.path.resolve().parent
        self.tops = list(self._sources(world, Source(world, self.version, folder)))
        if not self.tops:
            world.fail("there is no <model>", do="a file of SDF has a model, or a world with models")
        for source in self.tops:
            self._model(source, scope, self.world, f"{source.name}::" if len(self.tops) > 1 else "")
        self._parts(world, scope, self.world, self.version)
        self._resolve()

    def _sources(self, owner: Element, within: Source) -> Iterator[Source]:
        """Models that stand in a model or in the world, or are included there."""
        for element in owner.children("model", "include"):
            if element.tag == "model":
                yield Source(element, within.version, within.folder, depth=within.depth)
            else:
                found = self.files.included(element, within)
                if found is not None:
                    yield found

    # ---- one model --------------------------------------------------------------------------------

    def _model(self, source: Source, outer: Scope, home: Spot, prefix: str) -> Scope:
        element, include = source.element, source.include
        if prefix.count("::") > MOST_NESTED:
            element.fail(f"models are nested more than {MOST_NESTED} deep", do="check that this is a model")
        element.get("name")  # though an <include> may say another
        own = Spot(prefix.removesuffix("::") or source.name, "model", include or element)
        static = source.static or outer.static
        scope = outer
        if include is None or not attribute_flag(include, "merge"):
            scope = Scope(prefix, own, self.world, static)
            outer.inner[source.name] = scope
            self._declare(outer, source.name, own)
        elif home is self.world:
            include.fail("a model is merged into the world", do="include it without merge")
        if include is not None:
            self.others += include.children("plugin")
        own.pose, within = pose(source.placed_by, self.notes)
        self._names.append((own, "base", within, outer, home))
        self.models.append((own, source, scope))
        first = len(self.links)
        self._parts(element, scope, own, source.version)
        inner = [
            self._model(one, scope, own, f"{scope.prefix}{one.name}::")
            for one in self._sources(element, source)
        ]
        canonical = (element.get("canonical_link") or "").strip()
        if static:
            own.carrier = self.world
        elif canonical:
            self._names.append((own, "carrier", canonical, scope, own))
        elif len(self.links) > first:
            own.carrier = self.links[first].spot  # its own first link, or that of the first model in it
        else:
            own.carrier = inner[0].home if inner and inner[0] is not scope else self.world
        self.notes.aside(element.children(*_WITHOUT_EFFECT), "it has no effect on the dynamics")
        self.others += element.others("link", "joint", "frame", "model", "include", "pose", "static")
        return scope

    def _parts(self, owner: Element, scope: Scope, home: Spot, version: Version) -> None:
        """Links, frames and joints that stand in a model themselves, or in the world."""
        for element in owner.children("link"):
            if element.get("name") == WORLD_NAME:
                what = "link 'world' is the ground, as that name means it wherever a joint says it"
                self.notes.add("warning", "names", element, what, "give it another name, or leave it out")
                self.grounds.append(Link(self.world, element, scope, self.world, True))
                continue
            spot = self._spot(element, "link", scope, home)
            self.links.append(Link(spot, element, scope, home, scope.static))
        for element in owner.children("frame"):
            spot = self._spot(element, "frame", scope, home, (element.get("attached_to") or "").strip())
            self.frames.append(spot)
        for element in owner.children("joint"):
            spot = self._spot(element, "joint", scope, home, _end(element, "child"))
            self._joints.append((element, spot, scope, home, version))

    def _spot(self, element: Element, kind: str, scope: Scope, home: Spot, leans_on: str = "") -> Spot:
        """A frame. What it leans on carries it, and is what its pose is measured in unless it says another."""
        name = element.string("name")
        spot = Spot(scope.prefix + name, kind, element)
        spot.pose, within = pose(element, self.notes)
        self._names.append((spot, "base", within or leans_on, scope, home))
        if kind != "link":
            self._names.append((spot, "carrier", leans_on, scope, home))
        self._declare(scope, name, spot)
        return spot

    def _declare(self, scope: Scope, name: str, spot: Spot) -> None:
        first = scope.declare(name, spot)
        if first is None:
            return
        assert spot.element is not None
        assert first.element is not None
        line = first.element.place.line
        if first.kind == spot.kind:
            spot.element.fail(
                f"a second {spot.kind} is named {name!r}; the first stands in line {line}",
                do="give each its own name",
            )
        what = f"{spot.kind} {name!r} has the name of a {first.kind} (line {line}), which is meant where it is named"
        self.notes.add("warning", "names", spot.element, what, "give each its own name")

    # ---- what leans on what -----------------------------------------------------------------------

    def _resolve(self) -> None:
        for spot, which, name, scope, home in self._names:
            assert spot.element is not None
            what = f"the frame in which {spot.kind} {spot.label!r} stands"
            found = scope.find(name, home, spot.element, what) if name else home
            setattr(spot, which, found)
        for own, source, scope in reversed(self.models):  # what is in a model before it
            if source.placement:
                self._place(own, source, scope)
        listed = [link.spot for link in self.links] + self.frames + [own for own, *_ in self.models]
        settle([*listed, *(spot for _, spot, *_ in self._joints)])
        for element, spot, scope, home, version in self._joints:
            ends = [
                scope.find(_end(element, end), home, element, f"the {end} of joint {spot.label!r}")
                for end in ("parent", "child")
            ]
            self.joints.append(Joined(element, spot, scope, home, version, *ends))

    def _place(self, own: Spot, source: Source, scope: Scope) -> None:
        """The pose that is written is that of a frame in the model: X_WM = X_WF X_MF⁻¹."""
        name = source.placement
        spot = scope.find(name, own, source.element, f"the placement frame of {own.label!r}")
        X_MF, count = Pose.identity(), 0
        while spot is not own:
            X_MF = spot.pose @ X_MF
            count += 1
            if spot.base is None or count > len(self._names):
                source.element.fail(
                    f"the placement frame {name!r} does not stand in its model", do="name a frame in it"
                )
            spot = spot.base
        own.pose = own.pose @ X_MF.inverse()


def _end(joint: Element, end: str) -> str:
    """Of a joint: the name of its parent or child."""
    name = word(joint, end)
    if not name:
        joint.fail(f"joint{joint.named()} has no <{end}>", do=f"name a link in <{end}>")
    return name
