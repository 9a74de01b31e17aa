"""Every fault of a model is found, told whose it is and what to do, and all of them in one report."""

from __future__ import annotations

import logging
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quatrain as qt
from quatrain.checks import checked, examined, find_faults
from quatrain.equations import dynamics
from quatrain.faults.inertias import principal_moments
from quatrain.model import AXES, WORLD, Body
from tests.truth.random_trees import random_tree

ONE = qt.SymMat3.diagonal(1.0, 1.0, 1.0)
NAN = float("nan")


def body(
    name="b0", parent=WORLD, kind="revolute", mass=1.0, com=(0.0, 0.0, 0.5), inertia=ONE, joint=None, **more
):
    axes = {"axes": (AXES[0],)} if kind in ("revolute", "continuous", "prismatic", "helical") else {}
    options = {"name": joint or "j" + name[1:], "kind": kind, **axes, **more}
    return Body(name, parent, qt.Joint(**options), mass, qt.Vec3(*com), inertia)


def model(*bodies, **other):
    return qt.Model("machine", bodies or (body(),), **other)


def told(one):
    return [str(fault) for fault in find_faults(one)]


# ---- each fault ---------------------------------------------------------------------------------------

HALF = qt.Pose(qt.Quaternion(0.5, 0.0, 0.0, 0.0), qt.Vec3.zero())
FAR = qt.Pose(qt.Quaternion.identity(), qt.Vec3(0.0, NAN, 0.0))
CHILD = body("b1", 0)
BALL = body(kind="ball")

ERRORS = {
    # names and order
    "two bodies": (model(body(), body(joint="j1")), "body 'b0': 2 have this name", "give each its own"),
    "two joints": (
        model(body(), body("b1", joint="j0")),
        "joint 'j0': 2 have this name",
        "give each its own",
    ),
    "two coordinates": (
        model(body(kind="universal", axes=AXES[:2]), body("b1", joint="j0.1")),
        "coordinate 'j0.1': 2 have this name",
        "give each its own",
    ),
    "two frames": (model(frames=(qt.Frame("f", 0, qt.Pose.identity()),) * 2), "frame 'f': 2 have", "its own"),
    "a frame like a body": (
        model(frames=(qt.Frame("b0", 0, qt.Pose.identity()),)),
        "frame 'b0': a body has this name",
        "its own",
    ),
    "world": (model(body("world")), "frame 'world': this name means the ground", "choose another"),
    "no name": (model(body("")), "frame '': there is no name", "choose another"),
    "no parent": (model(body("b0", 7)), "body 'b0': its parent is number 7, and there are 1", "WORLD (-1)"),
    "late parent": (
        model(body("b0", 1), body("b1")),
        "body 'b0': it comes before 'b1', which carries it",
        "parents before",
    ),
    "cycle": (
        model(body("b0", 1), body("b1", 2), body("b2", 0)),
        "body 'b0': it is carried by itself: b0 → b1 → b2 → b0",
        "stand on the ground",
    ),
    "own parent": (
        model(body("b0", 0)),
        "body 'b0': it is carried by itself: b0 → b0",
        "stand on the ground",
    ),
    # joints
    "kind": (model(body(kind="hinge")), "joint 'j0': its kind is 'hinge'", "choose fixed, revolute"),
    "three axes": (model(body(axes=AXES)), "joint 'j0': a revolute joint has 1 axes, and 3 came", "give 1"),
    "no axis": (model(body(axes=())), "a revolute joint has 1 axes, and 0 came", "give 1"),
    "zero axis": (
        model(body(axes=(qt.Vec3.zero(),))),
        "axis (0, 0, 0) has no direction",
        "unit vector",
    ),
    "long axis": (
        model(body(axes=(qt.Vec3(0.0, 2.0, 0.0),))),
        "axis (0.0, 2.0, 0.0) has length 2",
        "unit vector",
    ),
    "NaN axis": (
        model(body(axes=(qt.Vec3(0.0, NAN, 0.0),))),
        "axis (0.0, nan, 0.0) is not finite",
        "unit vector",
    ),
    "parallel": (
        model(body(kind="universal", axes=(AXES[0], -AXES[0]))),
        "its two axes are parallel",
        "give two directions",
    ),
    "oblique": (
        model(body(kind="planar", axes=(AXES[0], qt.Vec3(0.6, 0.8, 0.0), AXES[2]))),
        "its axes are not perpendicular",
        "give three",
    ),
    "quaternion": (
        model(body(X_PJ=HALF)),
        "joint 'j0': X_PJ has a quaternion of norm 0.5",
        "unit quaternion, in the order (w, x, y, z)",
    ),
    "place": (model(body(X_MB=FAR)), "joint 'j0': X_MB is not finite", "a finite point"),
    "armature": (
        model(body(armature=(1.0, 2.0))),
        "armature has 2 entries, and a revolute joint 1 freedom.",
        "give 1, or none",
    ),
    "armature of a ball": (
        model(body(kind="ball", armature=(1.0,))),
        "armature has 1 entries, and a ball joint 3 freedoms",
        "give 3",
    ),
    "rest of a ball": (
        model(body(kind="ball", stiffness=(1.0,) * 3, rest=(0.0,) * 3)),
        "rest has 3 entries, and a ball joint 4 coordinates",
        "give 4",
    ),
    "armature of a fixed joint": (
        model(body(kind="fixed", armature=(1.0,))),
        "armature has 1 entries, and a fixed joint 0 freedoms",
        "give none",
    ),
    "damping": (model(body(damping=(-1.0,))), "damping is (-1.0,)", "not below zero"),
    "stiffness": (model(body(stiffness=(NAN,))), "stiffness is (nan,)", "finite numbers"),
    "friction": (model(body(friction=("much",))), "friction is ('much',)", "finite numbers"),
    "pitch": (model(body(kind="helical", pitch=math.inf)), "its pitch is inf", "metres per radian"),
    "limits": (model(body(limits=(qt.Limits(2.0, -1.0),))), "limits 2 > -1 are reversed", "swap them"),
    "NaN limit": (model(body(limits=(qt.Limits(NAN, 1.0),))), "a limit is NaN", "leave out"),
    "negative effort": (
        model(body(limits=(qt.Limits(effort=-1.0),))),
        "a greatest value is negative",
        "without a sign",
    ),
    "limits of a ball": (
        model(body(kind="ball", limits=(qt.Limits(-1.0, 1.0),))),
        "there are limits for 1 freedoms, and it has 3",
        "for each, or none",
    ),
    # joints that follow
    "follows nobody": (
        model(body(mimic=qt.Mimic("elbow"))),
        "joint 'j0': it follows 'elbow', which is no joint of machine",
        "name one of j0",
    ),
    "follows itself": (
        model(body(mimic=qt.Mimic("j0"))),
        "joint 'j0': it follows itself: j0 → j0",
        "its own coordinate",
    ),
    "follow one another": (
        model(body(mimic=qt.Mimic("j1")), body("b1", mimic=qt.Mimic("j0"))),
        "joint 'j0': it follows itself: j0 → j1 → j0",
        "its own coordinate",
    ),
    "follows a ball": (
        model(BALL, body("b1", mimic=qt.Mimic("j0"))),
        "joint 'j1': it follows 'j0', and 'j0' is a ball joint",
        "one freedom",
    ),
    "ratio 0": (
        model(body(), body("b1", mimic=qt.Mimic("j0", 0.0))),
        "it follows 'j0' with the ratio 0, so it never moves",
        "a fixed joint",
    ),
    "ratio NaN": (
        model(body(), body("b1", mimic=qt.Mimic("j0", NAN))),
        "it follows 'j0' by nan q + 0.0",
        "finite ratio",
    ),
    # masses
    "mass": (model(body(mass=-2.0)), "body 'b0': its mass is -2 kg", "not negative"),
    "mass NaN": (
        model(body(mass=NAN)),
        "body 'b0': its mass is not finite",
        "finite numbers",
    ),
    "mass text": (
        model(body(mass="2")),
        "body 'b0': its mass is not finite",
        "finite numbers",
    ),
    "negative": (
        model(body(inertia=qt.SymMat3.diagonal(-1.0, 2.0, 2.0))),
        "inertia has the principal moments -1, 2, 2: no matter has a negative one",
        "inertia='repair'",
    ),
    "indefinite": (
        model(body(inertia=qt.SymMat3(1.0, 1.0, 1.0, 2.0, 0.0, 0.0))),
        "inertia has the principal moments -1, 1, 3",
        "inertia='repair'",
    ),
    "gravity": (
        model(gravity=qt.Vec3(0.0, 0.0, NAN)),
        "gravity: it is (0.0, 0.0, nan)",
        "three finite numbers",
    ),
    # what it carries
    "frame": (
        model(frames=(qt.Frame("f", 3, qt.Pose.identity()),)),
        "frame 'f': it is on body number 3, and there are 1",
        "WORLD (-1)",
    ),
    "frame's pose": (
        model(frames=(qt.Frame("f", 0, HALF),)),
        "frame 'f': X_BF has a quaternion of norm 0.5",
        "unit quaternion",
    ),
    "shape's kind": (
        model(shapes=(qt.Shape("cube", (1.0,), 0),)),
        "shape 0: its kind is 'cube'",
        "choose box, sphere",
    ),
    "shape's size": (
        model(shapes=(qt.Shape("box", (1.0,), 0),)),
        "the size of a box is (1.0,)",
        "give x, y, z",
    ),
    "shape's sign": (
        model(shapes=(qt.Shape("sphere", (-1.0,), 0, name="s"),)),
        "shape 's': the size of a sphere is (-1.0,)",
        "above zero",
    ),
    "shape's role": (
        model(shapes=(qt.Shape("sphere", (1.0,), 0, role="seen"),)),
        "its role is 'seen'",
        "choose visual, collision, both",
    ),
    "mesh": (
        model(shapes=(qt.Shape("mesh", (1.0,) * 3, 0),)),
        "its kind is 'mesh' and its file ''",
        "give a file",
    ),
    "two actuators": (
        model(actuators=(qt.Actuator("m", joint="j0"),) * 2),
        "actuator 'm': 2 have this name",
        "its own",
    ),
    "actuator's joint": (
        model(actuators=(qt.Actuator("m", joint="j9"),)),
        "actuator 'm': machine has no joint 'j9'",
        "name one of j0",
    ),
    "actuator's frame": (
        model(actuators=(qt.Actuator("m", frame="f9"),)),
        "actuator 'm': machine has no frame 'f9'",
        "name one of b0",
    ),
    "actuator of nothing": (
        model(actuators=(qt.Actuator("m"),)),
        "it is on the joint None and the frame None",
        "name one of the two",
    ),
    "gear": (
        model(BALL, actuators=(qt.Actuator("m", joint="j0"),)),
        "its gear is (1.0,)",
        "give 3 finite numbers",
    ),
    "command": (
        model(actuators=(qt.Actuator("m", joint="j0", command=(1.0, -1.0)),)),
        "its command lies between 1.0 and -1.0",
        "swap",
    ),
    "two keyframes": (
        model(keyframes=(qt.Keyframe("k", (0.0,), (0.0,)),) * 2),
        "keyframe 'k': 2 have this name",
        "its own",
    ),
    "keyframe's size": (
        model(keyframes=(qt.Keyframe("k", (0.0, 1.0), (0.0,)),)),
        "q has 2 entries and v 1, and machine has nq 1, nv 1",
        "model.coordinates()",
    ),
    "keyframe's norm": (
        model(BALL, keyframes=(qt.Keyframe("k", (0.0, 0.0, 3.0, 4.0), (0.0,) * 3),)),
        "the quaternion of joint 'j0' has the norm 5",
        "normalise it",
    ),
    "keyframe NaN": (
        model(keyframes=(qt.Keyframe("k", (NAN,), (0.0,)),)),
        "keyframe 'k': it is not finite",
        "finite numbers",
    ),
}


@pytest.mark.parametrize("fault", ERRORS)
def test_a_fault_is_an_error_that_says_whose_it_is_and_what_to_do(fault):
    faulty, what, do = ERRORS[fault]
    (only,) = find_faults(faulty)
    assert only.severity == "error"
    assert what in str(only)
    assert do in only.do
    with pytest.raises(qt.ModelError) as caught:
        checked(faulty)
    assert only.what in str(caught.value)
    assert f"To fix: {only.do}." in str(caught.value)


@pytest.mark.parametrize(
    "kind", ["revolute", "free", "planar", "ball", "universal", "cylindrical", "helical", "fixed"]
)
def test_a_model_without_fault_has_none(kind):
    assert find_faults(random_tree(5, 9, (kind, "revolute"))) == []


def test_a_free_joint_may_stand_anywhere():
    assert find_faults(model(body(), body("b1", 0, kind="free", axes=AXES))) == []


def test_all_faults_come_in_one_report():
    many = model(
        body(mass=-1.0, axes=(qt.Vec3.zero(),)),
        body("b0", 0, joint="j1", armature=(1.0, 1.0)),
        body("b2", 5, mimic=qt.Mimic("elbow")),
        gravity=qt.Vec3(0.0, 0.0, math.inf),
        actuators=(qt.Actuator("m", joint="wrist"),),
    )
    with pytest.raises(qt.ModelError) as caught:
        checked(many)
    report = str(caught.value)
    assert report.startswith("machine has 8 faults:\n")
    for part in (
        "mass is -1 kg",
        "no direction",
        "2 have this name",
        "armature has 2",
        "number 5",
        "'elbow'",
        "inf",
        "'wrist'",
    ):
        assert part in report
    assert report.count("To fix:") == 8
    assert len(caught.value.faults) == 8
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.faults) == (report, caught.value.faults)


# ---- policies -----------------------------------------------------------------------------------------

LENTIL = qt.SymMat3.diagonal(0.1, 0.1, 1.0)


def test_a_broken_triangle_inequality_is_a_warning(caplog):
    with caplog.at_level(logging.WARNING, "quatrain"):
        assert checked(model(body(inertia=LENTIL))) is not None
    assert "body 'b0': the principal moments 0.1, 0.1, 1 break the triangle inequality" in caplog.text
    assert "inertia='repair'" in caplog.text


def test_six_digits_of_a_flat_body_are_no_fault():
    """A lamina has a + b = c; printed with six digits the sum may be off by one in the last."""
    assert told(model(body(inertia=qt.SymMat3.diagonal(0.123456, 0.654321, 0.7777775)))) == []


def test_warn_keeps_an_impossible_inertia_and_says_so(caplog):
    bad = model(body(inertia=qt.SymMat3.diagonal(-1.0, 2.0, 2.0)))
    with caplog.at_level(logging.WARNING, "quatrain"):
        assert checked(bad, inertia="warn") == bad
    assert "no matter has a negative one" in caplog.text
    with pytest.raises(qt.ModelError):  # but a mass that is negative is an error always
        checked(model(body(mass=-1.0)), inertia="warn")


def test_repair_says_what_it_has_put_in_place_of_what(caplog):
    with caplog.at_level(logging.WARNING, "quatrain"):
        mended = checked(model(body(inertia=LENTIL)), inertia="repair")
    assert "the principal moments 0.1, 0.1, 1 are replaced by 0.366667, 0.366667, 0.733333" in caplog.text
    assert find_faults(mended) == []
    with pytest.raises(qt.ArgumentError, match=r"inertia is 'fix'(?s:.)*error, warn, repair"):
        checked(model(), inertia="fix")


moments = st.floats(-3, 3)


@given(st.tuples(moments, moments, moments), st.tuples(*(st.floats(-1, 1),) * 3), st.tuples(*(moments,) * 3))
def test_repair_gives_the_nearest_inertia_that_can_be(given_moments, turn, other):
    """No other that can be is nearer: the projection on a convex cone, where (I − P)·(Q − P) ≤ 0 for all Q in it."""
    R = qt.Quaternion.from_rotation_vector(qt.Vec3(*turn)).to_matrix()
    broken = qt.SymMat3.diagonal(*given_moments).rotated(R)
    fixed, _ = examined(model(body(inertia=broken)), inertia="repair")
    before, after = broken.to_array(), fixed.bodies[0].I_Bcm_B.to_array()
    a, b, c = principal_moments(fixed.bodies[0].I_Bcm_B)
    slack = 1e-6 * abs(c) + 1e-12
    assert a >= -slack
    assert a + b >= c - slack
    x, y, z = np.abs(other)
    Q = qt.SymMat3.diagonal(*map(float, (y + z, x + z, x + y))).rotated(R).to_array()
    assert np.sum((before - after) * (Q - after)) <= 1e-5
    assert abs(np.sum((before - after) * after)) <= 1e-5  # of a cone, the remainder is perpendicular


def test_a_robot_is_not_made_of_a_model_that_cannot_be():
    with pytest.raises(qt.ModelError, match="armature has 2 entries"):
        qt.Robot(model(body(armature=(1.0, 2.0))))
    # What a policy has let pass may be a robot; it was told when it passed.
    assert qt.Robot(model(body(inertia=qt.SymMat3.diagonal(-0.1, 2.0, 2.0)))).nv == 1


# ---- singular mass matrices ---------------------------------------------------------------------------

NOTHING = {"mass": 0.0, "inertia": qt.SymMat3.diagonal(0.0, 0.0, 0.0)}
POINT = {"inertia": qt.SymMat3.diagonal(0.0, 0.0, 0.0)}

SINGULAR = {
    "leaf": (
        model(body(), body("b1", 0, **NOTHING)),
        "joint 'j1'",
        "body 'b1', with all that it carries, has neither mass nor inertia",
    ),
    "chain of nothing": (
        model(body(), body("b1", 0, **NOTHING), body("b2", 1, kind="fixed", **NOTHING)),
        "joint 'j1'",
        "body 'b1', with all",
    ),
    "slide": (
        model(body(kind="prismatic", **NOTHING)),
        "joint 'j0'",
        "body 'b0', with all that it carries, has no mass",
    ),
    "on the axis": (
        model(body(com=(0.7, 0.0, 0.0), **POINT)),
        "joint 'j0'",
        "all the mass that it moves lies on its axis",
    ),
    "on a line": (
        model(body(kind="ball", com=(1.0, 2.0, 3.0), **POINT)),
        "joint 'j0'",
        "all the mass that it moves lies on its axis",
    ),
    "two for one": (
        model(body(**NOTHING), body("b1", 0)),
        "joint 'j0'",
        "the joints beyond it can undo its motion",
    ),
    "followers": (
        model(body(**NOTHING), body("b1", mimic=qt.Mimic("j0"), **NOTHING)),
        "joint 'j0'",
        "neither mass nor inertia",
    ),
    "followers behind": (
        model(body(**NOTHING), body("b1", 0), body("b2", mimic=qt.Mimic("j0", -1.0), **NOTHING)),
        "joint 'j",
        "can undo its motion",
    ),
}


@pytest.mark.parametrize("case", SINGULAR)
def test_a_singular_mass_matrix_is_a_warning_that_says_where_and_why(case):
    one, where, why = SINGULAR[case]
    faults = [fault for fault in find_faults(one) if "singular" in fault.what]
    assert len(faults) == 1
    assert faults[0].severity == "warning"
    assert faults[0].where.startswith(where)
    assert why in faults[0].what
    assert "so the mass matrix is singular and forward dynamics has no answer" in faults[0].what
    assert "armature" in faults[0].do
    q = [
        0.3 if unit else x
        for x, unit in zip(dynamics.neutral(one), [c.unit for c in one.coordinates()], strict=True)
    ]
    assert np.linalg.cond(np.array(dynamics.mass_matrix(one, q), float)) > 1e14


def test_an_armature_makes_a_leaf_without_mass_regular():
    assert told(model(body(), body("b1", 0, armature=(0.1,), **NOTHING))) == []


def test_massless_gimbals_are_singular_only_where_two_axes_meet():
    """z, y, z: at zero the first and the last turn about the same axis."""
    one = model(
        body(axes=(AXES[2],), **NOTHING),
        body("b1", 0, axes=(AXES[1],), **NOTHING),
        body("b2", 1, axes=(AXES[2],)),
    )
    (only,) = told(one)
    assert "joint 'j0'" in only
    assert "singular where all joints are at zero" in only


def test_a_folded_arm_without_mass_is_singular_where_its_load_comes_to_lie_on_the_first_axis():
    """Two links of a metre, of which the second folds back at zero: its point mass is then on the axis of the first."""
    out = qt.Pose(qt.Quaternion.identity(), qt.Vec3(1.0, 0.0, 0.0))
    arm = body("b1", 0, axes=(AXES[2],), X_PJ=out, com=(-1.0, 0.0, 0.0), **POINT)
    (only,) = told(model(body(axes=(AXES[2],), **NOTHING), arm))
    assert only.startswith("joint 'j0': all the mass that it moves lies on its axis")
    assert "singular where all joints are at zero" in only


def test_forward_dynamics_that_has_no_answer_says_which_joint_and_why():
    robot = qt.Robot(model(body(), body("b1", 0, **NOTHING)))
    text = r"forward_dynamics of machine divides by zero in every state\. joint 'j1': body 'b1', with all"
    with pytest.raises(qt.ArgumentError, match=text) as caught:
        robot.forward_dynamics([0.1, 0.2], [0, 0], [0, 0])
    assert "or the joint an armature" in str(caught.value)
    assert robot.inverse_dynamics([0.1, 0.2], [0, 0], [1, 1])[1] == 0  # which has one


def test_mass_without_weight_is_told():
    assert told(model(body(mass=0.0))) == [
        "body 'b0': it has no mass but moments 1, 1, 1. To fix: give it a mass."
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_pivot_is_zero_exactly_where_the_mass_matrix_is_singular(seed):
    """On random trees with some bodies of nothing, against the eigenvalues of M."""
    tree = random_tree(seed, 9)
    rng = np.random.default_rng(seed)
    empty = rng.random(tree.nb) < 0.4
    bodies = tuple(
        replace(b, mass=0.0, I_Bcm_B=NOTHING["inertia"], joint=replace(b.joint, armature=())) if none else b
        for b, none in zip(tree.bodies, empty, strict=True)
    )
    one = replace(tree, bodies=bodies)
    found = [f for f in find_faults(one) if "singular and" in f.what]
    units = [c.unit for c in one.coordinates()]
    q = [float(rng.normal()) if unit else x for x, unit in zip(dynamics.neutral(one), units, strict=True)]
    M = np.array(dynamics.mass_matrix(one, q), float)
    size = np.sqrt(np.maximum(np.diag(M), 1e-300))
    rank = np.linalg.matrix_rank(M / np.outer(size, size), tol=1e-9)
    assert (rank < one.nv) == bool(found)


def test_numbers_beyond_all_measure_are_told_and_stop_nothing():
    machine = qt.examples.model("double_pendulum")
    bodies = tuple(replace(body, mass=1e300, p_BBcm=qt.Vec3(1e150, 0.0, 0.0)) for body in machine.bodies)
    (fault,) = find_faults(replace(machine, bodies=bodies))
    assert fault.severity == "warning"
    assert "numbers of its bodies are too large or too different to tell" in str(fault)
    assert "check the units of masses" in fault.do
