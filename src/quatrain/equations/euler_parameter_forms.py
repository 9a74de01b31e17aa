"""Every form of the equations of motion in Euler parameters, by name: one table, `FORMS`.

Each form takes q, q̇, the inertia J about the mass centre and a load, and gives q̈ and its multiplier. On
the unit sphere (qᵀq = 1, qᵀq̇ = 0) all of them give the same q̈; what each does off it, where an
integrator's error leads, is in its `off_sphere`.

"Solved" forms solve M q̈ + g + q λ = Q and the constraint's second derivative for the q at hand; "literal"
forms are the closed solutions as printed, whose inverse is that of the unit sphere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quatrain.equations.euler_parameter_loads import (
    Q1,
    Q2,
    Load,
    MovingFrame,
    Q1_by_B1,
    reduced,
    torque,
    torque_on_attitude,
    twice_virial,
    twice_virial_of_R_plus_1,
)
from quatrain.equations.euler_parameter_moving_frame import inertial_rate, moving_frame_form
from quatrain.equations.euler_parameters import (
    Acceleration,
    closed_inverse_form,
    cubic_gyroscopic_force,
    cubic_multiplier,
    explicit_acceleration,
    explicit_form_of_reduced_force,
    four_kinetic_energies,
    minimum_norm_acceleration,
    quintic_gyroscopic_force,
    solve_augmented,
    solve_square,
    unconstrained_acceleration,
)
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, SymMat3, Vec3
from quatrain.scalar import Scalar, exp


@dataclass(frozen=True, slots=True)
class OffSphere:
    """What a form does at s = qᵀq ≠ 1. W = 2 L q̇ / s is the rate of the attitude q/|q|, T_ω = ½ ωᵀ J ω, ω = 2 L q̇.

    While qᵀq̇ = 0:  Ẇ = −a J⁻¹ (W × J W) + b J⁻¹ τ,  with a and b powers of s.
    """

    kind: str
    """"exact", "solved", "literal", or "alone" for the equations without their constraint."""
    power_of_a: int
    power_of_b: int
    """For a torque that is given in the body."""
    power_of_b_for_forces: int
    """For the torque of a force at a point of the body q/|q|; the form's own generalised force is used."""
    constant: str
    """Of the torque-free motion, for any s and ṡ, in words; `first_integral` is its value."""
    first_integral: Callable[[Scalar, Scalar], Scalar]
    """Of T_ω and s."""

    def constraint_acceleration(self, s: Scalar, dq_squared: Scalar) -> Scalar:
        """s̈ of the form, with |q̇|²."""
        return {"literal": 1 - s, "alone": 1}.get(self.kind, 0) * dq_squared * 2


Solver = Callable[[Quaternion, Quaternion, SymMat3, Load], Acceleration]
ClosedMultiplier = Callable[[Quaternion, Quaternion, SymMat3, Load], Scalar]


@dataclass(frozen=True, slots=True)
class Form:
    """One form: what it is called, what it says, how it is solved, and when to use it."""

    name: str
    aliases: tuple[str, ...]
    equation: str
    """Its number, or numbers."""
    formula: str
    order: int
    """Total degree of the inertia terms in q, q̇ and q̈."""
    multiplier: str
    """The closed form of λ on the unit sphere, in words; "none" where the form has none."""
    use: str
    off_sphere: OffSphere
    solver: Solver
    closed_multiplier: ClosedMultiplier | None
    takes_moving_frame: bool = False

    def solve(self, q: Quaternion, dq: Quaternion, J: SymMat3, load: Load | None = None) -> Acceleration:
        """q̈ and λ; q any quaternion but zero."""
        load = Load() if load is None else load
        if load.frame is not None and not self.takes_moving_frame:
            raise ArgumentError(
                f"form {self.name!r} holds in an inertial frame, and the load has a moving one",
                do="use form 'd12', or pass a Load without frame and the attitude relative to an inertial frame",
            )
        return self.solver(q, dq, J, load)


def form_of(name: str) -> Form:
    """The form of that name or alias."""
    for form in FORMS.values():
        if name == form.name or name in form.aliases:
            return form
    known = ", ".join("/".join((form.name, *form.aliases)) for form in FORMS.values())
    raise ArgumentError(f"there is no form {name!r} of the equations of motion", do=f"choose one of: {known}")


# ---- solvers --------------------------------------------------------------------------------------


def _quintic_with(generalised_force: Callable[[Quaternion, Load], Quaternion]) -> Solver:
    def solve(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
        return solve_augmented(q, dq, J, quintic_gyroscopic_force(q, dq, J), generalised_force(q, load))

    return solve


def _cubic_with(generalised_force: Callable[[Quaternion, Load], Quaternion]) -> Solver:
    def solve(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
        return solve_augmented(q, dq, J, cubic_gyroscopic_force(q, dq, J), generalised_force(q, load))

    return solve


def _newton_euler(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    return Acceleration(unconstrained_acceleration(q, dq, J, torque_on_attitude(q, load)), None)


def _s25(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    return Acceleration(solve_square(q, dq, J, torque(q, load)), None)


def _s32(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    return Acceleration(minimum_norm_acceleration(q, dq, J, Q1(q, load)), None)


def _s36(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    return closed_inverse_form(q, dq, J, Q1(q, load))


def _s38(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    return Acceleration(explicit_acceleration(q, dq, J, torque(q, load)), 0)


def _s40(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    ddq = explicit_acceleration(q, dq, J, torque(q, load))
    return Acceleration(ddq, cubic_multiplier(q, dq, J))


def _s84(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    of_forces = reduced(q, Load(forces=load.forces))
    return explicit_form_of_reduced_force(q, dq, J, of_forces, load.couple_B)


def _frame(load: Load) -> MovingFrame:
    return load.frame or MovingFrame(Vec3.zero(), Vec3.zero())


def _d12(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Acceleration:
    frame = _frame(load)
    return moving_frame_form(q, dq, J, torque(q, load), frame.w_OF_F, frame.alpha_OF_F)


# ---- closed multipliers ---------------------------------------------------------------------------


def _nothing(q: Quaternion, load: Load) -> Scalar:
    return 0


def _closed(of_load: Callable[[Quaternion, Load], Scalar]) -> ClosedMultiplier:
    """With g₅ the load's part alone."""
    return lambda q, dq, J, load: of_load(q, load)


def _closed_with_4T(of_load: Callable[[Quaternion, Load], Scalar]) -> ClosedMultiplier:
    """With g₃ 4T as well."""
    return lambda q, dq, J, load: four_kinetic_energies(q, dq, J) + of_load(q, load)


def _inertial_4T(q: Quaternion, dq: Quaternion, J: SymMat3, load: Load) -> Scalar:
    return J.quadratic_form(inertial_rate(q, dq, _frame(load).w_OF_F)) * 2


# ---- behaviour off the unit sphere ----------------------------------------------------------------

_EXACT = OffSphere("exact", 0, 0, 0, "T_ω / s²", lambda T, s: T / (s * s))


def _solved_quintic(power_of_b_for_forces: int, kind: str = "solved") -> OffSphere:
    return OffSphere(kind, 1, -1, power_of_b_for_forces, "T_ω e^{2s}", lambda T, s: T * exp(s * 2))


def _solved_cubic(power_of_b_for_forces: int) -> OffSphere:
    return OffSphere("solved", 0, -1, power_of_b_for_forces, "T_ω s²", lambda T, s: T * s * s)


_INVERSE_LITERAL = OffSphere("literal", 3, 1, 2, "T_ω e^{2s³/3}", lambda T, s: T * exp(s * s * s * 2 / 3))
_EXPLICIT_LITERAL = OffSphere("literal", 2, 0, 1, "T_ω e^{s²}", lambda T, s: T * exp(s * s))


# ---- the table ------------------------------------------------------------------------------------

_EXPLICIT = "q̈ = −2 Lᵀ J⁻¹ L L̇ᵀ J L q̇ + ½ Lᵀ J⁻¹ τ − q |q̇|²"

_TABLE = (
    Form(
        name="newton_euler",
        aliases=("g29", "unconstrained"),
        equation="G(29)",
        formula="J ω̇ = τ − ω × J ω, q̇ = ½ Lᵀ ω",
        order=2,
        multiplier="none",
        use="simulation, with ω as a state: least error, a drift of |q| does no harm",
        off_sphere=_EXACT,
        solver=_newton_euler,
        closed_multiplier=None,
    ),
    Form(
        name="s34",
        aliases=("s23", "augmented"),
        equation="S(23), S(34)",
        formula="M q̈ + g₅ + q λ = 2 Lᵀ τ",
        order=5,
        multiplier="0",
        use="constraints assembled in q̈ and λ, where λ shall be zero",
        off_sphere=_solved_quintic(0),
        solver=_quintic_with(Q1),
        closed_multiplier=_closed(_nothing),
    ),
    Form(
        name="s25",
        aliases=("s31", "square"),
        equation="S(25), S(33)",
        formula="4 J L q̈ + 8 L L̇ᵀ J L q̇ = 2 τ",
        order=4,
        multiplier="none",
        use="a square system of four without multiplier; the same numbers as s34",
        off_sphere=_solved_quintic(0),
        solver=_s25,
        closed_multiplier=None,
    ),
    Form(
        name="s39",
        aliases=("s29", "lagrange"),
        equation="S(29), S(39)",
        formula="M q̈ + g₃ + q λ = 2 Lᵀ τ",
        order=3,
        multiplier="4T",
        use="cheapest residual and Jacobian; solvers that hold qᵀq = 1 as an algebraic equation",
        off_sphere=_solved_cubic(0),
        solver=_cubic_with(Q1),
        closed_multiplier=_closed_with_4T(_nothing),
    ),
    Form(
        name="s32",
        aliases=("minimum_norm",),
        equation="S(32)",
        formula="M q̈ + g₅ = 2 Lᵀ τ, shortest q̈",
        order=5,
        multiplier="none",
        use="never alone: singular, shown for what it does to |q|",
        off_sphere=_solved_quintic(0, "alone"),
        solver=_s32,
        closed_multiplier=None,
    ),
    Form(
        name="s36",
        aliases=("closed_inverse",),
        equation="S(36)",
        formula="(q̈, λ) = [¼ Lᵀ J⁻¹ L, q; qᵀ, 0] (−g₅ + 2 Lᵀ τ, −|q̇|²)",
        order=7,
        multiplier="0",
        use="superseded by s38",
        off_sphere=_INVERSE_LITERAL,
        solver=_s36,
        closed_multiplier=_closed(_nothing),
    ),
    Form(
        name="s38",
        aliases=("explicit",),
        equation="S(38)",
        formula=_EXPLICIT,
        order=5,
        multiplier="0",
        use="an explicit equation of second order in q; |q| stays bounded by itself",
        off_sphere=_EXPLICIT_LITERAL,
        solver=_s38,
        closed_multiplier=_closed(_nothing),
    ),
    Form(
        name="s40",
        aliases=("explicit_lagrange",),
        equation="S(40)",
        formula=f"{_EXPLICIT}, λ = −8 qᵀ L̇ᵀ J L q̇",
        order=5,
        multiplier="4T",
        use="s38 with the multiplier of s39",
        off_sphere=_EXPLICIT_LITERAL,
        solver=_s40,
        closed_multiplier=_closed_with_4T(_nothing),
    ),
    Form(
        name="s79",
        aliases=("augmented_b1",),
        equation="S(79)",
        formula="M q̈ + g₅ + q λ = B₁ᵀ f",
        order=5,
        multiplier="0",
        use="s34 with the force's own Jacobian",
        off_sphere=_solved_quintic(0),
        solver=_quintic_with(Q1_by_B1),
        closed_multiplier=_closed(_nothing),
    ),
    Form(
        name="s82",
        aliases=("s83", "augmented_reduced"),
        equation="S(82), S(83)",
        formula="M q̈ + g₅ + q λ = 2 Hᵀ Eᵀ f",
        order=5,
        multiplier="2 fᵀRu",
        use="a force linear in q, with the constant Jacobian 2 Δ[f, u]",
        off_sphere=_solved_quintic(-1),
        solver=_quintic_with(reduced),
        closed_multiplier=_closed(twice_virial),
    ),
    Form(
        name="s84",
        aliases=("explicit_reduced",),
        equation="S(84)",
        formula="q̈ = −2 Lᵀ J⁻¹ L L̇ᵀ J L q̇ + ½ Lᵀ J⁻¹ L Hᵀ Eᵀ f − q |q̇|², λ = 2 qᵀ Hᵀ Eᵀ f",
        order=5,
        multiplier="2 fᵀRu",
        use="s38 with the force linear in q",
        off_sphere=_EXPLICIT_LITERAL,
        solver=_s84,
        closed_multiplier=_closed(twice_virial),
    ),
    Form(
        name="d21",
        aliases=("augmented_q2",),
        equation="D(21)",
        formula="M q̈ + g₅ + q λ = B₂ᵀ f",
        order=5,
        multiplier="2 fᵀ(R + 1)u",
        use="a force from a differentiated routine for S(5)",
        off_sphere=_solved_quintic(-1),
        solver=_quintic_with(Q2),
        closed_multiplier=_closed(twice_virial_of_R_plus_1),
    ),
    Form(
        name="s29_reduced",
        aliases=("lagrange_reduced",),
        equation="S(29) with 2 Hᵀ Eᵀ f",
        formula="M q̈ + g₃ + q λ = 2 Hᵀ Eᵀ f",
        order=3,
        multiplier="4T + 2 fᵀRu",
        use="lowest order in inertia and force",
        off_sphere=_solved_cubic(-1),
        solver=_cubic_with(reduced),
        closed_multiplier=_closed_with_4T(twice_virial),
    ),
    Form(
        name="s29_q2",
        aliases=("lagrange_q2",),
        equation="S(29) with B₂ᵀ f",
        formula="M q̈ + g₃ + q λ = B₂ᵀ f",
        order=3,
        multiplier="4T + 2 fᵀ(R + 1)u",
        use="the same from a differentiated routine for S(5)",
        off_sphere=_solved_cubic(-1),
        solver=_cubic_with(Q2),
        closed_multiplier=_closed_with_4T(twice_virial_of_R_plus_1),
    ),
    Form(
        name="d12",
        aliases=("moving_frame",),
        equation="D(12)",
        formula="4 L̇ᵀ J ω_I + 2 Lᵀ J ω̇_I − 2 Δ[ω_o, J ω_I] q + q λ = 2 Lᵀ τ, ω_I = Rᵀ ω_o + ω",
        order=3,
        multiplier="2 ω_Iᵀ J ω_I",
        use="attitude relative to an orbital frame; the constant is that of a frame at rest",
        off_sphere=_solved_cubic(0),
        solver=_d12,
        closed_multiplier=_inertial_4T,
        takes_moving_frame=True,
    ),
)

FORMS: Mapping[str, Form] = {form.name: form for form in _TABLE}
