"""Edits leave the physics as it was: energies, accelerations and places, in states that correspond."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quatrain as qt
from quatrain import edit, ordering
from quatrain.checks import find_faults
from quatrain.equations import dynamics
from quatrain.model import JOINT_KINDS, WORLD
from tests.truth.random_trees import random_pose, random_state, random_tree

REVERSIBLE = ("revolute", "continuous", "prismatic", "helical", "ball", "fixed")
TOLERANCE = (
    2e-11  # of accelerations of trees of up to 14 bodies, whose mass matrices have conditions up to 1e5
)
SEEDS = range(4)


def with_state(model, seed):
    """The model, and a random state as a keyframe, which follows its edits."""
    q, v, _ = random_state(model, seed, batch=1)
    key = qt.Keyframe("there", tuple(map(float, q[0])), tuple(map(float, v[0])))
    return replace(model, keyframes=(key, *model.keyframes))


def energies(model):
    key = model.keyframe("there")
    return [
        float(dynamics.kinetic_energy(model, key.q, key.v)),
        float(dynamics.potential_energy(model, key.q)),
    ]


def pose(model, name):
    return np.array(dynamics.frame_pose(model, model.keyframe("there").q, name).to_matrix().rows, float)


def velocity(model, name):
    key = model.keyframe("there")
    return np.array([[*part] for part in dynamics.frame_velocity(model, key.q, key.v, name)], float)


def acceleration(model, a, name):
    key = model.keyframe("there")
    return np.array([[*part] for part in dynamics.frame_acceleration(model, key.q, key.v, a, name)], float)


def accelerations(model, forces):
    """Forward dynamics under forces by joint."""
    key = model.keyframe("there")
    tau = [x for body in model.bodies for x in forces.get(body.joint.name, (0.0,) * body.joint.nv)]
    return dynamics.forward_dynamics(model, key.q, key.v, tau)


def by_joint(model, values):
    return {
        body.joint.name: list(values[first : first + body.joint.nv])
        for body, first in zip(model.bodies, model.v_starts, strict=True)
    }


def random_forces(model, seed):
    return by_joint(model, np.random.default_rng(seed).normal(size=model.nv).tolist())


def close(found, expected, tolerance=TOLERANCE):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def same_machine(one, two, names, forces=None):
    """Places, velocities and energies of two models in the state `there`, and what forces do to them."""
    for name in names:
        close(pose(two, name), pose(one, name), 1e-12)
        close(velocity(two, name), velocity(one, name), 1e-12)
    close(energies(two), energies(one), 1e-12)
    if forces is not None:
        a, b = (accelerations(model, forces) for model in (one, two))
        for name in names:
            close(acceleration(two, b, name), acceleration(one, a, name))


# ---- order and merging --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_another_order_of_the_bodies_is_the_same_machine(seed):
    model = with_state(random_tree(seed, 10), seed)
    rng = np.random.default_rng(seed)
    order: list[int] = []
    while len(order) < model.nb:  # any order with parents first
        ready = [k for k, b in enumerate(model.bodies) if k not in order and b.parent in (WORLD, *order)]
        order.append(int(rng.choice(ready)))
    mixed = ordering.chosen(model, order)
    again = edit.depth_first(mixed)
    parents = [body.parent for body in again.bodies]
    assert all(k == p + 1 or again.bodies[k - 1].parent >= p for k, p in enumerate(parents))
    forces = random_forces(model, seed)
    for other in (mixed, again):
        same_machine(model, other, model.frame_names, forces)


@pytest.mark.parametrize("seed", SEEDS)
def test_merged_fixed_bodies_are_the_same_machine_and_frames_of_their_names(seed):
    kinds = ("fixed", "revolute", "fixed", "ball", "prismatic", "fixed")
    apart = with_state(random_tree(seed, 12, kinds), seed)
    merged = edit.merged_fixed(apart)
    assert merged.nb == sum(body.joint.kind != "fixed" for body in apart.bodies)
    assert {*merged.frame_names} == {*apart.frame_names}
    assert (merged.nq, merged.keyframes) == (apart.nq, apart.keyframes)
    q = apart.keyframe("there").q
    close(dynamics.mass_matrix(merged, q), dynamics.mass_matrix(apart, q), 1e-12)
    for name in apart.frame_names:
        close(pose(merged, name), pose(apart, name), 1e-12)
    close(energies(merged), energies(apart), 1e-12)
    close(accelerations(merged, {}), accelerations(apart, {}))


def test_a_model_without_fixed_joints_is_merged_to_itself():
    arm = qt.examples.model("arm6")
    assert edit.merged_fixed(arm) is arm
    assert edit.depth_first(arm) is arm


# ---- joints that are fixed ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in JOINT_KINDS if kind != "fixed"])
def test_a_fixed_joint_stays_and_the_others_move_as_if_it_were_held(kind):
    """The equations of motion without its rows and columns, at rest there: M' a = τ − h'."""
    model = with_state(random_tree(3, 8, (kind, "revolute", "ball")), 5)
    joint = next(body.joint for body in model.bodies if body.joint.kind == kind)
    k = model.joint_names.index(joint.name)
    rows = np.arange(model.v_starts[k], model.v_starts[k] + joint.nv)
    key = model.keyframe("there")
    v = np.array(key.v)
    v[rows] = 0
    at = key.q[model.q_starts[k] : model.q_starts[k] + joint.nq]
    fixed = edit.fix_joint(model, joint.name, at if len(at) > 1 else at[0])
    merged = edit.merged_fixed(fixed)
    kept = np.delete(np.arange(model.nv), rows)
    M = np.array(dynamics.mass_matrix(model, key.q), float)[np.ix_(kept, kept)]
    h = np.array(dynamics.bias_force(model, key.q, list(v)), float)[kept]
    for other in (fixed, merged):
        there = other.keyframe("there")
        assert there.v == tuple(v[kept])
        close(dynamics.mass_matrix(other, there.q), M, 1e-12)
        close(dynamics.bias_force(other, there.q, there.v), h, 1e-12)


def test_joints_that_follow_a_fixed_one_are_fixed_where_they_then_are():
    built = qt.ModelBuilder("gripper").body("palm", axis="z", mass=1, inertia=(1, 1, 1))
    for name, mimic in (("left", None), ("right", ("left", -2.0, 0.1)), ("tip", ("right", 3.0))):
        built.body(name, parent="palm", axis="x", at=(0, 1, 0), mass=1, inertia=(1, 1, 1), mimic=mimic)
    model = built.keyframe("there", {"palm": 0.3, "left": 0.4}).actuator("motor", joint="left").model()
    held = edit.fix_joint(model, "left", 0.4)
    assert [body.joint.kind for body in held.bodies] == ["revolute", "fixed", "fixed", "fixed"]
    assert held.actuators == ()
    for name in model.body_names:
        close(pose(held, name), pose(model, name), 1e-15)
    assert find_faults(held) == []
    with pytest.raises(qt.ArgumentError, match=r"joint 'tip' follows 'right'(?s:.)*fix that one"):
        edit.fix_joint(model, "tip")


# ---- parts and wholes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subtree_has_its_block_of_the_mass_matrix(seed):
    """What is beyond a joint feels the same inertia wherever the rest is."""
    model = with_state(random_tree(seed, 12, root="free"), seed)
    name = model.body_names[3]
    part = edit.subtree(model, name)
    assert part.body_names[0] == name
    assert part.name == name
    rows = [model.v_names.index(v) for v in part.v_names]
    M = np.array(dynamics.mass_matrix(model, model.keyframe("there").q), float)
    close(dynamics.mass_matrix(part, part.keyframe("there").q), M[np.ix_(rows, rows)], 1e-12)
    assert {f.name for f in part.frames} <= {f.name for f in model.frames}
    assert find_faults(part) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subtree_put_back_gives_the_machine_again(seed):
    model = with_state(random_tree(seed, 12, root="free"), seed)
    name = model.body_names[4]
    part = edit.subtree(model, name)
    rest = ordering.chosen(model, [k for k, b in enumerate(model.bodies) if b.name not in part.body_names])
    parent = model.body_names[model.bodies[4].parent]
    joined = edit.attach(replace(rest, name="rest"), part, to=parent)
    names = [*model.body_names, *(f.name for f in model.frames if f.body != WORLD)]
    assert {*joined.frame_names} >= {*names}
    same_machine(model, joined, names, random_forces(model, seed))


def test_an_attached_model_stands_on_its_frame_with_its_names_prefixed():
    arm, hand = (with_state(qt.examples.model(name), 2) for name in ("arm6", "snake(3)"))
    hand = replace(hand, extras=(qt.Extra("tendon", "wire"),), gravity=qt.Vec3.zero())
    jet = qt.Actuator("jet", frame="nose", gear=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    hand = replace(hand, actuators=(qt.Actuator("pull", joint="joint2"), jet))
    at = random_pose(np.random.default_rng(1))
    both = edit.attach(arm, hand, to="hand", at=at, prefix="tool_")
    assert both.gravity == arm.gravity
    assert both.joint_names == (*arm.joint_names, "tool_joint1", "tool_joint2", "tool_joint3")
    assert both.nu == 8
    assert (both.actuators[-2].joint, both.actuators[-1].frame) == ("tool_joint2", "tool_nose")
    assert both.extras == (qt.Extra("tendon", "tool_wire"),)
    assert len(both.shapes) == 9
    assert find_faults(both) == []
    state = tuple(arm.keyframe("there").q) + tuple(hand.keyframe("there").q)
    wrist = dynamics.frame_pose(arm, arm.keyframe("there").q, "hand") @ at
    expected = wrist @ dynamics.frame_pose(hand, hand.keyframe("there").q, "nose")
    found = dynamics.frame_pose(both, state, "tool_nose")
    close(found.to_matrix().rows, expected.to_matrix().rows, 1e-14)
    # Keyframes of each, the other at zero.
    assert both.keyframe("tool_there").q == (0.0,) * 6 + hand.keyframe("there").q
    assert both.keyframe("bent").q == arm.keyframe("bent").q + (0.0,) * 3


def test_models_merged_on_one_ground_do_not_feel_one_another():
    parts = [with_state(random_tree(seed, 4), seed) for seed in (1, 2)]
    parts[1] = replace(parts[1], gravity=parts[0].gravity)
    both = edit.merge({"first_": parts[0], "second_": parts[1]}, name="both")
    states = [ordering.states_of(both)[key] for key in ("first_there", "second_there")]
    both = ordering.with_states(
        both, {"there": {**states[1], **{k: s for k, s in states[0].items() if k[0] == "f"}}}
    )
    assert both.name == "both"
    close(energies(both), np.add(*map(energies, parts)), 1e-12)
    M = np.array(dynamics.mass_matrix(both, both.keyframe("there").q), float)
    assert np.all(M[: parts[0].nv, parts[0].nv :] == 0)
    one = qt.examples.model("pendulum")
    assert edit.merge([one, qt.examples.model("arm6")], name="b").joint_names[:2] == ("pivot", "joint1")


# ---- another root -------------------------------------------------------------------------------------


def isotropic(model):
    """Balls whose rotor is the same about every axis, as a reversed one must be."""

    def one(body):
        armature = body.joint.armature[:1] * len(body.joint.armature)
        return (
            replace(body, joint=replace(body.joint, armature=armature)) if body.joint.kind == "ball" else body
        )

    return replace(model, bodies=tuple(map(one, model.bodies)))


def reversed_forces(model, forces, path):
    """The same forces on a machine whose joints on the path are reversed: of a ball τ' = −R τ."""
    key, found = model.keyframe("there"), dict(forces)
    for name in path:
        k = model.body_names.index(name)
        joint = model.bodies[k].joint
        if joint.kind == "ball":
            R = qt.Quaternion(*key.q[model.q_starts[k] : model.q_starts[k] + 4])
            found[joint.name] = list(-R.rotate(qt.Vec3(*forces[joint.name])))
    return found


@pytest.mark.parametrize("seed", range(8))
def test_a_machine_with_another_root_moves_as_it_did(seed):
    model = isotropic(with_state(random_tree(seed, 10, REVERSIBLE, root="free"), seed))
    # The rotor of a free joint belongs to the world, not to the machine: without it, any body may be the root.
    first = model.bodies[0]
    model = replace(
        model, bodies=(replace(first, joint=replace(first.joint, armature=())), *model.bodies[1:])
    )
    name = model.body_names[-1]
    path, k = [], model.nb - 1
    while k != 0:
        path.append(model.body_names[k])
        k = model.bodies[k].parent
    turned = edit.reroot(model, name)
    assert turned.bodies[0].name == name
    assert {*turned.body_names} == {*model.body_names}
    forces = random_forces(model, seed)
    forces[first.joint.name] = [0.0] * 6
    names = model.frame_names
    for each in names:
        close(pose(turned, each), pose(model, each), 1e-12)
        close(velocity(turned, each), velocity(model, each), 1e-12)
    close(energies(turned), energies(model), 1e-12)
    a, b = accelerations(model, forces), accelerations(turned, reversed_forces(model, forces, path))
    for each in names:
        close(acceleration(turned, b, each), acceleration(model, a, each))
    # And back: the same machine, to rounding.
    back = edit.reroot(turned, first.name)
    same_machine(model, back, names, forces)


def test_a_quadruped_carried_by_its_foot_keeps_its_momentum_matrix():
    dog = with_state(qt.examples.model("quadruped"), 4)
    turned = edit.reroot(dog, "FL_shank")
    for model in (dog, turned):
        key = model.keyframe("there")
        linear, angular = dynamics.momentum(model, key.q, key.v)
        close([*linear, *angular], [*dog_momentum(dog)], 1e-12)
    assert turned.keyframe("standing") != dog.keyframe("standing")
    assert [a.name for a in turned.actuators] == [a.name for a in dog.actuators]


def dog_momentum(model):
    """Sums over the bodies: m v_cm, and I ω + (c − C) × m v_cm."""
    key = model.keyframe("there")
    centre = dynamics.center_of_mass(model, key.q)
    linear, angular = qt.Vec3(0.0, 0.0, 0.0), qt.Vec3(0.0, 0.0, 0.0)
    for body in model.bodies:
        X = dynamics.frame_pose(model, key.q, body.name)
        v, w = dynamics.frame_velocity(model, key.q, key.v, body.name)
        arm = X.q.rotate(body.p_BBcm)
        p = (v + qt.cross(w, arm)) * body.mass
        linear = linear + p
        own = X.q.rotate(body.I_Bcm_B @ X.q.inverse_rotate(w))
        angular = angular + own + qt.cross(X.p + arm - centre, p)
    return *linear, *angular


# ---- mistakes -----------------------------------------------------------------------------------------

ARM = qt.examples.model("arm6")
FINGERS = (
    qt.ModelBuilder("fingers").body("hub", joint="free", mass=1, inertia=(1, 1, 1))
    .body("a", parent="hub", mass=1, inertia=(1, 1, 1)).body("b", parent="hub", mass=1, inertia=(1, 1, 1), mimic="a")
    .body("c", parent="a", joint="universal", mass=1, inertia=(1, 1, 1))
    .body("d", parent="a", joint="ball", mass=1, inertia=(1, 1, 1), damping=(1, 2, 3)).model()
)  # fmt: skip

SPRUNG = (
    qt.ModelBuilder("sprung").body("a", joint="free", mass=1, inertia=(1, 1, 1), stiffness=(0, 0, 9, 0, 0, 0))
    .body("b", parent="a", mass=1, inertia=(1, 1, 1)).model()
)  # fmt: skip

MISTAKES = {
    "joint": (lambda: edit.fix_joint(ARM, "elbow"), r"arm6 has no joint 'elbow'(?s:.)*joint1, joint2"),
    "value": (lambda: edit.fix_joint(ARM, "joint1", [1, 2]), r"joint 'joint1' has 1 coordinates, and 2 came"),
    "text": (lambda: edit.fix_joint(ARM, "joint1", "bent"), r"the value of joint 'joint1' is 'bent'"),
    "no number": (lambda: edit.fix_joint(ARM, "joint1", float("nan")), r"joint 'joint1' is nan(?s:.)*finite"),
    "quaternion": (
        lambda: edit.fix_joint(FINGERS, "d", (1, 1, 0, 0)),
        r"joint 'd' has a quaternion of norm 1\.41421356",
    ),
    "at": (lambda: edit.attach(ARM, ARM, at=(0, 0, 1), prefix="b_"), r"at is \(0, 0, 1\).*needs a Pose"),
    "body": (lambda: edit.subtree(ARM, "elbow"), r"arm6 has no body 'elbow'(?s:.)*link1, link2"),
    "names": (lambda: edit.attach(ARM, ARM), r"arm6 and arm6 both have 'link1' and 12 more(?s:.)*prefix="),
    "frame": (lambda: edit.attach(ARM, ARM, to="tip"), r"arm6 has no frame 'tip'"),
    "root": (lambda: edit.reroot(ARM, "link3"), r"'link1' hangs on a revolute joint, so 'link3' cannot"),
    "order": (lambda: edit.reroot(FINGERS, "c"), r"joint 'c' is universal: its motions have an order"),
    "ball": (lambda: edit.reroot(FINGERS, "d"), r"damping of the ball 'd' is not the same about every axis"),
    "base": (lambda: edit.reroot(SPRUNG, "b"), r"stiffness of 'a' resists the motion of 'a' in the world"),
    "follower": (lambda: edit.subtree(FINGERS, "b"), r"joint 'b' follows 'a', which is not beyond 'b'"),
    "robot": (lambda: edit.subtree(qt.Robot(ARM), "link3"), r"model is a Robot(?s:.)*pass robot.model"),
    "nothing": (lambda: edit.merge([], name="none"), r"no models came(?s:.)*at least one"),
    "no model": (lambda: edit.reroot("arm6", "link3"), r"model is 'arm6', of type str; this needs a Model"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_edit_that_cannot_be_says_why(mistake):
    make, text = MISTAKES[mistake]
    with pytest.raises(qt.ArgumentError, match=text) as caught:
        make()
    assert "To fix:" in str(caught.value)
