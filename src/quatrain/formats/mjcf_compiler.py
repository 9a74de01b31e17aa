"""MuJoCo's own compiler at work in a process of its own, where what goes wrong cannot hurt.

In: a job as JSON on standard input. Out: the compiled model's arrays as JSON on standard output, or {"error": …}.
Meshes are read only if an inertia comes from them; a small tetrahedron stands in for all others, and flat
colours for pictures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Arrays of mjModel that are wanted, and the names of which objects.
ARRAYS = (
    *("body_parentid", "body_pos", "body_quat", "body_mass", "body_ipos", "body_iquat", "body_inertia"),
    *("body_gravcomp", "body_jntadr", "body_jntnum", "body_mocapid"),
    *(
        "jnt_type",
        "jnt_pos",
        "jnt_axis",
        "jnt_qposadr",
        "jnt_dofadr",
        "jnt_stiffness",
        "jnt_limited",
        "jnt_range",
    ),
    *("jnt_actfrclimited", "jnt_actfrcrange"),
    *("dof_armature", "dof_damping", "dof_frictionloss", "qpos0", "qpos_spring"),
    *(
        "geom_type",
        "geom_bodyid",
        "geom_size",
        "geom_pos",
        "geom_quat",
        "geom_rgba",
        "geom_matid",
        "geom_dataid",
    ),
    *("geom_group", "geom_contype", "geom_conaffinity", "mesh_pos", "mesh_quat", "mesh_scale", "mat_rgba"),
    *("site_bodyid", "site_pos", "site_quat"),
    *("actuator_trntype", "actuator_trnid", "actuator_gear", "actuator_gaintype", "actuator_gainprm"),
    *(
        "actuator_biastype",
        "actuator_biasprm",
        "actuator_dyntype",
        "actuator_ctrllimited",
        "actuator_ctrlrange",
    ),
    *("actuator_forcelimited", "actuator_forcerange"),
    *("key_qpos", "key_qvel"),
    *("eq_type", "eq_objtype", "eq_obj1id", "eq_obj2id", "eq_active0", "eq_data", "eq_solref", "eq_solimp"),
    *("tendon_adr", "tendon_num", "tendon_armature", "wrap_type", "wrap_objid", "wrap_prm"),
)
_NOT_OF_THE_FILE = (
    *("tendon_adr", "tendon_num", "tendon_type", "tendon_invweight0", "tendon_treeid", "tendon_treenum"),
    *("tendon_actuatorid", "tendon_plasticadr", "tendon_matid"),
)
"""Of tendons: what the compiler counts for itself, and what they look like."""
NAMED = (
    "body",
    "joint",
    "geom",
    "mesh",
    "material",
    "site",
    "actuator",
    "key",
    "equality",
    "tendon",
    "sensor",
)
COUNTS = ("nq", "nv", "nu", "nflex")


MOST = 200_000
"""Bodies, geoms and actuators together."""
MOST_BYTES = 512 << 20
"""Of a mesh."""


def main() -> None:
    job = json.load(sys.stdin)
    try:
        result = compiled(job)
    except Exception as error:  # whatever it is, the other process tells it
        result = {"error": f"{error}".strip() or type(error).__name__}
    json.dump(result, sys.stdout)


def compiled(job: dict[str, Any]) -> dict[str, Any]:
    """The job: "path" or "text", and "roots": folders within which meshes may be read."""
    import mujoco

    spec = _spec(job["path"], job["text"])
    meshes = {mesh.name or Path(mesh.file).stem: _with_folder(mesh.file, spec) for mesh in spec.meshes}
    notes = _stand_ins(
        spec, Path(job["path"]).parent if job["path"] else None, [Path(r) for r in job["roots"]]
    )
    model = spec.compile()
    if model.nbody + model.ngeom + model.nu > MOST:
        raise ValueError(
            f"{model.nbody:,} bodies, {model.ngeom:,} geoms and {model.nu:,} actuators are too many"
        )
    weightless = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    kinds = {name: getattr(mujoco.mjtObj, f"mjOBJ_{name.upper()}") for name in NAMED}
    sizes = {"body": model.nbody, "joint": model.njnt, "equality": model.neq, "sensor": model.nsensor}
    names = {
        kind: [
            mujoco.mj_id2name(model, kinds[kind], k) or ""
            for k in range(sizes.get(kind, getattr(model, f"n{_SHORT.get(kind, kind)}", 0)))
        ]
        for kind in NAMED
    }
    return {
        "name": spec.modelname,
        "version": mujoco.__version__,
        "arrays": {name: getattr(model, name).tolist() for name in ARRAYS},
        "tendons": _tendons(model),
        "kinds": {int(number): kind for kind, number in kinds.items()},
        "equalities": _words("mjEQ_", mujoco.mjtEq),
        "wraps": _words("mjWRAP_", mujoco.mjtWrap),
        "counts": {name: int(getattr(model, name, 0)) for name in COUNTS},
        "gravity": [0.0, 0.0, 0.0] if weightless else model.opt.gravity.tolist(),
        "medium": {name: getattr(model.opt, name) for name in ("density", "viscosity")},
        "names": names,
        "meshes": meshes,
        "notes": notes,
    }


_SHORT = {"material": "mat", "actuator": "u"}


def _words(start: str, enumeration: Any) -> dict[int, str]:
    """MuJoCo's names for its numbers, which versions may count differently."""
    return {int(number): word.removeprefix(start).lower() for word, number in enumeration.__members__.items()}


def _tendons(model: Any) -> dict[str, list[Any]]:
    """All numbers of tendons that this version of MuJoCo knows, by its names."""
    names = [name for name in dir(model) if name.startswith("tendon_") and name not in _NOT_OF_THE_FILE]
    return {name.removeprefix("tendon_"): getattr(model, name).tolist() for name in names}


def _spec(path: str | None, text: str) -> Any:
    """MuJoCo knows a file of its own by the end .xml alone; others are given to it as texts."""
    import mujoco

    if path is None:
        return mujoco.MjSpec.from_string(text)
    if path.lower().endswith(".xml"):
        return mujoco.MjSpec.from_file(path)
    content = Path(path).read_text(encoding="utf-8-sig")
    if "<include" in content:
        raise ValueError("it includes other files, and its name does not end with .xml: call it so")
    spec = mujoco.MjSpec.from_string(content)
    spec.modelfiledir = str(Path(path).parent)
    return spec


def _stand_ins(spec: Any, folder: Path | None, roots: list[Path]) -> list[tuple[str, str]]:
    """Files that are not needed are replaced; those of meshes that cannot be read, and why."""
    import mujoco

    notes = []
    for texture in spec.textures:
        texture.file, texture.builtin = "", mujoco.mjtBuiltin.mjBUILTIN_FLAT
        texture.cubefiles = [""] * len(texture.cubefiles)
        texture.width = texture.height = 1
    for field in spec.hfields:  # of which nothing is kept
        field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, [0.0] * 4
    for skin in list(spec.skins):
        spec.delete(skin)
    needed = set(_meshes_with_inertia(spec))
    for mesh in spec.meshes:
        if not mesh.file:
            continue
        name = mesh.name or Path(mesh.file).stem
        place = _place(mesh.file, spec.meshdir, folder)
        wrong = _wrong(place, roots)
        if name in needed:
            if wrong:
                raise ValueError(f"an inertia comes from the mesh {mesh.file!r}, which {wrong}")
            continue
        if wrong:
            notes.append((mesh.file, wrong))
        if not mesh.name:
            mesh.name = name
        mesh.file = ""
        mesh.uservert = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
        mesh.userface = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
    return notes


def _meshes_with_inertia(spec: Any) -> Iterator[str]:
    """Of bodies whose mass is to be found from their shapes."""
    from_shapes = int(spec.compiler.inertiafromgeom)  # no, yes, or where a body says nothing
    low, high = spec.compiler.inertiagrouprange
    for body in spec.bodies:
        if from_shapes == 0 or (from_shapes == 2 and body.explicitinertial) or body.name == "world":
            continue
        for geom in body.geoms:
            massless = geom.mass == 0 or (geom.mass != geom.mass and geom.density == 0)
            if geom.meshname and low <= geom.group <= high and not massless:
                yield geom.meshname


def _wrong(place: Path | None, roots: list[Path]) -> str:
    """Why a file is not read, if it is not."""
    if place is None or not any(place.resolve().is_relative_to(root) for root in roots):
        return "lies outside the folders of the model"
    if not place.is_file():
        return "is not there"
    return "" if place.stat().st_size <= MOST_BYTES else f"has {place.stat().st_size:,} bytes"


def _with_folder(file: str, spec: Any) -> str:
    """A mesh's file as seen from the model's: in the folder that the model names for meshes."""
    return str(Path(spec.meshdir or "") / file).replace("\\", "/") if file else ""


def _place(file: str, meshdir: str, folder: Path | None) -> Path | None:
    path = Path(file)
    if not path.is_absolute():
        directory = Path(meshdir or "")
        if not directory.is_absolute():
            if folder is None:
                return None
            directory = folder / directory
        path = directory / path
    return path


if __name__ == "__main__":
    main()
