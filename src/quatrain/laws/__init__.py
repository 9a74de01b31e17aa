"""Control laws that are ready, for `qt.simulate(robot, …, control=…)`; all are traced into the kernel.

Each is a function that gives a `Control`: the law, its own state, and how often it is asked (`every`, in steps).
A free joint gets no force. Gains are one number, one for each velocity that is driven, or a dict by names of joints;
a gain may be the name of a parameter of the run, and then each motion of a batch has its own.
"""

from __future__ import annotations

from quatrain.equations.motors import Motor, with_rotors
from quatrain.equations.tables import Table
from quatrain.laws.drives import actuated, motorised, saturated, together
from quatrain.laws.feedback import pd, pid, state_feedback, table
from quatrain.laws.model_based import computed_torque, gravity_compensation, operational_space, pd_plus
from quatrain.laws.network import neural_network

__all__ = [
    "pd",
    "pid",
    "state_feedback",
    "gravity_compensation",
    "computed_torque",
    "pd_plus",
    "operational_space",
    "neural_network",
    "table",
    "Table",
    "together",
    "saturated",
    "actuated",
    "motorised",
    "Motor",
    "with_rotors",
]
