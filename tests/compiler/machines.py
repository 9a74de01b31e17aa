"""The compiler as a test wants to have it: other vectors, short parts, short pieces, memory between guards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from quatrain.compiler import native
from quatrain.compiler.llvm import regions
from quatrain.compiler.llvm.target import Target


@contextmanager
def vectors_of(lanes: int) -> Iterator[None]:
    """What is compiled meanwhile has vectors of so many lanes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Target, "width", lambda self, dtype: lanes)
        yield


@contextmanager
def parts_of(size: int) -> Iterator[None]:
    """What is compiled meanwhile is cut into parts of so many nodes, however short it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "STRAIGHT", 0)
        patch.setattr(regions, "PART", size)
        yield


@contextmanager
def plain_processor() -> Iterator[None]:
    """What is compiled meanwhile uses nothing but what every processor of this kind has."""
    host = Target.host()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Target, "host", classmethod(lambda cls: Target.portable(host.triple)))
        yield


@contextmanager
def shortest_pieces() -> Iterator[None]:
    """Calls are cut into pieces of one block of elements, and time loops into pieces of one step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "PIECE_SECONDS", 0.0)
        patch.setattr(native, "ENOUGH_TO_MEASURE", 1)
        yield


class Guarded:
    """Makes arrays that lie between guards, and tells whether anything was written there."""

    MARGIN = 4096  # [bytes]
    PATTERN = 0xA5

    def __init__(self) -> None:
        self.blocks: list[Any] = []

    def array(self, shape: Any, dtype: Any, value: Any = None) -> Any:
        shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        block = np.full(size + 2 * self.MARGIN, self.PATTERN, np.uint8)
        self.blocks.append((block, size))
        array = block[self.MARGIN : self.MARGIN + size].view(dtype).reshape(shape)
        if value is not None:
            array[...] = value
        return array

    def untouched(self) -> bool:
        return all(
            (block[: self.MARGIN] == self.PATTERN).all()
            and (block[self.MARGIN + size :] == self.PATTERN).all()
            for block, size in self.blocks
        )

    @contextmanager
    def work_areas(self) -> Iterator[None]:
        """The work areas and stores of kernels that run meanwhile are made here."""

        def aligned(size: int) -> Any:
            raw = self.array(size + 64, np.uint8, 0)
            start = -raw.ctypes.data % 64
            raw[:start], raw[start + size :] = self.PATTERN, self.PATTERN
            self.blocks[-1] = self.blocks[-1][0], self.blocks[-1][1]
            return raw[start : start + size]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(native, "aligned", aligned)
            yield
