"""What a machine carries besides its bodies: actuators, shapes, states with a name, and what a file says besides.

Plain data. Bodies are meant by their number in the model, joints and frames by their name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from quatrain.errors import ArgumentError
from quatrain.geometry import Pose
from quatrain.scalar import Scalar


@dataclass(frozen=True)
class Actuator:
    """A motor, a thruster, a servo: from its command u it makes the force s = gain u + b₀ + b₁ l + b₂ l̇.

    On a joint, `gear` has an entry for each of its velocities: the generalised force is gear · s, and l = gear · q the
    coordinate of the actuator. On a frame it has six: force and torque at the frame's origin, in the frame's axes.
    """

    name: str
    joint: str | None = None
    frame: str | None = None
    """One of the two."""
    gear: tuple[Scalar, ...] = (1.0,)
    gain: Scalar = 1.0
    bias: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)
    """A servo of stiffness k: gain k, bias (0, −k, 0)."""
    command: tuple[Scalar | None, Scalar | None] = (None, None)
    """Least and greatest u."""
    force: tuple[Scalar | None, Scalar | None] = (None, None)
    """Least and greatest s."""


SHAPE_SIZES = {
    "box": ("x", "y", "z"),
    "sphere": ("radius",),
    "ellipsoid": ("x", "y", "z"),
    "cylinder": ("radius", "height"),
    "capsule": ("radius", "height"),
    "cone": ("radius", "height"),
    "tube": ("radius", "inner", "height"),
    "plane": ("x", "y"),
    "mesh": ("x", "y", "z"),
}
"""What the entries of `Shape.size` are [m], as of the solids: full sides, semi-axes of an ellipsoid, the height of a
capsule's cylinder alone, the outer and the inner radius of a tube. A plane has its normal along z; 0 means without end.
Of a mesh it is the scale."""

SHAPE_ROLES = ("visual", "collision", "both")


@dataclass(frozen=True)
class Shape:
    """Something to be seen, or to collide with; dynamics does not ask for it."""

    kind: str
    """One of `SHAPE_SIZES`."""
    size: tuple[Scalar, ...]
    body: int
    """Number of the body that carries it, or WORLD."""
    X_BG: Pose = field(default_factory=Pose.identity)
    """The shape's frame in the body."""
    role: str = "both"
    """"visual", "collision" or "both"."""
    name: str = ""
    mesh: str = ""
    """File of a mesh, as it was written; it is looked for when it is drawn."""
    color: tuple[float, float, float, float] | None = None
    """Red, green, blue and opacity, from 0 to 1."""
    material: str = ""
    texture: str = ""


@dataclass(frozen=True)
class Keyframe:
    """A state with a name. It follows its model through every edit, so that it remains the same state."""

    name: str
    q: tuple[Scalar, ...]
    v: tuple[Scalar, ...]


@dataclass(frozen=True)
class Extra:
    """Something that a file says and nobody here interprets: a tendon, a sensor, an equality. It is kept."""

    kind: str
    name: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    parts: tuple[Extra, ...] = ()
    where: str = ""
    """File and line."""

    def __getitem__(self, attribute: str) -> str:
        for key, value in self.attributes:
            if key == attribute:
                return value
        known = ", ".join(key for key, _ in self.attributes) or "none"
        raise ArgumentError(
            f"{self.kind} {self.name!r} has no attribute {attribute!r}", do=f"its attributes: {known}"
        )
