"""The same tree as a model of Pinocchio and as one of MuJoCo, built from its data with their own joints.

Nothing of ours but the numbers is used: their frames, their axes, their algorithms. `Elsewhere` says how their
coordinates follow from ours: quaternions reordered, and velocities v' = X v where they are measured otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quatrain import Model, Pose, Vec3
from quatrain.model import WORLD, Body

# ---- Pinocchio ------------------------------------------------------------------------------------------


class PinocchioTree:
    """A model of Pinocchio's with one joint for each of ours; fixed joints are fixed frames there.

    `flyer`: free joints are its FreeFlyer, whose linear velocity is in the body's axes, instead of a composite
    of three slides and a ball. `universal`: as its JointModelUniversal, instead of two turns.
    """

    def __init__(self, model: Model, *, flyer: bool = False, universal: bool = True) -> None:
        import pinocchio as pin

        self.ours, self.flyer, self.universal = model, flyer, universal
        self.pin, self.model = pin, pin.Model()
        self.model.gravity.linear = np.array(list(model.gravity))
        places: list[tuple[int, Any]] = []  # of each body: its joint there, and B in that joint's frame
        for k, body in enumerate(model.bodies):
            joint, X = (0, pin.SE3.Identity()) if body.parent == WORLD else places[body.parent]
            X = X * se3(body.joint.X_PJ)
            if body.joint.kind != "fixed":
                joint, X = (
                    self.model.addJoint(joint, self._joint(body), X, body.joint.name),
                    pin.SE3.Identity(),
                )
                first = self.model.joints[joint].idx_v
                for i, rotor in enumerate(body.joint.armature):
                    self.model.armature[first + i] = rotor
            X = X * se3(body.joint.X_MB)
            places.append((joint, X))
            self.model.appendBodyToJoint(joint, pin.Inertia(body.mass, array(body.p_BBcm), tensor(body)), X)
            self._add_frame(model.body_names[k], joint, X)
        for frame in model.frames:
            joint, X = (0, pin.SE3.Identity()) if frame.body == WORLD else places[frame.body]
            self._add_frame(frame.name, joint, X * se3(frame.X_BF))
        self.data = self.model.createData()

    def _add_frame(self, name: str, joint: int, X: Any) -> None:
        pin = self.pin
        self.model.addFrame(pin.Frame(name, joint, 0, X, pin.FrameType.OP_FRAME), False)

    def _joint(self, body: Body) -> Any:
        pin, joint = self.pin, body.joint
        axes = [array(axis) for axis in joint.axes]
        if joint.kind in ("revolute", "continuous"):
            return pin.JointModelRevoluteUnaligned(axes[0])
        if joint.kind == "prismatic":
            return pin.JointModelPrismaticUnaligned(axes[0])
        if joint.kind == "helical":
            return pin.JointModelHelicalUnaligned(axes[0], joint.pitch)
        if joint.kind == "ball":
            return pin.JointModelSpherical()
        if joint.kind == "universal" and self.universal:
            return pin.JointModelUniversal(*axes)
        if joint.kind == "free" and self.flyer:
            return pin.JointModelFreeFlyer()
        turn, slide = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
        parts = {
            "universal": lambda: [turn(axes[0]), turn(axes[1])],
            "cylindrical": lambda: [turn(axes[0]), slide(axes[0])],
            "planar": lambda: [slide(axes[0]), slide(axes[1]), turn(axes[2])],
            "free": lambda: [*map(slide, axes), pin.JointModelSpherical()],
        }[joint.kind]()
        whole = pin.JointModelComposite()
        for part in parts:
            whole.addJoint(part)
        return whole

    # ---- coordinates ----

    def q(self, q: np.ndarray) -> np.ndarray:
        """Its quaternions are (x, y, z, w)."""
        there = np.array(q, float)
        for k, body in enumerate(self.ours.bodies):
            place = self.ours.q_starts[k] + body.joint.nq - 4
            if body.joint.kind in ("ball", "free"):
                there[place : place + 4] = np.roll(q[place : place + 4], -1)
            if body.joint.kind == "free" and self.flyer:
                there[place - 3 : place] = axes_matrix(body) @ q[place - 3 : place]
        return there

    def X(self, q: np.ndarray) -> np.ndarray:
        """v' = X v: a FreeFlyer's linear velocity is in its body."""
        X = np.eye(self.ours.nv)
        for place, turn in self._flyers(q):
            X[place : place + 3, place : place + 3] = turn
        return X

    def X_dot_v(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Ẋ v = d/dt(Rᵀ) ṗ = −ω × Rᵀ ṗ"""
        found = np.zeros(self.ours.nv)
        for place, turn in self._flyers(q):
            linear, w = v[place : place + 3], v[place + 3 : place + 6]
            found[place : place + 3] = -np.cross(w, turn @ linear)
        return found

    def _flyers(self, q: np.ndarray) -> Any:
        for k, body in enumerate(self.ours.bodies):
            if body.joint.kind == "free" and self.flyer:
                place = self.ours.q_starts[k]
                R = self.pin.Quaternion(*q[place + 3 : place + 7]).toRotationMatrix()
                yield self.ours.v_starts[k], R.T @ axes_matrix(body)

    def wrenches(self, q: np.ndarray, external: dict[str, tuple[np.ndarray, np.ndarray]]) -> Any:
        """On its joints, in their frames: forces at frames' origins, in axes of the world."""
        pin = self.pin
        pin.framesForwardKinematics(self.model, self.data, q)
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        for name, (f, t) in external.items():
            number = self.model.getFrameId(name)
            joint = self.model.frames[number].parentJoint
            at = pin.SE3(np.eye(3), self.data.oMf[number].translation)
            forces[joint] += self.data.oMi[joint].actInv(at.act(pin.Force(np.array(f), np.array(t))))
        return forces


def se3(X: Pose) -> Any:
    import pinocchio as pin

    w, x, y, z = X.q
    return pin.SE3(pin.Quaternion(w, x, y, z), array(X.p))


def array(v: Vec3) -> np.ndarray:
    return np.array(list(v), float)


def axes_matrix(body: Body) -> np.ndarray:
    """Of a free joint: the axes of its position, as columns."""
    return np.array([list(axis) for axis in body.joint.axes]).T


def tensor(body: Body) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = body.I_Bcm_B
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# ---- MuJoCo ---------------------------------------------------------------------------------------------


class MujocoTree:
    """A model of MuJoCo's. Its joints stand in the child, one after the other on one body.

    Free joints only on the ground, without offsets; balls without an offset of orientation in the child (there
    its quaternions are ours). Helical joints it has none.
    """

    def __init__(self, model: Model) -> None:
        import mujoco

        self.mujoco, self.ours = mujoco, model
        children: dict[int, list[int]] = {}
        for k, body in enumerate(model.bodies):
            children.setdefault(body.parent, []).append(k)
        tree = "\n".join(self._body(k, children) for k in children[WORLD])
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler angle="radian" autolimits="false" inertiafromgeom="false"/>'
            f'<option gravity="{_text(model.gravity)}"><flag contact="disable" constraint="disable"/></option>'
            f"<worldbody>{tree}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)
        place = 0
        for body in model.bodies:
            for rotor in body.joint.armature or (0.0,) * body.joint.nv:
                self.model.dof_armature[place] = rotor
                place += 1

    def _body(self, k: int, children: dict[int, list[int]]) -> str:
        body = self.ours.bodies[k]
        X_PB, X_BM = body.joint.X_PJ @ body.joint.X_MB, body.joint.X_MB.inverse()
        principal, R = np.linalg.eigh(tensor(body))
        if np.linalg.det(R) < 0:
            R = -R
        columns = " ".join(_text(column) for column in R.T[:2])
        lines = [
            f'<body name="{body.name}" pos="{_text(X_PB.p)}" quat="{_text(X_PB.q)}">',
            f'<inertial pos="{_text(body.p_BBcm)}" xyaxes="{columns}" mass="{body.mass!r}" '
            f'diaginertia="{_text(principal)}"/>',
        ]
        if body.joint.kind == "free":
            lines.append("<freejoint/>")
        else:
            for motion in body.joint.motions:
                axis = "" if motion.kind == "ball" else X_BM.q.rotate(body.joint.axes[motion.axis])
                known = {"turn": "hinge"}.get(motion.kind, motion.kind)
                lines.append(
                    f'<joint type="{known}" pos="{_text(X_BM.p)}" axis="{_text(axis or (0, 0, 1))}"/>'
                )
        lines += [self._body(child, children) for child in children.get(k, ())]
        return "\n".join([*lines, "</body>"])

    def at(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None = None) -> Any:
        """Its data in this state, everything computed."""
        self.data.qpos[:], self.data.qvel[:] = q, v
        self.data.qfrc_applied[:] = 0.0 if tau is None else tau
        self.mujoco.mj_forward(self.model, self.data)
        return self.data

    def number(self, name: str) -> int:
        return self.mujoco.mj_name2id(self.model, self.mujoco.mjtObj.mjOBJ_BODY, name)

    def mass_matrix(self) -> np.ndarray:
        M = np.zeros((self.model.nv, self.model.nv))
        self.mujoco.mj_fullM(self.model, self.data, M)
        return M


def _text(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
