"""What a run of one rigid body consists of: its equations with loads, and what is recorded of it.

A free body is carried by its centre of mass, whatever point is the origin of its frame, so that its linear
momentum is kept to rounding; a pinned one by its attitude alone. Both are shown by the origin's position and velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quatrain.compiler import structure
from quatrain.compiler.traced import is_scalar
from quatrain.control import Velocity, Wrench, takes
from quatrain.equations.rigid_body import Body
from quatrain.equations.stepping import FreeBody, RotatingBody, System, variational, variational_rotation
from quatrain.equations.stepping.first_integrals import keeping_momentum
from quatrain.equations.stepping.nested import Nested
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross, dot
from quatrain.run_checks import fitted
from quatrain.scalar import Scalar
from quatrain.simulation import POSE, Mechanism, Parameters, Stepper
from quatrain.trajectory import QUATERNION, VECTOR, Quantity

Load = Callable[..., Any] | Vec3
"""A constant, or a function of (t, attitude or pose, velocity), and of the parameters p if it takes four."""


@dataclass(frozen=True)
class Loads:
    """What acts on a body besides gravity and control."""

    torque: Load | None = None
    """(t, q_WB, w_WB_B) → torque about the origin, in the body."""
    force: Load | None = None
    """(t, X_WB, velocity) → force at the origin, in W."""
    gravity: Vec3 | None = None
    controlled: bool = False

    @property
    def is_nothing(self) -> bool:
        """Nothing but gravity acts."""
        return self.torque is None and self.force is None and not self.controlled

    def at(self, t: Scalar, X: Pose, velocity: Velocity, u: Wrench | None, p: Parameters) -> Wrench:
        f_W = _value(self.force, "force", (t, X, velocity), p)
        t_B = _value(self.torque, "torque", (t, X.q, velocity.w), p)
        return Wrench(f_W, t_B) if u is None else Wrench(f_W + u[0], t_B + u[1])


def _value(load: Load | None, name: str, arguments: tuple[Any, ...], p: Parameters) -> Vec3:
    if load is None:
        return Vec3.zero()
    if isinstance(load, Vec3):
        return load
    value = load(*arguments, p) if takes(load, 4) else load(*arguments)
    return fitted(structure.of_specification(Vec3, name), value, f"what the function {name}= returns")


BODY_PARAMETERS: Mapping[str, Any] = {"mass": float, "inertia": SymMat3, "com": Vec3, "gravity": Vec3}
"""What of a body may differ between the motions of a batch."""


def body_in(p: Parameters, body: Body) -> Body:
    return Body(p.get("mass", body.mass), p.get("com", body.p_BBcm), p.get("inertia", body.I_Bcm_B))


def read_wrench(answer: Any) -> Any:
    """A law's answer: a torque alone, or a pair of force and torque."""
    if isinstance(answer, tuple) and len(answer) == 2 and not any(is_scalar(part) for part in answer):
        return answer
    return (Vec3.zero(), answer)


# ---- what is recorded --------------------------------------------------------------------------------


def quantities(loads: Loads, *, pinned: bool) -> tuple[Quantity, ...]:
    alone, weightless = loads.is_nothing, loads.gravity is None
    about = "about the fixed point" if pinned else "about the centre of mass"
    found = [
        Quantity("q", "", "of B in W", QUATERNION, "quaternion"),
        Quantity("w", "rad/s", "of B in W, in B", VECTOR),
        Quantity("p", "m", "of B's origin, in W", VECTOR),
        Quantity("v", "m/s", "of B's origin, in W", VECTOR),
        Quantity("energy", "J", "", (), "energy", alone),
        Quantity(
            "linear_momentum", "kg m/s", "in W", VECTOR, "momentum", alone and weightless and not pinned
        ),
        Quantity(
            "angular_momentum",
            "kg m²/s",
            f"{about}, in W",
            VECTOR,
            "momentum",
            alone and (weightless or not pinned),
        ),
    ]
    if loads.controlled:
        found.append(Quantity("control_force", "N", "at B's origin, in W", VECTOR))
        found.append(Quantity("control_torque", "N m", "about B's origin, in B", VECTOR))
    return tuple(found)


def _observed(
    body: Body, q: Quaternion, p_cm: Vec3, v_cm: Vec3, w: Vec3, H_W: Vec3, gravity: Vec3, u: Wrench | None
) -> dict[str, Nested]:
    """Of a motion that is known by its centre of mass, and its angular momentum H."""
    X, velocity = _at_origin(body, q, p_cm, v_cm, w)
    kinetic = (v_cm.norm_squared() * body.mass + body.I_Bcm_B.quadratic_form(w)) / 2
    found = {
        "q": q,
        "w": w,
        "p": X.p,
        "v": velocity.v,
        "energy": kinetic - dot(gravity, p_cm) * body.mass,
        "linear_momentum": v_cm * body.mass,
        "angular_momentum": H_W,
    }
    if u is not None:
        found |= {"control_force": u[0], "control_torque": u[1]}
    return found


def _at_origin(body: Body, q: Quaternion, p_cm: Vec3, v_cm: Vec3, w: Vec3) -> tuple[Pose, Velocity]:
    """p = p_cm − R c, v = v_cm − R (ω × c)."""
    c = body.p_BBcm
    return Pose(q, p_cm - q.rotate(c)), Velocity(v_cm - q.rotate(cross(w, c)), w)


# ---- the two mechanisms ------------------------------------------------------------------------------


def free_mechanism(body: Body, loads: Loads, vary: tuple[str, ...], *, keep_momentum: bool) -> Mechanism:
    """q: the pose of the centre of mass, v: its velocity and ω. With `keep_momentum` q holds H_W as well."""

    def shown(q: Nested, v: Nested, p: Parameters) -> tuple[Pose, Velocity]:
        X = q[0] if keep_momentum else q
        return _at_origin(body_in(p, body), X.q, X.p, v[0], v[1])

    def free(u: Nested, p: Parameters) -> FreeBody:
        this, g = body_in(p, body), _gravity(loads, p)

        def wrench(t: Scalar, X: Pose, v: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
            """About the centre of mass: τ − c × Rᵀf."""
            seen = _at_origin(this, X.q, X.p, v[0], v[1])
            f_W, t_B = loads.at(t, *seen, u, p)
            return f_W + g * this.mass, t_B - cross(this.p_BBcm, X.q.inverse_rotate(f_W))

        return FreeBody(Body(this.mass, Vec3.zero(), this.I_Bcm_B), wrench)

    def system(u: Nested, p: Parameters) -> System:
        made = free(u, p).system()
        return keeping_momentum(made, body_in(p, body).I_Bcm_B) if keep_momentum else made

    def step(u: Nested, p: Parameters) -> Stepper:
        corrections = 0 if loads.is_nothing else 1
        return lambda system, t, q, v, h: variational(free(u, p), t, q, v, h, corrections=corrections)

    def observe(t: Scalar, q: Nested, v: Nested, u: Nested, p: Parameters) -> dict[str, Nested]:
        X, this = (q[0] if keep_momentum else q), body_in(p, body)
        H_W = X.q.rotate(this.I_Bcm_B @ v[1])
        return _observed(this, X.q, X.p, v[0], v[1], H_W, _gravity(loads, p), u)

    return _mechanism("free rigid body", (POSE, Vec3) if keep_momentum else POSE, (Vec3, Vec3), loads, vary)(
        system=system,
        observe=observe,
        steppers={"variational": step},
        seen=shown,
        quantities=quantities(loads, pinned=False),
    )


def pinned_mechanism(
    body: Body, p_BQ: Vec3, loads: Loads, vary: tuple[str, ...], *, keep_momentum: bool
) -> Mechanism:
    """A body that turns about its point Q, which rests in W's origin. q: its attitude, v: ω."""

    def shown(q: Nested, w: Vec3, p: Parameters) -> tuple[Pose, Velocity]:
        attitude = q[0] if keep_momentum else q
        return Pose(attitude, -attitude.rotate(p_BQ)), Velocity(-attitude.rotate(cross(w, p_BQ)), w)

    def rotating(u: Nested, p: Parameters) -> RotatingBody:
        this, g = body_in(p, body), _gravity(loads, p)
        arm = this.p_BBcm - p_BQ

        def torque(t: Scalar, q: Quaternion, w: Vec3) -> Vec3:
            """About Q: τ − p_BQ × Rᵀf + (c − p_BQ) × Rᵀ m g."""
            seen = Pose(q, -q.rotate(p_BQ)), Velocity(-q.rotate(cross(w, p_BQ)), w)
            f_W, t_B = loads.at(t, *seen, u, p)
            weight_B = q.inverse_rotate(g * this.mass)
            return t_B - cross(p_BQ, q.inverse_rotate(f_W)) + cross(arm, weight_B)

        return RotatingBody(this.inertia_about(p_BQ), torque)

    def system(u: Nested, p: Parameters) -> System:
        made = rotating(u, p)
        return keeping_momentum(made.system(), made.inertia) if keep_momentum else made.system()

    def step(u: Nested, p: Parameters) -> Stepper:
        corrections = 0 if loads.is_nothing else 1
        return lambda system, t, q, v, h: variational_rotation(
            rotating(u, p), t, q, v, h, corrections=corrections
        )

    def observe(t: Scalar, q: Nested, w: Vec3, u: Nested, p: Parameters) -> dict[str, Nested]:
        attitude, this = (q[0] if keep_momentum else q), body_in(p, body)
        arm = this.p_BBcm - p_BQ
        p_cm, v_cm = attitude.rotate(arm), attitude.rotate(cross(w, arm))
        H_W = attitude.rotate(this.inertia_about(p_BQ) @ w)
        return _observed(this, attitude, p_cm, v_cm, w, H_W, _gravity(loads, p), u)

    return _mechanism(
        "pinned rigid body", (Quaternion, Vec3) if keep_momentum else Quaternion, Vec3, loads, vary
    )(
        system=system,
        observe=observe,
        steppers={"variational": step},
        seen=shown,
        quantities=quantities(loads, pinned=True),
    )


def _gravity(loads: Loads, p: Parameters) -> Vec3:
    return p.get("gravity", loads.gravity or Vec3.zero())


def _mechanism(name: str, q: Any, v: Any, loads: Loads, vary: tuple[str, ...]) -> Callable[..., Mechanism]:
    def made(**rest: Any) -> Mechanism:
        return Mechanism(
            name=name,
            q=q,
            v=v,
            input=(Vec3, Vec3) if loads.controlled else None,
            read_input=read_wrench,
            parameters={key: BODY_PARAMETERS[key] for key in vary},
            **rest,
        )

    return made
