"""What is compared on: a body, its start, what acts on it, and what of its motion must stay the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from quatrain.equations.euler_parameter_loads import Load, torque_on_attitude
from quatrain.equations.rigid_body import Body
from quatrain.equations.stepping.bodies import RotatingBody, Torque
from quatrain.errors import ArgumentError, require
from quatrain.geometry import Quaternion, SymMat3, Vec3, dot
from quatrain.scalar import Scalar

Potential = Callable[[Quaternion], Scalar]
"""q_WB → potential energy of the torque. [J]"""

UNIT = 1e-9
"""By how much the norm of a quaternion that is given may miss one."""


@dataclass(frozen=True)
class Motion:
    """The turning of a body about its centre of mass."""

    inertia: SymMat3
    """About the centre of mass, in B. [kg m²]"""
    q_WB: Quaternion
    w_WB_B: Vec3
    duration: float
    load: Load = field(default_factory=Load)
    """A couple constant in the body, and forces constant in space at points of the body."""
    torque: Torque | None = None
    """Besides; asked with the attitude q/|q| and its rate."""
    potential: Potential | None = None
    """Of `torque`."""

    @property
    def is_free(self) -> bool:
        return self.torque is None and not self.load.forces and not any(self.load.couple_B)

    @property
    def keeps_energy(self) -> bool:
        """Whether everything that acts has a potential that is known here."""
        return not any(self.load.couple_B) and (self.torque is None or self.potential is not None)

    def load_at(self, t: Scalar, q: Quaternion, w: Vec3) -> Load:
        """Everything that acts, with the torque as a couple; q and ω are those of a rotation."""
        if self.torque is None:
            return self.load
        return Load(self.load.couple_B + self.torque(t, q, w), self.load.forces)

    def rotating_body(self) -> RotatingBody:
        def torque(t: Scalar, q: Quaternion, w: Vec3) -> Vec3:
            unit = q / q.norm()
            return torque_on_attitude(unit, self.load_at(t, unit, w))

        return RotatingBody(self.inertia) if self.is_free else RotatingBody(self.inertia, torque)

    def kinetic_energy(self, w: Vec3) -> Scalar:
        return self.inertia.quadratic_form(w) / 2

    def energy(self, q: Quaternion, w: Vec3) -> Scalar:
        """½ ωᵀ J ω − Σ fᵀ R u, and the potential of the torque."""
        total = self.kinetic_energy(w)
        for f_W, u_B in self.load.forces:
            total = total - dot(f_W, q.rotate(u_B))
        return total if self.potential is None else total + self.potential(q)

    def momentum(self, q: Quaternion, w: Vec3) -> Vec3:
        """R J ω, in W."""
        return q.rotate(self.inertia @ w)


def motion_of(
    body: object,
    q_WB: object,
    w_WB_B: object,
    duration: float,
    load: Load | None,
    torque: Torque | None,
    potential: Potential | None,
) -> Motion:
    """From what a user gives: numbers are checked, sequences become vectors."""
    if load is not None:
        require(load, Load, "load")
        if load.frame is not None:
            raise ArgumentError(
                "load has a moving frame, and runs are compared in an inertial one",
                do="give a Load without frame, and q_WB relative to an inertial frame",
            )
    if potential is not None and torque is None:
        raise ArgumentError(
            "a potential is given without the torque that belongs to it",
            do="give torque= as well; forces of load= have their own potential",
        )
    refuse_unless_positive(duration, "duration")
    start = Motion(
        _inertia(body),
        _unit_quaternion(q_WB),
        _vector(w_WB_B, "w0"),
        float(duration),
        load or Load(),
        torque,
        potential,
    )
    if start.is_free and not any(start.w_WB_B):
        raise ArgumentError(
            "the body is at rest and nothing acts on it", do="give w0 other than zero, or a load= or torque="
        )
    return start


def _inertia(body: object) -> SymMat3:
    # A user's body wraps one of the equations.
    inner = getattr(body, "body", body)
    if isinstance(inner, Body):
        inner = inner.I_Bcm_B
    if not isinstance(inner, SymMat3):
        raise ArgumentError(
            f"body is of type {type(body).__name__}; this needs a rigid body or an inertia",
            do="pass a RigidBody(…), or a SymMat3 of its inertia about the centre of mass",
        )
    return SymMat3(*(float(entry) for entry in inner))


def _vector(value: object, name: str) -> Vec3:
    vector = value if isinstance(value, Vec3) else Vec3.from_array(value, name=name)
    return Vec3(*_floats(vector, name))


def _unit_quaternion(value: object) -> Quaternion:
    given = value if isinstance(value, Quaternion) else Quaternion.from_array(value, name="q0")
    q = Quaternion(*_floats(given, "q0"))
    norm = q.norm()
    if not abs(norm - 1) < UNIT:
        raise ArgumentError(f"q0 has the norm {norm:.9g}, not 1", do="pass q0.normalised()")
    return q / norm


def _floats(parts: object, name: str) -> list[float]:
    try:
        return [float(x) for x in parts]  # type: ignore[attr-defined]
    except TypeError:
        raise ArgumentError(
            f"{name} holds more than one state", do="compare one motion at a time: pass one state"
        ) from None


def refuse_unless_positive(value: float, name: str) -> None:
    if not (isinstance(value, (int, float)) and 0 < value < float("inf")):
        raise ArgumentError(
            f"{name} is {value!r}, not a positive number of seconds", do=f"give {name} in seconds"
        )
