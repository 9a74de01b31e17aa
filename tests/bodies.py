"""What the tests of one rigid body share: comparison of any of our values with arrays, and bodies of point masses."""

from __future__ import annotations

import numpy as np

from quatrain import Mat3, Matrix, Quaternion, SymMat3, Vec3
from quatrain.compiler import interpret, trace
from quatrain.equations.rigid_body import Body
from tests.truth.point_masses import Cloud, transposed

COUNT = 300
ROUNDING = 2e-14  # sums of up to a hundred products of numbers of order one, relative to the largest


def array(value):
    """As an array with the entries of a matrix in the last two axes."""
    if isinstance(value, Matrix):
        entries = [np.stack(np.broadcast_arrays(*row), axis=-1) for row in value.rows]
        return np.stack(np.broadcast_arrays(*entries), axis=-2).astype(float)
    return value.to_array() if hasattr(value, "to_array") else np.asarray(value, dtype=float)


def close(a, b, tolerance=ROUNDING):
    a, b = array(a), array(b)
    scale = max(1.0, float(np.max(np.abs(b))))
    np.testing.assert_allclose(*np.broadcast_arrays(a, b), rtol=0, atol=tolerance * scale)


def differs(a, b, by=0.1):
    """By more than `by` of the largest, in most of the samples: no rounding, and no special case."""
    a, b = np.broadcast_arrays(array(a), array(b))
    gap = np.max(np.abs(a - b).reshape(len(a), -1), axis=-1)
    assert np.median(gap) > by * np.median(np.abs(b))


def vec(columns):
    return Vec3.from_array(columns)


def times(matrix, vector):
    return np.einsum("...ij,...j->...i", array(matrix), array(vector))


def transposed_times(matrix, vector):
    return times(transposed(array(matrix)), vector)


def body_of(cloud: Cloud) -> Body:
    """From the sums of the cloud."""
    inertia = SymMat3.from_array(cloud.inertia(cloud.centre))
    return Body(cloud.mass, Vec3(*map(float, cloud.centre)), SymMat3(*map(float, inertia)))


def flat(values):
    """The scalars of vectors, matrices, tuples and scalars, one after the other."""
    whole = (tuple, Vec3, Mat3, SymMat3, Quaternion)
    return [x for value in values for x in (value if isinstance(value, whole) else [value])]


def on_graph(function, rows):
    """Through the compiler's graph and its interpreter."""
    program = trace(lambda x: tuple(function(*x)), {"x": (np.shape(rows)[1],)}, name="equations")
    outputs = interpret.run(program, {"x": np.asarray(rows)})
    return np.stack([outputs[port.name] for port in program.outputs], axis=-1)
