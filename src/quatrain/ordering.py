"""Bodies in the order that a model asks for, and states that remain the same states of a model with other bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quatrain.equipment import Keyframe
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar

# ---- order --------------------------------------------------------------------------------------------


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
    return model if order == list(range(model.nb)) else chosen(model, order)


def chosen(model: Model, order: Sequence[int]) -> Model:
    """These bodies in this order, and what belongs to them; a parent that is not among them is the ground's."""
    new_number = {WORLD: WORLD, **{old: new for new, old in enumerate(order)}}
    bodies = tuple(
        replace(model.bodies[k], parent=new_number.get(model.bodies[k].parent, WORLD)) for k in order
    )
    whole = len(order) == model.nb
    frames = tuple(
        replace(f, body=new_number[f.body])
        for f in model.frames
        if f.body in new_number and (whole or f.body >= 0)
    )
    shapes = tuple(
        replace(s, body=new_number[s.body])
        for s in model.shapes
        if s.body in new_number and (whole or s.body >= 0)
    )
    chosen = replace(model, bodies=bodies, frames=frames, shapes=shapes)
    return with_states(chosen, states_of(model))


# ---- states that follow -------------------------------------------------------------------------------

State = Mapping[str, tuple[Sequence[Scalar], Sequence[Scalar]]]
"""By joint, its entries of q and of v."""


def states_of(model: Model) -> dict[str, State]:
    """The keyframes, joint by joint."""
    return {
        key.name: {
            body.joint.name: (key.q[i : i + body.joint.nq], key.v[j : j + body.joint.nv])
            for body, i, j in zip(model.bodies, model.q_starts, model.v_starts, strict=True)
            if body.joint.nq
        }
        for key in model.keyframes
    }


def with_states(model: Model, states: Mapping[str, State]) -> Model:
    """With these keyframes; a joint that one does not name is at zero."""
    keyframes = []
    for name, state in states.items():
        q: list[Scalar] = []
        v: list[Scalar] = []
        for joint in (body.joint for body in model.bodies if body.joint.nq):
            own_q, own_v = state.get(joint.name, (joint.neutral, (0.0,) * joint.nv))
            q += own_q
            v += own_v
        keyframes.append(Keyframe(name, tuple(q), tuple(v)))
    return replace(model, keyframes=tuple(keyframes))
