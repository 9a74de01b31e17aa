"""URDF that we write: read again it is the same machine, to us and to Pinocchio, and what it lacks is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import quatrain as qt
from quatrain import formats
from quatrain.equations import dynamics
from quatrain.formats import FormatError
from quatrain.loading import load_model
from quatrain.model import AXES
from tests.formats.furnished import furnished
from tests.formats.robots import ROBOT
from tests.formats.round_trips import moves_alike, plain, written_and_read
from tests.formats.test_urdf_corpus import HOME, READ, counterpart
from tests.truth.random_trees import KINDS, on_columns, random_q, random_tree

pin = pytest.importorskip("pinocchio")

POSSIBLE = tuple(kind for kind in KINDS if kind not in ("helical", "ball"))


def possible(seed, kinds=POSSIBLE):
    """A tree that URDF can hold; free joints have the axes x, y, z there."""
    tree = replace(random_tree(seed, count=12, kinds=kinds), gravity=qt.model.STANDARD_GRAVITY)
    upright = [
        replace(b, joint=replace(b.joint, axes=AXES)) if b.joint.kind == "free" else b for b in tree.bodies
    ]
    return plain(replace(tree, bodies=tuple(upright)))


def test_a_file_comes_back_as_it_was():
    model, _ = load_model(ROBOT, merge_fixed=False)
    back, written = written_and_read(model, "urdf")
    assert written.findings == ()
    assert written.held == (("links", 4), ("joints", 3), ("shapes", 2))
    assert (back.bodies, back.shapes, back.actuators) == (model.bodies, model.shapes, model.actuators)
    assert [extra.kind for extra in back.extras] == [extra.kind for extra in model.extras] == ["transmission"]


@pytest.mark.parametrize("file", READ)
def test_robots_come_back(file):
    """Joints that follow others, too; those of one file follow joints that are not there."""
    lost = "alex_psyonic" in file
    options = {"inertia": "warn", "merge_fixed": False, "mimic": "independent" if lost else "exact"}
    model, _ = load_model(HOME / file, **options)
    back, written = written_and_read(model, "urdf", **options)
    assert [one for one in written.findings if one.severity != "info"] == []
    assert (back.body_names, back.joint_names) == (model.body_names, model.joint_names)
    assert [b.joint.limits for b in back.bodies] == [b.joint.limits for b in model.bodies]
    assert len(back.shapes) == len(model.shapes)
    assert [extra.kind for extra in back.extras] == [extra.kind for extra in model.extras]
    moves_alike(model, back)


@pytest.mark.parametrize("file", [file for file in READ if "alex_psyonic" not in file][::4])
def test_pinocchio_reads_our_file_as_the_one_it_came_from(file):
    model, _ = load_model(HOME / file, inertia="warn", merge_fixed=False)
    theirs = pin.buildModelFromUrdf(str(HOME / file))
    ours = pin.buildModelFromXML(formats.write(model, "urdf").text)
    assert [*ours.names] == [*theirs.names]
    q, v = pin.randomConfiguration(bounded(theirs)), np.random.default_rng(1).normal(size=theirs.nv)
    for quantity in (pin.crba, lambda *of: pin.nonLinearEffects(*of, v)):
        expected, found = (quantity(m, m.createData(), q) for m in (theirs, ours))
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max(initial=0))
        )


def bounded(model):
    model.lowerPositionLimit = np.maximum(model.lowerPositionLimit, -3.0)
    model.upperPositionLimit = np.minimum(model.upperPositionLimit, 3.0)
    return model


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_come_back(seed):
    model = possible(seed)
    back, written = written_and_read(model, "urdf")
    assert {one.code for one in written.findings} <= {"reworded"}
    moves_alike(model, back)
    merged = written_and_read(model, "urdf", merge_fixed=True)[0]
    moves_alike(model, merged)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_move_in_pinocchio_as_here(seed):
    kinds = tuple(kind for kind in POSSIBLE if kind not in ("planar", "free"))
    model = possible(seed, kinds)
    text = formats.write(model, "urdf").text
    theirs, read = pin.buildModelFromXML(text), load_model(text)[0]
    data, rng = theirs.createData(), np.random.default_rng(seed)
    q, v = random_q(model, rng, 1)[0], rng.normal(size=model.nv)
    q_there, places, X = counterpart(read, theirs, q)
    v_there = np.zeros(theirs.nv)
    v_there[places] = X @ v
    M, h = pin.crba(theirs, data, q_there), pin.nonLinearEffects(theirs, data, q_there, v_there)[places]
    M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(places, places)]
    for expected, ours in (
        (M, on_columns(dynamics.mass_matrix, model, q[None])[0]),
        (h, on_columns(dynamics.bias_force, model, q[None], v[None])[0]),
    ):
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


def test_limits_damping_and_what_follows_come_back():
    model = furnished(possible(4), 4)
    back = written_and_read(model, "urdf")[0]
    found = {body.joint.name: body.joint for body in back.bodies}
    singles = [b.joint for b in model.bodies if b.joint.kind in ("revolute", "continuous", "prismatic")]
    assert len(singles) > 3
    for joint in singles:
        same = found[joint.name]
        assert (same.limits, same.mimic) == (joint.limits, joint.mimic)
        assert (same.damping, same.friction) == (joint.damping, joint.friction)
    assert {a.name: a.gear for a in back.actuators} == {
        a.name: a.gear for a in model.actuators if a.joint in found and len(a.gear) == 1
    }


def test_a_slide_without_bounds_is_written_with_bounds_that_bound_nothing():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/></inertial></link>
      <joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint></robot>"""
    model, _ = load_model(text, merge_fixed=False)
    assert model.bodies[1].joint.limits == ()
    written = formats.write(model, "urdf")
    assert 'effort="1e+308" velocity="1e+308" lower="-1e+308" upper="1e+308"' in written.text
    assert pin.buildModelFromXML(written.text).lowerPositionLimit[0] <= -1e307
    assert load_model(written.text, merge_fixed=False)[0].bodies[1].joint.limits == (qt.Limits(),)


def test_what_urdf_cannot_hold_is_named(tmp_path):
    model = furnished(random_tree(5, count=6, kinds=("revolute", "prismatic", "planar")), 5)
    report = qt.save(model, tmp_path / "r.urdf")
    told = [str(one) for one in report.warnings]
    for what in (
        "the three numbers of gravity ((",
        "rotor inertias (",
        "springs (",
        "numbers of damping that differ between directions (",
        "numbers of friction that differ between directions (",
        "limits of free and planar joints (",
        "states (state0, state1)",
        "shapes (shape2, shape5, shape6, shape7)",
        "actuators on frames, or of several gears (",
        "limits of actuators (motor_",
    ):
        assert any(one.startswith(what) for one in told), what
    assert all("have no place in URDF and are left out" in one for one in told)
    assert str(report).splitlines()[0].startswith("r.urdf (URDF): ")
    with pytest.raises(FormatError, match=r"s\.urdf: \d+ things stand in the way:\n  - actuators on"):
        qt.save(model, tmp_path / "s.urdf", strict=True)
    assert [one.name for one in tmp_path.iterdir()] == ["r.urdf"]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("helical", r"helical joints \(j0\) cannot be said in URDF"),
        ("ball", r"ball joints \(j0\) cannot be said in URDF"),
    ],
)
def test_what_urdf_has_no_joint_for_is_refused(kind, says, tmp_path):
    with pytest.raises(FormatError, match=rf"r\.urdf: {says}\.\n  To fix: write JSON"):
        qt.save(random_tree(1, count=1, kinds=(kind,)), tmp_path / "r.urdf")
    free = random_tree(2, count=1, kinds=("free",))
    turned = replace(free.bodies[0].joint, axes=(AXES[1], AXES[2], AXES[0]))
    free = replace(free, bodies=(replace(free.bodies[0], joint=turned),))
    with pytest.raises(
        FormatError, match=r"free joints with axes of their own \(j0\) cannot .*\n  To fix: give"
    ):
        qt.save(free, tmp_path / "r.urdf")


def test_names_that_xml_cannot_hold_are_refused(tmp_path):
    model = qt.examples.model("pendulum")
    odd = replace(model, bodies=(replace(model.bodies[0], name="a\x00b"),))
    with pytest.raises(FormatError, match="has characters that XML cannot hold"):
        qt.save(odd, tmp_path / "r.urdf")


def test_a_gear_that_has_changed_is_written_as_it_is_now():
    model, _ = load_model(ROBOT, merge_fixed=False)
    changed = replace(model, actuators=(replace(model.actuators[0], gear=(20.0,)),))
    assert written_and_read(changed, "urdf")[0].actuators == changed.actuators
