"""Laws that know the machine's equations: gravity compensation, computed torque, PD+, operational space.

They are of the model that they are given: where a run varies a mass, the law still believes in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from quatrain.control import Control
from quatrain.equations import dynamics
from quatrain.equations.forces.numbers import given
from quatrain.equations.kinematics import Moving
from quatrain.equations.mass_matrix_inverse import Factors
from quatrain.equations.tables import Table
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.laws.targets import Driven, Gains, Target, aim_of, bounded, bounds_of, model_of
from quatrain.model import Model
from quatrain.scalar import Scalar


def gravity_compensation(robot: Any, *, damping: Gains = 0.0, limit: Any = None, every: int = 1) -> Control:
    """τ = g(q) − D v: the machine floats where it is put. A free joint gets no force."""
    model = model_of(robot)
    driven = Driven(model, "gravity_compensation")
    D, bounds, own = driven.numbers(damping, "damping"), bounds_of(driven, limit), set(driven.places)

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        g = dynamics.gravity_force(model, q)
        tau = [g[k] - given(p, D[k]) * v[k] if k in own else 0.0 for k in range(model.nv)]
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def computed_torque(
    robot: Any, stiffness: Gains, damping: Gains, target: Target, *, limit: Any = None, every: int = 1
) -> Control:
    """τ = M (a_d + K e + D ė) + C v + g: of an exact model the errors obey ë + D ė + K e = 0, each by itself.

    Gains are per second squared and per second. e = q_d ⊖ q.
    """
    model = _driven_throughout(robot, "computed_torque")
    driven = Driven(model, "computed_torque")
    K, D = driven.numbers(stiffness, "stiffness"), driven.numbers(damping, "damping")
    aim, bounds = aim_of(driven, target), bounds_of(driven, limit)

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        q_d, v_d, a_d = aim(t)
        error = dynamics.difference(model, q, q_d)
        a = [a_d[k] + given(p, K[k]) * error[k] + given(p, D[k]) * (v_d[k] - v[k]) for k in range(model.nv)]
        return bounded(dynamics.inverse_dynamics(model, q, v, a), bounds, p)

    return Control(law, every=every)


def pd_plus(
    robot: Any, stiffness: Gains, damping: Gains, target: Target, *, limit: Any = None, every: int = 1
) -> Control:
    """τ = M a_d + C(q, v) v_d + g + K e + D ė: passive, as Ṁ − 2C is skew.

    With V = ½ ėᵀ M ė + ½ eᵀ K e there is V̇ = −ėᵀ D ė, whatever the motion, where coordinates are angles and lengths.
    B. Paden, R. Panja, Globally asymptotically stable 'PD+' controller for robot manipulators, Int. J. Control 47
    (1988) 1697.
    """
    model = _driven_throughout(robot, "pd_plus")
    driven = Driven(model, "pd_plus")
    K, D = driven.numbers(stiffness, "stiffness"), driven.numbers(damping, "damping")
    aim, bounds = aim_of(driven, target), bounds_of(driven, limit)

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        q_d, v_d, a_d = aim(t)
        error = dynamics.difference(model, q, q_d)
        # M a_d + g from one recursion at rest; C v_d apart.
        tau = dynamics.inverse_dynamics(model, q, [0.0] * model.nv, a_d)
        for k, row in enumerate(dynamics.coriolis_matrix(model, q, v)):
            carried = sum((entry * rate for entry, rate in zip(row, v_d, strict=True)), 0.0)
            tau[k] = tau[k] + carried + given(p, K[k]) * error[k] + given(p, D[k]) * (v_d[k] - v[k])
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def operational_space(
    robot: Any,
    frame: str,
    stiffness: float | str,
    damping: float | str,
    *,
    position: Any,
    attitude: Any = None,
    posture: Target | None = None,
    posture_gains: tuple[Gains, Gains] = (0.0, 1.0),
    regularisation: float = 0.0,
    limit: Any = None,
    every: int = 1,
) -> Control:
    """τ = h + τ₀ + Jᵀ Λ (ẍ* − J̇ v − J M⁻¹ τ₀), Λ = (J M⁻¹ Jᵀ + ε)⁻¹: of an exact model the frame obeys
    ẍ = ẍ* = ẍ_d + D (ẋ_d − ẋ) + K (x_d − x), and τ₀ = K₀ (q₀ ⊖ q) − D₀ v moves only what the frame leaves free.

    `position`: three numbers, a `Table` of three columns, or a function of time that gives p, (p, v) or (p, v, a).
    `attitude`: a quaternion or a function of time that gives one, or (q, w); without it the frame may turn.
    ε, the `regularisation`, keeps Λ finite near singular configurations, where the frame then lags.
    O. Khatib, A unified approach for motion and force control, IEEE J. Robotics Automation 3 (1987) 43.
    """
    model = _driven_throughout(robot, "operational_space")
    model.frame(frame)
    driven = Driven(model, "operational_space")
    K0 = driven.numbers(posture_gains[0], "posture_gains")
    D0 = driven.numbers(posture_gains[1], "posture_gains")
    place, turned = _place_of(position), None if attitude is None else _attitude_of(attitude)
    rows = 3 if turned is None else 6
    aim, bounds = (
        None if posture is None else aim_of(driven, posture),
        bounds_of(driven, limit),
    )

    def law(t: Scalar, q: Any, v: Any, x: Any, p: Any) -> list[Scalar]:
        k, d = given(p, stiffness), given(p, damping)
        moving = Moving.of(model, q, v)
        here, there = moving.place(model, frame), place(t)
        linear, angular = moving.velocity(model, frame, Vec3(0.0, 0.0, 0.0))
        wanted = [*(there[2] + (there[1] - linear) * d + (there[0] - here.p) * k)]
        if turned is not None:
            (q_d, w_d), q_WF = turned(t), dynamics.pose(model, q, frame, "world")[1]
            wanted += [*((w_d - angular) * d + (q_d @ q_WF.conjugate()).to_rotation_vector() * k)]
        away = dynamics.difference(model, q, aim(t)[0]) if aim is not None else [0.0] * model.nv
        tau0 = [given(p, K0[i]) * away[i] - given(p, D0[i]) * v[i] for i in range(model.nv)]
        J = dynamics.jacobian(model, q, frame)[:rows]
        bias = [y for part in dynamics.bias_acceleration(model, q, v, frame) for y in part]
        Minv = dynamics.mass_matrix_inverse(model, q)
        MinvJ = [[_dot(row, column) for column in Minv] for row in J]  # J M⁻¹, M⁻¹ being symmetric
        short = [a - b - _dot(row, tau0) for a, b, row in zip(wanted, bias, MinvJ, strict=False)]
        inverse = [
            [_dot(a, b) + (regularisation if i == j else 0.0) for j, b in enumerate(J)]
            for i, a in enumerate(MinvJ)
        ]
        F = Factors.of(inverse, [list(range(i)) for i in range(rows)]).solve(short)
        h = dynamics.bias_force(model, q, v)
        tau = [h[i] + tau0[i] + sum((J[r][i] * F[r] for r in range(rows)), 0.0) for i in range(model.nv)]
        return bounded(tau, bounds, p)

    return Control(law, every=every)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def _driven_throughout(robot: Any, law: str) -> Model:
    model = model_of(robot)
    free = [body.joint.name for body in model.bodies if body.joint.kind == "free"]
    if free:
        raise ArgumentError(
            f"{law} needs a force for every velocity, and joint {free[0]!r} of {model.name} is free",
            do="use pd with gravity=True for a machine that stands on contact, or a model with a fixed base",
        )
    return model


# ---- where the frame is to be --------------------------------------------------------------------------------


def _place_of(position: Any) -> Callable[[Scalar], tuple[Vec3, Vec3, Vec3]]:
    rest = Vec3(0.0, 0.0, 0.0)
    if isinstance(position, Table):
        if position.size != 3:
            raise ArgumentError(
                f"position of operational_space is a table of {position.size} columns", do="give x, y and z"
            )
        return lambda t: (Vec3(*position(t)), Vec3(*position.rate(t)), Vec3(*position.acceleration(t)))
    if not callable(position):
        fixed = _vector(position)
        return lambda t: (fixed, rest, rest)

    def at(t: Scalar) -> tuple[Vec3, Vec3, Vec3]:
        found = position(t)
        several = isinstance(found, tuple) and len(found) <= 3 and all(hasattr(x, "__iter__") for x in found)
        p, v, a = (*(_vector(x) for x in (found if several else (found,))), rest, rest)[:3]
        return p, v, a

    return at


def _vector(values: Any) -> Vec3:
    try:
        entries = tuple(values)
    except TypeError:
        entries = ()
    if len(entries) != 3:
        raise ArgumentError(
            f"position of operational_space is {values!r}",
            do="give three numbers, a Table of three columns, or a function of time",
        )
    return Vec3(*(x.item() if hasattr(x, "item") and hasattr(x, "dtype") else x for x in entries))


def _attitude_of(attitude: Any) -> Callable[[Scalar], tuple[Quaternion, Vec3]]:
    rest = Vec3(0.0, 0.0, 0.0)
    if callable(attitude):

        def at(t: Scalar) -> tuple[Quaternion, Vec3]:
            found = attitude(t)
            return found if isinstance(found, tuple) else (_quaternion(found), rest)

        return at
    fixed = _quaternion(attitude)
    return lambda t: (fixed, rest)


def _quaternion(value: Any) -> Quaternion:
    if isinstance(value, Quaternion):
        return value
    entries = tuple(value) if hasattr(value, "__iter__") else ()
    if len(entries) != 4:
        raise ArgumentError(
            f"attitude of operational_space is {value!r}",
            do="give a Quaternion, or four numbers (w, x, y, z)",
        )
    return Quaternion(*(float(x) for x in entries))
