"""Models from models: bodies merged, joints fixed, parts taken out and put together. Nothing is changed in place.

Frames, shapes and actuators go with what they belong to, and a keyframe remains the same state of the new model, so a
keyframe also tells where a state of the old model is in the new one. Extras are kept as they stand. What bodies were
before `merged_fixed` is forgotten by `subtree`, by `reroot`, and of names that get a prefix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from quatrain.builder_options import coordinates_of
from quatrain.equations.kinematics import frame_pose, frame_velocity
from quatrain.equipment import Actuator, Keyframe, Shape
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Pose, Quaternion, Vec3, dot
from quatrain.joint import Joint, Mimic
from quatrain.merging import merged_fixed, split_fixed
from quatrain.model import WORLD, Body, Model
from quatrain.ordering import State, chosen, depth_first, states_of, with_states
from quatrain.scalar import Scalar

__all__ = ["attach", "depth_first", "fix_joint", "merge", "merged_fixed", "reroot", "split_fixed", "subtree"]


def _with_own_actuators(model: Model) -> Model:
    """Without the actuators whose joint or frame is gone."""
    there = {*(body.joint.name for body in model.bodies if body.joint.kind != "fixed")}
    places = {*model.frame_names, "world"}
    kept = tuple(a for a in model.actuators if (a.joint in there if a.frame is None else a.frame in places))
    return replace(model, actuators=kept)


# ---- joints that stay -----------------------------------------------------------------------------------


def fix_joint(model: Model, joint: str, value: float | Iterable[float] | None = None) -> Model:
    """The joint stays at a value of its coordinates (zero, if none is given), and so do those that follow it.

    Its body remains, on a fixed joint, until `merged_fixed`; actuators on it are gone.
    """
    _require_model(model)
    chosen = model.bodies[_number(model, joint, model.joint_names, "joint")].joint
    if chosen.mimic is not None:
        raise ArgumentError(
            f"joint {joint!r} follows {chosen.mimic.joint!r}", do="fix that one, and this one stays as well"
        )
    q = chosen.neutral if value is None else coordinates_of(chosen, value)
    mover = model.joint_names.index(joint)
    bodies = [
        _standing(body, [drive.ratio * x + drive.offset for x in q] if body.joint.mimic else q)
        if drive.body == mover and body.joint.kind != "fixed"
        else body
        for body, drive in zip(model.bodies, model.drives, strict=True)
    ]
    fixed = _with_own_actuators(replace(model, bodies=tuple(bodies)))
    return with_states(fixed, states_of(model))


def _standing(body: Body, q: Sequence[Scalar]) -> Body:
    """The body, fixed to its parent where its joint holds it at q."""
    joint = replace(body.joint, X_PJ=Pose.identity(), mimic=None)
    X_JB = frame_pose(Model("", (replace(body, parent=WORLD, joint=joint),)), q, body.name)
    return replace(body, joint=Joint(joint.name, "fixed", body.joint.X_PJ @ X_JB))


# ---- parts and wholes ---------------------------------------------------------------------------------


def subtree(model: Model, body: str, *, name: str | None = None) -> Model:
    """A body with all that hangs on it; its joint stands on the ground as it stood in its parent's frame."""
    _require_model(model)
    inside = {_number(model, body, model.body_names, "body")}
    for k, one in enumerate(model.bodies):
        if one.parent in inside:
            inside.add(k)
    order = sorted(inside)
    movers = {model.joint_names[k] for k in order}
    for k in order:
        follows = model.bodies[k].joint.mimic
        if follows is not None and follows.joint not in movers:
            raise ArgumentError(
                f"joint {model.joint_names[k]!r} follows {follows.joint!r}, which is not beyond {body!r}",
                do="fix one of them first, or take the part that holds both",
            )
    return replace(_with_own_actuators(chosen(model, order)), name=name or body, unmerged=None)


def attach(
    model: Model, other: Model, *, to: str = "world", at: Pose | None = None, prefix: str = ""
) -> Model:
    """Another model put onto a frame of this one: its ground becomes that frame, moved by `at`.

    Its names get the prefix; keyframes of one name (with the prefix) become one state of both.
    """
    _require_model(model)
    _require_model(other, "other")
    if at is not None:
        require(at, Pose, "at")
    frame = model.frame(to)
    X_BG = frame.X_BF @ (at or Pose.identity())
    added = _prefixed(other, prefix)
    frames_taken, joints_taken = {*model.frame_names}, {*model.joint_names}
    clash = [name for name in added.frame_names if name in frames_taken]
    clash += [name for name in added.joint_names if name in joints_taken]
    if clash:
        raise ArgumentError(
            f"{model.name} and {other.name} both have {clash[0]!r}"
            + (f" and {len(clash) - 1} more names" if clash[1:] else ""),
            do="pass prefix='second_' or the like",
        )

    def carrier(body: int) -> int:
        return frame.body if body == WORLD else body + model.nb

    def place(body: int, X: Pose) -> Pose:
        return X_BG @ X if body == WORLD else X

    bodies = tuple(
        replace(
            one, parent=carrier(one.parent), joint=replace(one.joint, X_PJ=place(one.parent, one.joint.X_PJ))
        )
        for one in added.bodies
    )
    frames = tuple(replace(f, body=carrier(f.body), X_BF=place(f.body, f.X_BF)) for f in added.frames)
    shapes = tuple(replace(s, body=carrier(s.body), X_BG=place(s.body, s.X_BG)) for s in added.shapes)
    states, more = states_of(model), states_of(added)
    joined = replace(
        model,
        bodies=(*model.bodies, *bodies),
        frames=(*model.frames, *frames),
        shapes=(*model.shapes, *shapes),
        actuators=(*model.actuators, *added.actuators),
        extras=(*model.extras, *added.extras),
        folders=tuple(dict.fromkeys((*model.folders, *added.folders))),
        keyframes=(),
    )
    both = {name: {**states.get(name, {}), **more.get(name, {})} for name in (*states, *more)}
    return depth_first(with_states(joined, both))


def _prefixed(model: Model, prefix: str) -> Model:
    """With the prefix before every name but the model's own; what extras say inside is not read, and stays."""
    if not prefix:
        return model

    def joint(one: Joint) -> Joint:
        follows = one.mimic and Mimic(prefix + one.mimic.joint, one.mimic.ratio, one.mimic.offset)
        return replace(one, name=prefix + one.name, mimic=follows)

    def actuator(one: Actuator) -> Actuator:
        return replace(
            one,
            name=prefix + one.name,
            joint=None if one.joint is None else prefix + one.joint,
            frame=one.frame if one.frame in (None, "world") else f"{prefix}{one.frame}",
        )

    def shape(one: Shape) -> Shape:
        return replace(one, name=prefix + one.name if one.name else "")

    return replace(
        model,
        unmerged=None,
        bodies=tuple(replace(one, name=prefix + one.name, joint=joint(one.joint)) for one in model.bodies),
        frames=tuple(replace(one, name=prefix + one.name) for one in model.frames),
        shapes=tuple(map(shape, model.shapes)),
        actuators=tuple(map(actuator, model.actuators)),
        keyframes=tuple(replace(one, name=prefix + one.name) for one in model.keyframes),
        extras=tuple(replace(one, name=prefix + one.name) for one in model.extras),
    )


def merge(models: Sequence[Model] | Mapping[str, Model], *, name: str) -> Model:
    """Several models on one ground, with the gravity of the first.

    Given by prefixes, `{"left_": arm, "right_": arm}`, their names get these.
    """
    if not models:
        raise ArgumentError("no models came to be merged", do="pass at least one")
    given = models.items() if isinstance(models, Mapping) else (("", model) for model in models)
    (prefix, first), *others = given
    _require_model(first)
    whole = _prefixed(first, prefix)
    for prefix, other in others:
        whole = attach(whole, other, prefix=prefix)
    return replace(whole, name=name)


# ---- another root -------------------------------------------------------------------------------------


def reroot(model: Model, body: str) -> Model:
    """The same machine with another body nearest to the ground: the joints on the way there are reversed.

    The first body must be free. Angles and lengths of the reversed joints keep their values; a ball's quaternion
    becomes its conjugate. The new root is free, with its pose in the world for coordinates.
    """
    _require_model(model)
    root = _number(model, body, model.body_names, "body")
    path = [root]
    while model.bodies[path[-1]].parent != WORLD:
        path.append(model.bodies[path[-1]].parent)
    first = model.bodies[path[-1]]
    if first.joint.kind != "free":
        raise ArgumentError(
            f"{first.name!r} hangs on a {first.joint.kind} joint, so {body!r} cannot carry it",
            do="reroot a model whose first body is free",
        )
    for name in ("armature", "damping", "friction", "stiffness"):
        if any(getattr(first.joint, name)):
            raise ArgumentError(
                f"{name} of {first.joint.name!r} resists the motion of {first.name!r} in the world",
                do="leave it out: another root cannot carry it",
            )
    bodies = list(model.bodies)
    bodies[root] = replace(bodies[root], parent=WORLD, joint=replace(first.joint, X_MB=Pose.identity()))
    for child, parent in pairwise(path):
        bodies[parent] = replace(bodies[parent], parent=child, joint=_reversed(model.bodies[child].joint))
    states = {
        key.name: _rerooted(model, key, state, [model.bodies[k] for k in path])
        for key, state in zip(model.keyframes, states_of(model).values(), strict=True)
    }
    turned = depth_first(replace(model, bodies=tuple(bodies), keyframes=(), unmerged=None))
    return with_states(turned, states)


def _reversed(joint: Joint) -> Joint:
    """The joint seen from its other side: the child is the parent, the same coordinate moves the same way apart."""
    if len(joint.motions) > 1:
        raise ArgumentError(
            f"joint {joint.name!r} is {joint.kind}: its motions have an order, and reversed it is none of the kinds",
            do="choose a root that is not beyond it",
        )
    if joint.kind == "ball":
        for name in ("armature", "damping", "friction", "stiffness"):
            if len({*getattr(joint, name)}) > 1:
                raise ArgumentError(
                    f"{name} of the ball {joint.name!r} is not the same about every axis, and its axes are the child's",
                    do="make it the same, or choose a root that is not beyond it",
                )
        joint = replace(joint, rest=tuple(Quaternion(*joint.rest).conjugate()) if joint.rest else ())
    return replace(
        joint,
        X_PJ=joint.X_MB.inverse(),
        X_MB=joint.X_PJ.inverse(),
        axes=tuple(-axis for axis in joint.axes),
    )


def _rerooted(model: Model, key: Keyframe, state: State, path: Sequence[Body]) -> State:
    """The state in the coordinates of the new root, which is the first of the path."""
    base = path[-1].joint
    X_JB = base.X_PJ.inverse() @ frame_pose(model, key.q, path[0].name)
    linear, _ = frame_velocity(model, key.q, key.v, path[0].name)
    _, angular = frame_velocity(model, key.q, key.v, path[0].name, axes="body")
    linear_J = base.X_PJ.q.inverse_rotate(Vec3(*linear))
    moved = dict(state)
    for body in path[:-1]:
        if body.joint.kind == "ball":
            q, w = (part for part in state[body.joint.name])
            back = Quaternion(*q)
            moved[body.joint.name] = (tuple(back.conjugate()), tuple(-back.rotate(Vec3(*w))))
    moved[base.name] = (
        (*(dot(axis, X_JB.p) for axis in base.axes), *X_JB.q),
        (*(dot(axis, linear_J) for axis in base.axes), *angular),
    )
    return moved


# ---- names --------------------------------------------------------------------------------------------


def _require_model(model: object, name: str = "model") -> None:
    if not isinstance(model, Model) and isinstance(getattr(model, "model", None), Model):
        raise ArgumentError(
            f"{name} is a {type(model).__name__}; edits are made of its model", do="pass robot.model"
        )
    require(model, Model, name)


def _number(model: Model, name: str, names: Sequence[str], kind: str) -> int:
    if name not in names:
        raise ArgumentError(f"{model.name} has no {kind} {name!r}", do=f"name one of {', '.join(names)}")
    return names.index(name)
