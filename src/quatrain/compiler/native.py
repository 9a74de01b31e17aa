"""Machine code at work: made or taken from the cache, called in pieces, by one thread or several."""

from __future__ import annotations

import ctypes
import hashlib
import json
import logging
import os
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from quatrain.compiler.cache import LIMIT, PLACE, Cache
from quatrain.compiler.counts import operations
from quatrain.compiler.llvm.memory import WORDS
from quatrain.compiler.llvm.target import Target
from quatrain.compiler.program import Program
from quatrain.compiler.sources import digest_of_sources

logger = logging.getLogger("quatrain")

# A piece of work between two looks at the keyboard.
PIECE_SECONDS = 0.02
# Work that one thread has done before others have started.
ALONE_SECONDS = 1e-4
# So many elements are needed to measure what one takes.
ENOUGH_TO_MEASURE = 64
# Compiling takes about this long per operation; said when it is longer than SAY_SECONDS.
COMPILE_SECONDS = 5e-5
SAY_SECONDS = 1.0

_FORMAT = 1


@dataclass(frozen=True)
class Options:
    """What determines machine code besides the program."""

    dtype: str = "float64"
    contract: bool = True
    width: int | None = None
    """Lanes of a vector, if not the processor's."""


@cache
def fingerprint() -> str:
    """Of the compiler itself: code made by another version of it is not taken from the cache."""
    import llvmlite

    files = sorted(Path(__file__).parent.rglob("*.py"))
    return digest_of_sources(files, f"{_FORMAT} llvmlite {llvmlite.__version__}")


@cache
def shared_cache(place: str | None, limit: str | None) -> Cache:
    """One cache for one setting of the environment, so that what is wrong with it is said once."""
    settings = {PLACE: place, LIMIT: limit}
    return Cache.open({name: value for name, value in settings.items() if value is not None})


def cache_key(digest: str, target: Target, options: Options) -> str:
    words = [digest, fingerprint(), repr(target), repr(options)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


class Native:
    """Object code, loaded, with what its caller must know: see `llvm.blocks` and `llvm.timeloops`."""

    def __init__(
        self,
        digest: str,
        program: Program,
        make: Callable[[Target], Any],
        options: Options,
        target: Target | None = None,
    ) -> None:
        from quatrain.compiler.llvm import machine

        machine.binding()  # the import of llvmlite is not counted
        began = time.perf_counter()
        self.target = target or Target.host()
        store = shared_cache(os.environ.get(PLACE), os.environ.get(LIMIT))
        key = cache_key(digest, self.target, options)
        payload = store.get(key)
        self.from_cache = payload is not None
        if payload is None:
            with _Telling(program):
                code = make(self.target)
                facts = {k: v for k, v in asdict(code).items() if k != "text"}
                payload = _packed(facts, machine.object_code(code.text, self.target))
            store.put(key, payload)
        self.facts, binary = _unpacked(payload)
        self.loaded = machine.Loaded(binary)
        self.seconds = time.perf_counter() - began
        self.size = len(binary)
        # With the interpreter's lock held for short work, released for long.
        self.call_short = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self.loaded.address)
        self.call_long = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.loaded.address)

    @property
    def width(self) -> int:
        return int(self.facts["width"])

    @property
    def words(self) -> int:
        """Of a frame."""
        return int(self.facts["first_leaf"]) + WORDS * len(self.facts["scratch"])

    def work_area(self) -> Any:
        """Memory for one thread, on a boundary of cache lines."""
        return aligned(int(self.facts["work_bytes"]))


def aligned(size: int) -> Any:
    """Zeroed bytes that begin at a cache line."""
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size]


def _packed(facts: dict[str, Any], binary: bytes) -> bytes:
    head = json.dumps(facts).encode()
    return len(head).to_bytes(4, "little") + head + binary


def _unpacked(payload: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(payload[:4], "little")
    return json.loads(payload[4 : 4 + size]), payload[4 + size :]


class _Telling:
    """Says once, when compiling has taken over a second, what is compiled and how long it may take."""

    def __init__(self, program: Program) -> None:
        self.timer = threading.Timer(SAY_SECONDS, self._say, (program,))
        self.timer.daemon = True

    def _say(self, program: Program) -> None:
        count = sum(operations(program).values())
        logger.warning(
            "compiling %s: %s operations, %.0f s so far, about %.0f s in all; the result is kept for the next time",
            *(program.name, f"{count:,}", SAY_SECONDS, max(2.0, count * COMPILE_SECONDS)),
        )

    def __enter__(self) -> None:
        self.timer.start()

    def __exit__(self, *exception: object) -> None:
        self.timer.cancel()


# ---- running -----------------------------------------------------------------------------------------

_NEVER = threading.Event()
"""Of work that nobody else can ask to stop."""


class Runner:
    """Calls a piece of machine code over ranges of the batch, in pieces short enough for Ctrl-C.

    With several threads each takes the next piece when it is done with one. Which thread computes an element,
    and in which piece, does not touch its bits.
    """

    def __init__(self, native: Native, threads: int) -> None:
        self.native = native
        self.threads = threads
        self.seconds_per_element = 0.0  # until it is measured
        self._frames = threading.local()

    def run(self, head: Sequence[int], leaves: Sequence[int], count: int) -> None:
        """The elements 0 … count − 1. `head` are words 3 … 7 of the frame."""
        if self._is_short(head, count):
            # The frame is out of its place while it is in use: a signal's handler may call in between.
            frame = self._frames.__dict__.pop("frame", None) or Frame(self.native)
            frame.fill(head, leaves)
            self._piece(frame, 0, count, _NEVER)
            self._frames.frame = frame
            return
        lock, halt = threading.Lock(), threading.Event()
        busy = [False] * self.threads
        failures: list[BaseException] = []
        place = 0

        def following() -> tuple[int, int]:
            nonlocal place
            with lock:
                start, place = place, min(count, place + self._piece_size(head, count))
                return start, place

        def work(number: int) -> None:
            try:
                frame = Frame(self.native)
                frame.fill(head, leaves)
                busy[number] = True  # before the look at `halt`: see `_settled`
                while not halt.is_set():
                    start, stop = following()
                    if start == stop:
                        return
                    self._piece(frame, start, stop, halt)
            except BaseException as error:
                failures.append(error)
                halt.set()
            finally:
                busy[number] = False

        helpers = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(1, self.threads)]
        try:
            for helper in helpers:
                helper.start()
            work(0)
            for helper in helpers:
                helper.join()
        except BaseException as error:  # Ctrl-C while this thread was waiting for the others
            failures.append(error)
        if failures:
            halt.set()
            busy[0] = False
            _settled(busy)
            raise failures[0]

    def _is_short(self, head: Sequence[int], count: int) -> bool:
        """Whether one piece is all there is to do, or several threads would take longer to start."""
        alone = PIECE_SECONDS if self.threads == 1 else ALONE_SECONDS
        return count <= max(self.native.width, self._elements_in(alone, head))

    def _piece_size(self, head: Sequence[int], count: int) -> int:
        width = self.native.width
        size = self._elements_in(PIECE_SECONDS, head) // width * width
        if self.threads > 1:
            # Enough pieces that no thread waits long for the last.
            size = min(size, -(-count // (4 * self.threads * width)) * width)
        return max(width, size)

    def _elements_in(self, seconds: float, head: Sequence[int]) -> int:
        """How many elements are done in this time; before it is measured only a few, as loops may be long."""
        return int(seconds / self.seconds_per_element) if self.seconds_per_element else ENOUGH_TO_MEASURE

    def _piece(self, frame: Frame, start: int, stop: int, halt: threading.Event) -> None:
        frame.words[0], frame.words[1] = start, stop
        began = time.perf_counter()
        self.native.call_long(frame.address)
        self._learn(time.perf_counter() - began, stop - start)

    def _learn(self, seconds: float, count: int) -> None:
        if count >= ENOUGH_TO_MEASURE:
            # Quick to believe that it is slow, slow to believe that it is quick.
            measured = max(1e-12, seconds / count)
            self.seconds_per_element = max(measured, 0.5 * (measured + self.seconds_per_element))


def _settled(busy: Sequence[bool]) -> None:
    """Waits until no thread is within a piece: its memory may be given back as soon as this returns."""
    while True:
        try:
            while any(busy):
                time.sleep(1e-3)
            return
        except KeyboardInterrupt:  # the first one is being answered
            continue


class StepRunner(Runner):
    """The same for time loops: a piece is some steps of some elements; between pieces the state is in a store."""

    def run_steps(self, steps: int, every: int, leaves: Sequence[int], count: int) -> None:
        self.run((0, steps, every, 0, 0), leaves, count)

    def _elements_in(self, seconds: float, head: Sequence[int]) -> int:
        # A few blocks run through all their steps before the next few begin: their state stays in the cache.
        return super()._elements_in(seconds / max(1, head[1]), head)

    def _piece(self, frame: Frame, start: int, stop: int, halt: threading.Event) -> None:
        words, width, kept = frame.words, self.native.width, int(self.native.facts["store_bytes"])
        steps, count = int(frame.head[1]), stop - start
        words[0], words[1] = start, stop
        store = None
        if self._steps_in(PIECE_SECONDS, count) < steps:
            store = aligned(-(-count // width) * kept)
            words[6] = store.ctypes.data - start // width * kept
        first, done = 0, False
        while not done and not halt.is_set():
            last = min(steps, first + self._steps_in(PIECE_SECONDS, count)) if store is not None else steps
            words[3], words[4] = first, last
            began = time.perf_counter()
            self.native.call_long(frame.address)
            self._learn(time.perf_counter() - began, count * (last - first))
            first, done = last, last == steps
        words[6] = 0

    def _steps_in(self, seconds: float, count: int) -> int:
        """How many steps of so many elements are done in this time."""
        return max(1, -(-super()._elements_in(seconds, ()) // count))


class Frame:
    """The words a kernel is called with, and a work area of its own."""

    def __init__(self, native: Native) -> None:
        self.work = native.work_area()
        self.words = (ctypes.c_int64 * native.words)()
        self.words[2] = self.work.ctypes.data
        self.address = ctypes.addressof(self.words)
        self._fill = struct.Struct(f"{native.words - 3}q").pack_into

    def fill(self, head: Sequence[int], leaves: Sequence[int]) -> None:
        """Words 3 … 7, and those of the leaves."""
        self._fill(self.words, 24, *head, *leaves)
        self.head = head
