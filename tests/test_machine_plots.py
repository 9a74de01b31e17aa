"""Plots of machines: what is drawn is what the compiled kernels compute, with units; and what cannot be drawn."""

from __future__ import annotations

import numpy as np
import pytest

import quatrain as qt

pytest.importorskip("matplotlib")


def pendulums(batch=(), **options):
    robot = qt.examples.load("double_pendulum")
    q0 = np.broadcast_to([1.0, 0.5], (*batch, 2))
    return robot, qt.simulate(robot, q0, duration=0.5, record_every=10, **options)


def labels(figure):
    return [panel.get_ylabel() for panel in figure.axes]


def test_coordinates_are_grouped_by_what_they_are():
    robot = qt.examples.load("humanoid")
    run = qt.simulate(robot, duration=0.01)
    found = labels(run.plot("q"))
    joints = ("root", "neck", "left_shoulder", "right_shoulder", "left_hip", "right_hip")
    assert found == [*(f"q of {joint}" for joint in joints), "q\n[m]", "q\n[rad]", "q\n[rad]"]
    figure = run.plot("q")
    assert [line.get_label() for line in figure.axes[0].lines] == ["w", "x", "y", "z"]
    assert [line.get_label() for line in figure.axes[6].lines] == ["root.x", "root.y", "root.z"]
    np.testing.assert_array_equal(figure.axes[6].lines[2].get_ydata(), run.q[:, 2])
    assert set(labels(run.plot("v"))) == {"v\n[m/s]", "v\n[rad/s]"}


def test_forces_have_the_units_of_forces():
    robot = qt.examples.load("cart_pole")
    run = qt.simulate(
        robot,
        duration=0.1,
        control=lambda t, q, v, x, p: [1.0, 0.0],
        record=("q", "v", "tau", "acceleration"),
    )
    assert labels(run.plot("tau")) == ["tau\n[N]", "tau\n[N m]"]
    assert labels(run.plot("acceleration")) == ["acceleration\n[m/s²]", "acceleration\n[rad/s²]"]


def test_energies_are_those_of_the_kernels():
    robot, run = pendulums()
    figure = run.plot_energy()
    curves = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
    assert list(curves) == ["kinetic", "potential", "sum"]
    np.testing.assert_allclose(curves["kinetic"], robot.kinetic_energy(run.q, run.v), atol=1e-12)
    np.testing.assert_allclose(curves["potential"], robot.potential_energy(run.q), atol=1e-12)
    np.testing.assert_allclose(curves["sum"], run.energy(), atol=1e-12)
    assert labels(figure) == ["energy [J]", "change of the sum [J]"]


def test_springs_count():
    built = qt.ModelBuilder("spring").body("mass", joint="prismatic", axis="x", mass=1.0, stiffness=4.0)
    run = qt.simulate(built.robot(), [1.0], duration=1.0)
    curves = {line.get_label(): line.get_ydata() for line in run.plot_energy().axes[0].lines}
    np.testing.assert_allclose(curves["springs"], 2.0 * run.q[:, 0] ** 2, atol=1e-12)
    np.testing.assert_allclose(curves["sum"], 2.0, atol=1e-9)


def test_a_phase_portrait_has_velocity_over_coordinate():
    _, run = pendulums((3,))
    figure = run.plot_phase("elbow")
    (panel,) = figure.axes
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("elbow [rad]", "its velocity [rad/s]")
    curves = panel.lines
    assert len(curves) == 4  # three motions, and where the first begins
    np.testing.assert_array_equal(curves[2].get_xdata(), run.q[0, :, 1])
    np.testing.assert_array_equal(curves[2].get_ydata(), run.v[0, :, 1])
    assert len(run.plot_phase().axes) == 2


def test_ways_on_the_sphere_are_the_columns_of_rotation_matrices():
    robot = qt.examples.load("gyroscope")
    run = qt.simulate(robot, [0.3, 0.5, 0.0], [1.5, 0.0, 30.0], duration=0.5, record_every=10)
    figure = run.plot_sphere("inner", axes="xz")
    ways = [np.array(line.get_data_3d()) for line in figure.axes[0].lines if len(line.get_data_3d()[0]) > 1]
    _, quaternions = robot.pose(run.q, "inner")
    for way, k in zip(ways, (0, 2), strict=True):
        columns = [qt.Quaternion(*q).to_matrix().columns[k] for q in quaternions]
        np.testing.assert_allclose(way.T, [[*column] for column in columns], atol=1e-12)
    body = qt.RigidBody(1.0, (1.0, 2.0, 3.0)).simulate(w0=(0, 2, 0.1), duration=0.2, dt=0.01)
    assert len(body.plot_sphere().axes[0].lines) == 6


def test_the_mass_matrix_is_drawn_with_its_numbers():
    robot = qt.examples.load("arm6")
    q = robot.model.keyframe("bent").q
    figure = robot.plot_mass_matrix(q)
    M = robot.mass_matrix(q)
    shown = np.asarray(figure.axes[0].images[0].get_array())
    np.testing.assert_allclose(shown, M / np.sqrt(np.outer(np.diag(M), np.diag(M))), atol=1e-12)
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == list(robot.v_names)
    assert f"{M[1, 2]:.2g}" in {text.get_text() for text in figure.axes[0].texts}


def test_what_cannot_be_drawn_says_why():
    _, run = pendulums()
    with pytest.raises(qt.ArgumentError, match="has no coordinate 'wrist' with a velocity of its name"):
        run.plot_phase("wrist")
    with pytest.raises(qt.ArgumentError, match="axes is 'w'"):
        run.plot_sphere(axes="w")
    with pytest.raises(qt.ArgumentError, match="has no frame 'nose'"):
        run.plot_sphere("nose")
    with pytest.raises(qt.ArgumentError, match="has not recorded q and v"):
        run["q",].plot_energy()
    with pytest.raises(qt.ArgumentError, match=r"does not know its model(?s:.*)run.with_model\(robot\)"):
        qt.RigidBody(1.0, (1.0, 2.0, 3.0)).simulate(duration=0.1).plot_energy()
    robot = qt.examples.load("spherical_pendulum")
    with pytest.raises(qt.ArgumentError, match="spherical_pendulum has no joint of one coordinate"):
        qt.simulate(robot, duration=0.1).plot_phase()
    with pytest.raises(qt.ArgumentError, match=r"q has shape \(2,\); this needs one state, \(4,\)"):
        robot.plot_mass_matrix([1, 2])


def test_a_run_without_its_model_gets_it_again(tmp_path):
    robot, run = pendulums()
    run.save(tmp_path / "run.zarr")
    from quatrain.trajectory import Trajectory

    again = Trajectory.load(tmp_path / "run.zarr")
    assert again.model is None or again.model.name == robot.name
    assert again.with_model(robot).plot_energy() is not None
    with pytest.raises(
        qt.ArgumentError, match="q of this run is of shoulder, elbow …, and that of arm6 of joint1"
    ):
        again.with_model(qt.examples.load("arm6"))


# ---- notebooks -------------------------------------------------------------------------------------------


def test_notebooks_show_tables_of_models_and_runs():
    robot, run = pendulums()
    shown = robot.model._repr_html_()
    assert shown == robot._repr_html_()
    for text in ("<table>", "shoulder", "revolute y", "mass 2 kg", "nq 2", "gravity (0, 0, -9.81) m/s²"):
        assert text in shown
    shown = run._repr_html_()
    for text in ("51 times, 0 to 0.5 s", "shoulder, elbow", "<td", "energy", "[J]"[1:-1], "method rk4"):
        assert text in shown
    built = qt.ModelBuilder("<b>").body("<i>", mass=1.0, inertia=(1, 1, 1)).model()
    assert "<i>" not in built._repr_html_()
    assert "&lt;i&gt;" in built._repr_html_()


def test_notebooks_show_kernels():
    robot = qt.examples.load("arm6")
    kernel = qt.compile(qt.equations.dynamics.inverse_dynamics, robot.model)
    shown = kernel._repr_html_()
    for text in ("inverse_dynamics", "<td", "(…, 6)", "operations: ", "float64, 1 thread"):
        assert text in shown
    assert kernel.runs_on in repr(kernel)


def test_notebooks_hold_pages():
    robot, run = pendulums()
    replay = run.replay(trail="tip", height=300)
    assert str(replay).startswith("<!doctype html>")
    shown = replay._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "height: 300px" in shown
    assert shown.count('"') == 4
    assert repr(robot.still()).startswith("<page of ")
