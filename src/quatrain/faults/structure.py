"""Names, who carries whom, and who follows whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from quatrain.faults import Fault, finite
from quatrain.joint import JOINT_KINDS
from quatrain.model import WORLD, Model


def names(model: Model) -> Iterator[Fault]:
    """Bodies and frames share one list of names, joints have their own; coordinates are named after their joints."""
    bodies = Counter(model.body_names)
    yield from repeated("body", model.body_names)
    yield from repeated("joint", model.joint_names)
    yield from repeated("frame", [f.name for f in model.frames])
    for frame in model.frames:
        if bodies[frame.name]:
            yield Fault("error", f"frame {frame.name!r}", "a body has this name", "give each its own")
    for name in model.frame_names:
        if name in ("", "world"):
            what = "there is no name" if not name else "this name means the ground"
            yield Fault("error", f"frame {name!r}", what, "choose another")
    if len({*model.joint_names}) == model.nb and all(b.joint.kind in JOINT_KINDS for b in model.bodies):
        yield from repeated("coordinate", model.q_names)


def repeated(kind: str, listed: Sequence[str]) -> Iterator[Fault]:
    for name, count in Counter(listed).items():
        if count > 1:
            yield Fault("error", f"{kind} {name!r}", f"{count} have this name", "give each its own")


def order(model: Model) -> Iterator[Fault]:
    """Every body stands on the ground in the end, and after what carries it."""
    for k, body in enumerate(model.bodies):
        where = f"body {body.name!r}"
        if not (isinstance(body.parent, int) and WORLD <= body.parent < model.nb):
            yield Fault(
                "error",
                where,
                f"its parent is number {body.parent}, and there are {model.nb} bodies",
                f"name one from 0 to {model.nb - 1}, or WORLD ({WORLD})",
            )
        elif body.parent >= k:
            ring = _ring(model, k)
            if ring and k == min(ring):
                around = " → ".join(model.bodies[i].name for i in (*ring, k))
                what = f"it is carried by itself: {around}"
                yield Fault("error", where, what, "let one of them stand on the ground or on another body")
            elif not ring:
                what = f"it comes before {model.bodies[body.parent].name!r}, which carries it"
                yield Fault("error", where, what, "put parents before their children")


def _ring(model: Model, start: int) -> list[int]:
    """The bodies from one through its parents back to it, if they lead there."""
    found, k = [start], model.bodies[start].parent
    while WORLD < k < model.nb and k not in found:
        found.append(k)
        k = model.bodies[k].parent
    return found if k == start else []


def following(model: Model) -> Iterator[Fault]:
    """Joints that follow another one: there is one, both have one freedom, and none follows itself."""
    joints = {body.joint.name: body.joint for body in model.bodies}
    for joint in joints.values():
        mimic, where = joint.mimic, f"joint {joint.name!r}"
        if mimic is None:
            continue
        if not finite(mimic.ratio, mimic.offset):
            what = f"it follows {mimic.joint!r} by {mimic.ratio} q + {mimic.offset}"
            yield Fault("error", where, what, "give a finite ratio and offset")
        elif mimic.ratio == 0:
            what = f"it follows {mimic.joint!r} with the ratio 0, so it never moves"
            yield Fault("error", where, what, "give another ratio, or make it a fixed joint")
        if mimic.joint not in joints:
            what = f"it follows {mimic.joint!r}, which is no joint of {model.name}"
            yield Fault("error", where, what, f"name one of {', '.join(joints)}")
            continue
        for one in (joint, joints[mimic.joint]):
            if one.kind in JOINT_KINDS and one.freedoms != 1:
                what = f"it follows {mimic.joint!r}, and {one.name!r} is a {one.kind} joint"
                yield Fault("error", where, what, "let joints of one freedom follow one another")
        passed = [joint.name]
        while (behind := joints[passed[-1]].mimic) and behind.joint in joints and behind.joint not in passed:
            passed.append(behind.joint)
        if behind and behind.joint == joint.name and joint.name == min(passed):
            around = " → ".join((*passed, joint.name))
            yield Fault(
                "error", where, f"it follows itself: {around}", "let one of them have its own coordinate"
            )
