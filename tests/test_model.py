"""The model as plain data: what its digest covers, names and places of its coordinates, and how it prints."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.joint import JOINT_KINDS
from tests.truth.random_trees import random_tree


def test_a_model_is_printed_in_a_line():
    assert repr(qt.examples.model("arm6")) == "<Model arm6: 6 bodies, nq 6, nv 6>"
    assert repr(replace(qt.examples.model("quadruped"), name="dog")) == "<Model dog: 13 bodies, nq 19, nv 18>"


# ---- the digest ---------------------------------------------------------------------------------------


def changed_body(model, k, **changes):
    return replace(
        model, bodies=tuple(replace(b, **changes) if i == k else b for i, b in enumerate(model.bodies))
    )


def changed_joint(model, k, **changes):
    return changed_body(model, k, joint=replace(model.bodies[k].joint, **changes))


ARM = qt.examples.model("arm6")
ONE_BIT = 2.0**-52

MATTERS = {
    "gravity": replace(ARM, gravity=qt.Vec3(0.0, 0.0, -9.81 * (1 + ONE_BIT))),
    "mass": changed_body(ARM, 2, mass=ARM.bodies[2].mass * (1 + ONE_BIT)),
    "centre of mass": changed_body(ARM, 2, p_BBcm=ARM.bodies[2].p_BBcm + qt.Vec3(0.0, 0.0, ONE_BIT)),
    "inertia": changed_body(ARM, 2, I_Bcm_B=ARM.bodies[2].I_Bcm_B * (1 + ONE_BIT)),
    "sign of zero": changed_body(ARM, 2, p_BBcm=qt.Vec3(-0.0, 0.0, ARM.bodies[2].p_BBcm.z)),
    "axis": changed_joint(ARM, 2, axes=(qt.Vec3(0.0, 0.0, 1.0),)),
    "kind": changed_joint(ARM, 2, kind="prismatic"),
    "pitch": changed_joint(ARM, 2, kind="helical", pitch=0.1),
    "place of the joint": changed_joint(ARM, 2, X_PJ=qt.Pose.identity()),
    "place of the body": changed_joint(ARM, 2, X_MB=qt.Pose(qt.Quaternion(0.0, 1.0, 0.0, 0.0), qt.Vec3.zero())),
    "armature": changed_joint(ARM, 2, armature=(0.5,)),
    "damping": changed_joint(ARM, 2, damping=(0.5,)),
    "friction": changed_joint(ARM, 2, friction=(0.5,)),
    "stiffness": changed_joint(ARM, 2, stiffness=(0.5,)),
    "rest": changed_joint(ARM, 2, rest=(0.5,)),
    "joint followed": changed_joint(ARM, 2, mimic=qt.Mimic("joint1")),
    "other joint followed": changed_joint(ARM, 2, mimic=qt.Mimic("joint2")),
    "ratio": changed_joint(ARM, 2, mimic=qt.Mimic("joint1", 2.0)),
    "offset": changed_joint(ARM, 2, mimic=qt.Mimic("joint1", 1.0, 0.5)),
    "parent": changed_body(ARM, 3, parent=1),
    "number of bodies": replace(ARM, bodies=ARM.bodies[:-1]),
}  # fmt: skip

DOES_NOT = {
    "the model's name": replace(ARM, name="another"),
    "a body's name": changed_body(ARM, 2, name="another"),
    "a joint's name": changed_joint(ARM, 2, name="another"),
    "frames": replace(ARM, frames=()),
    "shapes": replace(ARM, shapes=()),
    "actuators": replace(ARM, actuators=()),
    "keyframes": replace(ARM, keyframes=()),
    "limits": changed_joint(ARM, 2, limits=(qt.Limits(-1.0, 1.0),)),
    "continuous for revolute": changed_joint(ARM, 2, kind="continuous"),
}


@pytest.mark.parametrize("what", MATTERS)
def test_the_digest_changes_with_all_that_motion_depends_on(what):
    assert MATTERS[what].digest != ARM.digest


def test_no_two_of_these_changes_have_one_digest():
    assert len({model.digest for model in MATTERS.values()}) == len(MATTERS)


@pytest.mark.parametrize("what", DOES_NOT)
def test_the_digest_does_not_change_with_what_no_motion_depends_on(what):
    assert DOES_NOT[what].digest == ARM.digest


def test_the_digest_is_the_same_in_another_process():
    code = "import quatrain as qt; print(qt.examples.model('humanoid').digest)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == qt.examples.model("humanoid").digest


def test_the_digest_is_the_same_in_every_version_of_python():
    """As Python 3.10 to 3.13 on x86-64 gave it; it may change with what dynamics depends on, never with Python."""
    joint = qt.Joint("j", "revolute", axes=(qt.Vec3(0.6, 0.8, 0.0),), damping=(0.1,))
    body = qt.Body(
        "b", -1, joint, 1 / 3, qt.Vec3(0.1, -0.0, 1e-300), qt.SymMat3(1.0, 2.0, 2.5, 0.1, 0.0, 0.0)
    )
    known = "cbfa05e605a115229940188cc97b017fd9737175aeaa063a6d76128e7d66d98e"
    assert qt.Model("m", (body,)).digest == known


# ---- names and places ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_coordinates_and_velocities_stand_in_the_order_of_the_state(kind):
    """Moved alone by `integrate`, a velocity changes the coordinates of its joint, in its unit."""
    model = random_tree(1, 5, (kind, "revolute"))
    listed, rates = model.coordinates(), model.velocities()
    assert [c.index for c in listed] == list(range(model.nq))
    assert [c.name for c in listed] == list(model.q_names)
    assert [c.name for c in rates] == list(model.v_names)
    assert len({*model.q_names}) == model.nq
    assert len({*model.v_names}) == model.nv
    q = [float(x) for x in dynamics.neutral(model)]
    for rate in rates:
        v = [float(k == rate.index) for k in range(model.nv)]
        moved = np.array(dynamics.integrate(model, q, v, 1e-3), float) - q
        of_joint = {listed[k].name.split(".")[0] for k in np.flatnonzero(moved)}
        assert of_joint == {rate.name.split(".")[0]}
        changed = {listed[k].unit for k in np.flatnonzero(moved)}
        assert changed <= {rate.unit.removesuffix("/s"), ""}


def test_a_slide_is_in_metres_and_an_angle_in_radians():
    cart = qt.examples.model("cart_pole")
    assert [(c.name, c.unit, c.frame) for c in cart.coordinates()] == [
        ("slide", "m", "cart in world"),
        ("hinge", "rad", "pole in cart"),
    ]
    assert [c.unit for c in cart.velocities()] == ["m/s", "rad/s"]


def test_coordinates_print_as_a_table():
    assert str(qt.examples.model("heavy_top").coordinates()).splitlines() == [
        "   name    unit  of",
        "0  tip.qw        top in world, (w, x, y, z)",
        "1  tip.qx        top in world, (w, x, y, z)",
        "2  tip.qy        top in world, (w, x, y, z)",
        "3  tip.qz        top in world, (w, x, y, z)",
    ]
    assert str(qt.examples.model("heavy_top").velocities()).splitlines()[1] == (
        "0  tip.wx  rad/s  top in world, in its own axes"
    )


def test_a_model_prints_as_a_tree():
    built = qt.ModelBuilder("crab", gravity=(0, 0, 0))
    built.body("shell", joint="free", joint_name="root", mass=2, inertia=(1, 1, 1))
    built.body("left", parent="shell", axis=(0, 1, 1), mass=1, inertia=(1, 1, 1))
    built.body("claw", parent="left", joint="prismatic", axis="-x", mass=0.25, inertia=(1, 1, 1))
    built.body("right", parent="shell", axis="y", mass=1, inertia=(1, 1, 1), mimic=("left", -1, 0.5))
    built.body("stone", joint="fixed", mass=5, inertia=(1, 1, 1)).frame("eye", body="shell")
    built.actuator("muscle", joint="left").keyframe("home")
    assert built.model(merge_fixed=False).describe().splitlines() == [
        "crab: 5 bodies, nq 9, nv 8, mass 9.25 kg, gravity (0, 0, 0) m/s²",
        "",
        "body         joint  kind                        q            mass [kg]",
        "world",
        "├─ shell     root   free                        0…6                  2",
        "│  ├─ left   left   revolute (0, 0.707, 0.707)  7                    1",
        "│  │  claw   claw   prismatic -x                8                 0.25",
        "│  └─ right  right  revolute y                  -1 × 7 +0.5          1",
        "└─ stone     stone  fixed                       –                    5",
        "",
        "Frames: eye on shell.",
        "Actuators: muscle on left.",
        "Keyframes: home.",
    ]


def test_a_long_chain_prints_without_moving_right():
    lines = qt.examples.model("snake(300)").describe().splitlines()
    assert max(map(len, lines)) <= 80


def test_a_frame_is_found_by_its_name_or_those_that_are_near_are_told():
    assert ARM.frame("hand").body == 5
    assert ARM.frame("link3") == qt.Frame("link3", 2, qt.Pose.identity())
    assert ARM.frame("world").body == -1
    with pytest.raises(qt.ArgumentError, match=r"arm6 has no frame 'link'(?s:.)*'link1', 'link2'"):
        ARM.frame("link")
    with pytest.raises(qt.ArgumentError, match=r"arm6 has no keyframe 'home'(?s:.)*its keyframes: 'bent'"):
        ARM.keyframe("home")


# ---- plain data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["humanoid", "arm6"])
def test_a_model_pickles_copies_and_does_not_change(name):
    model = qt.examples.model(name)
    before = model.digest
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert other == model
        assert hash(other) == hash(model)
        assert other.digest == before
    with pytest.raises(FrozenInstanceError):
        model.gravity = qt.Vec3.zero()


def test_an_extra_gives_its_attributes_by_name():
    extra = qt.Extra("tendon", "wire", (("stiffness", "3"),), where="robot.xml:12")
    assert extra["stiffness"] == "3"
    with pytest.raises(qt.ArgumentError, match=r"tendon 'wire' has no attribute 'length'(?s:.)*stiffness"):
        extra["length"]
