"""One rigid body: what a run keeps and how fast it goes, beside MuJoCo (if installed) and NumPy in the same run.

    python benchmarks/one_body.py [--write docs/benchmarks.md]

It takes about half a minute. `pip install mujoco` for the comparison with MuJoCo.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import CLOCKS, HEADINGS, Row, Watch, cells, sentence, surroundings, table, write_between

import quatrain as qt

BOX = qt.RigidBody(1.0, (1.0, 2.0, 3.0))
MOMENTS = np.array([1.0, 2.0, 3.0])
START = (0.01, 5.0, 0.01)
DT, DURATION, MOTIONS = 1e-3, 10.0, 4096

MODEL = """
<mujoco>
  <option timestep="0.001" gravity="0 0 0" integrator="{integrator}"/>
  <worldbody>
    <body>
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/>
    </body>
  </worldbody>
</mujoco>
"""


# ---- MuJoCo ------------------------------------------------------------------------------------------


def mujoco_run(integrator: str) -> tuple[Any, Callable[[], Any]] | None:
    """Its states over ten seconds, and a call that makes them: the whole time loop in C, as ours is in machine code."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_string(MODEL.format(integrator=integrator))
    data = mujoco.MjData(model)
    data.qvel[3:] = START
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.empty(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, data, start, full)
    steps = round(DURATION / DT)

    def run() -> Any:
        return rollout.rollout(model, data, start[None], nstep=steps)[0][0]

    return run()[:, 1:], run  # time stands first


def conservation(q: Any, w: Any) -> tuple[float, float]:
    """Largest relative errors of energy and of the angular momentum in space, of states over time."""
    L = qt.Quaternion.from_array(q).rotate(qt.Vec3.from_array(w * MOMENTS)).to_array()
    energy = (w**2 * MOMENTS).sum(axis=-1)
    start = np.array(START)
    L0, E0 = start * MOMENTS, (start**2 * MOMENTS).sum()
    return float(np.abs(energy / E0 - 1).max()), float(
        np.linalg.norm(L - L0, axis=-1).max() / np.linalg.norm(L0)
    )


# ---- figures -----------------------------------------------------------------------------------------


def what_is_kept(watch: Watch) -> Iterator[Row]:
    """The tumbling box, 10 s at 1 ms."""
    theirs = {
        name: None if run is None else conservation(run[0][:, 3:7], run[0][:, 10:13])
        for name in ("Euler", "implicitfast", "RK4")
        for run in [mujoco_run(name)]
    }
    limits = {"rk4": 1e-12}
    for method in ("rk4", "variational", "implicit_midpoint", "dop853"):
        options = {"tolerance": 1e-13} if method == "dop853" else {}
        run = BOX.simulate(w0=START, duration=DURATION, dt=DT, method=method, **options)
        found = conservation(run.q, run.w)
        for k, what in enumerate(("energy", "angular momentum in space")):
            against = theirs["Euler"]
            beside = "" if against is None else f"{against[k]:.1e} MuJoCo, default (Euler)"
            limit = limits.get(method)
            yield Row(
                f"{what}, {method}",
                f"{found[k]:.1e}",
                beside,
                None,
                "" if limit is None else f"< {limit:g}",
                None if limit is None else found[k] < limit,
            )
    for name, found in theirs.items():
        if found is not None:
            yield Row(f"MuJoCo, {name}: energy; momentum", f"{found[0]:.1e}; {found[1]:.1e}")


def numpy_rk4(q: Any, v: Any, w: Any, steps: int) -> tuple[Any, Any, Any, Any]:
    """The same motion with a Runge-Kutta step over NumPy's columns, as one would write it by hand."""
    p, inertia = np.zeros_like(v), MOMENTS

    def slope(q: Any, v: Any, w: Any) -> tuple[Any, Any, Any, Any]:
        a, b = q[:, :1], q[:, 1:]
        dq = np.concatenate([-(b * w).sum(axis=1, keepdims=True), a * w + np.cross(b, w)], axis=1) / 2
        return dq, v, np.broadcast_to(np.array([0, 0, -9.81]), v.shape), -np.cross(w, inertia * w) / inertia

    for _ in range(steps):
        k1 = slope(q, v, w)
        k2 = slope(q + k1[0] * DT / 2, v + k1[2] * DT / 2, w + k1[3] * DT / 2)
        k3 = slope(q + k2[0] * DT / 2, v + k2[2] * DT / 2, w + k2[3] * DT / 2)
        k4 = slope(q + k3[0] * DT, v + k3[2] * DT, w + k3[3] * DT)
        q, p, v, w = (
            x + (a + 2 * b + 2 * c + d) * DT / 6
            for x, a, b, c, d in zip((q, p, v, w), k1, k2, k3, k4, strict=True)
        )
        q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return q, p, v, w


def speed(watch: Watch) -> Iterator[Row]:
    """Rotation and translation in double precision on one thread, classical Runge-Kutta."""
    one = BOX.simulation()
    steps = round(DURATION / DT)

    def run_one() -> Any:
        return one(w0=START, duration=DURATION, dt=DT, record_every=100)

    beside = mujoco_run("RK4")
    times = watch.together(run_one, *([] if beside is None else [beside[1]]), seconds=2.0)
    rate = steps / times[0]
    reference = "" if beside is None else f"{steps / times[1] / 1e6:.2f} M/s MuJoCo, RK4"
    ratio = None if beside is None else times[1] / times[0]
    yield Row(
        "one body, 10,000 steps in one call",
        f"{rate / 1e6:.2f} M steps/s",
        reference,
        ratio,
        "≥ 1 M/s",
        rate >= 1e6,
    )

    rng = np.random.default_rng(0)
    w0, v0 = rng.normal(size=(2, MOTIONS, 3))
    many = BOX.simulation(gravity=(0, 0, -9.81))
    q0 = np.tile([1.0, 0, 0, 0], (MOTIONS, 1))

    def run_many() -> Any:
        return many(q0, w0, v0=v0, duration=1.0, dt=DT, record_every=100)

    def run_numpy() -> Any:
        return numpy_rk4(q0, v0, w0, 10)

    ours, by_numpy = watch.together(run_many, run_numpy, seconds=4.0)
    # Both do the same: the places after ten steps agree.
    ten = many(q0, w0, v0=v0, duration=10 * DT, dt=DT, record_every=10)
    assert np.abs(ten.w[:, -1] - run_numpy()[3]).max() < 1e-13
    rate, other = MOTIONS * 1000 / ours, MOTIONS * 10 / by_numpy
    yield Row(
        f"{MOTIONS:,} bodies, 1,000 steps in one call",
        f"{rate / 1e6:.0f} M body-steps/s",
        f"{other / 1e6:.2f} M/s NumPy columns",
        rate / other,
        "≥ 30 M/s",
        rate >= 3e7,
    )
    plain = BOX.simulation(gravity=(0, 0, -9.81), keep_momentum=False)
    seconds = watch.best(lambda: plain(q0, w0, v0=v0, duration=1.0, dt=DT, record_every=100), seconds=2.0)
    yield Row(
        "the same without the projection on the momentum",
        f"{MOTIONS * 1000 / seconds / 1e6:.0f} M body-steps/s",
    )


FIGURES: dict[str, Callable[[Watch], Iterator[Row]]] = {
    "What a tumbling box keeps over 10 s at 1 ms": what_is_kept,
    "Steps of one rigid body": speed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, help="a document to put the tables into, between its markers")
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="thread: leave out other programs' time"
    )
    parser.add_argument("--patience", type=float, default=1.0, help="factor on the time of each measurement")
    options = parser.parse_args()
    logging.getLogger("quatrain").setLevel(logging.ERROR)  # what compiles for long would say so
    watch = Watch(CLOCKS[options.clock], options.patience)
    print(surroundings())
    sections = {title: list(figure(watch)) for title, figure in FIGURES.items()}
    for title, rows in sections.items():
        print(f"\n{title}\n\n{table(HEADINGS, map(cells, rows))}")
    every = [row for rows in sections.values() for row in rows]
    print(f"\n{sentence(every)}")
    if options.write:
        text = [f"Measured on {surroundings()}. {sentence(every)}"]
        text += [f"### {title}\n\n{table(HEADINGS, map(cells, rows))}" for title, rows in sections.items()]
        write_between(options.write, "one body", "\n\n".join(text))


if __name__ == "__main__":
    main()
