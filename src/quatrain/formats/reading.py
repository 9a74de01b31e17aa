"""What a reader of a format makes of a file: a model that nobody has checked yet, and where its parts stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quatrain.formats.report import Finding, in_order
from quatrain.formats.source import Element, FormatError, Place
from quatrain.geometry import Quaternion, SymMat3, Vec3
from quatrain.model import Extra, Model
from quatrain.rotations import AngleConvention

BASES = ("auto", "fixed", "floating")
MIMICS = ("exact", "independent")

_RPY = AngleConvention("rpy")


@dataclass(frozen=True)
class Choices:
    """What the caller wants of a reader."""

    base: str = "auto"
    """"auto": as the file says, else fixed."""
    mimic: str = "exact"
    """"exact": a joint that follows another has no coordinate; "independent": it has."""
    path: Path | None = None
    """The file, if it is one."""
    text: str = ""
    """What was given, if it is not."""
    roots: tuple[Path, ...] = ()
    """Further folders that the file may refer to."""

    def allowed(self) -> list[Path]:
        """Folders within which other files are read: the file's own, and those that the caller names."""
        own = [] if self.path is None else [self.path.parent]
        return [folder.resolve() for folder in (*own, *self.roots)]


@dataclass(frozen=True)
class Reading:
    """A model as the file has it: nothing merged, nothing repaired."""

    model: Model
    format: str
    held: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]
    places: Mapping[str, Place] = field(default_factory=dict)
    """Where "body 'name'", "joint 'name'", "frame 'name'" stand, as faults of a model name them."""


class Notes:
    """Findings as they are made. Errors are gathered too, so that all of them are told at once."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._aside: dict[tuple[str, str, str], tuple[Element, int]] = {}

    def add(self, severity: str, code: str, element: Element | None, what: str, do: str = "") -> None:
        self.findings.append(Finding(severity, code, what, do, element.place if element else None))

    def error(self, element: Element, what: str, do: str, code: str = "structure") -> None:
        self.add("error", code, element, what, do)

    def stop_on_errors(self) -> None:
        """Raises what is wrong, if anything is."""
        raise_errors([finding for finding in self.findings if finding.severity == "error"])

    def ignored(self, *roots: Element) -> None:
        """What nobody has asked for, and what was set aside."""
        for (tag, why, severity), (element, count) in self._aside.items():
            times = f", {count} times" if count > 1 else ""
            self.add(severity, "ignored", element, f"<{tag}>{times}: {why}")
        for root in roots:
            for place, what in root.unread():
                self.findings.append(Finding("warning", "ignored", f"{what} is not read", place=place))

    def aside(self, elements: Iterable[Element], why: str, severity: str = "info") -> None:
        """Elements that are known and have no effect here: one finding for all of one tag."""
        for element in elements:
            element.set_aside()
            first, count = self._aside.get((element.tag, why, severity), (element, 0))
            self._aside[element.tag, why, severity] = first, count + 1

    def kept(self, elements: Iterable[Element]) -> tuple[Extra, ...]:
        """Elements that are not interpreted, as extras of the model."""
        first: dict[str, tuple[Element, int]] = {}
        extras = []
        for element in elements:
            extras.append(extra_of(element))
            found, count = first.get(element.tag, (element, 0))
            first[element.tag] = (found, count + 1)
        for tag, (element, count) in first.items():
            times = f", {count} times" if count > 1 else ""
            self.add(
                "info",
                "kept",
                element,
                f"<{tag}>{times}: kept in model.extras, without effect on the dynamics",
            )
        return tuple(extras)


def raise_errors(errors: list[Finding]) -> None:
    """One error for one finding; for several the first, with all of them in its text."""
    if not errors:
        return
    ordered = in_order(errors)
    first = ordered[0]
    if len(ordered) == 1:
        raise FormatError(first.what, do=first.do, where=first.place, findings=ordered)
    listed = "\n".join(f"  - {finding}" for finding in ordered)
    raise FormatError(
        f"{len(ordered)} things are wrong:\n{listed}\n",
        do="mend all of them",
        where=first.place and first.place.file,
        findings=ordered,
    )


def extra_of(element: Element) -> Extra:
    """An element as it stands, with all that is in it."""
    element._taken = True
    attributes = dict(element.everything())
    text = element.text()
    if text:
        attributes["text"] = text
    parts = tuple(extra_of(child) for child in element.others())
    return Extra(
        element.tag, attributes.get("name", ""), tuple(attributes.items()), parts, str(element.place)
    )


def unit_of_xyzw(xyzw: Sequence[float], element: Element, notes: Notes) -> Quaternion:
    """A rotation as files write it, scalar last."""
    q = Quaternion.from_xyzw(*xyzw)
    norm = q.norm()
    if not norm > 0:
        element.fail("quat_xyzw is zero", do='no rotation is quat_xyzw="0 0 0 1"')
    if abs(norm - 1) > 1e-6:
        notes.add("warning", "rotation", element, f"quat_xyzw has norm {norm:.6g}: it is normalised")
    return q.normalised()


def inertia_in_body(I_C: SymMat3, q_BC: Quaternion) -> SymMat3:
    """About the same point, from axes that are turned in the body's."""
    return I_C if q_BC == Quaternion.identity() else I_C.rotated(q_BC.to_matrix())


def rotation_of_rpy(rpy: Vec3) -> Quaternion:
    """Roll, pitch and yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    if rpy.x == rpy.y == rpy.z == 0:
        return Quaternion.identity()
    return _RPY.to_quaternion(rpy)
