"""MJCF: walked by our own reader for what it includes, then read from the model that MuJoCo's compiler makes of it.

MuJoCo's order of bodies, qpos and qvel is the order here, so that states pass from one to the other as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from quatrain.errors import QuatrainError
from quatrain.formats import mjcf_joints
from quatrain.formats.child import answer_of
from quatrain.formats.mjcf_extras import extras_of
from quatrain.formats.mjcf_parts import actuators_of, keyframes_of, shapes_of
from quatrain.formats.mjcf_places import found_elements
from quatrain.formats.mjcf_walk import Walk, walked
from quatrain.formats.reading import Choices, Notes, Reading
from quatrain.formats.source import Element, FormatError, Place
from quatrain.geometry import Pose, Quaternion, SymMat3, Vec3
from quatrain.model import WORLD, Body, Frame, Model

SECONDS = 120
"""So long MuJoCo's compiler may take."""

_IDENTITY = Quaternion.identity()
_ZERO = Vec3(0.0, 0.0, 0.0)
_MAY_BE_ENDLESS = ("geom_size", "key_qpos", "key_qvel")
_NOTHING = SymMat3(*(0.0,) * 6)


def read_mjcf(root: Element, choices: Choices) -> Reading:
    """The model of a <mujoco>."""
    notes = Notes()
    walk = walked(root, choices, notes)
    compiled = Compiled(_compiled(root, choices, walk), walk)
    for file, wrong in compiled.raw["notes"]:
        what = f"mesh {file!r} {wrong}: it is not needed for the dynamics"
        notes.add("info", "shapes", walk.mesh(file), what)
    for name, value in compiled.raw["medium"].items():
        if value:
            what = f"the medium has {name} {value:g}: its forces are not modelled here"
            notes.add("warning", "ignored", walk.options.get(name), what)
    bodies, numbers = _bodies(compiled, choices, notes)
    model = Model(
        compiled.raw["name"] or root.get("model") or "model",
        tuple(bodies),
        tuple(_frames(compiled, numbers)),
        Vec3(*compiled.raw["gravity"]),
        actuators=tuple(actuators_of(compiled, notes)),
        shapes=tuple(shapes_of(compiled, numbers)),
        extras=tuple(extras_of(compiled, notes)),
    )
    model = _with_keyframes(model, compiled)
    notes.ignored()
    held = (
        ("bodies", len(compiled.names["body"]) - 1),
        ("joints", len(compiled.names["joint"])),
        ("shapes", len(model.shapes)),
    )
    made_by = f"MJCF, by MuJoCo {compiled.raw['version']}"
    return Reading(model, made_by, held, tuple(notes.findings), _places(model, compiled))


@dataclass
class Compiled:
    """What the compiler has made: arrays by MuJoCo's own names."""

    raw: dict[str, Any]
    walk: Walk

    def __post_init__(self) -> None:
        self.names: dict[str, list[str]] = {
            kind: _filled(kind, names) for kind, names in self.raw["names"].items()
        }
        self.elements = found_elements(self.walk, self.raw["names"], self.names)
        for name, listed in self.raw["arrays"].items():
            if name not in _MAY_BE_ENDLESS and not _all_finite(listed):
                raise FormatError(
                    f"MuJoCo's compiler gives a number in {name} that is not finite, or over 1e100",
                    do="check the masses, sizes and axes of the file",
                )

    def __getitem__(self, name: str) -> list[Any]:
        return self.raw["arrays"][name]

    def element(self, kind: str, name: str) -> Element | None:
        """Of the file, if it is known which one made this."""
        return self.elements.get(f"{kind} {name!r}")

    def pose(self, kind: str, k: int) -> Pose:
        return Pose(unit(self[f"{kind}_quat"][k]), Vec3(*self[f"{kind}_pos"][k]))


def _all_finite(listed: Any) -> bool:
    if isinstance(listed, list):
        return all(map(_all_finite, listed))
    return abs(listed) < 1e100  # NaN is not


def _filled(kind: str, names: list[str]) -> list[str]:
    """What has no name is called by its kind and number; shapes may go without."""
    if kind in ("geom", "mesh", "material"):
        return names
    taken, found = {*names}, []
    for k, given in enumerate(names):
        name = given or f"{kind}{k}"
        while not given and name in taken:
            name += "_"
        taken.add(name)
        found.append(name)
    return found


def unit(wxyz: list[float]) -> Quaternion:
    q = Quaternion(*wxyz)
    return q if q == _IDENTITY else q.normalised()


# ---- the file -----------------------------------------------------------------------------------------


def _compiled(root: Element, choices: Choices, walk: Walk) -> dict[str, Any]:
    """What MuJoCo's compiler says, from a process of its own."""
    try:
        import mujoco  # noqa: F401 only to know whether it is there
    except ImportError:
        raise QuatrainError(
            "MJCF is read through MuJoCo's own compiler, which is not installed",
            do='pip install "quatrain[mjcf]"',
        ) from None
    job = {
        "path": None if choices.path is None else str(choices.path.resolve()),
        "text": None if choices.path is not None else choices.text,
        "roots": [str(folder) for folder in choices.allowed()],
    }
    result = answer_of("mjcf_compiler.py", job, SECONDS, "MuJoCo's compiler", root.place)
    if "error" in result:
        message = " ".join(result["error"].split())
        # In included files it counts lines too, but does not say in which.
        line = re.search(r"\bline (\d+)$", message) if walk.alone else None
        where = root.place.file if line is None else Place(root.place.file, int(line[1]))
        raise FormatError(f"MuJoCo's compiler refuses it: {message}", do="mend what it names", where=where)
    return result


# ---- the tree -----------------------------------------------------------------------------------------


def _bodies(compiled: Compiled, choices: Choices, notes: Notes) -> tuple[list[Body], dict[int, int]]:
    """Bodies, and the number here of each of MuJoCo's. One on several joints hangs on bodies without mass."""
    bodies: list[Body] = []
    numbers = {0: WORLD}
    for k in range(1, len(compiled.names["body"])):
        name = compiled.names["body"][k]
        joints = list(mjcf_joints.joints_of(compiled, k, choices, notes))
        parent = numbers[compiled["body_parentid"][k]]
        for joint in joints[:-1]:
            bodies.append(Body(f"{name}/{joint.name}", parent, joint, 0.0, _ZERO, _NOTHING))
            parent = len(bodies) - 1
        mass, I_diag = compiled["body_mass"][k], Vec3(*compiled["body_inertia"][k])
        R = unit(compiled["body_iquat"][k])
        I_B = SymMat3.diagonal(*I_diag)
        I_B = I_B if R == _IDENTITY else I_B.rotated(R.to_matrix())
        bodies.append(Body(name, parent, joints[-1], mass, Vec3(*compiled["body_ipos"][k]), I_B))
        numbers[k] = len(bodies) - 1
        if compiled["body_mocapid"][k] >= 0:
            what = f"body {name!r} is moved from outside (mocap); here it stands where the file puts it"
            notes.add("warning", "ignored", compiled.element("body", name), what)
        if compiled["body_gravcomp"][k]:
            what = f"body {name!r} is held against gravity (gravcomp {compiled['body_gravcomp'][k]:g}): not taken over"
            notes.add("warning", "ignored", compiled.element("body", name), what)
    return bodies, numbers


def _frames(compiled: Compiled, numbers: dict[int, int]) -> Iterator[Frame]:
    """Sites."""
    taken = {*compiled.names["body"], "world"}
    for k, name in enumerate(compiled.names["site"]):
        shown = f"{name}_site" if name in taken else name
        taken.add(shown)
        yield Frame(shown, numbers[compiled["site_bodyid"][k]], compiled.pose("site", k))


def _with_keyframes(model: Model, compiled: Compiled) -> Model:
    if model.nq != compiled.raw["counts"]["nq"]:
        return model  # a joint was made free or fixed on request: states of the file are of another machine
    return replace(model, keyframes=tuple(keyframes_of(compiled)))


def _places(model: Model, compiled: Compiled) -> dict[str, Place]:
    """Of what faults of the model name; what we have made stands where it comes from."""
    found = {key: element.place for key, element in compiled.elements.items()}
    for frame, site in zip(model.frames, compiled.names["site"], strict=True):
        _same(found, f"frame {frame.name!r}", f"site {site!r}")
    for body in model.bodies:
        here, joint = f"body {body.name!r}", f"joint {body.joint.name!r}"
        _same(found, here, joint)  # one of several joints of a body has a body of its own
        _same(found, joint, here)  # a joint that no file names: fixed, or free as asked
    for key in compiled.names["key"]:
        _same(found, f"keyframe {key!r}", f"key {key!r}")
    return found


def _same(found: dict[str, Place], this: str, other: str) -> None:
    if this not in found and other in found:
        found[this] = found[other]
