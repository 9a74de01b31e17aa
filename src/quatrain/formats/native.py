"""Our own format: a JSON that holds every model exactly, with the names of its fields.

    {"format": "quatrain", "version": 1, "name": "pendulum", "bodies": [{"name": "rod", "parent": "world", …}], …}

Keys are the fields of `Model`, `Body`, `Joint` and so on; what has its default value is left out. Bodies alone are
meant by name, where the model has their number. The folders of a model are left out: they are of one machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from quatrain.formats.json_values import Decoder, encoded, laid_out, parsed
from quatrain.formats.lowering import independent
from quatrain.formats.reading import Choices, Reading
from quatrain.formats.report import Finding
from quatrain.formats.source import FormatError, some
from quatrain.formats.writing import Target, WriteNotes, Written
from quatrain.model import AXES, JOINT_KINDS, WORLD, Joint, Model

FORMAT = "quatrain"
VERSION = 1
"""Of the format. It grows when a file of it cannot be read by those who know the version before."""

_GROUND = "world"
_CARRIED = {"bodies": "parent", "frames": "body", "shapes": "body"}
"""Where a body is meant, in which list."""


def write_native(model: Model, target: Target, notes: WriteNotes) -> Written:
    """All of it."""
    whole = encoded(replace(model, folders=()))  # those of this machine; a file stands where it is read
    _name_bodies(whole, model)
    whole = {"name": model.name, "gravity": encoded(model.gravity, "gravity"), **whole}
    text = laid_out({"format": FORMAT, "version": VERSION, **whole})
    return Written(text, f"JSON, version {VERSION}", _held(model))


def _name_bodies(whole: dict[str, Any], model: Model) -> None:
    """The names of bodies in place of their numbers."""
    names = model.body_names
    for list_name, key in _CARRIED.items():
        for one in whole.get(list_name, ()):
            number = int(one[key])
            one[key] = _GROUND if number == WORLD else names[number]
    if model.unmerged is not None:
        _name_bodies(whole["unmerged"], model.unmerged)


def read_native(content: bytes, name: str, choices: Choices) -> Reading:
    """The model of a JSON text."""
    whole = parsed(content, name)
    decoder = Decoder(name)
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise FormatError(
            "this JSON does not say that it is a model of ours",
            do=f'a model begins with {{"format": "{FORMAT}", "version": {VERSION}, …}}; qt.save writes it',
            where=name,
        )
    version = decoder.value(int, whole.get("version"), "version")
    if not 1 <= version <= VERSION:
        raise FormatError(
            f"it is of version {version} of the format, and this version of the library reads up to {VERSION}",
            do="update the library, or save the model again with one that reads it",
            where=name,
        )
    if "folders" in whole or "folders" in (whole.get("unmerged") or ()):
        raise FormatError(
            "it names folders; those that a model may read from are not for its file to say",
            do="pass them as roots=[…] when it is loaded",
            where=name,
        )
    given = {key: value for key, value in whole.items() if key not in ("format", "version")}
    model = decoder.object(Model, _numbered(given, decoder), "")
    for k, body in enumerate(model.bodies):
        if body.joint.kind not in JOINT_KINDS:
            path, kinds = f"bodies[{k}].joint.kind", ", ".join(JOINT_KINDS)
            raise decoder.fail(path, body.joint.kind, "the kind of a joint", f"write one of {kinds}")
    findings: list[Finding] = []
    model = _on_its_base(model, choices, findings, name)
    if choices.mimic == "independent":
        fitting = all((len(key.q), len(key.v)) == (model.nq, model.nv) for key in model.keyframes)
        model = independent(model if fitting else replace(model, keyframes=()))
    return Reading(model, f"JSON, version {version}", _held(model), tuple(findings))


def _held(model: Model) -> tuple[tuple[str, int], ...]:
    return (("bodies", model.nb), ("frames", len(model.frames)), ("shapes", len(model.shapes)))


def _numbered(given: dict[str, Any], decoder: Decoder, path: str = "") -> dict[str, Any]:
    """With the numbers of bodies in place of their names."""
    bodies = given.get("bodies")
    listed = bodies if isinstance(bodies, list) else []
    numbers = {_GROUND: WORLD}
    for k, body in enumerate(listed):
        if isinstance(body, dict) and "name" in body:
            numbers.setdefault(decoder.value(str, body["name"], f"{path}bodies[{k}].name"), k)
    found = dict(given)
    for list_name, key in _CARRIED.items():
        if not isinstance(found.get(list_name), list):
            continue
        found[list_name] = [
            {**one, key: _number(one[key], f"{path}{list_name}[{k}].{key}", numbers, decoder)}
            if isinstance(one, dict) and key in one
            else one
            for k, one in enumerate(found[list_name])
        ]
    if isinstance(found.get("unmerged"), dict) and not path:
        found["unmerged"] = _numbered(found["unmerged"], decoder, "unmerged.")
    return found


def _number(name: Any, path: str, numbers: dict[str, int], decoder: Decoder) -> int:
    if not isinstance(name, str) or name not in numbers:
        raise decoder.fail(path, name, "the name of a body", f"name one of {some(numbers)}")
    return numbers[name]


def _on_its_base(model: Model, choices: Choices, findings: list[Finding], where: str) -> Model:
    """The file says how the model stands; the caller may say otherwise of one body that is fixed or free."""
    if choices.base == "auto" or not model.bodies:
        return model
    kind, other = ("free", "fixed") if choices.base == "floating" else ("fixed", "free")
    first = model.bodies[0]
    joint = first.joint
    alone = sum(body.parent == WORLD for body in model.bodies) == 1
    if joint.kind == kind and alone:
        return model
    if joint.kind != other or not alone:
        raise FormatError(
            f"base={choices.base!r} was asked for, and {first.name!r} stands on the ground on a {joint.kind} joint"
            + ("" if alone else ", beside others"),
            do=f"leave base out, or save it loaded with merge_fixed=False, its base on a {other} joint",
            where=where,
        )
    changed = Joint(joint.name, kind, joint.X_PJ, joint.X_MB, axes=AXES if kind == "free" else ())
    what = f"{first.name!r} {'floats' if kind == 'free' else 'is fixed to the ground'}, as asked"
    findings.append(Finding("info", "assumed", what))
    # States are those of the machine as it was.
    return replace(model, bodies=(replace(first, joint=changed), *model.bodies[1:]), keyframes=())
