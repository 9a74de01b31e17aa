"""What must hold of a model, and every fault of it in one report."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from quatrain.equations.joints import neutral
from quatrain.equations.mass_matrix import own_inertias
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.geometry import SymMat3, dot
from quatrain.model import JOINT_KINDS, WORLD, Body, Joint, Model

logger = logging.getLogger("quatrain")

POLICIES = ("error", "warn", "repair")
_UNIT = 1e-9
"""How far an axis or a quaternion may be from unit length."""
_SLACK = 1e-6
"""Relative, for the triangle inequality: files print inertias with six digits."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a model."""

    severity: str
    """"error" or "warning"."""
    where: str
    what: str
    do: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. To fix: {self.do}."


class ModelError(QuatrainError):
    """A model that cannot be; `faults` has all that was found."""

    def __init__(self, what: str, *, do: str, where: object = None, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(what, do=do, where=where)
        self.faults = faults


def checked(model: Model, *, inertia: str = "error") -> Model:
    """The model, if it can be; else a `ModelError` with every fault. Warnings go to the log.

    `inertia` says what to do about a body whose inertia no matter can have (negative, indefinite): "error"; "warn",
    and keep it; or "repair": the nearest that can be, and say so. A broken triangle inequality is a warning, as it
    spoils no algorithm; under "repair" it is mended too. NaN and negative mass are errors always.
    """
    model, faults = examined(model, inertia=inertia)
    errors = [fault for fault in faults if fault.severity == "error"]
    for fault in faults:
        if fault.severity == "warning":
            logger.warning("%s: %s", model.name, fault)
    if errors:
        listed = "\n".join(f"  - {fault}" for fault in errors)
        raise ModelError(
            f"{model.name} has {len(errors)} fault{'s' if len(errors) > 1 else ''}:\n{listed}",
            do="mend all of them" if len(errors) > 1 else errors[0].do,
            faults=faults,
        )
    return model


def examined(model: Model, *, inertia: str = "error") -> tuple[Model, tuple[Fault, ...]]:
    """The model, repaired if that is the policy, and everything that is or looks wrong with it."""
    if inertia not in POLICIES:
        raise ArgumentError(f"inertia is {inertia!r}", do=f"choose {', '.join(POLICIES)}")
    mended: list[Fault] = []
    if inertia == "repair":
        bodies = tuple(_repaired(body) for body in model.bodies)
        for before, after in zip(model.bodies, bodies, strict=True):
            if after is not before:
                old, new = (_listed(principal_moments(body.I_Bcm_B)) for body in (before, after))
                what = f"the principal moments {old} are replaced by {new}"
                mended.append(
                    Fault("warning", f"body {before.name!r}", what, "correct them where they come from")
                )
        model = replace(model, bodies=bodies)
    return model, (*mended, *(_with_policy(fault, inertia) for fault in find_faults(model)))


def find_faults(model: Model) -> list[Fault]:
    """Everything that is wrong or looks wrong, in the order of the bodies."""
    faults = [*_names(model), *_order(model)]
    for body in model.bodies:
        faults += [*_joint(body.joint), *_inertia(body)]
    if not any(fault.severity == "error" for fault in faults):
        faults += _singular(model)
    return faults


def _with_policy(fault: Fault, inertia: str) -> Fault:
    of_inertia = fault.what.startswith("inertia ")
    return replace(fault, severity="warning") if of_inertia and inertia == "warn" else fault


# ---- names and order ----------------------------------------------------------------------------------


def _names(model: Model) -> Iterator[Fault]:
    kinds = {
        "body": model.body_names,
        "joint": model.joint_names,
        "frame": (*model.body_names, *(frame.name for frame in model.frames)),
    }
    for kind, names in kinds.items():
        for name, count in Counter(names).items():
            if count > 1 and not (kind == "frame" and Counter(model.body_names)[name] > 1):
                yield Fault("error", f"{kind} {name!r}", f"{count} have this name", "give each its own")
    for name in kinds["frame"]:
        if name == "world":
            yield Fault("error", "frame 'world'", "this name means the ground", "choose another")


def _order(model: Model) -> Iterator[Fault]:
    for k, body in enumerate(model.bodies):
        if not (body.parent == WORLD or 0 <= body.parent < k):
            yield Fault(
                "error",
                f"body {body.name!r}",
                f"its parent is body number {body.parent}, which does not come before it (number {k})",
                "put parents before their children; a chain of parents that closes has no ground to stand on",
            )
    for frame in model.frames:
        if not WORLD <= frame.body < model.nb:
            yield Fault("error", f"frame {frame.name!r}", f"there is no body number {frame.body}", "name one")
    if not all(math.isfinite(x) for x in model.gravity):
        yield Fault("error", "gravity", f"it is {tuple(model.gravity)}", "give three finite numbers [m/s²]")


# ---- joints -------------------------------------------------------------------------------------------


def _joint(joint: Joint) -> Iterator[Fault]:
    where = f"joint {joint.name!r}"
    if joint.kind not in JOINT_KINDS:
        yield Fault("error", where, f"its kind is {joint.kind!r}", f"choose {', '.join(JOINT_KINDS)}")
        return
    needed = max((motion.axis + 1 for motion in joint.motions if motion.kind != "ball"), default=0)
    if len(joint.axes) != needed:
        yield Fault("error", where, f"it has {len(joint.axes)} axes", f"a {joint.kind} joint needs {needed}")
    for axis in joint.axes:
        size = axis.norm()
        if not abs(size - 1) < _UNIT:
            yield Fault("error", where, f"axis {tuple(axis)} has length {size:.6g}", "give a unit vector")
    if joint.kind == "universal" and len(joint.axes) == 2 and abs(dot(*joint.axes)) > 1 - 1e-12:
        yield Fault("error", where, "its two axes are parallel, so M is singular", "give two directions")
    if joint.kind in ("planar", "free") and len(joint.axes) == 3:
        worst = max(abs(dot(joint.axes[i], joint.axes[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
        if worst > _UNIT:
            yield Fault("error", where, "its axes are not perpendicular", "give three that are")
    for name, pose in (("X_PJ", joint.X_PJ), ("X_MB", joint.X_MB)):
        norm = pose.q.norm()
        if not abs(norm - 1) < _UNIT or not all(math.isfinite(x) for x in pose.p):
            yield Fault("error", where, f"{name} has a quaternion of norm {norm:.6g} or a point that is not finite",
                        "give a unit quaternion (w, x, y, z) and a finite point")  # fmt: skip
    for name in ("armature", "damping", "friction", "stiffness"):
        values = getattr(joint, name)
        if values and len(values) != joint.freedoms:
            yield Fault(
                "error",
                where,
                f"{name} has {len(values)} entries",
                f"give {joint.freedoms}, one for each freedom",
            )
        if any(not (math.isfinite(x) and x >= 0) for x in values):
            yield Fault("error", where, f"{name} is {values}", "give finite numbers, not below zero")
    if not math.isfinite(joint.pitch):
        yield Fault("error", where, f"its pitch is {joint.pitch}", "give metres per radian")
    for limit in joint.limits:
        if limit.lower is not None and limit.upper is not None and limit.lower > limit.upper:
            yield Fault("error", where, f"limits {limit.lower} > {limit.upper} are reversed", "swap them")


# ---- inertias -----------------------------------------------------------------------------------------


def _inertia(body: Body) -> Iterator[Fault]:
    where = f"body {body.name!r}"
    numbers = (body.mass, *body.p_BBcm, *body.I_Bcm_B)
    if not all(math.isfinite(x) for x in numbers):
        yield Fault(
            "error", where, "its mass, centre of mass or inertia is not finite", "give finite numbers"
        )
        return
    if body.mass < 0:
        yield Fault("error", where, f"its mass is {body.mass:.6g} kg", "give one that is not negative")
    moments = principal_moments(body.I_Bcm_B)
    listed = _listed(moments)
    size = max(abs(moments[0]), abs(moments[2]))
    # Below what the mass has at a micrometre, numbers are what rounding left.
    if moments[0] < -1e-12 * (size + abs(body.mass)):
        yield Fault("error", where, f"inertia has the principal moments {listed}: no matter has a negative one",
                    "correct it, or pass inertia='repair' or 'warn'")  # fmt: skip
    elif moments[0] + moments[1] < moments[2] * (1 - _SLACK):
        yield Fault("warning", where, f"the principal moments {listed} break the triangle inequality",
                    "check units and the point it is about; inertia='repair' mends it")  # fmt: skip
    if body.mass == 0 and size > 0:
        yield Fault("warning", where, f"it has no mass but moments {listed}", "give it a mass")


def _listed(moments: list[float]) -> str:
    return ", ".join(f"{x:.6g}" for x in moments)


def principal_moments(inertia: SymMat3) -> list[float]:
    """In ascending order."""
    return [float(x) for x in np.linalg.eigvalsh(inertia.to_array())]


def _repaired(body: Body) -> Body:
    numbers = np.array([*body.I_Bcm_B], float)
    if not np.all(np.isfinite(numbers)):
        return body
    moments, axes = np.linalg.eigh(body.I_Bcm_B.to_array())
    mended = np.maximum(moments, 0.0)
    mended[2] = min(mended[2], mended[0] + mended[1])
    if np.all(mended >= moments * (1 - _SLACK)) and np.all(mended <= moments * (1 + _SLACK) + 0.0):
        return body
    return replace(body, I_Bcm_B=SymMat3.from_array((axes * mended) @ axes.T))


def _singular(model: Model) -> Iterator[Fault]:
    """Velocities that take no energy: their row of the mass matrix is zero, and forward dynamics has no answer."""
    tree = Tree.of(model)
    inertias = own_inertias(model, neutral(tree))
    largest = max(inertias, default=0.0)
    for i, (name, inertia) in enumerate(zip(model.v_names, inertias, strict=True)):
        if not inertia > 1e-14 * largest:
            yield Fault(
                "warning",
                f"velocity {name!r}",
                f"nothing that it moves has inertia along it (M[{i}, {i}] = {inertia:.3g}): "
                "the mass matrix is singular, and there is no forward dynamics",
                "give the bodies beyond it mass or inertia, or the joint an armature",
            )
