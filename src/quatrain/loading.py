"""`qt.load`: a robot from a file, checked, with a report of what was read, assumed, merged and ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quatrain import examples, formats
from quatrain.checks import Fault, examined
from quatrain.edit import merged_fixed
from quatrain.errors import ArgumentError
from quatrain.faults.sizes import slips
from quatrain.formats.reading import Reading, raise_errors
from quatrain.formats.report import Finding, LoadReport, in_order
from quatrain.formats.source import some
from quatrain.model import WORLD, Model
from quatrain.robot import Robot


def load(
    source: str | Path,
    *,
    base: str = "auto",
    mimic: str = "exact",
    inertia: str = "error",
    merge_fixed: bool = True,
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
    **options: Any,
) -> Robot:
    """The robot in a file (URDF, xacro, MJCF, SDF, our JSON), or in a text; `robot.report` says what became of it.

    `base`: "auto" does what the file says, and fixes the base to the ground where it says nothing; "fixed", "floating".
    `mimic`: "exact": a joint that follows another has no coordinate of its own; "independent": it has.
    `inertia`: what to do about inertias that no matter can have: "error", "warn" (keep them), "repair".
    `merge_fixed`: bodies on fixed joints become parts of their parents and remain frames of their names.
    `roots`: folders outside the file's own from which it may include files and take meshes for inertias.
    `arguments`: of a .xacro, which is written out by the xacro library; only files of that name are.
    `options` are those of `Robot`: dtype, threads, normalize.
    """
    model, report = load_model(
        source,
        base=base,
        mimic=mimic,
        inertia=inertia,
        merge_fixed=merge_fixed,
        roots=roots,
        arguments=arguments,
    )
    return Robot(model, report=report, **options)


def load_model(
    source: str | Path,
    *,
    base: str = "auto",
    mimic: str = "exact",
    inertia: str = "error",
    merge_fixed: bool = True,
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
) -> tuple[Model, LoadReport]:
    """The model alone, and the report."""
    with formats.uncollected():
        reading, name = formats.read(source, base=base, mimic=mimic, roots=roots, arguments=arguments)
        return _loaded(reading, name, inertia, merge_fixed)


def _loaded(reading: Reading, name: str, inertia: str, merge_fixed: bool) -> tuple[Model, LoadReport]:
    model, findings = _checked(reading, inertia)
    if merge_fixed:
        merged = merged_fixed(model)
        gone = model.nb - merged.nb
        if gone:
            became = (
                "bodies on fixed joints became frames" if gone > 1 else "body on a fixed joint became a frame"
            )
            names = some(name for name in model.body_names if name not in merged.body_names)
            do = "edit.split_fixed or merge_fixed=False has them as bodies"
            findings.append(Finding("info", "merged", f"{gone} {became} ({names}); {do}"))
        model = merged
    return model, LoadReport(name, reading.format, reading.held, in_order(findings))


def named_model(name: str, **options: Any) -> tuple[Model, LoadReport | None]:
    """A model by the name of a file or of an embedded example."""
    if Path(name).exists() or Path(name).suffix:
        return load_model(name, **options)
    if options.get("arguments"):
        raise ArgumentError(
            f"there is no file {name!r}, and arguments came", do="name a .xacro: only they have any"
        )
    try:
        return examples.model(name), None
    except ArgumentError as error:
        raise ArgumentError(f"there is no file {name!r}, and no such example", do=error.do) from None


def summary(model: Model, report: LoadReport | None) -> dict[str, Any]:
    """For JSON."""
    return {
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "nu": model.nu,
        "nb": model.nb,
        "mass": float(model.mass),
        "gravity": [float(x) for x in model.gravity],
        "q": model.q_names,
        "v": model.v_names,
        "bodies": [
            {
                "name": body.name,
                "parent": "world" if body.parent == WORLD else model.bodies[body.parent].name,
                "joint": body.joint.name,
                "kind": body.joint.kind,
                "mass": float(body.mass),
            }
            for body in model.bodies
        ],
        "frames": [frame.name for frame in model.frames],
        "report": None if report is None else report.as_dict(),
    }


def _checked(reading: Reading, inertia: str) -> tuple[Model, list[Finding]]:
    """The model, if it can be, and all findings."""
    model, faults = faults_of(reading, inertia)
    findings = [*reading.findings, *faults]
    raise_errors([finding for finding in findings if finding.severity == "error"])
    return model, findings


def faults_of(reading: Reading, inertia: str) -> tuple[Model, list[Finding]]:
    """The model by this policy; its faults as findings, with the lines that they come from."""
    model, faults = examined(reading.model, inertia=inertia)
    findings = [_finding(fault, reading) for fault in faults]
    if all(finding.severity != "error" for finding in findings):
        findings += [_finding(fault, reading, "units") for fault in slips(model)]
    return model, findings


def _finding(fault: Fault, reading: Reading, code: str = "model") -> Finding:
    place = reading.places.get(fault.where)
    return Finding(fault.severity, code, f"{fault.where}: {fault.what}", fault.do, place)
