"""Robots of the package example-robot-data, as Pinocchio reads their files."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import pytest

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "icub": "icub_description/robots/icub.urdf",
}
FLOATING = ("anymal", "solo12", "go2", "talos", "g1", "icub")


def pinocchio_model(name: str) -> Any:
    """A `pinocchio.Model`, on a free joint if the robot stands on no ground of its own; skips what is not installed."""
    pin = pytest.importorskip("pinocchio")
    try:
        files = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    except PackageNotFoundError:
        pytest.skip("example-robot-data is not installed")
    path = str(files / ROBOTS[name])
    root = (pin.JointModelFreeFlyer(),) if name in FLOATING else ()
    return pin.buildModelFromUrdf(path, *root)
