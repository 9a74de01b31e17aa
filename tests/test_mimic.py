"""Joints that follow others: the reduced equations against those of the same machine with all its freedoms."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from quatrain import ArgumentError, Body, Joint, Limits, Mimic, Model, Robot, SymMat3, Vec3
from quatrain.compiler import trace
from quatrain.compiler.counts import operations
from quatrain.equations import dynamics
from quatrain.equations.connection import christoffel
from quatrain.kernel import as_arrays
from quatrain.model import AXES, WORLD
from tests.truth.random_trees import SINGLE, on_columns, random_state, random_tree
from tests.truth.trees_elsewhere import PinocchioTree

SEEDS = range(6)
BATCH = 3
TOLERANCE = 1e-13
"""Sums of up to forty parts of either sign, each to some roundings, relative to the largest number of the answer."""


def with_mimics(model: Model, mimics: dict[str, Mimic]) -> Model:
    bodies = (replace(b, joint=replace(b.joint, mimic=mimics.get(b.joint.name))) for b in model.bodies)
    return replace(model, bodies=tuple(bodies))


class Geared:
    """A random tree in which half of the joints of one freedom follow others, and the same without: q = T z + t."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng([20260401, seed])
        self.free = random_tree(seed, 14)
        single = [b.joint.name for b in self.free.bodies if b.joint.kind in SINGLE]
        order = random.permutation(single).tolist()
        # Each follows a later one of a random order: ancestors, descendants, cousins, and others that follow.
        self.mimics = {
            name: Mimic(str(random.choice(order[k + 1 :])), *map(float, random.normal(size=2)))
            for k, name in enumerate(order[: max(2, len(order) // 2)])
        }
        self.model = with_mimics(self.free, self.mimics)
        self.z, self.v, self.a = random_state(self.model, seed, BATCH)
        self.q, self.T = self.unreduced(self.z), self._matrix()

    def unreduced(self, z: np.ndarray) -> np.ndarray:
        return np.concatenate([self._entry(name, z) for name in self.free.joint_names], axis=1)

    def _entry(self, name: str, z: np.ndarray) -> np.ndarray:
        if name in self.mimics:
            follows = self.mimics[name]
            return self._entry(follows.joint, z) * follows.ratio + follows.offset
        k = self.model.joint_names.index(name)
        start = sum(b.joint.nq for b in self.model.bodies[:k])
        return z[:, start : start + self.model.bodies[k].joint.nq]

    def _matrix(self) -> np.ndarray:
        T = np.zeros((self.free.nv, self.model.nv))
        for i, name in enumerate(self.free.v_names):
            factor = 1.0
            while name in self.mimics:
                factor, name = factor * self.mimics[name].ratio, self.mimics[name].joint
            T[i, self.model.v_names.index(name)] = factor
        return T

    def here(self, function, *states, **options):
        return on_columns(function, self.model, *states, **options)

    def there(self, function, *states, **options):
        return on_columns(function, self.free, *states, **options)

    def up(self, v: np.ndarray) -> np.ndarray:
        return v @ self.T.T


@pytest.fixture(params=SEEDS)
def geared(request) -> Geared:
    return Geared(request.param)


def close(found, exact, tolerance=TOLERANCE):
    found, exact = np.broadcast_arrays(found, exact)
    assert np.max(np.abs(found - exact)) < tolerance * max(1.0, np.max(np.abs(exact)))


# ---- q = T z + t ---------------------------------------------------------------------------------------


def test_joints_that_follow_have_no_coordinates(geared):
    own = [n for n in geared.free.joint_names if n not in geared.mimics]
    assert geared.model.nv == geared.free.nv - len(geared.mimics)
    assert geared.model.nq == geared.free.nq - len(geared.mimics)
    assert set(geared.model.v_names) == {n for n in geared.free.v_names if n not in geared.mimics}
    assert [c.name for c in geared.model.coordinates()] == list(geared.model.q_names)
    assert len(geared.model.velocities()) == geared.model.nv == len(geared.model.v_names)
    assert all(any(name.startswith(joint) for joint in own) for name in geared.model.q_names)


def test_bodies_stand_where_they_stand_with_all_freedoms(geared):
    for found, exact in zip(
        geared.here(dynamics.poses, geared.z), geared.there(dynamics.poses, geared.q), strict=True
    ):
        close(found, exact)


def test_mass_matrix_is_reduced(geared):
    """Tᵀ M T"""
    M = geared.there(dynamics.mass_matrix, geared.q)
    close(geared.here(dynamics.mass_matrix, geared.z), geared.T.T @ M @ geared.T)


def test_coriolis_matrix_is_reduced(geared):
    """Tᵀ C T, as T is constant."""
    C = geared.there(dynamics.coriolis_matrix, geared.q, geared.up(geared.v))
    close(geared.here(dynamics.coriolis_matrix, geared.z, geared.v), geared.T.T @ C @ geared.T)


def test_christoffel_symbols_are_reduced(geared):
    G = geared.there(christoffel, geared.q)
    reduced = np.einsum("nabc,ai,bj,ck->nijk", G, geared.T, geared.T, geared.T)
    close(geared.here(christoffel, geared.z), reduced)


def test_forces_are_reduced(geared):
    """Tᵀ τ"""
    v, a = geared.up(geared.v), geared.up(geared.a)
    for function, reduced, whole in (
        (dynamics.gravity_force, (), ()),
        (dynamics.bias_force, (geared.v,), (v,)),
        (dynamics.inverse_dynamics, (geared.v, geared.a), (v, a)),
    ):
        tau = geared.there(function, geared.q, *whole)
        close(geared.here(function, geared.z, *reduced), tau @ geared.T)


def test_jacobians_and_momentum_matrices_add_columns_up(geared):
    """J T"""
    frame = geared.model.body_names[-1]
    J = geared.there(dynamics.jacobian, geared.q, frame=frame)
    close(geared.here(dynamics.jacobian, geared.z, frame=frame), J @ geared.T)
    A = geared.there(dynamics.centroidal_momentum_matrix, geared.q)
    close(geared.here(dynamics.centroidal_momentum_matrix, geared.z), A @ geared.T)
    rate = geared.there(dynamics.centroidal_momentum_matrix_rate, geared.q, geared.up(geared.v))
    found = geared.here(dynamics.centroidal_momentum_matrix_rate, geared.z, geared.v)
    close(found, rate @ geared.T)


def test_motions_energies_and_momenta_are_those_of_all_freedoms(geared):
    frame, up = geared.model.body_names[-1], geared.up
    for function, reduced, whole, options in (
        (dynamics.frame_velocity, (geared.v,), (up(geared.v),), {"frame": frame}),
        (
            dynamics.frame_acceleration,
            (geared.v, geared.a),
            (up(geared.v), up(geared.a)),
            {"frame": frame},
        ),
        (dynamics.kinetic_energy, (geared.v,), (up(geared.v),), {}),
        (dynamics.potential_energy, (), (), {}),
        (dynamics.momentum, (geared.v,), (up(geared.v),), {}),
        (dynamics.momentum_rate, (geared.v, geared.a), (up(geared.v), up(geared.a)), {}),
    ):
        found = geared.here(function, geared.z, *reduced, **options)
        exact = geared.there(function, geared.q, *whole, **options)
        for one, other in zip(found, exact, strict=True):
            close(one, other)


def test_integration_follows(geared):
    """T (z ⊕ ż dt) + t = q ⊕ q̇ dt, and the difference leads back."""
    z = geared.here(dynamics.integrate, geared.z, geared.v, dt=0.3)
    close(geared.unreduced(z), geared.there(dynamics.integrate, geared.q, geared.up(geared.v), dt=0.3))
    close(geared.here(dynamics.difference, geared.z, z), geared.v * 0.3)
    close(
        geared.unreduced(np.array([dynamics.neutral(geared.model)])),
        geared.unreduced(np.array([[x for b in geared.model.bodies for x in b.joint.neutral]])),
    )


# ---- what the reduced machine does -----------------------------------------------------------------------


def test_forward_dynamics_undoes_inverse_dynamics(geared):
    """With forces at a frame; to the condition of M, as both go through it."""
    wrench = {geared.model.body_names[-1]: (Vec3(1.0, -2.0, 3.0), Vec3(0.5, 0.2, -1.0))}
    tau = geared.here(dynamics.inverse_dynamics, geared.z, geared.v, geared.a, external=wrench)
    M = geared.here(dynamics.mass_matrix, geared.z)
    found = geared.here(dynamics.forward_dynamics, geared.z, geared.v, tau, external=wrench)
    close(found, geared.a, 1e-14 * np.max(np.linalg.cond(M)))


def test_compiled_kernels_agree_with_the_equations(geared):
    robot = pickle.loads(pickle.dumps(Robot(geared.model)))
    tau = robot.inverse_dynamics(geared.z, geared.v, geared.a)
    close(tau, geared.here(dynamics.inverse_dynamics, geared.z, geared.v, geared.a))
    found = robot.forward_dynamics(geared.z, geared.v, geared.a)
    exact = geared.here(dynamics.forward_dynamics, geared.z, geared.v, geared.a)
    close(found, exact, 1e-14 * np.max(np.linalg.cond(robot.mass_matrix(geared.z))))


def test_pinocchio_reduces_the_same_way():
    """By its inverse dynamics: its mass matrix (4.1) leaves out what following joints couple across branches."""
    pin = pytest.importorskip("pinocchio")
    kinds = ("revolute", "prismatic", "ball")
    free = random_tree(3, 9, kinds)
    single = [b.joint.name for b in free.bodies if b.joint.kind != "ball"]
    mimics = {single[2]: Mimic(single[0], -0.7, 0.3), single[-1]: Mimic(single[1], 1.9, -0.2)}
    free = replace(free, bodies=tuple(replace(b, joint=replace(b.joint, armature=())) for b in free.bodies))
    model = with_mimics(free, mimics)
    there = PinocchioTree(free).model
    for name, mimic in mimics.items():
        index = (there.getJointId(mimic.joint), there.getJointId(name))
        there = pin.transformJointIntoMimic(there, *index, mimic.ratio, mimic.offset)
    assert there.nv == model.nv
    z, v, a = random_state(model, 3, BATCH)
    # Theirs are in the order of joints too, but a quaternion is (x, y, z, w).
    starts = [k for b, k in zip(model.bodies, model.q_starts, strict=True) if b.joint.kind == "ball"]
    theirs = z.copy()
    for k in starts:
        theirs[:, k : k + 4] = np.roll(z[:, k : k + 4], -1, axis=1)
    data, still = there.createData(), np.zeros(model.nv)
    M = on_columns(dynamics.mass_matrix, model, z)
    tau = on_columns(dynamics.inverse_dynamics, model, z, v, a)
    for k in range(BATCH):
        close(tau[k], pin.rnea(there, data, theirs[k], v[k], a[k]))
        weight = pin.rnea(there, data, theirs[k], still, still)
        columns = [pin.rnea(there, data, theirs[k], still, unit) - weight for unit in np.eye(model.nv)]
        close(M[k], np.array(columns).T)


def test_two_geared_wheels_are_one_wheel():
    """I₁ + r² I₂, rotors with them: the textbook's reduced inertia; a slide adds r² m and its weight r m g."""

    def body(name, kind, axis, mass, inertia, mimic=None, rotor=0.0):
        joint = Joint(name, kind, axes=(axis,), armature=(rotor,), mimic=mimic)
        return Body(name, WORLD, joint, mass, Vec3.zero(), SymMat3.diagonal(inertia, inertia, inertia))

    x, z = AXES[0], AXES[2]
    wheels = Model(
        "winch",
        (
            body("hook", "prismatic", z, 5.0, 0.1, Mimic("drum", 0.1, 2.0)),
            body("drum", "revolute", z, 2.0, 0.3, rotor=0.05),
            body("motor", "revolute", x, 1.0, 0.01, Mimic("drum", -20.0), rotor=0.002),
        ),
    )
    inertia = 0.3 + 0.05 + 400 * (0.01 + 0.002) + 0.01 * 5.0
    assert wheels.v_names == ("drum",)
    np.testing.assert_allclose(dynamics.mass_matrix(wheels, [0.4]), [[inertia]], rtol=1e-15)
    np.testing.assert_allclose(dynamics.gravity_force(wheels, [0.4]), [0.1 * 5.0 * 9.81], rtol=1e-15)
    a = dynamics.forward_dynamics(wheels, [0.4], [0.7], [1.3])
    np.testing.assert_allclose(a, [(1.3 - 0.1 * 5.0 * 9.81) / inertia], rtol=1e-15)
    assert dynamics.frame_pose(wheels, [0.4], "hook").p.z == 2.0 + 0.1 * 0.4


def test_ordinary_joints_pay_nothing():
    """(m l²) a + (m l) (g sin q): one sine, three products, one sum."""
    joint = Joint("pivot", "revolute", axes=(AXES[1],))
    bob = Body("bob", WORLD, joint, 1.5, Vec3(0.0, 0.0, -0.8), SymMat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    pendulum = Model("pendulum", (bob,))

    def inverse(q, a):
        return as_arrays(dynamics.inverse_dynamics(pendulum, q, [0.0], a))

    counted = operations(trace(inverse, {"q": 1, "a": 1}))
    assert counted["sin"] == 1
    assert sum(counted.values()) == 5


# ---- limits ---------------------------------------------------------------------------------------------


def finger(name: str, limits: tuple[Limits, ...], mimic: Mimic | None = None) -> Body:
    joint = Joint(name, "prismatic", axes=(AXES[0],), limits=limits, mimic=mimic)
    return Body(name, WORLD, joint, 1.0, Vec3.zero(), SymMat3.diagonal(1.0, 1.0, 1.0))


def test_a_coordinate_stays_within_the_limits_of_all_it_moves():
    hand = Model(
        "hand",
        (
            finger("left", (Limits(-1.0, 0.5),)),
            finger("right", (Limits(-0.4, None),), Mimic("left", -2.0, 0.2)),
            finger("third", (Limits(0.0, 0.9),), Mimic("right", -0.5)),  # 1.0 · left − 0.1
        ),
    )
    # −2 z + 0.2 ≥ −0.4 and z − 0.1 ≥ 0
    np.testing.assert_allclose(dynamics.bounds(hand), [(0.1, 0.3)], rtol=1e-15)
    q = Robot(hand).random_configuration(np.random.default_rng(1), 100)
    assert q.shape == (100, 1)
    assert 0.1 <= q.min() < 0.12
    assert 0.28 < q.max() <= 0.3


# ---- errors ---------------------------------------------------------------------------------------------


def test_following_nobody_says_so():
    hand = Model("hand", (finger("left", (), Mimic("thumb")),))
    with pytest.raises(ArgumentError, match="hand: joint 'left' follows 'thumb', which is no joint here"):
        hand.drives  # noqa: B018


def test_following_in_a_circle_says_so():
    bodies = finger("a", (), Mimic("b")), finger("b", (), Mimic("c")), finger("c", (), Mimic("b"))
    with pytest.raises(ArgumentError, match="joint 'c' follows 'b', which follows it: a → b → c → b"):
        Model("hand", bodies).drives  # noqa: B018


def test_following_a_joint_of_several_freedoms_says_so():
    ball = replace(finger("wrist", ()), joint=Joint("wrist", "ball"))
    with pytest.raises(ArgumentError, match="'left' follows 'wrist', and 'wrist' is a ball joint"):
        Model("hand", (ball, finger("left", (), Mimic("wrist")))).drives  # noqa: B018
    wrist = replace(ball, joint=Joint("wrist", "ball", mimic=Mimic("left")))
    with pytest.raises(ArgumentError, match="'wrist' follows 'left', and 'wrist' is a ball joint"):
        Model("hand", (finger("left", ()), wrist)).drives  # noqa: B018


def test_giving_a_value_to_a_joint_that_follows_says_so():
    hand = Robot(Model("hand", (finger("left", ()), finger("right", (), Mimic("left", -1.0)))))
    assert hand.configuration(left=0.2).tolist() == [0.2]
    with pytest.raises(ArgumentError, match="joint 'right' follows 'left'") as caught:
        hand.configuration(right=0.2)
    assert "give that one" in caught.value.do


def test_what_follows_is_part_of_what_a_model_is_known_by():
    def hand(**mimic):
        return Model("hand", (finger("left", ()), finger("right", (), Mimic("left", **mimic))))

    digests = {hand().digest, hand(ratio=-1.0).digest, hand(offset=0.1).digest, hand(ratio=1.0).digest}
    assert len(digests) == 3
