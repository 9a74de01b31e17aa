"""Bodies in motion in exact fractions, whose accelerations a cloud of point masses says, not the library."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quatrain import Matrix, Quaternion, SymMat3, Vec3, dot
from tests.samples import rng
from tests.truth import euler_parameters as truth

STILL = Quaternion(*[Fraction(0)] * 4)


def fractions(seed, *shape):
    """Small fractions that are not zero."""
    numbers = rng(seed).integers(1, 10, shape) * rng(seed + 1).choice([-1, 1], shape)
    return np.vectorize(lambda n: Fraction(int(n), 7), otypes=[object])(numbers)


def array(value):
    if isinstance(value, Matrix):
        return np.array(value.rows, dtype=object)
    return np.array(list(value), dtype=object)


def same(a, b):
    """No residual at all."""
    a, b = array(a), array(b)
    assert a.shape == b.shape
    assert (a == b).all(), a - b


def symmetric(J):
    return SymMat3(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])


@dataclass
class Sample:
    """A body in motion on the unit sphere, in fractions, under a force f at u and a couple of two forces."""

    cloud: truth.Cloud
    q: Quaternion
    dq: Quaternion
    J: SymMat3
    w: Vec3
    f: Vec3
    u: Vec3

    @property
    def R(self):
        return truth.homogeneous_matrix(array(self.q))

    @property
    def tau(self):
        """u × Rᵀ f by components."""
        return Vec3(*np.cross(array(self.u), self.R.T @ array(self.f)))

    @property
    def alpha(self):
        """ω̇ for which the inertia forces of the cloud have the moment τ: their moment is affine in ω̇."""
        moment = lambda alpha: self.cloud.moment_of_inertia_forces(self.moved(alpha))
        zero = moment(np.array([Fraction(0)] * 3))
        columns = [moment(np.array([Fraction(int(i == k)) for i in range(3)])) - zero for k in range(3)]
        return Vec3(*truth.solve_exactly(np.array(columns).T, array(self.tau) - zero))

    def moved(self, alpha):
        """q, q̇ and q̈ = ½ (q ∘ ω̇ + q̇ ∘ ω)."""
        q, dq = array(self.q), array(self.dq)
        ddq = truth.product(q, truth.pure(alpha)) + truth.product(dq, truth.pure(array(self.w)))
        return q, dq, ddq / 2

    @property
    def ddq(self):
        return Quaternion(*self.moved(array(self.alpha))[2])


def sample(seed):
    a = fractions(seed, 4)
    q = truth.product(a, a) / (a @ a)
    w = fractions(seed + 10, 3)
    cloud = truth.Cloud.about_its_centre(abs(fractions(seed + 20, 5)), fractions(seed + 30, 5, 3))
    return Sample(
        cloud,
        Quaternion(*q),
        Quaternion(*(truth.product(q, truth.pure(w)) / 2)),
        symmetric(cloud.inertia()),
        Vec3(*w),
        Vec3(*fractions(seed + 40, 3)),
        Vec3(*fractions(seed + 50, 3)),
    )


def tangent(q, seed):
    """A δq at right angles to q."""
    delta = Quaternion(*fractions(seed, 4))
    return delta - q * (dot(q, delta) / q.norm_squared())


@dataclass
class Orbiting:
    """A body whose inertial motion obeys Euler's equations, seen from a frame that turns as it likes."""

    body: Sample
    q: Quaternion
    dq: Quaternion
    ddq: Quaternion
    w_OF_F: Vec3
    alpha_OF_F: Vec3


def orbiting(seed):
    """q₁₂ = q̄₀₁ ∘ q₀₂ with both rates and accelerations, by the product rule."""
    body = sample(seed)
    a = fractions(seed + 89, 4)
    q01 = truth.product(a, a) / (a @ a)
    w, alpha = fractions(seed + 90, 3), fractions(seed + 91, 3)
    d01 = truth.product(q01, truth.pure(w)) / 2
    dd01 = (truth.product(q01, truth.pure(alpha)) + truth.product(d01, truth.pure(w))) / 2
    q02, d02, dd02 = array(body.q), array(body.dq), array(body.ddq)
    back = lambda a, b: truth.product(truth.conjugate(a), b)
    q, dq = back(q01, q02), back(d01, q02) + back(q01, d02)
    ddq = back(dd01, q02) + 2 * back(d01, d02) + back(q01, dd02)
    return Orbiting(body, *(Quaternion(*x) for x in (q, dq, ddq)), Vec3(*w), Vec3(*alpha))
