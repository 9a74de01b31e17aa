"""Serial chains of 8 to 1,000 joints: what a joint costs, and how long it takes to compile.

    python benchmarks/long_chains.py [--clock thread]

prints the cost of the two forms, written out and as loops over the bodies, by which `quatrain.kernel.LOOPED_FROM` is
chosen; the benchmark of dynamics shows the form that is taken.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import chains
import numpy as np
import peers
from measuring import CLOCKS, Row, Watch, surroundings, table

import quatrain as qt
from quatrain.equations import dynamics
from quatrain.kernel import LOOPED_FROM, compile

LENGTHS, LONG = (8, 16, 32, 64, 128), 1000
WITHIN = 1.5
"""How much more the dearest joint of these lengths may cost than the cheapest."""
COMPILED_IN = 60.0
BATCH = 512
"""A joint's share of memory is that of an arm in a batch of 4,096."""
EQUATIONS = ("inverse_dynamics", "forward_dynamics")


def chain_model(joints: int) -> qt.Model:
    """The chain of `chains.py` as a model: joints in general position."""
    links = chains.random_chain(joints)
    bodies = tuple(
        qt.Body(
            f"link{k}",
            k - 1,
            qt.Joint(
                f"joint{k}",
                "revolute",
                qt.Pose(qt.Quaternion.from_matrix(link.R_PJ), link.p_PJ),
                axes=(qt.Vec3(0.0, 0.0, 1.0),),
            ),
            link.mass,
            link.p_BBcm,
            link.I_Bcm_B,
        )
        for k, link in enumerate(links.links)
    )
    return qt.Model(f"chain of {joints}", bodies)


def each_joint(watch: Watch, what: str, joints: int, looped: bool | None = None) -> tuple[float, float]:
    """Nanoseconds a state and joint, and seconds to compile."""
    began = watch.clock()
    compiled = compile(getattr(dynamics, what), chain_model(joints), looped=looped)
    seconds = watch.clock() - began
    given = np.random.default_rng(0).normal(size=(3, BATCH, joints))
    out = compiled(*given)
    run = watch.best(partial(compiled, *given, out=out), seconds=0.3)
    return run / BATCH / joints * 1e9, seconds


def serial_chains(watch: Watch, names: Sequence[str]) -> Iterator[Row]:
    """Serial chains in general position: what a joint costs."""
    for what in EQUATIONS:
        found = [each_joint(watch, what, joints)[0] for joints in LENGTHS]
        for joints, each in zip(LENGTHS, found, strict=True):
            yield Row(f"{joints} joints, {what.replace('_', ' ')}", f"{each:.2f} ns a joint and state")
        spread = max(found) / min(found)
        yield Row("– dearest against cheapest", f"{spread:.2f}", "", spread, f"≤ {WITHIN}", spread <= WITHIN)


def long_chains(watch: Watch, names: Sequence[str]) -> Iterator[Row]:
    """A thousand joints, by loops over bodies instead of code for each."""
    for what in EQUATIONS:
        each, seconds = each_joint(watch, what, LONG)
        title = f"{LONG:,} joints, {what.replace('_', ' ')}"
        required, met = f"< {COMPILED_IN:g} s", seconds < COMPILED_IN
        yield Row(f"{title}: to compile", f"{seconds:.1f} s", required=required, met=met)
        yield Row(title, f"{each:.2f} ns a joint and state")


def plot(watch: Watch, path: Path) -> None:
    """Cost of a joint and time to compile over the length, beside Pinocchio's loop where there is one."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for what, colour in zip(EQUATIONS, ("C0", "C1"), strict=True):
        each, seconds = np.array([each_joint(watch, what, n) for n in LENGTHS]).T
        name = what.replace("_", " ")
        left.loglog(LENGTHS, each, color=colour, marker="o", markersize=4, label=name)
        right.loglog(LENGTHS, seconds, color=colour, marker="o", markersize=4, label=name)
        try:
            theirs = [_pinocchio_each_joint(watch, what, n) for n in LENGTHS]
        except peers.Missing:
            continue
        left.loglog(LENGTHS, theirs, "--", color=colour, marker="s", markersize=3, label=f"{name}, Pinocchio")
    left.set(xlabel="joints", ylabel="ns a joint and state", title="Serial chains")
    right.set(xlabel="joints", ylabel="s", title="To compile")
    for axes in (left, right):
        axes.set_xticks(LENGTHS, [str(n) for n in LENGTHS])
        axes.minorticks_off()
        axes.legend(frameon=False)
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def _pinocchio_each_joint(watch: Watch, what: str, joints: int) -> float:
    loop = peers.PinocchioLoop(chains.pinocchio_model(chains.random_chain(joints)))
    given = np.random.default_rng(0).normal(size=(3, BATCH, joints))
    run = loop.run(what, *given, np.empty(given[0].size))
    return watch.best(run, seconds=0.2) / given[0].size * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--patience", type=float, default=1.0, help="factor on the time of each measurement")
    options = parser.parse_args()
    os.environ["QUATRAIN_CACHE"] = "off"  # what is timed is compiling
    watch = Watch(CLOCKS[options.clock], options.patience)
    lines = []
    for joints in LENGTHS:
        line = [f"{joints}{' (loops are taken)' if joints >= LOOPED_FROM else ''}"]
        for what in EQUATIONS:
            for looped in (False, True):
                each, seconds = each_joint(watch, what, joints, looped)
                line.append(f"{each:.2f} ns, {seconds:.2f} s")
        lines.append(line)
    forms = [f"{what.replace('_', ' ')}, {form}" for what in EQUATIONS for form in ("written out", "looped")]
    print(f"{surroundings()}\n\nA joint and state, and compiling\n\n{table(('joints', *forms), lines)}")


if __name__ == "__main__":
    main()
