"""The equations of rotation of one body in a form chosen by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from quatrain.equations.euler_angles import angle_accelerations, rate_map
from quatrain.equations.euler_parameter_forms import FORMS, Form, form_of
from quatrain.equations.euler_parameter_loads import Load
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Quaternion, SymMat3, Vec3, cross
from quatrain.rotations import AngleConvention
from quatrain.scalar import Scalar

Force = tuple[Vec3, Vec3]
"""A force [N] in W, and from the centre of mass (or the fixed point) where it acts [m], in B."""


@dataclass(frozen=True)
class Accelerated:
    """What a form is solved for: ω̇, angle accelerations or q̈; and its multiplier, None where it has none."""

    acceleration: Any
    multiplier: Scalar | None = None


@dataclass(frozen=True)
class BodyEquations:
    """One form of the equations: call it with position, velocity and loads for the acceleration.

    `equations(position, velocity, torque, forces=[(f_W, r_B), …])`; `position_is` and `velocity_is` say what
    those are. The torque is in B. Any scalars will do: floats, columns, symbols, traced values.
    """

    form: str
    equation: str
    formula: str
    position_is: str
    velocity_is: str
    acceleration_is: str
    solve: Callable[[Any, Any, Vec3, tuple[Force, ...]], Accelerated]

    def __call__(
        self, position: Any, velocity: Any, torque: Vec3 | None = None, *, forces: Iterable[Force] = ()
    ) -> Accelerated:
        return self.solve(position, velocity, Vec3.zero() if torque is None else torque, tuple(forces))

    def __str__(self) -> str:
        return (
            f"{self.form}, {self.equation}: {self.formula}\n"
            f"  position: {self.position_is}; velocity: {self.velocity_is}; gives {self.acceleration_is}"
        )


def equations_of(form: str, J: SymMat3) -> BodyEquations:
    """The form of that name, for the inertia about the centre of mass or about a fixed point."""
    require(form, str, "form")
    if form == "newton_euler":
        return _newton_euler(J)
    if form.startswith("euler_angles"):
        return _in_angles(form, J)
    try:
        return _in_euler_parameters(form_of(form), J)
    except ArgumentError:
        known = ", ".join(name for name in FORMS if name != "newton_euler")
        raise ArgumentError(
            f"there is no form {form!r} of the equations of motion",
            do=f"choose 'newton_euler', 'euler_angles:ZYX' with any convention, 'g29' or one of: {known}",
        ) from None


def _with_forces(q: Quaternion, torque: Vec3, forces: tuple[Force, ...]) -> Vec3:
    require(torque, Vec3, "the torque")
    for f_W, r_B in forces:
        torque = torque + cross(r_B, q.inverse_rotate(f_W))
    return torque


def _newton_euler(J: SymMat3) -> BodyEquations:
    inverse = J.inverse()

    def solve(q: Quaternion, w: Vec3, torque: Vec3, forces: tuple[Force, ...]) -> Accelerated:
        require(w, Vec3, "the velocity, w_WB_B,")
        return Accelerated(inverse @ (_with_forces(q, torque, forces) - cross(w, J @ w)))

    return BodyEquations(
        "newton_euler", "Y(81), G(29)", "J ω̇ = τ − ω × J ω", "q_WB", "w_WB_B", "ω̇ in B [rad/s²]", solve
    )


def _in_angles(form: str, J: SymMat3) -> BodyEquations:
    _, colon, name = form.partition(":")
    if not colon:
        raise ArgumentError(
            "the form 'euler_angles' needs a convention", do="write for example 'euler_angles:ZYX'"
        )
    convention = AngleConvention(name)

    def solve(angles: Vec3, rates: Vec3, torque: Vec3, forces: tuple[Force, ...]) -> Accelerated:
        q = convention.to_quaternion(angles)
        tau2 = rate_map(convention, angles).T @ _with_forces(q, torque, forces)
        return Accelerated(angle_accelerations(convention, J, angles, rates, tau2))

    return BodyEquations(
        form,
        "Y(98)",
        "M₂ q̈₂ + C₂ q̇₂ = τ₂",
        f"angles {convention.letters} [rad]",
        "their rates",
        "their accelerations [rad/s²]",
        solve,
    )


def _in_euler_parameters(form: Form, J: SymMat3) -> BodyEquations:
    def solve(q: Quaternion, dq: Quaternion, torque: Vec3, forces: tuple[Force, ...]) -> Accelerated:
        require(q, Quaternion, "the position, q_WB,")
        require(dq, Quaternion, "the velocity, q̇,")
        require(torque, Vec3, "the torque")
        found = form.solve(q, dq, J, Load(torque, forces))
        return Accelerated(found.ddq, found.multiplier)

    return BodyEquations(form.name, form.equation, form.formula, "q_WB", "q̇", "q̈ and λ", solve)
