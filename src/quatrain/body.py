"""One rigid body: its mass properties, checked; its equations in every form; and its motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quatrain.equations.principal_axes import principal_axes
from quatrain.equations.rigid_body import Body, point_inertia
from quatrain.errors import ArgumentError
from quatrain.geometry import Mat3, SymMat3, Vec3
from quatrain.scalar import first_true, logical_not

if TYPE_CHECKING:
    from quatrain.body_equations import BodyEquations
    from quatrain.control import Control, Event
    from quatrain.equations.stepping import Tolerance
    from quatrain.solids import Part, Solid
    from quatrain.trajectory import Trajectory

# Products of rounding and of the digits that tables of inertias are printed with.
_SLACK = 1e-9


@dataclass(frozen=True, init=False)
class RigidBody:
    """A rigid body in a frame B that is fixed to it: mass [kg], centre of mass [m], inertia about it [kg m²].

    `inertia` is a `SymMat3`, an array (3, 3), or three principal moments; its products carry their minus
    sign, I_xy = −∫xy dm. It is about the centre of mass, or about the body point `about`.
    """

    mass: float
    com: Vec3
    inertia: SymMat3

    def __init__(self, mass: float, inertia: Any, com: Any = None, *, about: Any = None) -> None:
        m = _number(mass, "mass")
        if not (math.isfinite(m) and m > 0):
            raise ArgumentError(f"mass is {mass!r} kg", do="pass a finite mass above zero")
        c = Vec3.zero() if com is None else vector(com, "com")
        I_B = symmetric(inertia, "inertia")
        if about is not None:
            I_B = I_B - point_inertia(m, c - vector(about, "about"))
        refuse_impossible(I_B, "inertia" if about is None else "the inertia about the centre of mass")
        for name, value in (("mass", m), ("com", c), ("inertia", I_B)):
            object.__setattr__(self, name, value)

    @classmethod
    def from_solid(
        cls,
        solid: Solid | Part | Iterable[Any],
        *,
        density: float | None = None,
        mass: float | None = None,
    ) -> RigidBody:
        """From a solid, `Box(0.1, 0.2, 0.3)`, or a list of them at their places, `[box, Sphere(0.1).at((0, 0, 1))]`."""
        from quatrain.solids import body_of

        return cls.from_body(body_of(solid, density=density, mass=mass))

    @classmethod
    def from_body(cls, body: Body) -> RigidBody:
        """From the equations' plain record of the same three."""
        return cls(body.mass, body.I_Bcm_B, body.p_BBcm)

    @property
    def body(self) -> Body:
        """As the equations take it."""
        return Body(self.mass, self.com, self.inertia)

    def inertia_about(self, point: Any) -> SymMat3:
        """The inertia about a point of the body, in its axes."""
        return self.body.inertia_about(vector(point, "point"))

    def principal_axes(self) -> tuple[Vec3, Mat3]:
        """The principal moments about the centre of mass, ascending, and R_BP, whose columns are their axes in B."""
        return principal_axes(self.inertia, ascending=True)

    def equations(self, form: str = "newton_euler", *, fixed_point: Any = None) -> BodyEquations:
        """The equations of rotation in a form, as a function over any scalars that gives accelerations.

        "newton_euler", "euler_angles:ZYX" (any convention), or a form in Euler parameters by its name, such as
        "s34" or "lagrange": `quatrain.equations.euler_parameter_forms.FORMS`.
        """
        from quatrain.body_equations import equations_of

        J = self.inertia if fixed_point is None else self.inertia_about(fixed_point)
        return equations_of(form, J)

    def simulation(self, **options: Any) -> Any:
        """The run of `simulate`, compiled, to be called many times: see `quatrain.body_simulation`."""
        from quatrain.body_simulation import BodySimulation

        return BodySimulation(self, **options)

    def simulate(
        self,
        q0: Any = (1.0, 0.0, 0.0, 0.0),
        w0: Any = (0.0, 0.0, 0.0),
        p0: Any = (0.0, 0.0, 0.0),
        v0: Any = (0.0, 0.0, 0.0),
        *,
        duration: float,
        dt: float = 1e-3,
        method: str | Callable[..., Any] = "rk4",
        torque: Any = None,
        force: Any = None,
        control: Control | Callable[..., Any] | None = None,
        gravity: Any = None,
        fixed_point: Any = None,
        events: Mapping[str, Event | Callable[..., Any]] | None = None,
        record: Iterable[str] | None = None,
        record_every: int = 1,
        parameters: Mapping[str, Any] | None = None,
        tolerance: Tolerance | float | None = None,
        start: float = 0.0,
        normalize: str = "check",
        keep_momentum: bool = True,
        threads: int | None = None,
        dtype: str = "float64",
    ) -> Trajectory:
        """The motion from attitude `q0` = q_WB, `w0` = w_WB_B and the origin's `p0` = p_WB, `v0` = v_WB.

        Leading axes of these are a batch. Nothing acts but what is given:

        - `gravity`: the field in W [m/s²], such as (0, 0, -9.81);
        - `torque`: in the body about its origin [N m], constant or a function (t, q, w), of p too if it takes four;
        - `force`: in W at the origin [N], constant or a function (t, X, velocity), velocity.v and velocity.w;
        - `control`: a law (t, X, velocity, x, p), asked once a step, for a torque or a `Wrench`: see `Control`;
        - `fixed_point`: a point of the body, which rests in W's origin; `p0` and `v0` follow from it;
        - `events`: by name, a function (t, X, velocity) or an `Event`; its zeros are kept in `run.events`.

        `parameters` gives values for each motion: of "mass", "inertia" or principal "moments", "com", "gravity",
        or names of your own, a number each.
        Where nothing exerts a torque the explicit methods of fixed step end each step on the known angular
        momentum, unless `keep_momentum=False`. Methods, tolerance and recording: `quatrain.simulation.Simulation`.
        """
        run = self.simulation(
            method=method,
            torque=torque,
            force=force,
            control=control,
            gravity=gravity,
            fixed_point=fixed_point,
            events=events,
            record=record,
            parameters=tuple(parameters or ()),
            tolerance=tolerance,
            keep_momentum=keep_momentum,
            threads=threads,
            dtype=dtype,
        )
        return run(
            q0,
            w0,
            p0,
            v0,
            duration=duration,
            dt=dt,
            record_every=record_every,
            parameters=parameters,
            start=start,
            normalize=normalize,
        )

    def compare(self, q0: Any, w0: Any, **options: Any) -> Any:
        """Forms and steppers side by side on one motion of this body: `quatrain.compare.compare`."""
        from quatrain.compare import compare

        return compare(self, q0, w0, **options)


# ---- checks ------------------------------------------------------------------------------------------


def _number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{name} is {value!r}, not a number", do="pass one number; a batch of bodies goes by parameters="
        ) from None


def vector(value: Any, name: str) -> Vec3:
    """Three finite numbers."""
    numbers = list(value) if isinstance(value, Vec3) else value
    try:
        found = Vec3(*(float(x) for x in numbers))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {value!r}", do="pass three numbers, or a Vec3 of numbers") from None
    if not all(math.isfinite(x) for x in found):
        raise ArgumentError(f"{name} is {tuple(found)}, which is not finite", do="pass finite numbers")
    return found


def symmetric(value: Any, name: str) -> SymMat3:
    """An inertia given as a SymMat3, as an array (3, 3) or as three principal moments."""
    import numpy as np

    if isinstance(value, SymMat3):
        entries = SymMat3(*(_number(x, name) for x in value))
    else:
        plain = (
            value.to_array() if isinstance(value, Mat3) else list(value) if isinstance(value, Vec3) else value
        )
        try:
            array = np.asarray(plain, dtype=float)
        except (TypeError, ValueError):
            array = np.array(np.nan)  # no numbers, or rows of different lengths
        if array.shape == (3,):
            entries = SymMat3.diagonal(*(float(x) for x in array))
        elif array.shape == (3, 3):
            entries = SymMat3(*(float(x) for x in SymMat3.from_array(array, name=name)))
        else:
            raise ArgumentError(
                f"{name} has shape {array.shape}" if array.ndim else f"{name} is {value!r}",
                do="pass three principal moments, an array (3, 3), or a SymMat3; a batch goes by parameters=",
            )
    if not all(math.isfinite(x) for x in entries):
        raise ArgumentError(
            f"{name} holds {next(x for x in entries if not math.isfinite(x))}", do="pass finite numbers"
        )
    return entries


def refuse_impossible(I_B: SymMat3, name: str) -> None:
    """An error if no matter can have this inertia: a moment not above zero, or greater than the other two together."""
    a, b, c = principal_axes(I_B, ascending=True)[0]
    place = first_true(logical_not(a > 0))
    if place is not None:
        raise ArgumentError(
            f"{name}{_index(place)} has the principal moments {_shown(place, a, b, c)} kg m²; all must be above zero",
            do="check signs and units, that products of inertia carry their minus sign, and about which point it is",
        )
    place = first_true(c > (a + b) * (1 + _SLACK))
    if place is not None:
        raise ArgumentError(
            f"{name}{_index(place)} has the principal moments {_shown(place, a, b, c)} kg m², and the greatest is more "
            f"than the sum {_shown(place, a + b)} of the others; no distribution of mass has that",
            do="check the units of each moment, the signs of the products, and about which point it is",
        )


def _index(place: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, place))}]" if place else ""


def _shown(place: tuple[int, ...], *columns: Any) -> str:
    return ", ".join(f"{float(column[place] if place else column):.6g}" for column in columns)
