"""Runs of trees against problems whose answers are known: closed forms, series in many digits, matrix exponentials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

import quatrain as qt
from quatrain import ModelBuilder
from quatrain.forces import Spring
from quatrain.sensors import Reaction

TIGHT = {"method": "dop853", "tolerance": 1e-13}


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


# ---- pendulums -----------------------------------------------------------------------------------------


def test_a_pendulum_released_from_the_horizontal_is_jacobis():
    """IFToMM A01: sin(θ/2) = k sn(K + ω₀ t), k = sin(π/4); 10 s."""
    run = qt.simulate(
        qt.examples.model("pendulum"),
        [math.pi / 2],
        duration=10.0,
        dt=0.1,
        **TIGHT,
        record=("q", "tip.position"),
    )
    k, rate = math.sin(math.pi / 4), math.sqrt(9.81)
    sn, *_ = ellipj(ellipk(k * k) + rate * run.t, k * k)
    angle = 2 * np.arcsin(k * sn)
    assert run.q[:, 0] == pytest.approx(angle, abs=1e-9)
    assert run["tip.position"][:, 2] == pytest.approx(-np.cos(angle), abs=1e-9)


def test_a_spherical_pendulum_has_the_digits_of_the_reference():
    """A point on a universal joint; from r = (√3/2, 0, −1/2), v = (0, 2, 0): 128-bit Taylor series."""
    exact = {
        1: (-0.69977540423505540722, -0.49289637946607636692, -0.51707595451432321505,
            0.95809212005663289732, -1.8003071596594921711, 0.41950428833943971816),
        5: (0.57752094264400665612, -0.19580211801692573435, -0.79254721713451487011,
            1.8826529802371360953, 2.3608206488678022828, 0.78861905890158424362),
        10: (0.045782563398461010847, -0.73774860447066211061, -0.67352130886131320072,
             2.2810362043418617921, 1.0750715428543965447, -1.0225375749014334127),
    }  # fmt: skip
    built = ModelBuilder("spherical")
    built.body("bob", joint="universal", axis=("x", "y"), mass=1.0, com=(0, 0, -1), inertia=(0, 0, 0))
    robot = built.frame("tip", body="bob", at=(0, 0, -1)).robot()
    q0 = np.array([0.0, -math.pi / 3])
    v0 = np.linalg.lstsq(robot.jacobian(q0, "tip")[:3], np.array([0.0, 2.0, 0.0]), rcond=None)[0]
    run = qt.simulate(robot, q0, v0, duration=10.0, dt=1.0, **TIGHT, record=("tip.position", "tip.velocity"))
    assert run["tip.position"][0] == pytest.approx([math.sqrt(3) / 2, 0, -0.5], abs=1e-15)
    for t, values in exact.items():
        found = [*run["tip.position"][t], *run["tip.velocity"][t]]
        assert found == pytest.approx(values, abs=1e-9 if t < 10 else 1e-8)


def test_a_conical_pendulum_goes_round_at_its_rate_and_height():
    """Half angle 40°, 1 m, 1 kg: it turns at √(g/cos 40°) and pulls its pivot with g/cos 40°."""
    angle, rate = math.radians(40), 3.5785535497390077635
    built = ModelBuilder("conical")
    built.body("bob", joint="universal", axis=("x", "y"), mass=1.0, com=(0, 0, -1), inertia=(0, 0, 0))
    robot = built.frame("tip", body="bob", at=(0, 0, -1)).robot()
    q0, r = np.array([0.0, -angle]), math.sin(angle)
    v0 = np.linalg.lstsq(robot.jacobian(q0, "tip")[:3], np.array([0.0, rate * r, 0.0]), rcond=None)[0]
    run = qt.simulate(
        robot, q0, v0, duration=10.0, dt=0.25, **TIGHT,
        record={"tip.position": None, "pull": Reaction("bob")},
    )  # fmt: skip
    turned = rate * run.t
    circle = np.stack(
        [r * np.cos(turned), r * np.sin(turned), np.full(len(turned), -math.cos(angle))], axis=-1
    )
    assert run["tip.position"] == pytest.approx(circle, rel=0, abs=1e-10)
    assert np.linalg.norm(run["pull"][:, :3], axis=-1) == pytest.approx(
        12.806045508349653111, rel=0, abs=1e-10
    )


CHAINS = {
    (3, math.pi / 2): {
        0.5: (0.6661768314704526, 1.1698228018724377, 1.5224319057007982),
        1.0: (-0.1420931050954317, -0.1639825307732089, -0.8601924509975322),
        2.0: (-1.3220121910499094, -1.6686074621722697, -1.2688956696115712),
    },
    (5, math.pi / 4): {
        0.5: (0.3572454875161331, 0.4614756658202646, 0.669179219506618, 0.7687116844103026, 0.7844479127414201),
        1.0: (-0.0180119655805072, -0.0324734482297246, -0.0043485239179088, -0.0550744551276312, 0.2899701072392201),
        2.0: (-0.5511176121105945, -0.7368518340998426, -0.9362000542872368, -1.005833859058865, -0.9402957517301952),
    },
}  # fmt: skip


def chain_of_points(count):
    built, parent = ModelBuilder("chain"), "world"
    for k in range(count):
        built.body(
            f"rod{k}",
            parent=parent,
            axis="y",
            at=(0, 0, -1 if k else 0),
            mass=1.0,
            com=(0, 0, -1),
            inertia=(0, 0, 0),
        )
        parent = f"rod{k}"
    return built.model()


@pytest.mark.parametrize(("count", "start"), CHAINS)
def test_planar_chains_of_points_have_the_digits_of_the_reference(count, start):
    """Angles from the vertical, all equal and at rest at first; SciPy's DOP853 on the textbook's equations."""
    q0 = [start, *[0.0] * (count - 1)]
    run = qt.simulate(chain_of_points(count), q0, duration=2.0, dt=0.5, **TIGHT)
    for t, angles in CHAINS[count, start].items():
        assert np.cumsum(run.q[round(t / 0.5)]) == pytest.approx(angles, abs=3e-11)


@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_long_chains_of_points_swing_as_their_textbook_equations(count):
    """Σⱼ (N − max(i, j)) (cos(θᵢ − θⱼ) θⱼ″ + sin(θᵢ − θⱼ) θⱼ′²) = −(N − i) g sin θᵢ, by SciPy's DOP853."""
    below = count - np.maximum.outer(np.arange(count), np.arange(count))

    def rate(t, y):
        angle, speed = y[:count], y[count:]
        apart = angle[:, None] - angle
        load = below * np.sin(apart) @ speed**2 + np.diag(below) * 9.81 * np.sin(angle)
        return np.r_[speed, np.linalg.solve(below * np.cos(apart), -load)]

    start = np.r_[np.full(count, math.pi / 4), np.zeros(count)]
    exact = solve_ivp(rate, (0, 1), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    q0 = [math.pi / 4, *[0.0] * (count - 1)]
    run = qt.simulate(chain_of_points(count), q0, duration=1.0, dt=0.5, **TIGHT)
    found = np.r_[np.cumsum(run.q[-1]), np.cumsum(run.v[-1])]
    assert found == pytest.approx(exact, rel=0, abs=1e-9 * np.abs(exact).max())


def test_a_chain_that_hangs_at_rest_stays_so():
    run = qt.simulate(chain_of_points(10), duration=1.0, dt=0.1, method="rk4")
    assert np.abs(run.q).max() < 1e-13


def test_a_heavy_top_on_a_ball_has_the_digits_of_the_reference():
    """Géradin and Cardona's fast top; 128-bit Taylor series."""
    built = ModelBuilder("top")
    built.body("top", joint="ball", mass=15.0, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375))
    run = qt.simulate(built.model(), v0=[0, 150.0, -4.61538], duration=2.0, dt=0.2, **TIGHT)
    exact = {
        1: (-0.70827915297431256211, 0.43878108812658189737, 0.54572839614541767341, 0.089399752824005010462),
        5: (0.73294398067966371815, -0.27828571933761267852, 0.53182461133416261792, -0.32017614273624928141),
        10: (0.1229471350415334671, -0.4910798925500270147, 0.35043003034362096184, -0.78798688755048566932),
    }
    for k, q in exact.items():
        assert abs(abs(run.q[k] @ np.array(q)) - 1) < 1e-15
        assert run.q[k] == pytest.approx(np.array(q) * np.sign(run.q[k] @ q), abs=1e-9 if k == 1 else 1e-8)
    assert run.v[:, 1] == pytest.approx(150.0, abs=1e-9)


def test_a_floating_arm_turns_its_base_whatever_the_law_of_time():
    """Everything at rest, the hinge driven from 0 to π/2: the base turns by −0.2516… rad, and its centre stays."""
    built = ModelBuilder("floating", gravity=(0, 0, 0))
    built.body("base", joint="planar", axis=("x", "y", "z"), mass=50.0, com=(0, 0, 0), inertia=(10, 10, 10))
    built.body(
        "link",
        parent="base",
        joint_name="hinge",
        axis="z",
        at=(0.5, 0, 0),
        mass=5.0,
        com=(0.5, 0, 0),
        inertia=(5 / 12,) * 3,
    )
    model = built.model()  # fmt: skip
    turns = []
    for stiffness in (3.0, 30.0):

        def law(t, q, v, x, p, k=stiffness):
            return {"hinge": k * (2.0 - q["hinge"])}

        run = qt.simulate(
            model, duration=3.0, dt=0.05, **TIGHT, control=law, record=("q", "momentum", "center_of_mass"),
            events={"there": qt.Event(lambda t, q, v: q["hinge"] - math.pi / 2, direction=1, most=1)},
        )  # fmt: skip
        turns.append(run.events["there"].values["q"][0, 2])
        assert np.abs(run.momentum()).max() < 1e-10
        assert np.ptp(run.center_of_mass, axis=0).max() < 1e-10
    assert turns == pytest.approx([-0.25161436098003637] * 2, abs=1e-9)


# ---- springs and dampers -------------------------------------------------------------------------------


def test_a_network_of_springs_and_dampers_is_a_matrix_exponential():
    """Five cars on a rail, each to its neighbour and the wall by a spring and a damper: linear, so x = exp(A t) x₀."""
    count, k, d = 5, 40.0, 1.5
    built, forces = ModelBuilder("train", gravity=(0, 0, 0)), []
    masses = np.arange(1.0, count + 1)
    for i, mass in enumerate(masses):
        built.body(
            f"car{i}", joint="prismatic", axis="x", at=(2.0 * i, 0, 0), mass=float(mass), com=(0, 0, 0),
            inertia=(1, 1, 1), stiffness=10.0, damping=0.2,
        )  # fmt: skip
        if i:
            forces.append(Spring(f"car{i}", f"car{i - 1}", stiffness=k, length=2.0, damping=d))
    between = np.diff(np.eye(count), axis=0)
    K, D = 10 * np.eye(count) + k * between.T @ between, 0.2 * np.eye(count) + d * between.T @ between
    inverse = np.diag(1 / masses)
    A = np.block([[np.zeros((count, count)), np.eye(count)], [-inverse @ K, -inverse @ D]])
    start = np.array([0.3, -0.1, 0.2, 0.0, -0.3])
    run = qt.simulate(built.model(), start, duration=3.0, dt=0.25, **TIGHT, forces=forces)
    for row, t in enumerate(run.t):
        assert np.r_[run.q[row], run.v[row]] == pytest.approx(
            expm(A * t) @ np.r_[start, np.zeros(count)], abs=1e-11
        )
    coarse = qt.simulate(
        built.model(),
        start,
        duration=3.0,
        dt=1e-3,
        record_every=250,
        method="linearly_implicit_euler",
        forces=forces,
    )
    assert coarse.q == pytest.approx(run.q, abs=3e-3)  # order 1


def test_springs_of_a_swinging_net_against_scipy():
    """Three pendulums side by side, coupled by springs between their bobs, nonlinear; written out in their angles."""
    built, count, k = ModelBuilder("net"), 3, 8.0
    for i in range(count):
        built.body(f"p{i}", axis="y", at=(0.5 * i, 0, 0), mass=1.0 + i, com=(0, 0, -1), inertia=(0, 0, 0))
        built.frame(f"bob{i}", body=f"p{i}", at=(0, 0, -1))
    forces = [Spring(f"bob{i}", f"bob{i + 1}", stiffness=k, length=0.4) for i in range(count - 1)]
    masses = 1.0 + np.arange(count)

    def rate(t, y):
        q, v = y[:count], y[count:]
        place = np.stack([0.5 * np.arange(count) - np.sin(q), -np.cos(q)], axis=-1)
        along = np.stack([-np.cos(q), np.sin(q)], axis=-1)
        tau = -masses * 9.81 * np.sin(q)
        for i in range(count - 1):
            apart = place[i + 1] - place[i]
            length = np.linalg.norm(apart)
            pull = k * (length - 0.4) * apart / length
            tau[i] += pull @ along[i]
            tau[i + 1] -= pull @ along[i + 1]
        return np.r_[v, tau / masses]

    start = np.r_[0.8, -0.5, 0.3, 0.0, 0.0, 0.0]
    exact = solve_ivp(rate, (0, 4), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    run = qt.simulate(built.model(), start[:3], duration=4.0, dt=0.5, **TIGHT, forces=forces)
    assert np.r_[run.q[-1], run.v[-1]] == pytest.approx(exact, abs=1e-10)


# ---- long times ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_momentum_and_energy_of_a_satellite_over_two_hours():
    """720,000 steps of 10 ms, wheels and panels turning: what rounding leaves, and RK4's own slow drift."""
    from quatrain.starts import starts

    robot = qt.examples.load("satellite")
    run = robot.simulate(
        *starts(robot),
        duration=7200.0,
        dt=0.01,
        record_every=6000,
        method="rk4",
        record=("q", "energy", "momentum"),
    )
    assert run.drift("momentum")[1] < 1e-9
    assert run.drift("energy")[1] < 1e-9
    assert np.abs(np.linalg.norm(run.q[:, 3:7], axis=-1) - 1).max() < 1e-15


@pytest.mark.slow
@pytest.mark.parametrize(("method", "bound"), [("semi_implicit_euler", 2e-2), ("implicit_midpoint", 2e-4)])
def test_energy_of_a_swing_does_not_drift_over_an_hour(method, bound):
    """A pendulum of large swings: symplectic steps keep the energy within a band, at the end as at the beginning."""
    run = qt.simulate(
        qt.examples.model("pendulum"), [2.5], duration=3600.0, dt=0.005, record_every=10, method=method
    )
    error = np.abs(run.energy() - run.energy()[0]) / 9.81
    assert error[: len(error) // 60].max() < bound
    assert error[-(len(error) // 60) :].max() < bound
    assert error[-1000:].max() == pytest.approx(error[:1000].max(), rel=0.2)
