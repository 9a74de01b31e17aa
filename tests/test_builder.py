"""The builder: what is said of a machine is what the model holds; tables of textbooks; answers to mistakes."""

from __future__ import annotations

import math
from math import cos, pi, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.equations.rigid_body import Body
from quatrain.model import WORLD


def frame_matrix(model, q, frame):
    return np.array(dynamics.frame_pose(model, [float(x) for x in q], frame).to_matrix().rows, float)


# ---- what was said is what there is -------------------------------------------------------------------


def machine():
    built = qt.ModelBuilder("machine", gravity=(0, 0, -1.62))
    built.body("base", joint="free", joint_name="root", mass=5.0, inertia=(0.2, 0.3, 0.4))
    built.body(
        "left",
        parent="base",
        axis="-y",
        at=(0, 0.2, 0),
        mass=1.0,
        com=(0, 0, -0.3),
        inertia=np.diag([2.0, 2.0, 1.0]),
        limits=(-1, 2),
        damping=0.5,
        friction=0.1,
        stiffness=4.0,
        rest=0.25,
    )
    built.body("right", parent="base", axis=(0, 3, 4), at=(0, -0.2, 0), mass=1.0, mimic=("left", -2, 0.1))
    built.body("foot", parent="left", joint="fixed", at=(0, 0, -0.6), solid=qt.Sphere(0.1), mass=0.5)
    built.body(
        "wheel",
        parent="base",
        joint="continuous",
        axis="x",
        solid=qt.Cylinder(0.1, 0.02),
        density=1000,
        rotor=(2e-5, 50),
    )
    built.frame("camera", body="base", at=(0.1, 0, 0.3))
    built.actuator("motor", joint="left", gear=50, limits=(-1, 1))
    built.actuator("jet", frame="camera", gear=(1, 0, 0, 0, 0, 0))
    built.shape(qt.Box(0.1, 0.2, 0.3), body="base", color=(1, 0, 0), role="visual")
    built.shape("hand.stl", body="left", at=(0, 0, 1), scale=0.001)
    return built.keyframe("up", {"root": (0, 0, 1, 1, 0, 0, 0), "wheel": 0.5}, {"left": 2.0})


def test_the_model_holds_what_was_said():
    model = machine().model()
    base, left, right, wheel = model.bodies  # the foot has become part of the left one
    assert [body.parent for body in model.bodies] == [WORLD, 0, 0, 0]
    assert (base.mass, base.I_Bcm_B) == (5.0, qt.SymMat3.diagonal(0.2, 0.3, 0.4))
    assert left.joint.axes == (qt.Vec3(0.0, -1.0, 0.0),)
    assert right.joint.axes == (qt.Vec3(0.0, 0.6, 0.8),)
    assert left.joint.limits == (qt.Limits(-1.0, 2.0),)
    joint = left.joint
    assert (joint.damping, joint.friction, joint.stiffness, joint.rest) == ((0.5,), (0.1,), (4.0,), (0.25,))
    assert right.joint.mimic == qt.Mimic("left", -2.0, 0.1)
    assert wheel.joint.armature == pytest.approx((2e-5 * 50**2,))
    assert model.gravity == qt.Vec3(0.0, 0.0, -1.62)
    assert (model.nb, model.nq, model.nv, model.nu) == (4, 9, 8, 2)
    assert [frame.name for frame in model.frames] == ["foot", "camera"]
    assert model.actuators[0] == qt.Actuator("motor", joint="left", gear=(50.0,), command=(-1.0, 1.0))
    assert model.actuators[1].frame == "camera"
    assert [(s.kind, s.size, s.body, s.role) for s in model.shapes] == [
        ("sphere", (0.1,), 1, "both"),
        ("cylinder", (0.1, 0.02), 3, "both"),
        ("box", (0.1, 0.2, 0.3), 0, "visual"),
        ("mesh", (0.001, 0.001, 0.001), 1, "both"),
    ]
    assert model.shapes[2].color == (1, 0, 0, 1.0)
    assert model.shapes[3].mesh == "hand.stl"
    assert model.keyframe("up") == qt.Keyframe("up", (0, 0, 1, 1, 0, 0, 0, 0, 0.5), (0,) * 6 + (2, 0))


def test_a_builder_makes_a_robot_with_its_options():
    robot = machine().robot(merge_fixed=False, dtype="float32")
    assert robot.nb == 5
    assert robot.mass_matrix(robot.neutral()).dtype == np.float32


def test_merged_shapes_stand_where_their_bodies_stood():
    model = machine().model()
    apart = machine().model(merge_fixed=False)
    foot = apart.bodies[2]
    assert foot.name == "foot"
    assert model.shapes[0].X_BG == foot.joint.X_PJ @ foot.joint.X_MB @ apart.shapes[0].X_BG


def test_bodies_stand_depth_first_however_they_were_said():
    built = qt.ModelBuilder("tree")
    for name, parent in (("a", "world"), ("b", "world"), ("c", "a"), ("d", "b"), ("e", "a")):
        built.body(name, parent=parent, mass=1.0, inertia=(1, 1, 1))
    assert built.model().body_names == ("a", "c", "e", "b", "d")
    built.keyframe("k", {"d": 4.0, "c": 3.0})
    assert built.model().keyframe("k").q == (0, 3, 0, 0, 4)


def test_a_solid_gives_its_mass_and_a_density_too():
    tube = [qt.Cylinder(0.1, 1.0), qt.Cylinder(0.08, 1.0).at(None, hole=True)]
    model = qt.ModelBuilder("tube").body("tube", solid=tube, density=2700).model()
    assert model.mass == pytest.approx(2700 * pi * (0.1**2 - 0.08**2))
    assert [shape.kind for shape in model.shapes] == ["tube"]


def test_an_inertia_about_another_point_is_moved_to_the_centre_of_mass():
    """A rod of 1 m and 3 kg: 1 about its end, ¼ about its middle."""
    model = (
        qt.ModelBuilder("rod")
        .body("rod", mass=3.0, com=(0, 0, 0.5), inertia=(1, 1, 0), about=(0, 0, 0))
        .model()
    )
    assert list(model.bodies[0].I_Bcm_B) == pytest.approx([0.25, 0.25, 0, 0, 0, 0], abs=1e-16)


def test_a_body_without_inertia_is_a_point():
    model = qt.ModelBuilder("point").body("bob", axis="y", mass=2.0, com=(0, 0, -3)).model()
    assert dynamics.mass_matrix(model, [0.3]) == [[pytest.approx(18.0)]]


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 2, 3), (0, -1, 0)])
def test_a_planar_joint_moves_across_the_normal_that_it_was_given(normal):
    model = (
        qt.ModelBuilder("puck").body("puck", joint="planar", axis=normal, mass=1, inertia=(1, 1, 1)).model()
    )
    x, y, z = model.bodies[0].joint.axes
    n = np.array(normal) / np.linalg.norm(normal)
    assert list(z) == pytest.approx(list(n), abs=1e-15)
    assert list(qt.cross(x, y)) == pytest.approx(list(n), abs=1e-15)
    p = dynamics.frame_pose(model, [0.3, -0.7, 1.1], "puck").p
    assert np.dot(list(p), n) == pytest.approx(0, abs=1e-15)


def test_a_rotor_of_its_own_with_mimic_is_what_armature_leaves_out():
    """A rotor that turns n times as fast, as a body that follows, has all of its inertia; armature has n² of it alone.

    Both have ½ J n² v² of the joint's own rate; the rest is the momentum J n Ω of the spinning rotor in a turning base.
    """
    inertia, gear = 1e-4, 100.0

    def built(rotor):
        machine = qt.ModelBuilder("drive")
        machine.body("base", axis="z", mass=1, inertia=(1, 1, 1))
        machine.body("link", parent="base", axis="z", mass=1, inertia=(1, 1, 1), rotor=rotor)
        return machine

    exact = built(None).body(
        "rotor", parent="base", axis="z", inertia=(inertia,) * 3, mass=1e-3, mimic=("link", gear)
    )
    M_exact = np.array(dynamics.mass_matrix(exact.model(), [0.0, 0.0]), float)
    M = np.array(dynamics.mass_matrix(built((inertia, gear)).model(), [0.0, 0.0]), float)
    assert M_exact - M == pytest.approx(np.array([[inertia, inertia * gear], [inertia * gear, 0]]), abs=1e-15)


# ---- Denavit and Hartenberg ---------------------------------------------------------------------------


def turn_x(a):
    return np.array([[1, 0, 0, 0], [0, cos(a), -sin(a), 0], [0, sin(a), cos(a), 0], [0, 0, 0, 1]])


def turn_z(a):
    return np.array([[cos(a), -sin(a), 0, 0], [sin(a), cos(a), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def shift(x, z):
    return np.array([[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, z], [0, 0, 0, 1.0]])


def product(rows, q, modified):
    """The definition: standard Rz(θ) Tz(d) Tx(a) Rx(α), after Paul (1981); modified Rx(α) Tx(a) Rz(θ) Tz(d), Craig."""
    T = np.eye(4)
    for row, x in zip(rows, q, strict=True):
        a, alpha, d, theta = (row.get(key, 0.0) for key in ("a", "alpha", "d", "theta"))
        slides = row.get("joint") == "prismatic"
        along = turn_z(theta + (0 if slides else x)) @ shift(0, d + (x if slides else 0))
        across = turn_x(alpha) @ shift(a, 0)
        T = T @ (across @ along if modified else along @ across)
    return T


def table(a, alpha, d, **options):
    return [
        {"a": x, "alpha": y, "d": z, "mass": 1.0, "inertia": (1, 1, 1), **options}
        for x, y, z in zip(a, alpha, d, strict=True)
    ]


UR5 = table(
    a=(0, -0.425, -0.39225, 0, 0, 0),
    alpha=(pi / 2, 0, 0, pi / 2, -pi / 2, 0),
    d=(0.089159, 0, 0, 0.10915, 0.09465, 0.0823),
)
"""Universal Robots, "DH parameters for calculations of kinematics and dynamics": UR5, standard."""

PANDA = table(
    a=(0, 0, 0, 0.0825, -0.0825, 0, 0.088),
    alpha=(0, -pi / 2, pi / 2, pi / 2, -pi / 2, pi / 2, pi / 2),
    d=(0.333, 0, 0.316, 0, 0.384, 0, 0),
)
"""Franka Emika, "Denavit–Hartenberg parameters" of the control interface's documentation: Craig's convention."""

A2, A3, D3, D4 = 0.4318, 0.0203, 0.15005, 0.4318
PUMA = table(a=(0, 0, A2, A3, 0, 0), alpha=(0, -pi / 2, 0, -pi / 2, pi / 2, -pi / 2), d=(0, 0, D3, D4, 0, 0))
"""Craig, Introduction to Robotics (2005), figure 3.21: PUMA 560, modified."""

SCARA = [
    *table(a=(0.3, 0.25), alpha=(0, pi), d=(0.4, 0)),
    {"d": 0.1, "theta": 0.2, "joint": "prismatic", "mass": 1.0, "inertia": (1, 1, 1)},
    *table(a=(0,), alpha=(0,), d=(0.05,)),
]
angles = st.floats(-pi, pi)


@pytest.mark.parametrize(
    ("rows", "modified"),
    [(UR5, False), (PANDA, True), (PUMA, True), (SCARA, False), (SCARA, True), (UR5, True)],
)
@given(q=st.lists(angles, min_size=7, max_size=7))
def test_a_table_of_denavit_and_hartenberg_is_the_product_of_its_transforms(rows, modified, q):
    q = q[: len(rows)]
    model = qt.from_dh("arm", rows, modified=modified).model()
    found = frame_matrix(model, q, f"link{len(rows)}")
    np.testing.assert_allclose(found, product(rows, q, modified), rtol=0, atol=2e-14)


@given(q=st.lists(angles, min_size=6, max_size=6))
def test_the_puma_is_where_the_closed_form_of_the_textbook_says(q):
    """Craig, Introduction to Robotics (2005), eq. (3.14)."""
    (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = ([f(x) for x in q] for f in (cos, sin))
    c23, s23 = cos(q[1] + q[2]), sin(q[1] + q[2])
    reach = A2 * c2 + A3 * c23 - D4 * s23
    expected = [
        [
            c1 * (c23 * (c4 * c5 * c6 - s4 * s6) - s23 * s5 * c6) + s1 * (s4 * c5 * c6 + c4 * s6),
            c1 * (c23 * (-c4 * c5 * s6 - s4 * c6) + s23 * s5 * s6) + s1 * (c4 * c6 - s4 * c5 * s6),
            -c1 * (c23 * c4 * s5 + s23 * c5) - s1 * s4 * s5,
            c1 * reach - D3 * s1,
        ],
        [
            s1 * (c23 * (c4 * c5 * c6 - s4 * s6) - s23 * s5 * c6) - c1 * (s4 * c5 * c6 + c4 * s6),
            s1 * (c23 * (-c4 * c5 * s6 - s4 * c6) + s23 * s5 * s6) - c1 * (c4 * c6 - s4 * c5 * s6),
            -s1 * (c23 * c4 * s5 + s23 * c5) + c1 * s4 * s5,
            s1 * reach + D3 * c1,
        ],
        [
            -s23 * (c4 * c5 * c6 - s4 * s6) - c23 * s5 * c6,
            -s23 * (-c4 * c5 * s6 - s4 * c6) + c23 * s5 * s6,
            s23 * c4 * s5 - c23 * c5,
            -A3 * s23 - A2 * s2 - D4 * c23,
        ],
    ]
    found = frame_matrix(qt.from_dh("puma", PUMA, modified=True).model(), q, "link6")
    np.testing.assert_allclose(found[:3], expected, rtol=0, atol=1e-14)


def test_rows_take_names_limits_and_inertias_in_the_links_own_frame():
    rows = [
        {
            "a": 0.5,
            "name": "upper",
            "mass": 2.0,
            "com": (-0.25, 0, 0),
            "inertia": (0, 0.1, 0.1),
            "limits": (-1, 1),
        }
    ]
    model = qt.from_dh("one", rows, gravity=(0, -9.81, 0)).model()
    assert model.body_names == ("upper",)
    assert model.bodies[0].joint.limits == (qt.Limits(-1.0, 1.0),)
    # The DH frame is at the link's end: its centre of mass a quarter of a metre before it.
    assert dynamics.mass_matrix(model, [0.0]) == [[pytest.approx(0.1 + 2 * 0.25**2)]]


def test_a_serial_chain_continues_a_machine():
    built = qt.ModelBuilder("robot").body("cart", joint="prismatic", axis="x", mass=3, inertia=(1, 1, 1))
    link = {"axis": "y", "mass": 1.0, "com": (0, 0, 0.1)}
    qt.serial_chain("arm", [link, {**link, "at": (0, 0, 0.2)}], parent="cart", builder=built)
    assert built.model().body_names == ("cart", "link1", "link2")
    assert built.model().joint_names == ("cart", "joint1", "joint2")
    assert [body.parent for body in built.model().bodies] == [WORLD, 0, 1]


# ---- mistakes -----------------------------------------------------------------------------------------


def body(**options):
    return qt.ModelBuilder("m").body("arm", **options)


MISTAKES = {
    "kind": (
        lambda: body(joint="hinge"),
        r"joint of body 'arm' is 'hinge'(?s:.)*choose one of fixed, revolute",
    ),
    "axis name": (lambda: body(axis="w"), r"axis of body 'arm' is 'w'(?s:.)*name x, y, z, -x, -y or -z"),
    "axis two": (
        lambda: body(axis=("x", "y")),
        r"a revolute joint has one axis, and 2 came(?s:.)*axis=\"y\"",
    ),
    "axis one": (lambda: body(joint="universal", axis="x"), r"a universal joint has 2 axes, and 1 came"),
    "axis none": (lambda: body(joint="ball", axis="x"), r"a ball joint has no axis(?s:.)*leave axis out"),
    "at": (lambda: body(at=(0, 1)), r"at of body 'arm' is \(0, 1\)(?s:.)*three numbers"),
    "at twice": (
        lambda: body(at=qt.Pose.identity(), rotation=qt.Quaternion.identity()),
        r"is a Pose, and a rotation came",
    ),
    "rotation": (
        lambda: body(rotation=(0, 0, 1.57)),
        r"rotation beside at of body 'arm' is \(0, 0, 1.57\).*needs a Quaternion",
    ),
    "mass": (lambda: body(mass="heavy"), r"mass of body 'arm' is 'heavy'(?s:.)*one number"),
    "inertia": (
        lambda: body(mass=1, inertia=(1, 2)),
        r"inertia of body 'arm' has shape \(2,\)(?s:.)*three principal moments",
    ),
    "density": (lambda: body(density=1000), r"body 'arm' has a density and no solid"),
    "solid": (lambda: body(solid=qt.Sphere(1)), r"body 'arm': neither density nor mass was given"),
    "both": (
        lambda: body(solid=qt.Sphere(1), mass=1, inertia=(1, 1, 1)),
        r"body 'arm' has both a solid and inertia=",
    ),
    "limits": (lambda: body(limits=2.0), r"limits of body 'arm' is 2.0(?s:.)*\(lower, upper\)"),
    "rotor": (lambda: body(rotor=1e-4), r"rotor of body 'arm' has 1 entries(?s:.)*pass 2"),
    "rotor and armature": (lambda: body(rotor=(1, 2), armature=3), r"both a rotor and an armature"),
    "mimic": (
        lambda: body(mimic=(2.0, "b")),
        r"mimic of body 'arm' is \(2.0, 'b'\)(?s:.)*\(joint, ratio, offset\)",
    ),
    "damping": (lambda: body(damping="much"), r"damping of body 'arm' is 'much'(?s:.)*one for each freedom"),
    "color": (
        lambda: body(solid=qt.Sphere(1), mass=1, color=(255, 0, 0)),
        r"color is \(255, 0, 0\)(?s:.)*from 0 to 1",
    ),
    "DH key": (
        lambda: qt.from_dh("r", [{"alfa": 1}]),
        r"link 1 of r has 'alfa', which is no option(?s:.)*mass, com",
    ),
    "DH number": (lambda: qt.from_dh("r", [{"a": "x"}]), r"a of row 1 of r is 'x'(?s:.)*one number"),
    "DH joint": (lambda: qt.from_dh("r", [{"joint": "ball"}]), r"joint of row 1 of r is 'ball'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_whose_it_is_and_what_to_do(mistake):
    make, text = MISTAKES[mistake]
    with pytest.raises(qt.ArgumentError, match=text) as caught:
        make()
    assert "To fix:" in str(caught.value)


GOOD = {"mass": 1.0, "inertia": (1, 1, 1)}

FAULTS = {
    "parent": (
        lambda: body(parent="trunk", **GOOD),
        r"body 'arm' of m: it stands on 'trunk', which is no body of m \(bodies: none yet\)",
        "add the parent first",
    ),
    "axis zero": (lambda: body(axis=(0, 0, 0), **GOOD), r"joint 'arm' of m: axis .* has no direction", "unit vector"),
    "axis NaN": (lambda: body(axis=(0, math.nan, 0), **GOOD), r"axis .* is not finite", "unit vector"),
    "normal zero": (lambda: body(joint="planar", axis=(0, 0, 0), **GOOD), r"axis .* has no direction", "unit vector"),
    "at NaN": (lambda: body(at=(0, 1, math.nan), **GOOD), "joint 'arm' of m: X_PJ is not finite", "finite point"),
    "com NaN": (
        lambda: body(mass=1.0, com=(0, 0, math.inf), inertia=(1, math.nan, 1)),
        "body 'arm' of m: its centre of mass and inertia are not finite",
        "finite numbers",
    ),
    "gravity NaN": (
        lambda: qt.ModelBuilder("m", gravity=(0, 0, math.nan)).body("arm", **GOOD),
        "gravity of m: it is",
        "three finite numbers",
    ),
    "frame": (
        lambda: body(**GOOD).frame("tip", body="amr"),
        "frame 'tip' of m: it stands on 'amr'.*bodies: arm",
        "name 'world'",
    ),
    "keyframe": (
        lambda: body(**GOOD).keyframe("up", {"amr": 1}),
        "keyframe 'up' of m: it names a joint 'amr'",
        "name some of arm",
    ),
    "keyframe size": (
        lambda: body(**GOOD).keyframe("up", {"arm": (1, 2)}),
        "keyframe 'up' of m: joint 'arm' has 2 entries",
        "pass 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_machine_is_told_when_the_model_is_made(fault):
    make, text, do = FAULTS[fault]
    built = make()
    with pytest.raises(qt.ModelError, match=f"(?s){text}.*To fix: .*{do}"):
        built.model()


def test_all_faults_of_a_machine_come_in_one_report():
    built = qt.ModelBuilder("m").body("arm", parent="trunk", axis=(0, 0, 0), mass=-1.0, inertia=(-1, 1, 1))
    built.body("arm", parent="hips", com=(0, math.nan, 0)).frame("tip", body="amr").keyframe("up", {"leg": 1})
    with pytest.raises(qt.ModelError, match="m has 10 faults:") as caught:
        built.model()
    text = str(caught.value)
    parts = [
        "on 'trunk'",
        "on 'hips'",
        "on 'amr'",
        "joint 'leg'",
        "no direction",
        "-1 kg",
        "moments -1, 1, 1",
    ]
    parts += ["body 'arm': 2 have this name", "joint 'arm': 2 have this name", "centre of mass is not finite"]
    for part in parts:
        assert part in text, part


@given(st.floats(0.1, 10), st.floats(-1, 1), st.floats(-1, 1))
def test_inertia_about_a_point_undoes_the_parallel_axes(mass, x, z):
    body_there = Body(mass, qt.Vec3(x, 0.2, z), qt.SymMat3.diagonal(1.0, 2.0, 2.5))
    about = (0.3, -0.1, 0.2)
    model = qt.ModelBuilder("b").body(
        "b", mass=mass, com=(x, 0.2, z), inertia=body_there.inertia_about(qt.Vec3(*about)), about=about
    )
    assert list(model.model().bodies[0].I_Bcm_B) == pytest.approx([1, 2, 2.5, 0, 0, 0], abs=1e-13)
