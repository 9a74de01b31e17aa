"""How many operations derivatives take: of an arm's inverse dynamics, against those derived by hand.

    python benchmarks/derivatives.py [--write docs/benchmarks.md]

The hand-derived count is that of the equations of Singh, Russell and Wensing (see chains.py), traced and
counted like everything else, so that constants and zeros fold in both. Where Pinocchio is installed its
time for these derivatives (and the mass matrix, which comes with them) is compared with its time for
inverse dynamics.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from chains import hand_derivatives, inverse_dynamics, pinocchio_model, random_chain
from measuring import Row, Watch, cells, sentence, surroundings, table, write_between

from quatrain.compiler import Program, trace
from quatrain.compiler.derivative import hessian, jacobian
from quatrain.compiler.text import operations

SIZES = (7, 14, 28)
LIMIT = 4
"""Times the operations that are derived by hand."""


def count(program: Program) -> int:
    return sum(operations(program).values())


def derivatives(joints: int) -> Iterator[Row]:
    """tau with ∂tau/∂q and ∂tau/∂v, by every method and by hand."""
    chain = random_chain(joints)
    inputs = dict.fromkeys(("q", "v", "a"), joints)
    program = trace(inverse_dynamics(chain), inputs)
    by_hand = count(trace(hand_derivatives(chain), inputs))
    reference = f"{by_hand:,}, by hand"
    yield Row(f"{joints} joints: tau alone", f"{count(program):,}", reference, count(program) / by_hand)
    for method in ("auto", "forward", "reverse", "elimination"):
        taken = count(jacobian(program, by=["q", "v"], method=method, values=True))
        what = f"tau, ∂tau/∂q, ∂tau/∂v: {'the default' if method == 'auto' else method}"
        if method == "auto":
            yield Row.at_most(what, f"{taken:,}", reference, taken / by_hand, LIMIT)
        else:
            yield Row(what, f"{taken:,}", reference, taken / by_hand)
    if joints == min(SIZES):
        taken = count(hessian(program, by=["q", "v"]))
        yield Row("second derivatives by q and v", f"{taken:,}", reference, taken / by_hand)


def pinocchio_times(watch: Watch) -> Iterator[Row]:
    """What the same derivatives cost there, over inverse dynamics; nothing where it is not installed."""
    try:
        import pinocchio
    except ImportError:
        return
    for joints in SIZES:
        model = pinocchio_model(random_chain(joints))
        data = model.createData()
        q, v, a = np.random.default_rng(0).normal(size=(3, joints))
        value, derived = (
            watch.typical(partial(function, model, data, q, v, a))
            for function in (pinocchio.rnea, pinocchio.computeRNEADerivatives)
        )
        yield Row(
            f"Pinocchio, {joints} joints, from Python: derivatives",
            f"{derived * 1e6:.2f} µs",
            f"{value * 1e6:.2f} µs, tau",
            derived / value,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, help="a document to put the table into, between its markers")
    options = parser.parse_args()
    rows = [row for joints in SIZES for row in derivatives(joints)] + list(pinocchio_times(Watch()))
    headings = ("what", "operations or time", "reference", "ratio", "required", "met")
    text = table(headings, map(cells, rows))
    print(surroundings(), text, sentence(rows), sep="\n\n")
    if options.write:
        write_between(options.write, "derivatives", f"Measured on {surroundings()}.\n\n{text}")


if __name__ == "__main__":
    main()
