"""Steppers: from a state to the next one, for any mechanical system, over any scalar.

    q, v = rk4(system, t, q, v, h)

`system` (`System`) says how a configuration moves and what its acceleration is; `RotatingBody(…).system()`
and `FreeBody(…).system()` are ready-made. A configuration and a velocity are nested tuples and dataclasses
of scalars. Give t and h in the arithmetic of the state where that has more digits than a float.

| stepper | order | derivatives | keeps, of a torque-free body |
|---|---|---|---|
| `semi_implicit_euler` | 1 | 1 | |
| `rk4` | 4 | 4 | energy and momentum to O(h⁵) per step |
| `rkmk4`, `crouch_grossman3`, `crouch_grossman4` | 4, 3, 4 | 4, 3, 5 | the group without projection |
| `implicit_midpoint` | 2 | by iteration | energy and momentum, to rounding |
| `variational`, `variational_rotation` | 2 | 1 or 2 | momentum to rounding, energy without drift |
| `generalized_alpha` | 2 | by iteration | damps fast oscillations at choice |
| `dopri5`, `dop853`; adaptive: `integrate`, `attempt` | 5, 8 | 6, 12 | what the tolerance allows |

Second-order forms in (q, q̇) become systems by `plain`, `renormalised`, `projected` or `baumgarte`.
"""

from quatrain.equations.stepping.adaptive import (
    CONTROL,
    Attempt,
    Control,
    Progress,
    attempt,
    begin,
    first_step,
    integrate,
    step_factor,
)
from quatrain.equations.stepping.bodies import FreeBody, RotatingBody
from quatrain.equations.stepping.dormand_prince import DOP853, DOPRI5, Pair
from quatrain.equations.stepping.embedded import (
    Dense,
    Step,
    Tolerance,
    cubic,
    dense,
    dop853,
    dopri5,
    error_norm,
    step,
)
from quatrain.equations.stepping.events import EITHER, FALLING, RISING, Located, locate
from quatrain.equations.stepping.explicit import rk4, semi_implicit_euler
from quatrain.equations.stepping.generalized_alpha import (
    AlphaParameters,
    generalized_alpha,
    generalized_alpha_start,
)
from quatrain.equations.stepping.implicit import implicit_midpoint
from quatrain.equations.stepping.lie import crouch_grossman3, crouch_grossman4, rkmk4
from quatrain.equations.stepping.multiplier_forms import (
    baumgarte,
    plain,
    position_renormalised,
    projected,
    renormalised,
)
from quatrain.equations.stepping.solving import fixed_point, newton, settled
from quatrain.equations.stepping.system import LINEAR, POSES, ROTATIONS, Space, System, product
from quatrain.equations.stepping.variational import variational, variational_rotation

__all__ = [
    "CONTROL",
    "DOP853",
    "DOPRI5",
    "EITHER",
    "FALLING",
    "LINEAR",
    "POSES",
    "RISING",
    "ROTATIONS",
    "AlphaParameters",
    "Attempt",
    "Control",
    "Dense",
    "FreeBody",
    "Located",
    "Pair",
    "Progress",
    "RotatingBody",
    "Space",
    "Step",
    "System",
    "Tolerance",
    "attempt",
    "baumgarte",
    "begin",
    "crouch_grossman3",
    "crouch_grossman4",
    "cubic",
    "dense",
    "dop853",
    "dopri5",
    "error_norm",
    "first_step",
    "fixed_point",
    "generalized_alpha",
    "generalized_alpha_start",
    "implicit_midpoint",
    "integrate",
    "locate",
    "newton",
    "plain",
    "position_renormalised",
    "product",
    "projected",
    "renormalised",
    "rk4",
    "rkmk4",
    "semi_implicit_euler",
    "settled",
    "step",
    "step_factor",
    "variational",
    "variational_rotation",
]
