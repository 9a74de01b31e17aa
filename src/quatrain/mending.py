"""What of a model can be put right without asking anybody: each change is told."""

from __future__ import annotations

from dataclasses import replace

from quatrain.checks import examined
from quatrain.formats.report import Finding
from quatrain.geometry import Pose
from quatrain.joint import Joint, Limits
from quatrain.model import Body, Model

_SIZES = ("velocity", "effort", "acceleration", "deceleration", "jerk")


def mended(model: Model) -> tuple[Model, list[Finding]]:
    """The nearest model that can be, and every change; what cannot be put right stays as it is."""
    findings: list[Finding] = []

    def tell(where: str, what: str) -> None:
        findings.append(Finding("info", "repaired", f"{where}: {what}"))

    def limits(one: Limits, where: str) -> Limits:
        if one.lower is not None and one.upper is not None and one.lower > one.upper:
            tell(where, f"limits {one.lower:g} and {one.upper:g} have changed places")
            one = replace(one, lower=one.upper, upper=one.lower)
        for name in _SIZES:
            value = getattr(one, name)
            if value is not None and value < 0:
                tell(where, f"greatest {name} {value:g} became {-value:g}")
                one = replace(one, **{name: -value})
        return one

    def pose(X: Pose, where: str) -> Pose:
        norm = float(X.q.norm())
        if not norm > 0 or abs(norm - 1) < 1e-9:
            return X
        tell(where, f"a quaternion of norm {norm:.6g} was normalised")
        return Pose(X.q.normalised(), X.p)

    def joint(one: Joint) -> Joint:
        where = f"joint {one.name!r}"
        axes = []
        for axis in one.axes:
            size = float(axis.norm())
            wrong = size > 0 and abs(size - 1) >= 1e-9
            if wrong:
                tell(where, f"an axis of length {size:.6g} was normalised")
            axes.append(axis / size if wrong else axis)
        return replace(
            one,
            axes=tuple(axes),
            X_PJ=pose(one.X_PJ, where),
            X_MB=pose(one.X_MB, where),
            limits=tuple(limits(each, where) for each in one.limits),
        )

    def body(one: Body) -> Body:
        return replace(one, joint=joint(one.joint))

    frames = tuple(replace(one, X_BF=pose(one.X_BF, f"frame {one.name!r}")) for one in model.frames)
    shapes = tuple(replace(one, X_BG=pose(one.X_BG, f"shape {one.name!r}")) for one in model.shapes)
    changed = replace(model, bodies=tuple(map(body, model.bodies)), frames=frames, shapes=shapes)
    possible, faults = examined(changed, inertia="repair")
    for fault in faults:
        if "are replaced by" in fault.what:
            tell(fault.where, fault.what)
    return possible, findings
