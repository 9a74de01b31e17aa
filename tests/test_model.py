"""The model as plain data: what its digest covers, names and places of its coordinates, and how it prints."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import quatrain as qt
from quatrain.model import Limits

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
    "parent": changed_body(ARM, 3, parent=1),
    "number of bodies": replace(ARM, bodies=ARM.bodies[:-1]),
}  # fmt: skip

DOES_NOT = {
    "the model's name": replace(ARM, name="another"),
    "a body's name": changed_body(ARM, 2, name="another"),
    "a joint's name": changed_joint(ARM, 2, name="another"),
    "frames": replace(ARM, frames=()),
    "limits": changed_joint(ARM, 2, limits=(Limits(-1.0, 1.0),)),
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
