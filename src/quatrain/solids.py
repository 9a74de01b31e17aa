"""Solids of uniform density: volume, centre of mass and inertia in closed form, and bodies put together of them.

Every solid lies with its centre in its origin and its axis along z. Lengths in metres, full ones: a box is
given by its sides, a cylinder by its radius and height.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields

from quatrain.equations.rigid_body import Body
from quatrain.errors import ArgumentError, with_article
from quatrain.geometry import Pose, SymMat3, Vec3

_CENTRED = Pose.identity()


@dataclass(frozen=True)
class Solid(ABC):
    """A shape full of matter."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < math.inf:
                raise ArgumentError(
                    f"{field.name} of {type(self).__name__} is {value!r}",
                    do="pass a length above zero in metres",
                )

    @property
    @abstractmethod
    def volume(self) -> float:
        """[m³]"""

    @property
    @abstractmethod
    def gyration(self) -> Vec3:
        """Principal moments of inertia about the centre, for a mass of 1: squares of the radii of gyration [m²]."""

    def at(
        self,
        pose: Pose | Vec3 | tuple[float, float, float] | None = None,
        *,
        density: float | None = None,
        mass: float | None = None,
        hole: bool = False,
    ) -> Part:
        """The solid as a part of a body, somewhere in the body's frame; a hole takes its matter away."""
        return Part(self, _as_pose(pose), density, mass, hole)


@dataclass(frozen=True)
class Box(Solid):
    """A block with these sides along x, y and z."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        return self.x * self.y * self.z

    @property
    def gyration(self) -> Vec3:
        x, y, z = self.x**2 / 12, self.y**2 / 12, self.z**2 / 12
        return Vec3(y + z, x + z, x + y)


@dataclass(frozen=True)
class Ellipsoid(Solid):
    """An ellipsoid with these semi-axes along x, y and z."""

    x: float
    y: float
    z: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.x * self.y * self.z

    @property
    def gyration(self) -> Vec3:
        x, y, z = self.x**2 / 5, self.y**2 / 5, self.z**2 / 5
        return Vec3(y + z, x + z, x + y)


@dataclass(frozen=True)
class Sphere(Solid):
    """A ball."""

    radius: float

    @property
    def volume(self) -> float:
        return 4 / 3 * math.pi * self.radius**3

    @property
    def gyration(self) -> Vec3:
        moment = 2 / 5 * self.radius**2
        return Vec3(moment, moment, moment)


@dataclass(frozen=True)
class Cylinder(Solid):
    """A round cylinder along z."""

    radius: float
    height: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.height

    @property
    def gyration(self) -> Vec3:
        across = self.radius**2 / 4 + self.height**2 / 12
        return Vec3(across, across, self.radius**2 / 2)


@dataclass(frozen=True)
class Capsule(Solid):
    """A cylinder along z with half a ball on either end; `height` is that of the cylinder alone."""

    radius: float
    height: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * (self.height + 4 / 3 * self.radius)

    @property
    def gyration(self) -> Vec3:
        r, h = self.radius, self.height
        ends = 4 / 3 * r / (h + 4 / 3 * r)  # part of the matter that is in the two half balls
        # Half a ball has its centre 3r/8 from its flat side, and 2/5 r² about an axis there.
        away = h / 2 + 3 / 8 * r
        half_ball = 2 / 5 * r**2 - (3 / 8 * r) ** 2 + away**2
        tube = Cylinder(r, h).gyration
        return Vec3(
            tube.x * (1 - ends) + half_ball * ends,
            tube.y * (1 - ends) + half_ball * ends,
            tube.z * (1 - ends) + 2 / 5 * r**2 * ends,
        )


@dataclass(frozen=True)
class Cone(Solid):
    """A round cone along z, its point up, its base at the height −height/4: the origin is its centre of mass."""

    radius: float
    height: float

    @property
    def volume(self) -> float:
        return math.pi * self.radius**2 * self.height / 3

    @property
    def gyration(self) -> Vec3:
        across = 3 / 20 * self.radius**2 + 3 / 80 * self.height**2
        return Vec3(across, across, 3 / 10 * self.radius**2)


_BY_KIND: dict[str, type[Solid]] = {
    "box": Box,
    "sphere": Sphere,
    "ellipsoid": Ellipsoid,
    "cylinder": Cylinder,
    "capsule": Capsule,
    "cone": Cone,
}


def solid_of(kind: str, size: Iterable[float]) -> Solid | None:
    """Of a shape's kind and size, as `Shape` has them; None for planes and meshes, which enclose nothing here."""
    return _BY_KIND[kind](*map(float, size)) if kind in _BY_KIND else None


@dataclass(frozen=True)
class Part:
    """A solid at its place in a body; its density, or its mass, may differ from that of the others."""

    solid: Solid
    X_BP: Pose
    density: float | None = None
    mass: float | None = None
    hole: bool = False


def _as_pose(pose: Pose | Vec3 | tuple[float, float, float] | None) -> Pose:
    if pose is None:
        return _CENTRED
    return pose if isinstance(pose, Pose) else Pose(_CENTRED.q, Vec3(*pose))


def body_of(
    solids: Solid | Part | Iterable[Solid | Part | tuple[Solid, Pose]],
    *,
    density: float | None = None,
    mass: float | None = None,
) -> Body:
    """One rigid body of one solid or many, in the frame that they are placed in.

    `density` [kg/m³] holds where a part has none of its own; or `mass` [kg] is that of the whole, spread evenly.
    Where parts overlap their matter counts twice; a hole takes away what stands where it is.
    """
    parts = parts_of(solids)
    if density is not None and mass is not None:
        raise ArgumentError("density and mass were both given", do="pass one of them")
    if density is None and mass is None and any(p.density is None and p.mass is None for p in parts):
        raise ArgumentError(
            "neither density nor mass was given",
            do="pass density= in kg/m³ or mass= in kg, or give each part its own",
        )
    _refuse_not_positive(density, "density")
    _refuse_not_positive(mass, "mass")
    if mass is not None and any(p.density is not None or p.mass is not None for p in parts):
        raise ArgumentError(
            "the mass of the whole was given, and one of a part as well",
            do="pass density= for the other parts",
        )
    whole = joined([_body(part, 1.0 if density is None else density) for part in parts])
    if whole.mass <= 0:
        raise ArgumentError(
            f"the holes leave a mass of {whole.mass:g} kg", do="make them smaller than what they are in"
        )
    if mass is None:
        return whole
    return Body(mass, whole.p_BBcm, whole.I_Bcm_B * (mass / whole.mass))


def parts_of(solids: Solid | Part | Iterable[Solid | Part | tuple[Solid, Pose]]) -> list[Part]:
    """Solids and parts, one or many, as parts at their places."""
    many = list(solids) if isinstance(solids, Iterable) else [solids]
    parts = []
    for one in many:
        if isinstance(one, Solid):
            parts.append(one.at())
        elif isinstance(one, Part):
            parts.append(one)
        elif isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], Solid):
            parts.append(one[0].at(one[1]))
        else:
            raise ArgumentError(
                f"{with_article(type(one))} is no solid",
                do="pass Box, Sphere, Cylinder, Capsule, Cone or Ellipsoid, or a list of these and of solid.at(pose)",
            )
    if not parts:
        raise ArgumentError("a body of no solids", do="pass at least one")
    return parts


def _refuse_not_positive(value: float | None, name: str) -> None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise ArgumentError(f"{name} is {value!r}", do=f"pass a {name} above zero")


def _body(part: Part, density: float) -> Body:
    """One part alone, in the frame of the body; a hole has negative mass."""
    if part.density is not None and part.mass is not None:
        raise ArgumentError("density and mass of a part were both given", do="pass one of them")
    _refuse_not_positive(part.density, "density")
    _refuse_not_positive(part.mass, "mass")
    mass = (
        part.solid.volume * (density if part.density is None else part.density)
        if part.mass is None
        else part.mass
    )
    mass = -mass if part.hole else mass
    inertia = SymMat3.diagonal(*(part.solid.gyration * mass)).rotated(part.X_BP.q.to_matrix())
    return Body(mass, part.X_BP.p, inertia)


def joined(bodies: list[Body]) -> Body:
    """Parts fixed to one another: masses add, and so do inertias about one point."""
    mass = sum(body.mass for body in bodies)
    if not mass > 0:
        return Body(mass, Vec3.zero(), SymMat3.identity())
    c = sum(
        (body.p_BBcm * (body.mass / mass) for body in bodies[1:]), bodies[0].p_BBcm * (bodies[0].mass / mass)
    )
    inertia = bodies[0].inertia_about(c)
    for body in bodies[1:]:
        inertia = inertia + body.inertia_about(c)
    return Body(mass, c, inertia)
