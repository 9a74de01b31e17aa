"""NumPy's functions on arrays of objects, where NumPy alone would ask the elements for what they are not.

NumPy asks the elements of an array of objects for truth values when it compares, and for methods such as
`sin` that the plain numbers among them do not have. These functions go element by element instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from quatrain import scalar
from quatrain.compiler.origin import TraceError, trace_error

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
    "power": operator.pow,
    "float_power": operator.pow,
}
# NumPy's names of functions -> ours, where they differ.
_NAMES = {"arcsin": "asin", "arccos": "acos", "arctan2": "atan2", "absolute": "abs", "fabs": "abs"}
_SAME_NAMES = {name for name in scalar.FUNCTIONS if isinstance(getattr(np, name, None), np.ufunc)} - {"power"}


def _function(name: str) -> Callable[..., Any] | None:
    """Our function for one of NumPy's."""
    ours = _NAMES.get(name, name if name in _SAME_NAMES else None)
    return None if ours is None else getattr(scalar, ours)


class ObjectArray(np.ndarray):
    """An array of objects whose comparisons and functions work element by element."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return universal(type(self), ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function is np.where and len(inputs) == 3:
            return scalar.where(*inputs)
        return _or_refused(
            function.__name__,
            lambda: super(ObjectArray, self).__array_function__(function, types, inputs, options),
        )


def elementwise(kind: type, function: Callable[..., Any], values: Sequence[Any]) -> Any:
    """The function of each element, the values broadcast against one another; an array of class `kind`."""
    entries = [_box(value) for value in values]
    result = np.frompyfunc(lambda *each: function(*map(_plain, each)), len(entries), 1)(*entries)
    return result.view(kind) if isinstance(result, np.ndarray) else result


def universal(kind: type, ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """A function of NumPy's that works element by element; what `__array_ufunc__` asks for."""
    arrays = any(isinstance(value, np.ndarray) for value in inputs)
    if method == "__call__" and not options:
        function = _function(ufunc.__name__)
        if function is not None and arrays:
            return elementwise(kind, function, inputs)
        function = function or (None if arrays else _ARITHMETIC.get(ufunc.__name__))
        if function is not None:
            return function(*map(_plain, inputs))
    out = tuple(np.asarray(array) for array in options.pop("out", ()))
    result = _or_refused(
        ufunc.__name__,
        lambda: getattr(ufunc, method)(*map(_box, inputs), **options, **({"out": out} if out else {})),
    )
    return result.view(kind) if isinstance(result, np.ndarray) and result.dtype == object else result


def _or_refused(name: str, call: Callable[[], Any]) -> Any:
    """What a function of NumPy's makes of objects; where it needs plain numbers, an error at the user's line."""
    try:
        return call()
    except TraceError:
        raise
    except (TypeError, AttributeError) as error:
        raise trace_error(
            f"numpy's {name} does not work on traced values ({error})",
            f"write it with + - * / ** @ and the functions of quatrain.scalar: {', '.join(scalar.FUNCTIONS)}",
        ) from error


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _box(value: Any) -> Any:
    """What NumPy treats by its own rules: a plain array for one of ours, also for a scalar of ours."""
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if isinstance(value, (float, int, np.generic, list, tuple)):
        return value
    box = np.empty((), dtype=object)
    box[()] = value
    return box
