"""What `differences` finds between a model and one that was changed in one place, and that it finds nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import quatrain as qt
from quatrain import Limits, Mimic, Pose, Quaternion, Vec3, examples
from quatrain.differences import differences
from tests.formats.furnished import furnished
from tests.truth.random_trees import random_tree

ARM = examples.model("arm6")


def with_body(model, k, **changes):
    bodies = list(model.bodies)
    bodies[k] = replace(bodies[k], **changes)
    return replace(model, bodies=tuple(bodies))


def with_joint(model, k, **changes):
    return with_body(model, k, joint=replace(model.bodies[k].joint, **changes))


LINK = ARM.bodies[2]
CHANGES = {
    "body 'link3': mass [kg]": with_body(ARM, 2, mass=LINK.mass * 1.001),
    "body 'link3': centre of mass [m]": with_body(ARM, 2, p_BBcm=LINK.p_BBcm + Vec3(0, 1e-6, 0)),
    "body 'link3': inertia xx yy zz": with_body(ARM, 2, I_Bcm_B=LINK.I_Bcm_B * 1.01),
    "joint 'joint3': armature": with_joint(ARM, 2, armature=(1.0,)),
    "joint 'joint3': damping (0), there (0.3)": None,
    "joint 'joint3': upper 2.8, there none": with_joint(ARM, 2, limits=(Limits(-2.8),)),
    "joint 'joint3': axis, in the body": with_joint(ARM, 2, axes=(Vec3(1.0, 0.0, 0.0),)),
    "joint 'joint3': stands at [m]": with_joint(ARM, 2, X_PJ=Pose(Quaternion.identity(), Vec3(0, 0, 1))),
    "joint 'joint3': is turned by": with_joint(ARM, 2, X_PJ=Pose(Quaternion(0, 1, 0, 0), LINK.joint.X_PJ.p)),
    "joint 'joint3': is revolute, there prismatic": with_joint(ARM, 2, kind="prismatic"),
    "joint 'joint6': follows none, there joint1": with_joint(ARM, 5, mimic=Mimic("joint1")),
    "body 'link4': on link3, there link2": with_body(ARM, 3, parent=1),
    "the model: gravity (0, 0, -9.81), there (0, 0, -1.62)": replace(ARM, gravity=Vec3(0.0, 0.0, -1.62)),
    "frame 'extra' is in the second alone": replace(ARM, frames=(*ARM.frames, qt.Frame("extra", 0, Pose.identity()))),
    "frame 'tool' is in the first alone": replace(ARM, frames=()),
    "state 'home' is in the second alone": replace(ARM, keyframes=(qt.Keyframe("home", (0.0,) * 6, (0.0,) * 6),)),
    "actuator 'motor' is in the second alone": replace(ARM, actuators=(qt.Actuator("motor", joint="joint1"),)),
    "link1, visual, ": replace(ARM, shapes=ARM.shapes[1:]),
    "joint 'joint3': is called joint3, there elbow": with_joint(ARM, 2, name="elbow"),
    "body 'link3' is in the first alone": with_body(ARM, 2, name="forearm"),
}  # fmt: skip
CHANGES["joint 'joint3': damping (0), there (0.3)"] = with_joint(ARM, 2, damping=(0.3,))
if ARM.frames[0].name != "tool":
    CHANGES[f"frame {ARM.frames[0].name!r} is in the first alone"] = CHANGES.pop(
        "frame 'tool' is in the first alone"
    )


@pytest.mark.parametrize("says", CHANGES)
def test_a_change_is_found_and_named(says):
    found = differences(ARM, CHANGES[says])
    assert not found.same
    assert any(
        str(one).startswith(says.replace("(0), there (0.3)", "0, there 0.3")) for one in found.found
    ), str(found)
    json.dumps(found.as_dict(), allow_nan=False)


@pytest.mark.parametrize("seed", range(4))
def test_a_model_is_the_same_as_itself(seed):
    model = furnished(random_tree(seed, count=12), seed)
    found = differences(model, model)
    assert (found.same, found.found) == (True, ())
    assert found.motion["mass matrix"][0] == 0.0
    assert "and tree" in str(found).splitlines()[0]
    assert "are the same machine" in str(found)


def test_the_same_machine_said_otherwise_is_the_same():
    """A joint's frame elsewhere on its axis and turned about it; limits that bound nothing; −q for q."""
    slide = Pose(Quaternion.from_axis_angle(LINK.joint.axes[0], 0.4), LINK.joint.axes[0] * 0.7)
    other = with_joint(ARM, 2, X_PJ=LINK.joint.X_PJ @ slide, X_MB=slide.inverse() @ LINK.joint.X_MB)
    other = with_joint(
        other, 0, X_PJ=Pose(-ARM.bodies[0].joint.X_PJ.q, ARM.bodies[0].joint.X_PJ.p), damping=(0.0,)
    )
    assert differences(ARM, other, tolerance=1e-12).found == ()
    assert differences(ARM, other, tolerance=1e-12).same
    unbounded = with_joint(ARM, 0, limits=())
    assert differences(unbounded, with_joint(ARM, 0, limits=(Limits(-math.inf, None, math.inf),))).same


def test_motion_is_compared_by_names_and_the_joint_is_named():
    one, other = examples.model("quadruped"), examples.model("quadruped")
    legs = [body.name for body in other.bodies]
    heavy = with_body(other, 3, mass=other.bodies[3].mass * 1.5)
    found = differences(one, heavy)
    size, where = found.motion["mass matrix"]
    assert size > 1e-3
    assert where
    assert found.motion["places of bodies and frames [m]"][0] == 0.0
    assert f"body {legs[3]!r}: mass [kg]" in str(found)


def test_other_coordinates_are_not_moved():
    found = differences(
        ARM, with_joint(ARM, 2, kind="cylindrical", axes=LINK.joint.axes, armature=(), limits=())
    )
    assert found.unmoved == "they have other coordinates"
    assert not found.same
    assert "motion is not compared: they have other coordinates" in str(found)


def test_many_differences_of_a_kind_are_counted():
    heavy = replace(ARM, bodies=tuple(replace(b, mass=b.mass * 2, I_Bcm_B=b.I_Bcm_B * 2) for b in ARM.bodies))
    text = "\n".join(differences(ARM, heavy).lines(most=3))
    assert text.count("[inertia]") == 4
    assert "  [inertia] … and 9 more like this" in text


@pytest.mark.parametrize(
    ("options", "says"),
    [({"tolerance": -1}, "tolerance is -1"), ({"states": 0}, "states is 0")],
)
def test_mistakes_are_answered(options, says):
    with pytest.raises(qt.ArgumentError, match=says):
        differences(ARM, ARM, **options)


def test_what_one_of_them_has_alone_is_listed_together():
    text = str(differences(ARM, examples.model("pendulum"), names=("arm.urdf", "rod.urdf")))
    assert "  [name] in arm.urdf alone: body 'link1', body 'link2', body 'link3', body 'link4', body" in text
    assert "  [name] in rod.urdf alone: body 'bob'" in text
