"""How many operations derivatives take: of an arm's inverse dynamics, against those derived by hand.

    PYTHONPATH=src python -m benchmarks.derivatives

The hand-derived count is that of the equations of Singh, Russell and Wensing (see chains.py), traced and
counted like everything else, so that constants and zeros fold in both. Where Pinocchio is installed its
time for these derivatives (and the mass matrix, which comes with them) is compared with its time for
inverse dynamics.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from benchmarks.chains import Chain, hand_derivatives, inverse_dynamics, random_chain

from quatrain.compiler import Program, trace
from quatrain.compiler.derivative import hessian, jacobian
from quatrain.compiler.text import operations


def count(program: Program) -> int:
    return sum(operations(program).values())


def table(joints: int) -> None:
    chain = random_chain(joints)
    inputs = dict.fromkeys(("q", "v", "a"), joints)
    program = trace(inverse_dynamics(chain), inputs)
    hand = trace(hand_derivatives(chain), inputs)
    value, by_hand = count(program), count(hand)
    print(f"\n{joints} joints: tau, ∂tau/∂q, ∂tau/∂v            operations  by hand = 1   tau = 1   seconds")

    def row(title: str, taken: int, seconds: float | None = None) -> None:
        shown = "" if seconds is None else f"{seconds:10.2f}"
        print(f"  {title:44}{taken:10,}{taken / by_hand:12.2f}{taken / value:10.2f}{shown}")

    row("tau alone", value)
    row("by hand (Singh, Russell, Wensing 2022)", by_hand)
    for method in ("forward", "reverse", "elimination", "auto"):
        began = time.perf_counter()
        derived = jacobian(program, by=["q", "v"], method=method, values=True)
        row(method, count(derived), time.perf_counter() - began)
    for name, what in (("a", "∂tau/∂a alone"), ("q", "∂tau/∂q alone"), ("v", "∂tau/∂v alone")):
        row(what, count(jacobian(program, by=name)))
    if joints <= 7:
        began = time.perf_counter()
        second = hessian(program, by=["q", "v"])
        row("second derivatives by q, v", count(second), time.perf_counter() - began)


def pinocchio_model(chain: Chain) -> Any:
    """The same chain for Pinocchio."""
    import pinocchio

    model = pinocchio.Model()
    parent = 0
    for k, link in enumerate(chain.links):
        placement = pinocchio.SE3(link.R_PJ.to_array(), link.p_PJ.to_array())
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), placement, f"joint{k}")
        inertia = pinocchio.Inertia(link.mass, link.p_BBcm.to_array(), link.I_Bcm_B.to_array())
        model.appendBodyToJoint(parent, inertia, pinocchio.SE3.Identity())
    model.gravity.linear = np.array(list(chain.gravity))
    return model


def pinocchio_ratio(joints: int) -> None:
    import pinocchio

    model = pinocchio_model(random_chain(joints))
    data = model.createData()
    q, v, a = np.random.default_rng(0).normal(size=(3, joints))

    def microseconds(function: Any) -> float:
        def once() -> float:
            began = time.perf_counter()
            for _ in range(2000):
                function(model, data, q, v, a)
            return (time.perf_counter() - began) / 2000 * 1e6

        return min(once() for _ in range(7))

    value, derivatives = microseconds(pinocchio.rnea), microseconds(pinocchio.computeRNEADerivatives)
    print(
        f"  Pinocchio {pinocchio.__version__}, {joints} joints, called from Python: rnea {value:.2f} µs, "
        f"computeRNEADerivatives {derivatives:.2f} µs, ratio {derivatives / value:.2f}"
    )


def main() -> None:
    sizes = (7, 14, 28)
    for joints in sizes:
        table(joints)
    try:
        import pinocchio  # noqa: F401 only to know whether it is there
    except ImportError:
        print("\nPinocchio is not installed")
        return
    print()
    for joints in sizes:
        pinocchio_ratio(joints)


if __name__ == "__main__":
    main()
