"""The same tree as a model of Pinocchio and as one of MuJoCo, built from its data with their own joints.

Nothing of ours but the numbers is used: their frames, their axes, their algorithms. Both answer the same questions,
in our coordinates: their quaternions are reordered, and their velocities are v' = X v where they are measured
otherwise. One state at a time; six numbers are linear first, then angular, in world axes at the frame's origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from quatrain import Frame, Model, Pose, Vec3
from quatrain.model import WORLD, Body

External = Mapping[str, tuple[np.ndarray, np.ndarray]]

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

    @classmethod
    def of(cls, there: Any, ours: Model) -> PinocchioTree:
        """A model that is Pinocchio's from the beginning, and ours made from it."""
        import pinocchio as pin

        self = cls.__new__(cls)
        self.ours, self.flyer, self.universal = ours, True, True
        self.pin, self.model = pin, there
        for number, name in enumerate(there.names):
            if not there.existFrame(name):
                self._add_frame(name, number, pin.SE3.Identity())
        self.data = there.createData()
        return self

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
        """Its quaternions are (x, y, z, w), and an angle without bounds is its cosine and sine."""
        there: list[float] = []
        joints = list(self.model.joints)[1:]  # the first is the ground
        moving = [k for k, body in enumerate(self.ours.bodies) if body.joint.kind != "fixed"]
        for k, joint in zip(moving, joints, strict=True):
            body = self.ours.bodies[k]
            own = q[self.ours.q_starts[k] :][: body.joint.nq]
            if body.joint.kind in ("ball", "free"):
                position = (
                    axes_matrix(body) @ own[:3] if body.joint.kind == "free" and self.flyer else own[:-4]
                )
                own = [*position, *np.roll(own[-4:], -1)]
            elif joint.nq > body.joint.nq:
                own = [*own[:-1], np.cos(own[-1]), np.sin(own[-1])]
            there += list(own)
        return np.array(there)

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

    def _wrenches(self, q: np.ndarray, external: External) -> Any:
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

    # ---- what it answers ----

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        X = self.X(q)
        return X.T @ self.pin.crba(self.model, self.data, self.q(q)) @ X

    def coriolis_force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """C v. Its Coriolis matrix takes a joint's axes to be at rest in the joint, which those of some composites are
        not: there C v ≠ c by itself (version 4.1), so c is taken from the bias force.
        """
        swinging = {"universal", "planar", *(() if self.flyer else ("free",))}
        if swinging & {body.joint.kind for body in self.ours.bodies}:
            gravity = self.model.gravity.linear.copy()
            self.model.gravity.linear = 0 * gravity
            found = self.bias_force(q, v)
            self.model.gravity.linear = gravity
            return found
        there, X = self.q(q), self.X(q)
        C = self.pin.computeCoriolisMatrix(self.model, self.data, there, X @ v)
        return X.T @ (C @ (X @ v) + self.pin.crba(self.model, self.data, there) @ self.X_dot_v(q, v))

    def gravity_force(self, q: np.ndarray) -> np.ndarray:
        return self.X(q).T @ self.pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def bias_force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        there, X = self.q(q), self.X(q)
        bias = self.pin.nonLinearEffects(self.model, self.data, there, X @ v)
        return X.T @ (bias + self.pin.crba(self.model, self.data, there) @ self.X_dot_v(q, v))

    def inverse_dynamics(self, q: Any, v: Any, a: Any, external: External | None = None) -> np.ndarray:
        there, X = self.q(q), self.X(q)
        state = (there, X @ v, X @ a + self.X_dot_v(q, v))
        return X.T @ self.pin.rnea(self.model, self.data, *state, self._wrenches(there, external or {}))

    def forward_dynamics(self, q: Any, v: Any, tau: Any, external: External | None = None) -> np.ndarray:
        there, X = self.q(q), self.X(q)
        state = (there, X @ v, np.linalg.solve(X.T, tau))
        a = self.pin.aba(self.model, self.data, *state, self._wrenches(there, external or {}))
        return np.linalg.solve(X, a - self.X_dot_v(q, v))

    def _axes(self, axes: str) -> Any:
        return self.pin.LOCAL if axes == "body" else self.pin.LOCAL_WORLD_ALIGNED

    def pose(self, q: np.ndarray, frame: str) -> tuple[np.ndarray, np.ndarray]:
        self.pin.framesForwardKinematics(self.model, self.data, self.q(q))
        X = self.data.oMf[self.model.getFrameId(frame)]
        return X.translation.copy(), X.rotation.copy()

    def jacobian(self, q: np.ndarray, frame: str, axes: str = "world") -> np.ndarray:
        number = self.model.getFrameId(frame)
        J = self.pin.computeFrameJacobian(self.model, self.data, self.q(q), number, self._axes(axes))
        return J.reshape(6, -1) @ self.X(q)

    def velocity(self, q: np.ndarray, v: np.ndarray, frame: str, axes: str = "world") -> np.ndarray:
        self.pin.forwardKinematics(self.model, self.data, self.q(q), self.X(q) @ v)
        number = self.model.getFrameId(frame)
        return self.pin.getFrameVelocity(self.model, self.data, number, self._axes(axes)).vector

    def acceleration(self, q: Any, v: Any, a: Any, frame: str, axes: str = "world") -> np.ndarray:
        X = self.X(q)
        self.pin.forwardKinematics(self.model, self.data, self.q(q), X @ v, X @ a + self.X_dot_v(q, v))
        number = self.model.getFrameId(frame)
        of_points = self.pin.getFrameClassicalAcceleration
        return of_points(self.model, self.data, number, self._axes(axes)).vector

    def energies(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Kinetic, with that of rotors; potential.

        It counts rotors of some joints only (version 4.1): so without them, and they are added here.
        """
        there, rates, rotors = self.q(q), self.X(q) @ v, self.model.armature.copy()
        self.model.armature[:] = 0.0
        kinetic = self.pin.computeKineticEnergy(self.model, self.data, there, rates)
        self.model.armature[:] = rotors
        potential = self.pin.computePotentialEnergy(self.model, self.data, there)
        return kinetic + 0.5 * rotors @ rates**2, potential

    def center_of_mass(self, q: np.ndarray) -> np.ndarray:
        return self.pin.centerOfMass(self.model, self.data, self.q(q)).copy()

    def centroidal_momentum_matrix(self, q: np.ndarray) -> np.ndarray:
        X = self.X(q)
        A = self.pin.ccrba(self.model, self.data, self.q(q), np.zeros(self.ours.nv))
        return A.reshape(6, -1) @ X  # of one column it gives a vector

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        h = self.pin.computeCentroidalMomentum(self.model, self.data, self.q(q), self.X(q) @ v)
        return h.vector.copy()


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
            f'<option gravity="{_text(model.gravity)}">'
            f'<flag contact="disable" constraint="disable" energy="enable"/></option>'
            f"<worldbody>{self._sites(WORLD)}{tree}</worldbody></mujoco>"
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
        lines.append(self._sites(k))
        lines += [self._body(child, children) for child in children.get(k, ())]
        return "\n".join([*lines, "</body>"])

    def _sites(self, body: int) -> str:
        """Frames, and bodies' own, which have sites of their names."""
        own = [] if body == WORLD else [Frame(self.ours.body_names[body], body, Pose.identity())]
        places = [*own, *(frame for frame in self.ours.frames if frame.body == body)]
        return "".join(
            f'<site name="{frame.name}" pos="{_text(frame.X_BF.p)}" quat="{_text(frame.X_BF.q)}"/>'
            for frame in places
        )

    # ---- what it answers ----

    def at(self, q: np.ndarray, v: Any = None, forces: Any = None) -> Any:
        """Its data in this state, everything computed."""
        self.data.qpos[:] = q
        self.data.qvel[:] = 0.0 if v is None else v
        self.data.qfrc_applied[:] = 0.0 if forces is None else forces
        self.mujoco.mj_forward(self.model, self.data)
        return self.data

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        self.at(q)
        M = np.zeros((self.model.nv, self.model.nv))
        self.mujoco.mj_fullM(self.model, self.data, M)
        return M

    def gravity_force(self, q: np.ndarray) -> np.ndarray:
        return self.at(q).qfrc_bias.copy()

    def bias_force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.at(q, v).qfrc_bias.copy()

    def coriolis_force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        gravity = self.model.opt.gravity.copy()
        self.model.opt.gravity[:] = 0.0
        found = self.bias_force(q, v)
        self.model.opt.gravity[:] = gravity
        return found

    def _pushed(self, q: np.ndarray, v: np.ndarray, external: External) -> np.ndarray:
        """Jᵀ f of all forces."""
        data, forces = self.at(q, v), np.zeros(self.model.nv)
        for name, (f, t) in external.items():
            site = self._site(name)
            body = self.model.site_bodyid[site]
            self.mujoco.mj_applyFT(self.model, data, f, t, data.site_xpos[site], body, forces)
        return forces

    def inverse_dynamics(self, q: Any, v: Any, a: Any, external: External | None = None) -> np.ndarray:
        pushed = self._pushed(q, v, external or {})
        data = self.at(q, v)
        data.qacc[:] = a
        self.mujoco.mj_inverse(self.model, data)
        return data.qfrc_inverse - pushed

    def forward_dynamics(self, q: Any, v: Any, tau: Any, external: External | None = None) -> np.ndarray:
        pushed = self._pushed(q, v, external or {})
        return self.at(q, v, tau + pushed).qacc.copy()

    def _site(self, name: str) -> int:
        return self.mujoco.mj_name2id(self.model, self.mujoco.mjtObj.mjOBJ_SITE, name)

    def pose(self, q: np.ndarray, frame: str) -> tuple[np.ndarray, np.ndarray]:
        data, site = self.at(q), self._site(frame)
        return data.site_xpos[site].copy(), data.site_xmat[site].reshape(3, 3).copy()

    def jacobian(self, q: np.ndarray, frame: str, axes: str = "world") -> np.ndarray:
        data, site, J = self.at(q), self._site(frame), np.zeros((6, self.model.nv))
        self.mujoco.mj_jacSite(self.model, data, J[:3], J[3:], site)
        return _turned(J, data.site_xmat[site].reshape(3, 3)) if axes == "body" else J

    def velocity(self, q: np.ndarray, v: np.ndarray, frame: str, axes: str = "world") -> np.ndarray:
        found, kind = np.zeros(6), self.mujoco.mjtObj.mjOBJ_SITE
        self.mujoco.mj_objectVelocity(
            self.model, self.at(q, v), kind, self._site(frame), found, int(axes == "body")
        )
        return np.roll(found, 3)

    def acceleration(self, q: Any, v: Any, a: Any, frame: str, axes: str = "world") -> np.ndarray:
        """What it gives holds gravity, as an acceleration of the ground."""
        data, found, site = self.at(q, v), np.zeros(6), self._site(frame)
        data.qacc[:] = a
        self.mujoco.mj_rnePostConstraint(self.model, data)
        self.mujoco.mj_objectAcceleration(
            self.model, data, self.mujoco.mjtObj.mjOBJ_SITE, site, found, int(axes == "body")
        )
        g = array(self.ours.gravity)
        falling = data.site_xmat[site].reshape(3, 3).T @ g if axes == "body" else g
        return np.roll(found, 3) + np.concatenate([falling, np.zeros(3)])

    def energies(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Kinetic, with that of rotors; potential."""
        potential, kinetic = self.at(q, v).energy
        return kinetic, potential

    def center_of_mass(self, q: np.ndarray) -> np.ndarray:
        return self.at(q).subtree_com[0].copy()

    def centroidal_momentum_matrix(self, q: np.ndarray) -> np.ndarray:
        data, A = self.at(q), np.zeros((6, self.model.nv))
        self.mujoco.mj_jacSubtreeCom(self.model, data, A[:3], 0)
        self.mujoco.mj_angmomMat(self.model, data, A[3:], 0)
        A[:3] *= self.model.body_subtreemass[0]
        return A

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        data = self.at(q, v)
        self.mujoco.mj_subtreeVel(self.model, data)
        return np.array([*data.subtree_linvel[0] * self.model.body_subtreemass[0], *data.subtree_angmom[0]])


def _turned(J: np.ndarray, R: np.ndarray) -> np.ndarray:
    return np.concatenate([R.T @ J[:3], R.T @ J[3:]])


def _text(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
