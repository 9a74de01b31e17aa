"""Our own format: every model comes back as it was, and a mistake in a file is told with its path."""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from dataclasses import replace

import numpy as np
import pytest

import quatrain as qt
from quatrain import Model, examples, formats
from quatrain.checks import ModelError
from quatrain.formats import FormatError
from quatrain.loading import load_model
from quatrain.model import WORLD
from tests.formats.furnished import furnished
from tests.truth.random_trees import KINDS, random_tree


def text_of(model):
    return formats.write(model, "json").text


def back(text, **options):
    return formats.read(text, **options)[0].model


def exact(model):
    """All of it, with the sign of zero and the last bit."""
    return repr(json.loads(text_of(model)))


@pytest.mark.parametrize("seed", range(8))
def test_a_model_comes_back_as_it_was(seed):
    model = furnished(random_tree(seed, count=14), seed)
    assert {body.joint.kind for body in model.bodies} == {*KINDS}
    read = back(text_of(model))
    assert read == model
    assert read.digest == model.digest
    assert exact(read) == exact(model)


@pytest.mark.parametrize("name", ["arm6", "humanoid", "satellite", "cart_pole"])
def test_examples_come_back_through_a_file(name, tmp_path):
    model = examples.model(name)
    report = qt.save(model, tmp_path / "m.quatrain.json")
    assert report.findings == ()
    read, _ = load_model(tmp_path / "m.quatrain.json", merge_fixed=False)
    assert read.folders == (str(tmp_path),)
    assert replace(read, folders=()) == model
    robot = qt.load(tmp_path / "m.quatrain.json")
    assert np.array_equal(robot.mass_matrix(robot.neutral()), qt.Robot(model).mass_matrix(robot.neutral()))


def test_floats_keep_their_last_bit_and_their_sign():
    model = examples.model("pendulum")
    odd = (5e-324, -0.0, 0.1 + 0.2, math.nextafter(1.0, 2.0), -math.inf, math.inf)
    limits = qt.Limits(odd[4], odd[5], velocity=odd[0], effort=odd[3], acceleration=odd[2])
    joint = replace(model.bodies[0].joint, limits=(limits,), pitch=odd[1])
    read = back(text_of(replace(model, bodies=(replace(model.bodies[0], joint=joint),))))
    found = read.bodies[0].joint
    assert found.limits == (limits,)
    assert math.copysign(1.0, found.pitch) == -1.0


def test_a_file_reads_well():
    text = text_of(examples.model("pendulum"))
    assert text.startswith(
        '{\n "format": "quatrain",\n "version": 1,\n "name": "pendulum",\n "gravity": [0.0, 0.0, -9.81],\n'
    )
    assert '   "parent": "world",\n' in text
    assert max(map(len, text.splitlines())) <= 100


def test_every_field_of_a_model_is_covered():
    """What is added to these classes comes along by itself; what names a body by number is told apart."""
    numbered = set()
    pending, seen = [Model], set()
    while pending:
        kind = pending.pop()
        seen.add(kind)
        for name, hint in typing.get_type_hints(kind).items():
            parts = [hint, *typing.get_args(hint)]
            pending += [one for one in parts if dataclasses.is_dataclass(one) and one not in seen]
            if int in parts:
                numbered.add((kind.__name__, name))
    assert numbered == {("Body", "parent"), ("Frame", "body"), ("Shape", "body")}


SOUND = json.loads(text_of(examples.model("double_pendulum")))
MISTAKES = [
    (("mass",), "heavy", 'bodies[1].mass is "heavy"; this needs a number', "write a number"),
    (("mass",), True, "bodies[1].mass is true; this needs a number", "write a number"),
    (("mass",), None, "bodies[1].mass is null; this needs a number", "write a number"),
    (("name",), 3, "bodies[1].name is 3; this needs a text", "write a text"),
    (("p_BBcm",), [1, 2], "bodies[1].p_BBcm is [1, 2]; this needs a list of 3", "write […]"),
    (("joint", "axes"), [[0, 0, "z"]], 'bodies[1].joint.axes[0][2] is "z"; this needs a number', "write"),
    (("joint", "axes"), 1, "bodies[1].joint.axes is 1; this needs a list", "write […]"),
    (("joint", "X_PJ"), [], "bodies[1].joint.X_PJ is []; this needs an object with q, p", "write {…}"),
    (("joint", "X_PJ"), {"q": [1, 0, 0, 0]}, "bodies[1].joint.X_PJ has no 'p'", 'add "p": …'),
    (("joint", "limit"), [], "bodies[1].joint has the key 'limit', which has no meaning", "limits, mimic"),
    (("joint", "kind"), "bendy", 'bodies[1].joint.kind is "bendy"; this needs the kind of a joint', "one of fixed, re"),
    (("parent",), "wrold", "bodies[1].parent is \"wrold\"; this needs the name of a body", "world, "),
    (("parent",), -1, "bodies[1].parent is -1; this needs the name of a body", "name one of world"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "says", "advises"), MISTAKES)
def test_a_mistake_is_told_with_its_path(path, value, says, advises):
    wrong = json.loads(json.dumps(SOUND))
    inner = wrong["bodies"][1]
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(FormatError) as caught:
        qt.load(json.dumps(wrong))
    assert f"text: {says}" in str(caught.value)
    assert advises in str(caught.value).split("To fix: ")[1]


@pytest.mark.parametrize(
    ("text", "says", "advises"),
    [
        ("{}", "this JSON does not say that it is a model of ours", '"format": "quatrain", "version": 1'),
        ('{"format": "quatrain"}', "version is null; this needs a whole number", "write a whole number"),
        ('{"format": "quatrain", "version": 2}', "version 2 of the format, and this version", "update the library"),
        ('{"format": "quatrain", "version": 0}', "version 0 of the format", "save the model again"),
        ('{"format": "quatrain", "version": 1}', "the whole has no 'name'", 'add "name": …'),
        ('{"format": "quatrain",\n "version": 1,}', "text:2: this is not well-formed JSON", "no comma after"),
        ('{"format": "quatrain", "version": 1, "folders": ["/"]}', "it names folders", "roots=[…]"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice in one object", "keep one"),
        ('{"a": NaN}', "it holds NaN, which is not JSON", "write 'inf', '-inf', 'nan'"),
        ('{"a": 1' + "0" * 5000 + "}", "a number cannot be read", "check that this is a model"),
        ('{"a":' * 100_000, "nested too deeply", "check that this is a model"),
    ],
)  # fmt: skip
def test_files_that_are_none_are_refused(text, says, advises):
    with pytest.raises(FormatError) as caught:
        qt.load(text)
    assert says in str(caught.value)
    assert advises in str(caught.value).split("To fix: ")[1]


def test_extras_cannot_be_nested_without_end():
    extra = {"kind": "a"}
    for _ in range(300):
        extra = {"kind": "a", "parts": [extra]}
    with pytest.raises(FormatError, match=r"nested too deeply"):
        back(json.dumps({**SOUND, "extras": [extra]}))
    with pytest.raises(FormatError, match=r"bodies\[0\].mass is 1000.*; this needs a number"):
        back(json.dumps({**SOUND, "bodies": [{**SOUND["bodies"][0], "mass": 10**400}, SOUND["bodies"][1]]}))


def test_bytes_of_another_kind_and_a_byte_order_mark(tmp_path):
    file = tmp_path / "m.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(SOUND).encode())
    assert qt.load(file).name == "double_pendulum"
    file.write_bytes(b'{"name": "\xff"}')
    with pytest.raises(
        FormatError, match=r"m\.json: its characters cannot be read: .*\n  To fix: save it as UTF-8"
    ):
        qt.load(file)


def test_what_is_no_float_is_not_written():
    model = examples.model("pendulum")
    third = replace(model, bodies=(replace(model.bodies[0], mass=__import__("fractions").Fraction(1, 3)),))
    with pytest.raises(
        FormatError, match=r"bodies\[0\]\.mass is Fraction\(1, 3\), of type Fraction, and a file holds floats"
    ):
        text_of(third)


def test_a_base_is_freed_or_fixed_on_request():
    text = text_of(examples.model("tumbling_box"))
    assert back(text).bodies[0].joint.kind == "free"
    fixed = back(text, base="fixed")
    assert (fixed.nq, fixed.bodies[0].parent) == (0, WORLD)
    assert back(text_of(fixed), base="floating").nq == 7
    with pytest.raises(
        FormatError, match=r"base='floating' was asked for, and 'bob' stands on the ground on a"
    ):
        back(text_of(examples.model("pendulum")), base="floating")


def test_joints_that_follow_may_be_made_independent():
    model = furnished(random_tree(3, count=14), 3)
    alone = back(text_of(model), mimic="independent")
    assert alone.nq == model.nq + 1
    (follower,) = (k for k, body in enumerate(model.bodies) if body.joint.mimic)
    drive = model.drives[follower]
    key, same = model.keyframes[0], alone.keyframes[0]
    assert same.q[alone.q_starts[follower]] == drive.ratio * key.q[model.q_starts[follower]] + drive.offset
    assert same.v[alone.v_starts[follower]] == drive.ratio * key.v[model.v_starts[follower]]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_answered_with_an_error_of_ours_or_a_model(seed):
    """Values of other kinds anywhere, keys and entries gone, bytes lost."""
    rng = np.random.default_rng(seed)
    whole = json.loads(text_of(furnished(random_tree(seed, count=6), seed)))
    odd = [None, True, -1, 10**400, "inf", "", [], {}, [[]], "world", 1e308, -0.0, {"q": 1}, "\ud800"]
    answers = {"model": 0, "error": 0}
    for _ in range(150):
        damaged = json.loads(json.dumps(whole))
        place = damaged
        while True:  # somewhere in it
            keys = [*place] if isinstance(place, dict) else list(range(len(place)))
            key = keys[rng.integers(len(keys))]
            inner = place[key]
            if not isinstance(inner, (dict, list)) or not inner or rng.random() < 0.15:
                break
            place = inner
        if rng.random() < 0.3:
            del place[key]
        else:
            place[key] = odd[rng.integers(len(odd))]
        text = json.dumps(damaged)
        if rng.random() < 0.1:
            text = text[: rng.integers(1, len(text))]
        options = {
            "mimic": ("exact", "independent")[rng.integers(2)],
            "base": ("auto", "floating")[rng.integers(2)],
        }
        try:
            load_model(text, **options)
            answers["model"] += 1
        except qt.QuatrainError:
            answers["error"] += 1
    assert min(answers.values()) > 0


# ---- saving -------------------------------------------------------------------------------------------


def test_a_file_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "m.json"
    qt.save(examples.load("pendulum"), file)  # a robot will do
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        FormatError, match=r"m\.json cannot be written: No space left on device\.\n  To fix: check its folder"
    ):
        qt.save(examples.model("arm6"), file)
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["m.json"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "m.json"
    link.symlink_to(tmp_path / "there" / "real.json")
    qt.save(examples.model("pendulum"), link)
    assert link.is_symlink()
    assert qt.load(tmp_path / "there" / "real.json").name == "pendulum"


def test_what_cannot_be_saved_is_refused(tmp_path):
    model = examples.model("pendulum")
    with pytest.raises(
        qt.ArgumentError,
        match=r"'m\.txt' ends with '\.txt', which says no format .*\n  To fix: end it with one of \.json, \.urdf",
    ):
        qt.save(model, tmp_path / "m.txt")
    with pytest.raises(qt.ArgumentError, match="format is 'yaml'"):
        qt.save(model, tmp_path / "m.txt", format="yaml")
    with pytest.raises(qt.ArgumentError, match="model is a str"):
        qt.save("pendulum", tmp_path / "m.json")
    with pytest.raises(ModelError, match="its mass is -1 kg"):
        qt.save(replace(model, bodies=(replace(model.bodies[0], mass=-1.0),)), tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []
