"""What a chain is made of: for each body its joint, two vectors, mass and inertia. All of it is constant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quatrain.errors import ArgumentError, require
from quatrain.geometry import SymMat3, Vec3
from quatrain.scalar import Scalar, abs, first_true, logical_not


@dataclass(frozen=True, slots=True)
class Link:
    """Joint i and body i. Vectors have components in body i, which at q = 0 are those in the ground's axes.

    prismatic    ξ_i: a sliding joint, else a revolute one
    e            e_i, unit vector of the joint's axis
    rho_next     ρ_ii, from the joint point O_i (fixed in body i) to the next one, O_{i+1} [m]
    rho          ρ_i, from O_{i+1} (not from O_i: see `from_centre`) to the mass centre C_i [m]
    mass         m_i [kg]
    J            [J_Ci], inertia about C_i; products carry their minus sign inside [kg m²]
    """

    prismatic: bool
    e: Vec3
    rho_next: Vec3
    rho: Vec3
    mass: Scalar
    J: SymMat3

    def __post_init__(self) -> None:
        for name in ("e", "rho_next", "rho"):
            require(getattr(self, name), Vec3, name)
        require(self.J, SymMat3, "J")
        if self.prismatic not in (False, True):
            raise ArgumentError(
                f"prismatic is {self.prismatic!r}",
                do="pass True for a sliding joint, False for a revolute one",
            )
        if first_true(logical_not(abs(self.e.norm_squared() - 1) <= 1e-9)) is not None:
            raise ArgumentError(
                f"the joint's axis e = {tuple(self.e)} is not a unit vector", do="pass e.normalised()"
            )

    @classmethod
    def from_centre(cls, prismatic: bool, e: Vec3, rho_next: Vec3, s: Vec3, mass: Scalar, J: SymMat3) -> Link:
        """From the vector s_i = O_iC_i, as data usually give it: ρ_i = s_i − ρ_ii."""
        require(s, Vec3, "s")
        return cls(prismatic, e, rho_next, s - rho_next, mass, J)

    @property
    def xi(self) -> int:
        """ξ: 1 for a prismatic joint, 0 for a revolute one."""
        return int(self.prismatic)

    @property
    def xi_bar(self) -> int:
        """ξ̄ = 1 − ξ"""
        return 1 - self.xi

    @property
    def s(self) -> Vec3:
        """s_i = ρ_ii + ρ_i, from the joint point O_i to the mass centre."""
        return self.rho_next + self.rho


@dataclass(frozen=True, slots=True)
class Chain:
    """Bodies 1 … n from base to tip, body 1 on the ground.

    At the reference configuration, all q = 0, every body's axes are parallel to the ground's; other models
    are brought to this form by `adapter`. ρ_00 leads from the ground's origin to the first joint.
    """

    links: tuple[Link, ...]
    gravity: Vec3 = field(default=Vec3(0.0, 0.0, -9.81))
    rho_00: Vec3 = field(default=Vec3(0, 0, 0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", _links(self.links))
        require(self.gravity, Vec3, "gravity")
        require(self.rho_00, Vec3, "rho_00")

    def __len__(self) -> int:
        return len(self.links)


def _links(links: Iterable[Link]) -> tuple[Link, ...]:
    known = tuple(links)
    for link in known:
        require(link, Link, "an element of links")
    if not known:
        raise ArgumentError("the chain has no links", do="give one Link for each body, from base to tip")
    return known
