"""Listings: short ones as they should read, and all of them read back as Python."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quatrain import Vec3, cross, scalar
from quatrain.compiler import Graph, Port, Program, delay, iterate, repeat, rules, trace
from quatrain.compiler.derivative import hessian, jacobian
from quatrain.compiler.interpret import run
from quatrain.compiler.operations import OPERATIONS
from quatrain.compiler.text import listing, operations
from tests.compiler import random_programs

# ---- as they should read; the numbers of these lines stand in the listings ------------------------------------


def momentum(w, inertia):
    turned = cross(w, Vec3(w.x * inertia[0], w.y * inertia[1], 2.0))
    length = scalar.sqrt(turned.x * turned.x + turned.y * turned.y)
    return {"turned": turned, "rest": length - smaller(inertia)}


def smaller(pair):
    return scalar.minimum(pair[0], pair[1] - 1.0)


def newton(c, n):
    def step(x, i):
        return (x + c / x) / 2.0

    found = iterate(step, 1.0, until=lambda x: scalar.abs(x * x - c) < 1e-9, most=n)
    last = repeat(lambda s, i: s * 0.5 - i, delay(found.state, 3), 10)
    return {"root": found.state, "count": found.count, "converged": found.converged, "last": last}


def test_a_listing_is_grouped_by_function_and_line():
    program = trace(momentum, {"w": Vec3, "inertia": 2})
    m, s = momentum.__code__.co_firstlineno, smaller.__code__.co_firstlineno
    assert listing(program) == dedent(f"""\
        momentum(w[3], inertia[2])

        momentum, test_text.py
          {m + 1}  momentum.1 = w[0]*inertia[0]
          {m + 1}  momentum.2 = w[1]*inertia[1]
          {m + 1}  momentum.3 = 2*w[1] - w[2]*momentum.2
          {m + 1}  momentum.4 = w[2]*momentum.1 - 2*w[0]
          {m + 1}  momentum.5 = w[0]*momentum.2 - w[1]*momentum.1
          {m + 2}  momentum.6 = sqrt(momentum.3*momentum.3 + momentum.4*momentum.4)

        smaller, test_text.py
          {s + 1}  smaller.1 = minimum(inertia[0], inertia[1] - 1)

        momentum, test_text.py
          {m + 3}  momentum.7 = momentum.6 - smaller.1

        results
              turned[0] = momentum.3
              turned[1] = momentum.4
              turned[2] = momentum.5
              rest = momentum.7
        """)


def test_without_origins_all_that_is_used_once_is_nested():
    program = trace(momentum, {"w": Vec3, "inertia": 2})
    expected = dedent("""\
        momentum(w[3], inertia[2])

          value.1 = w[0]*inertia[0]
          value.2 = w[1]*inertia[1]
          value.3 = 2*w[1] - w[2]*value.2
          value.4 = w[2]*value.1 - 2*w[0]

        results
          turned[0] = value.3
          turned[1] = value.4
          turned[2] = w[0]*value.2 - w[1]*value.1
          rest = sqrt(value.3*value.3 + value.4*value.4) - minimum(inertia[0], inertia[1] - 1)
        """)
    assert listing(program, origins=False) == expected
    assert listing(trace(momentum, {"w": Vec3, "inertia": 2}, origins=False)) == expected


def test_a_loop_is_a_block():
    program = trace(newton, {"c": float, "n": float})
    n = newton.__code__.co_firstlineno
    assert listing(program) == dedent(f"""\
        newton(c, n)

        newton, test_text.py
          {n + 4}  newton.1 repeats at most floor(n) times:
                  start newton.1[0] = 1
                  keep c
            <lambda>, test_text.py
          {n + 4}      lambda.1 = abs(newton.1[0]*newton.1[0] - c) < 1e-09
            step, test_text.py
          {n + 2}      step.1 = 0.5*(newton.1[0] + c/newton.1[0])
                  stop where lambda.1
                  next newton.1[0] = step.1
          {n + 4}  newton.2 = newton.1.converged != 0
          {n + 5}  newton.3 repeats 10 times:
                  start newton.3[0] = newton.1[0], seen after 3 iterations
            <lambda>, test_text.py
          {n + 5}      lambda.2 = 0.5*newton.3[0] - newton.3.index
                  next newton.3[0] = lambda.2

        test_a_loop_is_a_block, test_text.py
          {test_a_loop_is_a_block.__code__.co_firstlineno + 1}  test_a_loop_is_a_block.1 = where(newton.2, 1, 0)

        results
              root = newton.1[0]
              count = newton.1.count
              converged = test_a_loop_is_a_block.1
              last = newton.3[0]
        """)


def test_a_short_derivative():
    program = jacobian(trace(lambda x, y: scalar.sin(x * y) + 2.0, {"x": float, "y": float}), values=True)
    assert listing(program, origins=False) == dedent("""\
        <lambda>_jacobian(x, y)

          value.1 = x*y
          value.2 = cos(value.1)

        results
          out = sin(value.1) + 2
          out_by_x = y*value.2
          out_by_y = x*value.2
        """)


def shown(function: Any, *names: str, **options: Any) -> str:
    """The expression of the last result of a function of numbers x, y, z."""
    program = trace(function, dict.fromkeys("xyz", float))
    return listing(program, origins=False, **options).splitlines()[-1].split(" = ", 1)[1]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x, y, z: x + (y + z), "y + z + x"),
        (lambda x, y, z: x + y + z, "x + y + z"),
        (lambda x, y, z: (x + y) + (z + 1.0), "x + y + (z + 1)"),
        (lambda x, y, z: x - (y - z), "x - (y - z)"),
        (lambda x, y, z: x - y - z, "x - y - z"),
        (lambda x, y, z: x * (y * z), "y*z*x"),
        (lambda x, y, z: x * (y / z), "y/z*x"),
        (lambda x, y, z: x / (y / z), "x/(y/z)"),
        (lambda x, y, z: x / y / z, "x/y/z"),
        (lambda x, y, z: (x * y) * (z * x), "x*y*(x*z)"),
        (lambda x, y, z: x * (y - z), "x*(y - z)"),
        (lambda x, y, z: -x * y, "-x*y"),
        (lambda x, y, z: -(x + y), "-(x + y)"),
        (lambda x, y, z: -x - y, "-x - y"),
        (lambda x, y, z: -x / y + z, "z - x/y"),
        (lambda x, y, z: x + -2.0, "x - 2"),
        (lambda x, y, z: -2.0 - x, "-2 - x"),
        (lambda x, y, z: x - -2.5, "x + 2.5"),
        (lambda x, y, z: x * -2.0, "-2*x"),
        (lambda x, y, z: (y + -2.0) + x * z, "y - 2 + x*z"),
        (lambda x, y, z: scalar.atan2(-2.0, x + y), "atan2(-2, x + y)"),
        (lambda x, y, z: scalar.power(x, y) * 1e300, "1e+300*power(x, y)"),
        (lambda x, y, z: x + math.inf, "x + inf"),
        (lambda x, y, z: x * 0.1 + math.nan, "0.1*x + nan"),
        (lambda x, y, z: scalar.where(x < y + 1.0, x, y), "where(x < y + 1, x, y)"),
        (lambda x, y, z: scalar.where((x < y) & (y != z), x, y), "where((x < y) and (y != z), x, y)"),
        (lambda x, y, z: scalar.where(~((x < y) | (y == z)), x, y), "where((x < y) or (y == z), y, x)"),
        (lambda x, y, z: scalar.where(~(x < y) & (y <= z), x, y), "where((not (x < y)) and (y <= z), x, y)"),
        (lambda x, y, z: scalar.lookup((1.0, 2.0), x * y), "table0[x*y]"),
        (lambda x, y, z: -0.0, "-0.0"),
    ],
)
def test_brackets_stand_where_they_are_needed_only(function, text):
    assert shown(function) == text


def test_values_never_have_the_names_of_ports():
    def momentum(momentum):
        return {"y": scalar.sin(momentum) * momentum, "momentum_": 1.0}

    text = listing(trace(momentum, {"momentum": float}))
    assert "momentum__.1 = momentum*sin(momentum)" in text


def test_tables_are_shown_as_far_as_they_are_short():
    def function(x):
        return scalar.lookup((1.0, -0.5), x) * scalar.lookup(tuple(range(9)), x)

    text = listing(trace(function, {"x": float}), origins=False)
    assert "\ntable0 = (1, -0.5)\n" in text
    assert "\ntable1 = (0, 1, 2, 3, 4, 5, 6, 7, … 9 numbers)\n" in text


def test_long_expressions_are_cut_to_the_width():
    def long(x):
        total = x[0]
        for k in range(1, 40):
            total = total * x[k] + scalar.sin(x[k] - 1.0)
        return total

    program = trace(long, {"x": 40})
    for width in (50, 70, 100, 160):
        lines = listing(program, width=width, origins=False).splitlines()
        assert width - 30 < max(map(len, lines)) <= width


def test_expressions_of_any_depth_take_no_recursion():
    def deep(x):
        for _ in range(5000):
            x = scalar.sin(x)
        return x

    program = trace(deep, {"x": float})
    for width in (40, 100, 100_000):
        assert listing(program, width=width, origins=False).count("sin(") == 5000


def test_equal_programs_read_alike():
    first, second = (trace(newton, {"c": float, "n": float}) for _ in range(2))
    assert listing(first).replace("0", "") == listing(second).replace("0", "")
    assert listing(first, origins=False) == listing(second, origins=False)


# ---- how many operations -----------------------------------------------------------------------------------


def test_operations_are_counted_by_kind():
    program = trace(momentum, {"w": Vec3, "inertia": 2})
    assert operations(program) == {"add": 1, "subtract": 5, "multiply": 10, "sqrt": 1, "minimum": 1}
    assert operations(trace(lambda x: x, {"x": float})) == {}


def test_loops_count_as_often_as_they_are_known_to_run():
    def function(x, n):
        def inner(s, i):
            return repeat(lambda t, j: scalar.sin(t), s, 3) * x

        fixed, free = repeat(inner, x, 5), repeat(inner, x, n)
        return fixed, free, iterate(lambda s, i: scalar.cos(s), x, until=lambda s: s < 0.5, most=7).state

    program = trace(function, {"x": float, "n": float})
    assert operations(program) == {"multiply": 6, "sin": 18, "cos": 1, "less": 1}
    assert operations(program, iterations=100) == {"multiply": 105, "sin": 315, "cos": 100, "less": 100}


@pytest.mark.parametrize(("count", "expected"), [(3, 3), (3.9, 3), (-1, 0), (0.5, 0)])
def test_a_literal_count_is_rounded_down(count, expected):
    program = trace(lambda x: repeat(lambda s, i: scalar.sin(s), x, count), {"x": float})
    assert operations(program).get("sin", 0) == expected


def test_a_count_that_is_not_a_number_is_none():
    graph = Graph(origins=False)
    inner = trace(lambda x: repeat(lambda s, i: scalar.sin(s), x, 2), {"x": float}).graph.loops[0]
    for value, expected in ((math.nan, 0), (-math.inf, 0), (math.inf, 1)):
        loop = graph.add(("loop", graph.loop(inner), graph.constant(value), graph.input(0)))
        result = rules.make(graph, "item", loop, 0)
        program = Program.make("f", graph, (Port("x", (), (0,)),), (Port("y", (), (result,)),))
        assert sum(operations(program).values()) == expected


# ---- read back as Python -----------------------------------------------------------------------------------

NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)*(?:\[\d+(?:, \d+)*\])?(?![\w(])")
LOOP = re.compile(r"(\S+) repeats (at most )?(.*) times:")


class Table(tuple):
    def __getitem__(self, index):
        return OPERATIONS["lookup"].meaning(tuple(self), index)


FUNCTIONS = {o.name: o.meaning for o in OPERATIONS.values() if o.meaning is not None and o.name.isalnum()}
FUNCTIONS |= {"where": lambda c, a, b: np.where(c, np.float64(a), b), "inf": math.inf, "nan": math.nan}


class Reader:
    """Evaluates a listing for one element, line by line."""

    def __init__(self, text: str, inputs: dict[str, Any]) -> None:
        self.values = {**FUNCTIONS, **inputs}
        lines = text.splitlines()[1:]
        for line in [line for line in lines if re.match(r"table\d+ = ", line)]:
            name, numbers = line.split(" = ")
            self.values[name] = Table(eval(numbers.replace(")", ",)"), dict(FUNCTIONS)))
        middle = lines.index("results")
        with np.errstate(all="ignore"):
            self.block(parsed(lines[:middle]))
            self.results = {n: self.eval(e) for n, e in (x.strip().split(" = ") for x in lines[middle + 1 :])}

    def eval(self, text: str) -> Any:
        words = {"and": "&", "or": "|", "not": "~"}
        code = NAME.sub(lambda m: words.get(m[0], f"V[{m[0]!r}]"), text)
        return eval(code, dict(FUNCTIONS), {"V": self.values})

    def block(self, tree: list[Any]) -> None:
        for entry in tree:
            if isinstance(entry, str):
                name, expression = entry.split(" = ", 1)
                self.values[name] = self.eval(expression)
            else:
                self.loop(*entry)

    def loop(
        self, name: str, count: str, start: list[Any], body: Any, stop: str | None, following: Any
    ) -> None:
        states = {target: self.eval(expression) for target, expression, _ in start}
        lines = {target: [states[target]] * lag for target, _, lag in start}
        limit = np.nan_to_num(self.eval(count))
        done, converged = 0, False
        while True:
            self.values.update({target: line[0] for target, line in lines.items()}, **{f"{name}.index": done})
            self.block(body)
            converged = stop is not None and bool(self.eval(stop))
            if converged or not done < limit:
                break
            made = {target: self.eval(expression) for target, expression in following}
            for target, value in made.items():
                lines[target] = [*lines[target][1:], value]
            done += 1
        self.values.update({target: line[-1] for target, line in lines.items()})
        self.values.update({f"{name}.count": np.float64(done), f"{name}.converged": np.float64(converged)})


def parsed(lines: list[str]) -> list[Any]:
    """Assignments as they are, loops as tuples; headings and line numbers left out."""
    return _block(
        iter([re.sub(r"^ *\d* *", "", line) for line in lines if not line.startswith("table")] + ["end"])
    )[0]


def _block(lines: Iterator[str]) -> tuple[list[Any], str]:
    """The entries up to the line that closes the block, and that line."""
    entries: list[Any] = []
    for line in lines:
        if line.startswith(("stop where ", "next ")) or line == "end":
            return entries, line
        loop = LOOP.fullmatch(line)
        if loop:
            entries.append(_loop(loop[1], loop[3], lines))
        elif " = " in line:
            entries.append(line)
    raise AssertionError("no end")


def _loop(name: str, count: str, lines: Iterator[str]) -> tuple[Any, ...]:
    start = []
    for line in lines:
        found = re.fullmatch(r"start (\S+) = (.*?)(?:, seen after (\d+) iterations)?", line)
        if not found:
            break
        start.append((found[1], found[2], int(found[3] or 1)))
    body, closing = _block(chain([line], lines))
    stop = None
    if closing.startswith("stop"):
        stop, closing = closing.removeprefix("stop where "), next(lines)
    following = [closing, *(next(lines) for _ in start[1:])]
    return name, count, start, body, stop, [tuple(f.removeprefix("next ").split(" = ", 1)) for f in following]


def assert_reads_back(program: Program, inputs: dict[str, Any], **options: Any) -> None:
    flat = {}
    for port in program.inputs:
        for place in np.ndindex(port.shape):
            flat[f"{port.name}{list(place) if place else ''}"] = np.float64(
                np.asarray(inputs[port.name])[place]
            )
    found = Reader(listing(program, **options), flat).results
    expected = run(program, inputs)
    assert len(found) == len(program.results)
    for port in program.outputs:
        for place in np.ndindex(port.shape):
            value = found[f"{port.name}{list(place) if place else ''}"]
            assert np.array_equal(value, expected[port.name][place], equal_nan=True), (port.name, place)


OPTIONS = [{}, {"origins": False}, {"origins": False, "width": 40}, {"width": 300}]


@settings(max_examples=100, deadline=None)
@given(random_programs.straight_functions(), st.integers(0, 100))
def test_random_programs_read_back_bit_for_bit(function, seed):
    x = np.random.default_rng(seed).normal(size=3) * 2
    program = trace(lambda x: {"y": np.array(function(x), dtype=object)}, {"x": 3})
    for options in OPTIONS:
        assert_reads_back(program, {"x": x}, **options)
    assert_reads_back(jacobian(program, values=True), {"x": x})


@settings(max_examples=60, deadline=None)
@given(random_programs.looping_functions(), st.integers(0, 100))
def test_random_loops_read_back_bit_for_bit(function, seed):
    x = np.random.default_rng(seed).normal(size=2)
    program = trace(lambda x: {"y": np.array(function(x), dtype=object)}, {"x": 2})
    for options in OPTIONS:
        assert_reads_back(program, {"x": x}, **options)
    assert_reads_back(jacobian(program, values=True), {"x": x})


@pytest.mark.parametrize("seed", range(4))
def test_the_examples_read_back(seed):
    rng = np.random.default_rng(seed)
    program = trace(momentum, {"w": Vec3, "inertia": 2})
    assert_reads_back(program, {"w": rng.normal(size=3), "inertia": rng.normal(size=2)})
    assert_reads_back(hessian(program, values=True), {"w": rng.normal(size=3), "inertia": rng.normal(size=2)})
    program = trace(newton, {"c": float, "n": float})
    for count in (0.0, 2.5, 30.0, math.nan):
        assert_reads_back(program, {"c": rng.uniform(0.1, 9.0), "n": count})


def test_an_arm_reads_back():
    from chains import inverse_dynamics, random_chain

    inputs = dict.fromkeys(("q", "v", "a"), 7)
    program = trace(inverse_dynamics(random_chain(7)), inputs)
    values = {name: np.random.default_rng(k).normal(size=7) for k, name in enumerate(inputs)}
    for options in OPTIONS:
        assert_reads_back(program, values, **options)
    assert max(map(len, listing(program).splitlines())) <= 100
