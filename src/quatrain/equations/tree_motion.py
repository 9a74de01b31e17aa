"""A tree of bodies as a system that any stepper moves: where it can be, and its acceleration under forces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from quatrain.equations import joints
from quatrain.equations.forward_dynamics import forward_dynamics
from quatrain.equations.inverse_dynamics import Wrench
from quatrain.equations.kinematics import Moving, frame_pose, frame_velocity
from quatrain.equations.passive_forces import SLIP, passive_force
from quatrain.equations.stepping.nested import added, scaled
from quatrain.equations.stepping.system import Space, System, rotation_cayley, unit
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, Quaternion, Vec3, cross
from quatrain.joint import Joint
from quatrain.model import Model
from quatrain.scalar import Scalar, sqrt

Numbers: TypeAlias = tuple[Scalar, ...]


def tree_space(model: Model) -> Space:
    """q (nq) and v (nv) as tuples: a product of lines and of rotations."""
    tree = Tree.of(model)
    balls = [segment for segment in tree.segments if segment.kind == "ball"]

    def project(q: Numbers, v: Numbers) -> tuple[Numbers, Numbers]:
        near = list(q)
        for ball in balls:
            near[ball.q : ball.q + 4] = unit(Quaternion(*q[ball.q : ball.q + 4]))
        return tuple(near), v

    def bracket(u: Numbers, v: Numbers) -> Numbers:
        found: list[Scalar] = [0.0] * tree.nv
        for ball in balls:
            own = slice(ball.v, ball.v + 3)
            found[own] = cross(Vec3(*u[own]), Vec3(*v[own]))
        return tuple(found)

    def cayley(delta: Numbers) -> Numbers:
        found = list(delta)
        for ball in balls:
            own = slice(ball.v, ball.v + 3)
            found[own] = rotation_cayley(Vec3(*delta[own]))
        return tuple(found)

    return Space(
        advance=lambda q, delta: tuple(joints.integrate(tree, q, delta, 1.0)),
        rate=lambda q, v: tuple(joints.coordinate_rates(tree, q, v)),
        project=project,
        bracket=bracket,
        cayley=cayley,
    )


# ---- what acts -------------------------------------------------------------------------------------------


class Named(tuple[Scalar, ...]):
    """Numbers that answer to an index and to the name of a coordinate or of a joint: `q[2]`, `q["elbow"]`.

    They are added to as many others, and multiplied by a number, entry by entry: `-10 * q - v` is a law.
    """

    places: Mapping[str, int | slice]

    @classmethod
    def of(cls, values: Iterable[Scalar], places: Mapping[str, int | slice]) -> Named:
        made = cls(values)
        made.places = places
        return made

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.places:
            known = list(self.places)
            near = [name for name in known if key.lower() in name.lower()] or known
            raise ArgumentError(f"there is no coordinate {key!r}", do=f"name one of {', '.join(near[:8])}")
        return super().__getitem__(self.places[key])

    def __add__(self, other: Any) -> Named:
        return Named.of((a + b for a, b in self._pairs(other)), self.places)

    def __sub__(self, other: Any) -> Named:
        return Named.of((a - b for a, b in self._pairs(other)), self.places)

    def __mul__(self, other: Any) -> Named:
        return Named.of((a * b for a, b in self._pairs(other)), self.places)

    def __truediv__(self, other: Any) -> Named:
        return Named.of((a / b for a, b in self._pairs(other)), self.places)

    def __neg__(self) -> Named:
        return self * -1.0

    def __radd__(self, other: Any) -> Named:
        return self + other

    def __rsub__(self, other: Any) -> Named:
        return -self + other

    def __rmul__(self, other: Any) -> Named:
        return self * other

    def _pairs(self, other: Any) -> Iterable[tuple[Scalar, Scalar]]:
        """Each entry with one of a sequence, or with a number."""
        others = other if hasattr(other, "__len__") else [other] * len(self)
        if len(others) != len(self):
            raise ArgumentError(
                f"{len(self)} numbers are combined with {len(others)}",
                do="take entries by index or by name: q[2], v['elbow']; q and v of a ball differ in length",
            )
        return zip(self, others, strict=True)


def places_of(model: Model) -> tuple[Mapping[str, int | slice], Mapping[str, int | slice]]:
    """Of the entries of q and of v, and of the joints there."""
    return (
        _places(model, model.q_names, model.q_starts, [body.joint.nq for body in model.bodies]),
        _places(model, model.v_names, model.v_starts, [body.joint.nv for body in model.bodies]),
    )


def _places(
    model: Model, names: Sequence[str], starts: Sequence[int], counts: Sequence[int]
) -> dict[str, int | slice]:
    found: dict[str, int | slice] = {name: k for k, name in enumerate(names)}
    for body, start, count in zip(model.bodies, starts, counts, strict=True):
        if count not in (0, 1):
            found.setdefault(body.joint.name, slice(start, start + count))
    return found


@dataclass(frozen=True)
class State:
    """What a force, a sensor or an event sees of a moving tree."""

    model: Model
    t: Scalar
    q: Named
    v: Named
    p: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the run by name."""
    tau: Numbers | None = None
    """Joint forces of the control law, where there is one."""
    loads: Loads | None = None
    """All that acts, where it is known: what is recorded of a run may ask for accelerations and reactions."""

    @cached_property
    def pushed(self) -> tuple[list[Scalar], dict[str, Wrench]]:
        """Joint forces and wrenches at frames, of all that acts."""
        if self.loads is None:
            raise ArgumentError(
                "a state was asked for its accelerations, and what acts on it is not known",
                do="record what needs them, or give the state its loads: State(…, tau=…, loads=Loads(forces))",
            )
        return self.loads.at(self)

    @cached_property
    def acceleration(self) -> Numbers:
        """Of the joints, under all that acts."""
        return tuple(forward_dynamics(self.model, self.q, self.v, *self.pushed))

    @cached_property
    def moving(self) -> Moving:
        """Of all bodies at once, for those who ask for many places."""
        return Moving.of(self.model, self.q, self.v)

    def pose(self, frame: str, relative_to: str = "world") -> Pose:
        """X of a frame, seen from another."""
        return frame_pose(self.model, self.q, frame, relative_to)

    def velocity(self, frame: str, axes: str = "world") -> tuple[Vec3, Vec3]:
        """Of the frame's origin, and its angular velocity."""
        return frame_velocity(self.model, self.q, self.v, frame, axes=axes)


Push: TypeAlias = Mapping[str, Wrench] | Sequence[Scalar]
"""What a force gives: by frame, force at its origin and torque, in world axes; or nv joint forces."""

Force: TypeAlias = Callable[[State], Push]


@dataclass(frozen=True)
class Loads:
    """All that acts in a tree besides gravity and control."""

    forces: tuple[Force, ...] = ()
    passive: bool = True
    """Springs, damping and friction of the joints themselves."""

    def at(self, state: State) -> tuple[list[Scalar], dict[str, Wrench]]:
        """Joint forces with those of control, and wrenches at frames."""
        model = state.model
        tau = list(state.tau) if state.tau is not None else [0.0] * model.nv
        if self.passive:
            tau = list(added(tuple(tau), tuple(passive_force(model, state.q, state.v))))
        wrenches: dict[str, Wrench] = {}
        for force in self.forces:
            found = force(state)
            if isinstance(found, Mapping):
                for frame, (f, t) in found.items():
                    f0, t0 = wrenches.get(frame, (Vec3.zero(), Vec3.zero()))
                    wrenches[frame] = (f0 + f, t0 + t)
            else:
                tau = list(added(tuple(tau), _joint_forces(force, found, model.nv)))
        return tau, wrenches


def _joint_forces(force: Force, found: Any, nv: int) -> Numbers:
    name = getattr(force, "__name__", type(force).__name__)
    try:
        values = tuple(found)
    except TypeError:
        values = ()
    if len(values) != nv:
        came = f"{len(values)} numbers" if values else f"a {type(found).__name__}"
        raise ArgumentError(
            f"the force {name} gives {came}",
            do=f"return {nv} joint forces, or a dict {{frame: (force, torque)}} of vectors in world axes",
        )
    return values


def tree_system(model: Model, loads: Loads, tau: Numbers | None, p: Mapping[str, Any]) -> System:
    """M a + C v + g = tau + passive forces + Σ forces."""
    at_q, at_v = places_of(model)

    def acceleration(t: Scalar, q: Numbers, v: Numbers) -> Numbers:
        state = State(model, t, Named.of(q, at_q), Named.of(v, at_v), p, tau)
        return tuple(forward_dynamics(model, q, v, *loads.at(state)))

    return System(tree_space(model), acceleration)


# ---- a stepper of their own ------------------------------------------------------------------------------


def linearly_implicit_euler(
    model: Model, loads: Loads, tau: Numbers | None, p: Mapping[str, Any]
) -> Callable[[System, Scalar, Numbers, Numbers, Scalar], tuple[Numbers, Numbers]]:
    """Semi-implicit Euler that takes springs, damping and friction of the joints at the end of the step, linearised:

        (M + h D + h² K) a = tau + J'f − c − g − K (q ⊕ h v − rest) − D v − F(v)

    They stand in the diagonal of M as rotors do, so stiff joints take no smaller steps. Order 1. D holds the slope of
    the friction F(v) too; the spring of a ball is taken at its place now and with the slope of a small turn. Forces
    that have a method `slopes(state)`, which gives (K, D) for each velocity, are taken likewise.
    """
    at_q, at_v = places_of(model)
    stiff = [force for force in loads.forces if callable(getattr(force, "slopes", None))]
    explicit = Loads(tuple(force for force in loads.forces if force not in stiff), passive=False)
    relaxed = any(_acts(body.joint) for body in model.bodies)

    def step(system: System, t: Scalar, q: Numbers, v: Numbers, h: Scalar) -> tuple[Numbers, Numbers]:
        state = State(model, t, Named.of(q, at_q), Named.of(v, at_v), p, tau)
        forces, wrenches = explicit.at(state)
        heavier = model
        ahead = system.space.advance(q, scaled(v, h))
        if loads.passive and relaxed:
            passive = passive_force(model, ahead, v)
            forces = [a + b for a, b in zip(forces, passive, strict=True)]
            heavier = _with_slopes(model, v, h)
        there = State(model, t, Named.of(ahead, at_q), Named.of(v, at_v), p, tau)
        for force in stiff:
            forces = [
                a + b for a, b in zip(forces, _joint_forces(force, force(there), model.nv), strict=True)
            ]
            stiffness, damping = force.slopes(there)  # type: ignore[attr-defined]
            slopes = [d * h + k * h * h for k, d in zip(stiffness, damping, strict=True)]
            heavier = _with_rotors(heavier, slopes)
        a = tuple(forward_dynamics(heavier, q, v, forces, wrenches))
        v1 = added(v, a, h)
        return system.space.project(system.space.advance(q, scaled(v1, h)), v1)

    return step


def _acts(joint: Joint) -> bool:
    return bool(joint.stiffness or joint.damping or joint.friction)


def _with_rotors(model: Model, rotors: Sequence[Scalar]) -> Model:
    """More of them, one for each velocity."""
    bodies = []
    for body, start in zip(model.bodies, model.v_starts, strict=True):
        joint = body.joint
        own = joint.armature or (0.0,) * joint.nv
        if joint.nv:
            own = tuple(x + y for x, y in zip(own, rotors[start : start + joint.nv], strict=True))
            body = replace(body, joint=replace(joint, armature=own))
        bodies.append(body)
    return replace(model, bodies=tuple(bodies))


def _with_slopes(model: Model, v: Numbers, h: Scalar) -> Model:
    """h D + h² K as rotors on the joints."""
    bodies = []
    for body, start, drive in zip(model.bodies, model.v_starts, model.drives, strict=True):
        joint, n = body.joint, body.joint.freedoms
        if not (n and _acts(joint)):
            bodies.append(body)
            continue
        armature, stiffness, damping, friction = (
            part or (0.0,) * n for part in (joint.armature, joint.stiffness, joint.damping, joint.friction)
        )
        rotors = []
        for j in range(n):
            rate = v[start + j] * drive.ratio
            smooth = rate * rate + SLIP * SLIP
            slope = damping[j] + friction[j] * (SLIP * SLIP) / (smooth * sqrt(smooth))
            rotors.append(armature[j] + slope * h + stiffness[j] * h * h)
        bodies.append(replace(body, joint=replace(joint, armature=tuple(rotors))))
    return replace(model, bodies=tuple(bodies))
