"""Forces on a tree of bodies, for `qt.simulate(robot, …, forces=[…])`: what is ready, and what your own are made of.

A force is a function of a `State` that gives a push: `{frame: (force, torque)}`, at the frame's origin in axes of the
world, or nv joint forces. What is here are such functions with numbers; a number may be the name of a parameter of the
run, `stiffness="k"`, and then each motion of a batch has its own.
"""

from __future__ import annotations

from quatrain.equations.forces.air import Drag
from quatrain.equations.forces.balance import power, stored_energy
from quatrain.equations.forces.contact import GroundContact, Plane, Touch
from quatrain.equations.forces.frames import Bushing, Spring
from quatrain.equations.forces.gravity import PointGravity, UniformGravity
from quatrain.equations.forces.joints import Friction, JointDamper, JointLimits, JointSpring
from quatrain.equations.forces.schedules import JointSchedule, Schedule
from quatrain.equations.tables import Table
from quatrain.equations.tree_motion import State

__all__ = [
    "State",
    "UniformGravity",
    "PointGravity",
    "JointSpring",
    "JointDamper",
    "Friction",
    "JointLimits",
    "Spring",
    "Bushing",
    "Drag",
    "Schedule",
    "JointSchedule",
    "Table",
    "GroundContact",
    "Plane",
    "Touch",
    "power",
    "stored_energy",
]
