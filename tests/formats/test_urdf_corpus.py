"""Every URDF of the package example-robot-data: it loads and moves as Pinocchio's, or is refused for a good reason."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from quatrain import Pose, Quaternion, Vec3
from quatrain.equations import dynamics
from quatrain.formats import FormatError
from quatrain.loading import load_model
from quatrain.model import WORLD
from tests.truth.random_trees import on_columns, random_q

pin = pytest.importorskip("pinocchio")

try:
    HOME = Path(
        str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots"))
    )
except PackageNotFoundError:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

FILES = sorted(str(path.relative_to(HOME)) for path in HOME.rglob("*.urdf"))

REFUSED = {
    # Joints follow joints whose names are written otherwise than those of the file's joints.
    "alex_description/urdf/alex_psyonic_hands.urdf": "follows joint 'index_q1', which is not in this file",
    # Inertias that no matter can have.
    "romeo_description/urdf/romeo_laas_small.urdf": "body 'body': inertia has the principal moments -0.0213468",
    "tiago_description/robots/tiago.urdf": "body 'base_antenna_left_link': inertia has the principal moments -3.5",
    "tiago_description/robots/tiago_dual.urdf": "body 'base_antenna_left_link': inertia has the principal moments",
    "tiago_description/robots/tiago_no_hand.urdf": "body 'base_antenna_left_link': inertia has the principal",
    # A file that holds nothing.
    "ur_description/urdf/ur3.urdf": "the robot has no <link>",
}
READ = [file for file in FILES if file != "ur_description/urdf/ur3.urdf"]
# Those whose outermost link is the ground do not float.
FLOATING = [file for file in READ if '<link name="world"' not in (HOME / file).read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", REFUSED)
def test_files_that_are_wrong_are_refused_with_the_line(file):
    with pytest.raises(FormatError) as caught:
        load_model(HOME / file)
    assert REFUSED[file] in str(caught.value)
    assert f"{Path(file).name}:" in str(caught.value)


@pytest.mark.parametrize("file", [file for file in READ if file not in REFUSED])
def test_all_others_load_as_they_are(file):
    model, report = load_model(HOME / file)
    assert report.errors == ()
    assert model.nb + len(model.frames) > 0


@pytest.mark.parametrize(("file", "base"), [(f, "fixed") for f in READ] + [(f, "floating") for f in FLOATING])
def test_a_robot_moves_as_pinocchio_moves_it(file, base):
    """By the names of joints and links. Joints that follow others keep coordinates of their own, as they do there."""
    model, _ = load_model(HOME / file, base=base, mimic="independent", inertia="warn")
    root = (pin.JointModelFreeFlyer(),) if base == "floating" else ()
    theirs = pin.buildModelFromUrdf(str(HOME / file), *root)
    data = theirs.createData()
    assert (model.nv, float(model.mass)) == (
        theirs.nv,
        pytest.approx(sum(inertia.mass for inertia in theirs.inertias[1:]), rel=1e-12),
    )
    rng = np.random.default_rng(5)
    q, v = random_q(model, rng, 1)[0], rng.normal(size=model.nv)
    q_there, places, X = counterpart(model, theirs, q)
    if base == "floating":
        v[:] = 0  # X depends on time else, and moves the accelerations
    v_there = np.zeros(theirs.nv)
    v_there[places] = X @ v

    M_upper = np.triu(pin.crba(theirs, data, q_there))
    M_there = (M_upper + np.triu(M_upper, 1).T)[np.ix_(places, places)]
    h_there = pin.nonLinearEffects(theirs, data, q_there, v_there)[places]
    if model.nv:
        M, h = X.T @ M_there @ X, X.T @ h_there
        ours_M = on_columns(dynamics.mass_matrix, model, q[None])[0]
        ours_h = on_columns(dynamics.bias_force, model, q[None], v[None])[0]
        # Links may weigh a thousandth of the robot, and their files have seven digits; both sides read the same ones.
        np.testing.assert_allclose(ours_M, M, atol=1e-11 * np.abs(M).max(), rtol=0)
        np.testing.assert_allclose(ours_h, h, atol=1e-11 * max(np.abs(h).max(), 1.0), rtol=0)

    pin.framesForwardKinematics(theirs, data, q_there)
    own = {WORLD: Pose.identity()}
    for k, (p, quaternion) in enumerate(zip(*dynamics.poses(model, list(q)), strict=True)):
        own[k] = Pose(Quaternion(*quaternion), Vec3(*p))
    for name in model.frame_names:  # every link, whether it is a body here or a frame
        there = data.oMf[theirs.getFrameId(name, pin.FrameType.BODY)]
        frame = model.frame(name)
        X_WF = own[frame.body] @ frame.X_BF
        np.testing.assert_allclose(list(X_WF.p), there.translation, atol=1e-12)
        np.testing.assert_allclose(X_WF.q.to_matrix().to_array(), there.rotation, atol=1e-12)


def counterpart(model, theirs, q):
    """q there, the place there of each velocity of ours, and X with v' = X v."""
    found, places, X = pin.neutral(theirs), np.zeros(model.nv, int), np.eye(model.nv)
    for k, body in enumerate(model.bodies):
        joint = theirs.joints[
            theirs.getJointId("root_joint" if body.joint.kind == "free" else body.joint.name)
        ]
        own = q[model.q_starts[k] : model.q_starts[k] + body.joint.nq]
        there = slice(joint.idx_q, joint.idx_q + joint.nq)
        start = model.v_starts[k]
        places[start : start + body.joint.nv] = range(joint.idx_v, joint.idx_v + joint.nv)
        if body.joint.kind == "free":  # its quaternion is (x, y, z, w), its velocity is in the body
            found[there] = [*own[:3], *np.roll(own[3:], -1)]
            X[start : start + 3, start : start + 3] = pin.Quaternion(*own[3:]).toRotationMatrix().T
        elif joint.nq == 2:  # an angle without bounds is its cosine and sine
            found[there] = np.cos(own[0]), np.sin(own[0])
        else:
            found[there] = own
    return found, places, X
