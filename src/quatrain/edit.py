"""Models from models: bodies merged, joints fixed, parts taken out and put together. Nothing is changed in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from quatrain.equations.pseudo_inertia import PseudoInertia
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, SymMat3, Vec3, symmetric_outer
from quatrain.model import WORLD, Body, Frame, Joint, Model


def depth_first(model: Model) -> Model:
    """The same bodies, children right after their parents, in the order they had."""
    children: dict[int, list[int]] = {}
    for k, body in enumerate(model.bodies):
        children.setdefault(body.parent, []).append(k)
    order: list[int] = []
    pending = list(reversed(children.get(WORLD, [])))
    while pending:
        k = pending.pop()
        order.append(k)
        pending += reversed(children.get(k, []))
    return _rearranged(model, order)


def _rearranged(model: Model, order: Sequence[int]) -> Model:
    place = {WORLD: WORLD, **{old: new for new, old in enumerate(order)}}
    bodies = tuple(replace(model.bodies[k], parent=place[model.bodies[k].parent]) for k in order)
    frames = tuple(replace(f, body=place[f.body]) for f in model.frames if f.body in place)
    return replace(model, bodies=bodies, frames=frames)


def merged_fixed(model: Model) -> Model:
    """Bodies on fixed joints become parts of their parents, and frames of their names; on the ground, frames alone."""
    kept: list[Body] = []
    frames: list[Frame] = []
    where: dict[int, tuple[int, Pose]] = {WORLD: (WORLD, Pose.identity())}
    for k, body in enumerate(model.bodies):
        parent, X_NP = where[body.parent]  # N, the body that its parent has become part of
        if body.joint.kind == "fixed":
            X_NB = X_NP @ body.joint.X_PJ @ body.joint.X_MB
            where[k] = (parent, X_NB)
            frames.append(Frame(body.name, parent, X_NB))
            if parent != WORLD:
                kept[parent] = _with_load(kept[parent], body, X_NB)
        else:
            where[k] = (len(kept), Pose.identity())
            joint = replace(body.joint, X_PJ=X_NP @ body.joint.X_PJ)
            kept.append(replace(body, parent=parent, joint=joint))
    for frame in model.frames:
        body_number, X_NB = where[frame.body]
        frames.append(replace(frame, body=body_number, X_BF=X_NB @ frame.X_BF))
    return replace(model, bodies=tuple(kept), frames=tuple(frames))


def _with_load(body: Body, load: Body, X_BL: Pose) -> Body:
    """A body with another one fixed to it."""
    both = PseudoInertia.of_body(body.mass, body.p_BBcm, body.I_Bcm_B) + PseudoInertia.of_body(
        load.mass, load.p_BBcm, load.I_Bcm_B
    ).moved(X_BL.q.to_matrix(), X_BL.p)
    if both.m == 0:
        center, Pi_cm = Vec3.zero(), both.Pi
    else:
        center = both.h / both.m
        Pi_cm = both.Pi - symmetric_outer(center) * both.m
    trace = Pi_cm.trace()
    return replace(body, mass=both.m, p_BBcm=center, I_Bcm_B=SymMat3.diagonal(trace, trace, trace) - Pi_cm)


def fix_joint(model: Model, joint: str, value: float | Sequence[float] = 0.0) -> Model:
    """The joint stays at a value of its coordinates and is a fixed one: its body remains, until `merged_fixed`."""
    from quatrain.equations.kinematics import frame_pose

    k = _joint_number(model, joint)
    body = model.bodies[k]
    given = [float(value)] if isinstance(value, (int, float)) else [float(x) for x in value]
    if len(given) != body.joint.nq:
        raise ArgumentError(
            f"joint {joint!r} has {body.joint.nq} coordinates, and {len(given)} came", do="give one for each"
        )
    alone = Model(model.name, (replace(body, parent=WORLD, joint=replace(body.joint, X_PJ=Pose.identity())),))
    X_JB = frame_pose(alone, given, body.name)
    fixed = Joint(joint, "fixed", body.joint.X_PJ @ X_JB)
    return _with_body(model, k, replace(body, joint=fixed))


def subtree(model: Model, body: str, *, name: str | None = None) -> Model:
    """A body with all that hangs on it; its joint stands on the ground where the parent's frame was."""
    root = _body_number(model, body)
    inside = {root}
    for k, one in enumerate(model.bodies):
        if one.parent in inside:
            inside.add(k)
    order = sorted(inside)
    place = {old: new for new, old in enumerate(order)}
    bodies = tuple(
        replace(model.bodies[k], parent=WORLD if k == root else place[model.bodies[k].parent]) for k in order
    )
    frames = tuple(replace(f, body=place[f.body]) for f in model.frames if f.body in place)
    return Model(name or body, bodies, frames, model.gravity)


def attach(
    model: Model, other: Model, *, to: str = "world", at: Pose | None = None, prefix: str = ""
) -> Model:
    """Another model put onto a frame of this one; its names get the prefix, its ground becomes that frame."""
    frame = model.frame(to)
    X_BG = frame.X_BF @ (at or Pose.identity())
    start = model.nb

    def moved(body: Body) -> Body:
        on_ground = body.parent == WORLD
        joint = replace(
            body.joint,
            name=prefix + body.joint.name,
            X_PJ=X_BG @ body.joint.X_PJ if on_ground else body.joint.X_PJ,
        )
        parent = frame.body if on_ground else body.parent + start
        return replace(body, name=prefix + body.name, parent=parent, joint=joint)

    frames = tuple(
        Frame(
            prefix + f.name,
            frame.body if f.body == WORLD else f.body + start,
            X_BG @ f.X_BF if f.body == WORLD else f.X_BF,
        )
        for f in other.frames
    )
    taken = {*model.frame_names}
    clash = [n for n in (*(prefix + b.name for b in other.bodies), *(f.name for f in frames)) if n in taken]
    if clash:
        raise ArgumentError(
            f"{clash[0]!r} is in both models ({len(clash)} names are)", do="pass prefix='second_' or the like"
        )
    joined = replace(
        model, bodies=(*model.bodies, *map(moved, other.bodies)), frames=(*model.frames, *frames)
    )
    return depth_first(joined)


def merge(models: Sequence[Model], *, name: str) -> Model:
    """Several models on one ground, with the gravity of the first."""
    whole = replace(models[0], name=name)
    for other in models[1:]:
        whole = attach(whole, other)
    return replace(whole, name=name)


def reroot(model: Model, body: str) -> Model:
    """The same machine with another body nearest to the ground: the joints on the way there are reversed.

    The first body must be free. Angles and lengths of the reversed joints keep their values; a ball's quaternion
    becomes its conjugate. The new root is free, with its pose in the world for coordinates.
    """
    root = _body_number(model, body)
    path = [root]
    while model.bodies[path[-1]].parent != WORLD:
        path.append(model.bodies[path[-1]].parent)
    first = model.bodies[path[-1]]
    if first.joint.kind != "free":
        raise ArgumentError(
            f"{first.name!r} hangs on a {first.joint.kind} joint, so {body!r} cannot carry it",
            do="reroot a model whose first body is free",
        )
    bodies = list(model.bodies)
    bodies[root] = replace(bodies[root], parent=WORLD, joint=replace(first.joint, X_MB=Pose.identity()))
    for child, parent in pairwise(path):
        bodies[parent] = replace(bodies[parent], parent=child, joint=_reversed(model.bodies[child].joint))
    order = [root]
    while len(order) < len(bodies):
        order += [k for k, one in enumerate(bodies) if k not in order and one.parent in order]
    return depth_first(_rearranged(replace(model, bodies=tuple(bodies)), order))


def _reversed(joint: Joint) -> Joint:
    """The joint seen from its other side: the child is the parent, the same coordinate moves the same way apart."""
    if joint.kind not in ("fixed", "revolute", "continuous", "prismatic", "helical", "ball"):
        raise ArgumentError(
            f"joint {joint.name!r} is {joint.kind}, whose motions have an order",
            do="reroot within other joints",
        )
    return replace(
        joint,
        X_PJ=joint.X_MB.inverse(),
        X_MB=joint.X_PJ.inverse(),
        axes=tuple(-axis for axis in joint.axes),
    )


def _with_body(model: Model, k: int, body: Body) -> Model:
    return replace(model, bodies=(*model.bodies[:k], body, *model.bodies[k + 1 :]))


def _body_number(model: Model, name: str) -> int:
    if name not in model.body_names:
        raise ArgumentError(
            f"{model.name} has no body {name!r}", do=f"name one of {', '.join(model.body_names)}"
        )
    return model.body_names.index(name)


def _joint_number(model: Model, name: str) -> int:
    if name not in model.joint_names:
        raise ArgumentError(
            f"{model.name} has no joint {name!r}", do=f"name one of {', '.join(model.joint_names)}"
        )
    return model.joint_names.index(name)
