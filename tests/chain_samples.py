"""Random chains for the tests: ours, and the same by homogeneous transforms and point masses."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from itertools import product

import numpy as np
import pytest

from quatrain import Mat3, SymMat3, Vec3
from quatrain.equations.chain import Chain, Link, configuration
from tests.bodies import array
from tests.samples import rng
from tests.truth.chains import Placed, PointChain, symbols

BATCH = 4
G = np.array([0.7, -1.3, -9.5])  # a field along no axis
TOLERANCE = 1e-13  # sums of some thousand products of numbers of order one, relative to the largest of all

# Every pattern of revolute and prismatic joints up to three, a random one for each length above, seven turns.
SHORT = [p for n in (1, 2, 3) for p in product((False, True), repeat=n)] + [(False, False, True, False)]
LONG = [tuple(map(bool, rng(60 + n).integers(0, 2, n))) for n in (5, 6)] + [(False,) * 7]
MORE = [tuple(map(bool, rng(70 + k).random(4 + k % 4) <= 0.4)) for k in range(12)]


def name_of(pattern):
    return "".join("P" if prismatic else "R" for prismatic in pattern)


def patterns(*, short=False):
    """Parameters for tests; what would repeat the same at some length waits for the slow run."""
    long = [pytest.param(p, marks=pytest.mark.slow) for p in LONG] if short else LONG
    more = [pytest.param(p, marks=pytest.mark.slow) for p in MORE]
    return pytest.mark.parametrize("case", [*SHORT, *long, *more], ids=name_of, indirect=True)


def vec(numbers) -> Vec3:
    return Vec3(*map(float, numbers))


def tensor(matrix) -> SymMat3:
    return SymMat3.from_mat3(Mat3(*map(float, np.ravel(matrix))))


class Case:
    """One chain, both ways, with random coordinates, rates and accelerations in columns."""

    def __init__(self, pattern):
        random = rng(1000 + len(pattern) * 37 + sum(p << k for k, p in enumerate(pattern)))
        self.truth = truth = PointChain.random(random, pattern)
        self.n = len(pattern)
        self.joints = range(self.n)
        # Joint to joint, then to the mass centre: s = ρ_ii + ρ.
        self.chain = Chain(
            [
                Link.from_centre(
                    pattern[k],
                    vec(truth.axes[k]),
                    vec(truth.steps[k]),
                    vec(cloud.centre),
                    cloud.mass,
                    tensor(cloud.inertia(cloud.centre)),
                )
                for k, cloud in enumerate(truth.clouds)
            ],
            vec(G),
        )
        self.q, self.dq, self.ddq = random.normal(size=(3, self.n, BATCH))
        self.at = configuration(self.chain, self.q)
        self.placed = Placed(truth, self.q)
        self.elements = [
            [(float(m), vec(x - c.centre)) for m, x in zip(c.masses, c.points, strict=True)]
            for c in truth.clouds
        ]
        self.random = random

    @cached_property
    def frames(self):
        return [self.placed.turn(i) for i in self.joints]

    @cached_property
    def metric(self):
        return {part: self.placed.metric(part) for part in ("whole", "tr", "rot")}

    @cached_property
    def metric_derivatives(self):
        return {part: self.placed.metric_derivatives(part) for part in ("whole", "tr", "rot")}

    @cached_property
    def symbols(self):
        return {part: symbols(da) for part, da in self.metric_derivatives.items()}

    @cached_property
    def motions(self):
        return [self.placed.motion(self.dq, self.ddq, i) for i in self.joints]

    def with_tensors(self):
        """The same chain with inertia tensors that no body has, and these tensors (n, 3, 3)."""
        A = self.random.normal(size=(self.n, 3, 3))
        J = A @ A.swapaxes(1, 2) + 0.1 * np.eye(3)
        links = [replace(link, J=tensor(J[k])) for k, link in enumerate(self.chain.links)]
        return configuration(Chain(links, self.chain.gravity), self.q), J


case_of = cache(Case)


def columns(value, shape=()):
    """Any of our values as an array with the batch in front, constants spread over it."""
    found = array(value)
    return np.broadcast_to(found, (BATCH, *shape)) if found.shape == shape else found


def close(found, exact, tolerance=TOLERANCE, scale=None):
    """Entry by entry to `tolerance` of the largest entry of all, or of `scale`."""
    found, exact = (array(x) for x in (found, exact))
    size = max(1.0, float(np.max(np.abs(exact)))) if scale is None else scale
    np.testing.assert_allclose(*np.broadcast_arrays(found, exact), rtol=0, atol=tolerance * size)


def table(entry, n, rank):
    """entry(α, β, …) for all indices as an array (n, …, n, batch)."""
    result = np.empty((*[n] * rank, BATCH))
    for index in product(range(n), repeat=rank):
        result[index] = entry(*index)
    return result


def nested(rows):
    """Nested tuples of scalars and columns as an array with the batch last."""
    return np.array([nested(row) for row in rows]) if isinstance(rows, (tuple, list)) else spread(rows)


def spread(value):
    return np.broadcast_to(np.asarray(value, dtype=float), (BATCH,))
