"""Bodies on fixed joints become parts of others, and bodies again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.equipment import Shape
from quatrain.geometry import Pose, SymMat3, Vec3, symmetric_outer
from quatrain.model import WORLD, Body, Frame, Model
from quatrain.ordering import depth_first, states_of, with_states

Places = dict[int, tuple[int, Pose]]
"""By the number of a body, the body that it has become part of, and where it stands in that one."""


def merged_fixed(model: Model) -> Model:
    """Bodies on fixed joints become parts of their parents, and frames of their names; on the ground, frames alone.

    `split_fixed` makes them bodies again.
    """
    if model.unmerged is not None and any(body.joint.kind == "fixed" for body in model.bodies):
        model = split_fixed(model)
    merged, _ = _merged(model)
    if merged is model:
        return model
    before = replace(model, folders=(), actuators=(), keyframes=(), extras=(), unmerged=None)
    return replace(merged, unmerged=before)


def _merged(model: Model) -> tuple[Model, Places]:
    kept: list[Body] = []
    frames: list[Frame] = []
    places: Places = {WORLD: (WORLD, Pose.identity())}
    for k, body in enumerate(model.bodies):
        parent, X_NP = places[body.parent]  # N, the body that its parent has become part of
        if body.joint.kind == "fixed":
            X_NB = X_NP @ body.joint.X_PJ @ body.joint.X_MB
            places[k] = (parent, X_NB)
            frames.append(Frame(body.name, parent, X_NB))
            if parent != WORLD:
                kept[parent] = _with_load(kept[parent], body, X_NB)
        else:
            places[k] = (len(kept), Pose.identity())
            joint = replace(body.joint, X_PJ=X_NP @ body.joint.X_PJ)
            kept.append(replace(body, parent=parent, joint=joint))
    if len(kept) == model.nb:
        return model, places
    frames += [replace(f, body=places[f.body][0], X_BF=places[f.body][1] @ f.X_BF) for f in model.frames]
    shapes = [replace(s, body=places[s.body][0], X_BG=places[s.body][1] @ s.X_BG) for s in model.shapes]
    return replace(model, bodies=tuple(kept), frames=tuple(frames), shapes=tuple(shapes)), places


def _with_load(body: Body, load: Body, X_BL: Pose) -> Body:
    """A body with another one fixed to it."""
    moved = _matter(load).moved(X_BL.q.to_matrix(), X_BL.p)
    return _of_matter(body, _matter(body) + moved)


def _matter(body: Body) -> PseudoInertia:
    return PseudoInertia.of_body(body.mass, body.p_BBcm, body.I_Bcm_B)


def _of_matter(body: Body, matter: PseudoInertia) -> Body:
    if matter.m == 0:
        center, Pi_cm = Vec3.zero(), matter.Pi
    else:
        center = matter.h / matter.m
        Pi_cm = matter.Pi - symmetric_outer(center) * matter.m
    trace = Pi_cm.trace()
    I_Bcm_B = SymMat3.diagonal(trace, trace, trace) - Pi_cm
    return replace(body, mass=matter.m, p_BBcm=center, I_Bcm_B=I_Bcm_B)


# ---- and back -----------------------------------------------------------------------------------------


def split_fixed(model: Model) -> Model:
    """The opposite of `merged_fixed`: what became part of another body is a body again, on its fixed joint.

    Every number is what it was, to the last bit, where nothing has changed since. What has, is kept: a mass that was
    added to a body is added to that body alone, and a joint that was moved stands where it was moved to.
    """
    if model.unmerged is None:
        return model
    split = _Split(model, model.unmerged).model()
    return with_states(depth_first(replace(split, keyframes=())), states_of(model))


class _Split:
    """Three models: now; as it was before; and what merging made of that, which tells what has changed since."""

    def __init__(self, now: Model, before: Model) -> None:
        self.now, self.before = now, before
        self.then, self.places = _merged(before)
        self.numbers_now = {body.name: k for k, body in enumerate(now.bodies)}
        self.bodies: list[Body] = []
        self.numbers = {"world": WORLD}
        """Of the bodies that are made, by name."""

    def model(self) -> Model:
        for k, body in enumerate(self.before.bodies):
            if body.joint.kind == "fixed":
                if self.carrier(body.parent) in self.numbers:
                    self.add(body, self.carrier(body.parent))
            elif body.name in self.numbers_now:
                self.add(*self.moving(k, body))
        for body in self.now.bodies:  # what has come since
            if body.name not in self.numbers:
                self.add(body, _name(self.now, body.parent))
        return replace(
            self.now,
            bodies=tuple(self.bodies),
            frames=tuple(self.frames()),
            shapes=tuple(self.shapes()),
            unmerged=None,
        )

    def carrier(self, number: int) -> str:
        return _name(self.before, number)

    def add(self, body: Body, parent: str) -> None:
        self.numbers[body.name] = len(self.bodies)
        self.bodies.append(replace(body, parent=self.numbers[parent]))

    def moving(self, k: int, body: Body) -> tuple[Body, str]:
        """A body with its own matter alone, and the name of what it stood on."""
        now = self.now.bodies[self.numbers_now[body.name]]
        then = self.then.bodies[self.places[k][0]]
        made = body
        if (now.mass, now.p_BBcm, now.I_Bcm_B) != (then.mass, then.p_BBcm, then.I_Bcm_B):
            less = _matter(then)
            gone = PseudoInertia(-less.m, -less.h, -less.Pi)
            made = _of_matter(body, _matter(body) + (_matter(now) + gone))
        if _name(self.now, now.parent) != _name(self.then, then.parent):
            return replace(made, joint=now.joint), _name(self.now, now.parent)
        X_PJ = body.joint.X_PJ
        if now.joint.X_PJ != then.joint.X_PJ:
            X_PJ = self.places[body.parent][1].inverse() @ now.joint.X_PJ
        return replace(made, joint=replace(now.joint, X_PJ=X_PJ)), self.carrier(body.parent)

    def frames(self) -> Iterator[Frame]:
        """Those of now, on what they stood on if they have not moved; parts are none any more."""
        then = dict(zip([f.name for f in self.before.frames], self.own(self.before.frames), strict=True))
        was = {f.name: f for f in self.before.frames}
        for frame in self.now.frames:
            if frame.name in self.numbers:
                continue
            carrier = _name(self.now, frame.body)
            if then.get(frame.name) == (carrier, frame.X_BF) and self.still(was[frame.name].body):
                old = was[frame.name]
                yield replace(old, body=self.numbers[self.carrier(old.body)])
            else:
                yield replace(frame, body=self.numbers[carrier])

    def shapes(self) -> Iterator[Shape]:
        then = list(zip(self.before.shapes, self.own(self.before.shapes), strict=True))
        for shape in self.now.shapes:
            carrier = _name(self.now, shape.body)
            found = next(
                (k for k, (old, place) in enumerate(then)
                 if place == (carrier, shape.X_BG) and replace(old, body=shape.body, X_BG=shape.X_BG) == shape
                 and self.still(old.body)), None,
            )  # fmt: skip
            if found is None:
                yield replace(shape, body=self.numbers[carrier])
            else:
                old, _ = then.pop(found)
                yield replace(old, body=self.numbers[self.carrier(old.body)])

    def own(self, things: Sequence[Frame] | Sequence[Shape]) -> Iterator[tuple[str, Pose]]:
        """Where merging has put them: the name of the body, and the place in it."""
        for one in things:
            number, X_NB = self.places[one.body]
            X = one.X_BF if isinstance(one, Frame) else one.X_BG
            yield _name(self.then, number), X_NB @ X

    def still(self, number: int) -> bool:
        return self.carrier(number) in self.numbers


def _name(model: Model, number: int) -> str:
    return "world" if number == WORLD else model.bodies[number].name
