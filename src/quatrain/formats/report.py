"""What was found when a file was read: what it holds, what was assumed, merged or ignored, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from quatrain.formats.source import Place

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True)
class Finding:
    """One thing that a reader of the file should know."""

    severity: str
    """"error": the model cannot be used so. "warning": it looks wrong, or something is left out. "info": a choice."""
    code: str
    """What kind of thing it is, in one word that stays: "assumed", "merged", "ignored", "inertia", "limits" …"""
    what: str
    do: str = ""
    place: Place | None = None

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.what}" + (f". To fix: {self.do}" if self.do else "")

    def as_dict(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "file": self.place.file if self.place else None,
            "line": self.place.line if self.place else None,
            "what": self.what,
            "do": self.do or None,
        }


@dataclass(frozen=True)
class LoadReport:
    """Of one file: its format, what it held, and the findings in the order of its lines."""

    source: str
    format: str
    held: tuple[tuple[str, int], ...] = ()
    """How many of what: links, joints, shapes …"""
    findings: tuple[Finding, ...] = field(default=())

    def of(self, *codes: str) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.code in codes)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "source": self.source,
            "format": self.format,
            "held": dict(self.held),
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int = 6) -> Iterator[str]:
        """For reading: at most so many findings of one kind, and how many more there are."""
        held = ", ".join(f"{n} {name if n != 1 else _one_of(name)}" for name, n in self.held)
        yield f"{self.source} ({self.format}): {held}"
        codes = dict.fromkeys(finding.code for finding in self.findings)
        for severity in SEVERITIES:
            for code in codes:
                found = [f for f in self.findings if f.severity == severity and f.code == code]
                shown = list(one_by_one(found))
                yield from (f"  {severity} [{code}] {text}" for text in shown[:most])
                if len(shown) > most:
                    yield f"  {severity} [{code}] … and {len(shown) - most} more like this"


def _one_of(names: str) -> str:
    return f"{names.removesuffix('ies')}y" if names.endswith("ies") else names.removesuffix("s")


def one_by_one(findings: Iterable[Finding]) -> Iterator[str]:
    """Their texts; what is said of several lines is said once, with the lines."""
    same: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        file = finding.place and finding.place.file
        same.setdefault((finding.severity, finding.code, file, finding.what, finding.do), []).append(finding)
    for first, *others in same.values():
        if first.place is None or not others:
            yield f"{first}" + (f" ({len(others) + 1} times)" if others else "")
            continue
        lines = ", ".join(str(one.place.line) for one in others[:5] if one.place)
        more = f" … ({len(others) + 1} in all)" if len(others) > 5 else ""
        yield f"{first.place}, {lines}{more}{str(first).removeprefix(str(first.place))}"


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By line; those of no line come first."""
    return tuple(sorted(findings, key=lambda f: (f.place is not None, f.place.line if f.place else 0)))
