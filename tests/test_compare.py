"""Formulations side by side: the reference's tables of drift, agreement of all forms, and plain answers to mistakes."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

from quatrain.compare import METHODS, NAMES, RENORMALISATIONS, compare
from quatrain.compare.formulations import formulation_of
from quatrain.compare.motion import motion_of
from quatrain.compare.pointwise import agreement
from quatrain.compare.report import tables
from quatrain.compare.runs import reference
from quatrain.equations.euler_parameter_loads import Load, MovingFrame
from quatrain.equations.rigid_body import Body
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.geometry import Mat3, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.scalar import cos
from tests.truth import torque_free

BOX = SymMat3.diagonal(1.0, 2.0, 3.0)
FULL = SymMat3(1.3, 2.1, 2.7, 0.2, -0.1, 0.3)
Q0 = Quaternion(1.0, 2.0, -1.0, 3.0) / 15**0.5
W0 = (1.0, 1.2, 0.8)


@pytest.fixture(scope="module", autouse=True)
def no_cache():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield


@pytest.fixture(scope="module")
def tumbling():
    """The run of the reference: RK4, 4000 steps of 0.05 s."""
    return compare(BOX, Q0, W0, duration=200.0, dt=0.05)


# ---- the tables of the reference ---------------------------------------------------------------------

# Largest deviations of norm, energy and momentum, attitude at the end, and the power of time of the energy.
# "≲ t" is written as a power of at most one, with the slack below.
AT_MOST_LINEAR = "≲ t"
DRIFT = {
    ("s34", "none"): (6.4e-4, 5.1e-3, 2.7e-3, 2.8e-1, 2.0),
    ("s34", "q"): (0, 3.8e-3, 1.9e-3, 2.2e-1, 2.0),
    ("s34", "both"): (0, 5.8e-7, 2.0e-6, 8.1e-4, AT_MOST_LINEAR),
    ("s39", "none"): (2.4e-3, 1.9e-2, 9.6e-3, 1.1, 2.0),
    ("s39", "q"): (0, 1.4e-2, 7.2e-3, 8.1e-1, 2.0),
    ("s39", "both"): (0, 6.2e-7, 2.3e-6, 7.6e-4, AT_MOST_LINEAR),
    ("s36", "none"): (8.2e-7, 1.5e-5, 5.6e-6, 1.2e-3, AT_MOST_LINEAR),
    ("s36", "q"): (0, 7.6e-3, 3.8e-3, 6.0e-1, 1.2),
    ("s36", "both"): (0, 6.6e-7, 2.9e-6, 9.3e-4, AT_MOST_LINEAR),
    ("s38", "none"): (5.7e-7, 1.2e-5, 4.2e-6, 1.1e-3, AT_MOST_LINEAR),
    ("s38", "q"): (0, 5.3e-3, 2.7e-3, 4.2e-1, 1.2),
    ("s38", "both"): (0, 1.1e-6, 3.0e-6, 9.0e-4, AT_MOST_LINEAR),
    ("newton_euler", "none"): (3.5e-7, 4.8e-7, 4.6e-7, 5.8e-5, 1.0),
    ("newton_euler", "q"): (0, 4.8e-7, 4.6e-7, 5.8e-5, 1.0),
}
for renormalisation in ("none", "q", "both"):
    DRIFT["s25", renormalisation] = DRIFT["s34", renormalisation]
    DRIFT["s40", renormalisation] = DRIFT["s38", renormalisation]

# Of the norm, at h = 0.1, 0.05 and 0.025, without renormalisation; and the orders in h and in t.
STEP_SIZES = {
    "s34": (1.0e-2, 6.4e-4, 4.0e-5, 4, 2),
    "s25": (1.0e-2, 6.4e-4, 4.0e-5, 4, 2),
    "s39": (4.5e-2, 2.4e-3, 1.5e-4, 4, 2),
    "s36": (1.3e-5, 8.2e-7, 5.1e-8, 4, 0),
    "s38": (9.0e-6, 5.7e-7, 3.6e-8, 4, 0),
    "newton_euler": (1.1e-5, 3.5e-7, 1.1e-8, 5, 1),
}

# What is printed has two digits; so the figures agree to a digit more than the fifth that is asked for.
DIGITS = 0.05


def agrees(found, printed):
    assert found == pytest.approx(printed, rel=DIGITS)


@pytest.mark.parametrize(("form", "renormalisation"), DRIFT)
def test_drift_is_that_of_the_reference(tumbling, form, renormalisation):
    """Section 13, first table."""
    row = tumbling.row(form, renormalisation)
    *figures, power = DRIFT[form, renormalisation]
    found = [row.norm, row.energy, row.momentum, row.attitude]
    for value, printed in zip(found, figures, strict=True):
        if printed == 0:
            assert value < 4e-16
        else:
            agrees(value, printed)
    if power == AT_MOST_LINEAR:
        assert row.growth < 1.05
    else:
        assert row.growth == pytest.approx(power, abs=0.05)


def test_without_its_constraint_the_equation_diverges(tumbling):
    """S(32): |q|² ≈ 1 + |q̇|² t² at first, with |q̇|² = ¼ |ω|²."""
    row = tumbling.row("s32")
    assert row.diverged
    start = compare(BOX, Q0, W0, duration=0.1, dt=1e-3, forms=["s32"], step_sizes=None).row("s32")
    assert (1 + start.norm) ** 2 - 1 == pytest.approx(dot(Vec3(*W0), Vec3(*W0)) / 4 * 0.1**2, rel=0.02)


@pytest.mark.parametrize("form", STEP_SIZES)
def test_drift_of_the_norm_against_step_size_is_that_of_the_reference(tumbling, form):
    """Section 13, second table: h⁴ t², h⁴ bounded, and h⁵ t."""
    *figures, order, power = STEP_SIZES[form]
    sizes = tumbling.sizes(form)
    assert sizes.h == pytest.approx((0.1, 0.05, 0.025))
    for value, printed in zip(sizes.norm, figures, strict=True):
        agrees(value, printed)
    assert sizes.order("norm") == pytest.approx(order, abs=0.1)
    assert tumbling.row(form).norm_growth == pytest.approx(power, abs=0.1)


def test_the_second_body_of_the_reference_gives_the_same_picture():
    """Full J, near its middle axis; the attitude of every form with full projection lies in one narrow band."""
    forms = ["newton_euler", "s34", "s25", "s39", "s36", "s38"]
    found = compare(FULL, Q0, (0.3, 2.0, -0.2), duration=200.0, dt=0.05, forms=forms, step_sizes=None)
    for form, norm in {"s34": 5.5e-4, "s39": 1.8e-3, "s38": 7.6e-7, "newton_euler": 7.2e-7}.items():
        agrees(found.row(form).norm, norm)
    for renormalisation, energy in {"none": 2.3e-5, "q": 1.2e-2, "both": 3.6e-6}.items():
        agrees(found.row("s38", renormalisation).energy, energy)
    for form in forms[1:]:
        assert 1.45e-3 < found.row(form, "both").attitude < 1.8e-3
    agrees(found.row("newton_euler", "q").attitude, 5.3e-5)


def test_a_norm_error_costs_eight_times_as_much_in_energy(tumbling):
    """Section 13, fourth reading, where the drift dominates the stepper's own error."""
    for form in ("s34", "s25", "s39"):
        row = tumbling.row(form)
        assert row.energy / row.norm == pytest.approx(8, rel=0.02)
    # With S(39) λ is 4T/s beside 4T: the multiplier tells the norm.
    assert tumbling.row("s39").multiplier_drift == pytest.approx(2 * tumbling.row("s39").norm, rel=0.02)


# ---- agreement ---------------------------------------------------------------------------------------

CONSTANT_FORCE = Load(forces=((Vec3(0.4, 1.1, -2.0), Vec3(0.3, -0.5, 0.8)),))


@pytest.mark.parametrize("load", [None, CONSTANT_FORCE], ids=["free", "force"])
@pytest.mark.parametrize("form", [*NAMES, "ZYX", "xyz", "ZXZ", "euler_angles:yzy"])
def test_all_forms_give_one_acceleration_and_their_multipliers(form, load):
    """To 1e-14; angles amplify rounding by their condition, up to 20 here, and its square."""
    motion = motion_of(FULL, Q0, (0.7, -1.1, 0.4), 1.0, load, None, None)
    a = agreement(formulation_of(form), motion, samples=500, seed=1)
    assert a.form == form.removeprefix("euler_angles:")
    if form == "s32":
        assert a.at_random > 0.1  # it leaves q̈ along q open
    else:
        assert max(a.at_start, a.at_random) < (5e-13 if a.coordinates == "angles" else 1e-14)
    if a.multiplier == "none":
        assert a.multiplier_error is None
    else:
        assert a.multiplier_error < 1e-13
    assert a.samples == 500 or (a.coordinates == "angles" and 480 < a.samples < 500)


def test_a_constant_force_keeps_the_energy_with_its_potential_and_all_forms_end_at_one_attitude():
    """RK4 at 1 ms; the forms differ in their force, so no two of the first four are one program."""
    forms = ["s34", "s79", "s82", "d21", "newton_euler", "s29_q2", "s84"]
    found = compare(
        FULL,
        Q0,
        (0.7, -1.1, 0.4),
        duration=4.0,
        dt=1e-3,
        forms=forms,
        load=CONSTANT_FORCE,
        renormalisation=["both"],
        step_sizes=None,
    )
    assert max(row.energy for row in found.rows) < 1e-11
    assert max(row.attitude for row in found.rows) < 1e-10
    assert {row.momentum for row in found.rows} == {None}
    assert [row.same_as for row in found.rows] == forms


def test_a_torque_with_its_potential():
    """A pendulum of weight: the torque c × Rᵀ g as a function, and as a force of the load."""
    centre, weight = Vec3(0.1, 0.2, -0.5), Vec3(0.0, 0.0, -9.81)
    options = {"duration": 2.0, "dt": 0.01, "forms": ["newton_euler", "s38", "ZYX"]}
    by_torque = compare(
        FULL,
        Q0,
        (0, 0, 0),
        torque=lambda t, q, w: cross(centre, q.inverse_rotate(weight)),
        potential=lambda q: -dot(weight, q.rotate(centre)),
        **options,
    )
    by_force = compare(FULL, Q0, (0, 0, 0), load=Load(forces=((weight, centre),)), **options)
    for form in ("newton_euler", "ZYX"):
        a, b = by_torque.row(form), by_force.row(form)
        assert 1e-12 < a.energy < 1e-3
        assert (a.energy, a.attitude) == pytest.approx((b.energy, b.attitude), rel=1e-4)
    # A couple in the body and its force are not the same off the sphere, to the size of the norm's error.
    assert by_torque.row("s38").attitude == pytest.approx(by_force.row("s38").attitude, abs=1e-4)


def test_a_torque_without_potential_keeps_no_energy_that_could_be_watched():
    found = compare(
        FULL, Q0, W0, duration=2.0, dt=0.02, forms=["g29", "s34"], torque=lambda t, q, w: w * -0.1 * cos(t)
    )
    assert {(row.energy, row.momentum, row.growth) for row in found.rows} == {(None, None, None)}
    assert max(row.attitude for row in found.rows) < 1e-5
    assert "–" in found.table()


def test_the_reference_solution_is_the_exact_motion():
    """Jacobi's elliptic functions over four turns; over fifty it is 2e-11, as rounding grows."""
    triaxial, start = SymMat3.diagonal(1.0, 2.0, 4.0), (0.4, 0.3, 0.7)
    motion = motion_of(triaxial, Quaternion.identity(), start, 20.0, None, None, None)
    found = reference(motion, 0.05, 400, 150)
    with mpmath.workdps(20):
        exact = torque_free.motion((1, 2, 4), start)
        for k, t in enumerate(found.t):
            R = Mat3.from_array(np.array(exact.attitude(float(t)).tolist(), float))
            there = Quaternion(*(x[k] for x in found.q))
            assert there.geodesic_distance(Quaternion.from_matrix(R)) < 1e-12
            w = np.array(exact.angular_velocity(float(t)), float)
            assert np.abs(np.array([x[k] for x in found.w]) - w).max() < 1e-12


# ---- steppers and renormalisations -------------------------------------------------------------------


@pytest.mark.parametrize("stepper", METHODS)
def test_orders_of_the_steppers_are_observed(stepper):
    """Over a second, by step sizes at which no error is rounding."""
    coarse = stepper == "dop853"
    found = compare(
        BOX,
        Q0,
        W0,
        duration=1.0,
        dt=0.2 if coarse else 0.02,
        forms=["newton_euler", "s38"],
        steppers=[stepper],
        renormalisation=["none"],
        step_sizes=[0.25, 0.125] if coarse else [0.02, 0.01],
    )
    assert {row.form for row in found.rows} == (
        {"newton_euler"} if stepper == "variational" else {"newton_euler", "s38"}
    )
    for row in found.rows:
        assert row.order == pytest.approx(METHODS[stepper].order, abs=0.3)
        assert row.order == found.sizes(row.form).order("attitude")


def test_the_order_of_angles_far_from_their_singularity():
    found = compare(BOX, (1.0, 0.0, 0.0, 0.0), (0.3, 0.2, 1.0), duration=1.0, dt=0.02, forms=["ZYX", "xyz"])
    assert [row.condition < 3 for row in found.rows] == [True, True]
    assert [row.order for row in found.rows] == pytest.approx([4, 4], abs=0.1)


def test_every_renormalisation():
    """Section 13: of S(34), nothing and q alone lose the energy, everything else keeps it a thousandfold better."""
    found = compare(
        BOX,
        Q0,
        W0,
        duration=200.0,
        dt=0.05,
        forms=["g29", "s34"],
        renormalisation=RENORMALISATIONS,
        step_sizes=None,
    )
    assert [row.renormalisation for row in found.rows if row.form == "s34"] == list(RENORMALISATIONS)
    assert [row.renormalisation for row in found.rows if row.form == "newton_euler"] == ["none", "q"]
    energy = {name: found.row("s34", name).energy for name in RENORMALISATIONS}
    assert min(energy["none"], energy["q"]) > 3e-3
    assert max(energy["both"], energy["projected"]) < 1e-6
    assert energy["baumgarte"] < 2e-5
    assert found.row("s34", "baumgarte").norm < 1e-6
    assert found.row("s34", "projected").norm < 4e-16


def test_projected_forms_are_interchangeable():
    """Off the sphere they are never asked, so all have one motion: to rounding, which fifty turns multiply."""
    forms = ["unconstrained", "s34", "s39", "s36", "s38"]
    found = compare(
        BOX, Q0, W0, duration=50.0, dt=0.05, forms=forms, renormalisation=["projected"], step_sizes=None
    )
    errors = [row.attitude for row in found.rows]
    assert len(errors) == len(forms)
    assert max(errors) - min(errors) < 1e-10 < 1e-6 < min(errors)


# ---- what comes out ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def short():
    return compare(
        Body(2.0, Vec3(1.0, 2.0, 3.0), BOX),
        Q0,
        W0,
        duration=20.0,
        dt=0.05,
        forms=["g29", "s34", "s79", "s32", "ZYX"],
        steppers=["rk4", "variational"],
        cost=True,
    )


def test_as_text(short):
    shown = str(short)
    assert max(map(len, shown.splitlines())) <= 100
    assert shown.startswith(
        "torque-free, 20 s, 400 steps of 0.05 s\nJ = diag(1, 2, 3) kg m²\nq(0) = (0.258199, "
    )
    assert "\ns34 s79 " in shown  # one program, one row
    assert "diverges" in shown
    assert [t.title for t in tables(short)] == [
        "Drift, rk4",
        "Norm against step size, nothing renormalised, rk4",
        "Drift, variational",
        "Norm against step size, nothing renormalised, variational",
        "How near the angles came to their singularity",
        "The same acceleration",
    ]
    for table in tables(short):
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_without_a_free_norm_the_attitude_is_set_against_the_step_size():
    found = compare(BOX, Q0, W0, duration=5.0, dt=0.05, forms=["s34"], renormalisation=["both"])
    assert tables(found)[1].title == "Attitude error against step size, rk4"
    assert "h^4" in str(found) or "h^5" in str(found)


def test_as_data(short):
    data = json.loads(json.dumps(short.to_dict(curves=True), allow_nan=False))
    assert data["inertia"] == [1, 2, 3, 0, 0, 0]
    row = next(r for r in data["rows"] if (r["form"], r["renormalisation"]) == ("s34", "none"))
    assert row["steps"] == 400
    assert row["norm"] == short.row("s34").norm
    assert row["same_as"] == "s34"
    assert len(row["curves"]["t"]) == len(row["curves"]["energy"]) == 400
    assert row["curves"]["t"][0] == pytest.approx(0.05)
    assert max(row["curves"]["norm"]) == row["norm"]
    diverged = next(r for r in data["rows"] if r["form"] == "s32")
    assert diverged["diverged"]
    assert {s["form"] for s in data["step_sizes"]} == {"newton_euler", "s34", "s79", "s32", "ZYX"}
    assert data["step_sizes"][0]["order"]["norm"] == short.step_sizes[0].order("norm")
    assert "curves" not in short.to_dict()["rows"][0]


def test_forms_that_are_one_program_are_run_once_and_say_so(short):
    assert short.row("s79").same_as == "s34"
    assert short.row("s79").curves.norm is short.row("s34").curves.norm
    assert (
        short.row("s34", "q").operations
        > short.row("s34").operations
        > 3 * short.row("newton_euler").operations
    )


def test_cost_is_measured_where_it_is_asked_for(short, tumbling):
    assert all(row.nanoseconds > 0 for row in short.rows)
    assert {row.nanoseconds for row in tumbling.rows} == {None}
    assert "  ns\n" in str(short)


def test_how_near_angles_came_to_their_singularity(short):
    """On its way the ZYX pitch reaches a right angle."""
    assert not short.row("ZYX").condition < 20
    assert short.row("s34").condition is None


def test_a_row_that_is_not_there(short):
    with pytest.raises(
        ArgumentError, match=r"no row \('s39', 'none'\).\n.*ask for one of: .*\('s34', 'both'\)"
    ):
        short.row("s39")


def test_as_a_picture(short, tmp_path):
    pytest.importorskip("matplotlib")
    figure = short.plot(tmp_path / "drift.svg")
    assert [at.get_title().split(",")[0] for at in figure.axes] == [
        "| |q| − 1 |",
        "relative energy error",
        "attitude error [rad]",
    ]
    assert (tmp_path / "drift.svg").stat().st_size > 10_000


@pytest.mark.parametrize("place", ["nowhere/drift.png", "drift.nonsense"])
def test_a_picture_that_cannot_be_written(short, tmp_path, place):
    pytest.importorskip("matplotlib")
    with pytest.raises(ArgumentError, match=r"(?s)cannot be written to .*To fix: .*ending in \.png"):
        short.plot(tmp_path / place)


def test_without_matplotlib_the_picture_says_what_to_install(short, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(QuatrainError, match=r'not installed.\n  To fix: pip install "quatrain\[plot\]"'):
        short.plot()


# ---- mistakes ----------------------------------------------------------------------------------------


def lame(t, q, w):
    return Vec3(1.0, 0.0, 0.0) / (t - t)


@pytest.mark.parametrize(
    ("change", "says", "advises"),
    [
        (
            {"forms": ["s99"]},
            "no form 's99'",
            "newton_euler, unconstrained, s34, .*; or three angles, by letters",
        ),
        ({"forms": ["XXY"]}, "'XXY' turns twice in a row", "three letters such as"),
        ({"forms": "s34"}, "forms is the text 's34'", r"pass \['s34'\]"),
        ({"forms": []}, "forms is empty", "name at least one"),
        ({"steppers": ["euler"]}, "no stepper 'euler'", "semi_implicit_euler, rk4, .*, dop853"),
        ({"renormalisation": ["twice"]}, "no renormalisation 'twice'", "none, nothing is done .*; baumgarte"),
        ({"dt": 0.0}, "dt is 0.0, not a positive number", "dt in seconds"),
        ({"dt": 1e-9}, "steps of 1e-09 s over 1 s are 1,000,000,000", "a larger dt or a shorter duration"),
        ({"duration": math.inf}, "duration is inf", "duration in seconds"),
        ({"step_sizes": [-1.0]}, "a step size is -1.0", "in seconds"),
        ({"q0": (1.0, 1.0, 0.0, 0.0)}, "q0 has the norm 1.41421356, not 1", r"q0.normalised\(\)"),
        ({"q0": (1.0, 0.0, 0.0)}, r"q0 has shape \(3,\); this needs \(..., 4\)", "shape"),
        ({"w0": (1.0, math.nan, 0.0)}, r"w0\[1\] is nan", "finite"),
        ({"w0": np.zeros((5, 3))}, "w0 holds more than one state", "one motion at a time"),
        ({"w0": (0.0, 0.0, 0.0)}, "at rest and nothing acts", "w0 other than zero, or a load"),
        ({"body": "a box"}, "body is of type str", "a RigidBody"),
        ({"load": (1, 2, 3)}, r"load is \(1, 2, 3\)", "pass a Load"),
        (
            {"load": Load(frame=MovingFrame(Vec3.zero(), Vec3.zero()))},
            "load has a moving frame",
            "without frame",
        ),
        ({"potential": lambda q: q.w}, "a potential is given without the torque", "torque="),
        ({"torque": lame}, "reference solution does not get past a time before t = ", "finite and smooth"),
    ],
)
def test_mistakes_are_answered_with_what_and_what_to_do(change, says, advises):
    given = {"body": BOX, "q0": Q0, "w0": W0, "duration": 1.0, "dt": 0.1, "forms": ["g29"], **change}
    body, q0, w0 = (given.pop(name) for name in ("body", "q0", "w0"))
    with pytest.raises(ArgumentError, match=f"(?s){says}.*To fix: .*{advises}"):
        compare(body, q0, w0, **given)


@pytest.mark.parametrize(
    ("form", "attitude", "other"),
    [("ZYX", (0.5**0.5, 0.0, 0.5**0.5, 0.0), "ZYZ"), ("xyx", (1.0, 0.0, 0.0, 0.0), "xyz")],
)
def test_angles_that_cannot_start_at_their_singularity_say_which_others_can(form, attitude, other):
    options = {"duration": 1.0, "dt": 0.05, "step_sizes": None}
    with pytest.raises(
        ArgumentError, match=f"form {form!r} cannot start at q0.*\n.*or use {other!r}, .* 1.57 rad"
    ):
        compare(BOX, attitude, W0, forms=["s34", form], **options)
    assert compare(BOX, attitude, (0.1, 0.2, 0.1), forms=[other], **options).row(other).attitude < 1e-5


# ---- the page about them -----------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guides" / "formulations.md"


def same_figures(shown, found):
    """Words are the same, numbers to what their digits allow; what is below 1e-13 is rounding and the machine's own."""
    for a, b in zip(shown.split(), found.split(), strict=True):
        try:
            x, y = (float(word.removeprefix("t^").removeprefix("h^")) for word in (a, b))
        except ValueError:
            if not {a, b} <= {"bounded", "–", *(f"t^{k / 10}" for k in range(3))}:
                assert a == b
        else:
            assert x == pytest.approx(y, rel=0.05, abs=0.1 if "^" in a else 1e-13)


def test_the_guide_shows_what_the_command_prints():
    """Its first table is the whole output of the command above it."""
    (command, shown) = re.search(
        r"^`quatrain compare --forms ([\w,]+)`:.*?^```text\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S
    ).groups()
    found = compare(BOX, Q0, W0, duration=200.0, dt=0.05, forms=command.split(","))
    same_figures(shown, str(found))
