"""Where things are and how they move: poses, velocities, accelerations and Jacobians of frames.

Linear rows come first, then angular ones. `axes` says what the linear ones are, and in which axes all of them:

    "world", "mixed"   of the frame's origin (or of a point fixed to it), in axes of the world
    "body"             of the same point, in the frame's own axes
    "spatial"          of what moves with the frame where the world's origin is, in axes of the world

`relative_to` names a frame that takes the world's place: motion is seen from there, in its axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quatrain.alignment import snapped
from quatrain.equations.inverse_dynamics import ZERO, ground, outward
from quatrain.equations.joints import Passage, passages, relative_rates
from quatrain.equations.poses import body_poses
from quatrain.equations.tree import Tree
from quatrain.errors import ArgumentError
from quatrain.geometry import Mat3, Pose, Quaternion, Vec3, cross
from quatrain.model import WORLD, Model
from quatrain.scalar import Scalar

AXES = ("world", "mixed", "body", "spatial")


@dataclass(frozen=True)
class Place:
    """Of a segment's frame in the world."""

    R: Mat3
    p: Vec3


GROUND = Place(Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0))


def places(tree: Tree, steps: Sequence[Passage]) -> list[Place]:
    """R_WS and p_WS of every segment."""
    found: list[Place] = []
    for segment, step in zip(tree.segments, steps, strict=True):
        before = found[segment.parent] if segment.parent != WORLD else GROUND
        found.append(Place(before.R @ step.matrix(), before.p + before.R @ step.p))
    return found


def first_bodies(tree: Tree) -> dict[int, list[int]]:
    """The segments that carry the first body on a way from the ground, with those before them, themselves first."""
    carrying = {segment for segment, _ in tree.places}
    found: dict[int, list[int]] = {}
    reached: set[int] = set()
    for k, segment in enumerate(tree.segments):
        if segment.parent in reached:
            reached.add(k)
        elif k in carrying:
            found[k] = tree.path(k)
            reached.update(found[k])
    return found


def places_from_first_bodies(tree: Tree, steps: Sequence[Passage]) -> list[Place]:
    """Of every segment, in the frame of the first one on its way from the ground that carries a body."""
    firsts, found = first_bodies(tree), {}
    before = {k for path in firsts.values() for k in path}
    for k, segment in enumerate(tree.segments):
        if k in firsts:
            found[k] = GROUND
            for outer in firsts[k][:-1]:
                R = found[outer].R @ steps[outer].matrix().T
                found[tree.segments[outer].parent] = Place(R, found[outer].p - R @ steps[outer].p)
        elif k not in before:
            here = found[segment.parent]
            found[k] = Place(here.R @ steps[k].matrix(), here.p + here.R @ steps[k].p)
    return [found[k] for k in range(len(tree.segments))]


def places_about_first_body(tree: Tree, steps: Sequence[Passage]) -> list[Place]:
    """Of every segment, in axes of the world and from where the very first body's segment stands.

    However far from the world's origin a machine is, nothing large is taken off something large.
    """
    at, firsts = places(tree, steps), first_bodies(tree)
    before = {k for path in firsts.values() for k in path}
    origin = min(firsts)
    p: dict[int, Vec3] = {}
    for k, segment in enumerate(tree.segments):
        if k in firsts:
            p[k] = ZERO if k == origin else at[k].p - at[origin].p
            for outer in firsts[k][:-1]:
                parent = tree.segments[outer].parent
                p[parent] = p[outer] - at[parent].R @ steps[outer].p
        elif k not in before:
            p[k] = p[segment.parent] + at[segment.parent].R @ steps[k].p
    return [Place(place.R, p[k]) for k, place in enumerate(at)]


def frame_pose(model: Model, q: Sequence[Scalar], frame: str, relative_to: str = "world") -> Pose:
    """X_AF of a frame F, seen from the frame A."""
    bodies = body_poses(model, q)

    def in_world(name: str) -> Pose:
        found = model.frame(name)
        return found.X_BF if found.body == WORLD else bodies[found.body] @ found.X_BF

    X_WF = in_world(frame)
    return X_WF if relative_to == "world" else in_world(relative_to).inverse() @ X_WF


@dataclass(frozen=True)
class Moving:
    """All segments of a tree at once: where they are in the world, and how they move, in their own axes."""

    tree: Tree
    places: Sequence[Place]
    velocities: Sequence[Vec3]
    """Of their origins."""
    rates: Sequence[Vec3]

    @classmethod
    def of(cls, model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Moving:
        tree = Tree.of(model)
        steps = passages(tree, q)
        velocities: list[Vec3] = []
        rates: list[Vec3] = []
        for segment, step in zip(tree.segments, steps, strict=True):
            first = segment.parent == WORLD
            v_P, w_P = (ZERO, ZERO) if first else (velocities[segment.parent], rates[segment.parent])
            w_r, v_r = relative_rates(segment, v)
            velocities.append(step.to_child(v_P + cross(w_P, step.p)) + v_r)
            rates.append(step.to_child(w_P) + w_r)
        return cls(tree, places(tree, steps), velocities, rates)

    def place(self, model: Model, frame: str) -> Place:
        """R_WF and p_WF of a frame, by the rotations of the recursions: `frame_pose` takes sines of half angles."""
        k, X_SF = self.tree.place_of(model, frame)
        S = self.places[k] if k != WORLD else GROUND
        return Place(S.R @ snapped(X_SF.q.to_matrix()), S.p + S.R @ X_SF.p)

    def velocity(self, model: Model, frame: str, point: Vec3) -> tuple[Vec3, Vec3]:
        """Of a point with these coordinates in a frame, and the frame's angular velocity, in axes of the world."""
        k, X_SF = self.tree.place_of(model, frame)
        if k == WORLD:
            return ZERO, ZERO
        R, w = self.places[k].R, self.rates[k]
        return R @ (self.velocities[k] + cross(w, X_SF.apply(point))), R @ w


# ---- Jacobians ------------------------------------------------------------------------------------------


def jacobian(
    model: Model,
    q: Sequence[Scalar],
    frame: str,
    point: Vec3 | None = None,
    axes: str = "world",
    relative_to: str = "world",
) -> list[list[Scalar]]:
    """J (6, nv) with (v_F, w_F) = J v: velocity of the frame's origin (or of a point fixed to it), and its turning."""
    tree = Tree.of(model)
    sight = _sight(tree, model, passages(tree, q), frame, point, axes, relative_to)
    columns: list[list[Scalar]] = [[0.0] * 6 for _ in range(tree.nv)]
    # Seen from the frame's own segment, twists need no composition of all the rotations below it.
    for j, (linear, angular) in twists_from(tree, sight.steps, sight.path, sight.p_S).items():
        columns[j] = sight.rows(linear, angular)
    for j, (linear, angular) in twists_from(tree, sight.steps, sight.path_A, sight.p_T).items():
        own = sight.rows(sight.R_ST @ linear, sight.R_ST @ angular)
        columns[j] = [entry - seen for entry, seen in zip(columns[j], own, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(6)]


def twists_from(
    tree: Tree, steps: Sequence[Passage], path: Sequence[int], p_S: Vec3
) -> dict[int, tuple[Vec3, Vec3]]:
    """By velocity, what it does to the point p of the first segment on a path inwards: linear and angular, in S."""
    found: dict[int, tuple[Vec3, Vec3]] = {}

    def add(j: int, linear: Vec3, angular: Vec3) -> None:
        before = found.get(j, (ZERO, ZERO))
        found[j] = before[0] + linear, before[1] + angular

    R: Mat3 | None = None  # from the segment on the way to S; None for S itself
    arm = p_S  # from that segment's origin to the point, in its axes
    for k in path:
        here = tree.segments[k]
        x, y, z = R.columns if R is not None else GROUND.R.columns
        if here.kind == "ball":
            for j, (axis, unit) in enumerate(zip((x, y, z), GROUND.R.columns, strict=True), here.v):
                lever = cross(unit, arm)
                add(j, lever if R is None else R @ lever, axis)
        else:
            lever = Vec3(-arm.y, arm.x, 0.0)  # z × arm
            turned = lever if R is None else R @ lever
            if here.kind == "slide":
                add(here.v, z * here.ratio, ZERO)
            else:
                add(here.v, (turned + z * here.pitch) * here.ratio, z * here.ratio)
        step = steps[k]
        arm = step.p + step.to_parent(arm)
        back = step.matrix().T
        R = back if R is None else R @ back
    return found


# ---- who looks at what ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sight:
    """A point of a frame F of segment S, seen from a frame A of segment T; what both stand on does not count."""

    steps: Sequence[Passage]
    axes: str
    path: list[int]
    """From S inwards, up to where the way to T branches off."""
    path_A: list[int]
    """From T, likewise."""
    p_S: Vec3
    """The point, in S."""
    p_T: Vec3
    """The same place as T sees it."""
    arm: Vec3
    """To the point from A's origin, in S."""
    R_ST: Mat3
    R_OS: Mat3
    """To the axes of the answer."""

    def rows(self, linear: Vec3, angular: Vec3) -> list[Scalar]:
        """Linear and angular rows from those of the point in S: about A's origin u = v − ω × p."""
        if self.axes == "spatial":
            linear = linear - cross(angular, self.arm)
        return [*(self.R_OS @ linear), *(self.R_OS @ angular)]


def _sight(
    tree: Tree,
    model: Model,
    steps: Sequence[Passage],
    frame: str,
    point: Vec3 | None,
    axes: str,
    relative_to: str,
) -> _Sight:
    if axes not in AXES:
        raise ArgumentError(f"axes is {axes!r}", do=f"pass one of {', '.join(map(repr, AXES))}")
    k, X_SF = tree.place_of(model, frame)
    t, X_TA = tree.place_of(model, relative_to)
    common = {WORLD, *tree.path(k)} & {WORLD, *tree.path(t)}
    path = [one for one in tree.path(k) if one not in common]
    path_A = [one for one in tree.path(t) if one not in common]
    S, T = _place_on(steps, path), _place_on(steps, path_A)  # in the last segment that both stand on
    p_S = X_SF.p if point is None else X_SF.apply(point)
    p_T = T.R.T @ (S.p + S.R @ p_S - T.p)
    R_ST = S.R.T @ T.R
    R_OS = X_SF.q.conjugate().to_matrix() if axes == "body" else X_TA.q.conjugate().to_matrix() @ R_ST.T
    return _Sight(steps, axes, path, path_A, p_S, p_T, R_ST @ (p_T - X_TA.p), R_ST, R_OS)


def _place_on(steps: Sequence[Passage], path: Sequence[int]) -> Place:
    """Of the first segment on a path inwards, seen from what the last one stands on."""
    found = GROUND
    for k in reversed(path):
        found = Place(found.R @ steps[k].matrix(), found.p + found.R @ steps[k].p)
    return found


# ---- velocities and accelerations --------------------------------------------------------------------------


def frame_velocity(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    frame: str,
    axes: str = "world",
    point: Vec3 | None = None,
    relative_to: str = "world",
) -> tuple[Vec3, Vec3]:
    """Velocity of the frame's origin (or of a point fixed to it) and its angular velocity: J v."""
    tree = Tree.of(model)
    sight = _sight(tree, model, passages(tree, q), frame, point, axes, relative_to)
    seen = _seen(tree, sight, v, [0.0] * tree.nv)
    rows = sight.rows(seen.velocity, seen.w)
    return Vec3(*rows[:3]), Vec3(*rows[3:])


def frame_acceleration(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    frame: str,
    axes: str = "world",
    point: Vec3 | None = None,
    relative_to: str = "world",
) -> tuple[Vec3, Vec3]:
    """Acceleration of the frame's origin (or of a point fixed to it), gravity left out, and its angular acceleration.

    With "body" they are the same vectors as with "world", in the frame's axes. With "spatial" they are the rate of the
    spatial velocity.
    """
    tree = Tree.of(model)
    sight = _sight(tree, model, passages(tree, q), frame, point, axes, relative_to)
    return _accelerated(sight, _seen(tree, sight, v, a))


def bias_acceleration(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    frame: str,
    axes: str = "world",
    point: Vec3 | None = None,
    relative_to: str = "world",
) -> tuple[Vec3, Vec3]:
    """J̇ v, of the Jacobian for the same axes: d/dt(J v) = J a + J̇ v.

    It is the acceleration at a = 0, but in "body" axes, which turn with the frame, less by ω × v.
    """
    tree = Tree.of(model)
    sight = _sight(tree, model, passages(tree, q), frame, point, axes, relative_to)
    seen = _seen(tree, sight, v, [0.0] * tree.nv)
    if axes == "body":
        seen = replace(seen, acceleration=seen.acceleration - cross(seen.w, seen.velocity))
    return _accelerated(sight, seen)


@dataclass(frozen=True)
class _Seen:
    """Motion of the point and of its frame as A sees it, in S."""

    velocity: Vec3
    w: Vec3
    acceleration: Vec3
    alpha: Vec3


def _seen(tree: Tree, sight: _Sight, v: Sequence[Scalar], a: Sequence[Scalar]) -> _Seen:
    """What is left of the point's motion when A's is taken away:

    ṗ = v − v_A,    p̈ = a − a_A − 2 ω_A × ṗ,    ω_A × ω is left out of the angular acceleration likewise,

    v_A and a_A of the point of A's body that is in the same place.
    """
    own = _moving(tree, sight.steps, sight.path, sight.p_S, v, a)
    if not sight.path_A:
        return own
    other = _moving(tree, sight.steps, sight.path_A, sight.p_T, v, a)
    carried, w_A = sight.R_ST @ other.velocity, sight.R_ST @ other.w
    velocity, w = own.velocity - carried, own.w - w_A
    acceleration = own.acceleration - sight.R_ST @ other.acceleration - cross(w_A, velocity) * 2.0
    return _Seen(velocity, w, acceleration, own.alpha - sight.R_ST @ other.alpha - cross(w_A, w))


def _moving(
    tree: Tree,
    steps: Sequence[Passage],
    path: Sequence[int],
    p_S: Vec3,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
) -> _Seen:
    """Of a point of the first segment on a path inwards, seen from what the last one stands on, in S."""
    motion, velocity = ground(tree, gravity=False), ZERO
    for k in reversed(path):
        _, v_r = relative_rates(tree.segments[k], v)
        velocity = steps[k].to_child(velocity + cross(motion.w, steps[k].p)) + v_r
        motion = outward(steps[k], motion, v, a)
    acceleration = motion.acceleration + motion.U @ p_S
    return _Seen(velocity + cross(motion.w, p_S), motion.w, acceleration, motion.alpha)


def _accelerated(sight: _Sight, seen: _Seen) -> tuple[Vec3, Vec3]:
    """In the axes asked for; about A's origin u̇ = a − α × p − ω × v."""
    acceleration = seen.acceleration
    if sight.axes == "spatial":
        acceleration = acceleration - cross(seen.w, seen.velocity)
    rows = sight.rows(acceleration, seen.alpha)
    return Vec3(*rows[:3]), Vec3(*rows[3:])


def attitudes(model: Model, q: Sequence[Scalar]) -> list[Quaternion]:
    """q_WB of every body."""
    return [X.q for X in body_poses(model, q)]
