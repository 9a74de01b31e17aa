"""Free bodies, tops and wheels run as trees, to the digits of closed forms and of series in many digits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import quatrain as qt
from quatrain import ModelBuilder
from quatrain.scalar import where

TIGHT = {"method": "dop853", "tolerance": 1e-13}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def flying(inertia):
    """A body without gravity; of the reference's numbers some are no matter's, which the equations do not mind."""
    built = ModelBuilder("flying", gravity=(0, 0, 0))
    return built.body("body", joint="free", mass=1.0, com=(0, 0, 0), inertia=inertia).model()


def assert_attitude(found, exact, tolerance):
    """Up to the sign of the quaternion."""
    exact = np.array(exact)
    assert found == pytest.approx(exact * np.sign(found @ exact), rel=0, abs=tolerance)


def test_a_triaxial_body_has_the_digits_of_its_elliptic_functions():
    """Moments 1, 2, 4: after 20 s by a series in 40 digits; after a period 4 K(k)/p the rate is the first again."""
    w0, period = (0.4, 0.3, 0.7), 5.1968110346692954199
    exact = {
        20.0: (
            (0.51253869111327787942, -0.11392132190207281226, 0.70910999762802237034),
            (0.26217977467844294926, 0.11630677070375551743, 0.057902475050202898279, 0.9562331327772979288),
        ),
        period: (
            w0,
            (-0.39259462899969907104, 0.12723556552535427606, 0.19085334828803141703, 0.89064895867747990366),
        ),
    }
    simulation = qt.TreeSimulation(flying((1, 2, 4)), **TIGHT, record=("q", "v", "energy", "momentum"))
    for t, (w, q) in exact.items():
        run = simulation(v0=[0, 0, 0, *w0], duration=t, dt=t / 20)
        assert run.v[-1, 3:] == pytest.approx(w, rel=0, abs=1e-11)
        assert_attitude(run.q[-1, 3:7], q, 1e-11)
        assert run.drift("energy")[1] < 1e-11
        assert run.drift("momentum")[1] < 1e-11


def test_a_symmetric_body_has_the_closed_form_of_its_attitude():
    """Moments 2, 2, 1: a turn about the momentum and one about the body's axis, for 100 s."""
    exact = {
        1: ((0.247600684472903489, -0.169392742018510607, 1.2),
            (0.815097630641078693, 0.14062866279498269, -0.0435015431366163013, 0.560309778130390845)),
        10: ((0.288051085995109806, 0.0838246494596777618, 1.2),
             (0.994344187302528473, 0.0933794104640638466, 0.0133109121559663447, 0.0488133434281468296)),
        100: ((-0.285723894124546888, 0.0914431863306650117, 1.2),
              (0.670213729514896406, 0.0586545227732470146, 0.375701644543878534, 0.63735506432050971)),
    }  # fmt: skip
    run = qt.simulate(flying((2, 2, 1)), v0=[0, 0, 0, 0.3, 0, 1.2], duration=100.0, dt=1.0, **TIGHT)
    for t, (w, q) in exact.items():
        assert run.v[t, 3:] == pytest.approx(w, rel=0, abs=1e-10)
        assert_attitude(run.q[t, 3:7], q, 1e-10)


def test_the_tumbling_brick_of_nasa_has_its_digits():
    """NESC check case 2 (NASA/TM-2015-218675): rates in degrees a second and attitudes, by a series in 40 digits."""
    rates = {
        10: (-2.418902221692877, -23.5525695195605, 28.12859263004144),
        20: (-5.422734680068388, 22.71593057645249, 28.60828174731663),
        30: (12.61839077591422, -17.39747476161139, 31.11958888694434),
    }
    attitudes = {
        10: (-0.838405866829093125, 0.542762934807965475, -0.0478879834937783292, 0.0138108689842746084),
        30: (-0.88114718531042352, 0.47018252776669253, 0.0117282523248711814, 0.0486875394720837703),
    }
    brick = flying((0.001894220, 0.006211019, 0.007194665))
    run = qt.simulate(brick, v0=[0, 0, 0, *np.radians([10, 20, 30])], duration=30.0, dt=1.0, **TIGHT)
    for t, rate in rates.items():
        assert np.degrees(run.v[t, 3:]) == pytest.approx(rate, rel=0, abs=1e-9)
    for t, q in attitudes.items():
        assert_attitude(run.q[t, 3:7], q, 1e-10)
    two_of_nasas = (12.6183907757, -17.3974747619, 31.1195888868)
    assert np.degrees(run.v[30, 3:]) == pytest.approx(two_of_nasas, rel=0, abs=5e-10)


def test_lagranges_top_has_the_digits_of_the_reference():
    """Simo and Wong: moments 5, 5, 1 about the fixed point, m g l = 20, spinning at 50 rad/s; 128-bit Taylor series."""
    built = ModelBuilder("top", gravity=(0, 0, -20.0))
    built.body("top", joint="ball", mass=1.0, com=(0, 0, 1), inertia=(4, 4, 1))
    q0 = [math.cos(0.15), math.sin(0.15), 0, 0]
    model = built.frame("tip", body="top", at=(0, 0, 1)).model()
    run = qt.simulate(
        model, q0, [0, 0, 50.0], duration=10.0, dt=0.05, **TIGHT, record=("q", "v", "energy", "tip.position")
    )
    exact = {
        1: (
            (-0.13410072753645736978, 0.2172130314974356976),
            (
                0.97932510076809217636,
                0.14020692739051612824,
                0.082137412821683161892,
                -0.12048987481210627169,
            ),
            (0.12709142991870377342, -0.29440977976675337415, 0.9471909258533418736),
        ),
        2: (
            (-0.024580320862289111601, -0.049042666316650086528),
            (
                0.95942279096691304962,
                0.068668005216605640791,
                0.13343367810485635161,
                -0.23872173503944056819,
            ),
            (0.22325353301867300702, -0.19547033672986369763, 0.95496031721396359835),
        ),
        5: (
            (-0.080967469360567558816, -0.20501894305926465481),
            (
                0.80812278985042164759,
                -0.14090501411229607455,
                0.074258424215355272554,
                -0.56707055994420767732,
            ),
            (0.27982602039683046164, 0.14351757381593142435, 0.94926292686213196349),
        ),
        10: (
            (-0.16505112365229953625, 0.15445632918441698179),
            (
                0.33852151631668276873,
                0.10390086392275632083,
                -0.12136733643593152721,
                -0.92729594149505807244,
            ),
            (-0.2748646083900215137, 0.15474152101071960297, 0.94894916024510456308),
        ),
    }
    for t, (w, q, tip) in exact.items():
        row = round(t / 0.05)
        assert run.v[row] == pytest.approx([*w, 50.0], rel=0, abs=1e-8)
        assert_attitude(run.q[row], q, 1e-9)
        assert run["tip.position"][row] == pytest.approx(tip, rel=0, abs=1e-9)
    assert run.energy()[0] == pytest.approx(1269.106729782512120393, rel=1e-15)
    tilt = np.arccos(run["tip.position"][:, 2])
    assert tilt.min() > 0.3 - 1e-9
    assert tilt.max() < 0.32673371464485402109 + 1e-9


def test_a_reaction_wheel_has_the_closed_form():
    """A hub of 2 kg m² about the wheel's axis; the motor rests for 5 s, then gives 0.2 N m: the test of Basilisk."""
    axial = 0.15915494309189535
    built = ModelBuilder("hub", gravity=(0, 0, 0))
    across = axial / 2
    built.body("hub", joint="free", mass=4.0, com=(0, 0, 0), inertia=(2 - across, 2 - across, 2))
    built.body(
        "wheel", parent="hub", joint="continuous", joint_name="spin", axis="z", mass=1.0, com=(0, 0, 0),
        inertia=(across, across, axial),
    )  # fmt: skip
    speed = 100 * 2 * math.pi / 60

    def motor(t, q, v, x, p):
        return {"spin": where(t >= 5.0, 0.2, 0.0)}

    run = qt.simulate(
        built.model(), v0=[0, 0, 0, 0, 0, 0.35, speed], duration=10.0, dt=0.5, method="dop853", tolerance=1e-13,
        control=motor,
    )  # fmt: skip
    assert run.v[-1] == pytest.approx([0, 0, 0, 0, 0, -0.15, 17.255160819145566], rel=0, abs=1e-11)
    assert_attitude(run.q[-1, 3:7], [math.cos(2.25 / 2), 0, 0, math.sin(2.25 / 2)], 1e-11)
