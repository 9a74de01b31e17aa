"""Ways to solve x = f(x), for the implicit steppers; the one to use is passed to them.

A loop that ends when it has converged must know whether its values are numbers or nodes of a graph, and
that is the compiler's knowledge, which equations do not have. So a stepper takes its solver as an
argument: `fixed_point` and `newton` do a fixed number of rounds, written out; `settled` is given the
loop, `settled(quatrain.compiler.iterate)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from quatrain.equations.stepping.nested import Nested, difference, greatest, scalars, with_scalars
from quatrain.scalar import Scalar, abs, epsilon, where

Map: TypeAlias = Callable[[Nested], Nested]

Solver: TypeAlias = Callable[[Map, Nested], Nested]
"""(f, first guess) → x with x = f(x), built like the guess."""

Loop: TypeAlias = Callable[..., Any]
"""`iterate(body, state, until=…, most=…)` with `.state`, as `quatrain.compiler.iterate` is."""


def fixed_point(rounds: int = 12) -> Solver:
    """x ← f(x), `rounds` times. Each round takes a factor of about h L/2 off the error, L the rate of change of v̇."""

    def solve(f: Map, x: Nested) -> Nested:
        for _ in range(rounds):
            x = f(x)
        return x

    return solve


def settled(iterate: Loop, *, most: int = 60) -> Solver:
    """x ← f(x) until it moves by no more than rounding, and at most `most` times."""

    def solve(f: Map, x: Nested) -> Nested:
        def body(state: tuple[Nested, Scalar, Scalar], index: Scalar) -> tuple[Nested, Scalar, Scalar]:
            following = f(state[0])
            return following, greatest(difference(following, state[0])), greatest(following)

        def has_settled(state: tuple[Nested, Scalar, Scalar]) -> Any:
            _, move, size = state
            return move <= size * (8 * epsilon(size))

        return iterate(body, (x, 1.0, 0.0), until=has_settled, most=most).state[0]

    return solve


def newton(rounds: int = 4, *, jacobians: int = 1) -> Solver:
    """Newton's method with a Jacobian by difference quotients; for stiff systems and large steps.

    It is taken anew in the first `jacobians` rounds, each time at one evaluation of f for each scalar of x.
    The quotients are good to √epsilon, so a round gains about eight digits where f is nearly linear.
    """

    def solve(f: Map, x: Nested) -> Nested:
        inverse: list[list[Scalar]] = []
        for k in range(rounds):
            if k in range(jacobians):
                inverse = _inverse(_jacobian_of_residual(f, x))
            residual = list(scalars(difference(x, f(x))))
            moves = [sum(a * r for a, r in zip(row, residual, strict=True)) for row in inverse]
            x = with_scalars(x, iter([a - b for a, b in zip(scalars(x), moves, strict=True)]))
        return x

    return solve


def _jacobian_of_residual(f: Map, x: Nested) -> list[list[Scalar]]:
    """∂(x − f(x))/∂x, row by row."""
    here, values = list(scalars(x)), list(scalars(f(x)))
    columns = []
    for j, value in enumerate(here):
        step = epsilon(value) ** 0.5 * (1 + abs(value))
        there = scalars(f(with_scalars(x, iter([*here[:j], value + step, *here[j + 1 :]]))))
        slopes = [(b - a) / step for a, b in zip(values, there, strict=True)]
        columns.append([(1 if i == j else 0) - slope for i, slope in enumerate(slopes)])
    return [list(row) for row in zip(*columns, strict=True)]


def _inverse(matrix: list[list[Scalar]]) -> list[list[Scalar]]:
    """Gauss and Jordan's elimination; the pivot's row is brought up by exchanges, so nothing branches."""
    size = len(matrix)
    rows = [[*row, *(1 if i == j else 0 for j in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        for i in range(k + 1, size):
            larger = abs(rows[i][k]) > abs(rows[k][k])
            pairs = list(zip(rows[k], rows[i], strict=True))
            rows[k] = [where(larger, b, a) for a, b in pairs]
            rows[i] = [where(larger, a, b) for a, b in pairs]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(size):
            if i != k:
                factor = rows[i][k]
                rows[i] = [a - b * factor for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]
