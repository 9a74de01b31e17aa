"""The formulations by name: which coordinates each has, how they accelerate, and the attitude they stand for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from quatrain.compare.motion import Motion
from quatrain.equations import euler_angles
from quatrain.equations.attitude import body_rate, rate_from_body
from quatrain.equations.euler_parameter_forms import FORMS, Form
from quatrain.equations.euler_parameter_loads import torque_on_attitude
from quatrain.equations.stepping import (
    LINEAR,
    ROTATIONS,
    System,
    baumgarte,
    plain,
    position_renormalised,
    projected,
    renormalised,
)
from quatrain.equations.stepping.nested import Nested
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.rotations import NAMED, AngleConvention
from quatrain.scalar import Scalar, abs

RENORMALISATIONS = {
    "none": "nothing is done about the norm",
    "q": "q/|q| after each step; of a form in q̈ that leaves the rate of the norm",
    "both": "q/|q| and the tangential part of q̇ after each step",
    "projected": "both, after each step and wherever the form is asked",
    "baumgarte": "a restoring term along q in the equations",
}

# Random attitudes at which angles would amplify errors by more are not asked.
MOST_CONDITION = 20.0

NEAREST = 1e-8
"""Radians from the singularity of angles at which a run may start."""


@dataclass(frozen=True)
class Stabilisation:
    """What is done about the norm, by a name of `RENORMALISATIONS`; the numbers are Baumgarte's. [1/s]"""

    name: str
    damping: float = 0.0
    stiffness: float = 0.0


@dataclass(frozen=True)
class Formulation(ABC):
    """Equations of motion in some coordinates; `x` are the coordinates and `dx` what moves them."""

    name: str
    equation: str
    coordinates: str
    multiplier: str
    """The closed form of the multiplier in words; "none" where there is none."""

    @abstractmethod
    def renormalisation(self, wanted: str) -> str | None:
        """What stands for one of `RENORMALISATIONS` here; None where there is nothing of the kind."""

    @abstractmethod
    def start(self, motion: Motion) -> tuple[Nested, Nested]:
        """(x, dx) of an attitude and rate; an error where these coordinates cannot describe them."""

    @abstractmethod
    def system(self, motion: Motion, stabilisation: Stabilisation) -> System:
        """For any stepper."""

    @abstractmethod
    def attitude(self, x: Any, dx: Any) -> tuple[Quaternion, Vec3, Scalar]:
        """The rotation q/|q|, its rate in the body, and |q|."""

    @abstractmethod
    def second_derivative(
        self, motion: Motion, t: Scalar, q: Quaternion, w: Vec3
    ) -> tuple[Quaternion, Scalar | None, Scalar | None]:
        """q̈ at an attitude and rate, the multiplier, and its closed form."""

    def condition(self, x: Any) -> Scalar | None:
        """How much the coordinates amplify errors at x, 1 at best; None where they do so nowhere."""
        return None

    def is_regular(self, q: Quaternion) -> Any:
        """Whether the coordinates are well conditioned at an attitude; asked with arrays."""
        return abs(q.w) >= 0


class RateForm(Formulation):
    """Newton and Euler in the quaternion and the rate ω: J ω̇ = τ − ω × J ω, q̇ = ½ Lᵀ ω."""

    def renormalisation(self, wanted: str) -> str | None:
        return {"none": "none", "baumgarte": None}.get(wanted, "q")

    def start(self, motion: Motion) -> tuple[Nested, Nested]:
        return motion.q_WB, motion.w_WB_B

    def system(self, motion: Motion, stabilisation: Stabilisation) -> System:
        system = motion.rotating_body().system()
        if stabilisation.name == "none":
            return replace(system, space=replace(ROTATIONS, project=LINEAR.project))
        return system

    def attitude(self, x: Any, dx: Any) -> tuple[Quaternion, Vec3, Scalar]:
        norm = x.norm()
        return x / norm, dx, norm

    def second_derivative(
        self, motion: Motion, t: Scalar, q: Quaternion, w: Vec3
    ) -> tuple[Quaternion, Scalar | None, Scalar | None]:
        alpha = motion.rotating_body().system().acceleration(t, q, w)
        return second_derivative(q, w, alpha), None, None


@dataclass(frozen=True)
class QuaternionForm(Formulation):
    """Any of the forms in q and q̇ of `equations.euler_parameter_forms`."""

    form: Form

    def renormalisation(self, wanted: str) -> str | None:
        return wanted

    def start(self, motion: Motion) -> tuple[Nested, Nested]:
        return motion.q_WB, rate_from_body(motion.q_WB, motion.w_WB_B)

    def system(self, motion: Motion, stabilisation: Stabilisation) -> System:
        def form(t: Scalar, q: Any, dq: Any) -> Quaternion:
            return self.acceleration(motion, t, q, dq)

        if stabilisation.name == "baumgarte":
            return baumgarte(form, damping=stabilisation.damping, stiffness=stabilisation.stiffness)
        wrappers = {
            "none": plain,
            "q": position_renormalised,
            "both": renormalised,
            "projected": projected,
        }
        return wrappers[stabilisation.name](form)

    def acceleration(self, motion: Motion, t: Scalar, q: Quaternion, dq: Quaternion) -> Quaternion:
        unit, w, _ = self.attitude(q, dq)
        return self.form.solve(q, dq, motion.inertia, motion.load_at(t, unit, w)).ddq

    def attitude(self, x: Any, dx: Any) -> tuple[Quaternion, Vec3, Scalar]:
        norm = x.norm()
        return x / norm, body_rate(x, dx) / (norm * norm), norm

    def second_derivative(
        self, motion: Motion, t: Scalar, q: Quaternion, w: Vec3
    ) -> tuple[Quaternion, Scalar | None, Scalar | None]:
        dq = rate_from_body(q, w)
        return (
            self.form.solve(q, dq, motion.inertia, motion.load_at(t, q, w)).ddq,
            *self.multipliers(motion, t, q, dq),
        )

    def multipliers(
        self, motion: Motion, t: Scalar, q: Quaternion, dq: Quaternion
    ) -> tuple[Scalar | None, Scalar | None]:
        """The multiplier at any q and q̇, and its closed form there."""
        if self.form.closed_multiplier is None:
            return None, None
        unit, w, _ = self.attitude(q, dq)
        load = motion.load_at(t, unit, w)
        solved = self.form.solve(q, dq, motion.inertia, load)
        return solved.multiplier, self.form.closed_multiplier(q, dq, motion.inertia, load)


@dataclass(frozen=True)
class AngleForm(Formulation):
    """Lagrange's equations in three angles: M₂ q̈₂ + C₂ q̇₂ = Wᵀ τ."""

    convention: AngleConvention

    def renormalisation(self, wanted: str) -> str | None:
        return "none" if wanted == "none" else None

    def start(self, motion: Motion) -> tuple[Nested, Nested]:
        angles = self.convention.from_quaternion(motion.q_WB)
        # Where a turn by little more than the rounding of q reaches the singularity, there are no rates.
        if abs(self.convention.determinant(angles)) < NEAREST:
            other = _other_kind(self.convention)
            there = euler_angles.distance_from_singularity(other, other.from_quaternion(motion.q_WB))
            raise ArgumentError(
                f"form {self.name!r} cannot start at q0: there the angles {self.name!r} stand at their "
                "singularity, and no rates of the three give every angular velocity",
                do=f"leave {self.name!r} out of forms; or use {other.name!r}, whose angles are {there:.2f} rad from "
                "theirs there; or start at another attitude",
            )
        return angles, self.convention.inverse_body_rate_map(angles) @ motion.w_WB_B

    def system(self, motion: Motion, stabilisation: Stabilisation) -> System:
        def acceleration(t: Scalar, angles: Any, rates: Any) -> Vec3:
            q, w, _ = self.attitude(angles, rates)
            tau_B = torque_on_attitude(q, motion.load_at(t, q, w))
            _, tau2 = euler_angles.generalised_forces(self.convention, angles, Vec3.zero(), tau_B)
            return euler_angles.angle_accelerations(self.convention, motion.inertia, angles, rates, tau2)

        return System(LINEAR, acceleration)

    def attitude(self, x: Any, dx: Any) -> tuple[Quaternion, Vec3, Scalar]:
        return self.convention.to_quaternion(x), euler_angles.rate_map(self.convention, x) @ dx, 1.0

    def second_derivative(
        self, motion: Motion, t: Scalar, q: Quaternion, w: Vec3
    ) -> tuple[Quaternion, Scalar | None, Scalar | None]:
        angles = self.convention.from_quaternion(q)
        rates = self.convention.inverse_body_rate_map(angles) @ w
        accelerations = self.system(motion, Stabilisation("none")).acceleration(t, angles, rates)
        W = euler_angles.rate_map(self.convention, angles)
        dW = self.convention.body_rate_map_derivative(angles, rates)
        return second_derivative(q, w, W @ accelerations + dW @ rates), None, None

    def condition(self, x: Any) -> Scalar | None:
        return self.convention.condition_number(x)

    def is_regular(self, q: Quaternion) -> Any:
        return self.convention.condition_number(self.convention.from_quaternion(q)) < MOST_CONDITION


def second_derivative(q: Quaternion, w: Vec3, alpha: Vec3) -> Quaternion:
    """q̈ = ½ Lᵀ ω̇ − ¼ |ω|² q on the unit sphere."""
    return rate_from_body(q, alpha) - q * (w.norm_squared() / 4)


def _other_kind(convention: AngleConvention) -> AngleConvention:
    """Angles that are regular where these are not: with equal outer axes for different ones, and back."""
    first, second, third = tuple(convention.letters)
    (left,) = set("xyz") - {first.lower(), second.lower()}
    fresh = left.upper() if convention.is_intrinsic else left
    return AngleConvention(first + second + (fresh if first == third else first))


# ---- by name ----------------------------------------------------------------------------------------

_RATE_FORM = RateForm("newton_euler", "G(29)", "q, ω", "none")
NAMES = (_RATE_FORM.name, "unconstrained", *(name for name in FORMS if name != _RATE_FORM.name))
"""All but the angles, of which any convention is one."""

# With its frame at rest d12 is s39 over again.
DEFAULT = tuple(name for name in NAMES if name != "d12")


def formulation_of(name: object) -> Formulation:
    """By the name or an alias of a form, or the letters or the name of three angles, "ZYX" or "euler_angles:ZYX"."""
    if name in (_RATE_FORM.name, "g29"):
        return _RATE_FORM
    if name == "unconstrained":
        return _quaternion_form(FORMS["newton_euler"], "unconstrained")
    for form in FORMS.values():
        if name == form.name or name in form.aliases:
            return _quaternion_form(form, form.name)
    letters = name.removeprefix("euler_angles:") if isinstance(name, str) else ""
    if letters in NAMED or (len(letters) == 3 and set(letters.lower()) <= set("xyz")):
        return AngleForm(letters, "Y(98)", "angles", "none", AngleConvention(letters))
    raise ArgumentError(
        f"there is no form {name!r} of the equations of motion",
        do=f"choose among: {', '.join(NAMES)}; or three angles, by letters such as 'ZYX', 'ZXZ' or 'xyz', or by "
        f"one of the names {', '.join(sorted(NAMED))}",
    )


def _quaternion_form(form: Form, name: str) -> QuaternionForm:
    return QuaternionForm(name, form.equation, "q, q̇", form.multiplier, form)


def renormalisation_of(name: object) -> str:
    """The name, if there is such a renormalisation."""
    if isinstance(name, str) and name in RENORMALISATIONS:
        return name
    known = "; ".join(f"{key}, {words}" for key, words in RENORMALISATIONS.items())
    raise ArgumentError(f"there is no renormalisation {name!r}", do=f"choose among: {known}")
