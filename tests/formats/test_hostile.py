"""Files that mean harm: what they would read, how large they would grow, how long they would take."""

from __future__ import annotations

import time

import pytest

import quatrain as qt
from quatrain.errors import QuatrainError
from quatrain.formats import FormatError, child, mjcf, mjcf_compiler, read_content
from quatrain.formats.reading import Choices
from quatrain.loading import load_model
from tests.formats import fuzz

LAUGHS = (
    '<!DOCTYPE a [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    + "]>"
)
EXTERNAL = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
ROOTS = ['<robot name="r">{}</robot>', "<mujoco>{}</mujoco>", '<sdf version="1.7">{}</sdf>']


@pytest.mark.parametrize("root", ROOTS, ids=["urdf", "mjcf", "sdf"])
@pytest.mark.parametrize(
    ("declaration", "content"), [(LAUGHS, "&l9;"), (EXTERNAL, "&x;")], ids=["laughs", "external"]
)
def test_entities_are_refused_in_every_format(root, declaration, content, tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(declaration + root.format(content))
    with pytest.raises(FormatError, match="declares the entity"):
        load_model(file)


@pytest.mark.parametrize("root", ROOTS, ids=["urdf", "mjcf", "sdf"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<a>" * 300, "elements beyond 256 levels deep"),
        (b"<a>" * 100, "not well-formed XML"),  # truncated
        (b"<a b='\xff\xfe'/>", "not well-formed XML"),
    ],
    ids=["deep", "truncated", "bytes"],
)
def test_depth_ends_and_bytes(root, content, message):
    before, after = root.encode().split(b"{}")
    text = before + content + (b"" if message.startswith("not") else after)
    with pytest.raises(FormatError, match=message):
        read_content(text, "m.xml", Choices())


def test_a_text_in_a_million_pieces_is_read_in_time():
    start = time.thread_time()
    with pytest.raises(FormatError, match="no <link>"):
        read_content(b"<robot>" + b"a<!-- -->" * 500_000 + b"</robot>", "m.xml", Choices())
    assert time.thread_time() - start < 5


# ---- MJCF: nothing is opened but what was looked at first ---------------------------------------------

BODY = '<worldbody><body><joint/><geom size="1"/></body></worldbody>'


@pytest.mark.parametrize(
    "content",
    [
        '<include file="{}"/>',
        '<asset><model name="m" file="{}"/></asset>',
        '<worldbody><body><flexcomp name="f" type="mesh" file="{}"/></body></worldbody>',
        '<asset><hfield name="h" file="{}" size="1 1 1 1"/></asset>',
        '<asset><mesh name="m" file="{}"/></asset>'
        '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody>',
    ],
    ids=["include", "model", "flexcomp", "hfield", "mesh"],
)
@pytest.mark.parametrize("absolute", [False, True])
def test_nothing_outside_the_models_folder_is_opened(content, absolute, tmp_path):
    secret = tmp_path / "secret.xml"
    secret.write_text("<mujoco/>")
    home = tmp_path / "home"
    home.mkdir()
    file = home / "m.xml"
    named = str(secret) if absolute else "../secret.xml"
    file.write_text(f"<mujoco>{content.format(named)}{BODY}</mujoco>")
    with pytest.raises(FormatError, match=r"lies outside the (model's folder|folders of the model)"):
        load_model(file)


def test_a_link_out_of_the_folder_is_followed_no_further(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "secret.xml").write_text("<mujocoinclude/>")
    (tmp_path / "home" / "here.xml").symlink_to(tmp_path / "secret.xml")
    file = tmp_path / "home" / "m.xml"
    file.write_text(f'<mujoco><include file="here.xml"/>{BODY}</mujoco>')
    with pytest.raises(FormatError, match="lies outside the model's folder"):
        load_model(file)


def test_a_file_that_is_missing_is_told_with_the_line_of_its_include(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text('<mujoco>\n<include file="none.xml"/></mujoco>')
    with pytest.raises(FormatError, match=r"m.xml:2: it includes a file: .*none.xml cannot be read"):
        load_model(file)


@pytest.mark.parametrize("value", ["nan 0 0", "0 inf 0", "1 2 -Infinity"])
def test_numbers_that_are_none_do_not_reach_the_compiler(value):
    text = f'<mujoco>\n<worldbody><body name="nan"><joint axis="{value}"/><geom size="1"/></body></worldbody></mujoco>'
    with pytest.raises(FormatError) as caught:
        load_model(text)
    assert f"text:2: attribute 'axis' of <joint> is '{value}'" in str(caught.value)


def test_a_compiler_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(mjcf, "SECONDS", 0.01)
    with pytest.raises(FormatError, match=r"MuJoCo's compiler was not done after 0.01 s"):
        load_model(f"<mujoco>{BODY}</mujoco>")


def test_a_compiler_that_dies_is_told(monkeypatch):
    monkeypatch.setattr(child, "_BOUNDED", "import os, sys; print('oh', file=sys.stderr); os._exit(7)")
    with pytest.raises(FormatError, match="MuJoCo's compiler ended with code 7: oh"):
        load_model(f"<mujoco>{BODY}</mujoco>")


def test_a_model_that_grows_without_measure_is_refused(monkeypatch):
    monkeypatch.setattr(mjcf_compiler, "MOST", 100)
    many = '<replicate count="200" offset="1 0 0"><geom size="1"/></replicate>'
    with pytest.raises(ValueError, match="200 geoms and 0 actuators are too many"):
        mjcf_compiler.compiled(
            {"path": None, "text": f"<mujoco><worldbody>{many}</worldbody></mujoco>", "roots": []}
        )


def test_a_number_over_all_measure_is_refused():
    text = '<robot name="r"><link name="a"><inertial><mass value="1e200"/></inertial></link></robot>'
    with pytest.raises(FormatError, match="attribute 'value' of <mass> is '1e200'"):
        qt.load(text)


# ---- damage -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["urdf", "sdf", "mjcf"])
def test_damaged_files_load_or_are_refused_by_an_error_of_ours(kind, monkeypatch):
    _damaged(kind, 150, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["urdf", "sdf", "mjcf"])
def test_many_damaged_files(kind, monkeypatch):
    """All 10⁵: python -m tests.formats.fuzz --count 100000."""
    _damaged(kind, 3000, monkeypatch)


def _damaged(kind, count, monkeypatch):
    if kind == "mjcf":
        pytest.importorskip("mujoco")
        monkeypatch.setattr(mjcf, "answer_of", mjcf.answer_of)  # is put back afterwards
        fuzz.in_this_process()
    texts = fuzz.seeds((kind,))
    for k in range(count):
        content = fuzz.damaged_by(texts, 11, k)
        assert fuzz.wrong_with(content) == "", content


def test_the_search_for_damage_finds_it(monkeypatch):
    """An error that is not ours is seen, and one of ours is not."""

    def fails(*_):
        raise KeyError("oh")

    assert fuzz.wrong_with(b"<robot/>") == ""
    monkeypatch.setattr("quatrain.formats.source._Reader.read", fails)
    assert "KeyError: 'oh'" in fuzz.wrong_with(b"<robot/>")
    assert issubclass(FormatError, QuatrainError)
