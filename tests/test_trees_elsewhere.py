"""Trees of every kind of joint, and real robots: our equations against Pinocchio and MuJoCo, quantity by quantity."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from quatrain import Limits, Model, Pose, Quaternion, Robot, Vec3
from quatrain.equations import dynamics
from quatrain.interop import InteropError, from_pinocchio
from quatrain.model import AXES
from tests.truth.random_trees import KINDS, on_columns, random_state, random_tree
from tests.truth.robots import ROBOTS, pinocchio_model
from tests.truth.trees_elsewhere import MujocoTree, PinocchioTree

TOLERANCE = 3e-14  # a hundred roundings, of either side, relative to the largest number of the answer
BATCH = 3


# ---- the same machine twice ----------------------------------------------------------------------------


class Twin:
    """A model of ours, its twin in another library, and states of both."""

    def __init__(self, ours: Model, there, seed: int) -> None:
        self.ours, self.there = ours, there
        self.q, self.v, self.a = random_state(ours, seed, BATCH)
        random = np.random.default_rng(seed)
        names = random.permutation([name for name in ours.frame_names if name != "mark"])
        self.frames = [*names[:3].tolist(), *(["mark"] if "mark" in ours.frame_names else [])]
        self.wrenches = {name: tuple(random.normal(size=(2, BATCH, 3)) * 4) for name in self.frames}

    def here(self, function, *states, **options):
        """One of our equations on all states at once."""
        return on_columns(function, self.ours, *states, **options)

    def pushed(self, function, *states):
        """One of our equations with forces at frames."""
        wrenches = {name: tuple(Vec3(*x.T) for x in pair) for name, pair in self.wrenches.items()}
        return self.here(function, *states, external=wrenches)

    def each(self, question, *states, **options):
        """The answers of the other library, one state after the other."""
        return np.array([question(*state, **options) for state in zip(*states, strict=True)])

    def each_pushed(self, question, *states):
        by_state = [{n: (f[k], t[k]) for n, (f, t) in self.wrenches.items()} for k in range(BATCH)]
        return np.array([question(*state) for state in zip(*states, by_state, strict=True)])


def pinocchio(seed: int, count: int) -> Twin:
    pytest.importorskip("pinocchio")
    model = random_tree(seed, count)
    return Twin(model, PinocchioTree(model, universal=seed % 2 == 0), seed)


def pinocchio_flying(seed: int, count: int) -> Twin:
    """With its free joints, whose linear velocity is in the body (rotors would be along other axes there, so they have
    none), and only joints for which its own Coriolis matrix can be asked.
    """
    pytest.importorskip("pinocchio")
    model = random_tree(seed, count, [kind for kind in KINDS if kind not in ("universal", "planar")])
    model = _with_joints(model, lambda j: replace(j, armature=()) if j.kind == "free" else j)
    return Twin(model, PinocchioTree(model, flyer=True), seed)


def mujoco(seed: int, count: int) -> Twin:
    """A free root without offsets, and balls whose frame is the body's: what MuJoCo can describe."""
    pytest.importorskip("mujoco")

    def joint(j):
        if j.kind == "free":
            return replace(j, X_PJ=Pose.identity(), X_MB=Pose.identity(), axes=AXES)
        return replace(j, X_MB=Pose(Quaternion.identity(), j.X_MB.p)) if j.kind == "ball" else j

    kinds = [kind for kind in KINDS if kind not in ("helical", "free")]
    model = _with_joints(random_tree(seed, count, kinds, root="free"), joint)
    return Twin(model, MujocoTree(model), seed)


def read_from_pinocchio(seed: int, count: int) -> Twin:
    """A model that `from_pinocchio` has read, of every joint that both know alike."""
    pytest.importorskip("pinocchio")
    kinds = ("revolute", "prismatic", "helical", "universal", "ball", "free")
    plain = _with_joints(
        random_tree(seed, count, kinds), lambda j: replace(j, axes=AXES) if j.kind == "free" else j
    )
    there = PinocchioTree(_with_joints(plain, lambda j: replace(j, armature=())), flyer=True).model
    ours = from_pinocchio(there)
    return Twin(ours, PinocchioTree.of(there, ours), seed)


def _with_joints(model: Model, change) -> Model:
    return replace(model, bodies=tuple(replace(b, joint=change(b.joint)) for b in model.bodies))


def robot_in_pinocchio(name: str) -> Twin:
    there = pinocchio_model(name)
    ours = from_pinocchio(there)
    return Twin(ours, PinocchioTree.of(there, ours), 0)


def robot_in_mujoco(name: str) -> Twin:
    """All but iCub, some of whose inertias break the triangle inequality, which MuJoCo refuses."""
    pytest.importorskip("mujoco")
    ours = from_pinocchio(pinocchio_model(name))
    return Twin(ours, MujocoTree(ours), 0)


@cache
def twin_of(kind, *what) -> Twin:
    return kind(*what)


TREES = (pinocchio, pinocchio_flying, read_from_pinocchio, mujoco)
QUICK_ROBOTS = ("panda", "kinova", "solo12")
QUICK = [(kind, seed, 12) for kind in TREES for seed in (0, 1)] + [
    (kind, name) for kind in (robot_in_pinocchio, robot_in_mujoco) for name in QUICK_ROBOTS
]
SLOW = [(kind, seed, 40) for kind in TREES for seed in range(2, 8)] + [
    (kind, name)
    for kind in (robot_in_pinocchio, robot_in_mujoco)
    for name in ROBOTS
    if name not in QUICK_ROBOTS and (kind, name) != (robot_in_mujoco, "icub")
]


@pytest.fixture(
    params=[*QUICK, *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW)],
    ids=lambda case: "-".join(getattr(part, "__name__", str(part)) for part in case),
)
def twin(request) -> Twin:
    return twin_of(*request.param)


def close(found, exact, tolerance=TOLERANCE, least=1.0):
    """Entry by entry, to `tolerance` of the largest entry of each state, or of `least` if that is more."""
    found, exact = np.broadcast_arrays(found, exact)
    size = np.max(np.abs(exact).reshape(len(exact), -1), axis=1, initial=least)
    error = np.max(np.abs(found - exact).reshape(len(exact), -1), axis=1, initial=0.0) / size
    assert np.all(error < tolerance), f"relative errors {error}"


# ---- dynamics --------------------------------------------------------------------------------------------


def test_mass_matrices_are_the_same(twin):
    close(twin.here(dynamics.mass_matrix, twin.q), twin.each(twin.there.mass_matrix, twin.q))


def test_coriolis_matrix_times_v_is_the_same(twin):
    C = twin.here(dynamics.coriolis_matrix, twin.q, twin.v)
    close(np.einsum("bij,bj->bi", C, twin.v), twin.each(twin.there.coriolis_force, twin.q, twin.v))


def test_gravity_forces_are_the_same(twin):
    close(twin.here(dynamics.gravity_force, twin.q), twin.each(twin.there.gravity_force, twin.q))


def test_bias_forces_are_the_same(twin):
    close(twin.here(dynamics.bias_force, twin.q, twin.v), twin.each(twin.there.bias_force, twin.q, twin.v))


def test_inverse_dynamics_is_the_same(twin):
    state = twin.q, twin.v, twin.a
    close(twin.here(dynamics.inverse_dynamics, *state), twin.each(twin.there.inverse_dynamics, *state))


def test_inverse_dynamics_with_forces_at_frames_is_the_same(twin):
    state = twin.q, twin.v, twin.a
    found = twin.pushed(dynamics.inverse_dynamics, *state)
    close(found, twin.each_pushed(twin.there.inverse_dynamics, *state))
    free = twin.here(dynamics.inverse_dynamics, *state)
    assert np.max(np.abs(found - free)) > 1e-3  # the forces are felt


def test_forward_dynamics_is_the_same(twin):
    state = twin.q, twin.v, twin.a  # a stands for tau
    found, exact = (
        twin.here(dynamics.forward_dynamics, *state),
        twin.each(twin.there.forward_dynamics, *state),
    )
    close(found, exact, conditioned(twin))


def test_forward_dynamics_with_forces_at_frames_is_the_same(twin):
    state = twin.q, twin.v, twin.a
    found = twin.pushed(dynamics.forward_dynamics, *state)
    close(found, twin.each_pushed(twin.there.forward_dynamics, *state), conditioned(twin))


def conditioned(twin: Twin) -> float:
    """Accelerations solve M a = τ − h: rounding of M and h, on either side, is felt up to κ(M) times."""
    M = twin.each(twin.there.mass_matrix, twin.q)
    return min(1e-10, 1e-15 * max(np.linalg.cond(M)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [8, 9])
def test_compiled_kernels_of_long_trees_agree(seed):
    """Their code may go over the bodies in loops."""
    twin = twin_of(pinocchio, seed, 120)
    robot, state = Robot(twin.ours), (twin.q, twin.v, twin.a)
    close(robot.inverse_dynamics(*state), twin.each(twin.there.inverse_dynamics, *state))
    close(robot.forward_dynamics(*state), twin.each(twin.there.forward_dynamics, *state), conditioned(twin))


# ---- kinematics ------------------------------------------------------------------------------------------


def test_poses_of_bodies_and_frames_are_the_same(twin):
    positions, quaternions = twin.here(dynamics.poses, twin.q)
    for k, name in enumerate(twin.ours.body_names):
        _pose_is_the_same(twin, name, positions[:, k], quaternions[:, k])
    for name in twin.frames:
        _pose_is_the_same(twin, name, *twin.here(dynamics.frame_pose, twin.q, frame=name))


def _pose_is_the_same(twin, name, p, quaternion):
    exact = [twin.there.pose(q, name) for q in twin.q]
    close(p, np.array([x for x, _ in exact]))
    R = np.array([R for _, R in exact])
    matrices = [Quaternion(*map(float, x)).to_matrix() for x in quaternion]
    close(np.array([m.to_array() for m in matrices]), R)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_jacobians_of_frames_are_the_same(twin, axes):
    for name in twin.frames:
        found = twin.here(dynamics.jacobian, twin.q, frame=name, axes=axes)
        close(found, twin.each(twin.there.jacobian, twin.q, frame=name, axes=axes))


def test_jacobians_of_points_are_those_of_frames_that_stand_there(twin):
    for frame in twin.ours.frames[:6]:
        if frame.body < 0:
            continue
        body = twin.ours.body_names[frame.body]
        exact = twin.each(twin.there.jacobian, twin.q, frame=frame.name)
        close(twin.here(dynamics.jacobian, twin.q, frame=body, point=frame.X_BF.p), exact)
        exact = twin.each(twin.there.jacobian, twin.q, frame=frame.name, axes="body")
        R_BF = frame.X_BF.q.to_matrix().to_array()
        exact = np.concatenate([R_BF @ exact[:, :3], R_BF @ exact[:, 3:]], axis=1)
        close(twin.here(dynamics.jacobian, twin.q, frame=body, point=frame.X_BF.p, axes="body"), exact)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_velocities_of_frames_are_the_same(twin, axes):
    for name in twin.frames:
        found = twin.here(dynamics.frame_velocity, twin.q, twin.v, frame=name, axes=axes)
        close(_six(found), twin.each(twin.there.velocity, twin.q, twin.v, frame=name, axes=axes))


@pytest.mark.parametrize("axes", ["world", "body"])
def test_accelerations_of_frames_are_the_same(twin, axes):
    state = twin.q, twin.v, twin.a
    for name in twin.frames:
        found = twin.here(dynamics.frame_acceleration, *state, frame=name, axes=axes)
        close(_six(found), twin.each(twin.there.acceleration, *state, frame=name, axes=axes))


def _six(halves) -> np.ndarray:
    return np.concatenate(halves, axis=1)


# ---- energies and momenta --------------------------------------------------------------------------------


def test_energies_are_the_same(twin):
    """Both count what the rotors have of their own. V is compared with weight times a metre, for its terms cancel."""
    exact = twin.each(twin.there.energies, twin.q, twin.v)
    weight = twin.ours.mass * twin.ours.gravity.norm()
    close(twin.here(dynamics.kinetic_energy, twin.q, twin.v), exact[:, 0])
    close(twin.here(dynamics.potential_energy, twin.q), exact[:, 1], least=weight)
    close(twin.here(dynamics.energy, twin.q, twin.v), exact.sum(axis=1), least=weight + max(exact[:, 0]))


def test_centres_of_mass_are_the_same(twin):
    close(twin.here(dynamics.center_of_mass, twin.q), twin.each(twin.there.center_of_mass, twin.q))


def test_momenta_are_the_same(twin):
    found = _six(twin.here(dynamics.momentum, twin.q, twin.v))
    close(found, twin.each(twin.there.momentum, twin.q, twin.v))


def test_centroidal_momentum_matrices_are_the_same(twin):
    found = twin.here(dynamics.centroidal_momentum_matrix, twin.q)
    close(found, twin.each(twin.there.centroidal_momentum_matrix, twin.q))


# ---- models of Pinocchio's -------------------------------------------------------------------------------

SLANTED = np.array([0.0, 0.6, 0.8])
JOINTS = {
    "RX": lambda pin: pin.JointModelRX(),
    "RUBY": lambda pin: pin.JointModelRUBY(),
    "PZ": lambda pin: pin.JointModelPZ(),
    "HZ": lambda pin: pin.JointModelHZ(0.3),
    "RevoluteUnaligned": lambda pin: pin.JointModelRevoluteUnaligned(SLANTED),
    "PrismaticUnaligned": lambda pin: pin.JointModelPrismaticUnaligned(SLANTED),
    "HelicalUnaligned": lambda pin: pin.JointModelHelicalUnaligned(SLANTED, 0.3),
    "Universal": lambda pin: pin.JointModelUniversal(SLANTED, np.array([1.0, 0.0, 0.0])),
    "Spherical": lambda pin: pin.JointModelSpherical(),
    "Planar": lambda pin: pin.JointModelPlanar(),
    "FreeFlyer": lambda pin: pin.JointModelFreeFlyer(),
}


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_of_pinocchio_that_has_a_counterpart_moves_alike(name):
    pin = pytest.importorskip("pinocchio")
    there = pin.Model()
    number = there.addJoint(0, JOINTS[name](pin), pin.SE3.Random(), "joint")
    there.appendBodyToJoint(number, pin.Inertia.Random(), pin.SE3.Identity())
    there.addFrame(pin.Frame("tip", number, 0, pin.SE3.Random(), pin.FrameType.OP_FRAME), False)
    there.gravity.linear = np.array([0.4, -3.0, -9.0])
    ours = from_pinocchio(there)
    twin = Twin(ours, PinocchioTree.of(there, ours), 0)
    for frame in ("joint", "tip"):
        _pose_is_the_same(twin, frame, *twin.here(dynamics.frame_pose, twin.q, frame=frame))
    close(twin.here(dynamics.potential_energy, twin.q), twin.each(twin.there.energies, twin.q, twin.v)[:, 1])
    if name != "Planar":  # whose velocities are in the body
        test_mass_matrices_are_the_same(twin)
        test_inverse_dynamics_is_the_same(twin)


def test_a_joint_without_counterpart_is_refused_by_name():
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "wrist")
    with pytest.raises(
        InteropError, match=r"(?s)'wrist' is a JointModelSphericalZYX.*To fix: .*FreeFlyer, Spherical"
    ):
        from_pinocchio(model)


def test_a_joint_of_pinocchio_without_bounds_has_none_here():
    """It means none by infinite ones, and by the largest number there is."""
    pin = pytest.importorskip("pinocchio")
    there = pin.Model()
    there.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "wheel")
    assert from_pinocchio(there).bodies[0].joint.limits == (Limits(),)
    there.upperPositionLimit[0], there.effortLimit[0] = np.inf, 3.0
    assert from_pinocchio(there).bodies[0].joint.limits == (Limits(effort=3.0),)


def test_what_pinocchio_says_of_joints_comes_along():
    pin = pytest.importorskip("pinocchio")
    there = pinocchio_model("panda")
    there.armature[:], there.damping[:] = 0.1, 0.2
    ours = from_pinocchio(there)
    assert ours.name == "panda"
    assert ours.body_names == tuple(there.names)[1:]
    assert {"panda_link0", "panda_hand"} <= set(ours.frame_names)
    first = ours.bodies[0].joint
    assert (first.armature, first.damping) == ((0.1,), (0.2,))
    limit = first.limits[0]
    found = (limit.lower, limit.upper, limit.velocity, limit.effort)
    assert found == (
        there.lowerPositionLimit[0],
        there.upperPositionLimit[0],
        there.velocityLimit[0],
        there.effortLimit[0],
    )
    assert list(ours.gravity) == list(there.gravity.linear) == list(pin.Model().gravity.linear)
