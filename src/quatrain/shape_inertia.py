"""Masses and inertias of a model's bodies, found from their shapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from quatrain.equations.rigid_body import Body as Matter
from quatrain.errors import ArgumentError
from quatrain.formats.files import NotFound, locate
from quatrain.geometry import SymMat3
from quatrain.mesh_solids import solid_of_file
from quatrain.model import Model, Shape
from quatrain.solids import joined, solid_of


@dataclass(frozen=True)
class FromShapes:
    """The model with what was found, and what is to be said of it."""

    model: Model
    findings: tuple[str, ...]


def inertias_from_shapes(
    model: Model, *, density: float = 1000.0, bodies: Iterable[str] | None = None, keep_masses: bool = True
) -> FromShapes:
    """The model with inertias of its shapes, full of matter: exactly of boxes, balls, ellipsoids, cylinders, capsules
    and cones, by signed volumes of meshes.

    `density` [kg/m³]; a body that has a mass keeps it, and `keep_masses=False` takes that of its shapes. `bodies`: by
    name; else all that have shapes. What collides is taken, or else what is seen; parts that overlap count twice.
    """
    names = model.body_names if bodies is None else tuple(bodies)
    for name in names:
        if name not in model.body_names:
            raise ArgumentError(
                f"{model.name} has no body {name!r}", do=f"name one of {', '.join(model.body_names[:8])}"
            )
    findings: list[str] = []
    found = list(model.bodies)
    for k, body in enumerate(model.bodies):
        shapes = [shape for shape in model.shapes if shape.body == k]
        chosen = [shape for shape in shapes if shape.role != "visual"] or shapes
        if body.name not in names or (not chosen and bodies is None):
            continue
        parts = [part for shape in chosen for part in _matter(shape, body.name, model, findings)]
        if not parts:
            findings.append(f"body {body.name!r} has no shape that is full of matter: it stays as it is")
            continue
        whole = joined(parts)
        factor = body.mass / whole.mass if keep_masses and body.mass > 0 else density
        found[k] = replace(
            body, mass=whole.mass * factor, p_BBcm=whole.p_BBcm, I_Bcm_B=whole.I_Bcm_B * factor
        )
    return FromShapes(replace(model, bodies=tuple(found)), tuple(findings))


def _matter(shape: Shape, body: str, model: Model, findings: list[str]) -> list[Matter]:
    """Of density 1, in the body's frame; nothing, if it encloses none or cannot be read."""
    solid = solid_of(shape.kind, shape.size)
    if solid is not None:
        inertia = SymMat3.diagonal(*(solid.gyration * solid.volume))
        own = Matter(solid.volume, shape.X_BG.p, inertia.rotated(shape.X_BG.q.to_matrix()))
        return [own]
    if shape.kind != "mesh":
        return []
    try:
        mesh = solid_of_file(locate(shape.mesh, model.folders), [float(x) for x in shape.size])
    except (NotFound, ArgumentError) as error:
        findings.append(f"body {body!r} without its mesh {shape.mesh!r}: {error}")
        return []
    findings += [f"mesh {shape.mesh!r} of body {body!r}: {what}" for what in mesh.findings]
    inertia = mesh.body.I_Bcm_B.rotated(shape.X_BG.q.to_matrix())
    return [Matter(mesh.body.mass, shape.X_BG.apply(mesh.body.p_BBcm), inertia)]
