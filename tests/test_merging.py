"""What became part of another body is a body again, to the last bit; what has changed since is kept."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import quatrain as qt
from quatrain import Vec3, edit
from quatrain.formats import read, write
from quatrain.loading import load_model
from quatrain.model import JOINT_KINDS
from tests.formats.furnished import furnished
from tests.formats.robots import ROBOT
from tests.formats.round_trips import moves_alike
from tests.truth.random_trees import random_tree

SEEDS = range(6)


def apart(seed):
    """A tree with several bodies on fixed joints, some of them without mass, frames and shapes on all."""
    kinds = ("fixed", "revolute", "fixed", "ball", "prismatic", "free")
    model = furnished(random_tree(seed, 14, kinds=kinds), seed)
    bodies = list(model.bodies)
    nothing = {"mass": 0.0, "p_BBcm": Vec3.zero(), "I_Bcm_B": qt.SymMat3(*(0.0,) * 6)}
    for k in (2, 5):
        bodies[k] = replace(bodies[k], **nothing)
    return replace(model, bodies=tuple(bodies))


@pytest.mark.parametrize("seed", SEEDS)
def test_splitting_undoes_merging(seed):
    model = apart(seed)
    merged = edit.merged_fixed(model)
    assert merged.nb < model.nb
    split = edit.split_fixed(merged)
    assert split.unmerged is None
    assert (split.bodies, split.keyframes, split.actuators) == (
        model.bodies,
        model.keyframes,
        model.actuators,
    )
    assert {*split.frames} == {*model.frames}
    assert split.shapes == model.shapes
    assert split.digest == model.digest
    assert edit.merged_fixed(split) == merged
    assert edit.split_fixed(model) is model


@pytest.mark.parametrize("seed", SEEDS)
def test_what_has_changed_since_is_kept(seed):
    """More mass on a body, and another place of a joint."""
    model = apart(seed)
    merged = edit.merged_fixed(model)
    bodies = list(merged.bodies)
    k = merged.nb - 1
    bodies[k] = replace(
        bodies[k],
        mass=bodies[k].mass + 1.5,
        joint=replace(bodies[k].joint, X_PJ=qt.Pose(bodies[k].joint.X_PJ.q, Vec3(0.1, 0.2, 0.3))),
    )
    changed = replace(merged, bodies=tuple(bodies))
    split = edit.split_fixed(changed)
    moves_alike(changed, edit.merged_fixed(split))
    assert split.mass == pytest.approx(model.mass + 1.5, rel=1e-14)
    others = [body for body in split.bodies if body.name != bodies[k].name]
    assert others == [body for body in model.bodies if body.name != bodies[k].name]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_merged_goes_through_edits(seed):
    merged = edit.merged_fixed(apart(seed))
    moving = next(
        body.joint.name for body in merged.bodies if body.joint.kind == "revolute" and not body.joint.mimic
    )
    leaders = {body.joint.mimic.joint for body in merged.bodies if body.joint.mimic}
    fixed = merged if moving in leaders else edit.fix_joint(merged, moving, 0.3)
    moves_alike(edit.merged_fixed(fixed), edit.merged_fixed(edit.split_fixed(fixed)))
    more = edit.attach(merged, random_tree(seed + 50, 4), to=merged.body_names[1], prefix="more_")
    split = edit.split_fixed(more)
    assert {*split.body_names} == {*merged.unmerged.body_names} | {
        name for name in more.body_names if "more" in name
    }
    assert [key.q for key in split.keyframes] == [key.q for key in more.keyframes]
    moves_alike(edit.merged_fixed(more), edit.merged_fixed(split))


def test_parts_and_other_roots_forget_it():
    merged = edit.merged_fixed(apart(1))
    assert merged.unmerged is not None
    assert edit.subtree(merged, merged.body_names[0]).unmerged is None
    assert edit.attach(random_tree(3, 2), merged, prefix="a_").unmerged is None
    assert {*JOINT_KINDS} >= {"fixed"}


def test_a_loaded_robot_is_saved_with_all_its_links(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(ROBOT)
    robot = qt.load(file)
    assert robot.body_names == ("arm", "finger")
    assert "2 bodies on fixed joints became frames (base, hand); edit.split_fixed or" in str(robot.report)
    qt.save(robot, tmp_path / "again.urdf")
    assert re.findall(r'<link name="(.*?)"', (tmp_path / "again.urdf").read_text()) == [
        "base",
        "arm",
        "hand",
        "finger",
    ]
    whole, _ = load_model(file, merge_fixed=False)
    assert load_model(tmp_path / "again.urdf", merge_fixed=False)[0].bodies == whole.bodies


def test_our_own_format_holds_it():
    model = edit.merged_fixed(apart(2))
    text = write(model, "json").text
    back = read(text)[0].model
    assert back == model
    assert back.unmerged == model.unmerged
    assert edit.split_fixed(back).digest == edit.split_fixed(model).digest
    head, tail = text.split('"unmerged"')
    wrong = head + '"unmerged"' + re.sub('"parent": "b0"', '"parent": "nobody"', tail, count=1)
    with pytest.raises(
        qt.FormatError, match=r'unmerged\.bodies\[1\]\.parent is "nobody"; this needs the name of'
    ):
        read(wrong)
