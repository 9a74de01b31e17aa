"""What must hold of a model, and every fault of it in one report."""

from __future__ import annotations

import logging
from dataclasses import replace

from quatrain.errors import ArgumentError, QuatrainError
from quatrain.faults import Fault, finite
from quatrain.faults.equipment import keyframes, of_equipment
from quatrain.faults.inertias import listed, of_body, principal_moments, repaired
from quatrain.faults.joints import of_joint
from quatrain.faults.singular import singular
from quatrain.faults.structure import following, names, order
from quatrain.model import Model

__all__ = ["POLICIES", "Fault", "ModelError", "checked", "examined", "find_faults"]

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


def checked(model: Model, *, inertia: str = "error") -> Model:
    """The model, if it can be; else a `ModelError` with every fault. Warnings go to the log, `quatrain`.

    `inertia` says what to do about a body whose inertia no matter can have (negative, indefinite): "error"; "warn",
    and keep it; or "repair": the nearest that can be, and say so. A broken triangle inequality is a warning, as it
    spoils no algorithm; under "repair" it is mended too. NaN and negative mass are errors always.
    """
    model, faults = examined(model, inertia=inertia)
    for fault in faults:
        if fault.severity == "warning":
            logger.warning("%s: %s", model.name, fault)
    errors = tuple(fault for fault in faults if fault.severity == "error")
    if not errors:
        return model
    if len(errors) == 1:
        only = errors[0]
        raise ModelError(f"{only.where} of {model.name}: {only.what}", do=only.do, faults=errors)
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
    found = [*names(model), *order(model), *following(model)]
    for body in model.bodies:
        found += [*of_joint(body.joint), *of_body(body)]
    found += of_equipment(model)
    if not finite(*model.gravity):
        found.append(
            Fault("error", "gravity", f"it is {tuple(model.gravity)}", "give three finite numbers [m/s²]")
        )
    if not _has_errors(found):
        found += keyframes(model)
    # Only a tree that holds together has a mass matrix; an inertia that cannot be does not stop the search.
    if not _has_errors([fault for fault in found if not fault.policy]):
        found += singular(model)
    return found


def _has_errors(faults: list[Fault]) -> bool:
    return any(fault.severity == "error" for fault in faults)


def _with_policy(fault: Fault, inertia: str) -> Fault:
    return replace(fault, severity="warning") if fault.policy == "inertia" and inertia == "warn" else fault
