"""What is simplified when a node is made: one function per operation, `rule(graph, *numbers) -> number`.

A rule may stand here if it changes no result by more than the rounding of the operation it replaces,
and hides no NaN that the plain evaluation would have shown. Two exceptions are wanted, because the
zeros of a model must vanish from its equations:

    x·0 → 0 for a literal zero (plain: NaN for infinite or NaN x)
    x − x → 0                  (plain: NaN for infinite or NaN x)

The sign of a zero result can change in x·0, x ± 0 → x and 0 − x → −x; everywhere else the sign of a
zero is kept too. The sign and the payload of a NaN mean nothing.

Constants fold by the line that defines the operation (operations.py), in double precision; so in
single precision a folded value is rounded once.

The file is over 400 lines because every rule stands in it, once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import frexp
from typing import Any

import numpy as np

from quatrain.compiler.graph import Graph, Node
from quatrain.compiler.operations import OPERATIONS

WHOLE_POWERS = 64
"""Up to this absolute value a literal whole exponent means repeated multiplication."""

# Powers of two whose reciprocal is a normal number in single precision too.
_LARGEST_EXACT_EXPONENT = 126


def fold(operation: str, *values: Any) -> Any:
    """The operation on constants, exactly as the interpreter would have it."""
    meaning = OPERATIONS[operation].meaning
    assert meaning is not None
    with np.errstate(all="ignore"):
        return meaning(*(np.float64(v) if type(v) is float else v for v in values)).item()


# ---- arithmetic ------------------------------------------------------------------------------------


def add(graph: Graph, a: int, b: int) -> int:
    nodes = graph.nodes
    node_a, node_b = nodes[a], nodes[b]
    operation_a, operation_b = node_a[0], node_b[0]
    if operation_a == "constant":
        if operation_b == "constant":
            return graph.constant(node_a[1] + node_b[1])
        if node_a[1] == 0.0:  # 0 + x → x
            return b
    elif operation_b == "constant" and node_b[1] == 0.0:  # x + 0 → x
        return a
    if operation_b == "negate":  # x + (-y) → x - y
        return subtract(graph, a, node_b[1])
    if operation_a == "negate":  # -x + y → y - x
        return subtract(graph, b, node_a[1])
    return graph.add(("add", a, b) if a <= b else ("add", b, a))


def subtract(graph: Graph, a: int, b: int) -> int:
    nodes = graph.nodes
    node_a, node_b = nodes[a], nodes[b]
    if a == b and node_a[0] != "constant":  # x - x → 0, one of the two exceptions
        return graph.constant(0.0)
    operation_b = node_b[0]
    if operation_b == "constant":
        if node_a[0] == "constant":
            return graph.constant(node_a[1] - node_b[1])
        if node_b[1] == 0.0:  # x - 0 → x
            return a
    elif operation_b == "negate":  # x - (-y) → x + y
        return add(graph, a, node_b[1])
    if node_a[0] == "constant" and node_a[1] == 0.0:  # 0 - x → -x
        return negate(graph, b)
    return graph.add(("subtract", a, b))


def negate(graph: Graph, a: int) -> int:
    node = graph.nodes[a]
    if node[0] == "negate":  # -(-x) → x
        return node[1]
    if node[0] == "constant":
        return graph.constant(-node[1])
    return graph.add(("negate", a))


def multiply(graph: Graph, a: int, b: int) -> int:
    nodes = graph.nodes
    node_a, node_b = nodes[a], nodes[b]
    operation_a, operation_b = node_a[0], node_b[0]
    if operation_a == "constant" or operation_b == "constant":
        if operation_a == operation_b:
            return graph.constant(node_a[1] * node_b[1])
        value, x = (node_a[1], b) if operation_a == "constant" else (node_b[1], a)
        if value == 0.0:  # x · 0 → 0, one of the two exceptions
            return graph.constant(0.0)
        if value == 1.0:  # x · 1 → x
            return x
        if value < 0.0:  # x · (-c) → -(x · c)
            return negate(graph, multiply(graph, x, graph.constant(-value)))
    if operation_a == "negate":  # (-x) · y → -(x · y), and both: x · y
        return negate(graph, multiply(graph, node_a[1], b))
    if operation_b == "negate":
        return negate(graph, multiply(graph, a, node_b[1]))
    return graph.add(("multiply", a, b) if a <= b else ("multiply", b, a))


def divide(graph: Graph, a: int, b: int) -> int:
    nodes = graph.nodes
    node_a, node_b = nodes[a], nodes[b]
    if node_b[0] == "constant":
        value = node_b[1]
        if node_a[0] == "constant":
            return graph.constant(fold("divide", node_a[1], value))
        if value == 1.0:  # x / 1 → x
            return a
        if value < 0.0:  # x / (-c) → -(x / c)
            return negate(graph, divide(graph, a, graph.constant(-value)))
        mantissa, exponent = frexp(value)
        if mantissa == 0.5 and abs(exponent - 1) <= _LARGEST_EXACT_EXPONENT:  # x / 2^n → x · 2^-n, exactly
            return multiply(graph, a, graph.constant(1.0 / value))
    elif node_b[0] == "negate":  # x / (-y) → -(x / y)
        return negate(graph, divide(graph, a, node_b[1]))
    if node_a[0] == "negate":  # (-x) / y → -(x / y)
        return negate(graph, divide(graph, node_a[1], b))
    if node_a[0] == "constant" and node_a[1] < 0.0:  # (-c) / y → -(c / y)
        return negate(graph, divide(graph, graph.constant(-node_a[1]), b))
    return graph.add(("divide", a, b))


def power(graph: Graph, x: int, y: int) -> int:
    """x to the power y, whose meaning is set here.

    For a literal whole y = n, |n| ≤ WHOLE_POWERS: repeated multiplication by squaring, from the highest
    bit of n down, and for negative n 1 divided by that. x⁰ is 1, for NaN too (as in IEEE 754).
    Otherwise the real power, pow(x, y) of IEEE 754: NaN for negative x unless y is whole.
    """
    node = graph.nodes[y]
    if node[0] == "constant":
        exponent = node[1]
        if exponent == exponent // 1 and abs(exponent) <= WHOLE_POWERS:
            return _whole_power(graph, x, int(exponent))
        if graph.nodes[x][0] == "constant":
            return graph.constant(fold("power", graph.nodes[x][1], exponent))
    return graph.add(("power", x, y))


def _whole_power(graph: Graph, x: int, n: int) -> int:
    if n == 0:
        return graph.constant(1.0)
    result = x
    for bit in bin(abs(n))[3:]:
        result = multiply(graph, result, result)
        if bit == "1":
            result = multiply(graph, result, x)
    return result if n > 0 else divide(graph, graph.constant(1.0), result)


# ---- functions of one argument ---------------------------------------------------------------------


def _elementary(name: str) -> Callable[[Graph, int], int]:
    def rule(graph: Graph, a: int) -> int:
        node = graph.nodes[a]
        if node[0] == "constant":
            return graph.constant(fold(name, node[1]))
        return graph.add((name, a))

    return rule


def _odd(name: str) -> Callable[[Graph, int], int]:
    def rule(graph: Graph, a: int) -> int:
        node = graph.nodes[a]
        if node[0] == "constant":
            return graph.constant(fold(name, node[1]))
        if node[0] == "negate":  # f(-x) → -f(x)
            return negate(graph, graph.add((name, node[1])))
        return graph.add((name, a))

    return rule


def _even(name: str) -> Callable[[Graph, int], int]:
    def rule(graph: Graph, a: int) -> int:
        node = graph.nodes[a]
        if node[0] == "constant":
            return graph.constant(fold(name, node[1]))
        if node[0] == "negate" or node[0] == "abs":  # f(-x) → f(x), f(|x|) → f(x)
            return graph.add((name, node[1]))
        return graph.add((name, a))

    return rule


sqrt = _elementary("sqrt")
acos = _elementary("acos")
exp = _elementary("exp")
log = _elementary("log")
sign = _elementary("sign")
sin = _odd("sin")
tan = _odd("tan")
asin = _odd("asin")
tanh = _odd("tanh")
cos = _even("cos")
absolute = _even("abs")


def floor(graph: Graph, a: int) -> int:
    node = graph.nodes[a]
    if node[0] == "constant":
        return graph.constant(fold("floor", node[1]))
    if node[0] == "floor":  # ⌊⌊x⌋⌋ → ⌊x⌋
        return a
    return graph.add(("floor", a))


# ---- functions of two ------------------------------------------------------------------------------


def atan2(graph: Graph, y: int, x: int) -> int:
    node_y, node_x = graph.nodes[y], graph.nodes[x]
    if node_y[0] == "constant" and node_x[0] == "constant":
        return graph.constant(fold("atan2", node_y[1], node_x[1]))
    if node_y[0] == "negate":  # atan2(-y, x) → -atan2(y, x)
        return negate(graph, graph.add(("atan2", node_y[1], x)))
    return graph.add(("atan2", y, x))


def _extremum(name: str) -> Callable[[Graph, int, int], int]:
    def rule(graph: Graph, a: int, b: int) -> int:
        if a == b:  # min(x, x) → x
            return a
        node_a, node_b = graph.nodes[a], graph.nodes[b]
        if node_a[0] == "constant" and node_b[0] == "constant":
            return graph.constant(fold(name, node_a[1], node_b[1]))
        # The order stays: it decides which of 0.0 and -0.0 comes out.
        return graph.add((name, a, b))

    return rule


minimum = _extremum("minimum")
maximum = _extremum("maximum")


def lookup(graph: Graph, table: int, index: int) -> int:
    node = graph.nodes[index]
    if node[0] == "constant":
        return graph.constant(fold("lookup", graph.tables[table], node[1]))
    return graph.add(("lookup", table, index))


def read(graph: Graph, series: int, index: int) -> int:
    nodes = graph.nodes
    if nodes[series][0] == "series" and nodes[index][0] == "constant":
        value = nodes[index][1]
        if value != value:  # NaN stays NaN
            return index
        return int(nodes[series][1 + int(min(max(value // 1, 0), len(nodes[series]) - 2))])
    return graph.add(("read", series, index))


# ---- conditions and choice -------------------------------------------------------------------------


def _ordered(name: str, of_equals: bool | None) -> Callable[[Graph, int, int], int]:
    def rule(graph: Graph, a: int, b: int) -> int:
        if a == b and of_equals is not None and graph.nodes[a][0] != "constant":
            return graph.boolean(of_equals)
        node_a, node_b = graph.nodes[a], graph.nodes[b]
        if node_a[0] == "constant" and node_b[0] == "constant":
            return graph.boolean(fold(name, node_a[1], node_b[1]))
        return graph.add((name, a, b))

    return rule


# x < x is false for NaN too; x <= x and x == x are not known.
less = _ordered("less", False)
less_equal = _ordered("less_equal", None)


def greater(graph: Graph, a: int, b: int) -> int:
    return less(graph, b, a)


def greater_equal(graph: Graph, a: int, b: int) -> int:
    return less_equal(graph, b, a)


def _symmetric(name: str) -> Callable[[Graph, int, int], int]:
    compare = _ordered(name, None)

    def rule(graph: Graph, a: int, b: int) -> int:
        if graph.nodes[a][0] == "constant":
            a, b = b, a
        if graph.nodes[a][0] == "select" and graph.nodes[b][0] == "constant":
            decided = _of_choice(name, graph, graph.nodes[a], b)
            if decided is not None:
                return decided
        return compare(graph, a, b) if a <= b else compare(graph, b, a)

    return rule


def _of_choice(name: str, graph: Graph, choice: Node, constant: int) -> int | None:
    """(c ? 1 : 0) != 0 → c: a condition that had to go somewhere as a number comes back."""
    _, condition, a, b = choice
    if graph.nodes[a][0] != "constant" or graph.nodes[b][0] != "constant":
        return None
    value = graph.nodes[constant][1]
    if_true, if_false = (bool(fold(name, graph.nodes[n][1], value)) for n in (a, b))
    if if_true == if_false:
        return graph.boolean(if_true)
    return condition if if_true else logical_not(graph, condition)


equal = _symmetric("equal")
not_equal = _symmetric("not_equal")


def _junction(name: str, absorbing: bool) -> Callable[[Graph, int, int], int]:
    def rule(graph: Graph, a: int, b: int) -> int:
        if a == b:  # c and c → c
            return a
        for one, other in ((a, b), (b, a)):
            node = graph.nodes[one]
            if node[0] == "boolean":  # false and c → false, true and c → c
                return one if node[1] == absorbing else other
            if node[0] == "not" and node[1] == other:  # c and not c → false
                return graph.boolean(absorbing)
        return graph.add((name, a, b) if a <= b else (name, b, a))

    return rule


logical_and = _junction("and", False)
logical_or = _junction("or", True)


def logical_not(graph: Graph, a: int) -> int:
    node = graph.nodes[a]
    if node[0] == "not":  # not not c → c
        return node[1]
    if node[0] == "boolean":
        return graph.boolean(not node[1])
    # Exact for NaN, unlike not (x < y) → y <= x.
    if node[0] == "equal":
        return graph.add(("not_equal", node[1], node[2]))
    if node[0] == "not_equal":
        return graph.add(("equal", node[1], node[2]))
    return graph.add(("not", a))


def select(graph: Graph, condition: int, a: int, b: int) -> int:
    nodes = graph.nodes
    if a == b:  # the same on both sides
        return a
    node = nodes[condition]
    if node[0] == "boolean":
        return a if node[1] else b
    if node[0] == "not":  # not c ? a : b → c ? b : a
        return select(graph, node[1], b, a)
    # c ? (c ? a : x) : b → c ? a : b, and likewise on the other side
    if nodes[a][0] == "select" and nodes[a][1] == condition:
        return select(graph, condition, nodes[a][2], b)
    if nodes[b][0] == "select" and nodes[b][1] == condition:
        return select(graph, condition, a, nodes[b][3])
    return graph.add(("select", condition, a, b))


# ---- by name ---------------------------------------------------------------------------------------

_RULES: dict[str, Callable[..., int]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "negate": negate,
    "power": power,
    "sqrt": sqrt,
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan2": atan2,
    "exp": exp,
    "log": log,
    "tanh": tanh,
    "abs": absolute,
    "sign": sign,
    "floor": floor,
    "minimum": minimum,
    "maximum": maximum,
    "lookup": lookup,
    "read": read,
    "select": select,
    "less": less,
    "less_equal": less_equal,
    "greater": greater,
    "greater_equal": greater_equal,
    "equal": equal,
    "not_equal": not_equal,
    "and": logical_and,
    "or": logical_or,
    "not": logical_not,
}


def make(graph: Graph, operation: str, *words: int) -> int:
    """The number of a node that means this operation, simplified where a rule applies.

    For leaves, loops and items there is no rule: they are stored as they are.
    """
    rule = _RULES.get(operation)
    if rule is not None:
        return rule(graph, *words)
    if operation == "constant":
        return graph.constant(words[0])
    if operation == "boolean":
        return graph.boolean(bool(words[0]))
    return graph.add((operation, *words))
