"""What must hold of a model, and every fault of it in one report."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

from quatrain.errors import ArgumentError, QuatrainError
from quatrain.faults import Fault, finite
from quatrain.faults.equipment import keyframes, of_equipment
from quatrain.faults.inertias import listed, of_body, principal_moments, repaired
from quatrain.faults.joints import of_joint
from quatrain.faults.singular import singular
from quatrain.faults.structure import following, names, order
from quatrain.model import Model

__all__ = ["POLICIES", "Fault", "ModelError", "checked", "examined", "find_faults", "refuse_unsound"]

logger = logging.getLogger("quatrain")

POLICIES = ("error", "warn", "repair")


class ModelError(QuatrainError):
    """A model that cannot be; `faults` has all that was found."""

    def __init__(self, what: str, *, do: str, where: object = None, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(what, do=do, where=where)
        self.faults = faults

    def __str__(self) -> str:
        if len(self.faults) < 2:
            return super().__str__()
        lines = [f"{self.what}:"]
        for fault in self.faults:
            lines += [f"  - {fault.where}: {fault.what}.", f"    To fix: {fault.do}."]
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.what, self.do, self.where, self.faults)


def _rebuild(what: str, do: str, where: object, faults: tuple[Fault, ...]) -> ModelError:
    return ModelError(what, do=do, where=where, faults=faults)


def checked(model: Model, *, inertia: str = "error", also: Iterable[Fault] = ()) -> Model:
    """The model, if it can be; else a `ModelError` with every fault, and those that were found before (`also`).

    Warnings go to the log, `quatrain`.

    `inertia` says what to do about a body whose inertia no matter can have (negative, indefinite): "error"; "warn",
    and keep it; or "repair": the nearest that can be, and say so. A broken triangle inequality is a warning, as it
    spoils no algorithm; under "repair" it is mended too. NaN and negative mass are errors always.
    """
    model, faults = examined(model, inertia=inertia)
    for fault in faults:
        if fault.severity == "warning":
            logger.warning("%s: %s", model.name, fault)
    _refuse(model, (*also, *faults))
    return model


def refuse_unsound(model: Model) -> None:
    """An error with every fault that no policy lets pass; whether M is singular is not looked for."""
    _refuse(model, [fault for fault in _apart_from_dynamics(model) if not fault.policy])


def _refuse(model: Model, faults: Iterable[Fault]) -> None:
    errors = tuple(fault for fault in faults if fault.severity == "error")
    if len(errors) == 1:
        only = errors[0]
        raise ModelError(f"{only.where} of {model.name}: {only.what}", do=only.do, faults=errors)
    if errors:
        raise ModelError(f"{model.name} has {len(errors)} faults", do="mend all of them", faults=errors)


def examined(model: Model, *, inertia: str = "error") -> tuple[Model, tuple[Fault, ...]]:
    """The model, repaired if that is the policy, and everything that is or looks wrong with it."""
    if inertia not in POLICIES:
        raise ArgumentError(f"inertia is {inertia!r}", do=f"choose {', '.join(POLICIES)}")
    mended: list[Fault] = []
    if inertia == "repair":
        bodies = tuple(map(repaired, model.bodies))
        for before, after in zip(model.bodies, bodies, strict=True):
            if after is not before:
                old, new = (listed(principal_moments(body.I_Bcm_B)) for body in (before, after))
                what = f"the principal moments {old} are replaced by {new}"
                do = "correct them where they come from"
                mended.append(Fault("warning", f"body {before.name!r}", what, do))
        model = replace(model, bodies=bodies)
    return model, (*mended, *(_with_policy(fault, inertia) for fault in find_faults(model)))


def find_faults(model: Model) -> list[Fault]:
    """Everything that is wrong or looks wrong: names and order, then body by body, then what they carry."""
    found = _apart_from_dynamics(model)
    # Only a tree that holds together has a mass matrix.
    return found if _falls_apart(found) else [*found, *singular(model)]


def _apart_from_dynamics(model: Model) -> list[Fault]:
    found = [*names(model), *order(model), *following(model)]
    for body in model.bodies:
        found += [*of_joint(body.joint), *of_body(body)]
    found += of_equipment(model)
    if not finite(*model.gravity):
        found.append(
            Fault("error", "gravity", f"it is {tuple(model.gravity)}", "give three finite numbers [m/s²]")
        )
    return found if _falls_apart(found) else [*found, *keyframes(model)]


def _falls_apart(faults: list[Fault]) -> bool:
    """An inertia that cannot be does not stop the search."""
    return any(fault.severity == "error" and not fault.policy for fault in faults)


def _with_policy(fault: Fault, inertia: str) -> Fault:
    if fault.policy != "inertia" or inertia != "warn":
        return fault
    return replace(fault, severity="warning", do="correct it, or pass inertia='repair'")
