"""A model from Python, a body a line:

arm = qt.ModelBuilder("arm")
arm.body("upper", joint="revolute", axis="y", at=(0, 0, 1), mass=2.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.001))
arm.body("lower", parent="upper", axis="y", at=(0, 0, -0.4), solid=qt.Cylinder(0.02, 0.4), density=2700)
arm.frame("hand", body="lower", at=(0, 0, -0.4))
robot = arm.robot()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import cos, sin
from typing import TYPE_CHECKING, Any

from quatrain.body import symmetric, vector
from quatrain.checks import checked
from quatrain.errors import ArgumentError
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3, cross
from quatrain.model import AXES, JOINT_KINDS, STANDARD_GRAVITY, WORLD, Body, Frame, Joint, Limits, Model

if TYPE_CHECKING:
    from quatrain.robot import Robot

_NAMED_AXES = {"x": AXES[0], "y": AXES[1], "z": AXES[2], "-x": -AXES[0], "-y": -AXES[1], "-z": -AXES[2]}


class ModelBuilder:
    """Bodies and frames in any order, as long as a parent comes before its children."""

    def __init__(self, name: str, *, gravity: Any = STANDARD_GRAVITY) -> None:
        self.name = name
        self.gravity = vector(gravity, "gravity")
        self._bodies: list[Body] = []
        self._frames: list[tuple[str, str, Pose]] = []

    def body(
        self,
        name: str,
        *,
        parent: str = "world",
        joint: str = "revolute",
        joint_name: str | None = None,
        axis: Any = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Quaternion | None = None,
        body_at: Any = (0.0, 0.0, 0.0),
        body_rotation: Quaternion | None = None,
        mass: float | None = None,
        com: Any = (0.0, 0.0, 0.0),
        inertia: Any = None,
        solid: Any = None,
        density: float | None = None,
        pitch: float = 0.0,
        limits: tuple[float | None, float | None] | Sequence[Limits] | None = None,
        armature: Any = (),
        damping: Any = (),
        friction: Any = (),
        stiffness: Any = (),
        rest: Any = (),
    ) -> ModelBuilder:
        """A body on a joint that stands in its parent `at` a point, turned by `rotation`.

        `axis`: "x", "y", "z", "-x" …, a vector, or several for joints of several axes. `body_at`, `body_rotation`: the
        body's own frame in the moved joint, if it is not the same. Mass, centre of mass and inertia about it, in the
        body's frame; or a `solid` with a density or a mass. `limits`: (lower, upper) of a joint of one freedom.
        """
        if joint not in JOINT_KINDS:
            raise ArgumentError(
                f"joint of body {name!r} is {joint!r}", do=f"choose one of {', '.join(JOINT_KINDS)}"
            )
        m, c, I_B = self._matter(name, mass, com, inertia, solid, density)
        made = Joint(
            joint_name or name,
            joint,
            Pose(rotation or Quaternion.identity(), vector(at, "at")),
            Pose(body_rotation or Quaternion.identity(), vector(body_at, "body_at")),
            axes_of(joint, axis, name),
            float(pitch),
            _numbers(armature),
            _numbers(damping),
            _numbers(friction),
            _numbers(stiffness),
            _numbers(rest),
            _limits(limits),
        )
        self._bodies.append(Body(name, self._number(parent, name), made, m, c, I_B))
        return self

    def frame(
        self, name: str, *, body: str = "world", at: Any = (0.0, 0.0, 0.0), rotation: Quaternion | None = None
    ) -> ModelBuilder:
        """A named place on a body."""
        self._number(body, f"frame {name}")
        self._frames.append((name, body, Pose(rotation or Quaternion.identity(), vector(at, "at"))))
        return self

    def _number(self, parent: str, child: str) -> int:
        if parent == "world":
            return WORLD
        for k, body in enumerate(self._bodies):
            if body.name == parent:
                return k
        known = ", ".join(body.name for body in self._bodies) or "none yet"
        raise ArgumentError(
            f"{child!r} stands on {parent!r}, which is no body of {self.name} (bodies: {known})",
            do="add the parent first, or name 'world'",
        )

    def _matter(
        self, name: str, mass: Any, com: Any, inertia: Any, solid: Any, density: Any
    ) -> tuple[float, Vec3, SymMat3]:
        if solid is not None:
            from quatrain.solids import body_of

            if inertia is not None:
                raise ArgumentError(f"body {name!r} has both a solid and an inertia", do="give one of them")
            found = body_of(solid, density=density, mass=mass)
            return found.mass, found.p_BBcm, found.I_Bcm_B
        zero = SymMat3(*(0.0,) * 6)
        own = zero if inertia is None else symmetric(inertia, f"inertia of {name!r}")
        return float(mass or 0.0), vector(com, f"com of {name!r}"), own

    # ---- the result -------------------------------------------------------------------------------

    def model(self, *, inertia: str = "error", merge_fixed: bool = True) -> Model:
        """The model, checked: every fault is told at once. `inertia`: "error", "warn" or "repair"."""
        from quatrain.edit import depth_first, merged_fixed

        places = {"world": WORLD, **{body.name: k for k, body in enumerate(self._bodies)}}
        frames = tuple(Frame(name, places[body], pose) for name, body, pose in self._frames)
        model = Model(self.name, tuple(self._bodies), frames, self.gravity)
        model = depth_first(checked(model, inertia=inertia))
        return merged_fixed(model) if merge_fixed else model

    def robot(self, **options: Any) -> Robot:
        """The same as a `Robot`."""
        from quatrain.robot import Robot

        return Robot(self.model(**options))


def axes_of(kind: str, axis: Any, name: str) -> tuple[Vec3, ...]:
    """The unit axes of a joint, from what was said of them."""
    count = max((motion.axis + 1 for motion in JOINT_KINDS[kind] if motion.kind != "ball"), default=0)
    if count == 0:
        if axis is not None:
            raise ArgumentError(f"body {name!r}: a {kind} joint has no axis", do="leave axis out")
        return ()
    if kind in ("planar", "free"):
        if axis is None:
            return AXES
        if kind == "planar" and not _several(axis):  # the normal of the plane
            z = _unit(axis, name)
            x = _perpendicular(z)
            return (x, cross(z, x), z)
    if axis is None:
        axis = "z" if count == 1 else ("x", "y")
    given = tuple(axis) if _several(axis) else (axis,)
    if len(given) != count:
        raise ArgumentError(
            f"body {name!r}: a {kind} joint has {count} axes, and {len(given)} came", do="give one for each"
        )
    return tuple(_unit(one, name) for one in given)


def _several(axis: Any) -> bool:
    return isinstance(axis, (tuple, list)) and any(isinstance(one, (str, tuple, list, Vec3)) for one in axis)


def _unit(axis: Any, name: str) -> Vec3:
    if isinstance(axis, str):
        if axis not in _NAMED_AXES:
            raise ArgumentError(
                f"axis of {name!r} is {axis!r}", do="name x, y, z, -x, -y or -z, or give a vector"
            )
        return _NAMED_AXES[axis]
    v = vector(axis, f"axis of {name!r}")
    if not v.norm() > 0:
        raise ArgumentError(f"axis of {name!r} is {tuple(v)}", do="give a vector that is not zero")
    return v if v.norm() == 1 else v / v.norm()


def _perpendicular(z: Vec3) -> Vec3:
    least = min(AXES, key=lambda axis: abs(axis.x * z.x + axis.y * z.y + axis.z * z.z))
    x = cross(cross(z, least), z)
    return x / x.norm()


def _numbers(values: Any) -> tuple[float, ...]:
    return (float(values),) if isinstance(values, (int, float)) else tuple(float(value) for value in values)


def _limits(limits: Any) -> tuple[Limits, ...]:
    if limits is None:
        return ()
    if all(isinstance(one, Limits) for one in limits):
        return tuple(limits)
    lower, upper = limits
    return (Limits(lower, upper),)


# ---- serial chains -------------------------------------------------------------------------------------


def from_dh(
    name: str,
    rows: Iterable[Mapping[str, Any]],
    *,
    modified: bool = False,
    gravity: Any = STANDARD_GRAVITY,
) -> ModelBuilder:
    """A serial chain from Denavit–Hartenberg rows: dicts with a, alpha, d, theta (what is constant of them), and the
    options of `ModelBuilder.body` (mass, com, inertia, limits, …) in the link's DH frame.

    `joint`: "revolute" (default) adds q to theta, "prismatic" to d. Standard rows are Rz(theta) Tz(d) Tx(a) Rx(alpha);
    `modified` ones Rx(alpha) Tx(a) Rz(theta) Tz(d). Bodies are named link1, link2 … unless a row has a name.
    """
    builder, parent = ModelBuilder(name, gravity=gravity), "world"
    for k, row in enumerate(rows, 1):
        given = dict(row)
        a, alpha, d, theta = (float(given.pop(key, 0.0)) for key in ("a", "alpha", "d", "theta"))
        link = str(given.pop("name", f"link{k}"))
        turned = Pose(_about(2, theta), Vec3(0.0, 0.0, d))
        across = Pose(_about(0, alpha), Vec3(a, 0.0, 0.0))
        before, after = (across @ turned, Pose.identity()) if modified else (turned, across)
        builder.body(
            link,
            parent=parent,
            joint=str(given.pop("joint", "revolute")),
            axis="z",
            at=before.p,
            rotation=before.q,
            body_at=after.p,
            body_rotation=after.q,
            **given,
        )
        parent = link
    return builder


def _about(axis: int, angle: float) -> Quaternion:
    parts = [cos(angle / 2), 0.0, 0.0, 0.0]
    parts[axis + 1] = sin(angle / 2)
    return Quaternion(*parts)
