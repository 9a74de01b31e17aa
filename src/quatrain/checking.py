"""`quatrain check`: everything that is or looks wrong with a file, what to do, and whether its robot adds up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quatrain import formats
from quatrain.edit import merged_fixed
from quatrain.errors import ArgumentError, QuatrainError
from quatrain.formats.report import SEVERITIES, Finding, LoadReport, in_order, one_by_one
from quatrain.formats.source import Place
from quatrain.formats.writing import SaveReport
from quatrain.loading import faults_of
from quatrain.mending import mended
from quatrain.robot import Robot
from quatrain.saving import save
from quatrain.verify import Verification


@dataclass(frozen=True)
class CheckReport:
    """What was found of one file."""

    load: LoadReport
    """Its format is empty where the file could not be read."""
    verification: Verification | None
    unverified: str
    """Why the robot's equations were not compared, if they were not."""

    @property
    def passed(self) -> bool:
        """Whether there is no error, and the equations agree."""
        return not self.load.errors and (self.verification is None or self.verification.passed)

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.load.findings)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = self.verification
        return {
            **self.load.as_dict(),
            "passed": self.passed,
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "verification": None
            if told is None
            else {
                "passed": told.passed,
                "states": told.states,
                "tolerance": told.tolerance,
                "checks": [
                    {
                        "title": one.title,
                        "figure": one.figure,
                        "joint": one.joint or None,
                        "passed": one.passed,
                    }
                    for one in told.checks
                ],
            },
            "not_verified": self.unverified or None,
        }

    def lines(self) -> Iterator[str]:
        """For reading: every finding, the worst first, each with its remedy."""
        if self.load.format:
            yield next(iter(self.load.lines()))
        for severity in SEVERITIES:
            found = [finding for finding in self.load.findings if finding.severity == severity]
            for code in dict.fromkeys(finding.code for finding in found):
                texts = one_by_one(finding for finding in found if finding.code == code)
                yield from (f"  {severity} [{code}] {text}" for text in texts)
        counted = ", ".join(f"{self.count(s)} {s}{'s' * (self.count(s) != 1)}" for s in SEVERITIES[:2])
        yield counted
        if self.verification is not None:
            told = self.verification
            failed, count = len(told.failures), len(told.checks)
            verdict = f"{failed} of {count}" if failed else f"all {count}"
            verdict += f" comparisons of its equations {'disagree' if failed else 'agree'}"
            yield f"{verdict}, on {told.states} random states, to {told.tolerance:.0e}"
            for one in told.failures:
                yield f"  {one.title}: {one.figure:.1e}, most at joint {one.joint!r}"
        elif self.unverified:
            yield f"its equations were not compared: {self.unverified}"


def check(
    source: str | Path,
    *,
    base: str = "auto",
    mimic: str = "exact",
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
    verify: bool = True,
    states: int = 4,
) -> CheckReport:
    """All findings, errors among them; and, where the model can be, its equations by several roads."""
    try:
        reading, name = formats.read(source, base=base, mimic=mimic, roots=roots, arguments=arguments)
    except QuatrainError as error:
        findings = getattr(error, "findings", ()) or (_finding(error),)
        load = LoadReport(Path(source).name if Path(source).suffix else "text", "", (), tuple(findings))
        return CheckReport(load, None, "the file could not be read")
    model, faults = faults_of(reading, "error")
    load = LoadReport(name, reading.format, reading.held, in_order((*reading.findings, *faults)))
    if load.errors:
        return CheckReport(load, None, "the model has errors")
    if not verify:
        return CheckReport(load, None, "not asked for")
    merged = merged_fixed(model)
    if merged.nv == 0:
        return CheckReport(load, None, "nothing in it moves")
    try:
        return CheckReport(load, Robot(merged).verify(states), "")
    except QuatrainError as error:  # no answer where the mass matrix is singular, which a finding says
        return CheckReport(load, None, error.what)


def repair(
    source: str | Path,
    target: str | Path,
    *,
    base: str = "auto",
    mimic: str = "exact",
    roots: Iterable[str | Path] = (),
    arguments: Mapping[str, str] | None = None,
) -> tuple[tuple[Finding, ...], SaveReport]:
    """Write a mended copy; every change to the model, and what the copy's format could not hold."""
    if Path(source).exists() and Path(target).exists() and Path(source).samefile(target):
        raise ArgumentError(
            f"{Path(source).name} would be written over, and lose its comments and its layout",
            do="name another file for the mended copy",
        )
    reading, _ = formats.read(source, base=base, mimic=mimic, roots=roots, arguments=arguments)
    model, changes = mended(reading.model)
    return tuple(changes), save(model, target)


def _finding(error: QuatrainError) -> Finding:
    place = error.where if isinstance(error.where, Place) else None
    what = error.what if place is not None or error.where is None else f"{error.where}: {error.what}"
    return Finding("error", "structure", what, error.do, place)
