"""Tests never touch the user's cache of compiled code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_cache() -> Iterator[None]:
    """Off also because tests compile one program in several ways that its key does not know of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUATRAIN_CACHE", "off")
        yield
