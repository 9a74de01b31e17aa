"""SDF 1.4 and later, as http://sdformat.org defines it: models and worlds, with what they nest and include.

sdf_parts.py   what there is       sdf_frames.py  named frames      sdf_sources.py  files
sdf_joints.py  joints              sdf_tree.py    a tree of them    sdf_links.py, sdf_shapes.py  links
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import replace

from quatrain.formats.reading import Choices, Notes, Reading
from quatrain.formats.sdf_frames import Spot, body_of, relative
from quatrain.formats.sdf_joints import GEARBOX, Joined, joint_of, turned
from quatrain.formats.sdf_links import body_of_link, others_of, shapes_of
from quatrain.formats.sdf_parts import Link, Parts
from quatrain.formats.sdf_tree import Step, tree_of
from quatrain.formats.sdf_values import vector
from quatrain.formats.source import Element, Place, some
from quatrain.geometry import Pose, Vec3
from quatrain.model import AXES, STANDARD_GRAVITY, WORLD, Body, Frame, Joint, Keyframe, Model

_GRAVITY = Vec3(0.0, 0.0, -9.8)
"""Of a world that says nothing of it."""
_ZERO = Vec3(0.0, 0.0, 0.0)


def read_sdf(root: Element, choices: Choices) -> Reading:
    """The model of an <sdf>."""
    return _Sdf(root, choices).read()


class _Sdf:
    def __init__(self, root: Element, choices: Choices) -> None:
        self.root, self.choices, self.notes = root, choices, Notes()
        self.parts = Parts(choices, self.notes, root)
        self.bodies: list[Body] = []
        self.kept: list[Element] = []
        self.frames: dict[str, Spot] = {}
        self.taken: set[str] = set()

    def read(self) -> Reading:
        parts, notes = self.parts, self.notes
        world = self._world()
        parts.collect(world)
        gravity = self._gravity(world)
        numbers = self._bodies()
        links = [*parts.grounds, *parts.links]
        shapes = [s for link in links for s in shapes_of(link, numbers[id(link.spot)], notes)]
        frames = tuple(self._frames(numbers))
        others = [*self.kept, *parts.others, *(e for link in links for e in others_of(link, notes))]
        name = world.get("name") or "world"
        if len(parts.tops) == 1:
            name = parts.tops[0].name
        model = Model(name, tuple(self.bodies), frames, gravity, shapes=tuple(shapes))
        extras = notes.kept(element for element in [*others, *self._of_world(world)] if not element._taken)
        model = replace(model, keyframes=self._start(model), extras=extras)
        notes.ignored(*parts.files.roots)
        held: dict[str, Sized] = {
            "models": parts.models,
            "links": parts.links,
            "joints": parts.joints,
            "shapes": shapes,
        }
        counts = tuple((what, len(listed)) for what, listed in held.items())
        version = ".".join(map(str, parts.version))
        return Reading(model, f"SDF {version}", counts, tuple(notes.findings), self._places())

    def _world(self) -> Element:
        """The <world>, or the root with its models."""
        worlds = self.root.children("world")
        if len(worlds) > 1:
            worlds[1].fail(
                f"the file has {len(worlds)} worlds: {some(e.get('name') or '?' for e in worlds)}",
                do="keep one in a file",
            )
        if worlds and self.root.has_child("model"):
            self.root.children("model")[0].fail("a model stands beside a world", do="put it into the world")
        return worlds[0] if worlds else self.root

    def _gravity(self, world: Element) -> Vec3:
        tops = self.parts.tops
        if len(tops) > 1:
            what = f"{len(tops)} models are read as one machine: {some(top.name for top in tops)}"
            self.notes.add("info", "assumed", world, f"{what}; names in them begin with model::")
        if world.tag != "world":
            return STANDARD_GRAVITY
        wind = world.child("wind")
        if wind is not None and vector(wind, "linear_velocity", _ZERO).norm() > 0:
            self.notes.add("warning", "ignored", wind, "wind is not modelled here")
        if not world.has_child("gravity"):
            what = "gravity is 9.8 m/s², as in every world of SDF that does not say it"
            self.notes.add("info", "assumed", world, what)
        return vector(world, "gravity", _GRAVITY)

    def _of_world(self, world: Element) -> list[Element]:
        return world.others("model", "include", "link", "joint", "frame", "gravity", "wind")

    # ---- the tree ---------------------------------------------------------------------------------

    def _bodies(self) -> dict[int, int]:
        """Bodies, and the number of each link's."""
        parts = self.parts
        links = {id(link.spot): link for link in parts.links}
        held = [link.spot for link in parts.links if link.static]
        loose = [link.spot for link in parts.links if not link.static]
        joints = list(self._joining({id(parts.world), *map(id, held)}))
        tree = tree_of(loose, joints, parts.world, held)
        for joined in tree.loops:
            self._keep(joined, "closes a loop, which the tree here leaves open")
        numbers = {id(parts.world): WORLD}
        for step in tree.steps:
            link = links[id(step.link)]
            joint = self._root(step, link) if step.joined is None else self._joint(step, step.joined)
            numbers[id(step.link)] = len(self.bodies)
            self.bodies.append(body_of_link(link, numbers[id(step.parent)], joint, self.notes))
        if self.choices.base == "floating" and all(body.joint.kind != "free" for body in self.bodies):
            (joints[0].element if joints else self.root).fail(
                "nothing in this file floats: a joint holds it to the world",
                do="take the joint to the world away, or leave out base='floating'",
            )
        return numbers

    def _joining(self, ground: set[int]) -> Iterator[Joined]:
        """Joints that let something move; others are kept as they are written."""
        for joined in self.parts.joints:
            parent, child = body_of(joined.parent), body_of(joined.child)
            if joined.kind == GEARBOX:
                self._keep(joined, "is a gearbox between joints, which is not modelled here")
            elif parent is child or ground.issuperset((id(parent), id(child))):
                self._keep(joined, "joins what cannot move apart")
            else:
                yield joined

    def _keep(self, joined: Joined, why: str) -> None:
        what = (
            f"joint {joined.spot.label!r} {why}: it is kept in model.extras, without effect on the dynamics"
        )
        self.notes.add("warning", "loop", joined.element, what)
        joined.element._taken = False
        self.kept.append(joined.element)

    def _joint(self, step: Step, joined: Joined) -> Joint:
        joint = joint_of(joined, self.choices, self.notes)
        if not step.backwards:
            return joint
        what = (
            f"joint {joint.name!r} is read from its child to its parent, as the child is nearer to the ground"
        )
        self.notes.add("info", "reversed", joined.element, what)
        return turned(joint)

    def _root(self, step: Step, link: Link) -> Joint:
        """How a link that no joint carries stands in the world."""
        label, asked = link.spot.label, self.choices.base
        X_WL = relative(self.parts.world, link.spot)
        if link.static and not (asked == "floating" and len(self.parts.tops) == 1):
            return Joint(self._unused(f"{label}_fixed"), "fixed", X_WL)
        if asked == "fixed":
            self.notes.add("info", "assumed", link.element, f"{label!r} is fixed to the ground, as asked")
            return Joint(self._unused(f"{label}_fixed"), "fixed", X_WL)
        how = "as asked" if asked == "floating" else "as it is neither static nor joined to the world"
        self.notes.add("info", "assumed", link.element, f"{label!r} floats, {how}; base='fixed' holds it")
        return Joint(self._unused("root", f"{label}_root"), "free", axes=AXES)

    def _unused(self, *names: str) -> str:
        """The first of these that no joint has, if need be with a stroke behind it."""
        taken = self.taken or {joined.spot.label for joined in self.parts.joints}
        self.taken = taken
        name = next((name for name in names if name not in taken), names[-1])
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    def _start(self, model: Model) -> tuple[Keyframe, ...]:
        """Where the file places what floats, if not in the origin."""
        spots = {link.spot.label: link.spot for link in self.parts.links}
        q: list[float] = []
        placed = False
        for body in model.bodies:
            if body.joint.kind == "free":
                X_WB = relative(self.parts.world, spots[body.name])
                placed = placed or not _is_identity(X_WB)
                q += [*X_WB.p, *X_WB.q]
            else:
                q += body.joint.neutral
        return (Keyframe("start", tuple(q), (0.0,) * model.nv),) if placed else ()

    # ---- names ------------------------------------------------------------------------------------

    def _frames(self, numbers: dict[int, int]) -> Iterator[Frame]:
        """Explicit ones, and those of models within models."""
        taken = {link.spot.label for link in self.parts.links} | {"world"}
        inner = [own for own, source, _ in self.parts.models if source not in self.parts.tops]
        for spot in (*self.parts.frames, *inner):
            link = body_of(spot)
            label = spot.label
            while label in taken:
                label += "_frame"
            taken.add(label)
            self.frames[label] = spot
            yield Frame(label, numbers[id(link)], relative(link, spot))

    def _places(self) -> dict[str, Place]:
        named = [("body", link.spot.label, link.spot) for link in self.parts.links]
        named += [("joint", joined.spot.label, joined.spot) for joined in self.parts.joints]
        named += [("frame", label, spot) for label, spot in self.frames.items()]
        return {f"{kind} {label!r}": s.element.place for kind, label, s in named if s.element is not None}


def _is_identity(X: Pose) -> bool:
    return X.q == Pose.identity().q and X.p == _ZERO
