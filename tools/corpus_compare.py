"""A file's model beside Pinocchio's and MuJoCo's: sizes, mass, M, gravity and bias forces, poses in a random state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import quatrain as qt
from quatrain import Pose, Quaternion, Vec3
from quatrain.equations import dynamics
from quatrain.loading import load_model
from quatrain.model import WORLD, Model

TOLERANCE = 1e-9
MOST_BODIES = 400
"""Larger ones are not compared: the equations are interpreted here."""


def compared(path: Path, kind: str, options: dict[str, Any]) -> tuple[str, float, str]:
    """Whom it was compared with; the greatest relative difference; which, and why if it is known."""
    model, report = load_model(path, inertia="warn", mimic="independent", **options)
    if kind not in ("urdf", "mjcf"):
        return "", 0.0, ""
    if model.nb > MOST_BODIES:
        return f"not compared: {model.nb} bodies", 0.0, ""
    name = "Pinocchio" if kind == "urdf" else "MuJoCo"
    try:
        with redirect_stderr(StringIO()):
            theirs = _pinocchio(path) if kind == "urdf" else _mujoco(path)
    except Exception as error:
        return f"not loaded by {name}: {' '.join(str(error).split())[:200]}", 0.0, ""
    beside = _beside_pinocchio if kind == "urdf" else _beside_mujoco
    found = list(beside(model, theirs))
    worst = max((size for _, size in found), default=0.0)
    wrong = [f"{what} by {size:.1e}" for what, size in found if not size <= TOLERANCE]
    if not wrong:
        return name, worst, ""
    known = _known(model, theirs, str(report), kind, [what for what, size in found if not size <= TOLERANCE])
    return name, worst, known or f"DIFFERS in {', '.join(wrong)}"


def _known(model: Model, theirs: Any, report: str, kind: str, what: list[str]) -> str:
    """Why they differ, where the report says so or the peer is known to leave something out."""
    if kind == "mjcf" and "has armature, which is not modelled here" in report:
        return "tendons have armature, which the report says is not modelled here"
    if kind == "mjcf" and "flexible bodies" in report:
        return "flexible bodies, which the report says are not modelled here"
    if kind == "mjcf" and "mass" not in what and "poses" not in what:
        centres = np.abs(theirs.body_ipos).max(axis=1)
        if any((theirs.body_sameframe == 1) & (centres > 0)):
            return "MuJoCo takes a centre of mass that is nanometres from its body's origin to be in it"
    return ""


def _state(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities of about 1, quaternions of norm 1."""
    rng = np.random.default_rng(5)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    for body, first in zip(model.bodies, model.q_starts, strict=True):
        place = first
        for motion in body.joint.own_motions:
            if motion.kind == "ball":
                q[place : place + 4] /= np.linalg.norm(q[place : place + 4])
            place += motion.nq
    return q, v


def _relative(ours: Any, theirs: Any, scale: float | None = None) -> float:
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.shape != theirs.shape:
        return float("inf")
    size = max(np.abs(theirs).max(initial=0.0), scale or 0.0)
    return float(np.abs(ours - theirs).max(initial=0.0) / size) if size else 0.0


def _frames(model: Model, q: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Every body and frame: where it stands, and its rotation."""
    own = {WORLD: Pose.identity()}
    positions, quaternions = dynamics.poses(model, list(q))
    for k, (p, w) in enumerate(zip(positions, quaternions, strict=True)):
        own[k] = Pose(Quaternion(*w), Vec3(*p))
    for name in model.frame_names:
        frame = model.frame(name)
        X = own[frame.body] @ frame.X_BF
        yield name, np.array([*X.p], float), np.asarray(X.q.to_matrix().to_array(), float)


def _dynamics(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    M = np.array(dynamics.mass_matrix(model, list(q)), float)
    g = np.array(dynamics.bias_force(model, list(q), [0.0] * model.nv), float)
    h = np.array(dynamics.bias_force(model, list(q), list(v)), float)
    return M, g, h


# ---- Pinocchio ----------------------------------------------------------------------------------------


def _pinocchio(path: Path) -> Any:
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(path))


def _beside_pinocchio(model: Model, theirs: Any) -> Iterator[tuple[str, float]]:
    import pinocchio as pin

    if model.nv != theirs.nv:
        yield f"nv ({model.nv} and {theirs.nv})", float("inf")
        return
    mass = sum(inertia.mass for inertia in list(theirs.inertias)[1:])
    yield "mass", _relative(float(model.mass), mass, 1e-300)
    q, v = _state(model)
    data = theirs.createData()
    to = qt.convert.pinocchio(model, joints=list(theirs.names)[1:])
    q_there, v_there, B = to.q_to(q), to.v_to(q, v), to.matrix(q)
    if model.nv:
        M, g, h = _dynamics(model, q, v)
        upper = np.triu(pin.crba(theirs, data, q_there))
        scale = float(np.abs(M).max())
        yield "M", _relative(B @ M @ B.T, upper + np.triu(upper, 1).T, 1e-300)
        yield "gravity forces", _relative(B @ g, pin.computeGeneralizedGravity(theirs, data, q_there), scale)
        if not any(
            body.joint.kind in ("free", "planar") for body in model.bodies
        ):  # else accelerations mix in
            yield "bias forces", _relative(B @ h, pin.nonLinearEffects(theirs, data, q_there, v_there), scale)
    pin.framesForwardKinematics(theirs, data, q_there)
    worst = 0.0
    for name, p, R in _frames(model, q):
        if theirs.existFrame(name, pin.FrameType.BODY):
            there = data.oMf[theirs.getFrameId(name, pin.FrameType.BODY)]
            worst = max(worst, _relative(p, there.translation, 1.0), _relative(R, there.rotation))
    yield "poses", worst


# ---- MuJoCo -------------------------------------------------------------------------------------------


def _mujoco(path: Path) -> Any:
    import mujoco

    return mujoco.MjModel.from_xml_path(str(path))


def _beside_mujoco(model: Model, theirs: Any) -> Iterator[tuple[str, float]]:
    import mujoco

    if (model.nq, model.nv) != (theirs.nq, theirs.nv):
        yield f"nq, nv ({model.nq}, {model.nv} and {theirs.nq}, {theirs.nv})", float("inf")
        return
    moves = (theirs.body_weldid != 0) & (theirs.body_mocapid < 0)
    yield "mass", _relative(float(model.mass), float(theirs.body_mass[moves].sum()), 1e-300)
    off = mujoco.mjtDisableBit
    theirs.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_CONSTRAINT)
    q, v = _state(model)
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(theirs, data)
    if model.nv:
        M_there = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(theirs, data, M_there)
        M, g, h = _dynamics(model, q, v)
        scale = float(np.abs(M).max())
        yield "M", _relative(M, M_there, 1e-300)
        yield "bias forces", _relative(h, data.qfrc_bias, scale)
        data.qvel[:] = 0
        mujoco.mj_forward(theirs, data)
        yield "gravity forces", _relative(g, data.qfrc_bias, scale)
    worst = 0.0
    for name, p, R in _frames(model, q):
        for kind, at, turned in (("BODY", data.xpos, data.xmat), ("SITE", data.site_xpos, data.site_xmat)):
            k = mujoco.mj_name2id(theirs, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), name)
            if k >= 0:
                worst = max(worst, _relative(p, at[k], 1.0), _relative(R, turned[k].reshape(3, 3)))
                break
    yield "poses", worst
