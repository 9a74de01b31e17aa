"""What acts on a tree of bodies besides its own gravity, as functions of a state: `force(state) → push`.

A push is a dict of wrenches by frame, (force at its origin, torque) in axes of the world, or nv joint forces.
"""
