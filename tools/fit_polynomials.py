"""Fit the polynomials of quatrain.compiler.elementary and print its coefficients.py.

    python tools/fit_polynomials.py > src/quatrain/compiler/elementary/coefficients.py

Each polynomial is minimax (Remez) for the relative error of the *function* it belongs to: the weight says how
an error of the polynomial reaches it. Coefficients are rounded to the working precision one at a time, lowest
first; those after it are fitted again and make up for its rounding.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

Real = Callable[[mpf], mpf]

mp.prec = 300


@dataclass(frozen=True)
class Target:
    """p(t) to be fitted on [low, high]; `weight` turns its error into a relative error of the function."""

    name: str
    meaning: str
    function: Real
    weight: Real
    low: mpf
    high: mpf
    sizes: tuple[int, int]  # number of coefficients for float64 and float32


def atanh_tail(w: mpf) -> mpf:
    """2 (atanh(s)/s - 1)/w with s = √w."""
    s = mp.sqrt(w)
    return 2 * (mp.atanh(s) / s - 1) / w


def atanh_second_tail(w: mpf) -> mpf:
    """(2 atanh(s)/s - 2 - 2w/3)/w² with s = √w."""
    return (atanh_tail(w) - mpf(2) / 3) / w


def targets() -> list[Target]:
    """Every polynomial, with the interval its argument reduction leaves (a little wider, for roundings)."""
    quarter_pi = (mp.pi / 4 * (1 + mpf(2) ** -9)) ** 2
    half_ln2 = mp.log(2) / 2 * (1 + mpf(2) ** -9)
    s_max = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * (1 + mpf(2) ** -9)) ** 2
    root = mp.sqrt
    return [
        Target(
            "sine",
            "sin r = r + r z p(z), z = r² ≤ (π/4)²",
            lambda z: (mp.sin(root(z)) / root(z) - 1) / z,
            lambda z: z * root(z) / mp.sin(root(z)),
            mpf(0),
            quarter_pi,
            (6, 3),
        ),
        Target(
            "cosine",
            "cos r = 1 - z/2 + z² p(z), z = r² ≤ (π/4)²",
            lambda z: (mp.cos(root(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / mp.cos(root(z)),
            mpf(0),
            quarter_pi,
            (6, 3),
        ),
        Target(
            "exponential",
            "exp r = 1 + r + r² p(r), |r| ≤ ln(2)/2",
            lambda r: (mp.expm1(r) - r) / r**2,
            lambda r: r**2 / mp.exp(r),
            -half_ln2 * (1 + mpf(2) ** -9),  # not symmetric: no node at 0
            half_ln2,
            (10, 5),
        ),
        Target(
            "exponential_less_one",
            "the same, for a small relative error of exp(r) - 1",
            lambda r: (mp.expm1(r) - r) / r**2,
            lambda r: abs(r**2 / mp.expm1(r)),
            -half_ln2 * (1 + mpf(2) ** -9),
            half_ln2,
            (11, 6),
        ),
        Target(
            "logarithm",
            "2 atanh s = 2s + s w p(w), w = s² ≤ ((√2 - 1)/(√2 + 1))²",
            atanh_tail,
            lambda w: w / (2 * mp.atanh(root(w)) / root(w)),
            mpf(0),
            s_max,
            (7, 3),
        ),
        Target(
            "logarithm_tail",
            "2 atanh s = 2s + 2/3 s w + s w² p(w), same w",
            atanh_second_tail,
            lambda w: w**2 / (2 * mp.atanh(root(w)) / root(w)),
            mpf(0),
            s_max,
            (8, 3),
        ),
        Target(
            "arctangent",
            "atan t = t + t z p(z), z = t² ≤ 1/4",
            lambda z: (mp.atan(root(z)) / root(z) - 1) / z,
            lambda z: z * root(z) / mp.atan(root(z)),
            mpf(0),
            mpf(1) / 4 * (1 + mpf(2) ** -9),
            (13, 5),
        ),
        Target(
            "arcsine",
            "asin s = s + s z p(z), z = s² ≤ 1/4",
            lambda z: (mp.asin(root(z)) / root(z) - 1) / z,
            lambda z: z * root(z) / mp.asin(root(z)),
            mpf(0),
            mpf(1) / 4,
            (13, 5),
        ),
    ]


def basis_fit(f: Real, weight: Real, powers: Sequence[int], low: mpf, high: mpf) -> tuple[list[mpf], mpf]:
    """Minimax coefficients of the given powers by Remez exchange, and the error reached."""
    n = len(powers)
    nodes = [
        (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (k + mpf(1) / 2) / (n + 1)) for k in range(n + 1)
    ]
    grid_size = 40 * (n + 1)
    grid = [
        (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (k + mpf(1) / 2) / grid_size)
        for k in range(grid_size)
    ]
    samples = [(t, f(t), weight(t)) for t in grid]
    for _ in range(20):
        rows = [[t**k for k in powers] + [(-1) ** i / weight(t)] for i, t in enumerate(nodes)]
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix([f(t) for t in nodes]))
        coefficients = [solution[k] for k in range(n)]
        errors = [
            (t, w * (value - sum(c * t**k for c, k in zip(coefficients, powers, strict=True))))
            for t, value, w in samples
        ]
        peaks = extrema(errors, n + 1)
        levelled = abs(solution[n])
        worst = max(abs(error) for _, error in errors)
        if len(peaks) < n + 1 or worst < levelled * (1 + mpf(2) ** -6):
            return coefficients, worst
        nodes = peaks
    return coefficients, worst


def extrema(errors: Sequence[tuple[mpf, mpf]], count: int) -> list[mpf]:
    """The largest error of each run of one sign; runs at the ends are dropped until `count` remain."""
    runs: list[tuple[mpf, mpf]] = []
    for t, error in errors:
        if runs and (runs[-1][1] > 0) == (error > 0):
            if abs(error) > abs(runs[-1][1]):
                runs[-1] = (t, error)
        else:
            runs.append((t, error))
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    return [t for t, _ in runs]


def rounded(value: mpf, bits: int) -> mpf:
    with mp.workprec(bits):
        return +value


def fit(target: Target, count: int, bits: int) -> tuple[list[mpf], mpf]:
    """Coefficients of `count` terms, each exactly representable in `bits` bits, and the final error."""
    # The functions are 0/0 at t = 0; the weight vanishes there, so the interval may start just beside it.
    low = target.low if target.low else (target.high - target.low) * mpf(2) ** -40
    fixed: list[mpf] = []

    def rest(t: mpf) -> mpf:
        return target.function(t) - sum(c * t**k for k, c in enumerate(fixed))

    while len(fixed) < count:
        coefficients, _ = basis_fit(rest, target.weight, range(len(fixed), count), low, target.high)
        # With 0 inside the interval t, t², … are no Haar system: there all coefficients are rounded at once.
        fixed += [rounded(c, bits) for c in coefficients[: 1 if target.low >= 0 else None]]
    steps = [low + (target.high - low) * k / 400 for k in range(401)]
    error = max(abs(target.weight(t) * rest(t)) for t in steps if t)
    return fixed, error


def main() -> None:
    print('"""Minimax polynomials, lowest power first; written by tools/fit_polynomials.py."""\n')
    print("from __future__ import annotations\n\nfrom dataclasses import dataclass\n\n")
    print("@dataclass(frozen=True)\nclass Coefficients:")
    print('    """The polynomials of one precision; the argument and its range stand with each."""\n')
    for target in targets():
        print(f"    {target.name}: tuple[float, ...]  # {target.meaning}")
    for which, (name, bits) in enumerate((("FLOAT64", 53), ("FLOAT32", 24))):
        print(f"\n\n{name} = Coefficients(" if not which else f"\n{name} = Coefficients(")
        for target in targets():
            coefficients, error = fit(target, target.sizes[which], bits)
            print(f"    {target.name}=(  # error 2^{float(mp.log(error, 2)):.1f}")
            for c in coefficients:
                print(f"        {float(c)!r},")
            print("    ),")
            print(target.name, name, float(mp.log(error, 2)), file=sys.stderr)
        print(")")


if __name__ == "__main__":
    main()
