"""What a compiled MuJoCo model has besides its tree: shapes, actuators and keyframes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quatrain.formats.mjcf_joints import ends
from quatrain.formats.reading import Notes
from quatrain.model import Actuator, Keyframe, Shape

if TYPE_CHECKING:
    from quatrain.formats.mjcf import Compiled

# By MuJoCo's numbers; what its sizes are here: half sides, half heights.
_SHAPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
_HIDDEN = 3
"""Shapes of this group and above are not shown, unless that is asked for."""
_JOINT, _SITE = 0, 4
"""Kinds of transmission."""


def shapes_of(compiled: Compiled, numbers: dict[int, int]) -> Iterator[Shape]:
    """Geoms. Those that take part in no contact are for the eye alone."""
    for k, number in enumerate(compiled["geom_type"]):
        if number >= len(_SHAPES) or _SHAPES[number] == "hfield":
            continue
        kind = _SHAPES[number]
        a, b, c = compiled["geom_size"][k]
        size: tuple[float, ...] = {
            "plane": (2 * a, 2 * b),
            "sphere": (a,),
            "capsule": (a, 2 * b),
            "cylinder": (a, 2 * b),
            "ellipsoid": (a, b, c),
            "box": (2 * a, 2 * b, 2 * c),
            "mesh": (1.0, 1.0, 1.0),
        }[kind]
        X_BG, mesh = compiled.pose("geom", k), ""
        if kind == "mesh":
            m = compiled["geom_dataid"][k]
            # MuJoCo moves a mesh into its principal axes; the shape is the file's own.
            X_BG = X_BG @ compiled.pose("mesh", m).inverse()
            size = tuple(compiled["mesh_scale"][m])
            name = compiled.names["mesh"][m]
            mesh = compiled.raw["meshes"].get(name) or name
        material = compiled["geom_matid"][k]
        color = compiled["mat_rgba"][material] if material >= 0 else compiled["geom_rgba"][k]
        collides = compiled["geom_contype"][k] or compiled["geom_conaffinity"][k]
        hidden = compiled["geom_group"][k] >= _HIDDEN
        yield Shape(
            kind,
            size,
            numbers[compiled["geom_bodyid"][k]],
            X_BG,
            "visual" if not collides else "collision" if hidden else "both",
            compiled.names["geom"][k],
            mesh,
            (color[0], color[1], color[2], color[3]),
            compiled.names["material"][material] if material >= 0 else "",
        )


def actuators_of(compiled: Compiled, notes: Notes) -> Iterator[Actuator]:
    """Motors and servos on joints and sites; others are told, and kept by name."""
    for k in range(compiled.raw["counts"]["nu"]):
        name = compiled.names["actuator"][k]
        kind, (target, _) = compiled["actuator_trntype"][k], compiled["actuator_trnid"][k]
        fixed = compiled["actuator_gaintype"][k] == 0 and compiled["actuator_biastype"][k] in (0, 1)
        if kind not in (_JOINT, _SITE) or not fixed or compiled["actuator_dyntype"][k] != 0:
            what = f"actuator {name!r} is of a kind that is not modelled here"
            notes.add("warning", "ignored", compiled.element("actuator", name), what)
            continue
        gear = tuple(compiled["actuator_gear"][k])
        affine = compiled["actuator_biastype"][k] == 1
        bias = tuple(compiled["actuator_biasprm"][k][:3]) if affine else (0.0, 0.0, 0.0)
        on_joint = kind == _JOINT
        count = {0: 6, 1: 3}.get(compiled["jnt_type"][target], 1) if on_joint else 6
        site = "" if on_joint else compiled.names["site"][target]
        yield Actuator(
            name,
            joint=compiled.names["joint"][target] if on_joint else None,
            frame=None if on_joint else site,
            gear=gear[:count],
            gain=compiled["actuator_gainprm"][k][0],
            bias=(bias[0], bias[1], bias[2]),
            command=_range(compiled, "actuator_ctrl", k),
            force=_range(compiled, "actuator_force", k),
        )


def _range(compiled: Compiled, what: str, k: int) -> tuple[float | None, float | None]:
    if not compiled[f"{what}limited"][k]:
        return None, None
    return ends(compiled[f"{what}range"][k])


def keyframes_of(compiled: Compiled) -> Iterator[Keyframe]:
    """States of the file; the one its bodies stand in is called "qpos0"."""
    yield Keyframe("qpos0", tuple(compiled["qpos0"]), (0.0,) * compiled.raw["counts"]["nv"])
    for k, name in enumerate(compiled.names["key"]):
        yield Keyframe(name, tuple(compiled["key_qpos"][k]), tuple(compiled["key_qvel"][k]))
