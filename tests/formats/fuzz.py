"""Robots' files, damaged at random: every one loads or is refused by an error of ours, and in time.

    python -m tests.formats.fuzz --count 100000 --seed 1

A damaged file that brings another error, a warning of NumPy's, or the end of the process is written to a folder.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import time
import traceback
import warnings
from pathlib import Path

NASTY = (
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-320", b"0", b"-0", b"-1", b"1e400", b"0x10", b"1_0", b"", b" ",
    b"world", b"__model__", b"base", b"a::b", b"::", b"../../../etc/passwd", b"\xff\xfe", b"\x00", b"&lt;", b"&#0;",
    b"\xf0\x9f\xa6\xbf", b"9" * 400, b"true",
    b"1 2 3", b"1 2", b"free", b"fixed", b"mesh", b"1e16", b"1e200", b"1e-200",
    b"\xd9\xa1",
)  # fmt: skip
VALUE = re.compile(rb'"[^"<>]*"|>[^<>]+<')
TAG = re.compile(rb"<[^<>!?]+>")


def damaged(content: bytes, rng: random.Random) -> bytes:
    """With one to four things wrong."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        content = rng.choice(DAMAGES)(content, rng)
        if len(content) > 200_000:
            content = content[:200_000]
    return content


def damaged_by(texts: list[bytes], seed: int, k: int) -> bytes:
    """The k-th damaged file of a seed."""
    rng = random.Random(f"{seed} {k}")
    return damaged(rng.choice(texts), rng)


def _span(content: bytes, rng: random.Random, most: int = 200) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.randrange(1, most))


def _of(pattern: re.Pattern[bytes], content: bytes, rng: random.Random) -> tuple[int, int]:
    found = [m.span() for m in pattern.finditer(content)]
    return rng.choice(found) if found else _span(content, rng)


def _value(content: bytes, rng: random.Random) -> bytes:
    a, b = _of(VALUE, content, rng)
    return content[: a + 1] + rng.choice(NASTY) + content[b - 1 :]


def _part_of_value(content: bytes, rng: random.Random) -> bytes:
    """One of several numbers."""
    a, b = _of(VALUE, content, rng)
    words = content[a + 1 : b - 1].split() or [b""]
    words[rng.randrange(len(words))] = rng.choice(NASTY)
    return content[: a + 1] + b" ".join(words) + content[b - 1 :]


def _exchanged(content: bytes, rng: random.Random) -> bytes:
    """The value of another place."""
    (a, b), (c, d) = _of(VALUE, content, rng), _of(VALUE, content, rng)
    return content[: a + 1] + content[c + 1 : d - 1] + content[b - 1 :]


def _flipped(content: bytes, rng: random.Random) -> bytes:
    a = rng.randrange(len(content) + 1)
    return content[:a] + bytes([rng.randrange(256)]) + content[a + 1 :]


def _without(content: bytes, rng: random.Random) -> bytes:
    a, b = _span(content, rng)
    return content[:a] + content[b:]


def _without_tag(content: bytes, rng: random.Random) -> bytes:
    a, b = _of(TAG, content, rng)
    return content[:a] + content[b:]


def _element(content: bytes, rng: random.Random) -> tuple[int, int]:
    """A whole element, so that what is left is well-formed."""
    found = [m for m in TAG.finditer(content) if not m.group().startswith(b"</")]
    if not found:
        return _span(content, rng)
    m = rng.choice(found)
    if m.group().endswith(b"/>"):
        return m.span()
    name = re.split(rb"[\s>/]", m.group()[1:])[0]
    end = content.find(b"</" + name + b">", m.end())
    return (m.start(), end + len(name) + 3) if end >= 0 else m.span()


def _without_element(content: bytes, rng: random.Random) -> bytes:
    a, b = _element(content, rng)
    return content[:a] + content[b:]


def _twice(content: bytes, rng: random.Random) -> bytes:
    a, b = _element(content, rng)
    return content[:b] + content[a:b] * rng.choice((1, 1, 2, 50)) + content[b:]


def _moved(content: bytes, rng: random.Random) -> bytes:
    (a, b), (c, _) = _element(content, rng), _element(content, rng)
    part = content[a:b]
    left = content[:a] + content[b:]
    return left[:c] + part + left[c:]


def _truncated(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _nested(content: bytes, rng: random.Random) -> bytes:
    a, b = _of(TAG, content, rng)
    return content[:a] + content[a:b] * rng.choice((10, 300)) + content[b:]


def _without_attribute(content: bytes, rng: random.Random) -> bytes:
    a, b = _of(re.compile(rb'\s[\w:]+="[^"]*"'), content, rng)
    return content[:a] + content[b:]


DAMAGES = (
    _value, _value, _part_of_value, _part_of_value, _exchanged, _exchanged, _flipped, _without, _without_tag,
    _without_element, _without_element, _twice, _twice, _moved, _moved, _truncated, _nested, _without_attribute,
)  # fmt: skip


# ---- seeds --------------------------------------------------------------------------------------------


def seeds(kinds: tuple[str, ...]) -> list[bytes]:
    from tests.formats import robots, test_mjcf, test_sdf

    found = {
        "urdf": [robots.ROBOT],
        "sdf": [test_sdf.HAND, test_sdf.MIMIC, test_sdf.WORLD, test_sdf.EVERYTHING],
        "mjcf": [test_mjcf.MACHINE],
    }
    return [text.encode() for kind in kinds for text in found[kind]]


def in_this_process(*_: object) -> None:
    """MuJoCo's compiler here and not in a process for each file; what it dies of, this one dies of."""
    from quatrain.formats import mjcf, mjcf_compiler

    def answer(program: str, job: dict[str, object], *_: object) -> dict[str, object]:
        try:
            return mjcf_compiler.compiled(job)
        except Exception as error:
            return {"error": str(error)}

    mjcf.answer_of = answer


def wrong_with(content: bytes) -> str:
    """What goes wrong, other than an error of ours."""
    from quatrain.errors import QuatrainError
    from quatrain.formats import read_content
    from quatrain.formats.reading import Choices, raise_errors
    from quatrain.loading import _loaded

    text = content.decode("utf-8", "surrogateescape")
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            reading = read_content(content, "damaged", Choices(text=text))
            raise_errors([finding for finding in reading.findings if finding.severity == "error"])
            _loaded(reading, "damaged", "repair", merge_fixed=True)
    except QuatrainError as error:
        str(error)
    except Exception:
        return traceback.format_exc()
    seconds = time.process_time() - start
    return f"{seconds:.1f} s" if seconds > 10 else ""


# ---- many ---------------------------------------------------------------------------------------------


def _work(pipe, kinds: tuple[str, ...], seed: int, first: int, last: int) -> None:
    in_this_process()
    texts = seeds(kinds)
    for k in range(first, last):
        pipe.send(("at", k))
        content = damaged_by(texts, seed, k)
        wrong = wrong_with(content)
        if wrong:
            pipe.send(("wrong", k, wrong, content))
    pipe.send(("done", last))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=["urdf", "sdf", "mjcf"])
    parser.add_argument("--out", type=Path, default=Path("fuzzed"))
    given = parser.parse_args()
    at, last, bad = given.first, given.first + given.count, 0
    start = time.monotonic()
    context = multiprocessing.get_context("spawn")
    while at < last:
        pipe, other = context.Pipe()
        process = context.Process(
            target=_work, args=(other, tuple(given.kinds), given.seed, at, last), daemon=True
        )
        process.start()
        other.close()
        wrong = ""
        try:
            while True:
                if not pipe.poll(120):
                    wrong = "not done after 120 s"
                    break
                what, k, *more = pipe.recv()
                at = k
                if what == "done":
                    break
                if what == "wrong":
                    bad += 1
                    _keep(given.out, k, *more)
        except EOFError:
            wrong = "the process died"
        process.kill()
        if wrong:
            bad += 1
            _keep(given.out, at, wrong, damaged_by(seeds(tuple(given.kinds)), given.seed, at))
            at += 1
    print(f"{given.count:,} damaged files, {bad} of which went wrong; {time.monotonic() - start:.0f} s")  # noqa: T201


def _keep(folder: Path, k: int, wrong: str, content: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{k}.xml").write_bytes(content)
    (folder / f"{k}.txt").write_text(wrong, encoding="utf-8")


if __name__ == "__main__":
    main()
