"""Comparisons for the kinds whose Python operators already mean them elementwise."""

from __future__ import annotations

from operator import eq as equal
from operator import ge as greater_equal
from operator import gt as greater
from operator import le as less_equal
from operator import lt as less
from operator import ne as not_equal

__all__ = ["equal", "greater", "greater_equal", "less", "less_equal", "not_equal"]
