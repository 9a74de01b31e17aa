"""NumPy at the edge of the geometry: arrays to components and back, and random rotations.

Kept apart so that the geometry itself imports no NumPy. Everything that comes in as an array is
checked here once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quatrain.errors import ArgumentError, QuatrainError


def components(array: Any, count: int, *, name: str) -> list[Any]:
    """The `count` columns along the last axis of an array (..., count), checked to be finite numbers."""
    import numpy as np

    try:
        values = np.asarray(array)
        if array is None:
            raise TypeError("it is None")
        if values.dtype.kind == "c":
            raise TypeError("it is complex")
        values = values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
    except QuatrainError:
        raise  # a traced value, which says itself what to do
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{name} is not an array of real numbers ({error})", do=f"pass numbers of shape (..., {count})"
        ) from error
    if values.ndim == 0:
        raise ArgumentError(
            f"{name} is a single number; this needs {count} components",
            do=f"pass an array of shape (..., {count})",
        )
    if values.shape[-1] != count:
        raise ArgumentError(
            f"{name} has shape {values.shape}; this needs (..., {count}), the components along the last axis",
            do=f"bring the axis of length {count} to the end, for example with numpy.moveaxis"
            if count in values.shape
            else f"pass an array of shape (..., {count})",
        )
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        raise ArgumentError(
            f"{name}[{', '.join(map(str, place))}] is {values[place]}",
            do="mend or drop the entries that are not finite before they are used as geometry",
        )
    return [values[..., i] for i in range(count)]


def rows(array: Any, count: int, *, name: str) -> list[Any]:
    """The rows of an array of matrices (..., count, columns)."""
    import numpy as np

    values = np.asarray(array)
    if values.ndim < 2 or values.shape[-2] != count:
        raise ArgumentError(
            f"{name} has shape {values.shape}; this needs matrices of {count} rows along the last axis but one",
            do=f"pass an array of shape (..., {count}, {count})",
        )
    return [values[..., i, :] for i in range(count)]


def stacked(parts: Iterable[Any]) -> Any:
    """Components, broadcast against one another, as an array (..., count)."""
    import numpy as np

    given = tuple(parts)
    try:
        columns = np.broadcast_arrays(*given)
    except ValueError as error:
        shapes = ", ".join(str(np.shape(part)) for part in given)
        raise ArgumentError(
            f"components of the shapes {shapes} do not go into one array",
            do="give each component one number, or columns of one length",
        ) from error
    # Exact zeros and ones of the geometry are whole numbers; an array of them is still one of reals.
    kind = np.result_type(*columns)
    return np.stack(columns, axis=-1, dtype=np.float64 if kind.kind in "iub" else kind)


def random_unit_quaternions(rng: Any, shape: tuple[int, ...] | int = ()) -> Any:
    """Rotations drawn uniformly, as an array (*shape, 4) in the order w, x, y, z.

    A normal distribution in four dimensions has no preferred direction.
    """
    import numpy as np

    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(
            f"rng is {type(rng).__name__}, not a numpy.random.Generator",
            do="pass numpy.random.default_rng(seed)",
        )
    size = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in size):
        raise ArgumentError(f"shape is {shape!r}", do="pass a whole number from zero up, or a tuple of them")
    directions = rng.standard_normal((*size, 4))
    return directions / np.linalg.norm(directions, axis=-1, keepdims=True)
