"""Embedded models, which need no file: `qt.examples.load("arm6")` gives a `Robot`.

Plausible machines with round numbers, for trying things out; none is a product's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import pi
from typing import TYPE_CHECKING, Any

from quatrain.builder import ModelBuilder
from quatrain.errors import ArgumentError
from quatrain.geometry import Quaternion, Vec3
from quatrain.model import Model
from quatrain.serial import serial_chain
from quatrain.solids import Box, Capsule, Cylinder, Sphere

if TYPE_CHECKING:
    from quatrain.robot import Robot

ALUMINIUM, STEEL, WATER = 2700.0, 7800.0, 1000.0
"""Densities [kg/m³]."""


def load(name: str, **options: Any) -> Robot:
    """The robot of this name: see `names()`. "snake(12)" is a snake of twelve joints."""
    from quatrain.robot import Robot

    return Robot(model(name), **options)


def model(name: str) -> Model:
    """Its model alone."""
    found = re.fullmatch(r"snake\((\d+)\)", name.replace(" ", ""))
    if found:
        return snake(int(found[1]))
    if name not in _MODELS:
        raise ArgumentError(f"there is no example {name!r}", do=f"choose one of {', '.join(names())}")
    return _MODELS[name]()


def names() -> tuple[str, ...]:
    """All embedded models."""
    return (*_MODELS, "snake(n)")


# ---- pendulums and tops --------------------------------------------------------------------------------


def pendulum() -> Model:
    """A point of 1 kg on a massless rod of 1 m, swinging about y; at zero it hangs down."""
    built = ModelBuilder("pendulum")
    built.body("bob", joint_name="pivot", axis="y", mass=1.0, com=(0, 0, -1), inertia=(0, 0, 0))
    return built.frame("tip", body="bob", at=(0, 0, -1)).model()


def double_pendulum() -> Model:
    """Two points of 1 kg on massless rods of 1 m, about y; at zero they hang down."""
    built = ModelBuilder("double_pendulum")
    built.body("upper", joint_name="shoulder", axis="y", mass=1.0, com=(0, 0, -1), inertia=(0, 0, 0))
    built.body(
        "lower", parent="upper", joint_name="elbow", axis="y", at=(0, 0, -1),
        mass=1.0, com=(0, 0, -1), inertia=(0, 0, 0),
    )  # fmt: skip
    return built.frame("tip", body="lower", at=(0, 0, -1)).model()


def spherical_pendulum() -> Model:
    """A small steel ball on a rod of 1 m that may swing and turn every way."""
    built = ModelBuilder("spherical_pendulum")
    built.body("bob", joint="ball", joint_name="pivot", solid=Sphere(0.05).at((0, 0, -1)), density=STEEL)
    return built.frame("tip", body="bob", at=(0, 0, -1)).model()


def gyroscope() -> Model:
    """A steel disc in two gimbals: the outer turns about z, the inner about x, the disc spins about y."""
    built = ModelBuilder("gyroscope", gravity=(0, 0, 0))
    ring = Cylinder(0.12, 0.01).at(None, density=ALUMINIUM)
    hole = Cylinder(0.11, 0.01).at(None, density=ALUMINIUM, hole=True)
    built.body("outer", joint_name="precession", axis="z", solid=[ring, hole])
    ring, hole = (
        Cylinder(r, 0.01).at(None, density=ALUMINIUM, hole=h) for r, h in ((0.1, False), (0.09, True))
    )
    built.body("inner", parent="outer", joint_name="nutation", axis="x", solid=[ring, hole])
    built.body(
        "disc", parent="inner", joint="continuous", joint_name="spin", axis="y",
        solid=Cylinder(0.08, 0.015), density=STEEL, body_rotation=_quarter_about_x(),
    )  # fmt: skip
    return built.model()


def heavy_top() -> Model:
    """A disc of steel on a needle, its tip in a ball joint; it stands along z."""
    built = ModelBuilder("heavy_top")
    disc, needle = Cylinder(0.04, 0.01).at((0, 0, 0.05)), Cylinder(0.003, 0.07).at((0, 0, 0.035))
    built.body("top", joint="ball", joint_name="tip", solid=[disc, needle], density=STEEL)
    return built.frame("axis_end", body="top", at=(0, 0, 0.07)).model()


def tumbling_box() -> Model:
    """A free body with moments of inertia 1, 2 and 3 kg m², without gravity: spun about y it tumbles."""
    built = ModelBuilder("tumbling_box", gravity=(0, 0, 0))
    return built.body("box", joint="free", joint_name="root", mass=1.0, inertia=(1, 2, 3)).model()


# ---- arms ----------------------------------------------------------------------------------------------


def arm6() -> Model:
    """Six turning joints as many industrial arms have them: shoulder, elbow, and a wrist of three axes in a point."""
    return _arm("arm6", ((0, "z"), (0.15, "y"), (0.4, "y"), (0.2, "z"), (0.2, "y"), (0.08, "z")))


def arm7() -> Model:
    """Seven turning joints, alternately along the arm and across it."""
    return _arm("arm7", ((0, "z"), (0.3, "y"), (0.2, "z"), (0.2, "y"), (0.2, "z"), (0.2, "y"), (0.1, "z")))


def _arm(name: str, joints: tuple[tuple[float, str], ...]) -> Model:
    """A chain that stands up along z at zero. Each joint: how far it is above the one before, and its axis."""
    count = len(joints)
    lengths = [length for length, _ in joints[1:]] + [0.1]
    links = [
        {
            "axis": axis, "at": (0, 0, above), "limits": (-2.8, 2.8), "armature": 0.05 * (1 - k / count),
            "solid": Cylinder(0.06 - 0.04 * k / count, length).at((0, 0, length / 2)), "density": ALUMINIUM,
        }
        for k, ((above, axis), length) in enumerate(zip(joints, lengths, strict=True))
    ]  # fmt: skip
    built = serial_chain(name, links)
    for k in range(1, count + 1):
        built.actuator(f"motor{k}", joint=f"joint{k}")
    built.keyframe("bent", {"joint2": 0.7, f"joint{count - 2}": 0.5, f"joint{count - 1}": 1.0})
    return built.frame("hand", body=f"link{count}", at=(0, 0, lengths[-1])).model()


# ---- benches of control --------------------------------------------------------------------------------


def cart_pole() -> Model:
    """A pole on a cart that slides along x; at zero the pole stands up."""
    built = ModelBuilder("cart_pole")
    built.body("cart", joint="prismatic", joint_name="slide", axis="x", solid=Box(0.3, 0.2, 0.1), mass=1.0)
    built.body(
        "pole", parent="cart", joint="continuous", joint_name="hinge", axis="y",
        solid=Cylinder(0.01, 1.0).at((0, 0, 0.5)), mass=0.1,
    )  # fmt: skip
    built.actuator("push", joint="slide")
    return built.frame("tip", body="pole", at=(0, 0, 1)).model()


def acrobot() -> Model:
    """Two rods of 1 m and 1 kg, about y, of which a controller drives the second; at zero they hang down."""
    built, parent = ModelBuilder("acrobot"), "world"
    for name, joint, at in (("upper", "shoulder", 0.0), ("lower", "elbow", -1.0)):
        built.body(
            name, parent=parent, joint="continuous", joint_name=joint, axis="y", at=(0, 0, at),
            solid=Cylinder(0.02, 1.0).at((0, 0, -0.5)), mass=1.0,
        )  # fmt: skip
        parent = name
    built.actuator("motor", joint="elbow")
    return built.frame("tip", body="lower", at=(0, 0, -1)).model()


# ---- free machines -------------------------------------------------------------------------------------


def quadruped() -> Model:
    """A trunk on four legs of three joints: hip out and in, hip fore and aft, knee."""
    built = ModelBuilder("quadruped")
    built.body("trunk", joint="free", joint_name="root", solid=Box(0.4, 0.2, 0.1), mass=10.0)
    for leg, x, y in (("FL", 0.2, 0.1), ("FR", 0.2, -0.1), ("HL", -0.2, 0.1), ("HR", -0.2, -0.1)):
        side = 1.0 if y > 0 else -1.0
        built.body(
            f"{leg}_hip", parent="trunk", joint_name=f"{leg}_abduction", axis="x", at=(x, y, 0),
            solid=Cylinder(0.04, 0.06), mass=0.6, limits=(-0.8, 0.8), armature=0.01,
        )  # fmt: skip
        built.body(
            f"{leg}_thigh", parent=f"{leg}_hip", joint_name=f"{leg}_hip_pitch", axis="y", at=(0, 0.08 * side, 0),
            solid=Capsule(0.03, 0.2).at((0, 0, -0.1)), mass=1.0, limits=(-1.5, 3.0), armature=0.01,
        )  # fmt: skip
        built.body(
            f"{leg}_shank", parent=f"{leg}_thigh", joint_name=f"{leg}_knee", axis="y", at=(0, 0, -0.21),
            solid=Capsule(0.015, 0.2).at((0, 0, -0.1)), mass=0.2, limits=(-2.7, -0.6), armature=0.01,
        )  # fmt: skip
        built.frame(f"{leg}_foot", body=f"{leg}_shank", at=(0, 0, -0.22))
        for joint in ("abduction", "hip_pitch", "knee"):
            built.actuator(f"{leg}_{joint}_motor", joint=f"{leg}_{joint}")
    bent = {
        f"{leg}_{j}": x for leg in ("FL", "FR", "HL", "HR") for j, x in (("hip_pitch", 0.7), ("knee", -1.4))
    }
    return built.keyframe("standing", {"root": (0, 0, 0.34, 1, 0, 0, 0), **bent}).model()


def humanoid() -> Model:
    """A free pelvis, a waist, a neck, arms with a ball for a shoulder, legs with a ball for a hip."""
    built = ModelBuilder("humanoid")
    built.body("pelvis", joint="free", joint_name="root", solid=Box(0.15, 0.3, 0.15), density=WATER)
    built.body(
        "chest", parent="pelvis", joint="universal", joint_name="waist", axis=("y", "z"), at=(0, 0, 0.12),
        solid=Box(0.2, 0.32, 0.4).at((0, 0, 0.2)), density=WATER,
    )  # fmt: skip
    built.body(
        "head", parent="chest", joint="ball", joint_name="neck", at=(0, 0, 0.45),
        solid=Sphere(0.11).at((0, 0, 0.12)), density=WATER,
    )  # fmt: skip
    for side, y in (("left", 1.0), ("right", -1.0)):
        built.body(
            f"{side}_upper_arm", parent="chest", joint="ball", joint_name=f"{side}_shoulder", at=(0, 0.2 * y, 0.36),
            solid=Capsule(0.045, 0.26).at((0, 0, -0.14)), density=WATER,
        )  # fmt: skip
        built.body(
            f"{side}_forearm", parent=f"{side}_upper_arm", joint_name=f"{side}_elbow", axis="y", at=(0, 0, -0.3),
            solid=Capsule(0.035, 0.25).at((0, 0, -0.14)), density=WATER, limits=(-2.4, 0.0),
        )  # fmt: skip
        built.body(
            f"{side}_thigh", parent="pelvis", joint="ball", joint_name=f"{side}_hip", at=(0, 0.09 * y, -0.08),
            solid=Capsule(0.07, 0.36).at((0, 0, -0.2)), density=WATER,
        )  # fmt: skip
        built.body(
            f"{side}_shank", parent=f"{side}_thigh", joint_name=f"{side}_knee", axis="y", at=(0, 0, -0.42),
            solid=Capsule(0.05, 0.36).at((0, 0, -0.2)), density=WATER, limits=(0.0, 2.4),
        )  # fmt: skip
        built.body(
            f"{side}_foot", parent=f"{side}_shank", joint="universal", joint_name=f"{side}_ankle", axis=("y", "x"),
            at=(0, 0, -0.42), solid=Box(0.24, 0.09, 0.06).at((0.05, 0, -0.03)), density=WATER,
        )  # fmt: skip
        built.frame(f"{side}_hand", body=f"{side}_forearm", at=(0, 0, -0.3))
        built.frame(f"{side}_sole", body=f"{side}_foot", at=(0.05, 0, -0.06))
    return built.model()


def satellite() -> Model:
    """A free hub with three reaction wheels along its axes and two panels that turn about y; no gravity."""
    built = ModelBuilder("satellite", gravity=(0, 0, 0))
    built.body("hub", joint="free", joint_name="root", solid=Box(1.0, 1.0, 1.2), mass=200.0)
    turned = {"x": Quaternion.from_axis_angle(Vec3(0, 1, 0), pi / 2), "y": _quarter_about_x(), "z": None}
    for axis, rotation in turned.items():
        built.body(
            f"wheel_{axis}", parent="hub", joint="continuous", joint_name=f"spin_{axis}", axis=axis,
            solid=Cylinder(0.1, 0.03), density=STEEL, body_rotation=rotation,
        )  # fmt: skip
        built.actuator(f"wheel_motor_{axis}", joint=f"spin_{axis}")
    for side, y in (("left", 1.0), ("right", -1.0)):
        built.body(
            f"{side}_panel", parent="hub", joint="continuous", joint_name=f"{side}_drive", axis="y", at=(0, 0.5 * y, 0),
            solid=Box(0.8, 2.0, 0.02).at((0, y, 0)), mass=8.0,
        )  # fmt: skip
    return built.model()


def snake(joints: int) -> Model:
    """A chain of boxes along x on the ground, its joints alternately about z and y."""
    if joints < 1:
        raise ArgumentError(f"a snake of {joints} joints", do="ask for one joint or more")
    links = [
        {
            "name": f"segment{k + 1}", "joint_name": f"joint{k + 1}", "joint": "continuous", "axis": "zy"[k % 2],
            "at": (0.1 if k else 0.0, 0, 0), "solid": Box(0.1, 0.04, 0.04).at((0.05, 0, 0)), "density": WATER,
        }
        for k in range(joints)
    ]  # fmt: skip
    built = serial_chain(f"snake({joints})", links)
    return built.frame("nose", body=f"segment{joints}", at=(0.1, 0, 0)).model()


def _quarter_about_x() -> Quaternion:
    return Quaternion.from_axis_angle(Vec3(1, 0, 0), pi / 2)


_MODELS: dict[str, Callable[[], Model]] = {
    one.__name__: one
    for one in (
        *(pendulum, double_pendulum, spherical_pendulum, gyroscope, heavy_top, tumbling_box),
        *(arm6, arm7, cart_pole, acrobot, quadruped, humanoid, satellite),
    )
}
