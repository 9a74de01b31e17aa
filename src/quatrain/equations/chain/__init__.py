"""An open chain of bodies in composite quaternions, in the words of the covariant formulation (source Z).

How its numbers map to Python's. Bodies and joints are numbered 1 … n in the equations and in docstrings; as indices
of lists, and as arguments alpha, beta, gamma, i, k, they run from 0 to n − 1: alpha = 0 is joint 1. Frames keep their
numbers, for frame 0 is the ground: `at.p_0[j]` is p_{0,j} and `composite_rotation(p, i, j)` is p_{i,j}. So
p_{0,α−1}, before joint α, is `at.p_0[alpha]`, and p_{0,α} is `at.p_0[alpha + 1]`.

    chain = Chain([Link(prismatic, e, rho_next, rho, mass, J), …])       links.py, adapter.py
    at = configuration(chain, q)                                         geometry.py
    metric(at), christoffel_symbols(at), …                               metric_tensor.py, christoffel.py
    gravity_forces(at), generalized_acceleration(at, …), …               forces.py, motion.py

Vectors have components in the ground's axes, those with the superscript (i) in body i's.
"""

from quatrain.equations.chain.adapter import AdaptedChain, PlacedJoint, adapt
from quatrain.equations.chain.christoffel import (
    Symbols,
    christoffel_symbol,
    christoffel_symbols,
    rotational_symbol,
    symbols_from_derivatives,
    translational_symbol,
)
from quatrain.equations.chain.composite import (
    christoffel_of_composites,
    coriolis_of_composites,
    forces_of_composites,
    gravity_of_composites,
    metric_of_composites,
    subtree_sums,
)
from quatrain.equations.chain.forces import (
    JointEffects,
    Load,
    applied_forces,
    energy,
    gravity_forces,
    load_forces,
    potential_energy,
)
from quatrain.equations.chain.geometry import (
    Configuration,
    body_pose,
    configuration,
    joint_origin,
    tool_point,
)
from quatrain.equations.chain.links import Chain, Link
from quatrain.equations.chain.mass_elements import planar_moment
from quatrain.equations.chain.metric_tensor import (
    axis_in_body,
    kinetic_energy,
    metric,
    metric_entry,
    rotational_metric_entry,
    translational_metric_entry,
)
from quatrain.equations.chain.motion import (
    actuator_forces,
    coriolis_matrix,
    covariant_forces,
    generalized_acceleration,
    velocity_forces,
    velocity_forces_by_bodies,
)
from quatrain.equations.chain.quasi_basic import quasi_basic_derivative, quasi_basic_vector
from quatrain.equations.chain.rotations import (
    PRISMATIC,
    REVOLUTE,
    composite_rotation,
    in_body,
    joint_rotation,
)
from quatrain.equations.chain.twists import (
    PseudoInertia,
    Twist,
    body_pseudo_inertia,
    body_pseudo_inertias,
    joint_twist,
    joint_twists,
)
from quatrain.equations.chain.velocities import (
    acceleration,
    angular_acceleration,
    angular_velocity,
    body_rate,
    orientation_rate,
    partial_rotation,
    velocity,
)

__all__ = [
    "PRISMATIC",
    "REVOLUTE",
    "AdaptedChain",
    "Chain",
    "Configuration",
    "JointEffects",
    "Link",
    "Load",
    "PlacedJoint",
    "PseudoInertia",
    "Symbols",
    "Twist",
    "acceleration",
    "actuator_forces",
    "adapt",
    "angular_acceleration",
    "angular_velocity",
    "applied_forces",
    "axis_in_body",
    "body_pose",
    "body_pseudo_inertia",
    "body_pseudo_inertias",
    "body_rate",
    "christoffel_of_composites",
    "christoffel_symbol",
    "christoffel_symbols",
    "composite_rotation",
    "configuration",
    "coriolis_matrix",
    "coriolis_of_composites",
    "covariant_forces",
    "energy",
    "forces_of_composites",
    "generalized_acceleration",
    "gravity_forces",
    "gravity_of_composites",
    "in_body",
    "joint_origin",
    "joint_rotation",
    "joint_twist",
    "joint_twists",
    "kinetic_energy",
    "load_forces",
    "metric",
    "metric_entry",
    "metric_of_composites",
    "orientation_rate",
    "partial_rotation",
    "planar_moment",
    "potential_energy",
    "quasi_basic_derivative",
    "quasi_basic_vector",
    "rotational_metric_entry",
    "rotational_symbol",
    "subtree_sums",
    "symbols_from_derivatives",
    "tool_point",
    "translational_metric_entry",
    "translational_symbol",
    "velocity",
    "velocity_forces",
    "velocity_forces_by_bodies",
]
