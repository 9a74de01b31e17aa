"""Rigid-body and multibody dynamics in quaternions.

Names are resolved when they are first used, so that one part can be imported without the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quatrain import convert, edit, equations, examples, forces, laws, rotations, scalar, sensors
    from quatrain.arrays import random_unit_quaternions
    from quatrain.body import RigidBody
    from quatrain.builder import ModelBuilder
    from quatrain.checks import Fault, ModelError
    from quatrain.compiler import Kernel
    from quatrain.control import Control, Event, Wrench, python_law
    from quatrain.equipment import Actuator, Extra, Keyframe, Shape
    from quatrain.errors import ArgumentError, QuatrainError, ScalarError
    from quatrain.formats import FormatError
    from quatrain.geometry import Mat3, Matrix, Pose, Quaternion, SymMat3, Vec3, cross, dot, outer, skew
    from quatrain.interpolation import slerp, squad, squad_control_point, weighted_mean
    from quatrain.kernel import compile
    from quatrain.loading import load
    from quatrain.model import Body, Frame, Joint, Limits, Mimic, Model
    from quatrain.robot import Robot
    from quatrain.rotations import AngleConvention
    from quatrain.saving import save
    from quatrain.scalar import where
    from quatrain.serial import from_dh, serial_chain
    from quatrain.shape_inertia import inertias_from_shapes
    from quatrain.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
    from quatrain.spacecraft import Orbit, Spacecraft, Wheel
    from quatrain.trajectory import DivergenceWarning, Quantity, Trajectory
    from quatrain.tree_simulation import TreeSimulation, simulate

__version__ = "0.1.0"

__all__ = [
    "Actuator",
    "AngleConvention",
    "ArgumentError",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Control",
    "Cylinder",
    "DivergenceWarning",
    "Ellipsoid",
    "Event",
    "Extra",
    "Fault",
    "FormatError",
    "Frame",
    "Joint",
    "Kernel",
    "Keyframe",
    "Limits",
    "Mat3",
    "Matrix",
    "Mimic",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Orbit",
    "Pose",
    "Quantity",
    "Quaternion",
    "QuatrainError",
    "RigidBody",
    "Robot",
    "ScalarError",
    "Shape",
    "Spacecraft",
    "Sphere",
    "SymMat3",
    "Trajectory",
    "TreeSimulation",
    "Vec3",
    "Wheel",
    "Wrench",
    "__version__",
    "compile",
    "convert",
    "cross",
    "dot",
    "edit",
    "equations",
    "examples",
    "forces",
    "from_dh",
    "inertias_from_shapes",
    "laws",
    "load",
    "outer",
    "python_law",
    "random_unit_quaternions",
    "rotations",
    "save",
    "scalar",
    "sensors",
    "serial_chain",
    "simulate",
    "skew",
    "slerp",
    "squad",
    "squad_control_point",
    "weighted_mean",
    "where",
]

# Module -> the names above that live in it; a module that is itself a public name lists nothing.
_HOMES = {
    "arrays": ("random_unit_quaternions",),
    "body": ("RigidBody",),
    "builder": ("ModelBuilder",),
    "checks": ("Fault", "ModelError"),
    "examples": (),
    "compiler": ("Kernel",),
    "convert": (),
    "control": ("Control", "Event", "Wrench", "python_law"),
    "edit": (),
    "equations": (),
    "equipment": ("Actuator", "Extra", "Keyframe", "Shape"),
    "forces": (),
    "formats": ("FormatError",),
    "errors": ("ArgumentError", "QuatrainError", "ScalarError"),
    "geometry": ("Mat3", "Matrix", "Pose", "Quaternion", "SymMat3", "Vec3", "cross", "dot", "outer", "skew"),
    "kernel": ("compile",),
    "laws": (),
    "loading": ("load",),
    "model": ("Body", "Frame", "Joint", "Limits", "Mimic", "Model"),
    "robot": ("Robot",),
    "spacecraft": ("Orbit", "Spacecraft", "Wheel"),
    "interpolation": ("slerp", "squad", "squad_control_point", "weighted_mean"),
    "rotations": ("AngleConvention",),
    "saving": ("save",),
    "scalar": ("where",),
    "sensors": (),
    "serial": ("from_dh", "serial_chain"),
    "shape_inertia": ("inertias_from_shapes",),
    "solids": ("Box", "Capsule", "Cone", "Cylinder", "Ellipsoid", "Sphere"),
    "trajectory": ("DivergenceWarning", "Quantity", "Trajectory"),
    "tree_simulation": ("TreeSimulation", "simulate"),
}


def __getattr__(name: str) -> Any:
    if name in _HOMES and name in __all__:
        return import_module(f"quatrain.{name}")
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"quatrain.{module}"), name)
    raise AttributeError(f"module 'quatrain' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
