"""Formulations of one rotating body side by side: `compare`, and what it finds."""

from quatrain.compare.comparing import compare
from quatrain.compare.formulations import NAMES, RENORMALISATIONS
from quatrain.compare.methods import METHODS
from quatrain.compare.motion import Motion
from quatrain.compare.results import Agreement, Comparison, Curves, Row, StepSizes

__all__ = [
    "METHODS",
    "NAMES",
    "RENORMALISATIONS",
    "Agreement",
    "Comparison",
    "Curves",
    "Motion",
    "Row",
    "StepSizes",
    "compare",
]
