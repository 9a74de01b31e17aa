"""The scalar that stands for a node: a function called with it builds the graph of what it does.

This module is itself the object that `quatrain.scalar` asks (`__scalar_functions__`): it offers every
name in `scalar.FUNCTIONS`, so `abs` here is not Python's.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from quatrain import scalar
from quatrain.compiler import captures, rules
from quatrain.compiler.graph import Graph
from quatrain.compiler.object_arrays import ObjectArray, elementwise, universal
from quatrain.compiler.origin import trace_error
from quatrain.compiler.rules import add, multiply, subtract
from quatrain.compiler.unknown import Unknown

_Rule = Callable[..., int]


class Traced(Unknown):
    """A real number that will be known when the program runs."""

    __slots__ = ("graph", "number")

    __scalar_functions__ = sys.modules[__name__]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, graph: Graph, number: int) -> None:
        self.graph = graph
        self.number = number

    # ---- arithmetic: the usual case, two values of one graph, first and without detours -----------

    def __add__(self, other: Any) -> Any:
        graph = self.graph
        if type(other) is Traced and other.graph is graph:
            return Traced(graph, add(graph, self.number, other.number))
        if type(other) is float:
            return Traced(graph, add(graph, self.number, graph.constant(other)))
        return _mixed(add, self, other)

    def __radd__(self, other: Any) -> Any:
        if type(other) is float and type(self) is Traced:
            graph = self.graph
            return Traced(graph, add(graph, graph.constant(other), self.number))
        return _mixed(add, other, self)

    def __sub__(self, other: Any) -> Any:
        graph = self.graph
        if type(other) is Traced and other.graph is graph:
            return Traced(graph, subtract(graph, self.number, other.number))
        if type(other) is float:
            return Traced(graph, subtract(graph, self.number, graph.constant(other)))
        return _mixed(subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        if type(other) is float and type(self) is Traced:
            graph = self.graph
            return Traced(graph, subtract(graph, graph.constant(other), self.number))
        return _mixed(subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        graph = self.graph
        if type(other) is Traced and other.graph is graph:
            return Traced(graph, multiply(graph, self.number, other.number))
        if type(other) is float:
            return Traced(graph, multiply(graph, self.number, graph.constant(other)))
        return _mixed(multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        if type(other) is float and type(self) is Traced:
            graph = self.graph
            return Traced(graph, multiply(graph, graph.constant(other), self.number))
        return _mixed(multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _mixed(rules.divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _mixed(rules.divide, other, self)

    def __pow__(self, other: Any) -> Any:
        return _mixed(rules.power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _mixed(rules.power, other, self)

    def __neg__(self) -> Traced:
        return Traced(self.graph, rules.negate(self.graph, self.number))

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return Traced(self.graph, rules.absolute(self.graph, self.number))

    def __floor__(self) -> Traced:
        return Traced(self.graph, rules.floor(self.graph, self.number))

    def __ceil__(self) -> Any:
        return -floor(-self)

    # ---- comparisons ------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return _mixed(rules.less, self, other, Condition)

    def __le__(self, other: Any) -> Any:
        return _mixed(rules.less_equal, self, other, Condition)

    def __gt__(self, other: Any) -> Any:
        return _mixed(rules.greater, self, other, Condition)

    def __ge__(self, other: Any) -> Any:
        return _mixed(rules.greater_equal, self, other, Condition)

    def __eq__(self, other: object) -> Any:
        return _mixed(rules.equal, self, other, Condition)

    def __ne__(self, other: object) -> Any:
        return _mixed(rules.not_equal, self, other, Condition)

    # ---- NumPy's names, which its functions look for in the elements of an array of objects --------

    def sqrt(self) -> Any:
        return sqrt(self)

    def sin(self) -> Any:
        return sin(self)

    def cos(self) -> Any:
        return cos(self)

    def tan(self) -> Any:
        return tan(self)

    def arcsin(self) -> Any:
        return asin(self)

    def arccos(self) -> Any:
        return acos(self)

    def arctan(self) -> Any:
        return atan2(self, 1.0)

    def arctan2(self, x: Any) -> Any:
        return atan2(self, x)

    def exp(self) -> Any:
        return exp(self)

    def log(self) -> Any:
        return log(self)

    def tanh(self) -> Any:
        return tanh(self)

    def conjugate(self) -> Traced:
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return universal(TracedArray, ufunc, method, inputs, options)

    # ---- the rest ----------------------------------------------------------------------------------

    def __copy__(self) -> Traced:
        return self

    def __deepcopy__(self, memory: Any) -> Traced:
        return self

    def __repr__(self) -> str:
        node = self.graph.nodes[self.number]
        return (
            f"{type(self).__name__}({node[1] if node[0] == 'constant' else f'{node[0]}, node {self.number}'})"
        )


def _as_number(method: Callable[..., Any]) -> Callable[..., Any]:
    def operate(self: Condition, *others: Any) -> Any:
        return method(Traced(self.graph, number_of(self.graph, self)), *others)

    return operate


class Condition(Traced):
    """A truth value that will be known when the program runs. In arithmetic it counts as 1 or 0."""

    __slots__ = ()

    __hash__ = None

    def __and__(self, other: Any) -> Any:
        return logical_and(self, other)

    def __or__(self, other: Any) -> Any:
        return logical_or(self, other)

    def __xor__(self, other: Any) -> Any:
        return where(self, logical_not(other), other)

    def __invert__(self) -> Any:
        return logical_not(self)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    # Arithmetic of the number 1 or 0. Comparisons and the mixed cases convert by themselves.
    __add__, __sub__, __mul__ = map(_as_number, (Traced.__add__, Traced.__sub__, Traced.__mul__))
    __neg__, __pos__, __abs__ = map(_as_number, (Traced.__neg__, Traced.__pos__, Traced.__abs__))
    __floor__ = _as_number(Traced.__floor__)


class TracedArray(ObjectArray):
    """An array of objects of which some are traced."""

    __scalar_functions__ = sys.modules[__name__]


# ---- bringing operands into one graph ----------------------------------------------------------------


def _mixed(rule: _Rule, a: Any, b: Any, kind: Any = None) -> Any:
    """An operator on two values of which at least one is traced; the other one may be anything."""
    if isinstance(a, Traced):
        if type(b) is float or type(b) is int:
            graph = a.graph
            number_a = a.number if type(a) is Traced else number_of(graph, a)
            return (kind or Traced)(graph, rule(graph, number_a, graph.constant(b)))
        if not isinstance(b, _SCALARS):
            return NotImplemented
    elif not isinstance(a, _SCALARS):
        return NotImplemented
    graph = common_graph((a, b))
    return (kind or Traced)(graph, rule(graph, number_of(graph, a), number_of(graph, b)))


def common_graph(values: Sequence[Any]) -> Graph:
    """The graph in which an operation on these values takes place."""
    return captures.innermost(value.graph for value in values if isinstance(value, Traced))


_SCALARS = (Traced, float, int, np.floating, np.integer, np.bool_)


def number_of(graph: Graph, value: Any) -> int:
    """Number in `graph` of a real value; a condition counts as 1 or 0."""
    if type(value) is Traced:
        return value.number if value.graph is graph else captures.local(graph, value.graph, value.number)
    if type(value) is Condition:
        return rules.select(
            graph, captures.local(graph, value.graph, value.number), graph.constant(1.0), graph.constant(0.0)
        )
    if isinstance(value, _SCALARS) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype != object
    ):
        return graph.constant(float(value))
    raise trace_error(
        f"a {type(value).__name__} stands where a traced function needs a real number",
        "pass floats, traced values, or NumPy arrays of either",
    )


def truth_of(graph: Graph, value: Any) -> int:
    """Number in `graph` of a condition; a number holds if it is not zero."""
    if type(value) is Condition:
        return captures.local(graph, value.graph, value.number)
    if isinstance(value, (bool, np.bool_)):
        return graph.boolean(bool(value))
    return rules.not_equal(graph, number_of(graph, value), graph.constant(0.0))


# ---- functions: the names in scalar.FUNCTIONS --------------------------------------------------------


def _function(name: str, rule: _Rule) -> Callable[..., Any]:
    """The function of real numbers that makes a node by `rule`."""

    def function(*values: Any) -> Any:
        if len(values) == 1 and type(values[0]) is Traced:
            graph = values[0].graph
            return Traced(graph, rule(graph, values[0].number))
        if any(isinstance(value, np.ndarray) for value in values):
            return elementwise(TracedArray, getattr(scalar, name), values)
        graph = common_graph(values)
        return Traced(graph, rule(graph, *[number_of(graph, value) for value in values]))

    return function


def _predicate(
    name: str, rule: _Rule, operand: Callable[[Graph, Any], int] = number_of
) -> Callable[..., Any]:
    def function(*values: Any) -> Any:
        if any(isinstance(value, np.ndarray) for value in values):
            return elementwise(TracedArray, getattr(scalar, name), values)
        graph = common_graph(values)
        return Condition(graph, rule(graph, *[operand(graph, value) for value in values]))

    return function


sqrt = _function("sqrt", rules.sqrt)
sin = _function("sin", rules.sin)
cos = _function("cos", rules.cos)
tan = _function("tan", rules.tan)
asin = _function("asin", rules.asin)
acos = _function("acos", rules.acos)
atan2 = _function("atan2", rules.atan2)
exp = _function("exp", rules.exp)
log = _function("log", rules.log)
tanh = _function("tanh", rules.tanh)
power = _function("power", rules.power)
abs = _function("abs", rules.absolute)
sign = _function("sign", rules.sign)
floor = _function("floor", rules.floor)
minimum = _function("minimum", rules.minimum)
maximum = _function("maximum", rules.maximum)
less = _predicate("less", rules.less)
less_equal = _predicate("less_equal", rules.less_equal)
greater = _predicate("greater", rules.greater)
greater_equal = _predicate("greater_equal", rules.greater_equal)
equal = _predicate("equal", rules.equal)
not_equal = _predicate("not_equal", rules.not_equal)
logical_and = _predicate("logical_and", rules.logical_and, truth_of)
logical_or = _predicate("logical_or", rules.logical_or, truth_of)
logical_not = _predicate("logical_not", rules.logical_not, truth_of)


def where(condition: Any, if_true: Any, if_false: Any) -> Any:
    values = (condition, if_true, if_false)
    if any(isinstance(value, np.ndarray) for value in values):
        return elementwise(TracedArray, scalar.where, values)
    if all(isinstance(value, (Condition, bool, np.bool_)) for value in values):
        return logical_or(
            scalar.logical_and(condition, if_true),
            scalar.logical_and(scalar.logical_not(condition), if_false),
        )
    graph = common_graph(values)
    chosen = rules.select(
        graph, truth_of(graph, condition), number_of(graph, if_true), number_of(graph, if_false)
    )
    return Traced(graph, chosen)


def lookup(table: Sequence[float], index: Any) -> Any:
    if isinstance(index, np.ndarray):
        return elementwise(TracedArray, lambda i: scalar.lookup(tuple(table), i), (index,))
    return Traced(
        index.graph, rules.lookup(index.graph, index.graph.table(table), number_of(index.graph, index))
    )


def pi(like: Any) -> float:
    return math.pi


def epsilon(like: Any) -> float:
    """Of the precision that the program is traced for."""
    if isinstance(like, np.ndarray):
        return max(scalar.epsilon(entry) for entry in like.flat)
    return like.graph.epsilon


def loops(like: Any, repetitions: int) -> Any | None:
    """Loops with a trail, where the function that is traced wants them for so many repetitions."""
    if repetitions < like.graph.looped_from:
        return None
    from quatrain.compiler import trails

    return trails


def first_true(condition: Any) -> None:
    return None


def is_scalar(value: Any) -> bool:
    """Whether this is one number: traced, or Python's or NumPy's."""
    return isinstance(value, _SCALARS)
