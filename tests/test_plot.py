"""Pictures of trajectories: what is drawn, with which labels, and what is said without matplotlib."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from quatrain import ArgumentError, QuatrainError, RigidBody
from quatrain.errors import QuatrainError as Error
from tests.test_trajectory import made

pytest.importorskip("matplotlib")


def test_a_panel_for_each_column_with_its_unit(tmp_path):
    figure = made().plot("q", "w")
    top, bottom = figure.axes
    assert [line.get_label() for line in top.lines] == ["w", "x", "y", "z"]
    assert bottom.get_ylabel() == "w [rad/s]"
    assert bottom.get_xlabel() == "t [s]"
    assert np.array_equal(bottom.lines[1].get_ydata(), made().w[:, 1])
    figure.savefig(tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_all_columns_and_a_dozen_motions_of_a_batch():
    figure = made((20,)).plot()
    assert len(figure.axes) == 5
    assert len(figure.axes[2].lines) == 12
    assert len(made((20,)).plot("w", motion=3).axes[0].lines) == 3


def test_a_run_draws_itself():
    figure = RigidBody(1.0, [1, 2, 3]).simulate(w0=[0, 1, 0], duration=0.1, dt=0.01).plot("energy")
    assert figure.axes[0].get_ylabel() == "energy [J]"


def test_names_that_are_not_there_and_nothing_to_plot():
    with pytest.raises(ArgumentError, match="no 'spin'"):
        made().plot("spin")
    empty = made()["q",]
    empty.columns.clear()
    with pytest.raises(ArgumentError, match="nothing to plot"):
        empty.plot()


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(QuatrainError, match=r"matplotlib, which is not installed") as caught:
        made().plot()
    assert 'pip install "quatrain[plot]"' in str(caught.value)
    assert isinstance(caught.value, Error)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tumbling_box", "heavy_top", "gyroscope_through_gimbal_lock"])
def test_the_examples_draw_their_pictures(name, tmp_path, monkeypatch, capsys):
    script = Path(__file__).resolve().parent.parent / "examples" / f"{name}.py"
    monkeypatch.setattr(sys, "argv", [str(script), "--save", str(tmp_path / "picture.png")])
    runpy.run_path(str(script), run_name="__main__")
    assert (tmp_path / "picture.png").stat().st_size > 20_000
    assert "The picture is in" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["tumbling_box", "heavy_top", "gyroscope_through_gimbal_lock", "satellite_on_wheels"]
)
def test_without_matplotlib_the_examples_print_what_they_find_and_say_what_to_install(
    name, tmp_path, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    script = Path(__file__).resolve().parent.parent / "examples" / f"{name}.py"
    monkeypatch.setattr(sys, "argv", [str(script), "--save", str(tmp_path / "picture.png")])
    with pytest.raises(QuatrainError, match=r'matplotlib[\s\S]*pip install "quatrain\[plot\]"'):
        runpy.run_path(str(script), run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) > 3
